//! Rows, index entries and changes, each held against what the catalog says.

use super::declared::{Declared, Table};
use super::entries::Trees;
use super::report::{Finding, FindingKind, Report};
use crate::codec::change::{Change, ChangeKey};
use crate::codec::header::Header;
use crate::codec::key;
use crate::codec::record::DropOf;
use crate::codec::row;
use crate::limits::KEY_PIECE_BYTES;
use crate::storage::pages::Moved;

/// What is needed to judge what lies under the keys.
pub(super) struct Content<'a> {
    pub(super) header: &'a Header,
    pub(super) declared: Declared,
    pub(super) trees: Trees<'a>,
    /// Table, commit and tick of the change before: they come in this order.
    pub(super) last_change: Option<(u32, u64, i64)>,
}

impl Content<'_> {
    /// Looks at a row.
    pub(super) fn row(&mut self, report: &mut Report, page: u64, key: &[u8], bytes: &[u8]) {
        report.entities += 1;
        let parts = match key::split_row_key(key) {
            Ok(parts) => parts,
            Err(error) => return report.add(Finding::of_error(page, FindingKind::Row, &error)),
        };
        let drops = &self.declared.drops;
        let Some(table) = self.declared.tables.get_mut(&parts.table) else {
            report.entities -= 1;
            if !drops.contains(&DropOf::Table(parts.table)) {
                let sentence = format!("A row is of table {}, which the catalog does not have.", parts.table);
                report.add(Finding::new(Some(page), FindingKind::Row, sentence));
            }
            return;
        };
        table.rows += 1;
        let keys = key::unmap(parts.partition_key).and_then(|pk| Ok((pk, key::unmap(parts.row_key)?)));
        let named = |finding: Finding| match &keys {
            Ok((partition_key, row_key)) => finding.keys(partition_key, row_key),
            Err(_) => finding,
        };
        let name = table.name();
        if let Err(error) = &keys {
            report.add(Finding::of_error(page, FindingKind::Row, error).table(name));
        }
        let checked = match &table.shapes {
            Some(shapes) => row::check(key, bytes, shapes),
            None => row::check_crc(key, bytes),
        };
        let is_whole = checked.is_ok();
        match (checked, row::ticks_of(bytes)) {
            (Err(error), _) => report.add(named(Finding::of_error(page, FindingKind::Row, &error)).table(name)),
            (Ok(()), Ok(ticks)) if ticks > self.header.last_tick => {
                let sentence = "A row's Timestamp is later than any that the store has given.";
                report.add(named(Finding::new(Some(page), FindingKind::Row, sentence)).table(name));
            }
            (Ok(()), _) => {}
        }
        let has_long_keys = table.record.as_ref().is_none_or(|record| record.has_long_keys);
        if key.len() > KEY_PIECE_BYTES && !has_long_keys {
            let sentence = "A row has a long key, and its table is said to have none.";
            report.add(named(Finding::new(Some(page), FindingKind::Catalog, sentence)).table(name));
        }
        if is_whole {
            self.ask_for_entries(report, page, parts.table, key, bytes);
        }
    }

    /// Looks at an entry of an index.
    pub(super) fn entry(
        &mut self,
        report: &mut Report,
        page: u64,
        key: &[u8],
        bytes: &[u8],
    ) -> std::result::Result<(), Moved> {
        report.index_entries += 1;
        let Some(id) = key.first_chunk().map(|id| u32::from_be_bytes(*id)) else {
            report.add(Finding::new(Some(page), FindingKind::IndexEntry, "An entry has no index."));
            return Ok(());
        };
        let drops = &self.declared.drops;
        let Some(index) = self.declared.indexes.get_mut(&id) else {
            report.index_entries -= 1;
            if !drops.contains(&DropOf::Index(id)) && !self.declared.unread_indexes.contains(&id) {
                let sentence = format!("An entry is of index {id}, which the catalog does not have.");
                report.add(Finding::new(Some(page), FindingKind::IndexEntry, sentence));
            }
            return Ok(());
        };
        index.entries += 1;
        let name = self.declared.tables.get(&index.table).and_then(Table::name);
        if !bytes.is_empty()
            && let Err(error) = row::check_crc(key, bytes)
        {
            let finding = Finding::of_error(page, FindingKind::IndexEntry, &error).table(name);
            report.add(finding.index(&index.record.name));
        }
        if key.len() > KEY_PIECE_BYTES && !index.record.has_long_keys {
            let sentence = "An entry has a long key, and its index is said to have none.";
            let finding = Finding::new(Some(page), FindingKind::Catalog, sentence).table(name);
            report.add(finding.index(&index.record.name));
        }
        self.count_entry(report, page, id, (key, bytes))
    }

    /// Looks at a change.
    pub(super) fn change(&mut self, report: &mut Report, page: u64, key: &[u8], bytes: &[u8]) {
        report.changes += 1;
        let parts = match ChangeKey::decode(key) {
            Ok(parts) => parts,
            Err(error) => return report.add(Finding::of_error(page, FindingKind::Change, &error)),
        };
        let table = self.declared.tables.get(&parts.table).filter(|table| table.feed.is_some());
        let name = table.and_then(Table::name);
        let mut blame = |sentence: &str| {
            report.add(Finding::new(Some(page), FindingKind::Change, sentence).table(name));
        };
        let drops = [DropOf::Table(parts.table), DropOf::Changes(parts.table)];
        if table.is_none() && !drops.iter().any(|drop| self.declared.drops.contains(drop)) {
            blame("A change is of a table that has no feed.");
        }
        if parts.commit > self.header.commit_number {
            blame("A change is of a commit that has not been.");
        }
        match Change::decode(key, bytes) {
            Ok(change) => {
                let last = self.last_change.replace((parts.table, parts.commit, change.commit_ticks));
                let in_order = |(table, commit, ticks): (u32, u64, i64)| {
                    table != parts.table
                        || (commit < parts.commit && ticks <= change.commit_ticks)
                        || (commit == parts.commit && ticks == change.commit_ticks)
                };
                if !last.is_none_or(in_order) {
                    blame(
                        "The time of a change's commit is not that of its other changes, or is before an earlier one's.",
                    );
                }
                if [change.ticks, change.ticks_before, change.commit_ticks].into_iter().max()
                    > Some(self.header.last_tick)
                {
                    blame("A change's times are later than any that the store has given.");
                }
                for row in [change.before, change.after].into_iter().flatten() {
                    if let Err(error) = row::check_crc(key, row) {
                        report.add(Finding::of_error(page, FindingKind::Change, &error).table(name));
                    }
                }
            }
            Err(error) => report.add(Finding::of_error(page, FindingKind::Change, &error).table(name)),
        }
    }
}
