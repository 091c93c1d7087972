//! Progress on standard error: one line that changes while it is a terminal; line by line where that is asked for; nothing
//! when it is piped otherwise.

use indicatif::{ProgressBar, ProgressStyle};
use mercer::control::Progress;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A line that says what is being done.
pub(crate) struct Line(ProgressBar);

impl Line {
    /// A line, if anyone can see it; lines where they are asked for.
    pub(crate) fn visible(verbose: bool) -> Option<Arc<dyn Progress>> {
        if verbose {
            return Some(Arc::new(Lines { start: Instant::now(), last: Mutex::default() }));
        }
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

/// Seconds between two lines on the same work.
const PAUSE: f64 = 2.0;

/// A line for each new piece of work, and now and then one on how far it is.
struct Lines {
    start: Instant,
    /// What the last line was about, and when it was written.
    last: Mutex<(String, f64)>,
}

impl Progress for Lines {
    fn update(&self, what: &str, done: usize, total: usize) {
        let now = self.start.elapsed().as_secs_f64();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 != what || now - last.1 > PAUSE {
            eprintln!("{now:7.1} s  {what} ({done}/{total})");
            *last = (what.to_owned(), now);
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
