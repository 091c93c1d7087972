//! k-means in feature space (Schölkopf, Smola & Müller 1998; Dhillon, Guan & Kulis 2004):
//!
//! ```text
//! minimise  sum_i w_i |phi(x_i) - m_z(i)|^2,   m_k = sum_{i in k} w_i phi(x_i) / sum_{i in k} w_i
//! ```
//!
//! over clusters z. The solver is `solve::kernel_means`, from places drawn far from one another.

use super::clusters::{Places, nearest_centres, numbers, sizes_note};
use super::count_by::{self, CountBy, CountCurve};
use super::fitted_clusters::{Clusters, FittedClusters};
use crate::data::Kind;
use crate::error::Result;
use crate::estimators::{Certificate, Costs, Estimator, EstimatorFacts, Expansion, Finds, Fit, FitContext, Gives, Size, Summary, Task};
use crate::gram::Side;
use crate::linalg::Matrix;
use crate::param::{Value, require_settled};
use crate::solve::KernelMeans;
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// Kernel k-means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct KernelKMeans {
    /// number of clusters; auto: up to 10, chosen by count_by
    #[param(domain = Integer(1, usize::MAX))]
    pub clusters: Value,
    /// number of random starts, of which the best is kept
    #[param(default = 5.0, domain = Integer(1, usize::MAX))]
    pub starts: Value,
    /// What the number of clusters is found by, where it is open.
    #[param(CountBy::OF_DISTANCES)]
    #[serde(default)]
    pub count_by: CountBy,
}

impl KernelKMeans {
    pub(crate) fn means(&self, places: &Places, values: &Matrix, count: usize, task: &Task<'_>) -> Result<KernelMeans> {
        let apart = |p: usize, q: usize| places.apart[(p, q)];
        nearest_centres(values, &apart, &places.weights, count, self.starts.integer(), task)
    }
}

impl Estimator for KernelKMeans {
    const NAME: &'static str = "kernel_k_means";
    const DOC: &'static str = "k-means in feature space: clusters around means, of any shape that the kernel gives them";
    const TAKES: &'static [Kind] = &[Kind::Nothing];
    type Fitted = FittedClusters;

    fn gives(&self) -> Gives {
        Gives { finds: Finds::Clusters, ..Gives::VALUES }
    }

    /// k(x, z) + f(x) + f(z) has the same distances.
    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { ignores_shifts: true, ..EstimatorFacts::default() }
    }

    /// Kernel values and distances; some thirty products of the matrix with clusters for each start.
    fn costs(&self, size: Size) -> Costs {
        let (n, costs) = (size.rows as f64, size.by_values().costs());
        let clusters = if self.clusters.is_settled() { self.clusters.number() } else { 50.0 };
        let fit = 60.0 * n * n * clusters * self.starts.number().max(1.0);
        Costs { bytes: 16 * (size.rows as u64).pow(2), values: costs.values + n * n, fit, ..costs }
    }

    fn start(&self, _param: &str, task: &Task<'_>) -> Result<f64> {
        count_by::start(self, task)
    }

    fn counts(&self, task: &Task<'_>, most: usize) -> Result<Option<CountCurve>> {
        let clusters = |places: &Places, counts: &[usize]| {
            let values = places.halved();
            counts.iter().map(|&count| Ok(self.means(places, &values, count, task)?.cluster)).collect()
        };
        count_by::count(self.count_by, &Places::of(task, false)?, most, task, &clusters).map(Some)
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedClusters>) -> Result<Fit<FittedClusters>> {
        require_settled(self, Self::NAME)?;
        let (n, count) = (task.rows(), self.clusters.integer());
        let places = Places::of(task, false)?;
        places.require(count, Self::NAME)?;
        // Halved distances, in which nothing cancels far from the origin.
        let found = self.means(&places, &places.halved(), count, task)?;
        let number = numbers(&found.cluster, &found.mass);
        let (mut sizes, mut bias) = (vec![0.0; count], vec![0.0; count]);
        for k in 0..count {
            (sizes[number[k]], bias[number[k]]) = (found.mass[k], -0.5 * found.norms[k]);
        }
        // k(x, z) = h(x, z) + k(x, x) / 2 + k(z, z) / 2: |m_k|^2 by kernel values is that by h and the mean of k(x, x).
        for (i, own) in task.gram()?.diagonal(Side::Rows).into_iter().enumerate() {
            let k = found.cluster[places.of_row[i]];
            bias[number[k]] -= 0.5 * task.weight(i) / found.mass[k] * own;
        }
        let mut coef = Matrix::zeros(n, count);
        for (i, &place) in places.of_row.iter().enumerate() {
            let k = found.cluster[place];
            coef[(i, number[k])] = task.weight(i) / found.mass[k];
        }
        let mut notes = vec![sizes_note(&sizes)];
        notes.extend(places.equally_far());
        let silhouette = (count > 1).then(|| places.silhouette(&found.cluster, count, task)).transpose()?;
        notes.extend(silhouette.map(|width| format!("mean silhouette: {width:.3}")));
        let summary = Summary {
            iterations: found.steps,
            converged: found.fixed,
            objective: Some(found.objective),
            certificate: Some(Certificate {
                name: "single moves that would lower the objective".into(),
                value: if found.fixed { 0.0 } else { f64::INFINITY },
                tolerance: 0.0,
            }),
            notes,
            ..Summary::default()
        };
        let mut expansion = Expansion::new((0..n).collect(), coef, bias);
        expansion.weigh(task.gram()?, task.control)?;
        Ok(FittedClusters { expansion, clusters: Clusters { sizes, medoids: Vec::new(), silhouette }, summary }.into())
    }
}
