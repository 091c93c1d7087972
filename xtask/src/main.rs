//! Developer tasks, run as `cargo xtask TASK`. No dependency on the library, so that a task starts at once.

mod args;
mod citations;
mod placed;
mod readme;
mod repo;
mod rust_source;
mod smells;
mod spec;
mod tolerances;
mod vocabulary;

use args::Task;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask TASK

  spec              rows of docs/spec.md that a test proves, and those still open
  spec --row ID     the tests that cite one row
  smells            what a reviewer would refuse; prints 'no smells' when there are none
  readme            checks that README.md shows the tour files as they are
  readme --write    copies the tour files into README.md
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args::parse(&words) {
        Some(Task::Help) => Ok(USAGE.to_owned()),
        Some(Task::Spec { row }) => spec::run(row.as_deref()),
        Some(Task::Smells) => smells::run(),
        Some(Task::Readme { write }) => readme::run(write),
        None => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(text) => {
            eprint!("{text}");
            ExitCode::FAILURE
        }
    }
}
