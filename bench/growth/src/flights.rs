//! Real rows: three million flights, of the package `vega-datasets`.

use crate::rows::{Cell, Row};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, RowAccessor};
use std::fs::File;
use std::path::Path;

/// The first flights of the file, in its order. The partition is the airport of origin, of which there are some 300; the
/// row key is the time of departure, then the line's number, as flights may leave together.
pub(crate) fn read(path: &Path, most: usize) -> Vec<Row> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}; `make data` installs it", path.display()));
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    let columns = reader.metadata().file_metadata().schema_descr();
    let column = |name: &str| {
        let found = columns.columns().iter().position(|column| column.name() == name);
        found.unwrap_or_else(|| panic!("{} has no column {name}", path.display()))
    };
    let [date, delay, distance, origin, destination] =
        ["date", "delay", "distance", "origin", "destination"].map(column);
    let lines = reader.get_row_iter(None).expect("rows").take(most).enumerate();
    lines
        .map(|(number, line)| {
            let line = line.expect("a row");
            let fields: Vec<&Field> = line.get_column_iter().map(|(_, field)| field).collect();
            let whole = |at: usize| match fields[at] {
                Field::Short(number) => i32::from(*number),
                Field::Int(number) => *number,
                Field::Long(number) => i32::try_from(*number).expect("a small number"),
                Field::Double(number) => *number as i32,
                other => panic!("a number, not {other}"),
            };
            let text = |at: usize| line.get_string(at).expect("a text").clone();
            Row {
                partition_key: text(origin),
                row_key: format!("{}-{number:07}", fields[date].to_string().replace([' ', ':', '-', '+'], "")),
                cells: vec![
                    (0, Cell::Text(text(destination))),
                    (1, Cell::Number(whole(delay))),
                    (2, Cell::Number(whole(distance))),
                ],
            }
        })
        .collect()
}
