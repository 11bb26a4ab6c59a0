//! Entities: built and changed by name, read by name and in order.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, boundary, free, optional_output, output, required};
use crate::error::{Result, entable_error};
use crate::text::{entable_bytes, entable_str};
use crate::value::{entable_guid, entable_value};
use entable::{Addend, Entity, EntityInput, InputValue, IntoEntity, Value};
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// An entity: PartitionKey, RowKey, and properties with a name and a typed value each, in their order.
///
/// One that you made or were given by `entable_table_get_entity` is yours: free it with `entable_entity_free`. One
/// that a page or an iteration lends you (`const entable_entity *`) is good as long as its comment says. Texts and
/// values asked of an entity are views of it: good until it is freed or changed. Any number of threads may read an
/// entity at once; while one changes it, no other may use it.
pub struct entable_entity {
    pub(crate) entity: Entity,
    /// What a merge is to add and to remove.
    changes: Vec<(Box<str>, InputValue)>,
    etag: OnceLock<Option<String>>,
}

impl From<Entity> for entable_entity {
    fn from(entity: Entity) -> Self {
        entable_entity { entity, changes: Vec::new(), etag: OnceLock::new() }
    }
}

impl entable_entity {
    /// What a write takes.
    pub(crate) fn input(&self) -> Result<EntityInput> {
        let mut input = self.entity.clone().into_input()?;
        self.changes.iter().for_each(|(name, change)| input.push(name, change.clone()));
        Ok(input)
    }

    fn get<T>(&self, name: entable_str, wanted: &str, of: impl FnOnce(&Value) -> Option<T>) -> Result<T> {
        let name = name.text("name")?;
        let Some(value) = self.entity.get(name) else {
            return Err(entable_error::misuse(name, "The entity has no such property."));
        };
        of(value).ok_or_else(|| entable_error::misuse(name, &format!("It is an {}, not {wanted}.", value.edm_type())))
    }
}

/// A new entity with these keys and no properties. What keys may be is checked when it is written.
///
/// `*entity` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_new(
    partition_key: entable_str,
    row_key: entable_str,
    entity: Option<&mut MaybeUninit<Option<Box<entable_entity>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let entity = output(entity, "entity")?;
        let made = Entity::new(partition_key.text("partition_key")?, row_key.text("row_key")?);
        *entity = Some(Box::new(made.into()));
        Ok(())
    })
}

/// A copy of an entity, lent or not: `*copy` is yours once the call returns NULL, else NULL. Any thread. The error is
/// yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_clone(
    entity: Option<&entable_entity>,
    copy: Option<&mut MaybeUninit<Option<Box<entable_entity>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let copy = output(copy, "copy")?;
        let entity = required(entity, "entity")?;
        let made = entable_entity { changes: entity.changes.clone(), ..entity.entity.clone().into() };
        *copy = Some(Box::new(made));
        Ok(())
    })
}

/// Frees an entity that is yours. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_free(entity: Option<Box<entable_entity>>) {
    free(entity);
}

/// The PartitionKey; empty where a projection leaves it out, no text (`data` is NULL) for NULL. A view.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_partition_key(entity: Option<&entable_entity>) -> entable_str {
    answer(entable_str::default(), || Some(entity?.entity.partition_key().into()))
}

/// The RowKey; empty where a projection leaves it out, no text (`data` is NULL) for NULL. A view.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_row_key(entity: Option<&entable_entity>) -> entable_str {
    answer(entable_str::default(), || Some(entity?.entity.row_key().into()))
}

/// The version, for conditional writes; no text (`data` is NULL) for an entity that was not read from a store. A view.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_etag(entity: Option<&entable_entity>) -> entable_str {
    answer(entable_str::default(), || {
        let entity = entity?;
        let etag = entity.etag.get_or_init(|| entity.entity.etag().map(|etag| etag.to_string()));
        Some(etag.as_deref().into())
    })
}

/// Whether the entity has a Timestamp, which it has if it was read and no projection left it out; writes it to `ticks`,
/// of 100 ns since 0001-01-01T00:00:00Z. `ticks` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_timestamp(
    entity: Option<&entable_entity>,
    ticks: Option<&mut MaybeUninit<i64>>,
) -> bool {
    answer(false, || {
        let place = optional_output(ticks);
        let timestamp = entity?.entity.timestamp()?;
        if let Some(place) = place {
            *place = timestamp.ticks();
        }
        Some(true)
    })
}

/// Bytes of the entity by the published formula, which the limit of 1 MiB counts; 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_size(entity: Option<&entable_entity>) -> usize {
    answer(0, || Some(entity?.entity.size_bytes()))
}

/// Sets a property, whose value is copied. A new one comes last; one that is there keeps its place. Names and values
/// are checked when the entity is written.
///
/// Errors: ENTABLE_INVALID_INPUT for a value that is none: text that is not UTF-8, an instant outside the years 1 to
/// 9999, an unknown type. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_set(
    entity: Option<&mut entable_entity>,
    name: entable_str,
    value: entable_value,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let entity = required(entity, "entity")?;
        let name = name.text("name")?;
        entity.entity.insert(name, value.value(name)?);
        Ok(())
    })
}

/// Takes a property out of this entity; one that it does not have is no error. It stays in the store unless the entity
/// is written with ENTABLE_UPDATE_REPLACE. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_remove(
    entity: Option<&mut entable_entity>,
    name: entable_str,
) -> Option<Box<entable_error>> {
    boundary(|| {
        required(entity, "entity")?.entity.remove(name.text("name")?);
        Ok(())
    })
}

/// Has a merge add a number to what the property has, as one step: an Int32, Int64 or Double, which is copied. The
/// property keeps its type, which must hold the number exactly; one that is not there becomes the number. For updates and
/// upserts with ENTABLE_UPDATE_MERGE; it is not among the entity's own properties.
///
/// Errors: ENTABLE_INVALID_INPUT for what is no number. Of the write: ENTABLE_NUMBER_OVERFLOW,
/// ENTABLE_DUPLICATE_PROPERTIES_SPECIFIED for a property that is also set. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_add(
    entity: Option<&mut entable_entity>,
    name: entable_str,
    number: entable_value,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let entity = required(entity, "entity")?;
        let name = name.text("name")?;
        let addend = Addend::try_from(InputValue::Typed(number.value(name)?));
        let addend = addend.map_err(|_| entable_error::misuse("number", "Only a number can be added."))?;
        entity.changes.push((name.into(), InputValue::Add(addend)));
        Ok(())
    })
}

/// Has a merge take a property out of the stored entity, if it is there. For updates and upserts with
/// ENTABLE_UPDATE_MERGE. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_erase(
    entity: Option<&mut entable_entity>,
    name: entable_str,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let name = name.text("name")?.into();
        required(entity, "entity")?.changes.push((name, InputValue::Remove));
        Ok(())
    })
}

/// How many properties there are, keys and Timestamp not counted; 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_count(entity: Option<&entable_entity>) -> usize {
    answer(0, || Some(entity?.entity.properties().len()))
}

/// Whether there is a property at `index`, from 0; writes views of its name and value. Either place may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_at(
    entity: Option<&entable_entity>,
    index: usize,
    name: Option<&mut MaybeUninit<entable_str>>,
    value: Option<&mut MaybeUninit<entable_value>>,
) -> bool {
    answer(false, || {
        let (name_place, value_place) = (optional_output(name), optional_output(value));
        let (name, value) = entity?.entity.properties().nth(index)?;
        if let Some(place) = name_place {
            *place = name.into();
        }
        if let Some(place) = value_place {
            *place = value.as_ref().into();
        }
        Some(true)
    })
}

/// A view of the value of a property; its type is ENTABLE_TYPE_NONE if there is no such property. The error is yours to
/// free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_get(
    entity: Option<&entable_entity>,
    name: entable_str,
    value: Option<&mut MaybeUninit<entable_value>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let value = output(value, "value")?;
        if let Some(found) = required(entity, "entity")?.entity.get(name.text("name")?) {
            *value = found.as_ref().into();
        }
        Ok(())
    })
}

/// The number of an Int32 property.
///
/// Errors, here and in the seven functions below: ENTABLE_INVALID_INPUT, naming the property, if there is none of this
/// name or it has another type. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_get_int32(
    entity: Option<&entable_entity>,
    name: entable_str,
    value: Option<&mut MaybeUninit<i32>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let value = output(value, "value")?;
        let int32 = |value: &Value| if let Value::Int32(int32) = value { Some(*int32) } else { None };
        *value = required(entity, "entity")?.get(name, "Edm.Int32", int32)?;
        Ok(())
    })
}

/// The number of an Int64 or Int32 property.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_get_int64(
    entity: Option<&entable_entity>,
    name: entable_str,
    value: Option<&mut MaybeUninit<i64>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let value = output(value, "value")?;
        *value = required(entity, "entity")?.get(name, "Edm.Int64", Value::as_i64)?;
        Ok(())
    })
}

/// The number of a Double or Int32 property.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_get_double(
    entity: Option<&entable_entity>,
    name: entable_str,
    value: Option<&mut MaybeUninit<f64>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let value = output(value, "value")?;
        *value = required(entity, "entity")?.get(name, "Edm.Double", Value::as_f64)?;
        Ok(())
    })
}

/// The instant of a DateTime property, in ticks of 100 ns since 0001-01-01T00:00:00Z.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_get_datetime(
    entity: Option<&entable_entity>,
    name: entable_str,
    ticks: Option<&mut MaybeUninit<i64>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let ticks = output(ticks, "ticks")?;
        *ticks = required(entity, "entity")?.get(name, "Edm.DateTime", Value::as_datetime)?.ticks();
        Ok(())
    })
}

/// The GUID of a Guid property.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_get_guid(
    entity: Option<&entable_entity>,
    name: entable_str,
    value: Option<&mut MaybeUninit<entable_guid>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let value = output(value, "value")?;
        value.bytes = *required(entity, "entity")?.get(name, "Edm.Guid", Value::as_guid)?.as_bytes();
        Ok(())
    })
}

/// The truth value of a Boolean property.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_get_boolean(
    entity: Option<&entable_entity>,
    name: entable_str,
    value: Option<&mut MaybeUninit<bool>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let value = output(value, "value")?;
        *value = required(entity, "entity")?.get(name, "Edm.Boolean", Value::as_bool)?;
        Ok(())
    })
}

/// The text of a String property: a view, good until the entity is freed or changed.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_get_string(
    entity: Option<&entable_entity>,
    name: entable_str,
    value: Option<&mut MaybeUninit<entable_str>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let value = output(value, "value")?;
        *value = required(entity, "entity")?.get(name, "Edm.String", |value| value.as_str().map(Into::into))?;
        Ok(())
    })
}

/// The bytes of a Binary property: a view, good until the entity is freed or changed.
#[unsafe(no_mangle)]
pub extern "C" fn entable_entity_get_binary(
    entity: Option<&entable_entity>,
    name: entable_str,
    value: Option<&mut MaybeUninit<entable_bytes>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let value = output(value, "value")?;
        *value = required(entity, "entity")?.get(name, "Edm.Binary", |value| value.as_bytes().map(Into::into))?;
        Ok(())
    })
}
