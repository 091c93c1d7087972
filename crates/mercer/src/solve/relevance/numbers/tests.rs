//! The evidence beside one computed by N x N matrices from the columns as they are, with a flat prior of the constant.

use super::*;
use crate::linalg::Cholesky;
use crate::solve::relevance::{SPANNED, gain as gain_of};

const N: usize = 50;

/// Kernel values of 50 places and 50 targets.
fn problem(width: f64) -> (Matrix, Vec<f64>) {
    let x: Vec<f64> = (0..50).map(|i| f64::from(i) / 5.0 - 5.0).collect();
    let phi = Matrix::from_fn(N, N, |i, j| (-0.5 * ((x[i] - x[j]) / width).powi(2)).exp());
    let t = x.iter().enumerate().map(|(i, x)| 7.0 + (2.0 * x).sin() / (0.5 + x.abs()) + 0.05 * (12.9898 * i as f64).sin()).collect();
    (phi, t)
}

/// Columns and targets about their means.
struct Centred {
    columns: Matrix,
    rounding: Vec<f64>,
    targets: Vec<f64>,
}

impl Centred {
    fn of(phi: &Matrix, t: &[f64]) -> Centred {
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let columns: Vec<Vec<f64>> = (0..N).map(|m| phi.col(m)).collect();
        Centred {
            columns: Matrix::from_fn(N, N, |m, i| columns[m][i] - mean(&columns[m])),
            rounding: columns.iter().map(|c| SPANNED * dot(c, c)).collect(),
            targets: t.iter().map(|v| v - mean(t)).collect(),
        }
    }
    fn columns(&self) -> Columns<'_> {
        Columns { values: &self.columns, rounding: &self.rounding }
    }
    fn numbers(&self) -> Numbers<'_> {
        let variance = dot(&self.targets, &self.targets) / N as f64;
        Numbers { targets: &self.targets, rows: 49.0, constant: -0.5 * 50f64.ln(), variance, least_noise: 1e-10 * variance }
    }
}

/// C of some columns with their alphas.
fn covariance(phi: &Matrix, columns: &[usize], alpha: &[f64], noise: f64) -> Cholesky {
    let among = |i: usize, j: usize| {
        let each = columns.iter().zip(alpha).map(|(&a, alpha)| phi[(i, a)] * phi[(j, a)] / alpha);
        each.sum::<f64>() + if i == j { noise } else { 0.0 }
    };
    Cholesky::new(Matrix::from_fn(N, N, among), &Control::default()).unwrap()
}

/// a'P b, P = C^-1 - C^-1 1 1'C^-1 / 1'C^-1 1.
fn between(c: &Cholesky, a: &[f64], b: &[f64]) -> f64 {
    let solve = |v: &[f64]| c.solve(&Matrix::column(v.to_vec()), &Control::default()).unwrap().into_data();
    let (ones, of_b) = (vec![1.0; N], solve(b));
    let of_ones = solve(&ones);
    dot(a, &of_b) - dot(a, &of_ones) * dot(&ones, &of_b) / dot(&ones, &of_ones)
}

/// log of the integral of N(t; b, C) over b.
fn direct(phi: &Matrix, t: &[f64], columns: &[usize], alpha: &[f64], noise: f64) -> f64 {
    let c = covariance(phi, columns, alpha, noise);
    let ones = Matrix::column(vec![1.0; N]);
    let common = dot(ones.data(), c.solve(&ones, &Control::default()).unwrap().data());
    -0.5 * (49.0 * std::f64::consts::TAU.ln() + c.log_det() + common.ln() + between(&c, t, t))
}

fn direct_of(state: &NumberSearch<'_>, phi: &Matrix, t: &[f64]) -> f64 {
    let alpha: Vec<f64> = state.x.iter().map(|x| 1.0 / x).collect();
    direct(phi, t, &state.active, &alpha, 1.0 / state.beta)
}

fn plan(starts: usize) -> Plan<'static> {
    Plan { first: &[], most: usize::MAX, starts, seed: 1 }
}

// Changes of one alpha, estimates of the noise and steps of all numbers together: each evidence is computed anew from N x N matrices.
// spec: M13
#[test]
fn no_step_lowers_the_evidence_and_each_adds_what_n_by_n_matrices_say() {
    let (phi, t) = problem(1.0);
    let (control, centred) = (Control::default(), Centred::of(&phi, &t));
    let mut state = NumberSearch::new(centred.columns(), centred.numbers(), &control).unwrap();
    let (mut before, mut kinds) = (direct_of(&state, &phi, &t), [0; 3]);
    for step in 0..60 {
        let change = state.best_change(true, None);
        let kind = match state.active.binary_search(&change.column) {
            Err(_) => 0,
            Ok(_) if change.x > 0.0 => 1,
            Ok(_) => 2,
        };
        kinds[kind] += 1;
        state.apply(change, &control).unwrap();
        let after = direct_of(&state, &phi, &t);
        let near = 1e-8 * after.abs().max(1.0);
        assert!(
            (after - before - change.gain).abs() <= near && (state.evidence - after).abs() <= near,
            "{step}: {before} {after} {}",
            change.gain
        );
        before = after;
        if step % 7 == 6 {
            let root = state.solve();
            state.estimate_noise(&root, &control).unwrap();
            let after = direct_of(&state, &phi, &t);
            assert!(after >= before - near && (state.evidence - after).abs() <= near, "noise, {step}: {before} {after}");
            before = after;
        }
        if step % 20 == 19 {
            state.settle(1, &control).unwrap();
            let after = direct_of(&state, &phi, &t);
            assert!(after >= before - near && (state.evidence - after).abs() <= near, "together, {step}: {before} {after}");
            before = after;
        }
    }
    assert!(kinds.iter().all(|k| *k > 0), "{kinds:?}");
    let found = numbers(centred.columns(), centred.numbers(), &plan(2), &control).unwrap();
    let whole = direct(&phi, &t, &found.columns, &found.alpha, found.noise);
    assert!((found.evidence - whole).abs() <= 1e-8 * whole.abs(), "{} {whole}", found.evidence);
    assert!(found.columns.len() > 2 && found.columns.len() < 20 && found.gain <= TOLERANCE);
}

// Every column that stays has its stationary alpha = s^2 / (q^2 - s), and none that is left out adds to the evidence, by N x N matrices.
// spec: M14
#[test]
fn columns_that_stay_are_stationary_and_those_that_are_left_out_add_nothing() {
    let (phi, t) = problem(1.0);
    let centred = Centred::of(&phi, &t);
    let found = numbers(centred.columns(), centred.numbers(), &plan(2), &Control::default()).unwrap();
    for m in 0..N {
        let others: Vec<(usize, f64)> = found.columns.iter().copied().zip(found.alpha.iter().copied()).filter(|(a, _)| *a != m).collect();
        let (columns, alpha): (Vec<usize>, Vec<f64>) = others.into_iter().unzip();
        let c = covariance(&phi, &columns, &alpha, found.noise);
        let column = phi.col(m);
        let (s, q) = (between(&c, &column, &column), between(&c, &column, &t));
        match found.columns.binary_search(&m) {
            Ok(k) => {
                let stationary = s * s / (q * q - s);
                assert!((found.alpha[k] / stationary - 1.0).abs() <= 1e-5, "{m}: {} {stationary}", found.alpha[k]);
            }
            Err(_) => assert!(gain_of(&[s], &[q], 0.0, best(&[s], &[q])) <= TOLERANCE, "{m}: {} {s}", q * q),
        }
    }
}

// Columns that are nearly parallel: a cubic with noise of standard deviation 0.05 beside its own of about 1 is found by their differences.
#[test]
fn wide_kernels_are_fitted_by_differences_of_columns() {
    for (width, share) in [(3.0, 0.02), (10.0, 0.02), (100.0, 1.0), (3000.0, 1.0)] {
        let (phi, noise) = problem(width);
        let place = |i: usize| i as f64 / 5.0 - 5.0;
        let t: Vec<f64> = (0..N).map(|i| place(i).powi(3) / 25.0 - place(i) + 0.05 * (noise[i] - 7.0)).collect();
        let centred = Centred::of(&phi, &t);
        let found = numbers(centred.columns(), centred.numbers(), &plan(2), &Control::default()).unwrap();
        let fitted = |i: usize| found.columns.iter().zip(found.weights.data()).map(|(&m, w)| w * centred.columns[(m, i)]).sum::<f64>();
        let left: f64 = (0..N).map(|i| (centred.targets[i] - fitted(i)).powi(2)).sum();
        let all = dot(&centred.targets, &centred.targets);
        assert!(left <= share * all * (1.0 + 1e-9), "{width}: {left} of {all}");
        let nothing = NumberSearch::new(centred.columns(), centred.numbers(), &Control::default()).unwrap();
        assert!(found.evidence >= nothing.evidence, "{width}");
    }
}
