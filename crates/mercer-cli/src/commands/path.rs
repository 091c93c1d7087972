//! `mercer path`: all solutions of a two-class support vector machine, for every penalty C.

use super::{Role, Run, command_line, control, done, kernel, load};
use crate::Stop;
use crate::args::{Limits, Tabular};
use crate::output::{check_writable, notices, print, width};
use clap::Args;
use mercer::data::Examples;
use mercer::error::Result;
use mercer::estimators::ClassWeight;
use mercer::learner::{PathSettings, TablePath};
use mercer::report::PathReport;
use mercer::store::write_atomically;
use std::path::PathBuf;
use std::process::ExitCode;

const PATH: &str = "\
Examples:
  mercer path heart.csv --target disease --report path.html
  mercer path heart.csv --target disease --kernel 'rbf(length_scale=2)' --c 1,10
  mercer path spam.csv --target spam --balanced --json";

/// Compute the regularisation path of a two-class support vector machine: its solution for every penalty C.
///
/// Coefficients are linear in 1/C between breakpoints. Ctrl-C and --max-seconds leave the path until then.
#[derive(Debug, Args)]
#[command(name = "path", after_help = PATH)]
pub(crate) struct Path {
    #[command(flatten)]
    pub table: Tabular,
    /// Penalties to report; if left out, the C of the first and last breakpoint and of the least errors.
    #[arg(long, value_name = "C", value_delimiter = ',', allow_negative_numbers = true, help_heading = "What to learn")]
    pub c: Vec<f64>,
    /// End the path at this C.
    #[arg(long, value_name = "C", allow_negative_numbers = true, help_heading = "What to learn")]
    pub most_c: Option<f64>,
    /// Column of sample weights: 2 means the row counts twice, 0 that it is absent.
    #[arg(long, value_name = "COL", help_heading = "What to learn")]
    pub weights: Option<String>,
    /// Give both classes equal total weight.
    #[arg(long, help_heading = "What to learn")]
    pub balanced: bool,
    /// Folds of the cross-validation for the held-out error along C; 0: none.
    #[arg(long, default_value_t = 5, value_name = "N", help_heading = "How to judge")]
    pub folds: usize,
    /// Seed of the folds.
    #[arg(long, default_value_t = 0, value_name = "N", help_heading = "How to judge")]
    pub seed: u64,
    /// Print JSON: every breakpoint, and the support vectors at each --c.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Write a page: coefficients, rows on the margin and errors along C.
    #[arg(long, value_name = "F.html", help_heading = "Output")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub limits: Limits,
}

impl Run for Path {
    const BEST_SO_FAR: bool = true;

    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        path(self, stop).map(done)
    }
}

fn path(args: &Path, stop: &Stop) -> Result<()> {
    let kernel = kernel(&args.table.inputs)?;
    if let Some(path) = &args.report {
        check_writable(path, &args.table.table.paths())?;
    }
    let control = control(&args.limits, false, stop);
    let roles: Vec<Role<'_>> = args.weights.as_deref().map(Role::Weights).into_iter().collect();
    let loaded = load(&args.table, &roles, false, &control)?;
    notices(&loaded.notices);
    let settings = PathSettings {
        prep: loaded.recipe.clone(),
        kernel,
        class_weight: if args.balanced { ClassWeight::Balanced } else { ClassWeight::None },
        most_c: args.most_c.unwrap_or(f64::INFINITY),
        folds: args.folds,
        seed: args.seed,
    };
    let examples = Examples { data: &loaded.data, target: &loaded.target, weights: loaded.weights.as_deref(), split: &loaded.split };
    let found = TablePath::of(&examples, &settings, &control)?;
    notices(&found.notices.iter().map(ToString::to_string).collect::<Vec<_>>());
    let table = args.table.table.source().to_string();
    let report = PathReport { found: &found, table: &table, penalties: &args.c };
    let text = if args.json { report.json()? } else { report.text(width())? };
    if let Some(path) = &args.report {
        write_atomically(path, report.html(&command_line(), &control.last_step())?.as_bytes())?;
    }
    let written = args.report.as_ref().filter(|_| !args.json).map_or(String::new(), |path| format!("\nwritten: {}", path.display()));
    print(&format!("{text}{written}\n"))
}
