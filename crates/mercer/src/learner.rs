//! A learner is the recipe: preparation, kernel, estimator. A model is what it leaves: everything prediction needs.

use crate::blocks;
use crate::control::Control;
use crate::data::{Dataset, Examples, Split, Target};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Fitted, FittedModel, Predicted, Predictions, Summary, Task, Want};
use crate::fitting::{Used, cannot_predict, fit_bound, plan, predict_settled, prepare, require_mercer, rows_leave_the_kernel, support_of, zero_norm_rows};
use crate::gram::Mercer;
use crate::kernels::KernelExpr;
use crate::prep;
use crate::read::TargetInfo;
use crate::select::{self, Tuning};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Instant;

/// The recipe of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learner {
    /// How columns become inputs.
    pub prep: prep::Recipe,
    /// The kernel; `None`: made from the column types.
    pub kernel: Option<KernelExpr>,
    /// The estimator.
    pub estimator: EstimatorExpr,
    /// Seed of anything random.
    pub seed: u64,
    /// Fit although the kernel is not positive semi-definite and the estimator needs one that is.
    pub allow_non_mercer: bool,
}

impl Learner {
    /// The learner of an estimator with everything else at its default.
    pub fn new(estimator: EstimatorExpr) -> Self {
        Learner { prep: prep::Recipe::default(), kernel: None, estimator, seed: 0, allow_non_mercer: false }
    }
}

/// Where a model came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Version of Mercer that fitted it.
    pub version: String,
    /// Training rows, without those left out.
    pub rows: usize,
    /// The kernel expression as asked for, before anything was settled.
    pub asked_kernel: String,
    /// The estimator expression as asked for.
    pub asked_estimator: String,
    /// Seed.
    pub seed: u64,
    /// What tuning did, if anything was left to choose.
    pub tuning: Option<Tuning>,
    /// What the user was told.
    pub notices: Vec<String>,
    /// Rows that were given and not learnt from: of weight 0, or with a missing cell where such rows are dropped; from 0,
    /// ascending.
    #[serde(with = "blocks::usizes")]
    pub left_out: Vec<usize>,
}

/// A fitted model: predicts from a table with the same columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// How columns become inputs, and which columns a table must have.
    pub prep: prep::Fitted,
    /// The settled kernel.
    pub kernel: KernelExpr,
    /// The settled estimator.
    pub estimator: EstimatorExpr,
    /// The prepared training rows that prediction needs.
    pub support: Dataset,
    /// The fitted coefficients.
    pub fitted: FittedModel,
    /// Names of targets and classes.
    pub target: TargetInfo,
    /// Where it came from.
    pub about: About,
}

impl Learner {
    /// Prepares, tunes what is left open, fits, and keeps the rows that prediction needs.
    ///
    /// `data`: N rows without the target; `target`: N; `weights`: N or none.
    pub fn fit(&self, data: &Dataset, target: &Target, info: &TargetInfo, weights: Option<&[f64]>, control: &Control) -> Result<Model> {
        self.fit_timed(data, target, info, weights, &Split::Rows, control).map(|(model, _)| model)
    }

    /// The same, with the seconds that tuning and the last fit took; the folds of tuning respect `split`.
    pub fn fit_timed(
        &self,
        data: &Dataset,
        target: &Target,
        info: &TargetInfo,
        weights: Option<&[f64]>,
        split: &Split,
        control: &Control,
    ) -> Result<(Model, (f64, f64))> {
        let used = Used::of(&self.prep, data, target, weights)?;
        let left_out = used.left_out(data.rows());
        let data = if left_out.is_empty() { Cow::Borrowed(data) } else { Cow::Owned(data.select(&used.rows)) };
        let (target, split) = (target.select(&used.rows), split.select(&used.rows));
        let weights: Option<Vec<f64>> = weights.map(|w| used.rows.iter().map(|&i| w[i]).collect());
        let prepared = prepare(&self.prep, self.kernel.as_ref(), &data)?;
        if !self.estimator.takes(&target) {
            return Err(cannot_predict(&self.estimator, &target));
        }
        let open = prepared.kernel.settle(&prepared.data)?;
        if self.estimator.needs_mercer() && !self.allow_non_mercer {
            // As it was asked for: a search may go to the ends of its ranges.
            require_mercer(&prepared.kernel, &self.estimator, &prepared.data, control)?;
        }
        plan(&self.estimator, data.rows(), &target, control)?;
        let mut notices = used.notices;
        notices.extend(prepared.notices);
        let mut bound = open.bind_within(None, &prepared.data, control)?;
        if open.mercer() == Mercer::Always {
            notices.extend(zero_norm_rows(bound.as_ref(), &used.rows));
        }
        let sample = Examples { data: &prepared.data, target: &target, weights: weights.as_deref(), split: &split };
        let clock = Instant::now();
        // Half of the time is kept for the fit itself.
        let tuned = select::tune(&prepared.kernel, &self.estimator, &sample, &control.share(0.5), self.seed, true)?;
        let tune_seconds = clock.elapsed().as_secs_f64();
        let stopped = control.enough.is_cancelled();
        if tuned.late {
            notices.push(
                "time was up before any setting could be judged: the starting values are fitted; allow more max_seconds (--max-seconds)"
                    .into(),
            );
        }
        if stopped {
            if tuned.tuning.is_none() {
                // There is no best so far.
                return Err(Error::Cancelled);
            }
            notices.push("the search was stopped on request: the best setting found by then is fitted".into());
        }
        let clock = Instant::now();
        let last = control.last_step();
        plan(&tuned.estimator, data.rows(), &target, &last)?;
        last.check()?;
        if tuned.kernel != open {
            drop(bound);
            bound = tuned.kernel.bind_within(None, &prepared.data, &last)?;
        }
        let fitted = fit_bound(bound.as_ref(), &tuned.estimator, &sample, &last, self.seed)?;
        if control.enough.is_cancelled() && !stopped && !fitted.summary().converged {
            notices.push("the fit was stopped on request: its certificate says how good it is".into());
        }
        let fit_seconds = clock.elapsed().as_secs_f64();
        let asked_kernel = prepared.kernel.to_string();
        // Where prediction needs every row, the rows are kept and not copied.
        let every = fitted.support().len() == data.rows();
        let support = if every { prepared.data } else { support_of(&tuned.kernel, &fitted, &prepared.data) };
        let model = Model {
            prep: prepared.prep,
            kernel: tuned.kernel,
            estimator: tuned.estimator,
            support,
            fitted,
            target: info.clone(),
            about: About {
                version: env!("CARGO_PKG_VERSION").into(),
                rows: data.rows(),
                asked_kernel,
                asked_estimator: self.estimator.to_string(),
                seed: self.seed,
                tuning: tuned.tuning,
                notices,
                left_out,
            },
        };
        Ok((model, (tune_seconds, fit_seconds)))
    }
}

impl Model {
    /// Predictions for every row of a table that has the training columns, in any order.
    pub fn predict(&self, data: &Dataset, want: Want, control: &Control) -> Result<Predictions> {
        control.check()?;
        let prepared = self.prep.apply(data)?;
        self.predict_prepared(&prepared, want, control)
    }

    /// Predictions for each row that was learnt from by the model fitted without it, from the target and the weights as they
    /// were given; `None` where there is no closed form, as for a kernel that takes something from all training rows.
    pub fn leave_one_out(&self, target: &Target, weights: Option<&[f64]>, control: &Control) -> Result<Option<Predictions>> {
        if self.support.rows() != self.about.rows || !rows_leave_the_kernel(&self.kernel, &self.estimator) {
            return Ok(None);
        }
        let mut rows: Vec<usize> = (0..target.rows()).collect();
        rows.retain(|i| self.about.left_out.binary_search(i).is_err());
        Error::unless_equal("rows of the target that were learnt from", self.about.rows, rows.len())?;
        let target = target.select(&rows);
        let weights: Option<Vec<f64>> = weights.map(|w| rows.iter().filter_map(|&i| w.get(i).copied()).collect());
        let bound = self.kernel.bind_within(None, &self.support, control)?;
        let task = Task { gram: bound.as_ref(), target: &target, weights: weights.as_deref(), control, seed: self.about.seed };
        self.estimator.leave_one_out(&task)
    }

    /// Predictions for rows that are prepared already.
    pub fn predict_prepared(&self, prepared: &Dataset, want: Want, control: &Control) -> Result<Predictions> {
        predict_settled(&self.kernel, &self.fitted, &self.support, prepared, want, control)
    }

    /// An error unless the parts fit together: asked of every model that comes from a file.
    pub(crate) fn check(&self, control: &Control) -> Result<()> {
        let rows = self.fitted.support().len();
        let whole = self.kernel.is_anchored() && self.fitted.support().iter().all(|i| *i < self.support.rows());
        if rows != self.support.rows() && !whole {
            return Err(Error::Shape { what: "support rows".into(), expected: rows, found: self.support.rows() });
        }
        let classes = self.target.classes.as_ref().map(Vec::len);
        if self.fitted.classes() != classes {
            let (expected, found) = (classes.unwrap_or(0), self.fitted.classes().unwrap_or(0));
            return Err(Error::Shape { what: "classes of the model".into(), expected, found });
        }
        if rows > 0 {
            self.kernel.bind_within(None, &self.support, control)?;
        }
        // A prediction for no row meets every check of sizes that a prediction for many does.
        let everything = Want { variance: true, covariance: true, probabilities: true, scores: true };
        match self.predict_prepared(&self.support.select(&[]), everything, control)?.values {
            Predicted::Numbers(m) if m.cols() != self.target.names.len() => {
                Err(Error::Shape { what: "outputs of the model".into(), expected: self.target.names.len(), found: m.cols() })
            }
            _ => Ok(()),
        }
    }

    /// The training rows that prediction needs, numbered from 0 as they were given, rows left out counted.
    pub fn support_rows(&self) -> Vec<usize> {
        let mut skipped = 0;
        let place = |&kept: &usize| {
            while self.about.left_out.get(skipped).is_some_and(|&gap| gap <= kept + skipped) {
                skipped += 1;
            }
            kept + skipped
        };
        self.fitted.support().iter().map(place).collect()
    }

    /// How the fit went.
    pub fn summary(&self) -> &Summary {
        self.fitted.summary()
    }

    /// The label of each predicted class; `None` for numbers.
    pub fn labels(&self, predictions: &Predictions) -> Option<Vec<String>> {
        match &predictions.values {
            Predicted::Classes(codes) => Some(codes.iter().map(|&k| self.target.class(k).to_owned()).collect()),
            Predicted::Numbers(_) => None,
        }
    }
}
