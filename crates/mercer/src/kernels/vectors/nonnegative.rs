//! What kernels of histograms share: points whose numbers are 0 or above, as they are.

use crate::data::{Points, Storage};
use crate::error::{Error, Result};

/// An error that names the first number below 0.
pub(super) fn check(name: &str, inputs: &Points) -> Result<()> {
    let (Storage::Dense(values) | Storage::Csr { values, .. }) = inputs.storage();
    let Some(k) = values.iter().position(|x| *x < 0.0) else { return Ok(()) };
    let row = match inputs.storage() {
        Storage::Dense(_) => k / inputs.dim().max(1),
        Storage::Csr { starts, .. } => starts.partition_point(|s| *s <= k) - 1,
    };
    Err(Error::Data(format!(
        "row {}: {name} compares histograms, whose numbers are 0 or above, and found {}; choose other columns with on(...)",
        row + 1,
        values[k]
    )))
}
