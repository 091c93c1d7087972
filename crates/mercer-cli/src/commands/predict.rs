//! `mercer predict`: one CSV line per row of the table.

use super::{Run, attach_grams, bounds, done, kept_columns, options_like};
use crate::Stop;
use crate::args::{Reading, bytes, fraction};
use crate::output::{check_writable, notices, print};
use clap::Args;
use mercer::conformal::Conformal;
use mercer::control::Control;
use mercer::error::{Error, Result};
use mercer::estimators::those_that_give;
use mercer::learner::{Model, PreImageMethod};
use mercer::read::{Batch, Batches, Fact, ReadOptions, Source, Table, Topic};
use mercer::report::{DeviationOf, PredictedTable, PredictionColumns, drawn_columns, pre_image_columns, predict_csv, states_csv};
use mercer::store;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const PREDICT: &str = "\
Examples:
  mercer predict wine.mercer new.csv -o predicted.csv
  mercer predict wine.mercer new.csv --keep id,region -o predicted.csv
  mercer predict wine.mercer new.csv --std --interval 0.9 | head
  mercer predict phases.mercer new.jsonl --states -o states.csv
  mercer predict wine.mercer new.csv --std=target,mean -o deviations.csv
  mercer predict wave.mercer new.csv --samples 5 --seed 1 -o functions.csv
  mercer predict digits.mercer noisy.csv --pre-images fixed_point -o clean.csv";

/// Predict every row of a table with a model file; CSV on standard output or in a file.
#[derive(Debug, Args)]
#[command(after_help = PREDICT)]
pub(crate) struct Predict {
    /// Model file.
    pub model: PathBuf,
    /// Table with the columns that the model was fitted on, in any order; - for standard input. Several files are joined.
    #[arg(required = true)]
    pub table: Vec<String>,
    #[command(flatten)]
    pub reading: Reading,
    /// Precomputed kernel values of the rows, if the model uses some: COL=FILE as for fit, with the training rows among the names.
    #[arg(long, value_name = "COL=FILE")]
    pub gram: Vec<String>,
    /// Table columns to copy to the left of the predictions, separated by commas; or all.
    #[arg(long, value_name = "COL[,COL]|all")]
    pub keep: Option<String>,
    /// CSV file to write; standard output if left out.
    #[arg(short, long, value_name = "F.csv")]
    pub output: Option<PathBuf>,
    #[arg(
        long,
        value_name = "target|mean",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "target",
        value_delimiter = ',',
        help = format!(
            "Add the predictive standard deviation of a new target; --std=mean: of the predicted function alone, without the noise of a target; \
             --std=target,mean: both ({})",
            those_that_give(&|gives| gives.variance)
        )
    )]
    pub std: Vec<DeviationOf>,
    /// Add the ends of the interval that holds a new target with probability P, such as 0.9; of classes the prediction set, such as a|b:
    /// conformal by the scores that 'fit --intervals' and 'compare --save' store, else by the normal distribution, of whatever has --std.
    #[arg(long, value_name = "P", value_parser = fraction)]
    pub interval: Option<f64>,
    #[arg(long, help = format!("Add the probability of each class ({})", those_that_give(&|gives| gives.probabilities)))]
    pub probabilities: bool,
    /// Write the hidden states of each row instead: the most probable path (Viterbi) and the probability of each state at each time, one line for
    /// each time (density and bayes of hmm, gaussian_hmm and gaussian_mixture).
    #[arg(long, conflicts_with_all = ["std", "interval", "probabilities", "samples", "pre_images"])]
    pub states: bool,
    /// Add N functions drawn from the posterior, without noise, to the left of the predictions (gp for regression).
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub samples: Option<u32>,
    /// Seed of the drawn functions.
    #[arg(long, value_name = "SEED", default_value_t = 0, requires = "samples")]
    pub seed: u64,
    /// Add to the left of the predictions the row of the table's columns that fits best what the components make of each (kernel_pca):
    /// fixed_point or distances under a Gaussian kernel of numbers, nearest, the training row, under any.
    #[arg(long, value_name = "METHOD")]
    pub pre_images: Option<PreImageMethod>,
    /// Read the table in batches, so that it need not fit in memory: CSV, JSON lines, LIBSVM's text, NPY and Parquet;
    /// taken where a table is larger than memory.
    #[arg(long, conflicts_with = "gram", help_heading = "Limits")]
    pub batches: bool,
    /// Memory limit of the process, such as 4GB; 80% of the free memory if left out.
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Limits")]
    pub max_memory: Option<u64>,
}

impl Run for Predict {
    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        predict(self, stop).map(done)
    }
}

fn predict(args: &Predict, stop: &Stop) -> Result<()> {
    if let Some(path) = &args.output {
        let read = args.table.iter().map(Path::new).chain([args.model.as_path()]).collect::<Vec<_>>();
        check_writable(path, &read)?;
    }
    let control = bounds(args.max_memory, stop);
    let model = store::load_within(&args.model, &control)?;
    let options = options_like(&args.reading, &model.prep.schema)?;
    if args.batches {
        return predict_in_batches(args, &model, &options, &control);
    }
    let mut table = match Table::read_within(&Source::of_words(&args.table), &options, &control) {
        Err(error @ Error::TooLarge { .. }) => {
            notices(&[format!("{error}: read in batches (--batches)")]);
            return predict_in_batches(args, &model, &options, &control);
        }
        table => table?,
    };
    let PredictedTable { csv, notices: of_rows } = predicted(args, &model, &mut table, &options, &control)?;
    notices(&of_rows);
    match &args.output {
        Some(path) => store::write_atomically(path, csv.as_bytes()),
        None => print(&csv),
    }
}

/// What is written for the rows of a table, or of a batch of one.
fn predicted(args: &Predict, model: &Model, table: &mut Table, options: &ReadOptions, control: &Control) -> Result<PredictedTable> {
    table.group_like(&model.prep.schema)?;
    let mut kept = kept_columns(table, args.keep.as_deref())?;
    let group_column = model.conformal.as_ref().filter(|_| args.interval.is_some()).and_then(Conformal::group_column);
    let groups = group_column.map(|column| table.texts(&[column.to_owned()])).transpose()?;
    let groups = groups.and_then(|columns| columns.into_iter().next()).map(|(_, labels)| labels);
    attach_grams(table, &args.gram, control)?;
    let data = table.dataset_like(&model.prep.schema, options);
    // Whether kernel values are distances was settled in training.
    let sentences: Vec<String> =
        table.facts().iter().filter(|fact| !fact.plain && fact.topic != Topic::Distances).map(Fact::sentence).collect();
    notices(&sentences);
    let data = data?;
    notices(&model.prep.tell(&data));
    if let Some(count) = args.samples {
        kept.extend(drawn_columns(model, &data, count as usize, args.seed, control)?);
    }
    if let Some(method) = args.pre_images {
        let (found, unfinished) = pre_image_columns(model, &data, method, control)?;
        kept.extend(found);
        if unfinished > 0 {
            notices(&[format!("{unfinished} rows are like no training row, or their pre-image was not found in the steps allowed")]);
        }
    }
    let columns = PredictionColumns { std: args.std.clone(), interval: args.interval, groups, probabilities: args.probabilities };
    if args.states { states_csv(model, &data, &kept, control) } else { predict_csv(model, &data, &columns, &kept, control) }
}

/// Predictions of a table that is read batch by batch, written whole or not at all where they go to a file.
fn predict_in_batches(args: &Predict, model: &Model, options: &ReadOptions, control: &Control) -> Result<()> {
    let batches = Batches::open(&Source::of_words(&args.table), options, control)?;
    let each = |write: &mut dyn FnMut(&str) -> Result<()>| {
        let mut said = HashSet::new();
        batches.each(control, |Batch { number, mut table }| {
            let found = predicted(args, model, &mut table, options, control).map_err(|error| table.in_file(error))?;
            notices(&found.notices.into_iter().filter(|notice| said.insert(notice.clone())).collect::<Vec<_>>());
            let header = if number == 0 { 0 } else { found.csv.find('\n').map_or(0, |end| end + 1) };
            write(&found.csv[header..])
        })
    };
    match &args.output {
        Some(path) => store::write_piece_by_piece(path, |file| {
            each(&mut |text| file.write_all(text.as_bytes()).map_err(|e| Error::io(path.display(), e)))
        }),
        None => each(&mut |text| print(text)),
    }
}
