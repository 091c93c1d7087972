//! Kernel principal components against principal components, classical scaling and the worked example; and bad input.

use crate::made;

use made::*;
use mercer::control::Control;
use mercer::data::{Column, Dataset, Target, Values};
use mercer::estimators::{Answer, EstimatorExpr, Fitted, FittedKernelPca, KernelPca, KernelValueKind as Meaning};
use mercer::gram::Dense;
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::{Matrix, eigh, product, product_transposed};
use mercer::param::Value;
use mercer::read::{Labels, TargetInfo};

/// All components of a Gram matrix.
/// A kernel of two rows.
type Pairwise<'a> = &'a dyn Fn(&[f64], &[f64]) -> f64;

fn all(gram: &Dense, weights: Option<&[f64]>) -> FittedKernelPca {
    components(gram, gram.matrix().rows() as f64, weights)
}

fn components(gram: &Dense, count: f64, weights: Option<&[f64]>) -> FittedKernelPca {
    let estimator = KernelPca { components: Value::Number(count), ..KernelPca::default() };
    fit(&estimator, gram, &Target::Absent { rows: gram.matrix().rows() }, weights).unwrap()
}

/// The rows less their mean, N x D.
fn centred(x: &Rows) -> Matrix {
    let (n, d) = (x.len(), x[0].len());
    let mean: Vec<f64> = (0..d).map(|j| x.iter().map(|r| r[j]).sum::<f64>() / n as f64).collect();
    Matrix::from_fn(n, d, |i, j| x[i][j] - mean[j])
}

#[track_caller]
fn equal_up_to_sign(found: &Matrix, expected: &Matrix, tolerance: f64) {
    assert_eq!((found.rows(), found.cols()), (expected.rows(), expected.cols()));
    for j in 0..found.cols() {
        let sign = dot(&found.col(j), &expected.col(j)).signum();
        found.col(j).iter().zip(expected.col(j)).for_each(|(a, b)| close(*a, sign * b, tolerance));
    }
}

// spec: M33, E3-22
#[test]
fn inner_products_give_the_principal_directions_of_a_table_with_more_columns_than_rows() {
    let x = centred(&points(1, 6, 11));
    let gram = Dense::square(product_transposed(&x, &x).unwrap()).unwrap();
    let fitted = all(&gram, None);
    // V = X'U Lambda^(-1/2): the coefficients are U Lambda^(-1/2).
    let v = product(&x.transpose(), &fitted.expansion().unwrap().coef).unwrap();
    let identity = product(&v.transpose(), &v).unwrap();
    for i in 0..5 {
        (0..5).for_each(|j| close(identity[(i, j)], f64::from(u8::from(i == j)), 1e-12));
    }
    // The right singular vectors of X are the eigenvectors of X'X, its singular values the roots of the eigenvalues.
    let (values, vectors) = eigh(product(&x.transpose(), &x).unwrap(), &Control::default()).unwrap();
    let directions = Matrix::from_fn(11, 5, |i, j| vectors[(i, 10 - j)]);
    equal_up_to_sign(&v, &directions, 1e-12);
    fitted.spectrum().unwrap().values.iter().zip(values.iter().rev()).for_each(|(a, b)| close(*a, *b, 1e-12));
}

// spec: M34
#[test]
fn the_linear_kernel_gives_the_scores_of_principal_components_for_old_and_new_rows() {
    let (x, new) = (points(2, 40, 4), points(3, 7, 4));
    let (gram, fitted) = {
        let gram = square(&x, |a, b| dot(a, b));
        let fitted = components(&gram, 4.0, None);
        (gram, fitted)
    };
    // Scores X V, V the eigenvectors of X'X.
    let middle = centred(&x);
    let (_, vectors) = eigh(product(&middle.transpose(), &middle).unwrap(), &Control::default()).unwrap();
    let v = Matrix::from_fn(4, 4, |i, j| vectors[(i, 3 - j)]);
    let predictions = on_training(&fitted, &gram);
    equal_up_to_sign(numbers(&predictions), &product(&middle, &v).unwrap(), 1e-10);
    let mean: Vec<f64> = (0..4).map(|j| x.iter().map(|r| r[j]).sum::<f64>() / 40.0).collect();
    let moved = Matrix::from_fn(7, 4, |i, j| new[i][j] - mean[j]);
    let cross = cross(&new, &x, fitted.support(), |a, b| dot(a, b));
    let both = |m: &Matrix, n: &Matrix| Matrix::new(47, 4, [m.data(), n.data()].concat()).unwrap();
    let projected = fitted.predict(&mercer::estimators::Query::new(&cross, everything(), &Control::default())).unwrap();
    // One sign for old and new rows of a component.
    let expected = both(&product(&middle, &v).unwrap(), &product(&moved, &v).unwrap());
    equal_up_to_sign(&both(numbers(&predictions), numbers(&projected)), &expected, 1e-10);
}

#[test]
fn what_two_components_leave_of_a_row_is_its_residual_and_over_the_training_rows_the_variance_left() {
    let (x, new) = (points(2, 40, 4), points(3, 7, 4));
    let middle = centred(&x);
    let (values, vectors) = eigh(product(&middle.transpose(), &middle).unwrap(), &Control::default()).unwrap();
    let mean: Vec<f64> = (0..4).map(|j| x.iter().map(|r| r[j]).sum::<f64>() / 40.0).collect();
    // |x - m|^2 less its squares along the two leading directions is what lies along the two others.
    let residual = |row: &[f64]| -> f64 {
        let along = |c: usize| (0..4).map(|j| (row[j] - mean[j]) * vectors[(j, c)]).sum::<f64>();
        along(0).powi(2) + along(1).powi(2)
    };
    let linear = |a: &[f64], b: &[f64]| dot(a, b);
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let kernels: [(Meaning, Pairwise<'_>); 2] = [(Meaning::Similarities, &linear), (Meaning::Distances, &apart)];
    for (values_are, kernel) in kernels {
        let gram = square(&x, |a, b| kernel(a, b));
        let estimator = KernelPca { components: Value::Number(2.0), values: values_are, novelty: true, ..KernelPca::default() };
        let fitted = fit(&estimator, &gram, &Target::Absent { rows: 40 }, None).unwrap();
        let cross = cross(&new, &x, fitted.support(), |a, b| kernel(a, b));
        let answered = [
            (numbers(&on_training(&fitted, &gram)).clone(), &x),
            (numbers(&fitted.predict(&mercer::estimators::Query::new(&cross, everything(), &Control::default())).unwrap()).clone(), &new),
        ];
        for (found, rows) in &answered {
            assert_eq!(found.cols(), 3);
            rows.iter().enumerate().for_each(|(i, row)| close(found[(i, 2)], residual(row), 1e-11));
        }
        close(answered[0].0.col(2).iter().sum::<f64>(), values[0] + values[1], 1e-11);
    }
}

// spec: M35
#[test]
fn the_worked_example_has_the_eigenvalues_of_its_centred_matrix() {
    let k = Matrix::new(3, 3, vec![1.0, 0.8, 0.3, 0.8, 1.0, 0.5, 0.3, 0.5, 1.0]).unwrap();
    let fitted = all(&Dense::square(k).unwrap(), None);
    let spectrum = fitted.spectrum().unwrap();
    assert_eq!(spectrum.values.len(), 2);
    close(spectrum.values[0], 0.757_259_930, 1e-9);
    close(spectrum.values[1], 0.176_073_404, 1e-9);
    close(spectrum.total, 0.933_333_333, 1e-9);
    // Columns of A sum to 0, which makes a constant of the centring.
    for j in 0..2 {
        close(fitted.expansion().unwrap().coef.col(j).iter().sum(), 0.0, 1e-14);
    }
}

// spec: M36, E3-23
#[test]
fn training_rows_that_come_again_land_where_the_fit_had_put_them() {
    // 400 rows: found by the search for leading eigenpairs; 60: every eigenpair is computed.
    for n in [60, 400] {
        let x = points(4, n, 3);
        let gram = square(&x, |a, b| rbf(0.5)(a, b));
        let fitted = components(&gram, 5.0, None);
        let summary = fitted.summary();
        assert!(summary.converged && (summary.iterations > 0) == (n == 400), "{summary:?}");
        // The fit puts row i at l_j^(1/2) u_ij, and u_ij l_j^(-1/2) are its coefficients.
        let values = &fitted.spectrum().unwrap().values;
        let coef = &fitted.expansion().unwrap().coef;
        let at_fit = Matrix::from_fn(n, 5, |i, j| coef[(i, j)] * values[j]);
        let again = on_training(&fitted, &gram);
        again_equal(numbers(&again), &at_fit);
        // Row by row, by k~ = k - K1/N - 1(1'k)/N + 11'K1/N^2.
        let k = gram.matrix();
        let mean = |i: usize| k.row(i).iter().sum::<f64>() / n as f64;
        let of_all = (0..n).map(mean).sum::<f64>() / n as f64;
        let turned: Vec<f64> = (0..n).map(|s| k[(3, s)] - mean(s) - mean(3) + of_all).collect();
        (0..5).for_each(|j| close(dot(&turned, &coef.col(j)), numbers(&again)[(3, j)], 1e-10));
        // The farthest row lies above 0.
        for j in 0..5 {
            let column = numbers(&again).col(j);
            assert!(column.iter().fold(0.0f64, |m, v| if v.abs() > m.abs() { *v } else { m }) > 0.0);
        }
    }
}

#[track_caller]
fn again_equal(found: &Matrix, expected: &Matrix) {
    found.data().iter().zip(expected.data()).for_each(|(a, b)| close(*a, *b, 1e-10));
}

// spec: M37, E3-24
#[test]
fn a_kernel_matrix_of_n_rows_has_one_component_less_than_rows_or_as_many_as_features() {
    let x = points(5, 12, 2);
    // RBF: at most N-1 positive eigenvalues.
    assert_eq!(all(&square(&x, |a, b| rbf(2.0)(a, b)), None).spectrum().unwrap().values.len(), 11);
    // Linear: as many as columns; more are asked for, and that is said.
    let fitted = components(&square(&x, |a, b| dot(a, b)), 5.0, None);
    assert_eq!(fitted.spectrum().unwrap().values.len(), 2);
    assert!(fitted.summary().notes.iter().any(|n| n.contains("5 components are asked for")), "{:?}", fitted.summary().notes);
}

#[test]
fn a_share_of_the_variance_takes_as_many_components_as_hold_it() {
    let gram = square(&points(5, 500, 6), |a, b| dot(a, b));
    let every = components(&gram, 6.0, None).spectrum().unwrap().shares();
    close(every.iter().sum(), 1.0, 1e-12);
    for share in [0.2, 0.5, 0.8] {
        let found = components(&gram, share, None).spectrum().unwrap().shares();
        let sum: f64 = found.iter().sum();
        assert!(sum >= share && sum - found[found.len() - 1] < share, "{share}: {found:?}");
    }
}

// spec: M38
#[test]
fn classical_scaling_of_distances_gives_the_scores_of_the_kernel_that_they_come_from() {
    let x = points(6, 25, 3);
    let gaussian = rbf(0.7);
    let linear = |a: &[f64], b: &[f64]| dot(a, b);
    let kernels: [Pairwise<'_>; 2] = [&gaussian, &linear];
    for kernel in kernels {
        let gram = square(&x, |a, b| kernel(a, b));
        // d^2 = k(x, x) + k(z, z) - 2 k(x, z) (14.30)
        let apart = square(&x, |a, b| (kernel(a, a) + kernel(b, b) - 2.0 * kernel(a, b)).max(0.0).sqrt());
        let scaling = KernelPca { components: Value::Number(3.0), values: Meaning::Distances, ..KernelPca::default() };
        let scaled = fit(&scaling, &apart, &Target::Absent { rows: 25 }, None).unwrap();
        let by_kernel = components(&gram, 3.0, None);
        equal_up_to_sign(numbers(&on_training(&scaled, &apart)), numbers(&on_training(&by_kernel, &gram)), 1e-9);
        // By the textbook: B = -H D^2 H / 2 = U L U', scores U L^(1/2).
        let d = apart.matrix();
        let mean = |i: usize| (0..25).map(|s| d[(i, s)].powi(2)).sum::<f64>() / 25.0;
        let of_all = (0..25).map(mean).sum::<f64>() / 25.0;
        let b = Matrix::from_fn(25, 25, |i, j| -0.5 * (d[(i, j)].powi(2) - mean(i) - mean(j) + of_all));
        let (values, vectors) = eigh(b, &Control::default()).unwrap();
        let scores = Matrix::from_fn(25, 3, |i, j| vectors[(i, 24 - j)] * values[24 - j].sqrt());
        equal_up_to_sign(numbers(&on_training(&scaled, &apart)), &scores, 1e-9);
    }
}

fn table(columns: Vec<(&str, Vec<f64>)>) -> Dataset {
    Dataset::new(columns.into_iter().map(|(name, v)| Column { name: name.into(), values: Values::Numbers(v) }).collect()).unwrap()
}

fn learn(estimator: &str, kernel: &str, data: &Dataset, target: &Target) -> Result<Model, String> {
    let info = TargetInfo { names: Vec::new(), classes: None, labels: Labels::Text };
    let mut learner = Learner::new(EstimatorExpr::parse(estimator).unwrap());
    learner.kernel = Some(KernelExpr::parse(kernel).unwrap());
    learner.prep.drop_constant = false;
    learner.fit(data, target, &info, None, &Control::default()).map_err(|e| e.to_string())
}

/// Loadings of a fit in their places among all rows.
fn spread_out(fitted: &FittedKernelPca, rows: usize) -> Matrix {
    let expansion = fitted.expansion().unwrap();
    let mut out = Matrix::zeros(rows, expansion.coef.cols());
    for (s, &i) in fitted.support().iter().enumerate() {
        out.row_mut(i).copy_from_slice(expansion.coef.row(s));
    }
    out
}

// The conditions of the minimum, written out with feature vectors that differ from row m: g_i = (phi_i - phi_m)'(v - Phi b) is
// lambda b_i / |b_i| where row i has loadings, and no longer than lambda elsewhere. Under the linear kernel the v are the principal axes.
#[test]
fn sparse_loadings_meet_their_conditions_and_come_near_the_components_as_the_penalty_falls() {
    let (n, d) = (60, 4);
    let x: Rows = points(7, n, d).into_iter().map(|r| vec![3.0 * r[0] + 5.0, 2.0 * r[1], r[2] - 7.0, 0.5 * r[3]]).collect();
    let gram = square(&x, |a, b| dot(a, b));
    let sparse = |share: f64| {
        let estimator = KernelPca { components: Value::Number(2.0), sparsity: Value::Number(share), ..KernelPca::default() };
        fit(&estimator, &gram, &Target::Absent { rows: n }, None).unwrap()
    };
    let axis = product(&centred(&x).transpose(), &spread_out(&components(&gram, 2.0, None), n)).unwrap();
    let mut fewer = n;
    let mut nearer = f64::INFINITY;
    for share in [0.02, 0.2, 0.6] {
        let fitted = sparse(share);
        let b = spread_out(&fitted, n);
        assert!(fitted.summary().converged && fitted.summary().certificate.as_ref().unwrap().value <= 1e-6);
        let kept = fitted.support().len();
        assert!(kept > 1 && kept <= fewer.min(n / 3), "{share}: {kept}");
        (0..2).for_each(|c| close(b.col(c).iter().sum(), 0.0, 1e-9));
        // The row nearest to the mean is the one that the others are taken from.
        let far = |i: usize| (0..d).map(|k| centred(&x)[(i, k)].powi(2)).sum::<f64>();
        let m = (0..n).min_by(|a, b| far(*a).total_cmp(&far(*b))).unwrap();
        let reached = Matrix::from_fn(d, 2, |k, c| (0..n).map(|i| b[(i, c)] * x[i][k]).sum());
        let rest = Matrix::from_fn(d, 2, |k, c| axis[(k, c)] - reached[(k, c)]);
        let of = |i: usize, v: &Matrix| -> Vec<f64> { (0..2).map(|c| (0..d).map(|k| (x[i][k] - x[m][k]) * v[(k, c)]).sum()).collect() };
        let length = |v: &[f64]| dot(v, v).sqrt();
        let lambda = share * (0..n).map(|i| length(&of(i, &axis))).fold(0.0, f64::max);
        for i in (0..n).filter(|&i| i != m) {
            let (g, own) = (of(i, &rest), b.row(i));
            let size = length(own);
            let off =
                if size == 0.0 { length(&g) - lambda } else { (0..2).map(|c| (g[c] - lambda * own[c] / size).abs()).fold(0.0, f64::max) };
            assert!(off <= 5e-3 * lambda, "row {i}: {off} of {lambda}");
        }
        let left: f64 = rest.data().iter().map(|v| v * v).sum();
        assert!(
            (0.5 * left + lambda * (0..n).filter(|&i| i != m).map(|i| length(b.row(i))).sum::<f64>() - fitted.summary().objective.unwrap())
                .abs()
                <= 1e-6
        );
        assert!(nearer == f64::INFINITY || left > nearer);
        (fewer, nearer) = (kept, left);
    }
    for (share, novelty, word) in [(1.0, false, "below 1"), (0.2, true, "leave novelty or sparsity out")] {
        let estimator = KernelPca { sparsity: Value::Number(share), novelty, ..KernelPca::default() };
        let why = fit(&estimator, &gram, &Target::Absent { rows: n }, None).unwrap_err().to_string();
        assert!(why.contains(word), "{why}");
    }
}

#[test]
fn parallel_analysis_finds_the_directions_that_columns_share_and_no_more() {
    // Eight columns of two hidden ones with little noise: two directions are above chance.
    let hidden = points(8, 150, 2);
    let column = |j: usize| (0..150).map(|i| hidden[i][j % 2] * (1.0 + j as f64) + 0.2 * noise(9, i, j)).collect();
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let data = table(names.iter().enumerate().map(|(j, name)| (*name, column(j))).collect());
    let model = learn("kernel_pca(components=auto)", "linear", &data, &Target::Absent { rows: 150 }).unwrap();
    assert_eq!(model.answer, Answer::Components { names: vec!["pc1".into(), "pc2".into()] });
    assert_eq!(model.about.tuning.as_ref().map(|t| t.value), Some(Some(2.0)));
    let one = data.clone().into_columns().remove(0);
    let why = learn("kernel_pca(components=auto)", "linear", &Dataset::new(vec![one]).unwrap(), &Target::Absent { rows: 150 });
    assert!(why.unwrap_err().contains("there is one"));
}

#[test]
fn what_cannot_be_is_refused_with_what_to_change() {
    let data = table(vec![("a", (0..20).map(|i| f64::from(i).sin()).collect()), ("b", vec![1.0; 20])]);
    let none = Target::Absent { rows: 20 };
    let says = |found: Result<Model, String>, words: &[&str]| {
        let why = found.map(|_| ()).unwrap_err();
        words.iter().for_each(|word| assert!(why.contains(word), "{why}"));
    };
    says(learn("kernel_pca", "constant", &data, &none), &["all rows are alike to the kernel", "check the columns"]);
    says(learn("kernel_pca", "rbf", &data, &Target::numbers(&[0.5; 20])), &["kernel_pca", "takes no target", "leave the target out"]);
    says(learn("ridge", "rbf", &data, &none), &["ridge", "there is none", "kernel_pca"]);
    says(learn("kernel_pca", "rbf(length_scale=0.1..10)", &data, &none), &["range 0.1..10", "give a number, or auto"]);
    assert!(EstimatorExpr::parse("kernel_pca(components=1.5)").unwrap_err().to_string().contains("a whole number from 1, or a share"));
    let model = learn("kernel_pca(components=1)", "rbf", &data, &none).unwrap();
    let score = model.score(&data, &Target::numbers(&[0.5; 20]), None, None, &Control::default());
    assert!(score.unwrap_err().to_string().contains("kernel_pca gives components"));
}

// K = Q diag(5, 3, 1, -2, -1) Q' with orthonormal columns that sum to 0, so that centring changes nothing: 9 above 0 and 3 below.
#[test]
fn similarities_that_are_no_kernel_are_said_with_how_much_of_them_is_below_zero() {
    let n = 24;
    let values = [5.0, 3.0, 1.0, -2.0, -1.0];
    // Columns of the discrete cosine transform of the second kind, but for the constant one.
    let q = |i: usize, k: usize| (2.0 / n as f64).sqrt() * (std::f64::consts::PI * (i as f64 + 0.5) * (k + 1) as f64 / n as f64).cos();
    let gram = Dense::square(Matrix::from_fn(n, n, |i, j| (0..5).map(|k| values[k] * q(i, k) * q(j, k)).sum())).unwrap();
    let fitted = components(&gram, 7.0, None);
    let spectrum = fitted.spectrum().unwrap();
    assert_eq!(spectrum.values.len(), 3);
    for (share, expected) in spectrum.shares().iter().zip([5.0 / 9.0, 3.0 / 9.0, 1.0 / 9.0]) {
        close(*share, expected, 1e-9);
    }
    let notes = &fitted.summary().notes;
    assert!(notes.iter().any(|n| n.contains("100.0% in all")), "{notes:?}");
    let warnings = &fitted.summary().warnings;
    assert!(warnings.iter().any(|n| n.to_string().contains("2 eigenvalues are below 0, together 25.0%")), "{warnings:?}");
    // A kernel has none.
    let x = points(2, 30, 3);
    assert!(all(&square(&x, |a, b| rbf(0.5)(a, b)), None).summary().warnings.is_empty());
}
