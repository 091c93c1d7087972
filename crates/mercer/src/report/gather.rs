//! From the outcome of a comparison to what is said about it: rows, and one picture per estimator that suits the task.

use super::words::{brief_estimator, brief_kernel};
use super::{Comparison, Confusion, Curve, Picture, PredictedTrue, Regions, Row, Task};
use crate::control::Control;
use crate::data::{Column, Dataset, Target, Values};
use crate::error::Result;
use crate::estimators::{Fitted, Predicted, Want};
use crate::learner::Model;
use crate::read::TargetInfo;
use crate::select::{Comparing, Outcome, Scored};
use statrs::distribution::{ContinuousCDF, Normal};

/// Cells along each side of a picture of regions.
const CELLS: usize = 100;
/// Points of a curve.
const CURVE: usize = 200;
/// Probability of the intervals shown.
const LEVEL: f64 = 0.9;

/// What a comparison was asked about, besides its outcome.
pub struct Request<'a> {
    /// The command that repeats it.
    pub command: String,
    /// The table as the user named it.
    pub table: String,
    /// Its rows without the target, as read.
    pub data: &'a Dataset,
    /// The target.
    pub target: &'a Target,
    /// Names of target and classes.
    pub info: &'a TargetInfo,
    /// What was compared, and how.
    pub comparing: &'a Comparing,
    /// What reading the table gave notice of.
    pub read_notices: &'a [String],
}

/// The z with P(-z < Z < z) = level for a standard normal Z.
pub(super) fn normal_quantile(level: f64) -> f64 {
    Normal::standard().inverse_cdf(0.5 + level / 2.0)
}

impl Comparison {
    /// Everything that is to be said about an outcome.
    pub fn of(outcome: &Outcome, request: &Request<'_>) -> Result<Comparison> {
        let task = match &request.info.classes {
            Some(classes) => Task::Classification { classes: classes.clone() },
            None => Task::Regression { targets: request.info.names.clone() },
        };
        let entries =
            outcome.rows.iter().enumerate().map(|(i, scored)| row(scored, i == outcome.best, request)).collect::<Result<Vec<_>>>()?;
        let notices = request.read_notices.iter().chain(&outcome.notices).cloned().chain(outcome.rows.iter().flat_map(tuning_notices));
        Ok(Comparison {
            command: request.command.clone(),
            table: request.table.clone(),
            rows: request.data.rows(),
            task,
            kernel: outcome.kernel.to_string(),
            folds: request.comparing.folds,
            seed: request.comparing.seed,
            columns: outcome.columns.clone(),
            notices: notices.collect(),
            entries,
        })
    }
}

/// What tuning has to say: parameters at a bound, rows searched on.
fn tuning_notices(scored: &Scored) -> Vec<String> {
    let Some(model) = &scored.model else { return Vec::new() };
    let name = scored.estimator.name();
    let mut out = Vec::new();
    if let Some(t) = &model.about.tuning {
        out.extend(t.at_bound.iter().map(|b| format!("{name}: {b}; widen the range if that matters")));
        if t.value.is_none() {
            out.push(format!(
                "{name}: no setting could be fitted on every fold, so the starting values were taken; use more rows per class"
            ));
        }
        if t.rows < model.about.rows {
            out.push(format!("{name}: tuned on a sample of {} of {} rows, fitted on all", t.rows, model.about.rows));
        }
    }
    out
}

fn row(scored: &Scored, best: bool, request: &Request<'_>) -> Result<Row> {
    let mut row = Row {
        estimator: scored.estimator.to_string(),
        metrics: scored.metrics.clone(),
        fit_seconds: scored.fit_seconds,
        predict_us_per_row: scored.predict_us_per_row,
        best,
        difference: scored.difference,
        failure: scored.failure.as_ref().map(ToString::to_string),
        ..Row::default()
    };
    if let Some(model) = &scored.model {
        let summary = model.summary();
        let with = |kernel: String| if model.estimator.uses_kernel() { format!(" with {kernel}") } else { String::new() };
        row.settled = format!("{}{}", model.estimator, with(model.kernel.to_string()));
        row.brief = format!("{}{}", brief_estimator(&model.estimator), with(brief_kernel(&model.kernel)));
        row.support = model.fitted.support().len();
        row.converged = summary.converged;
        row.certificate = summary.certificate.clone();
        row.pictures = picture(scored, model, request)?.into_iter().collect();
    }
    Ok(row)
}

/// The number columns, if the table has no others.
fn all_numbers(data: &Dataset) -> Option<Vec<(&str, &[f64])>> {
    data.columns()
        .iter()
        .map(|c| match &c.values {
            Values::Numbers(v) if v.iter().all(|x| x.is_finite()) => Some((c.name.as_str(), v.as_slice())),
            _ => None,
        })
        .collect()
}

/// The one picture that suits the task, if one does.
fn picture(scored: &Scored, model: &Model, request: &Request<'_>) -> Result<Option<Picture>> {
    let numbers = all_numbers(request.data);
    match (request.target, numbers.as_deref()) {
        (Target::Classes { codes, names }, Some([x, y])) => regions(model, codes, names, *x, *y).map(Some),
        (Target::Classes { codes, names }, _) => Ok(confusion(scored, codes, names)),
        (Target::Numbers(y), Some([x])) if y.cols() == 1 => curve(model, *x, &y.col(0), &request.info.names[0]).map(Some),
        (Target::Numbers(y), _) => Ok(predicted_true(scored, &y.col(0), &request.info.names[0])),
        (Target::Absent, _) => Ok(None),
    }
}

fn confusion(scored: &Scored, codes: &[usize], names: &[String]) -> Option<Picture> {
    let held_out = scored.out_of_fold.as_ref()?;
    let Predicted::Classes(found) = &held_out.predictions.values else { return None };
    let mut counts = vec![0; names.len() * names.len()];
    for (&row, p) in held_out.rows.iter().zip(found) {
        counts[codes[row] * names.len() + p] += 1;
    }
    Some(Picture::Confusion(Confusion { classes: names.to_vec(), counts }))
}

fn predicted_true(scored: &Scored, truth: &[f64], target: &str) -> Option<Picture> {
    let held_out = scored.out_of_fold.as_ref()?;
    let p = &held_out.predictions;
    let Predicted::Numbers(found) = &p.values else { return None };
    let truth: Vec<f64> = held_out.rows.iter().map(|&i| truth[i]).collect();
    let predicted = found.col(0);
    let z = normal_quantile(LEVEL);
    let intervals = p.variance.as_ref().map(|v| {
        let half = v.col(0).into_iter().map(|v| z * v.sqrt());
        predicted.iter().zip(half).map(|(m, h)| [m - h, m + h]).collect()
    });
    let intervals = intervals.unwrap_or_default();
    Some(Picture::PredictedTrue(PredictedTrue { target: target.to_owned(), truth, predicted, intervals, level: LEVEL }))
}

/// The ends of an axis: the data with a margin.
fn span(values: &[f64]) -> [f64; 2] {
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    let margin = if high > low { 0.06 * (high - low) } else { 0.5 };
    [low - margin, high + margin]
}

fn numbers_table(columns: Vec<(&str, Vec<f64>)>) -> Result<Dataset> {
    Dataset::new(columns.into_iter().map(|(name, v)| Column { name: name.to_owned(), values: Values::Numbers(v) }).collect())
}

fn regions(model: &Model, codes: &[usize], names: &[String], x: (&str, &[f64]), y: (&str, &[f64])) -> Result<Picture> {
    let (across, upwards) = (span(x.1), span(y.1));
    let middle = |ends: [f64; 2], k: usize| ends[0] + (ends[1] - ends[0]) * (k as f64 + 0.5) / CELLS as f64;
    let grid_x = (0..CELLS * CELLS).map(|c| middle(across, c % CELLS)).collect();
    let grid_y = (0..CELLS * CELLS).map(|c| middle(upwards, c / CELLS)).collect();
    let grid = numbers_table(vec![(x.0, grid_x), (y.0, grid_y)])?;
    let predicted = match model.predict(&grid, Want::default(), &Control::default())?.values {
        Predicted::Classes(codes) => codes,
        Predicted::Numbers(_) => Vec::new(),
    };
    Ok(Picture::Regions(Regions {
        axes: [x.0.to_owned(), y.0.to_owned()],
        classes: names.to_vec(),
        across,
        upwards,
        cells: CELLS,
        predicted,
        points: x.1.iter().zip(y.1).map(|(a, b)| [*a, *b]).collect(),
        codes: codes.to_vec(),
        support: model.support_rows(),
    }))
}

fn curve(model: &Model, x: (&str, &[f64]), y: &[f64], target: &str) -> Result<Picture> {
    let [low, high] = span(x.1);
    let at: Vec<f64> = (0..CURVE).map(|k| low + (high - low) * k as f64 / (CURVE - 1) as f64).collect();
    let p = model.predict(&numbers_table(vec![(x.0, at.clone())])?, Want { variance: true, ..Want::default() }, &Control::default())?;
    let mean = match &p.values {
        Predicted::Numbers(m) => m.col(0),
        Predicted::Classes(_) => Vec::new(),
    };
    let z = normal_quantile(LEVEL);
    let noise = p.noise.as_ref().and_then(|n| n.first()).copied().unwrap_or(0.0);
    let band = p
        .variance
        .as_ref()
        .map(|v| v.col(0).iter().zip(&mean).map(|(v, m)| (z * (v + noise).sqrt(), m)).map(|(h, m)| [m - h, m + h]).collect());
    Ok(Picture::Curve(Curve {
        input: x.0.to_owned(),
        target: target.to_owned(),
        at,
        mean,
        band: band.unwrap_or_default(),
        level: LEVEL,
        x: x.1.to_vec(),
        y: y.to_vec(),
        support: model.support_rows(),
    }))
}
