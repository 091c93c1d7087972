//! The bounded minimiser on problems whose solutions are known.

use mercer::control::{CancelFlag, Control};
use mercer::error::{Error, Result};
use mercer::solve::Minimiser;

const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

#[allow(clippy::unnecessary_wraps, reason = "the shape of an objective")]
fn rosenbrock(x: &[f64]) -> Result<(f64, Vec<f64>)> {
    let mut value = 0.0;
    let mut gradient = vec![0.0; x.len()];
    for i in 0..x.len() - 1 {
        let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
        value += a * a + 100.0 * b * b;
        gradient[i] += -2.0 * a - 400.0 * x[i] * b;
        gradient[i + 1] += 200.0 * b;
    }
    Ok((value, gradient))
}

fn near(found: &[f64], expected: &[f64], tol: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tol, "{found:?}, expected {expected:?}");
    }
}

#[test]
fn rosenbrock_valleys_are_followed_to_their_end() {
    for (start, budget) in [(vec![-1.2, 1.0], 80), (vec![-1.2; 10], 200)] {
        let m = Minimiser::unbounded(start.len()).minimise(rosenbrock, &start, &Control::default()).unwrap();
        assert!(m.converged && m.evaluations <= budget, "{m:?}");
        near(&m.x, &vec![1.0; start.len()], 1e-5);
        assert!(m.at_bound.iter().all(|b| !b));
    }
}

#[test]
fn rosenbrock_in_a_box_ends_at_the_bound() {
    // With x1 <= 0.5 the best x2 is x1^2, so that f = (1 - x1)^2 is least at x1 = 0.5: (0.5, 0.25), f = 0.25.
    let m = Minimiser::new(vec![(-2.0, 0.5), FREE]).minimise(rosenbrock, &[-1.2, 1.0], &Control::default()).unwrap();
    near(&m.x, &[0.5, 0.25], 1e-6);
    assert!((m.value - 0.25).abs() <= 1e-10 && m.converged);
    assert_eq!(m.at_bound, [true, false]);
    // With 1.5 <= x1 both coordinates are pushed: x2 = x1^2 = 2.25.
    let m = Minimiser::new(vec![(1.5, 3.0), (-10.0, 10.0)]).minimise(rosenbrock, &[2.5, -3.0], &Control::default()).unwrap();
    near(&m.x, &[1.5, 2.25], 1e-6);
    assert_eq!(m.at_bound, [true, false]);
}

#[test]
fn a_bounded_quadratic_meets_its_optimality_conditions() {
    // f = x'Ax/2 - b'x with A = tridiagonal(-1, 2, -1).
    let n = 30;
    let f = |x: &[f64]| {
        let ax = |i: usize| 2.0 * x[i] - if i > 0 { x[i - 1] } else { 0.0 } - if i + 1 < n { x[i + 1] } else { 0.0 };
        let b = |i: usize| ((i * 7 % 11) as f64 - 5.0) / 3.0;
        let g: Vec<f64> = (0..n).map(|i| ax(i) - b(i)).collect();
        Ok(((0..n).map(|i| 0.5 * x[i] * ax(i) - b(i) * x[i]).sum(), g))
    };
    let solver = Minimiser { tolerance: 1e-9, decrease: 0.0, ..Minimiser::new(vec![(-0.4, 0.6); n]) };
    let m = solver.minimise(f, &vec![0.0; n], &Control::default()).unwrap();
    assert!(m.converged && m.gradient_norm <= 1e-9, "{m:?}");
    let (_, g) = f(&m.x).unwrap();
    let mut held = 0;
    for i in 0..n {
        let kind = if m.x[i] == -0.4 {
            g[i] >= 0.0
        } else if m.x[i] == 0.6 {
            g[i] <= 0.0
        } else {
            g[i].abs() <= 1e-8
        };
        assert!(kind, "coordinate {i}: {} {}", m.x[i], g[i]);
        assert_eq!(m.at_bound[i], m.x[i] == -0.4 || m.x[i] == 0.6);
        held += usize::from(m.at_bound[i]);
    }
    assert!(held > 3 && held < n);
}

#[test]
fn an_ill_conditioned_quadratic_is_solved() {
    // Curvatures from 1 to 1e6, optimum at i / 10.
    let f = |x: &[f64]| {
        let c = |i: usize| 10f64.powf(6.0 * i as f64 / 9.0);
        let g: Vec<f64> = (0..10).map(|i| c(i) * (x[i] - i as f64 / 10.0)).collect();
        Ok(((0..10).map(|i| 0.5 * g[i] * (x[i] - i as f64 / 10.0)).sum(), g))
    };
    // scipy 1.17 L-BFGS-B from the same start: 595 evaluations with 10 pairs, 88 with 20.
    for (memory, budget) in [(10, 900), (20, 140)] {
        let solver = Minimiser { memory, decrease: 0.0, max_iterations: 2000, ..Minimiser::unbounded(10) };
        let m = solver.minimise(f, &[1.0; 10], &Control::default()).unwrap();
        assert!(m.converged && m.evaluations <= budget, "{m:?}");
        near(&m.x, &(0..10).map(|i| f64::from(i) / 10.0).collect::<Vec<_>>(), 2e-6);
    }
}

#[test]
fn a_wall_of_values_that_are_not_finite_is_stepped_back_from() {
    // x - log x has its minimum at 1; beyond 0 the logarithm is not a number, beyond 50 the value is infinite.
    let f = |x: &[f64]| Ok((if x[0] > 50.0 { f64::INFINITY } else { x[0] - x[0].ln() }, vec![1.0 - 1.0 / x[0]]));
    for start in [1e-3, 0.3, 40.0] {
        let m = Minimiser::unbounded(1).minimise(f, &[start], &Control::default()).unwrap();
        near(&m.x, &[1.0], 1e-5);
        assert!(m.converged);
    }
    assert!(matches!(Minimiser::unbounded(1).minimise(f, &[-1.0], &Control::default()), Err(Error::Numerical { .. })));
}

#[test]
fn time_spent_gives_the_best_so_far_and_a_raised_flag_an_error() {
    let late = Control::default().with_seconds(0.0);
    let m = Minimiser::unbounded(2).minimise(rosenbrock, &[-1.2, 1.0], &late).unwrap();
    assert!(!m.converged && m.value <= rosenbrock(&[-1.2, 1.0]).unwrap().0);
    let cancel = CancelFlag::default();
    cancel.cancel();
    let stopped = Control { cancel, ..Control::default() };
    assert!(matches!(Minimiser::unbounded(2).minimise(rosenbrock, &[-1.2, 1.0], &stopped), Err(Error::Cancelled)));
}

#[test]
fn sizes_and_bounds_that_do_not_fit_are_named_errors() {
    let f = |_: &[f64]| Ok((0.0, vec![0.0]));
    assert!(Minimiser::unbounded(2).minimise(f, &[0.0], &Control::default()).is_err());
    assert!(Minimiser::new(vec![(1.0, 0.0)]).minimise(f, &[0.0], &Control::default()).is_err());
    assert!(Minimiser::unbounded(0).minimise(|_| Ok((1.0, vec![])), &[], &Control::default()).unwrap().converged);
    // A start at a bound that is the optimum needs no step.
    let m = Minimiser::new(vec![(0.0, 1.0)]).minimise(|x| Ok((x[0], vec![1.0])), &[-3.0], &Control::default()).unwrap();
    assert!(m.converged && m.iterations == 0 && m.x == [0.0] && m.at_bound == [true]);
}
