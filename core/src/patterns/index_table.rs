//! A table of entries beside the table of rows (S9.5 to S9.9, S9.11).

use super::copies::{Copies, Copy, with_copies};
use super::field::{Joined, combinations};
use super::lookup::compare;
use super::secondary_index::selected;
use super::{Field, Lookup, SOURCE_PARTITION_KEY, SOURCE_ROW_KEY, refusal, source};
use crate::{Entity, Error, Result, Value, keys};

/// Finds rows by values that need not be unique, through a table whose PartitionKey is the value and whose RowKey is the
/// row's.
///
/// An entry holds the whole row ([`full`](IndexTable::full)), the keys of the row alone
/// ([`normalized`](IndexTable::normalized)), or some properties and the keys ([`partial`](IndexTable::partial)). Several
/// properties make one PartitionKey, with `_` between them; entries are then found by the first ones, too. The keys of
/// the row are in `SourcePartitionKey` and `SourceRowKey`. Rows of one table need RowKeys that differ, or
/// [`by_both_keys`](IndexTable::by_both_keys).
///
/// A row without one of the properties has no entry.
///
/// # Example
/// ```
/// use entable::{entity, patterns::IndexTable};
/// let smith = entity! { "1", "1", "Town" => "Redmond", "LastName" => "Smith" };
/// let by_town = IndexTable::partial("Customers", "ByTown", ["Town", "LastName"], ["LastName"]);
/// let changes = by_town.changes(None, Some(&smith))?;
/// assert_eq!(changes.steps()[0].table(), "ByTown");
/// assert_eq!(changes.steps()[0].keys().next(), Some(("Redmond_Smith", "1")));
/// assert_eq!(by_town.find(["Redmond", "Smith"])?.filter(), "PartitionKey eq 'Redmond_Smith'");
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct IndexTable {
    table: String,
    entries: String,
    fields: Vec<Field>,
    joined: Joined,
    contents: Contents,
    is_by_both_keys: bool,
    shards: Option<u32>,
}

#[derive(Clone, Debug, PartialEq)]
enum Contents {
    Row,
    Keys,
    Properties(Vec<String>),
}

with_copies!(IndexTable);

impl IndexTable {
    /// Entries that hold the whole row: one read (S9.5). Each of them is written at every change.
    pub fn full<F: Into<Field>>(
        table: impl Into<String>,
        entries: impl Into<String>,
        fields: impl IntoIterator<Item = F>,
    ) -> IndexTable {
        IndexTable::holding(Contents::Row, table, entries, fields)
    }

    /// Entries that hold the row's keys: two reads (S9.6). Written when a value changes.
    pub fn normalized<F: Into<Field>>(
        table: impl Into<String>,
        entries: impl Into<String>,
        fields: impl IntoIterator<Item = F>,
    ) -> IndexTable {
        IndexTable::holding(Contents::Keys, table, entries, fields)
    }

    /// Entries that hold the row's keys and these properties: one read for what is asked often (S9.7).
    pub fn partial<F: Into<Field>, S: Into<String>>(
        table: impl Into<String>,
        entries: impl Into<String>,
        fields: impl IntoIterator<Item = F>,
        select: impl IntoIterator<Item = S>,
    ) -> IndexTable {
        let select = select.into_iter().map(Into::into).collect();
        IndexTable::holding(Contents::Properties(select), table, entries, fields)
    }

    fn holding<F: Into<Field>>(
        contents: Contents,
        table: impl Into<String>,
        entries: impl Into<String>,
        fields: impl IntoIterator<Item = F>,
    ) -> IndexTable {
        IndexTable {
            table: table.into(),
            entries: entries.into(),
            fields: fields.into_iter().map(Into::into).collect(),
            joined: Joined::By("_".to_owned()),
            contents,
            is_by_both_keys: false,
            shards: None,
        }
    }

    /// Between the values of several properties stands this. No value but the last may hold it.
    #[must_use]
    pub fn separator(self, separator: impl Into<String>) -> IndexTable {
        IndexTable { joined: Joined::By(separator.into()), ..self }
    }

    /// Several properties are put together by [`keys::compose`]: any values, in their order (S9.8).
    #[must_use]
    pub fn composed(self) -> IndexTable {
        IndexTable { joined: Joined::Composed, ..self }
    }

    /// The RowKey of an entry is made of both keys of the row, by [`keys::compose`]: for rows of several partitions that
    /// have the same RowKey.
    #[must_use]
    pub fn by_both_keys(self) -> IndexTable {
        IndexTable { is_by_both_keys: true, ..self }
    }

    /// The rows are spread over so many partitions by a hash of their RowKey, and the entry names the shard (S9.9). The
    /// PartitionKey of a row must be that of [`shard_key`](IndexTable::shard_key).
    #[must_use]
    pub fn sharded(self, shards: u32) -> IndexTable {
        IndexTable { shards: Some(shards), ..self }
    }

    /// The PartitionKey of a row with this RowKey: the number of its shard, padded to the width of the largest.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): the pattern is not sharded, or has no shards.
    pub fn shard_key(&self, row_key: &str) -> Result<String> {
        let shards = self.shards.ok_or_else(|| {
            refusal(Self::NAME, None, &Error::invalid("The rows of this pattern are not spread over shards."))
        })?;
        let shard = keys::shard(row_key, shards).map_err(|error| refusal(Self::NAME, None, &error))?;
        keys::padded(u64::from(shard), shards.saturating_sub(1).to_string().len())
    }

    /// The entries with these values: of all properties, or of the first ones.
    ///
    /// # Errors
    /// As [`Field::text_of`]; [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for no values, or too many.
    pub fn find<V: Into<Value>>(&self, values: impl IntoIterator<Item = V>) -> Result<Lookup> {
        let texts = self.texts(values)?;
        if texts.len() == self.fields.len() {
            let key = self.joined.join(Self::NAME, &self.fields, &texts)?;
            return Ok(Lookup::partition(&self.entries, key, ""));
        }
        let prefix = self.joined.prefix(Self::NAME, &self.fields, &texts)?;
        Ok(Lookup::filter_of(&self.entries, keys::prefix_filter("PartitionKey", &prefix)?))
    }

    /// The entries whose last value given begins so, the others being equal.
    ///
    /// # Errors
    /// As [`find`](IndexTable::find).
    pub fn starting_with<V: Into<Value>>(&self, values: impl IntoIterator<Item = V>) -> Result<Lookup> {
        let prefix = self.joined.join(Self::NAME, &self.fields, &self.texts(values)?)?;
        Ok(Lookup::filter_of(&self.entries, keys::prefix_filter("PartitionKey", &prefix)?))
    }

    /// The entries of values of the first property from one to another, both included.
    ///
    /// # Errors
    /// As [`find`](IndexTable::find).
    pub fn between(&self, first: impl Into<Value>, last: impl Into<Value>) -> Result<Lookup> {
        let first = self.joined.join(Self::NAME, &self.fields, &self.texts([first.into()])?)?;
        let last = self.texts([last.into()])?;
        let mut filter = compare("PartitionKey", "ge", &first);
        if self.fields.len() == 1 {
            filter += &format!(" and {}", compare("PartitionKey", "le", &last[0]));
        } else if let (_, Some(end)) = keys::prefix_range(&self.joined.prefix(Self::NAME, &self.fields, &last)?)? {
            filter += &format!(" and {}", compare("PartitionKey", "lt", &end));
        }
        Ok(Lookup::filter_of(&self.entries, filter))
    }

    /// The first entry of the next value: asked again with that entry's PartitionKey, it lists each value once, in as many
    /// reads as there are values. In this store [`Table::partition_keys`](crate::Table::partition_keys) does it.
    ///
    /// # Errors
    /// None so far; what a key may not hold is found by the reader's table.
    pub fn next_value(&self, after: Option<&str>) -> Result<Lookup> {
        let filter = after.map(|after| compare("PartitionKey", "gt", after)).unwrap_or_default();
        Ok(Lookup::filter_of(&self.entries, filter).limited(1))
    }

    /// PartitionKey and RowKey of the rows that the entries stand for, for `get_many`.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): an entry is not one of this pattern.
    pub fn rows<'e>(&self, entries: impl IntoIterator<Item = &'e Entity>) -> Result<Vec<(String, String)>> {
        entries.into_iter().map(|entry| source(Self::NAME, entry)).collect()
    }

    fn texts<V: Into<Value>>(&self, values: impl IntoIterator<Item = V>) -> Result<Vec<String>> {
        let texts = self.joined.texts_of(&self.fields, values).map_err(|error| refusal(Self::NAME, None, &error))?;
        if texts.is_empty() {
            return Err(refusal(Self::NAME, None, &Error::invalid("At least one value is asked for.")));
        }
        Ok(texts)
    }

    fn check_shard(&self, row: &Entity) -> Result<()> {
        if self.shards.is_none() {
            return Ok(());
        }
        let shard = self.shard_key(row.row_key())?;
        if shard == row.partition_key() {
            return Ok(());
        }
        let fact = format!("The row belongs to shard '{shard}', and its PartitionKey is '{}'.", row.partition_key());
        Err(refusal(Self::NAME, Some("PartitionKey"), &Error::invalid(fact)))
    }
}

impl Copies for IndexTable {
    const NAME: &str = "IndexTable";

    fn table(&self) -> &str {
        &self.table
    }

    fn property(&self) -> Option<&str> {
        self.fields.first().map(Field::name)
    }

    fn copies(&self, row: &Entity) -> Result<Vec<Copy>> {
        if self.fields.is_empty() {
            return Err(refusal(Self::NAME, None, &Error::invalid("An index has at least one property.")));
        }
        self.check_shard(row)?;
        let row_key = match self.is_by_both_keys {
            false => row.row_key().to_owned(),
            true => keys::compose([row.partition_key(), row.row_key()])
                .map_err(|error| refusal(Self::NAME, Some("RowKey"), &error))?,
        };
        let select = match &self.contents {
            Contents::Row => None,
            Contents::Keys => Some(&[][..]),
            Contents::Properties(names) => Some(&names[..]),
        };
        let mut copies = Vec::new();
        for key in combinations(Self::NAME, &self.fields, &self.joined, row)? {
            let mut entity = selected(row, select, &key, row_key.clone());
            for (name, key) in [(SOURCE_PARTITION_KEY, row.partition_key()), (SOURCE_ROW_KEY, row.row_key())] {
                if entity.insert(name, key).is_some() {
                    let error = Error::invalid("The row has a property of this name, which an entry needs.");
                    return Err(refusal(Self::NAME, Some(name), &error));
                }
            }
            copies.push(Copy { table: self.entries.clone(), entity, is_claim: false });
        }
        Ok(copies)
    }
}
