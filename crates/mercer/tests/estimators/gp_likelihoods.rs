//! Gaussian processes of numbers with outliers and of counts, against formulas worked by hand and against the normal process.

use crate::problem;

use mercer::control::Control;
use mercer::data::Target;
use mercer::estimators::{Estimator, Fitted, FittedGp, Gp, NumberLikelihood, Predictions, Query, Task, View, Want};
use mercer::gram::Dense;
use mercer::linalg::Matrix;
use mercer::param::Value;
use mercer::solve::{likelihood::Likelihood, mode, number_likelihoods::Poisson};
use problem::*;

const ALL: Want = Want { variance: true, covariance: true, probabilities: false, scores: false, by_class: false };

fn tails(noise: f64, variance: f64, degrees: f64) -> Gp {
    Gp {
        noise: Value::Number(noise),
        variance: Value::Number(variance),
        degrees: Value::Number(degrees),
        standardise_target: false,
        likelihood: NumberLikelihood::StudentT,
        ..Gp::default()
    }
}

fn counts(variance: f64) -> Gp {
    Gp { likelihood: NumberLikelihood::Poisson, ..tails(0.1, variance, 4.0) }
}

fn said(fitted: &FittedGp, cross: &Dense) -> Predictions {
    fitted.predict(&Query::new(cross, ALL, &Control::default())).unwrap()
}

fn sine(n: usize) -> (Matrix, Matrix) {
    let x = Matrix::from_fn(n, 1, |i, _| 6.0 * i as f64 / n as f64);
    let noise = wave(n, 1, 7);
    let y = Matrix::from_fn(n, 1, |i, _| x[(i, 0)].sin() + 0.1 * noise[(i, 0)]);
    (x, y)
}

#[test]
fn with_many_degrees_of_freedom_it_is_the_normal_process() {
    let (x, y) = sine(20);
    let (gram, new) = (square(&x, rbf), Matrix::column(vec![0.3, 2.2, 9.0]));
    let target = Target::Numbers(y);
    for standardise_target in [false, true] {
        let many = fit(&Gp { standardise_target, ..tails(0.05, 1.3, 1e7) }, &gram, &target, None);
        let normal = Gp { standardise_target, likelihood: NumberLikelihood::Gaussian, ..tails(0.05, 1.3, 4.0) };
        let normal = fit(&normal, &gram, &target, None);
        let (a, b) = (said(&many, &cross(&new, &x, rbf)), said(&normal, &cross(&new, &x, rbf)));
        close(numbers(&a), numbers(&b), 1e-5);
        close(a.variance.as_ref().unwrap(), b.variance.as_ref().unwrap(), 1e-6);
        close(a.covariance.as_ref().unwrap(), b.covariance.as_ref().unwrap(), 1e-6);
        assert!((a.noise.unwrap()[0] - b.noise.unwrap()[0]).abs() < 1e-6);
        let (a, b) = (many.summary().evidence.unwrap(), normal.summary().evidence.unwrap());
        assert!((a - b).abs() < 1e-4, "{a} and {b}");
    }
}

#[test]
fn outliers_pull_the_mean_less_than_those_of_a_normal_process() {
    let (x, mut y) = sine(40);
    for i in [5, 18, 31] {
        y[(i, 0)] += 8.0;
    }
    let (gram, target) = (square(&x, rbf), Target::Numbers(y));
    let error = |gp: &Gp| {
        let found = said(&fit(gp, &gram, &target, None), &cross(&x, &x, rbf));
        (0..40).map(|i| (numbers(&found)[(i, 0)] - x[(i, 0)].sin()).powi(2)).sum::<f64>().sqrt() / 40f64.sqrt()
    };
    let (robust, normal) = (error(&tails(0.01, 1.0, 4.0)), error(&Gp { likelihood: NumberLikelihood::Gaussian, ..tails(0.01, 1.0, 4.0) }));
    assert!(robust < 0.1 && normal > 5.0 * robust, "{robust} and {normal}");
}

#[test]
fn coefficients_are_the_slopes_of_the_likelihood_at_the_mode() {
    let (x, y) = sine(15);
    let (noise, variance, nu) = (0.02, 1.5, 3.0);
    let fitted = fit(&tails(noise, variance, nu), &square(&x, rbf), &Target::Numbers(y.clone()), None);
    let f = said(&fitted, &cross(&x, &x, rbf));
    for i in 0..15 {
        let r = y[(i, 0)] - numbers(&f)[(i, 0)];
        let slope = (nu + 1.0) * r / (nu * noise + r * r);
        let alpha = fitted.expansion().coef[(i, 0)] / variance;
        assert!((slope - alpha).abs() < 1e-6, "{slope} and {alpha}");
    }
    assert!(fitted.summary().converged);
}

/// One row and k(x, x) = 1: f ~ N(0, s), y ~ Poisson(e^(f + c)), c = ln y.
#[test]
fn a_count_alone_has_the_evidence_and_the_mean_of_formulas_by_hand() {
    let (y, s) = (7.0f64, 0.8f64);
    let gram = Dense::square(Matrix::column(vec![1.0])).unwrap();
    let fitted = fit(&counts(s), &gram, &Target::Numbers(Matrix::column(vec![y])), None);
    // With c = ln y the mode is 0 and the curvature y.
    let factorial: f64 = (1..=7).map(|k| f64::from(k).ln()).sum();
    let laplace = -y + y * y.ln() - factorial - 0.5 * (1.0 + s * y).ln();
    assert!((fitted.summary().evidence.unwrap() - laplace).abs() < 1e-10);
    // The trapezoid rule over f.
    let density = |f: f64| (-y * f.exp() + y * (f + y.ln()) - factorial - 0.5 * f * f / s).exp() / (std::f64::consts::TAU * s).sqrt();
    let exact = (-4000..=4000).map(|k| density(f64::from(k) * 0.002)).sum::<f64>() * 0.002;
    assert!((laplace - exact.ln()).abs() < 0.02, "{laplace} and {}", exact.ln());
    let v = s / (1.0 + s * y);
    let found = said(&fitted, &Dense::cross(Matrix::column(vec![1.0]), vec![1.0], vec![1.0]).unwrap());
    let mean = y * (0.5 * v).exp();
    assert!((numbers(&found)[(0, 0)] - mean).abs() < 1e-9);
    assert!((found.variance.unwrap()[(0, 0)] - (mean * mean * v.exp_m1() + mean)).abs() < 1e-8);
}

#[test]
fn derivatives_of_the_evidence_are_those_of_differences() {
    let (x, y) = sine(12);
    let (k, control) = (values(&x, &x, rbf), Control::default());
    let weights: Vec<f64> = (0..12).map(|i| 0.5 + (i % 3) as f64).collect();
    let many = Target::Numbers(Matrix::from_fn(12, 1, |i, _| ((i * 5) % 7) as f64));
    for weights in [None, Some(weights.as_slice())] {
        check_weights(&tails(0.05, 1.3, 5.0), &k, &Target::Numbers(y.clone()), weights, 1e-5);
        check_weights(&counts(0.7), &k, &many, weights, 1e-5);
        let gram = Dense::square(k.clone()).unwrap();
        let at = |gp: &Gp, target: &Target| {
            gp.criterion(&Task { view: View::Values(&gram), target, weights, control: &control, seed: 0 }).unwrap()
        };
        let numbers = Target::Numbers(y.clone());
        let own = at(&tails(0.05, 1.3, 5.0), &numbers).own;
        let slope =
            |moved: &dyn Fn(f64) -> Gp, target: &Target, h: f64| (at(&moved(h), target).value - at(&moved(-h), target).value) / (2.0 * h);
        for (name, difference) in [
            ("noise", slope(&|h| tails(0.05 + h, 1.3, 5.0), &numbers, 1e-5)),
            ("variance", slope(&|h| tails(0.05, 1.3 + h, 5.0), &numbers, 1e-4)),
            ("degrees", slope(&|h| tails(0.05, 1.3, 5.0 + h), &numbers, 1e-4)),
        ] {
            let found = own.iter().find(|(n, _)| *n == name).unwrap().1;
            assert!((found - difference).abs() < 1e-4 * (1.0 + difference.abs()), "{name}: {found} and {difference}");
        }
        let found = at(&counts(0.7), &many).own.iter().find(|(n, _)| *n == "variance").unwrap().1;
        let difference = slope(&|h| counts(0.7 + h), &many, 1e-4);
        assert!((found - difference).abs() < 1e-5 * (1.0 + difference.abs()), "{found} and {difference}");
    }
}

#[test]
fn a_row_of_weight_two_is_a_row_that_stands_twice() {
    let (x, y) = sine(10);
    let twice: Vec<usize> = (0..10).chain([3, 7]).collect();
    let weights: Vec<f64> = (0..10).map(|i| if i == 3 || i == 7 { 2.0 } else { 1.0 }).collect();
    let new = Matrix::column(vec![0.4, 5.0]);
    let whole = Matrix::from_fn(10, 1, |i, _| ((i * 5) % 7) as f64);
    for (gp, y) in [(tails(0.05, 1.3, 5.0), y), (counts(0.7), whole)] {
        let a = fit(&gp, &square(&x, rbf), &Target::Numbers(y.clone()), Some(&weights));
        let more = x.select_rows(&twice);
        let b = fit(&gp, &square(&more, rbf), &Target::Numbers(y.select_rows(&twice)), None);
        let (p, q) = (said(&a, &cross(&new, &x, rbf)), said(&b, &cross(&new, &more, rbf)));
        close(numbers(&p), numbers(&q), 1e-7);
        close(p.variance.as_ref().unwrap(), q.variance.as_ref().unwrap(), 1e-7);
        assert!((a.summary().evidence.unwrap() - b.summary().evidence.unwrap()).abs() < 1e-6);
    }
}

#[test]
fn what_is_no_count_and_what_has_no_variance_is_refused_with_what_to_change() {
    let (x, y) = sine(6);
    let (gram, control) = (square(&x, rbf), Control::default());
    let why = |gp: Gp, y: Matrix| {
        let target = Target::Numbers(y);
        gp.fit(&Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 0 }).unwrap_err().to_string()
    };
    assert!(why(counts(1.0), y.clone()).contains("counts are whole numbers from 0"));
    assert!(why(tails(0.1, 1.0, 2.0), y.clone()).contains("must be above 2"));
    assert!(why(tails(0.0, 1.0, 3.0), y).contains("must be above 0"));
    assert!(why(tails(0.1, 1.0, 3.0), wave(6, 2, 1)).contains("one column of numbers"));
    let none = fit(&counts(1.0), &gram, &Target::Numbers(Matrix::zeros(6, 1)), None);
    assert!(said(&none, &cross(&x, &x, rbf)).variance.unwrap().data().iter().all(|v| v.is_finite()));
}

#[test]
fn a_mode_that_begins_nearby_is_the_same_mode() {
    let (x, _) = sine(30);
    let likelihood = Poisson { y: (0..30).map(|i| ((i * 11) % 6) as f64).collect(), weights: vec![1.0; 30], offset: 0.9 };
    let control = Control::default();
    let at = |variance: f64| {
        let mut s = values(&x, &x, rbf);
        s.data_mut().iter_mut().for_each(|v| *v *= variance);
        s
    };
    let (near, here) = (at(0.9), at(1.0));
    let first = mode::find(&likelihood, 30, &|v: &Matrix| mercer::linalg::product(&near, v), false, &control).unwrap();
    let multiply = |v: &Matrix| mercer::linalg::product(&here, v);
    let exact = mode::find(&likelihood, 30, &multiply, false, &control).unwrap();
    let found = mode::find_near(&likelihood, &first.alpha, &multiply, false, &control).unwrap();
    close(&found.latent, &exact.latent, 1e-5);
    assert!(found.iterations < exact.iterations, "{} and {}", found.iterations, exact.iterations);
    // What has another shape is no start.
    let other = mode::find_near(&likelihood, &Matrix::zeros(30, 3), &multiply, false, &control).unwrap();
    close(&other.latent, &exact.latent, 1e-5);
    assert_eq!(likelihood.outputs(), 1);
}

// Little noise and a smooth function: second derivatives are below 0 wherever the way begins.
#[test]
fn the_mode_under_heavy_tails_is_found_where_there_is_little_noise() {
    let (x, y) = sine(60);
    let gram = square(&x, rbf);
    for noise in [1e-1, 1e-3, 1e-5] {
        let fitted = fit(&tails(noise, 2.0, 4.0), &gram, &Target::Numbers(y.clone()), None);
        assert!(fitted.summary().converged, "{noise}: {:?}", fitted.summary());
    }
}
