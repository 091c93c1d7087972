//! Predictions as CSV: one line per row of the table, in its order.

use super::pictures::normal_quantile;
use crate::conformal::Conformal;
use crate::control::Control;
use crate::data::{Column, Dataset, Values};
use crate::error::{Error, Result};
use crate::estimators::{Answer, Gives, Predicted, Predictions, RowNotice, Want, When, those_that_give};
use crate::learner::{Model, PreImageMethod};
use crate::linalg::Matrix;
use crate::param::{Domain, Value};
use std::str::FromStr;

/// A column to the left of the predictions: its name, and a text for every row.
pub type KeptColumn = (String, Vec<String>);

/// What a standard deviation is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviationOf {
    /// A new target: function and noise.
    Target,
    /// The predicted function alone, the mean of targets.
    Mean,
}

impl FromStr for DeviationOf {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "target" => Ok(DeviationOf::Target),
            "mean" => Ok(DeviationOf::Mean),
            _ => Err(Error::unknown("deviation", text, ["target", "mean"])),
        }
    }
}

/// Columns besides the prediction itself.
#[derive(Clone, Debug, Default)]
pub struct PredictionColumns {
    /// Standard deviations.
    pub std: Vec<DeviationOf>,
    /// Ends of the interval that holds a new target with this probability; of classes the prediction set.
    pub interval: Option<f64>,
    /// The group of each row, where intervals are by group.
    pub groups: Option<Vec<String>>,
    /// Probability of each class.
    pub probabilities: bool,
}

/// Standard deviations of new targets or of their mean, in the unit of the target, M x outputs; `None` where classes are predicted, the
/// model has no variance or it was not wanted.
pub fn standard_deviation(predictions: &Predictions, of: DeviationOf) -> Option<Matrix> {
    let spread = variance_of(predictions, of)?;
    Some(match &predictions.transformed {
        None => Matrix::from_fn(spread.rows(), spread.cols(), |i, o| spread[(i, o)].sqrt()),
        Some(t) => Matrix::from_fn(spread.rows(), spread.cols(), |i, o| t.transform.deviation(t.values[(i, o)], spread[(i, o)])),
    })
}

/// Variances of new targets or of their mean; where the target was transformed, those of its transformed values.
fn variance_of(predictions: &Predictions, of: DeviationOf) -> Option<Matrix> {
    match (of, &predictions.values) {
        (DeviationOf::Target, _) => predictions.target_variance(),
        (DeviationOf::Mean, Predicted::Numbers(_)) => predictions.variance.clone(),
        (DeviationOf::Mean, Predicted::Classes(_)) => None,
    }
}

/// What predictions must hold for the intervals, or the prediction sets, of a model.
pub fn interval_wants(model: &Model) -> Want {
    let variance = model.estimator.gives().variance != When::Never;
    model.conformal.as_ref().map_or(Want { variance, ..Want::default() }, Conformal::want)
}

/// Lower and upper ends of the intervals of a model that hold a new target with probability `level`, M x outputs each: conformal where the
/// model stores conformity scores, else quantiles of the normal distribution by the predictive variance, see [`interval`]. `groups`: the
/// group of each row, where the scores have groups; `option`: what the user wrote to ask for intervals.
///
/// # Errors
/// A level that does not lie strictly between 0 and 1; a model with neither scores nor a variance; predictions of classes.
pub fn model_interval(
    model: &Model,
    predictions: &Predictions,
    level: f64,
    groups: Option<&[String]>,
    option: &str,
) -> Result<(Matrix, Matrix)> {
    match &model.conformal {
        Some(conformal) => conformal.interval(predictions, level, groups),
        None => match interval(predictions, level)? {
            Some(ends) if groups.is_none() => Ok(ends),
            _ => model.require_conformal(option)?.interval(predictions, level, groups),
        },
    }
}

/// Lower and upper ends of the central interval that holds a new target with probability `level`, M x outputs each: quantiles of the target;
/// `None` where the model has no variance or it was not wanted.
///
/// # Errors
/// A level that does not lie strictly between 0 and 1.
pub fn interval(predictions: &Predictions, level: f64) -> Result<Option<(Matrix, Matrix)>> {
    Domain::Fraction.check("interval", "level", &Value::Number(level))?;
    let (Some(spread), Predicted::Numbers(mean)) = (variance_of(predictions, DeviationOf::Target), &predictions.values) else {
        return Ok(None);
    };
    let (z, transformed) = (normal_quantile(level), predictions.transformed.as_ref());
    let middle = transformed.map_or(mean, |t| &t.values);
    let of_target = |z: f64| transformed.map_or(z, |t| t.transform.inverse(z));
    let end = |side: f64| Matrix::from_fn(mean.rows(), mean.cols(), |i, o| of_target(middle[(i, o)] + side * (z * spread[(i, o)].sqrt())));
    Ok(Some((end(-1.0), end(1.0))))
}

/// Functions drawn from the posterior at every row of a table, without the noise of a target, as columns that may stand beside
/// predictions: `_sample1`, ... after the names of the answer.
///
/// # Errors
/// An estimator without a predictive covariance; memory, or a request of `control`.
pub fn drawn_columns(model: &Model, data: &Dataset, count: usize, seed: u64, control: &Control) -> Result<Vec<KeptColumn>> {
    let draws = model.sample(data, count, seed, control)?.ok_or_else(|| Error::Setting {
        name: "--samples".into(),
        why: format!(
            "{} has no predictive covariance; fit {}, or leave it out",
            model.estimator,
            those_that_give(&|gives| gives.covariance)
        ),
    })?;
    let columns = model.answer.columns().into_iter().zip(&draws).flat_map(|(name, drawn)| {
        (0..count).map(move |k| (format!("{name}_sample{}", k + 1), drawn.col(k).iter().map(f64::to_string).collect()))
    });
    Ok(columns.collect())
}

/// Pre-images of every row, in the units of the table, as columns to keep: `COLUMN_pre_image`, or `nearest_row`, from 1, and
/// `pre_image_distance`, the squared distance in feature space that is left; and how many rows have no fixed point near.
///
/// # Errors
/// As [`Model::pre_images_of`].
pub fn pre_image_columns(model: &Model, data: &Dataset, method: PreImageMethod, control: &Control) -> Result<(Vec<KeptColumn>, usize)> {
    let found = model.pre_images_of(data, method, control)?;
    let written = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(|v| v.to_string()).collect::<Vec<_>>();
    let mut columns = Vec::new();
    for Column { name, values } in found.rows.columns() {
        match values {
            Values::Numbers(v) => columns.push((format!("{name}_pre_image"), written(&mut v.iter().copied()))),
            Values::Points(p) => {
                let (dim, all) = (p.dim(), p.to_dense());
                columns.extend(
                    (0..dim).map(|d| (format!("{name}_{}_pre_image", d + 1), written(&mut all.iter().copied().skip(d).step_by(dim)))),
                );
            }
            _ => {}
        }
    }
    if method == PreImageMethod::Nearest {
        let rows = model.support_rows();
        columns.push(("nearest_row".into(), found.nearest.iter().map(|&i| (rows[i] + 1).to_string()).collect()));
    }
    columns.push(("pre_image_distance".into(), written(&mut found.left.iter().copied())));
    Ok((columns, found.unfinished.len()))
}

/// Predictions of a table as CSV.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictedTable {
    /// The text.
    pub csv: String,
    /// What the user should know of some of its rows.
    pub notices: Vec<String>,
}

/// Predictions for every row of a table as CSV, a block of rows at a time: besides the text itself no more than a block of
/// predictions is held. The prediction is called `TARGET_predicted`, or pc1, pc2, ..., cluster, log_density, novelty and score where there is no target; beside it stand
/// `TARGET_std`, `TARGET_mean_std`, `TARGET_lower`, `TARGET_upper` (of classes `TARGET_set`, such as `a|b`) and `TARGET_CLASS` where they are asked for. It stands to the right of the kept columns,
/// each with a text for every row.
///
/// # Errors
/// Columns that the table lacks, columns asked for that the model cannot give, kept ones of another length, and on request of
/// `control`.
pub fn predict_csv(
    model: &Model,
    data: &Dataset,
    columns: &PredictionColumns,
    kept: &[KeptColumn],
    control: &Control,
) -> Result<PredictedTable> {
    // Rows that are predicted and written together: whole tiles and panels, so that a row's prediction has the same bits as in one
    // table.
    const BLOCK: usize = 15360;
    if let Some((name, column)) = kept.iter().find(|(_, column)| column.len() != data.rows()) {
        return Err(Error::Shape { what: format!("rows of column '{name}'"), expected: data.rows(), found: column.len() });
    }
    let of_interval = columns.interval.map_or(Want::default(), |_| interval_wants(model));
    let want = Want {
        variance: !columns.std.is_empty() || of_interval.variance,
        probabilities: columns.probabilities || of_interval.probabilities,
        ..of_interval
    };
    if let (Some(groups), Some(column)) = (&columns.groups, model.conformal.as_ref().and_then(Conformal::group_column)) {
        Error::unless_equal(&format!("rows of '{column}'"), data.rows(), groups.len())?;
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header(model, columns, kept)).map_err(fault)?;
    let mut notices = Vec::new();
    for start in (0..data.rows().max(1)).step_by(BLOCK) {
        let end = (start + BLOCK).min(data.rows());
        let mut predictions = match end - start == data.rows() {
            true => model.predict(data, want, control)?,
            false => model.predict(&data.select(&(start..end).collect::<Vec<_>>()), want, control)?,
        };
        RowNotice::append(&mut notices, std::mem::take(&mut predictions.notices), start);
        write_lines(&mut writer, model, &predictions, columns, (kept, start))?;
        control.tell("predictions", end, data.rows());
    }
    let bytes = writer.into_inner().map_err(fault)?;
    let csv = String::from_utf8(bytes).map_err(fault)?;
    let mut notices: Vec<String> = notices.iter().map(RowNotice::to_string).collect();
    if let (Some(level), Some(conformal)) = (columns.interval, &model.conformal) {
        notices.extend(conformal.too_few(level)?);
    }
    Ok(PredictedTable { csv, notices })
}

/// Columns of numbers as CSV, one line per row, to the right of the kept columns.
///
/// # Errors
/// Columns of different lengths.
pub fn rows_csv(kept: &[KeptColumn], columns: &[(&str, &[f64])]) -> Result<String> {
    let rows = columns.first().map_or(0, |(_, values)| values.len());
    let lengths = kept.iter().map(|(name, column)| (name.as_str(), column.len())).chain(columns.iter().map(|(name, v)| (*name, v.len())));
    for (name, found) in lengths {
        Error::unless_equal(&format!("rows of column '{name}'"), rows, found)?;
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names = kept.iter().map(|(name, _)| name.as_str()).chain(columns.iter().map(|(name, _)| *name));
    writer.write_record(names).map_err(fault)?;
    for i in 0..rows {
        kept.iter().try_for_each(|(_, column)| writer.write_field(&column[i])).map_err(fault)?;
        columns.iter().try_for_each(|(_, values)| writer.write_field(values[i].to_string())).map_err(fault)?;
        writer.write_record(None::<&[u8]>).map_err(fault)?;
    }
    String::from_utf8(writer.into_inner().map_err(fault)?).map_err(fault)
}

/// A number as a cell, empty where it is missing.
fn number(value: f64) -> String {
    if value.is_nan() { String::new() } else { value.to_string() }
}

pub(super) fn fault(why: impl std::fmt::Display) -> Error {
    Error::Numerical { what: "writing CSV".into(), why: why.to_string() }
}

/// Names of the columns: the prediction of a target is called after it, and never like it.
fn header(model: &Model, columns: &PredictionColumns, kept: &[KeptColumn]) -> Vec<String> {
    let names = model.answer.columns();
    let of_target = matches!(model.answer, Answer::Numbers { .. } | Answer::Classes { .. });
    let taken = |name: &String| kept.iter().any(|(other, _)| other == name);
    let predicted = |name: &String| if of_target || taken(name) { format!("{name}_predicted") } else { name.clone() };
    let words: Vec<String> = model.answer.heading_of_words().map(str::to_owned).into_iter().collect();
    let mut header: Vec<String> = kept.iter().map(|(name, _)| name.clone()).chain(words.iter().chain(&names).map(predicted)).collect();
    for name in &names {
        header.extend(columns.std.iter().map(|of| match of {
            DeviationOf::Target => format!("{name}_std"),
            DeviationOf::Mean => format!("{name}_mean_std"),
        }));
        if columns.interval.is_some() {
            match model.answer.classes() {
                Some(_) => header.push(format!("{name}_set")),
                None => header.extend([format!("{name}_lower"), format!("{name}_upper")]),
            }
        }
    }
    if columns.probabilities {
        let name = names.first().map_or("", String::as_str);
        header.extend(model.answer.classes().into_iter().flatten().map(|class| format!("{name}_{class}")));
    }
    header
}

/// The prediction set of each row as its classes with | between them.
fn sets_in_words(
    model: &Model,
    classes: &[String],
    predictions: &Predictions,
    level: f64,
    groups: Option<&[String]>,
) -> Result<Vec<String>> {
    let sets = model.require_conformal("--interval")?.sets(predictions, classes.len(), level, groups)?;
    let words = |set: &Vec<bool>| {
        let held: Vec<&str> = classes.iter().zip(set).filter(|(_, holds)| **holds).map(|(class, _)| class.as_str()).collect();
        held.join("|")
    };
    Ok(sets.iter().map(words).collect())
}

/// A line for each prediction, to the right of the kept columns from the given row on.
fn write_lines(
    writer: &mut csv::Writer<Vec<u8>>,
    model: &Model,
    predictions: &Predictions,
    columns: &PredictionColumns,
    (kept, first): (&[KeptColumn], usize),
) -> Result<()> {
    let lacks = |option: &str, what: &str, has: &dyn Fn(&Gives) -> When| Error::Setting {
        name: option.into(),
        why: format!("{} has no {what}; fit {}, or leave it out", model.estimator.name(), those_that_give(has)),
    };
    let variance = |option: &str| lacks(option, "predictive variance", &|gives| gives.variance);
    let deviations = columns.std.iter().map(|of| standard_deviation(predictions, *of).ok_or_else(|| variance("--std")));
    let deviations: Vec<Matrix> = deviations.collect::<Result<_>>()?;
    let rows = match &predictions.values {
        Predicted::Classes(codes) => codes.len(),
        Predicted::Numbers(m) => m.rows(),
    };
    let groups = columns.groups.as_ref().map(|groups| &groups[first..first + rows]);
    let (mut ends, mut sets) = (None, None);
    if let Some(level) = columns.interval {
        if model.estimator.takes_no_target() {
            return Err(variance("--interval"));
        }
        match model.answer.classes() {
            Some(classes) => sets = Some(sets_in_words(model, classes, predictions, level, groups)?),
            None => ends = Some(model_interval(model, predictions, level, groups, "--interval")?),
        }
    }
    let probabilities = match &predictions.probabilities {
        None if columns.probabilities => {
            return Err(lacks("--probabilities", "class probabilities", &|gives| gives.probabilities));
        }
        p => p.as_ref().filter(|_| columns.probabilities),
    };
    let labels = model.labels(predictions);
    let outputs = model.answer.columns().len();
    for i in 0..rows {
        kept.iter().try_for_each(|(_, column)| writer.write_field(&column[first + i])).map_err(fault)?;
        match (&predictions.values, &labels) {
            (Predicted::Classes(_), labels) => writer.write_field(labels.as_ref().map_or("", |l| &l[i])).map_err(fault)?,
            (Predicted::Numbers(m), labels) => {
                labels.iter().try_for_each(|l| writer.write_field(&l[i])).map_err(fault)?;
                m.row(i).iter().try_for_each(|v| writer.write_field(number(*v))).map_err(fault)?;
            }
        }
        for o in 0..outputs {
            let of_ends = ends.iter().flat_map(|(low, high)| [low[(i, o)], high[(i, o)]]);
            deviations.iter().map(|sd| sd[(i, o)]).chain(of_ends).try_for_each(|v| writer.write_field(number(v))).map_err(fault)?;
        }
        sets.iter().try_for_each(|sets| writer.write_field(&sets[i])).map_err(fault)?;
        let of_classes = probabilities.iter().flat_map(|p| p.row(i));
        of_classes.into_iter().try_for_each(|v| writer.write_field(v.to_string())).map_err(fault)?;
        writer.write_record(None::<&[u8]>).map_err(fault)?;
    }
    Ok(())
}
