//! Copies of a row under another unique key (S9.1, S9.2).

use super::changes::under;
use super::copies::{Copies, Copy, with_copies};
use super::lookup::{compare, without_prefix};
use super::{Field, Lookup, refusal};
use crate::{Entity, Error, Result, Value};

/// Finds a row by a second property whose values are unique, through a copy of the row under a key with that value.
///
/// Three layouts: by RowKey prefix in the row's partition, where one group writes both (S9.1); in partitions of their
/// own, told by a prefix of the PartitionKey; in a table of their own (S9.2). Outside of the row's partition copies follow
/// in steps. In the row's partition a copy is inserted, so a value that another row has fails with
/// `EntityAlreadyExists`; elsewhere it is inserted or replaced, as the literature does, and the value should be unique or
/// have a [`UniqueGuard`](super::UniqueGuard).
///
/// A row without the property has no copy. A copy is removed only if it is equal to the one that the row had: so one row
/// may take the value that another gives up. If copies are [selections](SecondaryIndex::select), a property that tells the
/// rows apart belongs to them.
///
/// # Example
/// ```
/// use entable::{entity, patterns::SecondaryIndex};
/// let jones = entity! { "Sales", "empid_000223", "Email" => "jonesj@contoso.com" };
/// let by_email = SecondaryIndex::new("Employees", "email_", "Email");
/// let changes = by_email.changes(None, Some(&jones))?;
/// let keys: Vec<_> = changes.steps()[0].keys().collect();
/// assert_eq!(keys, [("Sales", "empid_000223"), ("Sales", "email_jonesj@contoso.com")]);
///
/// let apart = SecondaryIndex::in_partitions("Employees", "empid_", "email_", "Email");
/// let jones = entity! { "empid_Sales", "000223", "Email" => "jonesj@contoso.com" };
/// let changes = apart.changes(None, Some(&jones))?;
/// let keys: Vec<_> = changes.steps().iter().flat_map(|step| step.keys()).collect();
/// assert_eq!(keys, [("email_Sales", "jonesj@contoso.com"), ("empid_Sales", "000223")]);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SecondaryIndex {
    table: String,
    place: Place,
    field: Field,
    select: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Place {
    /// The prefix of the copies' RowKeys.
    Partition(String),
    /// The prefixes of PartitionKeys, of rows and of copies.
    Partitions(String, String),
    /// The table of the copies.
    Table(String),
}

with_copies!(SecondaryIndex);

impl SecondaryIndex {
    /// Copies in the row's partition, under the prefix and the value (S9.1).
    pub fn new(table: impl Into<String>, prefix: impl Into<String>, field: impl Into<Field>) -> SecondaryIndex {
        SecondaryIndex::placed(table, Place::Partition(prefix.into()), field)
    }

    /// Copies in other partitions: `row_prefix` and the rest is where the rows are, `prefix` and the same rest is where
    /// the copies are, their RowKey the value (S9.2).
    pub fn in_partitions(
        table: impl Into<String>,
        row_prefix: impl Into<String>,
        prefix: impl Into<String>,
        field: impl Into<Field>,
    ) -> SecondaryIndex {
        SecondaryIndex::placed(table, Place::Partitions(row_prefix.into(), prefix.into()), field)
    }

    /// Copies in another table, under the row's PartitionKey and the value (S9.2).
    pub fn in_table(table: impl Into<String>, copies: impl Into<String>, field: impl Into<Field>) -> SecondaryIndex {
        SecondaryIndex::placed(table, Place::Table(copies.into()), field)
    }

    fn placed(table: impl Into<String>, place: Place, field: impl Into<Field>) -> SecondaryIndex {
        SecondaryIndex { table: table.into(), place, field: field.into(), select: None }
    }

    /// The copy holds these properties only.
    #[must_use]
    pub fn select<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> SecondaryIndex {
        self.select = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The copy with this value, of a row in this partition: a point read.
    ///
    /// # Errors
    /// As [`Field::text_of`]; [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) if the partition is not one of
    /// the pattern's rows.
    pub fn find(&self, partition_key: &str, value: impl Into<Value>) -> Result<Lookup> {
        let (table, copies_key, prefix) = self.place_of(partition_key)?;
        Ok(Lookup::point(table, copies_key, prefix.to_owned() + &self.field.text_of(value)?))
    }

    /// The copies whose value begins so, in the order of values.
    ///
    /// The text is written as the property's values are, without case or with escapes.
    ///
    /// # Errors
    /// As [`find`](SecondaryIndex::find), and those of [`keys::prefix_range`](crate::keys::prefix_range);
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for [base64](Field::base64), which keeps no prefixes.
    pub fn starting_with(&self, partition_key: &str, text: &str) -> Result<Lookup> {
        let (table, copies_key, prefix) = self.place_of(partition_key)?;
        Lookup::prefix(table, copies_key, &(prefix.to_owned() + &self.field.start_of(text)?))
    }

    /// The copies with values from the first to the last, both included, in the order of values.
    ///
    /// # Errors
    /// As [`find`](SecondaryIndex::find); [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for
    /// [base64](Field::base64), which keeps no order.
    pub fn between(&self, partition_key: &str, first: impl Into<Value>, last: impl Into<Value>) -> Result<Lookup> {
        let (table, copies_key, prefix) = self.place_of(partition_key)?;
        let (first, last) = self.field.bounds(first, last)?;
        let bound = |operator, text: String| compare("RowKey", operator, &(prefix.to_owned() + &text));
        Ok(Lookup::partition(table, copies_key, format!("{} and {}", bound("ge", first), bound("le", last))))
    }

    /// All copies for the rows of a partition: each value once.
    ///
    /// # Errors
    /// As [`find`](SecondaryIndex::find).
    pub fn list(&self, partition_key: &str) -> Result<Lookup> {
        let (table, copies_key, prefix) = self.place_of(partition_key)?;
        Lookup::prefix(table, copies_key, prefix)
    }

    /// Table, PartitionKey and RowKey prefix of the copies of rows in this partition.
    ///
    /// # Errors
    /// `InvalidInput`: copies could not be told from rows there, or it is no partition of rows.
    fn place_of(&self, partition_key: &str) -> Result<(&str, String, &str)> {
        let refused = |fact: String| Err(refusal(Self::NAME, Some("PartitionKey"), &Error::invalid(fact)));
        Ok(match &self.place {
            Place::Partition(prefix) => {
                if prefix.is_empty() {
                    return Err(refusal(Self::NAME, None, &Error::invalid("A prefix tells copies from rows.")));
                }
                (&self.table, partition_key.to_owned(), prefix)
            }
            Place::Partitions(row_prefix, prefix) => {
                let rest = without_prefix(partition_key, row_prefix, "PartitionKey")
                    .map_err(|error| refusal(Self::NAME, None, &error))?;
                let copies_key = prefix.to_owned() + rest;
                let is_both = match row_prefix.is_empty() {
                    true => partition_key.starts_with(prefix.as_str()),
                    false => copies_key.starts_with(row_prefix.as_str()),
                };
                if is_both {
                    return refused(format!("Rows and copies may both be in the partition '{copies_key}'."));
                }
                crate::keys::check(&copies_key).map_err(|error| refusal(Self::NAME, Some("PartitionKey"), &error))?;
                (&self.table, copies_key, "")
            }
            Place::Table(copies) => {
                if copies.eq_ignore_ascii_case(&self.table) {
                    let error = Error::invalid("The copies are in the rows' own table, and have no prefix.");
                    return Err(refusal(Self::NAME, None, &error.table(copies)));
                }
                (copies, partition_key.to_owned(), "")
            }
        })
    }
}

impl Copies for SecondaryIndex {
    const NAME: &str = "SecondaryIndex";

    fn table(&self) -> &str {
        &self.table
    }

    fn property(&self) -> Option<&str> {
        Some(self.field.name())
    }

    fn copies(&self, row: &Entity) -> Result<Vec<Copy>> {
        let (table, copies_key, prefix) = self.place_of(row.partition_key())?;
        // Otherwise the row would look like a copy of another.
        if matches!(self.place, Place::Partition(_)) && row.row_key().starts_with(prefix) {
            let fact = format!("The row's RowKey begins with '{prefix}', as those of copies do.");
            return Err(refusal(Self::NAME, self.property(), &Error::invalid(fact)));
        }
        let copies = self.field.texts(row)?.into_iter().map(|text| Copy {
            table: table.to_owned(),
            entity: selected(row, self.select.as_deref(), &copies_key, prefix.to_owned() + &text),
            is_claim: false,
            names_row: false,
        });
        Ok(copies.collect())
    }
}

/// The row's properties, all or these, under other keys.
pub(super) fn selected(row: &Entity, select: Option<&[String]>, partition_key: &str, row_key: String) -> Entity {
    let mut copy = under(row, partition_key, row_key);
    if let Some(select) = select {
        let others = row.properties().map(|(name, _)| name).filter(|name| !select.iter().any(|kept| kept == name));
        for name in others {
            copy.remove(name);
        }
    }
    copy
}
