//! What the program prints: headings, sentences and aligned tables, in colours only on a terminal.

use crate::failure::Outcome;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// Where the program writes its report.
pub(crate) struct Report {
    out: io::Stdout,
    has_colours: bool,
}

impl Report {
    pub(crate) fn on_stdout() -> Report {
        let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Report { out: io::stdout(), has_colours: io::stdout().is_terminal() && !is_plain }
    }

    /// Begins a part of the report.
    pub(crate) fn heading(&mut self, text: &str) -> Outcome<()> {
        let rule = "─".repeat(text.chars().count());
        let (on, off) = if self.has_colours { ("\x1b[1;36m", "\x1b[0m") } else { ("", "") };
        Ok(write!(self.out, "\n{on}{text}\n{rule}{off}\n")?)
    }

    /// Prints a line, or several.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Outcome<()> {
        Ok(writeln!(self.out, "{}", text.as_ref())?)
    }

    /// Prints the outcome that a step was meant to show.
    pub(crate) fn result(&mut self, text: impl AsRef<str>) -> Outcome<()> {
        let (on, off) = if self.has_colours { ("\x1b[32m", "\x1b[0m") } else { ("", "") };
        Ok(writeln!(self.out, "{on}→ {}{off}", text.as_ref())?)
    }

    pub(crate) fn table(&mut self, table: &Table) -> Outcome<()> {
        let (on, off) = if self.has_colours { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        let mut lines = table.lines().into_iter();
        if let Some(header) = lines.next() {
            writeln!(self.out, "{on}{header}{off}")?;
        }
        for line in lines {
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }
}

/// On which side of its column a text stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// Rows under a header, each column as wide as its widest text.
pub(crate) struct Table {
    columns: Vec<(&'static str, Side)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(columns: impl IntoIterator<Item = (&'static str, Side)>) -> Table {
        Table { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, texts: impl IntoIterator<Item = String>) {
        self.rows.push(texts.into_iter().collect());
    }

    fn lines(&self) -> Vec<String> {
        let header: Vec<String> = self.columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let all: Vec<&Vec<String>> = std::iter::once(&header).chain(&self.rows).collect();
        let width = |column: usize| all.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).max();
        let cell = |(column, text): (usize, &String)| {
            let width = width(column).unwrap_or_default();
            match self.columns.get(column).map(|(_, side)| *side) {
                Some(Side::Right) => format!("{text:>width$}"),
                _ => format!("{text:<width$}"),
            }
        };
        let line = |row: &&Vec<String>| row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ");
        all.iter().map(|row| format!("  {}", line(row)).trim_end().to_owned()).collect()
    }
}

/// A count with commas between its thousands.
pub(crate) fn count(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time with three digits and the unit that suits it.
pub(crate) fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (value, unit) = match seconds {
        _ if seconds < 1e-3 => (seconds * 1e6, "µs"),
        _ if seconds < 1.0 => (seconds * 1e3, "ms"),
        _ => (seconds, "s"),
    };
    match value {
        _ if value < 10.0 => format!("{value:.2} {unit}"),
        _ if value < 100.0 => format!("{value:.1} {unit}"),
        _ => format!("{value:.0} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_text() {
        let mut table = Table::new([("way", Side::Left), ("rows", Side::Right)]);
        table.row(["point".to_owned(), "1".to_owned()]);
        table.row(["scan µ".to_owned(), "42,049".to_owned()]);
        assert_eq!(table.lines(), ["  way       rows", "  point        1", "  scan µ  42,049"]);
    }

    #[test]
    fn counts_and_times_are_easy_to_read() {
        assert_eq!([0_u64, 999, 1_000, 42_049, 1_234_567].map(count), ["0", "999", "1,000", "42,049", "1,234,567"]);
        let micros = |micros| time(Duration::from_micros(micros));
        assert_eq!([2, 45, 678, 1_500, 2_340_000].map(micros), ["2.00 µs", "45.0 µs", "678 µs", "1.50 ms", "2.34 s"]);
    }
}
