//! Arguments of calls: what is not of the type that a call takes is refused by its name.

use super::{PARTITION_KEY, ROW_KEY, bytes, date_in, int64, service_name, text};
use crate::error::{Converted, Failure};
use entable::{DateTime, Mode};
use napi::ValueType;
use napi::bindgen_prelude::{FromNapiValue, JsObjectValue, JsValue, Object, Unknown};

/// The text of an argument that has to be a string.
pub(crate) fn text_in(value: Unknown<'_>, name: &str) -> Converted<String> {
    match value.get_type()? {
        ValueType::String => text(value).map_err(|failure| failure.of(name)),
        _ => Err(Failure::wrong_type(format!("{name} must be a string.")).of(name)),
    }
}

/// A PartitionKey or RowKey.
pub(crate) fn key_in(value: Unknown<'_>, name: &str) -> Converted<String> {
    match value.get_type()? {
        ValueType::Undefined | ValueType::Null => Err(Failure::key_missing(name)),
        ValueType::String => text(value).map_err(|failure| failure.of(name)),
        _ => Err(Failure::wrong_type(format!("The {name} must be a string.")).of(name)),
    }
}

/// A list of `[partitionKey, rowKey]`.
pub(crate) fn keys_in(value: Unknown<'_>) -> Converted<Vec<(String, String)>> {
    let pair = |pair: Unknown<'_>| {
        let pair = array_in(pair, "A pair of keys")?;
        Ok((key_in(pair.get_element(0)?, PARTITION_KEY)?, key_in(pair.get_element(1)?, ROW_KEY)?))
    };
    let keys = array_in(value, "keys")?;
    (0..keys.get_array_length()?).map(|at| pair(keys.get_element(at)?)).collect()
}

/// Elements of an array that is handed in. The length of one is what it says, up to 2^32, whatever it holds: nobody could
/// wait for more, nor has the memory.
const ELEMENTS: u32 = 1 << 24;

/// An array; `what` says what it should have been.
pub(crate) fn array_in<'env>(value: Unknown<'env>, what: &str) -> Converted<Object<'env>> {
    if !value.is_array()? {
        return Err(Failure::wrong_type(format!("{what} must be an array.")).of(what));
    }
    let array = Object::from_unknown(value)?;
    let length = array.get_array_length()?;
    if length > ELEMENTS {
        return Err(Failure::invalid(format!("{what} has {length} elements; the limit is {ELEMENTS}.")).of(what));
    }
    Ok(array)
}

/// An object that is no list; `what` says what it should have been.
pub(crate) fn object_in<'env>(value: Unknown<'env>, what: &str) -> Converted<Object<'env>> {
    match value.get_type()? {
        ValueType::Object if !value.is_array()? => Ok(Object::from_unknown(value)?),
        _ => Err(Failure::wrong_type(format!("{what} must be an object.")).of(what)),
    }
}

/// An argument that has to be a `Date`.
pub(crate) fn instant_in(value: Unknown<'_>, name: &str) -> Converted<DateTime> {
    match value.is_date()? {
        true => date_in(value).map_err(|failure| failure.of(name)),
        false => Err(Failure::wrong_type(format!("{name} must be a Date.")).of(name)),
    }
}

/// A time that is a `Date`, or its text.
pub(crate) fn time_in(value: Unknown<'_>, name: &str) -> Converted<DateTime> {
    match value.get_type()? {
        ValueType::String => {
            let time = DateTime::parse(&text_in(value, name)?, Mode::Extended.limits());
            time.map_err(|error| Failure::from(error).of(name))
        }
        _ => instant_in(value, name),
    }
}

/// An argument that has to be a whole number, from a `number` or a `bigint`.
pub(crate) fn integer_in(value: Unknown<'_>, name: &str) -> Converted<i64> {
    let wrong = || Failure::wrong_type(format!("{name} must be a whole number: a bigint, or a safe integer.")).of(name);
    match value.get_type()? {
        ValueType::BigInt => int64(value).map_err(|failure| failure.of(name)),
        ValueType::Number => {
            let number = f64::from_unknown(value)?;
            let is_whole = number.trunc() == number && number.abs() <= 9_007_199_254_740_991.0;
            if is_whole { Ok(number as i64) } else { Err(wrong()) }
        }
        _ => Err(wrong()),
    }
}

/// An argument that has to be a whole number that is not negative.
pub(crate) fn unsigned_in(value: Unknown<'_>, name: &str) -> Converted<u64> {
    let wrong = |_| Failure::wrong_type(format!("{name} must not be negative.")).of(name);
    u64::try_from(integer_in(value, name)?).map_err(wrong)
}

/// An argument that has to be a `number`.
pub(crate) fn number_in(value: Unknown<'_>, name: &str) -> Converted<f64> {
    match value.get_type()? {
        ValueType::Number => Ok(f64::from_unknown(value)?),
        _ => Err(Failure::wrong_type(format!("{name} must be a number.")).of(name)),
    }
}

/// An argument that has to be a `Uint8Array`.
pub(crate) fn bytes_in(value: Unknown<'_>, name: &str) -> Converted<Vec<u8>> {
    match value.get_type()? {
        ValueType::Object if value.is_typedarray()? => bytes(value).map_err(|failure| failure.of(name)),
        _ => Err(Failure::wrong_type(format!("{name} must be a Uint8Array.")).of(name)),
    }
}

/// An argument that has to be a list of strings.
pub(crate) fn texts_in(value: Unknown<'_>, name: &str) -> Converted<Vec<String>> {
    let texts = array_in(value, name)?;
    (0..texts.get_array_length()?).map(|at| text_in(texts.get_element(at)?, name)).collect()
}

/// An argument that has to be a list of properties' names, in the service's.
pub(crate) fn names_in(value: Unknown<'_>, name: &str) -> Converted<Vec<String>> {
    Ok(texts_in(value, name)?.iter().map(|name| service_name(name).to_owned()).collect())
}

/// The elements of an array.
pub(crate) fn elements<'env>(array: &Object<'env>) -> Converted<Vec<Unknown<'env>>> {
    (0..array.get_array_length()?).map(|at| Ok(array.get_element(at)?)).collect()
}
