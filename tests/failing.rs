//! Each call that the store makes of the system may fail, once or from then on. Then it is said which way the step that
//! needed it went; nothing is half done; what was acknowledged is there; and when calls succeed again, so do steps.

use entable::Store;
use entable_tests::acks::Acks;
use entable_tests::steps::{Followed, make_tables, verify};
use entable_tests::{folders, shim, tier};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Steps of a run, half of them before the store is closed and opened again.
const STEPS: u64 = 14;
/// How many numbers of a kind of call are tried in the fast tier.
const SHORT: usize = 12;

/// Kinds of call (`shim/fail.c`), with the errors that they give.
const CALLS: [(&str, &[i32]); 10] = [
    ("write", &[libc::ENOSPC, libc::EIO]),
    ("late", &[libc::EIO]),
    ("sync", &[libc::EIO]),
    ("open", &[libc::EMFILE, libc::EACCES]),
    ("name", &[libc::EIO]),
    ("truncate", &[libc::ENOSPC]),
    ("map", &[libc::ENOMEM, libc::EINVAL]),
    ("allocation", &[libc::ENOMEM]),
    ("read", &[libc::EIO]),
    ("lock", &[libc::ENOLCK]),
];

/// What came of a run.
struct Outcome {
    /// How many calls of the kind there were, and how many failed.
    calls: usize,
    failures: usize,
    /// Names of error codes, as they came.
    codes: Vec<String>,
}

#[test]
fn every_call_may_fail() {
    let tools = tempfile::tempdir().expect("a folder");
    let shim = shim::build("fail", tools.path());
    let code = code_of_lmdb(Path::new(PROGRAM));
    let (mut runs, mut failed) = (0, 0);
    let mut wrong = Vec::new();
    for (call, errors) in CALLS {
        let count = match run(&shim, &code, &format!("{call} 0 0 once")) {
            Ok(outcome) => outcome.calls,
            Err(failure) => panic!("{call}: without a failure: {failure}"),
        };
        assert!(count > 0, "{call}: nothing that could fail");
        let mut codes = BTreeMap::<String, usize>::new();
        // In the long tier every number, until the run needs no more.
        let stride = if tier::is_long() { 1 } else { count.div_ceil(SHORT).max(1) };
        for (error, times) in errors.iter().flat_map(|error| [(error, "once"), (error, "always")]) {
            for number in (1..=count).step_by(stride) {
                let plan = format!("{call} {number} {error} {times}");
                runs += 1;
                match run(&shim, &code, &plan) {
                    Ok(outcome) => {
                        // Commits that are shared make a run shorter by some calls than another one.
                        let is_shorter = outcome.calls < number;
                        assert!(outcome.failures > 0 || is_shorter, "{plan}: {} calls, none failed", outcome.calls);
                        failed += usize::from(outcome.failures > 0);
                        outcome.codes.into_iter().for_each(|code| *codes.entry(code).or_default() += 1);
                    }
                    Err(failure) => wrong.push(format!("{plan}: {failure}")),
                }
            }
        }
        tier::announce(format_args!("{call}: {count} calls in a run, errors {codes:?}"));
    }
    tier::announce(format_args!("{failed} of {runs} runs with a call that failed"));
    assert!(failed * 100 >= runs * 95, "{failed} of {runs} runs with a call that failed");
    assert!(wrong.is_empty(), "{} of {runs} runs:\n{}", wrong.len(), wrong.join("\n"));
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_store_persist");

/// Runs the program on a new file with calls that fail as `plan` says, and looks at what it leaves.
fn run(shim: &Path, code: &str, plan: &str) -> Result<Outcome, String> {
    let folder = folders::quick();
    let (path, acks, said) =
        (folder.path().join("place/store.ent"), folder.path().join("acks"), folder.path().join("said"));
    std::fs::create_dir(folder.path().join("place")).expect("a folder");
    let output = Command::new(PROGRAM)
        .args([&path, &acks])
        .args([STEPS.to_string(), "3".into()])
        .env("LD_PRELOAD", shim)
        .env("ENTABLE_FAIL", plan)
        .env("ENTABLE_FAIL_UNDER", folder.path().join("place"))
        .env("ENTABLE_FAIL_CODE", code)
        .env("ENTABLE_FAIL_SAID", &said)
        .output()
        .expect("the program runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{}: {}", output.status, stderr.lines().take(3).collect::<Vec<_>>().join(" | ")));
    }
    let said = std::fs::read_to_string(said).map_err(|error| format!("no count of calls: {error}"))?;
    let numbers: Vec<usize> = said.split_whitespace().map(|number| number.parse().expect("a number")).collect();
    let [calls, failures] = numbers[..] else { return Err(format!("{said:?} is no count")) };
    let codes: Vec<_> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();

    let mut followed = Followed::new(3);
    let acknowledged = Acks::open(&acks).expect("a file").get(3);
    // One failure must not keep a program from its end.
    if plan.ends_with("once") && acknowledged < STEPS {
        return Err(format!("only {acknowledged} steps were done; errors {codes:?}"));
    }
    let store = Store::open(&path).map_err(|error| format!("afterwards it does not open: {error:?}"))?;
    make_tables(&store).map_err(|error| format!("afterwards it has no tables: {error:?}"))?;
    followed.check(&store, acknowledged)?;
    for _ in 0..2 {
        let step = followed.steps;
        followed.stream.perform(&store, step).map_err(|error| format!("afterwards step {step}: {error:?}"))?;
        followed.check(&store, step + 1)?;
    }
    store.close();
    drop(store);
    verify(&path)?;
    Ok(Outcome { calls, failures, codes })
}

/// Where LMDB's code begins and ends in a program, counted from where the program begins.
fn code_of_lmdb(program: &Path) -> String {
    let output = Command::new("nm").args(["--numeric-sort", "--defined-only"]).arg(program).output();
    let output = output.expect("`nm`, which comes with the C compiler");
    let text = String::from_utf8_lossy(&output.stdout);
    let symbols: Vec<(u64, &str)> = text
        .lines()
        .filter_map(|line| {
            let (address, rest) = line.split_once(' ')?;
            let name = rest.strip_prefix("t ").or_else(|| rest.strip_prefix("T "))?;
            Some((u64::from_str_radix(address, 16).ok()?, name))
        })
        .collect();
    let is_lmdb = |name: &str| name.trim_start_matches('_').starts_with("mdb_");
    let first = symbols.iter().position(|(_, name)| is_lmdb(name)).expect("LMDB is in the program");
    let last = symbols.iter().rposition(|(_, name)| is_lmdb(name)).expect("LMDB is in the program");
    let end = symbols.get(last + 1).expect("more comes after LMDB").0;
    format!("{:x} {end:x}", symbols[first].0)
}

#[test]
fn a_table_that_was_not_made_is_not_there() {
    let tools = tempfile::tempdir().expect("a folder");
    let shim = shim::build("fail", tools.path());
    let folder = folders::quick();
    let path = folder.path().join("store.ent");
    Store::open(&path).expect("a store").close();
    // The first write of the first commit: nothing of it reaches the file.
    let output = Command::new(env!("CARGO_BIN_EXE_store_declare"))
        .arg(&path)
        .args(["retry", "Rows", "P"])
        .env("LD_PRELOAD", shim)
        .env("ENTABLE_FAIL", format!("write 1 {} once", libc::ENOSPC))
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "StoreFull\nTableNotFound\nTableNotFound\n");
}
