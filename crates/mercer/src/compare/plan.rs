//! How many rows each estimator can learn from, and what its fits will take: see [`part`].

use super::Comparing;
use crate::control::Control;
use crate::data::Examples;
use crate::error::Result;
use crate::estimators::EstimatorExpr;
use crate::fitting;
use crate::kernels::KernelExpr;
use crate::select::{LEAST_ROWS, Means, largest, part};

/// Work of a first look, in floating-point operations: what comes before any search need not see every row.
const FIRST_WORK: f64 = 3e9;
/// Fits that a comparison makes of each estimator, in units of one fit to all rows: tuned values on every fold, a
/// first look at each, the search, and the fit to all rows.
fn fits(folds: usize) -> f64 {
    0.7 * folds as f64 + 2.5
}
/// The share of the time that the plan counts on.
const SHARE: f64 = 0.8;

/// What a comparison is going to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Rows that take part.
    pub rows: usize,
    /// One for each estimator that can predict the target, in the order asked for.
    pub fits: Vec<Planned>,
}

/// What is going to be done with one estimator.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The estimator as asked for.
    pub estimator: EstimatorExpr,
    /// Rows that its largest fit learns from.
    pub rows: usize,
    /// The most memory of a fit, in bytes.
    pub bytes: u64,
    /// Seconds of all its fits and of its search, as far as a small fit tells; `None` on tables that are too small to ask.
    pub seconds: Option<f64>,
}

impl Plan {
    /// Seconds of the whole, where they are known.
    pub fn seconds(&self) -> Option<f64> {
        self.fits.iter().map(|f| f.seconds).sum()
    }
}

/// The plan for prepared rows.
pub(super) fn plan(examples: &Examples<'_>, kernel: &KernelExpr, comparing: &Comparing, control: &Control) -> Result<Plan> {
    let rows = examples.rows();
    let able: Vec<&EstimatorExpr> = comparing.estimators.iter().filter(|e| e.takes(examples.target)).collect();
    let outputs = fitting::outputs(examples.target);
    let seconds = control.seconds_left().map(|s| SHARE * s / able.len() as f64);
    let means = Means {
        fits: fits(comparing.folds),
        seconds,
        told: true,
        patience: 1.0,
        bytes: control.allowed() / 8 * 7,
        most: comparing.sample.unwrap_or(rows),
    };
    let mut fits = Vec::new();
    for estimator in able {
        let found = part(estimator, kernel, examples, means, control, comparing.seed)?;
        let bytes = estimator.bytes(found.rows, outputs);
        fits.push(Planned { estimator: estimator.clone(), rows: found.rows, bytes, seconds: found.seconds });
    }
    Ok(Plan { rows, fits })
}

/// Rows that a first look learns from, of so many.
pub(super) fn first_rows(estimator: &EstimatorExpr, rows: usize, outputs: usize) -> usize {
    largest(rows, |n| n <= LEAST_ROWS || estimator.work(n, outputs) <= FIRST_WORK)
}
