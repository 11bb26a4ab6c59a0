//! Filters on rows as they lie in the file: a program for each shape, which reads what it compares and no more.
//!
//! `filter::eval` says what a filter means; this answers alike, sooner.

use crate::Result;
use crate::codec::key;
use crate::codec::row::{Place, Row, SELF_DESCRIBING, Spans, hash, shape_of, ticks_of};
use crate::codec::shape::{Name, Shape, Shapes};
use crate::filter::ast::{CompareOp, Expr, Property};
use crate::filter::eval;
use crate::limits::Mode;
use crate::model::span::Span;
use crate::model::{EdmType, Value};
use crate::plan::row_matches;
use crate::{DateTime, Error, ValueRef};

/// A filter, with the programs for the shapes that it has met.
#[derive(Debug)]
pub(super) struct Probe<'q> {
    filter: &'q Expr,
    mode: Mode,
    /// By shape id; made when the first row of the shape comes.
    programs: Vec<Option<Test<'q>>>,
}

/// A step of a program.
#[derive(Debug)]
enum Test<'q> {
    All(Vec<Test<'q>>),
    Any(Vec<Test<'q>>),
    Not(Box<Test<'q>>),
    Constant(bool),
    /// The slot holds this text: told mostly by the hash byte alone. With `false`: it holds another text.
    Text {
        /// Boxed: the other steps are small.
        place: Box<Place>,
        hash: u8,
        text: &'q [u8],
        is: bool,
    },
    /// A comparison with values of fixed length, such as numbers of any type.
    Spans(Box<Spans>),
    /// A leaf on the value of one slot, if the slot is filled. What the value's type cannot answer is left out.
    Slots {
        places: Vec<Place>,
        leaf: &'q Expr,
        if_missing: bool,
    },
    /// A leaf on a key or the Timestamp.
    System {
        property: &'q Property,
        leaf: &'q Expr,
    },
}

impl<'q> Probe<'q> {
    pub(super) fn new(filter: &'q Expr, mode: Mode) -> Probe<'q> {
        Probe { filter, mode, programs: Vec::new() }
    }

    /// Whether the row is one that the filter asks for.
    ///
    /// # Errors
    /// `Damaged` for what was read, `NewerFormat` for a flag of a later version; a row that passes is still to be looked at by [`Row::new`].
    pub(super) fn matches(&mut self, key: &[u8], bytes: &[u8], shapes: &Shapes) -> Result<bool> {
        let id = shape_of(key, bytes)?;
        if id == SELF_DESCRIBING {
            return row_matches(self.filter, key, &Row::new(key, bytes, shapes)?, self.mode);
        }
        let at = usize::from(id);
        if self.programs.get(at).is_none_or(Option::is_none) {
            let shape = shapes.get(id).ok_or_else(|| Error::damaged("A row has a shape that its table lacks."))?;
            self.programs.resize_with(self.programs.len().max(at + 1), || None);
            self.programs[at] = Some(compile(self.filter, shape, self.mode));
        }
        match &self.programs[at] {
            Some(test) => test.holds(key, bytes, self.mode),
            None => Ok(false),
        }
    }
}

fn compile<'q>(filter: &'q Expr, shape: &Shape, mode: Mode) -> Test<'q> {
    match filter {
        Expr::And(parts) => Test::All(sorted(parts, shape, mode)),
        Expr::Or(parts) => Test::Any(sorted(parts, shape, mode)),
        Expr::Not(inner) => match compile(inner, shape, mode) {
            Test::Constant(constant) => Test::Constant(!constant),
            test => Test::Not(Box::new(test)),
        },
        Expr::Constant(constant) => Test::Constant(*constant),
        leaf => match leaf.property() {
            Some(Property::Custom(name)) => compile_leaf(leaf, name, shape, mode),
            Some(property) => Test::System { property, leaf },
            None => Test::Constant(false),
        },
    }
}

/// Cheap terms first: they decide most rows. No term has an effect, so their order does not matter otherwise.
fn sorted<'q>(parts: &'q [Expr], shape: &Shape, mode: Mode) -> Vec<Test<'q>> {
    let mut tests: Vec<_> = parts.iter().map(|part| compile(part, shape, mode)).collect();
    tests.sort_by_key(Test::cost);
    tests
}

fn compile_leaf<'q>(leaf: &'q Expr, name: &str, shape: &Shape, mode: Mode) -> Test<'q> {
    let if_missing = eval::leaf_holds(leaf, None, mode);
    let Some(known) = shape.name(name) else { return Test::Constant(if_missing) };
    if let Expr::Compare { op, value, .. } = leaf
        && let Some(spans) = compile_spans(*op, value, known, shape, mode)
    {
        return spans;
    }
    let places = known.slots().filter_map(|slot| Place::new(shape, slot));
    // A value of a type that cannot answer is as good as none, but to the question whether there is one.
    let mut places: Vec<Place> = match leaf {
        Expr::IsNull(_) => places.collect(),
        _ => places.filter(|place| eval::can_answer(leaf, place.edm_type(), mode)).collect(),
    };
    if places.is_empty() {
        return Test::Constant(if_missing);
    }
    if let Expr::Compare { op: op @ (CompareOp::Eq | CompareOp::Ne), value: Value::String(text), .. } = leaf
        && let Some(place) = places.pop_if(|place| place.edm_type() == EdmType::String)
    {
        return Test::Text {
            place: Box::new(place),
            hash: hash::byte(text.as_bytes()),
            text: text.as_bytes(),
            is: *op == CompareOp::Eq,
        };
    }
    Test::Slots { places, leaf, if_missing }
}

/// A comparison as spans, if it is one with values of fixed length. Without such a value it does not hold.
fn compile_spans<'q>(op: CompareOp, constant: &Value, name: &Name, shape: &Shape, mode: Mode) -> Option<Test<'q>> {
    let edm_type = |slot: u16| shape.slots().get(usize::from(slot)).map(|slot| slot.edm_type);
    let comparable = name.slots().filter_map(|slot| Some((slot, edm_type(slot)?)));
    let asked = comparable
        .filter(|(_, edm_type)| eval::comparable(*edm_type, constant.edm_type(), mode))
        .map(|(slot, edm_type)| {
            let span = Span::new(edm_type, constant.as_ref(), |order| eval::accepts(op, order));
            span.map(|span| (slot, span))
        })
        .collect::<Option<Vec<_>>>()?;
    Spans::new(shape, asked.into_iter()).map(|spans| Test::Spans(Box::new(spans)))
}

impl Test<'_> {
    /// About how long the test takes, in no unit.
    fn cost(&self) -> u32 {
        match self {
            Test::Constant(_) => 0,
            // One byte tells most rows.
            Test::Text { .. } => 1,
            Test::Spans(_) => 2,
            Test::Slots { places, .. } => match places[0].edm_type() {
                EdmType::String | EdmType::Binary => 8,
                _ => 1 + places.len() as u32,
            },
            Test::System { property: Property::Timestamp, .. } => 1,
            Test::System { .. } => 12,
            Test::Not(inner) => inner.cost(),
            Test::All(tests) | Test::Any(tests) => tests.iter().map(Test::cost).sum(),
        }
    }

    fn holds(&self, key: &[u8], row: &[u8], mode: Mode) -> Result<bool> {
        match self {
            Test::All(tests) => {
                for test in tests {
                    if !test.holds(key, row, mode)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Test::Any(tests) => {
                for test in tests {
                    if test.holds(key, row, mode)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Test::Not(inner) => Ok(!inner.holds(key, row, mode)?),
            Test::Constant(constant) => Ok(*constant),
            Test::Text { place, hash, text, is } => Ok(match place.hash(row)? {
                None => false,
                Some(other) if other != *hash => !is,
                Some(_) => place.bytes(row)?.is_some_and(|bytes| (bytes == *text) == *is),
            }),
            Test::Spans(spans) => Ok(spans.holds(row)?.unwrap_or(false)),
            Test::Slots { places, leaf, if_missing } => {
                for place in places {
                    if let Some(value) = place.value(row)? {
                        return Ok(eval::leaf_holds(leaf, Some(value), mode));
                    }
                }
                Ok(*if_missing)
            }
            Test::System { property, leaf } => system(property, leaf, key, row, mode),
        }
    }
}

fn system(property: &Property, leaf: &Expr, key: &[u8], row: &[u8], mode: Mode) -> Result<bool> {
    let text = match property {
        Property::PartitionKey => key::unmap(key::split_row_key(key)?.partition_key)?,
        Property::RowKey => key::unmap(key::split_row_key(key)?.row_key)?,
        Property::Timestamp => {
            let timestamp = DateTime::from_ticks(ticks_of(row)?)
                .map_err(|_| Error::damaged("A row's Timestamp lies outside the years 1 to 9999."))?;
            return Ok(eval::leaf_holds(leaf, Some(ValueRef::DateTime(timestamp)), mode));
        }
        Property::Custom(_) => return Ok(false),
    };
    Ok(eval::leaf_holds(leaf, Some(ValueRef::String(&text)), mode))
}

#[cfg(test)]
mod tests;
