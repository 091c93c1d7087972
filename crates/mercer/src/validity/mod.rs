//! Is a kernel expression valid? Proved by closure rules, tested on data, or refuted by rows and weights (F18-F26).

mod invent;

use crate::control::Control;
use crate::data::{Dataset, some_rows};
use crate::error::{Error, Result};
use crate::estimators::{self, Needs};
use crate::gram::{self, Witness};
use crate::kernels::{Composed, Derivation, KernelExpr, Repair, Repaired, Validity};

/// Rows of a table on which the numeric test runs at most: its cost is that of an eigendecomposition.
const ROWS: usize = 1000;

/// What is known of a kernel expression.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// Valid for every input.
    Proved(Derivation),
    /// Not proved and not refuted: no negative eigenvalue on the rows tested.
    Tested {
        /// Why no rule proves it.
        open: String,
        /// Rows that it was tested on, of several tables those of the largest.
        rows: usize,
        /// Smallest eigenvalue of their Gram matrix.
        smallest: f64,
        /// Largest eigenvalue.
        largest: f64,
    },
    /// Not valid.
    Refuted {
        /// Why no rule proves it.
        open: String,
        /// The expression with what was `auto` as it was settled: k.
        settled: Box<KernelExpr>,
        /// Rows and weights with sum_ij v_i v_j k(x_i, x_j) < 0.
        witness: Witness,
        /// The rows of the witness, in its order.
        rows: Dataset,
        /// Whether they stem from the table that was given; invented otherwise.
        given: bool,
    },
}

/// Judges an expression. `data`: a prepared table, or none; rows are invented where it does not decide.
///
/// # Errors
/// Columns that the table lacks, kernels on columns of the wrong sort, values that are not finite; parameters with which the
/// kernel takes no table at all, or can be computed of none; a given matrix that is not symmetric.
pub fn check(expr: &KernelExpr, data: Option<&Dataset>, control: &Control, seed: u64) -> Result<Verdict> {
    if let Some(data) = data {
        require_symmetric(expr, "a Mercer kernel", Needs::MercerKernel, data)?;
    }
    let (open, refuted) = match expr.validity() {
        Validity::Proved(proof) => {
            if let Some(data) = data {
                expr.settle(data)?.bind_within(None, data, control)?;
            } else if invent::has_tables(expr, seed) {
                computed_somewhere(expr, control, seed)?;
            }
            return Ok(Verdict::Proved(proof));
        }
        Validity::Open(why) => (why, false),
        Validity::Refuted(why) => (why, true),
    };
    let mut tested = None;
    if let Some(data) = data {
        let some = data.select(&some_rows(data.rows(), ROWS, seed));
        let settled = expr.settle(&some)?;
        let found = test_settled(&settled, &some, control)?;
        if let Some(witness) = found.witness {
            return Ok(Verdict::Refuted { open, settled: Box::new(settled), rows: some.select(&witness.rows), witness, given: true });
        }
        tested = Some((some.rows(), found.smallest, found.largest));
    }
    // What structure refutes must fail somewhere; what it leaves open is judged on the user's rows where there are some.
    if tested.is_none() || refuted {
        let mut refusal = None;
        let given = tested.is_some();
        for table in invent::tables(expr, seed) {
            control.check()?;
            let settled = expr.settle(table.training());
            let (settled, found) = match settled.and_then(|settled| Ok((settled.clone(), test_settled(&settled, &table.rows, control)?))) {
                Ok(found) => found,
                // Here and there a table is not of the kernel's domain.
                Err(error) => {
                    refusal = Some(error);
                    continue;
                }
            };
            if let Some(witness) = found.witness {
                return Ok(Verdict::Refuted {
                    open,
                    settled: Box::new(settled),
                    rows: table.rows.select(&witness.rows),
                    witness,
                    given: false,
                });
            }
            if !given && tested.is_none_or(|(rows, ..)| rows < table.rows.rows()) {
                tested = Some((table.rows.rows(), found.smallest, found.largest));
            }
        }
        if let (None, Some(error)) = (tested, refusal) {
            return Err(error);
        }
    }
    let (rows, smallest, largest) = tested.unwrap_or((0, 0.0, 0.0));
    Ok(Verdict::Tested { open, rows, smallest, largest })
}

/// Whether no negative eigenvalue is found on rows of a prepared table, as [`check`] looks for them.
pub(crate) fn holds_on(expr: &KernelExpr, data: &Dataset, control: &Control) -> Result<bool> {
    Ok(test(expr, &data.select(&some_rows(data.rows(), ROWS, 0)), control)?.witness.is_none())
}

/// The numeric test on the rows of a prepared table.
pub(crate) fn test(expr: &KernelExpr, data: &Dataset, control: &Control) -> Result<gram::PsdCheck> {
    test_settled(&expr.settle(data)?, data, control)
}

fn test_settled(settled: &KernelExpr, data: &Dataset, control: &Control) -> Result<gram::PsdCheck> {
    gram::psd_check(&gram::dense(settled.bind_within(None, data, control)?.as_ref(), control)?, control)
}

/// An error if the kernel can be computed of no rows that are made up: what is never computed is not proved either.
fn computed_somewhere(expr: &KernelExpr, control: &Control, seed: u64) -> Result<()> {
    let mut refusal = None;
    for table in invent::tables(expr, seed) {
        let bound = expr.settle(table.training()).and_then(|settled| settled.bind_within(None, &table.rows, control));
        match bound.and_then(|bound| gram::dense(bound.as_ref(), control)) {
            Ok(_) => return Ok(()),
            Err(why) if why.ends_all() => return Err(why),
            Err(why) => refusal = Some(why),
        }
    }
    refusal.map_or(Ok(()), Err)
}

/// Names of the estimators that need no more of a similarity than `enough` allows.
pub(crate) fn those_that_take(enough: impl Fn(Needs) -> bool) -> Vec<&'static str> {
    estimators::catalogue().into_iter().filter(|e| enough(e.needs)).map(|e| e.name).collect()
}

/// Refuses a given matrix that is not symmetric, unless its values are features and no more; `who` needs them.
pub(crate) fn require_symmetric(expr: &KernelExpr, who: &str, needs: Needs, data: &Dataset) -> Result<()> {
    let Some((why, within)) = expr.first_asymmetry(data) else { return Ok(()) };
    if within.is_none() && matches!(needs, Needs::AnySimilarity | Needs::Nothing) {
        return Ok(());
    }
    let others = those_that_take(|needs| needs == Needs::AnySimilarity).join(", ");
    Err(Error::NotSymmetric { who: within.unwrap_or(who).into(), kernel: expr.to_string(), why: why.into(), others })
}

/// What may be done with a similarity that is not valid: estimators that take it as it is, and repaired expressions.
pub fn ways_out(expr: &KernelExpr) -> (Vec<&'static str>, Vec<KernelExpr>) {
    let legal = those_that_take(|needs| needs.any_values() || needs == Needs::Nothing);
    let repaired = Repair::ALL.into_iter().map(|how| KernelExpr::Repaired(Composed::of(Repaired { how }, expr.clone()))).collect();
    (legal, repaired)
}
