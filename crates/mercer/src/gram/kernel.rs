//! The trait that every kernel implements, and the Gram matrix of one kernel on two batches.

use super::gradient::sum_tiles;
use super::tree::{LEAST_POINTS, Tree};
use super::{Block, Bound, Cloud, Gram, Rows, Side, Tile, apart};
use crate::control::Control;
use crate::data::{Inputs, RowCount, RowWeights};
use crate::error::Result;
use crate::linalg::{Matrix, Real};
use crate::param::{Alias, Param};
use serde::{Serialize, de::DeserializeOwned};
use std::ops::Range;
use std::sync::OnceLock;

/// What is known about positive semi-definiteness without any input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mercer {
    /// Positive semi-definite for every input.
    Always,
    /// Only under the condition named.
    Conditional(String),
    /// Not, for the reason named.
    Never(String),
}

/// A similarity between two inputs. Small, stored as data.
pub trait Kernel: Serialize + DeserializeOwned + Default + Clone + Send + Sync + 'static {
    /// Its name in expressions.
    const NAME: &'static str;
    /// Formula and meaning in one sentence.
    const DOC: &'static str;
    /// Where the formula stands: author, work, year, equation.
    const SOURCE: &'static str;
    /// Its parameters, in the order of the struct's fields.
    const PARAMS: &'static [Param];
    /// Other names that users bring from elsewhere.
    const ALIASES: &'static [Alias] = &[];
    /// The parameters that [`Kernel::gradient`] knows.
    const DIFFERENTIABLE: &'static [&'static str] = &[];
    /// Why it is positive semi-definite, where [`Kernel::mercer`] says so: the last line of a proof.
    const BECAUSE: &'static str = "";
    /// Whether it takes columns as they are: counts, angles and dates lose their meaning when they are standardised.
    const AS_IS: bool = false;
    /// The sort of input it compares.
    type Inputs: Inputs;
    /// A batch after the work done once per input.
    type Prepared: Gather + Send + Sync;

    /// Replaces what is `auto` by what the inputs suggest, counted by weight, and a range by its point nearest to that.
    fn settle(&self, _inputs: &Self::Inputs, _weights: RowWeights<'_>) -> Self {
        self.clone()
    }
    /// Numbers per input that a parameter asks for which is a list of so many numbers: as many, unless said otherwise.
    fn dim_for(listed: usize) -> usize {
        listed
    }
    /// An error where parameters and inputs do not fit together.
    fn check(&self, _inputs: &Self::Inputs) -> Result<()> {
        Ok(())
    }
    /// Does the work done once per input; `like` is the batch that this one will be compared with.
    fn prepare(&self, inputs: &Self::Inputs, like: Option<&Self::Prepared>) -> Self::Prepared;
    /// Writes every pair of the tile.
    fn fill<T: Real>(&self, tile: Tile<'_, Self::Prepared, T>);
    /// k(x, x) for each input.
    fn diagonal(&self, x: &Self::Prepared) -> Vec<f64>;
    /// The features of each input, where they are few and k is their inner product.
    fn features(&self, _: &Self::Prepared) -> Option<Matrix> {
        None
    }
    /// The points whose Euclidean distances rise with the distances of the inputs in feature space, where there are such.
    fn points<'p>(&self, _: &'p Self::Prepared) -> Option<&'p Cloud> {
        None
    }
    /// |phi(x) - phi(z)|^2 from the squared distance of those points.
    fn squared_distance(&self, sqdist: f64) -> f64 {
        sqdist
    }
    /// What is known about positive semi-definiteness, for the values that its parameters have or may be searched over.
    fn mercer(&self) -> Mercer;
    /// Why it is of negative type (v'Kv >= 0 whenever sum v = 0) for all those values although it is not positive
    /// semi-definite.
    fn negative_type(&self) -> Option<&'static str> {
        None
    }
    /// Adds sum weight_kl dk_kl/dparameter over the tile to `out`, parameters in record order, one per column where
    /// a parameter has one; `tile.out` is scratch of the tile's shape.
    fn gradient(&self, _tile: Tile<'_, Self::Prepared, f64>, _weights: &[f64], _out: &mut [f64]) {}
}

/// A prepared batch.
pub trait Gather: Sized {
    /// Some of its inputs, in any order, as if they alone had been prepared with the others known; `None` where that takes as
    /// long as to prepare them.
    fn gather(&self, _rows: &[usize]) -> Option<Self> {
        None
    }
}

/// Numbers of rows hold nothing else, and their kernels ask which row it is.
impl Gather for RowCount {}

/// A tree finds neighbours faster than a scan where no more than one in so many is asked for.
const FEW: usize = 16;

/// One kernel bound to two batches.
pub(crate) struct Leaf<K: Kernel> {
    kernel: K,
    parameters: usize,
    rows: usize,
    a: Option<K::Prepared>,
    cols: usize,
    b: K::Prepared,
    /// Over the points of the columns, once it was asked for.
    tree: OnceLock<Option<Tree>>,
}

impl<K: Kernel> Leaf<K> {
    /// Binds to one batch (symmetric) or to new rows against it.
    pub(crate) fn new(kernel: &K, rows: Option<&K::Inputs>, cols: &K::Inputs) -> Result<Self> {
        crate::param::require_settled(kernel, K::NAME, K::PARAMS)?;
        kernel.check(cols)?;
        let b = kernel.prepare(cols, None);
        let a = match rows {
            Some(inputs) => {
                kernel.check(inputs)?;
                Some(kernel.prepare(inputs, Some(&b)))
            }
            None => None,
        };
        let parameters = crate::param::values(kernel, K::PARAMS).iter().map(|(_, v)| v.numbers().len()).sum();
        Ok(Leaf {
            kernel: kernel.clone(),
            parameters,
            rows: rows.map_or(cols.len(), Inputs::len),
            a,
            cols: cols.len(),
            b,
            tree: OnceLock::new(),
        })
    }

    fn tile<'t, T>(&'t self, rows: Rows<'t>, cols: Range<usize>, out: Block<'t, T>) -> Tile<'t, K::Prepared, T> {
        Tile { a: self.along_rows(), rows, b: &self.b, cols, out }
    }

    fn along_rows(&self) -> &K::Prepared {
        self.a.as_ref().unwrap_or(&self.b)
    }
}

impl<K: Kernel> Gram for Leaf<K> {
    fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
        self.kernel.fill(self.tile(Rows::Range(rows), cols, out));
    }
    fn gathered(&self, rows: &[usize]) -> Option<Box<dyn Gram + '_>> {
        let b = self.symmetric().then(|| self.b.gather(rows))??;
        let (kernel, n) = (self.kernel.clone(), rows.len());
        Some(Box::new(Leaf { kernel, parameters: self.parameters, rows: n, a: None, cols: n, b, tree: OnceLock::new() }))
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        match (side, &self.a) {
            (Side::Rows, Some(a)) => self.kernel.diagonal(a),
            _ => self.kernel.diagonal(&self.b),
        }
    }
    fn symmetric(&self) -> bool {
        self.a.is_none()
    }
    fn factor(&self) -> Option<Matrix> {
        if self.symmetric() { self.kernel.features(&self.b) } else { None }
    }
    fn fill_apart(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        let (Some(a), Some(b)) = (self.kernel.points(self.along_rows()), self.kernel.points(&self.b)) else {
            return apart::from_values(self, rows, cols, out);
        };
        Tile { a, rows: Rows::List(rows), b, cols, out }.sqdists();
    }
    fn squared_distance(&self, apart: f64) -> f64 {
        self.kernel.squared_distance(apart)
    }
    fn nearest(&self, rows: &[usize], count: usize) -> Option<Vec<Vec<(usize, f64)>>> {
        // Where many are asked for, most boxes are entered.
        if self.cols < LEAST_POINTS || count > self.cols / FEW {
            return None;
        }
        let points = self.kernel.points(self.along_rows())?;
        let tree = self.tree.get_or_init(|| self.kernel.points(&self.b).and_then(Tree::new)).as_ref()?;
        rows.iter().map(|&i| Some(tree.nearest(points.row(i)?, count))).collect()
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        self.kernel.fill(self.tile(Rows::List(rows), cols, out));
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f32>) {
        self.kernel.fill(self.tile(Rows::List(rows), cols, out));
    }
}

impl<K: Kernel> Bound for Leaf<K> {
    fn parameters(&self) -> usize {
        self.parameters
    }
    fn gradient(&self, weights: &Matrix, control: &Control) -> Result<Vec<f64>> {
        sum_tiles(weights, self.parameters, control, |rows, cols, part, out| {
            super::with_scratch(part.len(), |scratch| {
                let block = Block::new(scratch, rows.len(), cols.len());
                self.kernel.gradient(self.tile(Rows::Range(rows), cols, block), part, out);
            });
        })
    }
}
