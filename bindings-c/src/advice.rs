//! What would make writes or queries cheaper, and what indexes hold.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, boundary, free, optional_output, output, put, required};
use crate::error::entable_error;
use crate::store::entable_store;
use crate::table::entable_table;
use crate::text::entable_str;
use entable::{Advice, AdviceKind, IndexStats};
use std::mem::MaybeUninit;

/// What an advice is about.
#[repr(u32)]
#[derive(Clone, Copy, Default)]
pub enum entable_advice_kind {
    /// What this version of the API has no name for: the texts tell.
    #[default]
    ENTABLE_ADVICE_OTHER = 0,
    /// An index that no query went through, though there were many.
    ENTABLE_ADVICE_UNUSED = 1,
    /// An index most of whose entries have one value.
    ENTABLE_ADVICE_NOT_DISCRIMINATING = 2,
    /// An index that another one stands for.
    ENTABLE_ADVICE_REDUNDANT = 3,
    /// An index that is kept, but not used, since it folds case by another version of Unicode.
    ENTABLE_ADVICE_STALE = 4,
    /// A filter that reads many rows for each that it gives.
    ENTABLE_ADVICE_MISSING = 5,
}

impl From<AdviceKind> for entable_advice_kind {
    fn from(kind: AdviceKind) -> Self {
        match kind {
            AdviceKind::Unused => entable_advice_kind::ENTABLE_ADVICE_UNUSED,
            AdviceKind::NotDiscriminating => entable_advice_kind::ENTABLE_ADVICE_NOT_DISCRIMINATING,
            AdviceKind::Redundant => entable_advice_kind::ENTABLE_ADVICE_REDUNDANT,
            AdviceKind::Stale => entable_advice_kind::ENTABLE_ADVICE_STALE,
            AdviceKind::Missing => entable_advice_kind::ENTABLE_ADVICE_MISSING,
            _ => entable_advice_kind::ENTABLE_ADVICE_OTHER,
        }
    }
}

/// What would make writes or queries cheaper, why, and how. Texts are good until the list is freed.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_advice {
    /// What it is about.
    pub kind: entable_advice_kind,
    /// The table.
    pub table: entable_str,
    /// The index; no text (`data` is NULL) where it is about none.
    pub index: entable_str,
    /// The filter, with a `?` in the place of each constant; no text where it is about none.
    pub filter: entable_str,
    /// Why: a sentence, with numbers.
    pub reason: entable_str,
    /// The call that would help, as Rust writes it.
    pub call: entable_str,
}

/// What an index holds, and how often it was used. Texts are good until the list is freed.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_index_stats {
    /// The index.
    pub name: entable_str,
    /// Entries: one for each entity, as far as it is built.
    pub entries: u64,
    /// Entries of entities that have none of the indexed properties.
    pub missing: u64,
    /// Different values of all properties together, missing ones left out.
    pub distinct_values: u64,
    /// The part of all entries that the most frequent of these values has: from 0 to 1.
    pub most_frequent_share: f64,
    /// Bytes of the entries' keys and values.
    pub bytes: u64,
    /// Pages of queries, counts and deletes by filter that went through it, in this process since it opened the file.
    pub uses: u64,
}

/// A list of advice. Yours: free it with `entable_advice_list_free`. It never changes, so any thread may read it.
pub struct entable_advice_list(Vec<Advice>);

/// What the indexes of a table hold. Yours: free it with `entable_index_stats_list_free`. It never changes, so any thread
/// may read it.
pub struct entable_index_stats_list(Vec<IndexStats>);

/// What would make writes or queries of all tables cheaper. As `entable_table_advise`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_advise(
    store: Option<&entable_store>,
    advice: Option<&mut MaybeUninit<Option<Box<entable_advice_list>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(advice, "advice")?;
        *place = Some(Box::new(entable_advice_list(required(store, "store")?.0.advise()?)));
        Ok(())
    })
}

/// What would make writes or queries of a table cheaper: indexes that could go, and such as are missing for filters that
/// this process asked since it opened the store. Reads all entries of the indexes. Not in a transaction.
///
/// `*advice` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_TABLE_NOT_FOUND, ENTABLE_DAMAGED. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_advise(
    table: Option<&entable_table>,
    advice: Option<&mut MaybeUninit<Option<Box<entable_advice_list>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(advice, "advice")?;
        *place = Some(Box::new(entable_advice_list(required(table, "table")?.0.outside()?.advise()?)));
        Ok(())
    })
}

/// Whether there is an advice at `index`, from 0; writes it to `advice`, which may be NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_advice_list_at(
    list: Option<&entable_advice_list>,
    index: usize,
    advice: Option<&mut MaybeUninit<entable_advice>>,
) -> bool {
    answer(false, || {
        let place = optional_output(advice);
        let found = list?.0.get(index)?;
        let told = entable_advice {
            kind: found.kind.into(),
            table: (&*found.table).into(),
            index: found.index.as_deref().into(),
            filter: found.filter.as_deref().into(),
            reason: found.reason.as_str().into(),
            call: found.call.as_str().into(),
        };
        put(place, told);
        Some(true)
    })
}

/// Frees a list of advice. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_advice_list_free(list: Option<Box<entable_advice_list>>) {
    free(list);
}

/// What each index of a table holds, and how often it was used. Reads all entries of the indexes. Not in a transaction.
///
/// `*stats` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_TABLE_NOT_FOUND, ENTABLE_DAMAGED. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_index_stats(
    table: Option<&entable_table>,
    stats: Option<&mut MaybeUninit<Option<Box<entable_index_stats_list>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(stats, "stats")?;
        *place = Some(Box::new(entable_index_stats_list(required(table, "table")?.0.outside()?.index_stats()?)));
        Ok(())
    })
}

/// Whether there is an index at `index`, from 0; writes what is to be said of it to `stats`, which may be NULL. Any
/// thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_stats_list_at(
    list: Option<&entable_index_stats_list>,
    index: usize,
    stats: Option<&mut MaybeUninit<entable_index_stats>>,
) -> bool {
    answer(false, || {
        let place = optional_output(stats);
        let found = list?.0.get(index)?;
        let told = entable_index_stats {
            name: (&*found.name).into(),
            entries: found.entries,
            missing: found.missing,
            distinct_values: found.distinct_values,
            most_frequent_share: found.most_frequent_share,
            bytes: found.bytes,
            uses: found.uses,
        };
        put(place, told);
        Some(true)
    })
}

/// Frees what was said of indexes. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_index_stats_list_free(list: Option<Box<entable_index_stats_list>>) {
    free(list);
}
