//! How a query is answered: as text for people, as data for programs.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{answer, boundary, free, optional_output, output, required};
use crate::error::entable_error;
use crate::query::{entable_query, question};
use crate::table::entable_table;
use crate::text::entable_str;
use entable::Explain;
use std::mem::MaybeUninit;

/// How a query was answered, what it cost, and what else was thought of.
///
/// Yours: free it with `entable_explain_free`. It never changes, so any thread may read it; texts asked of it are good
/// until it is freed.
pub struct entable_explain {
    explain: Explain,
    text: String,
}

/// What a query cost: rows and entries of indexes. All zero for NULL.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_explain_rows {
    /// How many rows, or entries, lie in the ranges; about, where an index was thought of.
    pub estimated: u64,
    /// How many rows were read, those included that were walked over.
    pub read: u64,
    /// How many rows the filter let through.
    pub returned: u64,
    /// How many entries of indexes were read.
    pub entries_read: u64,
}

/// A way to the rows that was thought of. Texts are good until the explain is freed.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_considered {
    /// The way, such as `index equality`.
    pub path: entable_str,
    /// The index that it leads through, if it is one alone; else no text (`data` is NULL).
    pub index: entable_str,
    /// The rows, or entries of the index, that lie on it; about, where they are many.
    pub rows: u64,
    /// Whether it is the one that was taken.
    pub is_taken: bool,
}

/// Answers a query, and tells how: all its pages are read. NULL as query is that for all entities. Not in a transaction.
///
/// `*explain` is yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: as `entable_table_query_page`. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_table_explain(
    table: Option<&entable_table>,
    query: Option<&entable_query>,
    explain: Option<&mut MaybeUninit<Option<Box<entable_explain>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(explain, "explain")?;
        let explain = required(table, "table")?.0.outside()?.explain(question(query))?;
        *place = Some(Box::new(entable_explain { text: explain.to_string(), explain }));
        Ok(())
    })
}

/// All of it in some lines of text, for people; its form may change. Good until it is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_explain_text(explain: Option<&entable_explain>) -> entable_str {
    answer(entable_str::default(), || Some(explain?.text.as_str().into()))
}

/// The way to the rows, such as `partition scan`. Good until the explain is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_explain_path(explain: Option<&entable_explain>) -> entable_str {
    answer(entable_str::default(), || Some(explain?.explain.path().name().into()))
}

/// The index that the way leads through, if it is one alone; else no text (`data` is NULL). Good until the explain is
/// freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_explain_index(explain: Option<&entable_explain>) -> entable_str {
    answer(entable_str::default(), || Some(explain?.explain.index().into()))
}

/// Whether the entries of the index held all that was asked for, so that no row was fetched. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_explain_is_covered(explain: Option<&entable_explain>) -> bool {
    answer(false, || Some(explain?.explain.is_covered()))
}

/// What the query cost. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_explain_cost(explain: Option<&entable_explain>) -> entable_explain_rows {
    answer(entable_explain_rows::default(), || {
        let explain = &explain?.explain;
        Some(entable_explain_rows {
            estimated: explain.rows_estimated(),
            read: explain.rows_read(),
            returned: explain.rows_returned(),
            entries_read: explain.entries_read(),
        })
    })
}

/// The filter as it was understood. Good until the explain is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_explain_filter(explain: Option<&entable_explain>) -> entable_str {
    answer(entable_str::default(), || Some(explain?.explain.filter().into()))
}

/// What was tested on each row; no text (`data` is NULL) if the keys decide. Good until the explain is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_explain_residual(explain: Option<&entable_explain>) -> entable_str {
    answer(entable_str::default(), || Some(explain?.explain.residual().into()))
}

/// The key range at `index`, from 0, of those that were read, in key order; of an index its name and the values. No text
/// (`data` is NULL) past the end. Good until the explain is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_explain_range(explain: Option<&entable_explain>, index: usize) -> entable_str {
    answer(entable_str::default(), || Some(explain?.explain.ranges().get(index)?.as_str().into()))
}

/// The sentence at `index`, from 0, of those that say what the cloud service would answer otherwise; no text (`data` is
/// NULL) past the end. Good until the explain is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_explain_cloud(explain: Option<&entable_explain>, index: usize) -> entable_str {
    answer(entable_str::default(), || Some(explain?.explain.cloud().get(index)?.as_str().into()))
}

/// The sentence at `index`, from 0, of those about terms that no stored row can answer: mostly a slip in a name or in a
/// constant's type. No text (`data` is NULL) past the end. Good until the explain is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_explain_warning(explain: Option<&entable_explain>, index: usize) -> entable_str {
    answer(entable_str::default(), || Some(explain?.explain.warnings().get(index)?.as_str().into()))
}

/// Whether there is a way at `index`, from 0, of those that were thought of; writes it to `considered`, which may be
/// NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_explain_considered(
    explain: Option<&entable_explain>,
    index: usize,
    considered: Option<&mut MaybeUninit<entable_considered>>,
) -> bool {
    answer(false, || {
        let place = optional_output(considered);
        let found = explain?.explain.considered().get(index)?;
        if let Some(place) = place {
            *place = entable_considered {
                path: found.path().name().into(),
                index: found.index().into(),
                rows: found.rows(),
                is_taken: found.is_taken(),
            };
        }
        Some(true)
    })
}

/// Frees an explain. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_explain_free(explain: Option<Box<entable_explain>>) {
    free(explain);
}
