//! Weights against outliers, by residuals e and their median m = median |e| (Cleveland 1979), and pseudo-values, whose residuals tell the
//! noise beside them (Cleveland, Grosse & Shyu 1992):
//!
//! ```text
//! r_i = (1 - (e_i / 6m)^2)^2,   0 from |e_i| = 6m on;     y~_i = f_i + c r_i e_i,   c = N / sum_i sqrt(r_i) (1 - 5 (e_i / 6m)^2)
//! ```

/// Beyond this share of 6m a weight is 0, and within the other it is 1.
pub(super) const FAR: f64 = 0.999;
pub(super) const NEAR: f64 = 0.001;
/// Residuals whose median is below this share of their mean are rounding.
pub(super) const ROUNDING: f64 = 1e-7;

/// 6m, of rows that count as often as their weights say.
fn reach(residuals: &[f64], counts: &[f64]) -> f64 {
    let mut sizes: Vec<(f64, f64)> = residuals.iter().map(|e| e.abs()).zip(counts.iter().copied()).collect();
    sizes.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let half = 0.5 * counts.iter().sum::<f64>();
    let (mut passed, mut lower) = (0.0, None);
    for (size, count) in sizes {
        passed += count;
        if passed >= half {
            let lower = *lower.get_or_insert(size);
            if passed > half {
                return 3.0 * (lower + size);
            }
        }
    }
    6.0 * lower.unwrap_or(0.0)
}

/// r of each row; none where the residuals are rounding.
pub(super) fn weights(residuals: &[f64], counts: &[f64]) -> Option<Vec<f64>> {
    let reach = reach(residuals, counts);
    let mean = residuals.iter().zip(counts).map(|(e, w)| w * e.abs()).sum::<f64>() / counts.iter().sum::<f64>();
    if reach < ROUNDING * mean || reach == 0.0 {
        return None;
    }
    let weight = |e: &f64| match e.abs() {
        size if size <= NEAR * reach => 1.0,
        size if size <= FAR * reach => (1.0 - (size / reach).powi(2)).powi(2),
        _ => 0.0,
    };
    Some(residuals.iter().map(weight).collect())
}

/// y~ of each row, by the weights with which f was fitted.
pub(super) fn pseudo_values(fitted: &[f64], residuals: &[f64], robust: &[f64], counts: &[f64]) -> Vec<f64> {
    let reach = reach(residuals, counts);
    let part = |i: usize| counts[i] * robust[i].sqrt() * (1.0 - 5.0 * (residuals[i] / reach).powi(2));
    let sum: f64 = (0..residuals.len()).map(part).sum();
    let scale = if sum > 0.0 && sum.is_finite() { counts.iter().sum::<f64>() / sum } else { 1.0 };
    (0..residuals.len()).map(|i| fitted[i] + scale * robust[i] * residuals[i]).collect()
}
