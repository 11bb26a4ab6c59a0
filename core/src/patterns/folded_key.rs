//! A value without regard to case (S9.27).

use super::changes::{plain, under};
use super::copies::{Copies, Copy, with_copies};
use super::lookup::compare;
use super::{Field, Lookup, refusal};
use crate::{Entity, Error, Result, keys};

/// Finds rows by a text whatever its case: the row holds the folded text as a property of its own, or is copied to a key
/// that begins with it.
///
/// The property is found by a scan of the partition, the key by a range. Folding is [`keys::fold_case`].
///
/// # Example
/// ```
/// use entable::{entity, patterns::FoldedKey};
/// let jones = entity! { "Sales", "000223", "LastName" => "JONES" };
/// let by_property = FoldedKey::property("Employees", "LastName", "LastNameFolded");
/// assert_eq!(by_property.row_of(&jones)?["LastNameFolded"], "jones");
/// assert_eq!(by_property.find("Sales", "Jones")?.filter(), "PartitionKey eq 'Sales' and LastNameFolded eq 'jones'");
///
/// let by_key = FoldedKey::keyed("Employees", "name_", "LastName");
/// let changes = by_key.changes(None, Some(&jones))?;
/// assert_eq!(changes.steps()[0].keys().nth(1), Some(("Sales", "name_jones_000223")));
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FoldedKey {
    table: String,
    field: Field,
    kept: Kept,
}

#[derive(Clone, Debug, PartialEq)]
enum Kept {
    Property(String),
    Key(String),
}

with_copies!(FoldedKey);

/// Stands between the folded text and the row's own key.
const SEPARATOR: &str = "_";

impl FoldedKey {
    /// The folded text is a property of the row, of the second name.
    pub fn property(table: impl Into<String>, property: impl Into<String>, folded: impl Into<String>) -> FoldedKey {
        FoldedKey { table: table.into(), field: Field::new(property).folded(), kept: Kept::Property(folded.into()) }
    }

    /// A copy of the row in its partition, under the prefix, the folded text, `_` and the row's RowKey.
    pub fn keyed(table: impl Into<String>, prefix: impl Into<String>, property: impl Into<String>) -> FoldedKey {
        FoldedKey { table: table.into(), field: Field::new(property).folded(), kept: Kept::Key(prefix.into()) }
    }

    /// The row as it is stored: with the property, if it is the pattern's way to have one.
    ///
    /// # Errors
    /// As [`Field::text_of`]: the value is no String, or its folded form no legal key.
    pub fn row_of(&self, row: &Entity) -> Result<Entity> {
        let mut stored = plain(row);
        if let Kept::Property(folded) = &self.kept {
            match self.field.texts(row)?.into_iter().next() {
                Some(text) => stored.insert(folded, text),
                None => stored.remove(folded),
            };
        }
        Ok(stored)
    }

    /// The rows, or their copies, that have this text in any case.
    ///
    /// # Errors
    /// As [`keys::fold_case`] and [`keys::prefix_range`].
    pub fn find(&self, partition_key: &str, text: &str) -> Result<Lookup> {
        let folded = self.field.text_of(text)?;
        match &self.kept {
            Kept::Property(property) => {
                Ok(Lookup::partition(&self.table, partition_key, compare(property, "eq", &folded)))
            }
            Kept::Key(prefix) => Lookup::prefix(&self.table, partition_key, &format!("{prefix}{folded}{SEPARATOR}")),
        }
    }

    /// Those whose text begins so.
    ///
    /// # Errors
    /// As [`find`](FoldedKey::find).
    pub fn starting_with(&self, partition_key: &str, text: &str) -> Result<Lookup> {
        let folded = self.field.text_of(text)?;
        match &self.kept {
            Kept::Key(prefix) => Lookup::prefix(&self.table, partition_key, &format!("{prefix}{folded}")),
            Kept::Property(property) => {
                let (first, end) = keys::prefix_range(&folded)?;
                let end = end.map(|end| format!(" and {}", compare(property, "lt", &end)));
                let filter = compare(property, "ge", &first) + &end.unwrap_or_default();
                Ok(Lookup::partition(&self.table, partition_key, filter))
            }
        }
    }
}

impl Copies for FoldedKey {
    const NAME: &str = "FoldedKey";

    fn table(&self) -> &str {
        &self.table
    }

    fn property(&self) -> Option<&str> {
        Some(self.field.name())
    }

    fn row(&self, row: &Entity) -> Result<Entity> {
        self.row_of(row)
    }

    fn copies(&self, row: &Entity) -> Result<Vec<Copy>> {
        let Kept::Key(prefix) = &self.kept else { return Ok(Vec::new()) };
        let mut copies = Vec::new();
        for text in self.field.texts(row)? {
            if text.contains(SEPARATOR) {
                let error = Error::invalid(format!("The folded text holds '{SEPARATOR}', which ends it in the key."));
                return Err(refusal(Self::NAME, self.property(), &error));
            }
            let row_key = format!("{prefix}{text}{SEPARATOR}{}", row.row_key());
            let entity = under(row, row.partition_key(), row_key);
            copies.push(Copy { table: self.table.clone(), entity, is_claim: false });
        }
        Ok(copies)
    }
}
