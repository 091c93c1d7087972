//! Dense linear algebra, and the only room that names its backend.

mod matrix;
mod product;

pub use matrix::Matrix;
pub(crate) use product::{Real, add_product, product_abt};
