//! Which kernel for a table: the rule that says so, and beside it what was measured of the kernels that other rules would take.
//!
//! Rules (7.5 of the first source of the specification; Murphy 2012, 14.2.4 and 14.5.4): strings have kernels of their own; as many
//! columns as rows are separable by lines, and `linear` is enough; products of columns are for columns whose products mean something;
//! else `rbf`. Each is judged by the leave-one-out error of `ridge`, tuned by that error.

use super::{Comparing, Field};
use crate::control::Control;
use crate::data::{ColumnKind, Dataset, Examples, Values};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Ridge};
use crate::fitting;
use crate::kernels::{Composed, KernelExpr, Selection};
use crate::select::{self, Tuning};

/// Why a kernel is taken before anything is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Columns of strings, trees, sets: kernels of their own.
    Structure,
    /// At least as many numbers in a row as there are rows, or rows of few numbers among very many.
    ManyColumns,
    /// Nothing says otherwise.
    Smooth,
}

/// One kernel, measured.
#[derive(Debug)]
pub struct Judged {
    /// As it would be asked for.
    pub kernel: KernelExpr,
    /// What was measured, with its value; of what could not be, why.
    pub found: Result<Tuning>,
}

/// The rule that fired, and what each kernel is worth.
#[derive(Debug)]
pub struct Advice {
    /// Why the first kernel is taken.
    pub rule: Rule,
    /// Numbers in a row.
    pub numbers: usize,
    /// Rows.
    pub rows: usize,
    /// The kernel of the rule, then the others.
    pub judged: Vec<Judged>,
}

impl Advice {
    /// The place of the best kernel among those that were measured as the rule's was.
    pub fn best(&self) -> Option<usize> {
        let (criterion, rises) = self.judged.first().and_then(|j| j.found.as_ref().ok()).map(|t| (&t.criterion, t.rises))?;
        let value = |j: &Judged| j.found.as_ref().ok().filter(|t| &t.criterion == criterion).and_then(|t| t.value);
        let mut best: Option<(usize, f64)> = None;
        for (k, found) in self.judged.iter().enumerate().filter_map(|(k, j)| Some((k, value(j)?))) {
            if best.is_none_or(|(_, b)| if rises { found > b } else { found < b }) {
                best = Some((k, found));
            }
        }
        best.map(|(k, _)| k)
    }

    /// Whether the kernel of the rule is not told from the best within the noise of the best.
    pub fn holds(&self) -> bool {
        let (Some(best), Some(Ok(first))) = (self.best(), self.judged.first().map(|j| j.found.as_ref())) else { return false };
        let Ok(Tuning { same: Some(same), rises, .. }) = &self.judged[best].found else { return false };
        first.value.is_some_and(|v| best == 0 || if *rises { v >= *same } else { v <= *same })
    }
}

/// Numbers in a row, and whether rows are stored by the few that are not 0.
fn numbers_of(data: &Dataset) -> (usize, bool) {
    let all = data.columns().iter().map(|c| match &c.values {
        Values::Numbers(_) => (1, false),
        Values::Points(points) => (points.dim(), points.is_sparse()),
        _ => (0, false),
    });
    all.fold((0, false), |(n, sparse), (more, too)| (n + more, sparse || too))
}

/// The kernel with another one over the numbers.
fn over_numbers(natural: &KernelExpr, other: &KernelExpr) -> KernelExpr {
    match natural {
        KernelExpr::Rbf(_) => other.clone(),
        KernelExpr::Sum(sum) => {
            KernelExpr::Sum(Composed { how: sum.how.clone(), of: sum.of.iter().map(|k| over_numbers(k, other)).collect() })
        }
        same => same.clone(),
    }
}

/// The rule and the kernels, its own first.
fn kernels(data: &Dataset, kinds: &[Selection<'_>]) -> Result<(Rule, usize, Vec<KernelExpr>)> {
    let natural = KernelExpr::natural(kinds)?;
    let (numbers, sparse) = numbers_of(data);
    if numbers == 0 {
        // Every part alone: words, or runs of letters.
        let parts = if let KernelExpr::Sum(sum) = &natural { sum.of.clone() } else { Vec::new() };
        return Ok((Rule::Structure, numbers, std::iter::once(natural).chain(parts).collect()));
    }
    let lines = over_numbers(&natural, &KernelExpr::parse("linear")?);
    let products = over_numbers(&natural, &KernelExpr::parse("polynomial(degree=2)")?);
    Ok(match sparse || numbers >= data.rows() {
        true => (Rule::ManyColumns, numbers, vec![lines, natural, products]),
        false if kinds.iter().any(|(_, kind)| matches!(kind, ColumnKind::Text | ColumnKind::Sequence)) => {
            (Rule::Structure, numbers, vec![natural, lines, products])
        }
        false => (Rule::Smooth, numbers, vec![natural, lines, products]),
    })
}

/// Advice on the kernel of a table; a kernel that is asked for is measured beside the others.
///
/// # Errors
/// Rows that cannot be learnt from; on request of `control`. A kernel that cannot be measured is told with its reason.
pub fn advise(examples: &Examples<'_>, comparing: &Comparing, control: &Control) -> Result<Advice> {
    let field = Field::of(examples, comparing, control)?;
    let raw = examples.select(&field.used.rows);
    let kinds: Vec<Selection<'_>> = raw.data.columns().iter().map(|c| (c.name.as_str(), c.values.kind())).collect();
    let (rule, numbers, mut all) = kernels(&raw.data, &kinds)?;
    all.extend(comparing.kernel.iter().filter(|k| !all.contains(k)).cloned().collect::<Vec<_>>());
    let estimator = EstimatorExpr::Ridge(Ridge::default());
    let measure = |kernel: &KernelExpr| -> Result<Tuning> {
        let made = fitting::prepare_weighed(&comparing.prep, Some(kernel), &raw.data, raw.weights.as_deref())?;
        let ready = Examples { data: &made.data, ..raw.examples() };
        let tuned = select::tune(&made.kernel, &estimator, &ready, control, comparing.seed, false)?;
        tuned.tuning.ok_or_else(|| Error::Time { what: format!("measuring {kernel}") })
    };
    let mut judged = Vec::new();
    for kernel in all {
        match measure(&kernel) {
            Err(error @ Error::Cancelled) => return Err(error),
            found => judged.push(Judged { kernel, found }),
        }
    }
    Ok(Advice { rule, numbers, rows: raw.data.rows(), judged })
}
