//! Failures on their way to C++.
//!
//! cxx gives C++ the text of an error alone. So a call that fails leaves its failure, with all fields, with its thread,
//! and `entable.hpp` takes it from there as it catches the exception of the bridge, before anything else is called.

pub(crate) use crate::bridge::Failure;
use crate::bridge::{OptionalNumber, OptionalText};
use entable::{Error, ErrorCode};
use entable_c::error::entable_class;
use entable_c::place::Refused;
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

pub(crate) type Result<T> = std::result::Result<T, Box<Failure>>;

/// What cxx turns into an exception: the failure itself is in [`LAST`].
pub(crate) struct Raised(String);

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Runs a call. A panic becomes a failure: cxx would end the program.
pub(crate) fn boundary<T>(job: impl FnOnce() -> Result<T>) -> std::result::Result<T, Raised> {
    let failure = match catch_unwind(AssertUnwindSafe(job)) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(failure)) => *failure,
        Err(panic) => Failure::panicked(&*panic),
    };
    let raised = Raised(failure.message.clone());
    // At the very end of a thread there is no such place any more.
    let _ = LAST.try_with(|last| last.replace(Some(failure)));
    Err(raised)
}

/// The failure of this thread's last call, once.
pub(crate) fn take_failure() -> Failure {
    let last = LAST.try_with(RefCell::take).ok().flatten();
    last.unwrap_or_else(|| Failure::of(&Error::new(ErrorCode::Internal)))
}

impl Failure {
    fn of(error: &Error) -> Failure {
        let details = error.details();
        let text = optional_text;
        let holder = details.holder.as_ref();
        let number =
            |number: Option<u64>| OptionalNumber { is_there: number.is_some(), number: number.unwrap_or_default() };
        let place = |place: Option<usize>| number(place.map(|place| place.try_into().unwrap_or(u64::MAX)));
        Failure {
            code: error.code() as u16,
            class_number: entable_class::from(error.class()) as u32,
            status: error.status(),
            name: error.code().name().to_owned(),
            message: error.message(),
            table: text(details.table.as_deref()),
            partition_key: text(details.partition_key.as_deref()),
            row_key: text(details.row_key.as_deref()),
            property: text(details.property.as_deref()),
            limit: number(details.limit),
            actual: number(details.actual),
            position: place(details.position),
            index: place(details.index),
            index_name: text(details.index_name.as_deref()),
            relation: text(details.relation.as_deref()),
            holder_partition_key: text(holder.map(|(partition_key, _)| &**partition_key)),
            holder_row_key: text(holder.map(|(_, row_key)| &**row_key)),
        }
    }

    /// An argument that the core never sees.
    pub(crate) fn misuse(argument: &str, fact: &str) -> Box<Failure> {
        let mut failure = Failure::of(&Error::new(ErrorCode::InvalidInput));
        failure.message = format!("{} {argument}: {fact}", failure.message);
        Box::new(failure).at_property(argument)
    }

    fn panicked(panic: &(dyn Any + Send)) -> Failure {
        let said = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
        let mut failure = Failure::of(&Error::new(ErrorCode::Internal));
        failure.message = format!("{} {}", failure.message, said.unwrap_or_default());
        failure
    }

    /// Names the argument or property that is at fault, unless the failure names one.
    pub(crate) fn at_property(mut self: Box<Self>, name: &str) -> Box<Failure> {
        if !self.property.is_there {
            self.property = OptionalText { is_there: true, text: name.to_owned() };
        }
        self
    }

    /// Says which operation of a transaction it is of, as the core does of those that it sees.
    pub(crate) fn at_index(mut self: Box<Self>, index: usize) -> Box<Failure> {
        self.index = OptionalNumber { is_there: true, number: index.try_into().unwrap_or(u64::MAX) };
        self.message = format!("{index}:{}", self.message);
        self
    }
}

pub(crate) fn optional_text(text: Option<&str>) -> OptionalText {
    OptionalText { is_there: text.is_some(), text: text.unwrap_or_default().to_owned() }
}

impl From<Refused> for Box<Failure> {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Store(error) => error.into(),
            Refused::Misuse(argument, fact) => Failure::misuse(&argument, &fact),
        }
    }
}

impl From<Error> for Box<Failure> {
    fn from(error: Error) -> Self {
        Box::new(Failure::of(&error))
    }
}

impl From<cxx::Exception> for Box<Failure> {
    /// An exception of C++ in a call that Rust made, such as `std::bad_alloc`.
    fn from(exception: cxx::Exception) -> Self {
        let mut failure = Failure::of(&Error::new(ErrorCode::Internal));
        failure.message = format!("{} {exception}", failure.message);
        Box::new(failure)
    }
}
