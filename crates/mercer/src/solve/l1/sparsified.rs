//! Few rows instead of all: for directions v_c = sum_i a_ic phi_i of a feature space,
//!
//! ```text
//! minimise  1/2 sum_c |v_c - sum_i b_ic phi_i|^2 + lambda sum_i |b_i|
//! ```
//!
//! by K = Phi'Phi and G = K A alone: a group lasso over rows (Schölkopf et al. 1999, Input space versus feature space in kernel-based
//! methods, 5, with the penalty of Yuan & Lin 2006). Sweeps over the rows, each at its minimum given the others, with R = G - K B:
//! b_i = max(0, 1 - lambda / |t|) t / K_ii, t = R_i + K_ii b_i. Where rows are nearly collinear, sweeps stall; then |b_i| gives way to
//! (|b_i|^2 + e^2)^(1/2), which Newton's method minimises over the rows that stay or ask to, e ten times less each time, until the rows
//! that stay are separated from the others by their size. The dual point s (v - Phi b), with the s that is best among those for which no
//! |s R_i| is above lambda, bounds what is left to gain.

use super::conditions::norm;
use crate::control::Control;
use crate::error::Result;
use crate::gram::{axpy, dot};
use crate::linalg::{Cholesky, Matrix};

/// Numbers that Newton's method moves at most, its steps for one e, and halvings of a step.
const MOST: usize = 1500;
const STEPS: usize = 50;
const HALVINGS: usize = 30;

/// Coefficients and how good they are.
#[derive(Clone, Debug)]
pub struct Sparsified {
    /// B, N x C.
    pub coef: Matrix,
    /// The objective.
    pub objective: f64,
    /// The objective less what the dual point says it cannot go below, as a share of the objective at B = 0.
    pub gap: f64,
    /// |v_c - sum_i b_ic phi_i|^2 for each direction.
    pub left: Vec<f64>,
    /// Sweeps that were made.
    pub sweeps: usize,
}

/// The least penalty under which no row is kept.
pub fn most_penalty(products: &Matrix) -> f64 {
    (0..products.rows()).map(|i| norm(products.row(i))).fold(0.0, f64::max)
}

/// B for kernel values K (N x N, positive semi-definite), G = K A (N x C), the squared lengths of the C directions and lambda above 0.
pub fn sparsified(gram: &Matrix, products: &Matrix, lengths: &[f64], lambda: f64, tolerance: f64, control: &Control) -> Result<Sparsified> {
    // Sweeps at most.
    const SWEEPS: usize = 5000;
    let (n, size) = (products.rows(), products.cols());
    let mut coef = Matrix::zeros(n, size);
    let mut rest = products.clone();
    let mut sweeps = 0;
    loop {
        // Between looks at the gap, which take a pass over the numbers, sweeps are many.
        for _ in 0..10 {
            control.check()?;
            sweeps += 1;
            for i in 0..n {
                step(gram, i, lambda, &mut coef, &mut rest);
            }
        }
        let found = judged(products, lengths, lambda, (&coef, &rest), sweeps);
        if found.gap <= tolerance || sweeps >= SWEEPS || control.out_of_time() {
            return Ok(found);
        }
        smoothed(gram, lambda, &mut coef, &mut rest, control)?;
    }
}

/// Brings one row to its minimum.
fn step(gram: &Matrix, i: usize, lambda: f64, coef: &mut Matrix, rest: &mut Matrix) {
    let own = gram[(i, i)];
    if own <= 0.0 {
        return;
    }
    let target: Vec<f64> = rest.row(i).iter().zip(coef.row(i)).map(|(r, b)| r + own * b).collect();
    let length = norm(&target);
    let share = if length > lambda { (1.0 - lambda / length) / own } else { 0.0 };
    let moved: Vec<f64> = target.iter().zip(coef.row(i)).map(|(t, b)| share * t - b).collect();
    if moved.iter().all(|m| *m == 0.0) {
        return;
    }
    coef.row_mut(i).iter_mut().zip(&target).for_each(|(b, t)| *b = share * t);
    for (j, k) in gram.row(i).iter().enumerate() {
        rest.row_mut(j).iter_mut().zip(&moved).for_each(|(r, m)| *r -= k * m);
    }
}

/// Goes on with smooth lengths, and leaves the rows that stay at their minimum without.
fn smoothed(gram: &Matrix, lambda: f64, coef: &mut Matrix, rest: &mut Matrix, control: &Control) -> Result<()> {
    // The first and the last e, as shares of the longest b_i.
    const SMOOTH: (f64, f64) = (0.3, 1e-9);
    // A row asks to stay where |R_i| is above lambda by this share.
    const ASKS: f64 = 1e-9;
    let n = coef.rows();
    let mut among: Vec<bool> = (0..n).map(|i| norm(coef.row(i)) > 0.0).collect();
    let longest = |coef: &Matrix| (0..n).map(|i| norm(coef.row(i))).fold(0.0, f64::max);
    let size = longest(coef);
    let mut e = SMOOTH.0 * size;
    while e >= SMOOTH.1 * size && e > 0.0 {
        if !settled(gram, (lambda, e), &among, (coef, rest), control)? {
            return Ok(());
        }
        (0..n).for_each(|i| among[i] |= norm(rest.row(i)) > lambda * (1.0 + ASKS) && gram[(i, i)] > 0.0);
        e *= 0.1;
    }
    let least = (e * longest(coef)).sqrt();
    for i in 0..n {
        let own = coef.row(i).to_vec();
        if among[i] && norm(&own) <= least {
            among[i] = false;
            coef.row_mut(i).fill(0.0);
            gram.row(i).iter().enumerate().for_each(|(j, k)| axpy(*k, &own, rest.row_mut(j)));
        }
    }
    settled(gram, (lambda, 0.0), &among, (coef, rest), control).map(|_| ())
}

/// Steps of Newton's method over some rows until none lowers the objective; whether there were few enough of these.
fn settled(
    gram: &Matrix,
    (lambda, e): (f64, f64),
    among: &[bool],
    (coef, rest): (&mut Matrix, &mut Matrix),
    control: &Control,
) -> Result<bool> {
    let rows: Vec<usize> = (0..among.len()).filter(|&i| among[i]).collect();
    if rows.is_empty() || rows.len() * coef.cols() > MOST {
        return Ok(false);
    }
    for _ in 0..STEPS {
        if control.out_of_time() || !newton(gram, (lambda, e), &rows, (coef, rest), control)? {
            break;
        }
    }
    Ok(true)
}

/// A step of Newton's method, halved until it lowers the objective; whether it did. The length l_i = (|b_i|^2 + e^2)^(1/2) has the
/// slope u_i = b_i / l_i and the curvature (I - u_i u_i') / l_i.
fn newton(
    gram: &Matrix,
    (lambda, e): (f64, f64),
    rows: &[usize],
    (coef, rest): (&mut Matrix, &mut Matrix),
    control: &Control,
) -> Result<bool> {
    // A step that lowers the objective by less than this share of its terms is rounding.
    const LEAST: f64 = 1e-14;
    let (n, size) = (coef.rows(), coef.cols());
    let count = rows.len() * size;
    let long = |b: &[f64]| (dot(b, b) + e * e).sqrt();
    let lengths: Vec<f64> = rows.iter().map(|&i| long(coef.row(i))).collect();
    let unit = |a: usize, c: usize| coef[(rows[a], c)] / lengths[a];
    let system = Matrix::from_fn(count, count, |p, q| {
        let ((a, c), (b, d)) = ((p / size, p % size), (q / size, q % size));
        let same = f64::from(u8::from(c == d));
        let bend = if a == b { lambda / lengths[a] * (same - unit(a, c) * unit(a, d)) } else { 0.0 };
        same * gram[(rows[a], rows[b])] + bend
    });
    let slope: Vec<f64> = (0..count).map(|p| rest[(rows[p / size], p % size)] - lambda * unit(p / size, p % size)).collect();
    let way = Cholesky::new(system, control)?.solve(&Matrix::column(slope), control)?.into_data();
    let mut turned = Matrix::zeros(n, size);
    for (&i, way) in rows.iter().zip(way.chunks_exact(size)) {
        gram.row(i).iter().enumerate().for_each(|(j, k)| axpy(*k, way, turned.row_mut(j)));
    }
    let each = || rows.iter().zip(way.chunks_exact(size));
    let falls: f64 = each().map(|(&i, way)| dot(way, rest.row(i))).sum();
    let bends: f64 = each().map(|(&i, way)| dot(way, turned.row(i))).sum();
    let mut share = 1.0;
    for _ in 0..HALVINGS {
        let moved = |i: usize, way: &[f64]| coef.row(i).iter().zip(way).map(|(b, w)| b + share * w).collect::<Vec<f64>>();
        let longer: f64 = each().zip(&lengths).map(|((&i, way), was)| long(&moved(i, way)) - was).sum();
        let change = share * (0.5 * share * bends - falls) + lambda * longer;
        if change < 0.0 {
            each().for_each(|(&i, way)| axpy(share, way, coef.row_mut(i)));
            axpy(-share, turned.data(), rest.data_mut());
            return Ok(change < -LEAST * share * (falls.abs() + bends));
        }
        share *= 0.5;
    }
    Ok(false)
}

fn judged(products: &Matrix, lengths: &[f64], lambda: f64, (coef, rest): (&Matrix, &Matrix), sweeps: usize) -> Sparsified {
    let (n, size) = (coef.rows(), coef.cols());
    let mut with = vec![[0.0; 2]; size];
    for i in 0..n {
        for (c, b) in coef.row(i).iter().enumerate().filter(|(_, b)| **b != 0.0) {
            with[c][0] += b * products[(i, c)];
            with[c][1] += b * rest[(i, c)];
        }
    }
    let left: Vec<f64> = lengths.iter().zip(&with).map(|(l, [g, r])| (l - g - r).max(0.0)).collect();
    let penalty = lambda * (0..n).map(|i| norm(coef.row(i))).sum::<f64>();
    let square: f64 = left.iter().sum();
    let objective = 0.5 * square + penalty;
    let along: f64 = lengths.iter().zip(&with).map(|(l, [g, _])| l - g).sum();
    let steepest = (0..n).map(|i| norm(rest.row(i))).fold(0.0, f64::max);
    let bound = if steepest > lambda { lambda / steepest } else { 1.0 };
    let best = if square > 0.0 { (along / square).clamp(-bound, bound) } else { bound };
    let dual = best * along - 0.5 * best * best * square;
    let whole = 0.5 * lengths.iter().sum::<f64>();
    Sparsified { coef: coef.clone(), objective, gap: (objective - dual).max(0.0) / whole, left, sweeps }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Rows at right angles: each is alone, and the minimum is the soft threshold of G by hand.
    #[test]
    fn rows_at_right_angles_have_soft_thresholds() {
        let gram = Matrix::from_fn(3, 3, |i, j| if i == j { [1.0, 4.0, 0.25][i] } else { 0.0 });
        let a = Matrix::new(3, 2, vec![0.6, 0.8, 0.15, 0.2, 0.2, 0.0]).unwrap();
        let products = Matrix::from_fn(3, 2, |i, c| gram[(i, i)] * a[(i, c)]);
        let lengths: Vec<f64> = (0..2).map(|c| (0..3).map(|i| a[(i, c)] * products[(i, c)]).sum()).collect();
        assert!((most_penalty(&products) - 1.0).abs() <= 1e-15);
        let found = sparsified(&gram, &products, &lengths, 0.5, 1e-12, &Control::default()).unwrap();
        // |g| = 1, 1, 0.05: halves of the first two are left, nothing of the third.
        let expected = [0.3, 0.4, 0.075, 0.1, 0.0, 0.0];
        found.coef.data().iter().zip(expected).for_each(|(b, e)| assert!((b - e).abs() <= 1e-14));
        assert!(found.gap <= 1e-12);
    }

    // A Gaussian wide beside the places: kernel values of neighbours differ by 1e-4, and sweeps alone stand still.
    #[test]
    fn rows_that_are_much_alike_meet_the_conditions_of_a_minimum_after_few_sweeps() {
        let n = 80;
        let gram = Matrix::from_fn(n, n, |i, j| (-0.5 * ((i as f64 - j as f64) / 15.0).powi(2)).exp());
        let a = Matrix::from_fn(n, 2, |i, c| 0.05 * ((i + 1) as f64 * [0.11, 0.07][c]).sin());
        let products = crate::linalg::product(&gram, &a).unwrap();
        let lengths: Vec<f64> = (0..2).map(|c| dot(&a.col(c), &products.col(c))).collect();
        let lambda = 0.02 * most_penalty(&products);
        let found = sparsified(&gram, &products, &lengths, lambda, 1e-12, &Control::default()).unwrap();
        assert!(found.gap <= 1e-12 && found.sweeps <= 200, "{} after {}", found.gap, found.sweeps);
        let with = crate::linalg::product(&gram, &found.coef).unwrap();
        let mut kept = 0;
        for i in 0..n {
            let (b, rest) = (found.coef.row(i), [0, 1].map(|c| products[(i, c)] - with[(i, c)]));
            if norm(b) > 0.0 {
                kept += 1;
                (0..2).for_each(|c| assert!((rest[c] - lambda * b[c] / norm(b)).abs() <= 1e-6 * lambda));
            } else {
                assert!(norm(&rest) <= lambda * (1.0 + 1e-6));
            }
        }
        assert!((2..40).contains(&kept), "{kept}");
    }
}
