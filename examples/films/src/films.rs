//! Films: from `movies.json` to entities, each property of one type.

use crate::dates;
use crate::failure::{Failure, Outcome};
use crate::keys::{self, Keys};
use entable::{Entity, Value};
use serde_json::Value as Json;

/// Where films stand that the file knows no genre of.
pub(crate) const NO_GENRE: &str = "No genre";

/// What a film without a title is called in its RowKey.
const NO_TITLE: &str = "(no title)";

/// What a column of the file becomes.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Text. A number in the file, such as the film `300`, is its digits.
    Text,
    /// A whole number that fits 32 bits in every row: minutes, votes, percent.
    Int32,
    /// Money: one film has earned more than 32 bits hold, so all money is Int64.
    Int64,
    /// A rating with a fraction, also where the file writes `7`.
    Double,
    /// A release date.
    Date,
}

/// Each column of the file, the property that it becomes, and its type. Property names have no blanks.
const COLUMNS: [(&str, &str, Kind); 16] = [
    ("Title", "Title", Kind::Text),
    ("US Gross", "UsGross", Kind::Int64),
    ("Worldwide Gross", "WorldwideGross", Kind::Int64),
    ("US DVD Sales", "UsDvdSales", Kind::Int64),
    ("Production Budget", "ProductionBudget", Kind::Int64),
    ("Release Date", "ReleaseDate", Kind::Date),
    ("MPAA Rating", "MpaaRating", Kind::Text),
    ("Running Time min", "RunningTimeMin", Kind::Int32),
    ("Distributor", "Distributor", Kind::Text),
    ("Source", "Source", Kind::Text),
    ("Major Genre", "MajorGenre", Kind::Text),
    ("Creative Type", "CreativeType", Kind::Text),
    ("Director", "Director", Kind::Text),
    ("Rotten Tomatoes Rating", "RottenTomatoesRating", Kind::Int32),
    ("IMDB Rating", "ImdbRating", Kind::Double),
    ("IMDB Votes", "ImdbVotes", Kind::Int32),
];

/// What the file has more than a century ahead of time, kept beside the right year.
const YEAR_IN_FILE: &str = "ReleaseYearInFile";

/// Reads the films of a file: an array of objects.
///
/// PartitionKey is the genre, RowKey title and year.
pub(crate) fn read(json: &[u8]) -> Outcome<Vec<Entity>> {
    let films: Vec<serde_json::Map<String, Json>> =
        serde_json::from_slice(json).map_err(|error| Failure::new(error.to_string()))?;
    let mut keys = Keys::default();
    let read = |(index, film)| film_entity(film, &mut keys).map_err(|failure| failure.at(format!("film {index}")));
    films.iter().enumerate().map(read).collect()
}

/// How many films have their year taken back by a century.
pub(crate) fn corrected_years(films: &[Entity]) -> usize {
    films.iter().filter(|film| film.get(YEAR_IN_FILE).is_some()).count()
}

fn film_entity(film: &serde_json::Map<String, Json>, keys: &mut Keys) -> Outcome<Entity> {
    let mut properties: Vec<(&str, Value)> = Vec::with_capacity(film.len());
    let mut year = None;
    if let Some(column) = film.keys().find(|name| COLUMNS.iter().all(|(known, ..)| known != name)) {
        return Err(Failure::new(format!("the column '{column}' is new: this program does not know its type")));
    }
    for (column, name, kind) in COLUMNS {
        let Some(json) = film.get(column).filter(|json| !json.is_null()) else { continue };
        let wrong = || Failure::new(format!("'{column}' is {json}, which is no {kind:?}"));
        if let Kind::Date = kind {
            let released = json.as_str().and_then(dates::release_date).ok_or_else(wrong)?;
            year = Some(released.year);
            properties.push((name, released.date.into()));
            properties.extend(released.year_in_file.map(|year| (YEAR_IN_FILE, year.into())));
        } else {
            properties.push((name, value(json, kind).ok_or_else(wrong)?));
        }
    }
    let text = |wanted| properties.iter().find(|(name, _)| *name == wanted).and_then(|(_, value)| value.as_str());
    let partition_key = keys::safe(text("MajorGenre").unwrap_or(NO_GENRE));
    let title = keys::safe(text("Title").unwrap_or(NO_TITLE));
    let year = year.map_or_else(|| "no year".to_owned(), |year| year.to_string());
    let row_key = keys.unique(&partition_key, &format!("{title} ({year})"));
    let mut entity = Entity::new(partition_key, row_key);
    for (name, value) in properties {
        entity.insert(name, value);
    }
    Ok(entity)
}

/// The value in its column's type; `None` if it is not of that type.
fn value(json: &Json, kind: Kind) -> Option<Value> {
    Some(match (kind, json) {
        (Kind::Text, Json::String(text)) => text.as_str().into(),
        (Kind::Text, Json::Number(number)) => number.to_string().into(),
        (Kind::Int32, Json::Number(number)) => i32::try_from(number.as_i64()?).ok()?.into(),
        (Kind::Int64, Json::Number(number)) => number.as_i64()?.into(),
        (Kind::Double, Json::Number(number)) => number.as_f64()?.into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use entable::{EdmType, EntityInput, Mode};

    fn one(json: &str) -> Outcome<Entity> {
        read(format!("[{json}]").as_bytes()).map(|mut films| films.remove(0))
    }

    #[test]
    fn each_property_has_one_type_whatever_the_row_looks_like() {
        let film = one(r#"{"Title": 300, "US Gross": 5, "Worldwide Gross": 2767891499, "Running Time min": 117,
            "IMDB Rating": 7, "Release Date": "Mar 09 2007", "Director": null, "Major Genre": "Action"}"#);
        let film = film.unwrap();
        assert_eq!((film.partition_key(), film.row_key()), ("Action", "300 (2007)"));
        let types: Vec<_> = film.properties().map(|(name, value)| (name, value.edm_type())).collect();
        for expected in [
            ("Title", EdmType::String),
            ("UsGross", EdmType::Int64),
            ("WorldwideGross", EdmType::Int64),
            ("RunningTimeMin", EdmType::Int32),
            ("ImdbRating", EdmType::Double),
            ("ReleaseDate", EdmType::DateTime),
        ] {
            assert!(types.contains(&expected), "{expected:?} in {types:?}");
        }
        assert_eq!((film["Title"].as_str(), film["WorldwideGross"].as_i64()), (Some("300"), Some(2_767_891_499)));
        assert_eq!(film.get("Director"), None);
    }

    #[test]
    fn films_without_title_or_genre_have_keys_and_all_keys_are_legal() {
        let film = one(r#"{"Title": null, "Release Date": "May 07 1999"}"#).unwrap();
        assert_eq!((film.partition_key(), film.row_key()), (NO_GENRE, "(no title) (1999)"));
        let film = one(r#"{"Title": "Frost/Nixon", "Major Genre": "Thriller/Suspense"}"#).unwrap();
        assert_eq!((film.partition_key(), film.row_key()), ("Thriller~2FSuspense", "Frost~2FNixon (no year)"));
        assert_eq!(film["MajorGenre"], "Thriller/Suspense");
    }

    #[test]
    fn property_names_are_those_that_the_service_takes() {
        for name in COLUMNS.iter().map(|(_, name, _)| *name).chain([YEAR_IN_FILE]) {
            let mut input = EntityInput::new("", "");
            input.push(name, "text");
            assert!(input.check(Mode::Strict).is_ok(), "{name}");
        }
    }

    #[test]
    fn the_same_file_gives_the_same_keys_and_no_film_is_lost() {
        let json = r#"[{"Title": "Crash", "Release Date": "May 06 2005"}, {"Title": "Crash", "Release Date": "May 06 2005"},
            {"Title": "Crash", "Release Date": "Oct 04 1996"}]"#;
        let keys = || read(json.as_bytes()).unwrap().iter().map(|film| film.row_key().to_owned()).collect::<Vec<_>>();
        assert_eq!(keys(), ["Crash (2005)", "Crash (2005), 2", "Crash (1996)"]);
        assert_eq!(keys(), keys());
    }

    #[test]
    fn wrapped_years_leave_a_trace() {
        let film = one(r#"{"Title": "Gone with the Wind", "Release Date": "Dec 15 2039"}"#).unwrap();
        assert_eq!((film.row_key(), film[YEAR_IN_FILE].as_i64()), ("Gone with the Wind (1939)", Some(2039)));
        assert_eq!(corrected_years(&[film]), 1);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_film_and_column() {
        let check = |json: &str, expected: &str| {
            let text = one(json).unwrap_err().to_string();
            assert!(text.contains(expected), "{text}");
        };
        check(r#"{"Running Time min": 1.5}"#, "film 0: 'Running Time min' is 1.5, which is no Int32");
        check(r#"{"IMDB Votes": 3000000000}"#, "which is no Int32");
        check(r#"{"Title": ["a"]}"#, "which is no Text");
        check(r#"{"Release Date": "soon"}"#, "which is no Date");
        check(r#"{"Stars": 5}"#, "the column 'Stars' is new");
    }
}
