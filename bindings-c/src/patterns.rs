//! The published patterns: what defines one, and what a reader asks for.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, array, boundary, date_time, free, optional_output, output, put, required};
use crate::changes::entable_changes;
use crate::entity::entable_entity;
use crate::error::{Result, entable_error};
use crate::json::entable_text;
use crate::keys::entable_texts;
use crate::pattern::{Ask, Definition, FieldDefinition, Pattern};
use crate::query::entable_query;
use crate::table::{entable_keys, texts};
use crate::text::entable_str;
use crate::value::entable_value;
use entable::patterns::Lookup;
use entable::{Entity, Value};
use std::mem::MaybeUninit;
use std::ptr;

/// A published pattern. Each says below which members of `entable_pattern_definition` it takes; those that are not in
/// brackets must be given. What a pattern does not take must be zero.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_pattern_kind {
    /// A copy of the row under a second unique key. One field; `prefix`, [`row_prefix`] or `kept_in`; [`select`].
    ENTABLE_PATTERN_SECONDARY_INDEX = 1,
    /// The ids of all rows with a value, in one entity. `fields`, `prefix`, [`kept_in`, `partition`: what the lists'
    /// PartitionKey begins with; `property`: where the ids stand; `composed`].
    ENTABLE_PATTERN_INDEX_ENTITIES = 2,
    /// An entry for each row in a table of its own. `fields`, `kept_in`, [`holding` and `select`, `separator`,
    /// `composed`, `by_both_keys`, `shards`].
    ENTABLE_PATTERN_INDEX_TABLE = 3,
    /// An entity that a second row cannot insert. One field; `prefix`, or `partition` with [`kept_in`].
    ENTABLE_PATTERN_UNIQUE_GUARD = 4,
    /// The value without case. `property`, and `folded` or `prefix`.
    ENTABLE_PATTERN_FOLDED_KEY = 5,
    /// The newest first. `property`: the time; [one field: the id; `both_orders`].
    ENTABLE_PATTERN_LOG_TAIL = 6,
    /// Many values of a period in one entity. `period`.
    ENTABLE_PATTERN_DATA_SERIES = 7,
    /// More properties than one entity takes.
    ENTABLE_PATTERN_WIDE_ENTITY = 8,
    /// Related rows side by side. `fields`, [`prefix`, `separator`].
    ENTABLE_PATTERN_COMPOUND_KEY = 9,
    /// Each value once, and how many rows have it. One field; `prefix`, [`row_prefix`].
    ENTABLE_PATTERN_DISTINCT_LIST = 10,
}

/// How a value is written into a key.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_field_form {
    /// As it is.
    ENTABLE_FIELD_PLAIN = 0,
    /// Without case.
    ENTABLE_FIELD_FOLDED = 1,
    /// As `entable_keys_safe` writes it.
    ENTABLE_FIELD_SAFE = 2,
    /// As `entable_keys_base64_text` writes it.
    ENTABLE_FIELD_BASE64 = 3,
    /// A DateTime as `entable_keys_descending_ticks` writes it.
    ENTABLE_FIELD_NEWEST_FIRST = 4,
}

/// What an entry of an index table holds beside the keys of its row.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_holding {
    /// Nothing.
    ENTABLE_HOLDING_KEYS = 0,
    /// All properties.
    ENTABLE_HOLDING_ALL = 1,
    /// The properties of `select`.
    ENTABLE_HOLDING_SELECTED = 2,
}

/// The period of one entity of a data series.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_period {
    /// A year of months.
    ENTABLE_PERIOD_YEAR = 1,
    /// A month of days.
    ENTABLE_PERIOD_MONTH = 2,
    /// A day of hours.
    ENTABLE_PERIOD_DAY = 3,
    /// An hour of minutes.
    ENTABLE_PERIOD_HOUR = 4,
}

/// What is asked of a pattern. All but those of an index table are asked of one partition.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_lookup_kind {
    /// What has these values; of a folded key the text in any case, of a data series the period of a time, of a wide
    /// entity the RowKey.
    ENTABLE_LOOKUP_FIND = 1,
    /// What begins with them.
    ENTABLE_LOOKUP_STARTING_WITH = 2,
    /// What lies from the first value to the second, both among them; of a log tail and a data series, times.
    ENTABLE_LOOKUP_BETWEEN = 3,
    /// All that the pattern keeps in the partition: secondary index, index entities, distinct list.
    ENTABLE_LOOKUP_LIST = 4,
    /// The newest rows of a log tail, as many as the value says.
    ENTABLE_LOOKUP_LATEST = 5,
    /// The oldest rows of a log tail with `both_orders`, as many as the value says.
    ENTABLE_LOOKUP_EARLIEST = 6,
    /// The first entry of an index table behind a PartitionKey, or the first of all without a value.
    ENTABLE_LOOKUP_NEXT_VALUE = 7,
    /// What lies below a compound key.
    ENTABLE_LOOKUP_BELOW = 8,
    /// The same with the row of that key.
    ENTABLE_LOOKUP_WITH_BELOW = 9,
}

/// What C hands in where an `entable_pattern_kind` belongs: any number.
pub(crate) type RawPatternKind = u32;
/// What C hands in where an `entable_field_form` belongs: any number.
pub(crate) type RawFieldForm = u32;
/// What C hands in where an `entable_holding` belongs: any number.
pub(crate) type RawHolding = u32;
/// What C hands in where an `entable_period` belongs: any number.
pub(crate) type RawPeriod = u32;
/// What C hands in where an `entable_lookup_kind` belongs: any number.
pub(crate) type RawLookupKind = u32;

/// A property of which a key is made, borrowed for the call. All zero but the name is the value as it is.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct entable_pattern_field {
    /// The property; `PartitionKey` and `RowKey` are properties, too.
    pub name: entable_str,
    /// How the value is written.
    pub form: RawFieldForm,
    /// Digits of a whole number, with zeros before it; 0 as it is.
    pub padded: usize,
    /// What stands between several values of one text, each of which has a key. Not there: the text is one value.
    pub each: entable_str,
}

/// What a pattern is, borrowed for the call: begin with all zero. A text that is not there has NULL as `data`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct entable_pattern_definition {
    /// Which pattern.
    pub kind: RawPatternKind,
    /// The rows' table.
    pub table: entable_str,
    /// The table of what is kept beside the rows.
    pub kept_in: entable_str,
    /// What the RowKeys of what is kept begin with; with `row_prefix` of a secondary index, the PartitionKeys.
    pub prefix: entable_str,
    /// What the RowKeys of rows begin with; of a secondary index, their PartitionKeys.
    pub row_prefix: entable_str,
    /// The partition of what is kept, or its beginning.
    pub partition: entable_str,
    /// The one property that the pattern is about.
    pub property: entable_str,
    /// The property that gets the text without case.
    pub folded: entable_str,
    /// What stands between the values in a key. Not there: `_`.
    pub separator: entable_str,
    /// The properties of which keys are made.
    pub fields: *const entable_pattern_field,
    /// How many.
    pub fields_count: usize,
    /// Names of the properties that are kept. NULL: all, or what `holding` says.
    pub select: *const entable_str,
    /// How many.
    pub select_count: usize,
    /// What entries hold.
    pub holding: RawHolding,
    /// The period of a data series.
    pub period: RawPeriod,
    /// Partitions that the entries of one value are spread over; 0 for one.
    pub shards: u32,
    /// Keys of several values are made by `entable_keys_compose`.
    pub composed: u8,
    /// Entries are named by both keys of their row: for rows in several partitions with the same RowKey.
    pub by_both_keys: u8,
    /// A log tail is kept in both orders.
    pub both_orders: u8,
}

/// A pattern: pure functions of rows, which neither read nor write. The keys are those that the literature writes, so
/// the same definition serves data in the cloud.
///
/// Yours from `entable_pattern_new`: free it with `entable_pattern_free`. It never changes, so any thread may use it.
pub struct entable_pattern {
    pattern: Pattern,
    table: String,
}

/// What a reader asks for: a table, and a query of it. Yours: free it with `entable_lookup_free`. It never changes, so
/// any thread may read it.
pub struct entable_lookup {
    lookup: Lookup,
    filter: String,
}

/// Keys of several entities. Yours: free them with `entable_key_list_free`. They never change, so any thread may read
/// them.
pub struct entable_key_list {
    /// What the views look at.
    _keys: Vec<(String, String)>,
    views: Vec<entable_keys>,
}

/// Pairs of values that a pattern has read. Yours: free them with `entable_value_pairs_free`. They never change, so any
/// thread may read them.
pub struct entable_value_pairs(Vec<(Value, Value)>);

impl entable_key_list {
    pub(crate) fn boxed(keys: Vec<(String, String)>) -> Option<Box<entable_key_list>> {
        let view = |(partition_key, row_key): &(String, String)| entable_keys {
            partition_key: partition_key.as_str().into(),
            row_key: row_key.as_str().into(),
        };
        let views = keys.iter().map(view).collect();
        Some(Box::new(entable_key_list { _keys: keys, views }))
    }
}

/// A text of a definition, if it is there.
fn given(text: entable_str, name: &str) -> Result<Option<String>> {
    if text.data.is_null() && text.length == 0 {
        return Ok(None);
    }
    Ok(Some(text.text(name)?.to_owned()))
}

impl entable_pattern_field {
    fn definition(&self) -> Result<FieldDefinition> {
        Ok(FieldDefinition {
            name: self.name.text("name")?.to_owned(),
            form: self.form,
            padded: self.padded,
            each: given(self.each, "each")?,
        })
    }
}

impl entable_pattern_definition {
    fn definition(&self) -> Result<Definition> {
        let fields = array(self.fields, self.fields_count, "fields")?;
        let select = match self.select.is_null() && self.select_count == 0 {
            true => None,
            false => Some(texts(self.select, self.select_count, "select")?.into_iter().map(str::to_owned).collect()),
        };
        Ok(Definition {
            kind: self.kind,
            table: self.table.text("table")?.to_owned(),
            kept_in: given(self.kept_in, "kept_in")?,
            prefix: given(self.prefix, "prefix")?,
            row_prefix: given(self.row_prefix, "row_prefix")?,
            partition: given(self.partition, "partition")?,
            property: given(self.property, "property")?,
            folded: given(self.folded, "folded")?,
            separator: given(self.separator, "separator")?,
            fields: fields.iter().map(entable_pattern_field::definition).collect::<Result<_>>()?,
            select,
            holding: self.holding,
            period: self.period,
            shards: self.shards,
            is_composed: self.composed != 0,
            by_both_keys: self.by_both_keys != 0,
            both_orders: self.both_orders != 0,
        })
    }
}

/// The entities of an array, none of which may be NULL.
pub(crate) fn entities(first: *const Option<&entable_entity>, count: usize, name: &str) -> Result<Vec<Entity>> {
    array(first, count, name)?.iter().map(|entity| Ok(required(*entity, name)?.entity.clone())).collect()
}

fn state(entity: Option<&entable_entity>) -> Option<&Entity> {
    entity.map(|entity| &entity.entity)
}

fn boxed(lookup: Lookup) -> Option<Box<entable_lookup>> {
    let filter = lookup.filter();
    Some(Box::new(entable_lookup { lookup, filter }))
}

/// The pattern of a definition, which is copied.
///
/// `*pattern` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT naming the member
/// that the pattern needs, or does not take. What tables and properties may be called is checked when it is used. The
/// error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_new(
    definition: Option<&entable_pattern_definition>,
    pattern: Option<&mut MaybeUninit<Option<Box<entable_pattern>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(pattern, "pattern")?;
        let definition = required(definition, "definition")?.definition()?;
        *place = Some(Box::new(entable_pattern { pattern: definition.pattern()?, table: definition.table }));
        Ok(())
    })
}

/// Frees a pattern. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_free(pattern: Option<Box<entable_pattern>>) {
    free(pattern);
}

/// The lookup at `index`, from 0, of those that are to be read before the change of a row: the lists of index entities,
/// the counts of a distinct list. What is found is handed to `entable_pattern_changes`. `former` is NULL before an insert,
/// `new_row` after a delete.
///
/// `*lookup` is yours once the call returns NULL; NULL past the last, which for other patterns is the first. Any thread.
/// The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_read(
    pattern: Option<&entable_pattern>,
    former: Option<&entable_entity>,
    new_row: Option<&entable_entity>,
    index: usize,
    lookup: Option<&mut MaybeUninit<Option<Box<entable_lookup>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, pattern) = (output(lookup, "lookup")?, required(pattern, "pattern")?);
        let reads = pattern.pattern.reads(&pattern.table, state(former), state(new_row))?;
        *place = reads.into_iter().nth(index).and_then(boxed);
        Ok(())
    })
}

/// All that is to be written when a row goes from one state to the next. `former` is NULL before an insert, `new_row`
/// after a delete; a former state that was read carries the ETag that the row is written on condition of. `stored`: the
/// `count` entities that the lookups of `entable_pattern_read` found.
///
/// `*changes` is yours once the call returns NULL, else NULL. Any thread. Errors: what the service would refuse, before
/// anything is written, with property, limit and actual; ENTABLE_INVALID_INPUT if the states have different keys. The
/// error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_changes(
    pattern: Option<&entable_pattern>,
    former: Option<&entable_entity>,
    new_row: Option<&entable_entity>,
    stored: *const Option<&entable_entity>,
    count: usize,
    changes: Option<&mut MaybeUninit<Option<Box<entable_changes>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(changes, "changes")?;
        let stored = entities(stored, count, "stored")?;
        let made = required(pattern, "pattern")?.pattern.changes(state(former), state(new_row), &stored)?;
        *place = Some(Box::new(entable_changes(made)));
        Ok(())
    })
}

/// The steps that bring the copies to the row's state of now: for rows that were there before the pattern, and after a
/// lost race. `seen` are the `seen_count` states whose copies may be left over; `current` is NULL if there is no row.
/// `stored` as in `entable_pattern_changes`. Secondary index, index entities, index table, unique guard, folded key.
///
/// `*changes` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_pattern_changes`. The error
/// is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_reconcile(
    pattern: Option<&entable_pattern>,
    seen: *const Option<&entable_entity>,
    seen_count: usize,
    current: Option<&entable_entity>,
    stored: *const Option<&entable_entity>,
    count: usize,
    changes: Option<&mut MaybeUninit<Option<Box<entable_changes>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(changes, "changes")?;
        let (seen, stored) = (entities(seen, seen_count, "seen")?, entities(stored, count, "stored")?);
        let seen: Vec<&Entity> = seen.iter().collect();
        let made = required(pattern, "pattern")?.pattern.reconcile(&seen, state(current), &stored)?;
        *place = Some(Box::new(entable_changes(made)));
        Ok(())
    })
}

/// What is written when a data series gets a value for the part of its period that `ticks` lies in.
///
/// `*changes` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_pattern_changes`;
/// ENTABLE_INVALID_INPUT for another pattern. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_record(
    pattern: Option<&entable_pattern>,
    series: entable_str,
    ticks: i64,
    value: entable_value,
    changes: Option<&mut MaybeUninit<Option<Box<entable_changes>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(changes, "changes")?;
        let (series, time) = (series.text("series")?, date_time(ticks, "ticks")?);
        let made = required(pattern, "pattern")?.pattern.record(series, time, value.value("value")?)?;
        *place = Some(Box::new(entable_changes(made)));
        Ok(())
    })
}

/// What is written when the value of a time is taken out of a data series: `entity` is that of its period, as it was
/// read. No steps if there is no such value.
///
/// `*changes` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT if the entity is of
/// another period, and for another pattern. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_remove(
    pattern: Option<&entable_pattern>,
    entity: Option<&entable_entity>,
    ticks: i64,
    changes: Option<&mut MaybeUninit<Option<Box<entable_changes>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, entity) = (output(changes, "changes")?, required(entity, "entity")?);
        let time = date_time(ticks, "ticks")?;
        *place = Some(Box::new(entable_changes(required(pattern, "pattern")?.pattern.remove(&entity.entity, time)?)));
        Ok(())
    })
}

/// The steps that count the values of a distinct list anew from all `rows_count` rows of a partition. `stored` are all
/// `count` entities that ENTABLE_LOOKUP_LIST finds there. Nobody should write rows meanwhile. With `row_prefix` in the
/// pattern's definition, `rows` may be everything that is in the partition.
///
/// `*changes` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_pattern_changes`;
/// ENTABLE_INVALID_INPUT for one of `stored` that is no count of the partition, and for another pattern. The error is
/// yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_rebuild(
    pattern: Option<&entable_pattern>,
    partition_key: entable_str,
    rows: *const Option<&entable_entity>,
    rows_count: usize,
    stored: *const Option<&entable_entity>,
    count: usize,
    changes: Option<&mut MaybeUninit<Option<Box<entable_changes>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, partition_key) = (output(changes, "changes")?, partition_key.text("partition_key")?);
        let (rows, stored) = (entities(rows, rows_count, "rows")?, entities(stored, count, "stored")?);
        let made = required(pattern, "pattern")?.pattern.rebuild(partition_key, &rows, &stored)?;
        *place = Some(Box::new(entable_changes(made)));
        Ok(())
    })
}

/// What a reader asks for. `values` are the `count` values that the kind takes. For an index table `partition_key` has
/// NULL as `data`.
///
/// `*lookup` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for a kind that the
/// pattern does not have, or other values than it takes; those of keys. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_lookup(
    pattern: Option<&entable_pattern>,
    kind: RawLookupKind,
    partition_key: entable_str,
    values: *const entable_value,
    count: usize,
    lookup: Option<&mut MaybeUninit<Option<Box<entable_lookup>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, ask) = (output(lookup, "lookup")?, Ask::of(kind)?);
        let partition_key = given(partition_key, "partition_key")?;
        let values = array(values, count, "values")?;
        let values = values.iter().map(|value| value.value("values")).collect::<Result<Vec<Value>>>()?;
        *place = boxed(required(pattern, "pattern")?.pattern.lookup(ask, partition_key.as_deref(), &values)?);
        Ok(())
    })
}

/// The keys of the rows that what was found stands for: entries of an index table, guards, or lists of index entities,
/// which alone need the `partition_key` of the rows. For `entable_table_get_many`.
///
/// `*keys` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for an entity that
/// is none of these, and for other patterns, whose copies are the rows. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_rows(
    pattern: Option<&entable_pattern>,
    partition_key: entable_str,
    found: *const Option<&entable_entity>,
    count: usize,
    keys: Option<&mut MaybeUninit<Option<Box<entable_key_list>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(keys, "keys")?;
        let (partition_key, found) = (given(partition_key, "partition_key")?, entities(found, count, "found")?);
        *place = entable_key_list::boxed(required(pattern, "pattern")?.pattern.rows(partition_key.as_deref(), &found)?);
        Ok(())
    })
}

/// The ids in `count` lists of index entities from `lists` on, in their order: the RowKeys of rows.
///
/// `*ids` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for another pattern.
/// The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_ids(
    pattern: Option<&entable_pattern>,
    lists: *const Option<&entable_entity>,
    count: usize,
    ids: Option<&mut MaybeUninit<Option<Box<entable_texts>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, lists) = (output(ids, "ids")?, entities(lists, count, "lists")?);
        *place = Some(Box::new(entable_texts(required(pattern, "pattern")?.pattern.ids(&lists)?)));
        Ok(())
    })
}

/// The value that a list of index entities is for, as it stands in the key; no text (`data` is NULL) for a further part
/// of a list and for other entities. A view of `list`. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT for another pattern. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_value_of(
    pattern: Option<&entable_pattern>,
    list: Option<&entable_entity>,
    value: Option<&mut MaybeUninit<entable_str>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, list) = (output(value, "value")?, required(list, "list")?);
        *place = required(pattern, "pattern")?.pattern.value_of(&list.entity)?.into();
        Ok(())
    })
}

/// The PartitionKey of a row with this RowKey, where an index table has `shards`: the number of its shard.
///
/// `*key` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for a pattern without
/// shards. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_shard_key(
    pattern: Option<&entable_pattern>,
    row_key: entable_str,
    key: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, row_key) = (output(key, "key")?, row_key.text("row_key")?);
        *place = Some(Box::new(entable_text(required(pattern, "pattern")?.pattern.shard_key(row_key)?)));
        Ok(())
    })
}

/// The texts that a compound key is made of.
///
/// `*parts` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for a key that does
/// not begin with the pattern's prefix, and for another pattern. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_parts(
    pattern: Option<&entable_pattern>,
    row_key: entable_str,
    parts: Option<&mut MaybeUninit<Option<Box<entable_texts>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, row_key) = (output(parts, "parts")?, row_key.text("row_key")?);
        *place = Some(Box::new(entable_texts(required(pattern, "pattern")?.pattern.parts(row_key)?)));
        Ok(())
    })
}

/// The text that stands in a key for a value of this field.
///
/// `*text` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for a value of a type,
/// or with a size, that the form does not know; ENTABLE_PROPERTY_NAME_INVALID; those of `entable_keys_...`. Each names the
/// property. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_field_text(
    field: Option<&entable_pattern_field>,
    value: entable_value,
    text: Option<&mut MaybeUninit<Option<Box<entable_text>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, field) = (output(text, "text")?, required(field, "field")?.definition()?);
        *place = Some(Box::new(entable_text(field.text_of(value.value("value")?)?)));
        Ok(())
    })
}

/// The row as the pattern writes it, with the key or property that it makes: folded key, log tail, compound key.
///
/// `*made` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_row_of(
    pattern: Option<&entable_pattern>,
    row: Option<&entable_entity>,
    made: Option<&mut MaybeUninit<Option<Box<entable_entity>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, row) = (output(made, "made")?, required(row, "row")?);
        *place = Some(Box::new(required(pattern, "pattern")?.pattern.row_of(&row.entity)?.into()));
        Ok(())
    })
}

/// The one row that a wide entity's `parts` are, as they were found.
///
/// `*row` is yours once the call returns NULL; NULL if there are no parts. Any thread. Errors: ENTABLE_INVALID_INPUT if a
/// part is missing before the last, and for other patterns. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_join(
    pattern: Option<&entable_pattern>,
    parts: *const Option<&entable_entity>,
    count: usize,
    row: Option<&mut MaybeUninit<Option<Box<entable_entity>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(row, "row")?;
        let parts = entities(parts, count, "parts")?;
        let joined = required(pattern, "pattern")?.pattern.join(&parts)?;
        *place = joined.map(|row| Box::new(row.into()));
        Ok(())
    })
}

/// What the entities that were found say: of a data series each time (DateTime) with its value, of a distinct list each
/// listed value (String) with how many rows have it (Int64).
///
/// `*pairs` is yours once the call returns NULL, else NULL. Any thread. Errors: ENTABLE_INVALID_INPUT for an entity that
/// is not of the pattern, and for other patterns. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_pattern_values(
    pattern: Option<&entable_pattern>,
    found: *const Option<&entable_entity>,
    count: usize,
    pairs: Option<&mut MaybeUninit<Option<Box<entable_value_pairs>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(pairs, "pairs")?;
        let found = entities(found, count, "found")?;
        *place = Some(Box::new(entable_value_pairs(required(pattern, "pattern")?.pattern.pairs(&found)?)));
        Ok(())
    })
}

/// How many pairs there are; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_value_pairs_count(pairs: Option<&entable_value_pairs>) -> usize {
    answer(0, || Some(pairs?.0.len()))
}

/// Whether there is a pair at `index`, from 0; writes views of its two values. Either place may be NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_value_pairs_at(
    pairs: Option<&entable_value_pairs>,
    index: usize,
    key: Option<&mut MaybeUninit<entable_value>>,
    value: Option<&mut MaybeUninit<entable_value>>,
) -> bool {
    answer(false, || {
        let (key_place, value_place) = (optional_output(key), optional_output(value));
        let (key, value) = pairs?.0.get(index)?;
        put(key_place, key.as_ref().into());
        put(value_place, value.as_ref().into());
        Some(true)
    })
}

/// Frees pairs. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_value_pairs_free(pairs: Option<Box<entable_value_pairs>>) {
    free(pairs);
}

/// The table to ask; no text (`data` is NULL) for NULL. A view. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_lookup_table(lookup: Option<&entable_lookup>) -> entable_str {
    answer(entable_str::default(), || Some(lookup?.lookup.table().into()))
}

/// The filter, in the service's language; empty for all entities, no text for NULL. A view. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_lookup_filter(lookup: Option<&entable_lookup>) -> entable_str {
    answer(entable_str::default(), || Some(lookup?.filter.as_str().into()))
}

/// Whether not all entities are wanted; writes how many are. `limit` may be NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_lookup_limit(lookup: Option<&entable_lookup>, limit: Option<&mut MaybeUninit<u64>>) -> bool {
    answer(false, || {
        let place = optional_output(limit);
        put(place, lookup?.lookup.limit()?);
        Some(true)
    })
}

/// Whether one entity is asked for, a point read; writes views of its keys. `keys` may be NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_lookup_keys(
    lookup: Option<&entable_lookup>,
    keys: Option<&mut MaybeUninit<entable_keys>>,
) -> bool {
    answer(false, || {
        let place = optional_output(keys);
        let (partition_key, row_key) = lookup?.lookup.keys()?;
        put(place, entable_keys { partition_key: partition_key.into(), row_key: row_key.into() });
        Some(true)
    })
}

/// The query of the lookup, for `entable_table_query_entities` of its table.
///
/// `*query` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_lookup_query(
    lookup: Option<&entable_lookup>,
    query: Option<&mut MaybeUninit<Option<Box<entable_query>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(query, "query")?;
        *place = Some(Box::new(entable_query::of((&required(lookup, "lookup")?.lookup).into())));
        Ok(())
    })
}

/// Frees a lookup. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_lookup_free(lookup: Option<Box<entable_lookup>>) {
    free(lookup);
}

/// How many keys there are; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_key_list_count(keys: Option<&entable_key_list>) -> usize {
    answer(0, || Some(keys?.views.len()))
}

/// The keys, as `entable_table_get_many` takes them; NULL for NULL. Views, good until the list is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_key_list_data(keys: Option<&entable_key_list>) -> *const entable_keys {
    answer(ptr::null(), || Some(keys?.views.as_ptr()))
}

/// Frees keys. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_key_list_free(keys: Option<Box<entable_key_list>>) {
    free(keys);
}
