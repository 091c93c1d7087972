//! Predictions without a look at any input, which every comparison is held against.

use crate::control::Control;
use crate::data::{Dataset, Examples, Fold, Target};
use crate::error::Result;
use crate::estimators::{Baseline, Estimator, Fitted, Predictions, Query, Task, View, Want};

/// The constant prediction of so many rows, learnt from a target with its weights.
pub(super) fn guess(target: &Target, weights: Option<&[f64]>, rows: usize, control: &Control, seed: u64) -> Result<Predictions> {
    // It asks for numbers of rows alone.
    let table = |rows: usize| Dataset::with_rows(rows, Vec::new());
    let (known, new) = (table(target.rows())?, table(rows)?);
    let task = Task { view: View::Rows(&known), target, weights, control, seed };
    Baseline::default().fit(&task)?.predict(&Query::of(View::Rows(&new), Want::JUDGED, control))
}

/// The constant predictions of the held-out rows of each fold, learnt from its training rows.
pub(super) fn guesses(examples: &Examples<'_>, folds: &[Fold], control: &Control, seed: u64) -> Result<Vec<Predictions>> {
    let of = |fold: &Fold| {
        let weights: Option<Vec<f64>> = examples.weights.map(|w| fold.train.iter().map(|&i| w[i]).collect());
        guess(&examples.target.select(&fold.train), weights.as_deref(), fold.test.len(), control, seed)
    };
    folds.iter().map(of).collect()
}
