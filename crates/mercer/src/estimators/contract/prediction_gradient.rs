//! Derivatives of predictions of numbers in the numbers of new inputs.

use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{Bound, Subset, dense};
use crate::linalg::Matrix;

/// What derivatives of predictions for M new inputs are computed from.
#[derive(Clone, Copy)]
pub struct GradientQuery<'a> {
    /// The kernel between the new inputs and the support.
    pub cross: &'a dyn Bound,
    /// Which columns of it are the support, where it has others besides.
    pub support: Option<&'a [usize]>,
    /// The kernel among the new inputs, where variances are differentiated too.
    pub among: Option<&'a dyn Bound>,
    /// Bounds and watchers.
    pub control: &'a Control,
}

/// Derivatives for M new inputs of so many numbers each: one matrix M x numbers for each output.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionGradient {
    /// Of the predicted numbers, or of the mean of a distribution.
    pub mean: Vec<Matrix>,
    /// Of the variance of that mean, where the model has one.
    pub variance: Option<Vec<Matrix>>,
}

impl GradientQuery<'_> {
    /// How many new inputs there are.
    pub(crate) fn rows(&self) -> usize {
        self.cross.shape().0
    }

    /// Kernel values with the support.
    pub(crate) fn values(&self) -> Result<Matrix> {
        let Some(support) = self.support else { return dense(self.cross, self.control) };
        let rows: Vec<usize> = (0..self.rows()).collect();
        dense(&Subset::new(self.cross, &rows, support), self.control)
    }

    /// sum_s weights_is dk(x_i, z_s)/dx_i over the support, M x numbers of an input.
    ///
    /// # Errors
    /// As of [`Bound::input_gradient`]; weights of another number than the support has, as a damaged model file may bring about.
    pub(crate) fn gradient(&self, weights: Matrix) -> Result<Matrix> {
        let columns = self.cross.shape().1;
        let Some(support) = self.support else {
            Error::unless_equal("rows of the support", columns, weights.cols())?;
            return self.cross.input_gradient(&weights, self.control);
        };
        Error::unless_equal("rows of the support", support.len(), weights.cols())?;
        let mut all = Matrix::zeros(weights.rows(), columns);
        for i in 0..weights.rows() {
            support.iter().zip(weights.row(i)).for_each(|(&s, w)| all[(i, s)] = *w);
        }
        self.cross.input_gradient(&all, self.control)
    }

    /// dk(x, x)/dx of each new input, where variances are asked for: both places of the kernel change alike.
    pub(crate) fn of_own_values(&self) -> Result<Option<Matrix>> {
        let twice = |among: &dyn Bound| {
            let m = among.shape().0;
            let mut weights = Matrix::zeros(m, m);
            weights.add_to_diagonal(&vec![2.0; m]);
            among.input_gradient(&weights, self.control)
        };
        self.among.map(twice).transpose()
    }
}
