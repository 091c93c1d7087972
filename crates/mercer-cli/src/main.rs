//! The command line: words in, library calls, words out. All thinking is in the library.

mod args;
mod commands;
mod output;
mod progress;

use args::{Arguments, Command};
use clap::Parser;
use mercer::control::{CancelFlag, with_threads};
use mercer::error::{Error, ErrorKind, Result};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let cancel = CancelFlag::default();
    stop_on_ctrl_c(cancel.clone());
    match run(arguments, &cancel) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("mercer: {error}");
            ExitCode::from(exit_code(&error))
        }
    }
}

fn run(arguments: Arguments, cancel: &CancelFlag) -> Result<ExitCode> {
    let done = |made: Result<()>| made.map(|()| ExitCode::SUCCESS);
    let work = || match &arguments.command {
        Command::Compare(a) => done(commands::compare(a, cancel)),
        Command::Fit(a) => done(commands::fit(a, cancel)),
        Command::Predict(a) => done(commands::predict(a, cancel)),
        Command::Check(a) => commands::check(a, cancel),
        Command::Inspect(a) => done(commands::inspect(a)),
        Command::Examples(a) => done(commands::examples(a)),
        Command::Gram(a) => done(commands::gram(a, cancel)),
        Command::Completions(a) => done(commands::completions(a)),
        Command::Man(a) => done(commands::man(a)),
    };
    with_threads(arguments.threads, work)?
}

/// The first ctrl-C asks the work to stop and leave nothing half-written; the second ends the process.
fn stop_on_ctrl_c(cancel: CancelFlag) {
    let installed = ctrlc::set_handler(move || {
        if cancel.is_cancelled() {
            std::process::exit(130);
        }
        cancel.cancel();
    });
    if let Err(e) = installed {
        eprintln!("mercer: ctrl-C will end the process at once: {e}");
    }
}

/// The exit codes that `mercer --help` documents.
fn exit_code(error: &Error) -> u8 {
    match (error, error.kind()) {
        (Error::Cancelled, _) => 130,
        (_, ErrorKind::Expression) => 2,
        (_, ErrorKind::Data) => 3,
        (_, ErrorKind::Resource) => 4,
        (_, ErrorKind::ModelFile) => 5,
    }
}
