//! Operations: the actions of a transaction in, outcomes out.

use crate::convert::{self, PARTITION_KEY, ROW_KEY};
use crate::error::{Converted, Failure};
use crate::options::{Options, update_mode};
use entable::{Mode, Operation, Table, Written};
use napi::ValueType;
use napi::bindgen_prelude::{Env, JsObjectValue, JsValue, Object, Unknown};

/// What one operation of a transaction did.
pub(crate) struct Outcome {
    row_key: String,
    written: Option<Written>,
}

/// Does the operations of a transaction.
pub(crate) fn submit(table: &Table, operations: Vec<Operation>) -> entable::Result<Vec<Outcome>> {
    let row_keys: Vec<String> = operations.iter().map(|operation| operation.row_key().to_owned()).collect();
    let written = table.submit_transaction(operations)?;
    Ok(row_keys.into_iter().zip(written).map(|(row_key, written)| Outcome { row_key, written }).collect())
}

/// The actions of a transaction: tuples `[verb, entity, mode?, options?]`.
pub(crate) fn operations(actions: Unknown<'_>, mode: Mode) -> Converted<Vec<Operation>> {
    let actions = convert::array_in(actions, "actions")?;
    let count = actions.get_array_length()?;
    if count == 0 {
        return Err(Failure::wrong_type("A transaction has at least one action.").of("actions"));
    }
    let action = |at| operation(actions.get_element(at)?, mode).map_err(|failure| failure.at(at as usize));
    (0..count).map(action).collect()
}

fn operation(action: Unknown<'_>, mode: Mode) -> Converted<Operation> {
    let action = convert::array_in(action, "action")?;
    let (verb, entity) = (convert::text_in(action.get_element(0)?, "verb")?, action.get_element(1)?);
    let (third, fourth): (Unknown<'_>, Unknown<'_>) = (action.get_element(2)?, action.get_element(3)?);
    // The mode may be left out before the options.
    let (update, options) = match third.get_type()? {
        ValueType::Object => (None, third),
        _ => (Some(third), fourth),
    };
    let update = || update.map_or(Ok(Default::default()), update_mode);
    let condition = Options::new(options, "options")?.condition()?;
    Ok(match verb.as_str() {
        "create" => Operation::create(convert::entity_in(entity, mode)?)?,
        "update" => Operation::update(convert::entity_in(entity, mode)?, update()?)?.on(condition),
        "upsert" => Operation::upsert(convert::entity_in(entity, mode)?, update()?)?.on(condition),
        "delete" => {
            let keys = convert::object_in(entity, "entity")?;
            let partition_key = convert::key_in(keys.get_named_property("partitionKey")?, PARTITION_KEY)?;
            let row_key = convert::key_in(keys.get_named_property("rowKey")?, ROW_KEY)?;
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

/// The results of a transaction: `[{rowKey, etag}]`.
pub(crate) fn outcomes_out<'env>(env: &'env Env, outcomes: Vec<Outcome>) -> napi::Result<Unknown<'env>> {
    let mut array = env.create_array(0)?;
    for outcome in outcomes {
        let mut object = Object::new(env)?;
        object.set("rowKey", outcome.row_key)?;
        if let Some(written) = outcome.written {
            object.set("etag", written.etag().to_string())?;
        }
        array.insert(object)?;
    }
    Ok(array.to_unknown())
}
