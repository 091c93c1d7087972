//! What a model answers by: how its answer changes where parts of a row are masked (occlusion; Zeiler & Fergus 2014): letters, words,
//! times of series, nodes and edges of graphs, subtrees, members of sets. It holds for every estimator and every kernel, in mixed tables
//! too. What a kind of column has of parts, and what it is without them, is said by [`Cells::parts`](crate::data::Cells::parts).

use super::Model;
use super::influences::overlap;
use crate::control::Control;
use crate::data::{Dataset, Part, Parts};
use crate::error::{Error, Result};
use crate::estimators::{Answer, Predicted, Predictions, Scores, Want};
use serde::Serialize;

/// Parts of a row that are named.
const STRONGEST: usize = 5;
/// Effects within this share of the answer are rounding.
pub(super) const ROUNDING: f64 = 1e-9;
/// Masked rows that are predicted together.
const AT_ONCE: usize = 512;

/// What effects are changes of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The decision value of a class.
    DecisionValue,
    /// The votes for a class.
    Votes,
    /// The probability of a class.
    Probability,
    /// The logarithm of a density.
    LogDensity,
    /// A predicted number.
    Prediction,
}

impl Measure {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Measure::DecisionValue => "decision value",
            Measure::Votes => "votes",
            Measure::Probability => "probability",
            Measure::LogDensity => "log density",
            Measure::Prediction => "prediction",
        }
    }
}

/// A part of a row, and how much it adds to the answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MaskedPart {
    /// Its content.
    pub text: String,
    /// Its place in the cell, in words; empty where the text says it.
    pub place: String,
    /// The number of its first unit, from 1.
    pub first: usize,
    /// The answer minus the answer with the part masked.
    pub effect: f64,
}

/// The effects of the parts of one cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// The column that holds it.
    pub column: String,
    /// Its smallest parts as they read: letters, words, times, nodes and edges, members.
    pub units: Vec<String>,
    /// The effect of each of them masked alone; of a node with its edges, and of a node of a tree with all below it.
    pub effects: Vec<f64>,
    /// The parts of most effect that do not overlap, in order of its size.
    pub strongest: Vec<MaskedPart>,
}

/// The answer for a row, and the parts of the row that it comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// What the effects add to: a class, or the name of the target.
    pub of: String,
    /// The answer, in words.
    pub answer: String,
    /// What [`Explanation::value`] is.
    pub measure: Measure,
    /// The decision value or the probability of that class, or the predicted number.
    pub value: f64,
    /// Each column whose cells have parts.
    pub columns: Vec<Explained>,
}

impl Model {
    /// Explains the answer for a row by the parts of its cells. `width`: letters, words or times that are masked together; 4 to 6 letters, 1
    /// word and a tenth of the times where it is not given.
    ///
    /// # Errors
    /// A model that reads no column whose cells have parts, or that gives no number for each class; bounds of `control`.
    pub fn explain(&self, data: &Dataset, row: usize, width: Option<usize>, control: &Control) -> Result<Explanation> {
        let parted = self.parted()?;
        let data = self.prep.schema.align(data)?;
        let one = data.select(&[row]);
        let (predictions, outputs) = self.answers(&one, control)?;
        let output = match &predictions.values {
            Predicted::Classes(codes) => codes[0],
            Predicted::Numbers(_) => 0,
        };
        let value = outputs[output][0];
        let answer = match &predictions.values {
            Predicted::Classes(codes) => self.answer.labels(codes).swap_remove(0),
            Predicted::Numbers(_) => value.to_string(),
        };
        let mut columns = Vec::new();
        for column in parted {
            let values = &data.columns()[column].values;
            let effects = |parts: &[Part]| -> Result<Vec<f64>> {
                let without = self.without(&one, column, parts, control)?;
                Ok(without.get(output).into_iter().flatten().map(|without| value - without).collect())
            };
            let Parts { units, parts, .. } = values.parts(row, width);
            let alone = values.parts(row, Some(1)).parts;
            let together = effects(&parts)?;
            let each = if alone == parts { together.clone() } else { effects(&alone)? };
            let mut of_units = vec![0.0; units.len()];
            alone.iter().zip(each).for_each(|(part, effect)| of_units[part.units[0]] = effect);
            let strongest = strongest(&parts, &together, ROUNDING * value.abs());
            columns.push(Explained { column: data.columns()[column].name.clone(), units, effects: of_units, strongest });
        }
        Ok(Explanation { of: self.name_of(output), answer, measure: self.measure(&predictions), value, columns })
    }

    /// The places of those columns that the model reads whose cells have parts.
    pub(super) fn parted(&self) -> Result<Vec<usize>> {
        let columns = &self.prep.schema.columns;
        let parted: Vec<usize> = (0..columns.len()).filter(|&c| columns[c].holds.kind().has_parts()).collect();
        if parted.is_empty() {
            let why = "the model reads no column with parts that could be masked, as sequences, texts, series, graphs, trees and sets have";
            return Err(Error::Data(why.into()));
        }
        Ok(parted)
    }

    /// Predictions of some rows, and the numbers that effects are changes of: one list for each class or number.
    pub(super) fn answers(&self, data: &Dataset, control: &Control) -> Result<(Predictions, Vec<Vec<f64>>)> {
        let has_scores = self.estimator.gives().scores != Scores::None;
        let predictions = self.predict(data, Want { scores: has_scores, probabilities: !has_scores, ..Want::default() }, control)?;
        let outputs = self.outputs(&predictions)?;
        Ok((predictions, outputs))
    }

    /// What effects are changes of.
    pub(super) fn measure(&self, predictions: &Predictions) -> Measure {
        match (&predictions.values, &predictions.scores) {
            (Predicted::Numbers(_), _) if self.answer == Answer::LogDensity => Measure::LogDensity,
            (Predicted::Numbers(_), _) if self.answer == Answer::Novelty => Measure::DecisionValue,
            (Predicted::Numbers(_), _) => Measure::Prediction,
            (_, Some(_)) if self.estimator.gives().scores == Scores::Votes => Measure::Votes,
            (_, Some(_)) => Measure::DecisionValue,
            (_, None) => Measure::Probability,
        }
    }

    /// One number for each row and class, or each row and number predicted: decision values, or probabilities where there are none.
    pub(crate) fn outputs(&self, predictions: &Predictions) -> Result<Vec<Vec<f64>>> {
        let classes = match &self.answer {
            Answer::Classes { classes, .. } => classes.len(),
            _ => 0,
        };
        let by_column =
            |m: &crate::linalg::Matrix| (0..m.cols()).map(|o| (0..m.rows()).map(|i| m[(i, o)]).collect()).collect::<Vec<Vec<f64>>>();
        match (&predictions.values, predictions.scores.as_ref().or(predictions.probabilities.as_ref())) {
            (Predicted::Numbers(numbers), _) => Ok(by_column(numbers)),
            (_, Some(scores)) if classes == 2 && scores.cols() == 1 => {
                let second = by_column(scores).swap_remove(0);
                Ok(vec![second.iter().map(|s| -s).collect(), second])
            }
            (_, Some(scores)) if !predictions.pairs.is_empty() => {
                // Of pairs, the sum of a class's margins over all others.
                let mut sums = vec![vec![0.0; scores.rows()]; classes];
                for (o, &(a, b)) in predictions.pairs.iter().enumerate() {
                    for i in 0..scores.rows() {
                        sums[b][i] += scores[(i, o)];
                        sums[a][i] -= scores[(i, o)];
                    }
                }
                Ok(sums)
            }
            (_, Some(scores)) => Ok(by_column(scores)),
            (Predicted::Classes(_), None) => Err(Error::Data(format!(
                "{} gives neither decision values nor probabilities that masked parts could change",
                self.estimator.name()
            ))),
        }
    }

    pub(super) fn name_of(&self, output: usize) -> String {
        match &self.answer {
            Answer::Classes { classes, .. } => classes.get(output).cloned().unwrap_or_default(),
            other => other.columns().get(output).cloned().unwrap_or_default(),
        }
    }

    /// The outputs for one row with each of some parts of one of its cells masked.
    pub(super) fn without(&self, one: &Dataset, column: usize, parts: &[Part], control: &Control) -> Result<Vec<Vec<f64>>> {
        let mut all: Vec<Vec<f64>> = Vec::new();
        for parts in parts.chunks(AT_ONCE) {
            let mut columns = one.select(&vec![0; parts.len()]).into_columns();
            columns[column].values = one.columns()[column]
                .values
                .masked(0, parts)
                .ok_or_else(|| Error::Data(format!("column '{}' has no parts that could be masked", one.columns()[column].name)))?;
            let (_, outputs) = self.answers(&Dataset::new(columns)?, control)?;
            all.resize_with(outputs.len(), Vec::new);
            all.iter_mut().zip(outputs).for_each(|(all, new)| all.extend(new));
        }
        Ok(all)
    }
}

/// The parts of most effect that do not overlap; effects up to `least` are none.
fn strongest(parts: &[Part], effects: &[f64], least: f64) -> Vec<MaskedPart> {
    let mut order: Vec<usize> = (0..parts.len()).filter(|k| effects[*k].abs() > least).collect();
    order.sort_by(|a, b| effects[*b].abs().total_cmp(&effects[*a].abs()).then(a.cmp(b)));
    let mut kept: Vec<usize> = Vec::new();
    for k in order {
        if kept.len() < STRONGEST && kept.iter().all(|other| !overlap(&parts[*other].units, &parts[k].units)) {
            kept.push(k);
        }
    }
    let part = |k: usize| {
        let Part { units, text, place, .. } = parts[k].clone();
        MaskedPart { text, place, first: units[0] + 1, effect: effects[k] }
    };
    kept.into_iter().map(part).collect()
}
