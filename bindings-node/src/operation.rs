//! Operations: single writes and the actions of transactions in, outcomes out.

use crate::convert::{self, PARTITION_KEY, ROW_KEY};
use crate::error::{Converted, Failure};
use crate::options::{Options, update_mode};
use crate::packed::{AT_A_TIME, Packed, entity_in};
use crate::shape;
use entable::{Condition, CreatedOrFound, Mode, Operation, Store, Table, Written};
use napi::ValueType;
use napi::bindgen_prelude::{Env, JsObjectValue, JsValue, Object, Unknown};
use napi_derive::napi;

/// The RowKeys of operations, by which their outcomes are told.
pub(crate) fn row_keys<'a>(operations: impl IntoIterator<Item = &'a Operation>) -> Vec<String> {
    operations.into_iter().map(|operation| operation.row_key().to_owned()).collect()
}

/// The operation of `createEntity`.
pub(crate) fn create(entity: Unknown<'_>, mode: Mode) -> Converted<Operation> {
    Ok(Operation::create(entity_in(entity, mode)?)?)
}

/// The operation of `updateEntity`.
pub(crate) fn update(
    entity: Unknown<'_>,
    update: Unknown<'_>,
    options: Unknown<'_>,
    mode: Mode,
) -> Converted<Operation> {
    let (entity, update) = (entity_in(entity, mode)?, update_mode(update)?);
    Ok(Operation::update(entity, update)?.on(Options::new(options, "options")?.condition(mode)?))
}

/// The operation of `upsertEntity`.
pub(crate) fn upsert(
    entity: Unknown<'_>,
    update: Unknown<'_>,
    options: Unknown<'_>,
    mode: Mode,
) -> Converted<Operation> {
    let (entity, update) = (entity_in(entity, mode)?, update_mode(update)?);
    Ok(Operation::upsert(entity, update)?.on(Options::new(options, "options")?.condition(mode)?))
}

/// The operation of `deleteEntity`.
pub(crate) fn delete(
    partition_key: Unknown<'_>,
    row_key: Unknown<'_>,
    options: Unknown<'_>,
    mode: Mode,
) -> Converted<Operation> {
    let keys = (convert::key_in(partition_key, PARTITION_KEY)?, convert::key_in(row_key, ROW_KEY)?);
    Ok(Operation::delete(keys.0, keys.1).on(Options::new(options, "options")?.condition(mode)?))
}

/// The operation of `moveEntity`: from the keys of an object to those of another.
pub(crate) fn moved(from: Unknown<'_>, to: Unknown<'_>, options: Unknown<'_>, mode: Mode) -> Converted<Operation> {
    let operation = Operation::move_entity(keys_of(from, "keys")?, keys_of(to, "keys")?);
    Ok(operation.on(Options::new(options, "options")?.condition(mode)?))
}

/// The keys of an object that has them as `partitionKey` and `rowKey`; `what` says what it should have been.
fn keys_of(keys: Unknown<'_>, what: &str) -> Converted<(String, String)> {
    let keys = convert::object_in(keys, what)?;
    let key = |name| {
        let value: Unknown<'_> = keys.get_named_property(convert::member_name(name))?;
        match value.get_type()? {
            ValueType::Undefined | ValueType::Null => {
                let names = convert::names(&keys)?;
                Err(Failure::key_missing_among(name, names.iter().map(|(name, _)| name.as_str())))
            }
            _ => convert::key_in(value, name),
        }
    };
    Ok((key(PARTITION_KEY)?, key(ROW_KEY)?))
}

/// Refuses an entity without its keys, before there is a promise that would say it.
#[napi(catch_unwind)]
pub fn need_keys(env: &Env, entity: Unknown<'_>) -> napi::Result<()> {
    keys_of(entity, "entity").map(drop).map_err(|failure| failure.into_js(env))
}

/// The actions of a transaction: tuples `[verb, entity, mode?, options?]`.
pub(crate) fn operations(env: &Env, actions: Unknown<'_>, mode: Mode) -> Converted<Vec<Operation>> {
    let actions = convert::array_in(actions, "actions")?;
    if actions.get_array_length()? == 0 {
        return Err(Failure::wrong_type("A transaction has at least one action.").of("actions"));
    }
    let mut operations = Vec::new();
    let read = |at| Action::new(&convert::array_in(actions.get_element(at)?, "action")?, 0, mode);
    each(env, &actions, mode, read, |operation| operations.push(operation))?;
    Ok(operations)
}

/// Makes operations of the actions, some at a time: `read` reads the one at a place.
fn each<'env>(
    env: &'env Env,
    actions: &Object<'env>,
    mode: Mode,
    mut read: impl FnMut(u32) -> Converted<Action<'env>>,
    mut take: impl FnMut(Operation),
) -> Converted<()> {
    let mut at = 0;
    while at < actions.get_array_length()? {
        let (mut some, mut failed) = (Vec::with_capacity(AT_A_TIME), None);
        for place in (at..actions.get_array_length()?).take(AT_A_TIME) {
            match read(place) {
                Ok(action) => some.push(action),
                Err(failure) => {
                    // What is wrong with those before it comes first.
                    failed = Some(failure.at(place as usize));
                    break;
                }
            }
        }
        let entities: Vec<_> = some.iter().filter(|action| action.has_entity()).map(|action| action.entity).collect();
        let mut packed = Packed::new(env, &entities)?;
        for (action, place) in some.into_iter().zip(at..) {
            take(action.operation(&mut packed, mode).map_err(|failure| failure.at(place as usize))?);
        }
        if let Some(failure) = failed {
            return Err(failure);
        }
        at = at.saturating_add(AT_A_TIME as u32);
    }
    Ok(())
}

/// Operations of a store-wide transaction, and the tables that they name.
pub(crate) struct Wide {
    tables: Vec<Table>,
    /// Each with the place of its table.
    operations: Vec<(usize, Operation)>,
}

impl Wide {
    pub(crate) fn row_keys(&self) -> Vec<String> {
        row_keys(self.operations.iter().map(|(_, operation)| operation))
    }

    /// Hands the operations with their tables to one of the core's functions.
    pub(crate) fn hand<T>(self, to: impl FnOnce(&mut dyn Iterator<Item = (&Table, Operation)>) -> T) -> T {
        let tables = self.tables;
        to(&mut self.operations.into_iter().filter_map(|(at, operation)| Some((tables.get(at)?, operation))))
    }
}

/// The actions of a store-wide transaction: tuples `[tableName, verb, entity, mode?, options?]`.
pub(crate) fn operations_of_tables(env: &Env, actions: Unknown<'_>, store: &Store) -> Converted<Wide> {
    let actions = convert::array_in(actions, "actions")?;
    // Operations mostly come table by table: one is kept for each stretch of them.
    let (mut tables, mut places, mut last) = (Vec::new(), Vec::new(), None);
    let mut operations = Vec::new();
    let read = |at| {
        let action = convert::array_in(actions.get_element(at)?, "action")?;
        let name = convert::text_in(action.get_element(0)?, "tableName")?;
        if last.as_ref() != Some(&name) {
            tables.push(store.table(&name)?);
            last = Some(name);
        }
        places.push(tables.len() - 1);
        Action::new(&action, 1, store.mode())
    };
    each(env, &actions, store.mode(), read, |operation| operations.push(operation))?;
    Ok(Wide { tables, operations: places.into_iter().zip(operations).collect() })
}

#[derive(Clone, Copy)]
enum Verb {
    Create,
    Update,
    Upsert,
    CreateOrGet,
    Delete,
    Move,
}

/// An action of a transaction, whose entity has not been looked at.
struct Action<'env> {
    verb: Verb,
    entity: Unknown<'env>,
    /// The mode of a merge or a replacement, or the keys to move to.
    second: Option<Unknown<'env>>,
    condition: Condition,
}

impl<'env> Action<'env> {
    /// The action whose verb stands at `at`.
    fn new(action: &Object<'env>, at: u32, mode: Mode) -> Converted<Action<'env>> {
        let (verb, entity) = (convert::text_in(action.get_element(at)?, "verb")?, action.get_element(at + 1)?);
        let (third, fourth): (Unknown<'_>, Unknown<'_>) = (action.get_element(at + 2)?, action.get_element(at + 3)?);
        // The mode may be left out before the options.
        let (second, options) = match third.get_type()? {
            ValueType::Object if verb != "move" => (None, third),
            _ => (Some(third), fourth),
        };
        let condition = Options::new(options, "options")?.condition(mode)?;
        let verb = match verb.as_str() {
            "create" => Verb::Create,
            "update" => Verb::Update,
            "upsert" => Verb::Upsert,
            "createOrGet" => Verb::CreateOrGet,
            "delete" => Verb::Delete,
            "move" => Verb::Move,
            other => {
                let fact = format!(
                    "There is no action \"{}\": there are create, update, upsert, createOrGet, delete and move.",
                    other.escape_debug()
                );
                return Err(Failure::wrong_type(fact).of("verb"));
            }
        };
        Ok(Action { verb, entity, second, condition })
    }

    /// Whether it has an entity, and not keys alone.
    fn has_entity(&self) -> bool {
        !matches!(self.verb, Verb::Delete | Verb::Move)
    }

    /// The operation; `packed` has its entity next, if it has one.
    fn operation(self, packed: &mut Packed<'env>, mode: Mode) -> Converted<Operation> {
        let update = || self.second.map_or(Ok(Default::default()), update_mode);
        Ok(match self.verb {
            Verb::Create => Operation::create(packed.entity(mode)?)?,
            Verb::Update => Operation::update(packed.entity(mode)?, update()?)?.on(self.condition),
            Verb::Upsert => Operation::upsert(packed.entity(mode)?, update()?)?.on(self.condition),
            Verb::CreateOrGet => Operation::create_or_get(packed.entity(mode)?)?,
            Verb::Delete => {
                let (partition_key, row_key) = keys_of(self.entity, "keys")?;
                Operation::delete(partition_key, row_key).on(self.condition)
            }
            Verb::Move => {
                let to = self.second.ok_or_else(|| Failure::wrong_type("A move has the keys to move to."))?;
                Operation::move_entity(keys_of(self.entity, "keys")?, keys_of(to, "keys")?).on(self.condition)
            }
        })
    }
}

/// The result of a write: `{etag, date}`; of a delete `{}`.
pub(crate) fn written_out<'env>(env: &'env Env, written: Option<Written>) -> napi::Result<Unknown<'env>> {
    let mut object = Object::new(env)?;
    if let Some(written) = written {
        object.set("etag", written.etag().to_string())?;
        object.set("date", convert::date_ms(env, written.timestamp())?)?;
    }
    Ok(object.to_unknown())
}

/// The result of `createOrGetEntity`: `{created, entity}`.
pub(crate) fn created_out<'env>(env: &'env Env, got: CreatedOrFound) -> napi::Result<Unknown<'env>> {
    let shown = convert::Shown { partition_key: true, row_key: true, as_text: false };
    let mut object = Object::new(env)?;
    object.set("created", got.is_created)?;
    object.set("entity", shape::entity_out(env, &got.entity, shown)?)?;
    Ok(object.to_unknown())
}

/// The results of a transaction: `[{rowKey, etag}]`, and `found` where an entity was not created for it was there.
pub(crate) fn outcomes_out<'env>(
    env: &'env Env,
    row_keys: Vec<String>,
    written: Vec<Option<Written>>,
) -> napi::Result<Unknown<'env>> {
    let mut array = env.create_array(0)?;
    for (row_key, written) in row_keys.into_iter().zip(written) {
        let mut object = Object::new(env)?;
        object.set("rowKey", row_key)?;
        if let Some(written) = written {
            object.set("etag", written.etag().to_string())?;
            if written.is_found() {
                object.set("found", true)?;
            }
        }
        array.insert(object)?;
    }
    Ok(array.to_unknown())
}
