//! Local regression at many places together, against its definition place by place.

use super::shared::{cloud, normal};
use mercer::control::Control;
use mercer::linalg::Matrix;
use mercer::smoothing::{LocalFit, LocalOptions, Reach, SmoothingKernel};

const ROWS: usize = 1500;

/// 1, the steps and their products up to a degree.
fn terms(z: &[f64], degree: usize) -> Vec<f64> {
    let mut out = vec![1.0];
    if degree > 0 {
        out.extend(z);
    }
    if degree > 1 {
        out.extend((0..z.len()).flat_map(|a| (a..z.len()).map(move |b| (a, b))).map(|(a, b)| z[a] * z[b]));
    }
    out
}

/// The solution of A x = b by elimination.
fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        b[k] = (b[k] - (k + 1..n).map(|j| a[k][j] * b[j]).sum::<f64>()) / a[k][k];
    }
    b
}

/// f(x), its slopes and sum_i l_i^2 / w_i at a place, by sums over all rows.
fn defined(x: &Matrix, y: &[f64], weights: &[f64], place: &[f64], h: &[f64], degree: usize) -> (f64, Vec<f64>, f64) {
    let rows: Vec<(f64, Vec<f64>, usize)> = (0..x.rows())
        .map(|i| {
            let z: Vec<f64> = x.row(i).iter().zip(place).zip(h).map(|((to, from), h)| (to - from) / h).collect();
            (weights[i] * (-0.5 * z.iter().map(|z| z * z).sum::<f64>()).exp(), terms(&z, degree), i)
        })
        .collect();
    let count = rows[0].1.len();
    let moments: Vec<Vec<f64>> =
        (0..count).map(|a| (0..count).map(|b| rows.iter().map(|(v, phi, _)| v * phi[a] * phi[b]).sum()).collect()).collect();
    let targets = (0..count).map(|a| rows.iter().map(|(v, phi, i)| v * y[*i] * phi[a]).sum()).collect();
    let beta = solved(moments.clone(), targets);
    let g = solved(moments, (0..count).map(|a| if a == 0 { 1.0 } else { 0.0 }).collect());
    let l = |(v, phi, _): &(f64, Vec<f64>, usize)| v * phi.iter().zip(&g).map(|(phi, g)| phi * g).sum::<f64>();
    let spread = rows.iter().map(|row| l(row).powi(2) / weights[row.2]).sum();
    (beta[0], (0..h.len()).map(|j| if degree == 0 { 0.0 } else { beta[1 + j] / h[j] }).collect(), spread)
}

/// Rows among which some are far from all others, so that places there are asked alone.
fn rows(dim: usize) -> (Matrix, Vec<f64>, Vec<f64>) {
    let mut x = cloud(ROWS, dim, 11);
    for (k, far) in [6.0, -7.5, 30.0].into_iter().enumerate() {
        x.row_mut(100 * k).fill(far);
    }
    let noise = normal(ROWS, 12);
    // A constant that is large beside the rest must not cost digits of it.
    let y = (0..ROWS).map(|i| 1e4 + x.row(i).iter().map(|v| (2.0 * v).sin()).sum::<f64>() + 0.2 * noise[i]).collect();
    (x, y, (0..ROWS).map(|i| 0.5 + (i % 4) as f64).collect())
}

// spec: G26
#[test]
fn places_together_have_the_fits_that_each_has_by_its_definition() {
    for (dim, degree) in [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)] {
        let (x, y, weights) = rows(dim);
        let h = [0.4, 0.6][..dim].to_vec();
        let options = LocalOptions { kernel: SmoothingKernel::Gaussian, reach: Reach::Widths(h.clone()), degree, rounds: 0 };
        let control = Control::default();
        let local = LocalFit::fit(&x, &y, Some(&weights), &options, &control).unwrap();
        let found = local.predict(&x, &control).unwrap();
        let values = local.values(&x, &control).unwrap();
        // At a row that is far from all others a line is not determined.
        let far = [0, 100].into_iter().filter(|_| degree == 0);
        for i in (1..ROWS).step_by(37).chain(far) {
            let (value, slopes, spread) = defined(&x, &y, &weights, x.row(i), &h, degree);
            let own = |a: f64, b: f64, size: f64| assert!((a - b).abs() <= 1e-9 * size, "{dim} {degree} row {i}: {a} {b}");
            own(found.values[i] - 1e4, value - 1e4, 1.0);
            own(values[i] - 1e4, value - 1e4, 1.0);
            own(local.fitted()[i], found.values[i], 1.0);
            let deviation = local.noise() * spread.sqrt();
            own(found.deviations[i], deviation, deviation.max(1e-3));
            slopes.iter().enumerate().for_each(|(j, slope)| own(found.slopes[(i, j)], *slope, 10.0));
        }
    }
}

// spec: G26
#[test]
fn rows_left_out_of_many_are_judged_as_if_they_were_not_there() {
    let (x, y, _) = rows(2);
    let options = LocalOptions { reach: Reach::Widths(vec![0.5; 2]), ..LocalOptions::default() };
    let control = Control::default();
    let local = LocalFit::fit(&x, &y, None, &options, &control).unwrap();
    for i in [3, 700, 1499] {
        let weights: Vec<f64> = (0..ROWS).map(|j| if j == i { 1e-300 } else { 1.0 }).collect();
        let (without, _, _) = defined(&x, &y, &weights, x.row(i), &[0.5; 2], 1);
        assert!((local.left_out()[i] - without).abs() <= 1e-8, "row {i}: {} {without}", local.left_out()[i]);
    }
}
