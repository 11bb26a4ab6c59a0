//! Errors: an object of its own for each failure, with everything that the core says of it.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, free};
use crate::text::entable_str;
use entable::{Class, Details, Error, ErrorCode};
use std::any::Any;
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;

/// The result of what a call does: on failure the object that C is given.
pub(crate) type Result<T> = std::result::Result<T, Box<entable_error>>;

/// Why a call failed. NULL is success.
///
/// Nothing is half-done behind an error (but see ENTABLE_OUTCOME_UNKNOWN). It is yours: free it with
/// `entable_error_free`. It never changes, so any thread may read it; texts asked of it are good until it is freed.
pub struct entable_error {
    code: ErrorCode,
    name: CString,
    message: CString,
    details: Details,
}

/// What kind of failure a code is: enough to decide what to do about it.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_class {
    /// No error.
    ENTABLE_CLASS_NONE = 0,
    /// Something of that name or key is there already.
    ENTABLE_CLASS_EXISTS = 1,
    /// There is no such table, entity or file.
    ENTABLE_CLASS_NOT_FOUND = 2,
    /// The entity is not the version that the condition asks for.
    ENTABLE_CLASS_MODIFIED = 3,
    /// The request is malformed.
    ENTABLE_CLASS_INVALID = 4,
    /// A limit of the data model is passed.
    ENTABLE_CLASS_TOO_LARGE = 5,
    /// The service, or this version of the store, does not do this.
    ENTABLE_CLASS_NOT_SUPPORTED = 6,
    /// Another process or thread is in the way; trying again later may help.
    ENTABLE_CLASS_BUSY = 7,
    /// The caller gave up.
    ENTABLE_CLASS_CANCELLED = 8,
    /// The store, snapshot or iterator is closed.
    ENTABLE_CLASS_CLOSED = 9,
    /// The handle was made before a fork, in the parent process.
    ENTABLE_CLASS_FORKED = 10,
    /// The disk, the quota or the map is full.
    ENTABLE_CLASS_FULL = 11,
    /// The file was written by a newer version of the store.
    ENTABLE_CLASS_NEWER_FORMAT = 12,
    /// The file is damaged, or is no store.
    ENTABLE_CLASS_CORRUPT = 13,
    /// The operating system refused.
    ENTABLE_CLASS_IO = 14,
    /// A defect of the store itself.
    ENTABLE_CLASS_INTERNAL = 15,
}

impl From<Class> for entable_class {
    fn from(class: Class) -> Self {
        match class {
            Class::Exists => entable_class::ENTABLE_CLASS_EXISTS,
            Class::NotFound => entable_class::ENTABLE_CLASS_NOT_FOUND,
            Class::Modified => entable_class::ENTABLE_CLASS_MODIFIED,
            Class::Invalid => entable_class::ENTABLE_CLASS_INVALID,
            Class::TooLarge => entable_class::ENTABLE_CLASS_TOO_LARGE,
            Class::NotSupported => entable_class::ENTABLE_CLASS_NOT_SUPPORTED,
            Class::Busy => entable_class::ENTABLE_CLASS_BUSY,
            Class::Cancelled => entable_class::ENTABLE_CLASS_CANCELLED,
            Class::Closed => entable_class::ENTABLE_CLASS_CLOSED,
            Class::Forked => entable_class::ENTABLE_CLASS_FORKED,
            Class::Full => entable_class::ENTABLE_CLASS_FULL,
            Class::NewerFormat => entable_class::ENTABLE_CLASS_NEWER_FORMAT,
            Class::Corrupt => entable_class::ENTABLE_CLASS_CORRUPT,
            Class::Io => entable_class::ENTABLE_CLASS_IO,
            Class::Internal => entable_class::ENTABLE_CLASS_INTERNAL,
        }
    }
}

impl entable_error {
    /// What the core says.
    pub(crate) fn of(error: &Error) -> Box<entable_error> {
        entable_error::new(error.code(), &error.message(), error.details().clone())
    }

    /// An argument that the core never sees.
    pub(crate) fn misuse(argument: &str, fact: &str) -> Box<entable_error> {
        let code = ErrorCode::InvalidInput;
        let message = format!("{} {argument}: {fact}", code.message());
        entable_error::new(code, &message, Details::default()).at_property(argument)
    }

    /// A panic of the core or of this crate: a defect.
    pub(crate) fn panicked(panic: &(dyn Any + Send)) -> Box<entable_error> {
        let said = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
        let code = ErrorCode::Internal;
        entable_error::new(code, &format!("{} {}", code.message(), said.unwrap_or_default()), Details::default())
    }

    fn new(code: ErrorCode, message: &str, details: Details) -> Box<entable_error> {
        Box::new(entable_error { code, name: c_string(code.name()), message: c_string(message), details })
    }

    pub(crate) fn code(&self) -> ErrorCode {
        self.code
    }

    /// Names the argument or property that is at fault, unless the error names one.
    pub(crate) fn at_property(mut self: Box<Self>, name: &str) -> Box<entable_error> {
        self.details.property.get_or_insert_with(|| name.into());
        self
    }

    /// Says which operation of a transaction it is of, as the core does of those that it sees.
    pub(crate) fn at_index(mut self: Box<Self>, index: usize) -> Box<entable_error> {
        self.details.index = Some(index);
        self.message = c_string(&format!("{index}:{}", self.message.to_string_lossy()));
        self
    }
}

/// A message may quote text that holds a NUL, where C would think that it ends.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\\0")).unwrap_or_default()
}

impl From<Error> for Box<entable_error> {
    fn from(error: Error) -> Self {
        entable_error::of(&error)
    }
}

/// What C is given where an `entable_code` belongs.
pub(crate) type RawCode = u32;

/// The code: decide by it, or by the class, not by the message. 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_code(error: Option<&entable_error>) -> RawCode {
    answer(0, || Some(u32::from(error?.code as u16)))
}

/// The code's name as the service spells it, such as `EntityAlreadyExists`; empty for NULL. Good until the error is
/// freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_name(error: Option<&entable_error>) -> *const c_char {
    answer(c"".as_ptr(), || Some(error?.name.as_ptr()))
}

/// The HTTP status that the service answers with this code; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_status(error: Option<&entable_error>) -> u16 {
    answer(0, || Some(error?.code.status()))
}

/// The kind of failure; ENTABLE_CLASS_NONE for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_class(error: Option<&entable_error>) -> entable_class {
    answer(entable_class::ENTABLE_CLASS_NONE, || Some(error?.code.class().into()))
}

/// The whole message, ending with a NUL: in transactions the operation's index and a colon, then the service's text,
/// then one sentence with our facts. A NUL in it is written `\0`. Empty for NULL. Good until the error is freed. Any
/// thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_message(error: Option<&entable_error>) -> *const c_char {
    answer(c"".as_ptr(), || Some(error?.message.as_ptr()))
}

/// The table, as the caller named it; no text (`data` is NULL) where it does not apply. Good until the error is freed.
/// Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_table(error: Option<&entable_error>) -> entable_str {
    detail(error, |details| details.table.as_deref())
}

/// The PartitionKey of the entity; no text where it does not apply. Good until the error is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_partition_key(error: Option<&entable_error>) -> entable_str {
    detail(error, |details| details.partition_key.as_deref())
}

/// The RowKey of the entity; no text where it does not apply. Good until the error is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_row_key(error: Option<&entable_error>) -> entable_str {
    detail(error, |details| details.row_key.as_deref())
}

/// The property at fault: a custom one, `PartitionKey`, `RowKey`, `Timestamp`, or the argument of the call. No text
/// where it does not apply. Good until the error is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_property(error: Option<&entable_error>) -> entable_str {
    detail(error, |details| details.property.as_deref())
}

/// The name of the index that refuses, of ENTABLE_UNIQUE_INDEX_VIOLATION and the like; no text where it does not apply.
/// Good until the error is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_index_name(error: Option<&entable_error>) -> entable_str {
    detail(error, |details| details.index_name.as_deref())
}

/// The name of the relation that refuses, of ENTABLE_LINK_TARGET_NOT_FOUND and the like; no text where it does not apply.
/// Good until the error is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_relation(error: Option<&entable_error>) -> entable_str {
    detail(error, |details| details.relation.as_deref())
}

/// The PartitionKey of another entity that is in the way, such as the one that holds a unique value; no text where it
/// does not apply. Good until the error is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_holder_partition_key(error: Option<&entable_error>) -> entable_str {
    detail(error, |details| details.holder.as_ref().map(|(partition_key, _)| &**partition_key))
}

/// The RowKey of another entity that is in the way. Otherwise as `entable_error_holder_partition_key`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_holder_row_key(error: Option<&entable_error>) -> entable_str {
    detail(error, |details| details.holder.as_ref().map(|(_, row_key)| &**row_key))
}

/// Whether a limit was passed; writes it to `limit`, in the unit of its rule. `limit` may be NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_limit(error: Option<&entable_error>, limit: Option<&mut MaybeUninit<u64>>) -> bool {
    number(limit, error, |details| details.limit)
}

/// Whether something was met instead of a limit; writes it to `actual`, in the limit's unit. `actual` may be NULL. Any
/// thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_actual(error: Option<&entable_error>, actual: Option<&mut MaybeUninit<u64>>) -> bool {
    number(actual, error, |details| details.actual)
}

/// Whether the error is at a place in a filter; writes it to `position`, in characters from 0. `position` may be NULL.
/// Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_position(
    error: Option<&entable_error>,
    position: Option<&mut MaybeUninit<usize>>,
) -> bool {
    number(position, error, |details| details.position)
}

/// Whether the error is of one operation of a transaction; writes its place to `index`, from 0. `index` may be NULL.
/// Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_index(error: Option<&entable_error>, index: Option<&mut MaybeUninit<usize>>) -> bool {
    number(index, error, |details| details.index)
}

/// Frees an error. NULL is fine. Once, and no other thread may be reading it.
#[unsafe(no_mangle)]
pub extern "C" fn entable_error_free(error: Option<Box<entable_error>>) {
    free(error);
}

fn detail(error: Option<&entable_error>, of: impl FnOnce(&Details) -> Option<&str>) -> entable_str {
    answer(entable_str::default(), || Some(of(&error?.details).into()))
}

fn number<T: Default>(
    place: Option<&mut MaybeUninit<T>>,
    error: Option<&entable_error>,
    of: impl FnOnce(&Details) -> Option<T>,
) -> bool {
    answer(false, || {
        let place = crate::boundary::optional_output(place);
        let number = of(&error?.details)?;
        if let Some(place) = place {
            *place = number;
        }
        Some(true)
    })
}
