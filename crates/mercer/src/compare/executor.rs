//! The executor: where trials run. What follows from a trial does not depend on it.

use super::worker::{Cell, TrialOutput, Worker};
use crate::control::Control;
use crate::error::Result;
use crate::trial::Trial;

/// A trial with everything that it needs beside the rows.
pub(super) struct Assignment<'r> {
    pub(super) trial: &'r Trial,
    /// What is known of its candidate on each fold, as far as the trial goes by it.
    pub(super) known: Vec<Cell>,
}

/// What trials that run together may take, and who hears of them.
pub(super) struct Limits<'r> {
    /// Time and memory, and ends that are asked for.
    pub(super) control: &'r Control,
    /// Whether their time is a share of what is left: none may take all of it.
    pub(super) is_share: bool,
    /// The time limit of the whole comparison, in seconds.
    pub(super) whole: Option<f64>,
    /// Hears of each trial that begins.
    pub(super) begun: &'r (dyn Fn(&Trial) + Sync),
    /// Hears of the output of each that ends.
    pub(super) ended: &'r (dyn Fn(&TrialOutput) + Sync),
}

/// Runs trials: threads of this process, other processes, other machines.
pub(super) trait Executor: Sync {
    /// Whether kernel values that trials share are computed in this process; elsewhere they are counted by what comes back.
    fn computes_here(&self) -> bool;
    /// Runs trials by a worker, or by others that have its rows; outputs stand in the order of the trials. A trial that is lost on the
    /// way is run again.
    ///
    /// # Errors
    /// Rows that cannot be handed over. What fails in a trial is in its output.
    fn run(&mut self, worker: &Worker<'_>, trials: &[Assignment<'_>], limits: &Limits<'_>) -> Result<Vec<TrialOutput>>;
}
