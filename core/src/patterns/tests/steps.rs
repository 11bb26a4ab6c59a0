//! Races and retries: writers stop and begin again between any two steps, while others write the same rows.

use super::*;
use crate::patterns::act::Act;

const IDS: [&str; 2] = ["000000", "000001"];

/// A message of an outbox: what a row was, as it was read, and what it shall be.
struct Message {
    former: Option<Entity>,
    new: Option<Entity>,
    steps: Vec<Step>,
    at: usize,
    /// Whether a step of this pass had something left to do.
    is_dirty: bool,
    passes: usize,
}

struct Race<'m> {
    store: Store,
    model: &'m Model,
    /// What each row is, by whoever had the right to write it last.
    rows: BTreeMap<(&'static str, &'static str), Entity>,
    writers: Vec<Option<((&'static str, &'static str), Message)>>,
    lost: usize,
}

fn is_race(error: &Error) -> bool {
    use ErrorCode::{EntityAlreadyExists, ResourceNotFound, UpdateConditionNotSatisfied};
    matches!(error.code(), EntityAlreadyExists | ResourceNotFound | UpdateConditionNotSatisfied)
}

/// Runs a step, and says whether it had something left to do.
fn went(store: &Store, step: &Step) -> Result<bool> {
    let table = store.table(step.table())?;
    let left = step.remaining(&table.get_many(step.keys())?)?;
    let is_dirty = !left.is_empty();
    table.submit_transaction(left).map(|_| is_dirty)
}

fn content(row: Option<&Entity>) -> Option<String> {
    row.map(|row| {
        // What the pattern adds follows from the rest; the key does, or is the id.
        let mut row = plainly(row);
        row.remove("Folded");
        shown("", &row).1
    })
}

impl Race<'_> {
    /// The row of an id as the store has it, wherever its properties place it.
    fn read(&self, (partition, id): (&str, &str)) -> Option<Entity> {
        match self.is_keyed() {
            true => {
                let all = self.store.table("Rows").unwrap().list_entities().unwrap().collect::<Result<Vec<_>>>();
                let mut all = all.unwrap();
                all.retain(|row| row.partition_key() == partition && text(row, "Id") == Some(id));
                all.retain(|row| !row.row_key().starts_with("asc_"));
                assert!(all.len() <= 1, "{}: {id} is there twice: {all:?}", self.model.name);
                all.pop()
            }
            false => (self.model.read)(&self.store, &Entity::new(partition, id)),
        }
    }

    /// Whether a change may begin while others of the row are on their way.
    fn may_begin(&self, id: (&str, &str)) -> bool {
        let mut others = self.writers.iter().flatten().filter(|(other, _)| *other == id);
        match self.model.name {
            // A claim by another change of the same row looks like one's own, and may be given up by it.
            "guards of a whole table" => others.next().is_none(),
            // Under a key that is made of the properties, an insert that comes again once the row has moved is a second row.
            _ if self.is_keyed() => others.all(|(_, message)| message.former.is_some()),
            _ => true,
        }
    }

    fn is_keyed(&self) -> bool {
        matches!(self.model.name, "both orders of time" | "keys of several properties")
    }

    fn begin(&self, message: &mut Message) {
        let changes = (self.model.changes)(&self.store, message.former.as_ref(), message.new.as_ref()).unwrap();
        (message.steps, message.at, message.is_dirty) = (changes.steps().to_vec(), 0, false);
        message.passes += 1;
    }

    /// One writer goes on by one step, or stops and begins again, or has a new change to make.
    fn go_on(&mut self, random: &mut Random, writer: usize, is_ending: bool) {
        let Some((id, mut message)) = self.writers[writer].take() else {
            let id = (random.pick(&self.model.partitions), random.pick(&IDS));
            if !is_ending && self.may_begin(id) {
                let former = self.read(id);
                let is_kept = former.is_none() || random.below(3) > 0;
                let new = is_kept.then(|| random_row(random, self.model, id.0, id.1));
                let mut message = Message { former, new, steps: Vec::new(), at: 0, is_dirty: false, passes: 0 };
                self.begin(&mut message);
                self.writers[writer] = Some((id, message));
            }
            return;
        };
        if random.below(6) == 0 {
            self.begin(&mut message);
        }
        let Some(step) = message.steps.get(message.at).cloned() else {
            // The message goes once a whole pass has found nothing left to do.
            if message.is_dirty {
                self.begin(&mut message);
                self.writers[writer] = Some((id, message));
            }
            return;
        };
        for _ in 0..=random.below(2) {
            match went(&self.store, &step) {
                Ok(is_dirty) => {
                    if is_dirty && step.acts.iter().any(Act::is_own) {
                        self.was_written(id, &message);
                    }
                    message.is_dirty |= is_dirty;
                }
                Err(error) => {
                    assert!(is_race(&error), "{}: {error}", self.model.name);
                    self.lost += 1;
                    match &self.model.reconcile {
                        Some(reconcile) => self.settle(reconcile, id, &message),
                        // One group is all of it: it is made anew, or given up.
                        None if message.passes < 3 => {
                            self.begin(&mut message);
                            self.writers[writer] = Some((id, message));
                        }
                        None => {}
                    }
                    return;
                }
            }
        }
        message.at += 1;
        self.writers[writer] = Some((id, message));
    }

    /// Nobody's change is lost: the row was, until now, what the writer took it for.
    fn was_written(&mut self, id: (&'static str, &'static str), message: &Message) {
        let was = self.rows.get(&id);
        assert_eq!(content(was), content(message.former.as_ref()), "{}: a change of {id:?} was lost", self.model.name);
        match &message.new {
            Some(new) => drop(self.rows.insert(id, new.clone())),
            None => drop(self.rows.remove(&id)),
        }
    }

    /// Brings the copies to what the row is, until it is the same before and after.
    fn settle(&self, reconcile: &Reconcile, id: (&'static str, &'static str), message: &Message) {
        let mut seen: Vec<Entity> = message.former.iter().chain(&message.new).cloned().collect();
        for _ in 0..10 {
            let now = self.read(id);
            let states: Vec<&Entity> = seen.iter().collect();
            let repair = reconcile(&self.store, &states, now.as_ref()).unwrap();
            let end = repair.steps().iter().try_for_each(|step| went(&self.store, step).map(drop));
            if end.is_ok() && self.read(id).and_then(|row| row.etag()) == now.as_ref().and_then(Entity::etag) {
                return;
            }
            seen.extend(now);
        }
        panic!("{}: no end of it", self.model.name);
    }
}

#[test]
fn copies_are_equal_to_rows_after_races_crashes_and_replays() {
    let mut all = models();
    all.push(joined());
    for model in &all {
        let mut lost = 0;
        for seed in 1..=8 {
            let mut random = Random(seed);
            let store = Store::in_memory().unwrap();
            ["Rows", "Beside"].iter().for_each(|name| drop(store.create_table(name).unwrap()));
            let writers = (0..3).map(|_| None).collect();
            let mut race = Race { store, model, rows: BTreeMap::new(), writers, lost: 0 };
            for _ in 0..6 {
                for _ in 0..60 {
                    let writer = random.below(3);
                    race.go_on(&mut random, writer, false);
                }
                while race.writers.iter().any(Option::is_some) {
                    let writer = random.below(3);
                    race.go_on(&mut random, writer, true);
                }
                let rows: Vec<Entity> = race.rows.values().cloned().collect();
                let expected = (model.stored)(&rows.iter().collect::<Vec<_>>());
                let expected: BTreeMap<_, _> = expected.iter().map(|(table, entity)| shown(table, entity)).collect();
                assert_eq!(stored(&race.store), expected, "{}, seed {seed}", model.name);
            }
            lost += race.lost;
        }
        assert!(lost > 30, "{}: {lost} lost", model.name);
    }
}

/// Four patterns on one row.
fn joined() -> Model {
    let by_email = || SecondaryIndex::in_table("Rows", "Beside", "Email");
    let by_town = || IndexTable::normalized("Rows", "Beside", ["Town"]).by_both_keys();
    let by_name = || FoldedKey::keyed("Rows", "name_", "LastName");
    let counts = || DistinctList::new("Rows", "town_", "Town").row_prefix("0");
    Model {
        name: "four patterns on one row",
        changes: Box::new(move |store, former, new| {
            let read = store.table("Rows")?.get_many(counts().reads(former, new)?)?;
            let counted = counts().changes(former, new, &read.into_iter().flatten().collect::<Vec<_>>())?;
            let copies = by_email().changes(former, new)?.join(by_town().changes(former, new)?)?;
            copies.join(by_name().changes(former, new)?)?.join(counted)
        }),
        reconcile: Some(Box::new(move |_, seen, current| {
            let copies = by_email().reconcile(seen, current)?.join(by_town().reconcile(seen, current)?)?;
            copies.join(by_name().reconcile(seen, current)?)
        })),
        stored: |rows| {
            let mut counts = BTreeMap::<(String, String), i64>::new();
            let mut all = rows_and(rows, |row| {
                let pk = row.partition_key();
                let copy = |email: &str| ("Beside", moved(row, pk, email.to_owned()));
                let entry =
                    |town: &str| ("Beside", with_source(Entity::new(town, format!("{pk} !{}", row.row_key())), row));
                let folded =
                    |name: &str| ("Rows", moved(row, pk, format!("name_{}_{}", name.to_lowercase(), row.row_key())));
                let email = text(row, "Email").map(copy);
                email.into_iter().chain(text(row, "Town").map(entry)).chain(text(row, "LastName").map(folded)).collect()
            });
            for row in rows {
                if let Some(town) = text(row, "Town") {
                    *counts.entry((row.partition_key().to_owned(), format!("town_{town}"))).or_default() += 1;
                }
            }
            all.extend(counts.into_iter().map(|((pk, rk), n)| ("Rows", crate::entity! { pk, rk, "Count" => n })));
            all
        },
        read: read_plainly,
        partitions: ["Sales", "Ops"],
    }
}

/// What a writer comes to who made a change of `former`, after another has written `theirs`.
fn late(name: &str, former: &Entity, mine: State<'_>, theirs: State<'_>) -> (ErrorCode, Vec<String>) {
    let model = models().into_iter().find(|model| model.name == name).unwrap();
    let store = Store::in_memory().unwrap();
    ["Rows", "Beside"].iter().for_each(|name| drop(store.create_table(name).unwrap()));
    let run_all = |former: State<'_>, new: State<'_>| {
        let changes = (model.changes)(&store, former, new).unwrap();
        changes.steps().iter().try_for_each(|step| run(&store, step))
    };
    run_all(None, Some(former)).unwrap();
    let former = (model.read)(&store, former).unwrap();
    run_all(Some(&former), theirs).unwrap();
    // With the version that was read, and without: then what was read is compared.
    let codes = [former.clone(), plainly(&former)].map(|former| run_all(Some(&former), mine).unwrap_err().code());
    assert_eq!(codes[0], codes[1], "{name}");
    let keys = store.table("Rows").unwrap().list_entities().unwrap().map(|row| row.unwrap().row_key().to_owned());
    (codes[0], keys.collect())
}

#[test]
fn who_is_late_writes_nothing() {
    use ErrorCode::{ResourceNotFound, UpdateConditionNotSatisfied};
    let at = |ticks: i64| DateTime::from_ticks(ticks).unwrap();
    let row = |time: i64, town: &str| {
        crate::entity! { "Sales", "7", "Id" => "7", "At" => at(time), "Town" => town, "Email" => town, "N" => 1 }
    };
    let mut other = row(1_000_000_000_000_000_000, "Rome");
    other.insert("N", 2);
    let (first, second, third) = (
        row(1_000_000_000_000_000_000, "Rome"),
        row(2_000_000_000_000_000_000, "Oslo"),
        row(3_000_000_000_000_000_000, "Bonn"),
    );
    let check = |name: &str, mine: State<'_>, theirs: State<'_>, code, keys: &[&str]| {
        assert_eq!(
            late(name, &first, mine, theirs),
            (code, keys.iter().map(|key| (*key).to_owned()).collect()),
            "{name}"
        );
    };
    let moved = ["asc_2000000000000000000_7", "desc_1155378975999999999_7"];
    check("both orders of time", Some(&third), Some(&second), ResourceNotFound, &moved);
    check("both orders of time", Some(&third), None, ResourceNotFound, &[]);
    check("keys of several properties", Some(&third), Some(&second), ResourceNotFound, &["k_7_Oslo"]);
    check("keys of several properties", Some(&third), None, ResourceNotFound, &[]);
    check("keys of several properties", Some(&third), Some(&other), UpdateConditionNotSatisfied, &["k_7_Rome"]);
    check("copies beside the row", Some(&third), Some(&second), UpdateConditionNotSatisfied, &["7", "email_Oslo"]);
    check("copies beside the row", Some(&third), None, ResourceNotFound, &[]);
    check("copies beside the row", None, Some(&second), UpdateConditionNotSatisfied, &["7", "email_Oslo"]);
    check("a property without case", Some(&third), Some(&second), UpdateConditionNotSatisfied, &["7"]);
    check("counts", Some(&third), Some(&second), UpdateConditionNotSatisfied, &["7", "town_Oslo"]);
}

#[test]
fn a_wide_row_whose_later_part_has_changed_is_not_overwritten() {
    let store = Store::in_memory().unwrap();
    store.create_table("Rows").unwrap();
    let wide = WideEntity::new("Rows");
    let row = |last: i32| {
        let mut row = Entity::new("p", "r");
        (0..300).for_each(|number| drop(row.insert(format!("P{number:03}"), number)));
        row.insert("P299", last);
        row
    };
    let read = || wide.join(&all(&store, &wide.find("p", "r"))).unwrap().unwrap();
    run(&store, &wide.changes(None, Some(&row(0))).unwrap().steps()[0]).unwrap();
    let former = read();
    let (mine, theirs) = (row(1), row(2));
    let [mine, theirs] = [&mine, &theirs].map(|new| wide.changes(Some(&former), Some(new)).unwrap().steps()[0].clone());
    run(&store, &theirs).unwrap();
    run(&store, &theirs).unwrap();
    assert_eq!(run(&store, &mine).unwrap_err().code(), ErrorCode::UpdateConditionNotSatisfied);
    let unversioned = wide.changes(Some(&row(0)), Some(&row(1))).unwrap();
    assert_eq!(run(&store, &unversioned.steps()[0]).unwrap_err().code(), ErrorCode::UpdateConditionNotSatisfied);
    assert_eq!(read()["P299"], 2);
}

#[test]
fn a_former_state_without_a_version_is_compared_with_what_is_there() {
    let store = Store::in_memory().unwrap();
    let rows = store.create_table("Rows").unwrap();
    let pattern = SecondaryIndex::new("Rows", "email_", "Email");
    let state = |n: i32| crate::entity! { "p", "1", "Email" => "a", "N" => n };
    let step = |former: State<'_>, new: State<'_>| pattern.changes(former, new).unwrap().steps()[0].clone();
    run(&store, &step(None, Some(&state(0)))).unwrap();
    let change = step(Some(&state(0)), Some(&state(1)));
    run(&store, &change).unwrap();
    run(&store, &change).unwrap();
    run(&store, &step(Some(&state(1)), Some(&state(2)))).unwrap();
    for late in [change, step(Some(&state(1)), None)] {
        let error = run(&store, &late).unwrap_err();
        assert_eq!(error.code(), ErrorCode::UpdateConditionNotSatisfied);
        assert_eq!((error.details().table.as_deref(), error.details().row_key.as_deref()), (Some("Rows"), Some("1")));
    }
    assert_eq!(rows.get_entity("p", "1").unwrap()["N"], 2);
}

#[test]
fn a_timestamp_among_the_properties_does_not_make_a_step_undone() {
    let store = Store::in_memory().unwrap();
    store.create_table("Rows").unwrap();
    let row = crate::entity! { "p", "1", "Email" => "a", "Timestamp" => "2001" };
    let changes = SecondaryIndex::new("Rows", "email_", "Email").changes(None, Some(&row)).unwrap();
    assert!(went(&store, &changes.steps()[0]).unwrap());
    assert!(!went(&store, &changes.steps()[0]).unwrap());
}

#[test]
fn a_copy_that_is_another_rows_by_now_stays() {
    let placed = |partition: &'static str, pattern: SecondaryIndex| (partition, pattern);
    for (partition, pattern) in [
        placed("Sales", SecondaryIndex::new("Rows", "email_", "Email")),
        placed("Sales", SecondaryIndex::in_table("Rows", "Beside", "Email")),
        placed("id_Sales", SecondaryIndex::in_partitions("Rows", "id_", "email_", "Email")),
    ] {
        let store = Store::in_memory().unwrap();
        ["Rows", "Beside"].iter().for_each(|name| drop(store.create_table(name).unwrap()));
        let row = |id: &str, email: &str| crate::entity! { partition, id, "Email" => email, "Id" => id };
        let steps = |former: State<'_>, new: State<'_>| pattern.changes(former, new).unwrap().steps().to_vec();
        let run_all = |steps: &[Step]| steps.iter().for_each(|step| run(&store, step).unwrap());
        run_all(&steps(None, Some(&row("1", "jones"))));
        let change = steps(Some(&row("1", "jones")), Some(&row("1", "smith")));
        // The row is written; its former copy is, or will be, removed. Another row takes the value.
        let is_written = |step: &Step| step.acts.iter().any(Act::is_own);
        let written = change.iter().position(is_written).unwrap() + 1;
        run_all(&change[..written]);
        run_all(&steps(None, Some(&row("2", "jones"))));
        let holder = || {
            let lookup = pattern.find(partition, "jones").unwrap();
            all(&store, &lookup).iter().map(|copy| text(copy, "Id").unwrap().to_owned()).collect::<Vec<_>>()
        };
        run_all(&change[written..]);
        assert_eq!(holder(), ["2"], "{pattern:?}");
        if change.len() == 1 {
            run(&store, &change[0]).unwrap();
        }
        let seen = row("1", "jones");
        run_all(pattern.reconcile(&[&seen], Some(&row("1", "smith"))).unwrap().steps());
        run_all(pattern.reconcile(&[&seen], None).unwrap().steps());
        assert_eq!(holder(), ["2"], "{pattern:?}");
    }
}

#[test]
fn copies_of_every_state_seen_are_removed_whichever_is_there() {
    let store = Store::in_memory().unwrap();
    let beside = store.create_table("Beside").unwrap();
    let pattern = SecondaryIndex::in_table("Rows", "Beside", "Email");
    let states = [1, 2].map(|n| crate::entity! { "p", "1", "Email" => "jones", "N" => n });
    for state in &states {
        beside.create_entity(moved(state, "p", "jones".to_owned())).unwrap();
        let changes = pattern.reconcile(&states.iter().collect::<Vec<_>>(), None).unwrap();
        changes.steps().iter().for_each(|step| run(&store, step).unwrap());
        assert!(!beside.exists("p", "jones").unwrap());
    }
    // An entry that says whose it is goes whatever else it holds.
    let by_town = IndexTable::full("Rows", "Beside", ["Town"]);
    let seen = crate::entity! { "p", "1", "Town" => "Rome", "N" => 1 };
    for (source, is_left) in [("p", false), ("q", true)] {
        beside
            .create_entity(crate::entity! { "Rome", "1", "SourcePartitionKey" => source, "SourceRowKey" => "1" })
            .unwrap();
        by_town.reconcile(&[&seen], None).unwrap().steps().iter().for_each(|step| run(&store, step).unwrap());
        assert_eq!(beside.exists("Rome", "1").unwrap(), is_left);
    }
}

#[test]
fn a_row_is_counted_once() {
    let store = Store::in_memory().unwrap();
    let rows = store.create_table("Rows").unwrap();
    let pattern = DistinctList::new("Rows", "town_", "Town");
    let row = |id: &str, town: &str| crate::entity! { "p", id, "Town" => town };
    let step = |former: State<'_>, new: State<'_>| {
        let counts = rows.get_many(pattern.reads(former, new).unwrap()).unwrap();
        let counts: Vec<Entity> = counts.into_iter().flatten().collect();
        pattern.changes(former, new, &counts).unwrap().steps()[0].clone()
    };
    let counts = || pattern.counts(&all(&store, &pattern.list("p").unwrap())).unwrap();
    let first = step(None, Some(&row("1", "Rome")));
    run(&store, &first).unwrap();
    run(&store, &first).unwrap();
    // From the outbox, with the counts of now; and after another has counted, with the counts of then.
    run(&store, &step(None, Some(&row("1", "Rome")))).unwrap();
    assert_eq!(counts(), [("Rome".to_owned(), 1)]);
    run(&store, &step(None, Some(&row("2", "Rome")))).unwrap();
    run(&store, &first).unwrap();
    assert_eq!(counts(), [("Rome".to_owned(), 2)]);
    // Who is late with a count reads again.
    let late = step(None, Some(&row("3", "Rome")));
    run(&store, &step(None, Some(&row("4", "Rome")))).unwrap();
    assert_eq!(run(&store, &late).unwrap_err().code(), ErrorCode::UpdateConditionNotSatisfied);
    run(&store, &step(None, Some(&row("3", "Rome")))).unwrap();
    assert_eq!(counts(), [("Rome".to_owned(), 4)]);
    // Moves and removals, each made anew by whoever stopped.
    let former = rows.get_entity("p", "1").unwrap();
    for _ in 0..2 {
        run(&store, &step(Some(&former), Some(&row("1", "Oslo")))).unwrap();
        assert_eq!(counts(), [("Oslo".to_owned(), 1), ("Rome".to_owned(), 3)]);
    }
    let former = rows.get_entity("p", "1").unwrap();
    for _ in 0..2 {
        run(&store, &step(Some(&former), None)).unwrap();
        assert_eq!(counts(), [("Rome".to_owned(), 3)]);
    }
}

#[test]
fn only_rows_are_counted_anew_and_only_counts_are_removed() {
    let store = Store::in_memory().unwrap();
    let rows = store.create_table("Rows").unwrap();
    for key in ["empid_1", "empid_2", "email_a", "email_b"] {
        rows.create_entity(crate::entity! { "p", key, "City" => "Rome" }).unwrap();
    }
    rows.create_entity(crate::entity! { "p", "City_Oslo", "Count" => "no number" }).unwrap();
    let pattern = DistinctList::new("Rows", "City_", "City").row_prefix("empid_");
    let listed = || all(&store, &pattern.list("p").unwrap());
    let everything: Vec<Entity> = rows.list_entities().unwrap().collect::<Result<_>>().unwrap();
    let changes = pattern.rebuild("p", &everything, &listed()).unwrap();
    for _ in 0..2 {
        changes.steps().iter().for_each(|step| run(&store, step).unwrap());
    }
    assert_eq!(pattern.counts(&listed()).unwrap(), [("Rome".to_owned(), 2)]);
    let refused = |result: Result<Changes>| assert_eq!(result.unwrap_err().code(), ErrorCode::InvalidInput);
    refused(pattern.rebuild("p", &everything, &everything));
    refused(pattern.changes(None, Some(&crate::entity! { "p", "email_c", "City" => "Rome" }), &[]));
    refused(DistinctList::new("Rows", "", "City").rebuild("p", &everything, &everything));
}

#[test]
fn joined_changes_are_one_list_of_steps_or_an_error() {
    let state = |email: &str, n: i32| crate::entity! { "p", "1", "Email" => email, "Name" => "Jones", "N" => n };
    let (former, new) = (state("a", 1), state("b", 2));
    let in_table = SecondaryIndex::in_table("Rows", "Copies", "Email");
    let beside = SecondaryIndex::new("Rows", "email_", "Email");
    let by_name = IndexTable::full("Rows", "Copies", ["Name"]);
    let unique = UniqueGuard::new("Rows", "", "Email").across("Guards", "Email");
    let of = |changes: Result<Changes>| changes.unwrap();
    let both = |a: Result<Changes>, b: Result<Changes>| a.unwrap().join(b.unwrap());
    let shown = |changes: &Changes| -> Vec<String> {
        let keys = |step: &Step| step.keys().map(|(pk, rk)| format!("{pk}|{rk}")).collect::<Vec<_>>().join(" ");
        changes.steps().iter().map(|step| format!("{}: {}", step.table(), keys(step))).collect()
    };
    let states = (Some(&former), Some(&new));
    let all = of(both(in_table.changes(states.0, states.1), beside.changes(states.0, states.1)));
    let all = of(all.join(of(unique.changes(states.0, states.1))));
    let all = of(all.join(of(by_name.changes(states.0, states.1))));
    let expected = [
        "Guards: Email|b",
        "Copies: p|b",
        "Copies: Jones|1",
        "Rows: p|1 p|email_b p|email_a",
        "Copies: p|a",
        "Guards: Email|a",
    ];
    assert_eq!(shown(&all), expected);
    // The same twice is the same; nothing changes nothing.
    assert_eq!(of(all.clone().join(all.clone())), all);
    assert_eq!(of(all.clone().join(Changes::default())), all);
    assert_eq!(of(Changes::default().join(all.clone())), all);
    let refused = |result: Result<Changes>, key: &str| {
        let error = result.unwrap_err();
        assert_eq!((error.code(), error.details().row_key.as_deref()), (ErrorCode::InvalidInput, Some(key)), "{error}");
    };
    // One key, and two who would keep something there.
    let less = SecondaryIndex::in_table("Rows", "Copies", "Email").select(["N"]);
    refused(both(in_table.changes(states.0, states.1), less.changes(states.0, states.1)), "b");
    refused(both(in_table.changes(Some(&former), None), less.changes(None, Some(&state("a", 1)))), "a");
    refused(both(in_table.changes(Some(&former), None), less.changes(None, Some(&state("c", 1)))), "1");
    // One row, and two who would write it otherwise.
    let folded = FoldedKey::property("Rows", "Name", "Folded");
    refused(both(in_table.changes(states.0, states.1), folded.changes(states.0, states.1)), "1");
    let stored = folded.row_of(&new).unwrap();
    let former = folded.row_of(&former).unwrap();
    let states = (Some(&former), Some(&stored));
    assert_eq!(of(both(folded.changes(states.0, states.1), beside.changes(states.0, states.1))).steps().len(), 1);
    let elsewhere = SecondaryIndex::new("Others", "email_", "Email");
    refused(both(beside.changes(states.0, states.1), elsewhere.changes(states.0, states.1)), "1");
}

#[test]
fn joined_changes_fit_a_group_or_are_refused() {
    let value = "x".repeat(30_000);
    let mut row = Entity::new("p", "1");
    (0..17).for_each(|number| drop(row.insert(format!("P{number:02}"), value.as_str())));
    row.insert("Email", "a");
    let mut joined = Changes::default();
    let mut refused = None;
    for number in 0..10 {
        let pattern = SecondaryIndex::new("Rows", format!("copy{number}_"), "Email");
        match joined.clone().join(pattern.changes(None, Some(&row)).unwrap()) {
            Ok(changes) => joined = changes,
            Err(error) => refused = refused.or(Some((number, error.code()))),
        }
    }
    assert_eq!(refused, Some((3, ErrorCode::RequestBodyTooLarge)));
}
