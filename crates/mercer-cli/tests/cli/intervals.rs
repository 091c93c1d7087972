//! Conformal intervals and prediction sets as a user asks for them.

use super::shell::Shell;

/// x, a group and y = 3 x + e, where e is uniform within 1 in group a and within 10 in group b.
fn table(from: usize, rows: usize) -> String {
    let noise = |i: usize, j: usize| {
        let v = (12.9898 * (i + 1) as f64 + 78.233 * (j + 1) as f64).sin() * 43758.5453;
        2.0 * (v - v.floor()) - 1.0
    };
    let row = |i: usize| {
        let (x, site) = (5.0 * noise(i, 0), ["a", "b"][i % 2]);
        format!("{x},{site},{}\n", 3.0 * x + [1.0, 10.0][i % 2] * noise(i, 1))
    };
    format!("x,site,y\n{}", (from..from + rows).map(row).collect::<String>())
}

/// For each line: lower end, upper end, truth, whether it is of group b.
fn ends(out: &str) -> Vec<(f64, f64, f64, bool)> {
    let of = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |k: usize| cells[k].parse().unwrap();
        (number(3), number(4), number(1), cells[0] == "b")
    };
    out.lines().skip(1).map(of).collect()
}

#[test]
fn predict_gives_intervals_of_ridge_without_being_asked_for_at_the_fit() {
    let shell = Shell::new();
    shell.write("t.csv", table(0, 200));
    shell.write("new.csv", table(1000, 400));
    let fit = shell.done(&["fit", "t.csv", "--target", "y", "--estimator", "ridge(lambda=1)", "--kernel", "linear", "-o", "m.mercer"]);
    assert!(fit.out.contains("leave-one-out conformal") && fit.out.contains("of 200 rows"), "{}", fit.out);
    let out = shell.done(&["predict", "m.mercer", "new.csv", "--keep", "site,y", "--interval", "0.9"]).out;
    assert_eq!(out.lines().next(), Some("site,y,y_predicted,y_lower,y_upper"));
    let inside = ends(&out).iter().filter(|(low, high, y, _)| low <= y && y <= high).count();
    // 360 of 400 but for four standard deviations, those of 200 scores included.
    assert!((318..=400).contains(&inside), "{inside} of 400");
    assert!(shell.done(&["inspect", "m.mercer"]).out.contains("leave-one-out conformal"));
}

#[test]
fn an_estimator_without_a_closed_form_is_scored_in_folds_where_that_is_asked_for() {
    let shell = Shell::new();
    shell.write("t.csv", table(0, 60));
    let fit = ["fit", "t.csv", "--target", "y", "--estimator", "svr(c=1)", "--kernel", "rbf(length_scale=1)", "-o", "m.mercer"];
    shell.done(&fit);
    let refused = shell.mercer(&["predict", "m.mercer", "t.csv", "--interval", "0.9"]);
    assert!(refused.code == 2 && refused.err.contains("fit it with --intervals"), "{}: {}", refused.code, refused.err);
    let text = shell.done(&[&fit[..], &["--intervals", "--intervals-folds", "4"]].concat()).out;
    assert!(text.contains("cross-validation conformal (4 folds)"), "{text}");
    let out = shell.done(&["predict", "m.mercer", "t.csv", "--interval", "0.9"]);
    assert!(out.out.starts_with("y_predicted,y_lower,y_upper\n") && !out.out.contains("inf"), "{}", out.out);
    // 60 scores are too few for 99%.
    let few = shell.done(&["predict", "m.mercer", "t.csv", "--interval", "0.99"]);
    assert!(few.out.contains(",-inf,inf") && few.err.contains("99% intervals are unbounded"), "{}", few.err);
}

#[test]
fn intervals_by_group_are_as_wide_as_the_noise_of_the_group() {
    let shell = Shell::new();
    shell.write("t.csv", table(0, 200));
    shell.write("new.csv", table(1000, 200));
    shell.write("none.csv", "x,y\n1,2\n");
    let fit = ["fit", "t.csv", "--target", "y", "--estimator", "ridge(lambda=1)", "--types", "site=ignore", "-o", "m.mercer"];
    shell.done(&[&fit[..], &["--kernel", "linear", "--intervals", "--intervals-by", "site"]].concat());
    let out = shell.done(&["predict", "m.mercer", "new.csv", "--keep", "site,y", "--interval", "0.9"]).out;
    let width = |b: bool| ends(&out).iter().find(|row| row.3 == b).map(|(low, high, ..)| high - low).unwrap();
    assert!(width(true) > 5.0 * width(false), "{} and {}", width(false), width(true));
    let lacks = shell.mercer(&["predict", "m.mercer", "none.csv", "--interval", "0.9"]);
    assert!(lacks.code != 0 && lacks.err.contains("site"), "{}", lacks.err);
    let alone = shell.mercer(&[&fit[..], &["--intervals-by", "site"]].concat());
    assert!(alone.code == 2 && alone.err.contains("--intervals"), "{}", alone.err);
}

#[test]
fn classes_have_prediction_sets() {
    let shell = Shell::new();
    let fit = ["fit", "example:iris", "--estimator", "ridge(lambda=1)", "-o", "m.mercer", "--intervals"];
    shell.done(&fit);
    let out = shell.done(&["predict", "m.mercer", "example:iris", "--interval", "0.95"]).out;
    assert_eq!(out.lines().next(), Some("species_predicted,species_set"));
    let known = ["setosa", "versicolor", "virginica"];
    let sets: Vec<Vec<&str>> =
        out.lines().skip(1).map(|l| l.split(',').nth(1).unwrap().split('|').filter(|c| !c.is_empty()).collect()).collect();
    assert!(sets.iter().flatten().all(|class| known.contains(class)), "{out}");
    // The rows stand in the order of their classes, fifty each.
    let held = sets.iter().enumerate().filter(|(i, set)| set.contains(&known[i / 50])).count();
    assert!(held >= 135, "{held} of 150");
    let by_class = shell.done(&[&fit[..], &["--intervals-by", "species"]].concat()).out;
    assert!(by_class.contains("by class"), "{by_class}");
}

#[test]
fn a_comparison_saves_its_winner_with_scores() {
    let shell = Shell::new();
    shell.write("t.csv", table(0, 60));
    shell.done(&[
        "compare",
        "t.csv",
        "--target",
        "y",
        "--estimators",
        "svr(c=1), ridge(lambda=1)",
        "--kernel",
        "linear",
        "--save",
        "m.mercer",
    ]);
    let text = shell.done(&["inspect", "m.mercer"]).out;
    assert!(text.contains("cross-validation conformal (5 folds)"), "{text}");
    let out = shell.done(&["predict", "m.mercer", "t.csv", "--interval", "0.9"]).out;
    assert!(out.starts_with("y_predicted,y_lower,y_upper\n"), "{out}");
}

#[test]
fn groups_of_intervals_are_those_of_the_rows_that_have_a_target() {
    let shell = Shell::new();
    let row = |i: usize| {
        let y = if i % 10 == 3 { String::new() } else { format!("{}", (i * 7 % 13) as f64 + 0.1 * i as f64) };
        format!("{},{},{y}\n", i, ["a", "b"][i % 2])
    };
    shell.write("t.csv", format!("x,site,y\n{}", (0..80).map(row).collect::<String>()));
    let words = ["fit", "t.csv", "--target", "y", "--estimator", "ridge", "--intervals", "--intervals-by", "site", "-o", "m.mercer"];
    shell.done(&[&words[..], &["--missing", "y=drop"]].concat());
    let run = shell.done(&["predict", "m.mercer", "t.csv", "--interval", "0.8"]);
    assert_eq!(run.out.lines().count(), 81);
}
