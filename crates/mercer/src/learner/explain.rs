//! What a model has seen in a sequence or a text: how its answer changes where some letters or words are masked (occlusion; Zeiler & Fergus
//! 2014). It holds for every estimator and every kernel, in mixed tables too.

use super::Model;
use crate::control::Control;
use crate::data::{Dataset, Strings, Values, even_rows};
use crate::error::{Error, Result};
use crate::estimators::{Answer, Predicted, Predictions, Want};
use crate::kernels::MASKED;
use serde::Serialize;
use std::collections::HashMap;
use unicode_segmentation::UnicodeSegmentation;

/// Rows whose substrings are masked at most, spread evenly over the table.
const ROWS: usize = 200;
/// Letters of a sequence that are masked together, unless asked otherwise: the core of a binding site.
const LETTERS: usize = 6;
/// Stretches of a row that are named.
const STRONGEST: usize = 5;

/// A part of a string, and how much it adds to the answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stretch {
    /// Its letters.
    pub text: String,
    /// The number of its first letter or word in the string, from 1.
    pub first: usize,
    /// The answer less that with the stretch masked.
    pub effect: f64,
}

/// The effects of the letters or words of one string.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// The column that holds it.
    pub column: String,
    /// Its letters, or its words.
    pub units: Vec<String>,
    /// The effect of each by itself.
    pub effects: Vec<f64>,
    /// The stretches of most effect that do not overlap, in order of their size.
    pub strongest: Vec<Stretch>,
}

/// The answer for a row, and what in its strings it comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// What the effects add to: a class, or the name of the target.
    pub of: String,
    /// The answer, in words.
    pub answer: String,
    /// The decision value of that class, or the predicted number.
    pub value: f64,
    /// Each column of sequences or texts.
    pub columns: Vec<Explained>,
}

/// A substring and its effect over the rows of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SubstringEffect {
    /// The column.
    pub column: String,
    /// Its letters, or its words.
    pub text: String,
    /// How often it was masked.
    pub times: usize,
    /// Its mean effect.
    pub mean: f64,
}

/// The substrings of most effect on one output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Influences {
    /// What the effects add to: a class, or the name of the target.
    pub of: String,
    /// By the size of the sum of their effects, largest first.
    pub substrings: Vec<SubstringEffect>,
    /// Rows whose strings were masked.
    pub rows: usize,
}

impl Model {
    /// Explains the answer for a row by its strings; `width` letters or words are masked together, 6 and 1 if not given.
    ///
    /// # Errors
    /// A model that reads no sequence or text, or that gives no number for each class; bounds of `control`.
    pub fn explain(&self, data: &Dataset, row: usize, width: Option<usize>, control: &Control) -> Result<Explanation> {
        let one = data.select(&[row]);
        let predictions = self.predict(&one, Want { scores: true, ..Want::default() }, control)?;
        let output = match &predictions.values {
            Predicted::Classes(codes) => codes[0],
            Predicted::Numbers(_) => 0,
        };
        let value = self.outputs(&predictions)?.swap_remove(output)[0];
        let answer = match &predictions.values {
            Predicted::Classes(codes) => self.answer.labels(codes).swap_remove(0),
            Predicted::Numbers(_) => value.to_string(),
        };
        let mut columns = Vec::new();
        for column in self.strings_of(data)? {
            let units = units(data, column, row);
            let effects = self.effects(&one, column, &units, 1, output, value, control)?;
            let width = width.unwrap_or(usual_width(data, column)).min(units.len().max(1));
            let together = self.effects(&one, column, &units, width, output, value, control)?;
            let strongest = strongest(&units, &together, width);
            columns.push(Explained { column: data.columns()[column].name.clone(), units, effects, strongest });
        }
        Ok(Explanation { of: self.name_of(output), answer, value, columns })
    }

    /// The substrings that the answers for the rows of a table come from, for each class, or for the number; of two classes, for the second.
    ///
    /// # Errors
    /// As [`Model::explain`].
    pub fn influences(&self, data: &Dataset, width: Option<usize>, control: &Control) -> Result<Vec<Influences>> {
        let columns = self.strings_of(data)?;
        let rows = even_rows(data.rows(), ROWS);
        let all = self.outputs(&self.predict(&data.select(&rows), Want { scores: true, ..Want::default() }, control)?)?;
        let mut sums: Vec<HashMap<(usize, String), (usize, f64)>> = vec![HashMap::new(); all.len()];
        for (k, &row) in rows.iter().enumerate() {
            control.check()?;
            let one = data.select(&[row]);
            for &column in &columns {
                let units = units(data, column, row);
                let width = width.unwrap_or(usual_width(data, column)).min(units.len().max(1));
                let masked = self.masked(&one, column, &units, width, control)?;
                for (sums, (whole, masked)) in sums.iter_mut().zip(all.iter().zip(&masked)) {
                    for (stretch, without) in units.windows(width).zip(masked) {
                        let sum = sums.entry((column, joined(stretch))).or_default();
                        *sum = (sum.0 + 1, sum.1 + whole[k] - without);
                    }
                }
            }
        }
        let outputs = sums.into_iter().enumerate().skip(usize::from(all.len() == 2));
        Ok(outputs
            .map(|(output, sums)| {
                let mut substrings: Vec<SubstringEffect> = sums
                    .into_iter()
                    .map(|((column, text), (times, sum))| SubstringEffect {
                        column: data.columns()[column].name.clone(),
                        text,
                        times,
                        mean: sum / times as f64,
                    })
                    .collect();
                let size = |s: &SubstringEffect| s.mean.abs() * s.times as f64;
                substrings.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| (&a.column, &a.text).cmp(&(&b.column, &b.text))));
                Influences { of: self.name_of(output), substrings, rows: rows.len() }
            })
            .collect())
    }

    /// The columns of sequences and texts that the model reads.
    fn strings_of(&self, data: &Dataset) -> Result<Vec<usize>> {
        let read = |name: &str| self.prep.schema.columns.iter().any(|c| c.name == name);
        let of_strings = |values: &Values| matches!(values, Values::Sequences(_) | Values::Texts(_));
        let found: Vec<usize> =
            (0..data.columns().len()).filter(|&c| of_strings(&data.columns()[c].values) && read(&data.columns()[c].name)).collect();
        if found.is_empty() {
            return Err(Error::Data("the model reads no column of sequences or texts, whose letters and words could be masked".into()));
        }
        Ok(found)
    }

    /// One number for each row and class, or each row and number predicted.
    pub(crate) fn outputs(&self, predictions: &Predictions) -> Result<Vec<Vec<f64>>> {
        let classes = match &self.answer {
            Answer::Classes { classes, .. } => classes.len(),
            _ => 0,
        };
        let by_column =
            |m: &crate::linalg::Matrix| (0..m.cols()).map(|o| (0..m.rows()).map(|i| m[(i, o)]).collect()).collect::<Vec<Vec<f64>>>();
        match (&predictions.values, &predictions.scores) {
            (Predicted::Numbers(numbers), _) => Ok(by_column(numbers)),
            (_, Some(scores)) if classes == 2 => {
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
                "{} gives no decision values that masked letters could change; explain a model of svc, ridge or gp",
                self.estimator.name()
            ))),
        }
    }

    fn name_of(&self, output: usize) -> String {
        match &self.answer {
            Answer::Classes { classes, .. } => classes.get(output).cloned().unwrap_or_default(),
            other => other.columns().get(output).cloned().unwrap_or_default(),
        }
    }

    /// All outputs with each stretch of `width` units masked.
    fn masked(&self, one: &Dataset, column: usize, units: &[String], width: usize, control: &Control) -> Result<Vec<Vec<f64>>> {
        let places = (units.len() + 1).saturating_sub(width);
        let masked: Vec<String> = (0..places)
            .map(|at| {
                units
                    .iter()
                    .enumerate()
                    .map(|(k, unit)| if (at..at + width).contains(&k) { MASKED.to_string() } else { unit.clone() })
                    .collect()
            })
            .collect();
        let mut columns = one.select(&vec![0; places]).columns().to_vec();
        columns[column].values = match &columns[column].values {
            Values::Texts(_) => Values::Texts(Strings::new(masked)),
            _ => Values::Sequences(Strings::new(masked)),
        };
        self.outputs(&self.predict(&Dataset::new(columns)?, Want { scores: true, ..Want::default() }, control)?)
    }

    #[expect(clippy::too_many_arguments, reason = "one call for letters and one for stretches")]
    fn effects(
        &self,
        one: &Dataset,
        column: usize,
        units: &[String],
        width: usize,
        output: usize,
        value: f64,
        control: &Control,
    ) -> Result<Vec<f64>> {
        Ok(self.masked(one, column, units, width, control)?.swap_remove(output).into_iter().map(|without| value - without).collect())
    }
}

/// The letters of a sequence; the words of a text with what follows each.
fn units(data: &Dataset, column: usize, row: usize) -> Vec<String> {
    match &data.columns()[column].values {
        Values::Sequences(strings) => strings.get(row).chars().map(String::from).collect(),
        Values::Texts(strings) => {
            let text = strings.get(row);
            let mut starts: Vec<usize> = text.unicode_word_indices().map(|(at, _)| at).collect();
            if let Some(first) = starts.first_mut() {
                *first = 0;
            }
            let ends = starts.iter().skip(1).copied().chain([text.len()]);
            starts.iter().zip(ends).map(|(from, to)| text[*from..to].to_owned()).collect()
        }
        _ => Vec::new(),
    }
}

fn usual_width(data: &Dataset, column: usize) -> usize {
    if matches!(data.columns()[column].values, Values::Texts(_)) { 1 } else { LETTERS }
}

fn joined(units: &[String]) -> String {
    units.concat().trim().to_owned()
}

/// The stretches of most effect that do not overlap.
fn strongest(units: &[String], effects: &[f64], width: usize) -> Vec<Stretch> {
    let mut order: Vec<usize> = (0..effects.len()).filter(|k| effects[*k] != 0.0).collect();
    order.sort_by(|a, b| effects[*b].abs().total_cmp(&effects[*a].abs()).then(a.cmp(b)));
    let mut kept: Vec<usize> = Vec::new();
    for at in order {
        if kept.len() < STRONGEST && kept.iter().all(|other| at.abs_diff(*other) >= width) {
            kept.push(at);
        }
    }
    kept.into_iter().map(|at| Stretch { text: joined(&units[at..at + width]), first: at + 1, effect: effects[at] }).collect()
}
