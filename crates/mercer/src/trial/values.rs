//! What kernel values take: measured on a few rows where no count knows it, and how many of them are kept.

use super::limits::{EXPENSIVE, LARGE, PRICED_ROWS, RATE, VALUES_KEPT};
use crate::control::{Control, contain, with_threads};
use crate::data::{Dataset, even_rows};
use crate::estimators::Size;
use crate::fitting::KernelValues;
use crate::kernels::KernelExpr;
use std::time::Instant;

/// Operations of a kernel value on this machine, by a few of these rows; `None` where no input has structure, and what is counted holds.
pub(crate) fn measured_value(kernel: &KernelExpr, data: &Dataset, control: &Control) -> Option<f64> {
    let some = data.select(&KernelValues::have_structure(data).then(|| even_rows(data.rows(), PRICED_ROWS))?);
    let quiet = Control { progress: None, ..control.clone() };
    let clock = Instant::now();
    let values = || KernelValues::of(kernel.settle(&some)?.learn(&some, None, &quiet)?.gram(&some, &quiet)?.as_ref(), None, &quiet);
    // So few are a single tile, of a single thread.
    let is_made = contain("kernel values", || with_threads(1, values)?).is_ok();
    let (n, counted) = (some.rows() as f64, kernel.per_value(data).unwrap_or(Size::PER_VALUE));
    let measured = clock.elapsed().as_secs_f64() * RATE / (n * (n + 1.0) / 2.0);
    // Features that a kernel value is computed from are made once for each row: the more rows, the less of that for each pair.
    let size = Size { rows: data.rows(), outputs: 1, classes: false, rank: kernel.rank(data), stored: None, per_value: counted };
    let pairs_share = size.rank.is_some() && size.few().is_none();
    let measured = if pairs_share { counted + measured * (n + 1.0) / (data.rows() as f64 + 1.0) } else { measured };
    // What takes longer than it may takes so long at least.
    Some(if is_made { measured } else { measured.max(counted) })
}

/// Seconds that the values of a kernel take on this machine among these rows, or of so many others with them; those of inputs with
/// structure are measured on a few rows where there are many.
pub fn gram_seconds(kernel: &KernelExpr, data: &Dataset, others: Option<usize>, control: &Control) -> f64 {
    let n = data.rows() as f64;
    let values = others.map_or(n * (n + 1.0) / 2.0, |m| n * m as f64);
    let is_worth = values > 10.0 * (PRICED_ROWS * PRICED_ROWS) as f64;
    let measured = is_worth.then(|| measured_value(kernel, data, control)).flatten();
    let per_value = measured.or_else(|| kernel.per_value(data)).unwrap_or(Size::PER_VALUE);
    per_value * values / (RATE * rayon::current_num_threads() as f64)
}

/// Bytes of kernel values that are kept for several fits: no more than a share of the memory, and little of it where they take little.
pub(crate) fn most_kept(size: Size, control: &Control) -> u64 {
    let most = control.allowed() / VALUES_KEPT;
    if size.per_value > EXPENSIVE { most } else { most.min(LARGE) }
}
