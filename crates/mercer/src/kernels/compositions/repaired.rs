//! A similarity that is not positive semi-definite, made so through the eigenvalues of its matrix among the training rows
//! (Chen, Garcia, Gupta, Rahimi & Cazzanti 2009, Similarity-based classification, section 4).
//!
//! With K = U L U' among the training rows and g the repaired eigenvalues, the repaired kernel is U g U' there and
//! k(x)' U (g / L) U' for a new row with similarities k(x): a training row that comes as a new row gets its training values.
//! The r eigenpairs with g > 0 are learnt, so that a new row costs O(N r).

use crate::blocks;
use crate::control::Control;
use crate::data::RowWeights;
use crate::error::{Error, Result};
use crate::gram::{Bound, Dense, PairWeights, dense, of_held_values};
use crate::kernels::FittedKernel;
use crate::kernels::composition::{Closure, Composition, Form, Learns, Properties, one};
use crate::kernels::fitted::{Scope, foreign};
use crate::linalg::{Matrix, eigh, gramian_within, product_transposed_within, product_within};
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// What happens to negative eigenvalues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Repair {
    /// They become 0: the nearest valid matrix.
    #[default]
    Clip,
    /// They change their sign: what is unlike counts as information.
    Flip,
    /// All rise by the size of the smallest: only k(x, x) changes.
    Shift,
}

impl Repair {
    /// Every repair.
    pub const ALL: [Repair; 3] = [Repair::Clip, Repair::Flip, Repair::Shift];

    /// Its name in expressions.
    pub fn name(self) -> &'static str {
        Repaired { how: self }.form().name
    }
    fn repaired(self, value: f64, smallest: f64) -> f64 {
        match self {
            Repair::Clip => value.max(0.0),
            Repair::Flip => value.abs(),
            Repair::Shift => value - smallest.min(0.0),
        }
    }
}

/// A similarity whose negative eigenvalues among the training rows are repaired.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[parameters(none)]
#[serde(deny_unknown_fields)]
pub struct Repaired {
    /// How.
    pub how: Repair,
}

const fn form(name: &'static str, [form, example]: [&'static str; 2], doc: &'static str, because: &'static str) -> Form {
    Form { name, also: None, form, example, doc, because }
}

impl Composition for Repaired {
    const FORMS: &'static [Form] = &[
        form(
            "clip",
            ["clip(k)", "clip(sigmoid)"],
            "any similarity, its negative eigenvalues among the training rows set to 0",
            "negative eigenvalues among the training rows are set to 0",
        ),
        form(
            "flip",
            ["flip(k)", "flip(sigmoid)"],
            "any similarity, the signs of its negative eigenvalues changed",
            "negative eigenvalues among the training rows change their sign",
        ),
        form(
            "shift",
            ["shift(k)", "shift(negative_distance(power=1))"],
            "any similarity, k(x, x) raised until no eigenvalue is negative",
            "all eigenvalues among the training rows are raised until none is negative",
        ),
    ];
    const SOURCE: &'static str = "Chen, Garcia, Gupta, Rahimi & Cazzanti, Similarity-based classification (2009), section 4";
    /// Repaired eigenvalues have no derivative where they meet 0: parameters below are not learnt.
    const IS: Properties = Properties { learns: Learns::Values, needs_training_rows: true, smooth: false, ..Properties::PLAIN };
    type Learnt = Eigenpairs;

    fn form(&self) -> &'static Form {
        &Self::FORMS[self.how as usize]
    }
    fn called(name: &str) -> Self {
        Repaired { how: Repair::ALL.into_iter().find(|r| r.name() == name).unwrap_or_default() }
    }
    fn learn(&self, parts: &[FittedKernel], rows: Scope<'_>, _: RowWeights<'_>, control: &Control) -> Result<Eigenpairs> {
        let [of] = parts else { return Err(foreign()) };
        Eigenpairs::learn(self.how, of.fix(rows, control)?.among(control)?.as_ref(), control)
    }
    fn compose(&self, learnt: &Eigenpairs, of: Vec<Box<dyn Bound>>, control: &Control) -> Result<Box<dyn Bound>> {
        Ok(Box::new(RepairedGram::new(self.how, one(of)?.as_ref(), learnt, control)?))
    }
    fn closure(&self) -> Closure {
        Closure::Always
    }
}

/// Eigenvalues below this share of the largest carry no direction.
const EIGENVALUE_CUTOFF: f64 = 1e-12;

/// The eigenpairs of a similarity among the training rows whose repaired eigenvalue is above 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Eigenpairs {
    /// L, ascending.
    #[serde(with = "blocks::f64s")]
    values: Vec<f64>,
    /// U, N x their number.
    vectors: Matrix,
    /// The smallest eigenvalue of all.
    smallest: f64,
    /// The largest size of an eigenvalue.
    largest: f64,
}

impl Eigenpairs {
    /// `among` binds the training rows to themselves.
    fn learn(how: Repair, among: &dyn Bound, control: &Control) -> Result<Self> {
        let (values, vectors) = eigh(dense(among, control)?, control)?;
        let smallest = values.first().copied().unwrap_or(0.0);
        let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let kept: Vec<usize> = (0..values.len()).filter(|&j| how.repaired(values[j], smallest) > EIGENVALUE_CUTOFF * largest).collect();
        let vectors = Matrix::from_fn(vectors.rows(), kept.len(), |i, j| vectors[(i, kept[j])]);
        Ok(Eigenpairs { values: kept.iter().map(|&j| values[j]).collect(), vectors, smallest, largest })
    }
}

/// The repaired kernel, computed whole.
struct RepairedGram {
    values: Dense,
    parameters: usize,
}

impl RepairedGram {
    /// `of` binds the training rows, or new rows to them.
    fn new(how: Repair, of: &dyn Bound, learnt: &Eigenpairs, control: &Control) -> Result<Self> {
        let Eigenpairs { values, vectors, smallest, largest } = learnt;
        Error::unless_equal("training rows of a repaired kernel", vectors.rows(), of.shape().1)?;
        Error::unless_equal("eigenvalues of a repaired kernel", vectors.cols(), values.len())?;
        let repaired: Vec<f64> = values.iter().map(|v| how.repaired(*v, *smallest)).collect();
        let scaled = |factor: &dyn Fn(usize) -> f64| Matrix::from_fn(vectors.rows(), vectors.cols(), |i, j| vectors[(i, j)] * factor(j));
        let ratio = |j: usize| if values[j].abs() > EIGENVALUE_CUTOFF * largest { 1.0 / values[j] } else { 0.0 };
        let squared = |m: &Matrix| -> Vec<f64> { (0..m.rows()).map(|i| m.row(i).iter().map(|v| v * v).sum()).collect() };
        let roots = scaled(&|j| repaired[j].sqrt());
        let values = if of.symmetric() {
            Dense::square(gramian_within(&roots, control)?)?
        } else {
            let features = product_within(&dense(of, control)?, &scaled(&|j| repaired[j].sqrt() * ratio(j)), control)?;
            Dense::cross(product_transposed_within(&features, &roots, control)?, squared(&features), squared(&roots))?
        };
        Ok(RepairedGram { values, parameters: of.parameters() })
    }
}

of_held_values!(RepairedGram, values, {});

impl Bound for RepairedGram {
    fn parameters(&self) -> usize {
        self.parameters
    }
    fn gradient(&self, _: &PairWeights, _: &Control) -> Result<Vec<f64>> {
        Ok(vec![0.0; self.parameters])
    }
}
