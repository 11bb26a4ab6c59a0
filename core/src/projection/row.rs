//! One row: which change its copies are of, and what is to be written so that they are of another one.

use super::Projection;
use crate::feed::FeedPosition;
use crate::transaction::Transaction;
use crate::{DateTime, Entity, Error, ErrorCode, Mode, Operation, Result, TableName, UpdateMode, Value, model, query};

pub(super) const VERSION: &str = "Version";
const ROW_TIMESTAMP: &str = "RowTimestamp";
pub(super) const DELETED: &str = "Deleted";

/// A row as it was at some place of the feed; none if it was gone.
pub(super) struct State<'s> {
    /// Behind the change that made it so. Versions of entities would not do: an import may give older ones back.
    pub(super) version: FeedPosition,
    pub(super) row: Option<&'s Entity>,
}

impl State<'_> {
    fn timestamp(&self) -> Option<DateTime> {
        self.row.and_then(Entity::timestamp)
    }
}

/// What is noted of a row.
pub(super) struct Note {
    version: FeedPosition,
    timestamp: Option<DateTime>,
    is_deleted: bool,
}

impl Note {
    /// From what is stored; what is no note is none.
    pub(super) fn read(stored: &Entity) -> Option<Note> {
        let timestamp = match stored.get(ROW_TIMESTAMP) {
            Some(Value::DateTime(timestamp)) => Some(*timestamp),
            _ => None,
        };
        let version = stored.get(VERSION)?.as_str()?.parse().ok()?;
        Some(Note { version, timestamp, is_deleted: stored.get(DELETED) == Some(&Value::Boolean(true)) })
    }

    /// Whether the copies are of this place of the feed, or of a later one.
    pub(super) fn covers(&self, version: &FeedPosition) -> bool {
        self.version.covers(version)
    }

    /// Whether the note is of the row as it is in `state`, and of the same feed.
    pub(super) fn is_of(&self, state: &State<'_>) -> bool {
        let is_same = self.version.is_of_feed(&state.version) && self.is_deleted == state.row.is_none();
        is_same && (self.is_deleted || self.timestamp == state.timestamp())
    }
}

fn note_of((partition_key, row_key): (&str, &str), state: &State<'_>) -> Entity {
    let mut note = Entity::new(partition_key, row_key);
    note.insert(VERSION, state.version.to_string());
    note.insert(DELETED, state.row.is_none());
    if let Some(timestamp) = state.timestamp() {
        note.insert(ROW_TIMESTAMP, timestamp);
    }
    note
}

/// What leads from the copies that are there to those that shall be.
#[derive(Default)]
pub(super) struct Difference {
    pub(super) missing: u64,
    pub(super) different: u64,
    pub(super) extra: u64,
    pub(super) operations: Vec<(TableName, Operation)>,
}

impl Projection {
    pub(super) fn note(&self, transaction: &Transaction, keys: (&str, &str)) -> Result<Option<Note>> {
        let read = transaction.table(self.versions.as_str())?.get_many([keys])?;
        Ok(read.iter().flatten().next().and_then(Note::read))
    }

    /// Rows as the source has them now, committed, and the place of the feed behind which that is. Asked inside a
    /// transaction of the target, it is not older than anything that was applied.
    pub(super) fn rows_of_now<'k>(
        &self,
        keys: impl IntoIterator<Item = (&'k str, &'k str)>,
    ) -> Result<(FeedPosition, Vec<Option<Entity>>)> {
        let limits = Mode::Extended.limits();
        self.source.at_feed_end(|target| {
            let read = |(partition_key, row_key)| match model::check_keys(partition_key, row_key, limits) {
                Ok(()) => query::read(target, partition_key, row_key, None),
                // Of a copy that was made by hand: no row has such keys.
                Err(_) => Ok(None),
            };
            keys.into_iter().map(read).collect()
        })
    }

    /// What is to be written so that the copies of a row are those that it shall have.
    ///
    /// # Errors
    /// Those of the row, such as a value that is no legal key, and those of the target.
    pub(super) fn difference(
        &self,
        transaction: &Transaction,
        keys: (&str, &str),
        row: Option<&Entity>,
    ) -> Result<Difference> {
        let name = self.layout.table();
        let table = transaction.table(name.as_str())?;
        let wanted = row.map_or(Ok(Vec::new()), |row| self.layout.copies(row))?;
        let stored = self.layout.stored(&table, keys)?;
        let mut difference = Difference::default();
        // What goes goes first: it may hold a unique value that comes.
        for extra in stored.iter().filter(|stored| !wanted.iter().any(|copy| has_keys_of(copy, stored))) {
            difference.extra += 1;
            difference.operations.push((name.clone(), Operation::delete(extra.partition_key(), extra.row_key())));
        }
        for copy in wanted {
            match stored.iter().find(|stored| has_keys_of(stored, &copy)) {
                Some(stored) if *stored == copy => continue,
                Some(_) => difference.different += 1,
                None => {
                    let there = table.get_many([(copy.partition_key(), copy.row_key())])?;
                    there.iter().flatten().try_for_each(|there| self.check_free(there))?;
                    difference.missing += 1;
                }
            }
            difference.operations.push((name.clone(), Operation::upsert(copy, UpdateMode::Replace)?));
        }
        Ok(difference)
    }

    /// Refuses to take the place of another row's copy: rows of several partitions may have one RowKey.
    fn check_free(&self, there: &Entity) -> Result<()> {
        let Some(owner) = self.layout.owner(there) else { return Ok(()) };
        let (_, rows) = self.rows_of_now([(owner.0.as_str(), owner.1.as_str())])?;
        if !self.is_wanted(there, rows.first().and_then(Option::as_ref)) {
            return Ok(());
        }
        let fact = format!("The copy of the row with the keys '{}' and '{}' has these keys.", owner.0, owner.1);
        let error = Error::new(ErrorCode::EntityAlreadyExists).fact(fact).table(self.layout.table().as_str());
        Err(error.keys(there.partition_key(), there.row_key()))
    }

    /// Whether the row that a copy names shall have one under its keys. If that cannot be told, the copy stays.
    pub(super) fn is_wanted(&self, copy: &Entity, row: Option<&Entity>) -> bool {
        let Some(row) = row else { return false };
        self.layout.copies(row).map_or(true, |wanted| wanted.iter().any(|wanted| has_keys_of(wanted, copy)))
    }

    /// Brings the copies of a row to a state, with the note, all or nothing. A dead letter of the row is done with.
    ///
    /// # Errors
    /// As [`Projection::difference`].
    pub(super) fn bring(&self, transaction: &Transaction, keys: (&str, &str), state: &State<'_>) -> Result<Difference> {
        let mut difference = self.difference(transaction, keys, state.row)?;
        let note = Operation::upsert(note_of(keys, state), UpdateMode::Replace)?;
        let operations = &mut difference.operations;
        operations.push((self.versions.clone(), note));
        // A late change that is older than the dead one does not make up for it.
        if self.dead_letter(transaction, keys)?.is_some_and(|letter| !letter.is_later(&state.version)) {
            operations.push((self.dead_letters.clone(), Operation::delete(keys.0, keys.1)));
        }
        transaction.apply_all(operations)?;
        Ok(difference)
    }
}

fn has_keys_of(one: &Entity, other: &Entity) -> bool {
    (one.partition_key(), one.row_key()) == (other.partition_key(), other.row_key())
}
