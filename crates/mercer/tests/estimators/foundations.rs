//! Feature maps, the least mean squares rule, counting theorems, primal and dual: the foundations that kernels rest on.

use crate::made::Counted;
use mercer::control::Control;
use mercer::data::{Column, Dataset, Points, Strings, Target, Values};
use mercer::estimators::{Estimator, Fitted, Gp, Predicted, Query, Ridge, Svc, Task, View, Want};
use mercer::features::{
    Empirical, FeatureMap, GaussianSeries, Monomials, OrderedProducts, Tensor, binomial, monomials_up_to, separable_dichotomies,
};
use mercer::gram::{self, Dense, Gram, Mercer, Side};
use mercer::kernels::KernelExpr;
use mercer::linalg::{Matrix, eigh, product, product_transposed};
use mercer::param::Value;
use mercer::solve::lms;

fn wave(rows: usize, cols: usize, seed: usize) -> Matrix {
    Matrix::from_fn(rows, cols, |i, j| (1.0 + 1.7 * i as f64 + 0.9 * j as f64 * (1.0 + i as f64) + seed as f64).sin())
}

fn points(x: &Matrix) -> Dataset {
    Dataset::from_points(Points::dense(x.rows(), x.cols(), x.data().to_vec()).unwrap())
}

fn gram_of(kernel: &str, data: &Dataset) -> Matrix {
    gram::dense(KernelExpr::parse(kernel).unwrap().settle(data).unwrap().bind(None, data).unwrap().as_ref(), &Control::default()).unwrap()
}

fn same(a: &Matrix, b: &Matrix, tolerance: f64) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    for (x, y) in a.data().iter().zip(b.data()) {
        assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{x} and {y}");
    }
}

fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} and {b}");
}

const CUBIC: &str =
    "1 + polynomial(degree=1, gamma=1, offset=0) + polynomial(degree=1, gamma=1, offset=0)^2 + polynomial(degree=1, gamma=1, offset=0)^3";

// spec: F01
#[test]
fn a_cubic_is_linear_in_its_features() {
    let map = OrderedProducts { degrees: 0..=3 };
    let theta = [0.5, -2.0, 0.25, 3.0];
    for x in [-2.0, -0.3, 0.0, 1.0, 4.5] {
        let f: f64 = map.features(&[x]).iter().zip(theta).map(|(p, t)| p * t).sum();
        near(f, 0.5 - 2.0 * x + 0.25 * x * x + 3.0 * x * x * x, 1e-12 * (1.0 + x.abs().powi(3)));
    }
}

// spec: F02, F03
#[test]
fn ordered_products_are_many_and_their_inner_product_is_the_cubic_kernel() {
    let map = OrderedProducts { degrees: 0..=3 };
    for d in 0..=9 {
        assert_eq!(map.count(d as u64), Some(map.features(&vec![0.5; d]).len() as u128));
    }
    assert_eq!((map.count(3), map.count(1000)), (Some(40), Some(1_001_001_001)));
    assert_eq!(OrderedProducts { degrees: 60..=60 }.count(1000), None);
    for d in 1..=6 {
        let x = wave(7, d, 3);
        let phi = map.apply(&x);
        same(&gram_of(CUBIC, &points(&x)), &product_transposed(&phi, &phi).unwrap(), 1e-12);
    }
}

// spec: F10, F11, F12, F13, E1-08
#[test]
fn monomials_with_weights_give_every_polynomial_kernel() {
    for (degree, gamma, offset) in [(1, 1.0, 0.0), (2, 1.0, 1.0), (2, 0.5, 0.0), (3, 2.0, 0.7), (4, 0.3, 1.5), (5, 1.0, 0.0)] {
        for d in 1..=4 {
            let x = wave(6, d, 1);
            let map = Monomials { degree, gamma, offset };
            let phi = map.apply(&x);
            let (d64, k64) = (d as u64, u64::from(degree));
            let count = if offset > 0.0 { monomials_up_to(d64, k64) } else { binomial(d64 + k64 - 1, k64) };
            assert_eq!(Some(phi.cols() as u128), count);
            let kernel = format!("polynomial(degree={degree}, gamma={gamma}, offset={offset})");
            same(&gram_of(&kernel, &points(&x)), &product_transposed(&phi, &phi).unwrap(), 1e-12);
        }
    }
    let phi = Monomials { degree: 2, gamma: 1.0, offset: 1.0 }.features(&[3.0, 5.0]);
    let mut expected = [1.0, 18f64.sqrt(), 50f64.sqrt(), 9.0, 25.0, 2f64.sqrt() * 15.0];
    let mut found = phi.clone();
    expected.sort_by(f64::total_cmp);
    found.sort_by(f64::total_cmp);
    found.iter().zip(expected).for_each(|(a, b)| near(*a, b, 1e-12));
}

// spec: F14, E1-02
#[test]
fn the_table_of_dimensions_is_exact() {
    let known = [((10, 2), 66), ((10, 3), 286), ((10, 5), 3003), ((100, 2), 5151), ((100, 3), 176_851), ((100, 5), 96_560_646)];
    for ((n, d), count) in known {
        assert_eq!(monomials_up_to(n, d), Some(count), "C({n} + {d}, {d})");
    }
    // Features for each input column, as the source's last column has them.
    let ratio = |n: u64, d: u64| monomials_up_to(n, d).unwrap() as f64 / n as f64;
    for ((n, d), times) in [((10, 2), 6.6), ((10, 5), 300.3), ((100, 2), 51.51), ((100, 3), 1768.51), ((100, 5), 965_606.46)] {
        near(ratio(n, d), times, 1e-9);
    }
    assert_eq!(binomial(3, 5), None);
    assert_eq!(monomials_up_to(u64::MAX, 1), None);
}

// spec: F25
#[test]
fn a_product_of_kernels_has_the_products_of_features() {
    let x = wave(8, 3, 5);
    let (a, b) = (Monomials { degree: 2, gamma: 1.0, offset: 0.5 }, OrderedProducts { degrees: 1..=1 });
    let phi = Tensor(a, b).apply(&x);
    assert_eq!(phi.cols(), 10 * 3);
    let kernel = gram_of("polynomial(degree=2, gamma=1, offset=0.5)*linear", &points(&x));
    same(&kernel, &product_transposed(&phi, &phi).unwrap(), 1e-12);
}

// spec: F21, F23, E3-03, E3-04
#[test]
fn the_empirical_map_gives_the_gram_matrix_back_and_new_rows_their_kernel() {
    // Every row stands twice: a kernel that is positive definite has eigenvalues 0 all the same.
    let twice = wave(6, 2, 2).select_rows(&[0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]);
    let doubled = Dense::square(gram_of("laplacian(length_scale=0.8)", &points(&twice))).unwrap();
    let doubled = Empirical::new(&doubled, &Control::default()).unwrap();
    assert_eq!(doubled.features().cols(), 6);
    let x = wave(12, 2, 2);
    for (kernel, rank) in [("linear", Some(2)), ("rbf(length_scale=0.6)", None)] {
        let k = gram_of(kernel, &points(&x));
        let map = Empirical::new(&Dense::square(k.clone()).unwrap(), &Control::default()).unwrap();
        let phi = map.features();
        assert!(rank.is_none_or(|r| phi.cols() == r));
        same(&product_transposed(&phi, &phi).unwrap(), &k, 1e-10);
        same(&map.gram(), &k, 1e-10);
        // Turning first, stretching after: columns of U are orthonormal, and those of phi are sqrt(lambda) as long.
        let u = map.directions();
        same(&product(&u.transpose(), u).unwrap(), &Matrix::from_fn(phi.cols(), phi.cols(), |i, j| f64::from(i == j)), 1e-12);
        for (j, lambda) in map.values().iter().enumerate() {
            near(phi.col(j).iter().map(|v| v * v).sum(), *lambda, 1e-12 * (1.0 + lambda));
        }
        let again = map.features_of(&Dense::cross(k.clone(), k.diagonal(), k.diagonal()).unwrap(), &Control::default()).unwrap();
        same(&again, &phi, 1e-6);
    }
    assert!(Empirical::new(&Dense::square(Matrix::new(2, 2, vec![0.0, 1.0, 1.0, 0.0]).unwrap()).unwrap(), &Control::default()).is_err());
}

// spec: F32
#[test]
fn forty_terms_of_the_infinite_map_are_the_gaussian_kernel() {
    let map = GaussianSeries { terms: 41, length_scale: 1.0 };
    for x in [-2.0, -1.1, 0.0, 0.4, 2.0f64] {
        let phi = map.features(&[x]);
        near(phi.iter().map(|p| p * p).sum(), 1.0, 1e-12);
        for z in [-2.0, 0.3, 1.7] {
            let sum: f64 = phi.iter().zip(map.features(&[z])).map(|(p, q)| p * q).sum();
            near(sum, (-0.5 * (x - z) * (x - z)).exp(), 1e-12);
        }
    }
}

/// Features, targets and the Gram matrix of a small cubic problem.
fn cubic_problem() -> (Matrix, Vec<f64>, Matrix) {
    let x = Matrix::column(vec![-0.9, -0.35, 0.1, 0.62, 0.97]);
    let phi = OrderedProducts { degrees: 0..=3 }.apply(&x);
    let y = vec![0.3, -1.0, 0.8, 0.1, -0.4];
    let k = product_transposed(&phi, &phi).unwrap();
    (phi, y, k)
}

fn loss(phi: &Matrix, y: &[f64], theta: &[f64]) -> f64 {
    (0..y.len()).map(|i| (y[i] - phi.row(i).iter().zip(theta).map(|(p, t)| p * t).sum::<f64>()).powi(2)).sum()
}

// spec: F04
#[test]
fn batch_steps_below_the_limit_never_raise_the_loss() {
    let (phi, y, k) = cubic_problem();
    let (values, _) = eigh(k, &Control::default()).unwrap();
    let rate = 1.99 / values[values.len() - 1];
    let mut last = f64::INFINITY;
    for steps in 0..200 {
        let now = loss(&phi, &y, &lms::batch(&phi, &y, rate, steps).unwrap());
        assert!(now <= last * (1.0 + 1e-12), "{now} after {last}");
        last = now;
    }
    let far = lms::batch(&phi, &y, 2.05 / values[values.len() - 1], 2000).unwrap();
    assert!(loss(&phi, &y, &far) > last);
}

// spec: F05, F06, F07
#[test]
fn coefficients_of_rows_take_the_same_steps_as_weights_of_features() {
    let (phi, y, k) = cubic_problem();
    let (values, _) = eigh(k.clone(), &Control::default()).unwrap();
    let rate = 1.0 / values[values.len() - 1];
    let theta_of = |beta: &[f64]| product(&phi.transpose(), &Matrix::column(beta.to_vec())).unwrap().into_data();
    for steps in [0, 1, 2, 10, 100] {
        let beta = lms::kernel_batch(&k, &y, rate, steps).unwrap();
        let theta = lms::batch(&phi, &y, rate, steps).unwrap();
        theta_of(&beta).iter().zip(&theta).for_each(|(a, b)| near(*a, *b, 1e-10));
    }
    let order: Vec<usize> = (0..500).map(|t| (t * t + 3 * t) % 5).collect();
    let beta = lms::kernel_stochastic(&k, &y, 0.2, &order).unwrap();
    let theta = lms::stochastic(&phi, &y, 0.2, &order).unwrap();
    theta_of(&beta).iter().zip(&theta).for_each(|(a, b)| near(*a, *b, 1e-10));
}

// spec: F06, E0-02
#[test]
fn the_limit_interpolates_where_the_kernel_is_positive_definite_and_steps_too_long_diverge() {
    let x = Matrix::column(vec![0.0, 1.0, 2.5]);
    let k = gram_of("rbf(length_scale=0.5)", &points(&x));
    let y = [1.0, -2.0, 0.5];
    let (values, _) = eigh(k.clone(), &Control::default()).unwrap();
    let largest = values[2];
    // 0 < alpha < 2 / lambda_max, to one part in a hundred at the upper end.
    for rate in [0.05, 1.0, 1.99] {
        let beta = lms::kernel_batch(&k, &y, rate / largest, 4000).unwrap();
        let f = product(&k, &Matrix::column(beta)).unwrap();
        f.data().iter().zip(y).for_each(|(f, y)| near(*f, y, 1e-10));
    }
    for rate in [-0.01, 2.01] {
        let wild = lms::kernel_batch(&k, &y, rate / largest, 4000).unwrap();
        assert!(wild.iter().any(|b| b.abs() > 1e6));
    }
    assert!(lms::kernel_batch(&k, &y[..2], 0.1, 1).is_err());
}

/// Whether a line in the plane parts two classes: every line through two of the points, shifted either way, is tried.
fn separable(points: &[[f64; 2]], labels: &[bool]) -> bool {
    let same = |f: &dyn Fn(&[f64; 2]) -> f64| points.iter().zip(labels).all(|(p, l)| (f(p) > 0.0) == *l);
    if labels.iter().all(|l| *l) || labels.iter().all(|l| !*l) {
        return true;
    }
    (0..720).any(|k| {
        let (s, c) = (f64::from(k) * std::f64::consts::PI / 360.0).sin_cos();
        let mut along: Vec<f64> = points.iter().map(|p| c * p[0] + s * p[1]).collect();
        along.sort_by(f64::total_cmp);
        along.windows(2).any(|w| same(&|p: &[f64; 2]| c * p[0] + s * p[1] - 0.5 * (w[0] + w[1])))
    })
}

// spec: F30, E1-15
#[test]
fn covers_count_is_that_of_trying_every_labelling() {
    assert_eq!((separable_dichotomies(4, 2), separable_dichotomies(4, 3), separable_dichotomies(1, 2)), (Some(14), Some(16), Some(2)));
    assert_eq!(separable_dichotomies(0, 2), None);
    // Every labelling from n - 1 dimensions on, and not one dimension before.
    for n in 2..=100 {
        assert_eq!(separable_dichotomies(n, n - 1), Some(1 << n));
        assert!(separable_dichotomies(n, n - 2).unwrap() < 1 << n);
    }
    for points in [[[0.1, 0.0], [1.0, 0.2], [0.3, 1.1], [0.45, 0.4]], [[0.0, 0.0], [1.0, 0.1], [1.2, 1.0], [0.1, 0.9]]] {
        let count = (0..16).filter(|m| separable(&points, &[m & 1 > 0, m & 2 > 0, m & 4 > 0, m & 8 > 0])).count();
        assert_eq!(count, 14);
    }
}

// spec: F31, E1-01
#[test]
fn xor_is_parted_by_a_plane_after_the_lift_and_by_no_line_before() {
    let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let labels = [false, true, true, false];
    let column = |name: &str, j: usize| Column { name: name.into(), values: Values::Numbers(corners.map(|p| p[j]).to_vec()) };
    let data = Dataset::new(vec![column("a", 0), column("b", 1)]).unwrap();
    let target = Target::Classes { codes: labels.map(usize::from).to_vec(), names: vec!["no".into(), "yes".into()] };
    // The widest margin between the classes, and the classes that it gives.
    let fit = |kernel: &str| {
        let gram = Dense::square(gram_of(kernel, &data)).unwrap();
        let svc = Svc { c: 1e3.into(), tolerance: 1e-9.into(), ..Svc::default() };
        let fitted =
            svc.fit(&Task { view: View::Values(&gram), target: &target, weights: None, control: &Control::default(), seed: 0 }).unwrap();
        let some = gram.matrix().select_rows(&fitted.expansion.support).transpose();
        let cross = Dense::cross(some, vec![1.0; 4], vec![1.0; fitted.expansion.support.len()]).unwrap();
        let Predicted::Classes(found) = fitted.predict(&Query::new(&cross, Want::default(), &Control::default())).unwrap().values else {
            panic!("classes")
        };
        (fitted.expansion, found.iter().zip(labels).filter(|(f, l)| **f == usize::from(*l)).count())
    };
    // phi = (x1, x2, x1 x2), whose kernel is x1 z1 + x2 z2 + (x1 z1)(x2 z2). The plane is 2 z1 + 2 z2 - 4 z3 = 1.
    let (plane, right) = fit("linear + on(a, linear)*on(b, linear)");
    assert_eq!(right, 4);
    let weight = |phi: fn([f64; 2]) -> f64| plane.support.iter().enumerate().map(|(s, &i)| plane.coef[(s, 0)] * phi(corners[i])).sum();
    near(weight(|p| p[0]), 2.0, 1e-6);
    near(weight(|p| p[1]), 2.0, 1e-6);
    near(weight(|p| p[0] * p[1]), -4.0, 1e-6);
    near(plane.bias[0], -1.0, 1e-6);
    // The source's plane looks at z3 alone, which no threshold makes right.
    assert!(fit("on(a, linear)*on(b, linear)").1 <= 3);
    assert!(fit("linear").1 <= 3);
    assert!(!separable(&corners, &labels));
    // Three of four can be had.
    assert!(separable(&corners, &[false, true, true, true]));
}

// spec: F36, E3-31
#[test]
fn likeness_by_edit_distance_is_not_certified() {
    let strings = ["", "a", "b", "aa", "ab", "ba", "bb"];
    let data = Dataset::new(vec![Column { name: "s".into(), values: Values::Sequences(Strings::new(strings)) }]).unwrap();
    let expr = KernelExpr::parse("edit(gamma=0.1)").unwrap();
    assert!(matches!(expr.mercer(), Mercer::Never(_)));
    let found = gram::psd_check(&gram_of("edit(gamma=0.1)", &data), &Control::default()).unwrap();
    near(found.smallest, -0.2193, 5e-5);
    assert!(found.witness.is_some());
    let known = [("kitten", "sitting", 3), ("", "abc", 3), ("flaw", "lawn", 2), ("same", "same", 0), ("ß", "ss", 2)];
    for (a, b, distance) in known {
        let pair = Dataset::new(vec![Column { name: "s".into(), values: Values::Sequences(Strings::new([a, b])) }]).unwrap();
        near(gram_of("edit(gamma=0.1)", &pair)[(0, 1)], (-0.1 * f64::from(distance * distance)).exp(), 1e-14);
    }
}

// By the weights of five features, for which no kernel value is computed, or by the values of 2,000 rows; a kernel of endlessly many features
// has the values alone.
// spec: GP12
#[test]
fn a_process_of_few_features_is_that_of_their_weights_and_agrees_with_that_of_kernel_values() {
    let (n, d) = (2000, 4);
    let (data, new) = (points(&wave(n, d, 1)), points(&wave(9, d, 4)));
    let (target, control) = (Target::Numbers(wave(n, 1, 7)), Control::default());
    let kernel = KernelExpr::parse("2*linear + 3").unwrap();
    let bound = kernel.bind(None, &data).unwrap();
    let whole = Dense::of(bound.as_ref(), &control).unwrap();
    let gp = Gp { noise: Value::Number(0.3), variance: Value::Number(1.5), standardise_target: false, ..Gp::default() };
    let found = [(bound.as_ref() as &dyn Gram, true), (&whole, false)].map(|(gram, primal)| {
        let watched = Counted::of(gram);
        let fitted = gp.fit(&Task { view: View::Values(&watched), target: &target, weights: None, control: &control, seed: 0 }).unwrap();
        // Of a symmetric matrix half the values do.
        assert!(if primal { watched.asked() == 0 } else { watched.asked() >= n * n / 2 }, "{}", watched.asked());
        let cross = kernel.bind(Some(&new), &data.select(fitted.support())).unwrap();
        let want = Want { variance: true, ..Want::default() };
        let found = fitted.predict(&Query::new(cross.as_ref(), want, &control)).unwrap();
        let Predicted::Numbers(mean) = found.values else { panic!("numbers") };
        (mean, found.variance.unwrap(), fitted.summary().evidence.unwrap())
    });
    let [(mean, variance, evidence), dual] = found;
    same(&mean, &dual.0, 1e-8);
    same(&variance, &dual.1, 1e-8);
    near(evidence, dual.2, 1e-8 * dual.2.abs());
    let endless = KernelExpr::parse("rbf(length_scale=1)").unwrap().bind(None, &data).unwrap();
    assert!(endless.structure().dense_features(Side::Rows).is_none());
}

// spec: F37, T04, GP12
#[test]
fn with_few_features_no_kernel_value_is_computed_and_with_many_or_without_end_each_is_once() {
    let control = Control::default();
    for (n, d, kernel, primal) in [
        (60, 4, "linear", true),
        (200, 8, "linear", true),
        (60, 4, "2*linear + 3", true),
        (60, 4, "normalise(linear + 1)", true),
        (60, 4, "linear + rbf(length_scale=1)", false),
        (9, 60, "linear", false),
        (30, 30, "linear", false),
        (60, 4, "rbf(length_scale=1)", false),
    ] {
        let (x, y) = (wave(n, d, 1), wave(n, 1, 7));
        let data = points(&x);
        let bound = KernelExpr::parse(kernel).unwrap().bind(None, &data).unwrap();
        let watched = Counted::of(bound.as_ref());
        let (target, ridge) = (Target::Numbers(y.clone()), Ridge { lambda: Value::Number(0.3), intercept: false, ..Ridge::default() });
        let fitted = ridge.fit(&Task { view: View::Values(&watched), target: &target, weights: None, control: &control, seed: 0 }).unwrap();
        assert_eq!(watched.asked(), if primal { 0 } else { n * n }, "{kernel} of {n} rows of {d} columns");
        // Whichever side: alpha = (K + lambda I)^-1 y.
        let mut c = gram_of(kernel, &data);
        c.add_to_diagonal(&[0.3]);
        same(&product(&c, &fitted.expansion().coef).unwrap(), &y, 1e-8);
    }
}

#[test]
fn features_of_both_sides_multiply_to_the_kernel_values_through_sums_multiples_weights_and_selections() {
    let numbers = |name: &str, n: usize, k: f64| Column {
        name: name.into(),
        values: Values::Numbers((0..n).map(|i| (i as f64 * k).sin()).collect()),
    };
    let table = |n: usize, k: f64| Dataset::new(vec![numbers("a", n, k), numbers("b", n, 1.7 * k), numbers("w", n, 0.3 * k)]).unwrap();
    let (old, new) = (table(30, 0.9), table(7, 1.3));
    for kernel in
        ["linear", "2.5*linear + 3", "on(a, linear) + 0.5*on([b, w], linear)", "normalise(linear + 1)", "weighted(w, on(a, linear) + 1)"]
    {
        let expr = KernelExpr::parse(kernel).unwrap();
        for bound in [expr.bind(None, &old).unwrap(), expr.bind(Some(&new), &old).unwrap()] {
            let agree = |of: &dyn Gram| {
                let (rows, cols) = (of.structure().dense_features(Side::Rows).unwrap(), of.structure().dense_features(Side::Cols).unwrap());
                let found = product(&rows, &cols.transpose()).unwrap();
                same(&found, &gram::dense(of, &Control::default()).unwrap(), 1e-12);
            };
            agree(bound.as_ref());
            agree(&gram::Subset::new(bound.as_ref(), &[5, 0, 2], &[1, 11, 3, 7]));
        }
    }
    let none = |kernel: &str| KernelExpr::parse(kernel).unwrap().bind(None, &old).unwrap().structure().dense_features(Side::Rows).is_none();
    assert!(["rbf(length_scale=1)", "linear + white", "linear*linear", "exp(linear)"].into_iter().all(none));
}

#[test]
fn gathered_inputs_have_the_kernel_values_that_they_have_where_they_are() {
    let (n, dim) = (150, 3);
    let data = points(&Matrix::from_fn(n, dim, |i, j| ((i * dim + j) as f64 * 0.7).sin()));
    let whole = KernelExpr::parse("rbf(length_scale=0.8)").unwrap().bind(None, &data).unwrap();
    let order: Vec<usize> = (0..3).flat_map(|class| (0..n).filter(move |i| i % 3 == class)).collect();
    let (gathered, values) = (whole.gathered(&order).unwrap(), gram_of("rbf(length_scale=0.8)", &data));
    let found = gram::dense(gathered.as_ref(), &Control::default()).unwrap();
    assert_eq!(found, Matrix::from_fn(n, n, |i, j| values[(order[i], order[j])]));
    // Sparse points, of which a few rows of many columns are not worth it: (i, 7 i) and (i, 11 i + 1), of 400 columns.
    let (starts, columns) = ((0..=n).map(|i| 2 * i).collect(), (0..n).flat_map(|i| [(7 * i % 199) as u32, 200 + (11 * i % 199) as u32]));
    let columns: Vec<u32> = columns.collect();
    let numbers = (0..2 * n).map(|k| 1.0 + (k % 5) as f64).collect();
    let sparse = Dataset::from_points(Points::csr(n, 400, starts, columns, numbers).unwrap());
    let whole = KernelExpr::parse("linear").unwrap().bind(None, &sparse).unwrap();
    assert!(whole.gathered(&[3]).is_none());
    let some: Vec<usize> = (0..60).map(|k| (k * 37) % n).collect();
    let (gathered, values) = (whole.gathered(&some).unwrap(), gram::dense(whole.as_ref(), &Control::default()).unwrap());
    let found = gram::dense(gathered.as_ref(), &Control::default()).unwrap();
    assert_eq!(found, Matrix::from_fn(60, 60, |i, j| values[(some[i], some[j])]));
    // Compositions of what is laid out anew: each value is rewritten by the inputs that it belongs to.
    for kernel in ["3*linear + rbf(length_scale=2)", "normalise(linear) * rbf(length_scale=2)", "exp(0.1*normalise(linear + 1))"] {
        let whole = KernelExpr::parse(kernel).unwrap().bind(None, &data).unwrap();
        let (gathered, values) = (whole.gathered(&some).unwrap(), gram_of(kernel, &data));
        let found = gram::dense(gathered.as_ref(), &Control::default()).unwrap();
        same(&found, &Matrix::from_fn(60, 60, |i, j| values[(some[i], some[j])]), 1e-14);
    }
}

// spec: F37, M23, F29, T04
#[test]
fn the_primal_and_the_dual_of_linear_ridge_agree() {
    let (n, d) = (60, 4);
    let (x, y) = (wave(n, d, 1), wave(n, 2, 7));
    let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 4) as f64).collect();
    let target = Target::Numbers(y);
    let control = Control::default();
    let data = points(&x);
    let bound = KernelExpr::parse("linear").unwrap().bind(None, &data).unwrap();
    assert!(bound.structure().dense_features(Side::Rows).is_some_and(|z| z.cols() == d));
    let whole = Dense::of(bound.as_ref(), &control).unwrap();
    assert!(whole.structure().dense_features(Side::Rows).is_none());
    let new = points(&wave(9, d, 4));
    let cross = KernelExpr::parse("linear").unwrap().bind(Some(&new), &data).unwrap();
    for intercept in [false, true] {
        for w in [None, Some(weights.as_slice())] {
            for lambda in [1e-6, 0.3, 50.0] {
                let ridge = Ridge { lambda: Value::Number(lambda), intercept, ..Ridge::default() };
                let predict = |gram: &dyn Gram| {
                    let task = Task { view: View::Values(gram), target: &target, weights: w, control: &control, seed: 0 };
                    let fitted = ridge.fit(&task).unwrap();
                    assert!(fitted.summary().converged, "{:?}", fitted.summary());
                    let left_out = ridge.leave_one_out(&task).unwrap().unwrap();
                    (fitted.predict(&Query::new(cross.as_ref(), Want::default(), &Control::default())).unwrap(), left_out)
                };
                let ((a, la), (b, lb)) = (predict(bound.as_ref()), predict(&whole));
                for (a, b) in [(a, b), (la, lb)] {
                    let (Predicted::Numbers(a), Predicted::Numbers(b)) = (&a.values, &b.values) else { panic!("numbers") };
                    same(a, b, 1e-8);
                }
            }
        }
    }
}

// spec: E0-01
#[test]
fn one_coordinate_of_the_kernel_rule_reads_n_values_and_a_sweep_all_of_them() {
    const N: usize = 9;
    let k = gram_of("rbf(gamma=0.5)", &points(&wave(N, 2, 11)));
    let y: Vec<f64> = (0..N).map(|i| (i as f64).cos()).collect();
    let spoiled = |i: usize, j: usize| Matrix::from_fn(N, N, |r, c| if (r, c) == (i, j) { f64::NAN } else { k[(r, c)] });
    let cells = || (0..N).flat_map(|i| (0..N).map(move |j| (i, j)));
    // A value that is read and is not a number leaves none behind.
    let read = |rule: &dyn Fn(&Matrix) -> Vec<f64>| cells().filter(|&(i, j)| rule(&spoiled(i, j)).iter().any(|b| b.is_nan())).count();
    for at in [0, 4, N - 1] {
        let one = |k: &Matrix| lms::kernel_stochastic(k, &y, 0.3, &[at]).unwrap();
        assert_eq!(read(&one), N, "coordinate {at}");
        assert!(cells().all(|(i, j)| one(&spoiled(i, j)).iter().any(|b| b.is_nan()) == (i == at)), "the row of coordinate {at}");
    }
    assert_eq!(read(&|k| lms::kernel_batch(k, &y, 0.3, 1).unwrap()), N * N);
    // A sweep of single coordinates reads as many.
    let order: Vec<usize> = (0..N).collect();
    assert_eq!(read(&|k| lms::kernel_stochastic(k, &y, 0.3, &order).unwrap()), N * N);
}
