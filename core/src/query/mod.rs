//! Questions: what to ask, how it is answered page by page, and what comes back.

mod access;
mod distinct;
mod explain;
mod forced;
mod indexed;
mod ordered;
mod page;
mod point;
mod probe;
mod project;
mod run;
mod scan;
mod stop;
mod stored;

pub(crate) use distinct::partition_keys;
pub use explain::{Considered, Explain};
use forced::Forced;
pub use page::Page;
pub(crate) use point::{exists, read};
pub(crate) use project::{HandedOut, Projection, entity};
pub(crate) use run::{Prepared, Reading, Target, resolve};
use stop::Stop;
pub use stored::StoredEntity;

use crate::codec::token::ContinuationToken;
use crate::filter::ast::Expr;
use crate::filter::{self, Filter, Parameters};
use crate::limits::Mode;
use crate::model::InputValue;
use crate::storage::Direction;

/// A question to a table: a filter, and what of the answer is wanted.
///
/// Everything but the filter has a default: all properties, no limit, pages of 1,000.
///
/// # Example
/// ```
/// use entable::{entity, Query, Store};
/// let store = Store::in_memory()?;
/// let orders = store.create_table("Orders")?;
/// orders.create_entity(entity! { "DE", "0001", "Total" => 12.5, "City" => "Köln" })?;
/// let query = Query::filter("City eq @city and Total gt 10.0").parameter("city", "Köln").select(["Total"]).limit(10);
/// let found: Vec<_> = orders.query_entities(query)?.collect::<Result<_, _>>()?;
/// assert_eq!(found[0]["Total"], 12.5);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Query {
    filter: Source,
    parameters: Parameters,
    select: Option<Vec<String>>,
    limit: Option<u64>,
    page_size: Option<usize>,
    direction: Direction,
    order_by: Option<String>,
    continuation: Option<ContinuationToken>,
    mode: Option<Mode>,
    forced: Option<Forced>,
    stop: Option<Stop>,
}

#[derive(Clone, Debug, Default)]
enum Source {
    #[default]
    All,
    Text(String),
    Built(Filter),
}

impl Query {
    /// All entities.
    pub fn all() -> Query {
        Query::default()
    }

    /// The entities that the text asks for: the `$filter` language, described in `docs/filter.md` (S7.2).
    pub fn filter(text: impl Into<String>) -> Query {
        Query { filter: Source::Text(text.into()), ..Query::default() }
    }

    /// The entities that a built filter asks for.
    pub fn built(filter: Filter) -> Query {
        Query { filter: Source::Built(filter), ..Query::default() }
    }

    /// The value of `@name` in the filter's text.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<Box<str>>, value: impl Into<InputValue>) -> Query {
        self.parameters = self.parameters.with(name, value);
        self
    }

    /// Values for all the `@name`s in the filter's text.
    #[must_use]
    pub fn parameters(mut self, parameters: Parameters) -> Query {
        self.parameters = parameters;
        self
    }

    /// Only these properties, the keys and Timestamp included only if named (S7.7). No names, or `*` among them:
    /// everything. Several names may stand in one text, with commas between. A name that an entity does not have is absent from it.
    #[must_use]
    pub fn select<S: AsRef<str>>(mut self, names: impl IntoIterator<Item = S>) -> Query {
        self.select = Some(names.into_iter().map(|name| name.as_ref().to_owned()).collect());
        self
    }

    /// At most this many entities in all, over all pages of one answer. It is counted from where the query begins: one
    /// that goes on from a token may give as many again.
    #[must_use]
    pub fn limit(mut self, entities: u64) -> Query {
        self.limit = Some(entities);
        self
    }

    /// How many entities a page holds: 1,000 by default. In [`Mode::Strict`] 1,000 is the most. A page of 0 is empty and
    /// has no token, so that nobody asks on for ever (S7.1).
    #[must_use]
    pub fn page_size(mut self, entities: usize) -> Query {
        self.page_size = Some(entities);
        self
    }

    /// Largest keys first. An extension: [`Mode::Strict`] refuses it.
    #[must_use]
    pub fn descending(mut self) -> Query {
        self.direction = Direction::Descending;
        self
    }

    /// The order of the answer: by these properties, several with commas between, all ascending, or, with
    /// [`Query::descending`], all descending. Entities that are alike in them follow each other by what else the index
    /// has, then by key: by key alone if an index has these properties and none behind them, and no other one gives the
    /// order in less than half the entries. Name what is to decide: the order of what is not named may change with the data.
    ///
    /// Values are given in the order of an index, never sorted: it must have these properties, behind none but what the
    /// filter fixes to one value; without one the query is [`ErrorCode::NotImplemented`](crate::ErrorCode::NotImplemented),
    /// and `PartitionKey`, or `PartitionKey,RowKey`, is the order of the keys. A name twice, or none, is
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput). Missing values come first, then Booleans, numbers (NaN last),
    /// DateTimes, Guids, Strings, Binaries. An index that folds case gives no order. Strings and Binaries that are the
    /// same in their first 512 bytes, but not as a whole, have no order in an index: meeting two of them the query is
    /// `NotImplemented`, too. An extension: [`Mode::Strict`] refuses it.
    ///
    /// Pages are read when they are asked for, from the place of the last entity on: one whose property is changed
    /// between two pages may come again, or not at all (read from a [`Snapshot`](crate::Snapshot) where that matters);
    /// once the index is dropped, the next page is `InvalidInput`.
    ///
    /// # Example
    /// ```
    /// use entable::{entity, Index, Query, Store};
    /// let store = Store::in_memory()?;
    /// let orders = store.create_table("Orders")?;
    /// orders.create_index(Index::new("ByTotal").properties(["Total"]))?;
    /// for (key, total) in [("0001", 12.5), ("0002", 99.0), ("0003", 8.0)] {
    ///     orders.create_entity(entity! { "DE", key, "Total" => total })?;
    /// }
    /// let largest = orders.query_entities(Query::all().order_by("Total").descending().limit(1))?.next().unwrap()?;
    /// assert_eq!(largest.row_key(), "0002");
    /// # Ok::<(), entable::Error>(())
    /// ```
    #[must_use]
    pub fn order_by(mut self, property: impl Into<String>) -> Query {
        self.order_by = Some(property.into());
        self
    }

    /// Gives the answer up when this says so: it is asked every few hundred rows, by the thread that reads, in the midst
    /// of a read. What it waits for, readers and writers of old pages wait for, too: it should answer at once.
    ///
    /// The page, count or deletion then fails with [`ErrorCode::Cancelled`](crate::ErrorCode::Cancelled), and nothing of it
    /// is done.
    ///
    /// It may call the store. To read at the snapshot that is being read is
    /// [`ErrorCode::StoreBusy`](crate::ErrorCode::StoreBusy), and to write is
    /// [`ErrorCode::TransactionOpen`](crate::ErrorCode::TransactionOpen) while the query deletes, or is one of a transaction;
    /// a snapshot or store that is closed there ends behind the read.
    ///
    /// # Example
    /// ```
    /// use entable::{ErrorCode, Operation, Query, Store, entity};
    /// let store = Store::in_memory()?;
    /// let orders = store.create_table("Orders")?;
    /// let rows = (0..1_000).map(|n| Operation::create(entity! { "DE", format!("{n:04}") }));
    /// store.submit_batch(rows.collect::<entable::Result<Vec<_>>>()?.into_iter().map(|row| (&orders, row)))?;
    /// let never = Query::filter("Total gt 10.0").stop_if(|| true);
    /// assert_eq!(orders.count(never).unwrap_err().code(), ErrorCode::Cancelled);
    /// # Ok::<(), entable::Error>(())
    /// ```
    #[must_use]
    pub fn stop_if(mut self, is_over: impl Fn() -> bool + Send + Sync + 'static) -> Query {
        self.stop = Some(Stop::new(is_over));
        self
    }

    pub(crate) fn total_limit(&self) -> Option<u64> {
        self.limit
    }

    /// Goes on where a page of the same query ended.
    #[must_use]
    pub fn continue_from(mut self, token: ContinuationToken) -> Query {
        self.continuation = Some(token);
        self
    }

    /// The filter alone, as a condition of a write takes it; text is read by the rules of the query's own mode, or of the
    /// default one.
    ///
    /// # Errors
    /// As [`Filter::parse_with`].
    ///
    /// # Example
    /// ```
    /// use entable::{Filter, Query};
    /// let query = Query::filter("Left ge @least").parameter("least", 1);
    /// assert_eq!(query.to_filter()?, Filter::parse("Left ge 1")?);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn to_filter(&self) -> crate::Result<Filter> {
        match &self.filter {
            Source::All => Ok(Filter::default()),
            Source::Text(text) => Filter::parse_with(text, &self.parameters, self.mode.unwrap_or_default()),
            Source::Built(filter) => Ok(filter.clone()),
        }
    }

    /// The filter alone, read by the rules of `store_mode` or of the query's own mode.
    pub(crate) fn into_filter(self, store_mode: Mode) -> crate::Result<Expr> {
        let mode = self.mode.unwrap_or(store_mode);
        match self.filter {
            Source::All => Ok(Expr::Constant(true)),
            Source::Text(text) => filter::parse(&text, &self.parameters, mode),
            Source::Built(filter) => {
                filter.check(mode)?;
                Ok(filter.expr().clone())
            }
        }
    }

    /// Reads and compares by the rules of this mode instead of the store's.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Query {
        self.mode = Some(mode);
        self
    }
}

impl From<&str> for Query {
    fn from(text: &str) -> Query {
        Query::filter(text)
    }
}

impl From<String> for Query {
    fn from(text: String) -> Query {
        Query::filter(text)
    }
}

impl From<Filter> for Query {
    fn from(filter: Filter) -> Query {
        Query::built(filter)
    }
}
