//! Words of the user's: names from other books, single entries of the catalogue, columns to keep, places to write to.

use super::shell::Shell;

#[test]
fn one_entry_of_the_catalogue_is_described_by_its_name() {
    let shell = Shell::new();
    let rbf = shell.done(&["inspect", "rbf"]).out;
    assert!(rbf.starts_with("kernel       rbf\n") && rbf.contains("length_scale") && !rbf.contains("matern"), "{rbf}");
    assert!(shell.done(&["inspect", "svc"]).out.starts_with("estimator    svc\n"));
    assert!(shell.done(&["inspect", "clip"]).out.starts_with("composition  clip\n"));
    assert!(shell.done(&["inspect", "ridge", "--json"]).out.contains("\"name\": \"ridge\""));
    let other = shell.mercer(&["inspect", "poly"]);
    assert!(other.code == 2 && other.err.contains("here that is polynomial"), "{} {}", other.code, other.err);
    // A model of the name that other books give to a kernel.
    let gaussian = shell.done(&["inspect", "gaussian"]).out;
    assert!(gaussian.starts_with("model        gaussian\n") && gaussian.contains("here that is rbf"), "{gaussian}");
    let missing = shell.mercer(&["inspect", "model.mercer"]);
    assert!(missing.code != 0 && missing.err.contains("model.mercer"), "{}", missing.err);
}

#[test]
fn names_of_other_libraries_lead_to_those_of_this_one() {
    let shell = Shell::new();
    for (kernel, here) in [("gaussian", "rbf"), ("poly", "polynomial"), ("tanh(gamma=1)", "sigmoid")] {
        let run = shell.mercer(&["compare", "example:iris", "--kernel", kernel]);
        assert!(run.code == 2 && run.err.contains(&format!("here that is {here}")), "{}", run.err);
    }
    let fitted = shell.done(&["fit", "example:iris", "--kernel", "rbf(length_scale=1)", "--estimators", "svc(C=10)", "-o", "m.mercer"]).out;
    assert!(fitted.contains("svc(c=10)"), "{fitted}");
}

#[test]
fn columns_are_kept_to_the_left_of_the_predictions() {
    let shell = Shell::new();
    shell.write("t.csv", "id,x,y\nr1,1,2\nr2,2,4\n\"r,3\",3,6\nr4,4,8\n");
    let kernel = ["--types", "id=ignore", "--kernel", "linear", "--estimator", "ridge(lambda=1)"];
    shell.done(&[&["fit", "t.csv", "--target", "y", "-o", "m.mercer"], kernel.as_slice()].concat());
    let plain: Vec<String> = shell.done(&["predict", "m.mercer", "t.csv"]).out.lines().map(str::to_owned).collect();
    let kept: Vec<String> = shell.done(&["predict", "m.mercer", "t.csv", "--keep", "id,x"]).out.lines().map(str::to_owned).collect();
    assert_eq!(kept[0], "id,x,y_predicted");
    assert_eq!(kept[3], format!("\"r,3\",3,{}", plain[3]));
    let all: Vec<String> = shell.done(&["predict", "m.mercer", "t.csv", "--keep", "all"]).out.lines().map(str::to_owned).collect();
    assert_eq!(all[0], "id,x,y,y_predicted");
    assert_eq!(all[1], format!("r1,1,2,{}", plain[1]));
    let wrong = shell.mercer(&["predict", "m.mercer", "t.csv", "--keep", "idd"]);
    assert!(wrong.code != 0 && wrong.err.contains("did you mean 'id'"), "{}", wrong.err);
}

#[test]
fn a_place_that_cannot_be_written_is_found_before_the_run() {
    // Nobody may make files there, whoever asks.
    let sealed = "/proc/1";
    if !std::path::Path::new(sealed).is_dir() {
        println!("skipped: no {sealed} on this system");
        return;
    }
    let shell = Shell::new();
    for words in [["--figures", "/proc/1/figures"], ["--report", "/proc/1/page.html"], ["--json", "/proc/1/t.json"]] {
        let run = shell.mercer(&["compare", "example:iris", "--estimators", "baseline", words[0], words[1]]);
        let said = format!("{}: cannot be made: nothing can be written into /proc/1", words[1]);
        assert!(run.code == 3 && run.err.contains(&said) && run.out.is_empty(), "{} {}", run.err, run.out);
    }
}
