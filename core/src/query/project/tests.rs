//! A row that is not as it was written is an error wherever it would be handed out, or built upon.

use crate::codec::key;
use crate::index::Projection;
use crate::storage::{self, Read, Space};
use crate::{Error, ErrorCode, Index, Operation, Query, Store, Table, UpdateMode, entity};

/// A table of three rows, the second of which has another letter in its text than was written.
fn damaged(index: Option<Index>) -> Table {
    let store = Store::in_memory().unwrap();
    let table = store.create_table("Rows").unwrap();
    for row in ["1", "2", "3"] {
        table.create_entity(entity! { "p", row, "Text" => "written", "Number" => 7 }).unwrap();
    }
    if let Some(index) = index {
        table.create_index(index).unwrap();
    }
    let key = key::row_key(1, "p", "2");
    storage::run(&store.live().unwrap(), |txn| {
        let mut bytes = txn.get(Space::Rows, &key)?.unwrap().to_vec();
        let at = bytes.windows(7).position(|part| part == b"written").unwrap();
        bytes[at] = b'W';
        txn.put(Space::Rows, &key, &bytes)
    })
    .unwrap();
    table
}

/// The error names the table and the keys.
#[track_caller]
fn check<T>(outcome: Result<T, Error>) {
    let error = outcome.map(drop).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Damaged, "{error}");
    let details = error.details();
    let keys = (details.table.as_deref(), details.partition_key.as_deref(), details.row_key.as_deref());
    assert_eq!(keys, (Some("Rows"), Some("p"), Some("2")), "{error}");
}

#[test]
fn a_damaged_row_is_not_handed_out() {
    let table = damaged(Some(Index::new("Number").properties(["Number"])));
    check(table.get_entity("p", "2"));
    check(table.get_stored_entity("p", "2"));
    for query in ["Number eq 7", "Text gt 'A'", "PartitionKey eq 'p'"] {
        check(table.query_entities(query).unwrap().collect::<Result<Vec<_>, _>>());
        check(table.query_page(Query::filter(query).select(["Number"])));
        check(table.query_page(Query::filter(query).descending()));
        check(table.query_entities(query).unwrap().by_page().next_stored().unwrap());
    }
    check(table.query_page(Query::all().order_by("Number")));
    // The others are as they were.
    assert_eq!(table.get_entity("p", "3").unwrap()["Text"], "written");
    // An index that has all that is wanted is compared itself.
    let table = damaged(Some(Index::new("Number").properties(["Number"]).projection(Projection::All)));
    let through_entries = table.query_page(Query::all().order_by("Number")).unwrap();
    assert_eq!(through_entries.entities[1]["Text"], "written");
}

#[test]
fn a_damaged_row_is_not_built_upon_and_can_be_replaced() {
    let table = damaged(None);
    let change = || entity! { "p", "2", "Number" => 8 };
    let is_damaged = |outcome: Result<(), Error>| assert_eq!(outcome.unwrap_err().code(), ErrorCode::Damaged);
    is_damaged(table.update_entity(change(), UpdateMode::Merge).map(drop));
    is_damaged(table.create_index(Index::new("Late").properties(["Number"])));
    // An index whose build fails is not there.
    assert!(table.list_indexes().unwrap().is_empty());
    table.update_entity(change(), UpdateMode::Replace).unwrap();
    assert_eq!(table.get_entity("p", "2").unwrap()["Number"], 8);
    // With indexes its entries would have to be guessed.
    let table = damaged(Some(Index::new("Text").properties(["Text"])));
    is_damaged(table.update_entity(change(), UpdateMode::Replace).map(drop));
    is_damaged(table.delete_entity("p", "2"));
    is_damaged(table.submit_transaction([Operation::delete("p", "2")]).map(drop));
    is_damaged(table.delete_entities("RowKey eq '2'").map(drop));
    table.drop_index("Text").unwrap();
    table.delete_entity("p", "2").unwrap();
}
