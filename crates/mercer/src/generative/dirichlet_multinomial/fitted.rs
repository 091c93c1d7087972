//! A fitted Dirichlet-multinomial: densities, score vectors, information, samples.

use super::super::counts::{Counts, drawn};
use super::fit::{Ending, curvature, log_rising, slope};
use super::{DirichletMultinomial, GenerativeModel};
use crate::blocks;
use crate::data::{Points, Values};
use crate::error::{Error, Result};
use crate::generative::{Coordinates, FittedDistribution, FreeParameter, ParameterArray};
use crate::linalg::Matrix;
use crate::notice::Notice;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Gamma};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// A Dirichlet-multinomial with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredDirichletMultinomial")]
pub struct FittedDirichletMultinomial {
    /// a.
    #[serde(with = "blocks::f64s")]
    pub(super) alphas: Vec<f64>,
    /// Counts of a row that samples and information are for.
    pub(super) trials: usize,
    pub(super) ending: Ending,
    /// Whether no prior moved a.
    pub(super) unsmoothed: bool,
}

/// A fit as a file holds it, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredDirichletMultinomial {
    #[serde(with = "blocks::f64s")]
    alphas: Vec<f64>,
    trials: usize,
    ending: Ending,
    unsmoothed: bool,
}

impl TryFrom<StoredDirichletMultinomial> for FittedDirichletMultinomial {
    type Error = Error;
    fn try_from(StoredDirichletMultinomial { alphas, trials, ending, unsmoothed }: StoredDirichletMultinomial) -> Result<Self> {
        if trials > 0 && alphas.len() > 1 && alphas.iter().all(|a| *a > 0.0 && a.is_finite()) {
            return Ok(FittedDirichletMultinomial { alphas, trials, ending, unsmoothed });
        }
        Err(Error::Data("a stored Dirichlet-multinomial has a parameter that none has".into()))
    }
}

impl FittedDirichletMultinomial {
    fn counts(&self, inputs: &Points) -> Result<Counts> {
        Counts::like(DirichletMultinomial::NAME, self.alphas.len(), inputs)
    }
    fn sum(&self) -> f64 {
        self.alphas.iter().sum()
    }

    /// d and c of the information diag(d) - c 11' of one row: d_w = sum_(k < n) P(x_w > k) / (a_w + k)^2, where x_w is beta-binomial with a_w
    /// and A - a_w, and c = sum_(k < n) 1 / (A + k)^2.
    fn information_parts(&self) -> (Vec<f64>, f64) {
        let (all, n) = (self.sum(), self.trials as f64);
        let of = |(w, a): (usize, &f64)| {
            // A difference of near numbers would lose the digits of the others.
            let summed = || self.alphas.iter().enumerate().filter(|(other, _)| *other != w).map(|(_, a)| a).sum::<f64>();
            let others = if *a < 0.5 * all { all - a } else { summed() };
            let mut log = log_rising(others, n) - log_rising(all, n);
            let (mut above, mut tails) = (1.0, 0.0);
            for k in 0..self.trials {
                let x = k as f64;
                above -= f64::exp(log);
                tails += above.max(0.0) / (a + x).powi(2);
                log += ((n - x) * (a + x)).ln() - ((x + 1.0) * (others + n - x - 1.0)).ln();
            }
            tails
        };
        (self.alphas.iter().enumerate().map(of).collect(), curvature(all, n))
    }
}

impl FittedDistribution for FittedDirichletMultinomial {
    type Inputs = Points;

    fn parameters(&self) -> Vec<FreeParameter> {
        self.alphas.iter().enumerate().map(|(w, &value)| FreeParameter { name: format!("alpha[{}]", w + 1), value }).collect()
    }
    fn with_parameters(&self, values: &[f64]) -> Result<Self> {
        Error::unless_equal("free parameters of a Dirichlet-multinomial", self.alphas.len(), values.len())?;
        match values.iter().find(|a| !(**a > 0.0 && a.is_finite())) {
            Some(value) => Err(Error::Data(format!("a Dirichlet-multinomial has parameters above 0, found {value}"))),
            None => Ok(FittedDirichletMultinomial { alphas: values.to_vec(), unsmoothed: false, ..self.clone() }),
        }
    }
    fn log_densities(&self, inputs: &Points) -> Result<Vec<f64>> {
        let (counts, all) = (self.counts(inputs)?, self.sum());
        let of = |(i, row): (usize, &Vec<(usize, f64)>)| {
            let columns: f64 = row.iter().map(|(w, x)| log_rising(self.alphas[*w], *x)).sum();
            counts.log_arrangements(i) + columns - log_rising(all, counts.total(i))
        };
        Ok(counts.rows.iter().enumerate().map(of).collect())
    }
    fn scores(&self, inputs: &Points) -> Result<Matrix> {
        let (counts, all) = (self.counts(inputs)?, self.sum());
        let mut scores = Matrix::zeros(counts.rows.len(), self.alphas.len());
        for (i, row) in counts.rows.iter().enumerate() {
            scores.row_mut(i).fill(-slope(all, counts.total(i)));
            row.iter().for_each(|(w, x)| scores[(i, *w)] += slope(self.alphas[*w], *x));
        }
        Ok(scores)
    }
    fn information(&self) -> Option<Matrix> {
        let (d, c) = self.information_parts();
        Some(Matrix::from_fn(d.len(), d.len(), |i, j| if i == j { d[i] - c } else { -c }))
    }
    /// (1 + r v v') D^(-1/2) g with v = D^(-1/2) 1, s = v'v and r = ((1 - c s)^(-1/2) - 1) / s; `None` where 1 - c s is no number above 0.
    fn whitened_scores(&self, inputs: &Points) -> Result<Option<Matrix>> {
        let (d, c) = self.information_parts();
        let v: Vec<f64> = d.iter().map(|d| d.sqrt().recip()).collect();
        let s: f64 = v.iter().map(|v| v * v).sum();
        let left = 1.0 - c * s;
        if left.is_nan() || left <= 0.0 {
            return Ok(None);
        }
        let r = (left.sqrt().recip() - 1.0) / s;
        let mut all = self.scores(inputs)?;
        for i in 0..all.rows() {
            let row = all.row_mut(i);
            row.iter_mut().zip(&v).for_each(|(g, v)| *g *= v);
            let along: f64 = r * row.iter().zip(&v).map(|(g, v)| g * v).sum::<f64>();
            row.iter_mut().zip(&v).for_each(|(g, v)| *g += along * v);
        }
        Ok(Some(all))
    }
    /// Rows of as many counts as trials. Each draws its probabilities first.
    fn arrays(&self, coordinates: &Coordinates) -> Vec<ParameterArray> {
        vec![ParameterArray::new("alpha", "Dirichlet parameter of each column", vec![coordinates.axis("column")], self.alphas.clone())]
    }
    fn sample(&self, rows: usize, seed: u64) -> Result<Values> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut values = vec![0.0; rows * self.alphas.len()];
        let gammas: Vec<Gamma<f64>> =
            self.alphas.iter().map(|a| Gamma::new(a + 1.0, 1.0).map_err(|why| Error::Data(why.to_string()))).collect::<Result<_>>()?;
        for row in values.chunks_mut(self.alphas.len()) {
            // ln of a gamma variable of shape a: that of shape a + 1 times U^(1/a), which stays a number where a is small.
            let logs: Vec<f64> = gammas
                .iter()
                .zip(&self.alphas)
                .map(|(gamma, a)| gamma.sample(&mut random).ln() + (1.0 - random.random::<f64>()).ln() / a)
                .collect();
            let greatest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sizes: Vec<f64> = logs.iter().map(|log| (log - greatest).exp()).collect();
            let sum: f64 = sizes.iter().sum();
            for _ in 0..self.trials {
                let uniform = sum * random.random::<f64>();
                row[drawn(&sizes, uniform)] += 1.0;
            }
        }
        Points::dense(rows, self.alphas.len(), values).map(Values::Points)
    }
    fn is_maximum_likelihood(&self) -> bool {
        self.unsmoothed && self.ending == Ending::Converged
    }
    fn notices(&self) -> Vec<Notice> {
        let model = DirichletMultinomial::NAME.to_owned();
        match self.ending {
            Ending::Converged => Vec::new(),
            Ending::Multinomial => vec![Notice::Multinomial { model }],
            Ending::Unfinished => vec![Notice::StepsSpent { model }],
        }
    }
}
