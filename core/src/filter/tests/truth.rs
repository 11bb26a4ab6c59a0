//! The truth table of S7.6, row by row.

use super::Sample;
use crate::filter::{Parameters, eval, parse};
use crate::{DateTime, Mode, Value};
use Answer::{E, F, T};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Answer {
    /// The entity is returned.
    T,
    /// It is not.
    F,
    /// The filter is refused with this status.
    E(u16),
}

fn entity() -> Sample {
    let time = |text: &str| Value::DateTime(text.parse().unwrap());
    let timestamp: DateTime = "2026-12-01T12:00:00.1234567Z".parse().unwrap();
    Sample::new("p1", "r1", timestamp)
        .with("S", "abc")
        .with("Es", "")
        .with("O", "o'clock")
        .with("Sp", "a b")
        .with("U", "\u{e000}")
        .with("V", "\u{1f600}")
        .with("I", 5)
        .with("N", -5)
        .with("L", 5_i64)
        .with("B9", 9_007_199_254_740_993_i64)
        .with("D", 5.0)
        .with("F", 0.1)
        .with("Nan", f64::NAN)
        .with("Inf", f64::INFINITY)
        .with("Bt", true)
        .with("Bf", false)
        .with("W", time("2020-01-01T00:00:00Z"))
        .with("W7", time("2020-01-01T00:00:00.0000001Z"))
        .with("G", Value::Guid("11111111-2222-3333-4444-5555555555aa".parse().unwrap()))
        .with("Bin", vec![1, 2, 255])
}

#[test]
fn every_row_of_the_truth_table_holds() {
    let entity = entity();
    let mut wrong = Vec::new();
    for &(row, text, strict, portable) in TABLE {
        for (mode, expected) in [(Mode::Strict, strict), (Mode::Portable, portable), (Mode::Extended, portable)] {
            let answer = match parse(text, &Parameters::new(), mode) {
                Ok(expr) if eval::matches(&expr, &entity, mode) => T,
                Ok(_) => F,
                Err(error) => E(error.status()),
            };
            if answer != expected {
                wrong.push(format!("{row}: {text}: {mode:?}: {answer:?}, not {expected:?}"));
            }
        }
    }
    assert_eq!(TABLE.len(), 128);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Number, filter, answer in strict, answer in portable and extended (with the store's own functions).
const TABLE: &[(u32, &str, Answer, Answer)] = &[
    (1, "PartitionKey eq 'p1'", T, T),
    (2, "'p1' eq PartitionKey", T, T),
    (3, "'p0' lt PartitionKey", T, T),
    (4, "PartitionKey eq 'P1'", F, F),
    (5, "PartitionKey eq 'p1' and RowKey eq 'r1'", T, T),
    (6, "PartitionKey ge 'p' and PartitionKey lt 'q'", T, T),
    (7, "RowKey gt 'r1'", F, F),
    (8, "RowKey ge 'r1'", T, T),
    (9, "RowKey gt ''", T, T),
    (10, "RowKey ge ''", T, T),
    (11, "S eq 'abc'", T, T),
    (12, "S eq 'ABC'", F, F),
    (13, "S eq 'abc '", F, F),
    (14, "S gt 'Z'", T, T),
    (15, "S lt 'abd'", T, T),
    (16, "S ge 'ab' and S lt 'ac'", T, T),
    (17, "S gt 'ab'", T, T),
    (18, "Es eq ''", T, T),
    (19, "Es ne ''", F, F),
    (20, "Es lt 'a'", T, T),
    (21, "S ne ''", T, T),
    (22, "M eq 'x'", F, F),
    (23, "M ne 'x'", F, F),
    (24, "M ne ''", F, F),
    (25, "M lt 'x'", F, F),
    (26, "M gt ''", F, F),
    (27, "not (M eq 'x')", T, T),
    (28, "not (M ge '')", T, T),
    (29, "M eq 'x' or S eq 'abc'", T, T),
    (30, "s eq 'abc'", F, F),
    (31, "I eq 5", T, T),
    (32, "I ne 5", F, F),
    (33, "I gt 4", T, T),
    (34, "I ge 5", T, T),
    (35, "I lt 5", F, F),
    (36, "I le 5", T, T),
    (37, "N eq -5", T, T),
    (38, "N lt 0", T, T),
    (39, "I eq 5L", F, T),
    (40, "I eq 5.0", F, T),
    (41, "I eq '5'", F, F),
    (42, "I ne '5'", F, F),
    (43, "not (I eq '5')", T, T),
    (44, "L eq 5L", T, T),
    (45, "L eq 5", T, T),
    (46, "L gt 4", T, T),
    (47, "L lt 13L", T, T),
    (48, "L eq '5'", F, F),
    (49, "L eq 5.0", F, T),
    (50, "B9 eq 9007199254740993L", T, T),
    (51, "B9 eq 9007199254740992L", F, F),
    (52, "I lt 2147483648", E(400), E(400)),
    (53, "L lt 2147483648", E(400), E(400)),
    (54, "L lt 2147483648L", T, T),
    (55, "L gt -9223372036854775808L", T, T),
    (56, "L lt 9223372036854775808L", E(400), E(400)),
    (57, "D eq 5.0", T, T),
    (58, "D eq 5", T, T),
    (59, "D eq 5L", F, T),
    (60, "D gt 4.99", T, T),
    (61, "D eq 5e0", T, T),
    (62, "F eq 0.1", T, T),
    (63, "F lt 0.2", T, T),
    (64, "Nan eq NaN", F, F),
    (65, "Nan ne 5.0", T, T),
    (66, "Nan gt 0.0", F, F),
    (67, "Inf gt 1.0e308", T, T),
    (68, "Inf eq INF", T, T),
    (69, "Bt eq true", T, T),
    (70, "Bt eq false", F, F),
    (71, "Bt ne false", T, T),
    (72, "Bt gt false", T, T),
    (73, "Bt eq 'true'", F, F),
    (74, "Bt eq True", T, T),
    (75, "Bt", E(501), T),
    (76, "W eq datetime'2020-01-01T00:00:00Z'", T, T),
    (77, "W eq datetime'2020-01-01T00:00:00.000Z'", T, T),
    (78, "W eq datetime'2020-01-01T01:00:00+01:00'", T, T),
    (79, "W7 gt datetime'2020-01-01T00:00:00Z'", T, T),
    (80, "W eq '2020-01-01T00:00:00Z'", F, F),
    (81, "W lt datetime'2021-01-01T00:00:00'", T, T),
    (82, "Timestamp ge datetime'2026-12-01T00:00:00Z'", T, T),
    (83, "Timestamp eq datetime'2026-12-01T12:00:00.1234567Z'", T, T),
    (84, "Timestamp ge '2026-12-01'", E(400), E(400)),
    (85, "PartitionKey eq 5", E(400), E(400)),
    (86, "G eq guid'11111111-2222-3333-4444-5555555555aa'", T, T),
    (87, "G eq guid'11111111-2222-3333-4444-5555555555AA'", T, T),
    (88, "G lt guid'22222222-2222-2222-2222-222222222222'", T, T),
    (89, "G ne guid'22222222-2222-2222-2222-222222222222'", T, T),
    (90, "G eq '11111111-2222-3333-4444-5555555555aa'", F, F),
    (91, "G eq guid'1111'", E(400), E(400)),
    (92, "Bin eq X'0102ff'", T, T),
    (93, "Bin eq binary'0102FF'", T, T),
    (94, "Bin gt X'0102'", T, T),
    (95, "Bin lt X'0103'", T, T),
    (96, "Bin eq X'0102f'", E(400), E(400)),
    (97, "Bin eq 'AQL/'", F, F),
    (98, "O eq 'o''clock'", T, T),
    (99, "O eq 'o'clock'", E(400), E(400)),
    (100, "Sp eq 'a b'", T, T),
    (101, "U lt '\u{1f600}'", F, F),
    (102, "V lt '\u{e000}'", T, T),
    (103, "S eq 'x' or S eq 'abc' and I eq 6", F, F),
    (104, "S eq 'abc' or S eq 'x' and I eq 6", T, T),
    (105, "(S eq 'x' or S eq 'abc') and I eq 5", T, T),
    (106, "not (S eq 'x') and I eq 5", T, T),
    (107, "not S eq 'x'", T, T),
    (108, "not (not (I eq 5))", T, T),
    (109, "(S eq 'abc')and(I eq 5)", T, T),
    (110, "  I   eq 5  ", T, T),
    (111, "", T, T),
    (112, "true", T, T),
    (113, "false", F, F),
    (114, "true and I eq 5", T, T),
    (115, "1 eq 1", E(501), E(501)),
    (116, "I eq I", E(400), E(400)),
    (117, "S eq abc", E(400), E(400)),
    (118, "S eq null", E(400), F),
    (119, "S EQ 'abc'", E(400), E(400)),
    (120, "S eq \"abc\"", E(400), E(400)),
    (121, "startswith(S,'a')", E(501), T),
    (122, "substringof('b',S)", E(501), E(501)),
    (123, "I add 1 eq 6", E(501), E(501)),
    (124, "S in ('abc')", E(400), T),
    (125, "I eq 5 and", E(400), E(400)),
    (126, "(I eq 5", E(400), E(400)),
    (127, "I eq 5 eq true", E(400), E(400)),
    (128, "PartitionKey eq eq 'p1'", E(400), E(400)),
];
