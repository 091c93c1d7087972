//! global_alignment: k(x, z) = K(x, z) / sqrt(K(x, x) K(z, z)), K = sum over all alignments of two series of the product of
//! e / (2 - e) over the pairs of times that are aligned, e = exp(-|x_i - z_j|^2 / (2 length_scale^2)) (Cuturi, Vert, Birkenes & Matsui, A kernel
//! for time series based on global alignments, 2007; Cuturi, Fast global alignment kernels, 2011).
//!
//! K is a Mercer kernel where q / (1 + q) is one, q being the local kernel (2007, theorem 1): q = e / (2 - e) makes it e / 2. A band makes e
//! the product with (1 - |i - j| / band)_+, which is one of whole numbers. The plain Gaussian as local kernel is not known to make one.

use super::parts::abreast::{EightSeries, each_eight, each_own, fill_eight, own_values};
use super::parts::alignments::GlobalAlignments;
use super::parts::dense::{DenseSeries, mean_length, total_variance};
use crate::control::Control;
use crate::data::{RowWeights, Series};
use crate::error::Result;
use crate::gram::{Kernel, Mercer, PreparedBatch, Tile};
use crate::kernels::sequences::parts::abreast::TilePlace;
use crate::linalg::Real;
use crate::param::{Alias, Value};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_1_SQRT_2;
use std::sync::OnceLock;

/// Likeness by all global alignments.
///
/// ```text
/// K = sum over all alignments of two series of the product of e / (2 - e), e = exp(-|x_i - z_j|^2 / (2
/// length_scale^2)), normalised
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct GlobalAlignment {
    /// distance of two vectors at which they count as alike; auto: the root mean squared distance times the root of the mean length
    #[param(domain = PositiveFinite, search = 10.0)]
    length_scale: Value,
    /// only times that differ by less than this are aligned, with a weight that falls linearly (triangular band); 0: all
    #[param(default = 0.0, domain = Integer(0, usize::MAX))]
    band: Value,
}

/// Scaled series, and of each with itself ln K.
pub struct AlignedSeries {
    series: DenseSeries,
    logs: Vec<f64>,
    /// d ln K / d ln length_scale of each with itself, once a gradient is asked for.
    slopes: OnceLock<Vec<f64>>,
}

impl PreparedBatch for AlignedSeries {}

impl GlobalAlignment {
    fn alignments(&self) -> GlobalAlignments {
        GlobalAlignments::new(self.band.number() as usize)
    }

    /// Writes a function of ln(K(x, z) / sqrt(K(x, x) K(z, z))).
    fn fill_by<T: Real>(&self, tile: &mut Tile<'_, AlignedSeries, T>, of_log: impl Fn(f64) -> f64) {
        let (a, b, mut alignments) = (tile.a, tile.b, self.alignments());
        let (rows, cols) = ((&a.series, &tile.rows), (&b.series, tile.cols.clone()));
        let of = |log: f64, i: usize, j: usize| of_log(log - 0.5 * (a.logs[i] + b.logs[j]));
        fill_eight(&mut tile.out, rows, cols, |pairs| alignments.logs(pairs), of);
    }

    fn slopes<'x>(&self, x: &'x AlignedSeries) -> &'x [f64] {
        x.slopes.get_or_init(|| {
            let (mut slopes, mut alignments) = (vec![0.0; x.series.len()], self.alignments());
            each_own(&x.series, None, &mut |pairs, rows| {
                rows.iter().zip(alignments.logs_and_slopes(pairs).slopes).for_each(|(row, slope)| slopes[*row] = slope);
            });
            slopes
        })
    }
}

/// The distance of two vectors of different series on average, as a root mean square, times the root of the mean length; 1 where all
/// vectors are equal. Cuturi (2011) recommends medians in their stead.
fn start(inputs: &Series, weights: RowWeights<'_>) -> f64 {
    let start = (2.0 * total_variance(inputs, weights) * mean_length(inputs, weights)).sqrt();
    if start > 0.0 && start.is_finite() { start } else { 1.0 }
}

impl Kernel for GlobalAlignment {
    const NAME: &'static str = "global_alignment";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Cuturi, Fast global alignment kernels (2011)";
    const BECAUSE: &'static str = "a convolution of local kernels q of which q / (1 + q) is a Mercer kernel, normalised";
    const ALIASES: &'static [Alias] = &[("sigma", "length_scale", |sigma| sigma)];
    const DIFFERENTIABLE: &'static [&'static str] = &["length_scale"];
    type Inputs = Series;
    type Learnt = ();
    type Prepared = AlignedSeries;

    fn settle(&self, inputs: &Series, weights: RowWeights<'_>) -> Self {
        GlobalAlignment { length_scale: self.length_scale.settle_by(|| start(inputs, weights)), ..self.clone() }
    }
    fn prepare(&self, (): &(), inputs: &Series, _: Option<&AlignedSeries>, control: &Control) -> Result<AlignedSeries> {
        let series = DenseSeries::scaled(inputs, FRAC_1_SQRT_2 / self.length_scale.number());
        let mut alignments = self.alignments();
        let logs = own_values(&series, |pairs| alignments.logs(pairs), "alignments of series", control)?;
        Ok(AlignedSeries { series, logs, slopes: OnceLock::new() })
    }
    fn fill<T: Real>(&self, mut tile: Tile<'_, AlignedSeries, T>) {
        self.fill_by(&mut tile, |log| log.exp());
    }
    fn diagonal(&self, x: &AlignedSeries) -> Vec<f64> {
        vec![1.0; x.series.len()]
    }
    fn log_diagonal(&self, x: &AlignedSeries) -> Option<Vec<f64>> {
        Some(vec![0.0; x.series.len()])
    }
    fn fill_log_decay(&self, mut tile: Tile<'_, AlignedSeries, f64>) {
        self.fill_by(&mut tile, |log| (0.0 - log).max(0.0));
    }
    fn per_value(&self, inputs: &Series) -> f64 {
        // Operations of one cell of the recursion, at 2 10^10 operations a second: 200 series of 100 times and 3 channels take .12 s.
        const PER_CELL: f64 = 11.0;
        let length = inputs.mean_length();
        let band = if self.band.number() > 0.0 { 2.0 * self.band.number() } else { length };
        PER_CELL * length * length.min(band)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    /// dk / d length_scale = k (s(x, z) - (s(x, x) + s(z, z)) / 2) / length_scale, s = d ln K / d ln length_scale.
    fn gradient(&self, tile: Tile<'_, AlignedSeries, f64>, weights: &[f64], out: &mut [f64]) {
        let (a, b, rows, cols) = (tile.a, tile.b, tile.rows.clone(), tile.cols.clone());
        let (own_rows, own_columns) = (self.slopes(a), self.slopes(b));
        let watch = tile.out.control();
        let mut alignments = self.alignments();
        let mut sum = 0.0;
        each_eight((&a.series, &rows), (&b.series, cols.clone()), watch, &mut |pairs: &EightSeries<'_>, places: &[TilePlace]| {
            let found = alignments.logs_and_slopes(pairs);
            for ((place, log), slope) in places.iter().zip(found.logs).zip(found.slopes) {
                let (i, j) = (rows.at(place.row), cols.start + place.column);
                let value = (log - 0.5 * (a.logs[i] + b.logs[j])).exp() * (slope - 0.5 * (own_rows[i] + own_columns[j]));
                place.each(|row, column| sum += weights[row * cols.len() + column] * value);
            }
        });
        out[0] += sum / self.length_scale.number();
    }
}
