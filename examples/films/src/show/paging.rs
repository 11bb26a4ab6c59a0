//! A page that is kept, and resumed in a second process.

use super::open;
use crate::arguments::Arguments;
use crate::failure::{Failure, Outcome};
use crate::load::FILMS;
use crate::report::Report;
use entable::{ContinuationToken, Entity, Query, Store};
use std::process;

/// The query of both processes: a token belongs to its query.
fn query() -> Query {
    Query::filter("PartitionKey eq 'Western' and ImdbRating ge 7.0").select(["RowKey", "ImdbRating"]).page_size(4)
}

fn line(film: &Entity) -> String {
    let rating = film.get("ImdbRating").and_then(entable::Value::as_f64).unwrap_or(f64::NAN);
    format!("  {rating:.1}  {}", film.row_key())
}

pub(crate) fn show(store: &Store, arguments: &Arguments, report: &mut Report) -> Outcome<()> {
    report.heading("6  A page, kept and resumed in a second process")?;
    let films = store.table(FILMS)?;
    let page = films.query_page(query())?;
    report.line(format!("Process {}: westerns with a rating of 7.0 or more, the first page of 4", process::id()))?;
    for film in &page.entities {
        report.line(line(film))?;
    }
    let token = page.continuation_token.ok_or_else(|| Failure::new("the first page is the only one"))?.to_string();
    report.line(format!("  token {token}"))?;

    // This program once more, with nothing but the token: no state is shared but the file.
    let second = process::Command::new(std::env::current_exe()?)
        .args(["resume", "--token", &token, "--store"])
        .arg(&arguments.store)
        .output()?;
    let text = String::from_utf8_lossy(&second.stdout).into_owned();
    if !second.status.success() {
        let message = String::from_utf8_lossy(&second.stderr).into_owned();
        return Err(Failure::new(message).at("the second process"));
    }
    report.line(text.trim_end())?;

    let all = films.query_entities(query())?.collect::<Result<Vec<_>, _>>()?;
    let lines = page.entities.iter().map(line).chain(text.lines().skip(1).map(str::to_owned));
    if !lines.eq(all.iter().map(line)) {
        return Err(Failure::new("the two processes' pages together are not the whole answer"));
    }
    report.result(format!("both together are the whole answer: {} films, none twice, none left out", all.len()))
}

/// The second process: all pages from the token on.
pub(crate) fn resume(arguments: &Arguments, token: &str, report: &mut Report) -> Outcome<()> {
    let token: ContinuationToken = token.parse()?;
    let store = open(&arguments.store)?;
    report.line(format!("Process {}: from the token on", process::id()))?;
    for film in store.table(FILMS)?.query_entities(query().continue_from(token))? {
        report.line(line(&film?))?;
    }
    store.close();
    Ok(())
}
