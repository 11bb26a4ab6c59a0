//! Filters as values: read from text, or built from Rust values.

use super::ast::{CompareOp, Expr, Property};
use super::params::Parameters;
use super::{parse, rules};
use crate::limits::FILTER_DEPTH;
use crate::model::{Value, fold};
use crate::{Mode, Result};
use std::fmt;
use std::ops::Not;
use std::str::FromStr;

/// A question that each entity answers with yes or no.
///
/// Made from the text of the service's `$filter` language, or from values with [`property`]. `Display` writes the
/// text, which parses to the same filter. The default filter takes every entity.
///
/// A filter built from values is not checked before it is used: what a text could not say (a PartitionKey that is
/// compared with a number, an extension in [`Mode::Strict`]) is an error of the query, or of [`Filter::check`].
///
/// # Example
/// ```
/// use entable::filter::{Filter, property};
/// let built = property("Total").gt(10.5).and(property("City").eq("Oslo"));
/// assert_eq!(built, Filter::parse("Total gt 10.5 and City eq 'Oslo'")?);
/// # Ok::<(), entable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    expr: Expr,
    /// Levels of nesting. Above the limit the tree was given up: it is `false`, and the check refuses it.
    depth: usize,
}

impl Filter {
    /// Reads a filter, by the rules of the default mode. Blank text takes every entity.
    ///
    /// # Errors
    /// As [`Filter::parse_with`].
    ///
    /// # Example
    /// ```
    /// use entable::Filter;
    /// assert_eq!(Filter::parse("  ")?, Filter::default());
    /// let error = Filter::parse("Total gt").unwrap_err();
    /// assert_eq!(error.details().position, Some(8));
    /// # Ok::<(), entable::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Filter> {
        Filter::parse_with(text, &Parameters::new(), Mode::default())
    }

    /// Reads a filter with parameters, by the rules of a mode.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidInput`](crate::ErrorCode::InvalidInput) for a text that is no filter, a parameter that is
    /// not there, or an extension in [`Mode::Strict`];
    /// [`ErrorCode::NotImplemented`](crate::ErrorCode::NotImplemented) for functions and arithmetic that the mode does
    /// not have (S7.2.8). Each has the position of the word that is wrong, in characters from 0.
    pub fn parse_with(text: &str, parameters: &Parameters, mode: Mode) -> Result<Filter> {
        parse(text, parameters, mode).map(Filter::from_expr)
    }

    /// Checks the filter by the rules of a mode, as if it were text. Queries do so by themselves.
    ///
    /// # Errors
    /// As [`Filter::parse_with`], without a position; with the property where there is one.
    ///
    /// # Example
    /// ```
    /// use entable::{ErrorCode, Mode, filter::property};
    /// let filter = property("City").starts_with("Os");
    /// assert!(filter.check(Mode::Portable).is_ok());
    /// assert_eq!(filter.check(Mode::Strict).unwrap_err().code(), ErrorCode::NotImplemented);
    /// ```
    pub fn check(&self, mode: Mode) -> Result<()> {
        rules::depth(self.depth).and_then(|()| rules::check(&self.expr, mode)).map_err(|fault| fault.without_position())
    }

    /// The entities that both filters take.
    #[must_use]
    pub fn and(self, other: Filter) -> Filter {
        let depth = self.depth_in_and().max(other.depth_in_and());
        Filter::built(depth, || Expr::and(vec![self.expr, other.expr]))
    }

    /// The entities that either filter takes.
    #[must_use]
    pub fn or(self, other: Filter) -> Filter {
        let depth = self.depth.max(other.depth);
        Filter::built(depth, || Expr::or(vec![self.expr, other.expr]))
    }

    /// The entities that the filter does not take, also written `!filter`. Those which do not have the property that
    /// a comparison asks for are among them (S7.3.2).
    #[expect(clippy::should_implement_trait, reason = "it is implemented, too; the method needs no import")]
    #[must_use]
    pub fn not(self) -> Filter {
        Filter::built(self.depth + 1, || Expr::Not(Box::new(self.expr)))
    }

    /// The tree.
    pub(crate) fn expr(&self) -> &Expr {
        &self.expr
    }

    fn from_expr(expr: Expr) -> Filter {
        Filter { depth: expr.depth(), expr }
    }

    /// A deeper tree than the limit is not made, since walking and dropping it take stack.
    fn built(depth: usize, expr: impl FnOnce() -> Expr) -> Filter {
        let expr = if depth <= FILTER_DEPTH { expr() } else { Expr::Constant(false) };
        Filter { expr, depth }
    }

    fn depth_in_and(&self) -> usize {
        self.depth + usize::from(self.expr.is_or())
    }
}

impl Default for Filter {
    fn default() -> Filter {
        Filter::from_expr(Expr::Constant(true))
    }
}

impl FromStr for Filter {
    type Err = crate::Error;

    fn from_str(text: &str) -> Result<Filter> {
        Filter::parse(text)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expr.fmt(f)
    }
}

impl Not for Filter {
    type Output = Filter;

    fn not(self) -> Filter {
        Filter::not(self)
    }
}

/// Begins a filter about a property: a custom one, or `PartitionKey`, `RowKey`, `Timestamp`.
///
/// # Example
/// ```
/// use entable::filter::property;
/// let filter = property("PartitionKey").eq("DE").and(!property("Paid").eq(true));
/// assert_eq!(filter.to_string(), "PartitionKey eq 'DE' and not (Paid eq true)");
/// ```
pub fn property(name: impl AsRef<str>) -> PropertyTerm {
    PropertyTerm(Property::named(name.as_ref()))
}

/// A property of which something is going to be asked: made by [`property`].
///
/// All comparisons, [`ne`](PropertyTerm::ne) too, are false of an entity that does not have the property, or has it
/// with another type (S7.3.1, S7.4.1). Methods marked as extensions are refused by [`Mode::Strict`].
#[derive(Clone, Debug)]
#[must_use]
pub struct PropertyTerm(Property);

impl PropertyTerm {
    /// The property equals the value.
    pub fn eq(self, value: impl Into<Value>) -> Filter {
        self.compare(CompareOp::Eq, value)
    }

    /// The property is there, of the value's type, and another value.
    pub fn ne(self, value: impl Into<Value>) -> Filter {
        self.compare(CompareOp::Ne, value)
    }

    /// The property is greater than the value.
    pub fn gt(self, value: impl Into<Value>) -> Filter {
        self.compare(CompareOp::Gt, value)
    }

    /// The property is greater than the value, or equals it.
    pub fn ge(self, value: impl Into<Value>) -> Filter {
        self.compare(CompareOp::Ge, value)
    }

    /// The property is smaller than the value.
    pub fn lt(self, value: impl Into<Value>) -> Filter {
        self.compare(CompareOp::Lt, value)
    }

    /// The property is smaller than the value, or equals it.
    pub fn le(self, value: impl Into<Value>) -> Filter {
        self.compare(CompareOp::Le, value)
    }

    /// Extension: the property equals one of the values. No value, no entity.
    ///
    /// # Example
    /// ```
    /// let filter = entable::filter::property("City").is_in(["Oslo", "Bergen"]);
    /// assert_eq!(filter.to_string(), "City in ('Oslo', 'Bergen')");
    /// ```
    pub fn is_in<V: Into<Value>>(self, values: impl IntoIterator<Item = V>) -> Filter {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        match values.is_empty() {
            true => Filter::from_expr(Expr::Constant(false)),
            false => Filter::from_expr(Expr::In { property: self.0, values }),
        }
    }

    /// Extension: the entity does not have the property.
    pub fn is_null(self) -> Filter {
        Filter::from_expr(Expr::IsNull(self.0))
    }

    /// Extension: the entity has the property, of whatever type.
    pub fn is_not_null(self) -> Filter {
        self.is_null().not()
    }

    /// Extension: the property is the Boolean `true`. `eq(true)` says the same in every mode.
    pub fn is_true(self) -> Filter {
        Filter::from_expr(Expr::IsTrue(self.0))
    }

    /// Extension: the String begins with the text.
    pub fn starts_with(self, text: impl Into<String>) -> Filter {
        Filter::from_expr(Expr::StartsWith { property: self.0, text: text.into(), folded: false })
    }

    /// Extension: the String ends with the text.
    pub fn ends_with(self, text: impl Into<String>) -> Filter {
        Filter::from_expr(Expr::EndsWith { property: self.0, text: text.into(), folded: false })
    }

    /// Extension: the text is somewhere in the String.
    pub fn contains(self, text: impl Into<String>) -> Filter {
        Filter::from_expr(Expr::Contains { property: self.0, text: text.into(), folded: false })
    }

    /// Extension: the text of the property without regard to case, `tolower(…)` in a filter's text.
    ///
    /// # Example
    /// ```
    /// let filter = entable::filter::property("City").ignore_case().eq("OSLO");
    /// assert_eq!(filter.to_string(), "tolower(City) eq 'oslo'");
    /// ```
    pub fn ignore_case(self) -> FoldedTerm {
        FoldedTerm(self.0)
    }

    fn compare(self, op: CompareOp, value: impl Into<Value>) -> Filter {
        Filter::from_expr(Expr::Compare { property: self.0, op, value: value.into() })
    }
}

/// The text of a property without regard to case: made by [`PropertyTerm::ignore_case`]. All of it is an extension.
#[derive(Clone, Debug)]
#[must_use]
pub struct FoldedTerm(Property);

impl FoldedTerm {
    /// The text equals this one.
    pub fn eq(self, text: impl AsRef<str>) -> Filter {
        self.compare(CompareOp::Eq, text)
    }

    /// The property is a String, and another text.
    pub fn ne(self, text: impl AsRef<str>) -> Filter {
        self.compare(CompareOp::Ne, text)
    }

    /// The text comes after this one, both in lower case.
    pub fn gt(self, text: impl AsRef<str>) -> Filter {
        self.compare(CompareOp::Gt, text)
    }

    /// The text comes after this one, or equals it, both in lower case.
    pub fn ge(self, text: impl AsRef<str>) -> Filter {
        self.compare(CompareOp::Ge, text)
    }

    /// The text comes before this one, both in lower case.
    pub fn lt(self, text: impl AsRef<str>) -> Filter {
        self.compare(CompareOp::Lt, text)
    }

    /// The text comes before this one, or equals it, both in lower case.
    pub fn le(self, text: impl AsRef<str>) -> Filter {
        self.compare(CompareOp::Le, text)
    }

    /// The text equals one of these. No text, no entity.
    pub fn is_in<T: AsRef<str>>(self, texts: impl IntoIterator<Item = T>) -> Filter {
        let texts: Vec<String> = texts.into_iter().map(|text| fold::fold_case(text.as_ref())).collect();
        match texts.is_empty() {
            true => Filter::from_expr(Expr::Constant(false)),
            false => Filter::from_expr(Expr::FoldedIn { property: self.0, texts }),
        }
    }

    /// The text begins with this one.
    pub fn starts_with(self, text: impl AsRef<str>) -> Filter {
        let text = fold::fold_case(text.as_ref());
        Filter::from_expr(Expr::StartsWith { property: self.0, text, folded: true })
    }

    /// The text ends with this one.
    pub fn ends_with(self, text: impl AsRef<str>) -> Filter {
        let text = fold::fold_case(text.as_ref());
        Filter::from_expr(Expr::EndsWith { property: self.0, text, folded: true })
    }

    /// This text is somewhere in the property's.
    pub fn contains(self, text: impl AsRef<str>) -> Filter {
        let text = fold::fold_case(text.as_ref());
        Filter::from_expr(Expr::Contains { property: self.0, text, folded: true })
    }

    fn compare(self, op: CompareOp, text: impl AsRef<str>) -> Filter {
        let text = fold::fold_case(text.as_ref());
        Filter::from_expr(Expr::FoldedCompare { property: self.0, op, text })
    }
}
