//! What is refused, where, and in which words.

use crate::filter::{Filter, Parameters, parse};
use crate::{Error, ErrorCode, Mode};

fn refused(text: &str, mode: Mode) -> Error {
    match parse(text, &Parameters::new(), mode) {
        Ok(expr) => panic!("{text:?} is taken in {mode:?} as {expr}"),
        Err(error) => error,
    }
}

/// The same refusal in every mode.
fn check(text: &str, code: ErrorCode, position: usize, words: &str) {
    for mode in [Mode::Strict, Mode::Portable, Mode::Extended] {
        let error = refused(text, mode);
        assert_eq!((error.code(), error.details().position), (code, Some(position)), "{text:?} {mode:?}: {error}");
        let start = format!("{} At {position}: ", code.message());
        assert!(error.to_string().starts_with(&start), "{text:?} {mode:?}: {error}");
        assert!(error.to_string().contains(words), "{text:?} {mode:?}: {error}");
    }
}

fn invalid(text: &str, position: usize, words: &str) {
    check(text, ErrorCode::InvalidInput, position, words);
}

fn missing(text: &str, position: usize, words: &str) {
    check(text, ErrorCode::NotImplemented, position, words);
}

#[test]
fn errors_say_where() {
    invalid("Total gt", 8, "expected a value, found the end.");
    invalid("Total gt  ", 10, "expected a value, found the end.");
    invalid("Name eq 'x", 8, "this quote is never closed");
    invalid("Name eq 'x''", 8, "this quote is never closed");
    invalid("I eq 1 and G eq guid'11", 20, "this quote is never closed");
    invalid("'é😀' eq Ünï and 5", 17, "expected a comparison");
    invalid("I eq 5 and", 10, "expected a property or a value, found the end");
    invalid("and I eq 5", 0, "expected a property or a value, found 'and'");
    invalid("(I eq 5", 7, "expected 'and', 'or' or the ')' for the '(' at 0, found the end");
    invalid("I eq 5)", 6, "expected 'and', 'or' or the end, found ')'");
    invalid("((I eq 5)", 9, "the '(' at 0");
    invalid("I eq 5 and (S eq 'a' or ", 24, "found the end");
    invalid("()", 1, "expected a property or a value, found ')'");
    invalid("I eq ()", 6, "expected a value, found ')'");
    invalid("I eq (5", 7, "expected ')' for the '(' at 5");
    invalid("I eq 5 S eq 'a'", 7, "expected 'and', 'or' or the end, found 'S'");
    invalid("I eq 5 eq true", 7, "expected 'and', 'or' or the end, found 'eq'");
    invalid("P eq eq 'p1'", 5, "expected a value, found 'eq'");
    invalid("I not eq 5", 2, "expected a comparison");
    invalid("not", 3, "found the end");
    invalid("5", 1, "expected a comparison: eq, ne, gt, ge, lt or le, found the end");
    invalid("'abc'", 5, "expected a comparison");
    invalid("I, 5", 1, "found ','");
}

#[test]
fn words_need_blanks_between_them() {
    invalid("O eq 'o'clock'", 8, "a quote within a text is written twice: 'O''Hara'");
    invalid("S eq'abc'", 2, "there is no literal eq'…'");
    invalid("'a'eq S", 3, "expected a blank, found 'e'");
    invalid("I eq 5'a'", 6, "expected a blank, found '''");
    invalid("I eq 5-3", 6, "expected a blank, found '-'");
    invalid("I eq 5and S eq 'a'", 5, "5and is not a number");
    invalid("I eq true@x", 9, "expected a blank, found '@'");
}

#[test]
fn characters_that_no_filter_has_are_named() {
    invalid("RowKey > '5'", 7, "comparisons are eq, ne, gt, ge, lt and le");
    invalid("RowKey>'5'", 6, "found '>'");
    invalid("S eq \"abc\"", 5, "a text stands in single quotes");
    invalid("A eq 1 && B eq 2", 7, "terms are joined by and, or");
    invalid("My.Name eq 1", 2, "found '.'");
    invalid("my-name eq 1", 2, "expected a blank, found '-'");
    invalid("A eq 1;", 6, "found ';'");
    invalid("A eq 1\u{a0}", 6, "begins no word of a filter");
    invalid("A eq \0", 5, "found '\\u{0}'");
    invalid("A eq .5", 5, "found '.'");
    invalid("A eq +5", 5, "found '+'");
    invalid("A eq 5%", 6, "found '%'");
    invalid("A eq @", 5, "expected the name of a parameter after @");
    invalid("A eq @5", 5, "expected the name of a parameter after @");
    invalid("Nav/Name eq 5", 3, "found '/'");
}

#[test]
fn operators_and_prefixes_are_lower_case() {
    invalid("S EQ 'abc'", 2, "operators are written in lower case: eq");
    invalid("S eq 'a' AND S eq 'b'", 9, "operators are written in lower case: and");
    invalid("S IN ('a')", 2, "operators are written in lower case: in");
    invalid("G eq GUID'11111111-2222-3333-4444-5555555555aa'", 5, "lower case: guid'…'");
    invalid("G eq DateTime'2020-01-01T00:00:00Z'", 5, "lower case: datetime'…'");
}

#[test]
fn literals_out_of_range_or_form_are_refused() {
    let int32 = "Unrecognized 'Edm.Int32' literal '2147483648'";
    invalid("I lt 2147483648", 5, int32);
    invalid("I lt -2147483649", 5, "Unrecognized 'Edm.Int32' literal '-2147483649'");
    invalid("2147483648 gt I", 0, int32);
    invalid("L lt 9223372036854775808L", 5, "Unrecognized 'Edm.Int64' literal");
    invalid("L lt -9223372036854775809L", 5, "Unrecognized 'Edm.Int64' literal");
    invalid("D lt 1.797693134862316e308", 5, "Unrecognized 'Edm.Double' literal");
    invalid("D lt -1e309", 5, "Unrecognized 'Edm.Double' literal");
    for text in ["5.", "5.e1", "5e", "5e+", "5.0.0", "0x5", "5_000", "5LL", "5dL", "1e5L", "5e+x", "5e5.0", "5é"] {
        let error = refused(&format!("A eq {text}"), Mode::Portable);
        assert_eq!(error.code(), ErrorCode::InvalidInput, "{text}");
        assert!((5..=6).contains(&error.details().position.unwrap()), "{text}: {error}");
    }
    for text in ["1.5m", "1.5M", "1.5f", "5F", "-5m"] {
        invalid(&format!("A eq {text}"), 5, "a literal of a type that the data model does not have");
    }
    for text in ["time'13:20:00'", "datetimeoffset'2020-01-01T00:00:00Z'", "duration'P1D'"] {
        invalid(&format!("A eq {text}"), 5, "a literal of a type that the data model does not have");
    }
    invalid("G eq guid'1111'", 5, "'1111' is not an Edm.Guid");
    invalid("G eq guid'111111112222333344445555555555aa'", 5, "is not an Edm.Guid");
    invalid("B eq X'0102f'", 5, "'0102f' is not pairs of hexadecimal digits");
    invalid("B eq binary'0g'", 5, "is not pairs of hexadecimal digits");
    invalid("B eq X'é'", 5, "is not pairs of hexadecimal digits");
    invalid("B eq BINARY'00'", 5, "lower case: binary'…'");
    for text in ["", "2021-02-29T00:00:00Z", "2020-01-01T00:00:00+0100", "yesterday", "20-01-01T00:00:00Z"] {
        invalid(&format!("W eq datetime'{text}'"), 5, "is not a date and time");
    }
    for text in ["0001-01-01T00:00:00Z", "2020-01-01", "2020-01-01T00:00:00.12345678Z"] {
        let text = format!("W eq datetime'{text}'");
        for mode in [Mode::Strict, Mode::Portable] {
            assert_eq!(refused(&text, mode).details().position, Some(5));
        }
        parse(&text, &Parameters::new(), Mode::Extended).unwrap();
    }
}

#[test]
fn sides_must_be_a_property_and_a_constant() {
    invalid("I eq I", 5, "not with another property");
    invalid("S eq abc", 5, "a text stands in single quotes");
    invalid("(S) eq (abc)", 8, "not with another property");
    missing("1 eq 1", 5, "one side of a comparison is a property");
    missing("true eq true", 8, "one side of a comparison is a property");
    missing("I eq 5 and ('a' lt 'b')", 19, "one side of a comparison is a property");
    for word in ["and", "or", "eq", "ne", "gt", "ge", "lt", "le"] {
        invalid(&format!("{word} eq 5"), 0, "expected a property or a value");
        invalid(&format!("{word}(A) eq 5"), 0, "expected a property or a value");
        invalid(&format!("5 eq {word}"), 5, "expected a value");
    }
    invalid("not eq 5", 4, "expected a property or a value, found 'eq'");
}

#[test]
fn system_properties_have_their_types() {
    for (text, position, property) in [
        ("PartitionKey eq 5", 16, "PartitionKey"),
        ("5L lt RowKey", 0, "RowKey"),
        ("RowKey gt guid'11111111-2222-3333-4444-5555555555aa'", 10, "RowKey"),
        ("PartitionKey eq true", 16, "PartitionKey"),
        ("Timestamp ge '2026-12-01'", 13, "Timestamp"),
        ("(Timestamp) ne 5", 15, "Timestamp"),
    ] {
        invalid(text, position, &format!("{property} is an Edm."));
        let error = refused(text, Mode::Strict);
        assert_eq!(error.details().property.as_deref(), Some(property));
    }
    for text in [
        "PartitionKey",
        "not Timestamp",
        "startswith(Timestamp, '2')",
        "tolower(Timestamp) eq 'x'",
        "RowKey in ('a', 5)",
        "Timestamp in (datetime'2020-01-01T00:00:00Z', '2020')",
    ] {
        assert_eq!(refused(text, Mode::Portable).code(), ErrorCode::InvalidInput, "{text}");
    }
}

#[test]
fn functions_and_arithmetic_are_not_implemented() {
    missing("substringof('b',S)", 0, "substringof is not supported");
    missing("S eq 'a' or substringof('b', S) eq true", 12, "substringof");
    missing("toupper(S) eq 'A'", 0, "toupper");
    missing("S eq trim(' a ')", 5, "trim");
    missing("(year(W) eq 2020)", 1, "year");
    missing("length(S", 0, "length");
    missing("toupper(", 0, "toupper");
    missing("Tags/any(t: t eq 'a')", 4, "any");
    for operator in ["add", "sub", "mul", "div", "mod"] {
        missing(&format!("I {operator} 1 eq 6"), 2, operator);
        missing(&format!("I eq 5 {operator} 1"), 7, operator);
    }
    missing("-I eq 5", 0, "the operator -");
    missing("I eq - 5", 5, "the operator -");
    missing("I eq -(5)", 5, "the operator -");
    invalid("frobnicate(S)", 0, "there is no function frobnicate");
    invalid("S has 'a'", 2, "expected a comparison");
}

#[test]
fn strict_refuses_the_extensions_as_the_service_does() {
    use ErrorCode::{InvalidInput, NotImplemented};
    for (text, code, position) in [
        ("startswith(S,'a')", NotImplemented, 0),
        ("not endswith(S,'a')", NotImplemented, 4),
        ("I eq 5 and contains(S,'a')", NotImplemented, 11),
        ("startswith(", NotImplemented, 0),
        ("tolower(S) eq 'a'", NotImplemented, 0),
        ("'a' eq tolower(S)", NotImplemented, 7),
        ("S in ('abc')", InvalidInput, 2),
        ("S eq null", InvalidInput, 5),
        ("null ne S", InvalidInput, 0),
        ("Bt", NotImplemented, 0),
        ("(not (Bt)) and I eq 5", NotImplemented, 6),
        ("Bt and I eq 5", NotImplemented, 0),
        ("I eq 5 or Bt", NotImplemented, 10),
    ] {
        let error = refused(text, Mode::Strict);
        assert_eq!((error.code(), error.details().position), (code, Some(position)), "{text}: {error}");
        if text != "startswith(" {
            let filter = Filter::parse(text).unwrap();
            let of_tree = filter.check(Mode::Strict).unwrap_err();
            assert_eq!((of_tree.code(), of_tree.details().position), (code, None), "{text}: {of_tree}");
            filter.check(Mode::Portable).unwrap();
        }
    }
}

#[test]
fn extensions_are_checked_too() {
    for (text, position) in [
        ("startswith(S)", 12),
        ("startswith(S, 5)", 14),
        ("startswith(S, T)", 14),
        ("startswith('a', S)", 11),
        ("startswith(S, 'a'", 17),
        ("startswith(S, 'a', 'b')", 17),
        ("startswith(S, 'a') eq true", 19),
        ("S eq contains(S, 'a')", 5),
        ("tolower(S)", 10),
        ("tolower(S) eq 5", 14),
        ("tolower(S) eq null", 14),
        ("tolower(tolower(S)) eq 'a'", 8),
        ("tolower('a') eq S", 8),
        ("tolower(S) in ('a', 5)", 20),
        ("S gt null", 5),
        ("null", 4),
        ("S in ()", 6),
        ("S in 'a'", 5),
        ("S in ('a',)", 10),
        ("S in ('a' 'b')", 10),
        ("S in (null)", 6),
        ("S in (T)", 6),
        ("S in ('a'", 9),
        ("'a' in ('a')", 0),
    ] {
        for mode in [Mode::Portable, Mode::Extended] {
            let error = refused(text, mode);
            let found = (error.code(), error.details().position);
            assert_eq!(found, (ErrorCode::InvalidInput, Some(position)), "{text}: {error}");
        }
    }
}

#[test]
fn parentheses_of_functions_are_named_by_their_place() {
    let check = |text: &str, words: &str| {
        let error = refused(text, Mode::Portable);
        assert!(error.to_string().ends_with(words), "{text}: {error}");
    };
    check("startswith(S, 'a'", "At 17: expected ')' for the '(' at 10, found the end.");
    check("tolower(S eq 'a'", "At 10: expected ')' for the '(' at 7, found 'eq'.");
    check("S in ('a' 5)", "At 10: expected ',' or ')' for the '(' at 5, found the value 5.");
    check("tolower(trim(S)) eq 'a'", "At 8: trim is not supported in a filter.");
    check(&"tolower(".repeat(100_000), "At 8: tolower is taken of a property, not of a function.");
}

#[test]
fn a_missing_parameter_is_named() {
    invalid("I eq 5 and City eq @city", 19, "there is no parameter city");
    let error = parse("A eq @A", &Parameters::from([("a", 5)]), Mode::Portable).unwrap_err();
    assert_eq!(error.details().position, Some(5));
}

#[test]
fn messages_quote_only_the_beginning_of_long_words() {
    let error = refused(&format!("A eq {}", "9".repeat(1_000_000)), Mode::Portable);
    assert!(error.to_string().len() < 300, "{error}");
    let error = refused(&format!("A eq 5 '{}'", "é".repeat(1_000_000)), Mode::Portable);
    assert!(error.to_string().len() < 300, "{error}");
}

#[test]
fn the_manual_shows_errors_as_they_are() {
    let manual = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/filter.md")).unwrap();
    let rows = manual.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(". |")?.split_once("` | At "));
    let mut count = 0;
    for (text, error) in rows {
        let refusal = refused(text, Mode::Portable).to_string();
        assert!(refusal.ends_with(&format!(" At {error}.")), "{text}: {refusal}");
        count += 1;
    }
    assert_eq!(count, 10);
}
