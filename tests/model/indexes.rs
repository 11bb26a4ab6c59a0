//! Indexes in the model: what they bind, in what order they are, and what is asked through them.

use crate::filter::{self, NAMES, Tree, Written};
use crate::reads::matching;
use crate::relations;
use crate::row::{Row, check_row};
use crate::run::Run;
use crate::value::{Outcome, V, folded};
use crate::world::{Failure, Table, World};
use entable::index::{Index, Projection, Scope, State};
use entable::{ErrorCode, Mode, Query};
use std::cmp::Ordering;
use std::rc::Rc;

/// A declared index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) properties: Vec<String>,
    is_of_partition: bool,
    is_unique: bool,
    folds_case: bool,
}

/// What an index has of a value before it cuts it off.
const KEPT_BYTES: usize = 512;

impl Declared {
    /// The index by which a relation finds children.
    pub(crate) fn of_relation(name: &str, properties: &[&str], is_of_partition: bool) -> Declared {
        let properties = properties.iter().map(|name| (*name).to_owned()).collect();
        Declared { name: name.into(), properties, is_of_partition, is_unique: false, folds_case: false }
    }

    fn values(&self, row: &Row) -> Vec<Option<V>> {
        let value = |name: &String| match filter::property(row, name) {
            Some(V::Text(text)) if self.folds_case => Some(V::Text(folded(&text))),
            value => value,
        };
        self.properties.iter().map(value).collect()
    }

    /// Whether the two rows cannot both be there.
    fn forbids(&self, a: &Row, b: &Row) -> bool {
        self.is_unique
            && (!self.is_of_partition || a.partition_key == b.partition_key)
            && self.values(a).iter().zip(&self.values(b)).all(|values| match values {
                (Some(a), Some(b)) => a.compare(b, false) == Some(Outcome::Ordered(Ordering::Equal)),
                _ => false,
            })
    }
}

impl Table {
    /// Whether a row may be there beside the others.
    pub(crate) fn takes(&self, row: &Row) -> bool {
        let is_other = |other: &&Row| (&other.partition_key, &other.row_key) != (&row.partition_key, &row.row_key);
        let unique = self.indexes.iter().filter(|index| index.is_unique);
        unique.into_iter().all(|index| !self.rows.values().filter(is_other).any(|other| index.forbids(row, other)))
    }
}

impl World {
    fn create_index(&mut self, table: &str, index: Declared) -> Result<(), Failure> {
        let table = self.tables.get_mut(&table.to_lowercase()).ok_or((ErrorCode::TableNotFound, None))?;
        if table.indexes.iter().any(|known| known.name == index.name) {
            return Err((ErrorCode::IndexAlreadyExists, None));
        }
        let rows: Vec<&Row> = table.rows.values().collect();
        if index.is_unique && rows.iter().enumerate().any(|(at, a)| rows[..at].iter().any(|b| index.forbids(a, b))) {
            return Err((ErrorCode::UniqueIndexViolation, None));
        }
        table.indexes.push(index);
        Ok(())
    }

    fn drop_index(&mut self, table: &str, name: &str) -> Result<(), Failure> {
        let table = self.tables.get_mut(&table.to_lowercase()).ok_or((ErrorCode::TableNotFound, None))?;
        let at = table.indexes.iter().position(|known| known.name == name);
        table.indexes.remove(at.ok_or((ErrorCode::IndexNotFound, None))?);
        Ok(())
    }
}

/// A change of what is declared.
pub(crate) enum Change {
    Create(Declared, Index),
    Drop(String),
}

impl Run {
    /// Creates or drops an index, of which few are kept.
    pub(crate) fn change_index(&mut self) {
        let table = self.table_name();
        let change = self.index_change(&table);
        let handle = self.store.table(&table).expect("a name");
        let done = match &change {
            Change::Create(_, index) => handle.create_index(index.clone()),
            Change::Drop(name) => handle.drop_index(name),
        };
        self.check_index_change(&table, change, done);
    }

    pub(crate) fn index_change(&mut self, table: &str) -> Change {
        let indexes = self.world.table(table).map(|table| table.indexes.as_slice()).unwrap_or_default();
        let names = indexes.iter().map(|index| index.name.clone());
        // That of a relation goes with it.
        let mut names: Vec<String> = names.filter(|name| !relations::NAMES.contains(&name.as_str())).collect();
        if names.len() > 3 || self.random.percent(25) {
            names.push("Z".into());
            let name = self.random.pick(&names);
            self.note(format!("drop index {name} of {table}"));
            return Change::Drop(name);
        }
        let mut properties: Vec<String> = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let name = match self.random.below(10) {
                0 => "RowKey",
                1 => "Timestamp",
                _ => self.random.pick(&NAMES),
            };
            if !properties.iter().any(|known| known == name) {
                properties.push(name.into());
            }
        }
        let projection = match self.random.below(4) {
            0 => Projection::All,
            1 => Projection::names([self.random.pick(&NAMES), "Size", "Kind"]),
            _ => Projection::Keys,
        };
        let is_of_partition = self.random.percent(30);
        let declared = Declared {
            name: self.random.pick(&["A", "B", "C", "é", "D"]).to_owned(),
            // The model gives Timestamps after the write.
            is_unique: !properties.iter().any(|name| name == "Timestamp") && self.random.percent(15),
            folds_case: self.random.percent(30),
            properties,
            is_of_partition,
        };
        let index = Index::new(declared.name.as_str()).properties(declared.properties.iter().map(String::as_str));
        let scope = if is_of_partition { Scope::Partition } else { Scope::Table };
        let index = index.scope(scope).projection(projection).unique(declared.is_unique).fold_case(declared.folds_case);
        self.note(format!("{table}: {index:?}"));
        Change::Create(declared, index)
    }

    pub(crate) fn check_index_change(&mut self, table: &str, change: Change, done: entable::Result<()>) {
        let world = Rc::make_mut(&mut self.world);
        let (what, expected) = match change {
            Change::Create(declared, _) => ("made", world.create_index(table, declared)),
            Change::Drop(name) => ("dropped", world.drop_index(table, &name)),
        };
        self.tally.count(match &expected {
            Ok(()) => format!("index: {what}"),
            Err((code, _)) => format!("index: {}", code.name()),
        });
        let shown = format!("{done:?}");
        assert_eq!(done.map_err(|error| (error.code(), None)), expected, "{shown}");
    }

    /// The declared indexes of a table are those of the model.
    pub(crate) fn check_indexes(&self, table: &Table) {
        let found = self.store.table(&table.name).and_then(|table| table.list_indexes()).expect("the indexes");
        assert!(found.iter().all(|index| index.state() == State::Ready), "{found:?}");
        let names: Vec<&str> = found.iter().map(|index| index.name()).collect();
        assert_eq!(names, table.indexes.iter().map(|index| index.name.as_str()).collect::<Vec<_>>());
    }

    /// A filter that one of the rows, at least, answers to, by all that an index has of it.
    pub(crate) fn lookup(&mut self, table: &Table) -> Option<Tree> {
        let rows: Vec<&Row> = table.rows.values().collect();
        if rows.is_empty() || table.indexes.is_empty() {
            return None;
        }
        // Rows of a unique index are the fewest.
        let unique: Vec<Declared> = table.indexes.iter().filter(|index| index.is_unique).cloned().collect();
        let index = self.random.pick(if unique.is_empty() { &table.indexes } else { &unique });
        let row = self.random.pick(&rows);
        let equal = |name: &String| match filter::property(row, name)? {
            V::Text(text) if index.folds_case => {
                Some(Tree::Folded { name: name.clone(), op: "eq", text: folded(&text) })
            }
            constant => Some(Tree::Compare { name: name.clone(), op: "eq", constant, how: Written::Parameter }),
        };
        let partition = "PartitionKey".to_owned();
        let names = index.is_of_partition.then_some(&partition).into_iter().chain(&index.properties);
        names.map(equal).collect::<Option<Vec<Tree>>>().map(Tree::And)
    }

    /// The rows in the order of an index, which other indexes may have, too.
    pub(crate) fn ordered_query(&mut self) {
        let name = self.table_name();
        let (tree, mode) = self.filter();
        let (table, world, what) = self.moment(&name);
        let Ok(expected) = world.table(&name) else { return };
        let Some(index) = (!expected.indexes.is_empty()).then(|| self.random.pick(&expected.indexes)) else { return };
        if mode == Mode::Strict || index.folds_case {
            return;
        }
        let tree = if index.is_of_partition {
            let constant = V::Text(self.random.pick(&self.partition_keys));
            let partition = Tree::Compare { name: "PartitionKey".into(), op: "eq", constant, how: Written::Straight };
            Some(Tree::And(std::iter::once(partition).chain(tree).collect()))
        } else {
            tree
        };
        let count = 1 + self.random.below(index.properties.len());
        let order = index.properties[..count].join(if self.random.percent(50) { "," } else { ", " });
        let limit = self.random.percent(30).then(|| self.random.below(20));
        let is_descending = self.random.percent(40);
        let page_size = 1 + self.random.below(60);
        let shown = tree.as_ref().map(filter::shown).unwrap_or_default();
        self.note(format!("{what} {name} by {order}, descending {is_descending}, limit {limit:?}: {shown}"));
        let mut query = tree.as_ref().map_or_else(Query::all, filter::query).mode(mode);
        query = query.order_by(order).page_size(page_size);
        if is_descending {
            query = query.descending();
        }
        if let Some(limit) = limit {
            query = query.limit(limit as u64);
        }
        let values = |row: &Row| -> Vec<Option<V>> { index.values(row).into_iter().take(count).collect() };
        let mut rows: Vec<&Row> = matching(expected, tree.as_ref(), mode).collect();
        // Stable: rows that are alike stay in the order of their keys.
        rows.sort_by(|a, b| in_order(&values(a), &values(b)));
        let has_no_order = rows.windows(2).any(|pair| differ_behind_the_cut(&values(pair[0]), &values(pair[1])));
        if is_descending {
            rows.reverse();
        }
        let found = table.expect("a handle").query_entities(query).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let found = match found {
            Err(error) if has_no_order => {
                assert_eq!(error.code(), ErrorCode::NotImplemented, "{error:?}");
                return self.tally.count("order: refused");
            }
            found => found.unwrap_or_else(|error| panic!("{error:?}: {shown}")),
        };
        assert!(!has_no_order || limit.is_some(), "there is no order: {shown}");
        let matches = rows.len();
        rows.truncate(limit.unwrap_or(usize::MAX));
        assert_eq!(found.len(), rows.len(), "{shown}");
        let mut rest: Vec<&Row> = matching(expected, tree.as_ref(), mode).collect();
        for (row, found) in rows.iter().zip(&found) {
            let is_found =
                |row: &&Row| (&*row.partition_key, &*row.row_key) == (found.partition_key(), found.row_key());
            let at = rest.iter().position(is_found).expect("a row that matches, once");
            let came = rest.swap_remove(at);
            check_row(came, found);
            assert!(has_no_order || in_order(&values(came), &values(row)).is_eq(), "{came:?} in the place of {row:?}");
        }
        // Those that are alike come by key where no index has anything else behind.
        let others = expected.indexes.iter().filter(|other| other.properties.contains(&index.properties[0]));
        if others.count() == 1 && count == index.properties.len() && !has_no_order {
            let keys = |row: &Row| (row.partition_key.clone(), row.row_key.clone());
            let came: Vec<_> =
                found.iter().map(|row| (row.partition_key().to_owned(), row.row_key().to_owned())).collect();
            assert_eq!(came, rows.iter().map(|row| keys(row)).collect::<Vec<_>>(), "{shown}");
            self.tally.count("order: with ties by key");
        }
        self.tally.count(if matches > 1 { "order: several rows" } else { "order: few rows" });
    }
}

fn rank(value: &Option<V>) -> u8 {
    match value {
        None => 0,
        Some(V::Bool(_)) => 1,
        Some(V::I32(_) | V::I64(_) | V::F64(_)) => 2,
        Some(V::Date(_)) => 3,
        Some(V::Guid(_)) => 4,
        Some(V::Text(_)) => 5,
        Some(V::Bytes(_)) => 6,
    }
}

/// The order of `order_by`: what is missing, then type by type, NaN behind the numbers.
fn in_order(a: &[Option<V>], b: &[Option<V>]) -> Ordering {
    let is_nan = |value: &V| matches!(value, V::F64(number) if number.is_nan());
    let one = |(a, b): (&Option<V>, &Option<V>)| {
        let (Some(value), Some(other)) = (a, b) else { return rank(a).cmp(&rank(b)) };
        rank(a).cmp(&rank(b)).then_with(|| match value.compare(other, false) {
            Some(Outcome::Ordered(order)) => order,
            _ => is_nan(value).cmp(&is_nan(other)),
        })
    };
    a.iter().zip(b).map(one).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Whether the first values that are not the same are so only behind what an index has of them.
fn differ_behind_the_cut(a: &[Option<V>], b: &[Option<V>]) -> bool {
    let first = a.iter().zip(b).find(|(a, b)| in_order(std::slice::from_ref(a), std::slice::from_ref(b)).is_ne());
    match first {
        Some((Some(V::Text(a)), Some(V::Text(b)))) => {
            a.len() > KEPT_BYTES && b.len() > KEPT_BYTES && a.as_bytes()[..KEPT_BYTES] == b.as_bytes()[..KEPT_BYTES]
        }
        _ => false,
    }
}
