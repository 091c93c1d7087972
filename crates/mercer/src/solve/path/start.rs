//! Where a path begins: the coefficients for a penalty C so small that every row of the lighter class is at its bound.
//!
//! Classes of equal weight have every row at its bound. Otherwise the coefficients of the heavier class are those of least norm,
//!
//! ```text
//! minimise  1/2 s'Ks    subject to    sum s = 0,  y_i s_i = w_i in the lighter class,
//! ```
//!
//! which a walk finds: with t c's added, c the rank of a row by its kernel values with the lighter class, the first rows are at their bound
//! where t is large, and t falls to 0.

use super::walk::Walk;
use super::{PathEnd, follow};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, combined_rows};

/// The state for every small C, and a lambda above its first breakpoint.
pub(super) fn start<'a>(k: &'a Matrix, signs: &'a [f64], weights: &'a [f64], control: &Control) -> Result<(Walk<'a>, f64)> {
    // Classes whose weights differ by no more than this share have equal weights.
    const EQUAL: f64 = 1e-12;
    let n = signs.len();
    let mass = |sign: f64| (0..n).filter(|&i| signs[i] == sign).map(|i| weights[i]).sum::<f64>();
    let (plus, minus) = (mass(1.0), mass(-1.0));
    let heavier = if plus >= minus { 1.0 } else { -1.0 };
    let is_heavy = |i: usize| signs[i] == heavier && weights[i] > 0.0;
    let at_bound: Vec<f64> = (0..n).map(|i| signs[i] * weights[i]).collect();
    let lighter: Vec<f64> = (0..n).map(|i| if is_heavy(i) { 0.0 } else { at_bound[i] }).collect();
    let mut walk = if (plus - minus).abs() <= EQUAL * (plus + minus) {
        let h = values(k, &at_bound, control)?;
        let elbow = (0..n).filter(|&i| is_heavy(i)).max_by(|&a, &b| (heavier * h[a]).total_cmp(&(heavier * h[b]))).unwrap_or(0);
        Walk::new(k, signs, weights, at_bound, elbow)
    } else {
        let near = values(k, &lighter, control)?;
        let mut ranked: Vec<usize> = (0..n).filter(|&i| is_heavy(i)).collect();
        // Values of the lighter class have the other sign.
        ranked.sort_by(|&a, &b| (heavier * near[a]).total_cmp(&(heavier * near[b])));
        let (mut s, mut c, mut left, mut elbow) = (lighter, vec![0.0; n], plus.min(minus), None);
        for (rank, &i) in ranked.iter().enumerate() {
            c[i] = signs[i] * rank as f64 / ranked.len() as f64;
            if elbow.is_none() && weights[i] > left {
                elbow = Some(i);
            }
            s[i] = signs[i] * weights[i].min(left);
            left -= weights[i].min(left);
        }
        // Rounding may leave no row between its bounds.
        let elbow = elbow.or(ranked.last().copied()).unwrap_or(0);
        let from = ranked.len() as f64 * range(&values(k, &s, control)?);
        let mut walk = Walk::new(k, signs, weights, s, elbow);
        walk.aim(c, is_heavy);
        match follow(&mut walk, from, 0.0, None, control)? {
            PathEnd::Complete => walk,
            PathEnd::Stopped => return Err(Error::Time { what: "the start of a path".into() }),
            end => {
                return Err(Error::Numerical { what: "the start of a path".into(), why: format!("{}; scale the columns", end.reason()) });
            }
        }
    };
    walk.aim(signs.iter().map(|y| -y).collect(), |_| true);
    let from = range(&values(k, &walk.s, control)?);
    Ok((walk, from))
}

/// K s.
fn values(k: &Matrix, s: &[f64], control: &Control) -> Result<Vec<f64>> {
    let rows: Vec<&[f64]> = (0..s.len()).map(|i| k.row(i)).collect();
    combined_rows(&rows, s, s.len(), control)
}

fn range(values: &[f64]) -> f64 {
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    high - low
}
