//! The service's JSON for entities (S2.5, S2.6): bodies of requests in, bodies of answers out.
//!
//! Text that is no JSON of the service never becomes an entity, and a value never changes its type on the way.

mod read;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use read::entity_from_exact_json;
pub use read::entity_from_json;
pub use write::entity_to_json;
pub(crate) use write::exact_json;

const TYPE_SUFFIX: &str = "@odata.type";
const ETAG: &str = "odata.etag";

/// How much an entity's JSON says about itself (S2.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Metadata {
    /// Values alone. Types are lost: an Int64 is a text like any other.
    None,
    /// The ETag, and the types that JSON does not tell. The default, and what reads back as it was.
    #[default]
    Minimal,
    /// Also the type of Timestamp, and the entity's addresses.
    Full,
}

/// What [`entity_to_json`] writes besides the entity's own properties.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonOptions<'a> {
    /// How much the JSON says about itself.
    pub metadata: Metadata,
    /// Where the entity is found: without it, `odata.metadata`, `odata.type`, `odata.id` and `odata.editLink`
    /// are left out.
    pub address: Option<JsonAddress<'a>>,
    /// Whether the entity is a body of its own, with `odata.metadata`, rather than one of a list.
    pub alone: bool,
    /// The names of the projection: these alone are written, and null for each that the entity lacks (S7.7.3).
    /// `None` is everything.
    pub select: Option<&'a [&'a str]>,
}

/// Where a table is found, for the annotations that name it.
#[derive(Clone, Copy, Debug)]
pub struct JsonAddress<'a> {
    /// The endpoint, such as `https://myaccount.table.core.windows.net`.
    pub endpoint: &'a str,
    /// The account's name.
    pub account: &'a str,
    /// The table's name.
    pub table: &'a str,
}
