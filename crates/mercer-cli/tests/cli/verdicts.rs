//! What a comparison says where one class is rare, where errors cost unlike, and where columns have scales of their own.

use super::shell::Shell;
use serde_json::Value;

fn json(shell: &Shell, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(shell.path(name)).unwrap()).unwrap()
}

/// Four in a hundred rows are fraud, and lie at the end where an ordinary row is six times as likely.
fn with_fraud() -> String {
    let row = |i: usize| {
        let fraud = i.is_multiple_of(25);
        let x = if fraud { 6.0 + (i * 37 % 101) as f64 / 25.0 } else { (i * 53 % 997) as f64 / 100.0 };
        format!("{x},{},{}\n", (i * 31 % 89) as f64 / 10.0, if fraud { "fraud" } else { "good" })
    };
    format!("x,noise,kind\n{}", (0..500).map(row).collect::<String>())
}

#[test]
fn a_rare_class_is_ranked_by_average_precision_and_predicted_where_that_costs_least() {
    let shell = Shell::new();
    shell.write("t.csv", with_fraud());
    let compare = |more: &[&str]| {
        let words = ["compare", "t.csv", "--target", "kind", "--estimators", "logistic", "--kernel", "linear", "--json", "r.json"];
        shell.done(&[&words[..], &["--save", "m.mercer"], more].concat())
    };
    let found = || shell.done(&["predict", "m.mercer", "t.csv"]).out.lines().filter(|line| *line == "fraud").count();
    let run = compare(&[]);
    let said = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("average precision decides, because guessing 'good' is correct in 96.0% of rows"), "{said}");
    assert!(said.contains("logistic predicts 'fraud' where its probability is at least 0.0"), "{said}");
    let document = json(&shell, "r.json");
    assert_eq!(document["metric"], "average_precision");
    let value = |name: &str| document["rows"][0]["metrics"][name]["mean"].as_f64().unwrap();
    // By the larger probability no row is fraud, and balanced accuracy is 50%.
    assert!(value("balanced_accuracy") > 0.6 && value("accuracy") < 0.96, "{}", document["rows"][0]["metrics"]);
    let balanced = found();
    assert!((20..250).contains(&balanced), "{balanced}");
    // Errors that cost alike are fewest where nothing is fraud; what is missed is dear, and more is called fraud.
    compare(&["--costs", "fraud=1,good=1"]);
    let alike = found();
    compare(&["--costs", "fraud=100"]);
    let dear = found();
    assert!(alike < balanced && balanced <= dear, "{alike}, {balanced}, {dear}");
    for (costs, why) in [("swindle=2", "class 'swindle'"), ("fraud", "no class with its cost"), ("fraud=0", "write a number above 0")] {
        let run = shell.mercer(&["compare", "t.csv", "--target", "kind", "--estimators", "logistic", "--costs", costs]);
        assert!(run.code == 2 && run.err.contains(why), "{costs}: {}", run.err);
    }
}

#[test]
fn columns_of_their_own_scale_are_tried_beside_one_scale_for_all() {
    let shell = Shell::new();
    let x = |i: usize, by: usize| (i * by % 211) as f64 / 211.0;
    let row = |i: usize| {
        let [a, b, c] = [x(i, 37), x(i, 59), x(i, 101)];
        format!("{a},{b},{c},{}\n", (9.0 * a).sin() + 0.5 * b + 0.02 * x(i, 151))
    };
    shell.write("t.csv", format!("a,b,c,y\n{}", (0..200).map(row).collect::<String>()));
    shell.done(&["compare", "t.csv", "--target", "y", "--json", "r.json"]);
    let document = json(&shell, "r.json");
    let rows = document["rows"].as_array().unwrap();
    let error = |name: &str| {
        let row = rows.iter().find(|r| r["estimator"] == name).unwrap_or_else(|| panic!("no {name}"));
        row["metrics"]["rmse"]["mean"].as_f64().unwrap()
    };
    assert!(error("gp ARD") < 0.8 * error("gp") && error("ridge ARD") < 0.8 * error("ridge"), "{} of {}", error("gp ARD"), error("gp"));
    let ard = rows.iter().find(|r| r["estimator"] == "gp ARD").unwrap();
    assert!(ard["settled"].as_str().unwrap().contains("length_scale=["), "{}", ard["settled"]);
    // Whoever names methods or a kernel gets these.
    for more in [["--estimators", "gp"], ["--kernel", "rbf"]] {
        let run = shell.done(&[&["compare", "t.csv", "--target", "y", "--effort", "0.1"], &more[..]].concat());
        assert!(!run.out.contains("ARD"), "{}", run.out);
    }
}

#[test]
fn linear_machines_are_compared_where_rows_are_sparse() {
    let shell = Shell::new();
    let row = |i: usize| {
        let word = |k: usize| 1 + (i * 37 + k * 101) % 300;
        let mut words: Vec<usize> = (0..4).map(word).chain([if i.is_multiple_of(2) { 301 } else { 302 }]).collect();
        words.sort_unstable();
        words.dedup();
        let cells: Vec<String> = words.iter().map(|w| format!("{w}:1")).collect();
        format!("{} {}\n", if i.is_multiple_of(2) { "+1" } else { "-1" }, cells.join(" "))
    };
    shell.write("t.svm", (0..60).map(row).collect::<String>());
    let run = shell.done(&["compare", "t.svm", "--effort", "0.1", "--json", "r.json"]);
    let document = json(&shell, "r.json");
    let names: Vec<&str> = document["rows"].as_array().unwrap().iter().map(|r| r["estimator"].as_str().unwrap()).collect();
    assert!(names.contains(&"linear_svc"), "{names:?}\n{}", run.out);
    let run = shell.done(&["compare", "t.svm", "--effort", "0.1", "--kernel", "cosine"]);
    assert!(!run.out.contains("linear_svc"), "{}", run.out);
}

#[test]
fn models_are_scored_on_a_test_table_beside_the_folds() {
    let shell = Shell::new();
    // Class b stands above 0; of the five test rows the last is a there.
    let rows: String = (1..=12).map(|i| format!("{},a\n{i},b\n", -i)).collect();
    shell.write("train.csv", format!("x,kind\n{rows}0.5,b\n"));
    shell.write("test.csv", "kind,more,x\na,1,-5\na,2,-3\nb,3,4\nb,4,6\na,5,5\n");
    let words = ["compare", "train.csv", "--target", "kind", "--estimators", "knn(k=3), baseline", "--metric", "accuracy"];
    let files = ["--test", "test.csv", "--json", "r.json", "--report", "r.html"];
    let run = shell.done(&[&words[..], &files].concat());
    let document = json(&shell, "r.json");
    assert_eq!((&document["test"]["table"], &document["test"]["rows"]), (&"test.csv".into(), &5.into()));
    let of = |name: &str| {
        let row = document["rows"].as_array().unwrap().iter().find(|row| row["estimator"] == name).unwrap();
        ["mean", "se"].map(|part| row["test"][part].as_f64().unwrap())
    };
    // 4 of 5, and sqrt((4 * 0.2^2 + 0.8^2) / (5 * 4)). The most frequent class is b: 2 of 5, and sqrt((3 * 0.4^2 + 2 * 0.6^2) / (5 * 4)).
    for (name, expected) in [("knn(k=3)", [0.8, 0.2]), ("baseline", [0.4, 0.06f64.sqrt()])] {
        let found = of(name);
        assert!((0..2).all(|k| (found[k] - expected[k]).abs() < 1e-12), "{name}: {found:?}");
    }
    let said = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("test: accuracy on 5 rows of test.csv, by the models of all rows.") && said.contains("80.0%"), "{said}");
    let page = std::fs::read_to_string(shell.path("r.html")).unwrap();
    assert!(page.contains("<th scope=\"col\">test</th>") && page.contains("5 rows of test.csv"));
    // Without a test table there is no such column.
    shell.done(&[&words[..], &["--json", "r.json"]].concat());
    let document = json(&shell, "r.json");
    assert!(document.get("test").is_none() && document["rows"][0].get("test").is_none());
    for (text, why) in [
        ("x\n1\n", "unknown column 'kind'"),
        ("kind\na\n", "the column 'x' that the model was fitted on is missing"),
        ("x,kind\n1,a\n2,c\n", "row 2, column 'kind': found 'c', expected one of the classes a, b"),
        ("x,kind\n1,a\n2,\n", "row 2, column 'kind'"),
        ("x,kind\none,a\n", "row 1, column 'x'"),
    ] {
        shell.write("test.csv", text);
        let run = shell.mercer(&[&words[..], &["--test", "test.csv"]].concat());
        assert!(run.code != 0 && run.err.contains(why), "{text}: {}", run.err);
    }
}

#[test]
fn test_rows_without_a_target_are_left_out_where_that_is_asked_for() {
    let shell = Shell::new();
    let rows: String = (1..=12).map(|i| format!("{},a\n{i},b\n", -i)).collect();
    shell.write("train.csv", format!("x,kind\n{rows}0.5,\n"));
    shell.write("test.csv", "x,kind\n-5,a\n1,\n4,b\n6,a\n");
    let words = ["compare", "train.csv", "--target", "kind", "--estimators", "knn(k=3)", "--metric", "accuracy", "--test", "test.csv"];
    let run = shell.done(&[&words[..], &["--missing", "kind=drop", "--json", "r.json"]].concat());
    assert!(run.err.contains("test.csv: target 'kind' has no value in row 2: it is left out"), "{}", run.err);
    let document = json(&shell, "r.json");
    assert_eq!(document["test"]["rows"], 3);
    // Of the three others the last is an a among the bs.
    assert!((document["rows"][0]["test"]["mean"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-12);
    // Rows are counted in the file.
    shell.write("test.csv", "x,kind\n-5,a\n1,\n4,c\n");
    let run = shell.mercer(&[&words[..], &["--missing", "kind=drop"]].concat());
    assert!(run.code != 0 && run.err.contains("test.csv: row 3, column 'kind': found 'c'"), "{}", run.err);
    shell.write("train.csv", format!("x,kind\n{rows}"));
    let run = shell.mercer(&words);
    let says = run.err.contains("test.csv: row 2, column 'kind'") && run.err.contains("--missing 'kind=drop'");
    assert!(run.code != 0 && says && run.out.is_empty(), "{}", run.err);
}

#[test]
fn test_rows_are_looked_up_in_a_kernel_matrix() {
    let shell = Shell::new();
    // The products of -4 to 4 without 0; the sign is the class.
    let numbers: Vec<i32> = (-4..=4).filter(|&x| x != 0).collect();
    let name = |x: i32| format!("n{x}");
    let line = |x: &i32| format!("{},{}\n", name(*x), numbers.iter().map(|y| (x * y).to_string()).collect::<Vec<_>>().join(","));
    let header = numbers.iter().map(|&x| name(x)).collect::<Vec<_>>().join(",");
    shell.write("k.csv", format!("i,{header}\n{}", numbers.iter().map(line).collect::<String>()));
    let table = |rows: &[i32]| format!("id,sign\n{}", rows.iter().map(|&x| format!("{},{}\n", name(x), x > 0)).collect::<String>());
    shell.write("train.csv", table(&[-4, -3, -2, 2, 3, 4]));
    shell.write("test.csv", table(&[-1, 1]));
    let words = ["compare", "train.csv", "--target", "sign", "--gram", "id=k.csv", "--kernel", "precomputed", "--folds", "2"];
    let rest = ["--estimators", "svc(c=1)", "--metric", "accuracy", "--test", "test.csv"];
    shell.done(&[&words[..], &rest, &["--json", "r.json"]].concat());
    assert_eq!(json(&shell, "r.json")["rows"][0]["test"]["mean"], 1.0);
    shell.write("test.csv", "id,sign\nn-1,false\nn5,true\n");
    let run = shell.mercer(&[&words[..], &rest].concat());
    let says = "k.csv for test.csv: row 2 is called 'n5', which is not among the names";
    assert!(run.code != 0 && run.err.contains(says) && run.out.is_empty(), "{}", run.err);
}

// spec: S34
#[test]
fn the_grid_of_libsvm_is_110_settings_of_c_and_gamma_and_leaves_the_best_model() {
    let shell = Shell::new();
    let run = shell.done(&["compare", "example:iris", "--grid", "libsvm", "--json", "g.json", "--save", "m.mercer"]);
    let document = json(&shell, "g.json");
    let settings = document["settings"].as_array().unwrap();
    let different: std::collections::BTreeSet<String> = settings.iter().map(|s| format!("{} {}", s["c"], s["gamma"])).collect();
    assert_eq!((settings.len(), different.len(), &document["planned"]), (110, 110, &Value::from(110)));
    assert!(
        run.out.starts_with("Best: svc with C = 2^") && run.out.contains("gamma \\ C") && run.out.matches('*').count() == 2,
        "{}",
        run.out
    );
    // GridSearchCV of scikit-learn finds 96.0% to 98.0% over seeds of the folds.
    assert!((0.95..0.99).contains(&document["best"]["mean"].as_f64().unwrap()), "{}", document["best"]);
    assert_eq!(shell.done(&["predict", "m.mercer", "example:iris"]).out.lines().count(), 151);
    for (more, why) in [
        (["--grid", "libsvn", "--estimators", "svc"], "libsvm"),
        (["--grid", "libsvm", "--estimators", "knn"], "no parameter c"),
        (["--grid", "libsvm", "--kernel", "linear"], "cannot be used with"),
    ] {
        let run = shell.mercer(&[&["compare", "example:iris"][..], &more].concat());
        assert!(run.code == 2 && run.err.contains(why), "{more:?}: {}", run.err);
    }
}
