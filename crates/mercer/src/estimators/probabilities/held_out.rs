//! Scores of training rows by fits that did not see them: what calibration learns from.

use crate::data::{Fold, Split, Target, folds, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::contract::RelearntAmong;
use crate::estimators::{Estimator, Fit, FitContext, Fitted, HoldOut, Predictions, Query, RelearntKernel, Task, Want, When};
use crate::linalg::Matrix;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Parts of the rows that are held out in turn.
pub(crate) const FOLDS: usize = 5;
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
#[derive(Clone)]
pub struct HeldOut {
    /// The rows, from 0; of copies the first.
    pub rows: Vec<usize>,
    /// Their scores: rows x pairs where pairs are named, else one alone for two classes or one for each class.
    pub scores: Matrix,
    /// The pair of classes of each score: above 0 for the second.
    pub pairs: Vec<(usize, usize)>,
    /// The fits that scored them.
    pub fits: FitsWithout,
    /// What the scores are.
    pub of: ScoreKind,
    /// How much each row counts: its weight, times that of its class where classes have weights.
    pub mass: Vec<f64>,
    /// Whether every fit met its tolerance.
    pub converged: bool,
    /// The end of the sentence `probabilities come from scores ...`.
    pub how: String,
}

/// Which fit scored each row that was held out, and the weight of the rows that each fit learnt from.
#[derive(Clone, Debug, Default)]
pub struct FitsWithout {
    of_row: Vec<usize>,
    learnt_from: Vec<f64>,
}

impl FitsWithout {
    /// A fit for each of some rows, of all rows but that one.
    pub(crate) fn each_alone(rows: &[usize], task: &Task<'_>) -> Self {
        let whole: f64 = task.all_weights().iter().sum();
        FitsWithout { of_row: (0..rows.len()).collect(), learnt_from: rows.iter().map(|&i| whole - task.weight(i)).collect() }
    }

    /// A fit for each fold, which scored some of the rows that it holds out.
    pub(crate) fn folds(parts: &[Fold], scored: &[Vec<usize>], task: &Task<'_>) -> Self {
        let mass = |part: &Fold| part.train.iter().map(|&i| task.weight(i)).sum();
        FitsWithout {
            of_row: scored.iter().enumerate().flat_map(|(fit, rows)| rows.iter().map(move |_| fit)).collect(),
            learnt_from: parts.iter().map(mass).collect(),
        }
    }

    /// The place of the fit of a held-out row.
    pub(crate) fn of_row(&self, row: usize) -> usize {
        self.of_row[row]
    }

    /// The weight of the rows that each fit learnt from.
    pub(crate) fn learnt_from(&self) -> &[f64] {
        &self.learnt_from
    }
}

/// Fits; scores of held-out rows that are wanted and that the method itself does not give come from here: of rows left out in closed form
/// where there is one and any row may be, else of folds that keep to the split. Where the kernel has learnt from all rows the method is not
/// asked, and every fold has a kernel learnt anew.
pub(crate) fn fit<E: Estimator>(estimator: &E, task: &Task<'_>, context: &FitContext<'_, E::Fitted>) -> Result<Fit<E::Fitted>> {
    let (copies, hold) = (context.hold.split.repeated(), context.hold);
    let in_folds = || copies.map_or_else(|| out_of_fold(estimator, task, hold), |copies| each_once(estimator, task, copies, hold));
    if !context.wants_scores {
        return estimator.fit_with(task, context);
    }
    if hold.kernel.is_some() {
        let plain = FitContext { hold: HoldOut::default(), wants_scores: false, ..*context };
        return Ok(Fit { held_out: Some(in_folds()?), ..estimator.fit_with(task, &plain)? });
    }
    let mut fit = estimator.fit_with(task, context)?;
    if fit.held_out.is_none() {
        let has_closed_form = estimator.gives().leave_one_out.is_closed_form();
        let left_out = if has_closed_form && hold.frees_rows() { estimator.leave_one_out(task)? } else { None };
        fit.held_out = Some(match left_out.filter(|p| p.probabilities.is_some() || p.scores.is_some()) {
            Some(predictions) => HeldOut::one_by_one(&predictions, task)?,
            None if has_closed_form => in_folds()?,
            None => out_of_fold(estimator, task, hold)?,
        });
    }
    Ok(fit)
}

/// The fit and scores of held-out rows.
pub(crate) fn fit_and_hold_out<E: Estimator>(estimator: &E, task: &Task<'_>, hold: HoldOut<'_>) -> Result<(E::Fitted, HeldOut)> {
    fit(estimator, task, &FitContext { wants_scores: true, ..FitContext::holding(hold) })?.with_scores()
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
            fits: FitsWithout::each_alone(&(0..task.rows()).collect::<Vec<_>>(), task),
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
            self.fits.of_row = places.iter().map(|&k| self.fits.of_row[k]).collect();
        }
        self
    }

    /// Scores by fits of folds that keep to a split, where there is one; else of rows left out one by one, of no more of them than a
    /// calibration needs: their predictions without themselves.
    pub(crate) fn one_by_one_or<E: Estimator>(
        estimator: &E,
        task: &Task<'_>,
        hold: HoldOut<'_>,
        left_out: impl FnOnce(&[usize]) -> Result<Predictions>,
    ) -> Result<HeldOut> {
        if let Some(copies) = hold.split.repeated() {
            return each_once(estimator, task, copies, hold);
        }
        if !hold.frees_rows() || task.rows() < 2 {
            return out_of_fold(estimator, task, hold);
        }
        let (_, names) = task.target.as_classes("a calibration")?;
        let rows = some_rows_of(task.target, enough(names.len()).min(task.rows()), task.seed);
        let predictions = left_out(&rows)?;
        let (scores, pairs) = predictions.for_calibration()?;
        let found = HeldOut {
            mass: rows.iter().map(|&i| task.weight(i)).collect(),
            fits: FitsWithout::each_alone(&rows, task),
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
pub(crate) fn each_once<E: Estimator>(estimator: &E, task: &Task<'_>, copies: &[usize], hold: HoldOut<'_>) -> Result<HeldOut> {
    let (codes, _) = task.target.as_classes("a calibration")?;
    let mut rows: Vec<usize> = (0..copies.len()).collect();
    rows.sort_by_key(|&i| (copies[i], codes[i], i));
    let alike = |a: &usize, b: &usize| (copies[*a], codes[*a]) == (copies[*b], codes[*b]);
    let weights: Vec<f64> = rows.chunk_by(alike).map(|some| some.iter().map(|&i| task.weight(i)).sum()).collect();
    rows.dedup_by(|a, b| alike(a, b));
    let (some, target) = (task.view.part(&rows, &rows), task.target.select(&rows));
    let once = Task { view: some.view(), target: &target, weights: Some(&weights), ..*task };
    let among = hold.kernel.map(|kernel| RelearntAmong { kernel, rows: &rows });
    let inner = HoldOut { split: &Split::Rows, kernel: among.as_ref().map(|among| among as &dyn RelearntKernel) };
    let (_, mut held_out) = fit_and_hold_out(estimator, &once, inner)?;
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
    if let Split::Rows | Split::Copies(_) = split {
        parts.iter_mut().for_each(|part| keep_only_rows(part, codes));
    }
    Ok(parts)
}

/// Rows whose class the rest of a fold lacks are no test of a fit without them, and stay in it.
fn keep_only_rows(part: &mut Fold, codes: &[usize]) {
    let test = of_known_classes(part, codes);
    if test.len() < part.test.len() {
        let tested: HashSet<usize> = test.iter().copied().collect();
        part.train.extend(part.test.iter().filter(|i| !tested.contains(i)));
        part.train.sort_unstable();
        part.test = test;
    }
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
pub(crate) fn out_of_fold<E: Estimator>(estimator: &E, task: &Task<'_>, hold: HoldOut<'_>) -> Result<HeldOut> {
    let parts = parts(task, hold.split)?;
    let probabilities = estimator.gives().probabilities == When::Always;
    let want = Want { probabilities, scores: true, ..Want::default() };
    let (codes, names) = task.target.as_classes("a calibration")?;
    let mut tests = vec![Vec::new(); parts.len()];
    let mut found: Option<(Matrix, Vec<(usize, usize)>)> = None;
    let mut converged = true;
    for (part, tested) in parts.iter().zip(&mut tests) {
        task.control.check_time("probabilities")?;
        let test = of_known_classes(part, codes);
        if test.is_empty() {
            continue;
        }
        let (predictions, met) = match without_fold(estimator, task, hold, part, &test, want) {
            Ok(made) => made,
            Err(error) if error.ends_all() => return Err(error),
            Err(_) => continue,
        };
        converged &= met;
        let (scores, pairs) = of_all_classes(&predictions, task, part)?;
        match &mut found {
            None => found = Some((scores, pairs)),
            Some((all, _)) => all.append_rows(scores),
        }
        *tested = test;
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
    let fits = FitsWithout::folds(&parts, &tests, task);
    let rows = tests.concat();
    let mass = rows.iter().map(|&i| task.weight(i)).collect();
    Ok(HeldOut { mass, rows, scores, pairs, fits, of, converged, how: in_folds(parts.len(), task.rows(), hold.split) })
}

/// Predictions of rows of a fold by a fit to the rest, and whether that met its tolerance.
pub(crate) fn without_fold<E: Estimator>(
    estimator: &E,
    task: &Task<'_>,
    hold: HoldOut<'_>,
    part: &Fold,
    test: &[usize],
    want: Want,
) -> Result<(Predictions, bool)> {
    let target = task.target.select(&part.train);
    let weights: Option<Vec<f64>> = task.weights.map(|w| part.train.iter().map(|&i| w[i]).collect());
    let rest = |view| Task { view, target: &target, weights: weights.as_deref(), ..*task };
    let Some(kernel) = hold.kernel else {
        let fitted = estimator.fit(&rest(task.view.part(&part.train, &part.train).view()))?;
        let support: Vec<usize> = fitted.support().iter().map(|&s| part.train[s]).collect();
        let new = task.view.part(test, &support);
        return Ok((fitted.predict(&Query::of(new.view(), want, task.control))?, fitted.summary().converged));
    };
    let [among, cross] = kernel.values(&part.train, weights.as_deref(), test, task.control)?;
    let inner = RelearntAmong { kernel, rows: &part.train };
    let hold = HoldOut { split: &Split::Rows, kernel: Some(&inner) };
    let fitted = estimator.fit_with(&rest(among.view()), &FitContext::holding(hold))?.fitted;
    let new = cross.view().part(&(0..test.len()).collect::<Vec<_>>(), fitted.support());
    Ok((fitted.predict(&Query::of(new.view(), want, task.control))?, fitted.summary().converged))
}

/// Scores of a fit to the rest of a fold, and their pairs, in the columns of all classes of the task. Of a class that the rest lacks a
/// score says nothing: that of a pair is 0, and that of the class the mean of the others.
fn of_all_classes(predictions: &Predictions, task: &Task<'_>, part: &Fold) -> Result<(Matrix, Vec<(usize, usize)>)> {
    let (codes, names) = task.target.as_classes("a calibration")?;
    let (scores, pairs) = predictions.for_calibration()?;
    let of = |rows: &mut dyn Iterator<Item = usize>| {
        let mut there = vec![false; names.len()];
        rows.for_each(|i| there[codes[i]] = true);
        there
    };
    let (all, known) = (of(&mut (0..codes.len())), of(&mut part.train.iter().copied()));
    if !pairs.is_empty() {
        let present: Vec<usize> = (0..names.len()).filter(|&k| all[k]).collect();
        let wanted: Vec<(usize, usize)> =
            present.iter().enumerate().flat_map(|(k, &a)| present[k + 1..].iter().map(move |&b| (a, b))).collect();
        let column: HashMap<(usize, usize), usize> = pairs.iter().enumerate().map(|(o, &pair)| (pair, o)).collect();
        let value = |i: usize, o: usize| column.get(&wanted[o]).map_or(0.0, |&at| scores[(i, at)]);
        return Ok((Matrix::from_fn(scores.rows(), wanted.len(), value), wanted));
    }
    let mut scores = scores.into_owned();
    if scores.cols() == names.len() && known != all {
        let count = known.iter().filter(|known| **known).count() as f64;
        for i in 0..scores.rows() {
            let row = scores.row_mut(i);
            let mean = row.iter().zip(&known).filter(|(_, known)| **known).map(|(s, _)| s / count).sum();
            row.iter_mut().enumerate().filter(|(k, _)| all[*k] && !known[*k]).for_each(|(_, s)| *s = mean);
        }
    }
    Ok((scores, Vec::new()))
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
    use crate::estimators::{EstimatorExpr, Svc, View};
    use crate::gram::{Block, Dense, Gram, Side};
    use std::ops::Range;

    fn task<'a>(gram: &'a Dense, target: &'a Target, control: &'a Control) -> Task<'a> {
        Task { view: View::Values(gram), target, weights: None, control, seed: 3 }
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
        let (_, near) = fit_and_hold_out(&svc, &task, HoldOut::default()).unwrap();
        let plain = out_of_fold::<Svc>(&svc, &task, HoldOut::by(&Split::Rows)).unwrap();
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
            let task = Task { view: View::Values(&gram), target: &target, weights, control: &control, seed: 3 };
            let (fitted, near) = fit_and_hold_out(&svc, &task, HoldOut::default()).unwrap();
            let plain = out_of_fold::<Svc>(&svc, &task, HoldOut::by(&Split::Rows)).unwrap();
            assert_eq!((&near.rows, &near.pairs, &near.mass), (&plain.rows, &plain.pairs, &plain.mass));
            for (a, b) in near.scores.data().iter().zip(plain.scores.data()) {
                assert!((a - b).abs() <= 1e-5, "{a} {b}");
            }
            // Values that are there for all rows of the task, in its order.
            let held = Dense::of(&gram, &control).unwrap();
            let expected = svc.fit(&Task { view: View::Values(&held), ..task }).unwrap();
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
