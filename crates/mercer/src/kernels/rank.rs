//! The rank of kernels that are inner products of few features by construction, for plans before anything is bound; and
//! low-rank approximations of other kernels.

use super::composition::AnyComposition;
use super::fitted::Scope;
use super::{Composed, KernelExpr, Nystroem};
use crate::data::{Dataset, even_rows};
use crate::gram::{Mercer, Spectral};
use std::borrow::Cow;

/// Rows whose features are counted, and whose kernel values are priced.
const ASKED: usize = 100;

impl KernelExpr {
    /// The features of [`FeatureSource::dense`](crate::gram::FeatureSource::dense) on such rows; `None` where there are no few.
    pub fn rank(&self, data: &Dataset) -> Option<usize> {
        // Of a kernel of the list they are the same for any number of rows.
        let one = data.select(&(0..data.rows().min(1)).collect::<Vec<_>>());
        self.priced(data)?.rank_on(Scope::of(&one), data.rows())
    }

    /// The kernel as settled on some rows, as numbers that are open have no size; `None` where these lack what it compares.
    fn priced(&self, data: &Dataset) -> Option<Cow<'_, KernelExpr>> {
        if self.values().iter().all(|own| own.value.is_settled()) {
            return Some(Cow::Borrowed(self));
        }
        self.settle(&data.select(&even_rows(data.rows(), ASKED))).ok().map(Cow::Owned)
    }

    pub(super) fn rank_on(&self, rows: Scope<'_>, count: usize) -> Option<usize> {
        match (self.leaf(), self.composed()) {
            (Some(kernel), _) => kernel.rank(rows),
            (_, Some(composed)) => composed.rank(rows, count),
            _ => None,
        }
    }

    /// Numbers that are not 0 among the features of a row, on average over some rows, where the kernel is an inner product of sparse
    /// features: see [`FeatureSource::sparse`](crate::gram::FeatureSource::sparse).
    pub fn stored(&self, data: &Dataset) -> Option<usize> {
        let some = even_rows(data.rows(), ASKED);
        self.priced(data)?.stored_on(Scope::of(&data.select(&some))).map(|stored| stored.div_ceil(some.len().max(1)))
    }

    /// Nonzero features of all given rows together; `None` where the kernel is no inner product of sparse features.
    pub(super) fn stored_on(&self, rows: Scope<'_>) -> Option<usize> {
        match (self.leaf(), self.composed()) {
            (Some(kernel), _) => kernel.stored(rows),
            (_, Some(composed)) => composed.stored(rows),
            _ => None,
        }
    }

    /// Operations of one kernel value once inputs are prepared, on average over some rows; `None` where the rows lack what it compares.
    /// Of few features it is what one number of them takes: Nystroem's is a kernel value with a landmark.
    pub fn per_value(&self, data: &Dataset) -> Option<f64> {
        self.priced(data)?.per_value_on(Scope::of(&data.select(&even_rows(data.rows(), ASKED))))
    }

    pub(super) fn per_value_on(&self, rows: Scope<'_>) -> Option<f64> {
        match (self.leaf(), self.composed()) {
            (Some(kernel), _) => kernel.per_value(rows),
            (_, Some(composed)) => composed.per_value(rows),
            _ => None,
        }
    }

    /// The Nystroem approximation of the kernel with `rank` landmarks drawn at random from the training rows: see [`Nystroem`].
    pub fn through_landmarks(self, rank: usize, seed: u64) -> KernelExpr {
        KernelExpr::Nystroem(Composed::of(Nystroem::with(rank, seed), self))
    }

    /// Whether that stands for it.
    pub fn takes_landmarks(&self) -> bool {
        !self.needs_training_rows() && !self.depends_on_row_identity() && self.mercer() == Mercer::Always
    }

    /// The length scales of a Gaussian kernel of columns of numbers, some factor in front of it or none.
    pub(crate) fn gaussian(&self) -> Option<Vec<f64>> {
        self.unscaled()?.spectral().filter(|(measure, _)| *measure == Spectral::Normal).map(|(_, lengths)| lengths)
    }

    /// Whether it is an inner product of columns of numbers, some factor in front of it or none.
    pub(crate) fn is_linear(&self) -> bool {
        matches!(self.unscaled(), Some(KernelExpr::Linear(_)))
    }

    /// What stands behind factors.
    fn unscaled(&self) -> Option<&KernelExpr> {
        match self {
            KernelExpr::Scale(scaled) => scaled.parts().first()?.unscaled(),
            other => Some(other),
        }
    }

    /// The measure of frequencies of a stationary kernel of the list, and its length scales.
    pub(super) fn spectral(&self) -> Option<(Spectral, Vec<f64>)> {
        self.leaf()?.spectral()
    }
}
