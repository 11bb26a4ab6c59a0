//! Loads films, airports and zip codes into a store file, and shows on the terminal what entable does with them.
//!
//! `make run` installs the data and starts it; `--help` tells the rest.

mod arguments;
mod dates;
mod failure;
mod films;
mod keys;
mod languages;
mod load;
mod places;
mod progress;
mod report;
mod show;

use arguments::{Arguments, Command};
use failure::Outcome;
use report::Report;
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = Arguments::parse(std::env::args_os().skip(1)).and_then(|arguments| run(&arguments));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // A reader that went away, such as `head`, is no failure, and there is nobody left to tell.
            if !failure.is_closed_pipe() {
                eprintln!("{failure}");
            }
            failure.exit_code()
        }
    }
}

fn run(arguments: &Arguments) -> Outcome<()> {
    let mut report = Report::on_stdout();
    match &arguments.command {
        Command::Help => report.line(arguments::HELP),
        Command::Version => report.line(concat!("entable-films ", env!("CARGO_PKG_VERSION"))),
        Command::All => {
            load::run(arguments, &mut report)?;
            show::run(arguments, &mut report)?;
            languages::run(arguments, &mut report)
        }
        Command::Load => load::run(arguments, &mut report),
        Command::Show => show::run(arguments, &mut report),
        Command::Languages => languages::run(arguments, &mut report),
        Command::Resume { token } => show::paging::resume(arguments, token, &mut report),
        Command::Film => languages::print_film(arguments, &mut report),
        Command::Ways => {
            load::run(arguments, &mut report)?;
            show::ways::show(&show::open(&arguments.store)?, &arguments.store, &mut report)
        }
    }
}
