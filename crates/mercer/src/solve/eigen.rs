//! The leading eigenpairs of a symmetric matrix that is known by its products: A u = theta u for the greatest theta.
//!
//! Block Lanczos: the basis Q grows by A times its last block, less what Q holds of it already; the pairs are those of
//! T = Q A Q' (Rayleigh and Ritz), and a long basis begins again with its leading vectors (Wu & Simon 2000, Thick-restart
//! Lanczos). The certificate is max_j |A u_j - theta_j u_j| / |theta_1|: so near to each theta_j lies an eigenvalue (Parlett
//! 1998, The symmetric eigenvalue problem, 4.5). Vectors are the rows of matrices here.

use crate::control::Control;
use crate::error::Result;
use crate::gram::{axpy, dot};
use crate::linalg::{Matrix, eigh, product, product_transposed};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Vectors of a block beyond those that are wanted: they make the wanted ones converge sooner. A product reads the whole matrix
/// whatever its width, so that few wide ones cost less than many narrow ones with as many vectors.
const MORE: usize = 10;
/// Blocks that a basis holds besides the vectors it began with.
const BLOCKS: usize = 8;

/// What is asked of a search for eigenpairs.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How many.
    pub count: usize,
    /// The certificate that ends the search.
    pub tolerance: f64,
    /// Products with a block that end it too.
    pub most_products: usize,
    /// Operations of another way: the search ends once it is seen that it will take more.
    pub most_operations: f64,
    /// Seed of the first block.
    pub seed: u64,
}

/// Leading eigenpairs, greatest first.
#[derive(Clone, Debug)]
pub struct Eigenpairs {
    /// Eigenvalues.
    pub values: Vec<f64>,
    /// Orthonormal eigenvectors, one per row.
    pub vectors: Matrix,
    /// The certificate.
    pub residual: f64,
    /// Products with a block that it took.
    pub products: usize,
}

/// The `count` greatest eigenvalues of an n x n symmetric matrix and their vectors; `multiply` gives V A for rows V (any number
/// x n). Fewer where n is smaller.
///
/// # Errors
/// What `multiply` refuses; on request of `control`.
pub fn leading(n: usize, wanted: &Wanted, multiply: &dyn Fn(&Matrix) -> Result<Matrix>, control: &Control) -> Result<Eigenpairs> {
    let count = wanted.count.min(n);
    let width = (count + MORE).min(n);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(wanted.seed);
    let most = count + BLOCKS * width;
    let room = || Matrix::new(0, n, Vec::with_capacity((most + width).min(n) * n));
    let mut basis = Basis { q: room()?, aq: room()?, t: Matrix::zeros(0, 0) };
    let mut block = basis.orthonormal(Matrix::zeros(width, n), &mut random)?;
    // When pairs are looked at next, what they were like when they last were, and operations so far.
    let (mut products, mut look, mut last, mut spent) = (0, 1, None, 0.0);
    loop {
        control.check_time("eigenvectors")?;
        products += 1;
        let image = multiply(&block)?;
        basis.grow(block, &image)?;
        let held = basis.q.rows();
        spent += of_product(n, width, held);
        let (whole, full) = (basis.q.rows() == n, basis.q.rows() >= most);
        let mut pairs = None;
        if whole || full || products >= look.min(wanted.most_products) {
            let (values, turn) = basis.pairs()?;
            let (vectors, residual) = basis.leading(&values[..count], &turn)?;
            spent += EIGEN * (held as f64).powi(3);
            let before = last.replace((products, residual));
            // The whole distance, as a basis that begins again goes on more slowly.
            let left = 2.0 * steps_to_go(before, (products, residual), wanted.tolerance) as f64;
            let is_too_long = before.is_some() && spent + left * of_product(n, width, held) > wanted.most_operations;
            if residual <= wanted.tolerance || products >= wanted.most_products || whole || is_too_long {
                return Ok(Eigenpairs { values: values[..count].to_vec(), vectors, residual, products });
            }
            look = products + steps_to_go(before, (products, residual), wanted.tolerance);
            pairs = Some((values, turn));
        }
        // Before the basis begins again, which changes what it holds but not what it spans of the image.
        let free = (n - basis.q.rows()).min(width);
        block = basis.orthonormal(first_rows(image, free), &mut random)?;
        if let Some((values, turn)) = pairs.filter(|_| full) {
            basis.begin_again(&values[..count + width], &turn)?;
        }
    }
}

/// Operations of every eigenpair of a symmetric matrix, times the cube of its rows.
pub(crate) const EIGEN: f64 = 9.0;

/// Operations of a product of a matrix of n rows with a block, and of making what is new of it orthonormal to a basis.
fn of_product(n: usize, width: usize, held: usize) -> f64 {
    (2 * n * width) as f64 * (n + 4 * held) as f64
}

/// Operations of a search that ends as soon as one can: where another way takes more, a search is worth a try.
pub(crate) fn least_operations(n: usize, count: usize) -> f64 {
    // Products of the shortest search.
    const FEWEST: usize = 4;
    operations(n, count, FEWEST)
}

/// Operations of a search that goes well.
pub(crate) fn usual_operations(n: usize, count: usize) -> f64 {
    operations(n, count, BLOCKS)
}

/// Operations of so many products, with a look at the pairs after the first, the second, the fourth, ...
fn operations(n: usize, count: usize, products: usize) -> f64 {
    let width = (count + MORE).min(n);
    let held = |k: usize| (k * width).min(n);
    let look = |k: usize| if k.is_power_of_two() { EIGEN * (held(k) as f64).powi(3) } else { 0.0 };
    (1..=products).map(|k| of_product(n, width, held(k)) + look(k)).sum()
}

/// How many products are left, where the residual goes on to fall as it did between two looks at it, less half of them: a look
/// that comes early costs less than a product that was not needed.
fn steps_to_go(before: Option<(usize, f64)>, (products, residual): (usize, f64), tolerance: f64) -> usize {
    let Some((first, was)) = before else { return 1 };
    let each = (was / residual).ln() / (products - first) as f64;
    let left = (residual / tolerance).ln() / each;
    if each > 0.0 && left.is_finite() { (left / 2.0).round().clamp(1.0, BLOCKS as f64) as usize } else { 1 }
}

/// Leading eigenpairs from the matrix itself, which is consumed, by a full eigendecomposition.
pub fn leading_of(matrix: Matrix, count: usize, multiply: &dyn Fn(&Matrix) -> Result<Matrix>, control: &Control) -> Result<Eigenpairs> {
    let (values, vectors) = greatest_first(matrix, count, control)?;
    let residual = certificate(&values, &vectors, multiply(&vectors)?);
    Ok(Eigenpairs { values, vectors, residual, products: 0 })
}

/// The `count` greatest eigenvalues and their vectors, one per row.
fn greatest_first(matrix: Matrix, count: usize, control: &Control) -> Result<(Vec<f64>, Matrix)> {
    let n = matrix.rows();
    let (mut values, vectors) = eigh(matrix, control)?;
    values.reverse();
    values.truncate(count);
    let vectors = Matrix::from_fn(values.len(), n, |k, i| vectors[(i, n - 1 - k)]);
    Ok((values, vectors))
}

/// max_j |A u_j - theta_j u_j| / |theta_1|, from the images A u_j.
fn certificate(values: &[f64], vectors: &Matrix, mut images: Matrix) -> f64 {
    let mut residual = 0.0f64;
    for (j, theta) in values.iter().enumerate() {
        axpy(-theta, vectors.row(j), images.row_mut(j));
        residual = residual.max(norm(images.row(j)));
    }
    let size = values.first().map_or(0.0, |theta| theta.abs());
    if size > 0.0 { residual / size } else { residual }
}

/// An orthonormal basis Q, its image and T = Q A Q'.
struct Basis {
    q: Matrix,
    aq: Matrix,
    t: Matrix,
}

impl Basis {
    /// Adds orthonormal vectors and their image.
    fn grow(&mut self, block: Matrix, image: &Matrix) -> Result<()> {
        let before = self.q.rows();
        self.q = stacked(std::mem::take(&mut self.q), &block);
        self.aq = stacked(std::mem::take(&mut self.aq), image);
        let beside = product_transposed(image, &self.q)?;
        let old = std::mem::take(&mut self.t);
        let m = self.q.rows();
        self.t = Matrix::from_fn(m, m, |i, j| {
            let (low, high) = (i.min(j), i.max(j));
            if high < before { old[(low, high)] } else { beside[(high - before, low)] }
        });
        Ok(())
    }

    /// Eigenvalues of T, greatest first, and its eigenvectors, one per row.
    fn pairs(&self) -> Result<(Vec<f64>, Matrix)> {
        greatest_first(self.t.clone(), self.t.rows(), &Control::unwatched())
    }

    /// The first pairs as vectors of A, and their certificate.
    fn leading(&self, values: &[f64], turn: &Matrix) -> Result<(Matrix, f64)> {
        let turn = turn.select_rows(&(0..values.len()).collect::<Vec<_>>());
        let vectors = product(&turn, &self.q)?;
        let residual = certificate(values, &vectors, product(&turn, &self.aq)?);
        Ok((vectors, residual))
    }

    /// Keeps the vectors of the first pairs alone.
    fn begin_again(&mut self, values: &[f64], turn: &Matrix) -> Result<()> {
        let turn = turn.select_rows(&(0..values.len()).collect::<Vec<_>>());
        self.q = product(&turn, &self.q)?;
        self.aq = product(&turn, &self.aq)?;
        self.t = Matrix::from_fn(values.len(), values.len(), |i, j| if i == j { values[i] } else { 0.0 });
        Ok(())
    }

    /// The rows less what the basis holds of them, orthonormal; a row with nothing new becomes a random one.
    fn orthonormal(&self, mut rows: Matrix, random: &mut impl rand::Rng) -> Result<Matrix> {
        // A vector of which less than this share is new adds nothing but rounding.
        const NOTHING_NEW: f64 = 1e-12;
        let (count, n) = (rows.rows(), rows.cols());
        let mut sizes: Vec<f64> = (0..count).map(|i| norm(rows.row(i))).collect();
        // Once more, as what is taken away leaves rounding behind, and so of rows that had nothing new.
        let mut times = 2;
        for _ in 0..4 {
            let void: Vec<usize> = (0..count).filter(|&i| sizes[i] == 0.0).collect();
            if times == 0 && void.is_empty() {
                break;
            }
            times = if void.is_empty() { times - 1 } else { 1 };
            for i in void {
                rows.row_mut(i).iter_mut().for_each(|v| *v = StandardNormal.sample(random));
            }
            let held = product(&product_transposed(&rows, &self.q)?, &self.q)?;
            rows.data_mut().iter_mut().zip(held.data()).for_each(|(v, h)| *v -= h);
            for i in 0..count {
                let before = sizes[i].max(f64::MIN_POSITIVE);
                let (above, rest) = rows.data_mut().split_at_mut(i * n);
                let row = &mut rest[..n];
                for other in above.chunks_exact(n) {
                    axpy(-dot(row, other), other, row);
                }
                let size = norm(row);
                sizes[i] = if size > NOTHING_NEW * before { 1.0 } else { 0.0 };
                let scale = if size > 0.0 { 1.0 / size } else { 0.0 };
                row.iter_mut().for_each(|v| *v *= scale);
            }
        }
        Ok(rows)
    }
}

fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

fn first_rows(matrix: Matrix, count: usize) -> Matrix {
    if count == matrix.rows() { matrix } else { matrix.select_rows(&(0..count).collect::<Vec<_>>()) }
}

/// One matrix above the other.
fn stacked(above: Matrix, below: &Matrix) -> Matrix {
    let (rows, cols) = (above.rows() + below.rows(), below.cols());
    let mut data = above.into_data();
    data.extend_from_slice(below.data());
    Matrix::new(rows, cols, data).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_diagonal(diagonal: &[f64], count: usize) -> Eigenpairs {
        let wanted = Wanted { count, tolerance: 1e-11, most_products: 200, most_operations: f64::INFINITY, seed: 3 };
        let multiply = |v: &Matrix| Ok(Matrix::from_fn(v.rows(), v.cols(), |i, j| v[(i, j)] * diagonal[j]));
        leading(diagonal.len(), &wanted, &multiply, &Control::default()).unwrap()
    }

    #[test]
    fn the_second_difference_has_the_eigenvalues_of_its_sines() {
        // The n x n matrix with 2 on the diagonal and -1 beside it: 2 - 2 cos(pi k / (n + 1)).
        let n = 300;
        let multiply = |v: &Matrix| {
            Ok(Matrix::from_fn(v.rows(), n, |i, j| {
                let at = |j: usize| if j < n { v[(i, j)] } else { 0.0 };
                2.0 * v[(i, j)] - at(j.wrapping_sub(1)) - at(j + 1)
            }))
        };
        let wanted = Wanted { count: 4, tolerance: 1e-9, most_products: 500, most_operations: f64::INFINITY, seed: 0 };
        let found = leading(n, &wanted, &multiply, &Control::default()).unwrap();
        assert!(found.residual <= 1e-9, "{} after {} products", found.residual, found.products);
        for (k, theta) in found.values.iter().enumerate() {
            let expected = 2.0 - 2.0 * (std::f64::consts::PI * (n - k) as f64 / (n + 1) as f64).cos();
            assert!((theta - expected).abs() <= 1e-8, "{theta} {expected}");
        }
    }

    #[test]
    fn eigenvalues_that_occur_more_often_than_a_block_is_wide_are_all_found() {
        let diagonal: Vec<f64> = (0..200).map(|i| if i % 10 == 0 { 5.0 } else { 1.0 / (1.0 + i as f64) }).collect();
        let found = of_diagonal(&diagonal, 12);
        assert!(found.values.iter().all(|theta| (theta - 5.0).abs() <= 1e-9), "{:?}", found.values);
        for i in 0..12 {
            for j in 0..12 {
                let expected = f64::from(u8::from(i == j));
                assert!((dot(found.vectors.row(i), found.vectors.row(j)) - expected).abs() <= 1e-12);
            }
        }
    }

    #[test]
    fn a_matrix_of_low_rank_has_zeros_after_its_rank_and_none_of_the_negative_ones() {
        let mut diagonal = vec![0.0; 150];
        (diagonal[7], diagonal[90], diagonal[149]) = (3.0, 2.0, -9.0);
        let found = of_diagonal(&diagonal, 3);
        for (theta, expected) in found.values.iter().zip([3.0, 2.0, 0.0]) {
            assert!((theta - expected).abs() <= 1e-9, "{:?}", found.values);
        }
        assert!(of_diagonal(&[2.0, 1.0], 5).values.len() == 2);
    }
}
