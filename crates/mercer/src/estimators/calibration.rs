//! Probabilities of classes from scores that the rows had no part in, whatever method gave the scores.
//!
//! Pairs of classes have Platt's sigmoid, and are coupled. Of more than two classes, the softmax of the scaled logarithms of that, and
//! the softmax of the scaled scores of the classes, are two candidates: the one of less surprise plus parameters, an estimate of
//! the log loss of held-out rows (Akaike 1974, A new look at the statistical model identification; Stone 1977), is taken.

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
        let table = Table { values: &held_out.scores, pairs: &held_out.pairs };
        let all_pairs = || present.iter().enumerate().flat_map(|(k, &a)| present[k + 1..].iter().map(move |&b| (a, b))).collect();
        let pairs: Vec<(usize, usize)> = match held_out.pairs.is_empty() {
            true if present.len() <= MOST_COUPLED => all_pairs(),
            true => Vec::new(),
            false => held_out.pairs.clone(),
        };
        let sigmoid = |(o, &(a, b)): (usize, &(usize, usize))| {
            let rows = (0..codes.len()).filter(|&i| codes[i] == a || codes[i] == b);
            let rows: Vec<_> = rows.map(|i| (table.of_pair(table.values.row(i), o, (a, b)), codes[i] == b, held_out.mass[i])).collect();
            if count[a].min(count[b]) < LEAST_ROWS { shrunk(&rows) } else { Sigmoid::fit(&rows) }
        };
        let sigmoids: Vec<Sigmoid> = pairs.iter().enumerate().map(sigmoid).collect();
        let mut made = Calibration { classes, of: Of::Pairs, pairs, sigmoids, softmax: None };
        let mut notes = Vec::new();
        let rare: Vec<String> = present.iter().filter(|&&k| count[k] < LEAST_ROWS).map(|&k| format!("'{}'", names[k])).collect();
        if !rare.is_empty() {
            notes.push(format!(
                "too few rows to calibrate class {} (fewer than {LEAST_ROWS}): a score on the margin counts as much as so few rows allow, (n + 1) / (n + 2)",
                rare.join(", ")
            ));
        }
        if present.len() > 2 && rare.len() < present.len() {
            made.choose(&table, codes, held_out, &present, rare.is_empty(), control)?;
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
    fn choose(
        &mut self,
        table: &Table<'_>,
        codes: &[usize],
        held_out: &HeldOut,
        present: &[usize],
        each: bool,
        control: &Control,
    ) -> Result<()> {
        let (n, classes) = (codes.len(), self.classes);
        let mut least = f64::INFINITY;
        let mut best = None;
        for of in [Of::Pairs, Of::Scores] {
            if of == Of::Pairs && self.pairs.is_empty() {
                continue;
            }
            let mut scores = Matrix::zeros(n, classes);
            self.over_rows(&mut scores, control, |i, out| self.inner(of, table, i, out))?;
            let rows = Rows { scores: &scores, codes, mass: &held_out.mass };
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

    /// What a softmax is of, for one row.
    fn inner(&self, of: Of, table: &Table<'_>, i: usize, out: &mut [f64]) -> Result<()> {
        let row = table.values.row(i);
        match of {
            Of::Scores => out.copy_from_slice(&table.by_class(row, self.classes)),
            Of::Pairs => {
                self.coupled(table, row, out)?;
                out.iter_mut().for_each(|p| *p = p.max(f64::MIN_POSITIVE).ln());
            }
        }
        Ok(())
    }

    fn coupled(&self, table: &Table<'_>, row: &[f64], out: &mut [f64]) -> Result<()> {
        let sigmoids = self.pairs.iter().zip(&self.sigmoids).enumerate();
        let second: Vec<f64> = sigmoids.map(|(o, (&pair, s))| s.probability(table.of_pair(row, o, pair))).collect();
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
            None => self.coupled(&table, scores.row(i), row),
            Some(softmax) => {
                self.inner(self.of, &table, i, row)?;
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
            codes.iter_mut().enumerate().for_each(|(i, code)| *code = greatest(probabilities.row(i), *code));
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

/// The class of the greatest probability; of equal ones the one that was predicted by scores.
fn greatest(probabilities: &[f64], voted: usize) -> usize {
    (0..probabilities.len()).fold(voted, |best, k| if probabilities[k] > probabilities[best] { k } else { best })
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
