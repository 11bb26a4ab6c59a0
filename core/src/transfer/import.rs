//! Into a store.

use super::form::{self, Line, TableLine};
use crate::write::{Operation, UpdateMode};
use crate::{ETag, Error, ErrorCode, Result, Store, Table};
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;

/// Entities of a batch: those of one transaction.
const BATCH_ENTITIES: usize = 1_000;
/// Bytes of lines behind which a batch is done, however few entities it has.
const BATCH_BYTES: usize = 4 << 20;

/// What an import does with an entity whose keys the table has already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// It is an error, and the import ends there.
    #[default]
    Refuse,
    /// The stored entity stays as it is.
    Skip,
    /// The line's entity takes its place.
    Replace,
    /// The line's properties are laid over it.
    Merge,
}

/// How an import goes about it.
///
/// # Example
/// See [`Store::import`].
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    existing: Existing,
    keeps_versions: bool,
    after_line: u64,
}

impl ImportOptions {
    /// From the first line; an entity that is there already is an error; each entity gets a version of its own.
    pub fn new() -> ImportOptions {
        ImportOptions::default()
    }

    /// What is done with an entity that is there already.
    #[must_use]
    pub fn existing(mut self, existing: Existing) -> ImportOptions {
        self.existing = existing;
        self
    }

    /// Whether entities get the Timestamp and ETag that their lines have. Those that the store gives afterwards are later
    /// than all of them. Not with [`Existing::Merge`], whose result is no entity that had that version.
    #[must_use]
    pub fn versions(mut self, keeps_versions: bool) -> ImportOptions {
        self.keeps_versions = keeps_versions;
        self
    }

    /// Goes on behind the line of this number, which was the last one that an import of the same lines has loaded.
    #[must_use]
    pub fn after_line(mut self, line: u64) -> ImportOptions {
        self.after_line = line;
        self
    }
}

/// What an import has loaded so far, and at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// Entities that were written.
    pub entities: u64,
    /// Entities that were there and stayed, by [`Existing::Skip`].
    pub skipped: u64,
    /// The last line that is loaded, from 1: with it [`ImportOptions::after_line`] goes on.
    pub line: u64,
}

impl Store {
    /// Loads what [`Store::export`] has written: makes the tables and indexes that are not there, and stores the entities,
    /// in transactions of up to 1,000.
    ///
    /// Each of these is there as a whole or not at all, whenever the import ends. Memory is that of one of them.
    ///
    /// # Errors
    /// As [`Store::import_with`].
    ///
    /// # Example
    /// ```
    /// use entable::{ErrorCode, Existing, ImportOptions, Store};
    /// let lines = r#"{"entable.export":1,"versions":false,"tables":[{"name":"Orders"}]}
    /// {"table":"Orders"}
    /// {"PartitionKey":"DE","RowKey":"0001","Views@odata.type":"Edm.Int64","Views":"5"}
    /// "#;
    /// let store = Store::in_memory()?;
    /// assert_eq!(store.import(lines.as_bytes(), &ImportOptions::new())?.entities, 1);
    /// let again = store.import(lines.as_bytes(), &ImportOptions::new()).unwrap_err();
    /// assert_eq!((again.code(), again.details().line), (ErrorCode::EntityAlreadyExists, Some(3)));
    /// let skip = ImportOptions::new().existing(Existing::Skip);
    /// assert_eq!(store.import(lines.as_bytes(), &skip)?.skipped, 1);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn import(&self, lines: impl BufRead, options: &ImportOptions) -> Result<Imported> {
        self.import_with(lines, options, |_| ControlFlow::Continue(()))
    }

    /// As [`Store::import`]; `progress` is called behind each transaction, and may say that it is enough.
    ///
    /// # Errors
    /// Each has the [`line`](crate::Details::line), from 1, and what is loaded, in its text and as
    /// [`loaded_line`](crate::Details::loaded_line): the last line of the last transaction. [`ErrorCode::InvalidInput`] and the
    /// other codes of S4.7 for a line that is no entity of the store's mode, with the property;
    /// [`ErrorCode::EntityAlreadyExists`]; [`ErrorCode::NewerFormat`] for an export of a later version;
    /// [`ErrorCode::Io`] for what `lines` fails with; those of [`Store::submit_batch`] and
    /// [`Table::create_index`](crate::Table::create_index).
    pub fn import_with(
        &self,
        lines: impl BufRead,
        options: &ImportOptions,
        mut progress: impl FnMut(&Imported) -> ControlFlow<()>,
    ) -> Result<Imported> {
        if options.keeps_versions && options.existing == Existing::Merge {
            return Err(Error::invalid("What is merged is no entity that had the version of its line."));
        }
        let mut import =
            Import { store: self, options, table: None, batch: Batch::default(), done: Imported::default() };
        // In JSON a byte of text takes six at most, and what stands around a property less than the property.
        let most_bytes = (self.mode().limits().entity_bytes as u64).saturating_mul(8);
        import.run(Lines { lines, number: 0, text: Vec::new(), most_bytes }, &mut progress)
    }
}

struct Import<'a> {
    store: &'a Store,
    options: &'a ImportOptions,
    /// The table whose entities are read.
    table: Option<Table>,
    batch: Batch,
    done: Imported,
}

/// What is to be written together.
#[derive(Default)]
struct Batch {
    operations: Vec<Operation>,
    /// The line of each operation, and its table.
    places: Vec<(u64, Table)>,
    bytes: usize,
}

impl Import<'_> {
    fn run(
        &mut self,
        mut lines: Lines<impl BufRead>,
        progress: &mut impl FnMut(&Imported) -> ControlFlow<()>,
    ) -> Result<Imported> {
        self.done.line = self.options.after_line;
        loop {
            let (number, text) = match lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => return Err(self.told(error, lines.number)),
            };
            if let Err(error) = self.read(number, text) {
                return Err(self.told(error, number));
            }
            if number > self.options.after_line {
                self.batch.bytes += text.len();
            }
            if self.batch.operations.len() >= BATCH_ENTITIES || self.batch.bytes >= BATCH_BYTES {
                self.load(number)?;
                if progress(&self.done).is_break() {
                    return Ok(self.done);
                }
            }
        }
        if lines.number == 0 {
            return Err(Error::invalid("There is no line, not even the header of an export."));
        }
        self.load(lines.number)?;
        // Nothing is left that it could give up.
        let _ = progress(&self.done);
        Ok(self.done)
    }

    fn read(&mut self, number: u64, text: &str) -> Result<()> {
        if number == 1 {
            return self.begin(text);
        }
        if number <= self.options.after_line {
            // Whose entities those behind it are.
            if let Some(name) = TableLine::read(text) {
                self.table = Some(self.store.table(&name)?);
            }
            return Ok(());
        }
        match Line::read(text, self.store.mode())? {
            Line::Table(name) => self.table = Some(self.store.create_table_if_not_exists(&name)?),
            Line::Entity(entity) => {
                let no_table = || Error::invalid("No line before it names a table.");
                let table = self.table.clone().ok_or_else(no_table)?;
                let version = entity.etag().and_then(ETag::timestamp).filter(|_| self.options.keeps_versions);
                let operation = match self.options.existing {
                    Existing::Refuse => Operation::create(*entity),
                    Existing::Skip => Operation::create_or_get(*entity),
                    Existing::Replace => Operation::upsert(*entity, UpdateMode::Replace),
                    Existing::Merge => Operation::upsert(*entity, UpdateMode::Merge),
                }?;
                self.batch.operations.push(operation.of_version(version)?);
                self.batch.places.push((number, table));
            }
        }
        Ok(())
    }

    /// Makes what the header names, so that the rows are kept right from the first one on.
    fn begin(&self, text: &str) -> Result<()> {
        let header = form::header(text)?;
        for table in header.tables {
            let made = self.store.create_table_if_not_exists(&table.name)?;
            for index in table.indexes {
                made.create_index_if_not_exists(index.into_index())?;
            }
        }
        Ok(())
    }

    /// Writes the batch, with which everything up to this line is loaded.
    fn load(&mut self, line: u64) -> Result<()> {
        let Batch { operations, places, .. } = std::mem::take(&mut self.batch);
        let tables = places.iter().map(|(_, table)| table);
        let written = self.store.submit_batch(tables.zip(operations)).map_err(|error| {
            let place = error.details().index.and_then(|index| places.get(index));
            self.told(error.without_index(), place.map_or(line, |(number, _)| *number))
        })?;
        let skipped = written.iter().flatten().filter(|written| written.is_found()).count() as u64;
        self.done.entities += written.len() as u64 - skipped;
        self.done.skipped += skipped;
        self.done.line = self.done.line.max(line);
        Ok(())
    }

    /// The error with its line, and with what is loaded.
    fn told(&self, error: Error, number: u64) -> Error {
        let error = error.line(number, self.done.line);
        match &self.table {
            Some(table) => error.table(table.name()),
            None => error,
        }
    }
}

/// Lines with their numbers, one in memory at a time.
struct Lines<R> {
    lines: R,
    /// Of the line that was read last, from 1.
    number: u64,
    text: Vec<u8>,
    /// Bytes that a line may have.
    most_bytes: u64,
}

impl<R: BufRead> Lines<R> {
    /// The next line that is not blank, with its number.
    fn next(&mut self) -> Result<Option<(u64, &str)>> {
        loop {
            self.text.clear();
            let failed =
                |error: io::Error| Error::new(ErrorCode::Io).fact("The lines could not be read.").caused_by(error);
            // Not without end: a device may give bytes for ever, and no line.
            let mut line = self.lines.by_ref().take(self.most_bytes + 1);
            if line.read_until(b'\n', &mut self.text).map_err(failed)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            let bytes = self.text.len() as u64;
            if bytes > self.most_bytes {
                let fact = format!("The line is longer than {} bytes, and no entity is.", self.most_bytes);
                return Err(Error::invalid(fact).limit(self.most_bytes as usize, bytes as usize));
            }
            if !self.text.trim_ascii().is_empty() {
                break;
            }
        }
        let not_text = |_| Error::invalid("The line is not UTF-8.");
        std::str::from_utf8(self.text.trim_ascii()).map(|text| Some((self.number, text))).map_err(not_text)
    }
}
