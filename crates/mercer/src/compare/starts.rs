//! Whether a fit depends on where it starts: what "convex" means to a user, measured.

use crate::control::Control;
use crate::data::some_rows_of;
use crate::error::Result;
use crate::estimators::{EstimatorExpr, FitContext, Fitted, FittedModel, OwnedView, Predicted, Query, Task, View, ViewKind, Want};
use crate::fitting::{read_rows, size_of};
use crate::gram::Dense;
use crate::learner::Model;
use crate::linalg::Matrix;
use crate::param::Value;
use crate::trial::limits::{FEWEST_STARTS_ROWS, STARTS_ROWS, STARTS_WORK};
use crate::trial::{Arena, largest};
use serde::Serialize;
use std::sync::Arc;

/// The tolerance of solvers there.
const TIGHT: f64 = 1e-8;
/// The other start is the solution for a penalty so many times as large, or, of a method without one, for rows of which every other
/// weighs so many times as much.
const AWAY: f64 = 10.0;
/// Predictions from two starts that differ by no more than this share of the largest are the same.
pub const SAME: f64 = 1e-5;

/// Where fits from two starts ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Starts {
    /// There are no steps, and hence no start.
    ClosedForm,
    /// Steps begin at one place whatever is known: two fits have the same bits, which says nothing.
    Fixed,
    /// Predictions of the two fits differ by this share of the largest.
    Apart(f64),
}

impl Starts {
    /// Of a model of the rows of an arena, from some of these: one fit from nothing, and one with another seed from the solution of another
    /// problem. `None` where the kernel cannot be had for a part of the rows.
    pub(super) fn of(model: &Model, arena: &Arena<'_>, control: &Control) -> Result<Option<Starts>> {
        let (fitted, examples) = (model.fitted.uncalibrated(), &arena.examples);
        if model.summary().iterations == 0 && fitted.steps().iter().all(|s| *s == 0) {
            return Ok(Some(Starts::ClosedForm));
        }
        if model.kernel.expr().needs_training_rows() {
            return Ok(None);
        }
        let mut used: Vec<usize> = (0..examples.rows()).collect();
        used.retain(|i| model.about.left_out.binary_search(i).is_err() && examples.weights.is_none_or(|w| w[*i] > 0.0));
        let seed = model.about.seed;
        let size = size_of(model.kernel.expr(), examples.data, examples.target);
        let most = largest(STARTS_ROWS, |n| n <= FEWEST_STARTS_ROWS || model.estimator.costs(size.at(n)).work(size) <= STARTS_WORK);
        let chosen = some_rows_of(&examples.target.select(&used), most, seed);
        let rows: Vec<usize> = chosen.into_iter().map(|k| used[k]).collect();
        let part = examples.select(&rows);
        let kind = model.estimator.needs().view();
        let known = match kind {
            ViewKind::Values => arena.sharing_among(&rows).and_then(|sharing| sharing.known(model.kernel.expr())),
            _ => None,
        };
        let data;
        let reading = match known {
            Some(known) => OwnedView::Values(known.matrix(control)?),
            None => {
                data = model.prep.apply(&part.data)?;
                match read_rows(&model.kernel, kind, &data, control)? {
                    // Several fits read the values of so few rows.
                    OwnedView::Values(gram) => OwnedView::Values(Arc::new(Dense::of(gram.as_ref(), control)?)),
                    other => other,
                }
            }
        };
        let task = Task { view: reading.view(), target: &part.target, weights: part.weights.as_deref(), control, seed };
        // Of several starts the best end would hide what one start leads to.
        let estimator = tightened(model.estimator.without_probabilities().with_one_start())?;
        let mut other = estimator.clone();
        let start = match estimator.values().into_iter().find(|own| own.param.search.is_some()) {
            Some(own) => {
                other.set(&own.path, &Value::Number(AWAY * own.value.number()))?;
                other.fit(&task)?
            }
            None => {
                let weights: Vec<f64> = (0..rows.len()).map(|i| task.weight(i) * if i % 2 == 0 { AWAY } else { 1.0 }).collect();
                other.fit(&Task { weights: Some(&weights), ..task })?
            }
        };
        let all: Vec<usize> = (0..rows.len()).collect();
        let one = values(&estimator.fit(&task)?, task.view, &all, control)?;
        let warm = estimator.fit_with(&Task { seed: seed + 1, ..task }, &FitContext::from_earlier(&start))?.fitted;
        let two = values(&warm, task.view, &all, control)?;
        if control.out_of_time() {
            // Fits that were cut short say nothing of where they would have ended.
            return Ok(None);
        }
        let largest = one.data().iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        let apart = one.data().iter().zip(two.data()).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        Ok(Some(if one == two { Starts::Fixed } else { Starts::Apart(apart / largest) }))
    }
}

/// An estimator whose solver comes close to its solution.
fn tightened(mut estimator: EstimatorExpr) -> Result<EstimatorExpr> {
    for own in estimator.values() {
        if own.path == "tolerance" && own.value.number() > TIGHT {
            estimator.set(&own.path, &Value::Number(TIGHT))?;
        }
    }
    Ok(estimator)
}

/// The predictions of a fit for its own rows, as numbers.
fn values(fitted: &FittedModel, view: View<'_>, all: &[usize], control: &Control) -> Result<Matrix> {
    let part = view.part(all, fitted.support());
    let found = fitted.predict(&Query::of(part.view(), Want { scores: true, probabilities: true, ..Want::default() }, control))?;
    Ok(match (found.scores.or(found.probabilities), found.values) {
        (Some(scores), _) => scores,
        (None, Predicted::Numbers(numbers)) => numbers,
        (None, Predicted::Classes(codes)) => Matrix::column(codes.into_iter().map(|k| k as f64).collect()),
    })
}
