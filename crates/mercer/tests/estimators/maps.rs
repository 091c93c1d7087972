//! Maps and tests of dependence against their definitions.

use mercer::control::{Control, with_threads};
use mercer::data::{Column, Dataset, Target, Values};
use mercer::dependence::{Asked, hsic, independence_test, mmd, two_sample_test};
use mercer::estimators::{EstimatorExpr, Fitted, FittedModel, Predicted, Query, Task, Want};
use mercer::gram::Dense;
use mercer::linalg::Matrix;
use mercer::prep::Recipe;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

fn normal(count: usize, seed: u64) -> Vec<f64> {
    let mut draw = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..count).map(|_| StandardNormal.sample(&mut draw)).collect()
}

fn table(columns: &[(&str, &[f64])]) -> Dataset {
    Dataset::new(columns.iter().map(|(name, v)| Column { name: (*name).into(), values: Values::Numbers(v.to_vec()) }).collect()).unwrap()
}

fn spots(n: usize) -> Matrix {
    Matrix::from_fn(n, 3, |i, d| (0.37 * (i * (d + 2)) as f64).sin() * 3.0 + ((i * (7 + d)) % 11) as f64 / 4.0)
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn fit(estimator: &str, gram: &Dense) -> (FittedModel, Matrix) {
    let rows = gram.matrix().rows();
    let control = Control::default();
    let task = Task { gram, target: &Target::Absent { rows }, weights: None, control: &control, seed: 0 };
    let fitted = EstimatorExpr::parse(estimator).unwrap().fit(&task).unwrap();
    assert_eq!(fitted.support().len(), rows);
    let Predicted::Numbers(places) = fitted.predict(&Query::new(gram, Want::default(), &control)).unwrap().values else {
        panic!("coordinates are numbers")
    };
    (fitted, places)
}

// d^2 = k(x, x) + k(z, z) - 2 k(x, z): the components of the kernel and classical scaling of its distances, up to signs.
// spec: M38
#[test]
fn kernel_components_are_classical_scaling_of_feature_distances() {
    let x = spots(40);
    let k = Matrix::from_fn(40, 40, |i, j| (-0.5 * (apart(x.row(i), x.row(j)) / 2.0).powi(2)).exp());
    let d = Matrix::from_fn(40, 40, |i, j| (k[(i, i)] + k[(j, j)] - 2.0 * k[(i, j)]).max(0.0).sqrt());
    let (_, by_kernel) = fit("kernel_pca(components=4)", &Dense::square(k).unwrap());
    let (_, by_distance) = fit("kernel_pca(components=4, values=distances)", &Dense::square(d).unwrap());
    for c in 0..4 {
        let sign = if by_kernel[(0, c)] * by_distance[(0, c)] < 0.0 { -1.0 } else { 1.0 };
        assert!((0..40).all(|i| (by_kernel[(i, c)] - sign * by_distance[(i, c)]).abs() <= 1e-7));
    }
}

#[test]
fn a_map_has_no_slope_is_better_than_its_start_and_puts_training_rows_where_they_are() {
    let x = spots(40);
    let d = Matrix::from_fn(40, 40, |i, j| apart(x.row(i), x.row(j)));
    let stress = |z: &Matrix, sammon: bool| {
        let (mut above, mut below) = (0.0, 0.0);
        for (i, j) in (0..40).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let u = if sammon { 1.0 / d[(i, j)] } else { 1.0 };
            above += u * (apart(z.row(i), z.row(j)) - d[(i, j)]).powi(2);
            below += u * d[(i, j)].powi(2);
        }
        above / below
    };
    let given = Dense::square(d.clone()).unwrap();
    let (_, start) = fit("kernel_pca(components=2, values=distances)", &given);
    for (loss, sammon) in [("stress", false), ("sammon", true)] {
        let (fitted, places) = fit(&format!("mds(components=2, values=distances, loss={loss})"), &given);
        let summary = fitted.summary();
        assert!(summary.converged, "{loss}: {:?}", summary.certificate);
        let found = summary.objective.unwrap();
        // Rows that are placed by themselves lie where the map has them: the stress of those places is that of the map.
        assert!((stress(&places, sammon) - found).abs() <= 1e-6 * found, "{loss}: {} {found}", stress(&places, sammon));
        assert!(found < stress(&start, sammon), "{loss}");
        for (i, c, by) in [(0, 0, 1e-3), (7, 1, -1e-3), (21, 0, 1e-3)] {
            let mut moved = places.clone();
            moved[(i, c)] += by;
            assert!(stress(&moved, sammon) > found, "{loss}");
        }
    }
}

#[test]
fn the_squared_discrepancy_is_that_of_its_definition() {
    let x = spots(17);
    let k = Matrix::from_fn(17, 17, |i, j| (-0.1 * apart(x.row(i), x.row(j)).powi(2)).exp());
    let second: Vec<bool> = (0..17).map(|i| i % 3 == 0).collect();
    let mean = |a: bool, b: bool, own: bool| {
        let pairs =
            (0..17).flat_map(|i| (0..17).map(move |j| (i, j))).filter(|&(i, j)| second[i] == a && second[j] == b && (own || i != j));
        let values: Vec<f64> = pairs.map(|p| k[p]).collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let found = mmd(&Dense::square(k.clone()).unwrap(), &second, Asked::default(), &Control::default()).unwrap();
    let cross = 2.0 * mean(true, false, true);
    assert!((found.statistic - (mean(true, true, true) + mean(false, false, true) - cross)).abs() <= 1e-14);
    assert!((found.unbiased - (mean(true, true, false) + mean(false, false, false) - cross)).abs() <= 1e-14);
}

// Under the null hypothesis p <= 0.1 in a tenth of 200 tables: 20 give or take 4.2; between 8 and 34 with probability 0.999.
#[test]
fn the_level_is_kept_where_nothing_depends_and_what_depends_is_found() {
    let asked = Asked { permutations: 99, seed: 3 };
    let (mut independent, mut alike, mut gamma) = (0, 0, 0);
    for seed in 0..200 {
        let (x, y) = (normal(24, 2 * seed), normal(24, 2 * seed + 1));
        let of = |v: &[f64]| Dense::square(Matrix::from_fn(24, 24, |i, j| (-0.5 * (v[i] - v[j]).powi(2)).exp())).unwrap();
        let found = hsic(&of(&x), &of(&y), asked, &Control::default()).unwrap();
        independent += usize::from(found.p_value <= 0.1);
        gamma += usize::from(found.p_gamma <= 0.1);
        let second: Vec<bool> = (0..24).map(|i| i >= 11).collect();
        alike += usize::from(mmd(&of(&x), &second, asked, &Control::default()).unwrap().p_value <= 0.1);
    }
    for (what, count) in [("independence", independent), ("two groups", alike), ("gamma", gamma)] {
        assert!((8..=34).contains(&count), "{what}: {count}");
    }
    let x = normal(80, 77);
    let bent: Vec<f64> = x.iter().zip(normal(80, 78)).map(|(x, e)| x * x + 0.3 * e).collect();
    let (a, b) = (table(&[("x", &x)]), table(&[("y", &bent)]));
    let run = |threads| {
        with_threads(threads, || {
            independence_test([&a, &b], [None, None], &Recipe::default(), Asked::default(), &Control::default()).unwrap()
        })
        .unwrap()
    };
    let found = run(1);
    assert!(found.p_value <= 0.01 && found.p_gamma <= 0.01, "{found:?}");
    assert_eq!(found, run(3));
    let wide: Vec<f64> = x.iter().enumerate().map(|(i, v)| if i < 40 { *v } else { 3.0 * v }).collect();
    let second: Vec<bool> = (0..80).map(|i| i >= 40).collect();
    let found = two_sample_test(&table(&[("x", &wide)]), &second, None, &Recipe::default(), Asked::default(), &Control::default()).unwrap();
    assert!(found.p_value <= 0.01, "{found:?}");
}

#[test]
fn what_no_test_can_be_made_of_is_refused() {
    let flat = Dense::square(Matrix::from_fn(9, 9, |_, _| 1.0)).unwrap();
    let fine = Dense::square(Matrix::from_fn(9, 9, |i, j| (-((i as f64 - j as f64) / 3.0).powi(2)).exp())).unwrap();
    let control = Control::default();
    let why = hsic(&flat, &fine, Asked::default(), &control).unwrap_err().to_string();
    assert!(why.contains("alike"), "{why}");
    let why = mmd(&fine, &[false; 9], Asked::default(), &control).unwrap_err().to_string();
    assert!(why.contains("two rows in each"), "{why}");
    let why = hsic(&fine, &fine, Asked { permutations: 0, seed: 0 }, &control).unwrap_err().to_string();
    assert!(why.contains("999"), "{why}");
}
