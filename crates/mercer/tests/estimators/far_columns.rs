//! Columns that lie far from 0, as they are: what the estimator does not see of the place of the rows, rounding must not show it.

use crate::made;

use made::*;
use mercer::control::Control;
use mercer::data::{Dataset, Target};
use mercer::estimators::{EstimatorExpr, Predicted};
use mercer::kernels::KernelExpr;
use mercer::learner::Learner;
use mercer::prep::Recipe;
use mercer::read::TargetInfo;

/// Offsets that numbers of 20 binary digits behind the point are moved by without rounding.
const OFFSETS: [f64; 3] = [1024.0 * 1024.0, 128.0 * 1024.0 * 1024.0, -4.0 * 1024.0 * 1024.0 * 1024.0];

fn rows(offset: f64) -> Dataset {
    let round = |x: f64| (x * 1024.0).round() / 1024.0;
    let place = |i: usize| 3.0 * (i % 3) as f64;
    let x: Rows = points(71, 48, 2).iter().enumerate().map(|(i, x)| vec![offset + round(x[0] + place(i)), offset + round(x[1])]).collect();
    table_of(&x)
}

/// Scores and codes, or numbers, that a model fitted without standardising gives for its training rows.
fn predicted(estimator: &str, kernel: &str, data: &Dataset, target: &Target) -> Vec<f64> {
    let learner = Learner {
        prep: Recipe { standardise: false, drop_constant: false, ..Recipe::default() },
        kernel: Some(KernelExpr::parse(kernel).unwrap()),
        ..Learner::new(EstimatorExpr::parse(estimator).unwrap())
    };
    let model = learner.fit(data, target, &TargetInfo::of(target), None, &Control::default()).unwrap();
    let p = model.predict(data, mercer::estimators::Want { scores: true, ..Default::default() }, &Control::default()).unwrap();
    match (p.scores, p.values) {
        (Some(scores), Predicted::Classes(codes)) => scores.data().iter().copied().chain(codes.iter().map(|c| *c as f64)).collect(),
        (Some(scores), _) => scores.data().to_vec(),
        (None, Predicted::Numbers(f)) => f.data().to_vec(),
        (None, Predicted::Classes(codes)) => codes.iter().map(|c| *c as f64).collect(),
    }
}

// k(x, z) + f(x) + f(z) is the same kernel to each of them, and the linear kernel of moved columns is that.
#[test]
fn columns_far_from_zero_are_predicted_from_as_columns_near_it() {
    let numbers = Target::numbers(&(0..48).map(|i| (i % 3) as f64 + 0.3 * noise(72, i, 0)).collect::<Vec<_>>());
    let classes = Target::Classes { codes: (0..48).map(|i| i % 3).collect(), names: ["a", "b", "c"].map(String::from).to_vec() };
    let none = Target::Absent { rows: 48 };
    for (estimator, target) in [
        ("ridge(lambda=0.1)", &numbers),
        ("ridge(lambda=0.1)", &classes),
        ("svr(c=1, epsilon=0.1, tolerance=1e-8)", &numbers),
        ("svc(c=1, tolerance=1e-8)", &classes),
        ("discriminant(lambda=0.1)", &classes),
        ("logistic(lambda=0.1)", &classes),
        ("knn(k=5)", &classes),
        ("nearest_medoid", &classes),
        ("kernel_k_means(clusters=3)", &none),
        ("k_medoids(clusters=3)", &none),
        ("kernel_pca(components=2)", &none),
        ("mds(components=2)", &none),
    ] {
        for kernel in ["linear", "rbf(length_scale=1)"] {
            let near = predicted(estimator, kernel, &rows(0.0), target);
            let size = near.iter().map(|v| v.abs()).fold(0.0, f64::max);
            for offset in OFFSETS {
                let far = predicted(estimator, kernel, &rows(offset), target);
                // Weights of features times a number of this size have so many digits.
                let slack = 1e-5 + 64.0 * f64::EPSILON * offset.abs();
                let worst = near
                    .iter()
                    .zip(&far)
                    .map(|(a, b)| {
                        (a - b)
                            .abs()
                            .min((a + b).abs() + if estimator.contains("pca") || estimator.contains("mds") { 0.0 } else { f64::INFINITY })
                    })
                    .fold(0.0, f64::max);
                assert!(worst <= slack * size, "{estimator}, {kernel}, offset {offset}: {worst} of {size}");
            }
        }
    }
}
