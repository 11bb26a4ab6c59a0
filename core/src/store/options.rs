//! How a store is opened.

use crate::limits::{LEAST_MAX_SIZE, Mode};
use crate::{DateTime, Error, Result};
use std::fmt;
use std::sync::Arc;

/// Where the store takes the time from.
pub(super) type Clock = Arc<dyn Fn() -> DateTime + Send + Sync>;

/// How a store is opened.
///
/// # Example
/// ```
/// use entable::{Mode, Options, Store};
/// let store = Store::in_memory_with(&Options::new().mode(Mode::Strict))?;
/// assert_eq!(store.mode(), Mode::Strict);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Options {
    pub(super) mode: Mode,
    pub(super) is_read_only: bool,
    pub(super) is_immutable: bool,
    pub(super) must_exist: bool,
    pub(super) is_checked: bool,
    pub(super) max_size: Option<u64>,
    pub(super) clock: Option<Clock>,
}

impl Options {
    /// The defaults: [`Mode::Portable`], reading and writing, made if it is not there, the system's clock.
    pub fn new() -> Options {
        Options::default()
    }

    /// Which limits and which filter language hold. Not stored in the file.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Options {
        self.mode = mode;
        self
    }

    /// Opens for reading only; every write is [`ErrorCode::StoreReadOnly`](crate::ErrorCode::StoreReadOnly). The file
    /// must exist.
    #[must_use]
    pub fn read_only(mut self, is_read_only: bool) -> Options {
        self.is_read_only = is_read_only;
        self
    }

    /// Opens for reading only, a file that nobody writes as long as it is open: without locks, and without the lock
    /// file beside it, which a folder may forbid
    /// ([`ErrorCode::LockFileUnavailable`](crate::ErrorCode::LockFileUnavailable)). If it is written all the same,
    /// reads may be wrong.
    #[must_use]
    pub fn immutable(mut self, is_immutable: bool) -> Options {
        self.is_immutable = is_immutable;
        self
    }

    /// Refuses with [`ErrorCode::StoreNotFound`](crate::ErrorCode::StoreNotFound) to make a file that is not there.
    #[must_use]
    pub fn must_exist(mut self, must_exist: bool) -> Options {
        self.must_exist = must_exist;
        self
    }

    /// Goes through the whole file before it is opened, as [`verify`](crate::verify) does, and refuses one that is
    /// damaged with [`ErrorCode::Damaged`](crate::ErrorCode::Damaged), which names the page and what is wrong there.
    /// Without, opening looks at what every transaction goes through (meta pages, header, catalog, the list of free
    /// pages), and rows are looked at as they are read. It takes as long as reading the file does.
    #[must_use]
    pub fn check(mut self, is_checked: bool) -> Options {
        self.is_checked = is_checked;
        self
    }

    /// The bytes that the file may take: a write that would go beyond is refused with
    /// [`ErrorCode::QuotaExceeded`](crate::ErrorCode::QuotaExceeded), which names the limit and what it would have
    /// taken. Kept in the file, for every process; without this option it stays as it is, and 0 takes it away. At least
    /// 1 MiB.
    ///
    /// An eighth (at least 256 KiB, at most 64 MiB) is kept for what makes room: deletes of entities, tables and
    /// indexes are never refused for it, and what they free is room for others. A write that replaces an entity by a
    /// smaller one is. Free pages of the file count as room; where a [`Snapshot`](crate::Snapshot) keeps them from
    /// being used, the file may become larger than this. A file that is larger already takes no writes until
    /// [`Store::compact`](crate::Store::compact) has made it smaller.
    ///
    /// # Example
    /// ```
    /// use entable::{entity, ErrorCode, Options, Store};
    /// let store = Store::in_memory_with(&Options::new().max_size(1 << 20))?;
    /// let table = store.create_table("Logs")?;
    /// let error = (0..).find_map(|number| {
    ///     table.create_entity(entity! { "p", format!("{number}"), "Text" => "x".repeat(10_000) }).err()
    /// });
    /// assert_eq!(error.map(|error| error.code()), Some(ErrorCode::QuotaExceeded));
    /// table.delete_entities("PartitionKey eq 'p'")?;
    /// table.create_entity(entity! { "p", "again" })?;
    /// # Ok::<(), entable::Error>(())
    /// ```
    #[must_use]
    pub fn max_size(mut self, bytes: u64) -> Options {
        self.max_size = Some(bytes);
        self
    }

    /// Takes the time of writes from `clock`: for tests. Timestamps still rise with every write, whatever it says
    /// (S4.3.5), none is before 1601, and after the end of 9999 there is none: writes are `Internal` then.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> DateTime + Send + Sync + 'static) -> Options {
        self.clock = Some(Arc::new(clock));
        self
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("mode", &self.mode)
            .field("is_read_only", &self.is_read_only)
            .field("is_immutable", &self.is_immutable)
            .field("must_exist", &self.must_exist)
            .field("is_checked", &self.is_checked)
            .field("max_size", &self.max_size)
            .finish_non_exhaustive()
    }
}

/// Checks the quota that a store is opened with.
pub(super) fn check_max_size(max_size: Option<u64>, is_read_only: bool) -> Result<()> {
    match max_size {
        Some(_) if is_read_only => Err(Error::invalid("A maximum size is kept in the file, which is only to be read.")),
        Some(bytes @ 1..LEAST_MAX_SIZE) => {
            let fact = format!("A maximum size of {bytes} bytes is too small; {LEAST_MAX_SIZE} are the least.");
            let number = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
            Err(Error::invalid(fact).limit(number(LEAST_MAX_SIZE), number(bytes)))
        }
        _ => Ok(()),
    }
}
