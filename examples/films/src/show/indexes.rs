//! Films by director: without an index, with one, and with such that hold what is asked for, keep values apart, or do
//! not care about case.

use crate::failure::{Failure, Outcome};
use crate::load::FILMS;
use crate::report::{self, Report, Side, Table};
use entable::index::Projection;
use entable::{AccessPath, ErrorCode, Explain, Index, Query, Store, entity};

const DIRECTOR: &str = "Director eq 'Steven Spielberg'";
const IN_ANY_CASE: &str = "tolower(Director) eq 'steven spielberg'";
/// A film that is not there yet, of a title and year that another one has.
const AGAIN: &str = "Jaws again";

/// A question, and how it is answered.
struct Asked {
    with: &'static str,
    explain: Explain,
}

pub(crate) fn show(store: &Store, report: &mut Report) -> Outcome<()> {
    report.heading("9  Films by director, and what indexes make of it")?;
    let films = store.table(FILMS)?;
    // The store file may be shown again: what this part has made goes first.
    for index in films.list_indexes()? {
        films.drop_index(index.name())?;
    }
    let titles = || Query::filter(DIRECTOR).select(["Title", "ImdbRating"]);
    let mut asked = Vec::new();
    let mut ask = |with, query: Query, path, is_covered| -> Outcome<()> {
        let explain = films.explain(query)?;
        if explain.path() != path || explain.is_covered() != is_covered {
            return Err(Failure::new(format!("with {with} the answer came otherwise:\n{explain}")));
        }
        asked.push(Asked { with, explain });
        Ok(())
    };
    ask("no index", Query::filter(DIRECTOR), AccessPath::TableScan, false)?;
    films.create_index(Index::new("ByDirector").properties(["Director"]))?;
    ask("an index", Query::filter(DIRECTOR), AccessPath::IndexEquality, false)?;
    let covering = Projection::names(["Title", "ImdbRating"]);
    films.create_index(Index::new("Covering").properties(["Director"]).projection(covering))?;
    ask("a covering index", titles(), AccessPath::IndexEquality, true)?;
    ask("no index for it", Query::filter(IN_ANY_CASE), AccessPath::TableScan, false)?;
    films.create_index(Index::new("AnyCase").properties(["Director"]).fold_case(true))?;
    ask("an index that folds case", Query::filter(IN_ANY_CASE), AccessPath::IndexEquality, false)?;
    let (key, holder) = unique(store)?;
    ask("a unique index", Query::filter(key), AccessPath::UniqueIndex, false)?;

    let mut table = Table::new([
        ("with", Side::Left),
        ("plan", Side::Left),
        ("rows read", Side::Right),
        ("entries read", Side::Right),
        ("found", Side::Right),
        ("filter", Side::Left),
    ]);
    for Asked { with, explain } in &asked {
        table.row([
            (*with).to_owned(),
            explain.path().to_string(),
            report::count(explain.rows_read()),
            report::count(explain.entries_read()),
            report::count(explain.rows_returned()),
            explain.filter().to_owned(),
        ]);
    }
    report.table(&table)?;
    report.line(format!("\n  A second film of that title and date was refused: {holder}"))?;
    if let Some(Asked { explain, .. }) = asked.iter().find(|asked| asked.explain.is_covered()) {
        report.line("\n  The covering one as `explain` prints it:\n")?;
        report.line(explain.to_string().lines().map(|line| format!("    {line}\n")).collect::<String>().trim_end())?;
    }
    let advice = films.advise()?;
    report.line("\n  And what `advise` says of the indexes:\n")?;
    for one in &advice {
        report.line(format!("    {one}"))?;
    }
    report.result("one declaration: every write keeps the entries, in its transaction, and queries find them")
}

/// Titles of a date are kept apart by an index of the two. Gives the filter of one, and what refused it twice.
fn unique(store: &Store) -> Outcome<(String, String)> {
    let films = store.table(FILMS)?;
    let first = films.query_page(Query::filter("Title eq 'Jaws' and ReleaseDate ne null").limit(1))?;
    let film = first.entities.first().ok_or_else(|| Failure::new("there is no Jaws"))?;
    let released = film.get("ReleaseDate").cloned().ok_or_else(|| Failure::new("Jaws has no date"))?;
    let filter = format!("Title eq 'Jaws' and ReleaseDate eq datetime'{released}'");
    films.create_index(Index::new("OnceADay").properties(["Title", "ReleaseDate"]).unique(true))?;
    let mut again = entity! { film.partition_key(), AGAIN, "Title" => "Jaws" };
    again.insert("ReleaseDate", released);
    match films.create_entity(again) {
        Err(error) if error.code() == ErrorCode::UniqueIndexViolation => Ok((filter, error.to_string())),
        Err(error) => Err(error.into()),
        Ok(_) => Err(Failure::new("the same title and date were there twice")),
    }
}
