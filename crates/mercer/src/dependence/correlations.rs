//! Kernel canonical correlations (Akaho 2001; Bach & Jordan 2002; Hardoon, Szedmak & Shawe-Taylor 2004): functions f of one side and g of
//! the other that go together most, with centred Gram matrices K = U diag(l) U' and L = V diag(m) V',
//!
//! ```text
//! maximise  a'K L b   subject to  a'(K + e I)^2 a = b'(L + d I)^2 b = 1,     f = K a,   g = L b
//! ```
//!
//! which are the singular vectors of diag(l / (l + e)) U'V diag(m / (m + d)). Without e and d every pair of sides with as many features as
//! rows has correlations of 1: e is a share of tr K, d of tr L. Permuted rows show what chance gives. Since a
//! sums to 0, f(x) = sum_i a_i k(x, x_i) - sum_i a_i mean_s k(x_s, x_i) at a new row.

use super::permutations::order;
use super::statistic::Similar;
use super::{Compared, EQUAL, both, cut_short, p_value};
use crate::control::Control;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::estimators::Expansion;
use crate::gram::{Gram, dot};
use crate::kernels::KernelExpr;
use crate::linalg::{Matrix, eigh, product_within, transposed_product_within};
use crate::notice::Notice;
use crate::prep::Recipe;

/// What canonical correlations are asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AskedCorrelations {
    /// How many pairs of functions.
    pub count: usize,
    /// e and d as shares of the traces: above 0.
    pub shrinkage: f64,
    /// How many permutations of the rows judge the first correlation; 0: none.
    pub permutations: usize,
    /// Their seed.
    pub seed: u64,
}

impl Default for AskedCorrelations {
    /// One pair, a hundredth of the variance of a side, 99 permutations.
    fn default() -> Self {
        AskedCorrelations { count: 1, shrinkage: 0.01, permutations: 99, seed: 0 }
    }
}

/// Canonical correlations and their functions at the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Correlations {
    /// What is maximised, descending: between 0 and 1, and less than the correlations of the functions for what was shrunk.
    pub correlations: Vec<f64>,
    /// f and g of each pair at the rows, n x count, of mean 0 and variance 1; the largest f of a pair is above 0.
    pub scores: [Matrix; 2],
    /// f and g of each pair, by kernel values with the rows.
    pub functions: [Expansion; 2],
    /// f and g of each pair at new rows, for each side that has such; f at the rows has variance 1, and of new rows need not.
    pub new_scores: [Option<Matrix>; 2],
    /// The mean of the first correlation over the permutations, and how often it is as large: (1 + those) / (1 + permutations).
    pub by_chance: Option<(f64, f64)>,
    /// Permutations that were drawn: fewer than asked for where time was up.
    pub permutations: usize,
    /// The kernels, settled.
    pub kernels: Vec<String>,
    /// What the user should know.
    pub notices: Vec<Notice>,
}

/// One side: its directions (n x r), how much is left of each, l / (l + e), and l.
struct Side {
    directions: Matrix,
    left: Vec<f64>,
    values: Vec<f64>,
    /// The mean of the kernel values of each row.
    means: Vec<f64>,
}

impl Side {
    fn of(gram: &dyn Gram, shrinkage: f64, control: &Control) -> Result<Side> {
        // Directions whose l / (l + e) is below this are left out: no correlation changes by more.
        const FAINT: f64 = 1e-5;
        let Similar { values, centred } = Similar::of(gram, control)?;
        let means = (0..values.rows()).map(|i| values.row(i).iter().sum::<f64>() / values.rows() as f64).collect();
        let added = shrinkage * centred.diagonal().iter().sum::<f64>();
        if !(added > 0.0 && added.is_finite()) {
            let why = format!("the trace of a centred kernel matrix is {}, and shrinks nothing; take a Mercer kernel", added / shrinkage);
            return Err(Error::Numerical { what: "canonical correlations".into(), why });
        }
        let (values, vectors) = eigh(centred, control)?;
        let kept: Vec<usize> = (0..values.len()).rev().filter(|&k| values[k] / (values[k].abs() + added) >= FAINT).collect();
        let directions = Matrix::from_fn(vectors.rows(), kept.len(), |i, k| vectors[(i, kept[k])]);
        let values: Vec<f64> = kept.iter().map(|&k| values[k]).collect();
        Ok(Side { directions, left: values.iter().map(|l| l / (l + added)).collect(), values, means })
    }

    /// diag(left) U' V diag(left of the other), the rows of the other side in some order.
    fn with(&self, other: &Side, order: Option<&[usize]>, control: &Control) -> Result<Matrix> {
        let moved;
        let theirs = match order {
            Some(order) => {
                moved = other.directions.select_rows(order);
                &moved
            }
            None => &other.directions,
        };
        let mut out = transposed_product_within(&self.directions, theirs, control)?;
        let width = other.left.len();
        for (row, a) in out.data_mut().chunks_exact_mut(width.max(1)).zip(&self.left) {
            row.iter_mut().zip(&other.left).for_each(|(v, b)| *v *= a * b);
        }
        Ok(out)
    }

    /// U diag(left) p of each column p, scaled to variance 1, and the functions that have these scores: K a with
    /// a = U diag(left / l) p.
    fn scores(&self, p: &Matrix, control: &Control) -> Result<(Matrix, Expansion)> {
        let weighed = Matrix::from_fn(p.rows(), p.cols(), |a, k| self.left[a] * p[(a, k)]);
        let mut out = product_within(&self.directions, &weighed, control)?;
        let n = out.rows();
        let over = Matrix::from_fn(p.rows(), p.cols(), |a, k| weighed[(a, k)] / self.values[a]);
        let mut coef = product_within(&self.directions, &over, control)?;
        for k in 0..out.cols() {
            let size = out.col(k).iter().map(|v| v * v).sum::<f64>() / (n - 1) as f64;
            let by = if size > 0.0 { size.sqrt().recip() } else { 0.0 };
            (0..n).for_each(|i| (out[(i, k)], coef[(i, k)]) = (by * out[(i, k)], by * coef[(i, k)]));
        }
        let bias = (0..coef.cols()).map(|k| -dot(&self.means, &coef.col(k))).collect();
        Ok((out, Expansion::new((0..n).collect(), coef, bias)))
    }
}

/// Singular values, descending, and left singular vectors of a matrix, by the product with its transpose on the shorter side.
fn singular(matrix: &Matrix, control: &Control) -> Result<(Vec<f64>, Matrix)> {
    let (values, vectors) = eigh(product_within(matrix, &matrix.transpose(), control)?, control)?;
    let n = values.len();
    Ok((values.iter().rev().map(|v| v.max(0.0).sqrt()).collect(), Matrix::from_fn(n, n, |i, k| vectors[(i, n - 1 - k)])))
}

fn greatest(matrix: &Matrix, control: &Control) -> Result<f64> {
    let shorter = if matrix.rows() <= matrix.cols() { matrix.clone() } else { matrix.transpose() };
    Ok(singular(&shorter, control)?.0.first().copied().unwrap_or(0.0))
}

/// The canonical correlations of two sides of n rows, from their Gram matrices.
///
/// # Errors
/// Fewer than four rows, sides of different lengths, a side that does not vary, no pairs or more than there are, a shrinkage that is not
/// above 0 and finite; on request of `control`.
pub fn kernel_correlations(k: &dyn Gram, l: &dyn Gram, asked: AskedCorrelations, control: &Control) -> Result<Correlations> {
    Error::unless_equal("rows of the second side", k.shape().0, l.shape().0)?;
    let outside = |name: &str, value: String, domain: &str| Error::OutOfDomain {
        owner: "canonical correlations".into(),
        name: name.into(),
        value,
        domain: domain.into(),
    };
    if !(asked.shrinkage > 0.0 && asked.shrinkage.is_finite()) {
        return Err(outside("shrinkage", asked.shrinkage.to_string(), "a finite number above 0, such as 0.01"));
    }
    let (a, b) = (Side::of(k, asked.shrinkage, control)?, Side::of(l, asked.shrinkage, control)?);
    let most = a.left.len().min(b.left.len());
    if asked.count == 0 || asked.count > most {
        return Err(outside("count", asked.count.to_string(), &format!("1 to {most}, the directions that both sides have")));
    }
    let (n, both) = (a.directions.rows(), a.with(&b, None, control)?);
    let (values, left) = singular(&both, control)?;
    let mut left = Matrix::from_fn(left.rows(), asked.count, |i, k| left[(i, k)]);
    // One sign of the two that a pair has.
    let (mut f, mut of_f) = a.scores(&left, control)?;
    for k in 0..asked.count {
        let largest = (0..n).fold(0.0, |m: f64, i| if f[(i, k)].abs() > m.abs() { f[(i, k)] } else { m });
        if largest < 0.0 {
            (0..left.rows()).for_each(|i| left[(i, k)] = -left[(i, k)]);
            (0..n).for_each(|i| (f[(i, k)], of_f.coef[(i, k)]) = (-f[(i, k)], -of_f.coef[(i, k)]));
            of_f.bias[k] = -of_f.bias[k];
        }
    }
    let right = transposed_product_within(&both, &left, control)?;
    let (g, of_g) = b.scores(&right, control)?;
    let mut drawn = Vec::new();
    while drawn.len() < asked.permutations && (drawn.is_empty() || !control.out_of_time()) {
        control.check()?;
        let order = order(n, asked.seed, drawn.len());
        drawn.push(greatest(&a.with(&b, Some(&order), control)?, control)?);
        control.tell("permutations", drawn.len(), asked.permutations);
    }
    let chance = || (drawn.iter().sum::<f64>() / drawn.len() as f64, p_value(&drawn, values[0] * (1.0 - EQUAL)));
    Ok(Correlations {
        correlations: values[..asked.count].to_vec(),
        scores: [f, g],
        functions: [of_f, of_g],
        new_scores: [None, None],
        by_chance: (!drawn.is_empty()).then(chance),
        permutations: drawn.len(),
        kernels: Vec::new(),
        notices: cut_short(drawn.len(), asked.permutations),
    })
}

/// The canonical correlations of two sets of columns: each side is prepared and has a kernel as a fit makes them, unless one is given.
/// Of `new` rows of a side there are scores too.
///
/// # Errors
/// Sides of different lengths, what preparing refuses, new rows without the columns of their side, and those of
/// [`kernel_correlations`].
pub fn canonical_correlations(
    sides: [&Dataset; 2],
    new: [Option<&Dataset>; 2],
    kernels: [Option<&KernelExpr>; 2],
    recipe: &Recipe,
    asked: AskedCorrelations,
    control: &Control,
) -> Result<Correlations> {
    let [k, l] = both(sides, kernels, recipe, control)?;
    let mut found = kernel_correlations(k.gram.as_ref(), l.gram.as_ref(), asked, control)?;
    let at = |side: &Compared, function: &Expansion, new: Option<&Dataset>| {
        new.map(|new| function.predict(side.with(new, control)?.as_ref(), control)).transpose()
    };
    found.new_scores = [at(&k, &found.functions[0], new[0])?, at(&l, &found.functions[1], new[1])?];
    let notices = [k.notices, l.notices, found.notices].concat();
    Ok(Correlations { kernels: vec![k.name, l.name], notices, ..found })
}
