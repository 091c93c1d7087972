//! Whole tables as batches: for kernels whose parameters say which columns they take.

use super::{ColumnKind, Dataset, Inputs};
use crate::error::Result;
use std::borrow::Cow;

impl Inputs for Dataset {
    const NEEDS: &'static str = "columns of the kind that its model takes";

    fn takes(_: ColumnKind) -> bool {
        true
    }
    fn gather<'a>(data: &'a Dataset, columns: &[usize]) -> Result<Cow<'a, Self>> {
        if columns.len() == data.columns().len() && columns.iter().enumerate().all(|(place, &c)| c == place) {
            return Ok(Cow::Borrowed(data));
        }
        Dataset::with_rows(data.rows(), columns.iter().map(|&c| data.columns()[c].clone()).collect()).map(Cow::Owned)
    }
    fn len(&self) -> usize {
        self.rows()
    }
}
