//! An empty folder with the program in it.

use assert_cmd::Command;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder of its own for one test.
pub(crate) struct Shell(TempDir);

/// What a run left.
pub(crate) struct Run {
    /// Exit code; -1 after a signal.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Shell {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Shell(TempDir::new().unwrap())
    }
    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    /// Writes a file.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }
    /// The names in the folder, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(self.0.path()).unwrap().map(|f| f.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
    /// Runs `mercer` with these words in the folder.
    pub(crate) fn mercer(&self, words: &[&str]) -> Run {
        self.mercer_reading(words, "")
    }
    /// Runs `mercer` with standard input.
    pub(crate) fn mercer_reading(&self, words: &[&str], input: &str) -> Run {
        self.run(&[], words, input)
    }
    /// Runs `mercer` with environment variables.
    pub(crate) fn mercer_with(&self, variables: &[(&str, &str)], words: &[&str]) -> Run {
        self.run(variables, words, "")
    }
    fn run(&self, variables: &[(&str, &str)], words: &[&str], input: &str) -> Run {
        let mut command = Command::cargo_bin("mercer").unwrap();
        let command = command.current_dir(self.folder()).envs(variables.iter().copied()).args(words).write_stdin(input);
        let output = command.output().unwrap();
        Run {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
    /// Runs `mercer` and requires success.
    pub(crate) fn done(&self, words: &[&str]) -> Run {
        let run = self.mercer(words);
        assert_eq!(run.code, 0, "mercer {}: {}", words.join(" "), run.err);
        run
    }
    /// The folder itself.
    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }
}
