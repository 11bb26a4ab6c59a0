//! How far a step is: a bar on a terminal, elsewhere a line when the step is done.

use crate::report;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A step of so many rows.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Begins a step. Where standard error is no terminal, nothing is drawn.
    pub(crate) fn start(name: &str, rows: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(rows as u64), ProgressDrawTarget::stderr());
        // The template is this program's own: were it wrong, the bar would look plain.
        if let Ok(style) = ProgressStyle::with_template("  {msg:<10} {wide_bar} {human_pos}/{human_len}") {
            bar.set_style(style);
        }
        bar.set_message(name.to_owned());
        Progress(bar)
    }

    pub(crate) fn advance(&self, rows: usize) {
        self.0.inc(rows as u64);
    }

    /// Takes the bar away, or prints the line.
    pub(crate) fn finish(self) {
        if self.0.is_hidden() {
            eprintln!("  {}: {} rows", self.0.message(), report::count(self.0.position()));
        }
        self.0.finish_and_clear();
    }
}
