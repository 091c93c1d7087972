//! Kernel Fisher discriminant analysis against linear discriminant analysis worked by hand, and against what it must keep to.

use mercer::control::Control;
use mercer::data::Target;
use mercer::estimators::{Discriminant, Estimator, Fitted, FittedDiscriminant, Predicted, Query, Task, Want};
use mercer::gram::Dense;
use mercer::linalg::{Cholesky, Matrix, product, product_transposed};
use mercer::param::Value;

const N: usize = 60;

/// Three columns; classes lie apart along (1, -0.5, 0.25).
fn rows(count: usize) -> (Matrix, Vec<usize>) {
    let codes: Vec<usize> = (0..N).map(|i| (i * i + i / 3) % count).collect();
    let wave = |i: usize, j: usize| ((1.0 + j as f64) * 1.7 * i as f64 + j as f64).sin() + 0.3 * (0.37 * (i * (j + 2)) as f64).cos();
    let x = Matrix::from_fn(N, 3, |i, j| wave(i, j) * [1.0, 2.0, 0.5][j] + codes[i] as f64 * [0.5, -0.25, 0.125][j]);
    (x, codes)
}

fn fit(k: &Matrix, codes: &[usize], count: usize, lambda: f64) -> FittedDiscriminant {
    let names = (0..count).map(|c| format!("class {c}")).collect();
    let target = Target::Classes { codes: codes.to_vec(), names };
    let (gram, control) = (Dense::square(k.clone()).unwrap(), Control::default());
    let task = Task { gram: &gram, target: &target, weights: None, control: &control, seed: 0 };
    Discriminant { lambda: Value::Number(lambda), ..Discriminant::default() }.fit(&task).unwrap()
}

/// Means of classes and the inverse of the pooled covariance times a vector.
fn pooled(x: &Matrix, codes: &[usize], count: usize) -> (Matrix, Matrix) {
    let mut means = Matrix::zeros(count, 3);
    for c in 0..count {
        let of: Vec<usize> = (0..N).filter(|&i| codes[i] == c).collect();
        (0..3).for_each(|j| means[(c, j)] = of.iter().map(|&i| x[(i, j)]).sum::<f64>() / of.len() as f64);
    }
    let centred = Matrix::from_fn(N, 3, |i, j| x[(i, j)] - means[(codes[i], j)]);
    let mut scatter = product(&centred.transpose(), &centred).unwrap();
    scatter.data_mut().iter_mut().for_each(|v| *v /= N as f64);
    (means, scatter)
}

// Fisher's direction is S_W^-1 (m_1 - m_0).
// spec: M31
#[test]
fn the_linear_kernel_has_the_direction_of_linear_discriminant_analysis() {
    let (x, codes) = rows(2);
    let k = product_transposed(&x, &x).unwrap();
    let fitted = fit(&k, &codes, 2, 1e-7);
    let direction = product(&x.transpose(), &fitted.expansion().coef).unwrap().into_data();
    let (means, scatter) = pooled(&x, &codes, 2);
    let apart = Matrix::column((0..3).map(|j| means[(1, j)] - means[(0, j)]).collect());
    let expected = Cholesky::new(scatter, &Control::default()).unwrap().solve(&apart, &Control::default()).unwrap().into_data();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let cosine = dot(&direction, &expected).abs() / (dot(&direction, &direction) * dot(&expected, &expected)).sqrt();
    assert!(cosine > 1.0 - 1e-8 && cosine <= 1.0 + 1e-12, "{cosine}");
}

// ln prior_c - 1/2 (x - m_c)'S_W^-1 (x - m_c), Gaussian classes of one covariance (maximum likelihood), by hand.
#[test]
fn the_linear_kernel_has_the_probabilities_of_linear_discriminant_analysis() {
    for count in [2, 3, 4] {
        let (x, codes) = rows(count);
        let k = product_transposed(&x, &x).unwrap();
        let fitted = fit(&k, &codes, count, 1e-6);
        let support = fitted.support().to_vec();
        let values = Matrix::from_fn(N, support.len(), |i, s| k[(i, support[s])]);
        let cross = Dense::cross(values, k.diagonal(), support.iter().map(|&s| k[(s, s)]).collect()).unwrap();
        let control = Control::default();
        let found = fitted.predict(&Query::new(&cross, Want { probabilities: true, scores: true, ..Want::default() }, &control)).unwrap();
        let (means, scatter) = pooled(&x, &codes, count);
        let factor = Cholesky::new(scatter, &control).unwrap();
        let Predicted::Classes(predicted) = &found.values else { panic!("no classes") };
        for i in 0..N {
            let logs: Vec<f64> = (0..count)
                .map(|c| {
                    let away = Matrix::column((0..3).map(|j| x[(i, j)] - means[(c, j)]).collect());
                    let solved = factor.solve(&away, &control).unwrap();
                    let square: f64 = away.data().iter().zip(solved.data()).map(|(a, b)| a * b).sum();
                    (codes.iter().filter(|k| **k == c).count() as f64 / N as f64).ln() - 0.5 * square
                })
                .collect();
            let sum: f64 = logs.iter().map(|l| l.exp()).sum();
            let row = found.probabilities.as_ref().unwrap().row(i);
            for c in 0..count {
                assert!((row[c] - logs[c].exp() / sum).abs() <= 1e-6, "{count} classes, row {i}: {} and {}", row[c], logs[c].exp() / sum);
                assert!(row[predicted[i]] >= row[c]);
            }
        }
    }
}

#[test]
fn coordinates_are_uncorrelated_with_variance_one_within_classes() {
    let (x, codes) = rows(4);
    let k = Matrix::from_fn(N, N, |i, j| (-0.1 * (0..3).map(|c| (x[(i, c)] - x[(j, c)]).powi(2)).sum::<f64>()).exp());
    let fitted = fit(&k, &codes, 4, 0.5);
    let e = fitted.expansion();
    let z = product(&k, &e.coef).unwrap();
    assert_eq!(z.cols(), 3);
    for a in 0..3 {
        for b in 0..3 {
            let mean = |c: usize, o: usize| fitted.means[(c, o)] - e.bias[o];
            let found: f64 = (0..N).map(|i| (z[(i, a)] - mean(codes[i], a)) * (z[(i, b)] - mean(codes[i], b))).sum::<f64>() / N as f64;
            assert!((found - f64::from(u8::from(a == b))).abs() <= 1e-8, "({a}, {b}): {found}");
        }
    }
    assert!(fitted.between.is_sorted_by(|a, b| a >= b));
}

#[test]
fn one_class_is_refused_with_its_name() {
    let k = Matrix::from_fn(4, 4, |i, j| f64::from(u8::from(i == j)));
    let target = Target::Classes { codes: vec![1; 4], names: vec!["north".into(), "east".into()] };
    let (gram, control) = (Dense::square(k).unwrap(), Control::default());
    let task = Task { gram: &gram, target: &target, weights: None, control: &control, seed: 0 };
    let told = Discriminant { lambda: Value::Number(1.0), ..Discriminant::default() }.fit(&task).unwrap_err().to_string();
    assert!(told.contains("at least two classes") && told.contains("east"), "{told}");
}

#[test]
fn the_method_passes_the_conformance_kit() {
    let kernel = mercer::kernels::KernelExpr::parse("0.7*rbf(length_scale=1.3) + 0.4*matern(nu=1.5, length_scale=0.8)*equal").unwrap();
    let told = mercer::testkit::check_estimator(&"discriminant".parse().unwrap(), &kernel, &mercer::testkit::table(26, 17));
    assert!(told.is_ok(), "{}", told.unwrap_err());
}
