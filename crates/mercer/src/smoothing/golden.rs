//! Golden sections: an interval about the least of a curve with one valley, smaller by 0.618 with each value.

use crate::error::Result;

/// The interval after as many sections as `goes_on` allows, which receives the width before each; of equal values the upper part stays.
pub(super) fn sections(
    (mut low, mut high): (f64, f64),
    mut at: impl FnMut(f64) -> Result<f64>,
    mut goes_on: impl FnMut(f64) -> Result<bool>,
) -> Result<(f64, f64)> {
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_a, mut at_b) = (at(a)?, at(b)?);
    while goes_on(high - low)? {
        if at_a < at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - golden * (high - low);
            at_a = at(a)?;
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + golden * (high - low);
            at_b = at(b)?;
        }
    }
    Ok((low, high))
}
