//! What kernels of a scaled distance share: k = g(s), s = sum_j (x_j - z_j)^2 / length_scale_j^2.

use crate::data::{Points, RowWeights, Storage};
use crate::error::{Error, Result};
use crate::gram::{Map, PreparedPoints, Tile};
use crate::linalg::Real;
use crate::linalg::simd::{dot, squared_distance};
use crate::param::{Alias, Domain, Param, Value};

/// The function g of a stationary kernel, with its slope.
pub(crate) trait Profile: Map {
    /// -2 s g'(s), which is dk / dlog(length_scale); 0 at s = 0. Implementations are `#[inline(always)]`.
    fn log_scale_derivative<T: Real, const FMA: bool>(self, s: T) -> T;
    /// -ln g(s), also where g(s) is no number any more.
    fn log_decay(self, s: f64) -> f64;
}

/// -ln g(s) as a map.
#[derive(Clone, Copy)]
struct LogDecay<P>(P);

impl<P: Profile> Map for LogDecay<P> {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        T::from_f64(self.0.log_decay(s.to_f64()))
    }
}

/// -ln k of every pair of a tile.
pub(crate) fn fill_log_decay(tile: Tile<'_, PreparedPoints, f64>, profile: impl Profile) {
    tile.from_sqdist(LogDecay(profile));
}

/// -2 s g'(s) as a map.
#[derive(Clone, Copy)]
struct Falls<P>(P);

impl<P: Profile> Map for Falls<P> {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        self.0.log_scale_derivative::<T, FMA>(s)
    }
}

/// -2 g'(s) as a map; 0 at s = 0, where it may be infinite and meets a difference of 0.
#[derive(Clone, Copy)]
struct Slope<P>(P);

impl<P: Profile> Map for Slope<P> {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        let slope = self.0.log_scale_derivative::<T, FMA>(s) / s;
        if s > T::from_f64(0.0) { slope } else { T::from_f64(0.0) }
    }
}

pub(crate) const LENGTH_SCALE: Param = Param::searched(
    "length_scale",
    "distance over which the kernel falls, in units of the (standardised) columns: one number, or one per column, `inf` to leave a column out; auto: sqrt(columns * variance / 2)",
    Domain::Positive,
    100.0,
);
pub(crate) const ARD: Param = Param::fixed("ard", "one length scale per column (automatic relevance determination)", Domain::Flag);

/// The length scale of exp(-gamma d^2).
pub(crate) fn length_scale_of(gamma: f64) -> f64 {
    (0.5 / gamma).sqrt()
}

/// `gamma` and `sigma` as other libraries write them for exp(-gamma d^2) = exp(-d^2 / (2 sigma^2)).
pub(crate) const GAUSSIAN_ALIASES: &[Alias] = &[("gamma", "length_scale", length_scale_of), ("sigma", "length_scale", |s| s)];

/// Variance of all numbers of the batch together, as `X.var()`, rows counted by weight; what a sparse batch does not store is 0.
fn variance(inputs: &Points, weights: RowWeights<'_>) -> f64 {
    let row = |i: usize| match inputs.storage() {
        Storage::Dense(values) => &values[i * inputs.dim()..(i + 1) * inputs.dim()],
        Storage::Csr { starts, values, .. } => &values[starts[i]..starts[i + 1]],
    };
    let sum = |of: &dyn Fn(&[f64]) -> f64| (0..inputs.rows()).map(|i| weights.at(i) * of(row(i))).sum::<f64>();
    let n = (weights.total(inputs.rows()) * inputs.dim() as f64).max(f64::MIN_POSITIVE);
    let ones = vec![1.0; inputs.dim()];
    let mean = sum(&|x| dot(x, &ones[..x.len()])) / n;
    let means = vec![mean; inputs.dim()];
    let zeros = n - sum(&|x| x.len() as f64);
    (sum(&|x| squared_distance(x, &means[..x.len()])) + zeros.max(0.0) * mean * mean) / n
}

/// The start sqrt(D Var / 2), which is gamma = 1 / (D Var(X)) (K05); 1 where all numbers are equal. One per column where asked.
pub(crate) fn settle(length_scale: &Value, ard: bool, inputs: &Points, weights: RowWeights<'_>) -> Value {
    let start = || {
        let start = (inputs.dim() as f64 * variance(inputs, weights) / 2.0).sqrt();
        if start > 0.0 && start.is_finite() { start } else { 1.0 }
    };
    match length_scale.settle_by(start) {
        Value::Number(l) if ard => Value::List(vec![l; inputs.dim()]),
        settled => settled,
    }
}

/// An error unless there is one length scale, or one per column.
pub(crate) fn check(name: &str, length_scale: &Value, inputs: &Points) -> Result<()> {
    let given = length_scale.numbers().len();
    if given != 1 && given != inputs.dim() {
        return Err(Error::Data(format!(
            "{name}: length_scale has {given} numbers and there are {} columns; give one number, or one per column",
            inputs.dim()
        )));
    }
    Ok(())
}

/// Points divided by their length scales.
pub(crate) fn prepare(length_scale: &Value, inputs: &Points, like: Option<&PreparedPoints>) -> PreparedPoints {
    PreparedPoints::scaled(inputs, length_scale.numbers(), like)
}

/// sum_kl weight_kl dk_kl/dlength_scale, for one scale or one per column, without any N x N x D array:
/// with V = weight * (-2 s g'(s)) / s, sum_kl V_kl (x_kj - z_lj)^2 = sum_k r_k x_kj^2 + sum_l c_l z_lj^2 - 2 sum_k x_kj (V z)_kj.
pub(crate) fn gradient(
    mut tile: Tile<'_, PreparedPoints, f64>,
    profile: impl Profile,
    length_scale: &Value,
    weights: &[f64],
    out: &mut [f64],
) {
    tile.sqdists();
    gradient_of_sqdists(tile, profile, length_scale, weights, out);
}

/// The gradient for a tile that holds its squared distances already.
pub(crate) fn gradient_of_sqdists(
    mut tile: Tile<'_, PreparedPoints, f64>,
    profile: impl Profile,
    length_scale: &Value,
    weights: &[f64],
    out: &mut [f64],
) {
    let lengths = length_scale.numbers();
    let (m, n) = (tile.rows.len(), tile.cols.len());
    if lengths.len() == 1 {
        tile.map(Falls(profile));
        let weighted = |(falls, w): (&mut f64, &f64)| *falls * w;
        let sum: f64 = (0..m).map(|k| tile.out.row_mut(k).iter_mut().zip(&weights[k * n..]).map(weighted).sum::<f64>()).sum();
        out[0] += sum / lengths[0];
        return;
    }
    let v = slopes(&mut tile, profile, weights);
    let [z, vz] = tile.products(&v);
    let (a, dim) = (tile.a, tile.a.dim().max(tile.b.dim()));
    let mut total = vec![0.0; dim];
    let mut column_sums = vec![0.0; n];
    let mut x = vec![0.0; dim];
    for k in 0..m {
        let row = &v[k * n..(k + 1) * n];
        let sum: f64 = row.iter().sum();
        column_sums.iter_mut().zip(row).for_each(|(c, w)| *c += w);
        x.fill(0.0);
        a.each(tile.rows.at(k)).for_each(|(c, number)| x[c] = number);
        for j in 0..dim {
            total[j] += x[j] * (sum * x[j] - 2.0 * vz[k * dim + j]);
        }
    }
    for (row, c) in z.chunks_exact(dim.max(1)).zip(&column_sums) {
        total.iter_mut().zip(row).for_each(|(t, z)| *t += c * z * z);
    }
    let every: Vec<usize> = (0..dim).collect();
    let kept = if a.kept().is_empty() { &every } else { a.kept() };
    for (t, &j) in total.iter().zip(kept) {
        out[j] += t / lengths[j];
    }
}

/// weight * (-2 g'(s)) for every pair of a tile that holds its squared distances, which it overwrites.
fn slopes(tile: &mut Tile<'_, PreparedPoints, f64>, profile: impl Profile, weights: &[f64]) -> Vec<f64> {
    tile.map(Slope(profile));
    let n = tile.cols.len();
    let row = |k: usize| tile.out.row_mut(k).iter().zip(&weights[k * n..]).map(|(slope, w)| slope * w).collect::<Vec<f64>>();
    (0..tile.rows.len()).flat_map(row).collect()
}

/// Adds sum_l weight_kl dk_kl/dx_k to row k of `out`: -sum_l V_kl (x_kj - z_lj) / length_scale_j with V of [`slopes`]. At s = 0, where the
/// function of a rough kernel has a kink, V is 0.
pub(crate) fn input_gradient(
    mut tile: Tile<'_, PreparedPoints, f64>,
    profile: impl Profile,
    lengths: &[f64],
    weights: &[f64],
    out: &mut [f64],
) {
    tile.sqdists();
    let v = slopes(&mut tile, profile, weights);
    let n = tile.cols.len();
    let own: Vec<f64> = v.chunks_exact(n.max(1)).map(|row| -row.iter().sum::<f64>()).collect();
    tile.add_points(|k| own[k], &v, lengths, out);
}
