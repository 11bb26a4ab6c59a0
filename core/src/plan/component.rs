//! What a filter tells of one component of an index's entries: sets of components, as cuts between their bytes.

use super::keyset::{Cut, Interval, Intervals};
use crate::codec::key::{next_prefix, unmap};
use crate::codec::order;
use crate::filter::ast::{CompareOp, Expr, Property};
use crate::limits::Mode;
use crate::model::fold::fold_case;
use crate::model::{EdmType, Value, ValueRef};
use std::fmt::Write;

/// Rows that match have a component in `most`, and every row with one in `least` matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) most: Intervals,
    least: Intervals,
}

/// The property that a component is of, and how it is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Component<'a> {
    pub(super) property: &'a str,
    /// Strings are kept folded.
    pub(super) is_folded: bool,
}

impl Known {
    fn exactly(set: Intervals) -> Known {
        Known { least: set.clone(), most: set }
    }

    fn at_most(set: Intervals) -> Known {
        Known { most: set, least: Intervals::none() }
    }

    fn nothing() -> Known {
        Known::at_most(Intervals::all())
    }

    /// Whether the component alone decides.
    pub(super) fn is_exact(&self) -> bool {
        self.most == self.least
    }

    /// What the filter tells of the component.
    pub(super) fn of(filter: &Expr, component: Component<'_>, mode: Mode) -> Known {
        match filter {
            Expr::And(parts) => joined(parts, component, mode, Intervals::intersection),
            Expr::Or(parts) => joined(parts, component, mode, Intervals::union),
            Expr::Not(inner) => {
                let inner = Known::of(inner, component, mode);
                Known { most: inner.least.complement(), least: inner.most.complement() }
            }
            Expr::Constant(true) => Known::exactly(Intervals::all()),
            Expr::Constant(false) => Known::exactly(Intervals::none()),
            leaf => match leaf.property() {
                Some(property) if property.name() == component.property => of_leaf(leaf, component, mode),
                _ => Known::nothing(),
            },
        }
    }
}

fn joined(
    parts: &[Expr],
    component: Component<'_>,
    mode: Mode,
    with: fn(&Intervals, &Intervals) -> Intervals,
) -> Known {
    let parts = parts.iter().map(|part| Known::of(part, component, mode)).collect();
    reduce(parts, with).unwrap_or_else(Known::nothing)
}

/// Joins neighbours until one is left: many points are joined in n log n steps.
fn reduce(mut parts: Vec<Known>, with: fn(&Intervals, &Intervals) -> Intervals) -> Option<Known> {
    while parts.len() > 1 {
        parts = parts
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => Known { most: with(&a.most, &b.most), least: with(&a.least, &b.least) },
                rest => rest[0].clone(),
            })
            .collect();
    }
    parts.pop()
}

fn of_leaf(leaf: &Expr, component: Component<'_>, mode: Mode) -> Known {
    let is_folded = component.is_folded;
    match leaf {
        Expr::Compare { op, value: Value::String(text), .. } if is_folded => match op {
            // The component is the same for texts that differ in case.
            CompareOp::Eq => Known::at_most(compared(*op, ValueRef::String(&fold_case(text)), mode).most),
            _ => Known::at_most(strings()),
        },
        Expr::Compare { op, value, .. } => compared(*op, value.as_ref(), mode),
        Expr::IsTrue(_) => compared(CompareOp::Eq, ValueRef::Boolean(true), mode),
        Expr::IsNull(Property::Custom(_)) => Known::exactly(point(vec![order::MISSING])),
        Expr::IsNull(_) => Known::exactly(Intervals::none()),
        Expr::StartsWith { text, folded, .. } => match (is_folded, folded) {
            (true, true) | (false, false) => beginning_with(text),
            (true, false) => Known::at_most(beginning_with(&fold_case(text)).most),
            (false, true) => Known::at_most(strings()),
        },
        Expr::EndsWith { .. } | Expr::Contains { .. } => Known::at_most(strings()),
        Expr::In { property, values } => {
            let equal = |value: &Value| {
                let (property, op) = (property.clone(), CompareOp::Eq);
                of_leaf(&Expr::Compare { property, op, value: value.clone() }, component, mode)
            };
            any(values.iter().map(equal).collect())
        }
        Expr::FoldedCompare { op, text, .. } if is_folded => compared(*op, ValueRef::String(text), mode),
        Expr::FoldedIn { texts, .. } if is_folded => {
            any(texts.iter().map(|text| compared(CompareOp::Eq, ValueRef::String(text), mode)).collect())
        }
        Expr::FoldedCompare { .. } | Expr::FoldedIn { .. } => Known::at_most(strings()),
        Expr::And(_) | Expr::Or(_) | Expr::Not(_) | Expr::Constant(_) => Known::nothing(),
    }
}

fn any(parts: Vec<Known>) -> Known {
    reduce(parts, Intervals::union).unwrap_or_else(|| Known::exactly(Intervals::none()))
}

fn point(component: Vec<u8>) -> Intervals {
    Intervals::between(Cut::before(component.clone()), Cut::after(component))
}

/// The cuts around all components of a type.
fn edges(edm_type: EdmType) -> (Cut, Cut) {
    let tag = order::tag(edm_type);
    (Cut::before(vec![tag]), Cut::before(vec![tag + 1]))
}

fn strings() -> Intervals {
    let (bottom, top) = edges(EdmType::String);
    Intervals::between(bottom, top)
}

/// The components of the values for which `value op constant` holds (S7.5).
fn compared(op: CompareOp, constant: ValueRef<'_>, mode: Mode) -> Known {
    let (bottom, mut top) = edges(constant.edm_type());
    let all = Intervals::between(bottom.clone(), top.clone());
    let mut component = Vec::new();
    let is_cut = order::push_component(&mut component, Some(constant));
    if order::is_nan(&component) {
        // Unequal to every number, and in no order.
        let known = if op == CompareOp::Ne { Known::exactly(all) } else { Known::exactly(Intervals::none()) };
        return narrowed(known, constant, mode);
    }
    if constant.edm_type().is_number() && op != CompareOp::Ne {
        let mut nan = Vec::new();
        order::push_nan(&mut nan);
        top = Cut::before(nan);
    }
    let (before, after) = (Cut::before(component.clone()), Cut::after(component.clone()));
    // What is cut off tells whether a value with the same component lies before the constant, at it or behind it.
    let (near, far) = if is_cut { (after.clone(), before.clone()) } else { (before.clone(), after.clone()) };
    let known = match op {
        CompareOp::Eq if is_cut => Known::at_most(point(component)),
        CompareOp::Eq => Known::exactly(point(component)),
        CompareOp::Ne if is_cut => Known { least: all.intersection(&point(component).complement()), most: all },
        CompareOp::Ne => Known::exactly(all.intersection(&point(component).complement())),
        CompareOp::Lt | CompareOp::Le if is_cut => {
            Known { most: Intervals::between(bottom.clone(), near), least: Intervals::between(bottom, far) }
        }
        CompareOp::Gt | CompareOp::Ge if is_cut => {
            Known { most: Intervals::between(far, top.clone()), least: Intervals::between(near, top) }
        }
        CompareOp::Lt => Known::exactly(Intervals::between(bottom, before)),
        CompareOp::Le => Known::exactly(Intervals::between(bottom, after)),
        CompareOp::Gt => Known::exactly(Intervals::between(after, top)),
        CompareOp::Ge => Known::exactly(Intervals::between(before, top)),
    };
    narrowed(known, constant, mode)
}

/// In strict mode only an Int32 constant is compared with every number (S7.4.1), and components have lost the type.
fn narrowed(known: Known, constant: ValueRef<'_>, mode: Mode) -> Known {
    let has_one_type = mode == Mode::Strict && constant.edm_type().is_number() && constant.edm_type() != EdmType::Int32;
    if has_one_type { Known::at_most(known.most) } else { known }
}

fn beginning_with(text: &str) -> Known {
    let mut prefix = Vec::new();
    let is_cut = order::push_string_prefix(&mut prefix, text);
    let end = next_prefix(prefix.clone()).map_or(Cut::Top, Cut::before);
    let set = Intervals::between(Cut::before(prefix), end);
    if is_cut { Known::at_most(set) } else { Known::exactly(set) }
}

/// An interval of components in words, for `explain`.
pub(super) fn describe(name: &str, interval: &Interval) -> String {
    if let Some(component) = interval.point() {
        return format!("{name} = {}", text(component));
    }
    let mut words = String::new();
    // A cut before a tag alone is the edge of a type.
    let value = |cut: &Cut| match cut {
        Cut::At(component, after) if component.len() > 1 => Some((text(component), *after)),
        Cut::At(..) | Cut::Top => None,
    };
    if let Some((from, after)) = value(&interval.from) {
        let _ = write!(words, "{from} {} ", if after { "<" } else { "<=" });
    }
    words.push_str(name);
    if let Some((to, after)) = value(&interval.to) {
        let _ = write!(words, " {} {to}", if after { "<=" } else { "<" });
    }
    words
}

/// A component, or the start of a String's, in words.
fn text(component: &[u8]) -> String {
    let number = |bits: [u8; 8]| {
        let sortable = u64::from_be_bytes(bits);
        f64::from_bits(if sortable >> 63 == 0 { !sortable } else { sortable ^ 1 << 63 })
    };
    match component {
        [order::MISSING] => "null".into(),
        [order::BOOLEAN, value] => (*value != 0).to_string(),
        [order::NUMBER, value @ ..] => match value.split_first_chunk::<8>() {
            Some((bits, [])) => number(*bits).to_string(),
            Some((bits, [high, low])) => {
                format!("{}", number(*bits) as i128 + i128::from(u16::from_be_bytes([*high, *low])))
            }
            _ => format!("{value:02x?}"),
        },
        [order::STRING, value @ ..] => {
            let (value, is_whole) = match value {
                [value @ .., 0, 0] => (value, true),
                [value @ .., 0, 1] => (value, false),
                value => (value, false),
            };
            let words = unmap(value).map_or_else(|_| format!("{value:02x?}"), |text| format!("'{text}'"));
            if is_whole { words } else { words + "…" }
        }
        [_, value @ ..] => value.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}")),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests;
