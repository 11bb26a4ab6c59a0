//! Random operations on a store and on a plain model of it, which shares no code with it: both must always agree.
//!
//! `ENTABLE_SEED` runs one seed; `ENTABLE_LONG=1` runs a million operations.

#[path = "model/filter.rs"]
mod filter;
#[path = "model/random.rs"]
mod random;
#[path = "model/value.rs"]
mod value;
#[path = "model/world.rs"]
mod world;

use entable::{Entity, Error, ErrorCode, Mode, Operation, Options, Query, Snapshot, Store, UpdateMode, Written};
use filter::{Maker, NAMES, Tree};
use random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use world::{Condition, Failure, Key, Row, Verb, World, Write, key};

/// Spellings of three names.
const TABLES: [&str; 5] = ["Orders", "orders", "Films", "FILMS", "Zip0"];

#[test]
fn the_store_does_what_a_plain_model_does() {
    let is_long = std::env::var("ENTABLE_LONG").is_ok_and(|long| long == "1");
    let (seeds, operations) = if is_long { (8, 125_000) } else { (4, 5_000) };
    let seeds = match std::env::var("ENTABLE_SEED") {
        Ok(seed) => vec![seed.parse().expect("ENTABLE_SEED is a number")],
        Err(_) => (1..=seeds).collect::<Vec<u64>>(),
    };
    let mut tally = Tally::default();
    for seed in seeds {
        let mode = [Mode::Portable, Mode::Extended, Mode::Portable, Mode::Strict][(seed % 4) as usize];
        println!("seed {seed}: {operations} operations, {mode:?}");
        let mut run = Run::new(seed, mode);
        for _ in 0..operations {
            run.step();
        }
        run.reopen();
        run.compare_all();
        tally.add(std::mem::take(&mut run.tally));
    }
    println!("{}", tally.text());
    tally.check();
}

/// What was done, so that a run that tries nothing is seen.
#[derive(Default)]
struct Tally {
    counts: BTreeMap<String, usize>,
}

impl Tally {
    fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    fn add(&mut self, other: Tally) {
        for (what, count) in other.counts {
            *self.counts.entry(what).or_default() += count;
        }
    }

    /// A line for each kind of operation.
    fn text(&self) -> String {
        let (some, filters) = (self.of("filter: some rows"), self.of("filter: "));
        let lines = self.counts.iter().map(|(what, count)| format!("{count:>8} {what}\n"));
        lines.collect::<String>() + &format!("{some} of {filters} filters took some rows and refused some")
    }

    fn of(&self, prefix: &str) -> usize {
        self.counts.iter().filter(|(what, _)| what.starts_with(prefix)).map(|(_, count)| count).sum()
    }

    fn check(&self) {
        let (some, filters) = (self.of("filter: some rows"), self.of("filter: "));
        assert!(some * 5 >= filters, "{some} of {filters} filters take some rows and not all");
        for outcome in ["single: ok", "group: ok", "batch: ok", "page: first", "page: later"] {
            assert!(self.of(outcome) > 50, "{outcome}: {}", self.of(outcome));
        }
        for failure in [
            "single: EntityAlreadyExists",
            "single: ResourceNotFound",
            "single: UpdateConditionNotSatisfied",
            "single: TableNotFound",
            "group: InvalidDuplicateRow",
            "group: CommandsInBatchActOnDifferentPartitions",
            "group: EntityAlreadyExists",
            "batch: ResourceNotFound",
            "table: made",
            "table: dropped",
            "page: of a table made again",
            "page: after reopening",
            "snapshot: read",
            "delete by filter: some rows",
        ] {
            assert!(self.of(failure) > 0, "{failure} was never tried");
        }
    }
}

/// A query that is read page by page, with other operations in between.
struct Paging {
    table: String,
    generation: u64,
    tree: Option<Tree>,
    mode: Mode,
    page_size: usize,
    is_descending: bool,
    /// As text: so it would be kept by a program.
    token: Option<String>,
    /// The last row that came.
    last: Option<Key>,
    /// Rows that were written since the last page: they may come or not.
    changed: BTreeSet<Key>,
    is_reopened: bool,
}

struct Run {
    random: Random,
    mode: Mode,
    path: PathBuf,
    store: Store,
    world: Rc<World>,
    snapshot: Option<(Snapshot, Rc<World>)>,
    pagings: Vec<Paging>,
    partition_keys: Vec<String>,
    row_keys: Vec<String>,
    /// The last Timestamps that the store gave.
    times: Vec<i64>,
    tally: Tally,
    operations: usize,
    /// What was done last, for the message of a failure.
    history: Vec<String>,
    _folder: tempfile::TempDir,
}

impl Drop for Run {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let from = self.history.len().saturating_sub(5);
            eprintln!("in operation {}; the last were:\n{}", self.operations, self.history[from..].join("\n"));
        }
    }
}

fn open(path: &PathBuf, mode: Mode) -> Store {
    Store::open_with(path, &Options::new().mode(mode)).expect("the store opens")
}

impl Run {
    fn new(seed: u64, mode: Mode) -> Run {
        // Durability is the matter of other tests: in memory, where the system has a folder there.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder");
        let path = folder.path().join("store.ent");
        // Together the longest are beyond the keys that LMDB takes; in order they lie amidst the others.
        let long = if mode == Mode::Extended { 4_000 } else { 1_020 };
        let long_keys = [format!("k{}", "x".repeat(long)), format!("k{}\u{e000}", "x".repeat(long)), "é".repeat(long)];
        let partition_keys = ["", "A", "a", "ab", "\u{ffff}", "😀"].map(str::to_owned);
        let row_keys = (0..14).map(|number| number.to_string());
        let row_keys = row_keys.chain(["", "a", "o'x", "\u{e000}", "😀", "k"].map(str::to_owned));
        Run {
            random: Random::new(seed),
            mode,
            store: open(&path, mode),
            path,
            world: Rc::default(),
            snapshot: None,
            pagings: Vec::new(),
            partition_keys: partition_keys.into_iter().chain([long_keys[0].clone()]).collect(),
            row_keys: row_keys.chain(long_keys).collect(),
            times: vec![504_911_232_000_000_000],
            tally: Tally::default(),
            operations: 0,
            history: Vec::new(),
            _folder: folder,
        }
    }

    fn step(&mut self) {
        self.operations += 1;
        match self.random.below(1_000) {
            0..=379 => self.single(),
            380..=479 => self.group(),
            480..=529 => self.batch(),
            530..=599 => self.point_reads(),
            600..=819 => self.query(),
            820..=889 => self.first_page(),
            890..=949 => self.later_page(),
            950..=955 => self.delete_by_filter(),
            956..=971 => self.create_table(),
            972 | 973 => self.delete_table(),
            974..=987 => self.list_tables(),
            988..=991 => self.take_snapshot(),
            992..=996 => self.compare_all(),
            _ => self.reopen(),
        }
    }

    fn note(&mut self, what: String) {
        if self.history.len() > 100 {
            self.history.drain(..90);
        }
        let cut = what.chars().take(1_500).collect();
        self.history.push(cut);
    }

    fn table_name(&mut self) -> String {
        self.random.pick(&TABLES).to_owned()
    }

    // Writes

    fn write(&mut self, table: &str, partition_key: String) -> Write {
        let verb = match self.random.below(20) {
            0..=6 => Verb::Create,
            7 | 8 => Verb::Update(UpdateMode::Merge),
            9 | 10 => Verb::Update(UpdateMode::Replace),
            11..=13 => Verb::Upsert(UpdateMode::Merge),
            14 | 15 => Verb::Upsert(UpdateMode::Replace),
            _ => Verb::Delete,
        };
        let row_key = match verb {
            Verb::Update(_) | Verb::Delete if self.random.percent(60) => self.present(table, &partition_key),
            _ => self.random.pick(&self.row_keys),
        };
        let mut properties = BTreeMap::new();
        if verb != Verb::Delete {
            for _ in 0..self.random.below(6) {
                let name = self.random.pick(&NAMES[..NAMES.len() - 1]);
                properties.insert(name.to_owned(), value::value(&mut self.random));
            }
        }
        let known = self.world.table(table).ok().and_then(|table| table.rows.get(&key(&partition_key, &row_key)));
        let version = match known {
            Some(row) if self.random.percent(70) => row.timestamp,
            _ => self.random.pick(&self.times),
        };
        let condition = match (verb, self.random.below(10)) {
            (Verb::Create, _) | (_, 0..=4) => Condition::None,
            (_, 5) => Condition::Any,
            (Verb::Upsert(_), 6) => Condition::Absent,
            _ => Condition::Version(version),
        };
        Write { verb, partition_key, row_key, properties, condition }
    }

    /// The RowKey of a row that is there; any, if there is none.
    fn present(&mut self, table: &str, partition_key: &str) -> String {
        let rows = self.world.table(table).ok().map(|table| table.rows.values());
        let keys = rows.into_iter().flatten().filter(|row| row.partition_key == partition_key).map(|row| &row.row_key);
        let keys: Vec<_> = keys.collect();
        if keys.is_empty() { self.random.pick(&self.row_keys) } else { self.random.pick(&keys).clone() }
    }

    fn single(&mut self) {
        let table = self.table_name();
        let partition_key = self.random.pick(&self.partition_keys);
        let write = self.write(&table, partition_key);
        self.note(format!("{table}: {write:?}"));
        let outcome = call(&self.store, &table, &write).map(|written| vec![written]);
        self.check_writes("single", vec![(table, write)], None, outcome);
    }

    fn group(&mut self) {
        let table = self.table_name();
        let partition_key = self.random.pick(&self.partition_keys);
        let count = self.random.below(9);
        let mut writes: Vec<(String, Write)> = Vec::new();
        for _ in 0..count {
            let other = self.random.percent(1).then(|| self.random.pick(&self.partition_keys));
            let write = self.write(&table, other.unwrap_or(partition_key.clone()));
            // Groups that fail for a row that comes twice are to be some, not most.
            if writes.iter().all(|(_, known)| known.row_key != write.row_key) || self.random.percent(5) {
                writes.push((table.clone(), write));
            }
        }
        self.note(format!("group on {table}: {writes:?}"));
        let operations: Vec<_> = writes.iter().map(|(_, write)| operation(write)).collect();
        let outcome = self.store.table(&table).expect("a name").submit_transaction(operations);
        let refused = refused_group(&writes);
        self.check_writes("group", writes, refused, outcome);
    }

    fn batch(&mut self) {
        let count = self.random.below(7);
        let writes: Vec<(String, Write)> = (0..count)
            .map(|_| {
                let table = self.table_name();
                let partition_key = self.random.pick(&self.partition_keys);
                let mut write = self.write(&table, partition_key);
                // Most batches are to succeed.
                if matches!(write.verb, Verb::Create | Verb::Update(_)) && self.random.percent(70) {
                    write.verb = Verb::Upsert(UpdateMode::Merge);
                    write.condition = Condition::None;
                }
                (table, write)
            })
            .collect();
        self.note(format!("batch: {writes:?}"));
        let tables: Vec<_> = writes.iter().map(|(table, _)| self.store.table(table).expect("a name")).collect();
        let operations = tables.iter().zip(&writes).map(|(table, (_, write))| (table, operation(write)));
        let outcome = self.store.submit_batch(operations.collect::<Vec<_>>());
        self.check_writes("batch", writes, None, outcome);
    }

    /// Does the writes in the model, and compares the outcomes.
    fn check_writes(
        &mut self,
        what: &str,
        writes: Vec<(String, Write)>,
        refused: Option<Failure>,
        outcome: Result<Vec<Option<Written>>, Error>,
    ) {
        let expected = match refused {
            Some(failure) => Err(failure),
            None => Rc::make_mut(&mut self.world).apply(&writes),
        };
        // A group is about one table: that there is none is no operation's fault.
        let has_index = |code| what != "single" && !(what == "group" && code == ErrorCode::TableNotFound);
        let expected = expected.map_err(|(code, index)| (code, index.filter(|_| has_index(code))));
        let written = match (expected, outcome) {
            (Ok(()), Ok(written)) => written,
            (Err(failure), Err(error)) => {
                assert_eq!((error.code(), error.details().index), failure, "{what}: {error:?}");
                self.tally.count(format!("{what}: {}", error.code().name()));
                return;
            }
            (expected, outcome) => panic!("{what}: {outcome:?}, the model says {expected:?}"),
        };
        self.tally.count(format!("{what}: ok"));
        assert_eq!(written.len(), writes.len());
        for ((table, write), written) in writes.iter().zip(written) {
            for paging in self.pagings.iter_mut().filter(|paging| paging.table.eq_ignore_ascii_case(table)) {
                paging.changed.insert(key(&write.partition_key, &write.row_key));
            }
            let Some(written) = written else {
                assert_eq!(write.verb, Verb::Delete);
                continue;
            };
            let timestamp = written.timestamp().ticks();
            assert!(self.times.last() < Some(&timestamp), "Timestamps rise: {timestamp} after {:?}", self.times.last());
            self.times.push(timestamp);
            if self.times.len() > 40 {
                self.times.drain(..20);
            }
            Rc::make_mut(&mut self.world).stamp(table, write, timestamp);
        }
    }

    // Reads

    fn point_reads(&mut self) {
        let name = self.table_name();
        let (store, world, what) = self.moment(&name);
        let table = store.expect("a handle");
        let keys: Vec<_> = (0..1 + self.random.below(4))
            .map(|_| (self.random.pick(&self.partition_keys), self.random.pick(&self.row_keys)))
            .collect();
        self.note(format!("{what} point reads of {keys:?} in {name}"));
        self.tally.count(format!("{what}: read"));
        let many = table.get_many(keys.iter().map(|(partition_key, row_key)| (partition_key, row_key)));
        let expected = match world.table(&name) {
            Ok(table) => table,
            Err((code, _)) => {
                assert_eq!(many.expect_err("no table").code(), code);
                assert_eq!(table.get_entity("a", "a").expect_err("no table").code(), code);
                assert_eq!(table.exists("a", "a").expect_err("no table").code(), code);
                return;
            }
        };
        for ((partition_key, row_key), found) in keys.iter().zip(many.expect("an answer")) {
            let row = expected.rows.get(&key(partition_key, row_key));
            let single = table.get_entity(partition_key, row_key);
            assert_eq!(table.exists(partition_key, row_key).expect("an answer"), row.is_some());
            match (row, found, single) {
                (None, None, Err(error)) => assert_eq!(error.code(), ErrorCode::ResourceNotFound),
                (Some(row), Some(found), Ok(single)) => {
                    check_row(row, &found);
                    check_row(row, &single);
                }
                (row, found, single) => panic!("{row:?}: {found:?}, {single:?}"),
            }
        }
    }

    /// The table now, or in the snapshot, with the model of that moment.
    fn moment(&mut self, name: &str) -> (Result<entable::Table, Error>, Rc<World>, &'static str) {
        let table = self.store.table(name);
        match &self.snapshot {
            Some((snapshot, world)) if self.random.percent(30) => {
                (table.map(|table| table.at(snapshot)), Rc::clone(world), "snapshot")
            }
            _ => (table, Rc::clone(&self.world), "now"),
        }
    }

    fn filter(&mut self) -> (Option<Tree>, Mode) {
        let mode = if self.random.percent(20) { Mode::Strict } else { self.mode };
        if self.random.percent(8) {
            return (None, mode);
        }
        let mut maker = Maker {
            random: &mut self.random,
            is_strict: mode == Mode::Strict,
            partition_keys: &self.partition_keys,
            row_keys: &self.row_keys,
            times: &self.times,
        };
        (Some(maker.filter()), mode)
    }

    fn query(&mut self) {
        let name = self.table_name();
        let (tree, mode) = self.filter();
        let (table, world, what) = self.moment(&name);
        let table = table.expect("a handle");
        let is_descending = mode != Mode::Strict && self.random.percent(25);
        let limit = self.random.percent(20).then(|| self.random.below(20));
        let select =
            self.random.percent(20).then(|| self.random.pick(&[vec!["Size"], vec!["RowKey", "Kind", "Missing"]]));
        let page_size = if self.random.percent(50) { 1_000 } else { 1 + self.random.below(30) };
        let mut query = tree.as_ref().map_or_else(Query::all, filter::query).mode(mode).page_size(page_size);
        if is_descending {
            query = query.descending();
        }
        if let Some(limit) = limit {
            query = query.limit(limit as u64);
        }
        let shown = tree.as_ref().map(filter::shown).unwrap_or_default();
        self.note(format!("{what} query {mode:?} of {name}: {shown}; limit {limit:?}, descending {is_descending}"));
        self.tally.count(format!("{what}: read"));
        let count = table.count(query.clone());
        let unselected = query.clone();
        if let Some(names) = &select {
            query = query.select(names);
        }
        let found = table.query_entities(query).and_then(|found| found.collect::<Result<Vec<_>, _>>());
        let expected = match world.table(&name) {
            Ok(table) => table,
            Err((code, _)) => {
                // A limit of 0 asks nothing of the table.
                if limit != Some(0) {
                    assert_eq!(found.expect_err("no table").code(), code);
                }
                return;
            }
        };
        let mut rows: Vec<_> = matching(expected, tree.as_ref(), mode).collect();
        if expected.rows.len() > 1 && tree.is_some() {
            self.tally.count(match rows.len() {
                0 => "filter: no rows",
                taken if taken == expected.rows.len() => "filter: all rows",
                _ => "filter: some rows",
            });
        }
        if is_descending {
            rows.reverse();
        }
        rows.truncate(limit.unwrap_or(usize::MAX));
        let found = found.unwrap_or_else(|error| panic!("{error:?}: {shown}"));
        let explain = table.explain(unselected).map_or_else(|error| error.to_string(), |explain| explain.to_string());
        assert_eq!(count.expect("a count"), rows.len() as u64, "{explain}");
        match select {
            None => {
                assert_eq!(keys_of(&found), keys_of_rows(&rows), "{explain}");
                rows.iter().zip(&found).for_each(|(row, found)| check_row(row, found));
            }
            Some(names) => {
                assert_eq!(found.len(), rows.len());
                rows.iter().zip(&found).for_each(|(row, found)| check_selected(row, found, &names));
            }
        }
    }

    fn first_page(&mut self) {
        if self.pagings.len() == 4 {
            self.pagings.remove(0);
        }
        let name = self.table_name();
        let (tree, mode) = self.filter();
        let Ok(table) = self.world.table(&name) else { return };
        self.pagings.push(Paging {
            generation: table.generation,
            table: name,
            tree,
            mode,
            page_size: 1 + self.random.below(12),
            is_descending: mode != Mode::Strict && self.random.percent(25),
            token: None,
            last: None,
            changed: BTreeSet::new(),
            is_reopened: false,
        });
        self.tally.count("page: first");
        let at = self.pagings.len() - 1;
        self.page(at);
    }

    fn later_page(&mut self) {
        if !self.pagings.is_empty() {
            let at = self.random.below(self.pagings.len());
            self.tally.count(if self.pagings[at].is_reopened { "page: after reopening" } else { "page: later" });
            self.page(at);
        }
    }

    /// Reads the next page of a paging, and lets it go at its end.
    fn page(&mut self, at: usize) {
        let paging = self.pagings.remove(at);
        let shown = paging.tree.as_ref().map(filter::shown).unwrap_or_default();
        self.note(format!("page of {} from {:?}: {shown}", paging.table, paging.token));
        let mut query = paging.tree.as_ref().map_or_else(Query::all, filter::query);
        query = query.mode(paging.mode).page_size(paging.page_size);
        if paging.is_descending {
            query = query.descending();
        }
        if let Some(token) = &paging.token {
            query = query.continue_from(token.parse().expect("the token reads"));
        }
        let page = self.store.table(&paging.table).expect("a name").query_page(query);
        let table = match self.world.table(&paging.table) {
            Ok(table) if table.generation == paging.generation => table,
            Ok(_) => {
                self.tally.count("page: of a table made again");
                assert_eq!(page.expect_err("another table").code(), ErrorCode::InvalidInput);
                return;
            }
            Err((code, _)) => return assert_eq!(page.expect_err("no table").code(), code),
        };
        let page = page.unwrap_or_else(|error| panic!("{error:?}: {shown}"));
        let is_beyond = |key: &Key, last: &Key| if paging.is_descending { key < last } else { key > last };
        let found: Vec<Key> =
            page.entities.iter().map(|entity| key(entity.partition_key(), entity.row_key())).collect();
        assert!(found.len() <= paging.page_size);
        assert!(found.windows(2).all(|pair| is_beyond(&pair[1], &pair[0])), "in order: {found:?}");
        for (found, entity) in found.iter().zip(&page.entities) {
            assert!(paging.last.as_ref().is_none_or(|last| is_beyond(found, last)), "nothing comes twice");
            let row = table.rows.get(found).expect("a row that is there");
            check_row(row, entity);
            assert!(paging.tree.as_ref().is_none_or(|tree| filter::is_match(tree, row, paging.mode)), "{row:?}");
        }
        // S7.8.6: what was not changed since the last page is not left out.
        let end = match &page.continuation_token {
            Some(_) => Some(found.last().or(paging.last.as_ref()).expect("a token only after a row").clone()),
            None => None,
        };
        for row in matching(table, paging.tree.as_ref(), paging.mode) {
            let key = key(&row.partition_key, &row.row_key);
            let is_due = paging.last.as_ref().is_none_or(|last| is_beyond(&key, last))
                && end.as_ref().is_none_or(|end| !is_beyond(&key, end));
            if is_due && !paging.changed.contains(&key) {
                assert!(found.contains(&key), "{key:?} was left out; the page ends at {end:?}: {shown}");
            }
        }
        if let Some(token) = page.continuation_token {
            let last = found.last().cloned().or(paging.last);
            let token = Some(token.to_string());
            self.pagings.push(Paging { token, last, changed: BTreeSet::new(), is_reopened: false, ..paging });
        }
    }

    /// Deletes what a filter asks for, at once or in steps; mostly few rows, so that many are left.
    fn delete_by_filter(&mut self) {
        let name = self.table_name();
        let (tree, mode) = self.filter();
        let most = if self.random.percent(80) { 6 } else { 1_000 };
        let limit = self.random.below(most);
        let shown = tree.as_ref().map(filter::shown).unwrap_or_default();
        self.note(format!("delete at most {limit} of {name}: {shown}"));
        let query = tree.as_ref().map_or_else(Query::all, filter::query).mode(mode).limit(limit as u64);
        let table = self.store.table(&name).expect("a name");
        let deleted = match self.random.below(2) {
            0 => table.delete_entities(query),
            _ => table.delete_entities_in_chunks(query, 1 + self.random.below(3) as u64),
        };
        let expected = match self.world.table(&name) {
            Ok(table) => table,
            // Steps of which none is due ask nothing of the table.
            Err(_) if limit == 0 => return,
            Err((code, _)) => return assert_eq!(deleted.expect_err("no table").code(), code),
        };
        let rows = matching(expected, tree.as_ref(), mode).take(limit);
        let keys: Vec<Key> = rows.map(|row| key(&row.partition_key, &row.row_key)).collect();
        assert_eq!(deleted.unwrap_or_else(|error| panic!("{error:?}: {shown}")), keys.len() as u64, "{shown}");
        self.tally.count(if keys.is_empty() { "delete by filter: no rows" } else { "delete by filter: some rows" });
        for paging in self.pagings.iter_mut().filter(|paging| paging.table.eq_ignore_ascii_case(&name)) {
            paging.changed.extend(keys.iter().cloned());
        }
        Rc::make_mut(&mut self.world).remove(&name, &keys);
    }

    // Tables, moments, the file

    fn create_table(&mut self) {
        let name = self.table_name();
        self.note(format!("create table {name}"));
        let expected = Rc::make_mut(&mut self.world).create_table(&name).map_err(|(code, _)| code);
        if expected.is_ok() {
            self.tally.count("table: made");
        }
        assert_eq!(self.store.create_table(&name).map(|_| ()).map_err(|error| error.code()), expected);
    }

    fn delete_table(&mut self) {
        let name = self.table_name();
        self.note(format!("delete table {name}"));
        let expected = Rc::make_mut(&mut self.world).delete_table(&name).map_err(|(code, _)| code);
        if expected.is_ok() {
            self.tally.count("table: dropped");
        }
        assert_eq!(self.store.delete_table(&name).map_err(|error| error.code()), expected);
    }

    fn list_tables(&mut self) {
        let expected: Vec<String> = self.world.tables.values().map(|table| table.name.clone()).collect();
        let found = self.store.list_tables().expect("the tables");
        assert_eq!(found.iter().map(|name| name.as_str().to_owned()).collect::<Vec<_>>(), expected);
        let some = self.store.query_tables("TableName ge 'O'").expect("some tables");
        let expected: Vec<_> = expected.into_iter().filter(|name| name.as_str() >= "O").collect();
        assert_eq!(some.iter().map(|name| name.as_str().to_owned()).collect::<Vec<_>>(), expected);
    }

    fn take_snapshot(&mut self) {
        self.note("snapshot".into());
        self.snapshot = Some((self.store.snapshot().expect("a snapshot"), Rc::clone(&self.world)));
    }

    /// Every row of every table, in order.
    fn compare_all(&mut self) {
        self.note("compare all".into());
        self.list_tables();
        for table in self.world.tables.values() {
            let found = self.store.table(&table.name).and_then(|table| table.list_entities()).expect("a query");
            let found: Vec<_> = found.map(|entity| entity.expect("a row")).collect();
            let rows: Vec<_> = table.rows.values().collect();
            assert_eq!(keys_of(&found), keys_of_rows(&rows), "{}", table.name);
            let keys = self.store.table(&table.name).expect("a name").partition_keys();
            let keys: Vec<String> = keys.map(|key| key.expect("a key")).collect();
            let mut expected: Vec<_> = rows.iter().map(|row| row.partition_key.clone()).collect();
            expected.dedup();
            assert_eq!(keys, expected, "PartitionKeys of {}", table.name);
            rows.iter().zip(&found).for_each(|(row, found)| check_row(row, found));
        }
    }

    fn reopen(&mut self) {
        self.note("reopen".into());
        self.store.close();
        if let Some((snapshot, _)) = self.snapshot.take() {
            assert_eq!(snapshot.list_tables().expect_err("an ended snapshot").code(), ErrorCode::StoreClosed);
        }
        self.store = open(&self.path, self.mode);
        self.pagings.iter_mut().for_each(|paging| paging.is_reopened = true);
    }
}

/// The rows that the filter takes, in key order.
fn matching<'a>(table: &'a world::Table, tree: Option<&'a Tree>, mode: Mode) -> impl Iterator<Item = &'a Row> {
    table.rows.values().filter(move |row| tree.is_none_or(|tree| filter::is_match(tree, row, mode)))
}

/// S6.2, S6.3: the first operation that makes the group none.
fn refused_group(writes: &[(String, Write)]) -> Option<Failure> {
    let first = &writes.first()?.1;
    writes.iter().enumerate().find_map(|(at, (_, write))| {
        if write.partition_key != first.partition_key {
            return Some((ErrorCode::CommandsInBatchActOnDifferentPartitions, Some(at)));
        }
        let is_twice = writes[..at].iter().any(|(_, before)| before.row_key == write.row_key);
        is_twice.then_some((ErrorCode::InvalidDuplicateRow, Some(at)))
    })
}

fn entity(write: &Write) -> Entity {
    let mut entity = Entity::new(write.partition_key.as_str(), write.row_key.as_str());
    for (name, value) in &write.properties {
        entity.insert(name, value.to_store());
    }
    entity
}

fn condition(write: &Write) -> entable::Condition {
    match write.condition {
        Condition::None => entable::Condition::None,
        Condition::Any => entable::Condition::Any,
        Condition::Absent => entable::Condition::Absent,
        Condition::Version(ticks) => {
            let timestamp = entable::DateTime::from_ticks(ticks).expect("a tick");
            // Through its text, as a program would hand it back.
            let etag = entable::ETag::from_timestamp(timestamp).to_string();
            entable::Condition::from_text(&etag).expect("an ETag")
        }
    }
}

fn operation(write: &Write) -> Operation {
    let made = match write.verb {
        Verb::Create => Operation::create(entity(write)),
        Verb::Update(mode) => Operation::update(entity(write), mode),
        Verb::Upsert(mode) => Operation::upsert(entity(write), mode),
        Verb::Delete => Ok(Operation::delete(write.partition_key.as_str(), write.row_key.as_str())),
    };
    made.expect("an operation").on(condition(write))
}

/// The write by the table's own verb.
fn call(store: &Store, table: &str, write: &Write) -> Result<Option<Written>, Error> {
    let table = store.table(table)?;
    let (partition_key, row_key) = (write.partition_key.as_str(), write.row_key.as_str());
    match (write.verb, &write.condition) {
        (Verb::Create, _) => table.create_entity(entity(write)).map(Some),
        (Verb::Update(mode), Condition::None) => table.update_entity(entity(write), mode).map(Some),
        (Verb::Update(mode), _) => table.update_entity_if(entity(write), mode, condition(write)).map(Some),
        (Verb::Upsert(mode), Condition::None) => table.upsert_entity(entity(write), mode).map(Some),
        (Verb::Upsert(mode), _) => table.upsert_entity_if(entity(write), mode, condition(write)).map(Some),
        (Verb::Delete, Condition::None) => table.delete_entity(partition_key, row_key).map(|()| None),
        (Verb::Delete, _) => table.delete_entity_if(partition_key, row_key, condition(write)).map(|()| None),
    }
}

fn keys_of(entities: &[Entity]) -> Vec<(&str, &str)> {
    entities.iter().map(|entity| (entity.partition_key(), entity.row_key())).collect()
}

fn keys_of_rows<'a>(rows: &[&'a Row]) -> Vec<(&'a str, &'a str)> {
    rows.iter().map(|row| (row.partition_key.as_str(), row.row_key.as_str())).collect()
}

fn check_row(row: &Row, found: &Entity) {
    assert_eq!((found.partition_key(), found.row_key()), (row.partition_key.as_str(), row.row_key.as_str()));
    let timestamp = found.timestamp().map(entable::DateTime::ticks);
    assert_eq!(timestamp, Some(row.timestamp), "{row:?}");
    assert_eq!(found.etag().and_then(|etag| etag.timestamp()), found.timestamp(), "{row:?}");
    assert_eq!(found.properties().len(), row.properties.len(), "{row:?}: {found:?}");
    for (name, value) in found.properties() {
        assert!(row.properties.get(name).is_some_and(|expected| expected.is(value)), "{row:?}: {name} {value:?}");
    }
}

/// S7.7.2: the named properties, keys and Timestamp too only if they are named; the ETag in any case.
fn check_selected(row: &Row, found: &Entity, names: &[&str]) {
    let key = |name: &str, key: &str| if names.contains(&name) { key.to_owned() } else { String::new() };
    assert_eq!(found.partition_key(), key("PartitionKey", &row.partition_key));
    assert_eq!(found.row_key(), key("RowKey", &row.row_key));
    assert_eq!(found.timestamp().is_some(), names.contains(&"Timestamp"));
    assert_eq!(found.etag().and_then(|etag| etag.timestamp()).map(entable::DateTime::ticks), Some(row.timestamp));
    let expected = row.properties.iter().filter(|(name, _)| names.contains(&name.as_str()));
    assert_eq!(found.properties().len(), expected.clone().count(), "{row:?}: {found:?}");
    for (name, expected) in expected {
        assert!(found.get(name).is_some_and(|value| expected.is(value)), "{row:?}: {found:?}");
    }
}
