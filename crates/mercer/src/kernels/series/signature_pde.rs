//! signature_pde: k(x, z) = sum over all n of <S_n(x), S_n(z)>, S_n the iterated integrals of order n, as the solution of a Goursat problem
//! (Salvi, Cass, Foster, Lyons & Yang, The signature kernel is the solution of a Goursat PDE, 2021): by power series along the edges of
//! cells to double precision, or by finite differences of an order, whose error falls by 4 from an order to the next where steps are
//! small. With a static kernel the path is that of its features. See `series/goursat.rs`.
//!
//! With |S_n(x)| <= L^n / n! of a path of length L, 1 <= k(x, x) <= sum_n L^(2 n) / (n!)^2 = I_0(2 L).

use super::parts::abreast::{fill_eight, own_values};
use super::parts::cell_series::{CellSeries, longest_and_length};
use super::parts::dense::{DenseSeries, total_variance, with_time};
use super::parts::goursat::{Goursat, Increments, Scheme};
use super::signature::TIME;
use crate::control::Control;
use crate::data::{Cells, Inputs, RowWeights, Series, even_rows};
use crate::error::{Error, Result};
use crate::gram::{Kernel, Mercer, PreparedBatch, Tile};
use crate::linalg::Real;
use crate::notice::Notice;
use crate::param::Value;
use mercer_derive::{Choice, Formula, Parameters};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::f64::consts::FRAC_1_SQRT_2;

/// The kernel of vectors whose features make the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum StaticKernel {
    /// x . z.
    #[default]
    Linear,
    /// exp(-|x - z|^2 / (2 length_scale^2)).
    Rbf,
}

/// Inner product of untruncated signatures.
///
/// ```text
/// sum over all n of <S_n(x), S_n(z)>, S_n the iterated integrals of order n, as the solution of a differential
/// equation
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct SignaturePde {
    /// inf: power series, to double precision; 0 to 8: finite differences with each increment cut into 2^order, 4 times the work for each
    /// and 1/4 of the error where steps are small
    #[param(default = f64::INFINITY, domain = IntegerOrInfinite(0))]
    order: Value,
    /// kernel of vectors whose features make the path
    #[serde(rename = "static")]
    static_kernel: StaticKernel,
    /// length scale of static=rbf; auto: the root of the sum of the variances of the channels
    #[param(domain = PositiveFinite, search = 10.0)]
    length_scale: Value,
    #[param(TIME)]
    #[serde(default)]
    time: bool,
}

/// Series whose finite differences are compared with power series, and the share of k(x, x) from which a difference is reported.
const COMPARED: usize = 32;
const WRONG: f64 = 0.01;
/// Power series as they are asked for, and the relative difference to those on increments cut once more that says that digits are lost.
const EXACT: Scheme = Scheme::Series { extra: 0 };
const LOST: f64 = 1e-6;
/// Operations of one cell of the finite differences, of one term of a power series times another, and of one exponential besides, at
/// 10^10 operations a second.
const PER_CELL: f64 = 3.0;
const PER_TERMS: f64 = 0.4;
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

/// The greatest error of finite differences found: of a series with itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DifferenceError {
    row: usize,
    found: f64,
    exact: f64,
}

impl DifferenceError {
    fn share(&self) -> f64 {
        (self.found - self.exact).abs() / self.exact
    }
}

/// sum_n L^(2 n) / (n!)^2; infinite beyond the range of numbers.
fn greatest_value(length: f64) -> f64 {
    let (mut sum, mut term, mut n) = (1.0, 1.0, 1.0);
    while term > f64::EPSILON * sum && f64::is_finite(sum) {
        term *= (length / n).powi(2);
        sum += term;
        n += 1.0;
    }
    sum
}

impl SignaturePde {
    fn increments(&self) -> Increments {
        if self.static_kernel == StaticKernel::Linear { Increments::Linear } else { Increments::Gaussian }
    }
    fn is_exact(&self) -> bool {
        self.order.number() == f64::INFINITY
    }
    fn goursat(&self) -> Goursat {
        let scheme = if self.is_exact() { EXACT } else { Scheme::Differences(self.order.number() as u32) };
        Goursat::new(self.increments(), scheme)
    }
    /// Series as the recursions read them.
    fn paths(&self, inputs: &Series) -> Result<DenseSeries> {
        let path = if self.time { with_time(inputs)? } else { Cow::Borrowed(inputs) };
        Ok(match self.static_kernel {
            StaticKernel::Linear => DenseSeries::increments(&path, 1.0),
            StaticKernel::Rbf => DenseSeries::scaled(&path, FRAC_1_SQRT_2 / self.length_scale.number()),
        })
    }
    /// Operations of a cell by power series, of some series with themselves.
    fn per_cell(&self, inputs: &Series) -> f64 {
        let rows = even_rows(Inputs::len(inputs), COMPARED);
        let Ok(series) = self.paths(&Cells::select(inputs, &rows)) else { return PER_CELL };
        let lengths = (0..series.len()).map(|row| longest_and_length(series.row(row), series.channels(), self.increments()));
        let size = |(longest, all): (f64, f64)| {
            CellSeries::for_length(longest * all).map_or(1.0, |(order, s)| 4f64.powi(order as i32) * (s.terms() as f64).powi(2))
        };
        PER_TERMS * lengths.map(size).sum::<f64>() / series.len().max(1) as f64
    }
    /// k(x, x) of each series.
    fn own(series: &DenseSeries, mut goursat: Goursat, control: &Control) -> Result<Vec<f64>> {
        own_values(series, |pairs| goursat.values(pairs), "signature kernels of series", control)
    }
    /// An error where k(x, x) is no number, or not what it may be.
    fn require_possible(&self, series: &DenseSeries, own: &[f64], control: &Control) -> Result<()> {
        // Rounding is looked at where that of the greatest value that there may be on the way is this share of the result.
        const SUSPECT: f64 = 1e-9;
        let fault = |row: usize, why: String| Error::Numerical { what: format!("the series in row {}", row + 1), why };
        let mut again: Option<Vec<f64>> = None;
        for (row, k) in own.iter().enumerate() {
            if !k.is_finite() {
                let why = "its signature kernel with itself exceeds the range of numbers; scale its channels, or take signature";
                return Err(fault(row, why.into()));
            }
            let most = greatest_value(longest_and_length(series.row(row), series.channels(), self.increments()).1);
            if self.is_exact() && most * f64::EPSILON > SUSPECT * k {
                let others = match again.take() {
                    Some(others) => others,
                    None => Self::own(series, Goursat::new(self.increments(), Scheme::Series { extra: 1 }), control)?,
                };
                let other = again.insert(others)[row];
                if !(*k >= 1.0 - LOST && (k - other).abs() <= LOST * k) {
                    let why =
                        "its steps are so large that rounding takes the digits of its signature kernel with itself; scale its channels";
                    return Err(fault(row, why.into()));
                }
            }
            if !(self.is_exact() || *k > 0.0 && *k <= 2.0 * most) {
                let why = format!(
                    "its signature kernel with itself is {k:.3e} by finite differences of order {}, and lies between 1 and {most:.3e}: its steps are too large for them; leave order out",
                    self.order
                );
                return Err(fault(row, why));
            }
        }
        Ok(())
    }
}

impl Kernel for SignaturePde {
    const NAME: &'static str = "signature_pde";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Salvi, Cass, Foster, Lyons & Yang, The signature kernel is the solution of a Goursat PDE (2021)";
    type Inputs = Series;
    const BECAUSE: &'static str = "an inner product of signatures, computed to double precision";
    type Learnt = Option<DifferenceError>;
    type Prepared = PathSeries;

    fn settle(&self, inputs: &Series, weights: RowWeights<'_>) -> Self {
        SignaturePde { length_scale: self.length_scale.settle_by(|| start(inputs, weights)), ..self.clone() }
    }
    fn check(&self, _: &Series) -> Result<()> {
        // The greatest order of finite differences.
        const MOST_ORDER: f64 = 8.0;
        let order = self.order.number();
        if order <= MOST_ORDER || order == f64::INFINITY {
            return Ok(());
        }
        Err(Error::OutOfDomain {
            owner: Self::NAME.into(),
            name: "order".into(),
            value: self.order.to_string(),
            domain: format!("a whole number from 0 to {MOST_ORDER}, or inf"),
        })
    }
    /// Compares finite differences with power series, of some series with themselves.
    fn learn(&self, inputs: &Series, _: RowWeights<'_>, control: &Control) -> Result<Option<DifferenceError>> {
        if self.is_exact() {
            return Ok(None);
        }
        let rows = even_rows(Inputs::len(inputs), COMPARED);
        let series = self.paths(&Cells::select(inputs, &rows))?;
        let found = Self::own(&series, self.goursat(), control)?;
        let exact = Self::own(&series, Goursat::new(self.increments(), EXACT), control)?;
        let errors = rows.iter().zip(found.iter().zip(&exact)).map(|(&row, (&found, &exact))| DifferenceError { row, found, exact });
        Ok(errors.filter(|error| error.share() > WRONG).max_by(|a, b| a.share().total_cmp(&b.share())))
    }
    fn notices(&self, error: &Option<DifferenceError>) -> Vec<Notice> {
        let notice = |&DifferenceError { row, found, exact }: &DifferenceError| Notice::FiniteDifferences {
            kernel: Self::NAME.into(),
            order: self.order.to_string(),
            row,
            found,
            exact,
        };
        error.iter().map(notice).collect()
    }
    fn prepare(&self, _: &Option<DifferenceError>, inputs: &Series, _: Option<&PathSeries>, control: &Control) -> Result<PathSeries> {
        let series = self.paths(inputs)?;
        let own = Self::own(&series, self.goursat(), control)?;
        self.require_possible(&series, &own, control)?;
        Ok(PathSeries { series, own })
    }
    fn fill<T: Real>(&self, mut tile: Tile<'_, PathSeries, T>) {
        let mut goursat = self.goursat();
        let (a, b) = ((&tile.a.series, &tile.rows), (&tile.b.series, tile.cols.clone()));
        fill_eight(&mut tile.out, a, b, |pairs| goursat.values(pairs), |value, _, _| value);
    }
    fn diagonal(&self, x: &PathSeries) -> Vec<f64> {
        x.own.clone()
    }
    fn per_value(&self, inputs: &Series) -> f64 {
        let exponential = if self.static_kernel == StaticKernel::Rbf { PER_EXPONENTIAL } else { 0.0 };
        let cell = if self.is_exact() { self.per_cell(inputs) } else { PER_CELL * 4f64.powf(self.order.number()) };
        (exponential + cell) * inputs.mean_length().powi(2)
    }
    fn mercer(&self) -> Mercer {
        if self.is_exact() {
            return Mercer::Always;
        }
        Mercer::Conditional("the kernel is one, but its finite differences are not known to be, of order 0 least of all; without order=.. it is computed exactly, and clip(..) repairs a matrix".into())
    }
}
