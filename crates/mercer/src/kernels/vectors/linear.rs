//! linear: k(x, z) = x . z (K06; S3 14.18).

use crate::control::Control;
use crate::data::{Points, Storage};
use crate::error::Result;
use crate::gram::{Counts, Identity, Kernel, Mercer, PointFormula, PreparedPoints, Tile};
use crate::linalg::{Matrix, Real, SparseMatrix};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// The inner product.
///
/// ```text
/// x . z: straight lines and planes
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Linear {}

impl Kernel for Linear {
    const NAME: &'static str = "linear";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Murphy, Machine Learning: a Probabilistic Perspective (2012), (14.18)";
    const BECAUSE: &'static str = "an inner product of the inputs";
    type Inputs = Points;
    type Learnt = ();
    type Prepared = PreparedPoints;

    fn prepare(&self, (): &(), inputs: &Points, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        Ok(PreparedPoints::plain(inputs, like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        tile.from_dots(Identity);
    }
    fn point_formula<'p>(&self, rows: &'p PreparedPoints, cols: &'p PreparedPoints) -> Option<PointFormula<'p>> {
        PointFormula::of_dots(Identity, rows, cols)
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        x.norms().to_vec()
    }
    fn features(&self, x: &PreparedPoints) -> Option<Matrix> {
        Matrix::new(x.rows(), x.dim(), x.dense()?.to_vec()).ok()
    }
    fn sparse_features<'p>(&self, x: &'p PreparedPoints) -> Option<SparseMatrix<'p>> {
        x.dense().is_none().then(|| x.sparse())
    }
    fn has_counts(&self) -> bool {
        true
    }
    fn counts<'p>(&self, x: &'p PreparedPoints) -> Option<Counts<'p>> {
        Some(Counts::of(x.sparse()))
    }
    fn rank(&self, inputs: &Points) -> Option<usize> {
        (!inputs.is_sparse()).then(|| inputs.dim())
    }
    fn stored(&self, inputs: &Points) -> Option<usize> {
        match inputs.storage() {
            Storage::Csr { values, .. } => Some(values.len()),
            Storage::Dense(_) => None,
        }
    }
    fn points<'p>(&self, x: &'p PreparedPoints) -> Option<&'p PreparedPoints> {
        Some(x)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    fn input_gradient(&self, tile: Tile<'_, PreparedPoints, f64>, weights: &[f64], out: &mut [f64]) -> Result<()> {
        tile.add_slopes_of_dots(weights, |_| 1.0, out);
        Ok(())
    }
}
