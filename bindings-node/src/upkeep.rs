//! Copies of a store, checks of a file, and what a store says of itself.

use crate::call::answer;
use crate::convert;
use crate::index::advice_out;
use crate::store::StoreHandle;
use entable::{Copied, Finding, Latency, Report, Sizes, Stats};
use napi::Result;
use napi::bindgen_prelude::{Env, JsValue, Object, Unknown};
use napi_derive::napi;
use std::time::Duration;

/// Goes through the file at `path` and tells what is wrong in it.
#[napi(catch_unwind)]
pub fn verify<'env>(env: &'env Env, is_later: bool, path: Unknown<'env>) -> Result<Unknown<'env>> {
    let prepare = || {
        let path = convert::text_in(path, "path")?;
        Ok(move || entable::verify(path))
    };
    answer(env, is_later, prepare, report_out)
}

#[napi]
impl StoreHandle {
    /// Copies the store into a new file.
    #[napi(catch_unwind)]
    pub fn backup<'env>(&self, env: &'env Env, is_later: bool, path: Unknown<'env>) -> Result<Unknown<'env>> {
        let prepare = || {
            let (store, path) = (self.store().clone(), convert::text_in(path, "path")?);
            Ok(move || store.backup(path))
        };
        answer(env, is_later, prepare, copied_out)
    }

    /// Writes the store into a new file that may take its place.
    #[napi(catch_unwind)]
    pub fn compact_into<'env>(&self, env: &'env Env, is_later: bool, path: Unknown<'env>) -> Result<Unknown<'env>> {
        let prepare = || {
            let (store, path) = (self.store().clone(), convert::text_in(path, "path")?);
            Ok(move || store.compact_into(path))
        };
        answer(env, is_later, prepare, copied_out)
    }

    /// Writes the store's file anew, in its place.
    #[napi(catch_unwind)]
    pub fn compact<'env>(&self, env: &'env Env, is_later: bool) -> Result<Unknown<'env>> {
        let store = self.store().clone();
        answer(env, is_later, || Ok(move || store.compact()), copied_out)
    }

    /// What the store says of itself.
    #[napi(catch_unwind)]
    pub fn stats<'env>(&self, env: &'env Env, is_later: bool) -> Result<Unknown<'env>> {
        let store = self.store().clone();
        answer(env, is_later, || Ok(move || store.stats()), stats_out)
    }

    /// What would make writes or queries of all tables cheaper.
    #[napi(catch_unwind)]
    pub fn advise<'env>(&self, env: &'env Env, is_later: bool) -> Result<Unknown<'env>> {
        let store = self.store().clone();
        answer(env, is_later, || Ok(move || store.advise()), advice_out)
    }
}

/// An object of numbers.
fn numbers_out<'env>(env: &'env Env, numbers: &[(&str, u64)]) -> Result<Object<'env>> {
    let mut object = Object::new(env)?;
    for (name, number) in numbers {
        object.set(name, *number as f64)?;
    }
    Ok(object)
}

fn copied_out<'env>(env: &'env Env, copied: Copied) -> Result<Unknown<'env>> {
    let Copied { records, bytes_before, bytes_after, .. } = copied;
    let numbers = [("records", records), ("bytesBefore", bytes_before), ("bytesAfter", bytes_after)];
    Ok(numbers_out(env, &numbers)?.to_unknown())
}

fn report_out<'env>(env: &'env Env, report: Report) -> Result<Unknown<'env>> {
    let mut object = numbers_out(
        env,
        &[
            ("pages", report.pages),
            ("usedPages", report.used_pages),
            ("freePages", report.free_pages),
            ("leakedPages", report.leaked_pages),
            ("tables", report.tables),
            ("entities", report.entities),
            ("indexEntries", report.index_entries),
            ("changes", report.changes),
            ("findingCount", report.finding_count),
            ("damageCount", report.damage_count),
        ],
    )?;
    object.set("isClean", report.is_clean())?;
    let mut findings = env.create_array(0)?;
    for finding in &report.findings {
        findings.insert(finding_out(env, finding)?)?;
    }
    object.set("findings", findings)?;
    object.set("text", report.to_string())?;
    Ok(object.to_unknown())
}

fn finding_out<'env>(env: &'env Env, finding: &Finding) -> Result<Object<'env>> {
    let mut object = Object::new(env)?;
    convert::set_some(&mut object, "page", finding.page.map(|page| page as f64))?;
    object.set("kind", finding.kind.name())?;
    object.set("isDamage", finding.kind.is_damage())?;
    convert::set_some(&mut object, "table", finding.table.as_deref())?;
    convert::set_some(&mut object, "partitionKey", finding.keys.as_ref().map(|(partition_key, _)| &**partition_key))?;
    convert::set_some(&mut object, "rowKey", finding.keys.as_ref().map(|(_, row_key)| &**row_key))?;
    object.set("sentence", finding.sentence.as_str())?;
    Ok(object)
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

fn latency_out<'env>(env: &'env Env, latency: &Latency) -> Result<Object<'env>> {
    let mut object = numbers_out(env, &[("samples", latency.samples)])?;
    for (name, time) in [("p50Ms", latency.p50), ("p90Ms", latency.p90), ("p99Ms", latency.p99), ("maxMs", latency.max)]
    {
        object.set(name, ms(time))?;
    }
    Ok(object)
}

fn sizes_out<'env>(env: &'env Env, sizes: &Sizes) -> Result<Object<'env>> {
    let Sizes { count, sum, p50, p99, max, .. } = *sizes;
    numbers_out(env, &[("count", count), ("sum", sum), ("p50", p50), ("p99", p99), ("max", max)])
}

fn stats_out<'env>(env: &'env Env, stats: Stats) -> Result<Unknown<'env>> {
    let mut object = Object::new(env)?;
    for (name, latency) in [("reads", &stats.reads), ("queries", &stats.queries), ("commits", &stats.commits)] {
        object.set(name, latency_out(env, latency)?)?;
    }
    for (name, sizes) in [
        ("commitGroups", &stats.commit_groups),
        ("commitBytes", &stats.commit_bytes),
        ("groupChanges", &stats.group_changes),
    ] {
        object.set(name, sizes_out(env, sizes)?)?;
    }
    let mut kinds = env.create_array(0)?;
    for kind in &stats.query_kinds {
        let mut one = Object::new(env)?;
        one.set("path", kind.path.name())?;
        one.set("pages", kind.pages as f64)?;
        kinds.insert(one)?;
    }
    object.set("queryKinds", kinds)?;
    let file = stats.file;
    let file = [
        ("bytes", file.bytes),
        ("pageBytes", file.page_bytes),
        ("usedPages", file.used_pages),
        ("freePages", file.free_pages),
    ];
    object.set("file", numbers_out(env, &file)?)?;
    let mut databases = env.create_array(0)?;
    for database in &stats.databases {
        let mut one = Object::new(env)?;
        one.set("name", database.name)?;
        one.set("records", database.records as f64)?;
        one.set("bytes", database.bytes as f64)?;
        databases.insert(one)?;
    }
    object.set("databases", databases)?;
    let mut readers = Object::new(env)?;
    readers.set("heldMs", stats.readers.held.iter().map(|held| ms(*held)).collect::<Vec<f64>>())?;
    readers.set("slotsUsed", stats.readers.slots_used)?;
    readers.set("slots", stats.readers.slots)?;
    object.set("readers", readers)?;
    let mut busiest = env.create_array(0)?;
    for partition in &stats.busiest_partitions {
        let mut one = Object::new(env)?;
        one.set("table", &*partition.table)?;
        one.set("partitionKey", &*partition.partition_key)?;
        one.set("leastShare", partition.least_share)?;
        one.set("mostShare", partition.most_share)?;
        busiest.insert(one)?;
    }
    object.set("busiestPartitions", busiest)?;
    object.set("timestampLeadMs", ms(stats.timestamp_lead))?;
    object.set("text", stats.to_string())?;
    Ok(object.to_unknown())
}
