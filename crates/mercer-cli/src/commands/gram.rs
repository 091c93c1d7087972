//! `mercer gram`: the kernel matrix of a table, or between two tables, as an NPY file.

use super::{bounds, kernel, load, read_options};
use crate::Stop;
use crate::args::Gram;
use crate::output::{check_writable, notices, print};
use mercer::error::Result;
use mercer::read::{Source, Table};
use mercer::{fitting, gram, npy, store};
use std::path::Path;

pub(crate) fn gram(args: &Gram, stop: &Stop) -> Result<()> {
    let asked = kernel(&args.table)?;
    let mut read = vec![Path::new(&args.table.table)];
    read.extend(args.rows.iter().map(Path::new));
    check_writable(&args.output, &read)?;
    let control = bounds(args.max_memory, stop);
    let loaded = load(&args.table, &[], true, &control)?;
    notices(&loaded.notices);
    let recipe = &loaded.recipe;
    let kept = recipe.rows_kept(&loaded.data)?;
    notices(&kept.notices);
    let data = kept.rows.map_or_else(|| loaded.data.clone(), |rows| loaded.data.select(&rows));
    let prepared = fitting::prepare(recipe, asked.as_ref(), &data)?;
    notices(&prepared.notices);
    let settled = prepared.kernel.settle(&prepared.data)?;
    let bound = match &args.rows {
        None => settled.bind_within(None, &prepared.data, &control)?,
        Some(rows) => {
            let options = read_options(&args.table.reading)?;
            let mut table = Table::read_within(&Source::new(rows), &options, &control)?;
            table.group_like(&prepared.prep.schema)?;
            let new = table.dataset_like(&prepared.prep.schema, &options).inspect_err(|_| notices(&table.notices()))?;
            notices(&table.notices());
            notices(&prepared.prep.tell(&new));
            settled.bind_within(Some(&prepared.prep.apply(&new)?), &prepared.data, &control)?
        }
    };
    let matrix = gram::dense(bound.as_ref(), &control)?;
    store::write_atomically(&args.output, &npy::write(&matrix))?;
    let (rows, cols) = (matrix.rows(), matrix.cols());
    print(&format!("kernel       {settled}\nmatrix       {rows} x {cols}, float64\nwritten: {}\n", args.output.display()))
}
