//! The declaration of an index: what a caller asks for, checked, and what a caller is told.

use super::is_usable;
use crate::codec::record::{IndexRecord, IndexState, Projection, Scope, Unknown};
use crate::limits::{DECLARED_NAME_UNITS, INDEX_PROPERTIES, Limits};
use crate::model::names::{self, PARTITION_KEY, ROW_KEY, TIMESTAMP};
use crate::{Error, Result};

/// What an index is to be: given to [`Table::create_index`](crate::Table::create_index).
///
/// # Example
/// ```
/// use entable::index::{Index, Projection, Scope};
/// let by_city = Index::new("ByCity").properties(["City", "LastName"]).projection(Projection::names(["Age"]));
/// let by_mail = Index::new("ByMail").properties(["Email"]).unique(true).fold_case(true);
/// let in_partition = Index::new("ByDate").properties(["Date"]).scope(Scope::Partition);
/// # let _ = (by_city, by_mail, in_partition);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    name: Box<str>,
    properties: Vec<Box<str>>,
    scope: Scope,
    projection: Projection,
    is_unique: bool,
    folds_case: bool,
}

impl Index {
    /// An index of this name, which has 1 to 255 UTF-16 code units; names are told apart by exact case. It needs
    /// properties still.
    pub fn new(name: impl Into<Box<str>>) -> Index {
        Index {
            name: name.into(),
            properties: Vec::new(),
            scope: Scope::default(),
            projection: Projection::default(),
            is_unique: false,
            folds_case: false,
        }
    }

    /// What is indexed: 1 to 16 properties, the first one first. `RowKey` and `Timestamp` may be among them;
    /// `PartitionKey` may not, since every way to the rows has it already.
    ///
    /// Every entity has an entry, also one without some of the properties: what is missing sorts first.
    #[must_use]
    pub fn properties<S: Into<Box<str>>>(mut self, names: impl IntoIterator<Item = S>) -> Index {
        self.properties = names.into_iter().map(Into::into).collect();
        self
    }

    /// Whether it looks through the whole table, the default, or within a partition.
    #[must_use]
    pub fn scope(mut self, scope: Scope) -> Index {
        self.scope = scope;
        self
    }

    /// What an entry holds of its entity, so that queries need not read the row. The default is the keys alone.
    #[must_use]
    pub fn projection(mut self, projection: Projection) -> Index {
        self.projection = projection;
        self
    }

    /// Whether a value may be there once only, in the table or in each partition, as the scope says. By value: 5
    /// and 5.0 are one. Entities without one of the properties, or with NaN in one, are not bound by it.
    ///
    /// Held at each operation, in groups too: a value must be free when it is taken. Two entities that are to exchange
    /// theirs in one group go over a third value, or one of them is deleted first.
    #[must_use]
    pub fn unique(mut self, is_unique: bool) -> Index {
        self.is_unique = is_unique;
        self
    }

    /// Whether Strings are the same whatever their case, for `tolower(P) eq 'x'` and for [`Index::unique`].
    #[must_use]
    pub fn fold_case(mut self, folds_case: bool) -> Index {
        self.folds_case = folds_case;
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.properties.iter().map(|name| &**name)
    }

    pub(crate) fn is_of_partition(&self) -> bool {
        self.scope == Scope::Partition
    }

    pub(crate) fn projects(&self) -> &Projection {
        &self.projection
    }

    pub(crate) fn is_declared_unique(&self) -> bool {
        self.is_unique
    }

    pub(crate) fn is_folding(&self) -> bool {
        self.folds_case
    }

    /// Checks the declaration by itself.
    ///
    /// # Errors
    /// `InvalidInput`, with the property or the limit; the errors of a property's name (S1.4).
    pub(crate) fn check(&self, limits: &Limits) -> Result<()> {
        let units = names::utf16_units(&self.name);
        if units == 0 || units > DECLARED_NAME_UNITS {
            return Err(Error::invalid(format!(
                "The name of an index has 1 to {DECLARED_NAME_UNITS} UTF-16 code units, this one {units}."
            ))
            .limit(DECLARED_NAME_UNITS, units));
        }
        let count = self.properties.len();
        if count == 0 || count > INDEX_PROPERTIES {
            return Err(Error::invalid(format!("An index has 1 to {INDEX_PROPERTIES} properties, this one {count}."))
                .limit(INDEX_PROPERTIES, count));
        }
        for (at, name) in self.properties.iter().enumerate() {
            if **name == *PARTITION_KEY {
                return Err(Error::invalid("PartitionKey is in every entry anyway: leave it out.").property(name));
            }
            if self.properties[..at].contains(name) {
                return Err(Error::invalid("An index names a property once.").property(name));
            }
            check_name(name, limits)?;
        }
        match &self.projection {
            Projection::Names(names) if names.len() > limits.properties => Err(Error::invalid(format!(
                "An index projects at most {} properties, this one {}.",
                limits.properties,
                names.len()
            ))
            .limit(limits.properties, names.len())),
            Projection::Names(names) => names.iter().try_for_each(|name| check_name(name, limits)),
            Projection::Keys | Projection::All => Ok(()),
        }
    }

    /// The record of an index with nothing in it yet.
    pub(crate) fn record(&self, id: u32, unicode: [u8; 3]) -> IndexRecord {
        IndexRecord {
            name: self.name.clone(),
            id,
            scope: self.scope,
            is_unique: self.is_unique,
            has_long_keys: false,
            other_flags: 0,
            properties: self.properties.clone(),
            projection: self.projection.custom(),
            state: IndexState::Building { from: Vec::new() },
            unicode: self.folds_case.then_some(unicode),
            unknown: Unknown::default(),
        }
    }

    /// Whether the record is of an index that was declared like this, and has all its entries.
    pub(crate) fn is_ready_as(&self, record: &IndexRecord) -> bool {
        self.is_of(record) && is_usable(record) && matches!(record.state, IndexState::Ready)
    }

    /// Whether the record is of an index that was declared like this.
    pub(crate) fn is_of(&self, record: &IndexRecord) -> bool {
        *self.properties == *record.properties
            && self.scope == record.scope
            && self.projection.custom() == record.projection
            && (self.is_unique, self.folds_case) == (record.is_unique, record.unicode.is_some())
    }
}

impl Projection {
    /// These properties, and the Timestamp.
    pub fn names<S: Into<Box<str>>>(names: impl IntoIterator<Item = S>) -> Projection {
        Projection::Names(names.into_iter().map(Into::into).collect())
    }

    /// Without what every entry has: keys, and the Timestamp where there is a projection at all.
    fn custom(&self) -> Projection {
        match self {
            Projection::Names(names) => {
                let custom = names.iter().filter(|name| !matches!(&***name, PARTITION_KEY | ROW_KEY | TIMESTAMP));
                let mut custom: Vec<Box<str>> = custom.cloned().collect();
                custom.sort_unstable();
                custom.dedup();
                Projection::Names(custom)
            }
            other => other.clone(),
        }
    }
}

fn check_name(name: &str, limits: &Limits) -> Result<()> {
    match name {
        PARTITION_KEY | ROW_KEY | TIMESTAMP => Ok(()),
        name => names::check_property_name(name, limits),
    }
}

/// Whether queries use an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// Rows that were there before it still have to get their entries; after that it is ready.
    Building,
    /// It is kept and used.
    Ready,
    /// Its case was folded by another version of Unicode: it is not used, and has to be created again.
    Stale,
}

/// A declared index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexInfo {
    definition: Index,
    state: State,
}

impl IndexInfo {
    pub(crate) fn new(record: &IndexRecord, is_usable: bool) -> IndexInfo {
        let definition = Index {
            name: record.name.clone(),
            properties: record.properties.clone(),
            scope: record.scope,
            projection: record.projection.clone(),
            is_unique: record.is_unique,
            folds_case: record.unicode.is_some(),
        };
        let state = match &record.state {
            IndexState::Building { .. } => State::Building,
            IndexState::Ready if is_usable => State::Ready,
            IndexState::Ready | IndexState::Stale => State::Stale,
        };
        IndexInfo { definition, state }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// The indexed properties, the first one first.
    pub fn properties(&self) -> impl ExactSizeIterator<Item = &str> {
        self.definition.properties.iter().map(|name| &**name)
    }

    /// Where it looks.
    pub fn scope(&self) -> Scope {
        self.definition.scope
    }

    /// What its entries hold; names in their order, without the keys and Timestamp.
    pub fn projection(&self) -> &Projection {
        &self.definition.projection
    }

    /// Whether a value may be there once only.
    pub fn is_unique(&self) -> bool {
        self.definition.is_unique
    }

    /// Whether Strings are the same whatever their case.
    pub fn folds_case(&self) -> bool {
        self.definition.folds_case
    }

    /// Whether queries use it.
    pub fn state(&self) -> State {
        self.state
    }

    /// The declaration, to create the index again, perhaps on another table.
    pub fn definition(&self) -> &Index {
        &self.definition
    }
}
