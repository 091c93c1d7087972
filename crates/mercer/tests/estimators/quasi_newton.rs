//! Steps with a whole matrix: Rosenbrock's valley, a box, curvature that is given, and curvature against the hill.

use mercer::control::Control;
use mercer::error::Result;
use mercer::linalg::Matrix;
use mercer::solve::{Ended, Minimiser, positive};

/// (1 - x)^2 + 100 (y - x^2)^2.
fn rosenbrock(x: &[f64]) -> Result<(f64, Vec<f64>)> {
    let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
    Ok((a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b]))
}

fn solver(bounds: Vec<(f64, f64)>) -> Minimiser {
    Minimiser { tolerance: 1e-9, decrease: 0.0, ..Minimiser::new(bounds) }
}

fn ended(solver: &Minimiser, f: impl Fn(&[f64]) -> Result<(f64, Vec<f64>)> + Copy, x: &[f64], curvature: Option<Matrix>) -> Ended {
    let at = solver.point(f, x).unwrap();
    solver.minimise_from(f, at, curvature, &Control::default()).unwrap()
}

#[test]
fn rosenbrocks_valley_is_followed_to_its_end() {
    let free = solver(vec![(f64::NEG_INFINITY, f64::INFINITY); 2]);
    let Ended { minimum: m, .. } = ended(&free, rosenbrock, &[-1.2, 1.0], None);
    assert!(m.converged && m.x.iter().all(|x| (x - 1.0).abs() < 1e-8), "{m:?}");
}

#[test]
fn in_a_box_the_least_value_is_on_its_side() {
    // Of x <= 0.5 the least is at y = x^2 there, by hand.
    let boxed = solver(vec![(-2.0, 0.5), (-2.0, 2.0)]);
    for start in [[-1.2, 1.0], [0.5, -2.0], [9.0, 9.0]] {
        let Ended { minimum: m, .. } = ended(&boxed, rosenbrock, &start, None);
        assert!(m.converged && m.at_bound == [true, false], "{m:?}");
        assert!((m.x[0] - 0.5).abs() < 1e-12 && (m.x[1] - 0.25).abs() < 1e-8, "{m:?}");
    }
}

/// x'A x / 2 - sum x with A = [[3, 1], [1, 2]]: least at A^-1 1 = (0.2, 0.4).
fn bowl(x: &[f64]) -> Result<(f64, Vec<f64>)> {
    let g = [3.0 * x[0] + x[1] - 1.0, x[0] + 2.0 * x[1] - 1.0];
    Ok((0.5 * ((g[0] - 1.0) * x[0] + (g[1] - 1.0) * x[1]), g.to_vec()))
}

#[test]
fn with_the_curvature_given_a_bowl_takes_one_step() {
    let curvature = Matrix::new(2, 2, vec![3.0, 1.0, 1.0, 2.0]).unwrap();
    let free = solver(vec![(f64::NEG_INFINITY, f64::INFINITY); 2]);
    let Ended { minimum: m, gradient, .. } = ended(&free, bowl, &[1.0, -1.0], Some(curvature));
    assert!(m.iterations == 1 && m.evaluations == 1 && (m.x[0] - 0.2).abs() < 1e-12 && (m.x[1] - 0.4).abs() < 1e-12, "{m:?}");
    assert!(gradient.iter().all(|g| g.abs() < 1e-12));
}

#[test]
fn curvature_against_the_hill_becomes_curvature_of_its_size() {
    let found = positive(&Matrix::new(2, 2, vec![0.0, 2.0, 2.0, 0.0]).unwrap()).unwrap();
    // Eigenvalues 2 and -2 become 2 and 2.
    let expected = Matrix::new(2, 2, vec![2.0, 0.0, 0.0, 2.0]).unwrap();
    assert!(found.data().iter().zip(expected.data()).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
}

// A value that knows 6 digits: no step lowers it where 1e-8 is left to gain.
#[test]
fn where_rounding_hides_what_is_left_to_gain_the_search_has_converged() {
    let rounded = |x: &[f64]| -> Result<(f64, Vec<f64>)> {
        let value = 3.0 + 0.5 * (x[0] - 0.7).powi(2) + 2.0 * (x[1] + 0.2).powi(2);
        Ok(((value * 1e6).ceil() / 1e6, vec![x[0] - 0.7 + 1e-4, 4.0 * (x[1] + 0.2)]))
    };
    let free = solver(vec![(f64::NEG_INFINITY, f64::INFINITY); 2]);
    let Ended { minimum: m, .. } = ended(&free, rounded, &[-1.0, 1.0], None);
    assert!(m.converged && (m.value - 3.0).abs() <= 1e-4, "{m:?}");
    // A slope that promises much and is not kept is no end.
    let wrong = |x: &[f64]| -> Result<(f64, Vec<f64>)> { Ok((x[0].abs(), vec![-1.0])) };
    let alone = solver(vec![(f64::NEG_INFINITY, f64::INFINITY)]);
    assert!(!ended(&alone, wrong, &[0.0], None).minimum.converged);
}
