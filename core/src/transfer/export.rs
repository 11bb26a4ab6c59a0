//! Out of a store.

use super::form::{FORMAT, Header, IndexHeader, TableHeader, TableLine, line};
use super::refusal::{Refused, refusals};
use crate::model::exact_json;
use crate::{ContinuationToken, Entity, Error, ErrorCode, Query, Result, Snapshot, Store, Table};
use std::fmt;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::str::FromStr;

/// What an export writes, and from where on.
///
/// # Example
/// See [`Store::export`].
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    tables: Option<Vec<String>>,
    has_versions: bool,
    snapshot: Option<Snapshot>,
    from: Option<ExportPosition>,
}

impl ExportOptions {
    /// All tables, with their indexes, without versions.
    pub fn new() -> ExportOptions {
        ExportOptions::default()
    }

    /// These tables alone, in this order.
    #[must_use]
    pub fn tables<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> ExportOptions {
        self.tables = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Whether each entity has its Timestamp and ETag, so that an import can give it back as it was, version and all.
    #[must_use]
    pub fn versions(mut self, has_versions: bool) -> ExportOptions {
        self.has_versions = has_versions;
        self
    }

    /// The moment that is exported. Without it the export takes a snapshot of its own, which it lets go of at its end; an
    /// export that goes on from a position then sees what was written meanwhile.
    #[must_use]
    pub fn snapshot(mut self, snapshot: &Snapshot) -> ExportOptions {
        self.snapshot = Some(snapshot.clone());
        self
    }

    /// Goes on where an export of the same tables was stopped: what is written then belongs behind what was written before.
    #[must_use]
    pub fn from_position(mut self, position: ExportPosition) -> ExportOptions {
        self.from = Some(position);
        self
    }

    pub(super) fn goes_on(&self) -> bool {
        self.from.is_some()
    }
}

/// Where an export stands: text that can be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportPosition {
    table: String,
    /// `None` at the table's beginning, its line not written yet.
    token: Option<ContinuationToken>,
}

impl fmt::Display for ExportPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.token {
            Some(token) => write!(f, "{}:{token}", self.table),
            None => f.write_str(&self.table),
        }
    }
}

impl FromStr for ExportPosition {
    type Err = Error;

    /// # Errors
    /// [`ErrorCode::InvalidInput`] for text that is no position.
    fn from_str(text: &str) -> Result<ExportPosition> {
        let (table, token) = match text.split_once(':') {
            Some((table, token)) => (table, Some(token.parse()?)),
            None => (text, None),
        };
        if table.is_empty() {
            return Err(Error::invalid("This is no position of an export."));
        }
        Ok(ExportPosition { table: table.to_owned(), token })
    }
}

/// What an export has written so far, and at its end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Exported {
    /// Entities.
    pub entities: u64,
    /// Bytes.
    pub bytes: u64,
    /// Where it goes on; `None` at the end.
    pub position: Option<ExportPosition>,
}

impl Store {
    /// Writes all entities as lines of JSON: the service's own, with the types that JSON does not tell, one entity a line.
    ///
    /// The first line names the tables with their indexes; before a table's entities a line names the table. What
    /// [`Store::import`] reads from it is the same, type by type and bit by bit; with [`ExportOptions::versions`] also
    /// Timestamps and ETags. All of it is one moment of the store. Memory is that of a page; others read and write meanwhile.
    ///
    /// # Errors
    /// As [`Store::export_with`].
    ///
    /// # Example
    /// ```
    /// use entable::{ExportOptions, ImportOptions, Store, entity};
    /// let store = Store::in_memory()?;
    /// store.create_table("Orders")?.create_entity(entity! { "DE", "0001", "Total" => 12.5, "Views" => 5_i64 })?;
    /// let mut lines = Vec::new(); // or a file
    /// let exported = store.export(&mut lines, &ExportOptions::new().versions(true))?;
    /// assert_eq!(exported.entities, 1);
    /// let other = Store::in_memory()?;
    /// other.import(&*lines, &ImportOptions::new().versions(true))?;
    /// let (before, after) = (store.table("Orders")?, other.table("Orders")?);
    /// assert_eq!(after.get_entity("DE", "0001")?.etag(), before.get_entity("DE", "0001")?.etag());
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn export(&self, out: impl Write, options: &ExportOptions) -> Result<Exported> {
        self.export_with(out, options, |_| ControlFlow::Continue(()))
    }

    /// As [`Store::export`]; `progress` is called behind each page of up to 1,000 entities, when `out` has taken it, and may
    /// say that it is enough. The position that is given then, or was given last before a crash, is where
    /// [`ExportOptions::from_position`] goes on: what lies behind [`Exported::bytes`] in the file is to be cut off first.
    ///
    /// # Errors
    /// [`ErrorCode::TableNotFound`]; [`ErrorCode::Io`] for what `out` refuses; [`ErrorCode::Damaged`] with table and keys.
    pub fn export_with(
        &self,
        mut out: impl Write,
        options: &ExportOptions,
        mut progress: impl FnMut(&Exported) -> ControlFlow<()>,
    ) -> Result<Exported> {
        let mut done = Exported { entities: 0, bytes: 0, position: None };
        let tables = self.exported_tables(options)?;
        let first = match &options.from {
            None => {
                let header = header(&tables, options.has_versions)?;
                put(&mut out, &line(&header)?, &mut done)?;
                0
            }
            Some(from) => {
                let missing = || Error::new(ErrorCode::TableNotFound).table(&from.table);
                tables.iter().position(|table| table.name().eq_ignore_ascii_case(&from.table)).ok_or_else(missing)?
            }
        };
        let mut token = options.from.as_ref().and_then(|from| from.token.clone());
        for (number, table) in tables.iter().enumerate().skip(first) {
            let mut text = match token {
                Some(_) => Vec::new(),
                None => line(&TableLine { table: table.name().into() })?,
            };
            loop {
                let page = Query::all();
                let page = table.query_page(match token.take() {
                    Some(token) => page.continue_from(token),
                    None => page,
                })?;
                for entity in &page.entities {
                    exact_json(entity, options.has_versions, &mut text);
                    text.push(b'\n');
                }
                put(&mut out, &text, &mut done)?;
                text.clear();
                done.entities += page.entities.len() as u64;
                token = page.continuation_token;
                let next = tables.get(number + 1).map(Table::name);
                done.position = match (&token, next) {
                    (Some(token), _) => Some((table.name(), Some(token.clone()))),
                    (None, next) => next.map(|name| (name, None)),
                }
                .map(|(table, token)| ExportPosition { table: table.to_owned(), token });
                if progress(&done).is_break() && done.position.is_some() {
                    out.flush().map_err(refused)?;
                    return Ok(done);
                }
                if token.is_none() {
                    break;
                }
            }
        }
        out.flush().map_err(refused)?;
        Ok(done)
    }

    /// Tells of each entity that an export would write, and the service would not take, everything that stands against it: a
    /// dry run of the way to the cloud. What is stored in [`Mode::Extended`](crate::Mode::Extended) can be of that kind.
    /// Gives how many entities there are; `each` may say that it is enough.
    ///
    /// # Errors
    /// As [`Store::export_with`].
    ///
    /// # Example
    /// ```
    /// use entable::{ErrorCode, ExportOptions, Mode, Options, Store, entity};
    /// use std::ops::ControlFlow;
    /// let store = Store::in_memory_with(&Options::new().mode(Mode::Extended))?;
    /// let notes = store.create_table("Notes")?;
    /// notes.create_entity(entity! { "a/b", "1", "Text" => "x".repeat(40_000) })?;
    /// notes.create_entity(entity! { "a", "1" })?;
    /// let mut codes = Vec::new();
    /// store.check_export(&ExportOptions::new(), |refused| {
    ///     codes.extend(refused.reasons.iter().map(|error| error.code()));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(codes, [ErrorCode::OutOfRangeInput, ErrorCode::PropertyValueTooLarge]);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn check_export(
        &self,
        options: &ExportOptions,
        mut each: impl FnMut(Refused) -> ControlFlow<()>,
    ) -> Result<u64> {
        let mut count = 0;
        for table in self.exported_tables(options)? {
            for entity in table.list_entities()? {
                let entity: Entity = entity?;
                count += 1;
                let reasons = refusals(&entity, table.name());
                if !reasons.is_empty() && each(Refused::new(&table, &entity, reasons)).is_break() {
                    return Ok(count);
                }
            }
        }
        Ok(count)
    }

    /// The tables as they are at the moment that is exported.
    fn exported_tables(&self, options: &ExportOptions) -> Result<Vec<Table>> {
        let snapshot = match &options.snapshot {
            Some(snapshot) => snapshot.clone(),
            None => self.snapshot()?,
        };
        let names = match &options.tables {
            Some(names) => names.clone(),
            None => snapshot.list_tables()?.iter().map(|name| name.as_str().to_owned()).collect(),
        };
        names.iter().map(|name| Ok(self.table(name)?.at(&snapshot))).collect()
    }
}

fn header(tables: &[Table], versions: bool) -> Result<Header> {
    let header = |table: &Table| {
        let indexes = table.list_indexes()?;
        Ok(TableHeader { name: table.name().to_owned(), indexes: indexes.iter().map(IndexHeader::of).collect() })
    };
    Ok(Header { format: FORMAT, versions, tables: tables.iter().map(header).collect::<Result<_>>()? })
}

fn put(out: &mut impl Write, text: &[u8], done: &mut Exported) -> Result<()> {
    out.write_all(text).map_err(refused)?;
    done.bytes += text.len() as u64;
    Ok(())
}

fn refused(error: io::Error) -> Error {
    Error::new(ErrorCode::Io).fact("The export could not be written.").caused_by(error)
}
