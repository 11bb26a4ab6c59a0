//! Writes the vectors as lines for runners that have no JSON reader: `vector_lines c > FILE`.
//!
//! Only the form changes here: generators are written out, the expectation of the language and mode is chosen, and
//! values get one spelling each, so that a runner compares texts. Every step is left to the runner. A line is a word
//! and its fields, separated by tabs; in a field, `%XX` stands for a byte. `vector_case.h` tells what the lines mean.

use entable::{Addend, DateTime, ErrorCode, InputValue, Mode, Value};
use entable_tests::vectors::{self, Object};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::io::Write as _;

const TABLE: &str = "vectors";
const MODES: [&str; 3] = ["portable", "strict", "extended"];

fn main() -> std::io::Result<()> {
    let language = std::env::args().nth(1).expect("a language: c or cpp");
    let mut lines = Lines { language, text: String::new() };
    for file in vectors::files() {
        let content = vectors::read(&file);
        known(&content, &["about", "given", "cases"]);
        for case in array(&content["cases"]) {
            lines.case(object(case), content.get("given"));
        }
    }
    lines.truth_table(&vectors::read("truth_table.json"));
    std::io::stdout().lock().write_all(lines.text.as_bytes())
}

struct Lines {
    language: String,
    text: String,
}

impl Lines {
    fn line(&mut self, word: &str, fields: &[&str]) {
        self.text.push_str(word);
        for field in fields {
            self.text.push('\t');
            for c in field.chars() {
                match c {
                    '%' | '\0'..='\x1f' => write!(self.text, "%{:02X}", u32::from(c)).expect("a String takes all"),
                    c => self.text.push(c),
                }
            }
        }
        self.text.push('\n');
    }

    fn case(&mut self, case: &Object, given: Option<&Json>) {
        known(
            case,
            &[
                "name", "rules", "mark", "source", "modes", "only", "now", "given", "steps", "filter", "rows", "error",
                "rows_in", "error_in", "about",
            ],
        );
        let name = string(&case["name"]);
        if case.get("only").is_some_and(|only| !array(only).iter().any(|language| *language == self.language)) {
            return self.line("other", &[name]);
        }
        let portable = json!(["portable"]);
        for mode in array(case.get("modes").unwrap_or(&portable)).iter().map(string) {
            self.begin(name, mode, case.get("now"));
            for entity in case.get("given").or(given).map_or(&[][..], array) {
                let step = json!({"do": "upsert_entity", "entity": entity, "mode": "replace", "expect": "ok"});
                self.step(object(&step), mode);
            }
            match case.get("steps") {
                Some(steps) => array(steps).iter().for_each(|step| self.step(object(step), mode)),
                None => self.step(object(&short_form(case, mode)), mode),
            }
            self.line("end", &[]);
        }
    }

    fn begin(&mut self, name: &str, mode: &str, now: Option<&Json>) {
        assert!(MODES.contains(&mode), "no mode {mode}");
        self.line("case", &[name, mode]);
        if let Some(now) = now {
            self.line("now", &[&ticks(now)]);
        }
    }

    fn truth_table(&mut self, content: &Object) {
        known(content, &["about", "now", "entity", "rows"]);
        for row in array(&content["rows"]) {
            known(object(row), &["n", "filter", "mark", "strict", "extended", "portable"]);
            for mode in MODES {
                self.begin(&format!("S7.6/{}", row["n"]), mode, Some(&content["now"]));
                self.step(object(&json!({"do": "create_entity", "entity": content["entity"], "expect": "ok"})), mode);
                let expect = match &row[mode] {
                    Json::Bool(true) => json!({"rows": [content["entity"]["RowKey"]]}),
                    Json::Bool(false) => json!({"rows": []}),
                    status => {
                        let code = match status.as_u64() {
                            Some(400) => ErrorCode::InvalidInput,
                            Some(501) => ErrorCode::NotImplemented,
                            _ => panic!("no result of a row: {status}"),
                        };
                        json!({"error": {"code": code.name(), "status": status}})
                    }
                };
                let step = json!({"do": "query_entities", "filter": row["filter"], "expect": expect});
                self.step(object(&step), mode);
                self.line("end", &[]);
            }
        }
    }

    fn step(&mut self, step: &Object, mode: &str) {
        let expect = step
            .get("expect_by")
            .and_then(|by| by.get(&self.language))
            .or_else(|| step.get("expect_in").and_then(|by| by.get(mode)))
            .unwrap_or(&step["expect"]);
        self.call("step", step);
        self.expect(expect);
        self.line("run", &[]);
    }

    /// A verb with its arguments: a step, or an operation of one.
    fn call(&mut self, word: &str, call: &Object) {
        let table = call.get("table").map_or_else(|| TABLE.to_owned(), vectors::text);
        self.line(word, &[string(&call["do"]), &table]);
        if let (Some(partition_key), Some(row_key)) = (call.get("partition_key"), call.get("row_key")) {
            self.line("keys", &[&vectors::text(partition_key), &vectors::text(row_key)]);
        }
        for (member, json) in call {
            match member.as_str() {
                "do" | "table" | "partition_key" | "row_key" | "expect" | "expect_in" | "expect_by" => {}
                "entity" => self.entity("entity", json),
                "mode" | "metadata" | "save" | "call" => self.line(member, &[string(json)]),
                "etag" if json.get("absent") == Some(&Json::Bool(true)) => self.line("absent", &[]),
                "etag" | "token" => self.saved_or_text(member, &vectors::text(json)),
                "in" => self.line("in", &[string(json).strip_prefix('$').expect("a name")]),
                "filter" | "json" => self.line(member, &[&vectors::text(json)]),
                "select" => {
                    let names = json.as_array().map_or_else(|| vec![vectors::text(json)], |names| texts(names));
                    self.line("select", &names.iter().map(String::as_str).collect::<Vec<_>>());
                }
                "limit" | "page_size" => self.line(member, &[&json.as_u64().expect("a number").to_string()]),
                "now" => self.line("now", &[&ticks(json)]),
                "keys" => array(json).iter().for_each(|pair| {
                    let pair = texts(array(pair));
                    self.line("keys", &[&pair[0], &pair[1]]);
                }),
                "parameters" => {
                    for (name, parameter) in object(json) {
                        let (edm_type, text) =
                            spelled(&vectors::value(Some(string(&parameter["type"])), &parameter["value"]));
                        self.line("parameter", &[name, &edm_type, &text]);
                    }
                }
                "pattern" => self.pattern(object(json)),
                "former" | "new" if json.is_null() => {}
                "former" | "new" => self.entity(member, json),
                "stored" => array(json).iter().for_each(|entity| self.entity("stored", entity)),
                "arguments" => {
                    for argument in array(json) {
                        let (edm_type, text) = spelled(&value(argument));
                        self.line("argument", &["", &edm_type, &text]);
                    }
                }
                "operations" => {
                    self.line("operations", &[]);
                    for operation in array(json).iter().flat_map(vectors::repeated) {
                        self.call("operation", object(&operation));
                    }
                    self.line("submit", &[]);
                }
                "to" | "parent" | "left" | "right" | "feed" | "position" | "most" | "timeout_ms" | "consumer"
                | "start" | "relation" | "repair" | "on_delete" | "save_change" => self.with(member, json),
                _ => panic!("the form has no argument {member}"),
            }
        }
    }

    /// An argument of feeds and relations by its name: as text, a pair of keys as two, an object member by member.
    fn with(&mut self, name: &str, json: &Json) {
        match json {
            Json::Array(pair) => {
                let pair = texts(pair);
                self.line("with", &[&format!("{name}_partition_key"), &pair[0]]);
                self.line("with", &[&format!("{name}_row_key"), &pair[1]]);
            }
            Json::Object(members) if name == "position" && members.contains_key("feed") => {
                self.line("with", &["position_of_feed", string(&members["feed"])]);
            }
            Json::Object(members) if name == "start" => {
                self.line("with", &["start", "at"]);
                self.with("position", &members["at"]);
            }
            Json::Object(members) if matches!(name, "feed" | "relation") => {
                self.line("with", &[name, ""]);
                members.iter().for_each(|(member, json)| self.with(&format!("{name}_{member}"), json));
            }
            Json::String(text) if name == "position" && text.starts_with('$') => {
                self.line("with", &["saved_position", &text[1..]]);
            }
            Json::String(_) | Json::Object(_) => self.line("with", &[name, &vectors::text(json)]),
            _ => self.line("with", &[name, &json.to_string()]),
        }
    }

    /// A definition: a line for each text or number, for each field, and for the names that are kept.
    fn pattern(&mut self, pattern: &Object) {
        for (member, json) in pattern {
            match member.as_str() {
                "select" => {
                    let names = texts(array(json));
                    self.line("pattern_select", &names.iter().map(String::as_str).collect::<Vec<_>>());
                }
                "fields" => array(json).iter().for_each(|field| self.pattern_field(field)),
                "id" => self.pattern_field(json),
                _ => {
                    let text = json.as_str().map_or_else(|| json.to_string(), Into::into);
                    self.line("pattern", &[member, "7", &text]);
                }
            }
        }
    }

    fn pattern_field(&mut self, json: &Json) {
        let Some(field) = json.as_object() else { return self.line("pattern_field", &[string(json), "", "0"]) };
        known(field, &["name", "form", "padded", "each"]);
        let form = field.get("form").map_or("", string);
        let padded = field.get("padded").map_or_else(|| "0".into(), Json::to_string);
        let each = field.get("each").map(string);
        let fields = [Some(string(&field["name"])), Some(form), Some(&*padded), each];
        self.line("pattern_field", &fields.into_iter().flatten().collect::<Vec<_>>());
    }

    /// What a pattern writes: the tables of its steps and the verbs of their operations as texts, the entities as such.
    fn pattern_steps(&mut self, steps: &[Json]) {
        self.line("want_entities", &[]);
        for step in steps {
            known(object(step), &["table", "operations"]);
            self.line("want_text", &[string(&step["table"])]);
            for operation in array(&step["operations"]) {
                let mode = operation.get("mode").map_or("", string);
                self.line("want_text", &[format!("{} {mode}", string(&operation["do"])).trim_end()]);
                match operation.get("entity") {
                    Some(entity) => self.entity("want_entity", entity),
                    None => self.line(
                        "want_entity",
                        &[&vectors::text(&operation["partition_key"]), &vectors::text(&operation["row_key"])],
                    ),
                }
            }
        }
    }

    fn saved_or_text(&mut self, word: &str, text: &str) {
        match text.strip_prefix('$') {
            Some(name) => self.line(&format!("saved_{word}"), &[name]),
            None => self.line(word, &[text]),
        }
    }

    /// An entity: its keys, then a line for each property.
    fn entity(&mut self, word: &str, json: &Json) {
        let given = vectors::entity(json);
        self.line(word, &[given.entity.partition_key(), given.entity.row_key()]);
        for (name, value) in given.entity.properties() {
            let (edm_type, text) = spelled(value);
            self.line("property", &[name, &edm_type, &text]);
        }
        for (name, input) in &given.inputs {
            let number: Value = match input {
                InputValue::Remove => {
                    self.line("erase", &[name]);
                    continue;
                }
                InputValue::Add(Addend::Int32(number)) => (*number).into(),
                InputValue::Add(Addend::Int64(number)) => (*number).into(),
                InputValue::Add(Addend::Double(number)) => (*number).into(),
                other => panic!("no input of {}: {other:?}", self.language),
            };
            let (edm_type, text) = spelled(&number);
            self.line("add", &[name, &edm_type, &text]);
        }
        match given.timestamp {
            Some(Some(timestamp)) => self.line("timestamp", &[&timestamp.ticks().to_string()]),
            Some(None) => self.line("timestamp", &[]),
            None => {}
        }
        match given.etag {
            Some(Some(etag)) => self.saved_or_text("etag", &etag),
            Some(None) => self.line("etag", &[]),
            None => {}
        }
    }

    fn expect(&mut self, expect: &Json) {
        if expect == "ok" {
            return self.line("expect", &[]);
        }
        let expect = object(expect);
        if let Some(reason) = expect.get("skip") {
            return self.line("skip", &[string(reason)]);
        }
        self.line("expect", &[]);
        for (member, json) in expect {
            match member.as_str() {
                "error" => {
                    self.line("error", &[]);
                    for (field, json) in object(json) {
                        if field == "holder" {
                            let holder = texts(array(json));
                            self.line("error_field", &["holder_partition_key", &holder[0]]);
                            self.line("error_field", &["holder_row_key", &holder[1]]);
                            continue;
                        }
                        let text = json.as_str().map_or_else(|| json.to_string(), Into::into);
                        self.line("error_field", &[field, &text]);
                    }
                }
                "entity" if json.is_null() => self.line("want_no_entity", &[]),
                "entity" => self.entity("want_entity", json),
                "entities" => {
                    self.line("want_entities", &[]);
                    array(json).iter().for_each(|entity| self.entity("want_entity", entity));
                }
                "rows" => {
                    self.line("want_rows", &[]);
                    self.rows(json);
                }
                "pages" => {
                    self.line("want_pages", &[]);
                    // Pages without rows do not count.
                    for page in array(json).iter().filter(|page| !array(page).is_empty()) {
                        self.line("page", &[]);
                        self.rows(page);
                    }
                }
                "tables" => {
                    let names = texts(array(json));
                    self.line("want_tables", &names.iter().map(String::as_str).collect::<Vec<_>>());
                }
                "count" | "size" | "more" | "bool" => self.line(&format!("want_{member}"), &[&json.to_string()]),
                "text" => self.line("want_text", &[&vectors::text(json)]),
                "texts" => {
                    for text in array(json) {
                        let text = (!text.is_null()).then(|| vectors::text(text));
                        self.line("want_text", &text.iter().map(String::as_str).collect::<Vec<_>>());
                    }
                }
                "steps" => self.pattern_steps(array(json)),
                "lookup" => {
                    known(object(json), &["table", "filter", "limit"]);
                    let limit = json.get("limit").map_or_else(String::new, Json::to_string);
                    for text in [&json["table"], &json["filter"]] {
                        self.line("want_text", &[&vectors::text(text)]);
                    }
                    self.line("want_text", &[&limit]);
                }
                "keys" => {
                    for pair in array(json) {
                        texts(array(pair)).iter().for_each(|key| self.line("want_text", &[key]));
                    }
                    self.line("want_text", &["end"]);
                }
                "value" => {
                    let (edm_type, text) = spelled(&value(json));
                    self.line("want_value", &["", &edm_type, &text]);
                }
                "json" => self.line("want_json", &[&json.to_string()]),
                "feed" | "changes" | "commits" | "same_position_as" | "relations" | "orphans" => {
                    self.expect_followed(member, json);
                }
                "found" => {
                    let found: Vec<String> = array(json).iter().map(Json::to_string).collect();
                    self.line("want_found", &found.iter().map(String::as_str).collect::<Vec<_>>());
                }
                "etag_changes_from" | "timestamps" => self.line(&format!("want_{member}"), &[string(json)]),
                "etags" => {
                    let etags: Vec<&str> =
                        array(json).iter().map(|is| if is == true { "true" } else { "false" }).collect();
                    self.line("want_etags", &etags);
                }
                _ => panic!("the form has no expectation {member} for {}", self.language),
            }
        }
    }

    /// What steps of feeds and relations give.
    fn expect_followed(&mut self, member: &str, json: &Json) {
        match member {
            "same_position_as" => self.line("want_position", &[string(json)]),
            "commits" => {
                let sizes: Vec<String> = array(json).iter().map(Json::to_string).collect();
                self.line("want_commits", &sizes.iter().map(String::as_str).collect::<Vec<_>>());
            }
            "feed" => {
                for (name, json) in object(json) {
                    let text = match json {
                        Json::Null => None,
                        Json::Array(consumers) => Some(consumers.iter().map(spelled_consumer).collect()),
                        Json::String(text) => Some(text.clone()),
                        other => Some(other.to_string()),
                    };
                    self.line(
                        "want_feed",
                        &[Some(name), text.as_ref()].into_iter().flatten().map(|text| &**text).collect::<Vec<_>>(),
                    );
                }
            }
            "changes" => {
                self.line("want_changes", &[]);
                array(json).iter().for_each(|change| self.expect_change(object(change)));
            }
            "relations" => {
                for relation in array(json) {
                    for name in ["name", "child", "parent"] {
                        self.line("want_text", &[&vectors::text(&relation[name])]);
                    }
                    texts(array(&relation["keys"])).iter().for_each(|key| self.line("want_text", &[key]));
                    self.line("want_text", &[string(&relation["on_delete"])]);
                }
                self.line("want_text", &["end"]);
            }
            _ => {
                for orphan in array(json) {
                    let target = texts(array(&orphan["target"]));
                    let keys = [vectors::text(&orphan["partition_key"]), vectors::text(&orphan["row_key"])];
                    keys.iter().chain(&target).for_each(|key| self.line("want_text", &[key]));
                }
                self.line("want_text", &["end"]);
            }
        }
    }

    fn expect_change(&mut self, change: &Object) {
        self.line("want_change", &[]);
        for (name, json) in change {
            match (name.as_str(), json) {
                ("entity" | "former", Json::Null) => self.line("change_without", &[name]),
                ("entity" | "former", entity) => self.entity(&format!("change_{name}"), entity),
                (_, Json::Null) => self.line("change_is", &[name]),
                ("timestamp" | "former_timestamp" | "committed", time) => {
                    self.line("change_is", &[name, &ticks(time)]);
                }
                ("etag" | "former_etag", Json::String(text)) if text.starts_with('$') => {
                    self.line("change_saved", &[name, &text[1..]]);
                }
                (_, Json::Number(number)) => self.line("change_is", &[name, &number.to_string()]),
                (_, text) => self.line("change_is", &[name, &vectors::text(text)]),
            }
        }
    }

    fn rows(&mut self, rows: &Json) {
        for row in array(rows) {
            match row {
                Json::Null => self.line("row", &[]),
                Json::Array(keys) => {
                    let keys = texts(keys);
                    self.line("row", &[&keys[1], &keys[0]]);
                }
                row_key => self.line("row", &[&vectors::text(row_key)]),
            }
        }
    }
}

/// A consumer of a feed, in one line.
fn spelled_consumer(json: &Json) -> String {
    known(object(json), &["name", "changes_behind", "has_missed"]);
    format!("{} {} {}\n", vectors::text(&json["name"]), json["changes_behind"], json["has_missed"])
}

/// A value: as in an entity, or with its type beside it.
fn value(json: &Json) -> Value {
    match (json.get("type"), json.get("value")) {
        (Some(edm_type), Some(json)) => vectors::value(edm_type.as_str(), json),
        _ => vectors::value(None, json),
    }
}

/// The one spelling of a value: the number of its type, and a text that is the same for equal values only.
fn spelled(value: &Value) -> (String, String) {
    let hex = |bytes: &[u8]| bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    let text = match value {
        Value::Int32(number) => number.to_string(),
        Value::Int64(number) => number.to_string(),
        Value::Double(number) if number.is_nan() => "nan".into(),
        Value::Double(number) => format!("{:016x}", number.to_bits()),
        Value::DateTime(time) => time.ticks().to_string(),
        Value::Guid(guid) => hex(guid.as_bytes()),
        Value::Boolean(truth) => truth.to_string(),
        Value::String(text) => text.clone(),
        Value::Binary(bytes) => hex(bytes),
    };
    ((value.edm_type() as u8).to_string(), text)
}

fn ticks(json: &Json) -> String {
    DateTime::parse(string(json), Mode::Extended.limits()).expect("an instant").ticks().to_string()
}

/// The step that a filter with its rows or error stands for.
fn short_form(case: &Object, mode: &str) -> Json {
    let in_mode = |member: &str| case.get(member).and_then(|by_mode| by_mode.get(mode));
    let expect = match (in_mode("error_in"), in_mode("rows_in"), case.get("error"), case.get("rows")) {
        (Some(error), _, _, _) | (None, None, Some(error), _) => json!({ "error": error }),
        (None, Some(rows), _, _) | (None, None, None, Some(rows)) => json!({ "rows": rows }),
        (None, None, None, None) => panic!("{}: no expectation", case["name"]),
    };
    json!({ "do": "query_entities", "filter": case["filter"], "expect": expect })
}

fn known(object: &Object, known: &[&str]) {
    for name in object.keys() {
        assert!(known.contains(&name.as_str()), "the form has no member {name}");
    }
}

fn object(json: &Json) -> &Object {
    json.as_object().unwrap_or_else(|| panic!("no object: {json}"))
}

fn array(json: &Json) -> &[Json] {
    json.as_array().unwrap_or_else(|| panic!("no array: {json}"))
}

fn string(json: &Json) -> &str {
    json.as_str().unwrap_or_else(|| panic!("no text: {json}"))
}

fn texts(json: &[Json]) -> Vec<String> {
    json.iter().map(vectors::text).collect()
}
