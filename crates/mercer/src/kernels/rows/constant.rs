//! constant: k(x, z) = value: functions that are one unknown number (the theta_2 of K13).

use crate::control::Control;
use crate::data::RowCount;
use crate::error::Result;
use crate::gram::{Kernel, Map, Mercer, Tile};
use crate::linalg::{Matrix, Real};
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// The constant kernel: one value for every pair.
///
/// ```text
/// one value for every pair: an unknown offset of the function
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// variance of the constant
    #[param(default = 1.0, domain = NonNegative, search = 100.0)]
    value: Value,
}

#[derive(Clone, Copy)]
struct Everywhere(f64);

impl Map for Everywhere {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, _: T) -> T {
        T::from_f64(self.0)
    }
}

impl Constant {
    /// Whether the value is left to the data.
    pub(in crate::kernels) fn is_open(&self) -> bool {
        !self.value.is_settled()
    }

    /// The value that `open`, if it is, takes where values are of this size.
    pub(in crate::kernels) fn settle_to(&mut self, open: &Self, size: f64) {
        self.value = open.value.settle(size);
    }
}

impl Kernel for Constant {
    const NAME: &'static str = "constant";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Bishop, Pattern Recognition and Machine Learning (2006), (6.63), its third term";
    const BECAUSE: &'static str = "v'Kv = value (sum v)^2, and value is 0 or above";
    const DIFFERENTIABLE: &'static [&'static str] = &["value"];
    type Inputs = RowCount;
    type Learnt = ();
    type Prepared = RowCount;

    fn prepare(&self, (): &(), inputs: &RowCount, _: Option<&RowCount>, _: &Control) -> Result<RowCount> {
        Ok(*inputs)
    }
    fn fill<T: Real>(&self, mut tile: Tile<'_, RowCount, T>) {
        tile.map(Everywhere(self.value.number()));
    }
    fn diagonal(&self, x: &RowCount) -> Vec<f64> {
        vec![self.value.number(); x.0]
    }
    fn log_diagonal(&self, x: &RowCount) -> Option<Vec<f64>> {
        Some(vec![libm::log(self.value.number()); x.0])
    }
    fn fill_log_decay(&self, mut tile: Tile<'_, RowCount, f64>) {
        tile.map(Everywhere(0.0));
    }
    fn is_constant(&self) -> bool {
        true
    }
    fn features(&self, x: &RowCount) -> Option<Matrix> {
        Some(Matrix::from_fn(x.0, 1, |_, _| self.value.number().sqrt()))
    }
    fn rank(&self, _: &RowCount) -> Option<usize> {
        Some(1)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    fn gradient(&self, _: Tile<'_, RowCount, f64>, weights: &[f64], out: &mut [f64]) {
        out[0] += weights.iter().sum::<f64>();
    }
}
