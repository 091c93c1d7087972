//! A grid of settings on given folds: each setting is fitted to the training rows of each fold and predicts the others.
//!
//! Kernel values among all rows are computed once for each kernel and serve every fold. Along the estimators of a kernel each
//! fit starts from the one before where the method can, so that they are best given by rising penalty.

use crate::control::Control;
use crate::data::{Examples, Fold, Split, Target};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Fit, FitContext, Fitted, FittedModel, HoldOut, Predictions, Query, Task, View, Want, WarmStart};
use crate::facts;
use crate::fitting::{self, Relearnt};
use crate::gram::{Dense, Subset};
use crate::kernels::KernelExpr;
use rayon::prelude::*;
use std::time::Instant;

/// Kernel values of all rows take no more than this share of the memory that can be had.
const SHARE: u64 = 4;

/// A kernel and the estimators that go with it, everything settled.
#[derive(Clone, Debug)]
pub struct Strip {
    /// The kernel.
    pub kernel: KernelExpr,
    /// The estimators, in the order in which they are fitted.
    pub estimators: Vec<EstimatorExpr>,
}

/// The result of one setting on one fold.
#[derive(Debug)]
pub struct Cell {
    /// What it predicts for the rows that are scored; an error where it cannot be fitted.
    pub predictions: Result<Predictions>,
    /// Whether the fit met its tolerance.
    pub converged: bool,
    /// Seconds that the fit took, kernel values that serve other fits too left out.
    pub fitting: f64,
    /// Seconds that the prediction took.
    pub predicting: f64,
}

/// The cells of a grid: strips x folds x estimators of the strip.
pub type Cells = Vec<Vec<Vec<Cell>>>;

/// Computes every cell. Rows are taken as they are: nothing is standardised, filled or searched.
///
/// # Errors
/// Rows of a fold that there are not; an end that was asked for; time or memory that is not enough. A failure of one setting
/// is reported in its cells.
pub fn grid(strips: &[Strip], examples: &Examples<'_>, folds: &[Fold], want: Want, control: &Control, seed: u64) -> Result<Cells> {
    let n = examples.rows();
    let all = || folds.iter().flat_map(|f| f.train.iter().chain(&f.test));
    if let Some(row) = all().find(|&&i| i >= n) {
        return Err(Error::Shape { what: "rows of the folds".into(), expected: n, found: row + 1 });
    }
    let sides: Vec<Side<'_>> = folds.iter().map(|fold| Side::new(examples, fold)).collect();
    let quiet = Control { progress: None, ..control.clone() };
    let most = control.allowed() / SHARE / (8 * (n * n).max(1)) as u64;
    let together = usize::try_from(most).unwrap_or(usize::MAX).clamp(1, rayon::current_num_threads());
    let mut cells = Vec::with_capacity(strips.len());
    for some in strips.chunks(together) {
        control.tell("settings of a grid", cells.len(), strips.len());
        let made = some.par_iter().map(|strip| strip.cells(examples, &sides, most > 0, want, &quiet, seed));
        cells.extend(made.collect::<Result<Vec<_>>>()?);
    }
    Ok(cells)
}

/// A fold with the targets and weights of its training rows.
struct Side<'a> {
    fold: &'a Fold,
    target: Target,
    weights: Option<Vec<f64>>,
    /// Weights of all rows, 0 for those that are not trained on.
    among_all: Vec<f64>,
}

impl<'a> Side<'a> {
    fn new(examples: &Examples<'_>, fold: &'a Fold) -> Self {
        let weights = examples.weights.map(|w| fold.train.iter().map(|&i| w[i]).collect());
        let mut among_all = vec![0.0; examples.rows()];
        // A row that stands twice counts twice.
        fold.train.iter().for_each(|&i| among_all[i] += examples.weights.map_or(1.0, |w| w[i]));
        Side { fold, target: examples.target.select(&fold.train), weights, among_all }
    }
}

impl Strip {
    /// Folds x estimators.
    fn cells(
        &self,
        examples: &Examples<'_>,
        sides: &[Side<'_>],
        shared: bool,
        want: Want,
        control: &Control,
        seed: u64,
    ) -> Result<Vec<Vec<Cell>>> {
        // What a kernel takes from its training rows differs from fold to fold, and kernel values are no features.
        let reads_features = self.estimators.iter().any(|e| !e.needs().reads_values());
        if !shared || self.kernel.learns() || reads_features {
            return sides.par_iter().map(|side| self.apart(examples, side, want, control, seed)).collect();
        }
        let gram = Dense::of(self.kernel.bind_within(None, examples.data, control)?.as_ref(), control)?;
        let cells = sides.par_iter().map(|side| self.along(&gram, examples, side, want, control, seed)).collect();
        control.keep(gram.into_matrix().into_data());
        cells
    }

    /// The cells of one fold from kernel values that are there: of all rows where the methods skip rows of weight 0, so that
    /// nothing is copied.
    fn along(&self, gram: &Dense, examples: &Examples<'_>, side: &Side<'_>, want: Want, control: &Control, seed: u64) -> Result<Vec<Cell>> {
        let fold = side.fold;
        let mut earlier = None;
        if self.estimators.iter().all(|e| e.facts().skips_zero_weights) {
            let task = Task { view: View::Values(gram), target: examples.target, weights: Some(&side.among_all), control, seed };
            let anew = |model: &FittedModel| model.predict(&Query::new(&Subset::new(gram, &fold.test, model.support()), want, control));
            // A row that is trained on too has its value like the others.
            let predict =
                |model: &FittedModel, trace: &WarmStart| model.predict_left_out(trace, &fold.test, want).map_or_else(|| anew(model), Ok);
            return self.estimators.iter().map(|e| cell(e, &task, HoldOut::by(&Split::Rows), &mut earlier, &predict)).collect();
        }
        let split = match self.estimators.iter().any(|e| e.holds_out(&side.target)) {
            true => facts::each_once(&examples.data.select(&fold.train), &side.target),
            false => Split::Rows,
        };
        let among = Dense::of(&Subset::new(gram, &fold.train, &fold.train), control)?;
        let task = Task { view: View::Values(&among), target: &side.target, weights: side.weights.as_deref(), control, seed };
        let predict = |model: &FittedModel, _: &WarmStart| {
            let rows: Vec<usize> = model.support().iter().map(|&s| fold.train[s]).collect();
            model.predict(&Query::new(&Subset::new(gram, &fold.test, &rows), want, control))
        };
        let cells = self.estimators.iter().map(|e| cell(e, &task, HoldOut::by(&split), &mut earlier, &predict)).collect();
        control.keep(among.into_matrix().into_data());
        cells
    }

    /// The cells of one fold from kernel values computed for this fold separately.
    fn apart(&self, examples: &Examples<'_>, side: &Side<'_>, want: Want, control: &Control, seed: u64) -> Result<Vec<Cell>> {
        let (train, test) = (examples.data.select(&side.fold.train), examples.data.select(&side.fold.test));
        let learnt = Examples { data: &train, target: &side.target, weights: side.weights.as_deref(), split: &Split::Rows };
        let kernel = self.kernel.learn(learnt.data, learnt.weights, control)?;
        let bound = kernel.gram(learnt.data, control)?;
        let named = kernel.expr().only_names_columns().then(|| kernel.expr().named_table(learnt.data)).transpose()?;
        let predict = |model: &FittedModel, _: &WarmStart| fitting::predict_from(&kernel, model, &train, &test, want, control);
        let split = fitting::held_out_by(&self.estimators, &learnt);
        let mut earlier = None;
        let of = |e: &EstimatorExpr| {
            let reads = e.needs().view();
            let task = Task {
                view: fitting::view_of(reads, bound.as_ref(), named.as_deref()),
                target: learnt.target,
                weights: learnt.weights,
                control,
                seed,
            };
            let relearnt = Relearnt { kernel: kernel.expr(), reads, rows: &train, sharing: None };
            cell(e, &task, HoldOut { split: &split, kernel: relearnt.where_felt(e) }, &mut earlier, &predict)
        };
        self.estimators.iter().map(of).collect()
    }
}

/// One fit, from the one before, and its predictions.
fn cell(
    estimator: &EstimatorExpr,
    task: &Task<'_>,
    hold: HoldOut<'_>,
    earlier: &mut Option<Fit<FittedModel>>,
    predict: &dyn Fn(&FittedModel, &WarmStart) -> Result<Predictions>,
) -> Result<Cell> {
    task.control.check()?;
    let begin = Instant::now();
    let before = earlier.as_ref();
    let context = FitContext { earlier: before.map(|fit| &fit.fitted), warm: before.map(|fit| &fit.warm), ..FitContext::holding(hold) };
    let fit = match estimator.fit_with(task, &context) {
        Err(e) if e.ends_all() => return Err(e),
        Err(e) => return Ok(Cell { predictions: Err(e), converged: false, fitting: begin.elapsed().as_secs_f64(), predicting: 0.0 }),
        Ok(fit) => fit,
    };
    if task.control.out_of_time() {
        // Solvers were cut short: such a cell says nothing of its setting.
        return Err(Error::Time { what: "a grid of settings".into() });
    }
    let fitting = begin.elapsed().as_secs_f64();
    let predictions = predict(&fit.fitted, &fit.warm)?;
    let predicting = begin.elapsed().as_secs_f64() - fitting;
    let converged = fit.fitted.summary().converged;
    *earlier = Some(fit);
    Ok(Cell { predictions: Ok(predictions), converged, fitting, predicting })
}
