//! Misuse, and strange rows: what was tried to make the patterns lose, keep or take what they should not.

use super::*;
use crate::{ErrorCode, Store, Value, entity};

/// A store with the tables of the attempts.
fn shelf() -> Store {
    let store = Store::in_memory().unwrap();
    ["Rows", "Beside"].iter().for_each(|name| drop(store.create_table(name).unwrap()));
    store
}

/// Runs all steps as an outbox does.
fn run(store: &Store, changes: &Changes) {
    for step in changes.steps() {
        let table = store.table(step.table()).unwrap();
        table.submit_transaction(step.remaining(&table.get_many(step.keys()).unwrap()).unwrap()).unwrap();
    }
}

fn found(store: &Store, lookup: &Lookup) -> Vec<Entity> {
    let table = store.table(lookup.table()).unwrap();
    table.query_entities(lookup).unwrap().collect::<Result<_>>().unwrap()
}

fn invalid<T: std::fmt::Debug>(result: Result<T>) {
    assert_eq!(result.expect_err("refused").code(), ErrorCode::InvalidInput);
}

#[test]
fn states_of_another_row_are_not_taken_for_states_of_this_one() {
    let (one, other) = (entity! { "p", "1", "A" => "v" }, entity! { "p", "2", "A" => "w" });
    for current in [None, Some(&one)] {
        let seen = [&one, &other];
        invalid(SecondaryIndex::new("Rows", "a_", "A").reconcile(&seen, current));
        invalid(IndexTable::full("Rows", "Beside", ["A"]).reconcile(&seen, current));
        invalid(UniqueGuard::new("Rows", "a_", "A").reconcile(&seen, current));
        invalid(FoldedKey::keyed("Rows", "a_", "A").reconcile(&seen, current));
        invalid(IndexEntities::new("Rows", "a_", ["A"]).reconcile(&seen, current, &[]));
    }
    invalid(SecondaryIndex::new("Rows", "a_", "A").reconcile(&[&other], Some(&one)));
    invalid(IndexEntities::new("Rows", "a_", ["A"]).reconcile(&[&other], Some(&one), &[]));
}

#[test]
fn a_copy_is_not_another_rows_because_both_have_properties_that_entries_have() {
    // Rows that came from an index table have these two, and several may have the same.
    let row = |id: &str, a: &str| {
        entity! { "p", id, "A" => a, "Id" => id, "SourcePartitionKey" => "x", "SourceRowKey" => "y" }
    };
    let store = shelf();
    let pattern = SecondaryIndex::in_table("Rows", "Beside", "A");
    run(&store, &pattern.changes(None, Some(&row("1", "v"))).unwrap());
    let change = pattern.changes(Some(&row("1", "v")), Some(&row("1", "w"))).unwrap();
    run(&store, &pattern.changes(None, Some(&row("2", "v"))).unwrap());
    run(&store, &change);
    let holders = found(&store, &pattern.find("p", "v").unwrap());
    assert_eq!(holders.iter().map(|copy| copy["Id"].clone()).collect::<Vec<_>>(), [Value::from("2")]);
}

#[test]
fn a_key_is_not_made_of_the_key_itself() {
    // Read back, the row would be placed under a longer key each time, and never be found under its own.
    let row = entity! { "p", "1", "At" => "2026-12-01T08:00:00Z".parse::<crate::DateTime>().unwrap(), "A" => "v" };
    for tail in [LogTail::new("Rows", "At").id("RowKey"), LogTail::new("Rows", "At").id("RowKey").both_orders()] {
        invalid(tail.row_of(&row));
        invalid(tail.changes(None, Some(&row)));
    }
    for fields in [["RowKey", "A"], ["A", "RowKey"]] {
        invalid(CompoundKey::new("Rows", fields).row_of(&row));
        invalid(CompoundKey::new("Rows", fields).changes(None, Some(&row)));
    }
    assert!(CompoundKey::new("Rows", ["PartitionKey", "A"]).row_of(&row).is_ok());
}

#[test]
fn a_step_is_told_what_is_under_its_own_keys() {
    let store = shelf();
    let pattern = SecondaryIndex::new("Rows", "a_", "A");
    let row = entity! { "p", "1", "A" => "v" };
    run(&store, &pattern.changes(None, Some(&row)).unwrap());
    let rows = store.table("Rows").unwrap();
    let former = rows.get_entity("p", "1").unwrap();
    let changes = pattern.changes(Some(&former), None).unwrap();
    let step = changes.group().unwrap();
    let mut stored = rows.get_many(step.keys()).unwrap();
    stored.reverse();
    invalid(step.remaining(&stored));
    // What another table or partition has under other keys is nothing that tells a removal is done.
    let foreign = Some(entity! { "q", "a_v", "A" => "v" });
    invalid(step.remaining(&[stored[1].clone(), foreign]));
}

#[test]
fn guards_are_told_from_rows() {
    let row = |id: &str| entity! { "Employee", id, "Name" => "ann" };
    invalid(UniqueGuard::new("Rows", "", "Name").changes(None, Some(&row("1"))));
    invalid(UniqueGuard::new("Rows", "", "Name").find("Employee", "ann"));
    // Guards for all partitions, in one that has rows as well.
    for table in ["Rows", "ROWS"] {
        let across = |prefix: &str| UniqueGuard::new("Rows", prefix, "Name").across(table, "Employee");
        invalid(across("Uname_").changes(None, Some(&row("Uname_bob"))));
        invalid(across("").changes(None, Some(&row("1"))));
        assert!(across("Uname_").changes(None, Some(&row("1"))).is_ok());
        assert!(across("").changes(None, Some(&entity! { "Other", "1", "Name" => "ann" })).is_ok());
    }
}

#[test]
fn a_wide_row_with_a_timestamp_is_written_once_and_is_done_then() {
    let store = shelf();
    let wide = WideEntity::new("Rows");
    let row = entity! { "p", "1", "A" => "v", "Timestamp" => "2001" };
    let changes = wide.changes(None, Some(&row)).unwrap();
    run(&store, &changes);
    run(&store, &changes);
    assert_eq!(wide.join(&found(&store, &wide.find("p", "1"))).unwrap(), Some(entity! { "p", "1", "A" => "v" }));
    // A former state without a version is compared with what is there.
    run(&store, &wide.changes(Some(&row), None).unwrap());
    assert!(found(&store, &wide.find("p", "1")).is_empty());
}

#[test]
fn a_former_state_with_a_timestamp_is_what_is_stored() {
    let store = shelf();
    let pattern = SecondaryIndex::new("Rows", "a_", "A");
    let row = |a: &str| entity! { "p", "1", "A" => a, "Timestamp" => "2001" };
    run(&store, &pattern.changes(None, Some(&row("v"))).unwrap());
    run(&store, &pattern.changes(Some(&row("v")), Some(&row("w"))).unwrap());
    assert!(store.table("Rows").unwrap().exists("p", "a_w").unwrap());
    let lists = IndexEntities::new("Rows", "l_", ["A"]);
    let changes = lists.changes(Some(&row("w")), None, &[]).unwrap();
    run(&store, &changes);
    assert!(!store.table("Rows").unwrap().exists("p", "1").unwrap());
}

#[test]
fn parts_of_a_wide_row_are_what_the_service_takes() {
    let wide = WideEntity::new("Rows");
    let code = |row: &Entity| wide.split(row).expect_err("refused").code();
    assert_eq!(code(&entity! { "p", "1", "A" => "x".repeat(32_769) }), ErrorCode::PropertyValueTooLarge);
    assert_eq!(code(&entity! { "p", "1", "A" => vec![0_u8; 65_537] }), ErrorCode::PropertyValueTooLarge);
    assert_eq!(code(&entity! { "p", "1", "no name" => 1 }), ErrorCode::PropertyNameInvalid);
    assert_eq!(code(&entity! { "p", "k".repeat(1_022), "A" => 1 }), ErrorCode::KeyValueTooLarge);
    assert!(wide.split(&entity! { "p", "k".repeat(1_021), "A" => 1 }).is_ok());
}

#[test]
fn several_values_have_something_between_them() {
    let row = entity! { "p", "1", "A" => "ab" };
    let each = || Field::new("A").each("");
    invalid(IndexTable::full("Rows", "Beside", [each()]).changes(None, Some(&row)));
    invalid(UniqueGuard::new("Rows", "a_", each()).changes(None, Some(&row)));
}

#[test]
fn no_rows_are_none() {
    let store = shelf();
    let tail = LogTail::new("Rows", "At");
    let row = entity! { "p", "", "At" => "2026-12-01T08:00:00Z".parse::<crate::DateTime>().unwrap() };
    run(&store, &tail.changes(None, Some(&row)).unwrap());
    assert!(found(&store, &tail.latest("p", 0).unwrap()).is_empty());
    assert_eq!(found(&store, &tail.latest("p", u64::MAX).unwrap()).len(), 1);
}

#[test]
fn one_value_of_another_type_or_case_is_the_key_that_the_docs_say() {
    let store = shelf();
    let guard = UniqueGuard::new("Rows", "n_", "N");
    run(&store, &guard.changes(None, Some(&entity! { "p", "1", "N" => 5_i32 })).unwrap());
    let insert = |id: &str, value: Value| {
        let changes = guard.changes(None, Some(&entity! { "p", id, "N" => value }))?;
        store.table("Rows")?.submit_transaction(changes.group().unwrap().operations()?).map(drop)
    };
    assert_eq!(insert("2", 5_i64.into()).expect_err("taken").code(), ErrorCode::EntityAlreadyExists);
    assert!(insert("3", 0.0.into()).is_ok());
    assert_eq!(insert("4", (-0.0).into()).expect_err("taken").code(), ErrorCode::EntityAlreadyExists);
    invalid(insert("5", f64::NAN.into()));
    for (id, text) in
        [("6", "I"), ("7", "i"), ("8", "\u{130}"), ("9", "ß"), ("10", "ss"), ("11", ""), ("12", "\u{ffff}")]
    {
        assert!(insert(id, text.into()).is_ok(), "{text}");
    }
}

/// The employees of the cookbook's reader: by id, e-mail, last name and city, the e-mail unique, logins newest first.
struct Employees {
    by_email: SecondaryIndex,
    by_name: IndexTable,
    by_city: IndexTable,
    unique: UniqueGuard,
}

impl Employees {
    fn new() -> (Store, Employees) {
        let store = Store::in_memory().unwrap();
        for table in ["Employees", "ByName", "ByCity", "Guards", "Logins"] {
            store.create_table(table).unwrap();
        }
        let employees = Employees {
            by_email: SecondaryIndex::new("Employees", "email_", Field::new("Email").folded()),
            by_name: IndexTable::partial("Employees", "ByName", [Field::new("LastName").folded()], ["LastName"])
                .by_both_keys(),
            by_city: IndexTable::normalized("Employees", "ByCity", [Field::new("City").safe()]).by_both_keys(),
            unique: UniqueGuard::new("Employees", "", Field::new("Email").folded()).across("Guards", "Email"),
        };
        (store, employees)
    }

    fn changes(&self, former: Option<&Entity>, new: Option<&Entity>) -> Result<Changes> {
        let changes = self.unique.changes(former, new)?.join(self.by_email.changes(former, new)?)?;
        changes.join(self.by_name.changes(former, new)?)?.join(self.by_city.changes(former, new)?)
    }

    /// Everything but logins, as it follows from these rows.
    fn expected(&self, rows: &[Entity]) -> Vec<String> {
        let store = Employees::new().0;
        rows.iter().for_each(|row| run(&store, &self.changes(None, Some(row)).unwrap()));
        everything(&store)
    }
}

fn everything(store: &Store) -> Vec<String> {
    let mut all = Vec::new();
    for name in ["Employees", "ByName", "ByCity", "Guards"] {
        for entity in store.table(name).unwrap().list_entities().unwrap() {
            let entity = entity.unwrap();
            let mut properties: Vec<_> = entity.properties().map(|it| format!("{it:?}")).collect();
            properties.sort();
            all.push(format!("{name} {:?} {:?} {properties:?}", entity.partition_key(), entity.row_key()));
        }
    }
    all
}

#[test]
fn a_change_of_four_patterns_is_finished_wherever_it_stopped() {
    let ada = entity! { "Sales", "empid_1", "Email" => "Ada@x.de", "LastName" => "STRASSE", "City" => "Köln/Süd" };
    let bob = entity! { "Dev", "empid_1", "Email" => "bob@x.de", "LastName" => "Straße", "City" => "Köln/Süd" };
    let moved = entity! { "Sales", "empid_1", "Email" => "ada@y.de", "LastName" => "\u{130}z", "City" => "" };
    let (_, employees) = Employees::new();
    let count = employees.changes(Some(&ada), Some(&moved)).unwrap().steps().len();
    for end in [Some(&moved), None] {
        for stop in 0..=count {
            let (store, _) = Employees::new();
            run(&store, &employees.changes(None, Some(&ada)).unwrap());
            run(&store, &employees.changes(None, Some(&bob)).unwrap());
            let former = store.table("Employees").unwrap().get_entity("Sales", "empid_1").unwrap();
            let changes = employees.changes(Some(&former), end).unwrap();
            for step in changes.steps().iter().take(stop) {
                let table = store.table(step.table()).unwrap();
                let left = step.remaining(&table.get_many(step.keys()).unwrap()).unwrap();
                table.submit_transaction(left).unwrap();
            }
            // The message is found again, and finished from the first step, twice.
            run(&store, &changes);
            run(&store, &changes);
            let rows: Vec<Entity> = end.into_iter().chain([&bob]).cloned().collect();
            assert_eq!(everything(&store), employees.expected(&rows), "stopped before {stop}");
            let names = found(&store, &employees.by_name.find(["strasse"]).unwrap());
            assert_eq!(employees.by_name.rows(&names).unwrap(), [("Dev".to_owned(), "empid_1".to_owned())]);
        }
    }
}

#[test]
fn a_value_that_another_row_has_stops_everything_before_it_begins() {
    let (store, employees) = Employees::new();
    let row = |id: &str, email: &str| entity! { "Sales", id, "Email" => email, "LastName" => "a", "City" => "b" };
    run(&store, &employees.changes(None, Some(&row("1", "A@x.de"))).unwrap());
    let before = everything(&store);
    let changes = employees.changes(None, Some(&row("2", "a@X.de"))).unwrap();
    let step = &changes.steps()[0];
    let stored = store.table(step.table()).unwrap().get_many(step.keys()).unwrap();
    assert_eq!(step.remaining(&stored).expect_err("taken").code(), ErrorCode::EntityAlreadyExists);
    assert_eq!(everything(&store), before);
}

#[test]
fn a_series_with_a_timestamp_is_a_series() {
    let store = shelf();
    let hourly = DataSeries::new("Rows", Period::Day);
    let former = entity! { "meter", "20261201", "h07" => 1.5, "Timestamp" => "2001" };
    run(&store, &hourly.changes(None, Some(&former)).unwrap());
    let new = entity! { "meter", "20261201", "h07" => f64::NAN };
    let changes = hourly.changes(Some(&former), Some(&new)).unwrap();
    run(&store, &changes);
    run(&store, &changes);
    assert_eq!(hourly.values(&former).unwrap().len(), 1);
    let day = store.table("Rows").unwrap().get_entity("meter", "20261201").unwrap();
    assert_eq!(hourly.values(&day).unwrap()[0].1, Value::from(f64::NAN));
}

#[test]
fn a_composed_or_joined_range_finds_what_a_scan_finds_at_the_edges() {
    // Texts around the separator, the ends of characters and of keys, each as the first of two values.
    let texts = [
        "",
        "_",
        "a",
        "a_b",
        "a\u{ffff}",
        "\u{ffff}",
        "\u{d7ff}",
        "\u{10000}",
        "\u{10ffff}",
        "\u{e000}",
        "A",
        "~",
        "a b",
    ];
    for composed in [true, false] {
        let store = shelf();
        let pattern = IndexTable::normalized("Rows", "Beside", ["A", "B"]);
        let pattern = if composed { pattern.composed() } else { pattern };
        let kept: Vec<&str> = texts.into_iter().filter(|text| composed || !text.contains('_')).collect();
        let mut rows = Vec::new();
        for (at, first) in kept.iter().enumerate() {
            for (other, second) in texts.iter().enumerate() {
                let row = entity! { "p", format!("{at:02}{other:02}"), "A" => *first, "B" => *second };
                run(&store, &pattern.changes(None, Some(&row)).unwrap());
                rows.push(row);
            }
        }
        let ids = |lookup: &Lookup| {
            let mut ids: Vec<String> = found(&store, lookup).iter().map(|it| it.row_key().to_owned()).collect();
            ids.sort();
            ids
        };
        let scanned = |is: &dyn Fn(&str, &str) -> bool| {
            let is_found = |row: &&Entity| is(row["A"].as_str().unwrap(), row["B"].as_str().unwrap());
            rows.iter().filter(is_found).map(|row| row.row_key().to_owned()).collect::<Vec<_>>()
        };
        let order = |a: &str, b: &str| crate::model::compare::text(a, b);
        for first in &kept {
            assert_eq!(ids(&pattern.find([*first]).unwrap()), scanned(&|a, _| a == *first), "{composed} {first:?}");
            let starting = pattern.starting_with([*first]).unwrap();
            assert_eq!(ids(&starting), scanned(&|a, _| a.starts_with(first)), "{composed} {first:?}");
            for second in &texts {
                let both = pattern.starting_with([*first, *second]).unwrap();
                let expected = scanned(&|a, b| a == *first && b.starts_with(second));
                assert_eq!(ids(&both), expected, "{composed} {first:?} {second:?}");
            }
            for last in &kept {
                let between = pattern.between(*first, *last).unwrap();
                let expected = scanned(&|a, _| order(a, first).is_ge() && order(a, last).is_le());
                assert_eq!(ids(&between), expected, "{composed} {first:?} {last:?}");
            }
        }
    }
}

#[test]
fn a_range_of_composed_keys_is_one() {
    for (first, last) in [(1_i64, 987_654_321), (i64::MIN, i64::MAX), (-5, 123_456_789_012_345)] {
        let filter = |pattern: IndexTable| pattern.between(first, last).unwrap().filter();
        let pattern = IndexTable::normalized("Rows", "Beside", ["A", "B"]);
        assert_eq!(filter(pattern.composed()).matches("PartitionKey").count(), 2);
        assert_eq!(filter(IndexTable::normalized("Rows", "Beside", ["A"])).matches("PartitionKey").count(), 2);
    }
}
