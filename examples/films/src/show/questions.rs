//! One question, asked in four ways: what the keys in a filter are worth.

use crate::failure::{Failure, Outcome};
use crate::load::{FILMS, ZIP_CODES};
use crate::report::{self, Report, Side, Table};
use entable::Store;
use std::time::{Duration, Instant};

/// The same question in four filters: the two keys; one key and a range; one key; no key.
struct Question {
    text: &'static str,
    table: &'static str,
    keys: (&'static str, &'static str),
    filters: [&'static str; 4],
}

const QUESTIONS: [Question; 2] = [
    Question {
        text: "Which film is called Face/Off?",
        table: FILMS,
        keys: ("Action", "Face~2FOff (1997)"),
        filters: [
            "PartitionKey eq 'Action' and RowKey eq 'Face~2FOff (1997)'",
            "PartitionKey eq 'Action' and RowKey ge 'F' and RowKey lt 'G' and Title eq 'Face/Off'",
            "PartitionKey eq 'Action' and Title eq 'Face/Off'",
            "Title eq 'Face/Off'",
        ],
    },
    Question {
        text: "Which place has the zip code 00501?",
        table: ZIP_CODES,
        keys: ("NY", "00501"),
        filters: [
            "PartitionKey eq 'NY' and RowKey eq '00501'",
            "PartitionKey eq 'NY' and RowKey ge '00' and RowKey lt '11' and ZipCode eq '00501'",
            "PartitionKey eq 'NY' and ZipCode eq '00501'",
            "ZipCode eq '00501'",
        ],
    },
];

pub(crate) fn show(store: &Store, report: &mut Report) -> Outcome<()> {
    report.heading("2  One question, asked in four ways")?;
    report.line(
        "Times are medians, in the quick-to-build profile of `make run`; `make bench` says where the others are.",
    )?;
    for question in &QUESTIONS {
        ask(store, question, report)?;
    }
    report.result("all ways give the same entity; the nearer a filter is to the keys, the less is read")
}

fn ask(store: &Store, question: &Question, report: &mut Report) -> Outcome<()> {
    let table = store.table(question.table)?;
    let (partition_key, row_key) = question.keys;
    let expected = table.get_entity(partition_key, row_key)?;
    let mut shown = Table::new([
        ("plan", Side::Left),
        ("rows read", Side::Right),
        ("time", Side::Right),
        ("ratio", Side::Right),
        ("filter", Side::Left),
    ]);
    let mut point_time = None;
    for filter in question.filters {
        let found = table.query_entities(filter)?.collect::<Result<Vec<_>, _>>()?;
        if found != [expected.clone()] {
            return Err(Failure::new(format!("{filter} gives {} entities, not the one by keys", found.len())));
        }
        let explain = table.explain(filter)?;
        let took = median(|| table.query_entities(filter)?.try_fold((), |(), entity| entity.map(|_| ())))?;
        let point_time = *point_time.get_or_insert(took);
        shown.row([
            explain.path().to_string(),
            report::count(explain.rows_read()),
            report::time(took),
            format!("{:.1}", took.as_secs_f64() / point_time.as_secs_f64()),
            filter.to_owned(),
        ]);
    }
    let took = median(|| table.get_entity(partition_key, row_key).map(|_| ()))?;
    report.line(format!(
        "\n{} In {}; without a filter, get_entity takes {}.",
        question.text,
        question.table,
        report::time(took)
    ))?;
    report.table(&shown)
}

/// The median of some runs: more of them for what is short.
fn median(mut run: impl FnMut() -> entable::Result<()>) -> Outcome<Duration> {
    const BUDGET: Duration = Duration::from_millis(300);
    const MOST: usize = 501;
    const FEWEST: usize = 5;
    let mut times = Vec::new();
    let begin = Instant::now();
    while times.len() < FEWEST || (times.len() < MOST && begin.elapsed() < BUDGET) {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(times.get(times.len() / 2).copied().unwrap_or_default())
}
