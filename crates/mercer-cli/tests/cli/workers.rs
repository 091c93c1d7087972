//! Comparisons whose trials run in processes of their own.

use super::shell::Shell;
use serde_json::Value;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const METHODS: &str = "svc, ridge, logistic, knn, l2vm, baseline";

/// Sequences whose class is a word that some of them hold.
fn table(rows: usize) -> String {
    let letters = |i: usize| (0..24).map(|j| ['A', 'C', 'G', 'T'][(i * i + i * j * 7 + j * j * 3) % 11 % 4]).collect::<String>();
    let line = |i: usize| match i % 2 {
        0 => format!("{}GATTACA{},yes\n", letters(i), letters(i + 1)),
        _ => format!("{}{}AAGGCC,no\n", letters(i), letters(i + 2)),
    };
    format!("letters,y\n{}", (0..rows).map(line).collect::<String>())
}

/// A document without what a clock says.
fn without_seconds(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| !key.contains("second") && !matches!(key.as_str(), "predict_us_per_row" | "command" | "recommendation"));
            map.values_mut().for_each(without_seconds);
        }
        Value::Array(list) => list.iter_mut().for_each(without_seconds),
        _ => {}
    }
}

fn document(shell: &Shell, file: &str) -> Value {
    let mut value = serde_json::from_str(&std::fs::read_to_string(shell.path(file)).unwrap()).unwrap();
    without_seconds(&mut value);
    value
}

fn words<'a>(more: &[&'a str], out: &'a str) -> Vec<&'a str> {
    [&["compare", "t.csv", "--target", "y", "--estimators", METHODS, "--json", out], more].concat()
}

#[test]
fn processes_give_what_threads_give_and_the_model_too() {
    let shell = Shell::new();
    shell.write("t.csv", table(90));
    shell.done(&words(&["--save", "one.mercer"], "one.json"));
    shell.done(&words(&["--workers", "2", "--save", "two.mercer"], "two.json"));
    assert_eq!(document(&shell, "one.json"), document(&shell, "two.json"));
    let predicted = |model: &str| shell.done(&["predict", model, "t.csv"]).out;
    assert_eq!(predicted("one.mercer"), predicted("two.mercer"));
}

/// The processes that a process has started.
#[cfg(target_os = "linux")]
fn children(of: &Child) -> Vec<String> {
    let list = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", of.id())).unwrap_or_default();
    let mut all: Vec<String> = list.split_whitespace().map(str::to_owned).collect();
    // Threads of the process start them.
    for task in std::fs::read_dir(format!("/proc/{}/task", of.id())).into_iter().flatten().flatten() {
        let list = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        all.extend(list.split_whitespace().map(str::to_owned));
    }
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_is_killed_in_the_middle_of_its_work_loses_nothing() {
    let shell = Shell::new();
    shell.write("t.csv", table(90));
    shell.done(&words(&["--workers", "2"], "whole.json"));
    let program = assert_cmd::cargo::cargo_bin("mercer");
    let mut child = Command::new(program)
        .args(words(&["--workers", "2"], "killed.json"))
        .current_dir(shell.folder())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Two kills: no trial meets more of them than it is tried again.
    let mut killed = 0;
    while killed < 2 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(60));
        if let Some(one) = children(&child).first() {
            killed += usize::from(Command::new("kill").args(["-KILL", one]).status().unwrap().success());
        }
    }
    assert!(child.wait().unwrap().success());
    if killed == 0 {
        println!("skipped: a fast machine was done before a process could be killed");
    }
    assert_eq!(document(&shell, "whole.json"), document(&shell, "killed.json"));
}

#[test]
fn numbers_of_workers_that_are_none_are_refused() {
    let shell = Shell::new();
    shell.write("t.csv", table(20));
    for count in ["0", "two", "5000"] {
        let run = shell.mercer(&words(&["--workers", count], "o.json"));
        assert!(run.err.contains("write a number from 1 to 1024"), "{}", run.err);
    }
}
