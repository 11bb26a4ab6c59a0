//! Filters with a mistake in them: the error points at the column.

use crate::failure::{Failure, Outcome};
use crate::load::FILMS;
use crate::report::Report;
use entable::Store;

const FILTERS: [&str; 3] = [
    "MajorGenre eq 'Drama' and ImdbRating gte 8.5",
    "Title eq 'Schindler's List'",
    "ImdbRating gt 8.5 and (Director eq 'Frank Capra'",
];

pub(crate) fn show(store: &Store, report: &mut Report) -> Outcome<()> {
    report.heading("7  Filters with a mistake in them")?;
    let films = store.table(FILMS)?;
    for filter in FILTERS {
        let Err(error) = films.query_page(filter) else {
            return Err(Failure::new(format!("this filter was taken: {filter}")));
        };
        let position = error.details().position.ok_or_else(|| Failure::new(format!("no position: {error}")))?;
        report.line(format!("  {filter}"))?;
        report.line(format!("  {}^ {} {}", " ".repeat(position), error.status(), error.code().name()))?;
        report.line(format!("  {error}\n"))?;
    }
    let right = films.query_entities("Title eq 'Schindler''s List'")?.collect::<Result<Vec<_>, _>>()?;
    match &*right {
        [film] => report.result(format!("with the quote doubled, the second finds {}", film.row_key())),
        _ => Err(Failure::new(format!("{} films are called Schindler's List", right.len()))),
    }
}
