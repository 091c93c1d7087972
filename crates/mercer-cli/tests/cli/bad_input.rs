//! Bad input: a clear message, the documented exit code, nothing written.

use super::shell::Shell;

const EXPRESSION: i32 = 2;
const DATA: i32 = 3;
const RESOURCE: i32 = 4;
const MODEL: i32 = 5;

/// Runs a command that must fail: with this code, a message that holds all of the words, and no new file.
fn refused(shell: &Shell, words: &[&str], code: i32, message: &[&str]) {
    let before = shell.files();
    let run = shell.mercer(words);
    let said = format!("mercer {}\nexit {}\n{}", words.join(" "), run.code, run.err);
    assert_eq!(run.code, code, "{said}");
    for part in message {
        assert!(run.err.contains(part), "expected '{part}' in\n{said}");
    }
    assert!(!run.err.contains("panicked"), "{said}");
    assert_eq!(shell.files(), before, "{said}");
}

/// Fits to a table of this text.
fn fit_refused(table: &str, more: &[&str], code: i32, message: &[&str]) {
    let shell = Shell::new();
    shell.write("t.csv", table);
    let mut words = vec!["fit", "t.csv", "--target", "y", "-o", "m.mercer"];
    words.extend(more);
    refused(&shell, &words, code, message);
}

fn numbers(rows: usize) -> String {
    let lines: String = (0..rows).map(|i| format!("{},{},{}\n", i, i * i % 7, i % 2)).collect();
    format!("a,b,y\n{lines}")
}

#[test]
fn a_missing_target_cell_is_named_by_its_row() {
    fit_refused("a,y\n1,2\n2,\n3,5\n", &[], DATA, &["row 2", "'y'", "--missing 'y=drop'"]);
}

#[test]
fn rows_without_a_target_are_left_out_where_that_is_asked_for() {
    let shell = Shell::new();
    let rows: String = (0..30).map(|i| format!("{i},{}\n", if i % 10 == 4 { String::new() } else { (i % 7).to_string() })).collect();
    shell.write("t.csv", format!("x,y\n{rows}"));
    let asked = ["--target", "y", "--missing", "y=drop,x=drop"];
    let run = shell.done(&[&["fit", "t.csv", "-o", "m.mercer", "--estimator", "ridge(lambda=1)"], asked.as_slice()].concat());
    assert!(run.err.contains("target 'y' has no value in 3 of 30 rows (the first is row 5): these are left out"), "{}", run.err);
    assert!(run.out.contains("27 for training"), "{}", run.out);
    shell.write("u.csv", format!("x,y\n{rows}word,3\n"));
    refused(&shell, &[&["compare", "u.csv"], asked.as_slice()].concat(), DATA, &["row 31, column 'x'"]);
}

#[test]
fn the_estimators_may_be_named_one_by_one_and_fit_takes_one() {
    let shell = Shell::new();
    let run = shell.done(&["compare", "example:iris", "--estimator", "baseline", "--estimators", "knn(k=3)", "--save", "best.mercer"]);
    assert!(run.out.contains("baseline") && run.out.contains("written: best.mercer, with knn fitted to 150 rows"), "{}", run.out);
    let two = ["fit", "example:iris", "-o", "m.mercer", "--estimator", "knn(k=3)", "--estimators", "baseline"];
    refused(&shell, &two, EXPRESSION, &["fit takes one, and 2 are asked for", "--estimators is the same option"]);
}

#[test]
fn a_target_of_one_class_is_refused() {
    fit_refused("a,y\n1,yes\n2,yes\n3,yes\n", &[], DATA, &["'y'", "yes"]);
}

#[test]
fn text_in_a_number_column_is_named_at_row_10001() {
    let mut table = String::from("a,y\n");
    (0..10_000).for_each(|i| table.push_str(&format!("{i},{}\n", i % 2)));
    table.push_str("abc,1\n");
    fit_refused(&table, &[], DATA, &["row 10001", "'a'", "'abc'"]);
}

#[test]
fn infinity_is_named_by_its_row() {
    fit_refused("a,y\n1,0\ninf,1\n3,0\n", &[], DATA, &["row 2", "'a'"]);
}

#[test]
fn empty_files_headers_alone_and_ragged_rows_are_refused() {
    fit_refused("", &[], DATA, &["t.csv"]);
    fit_refused("a,y\n", &[], DATA, &["t.csv"]);
    fit_refused("a,y\n1,2\n3\n", &[], DATA, &["row 2"]);
    fit_refused("a,a,y\n1,2,3\n", &[], DATA, &["'a'", "twice"]);
}

#[test]
fn unknown_columns_are_refused_with_what_there_is() {
    fit_refused(&numbers(20), &["--kernel", "on(height, rbf)"], EXPRESSION, &["height", "a", "b"]);
    let shell = Shell::new();
    shell.write("t.csv", numbers(20));
    refused(&shell, &["fit", "t.csv", "--target", "yy", "-o", "m.mercer"], EXPRESSION, &["'yy'", "did you mean 'y'"]);
}

#[test]
fn a_kernel_on_columns_of_the_wrong_sort_is_refused() {
    fit_refused(&numbers(20), &["--kernel", "on(a, spectrum(k=3))"], EXPRESSION, &["spectrum", "'a'", "number"]);
    fit_refused(&numbers(20), &["--kernel", "spectrum(k=3)"], DATA, &["spectrum", "a (number)"]);
}

#[test]
fn what_the_system_says_of_files_is_said_in_words() {
    let shell = Shell::new();
    shell.write("t.csv", numbers(20));
    for words in [&["compare", "none.csv"][..], &["compare", "t.csv/x"], &["predict", "none.mercer", "t.csv"]] {
        let run = shell.mercer(words);
        assert!(run.code != 0 && run.err.contains(words[1]) && run.err.contains("check how"), "{}", run.err);
        assert!(!run.err.contains("os error"), "{}", run.err);
    }
}

#[test]
fn missing_targets_and_groups_say_what_to_do() {
    let shell = Shell::new();
    shell.write("t.csv", "g,x,y\na,1,2\n,2,3\nb,3,\n");
    let filled = ["compare", "t.csv", "--target", "y", "--missing", "y=median+flag"];
    refused(&shell, &filled, EXPRESSION, &["'y' is the target", "to skip rows without one: y=drop"]);
    refused(&shell, &["compare", "t.csv", "--target", "x", "--groups", "g"], DATA, &["row 2, column 'g'", "the group of the row"]);
    refused(&shell, &["compare", "example:iris", "--sample", "0"], EXPRESSION, &["--sample", "1 or more"]);
}

#[test]
fn misspelt_names_are_refused_with_a_suggestion() {
    fit_refused(&numbers(20), &["--kernel", "rfb"], EXPRESSION, &["did you mean 'rbf'", "^"]);
    fit_refused(&numbers(20), &["--kernel", "rbf(lenght_scale=1)"], EXPRESSION, &["did you mean 'length_scale'"]);
    fit_refused(&numbers(20), &["--kernel", "rbf(length_scale=-2)"], EXPRESSION, &["length_scale", "above 0"]);
    fit_refused(&numbers(20), &["--kernel", "rbf +"], EXPRESSION, &["^"]);
    fit_refused(&numbers(20), &["--estimator", "svm"], EXPRESSION, &["svc"]);
    fit_refused(&numbers(20), &["--estimator", "svc(cc=1)"], EXPRESSION, &["did you mean 'c'"]);
    fit_refused(&numbers(20), &["--types", "a=numbr"], EXPRESSION, &["numbr"]);
}

#[test]
fn a_kernel_that_is_not_mercer_is_refused_with_a_witness_and_let_through_on_request() {
    let shell = Shell::new();
    shell.write("t.csv", numbers(30));
    for estimator in ["svc(c=1)", "ridge(lambda=1)"] {
        let words =
            ["fit", "t.csv", "--target", "y", "--kernel", "sigmoid(gamma=1, offset=-2)", "--estimator", estimator, "-o", "m.mercer"];
        refused(&shell, &words, EXPRESSION, &["sigmoid", "eigenvalue", "row"]);
    }
    let gp = ["fit", "example:sinc", "--kernel", "-1*rbf", "--estimator", "gp", "-o", "m.mercer"];
    refused(&shell, &gp, EXPRESSION, &["gp", "Mercer"]);
    let allowed =
        ["fit", "t.csv", "--target", "y", "--kernel", "sigmoid", "--estimator", "svc(c=1)", "--allow-non-mercer", "-o", "m.mercer"];
    shell.done(&allowed);
    shell.done(&["fit", "t.csv", "--target", "y", "--kernel", "sigmoid", "--estimator", "knn(k=3)", "-o", "k.mercer"]);
}

#[test]
fn one_row_and_equal_rows_get_an_answer_or_a_reason() {
    fit_refused("a,y\n1,yes\n", &[], DATA, &["yes"]);
    let shell = Shell::new();
    let equal: String = (0..12).map(|i| format!("1,1,{}\n", i % 2)).collect();
    shell.write("t.csv", format!("a,b,y\n{equal}"));
    refused(&shell, &["fit", "t.csv", "--target", "y", "-o", "m.mercer"], DATA, &["a", "b"]);
}

#[test]
fn a_plan_above_the_memory_cap_is_refused_before_it_starts() {
    let shell = Shell::new();
    shell.write("t.csv", numbers(2000));
    let words = ["fit", "t.csv", "--target", "y", "--estimator", "ridge(lambda=1)", "--max-memory", "1MB", "-o", "m.mercer"];
    let insisting = [&words[..], &["--sample", "2000"]].concat();
    // Of estimators for classes, those that hold no kernel matrix do with so little.
    refused(
        &shell,
        &insisting,
        RESOURCE,
        &["MB", "--max-memory", "fewer rows, or an estimator that needs less (perceptron, nadaraya_watson)"],
    );
    // What nobody insists on is fitted to a part, and said.
    let said = shell.done(&words).err;
    assert!(said.contains("trained on a random sample of the rows") && said.contains("too much time or memory"), "{said}");
}

#[test]
fn damaged_model_files_are_refused() {
    let shell = Shell::new();
    shell.done(&["fit", "example:iris", "--estimator", "knn(k=3)", "--kernel", "rbf(length_scale=1)", "-o", "m.mercer"]);
    let whole = std::fs::read(shell.path("m.mercer")).unwrap();
    for cut in [0, 7, 19, 40, whole.len() / 2, whole.len() - 1] {
        shell.write("cut.mercer", &whole[..cut]);
        refused(&shell, &["predict", "cut.mercer", "example:iris"], MODEL, &["cut.mercer"]);
    }
    for at in [0, 9, 17, 25, whole.len() / 2, whole.len() - 1] {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x10;
        shell.write("flipped.mercer", &flipped);
        refused(&shell, &["inspect", "flipped.mercer"], MODEL, &["flipped.mercer"]);
    }
}

#[test]
fn a_model_refuses_a_table_with_other_columns() {
    let shell = Shell::new();
    shell.done(&["fit", "example:iris", "--estimator", "knn(k=3)", "-o", "m.mercer"]);
    let run = shell.mercer(&["predict", "m.mercer", "example:sinc", "-o", "p.csv"]);
    assert!([EXPRESSION, DATA].contains(&run.code) && run.err.contains("sepal_length"), "{}", run.err);
    assert_eq!(shell.files(), ["m.mercer"]);
    shell.write("t.csv", "sepal_length,sepal_width,petal_length,petal_width\n5,wide,1,2\n");
    refused(&shell, &["predict", "m.mercer", "t.csv"], DATA, &["row 1", "sepal_width", "wide"]);
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let shell = Shell::new();
    shell.write("t.csv", numbers(6));
    for (words, code) in [
        (&["compare", "t.csv", "--target", "y", "--folds", "1"][..], 2),
        (&["compare", "t.csv", "--target", "y", "--folds", "50"], 2),
        (&["compare", "nowhere.csv", "--target", "y"], DATA),
        (&["compare", ".", "--target", "y"], DATA),
        (&["compare", "example:nothing"], EXPRESSION),
        (&["fit", "t.csv", "--target", "y", "-o", "nowhere/m.mercer"], DATA),
        (&["predict", "nowhere.mercer", "t.csv"], DATA),
        (&["compare", "t.csv", "--target", "y", "--max-memory", "lots"], 2),
    ] {
        let before = shell.files();
        let run = shell.mercer(words);
        assert!(run.code == code || (code == 2 && run.code == DATA), "mercer {}: exit {}: {}", words.join(" "), run.code, run.err);
        assert!(!run.err.is_empty() && !run.err.contains("panicked"), "{}", run.err);
        assert_eq!(shell.files(), before);
    }
}

#[test]
fn what_a_model_does_not_have_is_not_made_up() {
    let shell = Shell::new();
    shell.done(&["fit", "example:sinc", "--estimator", "ridge(lambda=1)", "-o", "m.mercer"]);
    refused(&shell, &["predict", "m.mercer", "example:sinc", "--std"], EXPRESSION, &["ridge", "gp"]);
    refused(&shell, &["predict", "m.mercer", "example:sinc", "--samples", "3"], EXPRESSION, &["--samples", "ridge", "gp"]);
    refused(&shell, &["fit", "example:iris", "--estimator", "svr", "-o", "n.mercer"], EXPRESSION, &["svr", "svc"]);
}

#[test]
fn a_binary_file_is_no_table() {
    let shell = Shell::new();
    shell.write("t.csv", [0u8, 159, 146, 150, 10, 255, 254, 0, 10]);
    refused(&shell, &["compare", "t.csv", "--target", "y"], DATA, &["t.csv"]);
}

/// `mercer` with a panic where an estimator of this name is fitted.
fn with_a_panic(shell: &Shell, estimator: &str, words: &[&str]) -> super::shell::Run {
    shell.mercer_with(&[("MERCER_TESTKIT_PANIC", estimator), ("RUST_BACKTRACE", "0")], words)
}

#[test]
fn a_panic_of_one_estimator_is_a_row_and_the_others_go_on() {
    let shell = Shell::new();
    let words = ["compare", "example:iris", "--estimators", "ridge(lambda=1), knn(k=3)", "--json", "o.json"];
    let run = with_a_panic(&shell, "ridge", &words);
    assert_eq!(run.code, 0, "{}", run.err);
    let document: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(shell.path("o.json")).unwrap()).unwrap();
    let rows = document["rows"].as_array().unwrap();
    let of = |name: &str| rows.iter().find(|r| r["estimator"].as_str().unwrap().starts_with(name)).unwrap();
    assert!(of("ridge").to_string().contains("internal error") && of("knn")["best"].as_bool().unwrap(), "{document}");
    assert!(!run.err.contains("panicked"), "{}", run.err);
}

#[test]
fn a_panic_is_an_internal_error_with_its_place_and_leaves_nothing() {
    let shell = Shell::new();
    let run = with_a_panic(&shell, "ridge", &["fit", "example:iris", "--estimator", "ridge(lambda=1)", "-o", "m.mercer"]);
    assert_eq!(run.code, 70, "{}", run.err);
    for part in ["internal error", "contain.rs", "please report it"] {
        assert!(run.err.contains(part), "{}", run.err);
    }
    assert!(shell.files().is_empty(), "{:?}", shell.files());
}
