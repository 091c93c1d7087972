//! How predicted numbers and their variances change with the numbers of a row: derivatives in the columns of the table, in its units.

use super::Model;
use crate::control::{Control, contain};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::estimators::{Fitted, GradientQuery, PredictionGradient};
use crate::linalg::Matrix;
use crate::prep::NumberScale;

/// Derivatives of predictions in the numbers of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct InputGradient {
    /// The numbers of a row: columns of numbers and coordinates of vectors, in the order of training.
    pub numbers: Vec<String>,
    /// Of the predicted number, rows x numbers, one for each output.
    pub mean: Vec<Matrix>,
    /// Of its variance without the noise of a target, where the model has one (gp).
    pub variance: Option<Vec<Matrix>>,
}

/// Rows whose derivatives are computed at a time: k(x, x) is differentiated among them.
const TOGETHER: usize = 256;

impl Model {
    /// The derivatives of predicted numbers, and of their variances where the model has such, in the columns of numbers and of vectors of
    /// each row, in the units of the table; columns of other kinds stay as they are and have none. A column that is left out has the
    /// derivative 0. A missing cell that is filled is taken at its filling.
    ///
    /// # Errors
    /// Rows without the training columns, or none of numbers; a kernel or an estimator without this derivative, by name; bounds of `control`.
    pub fn predict_gradient(&self, data: &Dataset, control: &Control) -> Result<InputGradient> {
        control.check()?;
        contain(format_args!("differentiating predictions of {}", self.estimator.name()), || {
            let prepared = self.prep.apply(data)?;
            let scales = self.prep.number_scales(data, &prepared)?;
            if scales.is_empty() {
                return Err(Error::Data(
                    "a derivative in the inputs needs a column of numbers or of vectors, and the model has none".into(),
                ));
            }
            let (mut mean, mut variance) = (Vec::new(), None);
            for start in (0..prepared.rows().max(1)).step_by(TOGETHER) {
                let rows: Vec<usize> = (start..prepared.rows().min(start + TOGETHER)).collect();
                let found = self.gradient_of_prepared(&prepared.select(&rows), control)?;
                append(&mut mean, in_units(&found.mean, &scales));
                if let Some(found) = found.variance {
                    append(variance.get_or_insert_default(), in_units(&found, &scales));
                }
            }
            Ok(InputGradient { numbers: scales.into_iter().map(|number| number.name).collect(), mean, variance })
        })
    }

    /// Derivatives in the numbers of prepared rows.
    fn gradient_of_prepared(&self, rows: &Dataset, control: &Control) -> Result<PredictionGradient> {
        let cross = self.support.reference(&self.kernel, control)?.cross(rows, control)?;
        let whole = self.kernel.expr().needs_training_rows();
        let among = if whole { None } else { Some(self.kernel.gram(rows, control)?) };
        let support = whole.then(|| self.fitted.support());
        let query = GradientQuery { cross: cross.as_ref(), support, among: among.as_deref(), control };
        let named = |error| match error {
            Error::Data(why) => Error::Data(format!("{}: {why}", self.kernel)),
            other => other,
        };
        self.fitted.predict_gradient(&query).map_err(named)?.ok_or_else(|| {
            let able = "of numbers by gp (gaussian), ridge, svr, nu_svr, rvm, l1vm, l2vm or rbf_network";
            Error::Data(format!("{} has no derivative of predictions in the inputs; fit a model {able}", self.estimator))
        })
    }
}

/// In the units of the table, from the derivatives in prepared numbers.
fn in_units(gradients: &[Matrix], scales: &[NumberScale]) -> Vec<Matrix> {
    let number = |of: &Matrix, i: usize, j: usize| scales[j].place.map_or(0.0, |place| of[(i, place)] / scales[j].scale);
    gradients.iter().map(|of| Matrix::from_fn(of.rows(), scales.len(), |i, j| number(of, i, j))).collect()
}

/// Appends the rows of each output.
fn append(all: &mut Vec<Matrix>, some: Vec<Matrix>) {
    if all.is_empty() {
        *all = some;
        return;
    }
    all.iter_mut().zip(some).for_each(|(all, some)| all.append_rows(some));
}
