//! The rows of a comparison, prepared once for each fold and shared between trials.

use crate::control::Control;
use crate::data::{Dataset, Examples, Fold, Sample, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::Size;
use crate::fitting::{KernelValues, Prepared, SharedValues, Sharing, ValuesOf};
use crate::gram::Bound;
use crate::kernels::KernelExpr;
use crate::trial::limits::SEARCHED_ROWS;
use crate::trial::most_kept;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Prepared folds are kept where they take no more than this share of the memory allowed.
const KEPT: u64 = 8;
/// The values among all rows may take so much of the time that there is.
const TABLE_SHARE: f64 = 0.3;

/// The rows of one fold, prepared.
pub(crate) struct PreparedFold {
    pub train: Sample,
    pub test: Dataset,
}

/// The training rows of a fold that searches draw from.
pub(crate) struct Searched {
    /// As they were before any step.
    pub raw: Dataset,
    /// Prepared, where they are not all, and which they are.
    some: Option<Sample>,
    rows: Option<Vec<usize>>,
    /// The kernel as they settle it.
    pub kernel: KernelExpr,
}

impl Searched {
    pub(crate) fn examples<'g>(&'g self, prepared: &'g PreparedFold) -> Examples<'g> {
        self.some.as_ref().unwrap_or(&prepared.train).examples()
    }
}

/// Rows of a fold, or some of them.
type Part = (usize, usize, Arc<Sample>);

/// One table and its folds.
pub(crate) struct Arena<'a> {
    pub examples: Examples<'a>,
    /// The training rows, prepared.
    pub whole: Prepared,
    pub folds: Vec<Fold>,
    /// The kernels that the training rows of the folds have chosen; empty where nothing is chosen.
    pub kernels: Vec<KernelExpr>,
    /// The kernels whose values among all rows are kept.
    tabled: Vec<KernelExpr>,
    /// All rows bound to the kernel of most fits to them, as they settle it.
    bound: Option<(KernelExpr, Arc<dyn Bound>)>,
    seed: u64,
    kept: Vec<OnceLock<Arc<PreparedFold>>>,
    /// By the fold and how many.
    searched: Mutex<HashMap<(usize, usize), Arc<Searched>>>,
    keeps: bool,
    part: Mutex<Vec<Part>>,
    /// The rows that are used, of which `whole` are the prepared ones.
    pub used: Vec<usize>,
    /// The size of a fit to all of them, and whether its kernel values are worth sharing.
    pub size: Size,
    pub are_costly: bool,
    /// Kernel values of fits to no more rows than this are shared.
    pub shared_rows: usize,
    /// Of a copy of the prepared rows.
    pub bytes: u64,
    shared: Arc<SharedValues>,
    /// The fold, or all rows, and how many of the rows, of fits whose kernel values were computed.
    computed: Mutex<HashSet<(Option<usize>, usize)>>,
}

impl<'a> Arena<'a> {
    /// `used`: the rows of `examples` of which `whole` are the prepared ones; `folds`: places among the rows of `examples`; `bytes` of a
    /// copy of the prepared rows; kernel values of fits to no more rows than `shared_rows` are shared;
    /// `size`: of a fit to all prepared rows.
    pub(crate) fn new(
        examples: Examples<'a>,
        (whole, used): (Prepared, Vec<usize>),
        folds: Vec<Fold>,
        seed: u64,
        (bytes, shared_rows, size): (u64, usize, Size),
        control: &Control,
    ) -> Self {
        // As they are and prepared.
        let keeps = 2 * bytes * (folds.len() + 1) as u64 <= control.allowed() / KEPT;
        let kept = folds.iter().map(|_| OnceLock::new()).collect();
        let searched = Mutex::default();
        let shared = Arc::new(SharedValues::new(most_kept(size, control)));
        let are_costly = shared_rows > 0 && KernelValues::are_costly(&whole.data, size);
        let (part, computed) = (Mutex::default(), Mutex::default());
        let (kernels, tabled, bound) = (Vec::new(), Vec::new(), None);
        Arena {
            examples,
            whole,
            folds,
            kernels,
            tabled,
            bound,
            seed,
            kept,
            searched,
            keeps,
            part,
            used,
            size,
            are_costly,
            shared_rows,
            bytes,
            shared,
            computed,
        }
    }

    /// Takes the kernels that the training rows of the folds have chosen, none where that of all rows is for all, and computes what
    /// [`Arena::tabulate`] does.
    ///
    /// # Errors
    /// Those of [`Arena::tabulate`].
    pub(crate) fn choose(&mut self, kernels: Vec<KernelExpr>, computes: bool, control: &Control) -> Result<()> {
        self.kernels = kernels;
        self.tabulate(computes, control)
    }

    /// Computes the values among all rows by the kernels of all fits, as far as there is room: where these do not depend on which rows
    /// there are, they serve every part of the rows. `computes`: or counts them alone, where other processes compute them.
    ///
    /// # Errors
    /// A kernel that does not fit the columns; an end that was asked for.
    fn tabulate(&mut self, computes: bool, control: &Control) -> Result<()> {
        let Arena { examples, whole, used, .. } = &*self;
        let one = KernelValues::bytes(used.len(), 0);
        let may = self.are_costly && self.shared_rows >= used.len() && !whole.layout().learns_from_rows(&examples.data.select(used));
        let mut open: Vec<KernelExpr> = Vec::new();
        for kernel in std::iter::once(&whole.kernel).chain(&self.kernels).filter(|kernel| may && !kernel.learns()) {
            if !self.tabled.contains(kernel) && !open.contains(kernel) {
                open.push(kernel.clone());
            }
        }
        let until = control.share(TABLE_SHARE);
        for (i, kernel) in open.iter().enumerate() {
            let settled = kernel.settle(&self.whole.data)?;
            let has_room = self.shared.has_room((self.tabled.len() as u64 + 1) * one);
            if settled.needs_training_rows() || settled.depends_on_row_identity() || !has_room {
                continue;
            }
            control.tell("kernel values of all rows", i, open.len());
            let is_common = *kernel == self.whole.kernel;
            let compute = || -> Result<KernelValues> {
                let bound: Arc<dyn Bound> = settled.learn(&self.whole.data, None, control)?.gram(&self.whole.data, control)?.into();
                if is_common {
                    self.bound = Some((settled.clone(), bound.clone()));
                }
                KernelValues::of(bound.as_ref(), None, &until)
            };
            match computes.then(compute).transpose() {
                Ok(values) => {
                    self.shared.keep_table(&settled, values, KernelValues::work(self.size, 0));
                    self.tabled.push(kernel.clone());
                }
                // Fits then compute those that they need.
                Err(Error::Time { .. } | Error::Memory { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(())
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

    /// The training rows of a fold that searches draw from, for fits to no more than `most` rows: of inputs whose kernel values take long no
    /// others than those.
    pub(crate) fn searched(&self, k: usize, prepared: &PreparedFold, most: usize) -> Result<Arc<Searched>> {
        let rows = &self.folds[k].train;
        let count = rows.len().min(SEARCHED_ROWS).min(if self.are_costly { most } else { usize::MAX });
        let kept = || self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().get(&(k, count)) {
            return Ok(known.clone());
        }
        let (raw, some, rows) = if rows.len() <= count {
            (self.examples.data.select(rows), None, None)
        } else {
            let some = some_rows_of(&prepared.train.target, count, self.seed);
            let raw = self.examples.data.select(&some.iter().map(|&i| rows[i]).collect::<Vec<usize>>());
            (raw, Some(prepared.train.examples().select(&some)), Some(some))
        };
        let sample = some.as_ref().unwrap_or(&prepared.train);
        let kernel = self.kernel_of(k).settle_weighed(&sample.data, sample.weights.as_deref())?;
        let made = Arc::new(Searched { raw, some, rows, kernel });
        if self.keeps {
            kept().insert((k, count), made.clone());
        }
        Ok(made)
    }

    /// So many training rows of a fold at random, `None` where they are all; the last part of each fold is kept where folds are.
    pub(crate) fn part(&self, k: usize, prepared: &PreparedFold, rows: usize) -> Option<Arc<Sample>> {
        if rows >= prepared.train.data.rows() {
            return None;
        }
        let kept = || self.part.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., part)) = kept().iter().find(|(fold, n, _)| (*fold, *n) == (k, rows)) {
            return Some(part.clone());
        }
        let part = Arc::new(prepared.train.examples().select(&some_rows_of(&prepared.train.target, rows, self.seed)));
        if self.keeps {
            let mut kept = kept();
            kept.retain(|(fold, ..)| *fold != k);
            kept.push((k, rows, part.clone()));
        }
        Some(part)
    }

    /// The values of a kernel among so many training rows of a fold, all or those of [`Arena::part`], and of its held-out rows with
    /// them, where they are worth keeping: computed once for all estimators; and where fits share what they compute beside them.
    pub(crate) fn values(
        &self,
        k: usize,
        prepared: &PreparedFold,
        train: &Examples<'_>,
        kernel: &KernelExpr,
        control: &Control,
    ) -> Result<Option<(Arc<KernelValues>, Sharing)>> {
        let (rows, held_out) = (train.rows(), prepared.test.rows());
        if !self.shares(rows) || !self.shared.has_room(KernelValues::bytes(rows, held_out)) {
            return Ok(None);
        }
        let fold = &self.folds[k];
        let taken = some_rows_of(&prepared.train.target, rows, self.seed);
        let train_rows = self.places(&taken.into_iter().map(|i| fold.train[i]).collect::<Vec<usize>>());
        let sharing = self.shared_among(k, train_rows.clone());
        let of = ValuesOf { prepared_in: Some(k), train: train_rows, test: self.places(&fold.test), kernel: kernel.to_string() };
        let make = || {
            let [among, cross] = KernelValues::bind(kernel, train.data, train.weights, &prepared.test, control)?;
            KernelValues::of(among.as_ref(), Some(cross.as_ref()), control)
        };
        let values = self.shared.get(of, KernelValues::work(self.size.at(rows), held_out), make)?;
        Ok(sharing.map(|sharing| (values, sharing)))
    }

    /// Where the searches of a fold, on rows that it draws from, share kernel values.
    pub(crate) fn sharing(&self, k: usize, searched: &Searched) -> Option<Sharing> {
        let rows = match &searched.rows {
            Some(some) => some.iter().map(|&i| self.folds[k].train[i]).collect(),
            None => self.folds[k].train.clone(),
        };
        self.shared_among(k, self.places(&rows))
    }

    /// Where fits to all rows do.
    pub(crate) fn sharing_of_all(&self) -> Option<Sharing> {
        let sharing = self.shared_among(self.folds.len(), (0..self.whole.data.rows()).collect())?;
        Some(Sharing { bound: self.bound.clone(), ..sharing })
    }

    /// Where fits to some of the rows of the table do.
    pub(crate) fn sharing_among(&self, rows: &[usize]) -> Option<Sharing> {
        self.shared_among(self.folds.len(), self.places(rows))
    }

    /// What is shared among prepared rows, by their places.
    fn shared_among(&self, prepared_in: usize, places: Vec<usize>) -> Option<Sharing> {
        let values = self.shared.clone();
        (self.are_costly && values.has_room(KernelValues::bytes(places.len(), 0))).then(|| Sharing {
            values,
            prepared_in,
            places: places.into(),
            bound: None,
            size: self.size,
        })
    }

    /// Places of rows among the prepared ones.
    fn places(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().map(|i| self.used.binary_search(i).unwrap_or(*i)).collect()
    }

    /// Counts kernel values that were computed elsewhere.
    pub(crate) fn count(&self, key: u64, work: f64) {
        self.shared.count(key, work);
    }

    /// The kernel values that were counted since this was last asked for, by their hashes.
    pub(crate) fn newly_counted(&self) -> Vec<(u64, f64)> {
        self.shared.newly_counted()
    }

    /// Operations of all kernel values that were shared so far.
    pub(crate) fn shared_work(&self) -> f64 {
        self.shared.work()
    }

    /// Operations of the kernel values of a fit to so many rows of a fold, or of all, and of its held-out rows: 0 where a fit before has
    /// computed them.
    pub(crate) fn uncomputed_work(&self, fold: Option<usize>, rows: usize) -> f64 {
        match self.tabled.contains(fold.map_or(self.kernel(), |k| self.kernel_of(k))) || self.computed().contains(&(fold, rows)) {
            true => 0.0,
            false => KernelValues::work(self.size.at(rows), fold.map_or(0, |k| self.folds[k].test.len())),
        }
    }

    /// Whether the kernel values of fits to so many rows of every fold are kept at a time.
    pub(crate) fn keeps_all_folds(&self, rows: usize) -> bool {
        let of_fold = |f: &Fold| KernelValues::bytes(rows.min(f.train.len()), f.test.len());
        self.shared.has_room(self.folds.iter().map(of_fold).sum())
    }

    /// A fit to so many rows of a fold, or of all, has computed its kernel values.
    pub(crate) fn note_computed(&self, fold: Option<usize>, rows: usize) {
        self.computed().insert((fold, rows));
    }

    fn computed(&self) -> MutexGuard<'_, HashSet<(Option<usize>, usize)>> {
        self.computed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the kernel values of a fit to so many rows are shared.
    pub(crate) fn shares(&self, rows: usize) -> bool {
        self.are_costly && rows <= self.shared_rows
    }

    /// The kernel as it was asked for, or as all rows have chosen it.
    pub(crate) fn kernel(&self) -> &KernelExpr {
        &self.whole.kernel
    }

    /// The kernel of the fits to a fold.
    pub(crate) fn kernel_of(&self, k: usize) -> &KernelExpr {
        self.kernels.get(k).unwrap_or(&self.whole.kernel)
    }
}
