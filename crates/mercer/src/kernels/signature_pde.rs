//! signature_pde: k(x, z) = sum over all n of <S_n(x), S_n(z)>, S_n the iterated integrals of order n, as the solution of a Goursat problem
//! (Salvi, Cass, Foster, Lyons & Yang, The signature kernel is the solution of a Goursat PDE, 2021) by finite differences, whose error
//! falls by 4 from an order to the next. With a static kernel the path is that of its features. See `series/goursat.rs`.

use crate::control::Control;
use super::sequences::abreast::TilePlace;
use super::series::abreast::{EightSeries, each_eight, each_own};
use super::series::dense::{DenseSeries, total_variance, with_time};
use super::series::goursat::{Goursat, Increments};
use super::signature::TIME;
use crate::data::{RowWeights, Series};
use crate::error::{Error, Result};
use crate::gram::{Kernel, Mercer, PreparedBatch, Tile};
use crate::linalg::Real;
use crate::param::{Domain, Param, Value};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::f64::consts::FRAC_1_SQRT_2;

/// The kernel of vectors whose features make the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StaticKernel {
    /// x . z.
    #[default]
    Linear,
    /// exp(-|x - z|^2 / (2 length_scale^2)).
    Rbf,
}

/// Inner product of untruncated signatures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignaturePde {
    order: Value,
    #[serde(rename = "static")]
    static_kernel: StaticKernel,
    length_scale: Value,
    #[serde(default)]
    time: bool,
}

impl Default for SignaturePde {
    fn default() -> Self {
        SignaturePde { order: Value::Number(0.0), static_kernel: StaticKernel::Linear, length_scale: Value::Auto, time: false }
    }
}

/// Operations of one cell of the finite differences, and of one exponential besides, at 10^10 operations a second.
const PER_CELL: f64 = 3.0;
const PER_EXPONENTIAL: f64 = 4.0;

/// Increments, or scaled series, and k of each with itself.
pub struct PathSeries {
    series: DenseSeries,
    own: Vec<f64>,
}

impl PreparedBatch for PathSeries {}

/// The root of the sum of the variances of the channels; 1 where all vectors are equal.
fn start(inputs: &Series, weights: RowWeights<'_>) -> f64 {
    let start = total_variance(inputs, weights).sqrt();
    if start > 0.0 && start.is_finite() { start } else { 1.0 }
}

impl SignaturePde {
    fn goursat(&self) -> Goursat {
        let increments = if self.static_kernel == StaticKernel::Linear { Increments::Linear } else { Increments::Gaussian };
        Goursat::new(increments, self.order.number() as u32)
    }
}

impl Kernel for SignaturePde {
    const NAME: &'static str = "signature_pde";
    const DOC: &'static str = "sum over all n of <S_n(x), S_n(z)>, S_n the iterated integrals of order n, by finite differences";
    const SOURCE: &'static str = "Salvi, Cass, Foster, Lyons & Yang, The signature kernel is the solution of a Goursat PDE (2021)";
    const PARAMS: &'static [Param] = &[
        Param::fixed("order", "each increment is cut into 2^order: 4 times the work and 1/4 of the error for each", Domain::Integer(0, 8)),
        Param::fixed("static", "kernel of vectors whose features make the path", Domain::Choice(&["linear", "rbf"])),
        Param::searched(
            "length_scale",
            "length scale of static=rbf; auto: the root of the sum of the variances of the channels",
            Domain::PositiveFinite,
            10.0,
        ),
        TIME,
    ];
    type Inputs = Series;
    type Learnt = ();
    type Prepared = PathSeries;

    fn settle(&self, inputs: &Series, weights: RowWeights<'_>) -> Self {
        SignaturePde {
            order: self.order.settle(0.0),
            length_scale: self.length_scale.settle_by(|| start(inputs, weights)),
            ..self.clone()
        }
    }
    fn prepare(&self, (): &(), inputs: &Series, _: Option<&PathSeries>, control: &Control) -> Result<PathSeries> {
        let path = if self.time { with_time(inputs)? } else { Cow::Borrowed(inputs) };
        let series = match self.static_kernel {
            StaticKernel::Linear => DenseSeries::increments(&path, 1.0),
            StaticKernel::Rbf => DenseSeries::scaled(&path, FRAC_1_SQRT_2 / self.length_scale.number()),
        };
        let (mut own, mut goursat) = (vec![0.0; series.len()], self.goursat());
        each_own(&series, &mut |pairs, rows| {
            if !control.is_given_up() {
                rows.iter().zip(goursat.values(pairs)).for_each(|(row, value)| own[*row] = value);
            }
        });
        control.check_time("signature kernels of series")?;
        match own.iter().position(|k| !k.is_finite()) {
            None => Ok(PathSeries { series, own }),
            Some(row) => Err(Error::Numerical {
                what: format!("the series in row {}", row + 1),
                why: "its signature kernel with itself exceeds the range of numbers; scale its channels, or take signature".into(),
            }),
        }
    }
    fn fill<T: Real>(&self, mut tile: Tile<'_, PathSeries, T>) {
        let (a, b, rows, cols) = (&tile.a.series, &tile.b.series, tile.rows.clone(), tile.cols.clone());
        let (out, mut goursat) = (&mut tile.out, self.goursat());
        each_eight((a, &rows), (b, cols), &mut |pairs: &EightSeries<'_>, places: &[TilePlace]| {
            if out.is_given_up() {
                return;
            }
            for (place, value) in places.iter().zip(goursat.values(pairs)) {
                place.each(|row, column| out.row_mut(row)[column] = T::from_f64(value));
            }
        });
    }
    fn diagonal(&self, x: &PathSeries) -> Vec<f64> {
        x.own.clone()
    }
    fn per_value(&self, inputs: &Series) -> f64 {
        let exponential = if self.static_kernel == StaticKernel::Rbf { PER_EXPONENTIAL } else { 0.0 };
        (exponential + PER_CELL * 4f64.powf(self.order.number())) * inputs.mean_length().powi(2)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Conditional("the kernel is one, but its finite differences are not known to be, of order 0 least of all; signature(depth=..) is one, and clip(..) repairs a matrix".into())
    }
}
