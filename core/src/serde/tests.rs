use super::*;
use crate::model::KeyPair;
use crate::{DateTime, ETag, Entity, EntityInput, Error, ErrorCode, Guid, InputValue, IntoEntity, Mode, Value, entity};
use serde::de::{self, DeserializeOwned, Visitor};
use serde::{Deserialize, Deserializer, Serialize, forward_to_deserialize_any};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::net::IpAddr;
use std::time::SystemTime;

fn time(text: &str) -> DateTime {
    DateTime::parse(text, Mode::Extended.limits()).unwrap()
}

fn guid() -> Guid {
    "0f8fad5b-d9cb-469f-a165-70867728950e".parse().unwrap()
}

fn input<T: Serialize + ?Sized>(value: &T) -> Result<EntityInput, Error> {
    value.into_input()
}

/// The entity that is stored when this is written.
fn stored(input: EntityInput) -> Entity {
    let version = input.etag().and_then(ETag::timestamp).unwrap_or(time("2013-08-22T01:12:06.2608595Z"));
    let properties = input.properties().map(|(name, value)| match value {
        InputValue::Typed(value) => (name.into(), value.clone()),
        _ => panic!("{name} has no type, or is to be changed"),
    });
    let keys = KeyPair::new(input.partition_key(), input.row_key());
    Entity::stored(keys, Some(version), version, properties.collect())
}

fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    assert_eq!(from_entity::<T>(&stored(input(value).unwrap())).unwrap(), *value);
}

fn check_error<T: Debug>(result: Result<T, Error>, code: ErrorCode, property: Option<&str>, part: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.code(), error.details().property.as_deref()), (code, property), "{error}");
    assert!(error.to_string().contains(part), "{error}");
}

#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
enum Status {
    Open,
    #[serde(rename = "all done")]
    Done,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Metres(f64);

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Everything {
    i8: i8,
    i16: i16,
    i32: i32,
    i64: i64,
    u8: u8,
    u16: u16,
    u32: u32,
    u64: u64,
    f32: f32,
    f64: f64,
    bool: bool,
    char: char,
    string: String,
    time: DateTime,
    guid: Guid,
    value: Value,
    etag: ETag,
    status: Status,
    length: Metres,
    bytes: Vec<u8>,
    empty: Vec<u8>,
    array: [u8; 4],
    no_array: [u8; 0],
    some: Option<i32>,
    none: Option<i32>,
    some_time: Option<DateTime>,
    none_time: Option<DateTime>,
    some_value: Option<Value>,
    some_bytes: Option<Vec<u8>>,
    boxed: Box<str>,
    ip: IpAddr,
}

fn everything() -> Everything {
    Everything {
        i8: -8,
        i16: -16,
        i32: i32::MIN,
        i64: i64::MIN,
        u8: 255,
        u16: u16::MAX,
        u32: u32::MAX,
        u64: i64::MAX as u64,
        f32: 0.1,
        f64: -0.0,
        bool: true,
        char: '\u{1f600}',
        string: "2013-08-22T01:12:06Z".to_owned(),
        time: time("0001-01-01T00:00:00.0000001Z"),
        guid: guid(),
        value: Value::Guid(guid()),
        etag: "W/\"other\"".parse().unwrap(),
        status: Status::Done,
        length: Metres(3.0),
        bytes: vec![0, 255],
        empty: Vec::new(),
        array: [1, 2, 3, 4],
        no_array: [],
        some: Some(5),
        none: None,
        some_time: Some(time("2013-08-22T01:12:06Z")),
        none_time: None,
        some_value: Some(Value::DateTime(time("2013-08-22T01:12:06Z"))),
        some_bytes: Some(vec![7]),
        boxed: "".into(),
        ip: "127.0.0.1".parse().unwrap(),
    }
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "PascalCase")]
struct Keyed<T> {
    partition_key: String,
    row_key: String,
    #[serde(flatten)]
    rest: T,
}

fn keyed<T>(rest: T) -> Keyed<T> {
    Keyed { partition_key: "p".to_owned(), row_key: "r".to_owned(), rest }
}

/// A struct with one property, `X`, that does not go through serde's buffer.
#[derive(Serialize, Deserialize, Debug, PartialEq)]
#[serde(rename_all = "PascalCase")]
struct One<T> {
    partition_key: String,
    row_key: String,
    x: T,
}

fn one<T>(x: T) -> One<T> {
    One { partition_key: "p".to_owned(), row_key: "r".to_owned(), x }
}

#[test]
fn each_type_has_its_edm_type() {
    fn check<T: Serialize>(x: T, expected: impl Into<Value>) {
        let mut wanted = EntityInput::new("p", "r");
        wanted.push("X", expected.into());
        assert_eq!(input(&one(x)).unwrap(), wanted);
    }
    check(-1_i8, -1);
    check(-1_i16, -1);
    check(-1_i32, -1);
    check(-1_i64, -1_i64);
    check(-1_i128, -1_i64);
    check(1_u8, 1);
    check(1_u16, 1);
    check(1_u32, 1_i64);
    check(1_u64, 1_i64);
    check(1_u128, 1_i64);
    check(0.5_f32, 0.5);
    check(3.0_f64, 3.0);
    check(f64::NAN, f64::NAN);
    check(false, false);
    check('é', "é");
    check("", "");
    check(Status::Open, "Open");
    check(Status::Done, "all done");
    check(Metres(3.0), 3.0);
    check(Some(5), 5);
    check(time("0001-01-01T00:00:00Z"), time("0001-01-01T00:00:00Z"));
    check(guid(), guid());
    check(Value::Int64(5), 5_i64);
    check(Value::Binary(vec![1]), vec![1]);
    check(vec![1_u8, 2], vec![1, 2]);
    check([1_u8; 3], vec![1; 3]);
    check(&[9_u8][..], vec![9]);
    check(Vec::<String>::new(), vec![]);
    check("127.0.0.1".parse::<IpAddr>().unwrap(), "127.0.0.1");
    for left_out in [input(&one(None::<i32>)), input(&one(()))] {
        assert_eq!(left_out.unwrap(), EntityInput::new("p", "r"));
    }
}

#[test]
fn every_type_comes_back() {
    // All at once through serde's buffer ...
    comes_back(&keyed(everything()));
    // ... and one by one past it.
    let all = everything();
    comes_back(&one(all.i8));
    comes_back(&one(all.i16));
    comes_back(&one(all.i32));
    comes_back(&one(all.i64));
    comes_back(&one(i128::from(i64::MIN)));
    comes_back(&one(all.u8));
    comes_back(&one(all.u16));
    comes_back(&one(all.u32));
    comes_back(&one(all.u64));
    comes_back(&one(1_u128 << 62));
    comes_back(&one(all.f32));
    comes_back(&one(all.f64));
    comes_back(&one(f64::INFINITY));
    comes_back(&one(f32::NEG_INFINITY));
    comes_back(&one(all.bool));
    comes_back(&one(all.char));
    comes_back(&one(all.string));
    comes_back(&one(all.time));
    comes_back(&one(all.guid));
    comes_back(&one(all.value));
    comes_back(&one(all.etag));
    comes_back(&one(all.status));
    comes_back(&one(all.length));
    comes_back(&one(all.bytes));
    comes_back(&one(all.empty));
    comes_back(&one(all.array));
    comes_back(&one(all.no_array));
    comes_back(&one(all.some));
    comes_back(&one(all.none));
    comes_back(&one(all.some_time));
    comes_back(&one(all.none_time));
    comes_back(&one(all.some_value));
    comes_back(&one(all.some_bytes));
    comes_back(&one(all.boxed));
    comes_back(&one(all.ip));
}

fn values() -> Vec<Value> {
    vec![
        5.into(),
        5_i64.into(),
        5.0.into(),
        f64::NAN.into(),
        time("2013-08-22T01:12:06.2608595Z").into(),
        guid().into(),
        true.into(),
        "2013-08-22T01:12:06Z".into(),
        vec![].into(),
        vec![0, 255].into(),
    ]
}

#[test]
fn what_is_collected_keeps_its_type() {
    let rest: BTreeMap<String, Value> =
        values().into_iter().enumerate().map(|(at, value)| (format!("P{at}"), value)).collect();
    let written = input(&keyed(rest.clone())).unwrap();
    let entity = stored(written.clone());
    let typed: Vec<_> = rest.values().cloned().map(InputValue::Typed).collect();
    assert!(written.properties().map(|(_, value)| value).eq(&typed));

    // What the struct does not name is collected, Timestamp and ETag too, and both go back where they belong.
    let read: Keyed<BTreeMap<String, Value>> = from_entity(&entity).unwrap();
    let mut expected = rest.clone();
    expected.insert("Timestamp".into(), entity.timestamp().unwrap().into());
    expected.insert("odata.etag".into(), entity.etag().unwrap().to_string().into());
    assert_eq!(read.rest, expected);
    assert_eq!(input(&read).unwrap(), entity.clone().into_input().unwrap());

    let options: Keyed<HashMap<String, Option<Value>>> = from_entity(&entity).unwrap();
    for (name, value) in rest {
        assert_eq!(options.rest.get(&name), Some(&Some(value)));
    }
    // Without a struct around it a map has the keys as well.
    let map: HashMap<String, Value> = from_entity(&entity).unwrap();
    assert_eq!((map.len(), &map["RowKey"]), (expected.len() + 2, &"r".into()));
    assert_eq!(stored(input(&map).unwrap()), entity);
}

#[test]
fn an_enum_with_a_tag_is_many_kinds_of_entity() {
    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    #[serde(tag = "Kind")]
    enum Event {
        Placed(Box<Keyed<Everything>>),
        Seen {
            #[serde(rename = "PartitionKey")]
            partition_key: String,
            #[serde(rename = "RowKey")]
            row_key: String,
            at: DateTime,
            photo: Vec<u8>,
        },
    }
    comes_back(&Event::Placed(Box::new(keyed(everything()))));
    let at = time("2013-08-22T01:12:06.2608595Z");
    let seen = Event::Seen { partition_key: "p".into(), row_key: "r".into(), at, photo: vec![1, 2] };
    comes_back(&seen);
    assert_eq!(stored(input(&seen).unwrap())["Kind"], "Seen");

    #[derive(Deserialize, Debug, PartialEq)]
    #[serde(untagged)]
    enum Id {
        Guid(Guid),
        Time(DateTime),
        Number(i64),
        Text(String),
    }
    for (value, id) in [
        (Value::from(guid()), Id::Guid(guid())),
        (at.into(), Id::Time(at)),
        (5.into(), Id::Number(5)),
        ("x".into(), Id::Text("x".into())),
    ] {
        assert_eq!(from_entity::<One<Id>>(&entity! { "p", "r", "X" => value }).unwrap(), one(id));
    }
}

#[test]
fn system_properties_are_there_for_who_names_them() {
    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Versioned {
        #[serde(rename = "PartitionKey")]
        partition_key: String,
        #[serde(rename = "RowKey")]
        row_key: String,
        #[serde(rename = "Timestamp")]
        timestamp: Option<DateTime>,
        #[serde(rename = "odata.etag")]
        etag: Option<ETag>,
    }
    let entity = stored(EntityInput::new("p", "r"));
    let read: Versioned = from_entity(&entity).unwrap();
    assert_eq!((read.timestamp, &read.etag), (entity.timestamp(), &entity.etag()));
    let written = input(&read).unwrap();
    assert_eq!((written.etag(), written.properties().len()), (entity.etag().as_ref(), 0));

    let new: Versioned = from_entity(&entity! { "p", "r" }).unwrap();
    assert_eq!((new.timestamp, new.etag), (None, None));

    #[derive(Deserialize, Debug)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        #[serde(rename = "A")]
        a: i32,
    }
    assert_eq!(from_entity::<Strict>(&stored(input(&entity! { "p", "r", "A" => 1 }).unwrap())).unwrap().a, 1);
    let more = entity! { "p", "r", "A" => 1, "B" => 2 };
    check_error(from_entity::<Strict>(&more), ErrorCode::InvalidInput, Some("B"), "no field for the property 'B'");
}

#[test]
fn what_no_property_holds_is_refused_by_name() {
    #[derive(Serialize)]
    struct Address {
        city: &'static str,
    }
    #[derive(Serialize)]
    struct Pair(i32, i32);
    #[derive(Serialize)]
    enum Shape {
        Circle(f64),
        Line(f64, f64),
        Square { side: f64 },
    }
    fn check<T: Serialize>(x: T, part: &str) {
        check_error(input(&one(x)), ErrorCode::InvalidInput, Some("X"), part);
    }
    check(Address { city: "Ulm" }, "this is the struct Address");
    check(Pair(1, 2), "the tuple struct Pair");
    check(Shape::Circle(1.0), "the enum variant Shape::Circle with data");
    check(Shape::Line(1.0, 2.0), "the enum variant Shape::Line with data");
    check(Shape::Square { side: 1.0 }, "the enum variant Shape::Square with data");
    check(BTreeMap::from([("a", 1)]), "this is a map");
    check(vec![1_i32], "a sequence of Edm.Int32");
    check(vec!["a"], "a sequence of Edm.String");
    check(vec![Value::Int32(1)], "a sequence of Edm.Int32");
    check((1_u8, "a"), "a sequence of Edm.String");
    check(vec![Address { city: "Ulm" }], "a sequence of other than bytes");
    check(vec![Some(1_u8), None], "a sequence of other than bytes");
    check(SystemTime::now(), "use entable::DateTime");
    check(u64::MAX, "18446744073709551615 does not fit an Edm.Int64");
    check(i128::MIN, "does not fit an Edm.Int64");
    check(u128::MAX, "does not fit an Edm.Int64");
    let details = input(&one(u64::MAX)).unwrap_err().details().clone();
    assert_eq!((details.limit, details.actual), (Some(i64::MAX as u64), Some(u64::MAX)));
}

#[test]
fn what_is_no_entity_is_refused() {
    #[derive(Serialize)]
    enum Untagged {
        Unit,
        New(i32),
        Struct { a: i32 },
    }
    let invalid = ErrorCode::InvalidInput;
    check_error(input("text"), invalid, None, "value of type str");
    check_error(input(&5_u64), invalid, None, "value of type u64");
    check_error(input(&()), invalid, None, "value of type unit");
    check_error(input(&None::<Entity>), invalid, None, "value of type none");
    check_error(input(&vec![entity! { "p", "r" }]), invalid, None, "value of type seq");
    check_error(input(&Untagged::Unit), invalid, None, "Untagged");
    check_error(input(&Untagged::New(5)), invalid, None, "serde(tag");
    check_error(input(&Untagged::Struct { a: 5 }), invalid, None, "serde(tag");
    check_error(input(&BTreeMap::from([(1, 2)])), invalid, None, "name of a property is a text");
    assert_eq!(input(&Some(&entity! { "p", "r" })).unwrap(), EntityInput::new("p", "r"));
}

#[test]
fn keys_are_texts_and_there() {
    fn map(members: &[(&str, Option<Value>)]) -> Result<EntityInput, Error> {
        input(&members.iter().cloned().collect::<BTreeMap<_, _>>())
    }
    let (text, none) = (Some(Value::from("k")), None::<Value>);
    let value = ErrorCode::PropertiesNeedValue;
    check_error(map(&[]), value, Some("PartitionKey"), "");
    check_error(map(&[("PartitionKey", text.clone())]), value, Some("RowKey"), "");
    check_error(map(&[("PartitionKey", none), ("RowKey", text.clone())]), value, Some("PartitionKey"), "");
    let number = [("PartitionKey", text.clone()), ("RowKey", Some(5.into()))];
    check_error(map(&number), ErrorCode::InvalidInput, Some("RowKey"), "this one an Edm.Int32");
    let etag = [("PartitionKey", text.clone()), ("RowKey", text.clone()), ("odata.etag", text.clone())];
    check_error(map(&etag), ErrorCode::InvalidInput, Some("odata.etag"), "no ETag");

    let other = [("odata.type", 5.into()), ("A@odata.navigationLinkUrl", 5.into()), ("Timestamp", true.into())];
    let mut members = vec![("PartitionKey", text.clone()), ("RowKey", text)];
    members.extend(other.map(|(name, value): (_, Value)| (name, Some(value))));
    assert_eq!(map(&members).unwrap(), EntityInput::new("k", "k"));
    members.push(("A@odata.type", Some("Edm.Guid".into())));
    check_error(map(&members), ErrorCode::InvalidInput, Some("A@odata.type"), "entity_from_json");

    let twice = keyed(BTreeMap::from([("RowKey", "r")]));
    check_error(input(&twice), ErrorCode::DuplicatePropertiesSpecified, Some("RowKey"), "");
}

#[test]
fn a_property_that_does_not_fit_its_field_is_named() {
    fn check<T: DeserializeOwned + Debug>(x: impl Into<Value>, part: &str) {
        let read = from_entity::<One<T>>(&entity! { "p", "r", "X" => x });
        if let Err(error) = &read {
            assert_eq!(error.details().row_key.as_deref(), Some("r"));
        }
        check_error(read, ErrorCode::InvalidInput, Some("X"), part);
    }
    check::<i32>(1_i64 << 31, "integer `2147483648`, expected i32");
    check::<u8>(-1, "integer `-1`, expected u8");
    check::<u64>(-1_i64, "expected u64");
    check::<i32>(5.0, "The property is an Edm.Double, the field takes i32.");
    check::<i32>("5", "The property is an Edm.String, the field takes i32.");
    check::<f64>(5, "an Edm.Int32");
    check::<f64>(5_i64, "an Edm.Int64");
    check::<f64>("5", "an Edm.String");
    check::<f32>(0.1, "0.1 does not fit an f32 without loss");
    check::<f32>(1e300, "1e300 does not fit");
    check::<f32>(5, "an Edm.Int32");
    check::<bool>(1, "an Edm.Int32");
    check::<String>(guid(), "an Edm.Guid, the field takes a string");
    check::<String>(time("2013-08-22T01:12:06Z"), "an Edm.DateTime, the field takes a string");
    check::<char>("ab", "expected a character");
    check::<DateTime>("2013-08-22T01:12:06Z", "an Edm.String, the field takes a DateTime");
    check::<DateTime>(5_i64, "an Edm.Int64, the field takes a DateTime");
    check::<Guid>(time("2013-08-22T01:12:06Z"), "an Edm.DateTime, the field takes a Guid");
    check::<Guid>(guid().to_string().as_str(), "an Edm.String, the field takes a Guid");
    check::<ETag>("x", "ETag");
    check::<Vec<u8>>("AP8=", "an Edm.String, the field takes a sequence");
    check::<[u8; 2]>(vec![1], "length 1");
    check::<[u8; 2]>(vec![1, 2, 3], "length 3");
    check::<Status>("Closed", "Unknown variant `Closed`");
    check::<Status>(5, "an Edm.Int32");
    check::<SystemTime>(time("2013-08-22T01:12:06Z"), "use entable::DateTime");
    check::<Keyed<()>>("x", "the field takes struct Keyed");
    check::<HashMap<String, i32>>("x", "the field takes a map");
    check::<Option<i32>>("x", "an Edm.String");
    let missing = from_entity::<One<i32>>(&entity! { "p", "r", "x" => 5 });
    check_error(missing, ErrorCode::InvalidInput, Some("X"), "The entity has no property 'X'.");
    assert_eq!(from_entity::<One<Option<i32>>>(&entity! { "p", "r" }).unwrap(), one(None));
}

#[test]
fn through_the_buffer_other_types_do_not_fit_either() {
    #[derive(Deserialize, Debug)]
    struct X<T> {
        #[serde(rename = "X")]
        _x: T,
    }
    fn check<T: DeserializeOwned + Debug>(x: impl Into<Value>) {
        let read = from_entity::<Keyed<X<T>>>(&entity! { "p", "r", "X" => x });
        assert_eq!(read.unwrap_err().code(), ErrorCode::InvalidInput);
    }
    check::<String>(time("2013-08-22T01:12:06Z"));
    check::<String>(guid());
    check::<Guid>(time("2013-08-22T01:12:06Z"));
    check::<DateTime>(guid());
    check::<DateTime>(5_i64);
    check::<Vec<i32>>(5);
    check::<u8>(256);
    check::<i32>(5.0);
}

#[test]
fn an_entity_by_reference_is_the_entity() {
    let mut entity = entity! { "p", "r" };
    for (at, value) in values().into_iter().enumerate() {
        entity.insert(format!("P{at}"), value);
    }
    assert_eq!(input(&entity).unwrap(), entity.clone().into_input().unwrap());
    let entity = stored(entity.into_input().unwrap());
    assert_eq!(input(&entity).unwrap(), entity.clone().into_input().unwrap());
    let read: Entity = from_entity(&entity).unwrap();
    assert_eq!((&read, read.timestamp(), read.etag()), (&entity, entity.timestamp(), entity.etag()));
}

#[test]
fn other_formats_see_texts_and_numbers() {
    let json = |value: &Value| serde_json::to_string(value).unwrap();
    let forms =
        ["5", "5", "5.0", "null", r#""2013-08-22T01:12:06.2608595Z""#, r#""0f8fad5b-d9cb-469f-a165-70867728950e""#];
    for (value, form) in values().iter().zip(forms) {
        assert_eq!(json(value), form);
    }
    assert_eq!(json(&vec![0, 255].into()), "[0,255]");

    fn check<T: DeserializeOwned + PartialEq + Debug>(json: &str, expected: T) {
        assert_eq!(serde_json::from_str::<T>(json).unwrap(), expected, "{json}");
    }
    let at = time("2013-08-22T01:12:06.2608595Z");
    check(r#""2013-08-22T01:12:06.2608595Z""#, at);
    check(r#""0F8FAD5B-d9cb-469f-a165-70867728950e""#, guid());
    check(r#""W/\"other\"""#, "W/\"other\"".parse::<ETag>().unwrap());
    check("[5, -5]", [Value::Int64(5), Value::Int64(-5)]);
    check(r#"["x", true, 5.0, null]"#, [Some("x".into()), Some(true.into()), Some(5.0.into()), None::<Value>]);
    check("[[0, 255], []]", [Value::Binary(vec![0, 255]), Value::Binary(vec![])]);
    assert!(serde_json::from_str::<DateTime>("5").is_err());
    assert!(serde_json::from_str::<DateTime>(r#""today""#).is_err());
    assert!(serde_json::from_str::<Guid>(r#""x""#).is_err());
    for refused in ["{}", r#"{"a": 5}"#, "[256]", r#"["x"]"#, "18446744073709551615", "null"] {
        assert!(serde_json::from_str::<Value>(refused).is_err(), "{refused}");
    }

    let entity = stored(input(&entity! { "p", "r", "At" => at, "N" => 5_i64 }).unwrap());
    let text = serde_json::to_string(&entity).unwrap();
    let read: Entity = serde_json::from_str(&text).unwrap();
    assert_eq!((read.timestamp(), read.etag()), (entity.timestamp(), entity.etag()));
    assert_eq!((&read["At"], &read["N"]), (&"2013-08-22T01:12:06.2608595Z".into(), &5_i64.into()));
    let plain: Entity =
        serde_json::from_str(r#"{"RowKey": "r", "PartitionKey": "p", "A": null, "odata.x": {}}"#).unwrap();
    assert_eq!((plain.etag(), plain), (None, entity! { "p", "r" }));
    assert!(serde_json::from_str::<Entity>(r#"{"RowKey": "r"}"#).is_err());
    assert!(serde_json::from_str::<Entity>(r#"{"RowKey": "r", "PartitionKey": "p", "A": 1, "A": 2}"#).is_err());
}

/// A format that gives only what is asked for, as compact ones do.
struct Compact(&'static str);

impl<'de> Deserializer<'de> for Compact {
    type Error = de::value::Error;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Self::Error> {
        Err(de::Error::custom("a compact format does not know"))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_str(self.0)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char string bytes byte_buf option unit unit_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[test]
fn compact_formats_are_asked_for_texts() {
    assert_eq!(DateTime::deserialize(Compact("2013-08-22T01:12:06Z")), Ok(time("2013-08-22T01:12:06Z")));
    assert_eq!(Guid::deserialize(Compact("0f8fad5b-d9cb-469f-a165-70867728950e")), Ok(guid()));
    assert_eq!(ETag::deserialize(Compact("W/\"other\"")).unwrap().to_string(), "W/\"other\"");
}
