//! The kernel, or the terms of a sum of kernels, of which a search moves no number, as of texts and sets beside numbers: for the same
//! rows their values are computed once, whatever setting is tried.

use super::free::{Free, Setting, is_fixed};
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
pub(super) struct FixedTerms {
    split: Option<Split>,
    /// The values of the terms that stand, for each group of matrices.
    known: HashMap<usize, Vec<Arc<Dense>>>,
}

/// Which terms stand and which move.
struct Split {
    fixed: KernelExpr,
    moving: Vec<usize>,
    /// The place of each number of the moving terms among all numbers.
    places: Vec<usize>,
    numbers: usize,
}

impl FixedTerms {
    /// Of a setting on such rows. Nothing is fixed where fits use few features or few kernel values instead of all.
    pub(super) fn of(start: &Setting, free: &[Free], rows: &Dataset) -> FixedTerms {
        match start.estimator.facts().reads_few_values {
            true => FixedTerms::default(),
            false => FixedTerms::of_kernel(&start.kernel, free, rows),
        }
    }

    /// Of a kernel of which all values are read.
    fn of_kernel(kernel: &KernelExpr, free: &[Free], rows: &Dataset) -> FixedTerms {
        FixedTerms { split: Split::of(kernel, free, rows), known: HashMap::new() }
    }

    /// Whether anything stands.
    pub(super) fn is_any(&self) -> bool {
        self.split.is_some()
    }

    /// Takes the values of one group as known, where every term stands.
    pub(super) fn know(&mut self, group: usize, values: Arc<Dense>) {
        if self.split.as_ref().is_some_and(|split| split.moving.is_empty()) {
            self.known.insert(group, vec![values]);
        }
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
                let bound = bind(&split.fixed)?;
                let values = bound.iter().map(|gram| Dense::of(gram.as_ref(), control).map(Arc::new));
                place.insert(values.collect::<Result<_>>()?)
            }
        };
        if split.moving.is_empty() {
            return Ok(std::array::from_fn(|k| Box::new(Known(known[k].clone())) as Box<dyn Bound>));
        }
        let mut known = known.iter().cloned();
        Ok(bind(&split.moving(kernel))?.map(|moving| {
            let fixed = known.next().map(|values| Box::new(Known(values)) as Box<dyn Bound>);
            Box::new(Sum([moving].into_iter().chain(fixed).collect())) as Box<dyn Bound>
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
        if kernel.rank(rows).is_some() {
            return None;
        }
        if is_fixed(free) {
            return Some(Split { fixed: kernel.clone(), moving: Vec::new(), places: Vec::new(), numbers: kernel.numbers() });
        }
        if !matches!(kernel, KernelExpr::Sum(_)) {
            return None;
        }
        let (mut fixed, mut moving, mut places, mut numbers) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for (t, term) in kernel.parts().iter().enumerate() {
            let own = numbers..numbers + term.numbers();
            numbers = own.end;
            if free.iter().any(|f| f.kernel_place().is_some_and(|place| own.contains(&place))) {
                moving.push(t);
                places.extend(own);
            } else {
                fixed.push(term.clone());
            }
        }
        let both = !fixed.is_empty() && !moving.is_empty();
        both.then(|| Split { fixed: KernelExpr::sum(fixed), moving, places, numbers })
    }

    /// The terms of a setting that move.
    fn moving(&self, kernel: &KernelExpr) -> KernelExpr {
        KernelExpr::sum(self.moving.iter().filter_map(|&t| kernel.parts().get(t).cloned()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::dense;
    use crate::linalg::Matrix;
    use crate::testkit;

    #[test]
    fn terms_that_stand_beside_one_that_moves_are_the_whole_kernel_and_bind_once() {
        let (data, control) = (testkit::table(30, 1), Control::default());
        let kernel = |width: f64| {
            KernelExpr::parse(&format!("2*on(b, rbf(length_scale=0.7)) + on(a, rbf(length_scale={width})) + on(c, linear)")).unwrap()
        };
        let among = |k: &KernelExpr| k.bind(None, &data);
        let asked = std::cell::RefCell::new(Vec::new());
        let bind = |k: &KernelExpr| {
            asked.borrow_mut().push(k.to_string());
            Ok([among(k)?])
        };
        let places = kernel(1.0).numbers();
        let moves = kernel(1.0).values().iter().position(|p| p.path.starts_with("1.")).unwrap();
        let ends: Vec<_> = (0..places).map(|place| (place == moves).then_some((0.1, 10.0))).collect();
        let mut fixed = FixedTerms::of_kernel(&kernel(1.0), &Free::within(&kernel(1.0), &ends).unwrap(), &data);
        assert!(fixed.is_any());
        let weights = Matrix::from_fn(30, 30, |i, j| ((i + j) as f64).sin());
        for width in [1.0, 2.5] {
            let whole = among(&kernel(width)).unwrap();
            let [found] = fixed.grams(0, &kernel(width), &control, bind).unwrap();
            let (a, b) = (dense(whole.as_ref(), &control).unwrap(), dense(found.as_ref(), &control).unwrap());
            assert!(a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() <= 1e-14));
            let by_whole = whole.gradient(&weights.clone().into(), &control).unwrap();
            let by_found = fixed.in_place(found.gradient(&weights.clone().into(), &control).unwrap());
            assert_eq!(by_found.len(), places);
            for (place, (whole, found)) in by_whole.iter().zip(&by_found).enumerate() {
                assert!((if place == moves { whole - found } else { *found }).abs() <= 1e-12 * whole.abs().max(1.0));
            }
        }
        // What stands was asked for once, what moves for each setting.
        assert_eq!(asked.borrow().len(), 3);
        // Nothing stands where every term moves, and everything where none does, which is asked for once.
        let all: Vec<_> = (0..places).map(|_| Some((0.01, 100.0))).collect();
        let mut whole = FixedTerms::of_kernel(&kernel(1.0).parts()[1], &[], &data);
        asked.borrow_mut().clear();
        for _ in 0..2 {
            let [found] = whole.grams(0, &kernel(1.0).parts()[1], &control, bind).unwrap();
            let direct = dense(among(&kernel(1.0).parts()[1]).unwrap().as_ref(), &control).unwrap();
            assert_eq!(dense(found.as_ref(), &control).unwrap(), direct);
        }
        assert_eq!(asked.borrow().len(), 1);
        let two = KernelExpr::parse("on(a, rbf(length_scale=1)) + on(b, rbf(length_scale=1))").unwrap();
        assert!(!FixedTerms::of_kernel(&two, &Free::within(&two, &all[..2]).unwrap(), &data).is_any());
    }
}
