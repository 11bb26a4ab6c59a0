//! What the programs that are killed, and whose disks break, write: streams of steps, each one commit. A stream has
//! partitions of its own, so what it left is told exactly: it is the work of its first N steps, nothing more, nothing
//! less, whatever other streams did.

use crate::random::Random;
use entable::index::{Projection, Scope};
use entable::{
    Entity, Error, ErrorCode, Feed, FeedContent, FeedStart, Index, OnDelete, Operation, Query, Relation, Result, Store,
    UpdateMode, Value,
};
use std::collections::BTreeMap;
use std::path::Path;

/// Rows that come alone.
const SINGLES: &str = "Singles";
/// Rows that come in entity group transactions.
const GROUPS: &str = "Groups";
/// Rows that come with those of the other tables, under keys of any length.
const OTHERS: &str = "Others";

/// Copies of the rows that come alone, which each stream keeps by the change feed of these.
const COPIES: &str = "Copies";

/// Rows that others belong to, by a relation, which go with them.
const OWNERS: &str = "Owners";
/// The rows that belong to them.
const OWNED: &str = "Owned";

const TABLES: [&str; 6] = [SINGLES, GROUPS, OTHERS, COPIES, OWNERS, OWNED];

/// The kinds of step, in the order in which a stream does them.
pub const KINDS: [&str; 11] = [
    "insert",
    "group",
    "batch over tables",
    "merge",
    "delete",
    "group with a delete",
    "transaction",
    "index",
    "copies",
    "owner",
    "cascade",
];

/// Which of them is a transaction with a program's own steps.
const TRANSACTION: u64 = 6;
/// Which of them makes an index of the stream's own, and the next time drops it: several commits, and no row changes.
const INDEX: u64 = 7;
/// Which of them brings the copies of the stream's rows up to date, and its consumer with them.
const COPY: u64 = 8;
/// Which of them makes an owner and what belongs to it.
const OWNER: u64 = 9;
/// Which of them deletes the owner that the one before has made, and by the relation what belongs to it.
const CASCADE: u64 = 10;

/// A stream of steps.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Its number: its place among the acknowledgements, and what its values are made from.
    pub number: u64,
    partition_key: String,
    long_prefix: String,
}

/// Table and RowKey, and the properties of that row.
pub type Rows = BTreeMap<(&'static str, String), BTreeMap<String, Value>>;

/// One change of a step.
enum Change {
    Create(&'static str, String, Properties),
    Replace(&'static str, String, Properties),
    Merge(&'static str, String, Properties),
    Delete(&'static str, String),
}

type Properties = Vec<(String, Value)>;

/// Makes the tables that are not there.
///
/// # Errors
/// The store's.
pub fn make_tables(store: &Store) -> Result<()> {
    TABLES.iter().try_for_each(|name| {
        let table = store.create_table_if_not_exists(name)?;
        let feed = match *name {
            // It goes when all streams have copied it.
            SINGLES => Feed::new().content(FeedContent::BeforeAndAfter).keep_until_consumed(true),
            GROUPS => Feed::new().keep_changes(50),
            OTHERS => Feed::new().content(FeedContent::Keys).keep_changes(500),
            _ => return Ok(()),
        };
        match table.feed() {
            Err(error) if error.code() == ErrorCode::FeedNotFound => table.set_feed(&feed),
            known => known.map(drop),
        }
    })?;
    let owner = Relation::new("Owner", OWNED, OWNERS).keys("PartitionKey", "Owner").on_delete(OnDelete::Cascade);
    store.create_relation_if_not_exists(&owner)
}

impl Stream {
    /// The stream of this number. Every fourth has keys that are longer than LMDB's, together.
    pub fn new(number: u64) -> Stream {
        let long_prefix = if number % 4 == 3 { "ü".repeat(500) } else { String::new() };
        Stream { number, partition_key: format!("{long_prefix}{number}"), long_prefix }
    }

    /// Does the step of this number, from 0, in one commit.
    ///
    /// # Errors
    /// The store's.
    pub fn perform(&self, store: &Store, step: u64) -> Result<()> {
        if step % KINDS.len() as u64 == INDEX {
            return self.change_index(store, (step / KINDS.len() as u64).is_multiple_of(2));
        }
        if step % KINDS.len() as u64 == COPY {
            return self.copy(store);
        }
        let mut changes = self.changes(step);
        if step % KINDS.len() as u64 == TRANSACTION {
            return store.transaction(|tx| {
                changes
                    .into_iter()
                    .try_for_each(|change| tx.table(change.table())?.apply(&self.operation(change)?).map(drop))
            });
        }
        match changes.len() {
            1 => self.perform_alone(store, changes.remove(0)),
            _ => {
                let first = changes[0].table();
                let is_group = changes.iter().all(|change| change.table() == first);
                let mut operations = Vec::new();
                for change in changes {
                    operations.push((store.table(change.table())?, self.operation(change)?));
                }
                if is_group {
                    let table = store.table(first)?;
                    table.submit_transaction(operations.into_iter().map(|(_, operation)| operation)).map(drop)
                } else {
                    store.submit_batch(operations.iter().map(|(table, operation)| (table, operation.clone()))).map(drop)
                }
            }
        }
    }

    /// Makes the stream's index, or drops it. What is done already is no error: the one before was perhaps killed.
    fn change_index(&self, store: &Store, is_made: bool) -> Result<()> {
        let index = Index::new(format!("Of {}", self.number));
        let (table, index) = match self.number % 3 {
            0 => (SINGLES, index.properties(["Step"]).projection(Projection::All)),
            1 => (GROUPS, index.properties(["Share", "Step"]).projection(Projection::names(["Text"]))),
            _ => (OTHERS, index.properties(["Text", "Step"]).scope(Scope::Partition).fold_case(true)),
        };
        let table = store.table(table)?;
        if is_made {
            return table.create_index_if_not_exists(index);
        }
        match table.drop_index(index.name()) {
            Err(error) if error.code() == ErrorCode::IndexNotFound => Ok(()),
            dropped => dropped,
        }
    }

    fn consumer(&self) -> String {
        format!("copies of {}", self.number)
    }

    /// Applies to the copies what the feed says since the last time; the first time they are made of the rows.
    fn copy(&self, store: &Store) -> Result<()> {
        let (table, name) = (store.table(SINGLES)?, self.consumer());
        store.transaction(|tx| {
            let (rows, copies) = (tx.table(SINGLES)?, tx.table(COPIES)?);
            if rows.create_consumer(&name, &FeedStart::Now)? {
                let query = Query::filter("PartitionKey eq @key").parameter("key", self.partition_key.as_str());
                for row in rows.query_entities(query)? {
                    copies.upsert_entity(row?, UpdateMode::Replace)?;
                }
                return Ok(());
            }
            // Nobody else writes meanwhile: this is all that there is.
            let page = table.consumer(&name).read(usize::MAX)?;
            for change in page.changes.iter().filter(|change| change.partition_key == self.partition_key) {
                match &change.entity {
                    Some(entity) => drop(copies.upsert_entity(entity, UpdateMode::Replace)?),
                    None => copies.delete_entity(&change.partition_key, &change.row_key)?,
                }
            }
            rows.advance_consumer(&name, &page.position)
        })
    }

    /// Finds that the changes that the stream's consumer has not seen lead from its copies to its rows, without a gap
    /// or a repeat. A stream that has not copied yet has no consumer.
    ///
    /// # Errors
    /// A sentence that says what does not fit.
    pub fn check_feed(&self, store: &Store) -> std::result::Result<(), String> {
        let failed = |error: Error| told(&error);
        let (rows, copies) = (store.table(SINGLES).map_err(failed)?, store.table(COPIES).map_err(failed)?);
        let page = match rows.consumer(&self.consumer()).read(usize::MAX) {
            Err(error)
                if matches!(
                    error.code(),
                    ErrorCode::ConsumerNotFound | ErrorCode::FeedNotFound | ErrorCode::TableNotFound
                ) =>
            {
                return Ok(());
            }
            page => page.map_err(failed)?,
        };
        let all = |table: &entable::Table| -> Result<BTreeMap<String, Entity>> {
            let query = Query::filter("PartitionKey eq @key").parameter("key", self.partition_key.as_str());
            table.query_entities(query)?.map(|row| row.map(|row| (row.row_key().to_owned(), row))).collect()
        };
        // In the order of their names: that of the properties is each table's own.
        let sorted = |entity: &Entity| -> BTreeMap<String, Value> {
            entity.properties().map(|(name, value)| (name.to_owned(), value.clone())).collect()
        };
        let same = |a: &Entity, b: &Entity| sorted(a) == sorted(b);
        let (mut copy, rows) = (all(&copies).map_err(failed)?, all(&rows).map_err(failed)?);
        let mut versions = BTreeMap::new();
        for change in page.changes.iter().filter(|change| change.partition_key == self.partition_key) {
            let former = copy.remove(&change.row_key);
            let fits = match (&former, &change.former) {
                (None, None) => true,
                (Some(copy), Some(former)) => same(copy, former),
                _ => false,
            };
            let known = versions.insert(change.row_key.clone(), change.etag());
            if !fits || known.is_some_and(|known| known != change.former_etag()) {
                return Err(format!("{change:?} does not follow on {former:?}"));
            }
            copy.extend(change.entity.clone().map(|entity| (change.row_key.clone(), entity)));
        }
        if copy.len() == rows.len() && copy.values().zip(rows.values()).all(|(a, b)| same(a, b)) {
            return Ok(());
        }
        let names = |rows: &BTreeMap<String, Entity>| rows.keys().cloned().collect::<Vec<_>>();
        Err(format!("replayed {:?}, and there are {:?}", names(&copy), names(&rows)))
    }

    fn perform_alone(&self, store: &Store, change: Change) -> Result<()> {
        let table = store.table(change.table())?;
        match change {
            Change::Create(_, row_key, properties) => table.create_entity(self.entity(row_key, properties)).map(drop),
            Change::Replace(_, row_key, properties) => {
                table.upsert_entity(self.entity(row_key, properties), UpdateMode::Replace).map(drop)
            }
            Change::Merge(_, row_key, properties) => {
                table.update_entity(self.entity(row_key, properties), UpdateMode::Merge).map(drop)
            }
            Change::Delete(_, row_key) => table.delete_entity(&self.partition_key, &row_key),
        }
    }

    fn operation(&self, change: Change) -> Result<Operation> {
        Ok(match change {
            Change::Create(_, row_key, properties) => Operation::create(self.entity(row_key, properties))?,
            Change::Replace(_, row_key, properties) => {
                Operation::upsert(self.entity(row_key, properties), UpdateMode::Replace)?
            }
            Change::Merge(_, row_key, properties) => {
                Operation::update(self.entity(row_key, properties), UpdateMode::Merge)?
            }
            Change::Delete(_, row_key) => Operation::delete(self.partition_key.clone(), row_key),
        })
    }

    fn entity(&self, row_key: String, properties: Properties) -> Entity {
        let mut entity = Entity::new(self.partition_key.clone(), row_key);
        for (name, value) in properties {
            entity.insert(name, value);
        }
        entity
    }

    /// What a step changes. Rows that come go again, so a stream's rows stay few, and its pages are used again.
    fn changes(&self, step: u64) -> Vec<Change> {
        let mut random = Random::new(self.number << 32 ^ step);
        let mut row = || properties(step, &mut random);
        let other = |step| format!("{}{step}", self.long_prefix);
        match step % KINDS.len() as u64 {
            0 => vec![Change::Create(SINGLES, step.to_string(), row())],
            1 => (0..3 + step % 7).map(|place| Change::Replace(GROUPS, place.to_string(), row())).collect(),
            2 => vec![
                Change::Replace(SINGLES, "both".into(), row()),
                Change::Replace(GROUPS, "both".into(), row()),
                Change::Create(OTHERS, other(step), row()),
            ],
            3 => {
                let name = format!("Step{}", step % 5);
                vec![Change::Merge(SINGLES, "both".into(), vec![(name, Value::from(step as i64))])]
            }
            4 => vec![Change::Delete(SINGLES, (step - 4).to_string())],
            TRANSACTION => vec![
                Change::Create(GROUPS, "within".into(), row()),
                Change::Merge(SINGLES, "both".into(), vec![("Within".into(), Value::from(step as i64))]),
                Change::Delete(GROUPS, "within".into()),
                Change::Replace(OTHERS, "within".into(), row()),
            ],
            INDEX | COPY => Vec::new(),
            OWNER => {
                let owner = Change::Create(OWNERS, step.to_string(), row());
                let owned = |place| {
                    let link = ("Owner".into(), step.to_string().into());
                    Change::Create(OWNED, format!("{step} {place}"), row().into_iter().chain([link]).collect())
                };
                std::iter::once(owner).chain((0..1 + step % 5).map(owned)).collect()
            }
            CASCADE => vec![Change::Delete(OWNERS, (step - 1).to_string())],
            _ => vec![Change::Delete(OTHERS, other(step - 3)), Change::Replace(OTHERS, "last".into(), row())],
        }
    }

    /// Does to a map what a step does to the store.
    pub fn expect(&self, rows: &mut Rows, step: u64) {
        if step % KINDS.len() as u64 == COPY {
            rows.retain(|(table, _), _| *table != COPIES);
            let singles = rows.iter().filter(|((table, _), _)| *table == SINGLES);
            let copies: Vec<_> = singles.map(|((_, key), row)| ((COPIES, key.clone()), row.clone())).collect();
            rows.extend(copies);
        }
        for change in self.changes(step) {
            match change {
                Change::Create(table, row_key, properties) | Change::Replace(table, row_key, properties) => {
                    rows.insert((table, row_key), properties.into_iter().collect());
                }
                Change::Merge(table, row_key, properties) => {
                    rows.entry((table, row_key)).or_default().extend(properties);
                }
                Change::Delete(table, row_key) => {
                    if table == OWNERS {
                        let owner = Value::from(row_key.as_str());
                        rows.retain(|(table, _), row| *table != OWNED || row.get("Owner") != Some(&owner));
                    }
                    rows.remove(&(table, row_key));
                }
            }
        }
    }

    /// The rows of this stream that a store has. One without the tables has none.
    ///
    /// # Errors
    /// The store's.
    pub fn found(&self, store: &Store) -> Result<Rows> {
        let mut found = Rows::new();
        for name in TABLES {
            let query = Query::filter("PartitionKey eq @key").parameter("key", self.partition_key.as_str());
            let rows = store.table(name)?.query_entities(query).and_then(Iterator::collect::<Result<Vec<_>>>);
            let rows = match rows {
                Err(error) if error.code() == ErrorCode::TableNotFound => continue,
                rows => rows?,
            };
            for row in rows {
                let properties = row.properties().map(|(name, value)| (name.to_owned(), value.clone())).collect();
                found.insert((name, row.row_key().to_owned()), properties);
            }
        }
        Ok(found)
    }
}

impl Change {
    fn table(&self) -> &'static str {
        match self {
            Change::Create(table, ..)
            | Change::Replace(table, ..)
            | Change::Merge(table, ..)
            | Change::Delete(table, _) => table,
        }
    }
}

/// Properties that name their step, with texts from nothing up to several pages.
fn properties(step: u64, random: &mut Random) -> Properties {
    let text_chars = match random.below(20) {
        0 => 5_000,
        1..4 => 600,
        _ => random.below(60),
    };
    let mut properties =
        vec![("Step".into(), Value::from(step as i64)), ("Text".into(), "x".repeat(text_chars).into())];
    if random.percent(30) {
        properties.push(("Share".into(), Value::from(step as f64 / 7.0)));
    }
    properties
}

/// A stream beside what a store must hold of it.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The stream.
    pub stream: Stream,
    /// How many of its steps are known to be done.
    pub steps: u64,
    rows: Rows,
}

impl Followed {
    /// A stream of which nothing is done.
    pub fn new(number: u64) -> Followed {
        Followed { stream: Stream::new(number), steps: 0, rows: Rows::new() }
    }

    /// Goes on to the steps that are acknowledged, and then finds that the store holds their work, or that and the
    /// next step's, which was under way. Tells the first difference.
    ///
    /// # Errors
    /// A sentence that says what the store has and should not, or the other way round.
    pub fn check(&mut self, store: &Store, acknowledged: u64) -> std::result::Result<(), String> {
        while self.steps < acknowledged {
            self.advance();
        }
        let number = self.stream.number;
        match self.held(store).map_err(|error| format!("stream {number}: {}", told(&error)))? {
            Held::Steps => {}
            Held::AndNext => self.advance(),
            Held::Neither(difference) => {
                return Err(format!("stream {number}, {acknowledged} steps acknowledged: {difference}"));
            }
        }
        self.stream.check_feed(store).map_err(|failure| format!("stream {number}, its feed: {failure}"))
    }

    /// What a store holds of this stream.
    ///
    /// # Errors
    /// The store's.
    pub fn held(&self, store: &Store) -> Result<Held> {
        let found = self.stream.found(store)?;
        if found == self.rows {
            return Ok(Held::Steps);
        }
        let mut next = self.clone();
        next.advance();
        if found == next.rows {
            return Ok(Held::AndNext);
        }
        Ok(Held::Neither(format!(
            "{}; with the next step, {}: {}",
            difference(&found, &self.rows),
            KINDS[(self.steps % KINDS.len() as u64) as usize],
            difference(&found, &next.rows)
        )))
    }

    /// Takes the next step as done.
    pub fn advance(&mut self) {
        self.stream.expect(&mut self.rows, self.steps);
        self.steps += 1;
    }
}

/// What a store holds of a stream.
#[derive(Debug)]
pub enum Held {
    /// The work of the steps that are done.
    Steps,
    /// That, and the next step's.
    AndNext,
    /// Neither; a sentence says what differs.
    Neither(String),
}

fn difference(found: &Rows, expected: &Rows) -> String {
    let name = |(table, row_key): &(&str, String)| {
        let tail: String = row_key.chars().rev().take(8).collect::<Vec<_>>().into_iter().rev().collect();
        format!("{table}/{tail}")
    };
    let step = |row: &BTreeMap<String, Value>| row.get("Step").and_then(Value::as_i64).unwrap_or(-1);
    for (key, row) in expected {
        match found.get(key) {
            None => return format!("{} of step {} is missing", name(key), step(row)),
            Some(other) if other != row => {
                return format!("{} is of step {} in place of {}", name(key), step(other), step(row));
            }
            Some(_) => {}
        }
    }
    match found.iter().find(|(key, _)| !expected.contains_key(*key)) {
        Some((key, row)) => format!("{} of step {} should not be there", name(key), step(row)),
        None => "no difference".into(),
    }
}

/// Looks at every page of a file and at what each row says.
///
/// # Errors
/// The first that is found.
pub fn verify(path: &Path) -> std::result::Result<(), String> {
    let report = entable::verify(path).map_err(|error| format!("it cannot be verified: {}", told(&error)))?;
    if report.is_clean() { Ok(()) } else { Err(format!("it is damaged: {report}")) }
}

/// An error with its code, in one line.
pub fn told(error: &Error) -> String {
    format!("{}: {error}", error.code().name())
}
