//! A fitted multinomial: densities, score vectors, information, samples, products.

use super::super::counts::{Counts, drawn};
use super::super::log_ratios;
use super::product::log_sum;
use super::{GenerativeModel, Multinomial};
use crate::blocks;
use crate::data::{Points, Values};
use crate::error::{Error, Result};
use crate::generative::{Coordinates, FittedDistribution, FreeParameter, ParameterArray};
use crate::linalg::Matrix;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// A multinomial with the probabilities of its columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredMultinomial")]
pub struct FittedMultinomial {
    /// ln theta.
    #[serde(with = "blocks::f64s")]
    pub(super) log_probabilities: Vec<f64>,
    /// Counts of a row that samples, information and products are for.
    pub(super) trials: usize,
    /// Whether no prior moved theta.
    pub(super) unsmoothed: bool,
}

/// A fit as a file holds it, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredMultinomial {
    #[serde(with = "blocks::f64s")]
    log_probabilities: Vec<f64>,
    trials: usize,
    unsmoothed: bool,
}

impl TryFrom<StoredMultinomial> for FittedMultinomial {
    type Error = Error;
    fn try_from(StoredMultinomial { log_probabilities, trials, unsmoothed }: StoredMultinomial) -> Result<Self> {
        let finite = log_probabilities.iter().all(|x| x.is_finite());
        let sum: f64 = log_probabilities.iter().map(|x| x.exp()).sum();
        if finite && (sum - 1.0).abs() <= 1e-9 && trials > 0 && log_probabilities.len() > 1 {
            return Ok(FittedMultinomial { log_probabilities, trials, unsmoothed });
        }
        Err(Error::Data("a stored multinomial has probabilities that none has".into()))
    }
}

impl FittedMultinomial {
    fn counts(&self, inputs: &Points) -> Result<Counts> {
        Counts::like(Multinomial::NAME, self.log_probabilities.len(), inputs)
    }
    fn probabilities(&self) -> Vec<f64> {
        self.log_probabilities.iter().map(|x| x.exp()).collect()
    }

    /// Numbers made of x - n theta and theta by `write`; one row a row.
    fn residuals(&self, inputs: &Points, write: impl Fn(&[f64], &[f64], &mut Vec<f64>)) -> Result<Matrix> {
        let (counts, p) = (self.counts(inputs)?, self.probabilities());
        let mut all = Vec::with_capacity(counts.rows.len() * (p.len() - 1));
        for (i, row) in counts.rows.iter().enumerate() {
            let total = counts.total(i);
            let mut d: Vec<f64> = p.iter().map(|p| -total * p).collect();
            row.iter().for_each(|(column, x)| d[*column] += x);
            write(&d, &p, &mut all);
        }
        Matrix::new(counts.rows.len(), p.len() - 1, all)
    }
}

impl FittedDistribution for FittedMultinomial {
    type Inputs = Points;

    fn parameters(&self) -> Vec<FreeParameter> {
        let named = |(k, value)| FreeParameter { name: format!("log_ratio[{}]", k + 2), value };
        log_ratios::contrasts(&self.log_probabilities).enumerate().map(named).collect()
    }
    fn with_parameters(&self, values: &[f64]) -> Result<Self> {
        Error::unless_equal("free parameters of a multinomial", self.log_probabilities.len() - 1, values.len())?;
        match values.iter().find(|x| !x.is_finite()) {
            Some(value) => Err(Error::Data(format!("a log-ratio of probabilities is finite, found {value}"))),
            None => {
                Ok(FittedMultinomial { log_probabilities: log_ratios::log_probabilities(values), trials: self.trials, unsmoothed: false })
            }
        }
    }
    fn log_densities(&self, inputs: &Points) -> Result<Vec<f64>> {
        let counts = self.counts(inputs)?;
        let of = |(i, row): (usize, &Vec<(usize, f64)>)| {
            counts.log_arrangements(i) + row.iter().map(|(column, x)| x * self.log_probabilities[*column]).sum::<f64>()
        };
        Ok(counts.rows.iter().enumerate().map(of).collect())
    }
    fn scores(&self, inputs: &Points) -> Result<Matrix> {
        self.residuals(inputs, |d, _, out| out.extend(log_ratios::contrasts(d)))
    }
    /// n V'(diag(theta) - theta theta')V for n trials.
    fn information(&self) -> Option<Matrix> {
        let (p, trials) = (self.probabilities(), self.trials as f64);
        let mut all = Matrix::zeros(p.len() - 1, p.len() - 1);
        for k in 0..p.len() - 1 {
            log_ratios::information_row(&p, k).iter().enumerate().for_each(|(l, x)| all[(k, l)] = trials * x);
        }
        Some(all)
    }
    fn whitened_scores(&self, inputs: &Points) -> Result<Option<Matrix>> {
        let scale = (self.trials as f64).sqrt().recip();
        self.residuals(inputs, |d, p, out| out.extend(log_ratios::whitened(d, p).map(|f| f * scale))).map(Some)
    }
    fn arrays(&self, coordinates: &Coordinates) -> Vec<ParameterArray> {
        vec![ParameterArray::new("probabilities", "probability of each column", vec![coordinates.axis("column")], self.probabilities())]
    }
    fn sample(&self, rows: usize, seed: u64) -> Result<Values> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let p = self.probabilities();
        let mut values = vec![0.0; rows * p.len()];
        for row in values.chunks_mut(p.len()) {
            for _ in 0..self.trials {
                row[drawn(&p, random.random())] += 1.0;
            }
        }
        Points::dense(rows, p.len(), values).map(Values::Points)
    }
    fn is_maximum_likelihood(&self) -> bool {
        self.unsmoothed
    }
    /// ln of the sum over all counts of n trials. For rho = 1/2 this is n ln sum_w (theta_w phi_w)^(1/2), by the multinomial theorem; for
    /// other rho it takes D n operations and more.
    fn log_product(&self, other: &Self, rho: f64) -> Result<f64> {
        if (self.log_probabilities.len(), self.trials) != (other.log_probabilities.len(), other.trials) {
            return Err(Error::Data("two multinomials have other columns or trials, and no product".into()));
        }
        if rho != 0.5 {
            let both = self.log_probabilities.iter().zip(&other.log_probabilities);
            let logs: Vec<f64> = both.map(|(a, b)| rho * (a + b)).collect();
            return Ok(log_sum(&logs, self.trials, 2.0 * rho) + 2.0 * rho * libm::lgamma(self.trials as f64 + 1.0));
        }
        let sum: f64 = self.log_probabilities.iter().zip(&other.log_probabilities).map(|(a, b)| (0.5 * (a + b)).exp()).sum();
        Ok(self.trials as f64 * sum.ln())
    }
}
