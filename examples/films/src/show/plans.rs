//! Six filters and how each is answered: what the planner makes of keys, and of what cannot be.

use crate::failure::{Failure, Outcome};
use crate::load::{FILMS, ZIP_CODES};
use crate::report::{self, Report, Side, Table};
use entable::{AccessPath, Store};

/// A filter, the way that it must be answered in, and why so few rows are read.
struct Example {
    table: &'static str,
    filter: &'static str,
    path: AccessPath,
    why: &'static str,
}

const EXAMPLES: [Example; 6] = [
    Example {
        table: ZIP_CODES,
        filter: "PartitionKey eq 'NY' and RowKey in ('00501', '10001', '14201')",
        path: AccessPath::Points,
        why: "`in` on a key is a read of each: the rows between are not looked at",
    },
    Example {
        table: ZIP_CODES,
        filter: "PartitionKey eq 'CA' and startswith(RowKey, '902')",
        path: AccessPath::Range,
        why: "a beginning is a range of keys, which the keys alone decide",
    },
    Example {
        table: ZIP_CODES,
        filter: "(PartitionKey eq 'NY' and RowKey lt '01') or (PartitionKey eq 'CA' and RowKey ge '96')",
        path: AccessPath::Ranges,
        why: "each side of `or` has its range; they are read in the order of keys, none twice",
    },
    Example {
        table: ZIP_CODES,
        filter: "RowKey eq '90210'",
        path: AccessPath::SkipScan,
        why: "no partition is named: a step into each, and on to the next, passing over the rest",
    },
    Example {
        table: ZIP_CODES,
        filter: "PartitionKey eq 'NY' and Latitude gt 45.0 and Latitude lt 40.0",
        path: AccessPath::Nothing,
        why: "no number is both: seen before anything is read",
    },
    Example {
        table: FILMS,
        filter: "ImdbVotes gt '500000'",
        path: AccessPath::TableScan,
        why: "no key is named, so all rows are read; and the text in quotes is warned of",
    },
];

pub(crate) fn show(store: &Store, report: &mut Report) -> Outcome<()> {
    report.heading("3  Six filters, and what `explain` says of them")?;
    let mut shown = Table::new([
        ("plan", Side::Left),
        ("rows read", Side::Right),
        ("of", Side::Right),
        ("found", Side::Right),
        ("filter", Side::Left),
    ]);
    let mut reasons = Table::new([("plan", Side::Left), ("why", Side::Left)]);
    let mut last = None;
    for Example { table, filter, path, why } in &EXAMPLES {
        let table = store.table(table)?;
        let explain = table.explain(*filter)?;
        if explain.path() != *path {
            return Err(Failure::new(format!("{filter} is answered by {}, not by {path}", explain.path())));
        }
        shown.row([
            explain.path().to_string(),
            report::count(explain.rows_read()),
            report::count(table.count("")?),
            report::count(explain.rows_returned()),
            (*filter).to_owned(),
        ]);
        reasons.row([explain.path().to_string(), (*why).to_owned()]);
        last = Some(explain);
    }
    report.table(&shown)?;
    report.line("")?;
    report.table(&reasons)?;
    if let Some(explain) = last {
        report.line("\n  The last as `explain` prints it:\n")?;
        let text = explain.to_string();
        report.line(text.lines().map(|line| format!("    {line}\n")).collect::<String>().trim_end_matches('\n'))?;
    }
    report.result("what the keys decide is not read; what can match nothing is told before it is asked")
}
