//! Numbers that a merge adds to what a property has (S4.8).

use super::entity::exact_integer;
use super::{InputValue, UntypedNumber, Value, ValueRef, compare};
use crate::limits::Mode;
use crate::{Error, ErrorCode, Result};
use std::cmp::Ordering;
use std::fmt;

/// A number that a merge adds to what a property has, in the transaction of the write.
///
/// The property keeps its type: an Int32 5 can be added to an Int64, and a Double 2.0 to an Int32, but not 0.5. A
/// property that is not there becomes the number itself.
///
/// # Example
/// ```
/// use entable::{Addend, EntityInput, Store, UpdateMode, entity};
/// let store = Store::in_memory()?;
/// let pages = store.create_table("Pages")?;
/// pages.create_entity(entity! { "site", "index", "Views" => 41_i64 })?;
/// pages.update_entity(EntityInput::new("site", "index").adding("Views", 1), UpdateMode::Merge)?;
/// assert_eq!(pages.get_entity("site", "index")?["Views"], 42_i64);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Addend {
    /// 32 bits.
    Int32(i32),
    /// 64 bits.
    Int64(i64),
    /// Binary64.
    Double(f64),
    /// A number from a language that has one kind of number: where the property is not there, its type is that of any
    /// such number (S2.7).
    Untyped(UntypedNumber),
}

impl Addend {
    /// What the property has afterwards, given what it has.
    ///
    /// # Errors
    /// `NumberOverflow`; `InvalidInput` if the stored value is no number, or cannot hold this one exactly.
    pub(crate) fn added_to(self, stored: Option<ValueRef<'_>>, mode: Mode) -> Result<Value> {
        let integer = || self.integer();
        let sum = match stored {
            None => return self.alone(mode),
            Some(ValueRef::Int32(number)) => integer()
                .and_then(|addend| i32::try_from(addend).ok())
                .map(|addend| number.checked_add(addend).map(Value::Int32)),
            Some(ValueRef::Int64(number)) => integer().map(|addend| number.checked_add(addend).map(Value::Int64)),
            Some(ValueRef::Double(number)) => self.double().map(|addend| {
                let sum = number + addend;
                let is_overflow = sum.is_infinite() && number.is_finite() && addend.is_finite();
                (!is_overflow).then_some(Value::Double(sum))
            }),
            Some(other) => {
                let name = other.edm_type().name();
                return Err(Error::invalid(format!(
                    "The stored value is of type {name}: {self} cannot be added to it."
                )));
            }
        };
        let of =
            || stored.map_or_else(String::new, |value| format!("{} {}", value.edm_type().name(), value.to_value()));
        match sum {
            Some(Some(sum)) => Ok(sum),
            Some(None) => {
                Err(Error::new(ErrorCode::NumberOverflow).fact(format!("It has {}, and {self} was to be added.", of())))
            }
            None => Err(Error::invalid(format!(
                "It has {}, to which {self} cannot be added: the type does not hold it exactly.",
                of()
            ))),
        }
    }

    /// What a property has that was not there.
    ///
    /// # Errors
    /// As [`UntypedNumber::resolve`].
    pub(crate) fn alone(self, mode: Mode) -> Result<Value> {
        match self {
            Addend::Int32(number) => Ok(Value::Int32(number)),
            Addend::Int64(number) => Ok(Value::Int64(number)),
            Addend::Double(number) => Ok(Value::Double(number)),
            // What takes nothing away, such as JavaScript's -0, is no Double for that.
            Addend::Untyped(UntypedNumber::Number(number)) => UntypedNumber::Number(number + 0.0).resolve(None, mode),
            Addend::Untyped(number) => number.resolve(None, mode),
        }
    }

    /// The integer that it equals. To an integer −0.0 adds nothing, and is 0.
    fn integer(self) -> Option<i64> {
        match self {
            Addend::Int32(number) => Some(number.into()),
            Addend::Int64(number) | Addend::Untyped(UntypedNumber::Integer(number)) => Some(number),
            Addend::Double(number) | Addend::Untyped(UntypedNumber::Number(number)) => exact_integer(number + 0.0),
        }
    }

    /// The Double that it equals.
    fn double(self) -> Option<f64> {
        match self {
            Addend::Int32(number) => Some(number.into()),
            Addend::Int64(number) | Addend::Untyped(UntypedNumber::Integer(number)) => {
                Some(number as f64).filter(|double| compare::integer_double(number, *double) == Some(Ordering::Equal))
            }
            Addend::Double(number) | Addend::Untyped(UntypedNumber::Number(number)) => Some(number),
        }
    }
}

/// As a message shows it.
impl fmt::Display for Addend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Addend::Int32(number) => write!(f, "Int32 {number}"),
            Addend::Int64(number) => write!(f, "Int64 {number}"),
            Addend::Double(number) => write!(f, "Double {number:?}"),
            Addend::Untyped(UntypedNumber::Integer(number)) => write!(f, "{number}"),
            Addend::Untyped(UntypedNumber::Number(number)) => write!(f, "{number}"),
        }
    }
}

impl From<i32> for Addend {
    fn from(number: i32) -> Addend {
        Addend::Int32(number)
    }
}

impl From<i64> for Addend {
    fn from(number: i64) -> Addend {
        Addend::Int64(number)
    }
}

impl From<f64> for Addend {
    fn from(number: f64) -> Addend {
        Addend::Double(number)
    }
}

impl From<UntypedNumber> for Addend {
    fn from(number: UntypedNumber) -> Addend {
        Addend::Untyped(number)
    }
}

impl TryFrom<InputValue> for Addend {
    type Error = Error;

    /// # Errors
    /// [`ErrorCode::InvalidInput`] for what is no number.
    fn try_from(value: InputValue) -> Result<Addend> {
        match value {
            InputValue::Typed(Value::Int32(number)) => Ok(Addend::Int32(number)),
            InputValue::Typed(Value::Int64(number)) => Ok(Addend::Int64(number)),
            InputValue::Typed(Value::Double(number)) => Ok(Addend::Double(number)),
            InputValue::Untyped(number) => Ok(Addend::Untyped(number)),
            InputValue::Typed(_) | InputValue::Add(_) | InputValue::Remove => {
                Err(Error::invalid("Only a number can be added."))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_has_the_stored_type_or_is_an_error() {
        let check = |stored: Option<Value>, addend: Addend, expected: Result<Value, ErrorCode>| {
            let sum = addend.added_to(stored.as_ref().map(Value::as_ref), Mode::Portable);
            let sum = sum.map_err(|error| error.code());
            assert_eq!(sum, expected, "{stored:?} + {addend}");
        };
        use UntypedNumber::{Integer, Number};
        use Value::{Double, Int32, Int64};
        let (overflow, invalid) = (ErrorCode::NumberOverflow, ErrorCode::InvalidInput);
        let big = (1_i64 << 53) + 1;
        check(None, 5.into(), Ok(Int32(5)));
        check(None, Integer(1 << 31).into(), Ok(Int64(1 << 31)));
        check(None, Number(-0.0).into(), Ok(Int32(0)));
        check(Some(Int32(i32::MAX)), 0.into(), Ok(Int32(i32::MAX)));
        check(Some(Int32(i32::MAX)), 1.into(), Err(overflow));
        check(Some(Int32(i32::MIN)), (-1).into(), Err(overflow));
        check(Some(Int32(1)), 2.0.into(), Ok(Int32(3)));
        check(Some(Int32(1)), (-0.0).into(), Ok(Int32(1)));
        check(Some(Int32(1)), 0.5.into(), Err(invalid));
        check(Some(Int32(-1)), (1_i64 << 31).into(), Err(invalid));
        check(Some(Int64(i64::MAX)), 1.into(), Err(overflow));
        check(Some(Int64(big)), (-1).into(), Ok(Int64(big - 1)));
        check(Some(Int64(1)), f64::NAN.into(), Err(invalid));
        check(Some(Double(1.5)), 2.into(), Ok(Double(3.5)));
        check(Some(Double(1.5)), big.into(), Err(invalid));
        check(Some(Double(f64::MAX)), f64::MAX.into(), Err(overflow));
        check(Some(Double(f64::INFINITY)), 1.into(), Ok(Double(f64::INFINITY)));
        check(Some(Value::from("5")), 1.into(), Err(invalid));
        check(Some(Value::Boolean(true)), 1.into(), Err(invalid));
    }
}
