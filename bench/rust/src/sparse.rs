//! Sparse, mixed rows: 12 of 40 properties at random, some names with values of two types.

use crate::rows::{Ask, Row, city_of, city_rank, guid, mix, partition_key, row_key, ticks};
use entable::{DateTime, Entity, Guid, Value};
use rusqlite::Statement;
use rusqlite::types::ValueRef;
use serde::{Deserialize, Serialize};

const NAMES: [&str; 40] = [
    "City", "Age", "Active", "Salary", "Hired", "Badge", "Notes", "Phone", "Floor", "Room", "Desk", "Team", "Lead",
    "Grade", "Bonus", "Shift", "Hours", "Leave", "Score", "Rating", "Street", "Postcode", "Country", "Language", "Car",
    "Parking", "Locker", "Shoe", "Height", "Weight", "Diet", "Allergy", "Licence", "Permit", "Expires", "Reviewed",
    "Device", "Serial", "Quota", "Remote",
];
const PRESENT: usize = 12;

const CITY: u8 = 0;
const AGE: u8 = 1;
const ACTIVE: u8 = 2;

/// What type a name's values have.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Int,
    Double,
    Bool,
    Time,
    Guid,
    /// An Int in most rows, a Double in a fifth of them.
    IntOrDouble,
    /// Text in most rows, an Int in a fifth of them.
    TextOrInt,
}

fn kind(name: u8) -> Kind {
    use Kind::*;
    const CYCLE: [Kind; 9] = [Text, Int, Double, TextOrInt, Bool, Text, Time, IntOrDouble, Int];
    match name {
        CITY => Text,
        AGE => IntOrDouble,
        ACTIVE => Bool,
        5 | 37 => Guid,
        name => CYCLE[usize::from(name) % CYCLE.len()],
    }
}

#[derive(Clone, Serialize, Deserialize)]
enum Held {
    Text(String),
    Int(i32),
    Double(f64),
    Bool(bool),
    Time(i64),
    Guid([u8; 16]),
}

/// The same, borrowed from what bincode stores.
#[derive(Deserialize)]
#[expect(dead_code, reason = "no question is about instants and GUIDs, but they are read over")]
enum Stored<'a> {
    Text(#[serde(borrow)] &'a str),
    Int(i32),
    Double(f64),
    Bool(bool),
    Time(i64),
    Guid([u8; 16]),
}

/// Properties by the numbers of their names.
#[derive(Clone)]
pub(crate) struct Sparse {
    partition_key: String,
    row_key: String,
    properties: Vec<(u8, Held)>,
}

fn value(i: u32, name: u8) -> Held {
    let salt = 100 + 8 * u32::from(name);
    let is_second = mix(i, salt + 1) % 5 == 0;
    let number = (mix(i, salt) % 10_000) as i32;
    let text = || format!("{} {number:04} of row {i}", NAMES[usize::from(name)]);
    match (name, kind(name), is_second) {
        (CITY, ..) => Held::Text(city_of(city_rank(i))),
        (AGE, _, false) => Held::Int(18 + number % 50),
        (AGE, _, true) => Held::Double(18.5 + f64::from(number % 50)),
        (_, Kind::Text, _) | (_, Kind::TextOrInt, false) => Held::Text(text()),
        (_, Kind::Int, _) | (_, Kind::IntOrDouble, false) | (_, Kind::TextOrInt, true) => Held::Int(number),
        (_, Kind::Double, _) | (_, Kind::IntOrDouble, true) => Held::Double(f64::from(number) / 8.0),
        (_, Kind::Bool, _) => Held::Bool(number % 10 != 0),
        (_, Kind::Time, _) => Held::Time(ticks(i, salt + 2)),
        (_, Kind::Guid, _) => Held::Guid(guid(i, salt + 3)),
    }
}

impl Row for Sparse {
    /// Columns without a type keep every value as it comes.
    fn columns() -> Vec<String> {
        NAMES.map(str::to_owned).to_vec()
    }

    fn make(i: u32, partitions: u32) -> Sparse {
        let mut names: [u8; NAMES.len()] = std::array::from_fn(|name| name as u8);
        for at in 0..PRESENT {
            let other = at + mix(i, 60 + at as u32) as usize % (NAMES.len() - at);
            names.swap(at, other);
        }
        let present = &mut names[..PRESENT];
        present.sort_unstable();
        Sparse {
            partition_key: partition_key(i, partitions),
            row_key: row_key(i),
            properties: present.iter().map(|name| (*name, value(i, *name))).collect(),
        }
    }

    fn keys(&self) -> (&str, &str) {
        (&self.partition_key, &self.row_key)
    }

    fn set_partition(&mut self, partition_key: String) {
        self.partition_key = partition_key;
    }

    fn to_entity(&self) -> Entity {
        let mut entity = Entity::new(self.partition_key.as_str(), self.row_key.as_str());
        for (name, held) in &self.properties {
            let value = match held {
                Held::Text(text) => Value::from(text.as_str()),
                Held::Int(number) => Value::Int32(*number),
                Held::Double(number) => Value::Double(*number),
                Held::Bool(truth) => Value::Boolean(*truth),
                Held::Time(ticks) => Value::DateTime(DateTime::from_ticks(*ticks).expect("an instant")),
                Held::Guid(bytes) => Value::Guid(Guid::from_bytes(*bytes)),
            };
            entity.insert(NAMES[usize::from(*name)], value);
        }
        entity
    }

    fn to_bytes(&self) -> Vec<u8> {
        bincode::serialize(&self.properties).expect("values in memory")
    }

    fn from_bytes(partition_key: &str, row_key: &str, bytes: &[u8]) -> Sparse {
        Sparse {
            partition_key: partition_key.into(),
            row_key: row_key.into(),
            properties: bincode::deserialize(bytes).expect("what was stored"),
        }
    }

    fn matches(bytes: &[u8], ask: &Ask) -> bool {
        let stored: Vec<(u8, Stored<'_>)> = bincode::deserialize(bytes).expect("what was stored");
        let find = |wanted: u8| stored.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value);
        let is_city = |city: &str| matches!(find(CITY), Some(Stored::Text(text)) if *text == city);
        let is_old = || match find(AGE) {
            Some(Stored::Int(age)) => *age > 60,
            Some(Stored::Double(age)) => *age > 60.0,
            _ => false,
        };
        match ask {
            Ask::City(city) => is_city(city),
            Ask::Three(city) => is_city(city) && is_old() && matches!(find(ACTIVE), Some(Stored::Bool(false))),
            Ask::Age => is_old(),
        }
    }

    fn city(bytes: &[u8]) -> Option<&str> {
        let stored: Vec<(u8, Stored<'_>)> = bincode::deserialize(bytes).expect("what was stored");
        stored.into_iter().find_map(|(name, value)| match value {
            Stored::Text(text) if name == CITY => Some(text),
            _ => None,
        })
    }

    fn insert(&self, statement: &mut Statement<'_>) -> rusqlite::Result<usize> {
        statement.clear_bindings();
        statement.raw_bind_parameter(1, self.partition_key.as_str())?;
        statement.raw_bind_parameter(2, self.row_key.as_str())?;
        for (name, held) in &self.properties {
            let at = usize::from(*name) + 3;
            match held {
                Held::Text(text) => statement.raw_bind_parameter(at, text.as_str())?,
                Held::Int(number) => statement.raw_bind_parameter(at, number)?,
                Held::Double(number) => statement.raw_bind_parameter(at, number)?,
                Held::Bool(truth) => statement.raw_bind_parameter(at, truth)?,
                Held::Time(ticks) => statement.raw_bind_parameter(at, ticks)?,
                Held::Guid(bytes) => statement.raw_bind_parameter(at, bytes.as_slice())?,
            }
        }
        statement.raw_execute()
    }

    fn from_sql(row: &rusqlite::Row<'_>) -> rusqlite::Result<Sparse> {
        let mut properties = Vec::with_capacity(PRESENT);
        for name in 0..NAMES.len() as u8 {
            let held = match row.get_ref(usize::from(name) + 2)? {
                ValueRef::Null => continue,
                ValueRef::Text(text) => Held::Text(std::str::from_utf8(text)?.to_owned()),
                ValueRef::Real(number) => Held::Double(number),
                ValueRef::Blob(bytes) => Held::Guid(bytes.try_into().unwrap_or_default()),
                ValueRef::Integer(number) => match kind(name) {
                    Kind::Bool => Held::Bool(number != 0),
                    Kind::Time => Held::Time(number),
                    _ => Held::Int(number as i32),
                },
            };
            properties.push((name, held));
        }
        Ok(Sparse { partition_key: row.get(0)?, row_key: row.get(1)?, properties })
    }
}
