//! The command line: words in, library calls, words out. All thinking is in the library.

mod args;
mod commands;
mod output;
mod progress;

use args::Arguments;
use clap::Parser;
use indicatif::MultiProgress;
use mercer::control::{CancelFlag, contain, keep_panics_quiet, with_threads};
use mercer::error::{Error, ErrorKind, Result};
use std::process::ExitCode;

/// How the user asks the work to end: the flags that ctrl-C raises, one after the other.
#[derive(Clone, Default)]
pub(crate) struct Stop {
    /// End with the best so far.
    stop_early: CancelFlag,
    /// End at once, nothing written.
    cancel: CancelFlag,
    /// Where progress is drawn; what is written to standard error meanwhile is written above it.
    screen: MultiProgress,
}

fn main() -> ExitCode {
    keep_panics_quiet();
    let arguments = Arguments::parse();
    let stop = Stop::default();
    stop_on_ctrl_c(stop.clone(), arguments.command.has_best_so_far());
    let outcome = contain("the command", || run(&arguments, &stop)).map_err(|error| match error {
        Error::Time { .. } | Error::Stopped { .. } if stop.stop_early.is_cancelled() => Error::Cancelled,
        other => other,
    });
    match outcome {
        Ok(_) if stop.stop_early.is_cancelled() => {
            eprintln!("mercer: stopped on request; what was found by then is written");
            ExitCode::from(STOPPED)
        }
        Ok(code) => code,
        Err(error) => {
            eprintln!("mercer: {error}");
            ExitCode::from(exit_code(&error))
        }
    }
}

fn run(arguments: &Arguments, stop: &Stop) -> Result<ExitCode> {
    with_threads(arguments.threads, || arguments.command.run(stop))?
}

/// The first ctrl-C, or signal to end the process, asks for the best so far where there may be one, the next asks to stop and leave
/// nothing half-written; one more ends the process.
fn stop_on_ctrl_c(stop: Stop, has_best: bool) {
    let asked = move || {
        if stop.cancel.is_cancelled() {
            std::process::exit(STOPPED.into());
        }
        if !has_best || stop.stop_early.is_cancelled() {
            stop.cancel.cancel();
        } else {
            stop.screen.suspend(|| {
                eprintln!("mercer: coming to an end with the best so far; ctrl-C again stops at once and writes nothing");
            });
            stop.stop_early.cancel();
        }
    };
    #[cfg(unix)]
    if let Err(e) = stop_on_termination(asked.clone()) {
        eprintln!("mercer: a signal to end the process will do so at once: {e}");
    }
    if let Err(e) = ctrlc::set_handler(asked) {
        eprintln!("mercer: ctrl-C will end the process at once: {e}");
    }
}

/// SIGTERM, by which batch systems, containers and `timeout` end a process.
#[cfg(unix)]
fn stop_on_termination(asked: impl Fn() + Send + 'static) -> std::io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM])?;
    std::thread::spawn(move || signals.forever().for_each(|_| asked()));
    Ok(())
}

/// The exit code where memory or time did not suffice.
pub(crate) const OUT_OF_RESOURCES: u8 = 4;

/// The exit code after ctrl-C and SIGTERM.
const STOPPED: u8 = 130;

/// The exit codes that `mercer --help` documents.
fn exit_code(error: &Error) -> u8 {
    match (error, error.kind()) {
        (Error::Cancelled, _) => STOPPED,
        (_, ErrorKind::Expression) => 2,
        (_, ErrorKind::Data) => 3,
        (_, ErrorKind::Resource) => OUT_OF_RESOURCES,
        (_, ErrorKind::ModelFile) => 5,
        // EX_SOFTWARE of sysexits.h.
        (_, ErrorKind::Internal) => 70,
    }
}
