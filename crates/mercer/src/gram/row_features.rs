//! The features of the rows of a Gram matrix, for what reads these and no kernel value.

use super::{Features, Gram, Side};
use crate::linalg::Matrix;
use std::borrow::Cow;

/// Features of rows, formed where they are asked for.
#[derive(Clone, Copy)]
pub struct RowFeatures<'a>(&'a dyn Gram);

impl<'a> RowFeatures<'a> {
    /// Those of the rows of a Gram matrix.
    pub fn of(gram: &'a dyn Gram) -> Self {
        RowFeatures(gram)
    }
    /// Dense or sparse features, rows x rank; `None` where the kernel writes none out.
    pub fn written(self) -> Option<Features<'a>> {
        Features::of(self.0, Side::Rows)
    }
    /// Dense features, rows x rank; `None` where they are sparse, or the kernel writes none out.
    pub fn dense(self) -> Option<Cow<'a, Matrix>> {
        self.0.structure().dense_features(Side::Rows)
    }
    /// Whether the features of a row are the same whatever it is compared with: their weights then predict new rows.
    pub fn stand_alone(self) -> bool {
        self.0.structure().features_stand_alone()
    }
    /// The products of features of rows with those of the rows that they are compared with, and what else multiplies by features.
    pub fn products(self) -> &'a dyn Gram {
        self.0
    }
}
