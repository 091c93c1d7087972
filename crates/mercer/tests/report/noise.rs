//! Comparisons on tables of pure noise, for what they say of them.

use mercer::Control;
use mercer::compare::{Comparing, compare};
use mercer::data::{Column, Dataset, Split, Target, Values};
use mercer::estimators::{Baseline, Estimator, EstimatorExpr};
use mercer::linalg::Matrix;
use mercer::read::TargetInfo;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Into which folds the rows are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Folds {
    /// Five of them.
    Five,
    /// One for each row.
    EachRow,
}

/// Tables of noise.
pub(crate) struct Noise {
    /// Whether the target is of two classes, and not of numbers.
    pub(crate) classes: bool,
    pub(crate) rows: usize,
    pub(crate) folds: Folds,
}

/// What comparisons on such tables said.
#[derive(Default)]
pub(crate) struct Said {
    /// Tables that were compared on.
    pub(crate) tables: usize,
    /// On how many the best estimator was called better than a guess.
    pub(crate) better: usize,
    /// On how many any estimator was called worse than the best.
    pub(crate) worse: usize,
    /// Mean score of the best estimator.
    pub(crate) score: f64,
    /// Its mean, corrected for the choice.
    pub(crate) corrected: f64,
}

/// Comparisons on so many tables, of these estimators or of the default ones.
pub(crate) fn looked_at(noise: &Noise, estimators: Option<&[EstimatorExpr]>, tables: usize) -> Said {
    let mut said = Said::default();
    for seed in 0..tables as u64 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
        let n = noise.rows;
        let mut column = |k: usize| Column { name: format!("x{k}"), values: Values::Numbers((0..n).map(|_| normal()).collect()) };
        let data = Dataset::new((0..5).map(&mut column).collect()).unwrap();
        let y: Vec<f64> = (0..n).map(|_| normal()).collect();
        let target = match noise.classes {
            true => Target::classes(&(0..n).map(|i| if i % 2 == 0 { "a" } else { "b" }).collect::<Vec<_>>()),
            false => Target::Numbers(Matrix::column(y)),
        };
        let all = || EstimatorExpr::usual_for(&target).unwrap();
        let comparing = Comparing {
            folds: if noise.folds == Folds::Five { 5 } else { n },
            seed,
            ..Comparing::new(estimators.map_or_else(all, <[EstimatorExpr]>::to_vec))
        };
        let info = TargetInfo::of(&target);
        let Ok(found) = compare(&data, &target, &info, None, &Split::Rows, &comparing, &Control::default()) else { continue };
        let Some(best) = found.best else { continue };
        let (row, rises) = (&found.rows[best], found.rows[best].metrics[0].0.rises());
        let is_guess = row.estimator.name() == Baseline::NAME;
        said.tables += 1;
        said.better += usize::from(!is_guess && row.over_guess.is_some_and(|d| d.is_significant() && (d.mean > 0.0) == rises));
        said.worse += usize::from(found.rows.iter().any(|r| r.difference.is_some_and(|d| d.is_significant())));
        said.score += row.metrics[0].1.mean;
        said.corrected += found.corrected.unwrap();
    }
    let all = said.tables.max(1) as f64;
    Said { score: said.score / all, corrected: said.corrected / all, ..said }
}
