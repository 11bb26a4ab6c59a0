//! What a peer needs to know of a data set's rows.

pub(crate) use bench_shared::mix;
use entable::Entity;
use rusqlite::Statement;

/// A row of a data set, as a program that keeps such rows would hold it.
pub(crate) trait Row: Clone + Send + 'static {
    /// Columns of the table in SQLite behind the two keys, with their types.
    fn columns() -> Vec<String>;

    /// Row number `i`. Everything in it derives from the number.
    fn make(i: u32, partitions: u32) -> Self;

    fn keys(&self) -> (&str, &str);

    /// Moves the row into another partition.
    fn set_partition(&mut self, partition_key: String);

    fn to_entity(&self) -> Entity;

    /// The properties by bincode, which the key-value stores keep.
    fn to_bytes(&self) -> Vec<u8>;

    fn from_bytes(partition_key: &str, row_key: &str, bytes: &[u8]) -> Self;

    /// Whether the stored properties answer the question; nothing is copied for that.
    fn matches(bytes: &[u8], ask: &Ask) -> bool;

    /// The stored city, if there is one.
    fn city(bytes: &[u8]) -> Option<&str>;

    /// Inserts the row by a statement with a parameter for each key and column.
    fn insert(&self, statement: &mut Statement<'_>) -> rusqlite::Result<usize>;

    /// Reads a row of all columns.
    fn from_sql(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self>;
}

/// A filter that every peer answers.
pub(crate) enum Ask {
    /// `City eq`.
    City(String),
    /// `City eq` and `Age gt 60` and not `Active`.
    Three(String),
    /// `Age gt 60`.
    Age,
}

impl Ask {
    /// As entable's filter text.
    pub(crate) fn filter(&self) -> String {
        match self {
            Ask::City(city) => format!("City eq '{city}'"),
            Ask::Three(city) => format!("City eq '{city}' and Age gt 60 and Active eq false"),
            Ask::Age => "Age gt 60".to_owned(),
        }
    }

    /// As SQL, with `?1` for the city.
    pub(crate) fn condition(&self) -> &'static str {
        match self {
            Ask::City(_) => "City = ?1",
            Ask::Three(_) => "City = ?1 AND Age > 60 AND Active = 0",
            Ask::Age => "Age > 60",
        }
    }

    pub(crate) fn city(&self) -> Option<&str> {
        match self {
            Ask::City(city) | Ask::Three(city) => Some(city),
            Ask::Age => None,
        }
    }
}

pub(crate) const LAST_NAMES: [&str; 16] = [
    "Andersson",
    "Brown",
    "Castellanos",
    "Dunn",
    "Eriksen",
    "Fernandez",
    "Goldstein",
    "Ho",
    "Ivanova",
    "Jimenez",
    "Kowalczyk",
    "Li",
    "Montgomery",
    "Ng",
    "Okonkwo",
    "Papadopoulos",
];

/// The city of a rank from 0 to 999.
pub(crate) fn city_of(rank: u32) -> String {
    format!("City{rank:03}-{}", LAST_NAMES[(rank % 16) as usize])
}

/// The city's rank of row `i`: rank 0 has a tenth of the rows, rank 200 about 0.1 %, rank 999 0.033 %.
pub(crate) fn city_rank(i: u32) -> u32 {
    let u = f64::from(mix(i, 4)) / 4_294_967_296.0;
    (1000.0 * u * u * u) as u32
}

pub(crate) fn partition_key(i: u32, partitions: u32) -> String {
    format!("dept_{:05}", i % partitions)
}

pub(crate) fn row_key(i: u32) -> String {
    format!("empid_{i:08}")
}

/// 16 bytes of row `i`.
pub(crate) fn guid(i: u32, salt: u32) -> [u8; 16] {
    let mut bytes = [0; 16];
    for (at, chunk) in bytes.chunks_exact_mut(4).enumerate() {
        chunk.copy_from_slice(&mix(i, salt + at as u32).to_be_bytes());
    }
    bytes
}

/// An instant of row `i`, in ticks: within some 24 years from 2000 on.
pub(crate) fn ticks(i: u32, salt: u32) -> i64 {
    const TICKS_2000: i64 = 630_822_816_000_000_000;
    TICKS_2000 + i64::from(mix(i, salt)) * 1_800_000
}
