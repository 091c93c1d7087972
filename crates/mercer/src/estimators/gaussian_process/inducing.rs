//! Gaussian process regression through inducing rows (Titsias 2009, Variational learning of inducing variables in sparse Gaussian
//! processes): the posterior is that of the values of the function at m training rows, and
//!
//! ```text
//! log p(t) >= log N(t | 0, variance Q + noise W^-1) - sum_i w_i variance (k_ii - q_ii) / (2 noise),   Q = K_nm K_mm^-1 K_mn
//! ```
//!
//! With K_mm = L L', Phi = K_nm L'^-1 and lambda = noise / variance the first term is a regression on m features, Q = Phi Phi', whose
//! matrix is B = Phi'W Phi + lambda I; the second is the trace term, what the inducing rows leave of the prior variance. A bound with its
//! derivatives takes about 4 N m^2 operations and the memory of some N x m numbers. Of m = N rows it is the exact evidence.

use super::exact::{ExactRegression, FeatureSystem};
use super::fitted_inducing::GpOfInducing;
use super::gp::Gp;
use crate::error::{Error, Result};
use crate::estimators::{Costs, Criterion, Estimator, Near, Size, Task};
use crate::gram::{self, CentreWeights, Gram, PairWeights, Side, Subset, pivoted_cholesky};
use crate::linalg::{Cholesky, Matrix, PASSED, gramian_of_columns_within, product_within, transposed_product_within};
use std::borrow::Cow;

/// Regression with normal noise through inducing rows, its parameters settled.
#[derive(Clone, Copy)]
pub(super) struct InducingRegression {
    pub(super) exact: ExactRegression,
    /// Inducing rows at most.
    pub(super) count: usize,
}

/// The features that inducing rows make of all rows.
pub(super) struct InducingFeatures {
    /// Training rows, ascending.
    pub(super) centres: Vec<usize>,
    /// L.
    pub(super) factor: Cholesky,
    /// Phi, N x m.
    pub(super) phi: Matrix,
    /// k_ii - q_ii of each row, none below 0.
    left: Vec<f64>,
    /// The mean of k_ii over rows by weight.
    prior: f64,
}

impl InducingFeatures {
    /// Of training rows.
    fn new(centres: Vec<usize>, task: &Task<'_>) -> Result<Self> {
        Self::among(centres, task.gram()?, task)
    }

    /// Of rows of a Gram matrix that begins with the training rows.
    fn among(centres: Vec<usize>, gram: &dyn Gram, task: &Task<'_>) -> Result<Self> {
        let control = task.control;
        let (n, m) = (task.rows() as u64, centres.len() as u64);
        control.plan("the bound of gp through inducing rows and its gradient", 8 * (3 * n * m + 6 * m * m))?;
        let factor = Cholesky::new(gram::dense(&Subset::new(gram, &centres, &centres), control)?, control)?;
        let mut phi = gram::values_with(gram, &centres, control)?;
        phi.truncate_rows(task.rows());
        factor.solve_rows(&mut phi, control)?;
        let mut own = gram.diagonal(Side::Rows);
        own.truncate(task.rows());
        let left = own.iter().enumerate().map(|(i, k)| (k - gram::dot(phi.row(i), phi.row(i))).max(0.0)).collect();
        let total: f64 = (0..own.len()).map(|i| task.weight(i)).sum();
        let prior = own.iter().enumerate().map(|(i, k)| task.weight(i) * k).sum::<f64>() / total;
        Ok(InducingFeatures { centres, factor, phi, left, prior })
    }

    /// sum_i w_i (k_ii - q_ii).
    fn trace(&self, task: &Task<'_>) -> f64 {
        self.left.iter().enumerate().map(|(i, left)| task.weight(i) * left).sum()
    }

    /// The share of the prior variance that the inducing rows leave.
    fn share(&self, task: &Task<'_>) -> f64 {
        let total: f64 = (0..task.rows()).map(|i| task.weight(i)).sum();
        if self.prior > 0.0 { self.trace(task) / (total * self.prior) } else { 0.0 }
    }
}

impl InducingRegression {
    /// An error where the noise is 0: the bound divides by it.
    fn require_noise(&self) -> Result<()> {
        if self.exact.noise > 0.0 {
            return Ok(());
        }
        let why = "gp through inducing rows needs noise above 0; give some, or leave inducing out".into();
        Err(Error::Setting { name: "noise".into(), why })
    }

    /// The rows of greatest variance given those before, fewer where what is left is rounding: so no row enters that others make. Of equal
    /// variances that of the target nearest to the mean comes first, so that the order of the rows does not matter.
    fn choose(&self, task: &Task<'_>) -> Result<Vec<usize>> {
        let (n, m) = (task.rows(), self.count.min(task.rows()));
        task.control.plan("the choice of inducing rows", 8 * (n as u64) * (m as u64))?;
        let (t, _) = self.exact.standardised(task)?;
        let squares: Vec<f64> = (0..n).map(|i| gram::dot(t.row(i), t.row(i))).collect();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| squares[i].total_cmp(&squares[j]));
        let ordered = Subset::new(task.gram()?, &order, &order);
        let pivots = pivoted_cholesky(&ordered, &vec![1.0; n], m, task.control)?.pivots;
        let mut centres: Vec<usize> = pivots.into_iter().map(|k| order[k]).collect();
        centres.sort_unstable();
        Ok(centres)
    }

    /// What the trace term takes from the evidence.
    fn penalty(&self, features: &InducingFeatures, outputs: usize, task: &Task<'_>) -> f64 {
        0.5 * outputs as f64 * self.exact.variance * features.trace(task) / self.exact.noise
    }

    pub(super) fn fit(&self, task: &Task<'_>) -> Result<GpOfInducing> {
        self.require_noise()?;
        let features = InducingFeatures::new(self.choose(task)?, task)?;
        let (m, n) = (features.centres.len(), task.rows());
        let what = match self.count > n {
            true => format!("inducing={} asks for more rows than the {n} there are: {m} are inducing rows", self.count),
            false => format!("{m} of {n} rows are inducing rows"),
        };
        self.fit_through(features, &what, task)
    }

    /// The fit through inputs that stand behind the training rows in a Gram matrix.
    pub(super) fn fit_behind(&self, among: &dyn Gram, task: &Task<'_>) -> Result<GpOfInducing> {
        self.require_noise()?;
        let features = InducingFeatures::among((task.rows()..among.shape().0).collect(), among, task)?;
        let m = features.centres.len();
        self.fit_through(features, &format!("{m} inducing inputs were moved to where the bound is greater"), task)
    }

    fn fit_through(&self, features: InducingFeatures, what: &str, task: &Task<'_>) -> Result<GpOfInducing> {
        let system = self.exact.over_features(Cow::Borrowed(&features.phi), task)?;
        let penalty = self.penalty(&features, system.t.cols(), task);
        let notes = vec![
            format!("{what}; they leave {:.2} % of the prior variance", 100.0 * features.share(task)),
            format!("the log evidence is a lower bound, of which the trace term takes {penalty:.4}"),
        ];
        let jitter = features.factor.jitter_used();
        let FeatureSystem { primal, found, process, evidence, .. } = system;
        let mut of_rows = found.beta.transpose();
        features.factor.solve_transposed_rows(&mut of_rows, task.control)?;
        let inner = primal.solver;
        GpOfInducing::new(process, (features.centres, of_rows), [features.factor, inner], (evidence - penalty, found.gap, jitter), notes)
    }

    /// Minus the bound. With E = O (B^-1 - I / lambda), O outputs and alpha, beta of the regression on Phi, the derivative by k_ij of row i and
    /// inducing row j is [(W Phi E - alpha beta') L^-1]_ij, by K_mm -L'^-1 (Phi'W Phi E - beta beta' / variance) L^-1 / 2, and by k_ii
    /// O variance w_i / (2 noise). Inducing rows stay as they are in a search, so that it follows one smooth function.
    pub(super) fn criterion(&self, task: &Task<'_>, near: Option<&Near>) -> Result<(Criterion, Option<Near>)> {
        self.require_noise()?;
        let kept = near.map(|near| near.chosen.clone()).filter(|chosen| !chosen.is_empty());
        let features = InducingFeatures::new(kept.map_or_else(|| self.choose(task), Ok)?, task)?;
        let chosen = features.centres.clone();
        Ok((self.criterion_through(features, task.rows(), task)?, Some(Near { alpha: None, chosen })))
    }

    /// Minus the bound through inputs that stand behind the training rows in a Gram matrix, with the derivative by each of its values.
    pub(super) fn criterion_behind(&self, among: &dyn Gram, task: &Task<'_>) -> Result<Criterion> {
        self.require_noise()?;
        let all = among.shape().0;
        self.criterion_through(InducingFeatures::among((task.rows()..all).collect(), among, task)?, all, task)
    }

    /// Minus the bound; `all`: rows of the Gram matrix that holds the inducing ones.
    fn criterion_through(&self, features: InducingFeatures, all: usize, task: &Task<'_>) -> Result<Criterion> {
        let (n, control) = (task.rows(), task.control);
        let FeatureSystem { primal, t, found, alpha, process, evidence } = self.exact.over_features(Cow::Borrowed(&features.phi), task)?;
        let (noise, variance, beta) = (process.noise, process.variance, found.beta);
        let (m, outputs, lambda) = (features.centres.len(), t.cols() as f64, noise / variance);
        let penalty = self.penalty(&features, t.cols(), task);
        let value = penalty - evidence;

        let b = primal.solver.multiply(&identity(m))?;
        let inverse = primal.solver.into_inverse(control)?;
        let inverse_trace: f64 = inverse.diagonal().iter().sum();
        let mut within = Matrix::from_fn(m, m, |j, k| {
            let two = if j == k { 2.0 } else { 0.0 };
            let square = gram::dot(beta.row(j), beta.row(k));
            -0.5 * (outputs * (two - b[(j, k)] / lambda - lambda * inverse[(j, k)]) - square / variance)
        });
        let mut e = inverse;
        e.add_to_diagonal(&[-1.0 / lambda]);
        e.data_mut().iter_mut().for_each(|v| *v *= outputs);
        let mut by_output = beta.transpose();
        for rows in [&mut e, &mut by_output, &mut within] {
            features.factor.solve_transposed_rows(rows, control)?;
        }
        let mut within = within.transpose();
        features.factor.solve_transposed_rows(&mut within, control)?;

        let mut values = product_within(&features.phi, &e, control)?;
        for i in 0..n {
            let weight = task.weight(i);
            let row = values.row_mut(i);
            row.iter_mut().for_each(|v| *v *= weight);
            for (o, a) in alpha.row(i).iter().enumerate() {
                row.iter_mut().zip(by_output.row(o)).for_each(|(v, b)| *v -= a * b);
            }
        }
        values.append_rows(Matrix::zeros(all - n, m));
        for (j, &centre) in features.centres.iter().enumerate() {
            values.row_mut(centre).iter_mut().zip(within.row(j)).for_each(|(v, w)| *v += w);
        }
        let mut diagonal: Vec<f64> = (0..n).map(|i| 0.5 * outputs * variance * task.weight(i) / noise).collect();
        diagonal.resize(all, 0.0);

        let own_squares: f64 = (0..n).map(|i| gram::dot(alpha.row(i), alpha.row(i)) / task.weight(i)).sum();
        let by_noise = 0.5 * (outputs * (n as f64 - m as f64 + lambda * inverse_trace) / noise - own_squares) - penalty / noise;
        let explained = (m as f64 - lambda * inverse_trace) / variance;
        let by_variance = 0.5 * (outputs * explained - (beta.norm() / variance).powi(2)) + penalty / variance;
        let weights = PairWeights::Centres(CentreWeights { centres: features.centres, values, diagonal });
        let own = vec![("noise", by_noise), ("variance", by_variance)];
        Ok(Criterion { value, weights, own, indifference: 1.0 })
    }

    /// The bound for a few variances of the noise: the features and their products once, and a factor of m x m numbers for each.
    pub(super) fn criterion_along_noise(&self, values: &[f64], task: &Task<'_>) -> Result<Vec<f64>> {
        let (t, process) = self.exact.standardised(task)?;
        let features = InducingFeatures::new(self.choose(task)?, task)?;
        let squares = gramian_of_columns_within(&features.phi, task.weights, task.control)?;
        let weighed = Matrix::from_fn(t.rows(), t.cols(), |i, o| task.weight(i) * t[(i, o)]);
        let along = transposed_product_within(&features.phi, &weighed, task.control)?;
        let size = gram::dot(t.data(), weighed.data());
        let logs: f64 = (0..t.rows()).map(|i| task.weight(i).ln()).sum();
        let value = |noise: &f64| -> Result<f64> {
            let lambda = noise / process.variance;
            let of = InducingRegression { exact: ExactRegression { noise: *noise, ..self.exact }, ..*self };
            of.require_noise()?;
            let mut b = squares.clone();
            b.add_to_diagonal(&[lambda]);
            let b = match Cholesky::new(b, task.control) {
                Err(Error::Numerical { .. }) => return Ok(f64::INFINITY),
                found => found?,
            };
            let explained = gram::dot(along.data(), b.solve(&along, task.control)?.data());
            let log_det = b.log_det() - squares.rows() as f64 * lambda.ln() + t.rows() as f64 * noise.ln() - logs;
            Ok(of.penalty(&features, t.cols(), task) - process.evidence(t.rows(), (size - explained) / noise, log_det))
        };
        values.iter().map(value).collect()
    }
}

fn identity(size: usize) -> Matrix {
    Matrix::from_fn(size, size, |i, j| f64::from(u8::from(i == j)))
}

/// A refusal of inducing rows for what is observed otherwise than with normal noise.
pub(super) fn refuse(what: &str) -> Error {
    let why = format!("{} of {what} has no inducing rows; leave inducing out, or give numbers with the gaussian likelihood", Gp::NAME);
    Error::Setting { name: "inducing".into(), why }
}

/// The costs of a fit through so many inducing rows: their choice, which is no product, features, their products and a factor; of a
/// criterion one more product of features.
pub(super) fn costs(size: Size, inducing: f64) -> Costs {
    let n = size.rows as f64;
    let m = inducing.min(n);
    let (square, outputs) = (n * m * m, size.outputs.max(1) as f64);
    Costs {
        bytes: 8 * (4.0 * n * m + 6.0 * m * m + 8.0 * n * outputs) as u64,
        values: 2.0 * n * m,
        fit: (1.0 + PASSED) * square + m.powi(3),
        prediction_values: m,
        prediction: 2.0 * m * outputs + 2.0 * m * m,
        criterion_values: 2.0 * n * m,
        criterion: 4.0 * square + 3.0 * m.powi(3),
        ..Costs::default()
    }
}
