//! `mercer explain`: the parts of rows that a model answers by.

use super::{Run, bounds, done, options_like};
use crate::Stop;
use crate::args::{Reading, bytes, positive};
use crate::output::{notices, print, width};
use clap::Args;
use mercer::data::{Column, ColumnKind, Dataset, Strings, Values};
use mercer::error::{Error, Result};
use mercer::learner::{Masking, Model};
use mercer::read::{Source, Table};
use mercer::{report, store};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXPLAIN: &str = "\
Examples:
  mercer explain splice.mercer CCAGCTGCATCACAGGAGGCCAGCGAGCAGGTCTGTTCC
  mercer explain splice.mercer new.csv --row 3
  mercer explain splice.mercer new.csv";

/// Show which parts of its rows a model answers by: letters of sequences, words of texts, times of series, nodes and edges of graphs,
/// subtrees of trees, members of sets. Each is masked in turn, and the answer compared.
#[derive(Debug, Args)]
#[command(after_help = EXPLAIN)]
pub(crate) struct Explain {
    /// Model file.
    pub model: PathBuf,
    /// A sequence, if the model reads nothing else; or a table with the columns that the model was fitted on, - for standard input.
    pub row: String,
    /// Number of the row of the table, from 1; without it, the parts of most effect over 200 rows, drawn from each predicted class by turns.
    #[arg(long = "row", value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub number: Option<u32>,
    /// Letters, words or times that are masked together: 4 to 6 letters of a sequence, 1 word of a text, a tenth of a series if left out.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub width: Option<u32>,
    #[command(flatten)]
    pub reading: Reading,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Memory limit of the process, such as 4GB; 80% of the free memory if left out.
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Limits")]
    pub max_memory: Option<u64>,
    /// Time limit in seconds: the rows that were masked by then count.
    #[arg(long, value_name = "S", value_parser = positive, help_heading = "Limits")]
    pub max_seconds: Option<f64>,
}

impl Run for Explain {
    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        explain(self, stop).map(done)
    }
}

/// A row of the one string that the model reads.
fn typed(model: &Model, text: &str) -> Result<Dataset> {
    match model.prep.schema.columns.as_slice() {
        [one] if matches!(one.holds.kind(), ColumnKind::Sequence | ColumnKind::Text) => {
            let strings = Strings::new([text]);
            let values = if one.holds.kind() == ColumnKind::Text { Values::Texts(strings) } else { Values::Sequences(strings) };
            Dataset::new(vec![Column { name: one.name.clone(), values }])
        }
        columns => Err(Error::Data(format!(
            "there is no file '{text}', and a sequence can be typed only for a model that reads one string and nothing else; this one reads {}: give a table and --row",
            columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ")
        ))),
    }
}

fn explain(args: &Explain, stop: &Stop) -> Result<()> {
    let control = bounds(args.max_memory, stop);
    let control = args.max_seconds.map_or(control.clone(), |seconds| control.with_seconds(seconds));
    let model = store::load_within(&args.model, &control)?;
    let (data, row) = if args.row == "-" || Path::new(&args.row).exists() {
        let options = options_like(&args.reading, &model.prep.schema)?;
        let mut table = Table::read_within(&Source::new(&args.row), &options, &control)?;
        table.group_like(&model.prep.schema)?;
        let data = table.dataset_like(&model.prep.schema, &options);
        notices(&table.notices());
        let data = data?;
        notices(&model.prep.tell(&data));
        (data, args.number.map(|number| number as usize - 1))
    } else {
        (typed(&model, &args.row)?, Some(0))
    };
    let width_of_parts = args.width.map(|w| w as usize);
    if let Some(row) = row.filter(|row| *row >= data.rows()) {
        return Err(Error::Setting {
            name: "--row".into(),
            why: format!("the table has {} rows, and row {} is asked for", data.rows(), row + 1),
        });
    }
    let text = match row {
        Some(row) => {
            let explanation = model.explain(&data, row, width_of_parts, &control)?;
            if args.json { report::explanation_json(&explanation)? + "\n" } else { report::explanation_text(&explanation, width()) }
        }
        None => {
            let all = model.influences(&data, &Masking { width: width_of_parts, ..Masking::default() }, &control)?;
            if args.json { report::influences_json(&all)? + "\n" } else { report::influences_text(&all) }
        }
    };
    print(&text)
}
