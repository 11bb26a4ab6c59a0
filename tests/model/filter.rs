//! Filters as the model has them: a tree, its text, and what it means for a row.

use crate::row::Row;
use crate::value::{self, Outcome, V, folded, units};
use entable::{Mode, Query, Value};
use entable_tests::random::Random;
use std::cmp::Ordering;

#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Compare { name: String, op: &'static str, constant: V, how: Written },
    In { name: String, constants: Vec<V> },
    Text { function: &'static str, name: String, text: String, is_folded: bool },
    Folded { name: String, op: &'static str, text: String },
    IsNull(String),
    IsNotNull(String),
    IsTrue(String),
    Constant(bool),
    Not(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
}

/// How a comparison is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Written {
    Straight,
    /// The constant first.
    Turned,
    /// The constant as a parameter.
    Parameter,
}

const OPS: [&str; 6] = ["eq", "ne", "gt", "ge", "lt", "le"];

/// Names of properties. The last is no entity's; the first two differ in case only.
pub(crate) const NAMES: [&str; 7] = ["Size", "size", "Name", "Kind", "Été", "_x", "Missing"];

/// What a tree is made for.
pub(crate) struct Maker<'a> {
    pub(crate) random: &'a mut Random,
    pub(crate) is_strict: bool,
    /// Keys and Timestamps that occur.
    pub(crate) partition_keys: &'a [String],
    pub(crate) row_keys: &'a [String],
    pub(crate) times: &'a [i64],
}

impl Maker<'_> {
    /// A filter: a constant alone, or a tree that asks for some property (S7.2.7).
    pub(crate) fn filter(&mut self) -> Tree {
        loop {
            let tree = if self.random.percent(25) { self.of_keys() } else { self.tree(3) };
            if matches!(tree, Tree::Constant(_)) || has_property(&tree) {
                return tree;
            }
        }
    }

    fn tree(&mut self, depth: usize) -> Tree {
        let parts = |maker: &mut Self| {
            let count = 2 + maker.random.below(2);
            (0..count).map(|_| maker.tree(depth - 1)).collect()
        };
        match self.random.below(if depth == 0 { 10 } else { 24 }) {
            0..=9 => self.leaf(),
            10..=13 => Tree::Not(Box::new(self.tree(depth - 1))),
            14..=18 => Tree::And(parts(self)),
            _ => Tree::Or(parts(self)),
        }
    }

    /// What programs ask most: some keys, perhaps of several partitions, and perhaps more of their rows.
    fn of_keys(&mut self) -> Tree {
        let mut tree = self.keys_of_partition();
        while self.random.percent(30) {
            tree = Tree::Or(vec![tree, self.keys_of_partition()]);
        }
        if self.random.percent(40) { Tree::And(vec![tree, self.tree(1)]) } else { tree }
    }

    fn keys_of_partition(&mut self) -> Tree {
        let partition_key = V::Text(self.random.pick(self.partition_keys));
        let partition = self.compare("PartitionKey", "eq", partition_key);
        let row_key = |maker: &mut Self| V::Text(maker.random.pick(maker.row_keys));
        let rows = match self.random.below(if self.is_strict { 4 } else { 6 }) {
            0 | 1 => {
                let key = row_key(self);
                self.compare("RowKey", "eq", key)
            }
            2 => {
                let bounds = [("ge", row_key(self)), ("lt", row_key(self))];
                Tree::And(bounds.map(|(op, key)| self.compare("RowKey", op, key)).into())
            }
            3 => return partition,
            4 => {
                let constants = (0..2 + self.random.below(3)).map(|_| row_key(self)).collect();
                Tree::In { name: "RowKey".into(), constants }
            }
            _ => {
                let text = self.random.pick(&["1", "k", "o", "😀"]).into();
                Tree::Text { function: "startswith", name: "RowKey".into(), text, is_folded: false }
            }
        };
        Tree::And(vec![partition, rows])
    }

    fn compare(&mut self, name: &str, op: &'static str, constant: V) -> Tree {
        let how = self.random.pick(&[Written::Straight, Written::Turned, Written::Parameter]);
        Tree::Compare { name: name.into(), op, constant, how }
    }

    fn leaf(&mut self) -> Tree {
        if !self.is_strict && self.random.percent(25) {
            return self.extension();
        }
        let how = self.random.pick(&[Written::Straight, Written::Straight, Written::Turned, Written::Parameter]);
        let op = self.random.pick(&OPS);
        match self.random.below(20) {
            0 => Tree::Constant(self.random.percent(50)),
            1..=9 => {
                let (name, constant) = self.key();
                Tree::Compare { name, op, constant, how }
            }
            _ => Tree::Compare { name: self.name(), op, constant: value::value(self.random), how },
        }
    }

    /// A key or the Timestamp, and a value that occurs.
    fn key(&mut self) -> (String, V) {
        match self.random.below(8) {
            0..=3 => ("PartitionKey".into(), V::Text(self.random.pick(self.partition_keys))),
            4..=6 => ("RowKey".into(), V::Text(self.random.pick(self.row_keys))),
            _ => ("Timestamp".into(), V::Date(self.random.pick(self.times))),
        }
    }

    fn name(&mut self) -> String {
        self.random.pick(&NAMES).into()
    }

    fn extension(&mut self) -> Tree {
        let text = value::text(self.random);
        let is_folded = self.random.percent(30);
        match self.random.below(8) {
            0 | 1 => {
                let name = if self.random.percent(60) { self.name() } else { self.key_name() };
                let function = self.random.pick(&["startswith", "endswith", "contains"]);
                Tree::Text { function, name, text, is_folded }
            }
            2 => {
                let count = 1 + self.random.below(4);
                let (name, _) = self.key();
                let constants = (0..count).map(|_| {
                    loop {
                        let (other, constant) = self.key();
                        if other == name {
                            break constant;
                        }
                    }
                });
                let constants = constants.collect();
                Tree::In { name, constants }
            }
            3 => {
                let count = 1 + self.random.below(4);
                let constants = (0..count).map(|_| value::value(self.random)).collect();
                Tree::In { name: self.name(), constants }
            }
            4 => Tree::Folded { name: self.name(), op: self.random.pick(&OPS), text },
            5 => Tree::IsNull(self.name()),
            6 => Tree::IsNotNull(self.name()),
            _ => Tree::IsTrue(self.name()),
        }
    }

    fn key_name(&mut self) -> String {
        self.random.pick(&["PartitionKey", "RowKey"]).into()
    }
}

fn has_property(tree: &Tree) -> bool {
    match tree {
        Tree::Constant(_) => false,
        Tree::Not(inner) => has_property(inner),
        Tree::And(parts) | Tree::Or(parts) => parts.iter().any(has_property),
        _ => true,
    }
}

/// A query of the tree: its text, with parameters where the tree says so.
pub(crate) fn query(tree: &Tree) -> Query {
    let mut parameters = Vec::new();
    let text = text(tree, &mut parameters);
    Query::filter(text).parameters(self::parameters(&parameters).collect())
}

/// The parameters of a text.
pub(crate) fn parameters(values: &[V]) -> impl Iterator<Item = (String, Value)> {
    values.iter().enumerate().map(|(at, value)| (format!("p{at}"), value.to_store()))
}

/// The text alone, for messages.
pub(crate) fn shown(tree: &Tree) -> String {
    let mut parameters = Vec::new();
    let text = text(tree, &mut parameters);
    format!("{text} with {parameters:?}")
}

/// The text, and the values of `@p0`, `@p1` … in it.
pub(crate) fn text(tree: &Tree, parameters: &mut Vec<V>) -> String {
    let parenthesised = |tree: &Tree, parameters: &mut Vec<V>| format!("({})", text(tree, parameters));
    match tree {
        Tree::Compare { name, op, constant, how } => match how {
            Written::Straight => format!("{name} {op} {}", constant.literal()),
            Written::Turned => {
                let turned = match *op {
                    "gt" => "lt",
                    "ge" => "le",
                    "lt" => "gt",
                    "le" => "ge",
                    same => same,
                };
                format!("{} {turned} {name}", constant.literal())
            }
            Written::Parameter => {
                parameters.push(constant.clone());
                format!("{name} {op} @p{}", parameters.len() - 1)
            }
        },
        Tree::In { name, constants } => {
            let constants: Vec<_> = constants.iter().map(V::literal).collect();
            format!("{name} in ({})", constants.join(", "))
        }
        Tree::Text { function, name, text, is_folded } => {
            let name = if *is_folded { format!("tolower({name})") } else { name.clone() };
            format!("{function}({name}, {})", V::Text(text.clone()).literal())
        }
        Tree::Folded { name, op, text } => format!("tolower({name}) {op} {}", V::Text(text.clone()).literal()),
        Tree::IsNull(name) => format!("{name} eq null"),
        Tree::IsNotNull(name) => format!("{name} ne null"),
        Tree::IsTrue(name) => name.clone(),
        Tree::Constant(value) => value.to_string(),
        // Without parentheses where the grammar needs none: precedence is tried, too.
        Tree::Not(inner) => match **inner {
            Tree::And(_) | Tree::Or(_) => format!("not {}", parenthesised(inner, parameters)),
            _ => format!("not {}", text(inner, parameters)),
        },
        Tree::And(parts) => {
            let parts: Vec<_> = parts
                .iter()
                .map(|part| match part {
                    Tree::Or(_) => parenthesised(part, parameters),
                    _ => text(part, parameters),
                })
                .collect();
            parts.join(" and ")
        }
        Tree::Or(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| text(part, parameters)).collect();
            parts.join(" or ")
        }
    }
}

/// The property of a row; keys and Timestamp are properties here.
pub(crate) fn property(row: &Row, name: &str) -> Option<V> {
    match name {
        "PartitionKey" => Some(V::Text(row.partition_key.clone())),
        "RowKey" => Some(V::Text(row.row_key.clone())),
        "Timestamp" => Some(V::Date(row.timestamp)),
        _ => row.properties.get(name).cloned(),
    }
}

fn holds(op: &str, outcome: Outcome) -> bool {
    let Outcome::Ordered(order) = outcome else { return op == "ne" };
    match op {
        "eq" => order == Ordering::Equal,
        "ne" => order != Ordering::Equal,
        "gt" => order == Ordering::Greater,
        "ge" => order != Ordering::Less,
        "lt" => order == Ordering::Less,
        _ => order != Ordering::Greater,
    }
}

/// Whether the row is one that the filter asks for.
pub(crate) fn is_match(tree: &Tree, row: &Row, mode: Mode) -> bool {
    let is_strict = mode == Mode::Strict;
    let compare = |name: &str, op: &str, constant: &V| {
        property(row, name).and_then(|value| value.compare(constant, is_strict)).is_some_and(|order| holds(op, order))
    };
    let text_of = |name: &str| match property(row, name) {
        Some(V::Text(text)) => Some(text),
        _ => None,
    };
    match tree {
        Tree::Compare { name, op, constant, .. } => compare(name, op, constant),
        Tree::In { name, constants } => constants.iter().any(|constant| compare(name, "eq", constant)),
        Tree::Text { function, name, text, is_folded } => {
            let Some(mut value) = text_of(name) else { return false };
            let mut text = text.clone();
            if *is_folded {
                (value, text) = (folded(&value), folded(&text));
            }
            let (value, text) = (units(&value), units(&text));
            match *function {
                "startswith" => value.starts_with(&text),
                "endswith" => value.ends_with(&text),
                _ => text.is_empty() || value.windows(text.len()).any(|part| part == text),
            }
        }
        Tree::Folded { name, op, text } => text_of(name)
            .is_some_and(|value| holds(op, Outcome::Ordered(units(&folded(&value)).cmp(&units(&folded(text)))))),
        Tree::IsNull(name) => property(row, name).is_none(),
        Tree::IsNotNull(name) => property(row, name).is_some(),
        Tree::IsTrue(name) => matches!(property(row, name), Some(V::Bool(true))),
        Tree::Constant(value) => *value,
        Tree::Not(inner) => !is_match(inner, row, mode),
        Tree::And(parts) => parts.iter().all(|part| is_match(part, row, mode)),
        Tree::Or(parts) => parts.iter().any(|part| is_match(part, row, mode)),
    }
}

/// The types, as the tally names them.
const TYPES: [&str; 8] = ["Int32", "Int64", "Double", "DateTime", "Guid", "Boolean", "String", "Binary"];

fn type_of(value: &V) -> &'static str {
    match value {
        V::I32(_) => TYPES[0],
        V::I64(_) => TYPES[1],
        V::F64(_) => TYPES[2],
        V::Date(_) => TYPES[3],
        V::Guid(_) => TYPES[4],
        V::Bool(_) => TYPES[5],
        V::Text(_) => TYPES[6],
        V::Bytes(_) => TYPES[7],
    }
}

/// Every kind of question that [`asked`] can tell of.
pub(crate) fn questions() -> impl Iterator<Item = String> {
    let compared = OPS.into_iter().chain(["in"]).flat_map(|op| TYPES.map(|name| format!("asked: {op} {name}")));
    let folded = OPS.map(|op| format!("asked: tolower {op}"));
    let functions = ["startswith", "endswith", "contains"]
        .into_iter()
        .flat_map(|name| [format!("asked: {name}"), format!("asked: {name} tolower")]);
    let alone = ["eq null", "ne null", "a Boolean alone", "not", "turned", "parameter"];
    compared.chain(folded).chain(functions).chain(alone.map(|name| format!("asked: {name}")))
}

/// Tells what the tree asks of the rows: what meets a value that can answer it in one row at least.
pub(crate) fn asked<'a>(
    tree: &Tree,
    rows: impl Iterator<Item = &'a Row> + Clone,
    mode: Mode,
    tell: &mut impl FnMut(&str),
) {
    let is_met = |name: &str, can_answer: &dyn Fn(&V) -> bool| {
        rows.clone().any(|row| property(row, name).is_some_and(|value| can_answer(&value)))
    };
    let is_text = |value: &V| matches!(value, V::Text(_));
    let meets = |constant: &V, value: &V| value.compare(constant, mode == Mode::Strict).is_some();
    match tree {
        Tree::Compare { name, op, constant, how } => {
            if is_met(name, &|value| meets(constant, value)) {
                tell(&format!("asked: {op} {}", type_of(constant)));
                match how {
                    Written::Straight => {}
                    Written::Turned => tell("asked: turned"),
                    Written::Parameter => tell("asked: parameter"),
                }
            }
        }
        Tree::In { name, constants } => {
            for constant in constants {
                if is_met(name, &|value| meets(constant, value)) {
                    tell(&format!("asked: in {}", type_of(constant)));
                }
            }
        }
        Tree::Text { function, name, is_folded, .. } => {
            if is_met(name, &is_text) {
                tell(&format!("asked: {function}{}", if *is_folded { " tolower" } else { "" }));
            }
        }
        Tree::Folded { name, op, .. } => {
            if is_met(name, &is_text) {
                tell(&format!("asked: tolower {op}"));
            }
        }
        Tree::IsNull(name) if is_met(name, &|_| true) => tell("asked: eq null"),
        Tree::IsNotNull(name) if is_met(name, &|_| true) => tell("asked: ne null"),
        Tree::IsTrue(name) if is_met(name, &|value| matches!(value, V::Bool(_))) => tell("asked: a Boolean alone"),
        Tree::IsNull(_) | Tree::IsNotNull(_) | Tree::IsTrue(_) | Tree::Constant(_) => {}
        Tree::Not(inner) => {
            tell("asked: not");
            asked(inner, rows, mode, tell);
        }
        Tree::And(parts) | Tree::Or(parts) => {
            parts.iter().for_each(|part| asked(part, rows.clone(), mode, tell));
        }
    }
}
