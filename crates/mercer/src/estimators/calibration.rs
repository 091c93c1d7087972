//! Probabilities of classes from scores that the rows had no part in, whatever method gave the scores.
//!
//! Pairs of classes have Platt's sigmoid, and are coupled. Of more than two classes, the softmax of the scaled logarithms of that, and
//! the softmax of the scaled scores of the classes, are two candidates: the one of less surprise plus parameters, an estimate of
//! the log loss of held-out rows (Akaike 1974, A new look at the statistical model identification; Stone 1977), is taken. There are as
//! many sigmoids as pairs, so that what they owe to a row is no small part of what they say of it: a row is coupled by sigmoids that were
//! fitted without it (one Newton step: Beirami and others 2017, On optimal generalizability in parametric learning), and the softmax is
//! fitted to that.

use super::coupling::couple;
use super::platt::Sigmoid;
use super::scaled_softmax::{Rows, ScaledSoftmax};
use super::{Answer, Expansion, Fitted, FittedModel, Found, HeldOut, Predicted, Predictions, Query, Spectrum, Summary, Task, Want};
use crate::control::Control;
use crate::data::TargetInfo;
use crate::error::{Error, Result};
use crate::linalg::{Lower, Matrix};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A class with fewer held-out rows says nothing of how its scores are spread.
const LEAST_ROWS: usize = 3;
/// Of scores by class, pairs are coupled for no more classes than this: their number grows with the square.
const MOST_COUPLED: usize = 30;
/// Rows that one thread makes probabilities of at a time.
const PIECE: usize = 256;

/// What probabilities of several classes are the softmax of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Of {
    /// Logarithms of the coupled probabilities of pairs.
    Pairs,
    /// Scores of the classes.
    Scores,
}

/// What makes probabilities of scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    classes: usize,
    of: Of,
    pairs: Vec<(usize, usize)>,
    sigmoids: Vec<Sigmoid>,
    softmax: Option<ScaledSoftmax>,
}

/// Scores of rows: of pairs of classes where these are named, one alone for two classes, or one for each class.
struct Table<'a> {
    values: &'a Matrix,
    pairs: &'a [(usize, usize)],
}

/// Held-out rows that a softmax is chosen by.
struct Calibrating<'a> {
    table: &'a Table<'a>,
    codes: &'a [usize],
    mass: &'a [f64],
    /// For each row the sigmoids of its pairs that were fitted without it, with their places.
    without: &'a [Vec<(usize, Sigmoid)>],
}

impl Table<'_> {
    /// The score of the second of a pair against the first; `o` is its place among the pairs.
    fn of_pair(&self, row: &[f64], o: usize, (a, b): (usize, usize)) -> f64 {
        match (self.pairs.is_empty(), row) {
            (false, _) => row[o],
            (true, [score]) => *score,
            (true, scores) => scores[b] - scores[a],
        }
    }

    /// One score for each class: of pairs the mean of what speaks for it.
    fn by_class(&self, row: &[f64], classes: usize) -> Vec<f64> {
        if self.pairs.is_empty() && row.len() == classes {
            return row.to_vec();
        }
        let mut out = vec![0.0; classes];
        let pairs = if self.pairs.is_empty() { &[(0, 1)] } else { self.pairs };
        for (&score, &(a, b)) in row.iter().zip(pairs) {
            out[b] += score / classes as f64;
            out[a] -= score / classes as f64;
        }
        out
    }
}

impl Calibration {
    /// Fits to held-out scores, given the codes of all training rows; what there is to say of it.
    fn fit(held_out: &HeldOut, all: &[usize], names: &[String], control: &Control) -> Result<(Calibration, Vec<String>)> {
        let classes = names.len();
        let codes: Vec<usize> = held_out.rows.iter().map(|&i| all[i]).collect();
        let codes = codes.as_slice();
        let counts = |codes: &[usize]| (0..classes).map(|k| codes.iter().filter(|c| **c == k).count()).collect::<Vec<_>>();
        let (count, learnt) = (counts(codes), counts(all));
        let present: Vec<usize> = (0..classes).filter(|&k| learnt[k] > 0).collect();
        if let [only] = present[..] {
            return Err(Error::Data(format!(
                "probabilities need rows of at least two classes, and every row is of class '{}'; add rows of another class, or check the target column",
                names[only]
            )));
        }
        let table = Table { values: &held_out.scores, pairs: &held_out.pairs };
        let all_pairs = || present.iter().enumerate().flat_map(|(k, &a)| present[k + 1..].iter().map(move |&b| (a, b))).collect();
        let pairs: Vec<(usize, usize)> = match held_out.pairs.is_empty() {
            true if present.len() <= MOST_COUPLED => all_pairs(),
            true => Vec::new(),
            false => held_out.pairs.clone(),
        };
        let several = present.len() > 2;
        let mut without: Vec<Vec<(usize, Sigmoid)>> = vec![Vec::new(); if several { codes.len() } else { 0 }];
        let mut sigmoids = Vec::with_capacity(pairs.len());
        for (o, &(a, b)) in pairs.iter().enumerate() {
            control.check_time("probabilities")?;
            let of_pair: Vec<usize> = (0..codes.len()).filter(|&i| codes[i] == a || codes[i] == b).collect();
            let row = |&i: &usize| (table.of_pair(table.values.row(i), o, (a, b)), codes[i] == b, held_out.mass[i]);
            let rows: Vec<_> = of_pair.iter().map(row).collect();
            if count[a].min(count[b]) < LEAST_ROWS {
                sigmoids.push(shrunk(&rows));
                continue;
            }
            let fitted = Sigmoid::fit(&rows);
            if several {
                of_pair.into_iter().zip(fitted.without_each(&rows)).for_each(|(i, sigmoid)| without[i].push((o, sigmoid)));
            }
            sigmoids.push(fitted);
        }
        let mut made = Calibration { classes, of: Of::Pairs, pairs, sigmoids, softmax: None };
        let mut notes = Vec::new();
        let rare: Vec<String> = present.iter().filter(|&&k| count[k] < LEAST_ROWS).map(|&k| format!("'{}'", names[k])).collect();
        if !rare.is_empty() {
            notes.push(format!(
                "too few rows to calibrate class {} (fewer than {LEAST_ROWS}): a score on the margin counts as much as so few rows allow, (n + 1) / (n + 2)",
                rare.join(", ")
            ));
        }
        if several && rare.len() < present.len() {
            let rows = Calibrating { table: &table, codes, mass: &held_out.mass, without: &without };
            made.choose(&rows, &present, rare.is_empty(), control)?;
        }
        let falling = made.sigmoids.iter().filter(|s| s.slope < 0.0).count();
        if falling > 0 && made.of == Of::Pairs {
            notes.push(format!(
                "the sigmoid falls with the decision value in {falling} of {} problems: held-out rows lay on the wrong side more often than not, and probabilities there go against the margin",
                made.sigmoids.len()
            ));
        }
        let against = made.softmax.as_ref().is_some_and(|s| s.factors.iter().any(|a| *a < 0.0));
        if against {
            notes.push("held-out rows of a class had lower scores of it than others had: probabilities there go against the scores".into());
        }
        let how = match (made.of, &made.softmax) {
            (Of::Pairs, None) => "Platt's sigmoids of scores",
            (Of::Pairs, Some(_)) => "a softmax of coupled pairs of classes, each with Platt's sigmoid of scores",
            (Of::Scores, _) => "a softmax of scaled scores",
        };
        notes.push(format!("probabilities are {how} {}", held_out.how));
        Ok((made, notes))
    }

    /// Takes the candidate for several classes that held-out rows favour.
    fn choose(&mut self, held_out: &Calibrating<'_>, present: &[usize], each: bool, control: &Control) -> Result<()> {
        let (n, classes) = (held_out.codes.len(), self.classes);
        let mut least = f64::INFINITY;
        let mut best = None;
        for of in [Of::Pairs, Of::Scores] {
            if of == Of::Pairs && self.pairs.is_empty() {
                continue;
            }
            let mut scores = Matrix::zeros(n, classes);
            self.over_rows(&mut scores, control, |i, out| self.inner(of, held_out.table, i, &held_out.without[i], out))?;
            let rows = Rows { scores: &scores, codes: held_out.codes, mass: held_out.mass };
            let found = ScaledSoftmax::fit(&rows, present, each && of == Of::Scores, control)?;
            let expected = found.surprise(&rows) + found.freedom();
            if expected < least {
                (least, best) = (expected, Some((of, found)));
            }
        }
        if let Some((of, found)) = best {
            (self.of, self.softmax) = (of, Some(found));
        }
        Ok(())
    }

    /// What a softmax is of, for one row; some pairs may have sigmoids of their own there.
    fn inner(&self, of: Of, table: &Table<'_>, i: usize, own: &[(usize, Sigmoid)], out: &mut [f64]) -> Result<()> {
        let row = table.values.row(i);
        match of {
            Of::Scores => out.copy_from_slice(&table.by_class(row, self.classes)),
            Of::Pairs => {
                self.coupled(table, row, own, out)?;
                out.iter_mut().for_each(|p| *p = p.max(f64::MIN_POSITIVE).ln());
            }
        }
        Ok(())
    }

    fn coupled(&self, table: &Table<'_>, row: &[f64], own: &[(usize, Sigmoid)], out: &mut [f64]) -> Result<()> {
        let sigmoids = self.pairs.iter().zip(&self.sigmoids).enumerate();
        let mut second: Vec<f64> = sigmoids.map(|(o, (&pair, s))| s.probability(table.of_pair(row, o, pair))).collect();
        own.iter().for_each(|(o, s)| second[*o] = s.probability(table.of_pair(row, *o, self.pairs[*o])));
        out.copy_from_slice(&couple(&self.pairs, &second, self.classes)?);
        Ok(())
    }

    fn over_rows(&self, out: &mut Matrix, control: &Control, each: impl Fn(usize, &mut [f64]) -> Result<()> + Sync) -> Result<()> {
        let k = self.classes.max(1);
        out.data_mut().par_chunks_mut(PIECE * k).enumerate().try_for_each(|(piece, some)| {
            control.check()?;
            some.chunks_exact_mut(k).enumerate().try_for_each(|(i, row)| each(piece * PIECE + i, row))
        })
    }

    /// Probabilities of the classes, rows x classes.
    fn probabilities(&self, scores: &Matrix, pairs: &[(usize, usize)], control: &Control) -> Result<Matrix> {
        let table = Table { values: scores, pairs };
        let mut out = Matrix::zeros(scores.rows(), self.classes);
        self.over_rows(&mut out, control, |i, row| match &self.softmax {
            None => self.coupled(&table, scores.row(i), &[], row),
            Some(softmax) => {
                self.inner(self.of, &table, i, &[], row)?;
                softmax.apply(row);
                Ok(())
            }
        })?;
        Ok(out)
    }

    /// An error unless its parts fit together and to such scores: they may come from a file.
    fn check(&self, scores: &Matrix, pairs: &[(usize, usize)]) -> Result<()> {
        let columns = if pairs.is_empty() && scores.cols() > 1 { self.classes } else { pairs.len().max(1) };
        Error::unless_equal("scores of a calibration", columns, scores.cols())?;
        Error::unless_equal("sigmoids of the pairs", self.pairs.len(), self.sigmoids.len())?;
        if !pairs.is_empty() {
            Error::unless_equal("pairs of a calibration", pairs.len(), self.pairs.len())?;
        }
        let coded = self.pairs.iter().flat_map(|&(a, b)| [a, b]).all(|k| k < self.classes);
        let whole = self.softmax.as_ref().map_or(!self.pairs.is_empty(), |s| s.fits(self.classes));
        match coded && whole && (self.of == Of::Scores || !self.pairs.is_empty()) {
            true => Ok(()),
            false => Err(Error::Data("the calibration of the model does not fit its classes".into())),
        }
    }
}

/// As sure of a score on the margin as (n + 1) / (n + 2), n the lesser weight of the two classes: Platt's aim, and no more.
fn shrunk(rows: &[(f64, bool, f64)]) -> Sigmoid {
    let mass = |class: bool| rows.iter().filter(|r| r.1 == class).map(|r| r.2).sum::<f64>();
    Sigmoid { slope: mass(true).min(mass(false)).ln_1p(), offset: 0.0 }
}

/// A fit whose scores become probabilities; the predicted class is the one of the greatest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibrated {
    fitted: Box<FittedModel>,
    calibration: Calibration,
    summary: Summary,
}

impl Calibrated {
    /// Calibrates a fit to a task of classes.
    pub(super) fn of(fitted: FittedModel, held_out: &HeldOut, task: &Task<'_>) -> Result<Calibrated> {
        let (codes, names) = task.target.as_classes("a calibration")?;
        // A fit that was ended has scores all the same, and what they say is not lost.
        let control = task.control.last_step().at_least(1.0);
        let (calibration, notes) = Calibration::fit(held_out, codes, names, &control)?;
        let mut summary = fitted.summary().clone();
        summary.notes.extend(notes);
        if !held_out.converged {
            summary.converged = false;
            summary.notes.push(
                "fits without a fold stopped before their tolerance was met: probabilities are less certain than they could be".into(),
            );
        }
        Ok(Calibrated { fitted: Box::new(fitted), calibration, summary })
    }

    /// The fit whose scores are calibrated.
    pub fn fitted(&self) -> &FittedModel {
        &self.fitted
    }

    /// Calibrates what the fit predicts.
    fn calibrated(&self, mut found: Predictions, query: (Want, &Control)) -> Result<Predictions> {
        let (want, control) = query;
        let probabilities = {
            let (scores, pairs) = found.for_calibration()?;
            self.calibration.check(&scores, pairs)?;
            self.calibration.probabilities(&scores, pairs, control)?
        };
        if let Predicted::Classes(codes) = &mut found.values {
            codes.iter_mut().enumerate().for_each(|(i, code)| *code = greatest(probabilities.row(i)));
        }
        if !want.scores {
            (found.scores, found.pairs) = (None, Vec::new());
        }
        found.probabilities = want.probabilities.then_some(probabilities);
        Ok(found)
    }

    /// Predictions of nearest neighbours that were found elsewhere; `None` of another fit.
    pub(crate) fn predict_found(&self, found: &Found, want: Want, control: &Control) -> Option<Result<Predictions>> {
        let FittedModel::Knn(knn) = self.fitted() else { return None };
        let made = knn.predict_found(found, Want { scores: true, probabilities: true, ..want }, control);
        Some(made.and_then(|p| self.calibrated(p, (want, control))))
    }
}

/// The class of the greatest probability, the first of equal ones.
fn greatest(probabilities: &[f64]) -> usize {
    (0..probabilities.len()).fold(0, |best, k| if probabilities[k] > probabilities[best] { k } else { best })
}

impl Fitted for Calibrated {
    fn support(&self) -> &[usize] {
        self.fitted.support()
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let want = Want { scores: true, probabilities: true, ..query.want };
        self.calibrated(self.fitted.predict(&Query { want, ..*query })?, (query.want, query.control))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        let answer = self.fitted.answer(target)?;
        Error::unless_equal("classes of a calibration", answer.classes().map_or(0, <[String]>::len), self.calibration.classes)?;
        Ok(answer)
    }
    fn expansion(&self) -> Option<&Expansion> {
        self.fitted.expansion()
    }
    fn forget_rows(&mut self) {
        self.fitted.forget_rows();
    }
    fn factor(&self) -> Option<&Lower> {
        self.fitted.factor()
    }
    fn sigmoids(&self) -> &[Sigmoid] {
        &self.calibration.sigmoids
    }
    fn spectrum(&self) -> Option<&Spectrum> {
        self.fitted.spectrum()
    }
    fn steps(&self) -> Vec<usize> {
        self.fitted.steps()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Scores of classes, and classes drawn with the probabilities of their softmax.
    fn drawn(rows: usize, classes: usize, seed: u64) -> (Matrix, Vec<usize>) {
        let mut draw = Xoshiro256PlusPlus::seed_from_u64(seed);
        let scores = Matrix::from_fn(rows, classes, |_, _| 6.0 * (draw.random::<f64>() - 0.5));
        let codes = (0..rows)
            .map(|i| {
                let gumbel: Vec<f64> = (0..classes).map(|k| scores[(i, k)] - (-draw.random::<f64>().ln()).ln()).collect();
                (0..classes).fold(0, |best, k| if gumbel[k] > gumbel[best] { k } else { best })
            })
            .collect();
        (scores, codes)
    }

    /// With 45 sigmoids of two parameters each, fitted to the rows that they are judged by, pairs looked better than the softmax that the
    /// classes were drawn from.
    #[test]
    fn pairs_of_many_classes_are_not_taken_for_what_their_sigmoids_owe_to_the_rows() {
        let (rows, classes, draws) = (300, 10, 8);
        let control = Control::default();
        let names: Vec<String> = (0..classes).map(|k| k.to_string()).collect();
        let (mut of_pairs, mut loss) = (0, 0.0);
        for seed in 0..draws {
            let (scores, codes) = drawn(rows, classes, seed);
            let held_out = HeldOut {
                rows: (0..rows).collect(),
                scores,
                pairs: Vec::new(),
                mass: vec![1.0; rows],
                converged: true,
                how: String::new(),
            };
            let (made, _) = Calibration::fit(&held_out, &codes, &names, &control).unwrap();
            of_pairs += usize::from(made.of == Of::Pairs);
            let (new, truth) = drawn(3000, classes, 100 + seed);
            let said = made.probabilities(&new, &[], &control).unwrap();
            let best = ScaledSoftmax { classes: (0..classes).collect(), factors: vec![1.0], offsets: vec![0.0; classes] };
            let rows_of = Rows { scores: &new, codes: &truth, mass: &[1.0; 3000] };
            loss += ((0..3000).map(|i| -said[(i, truth[i])].ln()).sum::<f64>() - best.surprise(&rows_of)) / (10.0 * draws as f64);
        }
        assert!(of_pairs <= 1, "{of_pairs} of {draws}");
        // Of 300 rows, by 10 factors and 9 offsets: half of that is what they cost on the average of large samples.
        assert!(loss <= 19.0, "{loss}");
    }
}
