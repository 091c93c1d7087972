//! Structure of a Gram matrix that spares kernel values: a whole matrix that is held, or features whose products the values are.

use super::{Counts, PointFormula, Side};
use crate::linalg::{self, Lower, Matrix, SparseMatrix};
use std::borrow::Cow;
use std::sync::OnceLock;

/// What a Gram matrix is known to be besides its values. To ask for it is free: nothing is formed.
#[derive(Clone, Copy, Default)]
pub enum Structure<'a> {
    /// Values alone.
    #[default]
    Opaque,
    /// The whole matrix is held, and every value is known to be finite.
    Held(HeldMatrix<'a>),
    /// K = Z_rows Z_cols' or a formula of points, if the source knows one for these inputs.
    Features(&'a dyn FeatureSource),
    /// Z = C L'^-1 for the rows, applied without being formed. Everything else, the features formed included, is available but expensive.
    Whitened {
        /// C, inputs x rank.
        values: &'a Matrix,
        /// L.
        factor: &'a Lower,
        /// Z, formed.
        formed: &'a dyn FeatureSource,
    },
}

/// Features of the inputs of a Gram matrix and the formula of its values, formed each time they are asked for.
pub trait FeatureSource: Sync {
    /// The features of the inputs of one side (inputs x rank), where they are few by construction: K is the product of those of
    /// the rows and of those of the columns, and solvers work in the primal. Kept by sums, multiples, weights, normalising and
    /// selections.
    fn dense(&self, side: Side) -> Option<Cow<'_, Matrix>>;
    /// The features of the inputs of one side in sparse storage, where they are many and mostly 0, like words of documents.
    fn sparse(&self, _side: Side) -> Option<SparseMatrix<'_>> {
        None
    }
    /// The counts of the inputs of one side, where the features are such.
    fn counts(&self, _side: Side) -> Option<Counts<'_>> {
        None
    }
    /// The values as a formula of points, where they are one: what an engine computes them from. Kept by sums, products, multiples and
    /// selections.
    fn point_formula(&self) -> Option<PointFormula<'_>> {
        None
    }
    /// Whether the features of an input are the same whatever it is compared with: their weights then predict new inputs.
    fn stand_alone(&self) -> bool {
        true
    }
}

impl<'a> Structure<'a> {
    /// The whole matrix, where it is held.
    pub fn held(self) -> Option<&'a Matrix> {
        if let Structure::Held(held) = self { Some(held.values) } else { None }
    }
    /// The whole matrix in f32, where it is held: see [`HeldMatrix::single`].
    pub(crate) fn held_single(self, width: usize) -> Option<&'a [f32]> {
        if let Structure::Held(held) = self { held.single(width) } else { None }
    }
    /// What forms the features, if there are any.
    fn source(self) -> Option<&'a dyn FeatureSource> {
        match self {
            Structure::Features(source) | Structure::Whitened { formed: source, .. } => Some(source),
            Structure::Opaque | Structure::Held(_) => None,
        }
    }
    /// [`FeatureSource::dense`], where there is a source.
    pub fn dense_features(self, side: Side) -> Option<Cow<'a, Matrix>> {
        self.source()?.dense(side)
    }
    /// [`FeatureSource::sparse`], where there is a source.
    pub fn sparse_features(self, side: Side) -> Option<SparseMatrix<'a>> {
        self.source()?.sparse(side)
    }
    /// [`FeatureSource::counts`], where there is a source.
    pub fn counts(self, side: Side) -> Option<Counts<'a>> {
        self.source()?.counts(side)
    }
    /// [`FeatureSource::point_formula`], where there is a source.
    pub fn point_formula(self) -> Option<PointFormula<'a>> {
        self.source()?.point_formula()
    }
    /// [`FeatureSource::stand_alone`]; true where there are no features.
    pub fn features_stand_alone(self) -> bool {
        self.source().is_none_or(FeatureSource::stand_alone)
    }
}

/// A Gram matrix held as a whole.
#[derive(Clone, Copy)]
pub struct HeldMatrix<'a> {
    values: &'a Matrix,
    single: Option<&'a SingleCopy>,
}

impl<'a> HeldMatrix<'a> {
    /// Holds these values, every one of which is finite.
    pub fn new(values: &'a Matrix) -> Self {
        HeldMatrix { values, single: None }
    }
    /// Lends a place for a copy in f32.
    pub(super) fn with_single(self, copy: &'a SingleCopy) -> Self {
        HeldMatrix { single: Some(copy), ..self }
    }
    /// The values in f32, row by row, each row padded with zeros to a width; made once, for one width.
    fn single(self, width: usize) -> Option<&'a [f32]> {
        self.single?.of(self.values, width)
    }
}

/// The values of a matrix in f32, once they were asked for, and the width of a row.
#[derive(Clone, Debug, Default)]
pub(super) struct SingleCopy(OnceLock<(usize, Vec<f32>)>);

impl SingleCopy {
    fn of(&self, values: &Matrix, width: usize) -> Option<&[f32]> {
        let made = || {
            let mut out = vec![0.0; values.rows() * width];
            linalg::prefer_large_pages(&mut out);
            for (row, from) in out.chunks_exact_mut(width).zip(values.data().chunks_exact(values.cols())) {
                row.iter_mut().zip(from).for_each(|(o, v)| *o = *v as f32);
            }
            (width, out)
        };
        let (found, single) = (width >= values.cols()).then(|| self.0.get_or_init(made))?;
        (*found == width).then_some(single.as_slice())
    }
}
