//! Metric multidimensional scaling: places z_i in few dimensions whose distances are near those of the rows in feature space,
//!
//! ```text
//! minimise  sum_{i<j} w_i w_j u_ij (|z_i - z_j| - d_ij)^2 / sum_{i<j} w_i w_j u_ij d_ij^2,   d_ij = |phi(x_i) - phi(x_j)|
//! ```
//!
//! u = 1 (stress: Kruskal 1964) or 1 / d (Sammon 1969), from the places of classical scaling. A new row is put where its own part of the
//! sum is least, the others staying. The solver is `solve::scaling`; the certificate is the gradient.

use super::centred::{every_costs, every_pair, leading_costs, leading_pairs};
use crate::blocks;
use crate::data::{Kind, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::clustering::clusters::Places;
use crate::estimators::{
    Answer, Certificate, Costs, Estimator, EstimatorFacts, Fit, FitContext, Fitted, KernelValueKind, Needs, Predicted, Predictions, Query,
    Size, Summary, Task,
};
use crate::linalg::{Block, Matrix, PASSED, product_transposed_within};
use crate::notice::Notice;
use crate::param::{Value, require_settled};
use crate::solve::{Misfit, PER_PAIR, place, scaling};
use mercer_derive::{Choice, Parameters};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Squared distances up to this share of the largest are rounding, whose root would be seen on the map.
const ROUNDING: f64 = 1e-14;
/// Bytes of the name of a coordinate, in what a model answers and in its tables.
const PER_NAME: u64 = 64;
/// New rows that are placed between two looks at the clock.
const ROWS: usize = 64;

/// Metric multidimensional scaling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Mds {
    /// number of dimensions
    #[param(default = 2.0, domain = Integer(1, usize::MAX))]
    pub components: Value,
    /// similarities: what kernels give; distances: the kernel's values are distances
    pub values: KernelValueKind,
    /// stress: differences of distances count alike; sammon: each by 1 / distance, so that near rows stay near
    pub loss: Loss,
    /// gradient norm at which the optimisation stops
    #[param(default = 1e-6, domain = PositiveFinite)]
    pub tolerance: Value,
}

/// How differences of distances count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// All alike.
    #[default]
    Stress,
    /// Each by 1 / distance, so that near rows stay near.
    Sammon,
}

impl From<Loss> for Misfit {
    fn from(loss: Loss) -> Misfit {
        match loss {
            Loss::Stress => Misfit::Stress,
            Loss::Sammon => Misfit::Sammon,
        }
    }
}

/// Places by classical scaling of distances: the leading eigenvectors of -J D^2 J / 2, with their sums of coordinates 0.
fn classical(distances: &Matrix, components: usize, task: &Task<'_>) -> Result<Matrix> {
    let n = distances.rows();
    let mut values = distances.clone();
    values.data_mut().iter_mut().for_each(|d| *d = -0.5 * *d * *d);
    let means: Vec<f64> = (0..n).map(|i| values.row(i).iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    for i in 0..n {
        values.row_mut(i).iter_mut().zip(&means).for_each(|(v, m)| *v -= m + means[i] - mean);
    }
    let multiply = |rows: &Matrix| product_transposed_within(rows, &values, task.control);
    let entry = |i: usize, j: usize| values[(i, j)];
    let found = match starts_from_every_pair(n, components) {
        true => every_pair(n, components, task.control, &entry, &multiply)?,
        false => leading_pairs(n, components, 1e-9, (task.seed, task.control), &entry, &multiply)?,
    };
    Ok(Matrix::from_fn(n, components, |i, k| match found.values.get(k) {
        // The first of the largest entries points upwards.
        Some(l) if *l > 0.0 => {
            let row = found.vectors.row(k);
            let far = row.iter().fold(0.0f64, |m, v| m.max(v.abs())) * (1.0 - 1e-9);
            let sign = row.iter().find(|v| v.abs() >= far).map_or(1.0, |v| v.signum());
            sign * l.sqrt() * row[i]
        }
        _ => 0.0,
    }))
}

/// Whether every eigenpair takes no more than the passes that follow: a start that is exact may save some of them.
fn starts_from_every_pair(rows: usize, components: usize) -> bool {
    every_costs(rows).fit <= of_passes(rows, components as f64)
}

/// Operations of the passes over all distances.
fn of_passes(rows: usize, components: f64) -> f64 {
    PASSED * PASSES * (rows as f64).powi(2) * (PER_PAIR as f64 + 8.0 * components)
}

/// Passes over all distances that a plan counts on, at the tolerance that is the default.
const PASSES: f64 = 300.0;

impl Estimator for Mds {
    const NAME: &'static str = "mds";
    const DOC: &'static str = "metric multidimensional scaling: coordinates in few dimensions that preserve the distances of the rows";
    const TAKES: &'static [Kind] = &[Kind::Nothing];
    type Fitted = FittedMds;

    fn needs(&self) -> Needs {
        Needs::Symmetric
    }

    /// k(x, z) + f(x) + f(z) has the same distances.
    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { ignores_shifts: self.values == KernelValueKind::Similarities, ..EstimatorFacts::default() }
    }

    /// Kernel values, distances and what classical scaling begins with; then some hundred passes over the distances.
    fn costs(&self, size: Size) -> Costs {
        let (n, dim, costs) = (size.rows as f64, self.components.number().max(1.0), size.by_values().costs());
        let every = starts_from_every_pair(size.rows, dim as usize);
        let start = if every { every_costs(size.rows) } else { leading_costs(size.rows, dim as usize) };
        Costs {
            bytes: start.bytes + 24 * (size.rows as u64).pow(2),
            values: costs.values + n * n,
            fit: start.fit + of_passes(size.rows, dim),
            ..costs
        }
    }

    fn start(&self, _param: &str, _task: &Task<'_>) -> Result<f64> {
        Ok(2.0)
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedMds>) -> Result<Fit<FittedMds>> {
        require_settled(self, Self::NAME)?;
        let components = self.components.integer();
        task.control.plan(&format!("the names of {components} coordinates"), PER_NAME.saturating_mul(components as u64))?;
        let mut places = Places::of(task, self.values == KernelValueKind::Distances)?;
        let n = places.rows.len();
        if n < 2 {
            return Err(Error::Data(format!(
                "a map needs rows that differ, and there is {n}; check the columns and the kernel's parameters, or add rows"
            )));
        }
        let (mut notes, mut warnings): (Vec<String>, Vec<Notice>) = (places.equally_far().into_iter().collect(), Vec::new());
        let negative = places.apart.data().iter().filter(|d| **d < 0.0).count() / 2;
        places.raise(1);
        let distances = std::mem::take(&mut places.apart);
        // The distances of n rows are those of places in n - 1 dimensions; coordinates in any others are 0.
        let dim = components.min(n - 1);
        let start = classical(&distances, dim, task)?;
        let found = scaling(&distances, &places.weights, self.loss.into(), &start, self.tolerance.number(), task.control)?;
        if negative > 0 {
            warnings.push(Notice::NegativeDistances { count: negative });
        }
        notes.push(match self.loss {
            Loss::Stress => format!("stress-1 (root of the normalised stress): {:.4}", found.loss.sqrt()),
            Loss::Sammon => format!("Sammon's stress: {:.6}", found.loss),
        });
        let summary = Summary {
            iterations: found.steps,
            converged: found.gradient <= self.tolerance.number(),
            objective: Some(found.loss),
            certificate: Some(Certificate {
                name: "largest entry of the gradient, times rows".into(),
                value: found.gradient,
                tolerance: self.tolerance.number(),
            }),
            notes,
            warnings,
            ..Summary::default()
        };
        // Prediction goes by rows in their order.
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&p| places.rows[p]);
        let mut placed = found.places.select_rows(&order);
        for d in 0..dim {
            // Of each axis the row that lies farthest out lies above 0.
            let farthest = (0..n).fold(0.0f64, |far, i| if placed[(i, d)].abs() > far.abs() * (1.0 + 1e-9) { placed[(i, d)] } else { far });
            if farthest < 0.0 {
                (0..n).for_each(|i| placed[(i, d)] = -placed[(i, d)]);
            }
        }
        Ok(FittedMds {
            support: order.iter().map(|&p| places.rows[p]).collect(),
            weights: order.iter().map(|&p| places.weights[p]).collect(),
            places: placed,
            components,
            values: self.values,
            loss: self.loss,
            summary,
        }
        .into())
    }
}

/// A fitted map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedMds {
    #[serde(with = "blocks::usizes")]
    support: Vec<usize>,
    #[serde(with = "blocks::f64s")]
    weights: Vec<f64>,
    /// In no more dimensions than there are rows less one.
    places: Matrix,
    /// Coordinates of a prediction: those of places, and 0 in all others.
    components: usize,
    values: KernelValueKind,
    loss: Loss,
    summary: Summary,
}

impl Fitted for FittedMds {
    fn support(&self) -> &[usize] {
        &self.support
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let (rows, n) = query.cross()?.shape();
        Error::unless_equal("places of a map", n, self.places.rows())?;
        Error::unless_equal("weights of a map", n, self.weights.len())?;
        let (dim, wide) = (self.places.cols(), self.components);
        Error::unless_equal("coordinates of a map", dim, wide.min(dim))?;
        query.control.plan(&format!("{wide} coordinates of each row"), 8 * (rows as u64).saturating_mul(wide as u64))?;
        let mut out = Matrix::zeros(rows, wide);
        out.data_mut().par_chunks_mut((ROWS * wide).max(1)).enumerate().try_for_each(|(b, out)| {
            query.control.check_time("predictions")?;
            let some: Vec<usize> = (b * ROWS..rows.min((b + 1) * ROWS)).collect();
            let mut apart = vec![0.0; some.len() * n];
            let block = Block::new(&mut apart, some.len(), n);
            match self.values {
                KernelValueKind::Distances => query.cross()?.fill_rows(&some, 0..n, block),
                KernelValueKind::Similarities => query.cross()?.fill_distances(&some, 0..n, block),
            }
            for (out, apart) in out.chunks_exact_mut(wide).zip(apart.chunks_exact_mut(n)) {
                if self.values == KernelValueKind::Similarities {
                    query.cross()?.squared_distances(apart);
                    let floor = ROUNDING * apart.iter().fold(0.0f64, |m, d| m.max(*d));
                    apart.iter_mut().for_each(|d| *d = if *d <= floor { 0.0 } else { d.sqrt() });
                }
                if let Some(d) = apart.iter().find(|d| !(d.is_finite() && **d >= 0.0)) {
                    return Err(Error::Data(format!("a new row has the distance {d} from a training row; distances are 0 or above")));
                }
                out[..dim].copy_from_slice(&place(apart, &self.places, &self.weights, self.loss.into()));
            }
            Ok(())
        })?;
        Ok(Predictions::of(Predicted::Numbers(out)))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, _target: &TargetInfo) -> Result<Answer> {
        Ok(Answer::Components { names: (1..=self.components).map(|k| format!("z{k}")).collect() })
    }
}
