//! Linear support vector machines on features that are written out: O(N) in rows and numbers, without kernel values.
//!
//! They state their problems to [`solve::linear`](crate::solve::linear). Of more than two classes there is one problem for each
//! class against the rest; all run side by side over the same rows.

use crate::control::Control;
use crate::data::{Points, Storage, Target};
use crate::error::{Error, Result};
use crate::estimators::{Certificate, Summary};
use crate::linalg::Matrix;
use crate::solve::linear::{self, Loss, Method, Options, Problem, Solution};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What both machines are told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linear {
    /// Cost of a row's loss beside |w|^2 / 2.
    pub c: f64,
    /// Whether losses are squared.
    pub squared: bool,
    /// Value of the column whose weight is the offset; 0: no offset.
    pub constant: f64,
    /// Whether the primal problem is solved, by Newton's method; squared losses only. Else the dual one, by coordinates.
    pub primal: bool,
    /// When to stop: see [`Method`].
    pub tolerance: f64,
    /// The most passes over the rows, or Newton steps.
    pub max_iterations: usize,
}

/// A linear support vector classifier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearSvc {
    /// What both machines are told.
    pub linear: Linear,
    /// Factor of the cost of rows of each class, where they are told from others; `None`: 1.
    pub class_weights: Option<Vec<f64>>,
}

/// A linear support vector regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearSvr {
    /// What both machines are told.
    pub linear: Linear,
    /// Residuals up to here cost nothing.
    pub tube: f64,
}

/// What a fit leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearModel {
    /// Outputs x columns: one output for numbers and for two classes, else one for each class.
    pub weights: Matrix,
    /// One an output.
    pub offset: Vec<f64>,
    /// Steps of each problem.
    pub steps: Vec<usize>,
    /// How good it is; the objective is the sum over the problems.
    pub summary: Summary,
}

impl LinearSvc {
    /// Learns classes; a row of weight 2 is two rows.
    pub fn fit(&self, points: &Points, target: &Target, weights: Option<&[f64]>, control: &Control, seed: u64) -> Result<LinearModel> {
        let (codes, names) = target.as_classes("a linear support vector classifier")?;
        let rows = rows(points, codes.len(), weights)?;
        let factor = |k: usize| self.class_weights.as_ref().map_or(1.0, |w| w[k]);
        Error::unless_equal("weights of classes", names.len(), self.class_weights.as_ref().map_or(names.len(), Vec::len))?;
        let mut present = vec![false; names.len()];
        codes.iter().zip(&rows).filter(|(_, w)| **w > 0.0).for_each(|(&k, _)| present[k] = true);
        if names.len() < 2 {
            return Err(Error::Data("a linear support vector classifier needs two classes, and there is one".into()));
        }
        if let Some(absent) = present.iter().position(|p| !p) {
            return Err(Error::Data(format!("class '{}' has no row of weight above 0", names[absent])));
        }
        let loss = Loss { one_sided: true, squared: self.linear.squared, tube: 0.0 };
        let one = |class: usize, rest: &dyn Fn(usize) -> f64| Problem {
            target: codes.iter().map(|&k| if k == class { 1.0 } else { -1.0 }).collect(),
            cost: codes.iter().zip(&rows).map(|(&k, w)| self.linear.c * w * if k == class { factor(k) } else { rest(k) }).collect(),
            loss,
        };
        let problems = match names.len() {
            2 => vec![one(1, &factor)],
            more => (0..more).map(|class| one(class, &|_| 1.0)).collect(),
        };
        self.linear.solve(points, &problems, control, seed)
    }
}

impl LinearSvr {
    /// Learns numbers, each column of the target by itself; a row of weight 2 is two rows.
    pub fn fit(&self, points: &Points, target: &Target, weights: Option<&[f64]>, control: &Control, seed: u64) -> Result<LinearModel> {
        let numbers = target.as_numbers("a linear support vector regression")?;
        let cost: Vec<f64> = rows(points, numbers.rows(), weights)?.iter().map(|w| self.linear.c * w).collect();
        let loss = Loss { one_sided: false, squared: self.linear.squared, tube: self.tube };
        let problems: Vec<Problem> = (0..numbers.cols()).map(|j| Problem { target: numbers.col(j), cost: cost.clone(), loss }).collect();
        self.linear.solve(points, &problems, control, seed)
    }
}

/// Weights of rows that fit to the points and count for something.
fn rows(points: &Points, targets: usize, weights: Option<&[f64]>) -> Result<Vec<f64>> {
    Error::unless_equal("targets", points.rows(), targets)?;
    let rows = weights.map_or_else(|| vec![1.0; targets], <[f64]>::to_vec);
    Error::unless_equal("sample weights", points.rows(), rows.len())?;
    if let Some(i) = rows.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
        return Err(Error::Data(format!("row {} has the weight {}; expected a finite number, 0 or above", i + 1, rows[i])));
    }
    if !rows.iter().any(|w| *w > 0.0) {
        return Err(Error::Data("there is no row of weight above 0".into()));
    }
    Ok(rows)
}

impl Linear {
    fn solve(&self, points: &Points, problems: &[Problem], control: &Control, seed: u64) -> Result<LinearModel> {
        self.check()?;
        let options = Options {
            method: if self.primal { Method::Newton } else { Method::Coordinate },
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            seed,
        };
        let found = linear::solve(points, self.constant, problems, &options, control)?;
        let dim = points.dim();
        Ok(LinearModel {
            weights: Matrix::new(found.len(), dim, found.iter().flat_map(|s| &s.weights[..dim]).copied().collect())?,
            offset: found.iter().map(|s| self.constant * s.weights[dim]).collect(),
            steps: found.iter().map(|s| s.iterations).collect(),
            summary: self.summary(&found),
        })
    }

    fn check(&self) -> Result<()> {
        let fault = |name: &str, value: f64, domain: &str| {
            Err(Error::OutOfDomain { owner: "linear machine".into(), name: name.into(), value: value.to_string(), domain: domain.into() })
        };
        if !(self.c > 0.0 && self.c.is_finite()) {
            return fault("c", self.c, "a finite number above 0");
        }
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return fault("tolerance", self.tolerance, "a finite number above 0");
        }
        if !self.constant.is_finite() {
            return fault("constant", self.constant, "a finite number");
        }
        Ok(())
    }

    fn summary(&self, found: &[Solution]) -> Summary {
        let worst = |of: fn(&Solution) -> f64| found.iter().map(of).fold(0.0, f64::max);
        Summary {
            iterations: found.iter().map(|s| s.iterations).sum(),
            converged: found.iter().all(|s| s.converged),
            objective: Some(found.iter().map(|s| s.primal).sum()),
            evidence: None,
            certificate: Some(Certificate { name: "relative duality gap".into(), value: worst(|s| s.gap), tolerance: self.tolerance }),
            violation: Some(worst(|s| s.violation)),
            jitter: None,
            notes: Vec::new(),
        }
    }
}

impl LinearModel {
    /// Decision values, rows x outputs.
    pub fn values(&self, points: &Points, control: &Control) -> Result<Matrix> {
        Error::unless_equal("columns", self.weights.cols(), points.dim())?;
        let outputs = self.offset.len();
        let mut out = Matrix::zeros(points.rows(), outputs);
        let row = |i: usize, weights: &[f64]| match points.storage() {
            Storage::Dense(values) => crate::gram::dot(&values[i * points.dim()..(i + 1) * points.dim()], weights),
            Storage::Csr { starts, columns, values } => {
                let places = starts[i]..starts[i + 1];
                columns[places.clone()].iter().zip(&values[places]).map(|(c, x)| x * weights[*c as usize]).sum()
            }
        };
        out.data_mut().par_chunks_mut(1024 * outputs.max(1)).enumerate().try_for_each(|(band, part)| {
            control.check()?;
            for (k, values) in part.chunks_mut(outputs.max(1)).enumerate() {
                for (j, value) in values.iter_mut().enumerate() {
                    *value = row(1024 * band + k, self.weights.row(j)) + self.offset[j];
                }
            }
            Ok::<(), Error>(())
        })?;
        Ok(out)
    }

    /// Codes of classes from decision values: above 0 is the second of two, of more the first of the greatest.
    pub fn codes(values: &Matrix) -> Vec<usize> {
        let greatest = |row: &[f64]| (1..row.len()).fold(0, |best, k| if row[k] > row[best] { k } else { best });
        let code = |row: &[f64]| if row.len() == 1 { usize::from(row[0] > 0.0) } else { greatest(row) };
        (0..values.rows()).map(|i| code(values.row(i))).collect()
    }
}
