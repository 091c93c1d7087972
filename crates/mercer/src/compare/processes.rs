//! Trials in processes of their own: each has the rows once, reads trials and writes what they leave, so that a process that ends in the
//! middle of one loses nothing. What follows from a trial does not depend on where it runs.
//!
//! Messages are MessagePack, each after its length in bytes (8, little-endian). The first one is the [`Setup`].

use super::Comparing;
use super::entrants::{Entrant, prepared_for};
use super::executor::{Assignment, Executor, Limits};
use super::worker::{Cell, Made, TrialOutput, Worker};
use crate::control::Control;
use crate::data::{Dataset, Examples, Fold, Split, Target, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::Size;
use crate::kernels::KernelExpr;
use crate::learner::TimedFit;
use crate::metrics::Contribution;
use crate::metrics::Scoring;
use crate::notice::Notice;
use crate::select::SearchState;
use crate::store;
use crate::trial::{Arena, Purpose, Spent, Trial, TrialResult};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often a trial is tried in a new process after one has ended in the middle of it.
const AGAIN: usize = 2;
/// How often it is looked whether an end was asked for.
const WATCH: Duration = Duration::from_millis(50);

/// Processes that run trials: how many, and what starts one that calls [`work`].
#[derive(Clone)]
pub struct Processes {
    /// How many run side by side.
    pub count: usize,
    /// Starts one.
    pub start: Arc<dyn Fn() -> Command + Send + Sync>,
}

impl std::fmt::Debug for Processes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} processes", self.count)
    }
}

/// What every process is given first: the rows as they came, and what is decided of them.
#[derive(Serialize, Deserialize)]
struct Setup {
    data: Dataset,
    target: Target,
    weights: Option<Vec<f64>>,
    split: Split,
    info: TargetInfo,
    comparing: Comparing,
    used: Vec<usize>,
    folds: Vec<Fold>,
    kernel: KernelExpr,
    kernels: Vec<KernelExpr>,
    notices: Vec<Notice>,
    entrants: Vec<Entrant>,
    sizes: Vec<Size>,
    learnt: usize,
    /// As in [`Arena::new`].
    bounds: (u64, usize, Size),
    scoring: Scoring,
}

impl Setup {
    fn of(worker: &Worker<'_>) -> Self {
        let arena = &worker.arena;
        let Examples { data, target, weights, split } = arena.examples;
        Setup {
            data: data.clone(),
            target: target.clone(),
            weights: weights.map(<[f64]>::to_vec),
            split: split.clone(),
            info: worker.info.clone(),
            comparing: worker.comparing.clone(),
            used: arena.used.clone(),
            folds: arena.folds.clone(),
            kernel: arena.whole.kernel.clone(),
            kernels: arena.kernels.clone(),
            notices: arena.whole.notices.clone(),
            entrants: worker.entrants.clone(),
            sizes: worker.sizes.clone(),
            learnt: worker.learnt,
            bounds: (arena.bytes, arena.shared_rows, arena.size),
            scoring: worker.scoring,
        }
    }
}

/// A trial, with what is known of its candidate, and its limits.
#[derive(Serialize, Deserialize)]
struct Message<'r> {
    /// Which one it is of all that its process is given.
    number: usize,
    trial: Cow<'r, Trial>,
    known: Cow<'r, [Cell]>,
    seconds: Option<f64>,
    memory: u64,
}

/// What a trial left.
#[derive(Serialize, Deserialize)]
struct Reply {
    /// That of its trial.
    number: usize,
    judged: std::result::Result<Option<Contribution>, Failure>,
    made: Option<Sent>,
    search: Option<SearchState>,
    is_open: bool,
    exact_wins: bool,
    spent: Spent,
    /// Kernel values that were asked for the first time there, with their operations.
    values: Vec<(u64, f64)>,
}

#[derive(Serialize, Deserialize)]
enum Sent {
    Score(Arc<super::worker::FoldScore>),
    /// The bytes of its model file, seconds of tuning and of the fit, microseconds of a prediction.
    Fit(Vec<u8>, f64, f64, Option<f64>),
}

/// An error, as far as anyone goes by more than its words.
#[derive(Serialize, Deserialize)]
enum Failure {
    Time(String),
    Memory { what: String, needed: u64, allowed: u64, instead: String },
    Internal { what: String, why: String },
    Cancelled,
    Other(String),
}

impl Failure {
    fn of(error: Error) -> Self {
        match error {
            Error::Time { what } => Failure::Time(what),
            Error::Memory { what, needed, allowed, instead } => Failure::Memory { what, needed, allowed, instead },
            Error::Internal { what, why } => Failure::Internal { what, why },
            Error::Cancelled => Failure::Cancelled,
            other => Failure::Other(other.to_string()),
        }
    }

    fn error(self) -> Error {
        match self {
            Failure::Time(what) => Error::Time { what },
            Failure::Memory { what, needed, allowed, instead } => Error::Memory { what, needed, allowed, instead },
            Failure::Internal { what, why } => Error::Internal { what, why },
            Failure::Cancelled => Error::Cancelled,
            Failure::Other(why) => Error::Data(why),
        }
    }
}

fn send<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    let bytes = rmp_serde::to_vec_named(message).map_err(io::Error::other)?;
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(&bytes)?;
    to.flush()
}

/// The next message; `None` at the end.
fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u64::from_le_bytes(length);
    let mut bytes = Vec::new();
    if from.take(length).read_to_end(&mut bytes)? as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    rmp_serde::from_slice(&bytes).map(Some).map_err(io::Error::other)
}

/// Reads a setup and trials from a parent process and writes what they leave, until there are no more.
///
/// # Errors
/// Messages that cannot be read or written; rows that cannot be prepared.
pub fn work(from: impl Read, to: impl Write) -> Result<()> {
    let broken = |e| Error::io("the parent process", e);
    let (mut from, mut to) = (BufReader::new(from), BufWriter::new(to));
    let Some(setup) = receive::<Setup>(&mut from).map_err(broken)? else { return Ok(()) };
    let examples = Examples { data: &setup.data, target: &setup.target, weights: setup.weights.as_deref(), split: &setup.split };
    let mut whole = prepared_for(&setup.comparing, &examples.select(&setup.used))?;
    (whole.kernel, whole.notices) = (setup.kernel, setup.notices);
    let control = Control::default();
    let mut arena = Arena::new(examples, (whole, setup.used), setup.folds, setup.comparing.seed, setup.bounds, &control);
    arena.choose(setup.kernels, true, &control)?;
    // The parent counts those among all rows.
    arena.newly_counted();
    let mut worker = Worker::new(arena, &setup.info, &setup.comparing, (setup.entrants, setup.learnt), setup.scoring);
    worker.sizes = setup.sizes;
    while let Some(Message { number, trial, known, seconds, memory }) = receive(&mut from).map_err(broken)? {
        let control = seconds.iter().fold(Control::default().with_memory(memory), |control, seconds| control.with_seconds(*seconds));
        if let (Purpose::Look, Some(k)) = (trial.purpose, trial.rows.fold) {
            worker.settle_starts_of(k, &control);
        }
        let TrialOutput { result, made, search, .. } = worker.run(&trial, &known, &control);
        let TrialResult { judged, is_open, exact_wins, spent, .. } = result;
        let sent = |made| match made {
            Made::Score(score) => Ok(Sent::Score(score)),
            Made::Fit(timed, one) => {
                store::to_bytes(&timed.model).map(|bytes| Sent::Fit(bytes, timed.tune_seconds, timed.fit_seconds, one))
            }
        };
        let (judged, made) = match made.map(sent).transpose() {
            Ok(made) => (judged, made),
            Err(error) => (Err(error), None),
        };
        let (judged, values) = (judged.map_err(Failure::of), worker.arena.newly_counted());
        send(&mut to, &Reply { number, judged, made, search, is_open, exact_wins, spent, values }).map_err(broken)?;
    }
    Ok(())
}

/// A process on its way, with its two streams.
struct Running {
    child: Arc<Mutex<Child>>,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
    /// Trials so far.
    assigned: usize,
}

impl Running {
    fn new(processes: &Processes, setup: &[u8]) -> io::Result<Self> {
        let mut child = (processes.start)().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let mut running = Running { child: Arc::new(Mutex::new(child)), to: BufWriter::new(to), from: BufReader::new(from), assigned: 0 };
        running.to.write_all(setup)?;
        Ok(running)
    }

    /// What a trial leaves; an answer to another assignment is none.
    fn ask(&mut self, message: &mut Message<'_>) -> io::Result<Reply> {
        self.assigned += 1;
        message.number = self.assigned;
        send(&mut self.to, message)?;
        answer(&mut self.from, message.number)
    }
}

/// The reply to the trial of a number; those to others are passed over.
fn answer(from: &mut impl Read, number: usize) -> io::Result<Reply> {
    loop {
        let reply: Reply = receive(from)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        if reply.number == number {
            return Ok(reply);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        end(&self.child);
    }
}

fn end(child: &Mutex<Child>) {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    // One that has ended already needs no end.
    let _ = child.kill();
    let _ = child.wait();
}

/// Child processes as an executor.
pub(super) struct ChildProcesses {
    processes: Processes,
    /// The first message; none before the first trial.
    setup: Vec<u8>,
    /// Those that wait for a trial.
    idle: Mutex<Vec<Running>>,
}

impl Executor for ChildProcesses {
    fn computes_here(&self) -> bool {
        false
    }

    /// Each trial is run by the next process that is free.
    fn run(&mut self, worker: &Worker<'_>, trials: &[Assignment<'_>], limits: &Limits<'_>) -> Result<Vec<TrialOutput>> {
        if self.setup.is_empty() {
            send(&mut self.setup, &Setup::of(worker)).map_err(|e| Error::io("the rows of the comparison", e))?;
        }
        let control = limits.control;
        let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let count = self.processes.count.min(trials.len()).max(1);
        let current: Vec<Mutex<Option<Arc<Mutex<Child>>>>> = (0..count).map(|_| Mutex::default()).collect();
        let of_process = |place: usize| -> Vec<(usize, TrialOutput)> {
            std::iter::from_fn(|| {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let assignment = trials.get(at)?;
                (limits.begun)(assignment.trial);
                let output = self.one(worker, assignment, control, count, &current[place]);
                (limits.ended)(&output);
                Some((at, output))
            })
            .collect()
        };
        let of_process = &of_process;
        let mut all: Vec<(usize, TrialOutput)> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..count).map(|place| scope.spawn(move || of_process(place))).collect();
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::thread::sleep(WATCH);
                    if is_stopped(control) {
                        current.iter().filter_map(|c| lock(c).clone()).for_each(|child| end(&child));
                    }
                }
            });
            let made = threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect();
            over.store(true, Ordering::Relaxed);
            made
        });
        all.sort_by_key(|(at, _)| *at);
        Ok(all.into_iter().map(|(_, output)| output).collect())
    }
}

impl ChildProcesses {
    pub(super) fn new(processes: Processes) -> Self {
        ChildProcesses { processes, setup: Vec::new(), idle: Mutex::default() }
    }

    /// The output of a trial, by one of `count` processes; that which runs it is `current`.
    fn one(
        &self,
        worker: &Worker<'_>,
        &Assignment { trial, ref known }: &Assignment<'_>,
        control: &Control,
        count: usize,
        current: &Mutex<Option<Arc<Mutex<Child>>>>,
    ) -> TrialOutput {
        let memory = control.allowed() / count as u64;
        let mut message = Message { number: 0, trial: Cow::Borrowed(trial), known: known.into(), seconds: control.seconds_left(), memory };
        let mut why = String::new();
        for _ in 0..=AGAIN {
            if is_stopped(control) {
                return TrialOutput::failed(trial, Error::Cancelled);
            }
            let waiting = self.idle().pop();
            let running = waiting.map_or_else(|| Running::new(&self.processes, &self.setup), Ok);
            let asked = running.and_then(|mut running| {
                *lock(current) = Some(running.child.clone());
                running.ask(&mut message).map(|reply| (running, reply))
            });
            *lock(current) = None;
            match asked {
                Ok((running, reply)) => {
                    self.idle().push(running);
                    reply.values.iter().for_each(|&(key, work)| worker.arena.count(key, work));
                    if reply.judged.is_ok() {
                        worker.arena.note_computed(trial.rows.fold, worker.size(trial).rows);
                    }
                    return output(trial, reply);
                }
                Err(e) => why = e.to_string(),
            }
        }
        TrialOutput::failed(trial, Error::Internal { what: trial.estimator.name().into(), why: format!("its process ended ({why})") })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Running>> {
        lock(&self.idle)
    }
}

fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_stopped(control: &Control) -> bool {
    control.cancel.is_cancelled() || control.stop_early.is_cancelled()
}

fn output(trial: &Trial, Reply { judged, made, search, is_open, exact_wins, spent, values, .. }: Reply) -> TrialOutput {
    let made = made.map(|sent| match sent {
        Sent::Score(score) => Ok(Made::Score(score)),
        Sent::Fit(bytes, tune_seconds, fit_seconds, one) => {
            let model = store::from_bytes(&bytes, "a worker's model")?;
            Ok(Made::Fit(Box::new(TimedFit { model, tune_seconds, fit_seconds }), one))
        }
    });
    let (judged, made) = match made.transpose() {
        Ok(made) => (judged.map_err(Failure::error), made),
        Err(error) => (Err(error), None),
    };
    let result = TrialResult { trial: trial.clone(), judged, is_open, exact_wins, spent };
    TrialOutput { result, made, search, values: values.iter().map(|(_, work)| work).sum() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(number: usize, why: &str) -> Vec<u8> {
        let judged = Err(Failure::Other(why.into()));
        let spent = Spent { seconds: f64::INFINITY, operations: 1.0 };
        let mut bytes = Vec::new();
        let values = vec![(u64::MAX, 0.5)];
        let reply = Reply { number, judged, made: None, search: None, is_open: false, exact_wins: false, spent, values };
        send(&mut bytes, &reply).unwrap();
        bytes
    }

    fn why(reply: &Reply) -> String {
        let Err(Failure::Other(why)) = &reply.judged else { panic!("{:?}", reply.number) };
        why.clone()
    }

    #[test]
    fn a_second_answer_and_a_late_one_are_passed_over_and_half_of_one_is_none() {
        let all = [reply(1, "first"), reply(1, "once more"), reply(2, "second"), reply(1, "late"), reply(3, "third")].concat();
        let mut from = &all[..all.len() - 1];
        assert_eq!(why(&answer(&mut from, 1).unwrap()), "first");
        let second = answer(&mut from, 2).unwrap();
        assert_eq!((why(&second), second.values, second.spent.seconds), ("second".into(), vec![(u64::MAX, 0.5)], f64::INFINITY));
        let error = answer(&mut from, 3).map(|reply| reply.number).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn errors_that_are_gone_by_come_back_as_they_were_and_others_by_their_words() {
        let back = |error: Error| {
            let mut bytes = Vec::new();
            send(&mut bytes, &Failure::of(error)).unwrap();
            receive::<Failure>(&mut bytes.as_slice()).unwrap().unwrap().error()
        };
        assert!(matches!(back(Error::Time { what: "svc".into() }), Error::Time { what } if what == "svc"));
        let memory = Error::Memory { what: "gp".into(), needed: 7, allowed: 5, instead: String::new() };
        assert!(matches!(back(memory), Error::Memory { needed: 7, allowed: 5, .. }));
        let numerical = || Error::Numerical { what: "ridge".into(), why: "no finite answer".into() };
        assert_eq!(back(numerical()).to_string(), numerical().to_string());
    }
}
