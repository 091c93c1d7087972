//! `mercer plan`: what a comparison would take, without doing it.

use super::{Run, control, done, estimators, kernel, load, metric};
use crate::Stop;
use crate::args::Learning;
use crate::output::{notices, print};
use clap::Args;
use mercer::compare::{self, Comparing};
use mercer::data::Examples;
use mercer::error::Result;
use mercer::estimators::EstimatorExpr;
use mercer::report;
use std::process::ExitCode;

const PLAN: &str = "\
Examples:
  mercer plan big.csv --target y
  mercer plan big.csv --target y --max-seconds 60 --max-memory 2GB";

/// Say what a comparison of this table would take: rows, memory and time of each estimator.
#[derive(Debug, Args)]
#[command(after_help = PLAN)]
pub(crate) struct Plan {
    #[command(flatten)]
    pub learning: Learning,
    /// Estimators such as "svc(c=1), ridge"; all that can predict the target if left out.
    #[arg(long, alias = "estimator", value_name = "A,B", help_heading = "What to learn")]
    pub estimators: Vec<String>,
    /// Folds of the cross-validation.
    #[arg(long, default_value_t = 5, value_name = "N", help_heading = "How to judge")]
    pub folds: usize,
}

impl Run for Plan {
    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        plan(self, stop).map(done)
    }
}

fn plan(args: &Plan, stop: &Stop) -> Result<()> {
    let learning = &args.learning;
    let asked = estimators(&args.estimators)?;
    let kernel = kernel(&learning.table)?;
    let control = control(&learning.limits, learning.verbose, stop);
    let loaded = load(&learning.table, &[], false, &control)?;
    notices(&loaded.notices);
    let estimators = match asked {
        Some(list) => list,
        None => EstimatorExpr::all_for(&loaded.target)?,
    };
    let comparing = Comparing {
        prep: loaded.recipe.clone(),
        kernel,
        folds: args.folds,
        seed: learning.seed,
        allow_non_mercer: learning.allow_non_mercer,
        metric: metric(learning)?,
        sample: learning.sample,
        ..Comparing::new(estimators)
    };
    let examples = Examples { data: &loaded.data, target: &loaded.target, weights: None, split: &loaded.split };
    let plan = compare::plan(&examples, &comparing, &control)?;
    drop(control);
    print(&format!("{}\n", report::plan_text(&plan)))
}
