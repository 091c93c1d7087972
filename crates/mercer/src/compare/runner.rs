//! Hands the trials of a schedule to an executor and keeps what they leave.

use super::executor::{Assignment, Executor, Limits};
use super::processes::ChildProcesses;
use super::threads::Threads;
use super::watch::Watch;
use super::worker::{Cell, Made, TrialOutput, Worker};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::kernels::KernelExpr;
use crate::learner::TimedFit;
use crate::trial::{Purpose, Spent, Trial, TrialResult};

/// The results of the trials of one estimator.
pub(super) struct CandidateResults {
    pub(super) cells: Vec<Cell>,
    pub(super) last: Option<TimedFit>,
    pub(super) predict_us_per_row: f64,
    pub(super) failure: Option<Error>,
    /// Seconds and operations of its trials so far, with those of kernel values that they were the first to read.
    pub(super) spent: Spent,
    /// Seconds of the longest first look that time ended.
    pub(super) late: f64,
}

/// Where trials run, and what they left so far.
pub(super) struct Runner<'a> {
    pub(super) worker: Worker<'a>,
    pub(super) control: &'a Control,
    pub(super) results: Vec<CandidateResults>,
    /// The limit of time, in seconds.
    pub(super) limit: Option<f64>,
    pub(super) watch: Watch<'a>,
    executor: Box<dyn Executor>,
}

impl CandidateResults {
    fn new(folds: usize) -> Self {
        let cells = vec![Cell::default(); folds];
        CandidateResults { cells, last: None, predict_us_per_row: f64::NAN, failure: None, spent: Spent::default(), late: 0.0 }
    }

    /// Keeps what a trial gave, and returns what the schedule goes by.
    fn keep(&mut self, TrialOutput { result, made, search, values }: TrialOutput) -> TrialResult {
        self.spent.seconds += result.spent.seconds;
        self.spent.operations += result.spent.operations + values;
        let Trial { rows, purpose, .. } = result.trial;
        if rows.fold.is_some() && matches!(result.judged, Err(Error::Time { .. })) {
            self.late = self.late.max(result.spent.seconds);
        }
        if let (Some(k), Some(search)) = (rows.fold, search) {
            self.cells[k].search = Some(search);
        }
        match (made, rows.fold) {
            (Some(Made::Score(score)), Some(k)) if purpose == Purpose::Look => self.cells[k].look = Some(score),
            (Some(Made::Score(score)), Some(k)) => self.cells[k].tuned = Some(score),
            (Some(Made::Fit(timed, one)), _) => {
                self.last = Some(*timed);
                self.predict_us_per_row = one.unwrap_or(self.predict_us_per_row);
            }
            _ => {}
        }
        result
    }

    /// What a trial needs to know of its candidate.
    fn known(&self, trial: &Trial) -> Vec<Cell> {
        let needs = |(k, cell): (usize, &Cell)| match trial.rows.fold {
            Some(fold) if fold != k => Cell::default(),
            Some(_) => Cell { tuned: None, ..cell.clone() },
            None => Cell { search: cell.search.clone(), ..Cell::default() },
        };
        self.cells.iter().enumerate().map(needs).collect()
    }
}

impl<'a> Runner<'a> {
    /// # Errors
    /// Values among all rows that cannot be computed; an end that was asked for.
    pub(super) fn new(worker: Worker<'a>, control: &'a Control) -> Result<Self> {
        let folds = worker.arena.folds.len();
        let executor: Box<dyn Executor> = match &worker.comparing.processes {
            Some(processes) if processes.count > 0 => Box::new(ChildProcesses::new(processes.clone())),
            _ => Box::new(Threads),
        };
        let mut runner = Runner {
            results: worker.entrants.iter().map(|_| CandidateResults::new(folds)).collect(),
            limit: control.seconds_left(),
            watch: Watch::new(worker.scoring.deciding),
            executor,
            worker,
            control,
        };
        runner.choose(Vec::new())?;
        Ok(runner)
    }

    /// Takes the kernels that the training rows of the folds have chosen; none: that of all rows is for all.
    pub(super) fn choose(&mut self, kernels: Vec<KernelExpr>) -> Result<()> {
        self.worker.arena.choose(kernels, self.executor.computes_here(), self.control)
    }

    /// Runs trials; `part`: the share of the time left that they may take together.
    pub(super) fn run(&mut self, trials: &[Trial], part: f64) -> Result<Vec<TrialResult>> {
        let Runner { worker, control, results, limit, watch, executor } = self;
        let assigned: Vec<Assignment<'_>> =
            trials.iter().map(|trial| Assignment { trial, known: results[trial.candidate].known(trial) }).collect();
        let (begun, ended) = (|trial: &Trial| watch.begun(trial), |output: &TrialOutput| watch.ended(&output.result));
        let together = control.share(part.min(1.0));
        let limits = Limits { control: &together, is_share: part < 1.0, whole: *limit, begun: &begun, ended: &ended };
        // After a stop this process fits what is left.
        let outputs = match control.stop_early.is_cancelled() {
            true => Threads.run(worker, &assigned, &limits)?,
            false => executor.run(worker, &assigned, &limits)?,
        };
        let kept = |output: TrialOutput| {
            let mut result = results[output.result.trial.candidate].keep(output);
            match &mut result.judged {
                Err(Error::Cancelled) if control.cancel.is_cancelled() => return Err(Error::Cancelled),
                Err(Error::Cancelled) => result.judged = Err(Error::Time { what: result.trial.estimator.name().into() }),
                _ => {}
            }
            Ok(result)
        };
        outputs.into_iter().map(kept).collect()
    }
}
