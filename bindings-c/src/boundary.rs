//! Where C meets Rust: the only pointer checks, the only `catch_unwind`, and the only `unsafe` blocks of this crate.
//!
//! Exported functions take what C gives as references that may be null, and turn each into a Rust value here, with
//! the argument's name, before they do anything else. That a pointer which is not null points to a living object of
//! its type is the caller's part (see the head of `entable.h`).

#![allow(unsafe_code, reason = "this is the boundary: each block says what it relies on")]

use crate::error::{Result, entable_error};
use crate::text::{entable_bytes, entable_str};
use crate::value::{entable_guid, entable_type, entable_value, entable_value_as};
use entable::{DateTime, Guid, Value, ValueRef};
use std::ffi::{CStr, c_char, c_void};
use std::mem::{self, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{process, slice};

/// Runs a call that may fail. A panic becomes an error: none reaches C.
pub(crate) fn boundary(job: impl FnOnce() -> Result<()>) -> Option<Box<entable_error>> {
    // A panic in the core leaves its store usable, and handles of this crate hold no half-made state.
    match catch_unwind(AssertUnwindSafe(job)) {
        Ok(outcome) => outcome.err(),
        Err(panic) => Some(entable_error::panicked(&*panic)),
    }
}

/// Runs a call that has no error to give: `otherwise` stands for one, and for a panic.
pub(crate) fn answer<T>(otherwise: T, job: impl FnOnce() -> Option<T>) -> T {
    catch_unwind(AssertUnwindSafe(job)).ok().flatten().unwrap_or(otherwise)
}

/// Frees what a handle owns. Null is nothing to free.
pub(crate) fn free<T>(handle: Option<Box<T>>) {
    answer((), || {
        drop(handle);
        None
    });
}

/// What must not be null.
pub(crate) fn required<T>(argument: Option<T>, name: &str) -> Result<T> {
    argument.ok_or_else(|| entable_error::misuse(name, "It must not be NULL."))
}

/// A place that C keeps for a result. It holds the default until the call is done, so that the caller never finds
/// there what was in his memory before.
pub(crate) fn output<'a, T: Default>(place: Option<&'a mut MaybeUninit<T>>, name: &str) -> Result<&'a mut T> {
    Ok(required(place, name)?.write(T::default()))
}

/// A place that C may leave out, with the default in it.
pub(crate) fn optional_output<T: Default>(place: Option<&mut MaybeUninit<T>>) -> Option<&mut T> {
    place.map(|place| place.write(T::default()))
}

/// Writes a result to the place that the caller has for it, if he has one.
pub(crate) fn put<T>(place: Option<&mut T>, value: T) {
    if let Some(place) = place {
        *place = value;
    }
}

/// An array. Null is one without elements.
pub(crate) fn array<'a, T>(first: *const T, count: usize, name: &str) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    check_extent::<T>(first, count, name)?;
    // SAFETY: `first` is not null and the extent is one that an object can have; that `count` elements stand there,
    // and stay there for this call, is the caller's part.
    Ok(unsafe { slice::from_raw_parts(first, count) })
}

/// An array of places for results, each with the default in it.
pub(crate) fn output_array<'a, T: Default>(
    first: *mut MaybeUninit<T>,
    count: usize,
    name: &str,
) -> Result<&'a mut [T]> {
    if count == 0 {
        return Ok(&mut []);
    }
    check_extent::<T>(first.cast(), count, name)?;
    // SAFETY: as in `array`; places that hold nothing yet are what `MaybeUninit` says.
    let places = unsafe { slice::from_raw_parts_mut(first, count) };
    for place in &mut *places {
        place.write(T::default());
    }
    // SAFETY: each place has been written in the loop above.
    Ok(unsafe { slice::from_raw_parts_mut(first.cast(), count) })
}

fn check_extent<T>(first: *const T, count: usize, name: &str) -> Result<()> {
    required((!first.is_null()).then_some(()), name)?;
    match count.checked_mul(size_of::<T>()) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => Err(entable_error::misuse(name, "No object in memory is this long.")),
    }
}

/// The text before the first NUL.
pub(crate) fn c_text<'a>(text: *const c_char) -> Option<&'a CStr> {
    // SAFETY: not null; that it ends with a NUL, and stays as it is, is the caller's part.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}

impl entable_str {
    /// The text, if it is UTF-8.
    pub(crate) fn text(&self, name: &str) -> Result<&str> {
        let bytes = array(self.data.cast::<u8>(), self.length, name)?;
        std::str::from_utf8(bytes).map_err(|error| {
            let fact = format!("Text must be UTF-8, and is not after {} bytes.", error.valid_up_to());
            entable_error::misuse(name, &fact)
        })
    }

    /// The text, or what stands for none.
    pub(crate) fn text_or<'a>(&'a self, name: &str, default: &'a str) -> Result<&'a str> {
        if self.data.is_null() && self.length == 0 { Ok(default) } else { self.text(name) }
    }
}

impl entable_bytes {
    pub(crate) fn bytes(&self, name: &str) -> Result<&[u8]> {
        array(self.data, self.length, name)
    }
}

impl entable_value {
    /// The value that the tag says, with memory of its own.
    pub(crate) fn value(&self, name: &str) -> Result<Value> {
        let Some(edm_type) = entable_type::edm_type(self.r#type) else {
            return Err(entable_error::misuse(name, "Its type is none of enum entable_type."));
        };
        use entable::EdmType;
        // SAFETY: every member of the union is plain bits, and C sets the one that the tag says. Whatever bits it
        // finds, they are a number, a pointer that is checked below, or a truth value that is read as a byte.
        unsafe {
            Ok(match edm_type {
                EdmType::Int32 => Value::Int32(self.r#as.int32),
                EdmType::Int64 => Value::Int64(self.r#as.int64),
                EdmType::Double => Value::Double(self.r#as.number),
                EdmType::DateTime => Value::DateTime(date_time(self.r#as.ticks, name)?),
                EdmType::Guid => Value::Guid(Guid::from_bytes(self.r#as.guid.bytes)),
                EdmType::Boolean => Value::Boolean(truth(&self.r#as)),
                EdmType::String => Value::String(self.r#as.string.text(name)?.to_owned()),
                EdmType::Binary => Value::Binary(self.r#as.binary.bytes(name)?.to_owned()),
            })
        }
    }
}

/// The truth value of a union in which C has set it. As a byte: a `bool` of Rust's must be 0 or 1.
fn truth(member: &entable_value_as) -> bool {
    // SAFETY: the union begins with the byte, and all of it is there.
    unsafe { std::ptr::from_ref(member).cast::<u8>().read() != 0 }
}

/// The instant of these ticks; the error names the argument.
pub(crate) fn date_time(ticks: i64, name: &str) -> Result<DateTime> {
    DateTime::from_ticks(ticks).map_err(|error| entable_error::of(&error).at_property(name))
}

/// A view of a value, good as long as the value is.
impl From<ValueRef<'_>> for entable_value {
    fn from(value: ValueRef<'_>) -> entable_value {
        let member = match value {
            ValueRef::Int32(int32) => entable_value_as { int32 },
            ValueRef::Int64(int64) => entable_value_as { int64 },
            ValueRef::Double(number) => entable_value_as { number },
            ValueRef::DateTime(time) => entable_value_as { ticks: time.ticks() },
            ValueRef::Guid(guid) => entable_value_as { guid: entable_guid { bytes: *guid.as_bytes() } },
            ValueRef::Boolean(boolean) => entable_value_as { boolean },
            ValueRef::String(text) => entable_value_as { string: text.into() },
            ValueRef::Binary(bytes) => entable_value_as { binary: bytes.into() },
        };
        entable_value { r#type: entable_type::of(value.edm_type()), r#as: member }
    }
}

/// A function of the caller's, with what he wants it to be given.
pub(crate) struct Callback<F> {
    function: F,
    context: *mut c_void,
}

// SAFETY: the header says that the function is called from any thread that writes, and that function and context
// must stand that.
unsafe impl<F: Send> Send for Callback<F> {}
// SAFETY: as for `Send`.
unsafe impl<F: Sync> Sync for Callback<F> {}

impl<F: Copy> Callback<F> {
    pub(crate) fn new(function: F, context: *mut c_void) -> Self {
        Callback { function, context }
    }

    /// Calls the function by `call`, which is given it, and what it is to be given first.
    pub(crate) fn call<R>(&self, call: impl FnOnce(F, *mut c_void) -> R) -> R {
        let confined = Confined;
        let given = call(self.function, self.context);
        mem::forget(confined);
        given
    }
}

/// Ends the process if it is dropped: on the way of an exception of C++ out of a callback, which no caller could catch
/// behind the frames of Rust that wait for it.
struct Confined;

impl Drop for Confined {
    fn drop(&mut self) {
        eprintln!("entable: a callback has thrown an exception.");
        process::abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{entable_error_code, entable_error_message};
    use entable::ErrorCode;

    #[test]
    fn a_panic_is_an_error() {
        let error = boundary(|| panic!("a defect"));
        assert_eq!(entable_error_code(error.as_deref()), u32::from(ErrorCode::Internal as u16));
        let message = c_text(entable_error_message(error.as_deref())).unwrap().to_str().unwrap();
        assert_eq!(message, "The store met an internal error. a defect");
        assert_eq!(answer(7, || -> Option<i32> { panic!("another") }), 7);
    }

    #[test]
    fn a_truth_value_is_any_byte_but_zero() {
        for (bytes, expected) in [([0; 16], false), ([1; 16], true), ([255; 16], true)] {
            let member = entable_value_as { guid: entable_guid { bytes } };
            let value = entable_value { r#type: entable_type::of(entable::EdmType::Boolean), r#as: member };
            assert_eq!(value.value("B").ok(), Some(Value::Boolean(expected)));
        }
    }
}
