//! The model's own values: how they compare, how a filter writes them, how they become the store's.

use entable::{DateTime, Guid, Value};
use entable_tests::random::Random;
use std::cmp::Ordering;
use std::fmt::Write;

#[derive(Clone, Debug)]
pub(crate) enum V {
    I32(i32),
    I64(i64),
    F64(f64),
    Date(i64),
    Guid([u8; 16]),
    Bool(bool),
    Text(String),
    Bytes(Vec<u8>),
}

/// The model's order of texts: that of their UTF-16 code units.
pub(crate) fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

impl V {
    /// The same value for the store.
    pub(crate) fn to_store(&self) -> Value {
        match self {
            V::I32(v) => Value::Int32(*v),
            V::I64(v) => Value::Int64(*v),
            V::F64(v) => Value::Double(*v),
            V::Date(ticks) => Value::DateTime(DateTime::from_ticks(*ticks).expect("a tick")),
            V::Guid(bytes) => Value::Guid(Guid::from_bytes(*bytes)),
            V::Bool(v) => Value::Boolean(*v),
            V::Text(v) => Value::String(v.clone()),
            V::Bytes(v) => Value::Binary(v.clone()),
        }
    }

    /// Whether the store's value is this one, type and bits.
    pub(crate) fn is(&self, value: &Value) -> bool {
        match (self, value) {
            (V::I32(a), Value::Int32(b)) => a == b,
            (V::I64(a), Value::Int64(b)) => a == b,
            (V::F64(a), Value::Double(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            (V::Date(a), Value::DateTime(b)) => *a == b.ticks(),
            (V::Guid(a), Value::Guid(b)) => a == b.as_bytes(),
            (V::Bool(a), Value::Boolean(b)) => a == b,
            (V::Text(a), Value::String(b)) => a == b,
            (V::Bytes(a), Value::Binary(b)) => a == b,
            _ => false,
        }
    }

    /// The constant in a filter's text.
    pub(crate) fn literal(&self) -> String {
        match self {
            V::I32(v) => v.to_string(),
            V::I64(v) => format!("{v}L"),
            V::F64(v) if v.is_nan() => "NaN".into(),
            V::F64(v) if v.is_infinite() => if *v > 0.0 { "INF" } else { "-INF" }.into(),
            V::F64(v) => format!("{v:?}"),
            V::Date(ticks) => format!("datetime'{}'", date(*ticks)),
            V::Guid(bytes) => format!("guid'{}'", guid(bytes)),
            V::Bool(v) => v.to_string(),
            V::Text(v) => format!("'{}'", v.replace('\'', "''")),
            V::Bytes(v) => format!("X'{}'", hex(v)),
        }
    }

    fn number(&self) -> Option<Number> {
        match self {
            V::I32(v) => Some(Number::Whole(i128::from(*v))),
            V::I64(v) => Some(Number::Whole(i128::from(*v))),
            V::F64(v) => Some(Number::Double(*v)),
            _ => None,
        }
    }

    /// S7.4, S7.5: how the property's value (`self`) lies to the constant; `None` if they cannot be compared.
    pub(crate) fn compare(&self, constant: &V, strict: bool) -> Option<Outcome> {
        let order = match (self, constant) {
            (V::Text(a), V::Text(b)) => units(a).cmp(&units(b)),
            (V::Bool(a), V::Bool(b)) => u8::from(*a).cmp(&u8::from(*b)),
            (V::Date(a), V::Date(b)) => a.cmp(b),
            (V::Guid(a), V::Guid(b)) => guid(a).cmp(&guid(b)),
            (V::Bytes(a), V::Bytes(b)) => hex(a).cmp(&hex(b)),
            // In strict mode only an Int32 constant reaches other types of numbers.
            (V::I32(_) | V::F64(_), V::I64(_)) | (V::I32(_) | V::I64(_), V::F64(_)) if strict => return None,
            _ => return Some(Number::compare(self.number()?, constant.number()?)),
        };
        Some(Outcome::Ordered(order))
    }
}

/// What a comparison comes to: NaN is beside every order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outcome {
    Ordered(Ordering),
    Unordered,
}

#[derive(Clone, Copy)]
enum Number {
    Whole(i128),
    Double(f64),
}

impl Number {
    fn compare(a: Number, b: Number) -> Outcome {
        let reversed = |outcome| match outcome {
            Outcome::Ordered(order) => Outcome::Ordered(order.reverse()),
            Outcome::Unordered => Outcome::Unordered,
        };
        match (a, b) {
            (Number::Whole(a), Number::Whole(b)) => Outcome::Ordered(a.cmp(&b)),
            (Number::Double(a), Number::Double(b)) => a.partial_cmp(&b).map_or(Outcome::Unordered, Outcome::Ordered),
            (Number::Double(_), Number::Whole(_)) => reversed(Number::compare(b, a)),
            (Number::Whole(_), Number::Double(b)) if b.is_nan() => Outcome::Unordered,
            // Every whole number here has 64 bits; `as` keeps larger doubles at the ends of 128.
            (Number::Whole(a), Number::Double(b)) => {
                let fraction = b.fract();
                let of_fraction = if fraction > 0.0 {
                    Ordering::Less
                } else if fraction < 0.0 {
                    Ordering::Greater
                } else {
                    Ordering::Equal
                };
                Outcome::Ordered(a.cmp(&(b.trunc() as i128)).then(of_fraction))
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a String takes all");
        text
    })
}

fn guid(bytes: &[u8; 16]) -> String {
    let digits = hex(bytes);
    format!("{}-{}-{}-{}-{}", &digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..])
}

/// The text of a time, all seven decimals: years of 400 in days, then the year within them, day by day.
fn date(ticks: i64) -> String {
    let (days, within) = (ticks / 864_000_000_000, ticks % 864_000_000_000);
    let (mut year, mut rest) = (1 + 400 * (days / 146_097), days % 146_097);
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = |year| if is_leap(year) { 366 } else { 365 };
    while rest >= length(year) {
        rest -= length(year);
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if rest < days {
            break;
        }
        rest -= days;
        month += 1;
    }
    let (seconds, fraction) = (within / 10_000_000, within % 10_000_000);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{fraction:07}Z", rest + 1)
}

/// The letter in lower case: of the letters that the model uses.
pub(crate) fn folded(text: &str) -> String {
    let fold = |c: char| match c {
        'A'..='Z' => char::from(c as u8 + 32),
        'É' => 'é',
        'Ж' => 'ж',
        _ => c,
    };
    text.chars().map(fold).collect()
}

const TEXTS: [&str; 18] = [
    "", "a", "A", "ab", "Ab", "abc", "b", "B", "É", "éa", "Ж", "o'x", "\u{0}", "\u{d7ff}", "\u{e000}", "\u{ffff}",
    "😀", "😀a",
];
const NUMBERS: [i64; 9] =
    [0, 1, 2, -1, i32::MAX as i64, i32::MIN as i64, i64::MAX, 9_007_199_254_740_993, 9_007_199_254_740_992];
const DOUBLES: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    1.5,
    -1.0,
    2.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    9_007_199_254_740_992.0,
    9.3e18,
    5e-324,
];
/// From 1601 on, as the service; with a leap day, the turn of a century and the last of all ticks.
const DATES: [i64; 5] = [
    504_911_232_000_000_000,
    630_822_815_999_999_999,
    630_873_792_000_000_001,
    639_317_664_000_000_000,
    3_155_378_975_999_999_999,
];

/// A value of a small stock, so that rows and filters meet often.
pub(crate) fn value(random: &mut Random) -> V {
    match random.below(16) {
        0..=3 => V::Text(text(random)),
        4..=6 => V::I32(random.pick(&NUMBERS[..6]) as i32),
        7 | 8 => V::I64(random.pick(&NUMBERS)),
        9 | 10 => V::F64(random.pick(&DOUBLES)),
        11 | 12 => V::Bool(random.percent(50)),
        13 => V::Date(random.pick(&DATES)),
        14 => V::Guid([random.pick(&[0, 1, 0xab]); 16]),
        _ => V::Bytes(vec![random.pick(&[0, 1, 0xff]); random.below(4)]),
    }
}

/// A text of a small stock; now and then a long one.
pub(crate) fn text(random: &mut Random) -> String {
    if random.percent(2) { "long ".repeat(1 + random.below(1_000)) } else { random.pick(&TEXTS).to_owned() }
}

#[test]
fn the_model_writes_dates_right() {
    for (ticks, expected) in [
        (0, "0001-01-01T00:00:00.0000000Z"),
        (504_911_232_000_000_000, "1601-01-01T00:00:00.0000000Z"),
        (621_355_968_000_000_000, "1970-01-01T00:00:00.0000000Z"),
        (630_873_792_000_000_001, "2000-02-29T00:00:00.0000001Z"),
        (3_155_378_975_999_999_999, "9999-12-31T23:59:59.9999999Z"),
    ] {
        assert_eq!(date(ticks), expected);
    }
}
