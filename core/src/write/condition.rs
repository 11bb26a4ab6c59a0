//! Conditions of writes (S4.2, S4.8.5), and whether they hold.

use crate::codec::row::Row;
use crate::limits::Mode;
use crate::plan::row_matches;
use crate::{ETag, Error, ErrorCode, Filter, Result};

/// What must hold of the stored entity for a write to be done (S4.2). Every write takes one.
///
/// # Example
/// ```
/// use entable::Condition;
/// use entable::{ErrorCode, Filter, Store, UpdateMode, entity};
/// assert_eq!(Condition::from_text("*")?, Condition::Any);
/// let store = Store::in_memory()?;
/// let stock = store.create_table("Stock")?;
/// stock.create_entity(entity! { "apples", "1", "Left" => 1 })?;
/// let sell = || stock.update_entity_if(entity! { "apples", "1", "Left" => 0 }, UpdateMode::Merge, Filter::parse("Left ge 1")?);
/// sell()?;
/// assert_eq!(sell().unwrap_err().code(), ErrorCode::UpdateConditionNotSatisfied);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Condition {
    /// None: an upsert writes in any case; for an update or a delete the same as `Any`.
    #[default]
    None,
    /// The entity must exist, in any version; else `ResourceNotFound`.
    Any,
    /// The entity must exist in this version; else `ResourceNotFound` or `UpdateConditionNotSatisfied`.
    IfMatch(ETag),
    /// The entity must not exist; else `EntityAlreadyExists`.
    Absent,
    /// The entity must exist, and be one that the filter takes, as it is stored before the write; else `ResourceNotFound` or
    /// `UpdateConditionNotSatisfied` (S4.8.5). The service has no such condition.
    Matches(Filter),
}

impl Condition {
    /// The condition of an `If-Match` value: `*`, or an ETag.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for any other text (S4.2.5).
    pub fn from_text(text: &str) -> Result<Condition> {
        match text {
            "*" => Ok(Condition::Any),
            _ => Ok(Condition::IfMatch(text.parse()?)),
        }
    }
}

impl Condition {
    /// What is wrong with the condition by itself (S4.6, step 3).
    pub(super) fn check(&self, mode: Mode) -> Result<()> {
        match self {
            Condition::Matches(filter) => filter.check(mode),
            Condition::None | Condition::Any | Condition::IfMatch(_) | Condition::Absent => Ok(()),
        }
    }

    /// Whether it holds of the row that is there; whether there is one is told before its version (S4.2).
    ///
    /// # Errors
    /// `ResourceNotFound`, `EntityAlreadyExists`, `UpdateConditionNotSatisfied`.
    pub(super) fn hold_of(&self, key: &[u8], old: Option<&Row<'_>>, mode: Mode) -> Result<()> {
        match (self, old) {
            (Condition::None, _) | (Condition::Absent, None) | (Condition::Any, Some(_)) => Ok(()),
            (Condition::Absent, Some(_)) => Err(Error::new(ErrorCode::EntityAlreadyExists)),
            (Condition::Any | Condition::IfMatch(_) | Condition::Matches(_), None) => {
                Err(Error::new(ErrorCode::ResourceNotFound))
            }
            (Condition::IfMatch(etag), Some(row)) if etag.timestamp() == Some(row.timestamp()) => Ok(()),
            (Condition::IfMatch(_), Some(_)) => Err(Error::new(ErrorCode::UpdateConditionNotSatisfied)),
            (Condition::Matches(filter), Some(row)) if row_matches(filter.expr(), key, row, mode)? => Ok(()),
            (Condition::Matches(filter), Some(_)) => {
                let text = shown(&filter.to_string());
                Err(Error::new(ErrorCode::UpdateConditionNotSatisfied)
                    .fact(format!("The stored entity is not one that the filter takes: {text}")))
            }
        }
    }
}

/// A filter as a message shows it: a long one is cut.
fn shown(text: &str) -> String {
    const MOST: usize = 1_024;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.into(),
    }
}

impl From<ETag> for Condition {
    fn from(etag: ETag) -> Condition {
        Condition::IfMatch(etag)
    }
}

impl From<&ETag> for Condition {
    fn from(etag: &ETag) -> Condition {
        Condition::IfMatch(etag.clone())
    }
}

impl From<Filter> for Condition {
    fn from(filter: Filter) -> Condition {
        Condition::Matches(filter)
    }
}
