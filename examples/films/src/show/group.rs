//! A group that fails as a whole.

use crate::failure::{Failure, Outcome};
use crate::load::FILMS;
use crate::report::Report;
use entable::{ErrorCode, Operation, Store, UpdateMode, entity};

const GENRE: &str = "Western";

pub(crate) fn show(store: &Store, report: &mut Report) -> Outcome<()> {
    report.heading("5  A group that fails as a whole")?;
    let films = store.table(FILMS)?;
    let partition = format!("PartitionKey eq '{GENRE}'");
    let westerns = || films.query_entities(&*partition)?.collect::<Result<Vec<_>, _>>();
    let before = westerns()?;
    let [first, second, third, ..] = &*before else {
        return Err(Failure::new("there are not even three westerns"));
    };
    let (first, second, third) = (first.row_key(), second.row_key(), third.row_key());
    let new = "A New Western (2030)";
    let operations = [
        (format!("create {new}"), Operation::create(entity! { GENRE, new, "Title" => "A New Western" })?),
        (
            format!("merge  {first}: Director Nobody"),
            Operation::update(entity! { GENRE, first, "Director" => "Nobody" }, UpdateMode::Merge)?,
        ),
        (format!("delete {second}"), Operation::delete(GENRE, second)),
        (format!("create {third}, which is there already"), Operation::create(entity! { GENRE, third })?),
        ("create Another One (2031)".to_owned(), Operation::create(entity! { GENRE, "Another One (2031)" })?),
    ];
    for (index, (text, _)) in operations.iter().enumerate() {
        report.line(format!("  {index}  {text}"))?;
    }
    let error = match films.submit_transaction(operations.into_iter().map(|(_, operation)| operation)) {
        Err(error) if error.code() == ErrorCode::EntityAlreadyExists => error,
        Err(error) => return Err(error.into()),
        Ok(_) => return Err(Failure::new("the group went through")),
    };
    let index = error.details().index.ok_or_else(|| Failure::new("the error does not say which operation failed"))?;
    report.line(format!("  fails at operation {index} with {} {}", error.status(), error.code().name()))?;
    report.line(format!("  {error}"))?;

    let after = westerns()?;
    let is_same_version = before.iter().zip(&after).all(|(old, new)| old.etag() == new.etag());
    if before != after || !is_same_version || films.exists(GENRE, new)? {
        return Err(Failure::new("the group that failed left something behind"));
    }
    report.result(format!(
        "nothing of it is there: the partition has the same {} films as before, all with the ETags they had",
        after.len()
    ))
}
