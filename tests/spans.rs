//! What whoever listens by `tracing` is told: what is done, and how much of it; nothing of what is in the store.

use entable::{Store, entity};
use std::collections::BTreeMap;
use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// A span as it was told: its name, and what was recorded.
type Span = (&'static str, BTreeMap<&'static str, String>);

/// Keeps all spans of the store.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<Span>>>);

struct Fields<'a>(&'a mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "entable"
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut fields = BTreeMap::new();
        attributes.record(&mut Fields(&mut fields));
        let mut spans = self.0.lock().expect("the spans");
        spans.push((attributes.metadata().name(), fields));
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let at = usize::try_from(span.into_u64()).expect("an index") - 1;
        values.record(&mut Fields(&mut self.0.lock().expect("the spans")[at].1));
    }

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}
    fn event(&self, _event: &Event<'_>) {}
    fn enter(&self, _span: &Id) {}
    fn exit(&self, _span: &Id) {}
}

#[test]
fn spans_tell_what_was_done_and_nothing_of_what_is_stored() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.ent");
    let listener = Listener::default();
    tracing::subscriber::with_default(listener.clone(), || {
        let store = Store::open(&path).expect("a store");
        let table = store.create_table("Secrets").expect("a table");
        for row_key in ["secret-a", "secret-b", "secret-c"] {
            let row = entity! { "secret-p", row_key, "SecretName" => "secret-value" };
            table.create_entity(row).expect("an entity");
        }
        table.get_entity("secret-p", "secret-a").expect("an entity");
        let query = "PartitionKey eq 'secret-p' and RowKey gt 'secret-a' and SecretName eq 'secret-value'";
        assert_eq!(table.query_entities(query).expect("a query").count(), 2);
        store.backup(folder.path().join("backup.ent")).expect("a backup");
        store.compact().expect("compacted");
    });
    let spans = listener.0.lock().expect("the spans");
    let mut text = String::new();
    for (name, fields) in spans.iter() {
        writeln!(text, "{name} {fields:?}").expect("a String takes all");
    }
    println!("{text}");
    assert!(!text.to_lowercase().contains("secret"), "{text}");
    let names: Vec<_> = spans.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["open", "commit", "commit", "commit", "commit", "query", "backup", "compact"]);
    let field = |span: usize, name: &str| spans[span].1.get(name).map_or("", String::as_str);
    assert!(field(0, "path").contains("store.ent"));
    assert_eq!((field(2, "groups"), field(2, "bytes").parse::<u64>().is_ok_and(|bytes| bytes > 50)), ("1", true));
    assert_eq!((field(5, "path"), field(5, "rows_read"), field(5, "rows_returned")), ("\"range\"", "2", "2"));
    // Three entities, a table, its name, its one property.
    assert_eq!((field(6, "records"), field(7, "records")), ("6", "6"));
}
