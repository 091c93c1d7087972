//! The terms of a sum of kernels of which a search moves no number, as of texts and sets beside numbers: for the same rows their values
//! are computed once, whatever setting is tried.

use super::free::Free;
use crate::control::Control;
use crate::data::Dataset;
use crate::error::Result;
use crate::gram::{Bound, Dense, Known, Sum};
use crate::kernels::KernelExpr;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Gram matrices of settings, with what stands kept from one to the next. By default nothing does.
#[derive(Default)]
pub(super) struct Standing {
    split: Option<Split>,
    /// The values of the terms that stand, for each group of matrices.
    known: HashMap<usize, Vec<Arc<Dense>>>,
}

/// Which terms stand and which move.
struct Split {
    standing: KernelExpr,
    moving: Vec<usize>,
    /// The place of each number of the moving terms among all numbers.
    places: Vec<usize>,
    numbers: usize,
}

impl Standing {
    /// Of a kernel on such rows. Nothing stands but beside terms that move, and where fits go by few features instead of kernel values.
    pub(super) fn of(kernel: &KernelExpr, free: &[Free], rows: &Dataset) -> Standing {
        Standing { split: Split::of(kernel, free, rows), known: HashMap::new() }
    }

    /// Whether anything stands.
    pub(super) fn is_any(&self) -> bool {
        self.split.is_some()
    }

    /// The Gram matrices of a kernel that `bind` makes, among the same rows for one `group`.
    pub(super) fn grams<const COUNT: usize>(
        &mut self,
        group: usize,
        kernel: &KernelExpr,
        control: &Control,
        bind: impl Fn(&KernelExpr) -> Result<[Box<dyn Bound>; COUNT]>,
    ) -> Result<[Box<dyn Bound>; COUNT]> {
        let Some(split) = &self.split else { return bind(kernel) };
        let known = match self.known.entry(group) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let bound = bind(&split.standing)?;
                let values = bound.iter().map(|gram| Dense::of(gram.as_ref(), control).map(Arc::new));
                place.insert(values.collect::<Result<_>>()?)
            }
        };
        let mut known = known.iter().cloned();
        Ok(bind(&split.moving(kernel))?.map(|moving| {
            let standing = known.next().map(|values| Box::new(Known(values)) as Box<dyn Bound>);
            Box::new(Sum([moving].into_iter().chain(standing).collect())) as Box<dyn Bound>
        }))
    }

    /// Derivatives by all numbers of the kernel from those that such a Gram matrix gives.
    pub(super) fn in_place(&self, found: Vec<f64>) -> Vec<f64> {
        let Some(split) = &self.split else { return found };
        let mut all = vec![0.0; split.numbers];
        split.places.iter().zip(found).for_each(|(&place, by)| all[place] = by);
        all
    }
}

impl Split {
    fn of(kernel: &KernelExpr, free: &[Free], rows: &Dataset) -> Option<Split> {
        if !matches!(kernel, KernelExpr::Sum(_)) || kernel.rank(rows).is_some() {
            return None;
        }
        let (mut standing, mut moving, mut places, mut numbers) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for (t, term) in kernel.parts().iter().enumerate() {
            let own = numbers..numbers + term.numbers();
            numbers = own.end;
            if free.iter().any(|f| f.kernel_place().is_some_and(|place| own.contains(&place))) {
                moving.push(t);
                places.extend(own);
            } else {
                standing.push(term.clone());
            }
        }
        let both = !standing.is_empty() && !moving.is_empty();
        both.then(|| Split { standing: KernelExpr::sum(standing), moving, places, numbers })
    }

    /// The terms of a setting that move.
    fn moving(&self, kernel: &KernelExpr) -> KernelExpr {
        KernelExpr::sum(self.moving.iter().filter_map(|&t| kernel.parts().get(t).cloned()).collect())
    }
}
