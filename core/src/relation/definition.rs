//! The declaration of a relation: what a caller asks for, checked.

use crate::codec::record::{OnDelete, RelationRecord, Scope, Unknown};
use crate::index::Index;
use crate::limits::{DECLARED_NAME_UNITS, Limits};
use crate::model::names::{self, PARTITION_KEY, ROW_KEY, TIMESTAMP};
use crate::{Error, Result};

/// What a relation is to be: given to [`Store::create_relation`](crate::Store::create_relation).
///
/// # Example
/// ```
/// use entable::{OnDelete, Relation};
/// let lines = Relation::new("Order", "Lines", "Orders").keys("PartitionKey", "OrderId").on_delete(OnDelete::Cascade);
/// assert_eq!((lines.name(), lines.child(), lines.parent()), ("Order", "Lines", "Orders"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    name: Box<str>,
    child: Box<str>,
    parent: Box<str>,
    partition_key: Box<str>,
    row_key: Box<str>,
    on_delete: OnDelete,
}

impl Relation {
    /// A relation of this name, of the rows of table `child` with rows of table `parent`, by their own keys: a child has
    /// those of its parent. The name has 1 to 255 UTF-16 code units, and no other relation of the child's has it.
    pub fn new(name: impl Into<Box<str>>, child: impl Into<Box<str>>, parent: impl Into<Box<str>>) -> Relation {
        Relation {
            name: name.into(),
            child: child.into(),
            parent: parent.into(),
            partition_key: PARTITION_KEY.into(),
            row_key: ROW_KEY.into(),
            on_delete: OnDelete::default(),
        }
    }

    /// Which properties of a child are the PartitionKey and the RowKey of its parent: Strings, or a key of its own.
    #[must_use]
    pub fn keys(mut self, partition_key: impl Into<Box<str>>, row_key: impl Into<Box<str>>) -> Relation {
        (self.partition_key, self.row_key) = (partition_key.into(), row_key.into());
        self
    }

    /// What becomes of the children of a parent that is deleted. The default is that the delete is refused.
    #[must_use]
    pub fn on_delete(mut self, on_delete: OnDelete) -> Relation {
        self.on_delete = on_delete;
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The table of the children.
    pub fn child(&self) -> &str {
        &self.child
    }

    /// The table of the parents.
    pub fn parent(&self) -> &str {
        &self.parent
    }

    /// The properties of a child that are the PartitionKey and the RowKey of its parent.
    pub fn properties(&self) -> (&str, &str) {
        (&self.partition_key, &self.row_key)
    }

    /// What becomes of the children of a parent that is deleted.
    pub fn deletes(&self) -> OnDelete {
        self.on_delete
    }

    pub(crate) fn of(record: &RelationRecord, child: &str, parent: &str) -> Relation {
        Relation::new(&*record.name, child, parent)
            .keys(&*record.partition_key, &*record.row_key)
            .on_delete(record.on_delete)
    }

    pub(crate) fn record(&self, id: u32, child: u32, parent: u32, index: u32) -> RelationRecord {
        RelationRecord {
            name: self.name.clone(),
            id,
            child,
            parent,
            partition_key: self.partition_key.clone(),
            row_key: self.row_key.clone(),
            on_delete: self.on_delete,
            index,
            unknown: Unknown::default(),
        }
    }

    /// The index by which the children of a parent are found; `None` where they lie in one partition, named by his RowKey,
    /// or have his keys.
    pub(crate) fn index(&self) -> Option<Index> {
        let (pk, rk) = self.properties();
        if rk == PARTITION_KEY || (pk == PARTITION_KEY && rk == ROW_KEY) {
            return None;
        }
        let index = Index::new(self.name.clone());
        Some(match pk == PARTITION_KEY {
            true => index.scope(Scope::Partition).properties([rk]),
            false => index.properties([pk, rk]),
        })
    }

    /// Checks the declaration by itself.
    ///
    /// # Errors
    /// `InvalidInput`, with the property or the limit; the errors of a property's name (S1.4).
    pub(crate) fn check(&self, limits: &Limits) -> Result<()> {
        let units = names::utf16_units(&self.name);
        if units == 0 || units > DECLARED_NAME_UNITS {
            let fact =
                format!("The name of a relation has 1 to {DECLARED_NAME_UNITS} UTF-16 code units, this one {units}.");
            return Err(Error::invalid(fact).limit(DECLARED_NAME_UNITS, units));
        }
        let (pk, rk) = self.properties();
        if pk == rk {
            return Err(Error::invalid("The two keys of the parent are two properties of the child.").property(pk));
        }
        for name in [pk, rk] {
            match name {
                PARTITION_KEY | ROW_KEY => {}
                TIMESTAMP => return Err(Error::invalid("A Timestamp is nobody's key.").property(name)),
                _ => names::check_property_name(name, limits)?,
            }
        }
        Ok(())
    }
}
