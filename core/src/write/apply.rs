//! The effect of one operation: old row, condition, new row.

use super::{Operation, UpdateMode, Verb, Written};
use crate::catalog::{Edit, Former, RowPlace, TableView};
use crate::codec::key;
use crate::codec::row::{self, Row};
use crate::codec::shape::Choice;
use crate::limits::{Limits, Mode, SERVICE};
use crate::model::{self, EntityInput, InputValue};
use crate::storage::Keys;
use crate::{Condition, EdmType, Error, ErrorCode, Result, TableName, Value, ValueRef};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Applies an operation, which has been checked by itself, to the group. `None` for a delete. `foreseen` are the keys of
/// the group's operations and the number of this one, if [`Edit::foresee`] has looked up their rows.
///
/// # Errors
/// In the order of S4.6: `TableNotFound`; `ResourceNotFound` or `EntityAlreadyExists`;
/// `UpdateConditionNotSatisfied`; the limits of the result.
pub(crate) fn apply(
    edit: &mut Edit<'_, '_>,
    name: &TableName,
    operation: &Operation,
    foreseen: Option<(&Keys, usize)>,
) -> Result<Option<Written>> {
    let table = edit.table(name)?;
    let place = match foreseen {
        Some((keys, number)) => edit.foreseen(keys, number),
        None => key::row_key(table.id, operation.partition_key(), operation.row_key()).into(),
    };
    let key = &*place.key;
    let former = |bytes| match &operation.verb {
        // What a merge takes over would get a CRC that is right.
        Verb::Write { mode: UpdateMode::Merge, .. } => Row::checked(key, bytes, &table.shapes),
        Verb::Write { .. } | Verb::Delete { .. } => table.former_row(key, bytes),
    };
    let old = edit.row_at(&place)?.map(former).transpose()?;
    check_condition(&operation.condition, old.as_ref())?;
    match &operation.verb {
        Verb::Delete { .. } => {
            let former = table.former(key, old.as_ref())?;
            edit.delete_row(name, place, former)?;
            Ok(None)
        }
        Verb::Write { entity, mode } => {
            let properties = result(entity, *mode, old.as_ref(), edit.mode)?;
            let former = table.former(key, old.as_ref())?;
            check_result(entity, &properties, edit)?;
            put(edit, name, &table, (place, former), &properties).map(Some)
        }
    }
}

/// S4.2: whether the entity exists is told before its version.
fn check_condition(condition: &Condition, old: Option<&Row<'_>>) -> Result<()> {
    match (condition, old) {
        (Condition::None, _) | (Condition::Absent, None) | (Condition::Any, Some(_)) => Ok(()),
        (Condition::Absent, Some(_)) => Err(Error::new(ErrorCode::EntityAlreadyExists)),
        (Condition::Any | Condition::IfMatch(_), None) => Err(Error::new(ErrorCode::ResourceNotFound)),
        (Condition::IfMatch(etag), Some(row)) if etag.timestamp() == Some(row.timestamp()) => Ok(()),
        (Condition::IfMatch(_), Some(_)) => Err(Error::new(ErrorCode::UpdateConditionNotSatisfied)),
    }
}

/// Names and values, borrowed from the input where it has them as they are stored.
type Properties<'a> = Vec<(Cow<'a, Arc<str>>, Cow<'a, Value>)>;

/// The properties that the entity has after the write.
fn result<'a>(
    entity: &'a EntityInput,
    update: UpdateMode,
    old: Option<&Row<'_>>,
    mode: Mode,
) -> Result<Properties<'a>> {
    let mut properties: Properties<'a> = Vec::with_capacity(entity.properties.len());
    if let (UpdateMode::Merge, Some(old)) = (update, old) {
        for property in old.properties() {
            let (name, value) = property?;
            properties.push((Cow::Owned(name.to_arc()), Cow::Owned(value.to_value())));
        }
    }
    // Only a merge can meet a name that is there.
    if properties.is_empty() {
        for (name, value) in &entity.properties {
            properties.push((Cow::Borrowed(name), typed(name, value, old, mode)?));
        }
        return Ok(properties);
    }
    let places: HashMap<Arc<str>, usize> =
        properties.iter().enumerate().map(|(at, (name, _))| (Arc::clone(name), at)).collect();
    for (name, value) in &entity.properties {
        let value = typed(name, value, old, mode)?;
        match places.get(name) {
            Some(at) => properties[*at].1 = value,
            None => properties.push((Cow::Borrowed(name), value)),
        }
    }
    Ok(properties)
}

fn typed<'a>(name: &str, value: &'a InputValue, old: Option<&Row<'_>>, mode: Mode) -> Result<Cow<'a, Value>> {
    match value {
        InputValue::Typed(value) => Ok(Cow::Borrowed(value)),
        InputValue::Untyped(number) => {
            let stored: Option<EdmType> = match old {
                Some(old) => old.get(name)?.map(|value| value.edm_type()),
                None => None,
            };
            number.resolve(stored, mode).map(Cow::Owned).map_err(|error| error.property(name))
        }
    }
}

/// The limits of the result, which a merge may pass though its input does not (S4.4.5).
fn check_result(entity: &EntityInput, properties: &Properties<'_>, edit: &mut Edit<'_, '_>) -> Result<()> {
    let keys_bytes = model::keys_bytes(entity.partition_key(), entity.row_key());
    let sum = |bytes: fn(&str, ValueRef<'_>) -> usize| {
        keys_bytes + properties.iter().map(|(name, value)| bytes(name, Value::as_ref(value))).sum::<usize>()
    };
    let most_bytes = sum(model::most_property_bytes);
    let check = |limits: &Limits| {
        model::check_count(properties.len(), limits)?;
        // The text is counted only where that can matter.
        if most_bytes <= limits.entity_bytes { Ok(()) } else { model::check_size(sum(model::property_bytes), limits) }
    };
    check(edit.mode.limits())?;
    if edit.mode == Mode::Extended && (check(&SERVICE).is_err() || entity.check(Mode::Portable).is_err()) {
        edit.note_extended_data();
    }
    Ok(())
}

fn put(
    edit: &mut Edit<'_, '_>,
    name: &TableName,
    table: &Arc<TableView>,
    (place, former): (RowPlace<'_>, Former),
    properties: &Properties<'_>,
) -> Result<Written> {
    let timestamp = edit.next_timestamp()?;
    let ticks = timestamp.ticks();
    let mut table = Cow::Borrowed(table);
    let mut row = edit.take_room();
    if row::encode_recent(&table.shapes, &place.key, ticks, properties, &mut row)?.is_none() {
        let mut choice = table.shapes.choose(properties);
        if let Choice::Shape { id, new_slots } = &mut choice
            && !new_slots.is_empty()
        {
            table = Cow::Owned(edit.grow_shape(name, *id, std::mem::take(new_slots))?);
        }
        row::encode(&table.shapes, &choice, &place.key, ticks, properties, &mut row)?;
    }
    edit.put_row(name, &table, place, former, row)?;
    Ok(Written::at(timestamp))
}
