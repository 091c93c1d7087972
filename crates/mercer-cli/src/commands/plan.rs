//! `mercer plan`: what a comparison would take, without doing it.

use super::{Run, comparing, control, done, estimators, kernel, load};
use crate::Stop;
use crate::args::Contest;
use crate::output::{notices, print};
use clap::Args;
use mercer::compare;
use mercer::data::Examples;
use mercer::error::Result;
use mercer::report;
use std::process::ExitCode;

const PLAN: &str = "\
Examples:
  mercer plan big.csv --target y
  mercer plan big.csv --target y --max-seconds 60 --max-memory 2GB";

/// Estimate the cost of a comparison on this table: rows, memory and time of each estimator.
#[derive(Debug, Args)]
#[command(after_help = PLAN)]
pub(crate) struct Plan {
    #[command(flatten)]
    pub contest: Contest,
}

impl Run for Plan {
    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        plan(self, stop).map(done)
    }
}

fn plan(args: &Plan, stop: &Stop) -> Result<()> {
    let learning = &args.contest.learning;
    let asked = estimators(&args.contest.estimators)?;
    let kernel = kernel(&learning.table.inputs)?;
    let control = control(&learning.limits, learning.verbose, stop);
    let loaded = load(&learning.table, &[], false, &control)?;
    notices(&loaded.notices);
    let comparing = comparing(&args.contest, kernel, asked, &loaded)?;
    let examples = Examples { data: &loaded.data, target: &loaded.target, weights: None, split: &loaded.split };
    let plan = compare::plan(&examples, &comparing, &control)?;
    drop(control);
    print(&format!("{}\n", report::plan_text(&plan)))
}
