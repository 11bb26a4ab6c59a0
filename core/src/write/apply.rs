//! The effect of one operation: old row, condition, new row.

use super::{Condition, Operation, UpdateMode, Verb, Written};
use crate::catalog::{Edit, Former, RowPlace, TableView};
use crate::codec::key;
use crate::codec::row::{self, PropertyName, Row};
use crate::codec::shape::Choice;
use crate::limits::{Limits, Mode, SERVICE};
use crate::model::{self, EntityInput, InputValue, KeyPair};
use crate::storage::Keys;
use crate::{DateTime, Error, ErrorCode, Result, TableName, Value, ValueRef};
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
    // What a merge or a move takes over would get a CRC that is right; and what a filter answers has to be so.
    let is_read = matches!(&operation.verb, Verb::Write { mode: UpdateMode::Merge, .. } | Verb::Move { .. })
        || matches!(&operation.condition, Condition::Matches(_));
    let former = |bytes| match is_read {
        true => Row::checked(key, bytes, &table.shapes),
        false => table.former_row(key, bytes),
    };
    let old = edit.row_at(&place)?.map(former).transpose()?;
    operation.condition.hold_of(key, old.as_ref(), edit.mode)?;
    match (&operation.verb, old) {
        (Verb::Delete { .. }, old) => {
            let former = table.former(key, old.as_ref())?;
            edit.delete_row(name, place, former)?;
            Ok(None)
        }
        (Verb::CreateOrGet { .. }, Some(old)) => Ok(Some(Written::found(old.timestamp()))),
        (Verb::Move { to, .. }, Some(old)) => {
            let properties = old.properties().map(|property| property.map(owned)).collect::<Result<_>>()?;
            let former = table.former(key, Some(&old))?;
            move_row(edit, (name, &table), (place, former), to, &properties).map(Some)
        }
        // The condition has told it already.
        (Verb::Move { .. }, None) => Err(Error::new(ErrorCode::ResourceNotFound)),
        (Verb::Write { entity, .. } | Verb::CreateOrGet { entity }, old) => {
            let update = match &operation.verb {
                Verb::Write { mode, .. } => *mode,
                _ => UpdateMode::Replace,
            };
            let properties = result(entity, update, old.as_ref(), edit.mode)?;
            let former = table.former(key, old.as_ref())?;
            check_result((entity.partition_key(), entity.row_key()), &properties, edit)?;
            if edit.mode == Mode::Extended && entity.check(Mode::Portable).is_err() {
                edit.note_extended_data();
            }
            let version = edit.version(operation.version)?;
            put(edit, (name, &table), (place, former), &properties, version).map(Some)
        }
    }
}

/// Puts what a row holds under another key, and takes it from its own (S4.8.7).
fn move_row(
    edit: &mut Edit<'_, '_>,
    (name, table): (&TableName, &Arc<TableView>),
    (place, former): (RowPlace<'_>, Former),
    to: &KeyPair,
    properties: &Properties<'_>,
) -> Result<Written> {
    let (partition_key, row_key) = (to.partition_key(), to.row_key());
    let target = key::row_key(table.id, partition_key, row_key);
    if edit.row(&target)?.is_some() {
        return Err(Error::new(ErrorCode::EntityAlreadyExists).keys(partition_key, row_key));
    }
    check_result((partition_key, row_key), properties, edit)?;
    if edit.mode == Mode::Extended && model::check_keys(partition_key, row_key, &SERVICE).is_err() {
        edit.note_extended_data();
    }
    edit.delete_row(name, place, former)?;
    let version = edit.version(None)?;
    put(edit, (name, table), (target.into(), Former::default()), properties, version)
}

/// Names and values, borrowed from the input where it has them as they are stored.
type Properties<'a> = Vec<(Cow<'a, Arc<str>>, Cow<'a, Value>)>;

fn owned<'a>((name, value): (PropertyName<'_>, ValueRef<'_>)) -> (Cow<'a, Arc<str>>, Cow<'a, Value>) {
    (Cow::Owned(name.to_arc()), Cow::Owned(value.to_value()))
}

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
            properties.push(owned(property?));
        }
    }
    // Only a merge can meet a name that is there.
    if properties.is_empty() {
        for (name, value) in &entity.properties {
            if let Some(value) = given(name, value, old, mode)? {
                properties.push((Cow::Borrowed(name), value));
            }
        }
        return Ok(properties);
    }
    let places: HashMap<Arc<str>, usize> =
        properties.iter().enumerate().map(|(at, (name, _))| (Arc::clone(name), at)).collect();
    let mut removed = Vec::new();
    for (name, value) in &entity.properties {
        match (given(name, value, old, mode)?, places.get(name)) {
            (Some(value), Some(at)) => properties[*at].1 = value,
            (Some(value), None) => properties.push((Cow::Borrowed(name), value)),
            (None, Some(at)) => removed.push(*at),
            (None, None) => {}
        }
    }
    // From behind, so that the places of the others stay.
    removed.sort_unstable();
    for at in removed.into_iter().rev() {
        properties.remove(at);
    }
    Ok(properties)
}

/// The value that a property has after the write; `None` if it is to be removed.
fn given<'a>(name: &str, value: &'a InputValue, old: Option<&Row<'_>>, mode: Mode) -> Result<Option<Cow<'a, Value>>> {
    let stored = || match old {
        Some(old) => old.get(name),
        None => Ok(None),
    };
    let made = match value {
        InputValue::Typed(value) => return Ok(Some(Cow::Borrowed(value))),
        InputValue::Remove => return Ok(None),
        InputValue::Untyped(number) => number.resolve(stored()?.map(ValueRef::edm_type), mode),
        InputValue::Add(addend) => addend.added_to(stored()?, mode),
    };
    made.map(|value| Some(Cow::Owned(value))).map_err(|error| error.property(name))
}

/// The limits of the result, which a merge may pass though its input does not (S4.4.5).
fn check_result(
    (partition_key, row_key): (&str, &str),
    properties: &Properties<'_>,
    edit: &mut Edit<'_, '_>,
) -> Result<()> {
    let keys_bytes = model::keys_bytes(partition_key, row_key);
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
    if edit.mode == Mode::Extended && check(&SERVICE).is_err() {
        edit.note_extended_data();
    }
    Ok(())
}

fn put(
    edit: &mut Edit<'_, '_>,
    (name, table): (&TableName, &Arc<TableView>),
    (place, former): (RowPlace<'_>, Former),
    properties: &Properties<'_>,
    timestamp: DateTime,
) -> Result<Written> {
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
