//! Rows and copies compared, in key order, and what differs repaired.

use super::Projection;
use super::row::{DELETED, Difference, Note, State};
use crate::transaction::Transaction;
use crate::{ContinuationToken, DateTime, Entity, Operation, Query, Result, TableName};

/// Rows, or copies, that are looked at in a transaction.
const AT_A_TIME: usize = 500;

/// What differed between rows and copies: [`Projection::reconcile`], [`Projection::compare`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reconciled {
    /// Rows that were looked at.
    pub rows: u64,
    /// Copies that were looked at.
    pub copies: u64,
    /// Copies that were not there.
    pub missing: u64,
    /// Copies that held something else.
    pub different: u64,
    /// Copies that no row has, or that do not say of which row they are.
    pub extra: u64,
    /// Rows whose copies are right, and only the note says another version.
    pub notes: u64,
    /// Rows that cannot be copied: [`Projection::dead_letters`].
    pub dead: u64,
}

impl Reconciled {
    /// Whether each row had its copies, and there were no others.
    pub fn is_equal(&self) -> bool {
        self.missing + self.different + self.extra + self.dead == 0
    }
}

impl Projection {
    /// Compares rows and copies, and changes nothing. Changes that are not done yet count as differences. It takes the
    /// turns of a writer of the target, for some hundred rows at a time.
    ///
    /// # Errors
    /// As [`Projection::reconcile`].
    pub fn compare(&self) -> Result<Reconciled> {
        self.go_through(false)
    }

    /// Compares rows and copies in key order, and brings the copies to the rows as they are: missing ones are written,
    /// wrong ones replaced, others removed, and rows that cannot be copied become dead letters. Afterwards the position is
    /// behind all that was done to the source before. Each transaction takes some hundred rows; whoever is stopped begins
    /// anew, and finds what was repaired right. Tells what was repaired.
    ///
    /// # Errors
    /// As [`Projection::catch_up`], but that changes are not kept, or that the source has another life by now, is none.
    pub fn reconcile(&self) -> Result<Reconciled> {
        self.go_through(true)
    }

    fn go_through(&self, repairs: bool) -> Result<Reconciled> {
        let mut found = Reconciled::default();
        let (end, ()) = self.source.at_feed_end(|_| Ok(()))?;
        // What stands where it should not goes first: the place may be another row's.
        self.walk(repairs, self.layout.table(), |transaction, copies| {
            self.remove_unwanted(transaction, copies, &mut found)
        })?;
        let keys_only = Query::all().page_size(AT_A_TIME).select(["PartitionKey", "RowKey"]);
        for page in self.source.query_entities(keys_only)?.by_page() {
            let rows = page?.entities;
            self.run(repairs, |transaction| self.repair(transaction, &rows, repairs, &mut found))?;
        }
        self.walk(repairs, &self.versions, |transaction, notes| self.bury(transaction, notes, repairs, &mut found))?;
        if repairs {
            self.target().transaction(|transaction| self.advance(transaction, &end))?;
            self.follow(&end)?;
        }
        Ok(found)
    }

    /// Removes, of these copies, those that no row has.
    fn remove_unwanted(&self, transaction: &Transaction, copies: &[Entity], found: &mut Reconciled) -> Result<()> {
        let name = self.layout.table();
        let owned: Vec<_> = copies.iter().map(|copy| (copy, self.layout.owner(copy))).collect();
        let owners = owned.iter().filter_map(|(_, owner)| owner.as_ref()).map(|(pk, rk)| (pk.as_str(), rk.as_str()));
        let mut rows = self.rows_of_now(owners)?.1.into_iter();
        found.copies += copies.len() as u64;
        for (copy, owner) in &owned {
            let row = owner.as_ref().and_then(|_| rows.next().flatten());
            if !self.is_wanted(copy, row.as_ref()) {
                found.extra += 1;
                let removal = Operation::delete(copy.partition_key(), copy.row_key());
                transaction.apply_all(&[(name.clone(), removal)])?;
            }
        }
        Ok(())
    }

    /// Brings the copies of rows, of which the keys are given, to what the rows are now.
    fn repair(&self, transaction: &Transaction, of: &[Entity], repairs: bool, found: &mut Reconciled) -> Result<()> {
        let keys = || of.iter().map(|row| (row.partition_key(), row.row_key()));
        let (version, rows) = self.rows_of_now(keys())?;
        for (keys, row) in keys().zip(&rows) {
            // Gone in between: its note is looked at later.
            let Some(row) = row else { continue };
            found.rows += 1;
            let state = State { version: version.clone(), row: Some(row) };
            let difference = self.repair_one(transaction, keys, &state);
            match self.or_dead_letter(transaction, keys, &version, difference)? {
                Some(difference) => found.add(difference, repairs),
                None => found.dead += 1,
            }
        }
        Ok(())
    }

    fn repair_one(
        &self,
        transaction: &Transaction,
        keys: (&str, &str),
        state: &State<'_>,
    ) -> Result<Option<Difference>> {
        let is_noted = self.note(transaction, keys)?.is_some_and(|note| note.is_of(state));
        if is_noted && self.difference(transaction, keys, state.row)?.operations.is_empty() {
            return Ok(None);
        }
        self.bring(transaction, keys, state).map(Some)
    }

    /// Makes tombstones of the notes of rows that are gone.
    fn bury(&self, transaction: &Transaction, notes: &[Entity], repairs: bool, found: &mut Reconciled) -> Result<()> {
        let keys = || notes.iter().map(|note| (note.partition_key(), note.row_key()));
        let (version, rows) = self.rows_of_now(keys())?;
        let state = State { version, row: None };
        for ((keys, note), _) in keys().zip(notes).zip(&rows).filter(|(_, row)| row.is_none()) {
            if !Note::read(note).is_some_and(|note| note.is_of(&state)) {
                found.add(Some(self.bring(transaction, keys, &state)?), repairs);
            }
        }
        Ok(())
    }

    /// Goes through a table of the target in key order, some hundred entities in a transaction, which comes to nothing
    /// where nothing is to be repaired.
    pub(super) fn walk(
        &self,
        repairs: bool,
        name: &TableName,
        mut work: impl FnMut(&Transaction, &[Entity]) -> Result<()>,
    ) -> Result<()> {
        let mut token: Option<ContinuationToken> = None;
        loop {
            token = self.run(repairs, |transaction| {
                let query = Query::all().page_size(AT_A_TIME);
                let query = match token.take() {
                    Some(token) => query.continue_from(token),
                    None => query,
                };
                let page = transaction.table(name.as_str())?.query_page(query)?;
                work(transaction, &page.entities)?;
                Ok(page.continuation_token)
            })?;
            if token.is_none() {
                return Ok(());
            }
        }
    }

    fn run<T>(&self, repairs: bool, work: impl FnOnce(&Transaction) -> Result<T>) -> Result<T> {
        let transaction = self.target().begin()?;
        let outcome = work(&transaction)?;
        match repairs {
            true => transaction.commit()?,
            false => transaction.rollback(),
        }
        Ok(outcome)
    }

    /// Removes the tombstones that were noted before a time, and tells how many: once no change from before it can come
    /// any more. A change of the row that comes all the same would bring the copies back, until the next
    /// [`reconcile`](Projection::reconcile).
    ///
    /// # Errors
    /// As [`Table::delete_entities`](crate::Table::delete_entities).
    pub fn drop_tombstones(&self, before: DateTime) -> Result<u64> {
        let query = Query::filter(format!("{DELETED} eq true and Timestamp lt @before")).parameter("before", before);
        self.target().table(self.versions.as_str())?.delete_entities(query)
    }
}

impl Reconciled {
    /// Counts what a row's copies differed in; `None` for nothing. Copies that no row has were counted before, and if
    /// nothing is repaired, they are there again.
    fn add(&mut self, difference: Option<Difference>, repairs: bool) {
        let Some(difference) = difference else { return };
        let (missing, different, extra) = (difference.missing, difference.different, difference.extra);
        self.missing += missing;
        self.different += different;
        self.extra += if repairs { extra } else { 0 };
        self.notes += u64::from(missing + different + extra == 0);
    }
}
