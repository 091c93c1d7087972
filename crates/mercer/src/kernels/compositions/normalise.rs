//! k(x, z) / sqrt(k(x, x) k(z, z)): exactly 1 on the diagonal, 0 where k(x, x) = 0 (K15, K26).

use crate::control::Control;
use crate::data::RowWeights;
use crate::error::Result;
use crate::gram::{Bound, Rewrite, Rewritten, Side, plan_copies, reweigh};
use crate::kernels::FittedKernel;
use crate::kernels::composition::{Closure, Composition, Form, Properties, one};
use crate::kernels::fitted::Scope;
use crate::linalg::{Matrix, Real};
use serde::{Deserialize, Serialize};

/// A kernel of features scaled to length 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Normalise {}

impl Composition for Normalise {
    const FORMS: &'static [Form] = &[Form {
        name: "normalise",
        also: Some("normalize"),
        form: "normalise(k)",
        example: "normalise(linear)",
        doc: "k(x, z) / sqrt(k(x, x) k(z, z))",
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
        let how = Lengths::of(of.as_ref());
        Ok(Box::new(Rewritten::new(of, how)))
    }
    fn closure(&self) -> Closure {
        Closure::OfMercer
    }
}

/// 1 / sqrt(k(x, x)) of both batches, 0 where k(x, x) is not above 0.
struct Lengths {
    rows: Vec<f64>,
    cols: Vec<f64>,
}

impl Lengths {
    fn of(of: &dyn Bound) -> Self {
        let inverse = |side| of.diagonal(side).iter().map(|d| if *d > 0.0 { 1.0 / d.sqrt() } else { 0.0 }).collect();
        Lengths { rows: inverse(Side::Rows), cols: inverse(Side::Cols) }
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
    /// inner kernel are r_i r_j W_ij beside the diagonal and -r_i^2 sum_(j != i) (W_ij k^_ij + W_ji k^_ji) / 2 on it.
    fn gradient(&self, inner: &dyn Bound, weights: &Matrix, control: &Control) -> Result<Vec<f64>> {
        if inner.parameters() == 0 {
            return Ok(Vec::new());
        }
        plan_copies(2, weights, control)?;
        let mut shares = weights.clone();
        reweigh(inner, &mut shares, control, |w, k| w * k)?;
        let n = weights.rows();
        let r = &self.rows;
        let all = Matrix::from_fn(n, n, |i, j| {
            if i != j {
                return r[i] * r[j] * weights[(i, j)];
            }
            let others: f64 = (0..n).filter(|l| *l != i).map(|l| 0.5 * (shares[(i, l)] + shares[(l, i)]) * r[l]).sum();
            -r[i].powi(3) * others
        });
        inner.gradient(&all, control)
    }
}
