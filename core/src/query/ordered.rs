//! Answers in the order of an index: entry by entry, never sorted.

use super::HandedOut;
use super::explain::{Considered, Explain};
use super::indexed::{Entries, Found, Tester};
use super::page::Page;
use super::run::{Prepared, Reading, Target};
use crate::codec::order::is_cut;
use crate::codec::record::IndexRecord;
use crate::codec::row::Row;
use crate::codec::token::TokenPlace;
use crate::index::{self, EntryParts};
use crate::model::names::{PARTITION_KEY, ROW_KEY};
use crate::plan::{self, IndexPath};
use crate::storage::{Direction, Read, Space};
use crate::{Error, ErrorCode, Result};

/// The properties that an order names; none for that of the keys.
///
/// # Errors
/// `InvalidInput` for an order without a name, or with one twice.
pub(super) fn properties(order_by: Option<&str>) -> Result<Vec<String>> {
    let Some(text) = order_by else { return Ok(Vec::new()) };
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    for (at, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(Error::invalid("An order has names of properties, with commas between."));
        }
        if names[..at].contains(name) {
            return Err(Error::invalid("An order names a property once.").property(name));
        }
    }
    let is_of_keys = matches!(&*names, [first, rest @ ..] if first == PARTITION_KEY
        && matches!(rest, [] | [_]) && rest.iter().all(|name| name == ROW_KEY));
    Ok(if is_of_keys { Vec::new() } else { names })
}

/// The rows that match, in the order of an index.
struct InOrder<'a, T: Read> {
    target: Target<'a, T>,
    path: &'a IndexPath,
    /// Components that the order needs, from the first on.
    components: usize,
    /// The property that the order begins with, for errors.
    first: &'a str,
    tester: Tester<'a, T>,
    entries: Entries<'a, T>,
    /// The entry of the row before, which the next one must not be told apart from by what was cut off.
    last: Option<Vec<u8>>,
}

impl<'a, T: Read> InOrder<'a, T> {
    /// From the entry of this key on, itself included, if there is one.
    fn new(
        query: &'a Prepared,
        target: &Target<'a, T>,
        path: &'a IndexPath,
        is_covered: bool,
        resume: Option<&[u8]>,
        reading: &mut Reading,
    ) -> Result<InOrder<'a, T>> {
        let in_direction = |direction, resume| {
            let entries = Entries::new(target, path, direction, resume);
            let tester = Tester::new(target, path.residual.as_ref(), query.mode, is_covered);
            InOrder {
                target: Target { txn: target.txn, table: target.table, identity: target.identity },
                path,
                components: plan::ordered_components(&path.index, &query.order),
                first: query.order.first().map_or("", String::as_str),
                tester,
                entries,
                last: None,
            }
        };
        let mut rows = in_direction(query.direction, resume);
        if let Some(resume) = resume
            && index::split_entry(&path.index, resume)?.each().take(rows.components).any(is_cut)
        {
            // The row that ended the page before was compared with the one at the place: another may be there by now.
            // What was given and is there still comes right before.
            let against = match query.direction {
                Direction::Ascending => Direction::Descending,
                Direction::Descending => Direction::Ascending,
            };
            let mut before = in_direction(against, Some(resume));
            while let Some((entry, ..)) = before.find(reading)? {
                if *entry != *resume {
                    rows.last = Some(entry.into_owned());
                    break;
                }
            }
        }
        Ok(rows)
    }

    /// The next row that matches, with its entry.
    fn find(&mut self, reading: &mut Reading) -> Result<Option<(EntryKey<'a>, Found<'a>)>> {
        while let Some((entry, row_key, value)) = self.entries.next(reading)? {
            if let Some(found) = self.tester.find(row_key, (&entry, value), reading)? {
                return Ok(Some((entry, found)));
            }
        }
        Ok(None)
    }

    /// The next row, with its entry, if it has an order to the one before.
    fn next(&mut self, reading: &mut Reading) -> Result<Option<(EntryKey<'a>, Found<'a>)>> {
        let Some((entry, found)) = self.find(reading)? else { return Ok(None) };
        if let Some(last) = &self.last {
            self.check_order(last, &entry)?;
        }
        match &mut self.last {
            Some(last) => {
                last.clear();
                last.extend_from_slice(&entry);
            }
            None => self.last = Some(entry.to_vec()),
        }
        Ok(Some((entry, found)))
    }

    /// Two values that differ only behind what the index has of them are in no order that it knows.
    fn check_order(&self, last: &[u8], entry: &[u8]) -> Result<()> {
        let record = &self.path.index;
        let (last, entry) = (index::split_entry(record, last)?, index::split_entry(record, entry)?);
        let same = last.each().zip(entry.each()).zip(&record.properties).take(self.components);
        let same = same.take_while(|((last, entry), _)| last == entry);
        let cut = same.filter(|((component, _), _)| is_cut(component)).map(|(_, name)| name.clone());
        let cut: Vec<Box<str>> = cut.collect();
        if cut.is_empty() {
            return Ok(());
        }
        let cut = IndexRecord { properties: cut, ..IndexRecord::clone(record) };
        let whole = |parts: EntryParts<'_>| {
            let key = parts.row_key_in(self.target.table.id);
            let bytes = self.target.txn.get(Space::Rows, &key)?;
            let bytes = bytes.ok_or_else(|| Error::damaged("An index has an entry of a row that is not there."))?;
            index::whole_values(&cut, &key, &Row::new(&key, bytes, &self.target.table.shapes)?)
        };
        if whole(last)? == whole(entry)? {
            return Ok(());
        }
        Err(Error::new(ErrorCode::NotImplemented)
            .fact("Values that are the same in their first 512 bytes have no order in an index.")
            .property(self.first)
            .index_name(&record.name))
    }
}

/// The key of an entry.
type EntryKey<'a> = std::borrow::Cow<'a, [u8]>;

impl Prepared {
    /// One page in the order of an index, from the entry of this key on.
    pub(super) fn ordered_page<T: Read, E: HandedOut>(
        &self,
        target: &Target<'_, T>,
        resume: Option<&[u8]>,
        most: usize,
        reading: &mut Reading,
    ) -> Result<Page<E>> {
        let path = self.order_path(target, resume)?;
        reading.path = Some(path.path);
        target.txn.meter().count_use(path.index.id);
        let is_covered = path.covers(self.selected().as_deref());
        let mut rows = InOrder::new(self, target, &path, is_covered, resume, reading)?;
        let mut page = Page::default();
        while let Some((entry, found)) = rows.next(reading)? {
            if page.entities.len() == most {
                page.continuation_token = Some(self.token(target, TokenPlace::Entry(entry.into_owned())));
                break;
            }
            page.entities.push(self.found(target, &found)?);
            reading.rows_returned += 1;
        }
        Ok(page)
    }

    /// Hands on the keys of the first rows in the order of an index.
    pub(super) fn for_each_in_order<T: Read>(
        &self,
        target: &Target<'_, T>,
        most: u64,
        mut see: impl FnMut(&[u8]),
    ) -> Result<()> {
        let path = self.order_path(target, None)?;
        target.txn.meter().count_use(path.index.id);
        let reading = &mut self.reading();
        let mut rows = InOrder::new(self, target, &path, path.decides(), None, reading)?;
        let mut left = most;
        while left > 0
            && let Some((_, found)) = rows.next(reading)?
        {
            see(&found.row_key);
            left -= 1;
        }
        Ok(())
    }

    /// Whether the rows can be given in the order that is asked for.
    ///
    /// # Errors
    /// `NotImplemented` if no index has it.
    pub(super) fn check_order<T: Read>(&self, target: &Target<'_, T>) -> Result<()> {
        if self.order.is_empty() { Ok(()) } else { self.order_path(target, None).map(drop) }
    }

    /// The way through an index that gives the order: that of the token, or else one with few entries, of these the one
    /// with the fewest components behind the order.
    fn order_path<T: Read>(&self, target: &Target<'_, T>, resume: Option<&[u8]>) -> Result<IndexPath> {
        let paths = plan::ordered_path(&self.plan, &target.table.indexes, &self.order, self.mode);
        if let Some(resume) = resume {
            let begun = paths.into_iter().find(|path| resume.starts_with(&index::prefix(path.index.id)));
            return begun.ok_or_else(|| {
                Error::invalid("The continuation token is of an index that is not there, or does not give this order.")
            });
        }
        let mut priced = Vec::with_capacity(paths.len());
        for path in paths {
            priced.push((self.entries_in(target, &path)?, path));
        }
        let least = priced.iter().map(|(entries, _)| *entries).min().unwrap_or_default();
        let behind =
            |path: &IndexPath| path.index.properties.len() - plan::ordered_components(&path.index, &self.order);
        // Entries are estimated: of about as many, rows that are alike come by key where nothing else comes first.
        let few = priced.into_iter().filter(|(entries, _)| *entries <= least.saturating_mul(2));
        let best = few.min_by_key(|(entries, path)| (behind(path), *entries));
        let none = || Error::new(ErrorCode::NotImplemented).fact("No index gives this order.").property(&self.order[0]);
        best.map(|(_, path)| path).ok_or_else(none)
    }

    fn entries_in<T: Read>(&self, target: &Target<'_, T>, path: &IndexPath) -> Result<u64> {
        let bounds = path.runs.iter().flat_map(|run| &run.bounds);
        bounds.into_iter().try_fold(0, |sum, bounds| Ok(sum + target.txn.estimate(Space::Indexes, bounds)?))
    }

    pub(super) fn explain_order<T: Read>(&self, target: &Target<'_, T>, by_keys: Explain) -> Result<Explain> {
        let path = self.order_path(target, None)?;
        let entries = self.entries_in(target, &path)?;
        let mut taken = Considered::new(path.path, entries, Some(&path.index.name));
        taken.take();
        Ok(Explain {
            considered: vec![taken],
            rows_estimated: entries,
            is_covered: path.covers(self.selected().as_deref()),
            ..Explain::through(&path, by_keys)
        })
    }
}
