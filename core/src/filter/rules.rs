//! What a filter may say in which mode: asked by the parser term by term, and of a built filter as a whole.

use super::ast::{Expr, Property};
use super::literal::excerpt;
use crate::limits::FILTER_DEPTH;
use crate::model::{EdmType, Value, names};
use crate::{Error, ErrorCode, Mode};

/// Why a filter is refused: an error that does not yet know where in a text it is.
#[derive(Debug)]
pub(super) struct Fault {
    code: ErrorCode,
    /// A sentence without its full stop.
    sentence: String,
    property: Option<Box<str>>,
    limit: Option<(usize, usize)>,
    /// How far behind the beginning of the word the fault is, in bytes.
    offset_bytes: usize,
}

impl Fault {
    pub(super) fn new(code: ErrorCode, sentence: impl Into<String>) -> Fault {
        Fault { code, sentence: sentence.into(), property: None, limit: None, offset_bytes: 0 }
    }

    pub(super) fn invalid(sentence: impl Into<String>) -> Fault {
        Fault::new(ErrorCode::InvalidInput, sentence)
    }

    fn about(mut self, property: &Property) -> Fault {
        self.property = Some(property.name().into());
        self
    }

    /// The same fault, in a part of the word that begins so many bytes behind the word itself.
    pub(super) fn further(mut self, bytes: usize) -> Fault {
        self.offset_bytes += bytes;
        self
    }

    pub(super) fn offset_bytes(&self) -> usize {
        self.offset_bytes
    }

    /// The error of a text, at a position in characters.
    pub(super) fn at(self, position: usize) -> Error {
        let fact = format!("At {position}: {}.", self.sentence);
        self.into_error().fact(fact).position(position)
    }

    /// The error of a filter that has no text.
    pub(super) fn without_position(self) -> Error {
        let fact = format!("{}.", self.sentence);
        self.into_error().fact(fact)
    }

    fn into_error(self) -> Error {
        let mut error = Error::new(self.code);
        if let Some(property) = self.property {
            error = error.property(&property);
        }
        if let Some((limit, actual)) = self.limit {
            error = error.limit(limit, actual);
        }
        error
    }
}

/// What the store's filters have and the service's do not.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extension<'a> {
    /// `startswith`, `endswith`, `contains` or `tolower`.
    Function(&'a str),
    /// The operator `in`.
    In,
    /// The constant `null`.
    Null,
    /// A property that stands alone.
    Bare(&'a Property),
}

/// Whether the mode has the extension.
pub(super) fn allow(extension: Extension<'_>, mode: Mode) -> Result<(), Fault> {
    match mode {
        Mode::Portable | Mode::Extended => Ok(()),
        Mode::Strict => Err(match extension {
            Extension::Function(name) => not_implemented(name),
            Extension::In => Fault::invalid("the service has no operator in"),
            Extension::Null => Fault::invalid("the service has no null: it never stores one"),
            Extension::Bare(property) => Fault::new(
                ErrorCode::NotImplemented,
                format!("the service takes no property without a comparison: write {property} eq true"),
            )
            .about(property),
        }),
    }
}

/// The fault of a function or operator of OData that the filter language leaves out (S7.2.8).
pub(super) fn not_implemented(what: &str) -> Fault {
    Fault::new(ErrorCode::NotImplemented, format!("{what} is not supported in a filter"))
}

/// Whether the property can be compared with a constant of this type at all (S7.4.3).
pub(super) fn comparable(property: &Property, constant: EdmType) -> Result<(), Fault> {
    let fixed = match property {
        Property::PartitionKey | Property::RowKey => EdmType::String,
        Property::Timestamp => EdmType::DateTime,
        Property::Custom(_) => return Ok(()),
    };
    if fixed == constant {
        return Ok(());
    }
    let sentence = format!("{property} is an {fixed} and cannot be compared with an {constant}");
    Err(Fault::invalid(sentence).about(property))
}

/// Whether the constant is one that the mode's entities can hold (S2.3.4).
pub(super) fn constant(value: &Value, mode: Mode) -> Result<(), Fault> {
    match value {
        Value::DateTime(time) if time.ticks() < mode.limits().first_tick => {
            Err(Fault::invalid(format!("{time} lies outside the years 1601 to 9999")))
        }
        _ => Ok(()),
    }
}

/// Whether nesting stays within what every stack can hold.
pub(super) fn depth(levels: usize) -> Result<(), Fault> {
    if levels <= FILTER_DEPTH {
        return Ok(());
    }
    let mut fault = Fault::invalid(format!("a filter has at most {FILTER_DEPTH} levels of parentheses and not"));
    fault.limit = Some((FILTER_DEPTH, levels));
    Err(fault)
}

/// Whether a word means something to the language and so cannot name a property (S7.2.5).
pub(super) fn is_reserved(word: &str) -> bool {
    matches!(word, "and" | "or" | "not" | "eq" | "ne" | "gt" | "ge" | "lt" | "le" | "null")
        || super::literal::word(word).is_some()
}

/// Whether a filter's text can name the property.
fn name(property: &Property) -> Result<(), Fault> {
    let name = property.name();
    if names::is_identifier(name) && !is_reserved(name) {
        return Ok(());
    }
    Err(Fault::invalid(format!("a filter cannot name the property '{}'", excerpt(name))).about(property))
}

/// Checks a whole tree: what the parser refuses in a text, this refuses in a tree.
pub(super) fn check(expr: &Expr, mode: Mode) -> Result<(), Fault> {
    match expr {
        Expr::And(parts) | Expr::Or(parts) => parts.iter().try_for_each(|part| check(part, mode)),
        Expr::Not(inner) => check(inner, mode),
        Expr::Constant(_) => Ok(()),
        Expr::Compare { property, value, .. } => check_comparison(property, value, mode),
        Expr::IsTrue(property) => {
            allow(Extension::Bare(property), mode)?;
            name(property)?;
            comparable(property, EdmType::Boolean)
        }
        Expr::IsNull(property) => {
            allow(Extension::Null, mode)?;
            name(property)
        }
        Expr::StartsWith { property, .. } => check_text("startswith", property, mode),
        Expr::EndsWith { property, .. } => check_text("endswith", property, mode),
        Expr::Contains { property, .. } => check_text("contains", property, mode),
        Expr::In { property, values } => {
            allow(Extension::In, mode)?;
            values.iter().try_for_each(|value| check_comparison(property, value, mode))
        }
        Expr::FoldedCompare { property, .. } | Expr::FoldedIn { property, .. } => check_text("tolower", property, mode),
    }
}

fn check_comparison(property: &Property, value: &Value, mode: Mode) -> Result<(), Fault> {
    name(property)?;
    comparable(property, value.edm_type())?;
    constant(value, mode)
}

fn check_text(function: &str, property: &Property, mode: Mode) -> Result<(), Fault> {
    allow(Extension::Function(function), mode)?;
    name(property)?;
    comparable(property, EdmType::String)
}
