//! Intervals, prediction sets and p-values of new rows.

use super::quantile::SortedScores;
use super::scores::class_scores;
use super::{Conformal, ConformalScore, check_level};
use crate::error::{Error, Result};
use crate::estimators::{Predicted, Predictions};
use crate::linalg::Matrix;

impl Conformal {
    /// Lower and upper ends of the intervals that hold a new target with probability `level`, M x outputs each; infinite where there are too
    /// few scores. `groups`: the group of each row, where the scores have groups.
    ///
    /// # Errors
    /// A level that does not lie strictly between 0 and 1; predictions of classes, or without what [`Conformal::want`] asks for; groups
    /// that are missing or unknown.
    pub fn interval(&self, predictions: &Predictions, level: f64, groups: Option<&[String]>) -> Result<(Matrix, Matrix)> {
        check_level(level)?;
        let (centres, scale) = (predictions.centres()?, self.scale(predictions)?);
        let categories = self.categories_of(groups, centres.rows())?;
        let quantiles: Vec<Vec<f64>> = (0..self.scores.cols()).map(|o| self.quantiles(level, o)).collect::<Result<_>>()?;
        Error::unless_equal("outputs of conformity scores", self.scores.cols(), centres.cols())?;
        let in_units = |z: f64| predictions.transformed.as_ref().map_or(z, |t| t.transform.inverse(z));
        let end = |side: f64| {
            Matrix::from_fn(centres.rows(), centres.cols(), |i, o| {
                let reach = match (quantiles[o][categories[i]], &scale) {
                    // An infinite quantile times a deviation of 0 is no number.
                    (q, Some(scale)) if q.is_finite() => q * scale[(i, o)],
                    (q, _) => q,
                };
                in_units(centres[(i, o)] + side * reach)
            })
        };
        Ok((end(-1.0), end(1.0)))
    }

    /// Whether the prediction set that holds the true class with probability `level` holds each class: M rows, a flag for each class. A set
    /// may be empty: no class conforms. `groups` as for [`Conformal::interval`].
    ///
    /// # Errors
    /// As [`Conformal::interval`], and predictions of numbers.
    pub fn sets(&self, predictions: &Predictions, classes: usize, level: f64, groups: Option<&[String]>) -> Result<Vec<Vec<bool>>> {
        let quantiles = self.quantiles(level, 0)?;
        self.each_class(predictions, classes, groups, |score, category| score <= quantiles[category])
    }

    /// The p-value of each class, M x classes: the share of rows, the new one among them, that conform no better. `groups` as for
    /// [`Conformal::interval`].
    ///
    /// # Errors
    /// As [`Conformal::sets`].
    pub fn class_p_values(&self, predictions: &Predictions, classes: usize, groups: Option<&[String]>) -> Result<Matrix> {
        let sorted = self.sorted(0);
        let rows = self.each_class(predictions, classes, groups, |score, category| sorted[category].p_value(score))?;
        Matrix::new(rows.len(), classes, rows.concat())
    }

    /// The p-value of each given number, M x outputs. `groups` as for [`Conformal::interval`].
    ///
    /// # Errors
    /// As [`Conformal::interval`], and numbers of another shape than the predictions.
    pub fn number_p_values(&self, predictions: &Predictions, y: &Matrix, groups: Option<&[String]>) -> Result<Matrix> {
        let (centres, scale) = (predictions.centres()?, self.scale(predictions)?);
        let categories = self.categories_of(groups, centres.rows())?;
        Error::unless_equal("rows of the target", centres.rows(), y.rows())?;
        Error::unless_equal("columns of the target", centres.cols(), y.cols())?;
        Error::unless_equal("outputs of conformity scores", self.scores.cols(), centres.cols())?;
        let sorted: Vec<Vec<SortedScores>> = (0..centres.cols()).map(|o| self.sorted(o)).collect();
        let transform = predictions.transformed.as_ref().map(|t| t.transform);
        let score = |i: usize, o: usize| {
            // A number without a transformed value conforms worse than all.
            let z = transform.map_or(Some(y[(i, o)]), |t| t.forward(y[(i, o)]));
            z.map_or(f64::INFINITY, |z| (z - centres[(i, o)]).abs() / scale.as_ref().map_or(1.0, |scale| scale[(i, o)]))
        };
        Ok(Matrix::from_fn(y.rows(), y.cols(), |i, o| sorted[o][categories[i]].p_value(score(i, o))))
    }

    /// What residuals were divided by; `None` where they were not.
    fn scale(&self, predictions: &Predictions) -> Result<Option<Matrix>> {
        match self.score {
            ConformalScore::Residual => Ok(None),
            ConformalScore::ScaledResidual => {
                let lacks = || Error::Data("intervals scaled by the standard deviation need predictions with a variance".into());
                let variance = predictions.target_variance().ok_or_else(lacks)?;
                Ok(Some(Matrix::from_fn(variance.rows(), variance.cols(), |i, o| variance[(i, o)].max(0.0).sqrt())))
            }
            ConformalScore::Probability | ConformalScore::DecisionValue => {
                Err(Error::Data("an interval is of numbers, and the model predicts classes; ask for a prediction set".into()))
            }
        }
    }

    /// A value for each class of each row, by its score and its category.
    fn each_class<T>(
        &self,
        predictions: &Predictions,
        classes: usize,
        groups: Option<&[String]>,
        value: impl Fn(f64, usize) -> T,
    ) -> Result<Vec<Vec<T>>> {
        let of_classes = matches!(self.score, ConformalScore::Probability | ConformalScore::DecisionValue);
        if !of_classes || matches!(predictions.values, Predicted::Numbers(_)) {
            return Err(Error::Data("a prediction set is of classes, and the model predicts numbers; ask for an interval".into()));
        }
        let scores = class_scores(predictions, self.score, classes)?;
        let by_class = self.categories.as_ref().is_some_and(|of| of.column.is_none());
        let categories = if by_class { Vec::new() } else { self.categories_of(groups, scores.rows())? };
        let of = |i: usize, c: usize| value(scores[(i, c)], if by_class { c } else { categories[i] });
        Ok((0..scores.rows()).map(|i| (0..classes).map(|c| of(i, c)).collect()).collect())
    }

    /// The category of each of so many rows.
    fn categories_of(&self, groups: Option<&[String]>, rows: usize) -> Result<Vec<usize>> {
        let Some((of, column)) = self.categories.as_ref().and_then(|of| Some((of, of.column.as_ref()?))) else {
            return match groups {
                Some(_) => Err(Error::Setting {
                    name: "groups".into(),
                    why: "the model has no conformity scores by group; leave them out, or name the groups at the fit".into(),
                }),
                None => Ok(vec![0; rows]),
            };
        };
        let lacks = || Error::Setting {
            name: "groups".into(),
            why: format!("intervals are by '{column}'; give the value of '{column}' for each row"),
        };
        let groups = groups.ok_or_else(lacks)?;
        Error::unless_equal(&format!("rows of '{column}'"), rows, groups.len())?;
        let code = |(i, label): (usize, &String)| {
            of.names.binary_search(label).map_err(|_| {
                Error::Data(format!(
                    "row {}: '{column}' is '{label}', and no conformity score is of that group; there are: {}",
                    i + 1,
                    of.names.join(", ")
                ))
            })
        };
        groups.iter().enumerate().map(code).collect()
    }
}
