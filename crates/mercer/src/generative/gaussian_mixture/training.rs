//! Expectation maximisation of a mixture of normal distributions, from several starts.

use super::fitted::FittedGaussianMixture;
use crate::control::Control;
use crate::data::{Points, RowWeights};
use crate::error::{Error, Result};
use crate::generative::gaussian::{CovarianceForm, FittedGaussian, Moments, Spread};
use crate::generative::seeding::{LEAST_SHARE, centres};
use crate::generative::{FittedDistribution, ShrunkFactor, simplex};
use crate::linalg::{Matrix, gramian_of_columns_within};
use crate::notice::Notice;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// How a mixture is trained.
pub(super) struct Training {
    pub(super) components: usize,
    pub(super) covariance: CovarianceForm,
    pub(super) starts: usize,
    pub(super) iterations: usize,
    pub(super) prior: f64,
    pub(super) tolerance: f64,
    pub(super) seed: u64,
}

/// How iterations ended.
#[derive(Clone, Copy)]
enum Ended {
    Converged,
    /// By their number, or as time was up.
    Unconverged,
    /// As an update made the rows less likely, which none does but for covariances that lose a share of their correlations.
    Falling,
}

/// The rows of a fit, and the mean and the variances of all of them.
struct Table<'a> {
    points: &'a Points,
    weights: &'a [f64],
    moments: Moments,
    variances: Vec<f64>,
    /// The mean.
    around: Points,
}

impl Training {
    /// The mixture of the largest posterior density of all starts.
    pub(super) fn run(&self, points: &Points, weights: &[f64], all: Option<&Moments>, control: &Control) -> Result<FittedGaussianMixture> {
        let moments = Moments::of(points, RowWeights::from(Some(weights)), control)?;
        let variances = all.map_or_else(|| moments.positive_variances(), |all| moments.variances_beside(all));
        let around = Points::dense(1, points.dim(), moments.mean.clone())?;
        let table = Table { points, weights, moments, variances, around };
        let mut best: Option<(f64, Ended, FittedGaussianMixture)> = None;
        for number in 0..self.starts {
            if best.is_some() && control.out_of_time() {
                break;
            }
            let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed.wrapping_add(0x9E37_79B9 * number as u64));
            let found = self.climb(&table, self.start(&table, &mut random, control)?, number, control)?;
            if best.as_ref().is_none_or(|(most, ..)| found.0 > *most) {
                best = Some(found);
            }
        }
        let (_, ended, mut fitted) = best.ok_or_else(|| Error::Data("gaussian_mixture: no start was made".into()))?;
        match ended {
            Ended::Unconverged if self.tolerance > 0.0 => {
                let (model, iterations) = ("gaussian_mixture".into(), self.iterations);
                fitted.notices.push(Notice::NotConverged { model, iterations });
            }
            Ended::Falling => fitted.notices.push(Notice::SingularComponent),
            _ => {}
        }
        Ok(fitted)
    }

    /// Components of the variances of all rows around points that lie far from one another.
    fn start(&self, table: &Table<'_>, random: &mut Xoshiro256PlusPlus, control: &Control) -> Result<FittedGaussianMixture> {
        let dim = table.points.dim();
        let means = centres(random, &table.points.to_dense(), &table.variances, table.weights, self.components);
        let component = |k: usize| {
            Ok(FittedGaussian {
                mean: means[k * dim..(k + 1) * dim].to_vec(),
                spread: self.spread_of(&table.variances, table, control)?,
                constant: Vec::new(),
            })
        };
        let components = (0..self.components).map(component).collect::<Result<Vec<_>>>()?;
        Ok(FittedGaussianMixture::new(vec![1.0 / self.components as f64; self.components], components))
    }

    /// Iterations from a start: the log posterior density of the mixture, how they ended, the mixture.
    fn climb(
        &self,
        table: &Table<'_>,
        mut mixture: FittedGaussianMixture,
        number: usize,
        control: &Control,
    ) -> Result<(f64, Ended, FittedGaussianMixture)> {
        // A fall of the log posterior density that is more than rounding, as a share of it.
        const FALL: f64 = 1e-9;
        let (mut objective, mut shares) = self.memberships(&mixture, table)?;
        for done in 0..self.iterations {
            control.check()?;
            control.tell(&format!("gaussian_mixture: start {} of {}", number + 1, self.starts), done, self.iterations);
            if done > 0 && control.out_of_time() {
                break;
            }
            let next = self.updated(&mixture, &shares, table, control)?;
            let (now, after) = self.memberships(&next, table)?;
            let gain = now - objective;
            if gain < -FALL * (objective.abs() + table.moments.total) {
                return Ok((objective, Ended::Falling, mixture));
            }
            (mixture, objective, shares) = (next, now, after);
            if self.tolerance > 0.0 && gain <= self.tolerance * table.moments.total {
                return Ok((objective, Ended::Converged, mixture));
            }
        }
        Ok((objective, Ended::Unconverged, mixture))
    }

    /// The log posterior density of a mixture, and the memberships of the rows.
    fn memberships(&self, mixture: &FittedGaussianMixture, table: &Table<'_>) -> Result<(f64, Matrix)> {
        let (logs, shares) = mixture.memberships(table.points)?;
        let likelihood: f64 = logs.iter().zip(table.weights).map(|(log, w)| w * log).sum();
        let now = likelihood + self.log_prior(mixture, table)?;
        if !now.is_finite() {
            let why = "the likelihood is not finite; divide the columns by numbers".into();
            return Err(Error::Numerical { what: "the fit of gaussian_mixture".into(), why });
        }
        Ok((now, shares))
    }

    /// (prior - 1) sum_k (ln w_k + E ln N(x; m_k, S_k)) with x of the mean and the variances V of all rows, which is
    /// ln N(mean; m_k, S_k) - tr(S_k^-1 V) / 2.
    fn log_prior(&self, mixture: &FittedGaussianMixture, table: &Table<'_>) -> Result<f64> {
        if self.prior == 1.0 {
            return Ok(0.0);
        }
        let mut sum = simplex::log_sum(&mixture.weights);
        for component in &mixture.components {
            sum += component.log_densities(&table.around)?[0] - 0.5 * component.trace_of_inverse(&table.variances)?;
        }
        Ok((self.prior - 1.0) * sum)
    }

    /// The mixture that maximises the expected log posterior density, given the memberships of rows.
    fn updated(
        &self,
        from: &FittedGaussianMixture,
        shares: &Matrix,
        table: &Table<'_>,
        control: &Control,
    ) -> Result<FittedGaussianMixture> {
        let (rows, dim, added) = (table.points.rows(), table.points.dim(), self.prior - 1.0);
        let centred = &table.moments.centred;
        let (mut counts, mut components) = (Vec::with_capacity(self.components), Vec::with_capacity(self.components));
        for k in 0..self.components {
            let weight = |i: usize| table.weights[i] * shares[(i, k)];
            let count: f64 = (0..rows).map(weight).sum();
            counts.push(count);
            let total = count + added;
            if total < f64::MIN_POSITIVE {
                components.push(from.components[k].clone());
                continue;
            }
            // From the mean of all rows, which is that of the prior.
            let mut step = vec![0.0; dim];
            for i in 0..rows {
                let share = weight(i) / total;
                step.iter_mut().zip(centred.row(i)).for_each(|(sum, x)| *sum += share * x);
            }
            let scaled: Vec<f64> = (0..rows).map(|i| weight(i) / total).collect();
            let prior = |i: usize, j: usize| added / total * (step[i] * step[j] + if i == j { table.variances[i] } else { 0.0 });
            let spread = if self.covariance == CovarianceForm::Full {
                let away = Matrix::from_fn(rows, dim, |i, j| centred[(i, j)] - step[j]);
                let mut covariance = gramian_of_columns_within(&away, Some(&scaled), control)?;
                for i in 0..dim {
                    (0..dim).for_each(|j| covariance[(i, j)] += prior(i, j));
                    covariance[(i, i)] = covariance[(i, i)].max(LEAST_SHARE * table.variances[i]);
                }
                Spread::Full(ShrunkFactor::new(&covariance, table.moments.total, None, control)?)
            } else {
                let mut variances = vec![0.0; dim];
                for (i, share) in scaled.iter().enumerate() {
                    let terms = centred.row(i).iter().zip(&step).map(|(x, m)| share * (x - m) * (x - m));
                    variances.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
                }
                let least = |(i, v): (usize, &mut f64)| *v = (*v + prior(i, i)).max(LEAST_SHARE * table.variances[i]);
                variances.iter_mut().enumerate().for_each(least);
                self.spread_of(&variances, table, control)?
            };
            let mean = table.moments.mean.iter().zip(&step).map(|(m, by)| m + by).collect();
            components.push(FittedGaussian { mean, spread, constant: Vec::new() });
        }
        Ok(FittedGaussianMixture::new(simplex::most_probable(&counts, self.prior), components))
    }

    /// Variances of the columns in the form of the model.
    fn spread_of(&self, variances: &[f64], table: &Table<'_>, control: &Control) -> Result<Spread> {
        let dim = variances.len();
        Ok(match self.covariance {
            CovarianceForm::Diagonal => Spread::Diagonal(variances.iter().map(|v| v.sqrt()).collect()),
            CovarianceForm::Spherical => Spread::Spherical((variances.iter().sum::<f64>() / dim.max(1) as f64).sqrt()),
            CovarianceForm::Full => {
                let diagonal = Matrix::from_fn(dim, dim, |i, j| if i == j { variances[i] } else { 0.0 });
                Spread::Full(ShrunkFactor::new(&diagonal, table.moments.total, None, control)?)
            }
        })
    }
}
