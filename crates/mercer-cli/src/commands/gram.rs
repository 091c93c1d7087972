//! `mercer gram`: the kernel matrix of a table, or between two tables, as an NPY file.

use super::{Run, control, done, kernel, load, options_like};
use crate::Stop;
use crate::args::{Limits, Tabular, bytes, positive};
use crate::output::{check_writable, notices, print};
use clap::Args;
use mercer::error::Result;
use mercer::read::{Source, Table};
use mercer::report::gram_plan;
use mercer::{fitting, gram, npy, store, trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const GRAM: &str = "\
Examples:
  mercer gram wine.csv --target quality --kernel 'rbf(length_scale=2)' -o K.npy
  mercer gram train.csv --kernel 'normalise(spectrum(k=4))' \\
    --rows new.csv -o K_new.npy";

/// Write the kernel matrix of a table, or between two tables, as an NPY file.
#[derive(Debug, Args)]
#[command(after_help = GRAM)]
pub(crate) struct Gram {
    #[command(flatten)]
    pub table: Tabular,
    /// Second table: its rows become the rows of the matrix, those of TABLE its columns.
    #[arg(long, value_name = "TABLE")]
    pub rows: Option<String>,
    /// NPY file to write.
    #[arg(short, long, value_name = "K.npy", help_heading = "Output")]
    pub output: PathBuf,
    /// Memory limit of the process, such as 4GB; 80% of the free memory if left out.
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Limits")]
    pub max_memory: Option<u64>,
    /// Time limit in seconds, after which nothing is written.
    #[arg(long, value_name = "S", value_parser = positive, help_heading = "Limits")]
    pub max_seconds: Option<f64>,
}

impl Run for Gram {
    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        gram(self, stop).map(done)
    }
}

fn gram(args: &Gram, stop: &Stop) -> Result<()> {
    // Seconds of work from which it is announced before it begins.
    const WORTH_SAYING: f64 = 5.0;
    let asked = kernel(&args.table.inputs)?;
    let mut read = args.table.table.paths();
    read.extend(args.rows.iter().map(Path::new));
    check_writable(&args.output, &read)?;
    let limits = Limits { max_memory: args.max_memory, max_seconds: args.max_seconds };
    let control = control(&limits, false, stop);
    let loaded = load(&args.table, &[], true, &control)?;
    notices(&loaded.notices);
    let recipe = &loaded.recipe;
    let kept = recipe.rows_kept(&loaded.data)?;
    notices(&kept.notices);
    let data = kept.rows.map_or_else(|| loaded.data.clone(), |rows| loaded.data.select(&rows));
    let prepared = fitting::prepare(recipe, asked.as_ref(), &data)?;
    notices(&prepared.notices);
    let settled = prepared.kernel.settle(&prepared.data)?;
    let announce = |others: Option<usize>| {
        let seconds = trial::gram_seconds(&settled, &prepared.data, others, &control);
        if seconds > WORTH_SAYING {
            let (rows, cols) = (others.unwrap_or(prepared.data.rows()), prepared.data.rows());
            stop.screen.suspend(|| eprintln!("plan: {}", gram_plan(rows, cols, seconds)));
        }
    };
    let bound = match &args.rows {
        None => {
            announce(None);
            settled.bind_within(None, &prepared.data, &control)?
        }
        Some(rows) => {
            let options = options_like(&args.table.inputs.reading, &prepared.prep.schema)?;
            let mut table = Table::read_within(&Source::new(rows), &options, &control)?;
            table.group_like(&prepared.prep.schema)?;
            let new = table.dataset_like(&prepared.prep.schema, &options).inspect_err(|_| notices(&table.notices()))?;
            notices(&table.notices());
            notices(&prepared.prep.tell(&new));
            announce(Some(new.rows()));
            settled.bind_within(Some(&prepared.prep.apply(&new)?), &prepared.data, &control)?
        }
    };
    let matrix = gram::dense(bound.as_ref(), &control)?;
    store::write_atomically(&args.output, &npy::write(&matrix))?;
    let (rows, cols) = (matrix.rows(), matrix.cols());
    print(&format!("kernel       {settled}\nmatrix       {rows} x {cols}, float64\nwritten: {}\n", args.output.display()))
}
