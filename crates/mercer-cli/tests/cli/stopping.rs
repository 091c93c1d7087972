//! Work that is ended before it is done: by a time budget, by ctrl-C, by a kill.

use super::shell::Shell;
use mercer::store;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A table of noise on which searches take long.
fn long(rows: usize) -> String {
    let line = |i: usize| format!("{},{},{}\n", (i * 7919 % 6007) as f64 / 10.0, i * 31 % 97, ["a", "b", "c"][(i * i + i / 7) % 3]);
    format!("x,z,y\n{}", (0..rows).map(line).collect::<String>())
}

fn start(shell: &Shell, words: &[&str]) -> Child {
    let program = assert_cmd::cargo::cargo_bin("mercer");
    Command::new(program).args(words).current_dir(shell.folder()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Interrupts a command after so many milliseconds: its exit code and standard error; `None` where a fast machine was
/// done before.
#[cfg(unix)]
fn interrupted(shell: &Shell, words: &[&str], wait: u64) -> Option<(Option<i32>, String)> {
    ended_by("-INT", shell, words, wait)
}

/// Sends a command a signal after so many milliseconds: see [`interrupted`].
#[cfg(unix)]
fn ended_by(signal: &str, shell: &Shell, words: &[&str], wait: u64) -> Option<(Option<i32>, String)> {
    let mut child = start(shell, words);
    std::thread::sleep(Duration::from_millis(wait));
    if child.try_wait().unwrap().is_some() {
        println!("skipped: mercer {} was over after {wait} ms", words.join(" "));
        return None;
    }
    send(signal, &child);
    let output = child.wait_with_output().unwrap();
    Some((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()))
}

#[cfg(unix)]
fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn a_fit_whose_time_is_up_in_the_search_is_the_best_so_far_with_its_certificate() {
    let shell = Shell::new();
    shell.write("t.csv", long(1500));
    let run = shell.done(&["fit", "t.csv", "--target", "y", "--max-seconds", "2", "-o", "m.mercer"]);
    assert!(run.out.contains("certificate") && run.out.contains("duality gap"), "{}", run.out);
    assert!(store::load(shell.path("m.mercer")).unwrap().summary().certificate.is_some());
    assert_eq!(shell.files(), ["m.mercer", "t.csv"]);
}

#[test]
fn a_time_budget_that_allows_nothing_is_an_error_and_writes_nothing() {
    let shell = Shell::new();
    shell.write("t.csv", long(3000));
    let fit = ["fit", "t.csv", "--target", "x", "--estimator", "gp", "--max-seconds", "0.001", "-o", "m.mercer", "--figures", "f"];
    let run = shell.mercer(&fit);
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.err.contains("time was up") && run.err.contains("--max-seconds"), "{}", run.err);
    assert_eq!(shell.files(), ["t.csv"]);
}

#[test]
fn a_comparison_that_has_time_for_nothing_leaves_the_baseline_and_names_no_winner() {
    let shell = Shell::new();
    shell.write("t.csv", long(3000));
    let run = shell.mercer(&["compare", "t.csv", "--target", "x", "--max-seconds", "0.001", "--save", "m.mercer", "--json", "r.json"]);
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.out.contains("time was up") && run.out.contains("not reached"), "{}", run.out);
    assert_eq!(store::load(shell.path("m.mercer")).unwrap().estimator.name(), "baseline");
    // The same without inputs: the mean of the target, however little time there is.
    let row: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(shell.path("r.json")).unwrap()).unwrap();
    let of = |name: &str| row["rows"].as_array().unwrap().iter().find(|r| r["estimator"] == name).cloned().unwrap();
    assert_eq!((of("baseline")["against_best"].as_str(), of("ridge")["against_best"].as_str()), (Some("best"), Some("not_tuned")));
}

/// A kernel value of these two series takes an hour: increments so large are cut into many parts.
#[test]
fn a_kernel_matrix_ends_at_its_limit_inside_a_recursion() {
    let shell = Shell::new();
    let series = |phase: usize| (0..400).map(|t| format!("{}", 9.0 * ((t * (7 + phase)) as f64).sin())).collect::<Vec<String>>().join(",");
    shell.write("s.csv", format!("path,y\n\"[{}]\",a\n\"[{}]\",b\n", series(0), series(1)));
    let words =
        ["gram", "s.csv", "--target", "y", "--types", "path=series", "--kernel", "signature_pde", "-o", "K.npy", "--max-seconds", "0.5"];
    let run = shell.mercer(&words);
    assert!(run.code == 4 && run.err.contains("time was up"), "{} {}", run.code, run.err);
    assert_eq!(shell.files(), ["s.csv"]);
}

#[test]
fn a_comparison_whose_time_is_up_shows_what_is_scored_and_says_so() {
    let shell = Shell::new();
    shell.write("t.csv", long(6000));
    let words = ["compare", "t.csv", "--target", "y", "--estimators", "baseline, svc", "--threads", "1", "--max-seconds", "3"];
    let run = shell.mercer(&words);
    match run.code {
        0 => assert!(run.out.contains("time was up") || run.out.contains("was not finished in its time"), "{}", run.out),
        code => assert!(code == 4 && run.err.contains("time was up"), "{}", run.err),
    }
    assert_eq!(shell.files(), ["t.csv"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_in_the_search_of_a_fit_writes_the_best_so_far_and_says_so() {
    let shell = Shell::new();
    shell.write("t.csv", long(2000));
    for wait in [300, 1500, 3000] {
        let Some((code, said)) = interrupted(&shell, &["fit", "t.csv", "--target", "y", "--threads", "1", "-o", "m.mercer"], wait) else {
            continue;
        };
        assert_eq!(code, Some(130), "{said}");
        if shell.path("m.mercer").exists() {
            let model = store::load(shell.path("m.mercer")).unwrap();
            let told = model.about.notices.iter().any(|n| n.to_string().contains("stopped on request")) || model.summary().converged;
            assert!(model.summary().certificate.is_some() && told, "{:?}", model.about.notices);
            assert!(said.contains("stopped on request; what was found by then is written"), "{said}");
            std::fs::remove_file(shell.path("m.mercer")).unwrap();
        } else {
            assert!(wait < 3000 && said.contains("nothing was written"), "after three seconds some setting has been judged: {said}");
        }
    }
    assert_eq!(shell.files().into_iter().filter(|f| f.ends_with(".part")).count(), 0);
}

#[cfg(unix)]
#[test]
fn ctrl_c_in_the_solver_gives_its_iterate_with_the_certificate() {
    let shell = Shell::new();
    shell.write("t.csv", long(3000));
    let words = ["fit", "t.csv", "--target", "y", "--kernel", "rbf(length_scale=1)", "--estimator", "svc(c=1e6)", "-o", "m.mercer"];
    let Some((code, said)) = interrupted(&shell, &words, 2000) else { return };
    assert_eq!(code, Some(130), "{said}");
    let model = store::load(shell.path("m.mercer")).unwrap();
    let summary = model.summary();
    let certificate = summary.certificate.as_ref().unwrap();
    assert!(summary.iterations > 0 && certificate.value.is_finite());
    assert!(summary.converged || certificate.value > certificate.tolerance, "{certificate:?}");
}

#[cfg(unix)]
#[test]
fn a_signal_to_end_a_comparison_writes_what_is_scored_or_nothing() {
    let shell = Shell::new();
    shell.write("t.csv", long(2000));
    let words =
        ["compare", "t.csv", "--target", "y", "--estimators", "baseline, svc", "--threads", "1", "--report", "r.html", "--json", "r.json"];
    for (signal, wait) in [("-INT", 200), ("-TERM", 2500)] {
        let Some((code, said)) = ended_by(signal, &shell, &words, wait) else { continue };
        assert_eq!(code, Some(130), "{said}");
        if shell.path("r.html").exists() {
            let page = std::fs::read_to_string(shell.path("r.html")).unwrap();
            assert!(page.contains("stopped on request") && page.trim_end().ends_with("</html>"));
            assert_eq!(shell.files(), ["r.html", "r.json", "t.csv"]);
            std::fs::remove_file(shell.path("r.html")).unwrap();
            std::fs::remove_file(shell.path("r.json")).unwrap();
        } else {
            assert!(said.contains("nothing was written"), "{said}");
            assert_eq!(shell.files(), ["t.csv"]);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_stop_is_no_fault_of_the_data_and_estimators_that_were_not_reached_did_not_fail() {
    let shell = Shell::new();
    shell.write("t.csv", long(4000));
    let words = ["compare", "t.csv", "--target", "x", "--estimators", "baseline, gp, svr", "--threads", "1", "--save", "m.mercer"];
    for wait in [1200, 2500] {
        let Some((code, said)) = interrupted(&shell, &words, wait) else { continue };
        assert_eq!(code, Some(130), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn the_second_ctrl_c_stops_at_once_and_writes_nothing() {
    let shell = Shell::new();
    shell.write("t.csv", long(6000));
    let mut child = start(&shell, &["compare", "t.csv", "--target", "x", "--report", "r.html", "--json", "r.json"]);
    std::thread::sleep(Duration::from_millis(1500));
    if child.try_wait().unwrap().is_some() {
        println!("skipped: the comparison was over before it could be stopped");
        return;
    }
    send("-INT", &child);
    std::thread::sleep(Duration::from_millis(50));
    // The first may have been enough by now.
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(shell.files().into_iter().filter(|f| f.ends_with(".part")).count(), 0);
    let pair = [shell.path("r.html").exists(), shell.path("r.json").exists()];
    assert!(pair == [false; 2] || pair == [true; 2]);
}

#[test]
fn a_kill_at_any_moment_of_fit_and_save_leaves_no_half_file() {
    let shell = Shell::new();
    // Nearest neighbours keep every row: the file is large and the save takes its time.
    let row = |i: usize| (0..12).map(|k| format!("{},", (i * (k + 17) * 7919 % 10007) as f64 / 10.0)).collect::<String>();
    let table: String = (0..8000).map(|i| format!("{}{}\n", row(i), ["a", "b"][i % 2])).collect();
    shell.write("t.csv", format!("{}y\n{table}", (0..12).map(|k| format!("c{k},")).collect::<String>()));
    let words = ["fit", "t.csv", "--target", "y", "--kernel", "rbf(length_scale=1)", "--estimator", "knn(k=3)", "-o", "m.mercer"];
    let clock = Instant::now();
    shell.done(&words);
    let whole = clock.elapsed().as_secs_f64();
    let path = shell.path("m.mercer");
    let old = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(50);
    let (mut none, mut kept, mut replaced) = (0, 0, 0);
    for round in 0..50 {
        // From half of the rounds on an older model stands there.
        if round == 25 {
            std::fs::write(&path, &old).unwrap();
        }
        let before = std::fs::metadata(&path).and_then(|m| m.modified()).ok();
        let mut child = start(&shell, &words);
        // Half of the kills fall into the last third, where the file is written.
        let from = if round % 2 == 0 { 0.0 } else { 0.65 };
        std::thread::sleep(Duration::from_secs_f64(whole * (from + (1.1 - from) * random.random::<f64>())));
        child.kill().unwrap();
        child.wait().unwrap();
        let after = std::fs::metadata(&path).and_then(|m| m.modified()).ok();
        match (before, after) {
            (_, None) => none += 1,
            (Some(a), Some(b)) if a == b => {
                assert_eq!(std::fs::read(&path).unwrap(), old, "round {round}: the old model is not intact");
                kept += 1;
            }
            _ => {
                store::load(&path).unwrap_or_else(|e| panic!("round {round}: {e}"));
                replaced += 1;
                if round < 25 {
                    std::fs::remove_file(&path).unwrap();
                } else {
                    std::fs::write(&path, &old).unwrap();
                }
            }
        }
    }
    println!("50 kills: {none} left no file, {kept} the old one, {replaced} a new one");
    assert!(none > 0 && kept > 0, "some kills must fall before the save");
    let odd: Vec<String> =
        shell.files().into_iter().filter(|f| !["m.mercer", "t.csv"].contains(&f.as_str()) && !f.ends_with(".part")).collect();
    assert!(odd.is_empty(), "{odd:?}");
    shell.done(&words);
    store::load(&path).unwrap();
}
