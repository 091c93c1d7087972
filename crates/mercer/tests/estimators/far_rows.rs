//! New rows so far from the training rows that kernel values are lost, and what is said where only rounding makes neighbours equal.

use crate::made;

use made::{classes, fit, square};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Series, Strings, Target, Values};
use mercer::estimators::{EstimatorExpr, Fitted, Knn, Predicted, Predictions, Query, Want};
use mercer::gram::{Block, Dense, Gram};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::prep::Recipe;
use mercer::read::{Labels, TargetInfo};

const WANT: Want = Want { probabilities: false, variance: false, covariance: false, scores: true, by_class: false };

fn line(places: &[f64]) -> Dataset {
    Dataset::new(vec![Column { name: "x".into(), values: Values::Numbers(places.to_vec()) }]).unwrap()
}

fn none() -> TargetInfo {
    TargetInfo { names: Vec::new(), classes: None, labels: Labels::default() }
}

fn learn(estimator: &str, kernel: &str, data: &Dataset, target: &Target) -> Model {
    let info = if let Target::Absent { .. } = target { none() } else { TargetInfo::of(target) };
    let prep = Recipe { standardise: false, ..Recipe::default() };
    let kernel = Some(KernelExpr::parse(kernel).unwrap());
    let learner = Learner { kernel, prep, ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) };
    learner.fit(data, target, &info, None, &Control::default()).unwrap()
}

fn predicted(model: &Model, data: &Dataset) -> Predictions {
    model.predict(data, WANT, &Control::default()).unwrap()
}

fn codes(found: &Predictions) -> Vec<usize> {
    match &found.values {
        Predicted::Classes(codes) => codes.clone(),
        Predicted::Numbers(_) => panic!("classes"),
    }
}

// Rows around 0, 100 and 200, and new rows on either side of them: k is below 1e-300 with every training row.
#[test]
fn rows_far_away_are_of_the_class_or_cluster_that_is_least_far() {
    let data = line(&[-1.0, 0.0, 1.0, 99.0, 100.0, 101.0, 199.0, 200.0, 201.0]);
    let target = Target::classes(&["c", "c", "c", "b", "b", "b", "a", "a", "a"]);
    let new = line(&[-3000.0, 3000.0, 45.0, 145.0, 160.0]);
    for kernel in [
        "laplacian(length_scale=0.05)",
        "rbf(length_scale=0.3)*laplacian(length_scale=1)",
        "normalise(exp(linear))",
        "matern(nu=0.5, length_scale=0.01) + 2",
    ] {
        for estimator in ["knn(k=1)", "knn(k=3, weights=uniform)", "nearest_medoid"] {
            let found = predicted(&learn(estimator, kernel, &data, &target), &new);
            // Classes by name.
            assert_eq!(codes(&found), [2, 0, 2, 1, 0], "{estimator} under {kernel}");
            assert!(found.notices.is_empty(), "{:?}", found.notices);
        }
    }
    // Clusters are numbered by their first rows where they weigh the same.
    for (estimator, kernel) in
        [("k_medoids(clusters=3)", "laplacian(length_scale=5)"), ("spectral_clustering(clusters=3)", "laplacian(length_scale=5)")]
    {
        let model = learn(estimator, kernel, &data, &Target::Absent { rows: 9 });
        let own = codes(&predicted(&model, &data));
        let [left, middle, right] = [own[0], own[4], own[8]];
        assert!(left != middle && middle != right && left != right, "{estimator}: {own:?}");
        let far = codes(&predicted(&model, &line(&[-9000.0, 9000.0, 45.0, 155.0])));
        assert_eq!(far, [left, right, left, right], "{estimator}");
    }
}

// The edit distances to a, aaaa, b and bbbb of a^300, and those of warping to constant series.
#[test]
fn structures_far_away_have_the_neighbours_of_least_distance_in_a_comparison_too() {
    let long = |letter: &str, count: usize| letter.repeat(count);
    let one =
        |strings: Vec<String>| Dataset::new(vec![Column { name: "s".into(), values: Values::Sequences(Strings::new(strings)) }]).unwrap();
    let known: Vec<String> = (0..24).map(|i| long(["a", "b"][i % 2], 20 + i) + ["b", "a"][i % 2]).collect();
    let target = Target::classes(&(0..24).map(|i| ["second", "first"][i % 2]).collect::<Vec<_>>());
    let model = learn("knn(k=1)", "edit(gamma=0.5)", &one(known.clone()), &target);
    assert_eq!(codes(&predicted(&model, &one(vec![long("a", 300), long("b", 300)]))), [1, 0]);
    // A matrix of values, as several fits share, knows what its kernel knows: where values are lost, and where they are not.
    for gamma in ["30", "0.001", "1e-12"] {
        let gram = KernelExpr::parse(&format!("edit(gamma={gamma})")).unwrap().bind(None, &one(known.clone())).unwrap();
        let held = Dense::of(gram.as_ref(), &Control::default()).unwrap();
        let (rows, mut direct, mut shared) = ((0..24).collect::<Vec<_>>(), vec![0.0; 576], vec![0.0; 576]);
        gram.fill_distances(&rows, 0..24, Block::new(&mut direct, 24, 24));
        held.fill_distances(&rows, 0..24, Block::new(&mut shared, 24, 24));
        assert!(direct.iter().zip(&shared).all(|(a, b)| (a - b).abs() <= 1e-10 * a), "{gamma}");
    }
    let series = |values: &[f64]| {
        let rows: Vec<Vec<Vec<f64>>> = values.iter().map(|v| vec![vec![*v]; 5]).collect();
        Dataset::new(vec![Column { name: "s".into(), values: Values::Series(Series::of_rows(&rows).unwrap()) }]).unwrap()
    };
    let model = learn("knn(k=1)", "dtw(gamma=3)", &series(&[5.0, 0.0, 6.0, -1.0]), &Target::classes(&["up", "down", "up", "down"]));
    assert_eq!(codes(&predicted(&model, &series(&[40.0, -40.0, 2.6, 2.4]))), [1, 0, 1, 0]);
}

#[test]
fn neighbours_that_only_rounding_makes_equal_are_reported() {
    let x = [0.0f64, 1.0, 2.0, 3.0];
    let gram = square(&x, |a, b| (-40.0 * (a - b).powi(2)).exp());
    let fitted = fit(&Knn { k: 1.0.into(), ..Knn::default() }, &gram, &Target::classes(&["a", "b", "b", "b"]), None).unwrap();
    let cross = |places: &[f64]| {
        let values = Matrix::from_fn(places.len(), 4, |i, j| (-40.0 * (places[i] - x[j]).powi(2)).exp());
        Dense::cross(values, vec![1.0; places.len()], vec![1.0; 4]).unwrap()
    };
    let p = fitted.predict(&Query::new(&cross(&[0.1, 5.0, 2.1]), WANT, &Control::default())).unwrap();
    assert_eq!((classes(&p)[0], classes(&p)[2]), (0, 1));
    assert!(p.notices.len() == 1 && p.notices[0].rows == [1], "{:?}", p.notices);
    assert!(p.notices[0].to_string().starts_with("row 2: the nearest training rows tie by rounding"), "{}", p.notices[0]);
    // Neighbours that are equally near, and values that are all 0, are no rounding.
    let zero = Dense::cross(Matrix::zeros(1, 4), vec![1.0], vec![1.0; 4]).unwrap();
    for gram in [&cross(&[0.5]), &zero] {
        assert!(fitted.predict(&Query::new(gram, WANT, &Control::default())).unwrap().notices.is_empty());
    }
}

#[test]
fn clusters_of_rows_that_are_all_equally_far_say_so() {
    let data = line(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    for estimator in ["k_medoids(clusters=2)", "kernel_k_means(clusters=2)", "mds"] {
        let notes = |kernel: &str| learn(estimator, kernel, &data, &Target::Absent { rows: 6 }).summary().notes.join(" ");
        assert!(notes("rbf(length_scale=0.01)").contains("6 of 6 rows are equally far from all others"), "{estimator}");
        assert!(!notes("rbf(length_scale=2)").contains("equally far"), "{estimator}");
    }
}
