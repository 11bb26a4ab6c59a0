//! The form of the vectors: `tests/vectors/README.md` describes it.

use entable::{Addend, DateTime, Entity, InputValue, Mode, UntypedNumber, Value};
use serde_json::{Map, Value as Json};
use std::path::PathBuf;

/// A JSON object, its members in their order.
pub type Object = Map<String, Json>;

/// The folder of the vectors.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// A file of the folder.
///
/// # Panics
/// If it cannot be read, or is no JSON object.
pub fn read(name: &str) -> Object {
    let path = folder().join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    match serde_json::from_str(&text) {
        Ok(Json::Object(object)) => object,
        other => panic!("{}: not a JSON object: {other:?}", path.display()),
    }
}

/// The names of the vector files, in order.
///
/// # Panics
/// If the folder cannot be read.
pub fn files() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).expect("the folder of the vectors");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry of the folder").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".json"))
        .filter(|name| !matches!(&**name, "truth_table.json" | "rules.json" | "schema.json"))
        .collect();
    names.sort();
    names
}

/// The mode of this name.
///
/// # Panics
/// For another name.
pub fn mode(name: &str) -> Mode {
    match name {
        "portable" => Mode::Portable,
        "strict" => Mode::Strict,
        "extended" => Mode::Extended,
        _ => panic!("no mode {name}"),
    }
}

/// A text, or what a generator stands for.
///
/// # Panics
/// For anything else.
pub fn text(json: &Json) -> String {
    if let Json::String(text) = json {
        return text.clone();
    }
    match generator(json) {
        Some(("$repeat", [Json::String(part), count])) => part.repeat(count.as_u64().expect("a count") as usize),
        Some(("$concat", parts)) => parts.iter().map(text).collect(),
        _ => panic!("no text: {json}"),
    }
}

fn generator(json: &Json) -> Option<(&str, &[Json])> {
    let object = json.as_object().filter(|object| object.len() == 1)?;
    let (name, arguments) = object.iter().next()?;
    Some((name, arguments.as_array()?))
}

/// What stands for an operation: itself, or as many as its `times` says, each with its number in the place of
/// `{"$number_of": digits}`.
///
/// # Panics
/// For what is no object.
pub fn repeated(operation: &Json) -> impl Iterator<Item = Json> {
    let mut one = operation.as_object().expect("an operation").clone();
    let times = one.remove("times").map_or(1, |times| times.as_u64().expect("a number"));
    let one = Json::Object(one);
    (0..times).map(move |number| numbered(&one, number))
}

fn numbered(json: &Json, number: u64) -> Json {
    match json {
        Json::Object(members) => match members.get("$number_of").and_then(Json::as_u64) {
            Some(digits) => format!("{number:0width$}", width = digits as usize).into(),
            None => members.iter().map(|(name, value)| (name.clone(), numbered(value, number))).collect(),
        },
        Json::Array(items) => items.iter().map(|item| numbered(item, number)).collect(),
        other => other.clone(),
    }
}

/// A typed value.
///
/// # Panics
/// If the form does not know it.
pub fn value(edm_type: Option<&str>, json: &Json) -> Value {
    let as_text = || json.as_str().unwrap_or_else(|| panic!("no text: {json}"));
    match (edm_type, json) {
        (None, Json::Bool(value)) => Value::Boolean(*value),
        (None, Json::Number(number)) => {
            Value::Int32(number.as_i64().and_then(|number| number.try_into().ok()).expect("an Int32"))
        }
        (None, json) => match generator(json) {
            Some(("$bytes", [byte, count])) => {
                let byte = byte.as_u64().and_then(|byte| byte.try_into().ok()).expect("a byte");
                Value::Binary(vec![byte; count.as_u64().expect("a count") as usize])
            }
            _ => Value::String(text(json)),
        },
        (Some("Edm.String"), json) => Value::String(text(json)),
        (Some("Edm.Boolean"), json) => Value::Boolean(json.as_bool().unwrap_or_else(|| as_text() == "true")),
        (Some("Edm.Int32"), json) => Value::Int32(
            json.as_i64().map_or_else(|| as_text().parse().expect("an Int32"), |n| n.try_into().expect("an Int32")),
        ),
        (Some("Edm.Int64"), json) => {
            Value::Int64(json.as_i64().unwrap_or_else(|| as_text().parse().expect("an Int64")))
        }
        (Some("Edm.Double"), json) => Value::Double(json.as_f64().unwrap_or_else(|| match as_text() {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            text => text.parse().expect("a Double"),
        })),
        (Some("Edm.DateTime"), _) => {
            Value::DateTime(DateTime::parse(as_text(), Mode::Extended.limits()).expect("a DateTime"))
        }
        (Some("Edm.Guid"), _) => Value::Guid(as_text().parse().expect("a Guid")),
        (Some("Edm.Binary"), json) => match generator(json) {
            Some(_) => value(None, json),
            None => Value::Binary(bytes(as_text())),
        },
        (Some(other), _) => panic!("no type {other}"),
    }
}

/// The bytes of base64 text: the store's own reader of bodies knows them.
fn bytes(base64: &str) -> Vec<u8> {
    let body = serde_json::json!({
        "PartitionKey": "", "RowKey": "", "B": base64, "B@odata.type": "Edm.Binary"
    });
    let input = entable::entity_from_json(&body.to_string(), Mode::Extended).expect("base64");
    match input.properties().next() {
        Some((_, entable::InputValue::Typed(Value::Binary(bytes)))) => bytes.clone(),
        other => panic!("no bytes: {other:?}"),
    }
}

fn untyped(json: &Json) -> Option<UntypedNumber> {
    let object = json.as_object().filter(|object| object.len() == 1)?;
    if let Some(integer) = object.get("$integer") {
        return Some(UntypedNumber::Integer(integer.as_i64().expect("an integer")));
    }
    Some(UntypedNumber::Number(object.get("$number")?.as_f64().expect("a number")))
}

/// What a merge adds to a property, or that it removes it.
fn change(json: &Json) -> Option<InputValue> {
    let object = json.as_object().filter(|object| object.len() == 1)?;
    if object.contains_key("$remove") {
        return Some(InputValue::Remove);
    }
    let added = object.get("$add")?;
    Some(InputValue::Add(match untyped(added) {
        Some(number) => Addend::Untyped(number),
        None => match value(added["type"].as_str(), &added["value"]) {
            Value::Int32(number) => Addend::Int32(number),
            Value::Int64(number) => Addend::Int64(number),
            Value::Double(number) => Addend::Double(number),
            other => panic!("{other:?} is no number"),
        },
    }))
}

/// What a vector says of an entity besides its properties; `Some(None)` is an explicit null.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The entity, its keys empty where they are not given.
    pub entity: Entity,
    /// Whether PartitionKey and RowKey are given.
    pub has_keys: (bool, bool),
    /// The Timestamp.
    pub timestamp: Option<Option<DateTime>>,
    /// Numbers without a type, and what a merge adds or removes.
    pub inputs: Vec<(String, InputValue)>,
    /// The ETag, as it is given: a text, or a reference to a saved one.
    pub etag: Option<Option<String>>,
}

/// An entity of a vector.
///
/// # Panics
/// If the form does not know a member.
pub fn entity(json: &Json) -> Given {
    let object = json.as_object().unwrap_or_else(|| panic!("no entity: {json}"));
    let key = |name| object.get(name).filter(|json| !json.is_null()).map(text);
    let (partition_key, row_key) = (key("PartitionKey"), key("RowKey"));
    let mut given = Given {
        has_keys: (partition_key.is_some(), row_key.is_some()),
        entity: Entity::new(partition_key.unwrap_or_default(), row_key.unwrap_or_default()),
        ..Given::default()
    };
    for (name, json) in object {
        match name.as_str() {
            "PartitionKey" | "RowKey" => {}
            "Timestamp" if change(json).is_none() => {
                given.timestamp = Some(json.as_str().map(|text| text.parse().expect("a Timestamp")));
            }
            "odata.etag" => given.etag = Some(json.as_str().map(Into::into)),
            "$fill" => {
                let count = json["count"].as_u64().expect("a count");
                for number in 0..count {
                    let name = format!("{}{number}", json["prefix"].as_str().expect("a prefix"));
                    match change(&json["value"]) {
                        Some(change) => given.inputs.push((name, change)),
                        None => drop(given.entity.insert(name, value(None, &json["value"]))),
                    }
                }
            }
            name if name.ends_with("@odata.type") => {}
            _ if json.is_null() => {}
            name if untyped(json).is_some() || change(json).is_some() => {
                let input = untyped(json).map(InputValue::Untyped).or_else(|| change(json));
                given.inputs.extend(input.map(|input| (name.to_owned(), input)));
            }
            name => {
                let edm_type = object.get(&format!("{name}@odata.type")).map(|json| json.as_str().expect("a type"));
                given.entity.insert(name, value(edm_type, json));
            }
        }
    }
    given
}
