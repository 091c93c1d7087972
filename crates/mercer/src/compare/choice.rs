//! The kernel of a comparison where none is asked for: candidates of each structured column, ranked by the leave-one-out error of ridge
//! on training rows alone. The rows of each fold choose for themselves, so that no held-out row has a say, and all rows for the model.

use super::Comparing;
use super::plan::budget;
use crate::control::Control;
use crate::data::{ColumnKind, Dataset, Examples, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Ridge, Size};
use crate::fitting::{Prepared, long_texts};
use crate::gram::Mercer;
use crate::kernels::{ColumnKernels, KernelExpr, Selection};
use crate::select;
use crate::trial::largest;
use crate::trial::limits::{CHOICE_ROWS, CHOICE_SHARE, CHOICE_WORK, FEWEST_CHOICE_ROWS, RATE};
use rayon::prelude::*;

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
    seed: u64,
}

/// A kernel that was chosen, and what it was chosen from.
pub(super) struct Chosen {
    pub kernel: KernelExpr,
    /// Every kernel that could be measured with its leave-one-out error, the natural one first.
    pub tried: Vec<(KernelExpr, f64)>,
    /// Rows that they were measured by.
    pub rows: usize,
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
        Ok(Some(KernelChoice { kinds, of_columns, rows, work: work(rows), seed: comparing.seed }))
    }

    /// The kernel of the table with these kernels of columns.
    fn kernel(&self, given: &ColumnKernels) -> Result<KernelExpr> {
        let kinds: Vec<Selection<'_>> = self.kinds.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
        KernelExpr::natural_with(&kinds, given)
    }

    /// The kernel that prepared rows choose: column by column the list of kernels, or the best two of them added, with the smallest
    /// leave-one-out error. Time that ends leaves what was chosen by then.
    pub(super) fn choose(&self, examples: &Examples<'_>, control: &Control) -> Result<Chosen> {
        let part = examples.select(&some_rows_of(examples.target, self.rows, self.seed));
        let part = part.examples();
        let mut given: ColumnKernels = self.of_columns.iter().map(|(name, lists)| (name.clone(), lists[0].clone())).collect();
        let natural = self.kernel(&given)?;
        let mut tried: Vec<(KernelExpr, f64)> = Vec::new();
        let mut best: Option<(KernelExpr, f64)> = None;
        for (name, lists) in &self.of_columns {
            let measured = |lists: &[Vec<KernelExpr>]| -> Result<Vec<(Vec<KernelExpr>, KernelExpr, f64)>> {
                let measure = |list: &Vec<KernelExpr>| -> Result<Option<(Vec<KernelExpr>, KernelExpr, f64)>> {
                    let mut given = given.clone();
                    given.insert(name.clone(), list.clone());
                    let kernel = self.kernel(&given)?;
                    let error = left_out_error(&kernel, &part, control, self.seed)?;
                    Ok(error.map(|error| (list.clone(), kernel, error)))
                };
                let found: Vec<_> = lists.par_iter().map(measure).collect::<Result<_>>()?;
                Ok(found.into_iter().flatten().collect())
            };
            let mut all = measured(lists)?;
            let mut order: Vec<usize> = (0..all.len()).collect();
            order.sort_by(|&a, &b| all[a].2.total_cmp(&all[b].2));
            if let [first, second, ..] = order[..] {
                let both: Vec<KernelExpr> = all[first].0.iter().chain(&all[second].0).cloned().collect();
                let distinct = both.iter().enumerate().filter(|(k, kernel)| !both[..*k].contains(kernel)).map(|(_, kernel)| kernel.clone());
                all.extend(measured(&[distinct.collect()])?);
            }
            for (list, kernel, error) in all {
                tried.push((kernel.clone(), error));
                if best.as_ref().is_none_or(|(_, least)| error < *least) {
                    given.insert(name.clone(), list);
                    best = Some((kernel, error));
                }
            }
        }
        let kernel = best.map_or(natural, |(kernel, _)| kernel);
        Ok(Chosen { kernel, tried, rows: part.rows() })
    }
}

impl Chosen {
    /// Makes it the kernel of prepared rows, and says so among their notices.
    pub(super) fn settle(self, whole: &mut Prepared, raw: &Dataset) {
        if self.kernel != whole.kernel {
            // How the natural kernel would have compared the columns.
            let natural: Vec<String> = raw.columns().iter().filter_map(KernelExpr::natural_sequences).collect();
            whole.notices.retain(|notice| !natural.contains(notice));
        }
        whole.notices.extend(self.told());
        whole.kernel = self.kernel;
    }

    /// What was tried and what it gained; `None` where nothing was.
    fn told(&self) -> Option<String> {
        let (natural, of_natural) = self.tried.first()?;
        let of = |kernel: &KernelExpr| self.tried.iter().find(|(k, _)| k == kernel).map(|(_, error)| *error);
        let others = self.tried.len() - 1;
        let by = format!("leave-one-out error of ridge on {} training rows", self.rows);
        Some(match of(&self.kernel) {
            Some(error) if self.kernel != *natural => format!(
                "kernel: {} was chosen out of {} by the {by}, {:.0}% below that of {natural}; the rows of each fold chose for themselves",
                self.kernel,
                others + 1,
                100.0 * (1.0 - error / of_natural)
            ),
            _ => {
                format!("kernel: the natural one was chosen out of {} by the {by}; the rows of each fold chose for themselves", others + 1)
            }
        })
    }
}

/// The leave-one-out error of ridge under a kernel with its parameters at their starting values, tuned in lambda alone; `None` where the
/// kernel does not suit these rows, or there was no time.
fn left_out_error(kernel: &KernelExpr, examples: &Examples<'_>, control: &Control, seed: u64) -> Result<Option<f64>> {
    if kernel.mercer() != Mercer::Always {
        return Ok(None);
    }
    let measure = || -> Result<Option<f64>> {
        let settled = kernel.settle_weighed(examples.data, examples.weights)?;
        let tuned = select::tune(&settled, &EstimatorExpr::Ridge(Ridge::default()), examples, control, seed, false)?;
        let tuning = tuned.tuning.and_then(|t| Some(if t.rises { -t.value? } else { t.value? }));
        Ok(tuning.filter(|error| error.is_finite()))
    };
    match measure() {
        Err(error @ Error::Cancelled) => Err(error),
        // A kernel that cannot be measured is not chosen.
        Err(_) => Ok(None),
        measured => measured,
    }
}
