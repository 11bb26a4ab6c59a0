//! What goes wrong, as JavaScript's errors.

use crate::convert::{Factories, member_name};
use entable::{Details, Error, ErrorCode};
use napi::JsError;
use napi::bindgen_prelude::{Env, Object, Unknown};

/// What a conversion gives.
pub(crate) type Converted<T> = Result<T, Failure>;

/// Why a call failed.
pub(crate) enum Failure {
    /// The store's own error.
    Store(Error),
    /// An argument that does not make sense to the store, which has therefore not been asked.
    Argument(Argument),
    /// An exception of JavaScript, from a getter for example, or of Node's own.
    Js(napi::Error),
}

/// What is wrong with an argument.
pub(crate) struct Argument {
    /// `TypeError` rather than `RestError`.
    is_type_error: bool,
    code: ErrorCode,
    message: String,
    property: Option<String>,
    index: Option<usize>,
}

impl Failure {
    /// An argument is of another JavaScript type than the call takes.
    pub(crate) fn wrong_type(message: impl Into<String>) -> Failure {
        Failure::argument(true, ErrorCode::InvalidInput, message.into())
    }

    /// A value cannot be stored as it is.
    pub(crate) fn invalid(fact: impl AsRef<str>) -> Failure {
        let code = ErrorCode::InvalidInput;
        Failure::argument(false, code, format!("{} {}", code.message(), fact.as_ref()))
    }

    /// What the call is about has ended.
    pub(crate) fn ended(fact: impl AsRef<str>) -> Failure {
        let code = ErrorCode::StoreClosed;
        Failure::argument(false, code, format!("{} {}", code.message(), fact.as_ref()))
    }

    /// A key is missing. It says how JavaScript writes it.
    pub(crate) fn key_missing(property: &str) -> Failure {
        let code = ErrorCode::PropertiesNeedValue;
        let member = member_name(property);
        Failure::argument(false, code, format!("{} It is {member} that is missing.", code.message())).of(property)
    }

    /// The same, of an object with these names: one of them may be the key's, written as the service does.
    pub(crate) fn key_missing_among<'a>(property: &str, mut names: impl Iterator<Item = &'a str>) -> Failure {
        let member = member_name(property);
        let Some(alike) = names.find(|name| *name != member && name.eq_ignore_ascii_case(member)) else {
            return Failure::key_missing(property);
        };
        let code = ErrorCode::PropertiesNeedValue;
        let fact = format!("{} It has {alike}: here the name of this key is {member}.", code.message());
        Failure::argument(false, code, fact).of(property)
    }

    fn argument(is_type_error: bool, code: ErrorCode, message: String) -> Failure {
        Failure::Argument(Argument { is_type_error, code, message, property: None, index: None })
    }

    /// The same failure, about this property.
    pub(crate) fn of(self, property: &str) -> Failure {
        match self {
            Failure::Argument(mut argument) => {
                argument.property.get_or_insert_with(|| property.to_owned());
                Failure::Argument(argument)
            }
            // The core's errors about a single value do not know whose it is.
            Failure::Store(error) if error.details().property.is_none() => {
                let (code, message) = (error.code(), error.message());
                Failure::argument(false, code, message).of(property)
            }
            other => other,
        }
    }

    /// The same failure, in this operation of a transaction.
    pub(crate) fn at(self, index: usize) -> Failure {
        match self {
            Failure::Argument(argument) => Failure::Argument(Argument { index: Some(index), ..argument }),
            Failure::Store(error) => {
                let mut failure = Failure::argument(false, error.code(), error.message());
                if let Failure::Argument(argument) = &mut failure {
                    argument.property = error.details().property.as_deref().map(str::to_owned);
                }
                failure.at(index)
            }
            Failure::Js(error) => Failure::Js(error),
        }
    }

    /// The exception to throw, or to reject with.
    pub(crate) fn into_js(self, env: &Env) -> napi::Error {
        match self {
            Failure::Js(error) => error,
            failure => failure.exception(env).map_or_else(|error| error, napi::Error::from),
        }
    }

    /// The same as JavaScript has it.
    pub(crate) fn exception(self, env: &Env) -> napi::Result<Unknown<'_>> {
        match self {
            Failure::Store(error) => store_exception(env, &error),
            Failure::Argument(argument) => argument_exception(env, &argument),
            Failure::Js(error) => Ok(JsError::from(error).into_unknown(*env)),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Store(error)
    }
}

impl From<napi::Error> for Failure {
    fn from(error: napi::Error) -> Failure {
        Failure::Js(error)
    }
}

fn store_exception<'env>(env: &'env Env, error: &Error) -> napi::Result<Unknown<'env>> {
    let details = details_object(env, error.details())?;
    Factories::failure(
        env,
        (false, error.code().name(), error.status(), error.class().name(), error.message(), details),
    )
}

fn argument_exception<'env>(env: &'env Env, argument: &Argument) -> napi::Result<Unknown<'env>> {
    let Argument { is_type_error, code, message, property, index } = argument;
    let mut details = Object::new(env)?;
    if let Some(property) = property {
        details.set("property", property.as_str())?;
    }
    let mut message = match property {
        Some(property) if !message.contains(property.as_str()) => format!("{message} (property {property})"),
        _ => message.clone(),
    };
    if let Some(index) = index {
        details.set("index", *index as f64)?;
        message = format!("{index}:{message}");
    }
    Factories::failure(env, (*is_type_error, code.name(), code.status(), code.class().name(), message, details))
}

fn details_object<'env>(env: &'env Env, details: &Details) -> napi::Result<Object<'env>> {
    let mut object = Object::new(env)?;
    let texts = [
        ("table", &details.table),
        ("partitionKey", &details.partition_key),
        ("rowKey", &details.row_key),
        ("property", &details.property),
        ("indexName", &details.index_name),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            object.set(name, &**text)?;
        }
    }
    if let Some((partition_key, row_key)) = &details.holder {
        let mut holder = Object::new(env)?;
        holder.set("partitionKey", &**partition_key)?;
        holder.set("rowKey", &**row_key)?;
        object.set("holder", holder)?;
    }
    let numbers = [
        ("limit", details.limit),
        ("actual", details.actual),
        ("position", details.position.map(|position| position as u64)),
        ("index", details.index.map(|index| index as u64)),
    ];
    for (name, number) in numbers {
        if let Some(number) = number {
            object.set(name, number as f64)?;
        }
    }
    Ok(object)
}
