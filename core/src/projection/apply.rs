//! Changes of the feed, applied in their order, again, or in another one.

use super::Projection;
use super::row::State;
use crate::Result;
use crate::feed::{Change, ChangeKind};
use crate::transaction::Transaction;

/// Changes that [`Projection::catch_up`] reads at a time, whole commits.
const CHANGES_AT_A_TIME: usize = 1_000;
/// Of a commit with more changes, so many go into a transaction.
const CHANGES_A_TRANSACTION: usize = 10_000;

/// What became of changes: [`Projection::catch_up`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// How many changes there were.
    pub changes: u64,
    /// Those left out, since the copies are of a change that is as late.
    pub skipped: u64,
    /// Those that became dead letters.
    pub dead: u64,
    /// Whether there was more in the feed when it was read.
    pub has_more: bool,
}

impl Applied {
    fn add(&mut self, other: &Applied) {
        self.changes += other.changes;
        self.skipped += other.skipped;
        self.dead += other.dead;
    }
}

impl Projection {
    /// Applies all changes that are there, in steps.
    ///
    /// # Errors
    /// [`ErrorCode::ChangesNotKept`](crate::ErrorCode::ChangesNotKept) if changes are gone that were not done, and
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) if the source is a copy that began a life of its own:
    /// [`reconcile`](Projection::reconcile) then brings the copies up to date. What is wrong with the target and not with
    /// one change alone, such as [`ErrorCode::StoreFull`](crate::ErrorCode::StoreFull); keys that the target's mode does
    /// not allow are part of that. [`ErrorCode::ConsumerNotFound`](crate::ErrorCode::ConsumerNotFound),
    /// [`ErrorCode::TableNotFound`](crate::ErrorCode::TableNotFound) before [`create`](Projection::create).
    pub fn catch_up(&self) -> Result<Applied> {
        let mut all = Applied::default();
        loop {
            let applied = self.step(CHANGES_AT_A_TIME)?;
            all.add(&applied);
            if !applied.has_more {
                return Ok(all);
            }
        }
    }

    /// Applies the next changes: whole commits, until there are `most` of them or more. The copies of a commit are seen
    /// together, unless it has more than 10,000 changes.
    ///
    /// # Errors
    /// As [`Projection::catch_up`].
    pub fn step(&self, most: usize) -> Result<Applied> {
        let begin = self.position()?;
        // What was done when a kill came before this is not kept for it any longer.
        self.follow(&begin)?;
        let page = self.source.read_changes(&begin, most)?;
        let mut all = Applied { has_more: page.has_more, ..Applied::default() };
        let mut parts = page.changes.chunks(CHANGES_A_TRANSACTION).peekable();
        while let Some(part) = parts.next() {
            let to = match (part.last(), parts.peek()) {
                (Some(last), Some(_)) => last.behind(),
                _ => page.position.clone(),
            };
            all.add(&self.target().transaction(|transaction| {
                let applied = self.apply_in(transaction, part)?;
                self.advance(transaction, &to)?;
                Ok(applied)
            })?);
            self.follow(&to)?;
        }
        Ok(all)
    }

    /// Applies changes of the source that come another way than in the feed's order (through a queue, say): some of them
    /// again, a later one first. What of them is later than the copies is done, the others are left out. The position in
    /// the feed stays.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for a change of another table or store; as
    /// [`Projection::catch_up`].
    pub fn apply(&self, changes: &[Change]) -> Result<Applied> {
        changes.iter().try_for_each(|change| self.source.check_own_change(change))?;
        let mut all = Applied::default();
        for part in changes.chunks(CHANGES_A_TRANSACTION) {
            all.add(&self.target().transaction(|transaction| self.apply_in(transaction, part))?);
        }
        Ok(all)
    }

    fn apply_in(&self, transaction: &Transaction, changes: &[Change]) -> Result<Applied> {
        let mut applied = Applied { changes: changes.len() as u64, ..Applied::default() };
        for change in changes {
            let keys = (change.partition_key.as_str(), change.row_key.as_str());
            let outcome = self.apply_one(transaction, keys, change);
            match self.or_dead_letter(transaction, keys, &change.behind(), outcome)? {
                Some(true) => {}
                Some(false) => applied.skipped += 1,
                None => applied.dead += 1,
            }
        }
        Ok(applied)
    }

    /// Tells whether the change was later than what the copies are of.
    fn apply_one(&self, transaction: &Transaction, keys: (&str, &str), change: &Change) -> Result<bool> {
        let version = change.behind();
        if self.note(transaction, keys)?.is_some_and(|note| note.covers(&version)) {
            return Ok(false);
        }
        if change.kind == ChangeKind::Deleted || change.entity.is_some() {
            let state = State { version, row: change.entity.as_ref() };
            return self.bring(transaction, keys, &state).map(|_| true);
        }
        // The feed holds keys alone. Of a row that is gone by now, the change that says so comes.
        let (version, mut rows) = self.rows_of_now([keys])?;
        let Some(row) = rows.pop().flatten() else { return Ok(false) };
        self.bring(transaction, keys, &State { version, row: Some(&row) }).map(|_| true)
    }
}
