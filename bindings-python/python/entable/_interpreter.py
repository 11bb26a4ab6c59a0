"""Refuses the import in a second interpreter of a process, which the native part does not know how to live in."""

from __future__ import annotations

import importlib


def _check() -> None:
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if module.get_current() != module.get_main():
            raise ImportError("entable works in the main interpreter of a process alone, and this is another one")
        return


_check()
