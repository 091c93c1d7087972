//! `mercer check`: whether a kernel is valid: proved, tested on a table, or refuted.

use super::control;
use crate::Stop;
use crate::args::Check;
use crate::output::{notices, print};
use mercer::data::Dataset;
use mercer::error::Result;
use mercer::kernels::KernelExpr;
use mercer::prep::Recipe;
use mercer::read::{ReadOptions, Source, Table, example};
use mercer::validity::{self, Verdict};
use mercer::{learner, report};
use std::process::ExitCode;

/// The exit code for a kernel that is refuted.
const REFUTED: u8 = 1;

pub(crate) fn check(args: &Check, stop: &Stop) -> Result<ExitCode> {
    let kernel = KernelExpr::parse(&args.kernel)?;
    let data = args.table.as_deref().map(|table| prepared(&kernel, table, args)).transpose()?;
    let verdict = validity::check(&kernel, data.as_ref(), &control(&args.limits, stop), args.seed)?;
    let text = if args.json { report::validity_json(&kernel, &verdict)? } else { report::validity_text(&kernel, &verdict) };
    print(&format!("{text}\n"))?;
    Ok(if matches!(verdict, Verdict::Refuted { .. }) { ExitCode::from(REFUTED) } else { ExitCode::SUCCESS })
}

/// The table as the kernel would see it when a model is fitted.
fn prepared(kernel: &KernelExpr, path: &str, args: &Check) -> Result<Dataset> {
    let options = ReadOptions::with_types(&args.types)?;
    let mut table = Table::read(&Source::new(path))?;
    let example = path.strip_prefix("example:").map(example).transpose()?;
    if let Some(target) = args.target.as_deref().or(example.map(|e| e.target)) {
        table.take_target(&[target], &options)?;
    }
    let data = table.dataset(&options)?;
    notices(table.notices());
    let recipe = Recipe { standardise: !args.no_standardise, ..Recipe::default() };
    Ok(learner::prepare(&recipe, Some(kernel), &data)?.data)
}
