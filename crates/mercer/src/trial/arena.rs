//! The rows of a comparison, prepared once for each fold and shared between trials.

use crate::control::Control;
use crate::data::{Dataset, Examples, Fold, Sample, some_rows_of};
use crate::error::Result;
use crate::fitting::{KernelValues, Prepared};
use crate::gram::{Gram, Side};
use crate::kernels::KernelExpr;
use crate::trial::limits::SEARCHED_ROWS;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Prepared folds are kept where they take no more than this share of the memory allowed.
const KEPT: u64 = 8;
/// Kernel values that several fits use are kept where they take no more than this share of it, the last ones asked for.
const VALUES_KEPT: u64 = 4;

/// The rows of one fold, prepared.
pub(crate) struct PreparedFold {
    pub train: Sample,
    pub test: Dataset,
}

/// The training rows of a fold that searches draw from.
pub(crate) struct Searched {
    /// As they were before any step.
    pub raw: Dataset,
    /// Prepared, where they are not all.
    some: Option<Sample>,
    /// The kernel as they settle it.
    pub kernel: KernelExpr,
}

impl Searched {
    /// Whether they are all training rows of the fold.
    pub(crate) fn is_all(&self) -> bool {
        self.some.is_none()
    }

    pub(crate) fn examples<'g>(&'g self, prepared: &'g PreparedFold) -> Examples<'g> {
        self.some.as_ref().unwrap_or(&prepared.train).examples()
    }
}

/// Rows of a fold, or some of them.
type Part = (usize, usize, Arc<Sample>);

/// Which kernel values: of which fold, or of all rows; of so many training rows; by which kernel.
type ValuesOf = (Option<usize>, usize, String);

/// One table and its folds.
pub(crate) struct Arena<'a> {
    pub examples: Examples<'a>,
    /// The training rows, prepared.
    pub whole: Prepared,
    pub folds: Vec<Fold>,
    seed: u64,
    kept: Vec<OnceLock<Arc<PreparedFold>>>,
    searched: Vec<OnceLock<Arc<Searched>>>,
    keeps: bool,
    part: Mutex<Vec<Part>>,
    values: Mutex<Vec<(ValuesOf, u64, Arc<KernelValues>)>>,
    /// Bytes of kernel values that may be kept.
    most_values: u64,
}

impl<'a> Arena<'a> {
    /// `folds`: places among the rows of `examples`; `bytes` of a copy of the prepared rows.
    pub(crate) fn new(examples: Examples<'a>, whole: Prepared, folds: Vec<Fold>, seed: u64, bytes: u64, control: &Control) -> Self {
        // As they are and prepared.
        let keeps = 2 * bytes * (folds.len() + 1) as u64 <= control.allowed() / KEPT;
        let kept = folds.iter().map(|_| OnceLock::new()).collect();
        let searched = folds.iter().map(|_| OnceLock::new()).collect();
        Arena {
            examples,
            whole,
            folds,
            seed,
            kept,
            searched,
            keeps,
            part: Mutex::default(),
            values: Mutex::default(),
            most_values: control.allowed() / VALUES_KEPT,
        }
    }

    /// The rows of a fold, prepared without those that it holds out.
    pub(crate) fn prepared_fold(&self, k: usize) -> Result<Arc<PreparedFold>> {
        if let Some(kept) = self.kept[k].get() {
            return Ok(kept.clone());
        }
        let fold = &self.folds[k];
        let raw = self.examples.select(&fold.train);
        let made = self.whole.again(&raw.data, raw.weights.as_deref())?;
        let test = made.prep.apply(&self.examples.data.select(&fold.test))?;
        let prepared = Arc::new(PreparedFold { train: Sample { data: made.data, ..raw }, test });
        Ok(if self.keeps { self.kept[k].get_or_init(|| prepared).clone() } else { prepared })
    }

    /// The training rows of a fold that searches draw from.
    pub(crate) fn searched(&self, k: usize, prepared: &PreparedFold) -> Result<Arc<Searched>> {
        if let Some(kept) = self.searched[k].get() {
            return Ok(kept.clone());
        }
        let rows = &self.folds[k].train;
        let (raw, some) = if rows.len() <= SEARCHED_ROWS {
            (self.examples.data.select(rows), None)
        } else {
            let some = some_rows_of(&prepared.train.target, SEARCHED_ROWS, self.seed);
            let raw = self.examples.data.select(&some.iter().map(|&i| rows[i]).collect::<Vec<usize>>());
            (raw, Some(prepared.train.examples().select(&some)))
        };
        let sample = some.as_ref().unwrap_or(&prepared.train);
        let kernel = self.whole.kernel.settle_weighed(&sample.data, sample.weights.as_deref())?;
        let made = Arc::new(Searched { raw, some, kernel });
        Ok(if self.keeps { self.searched[k].get_or_init(|| made).clone() } else { made })
    }

    /// So many training rows of a fold, at random where they are not all; the last part of each fold is kept where folds are.
    pub(crate) fn part(&self, k: usize, prepared: &PreparedFold, rows: usize) -> Arc<Sample> {
        let kept = || self.part.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., part)) = kept().iter().find(|(fold, n, _)| (*fold, *n) == (k, rows)) {
            return part.clone();
        }
        let part = Arc::new(prepared.train.examples().select(&some_rows_of(&prepared.train.target, rows, self.seed)));
        if self.keeps {
            let mut kept = kept();
            kept.retain(|(fold, ..)| *fold != k);
            kept.push((k, rows, part.clone()));
        }
        part
    }

    /// The values of a kernel among these training rows of a fold, and of its held-out rows with them, where they are worth keeping:
    /// computed once for all estimators.
    pub(crate) fn values(
        &self,
        k: usize,
        prepared: &PreparedFold,
        train: &Examples<'_>,
        kernel: &KernelExpr,
        control: &Control,
    ) -> Result<Option<Arc<KernelValues>>> {
        self.shared(Some(k), train.data, prepared.test.rows(), kernel, || {
            let [among, cross] = KernelValues::bind(kernel, train.data, train.weights, &prepared.test, control)?;
            KernelValues::of(among.as_ref(), Some(cross.as_ref()), control)
        })
    }

    /// The kernel values among all rows, prepared for the fit to all of them; `None` where a model keeps feature weights, not rows.
    pub(crate) fn values_of_all(
        &self,
        among: &dyn Gram,
        kernel: &KernelExpr,
        rows: &Dataset,
        control: &Control,
    ) -> Result<Option<Arc<KernelValues>>> {
        let structure = among.structure();
        let keeps_weights = structure.features_stand_alone() && structure.sparse_features(Side::Rows).is_some();
        if rows.rows() < self.whole.data.rows() || keeps_weights {
            return Ok(None);
        }
        self.shared(None, rows, 0, kernel, || KernelValues::of(among, None, control))
    }

    /// What is kept of these, or what `make` gives, which is kept if there is room.
    fn shared(
        &self,
        fold: Option<usize>,
        rows: &Dataset,
        held_out: usize,
        kernel: &KernelExpr,
        make: impl FnOnce() -> Result<KernelValues>,
    ) -> Result<Option<Arc<KernelValues>>> {
        let bytes = KernelValues::bytes(rows.rows(), held_out);
        if bytes > self.most_values || !KernelValues::are_costly(kernel, rows) {
            return Ok(None);
        }
        let of = (fold, rows.rows(), kernel.to_string());
        let kept = || self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let place = |kept: &[(ValuesOf, u64, Arc<KernelValues>)]| kept.iter().position(|(known, ..)| *known == of);
        {
            let mut kept = kept();
            if let Some(found) = place(&kept).map(|at| kept.remove(at)) {
                kept.push(found);
                return Ok(kept.last().map(|(.., values)| values.clone()));
            }
        }
        // Not under the lock: a thread that waits for a part of this work may take up another trial.
        let values = Arc::new(make()?);
        let mut kept = kept();
        if place(&kept).is_none() {
            while kept.iter().map(|(_, bytes, _)| bytes).sum::<u64>() + bytes > self.most_values {
                kept.remove(0);
            }
            kept.push((of, bytes, values.clone()));
        }
        Ok(Some(values))
    }

    /// The kernel as it was asked for.
    pub(crate) fn kernel(&self) -> &KernelExpr {
        &self.whole.kernel
    }
}
