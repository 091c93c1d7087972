//! The kernel of a comparison where none is asked for: candidates of each structured column, ranked by the leave-one-out error of ridge
//! on training rows alone. The rows of each fold choose for themselves, so that no held-out row has a say, and all rows for the model.

use super::Comparing;
use super::plan::{budget, values_work};
use crate::control::Control;
use crate::data::{ColumnKind, Dataset, Examples, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::{Estimator, Ridge, Size, Task, View};
use crate::fitting::{Prepared, long_texts, size_of};
use crate::gram::{Dense, Mercer};
use crate::kernels::{ColumnKernels, KernelExpr, Selection};
use crate::linalg::Matrix;
use crate::notice::{KernelGain, Notice};
use crate::trial::limits::{
    CHOICE_COPIES, CHOICE_ROWS, CHOICE_SHARE, CHOICE_WORK, FEWEST_CHOICE_ROWS, PROBES_SHARE, VALUES_SHARE, assumed_rate,
};
use crate::trial::{largest, measured_value};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Values of lambda that are tried, in decades: from its start, and then from the best before.
const DECADES: [&[f64]; 3] = [&[-6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0], &[-1.0, 1.0], &[-0.5, 0.5]];

/// What there is to choose from.
pub(super) struct KernelChoice {
    /// The columns that are read.
    kinds: Vec<(String, ColumnKind)>,
    /// The natural kernels of structured columns.
    natural: ColumnKernels,
    /// The candidates of each structured column.
    of_columns: Vec<(String, Vec<Candidate>)>,
    /// Operations of one kernel value with which fits to all rows have their share of the budget.
    most_per_value: f64,
    /// Rows that each choice is made by, at most.
    rows: usize,
    /// Operations of all choices.
    pub work: f64,
    /// The share of the time that is left which each choice may take.
    share: f64,
    seed: u64,
}

/// Kernels of one column that are added, and the operations of one value of them.
#[derive(Clone)]
struct Candidate {
    list: Vec<KernelExpr>,
    per_value: f64,
}

/// A kernel that was chosen, and what it was chosen from.
pub(super) struct Chosen {
    pub kernel: KernelExpr,
    natural: KernelExpr,
    /// Every kernel that could be measured with its leave-one-out error, and whether no value of it is negative.
    tried: Vec<(KernelExpr, f64, bool)>,
    /// Rows that they were measured by.
    rows: usize,
}

impl KernelChoice {
    /// Of the rows of a table as they are, prepared for the natural kernel; `None` where a kernel is asked for, no column has others, or
    /// there is no room for a choice.
    pub(super) fn of(raw: &Examples<'_>, whole: &Prepared, comparing: &Comparing, control: &Control) -> Result<Option<Self>> {
        if comparing.kernel.is_some() {
            return Ok(None);
        }
        let columns = raw.data.columns().iter().filter(|c| !whole.prep.drops(&c.name));
        let kinds: Vec<Selection<'_>> = columns.map(|c| (c.name.as_str(), c.values.kind())).collect();
        let limit = control.seconds_left().map(|s| s * assumed_rate());
        let all = budget(comparing, control).or(limit).unwrap_or(f64::INFINITY);
        // A limit of time is of this machine; work without one is counted, so that it is the same everywhere.
        let quick = control.share(PROBES_SHARE);
        let measured = |kernel: &KernelExpr| control.deadline.and_then(|_| measured_value(kernel, &whole.data, &quick));
        let per_value = |kernel: &KernelExpr| measured(kernel).or_else(|| kernel.per_value(&whole.data)).unwrap_or(Size::PER_VALUE);
        let of_one = Size { per_value: 1.0, ..size_of(&whole.kernel, &whole.data, raw.target) };
        let most_per_value = VALUES_SHARE * all / values_work(of_one, comparing.folds, raw.rows());
        let (mut natural, mut of_columns) = (ColumnKernels::new(), Vec::new());
        for (name, lists) in KernelExpr::candidates(raw.data, &kinds, &long_texts(raw.data))? {
            natural.insert(name.clone(), lists[0].clone());
            let of = |list: Vec<KernelExpr>| Candidate { per_value: list.iter().map(per_value).sum(), list };
            let mut lists: Vec<Candidate> = lists.into_iter().map(of).collect();
            // More rows are worth more than another kernel: where some let all rows be learnt from, the others are left out.
            if lists.iter().any(|own| own.per_value <= most_per_value) {
                lists.retain(|own| own.per_value <= most_per_value);
            }
            of_columns.push((name, lists));
        }
        // Every row is chosen by as often as there are folds, and for the model.
        let choices = comparing.folds as f64 + 1.0;
        let work = |n: usize| {
            let n = n as f64;
            let of = |own: &Candidate| own.per_value * n * n / 2.0 + CHOICE_WORK * n.powi(3);
            choices * of_columns.iter().flat_map(|(_, lists)| lists).map(of).sum::<f64>()
        };
        // Each term is kept, and what ridge makes of one kernel on every thread.
        let terms =
            of_columns.iter().map(|(_, lists)| lists.len()).sum::<usize>() + kinds.len() + CHOICE_COPIES * rayon::current_num_threads();
        let has_room = |n: usize| 8 * (terms * n * n) as u64 <= control.room() / 2;
        let rows = largest(raw.rows().min(CHOICE_ROWS), |n| work(n) <= CHOICE_SHARE * all && has_room(n));
        if of_columns.is_empty() || rows < FEWEST_CHOICE_ROWS.min(raw.rows()) {
            return Ok(None);
        }
        let (work, share) = (work(rows), CHOICE_SHARE / choices);
        let kinds = kinds.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
        Ok(Some(KernelChoice { kinds, natural, of_columns, most_per_value, rows, work, share, seed: comparing.seed }))
    }

    /// The kernel of the table with these kernels of columns.
    fn kernel(&self, given: &ColumnKernels) -> Result<KernelExpr> {
        let kinds: Vec<Selection<'_>> = self.kinds.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
        KernelExpr::natural_with(&kinds, given)
    }

    /// The kernel that prepared rows choose: column by column the list of kernels, or the best two of them added, with the smallest
    /// leave-one-out error; the natural one where none can be measured in its share of the time.
    pub(super) fn choose(&self, examples: &Examples<'_>, control: &Control) -> Result<Chosen> {
        let control = &control.keeping(control.seconds_left().map_or(0.0, |left| (1.0 - self.share) * left));
        let part = examples.select(&some_rows_of(examples.target, self.rows, self.seed));
        let part = part.examples();
        let mut given = self.natural.clone();
        let natural = self.kernel(&given)?;
        let part = &Terms { examples: &part, values: Mutex::default(), seed: self.seed };
        let mut tried: Vec<(KernelExpr, f64, bool)> = Vec::new();
        for (name, lists) in &self.of_columns {
            let mut measured = self.measured(name, lists, &given, part, control)?;
            if let [first, second, ..] = &measured[..] {
                let mut list = first.of.list.clone();
                list.extend(second.of.list.iter().filter(|kernel| !first.of.list.contains(kernel)).cloned());
                let both = Candidate { list, per_value: first.of.per_value + second.of.per_value };
                if both.per_value <= self.most_per_value {
                    measured.extend(self.measured(name, &[both], &given, part, control)?);
                }
            }
            tried.extend(measured.iter().map(|m| (m.kernel.clone(), m.error, m.is_nonnegative)));
            if let Some(best) = measured.into_iter().min_by(|a, b| a.error.total_cmp(&b.error)) {
                given.insert(name.clone(), best.of.list);
            }
        }
        Ok(Chosen { kernel: self.kernel(&given)?, natural, tried, rows: part.examples.rows() })
    }

    /// The table with each list of kernels of one column, the best first; without those that could not be measured.
    fn measured(
        &self,
        name: &str,
        lists: &[Candidate],
        given: &ColumnKernels,
        part: &Terms<'_>,
        control: &Control,
    ) -> Result<Vec<Measured>> {
        let quiet = Control { progress: None, ..control.side_by_side(lists.len()) };
        let measure = |of: &Candidate| -> Result<Option<Measured>> {
            let mut given = given.clone();
            given.insert(name.to_owned(), of.list.clone());
            let kernel = self.kernel(&given)?;
            let found = part.left_out_error(&kernel, &quiet)?;
            Ok(found.map(|(error, is_nonnegative)| Measured { of: of.clone(), kernel, error, is_nonnegative }))
        };
        let mut all: Vec<Measured> = lists.par_iter().map(measure).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        all.sort_by(|a, b| a.error.total_cmp(&b.error));
        Ok(all)
    }
}

/// Kernels of one column, the kernel of the table with them, and its leave-one-out error.
struct Measured {
    of: Candidate,
    kernel: KernelExpr,
    error: f64,
    is_nonnegative: bool,
}

impl Chosen {
    /// The best kernel of which no value was negative; the natural one where none was measured.
    pub(super) fn nonnegative(&self) -> KernelExpr {
        let able = self.tried.iter().filter(|(_, _, is_nonnegative)| *is_nonnegative);
        able.min_by(|a, b| a.1.total_cmp(&b.1)).map_or_else(|| self.natural.clone(), |(kernel, ..)| kernel.clone())
    }

    /// Makes it the kernel of prepared rows, and says so among their notices.
    pub(super) fn settle(self, whole: &mut Prepared, raw: &Dataset) {
        if self.kernel != whole.kernel {
            // How the natural kernel would have compared the columns.
            let natural: Vec<Notice> = raw.columns().iter().filter_map(KernelExpr::natural_sequences).collect();
            whole.notices.retain(|notice| !natural.contains(notice));
        }
        whole.notices.extend(self.notice());
        whole.kernel = self.kernel;
    }

    /// Whether any kernel could be measured.
    pub(super) fn is_measured(&self) -> bool {
        !self.tried.is_empty()
    }

    /// The notice of what was tried and what it gained; `None` where nothing was.
    fn notice(&self) -> Option<Notice> {
        let of = |kernel: &KernelExpr| self.tried.iter().find(|(k, ..)| k == kernel).map(|(_, error, _)| *error);
        let count = self.tried.len();
        let gain = match (of(&self.kernel), of(&self.natural)) {
            _ if count == 0 => return None,
            (Some(error), Some(natural)) if self.kernel != self.natural && natural > 0.0 => {
                Some(KernelGain { share: 1.0 - error / natural, than: self.natural.to_string() })
            }
            _ => None,
        };
        Some(Notice::KernelChosen { kernel: self.kernel.to_string(), candidates: count, rows: self.rows, gain })
    }
}

/// Kernel values of the terms of sums among some rows, each term once.
struct Terms<'a> {
    examples: &'a Examples<'a>,
    values: Mutex<HashMap<String, Arc<Dense>>>,
    seed: u64,
}

impl Terms<'_> {
    /// The values of a kernel that is no sum.
    fn of_term(&self, kernel: &KernelExpr, control: &Control) -> Result<Arc<Dense>> {
        let (name, known) = (kernel.to_string(), || self.values.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(values) = known().get(&name) {
            return Ok(values.clone());
        }
        let &Examples { data, weights, .. } = self.examples;
        let learnt = kernel.settle_weighed(data, weights)?.learn(data, weights, control)?;
        let values = Arc::new(Dense::of(learnt.gram(data, control)?.as_ref(), control)?);
        known().insert(name, values.clone());
        Ok(values)
    }

    fn of(&self, kernel: &KernelExpr, control: &Control) -> Result<Arc<Dense>> {
        let KernelExpr::Sum(sum) = kernel else { return self.of_term(kernel, control) };
        let mut all = Matrix::zeros(self.examples.rows(), self.examples.rows());
        for term in &sum.of {
            let values = self.of_term(term, control)?;
            all.data_mut().iter_mut().zip(values.matrix().data()).for_each(|(all, value)| *all += value);
        }
        Ok(Arc::new(Dense::square(all)?.known_finite()))
    }

    /// The least leave-one-out error of ridge over lambda, under a kernel with its parameters at their starting values, and whether no value
    /// is negative; `None` where the kernel does not suit these rows, or there was no time. Rows are left out of ridge and not of what the
    /// kernel learns, which knows no target.
    fn left_out_error(&self, kernel: &KernelExpr, control: &Control) -> Result<Option<(f64, bool)>> {
        if kernel.mercer() != Mercer::Always {
            return Ok(None);
        }
        let measure = || -> Result<Option<(f64, bool)>> {
            let gram = self.of(kernel, control)?;
            let &Examples { target, weights, .. } = self.examples;
            let task = Task { view: View::Values(gram.as_ref()), target, weights, control, seed: self.seed };
            let ridge = Ridge::default();
            let start = ridge.start("lambda", &task)?;
            let criterion = |step: f64| match ridge.criterion_along("lambda", &[start * 10f64.powf(step)], &task) {
                // A lambda so small that the system is singular is none to choose.
                Err(Error::Numerical { .. }) => Ok(f64::INFINITY),
                found => found.map(|found| found.into_iter().flatten().next().unwrap_or(f64::INFINITY)),
            };
            let mut best = (f64::INFINITY, 0.0);
            for tried in DECADES {
                let around: f64 = best.1;
                for step in tried.iter().map(|step| around + step) {
                    let loss = criterion(step)?;
                    if loss < best.0 {
                        best = (loss, step);
                    }
                }
            }
            let is_nonnegative = gram.matrix().data().iter().all(|value| *value >= 0.0);
            Ok(Some((Ridge::criterion_for_display(best.0), is_nonnegative)).filter(|(error, _)| error.is_finite()))
        };
        match measure() {
            Err(error @ Error::Cancelled) => Err(error),
            // A kernel that cannot be measured is not chosen.
            Err(_) => Ok(None),
            measured => measured,
        }
    }
}
