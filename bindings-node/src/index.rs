//! Declarations of indexes: in, and out. What they hold, and what is advised of them.

use crate::convert::{self, member_name};
use crate::error::{Converted, Failure};
use crate::options::Options;
use entable::index::{IndexInfo, Projection, Scope, State};
use entable::{Advice, Index, IndexStats};
use napi::bindgen_prelude::{Env, JsValue, Object, Unknown};

/// A declaration: `{name, properties, scope?, projection?, unique?, foldCase?}`.
pub(crate) fn definition_in(value: Unknown<'_>) -> Converted<Index> {
    let options = Options::new(convert::object_in(value, "index")?.to_unknown(), "index")?;
    options.only(&["name", "properties", "scope", "projection", "unique", "foldCase"])?;
    let needed = |name: &str| {
        let missing = || Failure::wrong_type(format!("An index has to have the member {name}.")).of(name);
        options.get(name)?.ok_or_else(missing)
    };
    let name = convert::text_in(needed("name")?, "name")?;
    let properties = convert::names_in(needed("properties")?, "properties")?;
    let scope = match options.text("scope")?.as_deref() {
        None | Some("table") => Scope::Table,
        Some("partition") => Scope::Partition,
        Some(_) => return Err(Failure::wrong_type("scope must be \"table\" or \"partition\".").of("scope")),
    };
    let projection = match options.get("projection")? {
        None => Projection::Keys,
        Some(names) if names.is_array()? => Projection::names(convert::names_in(names, "projection")?),
        Some(_) => match options.text("projection")?.as_deref() {
            Some("keys") => Projection::Keys,
            Some("all") => Projection::All,
            _ => {
                let fact = "projection must be \"keys\", \"all\", or an array of names.";
                return Err(Failure::wrong_type(fact).of("projection"));
            }
        },
    };
    let (unique, fold_case) = (options.flag("unique")?, options.flag("foldCase")?);
    let index = Index::new(name).properties(properties).scope(scope).projection(projection);
    Ok(index.unique(unique).fold_case(fold_case))
}

/// The indexes of a table.
pub(crate) fn indexes_out<'env>(env: &'env Env, indexes: Vec<IndexInfo>) -> napi::Result<Unknown<'env>> {
    let mut array = env.create_array(0)?;
    for index in &indexes {
        array.insert(index_out(env, index)?)?;
    }
    Ok(array.to_unknown())
}

fn index_out<'env>(env: &'env Env, index: &IndexInfo) -> napi::Result<Object<'env>> {
    let names =
        |names: &mut dyn Iterator<Item = &str>| names.map(|name| member_name(name).to_owned()).collect::<Vec<_>>();
    let mut object = Object::new(env)?;
    object.set("name", index.name())?;
    object.set("properties", names(&mut index.properties()))?;
    object.set(
        "scope",
        match index.scope() {
            Scope::Table => "table",
            Scope::Partition => "partition",
        },
    )?;
    match index.projection() {
        Projection::Keys => object.set("projection", "keys")?,
        Projection::All => object.set("projection", "all")?,
        Projection::Names(custom) => object.set("projection", names(&mut custom.iter().map(|name| &**name)))?,
    };
    object.set("unique", index.is_unique())?;
    object.set("foldCase", index.folds_case())?;
    object.set(
        "state",
        match index.state() {
            State::Building => "building",
            State::Ready => "ready",
            // Of a state that this binding does not know, too: it is not used.
            _ => "stale",
        },
    )?;
    Ok(object)
}

/// What the indexes of a table hold.
pub(crate) fn stats_out<'env>(env: &'env Env, stats: Vec<IndexStats>) -> napi::Result<Unknown<'env>> {
    let mut array = env.create_array(0)?;
    for one in &stats {
        let mut object = Object::new(env)?;
        object.set("name", &*one.name)?;
        object.set("entries", one.entries as f64)?;
        object.set("missing", one.missing as f64)?;
        object.set("distinctValues", one.distinct_values as f64)?;
        object.set("mostFrequentShare", one.most_frequent_share)?;
        object.set("bytes", one.bytes as f64)?;
        object.set("uses", one.uses as f64)?;
        array.insert(object)?;
    }
    Ok(array.to_unknown())
}

/// What would make a table, or all of them, cheaper.
pub(crate) fn advice_out<'env>(env: &'env Env, advice: Vec<Advice>) -> napi::Result<Unknown<'env>> {
    let mut array = env.create_array(0)?;
    for one in &advice {
        let mut object = Object::new(env)?;
        object.set("kind", one.kind.name())?;
        object.set("tableName", &*one.table)?;
        for (name, text) in [("index", one.index.as_deref()), ("filter", one.filter.as_deref())] {
            if let Some(text) = text {
                object.set(name, text)?;
            }
        }
        object.set("reason", &*one.reason)?;
        object.set("call", &*one.call)?;
        array.insert(object)?;
    }
    Ok(array.to_unknown())
}
