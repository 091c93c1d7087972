//! Real tables, where the folder named by MERCER_SHARED (or `shared` beside the workspace) has them.

use mercer::data::{ColumnKind, Dataset, Target, Values};
use mercer::notice::Notice;
use mercer::prep::Recipe;
use mercer::read::{ReadOptions, Source, Table};
use std::path::{Path, PathBuf};

fn shared(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("MERCER_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from)
        .join("data")
        .join(path);
    if !folder.exists() {
        println!("skipped: {} is not there", folder.display());
        return None;
    }
    Some(folder)
}

fn read(path: &str, target: &str) -> Option<(Dataset, Target, Vec<String>)> {
    let mut table = Table::read(&Source::File(shared(path)?)).unwrap();
    let options = ReadOptions::default();
    let (target, _) = table.take_target(&[target], &options).unwrap();
    let data = table.dataset(&options).unwrap();
    Some((data, target, table.into_notices()))
}

fn all_numbers(data: &Dataset) -> bool {
    data.columns().iter().all(|c| c.values.kind() == ColumnKind::Number)
}

#[test]
fn every_table_with_a_header_is_read() {
    let Some(folder) = shared("") else { return };
    let mut found = 0;
    for set in std::fs::read_dir(folder).unwrap() {
        let Ok(files) = std::fs::read_dir(set.unwrap().path()) else { continue };
        for file in files {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|e| e == "csv") {
                let (data, notices) = mercer::read::table(&Source::File(path.clone()), &ReadOptions::default()).unwrap();
                let kinds: Vec<String> = data.columns().iter().map(|c| format!("{} {}", c.name, c.values.kind())).collect();
                println!("{}: {} rows; {}; {notices:?}", path.display(), data.rows(), kinds.join(", "));
                assert!(data.rows() > 0 && !data.columns().is_empty());
                found += 1;
            }
        }
    }
    assert!(found >= 30, "{found}");
}

#[test]
fn wine_and_boston_are_numbers_with_a_numeric_target() {
    // Whole numbers of few values may be meant as classes: the notice says how to say so.
    for (path, target, rows, columns, said) in
        [("wine_red/wine_red.csv", "quality", 1599, 11, 1), ("boston_housing/boston_housing.csv", "MEDV", 506, 13, 0)]
    {
        let Some((data, target, notices)) = read(path, target) else { return };
        assert_eq!((data.rows(), data.columns().len(), notices.len()), (rows, columns, said));
        assert!(all_numbers(&data) && matches!(target, Target::Numbers(_)));
    }
}

#[test]
fn banana_and_pima_have_two_classes() {
    for (path, target, names, counts) in [
        ("banana/banana.csv", "target", ["-1.0", "1.0"], [2924, 2376]),
        ("pima_diabetes/pima_diabetes.csv", "target", ["0", "1"], [500, 268]),
        ("pima_ripley/pima_tr.csv", "type", ["No", "Yes"], [132, 68]),
    ] {
        let Some((data, target, _)) = read(path, target) else { return };
        assert!(all_numbers(&data));
        let (codes, found) = target.as_classes("test").unwrap();
        assert_eq!(found, names);
        assert_eq!([0, 1].map(|k| codes.iter().filter(|&&c| c == k).count()), counts, "{path}");
    }
}

#[test]
fn splice_keeps_the_sequence_and_leaves_the_name_out() {
    let path = "splice_junctions/splice.csv";
    let (Some((data, target, notices)), Some(file)) = (read(path, "target"), shared(path)) else { return };
    assert_eq!(data.names(), ["sequence"]);
    assert_eq!(data.columns()[0].values.kind(), ColumnKind::Sequence);
    assert!(notices.iter().any(|n| n.contains("'name'")), "{notices:?}");
    assert_eq!(target.as_classes("test").unwrap().1, ["EI", "IE", "N"]);
    let mut table = Table::read(&Source::File(file)).unwrap();
    let message = table.take_target(&["name"], &ReadOptions::default()).unwrap_err().to_string();
    assert!(message.contains("'name'") && message.contains("neither classes nor numbers"), "{message}");
}

#[test]
fn the_constant_column_of_ionosphere_is_dropped() {
    let Some((data, _, _)) = read("ionosphere/ionosphere.csv", "target") else { return };
    let (fitted, notices) = Recipe::default().fit(&data, &[]).unwrap();
    assert_eq!(notices, [Notice::ConstantColumns { columns: vec!["x2".into()] }]);
    let made = fitted.apply(&data).unwrap();
    assert_eq!(made.columns().len(), 33);
    for column in made.columns() {
        let Values::Numbers(v) = &column.values else { panic!("not numbers") };
        assert!(v.iter().all(|x| x.is_finite()));
    }
}

#[test]
fn missing_horsepower_is_filled_and_flagged() {
    let Some((data, _, _)) = read("auto_mpg/auto_mpg.csv", "mpg") else { return };
    let (fitted, _) = Recipe { standardise: false, ..Recipe::default() }.fit(&data, &[]).unwrap();
    let made = fitted.apply(&data).unwrap();
    let Values::Numbers(flag) = &made.column("horsepower=missing").unwrap().values else { panic!("not numbers") };
    assert_eq!(flag.iter().sum::<f64>(), 6.0);
}

#[test]
fn libsvm_files_packed_or_not_have_the_rows_and_features_of_their_description() {
    // Rows, highest index and labels of the files as the README beside them describes them.
    for (path, rows, features, classes) in [
        ("adult_a9a/a1a.libsvm", 1605, 119, Some(["-1", "1"])),
        ("adult_a9a/a9a.gz", 32_560, 122, Some(["-1", "+1"])),
        ("svmguide1/svmguide1", 3089, 4, None),
    ] {
        let Some(file) = shared(path) else { return };
        let mut table = Table::read(&Source::File(file)).unwrap();
        let (target, _) = table.take_target(&["target"], &ReadOptions::default()).unwrap();
        let data = table.dataset(&ReadOptions::default()).unwrap();
        let Values::Points(x) = &data.column("x").unwrap().values else { panic!("not vectors") };
        assert!(x.is_sparse());
        assert_eq!((x.rows(), x.dim()), (rows, features), "{path}");
        assert!(classes.is_none_or(|expected| target.as_classes("test").unwrap().1 == expected));
    }
}

#[test]
fn packed_csv_is_read_like_csv() {
    let Some(file) = shared("california_housing/california_housing.csv.gz") else { return };
    let (data, notices) = mercer::read::table(&Source::File(file), &ReadOptions::default()).unwrap();
    assert_eq!(data.rows(), 20_640);
    assert!(all_numbers(&data) && notices.is_empty(), "{notices:?}");
}
