//! Where the copies of a row are, and what they hold.

use crate::filter::property;
use crate::patterns::{IndexTable, SOURCE_PARTITION_KEY, SOURCE_ROW_KEY, plain};
use crate::transaction::TransactionTable;
use crate::{Entity, Index, Query, Result, TableName};

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

    /// By what the copies of a row are found, if not by their keys: also those that the row had in a state nobody knows.
    pub(super) fn index(&self) -> Option<Index> {
        match self {
            Layout::Copy(_) => None,
            Layout::Entries(..) => Some(Index::new("SourceRow").properties([SOURCE_PARTITION_KEY, SOURCE_ROW_KEY])),
        }
    }

    /// The copies that a row shall have.
    ///
    /// # Errors
    /// What of it is no legal copy.
    pub(super) fn copies(&self, row: &Entity) -> Result<Vec<Entity>> {
        match self {
            Layout::Copy(_) => Ok(vec![plain(row)]),
            Layout::Entries(_, pattern) => pattern.entries_of(row),
        }
    }

    /// The copies that a row has.
    pub(super) fn stored(&self, table: &TransactionTable<'_>, (pk, rk): (&str, &str)) -> Result<Vec<Entity>> {
        match self {
            Layout::Copy(_) => Ok(table.get_many([(pk, rk)])?.into_iter().flatten().collect()),
            Layout::Entries(..) => {
                let of_row = property(SOURCE_PARTITION_KEY).eq(pk).and(property(SOURCE_ROW_KEY).eq(rk));
                table.query_entities(Query::built(of_row))?.collect()
            }
        }
    }

    /// The keys of the row that a copy is of, if it names one.
    pub(super) fn owner(&self, copy: &Entity) -> Option<(String, String)> {
        match self {
            Layout::Copy(_) => Some((copy.partition_key().to_owned(), copy.row_key().to_owned())),
            Layout::Entries(_, pattern) => pattern.rows([copy]).ok()?.pop(),
        }
    }
}
