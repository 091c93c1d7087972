//! Dense linear algebra, and the only room that names its backend.
//!
//! Everything here gives the same bits for any number of threads: work is cut into bands of a fixed number
//! of rows, each band is computed by one thread with sequential products, and bands never add into one another.

mod block;
mod cholesky;
mod count;
mod eigen;
mod exact_sums;
mod exponential;
mod factorise;
mod few;
mod hadamard;
mod inverse;
mod lower;
mod matrix;
mod product;
mod real;
pub(crate) mod simd;
mod single;
mod sparse;
mod symmetric;
mod triangle;
mod tridiagonal;

pub use block::Block;
pub use cholesky::Cholesky;
pub(crate) use count::{PASSED, SCATTERED, count_passed, count_scattered};
pub use eigen::eigh;
pub(crate) use exact_sums::ExactSums;
pub(crate) use exponential::fma;
pub(crate) use few::combined_rows;
pub(crate) use hadamard::{LANES, hadamard};
pub use lower::Lower;
pub use matrix::Matrix;
#[cfg(feature = "testkit")]
pub use mercer_linalg::counted;
pub(crate) use mercer_linalg::prefer_large_pages;
pub(crate) use product::{add_product, add_transposed_product, over_rows, product_into, transposed_product_into};
pub use product::{
    gramian, gramian_of_columns_within, gramian_within, product, product_transposed, product_transposed_within, product_within,
    transposed_product_within,
};
pub use real::Real;
pub(crate) use single::SingleCholesky;
pub use sparse::SparseMatrix;
pub(crate) use symmetric::multiply_upper;

/// The place of the greatest number, the first of equal ones; 0 where there is none.
pub(crate) fn argmax(numbers: &[f64]) -> usize {
    (1..numbers.len()).fold(0, |best, k| if numbers[k] > numbers[best] { k } else { best })
}
