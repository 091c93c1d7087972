//! gaussian_mixture: p(x) = sum_k w_k N(x; m_k, S_k), several clouds of points (Murphy 2012, 11.2.1 and 11.4.2; Bishop 2006, 9.2).
//!
//! Fitted by expectation maximisation from several starts. To the rows that a component counts the prior adds prior - 1 that have the mean
//! and the variances of all rows, so that no variance falls to 0. The score vector is in ln(w_k / w_K), k < K, and in the mean and the
//! covariance of each component. The information has no closed form: `whitened_scores` takes that of rows whose component is known
//! (Perronnin, Sanchez & Mensink, Improving the Fisher kernel for large-scale image classification, 2010).

mod fitted;
mod training;

use super::distinct::{compare_numbers, distinct};
use super::gaussian::{CovarianceForm, Moments};
use super::hmm::{ITERATIONS, PRIOR, STARTS, TOLERANCE, check_prior};
use super::{GenerativeModel, hidden};
use crate::control::Control;
use crate::data::{Cells, Points, RowWeights};
use crate::error::{Error, Result};
use crate::param::Value;
use fitted::FittedGaussianMixture;
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};
use training::Training;

/// The mixture of normal distributions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct GaussianMixture {
    /// number of clouds
    #[param(default = 2.0, domain = Integer(1, 100_000))]
    components: Value,
    /// S_k: diagonal, a variance per column; full, also a covariance per pair of columns; spherical, one variance for all columns
    #[param(default = CovarianceForm::Diagonal)]
    covariance: CovarianceForm,
    #[param(STARTS, default = 3.0)]
    starts: Value,
    #[param(ITERATIONS, default = 100.0)]
    iterations: Value,
    #[param(PRIOR, default = 1.1)]
    prior: Value,
    #[param(TOLERANCE, default = 1e-6)]
    tolerance: Value,
}

impl GenerativeModel for GaussianMixture {
    const NAME: &'static str = "gaussian_mixture";
    const DOC: &'static str = "sum over k of w_k N(x; m_k, S_k): several clouds of points, each with a mean and a covariance";
    const SOURCE: &'static str = "Murphy (2012), sections 11.2.1 and 11.4.2; Perronnin, Sanchez & Mensink (2010) for Fisher vectors";
    type Inputs = Points;
    type Fitted = FittedGaussianMixture;

    fn check(&self, _: &Points) -> Result<()> {
        check_prior(Self::NAME, &self.prior)
    }
    fn free_parameters(&self, inputs: &Points) -> Option<usize> {
        let (components, dim) = (self.components.integer(), inputs.dim());
        let variances = match self.covariance {
            CovarianceForm::Diagonal => dim,
            CovarianceForm::Full => dim * (dim + 1) / 2,
            CovarianceForm::Spherical => 1,
        };
        Some(components * (1 + dim + variances) - 1)
    }
    fn fit(&self, inputs: &Points, weights: RowWeights<'_>, seed: u64, control: &Control) -> Result<FittedGaussianMixture> {
        self.fitted(inputs, weights, None, seed, control)
    }
    /// A column that is constant in the class has the variance of all rows in the prior.
    fn fit_class(
        &self,
        inputs: &Points,
        weights: RowWeights<'_>,
        all: (&Points, RowWeights<'_>),
        seed: u64,
        control: &Control,
    ) -> Result<FittedGaussianMixture> {
        self.fitted(inputs, weights, Some(all), seed, control)
    }
}

impl GaussianMixture {
    /// The mixture of some rows; beside all rows, where they are those of a class.
    fn fitted(
        &self,
        inputs: &Points,
        weights: RowWeights<'_>,
        all: Option<(&Points, RowWeights<'_>)>,
        seed: u64,
        control: &Control,
    ) -> Result<FittedGaussianMixture> {
        let (dim, components) = (inputs.dim(), self.components.integer());
        let counted = (0..inputs.rows()).filter(|&i| weights.at(i) > 0.0).count();
        // Weights say how often a row stands there, or add up to 1.
        let rows = weights.total(inputs.rows()).max(counted as f64);
        if counted == 0 || (components as f64) > rows {
            let why = format!("components must not be more than the {rows} rows of positive weight; take fewer, or more rows");
            return Err(Error::Setting { name: format!("{}: components={components}", Self::NAME), why });
        }
        let dense = inputs.to_dense();
        let row = |i: usize| &dense[i * dim..(i + 1) * dim];
        let (kept, counts) = distinct(inputs.rows(), weights, |i, j| compare_numbers(row(i), row(j)));
        let points = Cells::select(inputs, &kept);
        let points = Points::computed(kept.len(), dim, points.to_dense().into_owned());
        let entries = if self.covariance == CovarianceForm::Full { 5 * (dim as u64).pow(2) } else { 4 * dim as u64 };
        let needed = 8 * (kept.len() as u64).saturating_mul(components as u64 + 3 * dim as u64);
        let needed = needed.saturating_add(8 * (components as u64).saturating_mul(entries));
        control.plan(&format!("rows of {} in {components} components", Self::NAME), needed)?;
        let training = Training {
            components,
            covariance: self.covariance,
            starts: self.starts.integer(),
            iterations: self.iterations.integer(),
            prior: self.prior.number(),
            tolerance: self.tolerance.number(),
            seed,
        };
        let all = all.map(|(all, weights)| Moments::of(all, weights, control)).transpose()?;
        let mut fitted = training.run(&points, &counts, all.as_ref(), control)?;
        if training.prior == 1.0 {
            fitted.is_maximum = hidden::sums_to_zero(&super::FittedDistribution::scores(&fitted, &points)?, &counts);
        }
        Ok(fitted)
    }
}
