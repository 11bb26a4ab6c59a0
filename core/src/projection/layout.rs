//! Where the copies of a row are, and what they hold.

use crate::patterns::{IndexTable, plain};
use crate::{Entity, Result, TableName};

/// How rows are laid out in the table of copies.
#[derive(Clone, Debug)]
pub(super) enum Layout {
    /// As they are, under their own keys.
    Copy(TableName),
    /// As entries under other keys.
    Entries(TableName, Box<IndexTable>),
}

impl Layout {
    pub(super) fn table(&self) -> &TableName {
        let (Layout::Copy(table) | Layout::Entries(table, _)) = self;
        table
    }

    /// The copies that a row shall have.
    ///
    /// # Errors
    /// What of it is no legal copy.
    pub(super) fn copies(&self, row: &Entity) -> Result<Vec<Entity>> {
        match self {
            Layout::Copy(_) => Ok(vec![plain(row)]),
            Layout::Entries(_, index) => index.entries_of(row),
        }
    }

    /// The keys of the copies that a row had, from what was noted of them.
    ///
    /// # Errors
    /// As [`Layout::copies`].
    pub(super) fn former_keys(&self, keys: (&str, &str), noted: Option<&[String]>) -> Result<Vec<(String, String)>> {
        match self {
            Layout::Copy(_) => Ok(vec![(keys.0.to_owned(), keys.1.to_owned())]),
            Layout::Entries(_, index) => {
                let Some(noted) = noted.filter(|noted| !noted.is_empty()) else { return Ok(Vec::new()) };
                let row_key = index.entry_row_key(keys)?;
                Ok(noted.iter().map(|partition_key| (partition_key.clone(), row_key.clone())).collect())
            }
        }
    }

    /// What is noted of a row's copies, to find them when it has others: their PartitionKeys.
    pub(super) fn noted(&self, copies: &[Entity]) -> Vec<String> {
        match self {
            Layout::Copy(_) => Vec::new(),
            Layout::Entries(..) => copies.iter().map(|copy| copy.partition_key().to_owned()).collect(),
        }
    }

    /// The row that a copy is of, if it names one.
    pub(super) fn owner(&self, copy: &Entity) -> Option<(String, String)> {
        match self {
            Layout::Copy(_) => Some((copy.partition_key().to_owned(), copy.row_key().to_owned())),
            Layout::Entries(_, index) => index.rows([copy]).ok()?.pop(),
        }
    }

    /// Whether what is stored is a copy of this row: its key may be another's by now.
    pub(super) fn is_of(&self, stored: &Entity, keys: (&str, &str)) -> bool {
        self.owner(stored).is_some_and(|(partition_key, row_key)| (partition_key.as_str(), row_key.as_str()) == keys)
    }
}
