//! A filter made smaller before it is planned: constants, double negations, what is said twice, and what no entity
//! can answer. It still asks the same.

use crate::filter::ast::{CompareOp, Expr, Property};
use crate::filter::eval;
use crate::limits::Mode;
use crate::model::{EdmType, Value, compare};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

/// The filter without what decides nothing.
pub(super) fn fold(filter: &Expr, mode: Mode) -> Expr {
    match filter {
        Expr::And(parts) => join(parts, true, mode),
        Expr::Or(parts) => join(parts, false, mode),
        Expr::Not(inner) => match fold(inner, mode) {
            Expr::Constant(constant) => Expr::Constant(!constant),
            Expr::Not(inner) => *inner,
            inner => Expr::Not(Box::new(inner)),
        },
        // NaN is unequal to everything, and in no order to anything (S7.5.5).
        Expr::Compare { op, value: Value::Double(number), .. } if number.is_nan() && *op != CompareOp::Ne => {
            Expr::Constant(false)
        }
        leaf => leaf.clone(),
    }
}

/// The members of an `and`, or of an `or`: `neutral` is the constant that decides nothing there, its opposite the one
/// that decides all.
fn join(parts: &[Expr], neutral: bool, mode: Mode) -> Expr {
    let mut kept = Vec::with_capacity(parts.len());
    for part in parts {
        match (fold(part, mode), neutral) {
            (Expr::Constant(constant), _) if constant == neutral => {}
            (Expr::Constant(constant), _) => return Expr::Constant(constant),
            (Expr::And(inner), true) | (Expr::Or(inner), false) => kept.extend(inner),
            (part, _) => kept.push(part),
        }
    }
    let is_decided = !only_once(&mut kept) || (neutral && is_impossible(&kept, mode));
    match (is_decided, neutral) {
        (true, _) => Expr::Constant(!neutral),
        (false, true) => Expr::and(kept),
        (false, false) => Expr::or(kept),
    }
}

/// Up to this many terms are compared with each other; more are told apart by their text.
const FEW: usize = 16;

/// Leaves out what comes twice; false if a term and its opposite are both there. Logic is two-valued (S7.3.2), so one
/// of the two always holds.
fn only_once(parts: &mut Vec<Expr>) -> bool {
    if parts.len() <= FEW {
        let mut at = 0;
        while let Some((part, before)) = parts.get(at).map(|part| (part, &parts[..at])) {
            if before.contains(part) {
                parts.remove(at);
                continue;
            }
            if before.iter().any(|other| are_opposite(part, other)) {
                return false;
            }
            at += 1;
        }
        return true;
    }
    let mut seen = HashSet::with_capacity(parts.len());
    parts.retain(|part| seen.insert(part.to_string()));
    !parts.iter().any(|part| matches!(part, Expr::Not(inner) if seen.contains(&inner.to_string())))
}

fn are_opposite(a: &Expr, b: &Expr) -> bool {
    matches!(a, Expr::Not(inner) if **inner == *b) || matches!(b, Expr::Not(inner) if **inner == *a)
}

/// Whether no value of some property can pass all the terms of an `and`.
fn is_impossible(parts: &[Expr], mode: Mode) -> bool {
    if parts.len() < 2 {
        return false;
    }
    let mut values: BTreeMap<&str, Values<'_>> = BTreeMap::new();
    parts.iter().any(|part| {
        let Some(property) = part.property() else { return false };
        // Keys are the ranges' matter.
        if matches!(property, Property::PartitionKey | Property::RowKey) {
            return false;
        }
        let values = values.entry(property.name()).or_default();
        values.narrow(part, mode);
        values.is_empty()
    })
}

/// What a property's value can be, given some terms that hold.
struct Values<'q> {
    /// By the number of the type less one.
    types: [bool; EdmType::ALL.len()],
    is_missing: bool,
    is_there: bool,
    from: Option<Bound<'q>>,
    to: Option<Bound<'q>>,
}

#[derive(Clone, Copy)]
struct Bound<'q> {
    value: &'q Value,
    is_included: bool,
}

impl Default for Values<'_> {
    fn default() -> Self {
        Values { types: [true; EdmType::ALL.len()], is_missing: false, is_there: false, from: None, to: None }
    }
}

impl<'q> Values<'q> {
    /// Leaves what a leaf holds for.
    fn narrow(&mut self, leaf: &'q Expr, mode: Mode) {
        if matches!(leaf, Expr::IsNull(_)) {
            self.is_missing = true;
            return;
        }
        self.is_there = true;
        for (is_possible, edm_type) in self.types.iter_mut().zip(EdmType::ALL) {
            *is_possible &= eval::can_answer(leaf, edm_type, mode);
        }
        let Expr::Compare { op, value, .. } = leaf else { return };
        let bound = |is_included| Some(Bound { value, is_included });
        let (from, to) = match op {
            CompareOp::Eq => (bound(true), bound(true)),
            CompareOp::Ne => (None, None),
            CompareOp::Gt => (bound(false), None),
            CompareOp::Ge => (bound(true), None),
            CompareOp::Lt => (None, bound(false)),
            CompareOp::Le => (None, bound(true)),
        };
        self.from = tighter(self.from, from, Ordering::Greater);
        self.to = tighter(self.to, to, Ordering::Less);
    }

    fn is_empty(&self) -> bool {
        if self.is_missing && self.is_there || !self.types.contains(&true) {
            return true;
        }
        let (Some(from), Some(to)) = (self.from, self.to) else { return false };
        match compare::values(from.value.as_ref(), to.value.as_ref()) {
            Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => !(from.is_included && to.is_included),
            // Values in no order have types in common with none: seen above, if it matters.
            Some(Ordering::Less) | None => false,
        }
    }
}

/// The bound that leaves less: the one that lies `further`, or of two equal ones the excluded one.
fn tighter<'q>(known: Option<Bound<'q>>, new: Option<Bound<'q>>, further: Ordering) -> Option<Bound<'q>> {
    let (Some(a), Some(b)) = (known, new) else { return known.or(new) };
    Some(match compare::values(b.value.as_ref(), a.value.as_ref()) {
        Some(Ordering::Equal) => Bound { value: a.value, is_included: a.is_included && b.is_included },
        Some(order) if order == further => b,
        _ => a,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::{Parameters, parse};

    fn folded(text: &str, mode: Mode) -> String {
        fold(&parse(text, &Parameters::new(), mode).unwrap(), mode).to_string()
    }

    #[test]
    fn filters_fold_to_what_decides() {
        for (text, expected) in [
            ("true and A eq 1", "A eq 1"),
            ("A eq 1 and false", "false"),
            ("A eq 1 or true", "true"),
            ("false or A eq 1", "A eq 1"),
            ("not true or A eq 1", "A eq 1"),
            ("not (not (A eq 1))", "A eq 1"),
            ("not not not A eq 1", "not (A eq 1)"),
            ("A eq 1 and A eq 1", "A eq 1"),
            ("A eq 1 or B eq 2 or A eq 1", "A eq 1 or B eq 2"),
            ("A eq 1 and (B eq 2 and A eq 1)", "A eq 1 and B eq 2"),
            ("A eq 1 and (true and (B eq 2 or false))", "A eq 1 and B eq 2"),
            ("A eq 1 and not (A eq 1)", "false"),
            ("A eq 1 or not (A eq 1)", "true"),
            ("A eq null and A ne null", "false"),
            ("A eq null and A ne 5", "false"),
            ("A ne null and A ne 5", "A ne null and A ne 5"),
            ("A eq NaN", "false"),
            ("A ne NaN", "A ne NaN"),
            ("A lt NaN or B eq 1", "B eq 1"),
            ("A gt 5 and A lt 3", "false"),
            ("A gt 3 and A lt 5", "A gt 3 and A lt 5"),
            ("A ge 5 and A le 5", "A ge 5 and A le 5"),
            ("A ge 5 and A lt 5", "false"),
            ("A eq 5 and A eq 5.0", "A eq 5 and A eq 5.0"),
            ("A eq 5 and A eq 6.0", "false"),
            ("A eq 5 and A eq '5'", "false"),
            ("A eq 5 and startswith(A, '5')", "false"),
            ("A eq 5 and A in ('5', true)", "false"),
            ("A eq 5 and A in ('5', 5)", "A eq 5 and A in ('5', 5)"),
            ("A eq 5 and not (A eq '5')", "A eq 5 and not (A eq '5')"),
            ("A eq 5 or A eq '5'", "A eq 5 or A eq '5'"),
            ("A gt 'b' and a lt 'a'", "A gt 'b' and a lt 'a'"),
            ("B eq 1 or (A gt 5 and A lt 3)", "B eq 1"),
            ("not (A gt 5 and A lt 3)", "true"),
            ("Timestamp gt datetime'2020-01-01T00:00:00Z' and Timestamp lt datetime'2019-01-01T00:00:00Z'", "false"),
        ] {
            assert_eq!(folded(text, Mode::Portable), expected, "{text}");
        }
    }

    #[test]
    fn what_is_impossible_depends_on_the_mode() {
        for (text, strict, portable) in [
            ("A eq 5L and A eq 5.0", "false", "A eq 5L and A eq 5.0"),
            ("A eq 5 and A eq 5L", "A eq 5 and A eq 5L", "A eq 5 and A eq 5L"),
            ("A eq 5 and A gt 5L", "false", "false"),
        ] {
            assert_eq!((&*folded(text, Mode::Strict), &*folded(text, Mode::Portable)), (strict, portable), "{text}");
        }
    }

    #[test]
    fn long_lists_are_told_apart_by_their_text() {
        let terms = |count: usize, word: &str| {
            (0..2 * count).map(|n| format!("A eq {}", n % count)).collect::<Vec<_>>().join(word)
        };
        let once = (0..40).map(|n| format!("A eq {n}")).collect::<Vec<_>>().join(" or ");
        assert_eq!(folded(&terms(40, " or "), Mode::Portable), once);
        assert_eq!(folded(&format!("{once} or not (A eq 39)"), Mode::Portable), "true");
    }
}
