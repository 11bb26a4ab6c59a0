//! Exports and imports by the path of a file: for bindings to other languages, whose streams are not Rust's.

use super::{ExportOptions, Exported, ImportOptions, Imported};
use crate::{Error, ErrorCode, Result, Store};
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, ErrorKind};
use std::ops::ControlFlow;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

impl Store {
    /// [`Store::export_with`] into a new file, synced at its end; an export that goes on from a position is written behind what the
    /// file holds.
    ///
    /// # Errors
    /// [`ErrorCode::FileExists`] for a file that is there, [`ErrorCode::Io`] for one that is not where the export is to go on;
    /// otherwise as [`Store::export_with`].
    ///
    /// # Example
    /// ```
    /// use entable::{ExportOptions, ImportOptions, Store, entity};
    /// use std::ops::ControlFlow;
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("orders.jsonl");
    /// let store = Store::in_memory()?;
    /// store.create_table("Orders")?.create_entity(entity! { "DE", "0001" })?;
    /// store.export_file(&path, &ExportOptions::new(), |_| ControlFlow::Continue(()))?;
    /// let other = Store::in_memory()?;
    /// other.import_file(&path, &ImportOptions::new(), |_| ControlFlow::Continue(()))?;
    /// assert!(other.table("Orders")?.exists("DE", "0001")?);
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn export_file(
        &self,
        path: impl AsRef<Path>,
        options: &ExportOptions,
        progress: impl FnMut(&Exported) -> ControlFlow<()>,
    ) -> Result<Exported> {
        let path = path.as_ref();
        let mut open = OpenOptions::new();
        let open = if options.goes_on() { open.append(true) } else { open.write(true).create_new(true) };
        let file = open.open(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Error::new(ErrorCode::FileExists).in_file(path),
            _ => Error::new(ErrorCode::Io).caused_by(error).in_file(path),
        })?;
        let done = self.export_with(BufWriter::new(&file), options, progress)?;
        file.sync_all().map_err(|error| Error::new(ErrorCode::Io).caused_by(error).in_file(path))?;
        Ok(done)
    }

    /// [`Store::import_with`] from a file.
    ///
    /// # Errors
    /// [`ErrorCode::Io`] for a file that cannot be opened, [`ErrorCode::InvalidInput`] for a device; otherwise as
    /// [`Store::import_with`].
    pub fn import_file(
        &self,
        path: impl AsRef<Path>,
        options: &ImportOptions,
        progress: impl FnMut(&Imported) -> ControlFlow<()>,
    ) -> Result<Imported> {
        let path = path.as_ref();
        let failed = |error| Error::new(ErrorCode::Io).caused_by(error).in_file(path);
        let file = File::open(path).map_err(failed)?;
        let kind = file.metadata().map_err(failed)?.file_type();
        if kind.is_char_device() || kind.is_block_device() {
            return Err(Error::invalid("Lines are read from a file or a pipe, and not from a device.").in_file(path));
        }
        self.import_with(BufReader::new(file), options, progress)
    }
}
