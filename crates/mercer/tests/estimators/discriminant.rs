//! Kernel Fisher discriminant analysis against linear discriminant analysis worked by hand, and against what it must keep to.

use crate::made;
use mercer::control::Control;
use mercer::data::Target;
use mercer::estimators::{Discriminant, Estimator, EstimatorExpr, Fitted, FittedDiscriminant, Predicted, Query, Ridge, Task, View, Want};
use mercer::gram::Dense;
use mercer::linalg::{Cholesky, Matrix, product, product_transposed};
use mercer::param::Value;

const N: usize = 60;

/// Three columns; each class but the first lies apart along one of them.
fn rows(count: usize) -> (Matrix, Vec<usize>) {
    let codes: Vec<usize> = (0..N).map(|i| (i * i + i / 3) % count).collect();
    let wave = |i: usize, j: usize| ((1.0 + j as f64) * 1.7 * i as f64 + j as f64).sin() + 0.3 * (0.37 * (i * (j + 2)) as f64).cos();
    let x = Matrix::from_fn(N, 3, |i, j| wave(i, j) * [1.0, 2.0, 0.5][j] + if codes[i] == j + 1 { [1.0, -2.0, 0.5][j] } else { 0.0 });
    (x, codes)
}

fn fit(k: &Matrix, codes: &[usize], count: usize, lambda: f64) -> FittedDiscriminant {
    let names = (0..count).map(|c| format!("class {c}")).collect();
    let target = Target::Classes { codes: codes.to_vec(), names };
    let (gram, control) = (Dense::square(k.clone()).unwrap(), Control::default());
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 0 };
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

// ln prior_c + m_c'W^-1 z - m_c'W^-1 m_c / 2, with the means and the covariance of the regression's values of rows that it was fitted
// without, one refit for each row, each taken from the mean of its values of all rows; an invertible map of z plays no part.
#[test]
fn probabilities_are_those_of_gaussian_classes_at_rows_that_the_regression_has_not_seen() {
    for (count, weights) in [(2, None), (3, None), (4, None), (3, Some([1.0, 2.0, 1.0]))] {
        let (x, codes) = rows(count);
        let k = Matrix::from_fn(N, N, |i, j| (-0.1 * (0..3).map(|c| (x[(i, c)] - x[(j, c)]).powi(2)).sum::<f64>()).exp());
        let weights: Option<Vec<f64>> = weights.map(|w| (0..N).map(|i| w[i % 3]).collect());
        let names: Vec<String> = (0..count).map(|c| format!("class {c}")).collect();
        let control = Control::default();
        let regression = |weights: &[f64]| {
            let kept: Vec<usize> = (0..N).filter(|&i| weights[i] > 0.0).collect();
            let gram = Dense::square(Matrix::from_fn(kept.len(), kept.len(), |a, b| k[(kept[a], kept[b])])).unwrap();
            let target = Target::Classes { codes: kept.iter().map(|&i| codes[i]).collect(), names: names.clone() };
            let weights: Vec<f64> = kept.iter().map(|&i| weights[i]).collect();
            let task = Task { view: View::Values(&gram), target: &target, weights: Some(&weights), control: &control, seed: 0 };
            let fitted = Ridge { lambda: Value::Number(0.2), ..Ridge::default() }.fit(&task).unwrap();
            let e = fitted.expansion().clone();
            move |of: &[f64]| -> Vec<f64> {
                let at = |o: usize| e.support.iter().enumerate().map(|(s, &r)| e.coef[(s, o)] * of[kept[r]]).sum::<f64>() + e.bias[o];
                (0..e.bias.len()).map(at).collect()
            }
        };
        let w: Vec<f64> = weights.clone().unwrap_or_else(|| vec![1.0; N]);
        let total: f64 = w.iter().sum();
        let from_the_mean = |f: &dyn Fn(&[f64]) -> Vec<f64>, i: usize| -> Vec<f64> {
            let all: Vec<Vec<f64>> = (0..N).map(|j| f(k.row(j))).collect();
            (0..all[i].len()).map(|o| all[i][o] - (0..N).map(|j| w[j] * all[j][o]).sum::<f64>() / total).collect()
        };
        // One repetition of a row is left out.
        let unseen: Vec<Vec<f64>> = (0..N)
            .map(|i| from_the_mean(&regression(&(0..N).map(|j| w[j] - f64::from(u8::from(i == j))).collect::<Vec<_>>()), i))
            .collect();
        // Of outputs that sum to a constant one says nothing more.
        let size = if count == 2 { 1 } else { count - 1 };
        let mass = |c: usize| (0..N).filter(|&i| codes[i] == c).map(|i| w[i]).sum::<f64>();
        let means =
            Matrix::from_fn(count, size, |c, o| (0..N).filter(|&i| codes[i] == c).map(|i| w[i] * unseen[i][o]).sum::<f64>() / mass(c));
        let within = Matrix::from_fn(size, size, |o, p| {
            (0..N).map(|i| w[i] * (unseen[i][o] - means[(codes[i], o)]) * (unseen[i][p] - means[(codes[i], p)])).sum::<f64>() / total
        });
        let factor = Cholesky::new(within, &control).unwrap();
        let names_of = names.clone();
        let target = Target::Classes { codes: codes.clone(), names: names_of };
        let gram = Dense::square(k.clone()).unwrap();
        let task = Task { view: View::Values(&gram), target: &target, weights: weights.as_deref(), control: &control, seed: 0 };
        let fitted = Discriminant { lambda: Value::Number(0.2), ..Discriminant::default() }.fit(&task).unwrap();
        assert!(!fitted.summary().notes.iter().any(|n| n.contains("do not confirm")), "{:?}", fitted.summary().notes);
        let cross = Dense::cross(k.clone(), k.diagonal(), k.diagonal()).unwrap();
        let found = fitted.predict(&Query::new(&cross, Want { probabilities: true, scores: true, ..Want::default() }, &control)).unwrap();
        let Predicted::Classes(predicted) = &found.values else { panic!("no classes") };
        let whole = regression(&w);
        for i in 0..N {
            let z = from_the_mean(&whole, i);
            let logs: Vec<f64> = (0..count)
                .map(|c| {
                    let away = Matrix::column((0..size).map(|o| z[o] - means[(c, o)]).collect());
                    let solved = factor.solve(&away, &control).unwrap();
                    (mass(c) / total).ln() - 0.5 * away.data().iter().zip(solved.data()).map(|(a, b)| a * b).sum::<f64>()
                })
                .collect();
            let sum: f64 = logs.iter().map(|l| l.exp()).sum();
            let row = found.probabilities.as_ref().unwrap().row(i);
            for c in 0..count {
                let expected = logs[c].exp() / sum;
                assert!((row[c] - expected).abs() <= 1e-6, "{count} classes, row {i}: {} and {expected}", row[c]);
                assert!(row[predicted[i]] >= row[c]);
            }
        }
    }
}

/// The calibrated fit that users have, and its probabilities of the rows of a cross Gram matrix.
fn probabilities(text: &str, x: &made::Rows, target: &Target, new: &made::Rows, scale: f64) -> Matrix {
    let kernel = made::rbf(scale);
    let gram = made::square(x, |a, b| kernel(a, b));
    let task = Task { view: View::Values(&gram), target, weights: None, control: &Control::default(), seed: 3 };
    let fitted = EstimatorExpr::parse(text).unwrap().fit(&task).unwrap();
    let cross = made::cross(new, x, fitted.support(), |a, b| kernel(a, b));
    fitted
        .predict(&Query::new(&cross, Want { probabilities: true, ..Want::default() }, &Control::default()))
        .unwrap()
        .probabilities
        .unwrap()
}

/// The class of the greatest probability.
fn decided(p: &Matrix, i: usize) -> usize {
    (0..p.cols()).max_by(|&a, &b| p[(i, a)].total_cmp(&p[(i, b)])).unwrap()
}

// Classes in clumps that lie 4 apart and reach .5: whatever the regularisation, a row belongs to the clump that it lies in.
#[test]
fn separate_classes_are_told_apart_at_every_regularisation_size_and_naming() {
    for sizes in [&[3, 3][..], &[2, 4], &[20, 20], &[5, 40], &[2, 2, 2], &[4, 9, 5], &[3, 3, 3, 3], &[2, 12, 6, 3, 7]] {
        let count = sizes.len();
        for turned in 0..2 {
            // The names of the clumps from left to right.
            let name = |clump: usize| if turned == 0 { clump } else { (count + 1 - clump) % count };
            let at: Vec<(usize, f64)> = (0..count)
                .flat_map(|clump| (0..sizes[clump]).map(move |i| (clump, 4.0 * clump as f64 - 0.5 + i as f64 / (sizes[clump] - 1) as f64)))
                .collect();
            let x: made::Rows = at.iter().map(|(_, x)| vec![*x]).collect();
            let names = (0..count).map(|c| format!("class {c}")).collect();
            let target = Target::Classes { codes: at.iter().map(|(clump, _)| name(*clump)).collect(), names };
            let new: made::Rows = (0..count).flat_map(|clump| [-0.3, 0.0, 0.4].map(|off| vec![4.0 * clump as f64 + off])).collect();
            for lambda in ["1e-6", "1e-3", "0.1", "1", "10", "1000", "1e5", "1e7"] {
                for calibrated in [true, false] {
                    let text = format!("discriminant(lambda={lambda}, calibrated={calibrated})");
                    let p = probabilities(&text, &x, &target, &new, 0.5);
                    let found: Vec<usize> = (0..new.len()).map(|i| decided(&p, i)).collect();
                    let expected: Vec<usize> = (0..new.len()).map(|i| name(i / 3)).collect();
                    assert_eq!(found, expected, "{sizes:?}, {text}: {p:?}");
                }
            }
        }
    }
}

// Classes that overlap by a deviation each way, under strong regularisation: Fisher's direction is that of the means, and of new rows 84%
// are on their side.
#[test]
fn strong_regularisation_leaves_the_direction_of_the_means() {
    let n = 60;
    let (x, new) = (made::points(31, n, 3), made::points(32, 400, 3));
    let shifted = |x: &made::Rows| -> made::Rows {
        x.iter().enumerate().map(|(i, x)| vec![x[0] + if i % 2 == 1 { 1.155 } else { 0.0 }, x[1], x[2]]).collect()
    };
    let target = Target::Classes { codes: (0..n).map(|i| i % 2).collect(), names: vec!["a".into(), "b".into()] };
    for lambda in ["1", "100", "1000", "1e6"] {
        for calibrated in [true, false] {
            let p = probabilities(
                &format!("discriminant(lambda={lambda}, calibrated={calibrated})"),
                &shifted(&x),
                &target,
                &shifted(&new),
                0.1,
            );
            let right = (0..400).filter(|&i| decided(&p, i) == i % 2).count();
            assert!(right >= 300, "{lambda}, {calibrated}: {right} of 400");
        }
    }
}

// Labels dealt at random: nothing is better than one half for each, .693, and labels learnt of 60 rows cost some hundredths.
#[test]
fn labels_at_random_are_not_believed() {
    let n = 60;
    for lambda in ["1e-3", "1", "1000", "1e7"] {
        for calibrated in [true, false] {
            let draws = 8;
            let mut all = 0.0;
            for draw in 0..draws {
                let (x, new) = (made::points(100 + draw, n, 5), made::points(200 + draw, 200, 5));
                let target = Target::Classes { codes: (0..n).map(|i| i % 2).collect(), names: vec!["a".into(), "b".into()] };
                let p = probabilities(&format!("discriminant(lambda={lambda}, calibrated={calibrated})"), &x, &target, &new, 0.3);
                let loss = p.data().iter().map(|p| -p.ln()).sum::<f64>() / 400.0;
                assert!(loss < 1.0, "lambda={lambda}, draw {draw}: {loss}");
                all += loss / draws as f64;
            }
            assert!(all < 0.74, "lambda={lambda}, calibrated={calibrated}: {all}");
        }
    }
}

// A narrow kernel that tells every training row: on new rows the classes overlap all the same.
#[test]
fn probabilities_of_a_narrow_kernel_are_no_surer_than_new_rows_allow() {
    let (x, e) = (made::points(5, 160, 2), made::errors(5, 160));
    let codes: Vec<usize> = (0..160).map(|i| usize::from(x[i][0] + 0.6 * e[i] > 0.0)).collect();
    let of = made::square(&x, |a, b| made::rbf(3.0)(a, b)).matrix().clone();
    let train = Matrix::from_fn(80, 80, |i, j| of[(i, j)]);
    let fitted = fit(&train, &codes[..80], 2, 1e-3);
    let support = fitted.support().to_vec();
    let cross = Dense::cross(Matrix::from_fn(80, support.len(), |i, s| of[(80 + i, support[s])]), vec![1.0; 80], vec![1.0; support.len()]);
    let found = fitted.predict(&Query::new(&cross.unwrap(), Want { probabilities: true, ..Want::default() }, &Control::default())).unwrap();
    let p = found.probabilities.unwrap();
    let loss = (0..80).map(|i| -p[(i, codes[80 + i])].ln()).sum::<f64>() / 80.0;
    // That of saying one half of every row is .693.
    assert!(loss < 0.75, "{loss}");
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
            let mean = |c: usize, o: usize| {
                let of: Vec<f64> = (0..N).filter(|&i| codes[i] == c).map(|i| z[(i, o)]).collect();
                of.iter().sum::<f64>() / of.len() as f64
            };
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
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 0 };
    let told = Discriminant { lambda: Value::Number(1.0), ..Discriminant::default() }.fit(&task).unwrap_err().to_string();
    assert!(told.contains("at least two classes") && told.contains("east"), "{told}");
}

#[test]
fn the_method_passes_the_conformance_kit() {
    let kernel = mercer::kernels::KernelExpr::parse("0.7*rbf(length_scale=1.3) + 0.4*matern(nu=1.5, length_scale=0.8)*equal").unwrap();
    let told = mercer::testkit::check_estimator_expr(&"discriminant".parse().unwrap(), &kernel, &mercer::testkit::table(26, 17));
    assert!(told.is_ok(), "{}", told.unwrap_err());
}
