//! Where a fit to batches takes its rows: a table file, or anything else whose rows can be gone over several times.

use super::{BatchSettings, BatchedFit};
use crate::control::Control;
use crate::data::{Dataset, Schema, Target, TargetInfo};
use crate::error::Result;
use crate::learner::Learner;
use crate::prep::Missing;
use crate::read::{Batch, Batches, Fact, ReadOptions, SampledTable, Table};

/// Rows with their targets and weights.
#[derive(Clone, Debug)]
pub struct BatchRows {
    /// The inputs.
    pub data: Dataset,
    /// The targets.
    pub target: Target,
    /// The weights, where rows have any.
    pub weights: Option<Vec<f64>>,
}

/// Some rows, drawn at random, which say what columns and targets are.
#[derive(Clone, Debug)]
pub struct BatchSample {
    /// The rows.
    pub rows: BatchRows,
    /// What the target is.
    pub info: TargetInfo,
    /// What the user should know about how the rows were read.
    pub facts: Vec<Fact>,
    /// All rows that there are.
    pub all: usize,
    /// The batches that they come in.
    pub batches: usize,
}

/// How batches are to be read: as the sample was.
#[derive(Clone, Copy, Debug)]
pub struct BatchForm<'a> {
    /// The columns of the sample.
    pub schema: &'a Schema,
    /// The target of the sample.
    pub info: &'a TargetInfo,
    /// What is done with missing cells.
    pub missing: &'a [(String, Missing)],
}

/// Rows that come in batches, the same in every pass.
pub trait BatchSource {
    /// At most so many of the rows, drawn by [`crate::read::RowSample`].
    ///
    /// # Errors
    /// No rows; what cannot be read.
    fn sample(&self, most: usize, seed: u64, missing: &[(String, Missing)], control: &Control) -> Result<BatchSample>;

    /// Hands every batch that has rows to a visitor, with its number.
    ///
    /// # Errors
    /// Those of the visitor; a batch whose columns or targets are not as in the sample.
    fn each(&self, form: BatchForm<'_>, control: &Control, visit: &mut dyn FnMut(u64, BatchRows) -> Result<()>) -> Result<()>;

    /// Columns of the rows that are targets.
    fn target(&self) -> &[String];

    /// Bytes that a pass reads, where they are known.
    fn bytes(&self) -> Option<u64>;
}

/// A table file with the roles of its columns.
#[derive(Clone, Debug)]
pub struct BatchedTable<'a> {
    /// The file.
    pub batches: &'a Batches,
    /// How its columns are to be read.
    pub options: &'a ReadOptions,
    /// The columns to predict.
    pub target: &'a [String],
    /// The column of weights.
    pub weights: Option<&'a str>,
}

impl BatchedTable<'_> {
    /// Fits a learner to the rows of the file.
    ///
    /// # Errors
    /// Those of [`BatchSource::fit`](trait.BatchSource.html#method.fit).
    pub fn fit(&self, learner: &Learner, settings: BatchSettings, control: &Control) -> Result<BatchedFit> {
        let source: &dyn BatchSource = self;
        source.fit(learner, settings, control, &mut |_| ())
    }

    /// The parts of the sample.
    fn first(&self, table: &mut Table, missing: &[(String, Missing)]) -> Result<(BatchRows, TargetInfo)> {
        Missing::targets_to_drop(missing, self.target)?.into_iter().try_for_each(|name| table.leave_out_missing(name))?;
        let weights = self.weights.map(|name| table.take_weights(name)).transpose()?;
        let (target, info) = table.take_target(self.target, self.options)?;
        let data = table.dataset(self.options)?;
        Ok((BatchRows { data, target, weights }, info))
    }

    /// The parts of a batch; none where no row of it has a target.
    fn next(&self, table: &mut Table, BatchForm { schema, info, missing }: BatchForm<'_>) -> Result<Option<BatchRows>> {
        for name in Missing::targets_to_drop(missing, self.target)? {
            table.leave_out_missing_of_part(name)?;
        }
        if table.rows() == 0 {
            return Ok(None);
        }
        let weights = self.weights.map(|name| table.take_weights_of_part(name)).transpose()?;
        let target = table.take_target_like(info)?;
        let data = table.dataset_like(schema, self.options)?;
        Ok(Some(BatchRows { data, target, weights }))
    }
}

impl BatchSource for BatchedTable<'_> {
    fn sample(&self, most: usize, seed: u64, missing: &[(String, Missing)], control: &Control) -> Result<BatchSample> {
        let SampledTable { mut table, rows: all, batches } = self.batches.sample(most, seed, control)?;
        let read = self.first(&mut table, missing).map_err(|error| table.in_file(error));
        let facts = table.facts();
        read.map(|(rows, info)| BatchSample { rows, info, facts, all, batches })
    }

    fn each(&self, form: BatchForm<'_>, control: &Control, visit: &mut dyn FnMut(u64, BatchRows) -> Result<()>) -> Result<()> {
        self.batches.each(control, |Batch { number, mut table }| {
            let rows = self.next(&mut table, form);
            rows.and_then(|rows| rows.map_or(Ok(()), |rows| visit(number, rows))).map_err(|error| table.in_file(error))
        })
    }

    fn target(&self) -> &[String] {
        self.target
    }

    fn bytes(&self) -> Option<u64> {
        self.batches.file_bytes()
    }
}
