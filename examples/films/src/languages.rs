//! The same file, read from Python, Node, C and C++.

use crate::arguments::Arguments;
use crate::failure::{Failure, Outcome};
use crate::load::FILMS;
use crate::report::Report;
use crate::show;
use entable::{Store, Value};

/// The film that every language reads: one that has earned more than 32 bits hold.
const FILM: (&str, &str) = ("Action", "Avatar (2009)");

pub(crate) fn run(_arguments: &Arguments, _report: &mut Report) -> Outcome<()> {
    Ok(())
}

/// Prints what the program of every other language prints.
pub(crate) fn print_film(arguments: &Arguments, report: &mut Report) -> Outcome<()> {
    let store = show::open(&arguments.store)?;
    report.line(film(&store)?)
}

/// The lines that the program of every language prints.
fn film(store: &Store) -> Outcome<String> {
    let films = store.table(FILMS)?;
    let count = films.list_entities()?.try_fold(0, |count, entity| entity.map(|_| count + 1))?;
    let film = films.get_entity(FILM.0, FILM.1)?;
    let missing = |name| Failure::new(format!("{} has no {name}, or one of another type", film.row_key()));
    let title = film.get("Title").and_then(Value::as_str).ok_or_else(|| missing("Title"))?;
    let released = film.get("ReleaseDate").and_then(Value::as_datetime).ok_or_else(|| missing("ReleaseDate"))?;
    let gross = film.get("WorldwideGross").and_then(Value::as_i64).ok_or_else(|| missing("WorldwideGross"))?;
    let rating = film.get("ImdbRating").and_then(Value::as_f64).ok_or_else(|| missing("ImdbRating"))?;
    Ok(format!("Films {count}\nTitle {title}\nReleaseDate {released}\nWorldwideGross {gross}\nImdbRating {rating:.1}"))
}
