//! The fit of a local polynomial at one place, from the moments of its terms.

use super::moments::{Moments, number_of_terms};
use crate::control::Control;
use crate::error::Result;
use crate::gram::dot;
use crate::linalg::{Matrix, eigh};

/// The fit at one place: everything of it follows from the moments of the terms.
pub(super) struct At {
    pub(super) value: f64,
    pub(super) slope: Vec<f64>,
    /// l_i / (w_i r_i) of a row that lies there and whose kernel value is the greatest there is, and sum_i l_i^2 / w_i where it was asked
    /// for.
    pub(super) own: f64,
    pub(super) spread: f64,
    /// l_i = v_i g'phi_i.
    pub(super) g: Vec<f64>,
    /// The distance beside which the kernel was taken.
    pub(super) least: f64,
    pub(super) lowered: bool,
}

/// Eigenvalues below this share of the largest are of no direction that rows determine.
pub(super) const DETERMINED: f64 = 1e-10;

/// The entry of a triangle: upper, row after row.
fn entry(triangle: &[f64], count: usize, a: usize, b: usize) -> f64 {
    let (a, b) = (a.min(b), a.max(b));
    triangle[a * count - a * (a + 1) / 2 + b]
}

impl At {
    /// The fit of the degree or, where rows do not determine it, a lower one; widths are those of the columns. None where no row is near.
    pub(super) fn of(moments: &Moments, degree: usize, widths: &[f64], control: &Control) -> Result<Option<At>> {
        if moments.terms[0] == 0.0 {
            return Ok(None);
        }
        for lower in (0..=degree).rev() {
            if let Some(inverse) = inverse(moments, number_of_terms(widths.len(), lower), control)? {
                return Ok(Some(At { lowered: lower < degree, ..At::by(moments, &inverse, widths) }));
            }
        }
        Ok(None)
    }

    /// The fit at a place from moments with errors of up to `errors`, where it is sure to be exact; none elsewhere.
    pub(super) fn if_exact(moments: &Moments, errors: &Moments, widths: &[f64], control: &Control) -> Result<Option<At>> {
        let count = moments.targets.len();
        // What is wrong by as much as it is may be below 0.
        if !(0..count).all(|a| entry(&moments.terms, count, a, a) > entry(&errors.terms, count, a, a)) {
            return Ok(None);
        }
        let Some(inverse) = inverse(moments, count, control)? else { return Ok(None) };
        let at = At::by(moments, &inverse, widths);
        Ok(is_exact(moments, errors, &inverse, &at).then_some(at))
    }

    fn by(moments: &Moments, inverse: &Matrix, widths: &[f64]) -> At {
        let (g, all) = (inverse.row(0).to_vec(), moments.targets.len());
        let read = |row: &[f64]| dot(row, &moments.targets[..row.len()]);
        let quadratic = |a: usize| (0..g.len()).map(|b| g[b] * entry(&moments.squares, all, a, b)).sum::<f64>() * g[a];
        let slope = |(j, width): (usize, &f64)| if g.len() == 1 { 0.0 } else { read(inverse.row(1 + j)) / width };
        At {
            value: read(&g),
            slope: widths.iter().enumerate().map(slope).collect(),
            own: g[0],
            spread: if moments.squares.is_empty() { 0.0 } else { (0..g.len()).map(quadratic).sum() },
            lowered: false,
            g,
            least: moments.least,
        }
    }
}

/// Whether errors of moments change the fit by no more than counts. With the inverse V of the moments and beta = V t the changes are
/// -V dA beta + V dt, and of the terms V_0 that make l they are -V dA V_0.
fn is_exact(moments: &Moments, errors: &Moments, inverse: &Matrix, at: &At) -> bool {
    // What sums with a bound of their error may be wrong by: this share of the root mean square of targets near the place, of slopes that
    // change them by as much over the spread of the rows near it, and of the kernel values themselves.
    const EXACT: f64 = 1e-11;
    let count = moments.targets.len();
    let size = |a: usize| entry(&moments.terms, count, a, a).sqrt();
    let beta: Vec<f64> = (0..count).map(|a| dot(inverse.row(a), &moments.targets)).collect();
    let wrong = |a: usize, by: &[f64]| (0..count).map(|b| entry(&errors.terms, count, a, b) * by[b].abs()).sum::<f64>();
    let of_target: Vec<f64> = (0..count).map(|a| errors.targets[a] + wrong(a, &beta)).collect();
    let of_own: Vec<f64> = (0..count).map(|a| wrong(a, &at.g)).collect();
    let change = |a: usize, of: &[f64]| inverse.row(a).iter().zip(of).map(|(v, e)| v.abs() * e).sum::<f64>();
    // |sum_i v_i y_i phi_i| / sqrt(sum_i v_i phi_i^2) is below the root of sum_i v_i y_i^2.
    let targets = (0..count).map(|a| moments.targets[a].abs() / size(a)).fold(0.0, f64::max);
    let spread: f64 = if moments.squares.is_empty() {
        0.0
    } else {
        let twice = |a: usize, b: usize| entry(&moments.squares, count, a, b) * at.g[b] * change(a, &of_own) * 2.0;
        let once = |a: usize, b: usize| entry(&errors.squares, count, a, b) * at.g[a] * at.g[b];
        (0..count).flat_map(|a| (0..count).map(move |b| (a, b))).map(|(a, b)| twice(a, b).abs() + once(a, b).abs()).sum()
    };
    (0..count).all(|a| change(a, &of_target) * size(a) <= EXACT * targets)
        && change(0, &of_own) <= EXACT * at.own
        && spread <= EXACT * at.spread
}

/// The inverse of the first moments, every term in units of its own size; none where rows do not determine it.
fn inverse(moments: &Moments, count: usize, control: &Control) -> Result<Option<Matrix>> {
    let of = |a: usize, b: usize| entry(&moments.terms, moments.targets.len(), a, b);
    let sizes: Vec<f64> = (0..count).map(|a| of(a, a).sqrt()).collect();
    if sizes.iter().any(|s| !(*s > 0.0 && s.is_finite())) {
        return Ok(None);
    }
    let (values, vectors) = eigh(Matrix::from_fn(count, count, |a, b| of(a, b) / (sizes[a] * sizes[b])), control)?;
    let most = values.iter().copied().fold(0.0, f64::max);
    if values.iter().any(|l| *l <= DETERMINED * most) {
        return Ok(None);
    }
    let of = |a: usize, b: usize| (0..count).map(|e| vectors[(a, e)] * vectors[(b, e)] / values[e]).sum::<f64>() / (sizes[a] * sizes[b]);
    Ok(Some(Matrix::from_fn(count, count, of)))
}
