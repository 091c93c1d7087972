//! The mechanics of a fit: preparing rows, what may be refused before it, fitting settled parameters, predicting from the
//! rows kept. Nothing is chosen here; tuning stands above.

mod kernel_values;
mod of_features;
mod recentred;
mod relearnt;
mod rows_read;
mod shared_values;
mod used;

pub(crate) use kernel_values::KernelValues;
pub(crate) use of_features::kernel_beside;
#[cfg(feature = "testkit")]
pub(crate) use of_features::natural_kernel;
pub use of_features::prepare_to_fit;
use of_features::{from_rows_alone, in_blocks, require_features};
use recentred::Recentred;
pub(crate) use relearnt::Relearnt;
pub use rows_read::read_rows;
pub(crate) use rows_read::{named_rows, view_of};
pub(crate) use shared_values::{SharedValues, Sharing, ValuesOf, with_view};
pub use used::Used;
pub(crate) use used::{left_out, sum_of_weights};

use crate::control::Control;
use crate::data::{ColumnKind, Dataset, Examples, Split, Target, Values};
use crate::error::{Error, Result};
use crate::estimators::{
    EstimatorExpr, FitContext, Fitted, FittedModel, HoldOut, Needs, OwnedView, Predictions, Query, RowNotice, Size, Task, View, ViewKind,
    Want,
};
use crate::facts;
use crate::gram::{self, Bound, Dense, Gram, Mercer};
use crate::kernels::{FittedKernel, KernelExpr, Support, Uses};
use crate::notice::Notice;
use crate::param::Value;
use crate::prep;
use crate::validity;
use std::borrow::Cow;

/// Rows on which an unproved kernel is tested before it is refused: enough for a witness, cheap to decompose.
const WITNESS_ROWS: usize = 200;

/// Data ready for kernels, with what was done to get there.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The prepared training rows.
    pub data: Dataset,
    /// The steps, fitted on these rows.
    pub prep: prep::Fitted,
    /// The kernel expression, not yet settled.
    pub kernel: KernelExpr,
    /// Notices for the user.
    pub notices: Vec<Notice>,
    layout: prep::Layout,
}

impl Prepared {
    /// The columns that these rows have, and how they were made.
    pub fn layout(&self) -> &prep::Layout {
        &self.layout
    }

    /// Some of these rows as they were before any step, or others like them, prepared anew: with numbers of their own, and with the
    /// same columns and the same kernel.
    ///
    /// # Errors
    /// Rows without the columns that these have.
    pub fn again(&self, data: &Dataset, weights: Option<&[f64]>) -> Result<Prepared> {
        count_preparation();
        let prep = self.layout.fit(data, weights)?;
        Ok(Prepared { data: prep.apply(data)?, prep, kernel: self.kernel.clone(), notices: Vec::new(), layout: self.layout.clone() })
    }
}

/// How often rows were prepared in this process, for tests of what is prepared twice.
#[cfg(feature = "testkit")]
pub static PREPARATIONS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

fn count_preparation() {
    #[cfg(feature = "testkit")]
    PREPARATIONS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
}

/// Chooses the kernel where none is given, decides how category columns are coded, and fits the preparation.
pub fn prepare(recipe: &prep::Recipe, kernel: Option<&KernelExpr>, data: &Dataset) -> Result<Prepared> {
    prepare_weighed(recipe, kernel, data, None)
}

/// Prepares weighted rows: a row of weight 2 counts as two rows.
pub fn prepare_weighed(recipe: &prep::Recipe, kernel: Option<&KernelExpr>, data: &Dataset, weights: Option<&[f64]>) -> Result<Prepared> {
    if data.rows() == 0 {
        return Err(Error::Data("there are no rows to learn from".into()));
    }
    let kinds = kinds_of(data);
    match kernel {
        Some(kernel) => {
            let data = with_strings(data, &kernel.strings_among(&kinds))?;
            let mut made = prepare_for(recipe, kernel.clone(), &data, weights, &kinds_of(&data))?;
            made.notices.extend(data.columns().iter().filter_map(|c| kernel.without_places(c)));
            made.notices.extend(data.columns().iter().flat_map(|c| kernel.longer_than(c)));
            Ok(made)
        }
        None => {
            let long = long_texts(data);
            let mut made = prepare_for(recipe, KernelExpr::natural_of(data, &kinds, &long)?, data, weights, &kinds)?;
            // A column that holds one value alone is left out, and takes its kernel along where it was the only one of its kind.
            let left: Vec<(&str, ColumnKind)> = kinds.iter().copied().filter(|(name, _)| !made.prep.drops(name)).collect();
            let kernel = KernelExpr::natural_of(data, &left, &long)?;
            if kernel != made.kernel {
                made = prepare_for(recipe, kernel, data, weights, &kinds)?;
            }
            let kept = data.columns().iter().filter(|c| !made.prep.drops(&c.name));
            made.notices.extend(kept.filter_map(KernelExpr::natural_sequences).collect::<Vec<_>>());
            made.notices.extend(long.iter().map(|name| Notice::ByWords { column: (*name).to_owned() }));
            Ok(made)
        }
    }
}

/// Columns of texts so many and long that to compare their letters would take long.
pub(crate) fn long_texts(data: &Dataset) -> Vec<&str> {
    // Letters of a column times rows from which texts are compared by words alone: a value of the spectrum kernel takes as many
    // operations as a text has letters, and a fit compares every pair. 2,000 film reviews have four times as many, 5,500 short messages half.
    const LETTERS: f64 = 4e9;
    let is_long = |values: &Values| match values {
        Values::Texts(texts) => texts.iter().map(str::len).sum::<usize>() as f64 * data.rows() as f64 > LETTERS,
        _ => false,
    };
    data.columns().iter().filter(|c| is_long(&c.values)).map(|c| c.name.as_str()).collect()
}

/// Fits the preparation for a given kernel.
fn prepare_for(
    recipe: &prep::Recipe,
    kernel: KernelExpr,
    data: &Dataset,
    weights: Option<&[f64]>,
    kinds: &[(&str, ColumnKind)],
) -> Result<Prepared> {
    count_preparation();
    let Uses { one_hot, as_is, not_scaled, unused, named } = kernel.uses(kinds)?;
    let (prep, mut notices) = recipe.fit_keeping(data, &one_hot, &as_is, weights)?;
    if let Some(name) = named.iter().find(|name| prep.drops(name)) {
        return Err(Error::Data(format!(
            "the kernel {kernel} is pointed at column '{name}', which holds the same value in every row; leave it out of the kernel"
        )));
    }
    if recipe.standardise {
        notices.extend(not_scaled.into_iter().map(|column| Notice::NotStandardised { column, kernel: kernel.to_string() }));
    }
    // Of a column that is left out, that is said already.
    let idle = unused.into_iter().filter(|name| !prep.drops(name));
    notices.extend(idle.map(|column| Notice::NotUsed { column, kernel: kernel.to_string() }));
    Ok(Prepared { data: prep.apply(data)?, layout: prep::Layout::new(recipe, &as_is, &prep), prep, kernel, notices })
}

/// Names and kinds of the columns.
fn kinds_of(data: &Dataset) -> Vec<(&str, ColumnKind)> {
    data.columns().iter().map(|c| (c.name.as_str(), c.values.kind())).collect()
}

/// The table with these categories as strings.
fn with_strings<'a>(data: &'a Dataset, names: &[String]) -> Result<Cow<'a, Dataset>> {
    if names.is_empty() {
        return Ok(Cow::Borrowed(data));
    }
    let mut columns = data.columns().to_vec();
    for column in columns.iter_mut().filter(|c| names.contains(&c.name)) {
        if let Values::Categories(labels) = &column.values {
            column.values = Values::Sequences(labels.strings());
        }
    }
    Dataset::with_rows(data.rows(), columns).map(Cow::Owned)
}

/// Checks before a fit that the similarity meets the needs of the estimator.
pub fn require_similarity(
    kernel: &KernelExpr,
    estimator: &EstimatorExpr,
    data: &Dataset,
    allow_non_mercer: bool,
    control: &Control,
) -> Result<()> {
    require_features(kernel, estimator, data)?;
    validity::require_symmetric(kernel, estimator.name(), estimator.needs(), data)?;
    refuse_distances(kernel, estimator, data, control)?;
    if estimator.needs() == Needs::MercerKernel && !allow_non_mercer { require_mercer(kernel, estimator, data, control) } else { Ok(()) }
}

/// Refuses a matrix that is given as similarities and looks like distances, 0 on its diagonal and above elsewhere, where the estimator
/// takes either.
fn refuse_distances(kernel: &KernelExpr, estimator: &EstimatorExpr, data: &Dataset, control: &Control) -> Result<()> {
    let takes_either = estimator.arguments().iter().any(|(name, value)| *name == "values" && value == "similarities");
    if !(takes_either && matches!(kernel, KernelExpr::Precomputed(_))) || data.rows() < 2 {
        return Ok(());
    }
    let rows: Vec<usize> = (0..data.rows().min(WITNESS_ROWS)).collect();
    let some = gram::dense(kernel.bind_within(None, &data.select(&rows), control)?.as_ref(), control)?;
    let is_empty_diagonal = (0..some.rows()).all(|i| some[(i, i)] == 0.0);
    if is_empty_diagonal && some.data().iter().all(|v| *v >= 0.0) && some.data().iter().any(|v| *v > 0.0) {
        let name = estimator.name();
        return Err(Error::Data(format!(
            "{name}: the given matrix is 0 on its diagonal and above 0 elsewhere, which no similarities are; are these distances? Write \
             {name}(values=distances)"
        )));
    }
    Ok(())
}

/// Refuses a kernel that is not positive semi-definite, with rows and weights that prove it where some are found.
fn require_mercer(kernel: &KernelExpr, estimator: &EstimatorExpr, data: &Dataset, control: &Control) -> Result<()> {
    let why = match kernel.mercer() {
        Mercer::Always => return Ok(()),
        Mercer::Conditional(why) | Mercer::Never(why) => why,
    };
    // The kernel is named once.
    let why = why.strip_prefix(&format!("{kernel}: ")).unwrap_or(&why);
    let rows: Vec<usize> = (0..data.rows().min(WITNESS_ROWS)).collect();
    let some = data.select(&rows);
    let check = validity::test(kernel, &some, control)?;
    // A matrix that is given is judged by its values, as `mercer check` judges it.
    if check.witness.is_none() && kernel.is_mercer_of_given() && validity::holds_on(kernel, data, control)? {
        return Ok(());
    }
    let proof = match &check.witness {
        Some(w) => {
            let rows: Vec<String> = w.rows.iter().take(3).map(|i| (i + 1).to_string()).collect();
            let more = if w.rows.len() > rows.len() { ", ..." } else { "" };
            let (noun, prove) = if w.rows.len() == 1 { ("row", "can prove") } else { ("rows", "prove") };
            format!(
                "; on the first {} rows the Gram matrix has the eigenvalue {} ({noun} {}{more} {prove} it: see mercer check)",
                some.rows(),
                Value::Number(check.smallest).rounded(4),
                rows.join(", ")
            )
        }
        None => String::new(),
    };
    Err(Error::NotMercer {
        estimator: estimator.name().into(),
        kernel: kernel.to_string(),
        why: format!("{why}{proof}"),
        others: validity::those_that_take(Needs::any_values).join(", "),
    })
}

/// The refusal of a target that the estimator is not made for, with those that are.
pub fn cannot_predict(estimator: &EstimatorExpr, target: &Target) -> Error {
    let able: Vec<&str> = EstimatorExpr::all_for(target).iter().flatten().map(|e| e.name()).collect();
    let cannot = |holds: &str| format!("it cannot predict {holds}, which the target holds; these can: {}", able.join(", "));
    let why = match target {
        _ if estimator.takes_no_target() => {
            format!("it takes no target; leave the target out (--target), or choose one of: {}", able.join(", "))
        }
        Target::Absent { .. } => {
            format!("it predicts a target, and there is none; name the target column (--target), or choose one of: {}", able.join(", "))
        }
        Target::Classes { .. } => cannot("classes"),
        Target::Numbers(m) if m.cols() > 1 => cannot("several numbers at once"),
        Target::Numbers(_) => cannot("numbers"),
    };
    Error::Setting { name: estimator.name().into(), why }
}

/// The size of a fit to prepared rows.
pub fn size_of(kernel: &KernelExpr, data: &Dataset, target: &Target) -> Size {
    Size {
        rows: data.rows(),
        outputs: target.outputs(),
        classes: matches!(target, Target::Classes { .. }),
        rank: kernel.rank(data),
        stored: kernel.stored(data),
        per_value: kernel.per_value(data).unwrap_or(Size::PER_VALUE),
    }
}

/// Refuses a fit that would need more memory than allowed.
pub fn plan(estimator: &EstimatorExpr, size: Size, target: &Target, control: &Control) -> Result<()> {
    let features = size.stored_bytes().saturating_mul(size.rows as u64);
    let bytes = estimator.costs(size).bytes.saturating_add(features);
    let planned = control.plan(&format!("fitting {} to {} rows", estimator.name(), size.rows), bytes);
    planned.map_err(|error| match error {
        Error::Memory { what, needed, allowed, .. } => {
            // What looks at no input is no substitute.
            let does = |e: &&EstimatorExpr| e.looks_at_inputs() && e.costs(size).bytes.saturating_add(features) <= allowed;
            let all = EstimatorExpr::usual_for(target).unwrap_or_default();
            let less: Vec<&str> = all.iter().filter(does).map(|e| e.name()).collect();
            let instead = if less.is_empty() { String::new() } else { format!(", or an estimator that needs less ({})", less.join(", ")) };
            Error::Memory { what, needed, allowed, instead }
        }
        other => other,
    })
}

/// A notice of rows with k(x, x) = 0, such as empty texts: a Mercer kernel finds nothing like them, themselves included.
/// Rows are counted as the user gave them, those that were left out included.
pub(crate) fn zero_norm_rows(gram: &dyn Gram, given: &[usize]) -> Option<Notice> {
    let empty = gram.zero_rows();
    empty.first().map(|&i| Notice::ZeroRows { rows: empty.len(), first: given[i] })
}

/// Fits settled parameters on prepared rows, from which the kernel learns. The Gram matrix is formed once where the plan allows
/// it and the estimator would form it anyway; otherwise the estimator asks for rows.
pub fn fit_settled(
    kernel: &KernelExpr,
    estimator: &EstimatorExpr,
    examples: &Examples<'_>,
    control: &Control,
    seed: u64,
) -> Result<(FittedKernel, FittedModel)> {
    // Before a kernel prepares its inputs.
    let size = size_of(kernel, examples.data, examples.target);
    plan(estimator, size, examples.target, control)?;
    control.check()?;
    let kernel = kernel.learn(examples.data, examples.weights, control)?;
    let reading = read_rows_for(&kernel, estimator, size, examples.data, control)?;
    let mut fitted = fit_view(reading.view(), (kernel.expr(), estimator), (examples, None), control, seed)?;
    drop(reading);
    fitted.forget_rows();
    Ok((kernel, fitted))
}

/// What an estimator reads of rows for a fit of this size.
pub(crate) fn read_rows_for<'a>(
    kernel: &FittedKernel,
    estimator: &EstimatorExpr,
    size: Size,
    rows: &'a Dataset,
    control: &Control,
) -> Result<OwnedView<'a>> {
    match estimator.needs().view() {
        kind @ ViewKind::Rows => read_rows(kernel, kind, rows, control),
        kind => Ok(OwnedView::of(kind, bound_for(kernel, estimator, size, rows, control)?)),
    }
}

/// The kernel bound to rows for a fit of this size.
pub(crate) fn bound_for(
    kernel: &FittedKernel,
    estimator: &EstimatorExpr,
    size: Size,
    rows: &Dataset,
    control: &Control,
) -> Result<Box<dyn Bound>> {
    if estimator.multiplies(size) { kernel.gram_to_multiply(rows, control) } else { kernel.gram(rows, control) }
}

/// Fits an estimator on a view of rows. `sharing`: where others use kernel values among these rows.
pub(crate) fn fit_view(
    view: View<'_>,
    (kernel, estimator): (&KernelExpr, &EstimatorExpr),
    (examples, sharing): (&Examples<'_>, Option<&Sharing>),
    control: &Control,
    seed: u64,
) -> Result<FittedModel> {
    #[cfg(feature = "testkit")]
    crate::control::panic_where_asked(estimator.name());
    let recentred = Recentred::of(view, estimator, control)?;
    let view = recentred.as_ref().map_or(view, |recentred| View::Values(recentred.gram()));
    let task = Task { view, target: examples.target, weights: examples.weights, control, seed };
    let split = held_out_by(std::slice::from_ref(estimator), examples);
    let relearnt = Relearnt { kernel, reads: estimator.needs().view(), rows: examples.data, sharing };
    let hold = HoldOut { split: &split, kernel: relearnt.where_felt(estimator) };
    let mut fitted = estimator.settle(&task)?.fit_with(&task, &FitContext::holding(hold))?.fitted;
    if let Some(recentred) = &recentred {
        recentred.restore_origin(&mut fitted, control)?;
    }
    Ok(fitted)
}

/// The split that rows are held out by in fits of some estimators to prepared examples: copies of a row are no rows that a fit has not seen.
pub(crate) fn held_out_by<'a>(estimators: &[EstimatorExpr], examples: &Examples<'a>) -> Cow<'a, Split> {
    match examples.split {
        Split::Rows | Split::Copies(_) if estimators.iter().any(|e| e.holds_out(examples.target)) => {
            Cow::Owned(facts::each_once(examples.data, examples.target))
        }
        split => Cow::Borrowed(split),
    }
}

/// Whether a row can be left out by a closed form, with the kernel values that all rows together have: not where these would
/// be others without the row, and the estimator would feel it.
pub fn rows_leave_the_kernel(kernel: &KernelExpr, estimator: &EstimatorExpr) -> bool {
    !kernel.learns() || (kernel.learns_only_shifts() && estimator.facts().ignores_shifts)
}

/// The training rows that prediction needs: those that the fit kept, or all of them where the kernel needs them.
pub fn support_of(kernel: &FittedKernel, fitted: &FittedModel, data: &Dataset) -> Support {
    let all = kernel.expr().needs_training_rows() && !fitted.support().is_empty();
    let rows = if all { data.clone() } else { data.select(fitted.support()) };
    rows.as_items().into()
}

/// Predictions for prepared rows from the rows that [`support_of`] kept; a model that kept none needs no kernel.
pub fn predict_settled(
    kernel: &FittedKernel,
    fitted: &FittedModel,
    support: &Support,
    new: &Dataset,
    want: Want,
    control: &Control,
) -> Result<Predictions> {
    // Kernel values of new rows that are held at a time where a kernel computes all of them when it is bound: 128 MB.
    const WHOLE_VALUES: usize = 1 << 24;
    if fitted.reads_new_rows_alone() {
        return from_rows_alone(kernel, fitted, new, want, control);
    }
    if support.rows() == 0 {
        let none = Dense::cross(crate::linalg::Matrix::zeros(new.rows(), 0), vec![0.0; new.rows()], Vec::new())?;
        return fitted.predict(&Query::new(&none, want, control));
    }
    if want.variance || want.covariance {
        require_own_values(new, want)?;
    }
    if kernel.expr().computes_whole_matrices() && !want.covariance {
        let block = (WHOLE_VALUES / support.rows()).max(1);
        return in_blocks(new, block, control, |rows| predict_bound(kernel, fitted, support, rows, want, control));
    }
    predict_bound(kernel, fitted, support, new, want, control)
}

/// Predictions for prepared rows from the values of the kernel with the rows that were kept.
fn predict_bound(
    kernel: &FittedKernel,
    fitted: &FittedModel,
    support: &Support,
    new: &Dataset,
    want: Want,
    control: &Control,
) -> Result<Predictions> {
    let bound = support.reference(kernel, control)?.cross(new, control)?;
    let whole = kernel.expr().needs_training_rows();
    let all: Vec<usize> = (0..new.rows()).collect();
    let with_all = View::of(fitted.reads(), bound.as_ref());
    let with_support = whole.then(|| with_all.part(&all, fitted.support()));
    let view = with_support.as_ref().map_or(with_all, OwnedView::view);
    let among = (want.covariance && !whole).then(|| kernel.gram(new, control)).transpose()?;
    let mut found = match (&among, view) {
        (Some(among), View::Values(cross)) => fitted.predict(&Query::new(&gram::Joint { cross, among: among.as_ref() }, want, control))?,
        _ => fitted.predict(&Query::of(view, want, control))?,
    };
    RowNotice::append(&mut found.notices, RowNotice::unrelated(bound.as_ref()), 0);
    Ok(found)
}

/// Predictions for new rows by a fit to the prepared rows of `train`.
pub fn predict_from(
    kernel: &FittedKernel,
    fitted: &FittedModel,
    train: &Dataset,
    new: &Dataset,
    want: Want,
    control: &Control,
) -> Result<Predictions> {
    predict_settled(kernel, fitted, &support_of(kernel, fitted, train), new, want, control)
}

/// Refuses new rows of a kernel matrix that do not tell what is asked for besides predictions.
fn require_own_values(new: &Dataset, want: Want) -> Result<()> {
    let given = new.columns().iter().filter_map(|c| if let Values::Similarities(rows) = &c.values { Some(rows) } else { None });
    for rows in given {
        if rows.squares().is_none() {
            return Err(Error::Data("a variance needs k(x, x) of the new rows, which a precomputed kernel does not hold".into()));
        }
        if want.covariance && (0..new.rows()).any(|i| rows.own(i) >= rows.names().len()) {
            return Err(Error::Data(
                "a covariance needs the kernel values among the new rows, which a precomputed kernel does not hold".into(),
            ));
        }
    }
    Ok(())
}
