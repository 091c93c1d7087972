//! How good predictions are, as the field measures it: a closed list of records, one per metric.
//!
//! A metric is a heading, a meaning, which way is better, what it needs of the predictions, and a function of weighted
//! rows; an author adds one record to `list.rs` and one function to `classes.rs` or `numbers.rs`.

mod classes;
mod cut;
mod estimate;
mod held_out;
mod judged;
mod list;
mod numbers;
mod paired;

pub use classes::recalls;
pub use cut::{Cut, balanced_costs};
pub use estimate::Estimate;
pub use held_out::{Contribution, HeldOut, Judged};
pub use judged::{judged_by, require_judged};
pub use list::{Better, Metric, Needs};
pub use numbers::{TargetScore, of_each_target};
pub use paired::{Difference, against_best, corrected_for_choice};

use crate::data::Target;
use crate::error::{Error, Result, nearest};
use crate::estimators::{Predicted, Predictions};
use classes::ClassRows;
use list::Measure;
use numbers::NumberRows;
use serde::{Deserialize, Serialize};

/// The metric by which predictions are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scoring {
    /// The metric that decides.
    pub deciding: Metric,
    /// Of two classes the one whose F1 is taken: that of the label 1 or true, else the rarer one of the whole table; the same in every
    /// fold.
    pub positive: Option<usize>,
}

impl Scoring {
    /// Scoring of predictions of a target, by its usual metric ([`Metric::usual`]) unless one is given.
    ///
    /// # Errors
    /// A metric of classes for numbers or the other way round; a metric of interval coverage, which ranks nothing.
    pub fn of(target: &Target, weights: Option<&[f64]>, deciding: Option<Metric>) -> Result<Scoring> {
        if let Target::Absent { .. } = target {
            return Err(without_target(deciding));
        }
        let usual = Metric::usual(target);
        let deciding = deciding.unwrap_or(usual);
        let able = |m: Metric| m.of_classes() == usual.of_classes() && !matches!(m.better(), Better::Near(_));
        if !able(deciding) {
            let names: Vec<&str> = Metric::ALL.iter().filter(|m| able(**m)).map(|m| m.name()).collect();
            let why = match deciding.better() {
                Better::Near(share) => format!("{} is best near {share}, so that nothing can be ranked by it", deciding.name()),
                _ if deciding.of_classes() => format!("{} judges classes, and the target is of numbers", deciding.name()),
                _ => format!("{} judges numbers, and the target is of classes", deciding.name()),
            };
            return Err(Error::Setting { name: "metric".into(), why: format!("{why}; these decide: {}", names.join(", ")) });
        }
        Ok(Scoring { deciding, positive: positive(target, weights) })
    }

    /// Every metric that the predictions allow, the deciding one first; rows weighted where weights are given. What these
    /// rows do not define (an R² where the target is constant, an AUC of one class) is NaN, and nothing else is: what the
    /// predictions make worse than any number is infinite.
    pub fn score(&self, predictions: &Predictions, truth: &Target, weights: Option<&[f64]>) -> Vec<(Metric, f64)> {
        let rest = Metric::ALL.iter().copied().filter(|m| *m != self.deciding && m.is_listed());
        let value = |m: Metric| self.value(m, predictions, truth, weights).map(|v| (m, v));
        std::iter::once(value(self.deciding).unwrap_or((self.deciding, f64::NAN))).chain(rest.filter_map(value)).collect()
    }

    /// The deciding metric alone; NaN where rows or predictions do not define it.
    pub fn decide(&self, predictions: &Predictions, truth: &Target, weights: Option<&[f64]>) -> f64 {
        self.value(self.deciding, predictions, truth, weights).unwrap_or(f64::NAN)
    }

    /// The metrics that the predictions allow, the deciding one first.
    fn defined(&self, predictions: &Predictions, truth: &Target) -> Vec<Metric> {
        let rest = Metric::ALL.iter().copied().filter(|m| *m != self.deciding);
        std::iter::once(self.deciding).chain(rest.filter(|&m| self.value(m, predictions, truth, None).is_some())).collect()
    }

    /// The deciding metric T of weighted rows with the pseudo-value of each of n units of them, T + (2 n - 1) (T - T(weight of the unit
    /// halved)): of a mean of n rows that is the value of the row.
    fn by_unit(&self, predictions: &Predictions, truth: &Target, mut weights: Vec<f64>, units: &[Vec<usize>]) -> (f64, Vec<f64>) {
        let whole = self.decide(predictions, truth, Some(&weights));
        if !whole.is_finite() {
            return (whole, Vec::new());
        }
        let one = |unit: &Vec<usize>| {
            unit.iter().for_each(|&i| weights[i] *= 0.5);
            let halved = self.decide(predictions, truth, Some(&weights));
            unit.iter().for_each(|&i| weights[i] *= 2.0);
            // Of a mean exactly the value of the unit.
            whole + (2.0 * units.len() as f64 - 1.0) * (whole - halved)
        };
        let values = units.iter().map(one).collect();
        (whole, values)
    }

    /// One metric; `None` where the predictions lack what it needs.
    fn value(&self, metric: Metric, p: &Predictions, truth: &Target, weights: Option<&[f64]>) -> Option<f64> {
        let has = match metric.needs() {
            Needs::Nothing => true,
            Needs::Probabilities => p.probabilities.is_some(),
            Needs::Ranking => p.probabilities.is_some() || p.scores.is_some(),
            Needs::Variance => p.variance.is_some(),
        };
        if !has {
            return None;
        }
        let value = match (metric.measure(), &p.values, truth) {
            (Measure::Classes(f), Predicted::Classes(found), Target::Classes { codes, names }) => f(&ClassRows {
                found,
                truth: codes,
                classes: names.len(),
                weights,
                probabilities: p.probabilities.as_ref(),
                ranking: if metric.needs() == Needs::Ranking { p.ranking(names.len()) } else { None }.as_deref(),
                positive: self.positive,
            }),
            (Measure::Numbers(f), Predicted::Numbers(found), Target::Numbers(y)) => {
                let (variance, noise, transformed) = (p.variance.as_ref(), p.noise.as_deref(), p.transformed.as_ref());
                f(&NumberRows { found, truth: y, weights, variance, noise, transformed })
            }
            _ => return None,
        };
        Some(match value {
            None => f64::NAN,
            // Predictions that are no numbers are as bad as can be; NaN says that the rows do not define the metric.
            Some(v) if v.is_nan() => metric.worst(),
            Some(v) => v,
        })
    }
}

/// That there is nothing to judge by.
pub(crate) fn without_target(asked: Option<Metric>) -> Error {
    let what = asked.map_or("a metric", Metric::name);
    Error::Setting { name: "metric".into(), why: format!("{what} judges predictions of a target, and there is none; leave it out") }
}

/// Of two classes that of the label 1 or true, else the one of less weight, the second where both have as much.
fn positive(target: &Target, weights: Option<&[f64]>) -> Option<usize> {
    let Target::Classes { codes, names } = target else { return None };
    let of = |class: usize| -> f64 { (0..codes.len()).filter(|&i| codes[i] == class).map(|i| weights.map_or(1.0, |w| w[i])).sum() };
    let labelled = names.iter().position(|name| matches!(name.to_lowercase().as_str(), "1" | "1.0" | "true"));
    (names.len() == 2).then(|| labelled.unwrap_or_else(|| usize::from(of(1) <= of(0))))
}

/// Every metric that the predictions allow, the one that decides by default first: see [`Scoring::score`].
pub fn score(predictions: &Predictions, truth: &Target, weights: Option<&[f64]>) -> Vec<(Metric, f64)> {
    score_by(predictions, truth, weights, Metric::usual(truth))
}

/// Every metric that the predictions allow, the deciding one first, the class whose F1 is taken determined from these rows alone:
/// see [`Scoring::score`].
pub fn score_by(predictions: &Predictions, truth: &Target, weights: Option<&[f64]>, deciding: Metric) -> Vec<(Metric, f64)> {
    if !matches!(
        (&predictions.values, truth),
        (Predicted::Classes(_), Target::Classes { .. }) | (Predicted::Numbers(_), Target::Numbers(_))
    ) {
        return Vec::new();
    }
    Scoring { deciding, positive: positive(truth, weights) }.score(predictions, truth, weights)
}

impl Metric {
    /// The metric of a name, in whatever case; the names that other libraries give it are understood.
    ///
    /// # Errors
    /// A name that no metric has, with the nearest.
    ///
    /// ```
    /// use mercer::metrics::Metric;
    /// assert_eq!(Metric::parse("Balanced accuracy")?, Metric::BalancedAccuracy);
    /// assert_eq!(Metric::parse("roc_auc")?, Metric::Auc);
    /// assert!(Metric::parse("acuracy").unwrap_err().to_string().contains("did you mean 'accuracy'?"));
    /// # Ok::<(), mercer::error::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Metric> {
        let name = text.trim().to_lowercase().replace([' ', '-'], "_").replace('²', "2");
        let known = |m: &Metric| m.name() == name || m.synonyms().contains(&name.as_str());
        Metric::ALL.iter().copied().find(known).ok_or_else(|| {
            let names = Metric::ALL.iter().map(|m| m.name().to_owned());
            // A slip in another library's name leads to ours.
            let others: Vec<String> = Metric::ALL.iter().flat_map(|m| m.synonyms()).map(|s| (*s).to_owned()).collect();
            let all: Vec<String> = names.collect();
            let meant =
                if nearest(&name, &all).is_none() { nearest(&name, &others).and_then(|other| Metric::parse(other).ok()) } else { None };
            match meant {
                Some(m) => Error::Setting {
                    name: "metric".into(),
                    why: format!("unknown metric '{text}' (did you mean '{}'?); there are: {}", m.name(), all.join(", ")),
                },
                None => Error::unknown("metric", text, all),
            }
        })
    }
}

#[cfg(test)]
mod tests;
