//! `mercer check`: whether a kernel is valid: proved, tested on a table, or refuted.

use super::{Run, attach_grams, control, read_options};
use crate::Stop;
use crate::args::{Limits, Reading};
use crate::output::{notices, print};
use clap::Args;
use mercer::control::Control;
use mercer::data::Dataset;
use mercer::error::{Error, Result};
use mercer::kernels::KernelExpr;
use mercer::prep::Recipe;
use mercer::read::{Source, Table};
use mercer::validity::{self, Verdict};
use mercer::{fitting, report};
use std::path::Path;
use std::process::ExitCode;

const CHECK: &str = "\
Examples:
  mercer check 'rbf + 0.5*normalise(spectrum(k=3))'
  mercer check 'sigmoid(gamma=1, offset=-1)' example:iris
  mercer check 'clip(negative_distance)' wine.csv --target quality";

/// Check whether a kernel is valid (positive semi-definite): proved by rules, tested on a table, or refuted by rows.
#[derive(Debug, Args)]
#[command(after_help = CHECK)]
pub(crate) struct Check {
    /// Kernel such as "rbf - 0.5*linear".
    #[arg(allow_hyphen_values = true)]
    pub kernel: String,
    /// Table to test it on where no rule decides.
    pub table: Option<String>,
    /// Column to leave out: what would be predicted.
    #[arg(long, value_name = "COL")]
    pub target: Option<String>,
    #[command(flatten)]
    pub reading: Reading,
    /// Precomputed kernel matrix: COL holds the names of rows, FILE their kernel matrix (CSV with the names in
    /// header and first column, or NPY whose rows are called 0, 1, 2, ...). The kernel precomputed takes them.
    #[arg(long, value_name = "COL=FILE")]
    pub gram: Vec<String>,
    /// Make the rows that have one value in COL one row: its numbers become a set of vectors, which set_mean(rbf) takes.
    #[arg(long, value_name = "COL")]
    pub group_into: Option<String>,
    /// Do not standardise number columns (to mean 0 and standard deviation 1).
    #[arg(long)]
    pub no_standardise: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Seed of the sampled rows.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    #[command(flatten)]
    pub limits: Limits,
}

impl Run for Check {
    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        check(self, stop)
    }
}

fn check(args: &Check, stop: &Stop) -> Result<ExitCode> {
    // The exit code for a kernel that is refuted.
    const REFUTED: u8 = 1;
    let kernel = KernelExpr::parse(&args.kernel).map_err(|fault| match Path::new(&args.kernel).is_file() {
        true => Error::Data(format!("{0} is a file, and the kernel comes first: mercer check rbf {0}", args.kernel)),
        false => fault,
    })?;
    let control = control(&args.limits, false, stop);
    let data = args.table.as_deref().map(|table| prepared(&kernel, table, args, &control)).transpose()?;
    let verdict = validity::check(&kernel, data.as_ref(), &control, args.seed)?;
    let text = if args.json { report::validity_json(&kernel, &verdict)? } else { report::validity_text(&kernel, &verdict) };
    print(&format!("{text}\n"))?;
    Ok(if matches!(verdict, Verdict::Refuted { .. }) { ExitCode::from(REFUTED) } else { ExitCode::SUCCESS })
}

/// The table as the kernel would see it when a model is fitted.
fn prepared(kernel: &KernelExpr, path: &str, args: &Check, control: &Control) -> Result<Dataset> {
    let options = read_options(&args.reading)?;
    let mut table = Table::read_within(&Source::new(path), &options, control)?;
    attach_grams(&mut table, &args.gram, control)?;
    let target: Vec<String> = match &args.target {
        Some(one) => vec![one.clone()],
        None => table.own_target().to_vec(),
    };
    if let Some(column) = &args.group_into {
        table.group_into(column, &target, &options)?;
    }
    if !target.is_empty() {
        table.take_target(&target, &options)?;
    }
    let data = table.dataset(&options)?;
    notices(&table.notices());
    let recipe = Recipe { standardise: !args.no_standardise, ..Recipe::default() };
    Ok(fitting::prepare(&recipe, Some(kernel), &data)?.data)
}
