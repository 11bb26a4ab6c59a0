//! Tables of pairs: many to many.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{boundary, free, optional_output, output, put, required};
use crate::error::{Result, entable_error};
use crate::place::Place;
use crate::query::entable_page;
use crate::relation::{RawOnDelete, entable_on_delete};
use crate::store::entable_store;
use crate::table::entable_table;
use crate::text::entable_str;
use entable::{ContinuationToken, Join};
use std::mem::MaybeUninit;

/// Links between the entities of two tables, any number from each side: a table of its own, with an entity for each pair,
/// which may have properties of its own. A link to an entity that is not there is refused, and either entity's delete is
/// refused or takes its links along, as declared.
///
/// A handle, yours: free it with `entable_join_free`. Any number of threads may use it at once. It keeps its store open.
pub struct entable_join(Join);

/// Makes a table of pairs, of entities of table `left` and of table `right`, which may be the same; what is there already
/// is taken as it is.
///
/// `join` may be NULL if no handle is wanted; `*join` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: as `entable_store_create_relation_if_not_exists`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_create_join(
    store: Option<&entable_store>,
    name: entable_str,
    left: entable_str,
    right: entable_str,
    on_delete: RawOnDelete,
    join: Option<&mut MaybeUninit<Option<Box<entable_join>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, on_delete) = (optional_output(join), entable_on_delete::on_delete(on_delete)?);
        let (name, left, right) = (name.text("name")?, left.text("left")?, right.text("right")?);
        let made = required(store, "store")?.0.create_join(name, left, right, on_delete)?;
        put(place, Some(Box::new(entable_join(made))));
        Ok(())
    })
}

/// A handle to a table of pairs. Nothing is asked of the store: that there is none shows when it is used.
///
/// `*join` is yours once the call returns NULL, else NULL. Any thread. Errors: as `entable_store_table`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_join(
    store: Option<&entable_store>,
    name: entable_str,
    join: Option<&mut MaybeUninit<Option<Box<entable_join>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(join, "join")?;
        let name = name.text("name")?;
        *place = Some(Box::new(entable_join(required(store, "store")?.0.join(name)?)));
        Ok(())
    })
}

/// The table of the pairs. `*table` is yours once the call returns NULL, else NULL. Any thread. The error is yours to
/// free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_join_table(
    join: Option<&entable_join>,
    table: Option<&mut MaybeUninit<Option<Box<entable_table>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(table, "table")?;
        *place = Some(Box::new(entable_table(Place::Store(required(join, "join")?.0.table().clone()))));
        Ok(())
    })
}

/// Does something to a pair, and tells how it was.
fn pair(
    join: Option<&entable_join>,
    (left_partition_key, left_row_key): (entable_str, entable_str),
    (right_partition_key, right_row_key): (entable_str, entable_str),
    job: impl FnOnce(&Join, (&str, &str), (&str, &str)) -> entable::Result<bool>,
) -> Result<bool> {
    let left = (left_partition_key.text("left_partition_key")?, left_row_key.text("left_row_key")?);
    let right = (right_partition_key.text("right_partition_key")?, right_row_key.text("right_row_key")?);
    Ok(job(&required(join, "join")?.0, left, right)?)
}

/// Links two entities, by their keys. `is_new` may be NULL; else it gets whether they were not linked before. Any thread.
///
/// Errors: ENTABLE_LINK_TARGET_NOT_FOUND if one of them is not there, ENTABLE_KEY_VALUE_TOO_LARGE if their keys composed are
/// too long for one, ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_join_link(
    join: Option<&entable_join>,
    left_partition_key: entable_str,
    left_row_key: entable_str,
    right_partition_key: entable_str,
    right_row_key: entable_str,
    is_new: Option<&mut MaybeUninit<bool>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = optional_output(is_new);
        let (left, right) = ((left_partition_key, left_row_key), (right_partition_key, right_row_key));
        put(place, pair(join, left, right, Join::link)?);
        Ok(())
    })
}

/// Takes the link of two entities away. `was_linked` may be NULL; else it gets whether they were linked. Any thread.
///
/// Errors: ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_join_unlink(
    join: Option<&entable_join>,
    left_partition_key: entable_str,
    left_row_key: entable_str,
    right_partition_key: entable_str,
    right_row_key: entable_str,
    was_linked: Option<&mut MaybeUninit<bool>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = optional_output(was_linked);
        let (left, right) = ((left_partition_key, left_row_key), (right_partition_key, right_row_key));
        put(place, pair(join, left, right, Join::unlink)?);
        Ok(())
    })
}

/// Whether two entities are linked. Any thread.
///
/// Errors: ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_join_is_linked(
    join: Option<&entable_join>,
    left_partition_key: entable_str,
    left_row_key: entable_str,
    right_partition_key: entable_str,
    right_row_key: entable_str,
    is_linked: Option<&mut MaybeUninit<bool>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(is_linked, "is_linked")?;
        let (left, right) = ((left_partition_key, left_row_key), (right_partition_key, right_row_key));
        *place = pair(join, left, right, Join::is_linked)?;
        Ok(())
    })
}

fn token(token: entable_str) -> Result<Option<ContinuationToken>> {
    match token.text("token")? {
        "" => Ok(None),
        text => Ok(Some(text.parse()?)),
    }
}

/// The right entities that a left one is linked to, a page of at most `page_size`: from the start if `token` is empty, or
/// where the token of another page of the same question says.
///
/// `*page` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_INVALID_INPUT for a token of another question, ENTABLE_RELATION_NOT_FOUND if it is no table of pairs,
/// ENTABLE_TABLE_NOT_FOUND. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_join_rights(
    join: Option<&entable_join>,
    left_partition_key: entable_str,
    left_row_key: entable_str,
    page_size: usize,
    token: entable_str,
    page: Option<&mut MaybeUninit<Option<Box<entable_page>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(page, "page")?;
        let left = (left_partition_key.text("left_partition_key")?, left_row_key.text("left_row_key")?);
        let found = required(join, "join")?.0.rights(left, page_size, self::token(token)?)?;
        *place = Some(Box::new(found.into()));
        Ok(())
    })
}

/// The left entities that are linked to a right one. Otherwise as `entable_join_rights`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_join_lefts(
    join: Option<&entable_join>,
    right_partition_key: entable_str,
    right_row_key: entable_str,
    page_size: usize,
    token: entable_str,
    page: Option<&mut MaybeUninit<Option<Box<entable_page>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(page, "page")?;
        let right = (right_partition_key.text("right_partition_key")?, right_row_key.text("right_row_key")?);
        let found = required(join, "join")?.0.lefts(right, page_size, self::token(token)?)?;
        *place = Some(Box::new(found.into()));
        Ok(())
    })
}

/// Lets go of a table of pairs. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_join_free(join: Option<Box<entable_join>>) {
    free(join);
}
