//! Transactions: one moment to read from, or the one place to write to.

use super::env::Writing;
use super::fork;
use super::leaf::Leaves;
use super::meter::Meter;
use super::range::{Bounds, Direction, Range, is_empty};
use super::{LONG_KEYS, Space, failure, leaf, long};
use crate::Result;
use crate::limits::KEY_PIECE_BYTES;
use heed::{AnyTls, Database, DatabaseOpener, RoTxn, WithoutTls, types};

pub(super) type Bytes = Database<'static, types::Bytes, types::Bytes>;
type Opened<'e> = Database<'e, types::Bytes, types::Bytes>;

/// The file's databases.
#[derive(Clone, Copy)]
pub(crate) struct Databases([Bytes; Space::COUNT + 1]);

impl Databases {
    pub(super) const COUNT: usize = Space::COUNT + 1;

    pub(super) fn new(databases: [Bytes; Databases::COUNT]) -> Databases {
        Databases(databases)
    }

    /// Their names, in the order of `new`.
    pub(super) fn names() -> impl Iterator<Item = Option<&'static str>> {
        Space::NAMES.into_iter().chain([Some(LONG_KEYS)])
    }

    pub(super) fn of(&self, space: Space) -> Bytes {
        self.0[space as usize]
    }

    /// All, in the order of `names`.
    pub(super) fn all(&self) -> [Bytes; Databases::COUNT] {
        self.0
    }

    pub(super) fn long_keys(&self) -> Bytes {
        self.0[Space::COUNT]
    }

    /// Opens all databases in a read transaction; `None` if one is missing.
    pub(super) fn open<'e>(
        opener: &DatabaseOpener<'e, WithoutTls>,
        txn: &RoTxn<'e>,
    ) -> heed::Result<Option<[Opened<'e>; Databases::COUNT]>> {
        let mut opened = Vec::with_capacity(Databases::COUNT);
        for name in Databases::names() {
            match opener.open_database::<types::Bytes, types::Bytes>(txn, name)? {
                Some(database) => opened.push(database),
                None => return Ok(None),
            }
        }
        Ok(opened.try_into().ok())
    }
}

/// What can be read, in a read transaction and in a write transaction alike.
pub(crate) trait Read {
    #[doc(hidden)]
    fn raw(&self) -> (&RoTxn<'_, AnyTls>, &Databases);

    /// The numbers of the file that is read.
    fn meter(&self) -> &Meter;

    /// The transaction's number: two reads with the same number see the same moment.
    fn id(&self) -> usize {
        self.raw().0.id()
    }

    /// The value of a key.
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<&[u8]>> {
        if let Some(txn) = self.in_place() {
            return long::get_in_place(txn, space, key);
        }
        let (txn, dbs) = self.raw();
        long::get(txn, dbs, space, key)
    }

    /// The values of several keys, in their order: sooner had than one after the other, and most of all if the keys come
    /// in order.
    fn get_many<'k>(
        &self,
        space: Space,
        keys: impl ExactSizeIterator<Item = &'k [u8]> + Clone,
    ) -> Result<Vec<Option<&[u8]>>> {
        let mut values = Vec::with_capacity(keys.len());
        match (self.in_place(), Space::NAMES[space as usize]) {
            (Some(txn), Some(tree)) if keys.clone().all(|key| key.len() <= KEY_PIECE_BYTES) => {
                leaf::get_many(txn, tree, keys, &mut values)?;
            }
            _ => {
                for key in keys {
                    values.push(self.get(space, key)?);
                }
            }
        }
        Ok(values)
    }

    /// Keys and values within bounds, in order.
    fn range(&self, space: Space, bounds: Bounds, direction: Direction) -> Result<Range<'_>> {
        let (txn, dbs) = self.raw();
        Range::new(txn, dbs, self.in_place(), space, bounds, direction)
    }

    /// The same transaction, where its pages may be read in place.
    #[doc(hidden)]
    fn in_place(&self) -> Option<&ReadTxn<'_>> {
        None
    }

    /// How many keys lie within bounds, if no key there is longer than [`KEY_PIECE_BYTES`](crate::limits::KEY_PIECE_BYTES).
    fn count(&self, space: Space, bounds: Bounds) -> Result<u64> {
        if is_empty(&bounds) {
            return Ok(0);
        }
        if let (Some(txn), Some(tree)) = (self.in_place(), Space::NAMES[space as usize]) {
            return match Leaves::new(txn, tree, &bounds, Direction::Ascending)? {
                Some(leaves) => leaves.count(),
                None => Ok(0),
            };
        }
        self.range(space, bounds, Direction::Ascending)?.try_fold(0, |count, item| item.map(|_| count + 1))
    }

    /// About how many keys lie within bounds: a few exactly, many by their order of magnitude. Cheap.
    fn estimate(&self, space: Space, bounds: &Bounds) -> Result<u64> {
        if is_empty(bounds) {
            return Ok(0);
        }
        if let (Some(txn), Some(tree)) = (self.in_place(), Space::NAMES[space as usize]) {
            return leaf::estimate(txn, tree, bounds);
        }
        let mut counted = self.range(space, bounds.clone(), Direction::Ascending)?.take(COUNTED);
        let count = counted.try_fold(0, |count, item| item.map(|_| count + 1))?;
        if count < COUNTED as u64 {
            return Ok(count);
        }
        // Not to be told without a walk: as many as there are in all.
        let (txn, dbs) = self.raw();
        dbs.of(space).len(txn).map_err(failure)
    }
}

/// Keys that are counted one by one where the tree does not tell their number.
const COUNTED: usize = 2_048;

/// One moment of the store. Short-lived: pages that it can see are not used again while it lives.
pub(crate) struct ReadTxn<'e> {
    pub(super) txn: RoTxn<'e, WithoutTls>,
    pub(super) dbs: &'e Databases,
    /// The last page that the file surely has.
    pub(super) last_page: u64,
    /// Whether leaf pages may be read where they lie.
    pub(super) is_in_place: bool,
    pub(super) roots: &'e leaf::Roots,
    pub(super) meter: &'e Meter,
}

impl Read for ReadTxn<'_> {
    fn raw(&self) -> (&RoTxn<'_, AnyTls>, &Databases) {
        (&self.txn, self.dbs)
    }

    fn meter(&self) -> &Meter {
        self.meter
    }

    fn in_place(&self) -> Option<&ReadTxn<'_>> {
        self.is_in_place.then_some(self)
    }
}

/// The one write transaction, made and committed by the writer.
pub(crate) struct WriteTxn<'e> {
    pub(super) txn: Writing<'e>,
    pub(super) dbs: &'e Databases,
    /// The id that the next node of a long key takes: part of the header, which the caller keeps.
    pub(crate) next_long_key: u64,
    pub(super) meter: &'e Meter,
    /// The last page of the file as the transaction found it.
    pub(super) last_page: u64,
    /// What is to be put by now.
    pub(super) put: Put,
}

/// How much a write transaction puts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Put {
    pub(super) groups: u64,
    pub(super) bytes: u64,
    /// Puts and deletes.
    pub(super) changes: u64,
}

impl Read for WriteTxn<'_> {
    fn raw(&self) -> (&RoTxn<'_, AnyTls>, &Databases) {
        (&self.txn, self.dbs)
    }

    fn meter(&self) -> &Meter {
        self.meter
    }
}

impl WriteTxn<'_> {
    /// Stores a value under a key, in place of the one that may be there.
    pub(crate) fn put(&mut self, space: Space, key: &[u8], value: &[u8]) -> Result<()> {
        self.put.changes += 1;
        self.put.bytes += (key.len() + value.len()) as u64;
        let _changing = fork::changing();
        long::put(&mut self.txn, self.dbs, space, key, value, &mut self.next_long_key)
    }

    /// Removes a key. Tells whether it was there.
    pub(crate) fn delete(&mut self, space: Space, key: &[u8]) -> Result<bool> {
        self.put.changes += 1;
        let _changing = fork::changing();
        long::delete(&mut self.txn, self.dbs, space, key)
    }

    pub(super) fn commit(self) -> Result<()> {
        self.txn.commit().map_err(failure)
    }
}
