//! Airports and zip codes: from CSV to entities.

use crate::failure::{Failure, Outcome};
use crate::keys::{self, Keys};
use entable::{Entity, entity};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// What `airports.csv` writes where it does not know a city or a state. No state of the USA is called so.
const NOT_AVAILABLE: &str = "NA";

/// Where airports stand that the file knows no state of.
const NO_STATE: &str = "No state";

#[derive(Deserialize)]
struct Airport {
    iata: String,
    name: String,
    city: String,
    state: String,
    country: String,
    latitude: f64,
    longitude: f64,
}

/// Five digits, zeros in front included: text, not a number.
#[derive(Deserialize)]
struct ZipCode {
    zip_code: String,
    latitude: f64,
    longitude: f64,
    city: String,
    state: String,
    county: String,
}

/// Reads airports: PartitionKey is the state, RowKey the airport's code.
pub(crate) fn airports(csv: &[u8]) -> Outcome<Vec<Entity>> {
    entities(csv, |airport: Airport| {
        let known = |text: String| (text != NOT_AVAILABLE).then_some(text);
        let (state, city) = (known(airport.state), known(airport.city));
        let mut entity = entity! {
            keys::safe(state.as_deref().unwrap_or(NO_STATE)), keys::safe(&airport.iata),
            "Name" => airport.name, "Country" => airport.country,
            "Latitude" => airport.latitude, "Longitude" => airport.longitude,
        };
        for (name, value) in [("City", city), ("State", state)] {
            if let Some(value) = value {
                entity.insert(name, value);
            }
        }
        entity
    })
}

/// Reads zip codes: PartitionKey is the state, RowKey the zip code.
pub(crate) fn zip_codes(csv: &[u8]) -> Outcome<Vec<Entity>> {
    entities(csv, |place: ZipCode| {
        entity! {
            keys::safe(&place.state), keys::safe(&place.zip_code),
            "ZipCode" => place.zip_code, "City" => place.city, "County" => place.county,
            "Latitude" => place.latitude, "Longitude" => place.longitude,
        }
    })
}

fn entities<T: DeserializeOwned>(csv: &[u8], entity: impl Fn(T) -> Entity) -> Outcome<Vec<Entity>> {
    let mut keys = Keys::default();
    let mut rows = Vec::new();
    for line in csv::Reader::from_reader(csv).into_deserialize() {
        let row = entity(line.map_err(|error| Failure::new(error.to_string()))?);
        // A code that comes twice would overwrite the first, silently.
        if keys.unique(row.partition_key(), row.row_key()) != row.row_key() {
            return Err(Failure::new(format!("{} {} stands there twice", row.partition_key(), row.row_key())));
        }
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use entable::EdmType;

    #[test]
    fn zip_codes_keep_their_zeros_and_are_text() {
        let rows = zip_codes(
            b"zip_code,latitude,longitude,city,state,county\n00501,40.922326,-72.637078,Holtsville,NY,Suffolk\n",
        );
        let row = &rows.unwrap()[0];
        assert_eq!((row.partition_key(), row.row_key()), ("NY", "00501"));
        assert_eq!(row["ZipCode"], "00501");
        assert_eq!((row["Latitude"].edm_type(), row["Latitude"].as_f64()), (EdmType::Double, Some(40.922326)));
    }

    #[test]
    fn quotes_are_read_and_what_is_not_available_is_left_out() {
        let rows = airports(
            b"iata,name,city,state,country,latitude,longitude\n\
              ROP,\"Prachinburi, \"\"old\"\"\",NA,NA,Thailand,14,101.378334\n",
        );
        let row = &rows.unwrap()[0];
        assert_eq!((row.partition_key(), row.row_key()), (NO_STATE, "ROP"));
        assert_eq!(row["Name"], "Prachinburi, \"old\"");
        assert_eq!(row["Latitude"], 14.0);
        assert_eq!((row.get("City"), row.get("State")), (None, None));
    }

    #[test]
    fn wrong_lines_say_which_and_twice_the_same_code_is_refused() {
        let header = "zip_code,latitude,longitude,city,state,county\n";
        let check = |lines: &str, expected: &str| {
            let text = zip_codes(format!("{header}{lines}").as_bytes()).unwrap_err().to_string();
            assert!(text.contains(expected), "{text}");
        };
        check("00501,north,-72.6,Holtsville,NY,Suffolk\n", "line: 2");
        check("00501,40.9,-72.6,Holtsville,NY\n", "line: 2");
        check("1,0,0,A,NY,B\n1,0,0,C,NY,D\n", "NY 1 stands there twice");
    }
}
