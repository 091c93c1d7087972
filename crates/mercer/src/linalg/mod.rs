//! Dense linear algebra, and the only room that names its backend.

mod matrix;
mod product;

pub use matrix::Matrix;
pub use product::Real;
pub(crate) use product::{add_product, product_abt};
