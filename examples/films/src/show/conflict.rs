//! A conditional update that loses to another writer.

use crate::arguments::Arguments;
use crate::failure::{Failure, Outcome};
use crate::load::FILMS;
use crate::report::Report;
use entable::{ErrorCode, Store, UpdateMode, entity};
use std::thread;

const GENRE: &str = "Action";
const FILM: &str = "Avatar (2009)";

pub(crate) fn show(store: &Store, arguments: &Arguments, report: &mut Report) -> Outcome<()> {
    report.heading("4  A write that comes too late")?;
    let films = store.table(FILMS)?;
    let read = films.get_entity(GENRE, FILM)?;
    let votes = read.get("ImdbVotes").and_then(entable::Value::as_i64).unwrap_or_default();
    let etag = read.etag().ok_or_else(|| Failure::new("an entity that was read has no ETag"))?;
    report.line(format!("  here      read {FILM}: ImdbVotes {votes}, ETag {etag}"))?;

    // The other writer has a handle of its own on the same file, and a thread of its own.
    let path = arguments.store.clone();
    let other = thread::spawn(move || {
        let films = Store::open(path)?.table(FILMS)?;
        films.update_entity(entity! { GENRE, FILM, "ImdbVotes" => 261_440 }, UpdateMode::Merge)
    });
    let written = other.join().map_err(|_| Failure::new("the other writer's thread panicked"))??;
    report.line(format!("  elsewhere wrote ImdbVotes 261440, ETag {}", written.etag()))?;

    let late = films.update_entity_if(entity! { GENRE, FILM, "ImdbVotes" => 1 }, UpdateMode::Merge, etag);
    let error = match late {
        Err(error) if error.code() == ErrorCode::UpdateConditionNotSatisfied => error,
        Err(error) => return Err(error.into()),
        Ok(_) => return Err(Failure::new("the late write overwrote the other one")),
    };
    report.line(format!(
        "  here      write ImdbVotes 1 if still at the ETag that was read: {} {}",
        error.status(),
        error.code().name()
    ))?;
    report.line(format!("            {error}"))?;

    // What to do about it: read again, decide again, write on the new version.
    let now = films.get_entity(GENRE, FILM)?;
    let other_votes = now.get("ImdbVotes").and_then(entable::Value::as_i64).unwrap_or_default();
    if other_votes != 261_440 {
        return Err(Failure::new(format!("ImdbVotes is {other_votes}: the other writer's value is gone")));
    }
    let again = entity! { GENRE, FILM, "ImdbVotes" => 261_439 };
    films.update_entity_if(again, UpdateMode::Merge, now.etag().unwrap_or(written.etag()))?;
    report.result("the other writer's value was kept; read again, and the write on the new version goes through")
}
