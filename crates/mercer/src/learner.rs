//! A learner is the recipe: preparation, kernel, estimator. A model is what it leaves: everything prediction needs.

use crate::blocks;
use crate::control::Control;
use crate::data::{Dataset, Sort, Target};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Fitted, FittedModel, Predicted, Predictions, Query, Summary, Task, Want};
use crate::gram::{self, Dense, Gram, Mercer, Side};
use crate::kernels::{KernelExpr, Uses};
use crate::param::Value;
use crate::prep;
use crate::read::TargetInfo;
use crate::select::{self, Split, Tuning};
use crate::validity;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Instant;

/// Rows on which an unproved kernel is tested before it is refused: enough for a witness, cheap to decompose.
const WITNESS_ROWS: usize = 200;

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

/// Data ready for kernels, with what was done to get there.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The prepared training rows.
    pub data: Dataset,
    /// The steps, fitted on these rows.
    pub prep: prep::Fitted,
    /// The kernel expression, not yet settled.
    pub kernel: KernelExpr,
    /// What the user should know.
    pub notices: Vec<String>,
}

/// Chooses the kernel where none is given, decides how category columns are coded, and fits the preparation.
pub fn prepare(recipe: &prep::Recipe, kernel: Option<&KernelExpr>, data: &Dataset) -> Result<Prepared> {
    if data.rows() == 0 {
        return Err(Error::Data("there are no rows to learn from".into()));
    }
    let sorts: Vec<(&str, Sort)> = data.columns().iter().map(|c| (c.name.as_str(), c.values.sort())).collect();
    let kernel = match kernel {
        Some(k) => k.clone(),
        None => KernelExpr::natural(&sorts)?,
    };
    let Uses { one_hot, as_is, not_scaled, unused } = kernel.uses(&sorts)?;
    let (prep, mut notices) = recipe.fit_keeping(data, &one_hot, &as_is)?;
    if recipe.standardise {
        notices.extend(not_scaled.iter().map(|name| {
            format!(
                "column '{name}' is not standardised: one of the kernels in {kernel} takes it as it is, and it is the same column for all"
            )
        }));
    }
    notices.extend(unused.iter().map(|name| format!("column '{name}' is not used by the kernel {kernel}")));
    Ok(Prepared { data: prep.apply(data)?, prep, kernel, notices })
}

/// Refuses a kernel that is not positive semi-definite, with rows and weights that prove it where some are found.
pub fn require_mercer(kernel: &KernelExpr, estimator: &EstimatorExpr, data: &Dataset, control: &Control) -> Result<()> {
    let why = match kernel.mercer() {
        Mercer::Always => return Ok(()),
        Mercer::Conditional(why) | Mercer::Never(why) => why,
    };
    let rows: Vec<usize> = (0..data.rows().min(WITNESS_ROWS)).collect();
    let some = data.select(&rows);
    let check = validity::test(kernel, &some, control)?;
    let proof = match &check.witness {
        Some(w) => {
            let rows: Vec<String> = w.rows.iter().take(3).map(|i| (i + 1).to_string()).collect();
            let more = if w.rows.len() > rows.len() { ", ..." } else { "" };
            format!(
                "; on the first {} rows the Gram matrix has the eigenvalue {} (rows {}{more} prove it: see mercer check)",
                some.rows(),
                Value::Number(check.smallest).rounded(4),
                rows.join(", ")
            )
        }
        None => String::new(),
    };
    Err(Error::NotMercer { estimator: estimator.name().into(), kernel: kernel.to_string(), why: format!("{why}{proof}") })
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

/// The rows of a table that are learnt from.
#[derive(Clone, Debug, PartialEq)]
pub struct Used {
    /// Their numbers from 0, ascending.
    pub rows: Vec<usize>,
    /// What the user should know of the others.
    pub notices: Vec<String>,
}

impl Used {
    /// All rows but those of weight 0, which are absent rows, and those that the preparation drops for a missing cell.
    ///
    /// # Errors
    /// A target or weights of another length; a weight below 0 or not finite; what [`prep::Recipe::rows_kept`] refuses; no
    /// row left.
    pub fn of(recipe: &prep::Recipe, data: &Dataset, target: &Target, weights: Option<&[f64]>) -> Result<Self> {
        let n = data.rows();
        if target.rows() != n {
            return Err(Error::Shape { what: "rows of the target".into(), expected: n, found: target.rows() });
        }
        if let Some(w) = weights {
            if w.len() != n {
                return Err(Error::Shape { what: "sample weights".into(), expected: n, found: w.len() });
            }
            if let Some(i) = w.iter().position(|x| !(x.is_finite() && *x >= 0.0)) {
                return Err(Error::Data(format!("row {}: the weight {} is not a finite number of 0 or above", i + 1, w[i])));
            }
        }
        let prep::Kept { rows, notices } = recipe.rows_kept(data)?;
        let mut rows = rows.unwrap_or_else(|| (0..n).collect());
        if let Some(w) = weights {
            rows.retain(|&i| w[i] > 0.0);
            if rows.is_empty() && n > 0 {
                return Err(Error::Data("every row has weight 0".into()));
            }
        }
        Ok(Used { rows, notices })
    }

    /// The rows out of `given` that are not learnt from.
    fn left_out(&self, given: usize) -> Vec<usize> {
        let mut used = self.rows.iter().peekable();
        (0..given).filter(|i| used.next_if_eq(&i).is_none()).collect()
    }
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
            require_mercer(&open, &self.estimator, &prepared.data, control)?;
        }
        plan(&self.estimator, data.rows(), &target, control)?;
        let mut notices = used.notices;
        notices.extend(prepared.notices);
        let mut bound = open.bind_within(None, &prepared.data, control)?;
        if open.mercer() == Mercer::Always {
            notices.extend(unlike_anything(bound.as_ref(), &used.rows));
        }
        let sample = select::Sample { data: &prepared.data, target: &target, weights: weights.as_deref(), split: &split };
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

/// The refusal of a target that the estimator is not made for, with those that are.
pub fn cannot_predict(estimator: &EstimatorExpr, target: &Target) -> Error {
    let holds = match target {
        Target::Classes { .. } => "classes",
        Target::Numbers(m) if m.cols() > 1 => "several numbers at once",
        _ => "numbers",
    };
    let able: Vec<&str> = EstimatorExpr::all_for(target).iter().flatten().map(EstimatorExpr::name).collect();
    Error::Setting {
        name: estimator.name().into(),
        why: format!("it cannot predict {holds}, which the target holds; these can: {}", able.join(", ")),
    }
}

/// Refuses a fit to `rows` rows that would need more memory than allowed.
pub fn plan(estimator: &EstimatorExpr, rows: usize, target: &Target, control: &Control) -> Result<()> {
    control.plan(&format!("fitting {} to {rows} rows", estimator.name()), estimator.bytes(rows, outputs(target)))
}

/// Numbers that are predicted for each row: one per target, or one per class.
pub(crate) fn outputs(target: &Target) -> usize {
    match target {
        Target::Numbers(m) => m.cols(),
        Target::Classes { names, .. } => names.len(),
        Target::Absent => 1,
    }
}

/// A notice of rows with k(x, x) = 0, such as empty texts: a Mercer kernel finds nothing like them, themselves included.
/// Rows are counted as the user gave them, those that were left out included.
fn unlike_anything(gram: &dyn Gram, given: &[usize]) -> Option<String> {
    let diagonal = gram.diagonal(Side::Rows);
    let empty: Vec<usize> = (0..diagonal.len()).filter(|&i| diagonal[i] == 0.0).collect();
    empty.first().map(|&i| match empty.len() {
        1 => format!("row {} has k(x, x) = 0: for this kernel it is like nothing, itself included", given[i] + 1),
        n => format!(
            "{n} rows have k(x, x) = 0: for this kernel they are like nothing, themselves included; the first is row {}",
            given[i] + 1
        ),
    })
}

/// Fits settled parameters on prepared rows. The Gram matrix is formed once where the plan allows it and the estimator
/// would form it anyway; otherwise the estimator asks for rows.
pub fn fit_settled(
    kernel: &KernelExpr,
    estimator: &EstimatorExpr,
    sample: &select::Sample<'_>,
    control: &Control,
    seed: u64,
) -> Result<FittedModel> {
    // Before a kernel prepares its inputs.
    plan(estimator, sample.data.rows(), sample.target, control)?;
    control.check()?;
    fit_bound(kernel.bind_within(None, sample.data, control)?.as_ref(), estimator, sample, control, seed)
}

/// The same on kernel values among the rows of the sample that are bound already.
fn fit_bound(gram: &dyn Gram, estimator: &EstimatorExpr, sample: &select::Sample<'_>, control: &Control, seed: u64) -> Result<FittedModel> {
    let task = Task { gram, target: sample.target, weights: sample.weights, control, seed };
    estimator.settle(&task)?.fit(&task)
}

/// The training rows that prediction needs: those that the fit kept, or all of them where the kernel is anchored.
pub fn support_of(kernel: &KernelExpr, fitted: &FittedModel, data: &Dataset) -> Dataset {
    if kernel.is_anchored() && !fitted.support().is_empty() { data.clone() } else { data.select(fitted.support()) }
}

/// Predictions for prepared rows from the rows that the fit kept (all training rows where the kernel is anchored); a model
/// that kept none needs no kernel.
pub fn predict_settled(
    kernel: &KernelExpr,
    fitted: &FittedModel,
    support: &Dataset,
    new: &Dataset,
    want: Want,
    control: &Control,
) -> Result<Predictions> {
    if support.rows() == 0 {
        let none = Dense::cross(crate::linalg::Matrix::zeros(new.rows(), 0), vec![0.0; new.rows()], Vec::new())?;
        return fitted.predict(&Query::new(&none, want, control));
    }
    let bound = kernel.bind_within(Some(new), support, control)?;
    let all: Vec<usize> = (0..new.rows()).collect();
    let subset = kernel.is_anchored().then(|| gram::Subset::new(bound.as_ref(), &all, fitted.support()));
    let cross: &dyn Gram = subset.as_ref().map_or(bound.as_ref() as &dyn Gram, |s| s);
    if want.covariance && !kernel.is_anchored() {
        let among = kernel.bind_within(None, new, control)?;
        return fitted.predict(&Query::new(&gram::Joint { cross, among: among.as_ref() }, want, control));
    }
    fitted.predict(&Query::new(cross, want, control))
}

impl Model {
    /// Predictions for every row of a table that has the training columns, in any order.
    pub fn predict(&self, data: &Dataset, want: Want, control: &Control) -> Result<Predictions> {
        control.check()?;
        let prepared = self.prep.apply(data)?;
        self.predict_prepared(&prepared, want, control)
    }

    /// Predictions for each row that was learnt from by the model fitted without it, from the target and the weights as they
    /// were given; `None` where there is no closed form.
    pub fn leave_one_out(&self, target: &Target, weights: Option<&[f64]>, control: &Control) -> Result<Option<Predictions>> {
        if self.support.rows() != self.about.rows {
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
