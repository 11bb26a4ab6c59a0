//! Employees: ten properties, all of them always there.

use crate::rows::{Ask, LAST_NAMES, Row, city_of, city_rank, guid, mix, partition_key, row_key, ticks};
use entable::{DateTime, Entity, Guid, entity};
use rusqlite::{Statement, params};
use serde::{Deserialize, Serialize};

#[derive(Clone)]
pub(crate) struct Employee {
    partition_key: String,
    row_key: String,
    first: String,
    last: String,
    email: String,
    city: String,
    age: i32,
    salary: f64,
    hired: i64,
    active: bool,
    badge: [u8; 16],
    notes: String,
}

/// The properties as they are stored under bincode, borrowed.
#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    #[serde(borrow)]
    first: &'a str,
    last: &'a str,
    email: &'a str,
    city: &'a str,
    age: i32,
    salary: f64,
    hired: i64,
    active: bool,
    badge: [u8; 16],
    notes: &'a str,
}

fn stored(bytes: &[u8]) -> Stored<'_> {
    bincode::deserialize(bytes).expect("what was stored")
}

const FIRST_NAMES: [&str; 16] = [
    "Alexandra",
    "Bo",
    "Charlotte",
    "Dmitri",
    "Eun",
    "Fatima",
    "Giovanni",
    "Hana",
    "Ibrahim",
    "Jo",
    "Katarzyna",
    "Liam",
    "Maximilian",
    "Nia",
    "Oluwaseun",
    "Priya",
];

impl Row for Employee {
    fn columns() -> Vec<String> {
        let columns = [
            "First TEXT",
            "Last TEXT",
            "Email TEXT",
            "City TEXT",
            "Age INTEGER",
            "Salary REAL",
            "Hired INTEGER",
            "Active INTEGER",
            "Badge BLOB",
            "Notes TEXT",
        ];
        columns.map(str::to_owned).to_vec()
    }

    fn make(i: u32, partitions: u32) -> Employee {
        let first = FIRST_NAMES[(mix(i, 1) % 16) as usize];
        let last = LAST_NAMES[(mix(i, 2) % 16) as usize];
        Employee {
            partition_key: partition_key(i, partitions),
            row_key: row_key(i),
            first: first.into(),
            last: last.into(),
            email: format!("{}.{}.{i}@example.com", first.to_lowercase(), last.to_lowercase()),
            city: city_of(city_rank(i)),
            age: 18 + (mix(i, 5) % 50) as i32,
            salary: 30_000.0 + f64::from(mix(i, 6) % 9_000_000) / 100.0,
            hired: ticks(i, 7),
            active: mix(i, 8) % 10 != 0,
            badge: guid(i, 10),
            notes: format!("note {:08x} the quick brown fox jumps over the lazy dog {:06}", mix(i, 9), i % 1_000_000),
        }
    }

    fn keys(&self) -> (&str, &str) {
        (&self.partition_key, &self.row_key)
    }

    fn set_partition(&mut self, partition_key: String) {
        self.partition_key = partition_key;
    }

    fn to_entity(&self) -> Entity {
        entity! {
            self.partition_key.as_str(), self.row_key.as_str(),
            "First" => self.first.as_str(),
            "Last" => self.last.as_str(),
            "Email" => self.email.as_str(),
            "City" => self.city.as_str(),
            "Age" => self.age,
            "Salary" => self.salary,
            "Hired" => DateTime::from_ticks(self.hired).expect("an instant"),
            "Active" => self.active,
            "Badge" => Guid::from_bytes(self.badge),
            "Notes" => self.notes.as_str(),
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let stored = Stored {
            first: &self.first,
            last: &self.last,
            email: &self.email,
            city: &self.city,
            age: self.age,
            salary: self.salary,
            hired: self.hired,
            active: self.active,
            badge: self.badge,
            notes: &self.notes,
        };
        bincode::serialize(&stored).expect("a struct in memory")
    }

    fn from_bytes(partition_key: &str, row_key: &str, bytes: &[u8]) -> Employee {
        let stored = stored(bytes);
        Employee {
            partition_key: partition_key.into(),
            row_key: row_key.into(),
            first: stored.first.into(),
            last: stored.last.into(),
            email: stored.email.into(),
            city: stored.city.into(),
            age: stored.age,
            salary: stored.salary,
            hired: stored.hired,
            active: stored.active,
            badge: stored.badge,
            notes: stored.notes.into(),
        }
    }

    fn matches(bytes: &[u8], ask: &Ask) -> bool {
        let stored = stored(bytes);
        match ask {
            Ask::City(city) => stored.city == city,
            Ask::Three(city) => stored.age > 60 && !stored.active && stored.city == city,
            Ask::Age => stored.age > 60,
        }
    }

    fn city(bytes: &[u8]) -> Option<&str> {
        Some(stored(bytes).city)
    }

    fn insert(&self, statement: &mut Statement<'_>) -> rusqlite::Result<usize> {
        statement.execute(params![
            self.partition_key,
            self.row_key,
            self.first,
            self.last,
            self.email,
            self.city,
            self.age,
            self.salary,
            self.hired,
            self.active,
            self.badge,
            self.notes
        ])
    }

    fn from_sql(row: &rusqlite::Row<'_>) -> rusqlite::Result<Employee> {
        Ok(Employee {
            partition_key: row.get(0)?,
            row_key: row.get(1)?,
            first: row.get(2)?,
            last: row.get(3)?,
            email: row.get(4)?,
            city: row.get(5)?,
            age: row.get(6)?,
            salary: row.get(7)?,
            hired: row.get(8)?,
            active: row.get(9)?,
            badge: row.get(10)?,
            notes: row.get(11)?,
        })
    }
}
