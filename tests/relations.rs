//! Relations: links that lead nowhere are refused, deletes are refused or cascade, in whatever way they come.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use entable::{
    Error, ErrorCode, Feed, Index, OnDelete, Operation, Relation, Repair, Store, Table, UpdateMode, entity, verify,
};

#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, Error>, code: ErrorCode) -> Error {
    let error = outcome.unwrap_err();
    assert_eq!(error.code(), code, "{error:?}");
    error
}

fn keys(table: &Table) -> Vec<String> {
    let rows = table.list_entities().unwrap();
    rows.map(|row| row.map(|row| format!("{}|{}", row.partition_key(), row.row_key())).unwrap()).collect()
}

/// Customers `Contoso | <number>`, and orders in the partition of their customer, or with his keys in properties.
fn shop(on_delete: OnDelete) -> (Table, Table, Table) {
    let store = Store::in_memory().unwrap();
    let customers = store.create_table("Customers").unwrap();
    let (orders, notes) = (store.create_table("Orders").unwrap(), store.create_table("Notes").unwrap());
    let by_partition = Relation::new("Customer", "Orders", "Customers").keys("Company", "PartitionKey");
    store.create_relation(&by_partition.on_delete(on_delete)).unwrap();
    let by_properties = Relation::new("About", "Notes", "Customers").keys("CustomerPk", "CustomerRk");
    store.create_relation(&by_properties.on_delete(on_delete)).unwrap();
    for number in ["1", "2"] {
        customers.create_entity(entity! { "Contoso", number }).unwrap();
        orders.create_entity(entity! { number, "a", "Company" => "Contoso" }).unwrap();
        orders.create_entity(entity! { number, "b", "Company" => "Contoso" }).unwrap();
        notes.create_entity(entity! { "n", number, "CustomerPk" => "Contoso", "CustomerRk" => number }).unwrap();
    }
    (customers, orders, notes)
}

#[test]
fn a_link_leads_to_an_entity_that_is_there_however_it_is_written() {
    let (customers, orders, notes) = shop(OnDelete::Refuse);
    let error =
        refused(orders.create_entity(entity! { "3", "a", "Company" => "Contoso" }), ErrorCode::LinkTargetNotFound);
    assert_eq!(error.details().relation.as_deref(), Some("Customer"));
    assert_eq!((error.details().table.as_deref(), error.details().row_key.as_deref()), (Some("Orders"), Some("a")));
    assert!(error.message().contains("('Contoso', '3') of table 'Customers'"), "{error}");
    let note = |row_key: &str, pk: &str, rk: &str| entity! { "n", row_key, "CustomerPk" => pk, "CustomerRk" => rk };
    for outcome in [
        notes.create_entity(note("x", "Contoso", "3")),
        notes.create_entity(note("x", "Fabrikam", "1")),
        notes.create_entity(note("x", "", "")),
        notes.create_entity(note("x", "Contoso\0", "1")),
        notes.upsert_entity(note("1", "Contoso", "3"), UpdateMode::Replace),
        notes.update_entity(entity! { "n", "1", "CustomerRk" => "3" }, UpdateMode::Merge),
    ] {
        refused(outcome, ErrorCode::LinkTargetNotFound);
    }
    // What is no String is no key.
    let error = refused(
        notes.create_entity(entity! { "n", "x", "CustomerPk" => "Contoso", "CustomerRk" => 1 }),
        ErrorCode::InvalidInput,
    );
    assert_eq!(error.details().property.as_deref(), Some("CustomerRk"));
    // Half a link is none.
    notes.create_entity(entity! { "n", "half", "CustomerPk" => "Nowhere" }).unwrap();
    refused(
        notes.update_entity(entity! { "n", "half", "CustomerRk" => "1" }, UpdateMode::Merge),
        ErrorCode::LinkTargetNotFound,
    );
    // In the order of a transaction: the parent first.
    let store = customers.store();
    let create = |row_key: &str| Operation::create(entity! { "Contoso", row_key }).unwrap();
    let order = |customer: &str| Operation::create(entity! { customer, "a", "Company" => "Contoso" }).unwrap();
    let error =
        refused(store.submit_batch([(&orders, order("7")), (&customers, create("7"))]), ErrorCode::LinkTargetNotFound);
    assert_eq!(error.details().index, Some(0));
    assert!(!customers.exists("Contoso", "7").unwrap());
    store.submit_batch([(&customers, create("7")), (&orders, order("7"))]).unwrap();
    // Of a batch large enough for its rows to be foreseen.
    let many =
        (10..20).flat_map(|number| [(&customers, create(&number.to_string())), (&orders, order(&number.to_string()))]);
    store.submit_batch(many.collect::<Vec<_>>()).unwrap();
    store
        .transaction(|transaction| {
            let (customers, orders) = (transaction.table("Customers")?, transaction.table("Orders")?);
            refused(orders.apply(&order("8")), ErrorCode::LinkTargetNotFound);
            customers.apply(&create("8"))?;
            orders.apply(&order("8")).map(drop)
        })
        .unwrap();
    assert_eq!(orders.linked("Customer", "Contoso", "8").unwrap().count(), 1);
}

#[test]
fn a_parent_with_children_is_not_deleted_where_the_relation_refuses() {
    let (customers, orders, notes) = shop(OnDelete::Refuse);
    let error = refused(customers.delete_entity("Contoso", "1"), ErrorCode::LinkedEntitiesExist);
    let holder = error.details().holder.clone().unwrap();
    assert!(matches!((&*holder.0, &*holder.1), ("1", "a") | ("n", "1")), "{error:?}");
    refused(customers.delete_entities("RowKey eq '1'"), ErrorCode::LinkedEntitiesExist);
    refused(customers.delete_entities_in_chunks("RowKey ge '1'", 1), ErrorCode::LinkedEntitiesExist);
    refused(customers.submit_transaction([Operation::delete("Contoso", "1")]), ErrorCode::LinkedEntitiesExist);
    assert_eq!((keys(&customers).len(), keys(&orders).len(), keys(&notes).len()), (2, 4, 2));
    // The children first, also in one batch; of a replaced parent nothing is asked.
    customers.upsert_entity(entity! { "Contoso", "1", "Name" => "Ann" }, UpdateMode::Replace).unwrap();
    let store = customers.store();
    store
        .submit_batch([
            (&orders, Operation::delete("1", "a")),
            (&orders, Operation::delete("1", "b")),
            (&notes, Operation::delete("n", "1")),
            (&customers, Operation::delete("Contoso", "1")),
        ])
        .unwrap();
    // One that was linked elsewhere in the same batch is a child no more.
    customers.create_entity(entity! { "Contoso", "3" }).unwrap();
    orders.delete_entities("PartitionKey eq '2'").unwrap();
    let moved = Operation::update(entity! { "n", "2", "CustomerRk" => "3" }, UpdateMode::Merge).unwrap();
    store.submit_batch([(&notes, moved), (&customers, Operation::delete("Contoso", "2"))]).unwrap();
    assert_eq!(keys(&customers), ["Contoso|3"]);
    refused(customers.delete_entity("Contoso", "3"), ErrorCode::LinkedEntitiesExist);
}

#[test]
fn a_delete_cascades_over_all_tables_and_is_one_commit() {
    let (customers, orders, notes) = shop(OnDelete::Cascade);
    let store = customers.store();
    store.create_table("Lines").unwrap();
    let lines = store.table("Lines").unwrap();
    let of_order = Relation::new("Order", "Lines", "Orders").keys("PartitionKey", "OrderRk");
    store.create_relation(&of_order.on_delete(OnDelete::Cascade)).unwrap();
    for number in 0..5 {
        lines.create_entity(entity! { "1", format!("l{number}"), "OrderRk" => "a" }).unwrap();
        lines.create_entity(entity! { "2", format!("l{number}"), "OrderRk" => "a" }).unwrap();
    }
    for table in [&customers, &orders, &notes, &lines] {
        table.set_feed(&Feed::new()).unwrap();
    }
    customers.delete_entity("Contoso", "1").unwrap();
    assert_eq!(keys(&orders), ["2|a", "2|b"]);
    assert_eq!((keys(&notes), keys(&lines).len()), (vec!["n|2".to_owned()], 5));
    // The feeds have it, all in one commit.
    let mut commits = Vec::new();
    for (table, count) in [(&customers, 1), (&orders, 2), (&notes, 1), (&lines, 5)] {
        let changes: Vec<_> = table.changes(&table.feed().unwrap().begin).map(Result::unwrap).collect();
        assert_eq!(changes.len(), count);
        commits.extend(changes.iter().map(|change| change.commit));
    }
    commits.dedup();
    assert_eq!(commits.len(), 1);
    // What one relation would keep, and another deletes, is deleted; what is kept keeps all.
    let kept = Relation::new("Kept", "Notes", "Orders").keys("OrderPk", "OrderRk");
    store.create_relation(&kept).unwrap();
    notes.update_entity(entity! { "n", "2", "OrderPk" => "2", "OrderRk" => "a" }, UpdateMode::Merge).unwrap();
    refused(orders.delete_entity("2", "a"), ErrorCode::LinkedEntitiesExist);
    customers.delete_entity("Contoso", "2").unwrap();
    assert!([&customers, &orders, &notes, &lines].iter().all(|table| keys(table).is_empty()));
}

#[test]
fn a_table_may_be_related_to_itself_in_chains_and_circles() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.ent");
    let store = Store::open(&path).unwrap();
    let parts = store.create_table("Parts").unwrap();
    let part_of = Relation::new("PartOf", "Parts", "Parts").keys("PartitionKey", "Of").on_delete(OnDelete::Cascade);
    store.create_relation(&part_of).unwrap();
    parts.create_entity(entity! { "p", "self", "Of" => "self" }).unwrap();
    parts.delete_entity("p", "self").unwrap();
    // A chain as long as few stacks are deep.
    let chain = (0..20_000).map(|number| {
        let mut part = entity! { "p", format!("{number:05}") };
        if number > 0 {
            part.insert("Of", format!("{:05}", number - 1));
        }
        (&parts, Operation::create(part).unwrap())
    });
    store.submit_batch(chain).unwrap();
    parts.update_entity(entity! { "p", "00000", "Of" => "19999" }, UpdateMode::Merge).unwrap();
    parts.delete_entity("p", "10000").unwrap();
    assert!(keys(&parts).is_empty());
    store.close();
    let report = verify(&path).unwrap();
    assert!(report.is_clean(), "{report}");
}

#[test]
fn a_cascade_has_a_bound_and_beyond_it_nothing_is_done() {
    let store = Store::in_memory().unwrap();
    let (roots, leaves) = (store.create_table("Roots").unwrap(), store.create_table("Leaves").unwrap());
    let root = Relation::new("Root", "Leaves", "Roots").keys("Pk", "PartitionKey").on_delete(OnDelete::Cascade);
    store.create_relation(&root).unwrap();
    let leaf =
        |root: &str, number: u32| Operation::create(entity! { root, format!("{number:06}"), "Pk" => "r" }).unwrap();
    for (root, count) in [("fits", 100_000), ("beyond", 100_001)] {
        roots.create_entity(entity! { "r", root }).unwrap();
        store.submit_batch((0..count).map(|number| (&leaves, leaf(root, number)))).unwrap();
    }
    let error = refused(roots.delete_entity("r", "beyond"), ErrorCode::CascadeTooLarge);
    assert_eq!((error.details().limit, error.details().actual), (Some(100_000), Some(100_001)));
    assert!(roots.exists("r", "beyond").unwrap());
    assert_eq!(leaves.count("PartitionKey eq 'beyond'").unwrap(), 100_001);
    roots.delete_entity("r", "fits").unwrap();
    assert_eq!(leaves.count("PartitionKey eq 'fits'").unwrap(), 0);
}

#[test]
fn what_was_loaded_before_is_found_and_repaired() {
    let store = Store::in_memory().unwrap();
    let (parents, children) = (store.create_table("Parents").unwrap(), store.create_table("Children").unwrap());
    parents.create_entity(entity! { "p", "1" }).unwrap();
    for number in 0..2_500 {
        let parent = (number % 5).to_string();
        children.create_entity(entity! { "c", format!("{number:05}"), "Pk" => "p", "Rk" => parent }).unwrap();
    }
    children.create_entity(entity! { "c", "none" }).unwrap();
    children.create_entity(entity! { "c", "number", "Pk" => "p", "Rk" => 7 }).unwrap();
    // What can be nobody's key leads nowhere, too.
    children.create_entity(entity! { "c", "x1", "Pk" => "p", "Rk" => "a/b" }).unwrap();
    children.create_entity(entity! { "c", "x2", "Pk" => "p\0", "Rk" => "1" }).unwrap();
    store.create_relation(&Relation::new("Of", "Children", "Parents").keys("Pk", "Rk")).unwrap();
    let orphans = children.orphans("Of", 3).unwrap();
    assert_eq!(orphans.iter().map(|one| one.row_key.as_str()).collect::<Vec<_>>(), ["00000", "00002", "00003"]);
    assert_eq!(orphans[1].target, ("p".to_owned(), "2".to_owned()));
    assert_eq!(children.orphans("Of", usize::MAX).unwrap().len(), 2_002);
    assert!(children.parent_of("Of", "c", "x2").unwrap().is_none());
    // It may be written, as long as its link stays.
    children.update_entity(entity! { "c", "00000", "Seen" => true }, UpdateMode::Merge).unwrap();
    children.update_entity(entity! { "c", "number", "Seen" => true }, UpdateMode::Merge).unwrap_err();
    parents.create_entity(entity! { "p", "2" }).unwrap();
    assert_eq!(children.repair_orphans("Of", Repair::Unlink).unwrap(), 1_502);
    assert_eq!(children.count("Rk eq null").unwrap(), 1_503);
    parents.create_entity(entity! { "p", "3" }).unwrap();
    children.link("Of", ("c", "00000"), ("p", "3")).unwrap();
    refused(children.link("Of", ("c", "00000"), ("p", "4")), ErrorCode::LinkTargetNotFound);
    assert_eq!(children.parent_of("Of", "c", "00000").unwrap().unwrap().row_key(), "3");
    assert!(children.unlink("Of", "c", "00000").unwrap() && !children.unlink("Of", "c", "00000").unwrap());
    assert!(children.parent_of("Of", "c", "00000").unwrap().is_none());
    assert_eq!(children.repair_orphans("Of", Repair::Delete).unwrap(), 0);
}

#[test]
fn relations_are_declared_once_and_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.ent");
    let store = Store::open(&path).unwrap();
    let (parents, children) = (store.create_table("Parents").unwrap(), store.create_table("Children").unwrap());
    let of = Relation::new("Of", "Children", "Parents").keys("Pk", "Rk");
    store.create_relation(&of).unwrap();
    refused(store.create_relation(&of), ErrorCode::RelationAlreadyExists);
    store.create_relation_if_not_exists(&of).unwrap();
    let other = of.clone().on_delete(OnDelete::Cascade);
    refused(store.create_relation_if_not_exists(&other), ErrorCode::RelationAlreadyExists);
    let to = |child: &str, parent: &str| store.create_relation(&Relation::new("X", child, parent).keys("Pk", "Rk"));
    refused(to("Children", "Nowhere"), ErrorCode::TableNotFound);
    refused(to("Nowhere", "Parents"), ErrorCode::TableNotFound);
    let invalid = |relation: Relation| refused(store.create_relation(&relation), ErrorCode::InvalidInput);
    invalid(Relation::new("", "Children", "Parents"));
    invalid(Relation::new("X", "Children", "Parents").keys("Pk", "Pk"));
    invalid(Relation::new("X", "Children", "Parents").keys("Timestamp", "Rk"));
    refused(
        store.create_relation(&Relation::new("X", "Children", "Parents").keys("P k", "Rk")),
        ErrorCode::PropertyNameInvalid,
    );
    assert_eq!(children.relations().unwrap(), std::slice::from_ref(&of));
    assert!(parents.relations().unwrap().is_empty());
    // Its index is its own.
    assert_eq!(children.list_indexes().unwrap().len(), 1);
    let error = refused(children.drop_index("Of"), ErrorCode::InvalidInput);
    assert_eq!(error.details().relation.as_deref(), Some("Of"));
    children.create_index(Index::new("Another").properties(["Rk"])).unwrap();
    // It is held by who opens the file next.
    store.close();
    assert!(verify(&path).unwrap().is_clean());
    let store = Store::open(&path).unwrap();
    let [parents, children] = ["Parents", "Children"].map(|name| store.table(name).unwrap());
    let child = || entity! { "c", "1", "Pk" => "p", "Rk" => "1" };
    refused(children.create_entity(child()), ErrorCode::LinkTargetNotFound);
    parents.create_entity(entity! { "p", "1" }).unwrap();
    children.create_entity(child()).unwrap();
    refused(parents.delete_entity("p", "1"), ErrorCode::LinkedEntitiesExist);
    store.compact().unwrap();
    refused(parents.delete_entity("p", "1"), ErrorCode::LinkedEntitiesExist);
    store.drop_relation("Children", "Of").unwrap();
    refused(store.drop_relation("Children", "Of"), ErrorCode::RelationNotFound);
    for outcome in [children.orphans("Of", 1).map(drop), children.linked("Of", "p", "1").map(drop)] {
        refused(outcome, ErrorCode::RelationNotFound);
    }
    assert_eq!(
        children.list_indexes().unwrap().iter().map(|one| one.name().to_owned()).collect::<Vec<_>>(),
        ["Another"]
    );
    parents.delete_entity("p", "1").unwrap();
    // With either table it goes.
    store.create_relation(&of).unwrap();
    refused(
        children.update_entity(entity! { "c", "1", "Rk" => "9" }, UpdateMode::Merge),
        ErrorCode::LinkTargetNotFound,
    );
    parents.delete_table().unwrap();
    children.update_entity(entity! { "c", "1", "Rk" => "9" }, UpdateMode::Merge).unwrap();
    assert!(children.relations().unwrap().is_empty());
    store.close();
    assert!(verify(&path).unwrap().is_clean());
}

#[test]
fn many_to_many_is_read_from_both_sides_and_linked_once() {
    let store = Store::in_memory().unwrap();
    let (friends, groups) = (store.create_table("Friends").unwrap(), store.create_table("Groups").unwrap());
    let members = store.create_join("Members", "Friends", "Groups", OnDelete::Cascade).unwrap();
    for number in 0..30 {
        friends.create_entity(entity! { "f", format!("{number:02}") }).unwrap();
        groups.create_entity(entity! { "g", format!("{number:02}") }).unwrap();
    }
    for friend in 0..30 {
        for group in (0..30).filter(|group| (friend * group) % 7 == 1) {
            let (friend, group) = (format!("{friend:02}"), format!("{group:02}"));
            assert!(members.link(("f", &friend), ("g", &group)).unwrap());
            assert!(!members.link(("f", &friend), ("g", &group)).unwrap());
        }
    }
    let walk = |of: &str, is_left: bool| {
        let (mut found, mut token) = (Vec::new(), None);
        loop {
            let page = if is_left { members.rights(("f", of), 2, token) } else { members.lefts(("g", of), 2, token) };
            let page = page.unwrap();
            assert!(page.entities.len() <= 2);
            found.extend(page.entities.iter().map(|one| one.row_key().to_owned()));
            token = page.continuation_token;
            if token.is_none() {
                return found;
            }
        }
    };
    for of in 0..30_u32 {
        let expected: Vec<_> =
            (0..30).filter(|other| (of * other) % 7 == 1).map(|other| format!("{other:02}")).collect();
        assert_eq!(walk(&format!("{of:02}"), true), expected);
        assert_eq!(walk(&format!("{of:02}"), false), expected);
    }
    refused(members.link(("f", "99"), ("g", "01")), ErrorCode::LinkTargetNotFound);
    refused(members.link(("f", "01"), ("g", "99")), ErrorCode::LinkTargetNotFound);
    assert!(members.is_linked(("f", "01"), ("g", "08")).unwrap());
    assert!(members.unlink(("f", "01"), ("g", "08")).unwrap() && !members.unlink(("f", "01"), ("g", "08")).unwrap());
    friends.delete_entity("f", "02").unwrap();
    groups.delete_entity("g", "04").unwrap();
    assert!(walk("02", true).is_empty() && walk("04", false).is_empty());
    assert!(!walk("11", false).contains(&"02".to_owned()));
    // One read of a range for each direction.
    for query in [members.table().linked_query("Left", "f", "03"), members.table().linked_query("Right", "g", "03")] {
        let explain = members.table().explain(query.unwrap()).unwrap();
        assert_eq!((explain.rows_read(), explain.index().is_some()), (explain.rows_returned(), true), "{explain}");
    }
}
