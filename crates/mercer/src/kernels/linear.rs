//! linear: k(x, z) = x . z (K06; S3 14.18).

use crate::data::Points;
use crate::error::Result;
use crate::gram::{Cloud, Identity, Kernel, Mercer, Tile};
use crate::linalg::{Matrix, Real};
use crate::param::Param;
use serde::{Deserialize, Serialize};

/// The inner product.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linear {}

impl Kernel for Linear {
    const NAME: &'static str = "linear";
    const DOC: &'static str = "x . z: straight lines and planes";
    const SOURCE: &'static str = "Murphy, Machine Learning: a Probabilistic Perspective (2012), (14.18)";
    const BECAUSE: &'static str = "an inner product of the inputs";
    const PARAMS: &'static [Param] = &[];
    type Inputs = Points;
    type Learnt = ();
    type Prepared = Cloud;

    fn prepare(&self, (): &(), inputs: &Points, like: Option<&Cloud>) -> Result<Cloud> {
        Ok(Cloud::plain(inputs, like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, Cloud, T>) {
        tile.from_dots(Identity);
    }
    fn diagonal(&self, x: &Cloud) -> Vec<f64> {
        x.norms().to_vec()
    }
    fn features(&self, x: &Cloud) -> Option<Matrix> {
        Matrix::new(x.rows(), x.dim(), x.dense()?.to_vec()).ok()
    }
    fn points<'p>(&self, x: &'p Cloud) -> Option<&'p Cloud> {
        Some(x)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}
