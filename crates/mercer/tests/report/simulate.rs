//! Held-out predictions of estimators whose true scores are known, for the level and the power of paired differences.

use mercer::data::{Fold, Split, Target};
use mercer::estimators::{Predicted, Predictions};
use mercer::linalg::Matrix;
use mercer::metrics::{Difference, HeldOut, Judged, against_best, corrected_for_choice};
use mercer::metrics::{Metric, Scoring};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, StudentsT};

/// Estimators on one table: row i is as hard for all of them, by a normal variable that they share, and differs by one of their own.
#[derive(Clone, Copy)]
pub(crate) struct Design {
    /// The metric that decides.
    pub(crate) metric: Metric,
    /// Different rows, and copies of each, which belong together.
    pub(crate) rows: usize,
    pub(crate) copies: usize,
    /// Estimators, all as good as the first but for `far` of them, which are far worse.
    pub(crate) estimators: usize,
    pub(crate) far: usize,
    /// How much better the first one is than the others, in standard deviations of a score, or by a factor of its errors.
    pub(crate) ahead: f64,
    /// Share of rows of the second class.
    pub(crate) second: f64,
    /// Folds, to which rows are dealt out ten by ten, or one by one where there are as many folds as rows.
    pub(crate) folds: usize,
}

impl Design {
    /// Two equal estimators of classes of one size.
    pub(crate) fn of(metric: Metric, rows: usize) -> Design {
        Design { metric, rows, copies: 1, estimators: 2, far: 0, ahead: 0.0, second: 0.5, folds: 5 }
    }

    fn quality(&self, j: usize) -> f64 {
        let classes = self.metric.of_classes();
        match j {
            0 if classes => 1.0 + self.ahead,
            0 => 1.0 / (1.0 + self.ahead),
            _ if j >= self.estimators - self.far => {
                if classes {
                    0.0
                } else {
                    3.0
                }
            }
            _ => 1.0,
        }
    }
}

/// What one table tells: the place of the best estimator, and the difference of each to it.
pub(crate) struct Told {
    pub(crate) best: usize,
    pub(crate) differences: Vec<Option<Difference>>,
    /// The score of the best one, and the same corrected for its choice.
    pub(crate) scores: [f64; 2],
    /// Of the first two estimators, row by row: whether the class is correct, or the squared error.
    losses: [Vec<f64>; 2],
}

/// One table of a design.
pub(crate) fn table(design: &Design, seed: u64) -> Told {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
    let (n, all) = (design.rows, design.rows * design.copies);
    // Spread evenly over the folds, whose rows are dealt out ten by ten.
    let second = |i: usize| ((i + 1) as f64 * design.second).floor() > (i as f64 * design.second).floor();
    let shared: Vec<f64> = (0..n).map(|_| normal()).collect();
    let own: Vec<Vec<f64>> = (0..design.estimators).map(|_| (0..n).map(|_| normal()).collect()).collect();
    let noise = |i: usize, j: usize| (shared[i % n] + own[j][i % n]) / 2f64.sqrt();
    let side = |i: usize| if second(i % n) { 1.0 } else { -1.0 };
    let classes = design.metric.of_classes();
    let score = |i: usize, j: usize| if classes { side(i) * design.quality(j) + noise(i, j) } else { design.quality(j) * noise(i, j) };
    let target = match classes {
        true => {
            Target::Classes { codes: (0..all).map(|i| usize::from(side(i) > 0.0)).collect(), names: ["a", "b"].map(String::from).into() }
        }
        false => Target::Numbers(Matrix::zeros(all, 1)),
    };
    let at_once = if design.folds == n { 1 } else { 10 };
    let folds: Vec<Fold> = (0..design.folds)
        .map(|k| {
            let (test, train) = (0..all).partition(|i| (i % n) / at_once % design.folds == k);
            Fold { train, test }
        })
        .collect();
    let predictions: Vec<Vec<Predictions>> = (0..design.estimators)
        .map(|j| {
            let of = |fold: &Fold| {
                let scores = Matrix::column(fold.test.iter().map(|&i| score(i, j)).collect());
                match classes {
                    true => Predictions {
                        scores: Some(scores.clone()),
                        ..Predictions::of(Predicted::Classes(scores.data().iter().map(|s| usize::from(*s > 0.0)).collect()))
                    },
                    false => Predictions::of(Predicted::Numbers(scores)),
                }
            };
            folds.iter().map(of).collect()
        })
        .collect();
    let split = if design.copies > 1 { Split::Groups((0..all).map(|i| i % n).collect()) } else { Split::Rows };
    let scoring = Scoring::of(&target, None, Some(design.metric)).unwrap();
    let held_out = HeldOut { folds: &folds, target: &target, weights: None, split: &split, seed: 0 };
    let found: Vec<Vec<&Predictions>> = predictions.iter().map(|p| p.iter().collect()).collect();
    let judged: Vec<Judged> = found.iter().map(|p| held_out.judged(p, &scoring).unwrap()).collect();
    let (sign, judged) = (if design.metric.rises() { 1.0 } else { -1.0 }, judged.iter().map(Some).collect::<Vec<_>>());
    let score_of = |j: usize| judged[j].map_or(f64::NAN, |judged| judged.value);
    let best = (0..design.estimators).max_by(|&a, &b| (sign * score_of(a)).total_cmp(&(sign * score_of(b)))).unwrap();
    let corrected = corrected_for_choice(&judged, best, design.metric.rises()).unwrap();
    let differences = against_best(&judged, best, design.metric.rises());
    let loss = |i: usize, j: usize| if classes { f64::from(u8::from(score(i, j) * side(i) > 0.0)) } else { score(i, j).powi(2) };
    let losses = [0, 1].map(|j| (0..all).map(|i| loss(i, j)).collect());
    Told { best, differences, scores: [score_of(best), corrected], losses }
}

/// Of so many tables: the share in which any of equally good estimators is called worse.
pub(crate) fn wrong(design: &Design, tables: usize) -> f64 {
    let good = design.estimators - design.far;
    let told = |seed| {
        let found = table(design, seed);
        (0..good).any(|j| found.differences[j].is_some_and(|d| d.is_significant()))
    };
    (0..tables as u64).into_par_iter().map(told).filter(|told| *told).count() as f64 / tables as f64
}

/// Of so many tables of two estimators: the share in which the first is told to be better, and the share in which the paired test
/// of a textbook says so at 5%: McNemar's exact one for shares, Student's t of squared errors row by row for numbers.
pub(crate) fn power(design: &Design, tables: usize) -> [f64; 2] {
    let told = |seed| {
        let found = table(design, seed);
        let ours = found.best == 0 && found.differences[1].is_some_and(|d| d.is_significant());
        let gaps: Vec<f64> = found.losses[0].iter().zip(&found.losses[1]).map(|(a, b)| a - b).collect();
        let p = if design.metric.of_classes() { mcnemar(&gaps) } else { paired_t(&gaps) };
        let better = gaps.iter().sum::<f64>() * if design.metric.of_classes() { 1.0 } else { -1.0 } > 0.0;
        [ours, better && p < 0.05].map(usize::from)
    };
    let told = (0..tables as u64).into_par_iter().map(told).reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
    told.map(|n| n as f64 / tables as f64)
}

/// McNemar's exact test: twice the tail of a binomial distribution of the rows on which the two differ.
fn mcnemar(gaps: &[f64]) -> f64 {
    let (up, down) = (gaps.iter().filter(|g| **g > 0.0).count(), gaps.iter().filter(|g| **g < 0.0).count());
    if up + down == 0 {
        return 1.0;
    }
    (2.0 * Binomial::new(0.5, (up + down) as u64).unwrap().cdf(up.min(down) as u64)).min(1.0)
}

fn paired_t(gaps: &[f64]) -> f64 {
    let n = gaps.len() as f64;
    let mean = gaps.iter().sum::<f64>() / n;
    let se = (gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
    2.0 * StudentsT::new(0.0, 1.0, n - 1.0).unwrap().cdf(-(mean / se).abs())
}
