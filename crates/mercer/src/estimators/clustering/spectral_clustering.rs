//! Spectral clustering (Ng, Jordan & Weiss 2001; von Luxburg 2007): with degrees d_i = sum_j w_j k(x_i, x_j), rows lie at
//!
//! ```text
//! e(x) = sum_i w_i^(1/2) d_i^(-1/2) k(x, x_i) u_i / l,    W^(1/2) D^(-1/2) K D^(-1/2) W^(1/2) u = l u
//! ```
//!
//! along the c leading eigenvectors, scaled to length 1, and are clustered there by k-means. A training row lies at u_i / (w_i d_i)^(1/2)
//! times a number, which its length takes away again, as it does the degree of a new row: that is the extension of Nyström.

use super::clusters::{Places, nearest_centres, numbers, sizes_note};
use super::count_by::{self, CountBy, CountCurve, CountTried};
use super::fitted_clusters::Clusters;
use crate::data::{Kind, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::embedding::centred::{leading_costs, leading_pairs};
use crate::estimators::{
    Answer, Certificate, Costs, Estimator, Expansion, Finds, Fit, FitContext, Fitted, Gives, Predicted, Predictions, Query, Size, Summary,
    Task,
};
use crate::gram::{Block, Side, dot};
use crate::linalg::{Matrix, product_transposed_within, product_within};
use crate::param::{Value, require_settled};
use crate::solve::KernelMeans;
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// The relative residual that eigenvectors are asked to reach.
const TOLERANCE: f64 = 1e-8;

/// Spectral clustering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct SpectralClustering {
    /// number of clusters; auto: up to 10, chosen by count_by
    #[param(domain = Integer(1, usize::MAX))]
    pub clusters: Value,
    /// number of k-means starts on the eigenvectors, of which the best is kept
    #[param(default = 10.0, domain = Integer(1, usize::MAX))]
    pub starts: Value,
    /// how the number of clusters is found, where it is auto. eigengap: from 2, where the eigenvalues fall most; stability: the greatest
    /// number whose clusters of two samples of the rows agree as well as those of the best
    #[param(default = CountBy::Eigengap, domain = Choice(&["eigengap", "stability"]))]
    #[serde(default = "eigengap")]
    pub count_by: CountBy,
}

fn eigengap() -> CountBy {
    CountBy::Eigengap
}

/// Fitted spectral clustering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedSpectralClustering {
    /// Coordinates along the eigenvectors.
    expansion: Expansion,
    /// The centres of the clusters among rows of length 1, clusters x eigenvectors.
    centres: Matrix,
    clusters: Clusters,
    summary: Summary,
}

/// Places along some leading eigenvectors.
struct Embedding {
    /// (w_i / d_i)^(1/2).
    scale: Vec<f64>,
    values: Vec<f64>,
    /// Leading eigenvalues that are no rounding.
    rank: usize,
    /// One eigenvector per row.
    vectors: Matrix,
    residual: f64,
    products: usize,
}

impl Embedding {
    fn new(places: &Places, count: usize, task: &Task<'_>) -> Result<Embedding> {
        let n = places.rows.len();
        let values = places.values(task)?;
        if let Some((p, q)) = (0..n * n).map(|at| (at / n, at % n)).find(|&(p, q)| values[(p, q)] < 0.0) {
            return Err(Error::Numerical {
                what: "spectral_clustering".into(),
                why: format!(
                    "similarities must be 0 or above, and that of rows {} and {} is {}; take a kernel such as rbf",
                    places.rows[p] + 1,
                    places.rows[q] + 1,
                    values[(p, q)]
                ),
            });
        }
        let degrees = product_within(&values, &Matrix::column(places.weights.clone()), task.control)?.into_data();
        if let Some(p) = degrees.iter().position(|d| *d <= 0.0) {
            let row = places.rows[p] + 1;
            return Err(Error::Data(format!("spectral_clustering: row {row} is like no row, itself included; take a kernel such as rbf")));
        }
        let scale: Vec<f64> = places.weights.iter().zip(&degrees).map(|(w, d)| (w / d).sqrt()).collect();
        let multiply = |rows: &Matrix| {
            let scaled = Matrix::from_fn(rows.rows(), n, |k, p| rows[(k, p)] * scale[p]);
            let out = product_transposed_within(&scaled, &values, task.control)?;
            Ok(Matrix::from_fn(rows.rows(), n, |k, p| out[(k, p)] * scale[p]))
        };
        let entry = |p: usize, q: usize| scale[p] * values[(p, q)] * scale[q];
        let found = leading_pairs(n, count, TOLERANCE, (task.seed, task.control), &entry, &multiply)?;
        // The largest is 1. What lies below rounding of it has no direction: new rows would be divided by it.
        let floor = (n as f64 * f64::EPSILON).max(found.residual.min(TOLERANCE)) * found.values.first().copied().unwrap_or(0.0);
        let rank = found.values.iter().take_while(|l| **l > floor).count();
        Ok(Embedding { rank, scale, values: found.values, vectors: found.vectors, residual: found.residual, products: found.products })
    }

    /// Rows of length 1 along the first eigenvectors, no more than there are, n x count.
    fn directions(&self, count: usize) -> Matrix {
        let mut out = Matrix::from_fn(self.scale.len(), count.min(self.rank), |p, k| self.vectors[(k, p)] / self.scale[p]);
        (0..out.rows()).for_each(|p| to_length_one(out.row_mut(p)));
        out
    }
}

fn to_length_one(row: &mut [f64]) {
    let length = dot(row, row).sqrt();
    if length > 0.0 {
        row.iter_mut().for_each(|v| *v /= length);
    }
}

impl SpectralClustering {
    /// Clusters of directions by k-means, on squared distances among directions instead of places.
    fn among(&self, directions: &Matrix, places: &Places, count: usize, task: &Task<'_>) -> Result<KernelMeans> {
        let values = product_transposed_within(directions, directions, task.control)?;
        let apart = |p: usize, q: usize| (values[(p, p)] + values[(q, q)] - 2.0 * values[(p, q)]).max(0.0);
        nearest_centres(&values, &apart, &places.weights, count, self.starts.integer(), task)
    }
}

impl Estimator for SpectralClustering {
    const NAME: &'static str = "spectral_clustering";
    const DOC: &'static str = "spectral clustering: clusters of any shape with few similarities between them";
    const TAKES: &'static [Kind] = &[Kind::Nothing];
    type Fitted = FittedSpectralClustering;

    fn gives(&self) -> Gives {
        Gives { finds: Finds::Clusters, ..Gives::VALUES }
    }

    /// Kernel values, distances of directions, similarities of these; leading eigenvectors, then k-means.
    fn costs(&self, size: Size) -> Costs {
        let (n, costs) = (size.rows as f64, size.by_values().costs());
        let clusters = if self.clusters.is_settled() { self.clusters.number() } else { 10.0 };
        let found = leading_costs(size.rows, clusters as usize);
        Costs {
            bytes: found.bytes + 18 * (size.rows as u64).pow(2),
            values: 2.5 * n * n,
            fit: found.fit + 15.0 * n * n * clusters * self.starts.number().max(1.0),
            ..costs
        }
    }

    fn start(&self, _param: &str, task: &Task<'_>) -> Result<f64> {
        count_by::start(self, task)
    }

    /// By default where the eigenvalues l_2, ..., l_11 fall most from one to the next (von Luxburg 2007, 8.3).
    fn counts(&self, task: &Task<'_>, most: usize) -> Result<Option<CountCurve>> {
        let places = Places::of(task, false)?;
        if self.count_by != CountBy::Eigengap {
            let clusters = |places: &Places, counts: &[usize]| {
                let embedding = Embedding::new(places, counts.iter().copied().max().unwrap_or(1), task)?;
                counts.iter().map(|&count| Ok(self.among(&embedding.directions(count), places, count, task)?.cluster)).collect()
            };
            return count_by::count(self.count_by, &places, most, task, &clusters).map(Some);
        }
        let most = most.min(places.most_clusters());
        let mut values = Embedding::new(&places, (most + 1).min(places.rows.len()), task)?.values;
        // Where every place is a cluster, its copies leave eigenvalues of 0.
        values.resize(most + 1, 0.0);
        let tried = (2..=most).map(|count| CountTried { count, value: values[count - 1] - values[count], error: 0.0 }).collect();
        Ok(Some(CountCurve::greatest(CountBy::Eigengap, tried, &places)))
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedSpectralClustering>) -> Result<Fit<FittedSpectralClustering>> {
        require_settled(self, Self::NAME)?;
        let (n, count) = (task.rows(), self.clusters.integer());
        let places = Places::of(task, false)?;
        places.require(count, Self::NAME)?;
        let embedding = Embedding::new(&places, count, task)?;
        let directions = embedding.directions(count);
        let kept = directions.cols();
        let found = self.among(&directions, &places, count, task)?;
        let number = numbers(&found.cluster, &found.mass);
        let (mut sizes, mut centres) = (vec![0.0; count], Matrix::zeros(count, kept));
        (0..count).for_each(|k| sizes[number[k]] = found.mass[k]);
        for (p, &k) in found.cluster.iter().enumerate() {
            let share = places.weights[p] / found.mass[k];
            centres.row_mut(number[k]).iter_mut().zip(directions.row(p)).for_each(|(c, v)| *c += share * v);
        }
        let mut coef = Matrix::zeros(n, kept);
        for (i, &p) in places.of_row.iter().enumerate() {
            // The rows of a place share what it has, by their weights.
            let share = task.weight(i) / places.weights[p];
            (0..kept).for_each(|k| coef[(i, k)] = share * embedding.scale[p] * embedding.vectors[(k, p)] / embedding.values[k]);
        }
        let mut expansion = Expansion::new((0..n).collect(), coef, vec![0.0; kept]);
        expansion.weigh(task.gram()?, task.control)?;
        let eigenvalues: Vec<String> = embedding.values.iter().map(|l| format!("{l:.3}")).collect();
        let mut notes = vec![sizes_note(&sizes), format!("leading eigenvalues: {}", eigenvalues.join(", "))];
        if kept < count {
            notes.push(format!(
                "the similarities have {kept} directions and {count} clusters are asked for: eigenvalues beyond are rounding and are left out; fewer clusters, or a kernel of higher rank such as rbf, would separate them better"
            ));
        }
        if !found.fixed {
            notes.push("k-means among the eigenvectors was stopped before it was done; allow more time".into());
        }
        let summary = Summary {
            iterations: embedding.products,
            converged: embedding.residual <= TOLERANCE && found.fixed,
            objective: Some(found.objective),
            certificate: Some(Certificate {
                name: "relative residual of the eigenvectors".into(),
                value: embedding.residual,
                tolerance: TOLERANCE,
            }),
            notes,
            ..Summary::default()
        };
        Ok(FittedSpectralClustering { expansion, centres, clusters: Clusters { sizes, medoids: Vec::new(), silhouette: None }, summary }
            .into())
    }
}

/// Coordinates below this are made of kernel values that have lost digits, or all of them.
const SMALL: f64 = 1e-290;

impl FittedSpectralClustering {
    /// Computes the coordinates of rows that are far from all others again, where the kernel is known by its logarithm: from kernel values
    /// over the greatest of the row, as only the direction of a row counts.
    fn restore_small(&self, rows: &mut Matrix, query: &Query<'_>) -> Result<()> {
        let cross = query.cross()?;
        let Some(log) = cross.logarithm().filter(|_| cross.shape().1 == self.expansion.support.len()) else { return Ok(()) };
        let others = log.log_diagonal(Side::Cols);
        for i in (0..rows.rows()).filter(|&i| rows.row(i).iter().all(|v| v.abs() < SMALL)).collect::<Vec<_>>() {
            query.control.check_time("predictions")?;
            let mut values = vec![0.0; others.len()];
            log.fill_log_decay(&[i], 0..others.len(), Block::new(&mut values, 1, others.len()));
            values.iter_mut().zip(&others).for_each(|(v, l)| *v = 0.5 * l - *v);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if most.is_finite() {
                values.iter_mut().for_each(|v| *v = libm::exp(*v - most));
                rows.row_mut(i).iter_mut().enumerate().for_each(|(k, out)| *out = dot(&values, &self.expansion.coef.col(k)));
            }
        }
        Ok(())
    }
}

impl Fitted for FittedSpectralClustering {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        Error::unless_equal("coordinates of the centres of clusters", self.expansion.bias.len(), self.centres.cols())?;
        let mut rows = self.expansion.predict(query.cross()?, query.control)?;
        self.restore_small(&mut rows, query)?;
        let halves: Vec<f64> = (0..self.centres.rows()).map(|k| 0.5 * dot(self.centres.row(k), self.centres.row(k))).collect();
        let codes = (0..rows.rows()).map(|i| {
            to_length_one(rows.row_mut(i));
            let score = |k: usize| dot(self.centres.row(k), rows.row(i)) - halves[k];
            (1..halves.len()).fold(0, |b, k| if score(k) > score(b) { k } else { b })
        });
        Ok(Predictions::of(Predicted::Classes(codes.collect())))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, _target: &TargetInfo) -> Result<Answer> {
        Ok(Answer::Clusters { count: self.centres.rows() })
    }
    fn expansion(&self) -> Option<&Expansion> {
        Some(&self.expansion)
    }
    fn clusters(&self) -> Option<&Clusters> {
        Some(&self.clusters)
    }
    fn forget_rows(&mut self) {
        self.expansion.forget_rows();
    }
}
