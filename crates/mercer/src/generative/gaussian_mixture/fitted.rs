//! A fitted mixture of normal distributions: densities, score vectors, Fisher vectors, samples, probability products.

use crate::blocks;
use crate::control::Control;
use crate::data::{Cells, Points, Values};
use crate::error::{Error, Result};
use crate::generative::gaussian::{FittedGaussian, Spread};
use crate::generative::{ArrayAxis, Coordinates, FittedDistribution, FreeParameter, HiddenStates, ParameterArray, simplex};
use crate::linalg::{Cholesky, Matrix};
use crate::notice::Notice;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// A mixture of normal distributions with its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredGaussianMixture")]
pub struct FittedGaussianMixture {
    #[serde(with = "blocks::f64s")]
    pub(super) weights: Vec<f64>,
    pub(super) components: Vec<FittedGaussian>,
    pub(super) is_maximum: bool,
    pub(super) notices: Vec<Notice>,
}

/// A fit as a file holds it, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredGaussianMixture {
    #[serde(with = "blocks::f64s")]
    weights: Vec<f64>,
    components: Vec<FittedGaussian>,
    is_maximum: bool,
    notices: Vec<Notice>,
}

impl TryFrom<StoredGaussianMixture> for FittedGaussianMixture {
    type Error = Error;
    fn try_from(StoredGaussianMixture { weights, components, is_maximum, notices }: StoredGaussianMixture) -> Result<Self> {
        Error::unless_equal("components of a stored gaussian_mixture", weights.len(), components.len())?;
        let alike = |c: &FittedGaussian| {
            c.mean.len() == components[0].mean.len() && std::mem::discriminant(&c.spread) == std::mem::discriminant(&components[0].spread)
        };
        if components.is_empty() || !simplex::are_probabilities(&weights) || !components.iter().all(alike) {
            return Err(Error::Data("a stored gaussian_mixture has weights or components that none has".into()));
        }
        Ok(FittedGaussianMixture { weights, components, is_maximum, notices })
    }
}

impl FittedGaussianMixture {
    pub(super) fn new(weights: Vec<f64>, components: Vec<FittedGaussian>) -> Self {
        FittedGaussianMixture { weights, components, is_maximum: false, notices: Vec::new() }
    }

    /// The log density of each row, and the posterior probability of each component (rows x components).
    pub(super) fn memberships(&self, inputs: &Points) -> Result<(Vec<f64>, Matrix)> {
        let mut shares = Matrix::zeros(inputs.rows(), self.components.len());
        for (k, component) in self.components.iter().enumerate() {
            let log_weight = self.weights[k].ln();
            for (i, log) in component.log_densities(inputs)?.into_iter().enumerate() {
                shares[(i, k)] = log_weight + log;
            }
        }
        let normalised = |row: &mut [f64]| {
            let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            // So far from every component that no square of the distance is a number.
            if largest == f64::NEG_INFINITY {
                row.fill(1.0 / self.components.len() as f64);
                return largest;
            }
            row.iter_mut().for_each(|log| *log = (*log - largest).exp());
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|share| *share /= sum);
            largest + sum.ln()
        };
        let logs = (0..shares.rows()).map(|i| normalised(shares.row_mut(i))).collect();
        Ok((logs, shares))
    }

    /// For each row of the inputs, `first` numbers of the weights and those of each component, times the membership and a factor.
    fn joined(
        &self,
        inputs: &Points,
        (first, of_weights): (usize, impl Fn(&[f64], &mut Vec<f64>)),
        parts: &[Matrix],
        factor: impl Fn(usize) -> f64,
    ) -> Result<Matrix> {
        let (_, shares) = self.memberships(inputs)?;
        let mut all = Vec::new();
        for i in 0..inputs.rows() {
            of_weights(shares.row(i), &mut all);
            for (k, part) in parts.iter().enumerate() {
                let share = shares[(i, k)] * factor(k);
                // A component that has no part in a row has none in its score, however far it is.
                all.extend(part.row(i).iter().map(|x| if share == 0.0 { 0.0 } else { share * x }));
            }
        }
        Matrix::new(inputs.rows(), first + parts.iter().map(Matrix::cols).sum::<usize>(), all)
    }
}

impl FittedDistribution for FittedGaussianMixture {
    type Inputs = Points;

    fn parameters(&self) -> Vec<FreeParameter> {
        let mut all = simplex::log_ratios("weight", &self.weights);
        for (k, component) in self.components.iter().enumerate() {
            let own = component.parameters().into_iter();
            all.extend(own.map(|p| FreeParameter { name: format!("component[{}] {}", k + 1, p.name), value: p.value }));
        }
        all
    }
    fn with_parameters(&self, values: &[f64]) -> Result<Self> {
        let (count, each) = (self.components.len(), self.components[0].parameters().len());
        Error::unless_equal("free parameters of gaussian_mixture", count * (each + 1) - 1, values.len())?;
        if let Some(value) = values.iter().find(|v| !v.is_finite()) {
            return Err(Error::Data(format!("gaussian_mixture has finite parameters, found {value}")));
        }
        let (ratios, rest) = values.split_at(count - 1);
        let components = self.components.iter().zip(rest.chunks(each)).map(|(c, values)| c.with_parameters(values));
        Ok(Self::new(simplex::from_log_ratios(ratios), components.collect::<Result<_>>()?))
    }
    fn log_densities(&self, inputs: &Points) -> Result<Vec<f64>> {
        Ok(self.memberships(inputs)?.0)
    }
    /// Contrasts of p_k(x) - w_k for the weights, p_k(x) times the score vector of component k, with p_k(x) its posterior probability.
    fn scores(&self, inputs: &Points) -> Result<Matrix> {
        let parts = self.components.iter().map(|c| c.scores(inputs)).collect::<Result<Vec<_>>>()?;
        let of_weights = |shares: &[f64], out: &mut Vec<f64>| simplex::push_scores(shares, &self.weights, out);
        self.joined(inputs, (self.weights.len() - 1, of_weights), &parts, |_| 1.0)
    }
    fn information(&self) -> Option<Matrix> {
        None
    }
    /// The information of rows whose component is known: p_k(x) / w_k^(1/2) times the whitened score vector of component k, and
    /// v_k = (p_k(x) - w_k) / w_k^(1/2) (Perronnin, Sanchez & Mensink 2010, (8) and (9)), which is orthogonal to the vector of all w_k^(1/2)
    /// and therefore reflected into K - 1 numbers. With overlapping components that is an approximation.
    fn whitened_scores(&self, inputs: &Points) -> Result<Option<Matrix>> {
        let parts = self.components.iter().map(|c| c.whitened_scores(inputs).map(Option::unwrap_or_default)).collect::<Result<Vec<_>>>()?;
        let (last, w) = (self.weights.len() - 1, &self.weights);
        let of_weights = |shares: &[f64], out: &mut Vec<f64>| {
            let v = |k: usize| (shares[k] - w[k]) / w[k].sqrt();
            let reflected = v(last) / (1.0 + w[last].sqrt());
            out.extend((0..last).map(|k| v(k) - w[k].sqrt() * reflected));
        };
        self.joined(inputs, (last, of_weights), &parts, |k| 1.0 / w[k].sqrt()).map(Some)
    }
    /// sum_kl w_k v_l N(m_k; n_l, S_k + T_l): the integral of the product of two normal densities.
    fn log_product(&self, other: &Self, rho: f64) -> Result<f64> {
        if rho != 1.0 {
            let why = "a power of a sum of components has no closed form: only rho=1 has one".to_owned();
            return Err(Error::Setting { name: "rho".into(), why });
        }
        let dim = self.components[0].mean.len();
        Error::unless_equal("numbers per row of two mixtures", dim, other.components[0].mean.len())?;
        let mut terms = Vec::with_capacity(self.components.len() * other.components.len());
        for (a, w) in self.components.iter().zip(&self.weights) {
            for (b, v) in other.components.iter().zip(&other.weights) {
                let away: Vec<f64> = a.mean.iter().zip(&b.mean).map(|(m, n)| m - n).collect();
                let (log_det, square) = if matches!((&a.spread, &b.spread), (Spread::Full(_), _) | (_, Spread::Full(_))) {
                    let (s, t) = (a.covariance(), b.covariance());
                    let sum = Matrix::from_fn(dim, dim, |i, j| s[(i, j)] + t[(i, j)]);
                    let factor = Cholesky::new(sum, &Control::unwatched())?;
                    let mut u = Matrix::new(1, dim, away)?;
                    factor.solve_rows(&mut u, &Control::unwatched())?;
                    (factor.log_det(), u.data().iter().map(|u| u * u).sum::<f64>())
                } else {
                    let sums: Vec<f64> = a.variances().iter().zip(b.variances()).map(|(s, t)| s + t).collect();
                    (sums.iter().map(|v| v.ln()).sum(), away.iter().zip(&sums).map(|(d, v)| d * d / v).sum())
                };
                terms.push(w.ln() + v.ln() - 0.5 * (dim as f64 * TAU.ln() + log_det + square));
            }
        }
        let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(largest + terms.iter().map(|t| (t - largest).exp()).sum::<f64>().ln())
    }
    fn arrays(&self, coordinates: &Coordinates) -> Vec<ParameterArray> {
        let component = || ArrayAxis::numbered("component", self.weights.len());
        let means = self.components.iter().flat_map(|c| coordinates.points(&c.mean)).collect();
        let spreads = self.components.iter().flat_map(|c| c.spread_values(coordinates)).collect();
        let (what, axes) = self.components[0].spread_axes(coordinates);
        vec![
            ParameterArray::new("weights", "share of each component", vec![component()], self.weights.clone()),
            ParameterArray::new("means", "mean of each column", vec![component(), coordinates.axis("column")], means),
            ParameterArray::new("covariances", what, std::iter::once(component()).chain(axes).collect(), spreads),
        ]
    }
    /// The component of each row.
    fn hidden_states(&self, inputs: &Points, _: &Control) -> Result<Option<Vec<HiddenStates>>> {
        let (_, shares) = self.memberships(inputs)?;
        (0..shares.rows()).map(|i| HiddenStates::of_vector(shares.row(i))).collect::<Result<_>>().map(Some)
    }
    fn sample(&self, rows: usize, seed: u64) -> Result<Values> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let drawn: Vec<usize> = (0..rows).map(|_| simplex::draw_class(&mut random, &self.weights)).collect();
        let dim = self.components[0].mean.len();
        let mut values = vec![0.0; rows * dim];
        for (k, component) in self.components.iter().enumerate() {
            let places: Vec<usize> = (0..rows).filter(|&i| drawn[i] == k).collect();
            let Values::Points(points) = component.sample(places.len(), random.random())? else { continue };
            for (to, row) in places.into_iter().zip(0..) {
                values[to * dim..(to + 1) * dim].copy_from_slice(&Cells::select(&points, &[row]).to_dense());
            }
        }
        Points::dense(rows, dim, values).map(Values::Points)
    }
    fn is_maximum_likelihood(&self) -> bool {
        self.is_maximum
    }
    fn notices(&self) -> Vec<Notice> {
        self.notices.clone()
    }
}
