//! Queries that are read page by page, with other operations in between.

use crate::filter::{self, Tree};
use crate::other::{Ask, Other, spelled};
use crate::reads::matching;
use crate::row::{Key, check_row, key};
use crate::run::Run;
use entable::{ErrorCode, Mode, Query};
use std::collections::BTreeSet;

/// A query that is read page by page, with other operations in between.
pub(crate) struct Paging {
    pub(crate) table: String,
    generation: u64,
    tree: Option<Tree>,
    mode: Mode,
    page_size: usize,
    is_descending: bool,
    /// As text: so it would be kept by a program.
    token: Option<String>,
    /// The last row that came.
    last: Option<Key>,
    /// The row behind it, when it came.
    next: Option<Key>,
    /// Rows that were written since the last page: they may come or not.
    pub(crate) changed: BTreeSet<Key>,
    pub(crate) is_reopened: bool,
}

impl Run {
    pub(crate) fn first_page(&mut self) {
        if self.pagings.len() == 4 {
            self.pagings.remove(0);
        }
        let name = self.table_name();
        let (tree, mode) = self.filter();
        let Ok(table) = self.world.table(&name) else { return };
        // Most pages are small, so that there are many; the largest hold all.
        let most = table.rows.len() + 2;
        let page_size = match self.random.below(10) {
            0..=5 => 1 + self.random.below(12),
            6..=8 => 1 + self.random.below(most),
            _ => 1_000,
        };
        self.pagings.push(Paging {
            generation: table.generation,
            table: name,
            tree,
            mode,
            page_size,
            is_descending: mode != Mode::Strict && self.random.percent(25),
            token: None,
            last: None,
            next: None,
            changed: BTreeSet::new(),
            is_reopened: false,
        });
        self.tally.count("page: first");
        let at = self.pagings.len() - 1;
        self.page(at);
    }

    pub(crate) fn later_page(&mut self) {
        if !self.pagings.is_empty() {
            let at = self.random.below(self.pagings.len());
            self.tally.count(if self.pagings[at].is_reopened { "page: after reopening" } else { "page: later" });
            self.page(at);
        }
    }

    /// Reads the next page of a paging, and lets it go at its end.
    fn page(&mut self, at: usize) {
        let paging = self.pagings.remove(at);
        let shown = paging.tree.as_ref().map(filter::shown).unwrap_or_default();
        let is_other = self.random.percent(20);
        let reader = if is_other { "another process" } else { "this process" };
        self.note(format!("page of {} by {reader} from {:?}: {shown}", paging.table, paging.token));
        self.tally.count(format!("page size: {}", size(paging.page_size)));
        let page = if is_other {
            self.tally.count("page: by another process");
            let other = self.other.get_or_insert_with(|| Other::start(&self.path, self.mode));
            other.ask(&Ask {
                table: &paging.table,
                filter: paging.tree.as_ref().map(spelled),
                mode: paging.mode,
                page_size: paging.page_size,
                is_descending: paging.is_descending,
                token: paging.token.as_deref(),
            })
        } else {
            self.page_here(&paging)
        };
        let table = match self.world.table(&paging.table) {
            Ok(table) if table.generation == paging.generation => table,
            Ok(_) => {
                self.tally.count("page: of a table made again");
                assert_eq!(page.expect_err("another table"), ErrorCode::InvalidInput);
                return;
            }
            Err((code, _)) => return assert_eq!(page.expect_err("no table"), code),
        };
        let page = page.unwrap_or_else(|error| panic!("{error:?}: {shown}"));
        let is_beyond = |key: &Key, last: &Key| if paging.is_descending { key < last } else { key > last };
        if paging.next.as_ref().is_some_and(|next| !table.rows.contains_key(next)) {
            self.tally.count("page: after its rows were deleted");
        }
        if !paging.changed.is_empty() {
            self.tally.count("page: after writes");
        }
        let found: Vec<Key> = page.rows.iter().map(|row| key(&row.partition_key, &row.row_key)).collect();
        assert!(found.len() <= paging.page_size);
        assert!(found.windows(2).all(|pair| is_beyond(&pair[1], &pair[0])), "in order: {found:?}");
        for (found, came) in found.iter().zip(&page.rows) {
            assert!(paging.last.as_ref().is_none_or(|last| is_beyond(found, last)), "nothing comes twice");
            let row = table.rows.get(found).expect("a row that is there");
            assert_eq!(row.timestamp, came.timestamp, "{row:?} came in another version");
            assert!(paging.tree.as_ref().is_none_or(|tree| filter::is_match(tree, row, paging.mode)), "{row:?}");
        }
        // S7.8.6: what was not changed since the last page is not left out.
        let end = match &page.token {
            Some(_) => Some(found.last().or(paging.last.as_ref()).expect("a token only after a row").clone()),
            None => None,
        };
        for row in matching(table, paging.tree.as_ref(), paging.mode) {
            let key = key(&row.partition_key, &row.row_key);
            let is_due = paging.last.as_ref().is_none_or(|last| is_beyond(&key, last))
                && end.as_ref().is_none_or(|end| !is_beyond(&key, end));
            if is_due && !paging.changed.contains(&key) {
                assert!(found.contains(&key), "{key:?} was left out; the page ends at {end:?}: {shown}");
            }
        }
        if let Some(token) = page.token {
            let last = found.last().cloned().or(paging.last);
            let next = last.as_ref().and_then(|last| {
                let mut beyond = table.rows.keys().filter(|key| is_beyond(key, last));
                if paging.is_descending { beyond.next_back() } else { beyond.next() }
            });
            let next = next.cloned();
            let token = Some(token);
            self.pagings.push(Paging { token, last, next, changed: BTreeSet::new(), is_reopened: false, ..paging });
        }
    }

    /// The page, read by this process.
    fn page_here(&self, paging: &Paging) -> Result<Came, ErrorCode> {
        let mut query = paging.tree.as_ref().map_or_else(Query::all, filter::query);
        query = query.mode(paging.mode).page_size(paging.page_size);
        if paging.is_descending {
            query = query.descending();
        }
        if let Some(token) = &paging.token {
            query = query.continue_from(token.parse().expect("the token reads"));
        }
        let page = self.store.table(&paging.table).expect("a name").query_page(query);
        let page = page.map_err(|error| error.code())?;
        let world = self.world.table(&paging.table).ok();
        for entity in &page.entities {
            let row = world.and_then(|table| table.rows.get(&key(entity.partition_key(), entity.row_key())));
            check_row(row.expect("a row that is there"), entity);
        }
        Ok(Came::new(page))
    }
}

/// What came of a page, in this process or in another.
#[derive(Debug)]
pub(crate) struct Came {
    pub(crate) rows: Vec<CameRow>,
    /// As text: so it would be kept by a program.
    pub(crate) token: Option<String>,
}

#[derive(Debug)]
pub(crate) struct CameRow {
    pub(crate) partition_key: String,
    pub(crate) row_key: String,
    pub(crate) timestamp: i64,
}

impl Came {
    fn new(page: entable::Page) -> Came {
        let rows = page.entities.iter().map(|entity| CameRow {
            partition_key: entity.partition_key().to_owned(),
            row_key: entity.row_key().to_owned(),
            timestamp: entity.timestamp().map_or(0, entable::DateTime::ticks),
        });
        Came { rows: rows.collect(), token: page.continuation_token.map(|token| token.to_string()) }
    }
}

fn size(page_size: usize) -> &'static str {
    match page_size {
        1 => "1",
        2..=9 => "below 10",
        10..=99 => "below 100",
        _ => "from 100",
    }
}
