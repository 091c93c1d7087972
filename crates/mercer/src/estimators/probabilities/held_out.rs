//! Scores of training rows by fits that did not see them: what calibration learns from.

use crate::data::{Fold, Split, Target, folds, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::{Estimator, Fitted, Predictions, Query, Task, Want, When};
use crate::gram::Subset;
use crate::linalg::Matrix;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Parts of the rows that are held out in turn.
const FOLDS: usize = 5;
/// Held-out rows that are enough for a calibration, and for each class of it.
pub(super) const ENOUGH_ROWS: usize = 2000;
const ENOUGH_PER_CLASS: usize = 100;

/// What scores are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreKind {
    /// Decision values.
    DecisionValues,
    /// Logarithms of probabilities that the method has without a calibration.
    LogProbabilities,
}

/// Scores of training rows by fits that did not see them. A row whose class no other row has carries no information and is left out.
pub struct HeldOut {
    /// The rows, from 0; of copies the first.
    pub rows: Vec<usize>,
    /// Their scores: rows x pairs where pairs are named, else one alone for two classes or one for each class.
    pub scores: Matrix,
    /// The pair of classes of each score: above 0 for the second.
    pub pairs: Vec<(usize, usize)>,
    /// What the scores are.
    pub of: ScoreKind,
    /// How much each row counts: its weight, times that of its class where classes have weights.
    pub mass: Vec<f64>,
    /// Whether every fit met its tolerance.
    pub converged: bool,
    /// The end of the sentence `probabilities come from scores ...`.
    pub how: String,
}

impl Predictions {
    /// What is calibrated: logarithms of probabilities that a fit has of its own, else scores and their pairs.
    pub(crate) fn for_calibration(&self) -> Result<ScoresOfPairs<'_>> {
        if let Some(p) = &self.probabilities {
            let logs = p.data().iter().map(|v| v.max(f64::MIN_POSITIVE).ln()).collect();
            return Ok((Cow::Owned(Matrix::new(p.rows(), p.cols(), logs)?), &[]));
        }
        match &self.scores {
            Some(scores) => Ok((Cow::Borrowed(scores), &self.pairs)),
            None => Err(Error::Data("probabilities are made of scores, and there are none".into())),
        }
    }
}

/// Scores, and the pair of classes of each column where they are of pairs.
type ScoresOfPairs<'a> = (Cow<'a, Matrix>, &'a [(usize, usize)]);

impl Predictions {
    /// What [`Predictions::for_calibration`] gives.
    pub(crate) fn score_kind(&self) -> ScoreKind {
        if self.probabilities.is_some() { ScoreKind::LogProbabilities } else { ScoreKind::DecisionValues }
    }
}

impl HeldOut {
    /// Of predictions for every training row by fits without it.
    pub(crate) fn one_by_one(predictions: &Predictions, task: &Task<'_>) -> Result<HeldOut> {
        let (scores, pairs) = predictions.for_calibration()?;
        let all = HeldOut {
            rows: (0..task.rows()).collect(),
            mass: task.all_weights(),
            pairs: pairs.to_vec(),
            of: predictions.score_kind(),
            scores: scores.into_owned(),
            converged: true,
            how: one_by_one(task.rows(), task.rows()),
        };
        Ok(all.of_known_classes(task))
    }

    /// Those of left-out rows whose class other rows have.
    pub(crate) fn of_known_classes(self, task: &Task<'_>) -> HeldOut {
        let Target::Classes { codes, names } = task.target else { return self };
        let mut count = vec![0; names.len()];
        codes.iter().for_each(|&k| count[k] += 1);
        self.retain(|row| count[codes[row]] > 1)
    }

    /// Each row once, with the weight of its copies.
    pub(crate) fn each_once(mut self, task: &Task<'_>, split: &Split) -> HeldOut {
        let (Some(numbers), Target::Classes { codes, .. }) = (split.repeated(), task.target) else { return self };
        let mut mass = HashMap::new();
        self.rows.iter().zip(&self.mass).for_each(|(&i, w)| *mass.entry((numbers[i], codes[i])).or_insert(0.0) += w);
        self.rows.iter().zip(&mut self.mass).for_each(|(&i, w)| *w = mass.remove(&(numbers[i], codes[i])).unwrap_or(0.0));
        let firsts: HashSet<usize> = self.rows.iter().zip(&self.mass).filter(|(_, w)| **w > 0.0).map(|(&i, _)| i).collect();
        self.retain(|row| firsts.contains(&row))
    }

    fn retain(mut self, kept: impl Fn(usize) -> bool) -> HeldOut {
        let places: Vec<usize> = (0..self.rows.len()).filter(|&k| kept(self.rows[k])).collect();
        if places.len() < self.rows.len() {
            self.scores = self.scores.select_rows(&places);
            self.rows = places.iter().map(|&k| self.rows[k]).collect();
            self.mass = places.iter().map(|&k| self.mass[k]).collect();
        }
        self
    }

    /// Scores by fits of folds that keep to a split, where there is one; else of rows left out one by one, of no more of them than a
    /// calibration needs: their predictions without themselves.
    pub(crate) fn one_by_one_or<E: Estimator>(
        estimator: &E,
        task: &Task<'_>,
        split: &Split,
        left_out: impl FnOnce(&[usize]) -> Result<Predictions>,
    ) -> Result<HeldOut> {
        if let Some(copies) = split.repeated() {
            return each_once(estimator, task, copies);
        }
        if !split.frees_rows() || task.rows() < 2 {
            return out_of_fold(estimator, task, split);
        }
        let (_, names) = task.target.as_classes("a calibration")?;
        let rows = some_rows_of(task.target, enough(names.len()).min(task.rows()), task.seed);
        let predictions = left_out(&rows)?;
        let (scores, pairs) = predictions.for_calibration()?;
        let found = HeldOut {
            mass: rows.iter().map(|&i| task.weight(i)).collect(),
            how: one_by_one(rows.len(), task.rows()),
            pairs: pairs.to_vec(),
            of: predictions.score_kind(),
            scores: scores.into_owned(),
            converged: true,
            rows,
        };
        Ok(found.of_known_classes(task))
    }
}

/// Held-out scores of a task that has each row once, with the weight of its copies: a row of weight w is w copies, which are left out
/// together.
pub(crate) fn each_once<E: Estimator>(estimator: &E, task: &Task<'_>, copies: &[usize]) -> Result<HeldOut> {
    let (codes, _) = task.target.as_classes("a calibration")?;
    let mut rows: Vec<usize> = (0..copies.len()).collect();
    rows.sort_by_key(|&i| (copies[i], codes[i], i));
    let alike = |a: &usize, b: &usize| (copies[*a], codes[*a]) == (copies[*b], codes[*b]);
    let weights: Vec<f64> = rows.chunk_by(alike).map(|some| some.iter().map(|&i| task.weight(i)).sum()).collect();
    rows.dedup_by(|a, b| alike(a, b));
    let (gram, target) = (Subset::new(task.gram, &rows, &rows), task.target.select(&rows));
    let once = Task { gram: &gram, target: &target, weights: Some(&weights), ..*task };
    let (_, mut held_out) = estimator.fit_held_out(&once, None, &Split::Rows)?;
    held_out.rows.iter_mut().for_each(|row| *row = rows[*row]);
    held_out.how.push_str(", each with its copies");
    Ok(held_out)
}

/// Said of rows that are left out.
pub(crate) fn one_by_one(used: usize, rows: usize) -> String {
    if used == rows { "of rows left out one by one".into() } else { format!("of {used} rows left out one by one") }
}

/// Rows that are enough to calibrate so many classes.
pub(crate) fn enough(classes: usize) -> usize {
    ENOUGH_ROWS.max(ENOUGH_PER_CLASS * classes)
}

/// The folds that are held out: as many of five as hold rows enough. They hold equal shares of every class, or keep to a split.
pub(crate) fn parts(task: &Task<'_>, split: &Split) -> Result<Vec<Fold>> {
    let (codes, names) = task.target.as_classes("a calibration")?;
    let n = codes.len();
    // Where a split leaves nothing to hold out, rows are held out all the same.
    let split = if split.most_folds(n) < 2 { &Split::Rows } else { split };
    let numbers = split.repeated();
    let count = |rows: &[usize]| numbers.map_or(rows.len(), |numbers| rows.iter().map(|&i| numbers[i]).collect::<HashSet<_>>().len());
    let mut parts = folds(task.target, split, FOLDS.min(split.most_folds(n)), task.seed)?;
    let (mut held, mut used) = (0, 0);
    while used < parts.len() && held < enough(names.len()) {
        held += count(&parts[used].test);
        used += 1;
    }
    parts.truncate(used);
    Ok(parts)
}

/// Said of folds.
pub(crate) fn in_folds(used: usize, rows: usize, split: &Split) -> String {
    let all = FOLDS.min(split.most_folds(rows));
    let keeping = match split {
        _ if all < 2 => "",
        Split::Rows => "",
        Split::Copies(_) if split.repeated().is_none() => "",
        Split::Copies(_) => " that keep copies together",
        Split::Groups(_) => " that keep groups together",
        Split::Time(_) => " of later times",
    };
    let all = if all < 2 { FOLDS.min(rows) } else { all };
    match used {
        used if used == all => format!("held out in {all} folds{keeping}"),
        1 => format!("held out in one of {all} folds{keeping}"),
        used => format!("held out in {used} of {all} folds{keeping}"),
    }
}

/// The scores of any estimator, by fits without a fold. Rows of a fold whose rest cannot be fitted, or lacks their class, have none.
pub(crate) fn out_of_fold<E: Estimator>(estimator: &E, task: &Task<'_>, split: &Split) -> Result<HeldOut> {
    let parts = parts(task, split)?;
    let probabilities = E::GIVES.probabilities == When::Always;
    let want = Want { probabilities, scores: true, ..Want::default() };
    let mut rows = Vec::new();
    let mut found: Option<(Matrix, Vec<(usize, usize)>)> = None;
    let (codes, names) = task.target.as_classes("a calibration")?;
    let mut converged = true;
    for part in &parts {
        task.control.check_time("probabilities")?;
        let test = of_known_classes(part, codes);
        if test.is_empty() {
            continue;
        }
        let gram = Subset::new(task.gram, &part.train, &part.train);
        let target = task.target.select(&part.train);
        let weights: Option<Vec<f64>> = task.weights.map(|w| part.train.iter().map(|&i| w[i]).collect());
        let made = estimator.fit(&Task { gram: &gram, target: &target, weights: weights.as_deref(), ..*task }).and_then(|fitted| {
            let support: Vec<usize> = fitted.support().iter().map(|&s| part.train[s]).collect();
            let cross = Subset::new(task.gram, &test, &support);
            Ok((fitted.predict(&Query::new(&cross, want, task.control))?, fitted.summary().converged))
        });
        let (predictions, met) = match made {
            Ok(made) => made,
            Err(error) if error.ends_all() => return Err(error),
            Err(_) => continue,
        };
        converged &= met;
        let (scores, pairs) = predictions.for_calibration()?;
        match &mut found {
            None => found = Some((scores.into_owned(), pairs.to_vec())),
            // Machines of other pairs, as a class is missing, say nothing here.
            Some((_, of)) if of.as_slice() != pairs => continue,
            Some((all, _)) => all.append_rows(scores.into_owned()),
        }
        rows.extend(test);
    }
    let of = if probabilities { ScoreKind::LogProbabilities } else { ScoreKind::DecisionValues };
    if probabilities && found.is_none() {
        found = Some((Matrix::zeros(0, names.len()), Vec::new()));
    }
    let Some((scores, pairs)) = found else {
        return Err(Error::Data(
            "probabilities need rows that a fit can do without, and no fold could be held out; add rows of each class".into(),
        ));
    };
    let mass = rows.iter().map(|&i| task.weight(i)).collect();
    Ok(HeldOut { mass, rows, scores, pairs, of, converged, how: in_folds(parts.len(), task.rows(), split) })
}

/// The held-out rows of a fold whose class the rest of the fold has.
pub(crate) fn of_known_classes(part: &Fold, codes: &[usize]) -> Vec<usize> {
    let known: HashSet<usize> = part.train.iter().map(|&i| codes[i]).collect();
    part.test.iter().copied().filter(|&i| known.contains(&codes[i])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Control;
    use crate::data::Target;
    use crate::estimators::{EstimatorExpr, Svc};
    use crate::gram::{Block, Dense, Gram, Side};
    use std::ops::Range;

    fn task<'a>(gram: &'a Dense, target: &'a Target, control: &'a Control) -> Task<'a> {
        Task { gram, target, weights: None, control, seed: 3 }
    }

    /// Three classes along a line, their borders blurred.
    fn made(n: usize) -> (Dense, Target) {
        let at = |i: usize| ((i * 37) % n) as f64 / n as f64;
        let blur = |i: usize| 0.15 * ((i * i) as f64).sin();
        let gram = Matrix::from_fn(n, n, |i, j| (-20.0 * (at(i) - at(j)).powi(2)).exp());
        let labels: Vec<&str> = (0..n).map(|i| ["a", "b", "c"][((at(i) + blur(i)).clamp(0.0, 0.99) * 3.0) as usize]).collect();
        (Dense::square(gram).unwrap(), Target::classes(&labels))
    }

    #[test]
    fn machines_that_start_from_all_rows_score_held_out_rows_as_fits_from_nothing_do() {
        let ((gram, target), control) = (made(90), Control::default());
        let EstimatorExpr::Svc(svc) = EstimatorExpr::parse("svc(c=3, tolerance=1e-9)").unwrap() else { panic!("an svc") };
        let task = task(&gram, &target, &control);
        let (_, near) = svc.fit_held_out(&task, None, &Split::Rows).unwrap();
        let plain = out_of_fold::<Svc>(&svc, &task, &Split::Rows).unwrap();
        assert_eq!((&near.rows, &near.pairs, near.rows.len()), (&plain.rows, &plain.pairs, 90));
        for (a, b) in near.scores.data().iter().zip(plain.scores.data()) {
            assert!((a - b).abs() <= 1e-5, "{a} {b}");
        }
    }

    /// Values that are there, as those of a kernel that is computed.
    struct Computed(Dense);

    impl Gram for Computed {
        fn shape(&self) -> (usize, usize) {
            self.0.shape()
        }
        fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
            self.0.fill(rows, cols, out);
        }
        fn diagonal(&self, side: Side) -> Vec<f64> {
            self.0.diagonal(side)
        }
        fn symmetric(&self) -> bool {
            true
        }
    }

    /// Three classes of different sizes, their rows in no order.
    fn computed(n: usize) -> (Computed, Target) {
        let at = |i: usize, k: usize| ((i * (7 * k + 5)) as f64 * 0.37).sin();
        let far = |i: usize, j: usize| (0..2).map(|k| (at(i, k) - at(j, k)).powi(2)).sum::<f64>();
        let gram = Matrix::from_fn(n, n, |i, j| (-2.0 * far(i, j)).exp());
        let class = |i: usize| usize::from(at(i, 0) + 0.3 * at(i, 3) > 0.2) + usize::from(at(i, 1) + 0.3 * at(i, 4) > 0.5);
        let labels: Vec<&str> = (0..n).map(|i| ["b", "c", "a"][class(i)]).collect();
        (Computed(Dense::square(gram).unwrap()), Target::classes(&labels))
    }

    #[test]
    fn machines_that_share_values_by_class_are_those_that_each_compute_their_own() {
        let ((gram, target), control) = (computed(150), Control::default());
        let EstimatorExpr::Svc(svc) = EstimatorExpr::parse("svc(c=3, tolerance=1e-9)").unwrap() else { panic!("an svc") };
        let weights: Vec<f64> = (0..150).map(|i| [1.0, 2.0, 0.5, 0.0][i % 4]).collect();
        for weights in [None, Some(&weights[..])] {
            let task = Task { gram: &gram, target: &target, weights, control: &control, seed: 3 };
            let (fitted, near) = svc.fit_held_out(&task, None, &Split::Rows).unwrap();
            let plain = out_of_fold::<Svc>(&svc, &task, &Split::Rows).unwrap();
            assert_eq!((&near.rows, &near.pairs, &near.mass), (&plain.rows, &plain.pairs, &plain.mass));
            for (a, b) in near.scores.data().iter().zip(plain.scores.data()) {
                assert!((a - b).abs() <= 1e-5, "{a} {b}");
            }
            // Values that are there for all rows of the task, in its order.
            let held = Dense::of(&gram, &control).unwrap();
            let expected = svc.fit(&Task { gram: &held, ..task }).unwrap();
            for found in [&fitted, &svc.fit(&task).unwrap()] {
                assert_eq!(found.expansion.support, expected.expansion.support);
                for (a, b) in found.expansion.coef.data().iter().zip(expected.expansion.coef.data()) {
                    assert!((a - b).abs() <= 1e-5, "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn of_many_rows_a_part_is_held_out_and_of_few_rows_all() {
        let control = Control::default();
        let gram = Dense::square(Matrix::zeros(0, 0)).unwrap();
        for (rows, folds, held) in [(7, 5, 7), (2000, 5, 2000), (4000, 3, 2400), (12_000, 1, 2400)] {
            let target = Target::classes(&(0..rows).map(|i| if i % 2 == 0 { "a" } else { "b" }).collect::<Vec<_>>());
            let found: Vec<usize> = parts(&task(&gram, &target, &control), &Split::Rows).unwrap().iter().map(|p| p.test.len()).collect();
            assert_eq!((found.len(), found.iter().sum::<usize>()), (folds, held));
        }
    }
}
