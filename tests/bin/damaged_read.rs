//! Reads all of a file that may be damaged, and says what it met: `damaged_read plain|write|bare FILE`.
//!
//! `plain` reads through the store: every table in both directions, each entity by its keys, what indexes find, counts. `write` changes
//! some entities, too. `bare` walks the databases with LMDB alone, which is what the store is compared with. A process of
//! its own, since LMDB crashes on pages that it believes.
#![allow(unsafe_code, reason = "maps a file with heed, to be compared with the store")]

use entable::{Entity, Operation, Options, Query, Store, UpdateMode, entity};
use std::collections::hash_map::DefaultHasher;
use std::error::Error;
use std::hash::{Hash, Hasher};
use std::path::Path;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(how), Some(path)) = (arguments.next(), arguments.next()) else { panic!("how, and a file") };
    let path = Path::new(&path);
    let outcome = match how.as_str() {
        "plain" => read(path).map_err(Into::into),
        "write" => write(path).map_err(Into::into),
        _ => bare(path),
    };
    match outcome {
        Ok(digest) => entable_tests::tier::announce(format_args!("same {digest:016x}")),
        Err(error) => entable_tests::tier::announce(format_args!("error {error}")),
    }
}

fn read(path: &Path) -> entable::Result<u64> {
    let store = Store::open_with(path, &Options::new().read_only(true).must_exist(true))?;
    let mut digest = DefaultHasher::new();
    for name in store.list_tables()? {
        let table = store.table(name.as_str())?;
        let rows = table.query_entities(Query::all())?.collect::<entable::Result<Vec<Entity>>>()?;
        for row in &rows {
            format!("{row:?}").hash(&mut digest);
            let again = table.get_entity(row.partition_key(), row.row_key())?;
            format!("{again:?}").hash(&mut digest);
        }
        let back = table.query_entities(Query::all().descending())?.collect::<entable::Result<Vec<Entity>>>()?;
        for query in ["Number ge 390", "PartitionKey eq 'p3' and Text gt 'é'", "RowKey eq '00081'"] {
            let found = table.query_entities(query)?.collect::<entable::Result<Vec<Entity>>>()?;
            format!("{found:?}").hash(&mut digest);
        }
        (name.as_str(), rows.len(), rows.iter().eq(back.iter().rev()), table.count("")?).hash(&mut digest);
    }
    Ok(digest.finish())
}

fn write(path: &Path) -> entable::Result<u64> {
    let store = Store::open_with(path, &Options::new().must_exist(true))?;
    for name in store.list_tables()? {
        let table = store.table(name.as_str())?;
        let changes = (0..50).map(|number| {
            let row_key = format!("{number:05}");
            let row = entity! { format!("p{}", number % 7), &*row_key, "New" => number };
            Ok((&table, Operation::upsert(row, UpdateMode::Merge)?))
        });
        store.submit_batch(changes.collect::<entable::Result<Vec<_>>>()?)?;
    }
    Ok(0)
}

fn bare(path: &Path) -> Result<u64, Box<dyn Error>> {
    let mut options = heed::EnvOpenOptions::new();
    options.map_size(1 << 30).max_dbs(5);
    // SAFETY: the file is this process's own, and nothing else has it open.
    let env = unsafe { options.flags(heed::EnvFlags::NO_SUB_DIR).open(path)? };
    let txn = env.read_txn()?;
    let opened = env.open_databases_and_commit(txn, |opener, txn| {
        let open = |name| opener.open_database::<heed::types::Bytes, heed::types::Bytes>(txn, Some(name));
        let names = ["catalog", "rows", "indexes", "changes", "long keys"];
        let opened = names.into_iter().map(open).collect::<heed::Result<Option<Vec<_>>>>()?;
        heed::Result::Ok(match opened.and_then(|opened| <[_; 5]>::try_from(opened).ok()) {
            Some(opened) => heed::CommitOrAbort::Commit(opened),
            None => heed::CommitOrAbort::Abort(()),
        })
    })?;
    let heed::CommitOrAbort::Commit(databases) = opened else { return Err("a database is not there".into()) };
    let txn = env.read_txn()?;
    let mut digest = DefaultHasher::new();
    for database in databases {
        for item in database.iter(&txn)? {
            let (key, value) = item?;
            (key, value).hash(&mut digest);
            database.get(&txn, key)?.hash(&mut digest);
        }
    }
    Ok(digest.finish())
}
