//! The published patterns: their definitions from C++, and what they write and ask for.

use crate::batch::results;
use crate::bridge::{
    FieldDefinition, GivenText, KeyPair, Lookup, OperationHead, OptionalText, PatternDefinition, Written,
};
use crate::entity::Entity;
use crate::failure::{Failure, Raised, Result, boundary, optional_text};
use crate::query::Page;
use crate::store::Store;
use crate::value::{date_time, text};
use entable::patterns::Step;
use entable::{Condition, Error, ErrorCode, Mode, Operation, OperationKind, UpdateMode, Value};
use entable_c::pattern;

type Done<T> = std::result::Result<T, Raised>;

/// Entities of C++, some of which may not be there.
#[derive(Default)]
pub(crate) struct Entities(Vec<Option<entable::Entity>>);

pub(crate) fn new_entities() -> Box<Entities> {
    Box::default()
}

impl Entities {
    #[allow(clippy::boxed_local, reason = "the bridge hands a value of ours over in a box")]
    pub(crate) fn add(&mut self, entity: Box<Entity>) {
        self.0.push(Some(entity.0));
    }

    pub(crate) fn add_none(&mut self) {
        self.0.push(None);
    }

    fn there(&self) -> Vec<entable::Entity> {
        self.0.iter().flatten().cloned().collect()
    }

    /// The one entity, or none.
    fn state(&self) -> Option<&entable::Entity> {
        self.0.first().and_then(Option::as_ref)
    }
}

fn optional(given: &GivenText, name: &str) -> Result<Option<String>> {
    given.is_there.then(|| Ok(text(&given.bytes, name)?.to_owned())).transpose()
}

fn needed(given: &GivenText, name: &str) -> Result<String> {
    Ok(text(&given.bytes, name)?.to_owned())
}

fn field(given: &FieldDefinition) -> Result<pattern::FieldDefinition> {
    let (name, each) = (needed(&given.name, "name")?, optional(&given.each, "each")?);
    Ok(pattern::FieldDefinition { name, form: given.form, padded: given.padded, each })
}

fn definition(given: &PatternDefinition) -> Result<pattern::Definition> {
    let select = || given.select.iter().map(|name| needed(name, "select")).collect::<Result<Vec<String>>>();
    Ok(pattern::Definition {
        kind: given.kind,
        table: needed(&given.table, "table")?,
        kept_in: optional(&given.kept_in, "kept_in")?,
        prefix: optional(&given.prefix, "prefix")?,
        row_prefix: optional(&given.row_prefix, "row_prefix")?,
        partition: optional(&given.partition, "partition")?,
        property: optional(&given.property, "property")?,
        folded: optional(&given.folded, "folded")?,
        separator: optional(&given.separator, "separator")?,
        fields: given.fields.iter().map(field).collect::<Result<_>>()?,
        select: given.selects.then(select).transpose()?,
        holding: given.holding,
        period: given.period,
        shards: given.shards,
        is_composed: given.is_composed,
        by_both_keys: given.by_both_keys,
        both_orders: given.both_orders,
    })
}

/// A pattern, and the table of its rows.
pub(crate) struct Pattern {
    pattern: pattern::Pattern,
    table: String,
}

/// The value comes as the property of an entity, which has every type.
#[allow(clippy::boxed_local, reason = "the bridge hands a value of ours over in a box")]
pub(crate) fn field_text(field: &FieldDefinition, value: Box<Entity>) -> Done<String> {
    boundary(|| Ok(self::field(field)?.text_of(one_value(&value)?)?))
}

fn one_value(holder: &Entity) -> Result<Value> {
    let value = holder.0.properties().next().map(|(_, value)| value.clone());
    value.ok_or_else(|| Failure::misuse("value", "There is none."))
}

pub(crate) fn new_pattern(definition: &PatternDefinition) -> Done<Box<Pattern>> {
    boundary(|| {
        let definition = self::definition(definition)?;
        Ok(Box::new(Pattern { pattern: definition.pattern()?, table: definition.table }))
    })
}

fn given(is_there: bool, key: &[u8]) -> Result<Option<&str>> {
    is_there.then(|| text(key, "partition_key")).transpose()
}

fn lookup_out(lookup: &entable::patterns::Lookup) -> Lookup {
    let (partition_key, row_key) = lookup.keys().unwrap_or_default();
    Lookup {
        table: lookup.table().to_owned(),
        filter: lookup.filter(),
        has_limit: lookup.limit().is_some(),
        limit: lookup.limit().unwrap_or_default(),
        has_keys: lookup.keys().is_some(),
        partition_key: partition_key.to_owned(),
        row_key: row_key.to_owned(),
    }
}

fn pair((partition_key, row_key): (String, String)) -> KeyPair {
    KeyPair { partition_key, row_key }
}

impl Pattern {
    pub(crate) fn reads(&self, former: &Entities, new: &Entities) -> Done<Vec<Lookup>> {
        boundary(|| {
            let reads = self.pattern.reads(&self.table, former.state(), new.state())?;
            Ok(reads.iter().map(lookup_out).collect())
        })
    }

    pub(crate) fn changes(&self, former: &Entities, new: &Entities, stored: &Entities) -> Done<Box<Changes>> {
        boundary(|| Ok(Box::new(Changes(self.pattern.changes(former.state(), new.state(), &stored.there())?))))
    }

    pub(crate) fn reconcile(&self, seen: &Entities, current: &Entities, stored: &Entities) -> Done<Box<Changes>> {
        boundary(|| {
            let seen: Vec<&entable::Entity> = seen.0.iter().flatten().collect();
            Ok(Box::new(Changes(self.pattern.reconcile(&seen, current.state(), &stored.there())?)))
        })
    }

    /// The value comes as the property of an entity, which has every type.
    #[allow(clippy::boxed_local, reason = "the bridge hands a value of ours over in a box")]
    pub(crate) fn record(&self, series: &[u8], ticks: i64, value: Box<Entity>) -> Done<Box<Changes>> {
        boundary(|| {
            let (series, time) = (text(series, "series")?, date_time(ticks, "time")?);
            Ok(Box::new(Changes(self.pattern.record(series, time, one_value(&value)?)?)))
        })
    }

    /// The values come as the properties of an entity.
    #[allow(clippy::boxed_local, reason = "the bridge hands a value of ours over in a box")]
    pub(crate) fn lookup(&self, kind: u32, has_partition: bool, key: &[u8], values: Box<Entity>) -> Done<Lookup> {
        boundary(|| {
            let values: Vec<Value> = values.0.properties().map(|(_, value)| value.clone()).collect();
            Ok(lookup_out(&self.pattern.lookup(pattern::Ask::of(kind)?, given(has_partition, key)?, &values)?))
        })
    }

    pub(crate) fn rows(&self, has_partition: bool, key: &[u8], found: &Entities) -> Done<Vec<KeyPair>> {
        boundary(|| Ok(self.pattern.rows(given(has_partition, key)?, &found.there())?.into_iter().map(pair).collect()))
    }

    #[allow(clippy::boxed_local, reason = "the bridge hands a value of ours over in a box")]
    pub(crate) fn row_of(&self, row: Box<Entity>) -> Done<Box<Entity>> {
        boundary(|| Ok(Box::new(self.pattern.row_of(&row.0)?.into())))
    }

    pub(crate) fn join(&self, parts: &Entities) -> Done<Box<Page>> {
        boundary(|| Ok(Box::new(Page::of_many(vec![self.pattern.join(&parts.there())?]))))
    }

    /// Each pair as the two properties of an entity.
    pub(crate) fn pairs(&self, found: &Entities) -> Done<Box<Page>> {
        boundary(|| {
            let pairs = self.pattern.pairs(&found.there())?.into_iter().map(|(key, value)| {
                let mut pair = entable::Entity::new("", "");
                pair.insert("Key", key);
                pair.insert("Value", value);
                Some(pair)
            });
            Ok(Box::new(Page::of_many(pairs.collect())))
        })
    }
}

impl Pattern {
    #[allow(clippy::boxed_local, reason = "the bridge hands a value of ours over in a box")]
    pub(crate) fn remove(&self, entity: Box<Entity>, ticks: i64) -> Done<Box<Changes>> {
        boundary(|| Ok(Box::new(Changes(self.pattern.remove(&entity.0, date_time(ticks, "time")?)?))))
    }

    pub(crate) fn rebuild(&self, partition_key: &[u8], rows: &Entities, stored: &Entities) -> Done<Box<Changes>> {
        boundary(|| {
            let partition_key = text(partition_key, "partition_key")?;
            Ok(Box::new(Changes(self.pattern.rebuild(partition_key, &rows.there(), &stored.there())?)))
        })
    }

    pub(crate) fn ids(&self, lists: &Entities) -> Done<Vec<String>> {
        boundary(|| Ok(self.pattern.ids(&lists.there())?))
    }

    #[allow(clippy::boxed_local, reason = "the bridge hands a value of ours over in a box")]
    pub(crate) fn value_of(&self, list: Box<Entity>) -> Done<OptionalText> {
        boundary(|| Ok(optional_text(self.pattern.value_of(&list.0)?)))
    }

    pub(crate) fn shard_key(&self, row_key: &[u8]) -> Done<String> {
        boundary(|| Ok(self.pattern.shard_key(text(row_key, "row_key")?)?))
    }

    pub(crate) fn parts(&self, row_key: &[u8]) -> Done<Vec<String>> {
        boundary(|| Ok(self.pattern.parts(text(row_key, "row_key")?)?))
    }
}

/// What a pattern writes.
pub(crate) struct Changes(entable::patterns::Changes);

impl Changes {
    fn step(&self, index: usize) -> Result<&Step> {
        self.0.steps().get(index).ok_or_else(|| Failure::misuse("step", "There is no such step."))
    }

    pub(crate) fn tables(&self) -> Vec<String> {
        self.0.steps().iter().map(|step| step.table().to_owned()).collect()
    }

    pub(crate) fn keys(&self, step: usize) -> Done<Vec<KeyPair>> {
        boundary(|| {
            let keys = self.step(step)?.keys();
            Ok(keys.map(|(partition_key, row_key)| pair((partition_key.into(), row_key.into()))).collect())
        })
    }

    pub(crate) fn operations(&self, step: usize) -> Done<Box<OperationList>> {
        boundary(|| Ok(Box::new(OperationList(self.step(step)?.operations()?))))
    }

    pub(crate) fn remaining(&self, step: usize, stored: &Entities) -> Done<Box<OperationList>> {
        boundary(|| Ok(Box::new(OperationList(self.step(step)?.remaining(&stored.0)?))))
    }

    pub(crate) fn accepts(&self, step: usize, code: u16) -> bool {
        let code = ErrorCode::ALL.iter().find(|known| **known as u16 == code);
        code.is_some_and(|code| self.step(step).is_ok_and(|step| step.accepts(&Error::new(*code))))
    }

    pub(crate) fn join(&self, other: &Changes) -> Done<Box<Changes>> {
        boundary(|| Ok(Box::new(Changes(self.0.clone().join(other.0.clone())?))))
    }
}

/// Operations that C++ looks at.
pub(crate) struct OperationList(Vec<Operation>);

impl OperationList {
    pub(crate) fn heads(&self) -> Vec<OperationHead> {
        self.0.iter().map(head).collect()
    }

    pub(crate) fn entities(&self) -> Done<Box<Page>> {
        boundary(|| {
            let entities = self.0.iter().map(|operation| match operation.entity() {
                Some(input) => input.to_entity(None, Mode::Extended).map(Some),
                None => Ok(Some(entable::Entity::new(operation.partition_key(), operation.row_key()))),
            });
            Ok(Box::new(Page::of_many(entities.collect::<entable::Result<_>>()?)))
        })
    }
}

fn head(operation: &Operation) -> OperationHead {
    let number = |mode: UpdateMode| match mode {
        UpdateMode::Merge => 0,
        UpdateMode::Replace => 1,
    };
    let (verb, mode) = match operation.kind() {
        OperationKind::Create => (0, 0),
        OperationKind::Update(mode) => (1, number(mode)),
        OperationKind::Upsert(mode) => (2, number(mode)),
        OperationKind::Delete => (3, 0),
        // No pattern has these, and no filters.
        OperationKind::CreateOrGet => (4, 0),
        OperationKind::Move => (5, 0),
    };
    let (condition, etag) = match operation.condition() {
        Condition::None => (0, String::new()),
        Condition::Any => (1, String::new()),
        Condition::IfMatch(etag) => (2, etag.to_string()),
        Condition::Absent => (3, String::new()),
        Condition::Matches(_) => (4, String::new()),
    };
    OperationHead { verb, mode, condition, etag }
}

impl Store {
    /// All steps, in one transaction.
    pub(crate) fn submit_changes(&self, changes: &Changes) -> Done<Vec<Written>> {
        boundary(|| {
            let mut batch = Vec::new();
            for step in changes.0.steps() {
                let table = self.0.table(step.table())?;
                batch.extend(step.operations()?.into_iter().map(|operation| (table.clone(), operation)));
            }
            let named = batch.iter().map(|(table, operation)| (table, operation.clone()));
            Ok(results(&self.0.submit_batch(named)?))
        })
    }
}
