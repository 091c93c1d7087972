//! Progress on standard error: one line that changes while it is a terminal; line by line where that is asked for; nothing
//! when it is piped otherwise.

use indicatif::{ProgressBar, ProgressStyle};
use mercer::control::Progress;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Work inside of that of an estimator whose total is a mere limit: its name, and how it is told.
const WITHIN: [(&str, &str, &str); 2] = [("tuning", "search, ", "setting tried"), ("pair steps", "solver, ", "step taken")];

/// What is told in words: inner work goes by the name of the estimator that it is for.
#[derive(Default)]
struct Words {
    estimator: String,
}

impl Words {
    /// The sentence, and whether it begins a piece of work.
    fn of(&mut self, what: &str, done: usize, total: usize) -> (String, bool) {
        if let Some((estimator, _)) = what.split_once(": ") {
            let begins =
                if total > 1 && !what.contains(" of ") { format!("{what} (estimator {} of {total})", done + 1) } else { what.into() };
            estimator.clone_into(&mut self.estimator);
            return (begins, true);
        }
        let said = match WITHIN.iter().find(|(name, ..)| *name == what) {
            Some((_, work, one)) => {
                let (first, rest) = one.split_once(' ').unwrap_or((one, ""));
                format!("{work}{done} {first}{} {rest}", if done == 1 { "" } else { "s" })
            }
            None => format!("{what} ({done} of {total})"),
        };
        (if self.estimator.is_empty() { said } else { format!("{}: {said}", self.estimator) }, false)
    }
}

/// A line that says what is being done.
pub(crate) struct Line {
    bar: ProgressBar,
    words: Mutex<Words>,
}

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
        Some(Arc::new(Line { bar, words: Mutex::default() }))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress for Line {
    fn update(&self, what: &str, done: usize, total: usize) {
        self.bar.set_message(locked(&self.words).of(what, done, total).0);
    }
}

/// Seconds between two lines on the same work.
const PAUSE: f64 = 2.0;

/// A line for each new piece of work, and now and then one on how far it is.
struct Lines {
    start: Instant,
    /// The words, and when the last line was written.
    last: Mutex<(Words, f64)>,
}

impl Progress for Lines {
    fn update(&self, what: &str, done: usize, total: usize) {
        let now = self.start.elapsed().as_secs_f64();
        let mut last = locked(&self.last);
        let (said, begins) = last.0.of(what, done, total);
        if begins || now - last.1 > PAUSE {
            eprintln!("{now:7.1} s  {said}");
            last.1 = now;
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_work_goes_by_its_estimator_and_mere_limits_are_left_out() {
        let mut words = Words::default();
        let mut said = |what: &str, done: usize, total: usize| words.of(what, done, total);
        assert_eq!(said("predictions", 3, 9), ("predictions (3 of 9)".into(), false));
        assert_eq!(said("svc: starting values", 0, 5), ("svc: starting values (estimator 1 of 5)".into(), true));
        assert_eq!(said("pair steps", 1200, 10_000_000), ("svc: solver, 1200 steps taken".into(), false));
        assert_eq!(said("svr: search, round 1 of 4", 1, 4), ("svr: search, round 1 of 4".into(), true));
        assert_eq!(said("tuning", 1, 14), ("svr: search, 1 setting tried".into(), false));
        assert_eq!(said("ridge: fit", 0, 1), ("ridge: fit".into(), true));
    }
}
