//! Progress on standard error while it is a terminal; nothing when it is piped.

use indicatif::{ProgressBar, ProgressStyle};
use mercer::control::Progress;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

/// A line that says what is being done.
pub(crate) struct Line(ProgressBar);

impl Line {
    /// A line, if anyone can see it.
    pub(crate) fn visible() -> Option<Arc<dyn Progress>> {
        if !std::io::stderr().is_terminal() {
            return None;
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Some(Arc::new(Line(bar)))
    }
}

impl Progress for Line {
    fn update(&self, what: &str, done: usize, total: usize) {
        self.0.set_message(format!("{what} ({done}/{total})"));
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
