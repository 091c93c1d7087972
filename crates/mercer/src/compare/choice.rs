//! The kernel of a comparison where none is asked for: candidates of each structured column, ranked by the leave-one-out error of ridge
//! on training rows alone. The rows of each fold choose for themselves, so that no held-out row has a say, and all rows for the model.

use super::Comparing;
use super::plan::budget;
use crate::control::Control;
use crate::data::{ColumnKind, Dataset, Examples, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::{Estimator, Ridge, Size, Task};
use crate::fitting::{KernelValues, Prepared, long_texts};
use crate::gram::Mercer;
use crate::kernels::{ColumnKernels, KernelExpr, Selection};
use crate::trial::largest;
use crate::trial::limits::{CHOICE_ROWS, CHOICE_SHARE, CHOICE_WORK, FEWEST_CHOICE_ROWS, RATE};
use rayon::prelude::*;

/// Powers of ten on both sides of the start of lambda.
const DECADES: i32 = 6;

/// What there is to choose from.
pub(super) struct KernelChoice {
    /// The columns that are read.
    kinds: Vec<(String, ColumnKind)>,
    /// Lists of kernels of each structured column, the natural one first.
    of_columns: Vec<(String, Vec<Vec<KernelExpr>>)>,
    /// Rows that each choice is made by, at most.
    rows: usize,
    /// Operations of all choices.
    pub work: f64,
    /// The share of the time that is left which each choice may take.
    share: f64,
    seed: u64,
}

/// A kernel that was chosen, and what it was chosen from.
pub(super) struct Chosen {
    pub kernel: KernelExpr,
    natural: KernelExpr,
    /// Every kernel that could be measured with its leave-one-out error.
    tried: Vec<(KernelExpr, f64)>,
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
        let of_columns = KernelExpr::candidates(raw.data, &kinds, &long_texts(raw.data))?;
        // Every row is chosen by as often as there are folds, and for the model.
        let choices = comparing.folds as f64 + 1.0;
        let per_values: Vec<f64> = of_columns
            .iter()
            .flat_map(|(_, lists)| lists.iter().flatten())
            .map(|kernel| kernel.per_value(&whole.data).unwrap_or(Size::PER_VALUE))
            .collect();
        let work = |n: usize| {
            let n = n as f64;
            choices * per_values.iter().map(|per_value| per_value * n * n / 2.0 + CHOICE_WORK * n.powi(3)).sum::<f64>()
        };
        let limit = control.seconds_left().map(|s| s * RATE * rayon::current_num_threads() as f64);
        let all = budget(comparing, control).or(limit).unwrap_or(f64::INFINITY);
        let rows = largest(raw.rows().min(CHOICE_ROWS), |n| work(n) <= CHOICE_SHARE * all);
        if of_columns.is_empty() || rows < FEWEST_CHOICE_ROWS.min(raw.rows()) {
            return Ok(None);
        }
        let kinds = kinds.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
        Ok(Some(KernelChoice { kinds, of_columns, rows, work: work(rows), share: CHOICE_SHARE / choices, seed: comparing.seed }))
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
        let mut given: ColumnKernels = self.of_columns.iter().map(|(name, lists)| (name.clone(), lists[0].clone())).collect();
        let natural = self.kernel(&given)?;
        let mut tried: Vec<(KernelExpr, f64)> = Vec::new();
        for (name, lists) in &self.of_columns {
            let mut measured = self.measured(name, lists, &given, &part, control)?;
            if let [first, second, ..] = &measured[..] {
                let mut both = first.list.clone();
                both.extend(second.list.iter().filter(|kernel| !first.list.contains(kernel)).cloned());
                measured.extend(self.measured(name, &[both], &given, &part, control)?);
            }
            tried.extend(measured.iter().map(|m| (m.kernel.clone(), m.error)));
            if let Some(best) = measured.into_iter().min_by(|a, b| a.error.total_cmp(&b.error)) {
                given.insert(name.clone(), best.list);
            }
        }
        Ok(Chosen { kernel: self.kernel(&given)?, natural, tried, rows: part.rows() })
    }

    /// The table with each list of kernels of one column, the best first; without those that could not be measured.
    fn measured(
        &self,
        name: &str,
        lists: &[Vec<KernelExpr>],
        given: &ColumnKernels,
        part: &Examples<'_>,
        control: &Control,
    ) -> Result<Vec<Measured>> {
        let quiet = Control { progress: None, ..control.side_by_side(lists.len()) };
        let measure = |list: &Vec<KernelExpr>| -> Result<Option<Measured>> {
            let mut given = given.clone();
            given.insert(name.to_owned(), list.clone());
            let kernel = self.kernel(&given)?;
            let error = left_out_error(&kernel, part, &quiet, self.seed)?;
            Ok(error.map(|error| Measured { list: list.clone(), kernel, error }))
        };
        let mut all: Vec<Measured> = lists.par_iter().map(measure).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        all.sort_by(|a, b| a.error.total_cmp(&b.error));
        Ok(all)
    }
}

/// Kernels of one column, the kernel of the table with them, and its leave-one-out error.
struct Measured {
    list: Vec<KernelExpr>,
    kernel: KernelExpr,
    error: f64,
}

impl Chosen {
    /// Makes it the kernel of prepared rows, and says so among their notices.
    pub(super) fn settle(self, whole: &mut Prepared, raw: &Dataset) {
        if self.kernel != whole.kernel {
            // How the natural kernel would have compared the columns.
            let natural: Vec<String> = raw.columns().iter().filter_map(KernelExpr::natural_sequences).collect();
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
    fn notice(&self) -> Option<String> {
        let of = |kernel: &KernelExpr| self.tried.iter().find(|(k, _)| k == kernel).map(|(_, error)| *error);
        let count = self.tried.len();
        let gain = match (of(&self.kernel), of(&self.natural)) {
            _ if count == 0 => return None,
            (Some(error), Some(natural)) if self.kernel != self.natural => {
                format!(", {:.0}% lower than under {}", 100.0 * (1.0 - error / natural), self.natural)
            }
            _ => String::new(),
        };
        Some(format!(
            "kernel: {} has the lowest leave-one-out error of {count} candidates, by ridge on {} rows{gain}; in each fold the training rows \
             choose for themselves",
            self.kernel, self.rows
        ))
    }
}

/// The least leave-one-out error of ridge over lambda, under a kernel with its parameters at their starting values; `None` where the kernel
/// does not suit these rows, or there was no time. Rows are left out of ridge and not of what the kernel learns, which knows no target.
fn left_out_error(kernel: &KernelExpr, examples: &Examples<'_>, control: &Control, seed: u64) -> Result<Option<f64>> {
    if kernel.mercer() != Mercer::Always {
        return Ok(None);
    }
    let measure = || -> Result<Option<f64>> {
        let &Examples { data, target, weights, .. } = examples;
        let learnt = kernel.settle_weighed(data, weights)?.learn(data, weights, control)?;
        let values = KernelValues::of(learnt.gram(data, control)?.as_ref(), None, control)?;
        let gram = values.among();
        let task = Task { gram: gram.as_ref(), target, weights, control, seed };
        let ridge = Ridge::default();
        let start = ridge.start("lambda", &task)?;
        let lambdas: Vec<f64> = (-DECADES * 2..=DECADES * 2).map(|k| start * 10f64.powf(f64::from(k) / 2.0)).collect();
        let found = ridge.criterion_along("lambda", &lambdas, &task)?;
        let least = found.into_iter().flatten().fold(f64::INFINITY, f64::min);
        Ok(Some(Ridge::criterion_for_display(least)).filter(|error| error.is_finite()))
    };
    match measure() {
        Err(error @ Error::Cancelled) => Err(error),
        // A kernel that cannot be measured is not chosen.
        Err(_) => Ok(None),
        measured => measured,
    }
}
