//! Probabilities of classes from scores that the rows had no part in, whatever method gave the scores.
//!
//! Pairs of classes have Platt's sigmoid, and are coupled. Of more than two classes, the softmax of the scaled logarithms of that, and
//! the softmax of the scaled scores of the classes, are two candidates: the one of less surprise plus parameters, an estimate of
//! the log loss of held-out rows (Akaike 1974, A new look at the statistical model identification; Stone 1977), is taken. There are as
//! many sigmoids as pairs, so that what they owe to a row is no small part of what they say of it: a row is coupled by sigmoids that were
//! fitted without it (one Newton step: Beirami and others 2017, On optimal generalizability in parametric learning), and the softmax is
//! fitted to that.
//!
//! A calibration never goes against the scores: where those of held-out rows fall from the first class to the second, probabilities are the
//! shares of the classes, the constant that every such map can be, but for a trace of the scores that ranks rows. Where held-out rows say
//! nothing of a class, as every row of it is a copy of one, probabilities are those of the method itself; for methods with decision values
//! only, the shares again.

use super::coupling::couple;
use super::held_out::ScoreKind;
use super::platt::Sigmoid;
use super::scaled_softmax::{ScaledSoftmax, ScoredRows};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::{HeldOut, Task};
use crate::linalg::Matrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A class with fewer held-out rows says nothing of how its scores are spread.
const LEAST_ROWS: usize = 3;
/// Of scores by class, pairs are coupled for no more classes than this: their number grows with the square.
const MOST_COUPLED: usize = 30;
/// Deviation from the log odds of the shares by a score of typical size where held-out rows do not confirm the scores.
const TRACE: f64 = 1e-6;
/// Log odds as they are.
const IDENTITY: Sigmoid = Sigmoid { slope: 1.0, offset: 0.0 };
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
    pub(super) classes: usize,
    of: Of,
    pairs: Vec<(usize, usize)>,
    pub(super) sigmoids: Vec<Sigmoid>,
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
    of: ScoreKind,
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

/// Training rows by class, all and those that are held out.
struct Counts<'a> {
    names: &'a [String],
    /// Weights of the training rows of each class.
    mass: Vec<f64>,
    /// Held-out rows of each class.
    held_out: Vec<usize>,
    /// Classes that training rows have.
    present: Vec<usize>,
}

impl Counts<'_> {
    fn rare(&self, class: usize) -> bool {
        self.held_out[class] < LEAST_ROWS
    }
    /// The shares of the classes with a trace of the scores, as many as there are: of the weights of held-out rows, each class with one more,
    /// so that none is impossible.
    fn shares(&self, held_out: &Calibrating<'_>) -> ScaledSoftmax {
        let mut mass = vec![1.0; self.mass.len()];
        held_out.codes.iter().zip(held_out.mass).for_each(|(&k, w)| mass[k] += w);
        let values = held_out.table.values.data();
        let size = (values.iter().map(|s| s * s).sum::<f64>() / values.len().max(1) as f64).sqrt();
        let factor = if size > 0.0 && size.is_finite() { TRACE / size } else { TRACE };
        ScaledSoftmax::of_shares(&self.present, &mass, factor)
    }
    /// The names of the classes for which something holds.
    fn list(&self, of: impl Fn(usize) -> bool) -> Vec<String> {
        self.present.iter().filter(|&&k| of(k)).map(|&k| format!("'{}'", self.names[k])).collect()
    }
}

impl Calibration {
    /// Couples the sigmoids of pairs of classes.
    pub(super) fn of_pairs(classes: usize, pairs: Vec<(usize, usize)>, sigmoids: Vec<Sigmoid>) -> Self {
        Calibration { classes, of: Of::Pairs, pairs, sigmoids, softmax: None }
    }

    /// The sigmoid of each pair, where probabilities are made of these alone.
    pub(super) fn sigmoids_alone(&self) -> Option<&[Sigmoid]> {
        (self.of == Of::Pairs && self.softmax.is_none()).then_some(&self.sigmoids)
    }

    /// Fits to held-out scores; what there is to say of it.
    pub(super) fn fit(held_out: &HeldOut, task: &Task<'_>, control: &Control) -> Result<(Calibration, Vec<String>)> {
        let (all, names) = task.target.as_classes("a calibration")?;
        let classes = names.len();
        let codes: Vec<usize> = held_out.rows.iter().map(|&i| all[i]).collect();
        let codes = codes.as_slice();
        let counted = task.shares_as_counts(2.0, "two rows").map(|(counts, _)| counts);
        let unit = counted.as_ref().map_or(1.0, |counts| counts[0] / task.weight(0));
        let held_out = &HeldOut { mass: held_out.mass.iter().map(|w| unit * w).collect(), ..held_out.clone() };
        let mut counts = Counts { names, mass: vec![0.0; classes], held_out: vec![0; classes], present: Vec::new() };
        all.iter().enumerate().for_each(|(i, &k)| counts.mass[k] += unit * task.weight(i));
        codes.iter().for_each(|&k| counts.held_out[k] += 1);
        counts.present = (0..classes).filter(|&k| counts.mass[k] > 0.0).collect();
        let present = &counts.present;
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
        let mut falling = 0;
        for (o, &(a, b)) in pairs.iter().enumerate() {
            control.check_time("probabilities")?;
            let of_pair: Vec<usize> = (0..codes.len()).filter(|&i| codes[i] == a || codes[i] == b).collect();
            let row = |&i: &usize| (table.of_pair(table.values.row(i), o, (a, b)), codes[i] == b, held_out.mass[i]);
            let rows: Vec<_> = of_pair.iter().map(row).collect();
            if counts.rare(a) || counts.rare(b) {
                sigmoids.push(match held_out.of {
                    ScoreKind::LogProbabilities => IDENTITY,
                    ScoreKind::DecisionValues => of_margins([counts.mass[a], counts.mass[b]], &rows),
                });
                continue;
            }
            let fitted = Sigmoid::fit(&rows);
            if fitted.slope <= 0.0 {
                falling += 1;
                sigmoids.push(of_shares(&rows));
                continue;
            }
            if several {
                of_pair.into_iter().zip(fitted.without_each(&rows)).for_each(|(i, sigmoid)| without[i].push((o, sigmoid)));
            }
            sigmoids.push(fitted);
        }
        let uncalibrated = !several && sigmoids.first() == Some(&IDENTITY);
        let mut made = Calibration { classes, of: Of::Pairs, pairs, sigmoids, softmax: None };
        let mut by_shares = !several && falling > 0;
        if several {
            let rows = Calibrating { table: &table, codes, mass: &held_out.mass, without: &without, of: held_out.of };
            by_shares = !made.choose(&rows, &counts, control)?;
        }
        let uncalibrated = uncalibrated || (held_out.of == ScoreKind::LogProbabilities && made.is_identity());
        let notes = if by_shares && !uncalibrated {
            vec![format!("scores {} tell nothing of the classes: probabilities are the shares of the classes", held_out.how)]
        } else {
            made.notes(held_out, &counts, falling, uncalibrated)
        };
        Ok((made, notes))
    }

    /// Whether it leaves the probabilities of a method as they are.
    fn is_identity(&self) -> bool {
        self.of == Of::Scores && self.softmax.as_ref().is_some_and(ScaledSoftmax::is_identity)
    }

    fn notes(&self, held_out: &HeldOut, counts: &Counts<'_>, falling: usize, uncalibrated: bool) -> Vec<String> {
        let mut notes = Vec::new();
        let unseen = counts.list(|k| counts.held_out[k] == 0);
        let rare = counts.list(|k| counts.rare(k));
        if !rare.is_empty() {
            let why = if unseen.len() == rare.len() {
                "no other row has it than the one held out, or its copies".to_owned()
            } else {
                format!("fewer than {LEAST_ROWS}")
            };
            let then = match held_out.of {
                ScoreKind::LogProbabilities => "its probabilities are those of the method",
                ScoreKind::DecisionValues => "a score on the margin of a class counts as much as its rows allow, (n + 1) / (n + 2)",
            };
            notes.push(format!("too few rows to calibrate class {} ({why}): {then}", rare.join(", ")));
        }
        if falling > 0 && self.of == Of::Pairs {
            notes.push(format!(
                "scores of held-out rows tell nothing of the class in {falling} of {} pairs of classes: probabilities there are the shares of \
                 the classes",
                self.sigmoids.len()
            ));
        }
        let how = match (self.of, &self.softmax) {
            _ if uncalibrated => {
                notes.push(format!("probabilities are not calibrated: scores {} do not tell how", held_out.how));
                return notes;
            }
            (Of::Pairs, None) => "Platt's sigmoids of scores",
            (Of::Pairs, Some(_)) => "a softmax of coupled pairs of classes, each with Platt's sigmoid of scores",
            (Of::Scores, _) => "a softmax of scaled scores",
        };
        notes.push(format!("probabilities are {how} {}", held_out.how));
        notes
    }

    /// Takes the candidate for several classes that held-out rows favour, and says whether there is one. A softmax whose probabilities fall
    /// with the scores is none.
    fn choose(&mut self, held_out: &Calibrating<'_>, counts: &Counts<'_>, control: &Control) -> Result<bool> {
        let (n, classes) = (held_out.codes.len(), self.classes);
        let known: Vec<usize> = counts.present.iter().copied().filter(|&k| counts.held_out[k] > 0).collect();
        let every_class = !counts.present.iter().any(|&k| counts.rare(k));
        let mut least = f64::INFINITY;
        let mut best = None;
        for of in [Of::Pairs, Of::Scores] {
            if known.len() < 2 || (of == Of::Pairs && self.pairs.is_empty()) {
                continue;
            }
            let mut scores = Matrix::zeros(n, classes);
            self.over_rows(&mut scores, control, |i, out| self.inner(of, held_out.table, i, &held_out.without[i], out))?;
            let rows = ScoredRows { scores: &scores, codes: held_out.codes, mass: held_out.mass };
            let mut found = None;
            for each in [true, false] {
                if found.is_none() && (!each || (every_class && of == Of::Scores)) {
                    found = Some(ScaledSoftmax::fit(&rows, &known, each, control)?).filter(ScaledSoftmax::rises);
                }
            }
            let Some(found) = found else { continue };
            let expected = found.surprise(&rows) + found.freedom();
            if expected < least {
                (least, best) = (expected, Some((of, found.with_classes(&counts.present, &rows, &counts.mass))));
            }
        }
        let is_found = best.is_some();
        if best.is_none() {
            let as_they_are = held_out.of == ScoreKind::LogProbabilities && known.len() < 2;
            let found = if as_they_are { ScaledSoftmax::identity(&counts.present) } else { counts.shares(held_out) };
            best = Some((Of::Scores, found));
        }
        if let Some((of, found)) = best {
            (self.of, self.softmax) = (of, Some(found));
        }
        Ok(is_found)
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
    pub(super) fn probabilities(&self, scores: &Matrix, pairs: &[(usize, usize)], control: &Control) -> Result<Matrix> {
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
    pub(super) fn check(&self, scores: &Matrix, pairs: &[(usize, usize)]) -> Result<()> {
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

/// The probability (n + 1) / (n + 2) of each class of a pair at its margin, where that is not worse for these rows than the shares of the
/// classes.
fn of_margins([first, second]: [f64; 2], rows: &[(f64, bool, f64)]) -> Sigmoid {
    let (below, above) = (first.ln_1p(), second.ln_1p());
    let margins = Sigmoid { slope: 0.5 * (above + below), offset: 0.5 * (above - below) };
    if margins.loss(rows) <= Sigmoid::constant(rows).loss(rows) { margins } else { of_shares(rows) }
}

/// Odds of the shares of both classes with a trace of the score, which ranks rows.
fn of_shares(rows: &[(f64, bool, f64)]) -> Sigmoid {
    let (square, mass) = rows.iter().fold((0.0, 0.0), |(s, m), &(f, _, w)| (s + w * f * f, m + w));
    let mean = rows.iter().map(|&(f, _, w)| w * f / mass).sum::<f64>();
    let size = (square / mass).sqrt();
    let slope = if size > 0.0 && size.is_finite() { TRACE / size } else { TRACE };
    // At the mean of the scores the odds are those of the shares.
    Sigmoid { slope, offset: Sigmoid::constant(rows).offset - if mean.is_finite() { slope * mean } else { 0.0 } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Target;
    use crate::estimators::View;
    use crate::gram::Dense;
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
                of: ScoreKind::DecisionValues,
                fits: Default::default(),
                mass: vec![1.0; rows],
                converged: true,
                how: String::new(),
            };
            let gram = Dense::square(Matrix::zeros(0, 0)).unwrap();
            let target = Target::Classes { codes, names: names.clone() };
            let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed };
            let (made, _) = Calibration::fit(&held_out, &task, &control).unwrap();
            of_pairs += usize::from(made.of == Of::Pairs);
            let (new, truth) = drawn(3000, classes, 100 + seed);
            let said = made.probabilities(&new, &[], &control).unwrap();
            let best = ScaledSoftmax { classes: (0..classes).collect(), factors: vec![1.0], offsets: vec![0.0; classes] };
            let rows_of = ScoredRows { scores: &new, codes: &truth, mass: &[1.0; 3000] };
            loss += ((0..3000).map(|i| -said[(i, truth[i])].ln()).sum::<f64>() - best.surprise(&rows_of)) / (10.0 * draws as f64);
        }
        assert!(of_pairs <= 1, "{of_pairs} of {draws}");
        // Of 300 rows, by 10 factors and 9 offsets: half of that is what they cost on the average of large samples.
        assert!(loss <= 19.0, "{loss}");
    }
}
