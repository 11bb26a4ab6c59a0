//! The same file, read from Python, Node, C and C++: each program prints the same lines as this one.

use crate::arguments::Arguments;
use crate::failure::{Failure, Outcome};
use crate::load::FILMS;
use crate::report::{self, Report, Side, Table};
use crate::show;
use entable::{Store, Value};
use std::io;
use std::path::Path;
use std::process;
use std::time::{Duration, Instant};

/// The film that every language reads: one that has earned more than 32 bits hold.
const FILM: (&str, &str) = ("Action", "Avatar (2009)");

/// A language's program: what starts it, and the script if it is one. From the checkout's top folder.
struct Language {
    name: &'static str,
    program: &'static str,
    script: Option<&'static str>,
}

const LANGUAGES: [Language; 4] = [
    Language { name: "Python", program: ".venv/bin/python", script: Some("examples/films/python/film.py") },
    Language { name: "Node", program: "node", script: Some("examples/films/node/film.mjs") },
    Language { name: "C", program: ".work/film-c", script: None },
    Language { name: "C++", program: ".work/film-cpp", script: None },
];

pub(crate) fn run(arguments: &Arguments, report: &mut Report) -> Outcome<()> {
    report.heading("11  The same file from Python, Node, C and C++")?;
    let store = show::open(&arguments.store)?;
    let expected = film(&store)?;
    for line in expected.lines() {
        report.line(format!("  {line}"))?;
    }
    let mut table = Table::new([
        ("language", Side::Left),
        ("program", Side::Left),
        ("time", Side::Right),
        ("what it printed", Side::Left),
    ]);
    let mut failed = Vec::new();
    // This process keeps the store open meanwhile: several processes may.
    for language in &LANGUAGES {
        let (took, outcome) = match language.run(&arguments.store) {
            Ok((text, took)) if text.trim_end() == expected => (report::time(took), "the same lines".to_owned()),
            Ok((text, took)) => (report::time(took), format!("other lines: {}", text.trim_end().replace('\n', " | "))),
            Err(failure) => (String::new(), failure),
        };
        if took.is_empty() || outcome != "the same lines" {
            failed.push(language.name);
        }
        let program = language.script.unwrap_or(language.program);
        table.row([language.name.to_owned(), program.to_owned(), took, outcome]);
    }
    store.close();
    report.table(&table)?;
    if failed.is_empty() {
        return report.result("one file, five languages, one answer; times include the start of the process");
    }
    Err(Failure::new(format!("not read from {}: see the table", failed.join(", "))))
}

impl Language {
    /// What the program prints, and how long it took; or why there is nothing, in one line.
    fn run(&self, store: &Path) -> Result<(String, Duration), String> {
        // A program without a folder is looked for on the PATH.
        if self.program.contains('/') && !Path::new(self.program).exists() {
            return Err(format!("{} is not there: `make run` builds it", self.program));
        }
        let start = Instant::now();
        let run =
            process::Command::new(self.program).args(self.script).arg(store).args([FILM.0, FILM.1]).output().map_err(
                |error| match error.kind() {
                    io::ErrorKind::NotFound => format!("{} is not installed", self.program),
                    _ => format!("{} does not start: {error}", self.program),
                },
            )?;
        let took = start.elapsed();
        if run.status.success() {
            return Ok((String::from_utf8_lossy(&run.stdout).into_owned(), took));
        }
        // The last line says it in all four languages.
        let text = String::from_utf8_lossy(&run.stderr).into_owned();
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message");
        Err(format!("{}: {last}", run.status))
    }
}

/// Prints what the program of every other language prints.
pub(crate) fn print_film(arguments: &Arguments, report: &mut Report) -> Outcome<()> {
    let store = show::open(&arguments.store)?;
    report.line(film(&store)?)
}

/// The lines that the program of every language prints.
fn film(store: &Store) -> Outcome<String> {
    let films = store.table(FILMS)?;
    let count = films.list_entities()?.try_fold(0, |count, entity| entity.map(|_| count + 1))?;
    let film = films.get_entity(FILM.0, FILM.1)?;
    let missing = |name| Failure::new(format!("{} has no {name}, or one of another type", film.row_key()));
    let title = film.get("Title").and_then(Value::as_str).ok_or_else(|| missing("Title"))?;
    let released = film.get("ReleaseDate").and_then(Value::as_datetime).ok_or_else(|| missing("ReleaseDate"))?;
    let gross = film.get("WorldwideGross").and_then(Value::as_i64).ok_or_else(|| missing("WorldwideGross"))?;
    let rating = film.get("ImdbRating").and_then(Value::as_f64).ok_or_else(|| missing("ImdbRating"))?;
    Ok(format!("Films {count}\nTitle {title}\nReleaseDate {released}\nWorldwideGross {gross}\nImdbRating {rating:.1}"))
}
