//! Entities as the service's JSON.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, boundary, free, output, required};
use crate::entity::entable_entity;
use crate::error::{Result, entable_error};
use crate::store::{RawMode, entable_mode};
use crate::table::texts;
use crate::text::entable_str;
use entable::{Entity, ErrorCode, InputValue, JsonOptions, Metadata};
use std::mem::MaybeUninit;

/// A text with memory of its own. Yours: free it with `entable_text_free`. It never changes, so any thread may read it.
pub struct entable_text(pub(crate) String);

/// How much an entity's JSON says about itself.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_metadata {
    /// Values alone. Types are lost: an Int64 is a text like any other.
    ENTABLE_METADATA_NONE = 0,
    /// The ETag, and the types that JSON does not tell: what reads back as it was.
    ENTABLE_METADATA_MINIMAL = 1,
    /// Also the type of Timestamp.
    ENTABLE_METADATA_FULL = 2,
}

/// What C hands in where an `entable_metadata` belongs: any number.
pub(crate) type RawMetadata = u32;

impl entable_metadata {
    fn metadata(raw: RawMetadata) -> Result<Metadata> {
        const NONE: u32 = entable_metadata::ENTABLE_METADATA_NONE as u32;
        const MINIMAL: u32 = entable_metadata::ENTABLE_METADATA_MINIMAL as u32;
        const FULL: u32 = entable_metadata::ENTABLE_METADATA_FULL as u32;
        match raw {
            NONE => Ok(Metadata::None),
            MINIMAL => Ok(Metadata::Minimal),
            FULL => Ok(Metadata::Full),
            _ => Err(entable_error::misuse("metadata", "It is none of enum entable_metadata.")),
        }
    }
}

/// Reads an entity from the service's JSON, and checks it by the rules of a mode. The value of `X@odata.type` says the
/// type of `X`; null is a property that is not there; annotations and Timestamp are ignored.
///
/// `*entity` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT, ENTABLE_DUPLICATE_PROPERTIES_SPECIFIED, ENTABLE_PROPERTIES_NEED_VALUE, and the limits of
/// keys, names and values, each with the property. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_from_json(
    text: entable_str,
    mode: RawMode,
    entity: Option<&mut MaybeUninit<Option<Box<entable_entity>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let entity = output(entity, "entity")?;
        let input = entable::entity_from_json(text.text("text")?, entable_mode::mode(mode)?)?;
        let mut read = Entity::new(input.partition_key(), input.row_key());
        for (name, value) in input.properties() {
            match value {
                InputValue::Typed(value) => read.insert(name, value.clone()),
                // JSON types every number (S2.5), and changes nothing.
                InputValue::Untyped(_) | InputValue::Add(_) | InputValue::Remove => {
                    return Err(entable::Error::new(ErrorCode::Internal).into());
                }
            };
        }
        *entity = Some(Box::new(read.into()));
        Ok(())
    })
}

/// Writes an entity as the service's JSON. With `count` names from `names` on, these properties alone are written, and
/// null for each that the entity lacks; with no names all are.
///
/// `*text` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT for another number as metadata. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_to_json(
    entity: Option<&entable_entity>,
    metadata: RawMetadata,
    names: *const entable_str,
    count: usize,
    text: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let text = output(text, "text")?;
        let names = texts(names, count, "names")?;
        let select = (!names.is_empty()).then_some(&*names);
        let options = JsonOptions { metadata: entable_metadata::metadata(metadata)?, select, ..JsonOptions::default() };
        let json = entable::entity_to_json(&required(entity, "entity")?.entity, &options);
        *text = Some(Box::new(entable_text(json)));
        Ok(())
    })
}

/// A view of a text, good until it is freed; no text (`data` is NULL) for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_text_view(text: Option<&entable_text>) -> entable_str {
    answer(entable_str::default(), || Some(text?.0.as_str().into()))
}

/// Frees a text. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_text_free(text: Option<Box<entable_text>>) {
    free(text);
}
