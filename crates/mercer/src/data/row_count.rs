//! A batch of which only the number of rows counts: what kernels take that look at no column.

use super::{Arity, ColumnKind, Dataset, Inputs};
use crate::error::Result;
use std::borrow::Cow;

/// The number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowCount(pub usize);

impl Inputs for RowCount {
    const NEEDS: &'static str = "no columns";
    const ARITY: Arity = Arity::None;

    fn takes(_: ColumnKind) -> bool {
        false
    }
    fn gather<'a>(data: &'a Dataset, _: &[usize]) -> Result<Cow<'a, Self>> {
        Ok(Cow::Owned(RowCount(data.rows())))
    }
    fn per_pair(&self) -> f64 {
        1.0
    }
    fn len(&self) -> usize {
        self.0
    }
}
