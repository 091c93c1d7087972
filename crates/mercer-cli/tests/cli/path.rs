//! `mercer path` as a user meets it.

use super::shell::Shell;
use serde_json::Value;

/// Rows on a line at -3, -1, 1 and 3, and one more whose weight is 0.
const LINE: &str = "x,count,y\n-3,1,no\n-1,1,no\n1,1,yes\n3,1,yes\n-9,0,yes\n";

// Breakpoints worked out by hand in crates/mercer/tests/estimators/svm_path.rs.
#[test]
fn the_path_of_four_rows_is_printed_as_a_table_a_document_and_a_page() {
    let shell = Shell::new();
    shell.write("t.csv", LINE);
    let words = ["path", "t.csv", "--target", "y", "--weights", "count", "--kernel", "linear", "--no-standardise"];
    let text = shell.done(&[&words[..], &["--folds", "2", "--report", "p.html"]].concat()).out;
    assert!(text.starts_with("3 breakpoints from C = 0.0417 to 0.5; beyond it the classes are separated"), "{text}");
    assert!(text.contains("least held-out error") && text.contains("written: p.html"), "{text}");
    let page = std::fs::read_to_string(shell.path("p.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("Path of svc on t.csv"), "the page has the figure");
    let json: Value = serde_json::from_str(&shell.done(&[&words[..], &["--folds", "0", "--c", "0.25,1", "--json"]].concat()).out).unwrap();
    let breaks: Vec<f64> = json["breakpoints"].as_array().unwrap().iter().map(|b| b["c"].as_f64().unwrap()).collect();
    breaks.iter().zip([1.0 / 24.0, 1.0 / 6.0, 0.5]).for_each(|(c, expected)| assert!((c - expected).abs() <= 1e-12, "{c}"));
    assert_eq!((json["separated"].as_bool(), json["end"].as_str()), (Some(true), Some("complete")));
    let support = json["at"][0]["support"].as_array().unwrap();
    assert_eq!(support.iter().map(|s| s["row"].as_u64().unwrap()).collect::<Vec<_>>(), [2, 3]);
    assert!((support[1]["coefficient"].as_f64().unwrap() - 0.25).abs() <= 1e-12);
}

#[test]
fn what_has_no_path_is_refused_with_what_to_change() {
    let shell = Shell::new();
    shell.write("t.csv", LINE);
    shell.write("three.csv", "x,y\n1,a\n2,b\n3,c\n4,a\n");
    let refused = |words: &[&str]| {
        let run = shell.mercer(words);
        assert!(run.code > 1 && run.out.is_empty(), "{words:?}: {} {}", run.code, run.out);
        run.err
    };
    assert!(refused(&["path", "three.csv", "--target", "y"]).contains("a path is of two classes, and the target has 3"));
    assert!(refused(&["path", "t.csv", "--target", "x"]).contains("this target is of numbers"));
    assert!(refused(&["path", "t.csv", "--target", "y", "--c", "-1"]).contains("above 0"));
    assert!(refused(&["path", "t.csv", "--target", "y", "--most-c", "0.1", "--c", "5"]).contains("where the path ends"));
    assert!(refused(&["path", "t.csv", "--target", "y", "--kernel", "sigmoid"]).contains("Mercer kernel"));
    assert!(refused(&["path", "t.csv", "--target", "y", "--report", "t.csv"]).contains("file that is to be read"));
}
