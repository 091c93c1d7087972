//! Predictions as CSV: one line per row of the table, in its order.

use super::pictures::normal_quantile;
use crate::error::{Error, Result};
use crate::estimators::{Predicted, Predictions};
use crate::learner::Model;
use crate::linalg::Matrix;
use crate::param::{Domain, Value};

/// Columns besides the prediction itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct PredictionColumns {
    /// Standard deviation of a new target.
    pub std: bool,
    /// Ends of the central interval of this probability for a new target.
    pub interval: Option<f64>,
    /// Probability of each class.
    pub probabilities: bool,
}

/// Standard deviations of a new target around each predicted number, M x outputs; `None` where the model has no
/// variance or it was not wanted.
pub fn standard_deviation(predictions: &Predictions) -> Option<Matrix> {
    predictions.variance.as_ref().map(|variance| {
        Matrix::from_fn(variance.rows(), variance.cols(), |i, o| {
            let noise = predictions.noise.as_ref().and_then(|n| n.get(o)).copied().unwrap_or(0.0);
            (variance[(i, o)] + noise).sqrt()
        })
    })
}

/// Lower and upper ends of the central interval that holds a new target with probability `level`, M x outputs each;
/// `None` where the model has no variance or it was not wanted.
///
/// # Errors
/// A level that does not lie strictly between 0 and 1.
pub fn interval(predictions: &Predictions, level: f64) -> Result<Option<(Matrix, Matrix)>> {
    Domain::Fraction.check("interval", "level", &Value::Number(level))?;
    let (Some(sd), Predicted::Numbers(mean)) = (standard_deviation(predictions), &predictions.values) else { return Ok(None) };
    let z = normal_quantile(level);
    let end = |side: f64| Matrix::from_fn(mean.rows(), mean.cols(), |i, o| mean[(i, o)] + side * (z * sd[(i, o)]));
    Ok(Some((end(-1.0), end(1.0))))
}

/// Header and lines. The prediction bears the target's name; `_std`, `_lower`, `_upper` and `_CLASS` are added to it.
pub fn predictions_csv(model: &Model, predictions: &Predictions, columns: PredictionColumns) -> Result<String> {
    predictions_csv_beside(model, predictions, columns, &[])
}

/// The same to the right of columns of the table, each with a text for every row; a prediction whose name is one of theirs has
/// `_predicted` added to it.
///
/// # Errors
/// Columns that the model cannot give, and kept ones of another length.
pub fn predictions_csv_beside(
    model: &Model,
    predictions: &Predictions,
    columns: PredictionColumns,
    kept: &[(String, Vec<String>)],
) -> Result<String> {
    let lacks = |option: &str, what: &str, has: &str| {
        Err(Error::Setting { name: option.into(), why: format!("{} has no {what}; fit {has}, or leave it out", model.estimator.name()) })
    };
    let taken = |name: &String| kept.iter().any(|(other, _)| other == name);
    let names: Vec<String> = model.target.names.iter().map(|n| if taken(n) { format!("{n}_predicted") } else { n.clone() }).collect();
    let mut header: Vec<String> = names.clone();
    let mut cells: Vec<Vec<String>> = match &predictions.values {
        Predicted::Classes(codes) => codes.iter().map(|&k| vec![model.target.class(k).to_owned()]).collect(),
        Predicted::Numbers(m) => (0..m.rows()).map(|i| m.row(i).iter().map(f64::to_string).collect()).collect(),
    };
    if columns.std || columns.interval.is_some() {
        let Some(sd) = standard_deviation(predictions) else {
            return lacks(if columns.std { "--std" } else { "--interval" }, "predictive variance", "gp");
        };
        let ends = columns.interval.map(|level| interval(predictions, level)).transpose()?.flatten();
        for (o, name) in names.iter().enumerate() {
            if columns.std {
                header.push(format!("{name}_std"));
                cells.iter_mut().enumerate().for_each(|(i, row)| row.push(sd[(i, o)].to_string()));
            }
            if let Some((low, high)) = &ends {
                header.extend([format!("{name}_lower"), format!("{name}_upper")]);
                cells.iter_mut().enumerate().for_each(|(i, row)| row.extend([low[(i, o)].to_string(), high[(i, o)].to_string()]));
            }
        }
    }
    if columns.probabilities {
        let Some(p) = &predictions.probabilities else { return lacks("--probabilities", "class probabilities", "knn") };
        for (k, class) in model.target.classes.iter().flatten().enumerate() {
            header.push(format!("{}_{class}", names.first().map_or("", String::as_str)));
            cells.iter_mut().enumerate().for_each(|(i, row)| row.push(p[(i, k)].to_string()));
        }
    }
    let fault = |e: String| Error::Numerical { what: "writing CSV".into(), why: e };
    let mut writer = csv::Writer::from_writer(Vec::new());
    if let Some((name, column)) = kept.iter().find(|(_, column)| column.len() != cells.len()) {
        return Err(Error::Shape { what: format!("rows of column '{name}'"), expected: cells.len(), found: column.len() });
    }
    let left = kept.iter().map(|(name, _)| name);
    writer.write_record(left.chain(&header)).map_err(|e| fault(e.to_string()))?;
    for (i, row) in cells.iter().enumerate() {
        writer.write_record(kept.iter().map(|(_, column)| &column[i]).chain(row)).map_err(|e| fault(e.to_string()))?;
    }
    let bytes = writer.into_inner().map_err(|e| fault(e.to_string()))?;
    String::from_utf8(bytes).map_err(|e| fault(e.to_string()))
}
