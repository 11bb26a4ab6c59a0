//! Why the program ends, what to do about it, and the exit code that says so.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// What every step of the program returns.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Why the program ends before its end.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    advice: Option<String>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The store, the system or the data: exit code 1.
    Failed,
    /// The command line: exit code 2.
    Usage,
    /// Something that `make run` installs or builds is not there: exit code 3.
    Missing,
    /// Whoever read the output has closed it: not a failure.
    ClosedPipe,
}

impl Failure {
    /// A step that did not do what it should.
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), advice: None, kind: Kind::Failed }
    }

    /// A command line that says nothing the program knows.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), advice: Some("--help lists what there is.".into()), kind: Kind::Usage }
    }

    /// A file that has to be there before.
    pub(crate) fn missing(path: &Path, advice: impl Into<String>) -> Failure {
        let message = format!("{} is not there.", path.display());
        Failure { message, advice: Some(advice.into()), kind: Kind::Missing }
    }

    /// The same failure, with where it happened before its message.
    #[must_use]
    pub(crate) fn at(mut self, place: impl fmt::Display) -> Failure {
        self.message = format!("{place}: {}", self.message);
        self
    }

    pub(crate) fn is_closed_pipe(&self) -> bool {
        self.kind == Kind::ClosedPipe
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self.kind {
            Kind::ClosedPipe => ExitCode::SUCCESS,
            Kind::Failed => ExitCode::from(1),
            Kind::Usage => ExitCode::from(2),
            Kind::Missing => ExitCode::from(3),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entable-films: {}", self.message)?;
        match &self.advice {
            Some(advice) => write!(f, "\n{advice}"),
            None => Ok(()),
        }
    }
}

impl From<entable::Error> for Failure {
    fn from(error: entable::Error) -> Failure {
        Failure::new(format!("{} {}: {error}", error.status(), error.code().name()))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        let kind = match error.kind() {
            io::ErrorKind::BrokenPipe => Kind::ClosedPipe,
            _ => Kind::Failed,
        };
        Failure { kind, ..Failure::new(error.to_string()) }
    }
}
