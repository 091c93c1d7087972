//! `mercer worker`: runs trials of a comparison for another process, which it reads from standard input and answers on standard output.

use super::{Run, done};
use crate::Stop;
use clap::Args;
use mercer::compare::work;
use mercer::error::Result;
use std::io::{stdin, stdout};
use std::process::ExitCode;

/// Run trials that another mercer process sends.
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct Worker {}

impl Run for Worker {
    fn run(&self, _: &Stop) -> Result<ExitCode> {
        work(stdin(), stdout()).map(done)
    }
}
