//! dirichlet_multinomial: p(x) = n! / prod_w x_w! * Gamma(A) / Gamma(A + n) * prod_w Gamma(x_w + a_w) / Gamma(a_w), A = sum a: counts whose
//! probabilities are drawn from Dirichlet(a) for each row (Madsen, Kauchak & Elkan 2005; Minka, Estimating a Dirichlet distribution 2000).
//!
//! A count that has come once comes again more easily, the more so the smaller a_w: words of texts are such. The score vector is in a:
//! sum_(k < x_w) 1 / (a_w + k) - sum_(k < n) 1 / (A + k). Its first term is large where a_w is small, as of rare words: so the Fisher
//! kernel is near tf-idf (Elkan, Deriving TF-IDF as a Fisher kernel 2005). A prior of r adds, for each column, r rows that hold one count there.

mod fit;
mod fitted;

use super::GenerativeModel;
use super::counts::{Counts, PRIOR};
use crate::control::Control;
use crate::data::{Points, RowWeights};
use crate::error::{Error, Result};
use crate::param::Value;
use fit::Tally;
use fitted::FittedDirichletMultinomial;
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// Counts of draws that come in bursts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct DirichletMultinomial {
    /// rows that hold one count, for each column, before any row is seen; 0: maximum likelihood, where no column may be empty
    #[param(default = PRIOR, domain = NonNegative)]
    prior: Value,
    /// counts of a row that the Fisher information and samples are for; auto: the mean over the training rows
    #[param(domain = Integer(1, 1_000_000))]
    trials: Value,
}

impl GenerativeModel for DirichletMultinomial {
    const NAME: &'static str = "dirichlet_multinomial";
    const DOC: &'static str = "n! / prod_w x_w! * Gamma(A) / Gamma(A + n) * prod_w Gamma(x_w + a_w) / Gamma(a_w), A = sum a: counts that come in bursts, such as words";
    const SOURCE: &'static str = "Madsen, Kauchak & Elkan, Modeling word burstiness using the Dirichlet distribution (2005); Minka, Estimating a Dirichlet distribution (2000)";
    const AS_IS: bool = true;
    type Inputs = Points;
    type Fitted = FittedDirichletMultinomial;

    fn settle(&self, inputs: &Points, weights: RowWeights<'_>) -> Self {
        let trials = self.trials.settle_by(|| Counts::mean_total(Self::NAME, inputs, weights).max(2.0));
        DirichletMultinomial { trials, ..self.clone() }
    }
    fn check(&self, inputs: &Points) -> Result<()> {
        Counts::of(Self::NAME, inputs).map(|_| ())
    }
    fn free_parameters(&self, inputs: &Points) -> Option<usize> {
        Some(inputs.dim())
    }
    fn fit(&self, inputs: &Points, weights: RowWeights<'_>, _seed: u64, control: &Control) -> Result<FittedDirichletMultinomial> {
        let counts = Counts::of(Self::NAME, inputs)?;
        counts.require_some(Self::NAME, weights)?;
        let prior = self.prior.number();
        let tally = Tally::new(&counts, weights, prior);
        if let Some(empty) = tally.empty_column() {
            let why = format!("column {} has no count, and its parameter would be 0; give a prior above 0, or drop it", empty + 1);
            return Err(Error::Setting { name: format!("{}: prior=0", Self::NAME), why });
        }
        let (alphas, ending) = tally.fit(control)?;
        Ok(FittedDirichletMultinomial { alphas, trials: self.trials.integer(), ending, unsmoothed: prior == 0.0 })
    }
}
