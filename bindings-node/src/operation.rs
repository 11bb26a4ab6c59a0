//! Operations: single writes and the actions of transactions in, outcomes out.

use crate::convert::{self, PARTITION_KEY, ROW_KEY};
use crate::error::{Converted, Failure};
use crate::options::{Options, update_mode};
use entable::{CreatedOrFound, Mode, Operation, Store, Table, Written};
use napi::ValueType;
use napi::bindgen_prelude::{Env, JsObjectValue, JsValue, Object, Unknown};

/// The RowKeys of operations, by which their outcomes are told.
pub(crate) fn row_keys<'a>(operations: impl IntoIterator<Item = &'a Operation>) -> Vec<String> {
    operations.into_iter().map(|operation| operation.row_key().to_owned()).collect()
}

/// The operation of `createEntity`.
pub(crate) fn create(entity: Unknown<'_>, mode: Mode) -> Converted<Operation> {
    Ok(Operation::create(convert::entity_in(entity, mode)?)?)
}

/// The operation of `updateEntity`.
pub(crate) fn update(
    entity: Unknown<'_>,
    update: Unknown<'_>,
    options: Unknown<'_>,
    mode: Mode,
) -> Converted<Operation> {
    let (entity, update) = (convert::entity_in(entity, mode)?, update_mode(update)?);
    Ok(Operation::update(entity, update)?.on(Options::new(options, "options")?.condition(mode)?))
}

/// The operation of `upsertEntity`.
pub(crate) fn upsert(
    entity: Unknown<'_>,
    update: Unknown<'_>,
    options: Unknown<'_>,
    mode: Mode,
) -> Converted<Operation> {
    let (entity, update) = (convert::entity_in(entity, mode)?, update_mode(update)?);
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

/// The operation of `createOrGetEntity`.
pub(crate) fn create_or_get(entity: Unknown<'_>, mode: Mode) -> Converted<Operation> {
    Ok(Operation::create_or_get(convert::entity_in(entity, mode)?)?)
}

/// The operation of `moveEntity`: from the keys of an object to those of another.
pub(crate) fn moved(from: Unknown<'_>, to: Unknown<'_>, options: Unknown<'_>, mode: Mode) -> Converted<Operation> {
    let operation = Operation::move_entity(keys_of(from)?, keys_of(to)?);
    Ok(operation.on(Options::new(options, "options")?.condition(mode)?))
}

/// The keys of an object that has them as `partitionKey` and `rowKey`.
fn keys_of(keys: Unknown<'_>) -> Converted<(String, String)> {
    let keys = convert::object_in(keys, "keys")?;
    let partition_key = convert::key_in(keys.get_named_property("partitionKey")?, PARTITION_KEY)?;
    Ok((partition_key, convert::key_in(keys.get_named_property("rowKey")?, ROW_KEY)?))
}

/// The actions of a transaction: tuples `[verb, entity, mode?, options?]`.
pub(crate) fn operations(actions: Unknown<'_>, mode: Mode) -> Converted<Vec<Operation>> {
    let actions = convert::array_in(actions, "actions")?;
    let count = actions.get_array_length()?;
    if count == 0 {
        return Err(Failure::wrong_type("A transaction has at least one action.").of("actions"));
    }
    let action = |at| {
        let action = convert::array_in(actions.get_element(at)?, "action")?;
        operation(&action, 0, mode)
    };
    (0..count).map(|at| action(at).map_err(|failure: Failure| failure.at(at as usize))).collect()
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
pub(crate) fn operations_of_tables(actions: Unknown<'_>, store: &Store) -> Converted<Wide> {
    let actions = convert::array_in(actions, "actions")?;
    let count = actions.get_array_length()?;
    let mut wide = Wide { tables: Vec::new(), operations: Vec::with_capacity(count as usize) };
    let mut last = None;
    let mut action = |at| {
        let action = convert::array_in(actions.get_element(at)?, "action")?;
        let name = convert::text_in(action.get_element(0)?, "tableName")?;
        // Operations mostly come table by table: one is kept for each stretch of them.
        if last.as_ref() != Some(&name) {
            wide.tables.push(store.table(&name)?);
            last = Some(name);
        }
        wide.operations.push((wide.tables.len() - 1, operation(&action, 1, store.mode())?));
        Ok(())
    };
    (0..count).try_for_each(|at| action(at).map_err(|failure: Failure| failure.at(at as usize)))?;
    Ok(wide)
}

/// The operation of an action, whose verb stands at `at`.
fn operation(action: &Object<'_>, at: u32, mode: Mode) -> Converted<Operation> {
    let (verb, entity) = (convert::text_in(action.get_element(at)?, "verb")?, action.get_element(at + 1)?);
    let (third, fourth): (Unknown<'_>, Unknown<'_>) = (action.get_element(at + 2)?, action.get_element(at + 3)?);
    if verb == "move" {
        return moved(entity, third, fourth, mode);
    }
    // The mode may be left out before the options.
    let (update, options) = match third.get_type()? {
        ValueType::Object => (None, third),
        _ => (Some(third), fourth),
    };
    let update = || update.map_or(Ok(Default::default()), update_mode);
    let condition = Options::new(options, "options")?.condition(mode)?;
    Ok(match verb.as_str() {
        "create" => Operation::create(convert::entity_in(entity, mode)?)?,
        "update" => Operation::update(convert::entity_in(entity, mode)?, update()?)?.on(condition),
        "upsert" => Operation::upsert(convert::entity_in(entity, mode)?, update()?)?.on(condition),
        "createOrGet" => create_or_get(entity, mode)?,
        "delete" => {
            let (partition_key, row_key) = keys_of(entity)?;
            Operation::delete(partition_key, row_key).on(condition)
        }
        other => {
            let fact = format!("There is no action \"{}\".", other.escape_debug());
            return Err(Failure::wrong_type(fact).of("verb"));
        }
    })
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
    object.set("entity", convert::entity_out(env, &got.entity, shown)?)?;
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
