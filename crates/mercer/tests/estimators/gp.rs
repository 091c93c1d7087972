//! Gaussian process regression against hand-computed numbers, conditioning, ridge and refits.

use crate::problem;

use mercer::control::Control;
use mercer::data::Target;
use mercer::estimators::{Estimator, Fitted, FittedGp, Gp, Query, Ridge, Task, View, Want};
use mercer::gram::{Dense, Side};
use mercer::linalg::{Cholesky, Matrix, product};
use mercer::param::Value;
use problem::*;

const ALL: Want = Want { variance: true, covariance: true, probabilities: false, scores: false, by_class: false };

fn gp(noise: f64, variance: f64, standardise_target: bool) -> Gp {
    Gp { noise: Value::Number(noise), variance: Value::Number(variance), standardise_target, ..Gp::default() }
}

pub(crate) fn near(a: f64, b: f64, tol: f64) {
    assert!((a - b).abs() <= tol, "{a} and {b} differ by {:e}", (a - b).abs());
}

/// E::criterion of a task made of parts.
fn criterion(e: &Gp, gram: &Dense, y: &Matrix, weights: Option<&[f64]>) -> mercer::estimators::Criterion {
    let (control, target) = (Control::default(), Target::Numbers(y.clone()));
    e.criterion(&Task { view: View::Values(gram), target: &target, weights, control: &control, seed: 0 }).unwrap()
}

// spec: GP01, GP04
#[test]
fn two_points_give_the_numbers_computed_by_hand() {
    let x = Matrix::column(vec![0.0, 1.0]);
    let target = Target::numbers(&[0.0, 1.0]);
    let fitted = fit(&gp(0.1, 1.0, false), &square(&x, rbf), &target, None);
    let p = fitted.predict(&Query::new(&cross(&Matrix::column(vec![0.5]), &x, rbf), ALL, &Control::default())).unwrap();
    near(numbers(&p)[(0, 0)], 0.517_129_24, 5e-9);
    near(p.variance.as_ref().unwrap()[(0, 0)], 0.087_270_095_5, 5e-11);
    near(p.variance.unwrap()[(0, 0)] + p.noise.unwrap()[0], 0.187_270_095_5, 5e-11);
    near(fitted.summary().evidence.unwrap(), -2.405_074_156_8, 5e-11);
    near(criterion(&gp(0.1, 1.0, false), &square(&x, rbf), &Matrix::column(vec![0.0, 1.0]), None).value, 2.405_074_156_8, 5e-11);
    assert!(fitted.summary().converged);
}

#[test]
fn kept_memory_is_used_again_and_what_it_held_does_not_matter() {
    let n = 150;
    let (x, y) = (wave(n, 2, 1), wave(n, 1, 2));
    let (gram, target, e) = (square(&x, rbf), Target::Numbers(y.clone()), gp(0.2, 1.7, false));
    let fresh = criterion(&e, &gram, &y, None);
    let control = Control::default().with_buffer_pool();
    let left = vec![vec![f64::NAN; n * n], vec![f64::INFINITY; n * n]];
    let places: Vec<usize> = left.iter().map(|numbers| numbers.as_ptr() as usize).collect();
    left.into_iter().for_each(|numbers| control.keep(numbers));
    for _ in 0..2 {
        let again = e.criterion(&Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 0 }).unwrap();
        assert_eq!(again.value.to_bits(), fresh.value.to_bits());
        let weights = again.weights.into_data();
        assert!(weights == fresh.weights.clone().into_data(), "the weights are the same");
        assert!(places.contains(&(weights.as_ptr() as usize)), "no memory was asked for");
        control.keep(weights);
    }
}

// spec: GP04
#[test]
fn derivatives_of_the_evidence_are_those_of_differences() {
    let (x, y) = (wave(9, 2, 1), wave(9, 2, 2));
    let weights: Vec<f64> = (0..9).map(|i| 0.5 + f64::from(i) / 5.0).collect();
    for w in [None, Some(weights.as_slice())] {
        for standardise in [false, true] {
            let (noise, variance) = (0.2, 1.7);
            let e = gp(noise, variance, standardise);
            check_weights(&e, &values(&x, &x, rbf), &Target::Numbers(y.clone()), w, 1e-7);
            let exact = criterion(&e, &square(&x, rbf), &y, w);
            let at = |n: f64, v: f64| criterion(&gp(n, v, standardise), &square(&x, rbf), &y, w).value;
            let h = 1e-5;
            let expected = [
                ("noise", (at(noise + h, variance) - at(noise - h, variance)) / (2.0 * h)),
                ("variance", (at(noise, variance + h) - at(noise, variance - h)) / (2.0 * h)),
            ];
            for ((name, found), (expected_name, expected)) in exact.own.iter().zip(expected) {
                assert_eq!(*name, expected_name);
                near(*found, expected, 1e-7 * (1.0 + expected.abs()));
            }
            let fitted = fit(&e, &square(&x, rbf), &Target::Numbers(y.clone()), w);
            near(fitted.summary().evidence.unwrap(), -exact.value, 1e-10);
        }
    }
}

// spec: GP05
#[test]
fn predictions_are_the_conditional_of_the_joint_normal() {
    let (x, y, new) = (wave(12, 2, 3), wave(12, 1, 4), wave(1, 2, 5));
    let (noise, variance) = (0.1, 1.3);
    let fitted = fit(&gp(noise, variance, false), &square(&x, rbf), &Target::Numbers(y.clone()), None);
    let p = fitted.predict(&Query::new(&cross(&new, &x, rbf), ALL, &Control::default())).unwrap();
    // The precision of the joint (t, t_new): its last entry is 1 / var, the rest of its last row gives the mean.
    let joint = Matrix::from_fn(13, 13, |i, j| {
        let row = |k: usize| if k < 12 { x.row(k) } else { new.row(0) };
        variance * rbf(row(i), row(j)) + if i == j { noise } else { 0.0 }
    });
    let precision = Cholesky::new(joint, &Control::default()).unwrap().into_inverse(&Control::default()).unwrap();
    let last = precision[(12, 12)];
    near(numbers(&p)[(0, 0)], -(0..12).map(|i| precision[(12, i)] * y[(i, 0)]).sum::<f64>() / last, 1e-11);
    near(p.variance.unwrap()[(0, 0)] + p.noise.unwrap()[0], 1.0 / last, 1e-11);
    // The evidence of one more target is the density of its prediction.
    let (all, more) = (Matrix::from_fn(13, 2, |i, j| if i < 12 { x[(i, j)] } else { new[(0, j)] }), 0.4);
    let t = Matrix::from_fn(13, 1, |i, _| if i < 12 { y[(i, 0)] } else { more });
    let grown = fit(&gp(noise, variance, false), &square(&all, rbf), &Target::Numbers(t), None);
    let density = -0.5
        * ((more - numbers(&fitted.predict(&Query::new(&cross(&new, &x, rbf), ALL, &Control::default())).unwrap())[(0, 0)]).powi(2) * last
            - last.ln()
            + std::f64::consts::TAU.ln());
    near(grown.summary().evidence.unwrap() - fitted.summary().evidence.unwrap(), density, 1e-10);
}

// spec: GP06, GP07
#[test]
fn the_mean_is_kernel_ridge_regression() {
    let (x, y, new) = (wave(40, 2, 6), wave(40, 3, 7), wave(15, 2, 8));
    let ridge = Ridge { lambda: Value::Number(0.3), intercept: false, ..Ridge::default() };
    let expected = run(&ridge, &x, &y, None, &new, rbf);
    close(&run(&gp(0.3, 1.0, false), &x, &y, None, &new, rbf), &expected, 1e-12);
    // Only the ratio of noise and variance counts for the mean.
    close(&run(&gp(0.6, 2.0, false), &x, &y, None, &new, rbf), &expected, 1e-12);
}

// asks: U-13, U-12
#[test]
fn deviations_are_roots_of_the_diagonal_of_the_covariance_and_only_what_is_wanted_is_there() {
    // Nearly noiseless and crowded: where an inverse would lose every digit.
    let x = Matrix::from_fn(80, 1, |i, _| i as f64 / 20.0);
    let y = Matrix::from_fn(80, 2, |i, o| (i as f64 / 10.0 + o as f64).sin());
    let new = Matrix::from_fn(300, 1, |i, _| i as f64 / 60.0);
    let fitted = fit(&gp(1e-8, 1.0, true), &square(&x, rbf), &Target::Numbers(y.clone()), None);
    let k = cross(&new, &x, rbf);
    let p = fitted.predict(&Query::new(&k, ALL, &Control::default())).unwrap();
    let (variance, covariance, noise) = (p.variance.clone().unwrap(), p.covariance.clone().unwrap(), p.noise.clone().unwrap());
    for i in 0..300 {
        for o in 0..2 {
            let scaled = covariance[(i, i)] * noise[o] / noise[0];
            assert!(variance[(i, o)] >= 0.0);
            near(variance[(i, o)].sqrt(), scaled.sqrt(), 1e-8);
        }
    }
    close(&covariance, &covariance.transpose(), 0.0);
    let (values, _) = mercer::linalg::eigh(covariance, &Control::default()).unwrap();
    assert!(values.iter().all(|v| *v >= -1e-9), "the covariance is positive semi-definite up to rounding");
    // At the training rows the mean nearly interpolates.
    close(&predict(&fitted, &cross(&x, &x, rbf)), &y, 1e-3);

    let mean = fitted.predict(&Query::new(&k, Want::default(), &Control::default())).unwrap();
    assert!(mean.variance.is_none() && mean.covariance.is_none());
    assert_eq!(numbers(&mean), numbers(&p));
    let some = fitted.predict(&Query::new(&k, Want { variance: true, ..Want::default() }, &Control::default())).unwrap();
    assert!(some.covariance.is_none());
    assert_eq!(some.variance, p.variance);
}

#[test]
fn the_covariance_is_that_of_its_formula() {
    let (x, y, new) = (wave(10, 2, 9), wave(10, 1, 10), wave(4, 2, 11));
    let fitted = fit(&gp(0.2, 1.5, false), &square(&x, rbf), &Target::Numbers(y), None);
    let p = fitted.predict(&Query::new(&cross(&new, &x, rbf), ALL, &Control::default())).unwrap();
    let mut c = Matrix::from_fn(10, 10, |i, j| 1.5 * rbf(x.row(i), x.row(j)));
    c.add_to_diagonal(&[0.2]);
    let k = Matrix::from_fn(10, 4, |i, j| 1.5 * rbf(x.row(i), new.row(j)));
    let explained =
        product(&k.transpose(), &Cholesky::new(c, &Control::default()).unwrap().solve(&k, &Control::default()).unwrap()).unwrap();
    close(&p.covariance.unwrap(), &Matrix::from_fn(4, 4, |i, j| 1.5 * rbf(new.row(i), new.row(j)) - explained[(i, j)]), 1e-12);
    // A Gram matrix that does not know the kernel among new rows says so.
    let bare = Dense::cross(values(&new, &x, rbf), vec![1.0; 4], vec![1.0; 10]).unwrap();
    assert!(mercer::gram::Gram::among(&bare, Side::Rows).is_none());
    assert!(fitted.predict(&Query::new(&bare, ALL, &Control::default())).unwrap_err().to_string().contains("among the new inputs"));
    assert!(fitted.predict(&Query::new(&bare, Want { variance: true, ..Want::default() }, &Control::default())).is_ok());
}

#[test]
fn standardising_the_target_makes_predictions_follow_its_units() {
    let (x, y, new) = (wave(20, 2, 12), wave(20, 1, 13), wave(6, 2, 14));
    let gram = square(&x, rbf);
    let moved = Matrix::from_fn(20, 1, |i, _| 1000.0 + 50.0 * y[(i, 0)]);
    let fits = [&y, &moved].map(|y| fit(&gp(0.1, 1.0, true), &gram, &Target::Numbers(y.clone()), None));
    let [a, b] = fits.each_ref().map(|f| f.predict(&Query::new(&cross(&new, &x, rbf), ALL, &Control::default())).unwrap());
    close(numbers(&b), &Matrix::from_fn(6, 1, |i, _| 1000.0 + 50.0 * numbers(&a)[(i, 0)]), 1e-9);
    close(&b.variance.unwrap(), &Matrix::from_fn(6, 1, |i, _| 2500.0 * a.variance.as_ref().unwrap()[(i, 0)]), 1e-8);
    near(b.noise.unwrap()[0], 2500.0 * a.noise.unwrap()[0], 1e-8);
    // The density of y = m + s t is that of t divided by s, for each of the 20 rows.
    let evidence = fits.each_ref().map(|f| f.summary().evidence.unwrap());
    near(evidence[1], evidence[0] - 20.0 * 50f64.ln(), 1e-8);
    // By hand: standardise, use the textbook form, and take the logarithm of the scale off.
    let mean = y.data().iter().sum::<f64>() / 20.0;
    let deviation = (y.data().iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 20.0).sqrt();
    let t = Matrix::from_fn(20, 1, |i, _| (y[(i, 0)] - mean) / deviation);
    let plain = fit(&gp(0.1, 1.0, false), &gram, &Target::Numbers(t), None);
    near(evidence[0], plain.summary().evidence.unwrap() - 20.0 * deviation.ln(), 1e-10);
}

#[test]
fn a_row_of_weight_two_is_a_row_that_stands_twice_in_means_and_variances() {
    let (x, y, new) = (wave(10, 2, 15), wave(10, 2, 16), wave(5, 2, 17));
    let weights: Vec<f64> = (0..10).map(|i| 1.0 + f64::from(i % 3)).collect();
    let rows: Vec<usize> = (0..10).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let (xx, yy) = (x.select_rows(&rows), y.select_rows(&rows));
    for standardise in [false, true] {
        let e = gp(0.2, 1.5, standardise);
        let one = fit(&e, &square(&x, rbf), &Target::Numbers(y.clone()), Some(&weights));
        let other = fit(&e, &square(&xx, rbf), &Target::Numbers(yy.clone()), None);
        let (a, b) = (
            one.predict(&Query::new(&cross(&new, &x, rbf), ALL, &Control::default())).unwrap(),
            other.predict(&Query::new(&cross(&new, &xx, rbf), ALL, &Control::default())).unwrap(),
        );
        close(numbers(&a), numbers(&b), 1e-11);
        close(&a.variance.unwrap(), &b.variance.unwrap(), 1e-11);
        close(&a.covariance.unwrap(), &b.covariance.unwrap(), 1e-11);
    }
}

#[test]
fn leaving_one_out_equals_refits() {
    let (n, control) = (12, Control::default());
    let (x, y) = (wave(n, 2, 18), wave(n, 2, 19));
    let weights: Vec<f64> = (0..n).map(|i| 0.5 + i as f64 / 5.0).collect();
    let e = gp(0.15, 1.4, false);
    let (gram, target) = (square(&x, rbf), Target::Numbers(y.clone()));
    for w in [None, Some(weights.as_slice())] {
        let found =
            e.leave_one_out(&Task { view: View::Values(&gram), target: &target, weights: w, control: &control, seed: 0 }).unwrap().unwrap();
        for i in 0..n {
            let rest: Vec<usize> = (0..n).filter(|&k| k != i).collect();
            let kept: Option<Vec<f64>> = w.map(|w| rest.iter().map(|&k| w[k]).collect());
            let (xx, yy) = (x.select_rows(&rest), y.select_rows(&rest));
            let fitted = fit(&e, &square(&xx, rbf), &Target::Numbers(yy), kept.as_deref());
            let p = fitted.predict(&Query::new(&cross(&x.select_rows(&[i]), &xx, rbf), ALL, &Control::default())).unwrap();
            close(&numbers(&found).select_rows(&[i]), numbers(&p), 1e-10);
            close(&found.variance.as_ref().unwrap().select_rows(&[i]), &p.variance.unwrap(), 1e-10);
        }
    }
}

#[test]
fn duplicates_without_noise_are_fitted_with_the_jitter_that_is_reported() {
    let half = wave(15, 1, 20);
    let x = Matrix::from_fn(30, 1, |i, _| half[(i / 2, 0)]);
    let y = Matrix::from_fn(30, 1, |i, _| half[(i / 2, 0)].sin());
    let fitted = fit(&gp(0.0, 1.0, true), &square(&x, rbf), &Target::Numbers(y.clone()), None);
    assert!(fitted.summary().jitter.is_some_and(|j| j > 0.0 && j <= 1.001e-4));
    close(&predict(&fitted, &square(&x, rbf)), &y, 1e-3);
}

#[test]
fn a_constant_target_is_predicted_as_it_is_and_what_cannot_be_fitted_is_a_named_error() {
    let (x, control) = (wave(8, 2, 21), Control::default());
    let y = Matrix::column(vec![0.1; 8]);
    close(&run(&gp(0.1, 1.0, true), &x, &y, None, &x, rbf), &y, 1e-14);
    let gram = square(&x, rbf);
    let attempt = |e: &Gp, target: &Target| {
        e.fit(&Task { view: View::Values(&gram), target, weights: None, control: &control, seed: 0 })
            .map(|_: FittedGp| ())
            .unwrap_err()
            .to_string()
    };
    assert!(attempt(&gp(-1.0, 1.0, true), &Target::Numbers(y.clone())).contains("noise=-1 is outside its domain"));
    assert!(attempt(&gp(0.1, 0.0, true), &Target::Numbers(y)).contains("variance=0"));
    assert!(attempt(&gp(0.1, 1.0, true), &Target::classes(&["a"; 8])).contains("every row is of class 'a'"));
    let indefinite = Dense::square(Matrix::new(2, 2, vec![1.0, 3.0, 3.0, 1.0]).unwrap()).unwrap();
    let target = Target::numbers(&[0.0, 1.0]);
    let task = Task { view: View::Values(&indefinite), target: &target, weights: None, control: &control, seed: 0 };
    assert!(gp(0.1, 1.0, true).fit(&task).unwrap_err().to_string().contains("not positive definite"));
}

#[test]
fn starts_are_shares_of_the_variance_of_the_target() {
    let (x, control) = (wave(4, 1, 22), Control::default());
    let (gram, target) = (square(&x, rbf), Target::numbers(&[1.0, 3.0, 1.0, 3.0]));
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 0 };
    assert_eq!(Gp::default().start("noise", &task).unwrap(), 0.1);
    assert_eq!(Gp::default().start("variance", &task).unwrap(), 1.0);
    let plain = Gp { standardise_target: false, ..Gp::default() };
    near(plain.start("variance", &task).unwrap(), 1.0, 1e-15);
    let target = Target::numbers(&[10.0, 30.0, 10.0, 30.0]);
    let task = Task { target: &target, ..task };
    near(plain.start("variance", &task).unwrap(), 100.0, 1e-12);
    near(plain.start("noise", &task).unwrap(), 10.0, 1e-12);
}

#[test]
fn a_stored_fit_predicts_the_same_bits_and_a_damaged_one_is_an_error() {
    let (x, y, new) = (wave(20, 2, 23), wave(20, 2, 24), wave(7, 2, 25));
    let fitted = fit(&gp(0.1, 1.0, true), &square(&x, rbf), &Target::Numbers(y), None);
    let (text, stored) = mercer::blocks::collect(|| serde_json::to_string(&fitted).unwrap());
    let back: FittedGp = mercer::blocks::supply(stored, || serde_json::from_str(&text)).unwrap();
    assert_eq!(back, fitted);
    let k = cross(&new, &x, rbf);
    assert_eq!(
        back.predict(&Query::new(&k, ALL, &Control::default())).unwrap(),
        fitted.predict(&Query::new(&k, ALL, &Control::default())).unwrap()
    );
    let text = serde_json::to_string(&fitted).unwrap();
    for (good, bad) in [
        ("\"inline\":[0,1,", "\"inline\":[0,"),
        ("\"scales\":[", "\"scales\":[{\"mean\":0,\"deviation\":1},"),
        ("\"bias\":[", "\"bias\":[0,"),
    ] {
        assert!(text.contains(good), "{good}");
        let damaged: FittedGp = serde_json::from_str(&text.replacen(good, bad, 1)).unwrap();
        assert!(damaged.predict(&Query::new(&k, ALL, &Control::default())).is_err(), "{bad}");
    }
    assert!(fitted.predict(&Query::new(&cross(&new, &new, rbf), ALL, &Control::default())).is_err());
}

/// One column of points, as a table.
fn inputs(x: &Matrix) -> mercer::data::Dataset {
    mercer::data::Dataset::from_points(mercer::data::Points::dense(x.rows(), x.cols(), x.data().to_vec()).unwrap())
}

/// A standard normal vector.
pub(crate) fn normals(n: usize, seed: u64) -> Vec<f64> {
    use rand::SeedableRng;
    use rand_distr::Distribution;
    let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..n).map(|_| rand_distr::StandardNormal.sample(&mut random)).collect()
}

/// L with K = L L', K of unit variance: L = (L^-1 K)'.
fn root(kernel: &str, x: &Matrix) -> Matrix {
    let bound = mercer::kernels::KernelExpr::parse(kernel).unwrap().bind(None, &inputs(x)).unwrap();
    let mut k = mercer::gram::dense(bound.as_ref(), &Control::default()).unwrap();
    k.add_to_diagonal(&[1e-10]);
    Cholesky::new(k.clone(), &Control::default()).unwrap().solve_lower(&k, &Control::default()).unwrap().transpose()
}

/// A draw of the process whose covariance has this root.
fn draw(root: &Matrix, seed: u64) -> Vec<f64> {
    product(root, &Matrix::column(normals(root.rows(), seed))).unwrap().into_data()
}

/// The length scales that the evidence of a Gaussian process chooses.
fn learnt_lengths(kernel: &str, x: &Matrix, y: &[f64]) -> Vec<f64> {
    let (data, target) = (inputs(x), Target::numbers(y));
    let examples = mercer::data::Examples { data: &data, target: &target, weights: None, split: &mercer::data::Split::Rows };
    let kernel = mercer::kernels::KernelExpr::parse(kernel).unwrap();
    let estimator = mercer::estimators::EstimatorExpr::parse("gp").unwrap();
    let tuned = mercer::select::tune(&kernel, &estimator, &examples, &Control::default(), 0, false).unwrap();
    tuned.kernel.values()[0].value.numbers().to_vec()
}

// spec: GP09, G25
#[test]
fn the_evidence_finds_the_length_scale_that_made_the_data() {
    let n = 400;
    let x = Matrix::column((0..n).map(|i| f64::from(i) * 40.0 / f64::from(n)).collect());
    let f = draw(&root("rbf(length_scale=1.3)", &x), 5);
    let y: Vec<f64> = f.iter().zip(normals(400, 6)).map(|(f, e)| f + 0.1 * e).collect();
    let found = learnt_lengths("rbf(length_scale=0.1..20)", &x, &y)[0];
    assert!((found / 1.3 - 1.0).abs() <= 0.1, "{found}");
}

// spec: GP09, G25
#[test]
fn one_length_scale_per_column_switches_off_the_columns_of_noise() {
    let n = 200;
    let noise = normals(n * 6, 9);
    let x = Matrix::from_fn(n, 6, |i, j| noise[i * 6 + j]);
    let errors = normals(n, 10);
    let y: Vec<f64> = (0..n).map(|i| (2.0 * x[(i, 2)]).sin() + 0.1 * errors[i]).collect();
    let lengths = learnt_lengths("rbf(ard=true)", &x, &y);
    for (j, length) in lengths.iter().enumerate() {
        assert!(if j == 2 { *length < 2.0 } else { *length > 10.0 * lengths[2] }, "column {j}: {lengths:?}");
    }
}

// spec: GP10
#[test]
fn draws_of_a_field_in_the_plane_and_of_an_ou_process_have_their_covariances() {
    let plane = Matrix::new(4, 2, vec![0.0, 0.0, 0.7, 0.1, 0.2, 1.1, -0.5, 0.4]).unwrap();
    let line = Matrix::column(vec![0.0, 0.3, 1.0, 1.1]);
    // exp(-|x - z|^2 / 2) in the plane and exp(-|s - t|) on a line, from the points alone.
    let field = |x: &[f64], z: &[f64]| (-0.5 * x.iter().zip(z).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()).exp();
    let process = |x: &[f64], z: &[f64]| (-(x[0] - z[0]).abs()).exp();
    type Covariance = fn(&[f64], &[f64]) -> f64;
    let cases: [(&str, &Matrix, Covariance); 2] =
        [("rbf(length_scale=1)", &plane, field), ("matern(nu=0.5, length_scale=1)", &line, process)];
    for (kernel, x, covariance) in cases {
        let draws = 20_000;
        let (root, mut sums) = (root(kernel, x), Matrix::zeros(4, 4));
        for seed in 0..draws {
            let f = draw(&root, seed);
            for i in 0..4 {
                for j in 0..4 {
                    sums[(i, j)] += f[i] * f[j] / draws as f64;
                }
            }
        }
        for i in 0..4 {
            for j in 0..4 {
                let expected = covariance(x.row(i), x.row(j));
                let error = ((1.0 + expected * expected) / draws as f64).sqrt();
                near(sums[(i, j)], expected, 3.5 * error);
            }
        }
    }
}

// spec: GP13, E4-01
#[test]
fn the_density_of_targets_integrates_to_one_in_one_and_two_dimensions() {
    let density = |x: &Matrix, t: &[f64]| {
        let gram = square(x, rbf);
        (-criterion(&gp(0.3, 0.9, false), &gram, &Matrix::column(t.to_vec()), None).value).exp()
    };
    let (one, two) = (Matrix::column(vec![0.4]), Matrix::column(vec![0.0, 0.7]));
    // N(0; 0, 1.2) = (2 pi 1.2)^(-1/2).
    near(density(&one, &[0.0]), (std::f64::consts::TAU * 1.2).powf(-0.5), 1e-14);
    let step = 0.1;
    let grid: Vec<f64> = (-90..=90).map(|i| f64::from(i) * step).collect();
    near(grid.iter().map(|t| density(&one, &[*t])).sum::<f64>() * step, 1.0, 1e-10);
    let sum: f64 = grid.iter().map(|a| grid.iter().map(|b| density(&two, &[*a, *b])).sum::<f64>()).sum();
    near(sum * step * step, 1.0, 1e-9);
}

#[test]
fn draws_have_the_mean_and_the_covariance_of_the_process_and_come_from_the_seed() {
    let (x, new) = (wave(12, 1, 1), wave(4, 1, 2));
    let y = Matrix::from_fn(12, 2, |i, o| (1.0 + 9.0 * o as f64) * x[(i, 0)].sin() + o as f64);
    let fitted = fit(&gp(0.1, 1.0, true), &square(&x, rbf), &Target::Numbers(y), None);
    let control = Control::default();
    let p = fitted.predict(&Query::new(&cross(&new, &x, rbf), ALL, &control)).unwrap();
    const COUNT: usize = 40_000;
    let draws = p.draws(COUNT, 7, &control).unwrap().unwrap();
    assert_eq!((draws.len(), draws[0].rows(), draws[0].cols()), (2, 4, COUNT));
    let (mean, variance, covariance) = (numbers(&p).clone(), p.variance.clone().unwrap(), p.covariance.clone().unwrap());
    for o in 0..2 {
        let factor = variance[(0, o)] / variance[(0, 0)];
        let at: Vec<f64> = (0..4).map(|i| draws[o].row(i).iter().sum::<f64>() / COUNT as f64).collect();
        for i in 0..4 {
            // Five standard deviations of a mean of so many draws.
            near(at[i], mean[(i, o)], 5.0 * (variance[(i, o)] / COUNT as f64).sqrt());
            for j in 0..4 {
                let both = (0..COUNT).map(|k| (draws[o][(i, k)] - at[i]) * (draws[o][(j, k)] - at[j])).sum::<f64>() / COUNT as f64;
                let size = (variance[(i, o)] * variance[(j, o)]).sqrt();
                near(both, factor * covariance[(i, j)], 5.0 * size * (2.0 / COUNT as f64).sqrt());
            }
        }
    }
    assert!(p.draws(3, 7, &control).unwrap() == p.draws(3, 7, &control).unwrap());
    assert!(p.draws(3, 7, &control).unwrap() != p.draws(3, 8, &control).unwrap());
    let without = fitted.predict(&Query::new(&cross(&new, &x, rbf), Want::default(), &control)).unwrap();
    assert!(without.draws(3, 7, &control).unwrap().is_none());
    // The factor that the fit keeps is that of the covariance of its targets.
    let l = fitted.factor().unwrap().to_matrix();
    let mut c = values(&x, &x, rbf);
    c.add_to_diagonal(&[0.1; 12]);
    close(&product(&l, &l.transpose()).unwrap(), &c, 1e-14);
    assert_eq!(l[(0, 11)], 0.0);
}
