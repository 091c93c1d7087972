//! What an operation counts beside one of a dense product, which works on numbers in registers: a unit that time is in proportion to.

use mercer_linalg::count;

/// Operations of a dense product in the time of one of a pass over vectors, which reads its numbers once: fits made of passes run at
/// 4 to 6 thousand million operations a second where those made of products run at 20 to 25 (`SHOW_COSTS=1`, `tests/costs.rs`).
pub(crate) const PASSED: f64 = 4.0;
/// Operations of a dense product in the time of one with a stored number, whose partner lies scattered in memory.
pub(crate) const SCATTERED: f64 = 20.0;

/// Counts operations of a pass over vectors.
#[inline(always)]
pub(crate) fn count_passed(operations: usize) {
    count(PASSED as usize * operations);
}

/// Counts operations with numbers that lie scattered.
#[inline(always)]
pub(crate) fn count_scattered(operations: usize) {
    count(SCATTERED as usize * operations);
}
