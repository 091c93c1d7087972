//! The features of one side of a Gram matrix, dense or sparse: K = Z_rows Z_cols'.

use super::{Block, FeatureSource, Gram, Identity, PreparedPoints, Side, Structure, Tile, TileRows, dot};
use crate::control::Control;
use crate::data::{Points, Storage};
use crate::error::Result;
use crate::linalg::{Matrix, Real, SparseMatrix, product_within, transposed_product_within};
use std::borrow::Cow;
use std::ops::Range;

/// Features, inputs x rank.
#[derive(Clone, Debug)]
pub enum Features<'a> {
    /// All numbers.
    Dense(Cow<'a, Matrix>),
    /// Those that are not 0.
    Sparse(SparseMatrix<'a>),
}

impl Features<'static> {
    /// The coordinates of points, which are the features of the linear kernel.
    pub fn of_points(points: Points) -> Result<Self> {
        let (rows, dim) = (points.rows(), points.dim());
        Ok(match points.into_storage() {
            Storage::Dense(values) => Features::Dense(Cow::Owned(Matrix::new(rows, dim, values)?)),
            Storage::Csr { starts, columns, values } => {
                Features::Sparse(SparseMatrix::new(dim, Cow::Owned(starts), Cow::Owned(columns), Cow::Owned(values)))
            }
        })
    }
}

impl<'a> Features<'a> {
    /// Those of a Gram matrix, where it has such.
    pub fn of(gram: &'a (impl Gram + ?Sized), side: Side) -> Option<Self> {
        let structure = gram.structure();
        match structure.dense_features(side) {
            Some(z) => Some(Features::Dense(z)),
            None => structure.sparse_features(side).map(Features::Sparse),
        }
    }

    /// Number of inputs.
    pub fn rows(&self) -> usize {
        match self {
            Features::Dense(z) => z.rows(),
            Features::Sparse(z) => z.rows(),
        }
    }
    /// Number of features.
    pub fn cols(&self) -> usize {
        match self {
            Features::Dense(z) => z.cols(),
            Features::Sparse(z) => z.cols(),
        }
    }

    /// Those of some inputs, in any order.
    pub fn select_rows(&self, rows: &[usize]) -> Features<'static> {
        match self {
            Features::Dense(z) => Features::Dense(Cow::Owned(z.select_rows(rows))),
            Features::Sparse(z) => Features::Sparse(z.select_rows(rows)),
        }
    }

    /// Z B for B of rank x outputs.
    pub fn product(&self, b: &Matrix, control: &Control) -> Result<Matrix> {
        match self {
            Features::Dense(z) => product_within(z, b, control),
            Features::Sparse(z) => z.product(b, control),
        }
    }

    /// Z'B for B of inputs x outputs.
    pub fn transposed_product(&self, b: &Matrix, control: &Control) -> Result<Matrix> {
        match self {
            Features::Dense(z) => transposed_product_within(z, b, control),
            Features::Sparse(z) => z.transposed_product(b, control),
        }
    }

    /// Converts the features to sparse storage.
    pub(super) fn into_sparse(self) -> SparseMatrix<'a> {
        match self {
            Features::Dense(z) => SparseMatrix::of_dense(z.rows(), z.cols(), z.data()),
            Features::Sparse(z) => z,
        }
    }

    /// The inner product of two inputs.
    fn inner_product(&self, i: usize, j: usize) -> f64 {
        match self {
            Features::Dense(z) => dot(z.row(i), z.row(j)),
            Features::Sparse(z) => {
                let ((columns, values), (others, theirs)) = (z.row(i), z.row(j));
                let at = |column: &u32| others.binary_search(column).ok();
                columns.iter().zip(values).filter_map(|(column, v)| Some(v * theirs[at(column)?])).sum()
            }
        }
    }

    /// K among these inputs.
    pub(crate) fn into_gram(self) -> Products {
        let points = match self {
            Features::Dense(z) => {
                let (rows, cols) = (z.rows(), z.cols());
                PreparedPoints::plain(&Points::computed(rows, cols, z.into_owned().into_data()), None)
            }
            Features::Sparse(z) => PreparedPoints::of_sparse(&z, None),
        };
        Products(points)
    }
}

/// Features are the Gram matrix among their inputs, for what reads features and few kernel values.
impl Gram for Features<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.rows(), self.rows())
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
        let (first, width) = (cols.start, cols.len());
        for (k, i) in rows.enumerate() {
            for (j, value) in out.row_mut(k)[..width].iter_mut().enumerate() {
                *value = self.inner_product(i, first + j);
            }
        }
    }
    fn diagonal(&self, _: Side) -> Vec<f64> {
        (0..self.rows()).map(|i| self.inner_product(i, i)).collect()
    }
    fn symmetric(&self) -> bool {
        true
    }
    fn structure(&self) -> Structure<'_> {
        Structure::Features(self)
    }
}

impl FeatureSource for Features<'_> {
    fn dense(&self, _: Side) -> Option<Cow<'_, Matrix>> {
        if let Features::Dense(z) = self { Some(Cow::Borrowed(z)) } else { None }
    }
    fn sparse(&self, _: Side) -> Option<SparseMatrix<'_>> {
        if let Features::Sparse(z) = self { Some(z.borrowed()) } else { None }
    }
}

/// Inner products of points.
pub(crate) struct Products(PreparedPoints);

impl Products {
    fn write<T: Real>(&self, rows: TileRows<'_>, cols: Range<usize>, out: Block<'_, T>) {
        Tile { a: &self.0, rows, b: &self.0, cols, out }.from_dots(Identity);
    }
}

impl Gram for Products {
    fn shape(&self) -> (usize, usize) {
        (self.0.rows(), self.0.rows())
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
        self.write(TileRows::Range(rows), cols, out);
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        self.write(TileRows::List(rows), cols, out);
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f32>) {
        self.write(TileRows::List(rows), cols, out);
    }
    fn diagonal(&self, _: Side) -> Vec<f64> {
        self.0.norms().to_vec()
    }
    fn symmetric(&self) -> bool {
        true
    }
}
