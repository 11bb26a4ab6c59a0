//! Release dates: `Jun 12 1998`, the one form that the file has.

use entable::DateTime;

/// The last year in which the file's films can have been released: it was made in 2010, and names a few films that
/// were announced for the year after.
const LAST_YEAR: i32 = 2011;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// When a film was released.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ReleaseDate {
    /// Midnight, UTC, of the day.
    pub(crate) date: DateTime,
    /// The year of `date`.
    pub(crate) year: i32,
    /// The year that the file has, if it is another.
    ///
    /// Somebody once read two-digit years as 2000 and later, so that *Gone with the Wind* is of 2039 there. Those
    /// years are taken back by a century, and the file's year is kept beside.
    pub(crate) year_in_file: Option<i32>,
}

/// Reads a release date; `None` for another form or a day that is not in the calendar.
pub(crate) fn release_date(text: &str) -> Option<ReleaseDate> {
    let mut words = text.split(' ');
    let (month, day, year, None) = (words.next()?, words.next()?, words.next()?, words.next()) else { return None };
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let day = digits(day, 1..=2)?;
    let in_file = digits(year, 4..=4)?;
    let year = if in_file > LAST_YEAR { in_file - 100 } else { in_file };
    let date = format!("{year:04}-{month:02}-{day:02}T00:00:00Z").parse().ok()?;
    Some(ReleaseDate { date, year, year_in_file: (year != in_file).then_some(in_file) })
}

/// A number of so many digits, without a sign.
fn digits(text: &str, count: std::ops::RangeInclusive<usize>) -> Option<i32> {
    let is_number = count.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_midnight_utc_and_wrapped_years_are_taken_back() {
        let check = |text: &str, date: &str, year_in_file: Option<i32>| {
            let found = release_date(text).unwrap_or_else(|| panic!("{text} is not read"));
            assert_eq!((&*found.date.to_string(), found.year_in_file), (date, year_in_file), "{text}");
            assert_eq!(found.year.to_string(), date[..4], "{text}");
        };
        check("Jun 12 1998", "1998-06-12T00:00:00Z", None);
        check("Feb 29 2008", "2008-02-29T00:00:00Z", None);
        check("Jan 1 1928", "1928-01-01T00:00:00Z", None);
        check("Dec 23 2011", "2011-12-23T00:00:00Z", None);
        check("Feb 08 2015", "1915-02-08T00:00:00Z", Some(2015));
        check("Dec 15 2039", "1939-12-15T00:00:00Z", Some(2039));
    }

    #[test]
    fn other_forms_and_days_that_never_were_are_refused() {
        for text in [
            "",
            "TBD",
            "1998-06-12",
            "12 Jun 1998",
            "Jun 12 98",
            "Jun 12 1998 ",
            "Jun  12 1998",
            "jun 12 1998",
            "Feb 29 1999",
            "Jun 31 1998",
            "Jun +1 1998",
            "Jun 0 1998",
        ] {
            assert_eq!(release_date(text), None, "{text:?}");
        }
    }
}
