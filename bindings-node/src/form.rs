//! What needs no store: the service's JSON, and the size of an entity.

use crate::convert::{self, object_in, text_in};
use crate::error::{Converted, Failure};
use crate::options::Options;
use crate::packed::entity_in;
use crate::shape;
use entable::{ETag, Entity, JsonOptions, Metadata, Mode};
use napi::bindgen_prelude::{Env, JsObjectValue, Object, Unknown};
use napi::{Result, ValueType};
use napi_derive::napi;

/// Reads an entity from the service's JSON: text, and `{mode, disableTypeConversion}`.
#[napi(catch_unwind)]
pub fn entity_from_json<'env>(env: &'env Env, text: Unknown<'env>, options: Unknown<'env>) -> Result<Unknown<'env>> {
    let read = || {
        let options = Options::new(options, "options")?;
        options.only(&["mode", "disableTypeConversion"])?;
        let (mode, as_text) = (options.mode()?.unwrap_or(Mode::Portable), options.flag("disableTypeConversion")?);
        let input = entable::entity_from_json(&text_in(text, "text")?, mode)?;
        let entity = input.to_entity(None, mode)?.with_version(None, input.etag());
        Ok((entity, as_text))
    };
    let (entity, as_text) = read().map_err(|failure: Failure| failure.into_js(env))?;
    shape::input_out(env, &entity, as_text)
}

/// The entity as the service's JSON: `{metadata, select}` say how much of it.
#[napi(catch_unwind)]
pub fn entity_to_json(env: &Env, entity: Unknown<'_>, options: Unknown<'_>) -> Result<String> {
    let write = || {
        let options = Options::new(options, "options")?;
        options.only(&["metadata", "select"])?;
        let metadata = match options.text("metadata")?.as_deref() {
            None | Some("minimal") => Metadata::Minimal,
            Some("none") => Metadata::None,
            Some("full") => Metadata::Full,
            Some(_) => {
                let fact = "metadata must be \"none\", \"minimal\" or \"full\".";
                return Err(Failure::wrong_type(fact).of("metadata"));
            }
        };
        let select = options.select()?.filter(|names| !names.is_empty());
        let names: Option<Vec<&str>> = select.as_ref().map(|names| names.iter().map(String::as_str).collect());
        let entity = whole_entity(entity)?;
        let options = JsonOptions { metadata, select: names.as_deref(), ..JsonOptions::default() };
        Ok(entable::entity_to_json(&entity, &options))
    };
    write().map_err(|failure: Failure| failure.into_js(env))
}

/// The bytes of the entity by the service's formula.
#[napi(catch_unwind)]
pub fn entity_size(env: &Env, entity: Unknown<'_>) -> Result<f64> {
    let size = || Ok(whole_entity(entity)?.size_bytes() as f64);
    size().map_err(|failure: Failure| failure.into_js(env))
}

/// The entity as if it were stored, in the version that its `timestamp` and `etag` tell.
pub(crate) fn whole_entity(value: Unknown<'_>) -> Converted<Entity> {
    let object = object_in(value, "entity")?;
    let timestamp = match member(&object, "timestamp")? {
        Some(timestamp) => Some(convert::time_in(timestamp, "timestamp")?),
        None => None,
    };
    let entity = entity_in(value, Mode::Extended)?.to_entity(timestamp, Mode::Extended)?;
    let Some(etag) = member(&object, "etag")? else { return Ok(entity) };
    let etag: ETag = text_in(etag, "etag")?.parse().map_err(|error| Failure::from(error).of("etag"))?;
    Ok(entity.with_version(timestamp, Some(&etag)))
}

/// A member that has a value.
fn member<'env>(object: &Object<'env>, name: &str) -> Converted<Option<Unknown<'env>>> {
    let value: Unknown<'env> = object.get_named_property(name)?;
    Ok(match value.get_type()? {
        ValueType::Undefined | ValueType::Null => None,
        _ => Some(value),
    })
}
