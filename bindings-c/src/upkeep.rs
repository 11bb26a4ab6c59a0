//! Copies of a store, its file made smaller, and a file looked through.

#![allow(unsafe_code, reason = "C calls these functions by their names")]

use crate::boundary::{Callback, answer, boundary, free, optional_output, output, put, required};
use crate::error::entable_error;
use crate::store::entable_store;
use crate::text::entable_str;
use entable::{Copied, Progress, Report};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;

/// Is told how far a call has come: how many records, or pages, of how many. It is called with the context that was
/// given with it, on the thread of the call, before that returns; the call cannot be given up.
///
/// During a backup, `entable_store_compact_into` and `entable_verify` it may call what it likes, but
/// `entable_store_compact` is ENTABLE_STORE_BUSY. During `entable_store_compact` every call of the store is
/// ENTABLE_STORE_BUSY, and to close it takes effect when the file is in place. It must not free what the call was given.
pub type entable_progress = Option<extern "C-unwind" fn(context: *mut c_void, done: u64, total: u64)>;

/// What a backup or a compaction has made.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_copied {
    /// Records in the new file: entities, index entries, and what the store notes of tables.
    pub records: u64,
    /// Bytes of the file that was copied.
    pub bytes_before: u64,
    /// Bytes of the new file.
    pub bytes_after: u64,
}

impl From<Copied> for entable_copied {
    fn from(copied: Copied) -> Self {
        let Copied { records, bytes_before, bytes_after, .. } = copied;
        entable_copied { records, bytes_before, bytes_after }
    }
}

/// Tells the caller how much is done, of how much.
fn telling(progress: entable_progress, context: *mut c_void) -> impl FnMut(u64, u64) -> ControlFlow<()> {
    let told = progress.map(|progress| Callback::new(progress, context));
    move |done, total| {
        if let Some(told) = &told {
            told.call(|progress, context| progress(context, done, total));
        }
        ControlFlow::Continue(())
    }
}

/// The same of records.
fn telling_records(progress: entable_progress, context: *mut c_void) -> impl FnMut(Progress) -> ControlFlow<()> {
    let mut tell = telling(progress, context);
    move |at| tell(at.records, at.total_records)
}

/// Copies the store as it is now into a new file at `path` (UTF-8), while it is in use. The copy opens as any store
/// does. It gets its name when it is whole and durable: a copy that fails, or is killed, leaves nothing of that name.
///
/// `progress` may be NULL; it is told records. `copied` may be NULL. Any thread.
///
/// Errors: ENTABLE_FILE_EXISTS, ENTABLE_DAMAGED with the table and keys of an entity whose checksum is wrong,
/// ENTABLE_STORE_FULL, ENTABLE_IO. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_backup(
    store: Option<&entable_store>,
    path: entable_str,
    progress: entable_progress,
    context: *mut c_void,
    copied: Option<&mut MaybeUninit<entable_copied>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, path) = (optional_output(copied), path.text("path")?);
        let made = required(store, "store")?.0.backup_with(path, telling_records(progress, context))?;
        put(place, made.into());
        Ok(())
    })
}

/// Writes the store as it is now into a new file at `path`, to take its place: in key order, without room that is not
/// used. Continuation tokens stay good; use one of the two files from then on. What is written after the call began is
/// not in it. Otherwise as `entable_store_backup`.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_compact_into(
    store: Option<&entable_store>,
    path: entable_str,
    progress: entable_progress,
    context: *mut c_void,
    copied: Option<&mut MaybeUninit<entable_copied>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let (place, path) = (optional_output(copied), path.text("path")?);
        let made = required(store, "store")?.0.compact_into_with(path, telling_records(progress, context))?;
        put(place, made.into());
        Ok(())
    })
}

/// Writes the store's file anew and puts the new one in its place, in one step: a kill at any moment leaves the one or
/// the other, whole. The store stays open; other calls wait.
///
/// `progress` may be NULL; it is told records. `copied` may be NULL. Any thread.
///
/// Errors: ENTABLE_STORE_BUSY while another process has the file open, or this one in another store, a snapshot or a
/// transaction; ENTABLE_INVALID_INPUT in memory; otherwise as `entable_store_backup`. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_store_compact(
    store: Option<&entable_store>,
    progress: entable_progress,
    context: *mut c_void,
    copied: Option<&mut MaybeUninit<entable_copied>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = optional_output(copied);
        let made = required(store, "store")?.0.compact_with(telling_records(progress, context))?;
        put(place, made.into());
        Ok(())
    })
}

/// What looking through a file has seen and found. Yours: free it with `entable_report_free`. It never changes, so any
/// thread may read it; texts asked of it are good until it is freed.
pub struct entable_report {
    report: Report,
    text: String,
}

/// What there is in a file. All zero for NULL.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_report_counts {
    /// Pages of the file.
    pub pages: u64,
    /// Pages in use.
    pub used_pages: u64,
    /// Pages that later writes use again.
    pub free_pages: u64,
    /// Pages that are neither: no damage, but room that is lost until the store is compacted.
    pub leaked_pages: u64,
    /// Tables.
    pub tables: u64,
    /// Entities of all tables.
    pub entities: u64,
    /// Entries of all indexes.
    pub index_entries: u64,
    /// Changes of all feeds.
    pub changes: u64,
    /// Findings in all; the report lists the first 1,000.
    pub findings: u64,
    /// How many of them are damage.
    pub damages: u64,
}

/// One contradiction in a file, and where it is. Texts are good until the report is freed.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct entable_finding {
    /// Whether it is about one page.
    pub has_page: bool,
    /// Whether the file is damaged by it.
    pub is_damage: bool,
    /// The page, counted from 0 in pages of 4,096 bytes.
    pub page: u64,
    /// What kind of thing is wrong, such as `row` or `free pages`.
    pub kind: entable_str,
    /// The table that it is about; no text (`data` is NULL) where there is none.
    pub table: entable_str,
    /// The PartitionKey of the entity that it is about; no text where there is none.
    pub partition_key: entable_str,
    /// The RowKey of the entity that it is about; no text where there is none.
    pub row_key: entable_str,
    /// What is wrong, in one sentence.
    pub sentence: entable_str,
}

/// Goes through the store in the file at `path` (UTF-8): every page and its place, every entity with its checksum, index
/// entries, too. Nothing is written. The file may be in use: what is looked at is one moment of it. No damage can crash
/// the process.
///
/// `progress` may be NULL; it is told pages, and begins anew where the file has to be gone through again. `*report` is
/// yours once the call returns NULL, else NULL. Any thread.
///
/// Errors: ENTABLE_STORE_NOT_FOUND, ENTABLE_NOT_A_STORE, ENTABLE_NEWER_FORMAT, ENTABLE_IO. Damage is no error: it is in the
/// report. The error is yours to free.
#[unsafe(no_mangle)]
pub extern "C" fn entable_verify(
    path: entable_str,
    progress: entable_progress,
    context: *mut c_void,
    report: Option<&mut MaybeUninit<Option<Box<entable_report>>>>,
) -> Option<Box<entable_error>> {
    boundary(|| {
        let place = output(report, "report")?;
        let report = entable::verify_with_progress(path.text("path")?, telling(progress, context))?;
        *place = Some(Box::new(entable_report { text: report.to_string(), report }));
        Ok(())
    })
}

/// Whether no damage was found; false for NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_report_is_clean(report: Option<&entable_report>) -> bool {
    answer(false, || Some(report?.report.is_clean()))
}

/// What there is in the file. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_report_get_counts(report: Option<&entable_report>) -> entable_report_counts {
    answer(entable_report_counts::default(), || {
        let report = &report?.report;
        Some(entable_report_counts {
            pages: report.pages,
            used_pages: report.used_pages,
            free_pages: report.free_pages,
            leaked_pages: report.leaked_pages,
            tables: report.tables,
            entities: report.entities,
            index_entries: report.index_entries,
            changes: report.changes,
            findings: report.finding_count,
            damages: report.damage_count,
        })
    })
}

/// Whether there is a finding at `index`, from 0; writes it to `finding`, which may be NULL. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_report_finding(
    report: Option<&entable_report>,
    index: usize,
    finding: Option<&mut MaybeUninit<entable_finding>>,
) -> bool {
    answer(false, || {
        let place = optional_output(finding);
        let found = report?.report.findings.get(index)?;
        if let Some(place) = place {
            let keys = found.keys.as_ref();
            *place = entable_finding {
                has_page: found.page.is_some(),
                is_damage: found.kind.is_damage(),
                page: found.page.unwrap_or_default(),
                kind: found.kind.name().into(),
                table: found.table.as_deref().into(),
                partition_key: keys.map(|(partition_key, _)| &**partition_key).into(),
                row_key: keys.map(|(_, row_key)| &**row_key).into(),
                sentence: found.sentence.as_str().into(),
            };
        }
        Some(true)
    })
}

/// All of it in some lines of text, for people; its form may change. Good until it is freed. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn entable_report_text(report: Option<&entable_report>) -> entable_str {
    answer(entable_str::default(), || Some(report?.text.as_str().into()))
}

/// Frees a report. NULL is fine. Once.
#[unsafe(no_mangle)]
pub extern "C" fn entable_report_free(report: Option<Box<entable_report>>) {
    free(report);
}
