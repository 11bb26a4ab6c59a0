//! What a pattern writes: steps, as actions of transactions.

use super::state_in;
use crate::convert::{self, unknown};
use crate::error::{Converted, Failure};
use crate::shape::input_out;
use entable::patterns::{Changes, Step};
use entable::{Condition, Error, ErrorCode, Mode, Operation, OperationKind, UpdateMode};
use napi::Result;
use napi::bindgen_prelude::{ClassInstance, Env, JavaScriptClassExt, JsValue, Object, Unknown};
use napi_derive::napi;

/// Changes, as `lib/patterns.js` wraps them and their steps.
#[napi]
pub struct ChangesHandle(Changes);

impl ChangesHandle {
    pub(super) fn new(changes: Changes) -> ChangesHandle {
        ChangesHandle(changes)
    }

    fn step(&self, at: u32) -> Converted<&Step> {
        self.0.steps().get(at as usize).ok_or_else(|| Failure::wrong_type("There is no such step."))
    }
}

#[napi]
impl ChangesHandle {
    /// The tables of the steps, in their order.
    #[napi(getter, catch_unwind)]
    pub fn tables(&self) -> Vec<String> {
        self.0.steps().iter().map(|step| step.table().to_owned()).collect()
    }

    /// The keys of a step's operations.
    #[napi(catch_unwind)]
    pub fn keys(&self, env: &Env, at: u32) -> Result<Vec<Vec<String>>> {
        let step = self.step(at).map_err(|failure| failure.into_js(env))?;
        Ok(step.keys().map(|(partition_key, row_key)| vec![partition_key.to_owned(), row_key.to_owned()]).collect())
    }

    /// A step's operations.
    #[napi(catch_unwind)]
    pub fn actions<'env>(&self, env: &'env Env, at: u32) -> Result<Unknown<'env>> {
        let operations = || Ok(self.step(at)?.operations()?);
        actions_out(env, &operations().map_err(|failure: Failure| failure.into_js(env))?)
    }

    /// Those that are left to do, given what is stored under the keys.
    #[napi(catch_unwind)]
    pub fn remaining<'env>(&self, env: &'env Env, at: u32, stored: Unknown<'env>) -> Result<Unknown<'env>> {
        let remaining = || {
            let stored = convert::elements(&convert::array_in(stored, "stored")?)?;
            let stored = stored.into_iter().map(state_in).collect::<Converted<Vec<_>>>()?;
            Ok(self.step(at)?.remaining(&stored)?)
        };
        actions_out(env, &remaining().map_err(|failure: Failure| failure.into_js(env))?)
    }

    /// Whether an error of this code says that there was nothing left to do.
    #[napi(catch_unwind)]
    pub fn accepts(&self, env: &Env, at: u32, code: Unknown<'_>) -> Result<bool> {
        let accepts = || {
            let name = convert::text_in(code, "code")?;
            let code = ErrorCode::ALL.iter().find(|code| code.name() == name);
            Ok(code.is_some_and(|code| self.step(at).is_ok_and(|step| step.accepts(&Error::new(*code)))))
        };
        accepts().map_err(|failure: Failure| failure.into_js(env))
    }

    /// These and those of another pattern, as one list of steps.
    #[napi(catch_unwind)]
    pub fn join<'env>(&self, env: &'env Env, other: ClassInstance<'env, ChangesHandle>) -> Result<Unknown<'env>> {
        match self.0.clone().join(other.0.clone()) {
            Ok(changes) => unknown(env, ChangesHandle(changes).into_instance(env)?),
            Err(error) => Err(Failure::from(error).into_js(env)),
        }
    }
}

/// Operations as the actions of transactions: `[verb, entity, mode?, options?]`.
fn actions_out<'env>(env: &'env Env, operations: &[Operation]) -> Result<Unknown<'env>> {
    let mut array = env.create_array(0)?;
    for operation in operations {
        array.insert(action_out(env, operation)?)?;
    }
    Ok(array.to_unknown())
}

fn action_out<'env>(env: &'env Env, operation: &Operation) -> Result<Unknown<'env>> {
    let mut action = env.create_array(0)?;
    let (verb, mode) = match operation.kind() {
        OperationKind::Create => ("create", None),
        OperationKind::Update(mode) => ("update", Some(mode)),
        OperationKind::Upsert(mode) => ("upsert", Some(mode)),
        OperationKind::Delete => ("delete", None),
        // No pattern has these.
        OperationKind::CreateOrGet => ("createOrGet", None),
        OperationKind::Move => ("move", None),
    };
    action.insert(verb)?;
    match operation.entity() {
        Some(input) => {
            let entity = input.to_entity(None, Mode::Extended);
            let entity = entity.map_err(|error| Failure::from(error).into_js(env))?;
            action.insert(input_out(env, &entity, false)?)?;
        }
        None => {
            let mut keys = Object::new(env)?;
            keys.set("partitionKey", operation.partition_key())?;
            keys.set("rowKey", operation.row_key())?;
            action.insert(keys)?;
        }
    }
    match mode {
        Some(UpdateMode::Merge) => action.insert("Merge")?,
        Some(UpdateMode::Replace) => action.insert("Replace")?,
        None => {}
    }
    let mut options = Object::new(env)?;
    match operation.condition() {
        Condition::None => return Ok(action.to_unknown()),
        Condition::IfMatch(etag) => options.set("etag", etag.to_string())?,
        Condition::Any => options.set("etag", "*")?,
        Condition::Absent => options.set("ifAbsent", true)?,
        Condition::Matches(filter) => options.set("filter", filter.to_string())?,
    };
    action.insert(options)?;
    Ok(action.to_unknown())
}
