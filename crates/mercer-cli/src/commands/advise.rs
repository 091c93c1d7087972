//! `mercer advise`: which kernel, by rule and by measurement.

use super::{Role, Run, control, done, kernel, load};
use crate::Stop;
use crate::args::{Limits, Tabular};
use crate::output::{notices, print, width};
use clap::Args;
use mercer::compare::{self, Comparing};
use mercer::data::Examples;
use mercer::error::Result;
use mercer::metrics::Metric;
use mercer::report;
use std::process::ExitCode;

const ADVISE: &str = "\
Examples:
  mercer advise example:iris
  mercer advise wine.csv --target quality
  mercer advise wine.csv --target quality --kernel 'matern(nu=1.5)' --json";

/// Suggest a kernel for a table, and compare it with others by the leave-one-out predictions of ridge.
#[derive(Debug, Args)]
#[command(after_help = ADVISE)]
pub(crate) struct Advise {
    #[command(flatten)]
    pub table: Tabular,
    /// Column of sample weights: 2 means the row counts twice, 0 that it is absent.
    #[arg(long, value_name = "COL", help_heading = "What to learn")]
    pub weights: Option<String>,
    /// Metric for ranking, such as auc, f1 or mae; accuracy for classes and rmse for numbers if left out.
    #[arg(long, value_name = "NAME", help_heading = "How to judge")]
    pub metric: Option<String>,
    /// Seed of searches.
    #[arg(long, default_value_t = 0, value_name = "N", help_heading = "What to learn")]
    pub seed: u64,
    /// Print JSON.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Log progress to standard error.
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
    #[command(flatten)]
    pub limits: Limits,
}

impl Run for Advise {
    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        advise(self, stop).map(done)
    }
}

fn advise(args: &Advise, stop: &Stop) -> Result<()> {
    let asked = kernel(&args.table.inputs)?;
    let control = control(&args.limits, args.verbose, stop);
    let roles: Vec<Role<'_>> = args.weights.as_deref().map(Role::Weights).into_iter().collect();
    let loaded = load(&args.table, &roles, false, &control)?;
    notices(&loaded.notices);
    let metric = args.metric.as_deref().map(Metric::parse).transpose()?;
    let comparing = Comparing { prep: loaded.recipe.clone(), kernel: asked, seed: args.seed, metric, ..Comparing::new(Vec::new()) };
    let examples = Examples { data: &loaded.data, target: &loaded.target, weights: loaded.weights.as_deref(), split: &loaded.split };
    let advice = compare::advise(&examples, &comparing, &control)?;
    drop(control);
    let text = if args.json { report::advice_json(&advice)? } else { report::advice_text(&advice, width()) };
    print(&format!("{text}\n"))
}
