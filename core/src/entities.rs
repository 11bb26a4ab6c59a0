//! Answers: one by one, or page by page. Nothing is held between pages.

use crate::query::{Explain, HandedOut, Page, Prepared, Reading, StoredEntity};
use crate::table::Table;
use crate::{ContinuationToken, Entity, Result};

/// Where an answer stands.
#[derive(Debug)]
enum Place {
    Start,
    At(ContinuationToken),
    End,
}

/// A query on its way through its pages, wherever they are read.
#[derive(Debug)]
pub(crate) struct Walk {
    query: Prepared,
    place: Place,
    /// Entities that the query's limit still allows.
    left: Option<u64>,
    reading: Reading,
}

impl Walk {
    pub(crate) fn new(mut query: Prepared) -> Walk {
        let reading = query.reading();
        let place = query.continuation.take().map_or(Place::Start, Place::At);
        Walk { place, left: query.limit, query, reading }
    }

    /// The next page, as `read` gives it: from the token on, at most so many entities.
    pub(crate) fn next<E>(
        &mut self,
        read: impl FnOnce(&Prepared, Option<&ContinuationToken>, Option<u64>, &mut Reading) -> Result<Page<E>>,
    ) -> Result<Option<Page<E>>> {
        let token = match std::mem::replace(&mut self.place, Place::End) {
            Place::Start => None,
            Place::At(token) => Some(token),
            Place::End => return Ok(None),
        };
        let mut page = read(&self.query, token.as_ref(), self.left, &mut self.reading)?;
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(page.entities.len() as u64);
            if *left == 0 {
                page.continuation_token = None;
            }
        }
        if let Some(token) = &page.continuation_token {
            self.place = Place::At(token.clone());
        }
        Ok(Some(page))
    }
}

/// The pages of an answer, each read when it is asked for, from one moment of the store.
///
/// Between pages nothing is held: later pages see what has been written since (S7.8.6).
#[derive(Debug)]
pub struct Pages {
    table: Table,
    walk: Walk,
}

impl Pages {
    pub(crate) fn new(table: Table, query: Prepared) -> Pages {
        Pages { table, walk: Walk::new(query) }
    }

    /// The next page, as [`StoredEntity`]: the pages of both kinds are those of one answer.
    ///
    /// # Errors
    /// As the iterator's own.
    pub fn next_stored(&mut self) -> Option<Result<Page<StoredEntity>>> {
        self.read().transpose()
    }

    fn read<E: HandedOut>(&mut self) -> Result<Option<Page<E>>> {
        let table = &self.table;
        self.walk.next(|query, token, left, reading| table.page(query, token, left, reading))
    }

    pub(crate) fn explained(mut self) -> Result<Explain> {
        while self.read::<StoredEntity>()?.is_some() {}
        self.table.explained(&self.walk.query, self.walk.reading)
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.read().transpose()
    }
}

/// The entities of an answer, in key order. After an error there is nothing more.
///
/// # Example
/// ```
/// # let store = entable::Store::in_memory()?;
/// # let orders = store.create_table("Orders")?;
/// # orders.create_entity(entable::entity! { "DE", "0001" })?;
/// for page in orders.list_entities()?.by_page() {
///     let page = page?;
///     println!("{} entities; to be continued at {:?}", page.entities.len(), page.continuation_token);
/// }
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Debug)]
pub struct Entities {
    pages: Pages,
    page: std::vec::IntoIter<Entity>,
}

impl Entities {
    pub(crate) fn new(pages: Pages) -> Entities {
        Entities { pages, page: Vec::new().into_iter() }
    }

    /// The same answer page by page. What the current page still held is not given again.
    pub fn by_page(self) -> Pages {
        self.pages
    }
}

impl Iterator for Entities {
    type Item = Result<Entity>;

    fn next(&mut self) -> Option<Result<Entity>> {
        loop {
            if let Some(entity) = self.page.next() {
                return Some(Ok(entity));
            }
            match self.pages.next()? {
                Ok(page) => self.page = page.entities.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// How many PartitionKeys are read at a time.
const KEYS_AT_A_TIME: usize = 1_000;

/// The PartitionKeys of a table, in order. Nothing is held between the times that some are read.
///
/// # Example
/// ```
/// # let store = entable::Store::in_memory()?;
/// # let orders = store.create_table("Orders")?;
/// # for country in ["DE", "FR"] { orders.create_entity(entable::entity! { country, "1" })?; }
/// let countries: Result<Vec<String>, _> = orders.partition_keys().collect();
/// assert_eq!(countries?, ["DE", "FR"]);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Debug)]
pub struct PartitionKeys {
    table: Table,
    read: std::vec::IntoIter<String>,
    /// The last key that was read; what comes after it is read next.
    last: Option<String>,
    is_at_end: bool,
}

impl PartitionKeys {
    pub(crate) fn new(table: Table) -> PartitionKeys {
        PartitionKeys { table, read: Vec::new().into_iter(), last: None, is_at_end: false }
    }
}

impl Iterator for PartitionKeys {
    type Item = Result<String>;

    fn next(&mut self) -> Option<Result<String>> {
        if self.read.len() == 0 && !self.is_at_end {
            match self.table.partition_keys_after(self.last.as_deref(), KEYS_AT_A_TIME) {
                Ok(keys) => {
                    self.is_at_end = keys.len() < KEYS_AT_A_TIME;
                    self.last = keys.last().cloned();
                    self.read = keys.into_iter();
                }
                Err(error) => {
                    self.is_at_end = true;
                    return Some(Err(error));
                }
            }
        }
        self.read.next().map(Ok)
    }
}
