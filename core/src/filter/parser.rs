//! Text to typed tree (S7.2).
//!
//! The parser keeps its stack on the heap and holds nesting to [`limits::FILTER_DEPTH`](crate::limits::FILTER_DEPTH)
//! levels, so no text overflows the thread's stack: not here, and not where the tree is walked or dropped.

use super::ast::{CompareOp, Expr, Property};
use super::lexer::{Kind, Lexer, Token};
use super::literal::excerpt;
use super::params::Parameters;
use super::rules::{self, Extension, Fault};
use crate::model::{EdmType, Value, fold};
use crate::{ErrorCode, Mode, Result};

/// Reads a filter. A blank one is `true` (S7.1).
///
/// # Errors
/// `InvalidInput`, or `NotImplemented` for the functions and operators of OData that are left out (S7.2.8), each with
/// the position, in characters from 0, of the word that is wrong.
pub(crate) fn parse(text: &str, parameters: &Parameters, mode: Mode) -> Result<Expr> {
    let mut lexer = Lexer::new(text, mode);
    let next = lexer.token()?;
    let mut parser = Parser { lexer, next, parameters, mode, depth: 0 };
    if matches!(parser.next.kind, Kind::End) {
        return Ok(Expr::Constant(true));
    }
    parser.filter()
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The word that is looked at and not yet taken.
    next: Token<'a>,
    parameters: &'a Parameters,
    mode: Mode,
    /// Levels of nesting around the word.
    depth: usize,
}

/// One side of a comparison.
enum Operand {
    Property(Property),
    /// `tolower` of a property.
    Folded(Property),
    Value(Value),
    Null,
}

/// An operand, and where it begins, in bytes.
struct Side {
    start: usize,
    operand: Operand,
}

/// What stands between two of `and`, `or` and parentheses.
enum Term {
    Condition(Expr),
    /// Nothing but an operand so far, perhaps in parentheses: a comparison may follow.
    Side(Side),
}

/// A pair of parentheses, or the whole filter, while its inside is being read.
#[derive(Default)]
struct Frame {
    /// Where the opening parenthesis is, in bytes.
    start: usize,
    /// What it adds to the depth: nothing, where it belongs to a `not`.
    levels: usize,
    /// How many `not`s stand before the term that comes next.
    nots: usize,
    /// The finished members of `or`.
    any: Vec<Expr>,
    /// The finished members of the `and` that is being read.
    all: Vec<Expr>,
}

impl Frame {
    /// Takes the term that the `not`s stand before.
    fn push(&mut self, mut term: Expr) {
        for _ in 0..std::mem::take(&mut self.nots) {
            term = Expr::Not(Box::new(term));
        }
        self.all.push(term);
    }

    fn end_of_and(&mut self) {
        let all = std::mem::take(&mut self.all);
        self.any.push(Expr::and(all));
    }

    fn finish(mut self) -> Expr {
        self.end_of_and();
        Expr::or(self.any)
    }

    fn is_empty(&self) -> bool {
        self.nots == 0 && self.any.is_empty() && self.all.is_empty()
    }
}

impl<'a> Parser<'a> {
    fn filter(&mut self) -> Result<Expr> {
        let mut enclosing: Vec<Frame> = Vec::new();
        let mut frame = Frame::default();
        loop {
            let mut term = loop {
                match self.next.kind {
                    Kind::Word("not") => {
                        self.descend(1)?;
                        frame.nots += 1;
                        self.advance()?;
                        if matches!(self.next.kind, Kind::Open) {
                            enclosing.push(std::mem::replace(&mut frame, self.open(0)?));
                        }
                    }
                    Kind::Open => enclosing.push(std::mem::replace(&mut frame, self.open(1)?)),
                    _ => break self.term()?,
                }
            };
            loop {
                if let Term::Side(side) = term {
                    term = self.comparison(side)?;
                }
                if !matches!(self.next.kind, Kind::Close) {
                    break;
                }
                let Some(outer) = enclosing.pop() else {
                    return Err(self.unexpected("'and', 'or' or the end"));
                };
                let inner = std::mem::replace(&mut frame, outer);
                self.depth -= inner.levels + inner.nots;
                term = match term {
                    Term::Side(side) if inner.is_empty() => Term::Side(side),
                    term => {
                        let mut inner = inner;
                        inner.push(self.condition(term)?);
                        Term::Condition(inner.finish())
                    }
                };
                self.advance()?;
            }
            let is_or = match self.next.kind {
                Kind::Word("and") => Some(false),
                Kind::Word("or") => Some(true),
                Kind::End if enclosing.is_empty() => None,
                _ => return Err(self.after_term(&term, enclosing.last().map(|_| frame.start))),
            };
            let condition = self.condition(term)?;
            self.depth -= frame.nots;
            frame.push(condition);
            match is_or {
                None => return Ok(frame.finish()),
                Some(true) => frame.end_of_and(),
                Some(false) => {}
            }
            self.advance()?;
        }
    }

    /// Goes into a parenthesis.
    fn open(&mut self, levels: usize) -> Result<Frame> {
        self.descend(levels)?;
        let start = self.advance()?.start;
        Ok(Frame { start, levels, ..Frame::default() })
    }

    fn descend(&mut self, levels: usize) -> Result<()> {
        self.depth += levels;
        rules::depth(self.depth).map_err(|fault| self.error(fault, self.next.start))
    }

    /// A term that does not begin with `not` or a parenthesis, as far as its first word decides it.
    fn term(&mut self) -> Result<Term> {
        let start = self.next.start;
        let Kind::Word(word) = self.next.kind else {
            return Ok(Term::Side(self.operand("a property or a value")?));
        };
        if rules::is_reserved(word) && word != "null" {
            return Err(self.unexpected("a property or a value"));
        }
        if !matches!(word, "startswith" | "endswith" | "contains") {
            return Ok(Term::Side(self.operand("a property or a value")?));
        }
        self.advance()?;
        if !matches!(self.next.kind, Kind::Open) {
            return Ok(Term::Side(Side { start, operand: Operand::Property(Property::named(word)) }));
        }
        self.allow(Extension::Function(word), start)?;
        let open = self.advance()?.start;
        let (property, folded) = self.text_property()?;
        self.expect_comma()?;
        let text_start = self.next.start;
        let text = match self.operand("a text")?.operand {
            Operand::Value(Value::String(text)) => folded_if(folded, text),
            _ => return Err(self.error(Fault::invalid(format!("{word} looks for a text")), text_start)),
        };
        self.expect_close(open)?;
        Ok(Term::Condition(match word {
            "startswith" => Expr::StartsWith { property, text, folded },
            "endswith" => Expr::EndsWith { property, text, folded },
            _ => Expr::Contains { property, text, folded },
        }))
    }

    /// The property that a function on texts looks at.
    fn text_property(&mut self) -> Result<(Property, bool)> {
        let Side { start, operand } = self.operand("a property")?;
        let (property, folded) = match operand {
            Operand::Property(property) => (property, false),
            Operand::Folded(property) => (property, true),
            Operand::Value(_) | Operand::Null => {
                return Err(self.error(Fault::invalid("expected a property, found a constant"), start));
            }
        };
        self.check(rules::comparable(&property, EdmType::String), start)?;
        Ok((property, folded))
    }

    /// A property or a constant. `expected` says in an error what stands here.
    fn operand(&mut self, expected: &str) -> Result<Side> {
        let start = self.next.start;
        let operand = match &self.next.kind {
            Kind::Word("null") => {
                self.allow(Extension::Null, start)?;
                self.advance()?;
                Operand::Null
            }
            Kind::Word(word) if rules::is_reserved(word) => return Err(self.unexpected(expected)),
            Kind::Word(word) => {
                let word = *word;
                self.advance()?;
                match self.next.kind {
                    Kind::Open => Operand::Folded(self.function(word, start)?),
                    _ => Operand::Property(Property::named(word)),
                }
            }
            Kind::Literal(..) | Kind::Parameter(_) => Operand::Value(self.value(expected)?),
            Kind::Open | Kind::Close | Kind::Comma | Kind::End => return Err(self.unexpected(expected)),
        };
        Ok(Side { start, operand })
    }

    /// A function that stands where an operand may: only `tolower` is one.
    fn function(&mut self, name: &'a str, start: usize) -> Result<Property> {
        match name {
            "tolower" => {}
            "startswith" | "endswith" | "contains" => {
                self.allow(Extension::Function(name), start)?;
                let fault = Fault::invalid(format!("{name} is a condition of its own and not compared with anything"));
                return Err(self.error(fault, start));
            }
            _ if is_odata_function(name) => return Err(self.error(rules::not_implemented(name), start)),
            _ => {
                let fault = Fault::invalid(format!("there is no function {}", excerpt(name)));
                return Err(self.error(fault, start));
            }
        }
        self.allow(Extension::Function(name), start)?;
        let open = self.advance()?.start;
        let property_start = self.next.start;
        let word = match self.next.kind {
            Kind::Word(word) if !rules::is_reserved(word) => word,
            _ => return Err(self.unexpected("a property")),
        };
        self.advance()?;
        if matches!(self.next.kind, Kind::Open) {
            // Not `self.function` again: it would call itself as often as a text likes.
            let fault = match is_odata_function(word) {
                true => rules::not_implemented(word),
                false => Fault::invalid("tolower is taken of a property, not of a function"),
            };
            return Err(self.error(fault, property_start));
        }
        let property = Property::named(word);
        self.check(rules::comparable(&property, EdmType::String), property_start)?;
        self.expect_close(open)?;
        Ok(property)
    }

    /// A literal or a parameter.
    fn value(&mut self, expected: &str) -> Result<Value> {
        let start = self.next.start;
        let value = match &self.next.kind {
            Kind::Literal(value, _) => value.clone(),
            Kind::Parameter(name) => match self.parameters.value(name, self.mode) {
                Some(value) => value.map_err(|error| error.position(self.position(start)))?,
                None => {
                    let fault = Fault::invalid(format!("there is no parameter {}", excerpt(name)));
                    return Err(self.error(fault, start));
                }
            },
            _ => return Err(self.unexpected(expected)),
        };
        self.check(rules::constant(&value, self.mode), start)?;
        self.advance()?;
        Ok(value)
    }

    /// What follows an operand: a comparison, `in`, or nothing.
    fn comparison(&mut self, left: Side) -> Result<Term> {
        let Kind::Word(word) = self.next.kind else { return Ok(Term::Side(left)) };
        if word == "in" {
            return self.list(left).map(Term::Condition);
        }
        let Some(op) = CompareOp::ALL.into_iter().find(|op| op.word() == word) else { return Ok(Term::Side(left)) };
        self.advance()?;
        let right = self.right_side()?;
        let right_start = right.start;
        let (property, folded, op, value, value_start) = match (left.operand, right.operand) {
            (Operand::Property(property), Operand::Value(value)) => (property, false, op, value, right.start),
            (Operand::Folded(property), Operand::Value(value)) => (property, true, op, value, right.start),
            (Operand::Value(value), Operand::Property(property)) => (property, false, op.turned(), value, left.start),
            (Operand::Value(value), Operand::Folded(property)) => (property, true, op.turned(), value, left.start),
            (Operand::Property(property), Operand::Null) | (Operand::Null, Operand::Property(property)) => {
                return self.with_null(property, op, right_start).map(Term::Condition);
            }
            (Operand::Folded(_), Operand::Null) | (Operand::Null, Operand::Folded(_)) => {
                return Err(self.error(Fault::invalid("tolower is compared with a text"), right_start));
            }
            (Operand::Value(_) | Operand::Null, Operand::Value(_) | Operand::Null) => {
                let fault = Fault::new(ErrorCode::NotImplemented, "one side of a comparison is a property");
                return Err(self.error(fault, right_start));
            }
            (Operand::Property(_) | Operand::Folded(_), Operand::Property(_) | Operand::Folded(_)) => {
                let fault = Fault::invalid(
                    "a property is compared with a constant, not with another property; a text stands in single quotes",
                );
                return Err(self.error(fault, right_start));
            }
        };
        self.check(rules::comparable(&property, value.edm_type()), value_start)?;
        Ok(Term::Condition(match (folded, value) {
            (false, value) => Expr::Compare { property, op, value },
            (true, Value::String(text)) => Expr::FoldedCompare { property, op, text: folded_if(true, text) },
            (true, _) => return Err(self.error(Fault::invalid("tolower is compared with a text"), value_start)),
        }))
    }

    fn with_null(&self, property: Property, op: CompareOp, start: usize) -> Result<Expr> {
        match op {
            CompareOp::Eq => Ok(Expr::IsNull(property)),
            CompareOp::Ne => Ok(Expr::Not(Box::new(Expr::IsNull(property)))),
            CompareOp::Gt | CompareOp::Ge | CompareOp::Lt | CompareOp::Le => {
                Err(self.error(Fault::invalid("null is compared by eq and ne only"), start))
            }
        }
    }

    /// The operand behind a comparison's operator; it may be in parentheses of its own.
    fn right_side(&mut self) -> Result<Side> {
        let mut opened = Vec::new();
        while matches!(self.next.kind, Kind::Open) {
            opened.push(self.open(1)?.start);
        }
        self.depth -= opened.len();
        let side = self.operand("a value")?;
        while let Some(start) = opened.pop() {
            self.expect_close(start)?;
        }
        Ok(side)
    }

    /// `in` and its values, behind the operand.
    fn list(&mut self, left: Side) -> Result<Expr> {
        self.allow(Extension::In, self.next.start)?;
        let (property, folded) = match left.operand {
            Operand::Property(property) => (property, false),
            Operand::Folded(property) => (property, true),
            Operand::Value(_) | Operand::Null => {
                return Err(self.error(Fault::invalid("in looks for the value of a property"), left.start));
            }
        };
        self.advance()?;
        let start = self.next.start;
        if !matches!(self.next.kind, Kind::Open) {
            return Err(self.unexpected("'(' and the values"));
        }
        let mut values = Vec::new();
        let mut texts = Vec::new();
        loop {
            self.advance()?;
            let value_start = self.next.start;
            let value = self.value("a value")?;
            self.check(rules::comparable(&property, value.edm_type()), value_start)?;
            match value {
                Value::String(text) if folded => texts.push(folded_if(true, text)),
                _ if folded => {
                    return Err(self.error(Fault::invalid("tolower is compared with a text"), value_start));
                }
                value => values.push(value),
            }
            match self.next.kind {
                Kind::Comma => {}
                Kind::Close => break,
                _ => {
                    return Err(self.unexpected(&format!("',' or ')' for the '(' at {}", self.position(start))));
                }
            }
        }
        self.advance()?;
        Ok(if folded { Expr::FoldedIn { property, texts } } else { Expr::In { property, values } })
    }

    /// The condition that a term is, now that nothing more belongs to it.
    fn condition(&self, term: Term) -> Result<Expr> {
        let Side { start, operand } = match term {
            Term::Condition(condition) => return Ok(condition),
            Term::Side(side) => side,
        };
        match operand {
            Operand::Value(Value::Boolean(constant)) => Ok(Expr::Constant(constant)),
            Operand::Property(property) => {
                self.allow(Extension::Bare(&property), start)?;
                self.check(rules::comparable(&property, EdmType::Boolean), start)?;
                Ok(Expr::IsTrue(property))
            }
            Operand::Value(_) | Operand::Null | Operand::Folded(_) => {
                Err(self.unexpected("a comparison: eq, ne, gt, ge, lt or le"))
            }
        }
    }

    /// The error of a word that cannot follow a term; `open` is where the last open parenthesis is.
    fn after_term(&self, term: &Term, open: Option<usize>) -> crate::Error {
        if let Kind::Word(word) = self.next.kind {
            if matches!(word, "add" | "sub" | "mul" | "div" | "mod") {
                return self.error(rules::not_implemented(&format!("the operator {word}")), self.next.start);
            }
            let lower = word.to_ascii_lowercase();
            if lower != word && (rules::is_reserved(&lower) || lower == "in") {
                let fault = Fault::invalid(format!("operators are written in lower case: {lower}"));
                return self.error(fault, self.next.start);
            }
        }
        match (term, open) {
            (Term::Side(_), _) => self.unexpected("a comparison: eq, ne, gt, ge, lt or le"),
            (Term::Condition(_), Some(start)) => {
                self.unexpected(&format!("'and', 'or' or the ')' for the '(' at {}", self.position(start)))
            }
            (Term::Condition(_), None) => self.unexpected("'and', 'or' or the end"),
        }
    }

    fn expect_comma(&mut self) -> Result<()> {
        match self.next.kind {
            Kind::Comma => self.advance().map(|_| ()),
            _ => Err(self.unexpected("','")),
        }
    }

    /// The parenthesis that closes what was opened at `start`.
    fn expect_close(&mut self, start: usize) -> Result<()> {
        match self.next.kind {
            Kind::Close => self.advance().map(|_| ()),
            _ => Err(self.unexpected(&format!("')' for the '(' at {}", self.position(start)))),
        }
    }

    /// Takes the next word.
    fn advance(&mut self) -> Result<Token<'a>> {
        let following = self.lexer.token()?;
        Ok(std::mem::replace(&mut self.next, following))
    }

    fn allow(&self, extension: Extension<'_>, start: usize) -> Result<()> {
        self.check(rules::allow(extension, self.mode), start)
    }

    fn check(&self, outcome: Result<(), Fault>, start: usize) -> Result<()> {
        outcome.map_err(|fault| self.error(fault, start))
    }

    fn error(&self, fault: Fault, start: usize) -> crate::Error {
        self.lexer.error(fault, start)
    }

    fn position(&self, start: usize) -> usize {
        self.lexer.position(start)
    }

    /// The error of a word that is not what should be here.
    fn unexpected(&self, expected: &str) -> crate::Error {
        let found = match &self.next.kind {
            Kind::Open => "'('".to_owned(),
            Kind::Close => "')'".to_owned(),
            Kind::Comma => "','".to_owned(),
            Kind::Word(word) => format!("'{}'", excerpt(word)),
            Kind::Literal(Value::String(_), text) => format!("the text {}", excerpt(text)),
            Kind::Literal(_, text) => format!("the value {}", excerpt(text)),
            Kind::Parameter(name) => format!("the parameter @{}", excerpt(name)),
            Kind::End => "the end".to_owned(),
        };
        self.error(Fault::invalid(format!("expected {expected}, found {found}")), self.next.start)
    }
}

fn folded_if(folded: bool, text: String) -> String {
    if folded { fold::fold_case(&text) } else { text }
}

/// The functions of OData that the service, and this store, do not have (S7.2.8).
fn is_odata_function(name: &str) -> bool {
    matches!(
        name,
        "substringof"
            | "length"
            | "indexof"
            | "replace"
            | "substring"
            | "toupper"
            | "trim"
            | "concat"
            | "year"
            | "month"
            | "day"
            | "hour"
            | "minute"
            | "second"
            | "round"
            | "floor"
            | "ceiling"
            | "isof"
            | "cast"
            | "any"
            | "all"
    )
}
