//! `mercer predict`: one CSV line per row of the table.

use super::{attach_grams, bounds, read_options};
use crate::Stop;
use crate::args::Predict;
use crate::output::{check_writable, notices, print};
use mercer::error::Result;
use mercer::read::{Source, Table, parted};
use mercer::report::{PredictionColumns, predict_csv};
use mercer::store;
use std::path::Path;

pub(crate) fn predict(args: &Predict, stop: &Stop) -> Result<()> {
    if let Some(path) = &args.output {
        check_writable(path, &[Path::new(&args.table), &args.model])?;
    }
    let control = bounds(args.max_memory, stop);
    let model = store::load_within(&args.model, &control)?;
    let options = read_options(&args.reading)?;
    let mut table = Table::read_within(&Source::new(&args.table), &options, &control)?;
    table.group_like(&model.prep.schema)?;
    let kept = match args.keep.as_deref() {
        None => Vec::new(),
        Some("all") => table.texts(&[])?,
        Some(names) => table.texts(&parted(names))?,
    };
    attach_grams(&mut table, &args.gram, &control)?;
    let data = table.dataset_like(&model.prep.schema, &options).inspect_err(|_| notices(&table.notices()))?;
    notices(&table.notices());
    notices(&model.prep.tell(&data));
    let columns = PredictionColumns { std: args.std, interval: args.interval, probabilities: args.probabilities };
    let csv = predict_csv(&model, &data, columns, &kept, &control)?;
    match &args.output {
        Some(path) => store::write_atomically(path, csv.as_bytes()),
        None => print(&csv),
    }
}
