//! What faces with arrays use: cells that are in memory already, row numbers of the support, sizes, intervals.

use mercer::control::{Control, memory_size};
use mercer::data::{Column, ColumnKind, Dataset, Points, Target, Values};
use mercer::estimators::{EstimatorExpr, Predicted, Predictions};
use mercer::gram;
use mercer::kernels::KernelExpr;
use mercer::learner::Learner;
use mercer::linalg::Matrix;
use mercer::read::{Labels, ReadOptions, Table, TargetInfo};
use mercer::report::{DeviationOf, interval, standard_deviation};

fn cells(list: &[&str]) -> Vec<String> {
    list.iter().map(|s| (*s).to_owned()).collect()
}

#[test]
fn cells_in_memory_are_read_like_those_of_a_file() {
    let columns = [("x".to_owned(), cells(&["1", "", "3"])), ("c".to_owned(), cells(&["b", "a", "b"]))];
    let mut here = Table::of_cells("here", 3, &columns).unwrap();
    let mut file = Table::parse("file", b"x,c\n1,b\n,a\n3,b\n").unwrap();
    let options = ReadOptions::default();
    let (here, file) = (here.dataset(&options).unwrap(), file.dataset(&options).unwrap());
    assert_eq!(here.columns()[1], file.columns()[1]);
    let kinds: Vec<ColumnKind> = here.columns().iter().map(|c| c.values.kind()).collect();
    assert_eq!(kinds, [ColumnKind::Number, ColumnKind::Category]);
    assert!(matches!(&here.columns()[0].values, Values::Numbers(v) if v[0] == 1.0 && v[1].is_nan() && v[2] == 3.0));
}

#[test]
fn columns_in_memory_have_one_length_and_a_name_each() {
    let uneven = [("a".to_owned(), cells(&["1"])), ("b".to_owned(), cells(&["1", "2"]))];
    assert!(Table::of_cells("here", 1, &uneven).unwrap_err().to_string().contains("'b'"));
    let twice = [("a".to_owned(), cells(&["1"])), ("a".to_owned(), cells(&["2"]))];
    assert!(Table::of_cells("here", 1, &twice).unwrap_err().to_string().contains("stands twice"));
}

#[test]
fn a_target_that_is_not_finite_is_refused_by_every_estimator_with_its_row() {
    let x = Values::Numbers((0..12).map(f64::from).collect());
    let data = Dataset::new(vec![Column { name: "x".into(), values: x }]).unwrap();
    let info = TargetInfo { names: vec!["y".into()], classes: None, labels: Labels::Text };
    for found in [f64::NAN, f64::INFINITY] {
        let target = Target::numbers(&(0..12).map(|i| if i == 3 { found } else { f64::from(i * i) }).collect::<Vec<_>>());
        for estimator in EstimatorExpr::all_for(&target).unwrap() {
            let learner = Learner::new(estimator);
            let error = learner.fit(&data, &target, &info, None, &Control::default()).unwrap_err().to_string();
            assert!(error.contains(&format!("the target of row 4 is {found}")), "{}: {error}", learner.estimator);
        }
    }
}

#[test]
fn points_are_shared_by_clones_all_rows_and_preparation_without_steps() {
    let points = Points::dense(3, 2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let place = |points: &Points| points.to_dense().as_ptr();
    let data = Dataset::from_points(points.clone());
    let all = data.select(&[0, 1, 2]);
    let Values::Points(chosen) = &all.columns()[0].values else { panic!("no points") };
    assert_eq!((place(&points), place(&points)), (place(&points.clone()), place(chosen)));
    let Values::Points(other) = &data.select(&[0, 2, 1]).columns()[0].values.clone() else { panic!("no points") };
    assert_ne!(place(&points), place(other));
    assert_eq!(*other.to_dense(), [1.0, 2.0, 5.0, 6.0, 3.0, 4.0]);
}

#[test]
fn support_rows_are_numbered_as_they_were_given() {
    let x = Values::Numbers(vec![9.0, 0.0, 9.0, 9.0, 1.0, 2.0, 9.0]);
    let data = Dataset::new(vec![Column { name: "x".into(), values: x }]).unwrap();
    let weights = [0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0];
    let info = TargetInfo { names: vec!["y".into()], classes: None, labels: Labels::Text };
    let learner = Learner::new(EstimatorExpr::parse("ridge(lambda=1)").unwrap());
    let target = Target::numbers(&[0.0, 1.0, 0.0, 0.0, 3.0, 2.0, 0.0]);
    let model = learner.fit(&data, &target, &info, Some(&weights), &Control::default()).unwrap();
    assert_eq!(model.support_rows(), [1, 4, 5]);
}

// Documents, proteins, molecules, evolutionary trees, image feature sets and real-valued sequences: Murphy (2012), 14.1.
// spec: K48
#[test]
fn every_structured_input_of_the_textbook_has_a_column_type_and_a_kernel() {
    let cells = [
        ("document", "text", ["the cat sat", "a dog ran", "the dog sat"]),
        ("protein", "sequence", ["MKTAYIAK", "MKQAYLAK", "GAVLIPFM"]),
        ("molecule", "graph", ["C C O | 0-1 1-2", "C N | 0-1:2", "C C | 0-1"]),
        ("evolution", "tree", ["(root (a) (b (c) (d)))", "(root (b (c) (d)))", "(root (a))"]),
        ("features", "set", ["[[0.1, 2], [3, 1]]", "[[0, 1]]", "[[5, 5], [4, 4], [1, 0]]"]),
        ("signal", "series", ["[0, 1, 2, 1]", "[0, 0.5, 1]", "[2, 1, 0, 1, 2]"]),
    ];
    let header: Vec<&str> = cells.iter().map(|(name, ..)| *name).collect();
    let row = |i: usize| cells.iter().map(|(.., values)| format!("\"{}\"", values[i])).collect::<Vec<_>>().join(",");
    let text = format!("{}\n{}\n{}\n{}\n", header.join(","), row(0), row(1), row(2));
    let types: Vec<String> = cells.iter().map(|(name, kind, _)| format!("{name}={kind}")).collect();
    let options = ReadOptions::with_types(types.iter().map(String::as_str)).unwrap();
    let data = Table::parse("t.csv", text.as_bytes()).unwrap().dataset(&options).unwrap();
    let kinds = [ColumnKind::Text, ColumnKind::Sequence, ColumnKind::Graph, ColumnKind::Tree, ColumnKind::Set, ColumnKind::Series];
    assert_eq!(data.columns().iter().map(|c| c.values.kind()).collect::<Vec<_>>(), kinds);
    for kernel in [
        "on(document, tfidf)",
        "on(protein, spectrum(k=2))",
        "on(molecule, weisfeiler_lehman)",
        "on(evolution, subset_tree)",
        "on(features, set_mean(rbf))",
        "on(signal, global_alignment)",
    ] {
        let bound = KernelExpr::parse(kernel).unwrap().settle(&data).unwrap().bind(None, &data).unwrap();
        let k = gram::dense(bound.as_ref(), &Control::default()).unwrap();
        assert!((0..3).all(|i| k[(i, i)] > 0.0) && gram::psd_check(&k, &Control::default()).unwrap().witness.is_none(), "{kernel}");
    }
}

#[test]
fn an_interval_is_a_quantile_of_the_normal_distribution_either_side() {
    let predictions = Predictions {
        variance: Some(Matrix::column(vec![3.0, 0.0])),
        noise: Some(vec![1.0]),
        ..Predictions::of(Predicted::Numbers(Matrix::column(vec![5.0, -1.0])))
    };
    assert_eq!(standard_deviation(&predictions, DeviationOf::Target).unwrap().data(), [2.0, 1.0]);
    assert_eq!(standard_deviation(&predictions, DeviationOf::Mean).unwrap().data(), [3.0f64.sqrt(), 0.0]);
    let (low, high) = interval(&predictions, 0.95).unwrap().unwrap();
    // The 97.5% quantile of the standard normal distribution.
    let z = 1.959_963_984_540_054;
    for (found, expected) in low.data().iter().chain(high.data()).zip([5.0 - 2.0 * z, -1.0 - z, 5.0 + 2.0 * z, -1.0 + z]) {
        assert!((found - expected).abs() <= 1e-12, "{found} {expected}");
    }
    assert!(interval(&predictions, 1.0).is_err());
    assert!(interval(&Predictions::of(predictions.values.clone()), 0.5).unwrap().is_none());
}

#[test]
fn sizes_have_units() {
    assert_eq!(memory_size("4GB"), Some(4_000_000_000));
    assert_eq!(memory_size(" 1.5 gib "), Some(1_610_612_736));
    assert_eq!(memory_size("100"), Some(100));
    for wrong in ["", "GB", "-1", "0", "4 parsecs", "inf", "nan", "1e400", "ß"] {
        assert_eq!(memory_size(wrong), None, "{wrong}");
    }
}
