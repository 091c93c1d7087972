//! k(x, z) / sqrt(k(x, x) k(z, z)): exactly 1 on the diagonal, 0 where k(x, x) = 0 (K15, K26).
//!
//! Of a kernel that is known by its logarithm it is exp(ln k(x, z) - (ln k(x, x) + ln k(z, z)) / 2), whose terms may lie beyond the range
//! of numbers.

use crate::control::Control;
use crate::data::RowWeights;
use crate::error::{Error, Result};
use crate::gram::{Block, Bound, Gram, LogGram, PairWeights, Rewrite, Rewritten, Side, UnrelatedRows, plan_copies, reweigh};
use crate::kernels::FittedKernel;
use crate::kernels::composition::{Closure, Composition, Form, Properties, one};
use crate::kernels::fitted::Scope;
use crate::linalg::Real;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A kernel of features scaled to length 1.
///
/// ```text
/// k(x, z) / sqrt(k(x, x) k(z, z))
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Normalise {}

impl Composition for Normalise {
    const FORMS: &'static [Form] = &[Form {
        name: "normalise",
        also: Some("normalize"),
        form: "normalise(k)",
        example: "normalise(linear)",
        doc: Self::FORMULA,
        because: "f(x) k(x, z) f(z) with f(x) = k(x, x)^(-1/2)",
    }];
    const SOURCE: &'static str = "Shawe-Taylor & Cristianini, Kernel Methods for Pattern Analysis (2004), section 5.1";
    const IS: Properties = Properties { keeps_features: true, keeps_constants: true, ..Properties::PLAIN };
    type Learnt = ();

    fn learn(&self, _: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        Ok(())
    }
    fn compose(&self, (): &(), of: Vec<Box<dyn Bound>>, _: &Control) -> Result<Box<dyn Bound>> {
        let of = one(of)?;
        if of.logarithm().is_some() && !of.is_constant() {
            return Ok(Box::new(NormalisedByLogarithm { of }));
        }
        let how = Lengths::of(of.as_ref())?;
        Ok(Box::new(Rewritten::new(of, how)))
    }
    fn closure(&self) -> Closure {
        Closure::OfMercer
    }
}

/// 1 / sqrt(k(x, x)) of both batches, 0 where k(x, x) is 0.
struct Lengths {
    rows: Vec<f64>,
    cols: Vec<f64>,
}

impl Lengths {
    fn of(of: &dyn Bound) -> Result<Self> {
        // A negative k(x, x) of this share of the greatest or more is none by rounding.
        const NEGATIVE: f64 = 1e-10;
        let inverse = |side| -> Result<Vec<f64>> {
            let diagonal = of.diagonal(side);
            let floor = -NEGATIVE * diagonal.iter().fold(0.0f64, |most, d| most.max(d.abs()));
            match diagonal.iter().position(|d| *d < floor) {
                Some(row) => Err(negative(row, diagonal[row])),
                None => Ok(diagonal.iter().map(|d| if *d > 0.0 { 1.0 / d.sqrt() } else { 0.0 }).collect()),
            }
        };
        Ok(Lengths { rows: inverse(Side::Rows)?, cols: inverse(Side::Cols)? })
    }
}

fn negative(row: usize, found: f64) -> Error {
    Error::Numerical {
        what: "normalise".into(),
        why: format!(
            "the kernel of row {} with itself is {found:.3e}, which has no square root: the kernel is not positive semi-definite, or its error is too large; repair it first, as in normalise(clip(k)), or leave normalise out",
            row + 1
        ),
    }
}

impl Rewrite for Lengths {
    fn row<T: Real>(&self, i: usize, first: usize, same: bool, values: &mut [T]) {
        let left = self.rows[i];
        for (v, (j, right)) in values.iter_mut().zip((first..).zip(&self.cols[first..])) {
            *v = if same && i == j { T::from_f64(if left > 0.0 { 1.0 } else { 0.0 }) } else { T::from_f64(v.to_f64() * left * right) };
        }
    }
    fn diagonal(&self, side: Side, _: Vec<f64>) -> Vec<f64> {
        let roots = if side == Side::Rows { &self.rows } else { &self.cols };
        roots.iter().map(|r| if *r > 0.0 { 1.0 } else { 0.0 }).collect()
    }
    fn multiplies(&self, side: Side, _: usize) -> Option<Vec<f64>> {
        Some(if side == Side::Rows { &self.rows } else { &self.cols }.clone())
    }
    /// With r_i = k_ii^(-1/2): dk^_ij = r_i r_j dk_ij - k^_ij (r_i^2 dk_ii + r_j^2 dk_jj) / 2, so that the weights of the
    /// inner kernel are r_i r_j W_ij, and on the diagonal -r_i^2 sum_j (W_ij k^_ij + W_ji k^_ji) / 2 more.
    fn gradient(&self, inner: &dyn Bound, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        if inner.parameters() == 0 {
            return Ok(Vec::new());
        }
        plan_copies(2, weights, control)?;
        let mut shares = weights.clone();
        reweigh(inner, &mut shares, control, |w, k| w * k)?;
        let r = &self.rows;
        let sums = shares.map(|i, j, w| r[i] * r[j] * w).sums();
        let mut all = weights.map(|i, j, w| r[i] * r[j] * w);
        all.add_to_diagonal(&sums.iter().zip(r).map(|(sum, r)| -0.5 * r * r * sum).collect::<Vec<_>>());
        inner.gradient(&all, control)
    }
}

/// exp(-d), d = -ln(k(x, z) / sqrt(k(x, x) k(z, z))).
struct NormalisedByLogarithm {
    of: Box<dyn Bound>,
}

impl NormalisedByLogarithm {
    /// Whether k(x, x) is 0.
    fn is_zero(&self, side: Side) -> Vec<bool> {
        self.log_diagonal_of_part(side).iter().map(|l| *l == f64::NEG_INFINITY).collect()
    }
    fn log_diagonal_of_part(&self, side: Side) -> Vec<f64> {
        self.of.logarithm().map(|log| log.log_diagonal(side)).unwrap_or_default()
    }
}

impl Gram for NormalisedByLogarithm {
    fn shape(&self) -> (usize, usize) {
        self.of.shape()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
        self.fill_rows(&rows.collect::<Vec<_>>(), cols, out);
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        self.fill_log_decay(rows, cols.clone(), out.reborrow());
        let (own, others) = (self.is_zero(Side::Rows), self.is_zero(Side::Cols));
        for (k, &i) in rows.iter().enumerate() {
            for (v, j) in out.row_mut(k).iter_mut().zip(cols.clone()) {
                *v = if own[i] || others[j] { 0.0 } else { libm::exp(-*v) };
            }
        }
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        self.is_zero(side).into_iter().map(|zero| if zero { 0.0 } else { 1.0 }).collect()
    }
    fn symmetric(&self) -> bool {
        self.of.symmetric()
    }
    fn logarithm(&self) -> Option<&dyn LogGram> {
        Some(self)
    }
    fn unrelated_rows(&self) -> Vec<UnrelatedRows> {
        self.of.unrelated_rows()
    }
}

impl LogGram for NormalisedByLogarithm {
    fn log_diagonal(&self, side: Side) -> Vec<f64> {
        self.is_zero(side).into_iter().map(|zero| if zero { f64::NEG_INFINITY } else { 0.0 }).collect()
    }
    fn fill_log_decay(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        if let Some(log) = self.of.logarithm() {
            log.fill_log_decay(rows, cols, out);
        }
    }
}

impl Bound for NormalisedByLogarithm {
    fn parameters(&self) -> usize {
        self.of.parameters()
    }
    /// dk = k d ln k.
    fn gradient(&self, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        if self.of.parameters() == 0 {
            return Ok(Vec::new());
        }
        plan_copies(1, weights, control)?;
        let mut shares = weights.clone();
        reweigh(self, &mut shares, control, |w, k| w * k)?;
        self.log_gradient(&shares, control)
    }
    /// d ln k^_ij = d ln k_ij - (d ln k_ii + d ln k_jj) / 2: the weights on the diagonal of the part lose half the sums of rows and of columns.
    fn log_gradient(&self, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        plan_copies(1, weights, control)?;
        let mut all = weights.clone();
        all.add_to_diagonal(&weights.sums().iter().map(|sum| -0.5 * sum).collect::<Vec<_>>());
        self.of.log_gradient(&all, control)
    }
}
