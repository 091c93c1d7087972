//! The commands as a user meets them.

use super::shell::Shell;
use serde_json::Value;

const SMALL: &str = "knn(k=3), baseline";

fn json(shell: &Shell, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(shell.path(name)).unwrap()).unwrap()
}

#[test]
fn compare_prints_a_row_per_estimator_and_writes_page_and_json() {
    let shell = Shell::new();
    let run = shell.done(&["compare", "example:iris", "--estimators", SMALL, "--report", "iris.html", "--json", "iris.json"]);
    assert!(run.out.contains("knn") && run.out.contains("baseline") && run.out.contains("iris.html"), "{}", run.out);
    assert!(run.err.is_empty(), "no progress when piped: {}", run.err);
    let document = json(&shell, "iris.json");
    assert_eq!((&document["task"], &document["folds"], &document["seed"]), (&Value::from("classification"), &5.into(), &0.into()));
    let row = &document["rows"][0];
    for key in ["estimator", "settled", "metrics", "support", "fit_seconds", "predict_us_per_row", "converged", "certificate"] {
        assert!(row.get(key).is_some(), "{key} is missing: {row}");
    }
    assert!(row["metrics"]["accuracy"]["mean"].as_f64().unwrap() > 0.9);
    assert!(row["metrics"]["accuracy"]["se"].is_number() && row["metrics"]["log_loss"]["mean"].is_number());
    let page = std::fs::read_to_string(shell.path("iris.html")).unwrap();
    assert!(page.contains("<svg") && !page.contains("src="), "self-contained, with pictures");
    assert_eq!(shell.files(), ["iris.html", "iris.json"]);
}

#[test]
fn a_log_of_a_short_comparison_holds_no_control_characters_and_no_table() {
    let shell = Shell::new();
    let rows: String = (0..40).map(|i| format!("{},{},{}\n", i * i % 17, if i == 7 { "" } else { "1.5" }, ["a", "b"][i % 2])).collect();
    shell.write("t.csv", format!("x,z,y\n{rows}"));
    for more in [&[][..], &["--verbose"], &["--max-seconds", "20"]] {
        let run = shell.done(&[&["compare", "t.csv", "--target", "y", "--estimators", SMALL], more].concat());
        assert!(run.err.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", run.err);
        assert!(!run.err.contains("accuracy") && !run.err.contains("best so far"), "{}", run.err);
        assert_eq!(run.err.contains("knn: all rows"), more == ["--verbose"], "{}", run.err);
    }
}

#[test]
fn every_estimator_of_the_first_comparison_that_users_make_has_a_result() {
    let shell = Shell::new();
    shell.done(&["compare", "example:iris", "--json", "iris.json"]);
    let document = json(&shell, "iris.json");
    let rows = document["rows"].as_array().unwrap();
    assert!(rows.len() > 10, "{rows:?}");
    for row in rows {
        let accuracy = row["metrics"]["accuracy"]["mean"].as_f64();
        let least = if row["estimator"] == "baseline" { 0.3 } else { 0.8 };
        assert!(accuracy.is_some_and(|a| a > least), "{row}");
    }
}

#[test]
fn the_same_seed_gives_the_same_metrics_for_any_number_of_threads() {
    let shell = Shell::new();
    let metrics = |threads: &str, seed: &str, name: &str| {
        shell.done(&[
            "compare",
            "example:blobs",
            "--estimators",
            "svc(c=1), knn(k=3)",
            "--seed",
            seed,
            "--threads",
            threads,
            "--json",
            name,
        ]);
        json(&shell, name)["rows"].as_array().unwrap().iter().map(|r| r["metrics"].to_string()).collect::<Vec<_>>()
    };
    let one = metrics("1", "3", "a.json");
    assert_eq!(one, metrics("2", "3", "b.json"));
    assert_ne!(one, metrics("1", "4", "c.json"));
}

#[test]
fn fit_predict_and_inspect_fit_together() {
    let shell = Shell::new();
    let fitted = shell.done(&["fit", "example:mixed", "--estimator", "svc(c=1)", "-o", "model.mercer"]);
    assert!(fitted.out.contains("duality gap"), "{}", fitted.out);
    shell.done(&["predict", "model.mercer", "example:mixed", "-o", "predictions.csv"]);
    let lines = std::fs::read_to_string(shell.path("predictions.csv")).unwrap();
    let table = shell.done(&["examples", "mixed"]).out;
    assert_eq!(lines.lines().next(), Some("label_predicted"));
    assert_eq!(lines.lines().count(), table.lines().count());
    assert!(shell.done(&["inspect", "model.mercer"]).out.contains("spectrum"));
    let about: Value = serde_json::from_str(&shell.done(&["inspect", "model.mercer", "--json"]).out).unwrap();
    assert_eq!(about["about"]["seed"], 0);
    assert_eq!(shell.files(), ["model.mercer", "predictions.csv"]);
}

#[test]
fn texts_are_learnt_from_by_their_words_and_letters_and_predicted_with_the_words_of_the_training() {
    let shell = Shell::new();
    let spam = ["win a free prize now", "free entry to win cash", "claim your free cash prize"];
    let ham = ["see you at lunch today", "are you at home now", "lunch at home with you"];
    let rows: String = (0..30).map(|i| format!("spam,{} {i}\nham,{} {i}\n", spam[i % 3], ham[i % 3])).collect();
    shell.write("train.csv", format!("kind,text\n{rows}"));
    shell.done(&["fit", "train.csv", "--target", "kind", "--estimator", "svc(c=1)", "-o", "model.mercer"]);
    assert!(shell.done(&["inspect", "model.mercer"]).out.contains("tfidf + normalise(spectrum"));
    let read = shell.mercer_reading(&["predict", "model.mercer", "-"], "text\na free prize for nobody\nlunch with nobody\n");
    assert_eq!(read.out, "kind_predicted\nspam\nham\n");
    shell.done(&["compare", "train.csv", "--target", "kind", "--kernel", "tfidf(ngrams=2)", "--estimators", "svc(c=1), ridge(lambda=1)"]);
}

#[test]
fn components_need_no_target_and_are_predicted_one_column_each() {
    let shell = Shell::new();
    shell.write("cities.csv", "city,a,b,c\nUlm,1,2,1\nBonn,2,1,4\nKiel,3,5,2\nTrier,4,3,3\nJena,6,4,9\n");
    let numbers = ["--kernel", "on([a, b, c], linear)", "--estimator", "kernel_pca(components=2)", "-o", "m.mercer"];
    let fitted = shell.done(&[&["fit", "cities.csv", "--types", "city=text", "--report", "page.html"], &numbers[..]].concat());
    assert!(fitted.out.contains("gives components: pc1, pc2") && fitted.out.contains("share of the variance"), "{}", fitted.out);
    let page = std::fs::read_to_string(shell.path("page.html")).unwrap();
    assert!(["Ulm", "Jena", "pc1 (", "pc2 ("].iter().all(|word| page.contains(word)), "the rows and the axes are named");
    let lines = shell.done(&["predict", "m.mercer", "cities.csv", "--keep", "city"]).out;
    assert_eq!((lines.lines().next(), lines.lines().count()), (Some("city,pc1,pc2"), 6));
    let refused = |arguments: &[&str], words: &str| {
        let run = shell.mercer(arguments);
        assert!(run.code != 0 && run.err.contains(words), "{}", run.err);
    };
    refused(&[&["fit", "cities.csv", "--target", "a"], &numbers[2..]].concat(), "kernel_pca takes no target");
    refused(&["predict", "m.mercer", "cities.csv", "--probabilities"], "kernel_pca has no class probabilities; fit gp, knn");
    refused(&[&["fit", "cities.csv", "--metric", "rmse"], &numbers[2..]].concat(), "judges predictions of a target");
    refused(&["compare", "cities.csv", "--target", "a", "--estimators", "kernel_pca"], "takes no target");
}

#[test]
fn predictions_do_not_depend_on_the_order_of_the_columns_and_come_in_the_order_of_the_rows() {
    let shell = Shell::new();
    shell.write("train.csv", "a,b,y\n1,5,2\n2,3,4\n3,1,6\n4,9,8\n5,2,10\n6,7,12\n");
    shell.done(&["fit", "train.csv", "--target", "y", "--kernel", "linear", "--estimator", "ridge(lambda=0.001)", "-o", "m.mercer"]);
    shell.write("new.csv", "b,extra,a\n5,x,1\n7,x,6\n");
    let permuted = shell.done(&["predict", "m.mercer", "new.csv"]).out;
    let read = shell.mercer_reading(&["predict", "m.mercer", "-"], "a,b\n1,5\n6,7\n");
    assert_eq!(permuted, read.out);
    let values: Vec<f64> = permuted.lines().skip(1).map(|l| l.parse().unwrap()).collect();
    assert!((values[0] - 2.0).abs() <= 0.05 && (values[1] - 12.0).abs() <= 0.05, "y = 2 a: {values:?}");
}

// spec: GP03
#[test]
fn known_noise_of_each_row_is_its_column_of_weights() {
    let shell = Shell::new();
    // Targets 1 and -2 at 0 and 1, measured with the variances 0.05 and 0.4: with noise=0.1 the weights are 0.1 / variance.
    shell.write("t.csv", "x,y,w\n0,1,2\n1,-2,0.25\n");
    let gp = "gp(noise=0.1, variance=1, standardise_target=false)";
    let common = ["--no-standardise", "--kernel", "rbf(length_scale=1)", "--estimator", gp];
    shell.done(&[&["fit", "t.csv", "--types", "y=number", "--target", "y", "--weights", "w", "-o", "m.mercer"], &common[..]].concat());
    shell.write("new.csv", "x\n0.5\n3\n");
    let out = shell.done(&["predict", "m.mercer", "new.csv", "--std"]).out;
    assert_eq!(out.lines().next(), Some("y_predicted,y_std"));
    // (23)-(28) of S4 with diag(0.05, 0.4) in the place of I / beta: mean k'C^-1 t, variance of a target 1 + 0.1 - k'C^-1 k.
    let k = |a: f64, b: f64| (-(a - b) * (a - b) / 2.0).exp();
    let (a, b, d) = (1.05, k(0.0, 1.0), 1.4);
    let solved = |u: [f64; 2], v: [f64; 2]| (u[0] * (d * v[0] - b * v[1]) + u[1] * (a * v[1] - b * v[0])) / (a * d - b * b);
    for (line, x) in out.lines().skip(1).zip([0.5, 3.0]) {
        let found: Vec<f64> = line.split(',').map(|c| c.parse().unwrap()).collect();
        let near = [k(x, 0.0), k(x, 1.0)];
        let (mean, deviation) = (solved(near, [1.0, -2.0]), (1.1 - solved(near, near)).sqrt());
        assert!((found[0] - mean).abs() <= 1e-12 && (found[1] - deviation).abs() <= 1e-12, "{line}: {mean}, {deviation}");
    }
    assert_eq!(out.lines().count(), 3);
}

#[test]
fn a_gaussian_process_gives_deviations_and_intervals() {
    let shell = Shell::new();
    shell.done(&["fit", "example:sinc", "--estimator", "gp", "-o", "gp.mercer"]);
    let out = shell.done(&["predict", "gp.mercer", "example:sinc", "--std", "--interval", "0.9"]).out;
    assert_eq!(out.lines().next(), Some("y_predicted,y_std,y_lower,y_upper"));
    let truth = shell.done(&["examples", "sinc"]).out;
    let mut inside = 0;
    for (line, row) in out.lines().skip(1).zip(truth.lines().skip(1)) {
        let n: Vec<f64> = line.split(',').map(|c| c.parse().unwrap()).collect();
        // z of the central 90 %: 1.6448536269514722 (tables of the normal distribution).
        assert!((n[3] - n[2] - 2.0 * 1.6448536269514722 * n[1]).abs() <= 1e-9);
        let y: f64 = row.split(',').nth(1).unwrap().parse().unwrap();
        inside += usize::from(n[2] <= y && y <= n[3]);
    }
    assert!((165..=195).contains(&inside), "{inside} of 200 inside 90 % intervals");
    // The function without the noise of a target, whose variance is the same for every row.
    let both = shell.done(&["predict", "gp.mercer", "example:sinc", "--std=target,mean"]).out;
    assert_eq!(both.lines().next(), Some("y_predicted,y_std,y_mean_std"));
    let numbers = |line: &str| line.split(',').map(|c| c.parse().unwrap()).collect::<Vec<f64>>();
    let noises: Vec<f64> = both.lines().skip(1).map(numbers).map(|n| n[1].powi(2) - n[2].powi(2)).collect();
    assert!(noises.iter().all(|noise| *noise > 0.0 && (noise - noises[0]).abs() < 1e-12), "{noises:?}");
    assert_eq!(shell.done(&["predict", "gp.mercer", "example:sinc", "--std=mean"]).out.lines().next(), Some("y_predicted,y_mean_std"));
}

#[test]
fn a_skewed_target_is_compared_and_fitted_by_its_logarithm() {
    let shell = Shell::new();
    // ln y = 1 + x / 2 + noise of deviation 0.5.
    let row = |i: usize| {
        let (x, noise) = ((i * 37 % 101) as f64 / 25.0, 0.7 * (i as f64 * 2.4).sin());
        format!("{x},{}\n", (1.0 + x / 2.0 + noise).exp())
    };
    let rows: String = (0..150).map(row).collect();
    shell.write("t.csv", format!("x,price\n{rows}"));
    let run = shell.done(&[
        "compare",
        "t.csv",
        "--target",
        "price",
        "--estimators",
        "ridge,log_target(ridge),log_target(gp)",
        "--json",
        "r.json",
    ]);
    let said = run.out.split_whitespace().collect::<Vec<_>>().join(" ") + &run.err;
    assert!(said.contains("log_target(ridge)") && said.contains("log_target(gp)"), "{said}");
    assert!(said.contains("the target 'price' is skewed, and its logarithm much less"), "{said}");
    for row in json(&shell, "r.json")["rows"].as_array().unwrap() {
        assert!(row["metrics"]["rmse"]["mean"].as_f64().is_some_and(|rmse| rmse > 1.0 && rmse < 20.0), "{row}");
    }
    shell.done(&["fit", "t.csv", "--target", "price", "--estimator", "log_target(gp)", "-o", "m.mercer"]);
    let out = shell.done(&["predict", "m.mercer", "t.csv", "--std", "--interval", "0.9"]).out;
    assert_eq!(out.lines().next(), Some("price_predicted,price_std,price_lower,price_upper"));
    for line in out.lines().skip(1) {
        let n: Vec<f64> = line.split(',').map(|c| c.parse().unwrap()).collect();
        // The mean of a log-normal number lies above its median, which is the geometric mean of the ends.
        assert!(n[0] > (n[2] * n[3]).sqrt() && n[2] > 0.0 && n[1] > 0.0, "{line}");
    }
    assert!(shell.done(&["inspect", "m.mercer"]).out.contains("log_target(gp"));
    assert!(shell.done(&["inspect", "log_target"]).out.contains("log_target(E, shift=0)"));
}

#[test]
fn functions_are_drawn_around_the_mean_of_a_gaussian_process() {
    let shell = Shell::new();
    shell.done(&[
        "fit",
        "example:sinc",
        "--estimator",
        "gp(noise=0.02, variance=1)",
        "--kernel",
        "rbf(length_scale=0.3)",
        "-o",
        "gp.mercer",
    ]);
    shell.write("new.csv", "x\n-2\n0\n3\n");
    let drawn = |seed: &str| shell.done(&["predict", "gp.mercer", "new.csv", "--std", "--samples", "400", "--seed", seed]).out;
    let out = drawn("1");
    assert!(out.starts_with("y_sample1,y_sample2,") && out.lines().next().unwrap().ends_with("y_sample400,y_predicted,y_std"));
    assert_eq!(out, drawn("1"));
    assert_ne!(out, drawn("2"));
    for line in out.lines().skip(1) {
        let n: Vec<f64> = line.split(',').map(|c| c.parse().unwrap()).collect();
        let (mean, std) = (n[400], n[401]);
        let average = n[..400].iter().sum::<f64>() / 400.0;
        let spread = (n[..400].iter().map(|v| (v - average).powi(2)).sum::<f64>() / 400.0).sqrt();
        // Four standard errors; the spread is that of the function, without the noise.
        assert!((average - mean).abs() <= 4.0 * std / 20.0 && spread > 0.0 && spread < std, "{average} {mean} {spread} {std}");
    }
}

#[test]
fn weights_count_rows_and_groups_stay_together() {
    let shell = Shell::new();
    let rows: String = (0..40).map(|i| format!("{},{},{},{}\n", i, i % 2, if i < 2 { 0 } else { 1 }, i / 4)).collect();
    shell.write("t.csv", format!("x,y,w,g\n{rows}"));
    let common = ["compare", "t.csv", "--target", "y", "--estimators", SMALL, "--weights", "w", "--groups", "g", "--json", "t.json"];
    shell.done(&common);
    assert_eq!(json(&shell, "t.json")["rows"].as_array().unwrap().len(), 2);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let shell = Shell::new();
    let program = assert_cmd::cargo::cargo_bin("mercer");
    let script = format!("set -o pipefail; '{}' examples mixed | head -n 1", program.display());
    let output = std::process::Command::new("bash").args(["-c", &script]).current_dir(shell.folder()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_command_explains_itself() {
    let shell = Shell::new();
    for words in [&["--help"][..], &["compare", "--help"], &["fit", "--help"], &["predict", "--help"], &["inspect", "--help"]] {
        let help = shell.done(words).out;
        assert!(help.contains("Usage:"), "{help}");
    }
    let catalogue = shell.done(&["inspect"]).out;
    assert!(catalogue.contains("length_scale") && catalogue.contains("svc"), "{catalogue}");
    assert!(shell.done(&["examples"]).out.contains("example:iris"));
}

fn svgs(shell: &Shell, folder: &str) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(shell.path(folder)).unwrap().map(|f| f.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn figures_are_written_as_svg_files_into_a_folder_that_is_made() {
    let shell = Shell::new();
    let run = shell.done(&["compare", "example:blobs", "--estimators", "knn, svc(c=1)", "--figures", "out/figures"]);
    let names = svgs(&shell, "out/figures");
    let expected =
        ["knn-confusion.svg", "knn-regions.svg", "knn-reliability.svg", "knn-tuning-k.svg", "svc_c=1-confusion.svg", "svc_c=1-regions.svg"];
    assert!(expected.iter().all(|n| names.iter().any(|m| m == n)), "{names:?}");
    assert!(run.out.contains(&format!("written: {} figures in out/figures", names.len())), "{}", run.out);
    for name in &names {
        let svg = std::fs::read_to_string(shell.path("out/figures").join(name)).unwrap();
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>") && svg.contains("<title>"), "{name}");
    }
    std::fs::write(shell.path("out/figures/mine.txt"), "kept").unwrap();
    let model = ["fit", "example:sinc", "--estimator", "gp", "-o", "m.mercer", "--figures", "out/figures"];
    shell.done(&model);
    let names = svgs(&shell, "out/figures");
    assert!(["gp-curve.svg", "gp-tuning-noise.svg", "mine.txt"].iter().all(|n| names.iter().any(|m| m == n)), "{names:?}");
}

#[test]
fn a_folder_for_figures_that_cannot_be_made_is_refused_before_the_work() {
    let shell = Shell::new();
    shell.write("taken", "a file");
    for folder in ["taken", "taken/below"] {
        let run = shell.mercer(&["compare", "example:iris", "--figures", folder]);
        assert_eq!(run.code, 3, "{}", run.err);
        assert!(run.err.contains("taken") && run.err.contains("name another"), "{}", run.err);
    }
}

#[test]
fn a_fit_says_of_each_searched_parameter_which_range_scores_the_same_and_json_holds_the_curve() {
    let shell = Shell::new();
    // Classes apart by far: any large c separates them.
    let rows: String = (0..60).map(|i| format!("{},{}\n", i % 7 + 100 * (i % 2), ["a", "b"][i % 2])).collect();
    shell.write("t.csv", format!("x,y\n{rows}"));
    let words = ["fit", "t.csv", "--target", "y", "--kernel", "linear", "--estimator", "svc", "-o", "m.mercer"];
    let brief = shell.done(&words).out;
    assert!(brief.contains("score alike") && !brief.contains("tried: "), "{brief}");
    let out = shell.done(&["inspect", "m.mercer", "--verbose"]).out.replace("\n             ", " ");
    assert!(out.contains("score alike") && out.contains("tried: "), "{out}");
    assert!(out.contains("matters little") || out.contains("end of its search"), "{out}");
    // What is perfect at its starting values is not searched by a comparison: here every fifth label is wrong.
    let rows: String = (0..60).map(|i| format!("{},{}\n", i % 7 + 100 * (i % 2), ["a", "b"][(i + usize::from(i % 5 == 0)) % 2])).collect();
    shell.write("u.csv", format!("x,y\n{rows}"));
    shell.done(&["compare", "u.csv", "--target", "y", "--kernel", "linear", "--estimators", "svc", "--json", "t.json"]);
    let tuning = &json(&shell, "t.json")["rows"][0]["tuning"];
    assert_eq!((&tuning["criterion"], &tuning["rises"]), (&Value::from("4-fold cross-validated accuracy"), &Value::from(true)));
    let c = &tuning["parameters"][0];
    assert_eq!(c["name"], "c");
    assert!(c["tried"].as_array().unwrap().len() >= 3 && c["same"].as_array().unwrap().len() == 2, "{c}");
}

#[test]
fn advice_names_the_rule_that_fired_and_what_was_measured() {
    let shell = Shell::new();
    let run = shell.done(&["advise", "example:iris", "--kernel", "matern(nu=1.5)"]);
    for part in [
        "Suggested: rbf",
        "4 numbers in each of 150 rows",
        "rbf: ",
        "% correct, AUC ",
        "guessing the largest class: 33.3%",
        "matern",
        "* best",
    ] {
        assert!(run.out.split_whitespace().collect::<Vec<_>>().join(" ").contains(part), "{part} is missing in\n{}", run.out);
    }
    let told: Value = serde_json::from_str(&shell.done(&["advise", "example:iris", "--kernel", "matern(nu=1.5)", "--json"]).out).unwrap();
    assert_eq!((&told["rule"], &told["numbers"], &told["rows"]), (&Value::from("smooth"), &4.into(), &150.into()));
    let kernels = told["kernels"].as_array().unwrap();
    let of = |kernel: &str| kernels.iter().find(|k| k["kernel"] == kernel).unwrap();
    assert!(of("rbf")["tuning"]["value"].as_f64().is_some_and(f64::is_finite) && of("rbf")["failure"].is_null());
    assert!(kernels.iter().any(|k| k["kernel"].as_str().unwrap().contains("matern")));
    // One is the best, and it is the one with a star.
    let best: Vec<&Value> = kernels.iter().filter(|k| k["best"] == true).collect();
    let [best] = best[..] else { panic!("{best:?}") };
    assert_eq!(best["kernel"], told["best"]);
    assert!(run.out.contains(&format!("* {}: ", told["best"].as_str().unwrap())) && run.out.contains(told["verdict"].as_str().unwrap()));
}
