//! Every protection of `sabotage.toml` is in the code as the list says, and its test is there. That the test turns red
//! without it is what `make sabotage` shows.

use entable_tests::protections;

#[test]
fn every_protection_is_in_the_code_once_and_has_its_test() {
    let protections = protections::read();
    let mut failures = Vec::new();
    for protection in &protections {
        let text = std::fs::read_to_string(protections::root().join(&protection.file)).expect("the file");
        match protection.taken_away(&text) {
            Ok(without) if without == text => failures.push(format!("{}: nothing is taken away", protection.what)),
            Ok(_) => {}
            Err(failure) => failures.push(failure),
        }
        let (target, cases) = protection.test.split_once(' ').unwrap_or((&protection.test, ""));
        if !matches!(target, "lib" | "loom") {
            let path = protections::root().join("tests").join(target).with_extension("rs");
            let tests = std::fs::read_to_string(path).unwrap_or_default();
            if !tests.contains("#[test]") || !tests.contains(cases) {
                failures.push(format!("{}: there is no test {:?}", protection.what, protection.test));
            }
        }
    }
    assert!(protections.len() >= 20, "{} protections", protections.len());
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
