//! A table, two projections of it, and a rule of the tests' own for what they shall hold.

use crate::random::Random;
use entable::patterns::{Field, IndexTable};
use entable::{Entity, Error, Feed, Operation, Projection, Result, Store, Table, UpdateMode, entity};
use std::path::{Path, PathBuf};

/// Values that make entries.
pub const TOWNS: [&str; 5] = ["Bonn", "Oslo", "Rome", "Lima", "Cork"];

/// The feed of a table whose changes go as soon as all projections have them.
pub fn feed() -> Feed {
    Feed::new().keep_until_consumed(true)
}

/// The stores, and what is in them.
pub struct Scene {
    /// The store of the rows.
    pub source: Store,
    elsewhere: Option<Store>,
    /// The rows.
    pub rows: Table,
    /// Copies as they are, and entries by town.
    pub projections: [Projection; 2],
}

/// The file of the copies.
pub fn target(folder: &Path, place: &str) -> PathBuf {
    folder.join(if place == "same" { "source" } else { "target" }).join("store.ent")
}

impl Scene {
    /// # Panics
    /// If the names are not legal.
    pub fn new(source: Store, elsewhere: Option<Store>) -> Scene {
        let rows = source.table("Rows").expect("a name");
        let by_town = IndexTable::full("Rows", "ByTown", [Field::from("Town")]).by_both_keys();
        let projections = [Projection::copy("Copy", &rows, "Copies"), Projection::index("Towns", &rows, by_town)];
        let projections = projections.map(|projection| {
            let projection = projection.expect("names");
            elsewhere.iter().fold(projection, Projection::into_store)
        });
        Scene { source, elsewhere, rows, projections }
    }

    /// The stores in a folder, with the copies in the "same" store or "elsewhere".
    ///
    /// # Errors
    /// Those of opening.
    pub fn open(folder: &Path, place: &str) -> Result<Scene> {
        let open = |file: PathBuf| {
            let made = file.parent().map(std::fs::create_dir_all);
            made.transpose().expect("a folder");
            Store::open(file)
        };
        let source = open(target(folder, "same"))?;
        let elsewhere = (place != "same").then(|| open(target(folder, place))).transpose()?;
        Ok(Scene::new(source, elsewhere))
    }

    /// Makes what is not there.
    ///
    /// # Errors
    /// Those of the stores.
    pub fn create(&self, feed: &Feed) -> Result<()> {
        self.source.create_table_if_not_exists("Rows")?;
        self.rows.set_feed(feed)?;
        self.projections.iter().try_for_each(Projection::create)
    }

    /// The store of the copies.
    pub fn target(&self) -> &Store {
        self.elsewhere.as_ref().unwrap_or(&self.source)
    }

    /// # Errors
    /// Those of the projections.
    pub fn catch_up(&self) -> Result<()> {
        self.projections.iter().try_for_each(|projection| projection.catch_up().map(drop))
    }

    /// Town and row of each entry, sorted.
    ///
    /// # Panics
    /// If they cannot be read.
    pub fn entries(&self) -> Vec<String> {
        let text = |entry: &Entity, name: &str| entry.get(name).and_then(|key| key.as_str()).unwrap_or("?").to_owned();
        let told = |entry: &Entity| {
            let [of_partition, of_row] = ["SourcePartitionKey", "SourceRowKey"].map(|name| text(entry, name));
            format!("{} {of_partition} {of_row}", entry.partition_key())
        };
        let entries = all(self.projections[1].table()).expect("the entries");
        let mut told: Vec<String> = entries.iter().map(told).collect();
        told.sort();
        told
    }

    /// Compares rows and copies.
    ///
    /// # Errors
    /// What differs.
    pub fn check(&self) -> std::result::Result<(), String> {
        let told = |error: Error| format!("{error:?}");
        let rows = all(Ok(self.rows.clone())).map_err(told)?;
        let copies = all(self.projections[0].table()).map_err(told)?;
        if rows != copies {
            return Err(format!("of {} rows there are {} copies: {rows:?} and {copies:?}", rows.len(), copies.len()));
        }
        // By town, and then in the order of the rows.
        let towns = |row: &Entity| row.get("Town").and_then(|town| town.as_str()).map(str::to_owned);
        let mut expected: Vec<(String, &Entity)> = rows.iter().filter_map(|row| Some((towns(row)?, row))).collect();
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        let entries = all(self.projections[1].table()).map_err(told)?;
        if entries.len() != expected.len() {
            return Err(format!("{} entries for {} rows with a town", entries.len(), expected.len()));
        }
        for ((town, row), entry) in expected.iter().zip(&entries) {
            let mut held = Entity::new(row.partition_key(), row.row_key());
            entry.properties().for_each(|(name, value)| drop(held.insert(name, value.clone())));
            let keys = [held.remove("SourcePartitionKey"), held.remove("SourceRowKey")];
            let named = [row.partition_key(), row.row_key()].map(|key| Some(key.into()));
            if entry.partition_key() != town || keys != named || held != **row {
                return Err(format!("{entry:?} for {row:?}"));
            }
        }
        Ok(())
    }
}

fn all(table: Result<Table>) -> Result<Vec<Entity>> {
    table?.list_entities()?.collect()
}

/// Changes rows: one, or several in a commit.
///
/// # Errors
/// Those of the store.
pub fn write(rows: &Table, random: &mut Random) -> Result<()> {
    let count = if random.percent(20) { 5 } else { 1 };
    let mut batch = Vec::<Operation>::new();
    while batch.len() < count {
        let (partition_key, row_key) = (random.pick(&["a", "b", "c"]), random.below(12).to_string());
        if batch.iter().any(|known| known.partition_key() == partition_key && known.row_key() == row_key) {
            continue;
        }
        let mut row = entity! { partition_key, row_key.as_str(), "N" => random.below(3) as i32 };
        if random.percent(90) {
            row.insert("Town", random.pick(&TOWNS));
        }
        batch.push(match random.below(10) {
            0..3 if rows.exists(partition_key, &row_key)? => Operation::delete(partition_key, row_key),
            0..6 => Operation::upsert(row, UpdateMode::Replace)?,
            _ => Operation::upsert(row, UpdateMode::Merge)?,
        });
    }
    rows.store().submit_batch(batch.into_iter().map(|operation| (rows, operation))).map(drop)
}
