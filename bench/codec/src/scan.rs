//! A term on a number, over all rows by cursor.

use crate::codec::row::{Row, SELF_DESCRIBING, Spans, shape_of};
use crate::codec::shape::{Shape, Shapes};
use crate::data::Term;
use crate::model::span::Span;
use crate::pages::Lmdb;
use crate::{ValueRef, measure};
use std::cmp::Ordering;
use std::hint::black_box;

/// Nanoseconds a row: the bare walk; the term by compiled slots, by whole rows, and on self-describing rows.
pub(crate) fn scan(shaped: &Lmdb, describing: &Lmdb, shapes: &Shapes, term: Term, rows: usize) -> [f64; 4] {
    let mut found = [0; 3];
    let [by_place, by_row, by_walk] = &mut found;
    let result = measure(
        rows,
        [
            &mut || {
                each(shaped, |_, row| _ = black_box(row.len()));
            },
            &mut || *by_place = places(shaped, shapes, term),
            &mut || *by_row = whole(shaped, shapes, term),
            &mut || *by_walk = walk(describing, term),
        ],
    );
    assert!(found[0] > 0 && found[0] == found[1] && found[0] == found[2], "{found:?}");
    result
}

fn each(file: &Lmdb, mut job: impl FnMut(&[u8], &[u8])) {
    let txn = file.env.read_txn().expect("a transaction");
    for entry in file.rows.iter(&txn).expect("a cursor") {
        let (key, row) = entry.expect("a row");
        job(black_box(key), row);
    }
}

fn is_above(value: ValueRef<'_>, bound: f64) -> bool {
    match value {
        ValueRef::Int32(value) => f64::from(value) > bound,
        ValueRef::Int64(value) => value as f64 > bound,
        ValueRef::Double(value) => value > bound,
        _ => false,
    }
}

/// The term for rows of a shape, as a filter compiles it; `None` if no slot holds numbers of this name.
fn compile(shape: &Shape, (name, bound): Term) -> Option<Spans> {
    let slots = shape.name(name)?.slots();
    let above = |order| order == Some(Ordering::Greater);
    Spans::new(
        shape,
        slots.filter_map(|slot| {
            let edm_type = shape.slots().get(usize::from(slot))?.edm_type;
            Some((slot, Span::new(edm_type, ValueRef::Double(bound), above)?))
        }),
    )
}

/// By compiled slots; a row's frame is looked at only if the row is a hit.
#[inline(never)]
fn places(file: &Lmdb, shapes: &Shapes, term: Term) -> usize {
    let compiled: Vec<Option<Spans>> =
        (0..shapes.len() as u16).filter_map(|id| shapes.get(id)).map(|shape| compile(shape, term)).collect();
    let mut found = 0;
    each(file, |key, row| {
        let id = usize::from(shape_of(key, row).expect("a row"));
        if compiled[id].as_ref().is_some_and(|spans| spans.holds(row).expect("a value") == Some(true)) {
            found += usize::from(Row::new(key, row, shapes).is_ok());
        }
    });
    found
}

/// With every row's frame looked at first, and the name looked up in its shape.
fn whole(file: &Lmdb, shapes: &Shapes, (name, bound): Term) -> usize {
    let mut found = 0;
    each(file, |key, bytes| {
        let row = Row::new(key, bytes, shapes).expect("a row");
        let hit = row.get(name).expect("a value");
        found += usize::from(hit.is_some_and(|value| is_above(value, bound)));
    });
    found
}

/// On self-describing rows, by a walk that stops at the name and checks nothing.
fn walk(file: &Lmdb, (name, bound): Term) -> usize {
    let mut found = 0;
    each(file, |_, row| {
        assert_eq!(row[..2], SELF_DESCRIBING.to_le_bytes());
        let mut at = 14;
        for _ in 0..u16::from_le_bytes([row[12], row[13]]) {
            let name_bytes = usize::from(u16::from_le_bytes([row[at], row[at + 1]]));
            let known = &row[at + 2..at + 2 + name_bytes];
            let edm_type = row[at + 2 + name_bytes];
            let value = &row[at + 3 + name_bytes..];
            if known == name.as_bytes() {
                let value = match edm_type {
                    1 => ValueRef::Int32(i32::from_le_bytes(*value.first_chunk().expect("four bytes"))),
                    2 => ValueRef::Int64(i64::from_le_bytes(*value.first_chunk().expect("eight bytes"))),
                    3 => ValueRef::Double(f64::from_le_bytes(*value.first_chunk().expect("eight bytes"))),
                    _ => ValueRef::Boolean(false),
                };
                found += usize::from(is_above(value, bound));
                return;
            }
            at += 3
                + name_bytes
                + match edm_type {
                    1 => 4,
                    2..=4 => 8,
                    5 => 16,
                    6 => 1,
                    _ => 4 + u32::from_le_bytes(*value.first_chunk().expect("four bytes")) as usize,
                };
        }
    });
    found
}
