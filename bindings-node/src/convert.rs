//! Values between JavaScript and the core, exact in both directions.

mod arguments;

pub(crate) use arguments::*;

use crate::error::{Converted, Failure};
use crate::packed::{Pack, Packer};
use crate::shape::{Shapes, number_text};
use crate::write::{Backlog, Settle};
use entable::{Addend, DateTime, EdmType, Filter, InputValue, Mode, Parameters, UntypedNumber, Value};
use napi::bindgen_prelude::{
    BigInt, BufferSlice, Env, FnArgs, FromNapiValue, Function, FunctionRef, JsObjectValue, JsValue,
    JsValuesTupleIntoVec, Object, ToNapiValue, Uint8ArraySlice, Unknown, Utf16String,
};
use napi::{JsDate, JsString, KeyCollectionMode, KeyConversion, KeyFilter, ValueType};
use napi_derive::napi;
use std::fmt::Write;

/// The four names that entities of the official client have instead of the service's.
const NAMES: [(&str, &str); 4] =
    [("partitionKey", PARTITION_KEY), ("rowKey", ROW_KEY), ("timestamp", TIMESTAMP), ("etag", "odata.etag")];
pub(crate) const PARTITION_KEY: &str = "PartitionKey";
pub(crate) const ROW_KEY: &str = "RowKey";
pub(crate) const TIMESTAMP: &str = "Timestamp";

/// Ticks of a JavaScript millisecond.
pub(crate) const TICKS_PER_MS: i64 = 10_000;

type FailureArgs<'a> = (bool, &'static str, u16, &'static str, String, Object<'a>);

/// The functions of `lib/` that make its objects: one set for each thread's environment.
pub(crate) struct Factories {
    failure: FunctionRef<FnArgs<FailureArgs<'static>>, Unknown<'static>>,
    date_time: FunctionRef<FnArgs<(BigInt,)>, Unknown<'static>>,
    pub(crate) shapes: Shapes,
    pub(crate) packer: Packer,
    /// Writes of this environment that wait for others.
    pub(crate) backlog: Backlog,
}

impl Factories {
    pub(crate) fn of(env: &Env) -> napi::Result<&'static Factories> {
        match env.get_instance_data::<Factories>()? {
            Some(factories) => Ok(factories),
            None => Err(napi::Error::from_reason("entable's native part was loaded without its JavaScript part")),
        }
    }

    /// A `RestError`, or a `TypeError` with the same members.
    pub(crate) fn failure<'env>(env: &'env Env, args: FailureArgs<'env>) -> napi::Result<Unknown<'env>> {
        called(&Factories::of(env)?.failure.borrow_back(env)?, FnArgs { data: args })
    }

    /// A `DateTime`, which keeps what a `Date` would lose.
    fn date_time<'env>(env: &'env Env, ticks: i64) -> napi::Result<Unknown<'env>> {
        called(&Factories::of(env)?.date_time.borrow_back(env)?, FnArgs { data: (BigInt::from(ticks),) })
    }
}

/// Calls a function of `lib/`. What it throws stays pending, and is thrown on as it is once the native part has returned:
/// napi's `call` takes it and asks it for its text and its cause, which is JavaScript again, and has no end where the cause
/// of an error is that error, or where V8's stack is used up.
pub(crate) fn called<A: JsValuesTupleIntoVec, R: FromNapiValue>(
    function: &Function<'_, A, R>,
    args: A,
) -> napi::Result<R> {
    function.apply((), args)
}

/// Takes the functions of `lib/` that make its errors, dates and entities, lay out entities that come in, and settle its
/// promises. Called once for each environment that loads the module.
#[napi]
pub fn register(
    env: Env,
    failure: Function<'_, FnArgs<FailureArgs<'static>>, Unknown<'static>>,
    date_time: Function<'_, FnArgs<(BigInt,)>, Unknown<'static>>,
    shapes: Object<'_>,
    pack: Pack<'_>,
    settle: Settle<'_>,
) -> napi::Result<()> {
    let (failure, date_time) = (failure.create_ref()?, date_time.create_ref()?);
    let shapes = Shapes::new(&shapes)?;
    let factories =
        Factories { failure, date_time, shapes, packer: Packer::new(&pack)?, backlog: Backlog::new(&settle)? };
    env.set_instance_data(factories, (), |_| ())
}

/// The literal of a value in a filter's text.
#[napi(catch_unwind)]
pub fn literal(env: &Env, value: Unknown<'_>) -> napi::Result<String> {
    let text = || {
        let Some(value) = value_in(value, Mode::Strict)? else {
            return Err(Failure::wrong_type("undefined has no literal in a filter."));
        };
        // The core writes literals as parts of filters only. Strict: numbers are typed as the official client does it,
        // and the other modes compare them by value.
        let filter = Filter::parse_with("P eq @v", &Parameters::from([("v", value)]), Mode::Strict)?;
        Ok(filter.to_string().trim_start_matches("P eq ").to_owned())
    };
    text().map_err(|failure: Failure| failure.into_js(env))
}

/// The text of a JavaScript string, which may hold what is no text: halves of surrogate pairs.
pub(crate) fn text(value: Unknown<'_>) -> Converted<String> {
    let text = String::from_unknown(value)?;
    // Node puts U+FFFD in the place of a half; the same character may stand there rightly.
    if text.contains('\u{fffd}') {
        let units = Utf16String::from_unknown(value)?;
        return String::from_utf16(&units).map_err(|_| half());
    }
    Ok(text)
}

/// What is wrong with a JavaScript string that is no text.
pub(crate) fn half() -> Failure {
    Failure::invalid("The text holds one half of a surrogate pair.")
}

/// The object's own members in their order.
pub(crate) fn members<'env>(object: &Object<'env>) -> Converted<Vec<(String, Unknown<'env>)>> {
    let value = |(name, key)| Ok((name, object.get_property_unchecked(JsString::from_unknown(key)?)?));
    names(object)?.into_iter().map(value).collect()
}

/// The names of the object's own members in their order, each also as JavaScript has it. Asks for no value.
pub(crate) fn names<'env>(object: &Object<'env>) -> Converted<Vec<(String, Unknown<'env>)>> {
    let names = object.get_all_property_names(
        KeyCollectionMode::OwnOnly,
        KeyFilter::Enumerable,
        KeyConversion::NumbersToStrings,
    )?;
    let count = names.get_array_length()?;
    let mut own = Vec::with_capacity(count as usize);
    for at in 0..count {
        let key: Unknown<'_> = names.get_element(at)?;
        if key.get_type()? != ValueType::Symbol {
            own.push((text(key).map_err(|failure| failure.of("name"))?, key));
        }
    }
    Ok(own)
}

/// The service's name of one of an entity's members.
pub(crate) fn service_name(name: &str) -> &str {
    NAMES.iter().find(|(ours, _)| *ours == name).map_or(name, |(_, service)| service)
}

/// The name of an entity's member for one of the service's.
pub(crate) fn member_name(name: &str) -> &str {
    NAMES.iter().find(|(_, service)| *service == name).map_or(name, |(ours, _)| ours)
}

/// Whether the member comes with entities that were read, and is ignored on input (S1.4.5).
pub(crate) fn is_annotation(service_name: &str) -> bool {
    service_name == TIMESTAMP || service_name.starts_with("odata.") || service_name.contains("@odata.")
}

/// A value handed in; `None` for null and undefined.
pub(crate) fn value_in(value: Unknown<'_>, mode: Mode) -> Converted<Option<InputValue>> {
    let typed = match value.get_type()? {
        ValueType::Undefined | ValueType::Null => return Ok(None),
        ValueType::Number => return Ok(Some(UntypedNumber::Number(f64::from_unknown(value)?).into())),
        ValueType::String => Value::String(text(value)?),
        ValueType::Boolean => Value::Boolean(bool::from_unknown(value)?),
        ValueType::BigInt => Value::Int64(int64(value)?),
        ValueType::Object if value.is_date()? => Value::DateTime(date_in(value)?),
        ValueType::Object if value.is_typedarray()? => Value::Binary(bytes(value)?),
        ValueType::Object => return stated_in(value, mode),
        other => return Err(unsupported(&other.to_string())),
    };
    Ok(Some(typed.into()))
}

fn unsupported(what: &str) -> Failure {
    Failure::wrong_type(format!(
        "A value of type {what} cannot be stored: give a string, boolean, number, bigint, Date, Uint8Array, or an object \
         with type and value."
    ))
}

/// The value of `{type, value}`, or what a merge does: `{type: 'Add', value}`, `{type: 'Remove'}`.
fn stated_in(value: Unknown<'_>, mode: Mode) -> Converted<Option<InputValue>> {
    let (name, stated) = type_and_value(value)?;
    match name.as_str() {
        "Remove" => Ok(Some(InputValue::Remove)),
        _ if stated.get_type()? == ValueType::Undefined => Err(unsupported("object")),
        "Add" => Ok(Some(InputValue::Add(addend_in(stated, mode)?))),
        _ => typed_in(&name, stated, mode),
    }
}

/// What `{type, value}` says.
fn type_and_value(value: Unknown<'_>) -> Converted<(String, Unknown<'_>)> {
    if value.is_array()? {
        return Err(unsupported("array"));
    }
    let object = Object::from_unknown(value)?;
    let (name, stated): (Unknown<'_>, _) = (object.get_named_property("type")?, object.get_named_property("value")?);
    match name.get_type()? {
        ValueType::String => Ok((text(name)?, stated)),
        _ => Err(unsupported("object")),
    }
}

/// A number that is added. It is no `Add` itself: one that holds itself would have no end.
fn addend_in(value: Unknown<'_>, mode: Mode) -> Converted<Addend> {
    let no_number = || Failure::wrong_type("Only a number can be added.");
    let number = match value.get_type()? {
        ValueType::Object => match type_and_value(value)? {
            (name, _) if matches!(name.as_str(), "Add" | "Remove") => None,
            (name, stated) => typed_in(&name, stated, mode)?,
        },
        _ => value_in(value, mode)?,
    };
    number.and_then(|number| Addend::try_from(number).ok()).ok_or_else(no_number)
}

/// The value of a type of the data model.
fn typed_in(name: &str, stated: Unknown<'_>, mode: Mode) -> Converted<Option<InputValue>> {
    let edm_type = EdmType::from_name(&format!("Edm.{name}")).ok_or_else(|| {
        let known = EdmType::ALL.map(|known| known.name().trim_start_matches("Edm.")).join(", ");
        Failure::invalid(format!("There is no type {}: there are {known}.", name.escape_debug()))
    })?;
    let misfit = || Failure::invalid(format!("The value is not an {edm_type}."));
    let value = match (edm_type, stated.get_type()?) {
        (_, ValueType::Null) => return Ok(None),
        (EdmType::String, ValueType::String) => Value::String(text(stated)?),
        (_, ValueType::String) => from_text(edm_type, &text(stated)?, mode)?,
        (EdmType::Boolean, ValueType::Boolean) => Value::Boolean(bool::from_unknown(stated)?),
        (EdmType::Double, ValueType::Number) => Value::Double(f64::from_unknown(stated)?),
        // As text, so that the core says what fits.
        (EdmType::Int32 | EdmType::Int64, ValueType::Number | ValueType::BigInt) => {
            from_text(edm_type, &text(stated.coerce_to_string()?.to_unknown())?, mode)?
        }
        (EdmType::DateTime, ValueType::Object) if stated.is_date()? => Value::DateTime(date_in(stated)?),
        (EdmType::Binary, ValueType::Object) if stated.is_typedarray()? => Value::Binary(bytes(stated)?),
        _ => return Err(misfit()),
    };
    Ok(Some(value.into()))
}

/// Characters that an error shows of a text.
const SHOWN: usize = 40;

/// The value of a text, as the service reads it in JSON beside its type.
fn from_text(edm_type: EdmType, text: &str, mode: Mode) -> Converted<Value> {
    match edm_type {
        EdmType::DateTime => return Ok(Value::DateTime(DateTime::parse(text, mode.limits())?)),
        EdmType::Guid => return Ok(Value::Guid(text.parse()?)),
        _ => {}
    }
    let body = format!(r#"{{"PartitionKey":"","RowKey":"","V@odata.type":"{edm_type}","V":{}}}"#, Quoted(text));
    let misfit = || {
        let shown: String = text.chars().take(SHOWN).collect();
        let rest = if shown.len() < text.len() { "\u{2026}" } else { "" };
        Failure::invalid(format!("'{}{rest}' is not an {edm_type}.", shown.escape_debug()))
    };
    // Without limits: the write checks them, and knows the property.
    let input = entable::entity_from_json(&body, Mode::Extended).map_err(|_| misfit())?;
    match input.properties().next() {
        // JSON has no -0.0, JavaScript has.
        Some((_, InputValue::Typed(Value::Double(number)))) if *number == 0.0 && text.starts_with('-') => {
            Ok(Value::Double(-0.0))
        }
        Some((_, InputValue::Typed(value))) => Ok(value.clone()),
        _ => Err(misfit()),
    }
}

/// A text as JSON writes it.
struct Quoted<'a>(&'a str);

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\0'..='\u{1f}' => write!(f, "\\u{:04x}", u32::from(c))?,
                _ => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

fn int64(value: Unknown<'_>) -> Converted<i64> {
    match BigInt::from_unknown(value)?.get_i64() {
        (number, true) => Ok(number),
        _ => Err(Failure::invalid("The bigint does not fit an Edm.Int64.")),
    }
}

fn bytes(value: Unknown<'_>) -> Converted<Vec<u8>> {
    match Uint8ArraySlice::from_unknown(value) {
        Ok(bytes) => Ok(bytes.to_vec()),
        Err(_) => Err(unsupported("typed array other than Uint8Array")),
    }
}

/// Ticks of 1970-01-01, where JavaScript's time begins.
pub(crate) const EPOCH_TICKS: i64 = 621_355_968_000_000_000;

/// The instant of a `Date`, which has whole milliseconds since 1970.
pub(crate) fn instant(ms: f64) -> Converted<DateTime> {
    if ms.is_nan() {
        return Err(Failure::invalid("The Date is invalid."));
    }
    // Beyond what fits, it is no DateTime in any case.
    Ok(DateTime::from_ticks((ms as i64).saturating_mul(TICKS_PER_MS).saturating_add(EPOCH_TICKS))?)
}

fn date_in(value: Unknown<'_>) -> Converted<DateTime> {
    let date = JsDate::from_unknown(value)?;
    let time = instant(date.value_of()?)?;
    let kept: Unknown<'_> = date.get_named_property("ticks")?;
    if kept.get_type()? == ValueType::BigInt {
        // Only while it is the same millisecond: a Date can be set.
        if let (kept, true) = BigInt::from_unknown(kept)?.get_i64()
            && kept.checked_sub(time.ticks()).is_some_and(|beyond| (0..TICKS_PER_MS).contains(&beyond))
        {
            return Ok(DateTime::from_ticks(kept)?);
        }
    }
    Ok(time)
}

/// How entities are shown.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    /// Whether the projection names the key.
    pub(crate) partition_key: bool,
    /// Whether the projection names the key.
    pub(crate) row_key: bool,
    /// `disableTypeConversion`: every value as `{type, value}`.
    pub(crate) as_text: bool,
}

/// A string. Those of ASCII alone, which most are, need not be looked through for more.
fn text_out<'env>(env: &'env Env, text: &str) -> napi::Result<Unknown<'env>> {
    let string = if text.is_ascii() { env.create_string_latin1(text) } else { env.create_string(text) };
    Ok(string?.to_unknown())
}

/// A value as JavaScript has it.
pub(crate) fn value_out<'env>(env: &'env Env, value: &Value) -> napi::Result<Unknown<'env>> {
    Ok(match value {
        Value::String(text) => text_out(env, text)?,
        Value::Boolean(truth) => unknown(env, *truth)?,
        Value::Int32(number) => env.create_int32(*number)?.to_unknown(),
        Value::Double(number) if number.is_finite() => env.create_double(*number)?.to_unknown(),
        // As the official client gives them.
        Value::Double(number) => env.create_string(number_text(*number))?.to_unknown(),
        Value::Int64(number) => unknown(env, BigInt::from(*number))?,
        Value::DateTime(time) => date_out(env, *time)?,
        Value::Guid(guid) => typed_object(env, "Guid", &guid.to_string())?,
        Value::Binary(bytes) => BufferSlice::copy_from(env, bytes)?.to_unknown(),
    })
}

pub(crate) fn unknown<'env, T: ToNapiValue>(env: &'env Env, value: T) -> napi::Result<Unknown<'env>> {
    value.into_unknown(env)
}

pub(crate) fn date_out<'env>(env: &'env Env, time: DateTime) -> napi::Result<Unknown<'env>> {
    let since = time.ticks() - EPOCH_TICKS;
    if since % TICKS_PER_MS == 0 {
        return Ok(env.create_date((since / TICKS_PER_MS) as f64)?.to_unknown());
    }
    Factories::date_time(env, time.ticks())
}

/// An instant as a plain `Date`, cut to milliseconds.
pub(crate) fn date_ms<'env>(env: &'env Env, time: DateTime) -> napi::Result<Unknown<'env>> {
    Ok(env.create_date((time.ticks() - EPOCH_TICKS).div_euclid(TICKS_PER_MS) as f64)?.to_unknown())
}

/// No result: undefined.
pub(crate) fn nothing<'env>(env: &'env Env, (): ()) -> napi::Result<Unknown<'env>> {
    unknown(env, ())
}

/// Sets a member that may be absent.
pub(crate) fn set_some<T: ToNapiValue>(object: &mut Object<'_>, name: &str, value: Option<T>) -> napi::Result<()> {
    match value {
        Some(value) => object.set(name, value).map(drop),
        None => Ok(()),
    }
}

/// A list of texts.
pub(crate) fn list<'a, 'env>(env: &'env Env, texts: impl Iterator<Item = &'a str>) -> napi::Result<Unknown<'env>> {
    unknown(env, texts.map(str::to_owned).collect::<Vec<String>>())
}

fn typed_object<'env>(env: &'env Env, name: &str, value: &str) -> napi::Result<Unknown<'env>> {
    let mut object = Object::new(env)?;
    object.set("type", name)?;
    object.set("value", value)?;
    Ok(object.to_unknown())
}
