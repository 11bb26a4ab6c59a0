//! The data sets.

use crate::codec::key::row_key;
use crate::model::UntypedNumber;
use crate::{DateTime, Guid, Mode, Value};
use std::sync::Arc;

/// Row key and properties, in the order of the keys.
pub(crate) type Rows = Vec<(Vec<u8>, Vec<(Arc<str>, Value)>)>;
/// A property of which some rows have a number, and the bound that the term compares it with.
pub(crate) type Term = (&'static str, f64);

/// As a language with one kind of number hands it in.
fn number(value: f64) -> Value {
    UntypedNumber::Number(value).resolve(None, Mode::Portable).expect("a number has a type")
}

/// A small generator: the same data in every run.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

pub(crate) fn films(text: &str) -> (&'static str, Term, Rows) {
    let films: Vec<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_str(text).expect("the films are JSON");
    // Many times over, so that a scan reads memory and not the processor's cache.
    let films = films.iter().cycle().take(COPIES * films.len());
    let rows = films.enumerate().map(|(at, film)| {
        let properties = film.iter().filter_map(|(name, value)| {
            let value = match value {
                serde_json::Value::String(text) => Value::from(text.as_str()),
                serde_json::Value::Number(value) => number(value.as_f64()?),
                _ => return None,
            };
            Some((name.replace(' ', "_").into(), value))
        });
        (row_key(1, "films", &format!("{at:06}")), properties.collect())
    });
    ("films", ("IMDB_Votes", 100_000.0), rows.collect())
}

const ROWS: usize = 200_000;
/// Of the 3,201 films.
const COPIES: usize = 60;
const CITIES: [&str; 8] = ["Palo Alto", "Oslo", "São Paulo", "Köln", "New York", "Rome", "Springfield", "Kuala Lumpur"];

fn rows(make: impl Fn(usize, &mut Random) -> Vec<(Arc<str>, Value)>) -> Rows {
    let mut random = Random(0x9e37_79b9);
    let per_partition = ROWS / 100;
    (0..ROWS)
        .map(|at| {
            let key = row_key(1, &format!("Dept{:03}", at / per_partition), &format!("{at:08}"));
            (key, make(at, &mut random))
        })
        .collect()
}

/// Ten properties of all kinds, all present.
fn employee(at: usize, random: &mut Random) -> Vec<(Arc<str>, Value)> {
    let bytes = std::array::from_fn(|_| random.next(256) as u8);
    let ticks = 630_000_000_000_000_000 + random.next(1 << 40) as i64;
    let word = |random: &mut Random| format!("{:x}", random.next(1 << 28));
    let first = word(random);
    vec![
        ("FirstName".into(), first.as_str().into()),
        ("LastName".into(), word(random).into()),
        ("Email".into(), format!("{first}{at}@mail.example").into()),
        ("City".into(), CITIES[random.next(8) as usize].into()),
        ("Age".into(), (18 + random.next(50) as i32).into()),
        ("Salary".into(), (random.next(1 << 20) as f64 / 8.0).into()),
        ("Hired".into(), DateTime::from_ticks(ticks).expect("a date").into()),
        ("Active".into(), (random.next(5) > 0).into()),
        ("Badge".into(), Guid::from_bytes(bytes).into()),
        ("Notes".into(), "x".repeat(40 + random.next(60) as usize).into()),
    ]
}

pub(crate) fn synthetic() -> Vec<(&'static str, Term, Rows)> {
    let sparse = rows(|at, random| {
        let mut row = employee(at, random);
        row.retain(|_| random.next(3) > 0);
        if row.is_empty() { employee(at, random) } else { row }
    });
    let numbers = rows(|_, random| {
        (0..12)
            .map(|name| {
                let whole = random.next(1_000) as f64;
                (format!("N{name}").into(), number(if random.next(2) == 0 { whole } else { whole + 0.5 }))
            })
            .collect()
    });
    let kinds = rows(|at, random| {
        if at % 2 == 0 {
            return employee(at, random);
        }
        (0..10).map(|name| (format!("Metric{name}").into(), (random.next(1 << 30) as i32).into())).collect()
    });
    let of_60 = rows(|_, random| {
        let mut names: Vec<u64> = (0..60).collect();
        let mut row = Vec::new();
        for _ in 0..10 {
            let name = names.swap_remove(random.next(names.len() as u64) as usize);
            let value = match name % 3 {
                0 => (random.next(1 << 30) as i32).into(),
                1 => (random.next(1 << 30) as f64 / 8.0).into(),
                _ => format!("{:x}", random.next(1 << 40)).into(),
            };
            row.push((format!("P{name:02}").into(), value));
        }
        row
    });
    vec![
        ("full", ("Age", 60.0), rows(employee)),
        ("sparse", ("Age", 60.0), sparse),
        ("12 numbers", ("N7", 900.0), numbers),
        ("two kinds", ("Age", 60.0), kinds),
        ("10 of 60", ("P30", 1e9), of_60),
    ]
}
