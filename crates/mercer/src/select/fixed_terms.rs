//! The kernel, or the terms of a sum of kernels, of which a search moves no number or only the one in front, as of texts and sets beside
//! numbers, or of a mixture of kernels: for the same rows their values are computed once, whatever setting is tried.

use super::free::{Free, Setting, is_fixed};
use crate::control::Control;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::gram::{Bound, Dense, Known, Sum};
use crate::kernels::{Composition, KernelExpr};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Gram matrices of settings, with what stands kept from one to the next. By default nothing does.
#[derive(Default)]
pub(super) struct FixedTerms {
    split: Option<Split>,
    /// The values of what stands, for each group of matrices: one list for each kernel.
    known: HashMap<usize, Vec<Vec<Arc<Dense>>>>,
}

/// Which terms stand and which move.
struct Split {
    /// The terms that stand, added.
    fixed: Option<KernelExpr>,
    /// Terms that stand but for the number in front, and what it multiplies.
    scaled: Vec<(usize, KernelExpr)>,
    moving: Vec<usize>,
    /// The place of each number that moves, and of the others of its term, among all numbers.
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

    /// How many matrices are kept of a group.
    pub(super) fn kept(&self) -> usize {
        self.split.as_ref().map_or(0, |split| split.stands().count())
    }

    /// Takes the values of one group as known, where every term stands.
    pub(super) fn know(&mut self, group: usize, values: Arc<Dense>) {
        if self.split.as_ref().is_some_and(|split| split.moving.is_empty() && split.scaled.is_empty()) {
            self.known.insert(group, vec![vec![values]]);
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
                let values = |of: &KernelExpr| bind(of)?.iter().map(|gram| Dense::of(gram.as_ref(), control).map(Arc::new)).collect();
                place.insert(split.stands().map(values).collect::<Result<_>>()?)
            }
        };
        let mut moving = split.moving(kernel).map(|moving| bind(&moving)).transpose()?.map(IntoIterator::into_iter);
        let mut all = Vec::with_capacity(COUNT);
        for k in 0..COUNT {
            let mut terms: Vec<Box<dyn Bound>> = moving.as_mut().and_then(Iterator::next).into_iter().collect();
            for (place, values) in known.iter().enumerate() {
                let values: Box<dyn Bound> = Box::new(Known(values[k].clone()));
                let scale = split.scaled.get(place).and_then(|(t, _)| terms_of(kernel).get(*t));
                terms.push(match scale {
                    Some(KernelExpr::Scale(scaled)) => scaled.how.compose(&(), vec![values], control)?,
                    _ => values,
                });
            }
            all.push(if terms.len() == 1 { terms.remove(0) } else { Box::new(Sum(terms)) });
        }
        <[_; COUNT]>::try_from(all).map_err(|all: Vec<_>| Error::Shape { what: "Gram matrices".into(), expected: COUNT, found: all.len() })
    }

    /// Derivatives by all numbers of the kernel from those that such a Gram matrix gives.
    pub(super) fn in_place(&self, found: Vec<f64>) -> Vec<f64> {
        let Some(split) = &self.split else { return found };
        let mut all = vec![0.0; split.numbers];
        split.places.iter().zip(found).for_each(|(&place, by)| all[place] = by);
        all
    }
}

/// The terms of a sum, or the kernel as the only one.
fn terms_of(kernel: &KernelExpr) -> &[KernelExpr] {
    match kernel {
        KernelExpr::Sum(sum) => &sum.of,
        one => std::slice::from_ref(one),
    }
}

impl Split {
    fn of(kernel: &KernelExpr, free: &[Free], rows: &Dataset) -> Option<Split> {
        if kernel.rank(rows).is_some() {
            return None;
        }
        let is_free = |place: usize| free.iter().any(|f| f.kernel_place() == Some(place));
        let (mut fixed, mut scaled, mut moving) = (Vec::new(), Vec::new(), Vec::new());
        let (mut of_scaled, mut places, mut numbers) = (Vec::new(), Vec::new(), 0);
        for (t, term) in terms_of(kernel).iter().enumerate() {
            let own = numbers..numbers + term.numbers();
            numbers = own.end;
            match term {
                term if is_fixed(free) || !own.clone().any(is_free) => fixed.push(term.clone()),
                // The number in front is the first.
                KernelExpr::Scale(composed) if !own.clone().skip(1).any(is_free) => {
                    scaled.extend(composed.of.iter().map(|inner| (t, inner.clone())));
                    of_scaled.push(own.start);
                }
                _ => {
                    moving.push(t);
                    places.extend(own);
                }
            }
        }
        places.extend(of_scaled);
        let fixed =
            (!fixed.is_empty()).then(|| if fixed.len() == terms_of(kernel).len() { kernel.clone() } else { KernelExpr::sum(fixed) });
        (fixed.is_some() || !scaled.is_empty()).then_some(Split { fixed, scaled, moving, places, numbers })
    }

    /// The kernels whose values are kept.
    fn stands(&self) -> impl Iterator<Item = &KernelExpr> {
        self.scaled.iter().map(|(_, of)| of).chain(&self.fixed)
    }

    /// The terms of a setting that move.
    fn moving(&self, kernel: &KernelExpr) -> Option<KernelExpr> {
        let terms = || self.moving.iter().filter_map(|&t| terms_of(kernel).get(t).cloned());
        (!self.moving.is_empty()).then(|| KernelExpr::sum(terms().collect()))
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
        assert_eq!(fixed.kept(), 1);
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
        assert_eq!(FixedTerms::of_kernel(&two, &Free::within(&two, &all[..2]).unwrap(), &data).kept(), 0);
    }

    // c1 k1 + k2 + c3 k3, where the numbers in front and the width of k2 move: k1 and k3 are evaluated once.
    #[test]
    fn of_terms_that_are_only_multiplied_the_values_are_computed_once() {
        let (data, control) = (testkit::table(30, 2), Control::default());
        let kernel = |[a, width, c]: [f64; 3]| {
            let text = format!("{a}*on(b, rbf(length_scale=0.7)) + on(a, rbf(length_scale={width})) + {c}*on(c, linear)");
            KernelExpr::parse(&text).unwrap()
        };
        let first = kernel([2.0, 1.0, 3.0]);
        let named = |path: &str| path == "0.scale" || path.starts_with("1.") || path == "2.scale";
        let mut ends = Vec::new();
        for own in first.values() {
            ends.extend(own.value.numbers().iter().map(|_| named(&own.path).then_some((0.01, 100.0))));
        }
        let mut fixed = FixedTerms::of_kernel(&first, &Free::within(&first, &ends).unwrap(), &data);
        assert_eq!(fixed.kept(), 2);
        let asked = std::cell::RefCell::new(Vec::new());
        let bind = |k: &KernelExpr| {
            asked.borrow_mut().push(k.to_string());
            Ok([k.bind(None, &data)?])
        };
        let weights = Matrix::from_fn(30, 30, |i, j| ((i + j) as f64).sin());
        for numbers in [[2.0, 1.0, 3.0], [0.5, 2.5, 1e-6]] {
            let whole = kernel(numbers).bind(None, &data).unwrap();
            let [found] = fixed.grams(0, &kernel(numbers), &control, bind).unwrap();
            let (a, b) = (dense(whole.as_ref(), &control).unwrap(), dense(found.as_ref(), &control).unwrap());
            assert!(a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() <= 1e-14 * a.abs().max(1.0)));
            let by_whole = whole.gradient(&weights.clone().into(), &control).unwrap();
            let by_found = fixed.in_place(found.gradient(&weights.clone().into(), &control).unwrap());
            for ((end, whole), found) in ends.iter().zip(by_whole).zip(by_found) {
                assert!(end.is_none() || (whole - found).abs() <= 1e-12 * whole.abs().max(1.0), "{whole} {found}");
            }
        }
        assert_eq!(asked.borrow().len(), 4, "{:?}", asked.borrow());
    }
}
