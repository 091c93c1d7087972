//! Nadaraya-Watson regression: the mean of the targets, each row weighed by its kernel value with the new one (Nadaraya 1964; Watson
//! 1964; Murphy 2012, 14.92); of classes the shares of the same weights, which are ratios of kernel density estimates.
//!
//! ```text
//! f(x) = sum_i w_i k(x, x_i) y_i / sum_i w_i k(x, x_i)
//! f_-i(x_i) = the same without row i;     d f_-i(x_i) / d k_ij = w_j (y_j - f_-i(x_i)) / sum_j w_j k_ij
//! ```
//!
//! So the mean square of rows left out is a smooth function of every kernel value, and descends along any number of bandwidths.
//! A row that no other is like (all kernel values 0) gets the mean of all targets: the limit of a kernel with any constant added.

use super::outputs::{check, classes, least_mean};
use super::{Answer, Criterion, Estimator, Fitted, Gives, Needs, Predicted, Predictions, Query, Scores, Size, Summary, Task, Want, When};
use crate::blocks;
use crate::data::{Kind, Target, TargetInfo, absent};
use crate::error::{Error, Result};
use crate::gram::{Block, Subset, dot, ranges};
use crate::linalg::Matrix;
use crate::param::Param;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// New inputs that one task looks at together, and rows that it compares them with at a time.
const TILE: (usize, usize) = (64, 256);
/// The first rows, in which a fit looks for kernel values below 0, of more.
const LOOKED_AT: usize = 2000;

/// Nadaraya-Watson regression.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NadarayaWatson {}

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

/// Means of rows by their kernel values, M x outputs, and the sums of the weights that they were made with.
struct Averages {
    means: Matrix,
    masses: Vec<f64>,
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

    /// The mean of the targets, without one of the rows where that is asked for.
    fn mean(&self, without: Option<usize>) -> Vec<f64> {
        let weight = |i: usize| if without == Some(i) { 0.0 } else { self.weights[i] };
        let total: f64 = (0..self.weights.len()).map(weight).sum();
        (0..self.targets.cols()).map(|o| (0..self.weights.len()).map(|i| weight(i) * self.targets[(i, o)]).sum::<f64>() / total).collect()
    }

    /// Averages at M inputs from their M x N kernel values; where `left_out`, they are the rows, and each is averaged over the others.
    fn averages(&self, query: &Query<'_>, left_out: bool) -> Result<Averages> {
        let Query { cross, control, .. } = *query;
        let (m, n) = cross.shape();
        self.check(n)?;
        let outputs = self.targets.cols();
        let all = self.mean(None);
        // Weighted differences from the mean, which loses no digit to a mean far from 0, and the weights themselves.
        let wide = outputs + 1;
        let sums = Matrix::from_fn(wide, n, |o, i| self.weights[i] * if o < outputs { self.targets[(i, o)] - all[o] } else { 1.0 });
        let (mut means, mut masses) = (Matrix::zeros(m, outputs), vec![0.0; m]);
        let tiles = masses.par_chunks_mut(TILE.0).zip(means.data_mut().par_chunks_mut((TILE.0 * outputs).max(1))).enumerate();
        tiles.try_for_each(|(t, (masses, means))| -> Result<()> {
            control.check_time("averages")?;
            let (first, count) = (t * TILE.0, masses.len());
            let (mut tile, mut found) = (vec![0.0; count * TILE.1.min(n)], vec![0.0; count * wide]);
            for cols in ranges(n, TILE.1) {
                let (start, width) = (cols.start, cols.len());
                let tile = &mut tile[..count * width];
                cross.fill(first..first + count, cols.clone(), Block::new(tile, count, width));
                if left_out {
                    (0..count).filter(|i| cols.contains(&(first + i))).for_each(|i| tile[i * width + first + i - start] = 0.0);
                }
                if let Some(at) = tile.iter().position(|k| !(*k >= 0.0 && k.is_finite())) {
                    return Err(not_a_weight(tile[at], first + at / width, start + at % width));
                }
                // A value has the same bits whatever inputs are asked for beside it.
                for (row, out) in tile.chunks_exact(width).zip(found.chunks_exact_mut(wide)) {
                    out.iter_mut().enumerate().for_each(|(o, f)| *f += dot(row, &sums.row(o)[cols.clone()]));
                }
            }
            for (i, (mean, found)) in means.chunks_exact_mut(outputs).zip(found.chunks_exact(wide)).enumerate() {
                masses[i] = found[outputs];
                if masses[i] > 0.0 {
                    mean.iter_mut().zip(&all).zip(found).for_each(|((f, all), sum)| *f = all + sum / masses[i]);
                } else {
                    mean.copy_from_slice(&if left_out { self.mean(Some(first + i)) } else { all.clone() });
                }
            }
            Ok(())
        })?;
        Ok(Averages { means, masses })
    }

    fn left_out(&self, task: &Task<'_>) -> Result<Averages> {
        if task.rows() < 2 {
            return Err(Error::Data(format!("{}: a row can be left out where there are two or more; there is 1", NadarayaWatson::NAME)));
        }
        self.averages(&Query::new(task.gram, Want::default(), task.control), true)
    }

    fn predictions(&self, mut means: Matrix, want: Want) -> Predictions {
        if self.classes.is_none() {
            return Predictions::of(Predicted::Numbers(means));
        }
        // Rounding may leave a share of 0 just below.
        means.data_mut().iter_mut().for_each(|p| *p = p.clamp(0.0, 1.0));
        let best = |i: usize| means.row(i).iter().enumerate().fold(0, |best, (c, p)| if *p > means[(i, best)] { c } else { best });
        let codes = (0..means.rows()).map(best).collect();
        Predictions { probabilities: want.probabilities.then_some(means), ..Predictions::of(Predicted::Classes(codes)) }
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
    const PARAMS: &'static [Param] = &[];
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    const GIVES: Gives = Gives { scores: Scores::None, probabilities: When::Always, leave_one_out: When::Always, ..Gives::VALUES };
    const NEEDS: Needs = Needs::NonNegative;
    const CRITERION: Option<&'static str> = Some("leave-one-out error");
    const CRITERION_LEAVES_OUT: bool = true;
    type Fitted = FittedNadarayaWatson;

    /// The leave-one-out error itself, in units of the target.
    fn criterion_for_display(value: f64) -> f64 {
        value.exp()
    }

    fn bytes(&self, size: Size) -> u64 {
        8 * size.rows as u64 * (4 + 2 * size.outputs as u64)
    }

    /// Some rows are compared with each.
    fn work(&self, size: Size) -> f64 {
        self.prediction_work(size) * size.rows.min(LOOKED_AT) as f64
    }

    fn prediction_work(&self, size: Size) -> f64 {
        // From kernel values, however few features there are.
        Size { rank: None, ..size }.per_prediction()
    }

    /// Kernel values, averages and derivatives.
    fn criterion_work(&self, size: Size) -> f64 {
        (20.0 + 6.0 * size.outputs as f64) * (size.rows as f64).powi(2)
    }

    fn start(&self, _param: &str, _task: &Task<'_>) -> Result<f64> {
        Ok(f64::NAN)
    }

    /// Keeps the rows. A kernel with values below 0 is found here, of many rows in the first with all; each prediction looks at its own.
    fn fit(&self, task: &Task<'_>) -> Result<FittedNadarayaWatson> {
        let (n, fitted) = (task.rows(), FittedNadarayaWatson::of(task)?);
        let rows: Vec<usize> = (0..LOOKED_AT.min(n)).collect();
        let some = Subset::new(task.gram, &rows, &(0..n).collect::<Vec<_>>());
        fitted.averages(&Query::new(&some, Want::default(), task.control), false)?;
        Ok(fitted)
    }

    /// S = sum_io w_i e_io^2 / (sum_i w_i O), e = y - f_-i; the value is log S / 2 and its indifference one standard error of S over
    /// the rows. A row of weight 2 is left out as a whole.
    fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        let (n, fitted) = (task.rows(), FittedNadarayaWatson::of(task)?);
        task.control.plan("the leave-one-out criterion of nadaraya_watson", 16 * (n as u64).pow(2))?;
        let Averages { means, masses } = fitted.left_out(task)?;
        let (y, outputs) = (&fitted.targets, fitted.targets.cols());
        let errors = Matrix::from_fn(n, outputs, |i, o| y[(i, o)] - means[(i, o)]);
        let squares: Vec<f64> = (0..n).map(|i| errors.row(i).iter().map(|e| e * e).sum::<f64>() / outputs as f64).collect();
        let total: f64 = fitted.weights.iter().sum();
        let mean = (0..n).map(|i| fitted.weights[i] * squares[i]).sum::<f64>() / total;
        let floor = least_mean(y);
        if mean <= floor {
            return Ok(Criterion { value: 0.5 * floor.ln(), weights: Matrix::zeros(n, n), own: Vec::new(), indifference: 0.0 });
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
        Ok(Criterion { value: 0.5 * mean.ln(), weights, own: Vec::new(), indifference })
    }

    fn leave_one_out(&self, task: &Task<'_>) -> Result<Option<Predictions>> {
        let fitted = FittedNadarayaWatson::of(task)?;
        let Averages { means, .. } = fitted.left_out(task)?;
        Ok(Some(fitted.predictions(means, Want { probabilities: true, ..Want::default() })))
    }
}

impl Fitted for FittedNadarayaWatson {
    fn support(&self) -> &[usize] {
        &self.rows
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        Ok(self.predictions(self.averages(query, false)?.means, query.want))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, self.classes)
    }
}
