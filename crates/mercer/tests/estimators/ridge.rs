//! Kernel ridge regression against its definition, its primal form and brute-force refits.

use crate::problem;

use mercer::control::Control;
use mercer::data::Target;
use mercer::error::Error;
use mercer::estimators::{Estimator, ExpansionFit, Fitted, Predicted, Query, Ridge, Task, View, Want};
use mercer::gram::Dense;
use mercer::linalg::{Cholesky, Matrix, product, product_transposed};
use mercer::param::Value;
use problem::*;

fn ridge(lambda: f64, intercept: bool) -> Ridge {
    Ridge { lambda: Value::Number(lambda), intercept, ..Ridge::default() }
}

/// A^-1 B for symmetric positive definite A, by the library's factor (tested on its own).
fn solve(a: Matrix, b: &Matrix) -> Matrix {
    Cholesky::new(a, &Control::default()).unwrap().solve(b, &Control::default()).unwrap()
}

// spec: F15, F17, M24, E2-02
#[test]
fn coefficients_solve_the_dual_system_and_are_scaled_residuals() {
    let (x, y) = (wave(30, 2, 1), wave(30, 2, 2));
    let k = square(&x, rbf);
    let fitted = fit(&ridge(0.3, false), &k, &Target::Numbers(y.clone()), None);
    let alpha = &fitted.expansion().coef;
    let f = predict(&fitted, &k);
    for i in 0..30 {
        for o in 0..2 {
            // lambda a + residual = 0 with the residual f - y.
            assert!((0.3 * alpha[(i, o)] + f[(i, o)] - y[(i, o)]).abs() <= 1e-12);
        }
    }
    let summary = fitted.summary();
    assert!(summary.converged && summary.certificate.as_ref().unwrap().value <= 1e-14);
}

// spec: F16, M25, E1-06, E2-01
#[test]
fn the_objective_equals_the_primal_one_and_is_stationary_and_least() {
    let (x, y) = (wave(20, 3, 3), wave(20, 1, 4));
    let (k, lambda) = (values(&x, &x, linear), 0.7);
    let fitted = fit(&ridge(lambda, false), &square(&x, linear), &Target::Numbers(y.clone()), None);
    let alpha = fitted.expansion().coef.clone();
    // J(a) = a'KKa/2 - a'Kt + t't/2 + lambda a'Ka/2, and J(w) at w = X'a.
    let dual = |a: &Matrix| {
        let ka = product(&k, a).unwrap();
        let d = |p: &Matrix, q: &Matrix| p.data().iter().zip(q.data()).map(|(x, y)| x * y).sum::<f64>();
        0.5 * d(&ka, &ka) - d(&ka, &y) + 0.5 * d(&y, &y) + 0.5 * lambda * d(a, &ka)
    };
    let w = product(&x.transpose(), &alpha).unwrap();
    let xw = product(&x, &w).unwrap();
    let primal = 0.5 * xw.data().iter().zip(y.data()).map(|(f, t)| (f - t).powi(2)).sum::<f64>()
        + 0.5 * lambda * w.data().iter().map(|v| v * v).sum::<f64>();
    let found = fitted.summary().objective.unwrap();
    assert!((found - primal).abs() <= 1e-12 && (found - dual(&alpha)).abs() <= 1e-12);
    // -K (y - K a) + lambda K a = 0; with the other sign of its first term (S1 6.3.2) it is not.
    let ka = product(&k, &alpha).unwrap();
    let slope = |sign: f64| product(&k, &Matrix::from_fn(20, 1, |i, _| sign * (y[(i, 0)] - ka[(i, 0)]) + lambda * alpha[(i, 0)])).unwrap();
    close(&slope(-1.0), &Matrix::zeros(20, 1), 1e-12);
    assert!(slope(1.0).data().iter().any(|g| g.abs() > 0.1));
    for i in 0..20 {
        let step = |by: f64| {
            let mut a = alpha.clone();
            a[(i, 0)] += by;
            dual(&a)
        };
        assert!(((step(1e-4) - step(-1e-4)) / 2e-4).abs() <= 1e-9, "gradient at the solution");
        assert!(step(0.1) >= found - 1e-12 && step(-0.1) >= found - 1e-12);
    }
}

// spec: F27, F29, M23, T04, E3-22
#[test]
fn with_a_linear_kernel_the_weights_are_those_of_primal_ridge_and_lie_in_the_span_of_the_rows() {
    // More columns than rows: most directions are outside the span.
    for (n, d) in [(40, 3), (5, 12)] {
        let (x, y) = (wave(n, d, 5), wave(n, 1, 6));
        let fitted = fit(&ridge(0.5, false), &square(&x, linear), &Target::Numbers(y.clone()), None);
        let w = product(&x.transpose(), &fitted.expansion().coef).unwrap();
        let mut moment = product(&x.transpose(), &x).unwrap();
        moment.add_to_diagonal(&[0.5]);
        let primal = solve(moment, &product(&x.transpose(), &y).unwrap());
        close(&w, &primal, 1e-13);
        if n < d {
            // What is left of the primal optimum after projection onto the rows: 0.
            let onto = solve(product_transposed(&x, &x).unwrap(), &product(&x, &primal).unwrap());
            close(&product(&x.transpose(), &onto).unwrap(), &primal, 1e-12);
        }
    }
}

// spec: M28
#[test]
fn a_shift_of_the_target_shifts_predictions_by_as_much() {
    let (x, y, new) = (wave(25, 2, 7), wave(25, 2, 8), wave(9, 2, 9));
    let base = run(&ridge(0.1, true), &x, &y, None, &new, rbf);
    for c in [1.0, -256.0, 1e6] {
        let moved = Matrix::from_fn(25, 2, |i, o| y[(i, o)] + c);
        let shifted = run(&ridge(0.1, true), &x, &moved, None, &new, rbf);
        close(&shifted, &Matrix::from_fn(9, 2, |i, o| base[(i, o)] + c), 1e-13 * (1.0 + c.abs() * 10.0));
    }
    let fitted = fit(&ridge(0.1, true), &square(&x, rbf), &Target::Numbers(y), None);
    for o in 0..2 {
        assert!(fitted.expansion().coef.col(o).iter().sum::<f64>().abs() <= 1e-13);
    }
}

// spec: F17, M24, E1-07
#[test]
fn singular_gram_matrices_are_solved() {
    // Every row twice with different targets, and a linear kernel of rank 1.
    let half = wave(20, 1, 10);
    let x = Matrix::from_fn(40, 1, |i, _| half[(i / 2, 0)]);
    let y = wave(40, 1, 11);
    for (kernel, lambda) in [(rbf as Kernel, 1e-3), (linear as Kernel, 1e-3), (linear as Kernel, 1e-6)] {
        for intercept in [false, true] {
            let fitted = fit(&ridge(lambda, intercept), &square(&x, kernel), &Target::Numbers(y.clone()), None);
            let summary = fitted.summary();
            assert!(summary.converged, "{summary:?}");
            // Gradient of the objective: K((K + lambda I) a - r) = 0.
            let f = predict(&fitted, &square(&x, kernel));
            let rest = Matrix::from_fn(40, 1, |i, _| f[(i, 0)] - y[(i, 0)] + lambda * fitted.expansion().coef[(i, 0)]);
            close(&product(&values(&x, &x, kernel), &rest).unwrap(), &Matrix::zeros(40, 1), 1e-8);
        }
    }
}

// spec: M24
#[test]
fn the_limits_of_lambda_and_of_the_width_are_interpolation_and_the_mean() {
    let (x, y) = (wave(12, 2, 12), wave(12, 1, 13));
    let mean = y.data().iter().sum::<f64>() / 12.0;
    let control = Control::default();
    let target = Target::Numbers(y.clone());
    // f - y = -lambda alpha, and alpha stays bounded for K > 0.
    close(&run(&ridge(1e-12, true), &x, &y, None, &x, rbf), &y, 1e-5);
    close(&run(&ridge(1e12, true), &x, &y, None, &x, rbf), &Matrix::column(vec![mean; 12]), 1e-9);
    // K = I as the width goes to 0, K = 11' as it goes to infinity.
    let narrow = mercer::gram::Dense::square(Matrix::from_fn(12, 12, |i, j| f64::from(u8::from(i == j)))).unwrap();
    let f = predict(&fit(&ridge(0.5, false), &narrow, &target, None), &narrow);
    close(&f, &Matrix::from_fn(12, 1, |i, _| y[(i, 0)] / 1.5), 1e-14);
    let wide = mercer::gram::Dense::square(Matrix::from_fn(12, 12, |_, _| 1.0)).unwrap();
    let f = predict(&fit(&ridge(0.5, false), &wide, &target, None), &wide);
    close(&f, &Matrix::column(vec![mean * 12.0 / 12.5; 12]), 1e-13);
    assert!(
        (Ridge::default()
            .start("lambda", &Task { view: View::Values(&wide), target: &target, weights: None, control: &control, seed: 0 })
            .unwrap()
            - 0.1)
            .abs()
            <= 1e-15
    );
}

#[test]
fn a_row_of_weight_two_is_a_row_that_stands_twice() {
    let (x, y, new) = (wave(15, 2, 14), wave(15, 2, 15), wave(6, 2, 16));
    let weights: Vec<f64> = (0..15).map(|i| 1.0 + f64::from(i % 3)).collect();
    let rows: Vec<usize> = (0..15).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    for intercept in [false, true] {
        let e = ridge(0.2, intercept);
        let weighted = run(&e, &x, &y, Some(&weights), &new, rbf);
        let repeated = run(&e, &x.select_rows(&rows), &y.select_rows(&rows), None, &new, rbf);
        close(&weighted, &repeated, 1e-11);
        let objective = |x: &Matrix, y: &Matrix, w: Option<&[f64]>| {
            fit(&e, &square(x, rbf), &Target::Numbers(y.clone()), w).summary().objective.unwrap()
        };
        let (one, other) = (objective(&x, &y, Some(&weights)), objective(&x.select_rows(&rows), &y.select_rows(&rows), None));
        assert!((one - other).abs() <= 1e-11);
    }
}

// asks: U-11
#[test]
fn leaving_one_out_equals_refits() {
    let (n, control) = (14, Control::default());
    let (x, y) = (wave(n, 2, 17), wave(n, 2, 18));
    let weights: Vec<f64> = (0..n).map(|i| 0.5 + i as f64 / 5.0).collect();
    for w in [None, Some(weights.as_slice())] {
        for intercept in [false, true] {
            let e = ridge(0.15, intercept);
            let (gram, target) = (square(&x, rbf), Target::Numbers(y.clone()));
            let found = e
                .leave_one_out(&Task { view: View::Values(&gram), target: &target, weights: w, control: &control, seed: 0 })
                .unwrap()
                .unwrap();
            for i in 0..n {
                let rest: Vec<usize> = (0..n).filter(|&k| k != i).collect();
                let kept: Option<Vec<f64>> = w.map(|w| rest.iter().map(|&k| w[k]).collect());
                let refit = run(&e, &x.select_rows(&rest), &y.select_rows(&rest), kept.as_deref(), &x.select_rows(&[i]), rbf);
                close(&numbers(&found).select_rows(&[i]), &refit, 1e-9);
            }
        }
    }
}

#[test]
fn the_criterion_is_the_leave_one_out_error_and_its_derivatives_are_those_of_differences() {
    let (n, control) = (9, Control::default());
    let (x, y) = (wave(n, 2, 19), wave(n, 2, 20));
    let weights: Vec<f64> = (0..n).map(|i| 0.5 + i as f64 / 5.0).collect();
    let (gram, target) = (square(&x, rbf), Target::Numbers(y.clone()));
    for w in [None, Some(weights.as_slice())] {
        for intercept in [false, true] {
            let at = |lambda: f64| {
                ridge(lambda, intercept)
                    .criterion(&Task { view: View::Values(&gram), target: &target, weights: w, control: &control, seed: 0 })
                    .unwrap()
            };
            let e = ridge(0.15, intercept);
            let left = e
                .leave_one_out(&Task { view: View::Values(&gram), target: &target, weights: w, control: &control, seed: 0 })
                .unwrap()
                .unwrap();
            let of = |i: usize| w.map_or(1.0, |w| w[i]);
            let sum: f64 = (0..n).flat_map(|i| (0..2).map(move |o| (i, o))).map(|p| of(p.0) * (y[p] - numbers(&left)[p]).powi(2)).sum();
            let size = 2.0 * (0..n).map(of).sum::<f64>();
            let exact = at(0.15);
            assert!((exact.value - 0.5 * (sum / size).ln()).abs() <= 1e-12);
            let expected = (at(0.15 + 1e-5).value - at(0.15 - 1e-5).value) / 2e-5;
            assert_eq!(exact.own[0].0, "lambda");
            assert!((exact.own[0].1 - expected).abs() <= 1e-7 * (1.0 + expected.abs()));
            check_weights(&e, &values(&x, &x, rbf), &target, w, 1e-7);
        }
    }
}

#[test]
fn classes_are_decided_by_the_largest_score_and_two_by_the_sign() {
    let x = Matrix::from_fn(12, 1, |i, _| i as f64);
    for names in [vec!["a", "b"], vec!["a", "b", "c"]] {
        let size = 12 / names.len();
        let labels: Vec<&str> = (0..12).map(|i| names[i / size]).collect();
        let target = Target::classes(&labels);
        let fitted = fit(&ridge(0.01, true), &square(&x, rbf), &target, None);
        let p = fitted.predict(&Query::new(&square(&x, rbf), Want { scores: true, ..Want::default() }, &Control::default())).unwrap();
        let (codes, _) = target.as_classes("test").unwrap();
        assert_eq!(p.values, Predicted::Classes(codes.to_vec()));
        assert_eq!(p.scores.unwrap().cols(), if names.len() == 2 { 1 } else { 3 });
        assert!(p.probabilities.is_none());
    }
    let one = Target::classes(&["only"; 12]);
    let fitted = fit(&ridge(0.01, true), &square(&x, rbf), &one, None);
    assert_eq!(
        fitted.predict(&Query::new(&square(&x, rbf), Want::default(), &Control::default())).unwrap().values,
        Predicted::Classes(vec![0; 12])
    );
}

#[test]
fn a_constant_target_and_a_single_row_are_predicted_as_they_are() {
    let x = wave(10, 2, 21);
    let y = Matrix::column(vec![0.1; 10]);
    close(&run(&ridge(0.1, true), &x, &y, None, &x, rbf), &y, 1e-15);
    let fitted = fit(&ridge(0.1, true), &square(&x, rbf), &Target::Numbers(y), None);
    assert!(fitted.summary().converged);
    let (one, seven) = (wave(1, 2, 22), Matrix::column(vec![7.0]));
    close(&run(&ridge(0.1, true), &one, &seven, None, &x, rbf), &Matrix::column(vec![7.0; 10]), 1e-14);
}

#[test]
fn what_cannot_be_fitted_is_a_named_error() {
    let (x, control) = (wave(4, 1, 23), Control::default());
    let gram = square(&x, rbf);
    let attempt = |e: &Ridge, target: &Target, weights: Option<&[f64]>| {
        e.fit(&Task { view: View::Values(&gram), target, weights, control: &control, seed: 0 }).map(|_: ExpansionFit| ()).unwrap_err()
    };
    let fine = Target::numbers(&[1.0, 2.0, 3.0, 4.0]);
    assert!(attempt(&ridge(-1.0, true), &fine, None).to_string().contains("lambda=-1 is outside its domain: it must be 0 or above"));
    assert!(matches!(attempt(&Ridge::default(), &fine, None), Error::Unsettled { .. }));
    assert!(matches!(attempt(&ridge(f64::INFINITY, true), &fine, None), Error::OutOfDomain { .. }));
    assert!(matches!(attempt(&ridge(1.0, true), &Target::numbers(&[1.0]), None), Error::Shape { .. }));
    assert!(matches!(attempt(&ridge(1.0, true), &fine, Some(&[1.0])), Error::Shape { .. }));
    assert!(attempt(&ridge(1.0, true), &Target::numbers(&[1.0, f64::NAN, 3.0, 4.0]), None).to_string().contains("row 2"));
    assert!(matches!(attempt(&ridge(1.0, true), &Target::Absent { rows: 4 }, None), Error::Data(_)));
}

#[test]
fn a_stored_fit_predicts_the_same_bits_and_a_damaged_one_is_an_error() {
    let (x, y, new) = (wave(20, 2, 24), wave(20, 2, 25), wave(7, 2, 26));
    let fitted = fit(&ridge(0.1, true), &square(&x, rbf), &Target::Numbers(y), None);
    let (text, stored) = mercer::blocks::collect(|| serde_json::to_string(&fitted).unwrap());
    let back: ExpansionFit = mercer::blocks::supply(stored, || serde_json::from_str(&text)).unwrap();
    assert_eq!(back, fitted);
    assert_eq!(predict(&back, &cross(&new, &x, rbf)), predict(&fitted, &cross(&new, &x, rbf)));
    let damaged = serde_json::to_string(&fitted).unwrap().replacen("\"bias\":[", "\"bias\":[0.5,", 1);
    let damaged: ExpansionFit = serde_json::from_str(&damaged).unwrap();
    assert!(damaged.predict(&Query::new(&cross(&new, &x, rbf), Want::default(), &Control::default())).is_err());
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (x, y) = (wave(300, 2, 27), wave(300, 1, 28));
    let task = |threads| {
        mercer::control::with_threads(threads, || {
            let control = Control::default();
            let (gram, target) = (square(&x, rbf), Target::Numbers(y.clone()));
            let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 0 };
            let c = ridge(0.1, true).criterion(&task).unwrap();
            (ridge(0.1, true).fit(&task).unwrap(), c.value, c.weights, c.own)
        })
        .unwrap()
    };
    let one = task(1);
    assert!(one == task(2) && one == task(5));
}

// The path is the criterion, one lambda at a time, whether eigenvalues are few (a smooth kernel of one column, a linear
// kernel) or not, with weights, several outputs, with and without a constant.
#[test]
fn the_path_over_lambda_is_the_criterion_at_each_lambda() {
    let n = 60;
    let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 4) as f64).collect();
    let lambdas = [1e-4, 1e-2, 0.3, 1.0, 40.0];
    let (wide, narrow) = (wave(n, 1, 7), wave(n, 4, 8));
    let smooth = |x: &[f64], z: &[f64]| (-0.02 * x.iter().zip(z).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp();
    let y = wave(n, 2, 9);
    for gram in [square(&wide, smooth), square(&narrow, rbf), square(&wide, linear)] {
        for (intercept, weights) in [(true, None), (false, Some(weights.as_slice())), (true, Some(weights.as_slice()))] {
            let control = Control::default();
            let target = Target::Numbers(y.clone());
            let task = Task { view: View::Values(&gram), target: &target, weights, control: &control, seed: 0 };
            let path = ridge(1.0, intercept).criterion_along("lambda", &lambdas, &task).unwrap().unwrap();
            for (lambda, found) in lambdas.iter().zip(path) {
                let expected = ridge(*lambda, intercept).criterion(&task).unwrap().value;
                assert!((found - expected).abs() <= 1e-9, "lambda {lambda}: {found} and {expected}");
            }
            assert!(ridge(1.0, intercept).criterion_along("lambda", &[0.0], &task).unwrap().is_none());
        }
    }
}

/// Weighted least squares on three columns and, with a constant, ones, by their normal equations.
fn least_squares(x: &Matrix, y: &Matrix, w: &[f64], constant: bool) -> Matrix {
    let wide = Matrix::from_fn(x.rows(), 3 + usize::from(constant), |i, j| if j < 3 { x[(i, j)] } else { 1.0 });
    let weighted = Matrix::from_fn(wide.cols(), wide.rows(), |j, i| w[i] * wide[(i, j)]);
    product(&wide, &solve(product(&weighted, &wide).unwrap(), &product(&weighted, y).unwrap())).unwrap()
}

#[test]
fn without_a_penalty_a_singular_kernel_matrix_gives_least_squares_of_least_norm() {
    let (x, y) = (wave(30, 3, 1), wave(30, 2, 2));
    let weights: Vec<f64> = (0..30).map(|i| 0.5 + (i % 4) as f64).collect();
    let gram = square(&x, linear);
    let none = solve(product(&x.transpose(), &x).unwrap(), &x.transpose());
    for (intercept, weights) in [(false, None), (true, None), (false, Some(&weights)), (true, Some(&weights))] {
        let fitted = fit(&ridge(0.0, intercept), &gram, &Target::Numbers(y.clone()), weights.map(Vec::as_slice));
        let w = weights.cloned().unwrap_or_else(|| vec![1.0; 30]);
        let f = predict(&fitted, &gram);
        close(&f, &least_squares(&x, &y, &w, intercept), 1e-12);
        // The limit of small penalties, at new rows too: they change it by about lambda over the least eigenvalue.
        let new = wave(5, 3, 9);
        let near = fit(&ridge(1e-6, intercept), &gram, &Target::Numbers(y.clone()), weights.map(Vec::as_slice));
        let across = cross(&new, &x, linear);
        close(&predict(&fitted, &across), &predict(&near, &across), 1e-6);
        // Of least norm: W^(-1/2) alpha has no part that K takes to 0; without weights and constant alpha = X (X'X)^-1 X' alpha.
        let alpha = &fitted.expansion().coef;
        if weights.is_none() && !intercept {
            close(&product(&x, &product(&none, alpha).unwrap()).unwrap(), alpha, 1e-12);
        }
        for o in 0..2 {
            let sum: f64 = alpha.col(o).iter().sum();
            assert!(!intercept || sum.abs() <= 1e-12, "{sum}");
        }
        let summary = fitted.summary();
        let error = (0..30).map(|i| w[i] * (0..2).map(|o| (y[(i, o)] - f[(i, o)]).powi(2)).sum::<f64>()).sum::<f64>();
        assert!((summary.objective.unwrap() - 0.5 * error).abs() <= 1e-12);
        assert!(summary.converged && summary.certificate.as_ref().unwrap().value <= 1e-12);
        assert!(summary.notes[0].contains("rank 3 of 30"), "{}", summary.notes[0]);
    }
}

#[test]
fn without_a_penalty_a_regular_kernel_matrix_is_interpolated_and_a_zero_one_gives_the_mean() {
    let (x, y) = (wave(8, 2, 3), wave(8, 1, 4));
    let gram = square(&x, |x, z| (-x.iter().zip(z).map(|(a, b)| (a - b).abs()).sum::<f64>()).exp());
    let fitted = fit(&ridge(0.0, false), &gram, &Target::Numbers(y.clone()), None);
    close(&predict(&fitted, &gram), &y, 1e-12);
    assert_eq!(fitted.summary().certificate.as_ref().unwrap().name, "relative residual");
    let nothing = Dense::square(Matrix::zeros(8, 8)).unwrap();
    let mean = y.data().iter().sum::<f64>() / 8.0;
    let fitted = fit(&ridge(0.0, true), &nothing, &Target::Numbers(y), None);
    close(&predict(&fitted, &nothing), &Matrix::column(vec![mean; 8]), 1e-15);
}

#[test]
fn leaving_rows_out_without_a_penalty_needs_a_regular_kernel_matrix() {
    let (x, y, control) = (wave(12, 2, 5), wave(12, 1, 6), Control::default());
    let target = Target::Numbers(y);
    let (singular, regular) = (square(&x, linear), square(&x, |x, z| (-x.iter().zip(z).map(|(a, b)| (a - b).abs()).sum::<f64>()).exp()));
    let task = |gram| Task { view: View::Values(gram), target: &target, weights: None, control: &control, seed: 0 };
    let refused = ridge(0.0, false).leave_one_out(&task(&singular)).unwrap_err().to_string();
    assert!(refused.contains("penalty (lambda) above 0"), "{refused}");
    assert!(ridge(0.0, false).leave_one_out(&task(&regular)).unwrap().is_some());
}

// With coefficients of some 1e7 no numbers in f64 leave less than eps times that.
#[test]
fn a_nearly_singular_system_that_is_solved_to_its_rounding_has_converged() {
    use crate::made::{errors, points, rbf, square};
    let x = points(31, 120, 1);
    let y: Vec<f64> = x.iter().zip(errors(31, 120)).map(|(x, e)| x[0].sin() + e).collect();
    let gram = square(&x, |a, b| rbf(0.002)(a, b));
    let ridge = mercer::estimators::Ridge { lambda: 1e-7.into(), ..Default::default() };
    let gp = mercer::estimators::Gp { noise: 1e-7.into(), variance: 1.0.into(), ..Default::default() };
    let target = Target::numbers(&y);
    for summary in [
        crate::made::fit(&ridge, &gram, &target, None).unwrap().summary().clone(),
        crate::made::fit(&gp, &gram, &target, None).unwrap().summary().clone(),
    ] {
        let found = summary.certificate.clone().unwrap();
        assert!(summary.converged && found.value <= 1e-5 && found.tolerance <= 1e-4, "{summary:?}");
    }
}
