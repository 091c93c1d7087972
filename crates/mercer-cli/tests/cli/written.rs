//! What commands write for each row, and how wide they write on a terminal.

use crate::shell::Shell;
use assert_cmd::Command;
use serde_json::Value;

/// Three heaps of ten rows.
fn heaps(shell: &Shell) {
    let rows: String = (0..30).map(|i| format!("r{i},{}.{},{}\n", i / 10 * 5, i % 10, i * i % 7)).collect();
    shell.write("t.csv", format!("id,x,z\n{rows}"));
}

#[test]
fn what_is_found_for_each_row_may_stand_beside_columns_of_the_table() {
    let shell = Shell::new();
    heaps(&shell);
    let asked: [&[&str]; 4] = [
        &["cluster", "t.csv", "--columns", "x", "--clusters", "3"],
        &["map", "t.csv", "--columns", "x,z"],
        &["density", "t.csv", "--columns", "x"],
        &["smooth", "t.csv", "--target", "z", "--columns", "x"],
    ];
    for words in asked {
        let bare = shell.done(words).out;
        let kept = shell.done(&[words, &["--keep", "id,z"]].concat()).out;
        let expected = bare.lines().enumerate().map(|(k, line)| match k {
            0 => format!("id,z,{line}"),
            _ => format!("r{},{},{line}", k - 1, (k - 1) * (k - 1) % 7),
        });
        assert!(kept.lines().map(str::to_owned).eq(expected), "{words:?}\n{kept}");
    }
    // One column of the three was used: the heaps, whatever z is.
    let clusters = shell.done(&["cluster", "t.csv", "--columns", "x", "--clusters", "3"]).out;
    let of: Vec<&str> = clusters.lines().skip(1).collect();
    assert!(of.chunks(10).all(|heap| heap.iter().all(|c| c == &heap[0])), "{clusters}");
    assert!(!shell.done(&["map", "--help"]).out.contains("--target"));
}

#[test]
fn a_density_on_a_grid_is_one_in_all() {
    let shell = Shell::new();
    heaps(&shell);
    let out = shell.done(&["density", "t.csv", "--columns", "x", "--grid", "400"]).out;
    let mut lines = out.lines();
    assert_eq!(lines.next(), Some("x,log_density"));
    let places: Vec<[f64; 2]> =
        lines.map(|l| l.split_once(',').map(|(x, d)| [x.parse().unwrap(), d.parse::<f64>().unwrap().exp()]).unwrap()).collect();
    let area: f64 = places.windows(2).map(|w| (w[1][0] - w[0][0]) * 0.5 * (w[0][1] + w[1][1])).sum();
    assert!(places.len() == 400 && (area - 1.0).abs() <= 0.01, "{area}");
    let plane = shell.done(&["density", "t.csv", "--columns", "x,z", "--grid", "20"]).out;
    assert!(plane.starts_with("x,z,log_density\n") && plane.lines().count() == 401);
    assert!(shell.mercer(&["density", "t.csv", "--columns", "x,z", "--grid", "2000"]).err.contains("1000000 in all"));
}

#[test]
fn lines_are_no_wider_than_asked_and_a_wider_table_has_more_columns() {
    let shell = Shell::new();
    let widest = |columns: &str| {
        let words = ["compare", "example:iris", "--estimators", "svc(c=1),knn(k=5),baseline", "--kernel", "rbf(length_scale=1)"];
        let output =
            Command::cargo_bin("mercer").unwrap().current_dir(shell.folder()).env("COLUMNS", columns).args(words).output().unwrap();
        String::from_utf8(output.stdout).unwrap().lines().map(|l| l.chars().count()).max().unwrap()
    };
    let (narrow, wide) = (widest("62"), widest("150"));
    assert!(narrow <= 62 && narrow < wide && wide <= 150, "{narrow} {wide}");
}

#[test]
fn the_document_has_the_scores_of_each_fold_and_held_out_predictions_where_asked() {
    let shell = Shell::new();
    let words = ["compare", "example:iris", "--estimators", "knn(k=3),baseline", "--kernel", "rbf(length_scale=1)", "--json", "f.json"];
    let read = || -> Value { serde_json::from_slice(&std::fs::read(shell.path("f.json")).unwrap()).unwrap() };
    shell.done(&words);
    let plain = read();
    assert!(plain["rows"][0]["held_out"].is_null());
    shell.done(&[&words[..], &["--held-out"]].concat());
    let best = &read()["rows"][0];
    let found = best["held_out"]["predicted"].as_array().unwrap();
    assert_eq!((best["estimator"].as_str(), found.len()), (Some("knn(k=3)"), 150));
    // Fifty rows of each class in order, about thirty rows in each fold: the mean over folds is the share of all rows.
    let names = ["setosa", "versicolor", "virginica"];
    let right = found.iter().enumerate().filter(|(i, label)| label.as_str() == Some(names[i / 50])).count();
    let folds: Vec<f64> = best["folds"]["accuracy"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    assert_eq!(folds.len(), 5);
    assert!((folds.iter().sum::<f64>() / 5.0 - right as f64 / 150.0).abs() <= 2e-3, "{folds:?} {right}");
}

#[test]
fn a_test_says_what_its_p_value_means() {
    let shell = Shell::new();
    heaps(&shell);
    let rows: String = (0..60).map(|i| format!("{},{},{}\n", i, i * i, i * 37 % 60)).collect();
    shell.write("u.csv", format!("a,b,c\n{rows}"));
    let said = shell.done(&["test", "u.csv", "--between", "a", "--and", "b", "--permutations", "199"]).out;
    assert!(said.starts_with("a and b depend on each other (p = 0.005).\n"), "{said}");
}

#[test]
fn a_target_that_is_the_same_in_every_row_and_too_few_rows_are_refused_in_plain_words() {
    let shell = Shell::new();
    let table = |y: &dyn Fn(usize) -> String, n: usize| (0..n).map(|i| format!("{i},{}\n", y(i))).collect::<String>();
    shell.write("same.csv", format!("x,y\n{}", table(&|_| "3.5".into(), 30)));
    shell.write("one.csv", format!("x,y\n{}", table(&|_| "yes".into(), 30)));
    shell.write("few.csv", format!("x,y\n{}", table(&|i| format!("{}.5", i * i), 3)));
    shell.write("alone.csv", format!("y\n{}", (0..30).map(|i| format!("{}.5\n", i % 4)).collect::<String>()));
    for (file, said) in [
        ("same.csv", "nothing to predict: the target is 3.5 in every row"),
        ("one.csv", "target 'y' is 'yes' in every row; classes need at least two"),
        ("few.csv", "5 folds need 5 different rows, and there are 3: ask for 2 to 3 folds"),
        ("alone.csv", "no column to learn from besides the target"),
    ] {
        let run = shell.mercer(&["compare", file, "--target", "y", "--estimators", "ridge"]);
        assert!(run.code != 0 && run.err.contains(said) && !run.err.contains("repeat another row"), "{file}: {}", run.err);
    }
    // Columns need no names where all are taken.
    for (file, columns) in [("alone.csv", "y"), ("few.csv", "x,y")] {
        assert_eq!(shell.done(&["density", file]).out, shell.done(&["density", file, "--columns", columns]).out);
    }
}
