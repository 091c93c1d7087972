//! Where output goes: files, links to files, pipes and open files of a process.
#![cfg(unix)]

use crate::shell::Shell;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

fn fitted(shell: &Shell) {
    let rows: String = (0..12).map(|i| format!("{i},{}\n", i * i % 7)).collect();
    shell.write("t.csv", format!("x,y\n{rows}"));
    shell.done(&["fit", "t.csv", "--target", "y", "--estimator", "ridge(lambda=1)", "--kernel", "linear", "-o", "m.mercer"]);
}

#[test]
fn links_stay_and_lead_to_the_new_file_with_the_permissions_of_the_old_one() {
    let shell = Shell::new();
    fitted(&shell);
    let printed = shell.done(&["predict", "m.mercer", "t.csv"]).out;
    std::fs::create_dir(shell.path("deep")).unwrap();
    shell.write("deep/old.csv", "old");
    std::fs::set_permissions(shell.path("deep/old.csv"), std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("deep/old.csv", shell.path("first")).unwrap();
    symlink("first", shell.path("second")).unwrap();
    symlink("deep/new.csv", shell.path("dangling")).unwrap();
    for (link, file) in [("second", "deep/old.csv"), ("dangling", "deep/new.csv")] {
        shell.done(&["predict", "m.mercer", "t.csv", "-o", link]);
        assert!(std::fs::symlink_metadata(shell.path(link)).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(shell.path(file)).unwrap(), printed, "{link}");
    }
    assert_eq!(std::fs::metadata(shell.path("deep/old.csv")).unwrap().permissions().mode() & 0o777, 0o640);
    // A model is read back before it is there.
    symlink("deep/model.mercer", shell.path("link.mercer")).unwrap();
    shell.done(&["fit", "t.csv", "--target", "y", "--estimator", "ridge(lambda=1)", "--kernel", "linear", "-o", "link.mercer"]);
    assert_eq!(shell.done(&["predict", "deep/model.mercer", "t.csv"]).out, printed);
}

#[test]
fn pipes_and_standard_output_are_written_to_and_stay_what_they_are() {
    let shell = Shell::new();
    fitted(&shell);
    let printed = shell.done(&["predict", "m.mercer", "t.csv"]).out;
    assert_eq!(shell.done(&["predict", "m.mercer", "t.csv", "-o", "/dev/stdout"]).out, printed);
    assert!(Command::new("mkfifo").arg(shell.path("pipe")).status().unwrap().success());
    let program = assert_cmd::cargo::cargo_bin("mercer");
    let words = ["predict", "m.mercer", "t.csv", "-o", "pipe"];
    let mut child = Command::new(&program).args(words).current_dir(shell.folder()).stdout(Stdio::null()).spawn().unwrap();
    let mut read = String::new();
    std::fs::File::open(shell.path("pipe")).unwrap().read_to_string(&mut read).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(read, printed);
    assert!(!std::fs::symlink_metadata(shell.path("pipe")).unwrap().is_file());
    // A file that standard output was opened on holds what is printed and what is written, one after the other.
    let both = std::fs::File::create(shell.path("both.csv")).unwrap();
    let words = ["predict", "m.mercer", "t.csv", "-o", "/dev/stdout"];
    assert!(Command::new(&program).args(words).current_dir(shell.folder()).stdout(both).status().unwrap().success());
    assert_eq!(std::fs::read_to_string(shell.path("both.csv")).unwrap(), printed);
    if std::path::Path::new("/dev/full").exists() {
        let run = shell.mercer(&["predict", "m.mercer", "t.csv", "-o", "/dev/full"]);
        assert!(run.code != 0 && run.err.contains("/dev/full"), "{} {}", run.code, run.err);
    }
}
