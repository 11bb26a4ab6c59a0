//! An `or` of which each branch has a way of its own.

use super::choose::Plan;
use crate::filter::ast::Expr;

/// Branches beyond these are not worth a way each.
const MOST_BRANCHES: usize = 64;

/// The filters whose answers together are that of a plan's filter: one for each branch of an `or` at the top, or of the first
/// one in an `and` at the top, with the other parts. `None` if there is no such `or`.
pub(crate) fn branches(plan: &Plan) -> Option<Vec<Expr>> {
    let (branches, others): (&[Expr], Vec<Expr>) = match &plan.filter {
        Expr::Or(branches) => (branches, Vec::new()),
        Expr::And(parts) => {
            let at = parts.iter().position(|part| matches!(part, Expr::Or(_)))?;
            let Expr::Or(branches) = &parts[at] else { return None };
            let others = parts.iter().enumerate().filter(|(other, _)| *other != at);
            (branches, others.map(|(_, part)| part.clone()).collect())
        }
        _ => return None,
    };
    if branches.len() > MOST_BRANCHES {
        return None;
    }
    let with_others = |branch: &Expr| {
        let mut parts = others.clone();
        parts.push(branch.clone());
        Expr::and(parts)
    };
    Some(branches.iter().map(with_others).collect())
}
