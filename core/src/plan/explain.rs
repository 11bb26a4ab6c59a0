//! What a plan's reader should know: how the cloud would answer, and what cannot match. Pure.

use crate::codec::shape::Shapes;
use crate::filter::ast::{Expr, Property};
use crate::filter::eval;
use crate::limits::Mode;
use crate::model::EdmType;
use std::collections::BTreeSet;

/// What the service would answer otherwise: text for each part of the filter that it reads in another way.
pub(crate) fn cloud_notes(filter: &Expr, mode: Mode) -> Vec<String> {
    if mode == Mode::Strict {
        return Vec::new();
    }
    let notes = filter.leaves().into_iter().filter_map(|leaf| {
        let answer = match leaf {
            Expr::StartsWith { .. }
            | Expr::EndsWith { .. }
            | Expr::Contains { .. }
            | Expr::FoldedCompare { .. }
            | Expr::FoldedIn { .. }
            | Expr::IsTrue(_) => "answers 501 NotImplemented",
            Expr::In { .. } | Expr::IsNull(_) => "answers 400 InvalidInput",
            Expr::Compare { property: Property::Custom(_), value, .. } => match value.edm_type() {
                EdmType::Double => "compares a Double with Double properties alone",
                EdmType::Int64 => "compares an Int64 with Int64 properties alone",
                _ => return None,
            },
            _ => return None,
        };
        Some(format!("`{leaf}`: the service {answer}."))
    });
    // A filter may ask the same twice; said once is enough.
    let mut seen = BTreeSet::new();
    notes.filter(|note| seen.insert(note.clone())).collect()
}

/// Terms that no stored row can answer: a name that none has, or a constant of a type that none has.
pub(crate) fn warnings(filter: &Expr, shapes: &Shapes, mode: Mode) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let warnings = filter.leaves().into_iter().filter_map(|leaf| {
        let Some(Property::Custom(name)) = leaf.property() else { return None };
        let stored = stored_types(shapes, name);
        if stored.is_empty() {
            return Some(format!("`{leaf}`: no stored row has a property {name}."));
        }
        let constants = leaf.constants();
        let is_possible = |constant: EdmType| stored.iter().any(|stored| eval::comparable(*stored, constant, mode));
        if constants.is_empty() || constants.iter().any(|constant| is_possible(constant.edm_type())) {
            return None;
        }
        let stored: Vec<&str> = stored.iter().map(|edm_type| edm_type.name()).collect();
        Some(format!("`{leaf}`: {name} is stored as {}, never as {}.", stored.join(", "), constants[0].edm_type()))
    });
    warnings.filter(|warning| seen.insert(warning.clone())).collect()
}

/// The types that a name has in a table's shapes, which may be more than its rows have left.
fn stored_types(shapes: &Shapes, name: &str) -> Vec<EdmType> {
    let shapes = (0..shapes.len()).filter_map(|id| shapes.get(u16::try_from(id).ok()?));
    let slots = shapes.filter_map(|shape| {
        let known = shape.name(name)?;
        Some(
            known
                .slots()
                .filter_map(|slot| shape.slots().get(usize::from(slot)))
                .map(|slot| slot.edm_type)
                .collect::<Vec<_>>(),
        )
    });
    slots.flatten().collect::<BTreeSet<_>>().into_iter().collect()
}
