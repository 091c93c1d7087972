//! Conformity scores of rows from predictions by models that did not see them.

use super::{Conformal, ConformalBy, ConformalScore, ConformalSource, ScoreCategories};
use crate::data::Target;
use crate::error::{Error, Result};
use crate::estimators::{Predicted, Predictions};
use crate::linalg::Matrix;

/// Held-out rows with their predictions.
pub type HeldOutPart<'a> = (&'a [usize], &'a Predictions);

impl Predictions {
    /// Variance of a new target around each prediction, noise included; of a transformed target that of its transformed values.
    pub(crate) fn target_variance(&self) -> Option<Matrix> {
        let (Predicted::Numbers(_), Some(variance)) = (&self.values, &self.variance) else { return None };
        let noise = |o: usize| self.noise.as_ref().and_then(|noise| noise.get(o)).copied().unwrap_or(0.0);
        Some(Matrix::from_fn(variance.rows(), variance.cols(), |i, o| variance[(i, o)] + noise(o)))
    }

    /// The numbers that residuals are measured from: the transformed ones where the target was transformed.
    pub(super) fn centres(&self) -> Result<&Matrix> {
        match (&self.transformed, &self.values) {
            (Some(transformed), _) => Ok(&transformed.values),
            (None, Predicted::Numbers(values)) => Ok(values),
            (None, Predicted::Classes(_)) => {
                Err(Error::Data("an interval is of numbers, and the model predicts classes; ask for a prediction set".into()))
            }
        }
    }

    /// The standard deviation of a new target, where every one is above 0 and finite.
    pub(super) fn deviations(&self) -> Option<Matrix> {
        let variance = self.target_variance()?;
        let is_usable = variance.data().iter().all(|v| *v > 0.0 && v.is_finite());
        is_usable.then(|| Matrix::from_fn(variance.rows(), variance.cols(), |i, o| variance[(i, o)].sqrt()))
    }
}

/// The score of every class for each row: M x classes.
///
/// # Errors
/// Predictions without what the scores are made of, or by a model of other classes.
pub(super) fn class_scores(predictions: &Predictions, score: ConformalScore, classes: usize) -> Result<Matrix> {
    if score == ConformalScore::Probability {
        let p = predictions.probabilities.as_ref().filter(|p| p.cols() == classes);
        let p = p.ok_or_else(|| Error::Data(format!("prediction sets need the probabilities of {classes} classes")))?;
        return Ok(Matrix::from_fn(p.rows(), classes, |i, c| 1.0 - p[(i, c)]));
    }
    let values = predictions.scores_by_class(classes).filter(|values| values.cols() == classes || (values.cols() == 1 && classes == 2));
    let values = values.ok_or_else(|| {
        Error::Data(format!(
            "prediction sets need a decision value of each of {classes} classes, which a model fitted without a fold lacks; \
             add rows of the rarest class"
        ))
    })?;
    Ok(Matrix::from_fn(values.rows(), classes, |i, c| {
        let row = values.row(i);
        match row {
            // Above 0 for the second class.
            [value] if classes == 2 => [*value, -value][c],
            [_] => 0.0,
            _ => (0..classes).filter(|k| *k != c).map(|k| row[k]).fold(f64::NEG_INFINITY, f64::max) - row[c],
        }
    }))
}

impl Conformal {
    /// Scores of the rows of a target that were held out. `weights`: one for each row of the target.
    ///
    /// # Errors
    /// Predictions of another number of rows, without probabilities and decision values, or that are not finite; no target; no row.
    pub fn of(
        parts: &[HeldOutPart<'_>],
        target: &Target,
        weights: Option<&[f64]>,
        source: ConformalSource,
        by: ConformalBy<'_>,
    ) -> Result<Conformal> {
        let all = by.categories(target)?;
        let tested: Vec<usize> = parts.iter().flat_map(|(rows, _)| rows.iter().copied()).collect();
        if tested.is_empty() {
            return Err(Error::Data("conformal intervals need rows that were held out, and there are none".into()));
        }
        let transform = parts.iter().find_map(|(_, p)| p.transformed.as_ref()).map(|t| t.transform);
        let (score, scores) = match target {
            Target::Numbers(y) => residuals(parts, y)?,
            Target::Classes { codes, names } => of_true_classes(parts, codes, names.len())?,
            Target::Absent { .. } => return Err(Error::Data("conformal intervals are of a target, and there is none".into())),
        };
        Error::unless_equal("held-out predictions", tested.len(), scores.rows())?;
        if let Some(place) = scores.data().iter().position(|s| !s.is_finite()) {
            let row = tested[place / scores.cols().max(1)];
            return Err(Error::Data(format!(
                "row {}: its held-out prediction is not finite, so that it has no conformity score; regularise more",
                row + 1
            )));
        }
        let mut order: Vec<usize> = (0..tested.len()).collect();
        order.sort_by_key(|&place| tested[place]);
        let rows: Vec<usize> = order.iter().map(|&place| tested[place]).collect();
        Ok(Conformal {
            source,
            score,
            transform,
            scores: scores.select_rows(&order),
            weights: weights.map_or(Vec::new(), |w| rows.iter().map(|&i| w[i]).collect()),
            categories: all.map(|all| ScoreCategories { codes: rows.iter().map(|&i| all.codes[i]).collect(), ..all }),
        })
    }
}

/// Absolute residuals, scaled where every prediction has a deviation.
fn residuals(parts: &[HeldOutPart<'_>], y: &Matrix) -> Result<(ConformalScore, Matrix)> {
    let deviations: Option<Vec<Matrix>> = parts.iter().map(|(_, p)| p.deviations()).collect();
    let mut found: Option<Matrix> = None;
    for (k, (rows, predictions)) in parts.iter().enumerate() {
        let f = predictions.centres()?;
        Error::unless_equal("held-out predictions", rows.len(), f.rows())?;
        let transform = predictions.transformed.as_ref().map(|t| t.transform);
        let centred = |i: usize, o: usize| {
            let y = y[(rows[i], o)];
            (transform.map_or(Some(y), |t| t.forward(y)).unwrap_or(f64::NAN) - f[(i, o)]).abs()
        };
        let scale = |i: usize, o: usize| deviations.as_ref().map_or(1.0, |all| all[k][(i, o)]);
        let some = Matrix::from_fn(f.rows(), f.cols(), |i, o| centred(i, o) / scale(i, o));
        match &mut found {
            Some(all) => all.append_rows(some),
            None => found = Some(some),
        }
    }
    let score = if deviations.is_some() { ConformalScore::ScaledResidual } else { ConformalScore::Residual };
    Ok((score, found.unwrap_or_else(|| Matrix::zeros(0, y.cols()))))
}

/// Scores of the true classes.
fn of_true_classes(parts: &[HeldOutPart<'_>], codes: &[usize], classes: usize) -> Result<(ConformalScore, Matrix)> {
    let have = |has: &dyn Fn(&Predictions) -> bool| parts.iter().all(|(_, p)| has(p));
    let score = if have(&|p| p.probabilities.is_some()) {
        ConformalScore::Probability
    } else if have(&|p| p.scores.is_some()) {
        ConformalScore::DecisionValue
    } else {
        return Err(Error::Data("prediction sets need probabilities or decision values, and the estimator has neither".into()));
    };
    let mut all = Vec::new();
    for (rows, predictions) in parts {
        let scores = class_scores(predictions, score, classes)?;
        Error::unless_equal("held-out predictions", rows.len(), scores.rows())?;
        all.extend(rows.iter().enumerate().map(|(i, &row)| scores[(i, codes[row])]));
    }
    Ok((score, Matrix::column(all)))
}
