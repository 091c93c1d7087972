//! Long computations: without the interpreter's lock, on the threads that share the work, stopped by ctrl-C.
//!
//! The calling thread waits and looks for signals. After ctrl-C the computation is asked to stop and given a moment;
//! one that does not look at the flag in time is left to finish on its own, its result discarded. Nothing that a
//! computation owns belongs to Python, so that it may outlive the call: its progress updates are sent to the
//! calling thread, which passes them to the function of the user.
//!
//! What takes less time than to wake another thread is done by the calling thread itself.

use crate::errors::{data_error, internal_error, raise};
use mercer::control::{CancelFlag, Control, Progress, STACK, contain, memory_size, pool, start_threads};
use mercer::data::{Dataset, Values};
use mercer::error::{Error, Result};
use mercer::estimators::Want;
use mercer::learner::Model;
use mercer::param::{Domain, Value};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::OnceCell;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How often the calling thread looks for signals.
const LOOK: Duration = Duration::from_millis(50);

/// How long a computation may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// No longer than anyone waits for without a sign of life.
    Small,
    /// Any.
    Any,
}

impl Size {
    /// Of so many kernel values between rows like these.
    pub(crate) fn of_values(count: usize, data: &Dataset) -> Self {
        // Multiplications that one thread has done before another is awake.
        const SMALL: usize = 12_000_000;
        // What the loops of a kernel value take besides its columns, in multiplications.
        const VALUE: usize = 16;
        let width = data.columns().iter().try_fold(VALUE, |sum, column| match &column.values {
            Values::Numbers(_) => Some(sum + 1),
            Values::Points(points) => Some(sum + points.dim()),
            _ => None,
        });
        match width {
            Some(width) if count.saturating_mul(width) <= SMALL => Size::Small,
            _ => Size::Any,
        }
    }

    /// Of predictions for rows.
    pub(crate) fn of_predicting(model: &Model, data: &Dataset, want: Want) -> Self {
        let beside = model.support.rows() + if want.covariance { data.rows() } else { 0 };
        Size::of_values(data.rows().saturating_mul(beside), data)
    }
}

/// Bounds of a computation as keywords give them.
#[derive(Default)]
pub(crate) struct Limits<'py> {
    pub(crate) threads: usize,
    pub(crate) max_seconds: Option<f64>,
    pub(crate) max_memory: Option<Bound<'py, PyAny>>,
    /// A function that receives progress updates: what is done, how much of it, out of how much.
    pub(crate) progress: Option<Bound<'py, PyAny>>,
}

/// What a computation sends to the thread that waits for it.
enum Sent<R> {
    Progress { what: String, done: usize, total: usize },
    End(Result<R>),
}

/// Sends progress updates: the first of each kind at once, then one for each look of the waiting thread.
struct Teller<R> {
    send: Sender<Sent<R>>,
    last: Mutex<Option<(String, Instant)>>,
}

impl<R: Send> Progress for Teller<R> {
    fn update(&self, what: &str, done: usize, total: usize) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_some_and(|(before, at)| before == what && at.elapsed() < LOOK && done < total) {
            return;
        }
        *last = Some((what.to_owned(), Instant::now()));
        // Nobody may be there to receive: the call was interrupted.
        let _ = self.send.send(Sent::Progress { what: what.to_owned(), done, total });
    }
}

impl Limits<'_> {
    /// Bounds with threads only.
    pub(crate) fn threads(threads: usize) -> Self {
        Limits { threads, ..Limits::default() }
    }

    fn control(&self) -> PyResult<Control> {
        let mut control = Control::default();
        if let Some(size) = &self.max_memory {
            let text = size.str()?.to_string();
            let bytes = memory_size(&text).ok_or_else(|| {
                raise(Error::OutOfDomain {
                    owner: "limits".into(),
                    name: "max_memory".into(),
                    value: text,
                    domain: "a number of bytes or a size such as '500MB' or '4GB'".into(),
                })
            })?;
            control = control.with_memory(bytes);
        }
        if let Some(seconds) = self.max_seconds {
            Domain::Positive.check("limits", "max_seconds", &Value::Number(seconds)).map_err(raise)?;
            control = control.with_seconds(seconds);
        }
        Ok(control)
    }

    /// Runs `work` under these bounds.
    pub(crate) fn run<R: Send + 'static>(&self, py: Python<'_>, work: impl FnOnce(&Control) -> Result<R> + Send + 'static) -> PyResult<R> {
        self.run_sized(py, Size::Any, work)
    }

    /// Runs `work` under these bounds, small work on the calling thread.
    pub(crate) fn run_sized<R: Send + 'static>(
        &self,
        py: Python<'_>,
        size: Size,
        work: impl FnOnce(&Control) -> Result<R> + Send + 'static,
    ) -> PyResult<R> {
        let mut control = self.control()?;
        if size == Size::Small && self.progress.is_none() {
            return py.detach(move || here(&control, work));
        }
        let cancel = control.cancel.clone();
        let (send, receive) = channel();
        if self.progress.as_ref().is_some_and(|function| !function.is_callable()) {
            return Err(data_error("progress: expected a function of three arguments: what is done, how much of it, out of how much"));
        }
        let line = if self.progress.is_none() { notebook_line(py) } else { None };
        let progress = self.progress.as_ref().or(line.as_ref()).map(|function| function.clone().unbind());
        if progress.is_some() {
            control.progress = Some(Arc::new(Teller { send: send.clone(), last: Mutex::new(None) }));
        }
        let (own, turn) = match threads(self.threads) {
            0 => (None, Turn::take()),
            some => (Some(pool(some).map_err(raise)?), None),
        };
        let alone = turn.is_some();
        let job = move || {
            // A panic ends this computation only.
            let done = contain("a computation", || work(&control));
            drop(turn);
            // Nobody may be there to receive: the call was interrupted.
            let _ = send.send(Sent::End(done));
        };
        match own {
            Some(pool) => pool.spawn(job),
            None if alone => shared().map_err(raise)?.spawn(job),
            None => {
                start_threads();
                let thread = std::thread::Builder::new().name("mercer".into()).stack_size(STACK).spawn(job);
                thread.map_err(|e| raise(Error::Numerical { what: "starting a thread".into(), why: e.to_string() }))?;
            }
        }
        let done = py.detach(move || wait(&receive, &cancel, progress.as_ref()));
        if let Some(line) = line {
            line.call_method0("close")?;
        }
        done
    }
}

/// What shows progress in a notebook, if this is one.
fn notebook_line(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    py.import("mercer._progress").ok()?.call_method0("line").ok().filter(|line| !line.is_none())
}

/// Runs `work` on the calling thread, which is a pool of one: its loops wake nobody.
fn here<R>(control: &Control, work: impl FnOnce(&Control) -> Result<R>) -> PyResult<R> {
    alone();
    contain("a computation", || work(control)).map_err(raise)
}

/// Makes the calling thread a pool of one. It has the stack that Python gave it, and a process that is forked from this one has it too.
pub(crate) fn alone() {
    thread_local!(static OWN: OnceCell<Option<ManuallyDrop<ThreadPool>>> = const { OnceCell::new() });
    OWN.with(|own| {
        own.get_or_init(|| ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok().map(ManuallyDrop::new));
    });
}

/// The threads that computations share, one after the other.
fn shared() -> Result<&'static ThreadPool> {
    static SHARED: OnceLock<ThreadPool> = OnceLock::new();
    match SHARED.get() {
        Some(pool) => Ok(pool),
        None => pool(0).map(|made| SHARED.get_or_init(|| made)),
    }
}

/// The permit to run on the shared threads. A computation beside it gets a thread of its own, which sends its loops to other
/// threads: else a short computation that waits for a piece of a loop might begin the other, a long one.
struct Turn;

static TAKEN: AtomicBool = AtomicBool::new(false);

impl Turn {
    /// None where another has it, or where there is one thread only, on which nothing else would run until the end.
    fn take() -> Option<Turn> {
        // Made only where it is taken: dropping one gives it back.
        (shared().is_ok_and(|pool| pool.current_num_threads() > 1) && !TAKEN.swap(true, Ordering::AcqRel)).then(|| Turn)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        TAKEN.store(false, Ordering::Release);
    }
}

/// Waits for the result or for a signal and calls `progress` with updates; an exception raised there ends the computation.
fn wait<R: Send>(receive: &Receiver<Sent<R>>, cancel: &CancelFlag, progress: Option<&Py<PyAny>>) -> PyResult<R> {
    // How long a computation may take to stop before it is left alone.
    const PATIENCE: Duration = Duration::from_secs(1);
    loop {
        let progressed = match receive.recv_timeout(LOOK) {
            Ok(Sent::End(done)) => return done.map_err(raise),
            Ok(Sent::Progress { what, done, total }) => Some((what, done, total)),
            Err(RecvTimeoutError::Disconnected) => return Err(internal_error("a computation ended without a result")),
            Err(RecvTimeoutError::Timeout) => None,
        };
        let heard = Python::attach(|py| {
            if let (Some(function), Some(progressed)) = (progress, progressed) {
                function.call1(py, progressed)?;
            }
            py.check_signals()
        });
        if let Err(interrupt) = heard {
            cancel.cancel();
            let end = Instant::now() + PATIENCE;
            while matches!(receive.recv_timeout(end.saturating_duration_since(Instant::now())), Ok(Sent::Progress { .. })) {}
            return Err(interrupt);
        }
    }
}

/// Threads to use; 0 is the shared pool, which need not be made. It does not survive a fork: a forked process makes a pool of
/// its own for each computation.
fn threads(asked: usize) -> usize {
    static HOME: OnceLock<u32> = OnceLock::new();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let forked = *HOME.get_or_init(std::process::id) != std::process::id();
    match asked {
        0 if forked => cores,
        some if some == cores && !forked => 0,
        some => some.min(cores.max(16) * 4),
    }
}
