//! The command line.

use crate::failure::{Failure, Outcome};
use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) const HELP: &str = "\
Loads films, airports and zip codes into a store file, and shows what entable does with them.

Usage: entable-films [COMMAND] [OPTIONS]

Commands (without one: load, show and languages)
  load        make the store file anew from the data
  show        ask, change and page in the store file that is there
  languages   read the store file from Python, Node, C and C++
  resume      print the page that --token leads to (what `show` starts as a second process)
  film        print the film that `languages` compares
  ways        make the store file anew, and compare the ways to a director's films

Options
  --data FOLDER   where movies.json, airports.csv and zipcodes.csv are
                  [default: examples/films/node_modules/vega-datasets/data]
  --store FILE    the store file [default: .work/films.ent]
  --token TEXT    a continuation token, for resume
  --help          this text
  --version       the version

Exit codes: 0 done; 1 the store, the system or the data failed; 2 wrong command line;
3 something is not there that `make run` installs or builds.
NO_COLOR in the environment turns colours off; they are on only on a terminal.";

/// What to do, and with which files.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arguments {
    pub(crate) command: Command,
    pub(crate) data: PathBuf,
    pub(crate) store: PathBuf,
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Command {
    All,
    Load,
    Show,
    Languages,
    Resume { token: String },
    Film,
    Ways,
    Help,
    Version,
}

impl Arguments {
    pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Outcome<Arguments> {
        let mut arguments = Arguments {
            command: Command::All,
            data: "examples/films/node_modules/vega-datasets/data".into(),
            store: ".work/films.ent".into(),
        };
        let (mut command, mut token) = (None, None);
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy().into_owned();
            let mut value = || words.next().ok_or_else(|| Failure::usage(format!("{text} needs a value after it.")));
            match &*text {
                "--data" => arguments.data = value()?.into(),
                "--store" => arguments.store = value()?.into(),
                "--token" => token = Some(value()?.to_string_lossy().into_owned()),
                "--help" | "-h" => command = Some("--help".to_owned()),
                "--version" | "-V" => command = Some("--version".to_owned()),
                option if option.starts_with('-') => {
                    return Err(Failure::usage(format!("There is no option {option}.")));
                }
                _ if command.is_some() => return Err(Failure::usage(format!("{text} is one command too many."))),
                _ => command = Some(text),
            }
        }
        arguments.command = match (command.as_deref(), token) {
            (Some("resume"), Some(token)) => Command::Resume { token },
            (Some("resume"), None) => return Err(Failure::usage("resume needs --token.")),
            (Some("--help"), _) => Command::Help,
            (Some("--version"), _) => Command::Version,
            (_, Some(_)) => return Err(Failure::usage("--token is for resume.")),
            (None, None) => Command::All,
            (Some("load"), None) => Command::Load,
            (Some("show"), None) => Command::Show,
            (Some("languages"), None) => Command::Languages,
            (Some("film"), None) => Command::Film,
            (Some("ways"), None) => Command::Ways,
            (Some(other), None) => return Err(Failure::usage(format!("There is no command {other}."))),
        };
        Ok(arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_means_one_command_or_says_what_is_wrong() {
        let parse = |line: &str| {
            let arguments = Arguments::parse(line.split_whitespace().map(OsString::from));
            arguments.map(|arguments| arguments.command).map_err(|failure| failure.to_string())
        };
        assert_eq!(parse(""), Ok(Command::All));
        assert_eq!(parse("--store x show --data y"), Ok(Command::Show));
        assert_eq!(parse("resume --token abc"), Ok(Command::Resume { token: "abc".into() }));
        assert_eq!(parse("-h"), Ok(Command::Help));
        for (line, expected) in [
            ("resume", "resume needs --token."),
            ("show --token abc", "--token is for resume."),
            ("--store", "--store needs a value after it."),
            ("--colour", "There is no option --colour."),
            ("dance", "There is no command dance."),
            ("load show", "show is one command too many."),
        ] {
            assert!(parse(line).is_err_and(|text| text.contains(expected)), "{line}: {:?}", parse(line));
        }
    }
}
