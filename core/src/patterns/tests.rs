//! Copies are equal to rows, whatever happens in between: a model of each pattern beside a real store.

use super::*;
use crate::tests::Random;
use crate::{DateTime, ErrorCode, Store, Table, Value, keys};
use std::collections::BTreeMap;

mod broken;
mod readers;
mod steps;

type State<'e> = Option<&'e Entity>;

/// A pattern, and in plain words what shall be stored for rows.
struct Model {
    name: &'static str,
    changes: Change,
    /// For a writer who lost a race.
    reconcile: Option<Reconcile>,
    /// Everything that is stored, as table and entity, the rows included.
    stored: fn(&[&Entity]) -> Vec<(&'static str, Entity)>,
    /// The row as it is read for its next change, with its version.
    read: fn(&Store, &Entity) -> Option<Entity>,
    /// The PartitionKeys of rows.
    partitions: [&'static str; 2],
}

type Change = Box<dyn Fn(&Store, State<'_>, State<'_>) -> Result<Changes>>;
type Reconcile = Box<dyn Fn(&Store, &[&Entity], State<'_>) -> Result<Changes>>;

/// Runs one step as an outbox does: reads what is there, does what is left.
fn run(store: &Store, step: &Step) -> Result<()> {
    let table = store.table(step.table())?;
    let left = step.remaining(&table.get_many(step.keys())?)?;
    table.submit_transaction(left).map(|_| ())
}

fn all(store: &Store, lookup: &Lookup) -> Vec<Entity> {
    store.table(lookup.table()).unwrap().query_entities(lookup).unwrap().collect::<Result<_>>().unwrap()
}

fn read_plainly(store: &Store, row: &Entity) -> Option<Entity> {
    let rows = store.table("Rows").unwrap();
    rows.get_many([(row.partition_key(), row.row_key())]).unwrap().remove(0)
}

fn text<'e>(row: &'e Entity, name: &str) -> Option<&'e str> {
    row.get(name).and_then(Value::as_str)
}

fn with_source(mut entity: Entity, row: &Entity) -> Entity {
    entity.insert("SourcePartitionKey", row.partition_key());
    entity.insert("SourceRowKey", row.row_key());
    entity
}

fn moved(row: &Entity, partition_key: &str, row_key: String) -> Entity {
    let mut copy = Entity::new(partition_key, row_key);
    row.properties().for_each(|(name, value)| drop(copy.insert(name, value.clone())));
    copy
}

/// Rows with what `beside` says of each.
fn rows_and(rows: &[&Entity], beside: impl Fn(&Entity) -> Vec<(&'static str, Entity)>) -> Vec<(&'static str, Entity)> {
    rows.iter().flat_map(|row| [vec![("Rows", Entity::clone(row))], beside(row)].concat()).collect()
}

/// Lists of ids by PartitionKey and value, as sets: their order is that of arrival.
fn lists(rows: &[&Entity], table: &'static str, partition: &str, prefix: &str) -> Vec<(&'static str, Entity)> {
    let mut lists = BTreeMap::<(String, String), Vec<&str>>::new();
    for row in rows {
        if let Some(name) = text(row, "LastName") {
            let key = (format!("{partition}{}", row.partition_key()), format!("{prefix}{name}"));
            lists.entry(key).or_default().push(row.row_key());
        }
    }
    let list = |((partition_key, row_key), mut ids): ((String, String), Vec<&str>)| {
        ids.sort_unstable();
        (table, crate::entity! { partition_key, row_key, "Ids" => ids.join(",") })
    };
    lists.into_iter().map(list).collect()
}

fn models() -> Vec<Model> {
    const PLAIN: [&str; 2] = ["Sales", "Ops"];
    macro_rules! with_copies {
        ($name:literal, $pattern:expr, $partitions:expr, $stored:expr) => {{
            let (pattern, same) = ($pattern, $pattern);
            Model {
                name: $name,
                changes: Box::new(move |_, former, new| pattern.changes(former, new)),
                reconcile: Some(Box::new(move |_, seen, current| same.reconcile(seen, current))),
                stored: $stored,
                read: read_plainly,
                partitions: $partitions,
            }
        }};
    }
    macro_rules! keyed {
        ($name:literal, $pattern:expr, $stored:expr) => {{
            let pattern = $pattern;
            Model {
                name: $name,
                changes: Box::new(move |_, former, new| pattern.changes(former, new)),
                reconcile: None,
                stored: $stored,
                read: |store, row| read_plainly(store, &$pattern.row_of(row).unwrap()),
                partitions: PLAIN,
            }
        }};
    }
    let read_lists = |pattern: &IndexEntities, store: &Store, former: State<'_>, new: State<'_>| -> Vec<Entity> {
        pattern.reads(former, new).unwrap().iter().flat_map(|lookup| all(store, lookup)).collect()
    };
    let with_lists = move |name, pattern: IndexEntities, stored| {
        let same = pattern.clone();
        Model {
            name,
            changes: Box::new(move |store, former, new| {
                pattern.changes(former, new, &read_lists(&pattern, store, former, new))
            }),
            reconcile: Some(Box::new(move |store, seen, current| {
                let mut lists: Vec<Entity> = Vec::new();
                for state in seen.iter().map(|row| Some(*row)).chain([None]) {
                    for list in read_lists(&same, store, state, current) {
                        if !lists.contains(&list) {
                            lists.push(list);
                        }
                    }
                }
                same.reconcile(seen, current, &lists)
            })),
            stored,
            read: read_plainly,
            partitions: PLAIN,
        }
    };
    vec![
        with_copies!("copies beside the row", SecondaryIndex::new("Rows", "email_", "Email"), PLAIN, |rows| {
            rows_and(rows, |row| {
                let copy = |email| ("Rows", moved(row, row.partition_key(), format!("email_{email}")));
                text(row, "Email").map(copy).into_iter().collect()
            })
        }),
        with_copies!(
            "copies in other partitions",
            SecondaryIndex::in_partitions("Rows", "id_", "email_", "Email").select(["Email", "N"]),
            ["id_Sales", "id_Ops"],
            |rows| rows_and(rows, |row| {
                let copy = |email: &str| {
                    let mut copy = moved(row, &row.partition_key().replace("id_", "email_"), email.to_owned());
                    ["LastName", "Town", "At", "Id"].iter().for_each(|name| drop(copy.remove(name)));
                    ("Rows", copy)
                };
                text(row, "Email").map(copy).into_iter().collect()
            })
        ),
        with_copies!("copies in a table", SecondaryIndex::in_table("Rows", "Beside", "Email"), PLAIN, |rows| {
            rows_and(rows, |row| {
                let copy = |email: &str| ("Beside", moved(row, row.partition_key(), email.to_owned()));
                text(row, "Email").map(copy).into_iter().collect()
            })
        }),
        with_copies!(
            "entries with the whole row",
            IndexTable::full("Rows", "Beside", ["Town"]).by_both_keys(),
            PLAIN,
            |rows| rows_and(rows, |row| {
                let key = format!("{} !{}", row.partition_key(), row.row_key());
                let entry = |town| ("Beside", with_source(moved(row, town, key), row));
                text(row, "Town").map(entry).into_iter().collect()
            })
        ),
        with_copies!(
            "entries by two properties",
            IndexTable::normalized("Rows", "Beside", ["Town", "LastName"]).by_both_keys(),
            PLAIN,
            |rows| rows_and(rows, |row| {
                let (Some(town), Some(name)) = (text(row, "Town"), text(row, "LastName")) else { return Vec::new() };
                let key = format!("{} !{}", row.partition_key(), row.row_key());
                vec![("Beside", with_source(Entity::new(format!("{town}_{name}"), key), row))]
            })
        ),
        with_copies!("guards beside the row", UniqueGuard::new("Rows", "name_", "LastName"), PLAIN, |rows| {
            rows_and(rows, |row| {
                let guard = |name| Entity::new(row.partition_key(), format!("name_{name}"));
                text(row, "LastName").map(|name| ("Rows", with_source(guard(name), row))).into_iter().collect()
            })
        }),
        with_copies!(
            "guards of a whole table",
            UniqueGuard::new("Rows", "", "LastName").across("Beside", "unique"),
            PLAIN,
            |rows| rows_and(rows, |row| {
                let guard = |name| ("Beside", with_source(Entity::new("unique", name), row));
                text(row, "LastName").map(guard).into_iter().collect()
            })
        ),
        with_copies!("keys without case", FoldedKey::keyed("Rows", "town_", "Town"), PLAIN, |rows| {
            rows_and(rows, |row| {
                let key = |town: &str| format!("town_{}_{}", town.to_lowercase(), row.row_key());
                let copy = |town| ("Rows", moved(row, row.partition_key(), key(town)));
                text(row, "Town").map(copy).into_iter().collect()
            })
        }),
        with_copies!("a property without case", FoldedKey::property("Rows", "Town", "Folded"), PLAIN, |rows| {
            let stored = |row: &&Entity| {
                let mut stored = Entity::clone(row);
                if let Some(town) = text(row, "Town") {
                    stored.insert("Folded", town.to_lowercase());
                }
                ("Rows", stored)
            };
            rows.iter().map(stored).collect()
        }),
        with_lists("lists beside the row", IndexEntities::new("Rows", "name_", ["LastName"]), |rows| {
            [rows_and(rows, |_| Vec::new()), lists(rows, "Rows", "", "name_")].concat()
        }),
        with_lists("lists elsewhere", IndexEntities::new("Rows", "", ["LastName"]).placed("Beside", "by_"), |rows| {
            [rows_and(rows, |_| Vec::new()), lists(rows, "Beside", "by_", "")].concat()
        }),
        {
            let pattern = DistinctList::new("Rows", "town_", "Town");
            Model {
                name: "counts",
                changes: Box::new(move |store, former, new| {
                    let counts = store.table("Rows")?.get_many(pattern.reads(former, new)?)?;
                    pattern.changes(former, new, &counts.into_iter().flatten().collect::<Vec<_>>())
                }),
                reconcile: None,
                stored: |rows| {
                    let mut counts = BTreeMap::<(String, String), i64>::new();
                    for row in rows {
                        if let Some(town) = text(row, "Town") {
                            *counts.entry((row.partition_key().to_owned(), format!("town_{town}"))).or_default() += 1;
                        }
                    }
                    let counts = counts.into_iter();
                    let counts = counts.map(|((pk, rk), count)| ("Rows", crate::entity! { pk, rk, "Count" => count }));
                    rows_and(rows, |_| Vec::new()).into_iter().chain(counts).collect()
                },
                read: read_plainly,
                partitions: PLAIN,
            }
        },
        keyed!("both orders of time", LogTail::new("Rows", "At").id("Id").both_orders(), |rows| {
            let both = |row: &&Entity| {
                let (at, id) = (row["At"].as_datetime().unwrap(), text(row, "Id").unwrap().to_owned());
                let left = 3_155_378_975_999_999_999 - at.ticks();
                let place = |key: String| ("Rows", moved(row, row.partition_key(), key));
                [place(format!("desc_{left:019}_{id}")), place(format!("asc_{:019}_{id}", at.ticks()))]
            };
            rows.iter().flat_map(both).collect()
        }),
        keyed!(
            "keys of several properties",
            CompoundKey::new("Rows", ["Id", "Town", "LastName"]).prefix("k_"),
            |rows| {
                // A name without a town is refused, and is in no row of this model.
                let key = |row: &Entity| {
                    let parts = ["Id", "Town", "LastName"].iter().filter_map(|name| text(row, name));
                    format!("k_{}", parts.collect::<Vec<_>>().join("_"))
                };
                rows.iter().map(|row| ("Rows", moved(row, row.partition_key(), key(row)))).collect()
            }
        ),
        Model {
            name: "wide rows",
            changes: Box::new(|_, former, new| WideEntity::new("Rows").changes(former, new)),
            reconcile: None,
            stored: |rows| {
                let parts = |row: &&Entity| {
                    let mut properties: Vec<_> = row.properties().collect();
                    properties.sort_by_key(|(name, _)| *name);
                    let chunks = properties.chunks(252).enumerate().map(|(number, chunk)| {
                        let mut part =
                            Entity::new(row.partition_key(), format!("~{}~{:02}", row.row_key(), number + 1));
                        chunk.iter().for_each(|(name, value)| drop(part.insert(name, Value::clone(value))));
                        ("Rows", part)
                    });
                    chunks.collect::<Vec<_>>()
                };
                rows.iter().flat_map(parts).collect()
            },
            read: |store, row| {
                let wide = WideEntity::new("Rows");
                wide.join(&all(store, &wide.find(row.partition_key(), row.row_key()))).unwrap()
            },
            partitions: PLAIN,
        },
    ]
}

/// A row in a random state.
fn random_row(random: &mut Random, model: &Model, partition: &str, id: &str) -> Entity {
    let mut row = Entity::new(partition, id);
    row.insert("Id", id);
    row.insert("At", DateTime::from_ticks(639_000_000_000_000_000 + random.below(4) as i64).unwrap());
    row.insert("N", random.below(3) as i32);
    if random.below(4) > 0 {
        // Unique by itself, as the literature has it.
        row.insert("Email", format!("{}{id}@contoso.com", random.pick(&["a", "b", "c"])));
    }
    if random.below(4) > 0 {
        row.insert("Town", random.pick(&["Redmond", "KIRKLAND", "O'Neil"]));
        if random.below(3) > 0 {
            row.insert("LastName", random.pick(&["Smith", "Jones", "Brown", "Müller"]));
        }
    }
    if model.name == "wide rows" {
        let count = random.pick(&[0, 10, 252, 300]);
        (0..count).for_each(|number| drop(row.insert(format!("P{number:03}"), random.below(2) as i32)));
    }
    row
}

fn stored(store: &Store) -> BTreeMap<(String, String, String), String> {
    let mut stored = BTreeMap::new();
    for table in ["Rows", "Beside"] {
        let listed: Vec<Entity> = store.table(table).unwrap().list_entities().unwrap().collect::<Result<_>>().unwrap();
        stored.extend(listed.into_iter().map(|entity| shown(table, &entity)));
    }
    stored
}

/// Keys and properties; a list's ids in order.
fn shown(table: &str, entity: &Entity) -> ((String, String, String), String) {
    let value = |name: &str, value: &Value| match (name, value.as_str()) {
        ("Ids", Some(ids)) => {
            let mut ids: Vec<_> = ids.split(',').collect();
            ids.sort_unstable();
            format!("{ids:?}")
        }
        _ => format!("{value:?}"),
    };
    let mut properties: Vec<_> = entity.properties().map(|(name, it)| format!("{name}: {}", value(name, it))).collect();
    properties.sort();
    let key = (table.to_owned(), entity.partition_key().to_owned(), entity.row_key().to_owned());
    (key, properties.join("; "))
}

/// What one change came to.
#[derive(PartialEq)]
enum End {
    Done,
    Refused,
}

/// Changes a row as an outbox would: steps run twice, stop and begin again.
fn apply(store: &Store, model: &Model, random: &mut Random, former: State<'_>, new: State<'_>) -> End {
    let changes = (model.changes)(store, former, new).unwrap();
    if let (Some(group), 0) = (changes.group(), random.below(2)) {
        // Without looking first.
        let table = store.table(group.table()).unwrap();
        return match table.submit_transaction(group.operations().unwrap()) {
            Ok(_) => {
                run(store, group).unwrap();
                End::Done
            }
            Err(error) => {
                assert_eq!(error.code(), ErrorCode::EntityAlreadyExists, "{}: {error}", model.name);
                End::Refused
            }
        };
    }
    let stop = random.below(changes.steps().len() + 1);
    let again = changes.steps().iter().take(stop).chain(changes.steps());
    for step in again {
        for _ in 0..=random.below(2) {
            if let Err(error) = run(store, step) {
                assert_eq!(error.code(), ErrorCode::EntityAlreadyExists, "{}: {error}", model.name);
                if let Some(reconcile) = &model.reconcile {
                    let seen: Vec<&Entity> = former.iter().chain(&new).copied().collect();
                    let repair = reconcile(store, &seen, former).unwrap();
                    repair.steps().iter().for_each(|step| run(store, step).unwrap());
                }
                return End::Refused;
            }
        }
    }
    End::Done
}

#[test]
fn copies_are_equal_to_rows_through_inserts_changes_deletes_and_retries() {
    for model in models() {
        let store = Store::in_memory().unwrap();
        ["Rows", "Beside"].iter().for_each(|name| drop(store.create_table(name).unwrap()));
        let mut random = Random(11);
        let mut rows = BTreeMap::<(&str, String), Entity>::new();
        let mut refused = 0;
        for number in 0..400 {
            let id = (random.pick(&model.partitions), format!("{:06}", random.below(5)));
            // As the store has it now, with its version.
            let former = rows.get(&id).map(|row| (model.read)(&store, row).expect("the row is there"));
            let new = (former.is_none() || random.below(4) > 0).then(|| random_row(&mut random, &model, id.0, &id.1));
            match (apply(&store, &model, &mut random, former.as_ref(), new.as_ref()), new) {
                (End::Done, Some(new)) => drop(rows.insert(id, new)),
                (End::Done, None) => drop(rows.remove(&id)),
                (End::Refused, _) => refused += 1,
            }
            let expected = (model.stored)(&rows.values().collect::<Vec<_>>());
            let expected: BTreeMap<_, _> = expected.iter().map(|(table, entity)| shown(table, entity)).collect();
            assert_eq!(stored(&store), expected, "{}, change {number}", model.name);
        }
        assert_eq!(refused > 0, model.name.starts_with("guards"), "{}: {refused} refused", model.name);
    }
}

#[test]
fn who_loses_a_race_brings_the_copies_back_to_the_row() {
    for model in models() {
        let Some(reconcile) = &model.reconcile else { continue };
        let store = Store::in_memory().unwrap();
        ["Rows", "Beside"].iter().for_each(|name| drop(store.create_table(name).unwrap()));
        let mut random = Random(5);
        let (mut row, mut lost) = (None::<Entity>, 0);
        for number in 0..200 {
            let former = row.as_ref().map(|row| (model.read)(&store, row).expect("the row is there"));
            let [mine, theirs] = [0, 1].map(|_| {
                (former.is_none() || random.below(4) > 0)
                    .then(|| random_row(&mut random, &model, model.partitions[0], "000001"))
            });
            // Mine stops before some step, theirs goes through, mine goes on.
            let changes = (model.changes)(&store, former.as_ref(), mine.as_ref()).unwrap();
            let stop = random.below(changes.steps().len());
            let (first, rest) = changes.steps().split_at(stop);
            first.iter().for_each(|step| run(&store, step).unwrap());
            let is_row_written =
                first.iter().any(|step| step.table() == "Rows" && step.keys().any(|(_, key)| key == "000001"));
            if !is_row_written {
                let other = (model.changes)(&store, former.as_ref(), theirs.as_ref()).unwrap();
                // A claim of the same value by the same row, or the list that mine has changed: theirs reads again.
                match other.steps().iter().try_for_each(|step| run(&store, step)) {
                    Ok(()) => {}
                    Err(error) => assert_ne!(error.code(), ErrorCode::InvalidInput, "{}: {error}", model.name),
                }
            }
            let end = rest.iter().try_for_each(|step| run(&store, step));
            let now = (model.read)(&store, &Entity::new(model.partitions[0], "000001"));
            if let Err(error) = &end {
                assert_ne!(error.code(), ErrorCode::InvalidInput, "{}: {error}", model.name);
                lost += 1;
            }
            // Both are outboxes with something left; each brings the copies to what the row is now.
            let seen: Vec<&Entity> = former.iter().chain(&mine).chain(&theirs).collect();
            let repair = reconcile(&store, &seen, now.as_ref()).unwrap();
            repair.steps().iter().for_each(|step| run(&store, step).unwrap());
            row = now.map(|now| {
                let mut row = plainly(&now);
                row.remove("Folded");
                row
            });
            let expected = (model.stored)(&row.iter().collect::<Vec<_>>());
            let expected: BTreeMap<_, _> = expected.iter().map(|(table, entity)| shown(table, entity)).collect();
            assert_eq!(stored(&store), expected, "{}, race {number}: {end:?}", model.name);
        }
        assert!(lost > 20, "{}: {lost} lost", model.name);
    }
}

fn plainly(row: &Entity) -> Entity {
    moved(row, row.partition_key(), row.row_key().to_owned())
}

#[test]
fn lists_are_split_and_shrink_again() {
    let store = Store::in_memory().unwrap();
    let rows: Table = store.create_table("Rows").unwrap();
    let pattern = IndexEntities::new("Rows", "name_", ["LastName"]);
    // Long ids, so that a list outgrows a property after some, and the entity after some more.
    let id = |number: usize| format!("{number:04}{}", "x".repeat(1_000));
    let change = |former: State<'_>, new: State<'_>| {
        let lists: Vec<Entity> =
            pattern.reads(former, new).unwrap().iter().flat_map(|lookup| all(&store, lookup)).collect();
        let changes = pattern.changes(former, new, &lists).unwrap();
        rows.submit_transaction(changes.group().unwrap().operations().unwrap()).unwrap();
    };
    let count = 600;
    for number in 0..count {
        change(None, Some(&crate::entity! { "Sales", id(number), "LastName" => "Jones" }));
    }
    let lookup = pattern.find("Sales", ["Jones"]).unwrap();
    let parts = all(&store, &lookup);
    assert_eq!(parts.iter().map(Entity::row_key).collect::<Vec<_>>(), ["name_Jones", "name_Jones~~0002"]);
    assert_eq!(parts[0].properties().len(), 15);
    assert!(parts[0].size_bytes() <= 1_048_576 && parts[0].size_bytes() > 900_000, "{}", parts[0].size_bytes());
    let mut ids = pattern.ids(&parts);
    ids.sort();
    assert_eq!(ids, (0..count).map(id).collect::<Vec<_>>());
    assert_eq!(pattern.value_of(&parts[0]), Some("Jones"));
    assert_eq!(pattern.value_of(&parts[1]), None);
    for number in 0..count {
        let row = rows.get_entity("Sales", &id(number)).unwrap();
        change(Some(&row), None);
    }
    assert_eq!(rows.count("").unwrap(), 0);
}

#[test]
fn counts_are_made_anew_from_the_rows() {
    let store = Store::in_memory().unwrap();
    let rows = store.create_table("Rows").unwrap();
    for (id, town) in [("1", "Redmond"), ("2", "Redmond"), ("3", "Kirkland")] {
        rows.create_entity(crate::entity! { "p", id, "Town" => town }).unwrap();
    }
    rows.create_entity(crate::entity! { "p", "town_Nowhere", "Count" => 4_i64 }).unwrap();
    rows.create_entity(crate::entity! { "p", "town_Redmond", "Count" => 1_i64 }).unwrap();
    let pattern = DistinctList::new("Rows", "town_", "Town");
    let listed = all(&store, &pattern.list("p").unwrap());
    let everything: Vec<Entity> = rows.list_entities().unwrap().collect::<Result<_>>().unwrap();
    let changes = pattern.rebuild("p", &everything, &listed).unwrap();
    changes.steps().iter().for_each(|step| run(&store, step).unwrap());
    let listed = all(&store, &pattern.list("p").unwrap());
    assert_eq!(pattern.counts(&listed).unwrap(), [("Kirkland".to_owned(), 1), ("Redmond".to_owned(), 2)]);
}

#[test]
fn rows_from_before_the_pattern_get_their_copies() {
    let store = Store::in_memory().unwrap();
    let (rows, beside) = (store.create_table("Rows").unwrap(), store.create_table("Beside").unwrap());
    rows.create_entity(crate::entity! { "1", "1", "Town" => "Redmond" }).unwrap();
    let pattern = IndexTable::normalized("Rows", "Beside", ["Town"]);
    let row = rows.get_entity("1", "1").unwrap();
    for _ in 0..2 {
        let changes = pattern.reconcile(&[], Some(&row)).unwrap();
        changes.steps().iter().for_each(|step| run(&store, step).unwrap());
    }
    assert_eq!(pattern.rows(&[beside.get_entity("Redmond", "1").unwrap()]).unwrap(), [("1".into(), "1".into())]);
}

#[test]
fn what_a_lookup_asks_for_is_what_was_written() {
    let store = Store::in_memory().unwrap();
    let rows = store.create_table("Rows").unwrap();
    let tail = LogTail::new("Rows", "At").id("Id");
    let time = |n: i64| DateTime::from_ticks(639_000_000_000_000_000 + n).unwrap();
    for (number, id) in [(1, "a"), (1, "~"), (2, "a"), (3, "0")] {
        let row = crate::entity! { "p", "", "At" => time(number), "Id" => id, "N" => number };
        let changes = tail.changes(None, Some(&row)).unwrap();
        rows.submit_transaction(changes.group().unwrap().operations().unwrap()).unwrap();
    }
    let numbers =
        |lookup: Lookup| -> Vec<i64> { all(&store, &lookup).iter().map(|row| row["N"].as_i64().unwrap()).collect() };
    assert_eq!(numbers(tail.latest("p", 2).unwrap()), [3, 2]);
    assert_eq!(numbers(tail.between("p", time(1), time(2)).unwrap()), [2, 1, 1]);
    assert_eq!(numbers(tail.between("p", time(3), time(9)).unwrap()), [3]);
    let compound = CompoundKey::new("Rows", ["Id", "Year"]);
    for (id, year) in [("7", None), ("7", Some("2011")), ("7", Some("2012")), ("71", Some("2012"))] {
        let mut row = crate::entity! { "c", "", "Id" => id };
        year.map(|year| row.insert("Year", year));
        let changes = compound.changes(None, Some(&row)).unwrap();
        rows.submit_transaction(changes.group().unwrap().operations().unwrap()).unwrap();
    }
    let found =
        |lookup: Lookup| -> Vec<String> { all(&store, &lookup).iter().map(|row| row.row_key().to_owned()).collect() };
    assert_eq!(found(compound.below("c", ["7"]).unwrap()), ["7_2011", "7_2012"]);
    assert_eq!(found(compound.with_below("c", ["7"]).unwrap()), ["7", "7_2011", "7_2012"]);
    assert_eq!(keys::padded(7, 3).unwrap(), "007");
}
