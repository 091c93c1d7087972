//! Tuning: settling what is `auto` or a range, by the estimator's own criterion or by cross-validation.

use super::fixed_terms::FixedTerms;
use super::free::{Free, Setting};
use super::profile::{Curve, TunedParameter};
use super::search::{Aim, Search};
use crate::control::Control;
use crate::data::{Dataset, Examples};
use crate::error::{Error, Result};
use crate::estimators::{Criterion, CriterionName, CriterionSort, EstimatorExpr, Near, Task};
use crate::fitting;
use crate::kernels::KernelExpr;
use crate::metrics::{Metric, Scoring};
use crate::notice::Notice;
use crate::validity::require_symmetric;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// What a search minimises or maximises.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TunedBy {
    /// A metric of held-out rows.
    CrossValidation {
        /// The metric.
        metric: Metric,
        /// Folds that are scored.
        scored: usize,
        /// Folds that the rows are in.
        folds: usize,
    },
    /// A smooth criterion of the estimator's own.
    OfEstimator {
        /// Its name.
        name: String,
        /// Its sort.
        sort: CriterionSort,
    },
    /// Components above those of tables of shuffled columns.
    AboveChance {
        /// These tables.
        tables: usize,
    },
}

impl TunedBy {
    pub(super) fn named(criterion: CriterionName) -> Self {
        TunedBy::OfEstimator { name: criterion.name.to_owned(), sort: criterion.sort }
    }

    /// Without the number of folds: for an axis.
    pub fn label(&self) -> String {
        match self {
            TunedBy::CrossValidation { metric, scored, folds } if scored == folds => metric.name().to_owned(),
            TunedBy::CrossValidation { metric, scored, folds } => format!("{} ({scored} of {folds} folds)", metric.name()),
            TunedBy::OfEstimator { name, .. } => name.clone(),
            TunedBy::AboveChance { tables } => format!("components above chance in {tables} tables of shuffled columns"),
        }
    }
}

impl Display for TunedBy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TunedBy::CrossValidation { scored, folds, .. } if scored == folds => write!(f, "{folds}-fold cross-validated {}", self.label()),
            TunedBy::CrossValidation { .. } => write!(f, "cross-validated {}", self.label()),
            TunedBy::OfEstimator { .. } | TunedBy::AboveChance { .. } => f.write_str(&self.label()),
        }
    }
}

/// The result of tuning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    /// The objective that was minimised or maximised.
    pub criterion: TunedBy,
    /// Whether more of it is better.
    pub rises: bool,
    /// Its value at the choice; `None` where no setting could be fitted on every fold and the start was taken.
    pub value: Option<f64>,
    /// The worst value tied with it: within one standard error of the folds or of the left-out rows, or within one unit
    /// of log evidence.
    pub same: Option<f64>,
    /// How often it was computed, on all samples together.
    pub evaluations: usize,
    /// Whether the search ended by itself and not at the end of its time.
    pub complete: bool,
    /// Rows that the choice was made on.
    pub rows: usize,
    /// The results for each tuned parameter.
    pub parameters: Vec<TunedParameter>,
}

/// Settled parameters.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The settled kernel.
    pub kernel: KernelExpr,
    /// The settled estimator.
    pub estimator: EstimatorExpr,
    /// The tuning result; `None` where nothing was open, and where nothing could be scored in time.
    pub tuning: Option<Tuning>,
    /// Whether time was up before any setting was judged, so that the start was taken.
    pub late: bool,
    /// What chose the number of clusters, where that was open; why there was no search.
    pub notice: Option<Notice>,
}

/// Settles everything that is open in a kernel and an estimator on prepared rows. With `curves`, the losses
/// along each parameter are reported too; the choice does not depend on it.
pub fn tune(
    kernel: &KernelExpr,
    estimator: &EstimatorExpr,
    examples: &Examples<'_>,
    control: &Control,
    seed: u64,
    curves: bool,
) -> Result<Tuned> {
    let aim = Aim { scoring: Scoring::of(examples.target, examples.weights, None)?, within_noise: false };
    let mut search = Search::new(kernel, estimator, examples, None, aim, control, seed)?;
    // Some time is kept to look along the parameters.
    search.run(&if curves { control.share(0.8) } else { control.clone() })?;
    search.finish(curves, examples.data, control)
}

/// Evaluations on each side of the optimum of each parameter; those that are one of many columns do not count.
pub(super) fn steps(free: &[Free]) -> usize {
    match free.iter().filter(|f| !f.is_element()).count() {
        0..=3 => 3,
        4..=6 => 2,
        _ => 1,
    }
}

/// The tuning result of each parameter; names shared by several parameters are made unique by their position.
pub(super) fn learnt(
    free: &[Free],
    x: &[f64],
    curves: &[Curve],
    told: &dyn Fn(f64) -> f64,
    best: &Setting,
    data: &Dataset,
) -> Result<Vec<TunedParameter>> {
    let mut all = Vec::new();
    // A choice stands in the expression.
    for ((f, x), curve) in free.iter().zip(x).zip(curves).filter(|((f, _), _)| !f.is_choice()) {
        let names = if f.is_element() { best.kernel.columns_at(f.path(), data)? } else { Vec::new() };
        all.push(f.learnt(*x, curve, told, &names));
    }
    let twice = |p: &TunedParameter| all.iter().any(|q| q.name == p.name && q.path != p.path);
    let ambiguous: Vec<bool> = all.iter().map(twice).collect();
    for (p, _) in all.iter_mut().zip(ambiguous).filter(|(_, twice)| *twice) {
        let place: Vec<String> = p.path.split('.').map_while(|s| s.parse::<usize>().ok()).map(|k| (k + 1).to_string()).collect();
        p.name = if place.is_empty() { format!("{} of the whole", p.name) } else { format!("{} (part {})", p.name, place.join(".")) };
    }
    Ok(all)
}

/// The smooth criterion where the free numbers of a setting have these coordinates, by which it has a slope.
pub(super) struct At {
    /// Infinite where the numbers break down: a corner of a search is then as bad as can be, and not its end.
    pub value: f64,
    pub indifference: f64,
    /// One for each coordinate.
    pub slopes: Vec<f64>,
}

/// What one value of the criterion leaves for the next, on the same rows.
#[derive(Default)]
pub(super) struct Left {
    /// Where it ended.
    end: Option<Near>,
    /// The terms of the kernel that no setting changes.
    pub(super) fixed: FixedTerms,
}

impl Left {
    /// Before the first value.
    pub(super) fn before(start: &Setting, free: &[Free], examples: &Examples<'_>) -> Left {
        Left { end: None, fixed: FixedTerms::of(start, free, examples.data) }
    }

    /// Has the next value choose its rows again.
    pub(super) fn choose_again(&mut self) {
        self.end = None;
    }
}

/// See [`At`]; the memory of the weights is kept by `control` for the next call.
pub(super) fn criterion_at(
    x: &[f64],
    start: &Setting,
    free: &[Free],
    examples: &Examples<'_>,
    control: &Control,
    seed: u64,
    left: &mut Left,
) -> Result<At> {
    let setting = start.with(free, x)?;
    let (criterion, by_kernel) = match criterion_near(&setting.kernel, &setting.estimator, examples, control, seed, left) {
        Ok(found) => found,
        Err(Error::Numerical { .. }) => return Ok(At { value: f64::INFINITY, indifference: 0.0, slopes: vec![0.0; x.len()] }),
        Err(other) => return Err(other),
    };
    control.keep(criterion.weights.into_data());
    let slopes = free.iter().zip(x).map(|(f, x)| f.slope(*x, &by_kernel, &criterion.own)).collect();
    Ok(At { value: criterion.value, indifference: criterion.indifference, slopes })
}

/// The smooth criterion of an estimator with a kernel, both settled, and its derivatives by the numbers of the kernel in
/// the order of [`KernelExpr::values`].
pub fn criterion(
    kernel: &KernelExpr,
    estimator: &EstimatorExpr,
    examples: &Examples<'_>,
    control: &Control,
    seed: u64,
) -> Result<(Criterion, Vec<f64>)> {
    require_symmetric(kernel, estimator.name(), estimator.needs(), examples.data)?;
    criterion_near(kernel, estimator, examples, control, seed, &mut Left::default())
}

/// The smooth criterion and its derivatives within a search, warm-started from its previous evaluation in `left`.
fn criterion_near(
    kernel: &KernelExpr,
    estimator: &EstimatorExpr,
    examples: &Examples<'_>,
    control: &Control,
    seed: u64,
    left: &mut Left,
) -> Result<(Criterion, Vec<f64>)> {
    let among = |kernel: &KernelExpr| Ok([kernel.learn(examples.data, examples.weights, control)?.gram(examples.data, control)?]);
    let [bound] = left.fixed.grams(0, kernel, control, among)?;
    let kind = estimator.needs().view();
    let named = fitting::named_rows(kind, kernel, examples.data)?;
    let task = Task {
        view: fitting::view_of(kind, bound.as_ref(), named.as_deref()),
        target: examples.target,
        weights: examples.weights,
        control,
        seed,
    };
    let (criterion, end) = estimator.criterion_near(&task, left.end.as_ref())?;
    left.end = end;
    let by_kernel = bound.gradient(&criterion.weights, control)?;
    Ok((criterion, left.fixed.in_place(by_kernel)))
}
