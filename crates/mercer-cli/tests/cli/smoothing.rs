//! Densities and curves, as typed.

use super::shell::Shell;

/// Twenty-one places on a line, a parabola over them, and a column of words.
fn parabola() -> String {
    let row = |i: i32| {
        let x = f64::from(i) / 10.0 - 1.0;
        format!("{x},{},w{}\n", x * x, i % 3)
    };
    format!("x,y,word\n{}", (0..21).map(row).collect::<String>())
}

fn numbers(csv: &str, column: usize) -> Vec<f64> {
    csv.lines().skip(1).map(|l| l.split(',').nth(column).unwrap().parse().unwrap()).collect()
}

#[test]
fn densities_are_logarithms_and_the_page_holds_every_rule() {
    let shell = Shell::new();
    shell.write("t.csv", "x\n-2.1\n-1.3\n-0.4\n1.9\n5.1\n6.2\n");
    let logs = numbers(&shell.done(&["density", "t.csv", "--columns", "x", "--bandwidth", "1.5"]).out, 0);
    let normal = |u: f64| (-0.5 * u * u).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let at: f64 = [-2.1f64, -1.3, -0.4, 1.9, 5.1, 6.2].iter().map(|x| normal((x + 0.4) / 1.5) / (6.0 * 1.5)).sum();
    assert!((logs[2] - at.ln()).abs() < 1e-12, "{logs:?}");
    let own = shell.done(&["density", "t.csv", "--columns", "x", "--bandwidth", "1.5", "--adaptive", "--report", "own.html"]);
    let own_logs = numbers(&own.out, 0);
    // 1.9 lies by itself: its kernel is wider and lower.
    assert!(own_logs[3] < logs[3] && std::fs::read_to_string(shell.path("own.html")).unwrap().contains("from row to row"), "{}", own.out);
    let run = shell.done(&["density", "t.csv", "--columns", "x", "--report", "page.html", "-o", "d.csv"]);
    assert!(run.out.contains("sheather_jones") && run.out.contains("written: d.csv"), "{}", run.out);
    let page = std::fs::read_to_string(shell.path("page.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("least_squares"));
    // All columns of numbers where none are named.
    shell.write("two.csv", "x,word,y\n1,a,2\n2,b,5\n4,c,3\n7,d,1\n");
    let all = shell.done(&["density", "two.csv", "--bandwidth", "1"]);
    assert!(all.err.contains("no numbers, and left out: word"), "{}", all.err);
    assert_eq!(all.out, shell.done(&["density", "two.csv", "--columns", "x,y", "--bandwidth", "1"]).out);
    let none = shell.mercer(&["density", "t.csv", "--columns", "x", "--bandwidth", "silvermann", "-o", "none.csv"]);
    assert!(none.code != 0 && none.err.contains("did you mean 'silverman'"), "{} {}", none.code, none.err);
    assert!(!shell.path("none.csv").exists());
}

#[test]
fn a_curve_has_a_line_for_each_row_and_a_page() {
    let shell = Shell::new();
    shell.write("t.csv", parabola());
    let words = ["smooth", "t.csv", "--target", "y", "--columns", "x"];
    let run =
        shell.done(&[&words[..], &["--method", "local_quadratic", "--bandwidth", "0.5", "-o", "s.csv", "--report", "page.html"]].concat());
    assert!(run.out.contains("local parabolas") && run.out.contains("degrees of freedom"), "{}", run.out);
    let written = std::fs::read_to_string(shell.path("s.csv")).unwrap();
    let smoothed = numbers(&written, 0);
    assert!((0..21).all(|i| (smoothed[i] - (i as f64 / 10.0 - 1.0).powi(2)).abs() < 1e-10), "{written}");
    assert!(std::fs::read_to_string(shell.path("page.html")).unwrap().contains("<svg"));
    let rounds = shell.done(&[&words[..], &["--method", "local_quadratic", "--bandwidth", "0.5", "--rounds", "2"]].concat()).out;
    assert!((0..21).all(|i| (numbers(&rounds, 0)[i] - (i as f64 / 10.0 - 1.0).powi(2)).abs() < 1e-9), "{rounds}");
    let lowess = shell.done(&[&words[..], &["--method", "lowess", "--span", "0.3"]].concat()).out;
    assert_eq!(lowess.lines().count(), 22);
    let chosen = shell.done(&[&words[..], &["--report", "left_out.html"]].concat()).out;
    assert_eq!(chosen.lines().next(), Some("smoothed,deviation"));
    // The other columns of numbers, here x alone, where none are named.
    assert_eq!(shell.done(&["smooth", "t.csv", "--target", "y"]).out, chosen);
    assert!(std::fs::read_to_string(shell.path("left_out.html")).unwrap().contains("how the bandwidth was chosen"));
}

#[test]
fn what_cannot_be_smoothed_is_said_and_nothing_is_written() {
    let shell = Shell::new();
    shell.write("t.csv", parabola());
    for (words, told) in [
        (&["--columns", "word"][..], "numbers"),
        (&["--columns", "z"], "z"),
        (&["--columns", "x", "--bandwidth", "0"], "above 0"),
        (&["--columns", "x", "--bandwidth", "wide"], "left_out"),
        (&["--columns", "x", "--method", "loess"], "did you mean"),
        (&["--columns", "x,y", "--method", "lowess"], "one column"),
        (&["--types", "x=ignore"], "besides y"),
    ] {
        let run = shell.mercer(&[&["smooth", "t.csv", "--target", "y", "-o", "none.csv"], words].concat());
        assert!(run.code != 0 && run.err.contains(told), "{words:?}: {} {}", run.code, run.err);
        assert!(!shell.path("none.csv").exists());
    }
}

#[test]
fn densities_and_curves_are_models_too() {
    let shell = Shell::new();
    shell.write("t.csv", "x\n-2.1\n-1.3\n-0.4\n1.9\n5.1\n6.2\n");
    let fit = shell.done(&["fit", "t.csv", "--estimator", "kde(bandwidth=1.5)", "-o", "d.mercer", "--report", "d.html"]);
    assert!(fit.out.contains("6 for training, 6 kept") && fit.out.contains("log_density"), "{}", fit.out);
    let found = shell.done(&["predict", "d.mercer", "t.csv"]).out;
    assert_eq!(found.lines().next(), Some("log_density"));
    // The columns are not standardised for it: what `mercer density` writes.
    let density = shell.done(&["density", "t.csv", "--columns", "x", "--bandwidth", "1.5"]).out;
    assert!((0..6).all(|i| (numbers(&found, 0)[i] - numbers(&density, 0)[i]).abs() < 1e-12), "{found}{density}");
    let told = shell.done(&["fit", "t.csv", "--estimator", "kde(rule=scott)", "-o", "s.mercer"]).out;
    assert!(told.contains("by scott"), "{told}");
    let rbf = shell.mercer(&["fit", "t.csv", "--estimator", "kde", "--kernel", "rbf", "-o", "none.mercer"]);
    assert!(rbf.code != 0 && rbf.err.contains("leave the kernel out, or take linear"), "{}", rbf.err);
    shell.write("p.csv", parabola());
    let curve = ["fit", "p.csv", "--target", "y", "--estimator", "local_regression(degree=2, bandwidth=0.8)", "-o", "c.mercer"];
    let run = shell.done(&curve);
    assert!(run.err.contains("'word' is not used"), "{}{}", run.out, run.err);
    let predicted = shell.done(&["predict", "c.mercer", "p.csv", "--std"]).out;
    assert!((0..21).all(|i| (numbers(&predicted, 0)[i] - (i as f64 / 10.0 - 1.0).powi(2)).abs() < 1e-9), "{predicted}");
    let compared = shell.done(&["compare", "p.csv", "--target", "y", "--estimators", "ridge,linear_svr", "--types", "word=ignore"]).out;
    assert!(compared.contains("linear_svr") && compared.contains("ridge"), "{compared}");
}
