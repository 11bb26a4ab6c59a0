//! Another process that has the store open, and reads the pages that it is asked for.

use crate::filter::{self, Tree};
use crate::paging::{Came, CameRow};
use crate::value::V;
use entable::{ErrorCode, Mode};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// It ends with this value.
pub(crate) struct Other {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// What `read_page` is asked for.
pub(crate) struct Ask<'a> {
    pub(crate) table: &'a str,
    pub(crate) filter: Option<String>,
    pub(crate) mode: Mode,
    pub(crate) page_size: usize,
    pub(crate) is_descending: bool,
    pub(crate) token: Option<&'a str>,
}

impl Other {
    pub(crate) fn start(path: &Path, mode: Mode) -> Other {
        let mut command = Command::new(env!("CARGO_BIN_EXE_read_page"));
        command.arg(path).arg(name(mode)).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("read_page starts");
        let questions = process.stdin.take().expect("a pipe");
        let answers = BufReader::new(process.stdout.take().expect("a pipe"));
        Other { process, questions, answers }
    }

    pub(crate) fn ask(&mut self, ask: &Ask<'_>) -> Result<Came, ErrorCode> {
        let question = json!({
            "table": ask.table, "filter": ask.filter, "mode": name(ask.mode), "page_size": ask.page_size,
            "descending": ask.is_descending, "token": ask.token,
        });
        writeln!(self.questions, "{question}").expect("read_page listens");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("read_page answers");
        let answer: Value = serde_json::from_str(&line).expect("an answer in JSON");
        if let Some(error) = answer["error"].as_str() {
            let known = [ErrorCode::InvalidInput, ErrorCode::TableNotFound];
            let code = known.into_iter().find(|code| code.name() == error);
            return Err(code.unwrap_or_else(|| panic!("{answer}: {question}")));
        }
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let rows = answer["rows"].as_array().expect("rows").iter().map(|row| CameRow {
            partition_key: text(&row[0]),
            row_key: text(&row[1]),
            timestamp: row[2].as_i64().expect("ticks"),
        });
        Ok(Came { rows: rows.collect(), token: answer["token"].as_str().map(str::to_owned) })
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // Whatever it does: nothing that it holds may keep the others from going on.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// The text with every constant written out: it asks the same.
pub(crate) fn spelled(tree: &Tree) -> String {
    let mut parameters = Vec::new();
    let text = filter::text(tree, &mut parameters);
    // From the last on, for the name of the second begins that of the eleventh.
    let spell = |text: String, (at, value): (usize, &V)| text.replace(&format!("@p{at}"), &value.literal());
    parameters.iter().enumerate().rev().fold(text, spell)
}

fn name(mode: Mode) -> &'static str {
    match mode {
        Mode::Strict => "strict",
        Mode::Extended => "extended",
        _ => "portable",
    }
}
