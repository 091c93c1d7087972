//! multinomial: p(x) = n! prod_w theta_w^x_w / x_w! for counts x whose sum is n (Murphy 2012, 2.3.2 and 3.4).
//!
//! theta_w = (c_w + prior) / (c + D prior) with the weighted counts c_w of D columns and their sum c. The score vector is in the
//! isometric log-ratios of theta: an orthonormal basis of x - n theta.

mod fitted;
mod product;

use super::GenerativeModel;
use super::counts::{Counts, PRIOR};
use crate::control::Control;
use crate::data::{Points, RowWeights};
use crate::error::{Error, Result};
use crate::param::Value;
use fitted::FittedMultinomial;
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// Counts of independent draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Multinomial {
    /// count of each column before any row is seen (1/2: Jeffreys' prior); 0: maximum likelihood, where no column may be empty
    #[param(default = PRIOR, domain = NonNegative)]
    prior: Value,
    /// counts of a row that the Fisher information, samples and products of two models are for; auto: the mean over the training rows
    #[param(domain = Integer(1, 1_000_000))]
    trials: Value,
}

impl GenerativeModel for Multinomial {
    const NAME: &'static str = "multinomial";
    const DOC: &'static str = "n! prod_w theta_w^x_w / x_w!: counts x of n independent draws, such as the words of a document";
    const SOURCE: &'static str = "Murphy, Machine Learning: a Probabilistic Perspective (2012), (2.34) and (3.47)";
    const AS_IS: bool = true;
    type Inputs = Points;
    type Fitted = FittedMultinomial;

    fn settle(&self, inputs: &Points, weights: RowWeights<'_>) -> Self {
        let trials = self.trials.settle_by(|| Counts::mean_total(Self::NAME, inputs, weights));
        Multinomial { trials, ..self.clone() }
    }
    fn check(&self, inputs: &Points) -> Result<()> {
        Counts::of(Self::NAME, inputs).map(|_| ())
    }
    fn free_parameters(&self, inputs: &Points) -> Option<usize> {
        Some(inputs.dim().saturating_sub(1))
    }
    fn fit(&self, inputs: &Points, weights: RowWeights<'_>, _seed: u64, _control: &Control) -> Result<FittedMultinomial> {
        let counts = Counts::of(Self::NAME, inputs)?;
        counts.require_some(Self::NAME, weights)?;
        let prior = self.prior.number();
        let mut sums = vec![prior; counts.columns];
        for (i, row) in counts.rows.iter().enumerate() {
            row.iter().for_each(|(column, x)| sums[*column] += weights.at(i) * x);
        }
        if let Some(empty) = sums.iter().position(|sum| *sum <= 0.0) {
            let why = format!("column {} has no count, and would have the probability 0; give a prior above 0, or drop it", empty + 1);
            return Err(Error::Setting { name: format!("{}: prior=0", Self::NAME), why });
        }
        let total = sums.iter().sum::<f64>().ln();
        let log_probabilities = sums.iter().map(|sum| sum.ln() - total).collect();
        Ok(FittedMultinomial { log_probabilities, trials: self.trials.integer(), unsmoothed: prior == 0.0 })
    }
}
