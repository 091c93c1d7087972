//! Kernels at the border: checked, written down, looked up.

use super::shell::Shell;
use serde_json::Value;

#[test]
fn check_proves_refutes_and_says_so_in_its_exit_code() {
    let shell = Shell::new();
    let proved = shell.mercer(&["check", "rbf + 0.5*exp(linear)"]);
    assert_eq!(proved.code, 0);
    assert!(proved.out.starts_with("proved:") && proved.out.contains("Bochner") && proved.out.contains("power series"), "{}", proved.out);
    let refuted = shell.mercer(&["check", "-linear"]);
    assert_eq!(refuted.code, 1);
    assert!(
        refuted.out.starts_with("refuted:") && refuted.out.contains("on 1 row") && refuted.out.contains("clip(-1*linear)"),
        "{}",
        refuted.out
    );
    let on_a_table = shell.mercer(&["check", "sigmoid(gamma=1, offset=-1)", "example:iris", "--json"]);
    let found: Value = serde_json::from_str(&on_a_table.out).unwrap();
    assert_eq!((on_a_table.code, found["verdict"].as_str()), (1, Some("refuted")));
    assert!(found["value"].as_f64().unwrap() < 0.0 && found["rows"][0]["row"].as_u64().unwrap() <= 150, "{found}");
    shell.write("t.csv", "a,b\n1,2\n");
    let turned = shell.mercer(&["check", "t.csv"]);
    assert!(turned.code != 0 && turned.err.contains("mercer check rbf t.csv"), "{}", turned.err);
    let unknown = shell.mercer(&["check", "rfb"]);
    assert!(unknown.code == 2 && unknown.err.contains("did you mean 'rbf'"), "{}", unknown.err);
    let missing = shell.mercer(&["check", "on(petal, sigmoid)", "example:iris"]);
    assert!(missing.code != 0 && missing.err.contains("petal"), "{}", missing.err);
}

#[test]
fn a_kernel_matrix_that_was_written_is_looked_up_again() {
    let shell = Shell::new();
    shell
        .write("t.csv", format!("id,x,y\n{}", (0..30).map(|i| format!("{i},{},{}\n", i * i % 11, i * i % 11 + i % 2)).collect::<String>()));
    shell.done(&["gram", "t.csv", "--target", "y", "--types", "id=ignore", "--kernel", "rbf(length_scale=1)", "-o", "K.npy"]);
    let fit = |words: &[&str], model: &str| {
        let all = [&["fit", "t.csv", "--target", "y", "--estimator", "ridge(lambda=0.1)", "-o", model], words].concat();
        shell.done(&all);
    };
    fit(&["--types", "id=ignore", "--kernel", "rbf(length_scale=1)"], "computed.mercer");
    fit(&["--gram", "id=K.npy", "--kernel", "on(id, precomputed)"], "looked_up.mercer");
    let predicted = |words: &[&str]| -> Vec<f64> {
        let run = shell.done(&[&["predict"], words, &["t.csv"]].concat());
        run.out.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect()
    };
    let (a, b) = (predicted(&["computed.mercer"]), predicted(&["--gram", "id=K.npy", "looked_up.mercer"]));
    assert_eq!(a.len(), 30);
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-9), "{a:?} {b:?}");
    let without = shell.mercer(&["predict", "looked_up.mercer", "t.csv"]);
    assert!(without.code == 3 && without.err.contains("--gram id=FILE"), "{} {}", without.code, without.err);
    let wrong = shell.mercer(&["fit", "t.csv", "--target", "y", "--gram", "id", "-o", "m.mercer"]);
    assert!(wrong.code == 2 && wrong.err.contains("COL=FILE"), "{} {}", wrong.code, wrong.err);
}

#[test]
fn a_matrix_that_is_not_symmetric_is_taken_by_the_methods_to_which_it_is_features_and_refused_by_the_others() {
    let shell = Shell::new();
    let k = |i: usize, j: usize| ((3 * i + 5 * j) as f64).sin() + 0.1 * i as f64;
    let line = |i: usize| format!("r{i},{}\n", (0..12).map(|j| k(i, j).to_string()).collect::<Vec<_>>().join(","));
    shell.write(
        "k.csv",
        format!("i,{}\n{}", (0..12).map(|j| format!("r{j}")).collect::<Vec<_>>().join(","), (0..12).map(line).collect::<String>()),
    );
    let table = |rows: std::ops::Range<usize>| format!("id,y\n{}", rows.map(|i| format!("r{i},{}\n", i * i % 7)).collect::<String>());
    shell.write("t.csv", table(0..9));
    shell.write("u.csv", table(9..12));
    let fit = ["fit", "t.csv", "--target", "y", "--gram", "id=k.csv", "--kernel", "precomputed", "-o", "m.mercer", "--estimator"];
    for estimator in ["l1vm(lambda=0.5)", "rvm", "rbf_network(lambda=0.1)"] {
        shell.done(&[&fit[..], &[estimator]].concat());
        shell.done(&["predict", "m.mercer", "u.csv", "--gram", "id=k.csv"]);
    }
    // Two features that all columns are made of: with hardly a penalty f is the plane of least squares through them and y, whatever
    // spans them. k(i, j) = sin(3i) cos(5j) + cos(3i) sin(5j) + i / 10.
    shell.done(&[&fit[..], &["l2vm(lambda=1e-9)"]].concat());
    let run = shell.done(&["predict", "m.mercer", "u.csv", "--gram", "id=k.csv"]);
    let found: Vec<f64> = run.out.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
    let features = |i: usize| [(3.0 * i as f64).sin(), (3.0 * i as f64).cos(), i as f64, 1.0];
    let w = least_squares((0..9).map(|i| (features(i), (i * i % 7) as f64)));
    for (i, found) in (9..12).zip(found) {
        let expected: f64 = features(i).iter().zip(w).map(|(a, b)| a * b).sum();
        assert!((found - expected).abs() <= 1e-5, "{found} {expected}");
    }
    for (estimator, name) in [("svr(c=1)", "svr"), ("gp", "gp"), ("ridge", "ridge")] {
        let run = shell.mercer(&[&fit[..], &[estimator]].concat());
        let says = run.err.contains(&format!("{name} needs a symmetric similarity")) && run.err.contains("(rvm, l2vm, l1vm, rbf_network)");
        assert!(run.code == 2 && says, "{} {}", run.code, run.err);
    }
    let components = ["map", "t.csv", "--gram", "id=k.csv", "--kernel", "precomputed"];
    assert!(shell.mercer(&components).err.contains("needs a symmetric similarity"), "{}", shell.mercer(&components).err);
    let table =
        shell.mercer(&["compare", "t.csv", "--target", "y", "--gram", "id=k.csv", "--kernel", "precomputed", "--estimators", "l2vm,ridge"]);
    assert!(table.out.contains("ridge needs a symmetric similarity"), "{} {}", table.out, table.err);
}

/// The weights of four features with the least squares of what is left, by elimination in the normal equations.
fn least_squares(rows: impl Iterator<Item = ([f64; 4], f64)>) -> [f64; 4] {
    let mut a = [[0.0; 5]; 4];
    for (x, y) in rows {
        for i in 0..4 {
            (0..4).for_each(|j| a[i][j] += x[i] * x[j]);
            a[i][4] += x[i] * y;
        }
    }
    for k in 0..4 {
        let pivot = a[k];
        for (_, row) in a.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let by = row[k] / pivot[k];
            (0..5).for_each(|j| row[j] -= by * pivot[j]);
        }
    }
    std::array::from_fn(|i| a[i][4] / a[i][i])
}

#[test]
fn rows_are_grouped_into_sets_when_fitted_and_when_predicted() {
    let shell = Shell::new();
    let row = |i: usize| format!("bag{},{},{},{}\n", i / 3, i % 7, (i / 3 % 2) * 5 + i % 2, ["no", "yes"][i / 3 % 2]);
    shell.write("t.csv", format!("bag,a,b,y\n{}", (0..60).map(row).collect::<String>()));
    shell.done(&["fit", "t.csv", "--target", "y", "--group-into", "bag", "--estimator", "svc(c=1)", "-o", "m.mercer"]);
    let predicted = shell.done(&["predict", "m.mercer", "t.csv", "--keep", "bag"]).out;
    let lines: Vec<&str> = predicted.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[1], lines[2]), (21, "bag,y_predicted", "bag0,no", "bag1,yes"), "{predicted}");
    // A kernel of sets is checked on the same sets.
    let check = ["check", "normalise(set_mean(rbf))", "t.csv", "--target", "y"];
    assert_eq!(shell.mercer(&check).code, 3);
    shell.done(&[&check[..], &["--group-into", "bag"]].concat());
    shell.write("u.csv", "bag,a,b,y\nm,1,2,no\nm,1,2,yes\n");
    let differs = shell.mercer(&["fit", "u.csv", "--target", "y", "--group-into", "bag", "-o", "n.mercer"]);
    assert!(differs.code == 3 && differs.err.contains("row 2, column 'y': found 'yes'"), "{} {}", differs.code, differs.err);
}

#[test]
fn trees_are_learnt_from_and_their_faults_are_named_by_character() {
    let shell = Shell::new();
    let row = |i: usize| {
        format!("(S (NP {}) ({} {})),{}\n", ["I", "you"][i % 2], ["V", "N"][i / 2 % 2], ["a", "b"][i % 2], ["v", "n"][i / 2 % 2])
    };
    let table: String = (0..40).map(row).collect();
    shell.write("t.csv", format!("tree,y\n{table}"));
    shell.done(&["fit", "t.csv", "--target", "y", "--estimator", "svc(c=10)", "-o", "m.mercer"]);
    let predicted = shell.done(&["predict", "m.mercer", "t.csv"]).out;
    assert_eq!(predicted.lines().nth(3), Some("n"), "{predicted}");
    shell.write("u.csv", format!("tree,y\n{}", table.replacen("(S (NP you)", "(S (NP you", 1)));
    let fault = shell.mercer(&["fit", "u.csv", "--target", "y", "-o", "n.mercer"]);
    assert!(
        fault.code == 3 && fault.err.contains("row 2, column 'tree'") && fault.err.contains("character 1 is not closed"),
        "{}",
        fault.err
    );
}
