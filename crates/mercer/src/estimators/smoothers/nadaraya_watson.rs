//! Nadaraya-Watson regression: the mean of the targets, each row weighed by its kernel value with the new one (Nadaraya 1964; Watson
//! 1964; Murphy 2012, 14.92); of classes the shares s of the same weights, which are ratios of kernel density estimates.
//!
//! ```text
//! f(x) = sum_i w_i k(x, x_i) y_i / sum_i w_i k(x, x_i)
//! f_-i(x_i) = the same without row i;     d f_-i(x_i) / d k_ij = w_j (y_j - f_-i(x_i)) / sum_j w_j k_ij
//! ```
//!
//! So the mean square of rows left out is a smooth function of every kernel value, and descends along any number of bandwidths.
//! Probabilities of classes are (m s + f) / (m + 1) with m = (sum_i w_i k_i)^2 / sum_i w_i k_i^2 the number of rows that decide (Kish 1965,
//! Survey sampling): the frequencies f of the classes count like one further row, as they do for `knn`.
//!
//! Where every kernel value is 0 and k(x, x) is the same for all rows, as under kernels that fall with the distance, the nearest rows
//! decide, as they do in the limit before values underflow. Under other kernels a value of 0 says that rows have nothing in common, and
//! the mean of all rows is taken.

use crate::blocks;
use crate::data::{Kind, Target, TargetInfo, absent};
use crate::error::{Error, Result};
use crate::estimators::contract::answer::CALIBRATED;
use crate::estimators::targets::outputs::{check, classes, least_mean};
use crate::estimators::{
    Answer, Costs, Criterion, CriterionName, Estimator, EstimatorFacts, Fit, FitContext, Fitted, Gives, HeldOut, LeaveOneOut, Needs,
    Predicted, Predictions, Query, Scores, Size, Summary, Task, Want, When,
};
use crate::gram::{Block, Gram, Side, Subset, dot, ranges};
use crate::linalg::{Matrix, PASSED};
use mercer_derive::Parameters;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// New inputs that one task looks at together, and rows that it compares them with at a time.
const TILE: (usize, usize) = (64, 256);
/// The first rows, in which a fit looks for kernel values below 0, of more.
const LOOKED_AT: usize = 2000;
/// Where on average more than this share of the rows decides, predictions are near the mean of all.
const NEARLY_ALL: f64 = 0.9;
/// Values of k(x, x) that differ by less than this share are equal but for rounding.
const SAME: f64 = 1e-9;

/// Nadaraya-Watson regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct NadarayaWatson {
    /// Whether probabilities are calibrated.
    #[param(default = true, doc = CALIBRATED)]
    #[serde(default)]
    pub calibrated: bool,
}

/// Its training rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedNadarayaWatson {
    #[serde(with = "blocks::usizes")]
    rows: Vec<usize>,
    /// N x outputs: numbers, or 1 in the column of each row's class.
    targets: Matrix,
    #[serde(with = "blocks::f64s")]
    weights: Vec<f64>,
    /// Number of classes where classes are predicted.
    classes: Option<usize>,
    summary: Summary,
}

/// Means of rows by their kernel values, M x outputs, the sums of the weights that they were made with, and the numbers of rows that decide.
struct Averages {
    means: Matrix,
    masses: Vec<f64>,
    deciding: Vec<f64>,
}

impl FittedNadarayaWatson {
    fn of(task: &Task<'_>) -> Result<Self> {
        check(task, NadarayaWatson::NAME)?;
        let targets = match task.target {
            Target::Numbers(y) => y.clone(),
            Target::Classes { codes, names } => Matrix::from_fn(codes.len(), names.len(), |i, c| f64::from(u8::from(codes[i] == c))),
            Target::Absent { .. } => return Err(absent(NadarayaWatson::NAME)),
        };
        if let Some(k) = targets.data().iter().position(|v| !v.is_finite()) {
            let value = targets.data()[k];
            return Err(Error::Data(format!("the target of row {} is {value}, not a finite number", k / targets.cols() + 1)));
        }
        let rows: Vec<usize> = (0..task.rows()).collect();
        let weights = rows.iter().map(|&i| task.weight(i)).collect();
        let summary = Summary { converged: true, ..Summary::default() };
        Ok(FittedNadarayaWatson { rows, targets, weights, classes: classes(task.target), summary })
    }

    /// An error unless the parts fit together: they may come from a file.
    fn check(&self, cols: usize) -> Result<()> {
        Error::unless_equal("columns of the Gram matrix", self.rows.len(), cols)?;
        Error::unless_equal("targets", self.rows.len(), self.targets.rows())?;
        Error::unless_equal("weights", self.rows.len(), self.weights.len())?;
        Error::unless_equal("classes", self.classes.unwrap_or(self.targets.cols()), self.targets.cols())
    }

    /// The mean of the targets of some rows.
    fn mean_of(&self, rows: &mut dyn Iterator<Item = usize>) -> (Vec<f64>, f64) {
        let (mut sums, mut total) = (vec![0.0; self.targets.cols()], 0.0);
        for i in rows {
            sums.iter_mut().zip(self.targets.row(i)).for_each(|(s, y)| *s += self.weights[i] * y);
            total += self.weights[i];
        }
        sums.iter_mut().for_each(|s| *s /= total);
        (sums, total)
    }

    /// The rows that decide where every kernel value is 0: see the head of the file.
    fn nearest(&self, cross: &dyn Gram, input: usize, own: Option<usize>) -> Vec<usize> {
        let n = self.rows.len();
        let others = || (0..n).filter(move |i| own != Some(*i));
        let diagonal = cross.diagonal(Side::Cols);
        let most = diagonal.iter().fold(0.0f64, |m, d| m.max(d.abs()));
        if diagonal.iter().any(|d| (d - diagonal[0]).abs() > SAME * most) {
            return others().collect();
        }
        let mut apart = vec![0.0; n];
        cross.fill_distances(&[input], 0..n, Block::new(&mut apart, 1, n));
        let least = others().map(|i| apart[i]).fold(f64::INFINITY, f64::min);
        let near: Vec<usize> = others().filter(|&i| apart[i] <= least).collect();
        if near.is_empty() { others().collect() } else { near }
    }

    /// Averages at M inputs from their M x N kernel values; inputs that are rows themselves, `own`, are averaged over the others.
    fn averages(&self, query: &Query<'_>, own: Option<&[usize]>) -> Result<Averages> {
        let (cross, Query { control, .. }) = (query.cross()?, *query);
        let (m, n) = cross.shape();
        self.check(n)?;
        let outputs = self.targets.cols();
        let (all, _) = self.mean_of(&mut (0..n));
        // Weighted differences from the mean, which loses no digit to a mean far from 0, and the weights themselves.
        let wide = outputs + 1;
        let sums = Matrix::from_fn(wide, n, |o, i| self.weights[i] * if o < outputs { self.targets[(i, o)] - all[o] } else { 1.0 });
        let (mut means, mut masses, mut deciding) = (Matrix::zeros(m, outputs), vec![0.0; m], vec![0.0; m]);
        let of_tiles = masses.par_chunks_mut(TILE.0).zip(deciding.par_chunks_mut(TILE.0));
        let tiles = of_tiles.zip(means.data_mut().par_chunks_mut((TILE.0 * outputs).max(1))).enumerate();
        tiles.try_for_each(|(t, ((masses, deciding), means))| -> Result<()> {
            control.check_time("averages")?;
            let (first, count) = (t * TILE.0, masses.len());
            let itself = |i: usize| own.map(|own| own[first + i]);
            let (mut tile, mut found) = (vec![0.0; count * TILE.1.min(n)], vec![0.0; count * wide]);
            for cols in ranges(n, TILE.1) {
                let (start, width) = (cols.start, cols.len());
                let tile = &mut tile[..count * width];
                cross.fill(first..first + count, cols.clone(), Block::new(tile, count, width));
                for (i, row) in (0..count).filter_map(|i| itself(i).filter(|row| cols.contains(row)).map(|row| (i, row))) {
                    tile[i * width + row - start] = 0.0;
                }
                if let Some(at) = tile.iter().position(|k| !(*k >= 0.0 && k.is_finite())) {
                    return Err(not_a_weight(tile[at], first + at / width, start + at % width));
                }
                // A value has the same bits whatever inputs are asked for beside it.
                for ((row, out), squares) in tile.chunks_exact_mut(width).zip(found.chunks_exact_mut(wide)).zip(&mut *deciding) {
                    out.iter_mut().enumerate().for_each(|(o, f)| *f += dot(row, &sums.row(o)[cols.clone()]));
                    row.iter_mut().for_each(|k| *k *= *k);
                    *squares += dot(row, &self.weights[cols.clone()]);
                }
            }
            for (i, (mean, found)) in means.chunks_exact_mut(outputs).zip(found.chunks_exact(wide)).enumerate() {
                masses[i] = found[outputs];
                if masses[i] > 0.0 {
                    mean.iter_mut().zip(&all).zip(found).for_each(|((f, all), sum)| *f = all + sum / masses[i]);
                    // Where squares underflow one row decides.
                    deciding[i] = if deciding[i] > 0.0 { masses[i] * masses[i] / deciding[i] } else { 1.0 };
                } else {
                    let (of_nearest, total) = self.mean_of(&mut self.nearest(cross, first + i, itself(i)).into_iter());
                    mean.copy_from_slice(&of_nearest);
                    deciding[i] = total;
                }
            }
            Ok(())
        })?;
        Ok(Averages { means, masses, deciding })
    }

    fn left_out(&self, task: &Task<'_>) -> Result<Averages> {
        self.averages(&Query::new(task.gram()?, Want::default(), task.control), Some(&every_row(task)?))
    }

    fn predictions(&self, averages: Averages, own: Option<&[usize]>, want: Want) -> Predictions {
        let Averages { mut means, deciding, .. } = averages;
        if self.classes.is_none() {
            return Predictions::of(Predicted::Numbers(means));
        }
        // A class without a row is not ruled out.
        let mut counts = vec![1.0; means.cols()];
        let count = |counts: &mut [f64], i: usize, sign: f64| {
            counts.iter_mut().zip(self.targets.row(i)).for_each(|(c, y)| *c += sign * self.weights[i] * y);
        };
        (0..self.weights.len()).for_each(|i| count(&mut counts, i, 1.0));
        for (i, rows) in deciding.iter().enumerate() {
            let mut frequencies = counts.clone();
            own.into_iter().for_each(|own| count(&mut frequencies, own[i], -1.0));
            let all: f64 = frequencies.iter().sum();
            // Rounding may leave a share of 0 just below.
            means.row_mut(i).iter_mut().zip(&frequencies).for_each(|(p, f)| *p = (rows * p.clamp(0.0, 1.0) + f / all) / (rows + 1.0));
        }
        let best = |i: usize| means.row(i).iter().enumerate().fold(0, |best, (c, p)| if *p > means[(i, best)] { c } else { best });
        let codes = (0..means.rows()).map(best).collect();
        Predictions { probabilities: want.probabilities.then_some(means), ..Predictions::of(Predicted::Classes(codes)) }
    }

    /// What a fit says of the kernel values among its first rows, each without itself.
    fn look(&mut self, task: &Task<'_>) -> Result<()> {
        let n = task.rows();
        let rows: Vec<usize> = (0..LOOKED_AT.min(n)).collect();
        let some = Subset::new(task.gram()?, &rows, &(0..n).collect::<Vec<_>>());
        let found = self.averages(&Query::new(&some, Want::default(), task.control), (n > 1).then_some(&rows[..]))?;
        let alone = found.masses.iter().filter(|m| **m == 0.0).count();
        if alone > 0 {
            self.summary.notes.push(format!(
                "{alone} of {} rows have kernel values of 0 with all others: the nearest rows decide there; a wider kernel weighs more of them",
                rows.len()
            ));
        }
        let (total, mean) = (self.weights.iter().sum::<f64>(), found.deciding.iter().sum::<f64>() / rows.len() as f64);
        if n > 2 && mean > NEARLY_ALL * total {
            self.summary.notes.push(
                "kernel values hardly differ from row to row, so that predictions are near the mean of all rows; take a kernel that falls to 0 with the distance, and a product (*) instead of a sum (+)".into(),
            );
        }
        Ok(())
    }
}

/// The rows of a task, of which one can be left out.
fn every_row(task: &Task<'_>) -> Result<Vec<usize>> {
    match task.rows() {
        0 | 1 => Err(Error::Data(format!(
            "{}: a row can be left out where there are two or more; there is {}",
            NadarayaWatson::NAME,
            task.rows()
        ))),
        rows => Ok((0..rows).collect()),
    }
}

fn not_a_weight(value: f64, new: usize, row: usize) -> Error {
    let (new, row) = (new + 1, row + 1);
    if value < 0.0 {
        let instead = "take a kernel whose values are 0 and above, such as rbf, laplacian or spectrum";
        return Error::Data(format!(
            "{} weighs rows by kernel values, and that of row {new} with training row {row} is {value:.3e}; {instead}",
            NadarayaWatson::NAME
        ));
    }
    Error::Numerical {
        what: NadarayaWatson::NAME.into(),
        why: format!("the kernel value of row {new} with training row {row} is {value}; scale the columns"),
    }
}

impl Estimator for NadarayaWatson {
    const NAME: &'static str = "nadaraya_watson";
    const DOC: &'static str = "kernel regression of Nadaraya and Watson: means weighed by kernel values, for classes their shares";
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    const CRITERION: Option<CriterionName> = Some(CriterionName::leave_one_out("leave-one-out error"));
    type Fitted = FittedNadarayaWatson;

    fn gives(&self) -> Gives {
        Gives {
            scores: Scores::None,
            probabilities: When::Always,
            calibrated: When::If("calibrated"),
            leave_one_out: LeaveOneOut::ClosedForm(When::Always),
            ..Gives::VALUES
        }
    }
    fn needs(&self) -> Needs {
        Needs::NonNegative
    }

    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { criterion_keeps_kernel: true, ..EstimatorFacts::default() }
    }

    /// The leave-one-out error itself, in units of the target.
    fn criterion_for_display(value: f64) -> f64 {
        value.exp()
    }

    /// Some rows are compared with all, from kernel values, however few features there are; classes are calibrated by a second look. A
    /// criterion takes kernel values, averages and derivatives.
    fn costs(&self, size: Size) -> Costs {
        let (n, outputs) = (size.rows as f64, size.outputs as f64);
        let compared = n * size.rows.min(LOOKED_AT) as f64 * if size.classes { 2.0 } else { 1.0 };
        Costs {
            bytes: 8 * size.rows as u64 * (20 + 6 * size.outputs as u64),
            values: compared,
            fit: 2.0 * PASSED * compared * (2.0 + outputs),
            prediction: 2.0 * PASSED * n * (2.0 + outputs),
            criterion: (80.0 + 6.0 * outputs) * n * n,
            ..size.by_values().costs()
        }
    }

    /// Keeps the rows. A kernel with values below 0 is found here, of many rows in the first with all; each prediction looks at its own.
    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, FittedNadarayaWatson>) -> Result<Fit<FittedNadarayaWatson>> {
        let mut fitted = FittedNadarayaWatson::of(task)?;
        fitted.look(task)?;
        if !context.wants_scores {
            return Ok(fitted.into());
        }
        let held_out = HeldOut::one_by_one_or(self, task, context.hold, |rows| {
            let some = Subset::new(task.gram()?, rows, &fitted.rows);
            let averages = fitted.averages(&Query::new(&some, Want::default(), task.control), Some(rows))?;
            Ok(fitted.predictions(averages, Some(rows), Want { probabilities: true, ..Want::default() }))
        })?;
        Ok(Fit { held_out: Some(held_out), ..fitted.into() })
    }

    /// S = sum_io w_i e_io^2 / (sum_i w_i O), e = y - f_-i; the value is log S / 2 and its indifference one standard error of S over
    /// the rows. A row of weight 2 is left out as a whole.
    fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        let (n, fitted) = (task.rows(), FittedNadarayaWatson::of(task)?);
        task.control.plan("the leave-one-out criterion of nadaraya_watson", 16 * (n as u64).pow(2))?;
        let Averages { means, masses, .. } = fitted.left_out(task)?;
        let (y, outputs) = (&fitted.targets, fitted.targets.cols());
        let errors = Matrix::from_fn(n, outputs, |i, o| y[(i, o)] - means[(i, o)]);
        let squares: Vec<f64> = (0..n).map(|i| errors.row(i).iter().map(|e| e * e).sum::<f64>() / outputs as f64).collect();
        let total: f64 = fitted.weights.iter().sum();
        let mean = (0..n).map(|i| fitted.weights[i] * squares[i]).sum::<f64>() / total;
        let floor = least_mean(y);
        if mean <= floor {
            return Ok(Criterion { value: 0.5 * floor.ln(), weights: Matrix::zeros(n, n).into(), own: Vec::new(), indifference: 0.0 });
        }
        // d value / d k_ij as seen from row i; both rows of a pair see it.
        let scale = 1.0 / (mean * total * outputs as f64);
        let seen = |i: usize, j: usize| {
            let along: f64 = (0..outputs).map(|o| errors[(i, o)] * (y[(j, o)] - means[(i, o)])).sum();
            if masses[i] > 0.0 && i != j { -scale * fitted.weights[i] * fitted.weights[j] * along / masses[i] } else { 0.0 }
        };
        let mut weights = Matrix::zeros(n, n);
        weights.data_mut().par_chunks_mut(n).enumerate().for_each(|(i, row)| {
            row.iter_mut().enumerate().for_each(|(j, v)| *v = 0.5 * (seen(i, j) + seen(j, i)));
        });
        let spread = (0..n).map(|i| fitted.weights[i] * (squares[i] - mean).powi(2)).sum::<f64>() / total;
        let indifference = 0.5 * (1.0 + (spread / n as f64).sqrt() / mean).ln();
        Ok(Criterion { value: 0.5 * mean.ln(), weights: weights.into(), own: Vec::new(), indifference })
    }

    fn leave_one_out(&self, task: &Task<'_>) -> Result<Option<Predictions>> {
        let fitted = FittedNadarayaWatson::of(task)?;
        let averages = fitted.left_out(task)?;
        Ok(Some(fitted.predictions(averages, Some(&every_row(task)?), Want { probabilities: true, ..Want::default() })))
    }
}

impl Fitted for FittedNadarayaWatson {
    fn support(&self) -> &[usize] {
        &self.rows
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        Ok(self.predictions(self.averages(query, None)?, None, query.want))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, self.classes)
    }
}
