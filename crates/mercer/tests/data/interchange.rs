//! Models of LIBSVM and LIBLINEAR. Those under `fixtures/interchange` were trained and saved by LIBSVM 3.37 and LIBLINEAR 2.50; the lines of
//! `decision_values.txt` are what these predict for five rows from the saved files: decision values row by row, and behind `|` labels.

use mercer::control::Control;
use mercer::data::{Categories, Column, Dataset, Points, Target, Values};
use mercer::estimators::{EstimatorExpr, Predicted, Predictions, Want};
use mercer::interchange::{FeatureColumns, TextOptions, read_text, to_libsvm};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::read::TargetInfo;
use mercer::store;

/// The new rows of `decision_values.txt`.
const NEW: [[f64; 3]; 5] = [[0.0, 0.0, 0.0], [0.5, -0.25, 1.0], [-1.0, 0.75, 0.0], [0.25, 0.0, -0.5], [2.0, 1.5, -1.25]];

fn fixture(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/interchange/");
    std::fs::read_to_string(format!("{folder}{name}")).unwrap()
}

/// Decision values and labels that the other program has.
fn expected(name: &str) -> (Vec<f64>, Option<Vec<String>>) {
    let all = fixture("decision_values.txt");
    let line = all.lines().find_map(|line| line.strip_prefix(&format!("{name} "))).unwrap();
    let (values, labels) = line.split_once(" | ").map_or((line, None), |(values, labels)| (values, Some(labels)));
    let values = values.split(' ').map(|v| v.parse().unwrap()).collect();
    (values, labels.map(|labels| labels.split(' ').map(str::to_owned).collect()))
}

fn read(text: &str, columns: FeatureColumns, probabilities: bool) -> mercer::error::Result<Model> {
    read_text(text, "a.model", &TextOptions { columns, probabilities }, &Control::default())
}

fn rows() -> Dataset {
    Dataset::from_points(Points::dense(5, 3, NEW.concat()).unwrap())
}

fn predict(model: &Model, rows: &Dataset) -> Predictions {
    let want = Want { scores: true, probabilities: true, ..Want::default() };
    model.predict(rows, want, &Control::default()).unwrap()
}

/// Decision values as the other program has them: for two classes above 0 for its first label, which is the second class here; of pairs
/// of more above 0 for the first, the second here.
fn values(found: &Predictions) -> Vec<f64> {
    match (&found.values, &found.scores) {
        (Predicted::Numbers(numbers), _) => numbers.data().to_vec(),
        (Predicted::Classes(_), Some(scores)) => {
            let side = if found.pairs.len() > 1 { -1.0 } else { 1.0 };
            scores.data().iter().map(|s| side * s).collect()
        }
        (Predicted::Classes(_), None) => Vec::new(),
    }
}

fn assert_close(found: &[f64], expected: &[f64], name: &str) {
    let size = expected.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    assert_eq!(found.len(), expected.len(), "{name}");
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= 1e-12 * size, "{name}: {f} {e}");
    }
}

const MACHINES: [&str; 7] = [
    "c_svc_linear_two",
    "c_svc_rbf_three",
    "nu_svc_polynomial_three",
    "one_class_sigmoid",
    "epsilon_svr_rbf",
    "nu_svr_polynomial",
    "c_svc_rbf_probabilities",
];

#[test]
fn models_of_libsvm_predict_what_libsvm_predicts_and_so_do_they_once_written() {
    for name in MACHINES {
        let (values_of, labels) = expected(name);
        let model = read(&fixture(&format!("{name}.model")), FeatureColumns::default(), false).unwrap();
        let written = to_libsvm(&model).unwrap();
        let again = read(&written.text, FeatureColumns::default(), false).unwrap();
        let stored = store::from_bytes(&store::to_bytes(&model).unwrap(), "m").unwrap();
        for model in [model, again, stored] {
            let found = predict(&model, &rows());
            assert_close(&values(&found), &values_of, name);
            assert_eq!(labels.as_ref().map(|_| model.labels(&found).unwrap()), labels, "{name}");
        }
        // What is written twice is the same text but for the last digit of gamma.
        assert_eq!(
            written.text.lines().count(),
            fixture(&format!("{name}.model")).lines().filter(|line| !line.starts_with("prob")).count()
        );
    }
}

#[test]
fn probabilities_of_libsvm_are_kept_on_request() {
    let text = fixture("c_svc_rbf_probabilities.model");
    let (probabilities, labels) = expected("probabilities");
    let model = read(&text, FeatureColumns::default(), true).unwrap();
    let written = to_libsvm(&model).unwrap();
    assert!(written.text.contains("probA ") && written.notices.len() == 1, "{:?}", written.notices);
    // Columns of LIBSVM are in the order of its labels, of which the first is the second class here.
    let first_label = fixture("c_svc_rbf_probabilities.model").lines().find_map(|l| l.strip_prefix("label ").map(str::to_owned)).unwrap();
    for model in [model, read(&written.text, FeatureColumns::default(), true).unwrap()] {
        assert!(first_label.starts_with(&model.answer.classes().unwrap()[1]));
        let found = predict(&model, &rows());
        let turned: Vec<f64> = found.probabilities.as_ref().unwrap().data().chunks_exact(2).flat_map(|p| [p[1], p[0]]).collect();
        assert_close(&turned, &probabilities, "probabilities");
        assert_eq!(model.labels(&found), labels);
    }
    let without = read(&text, FeatureColumns::default(), false).unwrap();
    assert!(predict(&without, &rows()).probabilities.is_none());
    assert!(without.about.notices.iter().any(|notice| notice.to_string().contains("--probabilities keeps them")));
}

#[test]
fn models_of_liblinear_predict_what_liblinear_predicts() {
    for name in ["l2r_lr_two", "l2r_l2loss_svc_three", "mcsvm_cs_three", "l2r_l1loss_svr", "oneclass_svm"] {
        let (values_of, labels) = expected(name);
        let model = read(&fixture(&format!("{name}.model")), FeatureColumns::default(), false).unwrap();
        let found = predict(&model, &rows());
        assert_close(&values(&found), &values_of, name);
        assert_eq!(labels.as_ref().map(|_| model.labels(&found).unwrap()), labels, "{name}");
        if name == "l2r_lr_two" {
            let second: Vec<f64> = values_of.iter().map(|f| 1.0 / (1.0 + (-f).exp())).collect();
            assert_close(&found.probabilities.unwrap().col(1), &second, name);
        }
    }
}

#[test]
fn features_become_columns_where_they_are_named() {
    let names: Vec<String> = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
    for name in ["c_svc_rbf_three", "l2r_l2loss_svc_three"] {
        let model = read(&fixture(&format!("{name}.model")), FeatureColumns::Numbers(names.clone()), false).unwrap();
        // Columns are found by name.
        let column = |j: usize| Column {
            name: names[j].clone(),
            values: Values::Numbers(NEW.iter().map(|row| row.get(j).copied().unwrap_or(0.0)).collect()),
        };
        let mut table = Dataset::new([3, 1, 0, 2].map(column).to_vec()).unwrap();
        assert_close(&values(&predict(&model, &table)), &expected(name).0, name);
        table.take("d").unwrap();
        assert!(model.predict(&table, Want::default(), &Control::default()).unwrap_err().to_string().contains("'d'"));
        let mut missing = table.into_columns();
        missing.push(Column { name: "d".into(), values: Values::Numbers(vec![0.0, 0.0, f64::NAN, 0.0, 0.0]) });
        let refused = model.predict(&Dataset::new(missing).unwrap(), Want::default(), &Control::default()).unwrap_err().to_string();
        assert!(refused.contains("'d'") && refused.contains("row 3"), "{refused}");
    }
    let few = read(&fixture("c_svc_rbf_three.model"), FeatureColumns::Numbers(names[..2].to_vec()), false).unwrap_err().to_string();
    assert!(few.contains("2 features are named, and the model has 3"), "{few}");
}

#[test]
fn damage_is_named_by_its_line() {
    let (svm, linear) = (fixture("c_svc_rbf_three.model"), fixture("l2r_l2loss_svc_three.model"));
    let line = |text: &str, start: &str| 1 + text.lines().position(|line| line.starts_with(start)).unwrap();
    let first = 1 + line(&svm, "SV");
    // The text with one line changed, and what is said of it.
    let cases: Vec<(String, String)> = vec![
        (svm.replace("rbf", "wavelet"), "line 2: unknown kernel_type 'wavelet'".into()),
        (svm.replace("rbf", "precomputed"), "line 2: kernel_type precomputed holds numbers of rows".into()),
        (svm.replace("c_svc", "d_svc"), "line 1: unknown svm_type 'd_svc'".into()),
        (svm.replace("gamma 0.75", "gamma nan"), "line 3: gamma: found 'nan', expected a finite number".into()),
        (svm.replace("gamma 0.75", "gamma 0"), "line 2: rbf: gamma=0".into()),
        (svm.replace("gamma 0.75\n", ""), "the entry gamma is missing".into()),
        (svm.replace("gamma", "gama"), "line 3: unknown entry 'gama'".into()),
        (svm.replace("nr_class 3", "nr_class 4"), "line 6: rho: expected 6 numbers, found 3".into()),
        (svm.replace("nr_class 3", "nr_class 18446744073709551615"), "line 6: rho: expected".into()),
        (svm.replace("label 4 7", "label 4 4"), "line 7: label: two classes are called 4".into()),
        (svm.replace("nr_sv 7 2 7", "nr_sv 7 3 7"), "line 8: nr_sv adds up to 17 and total_sv is 16".into()),
        (svm.replace("total_sv 16", "total_sv 17"), "after 16 support vectors of 17 (total_sv): truncated".into()),
        (svm.replace("total_sv 16", "total_sv 15"), format!("line {}: one more support vector", first + 15)),
        (svm.replace("0 2.0736403372245373 2:0.75", "2.0736403372245373 2:0.75"), format!("line {first}: expected 2 coefficients")),
        (svm.replace(" 2:0.75", " 0:0.75"), format!("line {first}: found '0:0.75': features are counted from 1")),
        (svm.replace(" 2:0.75", " 2:inf"), format!("line {first}: found 'inf', expected a finite number")),
        (svm.replace(" 2:0.75", " 3:1 2:0.75"), format!("line {first}: found '2:0.75', expected an index above 3")),
        (svm.replace(" 2:0.75", " 2:0.75 x"), format!("line {first}: found 'x', expected INDEX:VALUE")),
        (svm[..svm.len() - 9].to_owned(), "the text ends within this line: truncated".into()),
        (svm[..svm.find("SV\n").unwrap()].to_owned(), "the text ends before the line 'SV': truncated".into()),
        (linear.replace("L2R_L2LOSS_SVC", "L3R"), "line 1: unknown solver_type 'L3R'".into()),
        (linear.replace("nr_feature 3", "nr_feature 5"), "after 4 lines of w, of 6".into()),
        (linear.replace("nr_feature 3", "nr_feature 2"), format!("line {}: one more line of w", line(&linear, "w") + 4)),
        (linear.replace("nr_class 3", "nr_class 2").replace("label", "label 1"), "expected 1 numbers, found 3".into()),
    ];
    for (text, said) in cases {
        assert!(text != svm && text != linear, "{said}");
        let refused = read(&text, FeatureColumns::default(), false).unwrap_err().to_string();
        assert!(refused.starts_with("a.model: ") && refused.contains(&said), "{said}: {refused}");
    }
    let none = read(&svm, FeatureColumns::default(), true).unwrap_err().to_string();
    assert!(none.contains("probA and probB are missing"), "{none}");
}

/// Columns a, b and c, the last constant, classes and numbers.
fn table() -> (Dataset, Target, Target) {
    let of = |k: f64| (0..40).map(|i| 3.0 + 2.0 * (k * f64::from(i)).sin()).collect::<Vec<f64>>();
    let (a, b) = (of(1.3), of(2.9));
    let word = |(a, b): (&f64, &f64)| if a + b > 6.5 { "top" } else { "low" };
    let labels: Vec<&str> = a.iter().zip(&b).map(word).collect();
    let numbers: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
    let column = |name: &str, values: Vec<f64>| Column { name: name.into(), values: Values::Numbers(values) };
    let data = Dataset::new(vec![column("a", a), column("c", vec![2.0; 40]), column("b", b)]).unwrap();
    (data, Target::classes(&labels), Target::numbers(&numbers))
}

fn fit(estimator: &str, kernel: &str, standardise: bool, data: &Dataset, target: &Target) -> Model {
    let mut learner = Learner::new(EstimatorExpr::parse(estimator).unwrap()).kernel(KernelExpr::parse(kernel).unwrap());
    learner.prep.standardise = standardise;
    learner.fit(data, target, &TargetInfo::of(target), None, &Control::default()).unwrap()
}

/// A linear kernel takes up scaling and a column that was left out: the model of LIBSVM takes rows of the table as they are.
#[test]
fn scaling_is_folded_into_a_linear_machine() {
    let (data, classes, numbers) = table();
    let columns: Vec<String> = ["a", "c", "b"].map(str::to_owned).to_vec();
    for (estimator, target) in [("svc(c=1)", &classes), ("svr(c=1, epsilon=0.1)", &numbers)] {
        let model = fit(estimator, "linear", true, &data, target);
        let written = to_libsvm(&model).unwrap();
        assert!(!written.text.contains(" 2:"), "{}", written.text);
        let again = read(&written.text, FeatureColumns::Numbers(columns.clone()), false).unwrap();
        assert_close(&values(&predict(&again, &data)), &values(&predict(&model, &data)), estimator);
        let names = written.notices.iter().any(|notice| notice.to_string().contains("0 = low, 1 = top"));
        assert_eq!(names, estimator.starts_with("svc"), "{:?}", written.notices);
    }
}

#[test]
fn what_libsvm_cannot_express_is_refused() {
    let (data, classes, numbers) = table();
    let two = data.columns().iter().filter(|c| c.name != "c").cloned().collect::<Vec<_>>();
    let plain = Dataset::new(two.clone()).unwrap();
    let with = |column: Column| Dataset::new([two.clone(), vec![column]].concat()).unwrap();
    let words: Vec<String> = (0..40).map(|i| ["x", "y"][i % 2].to_owned()).collect();
    let labelled = with(Column { name: "word".into(), values: Values::Categories(Categories::from_labels(&words)) });
    let holes = (0..40).map(|i| if i == 7 { f64::NAN } else { f64::from(i) }).collect();
    let holed = with(Column { name: "holed".into(), values: Values::Numbers(holes) });
    let several = Target::classes(&(0..40).map(|i| ["p", "q", "r"][i % 3]).collect::<Vec<_>>());
    for (model, said) in [
        (fit("svc(c=1)", "rbf(length_scale=1)", true, &plain, &classes), "--no-standardise"),
        (fit("svc(c=1)", "rbf(length_scale=1)", false, &data, &classes), "--types c=ignore"),
        (fit("svc(c=1)", "matern(length_scale=1)", false, &plain, &classes), "its kernel is matern"),
        (fit("svc(c=1)", "rbf(length_scale=[1, 2])", false, &plain, &classes), "rbf with one length_scale"),
        (fit("svc(c=1)", "linear", false, &labelled, &classes), "'word' holds categories"),
        (fit("svc(c=1)", "linear", false, &holed, &classes), "--missing holed=drop"),
        (fit("svc(c=1, multiclass=one_vs_rest)", "linear", false, &plain, &several), "fit with multiclass=pairs"),
        (fit("ridge(lambda=1)", "linear", false, &plain, &numbers), "fit svc, nu_svc, svr, nu_svr or one_class"),
    ] {
        let refused = to_libsvm(&model).unwrap_err().to_string();
        assert!(refused.starts_with("a model of LIBSVM cannot express this one") && refused.contains(said), "{said}: {refused}");
    }
}
