//! The traits of a generative model and of the distribution that a fit leaves.

use super::{Coordinates, HiddenStates, ParameterArray};
use crate::control::Control;
use crate::data::{Inputs, RowWeights, Values};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::notice::Notice;
use crate::param::{Alias, Parameters};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// A family of distributions p(x | theta) of one kind of input. Small, stored as data; its fields are its parameters.
pub trait GenerativeModel: Parameters + Serialize + DeserializeOwned + Default + Clone + Debug + PartialEq + Send + Sync + 'static {
    /// The name of the model in expressions.
    const NAME: &'static str;
    /// The density and what it is good for, in one sentence.
    const DOC: &'static str;
    /// Where the formulas stand: author, work, year, equation.
    const SOURCE: &'static str;
    /// Other names that users bring from elsewhere.
    const ALIASES: &'static [Alias] = &[];
    /// Whether it takes columns as they are: counts lose their meaning when they are standardised.
    const AS_IS: bool = false;
    /// The kind of input that it is a distribution of.
    type Inputs: Inputs;
    /// What a fit leaves.
    type Fitted: FittedDistribution<Inputs = Self::Inputs>;

    /// Replaces what is `auto` by what the inputs suggest, counted by weight, and a range by its point nearest to that. What has a number
    /// as its default is settled before, from that number on.
    fn settle(&self, _inputs: &Self::Inputs, _weights: RowWeights<'_>) -> Self {
        self.clone()
    }
    /// An error where parameters and inputs do not fit together.
    fn check(&self, _inputs: &Self::Inputs) -> Result<()> {
        Ok(())
    }
    /// Free parameters of a fit to such inputs: the length of a score vector. `None` where only a fit tells.
    fn free_parameters(&self, inputs: &Self::Inputs) -> Option<usize>;
    /// Fits the distribution to rows, counted by weight. The parameters are settled and checked; equal seeds give equal bits.
    ///
    /// # Errors
    /// Rows that no such model can be fitted to; bounds of `control`.
    fn fit(&self, inputs: &Self::Inputs, weights: RowWeights<'_>, seed: u64, control: &Control) -> Result<Self::Fitted>;
    /// Fits the distribution to some of the training rows, counted by weight: those of a class. What only all rows tell, such as the
    /// letters that there are, is taken from `all` of these, with their weights.
    ///
    /// # Errors
    /// As [`GenerativeModel::fit`].
    fn fit_class(
        &self,
        inputs: &Self::Inputs,
        weights: RowWeights<'_>,
        _all: (&Self::Inputs, RowWeights<'_>),
        seed: u64,
        control: &Control,
    ) -> Result<Self::Fitted> {
        self.fit(inputs, weights, seed, control)
    }
    /// Fits the distribution to few rows alone, in the shape of a fit to all training rows, such as over its letters, so that
    /// [`FittedDistribution::log_product`] compares the two.
    ///
    /// # Errors
    /// As [`GenerativeModel::fit`].
    fn fit_like(&self, inputs: &Self::Inputs, _pooled: &Self::Fitted, seed: u64, control: &Control) -> Result<Self::Fitted> {
        self.fit(inputs, RowWeights::default(), seed, control)
    }
}

/// One free parameter of a fitted distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeParameter {
    /// What the parameter is: `mean[1]`, `covariance[1,2]`.
    pub name: String,
    /// The value of the parameter.
    pub value: f64,
}

/// A distribution p(x | theta) with theta given.
pub trait FittedDistribution: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The kind of input that it is a distribution of.
    type Inputs: Inputs;

    /// The free parameters theta, in the order of the score vector.
    fn parameters(&self) -> Vec<FreeParameter>;
    /// The distribution with other values of the free parameters.
    ///
    /// # Errors
    /// As many numbers as there are not parameters; values that no such distribution has.
    fn with_parameters(&self, values: &[f64]) -> Result<Self>;
    /// ln p(x | theta) of each input.
    ///
    /// # Errors
    /// Inputs of another shape than those of the fit.
    fn log_densities(&self, inputs: &Self::Inputs) -> Result<Vec<f64>>;
    /// The score vector d ln p(x | theta) / d theta of each input, one per row.
    ///
    /// # Errors
    /// As [`FittedDistribution::log_densities`].
    fn scores(&self, inputs: &Self::Inputs) -> Result<Matrix>;
    /// The Fisher information I = -E d^2 ln p / d theta^2 = E g g' of one input; `None` where no formula is known.
    fn information(&self) -> Option<Matrix>;
    /// Rows f(x) with f(x)' f(z) = g(x)' I^-1 g(z) for score vectors g, where that takes less than to factor the information.
    ///
    /// # Errors
    /// As [`FittedDistribution::log_densities`].
    fn whitened_scores(&self, _inputs: &Self::Inputs) -> Result<Option<Matrix>> {
        Ok(None)
    }
    /// ln of the integral of p(x)^rho q(x)^rho over all x, for this distribution p and another one q of the same family.
    ///
    /// # Errors
    /// A distribution or a power of which there is no closed form; distributions of unlike inputs.
    fn log_product(&self, _other: &Self, _rho: f64) -> Result<f64> {
        let why = "no closed form of the integral of p^rho q^rho is known for this model; take fisher of it, or another model".to_owned();
        Err(Error::Setting { name: "probability_product".into(), why })
    }
    /// [`FittedDistribution::log_densities`] of inputs that take long: `control` is asked for time on the way.
    ///
    /// # Errors
    /// As [`FittedDistribution::log_densities`]; bounds of `control`.
    fn log_densities_within(&self, inputs: &Self::Inputs, _control: &Control) -> Result<Vec<f64>> {
        self.log_densities(inputs)
    }
    /// [`FittedDistribution::scores`] of inputs that take long: `control` is asked for time on the way.
    ///
    /// # Errors
    /// As [`FittedDistribution::scores`]; bounds of `control`.
    fn scores_within(&self, inputs: &Self::Inputs, _control: &Control) -> Result<Matrix> {
        self.scores(inputs)
    }
    /// [`FittedDistribution::log_product`] where it takes long: `control` is asked for time on the way.
    ///
    /// # Errors
    /// As [`FittedDistribution::log_product`]; bounds of `control`.
    fn log_product_within(&self, other: &Self, rho: f64, _control: &Control) -> Result<f64> {
        self.log_product(other, rho)
    }
    /// The parameters as a reader asks for them, named arrays in the units of the table; none where the model names none.
    fn arrays(&self, _coordinates: &Coordinates) -> Vec<ParameterArray> {
        Vec::new()
    }
    /// Factors that the density of each input is a product of, and that information criteria count: the times of a series, the letters of a
    /// string; 1 where an input is one vector.
    fn observations(&self, inputs: &Self::Inputs) -> Vec<usize> {
        vec![1; inputs.len()]
    }
    /// The states behind each input; `None` for a model that has none.
    ///
    /// # Errors
    /// As [`FittedDistribution::log_densities`]; bounds of `control`.
    fn hidden_states(&self, _inputs: &Self::Inputs, _control: &Control) -> Result<Option<Vec<HiddenStates>>> {
        Ok(None)
    }
    /// Inputs, ascending, that hold what the fit knows nothing of, such as letters that no training row has, and the notice about them.
    fn unseen(&self, _inputs: &Self::Inputs) -> Option<(Vec<usize>, Notice)> {
        None
    }
    /// Draws so many rows, as a column that the model takes. Equal seeds give equal bits.
    fn sample(&self, rows: usize, seed: u64) -> Result<Values>;
    /// Whether theta maximises the weighted likelihood of the rows of the fit: the score vectors of these sum to 0.
    fn is_maximum_likelihood(&self) -> bool;
    /// What the user should know of the fit, such as what was done about a singular covariance.
    fn notices(&self) -> Vec<Notice> {
        Vec::new()
    }
}
