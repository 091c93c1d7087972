//! `mercer verify`: whether a model is the optimum of its problem on the table that it was fitted to.

use super::{Run, attach_grams, bounds, options_like};
use crate::Stop;
use crate::args::{Reading, bytes};
use crate::output::{notices, print};
use clap::Args;
use mercer::error::{Error, Result};
use mercer::learner::Condition;
use mercer::read::{Fact, Source, Table};
use mercer::{report, store};
use std::path::PathBuf;
use std::process::ExitCode;

const VERIFY: &str = "\
Examples:
  mercer verify wine.mercer wine.csv
  mercer verify wine.mercer wine.csv --weights count --json";

/// Compute the optimality conditions of a model anew, from its coefficients and its training table: duality gap and violations.
///
/// By none of the code that fitted it. Exit code 1 where a condition is missed.
#[derive(Debug, Args)]
#[command(after_help = VERIFY)]
pub(crate) struct Verify {
    /// Model file.
    pub model: PathBuf,
    /// The table that the model was fitted to, with its target.
    pub table: String,
    /// Column of row weights, where the fit had one.
    #[arg(long, value_name = "COL")]
    pub weights: Option<String>,
    #[command(flatten)]
    pub reading: Reading,
    /// Precomputed kernel matrices, as the fit had them.
    #[arg(long, value_name = "COL=FILE")]
    pub gram: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Memory limit of the process, such as 4GB; 80% of the free memory if left out.
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Limits")]
    pub max_memory: Option<u64>,
}

impl Run for Verify {
    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        // The exit code for a model that is no optimum.
        const MISSED: u8 = 1;
        verify(self, stop).map(|is_met| if is_met { ExitCode::SUCCESS } else { ExitCode::from(MISSED) })
    }
}

/// Whether every condition is met.
fn verify(args: &Verify, stop: &Stop) -> Result<bool> {
    let control = bounds(args.max_memory, stop);
    let model = store::load_within(&args.model, &control)?;
    let info = model.answer.target();
    if info.names.is_empty() {
        return Err(Error::Data(format!(
            "{} was fitted without a target and solves no problem that can be verified",
            model.estimator.name()
        )));
    }
    let mut options = options_like(&args.reading, &model.prep.schema)?;
    options.names.extend(info.names.iter().cloned());
    let mut table = Table::read_within(&Source::new(&args.table), &options, &control)?;
    attach_grams(&mut table, &args.gram, &control)?;
    table.group_like(&model.prep.schema)?;
    let weights = args.weights.as_deref().map(|name| table.take_weights(name)).transpose()?;
    let target = table.take_target_like(&info)?;
    let data = table.dataset_like(&model.prep.schema, &options);
    notices(&table.facts().iter().filter(|fact| !fact.plain).map(Fact::sentence).collect::<Vec<_>>());
    let conditions = model.verify(&data?, &target, weights.as_deref(), &control)?;
    let text = match args.json {
        true => report::verification_json(&model, &conditions)?,
        false => report::verification_text(&model, &conditions),
    };
    print(&format!("{text}\n"))?;
    Ok(conditions.iter().all(Condition::is_met))
}
