//! Probabilities of several classes as a softmax of scaled scores: Platt's sigmoid for more than two classes.
//!
//! ```text
//! p_k(z) = exp(a_k z_k + b_k) / sum over l of exp(a_l z_l + b_l)
//! minimises  -sum_i w_i sum_k t_ik ln p_k(z_i),     t_ik = 1 - e for the class of row i, e / (K - 1) for the others, e = 1 / (W + 2)
//! ```
//!
//! with one factor a for all classes or one for each, and W the sum of weights. Convex: Newton's method with damped steps ends at
//! the minimum. Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks (vector scaling).

use super::damped_newton::{NewtonStep, minimum};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Cholesky, Matrix, gramian_of_columns_within};
use serde::{Deserialize, Serialize};

/// The gradient that counts as zero, as a share of what its terms could add up to.
const FLAT: f64 = 1e-10;
/// A step that promises less than this share is the last.
const SMALL: f64 = 1e-12;
/// What is added to the curvature, in the same share: offsets that all rise alike change nothing.
const RIDGE: f64 = 1e-9;

/// A softmax of scaled scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScaledSoftmax {
    /// The classes that there are rows of; the others have the probability 0.
    pub classes: Vec<usize>,
    /// One factor for all of these classes, or one for each.
    pub factors: Vec<f64>,
    /// One offset for each of them.
    pub offsets: Vec<f64>,
}

/// Rows that a softmax is fitted to: scores (rows x classes, of `classes` alone those that count), codes and weights.
pub(super) struct ScoredRows<'a> {
    pub(super) scores: &'a Matrix,
    pub(super) codes: &'a [usize],
    pub(super) mass: &'a [f64],
}

impl ScaledSoftmax {
    /// Fits to scores that the rows had no part in.
    pub(super) fn fit(rows: &ScoredRows<'_>, classes: &[usize], factor_each: bool, control: &Control) -> Result<ScaledSoftmax> {
        let k = classes.len();
        let factors = if factor_each { k } else { 1 };
        let whole: f64 = rows.mass.iter().sum();
        let size = typical(rows, classes, whole);
        let start = ScaledSoftmax { classes: classes.to_vec(), factors: vec![1.0 / size; factors], offsets: vec![0.0; k] };
        let step = |place: LossDerivatives| {
            control.check_time("probabilities")?;
            let gradient = &place.gradient;
            if gradient.iter().all(|g| g.abs() <= FLAT * whole) {
                return Ok(None);
            }
            let mut curvature = place.curvature(rows, control)?;
            curvature.add_to_diagonal(&[RIDGE * whole]);
            let mut by = Cholesky::new(curvature, control)?.solve(&Matrix::column(gradient.clone()), control)?.into_data();
            by.iter_mut().for_each(|s| *s = -*s);
            let fall = gradient.iter().zip(&by).map(|(g, s)| g * s).sum();
            Ok(Some(NewtonStep { by, fall }))
        };
        let moved = |from: &ScaledSoftmax, by: &Vec<f64>, share: f64| from.moved(by, share, size);
        minimum(start, SMALL * whole, |at| at.place(rows, whole, size), step, moved)
    }

    /// Parameters that the rows decide: adding a number to every offset changes nothing.
    pub(super) fn freedom(&self) -> f64 {
        (self.factors.len() + self.offsets.len()) as f64 - 1.0
    }

    /// The softmax of the scores themselves.
    pub(super) fn identity(classes: &[usize]) -> ScaledSoftmax {
        ScaledSoftmax { classes: classes.to_vec(), factors: vec![1.0], offsets: vec![0.0; classes.len()] }
    }

    /// Shares of the classes, `mass` by code, changed by scores times a factor.
    pub(super) fn of_shares(classes: &[usize], mass: &[f64], factor: f64) -> ScaledSoftmax {
        ScaledSoftmax { classes: classes.to_vec(), factors: vec![factor], offsets: classes.iter().map(|&k| mass[k].ln()).collect() }
    }

    /// Whether it is the softmax of the scores themselves.
    pub(super) fn is_identity(&self) -> bool {
        self.factors.iter().all(|a| *a == 1.0) && self.offsets.iter().all(|b| *b == 0.0)
    }

    /// Whether the probability of every class rises with its score.
    pub(super) fn rises(&self) -> bool {
        self.factors.iter().all(|a| *a > 0.0)
    }

    /// Extends the calibration to classes absent from its rows, of weights `mass` by code among all rows: their factors are the mean of the
    /// others, and so are their offsets, but for what gives those rows the odds of the class more often than its share among all.
    pub(super) fn with_classes(self, classes: &[usize], rows: &ScoredRows<'_>, mass: &[f64]) -> ScaledSoftmax {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let place = |class: &usize| self.classes.iter().position(|c| c == class);
        let factor = |class: &usize| place(class).map_or_else(|| mean(&self.factors), |p| self.factor(p));
        let factors = if self.factors.len() == 1 { self.factors.clone() } else { classes.iter().map(factor).collect() };
        let offset =
            |class: &usize| place(class).map_or_else(|| self.offset_of(*class, rows, mass).min(mean(&self.offsets)), |p| self.offsets[p]);
        ScaledSoftmax { classes: classes.to_vec(), factors, offsets: classes.iter().map(offset).collect() }
    }

    /// The offset with which the odds of a class that it lacks are on the average of rows those of its share.
    fn offset_of(&self, class: usize, rows: &ScoredRows<'_>, mass: &[f64]) -> f64 {
        let factor = self.factors.iter().sum::<f64>() / self.factors.len() as f64;
        let log_odds: Vec<f64> = (0..rows.codes.len())
            .map(|i| {
                let z: Vec<f64> =
                    self.classes.iter().enumerate().map(|(p, &c)| self.factor(p) * rows.scores[(i, c)] + self.offsets[p]).collect();
                rows.mass[i].ln() + factor * rows.scores[(i, class)] - log_sum(&z)
            })
            .collect();
        let others: f64 = self.classes.iter().map(|&c| mass[c]).sum();
        let whole: f64 = rows.mass.iter().sum();
        (mass[class] / others).ln() + whole.ln() - log_sum(&log_odds)
    }

    fn factor(&self, place: usize) -> f64 {
        self.factors[place.min(self.factors.len() - 1)]
    }

    /// For one row of scores a_k z_k + b_k less the greatest of them, and the probabilities of `classes`; the log of the sum of exponentials
    /// of the former.
    fn write(&self, scores: &[f64], z: &mut [f64], p: &mut [f64]) -> f64 {
        for (a, &class) in self.classes.iter().enumerate() {
            z[a] = self.factor(a) * scores[class] + self.offsets[a];
        }
        let top = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        z.iter_mut().for_each(|z| *z -= top);
        p.iter_mut().zip(&*z).for_each(|(p, z)| *p = z.exp());
        let sum: f64 = p.iter().sum();
        p.iter_mut().for_each(|p| *p = (*p / sum).max(f64::MIN_POSITIVE));
        sum.ln()
    }

    /// Probabilities of `classes` for one row of scores.
    fn of_present(&self, scores: &[f64]) -> Vec<f64> {
        let (mut z, mut p) = (vec![0.0; self.classes.len()], vec![0.0; self.classes.len()]);
        self.write(scores, &mut z, &mut p);
        p
    }

    /// Probabilities of all classes for one row of scores, which become them.
    pub(super) fn apply(&self, row: &mut [f64]) {
        let p = self.of_present(row);
        row.fill(0.0);
        self.classes.iter().zip(p).for_each(|(&class, p)| row[class] = p);
    }

    /// An error in words unless its parts fit together and to so many classes: it may come from a file.
    pub(super) fn fits(&self, classes: usize) -> bool {
        let k = self.classes.len();
        (self.factors.len() == 1 || self.factors.len() == k) && self.offsets.len() == k && self.classes.iter().all(|c| *c < classes)
    }

    fn moved(&self, step: &[f64], share: f64, size: f64) -> ScaledSoftmax {
        let (of_factors, of_offsets) = step.split_at(self.factors.len());
        ScaledSoftmax {
            classes: self.classes.clone(),
            factors: self.factors.iter().zip(of_factors).map(|(a, s)| a + share * s / size).collect(),
            offsets: self.offsets.iter().zip(of_offsets).map(|(b, s)| b + share * s).collect(),
        }
    }

    /// sum_i w_i -ln p of the class of row i.
    pub(super) fn surprise(&self, rows: &ScoredRows<'_>) -> f64 {
        let place = |class: usize| self.classes.iter().position(|c| *c == class);
        let one = |i: usize| place(rows.codes[i]).map_or(0.0, |p| -rows.mass[i] * self.of_present(rows.scores.row(i))[p].ln());
        (0..rows.codes.len()).map(one).sum()
    }

    /// The loss with what its gradient and curvature are made of.
    fn place(&self, rows: &ScoredRows<'_>, whole: f64, size: f64) -> (f64, LossDerivatives) {
        let (n, k, f) = (rows.codes.len(), self.classes.len(), self.factors.len());
        let (own, other) = aims(whole, k);
        let least = f64::MIN_POSITIVE.ln();
        let (mut loss, mut gradient, mut mean) = (0.0, vec![0.0; f + k], Matrix::zeros(n, f + k));
        let [mut of_factors, mut between, mut of_offsets] = [(); 3].map(|()| vec![0.0; k]);
        let (mut z, mut p) = (vec![0.0; k], vec![0.0; k]);
        for i in 0..n {
            let (w, scores, mean) = (rows.mass[i], rows.scores.row(i), mean.row_mut(i));
            let log_sum = self.write(scores, &mut z, &mut p);
            for (a, &class) in self.classes.iter().enumerate() {
                let aim = if class == rows.codes[i] { own } else { other };
                let (x, g, h) = (scores[class] / size, w * (p[a] - aim), w * p[a]);
                loss -= w * aim * (z[a] - log_sum).max(least);
                gradient[a.min(f - 1)] += g * x;
                gradient[f + a] += g;
                mean[a.min(f - 1)] += p[a] * x;
                mean[f + a] = p[a];
                of_factors[a] += h * x * x;
                between[a] += h * x;
                of_offsets[a] += h;
            }
        }
        (loss, LossDerivatives { gradient, mean, of_factors, between, of_offsets })
    }
}

/// The gradient of the loss by factors, in units of 1 / `size`, and offsets, and what its curvature is made of. With x_k = z_k / size for
/// factors and 1 for offsets, g_k = w (p_k - t_k) x_k and H_kl = w (p_k [k = l] - p_k p_l) x_k x_l; one factor for all is the sum over its
/// classes.
struct LossDerivatives {
    gradient: Vec<f64>,
    /// p_k x_k of every row.
    mean: Matrix,
    /// Sums of w p_k x_k x_k over rows: of factors, of a factor and an offset, of offsets.
    of_factors: Vec<f64>,
    between: Vec<f64>,
    of_offsets: Vec<f64>,
}

impl LossDerivatives {
    fn curvature(&self, rows: &ScoredRows<'_>, control: &Control) -> Result<Matrix> {
        let (k, f) = (self.of_offsets.len(), self.gradient.len() - self.of_offsets.len());
        let mut out = gramian_of_columns_within(&self.mean, Some(rows.mass), control)?;
        out.data_mut().iter_mut().for_each(|v| *v = -*v);
        for a in 0..k {
            let (factor, offset) = (a.min(f - 1), f + a);
            out[(factor, factor)] += self.of_factors[a];
            out[(factor, offset)] += self.between[a];
            out[(offset, factor)] += self.between[a];
            out[(offset, offset)] += self.of_offsets[a];
        }
        Ok(out)
    }
}

/// What is aimed at for the class of a row, and for each other one.
fn aims(whole: f64, classes: usize) -> (f64, f64) {
    let e = 1.0 / (whole + 2.0);
    (1.0 - e, e / (classes.max(2) - 1) as f64)
}

/// ln of the sum of exponentials.
fn log_sum(z: &[f64]) -> f64 {
    let top = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    top + z.iter().map(|z| (z - top).exp()).sum::<f64>().ln()
}

/// The root of the mean of squared scores; 1 where all are 0.
fn typical(rows: &ScoredRows<'_>, classes: &[usize], whole: f64) -> f64 {
    let square = |i: usize| rows.mass[i] * classes.iter().map(|&c| rows.scores[(i, c)].powi(2)).sum::<f64>();
    let mean = (0..rows.codes.len()).map(square).sum::<f64>() / (whole * classes.len() as f64);
    if mean > 0.0 && mean.is_finite() { mean.sqrt() } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores without a pattern and classes drawn with the probabilities of a softmax of them, by its largest noisy score.
    fn made(n: usize, k: usize) -> (Matrix, Vec<usize>, Vec<f64>) {
        let at = |i: usize, c: usize, s: f64| (((i * 7919 + c * 104_729) as f64) * s).sin();
        let scores = Matrix::from_fn(n, k, |i, c| 3.0 * at(i, c, 0.7));
        // The largest of scores with Gumbel noise has the probabilities of the softmax.
        let noise = |i: usize, c: usize| -(-(0.5 + 0.499_999 * at(i, c, 1.3)).ln()).ln();
        let best = |i: usize| (0..k).max_by(|&a, &b| (scores[(i, a)] + noise(i, a)).total_cmp(&(scores[(i, b)] + noise(i, b)))).unwrap();
        let codes = (0..n).map(best).collect();
        (scores, codes, (0..n).map(|i| 1.0 + (i % 3) as f64).collect())
    }

    #[test]
    fn the_gradient_vanishes_and_every_other_point_is_higher() {
        let (scores, codes, mass) = made(300, 4);
        let rows = ScoredRows { scores: &scores, codes: &codes, mass: &mass };
        let whole: f64 = mass.iter().sum();
        for each in [false, true] {
            let found = ScaledSoftmax::fit(&rows, &[0, 1, 2, 3], each, &Control::default()).unwrap();
            let gradient = found.place(&rows, whole, 1.0).1.gradient;
            assert!(gradient.iter().all(|g| g.abs() <= 1e-8 * whole), "{gradient:?}");
            let least = found.place(&rows, whole, 1.0).0;
            for j in 0..gradient.len() {
                for way in [-0.1, 0.1] {
                    let mut step = vec![0.0; gradient.len()];
                    step[j] = way;
                    assert!(found.moved(&step, 1.0, 1.0).place(&rows, whole, 1.0).0 > least, "{j} {way}");
                }
            }
            assert!(found.factors.iter().all(|a| *a > 0.0), "{found:?}");
        }
    }

    #[test]
    fn the_gradient_is_that_of_differences() {
        let (scores, codes, mass) = made(60, 3);
        let rows = ScoredRows { scores: &scores, codes: &codes, mass: &mass };
        let whole: f64 = mass.iter().sum();
        let at = ScaledSoftmax { classes: vec![0, 1, 2], factors: vec![0.3, 0.8, 0.5], offsets: vec![0.1, -0.4, 0.2] };
        let gradient = at.place(&rows, whole, 1.0).1.gradient;
        for j in 0..6 {
            let mut step = vec![0.0; 6];
            step[j] = 1e-5;
            let difference =
                (at.moved(&step, 1.0, 1.0).place(&rows, whole, 1.0).0 - at.moved(&step, -1.0, 1.0).place(&rows, whole, 1.0).0) / 2e-5;
            assert!((gradient[j] - difference).abs() <= 1e-6 * whole, "{j}: {} and {difference}", gradient[j]);
        }
    }

    #[test]
    fn separated_huge_and_equal_scores_have_finite_probabilities() {
        let codes = [0, 0, 1, 1, 2, 2];
        for scale in [1.0, 1e9, 0.0] {
            let scores = Matrix::from_fn(6, 3, |i, c| if codes[i] == c { scale } else { -scale });
            let rows = ScoredRows { scores: &scores, codes: &codes, mass: &[1.0; 6] };
            for each in [false, true] {
                let found = ScaledSoftmax::fit(&rows, &[0, 1, 2], each, &Control::default()).unwrap();
                let p = found.of_present(scores.row(0));
                // Separated scores meet the aim 1 - 1 / (6 + 2); equal ones tell nothing.
                let aim = if scale > 0.0 { 7.0 / 8.0 } else { 1.0 / 3.0 };
                assert!((p[0] - aim).abs() <= 1e-6, "{scale}: {p:?}");
            }
        }
    }
}
