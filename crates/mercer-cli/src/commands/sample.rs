//! `mercer sample`: new rows drawn from a generative model.

use super::{Run, bounds, done};
use crate::Stop;
use crate::args::bytes;
use crate::output::{check_writable, print};
use clap::Args;
use mercer::error::Result;
use mercer::{report, store};
use std::path::PathBuf;
use std::process::ExitCode;

const SAMPLE: &str = "\
Examples:
  mercer fit strings.csv --estimator 'density(hmm(states=3))' -o strings.mercer
  mercer sample strings.mercer --rows 20 --seed 1 -o drawn.csv";

/// Draw new rows from a model of density or bayes; CSV on standard output or in a file.
///
/// Of bayes the class is drawn first, by its prior. Strings and series have the length that the parameter length of their model says.
#[derive(Debug, Args)]
#[command(after_help = SAMPLE)]
pub(crate) struct Sample {
    /// Model file.
    pub model: PathBuf,
    /// Rows to draw.
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub rows: u32,
    /// Seed: the same seed draws the same rows.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// CSV file to write; standard output if left out.
    #[arg(short, long, value_name = "F.csv")]
    pub output: Option<PathBuf>,
    /// Memory limit of the process, such as 4GB; 80% of the free memory if left out.
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Limits")]
    pub max_memory: Option<u64>,
}

impl Run for Sample {
    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        sample(self, stop).map(done)
    }
}

fn sample(args: &Sample, stop: &Stop) -> Result<()> {
    if let Some(path) = &args.output {
        check_writable(path, &[&args.model])?;
    }
    let model = store::load_within(&args.model, &bounds(args.max_memory, stop))?;
    let csv = report::drawn_rows_csv(&model, &model.draw_rows(args.rows as usize, args.seed)?)?;
    match &args.output {
        Some(path) => store::write_atomically(path, csv.as_bytes()),
        None => print(&csv),
    }
}
