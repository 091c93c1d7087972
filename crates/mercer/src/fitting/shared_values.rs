//! Kernel values that several fits of a comparison use: computed once, and kept while there is room, those asked for last. Where no row
//! changes the inputs or the kernel of others, the values among all rows serve every part of them.

use super::{KernelValues, read_rows};
use crate::control::Control;
use crate::data::Examples;
use crate::error::Result;
use crate::estimators::{Size, View, ViewKind};
use crate::gram::Bound;
use crate::kernels::KernelExpr;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Which kernel values, by places among the prepared rows of the table.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct ValuesOf {
    /// The fold whose training rows prepared the inputs; `None`: the training rows below.
    pub prepared_in: Option<usize>,
    pub train: Vec<usize>,
    /// Held-out rows.
    pub test: Vec<usize>,
    pub kernel: String,
}

impl ValuesOf {
    /// Whether other values are among these.
    fn serves(&self, other: &ValuesOf) -> bool {
        let tests = other.test.is_empty() || other.test == self.test;
        tests && (self.prepared_in, &self.train, &self.kernel) == (other.prepared_in, &other.train, &other.kernel)
    }
}

/// The values that are kept, with their bytes, and what all of them took.
#[derive(Default)]
struct Kept {
    /// Those among all rows by kernels of which no row changes anything for others.
    tables: Vec<(String, KernelValues)>,
    values: Vec<(ValuesOf, u64, Arc<KernelValues>)>,
    /// By their hashes, which are the same in every process.
    counted: HashSet<u64>,
    /// Those that were counted since they were last asked for, with their operations.
    newly: Vec<(u64, f64)>,
    work: f64,
}

impl Kept {
    fn count(&mut self, key: u64, work: f64) {
        if self.counted.insert(key) {
            self.work += work;
            self.newly.push((key, work));
        }
    }
}

fn hash_of(values: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    values.hash(&mut hasher);
    hasher.finish()
}

/// The kernel values of one table.
pub(crate) struct SharedValues {
    kept: Mutex<Kept>,
    /// Bytes that may be kept.
    most: u64,
}

/// Some rows of the table whose kernel values others may use.
#[derive(Clone)]
pub(crate) struct Sharing {
    pub values: Arc<SharedValues>,
    /// The fold whose training rows prepared them.
    pub prepared_in: usize,
    /// Their places among the prepared rows of the table.
    pub places: Arc<[usize]>,
    /// All of them bound to a settled kernel, where they are.
    pub bound: Option<(KernelExpr, Arc<dyn Bound>)>,
    /// The size of a fit to all prepared rows.
    pub size: Size,
}

impl Sharing {
    /// Some of these rows, by their places among them.
    pub(crate) fn among(&self, rows: &[usize]) -> Sharing {
        Sharing { places: rows.iter().map(|&i| self.places[i]).collect(), bound: None, ..self.clone() }
    }

    /// Whether values among so many rows, and of so many others with them, may be kept.
    pub(crate) fn has_room(&self, train: usize, test: usize) -> bool {
        self.values.has_room(KernelValues::bytes(train, test))
    }

    /// The values by a kernel among some of these rows, and of others of them with these; `anew`: whether the training rows prepared
    /// both.
    pub(crate) fn values(
        &self,
        (train, test): (&[usize], &[usize]),
        anew: bool,
        kernel: &KernelExpr,
        make: impl FnOnce() -> Result<KernelValues>,
    ) -> Result<Arc<KernelValues>> {
        let places = |of: &[usize]| of.iter().map(|&i| self.places[i]).collect();
        let prepared_in = (!anew).then_some(self.prepared_in);
        let of = ValuesOf { prepared_in, train: places(train), test: places(test), kernel: kernel.to_string() };
        self.values.get(of, KernelValues::work(self.size.at(train.len()), test.len()), make)
    }

    /// All these rows bound to a settled kernel, where they are.
    pub(crate) fn bound_to(&self, kernel: &KernelExpr) -> Option<Arc<dyn Bound>> {
        self.bound.as_ref().filter(|(bound, _)| bound == kernel).map(|(_, rows)| rows.clone())
    }

    /// The values by a kernel among all these rows, where they are there.
    pub(crate) fn known(&self, kernel: &KernelExpr) -> Option<Arc<KernelValues>> {
        let (prepared_in, train) = (Some(self.prepared_in), self.places.to_vec());
        self.values.kept(&ValuesOf { prepared_in, train, test: Vec::new(), kernel: kernel.to_string() })
    }
}

/// What `read` makes of a view of rows under a settled kernel: of values that others have computed, where there are such.
pub(crate) fn with_view<T>(
    (kernel, kind): (&KernelExpr, ViewKind),
    examples: &Examples<'_>,
    sharing: Option<&Sharing>,
    control: &Control,
    read: impl FnOnce(View<'_>) -> Result<T>,
) -> Result<T> {
    if let Some(values) = sharing.filter(|_| kind == ViewKind::Values).and_then(|sharing| sharing.known(kernel)) {
        return read(View::Values(values.among().as_ref()));
    }
    read(read_rows(&kernel.learn(examples.data, examples.weights, control)?, kind, examples.data, control)?.view())
}

impl SharedValues {
    pub(crate) fn new(most: u64) -> Self {
        SharedValues { kept: Mutex::default(), most }
    }

    /// Keeps the values among all rows by a settled kernel, which took so many operations; `None`: others have them.
    pub(crate) fn keep_table(&self, kernel: &KernelExpr, values: Option<KernelValues>, work: f64) {
        let (mut kept, name) = (self.lock(), kernel.to_string());
        kept.count(hash_of(&name), work);
        kept.tables.extend(values.map(|values| (name, values)));
    }

    /// Counts values that were computed elsewhere.
    pub(crate) fn count(&self, key: u64, work: f64) {
        self.lock().count(key, work);
    }

    /// What was counted since this was last asked for.
    pub(crate) fn newly_counted(&self) -> Vec<(u64, f64)> {
        std::mem::take(&mut self.lock().newly)
    }

    /// Whether so many bytes may be kept.
    pub(crate) fn has_room(&self, bytes: u64) -> bool {
        bytes <= self.most
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is kept of these.
    fn kept(&self, of: &ValuesOf) -> Option<Arc<KernelValues>> {
        let mut kept = self.lock();
        if let Some((_, table)) = kept.tables.iter().find(|(kernel, _)| *kernel == of.kernel) {
            return Some(Arc::new(table.folded(&of.train, &of.test)));
        }
        let found = kept.values.iter().position(|(known, ..)| known.serves(of))?;
        let found = kept.values.remove(found);
        let values = found.2.clone();
        kept.values.push(found);
        Some(values)
    }

    /// What is kept of these, or what `make` gives, which takes so many operations.
    pub(crate) fn get(&self, of: ValuesOf, work: f64, make: impl FnOnce() -> Result<KernelValues>) -> Result<Arc<KernelValues>> {
        if let Some(kept) = self.kept(&of) {
            return Ok(kept);
        }
        // Not under the lock: a thread that waits for a part of this work may take up another trial.
        let values = Arc::new(make()?);
        let bytes = KernelValues::bytes(of.train.len(), of.test.len());
        let mut kept = self.lock();
        // Each is counted once, whatever threads were at it at a time and whatever had to go: what is spent is the same in every run.
        kept.count(hash_of(&of), work);
        if self.has_room(bytes) && !kept.values.iter().any(|(known, ..)| *known == of) {
            while kept.values.iter().map(|(_, bytes, _)| bytes).sum::<u64>() + bytes > self.most {
                kept.values.remove(0);
            }
            kept.values.push((of, bytes, values.clone()));
        }
        Ok(values)
    }

    /// Operations of all values that were asked for so far.
    pub(crate) fn work(&self) -> f64 {
        self.lock().work
    }
}
