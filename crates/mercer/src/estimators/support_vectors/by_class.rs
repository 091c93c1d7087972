//! K as a whole for machines of pairs of classes: of few rows, and for machines without a fold of the rows, which share its values.

use crate::error::{Error, Result};
use crate::estimators::Task;
use crate::gram::{Dense, Features, Side, Subset};

/// K with its rows in another order than those of the task: of few rows of several classes the rows of a class stand next to each other.
pub(super) struct ByClass {
    pub(super) k: Dense,
    /// The row of the task that each row of K belongs to.
    pub(super) order: Vec<usize>,
    /// Whether machines on all rows use it, as they do where none without a fold are requested, so that both agree.
    pub(super) for_all: bool,
}

impl ByClass {
    /// Where there are so few rows that the machines of so many pairs need most of K, and it is neither there already nor known by
    /// features.
    pub(super) fn of(task: &Task<'_>, codes: &[usize], pairs: usize, folds: bool) -> Result<Option<Self>> {
        // Up to so many rows, multi-class machines and those without a fold use K.
        const FEW: usize = 1024;
        const MOST: usize = 2048;
        // Sums of greater values may not be finite.
        const LARGE: f64 = 1e100;
        let (gram, n) = (task.gram()?, task.rows());
        let by_class = pairs > 1 && n <= FEW;
        let few = by_class || (folds && n <= MOST);
        let fits = 16 * (n * n) as u64 <= task.control.allowed() / 2;
        let large = |k: &f64| k.is_nan() || k.abs() > LARGE;
        let known = gram.structure().held().is_some() || Features::of(gram, Side::Rows).is_some();
        if !few || !fits || known || gram.diagonal(Side::Rows).iter().any(large) {
            return Ok(None);
        }
        let mut order: Vec<usize> = (0..n).collect();
        if by_class {
            order.sort_by_key(|&i| codes[i]);
        }
        let k = match by_class.then(|| gram.gathered(&order)) {
            None => Dense::of(gram, task.control),
            Some(Some(laid_out)) => Dense::of(laid_out.as_ref(), task.control),
            Some(None) => Dense::of(&Subset::new(gram, &order, &order), task.control),
        };
        match k {
            Ok(k) => Ok(Some(ByClass { k, order, for_all: by_class || pairs == 1 })),
            Err(Error::Cancelled) => Err(Error::Cancelled),
            // Whoever asks for single values comes to the same end, and names rows of the task.
            Err(_) => Ok(None),
        }
    }
}
