//! A value without regard to case (S9.27).

use super::changes::{plain, under};
use super::copies::{Copies, Copy, with_copies};
use super::lookup::compare;
use super::{Field, Lookup, refusal};
use crate::limits::SERVICE;
use crate::model::fold::fold_case;
use crate::model::names::check_property_name;
use crate::{Entity, Error, Result, Value, keys};

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
    /// The folded text is a property of the row, of the second name. What a row has there otherwise is refused, and not
    /// written over.
    pub fn property(table: impl Into<String>, property: impl Into<String>, folded: impl Into<String>) -> FoldedKey {
        FoldedKey { table: table.into(), field: Field::new(property).folded(), kept: Kept::Property(folded.into()) }
    }

    /// A copy of the row in its partition, under the prefix, the folded text, `_` and the row's RowKey. The prefix, which is
    /// not empty, tells copies from rows; a folded text holds no `_`.
    pub fn keyed(table: impl Into<String>, prefix: impl Into<String>, property: impl Into<String>) -> FoldedKey {
        FoldedKey { table: table.into(), field: Field::new(property).folded(), kept: Kept::Key(prefix.into()) }
    }

    /// The row as it is stored: with the property, if it is the pattern's way to have one.
    ///
    /// # Errors
    /// As [`Field::text_of`]: the value is no String, or its folded form no legal key;
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): the row has another value in the property.
    pub fn row_of(&self, row: &Entity) -> Result<Entity> {
        self.check(None, Some(row))?;
        self.row(row)
    }

    /// The rows, or their copies, that have this text in any case.
    ///
    /// # Errors
    /// As [`keys::fold_case`] and [`keys::prefix_range`]; [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for
    /// what no copy has: a text with `_`.
    pub fn find(&self, partition_key: &str, text: &str) -> Result<Lookup> {
        let folded = self.asked(text)?;
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
        let folded = self.asked(text)?;
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

    /// A reader's text, folded. One that holds what ends it in the key would be found in other rows' RowKeys.
    fn asked(&self, text: &str) -> Result<String> {
        self.check_kept()?;
        let folded = self.field.text_of(text)?;
        self.check_text(&folded)?;
        Ok(folded)
    }

    fn check_text(&self, folded: &str) -> Result<()> {
        if matches!(self.kept, Kept::Key(_)) && folded.contains(SEPARATOR) {
            let error = Error::invalid(format!("The folded text holds '{SEPARATOR}', which ends it in the key."));
            return Err(refusal(Self::NAME, self.property(), &error));
        }
        Ok(())
    }

    fn check_kept(&self) -> Result<()> {
        let error = match &self.kept {
            Kept::Key(prefix) if prefix.is_empty() => {
                Error::invalid("A prefix tells copies from rows: it is not empty.")
            }
            Kept::Property(folded) if folded == self.field.name() => {
                Error::invalid("The folded text would be written over the text itself.").property(folded)
            }
            Kept::Property(folded) => match check_property_name(folded, &SERVICE) {
                Ok(()) => return Ok(()),
                Err(error) => return Err(refusal(Self::NAME, Some(folded), &error)),
            },
            Kept::Key(_) => return Ok(()),
        };
        Err(refusal(Self::NAME, self.property(), &error))
    }

    /// Refuses a row that has something else where the folded text goes. That of the former state may be left there.
    fn check(&self, former: Option<&Entity>, new: Option<&Entity>) -> Result<()> {
        self.check_kept()?;
        let (Kept::Property(folded), Some(new)) = (&self.kept, new) else { return Ok(()) };
        let Some(there) = new.get(folded) else { return Ok(()) };
        // Whoever wrote it may have folded by other rules.
        let text = there.as_str().map(fold_case);
        let is_of =
            |row: &Entity| text.is_some() && row.get(self.field.name()).and_then(Value::as_str).map(fold_case) == text;
        if is_of(new) || former.is_some_and(is_of) {
            return Ok(());
        }
        let fact = format!("The row has another value there, which the text of '{}' would replace.", self.field.name());
        let error = Error::invalid(fact).property(folded).keys(new.partition_key(), new.row_key());
        Err(refusal(Self::NAME, self.property(), &error))
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

    fn check(&self, former: Option<&Entity>, new: Option<&Entity>) -> Result<()> {
        FoldedKey::check(self, former, new)
    }

    fn row(&self, row: &Entity) -> Result<Entity> {
        let mut stored = plain(row);
        if let Kept::Property(folded) = &self.kept {
            match self.field.one_text(row)? {
                Some(text) => stored.insert(folded, text),
                None => stored.remove(folded),
            };
        }
        Ok(stored)
    }

    fn copies(&self, row: &Entity) -> Result<Vec<Copy>> {
        let Kept::Key(prefix) = &self.kept else { return Ok(Vec::new()) };
        self.check_kept()?;
        if row.row_key().starts_with(prefix) {
            let fact = format!("The row's RowKey begins with '{prefix}', as those of copies do.");
            return Err(refusal(Self::NAME, self.property(), &Error::invalid(fact)));
        }
        let mut copies = Vec::new();
        for text in self.field.texts(row)? {
            self.check_text(&text)?;
            let row_key = format!("{prefix}{text}{SEPARATOR}{}", row.row_key());
            let entity = under(row, row.partition_key(), row_key);
            copies.push(Copy { table: self.table.clone(), entity, is_claim: false, names_row: false });
        }
        Ok(copies)
    }
}
