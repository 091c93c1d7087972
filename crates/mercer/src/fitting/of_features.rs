//! Fits and predictions that read features or cells of rows and no kernel value.

use super::{Prepared, kinds_of, prepare_weighed, with_strings};
use crate::control::Control;
use crate::data::{ColumnKind, Dataset};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Fitted, FittedModel, Needs, Predictions, Query, RowNotice, View, ViewKind, Want};
use crate::kernels::{FittedKernel, Identical, KernelExpr};
use crate::prep;

/// Prepares rows for a fit of an estimator as [`prepare_weighed`] does: one that reads features has a kernel of its own where none is given, and one of a density takes
/// columns in their units.
///
/// # Errors
/// Those of [`prepare_weighed`]; columns without the features that are read.
pub fn prepare_to_fit(
    recipe: &prep::Recipe,
    kernel: Option<&KernelExpr>,
    estimator: &EstimatorExpr,
    data: &Dataset,
    weights: Option<&[f64]>,
) -> Result<Prepared> {
    let needs = estimator.needs();
    let in_units = prep::Recipe { standardise: false, ..recipe.clone() };
    let recipe = if estimator.facts().takes_columns_as_they_are { &in_units } else { recipe };
    if kernel.is_some() || needs.reads_values() {
        return prepare_weighed(recipe, kernel, data, weights);
    }
    let kinds = kinds_of(data);
    if estimator.facts().reads_labels_as_strings {
        let labels: Vec<String> =
            kinds.iter().filter(|(_, kind)| *kind == ColumnKind::Category).map(|(name, _)| (*name).to_owned()).collect();
        let data = with_strings(data, &labels)?;
        return prepare_weighed(recipe, natural_kernel(needs, &kinds_of(&data)).as_ref(), &data, weights);
    }
    let kernel = natural_kernel(needs, &kinds).ok_or_else(|| {
        Error::Data(format!(
            "{} reads columns of {}, and the table has none",
            estimator.name(),
            match needs {
                Needs::Features => "numbers, labels, texts or graphs",
                Needs::Vectors => "sets of vectors",
                _ => "numbers",
            }
        ))
    })?;
    prepare_weighed(recipe, Some(&kernel), data, weights)
}

/// The kernel of such columns that has what an estimator reads; `None` where no column has.
pub(crate) fn natural_kernel(needs: Needs, kinds: &[(&str, ColumnKind)]) -> Option<KernelExpr> {
    match needs {
        Needs::Rows => Some(KernelExpr::Identical(Identical::default())),
        Needs::Vectors => KernelExpr::natural_vectors(kinds),
        _ => KernelExpr::natural_features(kinds, needs == Needs::Features),
    }
}

/// The kernel of an estimator in a comparison on prepared rows: that of all others, or where none was given and it reads features, one
/// that has them. Labels have features only where they were prepared as indicators: then the refusal says what to do.
pub(crate) fn kernel_beside(estimator: &EstimatorExpr, given: Option<&KernelExpr>, whole: &Prepared) -> KernelExpr {
    let (needs, kinds) = (estimator.needs(), kinds_of(&whole.data));
    let has_labels = kinds.iter().any(|(_, kind)| *kind == ColumnKind::Category);
    let takes_its_own = match needs {
        Needs::Rows => !whole.kernel.only_names_columns(),
        Needs::Vectors => given.is_none() && !whole.kernel.compares_vectors(),
        Needs::Features | Needs::Coordinates => given.is_none() && !has_labels,
        _ => false,
    };
    let own = takes_its_own.then(|| natural_kernel(needs, &kinds)).flatten();
    own.unwrap_or_else(|| whole.kernel.clone())
}

/// Refuses a kernel without the features or coordinates that the estimator reads.
pub(super) fn require_features(kernel: &KernelExpr, estimator: &EstimatorExpr, data: &Dataset) -> Result<()> {
    let dense = || kernel.rank(data).is_some();
    let why = match estimator.needs() {
        Needs::Features if !dense() && kernel.stored(data).is_none() => {
            format!(
                "reads the features of rows, and {kernel} has none written out; leave the kernel out, or take linear, tfidf for texts, \
                 nystroem(K, rank=100) for few features of a kernel K"
            )
        }
        Needs::Coordinates if !kernel.has_coordinates() => {
            format!("reads the coordinates of rows and not values of {kernel}; leave the kernel out, or take linear")
        }
        Needs::Vectors if !kernel.compares_vectors() => {
            format!("reads kernel values between the vectors of sets, and {kernel} has none; leave the kernel out, or take set_mean(K)")
        }
        Needs::Rows if !kernel.only_names_columns() => {
            "reads the cells of rows and no kernel; leave the kernel out, or choose columns by on(NAME, identical)".into()
        }
        Needs::Coordinates if !dense() => "reads coordinates that are all there, and these columns are sparse; take other columns".into(),
        _ => return Ok(()),
    };
    Err(Error::Setting { name: "kernel".into(), why: format!("{} {why}", estimator.name()) })
}

/// Predictions of a model from what is read of the new rows alone, with no training row.
pub(super) fn from_rows_alone(
    kernel: &FittedKernel,
    fitted: &FittedModel,
    new: &Dataset,
    want: Want,
    control: &Control,
) -> Result<Predictions> {
    // New rows whose features are held at a time.
    const FEATURE_ROWS: usize = 8192;
    let predict = |rows: &Dataset| -> Result<Predictions> {
        if fitted.reads() == ViewKind::Rows {
            return fitted.predict(&Query::of(View::Rows(kernel.expr().named_table(rows)?.as_ref()), want, control));
        }
        let bound = if want.variance || want.covariance { kernel.gram(rows, control) } else { kernel.gram_to_multiply(rows, control) };
        let bound = bound?;
        let mut found = fitted.predict(&Query::of(View::of(fitted.reads(), bound.as_ref()), want, control))?;
        RowNotice::append(&mut found.notices, RowNotice::unrelated(bound.as_ref()), 0);
        Ok(found)
    };
    if want.covariance { predict(new) } else { in_blocks(new, FEATURE_ROWS, control, predict) }
}

/// Predictions for so many rows at a time.
pub(super) fn in_blocks(
    new: &Dataset,
    block: usize,
    control: &Control,
    predict: impl Fn(&Dataset) -> Result<Predictions>,
) -> Result<Predictions> {
    if new.rows() <= block {
        return predict(new);
    }
    let mut all: Option<Predictions> = None;
    for start in (0..new.rows()).step_by(block) {
        control.check()?;
        let rows: Vec<usize> = (start..new.rows().min(start + block)).collect();
        let some = predict(&new.select(&rows))?;
        match &mut all {
            Some(all) => all.append(some),
            None => all = Some(some),
        }
    }
    all.map_or_else(|| predict(new), Ok)
}
