//! Answers in the order of an index: entry by entry, never sorted.

use super::explain::{Considered, Explain};
use super::indexed::{Entries, Tester};
use super::page::Page;
use super::run::{Prepared, Reading, Target};
use crate::codec::order::is_cut;
use crate::codec::record::IndexRecord;
use crate::codec::row::Row;
use crate::codec::token::TokenPlace;
use crate::index::{self, EntryParts};
use crate::plan::{self, IndexPath};
use crate::storage::{Read, Space};
use crate::{Error, ErrorCode, Result};

impl Prepared {
    /// One page in the order of an index, from the entry of this key on.
    pub(super) fn ordered_page<T: Read>(
        &self,
        target: &Target<'_, T>,
        resume: Option<&[u8]>,
        most: usize,
        reading: &mut Reading,
    ) -> Result<Page> {
        let path = self.order_path(target, resume)?;
        let components = plan::ordered_components(&path.index, &self.order);
        let is_covered = path.covers(self.selected().as_deref());
        let mut tester = Tester::new(target, path.residual.as_ref(), self.mode, is_covered);
        let mut entries = Entries::new(target, &path, self.direction, resume);
        let mut page = Page::default();
        let mut last: Option<Vec<u8>> = None;
        while let Some((entry, row_key, value)) = entries.next(reading)? {
            let Some(found) = tester.find(row_key, (&entry, value), reading)? else { continue };
            if let Some(last) = &last {
                self.check_order(target, &path, components, (last, &entry))?;
            }
            if page.entities.len() == most {
                page.continuation_token = Some(self.token(target, TokenPlace::Entry(entry.into_owned())));
                break;
            }
            page.entities.push(self.found(target, &found)?);
            reading.rows_returned += 1;
            last = Some(entry.into_owned());
        }
        Ok(page)
    }

    /// The way through an index that gives the order: that of the token, or else the one with the fewest entries.
    fn order_path<T: Read>(&self, target: &Target<'_, T>, resume: Option<&[u8]>) -> Result<IndexPath> {
        let paths = plan::ordered_path(&self.plan, &target.table.indexes, &self.order, self.mode);
        if let Some(resume) = resume {
            let begun = paths.into_iter().find(|path| resume.starts_with(&index::prefix(path.index.id)));
            return begun.ok_or_else(|| {
                Error::invalid("The continuation token is of an index that is not there, or does not give this order.")
            });
        }
        let mut best: Option<(u64, IndexPath)> = None;
        for path in paths {
            let entries = self.entries_in(target, &path)?;
            if best.as_ref().is_none_or(|(least, _)| entries < *least) {
                best = Some((entries, path));
            }
        }
        let none = || Error::new(ErrorCode::NotImplemented).fact("No index gives this order.").property(&self.order[0]);
        best.map(|(_, path)| path).ok_or_else(none)
    }

    fn entries_in<T: Read>(&self, target: &Target<'_, T>, path: &IndexPath) -> Result<u64> {
        let bounds = path.runs.iter().flat_map(|run| &run.bounds);
        bounds.into_iter().try_fold(0, |sum, bounds| Ok(sum + target.txn.estimate(Space::Indexes, bounds)?))
    }

    /// Two values that differ only behind what the index has of them are in no order that it knows.
    fn check_order<T: Read>(
        &self,
        target: &Target<'_, T>,
        path: &IndexPath,
        components: usize,
        (last, entry): (&[u8], &[u8]),
    ) -> Result<()> {
        let (last, entry) = (index::split_entry(&path.index, last)?, index::split_entry(&path.index, entry)?);
        let same = last.each().zip(entry.each()).take(components).take_while(|(a, b)| a == b);
        if !same.into_iter().any(|(component, _)| is_cut(component)) {
            return Ok(());
        }
        let mut ordered = IndexRecord::clone(&path.index);
        ordered.properties.truncate(components);
        let whole = |parts: EntryParts<'_>| {
            let key = parts.row_key_in(target.table.id);
            let bytes = target.txn.get(Space::Rows, &key)?;
            let bytes = bytes.ok_or_else(|| Error::damaged("An index has an entry of a row that is not there."))?;
            index::whole_values(&ordered, &key, &Row::new(&key, bytes, &target.table.shapes)?)
        };
        if whole(last)? == whole(entry)? {
            return Ok(());
        }
        Err(Error::new(ErrorCode::NotImplemented)
            .fact("Values that are the same in their first 512 bytes have no order in an index.")
            .property(&self.order[0])
            .index_name(&path.index.name))
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
