//! Probability product kernels against quadrature, sums over all strings, and formulas.

use crate::evaluated;

use evaluated::{matrix, near, points};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Points, RowWeights, Sets, Strings, Values};
use mercer::generative::{FittedGenerative, GenerativeExpr};
use mercer::kernels::KernelExpr;
use mercer::testkit;
use std::f64::consts::PI;

fn column(values: Values) -> Dataset {
    Dataset::new(vec![Column { name: "x".into(), values }]).unwrap()
}

fn sequences(rows: &[&str]) -> Dataset {
    column(Values::Sequences(Strings::new(rows.iter().copied())))
}

fn fit(text: &str, data: &Dataset) -> FittedGenerative {
    let model = GenerativeExpr::parse(text).unwrap().settle(data, RowWeights::default()).unwrap();
    model.fit(data, RowWeights::default(), 0, &Control::default()).unwrap()
}

fn refused(text: &str, data: &Dataset) -> String {
    KernelExpr::parse(text).unwrap().settle(data).and_then(|k| k.bind(None, data).map(|_| ())).unwrap_err().to_string()
}

// spec: K34, E3-10
#[test]
fn the_kernel_of_isotropic_gaussians_is_the_integral_of_their_product() {
    let kernel = |s: f64| format!("probability_product(gaussian(variance={}), normalised=false)", s * s);
    let found = matrix(&kernel(0.7), &points(&[&[0.2], &[1.1]]))[(0, 1)];
    near(found, 0.26657424383697, 5e-15);
    let density = |x: f64, m: f64, s: f64| (-(x - m).powi(2) / (2.0 * s * s)).exp() / (2.0 * PI * s * s).sqrt();
    // The trapezoid rule is exact to rounding for an analytic function that vanishes at both ends.
    let quadrature: f64 =
        (-2000..=2000).map(|k| f64::from(k) * 0.005).map(|x| density(x, 0.2, 0.7) * density(x, 1.1, 0.7)).sum::<f64>() * 0.005;
    near(found, quadrature, 1e-15);
    // (4 pi s^2)^(-D/2) exp(-|x - z|^2 / (4 s^2)), D = 3.
    let rows: [&[f64]; 2] = [&[0.3, -1.0, 2.0], &[1.0, 0.5, 1.5]];
    let expected = (4.0 * PI * 1.69f64).powf(-1.5) * (-(0.49 + 2.25 + 0.25) / (4.0 * 1.69f64)).exp();
    near(matrix(&kernel(1.3), &points(&rows))[(0, 1)], expected, 1e-16);
    near(matrix("probability_product(gaussian(variance=1.69))", &points(&rows))[(0, 1)], (-2.99f64 / 6.76).exp(), 1e-15);
}

#[test]
fn gaussians_of_any_covariance_and_power_have_the_value_of_quadrature() {
    let a = points(&[&[0.2, 1.0], &[1.7, 2.5], &[-0.4, 0.3], &[2.2, 0.9], &[-1.1, -0.7]]);
    let b = points(&[&[1.0, 0.1], &[0.4, 1.2], &[-0.9, 0.9], &[0.3, -1.4]]);
    for text in ["gaussian(covariance=full)", "gaussian", "gaussian(covariance=spherical)", "gaussian(variance=[0.8, 1.7])"] {
        let (p, q) = (fit(text, &a), fit(text, &b));
        let side: Vec<f64> = (-160..=160).map(|k| f64::from(k) * 0.1).collect();
        let grid = Points::dense(side.len().pow(2), 2, side.iter().flat_map(|x| side.iter().flat_map(|y| [*x, *y])).collect()).unwrap();
        let grid = Dataset::from_points(grid);
        let logs: Vec<f64> = p.log_densities(&grid).unwrap().iter().zip(q.log_densities(&grid).unwrap()).map(|(a, b)| a + b).collect();
        for rho in [0.5, 1.0, 1.7] {
            let quadrature: f64 = logs.iter().map(|log| (rho * log).exp()).sum::<f64>() * 0.01;
            near(p.log_product(&q, rho).unwrap(), quadrature.ln(), 1e-10);
            assert_eq!(p.log_product(&q, rho).unwrap(), q.log_product(&p, rho).unwrap());
        }
    }
}

/// Every string of letters a, b, c of a length.
fn all_strings(length: u32) -> Vec<String> {
    (0..3usize.pow(length)).map(|n| (0..length).map(|t| ['a', 'b', 'c'][n / 3usize.pow(t) % 3]).collect()).collect()
}

#[test]
fn markov_chains_have_the_value_of_the_sum_over_all_strings() {
    for order in [0, 1, 2] {
        let model = GenerativeExpr::parse(&format!("markov(order={order}, length=6, alphabet=text)")).unwrap();
        let rows = sequences(&["abcabbac", "ccacbb"]);
        let pooled = fit(&model.to_string(), &rows);
        let one = |i: usize| model.fit_like(&rows.select(&[i]), &pooled, 0, &Control::default()).unwrap();
        let (p, q) = (one(0), one(1));
        let strings = all_strings(6);
        let all = sequences(&strings.iter().map(String::as_str).collect::<Vec<_>>());
        let logs: Vec<f64> = p.log_densities(&all).unwrap().iter().zip(q.log_densities(&all).unwrap()).map(|(a, b)| a + b).collect();
        for rho in [0.5, 1.0, 2.5] {
            let sum: f64 = logs.iter().map(|log| (rho * log).exp()).sum();
            near(p.log_product(&q, rho).unwrap(), sum.ln(), 1e-12);
            let kernel = format!("probability_product(markov(order={order}, length=6, alphabet=text), rho={rho}, normalised=false)");
            near(matrix(&kernel, &rows)[(0, 1)], sum, 1e-12 * sum);
        }
    }
}

#[test]
fn multinomials_have_the_value_of_the_sum_over_all_counts() {
    let rows = points(&[&[3.0, 1.0, 0.0], &[0.0, 2.0, 5.0]]);
    let (p, q) = (fit("multinomial(trials=4)", &rows.select(&[0])), fit("multinomial(trials=4)", &rows.select(&[1])));
    let counts: Vec<f64> =
        (0..=4).flat_map(|a| (0..=4 - a).flat_map(move |b| [f64::from(a), f64::from(b), f64::from(4 - a - b)])).collect();
    let all = Dataset::from_points(Points::dense(15, 3, counts).unwrap());
    let logs: Vec<f64> = p.log_densities(&all).unwrap().iter().zip(q.log_densities(&all).unwrap()).map(|(a, b)| a + b).collect();
    for rho in [0.3, 0.5, 1.0, 2.0] {
        let sum: f64 = logs.iter().map(|log| (rho * log).exp()).sum();
        let kernel = format!("probability_product(multinomial(trials=4), rho={rho}, normalised=false)");
        near(matrix(&kernel, &rows)[(0, 1)], sum, 1e-13);
    }
    // Half of n draws and the rest: sum_k (n choose k)^2 / 4^n = (2n choose n) / 4^n, which is near (pi n)^(-1/2).
    let even = fit("multinomial(trials=1000)", &points(&[&[1.0, 1.0]]));
    let expected = log_binomial(2000, 1000) - 2000.0 * 2f64.ln();
    near(even.log_product(&even, 1.0).unwrap(), expected, 1e-10);
    let many = fit("multinomial(trials=500)", &Dataset::from_points(Points::dense(1, 3000, vec![1.0; 3000]).unwrap()));
    assert!(many.log_product(&many, 1.0).unwrap().is_finite());
}

/// ln of n! / (k! (n - k)!).
fn log_binomial(n: u32, k: u32) -> f64 {
    (1..=k).map(|i| (f64::from(n - k + i) / f64::from(i)).ln()).sum()
}

// spec: K33
#[test]
fn bhattacharyya_s_affinity_of_a_row_with_itself_is_1() {
    let numbers = points(&[&[3.0, 1.0, 0.0], &[0.0, 2.0, 5.0], &[7.0, 7.0, 1.0]]);
    let strings = sequences(&["GATTACA", "CATTAG", "A"]);
    for (text, data) in [
        ("gaussian(variance=0.3)", &numbers),
        ("gaussian(covariance=full)", &numbers),
        ("multinomial", &numbers),
        ("markov", &strings),
        ("markov(order=2, alphabet=dna)", &strings),
    ] {
        let k = matrix(&format!("probability_product({text}, rho=0.5, normalised=false)"), data);
        for i in 0..3 {
            near(k[(i, i)], 1.0, 1e-13);
            assert!((0..3).all(|j| k[(i, j)] > 0.0 && k[(i, j)] <= 1.0 + 1e-13));
        }
    }
}

// spec: K36
#[test]
fn one_symbol_or_one_point_is_enough_for_a_model() {
    let strings = sequences(&["A", "AAAA", "C", "GATTACA", ""]);
    for text in ["markov", "markov(order=3, alphabet=dna)", "markov(alphabet=protein)", "markov(order=0)", "markov(length=200000)"] {
        for rho in [0.5, 1.0] {
            let k = matrix(&format!("probability_product({text}, rho={rho})"), &strings);
            assert!(k.data().iter().all(|k| (0.0..=1.0).contains(k)), "{text}: {k:?}");
            assert!((0..5).all(|i| k[(i, i)] == 1.0));
        }
    }
    // The variance 8/3 of the points 1, 3 and 5 counts as one more point: (8/3 + 2) / 3 about 2, (8/3) / 2 about 5.
    let sets = column(Values::Sets(Sets::of_rows(&[vec![vec![1.0], vec![3.0]], vec![vec![5.0]]]).unwrap()));
    let found = matrix("probability_product(gaussian, datum=vectors, normalised=false)", &sets);
    let value = |variance: f64, square: f64| (-square / (2.0 * variance)).exp() / (2.0 * PI * variance).sqrt();
    near(found[(0, 1)], value(14.0 / 9.0 + 4.0 / 3.0, 9.0), 1e-15);
    near(found[(0, 0)], value(28.0 / 9.0, 0.0), 1e-15);
    near(found[(1, 1)], value(8.0 / 3.0, 0.0), 1e-15);
    let same = matrix("probability_product(gaussian(covariance=full), datum=vectors, normalised=false)", &sets);
    assert!(same.data().iter().zip(found.data()).all(|(a, b)| (a - b).abs() <= 1e-14));
}

#[test]
fn what_has_no_product_is_refused() {
    let counts = points(&[&[3.0, 1.0], &[0.0, 2.0]]);
    assert!(refused("probability_product(dirichlet_multinomial)", &counts).contains("no closed form of the integral"));
    let sets = column(Values::Sets(Sets::of_rows(&[vec![vec![1.0], vec![3.0]], vec![]]).unwrap()));
    let empty = refused("probability_product(gaussian, datum=vectors)", &sets);
    assert!(empty.contains("probability_product: row 2: ") && empty.contains("no row of positive weight"), "{empty}");
    assert!(KernelExpr::parse("probability_product(markov, rho=0)").unwrap_err().to_string().contains("above 0 and finite"));
}

#[test]
fn products_and_scores_of_models_pass_the_conformance_kit() {
    let table = testkit::table(20, 5);
    for text in [
        "probability_product(gaussian(variance=0.5))",
        "probability_product(gaussian(covariance=full), rho=0.5, normalised=false)",
        "probability_product(markov(order=2), rho=0.5)",
        "on(set, probability_product(gaussian, datum=vectors))",
        "on(series, probability_product(gaussian(covariance=spherical), datum=vectors))",
        "fisher(markov)",
        "fisher(markov(order=0, alphabet=dna), empirical)",
    ] {
        testkit::check_kernel_expr(&KernelExpr::parse(text).unwrap(), &table).unwrap_or_else(|why| panic!("{text}: {why}"));
    }
}
