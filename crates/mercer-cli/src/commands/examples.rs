//! `mercer examples`: the built-in tables.

use super::{Run, done};
use crate::Stop;
use crate::output::print;
use clap::Args;
use mercer::error::Result;
use mercer::read::{EXAMPLES, example};
use std::process::ExitCode;

/// List the built-in tables, or print one as CSV.
#[derive(Debug, Args)]
pub(crate) struct Examples {
    /// Table to print as CSV; the list of tables if left out.
    pub name: Option<String>,
}

impl Run for Examples {
    fn run(&self, _: &Stop) -> Result<ExitCode> {
        examples(self).map(done)
    }
}

fn examples(args: &Examples) -> Result<()> {
    match &args.name {
        Some(name) => print(&example(name)?.csv()),
        None => {
            let lines = EXAMPLES.iter().map(|e| format!("example:{} (target {})\n  {}\n", e.name, e.target, e.about));
            print(&lines.collect::<String>())
        }
    }
}
