//! What grows, and in which steps.

use crate::flights;
use crate::rows::{Cell, Row, mix, text};
use std::path::Path;

/// What is measured at one step of a curve.
pub(crate) struct Step {
    /// Where the step lies on the curve.
    pub(crate) at: u64,
    /// Rows in the order in which they are loaded, and each one's table.
    pub(crate) rows: Vec<(u32, Row)>,
    pub(crate) tables: u32,
    pub(crate) indexes: u16,
}

/// What grows.
pub(crate) struct Curve {
    pub(crate) name: &'static str,
    /// One line for the reader: what else is fixed.
    pub(crate) about: &'static str,
    pub(crate) steps: &'static [u64],
    pub(crate) quick_steps: &'static [u64],
    /// Makes the step, of the file of flights where it is of real rows.
    pub(crate) make: fn(at: u64, flights: &Path) -> Step,
}

pub(crate) const CURVES: [Curve; 8] = [
    Curve {
        name: "rows",
        about: "flights, in the file's order; some 300 partitions",
        steps: &[1_000, 10_000, 100_000, 1_000_000, 3_000_000],
        quick_steps: &[1_000, 10_000],
        make: |at, flights| of_one_table(at, flights::read(flights, at as usize)),
    },
    Curve {
        name: "tables",
        about: "100,000 rows in all, evenly",
        steps: &[1, 10, 100, 1_000, 10_000],
        quick_steps: &[1, 100],
        make: |at, _| {
            let rows = (0..100_000).map(|i| ((u64::from(i) % at) as u32, plain(i, 100))).collect();
            Step { at, rows, tables: at as u32, indexes: 0 }
        },
    },
    Curve {
        name: "partitions",
        about: "1,000,000 rows in all, evenly, each next one in the next partition",
        steps: &[1, 100, 10_000, 1_000_000],
        quick_steps: &[1, 100],
        make: |at, _| of_one_table(at, (0..1_000_000).map(|i| plain(i, at as u32)).collect()),
    },
    Curve {
        name: "row bytes",
        about: "one text in 60 KB at most to a property; 64 MB in all, 100,000 rows at most",
        steps: &[100, 1_000, 10_000, 100_000, 1_000_000],
        quick_steps: &[100, 1_000],
        make: |at, _| {
            let rows = (64_000_000 / at).min(100_000) as u32;
            // A text takes two bytes a character in the service's sum, which has a limit of 1 MiB.
            let characters = at as usize / 2;
            let of_row = |i: u32| {
                let whole = characters.min(400);
                let texts = (0..characters.div_ceil(30_000)).map(|part| {
                    let length = (characters - part * 30_000).min(30_000);
                    (part as u16, Cell::Text(text(i, whole).repeat(length.div_ceil(whole))[..length].to_owned()))
                });
                row(i, 100, texts.collect())
            };
            of_one_table(at, (0..rows).map(of_row).collect())
        },
    },
    Curve {
        name: "properties",
        about: "Int32 numbers; 20,000 rows",
        steps: &[1, 10, 50, 250],
        quick_steps: &[1, 10],
        make: |at, _| {
            let numbers =
                |i: u32| (0..at as u16).map(move |number| (number, Cell::Number(mix(i, number.into()) as i32)));
            of_one_table(at, (0..20_000).map(|i| row(i, 100, numbers(i).collect())).collect())
        },
    },
    Curve {
        name: "shapes",
        about: "sets of 6 of 40 properties; 100,000 rows",
        steps: &[1, 10, 100, 1_000, 10_000],
        quick_steps: &[1, 10],
        make: |at, _| of_one_table(at, (0..100_000).map(|i| row(i, 100, sparse(i, mix(i, 3) % at as u32))).collect()),
    },
    Curve {
        name: "key characters",
        about: "of the row key; 50,000 rows",
        steps: &[8, 32, 128, 512, 1_024],
        quick_steps: &[8, 32],
        make: |at, _| {
            let keyed = |i: u32| {
                let mut row = plain(i, 100);
                row.row_key = format!("{}{i:08}", text(i, at as usize - 8));
                row
            };
            of_one_table(at, (0..50_000).map(keyed).collect())
        },
    },
    Curve {
        name: "indexes",
        about: "each of one property, there before the 50,000 rows",
        steps: &[0, 1, 2, 4, 8],
        quick_steps: &[0, 1],
        make: |at, _| {
            let numbers =
                |i: u32| (0..8).map(move |number| (number, Cell::Number((mix(i, number.into()) % 1_000) as i32)));
            let rows = (0..50_000).map(|i| (0, row(i, 100, numbers(i).collect()))).collect();
            Step { at, rows, tables: 1, indexes: at as u16 }
        },
    },
];

fn of_one_table(at: u64, rows: Vec<Row>) -> Step {
    Step { at, rows: rows.into_iter().map(|row| (0, row)).collect(), tables: 1, indexes: 0 }
}

/// A row of four properties.
fn plain(i: u32, partitions: u32) -> Row {
    let cells = vec![
        (0, Cell::Text(text(i, 12))),
        (1, Cell::Number(mix(i, 1) as i32)),
        (2, Cell::Text(text(i ^ 0x5555, 24))),
        (3, Cell::Number(mix(i, 2) as i32)),
    ];
    row(i, partitions, cells)
}

fn row(i: u32, partitions: u32, cells: Vec<(u16, Cell)>) -> Row {
    Row { partition_key: format!("p{:07}", i % partitions), row_key: format!("r{i:08}"), cells }
}

/// Six properties of 40, which the shape's number chooses.
fn sparse(i: u32, shape: u32) -> Vec<(u16, Cell)> {
    let mut numbers: Vec<u16> = Vec::new();
    for salt in 0.. {
        let number = (mix(shape, salt) % 40) as u16;
        if !numbers.contains(&number) {
            numbers.push(number);
        }
        if numbers.len() == 6 {
            break;
        }
    }
    numbers.into_iter().map(|number| (number, Cell::Number(mix(i, number.into()) as i32))).collect()
}
