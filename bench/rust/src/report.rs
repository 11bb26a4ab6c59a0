//! Goals, results, and the table that shows both.

use crate::measure::Sample;
use crate::peers::ENTABLE;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const LANG: &str = "rust";

/// A goal: `ratio` of entable to a peer, or an amount in the operation's own unit where there is no peer.
#[derive(Deserialize)]
pub(crate) struct Goal {
    lang: String,
    op: String,
    /// The layouts that it is for.
    layouts: Vec<String>,
    peer: String,
    at_most: f64,
}

/// The peer of goals that are amounts.
const NONE: &str = "none";

/// A line of the results.
#[derive(Serialize)]
pub(crate) struct Line {
    lang: &'static str,
    pub(crate) op: String,
    layout: String,
    peer: String,
    ratio: Option<f64>,
    goal: Option<f64>,
    met: Option<bool>,
    /// Least and most of the ratio over the rounds.
    spread: Option<[f64; 2]>,
    unit: &'static str,
    entable: Option<f64>,
    against: Option<f64>,
}

impl Line {
    pub(crate) fn is_measured(&self) -> bool {
        self.ratio.is_some()
    }
}

pub(crate) fn goals(path: &Path) -> Vec<Goal> {
    let text = fs::read_to_string(path).expect("the goals");
    let goals: Vec<Goal> = serde_json::from_str(&text).expect("goals of the known form");
    goals.into_iter().filter(|goal| goal.lang == LANG).collect()
}

/// The lines of a layout: every goal, measured or not, then what was measured beside.
pub(crate) fn lines(layout: &str, samples: &[Sample], goals: &[Goal]) -> Vec<Line> {
    let mut lines = Vec::new();
    let of_layout = || goals.iter().filter(|goal| goal.layouts.iter().any(|name| name == layout));
    for goal in of_layout() {
        let sample = samples.iter().find(|sample| sample.op == goal.op);
        let mut line = line(layout, &goal.op, &goal.peer, sample);
        line.goal = Some(goal.at_most);
        line.met = Some(line.ratio.is_some_and(|ratio| ratio <= goal.at_most));
        lines.push(line);
    }
    for sample in samples {
        let has_goal = |peer: &str| of_layout().any(|goal| goal.op == sample.op && goal.peer == peer);
        let others = sample.peers.iter().map(|(name, _)| *name).filter(|name| *name != ENTABLE && !has_goal(name));
        lines.extend(others.map(|peer| line(layout, &sample.op, peer, Some(sample))));
    }
    lines
}

fn line(layout: &str, op: &str, peer: &str, sample: Option<&Sample>) -> Line {
    let ratio = sample.and_then(|sample| match peer {
        NONE => sample.median(ENTABLE).map(|amount| [amount; 3]),
        peer => sample.ratio(ENTABLE, peer),
    });
    Line {
        lang: LANG,
        op: op.to_owned(),
        layout: layout.to_owned(),
        peer: peer.to_owned(),
        ratio: ratio.map(|[_, median, _]| rounded(median)),
        goal: None,
        met: None,
        spread: ratio.map(|[least, _, most]| [rounded(least), rounded(most)]),
        unit: sample.map_or("", |sample| sample.unit),
        entable: sample.and_then(|sample| sample.median(ENTABLE)).map(rounded),
        against: sample.and_then(|sample| sample.median(peer)).map(rounded),
    }
}

fn rounded(figure: f64) -> f64 {
    (figure * 1000.0).round() / 1000.0
}

/// Puts the lines in place of those of their layouts; what other languages' programs wrote stays.
pub(crate) fn write(path: &Path, lines: &[Line]) {
    let old: Vec<Value> = match fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).expect("results of the known form"),
        Err(_) => Vec::new(),
    };
    let is_replaced =
        |row: &Value| row["lang"] == LANG && lines.iter().any(|line| row["layout"] == line.layout.as_str());
    let kept = old.into_iter().filter(|row| !is_replaced(row));
    let rows: Vec<String> = kept.chain(lines.iter().map(|line| json!(line))).map(|row| format!("  {row}")).collect();
    fs::write(path, format!("[\n{}\n]\n", rows.join(",\n"))).expect("the results are written");
}

/// Prints the lines as a Markdown table.
pub(crate) fn print(lines: &[Line]) {
    println!("| layout | op | entable | peer | its figure | ratio (spread) | goal | met |");
    println!("|---|---|---|---|---|---|---|---|");
    for line in lines {
        let number = |number: Option<f64>| number.map_or("-".to_owned(), short);
        let ratio = match (line.ratio, line.spread) {
            (Some(ratio), Some([least, most])) if least != most => format!("{ratio:.2} ({least:.2} to {most:.2})"),
            (Some(ratio), _) => format!("{ratio:.2}"),
            (None, _) => "not measured".to_owned(),
        };
        let met = match line.met {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "",
        };
        let goal = line.goal.map_or(String::new(), |goal| format!("{goal}"));
        println!(
            "| {} | {} | {} {} | {} | {} | {ratio} | {goal} | {met} |",
            line.layout,
            line.op,
            number(line.entable),
            line.unit,
            line.peer,
            number(line.against)
        );
    }
    let with_goal: Vec<bool> = lines.iter().filter_map(|line| line.met).collect();
    println!("\n{} of {} goals met.", with_goal.iter().filter(|met| **met).count(), with_goal.len());
}

fn short(figure: f64) -> String {
    if figure >= 100.0 { format!("{figure:.0}") } else { format!("{figure:.2}") }
}
