//! A run: the store, the model beside it, and what is done to both.

use crate::feeds::Follower;
use crate::other::Other;
use crate::paging::Paging;
use crate::tally::Tally;
use crate::world::World;
use entable::{Mode, Options, Snapshot, Store};
use entable_tests::random::Random;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Spellings of three names.
const TABLES: [&str; 5] = ["Orders", "orders", "Films", "FILMS", "Zip0"];

pub(crate) struct Run {
    seed: u64,
    pub(crate) random: Random,
    pub(crate) mode: Mode,
    pub(crate) path: PathBuf,
    pub(crate) store: Store,
    pub(crate) world: Rc<World>,
    pub(crate) snapshot: Option<(Snapshot, Rc<World>)>,
    /// Another process that has the store open.
    pub(crate) other: Option<Other>,
    pub(crate) pagings: Vec<Paging>,
    /// The feeds that are followed, by the lower-cased name of the table.
    pub(crate) feeds: BTreeMap<String, Follower>,
    pub(crate) partition_keys: Vec<String>,
    pub(crate) row_keys: Vec<String>,
    /// The last Timestamps that the store gave.
    pub(crate) times: Vec<i64>,
    pub(crate) tally: Tally,
    pub(crate) operations: usize,
    /// What was done last, for the message of a failure.
    history: Vec<String>,
    _folder: tempfile::TempDir,
}

impl Drop for Run {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let from = self.history.len().saturating_sub(5);
            let (seed, operations) = (self.seed, self.operations);
            eprintln!("seed {seed}, in operation {operations}; the last were:\n{}", self.history[from..].join("\n"));
        }
    }
}

pub(crate) fn open(path: &Path, mode: Mode) -> Store {
    Store::open_with(path, &Options::new().mode(mode)).expect("the store opens")
}

impl Run {
    pub(crate) fn new(seed: u64, mode: Mode) -> Run {
        // Durability is the matter of other tests: in memory, where the system has a folder there.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder");
        let path = folder.path().join("store.ent");
        // Together the longest are beyond the keys that LMDB takes; in order they lie amidst the others.
        let long = if mode == Mode::Extended { 4_000 } else { 1_020 };
        let long_keys = [format!("k{}", "x".repeat(long)), format!("k{}\u{e000}", "x".repeat(long)), "é".repeat(long)];
        let partition_keys = ["", "A", "a", "ab", "\u{ffff}", "😀"].map(str::to_owned);
        let row_keys = (0..14).map(|number| number.to_string());
        let row_keys = row_keys.chain(["", "a", "o'x", "\u{e000}", "😀", "k"].map(str::to_owned));
        Run {
            seed,
            random: Random::new(seed),
            mode,
            store: open(&path, mode),
            path,
            world: Rc::default(),
            snapshot: None,
            other: None,
            pagings: Vec::new(),
            feeds: BTreeMap::new(),
            partition_keys: partition_keys.into_iter().chain([long_keys[0].clone()]).collect(),
            row_keys: row_keys.chain(long_keys).collect(),
            times: vec![504_911_232_000_000_000],
            tally: Tally::default(),
            operations: 0,
            history: Vec::new(),
            _folder: folder,
        }
    }

    pub(crate) fn step(&mut self) {
        self.operations += 1;
        match self.random.below(1_000) {
            0..=379 => self.single(),
            380..=479 => self.group(),
            480..=529 => self.batch(),
            530..=599 => self.point_reads(),
            600..=799 => self.query(),
            800..=819 => self.ordered_query(),
            820..=889 => self.first_page(),
            890..=949 => self.later_page(),
            950..=955 => self.delete_by_filter(),
            956..=971 => self.create_table(),
            972 | 973 => self.delete_table(),
            974..=976 => self.list_tables(),
            977 => self.change_feed(),
            978..=981 => self.change_index(),
            982 | 983 => self.change_relation(),
            984 => self.repair_orphans(),
            985..=988 => self.transaction(),
            989..=991 => self.take_snapshot(),
            992..=996 => self.compare_all(),
            _ => self.reopen(),
        }
        self.follow();
    }

    pub(crate) fn note(&mut self, what: String) {
        if self.history.len() > 100 {
            self.history.drain(..90);
        }
        let cut = what.chars().take(1_500).collect();
        self.history.push(cut);
    }

    pub(crate) fn table_name(&mut self) -> String {
        self.random.pick(&TABLES).to_owned()
    }
}
