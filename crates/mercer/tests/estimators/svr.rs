//! Support vector regression against LIBSVM and its own optimality conditions.

use crate::made;

use made::*;
use mercer::control::Control;
use mercer::data::Target;
use mercer::estimators::{Estimator, ExpansionFit, FitContext, Fitted, Query, Svr, Task, View};
use mercer::gram::Dense;
use mercer::linalg::Matrix;
use mercer::param::Value;

fn svr(c: f64, epsilon: f64, tolerance: f64) -> Svr {
    Svr { c: c.into(), epsilon: epsilon.into(), standardise_target: false, tolerance: tolerance.into(), ..Svr::default() }
}

/// (set, N, D, c, gamma, epsilon, optimal objective, offset, support vectors) by scikit-learn 1.9.1 SVR (LIBSVM), tol=1e-10.
type Reference = (usize, usize, usize, f64, f64, f64, f64, f64, usize);

const LIBSVM: [Reference; 5] = [
    (10, 80, 2, 1.00, 1.0, 0.1, 9.089657125, 2.054726326, 48),
    (11, 150, 3, 10.00, 0.5, 0.05, 169.165216692, 1.532059045, 127),
    (12, 200, 2, 100.00, 1.0, 0.2, 223.725385120, 1.731444927, 71),
    (13, 120, 4, 0.50, 0.3, 0.0, 22.033637768, 1.975292272, 120),
    (14, 300, 1, 5.00, 4.0, 0.3, 1.059632309, 1.986020962, 7),
];

fn made_task(set: usize, n: usize, d: usize, gamma: f64) -> (Dense, Vec<f64>) {
    let (x, e) = (points(set, n, d), errors(set, n));
    let t = (0..n).map(|i| (3.0 * x[i][0]).sin() + 0.3 * e[i] + 2.0).collect();
    (square(&x, |a, b| rbf(gamma)(a, b)), t)
}

fn coefficients(fitted: &ExpansionFit, n: usize, output: usize) -> Vec<f64> {
    let mut all = vec![0.0; n];
    for (s, &r) in fitted.expansion.support.iter().enumerate() {
        all[r] = fitted.expansion.coef[(s, output)];
    }
    all
}

// spec: S04, S07, S10
#[test]
fn objective_offset_and_support_are_those_of_libsvm() {
    for (set, n, d, c, gamma, epsilon, objective, offset, support) in LIBSVM {
        let (gram, t) = made_task(set, n, d, gamma);
        let rough = fit(&svr(c, epsilon, 1e-3), &gram, &Target::numbers(&t), None).unwrap();
        assert!(rough.summary().converged);
        close(rough.summary().objective.unwrap() / objective, 1.0, 1.01e-3);
        let fine = fit(&svr(c, epsilon, 1e-9), &gram, &Target::numbers(&t), None).unwrap();
        assert!(fine.summary().converged, "set {set}: {:?}", fine.summary());
        close(fine.summary().objective.unwrap() / objective, 1.0, 1e-8);
        // LIBSVM keeps kernel rows in f32, and its offset shows that in proportion to c.
        close(fine.expansion.bias[0], offset, 1e-6 * c.max(1.0));
        assert_eq!(fine.support().len(), support, "set {set}");
    }
}

// spec: S05, S06, S08, S09, S10, E3-13, E4-09, E4-14
#[test]
fn optimality_conditions_hold_for_every_row() {
    for (set, n, d, c, gamma, epsilon, ..) in LIBSVM {
        let (gram, t) = made_task(set, n, d, gamma);
        let fitted = fit(&svr(c, epsilon, 1e-8), &gram, &Target::numbers(&t), None).unwrap();
        let b = coefficients(&fitted, n, 0);
        close(b.iter().sum::<f64>(), 0.0, 1e-10 * c);
        assert!(b.iter().any(|b| *b > 0.0) && b.iter().any(|b| *b < 0.0));
        let predicted = on_training(&fitted, &gram);
        let f = numbers(&predicted);
        let (mut loss, mut free) = (0.0, [0, 0]);
        for i in 0..n {
            let residual = t[i] - f[(i, 0)];
            loss += (residual.abs() - epsilon).max(0.0);
            if b[i] == 0.0 {
                assert!(residual.abs() <= epsilon + 1e-7, "set {set}, row {i}");
            } else if b[i].abs() == c {
                assert!(residual * b[i].signum() >= epsilon - 1e-7, "set {set}, row {i}");
            } else {
                // b = t - eps - sum for 0 < a < c, b = t + eps - sum for 0 < ahat < c: the same offset.
                close(residual * b[i].signum(), epsilon, 1e-7);
                free[usize::from(b[i] > 0.0)] += 1;
            }
        }
        assert!(free[0] > 0 && free[1] > 0, "set {set}: rows on either boundary");
        // a (eps + xi + y - t) = 0, ahat (eps + xihat - y + t) = 0, (c - a) xi = 0, (c - ahat) xihat = 0: an offset as
        // high as any row that may rise asks for, and one as low as any row that may fall.
        let (mut rise, mut fall) = (f64::NEG_INFINITY, f64::INFINITY);
        for i in 0..n {
            let v = t[i] - (f[(i, 0)] - fitted.expansion.bias[0]);
            // The halves a and -ahat of b: either may rise below its bound and fall above it.
            for (half, v, low, high) in [(b[i].max(0.0), v - epsilon, 0.0, c), (b[i].min(0.0), v + epsilon, -c, 0.0)] {
                rise = if half < high { rise.max(v) } else { rise };
                fall = if half > low { fall.min(v) } else { fall };
            }
        }
        let violation = fitted.summary().violation.unwrap();
        assert!((0.0..=1e-8).contains(&violation));
        close(violation, (rise - fall).max(0.0), 1e-11 * c.max(1.0));
        let k = gram.matrix();
        let norm: f64 = (0..n).map(|i| b[i] * dot(k.row(i), &b)).sum();
        close(c * loss + 0.5 * norm, fitted.summary().objective.unwrap(), 1e-6 * (c * loss + norm));
    }
}

#[test]
fn a_fit_that_starts_from_another_penalty_comes_to_the_same_answer_in_fewer_steps() {
    let (gram, t) = made_task(11, 150, 3, 0.5);
    let target = Target::numbers(&t);
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &Default::default(), seed: 1 };
    let with = |c: f64| Svr { standardise_target: true, ..svr(c, 0.1, 1e-6) };
    let earlier = with(5.0).fit(&task).unwrap();
    for c in [6.0, 4.0] {
        let (cold, warm) = (with(c).fit(&task).unwrap(), with(c).fit_with(&task, &FitContext::from_earlier(&earlier)).unwrap().fitted);
        assert!(warm.summary().converged && warm.summary().iterations < cold.summary().iterations);
        close(warm.summary().objective.unwrap() / cold.summary().objective.unwrap(), 1.0, 2e-6);
    }
}

#[test]
fn standardising_the_target_commutes_with_its_units() {
    let (gram, t) = made_task(11, 150, 3, 0.5);
    let estimator = Svr { c: 5.0.into(), epsilon: 0.1.into(), tolerance: 1e-8.into(), ..Svr::default() };
    let kelvin: Vec<f64> = t.iter().map(|t| 1000.0 * t + 273.15).collect();
    let a = fit(&estimator, &gram, &Target::numbers(&t), None).unwrap();
    let b = fit(&estimator, &gram, &Target::numbers(&kelvin), None).unwrap();
    let (pa, pb) = (on_training(&a, &gram), on_training(&b, &gram));
    for i in 0..t.len() {
        close(numbers(&pb)[(i, 0)], 1000.0 * numbers(&pa)[(i, 0)] + 273.15, 1e-3);
    }
    // By hand: the textbook problem on the centred and scaled target, taken back.
    let mean = t.iter().sum::<f64>() / 150.0;
    let sd = (t.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / 150.0).sqrt();
    let scaled: Vec<f64> = t.iter().map(|t| (t - mean) / sd).collect();
    let plain = fit(&svr(5.0, 0.1, 1e-8), &gram, &Target::numbers(&scaled), None).unwrap();
    let p = on_training(&plain, &gram);
    for i in 0..t.len() {
        close(numbers(&pa)[(i, 0)], mean + sd * numbers(&p)[(i, 0)], 1e-7);
    }
}

#[test]
fn several_target_columns_are_independent_problems() {
    let (gram, t) = made_task(10, 80, 2, 1.0);
    let other = errors(55, 80);
    let both = Target::Numbers(Matrix::from_fn(80, 2, |i, o| if o == 0 { t[i] } else { other[i] }));
    let joint = fit(&svr(1.0, 0.1, 1e-8), &gram, &both, None).unwrap();
    for (o, column) in [&t, &other].into_iter().enumerate() {
        let alone = fit(&svr(1.0, 0.1, 1e-8), &gram, &Target::numbers(column), None).unwrap();
        assert_eq!(coefficients(&joint, 80, o), coefficients(&alone, 80, 0));
    }
}

#[test]
fn weight_two_is_a_repeated_row() {
    let n = 60;
    let (x, e) = (points(13, n, 2), errors(13, n));
    let t: Vec<f64> = (0..n).map(|i| x[i][0] * 2.0 + e[i]).collect();
    let weights: Vec<f64> = (0..n).map(|i| (1 + i % 2) as f64).collect();
    let rows: Vec<usize> = (0..n).flat_map(|i| vec![i; 1 + i % 2]).collect();
    let estimator = Svr { standardise_target: true, ..svr(1.0, 0.2, 1e-9) };
    let target = Target::numbers(&t);
    let repeated: Rows = rows.iter().map(|&i| x[i].clone()).collect();
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    let a = fit(&estimator, &gram, &target, Some(&weights)).unwrap();
    let b = fit(&estimator, &square(&repeated, |a, b| rbf(1.0)(a, b)), &target.select(&rows), None).unwrap();
    let kernel = |a: &Vec<f64>, b: &Vec<f64>| rbf(1.0)(a, b);
    let pa = a.predict(&Query::new(&cross(&x, &x, a.support(), kernel), everything(), &Control::default())).unwrap();
    let pb = b.predict(&Query::new(&cross(&x, &repeated, b.support(), kernel), everything(), &Control::default())).unwrap();
    for i in 0..n {
        close(numbers(&pa)[(i, 0)], numbers(&pb)[(i, 0)], 1e-6);
    }
}

#[test]
fn a_constant_target_is_predicted_by_itself() {
    let (gram, _) = made_task(10, 80, 2, 1.0);
    for epsilon in [0.0, 0.1] {
        for standardise_target in [true, false] {
            let estimator = Svr { standardise_target, ..svr(1.0, epsilon, 1e-6) };
            let fitted = fit(&estimator, &gram, &Target::numbers(&[7.25; 80]), None).unwrap();
            assert!(fitted.summary().converged && fitted.support().is_empty());
            let nothing = Dense::cross(Matrix::zeros(3, 0), vec![1.0; 3], vec![]).unwrap();
            close(numbers(&fitted.predict(&Query::new(&nothing, everything(), &Control::default())).unwrap())[(2, 0)], 7.25, 1e-12);
        }
    }
}

#[test]
fn starts_are_in_the_units_of_the_problem() {
    let gram = square(&[0.0, 1.0, 2.0, 3.0], |a, b| a * b);
    let target = Target::numbers(&[0.0, 10.0, 20.0, 30.0]);
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &Default::default(), seed: 0 };
    close(Svr::default().start("epsilon", &task).unwrap(), 0.1, 0.0);
    // Standard deviation of 0, 10, 20, 30: the root of 125.
    close(Svr { standardise_target: false, ..Svr::default() }.start("epsilon", &task).unwrap(), 0.1 * 125f64.sqrt(), 1e-12);
    assert!(Svr { c: Value::Auto, ..svr(1.0, 0.1, 1e-3) }.fit(&task).is_err());
}
