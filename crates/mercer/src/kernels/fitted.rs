//! A settled expression with what its parts have learnt: the only thing that binds, and what a model stores.

use super::leaf::Takes;
use super::uses::{kinds, pick, stems_from};
use super::{KernelExpr, Learnt};
use crate::control::Control;
use crate::data::{Column, Dataset, Inputs, RowWeights, Values};
use crate::error::{Error, Result};
use crate::gram::Bound;
use crate::notice::Notice;
use rand::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A settled expression with what its parts have learnt. A clone shares what was learnt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedKernel {
    expr: KernelExpr,
    learnt: Learnt,
}

/// Training rows made ready for a fitted kernel: the side of Gram matrices that stays while new rows come and go.
pub struct Reference {
    kernel: FittedKernel,
    fixed: Box<dyn Fixed>,
}

/// Rows made ready: the side that stays, by one part of an expression.
pub trait Fixed: Send + Sync {
    /// The Gram matrix among these rows.
    ///
    /// # Errors
    /// Bounds of `control`.
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>>;
    /// The Gram matrix of new rows against these.
    ///
    /// # Errors
    /// Rows without the columns that are needed, or that cannot be prepared; bounds of `control`.
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>>;
}

/// Rows, and the columns of them that a part of an expression is pointed at.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The rows.
    pub data: &'a Dataset,
    /// Names of columns; `None`: what there is.
    pub selected: Option<&'a [String]>,
    /// Whether the Gram matrix is there for products with its features: these may then stay lazy (`gram::LazyWhitening`).
    pub multiplied: bool,
}

impl<'a> Scope<'a> {
    /// All columns.
    pub fn of(data: &'a Dataset) -> Self {
        Scope { data, selected: None, multiplied: false }
    }

    /// Applies the selection of columns to other rows.
    pub(super) fn over(self, data: &'a Dataset) -> Self {
        Scope { data, multiplied: false, ..self }
    }

    /// Narrows the scope to the selected columns; without a selection it stays.
    pub(super) fn narrowed(self, selected: Option<&'a [String]>) -> Self {
        Scope { selected: selected.or(self.selected), ..self }
    }

    /// Numbers of the columns that a kernel takes.
    pub(super) fn columns(self, kernel: &(impl Takes + ?Sized)) -> Result<Vec<usize>> {
        pick(kernel, &kinds(self.data), self.selected)
    }

    /// Their names.
    pub(super) fn names(self, kernel: &(impl Takes + ?Sized)) -> Result<Vec<String>> {
        Ok(self.columns(kernel)?.into_iter().map(|c| self.data.columns()[c].name.clone()).collect())
    }

    /// The inputs that a kernel takes.
    pub(super) fn gather<I: Inputs>(self, kernel: &(impl Takes + ?Sized)) -> Result<Cow<'a, I>> {
        I::gather(self.data, &self.columns(kernel)?)
    }

    /// So many rows at most, drawn by what they hold: neither the order of the rows nor a row that stands twice changes which.
    /// They come in an order of their own.
    pub fn draw(self, most: usize, seed: u64) -> Vec<usize> {
        let named = |name: &str| self.selected.is_none_or(|names| names.iter().any(|n| stems_from(name, n)));
        let columns: Vec<&Column> = self.data.columns().iter().filter(|c| named(&c.name)).collect();
        let ticket = |i: usize| {
            let mut ticket = mixed(seed);
            columns.iter().for_each(|c| c.values.words(i, &mut |word| ticket = mixed(ticket ^ word)));
            (ticket, i)
        };
        let mut tickets: Vec<(u64, usize)> = (0..self.data.rows()).into_par_iter().map(ticket).collect();
        tickets.par_sort_unstable();
        tickets.dedup_by_key(|(ticket, _)| *ticket);
        tickets.into_iter().take(most).map(|(_, i)| i).collect()
    }

    /// The numbers of a column.
    pub(super) fn numbers(self, column: &str) -> Result<&'a [f64]> {
        match &self.data.column(column)?.values {
            Values::Numbers(v) => Ok(v),
            other => Err(Error::Data(format!("column '{column}' holds {}, and numbers are needed", other.kind().holds()))),
        }
    }
}

impl KernelExpr {
    /// Learns from the training rows, counted by weight, what the kernel takes from them besides its parameters, which are
    /// settled.
    pub fn learn(&self, data: &Dataset, weights: Option<&[f64]>, control: &Control) -> Result<FittedKernel> {
        let weights = RowWeights::from(weights);
        weights.check(data.rows())?;
        self.learn_on(Scope::of(data), weights, control)
    }

    pub(super) fn learn_on(&self, rows: Scope<'_>, weights: RowWeights<'_>, control: &Control) -> Result<FittedKernel> {
        control.check()?;
        Ok(FittedKernel::new(self.clone(), self.taught(rows, weights, control)?))
    }

    /// The Gram matrix among the rows of one dataset (`new = None`), or of new rows against them, by a kernel that has learnt
    /// from that dataset. Every parameter is settled.
    pub fn bind(&self, new: Option<&Dataset>, data: &Dataset) -> Result<Box<dyn Bound>> {
        self.bind_within(new, data, &Control::default())
    }

    /// Binds the kernel as [`KernelExpr::bind`] does, within the time and memory limits of `control`.
    pub fn bind_within(&self, new: Option<&Dataset>, data: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let fitted = self.learn(data, None, control)?;
        match new {
            None => fitted.gram(data, control),
            Some(new) => fitted.reference(data, control)?.cross(new, control),
        }
    }
}

impl FittedKernel {
    pub(super) fn new(expr: KernelExpr, learnt: Learnt) -> Self {
        FittedKernel { expr, learnt }
    }

    pub(super) fn into_learnt(self) -> Learnt {
        self.learnt
    }

    /// What the user should know of what was learnt.
    pub fn notices(&self) -> Vec<Notice> {
        self.expr.notices_of(&self.learnt)
    }

    /// The settled expression.
    pub fn expr(&self) -> &KernelExpr {
        &self.expr
    }

    /// The Gram matrix among some rows: all training rows where the kernel
    /// [needs them](KernelExpr::needs_training_rows).
    pub fn gram(&self, rows: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        self.bound(Scope::of(rows), control)?.among(control)
    }

    /// The Gram matrix for a fit or prediction that only multiplies by it: features of landmarks are then applied without being
    /// formed.
    pub(crate) fn gram_to_multiply(&self, rows: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        self.bound(Scope { multiplied: true, ..Scope::of(rows) }, control)?.among(control)
    }

    /// Makes rows ready that new rows are compared with: all training rows where the kernel
    /// [needs them](KernelExpr::needs_training_rows).
    pub fn reference(&self, rows: &Dataset, control: &Control) -> Result<Reference> {
        Ok(Reference { kernel: self.clone(), fixed: self.bound(Scope::of(rows), control)? })
    }

    fn bound(&self, rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        #[cfg(feature = "testkit")]
        BINDINGS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.fix(rows, control)
    }

    pub(super) fn fix(&self, rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        control.check()?;
        self.expr.fixed(&self.learnt, rows, control)
    }
}

/// How often a kernel was bound to rows in this process, for tests of what is bound twice.
#[cfg(feature = "testkit")]
pub static BINDINGS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

impl Reference {
    /// The kernel.
    pub fn kernel(&self) -> &FittedKernel {
        &self.kernel
    }

    /// The Gram matrix among the rows that were made ready.
    pub fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        self.fixed.among(control)
    }

    /// The Gram matrix of new rows against those that were made ready.
    pub fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        self.fixed.cross(new, control)
    }
}

impl fmt::Display for FittedKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expr.fmt(f)
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rows made ready for {}", self.kernel)
    }
}

/// A number that looks random, another for each.
fn mixed(word: u64) -> u64 {
    SplitMix64::seed_from_u64(word).next_u64()
}

/// What only a damaged file brings about.
pub(super) fn foreign() -> Error {
    Error::Data("what the kernel has learnt is not of this kernel".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::{self, Side, Structure};
    use crate::linalg::Matrix;

    #[test]
    fn rows_are_drawn_by_what_they_hold() {
        let table = |numbers: &[f64]| {
            let column = |name: &str, v: Vec<f64>| Column { name: name.into(), values: Values::Numbers(v) };
            Dataset::new(vec![column("a", numbers.to_vec()), column("b", (0..numbers.len()).map(|i| i as f64).collect())]).unwrap()
        };
        let a = ["a".to_owned()];
        let draw = |numbers: &[f64], seed: u64| -> Vec<f64> {
            let data = table(numbers);
            Scope { selected: Some(&a), ..Scope::of(&data) }.draw(8, seed).into_iter().map(|i| numbers[i]).collect()
        };
        let numbers: Vec<f64> = (0..40).map(f64::from).collect();
        let drawn = draw(&numbers, 0);
        let turned: Vec<f64> = numbers.iter().rev().chain(&numbers[..9]).copied().collect();
        assert_eq!((drawn.len(), &drawn), (8, &draw(&turned, 0)));
        assert_ne!(drawn, draw(&numbers, 1));
        assert_eq!(draw(&[3.0, 3.0], 0), [3.0]);
    }

    #[test]
    fn lazy_features_are_those_that_are_written_out() {
        let control = Control::default();
        let column =
            |name: &str, k: f64| Column { name: name.into(), values: Values::Numbers((0..40).map(|i| (k * i as f64).sin()).collect()) };
        let table = Dataset::new(vec![column("a", 0.7), column("b", 1.9)]).unwrap();
        let kernel = KernelExpr::parse("on(a, nystroem(rbf(length_scale=0.5), rank=9))").unwrap().learn(&table, None, &control).unwrap();
        let (whole, lazy_features) = (kernel.gram(&table, &control).unwrap(), kernel.gram_to_multiply(&table, &control).unwrap());
        assert!(
            !matches!(whole.structure(), Structure::Whitened { .. })
                && matches!(lazy_features.structure(), Structure::Whitened { values, factor, .. } if values.cols() == factor.size())
        );
        let matrices = |of: &dyn Bound| {
            let features = of.structure().dense_features(Side::Rows).unwrap().into_owned();
            (gram::dense(of, &control).unwrap(), Matrix::column(of.diagonal(Side::Rows)), features)
        };
        let ((k, d, z), (l, e, y)) = (matrices(whole.as_ref()), matrices(lazy_features.as_ref()));
        for (a, b) in [(k, l), (d, e), (z, y)] {
            assert!(a.data().len() == b.data().len() && a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() <= 1e-12));
        }
        // No part of a sum is lazy.
        let sum = KernelExpr::parse("nystroem(rbf(length_scale=0.5), rank=9) + linear").unwrap().learn(&table, None, &control).unwrap();
        assert!(!matches!(sum.gram_to_multiply(&table, &control).unwrap().structure(), Structure::Whitened { .. }));
    }
}
