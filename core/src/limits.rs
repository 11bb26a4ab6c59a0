//! Every number of the data model and of the file, each with its source.
//!
//! Rule numbers (S…) are those of `docs/semantics.md`.

/// Which limits and which filter language hold. An option of [`Store::open`](crate::Store::open)
/// and of a query; never stored in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The service's limits, so that data can move to the cloud; filters compare numbers by value
    /// whatever their types, and the store's own functions are allowed. The default.
    #[default]
    Portable,
    /// Whatever the service refuses is refused, in filters too: for testing programs for the cloud.
    Strict,
    /// The service's limits lifted to what the store can do; filters as in `Portable`.
    Extended,
}

/// The limits of one mode. Lengths of text count UTF-16 code units, as the service does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Custom properties of an entity (S3.2).
    pub properties: usize,
    /// Code units of a PartitionKey and of a RowKey (S1.2.8, S3.2).
    pub key_units: usize,
    /// Code units of a String value (S2.1).
    pub string_units: usize,
    /// Bytes of a Binary value (S2.1).
    pub binary_bytes: usize,
    /// Bytes of an entity by the published formula (S3.1).
    pub entity_bytes: usize,
    /// First legal tick of a DateTime (S2.3.6).
    pub first_tick: i64,
    /// Operations in an entity group transaction (S6.4).
    pub group_operations: usize,
    /// Bytes of an entity group transaction, the sum of its entities by the formula of S3.1 (S6.5).
    pub group_bytes: usize,
    /// Names in a projection (S7.7.1).
    pub select_names: usize,
    /// Entities in a page (S7.1).
    pub page_entities: usize,
    /// Whether keys may hold what S1.2.3 forbids (but U+0000).
    pub any_key_character: bool,
    /// Whether property names may be other than identifiers (S1.4.2).
    pub any_property_name: bool,
    /// Whether times may have more than seven decimals, a bare date, or no seconds (S2.3.2, S2.3.3).
    pub lenient_datetime: bool,
}

/// What the service enforces.
pub(crate) const SERVICE: Limits = Limits {
    properties: 252,
    key_units: 1_024,
    string_units: 32_768,
    binary_bytes: 65_536,
    entity_bytes: 1_048_576,
    first_tick: TICKS_1601,
    group_operations: 100,
    group_bytes: 4 * 1_048_576,
    select_names: 255,
    page_entities: 1_000,
    any_key_character: false,
    any_property_name: false,
    lenient_datetime: false,
};

/// What the store can do.
pub(crate) const EXTENDED: Limits = Limits {
    properties: 65_535,
    key_units: 4_096,
    string_units: 1 << 30,
    binary_bytes: 1 << 30,
    entity_bytes: ROW_BYTES,
    first_tick: 0,
    group_operations: usize::MAX,
    group_bytes: usize::MAX,
    select_names: usize::MAX,
    page_entities: usize::MAX,
    any_key_character: true,
    any_property_name: true,
    lenient_datetime: true,
};

impl Mode {
    /// The limits of this mode.
    pub const fn limits(self) -> &'static Limits {
        match self {
            Mode::Portable | Mode::Strict => &SERVICE,
            Mode::Extended => &EXTENDED,
        }
    }
}

/// 100 ns ticks from 0001-01-01 to 1601-01-01 (S2.3.6).
pub(crate) const TICKS_1601: i64 = 504_911_232_000_000_000;
/// 100 ns ticks from 0001-01-01 to 1970-01-01 (S2.3.6).
pub(crate) const TICKS_1970: i64 = 621_355_968_000_000_000;
/// The last tick, 9999-12-31T23:59:59.9999999Z (S2.3.6).
pub(crate) const TICKS_LAST: i64 = 3_155_378_975_999_999_999;
/// The last Timestamp that an import gives back, about a century before the last that there is: every later write needs a
/// later one (S4.3.5).
pub(crate) const LAST_GIVEN_TICK: i64 = TICKS_LAST - 36_525 * 86_400 * TICKS_PER_SECOND;
/// Ticks in a second.
pub(crate) const TICKS_PER_SECOND: i64 = 10_000_000;

/// Shortest and longest table name, in characters (S1.1.1).
pub(crate) const TABLE_NAME_CHARS: (usize, usize) = (3, 63);
/// Code units of a property name (S1.4.1).
pub(crate) const PROPERTY_NAME_UNITS: usize = 255;
/// Code units of the name of an index or a relation (`FORMAT.md`, Catalog).
pub(crate) const DECLARED_NAME_UNITS: usize = 255;
/// Bytes of the name of a consumer of changes, which is in a key (`FORMAT.md`, Catalog).
pub(crate) const CONSUMER_NAME_BYTES: usize = 255;
/// Keys that a pattern makes of one row, by properties that hold several values: each is an entity, with its own write.
pub(crate) const PATTERN_KEYS: usize = 1_000;
/// Levels of nesting in a filter: protects the parser's stack (S3.2).
pub(crate) const FILTER_DEPTH: usize = 256;
/// Entities in a page when the caller names none (S7.1).
pub(crate) const DEFAULT_PAGE_ENTITIES: usize = 1_000;

/// Bytes of the longest key that LMDB takes on pages of 4 KiB with `longer-keys`; the same on every page size,
/// so that files can be carried between machines (`FORMAT.md`, Long keys).
pub(crate) const LMDB_KEY_BYTES: usize = 1_982;
/// Bytes of a key, or of a part of it, that is stored exactly: LMDB's limit less an id and a mark.
pub(crate) const KEY_PIECE_BYTES: usize = LMDB_KEY_BYTES - 8 - 1;
/// Shapes of a table (`FORMAT.md`, Shapes).
pub(crate) const TABLE_SHAPES: usize = 256;
/// Slots of a shape: a bitmap of 128 bytes.
pub(crate) const SHAPE_SLOTS: usize = 1_024;
/// From this many shapes on, a row goes into the best shape that can take it, however little it knows of the row.
pub(crate) const MANY_SHAPES: usize = 32;
/// A shape may grow to this many slots whatever the row.
pub(crate) const SHAPE_SLOTS_FREE: usize = 64;
/// Beyond [`SHAPE_SLOTS_FREE`], a shape may grow to this many slots for each property of the row.
pub(crate) const SHAPE_SLOTS_PER_PROPERTY: usize = 8;
/// Bytes of a String or Binary in an index component, before escaping (`FORMAT.md`, Index entries).
pub(crate) const COMPONENT_BYTES: usize = 512;
/// Properties of an index: with [`COMPONENT_BYTES`] they bound the depth of an entry's long key.
pub(crate) const INDEX_PROPERTIES: usize = 16;
/// Indexes of a table: each makes every write of the table dearer, so more are a slip.
pub(crate) const TABLE_INDEXES: usize = 64;
/// Relations of a table, whichever end it is of: each makes its writes dearer, so more are a slip.
pub(crate) const TABLE_RELATIONS: usize = 64;
/// Entities that one group deletes because their parents go: it is held in memory, and other writers wait.
pub(crate) const CASCADE_ROWS: usize = 100_000;
/// Bytes of the longest value: a row, a change, or a covering index entry's row (`FORMAT.md`, Container). LMDB writes
/// a long value with one call, and Linux ends a call at 7FFFF000 bytes: that many, in whole pages of at most 64 KiB,
/// less LMDB's head of the first.
pub(crate) const ROW_BYTES: usize = 0x7fff_f000 / 0x1_0000 * 0x1_0000 - 16;

/// The least [`Options::max_size`](crate::Options::max_size): a new store takes some pages, and what makes room needs some.
pub(crate) const LEAST_MAX_SIZE: u64 = 1 << 20;
