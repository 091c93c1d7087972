//! k medoids: the training rows from which all others are least far,
//!
//! ```text
//! minimise  sum_i w_i min_{m in M} d(x_i, x_m),   d(x, z) = |phi(x) - phi(z)|^2 = k(x, x) + k(z, z) - 2 k(x, z)
//! ```
//!
//! or, with `power=1`, its root (Kaufman & Rousseeuw 1990; Murphy 2012, 14.4.2). Of distances that are given, d is the distance to that
//! power. The solver is `solve::medoids`.

use super::clusters::{Places, numbers, sizes_note};
use super::count_by::{self, CountBy, CountCurve};
use super::fitted_clusters::{Clusters, FittedClusters};
use crate::data::Kind;
use crate::error::Result;
use crate::estimators::{
    Certificate, Costs, Estimator, EstimatorFacts, Expansion, Finds, Fit, FitContext, Gives, KernelValueKind, Needs, Size, Summary, Task,
};
use crate::gram::Side;
use crate::linalg::Matrix;
use crate::param::{Value, require_settled};
use crate::solve::{Medoids, medoids};
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// k medoids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct KMedoids {
    /// number of clusters; auto: up to 10, chosen by count_by
    #[param(domain = Integer(1, usize::MAX))]
    pub clusters: Value,
    /// similarities: what kernels give; distances: the kernel's values are distances
    pub values: KernelValueKind,
    /// 2: squared distances are added up; 1: distances
    #[param(default = 2.0, domain = Integer(1, 2))]
    pub power: Value,
    /// number of starts, of which the best is kept: the first greedy, the others random
    #[param(default = 1.0, domain = Integer(1, usize::MAX))]
    pub starts: Value,
    /// What the number of clusters is found by, where it is open.
    #[param(CountBy::OF_DISTANCES)]
    #[serde(default)]
    pub count_by: CountBy,
}

impl KMedoids {
    /// The places, with the distances that are added up among them.
    fn places(&self, task: &Task<'_>) -> Result<Places> {
        let mut places = Places::of(task, self.values == KernelValueKind::Distances)?;
        if self.values == KernelValueKind::Similarities {
            places.set_featureless_apart(task.gram()?);
        }
        places.raise(self.power.integer());
        Ok(places)
    }

    fn medoids(&self, places: &Places, count: usize, task: &Task<'_>) -> Result<Medoids> {
        let mut weights = places.weights.clone();
        if let Some(place) = places.featureless {
            weights[place] = 0.0;
        }
        medoids(&places.apart, &weights, count, self.starts.integer(), task.seed, task.control)
    }
}

/// Operations for each pair of places: seven rounds of swaps.
const SWAPS: f64 = 300.0;

impl Estimator for KMedoids {
    const NAME: &'static str = "k_medoids";
    const DOC: &'static str = "k-medoids: clusters around central training rows (medoids)";
    const TAKES: &'static [Kind] = &[Kind::Nothing];
    type Fitted = FittedClusters;

    fn gives(&self) -> Gives {
        Gives { finds: Finds::Clusters, ..Gives::VALUES }
    }
    fn needs(&self) -> Needs {
        Needs::Symmetric
    }

    /// k(x, z) + f(x) + f(z) has the same distances.
    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { ignores_shifts: self.values == KernelValueKind::Similarities, ..EstimatorFacts::default() }
    }

    /// Kernel values and distances; a start, and rounds of swaps in which every place is weighed.
    fn costs(&self, size: Size) -> Costs {
        let (n, costs) = (size.rows as f64, size.by_values().costs());
        let fit = SWAPS * n * n * self.starts.number().max(1.0);
        Costs { bytes: 8 * (size.rows as u64).pow(2), values: costs.values + n * n, fit, ..costs }
    }

    fn start(&self, _param: &str, task: &Task<'_>) -> Result<f64> {
        count_by::start(self, task)
    }

    fn counts(&self, task: &Task<'_>, most: usize) -> Result<Option<CountCurve>> {
        let clusters =
            |places: &Places, counts: &[usize]| counts.iter().map(|&count| Ok(self.medoids(places, count, task)?.nearest)).collect();
        count_by::count(self.count_by, &self.places(task)?, most, task, &clusters).map(Some)
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedClusters>) -> Result<Fit<FittedClusters>> {
        require_settled(self, Self::NAME)?;
        let count = self.clusters.integer();
        let places = self.places(task)?;
        places.require(count, Self::NAME)?;
        let found = self.medoids(&places, count, task)?;
        let mut mass = vec![0.0; count];
        found.nearest.iter().zip(&places.weights).for_each(|(&k, w)| mass[k] += w);
        let number = numbers(&found.nearest, &mass);
        let (mut sizes, mut by_cluster) = (vec![0.0; count], vec![0; count]);
        for k in 0..count {
            sizes[number[k]] = mass[k];
            by_cluster[number[k]] = places.rows[found.places[k]];
        }
        let mut support = by_cluster.clone();
        support.sort_unstable();
        let diagonal = task.gram()?.diagonal(Side::Rows);
        let mut coef = Matrix::zeros(count, count);
        for (k, row) in by_cluster.iter().enumerate() {
            let s = support.partition_point(|r| r < row);
            coef[(s, k)] = if self.values == KernelValueKind::Distances { -1.0 } else { 1.0 };
        }
        let bias =
            by_cluster.iter().map(|&row| if self.values == KernelValueKind::Distances { 0.0 } else { -0.5 * diagonal[row] }).collect();
        let mut notes = vec![sizes_note(&sizes)];
        notes.extend(places.equally_far());
        if found.every_set {
            notes.push("every set of medoids was tried: there is no better one".into());
        }
        let silhouette = (count > 1).then(|| places.silhouette(&found.nearest, count, task)).transpose()?;
        notes.extend(silhouette.map(|width| format!("mean silhouette: {width:.3}")));
        let summary = Summary {
            iterations: found.swaps,
            converged: found.fixed,
            objective: Some(found.loss),
            certificate: Some(Certificate {
                name: "swaps that would lower the loss".into(),
                value: if found.fixed { 0.0 } else { f64::INFINITY },
                tolerance: 0.0,
            }),
            notes,
            ..Summary::default()
        };
        Ok(FittedClusters {
            expansion: Expansion::new(support, coef, bias),
            clusters: Clusters { sizes, medoids: by_cluster, silhouette },
            summary,
        }
        .into())
    }
}
