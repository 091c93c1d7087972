//! Densities and local regression as estimators: through preparation, model file and predictions.

use super::of_r::LOESS;
use super::shared::{close, cloud, data, normal};
use mercer::compare::{Comparing, compare};
use mercer::control::Control;
use mercer::data::{Categories, Column, Dataset, Points, Split, Strings, Target, TargetInfo, Values};
use mercer::error::{Error, Result};
use mercer::estimators::{Answer, EstimatorExpr, FittedModel, Predicted, Predictions, Want};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::store;

fn table(columns: &[(&str, Vec<f64>)]) -> Dataset {
    Dataset::new(columns.iter().map(|(name, v)| Column { name: (*name).into(), values: Values::Numbers(v.clone()) }).collect()).unwrap()
}

fn fit(estimator: &str, data: &Dataset, target: &Target, weights: Option<&[f64]>) -> Result<Model> {
    let learner = Learner::new(EstimatorExpr::parse(estimator)?);
    learner.fit(data, target, &TargetInfo::of(target), weights, &Control::default())
}

fn density(estimator: &str, data: &Dataset, weights: Option<&[f64]>) -> Model {
    fit(estimator, data, &Target::Absent { rows: data.rows() }, weights).unwrap()
}

fn predict(model: &Model, new: &Dataset) -> Predictions {
    model.predict(new, Want { variance: true, ..Want::default() }, &Control::default()).unwrap()
}

fn numbers(predictions: &Predictions) -> Vec<f64> {
    let Predicted::Numbers(values) = &predictions.values else { panic!("no numbers") };
    values.col(0)
}

// Murphy (2012), Fig 14.17: (1/6) sum N(0; x_i, 1.5^2).
// spec: G11
#[test]
fn a_density_is_per_unit_of_the_columns_as_they_are() {
    let six = table(&[("x", vec![-2.1, -1.3, -0.4, 1.9, 5.1, 6.2])]);
    let model = density("kde(bandwidth=1.5)", &six, None);
    assert_eq!((&model.answer, model.support.rows()), (&Answer::LogDensity, 0));
    assert_eq!(model.answer.columns(), ["log_density"]);
    let logs = numbers(&predict(&model, &table(&[("x", vec![0.0])])));
    assert!((logs[0].exp() - 0.109_882_139_94).abs() <= 1e-11, "{}", logs[0].exp());
    let again = store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap();
    assert_eq!(again, model);
    assert_eq!(predict(&again, &six), predict(&model, &six));
}

#[test]
fn rules_choose_a_bandwidth_for_each_column_and_the_model_says_so() {
    let (n, points) = (60, cloud(60, 2, 5));
    let (a, b): (Vec<f64>, Vec<f64>) = (points.col(0), points.col(1).iter().map(|v| 1000.0 * v).collect());
    let both = table(&[("a", a.clone()), ("b", b.clone())]);
    let model = density("kde(rule=scott)", &both, None);
    let FittedModel::Kde(fitted) = &model.fitted else { panic!("no density") };
    // Scott (1992): N^(-1/(D + 4)) times the standard deviation of each column.
    let deviation = |v: &[f64]| {
        let mean = v.iter().sum::<f64>() / n as f64;
        (v.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1) as f64).sqrt()
    };
    let expected: Vec<f64> = [&a, &b].map(|v| (n as f64).powf(-1.0 / 6.0) * deviation(v)).to_vec();
    assert!(fitted.density.widths().iter().zip(&expected).all(|(h, e)| close(*h, *e, 1e-12)), "{:?} {expected:?}", fitted.density.widths());
    assert!(
        model.summary().notes[0].starts_with("bandwidths ") && model.summary().notes[0].ends_with(" by scott"),
        "{:?}",
        model.summary().notes
    );
    // The same with the numbers written down: an expression is enough to make the model again.
    let given = density(&format!("kde(bandwidth=[{}, {}])", expected[0], expected[1]), &both, None);
    let new = table(&[("a", vec![0.1, -2.0]), ("b", vec![300.0, -40.0])]);
    for (x, y) in numbers(&predict(&model, &new)).into_iter().zip(numbers(&predict(&given, &new))) {
        assert!(close(x, y, 1e-10), "{x} {y}");
    }
    // The sum of the definition, and a weight of 2 for a row that stands there twice.
    let weights: Vec<f64> = (0..n).map(|i| [1.0, 2.0, 0.0][i % 3]).collect();
    let weighed = density("kde(bandwidth=[0.4, 300])", &both, Some(&weights));
    let sum: f64 =
        (0..n).map(|i| weights[i] * (-0.5 * (((a[i] - 0.1) / 0.4).powi(2) + ((b[i] - 300.0) / 300.0).powi(2))).exp()).sum::<f64>();
    let direct = sum / (weights.iter().sum::<f64>() * 2.0 * std::f64::consts::PI * 0.4 * 300.0);
    assert!(close(numbers(&predict(&weighed, &new))[0].exp(), direct, 1e-11));
}

/// R 4.2.2, see `of_r`: a span knows no unit, so that standardised columns change nothing.
// spec: G28
#[test]
fn local_regression_is_the_loess_of_r() {
    let Some(mcycle) = data("mcycle") else { return };
    let (x, target) = (table(&[("x", mcycle[0].clone())]), Target::numbers(&mcycle[1]));
    let new = table(&[("x", vec![2.4, 10.1, 33.3, 57.0])]);
    for (rounds, degree, span, _, values, deviations, noise) in LOESS {
        let text = format!("local_regression(kernel=tricube, span={span}, degree={degree}, rounds={rounds})");
        let found = predict(&fit(&text, &x, &target, None).unwrap(), &new);
        let variance = found.variance.as_ref().unwrap();
        for (k, value) in numbers(&found).into_iter().enumerate() {
            assert!((value - values[k]).abs() <= 1e-8, "{text}: {value} and {}", values[k]);
            assert!((variance[(k, 0)].sqrt() - deviations[k]).abs() <= 1e-8, "{text}: deviation");
        }
        assert!((found.noise.as_ref().unwrap()[0].sqrt() - noise).abs() <= 1e-8, "{text}: noise");
    }
}

/// statsmodels 0.14, KernelReg(reg_type="ll", bw="cv_ls"), see `curves`: in units of the column.
#[test]
fn the_bandwidth_is_that_of_rows_left_out() {
    let Some(mcycle) = data("mcycle") else { return };
    let (x, n) = (&mcycle[0], mcycle[0].len() as f64);
    let model = fit("local_regression", &table(&[("x", x.clone())]), &Target::numbers(&mcycle[1]), None).unwrap();
    let FittedModel::LocalRegression(fitted) = &model.fitted else { panic!("no local regression") };
    let mean = x.iter().sum::<f64>() / n;
    let deviation = (x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    let width = fitted.curves[0].widths().unwrap()[0] * deviation;
    // scipy 1.17: minimize_scalar of the squares of 132 different rows left out by numpy, one of which stands twice.
    assert!((width / 1.474_919 - 1.0).abs() < 2e-4, "{width}");
    assert_eq!(store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap(), model);
}

#[test]
fn a_plane_is_exact_and_columns_of_the_target_stand_for_themselves() {
    let (points, noise) = (cloud(50, 2, 8), normal(50, 9));
    let plane = |i: usize| 1e6 + 3.0 * points[(i, 0)] - 2.0 * points[(i, 1)];
    let target = Target::Numbers(Matrix::from_fn(50, 2, |i, o| if o == 0 { plane(i) } else { noise[i] }));
    let x = table(&[("a", points.col(0)), ("b", points.col(1))]);
    let model = fit("local_regression(bandwidth=0.7)", &x, &target, None).unwrap();
    let Predicted::Numbers(found) = predict(&model, &x).values else { panic!("no numbers") };
    assert!((0..50).all(|i| (found[(i, 0)] - plane(i)).abs() <= 1e-8), "a line is fitted exactly");
    let alone = fit("local_regression(bandwidth=0.7)", &x, &Target::numbers(&noise), None).unwrap();
    assert_eq!(numbers(&predict(&alone, &x)), found.col(1));
}

// spec: G20
#[test]
fn a_row_without_a_neighbour_is_missing_and_the_others_are_answered() {
    let (x, y) = (cloud(40, 1, 5).col(0), normal(40, 6));
    let model =
        fit("local_regression(bandwidth=0.5, degree=0, kernel=epanechnikov)", &table(&[("x", x)]), &Target::numbers(&y), None).unwrap();
    let new = table(&[("x", vec![0.0, 900.0, 0.1, -900.0])]);
    let alone = predict(&model, &table(&[("x", vec![0.0])]));
    let found = predict(&model, &new);
    let values = numbers(&found);
    assert_eq!(values[0], numbers(&alone)[0]);
    assert!(values[2].is_finite() && values[1].is_nan() && values[3].is_nan(), "{values:?}");
    assert_eq!(found.notices.len(), 1);
    let said = found.notices[0].to_string();
    assert!(said.starts_with("2 rows (the first is row 2): no training row within the bandwidth") && said.contains("missing"), "{said}");
    assert!(alone.notices.is_empty());
    let written = mercer::report::predict_csv(&model, &new, &Default::default(), &[], &Control::default()).unwrap();
    let cells: Vec<&str> = written.csv.lines().skip(1).collect();
    assert!(cells[0].parse::<f64>().is_ok() && cells[1].trim_matches('"').is_empty() && cells[3].trim_matches('"').is_empty(), "{cells:?}");
    assert_eq!(written.notices, [said]);
    // Such rows are no bad predictions: they are not judged.
    let why = model.score(&new, &Target::numbers(&[0.0; 4]), None, None, &Control::default()).unwrap_err().to_string();
    assert!(why.contains("2 rows (the first is row 2)") && why.contains("wider bandwidth"), "{why}");
}

#[test]
fn a_model_with_a_training_row_that_has_no_other_near_is_stored() {
    let (x, y) = ([cloud(40, 1, 5).col(0), vec![900.0]].concat(), normal(41, 6));
    let model =
        fit("local_regression(bandwidth=0.5, degree=0, kernel=epanechnikov)", &table(&[("x", x)]), &Target::numbers(&y), None).unwrap();
    let again = mercer::store::from_bytes(&mercer::store::to_bytes(&model).unwrap(), "model").unwrap();
    let places = table(&[("x", vec![0.0, 900.0])]);
    let found = predict(&again, &places);
    assert_eq!(numbers(&found), numbers(&predict(&model, &places)));
    // The row stands alone, and its target is what is known there.
    assert!((numbers(&found)[1] - y[40]).abs() <= 1e-12);
}

#[test]
fn what_has_no_coordinates_is_refused_in_words() {
    let said = |made: Result<Model>| made.map(|_| ()).unwrap_err().to_string();
    let numbers = table(&[("x", normal(30, 1))]);
    let none = Target::Absent { rows: 30 };
    let with = |estimator: &str, kernel: &str, data: &Dataset| {
        let kernel = Some(KernelExpr::parse(kernel).unwrap());
        let learner = Learner { kernel, ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) };
        learner.fit(data, &none, &TargetInfo::of(&none), None, &Control::default())
    };
    assert!(said(with("kde", "rbf", &numbers)).contains("leave the kernel out, or take linear"));
    assert!(said(with("kde", "nystroem(rbf, rank=5)", &numbers)).contains("leave the kernel out, or take linear"));
    let by_name = with("kde(bandwidth=0.3)", "on(x, linear)", &numbers).unwrap();
    assert_eq!(by_name.answer, Answer::LogDensity);
    // Labels and texts are no coordinates, and a density of indicators would be none.
    let colours = Categories::from_labels(&(0..30).map(|i| ["red", "green"][i % 2]).collect::<Vec<_>>());
    let labels = Column { name: "colour".into(), values: Values::Categories(colours) };
    let mixed = Dataset::new(vec![numbers.columns()[0].clone(), labels.clone()]).unwrap();
    let of_numbers = fit("kde", &mixed, &none, None).unwrap();
    assert_eq!(of_numbers.kernel.expr().to_string(), "on(x, linear)");
    assert!(of_numbers.about.notices.iter().any(|n| n.to_string().contains("'colour' is not used")), "{:?}", of_numbers.about.notices);
    let alone = Dataset::new(vec![labels]).unwrap();
    assert!(said(fit("kde", &alone, &none, None)).contains("reads columns of numbers, and the table has none"));
    let sparse = Points::csr(30, 9, (0..=30).collect(), vec![3; 30], normal(30, 2)).unwrap();
    let sparse = Dataset::new(vec![Column { name: "p".into(), values: Values::Points(sparse) }]).unwrap();
    assert!(said(fit("kde", &sparse, &none, None)).contains("sparse"));
    assert!(said(fit("kde", &numbers, &Target::numbers(&normal(30, 3)), None)).contains("takes no target"));
    let texts = Column { name: "s".into(), values: Values::Texts(Strings::new(vec!["a word"; 30])) };
    let texts = Dataset::new(vec![texts]).unwrap();
    assert!(said(fit("local_regression", &texts, &Target::numbers(&normal(30, 3)), None)).contains("columns of numbers"));
    assert!(matches!(fit("kde(bandwidth=0.1..1)", &numbers, &none, None), Err(Error::Setting { .. })));
}

#[test]
fn estimators_of_features_are_compared_where_they_are_named_each_with_a_kernel_that_has_some() {
    let points = cloud(80, 2, 3);
    let x = table(&[("a", points.col(0)), ("b", points.col(1))]);
    let y = Target::numbers(&(0..80).map(|i| points[(i, 0)] - 0.5 * points[(i, 1)].sin()).collect::<Vec<_>>());
    let estimators = EstimatorExpr::parse_list("ridge, linear_svr, local_regression").unwrap();
    let compared = |kernel: Option<&str>, data: &Dataset| {
        let kernel = kernel.map(|k| KernelExpr::parse(k).unwrap());
        let comparing = Comparing { kernel, ..Comparing::new(estimators.clone()) };
        compare(data, &y, &TargetInfo::of(&y), None, &Split::Rows, &comparing, &Control::default()).unwrap()
    };
    for (kernel, own) in [(None, "rbf"), (Some("linear"), "linear")] {
        let found = compared(kernel, &x);
        assert_eq!(found.kernel.to_string(), own);
        for row in &found.rows {
            assert!(row.failure.is_none() && !row.metrics.is_empty(), "{}: {:?}", row.estimator, row.failure);
            let used = row.model.as_ref().unwrap().kernel.expr().to_string();
            assert!(if !row.estimator.needs().reads_values() { used == "linear" } else { used.starts_with(own) }, "{used}");
        }
        let told = found.notices.iter().filter(|n| n.to_string().ends_with("reads features of rows: its kernel is linear")).count();
        assert_eq!(told, if kernel.is_none() { 2 } else { 0 }, "{:?}", found.notices);
    }
    // Labels that the others compare as labels have no features.
    let colours = Categories::from_labels(&(0..80).map(|i| ["red", "green"][i % 2]).collect::<Vec<_>>());
    let labels = Column { name: "colour".into(), values: Values::Categories(colours) };
    let mixed = Dataset::new(x.columns().iter().cloned().chain([labels]).collect()).unwrap();
    let found = compared(None, &mixed);
    let refused: Vec<String> = found.rows.iter().filter_map(|r| r.failure.as_ref().map(ToString::to_string)).collect();
    assert!(refused.len() == 2 && refused.iter().all(|why| why.contains("linear")), "{refused:?}");
    assert!(EstimatorExpr::usual_for(&y).unwrap().iter().all(|e| e.needs().reads_values()));
}

#[test]
fn words_of_texts_are_features_of_linear_machines() {
    let words = [["good", "fine", "great"], ["bad", "poor", "awful"]];
    let text = |i: usize| format!("{} film and {} acting, number {}", words[i % 2][i % 3], words[i % 2][(i / 2) % 3], i % 7);
    let texts: Vec<String> = (0..60).map(text).collect();
    let data = Dataset::new(vec![Column { name: "review".into(), values: Values::Texts(Strings::new(texts)) }]).unwrap();
    let target = Target::classes(&(0..60).map(|i| ["up", "down"][i % 2]).collect::<Vec<_>>());
    let model = fit("linear_svc", &data, &target, None).unwrap();
    assert_eq!(model.kernel.expr().to_string(), "tfidf");
    assert_eq!(model.support.rows(), 0);
    let tuning = model.about.tuning.as_ref().unwrap();
    assert!(tuning.evaluations > 3 && tuning.value.is_some_and(|v| v > 0.9), "{tuning:?}");
    let Predicted::Classes(codes) = predict(&model, &data).values else { panic!("no classes") };
    let Target::Classes { codes: truth, .. } = &target else { return };
    assert_eq!(&codes, truth);
    let comparing = Comparing::new(EstimatorExpr::parse_list("svc, linear_svc(probabilities=true)").unwrap());
    let found = compare(&data, &target, &TargetInfo::of(&target), None, &Split::Rows, &comparing, &Control::default()).unwrap();
    assert!(
        found.rows.iter().all(|r| r.failure.is_none() && !r.metrics.is_empty()),
        "{:?}",
        found.rows.iter().map(|r| &r.failure).collect::<Vec<_>>()
    );
}
