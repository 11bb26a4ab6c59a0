//! `operations.toml` is the list of what every language offers: what it calls done is there.

use entable::patterns::IndexTable;
use entable::{
    Condition, Consumer, ContinuationToken, DateTime, Entity, EntityInput, ExportOptions, Feed, FeedPosition,
    FeedStart, Filter, ImportOptions, Index, Join, JsonOptions, Mode, OnDelete, Operation, Options, Projection, Query,
    Relation, Repair, Snapshot, Store, Table, UntypedNumber, UpdateMode, entity_from_json, entity_to_json,
};
use entable_tests::vectors;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LANGUAGES: [&str; 5] = ["rust", "c", "cpp", "python", "node"];

#[derive(Clone, Debug, PartialEq)]
enum State {
    Done(String),
    Later(String),
    Absent(String),
}

type Operations = BTreeMap<String, BTreeMap<String, State>>;

fn tests_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Reads the list. It uses a small part of TOML, and nothing else is taken.
fn operations() -> Operations {
    let text = std::fs::read_to_string(tests_folder().join("operations.toml")).expect("the list");
    let mut operations = Operations::new();
    let mut current = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix("[operation.").and_then(|rest| rest.strip_suffix(']')) {
            assert!(operations.insert(name.into(), BTreeMap::new()).is_none(), "{name} comes twice");
            current = name.into();
            continue;
        }
        let (name, value) = line.split_once(" = ").unwrap_or_else(|| panic!("{line:?}: name = value"));
        if name == "about" {
            continue;
        }
        let inner = value.strip_prefix("{ ").and_then(|rest| rest.strip_suffix(" }"));
        let (state, text) = inner.and_then(|inner| inner.split_once(" = ")).unwrap_or_else(|| panic!("{line:?}"));
        let text = text.trim_matches('"').to_owned();
        assert!(!text.is_empty(), "{line:?}");
        let state = match state {
            "done" => State::Done(text),
            "later" => State::Later(text),
            "absent" => State::Absent(text),
            other => panic!("{current}: done, later or absent, not {other}"),
        };
        operations.get_mut(&current).expect("a table first").insert(name.into(), state);
    }
    operations
}

/// The word that a name is looked for by: its last.
fn word(name: &str) -> &str {
    name.split(|c: char| !(c.is_alphanumeric() || c == '_')).rfind(|word| !word.is_empty()).expect("a word")
}

#[test]
fn every_operation_says_where_each_language_stands() {
    let operations = operations();
    for (name, states) in &operations {
        let languages: Vec<_> = states.keys().map(String::as_str).collect();
        let expected: BTreeSet<_> = LANGUAGES.into_iter().collect();
        assert_eq!(languages, expected.into_iter().collect::<Vec<_>>(), "{name}");
    }
    for language in LANGUAGES {
        let of = |is: fn(&State) -> bool| operations.values().filter(|states| is(&states[language])).count();
        let (done, later) = (of(|state| matches!(state, State::Done(_))), of(|state| matches!(state, State::Later(_))));
        println!("{language}: {done} done, {later} later, of {}", operations.len());
    }
    assert!(operations.len() > 50);
}

/// Lists what Rust offers, and has the compiler look at each.
macro_rules! offered {
    ($($name:literal: $call:expr;)+) => {
        const OFFERED: &[&str] = &[$($name),+];

        /// Never run: that it compiles is the test.
        #[expect(dead_code, reason = "calls that only have to compile")]
        fn compiles() {
            $(let _ = $call;)+
        }
    };
}

offered! {
    "Store::open": || Store::open("store.ent");
    "Store::in_memory": Store::in_memory;
    "Options::mode": || Options::new().mode(Mode::Strict);
    "Options::read_only": || Options::new().read_only(true);
    "Options::immutable": || Options::new().immutable(true);
    "Options::must_exist": || Options::new().must_exist(true);
    "Options::check": || Options::new().check(true);
    "Options::max_size": || Options::new().max_size(1 << 30);
    "verify": || entable::verify("store.ent");
    "Options::clock": || Options::new().clock(DateTime::now);
    "Store::stats": |store: &Store| store.stats();
    "Store::advise": |store: &Store| store.advise();
    "Table::advise": |table: &Table| table.advise();
    "Table::index_stats": |table: &Table| table.index_stats();
    "Store::backup": |store: &Store| store.backup("monday.ent");
    "Store::compact_into": |store: &Store| store.compact_into("small.ent");
    "Store::compact": |store: &Store| store.compact();
    "Store::export": |store: &Store| store.export(std::io::sink(), &ExportOptions::new());
    "Store::import": |store: &Store| store.import(std::io::empty(), &ImportOptions::new());
    "Store::check_export":
        |store: &Store| store.check_export(&ExportOptions::new(), |_| std::ops::ControlFlow::Continue(()));
    "Store::close": |store: &Store| store.close();
    "Store::snapshot": |store: &Store| store.snapshot();
    "Table::at": |table: &Table, snapshot: &Snapshot| table.at(snapshot);
    "Snapshot::list_tables": |snapshot: &Snapshot| snapshot.list_tables();
    "Snapshot::close": |snapshot: &Snapshot| snapshot.close();
    "Store::transaction": |store: &Store| store.transaction(|transaction| transaction.list_tables());
    "Store::sync": |store: &Store| store.sync();
    "Store::table": |store: &Store| store.table("Orders");
    "Store::create_table": |store: &Store| store.create_table("Orders");
    "Store::create_table_if_not_exists": |store: &Store| store.create_table_if_not_exists("Orders");
    "Store::delete_table": |store: &Store| store.delete_table("Orders");
    "Store::list_tables": |store: &Store| store.list_tables();
    "Store::query_tables": |store: &Store| store.query_tables("TableName ge 'O'");
    "Table::create_entity": |table: &Table, entity: Entity| table.create_entity(entity);
    "Table::update_entity": |table: &Table, entity: Entity| table.update_entity(entity, UpdateMode::Merge);
    "Table::update_entity_if":
        |table: &Table, entity: Entity| table.update_entity_if(entity, UpdateMode::Merge, Condition::Any);
    "Table::upsert_entity": |table: &Table, entity: Entity| table.upsert_entity(entity, UpdateMode::Merge);
    "Table::upsert_entity_if":
        |table: &Table, entity: Entity| table.upsert_entity_if(entity, UpdateMode::Merge, Condition::Absent);
    "Table::delete_entity": |table: &Table| table.delete_entity("DE", "1");
    "Table::delete_entity_if": |table: &Table| table.delete_entity_if("DE", "1", Condition::Any);
    "EntityInput::removing": |input: EntityInput| input.removing("Note");
    "EntityInput::adding": |input: EntityInput| input.adding("Views", 1);
    "Condition::Matches": |filter: Filter| Condition::Matches(filter);
    "Table::create_or_get_entity": |table: &Table, entity: Entity| table.create_or_get_entity(entity);
    "Table::move_entity": |table: &Table| table.move_entity(("open", "1"), ("paid", "1"));
    "Table::get_entity": |table: &Table| table.get_entity("DE", "1");
    "Table::get_entity_select": |table: &Table| table.get_entity_select("DE", "1", ["Total"]);
    "Table::exists": |table: &Table| table.exists("DE", "1");
    "Table::get_many": |table: &Table| table.get_many([("DE", "1")]);
    "Table::delete_entities": |table: &Table| table.delete_entities("Total gt 1");
    "Table::delete_entities_in_chunks": |table: &Table| table.delete_entities_in_chunks("Total gt 1", 100);
    "Table::partition_keys": |table: &Table| table.partition_keys();
    "Query::order_by": || Query::all().order_by("Total");
    "Table::submit_transaction": |table: &Table| table.submit_transaction([Operation::delete("DE", "1")]);
    "Store::submit_batch": |store: &Store, table: &Table| store.submit_batch([(table, Operation::delete("DE", "1"))]);
    "UntypedNumber": UntypedNumber::Integer(1);
    "entity_from_json": || entity_from_json("{}", Mode::Portable);
    "entity_to_json": |entity: &Entity| entity_to_json(entity, &JsonOptions::default());
    "Entity::size_bytes": |entity: &Entity| entity.size_bytes();
    "Table::list_entities": |table: &Table| table.list_entities();
    "Table::query_entities": |table: &Table| table.query_entities("Total gt 1");
    "Query::parameter": || Query::filter("Total gt @total").parameter("total", 1);
    "Query::select": || Query::all().select(["Total"]);
    "Query::limit": || Query::all().limit(1);
    "Query::page_size": || Query::all().page_size(1);
    "Entities::by_page": |entities: entable::Entities| entities.by_page();
    "Table::query_page": |table: &Table| table.query_page("Total gt 1");
    "Query::continue_from": |token: ContinuationToken| Query::all().continue_from(token);
    "Query::stop_if": || Query::all().stop_if(|| true);
    "Query::descending": || Query::all().descending();
    "Query::mode": || Query::all().mode(Mode::Strict);
    "Table::count": |table: &Table| table.count("Total gt 1");
    "Table::create_index": |table: &Table| table.create_index(Index::new("ByCity").properties(["City"]));
    "Table::create_index_if_not_exists": |table: &Table, index: Index| table.create_index_if_not_exists(index);
    "Table::drop_index": |table: &Table| table.drop_index("ByCity");
    "Table::list_indexes": |table: &Table| table.list_indexes();
    "Store::create_relation": |store: &Store, relation: &Relation| store.create_relation(relation);
    "Store::drop_relation": |store: &Store| store.drop_relation("Lines", "Order");
    "Table::relations": |table: &Table| table.relations();
    "Table::linked": |table: &Table| table.linked("Order", "DE", "1");
    "Table::parent_of": |table: &Table| table.parent_of("Order", "DE", "1");
    "Table::link": |table: &Table| table.link("Order", ("DE", "1"), ("DE", "2"));
    "Table::unlink": |table: &Table| table.unlink("Order", "DE", "1");
    "Table::orphans": |table: &Table| table.orphans("Order", 100);
    "Table::repair_orphans": |table: &Table| table.repair_orphans("Order", Repair::Delete);
    "Store::create_join":
        |store: &Store| store.create_join("Members", "Friends", "Groups", OnDelete::Cascade);
    "Store::join": |store: &Store| store.join("Members");
    "Join::link": |join: &Join| join.link(("f", "1"), ("g", "1"));
    "Join::unlink": |join: &Join| join.unlink(("f", "1"), ("g", "1"));
    "Join::is_linked": |join: &Join| join.is_linked(("f", "1"), ("g", "1"));
    "Join::rights": |join: &Join| join.rights(("f", "1"), 100, None);
    "Join::lefts": |join: &Join| join.lefts(("g", "1"), 100, None);
    "Store::create_table_with_feed": |store: &Store| store.create_table_with_feed("Orders", &Feed::new());
    "Table::set_feed": |table: &Table| table.set_feed(&Feed::new());
    "Table::drop_feed": |table: &Table| table.drop_feed();
    "Table::feed": |table: &Table| table.feed();
    "Table::read_changes": |table: &Table, behind: &FeedPosition| table.read_changes(behind, 100);
    "Table::changes": |table: &Table, behind: &FeedPosition| table.changes(behind);
    "Table::wait_for_changes":
        |table: &Table, behind: &FeedPosition| table.wait_for_changes(behind, Duration::from_secs(1));
    "Table::trim_feed": |table: &Table| table.trim_feed();
    "Table::create_consumer": |table: &Table| table.create_consumer("mail", &FeedStart::Now);
    "Table::consumer": |table: &Table| table.consumer("mail");
    "Table::drop_consumer": |table: &Table| table.drop_consumer("mail");
    "Consumer::position": |consumer: &Consumer| consumer.position();
    "Consumer::read": |consumer: &Consumer| consumer.read(100);
    "Consumer::wait": |consumer: &Consumer| consumer.wait(Duration::from_secs(1));
    "Consumer::advance": |consumer: &Consumer, to: &FeedPosition| consumer.advance(to);
    "Consumer::seek": |consumer: &Consumer, to: &FeedPosition| consumer.seek(to);
    "Projection::copy": |table: &Table| Projection::copy("Copy", table, "Copies");
    "Projection::index": |table: &Table, by: IndexTable| Projection::index("ByTown", table, by);
    "Projection::into_store": |projection: Projection, store: &Store| projection.into_store(store);
    "Projection::create": |projection: &Projection| projection.create();
    "Projection::delete": |projection: &Projection| projection.delete();
    "Projection::position": |projection: &Projection| projection.position();
    "Projection::lag": |projection: &Projection| projection.lag();
    "Projection::wait": |projection: &Projection| projection.wait(Duration::from_secs(1));
    "Projection::step": |projection: &Projection| projection.step(100);
    "Projection::catch_up": |projection: &Projection| projection.catch_up();
    "Projection::apply": |projection: &Projection| projection.apply(&[]);
    "Projection::dead_letters": |projection: &Projection| projection.dead_letters();
    "Projection::retry_dead_letters": |projection: &Projection| projection.retry_dead_letters();
    "Projection::compare": |projection: &Projection| projection.compare();
    "Projection::reconcile": |projection: &Projection| projection.reconcile();
    "Projection::drop_tombstones": |projection: &Projection, now: DateTime| projection.drop_tombstones(now);
    "keys::compose": || entable::keys::compose(["Redmond", "Smith"]);
    "patterns::SecondaryIndex": || entable::patterns::SecondaryIndex::new("Employees", "email_", "Email");
    "Table::explain": |table: &Table| table.explain("Total gt 1");
}

#[test]
fn what_is_done_in_rust_compiles() {
    let done = operations().into_values().filter_map(|states| match &states["rust"] {
        State::Done(name) => Some(name.clone()),
        _ => None,
    });
    let done: BTreeSet<String> = done.collect();
    let offered: BTreeSet<String> = OFFERED.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(done, offered, "operations.toml, and the list above");
}

/// Public methods that are no operations of their own: other forms of one, or what a handle knows of itself.
const BESIDES: [&str; 52] = [
    // What a handle knows of itself.
    "Projection::name",
    "Projection::table",
    "Reconciled::is_equal",
    // Other forms in Rust.
    "Store::open_with",
    "Store::in_memory_with",
    "Table::create_table",
    "Table::delete_table",
    "Table::get_entity_as",
    "Query::parameters",
    "Store::backup_with",
    "Store::compact_into_with",
    "Store::compact_with",
    "Store::export_with",
    "Store::import_with",
    "Store::export_file",
    "Store::import_file",
    "Table::move_entity_if",
    "Table::create_index_until",
    "Table::create_index_if_not_exists_until",
    "Query::to_filter",
    // One operation, as a value.
    "Table::apply",
    // Without waiting: the asynchronous form of every write.
    "Table::submit_group",
    "Table::submit",
    "Table::submit_then",
    "Table::submit_deletion",
    "Table::submit_deletion_step",
    "Table::changes_ready",
    "Table::submit_create_or_get",
    "Store::submit_wide",
    // Options of exports and imports.
    "ExportOptions::new",
    "ExportOptions::tables",
    "ExportOptions::versions",
    "ExportOptions::snapshot",
    "ExportOptions::from_position",
    "ImportOptions::new",
    "ImportOptions::existing",
    "ImportOptions::versions",
    "ImportOptions::after_line",
    // Beginnings.
    "Options::new",
    "Query::all",
    "Query::filter",
    "Query::built",
    // What handles know.
    "Store::mode",
    "Table::name",
    "Table::store",
    "Snapshot::new",
    // `get_entity` of the bindings.
    "Table::get_stored_entity",
    "Store::create_relation_if_not_exists",
    "Table::linked_query",
    "Join::table",
    "Consumer::name",
    "Consumer::table",
];

#[test]
fn a_table_in_a_transaction_has_the_verbs_of_a_table() {
    let core = tests_folder().join("../core/src");
    let methods = |file: &str, of: &str| {
        let text = std::fs::read_to_string(core.join(file)).expect("the core");
        let body = text.split(&format!("\nimpl{of} {{")).nth(1).and_then(|rest| rest.split("\n}").next());
        let lines = body.expect("the methods").lines().filter_map(|line| line.strip_prefix("    pub fn "));
        lines.map(|line| line.split(['(', '<']).next().unwrap_or_default().to_owned()).collect::<BTreeSet<_>>()
    };
    let inside = methods("transaction.rs", "<'t> TransactionTable<'t>");
    let outside =
        ["table.rs", "table/index_verbs.rs", "table/own.rs"].into_iter().flat_map(|file| methods(file, " Table"));
    // Whole tables are the transaction's own verbs; the others have no meaning inside, or are not there yet.
    let missing = [
        "at",
        "create_index_if_not_exists_until",
        "create_index_until",
        "create_table",
        "delete_table",
        "delete_entities_in_chunks",
        "advise",
        "index_stats",
        "explain",
        "get_stored_entity",
        "partition_keys",
        "store",
        "submit",
        "submit_create_or_get",
        "submit_deletion",
        "submit_deletion_step",
        "submit_group",
        "submit_then",
    ];
    let expected: BTreeSet<String> = outside.filter(|name| !missing.contains(&name.as_str())).collect();
    let besides: Vec<_> = inside.symmetric_difference(&expected).collect();
    // Pages one by one, for the bindings: a table hands them out by `query_page`.
    assert_eq!(besides, ["pages"]);
}

#[test]
fn what_rust_offers_is_in_the_list() {
    let core = tests_folder().join("../core/src");
    let mut failures = Vec::new();
    let mut count = 0;
    for file in [
        "store.rs",
        "table.rs",
        "table/index_verbs.rs",
        "table/own.rs",
        "snapshot.rs",
        "upkeep.rs",
        "changes.rs",
        "relations.rs",
        "join.rs",
        "projection/mod.rs",
        "projection/apply.rs",
        "projection/dead.rs",
        "projection/reconcile.rs",
        "query/mod.rs",
        "transfer/export.rs",
        "transfer/import.rs",
        "transfer/files.rs",
    ] {
        let text = std::fs::read_to_string(core.join(file)).expect("the core");
        let mut of = "";
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("impl ") {
                of = rest.split([' ', '<', '{']).next().unwrap_or_default();
            }
            let Some(rest) = line.strip_prefix("    pub fn ") else { continue };
            let name = format!("{of}::{}", rest.split(['(', '<']).next().unwrap_or_default());
            count += 1;
            // In a transaction the verbs are those of the table.
            let name = name.replace("TransactionTable::advance_consumer", "Consumer::advance");
            let name = name.replace("TransactionTable::", "Table::");
            if !OFFERED.contains(&name.as_str()) && !BESIDES.contains(&name.as_str()) {
                failures.push(name);
            }
        }
    }
    assert!(count > 40, "the public methods are found: {count}");
    assert!(failures.is_empty(), "missing from operations.toml: {failures:?}");
}

/// Where a language declares what it offers.
const SURFACES: [(&str, &[&str]); 4] = [
    ("c", &["bindings-c/include/entable.h"]),
    ("cpp", &["bindings-c/cxx/include"]),
    ("python", &["bindings-python/python/entable/_entable.pyi", "bindings-python/python/entable/__init__.py"]),
    ("node", &["bindings-node/lib/index.d.ts"]),
];

/// The words of a file, or of all files of a folder.
fn words(path: PathBuf, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(&path).expect("a folder") {
            words(entry.expect("an entry").path(), found);
        }
    } else if let Ok(text) = std::fs::read_to_string(path) {
        let of_text = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        found.extend(of_text.map(str::to_owned));
    }
}

#[test]
fn what_is_done_in_a_binding_is_declared_there() {
    let mut failures = Vec::new();
    for (language, places) in SURFACES {
        let mut declared = BTreeSet::new();
        places.iter().for_each(|place| words(tests_folder().join("..").join(place), &mut declared));
        if declared.is_empty() {
            println!("{language}: not in this checkout");
            continue;
        }
        for (operation, states) in operations() {
            if let State::Done(name) = &states[language]
                && !declared.contains(word(name))
            {
                failures.push(format!("{operation} in {language}: {name}"));
            }
        }
    }
    assert!(failures.is_empty(), "called done, and not declared:\n{}", failures.join("\n"));
}

#[test]
fn vectors_of_feeds_and_relations_run_wherever_their_verbs_are_done() {
    let (operations, mut failures, mut counted) = (operations(), Vec::new(), 0);
    for file in vectors::files() {
        for case in vectors::read(&file)["cases"].as_array().expect("cases") {
            let rules = case["rules"].as_array().expect("rules").iter().filter_map(|rule| rule.as_str());
            // In other files a case may be for fewer languages, for reasons of its own.
            if !rules.clone().any(|rule| rule.starts_with("S4.9.") || rule.starts_with("S4.10.")) {
                continue;
            }
            counted += 1;
            let verbs = case["steps"].as_array().expect("steps").iter().filter_map(|step| step["do"].as_str());
            let needed: Vec<_> = verbs.filter_map(|verb| operations.get(verb)).collect();
            for language in LANGUAGES {
                let is_done = needed.iter().all(|states| matches!(states[language], State::Done(_)));
                let runs = case["only"].as_array().is_none_or(|only| only.iter().any(|one| one == language));
                if is_done != runs {
                    failures.push(format!("{file} {}: in {language} done is {is_done}, run is {runs}", case["name"]));
                }
            }
        }
    }
    assert!(counted > 60, "{counted} cases");
    assert!(failures.is_empty(), "`only` and operations.toml differ:\n{}", failures.join("\n"));
}
