//! Changes that cannot be copied, each kept with its reason until it can.

use super::Projection;
use super::row::{State, VERSION};
use crate::feed::FeedPosition;
use crate::table::Table;
use crate::transaction::Transaction;
use crate::{Class, Entity, Error, Operation, Result, UpdateMode, Value};

const CODE: &str = "Code";
const REASON: &str = "Reason";
const ATTEMPTS: &str = "Attempts";

/// What became of dead letters: [`Projection::retry_dead_letters`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retried {
    /// Rows whose copies are those of now.
    pub done: u64,
    /// Rows that still cannot be copied.
    pub dead: u64,
}

/// What is kept of a change that could not be copied.
pub(super) struct DeadLetter {
    /// Behind the change; `None` for what was written by others.
    version: Option<FeedPosition>,
    attempts: i64,
}

impl DeadLetter {
    /// Whether it is of a later change than what is in front of this place.
    pub(super) fn is_later(&self, version: &FeedPosition) -> bool {
        self.version.as_ref().is_some_and(|own| own.is_of_feed(version) && !version.covers(own))
    }
}

impl Projection {
    /// The table of the dead letters, to be read: an entity for each row with a change that could not be copied, under the
    /// row's keys, with the `Code` of the error, the `Reason`, and how many `Attempts` there were. Its Timestamp is the
    /// time of the last one. A later change of the row that can be copied removes it.
    ///
    /// # Errors
    /// None: the name was looked at before.
    pub fn dead_letters(&self) -> Result<Table> {
        self.target().table(self.dead_letters.as_str())
    }

    /// Tries the rows of all dead letters again, as they are now, some hundred in a transaction.
    ///
    /// # Errors
    /// As [`Projection::catch_up`].
    pub fn retry_dead_letters(&self) -> Result<Retried> {
        let mut retried = Retried::default();
        self.walk(true, &self.dead_letters, |transaction, letters| {
            for letter in letters {
                let keys = (letter.partition_key(), letter.row_key());
                let (version, mut rows) = self.rows_of_now([keys])?;
                let row = rows.pop().flatten();
                let brought = self.bring(transaction, keys, &State { version: version.clone(), row: row.as_ref() });
                match self.or_dead_letter(transaction, keys, &version, brought)? {
                    Some(_) => retried.done += 1,
                    None => retried.dead += 1,
                }
            }
            Ok(())
        })?;
        Ok(retried)
    }

    /// What was done for a row; `None` if the reason why it was not is the row's, and is a dead letter now.
    ///
    /// # Errors
    /// That of the outcome, if it is the target's; those of writing the dead letter.
    pub(super) fn or_dead_letter<T>(
        &self,
        transaction: &Transaction,
        keys: (&str, &str),
        version: &FeedPosition,
        outcome: Result<T>,
    ) -> Result<Option<T>> {
        let error = match outcome {
            Ok(done) => return Ok(Some(done)),
            Err(error) if is_of_the_row(&error) => error,
            Err(error) => return Err(error),
        };
        let known = self.dead_letter(transaction, keys)?;
        let later = known.as_ref().filter(|known| known.is_later(version)).and_then(|known| known.version.as_ref());
        let attempts = known.as_ref().map_or(0, |known| known.attempts).saturating_add(1);
        let mut letter = Entity::new(keys.0, keys.1);
        letter.insert(CODE, error.code().name());
        letter.insert(REASON, error.fact_or_message());
        letter.insert(ATTEMPTS, Value::Int64(attempts));
        letter.insert(VERSION, later.unwrap_or(version).to_string());
        let letter = Operation::upsert(letter, UpdateMode::Replace)?;
        transaction.apply_all(&[(self.dead_letters.clone(), letter)])?;
        Ok(None)
    }

    pub(super) fn dead_letter(&self, transaction: &Transaction, keys: (&str, &str)) -> Result<Option<DeadLetter>> {
        let read = transaction.table(self.dead_letters.as_str())?.get_many([keys])?;
        Ok(read.iter().flatten().next().map(|letter| DeadLetter {
            version: letter.get(VERSION).and_then(Value::as_str).and_then(|text| text.parse().ok()),
            attempts: letter.get(ATTEMPTS).and_then(Value::as_i64).unwrap_or(0),
        }))
    }
}

/// Whether an error is one of a row, and not of the target.
fn is_of_the_row(error: &Error) -> bool {
    matches!(error.class(), Class::Exists | Class::Invalid | Class::TooLarge)
}
