//! Generative models and fitted distributions seen through object-safe traits, over tables.

use super::{Coordinates, FittedDistribution, FreeParameter, GenerativeModel, HiddenStates, ParameterArray};
use crate::control::Control;
use crate::data::{ColumnNeeds, Dataset, Inputs, RowWeights, Values};
use crate::error::{Error, Result};
use crate::expr::Term;
use crate::linalg::Matrix;
use crate::notice::Notice;
use crate::param::{self, NumericSetting, Value};
use std::borrow::Cow;

/// All columns of a table as one batch.
fn gather<I: Inputs>(rows: &Dataset) -> Result<Cow<'_, I>> {
    I::gather(rows, &(0..rows.columns().len()).collect::<Vec<_>>())
}

/// The inputs of a fit to all columns of a table, checked like the weights and the parameters.
fn checked<'d, M: GenerativeModel>(model: &M, rows: &'d Dataset, weights: RowWeights<'_>) -> Result<Cow<'d, M::Inputs>> {
    weights.check(rows.rows())?;
    param::require_settled(model, M::NAME)?;
    let inputs = gather::<M::Inputs>(rows)?;
    model.check(&inputs)?;
    Ok(inputs)
}

/// Fits a model to all columns of a table.
pub(super) fn fit<M: GenerativeModel>(
    model: &M,
    rows: &Dataset,
    weights: RowWeights<'_>,
    seed: u64,
    control: &Control,
) -> Result<M::Fitted> {
    model.fit(checked(model, rows, weights)?.as_ref(), weights, seed, control)
}

/// Fits a model to few rows of a table, in the shape of a fit to all of them.
pub(super) fn fit_like<M: GenerativeModel>(
    model: &M,
    rows: &Dataset,
    pooled: &M::Fitted,
    seed: u64,
    control: &Control,
) -> Result<M::Fitted> {
    model.fit_like(gather::<M::Inputs>(rows)?.as_ref(), pooled, seed, control)
}

/// Fits a model to some rows of a table: see [`GenerativeModel::fit_class`].
pub(super) fn fit_class<M: GenerativeModel>(
    model: &M,
    rows: &Dataset,
    weights: RowWeights<'_>,
    (all, of_all): (&Dataset, RowWeights<'_>),
    seed: u64,
    control: &Control,
) -> Result<M::Fitted> {
    model.fit_class(checked(model, rows, weights)?.as_ref(), weights, (gather::<M::Inputs>(all)?.as_ref(), of_all), seed, control)
}

/// What only a damaged file brings about.
pub(super) fn unlike() -> Error {
    Error::Data("a fitted model is not of the model that it is compared with".into())
}

/// A generative model whose type is forgotten. [`GenerativeExpr`](super::GenerativeExpr) is one: its methods are those of its model.
pub trait DynModel {
    /// The name of the model.
    fn name(&self) -> &'static str;
    /// The columns that the model is a distribution of.
    fn column_needs(&self) -> ColumnNeeds;
    /// The expression that it is.
    fn term(&self) -> Term;
    /// Every number among the parameters, with its path.
    fn numbers(&self) -> Vec<NumericSetting>;
    /// Sets the number at a path.
    ///
    /// # Errors
    /// A path that there is not; a value outside of its domain.
    fn set(&mut self, path: &str, value: &Value) -> Result<()>;
    /// Replaces every `auto` that is not left to the fit by what the rows suggest, and every range by its point nearest to that.
    ///
    /// # Errors
    /// Rows that do not hold its kind of input.
    fn settle_on(&mut self, rows: &Dataset, weights: RowWeights<'_>) -> Result<()>;
    /// Checks that parameters and rows fit together.
    ///
    /// # Errors
    /// Parameters that do not, such as a list of another length than a row.
    fn check(&self, rows: &Dataset) -> Result<()>;
    /// Free parameters of a fit to such rows; `None` where only a fit tells.
    fn free_parameters(&self, rows: &Dataset) -> Option<usize>;
}

impl<M: GenerativeModel> DynModel for M {
    fn name(&self) -> &'static str {
        M::NAME
    }
    fn column_needs(&self) -> ColumnNeeds {
        ColumnNeeds { as_is: M::AS_IS, ..ColumnNeeds::of::<M::Inputs>() }
    }
    fn term(&self) -> Term {
        param::call(M::NAME, self)
    }
    fn numbers(&self) -> Vec<NumericSetting> {
        param::numbers(self)
    }
    fn set(&mut self, path: &str, value: &Value) -> Result<()> {
        param::set_at(self, M::NAME, path, value)
    }
    fn settle_on(&mut self, rows: &Dataset, weights: RowWeights<'_>) -> Result<()> {
        let inputs = gather::<M::Inputs>(rows)?;
        param::settle_from_defaults(self, &M::default());
        *self = self.settle(inputs.as_ref(), weights);
        Ok(())
    }
    fn check(&self, rows: &Dataset) -> Result<()> {
        GenerativeModel::check(self, gather::<M::Inputs>(rows)?.as_ref())
    }
    fn free_parameters(&self, rows: &Dataset) -> Option<usize> {
        GenerativeModel::free_parameters(self, gather::<M::Inputs>(rows).ok()?.as_ref())
    }
}

/// A fitted distribution whose type is forgotten. [`FittedGenerative`](super::FittedGenerative) is one. Each method takes rows that hold the
/// columns of the fit and no others: see [`FittedDistribution`].
pub trait DynDistribution {
    /// The free parameters theta, in the order of the score vector.
    fn parameters(&self) -> Vec<FreeParameter>;
    /// ln p(x) of each row.
    ///
    /// # Errors
    /// Rows of another shape than those of the fit.
    fn log_densities(&self, rows: &Dataset) -> Result<Vec<f64>>;
    /// The score vector of each row.
    ///
    /// # Errors
    /// As [`DynDistribution::log_densities`].
    fn scores(&self, rows: &Dataset) -> Result<Matrix>;
    /// [`DynDistribution::log_densities`] of rows that take long.
    ///
    /// # Errors
    /// As [`DynDistribution::log_densities`]; bounds of `control`.
    fn log_densities_within(&self, rows: &Dataset, control: &Control) -> Result<Vec<f64>>;
    /// [`DynDistribution::scores`] of rows that take long.
    ///
    /// # Errors
    /// As [`DynDistribution::scores`]; bounds of `control`.
    fn scores_within(&self, rows: &Dataset, control: &Control) -> Result<Matrix>;
    /// The Fisher information of one row, where a formula is known.
    fn information(&self) -> Option<Matrix>;
    /// Score vectors times the inverse root of the information, where there is a closed form.
    ///
    /// # Errors
    /// As [`DynDistribution::log_densities`].
    fn whitened_scores(&self, rows: &Dataset) -> Result<Option<Matrix>>;
    /// The parameters as named arrays.
    fn arrays(&self, coordinates: &Coordinates) -> Vec<ParameterArray>;
    /// Factors that the density of each row is a product of.
    ///
    /// # Errors
    /// Rows that do not hold the columns of the fit.
    fn observations(&self, rows: &Dataset) -> Result<Vec<usize>>;
    /// The states behind each row; `None` for a model that has none.
    ///
    /// # Errors
    /// As [`DynDistribution::log_densities`]; bounds of `control`.
    fn hidden_states(&self, rows: &Dataset, control: &Control) -> Result<Option<Vec<HiddenStates>>>;
    /// Rows that hold what the fit knows nothing of.
    ///
    /// # Errors
    /// Rows that do not hold the columns of the fit.
    fn unseen(&self, rows: &Dataset) -> Result<Option<(Vec<usize>, Notice)>>;
    /// Draws so many rows.
    ///
    /// # Errors
    /// More than fit in memory.
    fn sample(&self, rows: usize, seed: u64) -> Result<Values>;
    /// Whether theta maximises the weighted likelihood of the rows of the fit.
    fn is_maximum_likelihood(&self) -> bool;
    /// What the user should know of the fit.
    fn notices(&self) -> Vec<Notice>;
}

impl<F: FittedDistribution> DynDistribution for F {
    fn parameters(&self) -> Vec<FreeParameter> {
        FittedDistribution::parameters(self)
    }
    fn log_densities(&self, rows: &Dataset) -> Result<Vec<f64>> {
        FittedDistribution::log_densities(self, gather::<F::Inputs>(rows)?.as_ref())
    }
    fn scores(&self, rows: &Dataset) -> Result<Matrix> {
        FittedDistribution::scores(self, gather::<F::Inputs>(rows)?.as_ref())
    }
    fn log_densities_within(&self, rows: &Dataset, control: &Control) -> Result<Vec<f64>> {
        FittedDistribution::log_densities_within(self, gather::<F::Inputs>(rows)?.as_ref(), control)
    }
    fn scores_within(&self, rows: &Dataset, control: &Control) -> Result<Matrix> {
        FittedDistribution::scores_within(self, gather::<F::Inputs>(rows)?.as_ref(), control)
    }
    fn information(&self) -> Option<Matrix> {
        FittedDistribution::information(self)
    }
    fn whitened_scores(&self, rows: &Dataset) -> Result<Option<Matrix>> {
        FittedDistribution::whitened_scores(self, gather::<F::Inputs>(rows)?.as_ref())
    }
    fn arrays(&self, coordinates: &Coordinates) -> Vec<ParameterArray> {
        FittedDistribution::arrays(self, coordinates)
    }
    fn observations(&self, rows: &Dataset) -> Result<Vec<usize>> {
        Ok(FittedDistribution::observations(self, gather::<F::Inputs>(rows)?.as_ref()))
    }
    fn hidden_states(&self, rows: &Dataset, control: &Control) -> Result<Option<Vec<HiddenStates>>> {
        FittedDistribution::hidden_states(self, gather::<F::Inputs>(rows)?.as_ref(), control)
    }
    fn unseen(&self, rows: &Dataset) -> Result<Option<(Vec<usize>, Notice)>> {
        Ok(FittedDistribution::unseen(self, gather::<F::Inputs>(rows)?.as_ref()))
    }
    fn sample(&self, rows: usize, seed: u64) -> Result<Values> {
        FittedDistribution::sample(self, rows, seed)
    }
    fn is_maximum_likelihood(&self) -> bool {
        FittedDistribution::is_maximum_likelihood(self)
    }
    fn notices(&self) -> Vec<Notice> {
        FittedDistribution::notices(self)
    }
}
