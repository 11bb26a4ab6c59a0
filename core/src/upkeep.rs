//! Copies of a store, its file made smaller, and what it says of itself.

use crate::maintain::rewrite::{self, Life};
use crate::maintain::{Advice, Copied, Progress, Stats, stats};
use crate::store::Store;
use crate::{ErrorCode, Result, storage};
use std::ops::ControlFlow;
use std::path::Path;
use tracing::field::Empty;

impl Store {
    /// Copies the store as it is now into a new file at `path`, while it is in use. The copy opens as any store does.
    ///
    /// All records are read, checked against their checksums, and written in key order into a file of full pages,
    /// which is private to the user, synced, and gets its name only when it is whole: a copy that fails, or is killed,
    /// leaves nothing of that name. Readers and writers go on meanwhile; what is written after the copy began is not
    /// in it, and the file takes no space back as long as it goes on, as with a [`Snapshot`](crate::Snapshot).
    ///
    /// The copy keeps the id of the store, and begins a life of its own: continuation tokens, and positions in the
    /// change feed, that were given by the original are refused by it, since both may be written from here on. To
    /// restore, close the store everywhere and put the copy in its place.
    ///
    /// # Errors
    /// [`ErrorCode::FileExists`](crate::ErrorCode::FileExists) if there is something at `path`, whose folder must be there;
    /// [`ErrorCode::Damaged`](crate::ErrorCode::Damaged) with the table and keys of an entity whose checksum is wrong;
    /// [`ErrorCode::NewerFormat`](crate::ErrorCode::NewerFormat) for what this version could not carry over;
    /// [`ErrorCode::StoreFull`](crate::ErrorCode::StoreFull), [`ErrorCode::Io`](crate::ErrorCode::Io).
    ///
    /// # Example
    /// ```
    /// use entable::{entity, Store};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("monday.ent");
    /// let store = Store::in_memory()?;
    /// let orders = store.create_table("Orders")?;
    /// orders.create_entity(entity! { "DE", "0001" })?;
    /// store.backup(&path)?;
    /// orders.delete_entity("DE", "0001")?;
    /// assert!(Store::open(&path)?.table("Orders")?.exists("DE", "0001")?);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn backup(&self, path: impl AsRef<Path>) -> Result<Copied> {
        self.backup_with(path, |_| ControlFlow::Continue(()))
    }

    /// As [`Store::backup`]; `progress` is called at the start, every 10,000 records, and at the end, and says whether the
    /// copy goes on.
    ///
    /// # Errors
    /// As [`Store::backup`]; [`ErrorCode::Cancelled`](crate::ErrorCode::Cancelled) if it was given up: there is no file of that
    /// name then.
    ///
    /// # Example
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("monday.ent");
    /// # let store = entable::Store::in_memory()?;
    /// store.backup_with(&path, |progress| {
    ///     println!("{} of {}", progress.records, progress.total_records);
    ///     std::ops::ControlFlow::Continue(())
    /// })?;
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn backup_with(
        &self,
        path: impl AsRef<Path>,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Copied> {
        self.copy(path.as_ref(), Life::Own, progress)
    }

    /// Writes the store as it is now into a new file at `path`, to take its place: smaller where much was deleted, or
    /// written in another order than that of the keys.
    ///
    /// As [`Store::backup`], but the new file goes on with the life of the store: tokens and positions stay good. Use
    /// one of the two files from then on. What is written to this store after the copy began is not in it; to lose
    /// nothing, let nobody write until the file is in place, or use [`Store::compact`].
    ///
    /// # Errors
    /// As [`Store::backup`].
    ///
    /// # Example
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("small.ent");
    /// # let store = entable::Store::in_memory()?;
    /// let copied = store.compact_into(&path)?;
    /// println!("{} bytes instead of {}", copied.bytes_after, copied.bytes_before);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn compact_into(&self, path: impl AsRef<Path>) -> Result<Copied> {
        self.compact_into_with(path, |_| ControlFlow::Continue(()))
    }

    /// As [`Store::compact_into`], telling `progress` as [`Store::backup_with`] does.
    ///
    /// # Errors
    /// As [`Store::backup_with`].
    pub fn compact_into_with(
        &self,
        path: impl AsRef<Path>,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Copied> {
        self.copy(path.as_ref(), Life::Same, progress)
    }

    fn copy(&self, path: &Path, life: Life, mut progress: impl FnMut(Progress) -> ControlFlow<()>) -> Result<Copied> {
        let span = tracing::debug_span!(target: "entable", "backup", records = Empty, bytes = Empty).entered();
        let live = self.live()?;
        let held = storage::HeldTxn::new(&live)?;
        let copied = rewrite::into_file(held.txn()?, live.file_bytes()?, path, life, &mut progress)?;
        span.record("records", copied.records).record("bytes", copied.bytes_after);
        Ok(copied)
    }

    /// What the store says of itself: latencies, sizes, readers, busy partitions, kinds of queries.
    ///
    /// # Errors
    /// [`ErrorCode::StoreClosed`](crate::ErrorCode::StoreClosed).
    pub fn stats(&self) -> Result<Stats> {
        stats::stats(&*self.live()?, self.now())
    }

    /// What would make writes or queries cheaper, table by table: see [`Table::advise`](crate::Table::advise).
    ///
    /// # Errors
    /// [`ErrorCode::StoreClosed`](crate::ErrorCode::StoreClosed), [`ErrorCode::Damaged`](crate::ErrorCode::Damaged).
    ///
    /// # Example
    /// ```
    /// # let store = entable::Store::in_memory()?;
    /// for advice in store.advise()? {
    ///     println!("{advice}");
    /// }
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn advise(&self) -> Result<Vec<Advice>> {
        let mut advice = Vec::new();
        for name in self.list_tables()? {
            match self.table(name.as_str())?.advise() {
                Ok(of_table) => advice.extend(of_table),
                // Somebody has just deleted it.
                Err(error) if error.code() == ErrorCode::TableNotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(advice)
    }

    /// Writes the store's file anew and puts the new one in its place: smaller where much was deleted, or written in
    /// another order than that of the keys. The store stays open; other calls wait.
    ///
    /// The new file, on the same disk, takes the place of the old one in one step: a kill or power cut at any moment
    /// leaves the one or the other, whole. Every acknowledged write is in both. Continuation tokens and positions stay
    /// good. `Copied` says how much was gained.
    ///
    /// # Errors
    /// [`ErrorCode::StoreBusy`](crate::ErrorCode::StoreBusy) while another process has the file open, or this one in
    /// another `Store`, a snapshot or transaction, or a call that does not end within a second: what they would
    /// write, they would write to a file that is no longer there. [`ErrorCode::TransactionOpen`](crate::ErrorCode::TransactionOpen)
    /// inside a transaction of this thread. [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput)
    /// in memory. Otherwise as [`Store::backup`]. The store is as before then, and open, unless its file cannot be opened
    /// again; then it is closed.
    ///
    /// # Example
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("orders.ent");
    /// # let store = entable::Store::open(path)?;
    /// let copied = store.compact()?;
    /// println!("{} bytes instead of {}", copied.bytes_after, copied.bytes_before);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn compact(&self) -> Result<Copied> {
        self.compact_with(|_| ControlFlow::Continue(()))
    }

    /// As [`Store::compact`], telling `progress` as [`Store::backup_with`] does.
    ///
    /// It is told while all other calls wait: what it calls of the store itself is
    /// [`ErrorCode::StoreBusy`](crate::ErrorCode::StoreBusy), and [`Store::close`] takes effect when the file is in place.
    ///
    /// # Errors
    /// As [`Store::compact`]; [`ErrorCode::Cancelled`](crate::ErrorCode::Cancelled) if it was given up, and the file is as it
    /// was; [`ErrorCode::StoreForked`](crate::ErrorCode::StoreForked) in the child of a fork that
    /// `progress` made: it belongs to the parent.
    pub fn compact_with(&self, mut progress: impl FnMut(Progress) -> ControlFlow<()>) -> Result<Copied> {
        let span = tracing::debug_span!(target: "entable", "compact", records = Empty, bytes = Empty).entered();
        let copied = self.exchange(|live| rewrite::in_place(live, &mut progress))?;
        span.record("records", copied.records).record("bytes", copied.bytes_after);
        Ok(copied)
    }
}
