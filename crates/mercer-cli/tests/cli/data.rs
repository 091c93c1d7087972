//! Data as it comes: formats, packing, missing cells, new labels, folds, several targets, kernel matrices.

use super::shell::Shell;
use serde_json::Value;

const DATA: i32 = 3;
const RESOURCE: i32 = 4;

/// Twenty rows of two features and a class, as LIBSVM writes them.
fn libsvm() -> String {
    (0..20).map(|i| format!("{} 1:{} 2:{}\n", if i % 2 == 0 { "+1" } else { "-1" }, i % 2 * 3 + i % 5, i % 7)).collect()
}

/// Thirty rows of a number, a label and a target; every fifth number and every seventh label is missing.
fn with_gaps() -> String {
    let row = |i: usize| {
        let x = if i % 5 == 4 { String::new() } else { format!("{}.5", i) };
        let c = if i % 7 == 6 { "" } else { ["a", "b"][i % 2] };
        format!("{x},{c},{}\n", 2 * i)
    };
    format!("x,c,y\n{}", (0..30).map(row).collect::<String>())
}

fn json(shell: &Shell, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(shell.path(name)).unwrap()).unwrap()
}

/// A table and its notes without their line ends.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Packs a file with a tool of the system; says so where that tool is not there.
fn packed(shell: &Shell, tool: &str, name: &str) -> bool {
    let done = std::process::Command::new(tool).args(["-k", "-q", name]).current_dir(shell.folder()).status();
    match &done {
        Ok(status) => assert!(status.success()),
        Err(e) => println!("skipped: {tool} cannot be run: {e}"),
    }
    done.is_ok()
}

#[test]
fn libsvm_needs_no_target_and_predicts_in_the_same_features() {
    let shell = Shell::new();
    shell.write("train", libsvm());
    shell.done(&["fit", "train", "--estimator", "knn(k=1)", "--kernel", "rbf(length_scale=1)", "-o", "m.mercer"]);
    shell.write("new", "0 1:3\n0 2:4 9:1\n");
    let run = shell.done(&["predict", "m.mercer", "new"]);
    assert_eq!(run.out.lines().next(), Some("target_predicted"));
    assert_eq!(run.out.lines().count(), 3);
    assert!(run.err.contains("1 row has features beyond the 2 of training"), "{}", run.err);
    shell.write("bad", "1 1:1\n1 2:two\n");
    let run = shell.mercer(&["fit", "bad", "-o", "n.mercer"]);
    assert!(run.code == DATA && run.err.contains("line 2, item 2") && run.err.contains("'2:two'"), "{}", run.err);
}

#[test]
fn packed_tables_are_read_from_files_and_never_beyond_the_memory_allowed() {
    let shell = Shell::new();
    let table = shell.done(&["examples", "iris"]).out;
    shell.write("iris.csv", &table);
    let words = ["--target", "species", "--estimator", "knn(k=3)", "--kernel", "rbf(length_scale=1)"];
    let fitted = |name: &str| {
        shell.done(&[&["fit", name][..], &words, &["-o", "m.mercer"]].concat());
        shell.done(&["predict", "m.mercer", name]).out
    };
    let plain = fitted("iris.csv");
    for (tool, name) in [("gzip", "iris.csv.gz"), ("zstd", "iris.csv.zst")] {
        if packed(&shell, tool, "iris.csv") {
            assert_eq!(fitted(name), plain);
            let run = shell.mercer(&[&["fit", name][..], &words, &["--max-memory", "2kB", "-o", "n.mercer"]].concat());
            assert!(run.code == RESOURCE && run.err.contains("unpacking") && run.err.contains("--max-memory"), "{}", run.err);
        }
    }
}

#[test]
fn json_lines_come_from_standard_input() {
    let shell = Shell::new();
    let rows: String = (0..20).map(|i| format!("{{\"x\": {i}, \"v\": [{}, 1.5], \"y\": \"{}\"}}\n", i % 3, ["no", "yes"][i % 2])).collect();
    let words = ["fit", "-", "--target", "y", "--estimator", "knn(k=1)", "--kernel", "rbf(length_scale=1)", "-o", "m.mercer"];
    let run = shell.mercer_reading(&words, &rows);
    assert_eq!(run.code, 0, "{}", run.err);
    let run = shell.mercer_reading(&["predict", "m.mercer", "-"], "{\"v\": [1, 1.5], \"x\": 4}\n{\"x\": 5, \"v\": [2, 1.5]}\n");
    assert_eq!(run.out, "y_predicted\nno\nyes\n");
    let run = shell.mercer_reading(&["predict", "m.mercer", "-"], "{\"v\": [1, 1.5], \"x\": 4}\n{\"x\": \"5\", \"v\": [2]}\n");
    assert!(run.code == DATA && run.err.contains("line 2 (row 2), column 'x'"), "{}", run.err);
}

#[test]
fn missing_cells_and_new_labels_are_said_when_predicting() {
    let shell = Shell::new();
    shell.write("t.csv", with_gaps());
    let fit = shell.done(&[
        "fit",
        "t.csv",
        "--target",
        "y",
        "--estimator",
        "knn(k=2)",
        "--kernel",
        "rbf(length_scale=1) + equal",
        "-o",
        "m.mercer",
    ]);
    assert!(fit.err.contains("'x' has 6 missing cells") && fit.err.contains("'c' has 4 missing cells: taken as the label"), "{}", fit.err);
    shell.write("new.csv", "x,c\n,a\n1,zz\n2,\n3,zz\n");
    let run = shell.done(&["predict", "m.mercer", "new.csv"]);
    assert_eq!(run.out.lines().count(), 5);
    for said in [
        "'x' has 1 missing cell: filled",
        "'c': 2 rows hold labels that training did not have (first 'zz' in row 2)",
        "'c' has 1 missing cell",
    ] {
        assert!(run.err.contains(said), "'{said}' is not in\n{}", run.err);
    }
}

#[test]
fn policies_of_missing_cells_are_stored_with_the_model() {
    let shell = Shell::new();
    shell.write("t.csv", with_gaps());
    let words = ["fit", "t.csv", "--target", "y", "--estimator", "knn(k=2)", "--kernel", "rbf(length_scale=1) + equal", "-o", "m.mercer"];
    let fit = |policy: &str| shell.mercer(&[&words[..], &["--missing", policy]].concat());
    let run = fit("x=error");
    assert!(run.code == DATA && run.err.contains("row 5, column 'x'"), "{}", run.err);
    let run = fit("x=drop,c=drop");
    assert!(
        run.code == 0 && run.err.contains("'x': 6 rows") && run.err.contains("row 5") && run.err.contains("'c': 4 rows"),
        "{}",
        run.err
    );
    assert!(run.out.contains("20 for training") || run.out.contains("21 for training"), "{}", run.out);
    shell.write("new.csv", "x,c\n1,a\n,b\n");
    let run = shell.mercer(&["predict", "m.mercer", "new.csv", "-o", "p.csv"]);
    assert!(run.code == DATA && run.err.contains("row 2, column 'x'") && !shell.path("p.csv").exists(), "{}", run.err);
    let run = fit("x=dropp");
    assert!(run.code == 2 && run.err.contains("did you mean 'drop'"), "{}", run.err);
    // The same rows are left out of a comparison.
    let run = shell.done(&["compare", "t.csv", "--target", "y", "--estimators", "knn(k=2), baseline", "--missing", "x=drop"]);
    assert!(in_one_line(&run.out).contains("'x': 6 rows"), "{}", run.out);
}

#[test]
fn folds_in_order_of_time_never_learn_from_the_future() {
    let shell = Shell::new();
    // y jumps at the end of the year: only what learns from the future could know.
    let rows: String =
        (0..60).map(|i| format!("2024-{:02}-{:02},{},{}\n", 1 + i / 28, 1 + i % 28, i % 5, if i < 50 { 0 } else { 100 })).collect();
    shell.write("t.csv", format!("day,x,y\n{rows}"));
    let words = [
        "compare",
        "t.csv",
        "--target",
        "y",
        "--types",
        "y=number",
        "--estimators",
        "baseline",
        "--kernel",
        "on(x, rbf)",
        "--json",
        "t.json",
    ];
    let rmse = |more: &[&str]| {
        let run = shell.done(&[&words[..], more].concat());
        (json(&shell, "t.json")["rows"][0]["metrics"]["rmse"]["mean"].as_f64().unwrap(), in_one_line(&run.out))
    };
    // The last of five parts holds the ten rows of 100, and its model has seen none: of the fifty that are scored ten are off by 100.
    let (in_time, said) = rmse(&["--time", "day", "--folds", "5"]);
    assert!((in_time - (10.0 * 100f64.powi(2) / 50.0).sqrt()).abs() <= 1e-9, "{in_time}");
    assert!(said.contains("folds are in order of time") && said.contains("first 10 rows are never scored"), "{said}");
    assert!((rmse(&[]).0 - in_time).abs() > 1.0);
    let run = shell.mercer(&[&words[..], &["--time", "x", "--groups", "day"]].concat());
    assert_eq!(run.code, 2, "{}", run.err);
    let run = shell.mercer(&[&words[..], &["--time", "x", "--folds", "9"]].concat());
    assert!(run.code == 2 && run.err.contains("different times"), "{}", run.err);
}

#[test]
fn several_targets_are_learnt_and_predicted_together() {
    let shell = Shell::new();
    let rows: String = (0..20).map(|i| format!("{i},{},{}\n", 2 * i, 100 - i)).collect();
    shell.write("t.csv", format!("x,up,\"down, fast\"\n{rows}"));
    let fit =
        ["fit", "t.csv", "--target", "up,\"down, fast\"", "--kernel", "linear", "--estimator", "ridge(lambda=1e-6)", "-o", "m.mercer"];
    shell.done(&fit);
    shell.write("new.csv", "x\n30\n");
    let out = shell.done(&["predict", "m.mercer", "new.csv"]).out;
    assert_eq!(out.lines().next(), Some("up_predicted,\"down, fast_predicted\""));
    let values: Vec<f64> = out.lines().nth(1).unwrap().split(',').map(|c| c.parse().unwrap()).collect();
    assert!((values[0] - 60.0).abs() <= 0.01 && (values[1] - 70.0).abs() <= 0.01, "{values:?}");
    shell.done(&["fit", "t.csv", "--target", "down, fast", "--estimator", "ridge(lambda=1)", "--kernel", "linear", "-o", "n.mercer"]);
    shell.done(&["compare", "t.csv", "--target", "up,\"down, fast\"", "--estimators", "ridge, knn(k=2), baseline"]);
    let run = shell.mercer(&["fit", "t.csv", "--target", "up,\"down, fast\"", "--estimator", "svc", "-o", "s.mercer"]);
    assert!(
        run.code == 2 && run.err.contains("svc: it cannot predict several numbers at once") && run.err.contains("ridge"),
        "{}",
        run.err
    );
}

#[test]
fn a_kernel_matrix_is_written_whole_and_between_two_tables() {
    let shell = Shell::new();
    shell.write("t.csv", "x,y\n0,1\n2,2\n");
    let words = ["gram", "t.csv", "--target", "y", "--kernel", "linear", "--no-standardise", "-o", "K.npy"];
    let run = shell.done(&words);
    assert!(run.out.contains("2 x 2") && run.out.contains("linear"), "{}", run.out);
    let numbers = |name: &str| -> Vec<f64> {
        let bytes = std::fs::read(shell.path(name)).unwrap();
        assert!(bytes.starts_with(b"\x93NUMPY") && bytes.len().is_multiple_of(8));
        bytes[128..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
    };
    // x x' of x = (0, 2); between (1, 3, 5) and x.
    assert_eq!(numbers("K.npy"), [0.0, 0.0, 0.0, 4.0]);
    shell.write("new.csv", "x\n1\n3\n5\n");
    shell.done(&[&words[..], &["--rows", "new.csv"]].concat());
    assert_eq!(numbers("K.npy"), [0.0, 2.0, 0.0, 6.0, 0.0, 10.0]);
    // The file is a table again.
    shell.done(&["gram", "K.npy", "--kernel", "rbf(length_scale=1)", "-o", "L.npy"]);
    let run = shell.mercer(&["gram", "t.csv", "--kernel", "rfb", "-o", "M.npy"]);
    assert!(run.code == 2 && !shell.path("M.npy").exists(), "{}", run.err);
}

#[test]
fn completions_and_manual_pages_know_every_command_and_option() {
    let shell = Shell::new();
    for name in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = shell.done(&["completions", name]).out;
        assert!(["compare", "predict", "missing", "completions"].iter().all(|word| script.contains(word)), "{name}");
    }
    assert_eq!(shell.mercer(&["completions", "tcsh"]).code, 2);
    let page = shell.done(&["man"]).out;
    assert!(page.starts_with(".ie") || page.contains(".TH mercer"), "{page}");
    assert!(page.contains("mercer\\-fit") || page.contains("mercer-fit"), "{page}");
    let page = shell.done(&["man", "fit"]).out;
    assert!(page.contains("\\-\\-missing") && page.contains("\\-\\-threads"), "{page}");
    assert_eq!(shell.mercer(&["man", "fitt"]).code, 2);
}

#[test]
fn several_targets_are_scored_each_in_its_unit_and_ranked_by_what_is_explained() {
    let shell = Shell::new();
    let x = |i: usize| (i * 37 % 101) as f64 / 101.0;
    // The second target is the first in another unit, with more noise.
    let row = |i: usize| format!("{},{},{}\n", x(i), x(i), 1000.0 * x(i) + (i * 53 % 97) as f64);
    shell.write("t.csv", format!("x,near,far\n{}", (0..60).map(row).collect::<String>()));
    let run =
        shell.done(&["compare", "t.csv", "--target", "near,far", "--estimators", "ridge,knn", "--json", "r.json", "--report", "r.html"]);
    assert!(run.out.contains("RMSE of each target") && run.out.contains("near: ridge 0.0"), "{}", run.out);
    let document = json(&shell, "r.json");
    assert_eq!(document["metric"], "r2");
    let of = |name: &str, what: &str| document["rows"][0]["targets"][name][what].as_f64().unwrap();
    assert!(of("near", "r2") > 0.99 && of("near", "rmse") < 0.1 && of("far", "rmse") > 10.0, "{}", document["rows"][0]["targets"]);
    assert!(std::fs::read_to_string(shell.path("r.html")).unwrap().contains("Error of each target"));
}

#[test]
fn an_identifier_that_rows_share_asks_for_groups_though_it_is_ignored() {
    let shell = Shell::new();
    let row = |i: usize| format!("C{:02},{},{}\n", i / 5, i * 37 % 101, i * 53 % 97 % 2);
    shell.write("t.csv", format!("customer,x,y\n{}", (0..150).map(row).collect::<String>()));
    let compare = |more: &[&str]| shell.done(&[&["compare", "t.csv", "--target", "y", "--estimators", "knn"], more].concat());
    let ignored = in_one_line(&compare(&["--types", "customer=ignore"]).err);
    assert!(ignored.contains("column 'customer', which is ignored, names 30 groups of rows: 5.0 rows of each value"), "{ignored}");
    assert!(ignored.contains("--groups customer keeps them in one fold"), "{ignored}");
    assert!(in_one_line(&compare(&[]).err).contains("column 'customer' names 30 groups of rows"));
    assert!(!compare(&["--groups", "customer"]).err.contains("groups of rows"));
}
