//! Generative models against the conformance kit, and kernels from models against their formulas.

use crate::evaluated;

use evaluated::{matrix, near, points};
use mercer::control::Control;
use mercer::data::{Dataset, Examples, Points, RowWeights, Target};
use mercer::generative::{Gaussian, GenerativeExpr};
use mercer::gram::{self, Mercer, Side};
use mercer::kernels::KernelExpr;
use mercer::testkit;

#[test]
fn every_generative_model_of_the_list_passes_the_conformance_kit() {
    testkit::check_model::<Gaussian>().unwrap();
    for text in [
        "gaussian(covariance=full)",
        "gaussian(covariance=spherical)",
        "gaussian(variance=0.7)",
        "gaussian(variance=[0.5, 2, 1])",
        "gaussian(covariance=full, shrinkage=0.3)",
        "gaussian(variance=0.1..10)",
    ] {
        for rows in [3, 40] {
            let expr = GenerativeExpr::parse(text).unwrap();
            testkit::check_model_expr(&expr, &testkit::table(rows, 11)).unwrap_or_else(|why| panic!("{text} on {rows} rows: {why}"));
        }
    }
}

/// Two columns that vary together, five rows.
const ROWS: [[f64; 2]; 5] = [[0.2, 1.0], [1.7, 2.5], [-0.4, 0.3], [2.2, 0.9], [-1.1, -0.7]];

fn data() -> Dataset {
    points(&ROWS.iter().map(<[f64; 2]>::as_slice).collect::<Vec<_>>())
}

fn mean() -> [f64; 2] {
    [0, 1].map(|j| ROWS.iter().map(|row| row[j]).sum::<f64>() / 5.0)
}

/// S_ij, averaged over the rows.
fn covariance(i: usize, j: usize) -> f64 {
    ROWS.iter().map(|row| (row[i] - mean()[i]) * (row[j] - mean()[j])).sum::<f64>() / 5.0
}

fn each_pair(expr: &str, expected: impl Fn(usize, usize) -> f64) {
    let k = matrix(expr, &data());
    for i in 0..5 {
        for j in 0..5 {
            near(k[(i, j)], expected(i, j), 1e-12 * (1.0 + expected(i, j).abs()));
        }
    }
}

// spec: K37
#[test]
fn the_fisher_kernel_of_a_mean_with_known_variance_is_the_product_of_distances_to_it() {
    // Mean 2, variance 1/4: every number and every product is exact.
    let x = [1.0, 3.5, -0.25, 2.0, 3.75];
    let k = matrix("fisher(gaussian(variance=0.25))", &points(&x.iter().map(std::slice::from_ref).collect::<Vec<_>>()));
    for (i, a) in x.iter().enumerate() {
        for (j, b) in x.iter().enumerate() {
            assert_eq!(k[(i, j)], (a - 2.0) * (b - 2.0) / 0.25);
        }
    }
    assert!(gram::psd_check(&k, &Control::default()).unwrap().witness.is_none());
    each_pair("fisher(gaussian(variance=[0.3, 7]))", |i, j| {
        [(0, 0.3), (1, 7.0)].iter().map(|&(c, s)| (ROWS[i][c] - mean()[c]) * (ROWS[j][c] - mean()[c]) / s).sum()
    });
    for text in ["fisher", "fisher(gaussian(covariance=full))", "fisher(gaussian, information=empirical)", "fisher(gaussian, identity)"] {
        assert_eq!(KernelExpr::parse(text).unwrap().mercer(), Mercer::Always);
        let check = gram::psd_check(&matrix(text, &testkit::table(30, 2)), &Control::default()).unwrap();
        assert!(check.witness.is_none(), "{text}: {}", check.smallest);
    }
}

/// With u = S^(-1/2) (x - m): u'v for the mean, tr((uu' - 1)(vv' - 1)) / 2 for the covariance.
#[test]
fn the_fisher_kernel_of_mean_and_covariance_has_a_closed_form() {
    let det = covariance(0, 0) * covariance(1, 1) - covariance(0, 1).powi(2);
    let product = |i: usize, j: usize| {
        let (a, b) = (ROWS[i], ROWS[j]);
        let (a, b) = ([a[0] - mean()[0], a[1] - mean()[1]], [b[0] - mean()[0], b[1] - mean()[1]]);
        (covariance(1, 1) * a[0] * b[0] - covariance(0, 1) * (a[0] * b[1] + a[1] * b[0]) + covariance(0, 0) * a[1] * b[1]) / det
    };
    each_pair("fisher(gaussian(covariance=full))", |i, j| {
        product(i, j) + 0.5 * (product(i, j).powi(2) - product(i, i) - product(j, j) + 2.0)
    });
    let u = |i: usize, c: usize| (ROWS[i][c] - mean()[c]) / covariance(c, c).sqrt();
    each_pair("fisher(gaussian(covariance=diagonal))", |i, j| {
        (0..2).map(|c| u(i, c) * u(j, c) + 0.5 * (u(i, c).powi(2) - 1.0) * (u(j, c).powi(2) - 1.0)).sum()
    });
    let one = 0.5 * (covariance(0, 0) + covariance(1, 1));
    let dot = |i: usize, j: usize| (0..2).map(|c| (ROWS[i][c] - mean()[c]) * (ROWS[j][c] - mean()[c])).sum::<f64>() / one;
    each_pair("fisher(gaussian(covariance=spherical))", |i, j| dot(i, j) + (dot(i, i) - 2.0) * (dot(j, j) - 2.0) / 4.0);
}

fn fit(text: &str, data: &Dataset) -> mercer::generative::FittedGenerative {
    GenerativeExpr::parse(text).unwrap().fit(data, RowWeights::default(), 0, &Control::default()).unwrap()
}

// spec: K39, E3-07
#[test]
fn the_information_is_minus_the_mean_second_derivative_and_positive_definite() {
    let one = points(&[&[1.0], &[3.0], &[2.5], &[-4.0]]);
    near(fit("gaussian(variance=2.25)", &one).information().unwrap()[(0, 0)], 1.0 / 2.25, 1e-16);
    for text in ["gaussian(variance=2.25)", "gaussian", "gaussian(covariance=full)", "gaussian(covariance=spherical)"] {
        let fitted = fit(text, &data());
        let at: Vec<f64> = fitted.parameters().iter().map(|p| p.value).collect();
        let information = fitted.information().unwrap();
        let eigenvalues = mercer::linalg::eigh(information.clone(), &Control::default()).unwrap().0;
        assert!(eigenvalues.iter().all(|e| *e > 0.0), "{text}: {eigenvalues:?}");
        // At the maximum of the likelihood of a Gaussian the mean over the rows is the expectation.
        let h = 1e-5;
        let mean_score = |k: usize, by: f64| -> Vec<f64> {
            let moved: Vec<f64> = at.iter().enumerate().map(|(l, v)| if l == k { v + by } else { *v }).collect();
            let scores = fitted.with_parameters(&moved).unwrap().scores(&data()).unwrap();
            (0..at.len()).map(|j| (0..5).map(|i| scores[(i, j)]).sum::<f64>() / 5.0).collect()
        };
        for k in 0..at.len() {
            for (j, (above, below)) in mean_score(k, h).iter().zip(mean_score(k, -h)).enumerate() {
                let second = (above - below) / (2.0 * h);
                near(-second, information[(k, j)], 1e-7 * (1.0 + information[(k, j)].abs()));
            }
        }
    }
    // (1/N) sum g g' and 1 in its place, of a mean alone.
    let (x, m) = ([1.0, 3.0, 2.5, -4.0], 0.625);
    let empirical = x.iter().map(|x| ((x - m) / 2.25f64).powi(2)).sum::<f64>() / 4.0;
    for (information, value) in [("auto", 1.0 / 2.25), ("analytic", 1.0 / 2.25), ("empirical", empirical), ("identity", 1.0)] {
        let k = matrix(&format!("fisher(gaussian(variance=2.25), information={information})"), &one);
        for (i, a) in x.iter().enumerate() {
            for (j, b) in x.iter().enumerate() {
                near(k[(i, j)], (a - m) / 2.25 * ((b - m) / 2.25) / value, 1e-14 * (1.0 + k[(i, j)].abs()));
            }
        }
    }
}

// spec: K38
#[test]
fn score_vectors_sum_to_zero_at_the_maximum_of_the_likelihood() {
    for text in ["gaussian(variance=2.25)", "gaussian", "gaussian(covariance=full)", "gaussian(covariance=spherical)"] {
        let fitted = fit(text, &data());
        let (scores, at) = (fitted.scores(&data()).unwrap(), fitted.parameters());
        for k in 0..at.len() {
            near((0..5).map(|i| scores[(i, k)]).sum(), 0.0, 1e-8);
            let moved = |by: f64| {
                let values: Vec<f64> = at.iter().enumerate().map(|(l, p)| if l == k { p.value + by } else { p.value }).collect();
                fitted.with_parameters(&values).unwrap().log_densities(&data()).unwrap()
            };
            for (i, (above, below)) in moved(1e-5).iter().zip(moved(-1e-5)).enumerate() {
                near((above - below) / 2e-5, scores[(i, k)], 1e-7 * (1.0 + scores[(i, k)].abs()));
            }
        }
    }
}

/// Whatever x -> A x + b: theta changes with it, and g' I^-1 g does not depend on how theta is written.
#[test]
fn analytic_and_empirical_information_do_not_depend_on_the_axes() {
    let table = testkit::table(40, 5);
    let column = |name: &str| match &table.column(name).unwrap().values {
        mercer::data::Values::Numbers(v) => v.clone(),
        _ => panic!("numbers"),
    };
    let (a, b) = (column("a"), column("b"));
    let plain = Points::dense(40, 2, a.iter().zip(&b).flat_map(|(a, b)| [*a, *b]).collect()).unwrap();
    let turned = Points::dense(40, 2, a.iter().zip(&b).flat_map(|(a, b)| [3.0 * a - b + 4.0, 0.5 * b + 0.2 * a - 1.0]).collect()).unwrap();
    for text in ["fisher(gaussian(covariance=full))", "fisher(gaussian(covariance=full), information=empirical)"] {
        let (k, other) = (matrix(text, &Dataset::from_points(plain.clone())), matrix(text, &Dataset::from_points(turned.clone())));
        k.data().iter().zip(other.data()).for_each(|(a, b)| near(*a, *b, 1e-9 * (1.0 + a.abs())));
    }
}

#[test]
fn a_fisher_kernel_is_the_product_of_its_features_also_of_new_rows() {
    let (table, new, control) = (testkit::table(30, 1), testkit::table(7, 2), Control::default());
    for text in
        ["fisher", "fisher(gaussian(covariance=full))", "fisher(gaussian(covariance=full), empirical)", "on(a, fisher(gaussian, identity))"]
    {
        let kernel = KernelExpr::parse(text).unwrap().settle(&table).unwrap().learn(&table, None, &control).unwrap();
        let cross = kernel.reference(&table, &control).unwrap().cross(&new, &control).unwrap();
        let (rows, cols) = (cross.structure().dense_features(Side::Rows).unwrap(), cross.structure().dense_features(Side::Cols).unwrap());
        let (k, product) = (gram::dense(cross.as_ref(), &control).unwrap(), mercer::linalg::product_transposed(&rows, &cols).unwrap());
        k.data().iter().zip(product.data()).for_each(|(a, b)| near(*a, *b, 1e-12 * (1.0 + a.abs())));
    }
}

#[test]
fn other_models_and_informations_pass_the_conformance_kit_of_kernels() {
    for text in [
        "fisher(gaussian(covariance=full))",
        "fisher(gaussian(covariance=full), information=empirical)",
        "fisher(gaussian(covariance=spherical), information=identity)",
        "fisher(gaussian(variance=2))",
        "on([a, b], fisher(gaussian(variance=[1, 2])))",
        "normalise(fisher) + 0.5*on(seq, spectrum(k=2))",
        "0.1*fisher(gaussian(variance=0.5..2))*rbf",
    ] {
        let expr = KernelExpr::parse(text).unwrap();
        testkit::check_kernel_expr(&expr, &testkit::table(40, 3)).unwrap_or_else(|why| panic!("{text}: {why}"));
    }
}

#[test]
fn a_model_is_written_inside_the_kernel_and_read_back() {
    for (text, printed) in [
        ("fisher", "fisher"),
        ("fisher(gaussian)", "fisher"),
        ("fisher(model=gaussian(covariance=diagonal))", "fisher"),
        ("fisher(gaussian(full))", "fisher(model=gaussian(covariance=full))"),
        ("fisher(gaussian(variance=[1, 2.5]), identity, 3)", "fisher(model=gaussian(variance=[1, 2.5]), information=identity, seed=3)"),
        ("on(a, fisher(gaussian(variance=0.1..10))) + rbf", "on(a, fisher(model=gaussian(variance=0.1..10))) + rbf"),
    ] {
        let kernel = KernelExpr::parse(text).unwrap();
        assert_eq!(kernel.to_string(), printed);
        assert_eq!(KernelExpr::parse(printed).unwrap(), kernel);
        let json = serde_json::to_string(&kernel).unwrap();
        assert_eq!(serde_json::from_str::<KernelExpr>(&json).unwrap(), kernel);
    }
    let json = serde_json::to_value(KernelExpr::parse("fisher(gaussian(full))").unwrap()).unwrap();
    assert_eq!(json["fisher"]["model"]["gaussian"]["covariance"], "full");
}

#[test]
fn what_is_no_model_is_refused_with_the_models_there_are() {
    for (text, said) in [
        ("fisher(gausian)", "did you mean 'gaussian'?"),
        ("fisher(rbf)", "gaussian"),
        ("fisher(2)", "is not a generative model"),
        ("fisher(gaussian(covariance=tied))", "one of diagonal, full, spherical"),
        ("fisher(gaussian(sigma=1))", "parameter of gaussian"),
        ("fisher(gaussian(variance=-1))", "above 0 and finite"),
        ("fisher(modell=gaussian)", "did you mean 'model'?"),
    ] {
        let found = KernelExpr::parse(text).unwrap_err().to_string();
        assert!(found.contains(said), "{text}: {found}");
    }
    for (text, place) in [("rbf + fisher(gausian)", 13), ("fisher(model = gaussian(full, 2, 3, 4))", 15), ("rbf + fisher(gaussian, 7)", 6)]
    {
        let found = KernelExpr::parse(text).unwrap_err();
        assert!(matches!(&found, mercer::Error::Syntax { text: whole, at, .. } if whole == text && *at == place), "{text}: {found}");
    }
    let words = testkit::table(5, 1);
    let wrong = KernelExpr::parse("on(seq, fisher)").unwrap().learn(&words, None, &Control::default()).unwrap_err().to_string();
    assert!(wrong.contains("fisher") && wrong.contains("number"), "{wrong}");
}

#[test]
fn parameters_of_a_nested_model_are_listed_and_set_by_their_path() {
    let mut kernel = KernelExpr::parse("0.5*fisher(gaussian(variance=0.5..2))").unwrap();
    let paths: Vec<String> = kernel.values().iter().map(|p| p.path.clone()).collect();
    let nested = "0.fisher.model.gaussian.variance";
    assert!(paths.iter().any(|p| p == nested), "{paths:?}");
    assert!(kernel.learn(&data(), None, &Control::default()).unwrap_err().to_string().contains("model.gaussian.variance"));
    kernel.set(nested, &mercer::param::Value::Number(4.0)).unwrap();
    assert_eq!(kernel.to_string(), "0.5*fisher(model=gaussian(variance=4))");
    assert!(kernel.set(nested, &mercer::param::Value::Number(-4.0)).is_err());
    assert!(kernel.set("0.fisher.model.gaussian.mean", &mercer::param::Value::Number(1.0)).is_err());
    // A range that does not hold the mean variance of the rows is settled at its nearer end.
    let settled = KernelExpr::parse("fisher(gaussian(variance=1e3..1e4))").unwrap().settle(&data()).unwrap();
    assert_eq!(settled.to_string(), "fisher(model=gaussian(variance=1000))");
}

/// Classes of one mean and unlike spread: 80 rows near the origin, 80 rows on a circle around them.
fn ring() -> (Dataset, Target) {
    let place = |i: usize| {
        let (angle, radius) = (i as f64 * 2.399_963, if i.is_multiple_of(2) { 0.4 + 0.2 * (i as f64 * 0.77).sin() } else { 2.0 });
        [radius * angle.cos(), radius * angle.sin()]
    };
    let data = Points::dense(160, 2, (0..160).flat_map(place).collect()).unwrap();
    let target = Target::Classes { codes: (0..160).map(|i| i % 2).collect(), names: vec!["in".into(), "out".into()] };
    (Dataset::from_points(data), target)
}

#[test]
fn a_model_with_a_fisher_kernel_is_tuned_stored_and_loaded() {
    use mercer::estimators::{EstimatorExpr, Predicted, Want};
    use mercer::learner::Learner;
    use mercer::store;
    let (data, target) = ring();
    let info =
        mercer::read::TargetInfo { names: vec!["y".into()], classes: Some(vec!["in".into(), "out".into()]), labels: Default::default() };
    for (kernel, estimator) in
        [("fisher", "svc(c=1)"), ("fisher(gaussian(full))", "ridge"), ("fisher(gaussian(covariance=full))", "logistic")]
    {
        let learner =
            Learner { kernel: Some(KernelExpr::parse(kernel).unwrap()), ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) };
        let model = learner.fit(&data, &target, &info, None, &Control::default()).unwrap();
        let Predicted::Classes(found) = model.predict(&data, Want::default(), &Control::default()).unwrap().values else {
            panic!("classes")
        };
        let right = found.iter().enumerate().filter(|(i, code)| **code == i % 2).count();
        // A line through the plane is right about half of them.
        assert!(right >= 155, "{kernel} with {estimator}: {right} of 160");
        let again = store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap();
        assert_eq!(again.kernel, model.kernel);
        let predict = |model: &mercer::learner::Model| model.predict(&data, Want::default(), &Control::default()).unwrap();
        assert_eq!(predict(&again), predict(&model));
    }
}

#[test]
fn folds_fit_the_model_anew_and_a_search_sets_what_is_open_in_it() {
    use mercer::data::Split;
    use mercer::estimators::EstimatorExpr;
    use mercer::select;
    let (data, target) = ring();
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    let (k, e) = (KernelExpr::parse("fisher(gaussian(variance=0.01..100))").unwrap(), EstimatorExpr::parse("svc(c=1)").unwrap());
    assert!(k.learns());
    let tuned = select::tune(&k, &e, &examples, &Control::default(), 0, false).unwrap();
    assert!(tuned.tuning.unwrap().criterion.to_string().contains("cross-validated"));
    assert!(tuned.kernel.values().iter().all(|p| p.value.is_settled() || p.param.learnt), "{}", tuned.kernel);
}

#[test]
fn what_was_done_about_a_singular_matrix_is_reported() {
    let twins = points(&[&[1.0, 2.0], &[2.0, 4.0], &[4.0, 8.0]]);
    let notices = |text: &str| KernelExpr::parse(text).unwrap().learn(&twins, None, &Control::default()).unwrap().notices();
    assert!(notices("fisher").is_empty());
    assert!(notices("fisher(gaussian(covariance=full))")[0].to_string().contains("40.0% of the correlations"));
    // Five free parameters, three rows: 5 / (3 + 5).
    let both = notices("0.5*fisher(gaussian(covariance=full), information=empirical)");
    assert!(both[1].to_string().contains("fisher: the information is singular: 62.5%"), "{both:?}");
    let large = points(&[&[1.0], &[-1.0]]);
    let kernel =
        KernelExpr::parse("fisher(gaussian(variance=1e-300), identity)").unwrap().learn(&large, None, &Control::default()).unwrap();
    let far = points(&[&[1e300]]);
    let found = kernel.gram(&far, &Control::default()).err().unwrap().to_string();
    assert!(found.contains("row 1") && found.contains("not finite"), "{found}");
}

#[test]
fn memory_is_planned_before_score_vectors_are_written() {
    let wide = Dataset::from_points(Points::dense(20, 300, (0..6000).map(|k| (k as f64 * 0.37).sin()).collect()).unwrap());
    let kernel = KernelExpr::parse("fisher(gaussian(covariance=full))").unwrap();
    let refused = kernel.learn(&wide, None, &Control::default().with_memory(1 << 20)).unwrap_err().to_string();
    assert!(refused.contains("score vectors of gaussian(covariance=full) of 45450 numbers each"), "{refused}");
}
