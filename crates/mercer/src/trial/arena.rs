//! The rows of a comparison, prepared once for each fold and shared between trials.

use crate::control::Control;
use crate::data::{Dataset, Examples, Fold, Sample, some_rows_of};
use crate::error::Result;
use crate::fitting::Prepared;
use crate::kernels::KernelExpr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Prepared folds are kept where they take no more than this share of the memory allowed.
const KEPT: u64 = 8;

/// The rows of one fold, prepared.
pub(crate) struct Ground {
    pub train: Sample,
    pub test: Dataset,
}

/// Rows of a fold, or some of them.
type Part = (usize, usize, Arc<Sample>);

/// One table and its folds.
pub(crate) struct Arena<'a> {
    pub examples: Examples<'a>,
    /// The rows that are learnt from, prepared.
    pub whole: Prepared,
    pub folds: Vec<Fold>,
    seed: u64,
    kept: Vec<OnceLock<Arc<Ground>>>,
    keeps: bool,
    part: Mutex<Vec<Part>>,
}

impl<'a> Arena<'a> {
    /// `folds`: places among the rows of `examples`; `bytes` of a copy of the prepared rows.
    pub(crate) fn new(examples: Examples<'a>, whole: Prepared, folds: Vec<Fold>, seed: u64, bytes: u64, control: &Control) -> Self {
        let keeps = bytes * (folds.len() + 1) as u64 <= control.allowed() / KEPT;
        let kept = folds.iter().map(|_| OnceLock::new()).collect();
        Arena { examples, whole, folds, seed, kept, keeps, part: Mutex::default() }
    }

    /// The rows of a fold, prepared without those that it holds out.
    pub(crate) fn ground(&self, k: usize) -> Result<Arc<Ground>> {
        if let Some(kept) = self.kept[k].get() {
            return Ok(kept.clone());
        }
        let fold = &self.folds[k];
        let raw = self.examples.select(&fold.train);
        let made = self.whole.again(&raw.data, raw.weights.as_deref())?;
        let test = made.prep.apply(&self.examples.data.select(&fold.test))?;
        let ground = Arc::new(Ground { train: Sample { data: made.data, ..raw }, test });
        Ok(if self.keeps { self.kept[k].get_or_init(|| ground).clone() } else { ground })
    }

    /// So many training rows of a fold, at random where they are not all; the last part of each fold is kept where folds are.
    pub(crate) fn part(&self, k: usize, ground: &Ground, rows: usize) -> Arc<Sample> {
        let kept = || self.part.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., part)) = kept().iter().find(|(fold, n, _)| (*fold, *n) == (k, rows)) {
            return part.clone();
        }
        let part = Arc::new(ground.train.examples().select(&some_rows_of(&ground.train.target, rows, self.seed)));
        if self.keeps {
            let mut kept = kept();
            kept.retain(|(fold, ..)| *fold != k);
            kept.push((k, rows, part.clone()));
        }
        part
    }

    /// The kernel as it was asked for.
    pub(crate) fn kernel(&self) -> &KernelExpr {
        &self.whole.kernel
    }
}
