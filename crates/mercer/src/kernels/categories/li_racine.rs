//! li_racine: k(x, z) = product over category columns of 1 where labels are equal, else the bandwidth (Li & Racine 2003).
//!
//! A label that was not seen in training differs from every label, its own included.

use super::labels::{self, LabelColumns, LabelFactor, LabelProduct};
use crate::control::Control;
use crate::data::RowWeights;
use crate::error::Result;
use crate::gram::{Kernel, Mercer, Tile};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Equal labels, column by column, with a factor for each column that differs.
///
/// ```text
/// product over the category columns of 1 where labels are equal, else the bandwidth
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct LiRacine {
    /// factor of a column in which labels differ, 1 to leave it out: one number, or one per column; auto: 0.5
    #[param(domain = UpToOne, search = 10.0)]
    bandwidth: Value,
}

impl LiRacine {
    fn product(&self, labels: &LabelColumns) -> LabelProduct {
        let factor = |bandwidth: f64| LabelFactor { equal: (1.0, 0.0), other: (bandwidth, 1.0) };
        LabelProduct(labels::bandwidths(&self.bandwidth, labels).into_iter().map(factor).collect())
    }
}

impl Kernel for LiRacine {
    const NAME: &'static str = "li_racine";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Li & Racine, Nonparametric estimation of distributions with categorical and continuous data (2003)";
    const BECAUSE: &'static str = "a product over columns of bandwidth + (1 - bandwidth) times an inner product of indicators";
    const DIFFERENTIABLE: &'static [&'static str] = &["bandwidth"];
    type Inputs = LabelColumns;
    type Learnt = ();
    type Prepared = LabelColumns;

    fn settle(&self, _: &LabelColumns, _: RowWeights<'_>) -> Self {
        LiRacine { bandwidth: self.bandwidth.settle(0.5) }
    }
    fn check(&self, inputs: &LabelColumns) -> Result<()> {
        labels::check(Self::NAME, &self.bandwidth, inputs)
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
