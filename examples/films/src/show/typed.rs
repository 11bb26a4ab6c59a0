//! A struct in, a struct out.

use crate::failure::{Failure, Outcome};
use crate::load::FILMS;
use crate::report::Report;
use entable::{DateTime, ETag, ErrorCode, Store, UpdateMode};
use serde::{Deserialize, Serialize};

/// A film as this program would like to have it: properties that it does not name are passed over, and those that
/// a film need not have are options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Film {
    partition_key: String,
    row_key: String,
    #[serde(rename = "odata.etag", skip_serializing_if = "Option::is_none")]
    etag: Option<ETag>,
    title: String,
    release_date: DateTime,
    worldwide_gross: i64,
    imdb_rating: f64,
    running_time_min: Option<i32>,
    director: Option<String>,
}

/// What does not fit any film: money is not an `i8`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Misread {
    #[serde(rename = "WorldwideGross")]
    _gross: i8,
}

pub(crate) fn show(store: &Store, report: &mut Report) -> Outcome<()> {
    report.heading("8  A struct in, a struct out")?;
    let films = store.table(FILMS)?;
    let read: Film = films.get_entity_as("Action", "Avatar (2009)")?;
    for (field, value) in [
        ("title", read.title.clone()),
        ("release_date", read.release_date.to_string()),
        ("worldwide_gross", read.worldwide_gross.to_string()),
        ("imdb_rating", read.imdb_rating.to_string()),
        ("running_time_min", format!("{:?}", read.running_time_min)),
        ("director", format!("{:?}", read.director)),
    ] {
        report.line(format!("  {field:<17} {value}"))?;
    }

    let new = Film {
        partition_key: "Science~2FFiction".into(),
        row_key: "Metropolis (1927)".into(),
        etag: None,
        title: "Metropolis".into(),
        release_date: "1927-01-10T00:00:00Z".parse()?,
        worldwide_gross: 1_350_322,
        imdb_rating: 8.3,
        running_time_min: Some(153),
        director: None,
    };
    let written = films.upsert_entity(&new, UpdateMode::Replace)?;
    let back: Film = films.get_entity_as(&new.partition_key, &new.row_key)?;
    films.delete_entity_if(&new.partition_key, &new.row_key, written.etag())?;
    if back != (Film { etag: Some(written.etag()), ..new }) {
        return Err(Failure::new(format!("{back:?} is not the struct that was written")));
    }
    let error = match films.get_entity_as::<Misread>("Action", "Avatar (2009)") {
        Err(error) if error.code() == ErrorCode::InvalidInput => error,
        Err(error) => return Err(error.into()),
        Ok(misread) => return Err(Failure::new(format!("{misread:?} was read"))),
    };
    let property = error.details().property.as_deref().unwrap_or("no property");
    report.line(format!(
        "  a struct with an i8 for the gross: {} {} at {property}",
        error.status(),
        error.code().name()
    ))?;
    report.line(format!("  {error}"))?;
    report.result("Metropolis (1927), written from a struct, came back equal, and was deleted by its ETag")
}
