//! More properties than one entity takes (S9.17).

use super::changes::{Act, Change, Changes, Step};
use super::copies::check_own_keys;
use super::lookup::compare;
use super::{Lookup, refusal};
use crate::limits::{Mode, SERVICE};
use crate::model::names::TIMESTAMP;
use crate::{Entity, Error, Operation, Result, Value, model};

/// Spreads a row with more than 252 properties, or nearly 1 MiB or more, over several entities of one partition:
/// `000123 | 01`, `000123 | 02`. One group writes them, one range reads them.
///
/// The row is handed in as one [`Entity`], which may hold any number of properties. Its properties are laid out in the
/// order of their names, so that the layout follows from the row alone. The parts' RowKeys are two digits, behind the
/// row's own RowKey and `~` if it has one: `empid_7~01`; another `~` stands before a RowKey that begins with a digit or
/// `~`. So the parts of one row never lie among those of another; a RowKey with `~` and a digit behind it is refused. The
/// first part is written at every change, and its ETag is that of the whole.
///
/// A group takes 4 MiB and so does a row. In `extended` mode this store needs no parts.
///
/// # Example
/// ```
/// use entable::{Entity, Store, patterns::WideEntity};
/// let store = Store::in_memory()?;
/// let employees = store.create_table("Employees")?;
/// let wide = WideEntity::new("Employees");
/// let mut row = Entity::new("000123", "");
/// for number in 0..300 {
///     row.insert(format!("P{number:03}"), number);
/// }
/// employees.submit_transaction(wide.changes(None, Some(&row))?.steps()[0].operations()?)?;
/// let parts = employees.query_entities(wide.find("000123", ""))?.collect::<entable::Result<Vec<_>>>()?;
/// assert_eq!(parts.iter().map(|part| part.row_key()).collect::<Vec<_>>(), ["01", "02"]);
/// assert_eq!(wide.join(&parts)?, Some(row));
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WideEntity {
    table: String,
}

const NAME: &str = "WideEntity";
const LAST_PART: usize = 99;
/// Stands between a row's own RowKey and the number of a part.
const MARK: char = '~';

impl WideEntity {
    /// Rows of this table.
    pub fn new(table: impl Into<String>) -> WideEntity {
        WideEntity { table: table.into() }
    }

    /// The entities that the row is spread over.
    ///
    /// # Errors
    /// [`ErrorCode::PropertyValueTooLarge`](crate::ErrorCode::PropertyValueTooLarge) and what else the service would
    /// refuse of a property; [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) beyond 99 parts, and for a RowKey
    /// with `~` and a digit behind it.
    pub fn split(&self, row: &Entity) -> Result<Vec<Entity>> {
        let parts = self.layout(row)?;
        for part in &parts {
            let refused = |error: Error| refusal(NAME, None, &error.keys(part.partition_key(), part.row_key()));
            Operation::create(part.clone())?.check(Mode::Portable).map_err(refused)?;
        }
        Ok(parts)
    }

    /// The parts, of a row that need not be legal: a former state may be of other limits.
    fn layout(&self, row: &Entity) -> Result<Vec<Entity>> {
        check_own_keys(NAME, row)?;
        let looks_like_part = |bytes: &[u8]| matches!(bytes, [b'~', digit] if digit.is_ascii_digit());
        if row.row_key().as_bytes().windows(2).any(looks_like_part) {
            let error = Error::invalid(format!("The RowKey holds '{MARK}' and a digit, as those of parts do."));
            return Err(refusal(NAME, Some("RowKey"), &error.keys(row.partition_key(), row.row_key())));
        }
        let mut properties: Vec<(&str, &Value)> = row.properties().filter(|(name, _)| *name != TIMESTAMP).collect();
        properties.sort_by_key(|(name, _)| *name);
        let mut parts = vec![self.part(row, 1)?];
        let mut bytes = parts.iter().map(Entity::size_bytes).sum::<usize>();
        let mut count = 0;
        for (name, value) in properties {
            let more = model::property_bytes(name, value.as_ref());
            if count == SERVICE.properties || bytes + more > SERVICE.entity_bytes {
                let part = self.part(row, parts.len() + 1)?;
                (bytes, count) = (part.size_bytes(), 0);
                parts.push(part);
            }
            if let Some(part) = parts.last_mut() {
                part.insert(name, value.clone());
            }
            (bytes, count) = (bytes + more, count + 1);
        }
        Ok(parts)
    }

    fn part(&self, row: &Entity, number: usize) -> Result<Entity> {
        if number > LAST_PART {
            let error = Error::invalid("A row is spread over 99 entities at most.").limit(LAST_PART, number);
            return Err(refusal(NAME, None, &error.keys(row.partition_key(), row.row_key())));
        }
        Ok(Entity::new(row.partition_key(), key_of(row.row_key(), number)))
    }

    /// The row that the parts make, with the version of the first; `None` for no parts.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput): they are not the parts of one row, or one is missing
    /// before the last.
    pub fn join(&self, parts: &[Entity]) -> Result<Option<Entity>> {
        let mut parts: Vec<&Entity> = parts.iter().collect();
        parts.sort_by_key(|part| part.row_key());
        let Some(first) = parts.first() else { return Ok(None) };
        let own = first.row_key().strip_suffix("01").and_then(|own| own.strip_suffix(MARK)).unwrap_or_default();
        let mut row = Entity::new(first.partition_key(), own.strip_prefix(MARK).unwrap_or(own));
        for (at, part) in parts.iter().enumerate() {
            let expected = key_of(row.row_key(), at + 1);
            if (part.partition_key(), part.row_key()) != (row.partition_key(), expected.as_str()) {
                let error = Error::invalid(format!("The part '{expected}' was expected."))
                    .keys(part.partition_key(), part.row_key());
                return Err(refusal(NAME, None, &error));
            }
            for (name, value) in part.properties() {
                row.insert(name, value.clone());
            }
        }
        Ok(Some(row.with_version_of(first)))
    }

    /// The group for a row that goes from one state to the next; parts that are alike in both are not written.
    ///
    /// # Errors
    /// As [`split`](WideEntity::split); [`ErrorCode::RequestBodyTooLarge`](crate::ErrorCode::RequestBodyTooLarge): what
    /// changes has more than 4 MiB; [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) if the two states have
    /// different keys.
    pub fn changes(&self, former: Option<&Entity>, new: Option<&Entity>) -> Result<Changes> {
        super::changes::row_act(NAME, former, new)?;
        // What is written is looked at when the step is made.
        let layout = |row: Option<&Entity>| row.map_or(Ok(Vec::new()), |row| self.layout(row));
        let (before, after) = (layout(former)?, layout(new)?);
        let mut before = before.into_iter().enumerate().map(|(at, part)| match (at, former) {
            (0, Some(former)) => part.with_version_of(former),
            _ => part,
        });
        let mut after = after.into_iter();
        let mut acts = Vec::new();
        for at in 0.. {
            let Some(change) = Change::between(before.next(), after.next()) else { break };
            // The first part is written in any case: it has the version of the whole.
            let is_alike = matches!(&change, Change::Replace { former, new } if former == new);
            if at == 0 || !is_alike {
                acts.push(Act::Own(change));
            }
        }
        Changes::new(NAME, None, vec![Step::new(&self.table, acts)])
    }

    /// All parts of a row: a range.
    pub fn find(&self, partition_key: &str, row_key: &str) -> Lookup {
        let bounds = [("ge", 1), ("le", LAST_PART)];
        let bounds = bounds.map(|(operator, number)| compare("RowKey", operator, &key_of(row_key, number)));
        Lookup::partition(&self.table, partition_key, bounds.join(" and "))
    }
}

fn key_of(row_key: &str, number: usize) -> String {
    if row_key.is_empty() {
        return format!("{number:02}");
    }
    // A digit first would be read among the parts of a row that has no RowKey.
    let is_marked = row_key.starts_with(|c: char| c == MARK || c.is_ascii_digit());
    let mark = if is_marked { MARK.to_string() } else { String::new() };
    format!("{mark}{row_key}{MARK}{number:02}")
}
