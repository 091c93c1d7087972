//! What stands side by side: every estimator under the common kernel, or one that has the features which it reads; and beside those that
//! find length scales by a gradient themselves once more, with one length scale for each column of numbers.

use super::Comparing;
use super::advice::numbers_of;
use crate::data::{Dataset, Sample, Target, Values};
use crate::error::Result;
use crate::estimators::{EstimatorExpr, Needs};
use crate::fitting::{self, Prepared};
use crate::kernels::{Composed, KernelExpr};
use serde::{Deserialize, Serialize};

/// Numbers in a row up to which one length scale for each is tried: the search has as many more parameters.
pub(super) const MOST_SCALES: usize = 10;
/// Rows for each length scale, at least: fewer do not determine ten scales.
const ROWS_FOR_SCALE: usize = 10;

/// Estimators whose criterion has its derivatives by all scales for the price of a few values; others reach less under such a kernel (lab400:
/// gp .053, ridge .054, l2vm .055, rbf_network .057, nadaraya_watson .115) and take longer.
const FINDS_SCALES: [&str; 2] = ["gp", "ridge"];

/// An estimator with the kernel that it is fitted under.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Entrant {
    pub estimator: EstimatorExpr,
    pub kernel: KernelExpr,
    /// Whether the kernel has one length scale for each column, and that of the others does not.
    pub own_scales: bool,
}

/// The estimators of a comparison where none are named: all that read kernel values, each kind of model once; beside them, where no kernel is asked for, the linear
/// machines, if rows are stored by the few numbers that are not 0, as texts by the counts of their words, or have as many numbers as there
/// are rows.
///
/// # Errors
/// None that a user brings about.
pub fn usual(data: &Dataset, target: &Target, kernel: Option<&KernelExpr>) -> Result<Vec<EstimatorExpr>> {
    let (numbers, sparse) = numbers_of(data);
    let has_texts = data.columns().iter().any(|c| matches!(c.values, Values::Texts(_)));
    let is_long = kernel.is_none() && (sparse || has_texts || (numbers > 0 && numbers >= data.rows()));
    let enters = |e: &EstimatorExpr| e.is_usual() || (is_long && e.needs() == Needs::Features);
    Ok(EstimatorExpr::all_for(target)?.into_iter().filter(enters).collect())
}

/// Whether any estimator reads kernel values.
pub(super) fn asks_for_values(comparing: &Comparing) -> bool {
    comparing.estimators.iter().any(|e| e.looks_at_inputs() && e.needs().reads_values())
}

/// The rows of a comparison, prepared for most of its estimators.
pub(super) fn prepared_for(comparing: &Comparing, raw: &Sample) -> Result<Prepared> {
    // The narrowest need of those that read features, where all do.
    let readers = || comparing.estimators.iter().filter(|e| !e.needs().reads_values());
    let narrowest = readers().find(|e| e.needs() == Needs::Coordinates).or_else(|| readers().next());
    let (kernel, weights) = (comparing.kernel.as_ref(), raw.weights.as_deref());
    match narrowest.filter(|_| !asks_for_values(comparing)) {
        Some(reader) => fitting::prepare_to_fit(&comparing.prep, kernel, reader, &raw.data, weights),
        None => fitting::prepare_weighed(&comparing.prep, kernel, &raw.data, weights),
    }
}

/// Everything that is compared, in the order of the table. `nonnegative`: the kernel of estimators that take no negative values.
pub(super) fn entrants(comparing: &Comparing, whole: &Prepared, nonnegative: &KernelExpr) -> Vec<Entrant> {
    let common = |estimator: &EstimatorExpr| Entrant {
        estimator: estimator.clone(),
        kernel: match estimator.needs() {
            Needs::NonNegative => nonnegative.clone(),
            _ => fitting::kernel_beside(estimator, comparing.kernel.as_ref(), whole),
        },
        own_scales: false,
    };
    let mut all: Vec<Entrant> = comparing.estimators.iter().map(common).collect();
    if let Some(kernel) = own_scales(comparing, whole) {
        let finds = |e: &&Entrant| e.kernel == whole.kernel && FINDS_SCALES.contains(&e.estimator.untransformed().name());
        let beside: Vec<Entrant> =
            all.iter().filter(finds).map(|e| Entrant { kernel: kernel.clone(), own_scales: true, ..e.clone() }).collect();
        all.extend(beside);
    }
    all
}

/// The common kernel with one length scale for each column of numbers, where it was made of the columns, and rows and columns allow it.
fn own_scales(comparing: &Comparing, whole: &Prepared) -> Option<KernelExpr> {
    let numbers = whole.data.columns().iter().filter(|c| matches!(c.values, Values::Numbers(_))).count();
    let suits = (2..=MOST_SCALES).contains(&numbers) && whole.data.rows() >= ROWS_FOR_SCALE * numbers;
    if !suits || !comparing.own_scales || comparing.kernel.is_some() {
        return None;
    }
    let ard = KernelExpr::parse("rbf(ard=true)").ok()?;
    Some(over_numbers(&whole.kernel, &ard)).filter(|kernel| *kernel != whole.kernel)
}

/// The kernel with another one over the numbers.
pub(super) fn over_numbers(natural: &KernelExpr, other: &KernelExpr) -> KernelExpr {
    match natural {
        KernelExpr::Rbf(_) => other.clone(),
        KernelExpr::Sum(sum) => {
            KernelExpr::Sum(Composed { how: sum.how.clone(), of: sum.of.iter().map(|k| over_numbers(k, other)).collect() })
        }
        same => same.clone(),
    }
}

/// The name of an estimator in the table, other than that of the same one under the common kernel.
pub(crate) fn label(estimator: &str, own_scales: bool) -> String {
    if own_scales { format!("{estimator} ARD") } else { estimator.to_owned() }
}
