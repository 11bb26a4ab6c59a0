//! What a reader asks a table for.

use crate::{Error, Query, Result, keys};

/// One read: a table, and either the two keys of one entity or a filter on keys.
///
/// The filter is text that the service takes, too. The store reads it as a point or a range.
///
/// # Example
/// ```
/// use entable::{Store, entity, patterns::SecondaryIndex};
/// let by_email = SecondaryIndex::new("Employees", "email_", "Email");
/// let lookup = by_email.find("Sales", "jonesj@contoso.com")?;
/// assert_eq!(lookup.filter(), "PartitionKey eq 'Sales' and RowKey eq 'email_jonesj@contoso.com'");
///
/// let store = Store::in_memory()?;
/// let employees = store.create_table(lookup.table())?;
/// employees.create_entity(entity! { "Sales", "email_jonesj@contoso.com", "LastName" => "Jones" })?;
/// assert_eq!(employees.query_entities(&lookup)?.count(), 1);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    table: String,
    partition_key: Option<String>,
    keys: Keys,
    limit: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Keys {
    One(String),
    Filter(String),
}

impl Lookup {
    /// The question for one entity.
    pub fn point(table: &str, partition_key: impl Into<String>, row_key: impl Into<String>) -> Lookup {
        Lookup {
            table: table.to_owned(),
            partition_key: Some(partition_key.into()),
            keys: Keys::One(row_key.into()),
            limit: None,
        }
    }

    /// The rows of a partition that a filter takes. An `or` in it stands in parentheses.
    pub(super) fn partition(table: &str, partition_key: impl Into<String>, filter: impl Into<String>) -> Lookup {
        Lookup {
            table: table.to_owned(),
            partition_key: Some(partition_key.into()),
            keys: Keys::Filter(filter.into()),
            limit: None,
        }
    }

    pub(super) fn prefix(table: &str, partition_key: impl Into<String>, prefix: &str) -> Result<Lookup> {
        let filter = if prefix.is_empty() { String::new() } else { keys::prefix_filter("RowKey", prefix)? };
        Ok(Lookup::partition(table, partition_key, filter))
    }

    pub(super) fn filter_of(table: &str, filter: impl Into<String>) -> Lookup {
        Lookup { table: table.to_owned(), partition_key: None, keys: Keys::Filter(filter.into()), limit: None }
    }

    pub(super) fn limited(mut self, limit: u64) -> Lookup {
        self.limit = Some(limit);
        self
    }

    /// The table to ask.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// PartitionKey and RowKey, where one entity is asked for: a point read.
    pub fn keys(&self) -> Option<(&str, &str)> {
        match (&self.partition_key, &self.keys) {
            (Some(partition_key), Keys::One(row_key)) => Some((partition_key, row_key)),
            _ => None,
        }
    }

    /// How many entities are wanted, where not all are (the service's `$top`).
    pub fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// The filter, in the service's language; empty for all entities.
    pub fn filter(&self) -> String {
        let partition = self.partition_key.as_deref().map(|key| compare("PartitionKey", "eq", key));
        let rows = match &self.keys {
            Keys::One(row_key) => compare("RowKey", "eq", row_key),
            Keys::Filter(filter) => filter.clone(),
        };
        let parts: Vec<String> = partition.into_iter().chain(Some(rows)).filter(|part| !part.is_empty()).collect();
        parts.join(" and ")
    }
}

impl From<&Lookup> for Query {
    fn from(lookup: &Lookup) -> Query {
        let filter = lookup.filter();
        let query = if filter.is_empty() { Query::all() } else { Query::filter(filter) };
        match lookup.limit {
            Some(limit) => query.limit(limit),
            None => query,
        }
    }
}

impl From<Lookup> for Query {
    fn from(lookup: Lookup) -> Query {
        Query::from(&lookup)
    }
}

/// A comparison with a text, as filters write it.
pub(super) fn compare(name: &str, operator: &str, text: &str) -> String {
    format!("{name} {operator} '{}'", text.replace('\'', "''"))
}

/// The filter for keys in one of these ranges, each from its first to before its end; none are in none.
pub(super) fn ranges_filter(name: &str, ranges: &[(String, Option<String>)]) -> String {
    let filters: Vec<String> = ranges
        .iter()
        .map(|(first, end)| match end {
            Some(end) => format!("{} and {}", compare(name, "ge", first), compare(name, "lt", end)),
            None => compare(name, "ge", first),
        })
        .collect();
    match &filters[..] {
        [] => compare(name, "lt", ""),
        [filter] => filter.clone(),
        filters => format!("(({}))", filters.join(") or (")),
    }
}

/// The key without its prefix.
///
/// # Errors
/// `InvalidInput`: it does not begin so.
pub(super) fn without_prefix<'k>(key: &'k str, prefix: &str, name: &str) -> Result<&'k str> {
    key.strip_prefix(prefix).ok_or_else(|| {
        Error::invalid(format!("The pattern's {name} begins with '{prefix}', not so '{}'.", key.escape_debug()))
            .property(name)
    })
}
