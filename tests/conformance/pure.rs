//! The verbs that need no store: keys of the toolkit, and what the patterns give.

use super::{Check, equal};
use entable::patterns::{
    Changes, CompoundKey, DataSeries, DistinctList, Field, FoldedKey, IndexEntities, IndexTable, LogTail, Lookup,
    Period, SecondaryIndex, UniqueGuard, WideEntity,
};
use entable::{DateTime, Entity, Error, Operation, UpdateMode, Value, keys};
use entable_tests::vectors::{self, Object};
use serde_json::{Value as Json, json};

/// What such a step gives.
pub(super) enum Pure {
    Text(String),
    Texts(Vec<Option<String>>),
    Value(Value),
    Lookup(Lookup),
    Keys(Vec<(String, String)>),
    Changes(Changes),
}

/// Runs the step, if its verb is one of these.
pub(super) fn run(step: &Object) -> Option<Result<Pure, Error>> {
    Some(match step["do"].as_str().expect("a verb") {
        "key" => key(text(&step["call"]), &arguments(step)),
        "pattern_changes" => changes(step).map(Pure::Changes),
        "pattern_lookup" => lookup(step).map(Pure::Lookup),
        "pattern_rows" => rows(step).map(Pure::Keys),
        _ => return None,
    })
}

/// Compares with one member of the expectation.
pub(super) fn check(member: &str, expected: &Json, found: &Pure) -> Check {
    match (member, found) {
        ("text", Pure::Text(found)) => equal(found, &vectors::text(expected)),
        ("texts", Pure::Texts(found)) => {
            let expected = expected.as_array().expect("texts").iter();
            equal(found, &expected.map(|text| (!text.is_null()).then(|| vectors::text(text))).collect())
        }
        ("value", Pure::Value(found)) => equal(&format!("{found:?}"), &format!("{:?}", value(expected))),
        ("lookup", Pure::Lookup(found)) => {
            let mut shown = json!({ "table": found.table(), "filter": found.filter() });
            if let Some(limit) = found.limit() {
                shown["limit"] = limit.into();
            }
            equal(&shown, expected)
        }
        ("keys", Pure::Keys(found)) => {
            let expected = expected.as_array().expect("keys").iter();
            equal(found, &expected.map(|pair| (vectors::text(&pair[0]), vectors::text(&pair[1]))).collect())
        }
        ("steps", Pure::Changes(found)) => check_steps(expected, found),
        _ => Err("the step gives no such thing".into()),
    }
}

fn check_steps(expected: &Json, found: &Changes) -> Check {
    let expected = expected.as_array().expect("steps");
    equal(&found.steps().len(), &expected.len()).map_err(|failure| format!("{failure} steps: {found:?}"))?;
    for (number, (expected, found)) in expected.iter().zip(found.steps()).enumerate() {
        equal(&found.table(), &text(&expected["table"])).map_err(|failure| format!("{number}: {failure}"))?;
        let operations = expected["operations"].as_array().expect("operations").iter().map(operation);
        let operations: Vec<Operation> = operations.collect();
        let found = found.operations().map_err(|error| error.to_string())?;
        equal(&found, &operations).map_err(|failure| format!("{number}: {failure}"))?;
    }
    Ok(())
}

fn operation(json: &Json) -> Operation {
    let mode = match json.get("mode").and_then(Json::as_str) {
        Some("merge") => UpdateMode::Merge,
        _ => UpdateMode::Replace,
    };
    let entity = || vectors::entity(&json["entity"]).entity;
    match text(&json["do"]) {
        "create_entity" => Operation::create(entity()).expect("an operation"),
        "update_entity" => Operation::update(entity(), mode).expect("an operation"),
        "upsert_entity" => Operation::upsert(entity(), mode).expect("an operation"),
        "delete_entity" => Operation::delete(vectors::text(&json["partition_key"]), vectors::text(&json["row_key"])),
        other => panic!("the form has no operation {other}"),
    }
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_else(|| panic!("no text: {json}"))
}

/// A value: as in an entity, or with its type beside it.
fn value(json: &Json) -> Value {
    match (json.get("type"), json.get("value")) {
        (Some(edm_type), Some(json)) => vectors::value(edm_type.as_str(), json),
        _ => vectors::value(None, json),
    }
}

fn arguments(step: &Object) -> Vec<Value> {
    step.get("arguments").and_then(Json::as_array).into_iter().flatten().map(value).collect()
}

fn key(call: &str, arguments: &[Value]) -> Result<Pure, Error> {
    let text_at = |at: usize| arguments[at].as_str().expect("a text").to_owned();
    let texts = || arguments.iter().map(|value| value.as_str().expect("a text"));
    let number = |at: usize| arguments[at].as_i64().expect("a whole number");
    let unsigned = |at: usize| u64::try_from(number(at)).expect("from 0");
    let time = |at: usize| arguments[at].as_datetime().expect("a DateTime");
    Ok(match call {
        "compose" => Pure::Text(keys::compose(texts())?),
        "compose_prefix" => Pure::Text(keys::compose_prefix(texts())?),
        "split" => Pure::Texts(keys::split(&text_at(0))?.into_iter().map(Some).collect()),
        "safe" => Pure::Text(keys::safe(&text_at(0))?),
        "safe_from" => Pure::Text(keys::safe_from(&text_at(0))?),
        "bytes" => Pure::Text(keys::bytes(arguments[0].as_bytes().expect("bytes"))?),
        "bytes_from" => Pure::Value(Value::Binary(keys::bytes_from(&text_at(0))?)),
        "base64_text" => Pure::Text(keys::base64_text(&text_at(0))?),
        "text_from_base64" => Pure::Text(keys::text_from_base64(&text_at(0))?),
        "padded" => Pure::Text(keys::padded(unsigned(0), usize::try_from(unsigned(1)).expect("a width"))?),
        "integer" => Pure::Text(keys::integer(number(0))?),
        "integer_from" => Pure::Value(keys::integer_from(&text_at(0))?.into()),
        "double" => Pure::Text(keys::double(arguments[0].as_f64().expect("a Double"))?),
        "double_from" => Pure::Value(keys::double_from(&text_at(0))?.into()),
        "ticks" => Pure::Text(keys::ticks(time(0))?),
        "ticks_from" => Pure::Value(keys::ticks_from(&text_at(0))?.into()),
        "descending_ticks" => Pure::Text(keys::descending_ticks(time(0))?),
        "descending_ticks_from" => Pure::Value(keys::descending_ticks_from(&text_at(0))?.into()),
        "compact_date" => Pure::Text(keys::compact_date(time(0))?),
        "prefix_range" => {
            let (first, end) = keys::prefix_range(&text_at(0))?;
            Pure::Texts(vec![Some(first), end])
        }
        "prefix_filter" => Pure::Text(keys::prefix_filter(&text_at(0), &text_at(1))?),
        "fold_case" => Pure::Text(keys::fold_case(&text_at(0))?),
        "shard" => {
            let shard = keys::shard(&text_at(0), u32::try_from(unsigned(1)).expect("a count"))?;
            Pure::Value(i64::from(shard).into())
        }
        other => panic!("the toolkit has no {other}"),
    })
}

enum Pattern {
    Secondary(SecondaryIndex),
    Entities(IndexEntities),
    Table(IndexTable),
    Guard(UniqueGuard),
    Folded(FoldedKey),
    Tail(LogTail),
    Series(DataSeries),
    Wide(WideEntity),
    Compound(CompoundKey),
    Distinct(DistinctList),
}

fn field(json: &Json) -> Field {
    let Some(object) = json.as_object() else { return Field::new(text(json)) };
    let mut field = Field::new(text(&object["name"]));
    if let Some(width) = object.get("padded") {
        field = field.padded(usize::try_from(width.as_u64().expect("a width")).expect("a width"));
    }
    if let Some(between) = object.get("each") {
        field = field.each(text(between));
    }
    match object.get("form").map(text) {
        Some("folded") => field.folded(),
        Some("safe") => field.safe(),
        Some("base64") => field.base64(),
        Some("newest_first") => field.newest_first(),
        None => field,
        Some(other) => panic!("no form {other}"),
    }
}

fn pattern(step: &Object) -> Pattern {
    let json = &step["pattern"];
    let has = |name: &str| json.get(name).is_some();
    let at = |name: &str| text(&json[name]);
    let fields = || json["fields"].as_array().expect("fields").iter().map(field);
    let first = || fields().next().expect("a field");
    let table = at("table");
    match at("name") {
        "SecondaryIndex" => {
            let index = match (json.get("row_prefix"), json.get("copies")) {
                (Some(row_prefix), _) => SecondaryIndex::in_partitions(table, text(row_prefix), at("prefix"), first()),
                (None, Some(copies)) => SecondaryIndex::in_table(table, text(copies), first()),
                (None, None) => SecondaryIndex::new(table, at("prefix"), first()),
            };
            Pattern::Secondary(match json.get("select") {
                Some(names) => index.select(names.as_array().expect("names").iter().map(text)),
                None => index,
            })
        }
        "IndexEntities" => {
            let mut lists = IndexEntities::new(table, at("prefix"), fields());
            if has("lists") {
                lists = lists.placed(at("lists"), at("partition_prefix"));
            }
            if has("list_property") {
                lists = lists.list_property(at("list_property"));
            }
            Pattern::Entities(if has("composed") { lists.composed() } else { lists })
        }
        "IndexTable" => {
            let entries = at("entries");
            let mut index = match (at("holding"), json.get("select")) {
                ("full", _) => IndexTable::full(table, entries, fields()),
                ("normalized", _) => IndexTable::normalized(table, entries, fields()),
                ("partial", Some(names)) => {
                    IndexTable::partial(table, entries, fields(), names.as_array().expect("names").iter().map(text))
                }
                (other, _) => panic!("no contents {other}"),
            };
            if has("composed") {
                index = index.composed();
            }
            if has("by_both_keys") {
                index = index.by_both_keys();
            }
            if let Some(shards) = json.get("shards") {
                index = index.sharded(u32::try_from(shards.as_u64().expect("a count")).expect("a count"));
            }
            Pattern::Table(index)
        }
        "UniqueGuard" => {
            let guard = UniqueGuard::new(table, at("prefix"), first());
            Pattern::Guard(if has("guards") { guard.across(at("guards"), at("partition")) } else { guard })
        }
        "FoldedKey" if has("prefix") => Pattern::Folded(FoldedKey::keyed(table, at("prefix"), at("property"))),
        "FoldedKey" => Pattern::Folded(FoldedKey::property(table, at("property"), at("folded"))),
        "LogTail" => {
            let mut tail = LogTail::new(table, at("property"));
            if has("id") {
                tail = tail.id(at("id"));
            }
            Pattern::Tail(if has("both_orders") { tail.both_orders() } else { tail })
        }
        "DataSeries" => Pattern::Series(DataSeries::new(
            table,
            match at("period") {
                "year" => Period::Year,
                "month" => Period::Month,
                "day" => Period::Day,
                "hour" => Period::Hour,
                other => panic!("no period {other}"),
            },
        )),
        "WideEntity" => Pattern::Wide(WideEntity::new(table)),
        "CompoundKey" => {
            let compound = CompoundKey::new(table, fields());
            Pattern::Compound(if has("prefix") { compound.prefix(at("prefix")) } else { compound })
        }
        "DistinctList" => Pattern::Distinct(DistinctList::new(table, at("prefix"), first())),
        other => panic!("no pattern {other}"),
    }
}

fn entities(step: &Object, name: &str) -> Vec<Entity> {
    step.get(name).and_then(Json::as_array).into_iter().flatten().map(|json| vectors::entity(json).entity).collect()
}

fn changes(step: &Object) -> Result<Changes, Error> {
    let state = |name: &str| step.get(name).filter(|json| !json.is_null()).map(|json| vectors::entity(json).entity);
    let (former, new) = (state("former"), state("new"));
    let (former, new) = (former.as_ref(), new.as_ref());
    let stored = entities(step, "stored");
    match pattern(step) {
        Pattern::Secondary(pattern) => pattern.changes(former, new),
        Pattern::Entities(pattern) => pattern.changes(former, new, &stored),
        Pattern::Table(pattern) => pattern.changes(former, new),
        Pattern::Guard(pattern) => pattern.changes(former, new),
        Pattern::Folded(pattern) => pattern.changes(former, new),
        Pattern::Tail(pattern) => pattern.changes(former, new),
        Pattern::Series(pattern) => pattern.changes(former, new),
        Pattern::Wide(pattern) => pattern.changes(former, new),
        Pattern::Compound(pattern) => pattern.changes(former, new),
        Pattern::Distinct(pattern) => pattern.changes(former, new, &stored),
    }
}

fn lookup(step: &Object) -> Result<Lookup, Error> {
    let call = text(&step["call"]);
    let all = arguments(step);
    let partition = || all[0].as_str().expect("a PartitionKey");
    let rest = || all[1..].to_vec();
    let time = |at: usize| -> DateTime { all[at].as_datetime().expect("a DateTime") };
    let count = |at: usize| u64::try_from(all[at].as_i64().expect("a count")).expect("a count");
    match (pattern(step), call) {
        (Pattern::Secondary(pattern), "find") => pattern.find(partition(), all[1].clone()),
        (Pattern::Secondary(pattern), "starting_with") => {
            pattern.starting_with(partition(), all[1].as_str().expect("a text"))
        }
        (Pattern::Secondary(pattern), "between") => pattern.between(partition(), all[1].clone(), all[2].clone()),
        (Pattern::Secondary(pattern), "list") => pattern.list(partition()),
        (Pattern::Entities(pattern), "find") => pattern.find(partition(), rest()),
        (Pattern::Entities(pattern), "list") => pattern.list(partition()),
        (Pattern::Table(pattern), "find") => pattern.find(all),
        (Pattern::Table(pattern), "starting_with") => pattern.starting_with(all),
        (Pattern::Table(pattern), "between") => pattern.between(all[0].clone(), all[1].clone()),
        (Pattern::Table(pattern), "next_value") => pattern.next_value(all.first().and_then(Value::as_str)),
        (Pattern::Guard(pattern), "find") => pattern.find(partition(), all[1].clone()),
        (Pattern::Folded(pattern), "find") => pattern.find(partition(), all[1].as_str().expect("a text")),
        (Pattern::Folded(pattern), "starting_with") => {
            pattern.starting_with(partition(), all[1].as_str().expect("a text"))
        }
        (Pattern::Tail(pattern), "latest") => pattern.latest(partition(), count(1)),
        (Pattern::Tail(pattern), "earliest") => pattern.earliest(partition(), count(1)),
        (Pattern::Tail(pattern), "between") => pattern.between(partition(), time(1), time(2)),
        (Pattern::Series(pattern), "find") => pattern.find(partition(), time(1)),
        (Pattern::Series(pattern), "between") => pattern.between(partition(), time(1), time(2)),
        (Pattern::Wide(pattern), "find") => Ok(pattern.find(partition(), all[1].as_str().expect("a RowKey"))),
        (Pattern::Compound(pattern), "find") => pattern.find(partition(), rest()),
        (Pattern::Compound(pattern), "below") => pattern.below(partition(), rest()),
        (Pattern::Compound(pattern), "with_below") => pattern.with_below(partition(), rest()),
        (Pattern::Distinct(pattern), "list") => pattern.list(partition()),
        (Pattern::Distinct(pattern), "find") => pattern.find(partition(), all[1].clone()),
        (_, other) => panic!("the pattern has no {other}"),
    }
}

fn rows(step: &Object) -> Result<Vec<(String, String)>, Error> {
    let stored = entities(step, "stored");
    match pattern(step) {
        Pattern::Entities(pattern) => {
            let all = arguments(step);
            Ok(pattern.rows(all[0].as_str().expect("a PartitionKey"), &stored))
        }
        Pattern::Table(pattern) => pattern.rows(&stored),
        Pattern::Guard(pattern) => stored.iter().map(|guard| pattern.holder(guard)).collect(),
        _ => panic!("the pattern's copies are the rows"),
    }
}
