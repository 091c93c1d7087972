//! Tests of independence and of two samples, and canonical correlations, under any kernels:
//!
//! ```text
//! HSIC(A, B) = tr(K H L H) / n^2                       0 in the limit where A and B are independent (characteristic kernels)
//! MMD^2(P, Q) = |mean of P - mean of Q|^2 in feature space       0 in the limit where the two groups are of one distribution
//! ```
//!
//! Gretton et al. (2005; 2012). The p-value counts permutations of the rows that have a statistic as large, the rows as they stand among
//! them, so that its level is exact; a gamma distribution with the mean and variance over all permutations checks it.

mod correlations;
mod permutations;
mod statistic;

use crate::control::Control;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::estimators::Needs;
use crate::fitting::{Prepared, prepare};
use crate::gram::{Bound, Gram};
use crate::kernels::{FittedKernel, KernelExpr};
use crate::linalg::Matrix;
use crate::notice::Notice;
use crate::prep::{Fitted, Recipe};
use crate::validity::require_symmetric;
pub use correlations::{AskedCorrelations, Correlations, canonical_correlations, kernel_correlations};
use permutations::Permuted;
use statistic::{OverPermutations, Similar, biased, over_permutations, unbiased};
use statrs::distribution::{ContinuousCDF, Gamma, Normal};

/// Statistics that differ by no more than this share of their size, or of the greatest that centred matrices of such norms may have, are
/// equal but for rounding.
const EQUAL: f64 = 1e-12;
const EQUAL_OF_GREATEST: f64 = 1e-14;

/// What a test asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// How many permutations are drawn.
    pub permutations: usize,
    /// Their seed.
    pub seed: u64,
}

impl Default for Asked {
    /// 999 permutations: the least p-value is 0.001.
    fn default() -> Self {
        Asked { permutations: 999, seed: 0 }
    }
}

/// What a test found.
#[derive(Clone, Debug, PartialEq)]
pub struct TestResult {
    /// Rows that took part.
    pub rows: usize,
    /// HSIC or MMD^2 as it is estimated with bias: never below 0 for Mercer kernels.
    pub statistic: f64,
    /// The estimate without bias, which may be below 0.
    pub unbiased: f64,
    /// (1 + permutations with a statistic as large) / (1 + permutations).
    pub p_value: f64,
    /// Permutations that were drawn: fewer than asked for where time was up.
    pub permutations: usize,
    /// Mean of the statistic over all permutations.
    pub mean: f64,
    /// Its standard deviation over all permutations.
    pub deviation: f64,
    /// The p-value by the gamma distribution with that mean and deviation; 1 where the statistic is the same for all permutations. `None`
    /// where no gamma distribution has them.
    pub p_gamma: Option<f64>,
    /// The kernels, settled.
    pub kernels: Vec<String>,
    /// What the user should know.
    pub notices: Vec<Notice>,
}

/// Whether the two sides of n rows depend on one another, from their Gram matrices.
///
/// # Errors
/// Fewer than four rows, sides of different lengths, a side that does not vary, no permutations; on request of `control`.
pub fn hsic(k: &dyn Gram, l: &dyn Gram, asked: Asked, control: &Control) -> Result<TestResult> {
    Error::unless_equal("rows of the second side", k.shape().0, l.shape().0)?;
    let (k, l) = (Similar::of(k, control)?, Similar::of(l, control)?);
    let size = (k.rows() as f64).powi(2);
    let (null, greatest) = (over_permutations(&k, &l), k.norm() * l.norm());
    let found = Statistic { value: biased(&k, &l), unbiased: unbiased(&k, &l), null, size, greatest };
    found.judged(&k, &Permuted::Whole(&l.centred), asked, control)
}

/// Whether two groups of rows are of one distribution, from the Gram matrix of all rows; `second` says which are of the second.
///
/// # Errors
/// Fewer than two rows in a group, and those of [`hsic`].
pub fn mmd(k: &dyn Gram, second: &[bool], asked: Asked, control: &Control) -> Result<TestResult> {
    let n = second.len();
    Error::unless_equal("groups of rows", k.shape().0, n)?;
    let many = second.iter().filter(|s| **s).count();
    if many < 2 || n - many < 2 {
        return Err(Error::Data(format!("a test of two groups needs two rows in each, and there are {} and {many}; add rows", n - many)));
    }
    let (p, q) = ((n - many) as f64, many as f64);
    let k = Similar::of(k, control)?;
    // MMD^2 = v'K v with v = 1/p in the first group and -1/q in the second, which sums to 0: n^2 HSIC of K and v v'.
    let v = Matrix::column(second.iter().map(|s| if *s { -1.0 / q } else { 1.0 / p }).collect());
    let sides = crate::gram::Dense::square(Matrix::from_fn(n, n, |i, j| v[(i, 0)] * v[(j, 0)]))?;
    let l = Similar::of(&sides, control)?;
    let (size, greatest) = ((n as f64).powi(2), k.norm() * l.norm());
    let null = over_permutations(&k, &l).times(size);
    let mut sums = [0.0; 3];
    for i in 0..n {
        let (mut own, mut other) = (-k.values[(i, i)], 0.0);
        for (v, s) in k.values.row(i).iter().zip(second) {
            if *s == second[i] { own += v } else { other += v }
        }
        sums[usize::from(second[i])] += own;
        sums[2] += other;
    }
    let unbiased = sums[0] / (p * (p - 1.0)) + sums[1] / (q * (q - 1.0)) - sums[2] / (p * q);
    let found = Statistic { value: size * biased(&k, &l), unbiased, null, size: 1.0, greatest };
    found.judged(&k, &Permuted::Factor(&v), asked, control)
}

/// A statistic before it is judged; a permutation gives `size` times as much as it.
struct Statistic {
    value: f64,
    unbiased: f64,
    null: OverPermutations,
    size: f64,
    /// No permutation gives more.
    greatest: f64,
}

impl Statistic {
    fn judged(self, k: &Similar, permuted: &Permuted<'_>, asked: Asked, control: &Control) -> Result<TestResult> {
        if asked.permutations == 0 {
            return Err(Error::Setting { name: "permutations".into(), why: "0 say nothing; write 1 or more, such as 999".into() });
        }
        let drawn = permuted.statistics(&k.centred, asked.permutations, asked.seed, control)?;
        let equal = (EQUAL * self.value.abs() * self.size).max(EQUAL_OF_GREATEST * self.greatest);
        let least = self.value * self.size - equal;
        let OverPermutations { mean, variance, .. } = self.null;
        Ok(TestResult {
            rows: k.rows(),
            statistic: self.value,
            unbiased: self.unbiased,
            p_value: p_value(&drawn, least),
            permutations: drawn.len(),
            mean,
            deviation: variance.sqrt(),
            p_gamma: p_gamma(self.value, self.null),
            kernels: Vec::new(),
            notices: cut_short(drawn.len(), asked.permutations),
        })
    }
}

/// The share of a gamma distribution above the statistic; 1 where all permutations have the same.
fn p_gamma(value: f64, null: OverPermutations) -> Option<f64> {
    // From this shape on the cube root of a number of a gamma distribution is normal to 1e-7 (Wilson & Hilferty, The distribution of
    // chi-square, 1931): shares by the incomplete gamma function lose digits there.
    const LARGE_SHAPE: f64 = 1e6;
    let OverPermutations { mean, variance, rounding } = null;
    if variance == 0.0 {
        return ((value - mean).abs() <= 3.0 * rounding.sqrt() + EQUAL * mean.abs()).then_some(1.0);
    }
    let (shape, value) = (mean * mean / variance, value.max(0.0));
    let share = match shape {
        _ if mean <= 0.0 => return None,
        _ if shape > LARGE_SHAPE => {
            let cube_root = (value / mean).cbrt();
            let third = 1.0 / (9.0 * shape);
            Normal::standard().sf((cube_root - (1.0 - third)) / third.sqrt())
        }
        _ => Gamma::new(shape, mean / variance).ok()?.sf(value),
    };
    (0.0..=1.0).contains(&share).then_some(share)
}

/// (1 + permutations of at least so much) / (1 + permutations): the rows as they stand are one of them.
fn p_value(drawn: &[f64], least: f64) -> f64 {
    (1 + drawn.iter().filter(|v| **v >= least).count()) as f64 / (1 + drawn.len()) as f64
}

/// What is said where time was up before all permutations were drawn.
fn cut_short(drawn: usize, asked: usize) -> Vec<Notice> {
    (drawn < asked).then_some(Notice::Permutations { drawn, of: asked }).into_iter().collect()
}

/// Whether two sets of columns depend on one another: each side is prepared and has a kernel as a fit makes them, unless one is given.
///
/// # Errors
/// Sides of different lengths, what preparing refuses, and those of [`hsic`].
pub fn independence_test(
    sides: [&Dataset; 2],
    kernels: [Option<&KernelExpr>; 2],
    recipe: &Recipe,
    asked: Asked,
    control: &Control,
) -> Result<TestResult> {
    let [k, l] = both(sides, kernels, recipe, control)?;
    let found = hsic(k.gram.as_ref(), l.gram.as_ref(), asked, control)?;
    let notices = [k.notices, l.notices, found.notices].concat();
    Ok(TestResult { kernels: vec![k.name, l.name], notices, ..found })
}

/// Whether two groups of rows are of one distribution; the kernel is made as a fit makes it, unless one is given.
///
/// # Errors
/// What preparing refuses, and those of [`mmd`].
pub fn two_sample_test(
    data: &Dataset,
    second: &[bool],
    kernel: Option<&KernelExpr>,
    recipe: &Recipe,
    asked: Asked,
    control: &Control,
) -> Result<TestResult> {
    let rows = Compared::of(data, kernel, recipe, control)?;
    let found = mmd(rows.gram.as_ref(), second, asked, control)?;
    Ok(TestResult { kernels: vec![rows.name], notices: [rows.notices, found.notices].concat(), ..found })
}

/// Rows that are compared: as they are prepared, their kernel, their Gram matrix, and what preparing has to say.
struct Compared {
    gram: Box<dyn Bound>,
    rows: Dataset,
    prep: Fitted,
    kernel: FittedKernel,
    name: String,
    notices: Vec<Notice>,
}

impl Compared {
    fn of(data: &Dataset, kernel: Option<&KernelExpr>, recipe: &Recipe, control: &Control) -> Result<Compared> {
        let Prepared { data: rows, prep, kernel, notices, .. } = prepare(recipe, kernel, data)?;
        require_symmetric(&kernel, "a test of dependence", Needs::Symmetric, &rows)?;
        let settled = kernel.settle(&rows)?;
        let kernel = settled.learn(&rows, None, control)?;
        Ok(Compared { gram: kernel.gram(&rows, control)?, rows, prep, kernel, name: settled.to_string(), notices })
    }

    /// Kernel values of new rows with these.
    fn with(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        self.kernel.reference(&self.rows, control)?.cross(&self.prep.apply(new)?, control)
    }
}

/// Two sides of the same rows.
fn both(sides: [&Dataset; 2], kernels: [Option<&KernelExpr>; 2], recipe: &Recipe, control: &Control) -> Result<[Compared; 2]> {
    Error::unless_equal("rows of the second side", sides[0].rows(), sides[1].rows())?;
    Ok([Compared::of(sides[0], kernels[0], recipe, control)?, Compared::of(sides[1], kernels[1], recipe, control)?])
}
