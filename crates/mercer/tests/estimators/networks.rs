//! Networks of similarities with centroids, and machines that learn row by row, against algorithms written out.

use crate::problem;

use mercer::control::Control;
use mercer::data::{Dataset, Points, Target, TargetInfo};
use mercer::estimators::{
    Centroids, ClassWeight, Estimator, EstimatorExpr, FitContext, Fitted, FittedPerceptron, L2vm, Perceptron, Predicted, Query, RbfNetwork,
    RowOrder, Task, Vector, View, Want,
};
use mercer::gram::Dense;
use mercer::kernels::KernelExpr;
use mercer::learner::Learner;
use mercer::linalg::{Cholesky, Matrix, product, transposed_product_within};
use mercer::param::Value;
use mercer::solve::lms;
use mercer::testkit;
use problem::*;

fn network(lambda: f64, centroids: Centroids, count: f64) -> RbfNetwork {
    RbfNetwork { lambda: Value::Number(lambda), count: Value::Number(count), centroids, intercept: true, class_weight: ClassWeight::None }
}

fn classes(codes: &[usize], count: usize) -> Target {
    Target::Classes { codes: codes.to_vec(), names: (0..count).map(|k| format!("class {k}")).collect() }
}

fn codes(fitted: &impl Fitted, gram: &Dense) -> Vec<usize> {
    match fitted.predict(&Query::new(gram, Want::default(), &Control::default())).unwrap().values {
        Predicted::Classes(codes) => codes,
        Predicted::Numbers(_) => panic!("classes were expected"),
    }
}

/// Four clouds at the corners of a square, opposite corners of one class.
fn jittered_xor() -> (Matrix, Vec<usize>) {
    let noise = wave(80, 2, 3);
    let corner = |i: usize, d: usize| f64::from(u8::from((i % 4) >> d & 1 == 1));
    let x = Matrix::from_fn(80, 2, |i, d| corner(i, d) + 0.2 * noise[(i, d)]);
    (x, (0..80).map(|i| usize::from(corner(i, 0) != corner(i, 1))).collect())
}

fn narrow(x: &[f64], z: &[f64]) -> f64 {
    (-x.iter().zip(z).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 0.18).exp()
}

// spec: M02, M09
#[test]
fn four_centroids_solve_the_jittered_xor() {
    // Murphy 2012, fig. 14.2(c): 100% with four prototypes.
    let (x, y) = jittered_xor();
    let target = classes(&y, 2);
    for centroids in [Centroids::KMedoids, Centroids::KMeans, Centroids::Grid] {
        let fitted = fit(&network(0.01, centroids, 4.0), &square(&x, narrow), &target, None);
        let support = fitted.support();
        let mut corners: Vec<usize> = support.iter().map(|i| i % 4).collect();
        corners.sort_unstable();
        assert_eq!(corners, [0, 1, 2, 3], "a training row of each cloud: {centroids:?}");
        assert_eq!(fitted.expansion().coef.rows(), 4);
        assert_eq!(codes(&fitted, &cross(&x, &x.select_rows(support), narrow)), y, "{centroids:?}");
        assert!(fitted.summary().converged);
    }
    // One function of the columns alone does not.
    let lines = fit(&network(0.01, Centroids::KMedoids, 4.0), &square(&x, linear), &target, None);
    let found = codes(&lines, &cross(&x, &x.select_rows(lines.support()), linear));
    assert!(found.iter().zip(&y).filter(|(a, b)| a != b).count() > 10);
}

// spec: M09
#[test]
fn a_centre_of_k_means_is_taken_to_the_row_nearest_to_it() {
    let (x, _) = jittered_xor();
    let y = wave(80, 1, 9);
    let fitted = fit(&network(0.1, Centroids::KMeans, 4.0), &square(&x, linear), &Target::Numbers(y), None);
    // Of clouds so far apart the clusters are the clouds, and centres are their means.
    for &s in fitted.support() {
        let cloud: Vec<usize> = (0..80).filter(|i| i % 4 == s % 4).collect();
        let mean = |d: usize| cloud.iter().map(|&i| x[(i, d)]).sum::<f64>() / 20.0;
        let away = |i: usize| (x[(i, 0)] - mean(0)).powi(2) + (x[(i, 1)] - mean(1)).powi(2);
        assert!(cloud.iter().all(|&i| away(s) <= away(i)), "row {s}");
    }
}

// spec-part: M06 (any kernel, by rows; no tiling of coordinates, which estimators do not see)
#[test]
fn rows_spread_evenly_cover_all_within_their_distance_from_one_another() {
    let x = wave(60, 2, 5);
    let fitted = fit(&network(0.1, Centroids::Grid, 9.0), &square(&x, rbf), &Target::Numbers(wave(60, 1, 6)), None);
    let d = |i: usize, j: usize| 2.0 - 2.0 * rbf(x.row(i), x.row(j));
    let s = fitted.support();
    let within = s.iter().flat_map(|&i| s.iter().filter(move |j| **j != i).map(move |&j| d(i, j))).fold(f64::INFINITY, f64::min);
    let covered = (0..60).map(|i| s.iter().map(|&j| d(i, j)).fold(f64::INFINITY, f64::min)).fold(0.0, f64::max);
    assert_eq!(s.len(), 9);
    assert!(covered <= within, "Gonzalez 1985: {covered} and {within}");
}

// Rows stand for places in the space of inputs; how every start ended is reported.
// spec: M07
#[test]
fn centroids_that_are_optimised_fit_better_than_those_that_know_of_no_target_and_tell_how_every_start_ended() {
    let x = Matrix::from_fn(90, 1, |i, _| i as f64 / 9.0);
    let y: Vec<f64> = (0..90).map(|i| if i < 45 { 0.02 * (3.7 * i as f64).sin() } else { (i as f64 / 4.0).sin() }).collect();
    let (gram, target) = (square(&x, rbf), Target::Numbers(Matrix::column(y.clone())));
    let objective = |how: Centroids| {
        let fitted = fit(&network(0.05, how, 8.0), &gram, &target, None);
        let z = values(&x, &x.select_rows(fitted.support()), rbf);
        let (u, b) = (&fitted.expansion().coef, fitted.expansion().bias[0]);
        let f = product(&z, u).unwrap();
        let errors: f64 = (0..90).map(|i| (y[i] - f[(i, 0)] - b).powi(2)).sum();
        (fitted.summary().notes.clone(), 0.5 * errors + 0.025 * u.data().iter().map(|v| v * v).sum::<f64>())
    };
    let (notes, best) = objective(Centroids::Optimised);
    for how in [Centroids::KMedoids, Centroids::KMeans, Centroids::Grid] {
        let other = objective(how).1;
        assert!(best < 0.9 * other, "{how:?}: {best} {other}");
    }
    let told = notes.iter().find(|note| note.contains("no exchange of centroids pays")).unwrap();
    let ends: Vec<f64> = told.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
    assert_eq!(ends.len(), 4, "{told}");
    let least = ends.iter().copied().fold(f64::INFINITY, f64::min);
    assert!((least - best).abs() <= 1e-6, "{least} {best}");
    // They are local: not all starts need end alike, and none ends below the one that is taken.
    assert!(ends.iter().all(|end| *end >= least));
}

// spec: M04
#[test]
fn weights_of_numbers_solve_the_normal_equations() {
    let (x, y, weights) = (wave(40, 2, 1), wave(40, 2, 2), Matrix::from_fn(40, 1, |i, _| 0.5 + (i % 3) as f64));
    let target = Target::Numbers(y.clone());
    for centroids in [Centroids::KMedoids, Centroids::Optimised, Centroids::All] {
        let fitted = fit(&network(0.3, centroids, 6.0), &square(&x, rbf), &target, Some(weights.data()));
        let z = values(&x, &x.select_rows(fitted.support()), rbf);
        let (u, b) = (&fitted.expansion().coef, &fitted.expansion().bias);
        let f = product(&z, u).unwrap();
        // Z'W (y - f - b) = lambda u and 1'W (y - f - b) = 0.
        let r = Matrix::from_fn(40, 2, |i, o| weights[(i, 0)] * (y[(i, o)] - f[(i, o)] - b[o]));
        let g = transposed_product_within(&z, &r, &Control::default()).unwrap();
        close(&g, &Matrix::from_fn(u.rows(), 2, |j, o| 0.3 * u[(j, o)]), 1e-9);
        (0..2).for_each(|o| assert!((0..40).map(|i| r[(i, o)]).sum::<f64>().abs() < 1e-9));
    }
}

#[test]
fn the_gradient_of_classes_is_zero_and_the_order_of_rows_plays_no_part() {
    let x = wave(40, 2, 11);
    let y: Vec<usize> = (0..40).map(|i| usize::from(x[(i, 0)] * x[(i, 1)] + 0.2 * x[(i, 0)] > 0.0)).collect();
    let fitted = fit(&network(0.3, Centroids::KMedoids, 7.0), &square(&x, rbf), &classes(&y, 2), None);
    let z = values(&x, &x.select_rows(fitted.support()), rbf);
    let (u, b) = (&fitted.expansion().coef, fitted.expansion().bias[0]);
    let f = product(&z, u).unwrap();
    let r = Matrix::from_fn(40, 1, |i, _| 1.0 / (1.0 + (-f[(i, 0)] - b).exp()) - y[i] as f64);
    let g = transposed_product_within(&z, &r, &Control::default()).unwrap();
    (0..7).for_each(|j| assert!((g[(j, 0)] + 0.3 * u[(j, 0)]).abs() < 1e-8, "{}", g[(j, 0)]));
    assert!(r.data().iter().sum::<f64>().abs() < 1e-8);
    let order: Vec<usize> = (0..40).rev().collect();
    let turned_classes = classes(&order.iter().map(|&i| y[i]).collect::<Vec<_>>(), 2);
    let turned = fit(&network(0.3, Centroids::KMedoids, 7.0), &square(&x.select_rows(&order), rbf), &turned_classes, None);
    let back: Vec<usize> = turned.support().iter().rev().map(|i| 39 - i).collect();
    assert_eq!(back, fitted.support());
    (0..7).for_each(|j| assert!((turned.expansion().coef[(6 - j, 0)] - u[(j, 0)]).abs() < 1e-7));
}

// spec: M05
#[test]
fn with_every_row_a_centroid_it_is_the_l2_vector_machine() {
    let (x, y) = (wave(25, 2, 21), wave(25, 1, 22));
    let gram = square(&x, rbf);
    let l2vm = L2vm { lambda: Value::Number(0.2), intercept: true, class_weight: ClassWeight::None };
    for target in [Target::Numbers(y), classes(&(0..25).map(|i| i % 3).collect::<Vec<_>>(), 3)] {
        let (a, b) = (fit(&network(0.2, Centroids::All, 1.0), &gram, &target, None), fit(&l2vm, &gram, &target, None));
        assert_eq!(a.support(), (0..25).collect::<Vec<_>>());
        close(&a.expansion().coef, &b.expansion().coef, 1e-8);
    }
}

// spec: M01
#[test]
fn any_similarity_makes_features() {
    // Neither symmetric nor positive semi-definite.
    fn skewed(x: &[f64], z: &[f64]) -> f64 {
        (2.0 * linear(x, z) - 1.0).tanh() + 0.3 * x[0]
    }
    let (x, y) = (wave(30, 2, 31), wave(30, 1, 32));
    for centroids in [Centroids::All, Centroids::Grid, Centroids::KMeans, Centroids::KMedoids, Centroids::Optimised] {
        let model = RbfNetwork { intercept: false, ..network(0.2, centroids, 5.0) };
        let fitted =
            fit(&model, &Dense::cross(values(&x, &x, skewed), vec![0.0; 30], vec![0.0; 30]).unwrap(), &Target::Numbers(y.clone()), None);
        let z = values(&x, &x.select_rows(fitted.support()), skewed);
        let control = Control::default();
        let mut normal = transposed_product_within(&z, &z, &control).unwrap();
        normal.add_to_diagonal(&[0.2]);
        let right = transposed_product_within(&z, &y, &control).unwrap();
        close(&fitted.expansion().coef, &Cholesky::new(normal, &control).unwrap().solve(&right, &control).unwrap(), 1e-8);
    }
}

#[test]
fn too_many_centroids_are_refused_with_what_there_is() {
    let x = Matrix::from_fn(20, 1, |i, _| (i % 5) as f64);
    let (gram, target, control) = (square(&x, rbf), Target::Numbers(wave(20, 1, 1)), Control::default());
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 0 };
    let why = network(0.1, Centroids::KMedoids, 8.0).fit(&task).unwrap_err().to_string();
    assert!(why.contains("8 centroids") && why.contains("5 rows that differ") && why.contains("lower count"), "{why}");
}

const KERNEL: &str = "0.7*rbf(length_scale=1.3) + 0.4*matern(nu=1.5, length_scale=0.8)*equal";

#[test]
fn every_way_of_choosing_centroids_passes_the_conformance_kit() {
    let data = testkit::table(26, 17);
    for centroids in ["all", "grid", "k_means", "k_medoids"] {
        let network = EstimatorExpr::parse(&format!("rbf_network(centroids={centroids})")).unwrap();
        testkit::check_estimator_expr(&network, &KernelExpr::parse(KERNEL).unwrap(), &data).unwrap();
    }
}

#[test]
fn every_vector_of_the_perceptron_passes_the_conformance_kit() {
    let data = testkit::table(26, 17);
    for how in ["vector=averaged", "vector=voted", "vector=last", "budget=6", "intercept=false"] {
        let machine = EstimatorExpr::parse(&format!("perceptron({how})")).unwrap();
        testkit::check_estimator_expr(&machine, &KernelExpr::parse(KERNEL).unwrap(), &data).unwrap_or_else(|e| panic!("{how}: {e}"));
    }
}

fn machine(vector: Vector, passes: f64) -> Perceptron {
    Perceptron {
        vector,
        passes: Value::Number(passes),
        rate: Value::Number(0.3),
        intercept: false,
        order: RowOrder::Given,
        ..Perceptron::default()
    }
}

/// Rows whose first class lies on one side of a line, none nearer to it than a margin.
fn separated(margin: f64) -> (Matrix, Vec<usize>, f64) {
    let all = wave(400, 2, 51);
    let along = |i: usize| 0.6 * all[(i, 0)] - 0.8 * all[(i, 1)];
    let rows: Vec<usize> = (0..400).filter(|i| along(*i).abs() >= margin).collect();
    let least = rows.iter().map(|i| along(*i).abs()).fold(f64::INFINITY, f64::min);
    (all.select_rows(&rows), rows.iter().map(|i| usize::from(along(*i) > 0.0)).collect(), least)
}

// spec: M30
#[test]
fn a_perceptron_makes_no_more_mistakes_than_novikoff_allows_and_is_the_linear_one_for_a_linear_kernel() {
    for margin in [0.05, 0.2] {
        let (x, y, least) = separated(margin);
        let largest = (0..x.rows()).map(|i| linear(x.row(i), x.row(i))).fold(0.0, f64::max);
        for order in [RowOrder::Given, RowOrder::Drawn] {
            let fitted = fit(&Perceptron { order, ..machine(Vector::Last, 1e4) }, &square(&x, linear), &classes(&y, 2), None);
            let mistakes = fitted.mistakes() as f64;
            assert!(mistakes >= 1.0 && mistakes <= largest / least.powi(2), "{mistakes} of {}", largest / least.powi(2));
            assert_eq!(codes(&fitted, &cross(&x, &x.select_rows(fitted.support()), linear)), y);
        }
        // Rosenblatt's rule on the columns, in the same order.
        let (mut w, mut mistakes) = ([0.0, 0.0], 0);
        loop {
            let before = mistakes;
            for i in 0..x.rows() {
                let sign = if y[i] == 1 { 1.0 } else { -1.0 };
                if sign * linear(x.row(i), &w) <= 0.0 {
                    w.iter_mut().zip(x.row(i)).for_each(|(w, x)| *w += sign * x);
                    mistakes += 1;
                }
            }
            if mistakes == before {
                break;
            }
        }
        let fitted = fit(&machine(Vector::Last, 1e4), &square(&x, linear), &classes(&y, 2), None);
        assert_eq!(fitted.mistakes(), mistakes);
        let expansion = fitted.expansion().unwrap();
        let found = |d: usize| (0..expansion.support.len()).map(|s| expansion.coef[(s, 0)] * x[(expansion.support[s], d)]).sum::<f64>();
        (0..2).for_each(|d| assert!((found(d) - w[d]).abs() < 1e-10));
    }
}

/// Multi-class perceptron with a constant, vector by vector: scores of the mean and of votes.
fn by_hand(x: &Matrix, y: &[usize], count: usize, passes: usize) -> (Matrix, Matrix) {
    let n = x.rows();
    let mut coef = Matrix::zeros(n, count);
    let (mut sum, mut votes) = (Matrix::zeros(n, count), Matrix::zeros(n, count));
    let k = values(x, x, |a, b| rbf(a, b) + 1.0);
    for _ in 0..passes {
        for i in 0..n {
            let f = product(&k, &coef).unwrap();
            let other = (0..count).filter(|r| *r != y[i]).reduce(|a, b| if f[(i, b)] > f[(i, a)] { b } else { a }).unwrap();
            if f[(i, y[i])] <= f[(i, other)] {
                coef[(i, y[i])] += 1.0;
                coef[(i, other)] -= 1.0;
            }
            let f = product(&k, &coef).unwrap();
            let shares = 1.0 / (n * passes) as f64;
            for j in 0..n {
                (0..count).for_each(|c| sum[(j, c)] += shares * f[(j, c)]);
                let best = (1..count).fold(0, |a, b| if f[(j, b)] > f[(j, a)] { b } else { a });
                votes[(j, best)] += shares;
            }
        }
    }
    (sum, votes)
}

#[test]
fn means_and_votes_are_those_of_all_vectors_on_the_way() {
    let x = wave(18, 2, 61);
    let y: Vec<usize> = (0..18).map(|i| (i * 7) % 3).collect();
    let (mean, votes) = by_hand(&x, &y, 3, 2);
    let gram = square(&x, rbf);
    for (vector, expected) in [(Vector::Averaged, mean), (Vector::Voted, votes)] {
        let fitted = fit(&Perceptron { intercept: true, ..machine(vector, 2.0) }, &gram, &classes(&y, 3), None);
        let query = cross(&x, &x.select_rows(fitted.support()), rbf);
        let found = fitted.predict(&Query::new(&query, Want { scores: true, ..Want::default() }, &Control::default())).unwrap();
        close(&found.scores.unwrap(), &expected, 1e-10);
    }
}

// spec: F07
#[test]
fn numbers_take_the_steps_of_the_least_mean_squares_rule_in_the_same_order() {
    let (x, y) = (wave(30, 3, 71), wave(30, 1, 72));
    let order: Vec<usize> = (0..3).flat_map(|_| 0..30).collect();
    let theta = lms::stochastic(&x, y.data(), 0.3, &order).unwrap();
    let found = run(&machine(Vector::Averaged, 3.0), &x, &y, None, &x, linear);
    (0..30).for_each(|i| assert!((found[(i, 0)] - linear(x.row(i), &theta)).abs() < 1e-10));
    let beta = lms::kernel_stochastic(&values(&x, &x, rbf), y.data(), 0.3, &order).unwrap();
    let fitted = fit(&machine(Vector::Averaged, 3.0), &square(&x, rbf), &Target::Numbers(y), None);
    close(&fitted.expansion().unwrap().coef, &Matrix::column(beta), 1e-10);
}

/// One pass in pieces: the rows kept so far first, then those that come.
fn streamed(machine: &Perceptron, x: &Matrix, target: &Target, ends: &[usize]) -> (FittedPerceptron, Vec<usize>) {
    let control = Control::default();
    let mut rows: Vec<usize> = (0..ends[0]).collect();
    let gram = square(&x.select_rows(&rows), rbf);
    let mut fitted =
        machine.fit(&Task { view: View::Values(&gram), target: &target.select(&rows), weights: None, control: &control, seed: 0 }).unwrap();
    for pair in ends.windows(2) {
        let mut all: Vec<usize> = fitted.support().iter().map(|&s| rows[s]).collect();
        let known = all.len();
        all.extend(pair[0]..pair[1]);
        let gram = square(&x.select_rows(&all), rbf);
        let task = Task { view: View::Values(&gram), target: &target.select(&all), weights: None, control: &control, seed: 0 };
        fitted = machine.fit_with(&task, &FitContext::continuing(&fitted, known)).unwrap().fitted;
        rows = all;
    }
    let kept = fitted.support().iter().map(|&s| rows[s]).collect();
    (fitted, kept)
}

// spec: M30
#[test]
fn a_stream_in_pieces_is_the_stream_as_a_whole() {
    let x = wave(40, 2, 81);
    let two = classes(&(0..40).map(|i| usize::from(x[(i, 0)] > x[(i, 1)] * x[(i, 1)])).collect::<Vec<_>>(), 2);
    let three = classes(&(0..40).map(|i| (i * i) % 3).collect::<Vec<_>>(), 3);
    let new = wave(15, 2, 82);
    let said = |(fitted, kept): (FittedPerceptron, Vec<usize>)| {
        let query = cross(&new, &x.select_rows(&kept), rbf);
        fitted.predict(&Query::new(&query, Want { scores: true, ..Want::default() }, &Control::default())).unwrap()
    };
    for target in [two, three, Target::Numbers(wave(40, 2, 83))] {
        for (vector, budget) in [(Vector::Averaged, 0.0), (Vector::Voted, 0.0), (Vector::Last, 0.0), (Vector::Last, 7.0)] {
            let machine = Perceptron { intercept: true, budget: Value::Number(budget), ..machine(vector, 1.0) };
            let (whole, pieces) = (streamed(&machine, &x, &target, &[40]), streamed(&machine, &x, &target, &[5, 6, 25, 40]));
            if budget > 0.0 {
                assert!(whole.1.len() <= 7);
            }
            assert_eq!(whole.1, pieces.1);
            let (a, b) = (said(whole), said(pieces));
            match (a.scores, b.scores) {
                (Some(a), Some(b)) => close(&a, &b, 1e-10),
                _ => match (&a.values, &b.values) {
                    (Predicted::Numbers(a), Predicted::Numbers(b)) => close(a, b, 1e-10),
                    _ => panic!("scores were expected"),
                },
            }
        }
    }
}

#[test]
fn a_rate_too_large_is_an_error_that_says_so_and_a_batch_method_takes_no_stream() {
    let (x, y, control) = (wave(10, 2, 91), wave(10, 1, 92), Control::default());
    let (gram, target) = (square(&x, |a, b| 4.0 * rbf(a, b)), Target::Numbers(y));
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 0 };
    let why = Perceptron { rate: Value::Number(50.0), ..machine(Vector::Last, 500.0) }.fit(&task).unwrap_err().to_string();
    assert!(why.contains("rate=50") && why.contains("below 2 / k(x, x)"), "{why}");
    let whole = EstimatorExpr::from(network(0.1, Centroids::All, 1.0));
    let earlier = whole.fit(&task).unwrap();
    let why = whole.fit_with(&task, &FitContext::continuing(&earlier, 10)).err().unwrap().to_string();
    assert!(why.contains("perceptron takes rows as they come"), "{why}");
}

#[test]
fn a_perceptron_refuses_a_similarity_that_a_network_takes() {
    let x = wave(30, 3, 95);
    let data = Dataset::from_points(Points::dense(30, 3, x.data().to_vec()).unwrap());
    let target = classes(&(0..30).map(|i| i % 2).collect::<Vec<_>>(), 2);
    let info = TargetInfo { names: vec!["t".into()], classes: Some(vec!["class 0".into(), "class 1".into()]), labels: Default::default() };
    let fit = |estimator: &str| {
        let kernel = Some(KernelExpr::parse("sigmoid(gamma=1, offset=-2)").unwrap());
        let learner = Learner { kernel, ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) };
        learner.fit(&data, &target, &info, None, &Control::default())
    };
    let why = fit("perceptron").unwrap_err().to_string();
    assert!(why.contains("Mercer"), "{why}");
    assert!(fit("rbf_network(count=8, lambda=0.1)").unwrap().summary().converged);
}

#[test]
fn copies_among_many_rows_do_not_count_as_rows_that_differ() {
    // Twice the root of 2,500 rows, each of which is there twice, far from its copy in the order; and of 4,900 without copies.
    for (rows, differing, expected) in [(5000, 2500, 100.0), (4900, 4900, 140.0)] {
        let at = |i: usize, d: usize| ((i % differing) as f64 * [0.618, 0.755, 0.382][d] * 7.0).sin();
        let values: Vec<f64> = (0..rows).flat_map(|i| (0..3).map(move |d| at(i, d))).collect();
        let data = Dataset::from_points(Points::dense(rows, 3, values).unwrap());
        let kernel = KernelExpr::parse("rbf(length_scale=0.5)").unwrap();
        let (gram, target) = (kernel.bind(None, &data).unwrap(), Target::numbers(&(0..rows).map(|i| at(i, 0)).collect::<Vec<_>>()));
        let task = Task { view: View::Values(gram.as_ref()), target: &target, weights: None, control: &Control::default(), seed: 0 };
        let settled = EstimatorExpr::parse("rbf_network(lambda=1)").unwrap().settle(&task).unwrap();
        let count = settled.values().into_iter().find(|own| own.path == "count").unwrap().value;
        assert_eq!(count.number(), expected, "{rows}");
    }
}
