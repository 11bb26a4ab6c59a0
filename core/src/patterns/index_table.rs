//! A table of entries beside the table of rows (S9.5 to S9.9, S9.11).

use super::copies::{Copies, Copy, copies_of, with_copies};
use super::field::{Joined, combinations, field_at};
use super::lookup::{Lookup, compare, ranges_filter};
use super::secondary_index::selected;
use super::{Field, SOURCE_PARTITION_KEY, SOURCE_ROW_KEY, refusal, source};
use crate::model::compare::text as in_order;
use crate::{Entity, Error, Result, Value, keys};
use std::cmp::Ordering;

/// Finds rows by values that need not be unique, through a table whose PartitionKey is the value and whose RowKey is the
/// row's.
///
/// An entry holds the whole row ([`full`](IndexTable::full)), the keys of the row alone
/// ([`normalized`](IndexTable::normalized)), or some properties and the keys ([`partial`](IndexTable::partial)). Several
/// properties make one PartitionKey, with `_` between them; entries are then found by the first ones, too. The keys of
/// the row are in `SourcePartitionKey` and `SourceRowKey`. Rows of one table need RowKeys that differ, or
/// [`by_both_keys`](IndexTable::by_both_keys).
///
/// A row without one of the properties has no entry. The entries' table is not that of the rows, where a row's
/// PartitionKey might be a value.
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

    /// Between the values of several properties stands this one character. No value but that of the last property may
    /// hold it.
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
        let texts = self.joined.texts_of(&self.fields, values).map_err(|error| refusal(Self::NAME, None, &error))?;
        self.check(&texts)?;
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
    /// As [`find`](IndexTable::find); [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for a property in
    /// [base64](Field::base64), which keeps no prefixes.
    pub fn starting_with<V: Into<Value>>(&self, values: impl IntoIterator<Item = V>) -> Result<Lookup> {
        let mut values: Vec<Value> = values.into_iter().map(Into::into).collect();
        let last = values.pop();
        let mut texts =
            self.joined.texts_of(&self.fields, values).map_err(|error| refusal(Self::NAME, None, &error))?;
        if let Some(last) = last {
            let field = field_at(&self.fields, texts.len());
            let field = field.map_err(|error| refusal(Self::NAME, None, &error))?;
            texts.push(match last {
                Value::String(start) => field.start_of(&start)?,
                value => field.text_of(value)?,
            });
        }
        self.check(&texts)?;
        let prefix = self.joined.join(Self::NAME, &self.fields, &texts)?;
        Ok(Lookup::filter_of(&self.entries, keys::prefix_filter("PartitionKey", &prefix)?))
    }

    /// The entries of values of the first property from one to another, both included.
    ///
    /// Where there are several properties with a separator, keys are not in the order of the first one's values: `A_x`
    /// stands behind `A1_x`. The filter then says in several ranges what is meant: up to one for each character of the two
    /// values, so that it may have more than the 15 comparisons which the service documents as its limit (S3.2).
    /// [Composed](IndexTable::composed) keys have one range.
    ///
    /// # Errors
    /// As [`find`](IndexTable::find); [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for a property in
    /// [base64](Field::base64), which keeps no order.
    pub fn between(&self, first: impl Into<Value>, last: impl Into<Value>) -> Result<Lookup> {
        let field = field_at(&self.fields, 0).map_err(|error| refusal(Self::NAME, None, &error))?;
        let (first, last) = field.bounds(first, last)?;
        let key_of = |text: &String| {
            self.check(std::slice::from_ref(text))?;
            self.joined.join(Self::NAME, &self.fields, std::slice::from_ref(text))
        };
        let (first_key, last_key) = (key_of(&first)?, key_of(&last)?);
        let from = compare("PartitionKey", "ge", &first_key);
        if self.fields.len() == 1 {
            let filter = format!("{from} and {}", compare("PartitionKey", "le", &last_key));
            return Ok(Lookup::filter_of(&self.entries, filter));
        }
        let filter = match &self.joined {
            Joined::Composed => {
                let prefix = self.joined.prefix(Self::NAME, &self.fields, &[last])?;
                match keys::prefix_range(&prefix)? {
                    (_, Some(end)) => format!("{from} and {}", compare("PartitionKey", "lt", &end)),
                    (_, None) => from,
                }
            }
            Joined::By(separator) => ranges_filter("PartitionKey", &ranges_between(separator, &first, &last)),
        };
        Ok(Lookup::filter_of(&self.entries, filter))
    }

    /// The first entry of the next value: asked again with that entry's PartitionKey, it lists each value once, in as many
    /// reads as there are values. In this store [`Table::partition_keys`](crate::Table::partition_keys) does it.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): the entries' table is that of the rows.
    pub fn next_value(&self, after: Option<&str>) -> Result<Lookup> {
        self.check_tables()?;
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

    /// The table of the rows, and that of their entries.
    pub(crate) fn tables(&self) -> (&str, &str) {
        (&self.table, &self.entries)
    }

    /// The entries that a row has.
    ///
    /// # Errors
    /// What of the row is no legal entry.
    pub(crate) fn entries_of(&self, row: &Entity) -> Result<Vec<Entity>> {
        Ok(copies_of(self, Some(row))?.into_iter().map(|copy| copy.entity).collect())
    }

    /// Refuses what no reader may ask for.
    fn check(&self, texts: &[String]) -> Result<()> {
        self.check_tables()?;
        if texts.is_empty() {
            return Err(refusal(Self::NAME, None, &Error::invalid("At least one value is asked for.")));
        }
        Ok(())
    }

    fn check_tables(&self) -> Result<()> {
        if !self.entries.eq_ignore_ascii_case(&self.table) {
            return Ok(());
        }
        // A row there whose PartitionKey is a value could not be told from an entry, nor an entry from a row.
        Err(refusal(Self::NAME, None, &Error::invalid("The entries are in the rows' own table.").table(&self.entries)))
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
        self.check_tables()?;
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
            copies.push(Copy { table: self.entries.clone(), entity, is_claim: false, names_row: true });
        }
        Ok(copies)
    }
}

/// A range of keys, from the first to before the end.
type Range = (String, Option<String>);

/// The ranges of keys, in their order, whose first text is from `first` to `last`. The keys have a separator and more
/// behind that text, which holds none.
///
/// A text is less than a bound if it is so before the bound's end, or if it is what the bound begins with. Keys of the
/// first kind lie before the bound. Those of the second may lie behind it, each in a range of its own: where the separator
/// is greater than what the bound goes on with.
fn ranges_between(separator: &str, first: &str, last: &str) -> Vec<Range> {
    // In pieces that do not overlap: before the bound, and each range behind it.
    let below = |bound: &str, is_included: bool| -> Vec<Range> {
        let mut ranges = vec![(String::new(), Some(bound.to_owned()))];
        let ends = bound.char_indices().map(|(at, _)| at).chain(is_included.then_some(bound.len()));
        for begin in ends.filter_map(|end| bound.get(..end)) {
            // What is too long is no key, and so is nothing that begins with it.
            let Ok(range) = keys::prefix_range(&format!("{begin}{separator}")) else { continue };
            if in_order(&range.0, bound) != Ordering::Less {
                ranges.push(range);
            }
        }
        ranges
    };
    let mut ranges = below(last, true);
    for cut in below(first, false) {
        ranges = ranges.into_iter().flat_map(|range| without(range, &cut)).collect();
    }
    ranges.sort_by(|a, b| in_order(&a.0, &b.0));
    ranges
}

/// What is left of a range without another: nothing, or one or two pieces.
fn without((first, end): Range, cut: &Range) -> Vec<Range> {
    let least = |a: &Option<String>, b: &Option<String>| match (a, b) {
        (Some(a), Some(b)) => Some(if in_order(a, b) == Ordering::Less { a } else { b }.clone()),
        (a, b) => a.clone().or(b.clone()),
    };
    let greatest = |a: &str, b: &str| if in_order(a, b) == Ordering::Less { b.to_owned() } else { a.to_owned() };
    let before = (first.clone(), least(&end, &Some(cut.0.clone())));
    let behind = cut.1.as_ref().map(|cut_end| (greatest(&first, cut_end), end));
    let has_keys = |(first, end): &Range| end.as_ref().is_none_or(|end| in_order(first, end) == Ordering::Less);
    [Some(before), behind].into_iter().flatten().filter(has_keys).collect()
}
