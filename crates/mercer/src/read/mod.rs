//! Bytes to typed columns. Every complaint names file, row and column; rows count from 1, the header not counted.
//!
//! A [`Source`] of any format becomes a [`Table`]; target and weights are taken out of it by name, and what is left
//! becomes a [`Dataset`]: column types are inferred from the cells (see [`ColumnType`] to declare them), or follow a training
//! [`Schema`](crate::data::Schema) when a model is to predict.
//!
//! ```
//! use mercer::read::{ReadOptions, Source, Table};
//! let mut table = Table::read(&Source::new("example:iris"))?;
//! let (target, info) = table.take_target(&["species"], &ReadOptions::default())?;
//! let data = table.dataset(&ReadOptions::default())?;
//! assert_eq!((data.rows(), data.columns().len(), info.classes.map(|c| c.len())), (150, 4, Some(3)));
//! # let _ = target;
//! # Ok::<(), mercer::error::Error>(())
//! ```

mod arff;
mod batches;
mod cells;
mod clocks;
mod column_type;
mod columns;
mod dates;
mod delimited;
mod doubts;
mod encoding;
mod examples;
mod facts;
mod fasta;
mod format;
mod gram;
mod group;
mod headers;
mod infer;
mod joined;
mod json_lines;
mod keep;
mod layout;
mod libsvm;
mod lines;
mod lists;
mod markers;
mod marks;
mod no_rows;
mod npz;
mod options;
mod orders;
#[cfg(feature = "parquet")]
mod parquet;
mod periods;
mod quoting;
mod rows;
mod sequences;
mod source;
mod table;
mod target;
mod texts;
mod time_series;
mod ucr;
mod units;
mod unpack;
mod unseen;
mod wide;
mod writing;

pub use crate::data::{Labels, TargetInfo};
pub use batches::{Batch, Batches, RowSample, SampledTable};
pub use column_type::ColumnType;
pub use doubts::doubts;
pub use examples::{EXAMPLES, Example, example};
pub use facts::{Fact, Topic};
pub(crate) use options::column_and;
pub use options::{Decimal, Delimiter, ReadOptions, split_list};
pub use source::Source;
pub use table::Table;
pub use unseen::name_of as column_name;
pub use wide::WideSeries;

use crate::control::Control;
use crate::data::Dataset;
pub use crate::data::MISSING;
use crate::error::Result;

/// The whole table as a dataset, for tasks without a target.
pub fn table(source: &Source, options: &ReadOptions) -> Result<(Dataset, Vec<String>)> {
    let mut table = Table::read_within(source, options, &Control::default())?;
    let data = table.dataset(options)?;
    Ok((data, table.into_notices()))
}

#[cfg(test)]
mod tests;
