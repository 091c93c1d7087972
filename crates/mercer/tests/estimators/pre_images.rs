//! Pre-images against the distance in feature space by its definition, principal components, and rows that are their own; refusals.

use crate::made::*;
use mercer::control::Control;
use mercer::data::{Column, Dataset, Strings, Target, Values};
use mercer::error::Result;
use mercer::estimators::{EstimatorExpr, Predicted, Want};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model, PreImageMethod, PreImages};
use mercer::linalg::Matrix;
use mercer::prep::Recipe;
use mercer::read::{Labels, TargetInfo};

const METHODS: [PreImageMethod; 2] = [PreImageMethod::FixedPoint, PreImageMethod::Distances];

fn table(rows: &Rows) -> Dataset {
    let column = |d: usize| Column { name: format!("x{d}"), values: Values::Numbers(rows.iter().map(|r| r[d]).collect()) };
    Dataset::new((0..rows[0].len()).map(column).collect()).unwrap()
}

fn fitted(estimator: &str, kernel: &str, data: &Dataset, weights: Option<&[f64]>) -> Model {
    fitted_with(&Recipe::default(), estimator, kernel, data, weights)
}

fn fitted_with(prep: &Recipe, estimator: &str, kernel: &str, data: &Dataset, weights: Option<&[f64]>) -> Model {
    let mut learner = Learner::new(EstimatorExpr::parse(estimator).unwrap());
    learner.prep = prep.clone();
    learner.kernel = Some(KernelExpr::parse(kernel).unwrap());
    learner.keep_rows = true;
    let info = TargetInfo { names: Vec::new(), classes: None, labels: Labels::Text };
    learner.fit(data, &Target::Absent { rows: data.rows() }, &info, weights, &Control::default()).unwrap()
}

fn coordinates(model: &Model, data: &Dataset) -> Matrix {
    match model.predict(data, Want::default(), &Control::default()).unwrap().values {
        Predicted::Numbers(m) => m,
        Predicted::Classes(_) => panic!("components are numbers"),
    }
}

fn found(model: &Model, data: &Dataset, method: PreImageMethod) -> Result<PreImages> {
    model.pre_images(&coordinates(model, data), method, &Control::default())
}

fn rows_of(data: &Dataset) -> Rows {
    let numbers = |c: &Column| if let Values::Numbers(v) = &c.values { v.clone() } else { panic!("numbers") };
    let columns: Vec<Vec<f64>> = data.columns().iter().map(numbers).collect();
    (0..data.rows()).map(|i| columns.iter().map(|c| c[i]).collect()).collect()
}

/// Rows of unlike columns, around two places.
fn training() -> Rows {
    let spread = |i: usize, r: &[f64]| vec![3.0 + r[0] + 2.0 * (i % 2) as f64, 100.0 - 40.0 * r[1], 0.01 * (r[2] + (i % 2) as f64)];
    points(5, 60, 3).iter().enumerate().map(|(i, r)| spread(i, r)).collect()
}

#[test]
fn training_rows_are_their_own_pre_images_where_all_components_are_kept() {
    let data = table(&training());
    for kernel in ["rbf(length_scale=1.5)", "2.5*rbf(length_scale=[1, 2, 3])", "linear", "0.5*linear"] {
        let model = fitted("kernel_pca(components=59)", kernel, &data, None);
        for method in METHODS {
            let made = found(&model, &data, method).unwrap();
            assert_eq!((made.nearest, made.unfinished), ((0..60).collect(), Vec::new()), "{kernel}");
            // Components with next to no variance have coordinates of rounding over its root.
            made.left.iter().for_each(|l| close(*l, 0.0, 1e-7));
            for (row, own) in rows_of(&made.rows).iter().zip(training()) {
                row.iter().zip(&own).for_each(|(a, b)| close(*a, *b, 1e-5 * (1.0 + b.abs())));
            }
        }
    }
}

/// |phi(z) - P phi(x)|^2 = |phi(z) - m|^2 - 2 f(z)'f(x) + |f(x)|^2, with m and f by weights of rows.
fn apart(model: &Model, data: &Dataset, weights: &[f64], z: &Dataset, x: &Matrix) -> Vec<f64> {
    let control = Control::default();
    let prepared = model.prep.apply(z).unwrap();
    let reference = model.kernel.reference(&model.prep.apply(data).unwrap(), &control).unwrap();
    let dense = |b: &dyn mercer::gram::Gram| mercer::gram::dense(b, &control).unwrap();
    let (among, cross) =
        (dense(reference.among(&control).unwrap().as_ref()), dense(reference.cross(&prepared, &control).unwrap().as_ref()));
    let total: f64 = weights.iter().sum();
    let n = weights.len();
    let mean: f64 = (0..n * n).map(|at| weights[at / n] * weights[at % n] * among[(at / n, at % n)]).sum::<f64>() / (total * total);
    let own = among[(0, 0)];
    let f = coordinates(model, z);
    let one = |k: usize| {
        let middle = own - 2.0 * dot(cross.row(k), weights) / total + mean;
        let first = &f.row(k)[..x.cols()];
        middle - 2.0 * dot(first, x.row(k)) + dot(x.row(k), x.row(k))
    };
    (0..z.rows()).map(one).collect()
}

#[test]
fn a_fixed_point_is_nearest_to_what_components_make_of_a_row_of_all_rows_around_it() {
    let data = table(&training());
    let weights: Vec<f64> = (0..60).map(|i| 0.5 + (i % 3) as f64).collect();
    let model = fitted("kernel_pca(components=6)", "1.5*rbf(length_scale=1.2)", &data, Some(&weights));
    let new: Rows =
        training()[..20].iter().enumerate().map(|(i, r)| (0..3).map(|j| r[j] * (1.0 + 0.1 * noise(9, i, j))).collect()).collect();
    let all = coordinates(&model, &table(&new));
    // Along the first components also.
    for count in [6, 3] {
        let x = Matrix::from_fn(20, count, |i, j| all[(i, j)]);
        let made = |method| model.pre_images(&x, method, &Control::default()).unwrap();
        let fixed = made(PreImageMethod::FixedPoint);
        assert!(fixed.unfinished.is_empty());
        let least = apart(&model, &data, &weights, &fixed.rows, &x);
        least.iter().zip(&fixed.left).for_each(|(a, b)| close(*a, *b, 1e-9));
        for (d, step) in [(0, 1e-3), (1, 1e-2), (2, 1e-5)] {
            for sign in [-1.0, 1.0] {
                let mut moved = rows_of(&fixed.rows);
                moved.iter_mut().for_each(|r| r[d] += sign * step);
                let there = apart(&model, &data, &weights, &table(&moved), &x);
                assert!(there.iter().zip(&least).all(|(t, l)| *t >= l - 1e-12), "column {d}");
            }
        }
        // Nearer than the nearest training row, whose distance is by the same definition.
        let nearest = made(PreImageMethod::Nearest);
        let training = training();
        let rows: Rows = nearest.nearest.iter().map(|&i| training[i].clone()).collect();
        apart(&model, &data, &weights, &table(&rows), &x).iter().zip(&nearest.left).for_each(|(a, b)| close(*a, *b, 1e-9));
        assert!(fixed.left.iter().zip(&nearest.left).all(|(f, n)| *f <= n + 1e-12));
        // Distances say about the same place.
        let distances = made(PreImageMethod::Distances);
        apart(&model, &data, &weights, &distances.rows, &x).iter().zip(&distances.left).for_each(|(a, b)| close(*a, *b, 1e-9));
        assert!(distances.left.iter().sum::<f64>() < 3.0 * fixed.left.iter().sum::<f64>());
    }
}

#[test]
fn the_pre_image_under_a_linear_kernel_is_the_projection_on_the_first_principal_axis() {
    let rows: Rows = points(6, 30, 2).iter().map(|r| vec![2.0 * r[0] + r[1], r[0] - r[1]]).collect();
    let (data, as_is) = (table(&rows), Recipe { standardise: false, ..Recipe::default() });
    let model = fitted_with(&as_is, "kernel_pca(components=1)", "linear", &data, None);
    let made = found(&model, &data, PreImageMethod::FixedPoint).unwrap();
    // The angle t of the greatest variance has tan 2t = 2 c_xy / (c_xx - c_yy).
    let mean = [0, 1].map(|d| rows.iter().map(|r| r[d]).sum::<f64>() / 30.0);
    let c = |a: usize, b: usize| rows.iter().map(|r| (r[a] - mean[a]) * (r[b] - mean[b])).sum::<f64>();
    let t = 0.5 * (2.0 * c(0, 1)).atan2(c(0, 0) - c(1, 1));
    for (row, z) in rows.iter().zip(rows_of(&made.rows)) {
        let along = (row[0] - mean[0]) * t.cos() + (row[1] - mean[1]) * t.sin();
        close(z[0], mean[0] + along * t.cos(), 1e-10);
        close(z[1], mean[1] + along * t.sin(), 1e-10);
    }
}

#[test]
fn of_texts_there_is_the_nearest_training_row_and_nothing_else() {
    let texts = ["banana", "bandana", "cabana", "orange", "range", "arrange"];
    let data = Dataset::new(vec![Column { name: "word".into(), values: Values::Sequences(Strings::new(texts)) }]).unwrap();
    let model = fitted("kernel_pca(components=5)", "normalise(spectrum(k=2))", &data, None);
    assert_eq!(found(&model, &data, PreImageMethod::Nearest).unwrap().nearest, [0, 1, 2, 3, 4, 5]);
    let why = found(&model, &data, PreImageMethod::FixedPoint).unwrap_err().to_string();
    assert!(why.contains("neither a Gaussian nor a linear kernel"), "{why}");
}

#[test]
fn what_has_no_pre_image_is_told() {
    let data = table(&training());
    let refused = |estimator: &str, kernel: &str, data: &Dataset, says: &str| {
        let why = found(&fitted(estimator, kernel, data, None), data, PreImageMethod::FixedPoint).unwrap_err().to_string();
        assert!(why.contains(says), "{why}");
    };
    refused("kernel_pca(components=2, sparsity=0.3)", "rbf", &data, "sparsity=0");
    refused("kernel_pca(components=2, values=distances)", "negative_distance", &data, "distances");
    refused("kernel_pca", "laplacian", &data, "neither a Gaussian");
    refused("mds(components=2)", "rbf", &data, "pre-images are of kernel_pca");
    let mut gaps = training();
    gaps[3][1] = f64::NAN;
    refused("kernel_pca", "rbf", &table(&gaps), "missing cell");
    let model = fitted("kernel_pca(components=2)", "rbf", &data, None);
    for (coordinates, says) in [(Matrix::zeros(1, 3), "more coordinates"), (Matrix::from_fn(1, 2, |_, _| f64::NAN), "row 1")] {
        let why = model.pre_images(&coordinates, PreImageMethod::Nearest, &Control::default()).unwrap_err().to_string();
        assert!(why.contains(says), "{why}");
    }
    assert_eq!(model.pre_images(&Matrix::zeros(0, 2), PreImageMethod::FixedPoint, &Control::default()).unwrap().rows.rows(), 0);
    let why = "mean".parse::<PreImageMethod>().unwrap_err().to_string();
    assert!(why.contains("fixed_point"), "{why}");
}
