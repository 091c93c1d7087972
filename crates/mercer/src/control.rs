//! How a long computation is watched and bounded: time, iterations, memory, progress, cancelling.

mod available;
mod contain;

#[cfg(feature = "testkit")]
pub(crate) use contain::panic_where_asked;
pub use contain::{contain, keep_panics_quiet};

use crate::error::{Error, Result, bytes};
use available::{available_memory, hard_limit, resident};
use serde::{Deserialize, Serialize};
use std::sync::{
    Arc, Mutex, Once, OnceLock, PoisonError,
    atomic::{AtomicU64, Ordering},
};
use std::time::{Duration, Instant};

/// How long work goes on that was asked to stop early and has no result yet; and how long a last step takes that begins after that.
const GRACE: Duration = Duration::from_millis(500);

/// Receives progress updates of long work; called once per block, from one thread.
pub trait Progress: Send + Sync {
    /// `done` of `total` units of the work named `what` are finished.
    fn update(&self, what: &str, done: usize, total: usize);
}

/// A flag that another thread (a ctrl-C handler) may raise to stop work: when it was raised, in nanoseconds of the process, or 0.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicU64>);

impl CancelFlag {
    /// Asks every computation that holds this flag to stop.
    pub fn cancel(&self) {
        // Raised again, it stays raised since the first time.
        let _ = self.0.compare_exchange(0, nanoseconds(), Ordering::Relaxed, Ordering::Relaxed);
    }
    /// Whether stopping was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }
    /// Whether stopping was asked for so long ago.
    fn is_older(&self, than: Duration) -> bool {
        let raised = self.0.load(Ordering::Relaxed);
        raised != 0 && u128::from(nanoseconds() - raised) >= than.as_nanos()
    }
}

/// Nanoseconds since the first call of the process, from 1.
fn nanoseconds() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    1 + u64::try_from(START.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX - 1)
}

/// Why work ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    /// Nothing was left to do, or the budget was spent.
    #[default]
    Budget,
    /// The time was up.
    Time,
    /// An end was asked for.
    Request,
}

impl Ending {
    /// Why work within these bounds ended.
    pub fn of(control: &Control) -> Self {
        match (control.stop_early.is_cancelled(), control.deadline) {
            (true, _) => Ending::Request,
            (false, Some(_)) => Ending::Time,
            (false, None) => Ending::Budget,
        }
    }

    /// In words.
    pub fn reason(self) -> &'static str {
        match self {
            Ending::Budget => "the budget was spent",
            Ending::Time => "time was up",
            Ending::Request => "stopped on request",
        }
    }
}

/// Bounds and watchers of a computation. The clock starts when the value is made.
#[derive(Clone)]
pub struct Control {
    /// No computation goes on past this; solvers return the best iterate with its certificate.
    pub deadline: Option<Instant>,
    /// A computation that has no iterate to return (a Gram matrix, a factorisation) gives up past this with [`Error::Time`].
    pub hard_deadline: Option<Instant>,
    /// The most bytes that a plan may ask for.
    pub max_memory: u64,
    /// The most bytes that the whole process may hold, what it holds already included: tables, buffers, memory kept for
    /// later. `None`: each plan is judged separately.
    pub max_process: Option<u64>,
    /// Watcher of progress.
    pub progress: Option<Arc<dyn Progress>>,
    /// Raised to stop at once with [`Error::Cancelled`].
    pub cancel: CancelFlag,
    /// Raised to stop with the best result so far, as if the time budget were spent.
    pub stop_early: CancelFlag,
    /// Whether the work was asked to stop before this step, its last, began: see [`Control::last_step`].
    pub is_stopped: bool,
    /// When the work began.
    pub began: Instant,
    /// What one evaluation of a search leaves to the next: fresh memory costs as much as an eighth of the arithmetic. `None`:
    /// the memory of a matrix goes back to the system.
    pub spare: Option<BufferPool>,
}

/// Memory of matrices that are not needed for now.
#[derive(Clone, Debug, Default)]
pub struct BufferPool(Arc<Mutex<Vec<Vec<f64>>>>);

impl Default for Control {
    fn default() -> Self {
        Control {
            deadline: None,
            hard_deadline: None,
            max_memory: available_memory() / 5 * 4,
            max_process: None,
            progress: None,
            cancel: CancelFlag::default(),
            stop_early: CancelFlag::default(),
            is_stopped: false,
            began: Instant::now(),
            spare: None,
        }
    }
}

impl std::fmt::Debug for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control").field("deadline", &self.deadline).field("max_memory", &self.max_memory).finish_non_exhaustive()
    }
}

impl Control {
    /// Bounds and watches nothing: for a step inside of a kernel, of a few columns, that takes no time worth watching.
    pub(crate) fn unwatched() -> Self {
        Control {
            deadline: None,
            hard_deadline: None,
            max_memory: u64::MAX,
            max_process: None,
            progress: None,
            cancel: CancelFlag::default(),
            stop_early: CancelFlag::default(),
            is_stopped: false,
            began: Instant::now(),
            spare: None,
        }
    }
    /// Sets a time budget, in seconds from now.
    pub fn with_seconds(mut self, seconds: f64) -> Self {
        self.deadline = Duration::try_from_secs_f64(seconds).ok().and_then(|d| Instant::now().checked_add(d));
        self.hard_deadline = self.deadline;
        self
    }
    /// Limits the memory of the process to `bytes`, or to less where a hard limit of the system (`ulimit -v`, a control group)
    /// leaves less: past that limit the process would be killed, not refused.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.max_memory = bytes.min(hard_limit());
        self.max_process = Some(bytes);
        self
    }
    /// A control with a share of the remaining time, and at least half of it before work that cannot be cut short gives up;
    /// unchanged without a budget.
    pub fn share(&self, part: f64) -> Self {
        let now = Instant::now();
        let of = |end: Option<Instant>, part: f64| end.map(|d| now + d.saturating_duration_since(now).mul_f64(part.clamp(0.0, 1.0)));
        Control { deadline: of(self.deadline, part), hard_deadline: of(self.hard_deadline, part.max(0.5)), ..self.clone() }
    }
    /// A control for each of so many pieces of work that go on side by side: each may take its share of the memory, as none knows of the
    /// others.
    pub fn side_by_side(&self, pieces: usize) -> Self {
        Control { max_memory: self.allowed() / pieces.max(1) as u64, ..self.clone() }
    }
    /// A control that reserves so many seconds of the budget for later work; unchanged without a budget.
    pub fn keeping(&self, seconds: f64) -> Self {
        let kept = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        let now = Instant::now();
        let before = |end: Option<Instant>| end.map(|d| d.checked_sub(kept).unwrap_or(now).max(now.min(d)));
        Control { deadline: before(self.deadline), hard_deadline: before(self.hard_deadline), ..self.clone() }
    }
    /// Seconds of the budget that are left; `None` without one.
    pub fn seconds_left(&self) -> Option<f64> {
        self.deadline.map(|d| d.saturating_duration_since(Instant::now()).as_secs_f64())
    }
    /// Adds a buffer pool, for evaluations that need matrices of equal size again and again.
    pub fn with_buffer_pool(self) -> Self {
        Control { spare: Some(BufferPool::default()), ..self }
    }
    /// A control for what makes finished work of a search that has ended: half a second from now, or a tenth of the time until now, if
    /// that is more, before it gives up.
    pub fn finishing(&self) -> Self {
        let now = Instant::now();
        let least = now + GRACE.max((now - self.began) / 10);
        Control { hard_deadline: self.hard_deadline.map(|d| d.max(least)), ..self.clone() }
    }
    /// A control that knows no bound but whether stopping was asked for.
    pub(crate) fn for_cancelling(&self) -> Self {
        Control { cancel: self.cancel.clone(), ..Self::unwatched() }
    }
    /// A control with at least so many seconds from now, for reports on finished work; unchanged without a budget.
    pub fn at_least(&self, seconds: f64) -> Self {
        let least = Instant::now() + Duration::from_secs_f64(seconds);
        let of = |end: Option<Instant>| end.map(|d| d.max(least));
        Control { deadline: of(self.deadline), hard_deadline: of(self.hard_deadline), ..self.clone() }
    }
    /// Memory for so many numbers, as it was left.
    pub(crate) fn kept(&self, numbers: usize) -> Option<Vec<f64>> {
        let mut kept = self.spare.as_ref()?.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|k| k.len() == numbers);
        if at.is_none() {
            // A search that has gone on to another size does not come back.
            kept.clear();
        }
        at.map(|at| kept.swap_remove(at))
    }
    /// Leaves the numbers of a matrix that is not needed any more to the next one of its size.
    pub fn keep(&self, numbers: Vec<f64>) {
        if let Some(spare) = &self.spare {
            spare.0.lock().unwrap_or_else(PoisonError::into_inner).push(numbers);
        }
    }
    /// Whether the time budget has this many seconds left.
    pub fn allows(&self, seconds: f64) -> bool {
        !self.stop_early.is_cancelled() && self.deadline.is_none_or(|d| d.saturating_duration_since(Instant::now()).as_secs_f64() > seconds)
    }
    /// A control for the last step of some work: a request to stop early that was made before counts as served, and leaves half a second
    /// for this step.
    pub fn last_step(&self) -> Self {
        if !self.stop_early.is_cancelled() {
            return self.clone();
        }
        let end = Instant::now() + GRACE;
        let by = |deadline: Option<Instant>| Some(deadline.map_or(end, |d| d.min(end)));
        let (deadline, hard_deadline) = (by(self.deadline), by(self.hard_deadline));
        Control { deadline, hard_deadline, stop_early: CancelFlag::default(), is_stopped: true, ..self.clone() }
    }
    /// A control for the last step of work that was asked to stop early or whose time is up: it has so many seconds.
    pub(crate) fn in_overtime(&self, seconds: f64) -> Self {
        let end = Instant::now().checked_add(Duration::from_secs_f64(seconds));
        Control { deadline: end, hard_deadline: end, stop_early: CancelFlag::default(), is_stopped: true, ..self.clone() }
    }
    /// Whether the work was asked to stop early, or its time was up, before this step of it, or it was asked to stop in it.
    pub fn was_stopped(&self) -> bool {
        self.is_stopped || self.stop_early.is_cancelled()
    }
    /// Whether the time budget is spent or an end was asked for; iterative work then returns its best iterate.
    pub fn out_of_time(&self) -> bool {
        self.stop_early.is_cancelled() || self.deadline.is_some_and(|d| Instant::now() >= d)
    }
    /// An error if stopping was asked for.
    pub fn check(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }
    /// Whether stopping was asked for, or time is up for what cannot be cut short, as it also is half a second after a request to stop
    /// early: once so, always so.
    pub fn is_given_up(&self) -> bool {
        self.cancel.is_cancelled() || self.stop_early.is_older(GRACE) || self.hard_deadline.is_some_and(|d| Instant::now() >= d)
    }
    /// An error if stopping was asked for, or if time is up for what cannot be cut short.
    pub fn check_time(&self, what: &str) -> Result<()> {
        self.check()?;
        if self.is_given_up() { Err(Error::Time { what: what.to_owned() }) } else { Ok(()) }
    }
    /// An error if cancelling or an early stop was requested, or if time is up: for the beginning of long work.
    pub fn check_wanted(&self, what: &str) -> Result<()> {
        self.check_time(what)?;
        if self.stop_early.is_cancelled() { Err(Error::Time { what: what.to_owned() }) } else { Ok(()) }
    }
    /// Bytes that a plan may ask for now: all that is allowed but for what the process holds, where that counts. Memory that
    /// was kept for the next matrix is no obstacle to it, and the program itself does not count.
    pub fn allowed(&self) -> u64 {
        self.max_process.map_or(self.max_memory, |most| self.max_memory.min(most.saturating_sub(self.held())))
    }
    /// Bytes that a plan may ask for after freed memory has been returned to the system: for sizing work about to begin.
    pub(crate) fn room(&self) -> u64 {
        mercer_linalg::give_back();
        self.allowed()
    }
    fn held(&self) -> u64 {
        // What the program itself takes without any data: stacks, and the work space of each thread. Its code is not counted as held.
        const PROGRAM: u64 = 8_000_000;
        let kept = |spare: &BufferPool| spare.0.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|k| 8 * k.len() as u64).sum();
        resident().saturating_sub(PROGRAM + self.spare.as_ref().map_or(0, kept))
    }
    /// An error if a plan needs more than is allowed; called before the first large allocation.
    pub fn plan(&self, what: &str, needed: u64) -> Result<()> {
        if needed <= self.allowed() {
            return Ok(());
        }
        // What was freed in small pieces may still be held.
        mercer_linalg::give_back();
        let allowed = self.allowed();
        if needed <= allowed {
            return Ok(());
        }
        let what = match self.max_process.map(|_| self.held()) {
            Some(held) if held > 0 => format!("{what}, beside {} held already,", bytes(held)),
            _ => what.to_owned(),
        };
        Err(Error::Memory { what, needed, allowed, instead: String::new() })
    }
    /// Tells the watcher, if there is one.
    pub fn tell(&self, what: &str, done: usize, total: usize) {
        if let Some(p) = &self.progress {
            p.update(what, done, total);
        }
    }
}

/// A size such as `500MB`, `1.5 GiB` or `100` in bytes; `None` if it is not one.
pub fn memory_size(text: &str) -> Option<u64> {
    let upper = text.trim().to_uppercase();
    let digits = upper.trim_end_matches(|c: char| c.is_alphabetic()).trim_end();
    let unit = match upper[digits.len()..].trim() {
        "" | "B" => 1.0,
        "K" | "KB" => 1e3,
        "M" | "MB" => 1e6,
        "G" | "GB" => 1e9,
        "T" | "TB" => 1e12,
        "KIB" => 1024.0,
        "MIB" => 1024.0 * 1024.0,
        "GIB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    digits.parse::<f64>().ok().map(|x| x * unit).filter(|b| *b > 0.0 && b.is_finite()).map(|b| b as u64)
}

/// Bytes of the stack of every thread that computes: as many as the first thread of a process has, on which code that is called from a
/// kernel or an estimator of a program's own was written to run. Parallel factorisations of OpenBLAS end a process on the 2 MiB that
/// threads have by default.
pub const STACK: usize = 8 << 20;

/// Runs `work` on a pool of `threads` threads (0: all cores). Results have the same bits for any number.
pub fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R> {
    if threads == 0 {
        start_threads();
        return Ok(work());
    }
    Ok(pool(threads)?.install(work))
}

/// The threads that work is spread over here.
pub fn threads_in_use() -> usize {
    rayon::current_num_threads()
}

/// Starts the threads of the process that share the work of whoever is in no pool, with a stack of [`STACK`]. Threads that run already
/// stay as they are.
pub fn start_threads() {
    static DONE: Once = Once::new();
    // An error says that the program has threads of its own making.
    DONE.call_once(|| rayon::ThreadPoolBuilder::new().stack_size(STACK).build_global().unwrap_or_default());
}

/// A pool of so many threads.
pub fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let made = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    made.map_err(|e| Error::Numerical { what: "threads".into(), why: e.to_string() })
}
