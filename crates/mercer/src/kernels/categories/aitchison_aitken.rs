//! aitchison_aitken: k(x, z) = product over category columns of 1 - b where labels are equal, else b / (c - 1), b the bandwidth and c the
//! labels of the column (Aitchison & Aitken 1976): the probability of z under a label drawn around x.
//!
//! A label that was not seen in training differs from every label, its own included.

use super::labels::{self, LabelColumns, LabelFactor, LabelProduct};
use crate::control::Control;
use crate::data::RowWeights;
use crate::error::{Error, Result};
use crate::gram::{Kernel, Mercer, Tile};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Labels that are kept or, seldom, exchanged for another one.
///
/// ```text
/// product over the category columns of 1 - bandwidth where labels are equal, else bandwidth / (labels of the column - 1)
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct AitchisonAitken {
    /// share of rows around a label that have another one, from 0 to (labels - 1) / labels, where all labels are alike: one number, or
    /// one per column; auto: half of the largest that every column allows
    #[param(domain = UpToOne, search = 1.9)]
    bandwidth: Value,
}

/// (labels - 1) / labels, for one label as for two: a bandwidth above it would make other labels more alike than equal ones.
fn largest(count: usize) -> f64 {
    1.0 - 1.0 / count.max(2) as f64
}

impl AitchisonAitken {
    fn product(&self, labels: &LabelColumns) -> LabelProduct {
        let bandwidths = labels::bandwidths(&self.bandwidth, labels).into_iter().zip(labels.counts());
        let factor = |(bandwidth, &count): (f64, &usize)| {
            let share = 1.0 / (count.max(2) - 1) as f64;
            LabelFactor { equal: (1.0 - bandwidth, -1.0), other: (bandwidth * share, share) }
        };
        LabelProduct(bandwidths.map(factor).collect())
    }
}

impl Kernel for AitchisonAitken {
    const NAME: &'static str = "aitchison_aitken";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Aitchison & Aitken, Multivariate binary discrimination by the kernel method (1976), (5)";
    const BECAUSE: &'static str = "a product over columns of a constant plus a multiple of an inner product of indicators, neither below 0";
    const DIFFERENTIABLE: &'static [&'static str] = &["bandwidth"];
    type Inputs = LabelColumns;
    type Learnt = ();
    type Prepared = LabelColumns;

    fn settle(&self, inputs: &LabelColumns, _: RowWeights<'_>) -> Self {
        let largest = inputs.counts().iter().map(|&count| largest(count)).fold(1.0, f64::min);
        AitchisonAitken { bandwidth: self.bandwidth.settle(0.5 * largest) }
    }
    fn check(&self, inputs: &LabelColumns) -> Result<()> {
        labels::check(Self::NAME, &self.bandwidth, inputs)?;
        let bandwidths = labels::bandwidths(&self.bandwidth, inputs);
        match bandwidths.iter().zip(inputs.counts()).position(|(bandwidth, &count)| *bandwidth > largest(count)) {
            Some(column) => Err(Error::Data(format!(
                "aitchison_aitken: the bandwidth is {} and category column {} has {} labels; take a bandwidth of at most {:.4}",
                bandwidths[column],
                column + 1,
                inputs.counts()[column],
                largest(inputs.counts()[column])
            ))),
            None => Ok(()),
        }
    }
    fn prepare(&self, (): &(), inputs: &LabelColumns, _: Option<&LabelColumns>, _: &Control) -> Result<LabelColumns> {
        Ok(inputs.clone())
    }
    fn fill<T: Real>(&self, tile: Tile<'_, LabelColumns, T>) {
        self.product(tile.b).fill(tile);
    }
    fn diagonal(&self, x: &LabelColumns) -> Vec<f64> {
        self.product(x).diagonal(x)
    }
    fn log_diagonal(&self, x: &LabelColumns) -> Option<Vec<f64>> {
        Some(self.product(x).log_diagonal(x))
    }
    fn fill_log_decay(&self, tile: Tile<'_, LabelColumns, f64>) {
        self.product(tile.b).fill_log_decay(tile);
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    fn gradient(&self, tile: Tile<'_, LabelColumns, f64>, weights: &[f64], out: &mut [f64]) {
        self.product(tile.b).gradient(&tile, weights, out);
    }
}
