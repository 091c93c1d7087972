//! Bandwidths by cross-validation in closed form: no refit, and the search runs over ln h, so that no bandwidth is negative.
//!
//! The bandwidth of the greatest likelihood looks at equal rows once and leaves them out together: copies do not vouch for each other.
//!
//! Likelihood: sum_i w_i ln f_-i(x_i) with f_-i(x_i) = sum_{j != i} k_h(x_i - x_j) / (N - 1).
//! Least squares: |f|^2 - 2 / N sum_i f_-i(x_i), |f|^2 = sum_ij k_{sqrt 2 h}(x_i - x_j) / N^2 for the Gaussian (Bowman 1984).

use super::density::{Asked, Bandwidth, Density};
use super::differences::Differences;
use super::{Sample, Shape, SmoothingKernel, golden, rules};
use crate::control::Control;
use crate::error::{Error, Result};

/// The mean of ln f_-i(x_i) over the rows as weights count them, for a bandwidth of each column.
///
/// # Errors
/// Weights that count no more than one row; a bandwidth outside its domain; on request of `control`.
pub fn left_out_likelihood(sample: &Sample, kernel: SmoothingKernel, shape: Shape, widths: &[f64], control: &Control) -> Result<f64> {
    let asked = Asked { kernel, shape, bandwidth: Bandwidth::Columns(widths.to_vec()), ..Asked::default() };
    let density = Density::fit(sample, &asked, control)?;
    let logs = density.left_out(control)?;
    Ok(mean(&logs, sample))
}

/// The mean of values of rows as weights count them, whatever the order of the rows, to the last bit.
fn mean(values: &[f64], sample: &Sample) -> f64 {
    let mut shares: Vec<f64> = values.iter().zip(sample.weights()).map(|(v, w)| w * v).collect();
    shares.sort_by(f64::total_cmp);
    shares.iter().sum::<f64>() / sample.count()
}

/// The estimated integrated squared error of a Gaussian density, but for the constant |truth|^2, for a bandwidth of each column.
///
/// # Errors
/// Those of [`left_out_likelihood`].
pub fn left_out_squares(sample: &Sample, widths: &[f64], control: &Control) -> Result<f64> {
    let of = |by: f64| {
        let columns = widths.iter().map(|h| by * h).collect();
        Density::fit(sample, &Asked { bandwidth: Bandwidth::Columns(columns), ..Asked::default() }, control)
    };
    let mean = |logs: Vec<f64>| mean(&logs.iter().map(|l| l.exp()).collect::<Vec<_>>(), sample);
    let square = mean(of(2f64.sqrt())?.log_density(sample.points(), control)?);
    Ok(square - 2.0 * mean(of(1.0)?.left_out(control)?))
}

/// The greatest likelihood. `carried`: the kernel's width beside the Gaussian's.
pub(super) fn likelihood(
    sample: &Sample,
    kernel: SmoothingKernel,
    shape: Shape,
    carried: f64,
    control: &Control,
    notes: &mut Vec<String>,
) -> Result<Vec<f64>> {
    let once = sample.once();
    let scott: Vec<f64> = rules::scott(&once).into_iter().map(|h| carried * h).collect();
    let once = once.with_whole_rows();
    let loss = |by: f64| {
        let widths: Vec<f64> = scott.iter().map(|h| by * h).collect();
        left_out_likelihood(&once, kernel, shape, &widths, control).map(|l| -l)
    };
    let by = least(loss, "cross_validation", control, notes)?;
    Ok(scott.into_iter().map(|h| by * h).collect())
}

/// The least estimated integrated squared error, for the Gaussian.
pub(super) fn least_squares(sample: &Sample, control: &Control, notes: &mut Vec<String>) -> Result<Vec<f64>> {
    let scott = rules::scott(sample);
    let by = if sample.dim() == 1 {
        let differences = Differences::new(sample, control)?;
        let unit = scott[0] / differences.scale;
        least(|by| Ok(squares(&differences, by * unit)), "least_squares", control, notes)?
    } else {
        let loss = |by: f64| left_out_squares(sample, &scott.iter().map(|h| by * h).collect::<Vec<_>>(), control);
        least(loss, "least_squares", control, notes)?
    };
    Ok(scott.into_iter().map(|h| by * h).collect())
}

fn squares(differences: &Differences, h: f64) -> f64 {
    let n = differences.count;
    differences.derivative(0, 2f64.sqrt() * h) / (n * n) - 2.0 * differences.derivative_left_out(0, h) / (n * (n - 1.0))
}

/// The estimated integrated squared error of a Gaussian density of one column over bandwidths, for pictures.
///
/// # Errors
/// Several columns; values without a spread; on request of `control`.
pub fn squares_curve(sample: &Sample, widths: &[f64], control: &Control) -> Result<Vec<f64>> {
    Error::unless_equal("columns", 1, sample.dim())?;
    sample.require_spread(0)?;
    let differences = Differences::new(sample, control)?;
    Ok(widths.iter().map(|h| squares(&differences, h / differences.scale) / differences.scale).collect())
}

/// The multiple with the least loss: the best of a grid, wider where that is its end, then by golden sections.
fn least(loss: impl Fn(f64) -> Result<f64>, name: &str, control: &Control, notes: &mut Vec<String>) -> Result<f64> {
    // Points of a curve over ln h, in multiples of Scott's bandwidths.
    const GRID: (f64, f64, usize) = (0.04, 8.0, 24);
    let (from, to, count) = GRID;
    let step = (to / from).ln() / (count - 1) as f64;
    let mut curve: Vec<(f64, f64)> = Vec::new();
    for k in 0..count {
        control.check_time(&format!("bandwidth by {name}"))?;
        let at = from.ln() + step * k as f64;
        curve.push((at, loss(at.exp())?));
    }
    let best = |curve: &[(f64, f64)]| (0..curve.len()).fold(0, |b, k| if curve[k].1 < curve[b].1 { k } else { b });
    // Far values ask for wide bandwidths: a likelihood is -inf, or falls, until the farthest is reached.
    while curve.len() < 8 * count && best(&curve) == curve.len() - 1 || curve.iter().all(|(_, l)| !l.is_finite()) && curve.len() < 8 * count
    {
        control.check_time(&format!("bandwidth by {name}"))?;
        let at = curve[curve.len() - 1].0 + step;
        curve.push((at, loss(at.exp())?));
    }
    let found = best(&curve);
    if !curve[found].1.is_finite() {
        return Err(Error::Numerical {
            what: format!("bandwidth by {name}"),
            why: "no bandwidth makes every row likely; use silverman, or give a number".into(),
        });
    }
    // Rounded values repeat, and make the curve fall without end towards 0: the widest of its other valleys is taken (Hall & Marron 1991).
    let valley = |k: &usize| curve[*k].1 < curve[k - 1].1 && curve[*k].1 <= curve[k + 1].1;
    let found = match found {
        0 => {
            let Some(widest) = (1..curve.len() - 1).rev().find(valley) else {
                notes.push(format!("{name}: the curve falls towards its narrowest bandwidth, as it does for rounded values"));
                return Ok(curve[0].0.exp());
            };
            notes
                .push(format!("{name}: equal values make the curve fall towards 0; the widest bandwidth at which it has a valley is used"));
            widest
        }
        found => found,
    };
    let ends = (curve[found - 1].0, curve[(found + 1).min(curve.len() - 1)].0);
    let goes_on = |width: f64| {
        control.check()?;
        let late = width > 1e-7 && control.out_of_time();
        if late {
            notes.push(format!("{name}: time was up within {:.1} % of the best bandwidth", 100.0 * width));
        }
        Ok(width > 1e-7 && !late)
    };
    let (low, high) = golden::sections(ends, |at| loss(at.exp()), goes_on)?;
    Ok((0.5 * (low + high)).exp())
}
