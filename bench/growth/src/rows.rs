//! Rows of any form: keys, and named values.

pub(crate) use bench_shared::mix;
use entable::{Entity, Value};
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum Cell {
    Number(i32),
    Text(String),
}

#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) partition_key: String,
    pub(crate) row_key: String,
    /// Values, each under the number of its property.
    pub(crate) cells: Vec<(u16, Cell)>,
}

impl Row {
    pub(crate) fn to_entity(&self) -> Entity {
        let mut entity = Entity::new(self.partition_key.as_str(), self.row_key.as_str());
        for (number, cell) in &self.cells {
            let value = match cell {
                Cell::Number(number) => Value::Int32(*number),
                Cell::Text(text) => Value::from(text.as_str()),
            };
            entity.insert(format!("Property{number:03}"), value);
        }
        entity
    }
}

/// So many letters and digits.
pub(crate) fn text(i: u32, length: usize) -> String {
    let digit = |at: u32| char::from_digit(mix(i, at) % 36, 36).expect("a digit");
    (0..length as u32).map(digit).collect()
}
