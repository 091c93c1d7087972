//! `mercer check`: whether a kernel is valid: proved, tested on a table, or refuted.

use super::{attach_grams, control, read_options};
use crate::Stop;
use crate::args::Check;
use crate::output::{notices, print};
use mercer::control::Control;
use mercer::data::Dataset;
use mercer::error::Result;
use mercer::kernels::KernelExpr;
use mercer::prep::Recipe;
use mercer::read::{Source, Table};
use mercer::validity::{self, Verdict};
use mercer::{fitting, report};
use std::process::ExitCode;

/// The exit code for a kernel that is refuted.
const REFUTED: u8 = 1;

pub(crate) fn check(args: &Check, stop: &Stop) -> Result<ExitCode> {
    let kernel = KernelExpr::parse(&args.kernel)?;
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
    if !target.is_empty() {
        table.take_target(&target, &options)?;
    }
    let data = table.dataset(&options)?;
    notices(&table.notices());
    let recipe = Recipe { standardise: !args.no_standardise, ..Recipe::default() };
    Ok(fitting::prepare(&recipe, Some(kernel), &data)?.data)
}
