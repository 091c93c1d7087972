//! Generative models and fitted distributions seen through object-safe traits, over tables.

use super::{FittedDistribution, FreeParameter, GenerativeModel};
use crate::control::Control;
use crate::data::{ColumnNeeds, Dataset, Inputs, RowWeights, Values};
use crate::error::Result;
use crate::expr::Term;
use crate::linalg::Matrix;
use crate::param::{self, NumericSetting, Param, Value};
use std::borrow::Cow;

/// All columns of a table as one batch.
fn gather<I: Inputs>(rows: &Dataset) -> Result<Cow<'_, I>> {
    I::gather(rows, &(0..rows.columns().len()).collect::<Vec<_>>())
}

/// Fits a model to all columns of a table.
pub(super) fn fit<M: GenerativeModel>(
    model: &M,
    rows: &Dataset,
    weights: RowWeights<'_>,
    seed: u64,
    control: &Control,
) -> Result<M::Fitted> {
    weights.check(rows.rows())?;
    param::require_settled(model, M::NAME, M::PARAMS)?;
    let inputs = gather::<M::Inputs>(rows)?;
    model.check(&inputs)?;
    model.fit(&inputs, weights, seed, control)
}

/// A generative model whose type is forgotten.
pub(super) trait AnyModel {
    fn name(&self) -> &'static str;
    fn params(&self) -> &'static [Param];
    fn column_needs(&self) -> ColumnNeeds;
    fn term(&self) -> Term;
    fn numbers(&self) -> Vec<NumericSetting>;
    fn set(&mut self, path: &str, value: &Value) -> Result<()>;
    fn settle_on(&mut self, rows: &Dataset, weights: RowWeights<'_>) -> Result<()>;
    fn check(&self, rows: &Dataset) -> Result<()>;
    fn free_parameters(&self, rows: &Dataset) -> Option<usize>;
}

impl<M: GenerativeModel> AnyModel for M {
    fn name(&self) -> &'static str {
        M::NAME
    }
    fn params(&self) -> &'static [Param] {
        M::PARAMS
    }
    fn column_needs(&self) -> ColumnNeeds {
        ColumnNeeds { as_is: M::AS_IS, ..ColumnNeeds::of::<M::Inputs>() }
    }
    fn term(&self) -> Term {
        param::call(M::NAME, self, M::PARAMS)
    }
    fn numbers(&self) -> Vec<NumericSetting> {
        param::numbers(self, M::PARAMS)
    }
    fn set(&mut self, path: &str, value: &Value) -> Result<()> {
        param::set_at(self, M::NAME, M::PARAMS, path, value)
    }
    fn settle_on(&mut self, rows: &Dataset, weights: RowWeights<'_>) -> Result<()> {
        *self = self.settle(gather::<M::Inputs>(rows)?.as_ref(), weights);
        Ok(())
    }
    fn check(&self, rows: &Dataset) -> Result<()> {
        GenerativeModel::check(self, gather::<M::Inputs>(rows)?.as_ref())
    }
    fn free_parameters(&self, rows: &Dataset) -> Option<usize> {
        GenerativeModel::free_parameters(self, gather::<M::Inputs>(rows).ok()?.as_ref())
    }
}

/// A fitted distribution whose type is forgotten.
pub(super) trait AnyDistribution {
    fn parameters(&self) -> Vec<FreeParameter>;
    fn log_densities(&self, rows: &Dataset) -> Result<Vec<f64>>;
    fn scores(&self, rows: &Dataset) -> Result<Matrix>;
    fn information(&self) -> Option<Matrix>;
    fn whitened_scores(&self, rows: &Dataset) -> Result<Option<Matrix>>;
    fn sample(&self, rows: usize, seed: u64) -> Result<Values>;
    fn is_maximum_likelihood(&self) -> bool;
    fn notices(&self) -> Vec<String>;
}

impl<F: FittedDistribution> AnyDistribution for F {
    fn parameters(&self) -> Vec<FreeParameter> {
        FittedDistribution::parameters(self)
    }
    fn log_densities(&self, rows: &Dataset) -> Result<Vec<f64>> {
        FittedDistribution::log_densities(self, gather::<F::Inputs>(rows)?.as_ref())
    }
    fn scores(&self, rows: &Dataset) -> Result<Matrix> {
        FittedDistribution::scores(self, gather::<F::Inputs>(rows)?.as_ref())
    }
    fn information(&self) -> Option<Matrix> {
        FittedDistribution::information(self)
    }
    fn whitened_scores(&self, rows: &Dataset) -> Result<Option<Matrix>> {
        FittedDistribution::whitened_scores(self, gather::<F::Inputs>(rows)?.as_ref())
    }
    fn sample(&self, rows: usize, seed: u64) -> Result<Values> {
        FittedDistribution::sample(self, rows, seed)
    }
    fn is_maximum_likelihood(&self) -> bool {
        FittedDistribution::is_maximum_likelihood(self)
    }
    fn notices(&self) -> Vec<String> {
        FittedDistribution::notices(self)
    }
}
