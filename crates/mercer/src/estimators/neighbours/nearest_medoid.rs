//! Nearest medoid: of each class the training row from which the others of the class are least far; a new row is of the class whose
//! medoid is nearest (Murphy 2012, 14.4.2), d(x, z) = k(x, x) + k(z, z) - 2 k(x, z).
//!
//! The score of a class is k(x, m) - k(m, m) / 2 = (k(x, x) - d(x, m)) / 2 less the mean of all classes, whose medoids may be far from
//! the origin: an expansion on one row for each class. The class is that of the nearest medoid by [`Gram::fill_distances`], which tells
//! medoids apart where their scores are equal in double precision.

use super::nearest_column;
use crate::blocks;
use crate::data::{Kind, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::targets::class_scores::NEVER;
use crate::estimators::targets::outputs;
use crate::estimators::{
    Answer, Costs, Estimator, EstimatorFacts, Expansion, Fit, FitContext, Fitted, Gives, Needs, Predicted, Predictions, Query, Scores,
    Size, Summary, Task,
};
use crate::gram::{Block, Gram, Side, Subset, dot};
use crate::linalg::{Matrix, PASSED};
use mercer_derive::Parameters;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Nearest medoid classification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct NearestMedoid {}

/// The medoids of the classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedNearestMedoid {
    /// One output for each class that has a row.
    expansion: Expansion,
    /// Codes of those classes.
    #[serde(with = "blocks::usizes")]
    present: Vec<usize>,
    /// Classes that have names.
    classes: usize,
    summary: Summary,
}

impl Estimator for NearestMedoid {
    const NAME: &'static str = "nearest_medoid";
    const DOC: &'static str = "nearest medoid: the class whose most central training row is nearest; keeps one row for each class";
    const TAKES: &'static [Kind] = &[Kind::Classes];
    type Fitted = FittedNearestMedoid;

    fn gives(&self) -> Gives {
        Gives { scores: Scores::Classes, ..Gives::VALUES }
    }
    fn needs(&self) -> Needs {
        Needs::Symmetric
    }

    /// What is added to k(x, z) for x cancels between classes, and for z in k(x, m) - k(m, m) / 2.
    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { ignores_shifts: true, ..EstimatorFacts::default() }
    }

    /// Distances within each class, twice; of classes that differ in size a fourth more.
    fn costs(&self, size: Size) -> Costs {
        let within = (size.rows as f64).powi(2) * (2.5 / size.outputs.max(1) as f64).min(1.0);
        Costs { bytes: 8 * size.rows as u64 * 100, values: within, fit: PASSED * within, ..size.by_values().costs() }
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedNearestMedoid>) -> Result<Fit<FittedNearestMedoid>> {
        let (codes, names) = task.target.as_classes(Self::NAME)?;
        Error::unless_equal("rows of the target", task.rows(), codes.len())?;
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
        for (i, &k) in codes.iter().enumerate() {
            members.get_mut(k).ok_or_else(|| Error::Data(format!("row {}: class code {k} has no name", i + 1)))?.push(i);
        }
        let present: Vec<usize> = (0..names.len()).filter(|&k| !members[k].is_empty()).collect();
        if present.len() < 2 {
            return Err(Error::Data(format!(
                "{} needs rows of at least two classes, and there are {}; add rows of another class, or check the target column",
                Self::NAME,
                present.len()
            )));
        }
        let found: Vec<(usize, f64)> = present.iter().map(|&k| medoid(task, &members[k])).collect::<Result<_>>()?;
        let mut support: Vec<usize> = found.iter().map(|(row, _)| *row).collect();
        support.sort_unstable();
        let diagonal = task.gram()?.diagonal(Side::Rows);
        let mut coef = Matrix::zeros(support.len(), present.len());
        for (o, (row, _)) in found.iter().enumerate() {
            coef[(support.partition_point(|s| s < row), o)] = 1.0;
        }
        let bias = found.iter().map(|(row, _)| -0.5 * diagonal[*row]).collect();
        let summary = Summary { converged: true, objective: Some(found.iter().map(|(_, loss)| loss).sum()), ..Summary::default() };
        Ok(FittedNearestMedoid { expansion: Expansion::new(support, coef, bias), present, classes: names.len(), summary }.into())
    }
}

/// The row with the least weighted sum of squared distances to some rows, and that sum; of equal ones the first.
fn medoid(task: &Task<'_>, rows: &[usize]) -> Result<(usize, f64)> {
    const HEIGHT: usize = 64;
    let weights: Vec<f64> = rows.iter().map(|&i| task.weight(i)).collect();
    let gathered = task.gram()?.gathered(rows);
    let subset = Subset::new(task.gram()?, rows, rows);
    let (own, n): (&dyn Gram, usize) = (gathered.as_deref().unwrap_or(&subset), rows.len());
    let places: Vec<usize> = (0..n).collect();
    let losses: Vec<Vec<f64>> = places
        .par_chunks(HEIGHT)
        .map(|some| {
            task.control.check_time("distances within a class")?;
            let mut squares = vec![0.0; some.len() * n];
            own.fill_distances(some, 0..n, Block::new(&mut squares, some.len(), n));
            own.squared_distances(&mut squares);
            Ok(squares.chunks_exact(n).map(|far| dot(&weights, far)).collect())
        })
        .collect::<Result<_>>()?;
    let losses = losses.concat();
    let best = (0..rows.len()).fold(0, |b, i| if losses[i] < losses[b] { i } else { b });
    if losses[best].is_finite() {
        return Ok((rows[best], losses[best]));
    }
    Err(Error::Numerical {
        what: "distances in feature space".into(),
        why: format!("those of row {} are not finite; scale the columns or change the kernel", rows[best] + 1),
    })
}

impl Fitted for FittedNearestMedoid {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }

    /// The score of a class without rows lies far below the others: it has no medoid.
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        Error::unless_equal("classes with a medoid", self.present.len(), self.expansion.bias.len())?;
        if let Some(&k) = self.present.iter().find(|&&k| k >= self.classes) {
            return Err(Error::Shape { what: "classes of a classifier".into(), expected: k + 1, found: self.classes });
        }
        // Without what all classes have in common, beside which a small kernel value would be lost.
        let most = self.expansion.bias.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let bias = self.expansion.bias.iter().map(|b| b - most).collect();
        let mut found = Expansion { bias, ..self.expansion.clone() }.predict(query.cross()?, query.control)?;
        // What is left in common is other where the columns are counted from another origin.
        found.data_mut().chunks_exact_mut(self.present.len().max(1)).for_each(|row| {
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            row.iter_mut().for_each(|score| *score -= mean);
        });
        let scores = if self.classes == 2 && self.present.len() == 2 {
            Matrix::from_fn(found.rows(), 1, |i, _| found[(i, 1)] - found[(i, 0)])
        } else {
            let least = |i: usize| found.row(i).iter().copied().fold(f64::INFINITY, f64::min) - NEVER;
            let mut all = Matrix::from_fn(found.rows(), self.classes, |i, _| least(i));
            (0..found.rows()).for_each(|i| self.present.iter().zip(found.row(i)).for_each(|(&k, f)| all[(i, k)] = *f));
            all
        };
        let decided = outputs::decide(scores, Some(self.classes), query.want);
        // Medoids that are no longer there differ by their scores alone.
        if self.expansion.support.is_empty() {
            return Ok(decided);
        }
        let medoid = |o: usize| (0..self.expansion.coef.rows()).find(|&s| self.expansion.coef[(s, o)] != 0.0).unwrap_or(0);
        let medoids: Vec<usize> = (0..self.present.len()).map(medoid).collect();
        let codes = nearest_column(query.cross()?, &medoids, query.control)?.into_iter().map(|o| self.present[o]).collect();
        Ok(Predictions { values: Predicted::Classes(codes), ..decided })
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, Some(self.classes))
    }
    fn expansion(&self) -> Option<&Expansion> {
        Some(&self.expansion)
    }
    fn expansion_mut(&mut self) -> Option<&mut Expansion> {
        Some(&mut self.expansion)
    }
    fn forget_rows(&mut self) {
        self.expansion.forget_rows();
    }
}
