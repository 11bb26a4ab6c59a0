//! The plain evaluator: what a filter means. Whatever answers a query faster must answer as this does.

use super::ast::{CompareOp, Expr, Property};
use crate::limits::Mode;
use crate::model::{DateTime, EdmType, ValueRef, compare, fold};
use std::cmp::Ordering;

/// What a filter can ask of an entity.
pub(crate) trait Properties {
    fn partition_key(&self) -> &str;
    fn row_key(&self) -> &str;
    fn timestamp(&self) -> DateTime;
    /// The value of a custom property; `None` if the entity does not have it.
    fn property(&self, name: &str) -> Option<ValueRef<'_>>;
}

/// Whether the entity is one that the filter asks for. Two-valued: there is no third answer for what is missing
/// (S7.3.2).
pub(crate) fn matches(expr: &Expr, entity: &impl Properties, mode: Mode) -> bool {
    match expr {
        Expr::And(parts) => parts.iter().all(|part| matches(part, entity, mode)),
        Expr::Or(parts) => parts.iter().any(|part| matches(part, entity, mode)),
        Expr::Not(inner) => !matches(inner, entity, mode),
        leaf => leaf_matches(leaf, entity, mode),
    }
}

/// A function of its own, so that the recursion through a deep tree takes little stack.
#[inline(never)]
fn leaf_matches(leaf: &Expr, entity: &impl Properties, mode: Mode) -> bool {
    leaf_holds(leaf, leaf.property().and_then(|property| value(entity, property)), mode)
}

/// Whether a leaf of the tree holds for the value of its property; `None` if the entity does not have it.
pub(crate) fn leaf_holds(leaf: &Expr, value: Option<ValueRef<'_>>, mode: Mode) -> bool {
    let text = |folded, test: &dyn Fn(&str) -> bool| match value {
        Some(ValueRef::String(text)) if folded => test(&fold::fold_case(text)),
        Some(ValueRef::String(text)) => test(text),
        _ => false,
    };
    match leaf {
        // No leaves: `matches` takes them apart.
        Expr::And(_) | Expr::Or(_) | Expr::Not(_) => false,
        Expr::Constant(constant) => *constant,
        Expr::Compare { op, value: constant, .. } => {
            value.is_some_and(|value| holds(value, *op, constant.as_ref(), mode))
        }
        Expr::IsTrue(_) => matches!(value, Some(ValueRef::Boolean(true))),
        Expr::IsNull(_) => value.is_none(),
        Expr::StartsWith { text: start, folded, .. } => text(*folded, &|t| t.starts_with(&**start)),
        Expr::EndsWith { text: end, folded, .. } => text(*folded, &|t| t.ends_with(&**end)),
        Expr::Contains { text: part, folded, .. } => text(*folded, &|t| t.contains(&**part)),
        Expr::In { values, .. } => value
            .is_some_and(|value| values.iter().any(|constant| holds(value, CompareOp::Eq, constant.as_ref(), mode))),
        Expr::FoldedCompare { op, text: constant, .. } => text(true, &|t| op.holds(compare::text(t, constant))),
        Expr::FoldedIn { texts, .. } => text(true, &|t| texts.iter().any(|constant| constant == t)),
    }
}

fn value<'a>(entity: &'a impl Properties, property: &Property) -> Option<ValueRef<'a>> {
    match property {
        Property::PartitionKey => Some(ValueRef::String(entity.partition_key())),
        Property::RowKey => Some(ValueRef::String(entity.row_key())),
        Property::Timestamp => Some(ValueRef::DateTime(entity.timestamp())),
        Property::Custom(name) => entity.property(name),
    }
}

/// Whether `value op constant`, for a value that is there.
pub(crate) fn holds(value: ValueRef<'_>, op: CompareOp, constant: ValueRef<'_>, mode: Mode) -> bool {
    if !comparable(value.edm_type(), constant.edm_type(), mode) {
        return false;
    }
    accepts(op, compare::values(value, constant))
}

/// Whether an operator holds for a value in this order to the constant; `None` is NaN's.
pub(crate) fn accepts(op: CompareOp, order: Option<Ordering>) -> bool {
    match order {
        Some(order) => op.holds(order),
        // NaN is unequal to everything (S7.5.5).
        None => op == CompareOp::Ne,
    }
}

/// Whether a stored value of one type can answer to a constant of another at all (S7.4.1, S7.5.4).
pub(crate) fn comparable(stored: EdmType, constant: EdmType, mode: Mode) -> bool {
    if stored == constant {
        return true;
    }
    let numbers = stored.is_number() && constant.is_number();
    match mode {
        // The service widens an Int32 constant, and no other.
        Mode::Strict => numbers && constant == EdmType::Int32,
        Mode::Portable | Mode::Extended => numbers,
    }
}

/// Whether the leaf can hold for any value of this type.
pub(crate) fn can_answer(leaf: &Expr, edm_type: EdmType, mode: Mode) -> bool {
    match leaf {
        Expr::Compare { .. } | Expr::In { .. } => {
            leaf.constants().iter().any(|constant| comparable(edm_type, constant.edm_type(), mode))
        }
        Expr::IsTrue(_) => edm_type == EdmType::Boolean,
        Expr::IsNull(_) => true,
        Expr::StartsWith { .. }
        | Expr::EndsWith { .. }
        | Expr::Contains { .. }
        | Expr::FoldedCompare { .. }
        | Expr::FoldedIn { .. } => edm_type == EdmType::String,
        Expr::And(_) | Expr::Or(_) | Expr::Not(_) | Expr::Constant(_) => false,
    }
}
