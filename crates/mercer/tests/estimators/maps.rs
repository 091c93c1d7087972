//! Maps and tests of dependence against their definitions.

use mercer::control::{Control, with_threads};
use mercer::data::{Column, Dataset, Target, Values};
use mercer::dependence::{
    Asked, AskedCorrelations, canonical_correlations, hsic, independence_test, kernel_correlations, mmd, two_sample_test,
};
use mercer::estimators::{EstimatorExpr, Fitted, FittedModel, Predicted, Query, Task, View, Want};
use mercer::gram::Dense;
use mercer::linalg::{Cholesky, Matrix};
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
    let task = Task { view: View::Values(gram), target: &Target::Absent { rows }, weights: None, control: &control, seed: 0 };
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

// Of eight rows all but one are alike: in every division of them the odd one lies in one half, and all 70 statistics are equal; of a 1
// beside one of three 1s of six, as of one beside none, all orders have the same.
#[test]
fn a_statistic_that_is_the_same_for_all_permutations_has_p_values_of_one() {
    let asked = Asked { permutations: 99, seed: 0 };
    let of = |v: &[f64]| Dense::square(Matrix::from_fn(v.len(), v.len(), |i, j| (-0.5 * (v[i] - v[j]).powi(2)).exp())).unwrap();
    let far = |v: &[f64]| Dense::square(Matrix::from_fn(v.len(), v.len(), |i, j| (-0.07 * (v[i] - v[j]).powi(2)).exp())).unwrap();
    let odd: Vec<f64> = (0..10).map(|i| f64::from(u8::from(i == 0))).collect();
    let second: Vec<bool> = (0..10).map(|i| i >= 5).collect();
    let (u, three) = ([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    for found in [
        mmd(&of(&odd), &second, asked, &Control::default()).unwrap(),
        mmd(
            &far(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0]),
            &[false, false, false, false, true, true, true, true],
            asked,
            &Control::default(),
        )
        .unwrap(),
        hsic(&of(&u), &of(&three), asked, &Control::default()).unwrap(),
        hsic(&of(&u), &of(&three.map(|x| 1.0 - x)), asked, &Control::default()).unwrap(),
    ] {
        assert_eq!((found.p_value, found.p_gamma, found.deviation), (1.0, Some(1.0), 0.0), "{found:?}");
    }
    // Statistics that hardly vary: a share all the same.
    let nearly: Vec<f64> = (0..12).map(|i| if i == 0 { 1.0 } else { 1e-4 * i as f64 }).collect();
    let found = mmd(&of(&nearly), &(0..12).map(|i| i % 2 == 0).collect::<Vec<_>>(), asked, &Control::default()).unwrap();
    assert!(found.p_gamma.is_some_and(|p| (0.0..=1.0).contains(&p)), "{found:?}");
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
        gamma += usize::from(found.p_gamma.unwrap() <= 0.1);
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
    assert!(found.p_value <= 0.01 && found.p_gamma.unwrap() <= 0.01, "{found:?}");
    assert_eq!(found, run(3));
    let wide: Vec<f64> = x.iter().enumerate().map(|(i, v)| if i < 40 { *v } else { 3.0 * v }).collect();
    let second: Vec<bool> = (0..80).map(|i| i >= 40).collect();
    let found = two_sample_test(&table(&[("x", &wide)]), &second, None, &Recipe::default(), Asked::default(), &Control::default()).unwrap();
    assert!(found.p_value <= 0.01, "{found:?}");
}

// The definition by a generalised eigenproblem would need inverses; its value at a'(K + e I)^2 a = 1 does not: f'g with a = (K + e I)^-1 p.
#[test]
fn canonical_correlations_are_stationary_and_under_linear_kernels_those_of_hotelling() {
    let n = 60;
    let (x, e) = (Matrix::new(n, 3, normal(3 * n, 5)).unwrap(), Matrix::new(n, 2, normal(2 * n, 6)).unwrap());
    let y = Matrix::from_fn(n, 2, |i, j| if j == 0 { x[(i, 0)] - x[(i, 1)] + 0.5 * e[(i, 0)] } else { e[(i, 1)] });
    let linear = |x: &Matrix| Dense::square(Matrix::from_fn(n, n, |i, j| x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum())).unwrap();
    let control = Control::default();
    let asked = AskedCorrelations { count: 2, shrinkage: 1e-8, permutations: 0, seed: 0 };
    let found = kernel_correlations(&linear(&x), &linear(&y), asked, &control).unwrap();
    // Hotelling: the squares are the eigenvalues of Syy^-1 Syx Sxx^-1 Sxy, here 2 x 2: their sum and product are its trace and determinant.
    let centred = |x: &Matrix| {
        let means: Vec<f64> = (0..x.cols()).map(|j| x.col(j).iter().sum::<f64>() / n as f64).collect();
        Matrix::from_fn(n, x.cols(), |i, j| x[(i, j)] - means[j])
    };
    let (cx, cy) = (centred(&x), centred(&y));
    let inner = |a: &Matrix, b: &Matrix| Matrix::from_fn(a.cols(), b.cols(), |p, q| (0..n).map(|i| a[(i, p)] * b[(i, q)]).sum());
    let (sxx, sxy, syy) = (inner(&cx, &cx), inner(&cx, &cy), inner(&cy, &cy));
    let solved = Cholesky::new(sxx, &control).unwrap().solve(&sxy, &control).unwrap();
    let explained = Matrix::from_fn(2, 2, |p, q| (0..3).map(|a| sxy[(a, p)] * solved[(a, q)]).sum());
    let ratio = Cholesky::new(syy, &control).unwrap().solve(&explained, &control).unwrap();
    let squares: Vec<f64> = found.correlations.iter().map(|r| r * r).collect();
    assert!((squares[0] + squares[1] - ratio[(0, 0)] - ratio[(1, 1)]).abs() <= 1e-6, "{squares:?} {ratio:?}");
    assert!((squares[0] * squares[1] - ratio[(0, 0)] * ratio[(1, 1)] + ratio[(0, 1)] * ratio[(1, 0)]).abs() <= 1e-6);
    let product = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() / (n - 1) as f64;
    for k in 0..2 {
        assert!((product(found.scores[0].col(k), found.scores[1].col(k)) - found.correlations[k]).abs() <= 1e-6);
        assert!((product(found.scores[0].col(k), found.scores[0].col(k)) - 1.0).abs() <= 1e-12);
        assert!(found.scores[1].col(k).iter().sum::<f64>().abs() <= 1e-9);
    }
    assert!(product(found.scores[0].col(0), found.scores[0].col(1)).abs() <= 1e-6);
    // Under Gaussians: no pair of functions is better, of those with the same norm, at any scale of the kernel.
    let gauss = |x: &Matrix, by: f64| Matrix::from_fn(n, n, |i, j| by * (-0.5 * apart(x.row(i), x.row(j)).powi(2)).exp());
    let asked = AskedCorrelations { shrinkage: 0.02, permutations: 99, ..asked };
    let (k, l) = (gauss(&x, 1.0), gauss(&y, 7.0));
    let found = kernel_correlations(&Dense::square(k.clone()).unwrap(), &Dense::square(l.clone()).unwrap(), asked, &control).unwrap();
    let centre = |k: &Matrix| {
        let means: Vec<f64> = (0..n).map(|i| k.row(i).iter().sum::<f64>() / n as f64).collect();
        let mean = means.iter().sum::<f64>() / n as f64;
        Matrix::from_fn(n, n, |i, j| k[(i, j)] - means[i] - means[j] + mean)
    };
    let (k, l) = (centre(&k), centre(&l));
    let shrunk = |k: &Matrix| {
        let added = 0.02 * k.diagonal().iter().sum::<f64>();
        Matrix::from_fn(n, n, |i, j| k[(i, j)] + if i == j { added } else { 0.0 })
    };
    let (wide_k, wide_l) = (shrunk(&k), shrunk(&l));
    let times = |k: &Matrix, a: &[f64]| (0..n).map(|i| k.row(i).iter().zip(a).map(|(k, a)| k * a).sum()).collect::<Vec<f64>>();
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    // f = K a with a = (K + e I)^-1 p, which the scores give back by K^-1; the power iteration from any start is as good: p <- M M' p.
    let resolve = |wide: &Matrix, v: &[f64]| {
        Cholesky::new(wide.clone(), &control).unwrap().solve(&Matrix::column(v.to_vec()), &control).unwrap().into_data()
    };
    let mut p = normal(n, 91);
    let mut value = 0.0;
    for _ in 0..400 {
        let q = resolve(&wide_l, &times(&l, &times(&k, &resolve(&wide_k, &p))));
        p = resolve(&wide_k, &times(&k, &times(&l, &resolve(&wide_l, &q))));
        value = norm(&p).sqrt();
        let by = norm(&p).recip();
        p.iter_mut().for_each(|v| *v *= by);
    }
    assert!((value - found.correlations[0]).abs() <= 1e-4, "{value} {:?}", found.correlations);
    let f = times(&k, &resolve(&wide_k, &p));
    let alike = f.iter().zip(found.scores[0].col(0)).map(|(a, b)| a * b).sum::<f64>().abs() / norm(&f) / norm(&found.scores[0].col(0));
    assert!(alike >= 1.0 - 1e-4, "{alike}");
    let (chance, p_value) = found.by_chance.unwrap();
    assert!(p_value <= 0.02 && chance < found.correlations[0] && found.permutations == 99);
    assert!(
        kernel_correlations(&linear(&x), &linear(&y), AskedCorrelations { count: 3, ..asked }, &control)
            .unwrap_err()
            .to_string()
            .contains("1 to 2")
    );
}

// At rows that come again the functions are their scores; under a linear kernel they are linear: f of the sum of two rows less f of 0 is
// the sum of those of each.
#[test]
fn canonical_functions_go_on_at_new_rows() {
    let n = 40;
    let (x, e) = (Matrix::new(n, 2, normal(2 * n, 3)).unwrap(), normal(n, 4));
    let table = |x: &Matrix| {
        let column = |d: usize| mercer::data::Column { name: ["a", "b"][d].into(), values: mercer::data::Values::Numbers(x.col(d)) };
        mercer::data::Dataset::new((0..x.cols()).map(column).collect()).unwrap()
    };
    let (a, b) = (table(&x), table(&Matrix::from_fn(n, 1, |i, _| x[(i, 0)].powi(2) + 0.1 * e[i])));
    let few = table(&Matrix::from_fn(4, 2, |i, d| [[0.3, -1.2], [0.9, 0.4], [1.2, -0.8], [0.0, 0.0]][i][d]));
    let kernel = |text: &str| mercer::kernels::KernelExpr::parse(text).unwrap();
    let asked = AskedCorrelations { permutations: 0, ..AskedCorrelations::default() };
    let (control, recipe) = (Control::default(), mercer::prep::Recipe::default());
    for (first, second) in [("linear", "linear"), ("rbf(length_scale=1)", "rbf(length_scale=1)")] {
        let kernels = [kernel(first), kernel(second)];
        let kernels = kernels.each_ref().map(Some);
        let found = canonical_correlations([&a, &b], [Some(&a), Some(&b)], kernels, &recipe, asked, &control).unwrap();
        for (again, scores) in found.new_scores.iter().zip(&found.scores) {
            let off = again.as_ref().unwrap().data().iter().zip(scores.data()).map(|(u, v)| (u - v).abs()).fold(0.0, f64::max);
            assert!(off <= 1e-8, "{first}: {off}");
        }
        let found = canonical_correlations([&a, &b], [Some(&few), None], kernels, &recipe, asked, &control).unwrap();
        let f = found.new_scores[0].as_ref().unwrap().col(0);
        assert!(found.new_scores[1].is_none() && f.len() == 4);
        if first == "linear" {
            assert!((f[2] + f[3] - f[0] - f[1]).abs() <= 1e-9, "{f:?}");
        }
    }
    assert!(canonical_correlations([&a, &b], [Some(&b.clone()), None], [None, None], &recipe, asked, &control).is_err());
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
