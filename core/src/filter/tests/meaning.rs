//! What filters mean: forms that are the same filter, extensions, parameters, the builder, depth.

use super::Sample;
use crate::filter::ast::{CompareOp, Expr, Property};
use crate::filter::{Filter, Parameters, eval, parse, property};
use crate::limits::FILTER_DEPTH;
use crate::model::fold::fold_case;
use crate::{DateTime, ErrorCode, Mode, UntypedNumber, Value};

fn tree(text: &str) -> Expr {
    parse(text, &Parameters::new(), Mode::Portable).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn sample() -> Sample {
    Sample::new("p", "r", DateTime::from_ticks(0).unwrap())
}

/// Checks which of the filters take the entity.
fn check(entity: &Sample, mode: Mode, filters: &[(&str, bool)]) {
    for &(text, expected) in filters {
        let expr = parse(text, &Parameters::new(), mode).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(eval::matches(&expr, entity, mode), expected, "{text} {mode:?}");
    }
}

#[test]
fn forms_of_one_filter() {
    for (text, written) in [
        ("", "true"),
        (" \t\r\n", "true"),
        ("TRUE", "true"),
        ("'a' lt S", "S gt 'a'"),
        ("'a' le S", "S ge 'a'"),
        ("'a' gt S", "S lt 'a'"),
        ("'a' ge S", "S le 'a'"),
        ("'a' ne S", "S ne 'a'"),
        ("((I)) eq ((5))", "I eq 5"),
        ("((5)) eq (I)", "I eq 5"),
        ("not I eq 5", "not (I eq 5)"),
        ("not not (I eq 5)", "not (not (I eq 5))"),
        ("not(I eq 5)and(not J eq 6)", "not (I eq 5) and not (J eq 6)"),
        ("a eq 1 and (b eq 2 and c eq 3)", "a eq 1 and b eq 2 and c eq 3"),
        ("(a eq 1 or b eq 2) or c eq 3", "a eq 1 or b eq 2 or c eq 3"),
        ("(a eq 1 or b eq 2) and c eq 3", "(a eq 1 or b eq 2) and c eq 3"),
        ("(a eq 1 and b eq 2) or c eq 3", "a eq 1 and b eq 2 or c eq 3"),
        ("not (a eq 1 or b eq 2)", "not (a eq 1 or b eq 2)"),
        ("(Bt)", "Bt"),
        ("not Bt", "not (Bt)"),
        ("(not Bt)", "not (Bt)"),
        ("(not (Bt)) or (true)", "not (Bt) or true"),
        ("P eq null", "P eq null"),
        ("null ne P", "P ne null"),
        ("not (P ne null)", "not (P ne null)"),
        ("startswith( tolower( P ) ,'AB' )", "startswith(tolower(P), 'ab')"),
        ("'É' ge tolower(P)", "tolower(P) le 'é'"),
        ("tolower(P) in('A','b')", "tolower(P) in ('a', 'b')"),
        ("P in(1,2L,  'c')", "P in (1, 2L, 'c')"),
        ("in in ('a') and contains eq 1 and tolower eq 2", "in in ('a') and contains eq 1 and tolower eq 2"),
        ("guid eq 1 and datetime eq 2 and X eq 3 and add eq 4", "guid eq 1 and datetime eq 2 and X eq 3 and add eq 4"),
        ("Null eq 1", "Null eq 1"),
        ("D eq 5d", "D eq 5.0"),
        ("D eq -5e-1D", "D eq -0.5"),
        ("D eq 5E+2", "D eq 500.0"),
        ("D eq 1.797693134862315e308", "D eq 1.797693134862315e308"),
        ("D eq 1e-400", "D eq 0.0"),
        ("D eq -0.0", "D eq -0.0"),
        ("D eq Infinity or D eq -Infinity or D eq NaN", "D eq INF or D eq -INF or D eq NaN"),
        ("I eq 0005 or I eq -0 or I eq -2147483648", "I eq 5 or I eq 0 or I eq -2147483648"),
        ("L eq -9223372036854775808l", "L eq -9223372036854775808L"),
        ("B eq binary'0aFF' or B eq x''", "B eq X'0aff' or B eq X''"),
        ("W eq datetime'2020-01-01T01:00:00.10+01:00'", "W eq datetime'2020-01-01T00:00:00.1Z'"),
        ("S eq '''' or S eq ''", "S eq '''' or S eq ''"),
        ("Ünï eq '\n'", "Ünï eq '\n'"),
    ] {
        let expr = tree(text);
        assert_eq!(expr.to_string(), written, "{text}");
        assert_eq!(tree(written), expr, "{text}");
    }
}

#[test]
fn the_tree_is_flat() {
    let member = |name: &str| Expr::Compare { property: Property::named(name), op: CompareOp::Eq, value: 1.into() };
    assert_eq!(
        tree("a eq 1 and b eq 1 or (c eq 1 or not d eq 1) or RowKey in ('1')"),
        Expr::Or(vec![
            Expr::And(vec![member("a"), member("b")]),
            member("c"),
            Expr::Not(Box::new(member("d"))),
            Expr::In { property: Property::RowKey, values: vec!["1".into()] },
        ])
    );
}

#[test]
fn extensions() {
    let entity = sample().with("S", "Straße in OSLO").with("I", 5).with("D", 2.5).with("T", true).with("F", false);
    let entity = entity.with("N", f64::NAN);
    check(
        &entity,
        Mode::Portable,
        &[
            ("startswith(S, 'Stra')", true),
            ("startswith(S, '')", true),
            ("startswith(S, 'stra')", false),
            ("startswith(tolower(S), 'STRA')", true),
            ("endswith(S, 'OSLO')", true),
            ("endswith(S, 'oslo')", false),
            ("endswith(tolower(S), 'Oslo')", true),
            ("contains(S, 'ße i')", true),
            ("contains(S, 'SSE')", false),
            ("contains(tolower(S), 'E IN O')", true),
            ("startswith(I, '5')", false),
            ("not startswith(I, '5')", true),
            ("contains(M, '')", false),
            ("not contains(M, '')", true),
            ("startswith(PartitionKey, 'p') and endswith(RowKey, 'r')", true),
            ("tolower(S) eq 'straße in oslo'", true),
            ("tolower(S) eq 'Straße in Oslo'", true),
            ("tolower(S) ne 'straße in oslo'", false),
            ("tolower(S) ge 'straße'", true),
            ("tolower(S) lt 'STRASSF'", true),
            ("tolower(I) ne 'a'", false),
            ("tolower(M) ne 'a'", false),
            ("S in ('a', 'Straße in OSLO')", true),
            ("S in ('a', 'straße in oslo')", false),
            ("tolower(S) in ('a', 'Straße in Oslo')", true),
            ("I in ('5', 6, 5.0)", true),
            ("I in ('5', 6)", false),
            ("N in (NaN)", false),
            ("M in (1)", false),
            ("not (M in (1))", true),
            ("M eq null", true),
            ("M ne null", false),
            ("S eq null", false),
            ("S ne null", true),
            ("PartitionKey eq null or Timestamp eq null", false),
            ("T", true),
            ("F", false),
            ("not F", true),
            ("I", false),
            ("M", false),
            ("not M", true),
        ],
    );
}

#[test]
fn folding_a_folded_text_changes_nothing() {
    // The tree keeps folded texts, and its own text is folded again when it is parsed.
    for c in '\0'..=char::MAX {
        let folded = fold_case(&c.to_string());
        assert_eq!(fold_case(&folded), folded, "{c:?}");
    }
}

#[test]
fn numbers_by_mode() {
    let big = (1_i64 << 53) + 1;
    let entity = sample().with("I", 5).with("L", big).with("D", big as f64).with("N", f64::NAN).with("Z", -0.0);
    // By value in portable, by the literal's type in strict.
    for (text, portable, strict) in [
        ("I eq 5", true, true),
        ("I eq 5L", true, false),
        ("I eq 5.0", true, false),
        ("I lt 5.5", true, false),
        ("I ne 6L", true, false),
        ("I ne 6.0", true, false),
        ("I ne NaN", true, false),
        ("I eq NaN", false, false),
        ("L gt 9007199254740992.0", true, false),
        ("L eq 9007199254740992.0", false, false),
        ("D eq 9007199254740992L", true, false),
        ("D lt 9007199254740993L", true, false),
        ("D gt 5", true, true),
        ("L gt 5", true, true),
        ("N ne 5", true, true),
        ("N ne NaN", true, true),
        ("N ge 5 or N lt 5 or N eq 5", false, false),
        ("Z eq 0.0", true, true),
        ("Z ge 0", true, true),
        ("Z lt 0.0", false, false),
    ] {
        check(&entity, Mode::Portable, &[(text, portable)]);
        check(&entity, Mode::Extended, &[(text, portable)]);
        check(&entity, Mode::Strict, &[(text, strict)]);
    }
}

#[test]
fn parameters_stand_wherever_a_literal_may() {
    let parameters = Parameters::from([("s", Value::from("x' or 'a' eq 'a")), ("t", true.into()), ("and", 5.into())])
        .with("é", 1.5)
        .with("unused", "");
    let check = |text: &str, written: &str| {
        let filter = Filter::parse_with(text, &parameters, Mode::Portable).unwrap();
        assert_eq!(filter.to_string(), written);
    };
    check("S eq @s", "S eq 'x'' or ''a'' eq ''a'");
    check("@and lt I and (B eq @t)", "I gt 5 and B eq true");
    check("D in (@é,@and , 'c')", "D in (1.5, 5, 'c')");
    check("startswith(tolower(S),@s)", "startswith(tolower(S), 'x'' or ''a'' eq ''a')");
    check("@t", "true");
    check("tolower(S) ne @s", "tolower(S) ne 'x'' or ''a'' eq ''a'");
    let error = Filter::parse_with("PartitionKey eq @and", &parameters, Mode::Portable).unwrap_err();
    assert_eq!((error.code(), error.details().position), (ErrorCode::InvalidInput, Some(16)));
    let year_one = Parameters::from([("w", DateTime::from_ticks(0).unwrap())]);
    let error = Filter::parse_with("W gt @w", &year_one, Mode::Portable).unwrap_err();
    assert_eq!((error.code(), error.details().position), (ErrorCode::InvalidInput, Some(5)));
    Filter::parse_with("W gt @w", &year_one, Mode::Extended).unwrap();
}

#[test]
fn untyped_numbers_are_written_as_their_client_would() {
    use UntypedNumber::{Integer, Number};
    for (number, strict, portable) in [
        (Integer(5), "5", "5"),
        (Integer(2_147_483_648), "2147483648L", "2147483648L"),
        (Number(5.0), "5", "5"),
        (Number(5.5), "5.5", "5.5"),
        (Number(2_147_483_648.0), "2147483648.0", "2147483648L"),
        (Number(-0.0), "0", "-0.0"),
        (Number(f64::NAN), "NaN", "NaN"),
        (Number(f64::NEG_INFINITY), "-INF", "-INF"),
    ] {
        for (mode, literal) in [(Mode::Strict, strict), (Mode::Portable, portable), (Mode::Extended, portable)] {
            let filter = Filter::parse_with("N eq @n", &Parameters::new().with("n", number), mode).unwrap();
            assert_eq!(filter.to_string(), format!("N eq {literal}"), "{number:?} {mode:?}");
        }
    }
}

#[test]
fn the_builder_says_what_text_says() {
    let text = "(City eq 'Oslo' or City in ('Bergen', 'Moss')) and not (Total lt 10.5) and Lines ge 3 and Id ne 7L \
                and RowKey le 'z' and RowKey gt 'a' and startswith(Name, 'O''') and endswith(tolower(Name), 'a') \
                and contains(Name, '') and Paid and Gone eq null and There ne null and tolower(A) in ('x') \
                and tolower(A) lt 'y'";
    let built = property("City")
        .eq("Oslo")
        .or(property("City").is_in(["Bergen", "Moss"]))
        .and(!property("Total").lt(10.5))
        .and(property("Lines").ge(3))
        .and(property("Id").ne(7_i64))
        .and(property("RowKey").le("z"))
        .and(property("RowKey").gt("a"))
        .and(property("Name").starts_with("O'"))
        .and(property("Name").ignore_case().ends_with("A"))
        .and(property("Name").contains(""))
        .and(property("Paid").is_true())
        .and(property("Gone").is_null())
        .and(property("There").is_not_null())
        .and(property("A").ignore_case().is_in(["X"]))
        .and(property("A").ignore_case().lt("Y"));
    assert_eq!(built.to_string(), text);
    assert_eq!(Filter::parse(text).unwrap(), built);
    built.check(Mode::Portable).unwrap();
    assert_eq!(built.check(Mode::Strict).unwrap_err().code(), ErrorCode::InvalidInput);
    assert_eq!(property("A").is_in(Vec::<i32>::new()).to_string(), "false");
    assert_eq!(property("A").ignore_case().is_in(Vec::<&str>::new()).to_string(), "false");
}

#[test]
fn built_filters_that_text_cannot_say_are_refused_when_checked() {
    let time = DateTime::from_ticks(0).unwrap();
    for (filter, code, property_name) in [
        (property("PartitionKey").eq(5), ErrorCode::InvalidInput, Some("PartitionKey")),
        (property("A").eq(1).or(!property("Timestamp").gt("2020")), ErrorCode::InvalidInput, Some("Timestamp")),
        (property("RowKey").is_in([5]), ErrorCode::InvalidInput, Some("RowKey")),
        (property("Timestamp").starts_with("2"), ErrorCode::InvalidInput, Some("Timestamp")),
        (property("Timestamp").is_true(), ErrorCode::InvalidInput, Some("Timestamp")),
        (property("a b").eq(1), ErrorCode::InvalidInput, Some("a b")),
        (property("and").is_null(), ErrorCode::InvalidInput, Some("and")),
        (property("True").eq(1), ErrorCode::InvalidInput, Some("True")),
        (property("NaN").eq(1), ErrorCode::InvalidInput, Some("NaN")),
        (property("").eq(1), ErrorCode::InvalidInput, Some("")),
        (property("W").eq(time), ErrorCode::InvalidInput, None),
    ] {
        let error = filter.check(Mode::Portable).unwrap_err();
        assert_eq!((error.code(), error.details().property.as_deref()), (code, property_name), "{filter}: {error}");
    }
    property("W").eq(time).check(Mode::Extended).unwrap();
}

/// Runs on a stack that is small for a thread of any system.
/// Half of what a thread of Rust has: enough without optimization, too.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(1 << 20).spawn(test).unwrap().join().unwrap();
}

#[test]
fn nesting_is_limited_and_never_overflows_the_stack() {
    on_a_small_stack(|| {
        let refused = |text: &str, position: usize| {
            let error = parse(text, &Parameters::new(), Mode::Portable).unwrap_err();
            assert_eq!(error.details().position, Some(position), "{error}");
            assert_eq!((error.details().limit, error.details().actual), (Some(256), Some(257)), "{error}");
        };
        let taken = |text: &str| {
            let expr = tree(text);
            assert_eq!(tree(&expr.to_string()), expr.clone());
            eval::matches(&expr, &sample(), Mode::Portable);
        };
        refused(&"(".repeat(1_000_000), FILTER_DEPTH);
        refused(&"not ".repeat(1_000_000), 4 * FILTER_DEPTH);
        refused(&"not(".repeat(1_000_000), 4 * FILTER_DEPTH);
        refused(&format!("I eq {}", "(".repeat(1_000_000)), 5 + FILTER_DEPTH);
        refused(&"a eq 1 and (b eq 1 or ".repeat(1_000), 22 * FILTER_DEPTH + 11);
        let nested = |open: &str, middle: &str, close: &str| {
            format!("{}{middle}{}", open.repeat(FILTER_DEPTH), close.repeat(FILTER_DEPTH))
        };
        taken(&nested("(", "I eq 5", ")"));
        taken(&nested("(", "I", ")"));
        taken(&nested("not ", "I eq 5", ""));
        taken(&nested("not (", "I eq 5", ")"));
        taken(&nested("a eq 1 and (b eq 1 or ", "c eq 1", ")"));
        taken(&nested("a eq 1 and not (b eq 1 or ", "c eq 1", ")"));
        // What was closed does not count any more.
        taken(&vec!["(not (not (a eq (1))))"; 1_000].join(" and "));
    });
}

#[test]
fn long_filters_are_flat() {
    on_a_small_stack(|| {
        let text = vec!["RowKey eq 'abc'"; 100_000].join(" or ");
        let expr = tree(&text);
        assert!(matches!(&expr, Expr::Or(parts) if parts.len() == 100_000));
        assert_eq!(expr.to_string(), text);
        let text = format!("A in ({})", vec!["5"; 100_000].join(","));
        assert!(matches!(tree(&text), Expr::In { values, .. } if values.len() == 100_000));
        let built = (0..100_000).fold(Filter::default(), |filter, number| filter.and(property("A").ne(number)));
        assert!(matches!(built.expr(), Expr::And(parts) if parts.len() == 100_001));
    });
}

#[test]
fn built_filters_are_limited_in_depth_too() {
    on_a_small_stack(|| {
        let deep = (0..FILTER_DEPTH).fold(property("A").eq(1), |filter, _| !filter);
        deep.check(Mode::Strict).unwrap();
        assert_eq!(Filter::parse(&deep.to_string()).unwrap(), deep);
        let error = deep.not().check(Mode::Strict).unwrap_err();
        assert_eq!((error.details().limit, error.details().actual), (Some(256), Some(257)), "{error}");
        let deep = (0..1_000_000).fold(property("A").eq(1), |filter, number| match number % 2 {
            0 => filter.or(property("A").eq(2)),
            _ => filter.and(property("A").eq(3)),
        });
        assert_eq!(deep.check(Mode::Portable).unwrap_err().details().limit, Some(256));
    });
}
