//! What support vector classification and regression share: options from parameters, and an expansion from solutions.

use crate::error::{Error, Result};
use crate::estimators::{Certificate, Costs, Expansion, Size, Summary, Task};
use crate::linalg::{Matrix, SCATTERED};
use crate::param::Value;
use crate::solve::smo::{Options, Problem, Solution};

/// The default of `cache_mb`: no ceiling before half of the memory that can be had, for up to 45,000 rows in full.
pub(super) const CACHE_MB: f64 = 8000.0;
/// The share of the tolerance by which kernel values in f32 may change a decision value.
pub(super) const ROUNDING: f64 = 0.05;
/// The default of `max_iterations`.
pub(super) const MAX_ITERATIONS: f64 = 1e7;

/// Kernel rows that a fit is not begun without: half of what the solver works on at a time.
const LEAST_ROWS: u64 = 128;

/// Rows up to which pair steps go over K as a whole, in both precisions.
const WHOLE_ROWS: usize = 4096;
/// The number of rows at which steps are counted, and how they fall for each pair of rows where there are more: fewer of them end
/// between the bounds. As counted on noisy classes and curves from 250 to 10,000 rows (`tests/costs.rs`).
const COUNTED_ROWS: f64 = 500.0;
const FALL: f64 = 0.4;
/// Bytes that the solver keeps of a variable.
const PER_VARIABLE: u64 = 120;
/// Operations for each number of few features.
const PER_FEATURE: f64 = 800.0;
/// Passes over sparse features: those of a linear machine (40), for some multipliers of the offset, and the pair steps after them. 5 s of
/// 9,000 proteins with 1,500 counts each, one core.
const SPARSE_PASSES: f64 = 150.0;
/// How much slower those of few features are than those of products: passes over more features than a cache holds. 4 to 27 s of fits to 80,000 rows
/// through 1,000 landmarks, 7 to 9 s of numbers, on two cores.
const PACE_OF_FEATURES: f64 = 4.0;

/// The costs of a fit that takes `square` operations for each pair of rows where there are [`COUNTED_ROWS`]. Memory is the least that a
/// fit plans with: some kernel rows or the features, and what the solver keeps of each of the variables that are `held` at a time, of
/// which there are `variables` for each row. More kernel rows are kept, in single precision, where there is memory for them.
pub(super) fn costs(size: Size, (variables, held): (usize, usize), cache_mb: &Value, square: f64) -> Costs {
    let (rows, n, cache) = (size.rows as u64, size.rows as f64, (cache_mb.number() * 1e6) as u64);
    let wide = size.few().unwrap_or(size.rows);
    let kernel = size.few().map_or(cache.min(8 * rows * rows.min(LEAST_ROWS)), |rank| 12 * rows * rank as u64);
    let square = square * (COUNTED_ROWS / n.max(1.0)).powf(FALL);
    if let Some(stored) = size.sparse() {
        let numbers = n * stored as f64;
        let passes = SCATTERED * 4.0 * SPARSE_PASSES * numbers * variables as f64;
        let bytes = 16 * numbers as u64 + PER_VARIABLE * held as u64;
        let prediction = 2.0 * SCATTERED * (stored * size.outputs.max(1)) as f64;
        return Costs { bytes, values: 0.0, fit: passes, prediction_values: 0.0, prediction, ..size.costs() };
    }
    Costs {
        bytes: kernel + PER_VARIABLE * held as u64 + (2 * rows * rows).min(2_000_000),
        kept_bytes: cache.min(if wide <= WHOLE_ROWS { 12 } else { 4 } * (wide as u64).pow(2)),
        values: n * wide as f64,
        fit: size.few().map_or(square * n * n, |rank| PER_FEATURE * n * rank as f64),
        pace: if size.few().is_some() { PACE_OF_FEATURES } else { 1.0 },
        ..size.costs()
    }
}

/// Solver options; no more than half of the memory that can be had goes to kernel rows.
pub(super) fn options(task: &Task<'_>, tolerance: &Value, max_iterations: &Value, cache_mb: &Value) -> Options {
    Options {
        tolerance: tolerance.number(),
        max_iterations: max_iterations.integer(),
        cache_bytes: ((cache_mb.number() * 1e6) as u64).min(task.control.allowed() / 2),
    }
}

/// The number of a parameter that has to be settled and finite.
pub(super) fn finite(owner: &str, name: &str, value: &Value) -> Result<f64> {
    match value.number() {
        x if x.is_finite() => Ok(x),
        x if x.is_infinite() => Err(Error::OutOfDomain {
            owner: owner.into(),
            name: name.into(),
            value: value.to_string(),
            domain: "above 0 and finite".into(),
        }),
        _ => Err(Error::Unsettled { owner: owner.into(), name: name.into(), value: value.to_string() }),
    }
}

/// A start of a problem from coefficients of its variables found under other bounds: all shrink alike until none is beyond
/// a bound, so that their sum stays 0. `None` where one has the wrong sign.
pub(super) fn start(problem: &Problem, earlier: Vec<f64>) -> Option<Vec<f64>> {
    let bounds = || problem.low.iter().zip(&problem.high);
    let mut share: f64 = 1.0;
    for (&b, (&low, &high)) in earlier.iter().zip(bounds()) {
        let bound = if b < 0.0 { low } else { high };
        share = if b == 0.0 { share } else { share.min(bound / b) };
    }
    (share > 0.0).then(|| earlier.iter().zip(bounds()).map(|(b, (&low, &high))| (b * share).clamp(low, high)).collect())
}

/// One expansion of several columns of coefficients over training rows; rows that are zero in every column are left out.
pub(super) fn expansion(rows: usize, columns: &[Vec<(usize, f64)>], bias: Vec<f64>) -> Expansion {
    let mut place = vec![usize::MAX; rows];
    for &(r, b) in columns.iter().flatten() {
        if b != 0.0 {
            place[r] = 0;
        }
    }
    let support: Vec<usize> = (0..rows).filter(|&r| place[r] == 0).collect();
    for (s, &r) in support.iter().enumerate() {
        place[r] = s;
    }
    let mut coef = Matrix::zeros(support.len(), columns.len());
    for (o, column) in columns.iter().enumerate() {
        for &(r, b) in column {
            if b != 0.0 {
                coef[(place[r], o)] = b;
            }
        }
    }
    Expansion::new(support, coef, bias)
}

/// Goes over to predictions from kernel values in f32 where they change every decision value by less than a twentieth of
/// the tolerance, which is in units of `sizes`, one per output; the largest change as a share of that.
pub(super) fn round(expansion: &mut Expansion, task: &Task<'_>, tolerance: f64, sizes: impl Iterator<Item = f64>) -> Result<Option<f64>> {
    if task.gram()?.structure().held().is_some() || expansion.is_of_features() {
        // Values that are there already cost no less in f32, and weights of features need none.
        return Ok(None);
    }
    let most: Vec<f64> = sizes.map(|size| ROUNDING * tolerance * size).collect();
    match expansion.round(task.gram()?, &most, task.control) {
        // There is no time to try: predictions stay exact.
        Err(Error::Time { .. }) => Ok(None),
        other => other,
    }
}

/// What several problems come to: sums of counts, steps and objectives, the worst gap and the worst violation.
#[derive(Default)]
pub(super) struct Totals {
    problems: usize,
    /// Coefficients between their bounds, and at the bound that is not 0.
    free: usize,
    bound: usize,
    /// Problems without a row on the margin.
    open: usize,
    unconverged: usize,
    iterations: usize,
    objective: f64,
    gap: f64,
    violation: f64,
}

impl Totals {
    pub(super) fn of(solutions: &[Solution]) -> Self {
        let mut all = Totals::default();
        solutions.iter().for_each(|s| all.add(s));
        all
    }

    pub(super) fn add(&mut self, s: &Solution) {
        self.problems += 1;
        (self.free, self.bound, self.iterations) = (self.free + s.free, self.bound + s.bound, self.iterations + s.iterations);
        self.open += usize::from(s.free == 0 && s.bound > 0);
        self.unconverged += usize::from(!s.converged);
        self.objective += s.primal;
        (self.gap, self.violation) = (self.gap.max(s.gap), self.violation.max(s.violation));
    }
}

/// Says by how much predictions from kernel values in single precision change.
pub(super) fn rounding_note(change: f64, tolerance: f64) -> String {
    format!(
        "predictions come from kernel values in single precision: on a sample of training rows that changes a decision value by {:.0e} at most, where the tolerance is {tolerance:e}",
        change * ROUNDING * tolerance
    )
}

/// Says how far a fit that stopped is from its tolerance, and what to change.
pub(super) fn unconverged_note(gap: f64, violation: f64, tolerance: f64) -> String {
    if violation <= tolerance {
        return format!(
            "the optimality conditions are met to {violation:.3e}, but the relative duality gap is {gap:.3e}, above the tolerance of {tolerance:e}: the penalty c is very large for kernel values of this size, as from large numbers in a polynomial or linear kernel; scale the columns, or lower c or the kernel's gamma"
        );
    }
    format!(
        "stopped before the tolerance was met: the greatest violation of the optimality conditions is {violation:.3e}; allow more time or iterations, or scale the columns"
    )
}

/// The summary of one or several problems. What `round` says of predictions joins the notes.
pub(super) fn summary(all: &Totals, tolerance: f64, rounded: Option<f64>) -> Summary {
    let &Totals { free, bound, open, gap, violation, .. } = all;
    let mut notes =
        vec![format!("{free} coefficients lie between their bounds (rows on the margin), {bound} at their bound (rows beyond it)")];
    if open > 0 {
        notes.push(format!(
            "no row lies on the margin in {open} of {} problems: the offset is the middle of the interval of equally good ones",
            all.problems
        ));
    }
    notes.extend(rounded.map(|change| rounding_note(change, tolerance)));
    let converged = all.unconverged == 0;
    if !converged {
        notes.push(unconverged_note(gap, violation, tolerance));
    }
    Summary {
        iterations: all.iterations,
        converged,
        objective: Some(all.objective),
        certificate: Some(Certificate { name: "relative duality gap".into(), value: gap, tolerance }),
        violation: Some(violation),
        notes,
        ..Summary::default()
    }
}
