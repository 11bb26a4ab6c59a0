//! Takes each protection of `sabotage.toml` away, in a copy of the repository, and finds that its test turns red:
//! `sabotage CARGO [WORD]`, with the command that builds and a word that the protections are chosen by.
//!
//! Run by `make sabotage`.

use entable_tests::protections::{self, Protection};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// A test that has not ended by then hangs: that is red, too.
const PATIENCE: Duration = Duration::from_secs(600);

/// The core is compiled anew for each protection: quickly, and with quick code below it.
const QUICK: [&str; 6] = [
    "--config",
    "profile.dev.opt-level=0",
    "--config",
    "profile.dev.debug=0",
    "--config",
    "profile.dev.package.\"*\".opt-level=1",
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Colour {
    Red,
    Hangs,
    Green,
    DoesNotCompile,
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let (cargo, word) = match &arguments[..] {
        [_, cargo] => (cargo, ""),
        [_, cargo, word] => (cargo, word.as_str()),
        _ => return Err("sabotage CARGO [WORD]".into()),
    };
    let root = protections::root();
    let copy = root.join(".work/sabotage");
    copy_repository(&root, &copy)?;
    let mut out = std::io::stdout().lock();
    let protections: Vec<Protection> =
        protections::read().into_iter().filter(|one| one.what.contains(word) || one.test.contains(word)).collect();
    // A test that is red anyway shows nothing.
    let mut tests: Vec<&str> = protections.iter().map(|one| one.test.as_str()).collect();
    tests.sort_unstable();
    tests.dedup();
    let mut failures = 0;
    for test in tests {
        let whole = Protection { test: test.into(), ..Protection::default() };
        let colour = run(cargo, &copy, &whole)?;
        if colour != Colour::Green {
            failures += 1;
            let said = std::fs::read_to_string(copy.join("said"))?;
            writeln!(out, "{test} is {colour:?} with everything in place:\n{said}")?;
        }
    }
    for protection in &protections {
        let path = copy.join(&protection.file);
        let text = std::fs::read_to_string(&path)?;
        std::fs::write(&path, protection.taken_away(&text)?)?;
        let colour = run(cargo, &copy, protection);
        std::fs::write(&path, text)?;
        let colour = colour?;
        failures += usize::from(!matches!(colour, Colour::Red | Colour::Hangs));
        writeln!(out, "{:<14} {:<48} {}", format!("{colour:?}"), protection.test, protection.what)?;
        out.flush()?;
    }
    writeln!(out, "{} protections, {} tests red", protections.len(), protections.len() - failures)?;
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Brings the copy to the state of the repository's files. What has not changed stays as it is, so that it is not
/// compiled again.
fn copy_repository(root: &Path, copy: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()?;
    for name in String::from_utf8(output.stdout)?.split_terminator('\0') {
        // A file that was deleted is still listed.
        let Ok(bytes) = std::fs::read(root.join(name)) else { continue };
        let to = copy.join(name);
        if std::fs::read(&to).is_ok_and(|old| old == bytes) {
            continue;
        }
        std::fs::create_dir_all(to.parent().unwrap_or(copy))?;
        std::fs::write(to, bytes)?;
    }
    Ok(())
}

fn run(cargo: &str, copy: &Path, protection: &Protection) -> std::io::Result<Colour> {
    let mut command = Command::new(cargo);
    command.arg("test").arg("--quiet").args(QUICK).args(protection.arguments());
    command.current_dir(copy).env("CARGO_TARGET_DIR", copy.join("target"));
    // What the test says goes to a file: nobody would read a pipe of a test that hangs.
    let said = copy.join("said");
    let file = std::fs::File::create(&said)?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).process_group(0);
    let mut child = command.spawn()?;
    let start = Instant::now();
    loop {
        match child.try_wait()? {
            Some(status) if status.success() => return Ok(Colour::Green),
            Some(_) => {
                let said = std::fs::read(&said)?;
                let is_compiled = !String::from_utf8_lossy(&said).contains("error: could not compile");
                return Ok(if is_compiled { Colour::Red } else { Colour::DoesNotCompile });
            }
            None if start.elapsed() > PATIENCE => {
                // The test and what it started, with the command that started it.
                Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status()?;
                child.wait()?;
                return Ok(Colour::Hangs);
            }
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}
