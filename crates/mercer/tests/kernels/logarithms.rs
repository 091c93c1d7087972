//! Kernels known by their logarithms: values beyond the range of numbers, the order of inputs that are far apart, normalised forms, and
//! the error where a value exceeds every number.

use crate::evaluated::{matrix, near, points};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Series, Sets, Strings, Values};
use mercer::gram::{self, Block, Side};
use mercer::kernels::KernelExpr;

fn parse(text: &str) -> KernelExpr {
    KernelExpr::parse(text).unwrap()
}

/// Numbers that increase with the distance in feature space of the last row from the others.
fn apart(text: &str, data: &Dataset) -> Vec<f64> {
    let n = data.rows() - 1;
    let (known, new) = (data.select(&(0..n).collect::<Vec<_>>()), data.select(&[n]));
    let bound = parse(text).bind(Some(&new), &known).unwrap();
    let mut out = vec![0.0; n];
    bound.fill_distances(&[0], 0..n, Block::new(&mut out, 1, n));
    out
}

fn line(places: &[f64]) -> Dataset {
    Dataset::new(vec![Column { name: "x".into(), values: Values::Numbers(places.to_vec()) }]).unwrap()
}

// Each kernel falls with |x - z| alone: the order of its distances is that of the places, however small its values are.
#[test]
fn rows_are_ranked_by_what_a_kernel_falls_with_where_its_values_are_lost() {
    // From 0, in no order, and so far that every value is 0 or lost beside 1.
    let data = line(&[900.0, 700.0, 800.0, 300.0, 301.0, 0.0]);
    for text in [
        "rbf(length_scale=1)",
        "laplacian(length_scale=1)",
        "laplacian(length_scale=0.01)",
        "matern(nu=0.5, length_scale=1)",
        "matern(nu=2.5, length_scale=1)*laplacian(length_scale=0.3)",
        "matern(nu=1.2, length_scale=0.5)*matern(nu=3.5, length_scale=0.5)",
        "rational_quadratic(alpha=30, length_scale=0.01)*rbf(length_scale=2)",
        "0.3*laplacian(length_scale=1)",
        "laplacian(length_scale=1) + 4",
        "laplacian(length_scale=1) + 0.5*rbf(length_scale=3) + 2",
        "laplacian(length_scale=4)^3",
        "exp(negative_distance(power=1))",
        "normalise(exp(linear))",
        "normalise(exp(0.01*linear) * laplacian(length_scale=2))",
        "centre(laplacian(length_scale=1))",
        "0.1*white + laplacian(length_scale=1)",
        "on(x, laplacian(length_scale=1))",
    ] {
        let found = apart(text, &data);
        assert!(found[3] < found[4] && found[4] < found[1] && found[1] < found[2] && found[2] < found[0], "{text}: {found:?}");
        // Not by rounding.
        assert!(found[4] > found[3] * (1.0 + 1e-9), "{text}: {found:?}");
    }
    // (x - z)^2 / (x + z) from 1: 899^2 / 901 is more than 299^2 / 301.
    let found = apart("chi_squared(gamma=100)", &line(&[900.0, 700.0, 300.0, 301.0, 1.0]));
    assert!(found[2] < found[3] && found[3] < found[1] && found[1] < found[0], "{found:?}");
}

#[test]
fn structures_are_ranked_by_their_distance_where_values_are_lost() {
    let one = |values: Values| Dataset::new(vec![Column { name: "s".into(), values }]).unwrap();
    let strings = one(Values::Sequences(Strings::new(["aaaa", "bbbb", "abbb", "abab", "aaab"])));
    // Edit distances from aaab: 1, 3, 2, 1.
    let found = apart("edit(gamma=900)", &strings);
    assert!(found[0] == found[3] && found[0] < found[2] && found[2] < found[1], "{found:?}");
    let series: Vec<Vec<Vec<f64>>> =
        [[9.0, 9.5], [4.0, 4.0], [5.0, 4.0], [7.0, 7.0], [0.0, 0.0]].iter().map(|s| s.iter().map(|x| vec![*x]).collect()).collect();
    let series = one(Values::Series(Series::of_rows(&series).unwrap()));
    for text in ["dtw(gamma=50)", "dtw(gamma=50, window=1)"] {
        let found = apart(text, &series);
        assert!(found[1] < found[2] && found[2] < found[3] && found[3] < found[0], "{text}: {found:?}");
    }
    // Of one time each K = e / (2 - e); of constant series all alignments have one sum of squares for each pair of times.
    let found = apart("global_alignment(length_scale=0.1)", &series);
    assert!(found[1] < found[2] && found[2] < found[3] && found[3] < found[0], "{found:?}");
    let times: Vec<Vec<Vec<f64>>> = [0.0, 100.0, 1.0].iter().map(|x| vec![vec![*x]]).collect();
    let found = apart("global_alignment(length_scale=1)", &one(Values::Series(Series::of_rows(&times).unwrap())));
    for (found, square) in [(found[0], 1.0f64), (found[1], 99.0 * 99.0)] {
        let e = (-0.5 * square).exp();
        near(found, 0.5 * square + (2.0 - e).ln(), 1e-12 * square.max(10.0));
    }
    // Of sets of one vector each all kernels of sets are that of vectors; of two the nearest pair counts most.
    let sets: Vec<Vec<Vec<f64>>> = vec![vec![vec![90.0]], vec![vec![50.0], vec![80.0]], vec![vec![60.0], vec![60.0]], vec![vec![0.0]]];
    let sets = one(Values::Sets(Sets::of_rows(&sets).unwrap()));
    for text in [
        "normalise(set_mean(rbf(length_scale=1)))",
        "normalise(set_sum(laplacian(length_scale=1)))",
        "normalise(best_match(rbf(length_scale=1)))",
    ] {
        let found = apart(text, &sets);
        assert!(found[1] < found[2] && found[2] < found[0], "{text}: {found:?}");
    }
    assert!(apart("best_match(laplacian(length_scale=1))", &sets)[0] > 89.0 * 0.99);
}

/// exp(k(x, z) - (k(x, x) + k(z, z)) / 2): for linear and the rows (30, 0) and (28, 2) exp(840 - (900 + 788) / 2) = e^-4.
#[test]
fn normalised_exponentials_are_those_of_the_difference_of_logarithms() {
    let rows: [&[f64]; 4] = [&[30.0, 0.0], &[28.0, 2.0], &[0.0, 30.0], &[27.0, 9.0]];
    let data = points(&rows);
    let squares = |a: &[f64], b: &[f64]| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
    for (text, scale) in
        [("normalise(exp(linear))", 1.0), ("normalise(exp(linear)^3)", 3.0), ("normalise(1e300*exp(0.5*linear)*exp(linear))", 1.5)]
    {
        let k = matrix(text, &data);
        for (i, a) in rows.iter().enumerate() {
            assert_eq!(k[(i, i)], 1.0);
            for (j, b) in rows.iter().enumerate() {
                near(k[(i, j)], (-0.5 * scale * squares(a, b)).exp(), 1e-12);
            }
        }
    }
    near(matrix("normalise(exp(linear))", &data)[(0, 1)], (-4.0f64).exp(), 1e-14);
    // Values that are all 0 in the range of numbers: a product of densities of 300 columns.
    let wide: Vec<Vec<f64>> = (0..3).map(|i| (0..300).map(|c| 1e3 * (i as f64 + 0.1 * c as f64)).collect()).collect();
    let wide = points(&wide.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let model = "probability_product(gaussian(variance=1e4)";
    let (of_logs, own) = (matrix(&format!("normalise({model}, normalised=false))"), &wide), matrix(&format!("{model})"), &wide));
    for (a, b) in of_logs.data().iter().zip(own.data()) {
        near(*a, *b, 1e-12);
    }
    assert!(own[(0, 1)] < 1.0);
}

// (4 pi 1e4)^(-300 / 2) is 10^-765.
#[test]
fn values_below_every_number_are_an_error_and_no_zeros() {
    let wide: Vec<f64> = (0..300).map(f64::from).collect();
    for text in ["probability_product(gaussian(variance=1e4), normalised=false)", "(1e-9*rbf(length_scale=1))^60"] {
        let bound = parse(text).bind(None, &points(&[&wide, &wide])).unwrap();
        let why = gram::dense(bound.as_ref(), &Control::default()).unwrap_err().to_string();
        assert!(why.contains("row 1 with itself is 1e-") && why.contains("normalise(..)"), "{text}: {why}");
    }
    assert_eq!(matrix("0*rbf", &points(&[&wide])).data(), [0.0]);
}

#[test]
fn an_exponential_beyond_every_number_is_an_error() {
    let data = points(&[&[30.0, 0.0], &[28.0, 2.0], &[0.0, 30.0]]);
    let bound = parse("exp(linear)").bind(None, &data).unwrap();
    assert_eq!(bound.diagonal(Side::Rows), [f64::INFINITY; 3]);
    let why = gram::dense(bound.as_ref(), &Control::default()).unwrap_err().to_string();
    assert!(why.contains("rows 1 and 1 is inf"), "{why}");
    // e^709.5 is a number.
    let edge = 709.5f64.sqrt();
    let k = matrix("exp(linear)", &points(&[&[edge]]));
    assert!((k[(0, 0)] / (edge * edge).exp() - 1.0).abs() <= 1e-12, "{}", k[(0, 0)]);
}

// tanh(-0.95) and tanh(-0.75) are below 0: k(x, x) has no root.
#[test]
fn a_negative_self_similarity_is_named_where_it_is_to_be_normalised() {
    let data = points(&[&[1.0, 2.0], &[0.1, 0.2], &[0.0, 0.5]]);
    let why = parse("normalise(sigmoid(gamma=1, offset=-1))").bind(None, &data).err().unwrap().to_string();
    assert!(why.contains("row 2 with itself is -7.398e-1") && why.contains("normalise(clip(k))"), "{why}");
    // A mean row under a centred kernel is 0 but for rounding.
    let k = matrix("normalise(centre(rbf(length_scale=1)))", &points(&[&[-1.0], &[1.0], &[0.0]]));
    near(k[(0, 1)], k[(1, 0)], 0.0);
    assert_eq!((k[(0, 0)], k[(1, 1)]), (1.0, 1.0));
}
