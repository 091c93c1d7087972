//! Kernel machines through the whole of a learner, against numbers and algorithms from elsewhere.

use crate::problem;

use mercer::control::Control;
use mercer::data::{Column, Dataset, Points, Strings, Target, Values};
use mercer::estimators::{EstimatorExpr, Fitted, Gp, Predicted, Predictions, Query, Ridge, Svc, Want};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::{Cholesky, Matrix};
use mercer::read::TargetInfo;
use problem::*;

fn table(x: &Matrix) -> Dataset {
    Dataset::from_points(Points::dense(x.rows(), x.cols(), x.data().to_vec()).unwrap())
}

fn model(kernel: &str, estimator: &str, data: &Dataset, target: &Target) -> Model {
    let kernel = Some(KernelExpr::parse(kernel).unwrap());
    let mut learner = Learner { kernel, ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) };
    learner.prep.standardise = false;
    let info = match target {
        Target::Classes { names, .. } => TargetInfo { names: vec!["t".into()], classes: Some(names.clone()), labels: Default::default() },
        _ => TargetInfo { names: vec!["t".into()], classes: None, labels: Default::default() },
    };
    learner.fit(data, target, &info, None, &Control::default()).unwrap()
}

fn say(model: &Model, data: &Dataset, want: Want) -> Predictions {
    model.predict(data, want, &Control::default()).unwrap()
}

/// `numpy.linalg.solve` in small: elimination with partial pivoting.
fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            let above = a[k].clone();
            a[i].iter_mut().zip(&above).skip(k).for_each(|(v, p)| *v -= factor * p);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        b[k] = (b[k] - (k + 1..n).map(|j| a[k][j] * b[j]).sum::<f64>()) / a[k][k];
    }
    b
}

/// The class of the source (S1, 6.3.6), line by line: gamma and lambda_, no intercept.
struct Reference {
    kernel: fn(f64, &[f64], &[f64]) -> f64,
    gamma: f64,
    lambda: f64,
}

impl Reference {
    fn fit_predict(&self, x: &Matrix, y: &Matrix, new: &Matrix) -> Matrix {
        let n = x.rows();
        let k = (0..n).map(|i| {
            let row = (0..n).map(|j| (self.kernel)(self.gamma, x.row(i), x.row(j)) + if i == j { self.lambda } else { 0.0 });
            row.collect()
        });
        let alpha = eliminate(k.collect(), y.data().to_vec());
        Matrix::from_fn(new.rows(), 1, |i, _| (0..n).map(|j| (self.kernel)(self.gamma, new.row(i), x.row(j)) * alpha[j]).sum())
    }
}

// spec: M26, M27
#[test]
fn the_class_of_the_source_is_reproduced_and_its_degree_is_a_parameter_of_its_own() {
    // The source's example: sin(x_1) with noise, 100 rows of 5, gamma 0.5, lambda 0.1.
    let (x, new, noise) = (wave(100, 5, 41), wave(20, 5, 42), wave(100, 1, 43));
    let y = Matrix::from_fn(100, 1, |i, _| (2.0 * x[(i, 0)]).sin() + 0.1 * noise[(i, 0)]);
    // |x|^2 + |z|^2 - 2 x.z, as the source has it.
    let gaussian = |g: f64, x: &[f64], z: &[f64]| (-g * (linear(x, x) + linear(z, z) - 2.0 * linear(x, z))).exp();
    let power = |d: f64, x: &[f64], z: &[f64]| (linear(x, z) + 1.0).powf(d);
    let cases: [(&str, Reference); 3] = [
        ("rbf(gamma=0.5)", Reference { kernel: gaussian, gamma: 0.5, lambda: 0.1 }),
        ("linear", Reference { kernel: |_, x, z| linear(x, z), gamma: 0.5, lambda: 0.1 }),
        ("polynomial(degree=3, gamma=1, offset=1)", Reference { kernel: power, gamma: 3.0, lambda: 0.1 }),
    ];
    for (kernel, reference) in cases {
        let found = model(kernel, "ridge(lambda=0.1, intercept=false)", &table(&x), &Target::Numbers(y.clone()));
        let found = say(&found, &table(&new), Want::default());
        close(numbers(&found), &reference.fit_predict(&x, &y, &new), 1e-10);
    }
    assert!(KernelExpr::parse("polynomial(degree=0.5)").unwrap_err().to_string().contains("whole number"));
}

// spec: F17
#[test]
fn the_dual_solution_of_two_points_is_that_of_the_gaussian_process() {
    let (x, y) = (Matrix::column(vec![0.0, 1.0]), Matrix::column(vec![0.0, 1.0]));
    let ridge = Ridge { lambda: 0.1.into(), intercept: false, ..Ridge::default() };
    let found = run(&ridge, &x, &y, None, &Matrix::column(vec![0.5]), rbf);
    assert!((found[(0, 0)] - 0.517_129_24).abs() <= 5e-9, "{}", found[(0, 0)]);
}

// spec: K04
#[test]
fn ridge_goes_to_the_shrunk_mean_as_the_width_grows_and_to_shrunk_targets_as_it_falls() {
    let (x, y) = (wave(15, 3, 44), wave(15, 1, 45));
    let (data, target) = (table(&x), Target::Numbers(y.clone()));
    let mean = y.data().iter().sum::<f64>() / 15.0;
    let lambda = 0.5;
    let mut last = f64::INFINITY;
    for gamma in [1e-2, 1e-4, 1e-6, 1e-8] {
        let kernel = format!("rbf(gamma={gamma:e})");
        // K = 11': f = sum y / (N + lambda) without a constant, the mean with one.
        let plain = model(&kernel, "ridge(lambda=0.5, intercept=false)", &data, &target);
        let shrunk = mean * 15.0 / (15.0 + lambda);
        let off = numbers(&say(&plain, &data, Want::default())).data().iter().fold(0.0f64, |m, f| m.max((f - shrunk).abs()));
        assert!(off <= 20.0 * gamma && off < last, "gamma {gamma}: off by {off}");
        last = off;
        let with = model(&kernel, "ridge(lambda=0.5)", &data, &target);
        assert!(numbers(&say(&with, &data, Want::default())).data().iter().all(|f| (f - mean).abs() <= 200.0 * gamma));
    }
    // K = I: every target is divided by 1 + lambda; and with lambda near 0 it is met.
    let narrow = model("rbf(gamma=1e6)", "ridge(lambda=0.5, intercept=false)", &data, &target);
    close(numbers(&say(&narrow, &data, Want::default())), &Matrix::from_fn(15, 1, |i, _| y[(i, 0)] / (1.0 + lambda)), 1e-12);
    let exact = model("rbf(gamma=1e6)", "ridge(lambda=1e-12, intercept=false)", &data, &target);
    close(numbers(&say(&exact, &data, Want::default())), &y, 1e-11);
}

// spec: M18
#[test]
fn neighbours_of_sequences_are_found_by_a_string_kernel() {
    let strings =
        |s: &[&str]| Dataset::new(vec![Column { name: "s".into(), values: Values::Sequences(Strings::new(s.iter().copied())) }]).unwrap();
    let data = strings(&["GATTACAGATTACA", "GATTACATTTTACA", "CCGCGGCGCCGG", "CCGCGGCGCAGG"]);
    let target = Target::classes(&["tata", "tata", "island", "island"]);
    let found = model("normalise(spectrum(k=3))", "knn(k=1)", &data, &target);
    let p = say(&found, &strings(&["GATTACAGATT", "GGCGCCGGAT"]), Want::default());
    assert_eq!(found.labels(&p).unwrap(), ["tata", "island"]);
}

// spec: GP05, GP01, E4-03
#[test]
fn conditioning_the_joint_normal_gives_the_example_and_appending_a_row_equals_a_refit() {
    let (x, t, at) = ([0.0, 1.0], [0.0, 1.0], 0.5);
    let k = |a: f64, b: f64| (-0.5 * (a - b) * (a - b)).exp();
    // (25)-(26): a matrix C_2 inverted by hand, k, c; beside the diagonal it holds `beside` more than the kernel.
    let conditioned = |beside: f64| {
        let (diagonal, off) = (k(0.0, 0.0) + 0.1, k(0.0, 1.0) + beside);
        let det = diagonal * diagonal - off * off;
        let (k0, k1) = (k(x[0], at), k(x[1], at));
        let weights = [(diagonal * k0 - off * k1) / det, (diagonal * k1 - off * k0) / det];
        (weights[0] * t[0] + weights[1] * t[1], 1.0 - (weights[0] * k0 + weights[1] * k1))
    };
    let gp = Gp { noise: 0.1.into(), variance: 1.0.into(), standardise_target: false, ..Gp::default() };
    let (two, middle) = (Matrix::column(x.to_vec()), Matrix::column(vec![at]));
    let want = Want { variance: true, covariance: true, ..Want::default() };
    let found = fit(&gp, &square(&two, rbf), &Target::numbers(&t), None)
        .predict(&Query::new(&cross(&middle, &two, rbf), want, &Control::default()))
        .unwrap();
    let (mean, variance) = (numbers(&found)[(0, 0)], found.variance.as_ref().unwrap()[(0, 0)]);
    assert!((mean - conditioned(0.0).0).abs() <= 1e-14 && (variance - conditioned(0.0).1).abs() <= 1e-14);
    assert!((mean - 0.517_129_24).abs() <= 5e-9 && (variance - 0.087_270_095_5).abs() <= 5e-11);
    // The noise belongs to the diagonal: added everywhere, as (23) has it, both come out otherwise.
    assert!((mean - conditioned(0.1).0).abs() >= 0.01 && (variance - conditioned(0.1).1).abs() >= 0.01);

    // One more row: m' = m + cov (t - m(x')) / (var(x') + noise), C' = C - cov cov' / (var(x') + noise).
    let (x, y, new) = (wave(10, 2, 46), wave(10, 1, 47), wave(6, 2, 48));
    let gp = Gp { noise: 0.15.into(), variance: 1.4.into(), standardise_target: false, ..Gp::default() };
    let before = fit(&gp, &square(&x, rbf), &Target::Numbers(y.clone()), None)
        .predict(&Query::new(&cross(&new, &x, rbf), want, &Control::default()))
        .unwrap();
    let (m, c) = (numbers(&before), before.covariance.as_ref().unwrap());
    let more = 0.8;
    let scale = c[(0, 0)] + 0.15;
    let all = Matrix::from_fn(11, 2, |i, j| if i < 10 { x[(i, j)] } else { new[(0, j)] });
    let targets = Matrix::from_fn(11, 1, |i, _| if i < 10 { y[(i, 0)] } else { more });
    let after = fit(&gp, &square(&all, rbf), &Target::Numbers(targets), None)
        .predict(&Query::new(&cross(&new, &all, rbf), want, &Control::default()))
        .unwrap();
    close(numbers(&after), &Matrix::from_fn(6, 1, |i, _| m[(i, 0)] + c[(i, 0)] * (more - m[(0, 0)]) / scale), 1e-11);
    close(after.covariance.as_ref().unwrap(), &Matrix::from_fn(6, 6, |i, j| c[(i, j)] - c[(i, 0)] * c[(0, j)] / scale), 1e-11);
}

// spec: GP03
#[test]
fn known_noise_of_each_row_is_given_as_weights() {
    let (x, y, new) = (wave(12, 2, 49), wave(12, 1, 50), wave(5, 2, 51));
    let noises: Vec<f64> = (0..12).map(|i| 0.05 + 0.02 * f64::from(i)).collect();
    // Row i has the noise 0.1 / w_i.
    let weights: Vec<f64> = noises.iter().map(|n| 0.1 / n).collect();
    let gp = Gp { noise: 0.1.into(), variance: 1.0.into(), standardise_target: false, ..Gp::default() };
    let fitted = fit(&gp, &square(&x, rbf), &Target::Numbers(y.clone()), Some(&weights));
    let p = fitted.predict(&Query::new(&cross(&new, &x, rbf), Want { variance: true, ..Want::default() }, &Control::default())).unwrap();
    let mut c = values(&x, &x, rbf);
    c.add_to_diagonal(&noises);
    let k = values(&x, &new, rbf);
    let solved = Cholesky::new(c, &Control::default()).unwrap().solve(&k, &Control::default()).unwrap();
    for i in 0..5 {
        let mean: f64 = (0..12).map(|j| solved[(j, i)] * y[(j, 0)]).sum();
        let variance = 1.0 - (0..12).map(|j| solved[(j, i)] * k[(j, i)]).sum::<f64>();
        assert!((numbers(&p)[(i, 0)] - mean).abs() <= 1e-11 && (p.variance.as_ref().unwrap()[(i, 0)] - variance).abs() <= 1e-11);
    }
}

/// Offset by (14)-(15) of S4: the mean over all support rows of t_n - sum_m a_m t_m k(x_n, x_m).
fn mean_offset(fitted: &impl Fitted, coef: &Matrix, k: &Matrix, t: &[f64]) -> f64 {
    let s = fitted.support();
    let each = s.iter().map(|&n| t[n] - s.iter().enumerate().map(|(m, &r)| coef[(m, 0)] * k[(n, r)]).sum::<f64>());
    each.sum::<f64>() / s.len() as f64
}

// spec: S22
#[test]
fn without_rows_at_the_bound_the_offset_is_the_mean_over_all_support_rows() {
    let x = wave(40, 2, 52);
    let t: Vec<f64> = (0..40).map(|i| if x[(i, 0)] * x[(i, 1)] > 0.0 { 1.0 } else { -1.0 }).collect();
    let target = Target::Classes { codes: t.iter().map(|t| usize::from(*t > 0.0)).collect(), names: vec!["no".into(), "yes".into()] };
    let kernel: Kernel = |a, b| (-8.0 * a.iter().zip(b).map(|(x, z)| (x - z).powi(2)).sum::<f64>()).exp();
    let c = 1e6;
    let fitted = fit(&Svc { c: c.into(), tolerance: 1e-9.into(), ..Svc::default() }, &square(&x, kernel), &target, None);
    assert!(fitted.expansion.coef.data().iter().all(|a| a.abs() < c), "separable: no row is at the bound");
    let offset = mean_offset(&fitted, &fitted.expansion.coef, &values(&x, &x, kernel), &t);
    assert!((fitted.expansion.bias[0] - offset).abs() <= 1e-7, "{} and {offset}", fitted.expansion.bias[0]);
}

// spec: E3-16
#[test]
fn at_the_strongest_penalty_every_row_of_balanced_classes_is_a_support_row_at_its_bound() {
    let x = wave(30, 2, 53);
    let labels: Vec<&str> = (0..30).map(|i| ["no", "yes"][i % 2]).collect();
    let c = 1e-4;
    let fitted = fit(&Svc { c: c.into(), tolerance: 1e-9.into(), ..Svc::default() }, &square(&x, rbf), &Target::classes(&labels), None);
    assert_eq!(fitted.support().len(), 30);
    assert!(fitted.expansion.coef.data().iter().all(|a| (a.abs() - c).abs() <= 1e-15));
}

// spec: T02
#[test]
fn the_five_kernels_of_the_table_have_their_formula_their_dimension_and_their_use_and_the_sigmoid_is_flagged() {
    let (n, d) = (60, 3);
    let x = wave(n, d, 55);
    let (gamma, offset) = (0.4, 0.7);
    let distance = |x: &[f64], z: &[f64], p: i32| x.iter().zip(z).map(|(a, b)| (a - b).abs().powi(p)).sum::<f64>();
    let at = |name: &str, x: &[f64], z: &[f64]| match name {
        "linear" => linear(x, z),
        "polynomial" => (gamma * linear(x, z) + offset).powi(2),
        "rbf" => (-gamma * distance(x, z, 2)).exp(),
        "laplacian" => (-gamma * distance(x, z, 1)).exp(),
        _ => (gamma * linear(x, z) + offset).tanh(),
    };
    // Name, arguments, features (none: no number of them is enough), what it is used for.
    let table = [
        ("linear", "linear", Some(3), "straight lines"),
        ("polynomial", "polynomial(degree=2, gamma=0.4, offset=0.7)", Some(10), "products of up to degree columns"),
        ("rbf", "rbf(gamma=0.4)", None, "smooth functions"),
        ("laplacian", "laplacian(gamma=0.4)", None, "rough functions"),
        ("sigmoid", "sigmoid(gamma=0.4, offset=0.7)", None, "not a Mercer kernel"),
    ];
    let entries = mercer::kernels::catalogue();
    for (name, text, features, used_for) in table {
        let expr = KernelExpr::parse(text).unwrap();
        let data = self::table(&x);
        let k = mercer::gram::dense(expr.bind(None, &data).unwrap().as_ref(), &Control::default()).unwrap();
        close(&k, &Matrix::from_fn(n, n, |i, j| at(name, x.row(i), x.row(j))), 1e-13);
        let (values, _) = mercer::linalg::eigh(k, &Control::default()).unwrap();
        let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let rank = values.iter().filter(|v| v.abs() > 1e-12 * largest).count();
        match features {
            Some(count) => assert_eq!(rank, count, "{name}"),
            // More than the 56 products of up to five columns: no polynomial of a low degree.
            None => assert!(rank > 40, "{name}: {rank}"),
        }
        assert!(entries.iter().any(|e| e.name == name && e.doc.contains(used_for)), "{name}");
        assert_eq!(expr.mercer() == mercer::gram::Mercer::Always, name != "sigmoid");
    }
}

// spec: M43
#[test]
fn as_rows_are_added_ridge_with_the_gaussian_kernel_comes_as_near_to_a_smooth_function_as_is_wanted() {
    let truth = |x: f64| (2.0 * x).sin() + 0.5 * (5.0 * x).cos() * (-x * x).exp() + 0.2 * x.abs().sqrt() * x * x;
    let at = |n: usize| Matrix::column((0..n).map(|i| -2.0 + 4.0 * i as f64 / (n - 1) as f64).collect());
    let (grid, mut last) = (at(1501), f64::INFINITY);
    for n in [5, 10, 20, 40, 80] {
        let x = at(n);
        let y = Matrix::from_fn(n, 1, |i, _| truth(x[(i, 0)]));
        let found = model("rbf(length_scale=0.3)", "ridge(lambda=1e-9, intercept=false)", &table(&x), &Target::Numbers(y));
        let p = say(&found, &table(&grid), Want::default());
        let sup = (0..1501).map(|i| (numbers(&p)[(i, 0)] - truth(grid[(i, 0)])).abs()).fold(0.0, f64::max);
        assert!(sup < 0.7 * last, "{n} rows: {sup} after {last}");
        last = sup;
    }
    assert!(last < 1e-3, "{last}");
}

#[test]
fn a_search_that_fits_on_no_fold_takes_the_start_says_so_and_can_be_stored() {
    // One row of the second class: the fold that tests it cannot learn it.
    let x = wave(6, 2, 54);
    let target = Target::Classes { codes: vec![0, 0, 0, 0, 0, 1], names: vec!["many".into(), "one".into()] };
    let model = model("rbf", "svc", &table(&x), &target);
    assert_eq!(model.about.tuning.as_ref().unwrap().value, None);
    let back = mercer::store::from_bytes(&mercer::store::to_bytes(&model).unwrap(), "m").unwrap();
    assert_eq!(back, model);
    assert!(mercer::report::model_text(&model, 100).contains("not known"));
    let p = say(&model, &table(&x), Want::default());
    assert!(matches!(p.values, Predicted::Classes(c) if c.len() == 6));
}

#[test]
fn least_mean_squares_follow_the_target_wherever_its_zero_lies_and_a_constant_is_itself() {
    let x = Matrix::from_fn(40, 1, |i, _| i as f64 / 40.0);
    let data = table(&x);
    let at = |offset: f64| -> Vec<f64> {
        let y: Vec<f64> = x.data().iter().map(|x| offset + (6.0 * x).sin()).collect();
        let said = say(&model("rbf(length_scale=0.2)", "perceptron", &data, &Target::numbers(&y)), &data, Want::default());
        numbers(&said).data().iter().map(|f| f - offset).collect()
    };
    let base = at(0.0);
    for offset in [100.0, 101_325.0, 5.3e6] {
        assert!(base.iter().zip(at(offset)).all(|(a, b)| (a - b).abs() <= 1e-15 * 1e3 * offset), "{offset}");
    }
    let said = say(&model("rbf(length_scale=0.2)", "perceptron", &data, &Target::numbers(&[1e6; 40])), &data, Want::default());
    assert!(numbers(&said).data().iter().all(|f| *f == 1e6));
}

#[test]
fn a_perceptron_has_converged_where_its_last_pass_made_no_mistake() {
    let x = Matrix::from_fn(20, 1, |i, _| (i / 2) as f64);
    let classes = |codes: Vec<usize>| Target::Classes { codes, names: vec!["a".into(), "b".into()] };
    let apart = classes((0..20).map(|i| usize::from(i >= 10)).collect());
    // Two rows at each place, one of each class.
    let mixed = classes((0..20).map(|i| i % 2).collect());
    assert!(model("rbf(length_scale=1)", "perceptron(passes=100)", &table(&x), &apart).summary().converged);
    assert!(!model("rbf(length_scale=1)", "perceptron(passes=100)", &table(&x), &mixed).summary().converged);
}
