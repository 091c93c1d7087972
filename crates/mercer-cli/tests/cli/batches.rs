//! Tables that are read batch by batch: `fit --batches` and `predict --batches`.

use super::shell::Shell;

/// Rows of numbers and labels with gaps, quoted cells and a weight, of more than one batch of 8 MB.
fn table() -> String {
    rows(60_000)
}

/// So many such rows.
fn rows(count: usize) -> String {
    let mut text = String::from("a,b,place,note,y,w\n");
    // A linear congruential generator is random enough for a table.
    let mut state = 7u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let filling = "x".repeat(120);
    for i in 0..count {
        let (a, b) = (draw() * 6.0 - 3.0, draw());
        let shown = if i % 50 == 7 { String::new() } else { format!("{b:.5}") };
        let place = ["\"north, by west\"", "south", "east"][i % 3];
        let y = (2.0 * a).sin() + b * b + if i % 3 == 1 { 1.0 } else { 0.0 };
        text += &format!("{a:.5},{shown},{place},{filling},{y:.5},{}\n", 1 + i % 2);
    }
    text
}

#[test]
fn a_table_in_batches_is_fitted_and_predicted_as_a_whole_one_is() {
    let folder = Shell::new();
    folder.write("t.csv", table());
    let common = ["--target", "y", "--weights", "w", "--types", "note=ignore", "--kernel", "linear", "--estimator", "ridge(lambda=1)"];
    let fit = |more: &[&str]| folder.mercer(&[&["fit", "t.csv"], &common[..], more].concat());
    let fitted = fit(&["--batches", "-o", "batches.mercer"]);
    assert_eq!(fitted.code, 0, "{}", fitted.err);
    assert!(fitted.err.contains("in 2 batches (9 MB); 2 passes over them, at least "), "{}", fitted.err);
    assert!(fitted.err.contains("of sums for 6 features"), "{}", fitted.err);
    assert!(fitted.err.contains("the coefficients are fitted to 60000 rows in 2 batches"), "{}", fitted.err);
    assert_eq!(fit(&["--sample", "60000", "-o", "whole.mercer"]).code, 0);
    let predict = |model: &str, more: &[&str]| folder.mercer(&[&["predict", model, "t.csv", "--keep", "place"], more].concat());
    let numbers = |text: &str| text.lines().skip(1).map(|l| l.rsplit(',').next().unwrap().parse::<f64>().unwrap()).collect::<Vec<_>>();
    let whole = predict("whole.mercer", &[]);
    let found = predict("batches.mercer", &["--batches"]);
    assert_eq!((whole.code, found.code), (0, 0), "{}", found.err);
    let (expected, found) = (numbers(&whole.out), numbers(&found.out));
    assert_eq!(found.len(), 60_000);
    // Missing cells are filled with the median of the sample, which is a little off that of all rows.
    let difference = expected.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(difference < 1e-3, "{difference}");
    // Read whole and in batches, the predictions of one model are the same.
    let (to_file, printed) = (predict("batches.mercer", &["--batches", "-o", "p.csv"]), predict("batches.mercer", &[]));
    assert_eq!(to_file.code, 0);
    assert!(std::fs::read_to_string(folder.path("p.csv")).unwrap() == printed.out, "predictions differ by how the table is read");
}

#[test]
fn machines_of_several_passes_are_fitted_and_predict_in_batches() {
    let folder = Shell::new();
    let row = |i: usize| format!("{},{},{}\n", i % 17, (i * i) % 23, ["red", "green", "blue"][(i % 17 + (i * i) % 23) / 14]);
    folder.write("t.csv", format!("a,b,colour\n{}", (0..3_000).map(row).collect::<String>()));
    for estimator in ["logistic(lambda=1)", "linear_svc(c=1)"] {
        let words = ["fit", "t.csv", "--target", "colour", "--kernel", "linear", "--estimator", estimator, "--batches", "-o", "m.mercer"];
        let fitted = folder.mercer(&words);
        assert!(fitted.code == 0 && fitted.err.contains("3000 rows in 1 batch, by "), "{}", fitted.err);
        assert!(!fitted.out.contains("NOT converged") && fitted.out.contains("converged"), "{}", fitted.out);
        let predicted = folder.mercer(&["predict", "m.mercer", "t.csv", "--batches"]);
        assert_eq!(predicted.code, 0, "{}", predicted.err);
        let hits = predicted.out.lines().skip(1).zip(0..).filter(|(line, i)| line.starts_with(row(*i).rsplit(',').next().unwrap().trim()));
        assert!(hits.count() > 2_700, "{}", &predicted.out[..200]);
    }
    let bent =
        folder.mercer(&["fit", "t.csv", "--target", "colour", "--estimator", "linear_svc(loss=hinge)", "--batches", "-o", "h.mercer"]);
    assert!(bent.code != 0 && bent.err.contains("loss=squared_hinge") && !folder.files().contains(&"h.mercer".to_owned()), "{}", bent.err);
}

#[test]
fn what_goes_wrong_in_a_late_batch_is_named_and_leaves_no_file() {
    let folder = Shell::new();
    folder.write("t.csv", table());
    folder.write("late.csv", format!("{}1,red,south,x,2,1\n", table()));
    let fit = |table: &str, more: &[&str]| {
        let words = ["fit", table, "--target", "y", "--batches", "--types", "note=ignore", "-o", "m.mercer"];
        folder.mercer(&[&words[..], more].concat())
    };
    let late = fit("late.csv", &["--kernel", "linear", "--estimator", "ridge(lambda=1)"]);
    assert_ne!(late.code, 0);
    assert!(late.err.contains("row 60001, column 'b': found 'red'"), "{}", late.err);
    for (more, said) in
        [(&["--estimator", "svr"][..], "one of ridge"), (&["--gram", "a=k.csv"][..], "--gram"), (&["--landmarks", "0"][..], "1 or more")]
    {
        let refused = fit("t.csv", more);
        assert!(refused.code != 0 && refused.err.contains(said), "{}", refused.err);
    }
    let unnamed = folder.mercer(&["fit", "t.csv", "--batches", "-o", "m.mercer"]);
    assert!(unnamed.code != 0 && unnamed.err.contains("a, b, place, note, y, w"), "{}", unnamed.err);
    let piped = folder.mercer_reading(&["fit", "-", "--target", "y", "--batches", "-o", "m.mercer"], "x,y\n1,2\n");
    assert!(piped.code != 0 && piped.err.contains("give a file"), "{}", piped.err);
    assert!(!folder.files().contains(&"m.mercer".to_owned()));
    assert_eq!(fit("t.csv", &["--kernel", "linear", "--estimator", "ridge(lambda=1)"]).code, 0);
    let predicted = folder.mercer(&["predict", "m.mercer", "late.csv", "--batches", "-o", "p.csv"]);
    assert!(predicted.code != 0 && predicted.err.contains("row 60001, column 'b'"), "{}", predicted.err);
    assert!(!folder.files().contains(&"p.csv".to_owned()));
}

#[test]
fn sparse_vectors_and_arrays_are_fitted_in_batches_to_their_own_target() {
    let folder = Shell::new();
    // Features 1 and 3 alone make the target; a late row has the largest index.
    let rows =
        |n: usize| (0..n).map(|i| format!("{} 1:{} 3:{}\n", (i % 7) as f64 - 2.0 * (i % 5) as f64, i % 7, i % 5)).collect::<String>();
    folder.write("t.svm", format!("{}0 9:1\n", rows(400)));
    let fitted =
        folder.mercer(&["fit", "t.svm", "--batches", "--kernel", "linear", "--estimator", "ridge(lambda=0.001)", "-o", "m.mercer"]);
    assert_eq!(fitted.code, 0, "{}", fitted.err);
    folder.write("new.svm", "0 1:3 3:1 12:5\n");
    let predicted = folder.mercer(&["predict", "m.mercer", "new.svm", "--batches"]);
    assert_eq!(predicted.code, 0, "{}", predicted.err);
    assert!(predicted.err.contains("features beyond the 9 of training"), "{}", predicted.err);
    let found: f64 = predicted.out.lines().last().unwrap().parse().unwrap();
    assert!((found - 1.0).abs() < 0.05, "{found}");
}

/// The most memory that a run of the program has held, in bytes.
#[cfg(target_os = "linux")]
fn peak(folder: &Shell, words: &[&str]) -> u64 {
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_mercer"));
    let mut run = command.current_dir(folder.path("")).args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", run.id());
    let mut peak = 0;
    let code = loop {
        let kilobytes = std::fs::read_to_string(&status).ok().and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        });
        peak = peak.max(1024 * kilobytes.unwrap_or(0));
        if let Some(code) = run.try_wait().unwrap() {
            break code;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    assert!(code.success(), "{words:?}");
    peak
}

/// A batch of 8 MB of text and what is read of it, the program and its threads take less than twice the file.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_file() {
    const MOST: u64 = 120_000_000;
    let folder = Shell::new();
    folder.write("t.csv", rows(400_000));
    assert!(std::fs::metadata(folder.path("t.csv")).unwrap().len() > 58_000_000);
    let words = ["fit", "t.csv", "--target", "y", "--types", "note=ignore", "--kernel", "linear", "--estimator", "ridge(lambda=1)"];
    let fit = |more: &[&str]| peak(&folder, &[&words[..], &["--no-standardise"], more].concat());
    let batches = fit(&["--batches", "-o", "m.mercer"]);
    let whole = fit(&["--sample", "5000", "-o", "m.mercer"]);
    assert!(batches < MOST && MOST < whole, "in batches {batches} bytes, read whole {whole}");
}
