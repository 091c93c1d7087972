//! codebook: k(X, Z) of the counts n_c(X) of the vectors of a set by the centre c of k-means that they are nearest to, sum_c n_c(X) n_c(Z)
//! or sum_c min(n_c(X), n_c(Z)) (K32; Csurka, Dance, Fan, Willamowski & Bray, Visual categorization with bags of keypoints, 2004): the bag
//! of visual words. Soft counts share a vector among the centres by exp(-|x - m_c|^2 / (2 v)), v the variance of a vector around its centre
//! (van Gemert, Veenman, Smeulders & Geusebroek, Visual word ambiguity, 2010). Counts of a set add up to its size.

use super::k_means::{Centres, nearest};
use crate::control::Control;
use crate::data::{Cells, PER_FUNCTION, Points, RowWeights, Sets};
use crate::error::Result;
use crate::gram::{Counts, Identity, Kernel, Mercer, PreparedPoints, Tile};
use crate::linalg::{Matrix, Real};
use crate::param::Value;
use mercer_derive::{Choice, Formula, Parameters};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Counts of the vectors of a set by centres of k-means.
///
/// ```text
/// product or intersection of the counts of the vectors of a set by the centre of k-means they are nearest to:
/// the bag of visual words
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Codebook {
    /// centres of k-means, learnt from the training vectors; no more than vectors that differ
    #[param(default = 64.0, domain = Integer(1, 1_000_000))]
    centres: Value,
    /// what a vector counts for: hard, the nearest centre; soft, all, by a Gaussian of the mean width of a cluster
    #[param(default = CentreAssignment::Hard)]
    assign: CentreAssignment,
    /// how counts are compared: linear, sum of products; intersection, sum of minima
    #[param(default = CodeComparison::Intersection)]
    by: CodeComparison,
    /// seed of the start of k-means
    #[param(default = 0.0, domain = Integer(0, usize::MAX))]
    seed: Value,
}

/// Which centres a vector counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum CentreAssignment {
    /// The nearest.
    Hard,
    /// All, by a Gaussian of the mean width of a cluster.
    Soft,
}

/// How counts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum CodeComparison {
    /// By the sum of their products.
    Linear,
    /// By the sum of their minima.
    Intersection,
}

impl Codebook {
    /// Adds the counts of some vectors to those of their set.
    fn count(&self, centres: &Centres, vectors: &[f64], counts: &mut [f64]) {
        let factor = -0.5 / centres.variance();
        let mut shares = vec![0.0; counts.len()];
        centres.each_distances(vectors, |_, squares| {
            let best = nearest(squares);
            // Without variance every training vector is a centre.
            if self.assign == CentreAssignment::Hard || !factor.is_finite() {
                counts[best] += 1.0;
                return;
            }
            shares.iter_mut().zip(squares).for_each(|(share, s)| *share = (factor * (s - squares[best])).exp());
            let all: f64 = shares.iter().sum();
            counts.iter_mut().zip(&shares).for_each(|(count, share)| *count += share / all);
        });
    }
}

impl Kernel for Codebook {
    const NAME: &'static str = "codebook";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str =
        "Csurka, Dance, Fan, Willamowski & Bray, Visual categorization with bags of keypoints (2004); Murphy (2012), 14.2.7";
    const BECAUSE: &'static str = "an inner product of counts, or min(m, n) of them, which is one of steps up to m and up to n";
    const SHARED: &'static str = "codeword";
    type Inputs = Sets;
    type Learnt = Centres;
    type Prepared = PreparedPoints;

    fn learns(&self) -> bool {
        true
    }
    fn learn(&self, inputs: &Sets, weights: RowWeights<'_>, control: &Control) -> Result<Centres> {
        let vectors = inputs.vectors();
        let weights: Vec<f64> = (0..vectors.rows()).map(|i| weights.at(inputs.owner(i))).collect();
        Centres::of(&vectors.to_dense(), vectors.dim(), &weights, self.centres.integer(), self.seed.integer() as u64, control)
    }
    fn prepare(&self, learnt: &Centres, inputs: &Sets, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        // Sets whose vectors one thread counts at a time.
        const TOGETHER: usize = 16;
        let (dim, values, count) = (inputs.vectors().dim(), inputs.vectors().to_dense(), learnt.count());
        if inputs.vectors().rows() > 0 {
            learnt.check(dim)?;
        }
        let rows = (0..Cells::len(inputs)).into_par_iter().with_min_len(TOGETHER);
        let counts = rows.flat_map_iter(|row| {
            let mut counts = vec![0.0; count];
            if count > 0 {
                self.count(learnt, &values[inputs.range(row).start * dim..inputs.range(row).end * dim], &mut counts);
            }
            counts
        });
        Ok(PreparedPoints::plain(&Points::computed(Cells::len(inputs), count, counts.collect()), like))
    }
    fn fill<T: Real>(&self, mut tile: Tile<'_, PreparedPoints, T>) {
        match self.by {
            CodeComparison::Linear => tile.from_dots(Identity),
            CodeComparison::Intersection => tile.sums_of_minima(),
        }
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        match self.by {
            CodeComparison::Linear => x.norms().to_vec(),
            CodeComparison::Intersection => (0..x.rows()).map(|i| x.sum_of_minima(i, x, i)).collect(),
        }
    }
    fn features(&self, x: &PreparedPoints) -> Option<Matrix> {
        let counts = x.dense().filter(|_| self.by == CodeComparison::Linear)?;
        Some(Matrix::from_fn(x.rows(), x.dim(), |i, j| counts[i * x.dim() + j]))
    }
    fn has_counts(&self) -> bool {
        self.by == CodeComparison::Linear
    }
    fn counts<'p>(&self, x: &'p PreparedPoints) -> Option<Counts<'p>> {
        self.has_counts().then(|| Counts::of(x.sparse()))
    }
    fn rank(&self, _: &Sets) -> Option<usize> {
        (self.by == CodeComparison::Linear).then(|| self.centres.integer())
    }
    fn per_value(&self, _: &Sets) -> f64 {
        PER_FUNCTION + 2.0 * self.centres.integer() as f64
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}
