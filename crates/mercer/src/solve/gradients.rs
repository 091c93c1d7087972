//! Conjugate gradients for A x = b with A symmetric and positive definite, one right-hand side for each column, all sharing the
//! products with A; preconditioned by P^-1 for a P near A (Golub & Van Loan, Matrix Computations, 11.5).

use crate::control::Control;
use crate::error::Result;
use crate::gram::{axpy, dot};
use crate::linalg::Matrix;

/// The last x before the norm of all of r is no more than `enough`, before so many steps are done, or before time is up.
pub(crate) fn conjugate_gradients(
    b: &Matrix,
    multiply: impl Fn(&Matrix) -> Result<Matrix>,
    near: impl Fn(&Matrix) -> Result<Matrix>,
    (enough, steps): (f64, usize),
    control: &Control,
) -> Result<Matrix> {
    let mut x = Matrix::zeros(b.rows(), b.cols());
    let mut r = b.clone();
    let mut z = near(&r)?;
    let mut p = z.clone();
    let mut along = dots(&r, &z);
    for _ in 0..steps {
        control.check()?;
        let ap = multiply(&p)?;
        // A column at its end, or of no more use at this precision, stays where it is.
        let step: Vec<f64> = along.iter().zip(dots(&p, &ap)).map(|(rz, pap)| if *rz > 0.0 && pap > 0.0 { rz / pap } else { 0.0 }).collect();
        add(&mut x, &p, &step, 1.0);
        add(&mut r, &ap, &step, -1.0);
        if r.norm() <= enough || step.iter().all(|s| *s == 0.0) || control.out_of_time() {
            break;
        }
        z = near(&r)?;
        let next = dots(&r, &z);
        for (row, z) in p.data_mut().chunks_exact_mut(step.len()).zip(z.data().chunks_exact(step.len())) {
            for (o, (p, z)) in row.iter_mut().zip(z).enumerate() {
                *p = z + if along[o] > 0.0 { next[o] / along[o] } else { 0.0 } * *p;
            }
        }
        along = next;
    }
    Ok(x)
}

/// Conjugate gradients for one system whose unknowns form a matrix and whose columns are coupled: the last x before r'P^-1 r
/// is no more than a share `reduce` of what it was, before `is_enough` accepts r, or before so many steps are done; with the
/// number of steps.
pub(crate) fn joint_gradients(
    b: &Matrix,
    multiply: impl Fn(&Matrix) -> Result<Matrix>,
    near: impl Fn(&Matrix) -> Result<Matrix>,
    is_enough: impl Fn(&Matrix) -> bool,
    (reduce, steps): (f64, usize),
) -> Result<(Matrix, usize)> {
    let mut x = Matrix::zeros(b.rows(), b.cols());
    let mut r = b.clone();
    let mut z = near(&r)?;
    let mut p = z.clone();
    let mut square = dot(r.data(), z.data());
    let least = reduce * square;
    for done in 1..=steps {
        let ap = multiply(&p)?;
        let bend = dot(p.data(), ap.data());
        if bend.is_nan() || bend <= 0.0 {
            return Ok((x, done));
        }
        let t = square / bend;
        axpy(t, p.data(), x.data_mut());
        axpy(-t, ap.data(), r.data_mut());
        if is_enough(&r) {
            return Ok((x, done));
        }
        z = near(&r)?;
        let next = dot(r.data(), z.data());
        if next.is_nan() || next <= least {
            return Ok((x, done));
        }
        p.data_mut().iter_mut().zip(z.data()).for_each(|(p, z)| *p = z + next / square * *p);
        square = next;
    }
    Ok((x, steps))
}

/// a_o'b_o of every column.
fn dots(a: &Matrix, b: &Matrix) -> Vec<f64> {
    let mut out = vec![0.0; a.cols()];
    for i in 0..a.rows() {
        out.iter_mut().zip(a.row(i).iter().zip(b.row(i))).for_each(|(o, (a, b))| *o += a * b);
    }
    out
}

/// x_o += sign step_o p_o of every column.
fn add(x: &mut Matrix, p: &Matrix, step: &[f64], sign: f64) {
    for i in 0..p.rows() {
        x.row_mut(i).iter_mut().zip(p.row(i).iter().zip(step)).for_each(|(x, (p, s))| *x += sign * s * p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Cholesky, product};

    #[test]
    fn solutions_are_those_of_the_factor_and_a_good_neighbour_spares_steps() {
        let n = 40;
        let a =
            Matrix::from_fn(n, n, |i, j| (-((i as f64 - j as f64) / 4.0).powi(2)).exp() + if i == j { 0.01 * (1 + i) as f64 } else { 0.0 });
        let b = Matrix::from_fn(n, 3, |i, o| if o == 2 { 0.0 } else { ((i * (o + 2)) as f64).sin() });
        let control = Control::default();
        let factor = Cholesky::new(a.clone(), &control).unwrap();
        let exact = factor.solve(&b, &control).unwrap();
        let solve = |good: bool, steps: usize| {
            let near = |r: &Matrix| if good { factor.solve(r, &control) } else { Ok(r.clone()) };
            conjugate_gradients(&b, |p| product(&a, p), near, (1e-11, steps), &control).unwrap()
        };
        for (x, few) in [(solve(false, 400), false), (solve(true, 2), true)] {
            let error = Matrix::from_fn(n, 3, |i, o| x[(i, o)] - exact[(i, o)]).norm();
            assert!(error <= 1e-8 * exact.norm(), "{few}: {error}");
            assert!((0..n).all(|i| x[(i, 2)] == 0.0));
        }
        assert!(Matrix::from_fn(n, 3, |i, o| solve(false, 2)[(i, o)] - exact[(i, o)]).norm() > 1e-3);
    }
}
