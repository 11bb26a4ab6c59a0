//! Indexes: declared, created, listed.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, boundary, free, output, required};
use crate::error::{Result, entable_error};
use crate::table::{entable_table, texts};
use crate::text::entable_str;
use entable::Index;
use entable::index::{IndexInfo, Projection, Scope, State};
use std::mem::MaybeUninit;
use std::ptr;

/// Where an index looks, and within what a unique one allows a value once.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_scope {
    /// Through the whole table, whatever the PartitionKey. The default.
    ENTABLE_SCOPE_TABLE = 0,
    /// Within one partition: used by queries that name theirs.
    ENTABLE_SCOPE_PARTITION = 1,
}

/// What C hands in where an `entable_scope` belongs: any number.
pub(crate) type RawScope = u32;

/// What of an entity an entry of an index holds besides the indexed properties and the keys.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_projection {
    /// Nothing: queries that only count read no row. The default.
    ENTABLE_PROJECTION_KEYS = 0,
    /// All properties: a full copy of the row.
    ENTABLE_PROJECTION_ALL = 1,
    /// Some properties, and the Timestamp: a query that asks for no more reads no row.
    ENTABLE_PROJECTION_NAMES = 2,
}

/// Whether queries use an index.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum entable_index_state {
    /// It is a declaration that the store has not been given, or NULL.
    ENTABLE_INDEX_DECLARED = 0,
    /// Rows that were there before it still have to get their entries.
    ENTABLE_INDEX_BUILDING = 1,
    /// It is kept and used.
    ENTABLE_INDEX_READY = 2,
    /// Its case was folded by another version of Unicode: it is not used, and has to be created again.
    ENTABLE_INDEX_STALE = 3,
}

/// What an index is to be, or is.
///
/// One from `entable_index_new` is yours: free it with `entable_index_free`; while one thread changes it, no other may
/// use it. One that `entable_indexes_at` lends you is good until the list is freed. Texts asked of it are views of it.
pub struct entable_index {
    name: String,
    properties: Vec<String>,
    scope: Scope,
    projection: Projection,
    is_unique: bool,
    folds_case: bool,
    state: Option<State>,
}

impl entable_index {
    fn definition(&self) -> Index {
        Index::new(&*self.name)
            .properties(self.properties.iter().map(|name| &**name))
            .scope(self.scope)
            .projection(self.projection.clone())
            .unique(self.is_unique)
            .fold_case(self.folds_case)
    }
}

impl From<&IndexInfo> for entable_index {
    fn from(index: &IndexInfo) -> Self {
        entable_index {
            name: index.name().into(),
            properties: index.properties().map(Into::into).collect(),
            scope: index.scope(),
            projection: index.projection().clone(),
            is_unique: index.is_unique(),
            folds_case: index.folds_case(),
            state: Some(index.state()),
        }
    }
}

/// The declared indexes of a table. Yours: free it with `entable_indexes_free`. It never changes, so any thread may read
/// it.
pub struct entable_indexes(Vec<entable_index>);

/// The declaration of an index of this name, over `count` properties from `properties` on, the first one first; all
/// texts are copied. `RowKey` and `Timestamp` may be among them. What it may be is checked when it is created.
///
/// `*index` is yours once the call returns NULL, else NULL. Any thread. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_new(
    name: entable_str,
    properties: *const entable_str,
    count: usize,
    index: Option<&mut MaybeUninit<Option<Box<entable_index>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(index, "index")?;
        let name = name.text("name")?.to_owned();
        let properties = texts(properties, count, "properties")?.into_iter().map(Into::into).collect();
        *place = Some(Box::new(entable_index {
            name,
            properties,
            scope: Scope::default(),
            projection: Projection::default(),
            is_unique: false,
            folds_case: false,
            state: None,
        }));
        Ok(())
    })
}

/// Where the index looks: ENTABLE_SCOPE_TABLE unless set.
///
/// Errors: ENTABLE_INVALID_INPUT for another number. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_set_scope(
    index: Option<&mut entable_index>,
    scope: RawScope,
) -> Option<Box<entable_error>> {
    const TABLE: u32 = entable_scope::ENTABLE_SCOPE_TABLE as u32;
    const PARTITION: u32 = entable_scope::ENTABLE_SCOPE_PARTITION as u32;
    boundary(|| {
        required(index, "index")?.scope = match scope {
            TABLE => Scope::Table,
            PARTITION => Scope::Partition,
            _ => return Err(entable_error::misuse("scope", "It is none of enum entable_scope.")),
        };
        Ok(())
    })
}

/// Entries hold all properties: a full copy of each row. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_set_projection_all(index: Option<&mut entable_index>) -> Option<Box<entable_error>> {
    boundary(|| project(index, Projection::All))
}

/// Entries hold these properties, `count` names from `names` on, which are copied, and the Timestamp. The error is yours
/// to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_set_projection(
    index: Option<&mut entable_index>,
    names: *const entable_str,
    count: usize,
) -> Option<Box<entable_error>> {
    boundary(|| project(index, Projection::names(texts(names, count, "names")?)))
}

fn project(index: Option<&mut entable_index>, projection: Projection) -> Result<()> {
    required(index, "index")?.projection = projection;
    Ok(())
}

/// Whether a value may be there once only, in the table or in each partition, as the scope says: by value, so 5 and 5.0
/// are one. Entities without one of the properties, or with NaN in one, are not bound by it. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_set_unique(
    index: Option<&mut entable_index>,
    is_unique: bool,
) -> Option<Box<entable_error>> {
    boundary(|| {
        required(index, "index")?.is_unique = is_unique;
        Ok(())
    })
}

/// Whether Strings are the same whatever their case, for `tolower(P) eq 'x'` and for unique values. The error is yours
/// to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_set_fold_case(
    index: Option<&mut entable_index>,
    folds_case: bool,
) -> Option<Box<entable_error>> {
    boundary(|| {
        required(index, "index")?.folds_case = folds_case;
        Ok(())
    })
}

/// Frees the declaration of an index. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_free(index: Option<Box<entable_index>>) {
    free(index);
}

/// Declares an index and builds it: returns when queries use it. Readers and writers go on meanwhile; a build that is
/// broken off, by a kill, say, is resumed by the next opener that may write. The declaration is copied. In
/// a transaction it is built there. Any thread.
///
/// Errors: ENTABLE_INDEX_ALREADY_EXISTS, ENTABLE_UNIQUE_INDEX_VIOLATION with the keys of two entities that hold one value,
/// ENTABLE_INVALID_INPUT for what is wrong in the declaration, ENTABLE_TABLE_NOT_FOUND; ENTABLE_QUOTA_EXCEEDED,
/// ENTABLE_STORE_FULL or ENTABLE_ENTITY_TOO_LARGE for what does not fit. There is no index then, and when the reason is
/// gone the same call works. A build that is resumed and meets one of these drops its index too. The error is yours to
/// free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_create_index(
    table: Option<&entable_table>,
    index: Option<&entable_index>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let index = required(index, "index")?.definition();
        Ok(required(table, "table")?.0.create_index(index)?)
    })
}

/// Declares an index and builds it, if it is not there with the same declaration. ENTABLE_INDEX_ALREADY_EXISTS if it is
/// there with another. Otherwise as `entable_table_create_index`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_create_index_if_not_exists(
    table: Option<&entable_table>,
    index: Option<&entable_index>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let index = required(index, "index")?.definition();
        Ok(required(table, "table")?.0.create_index_if_not_exists(index)?)
    })
}

/// Drops an index, at once and durably. Any thread.
///
/// Errors: ENTABLE_INDEX_NOT_FOUND, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_drop_index(
    table: Option<&entable_table>,
    name: entable_str,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let name = name.text("name")?;
        Ok(required(table, "table")?.0.drop_index(name)?)
    })
}

/// The declared indexes of a table. `*indexes` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_list_indexes(
    table: Option<&entable_table>,
    indexes: Option<&mut MaybeUninit<Option<Box<entable_indexes>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(indexes, "indexes")?;
        let found = required(table, "table")?.0.list_indexes()?;
        *place = Some(Box::new(entable_indexes(found.iter().map(Into::into).collect())));
        Ok(())
    })
}

/// How many indexes there are; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_indexes_count(indexes: Option<&entable_indexes>) -> usize {
    answer(0, || Some(indexes?.0.len()))
}

/// The index at `index`, from 0; NULL past the end. Lent until the list is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_indexes_at(indexes: Option<&entable_indexes>, index: usize) -> *const entable_index {
    answer(ptr::null(), || Some(ptr::from_ref(indexes?.0.get(index)?)))
}

/// Frees a list of indexes. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_indexes_free(indexes: Option<Box<entable_indexes>>) {
    free(indexes);
}

/// The name; no text (`data` is NULL) for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_name(index: Option<&entable_index>) -> entable_str {
    answer(entable_str::default(), || Some(index?.name.as_str().into()))
}

/// The indexed property at `position`, from 0; no text (`data` is NULL) past the last. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_property(index: Option<&entable_index>, position: usize) -> entable_str {
    answer(entable_str::default(), || Some(index?.properties.get(position)?.as_str().into()))
}

/// Where it looks. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_scope(index: Option<&entable_index>) -> entable_scope {
    answer(entable_scope::ENTABLE_SCOPE_TABLE, || {
        Some(match index?.scope {
            Scope::Table => entable_scope::ENTABLE_SCOPE_TABLE,
            Scope::Partition => entable_scope::ENTABLE_SCOPE_PARTITION,
        })
    })
}

/// What its entries hold. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_projection(index: Option<&entable_index>) -> entable_projection {
    answer(entable_projection::ENTABLE_PROJECTION_KEYS, || {
        Some(match &index?.projection {
            Projection::Keys => entable_projection::ENTABLE_PROJECTION_KEYS,
            Projection::All => entable_projection::ENTABLE_PROJECTION_ALL,
            Projection::Names(_) => entable_projection::ENTABLE_PROJECTION_NAMES,
        })
    })
}

/// The name at `position`, from 0, of ENTABLE_PROJECTION_NAMES; no text (`data` is NULL) past the last. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_projected(index: Option<&entable_index>, position: usize) -> entable_str {
    answer(entable_str::default(), || match &index?.projection {
        Projection::Names(names) => Some((&**names.get(position)?).into()),
        Projection::Keys | Projection::All => None,
    })
}

/// Whether a value may be there once only. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_is_unique(index: Option<&entable_index>) -> bool {
    answer(false, || Some(index?.is_unique))
}

/// Whether Strings are the same whatever their case. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_folds_case(index: Option<&entable_index>) -> bool {
    answer(false, || Some(index?.folds_case))
}

/// Whether queries use it. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_get_state(index: Option<&entable_index>) -> entable_index_state {
    answer(entable_index_state::ENTABLE_INDEX_DECLARED, || {
        Some(match index?.state {
            Some(State::Building) => entable_index_state::ENTABLE_INDEX_BUILDING,
            Some(State::Ready) => entable_index_state::ENTABLE_INDEX_READY,
            Some(State::Stale) => entable_index_state::ENTABLE_INDEX_STALE,
            // What a later core may add counts as not used.
            Some(_) => entable_index_state::ENTABLE_INDEX_BUILDING,
            None => entable_index_state::ENTABLE_INDEX_DECLARED,
        })
    })
}
