//! Progress on standard error: one line that changes while it is a terminal, below the table of a comparison as it fills; line by
//! line where that is asked for; else nothing, but for a line now and then of a comparison that takes long.

use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use mercer::compare::RaceUpdate;
use mercer::control::Progress;
use mercer::report::{race_line, race_table, race_time_left};
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Progress in words: inner work is shown under the name of its estimator.
#[derive(Default)]
struct Words {
    estimator: String,
}

impl Words {
    /// The sentence, and whether it begins a piece of work.
    fn of(&mut self, what: &str, done: usize, total: usize) -> (String, bool) {
        // Work inside that of an estimator whose total is only an upper limit: its name, and the words shown for it.
        const WITHIN: [(&str, &str, &str); 2] = [("tuning", "search, ", "setting tried"), ("pair steps", "solver, ", "step taken")];
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

/// Time between two drawings of the line, and of the table above it.
const TICK: Duration = Duration::from_millis(120);

impl Line {
    /// A line, if anyone can see it; lines where they are asked for.
    pub(crate) fn visible(verbose: bool, screen: &MultiProgress) -> Option<Arc<dyn Progress>> {
        if verbose {
            return Some(Arc::new(Lines { start: Instant::now(), last: Mutex::default() }));
        }
        if screen.is_hidden() {
            return None;
        }
        Some(Arc::new(Line::below(screen, &Latest::default())))
    }

    /// The last line of the screen, with the time left of a comparison where there is one.
    fn below(screen: &MultiProgress, latest: &Latest) -> Self {
        let bar = screen.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed}{left}  {wide_msg}") {
            let latest = latest.clone();
            let left = move |_: &ProgressState, out: &mut dyn Write| {
                if let Some(left) = latest.now().and_then(|update| race_time_left(&update)) {
                    let _ = write!(out, ", {left}");
                }
            };
            bar.set_style(style.with_key("left", left));
        }
        bar.enable_steady_tick(TICK);
        Line { bar, words: Mutex::default() }
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

/// A line for each new piece of work, and now and then one on how far it is.
struct Lines {
    start: Instant,
    /// The words, and when the last line was written.
    last: Mutex<(Words, f64)>,
}

impl Progress for Lines {
    fn update(&self, what: &str, done: usize, total: usize) {
        // Seconds between two lines on the same work.
        const PAUSE: f64 = 2.0;
        let now = self.start.elapsed().as_secs_f64();
        let mut last = locked(&self.last);
        let (said, begins) = last.0.of(what, done, total);
        if begins || now - last.1 > PAUSE {
            eprintln!("{now:7.1} s  {said}");
            last.1 = now;
        }
    }
}

/// The last update of a comparison, and when it came.
#[derive(Clone, Default)]
struct Latest(Arc<Mutex<Option<(RaceUpdate, Instant)>>>);

impl Latest {
    /// Takes an update that has come now.
    fn take(&self, update: &RaceUpdate) {
        *locked(&self.0) = Some((update.clone(), Instant::now()));
    }
    /// What is known now: the time left goes on without updates.
    fn now(&self) -> Option<RaceUpdate> {
        let (mut update, then) = locked(&self.0).clone()?;
        update.seconds_left = update.seconds_left.map(|s| (s - then.elapsed().as_secs_f64()).max(0.0));
        Some(update)
    }
}

/// Shows how a comparison goes on.
pub(crate) trait RaceView: Progress {
    /// Takes an update.
    fn show(&self, update: &RaceUpdate);
}

/// The view of a comparison: the table as it fills on a terminal; lines where there is none, or where they are asked for.
pub(crate) fn race_view(verbose: bool, screen: &MultiProgress) -> Arc<dyn RaceView> {
    if verbose || screen.is_hidden() {
        let lines = verbose.then(|| Lines { start: Instant::now(), last: Mutex::default() });
        return Arc::new(RaceLog { lines, latest: Latest::default(), start: Instant::now(), last: Mutex::new(0.0) });
    }
    Arc::new(LiveTable::on(screen))
}

/// The table of a comparison on a terminal, drawn in place, above the line that says what is being done. It is drawn at every tick
/// from the last update, however often updates come.
struct LiveTable {
    table: ProgressBar,
    line: Line,
    latest: Latest,
    screen: MultiProgress,
}

impl LiveTable {
    fn on(screen: &MultiProgress) -> Self {
        // Columns and lines of a terminal that does not say how large it is.
        const USUAL: (u16, u16) = (80, 24);
        let latest = Latest::default();
        // Lines are written over, not cleared first: nothing flickers.
        screen.set_move_cursor(true);
        let table = screen.add(ProgressBar::no_length());
        if let Ok(style) = ProgressStyle::with_template("{table}") {
            let latest = latest.clone();
            let drawn = move |_: &ProgressState, out: &mut dyn Write| {
                let size = terminal_size::terminal_size_of(std::io::stderr());
                let (width, height) = size.map_or(USUAL, |(width, height)| (width.0, height.0));
                if let Some(update) = latest.now() {
                    // The line below, and one for what is typed.
                    let lines = race_table(&update, width.into(), usize::from(height).saturating_sub(2));
                    let _ = out.write_str(&lines.join("\n"));
                }
            };
            table.set_style(style.with_key("table", drawn));
        }
        table.enable_steady_tick(TICK);
        LiveTable { table, line: Line::below(screen, &latest), latest, screen: screen.clone() }
    }
}

impl Progress for LiveTable {
    fn update(&self, what: &str, done: usize, total: usize) {
        self.line.update(what, done, total);
    }
}

impl RaceView for LiveTable {
    fn show(&self, update: &RaceUpdate) {
        self.latest.take(update);
        // What was said last is of another trial.
        self.line.bar.set_message("");
    }
}

impl Drop for LiveTable {
    fn drop(&mut self) {
        // Fewer lines than before do not overwrite all of them.
        self.screen.set_move_cursor(false);
        self.table.finish_and_clear();
    }
}

/// Seconds between two lines of a comparison, and before the first.
const RACE_PAUSE: f64 = 10.0;

/// A line now and then on how far a comparison is, and every new piece of work where that is asked for.
struct RaceLog {
    lines: Option<Lines>,
    latest: Latest,
    start: Instant,
    /// When the last line was written, in seconds.
    last: Mutex<f64>,
}

impl RaceLog {
    /// Whether a line is due.
    fn is_due(&self) -> bool {
        let now = self.start.elapsed().as_secs_f64();
        let mut last = locked(&self.last);
        let due = now - *last >= RACE_PAUSE;
        if due {
            *last = now;
        }
        due
    }

    fn write_if_due(&self) {
        if self.is_due()
            && let Some(update) = self.latest.now()
        {
            eprintln!("{:7.1} s  {}", self.start.elapsed().as_secs_f64(), race_line(&update));
        }
    }
}

impl Progress for RaceLog {
    fn update(&self, what: &str, done: usize, total: usize) {
        if let Some(lines) = &self.lines {
            lines.update(what, done, total);
        }
        self.write_if_due();
    }
}

impl RaceView for RaceLog {
    fn show(&self, update: &RaceUpdate) {
        self.latest.take(update);
        self.write_if_due();
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
    fn a_comparison_that_is_over_soon_leaves_no_line_in_a_log() {
        let log = RaceLog { lines: None, latest: Latest::default(), start: Instant::now(), last: Mutex::new(0.0) };
        assert!(!log.is_due(), "before the first pause is over");
        *locked(&log.last) = -RACE_PAUSE;
        assert!(log.is_due() && !log.is_due(), "one line for each pause");
    }

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
