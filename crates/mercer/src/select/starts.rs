//! Starts of a descent of a smooth criterion: its values on a coarse grid of widths and of the noise.
//!
//! A criterion may have several optima, such as a slow trend with much noise and a fast wave with little. Values without
//! derivatives cost a small part of those with them where an estimator has them along its own parameter
//! ([`Estimator::criterion_along`](crate::estimators::Estimator::criterion_along)); the best cell of the grid is where a descent starts.

use super::free::Free;
use super::smooth::Descent;
use crate::control::Control;
use crate::error::Result;

/// Shifts of all widths together from where the data suggest them, in natural logarithms: down to a hundredth, since short length
/// scales are what a start at the typical distance of the rows misses.
const WIDTHS: [f64; 6] = [0.0, -1.2, 1.2, -2.4, -3.6, -4.8];
/// Shifts of one width alone, the others staying.
const ALONE: [f64; 2] = [-1.2, -2.4];
/// Widths that are shifted alone at most: each costs about as much as one evaluation with derivatives.
const MOST_ALONE: usize = 12;
/// Shifts of the penalty or of the noise: from a tenth of the target's variance to a hundredth and to a half.
const LEVELS: [f64; 3] = [0.0, -2.3, 1.6];
/// Shifts of widths where a search goes on from a setting that a smaller sample suggested.
const SHORTER: [f64; 3] = [-1.2, -2.4, -3.6];
/// Factors in the kernel that take the place of the noise where it has none of its own, at most.
const MOST_FACTORS: usize = 3;

/// The best cell of the grid around `x0`; `None` where the estimator has no cheap values, no width is free, or no value is finite.
pub(super) fn best_of_grid(descent: &mut Descent<'_>, x0: &[f64], control: &Control) -> Result<Option<Vec<f64>>> {
    let free = descent.place.free;
    let widths: Vec<usize> = (0..free.len()).filter(|&k| free[k].is_kernel_width()).collect();
    let mut places: Vec<Vec<f64>> = WIDTHS.iter().map(|by| moved(free, x0, &widths, *by)).collect();
    if (2..=MOST_ALONE).contains(&widths.len()) {
        places.extend(widths.iter().flat_map(|&k| ALONE.iter().map(move |by| moved(free, x0, &[k], *by))));
    }
    best_of(descent, &places, control).map(|found| found.map(|(_, x)| x))
}

/// A cell at shorter widths than those of `x0` whose value is less than `value`.
pub(super) fn shorter(descent: &mut Descent<'_>, x0: &[f64], value: f64, control: &Control) -> Result<Option<Vec<f64>>> {
    let free = descent.place.free;
    let widths: Vec<usize> = (0..free.len()).filter(|&k| free[k].is_kernel_width()).collect();
    let places: Vec<Vec<f64>> = SHORTER.iter().map(|by| moved(free, x0, &widths, *by)).collect();
    Ok(best_of(descent, &places, control)?.filter(|(there, _)| *there < value).map(|(_, x)| x))
}

/// Some coordinates shifted, and kept inside their ends.
fn moved(free: &[Free], x0: &[f64], which: &[usize], by: f64) -> Vec<f64> {
    let mut x = x0.to_vec();
    which.iter().for_each(|&k| x[k] = free[k].clamp(x0[k] + free[k].step(by)));
    x
}

/// The least value over places and levels of the noise, and where.
fn best_of(descent: &mut Descent<'_>, places: &[Vec<f64>], control: &Control) -> Result<Option<(f64, Vec<f64>)>> {
    let free = descent.place.free;
    let Some(name) = descent.level_name().filter(|_| free.iter().any(Free::is_kernel_width)) else { return Ok(None) };
    let own = free.iter().position(|f| f.own_name() == Some(&name));
    // Where the noise is a part of the kernel its factors are varied, one at a time.
    let factors = |k: &usize| free[*k].kernel_place().is_some() && !free[*k].is_kernel_width() && free[*k].is_logarithmic();
    let factors: Vec<usize> = if own.is_some() { Vec::new() } else { (0..free.len()).filter(factors).take(MOST_FACTORS).collect() };
    let mut best: Option<(f64, Vec<f64>)> = None;
    let mut seen: Vec<Vec<f64>> = Vec::new();
    for place in places {
        let shifted = factors.iter().flat_map(|&k| LEVELS[1..].iter().map(move |by| moved(free, place, &[k], *by)));
        for x in std::iter::once(place.clone()).chain(shifted) {
            if (best.is_some() && control.out_of_time()) || seen.contains(&x) {
                continue;
            }
            let levels = match own {
                Some(k) => LEVELS.iter().map(|by| moved(free, &x, &[k], *by)).collect(),
                None => vec![x.clone()],
            };
            let Some(values) = descent.values(&name, &levels, control)? else { return Ok(None) };
            for (value, level) in values.into_iter().zip(levels) {
                if value.is_finite() && best.as_ref().is_none_or(|b| value < b.0) {
                    best = Some((value, level));
                }
            }
            seen.push(x);
        }
    }
    Ok(best)
}
