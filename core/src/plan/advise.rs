//! What an index would have to be to answer a filter, and which filters would have been the better for one. Of filters
//! the form alone is kept, never a constant.

use crate::codec::record::Scope;
use crate::filter::ast::{CompareOp, Expr, Property};
use crate::index::Index;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

/// A filter without its constants, and the indexes that would serve it: one, or one for each branch of an `or`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) filter: Box<str>,
    /// None if no index would do.
    pub(crate) indexes: Vec<Index>,
}

/// Properties of an index that is wished for: those behind add little.
const WISHED_PROPERTIES: usize = 4;
/// Branches of an `or` beyond these are not worth an index each.
const WISHED_INDEXES: usize = 4;
/// Of the text of a filter.
const TEXT_BYTES: usize = 512;

impl Wish {
    pub(crate) fn of(filter: &Expr) -> Wish {
        let mut text = String::new();
        // A String takes all.
        let _ = write_form(&mut text, filter);
        if text.len() > TEXT_BYTES {
            let end = (0..=TEXT_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text.truncate(end);
            text.push('…');
        }
        let branches = match filter {
            Expr::Or(branches) if branches.len() <= WISHED_INDEXES => branches.as_slice(),
            Expr::Or(_) => &[],
            one => std::slice::from_ref(one),
        };
        let indexes: Option<Vec<Index>> = branches.iter().map(wished).collect();
        Wish { filter: text.into(), indexes: indexes.unwrap_or_default() }
    }
}

/// The index that leads to what such a filter asks for: first what is fixed to values, then one range.
fn wished(filter: &Expr) -> Option<Index> {
    let parts = match filter {
        Expr::And(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let name = |part: &Expr| part.property().map(|property| property.name().to_owned());
    let is_of_keys = |part: &&Expr| !matches!(part.property(), Some(Property::PartitionKey));
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: Option<String>| names.extend(name.filter(|name| !names.contains(name)));
    parts.iter().filter(is_of_keys).filter(|part| is_of_values(part)).for_each(|part| add(name(part)));
    add(parts.iter().filter(is_of_keys).find(|part| is_range(part)).and_then(name));
    names.truncate(WISHED_PROPERTIES);
    if names.is_empty() {
        return None;
    }
    let is_folded = |part: &Expr| {
        matches!(part, Expr::FoldedCompare { .. } | Expr::FoldedIn { .. } | Expr::StartsWith { folded: true, .. })
    };
    let is_of_partition =
        |part: &Expr| matches!(part, Expr::Compare { property: Property::PartitionKey, op: CompareOp::Eq, .. });
    let scope = if parts.iter().any(is_of_partition) { Scope::Partition } else { Scope::Table };
    let index = Index::new(format!("By{}", names.concat())).properties(names).scope(scope);
    Some(index.fold_case(parts.iter().any(is_folded)))
}

fn is_of_values(leaf: &Expr) -> bool {
    matches!(
        leaf,
        Expr::Compare { op: CompareOp::Eq, .. }
            | Expr::FoldedCompare { op: CompareOp::Eq, .. }
            | Expr::In { .. }
            | Expr::FoldedIn { .. }
            | Expr::IsTrue(_)
            | Expr::IsNull(_)
    )
}

fn is_range(leaf: &Expr) -> bool {
    let is_ordered = |op: CompareOp| !matches!(op, CompareOp::Eq | CompareOp::Ne);
    match leaf {
        Expr::Compare { op, .. } | Expr::FoldedCompare { op, .. } => is_ordered(*op),
        Expr::StartsWith { .. } => true,
        _ => false,
    }
}

/// The filter as text, with a `?` for each constant.
fn write_form(out: &mut String, filter: &Expr) -> std::fmt::Result {
    let side = |property: &Property, folded: bool| {
        if folded { format!("tolower({property})") } else { property.to_string() }
    };
    let mut list = |parts: &[Expr], word: &str, encloses: fn(&Expr) -> bool| {
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                out.push_str(word);
            }
            if encloses(part) {
                out.push('(');
                write_form(out, part)?;
                out.push(')');
            } else {
                write_form(out, part)?;
            }
        }
        Ok(())
    };
    match filter {
        Expr::And(parts) => list(parts, " and ", |part| matches!(part, Expr::Or(_))),
        Expr::Or(parts) => list(parts, " or ", |_| false),
        Expr::Not(inner) => match &**inner {
            Expr::IsNull(property) => write!(out, "{property} ne null"),
            inner => {
                out.push_str("not (");
                write_form(out, inner)?;
                out.write_char(')')
            }
        },
        Expr::Constant(constant) => write!(out, "{constant}"),
        Expr::Compare { property, op, .. } => write!(out, "{property} {op} ?"),
        Expr::IsTrue(property) => write!(out, "{property}"),
        Expr::IsNull(property) => write!(out, "{property} eq null"),
        Expr::StartsWith { property, folded, .. } => write!(out, "startswith({}, ?)", side(property, *folded)),
        Expr::EndsWith { property, folded, .. } => write!(out, "endswith({}, ?)", side(property, *folded)),
        Expr::Contains { property, folded, .. } => write!(out, "contains({}, ?)", side(property, *folded)),
        Expr::In { property, .. } => write!(out, "{property} in (?)"),
        Expr::FoldedCompare { property, op, .. } => write!(out, "tolower({property}) {op} ?"),
        Expr::FoldedIn { property, .. } => write!(out, "tolower({property}) in (?)"),
    }
}

/// Forms of filters of which pages read much and gave little, and what they cost.
#[derive(Debug, Default)]
pub(crate) struct Asked(Mutex<Vec<Question>>);

/// What the pages of a form have cost that read much and gave little.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) table: u32,
    pub(crate) wish: Wish,
    pub(crate) pages: u64,
    pub(crate) rows_read: u64,
    pub(crate) rows_returned: u64,
}

impl Question {
    fn wasted(&self) -> u64 {
        self.rows_read.saturating_sub(self.rows_returned)
    }
}

/// Forms that are remembered; one more takes the place of the one that cost least.
const REMEMBERED: usize = 64;
/// A page that reads fewer rows is no matter.
const LEAST_ROWS: u64 = 256;
/// Rows read for one that is given, from which on an index would help.
const READ_FOR_ONE: u64 = 10;

impl Asked {
    /// Whether a page that read and gave so many rows is to be noted.
    pub(crate) fn is_much(rows_read: u64, rows_returned: u64) -> bool {
        rows_read >= LEAST_ROWS && rows_read / READ_FOR_ONE >= rows_returned
    }

    /// Notes such a page.
    pub(crate) fn note(&self, table: u32, wish: Wish, rows_read: u64, rows_returned: u64) {
        let mut questions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = questions.iter_mut().find(|known| known.table == table && known.wish == wish) {
            known.pages += 1;
            known.rows_read += rows_read;
            known.rows_returned += rows_returned;
            return;
        }
        let question = Question { table, wish, pages: 1, rows_read, rows_returned };
        if questions.len() < REMEMBERED {
            questions.push(question);
        } else if let Some(least) = questions.iter_mut().min_by_key(|known| known.wasted()) {
            *least = question;
        }
    }

    /// What was asked of a table, what cost most first.
    pub(crate) fn of_table(&self, table: u32) -> Vec<Question> {
        let questions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut of_table: Vec<Question> = questions.iter().filter(|known| known.table == table).cloned().collect();
        of_table.sort_by_key(|known| std::cmp::Reverse(known.wasted()));
        of_table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mode;
    use crate::filter::{Parameters, parse};

    fn wish(text: &str) -> Wish {
        Wish::of(&parse(text, &Parameters::new(), Mode::Portable).unwrap())
    }

    #[test]
    fn forms_keep_no_constant() {
        for (text, form) in [
            ("City eq 'Bonn' and Age gt 30", "City eq ? and Age gt ?"),
            ("not (City eq 'Bonn') or Paid", "not (City eq ?) or Paid"),
            ("(A eq 1 or B eq 2) and C ne null", "(A eq ? or B eq ?) and C ne null"),
            ("City in ('Bonn', 'Köln') and startswith(Name, 'J')", "City in (?) and startswith(Name, ?)"),
            ("tolower(City) eq 'bonn' and contains(tolower(A), 'x')", "tolower(City) eq ? and contains(tolower(A), ?)"),
            (
                "A eq null or tolower(B) in ('x') or endswith(C, 'x')",
                "A eq null or tolower(B) in (?) or endswith(C, ?)",
            ),
        ] {
            assert_eq!(&*wish(text).filter, form, "{text}");
        }
        let many = (0..200).map(|number| format!("Property{number} eq 1")).collect::<Vec<_>>().join(" or ");
        assert!(wish(&many).filter.len() < 520);
    }

    #[test]
    fn indexes_have_what_is_fixed_then_one_range() {
        let index = |names: &[&str]| Index::new(format!("By{}", names.concat())).properties(names.iter().copied());
        for (text, expected) in [
            ("City eq 'Bonn'", vec![index(&["City"])]),
            ("Age gt 30 and City eq 'Bonn' and Age lt 40 and Size gt 1", vec![index(&["City", "Age"])]),
            ("PartitionKey eq 'p' and City eq 'Bonn'", vec![index(&["City"]).scope(Scope::Partition)]),
            ("tolower(City) eq 'bonn'", vec![index(&["City"]).fold_case(true)]),
            ("A eq 1 or startswith(B, 'x')", vec![index(&["A"]), index(&["B"])]),
            ("A eq 1 or contains(B, 'x')", vec![]),
            ("PartitionKey ge 'p'", vec![]),
            ("not (A eq 1)", vec![]),
        ] {
            assert_eq!(wish(text).indexes, expected, "{text}");
        }
    }

    #[test]
    fn what_is_remembered_is_bounded_and_dear() {
        let asked = Asked::default();
        for number in 0..1_000 {
            asked.note(1, wish(&format!("P{number} eq 1")), 1_000 + number, 1);
        }
        asked.note(2, wish("A eq 1"), 5_000, 0);
        asked.note(2, wish("A eq 2"), 5_000, 2);
        assert!(asked.of_table(1).len() < REMEMBERED);
        assert_eq!(&*asked.of_table(1)[0].wish.filter, "P999 eq ?");
        let [one] = &*asked.of_table(2) else { panic!("one form") };
        assert_eq!((one.pages, one.rows_read, one.rows_returned), (2, 10_000, 2));
        assert!(Asked::is_much(256, 25) && !Asked::is_much(256, 26) && !Asked::is_much(255, 0));
    }
}
