//! The kernel of centred features: <phi(x) - m, phi(z) - m>, m the mean of the features of the training rows.
//!
//! k(x, z) - mean_i k(x, c_i) - mean_i k(c_i, z) + mean_ij k(c_i, c_j). The columns are all training rows c, always; the last
//! two means are learnt from them, so that a new row costs the first alone.

use crate::blocks;
use crate::control::Control;
use crate::data::RowWeights;
use crate::error::{Error, Result};
use crate::gram::{Bound, Gram, PairWeights, Rewrite, Rewritten, Side, apply, plan_copies};
use crate::kernels::FittedKernel;
use crate::kernels::composition::{Closure, Composition, Form, Learns, Properties, one};
use crate::kernels::fitted::{Scope, foreign};
use crate::linalg::{Matrix, Real};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// The kernel of features whose mean over the training rows is subtracted.
///
/// ```text
/// features less their mean over the training rows
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Centre {}

impl Composition for Centre {
    const FORMS: &'static [Form] = &[Form {
        name: "centre",
        also: Some("center"),
        form: "centre(k)",
        example: "centre(rbf)",
        doc: Self::FORMULA,
        because: "the inner product of features less their mean",
    }];
    const SOURCE: &'static str = "Shawe-Taylor & Cristianini, Kernel Methods for Pattern Analysis (2004), section 5.1";
    const IS: Properties = Properties { learns: Learns::Shifts, needs_training_rows: true, keeps_constants: true, ..Properties::PLAIN };
    type Learnt = FeatureMean;

    fn learn(&self, parts: &[FittedKernel], rows: Scope<'_>, _: RowWeights<'_>, control: &Control) -> Result<FeatureMean> {
        let [of] = parts else { return Err(foreign()) };
        FeatureMean::learn(of.fix(rows, control)?.among(control)?.as_ref(), control)
    }
    fn compose(&self, learnt: &FeatureMean, of: Vec<Box<dyn Bound>>, control: &Control) -> Result<Box<dyn Bound>> {
        let of = one(of)?;
        let how = Shifts::new(of.as_ref(), learnt, control)?;
        Ok(Box::new(Rewritten::new(of, how)))
    }
    fn closure(&self) -> Closure {
        Closure::OfNegativeType("the centred form")
    }
}

/// The mean m of the features of the training rows, by its inner products.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureMean {
    /// <phi(c_j), m> = mean_i k(c_i, c_j) of every training row.
    #[serde(with = "blocks::f64s")]
    with_rows: Vec<f64>,
    /// |m|^2 = mean_ij k(c_i, c_j).
    squared_norm: f64,
}

/// mean_j k(x, c_j) of every row x.
fn row_means(of: &dyn Gram, control: &Control) -> Result<Vec<f64>> {
    let n = of.shape().1;
    if n == 0 {
        return Err(Error::Data("centre needs at least one training row to centre on".into()));
    }
    Ok(apply(of, &Matrix::column(vec![1.0 / n as f64; n]), control)?.into_data())
}

impl FeatureMean {
    /// `among` binds the training rows to themselves.
    fn learn(among: &dyn Bound, control: &Control) -> Result<Self> {
        let with_rows = row_means(among, control)?;
        let squared_norm = with_rows.iter().sum::<f64>() / with_rows.len() as f64;
        Ok(FeatureMean { with_rows, squared_norm })
    }
}

/// What is subtracted from a row and from a column.
struct Shifts {
    /// mean_i k(x, c_i) of every row.
    rows: Vec<f64>,
    /// mean_i k(c_i, c_j) - mean_ij k(c_i, c_j) of every column.
    cols: Vec<f64>,
    /// mean_ij k(c_i, c_j).
    mean: f64,
}

impl Shifts {
    /// `of` binds the training rows, or new rows to them.
    fn new(of: &dyn Bound, learnt: &FeatureMean, control: &Control) -> Result<Self> {
        let FeatureMean { with_rows, squared_norm: mean } = learnt;
        Error::unless_equal("training rows of a centred kernel", with_rows.len(), of.shape().1)?;
        let rows = if of.symmetric() { with_rows.clone() } else { row_means(of, control)? };
        Ok(Shifts { rows, cols: with_rows.iter().map(|c| c - mean).collect(), mean: *mean })
    }
}

impl Rewrite for Shifts {
    fn row<T: Real>(&self, i: usize, first: usize, same: bool, values: &mut [T]) {
        for (v, (j, col)) in values.iter_mut().zip((first..).zip(&self.cols[first..])) {
            // The same sum from both sides of the diagonal, so that the matrix stays symmetric to the bit.
            let (row, col) = if same && j > i { (self.rows[j], self.cols[i]) } else { (self.rows[i], *col) };
            *v = T::from_f64(v.to_f64() - row - col);
        }
    }
    fn diagonal(&self, side: Side, inner: Vec<f64>) -> Vec<f64> {
        match side {
            Side::Rows => inner.iter().zip(&self.rows).map(|(d, r)| d - r - (r - self.mean)).collect(),
            Side::Cols => inner.iter().zip(&self.cols).map(|(d, c)| d - (c + self.mean) - c).collect(),
        }
    }
    /// Both inputs are shifted alike.
    fn stretches(&self) -> Option<f64> {
        Some(1.0)
    }
    /// K -> H K H with H = I - 11'/N: the weights are centred instead.
    fn gradient(&self, inner: &dyn Bound, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        let all = weights.written_out(inner, "centre", control)?;
        let n = all.rows();
        let means: Vec<f64> = (0..n).map(|i| all.row(i).iter().sum::<f64>() / n as f64).collect();
        let mean = means.iter().sum::<f64>() / n as f64;
        plan_copies(1, weights, control)?;
        inner.gradient(&Matrix::from_fn(n, n, |i, j| all[(i, j)] - means[i] - means[j] + mean).into(), control)
    }
    /// What is subtracted from a row is its mean over all columns: each row of the weights loses its mean.
    fn input_weights(&self, _: &dyn Bound, weights: &Matrix, _: &Control) -> Result<Option<Matrix>> {
        let n = weights.cols();
        let means: Vec<f64> = (0..weights.rows()).map(|i| weights.row(i).iter().sum::<f64>() / n as f64).collect();
        Ok(Some(Matrix::from_fn(weights.rows(), n, |i, j| weights[(i, j)] - means[i])))
    }
}
