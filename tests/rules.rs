//! Every rule has a vector, or a reason why none can show it; nothing cites a rule that does not exist.

use entable::ErrorCode;
use entable_tests::vectors::{self, Object};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

fn rules() -> Object {
    vectors::read("rules.json")["rules"].as_object().expect("rules").clone()
}

/// Every case of every vector file, with the file's name.
fn cases() -> Vec<(String, Json)> {
    let cases_of = |file: String| {
        let cases = vectors::read(&file)["cases"].as_array().expect("cases").clone();
        cases.into_iter().map(move |case| (file.clone(), case))
    };
    vectors::files().into_iter().flat_map(cases_of).collect()
}

/// The ids of rules in a text, such as `S4.2.3` and `S3.2/string`.
fn cited(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '/' || c == '-';
    let mut ids = BTreeSet::new();
    for (at, _) in text.match_indices('S') {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.' || c == '/' || c == '\'') {
            continue;
        }
        let word: String = text[at..].chars().take_while(|c| is_part(*c)).collect();
        let word = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let numbers = &word[1..word.find('/').unwrap_or(word.len())];
        let is_id = !numbers.is_empty() && numbers.split('.').all(|part| part.parse::<u32>().is_ok());
        if is_id {
            ids.insert(word.to_owned());
        }
    }
    ids
}

/// Whether the id is a rule's, or that of a section with rules in it.
fn exists(id: &str, rules: &Object) -> bool {
    let is_below = |rule: &String| rule.strip_prefix(id).is_some_and(|rest| rest.starts_with(['.', '/']));
    rules.contains_key(id) || rules.keys().any(is_below)
}

fn assert_none(failures: Vec<String>) {
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn citations_are_found_in_text() {
    let check = |text: &str, expected: &[&str]| {
        assert_eq!(cited(text), expected.iter().map(|id| (*id).to_owned()).collect(), "{text}");
    };
    check("by S4.2.3, and (S3.2/string).", &["S4.2.3", "S3.2/string"]);
    check("S7.2–S7.6; S6.12-x", &["S7.2", "S7.6"]);
    check("S2.1/Edm.String S7.6/12", &["S2.1/Edm.String", "S7.6/12"]);
    check("US1.2 Stop S SHA256 _S1 S1a", &[]);
}

#[test]
fn every_rule_has_a_vector_or_a_reason() {
    let rules = rules();
    let mut shown: BTreeSet<String> = BTreeSet::new();
    for (_, case) in cases() {
        shown.extend(case["rules"].as_array().expect("rules").iter().map(|id| id.as_str().expect("an id").to_owned()));
    }
    let table = vectors::read("truth_table.json");
    shown.extend(table["rows"].as_array().expect("rows").iter().map(|row| format!("S7.6/{}", row["n"])));
    let mut failures = Vec::new();
    for (id, rule) in &rules {
        let reason = rule.get("not_embedded").map(|reason| reason.as_str().expect("a reason"));
        match (shown.contains(id), reason) {
            (false, None) => failures.push(format!("{id} has no vector and no reason")),
            (true, Some(_)) => failures.push(format!("{id} has a vector, and a reason why it cannot")),
            (false, Some(reason)) if reason.len() < 10 => failures.push(format!("{id}: a reason is a sentence")),
            _ => {}
        }
    }
    failures.extend(shown.iter().filter(|id| !rules.contains_key(*id)).map(|id| format!("no rule {id}")));
    let without = rules.values().filter(|rule| rule.get("not_embedded").is_some()).count();
    println!("{} rules, {} of them not of an embedded store, {} vectors", rules.len(), without, cases().len());
    assert_none(failures);
}

#[test]
fn names_of_vectors_are_claims_of_their_own() {
    let mut places = BTreeMap::<String, Vec<String>>::new();
    for (file, case) in cases() {
        let name = case["name"].as_str().expect("a name");
        let is_snake_case = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        assert!(is_snake_case, "{file}: {name}");
        places.entry(name.to_owned()).or_default().push(file);
    }
    assert_none(places.iter().filter(|(_, files)| files.len() > 1).map(|it| format!("twice: {it:?}")).collect());
}

#[test]
fn the_manual_and_the_list_have_the_same_rules() {
    let rules = rules();
    let text = std::fs::read_to_string(root().join("docs/semantics.md")).expect("the manual");
    let mut mentioned = cited(&text);
    let mut failures: Vec<_> =
        mentioned.iter().filter(|id| !exists(id, &rules)).map(|id| format!("no rule {id} in rules.json")).collect();
    // "S6.12–S6.15" stands for all between.
    for (from, to) in
        text.split_whitespace().filter_map(|word| word.trim_matches(|c| c == '|' || c == '(').split_once('–'))
    {
        let split = |id: &str| Some((id.rsplit_once('.')?.0.to_owned(), id.rsplit_once('.')?.1.parse::<u32>().ok()?));
        if let (Some((section, first)), Some((same, last))) = (split(from), split(to))
            && section == same
        {
            mentioned.extend((first..=last).map(|number| format!("{section}.{number}")));
        }
    }
    for (id, rule) in &rules {
        // A family that the manual tells as a whole: the eight types, the kinds of literals, the truth table.
        let is_told = match id.split_once('/') {
            Some((family @ ("S2.1" | "S7.2" | "S7.6"), _)) => mentioned.contains(family),
            _ => mentioned.contains(id),
        };
        if !is_told && rule.get("not_embedded").is_none() {
            failures.push(format!("docs/semantics.md does not tell {id}"));
        }
    }
    assert_none(failures);
}

#[test]
fn what_core_and_manuals_cite_exists() {
    let rules = rules();
    let mut failures = Vec::new();
    let mut count = 0;
    let mut folders = vec![root().join("core"), root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs" || end == "md") {
                let ids = cited(&std::fs::read_to_string(&path).expect("text"));
                count += ids.len();
                let unknown = ids.iter().filter(|id| !exists(id, &rules));
                failures.extend(unknown.map(|id| format!("{}: no rule {id}", path.display())));
            }
        }
    }
    println!("{count} citations");
    assert!(count > 100);
    assert_none(failures);
}

#[test]
fn every_code_of_the_service_is_provoked_by_a_vector() {
    fn codes_in(json: &Json, found: &mut BTreeSet<String>) {
        match json {
            Json::Object(members) => {
                found.extend(members.get("code").and_then(Json::as_str).map(str::to_owned));
                members.values().for_each(|member| codes_in(member, found));
            }
            Json::Array(items) => items.iter().for_each(|item| codes_in(item, found)),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    cases().iter().for_each(|(_, case)| codes_in(case, &mut found));
    // Those from 100 on are the store's own: `codes.rs` provokes them.
    let of_service = ErrorCode::ALL.iter().filter(|code| (**code as u16) < 100).map(|code| code.name().to_owned());
    assert_none(of_service.filter(|code| !found.contains(code)).map(|code| format!("no vector has {code}")).collect());
    let known: BTreeSet<_> = ErrorCode::ALL.iter().map(|code| code.name().to_owned()).collect();
    assert_none(found.difference(&known).map(|code| format!("vectors have a code {code}")).collect());
}
