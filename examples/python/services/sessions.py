"""Sessions of a Flask program, kept in a store: they outlive a restart, and end when their time is over.

SESSIONS=sessions.ent flask --app sessions run
"""

from __future__ import annotations

import json
import os
import secrets
from datetime import datetime, timedelta, timezone
from typing import Any

import entable
from flask import Flask, Request, Response, jsonify, request, session
from flask.sessions import SessionInterface, SessionMixin

LIFETIME = timedelta(days=14)


class StoredSession(dict[str, Any], SessionMixin):
    def __init__(self, key: str, values: dict[str, Any]) -> None:
        super().__init__(values)
        self.key = key


class StoredSessions(SessionInterface):
    """One entity a session. The cookie is its key, which nobody guesses; the partition spreads them."""

    def __init__(self, store: entable.Store) -> None:
        self.table = store.create_table_if_not_exists("Sessions")

    def open_session(self, app: Flask, request: Request) -> StoredSession:
        key = request.cookies.get(self.get_cookie_name(app), "")
        if key.isalnum():
            try:
                found = self.table.get_entity(key[:2], key)
            except entable.ResourceNotFoundError:
                pass
            else:
                if found["Expires"] > datetime.now(timezone.utc):
                    return StoredSession(key, json.loads(found["Values"]))
        # A key that the store does not know is never taken over.
        return StoredSession(secrets.token_hex(16), {})

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        assert isinstance(session, StoredSession)
        name, key = self.get_cookie_name(app), session.key
        if not session:
            self.table.delete_entity(key[:2], key)
            response.delete_cookie(name)
            return
        expires = datetime.now(timezone.utc) + LIFETIME
        self.table.upsert_entity(
            {"PartitionKey": key[:2], "RowKey": key, "Values": json.dumps(dict(session)), "Expires": expires}, "replace"
        )
        response.set_cookie(name, key, expires=expires, httponly=True, samesite="Lax")


def create_app(path: str | None = None) -> Flask:
    app = Flask(__name__)
    app.session_interface = StoredSessions(entable.Store(path or os.environ.get("SESSIONS", "sessions.ent")))

    @app.post("/login")
    def login() -> Response:
        session["user"] = request.get_json()["user"]
        return jsonify(user=session["user"])

    @app.get("/me")
    def me() -> Response:
        session["visits"] = session.get("visits", 0) + 1
        return jsonify(user=session.get("user"), visits=session["visits"])

    @app.post("/logout")
    def logout() -> Response:
        session.clear()
        return jsonify(user=None)

    return app
