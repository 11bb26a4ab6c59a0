//! Entities as dicts.
//!
//! Most entities of a table have the same names in the same order. A dict of these names, without values, is kept and
//! copied for each of them: the names are neither made nor hashed again, and the dict has its size from the start.

use super::{PARTITION_KEY, ROW_KEY, Select, object};
use crate::entity::TableEntity;
use crate::error::raise;
use entable::{StoredEntity, ValueRef};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::{Arc, Mutex, PoisonError};

/// Templates that are kept, each in the one place that its names give: as many as a program reads in turn, and what comes
/// last has the place.
const KEPT: usize = 256;
/// Names that a template has at most: entities of more are rare, and are not kept in memory for it.
const NAMES: usize = 300;

static TEMPLATES: Mutex<Kept> = Mutex::new(Kept { places: [const { None }; KEPT], last: 0 });

struct Kept {
    places: [Option<Arc<Template>>; KEPT],
    /// The place that was used last: mostly the next one, too.
    last: usize,
}

/// The names and values of an entity.
type Properties<'a> = &'a [(&'a str, ValueRef<'a>)];

struct Template {
    has: HasKeys,
    names: Vec<(Box<str>, Py<PyString>)>,
    /// With `None` for every value.
    dict: Py<PyDict>,
}

/// Which keys the dict has, besides the properties.
#[derive(Clone, Copy, PartialEq)]
struct HasKeys {
    partition_key: bool,
    row_key: bool,
}

impl Template {
    fn new(py: Python<'_>, has: HasKeys, properties: Properties<'_>) -> PyResult<Template> {
        let dict = PyDict::new(py);
        if has.partition_key {
            dict.set_item(pyo3::intern!(py, "PartitionKey"), py.None())?;
        }
        if has.row_key {
            dict.set_item(pyo3::intern!(py, "RowKey"), py.None())?;
        }
        let mut names = Vec::with_capacity(properties.len());
        for (name, _) in properties {
            let key = PyString::intern(py, name);
            dict.set_item(&key, py.None())?;
            names.push(((*name).into(), key.unbind()));
        }
        Ok(Template { has, names, dict: dict.unbind() })
    }

    /// Whether it is that of these names.
    fn is_of(&self, has: HasKeys, properties: Properties<'_>) -> bool {
        self.has == has
            && self.names.len() == properties.len()
            && self.names.iter().zip(properties).all(|((known, _), (name, _))| **known == **name)
    }

    /// The template of the entity's names.
    fn of(py: Python<'_>, has: HasKeys, properties: Properties<'_>) -> PyResult<Arc<Template>> {
        let place = {
            let mut kept = TEMPLATES.lock().unwrap_or_else(PoisonError::into_inner);
            let known = |kept: &Kept, place: usize| {
                kept.places.get(place).and_then(Option::as_ref).filter(|known| known.is_of(has, properties)).cloned()
            };
            if let Some(known) = known(&kept, kept.last) {
                return Ok(known);
            }
            let place = place_of(has, properties);
            if let Some(known) = known(&kept, place) {
                kept.last = place;
                return Ok(known);
            }
            place
        };
        // Nothing is locked while Python runs.
        let made = Arc::new(Template::new(py, has, properties)?);
        if made.names.len() <= NAMES {
            let mut kept = TEMPLATES.lock().unwrap_or_else(PoisonError::into_inner);
            let before = kept.places.get_mut(place).and_then(|kept| kept.replace(Arc::clone(&made)));
            kept.last = place;
            drop(kept);
            drop(before);
        }
        Ok(made)
    }
}

/// Where the template of these names is kept: FNV-1a over the ends of the names, which mostly tell them apart.
fn place_of(has: HasKeys, properties: Properties<'_>) -> usize {
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    let begin = 0xcbf2_9ce4_8422_2325 ^ (u64::from(has.partition_key) << 1 | u64::from(has.row_key));
    let hash = properties.iter().fold(begin, |hash, (name, _)| {
        let name = name.as_bytes();
        let ends = [name.first(), name.get(name.len() / 2), name.last()];
        let ends = ends.into_iter().flatten().fold(name.len() as u64, |word, byte| word << 8 | u64::from(*byte));
        mix(hash, ends)
    });
    (hash ^ hash >> 32) as usize % KEPT
}

/// The entity as a dict, with the keys that the projection has. A decoder gives each property its value.
pub(crate) fn entity<'py>(
    py: Python<'py>,
    entity: &StoredEntity,
    select: &Select,
    decoder: Option<&Py<PyAny>>,
) -> PyResult<Bound<'py, TableEntity>> {
    let has = HasKeys { partition_key: select.has(PARTITION_KEY), row_key: select.has(ROW_KEY) };
    let properties = entity.properties().map_err(raise)?;
    let template = Template::of(py, has, &properties)?;
    let made = Bound::new(py, TableEntity::stored(entity.etag(), entity.timestamp()))?;
    let dict = made.as_super();
    // Into an empty dict: Python copies the table of names as a whole.
    dict.update(template.dict.bind(py).as_mapping())?;
    if has.partition_key {
        dict.set_item(pyo3::intern!(py, "PartitionKey"), entity.partition_key())?;
    }
    if has.row_key {
        dict.set_item(pyo3::intern!(py, "RowKey"), entity.row_key())?;
    }
    for ((_, name), (_, stored)) in template.names.iter().zip(properties) {
        let (name, stored) = (name.bind(py), object::value_of(py, stored)?);
        match decoder {
            Some(decoder) => dict.set_item(name, decoder.bind(py).call1((name, stored))?)?,
            None => dict.set_item(name, stored)?,
        }
    }
    Ok(made)
}
