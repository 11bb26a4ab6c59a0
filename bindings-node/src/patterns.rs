//! The published patterns: definitions in, what they write and ask for out.

mod changes;
mod definition;

use crate::convert::{self, Shown, unknown};
use crate::error::{Converted, Failure};
use crate::form::whole_entity;
use crate::options::Options;
use crate::shape::{entity_out, input_out};
pub use changes::ChangesHandle;
use entable::patterns::{
    CompoundKey, DataSeries, DistinctList, FoldedKey, IndexEntities, IndexTable, LogTail, Lookup, SecondaryIndex,
    UniqueGuard, WideEntity,
};
use entable::{DateTime, Entity, EntityInput, Mode, Value};
use napi::bindgen_prelude::{Env, JavaScriptClassExt, JsValue, Object, Unknown};
use napi::{Result, ValueType};
use napi_derive::napi;

enum Pattern {
    Secondary(SecondaryIndex),
    Entities(IndexEntities),
    Table(IndexTable),
    Guard(UniqueGuard),
    Folded(FoldedKey),
    Tail(LogTail),
    Series(DataSeries),
    Wide(WideEntity),
    Compound(CompoundKey),
    Distinct(DistinctList),
}

/// A pattern, as `lib/patterns.js` wraps it. Its classes call what their pattern has.
#[napi]
pub struct PatternHandle(Pattern);

/// The arguments of a call, in their order.
struct Given<'env>(Vec<Unknown<'env>>);

impl<'env> Given<'env> {
    fn new(arguments: Unknown<'env>) -> Converted<Given<'env>> {
        Ok(Given(convert::elements(&convert::array_in(arguments, "arguments")?)?))
    }

    fn at(&self, at: usize, name: &str) -> Converted<Unknown<'env>> {
        let missing = || Failure::wrong_type(format!("{name} is missing.")).of(name);
        self.0.get(at).copied().ok_or_else(missing)
    }

    fn text(&self, at: usize, name: &str) -> Converted<String> {
        convert::text_in(self.at(at, name)?, name)
    }

    fn partition_key(&self) -> Converted<String> {
        convert::key_in(self.at(0, "partitionKey")?, "PartitionKey")
    }

    fn value(&self, at: usize, name: &str) -> Converted<Value> {
        value_in(self.at(at, name)?, name)
    }

    fn values(&self, at: usize) -> Converted<Vec<Value>> {
        let values = convert::array_in(self.at(at, "values")?, "values")?;
        convert::elements(&values)?.into_iter().map(|value| value_in(value, "values")).collect()
    }

    fn time(&self, at: usize, name: &str) -> Converted<DateTime> {
        convert::time_in(self.at(at, name)?, name)
    }

    fn count(&self, at: usize, name: &str) -> Converted<u64> {
        convert::unsigned_in(self.at(at, name)?, name)
    }

    fn entity(&self, at: usize, name: &str) -> Converted<Entity> {
        whole_entity(self.at(at, name)?)
    }

    fn state(&self, at: usize) -> Converted<Option<Entity>> {
        self.0.get(at).map_or(Ok(None), |value| state_in(*value))
    }

    fn options(&self, at: usize) -> Converted<Options<'env>> {
        self.0.get(at).map_or_else(|| Ok(Options::none()), |value| Options::new(*value, "options"))
    }

    fn entities(&self, at: usize, name: &str) -> Converted<Vec<Entity>> {
        let entities = convert::elements(&convert::array_in(self.at(at, name)?, name)?)?;
        entities.into_iter().map(whole_entity).collect()
    }
}

/// A state of a row: null and undefined are none.
fn state_in(value: Unknown<'_>) -> Converted<Option<Entity>> {
    match value.get_type()? {
        ValueType::Undefined | ValueType::Null => Ok(None),
        _ => whole_entity(value).map(Some),
    }
}

/// A value that is asked for. A number has the type that it would be stored with if nothing were there.
fn value_in(value: Unknown<'_>, name: &str) -> Converted<Value> {
    let missing = || Failure::wrong_type(format!("{name} has no value.")).of(name);
    let value = convert::value_in(value, Mode::Extended).map_err(|failure| failure.of(name))?.ok_or_else(missing)?;
    let mut input = EntityInput::new("", "");
    input.push("Value", value);
    input.to_entity(None, Mode::Extended)?.remove("Value").ok_or_else(missing)
}

/// Refuses what is no field.
#[napi(catch_unwind)]
pub fn check_field(env: &Env, field: Unknown<'_>) -> Result<()> {
    definition::field_in(field).map(drop).map_err(|failure| failure.into_js(env))
}

/// The text that stands in a key for a value.
#[napi(catch_unwind)]
pub fn field_text(env: &Env, field: Unknown<'_>, value: Unknown<'_>) -> Result<String> {
    let text = || Ok(definition::field_in(field)?.text_of(value_in(value, "value")?)?);
    text().map_err(|failure: Failure| failure.into_js(env))
}

fn lookup_out<'env>(env: &'env Env, lookup: &Lookup) -> Result<Unknown<'env>> {
    let mut object = Object::new(env)?;
    object.set("tableName", lookup.table())?;
    object.set("filter", lookup.filter())?;
    if let Some((partition_key, row_key)) = lookup.keys() {
        object.set("keys", vec![partition_key.to_owned(), row_key.to_owned()])?;
    }
    convert::set_some(&mut object, "limit", lookup.limit().map(|limit| limit as f64))?;
    Ok(object.to_unknown())
}

fn keys_out<'env>(env: &'env Env, keys: Vec<(String, String)>) -> Result<Unknown<'env>> {
    unknown(env, keys.into_iter().map(|(partition_key, row_key)| vec![partition_key, row_key]).collect::<Vec<_>>())
}

fn inputs_out<'env>(env: &'env Env, entities: &[Entity]) -> Result<Unknown<'env>> {
    let mut array = env.create_array(0)?;
    for entity in entities {
        array.insert(input_out(env, entity, false)?)?;
    }
    Ok(array.to_unknown())
}

impl PatternHandle {
    fn made(&self, call: &str, arguments: Unknown<'_>) -> Converted<entable::patterns::Changes> {
        let given = Given::new(arguments)?;
        if call == "reconcile" {
            let seen = given.entities(0, "seen")?;
            let (seen, current) = (seen.iter().collect::<Vec<_>>(), given.state(1)?);
            return Ok(match &self.0 {
                Pattern::Secondary(pattern) => pattern.reconcile(&seen, current.as_ref())?,
                Pattern::Entities(pattern) => {
                    pattern.reconcile(&seen, current.as_ref(), &given.entities(2, "lists")?)?
                }
                Pattern::Table(pattern) => pattern.reconcile(&seen, current.as_ref())?,
                Pattern::Guard(pattern) => pattern.reconcile(&seen, current.as_ref())?,
                Pattern::Folded(pattern) => pattern.reconcile(&seen, current.as_ref())?,
                _ => return Err(no_such(call)),
            });
        }
        match (&self.0, call) {
            (Pattern::Series(pattern), "record") => {
                let (series, time) = (given.text(0, "series")?, given.time(1, "time")?);
                return Ok(pattern.record(&series, time, given.value(2, "value")?)?);
            }
            (Pattern::Series(pattern), "remove") => {
                return Ok(pattern.remove(&given.entity(0, "entity")?, given.time(1, "time")?)?);
            }
            (Pattern::Distinct(pattern), "rebuild") => {
                let (rows, counts) = (given.entities(1, "rows")?, given.entities(2, "counts")?);
                return Ok(pattern.rebuild(&given.partition_key()?, &rows, &counts)?);
            }
            (_, "changes") => {}
            _ => return Err(no_such(call)),
        }
        let (former, new) = (given.state(0)?, given.state(1)?);
        let (former, new) = (former.as_ref(), new.as_ref());
        Ok(match &self.0 {
            Pattern::Secondary(pattern) => pattern.changes(former, new)?,
            Pattern::Entities(pattern) => pattern.changes(former, new, &given.entities(2, "lists")?)?,
            Pattern::Table(pattern) => pattern.changes(former, new)?,
            Pattern::Guard(pattern) => pattern.changes(former, new)?,
            Pattern::Folded(pattern) => pattern.changes(former, new)?,
            Pattern::Tail(pattern) => pattern.changes(former, new)?,
            Pattern::Series(pattern) => pattern.changes(former, new)?,
            Pattern::Wide(pattern) => pattern.changes(former, new)?,
            Pattern::Compound(pattern) => pattern.changes(former, new)?,
            Pattern::Distinct(pattern) => pattern.changes(former, new, &given.entities(2, "counts")?)?,
        })
    }

    fn asked(&self, call: &str, arguments: Unknown<'_>) -> Converted<Lookup> {
        let given = Given::new(arguments)?;
        Ok(match (&self.0, call) {
            (Pattern::Secondary(pattern), "find") => pattern.find(&given.partition_key()?, given.value(1, "value")?)?,
            (Pattern::Secondary(pattern), "startingWith") => {
                pattern.starting_with(&given.partition_key()?, &given.text(1, "text")?)?
            }
            (Pattern::Secondary(pattern), "between") => {
                pattern.between(&given.partition_key()?, given.value(1, "first")?, given.value(2, "last")?)?
            }
            (Pattern::Secondary(pattern), "list") => pattern.list(&given.partition_key()?)?,
            (Pattern::Entities(pattern), "find") => pattern.find(&given.partition_key()?, given.values(1)?)?,
            (Pattern::Entities(pattern), "list") => pattern.list(&given.partition_key()?)?,
            (Pattern::Table(pattern), "find") => pattern.find(given.values(0)?)?,
            (Pattern::Table(pattern), "startingWith") => pattern.starting_with(given.values(0)?)?,
            (Pattern::Table(pattern), "between") => {
                pattern.between(given.value(0, "first")?, given.value(1, "last")?)?
            }
            (Pattern::Table(pattern), "nextValue") => {
                let after = given.at(0, "after")?;
                let after = match after.get_type()? {
                    ValueType::Undefined => None,
                    _ => Some(convert::text_in(after, "after")?),
                };
                pattern.next_value(after.as_deref())?
            }
            (Pattern::Guard(pattern), "find") => pattern.find(&given.partition_key()?, given.value(1, "value")?)?,
            (Pattern::Folded(pattern), "find") => pattern.find(&given.partition_key()?, &given.text(1, "text")?)?,
            (Pattern::Folded(pattern), "startingWith") => {
                pattern.starting_with(&given.partition_key()?, &given.text(1, "text")?)?
            }
            (Pattern::Tail(pattern), "latest") => pattern.latest(&given.partition_key()?, given.count(1, "rows")?)?,
            (Pattern::Tail(pattern), "earliest") => {
                pattern.earliest(&given.partition_key()?, given.count(1, "rows")?)?
            }
            (Pattern::Tail(pattern), "between") => {
                pattern.between(&given.partition_key()?, given.time(1, "first")?, given.time(2, "last")?)?
            }
            (Pattern::Series(pattern), "find") => pattern.find(&given.text(0, "series")?, given.time(1, "time")?)?,
            (Pattern::Series(pattern), "between") => {
                pattern.between(&given.text(0, "series")?, given.time(1, "first")?, given.time(2, "last")?)?
            }
            (Pattern::Wide(pattern), "find") => {
                pattern.find(&given.partition_key()?, &convert::key_in(given.at(1, "rowKey")?, "RowKey")?)
            }
            (Pattern::Compound(pattern), "find") => pattern.find(&given.partition_key()?, given.values(1)?)?,
            (Pattern::Compound(pattern), "below") => pattern.below(&given.partition_key()?, given.values(1)?)?,
            (Pattern::Compound(pattern), "withBelow") => {
                pattern.with_below(&given.partition_key()?, given.values(1)?)?
            }
            (Pattern::Distinct(pattern), "list") => pattern.list(&given.partition_key()?)?,
            (Pattern::Distinct(pattern), "find") => pattern.find(&given.partition_key()?, given.value(1, "value")?)?,
            _ => return Err(no_such(call)),
        })
    }

    fn told<'env>(&self, env: &'env Env, call: &str, arguments: Unknown<'env>) -> Converted<Unknown<'env>> {
        let given = Given::new(arguments)?;
        let row_of = |row: fn(&Pattern, &Entity) -> Option<entable::Result<Entity>>| match row(
            &self.0,
            &given.entity(0, "row")?,
        ) {
            Some(row) => Ok(input_out(env, &row?, false)?),
            None => Err(no_such(call)),
        };
        Ok(match (&self.0, call) {
            (_, "rowOf") => row_of(|pattern, row| match pattern {
                Pattern::Folded(pattern) => Some(pattern.row_of(row)),
                Pattern::Tail(pattern) => Some(pattern.row_of(row)),
                Pattern::Compound(pattern) => Some(pattern.row_of(row)),
                _ => None,
            })?,
            (Pattern::Entities(pattern), "reads") => {
                let lookups = pattern.reads(given.state(0)?.as_ref(), given.state(1)?.as_ref())?;
                let mut array = env.create_array(0)?;
                for lookup in &lookups {
                    array.insert(lookup_out(env, lookup)?)?;
                }
                array.to_unknown()
            }
            (Pattern::Entities(pattern), "ids") => unknown(env, pattern.ids(&given.entities(0, "lists")?))?,
            (Pattern::Entities(pattern), "rows") => {
                keys_out(env, pattern.rows(&given.partition_key()?, &given.entities(1, "lists")?))?
            }
            (Pattern::Entities(pattern), "valueOfList") => {
                unknown(env, pattern.value_of(&given.entity(0, "list")?).map(str::to_owned))?
            }
            (Pattern::Table(pattern), "rows") => keys_out(env, pattern.rows(&given.entities(0, "entries")?)?)?,
            (Pattern::Table(pattern), "shardKey") => unknown(env, pattern.shard_key(&given.text(0, "rowKey")?)?)?,
            (Pattern::Guard(pattern), "holder") => {
                let (partition_key, row_key) = pattern.holder(&given.entity(0, "guard")?)?;
                unknown(env, vec![partition_key, row_key])?
            }
            (Pattern::Series(pattern), "values") => {
                let mut array = env.create_array(0)?;
                for (time, value) in pattern.values(&given.entity(0, "entity")?)? {
                    let mut pair = env.create_array(0)?;
                    pair.insert(convert::date_out(env, time)?)?;
                    pair.insert(convert::value_out(env, &value)?)?;
                    array.insert(pair)?;
                }
                array.to_unknown()
            }
            (Pattern::Wide(pattern), "split") => inputs_out(env, &pattern.split(&given.entity(0, "row")?)?)?,
            (Pattern::Wide(pattern), "join") => match pattern.join(&given.entities(0, "parts")?)? {
                Some(row) => {
                    let as_text = given.options(1)?.flag("disableTypeConversion")?;
                    entity_out(env, &row, Shown { partition_key: true, row_key: true, as_text })?
                }
                None => unknown(env, ())?,
            },
            (Pattern::Compound(pattern), "parts") => unknown(env, pattern.parts(&given.text(0, "rowKey")?)?)?,
            (Pattern::Distinct(pattern), "reads") => {
                keys_out(env, pattern.reads(given.state(0)?.as_ref(), given.state(1)?.as_ref())?)?
            }
            (Pattern::Distinct(pattern), "counts") => {
                let mut array = env.create_array(0)?;
                for (value, count) in pattern.counts(&given.entities(0, "counts")?)? {
                    let mut pair = env.create_array(0)?;
                    pair.insert(value)?;
                    pair.insert(count as f64)?;
                    array.insert(pair)?;
                }
                array.to_unknown()
            }
            _ => return Err(no_such(call)),
        })
    }
}

fn no_such(call: &str) -> Failure {
    Failure::wrong_type(format!("The pattern has no {call}."))
}

#[napi]
impl PatternHandle {
    /// The pattern of this name and definition.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: &Env, name: String, definition: Unknown<'_>) -> Result<PatternHandle> {
        definition::pattern_in(&name, definition).map(PatternHandle).map_err(|failure| failure.into_js(env))
    }

    /// What is to be written.
    #[napi(catch_unwind)]
    pub fn make<'env>(&self, env: &'env Env, call: String, arguments: Unknown<'env>) -> Result<Unknown<'env>> {
        let changes = self.made(&call, arguments).map_err(|failure| failure.into_js(env))?;
        unknown(env, ChangesHandle::new(changes).into_instance(env)?)
    }

    /// What a reader asks for.
    #[napi(catch_unwind)]
    pub fn ask<'env>(&self, env: &'env Env, call: String, arguments: Unknown<'env>) -> Result<Unknown<'env>> {
        let lookup = self.asked(&call, arguments).map_err(|failure| failure.into_js(env))?;
        lookup_out(env, &lookup)
    }

    /// What the pattern knows of rows, keys and entries.
    #[napi(catch_unwind)]
    pub fn tell<'env>(&self, env: &'env Env, call: String, arguments: Unknown<'env>) -> Result<Unknown<'env>> {
        self.told(env, &call, arguments).map_err(|failure| failure.into_js(env))
    }
}
