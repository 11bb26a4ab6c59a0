//! The verbs of a table's indexes.

use super::{Table, indexes};
#[cfg(doc)]
use crate::ErrorCode;
use crate::Result;
use crate::codec::record::IndexRecord;
use crate::index::{Index, IndexInfo};
use crate::maintain::{Advice, IndexStats, advise, stats};
use crate::storage::Read;
use std::sync::Arc;

impl Table {
    /// Declares an index, and builds it: when this returns, queries use it.
    ///
    /// From its declaration on every write keeps its entries, in its own transaction. Rows that were there are gone
    /// through in steps: reads never wait, and other writes get their turn between them. What is left half built, by a
    /// kill say, goes on with the next opener that writes. While a unique one is built it does not refuse anything yet;
    /// it becomes unique in the transaction that makes it ready.
    ///
    /// Behind an error there is no index, and when its reason is gone the same call works. An index that goes on after a
    /// kill, and meets [`ErrorCode::UniqueIndexViolation`], [`ErrorCode::QuotaExceeded`],
    /// [`ErrorCode::StoreFull`] or [`ErrorCode::EntityTooLarge`], goes as well: nobody waits for that error, so it is
    /// an event of `tracing`, a warning, and the index is in [`Table::list_indexes`] no more.
    ///
    /// A table has at most 64 indexes.
    ///
    /// # Errors
    /// [`ErrorCode::IndexAlreadyExists`]; [`ErrorCode::TableNotFound`]; [`ErrorCode::InvalidInput`] for a declaration
    /// that breaks a rule of [`Index`]; [`ErrorCode::UniqueIndexViolation`] if it was to be unique, with the keys of
    /// the first ten pairs of entities that have the same value; [`ErrorCode::QuotaExceeded`] or
    /// [`ErrorCode::StoreFull`] if there is no room for its entries; [`ErrorCode::EntityTooLarge`] if it is to copy
    /// more of an entity than the file holds in one piece. Where the store fails so that not even the declaration can
    /// be taken back (closed meanwhile, a disk without a free byte), the index stays as one that is half built.
    ///
    /// # Example
    /// ```
    /// # use entable::{entity, ErrorCode, Index, Store};
    /// # let store = Store::in_memory()?;
    /// let people = store.create_table("People")?;
    /// people.create_index(Index::new("ByMail").properties(["Email"]).unique(true).fold_case(true))?;
    /// people.create_entity(entity! { "Sales", "1", "Email" => "jonesj@contoso.com" })?;
    /// let error = people.create_entity(entity! { "Sales", "2", "Email" => "JonesJ@contoso.com" }).unwrap_err();
    /// assert_eq!(error.code(), ErrorCode::UniqueIndexViolation);
    /// assert_eq!(error.details().holder, Some(("Sales".into(), "1".into())));
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn create_index(&self, index: Index) -> Result<()> {
        self.create_index_until(index, || false)
    }

    /// As [`Table::create_index`]; `is_over` is asked between two steps, of a tenth of a second or two each, whether the index
    /// is not wanted any more. Nothing is held then.
    ///
    /// # Errors
    /// As [`Table::create_index`]; [`ErrorCode::Cancelled`] if it was given up: there is no index then.
    pub fn create_index_until(&self, index: Index, mut is_over: impl FnMut() -> bool) -> Result<()> {
        self.declare(index, false, &mut is_over)
    }

    /// As [`Table::create_index`], but an index that is there already, of the same definition, is no error. If it is
    /// being built, this helps, and returns when it is ready.
    ///
    /// # Errors
    /// As [`Table::create_index`]; [`ErrorCode::IndexAlreadyExists`] for one of the name that was declared otherwise.
    pub fn create_index_if_not_exists(&self, index: Index) -> Result<()> {
        self.create_index_if_not_exists_until(index, || false)
    }

    /// As [`Table::create_index_if_not_exists`], asking as [`Table::create_index_until`] does.
    ///
    /// # Errors
    /// As [`Table::create_index_if_not_exists`]; [`ErrorCode::Cancelled`] if it was given up: an index that this call has
    /// declared is not there then, and one that was being built stays half built.
    pub fn create_index_if_not_exists_until(&self, index: Index, mut is_over: impl FnMut() -> bool) -> Result<()> {
        self.declare(index, true, &mut is_over)
    }

    fn declare(&self, index: Index, may_exist: bool, is_over: &mut dyn FnMut() -> bool) -> Result<()> {
        index.check(self.store.mode().limits()).map_err(|error| error.index_name(index.name()).table(self.name()))?;
        let is_ready = |record: &Arc<IndexRecord>| index.is_ready_as(record);
        // Most often it is there: no turn at the lock for that, and nothing to write.
        if may_exist && self.on_table(|target| Ok(target.table.index(index.name()).is_some_and(is_ready)))? {
            return Ok(());
        }
        self.check_writable()?;
        self.store.create_index(&self.name, index, may_exist, is_over)
    }

    /// Drops an index. At once; its space is freed in steps.
    ///
    /// # Errors
    /// [`ErrorCode::IndexNotFound`]; [`ErrorCode::TableNotFound`].
    ///
    /// # Example
    /// ```
    /// # use entable::{Index, Store};
    /// # let store = Store::in_memory()?;
    /// let people = store.create_table("People")?;
    /// people.create_index(Index::new("ByCity").properties(["City"]))?;
    /// people.drop_index("ByCity")?;
    /// assert!(people.list_indexes()?.is_empty());
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn drop_index(&self, name: &str) -> Result<()> {
        self.check_writable()?;
        self.store.drop_index(&self.name, name)
    }

    /// The indexes of the table, in the order in which they were declared.
    ///
    /// # Errors
    /// [`ErrorCode::TableNotFound`].
    ///
    /// # Example
    /// ```
    /// # use entable::{index::State, Index, Store};
    /// # let store = Store::in_memory()?;
    /// let people = store.create_table("People")?;
    /// people.create_index(Index::new("ByCity").properties(["City", "LastName"]))?;
    /// let indexes = people.list_indexes()?;
    /// assert_eq!((indexes[0].name(), indexes[0].state()), ("ByCity", State::Ready));
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn list_indexes(&self) -> Result<Vec<IndexInfo>> {
        self.on_table(|target| Ok(indexes(target)))
    }
    /// What each index holds and how often it was used, in the order in which they were declared. Reads all entries.
    ///
    /// # Errors
    /// [`ErrorCode::TableNotFound`]; [`ErrorCode::Damaged`].
    ///
    /// # Example
    /// See [`IndexStats`].
    pub fn index_stats(&self) -> Result<Vec<IndexStats>> {
        self.on_table(|target| {
            target.table.indexes.iter().map(|record| advise::index_stats(target.txn, record)).collect()
        })
    }

    /// What would make writes or queries of the table cheaper: indexes that are unused, that tell few entities apart, or
    /// that another one stands for, and filters that read many rows for each that they give; each with the reason, and
    /// the call that would help.
    ///
    /// Filters are those that this process asked through this store since it opened it, at most 64 forms of them:
    /// constants are not kept. Nothing is called unused before some hundred pages of queries. Reads all entries of the
    /// indexes.
    ///
    /// # Errors
    /// [`ErrorCode::TableNotFound`]; [`ErrorCode::Damaged`].
    ///
    /// # Example
    /// ```
    /// use entable::{entity, AdviceKind, Operation, Store};
    /// let store = Store::in_memory()?;
    /// let people = store.create_table("People")?;
    /// let rows = (0..2_000).map(|n| entity! { "p", n.to_string(), "Mail" => format!("user{n}@example.org") });
    /// store.submit_batch(rows.map(|row| (&people, Operation::create(row).unwrap())))?;
    /// for n in [5, 7, 9] {
    ///     people.query_page(format!("Mail eq 'user{n}@example.org'"))?;
    /// }
    /// let advice = &people.advise()?[0];
    /// assert_eq!((advice.kind, advice.filter.as_deref()), (AdviceKind::Missing, Some("Mail eq ?")));
    /// assert_eq!(advice.call, r#"create_index(Index::new("ByMail").properties(["Mail"]))"#);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn advise(&self) -> Result<Vec<Advice>> {
        self.on_table(|target| {
            let asked = self.store.asked().of_table(target.table.id);
            advise::advise(target.txn, target.table, &asked, stats::pages(target.txn.meter()))
        })
    }
}
