//! Definitions of patterns, read off JavaScript's objects.

use super::Pattern;
use crate::convert::{self, service_name};
use crate::error::{Converted, Failure};
use crate::options::Options;
use entable::patterns::{
    CompoundKey, DataSeries, DistinctList, Field, FoldedKey, IndexEntities, IndexTable, LogTail, Period,
    SecondaryIndex, UniqueGuard, WideEntity,
};
use napi::ValueType;
use napi::bindgen_prelude::{JsValue, Unknown};

/// What a pattern's constructor was handed.
struct Definition<'env> {
    pattern: &'static str,
    options: Options<'env>,
}

impl<'env> Definition<'env> {
    fn new(pattern: &'static str, value: Unknown<'env>, members: &[&str]) -> Converted<Definition<'env>> {
        let options = Options::new(convert::object_in(value, "definition")?.to_unknown(), "definition")?;
        options.only(members)?;
        Ok(Definition { pattern, options })
    }

    fn needed(&self, name: &str) -> Converted<Unknown<'env>> {
        let missing = || Failure::wrong_type(format!("{} has to have the member {name}.", self.pattern)).of(name);
        self.options.get(name)?.ok_or_else(missing)
    }

    fn text(&self, name: &str) -> Converted<String> {
        convert::text_in(self.needed(name)?, name)
    }

    fn text_or(&self, name: &str, other: &str) -> Converted<String> {
        Ok(self.options.text(name)?.unwrap_or_else(|| other.to_owned()))
    }

    fn table(&self) -> Converted<String> {
        self.text("table")
    }

    fn field(&self) -> Converted<Field> {
        field_in(self.needed("field")?)
    }

    fn fields(&self) -> Converted<Vec<Field>> {
        let fields = convert::array_in(self.needed("fields")?, "fields")?;
        convert::elements(&fields)?.into_iter().map(field_in).collect()
    }

    fn names(&self, name: &str) -> Converted<Option<Vec<String>>> {
        self.options.get(name)?.map(|names| convert::names_in(names, name)).transpose()
    }
}

/// A property, or `{name, padded?, form?, each?}`.
pub(crate) fn field_in(value: Unknown<'_>) -> Converted<Field> {
    if value.get_type()? == ValueType::String {
        return Ok(Field::new(service_name(&convert::text_in(value, "field")?)));
    }
    let options = Options::new(convert::object_in(value, "field")?.to_unknown(), "field")?;
    options.only(&["name", "padded", "form", "each"])?;
    let Some(name) = options.text("name")? else {
        return Err(Failure::wrong_type("A field has to have the member name.").of("name"));
    };
    let mut field = Field::new(service_name(&name));
    if let Some(width) = options.count("padded")? {
        field = field.padded(usize::try_from(width).unwrap_or(usize::MAX));
    }
    if let Some(between) = options.text("each")? {
        field = field.each(between);
    }
    Ok(match options.text("form")?.as_deref() {
        None => field,
        Some("folded") => field.folded(),
        Some("safe") => field.safe(),
        Some("base64") => field.base64(),
        Some("newestFirst") => field.newest_first(),
        Some(_) => {
            let fact = "form must be \"folded\", \"safe\", \"base64\" or \"newestFirst\".";
            return Err(Failure::wrong_type(fact).of("form"));
        }
    })
}

/// The pattern of this name.
pub(super) fn pattern_in(name: &str, value: Unknown<'_>) -> Converted<Pattern> {
    let given = |pattern, members| Definition::new(pattern, value, members);
    match name {
        "SecondaryIndex" => {
            secondary_index(&given("SecondaryIndex", &["table", "prefix", "rowPrefix", "copies", "field", "select"])?)
        }
        "IndexEntities" => index_entities(&given(
            "IndexEntities",
            &["table", "prefix", "fields", "lists", "partitionPrefix", "listProperty", "composed"],
        )?),
        "IndexTable" => index_table(&given(
            "IndexTable",
            &["table", "entries", "fields", "projection", "separator", "composed", "byBothKeys", "shards"],
        )?),
        "UniqueGuard" => unique_guard(&given("UniqueGuard", &["table", "prefix", "field", "guards", "partitionKey"])?),
        "FoldedKey" => folded_key(&given("FoldedKey", &["table", "property", "folded", "prefix"])?),
        "LogTail" => log_tail(&given("LogTail", &["table", "property", "id", "bothOrders"])?),
        "DataSeries" => data_series(&given("DataSeries", &["table", "period"])?),
        "WideEntity" => wide_entity(&given("WideEntity", &["table"])?),
        "CompoundKey" => compound_key(&given("CompoundKey", &["table", "fields", "prefix", "separator"])?),
        "DistinctList" => distinct_list(&given("DistinctList", &["table", "prefix", "field", "rowPrefix"])?),
        _ => Err(Failure::wrong_type("There is no pattern of this name.")),
    }
}

fn secondary_index(given: &Definition<'_>) -> Converted<Pattern> {
    let (table, field) = (given.table()?, given.field()?);
    let index = match (given.options.text("rowPrefix")?, given.options.text("copies")?) {
        (None, None) => SecondaryIndex::new(table, given.text("prefix")?, field),
        (Some(row_prefix), None) => SecondaryIndex::in_partitions(table, row_prefix, given.text("prefix")?, field),
        (None, Some(copies)) if given.options.get("prefix")?.is_none() => {
            SecondaryIndex::in_table(table, copies, field)
        }
        (_, Some(_)) => {
            let fact = "Copies in a table of their own have no prefix: leave out prefix and rowPrefix, or copies.";
            return Err(Failure::wrong_type(fact).of("copies"));
        }
    };
    Ok(Pattern::Secondary(match given.names("select")? {
        Some(names) => index.select(names),
        None => index,
    }))
}

fn index_entities(given: &Definition<'_>) -> Converted<Pattern> {
    let table = given.table()?;
    let mut lists = IndexEntities::new(&table, given.text("prefix")?, given.fields()?);
    if given.options.get("lists")?.is_some() || given.options.get("partitionPrefix")?.is_some() {
        lists = lists.placed(given.text_or("lists", &table)?, given.text_or("partitionPrefix", "")?);
    }
    if let Some(property) = given.options.text("listProperty")? {
        lists = lists.list_property(property);
    }
    Ok(Pattern::Entities(if given.options.flag("composed")? { lists.composed() } else { lists }))
}

fn index_table(given: &Definition<'_>) -> Converted<Pattern> {
    let (table, entries, fields) = (given.table()?, given.text("entries")?, given.fields()?);
    let mut index = match given.options.get("projection")? {
        None => IndexTable::normalized(table, entries, fields),
        Some(names) if names.is_array()? => {
            IndexTable::partial(table, entries, fields, convert::names_in(names, "projection")?)
        }
        Some(_) => match given.options.text("projection")?.as_deref() {
            Some("keys") => IndexTable::normalized(table, entries, fields),
            Some("all") => IndexTable::full(table, entries, fields),
            _ => {
                let fact = "projection must be \"keys\", \"all\", or an array of names.";
                return Err(Failure::wrong_type(fact).of("projection"));
            }
        },
    };
    if let Some(separator) = given.options.text("separator")? {
        index = index.separator(separator);
    }
    if given.options.flag("composed")? {
        index = index.composed();
    }
    if given.options.flag("byBothKeys")? {
        index = index.by_both_keys();
    }
    Ok(Pattern::Table(match given.options.count("shards")? {
        Some(shards) => index.sharded(u32::try_from(shards).unwrap_or(u32::MAX)),
        None => index,
    }))
}

fn unique_guard(given: &Definition<'_>) -> Converted<Pattern> {
    let table = given.table()?;
    let guard = UniqueGuard::new(&table, given.text_or("prefix", "")?, given.field()?);
    let Some(partition_key) = given.options.text("partitionKey")? else {
        if given.options.get("guards")?.is_some() {
            let fact = "Guards in a table of their own are in one partition: name it as partitionKey.";
            return Err(Failure::wrong_type(fact).of("partitionKey"));
        }
        return Ok(Pattern::Guard(guard));
    };
    Ok(Pattern::Guard(guard.across(given.text_or("guards", &table)?, partition_key)))
}

fn folded_key(given: &Definition<'_>) -> Converted<Pattern> {
    let (table, property) = (given.table()?, given.text("property")?);
    let (folded, prefix) = (given.options.text("folded")?, given.options.text("prefix")?);
    Ok(Pattern::Folded(match (folded, prefix) {
        (Some(folded), None) => FoldedKey::property(table, property, folded),
        (None, Some(prefix)) => FoldedKey::keyed(table, prefix, property),
        _ => {
            let fact =
                "A FoldedKey has one of folded, the property of the folded text, and prefix, that of the copies' keys.";
            return Err(Failure::wrong_type(fact).of("folded"));
        }
    }))
}

fn log_tail(given: &Definition<'_>) -> Converted<Pattern> {
    let mut tail = LogTail::new(given.table()?, given.text("property")?);
    if let Some(id) = given.options.get("id")? {
        tail = tail.id(field_in(id)?);
    }
    Ok(Pattern::Tail(if given.options.flag("bothOrders")? { tail.both_orders() } else { tail }))
}

fn data_series(given: &Definition<'_>) -> Converted<Pattern> {
    let period = match given.text("period")?.as_str() {
        "year" => Period::Year,
        "month" => Period::Month,
        "day" => Period::Day,
        "hour" => Period::Hour,
        _ => {
            let fact = "period must be \"year\", \"month\", \"day\" or \"hour\".";
            return Err(Failure::wrong_type(fact).of("period"));
        }
    };
    Ok(Pattern::Series(DataSeries::new(given.table()?, period)))
}

fn wide_entity(given: &Definition<'_>) -> Converted<Pattern> {
    Ok(Pattern::Wide(WideEntity::new(given.table()?)))
}

fn compound_key(given: &Definition<'_>) -> Converted<Pattern> {
    let mut compound = CompoundKey::new(given.table()?, given.fields()?);
    if let Some(prefix) = given.options.text("prefix")? {
        compound = compound.prefix(prefix);
    }
    Ok(Pattern::Compound(match given.options.text("separator")? {
        Some(separator) => compound.separator(separator),
        None => compound,
    }))
}

fn distinct_list(given: &Definition<'_>) -> Converted<Pattern> {
    let list = DistinctList::new(given.table()?, given.text("prefix")?, given.field()?);
    Ok(Pattern::Distinct(match given.options.text("rowPrefix")? {
        Some(row_prefix) => list.row_prefix(row_prefix),
        None => list,
    }))
}
