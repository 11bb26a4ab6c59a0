//! The typed tree of a filter, and the text that stands for it.

use super::literal::{Literal, Quoted};
use crate::model::{Value, names};
use std::cmp::Ordering;
use std::fmt::{self, Display};
use std::sync::Arc;

/// A filter as a tree. Properties stand left, constants right.
///
/// In normal form, which [`Expr::and`] and [`Expr::or`] keep: no `And` is a direct member of an `And`, no `Or` of an
/// `Or`, and each has two members or more. A tree in normal form is written by `Display` as text that parses to the
/// same tree, so the text can stand for it: in `explain`, and in the fingerprint of a query.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    /// All members hold.
    And(Vec<Expr>),
    /// At least one member holds.
    Or(Vec<Expr>),
    /// The inner one does not hold. Two-valued: true where the inner one is about a missing property (S7.3.2).
    Not(Box<Expr>),
    /// `true` or `false`; the filter without text is `true`.
    Constant(bool),
    /// A comparison; false, whatever the operator, if the property is missing or of another type (S7.3.1, S7.4.1).
    Compare { property: Property, op: CompareOp, value: Value },
    /// Extension: a Boolean property that stands alone.
    IsTrue(Property),
    /// Extension: `P eq null`, the property is missing. `P ne null` is the `Not` of it.
    IsNull(Property),
    /// Extension: the String begins with the text.
    StartsWith { property: Property, text: String, folded: bool },
    /// Extension: the String ends with the text.
    EndsWith { property: Property, text: String, folded: bool },
    /// Extension: the text is somewhere in the String.
    Contains { property: Property, text: String, folded: bool },
    /// Extension: the property equals one of the values, as `eq` would say.
    In { property: Property, values: Vec<Value> },
    /// Extension: `tolower(P)` compared with a text, which is kept folded. So are the texts of the other folded forms.
    FoldedCompare { property: Property, op: CompareOp, text: String },
    /// Extension: `tolower(P) in (…)`.
    FoldedIn { property: Property, texts: Vec<String> },
}

/// What a filter asks about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Property {
    /// The PartitionKey, a String.
    PartitionKey,
    /// The RowKey, a String.
    RowKey,
    /// The Timestamp, a DateTime.
    Timestamp,
    /// A custom property of this name, of any type.
    Custom(Arc<str>),
}

/// The six comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CompareOp {
    Eq,
    Ne,
    Gt,
    Ge,
    Lt,
    Le,
}

impl Expr {
    /// All of `parts`, in normal form.
    pub(crate) fn and(parts: Vec<Expr>) -> Expr {
        let flat = flatten(parts, |part| match part {
            Expr::And(inner) => Ok(inner),
            other => Err(other),
        });
        one_or(flat, Expr::Constant(true), Expr::And)
    }

    /// Any of `parts`, in normal form.
    pub(crate) fn or(parts: Vec<Expr>) -> Expr {
        let flat = flatten(parts, |part| match part {
            Expr::Or(inner) => Ok(inner),
            other => Err(other),
        });
        one_or(flat, Expr::Constant(false), Expr::Or)
    }

    /// Levels of nesting as the parser counts them in the text of this tree: a `not`, and a pair of parentheses
    /// that does not belong to one.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Expr::And(parts) => parts.iter().map(|part| part.depth() + usize::from(part.is_or())).max().unwrap_or(0),
            Expr::Or(parts) => parts.iter().map(Expr::depth).max().unwrap_or(0),
            Expr::Not(inner) => 1 + inner.depth(),
            _ => 0,
        }
    }

    /// The property that a leaf asks about; `None` for constants, and for what has parts.
    pub(crate) fn property(&self) -> Option<&Property> {
        match self {
            Expr::And(_) | Expr::Or(_) | Expr::Not(_) | Expr::Constant(_) => None,
            Expr::Compare { property, .. }
            | Expr::IsTrue(property)
            | Expr::IsNull(property)
            | Expr::StartsWith { property, .. }
            | Expr::EndsWith { property, .. }
            | Expr::Contains { property, .. }
            | Expr::In { property, .. }
            | Expr::FoldedCompare { property, .. }
            | Expr::FoldedIn { property, .. } => Some(property),
        }
    }

    /// The leaves of the tree, in the order of the text.
    pub(crate) fn leaves(&self) -> Vec<&Expr> {
        let (mut leaves, mut todo) = (Vec::new(), vec![self]);
        while let Some(expr) = todo.pop() {
            match expr {
                Expr::And(parts) | Expr::Or(parts) => todo.extend(parts.iter().rev()),
                Expr::Not(inner) => todo.push(inner),
                leaf => leaves.push(leaf),
            }
        }
        leaves
    }

    /// The typed constants that a leaf compares with.
    pub(crate) fn constants(&self) -> &[Value] {
        match self {
            Expr::Compare { value, .. } => std::slice::from_ref(value),
            Expr::In { values, .. } => values,
            _ => &[],
        }
    }

    pub(super) fn is_or(&self) -> bool {
        matches!(self, Expr::Or(_))
    }
}

/// Puts the members of nested lists in their place. The first list is kept and grown, so that a long chain built
/// term by term costs one step a term.
fn flatten(parts: Vec<Expr>, open: impl Fn(Expr) -> Result<Vec<Expr>, Expr>) -> Vec<Expr> {
    let mut flat = Vec::new();
    for part in parts {
        match open(part) {
            Ok(inner) if flat.is_empty() => flat = inner,
            Ok(inner) => flat.extend(inner),
            Err(part) => flat.push(part),
        }
    }
    flat
}

fn one_or(mut parts: Vec<Expr>, none: Expr, several: impl Fn(Vec<Expr>) -> Expr) -> Expr {
    if parts.len() > 1 {
        return several(parts);
    }
    parts.pop().unwrap_or(none)
}

impl Property {
    /// The property of this name, case-sensitive (S7.3.3).
    pub(crate) fn named(name: &str) -> Property {
        match name {
            names::PARTITION_KEY => Property::PartitionKey,
            names::ROW_KEY => Property::RowKey,
            names::TIMESTAMP => Property::Timestamp,
            _ => Property::Custom(name.into()),
        }
    }

    /// The name, as filters write it.
    pub(crate) fn name(&self) -> &str {
        match self {
            Property::PartitionKey => names::PARTITION_KEY,
            Property::RowKey => names::ROW_KEY,
            Property::Timestamp => names::TIMESTAMP,
            Property::Custom(name) => name,
        }
    }
}

impl CompareOp {
    pub(crate) const ALL: [CompareOp; 6] =
        [CompareOp::Eq, CompareOp::Ne, CompareOp::Gt, CompareOp::Ge, CompareOp::Lt, CompareOp::Le];

    /// The operator as filters write it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            CompareOp::Eq => "eq",
            CompareOp::Ne => "ne",
            CompareOp::Gt => "gt",
            CompareOp::Ge => "ge",
            CompareOp::Lt => "lt",
            CompareOp::Le => "le",
        }
    }

    /// The operator that says the same with the two sides exchanged (S7.2.6).
    pub(crate) const fn turned(self) -> CompareOp {
        match self {
            CompareOp::Eq => CompareOp::Eq,
            CompareOp::Ne => CompareOp::Ne,
            CompareOp::Gt => CompareOp::Lt,
            CompareOp::Ge => CompareOp::Le,
            CompareOp::Lt => CompareOp::Gt,
            CompareOp::Le => CompareOp::Ge,
        }
    }

    /// Whether the operator holds for a left side that is in this order to the right one.
    pub(crate) fn holds(self, order: Ordering) -> bool {
        match self {
            CompareOp::Eq => order.is_eq(),
            CompareOp::Ne => order.is_ne(),
            CompareOp::Gt => order.is_gt(),
            CompareOp::Ge => order.is_ge(),
            CompareOp::Lt => order.is_lt(),
            CompareOp::Le => order.is_le(),
        }
    }
}

impl Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Display for CompareOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A property, or `tolower` of it.
struct Side<'a>(&'a Property, bool);

impl Display for Side<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.1 { write!(f, "tolower({})", self.0) } else { self.0.fmt(f) }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::And(parts) => separated(f, parts, " and ", |f, part| match part {
                Expr::Or(_) => parenthesized(f, "(", part),
                _ => part.fmt(f),
            }),
            Expr::Or(parts) => separated(f, parts, " or ", |f, part| part.fmt(f)),
            Expr::Not(inner) => match &**inner {
                Expr::IsNull(property) => write!(f, "{property} ne null"),
                inner => parenthesized(f, "not (", inner),
            },
            leaf => leaf.write_leaf(f),
        }
    }
}

/// Nested trees are written without `write!`, which takes several times the stack.
fn parenthesized(f: &mut fmt::Formatter<'_>, open: &str, inner: &Expr) -> fmt::Result {
    f.write_str(open)?;
    inner.fmt(f)?;
    f.write_str(")")
}

impl Expr {
    /// Writes what has no tree inside.
    #[inline(never)]
    fn write_leaf(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::And(_) | Expr::Or(_) | Expr::Not(_) => Ok(()),
            Expr::Constant(value) => value.fmt(f),
            Expr::Compare { property, op, value } => write!(f, "{property} {op} {}", Literal(value)),
            Expr::IsTrue(property) => property.fmt(f),
            Expr::IsNull(property) => write!(f, "{property} eq null"),
            Expr::StartsWith { property, text, folded } => {
                write!(f, "startswith({}, {})", Side(property, *folded), Quoted(text))
            }
            Expr::EndsWith { property, text, folded } => {
                write!(f, "endswith({}, {})", Side(property, *folded), Quoted(text))
            }
            Expr::Contains { property, text, folded } => {
                write!(f, "contains({}, {})", Side(property, *folded), Quoted(text))
            }
            Expr::In { property, values } => {
                write!(f, "{property} in (")?;
                separated(f, values, ", ", |f, value| Literal(value).fmt(f))?;
                f.write_str(")")
            }
            Expr::FoldedCompare { property, op, text } => {
                write!(f, "{} {op} {}", Side(property, true), Quoted(text))
            }
            Expr::FoldedIn { property, texts } => {
                write!(f, "{} in (", Side(property, true))?;
                separated(f, texts, ", ", |f, text| Quoted(text).fmt(f))?;
                f.write_str(")")
            }
        }
    }
}

fn separated<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    separator: &str,
    write: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            f.write_str(separator)?;
        }
        write(f, item)?;
    }
    Ok(())
}
