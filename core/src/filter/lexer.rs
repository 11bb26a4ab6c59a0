//! The words of a filter, one at a time.

use super::literal;
use super::rules::{self, Fault};
use crate::model::{Value, names};
use crate::{Error, Mode, Result};

/// A word of a filter, and where it begins, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) start: usize,
    pub(super) kind: Kind<'a>,
}

#[derive(Clone, Debug)]
pub(super) enum Kind<'a> {
    Open,
    Close,
    Comma,
    /// A name, an operator, or a function.
    Word(&'a str),
    /// A literal, with its text.
    Literal(Value, &'a str),
    /// A parameter's name, without `@`.
    Parameter(&'a str),
    End,
}

/// Reads words as they are asked for, so that the first error in the text is the one that is reported.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    mode: Mode,
    /// Where the next word or the blanks before it begin, in bytes.
    next: usize,
    last: Last,
}

/// What the last word was, as far as the next one may touch it (S7.2.3).
#[derive(Clone, Copy, Debug, PartialEq)]
enum Last {
    /// The beginning, a parenthesis, or a comma.
    Delimiter,
    Word,
    Quoted,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, mode: Mode) -> Lexer<'a> {
        Lexer { text, mode, next: 0, last: Last::Delimiter }
    }

    /// The error of a fault at a place in bytes.
    pub(super) fn error(&self, fault: Fault, start: usize) -> Error {
        let position = self.position(start + fault.offset_bytes());
        fault.at(position)
    }

    /// A place in bytes as one in characters.
    pub(super) fn position(&self, start: usize) -> usize {
        self.text.get(..start).unwrap_or(self.text).chars().count()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.next..).unwrap_or_default()
    }

    /// The next word. After the last one, `End` for ever.
    pub(super) fn token(&mut self) -> Result<Token<'a>> {
        let rest = self.rest();
        let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let touches = trimmed.len() == rest.len() && self.last != Last::Delimiter;
        self.next += rest.len() - trimmed.len();
        let start = self.next;
        let Some(first) = trimmed.chars().next() else {
            return Ok(Token { start, kind: Kind::End });
        };
        if touches && (matches!(first, '\'' | '@' | '-') || names::continues_identifier(first)) {
            let hint = match self.last {
                Last::Quoted => "; a quote within a text is written twice: 'O''Hara'",
                Last::Word | Last::Delimiter => "",
            };
            let fault = Fault::invalid(format!("expected a blank, found {}{hint}", shown(first)));
            return Err(self.error(fault, start));
        }
        let (length, kind) = self.read(trimmed, first).map_err(|fault| self.error(fault, start))?;
        self.next += length;
        self.last = match kind {
            Kind::Open | Kind::Close | Kind::Comma => Last::Delimiter,
            Kind::Literal(_, text) if text.ends_with('\'') => Last::Quoted,
            Kind::Literal(..) | Kind::Word(_) | Kind::Parameter(_) | Kind::End => Last::Word,
        };
        Ok(Token { start, kind })
    }

    /// Reads the word at the beginning of `rest`: its length in bytes, and what it is.
    fn read(&self, rest: &'a str, first: char) -> Result<(usize, Kind<'a>), Fault> {
        match first {
            '(' => Ok((1, Kind::Open)),
            ')' => Ok((1, Kind::Close)),
            ',' => Ok((1, Kind::Comma)),
            '\'' => {
                let (text, length) = quoted(rest)?;
                Ok((length, literal(rest, length, Value::String(text))))
            }
            '@' => {
                let name = identifier(rest.get(1..).unwrap_or_default());
                if name.is_empty() {
                    return Err(Fault::invalid("expected the name of a parameter after @"));
                }
                Ok((1 + name.len(), Kind::Parameter(name)))
            }
            '-' if matches!(identifier(rest.get(1..).unwrap_or_default()), "INF" | "Infinity") => {
                let length = 1 + identifier(rest.get(1..).unwrap_or_default()).len();
                Ok((length, literal(rest, length, Value::Double(f64::NEG_INFINITY))))
            }
            '-' if !rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit) => {
                Err(rules::not_implemented("the operator -"))
            }
            '-' | '0'..='9' => {
                let length = number_length(rest);
                let value = literal::number(rest.get(..length).unwrap_or(rest))?;
                Ok((length, literal(rest, length, value)))
            }
            _ if names::starts_identifier(first) => self.read_word(rest),
            _ => Err(unexpected(rest, first)),
        }
    }

    fn read_word(&self, rest: &'a str) -> Result<(usize, Kind<'a>), Fault> {
        let word = identifier(rest);
        let after = rest.get(word.len()..).unwrap_or_default();
        if !after.starts_with('\'') {
            let kind = match literal::word(word) {
                Some(value) => Kind::Literal(value, word),
                None => Kind::Word(word),
            };
            return Ok((word.len(), kind));
        }
        let (text, quoted_length) = quoted(after).map_err(|fault| fault.further(word.len()))?;
        let length = word.len() + quoted_length;
        match literal::prefixed(word, &text, self.mode) {
            Some(value) => Ok((length, literal(rest, length, value?))),
            None => Err(Fault::invalid(match literal::prefix_in_another_case(word) {
                Some(prefix) => format!("a literal's prefix is written in lower case: {prefix}'…'"),
                None => format!("there is no literal {}'…'", literal::excerpt(word)),
            })),
        }
    }
}

fn literal<'a>(rest: &'a str, length: usize, value: Value) -> Kind<'a> {
    Kind::Literal(value, rest.get(..length).unwrap_or(rest))
}

/// The identifier at the beginning of a text; empty if there is none.
fn identifier(text: &str) -> &str {
    if !text.chars().next().is_some_and(names::starts_identifier) {
        return "";
    }
    let length = text.find(|c| !names::continues_identifier(c)).unwrap_or(text.len());
    text.get(..length).unwrap_or(text)
}

/// The text in quotes at the beginning of `rest`, which begins with one, and its length with the quotes.
fn quoted(rest: &str) -> Result<(String, usize), Fault> {
    let mut text = String::new();
    let mut length = 1;
    loop {
        let piece = rest.get(length..).unwrap_or_default();
        let Some(end) = piece.find('\'') else {
            return Err(Fault::invalid("this quote is never closed"));
        };
        text.push_str(piece.get(..end).unwrap_or_default());
        length += end + 1;
        if !rest.get(length..).unwrap_or_default().starts_with('\'') {
            return Ok((text, length));
        }
        text.push('\'');
        length += 1;
    }
}

/// Everything from the first digit or sign on that is no delimiter, so that `5x` is one wrong number, not two words.
fn number_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mantissa = |end: usize| {
        bytes.get(..end).unwrap_or_default().iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'))
    };
    let belongs = |at: usize, byte: u8| match byte {
        _ if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') => true,
        b'+' | b'-' if at > 0 => matches!(bytes.get(at - 1), Some(b'e' | b'E')) && mantissa(at - 1),
        _ => at == 0,
    };
    bytes.iter().enumerate().find(|(at, byte)| !belongs(*at, **byte)).map_or(rest.len(), |(at, _)| at)
}

fn unexpected(rest: &str, first: char) -> Fault {
    let found = shown(first);
    match first {
        '/' if matches!(identifier(rest.get(1..).unwrap_or_default()), "any" | "all") => {
            rules::not_implemented(identifier(rest.get(1..).unwrap_or_default()))
        }
        '"' => Fault::invalid("found '\"': a text stands in single quotes"),
        '<' | '>' | '=' | '!' => Fault::invalid(format!("found {found}: comparisons are eq, ne, gt, ge, lt and le")),
        '&' | '|' => Fault::invalid(format!("found {found}: terms are joined by and, or")),
        _ => Fault::invalid(format!("found {found}, which begins no word of a filter")),
    }
}

fn shown(c: char) -> String {
    format!("'{}'", literal::excerpt(c.encode_utf8(&mut [0; 4])))
}
