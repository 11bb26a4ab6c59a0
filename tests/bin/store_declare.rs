//! Changes what a store knows of a table: `store_declare PATH VERB TABLE PROPERTY`. Verbs: `insert` a row with a new
//! property, named as the property; `replace` the table by one with such a row; `drop` the table; `retry`: make the
//! table, and whatever came of it ask for a row and insert one, printing the name of each error's code.
//!
//! Run by `tests/processes.rs` beside another process, and by `failing.rs` on a broken disk.

use entable::{Store, Table, entity};
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, verb, name, property] = &arguments[..] else {
        return Err("store_declare PATH VERB TABLE PROPERTY".into());
    };
    let store = Store::open(path)?;
    let insert = |table: &Table| table.create_entity(entity! { "p", property.as_str(), property.as_str() => "there" });
    match verb.as_str() {
        "insert" => drop(insert(&store.table(name)?)?),
        "replace" => {
            store.delete_table(name)?;
            insert(&store.create_table(name)?)?;
        }
        "drop" => store.delete_table(name)?,
        _ => {
            let table = store.table(name)?;
            let made = store.create_table(name).map(drop);
            let outcomes = [made, table.get_entity("p", property).map(drop), insert(&table).map(drop)];
            for error in outcomes.into_iter().filter_map(Result::err) {
                writeln!(std::io::stdout(), "{}", error.code().name())?;
            }
        }
    }
    Ok(())
}
