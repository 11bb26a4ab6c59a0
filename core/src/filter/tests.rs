//! Tests of the filter language: the tables are in the files beside.

mod errors;
mod meaning;
mod random;
mod truth;

use super::eval::Properties;
use crate::model::ValueRef;
use crate::{DateTime, Value};

/// An entity as the evaluator sees it.
#[derive(Clone, Debug)]
struct Sample {
    partition_key: String,
    row_key: String,
    timestamp: DateTime,
    properties: Vec<(String, Value)>,
}

impl Sample {
    fn new(partition_key: &str, row_key: &str, timestamp: DateTime) -> Sample {
        let (partition_key, row_key) = (partition_key.into(), row_key.into());
        Sample { partition_key, row_key, timestamp, properties: Vec::new() }
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Sample {
        self.properties.push((name.into(), value.into()));
        self
    }
}

impl Properties for Sample {
    fn partition_key(&self) -> &str {
        &self.partition_key
    }

    fn row_key(&self) -> &str {
        &self.row_key
    }

    fn timestamp(&self) -> DateTime {
        self.timestamp
    }

    fn property(&self, name: &str) -> Option<ValueRef<'_>> {
        self.properties.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_ref())
    }
}
