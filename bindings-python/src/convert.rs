//! Values of the core to Python objects, and back. Nowhere else is a value converted.

mod arguments;
mod object;
mod raw;
mod template;

pub(crate) use arguments::{
    Ask, Asked, Filter, Select, When, condition, continuation_token, delete_keys, delete_target, filter, key_pairs,
    mode, mode_name, query, strings, token_dict, update_mode,
};
pub(crate) use object::{datetime, value};
pub(crate) use template::entity;

use crate::entity::TableEntity;
use crate::error::raise;
use entable::{
    Addend, DateTime, ETag, EdmType, Entity, EntityInput, Guid, InputValue, Mode, UntypedNumber, Value, Written,
    entity_from_json,
};
use pyo3::exceptions::{PyBufferError, PyKeyError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyBytes, PyDate, PyDateTime, PyDelta, PyDeltaAccess, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString,
    PyTuple, PyType, PyTzInfo, PyTzInfoAccess,
};

/// PartitionKey and RowKey.
type Keys = (String, String);

const PARTITION_KEY: &str = "PartitionKey";
const ROW_KEY: &str = "RowKey";
const TIMESTAMP: &str = "Timestamp";

/// What is said of an `Add` or a `Remove` where no merge is.
const NO_VALUE: &str = "Add and Remove are for merges";

/// The version of the service whose answers the store gives: in the metadata of a write.
const SERVICE_VERSION: &str = "2019-02-02";

const TICKS_PER_MICROSECOND: i64 = 10;
const MICROSECONDS_PER_SECOND: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// A Python class that is looked up once.
macro_rules! class {
    ($py:expr, $module:literal, $name:literal) => {{
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        CLASS.import($py, $module, $name)?
    }};
}
use class;

// Out: what the store gives.

/// What was read of an entity's text.
pub(crate) fn input_dict<'py>(py: Python<'py>, input: &EntityInput, mode: Mode) -> PyResult<Bound<'py, TableEntity>> {
    let typed = input.to_entity(None, mode).map_err(raise)?;
    let made = Bound::new(py, TableEntity::stored(input.etag().cloned(), None))?;
    let dict = made.as_super();
    dict.set_item(pyo3::intern!(py, "PartitionKey"), input.partition_key())?;
    dict.set_item(pyo3::intern!(py, "RowKey"), input.row_key())?;
    for (name, stored) in typed.properties() {
        dict.set_item(PyString::intern(py, name), value(py, stored)?)?;
    }
    Ok(made)
}

/// A plain dict with the keys of an entity.
pub(crate) fn keys_dict<'py>(py: Python<'py>, partition_key: &str, row_key: &str) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item(pyo3::intern!(py, "PartitionKey"), partition_key)?;
    dict.set_item(pyo3::intern!(py, "RowKey"), row_key)?;
    Ok(dict)
}

/// The entity as a plain dict whose values say their types: an `int` alone would have that of what is stored.
pub(crate) fn typed_dict<'py>(py: Python<'py>, entity: &Entity) -> PyResult<Bound<'py, PyDict>> {
    let dict = keys_dict(py, entity.partition_key(), entity.row_key())?;
    for (name, stored) in entity.properties() {
        let object = match stored {
            Value::Int32(number) => {
                let edm_type = class!(py, "entable._model", "EdmType").getattr("INT32")?;
                class!(py, "entable._model", "EntityProperty").call1((number, edm_type))?
            }
            stored => value(py, stored)?,
        };
        dict.set_item(PyString::intern(py, name), object)?;
    }
    Ok(dict)
}

/// What `TableEntity.metadata` holds.
pub(crate) fn entity_metadata<'py>(
    py: Python<'py>,
    etag: Option<&ETag>,
    timestamp: Option<DateTime>,
) -> PyResult<Bound<'py, PyDict>> {
    let metadata = PyDict::new(py);
    metadata.set_item("etag", etag.map(ETag::to_string))?;
    metadata.set_item("timestamp", timestamp.map(|time| datetime(py, time)).transpose()?)?;
    Ok(metadata)
}

/// What a write gives: exactly the keys that the client gives.
pub(crate) fn write_metadata(py: Python<'_>, written: Written) -> PyResult<Bound<'_, PyDict>> {
    let metadata = PyDict::new(py);
    metadata.set_item("date", datetime(py, written.timestamp())?)?;
    metadata.set_item("etag", written.etag().to_string())?;
    metadata.set_item("version", SERVICE_VERSION)?;
    Ok(metadata)
}

/// What a transaction gives: a dict for each operation, empty for deletes; `found` tells of an entity that was not
/// created for it was there.
pub(crate) fn outcomes<'py>(py: Python<'py>, written: &[Option<Written>]) -> PyResult<Bound<'py, PyList>> {
    let outcomes = PyList::empty(py);
    for written in written {
        let outcome = PyDict::new(py);
        if let Some(written) = written {
            outcome.set_item("etag", written.etag().to_string())?;
            if written.is_found() {
                outcome.set_item("found", true)?;
            }
        }
        outcomes.append(outcome)?;
    }
    Ok(outcomes)
}

/// A `TableItem`.
pub(crate) fn table_item<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    class!(py, "entable._model", "TableItem").call1((name,))
}

// In: what the caller hands in. Errors name the property.

/// What a value that is handed in is read by: the mode, and the encoder that the store was opened with.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub(crate) mode: Mode,
    pub(crate) encoder: Option<&'a Py<PyAny>>,
}

impl Rules<'static> {
    /// Where there is no store.
    const ALONE: Rules<'static> = Rules { mode: Mode::Extended, encoder: None };
}

impl Rules<'_> {
    /// What the encoder makes of a value that cannot be stored as it is, which is to be one that can.
    fn encoded(self, value: &Bound<'_, PyAny>, name: &str, fact: &str) -> PyResult<Option<InputValue>> {
        let Some(encoder) = self.encoder else { return Err(wrong(name, fact)) };
        let made = encoder.bind(value.py()).call1((name, value))?;
        input_value(&made, name, Rules { encoder: None, ..self })
    }
}

/// A value of an entity; nothing for `None`, which is left out.
fn input_value(value: &Bound<'_, PyAny>, name: &str, rules: Rules<'_>) -> PyResult<Option<InputValue>> {
    let (py, mode) = (value.py(), rules.mode);
    let whole = |value: &Bound<'_, PyAny>| match value.extract() {
        Ok(number) => Ok(Some(UntypedNumber::Integer(number).into())),
        Err(_) => rules.encoded(value, name, "an int beyond 64 bits cannot be stored"),
    };
    // What comes most comes first.
    if let Ok(text) = value.cast_exact::<PyString>() {
        return text_of(text, name).map(|text| Some(Value::String(text).into()));
    }
    if value.is_none() {
        return Ok(None);
    }
    if value.is_exact_instance_of::<PyInt>() {
        return whole(value);
    }
    if let Ok(number) = value.cast_exact::<PyFloat>() {
        return Ok(Some(Value::Double(number.value()).into()));
    }
    if let Ok(truth) = value.cast_exact::<PyBool>() {
        return Ok(Some(Value::Boolean(truth.is_true()).into()));
    }
    if let Ok(bytes) = value.cast_exact::<PyBytes>() {
        return Ok(Some(Value::Binary(bytes.as_bytes().to_vec()).into()));
    }
    if let Ok(pair) = value.cast::<PyTuple>() {
        let Ok((value, edm_type)) = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyString>)>() else {
            return Err(wrong(name, "a tuple is (value, Edm type)"));
        };
        let edm_type = self::edm_type(&edm_type, name)?;
        return (!value.is_none()).then(|| typed_value(&value, edm_type, name, mode).map(Into::into)).transpose();
    }
    if let Some(time) = plain_date(value, name)? {
        return Ok(Some(Value::DateTime(time).into()));
    }
    let edm_type = if value.is_instance_of::<PyDateTime>() {
        EdmType::DateTime
    } else if value.is_instance(class!(py, "uuid", "UUID"))? {
        EdmType::Guid
    } else if value.is_instance(class!(py, "entable._model", "Int64"))? {
        EdmType::Int64
    } else if value.is_instance(class!(py, "enum", "Enum"))? {
        EdmType::String
    } else if value.is_instance_of::<PyString>() {
        return text_of(value.cast::<PyString>()?, name).map(|text| Some(Value::from(text).into()));
    } else if value.is_instance_of::<PyFloat>() {
        EdmType::Double
    } else if value.is_instance_of::<PyInt>() {
        return whole(value);
    } else if value.is_instance(class!(py, "entable._model", "Add"))? {
        return added(value, name, rules).map(|addend| Some(InputValue::Add(addend)));
    } else if value.is_instance(class!(py, "entable._model", "Remove"))? {
        return Ok(Some(InputValue::Remove));
    } else if let Some(bytes) = buffer(value, name)? {
        return Ok(Some(Value::from(bytes.as_slice()).into()));
    } else {
        return rules.encoded(value, name, &format!("{} cannot be stored", type_name(value)));
    };
    typed_value(value, edm_type, name, mode).map(|value| Some(value.into()))
}

/// The number of an `Add`.
fn added(value: &Bound<'_, PyAny>, name: &str, rules: Rules<'_>) -> PyResult<Addend> {
    let number = value.getattr(pyo3::intern!(value.py(), "value"))?;
    // It would be followed as deep as it goes, which may be without an end.
    if number.is_instance(class!(value.py(), "entable._model", "Add"))? {
        return Err(wrong(name, "only a number can be added"));
    }
    let number = input_value(&number, name, rules)?;
    let addend = number.and_then(|number| Addend::try_from(number).ok());
    addend.ok_or_else(|| wrong(name, "only a number can be added"))
}

/// The value as one of this type. Text may stand for every type, by the rules of the service's JSON.
fn typed_value(value: &Bound<'_, PyAny>, edm_type: EdmType, name: &str, mode: Mode) -> PyResult<Value> {
    if let Ok(text) = value.cast::<PyString>()
        && edm_type != EdmType::String
    {
        return value_of_text(text_of(text, name)?, edm_type, name, mode);
    }
    let converted = match edm_type {
        EdmType::Int32 => integer(value).map(Value::Int32),
        EdmType::Int64 => integer(value).map(Value::Int64),
        EdmType::Double if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() => {
            value.extract().ok().map(Value::Double)
        }
        EdmType::DateTime => {
            let time = plain_date(value, name)?.map_or_else(|| time(value, name, mode), Ok);
            return time.map(Value::DateTime);
        }
        EdmType::Guid => guid(value)?.map(Value::Guid),
        EdmType::Boolean => value.cast::<PyBool>().ok().map(|truth| Value::Boolean(truth.is_true())),
        EdmType::String => return text_of(&value.str()?, name).map(Value::from),
        EdmType::Binary => buffer(value, name)?.map(|bytes| Value::from(bytes.as_slice())),
        EdmType::Double => None,
    };
    converted.ok_or_else(|| wrong(name, &format!("{} is no {edm_type}, or does not fit it", type_name(value))))
}

/// The bytes of any object that has a buffer.
fn buffer(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Vec<u8>>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes().to_vec()));
    }
    // The view's own copy: it knows every layout, and one that is released while it is read.
    let py = value.py();
    let Ok(view) = class!(py, "builtins", "memoryview").call1((value,)) else { return Ok(None) };
    let bytes = view.call_method0(pyo3::intern!(py, "tobytes")).map_err(|error| caused(name, &error, py))?;
    Ok(Some(bytes.cast::<PyBytes>().map_err(|_| wrong(name, "its buffer gives no bytes"))?.as_bytes().to_vec()))
}

/// The first instant, in UTC, of a `date` that is no `datetime`.
fn plain_date(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<DateTime>> {
    let py = value.py();
    if value.is_instance_of::<PyDateTime>() || !value.is_instance_of::<PyDate>() {
        return Ok(None);
    }
    let days: i64 = value.call_method0(pyo3::intern!(py, "toordinal")).and_then(|days| days.extract())?;
    // The first of January of the year 1 is day 1.
    let ticks = (days - 1) * SECONDS_PER_DAY * MICROSECONDS_PER_SECOND * TICKS_PER_MICROSECOND;
    time_of_ticks(ticks, name, py).map(Some)
}

/// A whole number of the size that is asked for. A `float` is none, whatever its value.
fn integer<T: for<'a, 'py> FromPyObject<'a, 'py>>(value: &Bound<'_, PyAny>) -> Option<T> {
    value.cast::<PyInt>().ok().and_then(|number| number.extract().ok())
}

fn guid(value: &Bound<'_, PyAny>) -> PyResult<Option<Guid>> {
    let bytes = value.getattr_opt(pyo3::intern!(value.py(), "bytes"))?;
    let bytes = bytes.as_ref().and_then(|bytes| bytes.cast::<PyBytes>().ok()?.as_bytes().try_into().ok());
    Ok(bytes.map(Guid::from_bytes))
}

/// The ticks of a `datetime`. A naive one is local time, as it is for the client.
pub(crate) fn time(value: &Bound<'_, PyAny>, name: &str, mode: Mode) -> PyResult<DateTime> {
    let py = value.py();
    let Ok(time) = value.cast::<PyDateTime>() else {
        return Err(wrong(name, &format!("{} is no Edm.DateTime", type_name(value))));
    };
    if value.is_instance(class!(py, "entable._model", "DateTime"))? {
        let ticks = value.getattr("ticks").and_then(|ticks| ticks.extract());
        return time_of_ticks(ticks.map_err(|error| caused(name, &error, py))?, name, py);
    }
    // The official client's own subclass keeps the service's text, which has more than microseconds.
    if !value.is_exact_instance_of::<PyDateTime>()
        && let Some(text) = value.getattr_opt(pyo3::intern!(py, "tables_service_value"))?
        && let Ok(text) = text.cast::<PyString>()
        && !text.is_empty()?
        && let Value::DateTime(time) = value_of_text(text_of(text, name)?, EdmType::DateTime, name, mode)?
    {
        return Ok(time);
    }
    let since = match time.get_tzinfo() {
        Some(_) => time.sub(first_instant(py)?),
        None => time.call_method1("astimezone", (PyTzInfo::utc(py)?,)).and_then(|time| time.sub(first_instant(py)?)),
    };
    let since = since.map_err(|error| caused(name, &error, py))?.cast_into::<PyDelta>()?;
    let seconds = i64::from(since.get_days()) * SECONDS_PER_DAY + i64::from(since.get_seconds());
    let microseconds = seconds * MICROSECONDS_PER_SECOND + i64::from(since.get_microseconds());
    time_of_ticks(microseconds * TICKS_PER_MICROSECOND, name, py)
}

/// 0001-01-01T00:00:00Z: what Python's own arithmetic counts from, so that no zone is calculated here.
fn first_instant(py: Python<'_>) -> PyResult<&Bound<'_, PyDateTime>> {
    static FIRST: PyOnceLock<Py<PyDateTime>> = PyOnceLock::new();
    let made = || {
        let utc = PyTzInfo::utc(py)?;
        PyDateTime::new(py, 1, 1, 1, 0, 0, 0, 0, Some(&utc)).map(Bound::unbind)
    };
    FIRST.get_or_try_init(py, made).map(|first| first.bind(py))
}

fn time_of_ticks(ticks: i64, name: &str, py: Python<'_>) -> PyResult<DateTime> {
    DateTime::from_ticks(ticks).map_err(|error| caused(name, &raise(error), py))
}

/// A value from text: the core reads it as it would in a body of the service.
fn value_of_text(text: String, edm_type: EdmType, name: &str, mode: Mode) -> PyResult<Value> {
    let [name, edm_type, text] = [name, edm_type.name(), &text].map(serde_json::Value::from);
    let type_name = serde_json::Value::from(format!("{}@odata.type", name.as_str().unwrap_or_default()));
    let body = format!(r#"{{"PartitionKey": "", "RowKey": "", {type_name}: {edm_type}, {name}: {text}}}"#);
    let input = entity_from_json(&body, mode).map_err(raise)?;
    match input.properties().next() {
        Some((_, InputValue::Typed(value))) => Ok(value.clone()),
        _ => Err(PyValueError::new_err(format!("{name} cannot be read from text"))),
    }
}

/// The type of this name, from a string or an `EdmType`, which is one.
fn edm_type(edm_type: &Bound<'_, PyString>, name: &str) -> PyResult<EdmType> {
    let text = text_of(edm_type, name)?;
    EdmType::from_name(&text)
        .ok_or_else(|| PyValueError::new_err(format!("property {name:?}: there is no type {text:?}")))
}

/// The text of a `str`. Half a surrogate pair, which Python allows, cannot be stored.
fn text_of(text: &Bound<'_, PyString>, name: &str) -> PyResult<String> {
    text.to_str().map(Into::into).map_err(|error| caused(name, &error, text.py()))
}

fn wrong(name: &str, what: &str) -> PyErr {
    PyTypeError::new_err(format!("property {name:?}: {what}"))
}

/// A `ValueError` that names the property and keeps Python's own error of a value as its cause. What else was raised, in code of
/// the caller's or by Ctrl-C, is not about the value, and comes through.
fn caused(name: &str, cause: &PyErr, py: Python<'_>) -> PyErr {
    let is_of_value = cause.is_instance_of::<PyValueError>(py)
        || cause.is_instance_of::<PyTypeError>(py)
        || cause.is_instance_of::<PyOverflowError>(py)
        || cause.is_instance_of::<PyBufferError>(py);
    if !is_of_value {
        return cause.clone_ref(py);
    }
    let error = PyValueError::new_err(format!("property {name:?}: {}", cause.value(py)));
    error.set_cause(py, Some(cause.clone_ref(py)));
    error
}

/// The error in the place of a `TypeError`, by which Python says that an object is none of what is asked for. What else was raised
/// comes through: code of the caller's may run wherever Python is asked, and Ctrl-C comes anywhere.
pub(crate) fn or_raised(error: PyErr, py: Python<'_>, wrong: impl FnOnce() -> PyErr) -> PyErr {
    if error.is_instance_of::<PyTypeError>(py) { wrong() } else { error }
}

fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(
        |_| "this".into(),
        |name| {
            let name = name.to_string();
            let article = if name.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) { "an" } else { "a" };
            format!("{article} {name}")
        },
    )
}

/// What a missing key raises: the client's calls differ.
#[derive(Clone, Copy)]
pub(crate) enum MissingKey {
    /// In `create_entity` and in transactions.
    ValueError,
    /// In `update_entity` and `upsert_entity`.
    KeyError,
}

impl MissingKey {
    fn error(self, name: &'static str) -> PyErr {
        match self {
            MissingKey::ValueError => PyValueError::new_err(format!("{name} must be present in an entity")),
            MissingKey::KeyError => PyKeyError::new_err(name),
        }
    }
}

/// An entity as handed in: any mapping. What the store gave along with it, `Timestamp` and annotations, is ignored.
pub(crate) fn entity_input(entity: &Bound<'_, PyAny>, rules: Rules<'_>, missing: MissingKey) -> PyResult<EntityInput> {
    let dataclass = if entity.cast::<PyMapping>().is_ok() { None } else { of_dataclass(entity)? };
    let entity = dataclass.as_ref().unwrap_or(entity);
    let mut taken = Taken { rules, partition_key: None, row_key: None, properties: Vec::new() };
    // From a copy: converting a value may run code that changes the mapping.
    if let Ok(dict) = entity.cast_exact::<PyDict>() {
        taken.properties.reserve(dict.len());
        for (name, value) in dict.copy()? {
            taken.take(name, &value)?;
        }
    } else {
        for item in mapping(entity)?.items()? {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            taken.take(name, &value)?;
        }
    }
    let partition_key = taken.partition_key.ok_or_else(|| missing.error(PARTITION_KEY))?;
    let row_key = taken.row_key.ok_or_else(|| missing.error(ROW_KEY))?;
    let mut input = EntityInput::new(key(&partition_key)?, key(&row_key)?);
    for (name, value) in taken.properties {
        input.push(name.to_str()?, value);
    }
    Ok(input)
}

/// What has been read of a mapping.
struct Taken<'a, 'py> {
    rules: Rules<'a>,
    partition_key: Option<Bound<'py, PyAny>>,
    row_key: Option<Bound<'py, PyAny>>,
    properties: Vec<(Bound<'py, PyString>, InputValue)>,
}

impl<'py> Taken<'_, 'py> {
    fn take(&mut self, name: Bound<'py, PyAny>, value: &Bound<'py, PyAny>) -> PyResult<()> {
        let name = name.cast_into::<PyString>().map_err(|error| {
            PyTypeError::new_err(format!("a property's name is a str, not {}", type_name(&error.into_inner())))
        })?;
        let text = name.to_str().map_err(|error| caused("name of a property", &error, name.py()))?;
        match text {
            _ if value.is_none() => {}
            PARTITION_KEY => self.partition_key = Some(checked_key(value)?),
            ROW_KEY => self.row_key = Some(checked_key(value)?),
            text if text == TIMESTAMP || is_annotation(text) => {}
            text => {
                if let Some(value) = input_value(value, text, self.rules)? {
                    self.properties.push((name, value));
                }
            }
        }
        Ok(())
    }
}

/// A key, found to be text.
fn checked_key<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    key(value).map(|_| value.clone())
}

/// The entity as if it were stored, with the Timestamp of its metadata.
pub(crate) fn whole_entity(entity: &Bound<'_, PyAny>) -> PyResult<Entity> {
    let input = entity_input(entity, Rules::ALONE, MissingKey::ValueError)?;
    let metadata = entity.getattr_opt(pyo3::intern!(entity.py(), "metadata"))?;
    let stamp = metadata.and_then(|metadata| metadata.get_item("timestamp").ok());
    let stamp =
        stamp.filter(|stamp| !stamp.is_none()).map(|stamp| time(&stamp, TIMESTAMP, Mode::Extended)).transpose()?;
    input.to_entity(stamp, Mode::Extended).map_err(raise)
}

/// The entity as it was read, with the ETag of its metadata. A plain `int` has the type that it has in `former`.
pub(crate) fn read_entity(entity: &Bound<'_, PyAny>, former: Option<&Entity>) -> PyResult<Entity> {
    let input = entity_input(entity, Rules::ALONE, MissingKey::ValueError)?;
    let mut read = Entity::new(input.partition_key(), input.row_key());
    for (name, value) in input.properties() {
        let before = former.and_then(|former| former.get(name)).map(Value::edm_type);
        let value = match value {
            InputValue::Typed(value) => value.clone(),
            InputValue::Untyped(number) => number.resolve(before, Mode::Extended).map_err(raise)?,
            InputValue::Add(_) | InputValue::Remove => return Err(wrong(name, NO_VALUE)),
        };
        read.insert(name, value);
    }
    let etag: Option<String> = entity
        .getattr_opt(pyo3::intern!(entity.py(), "metadata"))?
        .and_then(|metadata| metadata.get_item("etag").and_then(|etag| etag.extract()).ok());
    let etag = etag.map(|etag| etag.parse::<ETag>()).transpose().map_err(raise)?;
    Ok(read.with_version(None, etag.as_ref()))
}

/// A value that is asked for; a plain `int` has the type that it would be stored with if nothing were there.
pub(crate) fn asked_value(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Value> {
    match input_value(value, name, Rules::ALONE)? {
        Some(InputValue::Typed(value)) => Ok(value),
        Some(InputValue::Untyped(number)) => number.resolve(None, Mode::Extended).map_err(raise),
        Some(InputValue::Add(_) | InputValue::Remove) => Err(wrong(name, NO_VALUE)),
        None => Err(wrong(name, "None is no value")),
    }
}

/// Whether a key of an entity is an annotation of the service's JSON (S1.4.5).
fn is_annotation(name: &str) -> bool {
    name.starts_with("odata.") || name.contains('@') && name.contains("@odata.")
}

/// The entity as an object of a class of the caller's own.
pub(crate) fn shaped<'py>(entity: &Bound<'py, PyAny>, class: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static SHAPED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    SHAPED.import(entity.py(), "entable._shapes", "shaped")?.call1((entity, class))
}

/// The mapping that stands for an object of a dataclass.
fn of_dataclass<'py>(entity: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    static PROPERTIES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if !entity.hasattr(pyo3::intern!(entity.py(), "__dataclass_fields__"))? {
        return Ok(None);
    }
    PROPERTIES.import(entity.py(), "entable._shapes", "properties")?.call1((entity,)).map(Some)
}

fn mapping<'a, 'py>(entity: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyMapping>> {
    entity
        .cast::<PyMapping>()
        .map_err(|_| PyTypeError::new_err(format!("an entity is a mapping, not {}", type_name(entity))))
}

/// The text of a key.
pub(crate) fn key<'a>(key: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    let Ok(text) = key.cast::<PyString>() else {
        let fact = format!("PartitionKey and RowKey are of type str, not {}", type_name(key));
        return Err(PyTypeError::new_err(fact));
    };
    text.to_str().map_err(|error| caused("key", &error, key.py()))
}

/// The keys of an entity that is there.
fn keys_of(entity: &Bound<'_, PyMapping>) -> PyResult<Keys> {
    Ok((key(&entity.get_item(PARTITION_KEY)?)?.to_owned(), key(&entity.get_item(ROW_KEY)?)?.to_owned()))
}
