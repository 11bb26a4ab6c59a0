//! Runs every vector in Rust, in every mode that it names.

#[path = "conformance/feeds.rs"]
mod feeds;
#[path = "conformance/pure.rs"]
mod pure;
#[path = "conformance/relations.rs"]
mod relations;

use entable::{
    Condition, ContinuationToken, DateTime, ETag, Entities, Entity, EntityInput, Error, Filter, Index, InputValue,
    IntoEntity, JsonOptions, Metadata, Mode, Operation, Options, Page, Parameters, Query, Snapshot, Store, Table,
    UpdateMode, Written,
};
use entable_tests::vectors::{self, Given, Object};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::sync::{Arc, Mutex};

const LANGUAGE: &str = "rust";
const TABLE: &str = "vectors";

#[test]
fn every_vector_holds_in_rust() {
    let mut report = Report::default();
    for file in vectors::files() {
        let content = vectors::read(&file);
        known_members(&content, &["about", "given", "cases"], &file);
        for case in content["cases"].as_array().expect("cases") {
            run_case(&file, content.get("given"), case.as_object().expect("a case"), &mut report);
        }
    }
    report.finish("vectors");
}

#[test]
fn the_truth_table_holds_in_rust() {
    let content = vectors::read("truth_table.json");
    let mut report = Report::default();
    for mode_name in ["strict", "extended", "portable"] {
        let mode = vectors::mode(mode_name);
        let runner = Runner::new(mode, content["now"].as_str());
        let entity = vectors::entity(&content["entity"]).entity;
        runner.table(TABLE).create_table().expect("a table");
        runner.table(TABLE).create_entity(entity).expect("the entity");
        for row in content["rows"].as_array().expect("rows") {
            let filter = row["filter"].as_str().expect("a filter");
            let found = runner.table(TABLE).query_entities(filter).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            let got = match &found {
                Ok(entities) => Json::Bool(!entities.is_empty()),
                Err(error) => error.status().into(),
            };
            let failure = (got != row[mode_name]).then(|| format!("{got} instead of {}: {filter}", row[mode_name]));
            report.count(&format!("S7.6/{} in {mode_name}", row["n"]), failure);
        }
    }
    report.finish("rows of the truth table");
}

#[derive(Default)]
struct Report {
    run: usize,
    /// Of these, through an index.
    indexed: usize,
    skipped: BTreeMap<String, usize>,
    failures: Vec<String>,
}

impl Report {
    fn count(&mut self, name: &str, failure: Option<String>) {
        self.run += 1;
        self.failures.extend(failure.map(|failure| format!("{name}: {failure}")));
    }

    fn skip(&mut self, reason: &str) {
        *self.skipped.entry(reason.into()).or_default() += 1;
    }

    #[expect(clippy::print_stdout, reason = "how much was run and skipped is told to whoever runs it")]
    fn finish(self, what: &str) {
        let skipped: usize = self.skipped.values().sum();
        println!("{} {what} run, {} through an index; {skipped} skipped {:?}", self.run, self.indexed, self.skipped);
        assert!(self.run > 0, "nothing was run");
        assert!(
            self.failures.is_empty(),
            "{} of {} failed:\n{}",
            self.failures.len(),
            self.run,
            self.failures.join("\n")
        );
    }
}

fn known_members(object: &Object, known: &[&str], place: &str) {
    for name in object.keys() {
        assert!(known.contains(&name.as_str()), "{place}: the form has no member {name}");
    }
}

const CASE_MEMBERS: [&str; 15] = [
    "name", "rules", "mark", "source", "modes", "only", "now", "given", "steps", "filter", "rows", "error", "rows_in",
    "error_in", "about",
];

fn run_case(file: &str, given: Option<&Json>, case: &Object, report: &mut Report) {
    let name = case["name"].as_str().expect("a name");
    known_members(case, &CASE_MEMBERS, name);
    if let Some(only) = case.get("only")
        && !only.as_array().expect("languages").iter().any(|language| language == LANGUAGE)
    {
        report.skip("for other languages");
        return;
    }
    let portable = vec![Json::from("portable")];
    for mode_name in case.get("modes").map_or(&portable, |modes| modes.as_array().expect("modes")) {
        let mode_name = mode_name.as_str().expect("a mode");
        let steps = match case.get("steps") {
            Some(steps) => steps.as_array().expect("steps").clone(),
            None => vec![short_form(case, mode_name)],
        };
        // As it is, then through an index on each property that a filter names.
        for through in std::iter::once(None).chain(asked(&steps).into_iter().map(Some)) {
            run_steps((file, name), (case, given), (&steps, mode_name), through, report);
        }
    }
}

fn run_steps(
    (file, name): (&str, &str),
    (case, given): (&Object, Option<&Json>),
    (steps, mode_name): (&[Json], &str),
    through: Option<String>,
    report: &mut Report,
) {
    let mut runner = Runner::new(vectors::mode(mode_name), case.get("now").and_then(Json::as_str));
    let table = runner.table(TABLE);
    table.create_table().expect("a table");
    let mut way = String::new();
    if let Some(property) = through {
        way = format!(" by {property}");
        // What cannot be indexed is no property of a row either.
        if table.create_index(Index::new("by").properties([property])).is_err() {
            return;
        }
        runner.is_indexed = true;
        report.indexed += 1;
    }
    for entity in case.get("given").or(given).and_then(Json::as_array).into_iter().flatten() {
        let entity = vectors::entity(entity).entity;
        runner.table(TABLE).upsert_entity(entity, UpdateMode::Replace).expect("a given entity");
    }
    let failure = steps.iter().enumerate().find_map(|(number, step)| {
        let failure = runner.step(step.as_object().expect("a step"), mode_name).err()?;
        Some(format!("step {number} ({}): {failure}", step["do"]))
    });
    report.count(&format!("{file} {name} in {mode_name}{way}"), failure);
}

/// The words of the filters of some steps that may be properties.
fn asked(steps: &[Json]) -> BTreeSet<String> {
    let filters = steps.iter().filter_map(|step| step.get("filter")).map(vectors::text);
    // What stands between quotes is a constant.
    let outside = filters.map(|text| text.split('\'').step_by(2).collect::<Vec<_>>().join(" "));
    let words = outside.map(|text| {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.filter(|word| word.starts_with(|c: char| !c.is_ascii_digit())).map(str::to_owned).collect::<Vec<_>>()
    });
    words.flatten().filter(|word| !NO_PROPERTIES.contains(&word.as_str())).collect()
}

const NO_PROPERTIES: [&str; 19] = [
    "and",
    "or",
    "not",
    "eq",
    "ne",
    "gt",
    "ge",
    "lt",
    "le",
    "in",
    "true",
    "false",
    "null",
    "datetime",
    "guid",
    "X",
    "binary",
    "tolower",
    "PartitionKey",
];

/// The step that a filter with its rows or error stands for.
fn short_form(case: &Object, mode: &str) -> Json {
    let in_mode = |member: &str| case.get(member).and_then(|by_mode| by_mode.get(mode));
    let expect = match (in_mode("error_in"), in_mode("rows_in"), case.get("error"), case.get("rows")) {
        (Some(error), _, _, _) | (None, None, Some(error), _) => serde_json::json!({ "error": error }),
        (None, Some(rows), _, _) | (None, None, None, Some(rows)) => serde_json::json!({ "rows": rows }),
        (None, None, None, None) => panic!("{}: no expectation", case["name"]),
    };
    serde_json::json!({ "do": "query_entities", "filter": case["filter"], "expect": expect })
}

/// What a step gave.
#[derive(Default)]
struct Outcome {
    entity: Option<Entity>,
    input: Option<EntityInput>,
    entities: Option<Vec<Option<Entity>>>,
    pages: Option<Vec<Vec<Entity>>>,
    page: Option<Page>,
    written: Option<Vec<Option<Written>>>,
    tables: Option<Vec<String>>,
    exists: Option<bool>,
    json: Option<String>,
    size_bytes: Option<usize>,
    snapshot: Option<Snapshot>,
    pure: Option<pure::Pure>,
    fed: Option<feeds::Fed>,
    related: Option<relations::Related>,
}

impl Outcome {
    fn of_pages(entities: Entities) -> Result<Outcome, Error> {
        let pages = entities.by_page().map(|page| Ok(page?.entities)).collect::<Result<Vec<_>, Error>>()?;
        let entities = pages.iter().flatten().cloned().map(Some).collect();
        Ok(Outcome { entities: Some(entities), pages: Some(pages), ..Outcome::default() })
    }
}

enum Saved {
    ETag(ETag),
    Token(ContinuationToken),
    Snapshot(Snapshot),
    /// Of a feed, in text, as a program keeps it.
    Position(String),
}

struct Runner {
    store: Store,
    mode: Mode,
    clock: Arc<Mutex<Option<DateTime>>>,
    saved: HashMap<String, Saved>,
    /// Whether the table has an index that its queries are to go through.
    is_indexed: bool,
}

type Check = Result<(), String>;

impl Runner {
    fn new(mode: Mode, now: Option<&str>) -> Runner {
        let clock = Arc::new(Mutex::new(now.map(|now| now.parse().expect("an instant"))));
        let shared = Arc::clone(&clock);
        let options =
            Options::new().mode(mode).clock(move || shared.lock().expect("the clock").unwrap_or_else(DateTime::now));
        let store = Store::in_memory_with(&options).expect("a store");
        Runner { store, mode, clock, saved: HashMap::new(), is_indexed: false }
    }

    /// A handle to a table that is known to have a legal name.
    fn table(&self, name: &str) -> Table {
        self.store.table(name).expect("a legal name")
    }

    fn step(&mut self, step: &Object, mode_name: &str) -> Check {
        let expect = step
            .get("expect_by")
            .and_then(|by| by.get(LANGUAGE))
            .or_else(|| step.get("expect_in").and_then(|by| by.get(mode_name)))
            .unwrap_or(&step["expect"]);
        if expect.get("skip").is_some() {
            return Ok(());
        }
        let outcome = self.run(step);
        let checked = self.check(expect, &outcome);
        if let (Some(name), Ok(outcome)) = (step.get("save"), outcome) {
            self.save(name.as_str().expect("a name"), outcome)?;
        }
        checked
    }

    fn save(&mut self, name: &str, outcome: Outcome) -> Check {
        let written = outcome.written.and_then(|written| written.into_iter().flatten().next());
        let saved = if let Some(written) = written {
            Saved::ETag(written.etag())
        } else if let Some(etag) = outcome.entity.and_then(|entity| entity.etag()) {
            Saved::ETag(etag)
        } else if let Some(position) = outcome.fed.and_then(|fed| fed.position) {
            Saved::Position(position.to_string())
        } else if let Some(snapshot) = outcome.snapshot {
            Saved::Snapshot(snapshot)
        } else if let Some(token) = outcome.page.and_then(|page| page.continuation_token) {
            // As a program would that keeps it: through its text.
            Saved::Token(token.to_string().parse().map_err(|error| format!("a token does not come back: {error}"))?)
        } else if self.is_indexed {
            // An index tells earlier than the keys that nothing is left.
            return Ok(());
        } else {
            return Err(format!("nothing to save as {name}"));
        };
        self.saved.insert(name.into(), saved);
        Ok(())
    }

    fn run(&self, step: &Object) -> Result<Outcome, Error> {
        if let Some(given) = pure::run(step) {
            return Ok(Outcome { pure: Some(given?), ..Outcome::default() });
        }
        if let Some(fed) = self.run_feed(step) {
            return Ok(Outcome { fed: Some(fed?), ..Outcome::default() });
        }
        if let Some(related) = self.run_relation(step) {
            return related;
        }
        let verb = step["do"].as_str().expect("a verb");
        let name = step.get("table").map_or_else(|| TABLE.to_owned(), vectors::text);
        let written = |written: Option<Written>| Outcome { written: Some(vec![written]), ..Outcome::default() };
        let key = |name: &str| vectors::text(&step[name]);
        Ok(match verb {
            "create_table" => self.store.create_table(&name).map(|_| Outcome::default())?,
            "create_table_if_not_exists" => self.store.create_table_if_not_exists(&name).map(|_| Outcome::default())?,
            "delete_table" => self.store.delete_table(&name).map(|()| Outcome::default())?,
            "list_tables" | "query_tables" => {
                let names = match (step.get("in"), step.get("filter")) {
                    (Some(snapshot), _) => self.snapshot(snapshot).list_tables()?,
                    (None, Some(filter)) => self.store.query_tables(vectors::text(filter))?,
                    (None, None) => self.store.list_tables()?,
                };
                let tables = names.iter().map(|name| name.as_str().to_owned()).collect();
                Outcome { tables: Some(tables), ..Outcome::default() }
            }
            "create_entity" | "update_entity" | "upsert_entity" => {
                let operation = self.operation(step)?;
                let table = self.store.table(&name)?;
                let (entity, mode, condition) = operation;
                written(Some(match (verb, condition) {
                    ("create_entity", _) => table.create_entity(entity)?,
                    ("update_entity", None) => table.update_entity(entity, mode)?,
                    ("update_entity", Some(condition)) => table.update_entity_if(entity, mode, condition)?,
                    (_, None) => table.upsert_entity(entity, mode)?,
                    (_, Some(condition)) => table.upsert_entity_if(entity, mode, condition)?,
                }))
            }
            "create_or_get_entity" => {
                let (entity, ..) = self.operation(step)?;
                let got = self.store.table(&name)?.create_or_get_entity(entity)?;
                Outcome { entity: Some(got.entity), exists: Some(got.is_created), ..Outcome::default() }
            }
            "move_entity" => {
                let ((partition_key, row_key), (new_partition_key, new_row_key)) = moved(step);
                let table = self.store.table(&name)?;
                let (from, to) = ((&*partition_key, &*row_key), (&*new_partition_key, &*new_row_key));
                written(Some(match self.condition(step)? {
                    Some(condition) => table.move_entity_if(from, to, condition)?,
                    None => table.move_entity(from, to)?,
                }))
            }
            "delete_entity" => {
                let (partition_key, row_key) = (key("partition_key"), key("row_key"));
                let table = self.store.table(&name)?;
                match self.condition(step)? {
                    Some(condition) => table.delete_entity_if(&partition_key, &row_key, condition)?,
                    None => table.delete_entity(&partition_key, &row_key)?,
                }
                written(None)
            }
            "get_entity" => {
                let (partition_key, row_key) = (key("partition_key"), key("row_key"));
                let table = self.reader(step, &name)?;
                let entity = match step.get("select") {
                    Some(select) => table.get_entity_select(&partition_key, &row_key, names(select))?,
                    None => table.get_entity(&partition_key, &row_key)?,
                };
                Outcome { entity: Some(entity), ..Outcome::default() }
            }
            "exists" => {
                let exists = self.reader(step, &name)?.exists(&key("partition_key"), &key("row_key"))?;
                Outcome { exists: Some(exists), ..Outcome::default() }
            }
            "get_many" => {
                let keys = step["keys"].as_array().expect("keys").iter();
                let keys = keys.map(|pair| (vectors::text(&pair[0]), vectors::text(&pair[1])));
                Outcome { entities: Some(self.reader(step, &name)?.get_many(keys)?), ..Outcome::default() }
            }
            "query_entities" => Outcome::of_pages(self.reader(step, &name)?.query_entities(self.query(step)?)?)?,
            "query_page" => {
                let page = self.reader(step, &name)?.query_page(self.query(step)?)?;
                let entities = page.entities.iter().cloned().map(Some).collect();
                Outcome { entities: Some(entities), page: Some(page), ..Outcome::default() }
            }
            "submit_transaction" => {
                let operations = self.operations(step)?.into_iter().map(|(_, operation)| operation);
                let written = self.store.table(&name)?.submit_transaction(operations)?;
                Outcome { written: Some(written), ..Outcome::default() }
            }
            "submit_batch" => {
                let operations = self.operations(step)?;
                let written =
                    self.store.submit_batch(operations.iter().map(|(table, operation)| (table, operation.clone())))?;
                Outcome { written: Some(written), ..Outcome::default() }
            }
            "snapshot" => Outcome { snapshot: Some(self.store.snapshot()?), ..Outcome::default() },
            "set_clock" => {
                let now = step["now"].as_str().expect("an instant").parse().expect("an instant");
                *self.clock.lock().expect("the clock") = Some(now);
                Outcome::default()
            }
            "parse_entity" => {
                let input = entable::entity_from_json(&vectors::text(&step["json"]), self.mode)?;
                Outcome { input: Some(input), ..Outcome::default() }
            }
            "format_entity" => Outcome { json: Some(format_entity(step)), ..Outcome::default() },
            "entity_size" => {
                let size_bytes = vectors::entity(&step["entity"]).entity.size_bytes();
                Outcome { size_bytes: Some(size_bytes), ..Outcome::default() }
            }
            _ => panic!("the form has no verb {verb}"),
        })
    }

    /// The table that a read goes to: now, or at a snapshot.
    fn reader(&self, step: &Object, name: &str) -> Result<Table, Error> {
        let table = self.store.table(name)?;
        Ok(match step.get("in") {
            Some(snapshot) => table.at(self.snapshot(snapshot)),
            None => table,
        })
    }

    fn snapshot(&self, name: &Json) -> &Snapshot {
        match self.saved(name.as_str().expect("a name")) {
            Some(Saved::Snapshot(snapshot)) => snapshot,
            _ => panic!("no snapshot {name}"),
        }
    }

    fn saved(&self, reference: &str) -> Option<&Saved> {
        let name = reference.strip_prefix('$')?;
        Some(self.saved.get(name).unwrap_or_else(|| panic!("nothing is saved as {name}")))
    }

    fn operation(&self, step: &Object) -> Result<(EntityInput, UpdateMode, Option<Condition>), Error> {
        let Given { entity, has_keys, inputs, .. } = vectors::entity(&step["entity"]);
        // An entity of the Rust API has both keys: without one it is made from JSON, as by a client that forgot it.
        let mut entity = match has_keys {
            (true, true) => entity.into_input()?,
            _ => entable::entity_from_json(&step["entity"].to_string(), self.mode)?,
        };
        for (name, input) in inputs {
            entity.push(name, input);
        }
        let mode = match step.get("mode").map(|mode| mode.as_str().expect("a mode")) {
            Some("merge") | None => UpdateMode::Merge,
            Some("replace") => UpdateMode::Replace,
            Some(other) => panic!("no mode {other}"),
        };
        Ok((entity, mode, self.condition(step)?))
    }

    fn condition(&self, step: &Object) -> Result<Option<Condition>, Error> {
        if let Some(filter) = step.get("filter") {
            let filter = Filter::parse_with(&vectors::text(filter), &parameters(step), self.mode)?;
            return Ok(Some(filter.into()));
        }
        let Some(etag) = step.get("etag") else { return Ok(None) };
        if etag.get("absent") == Some(&Json::Bool(true)) {
            return Ok(Some(Condition::Absent));
        }
        let etag = vectors::text(etag);
        Ok(Some(match self.saved(&etag) {
            Some(Saved::ETag(etag)) => etag.into(),
            Some(_) => panic!("{etag} is no ETag"),
            None => Condition::from_text(&etag)?,
        }))
    }

    /// The operations of a group. One that cannot be made fails as the group does: with its index.
    fn operations(&self, step: &Object) -> Result<Vec<(Table, Operation)>, Error> {
        let repeated = step["operations"].as_array().expect("operations").iter().flat_map(vectors::repeated);
        let operations = repeated.map(|operation| {
            let operation = operation.as_object().expect("an operation");
            let table = operation.get("table").map_or_else(|| TABLE.to_owned(), vectors::text);
            let made = match operation["do"].as_str().expect("a verb") {
                "delete_entity" => {
                    Operation::delete(vectors::text(&operation["partition_key"]), vectors::text(&operation["row_key"]))
                }
                "move_entity" => {
                    let (from, to) = moved(operation);
                    Operation::move_entity(from, to)
                }
                verb => {
                    let (entity, mode, _) = self.operation(operation)?;
                    match verb {
                        "create_entity" => Operation::create(entity)?,
                        "update_entity" => Operation::update(entity, mode)?,
                        "upsert_entity" => Operation::upsert(entity, mode)?,
                        "create_or_get_entity" => Operation::create_or_get(entity)?,
                        _ => panic!("the form has no operation {verb}"),
                    }
                }
            };
            let made = match self.condition(operation)? {
                Some(condition) => made.on(condition),
                None => made,
            };
            Ok((self.store.table(&table)?, made))
        });
        operations.collect()
    }

    fn query(&self, step: &Object) -> Result<Query, Error> {
        let mut query = Query::filter(step.get("filter").map_or_else(String::new, vectors::text));
        query = query.parameters(parameters(step));
        if let Some(select) = step.get("select") {
            query = query.select(names(select));
        }
        if let Some(limit) = step.get("limit") {
            query = query.limit(limit.as_u64().expect("a limit"));
        }
        if let Some(page_size) = step.get("page_size") {
            query = query.page_size(page_size.as_u64().expect("a page size") as usize);
        }
        if let Some(token) = step.get("token") {
            let token = vectors::text(token);
            query = query.continue_from(match self.saved(&token) {
                Some(Saved::Token(token)) => token.clone(),
                Some(_) => panic!("{token} is no token"),
                None => token.parse()?,
            });
        }
        Ok(if self.is_indexed { query.through("by") } else { query })
    }

    fn check(&self, expect: &Json, outcome: &Result<Outcome, Error>) -> Check {
        if expect == "ok" {
            return outcome.as_ref().map(|_| ()).map_err(|error| format!("failed: {error:?}"));
        }
        let expect = expect.as_object().unwrap_or_else(|| panic!("no expectation: {expect}"));
        if let Some(error) = expect.get("error") {
            return match outcome {
                Ok(_) => Err(format!("succeeded instead of {error}")),
                Err(got) => check_error(error.as_object().expect("an error"), got),
            };
        }
        let outcome = outcome.as_ref().map_err(|error| format!("failed: {error:?}"))?;
        for (member, expected) in expect {
            self.check_member(member, expected, outcome).map_err(|failure| format!("{member}: {failure}"))?;
        }
        Ok(())
    }

    fn check_member(&self, member: &str, expected: &Json, outcome: &Outcome) -> Check {
        if let Some(fed) = &outcome.fed {
            return self.check_feed(member, expected, fed);
        }
        if let Some(related) = &outcome.related {
            return relations::check(member, expected, related);
        }
        match member {
            "entity" => match (&outcome.entity, &outcome.input) {
                (Some(entity), _) => self.check_entity(expected, entity),
                (None, Some(input)) => check_input(expected, input),
                (None, None) => Err("no entity".into()),
            },
            "entities" => {
                let expected = expected.as_array().expect("entities");
                let found = given(&outcome.entities)?;
                if found.len() != expected.len() {
                    return Err(format!("{} instead of {}", found.len(), expected.len()));
                }
                expected.iter().zip(found).enumerate().try_for_each(|(number, (expected, found))| match found {
                    Some(found) => self.check_entity(expected, found).map_err(|failure| format!("{number}: {failure}")),
                    None => Err(format!("{number}: no entity")),
                })
            }
            "rows" => check_rows(expected, given(&outcome.entities)?),
            "pages" => {
                let expected: Vec<&Json> = expected
                    .as_array()
                    .expect("pages")
                    .iter()
                    .filter(|page| !page.as_array().expect("a page").is_empty())
                    .collect();
                let found: Vec<&Vec<Entity>> = given(&outcome.pages)?.iter().filter(|page| !page.is_empty()).collect();
                if found.len() != expected.len() {
                    return Err(format!("{} instead of {}", found.len(), expected.len()));
                }
                expected.into_iter().zip(found).try_for_each(|(expected, found)| {
                    let found: Vec<_> = found.iter().cloned().map(Some).collect();
                    check_rows(expected, &found)
                })
            }
            "count" => equal(&Json::from(given(&outcome.entities)?.len()), expected),
            "more" => equal(&Json::from(given(&outcome.page)?.continuation_token.is_some()), expected),
            "tables" => {
                let expected: Vec<String> = expected.as_array().expect("names").iter().map(vectors::text).collect();
                equal(given(&outcome.tables)?, &expected)
            }
            "text" | "texts" | "value" | "lookup" | "keys" | "steps" => {
                pure::check(member, expected, given(&outcome.pure)?)
            }
            "bool" => equal(&Json::from(*given(&outcome.exists)?), expected),
            "json" => {
                let found: Json = serde_json::from_str(given(&outcome.json)?).map_err(|error| error.to_string())?;
                // As text, for `Value` does not look at the order of members.
                equal(&found.to_string(), &expected.to_string())
            }
            "size" => equal(&Json::from(*given(&outcome.size_bytes)?), expected),
            "etag_changes_from" => {
                let written = given(&outcome.written)?.first().copied().flatten().ok_or("no ETag")?;
                match self.saved(&format!("${}", expected.as_str().expect("a name"))) {
                    Some(Saved::ETag(saved)) if *saved != written.etag() => Ok(()),
                    Some(Saved::ETag(saved)) => Err(format!("{saved} as before")),
                    _ => Err("no ETag was saved".into()),
                }
            }
            "found" => {
                let found: Vec<Json> = given(&outcome.written)?
                    .iter()
                    .map(|written| written.as_ref().is_some_and(Written::is_found).into())
                    .collect();
                equal(&Json::from(found), expected)
            }
            "etags" => {
                let found: Vec<Json> =
                    given(&outcome.written)?.iter().map(|written| written.is_some().into()).collect();
                equal(&Json::from(found), expected)
            }
            "timestamps" => {
                assert_eq!(expected, "increasing");
                let times: Vec<DateTime> = match (&outcome.written, &outcome.entities) {
                    (Some(written), _) => written.iter().flatten().map(Written::timestamp).collect(),
                    (None, Some(entities)) => entities.iter().flatten().filter_map(Entity::timestamp).collect(),
                    (None, None) => return Err("nothing written".into()),
                };
                if times.len() > 1 && times.windows(2).all(|pair| pair[0] < pair[1]) {
                    Ok(())
                } else {
                    Err(format!("{times:?}"))
                }
            }
            _ => panic!("the form has no expectation {member}"),
        }
    }

    fn check_entity(&self, expected: &Json, found: &Entity) -> Check {
        let Given { entity, timestamp, etag, .. } = vectors::entity(expected);
        let keys = (found.partition_key(), found.row_key());
        equal(&keys, &(entity.partition_key(), entity.row_key()))?;
        let listed = |entity: &Entity| {
            let mut text = String::new();
            entity
                .properties()
                .for_each(|(name, value)| write!(text, "{name}: {value:?}; ").expect("a String takes all"));
            text
        };
        equal(&listed(found), &listed(&entity))?;
        if let Some(expected) = timestamp {
            equal(&found.timestamp(), &expected)?;
        }
        if let Some(expected) = etag {
            let expected = expected.map(|text| match self.saved(&text) {
                Some(Saved::ETag(etag)) => etag.to_string(),
                _ => text,
            });
            equal(&found.etag().map(|etag| etag.to_string()), &expected)?;
        }
        Ok(())
    }
}

/// The keys of a move: before, and after.
fn moved(step: &Object) -> ((String, String), (String, String)) {
    let key = |json: &Json| vectors::text(json);
    ((key(&step["partition_key"]), key(&step["row_key"])), (key(&step["to"][0]), key(&step["to"][1])))
}

fn parameters(step: &Object) -> Parameters {
    let parameters = step.get("parameters").and_then(Json::as_object).into_iter().flatten();
    let value = |parameter: &Json| vectors::value(parameter["type"].as_str(), &parameter["value"]);
    parameters.map(|(name, parameter)| (name.as_str(), value(parameter))).collect()
}

fn given<T>(part: &Option<T>) -> Result<&T, String> {
    part.as_ref().ok_or_else(|| "the step gives no such thing".into())
}

fn equal<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Check {
    if found == expected { Ok(()) } else { Err(format!("{found:?} instead of {expected:?}")) }
}

fn check_input(expected: &Json, found: &EntityInput) -> Check {
    let expected = vectors::entity(expected).entity;
    equal(&(found.partition_key(), found.row_key()), &(expected.partition_key(), expected.row_key()))?;
    let expected: Vec<_> =
        expected.properties().map(|(name, value)| (name, InputValue::Typed(value.clone()))).collect();
    let found: Vec<_> = found.properties().map(|(name, value)| (name, value.clone())).collect();
    equal(&format!("{found:?}"), &format!("{expected:?}"))
}

fn check_rows(expected: &Json, found: &[Option<Entity>]) -> Check {
    let expected = expected.as_array().expect("rows");
    let shown: Vec<_> = found.iter().map(|row| row.as_ref().map(|row| (row.partition_key(), row.row_key()))).collect();
    let is_same = expected.len() == found.len()
        && expected.iter().zip(&shown).all(|(expected, found)| match (expected, found) {
            (Json::Null, None) => true,
            (Json::Array(pair), Some((partition_key, row_key))) => {
                vectors::text(&pair[0]) == *partition_key && vectors::text(&pair[1]) == *row_key
            }
            (expected, Some((_, row_key))) if !expected.is_null() => vectors::text(expected) == *row_key,
            _ => false,
        });
    if is_same { Ok(()) } else { Err(format!("{shown:?} instead of {}", Json::from(expected.clone()))) }
}

fn check_error(expected: &Object, found: &Error) -> Check {
    let details = found.details();
    for (member, value) in expected {
        let actual: Json = match member.as_str() {
            "code" => found.code().name().into(),
            "status" => found.status().into(),
            "class" => found.class().name().into(),
            "index" => details.index.into(),
            "property" => details.property.as_deref().into(),
            "limit" => details.limit.into(),
            "actual" => details.actual.into(),
            "position" => details.position.into(),
            "relation" => details.relation.as_deref().into(),
            "table" => details.table.as_deref().into(),
            "holder" => details.holder.as_ref().map(|(partition_key, row_key)| vec![&**partition_key, row_key]).into(),
            "message" => {
                let message = found.message();
                let expected = value.as_str().expect("a message");
                if !message.starts_with(expected) {
                    return Err(format!("message {message:?} instead of {expected:?}…"));
                }
                continue;
            }
            _ => panic!("the form has no member {member} of errors"),
        };
        if actual != *value {
            return Err(format!("{member} {actual} instead of {value}: {found:?}"));
        }
    }
    Ok(())
}

/// The names of a projection: a list, or one text with commas.
fn names(select: &Json) -> Vec<String> {
    match select {
        Json::Array(names) => names.iter().map(vectors::text).collect(),
        text => vec![vectors::text(text)],
    }
}

fn format_entity(step: &Object) -> String {
    let Given { entity, timestamp, .. } = vectors::entity(&step["entity"]);
    let metadata = match step["metadata"].as_str() {
        Some("none") => Metadata::None,
        Some("minimal") => Metadata::Minimal,
        Some("full") => Metadata::Full,
        other => panic!("no level {other:?}"),
    };
    // Only a store gives a Timestamp.
    let entity = match timestamp.flatten() {
        Some(timestamp) => {
            let options = Options::new().mode(Mode::Extended).clock(move || timestamp);
            let table = Store::in_memory_with(&options).and_then(|store| store.create_table(TABLE)).expect("a table");
            let (partition_key, row_key) = (entity.partition_key().to_owned(), entity.row_key().to_owned());
            table.create_entity(entity).expect("the entity");
            table.get_entity(&partition_key, &row_key).expect("the entity")
        }
        None => entity,
    };
    let select = step.get("select").map(names);
    let select: Option<Vec<&str>> = select.as_ref().map(|names| names.iter().map(String::as_str).collect());
    entable::entity_to_json(&entity, &JsonOptions { metadata, select: select.as_deref(), ..JsonOptions::default() })
}
