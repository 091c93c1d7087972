//! What the outputs of a generalised linear model stand for: numbers, the log odds of the second of two classes, or the logarithms of
//! the shares of several (up to a constant). Classes without a training row have the probability 0.

use super::{Predicted, Predictions, Task, Want};
use crate::data::Target;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::solve::losses::{Loss, Losses, sigmoid, softmax};
use serde::{Deserialize, Serialize};

/// From outputs to predictions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Link {
    /// Each output is a number: its constant is added, and it is in units of `scale`.
    Numbers {
        /// One number for all outputs.
        scale: f64,
    },
    /// Outputs are of the classes that have rows.
    Classes {
        /// Codes of the classes that have rows, ascending.
        present: Vec<usize>,
        /// Classes that have names.
        count: usize,
    },
}

/// The score of a class without rows lies so far below the others.
const BELOW: f64 = 50.0;

impl Link {
    /// The link and the losses of a task, whose sizes and numbers are checked.
    ///
    /// # Errors
    /// Fewer than two classes with rows; targets or weights that are not finite.
    pub(super) fn of(task: &Task<'_>, who: &str) -> Result<(Link, Losses)> {
        let checked = super::outputs::outputs(task, who)?;
        let n = task.rows();
        let weights: Vec<f64> = (0..n).map(|i| task.weight(i)).collect();
        let Target::Classes { codes, names } = task.target else {
            // Numbers of size 1 at most have squares, whatever their unit.
            let most = checked.data().iter().fold(0.0f64, |m, y| m.max(y.abs()));
            let scale = if most > 0.0 { most } else { 1.0 };
            let y = Matrix::from_fn(checked.cols(), n, |o, i| checked[(i, o)] / scale);
            return Ok((Link::Numbers { scale }, Losses::new(Loss::Squared, y, weights)?));
        };
        if let Some(i) = codes.iter().position(|k| *k >= names.len()) {
            return Err(Error::Data(format!("row {}: class code {} has no name", i + 1, codes[i])));
        }
        let present: Vec<usize> = (0..names.len()).filter(|k| codes.contains(k)).collect();
        let (loss, y) = match present.as_slice() {
            [] | [_] => {
                let found = present.first().map_or("there are no rows".into(), |&k| format!("every row is of class '{}'", names[k]));
                return Err(Error::Data(format!(
                    "{who} needs rows of at least two classes, and {found}; add rows of another class, or check the target column"
                )));
            }
            [_, second] => (Loss::Logistic, Matrix::from_fn(1, n, |_, i| f64::from(u8::from(codes[i] == *second)))),
            several => (Loss::Softmax, Matrix::from_fn(several.len(), n, |c, i| f64::from(u8::from(codes[i] == several[c])))),
        };
        Ok((Link::Classes { present, count: names.len() }, Losses::new(loss, y, weights)?))
    }

    /// The unit of the outputs.
    pub(super) fn scale(&self) -> f64 {
        if let Link::Numbers { scale } = self { *scale } else { 1.0 }
    }

    /// Classes that have names, where classes are predicted.
    pub(super) fn classes(&self) -> Option<usize> {
        if let Link::Classes { count, .. } = self { Some(*count) } else { None }
    }

    /// Predictions from outputs (M x C), which are in the units of the target.
    pub(super) fn predictions(&self, f: Matrix, want: Want) -> Result<Predictions> {
        let Link::Classes { present, count } = self else { return Ok(Predictions::of(Predicted::Numbers(f))) };
        Error::unless_equal("outputs of a classifier", if present.len() == 2 { 1 } else { present.len() }, f.cols())?;
        if let Some(&k) = present.iter().find(|k| *k >= count) {
            return Err(Error::Shape { what: "classes of a classifier".into(), expected: k + 1, found: *count });
        }
        let (mut codes, m) = (Vec::with_capacity(f.rows()), f.rows());
        let mut probabilities = Matrix::zeros(m, *count);
        let mut scores = Matrix::zeros(m, if *count == 2 { 1 } else { *count });
        let mut shares = vec![0.0; present.len()];
        for i in 0..m {
            let row = f.row(i);
            if let [odds] = row {
                shares.copy_from_slice(&[sigmoid(-odds), sigmoid(*odds)]);
            } else {
                shares.copy_from_slice(row);
                softmax(&mut shares);
            }
            let best = (1..shares.len()).fold(0, |best, c| if shares[c] > shares[best] { c } else { best });
            codes.push(present[best]);
            present.iter().zip(&shares).for_each(|(&k, p)| probabilities[(i, k)] = *p);
            match row {
                [odds] if *count == 2 => scores[(i, 0)] = *odds,
                row => {
                    let least = if let [odds] = row { -odds.abs() / 2.0 } else { row.iter().fold(f64::INFINITY, |m, v| m.min(*v)) };
                    scores.row_mut(i).fill(least - BELOW);
                    for (c, &k) in present.iter().enumerate() {
                        scores[(i, k)] = if let [odds] = row { (c as f64 - 0.5) * odds } else { row[c] };
                    }
                }
            }
        }
        let probabilities = want.probabilities.then_some(probabilities);
        Ok(Predictions { probabilities, scores: want.scores.then_some(scores), ..Predictions::of(Predicted::Classes(codes)) })
    }
}
