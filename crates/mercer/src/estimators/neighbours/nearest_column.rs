//! The column of a cross Gram matrix that each row is nearest to in feature space.

use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{Block, Gram, TIED};
use rayon::prelude::*;

/// Rows that one task looks at together.
const TILE: usize = 64;

/// The place in `columns` of the one that each row is nearest to by [`Gram::fill_distances`], the first of those that are equally near but
/// for rounding.
///
/// # Errors
/// Distances that are not numbers; on request of `control`.
pub(crate) fn nearest_column(cross: &dyn Gram, columns: &[usize], control: &Control) -> Result<Vec<usize>> {
    let (rows, n) = cross.shape();
    let mut nearest = vec![0; rows];
    nearest.par_chunks_mut(TILE).enumerate().try_for_each(|(t, nearest)| {
        control.check_time("predictions")?;
        let some: Vec<usize> = (t * TILE..t * TILE + nearest.len()).collect();
        let mut apart = vec![0.0; some.len() * n];
        cross.fill_distances(&some, 0..n, Block::new(&mut apart, some.len(), n));
        for ((nearest, apart), row) in nearest.iter_mut().zip(apart.chunks_exact(n.max(1))).zip(some) {
            if apart.iter().any(|d| d.is_nan()) {
                return Err(Error::Numerical {
                    what: "distances in feature space".into(),
                    why: format!("those of new row {} are not numbers; scale the columns or change the kernel", row + 1),
                });
            }
            let nearer = |a: usize, b: usize| apart[columns[a]] + TIED * apart[columns[a]].abs() < apart[columns[b]];
            *nearest = (1..columns.len()).fold(0, |best, k| if nearer(k, best) { k } else { best });
        }
        Ok(())
    })?;
    Ok(nearest)
}
