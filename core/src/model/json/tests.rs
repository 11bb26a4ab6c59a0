use super::*;
use crate::model::{DateTime, ETag, Entity, EntityInput, Guid, InputValue, IntoEntity, KeyPair, Value};
use crate::{Error, ErrorCode, Mode, entity};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

fn read(body: &str) -> Result<EntityInput, Error> {
    entity_from_json(body, Mode::Portable)
}

/// The body of an entity with these members besides its keys.
fn body(members: &str) -> String {
    format!(r#"{{"PartitionKey": "p", "RowKey": "r", {members}}}"#)
}

fn time(text: &str) -> DateTime {
    DateTime::parse(text, Mode::Extended.limits()).unwrap()
}

/// Reads a body with one property, `X`.
fn check(members: &str, expected: impl Into<Value>) {
    let input = read(&body(members)).unwrap();
    let mut wanted = EntityInput::new("p", "r");
    wanted.push("X", expected.into());
    assert_eq!(input, wanted, "{members}");
}

fn check_error(body: &str, code: ErrorCode, property: Option<&str>) {
    let error = read(body).unwrap_err();
    assert_eq!((error.code(), error.details().property.as_deref()), (code, property), "{body}: {error}");
}

#[test]
fn the_json_alone_says_the_type() {
    check(r#""X": "2013-08-22T01:12:06Z""#, "2013-08-22T01:12:06Z");
    check(r#""X": """#, "");
    check(r#""X": "é\u00e9\ud83d\ude00\u0000""#, "éé\u{1f600}\0");
    check(r#""X": true"#, true);
    check(r#""X":false"#, false);
    check(r#""X": 5"#, 5);
    check(r#""X": -0"#, 0);
    check(r#""X": -2147483648"#, i32::MIN);
    check(r#""X": 2147483647"#, i32::MAX);
    check(r#""X": 2147483648"#, 2_147_483_648.0);
    check(r#""X": 9007199254740993"#, 9_007_199_254_740_992.0);
    check(r#""X": 5.0"#, 5.0);
    check(r#""X": 5e0"#, 5.0);
    check(r#""X": 5E+0"#, 5.0);
    check(r#""X": -0.0"#, 0.0);
    check(r#""X": 1e-400"#, 0.0);
    check(r#""X": 1.797693134862315e308"#, 1.797693134862315e308);
}

#[test]
fn an_annotation_says_the_type() {
    let guid: Guid = "0f8fad5b-d9cb-469f-a165-70867728950e".parse().unwrap();
    for (name, json, value) in [
        ("String", r#""5""#, Value::from("5")),
        ("Int32", "5", 5.into()),
        ("Int32", r#""+5""#, 5.into()),
        ("Int32", r#""-2147483648""#, i32::MIN.into()),
        ("Int64", "5", 5_i64.into()),
        ("Int64", r#""9223372036854775807""#, i64::MAX.into()),
        ("Double", "5", 5.0.into()),
        ("Double", r#""5""#, 5.0.into()),
        ("Double", r#""-1.5e3""#, (-1500.0).into()),
        ("Double", r#""-0""#, 0.0.into()),
        ("Double", r#""NaN""#, f64::NAN.into()),
        ("Double", r#""Infinity""#, f64::INFINITY.into()),
        ("Double", r#""-Infinity""#, f64::NEG_INFINITY.into()),
        ("Boolean", "true", true.into()),
        ("Boolean", r#""False""#, false.into()),
        ("DateTime", r#""2013-08-22T03:12:06.26+02:00""#, time("2013-08-22T01:12:06.26Z").into()),
        ("Guid", r#""0F8FAD5B-d9cb-469f-a165-70867728950e""#, guid.into()),
        ("Binary", r#""""#, Vec::new().into()),
        ("Binary", r#""AP8=""#, vec![0, 255].into()),
        ("Binary", r#""AP9=""#, vec![0, 255].into()),
    ] {
        check(&format!(r#""X@odata.type": "Edm.{name}", "X": {json}"#), value.clone());
        check(&format!(r#""X": {json}, "X@odata.type": "Edm.{name}""#), value);
    }
}

#[test]
fn what_does_not_fit_its_type_is_refused() {
    for (name, refused) in [
        ("String", &["5", "true", "[]"][..]),
        ("Int32", &["5.0", "5e0", "2147483648", r#""""#, r#"" 5""#, r#""5.0""#, r#""x""#, "true"]),
        ("Int64", &["5.5", "9223372036854775808", r#""""#, r#""5 ""#, "false", "{}"]),
        ("Double", &["1e400", r#""1e400""#, r#""""#, r#""inf""#, r#""nan""#, r#""INFINITY""#, r#""1,5""#, "true"]),
        ("Boolean", &["1", r#""1""#, r#""""#, r#""yes""#]),
        ("DateTime", &["5", r#""""#, r#""2013-02-29T00:00:00Z""#, r#""1600-12-31T23:59:59Z""#, r#""2013-08-22""#]),
        (
            "Guid",
            &["5", r#""""#, r#""0f8fad5bd9cb469fa16570867728950e""#, r#""{0f8fad5b-d9cb-469f-a165-70867728950e}""#],
        ),
        ("Binary", &["5", r#""AP8""#, r#""AP8==""#, r#""AP-=""#, r#""A P8=""#, r#""A""#]),
        ("Single", &["5"]),
        ("Null", &["5"]),
        ("", &[r#""5""#]),
    ] {
        for json in refused {
            check_error(
                &body(&format!(r#""X@odata.type": "Edm.{name}", "X": {json}"#)),
                ErrorCode::InvalidInput,
                Some("X"),
            );
        }
    }
    for untyped in ["1e400", "-1e400", "1.797693134862316e308", "[]", "{}", r#"[{"a": 1}]"#] {
        check_error(&body(&format!(r#""X": {untyped}"#)), ErrorCode::InvalidInput, Some("X"));
    }
    check_error(&body(r#""X@odata.type": 5, "X": 5"#), ErrorCode::InvalidInput, Some("X"));
    check_error(&body(r#""X@odata.type": "edm.int32", "X": 5"#), ErrorCode::InvalidInput, Some("X"));
}

#[test]
fn extended_reads_the_times_that_it_stores() {
    let body = body(r#""X@odata.type": "Edm.DateTime", "X": "0001-01-01""#);
    assert_eq!(read(&body).unwrap_err().code(), ErrorCode::InvalidInput);
    let input = entity_from_json(&body, Mode::Extended).unwrap();
    assert_eq!(input.properties().next(), Some(("X", &InputValue::Typed(time("0001-01-01").into()))));
}

#[test]
fn surrogates_come_in_pairs() {
    for text in [r"\ud800", r"\udc00", r"a\ud83d", r"\ud83dx", r"\ude00\ud83d", r"\ud83d\n"] {
        check_error(&body(&format!(r#""X": "{text}""#)), ErrorCode::InvalidInput, Some("X"));
        check_error(
            &format!(r#"{{"PartitionKey": "{text}", "RowKey": ""}}"#),
            ErrorCode::InvalidInput,
            Some("PartitionKey"),
        );
        check_error(&body(&format!(r#""{text}": 5"#)), ErrorCode::InvalidInput, None);
    }
}

#[test]
fn what_is_no_property_is_left_out() {
    for members in [
        r#""A": null"#,
        r#""A": null, "A@odata.type": "Edm.Int64""#,
        r#""A@odata.type": "Edm.Nothing", "A": null"#,
        r#""A@odata.type": "Edm.Int64""#,
        r#""A@odata.type@odata.type": "Edm.String""#,
        r#""A@odata.type@odata.type": "Edm.String", "A@odata.type@odata.type": 5"#,
        r#""Timestamp": "x""#,
        r#""Timestamp": {"a": []}, "Timestamp@odata.type": "Edm.Int32""#,
        r#""odata.etag": "no etag""#,
        r#""odata.etag": 5, "odata.metadata": {}, "odata.id": null, "odata.type": "a.b", "odata.any": "\ud800""#,
        r#""A@odata.associationLinkUrl": []"#,
        r#""PartitionKey@odata.type": "Edm.String", "RowKey@odata.type": "Edm.String""#,
    ] {
        assert_eq!(read(&body(members)).unwrap(), EntityInput::new("p", "r"), "{members}");
    }
    check(r#""X": 5, "timestamp@odata.type": "Edm.Guid""#, 5);
}

#[test]
fn the_etag_that_was_read_comes_back() {
    let text = "W/\"datetime'2013-08-22T01%3A12%3A06.2608595Z'\"";
    let input = read(&body(&format!(r#""odata.etag": {}"#, serde_json::to_string(text).unwrap()))).unwrap();
    assert_eq!(input.etag().map(ETag::to_string).as_deref(), Some(text));
}

#[test]
fn keys_are_texts_and_there() {
    let value = ErrorCode::PropertiesNeedValue;
    check_error("{}", value, Some("PartitionKey"));
    check_error(r#"{"PartitionKey": "p"}"#, value, Some("RowKey"));
    check_error(r#"{"RowKey": "r"}"#, value, Some("PartitionKey"));
    check_error(r#"{"PartitionKey": "p", "RowKey": null}"#, value, Some("RowKey"));
    check_error(r#"{"partitionKey": "p", "RowKey": "r"}"#, value, Some("PartitionKey"));
    let invalid = ErrorCode::InvalidInput;
    check_error(r#"{"PartitionKey": 5, "RowKey": "r"}"#, invalid, Some("PartitionKey"));
    check_error(r#"{"PartitionKey": "p", "RowKey": []}"#, invalid, Some("RowKey"));
    check_error(
        r#"{"PartitionKey@odata.type": "Edm.Int64", "PartitionKey": "5", "RowKey": ""}"#,
        invalid,
        Some("PartitionKey"),
    );
    assert_eq!(read(r#"{"RowKey": "", "PartitionKey": "%25"}"#).unwrap(), EntityInput::new("%25", ""));
}

#[test]
fn a_property_comes_once() {
    let code = ErrorCode::DuplicatePropertiesSpecified;
    check_error(&body(r#""A": 5, "A": 5"#), code, Some("A"));
    check_error(&body(r#""A": null, "A": 5"#), code, Some("A"));
    check_error(&body(r#""A": 5, "\u0041": null"#), code, Some("A"));
    check_error(&body(r#""RowKey": "r""#), code, Some("RowKey"));
    check_error(&body(r#""A@odata.type": "Edm.Int32", "A": 5, "A@odata.type": "Edm.Int64""#), code, Some("A"));
    assert_eq!(read(&body(r#""A": 5, "a": 5"#)).unwrap().properties().len(), 2);
}

#[test]
fn a_body_that_is_no_entity_says_where() {
    for (body, place) in [
        ("", "line 1 column 0"),
        ("{", "line 1 column 1"),
        ("{\n \"A\": x}", "line 2 column 7"),
        ("[]", "line 1 column 0"),
        ("5", "line 1 column 1"),
        ("{} {}", "line 1 column 4"),
        (r#"{"A": 05}"#, "line 1 column 8"),
        (r#"{"A": 5,}"#, "line 1 column 9"),
    ] {
        let error = read(body).unwrap_err();
        assert_eq!((error.code(), error.status()), (ErrorCode::InvalidInput, 400), "{body}");
        let message = error.message();
        assert!(message.starts_with("An error occurred while processing this request. "), "{message}");
        assert!(message.contains(place), "{body}: {message}");
    }
    // Depth costs no stack.
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    check_error(&body(&format!(r#""X": {deep}"#)), ErrorCode::InvalidInput, Some("X"));
}

#[test]
fn limits_are_those_of_the_mode() {
    let long = format!(r#""X": "{}""#, "a".repeat(32_769));
    check_error(&body(&long), ErrorCode::PropertyValueTooLarge, Some("X"));
    assert!(entity_from_json(&body(&long), Mode::Extended).is_ok());
    check_error(&body(r#""a-b": 5"#), ErrorCode::PropertyNameInvalid, Some("a-b"));
    check_error(r#"{"PartitionKey": "a/b", "RowKey": ""}"#, ErrorCode::OutOfRangeInput, Some("PartitionKey"));
}

fn stored() -> Entity {
    let at = time("2013-08-22T01:12:06.2608595Z");
    let properties = [
        ("S", Value::from("a\"\\\u{1}é")),
        ("I", 5.into()),
        ("L", 5_i64.into()),
        ("D", 3.0.into()),
        ("N", f64::NAN.into()),
        ("T", time("2008-07-10T00:00:00Z").into()),
        ("G", Guid::from_bytes([0xab; 16]).into()),
        ("B", vec![0, 255].into()),
        ("Ok", true.into()),
    ];
    let properties = properties.into_iter().map(|(name, value)| (name.into(), value)).collect();
    Entity::stored(KeyPair::new("it's", "a b%é"), Some(at), at, properties)
}

const ADDRESS: JsonAddress<'_> =
    JsonAddress { endpoint: "https://acc.table.core.windows.net/", account: "acc", table: "Orders" };

#[test]
fn each_level_of_metadata() {
    let write = |metadata, alone| {
        entity_to_json(&stored(), &JsonOptions { metadata, alone, address: Some(ADDRESS), select: None })
    };
    let etag = r#""odata.etag":"W/\"datetime'2013-08-22T01%3A12%3A06.2608595Z'\"""#;
    let keys = r#""PartitionKey":"it's","RowKey":"a b%é""#;
    let timestamp = r#""Timestamp":"2013-08-22T01:12:06.2608595Z""#;
    let metadata = r#""odata.metadata":"https://acc.table.core.windows.net/$metadata#Orders/@Element""#;
    let typed = concat!(
        r#""S":"a\"\\\u0001é","I":5,"L@odata.type":"Edm.Int64","L":"5","D":3.0,"#,
        r#""N@odata.type":"Edm.Double","N":"NaN","T@odata.type":"Edm.DateTime","T":"2008-07-10T00:00:00Z","#,
        r#""G@odata.type":"Edm.Guid","G":"abababab-abab-abab-abab-abababababab","#,
        r#""B@odata.type":"Edm.Binary","B":"AP8=","Ok":true"#,
    );
    let untyped = concat!(
        r#""S":"a\"\\\u0001é","I":5,"L":"5","D":3.0,"N":"NaN","T":"2008-07-10T00:00:00Z","#,
        r#""G":"abababab-abab-abab-abab-abababababab","B":"AP8=","Ok":true"#,
    );
    assert_eq!(write(Metadata::None, true), format!("{{{keys},{timestamp},{untyped}}}"));
    assert_eq!(write(Metadata::Minimal, false), format!("{{{etag},{keys},{timestamp},{typed}}}"));
    assert_eq!(write(Metadata::Minimal, true), format!("{{{metadata},{etag},{keys},{timestamp},{typed}}}"));
    let link = "Orders(PartitionKey='it%27%27s',RowKey='a%20b%25%C3%A9')";
    assert_eq!(
        write(Metadata::Full, true),
        format!(
            r#"{{{metadata},"odata.type":"acc.Orders","odata.id":"https://acc.table.core.windows.net/{link}",{etag},"odata.editLink":"{link}",{keys},"Timestamp@odata.type":"Edm.DateTime",{timestamp},{typed}}}"#
        )
    );
}

#[test]
fn a_projection_writes_the_names_it_selects() {
    let write = |metadata, select: &[&str]| {
        entity_to_json(&stored(), &JsonOptions { metadata, select: Some(select), address: Some(ADDRESS), alone: false })
    };
    assert_eq!(write(Metadata::None, &["Ok", "Gone", "I", "Gone", "i"]), r#"{"I":5,"Ok":true,"Gone":null,"i":null}"#);
    assert_eq!(write(Metadata::None, &["RowKey", "odata.etag"]), r#"{"RowKey":"a b%é"}"#);
    assert_eq!(write(Metadata::None, &[]), "{}");
    let etag = r#""odata.etag":"W/\"datetime'2013-08-22T01%3A12%3A06.2608595Z'\"""#;
    assert_eq!(write(Metadata::Minimal, &["L"]), format!(r#"{{{etag},"L@odata.type":"Edm.Int64","L":"5"}}"#));
    // Without both keys there is no address to write.
    assert_eq!(write(Metadata::Full, &["I"]), format!(r#"{{"odata.type":"acc.Orders",{etag},"I":5}}"#));
    let new = entity! { "p", "r" };
    let select: &[&str] = &["Timestamp"];
    let options = JsonOptions { select: Some(select), ..JsonOptions::default() };
    assert_eq!(entity_to_json(&new, &options), r#"{"Timestamp":null}"#);
}

#[test]
fn doubles_are_the_shortest_text_that_is_a_double() {
    for (number, text) in [
        (3.0, "3.0"),
        (-0.0, "-0.0"),
        (0.1, "0.1"),
        (123_456_789_012_345.0, "123456789012345.0"),
        (5e-324, "5e-324"),
        (1e300, "1e300"),
        (f64::MAX, "1.7976931348623157e308"),
    ] {
        let json = entity_to_json(&entity! { "", "", "X" => number }, &JsonOptions::default());
        // Whether an exponent has a plus is nobody's business.
        let expected = format!(r#"{{"PartitionKey":"","RowKey":"","X":{text}}}"#);
        assert_eq!(json.replace("e+", "e"), expected);
        check(&format!(r#""X": {text}"#), number + 0.0);
    }
}

fn any_text(most: usize) -> impl Strategy<Value = String> {
    vec(any::<char>(), 0..most).prop_map(String::from_iter)
}

fn any_value() -> impl Strategy<Value = Value> {
    let tick = Mode::Portable.limits().first_tick..=crate::limits::TICKS_LAST;
    prop_oneof![
        any::<i32>().prop_map(Value::Int32),
        any::<i64>().prop_map(Value::Int64),
        // JSON has no −0.0 (S2.4.2).
        any::<u64>().prop_map(|bits| Value::Double(f64::from_bits(bits) + 0.0)),
        prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY]).prop_map(Value::Double),
        (-1000..1000_i32).prop_map(|whole| Value::Double(whole.into())),
        tick.prop_map(|ticks| Value::DateTime(DateTime::from_ticks(ticks).unwrap())),
        any::<[u8; 16]>().prop_map(|bytes| Value::Guid(Guid::from_bytes(bytes))),
        any::<bool>().prop_map(Value::Boolean),
        any_text(20).prop_map(Value::String),
        vec(any::<u8>(), 0..40).prop_map(Value::Binary),
    ]
}

fn any_key() -> impl Strategy<Value = String> {
    any_text(8).prop_map(|text| text.replace(|c: char| c.is_control() || "/\\#?".contains(c), "%"))
}

#[test]
fn every_entity_comes_back_from_its_json() {
    let properties = vec((0..20_u32, any_value()), 0..12);
    let tick = Mode::Portable.limits().first_tick..=crate::limits::TICKS_LAST;
    let mut runner = TestRunner::deterministic();
    let outcome =
        runner.run(&(any_key(), any_key(), tick, properties), |(partition_key, row_key, tick, properties)| {
            let mut entity = Entity::new(partition_key.clone(), row_key.clone());
            for (number, value) in properties {
                entity.insert(format!("Ünï_{number}"), value);
            }
            let at = DateTime::from_ticks(tick).unwrap();
            let properties = entity.properties().map(|(name, value)| (name.into(), value.clone())).collect();
            let entity = Entity::stored(KeyPair::of(partition_key, row_key), Some(at), at, properties);
            for metadata in [Metadata::Minimal, Metadata::Full] {
                let options = JsonOptions { metadata, address: Some(ADDRESS), alone: true, select: None };
                let json = entity_to_json(&entity, &options);
                prop_assert_eq!(read(&json).unwrap(), entity.clone().into_input().unwrap(), "{}", json);
            }
            Ok(())
        });
    outcome.unwrap();
}
