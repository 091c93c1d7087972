//! The trait that every kernel implements, and the Gram matrix of one kernel on two batches.

use super::gradient::sum_tiles;
use super::tree::{LEAST_POINTS, Tree};
use super::{
    Block, Bound, Coordinates, Counts, FeatureSource, Gram, HeldMatrix, LogGram, PairWeights, PointFormula, PreparedPoints, Side,
    Structure, Tile, TileRows, UnrelatedRows, distances, no_input_gradient, unrelated,
};
use crate::control::Control;
use crate::data::{ColumnNeeds, Inputs, RowCount, RowWeights};
use crate::error::Result;
use crate::linalg::{Matrix, Real, SparseMatrix};
use crate::notice::Notice;
use crate::param::{Alias, Parameters};
use serde::{Serialize, de::DeserializeOwned};
use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Positive semi-definiteness as far as it is known without any input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mercer {
    /// Positive semi-definite for every input.
    Always,
    /// Only under the condition named.
    Conditional(String),
    /// Not, for the reason named.
    Never(String),
}

/// The measure of the frequencies w of a stationary kernel with length scales of 1, k(x, z) = E cos w'(x - z) (Bochner).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spectral {
    /// Independent standard normal numbers.
    Normal,
    /// A vector of Student's t with so many degrees of freedom.
    Student(f64),
    /// Independent standard Cauchy numbers.
    Cauchy,
}

/// A similarity between two inputs. Small, stored as data.
pub trait Kernel: Parameters + Serialize + DeserializeOwned + Default + Clone + Send + Sync + 'static {
    /// Its name in expressions.
    const NAME: &'static str;
    /// Formula and meaning in one sentence.
    const DOC: &'static str;
    /// Where the formula stands: author, work, year, equation.
    const SOURCE: &'static str;
    /// Other names that users bring from elsewhere.
    const ALIASES: &'static [Alias] = &[];
    /// The parameters that [`Kernel::gradient`] knows.
    const DIFFERENTIABLE: &'static [&'static str] = &[];
    /// Why it is positive semi-definite, where [`Kernel::mercer`] says so: the last line of a proof.
    const BECAUSE: &'static str = "";
    /// What inputs have in common where k is above 0, of kernels of symbols that are 0 for all others: a word, a substring. Rows that have
    /// none in common with any training row are reported with predictions.
    const SHARED: &'static str = "";
    /// Whether it takes columns as they are: counts, angles and dates lose their meaning when they are standardised.
    const AS_IS: bool = false;
    /// The sort of input it compares.
    type Inputs: Inputs;
    /// State learnt from the training inputs besides parameters: a vocabulary, a factor. `()` for most.
    type Learnt: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// A batch after the work done once per input.
    type Prepared: PreparedBatch + Send + Sync;

    /// The columns it takes: those of its inputs, unless a parameter says which.
    fn column_needs(&self) -> ColumnNeeds {
        ColumnNeeds { as_is: Self::AS_IS, ..ColumnNeeds::of::<Self::Inputs>() }
    }
    /// Replaces what is `auto` by what the inputs suggest, counted by weight, and a range by its point nearest to that. What has a number
    /// as its default is settled before, from that number on.
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
    /// Whether other training inputs would teach it other values: folds then learn anew, and no closed form leaves a row out.
    fn learns(&self) -> bool {
        false
    }
    /// Learns from the training inputs, counted by weight. Its parameters are settled and checked.
    fn learn(&self, _inputs: &Self::Inputs, _weights: RowWeights<'_>, _control: &Control) -> Result<Self::Learnt> {
        Ok(Self::Learnt::default())
    }
    /// What the user should know of what was learnt, such as what was added to a diagonal.
    fn notices(&self, _learnt: &Self::Learnt) -> Vec<Notice> {
        Vec::new()
    }
    /// Does the work done once per input; `like` is the batch that this one will be compared with.
    ///
    /// # Errors
    /// Inputs that cannot be prepared; something learnt that is not of this kernel, as only a damaged file has it; bounds of `control`,
    /// which is asked for memory before much of it is taken, and for time where the work is long.
    fn prepare(
        &self,
        learnt: &Self::Learnt,
        inputs: &Self::Inputs,
        like: Option<&Self::Prepared>,
        control: &Control,
    ) -> Result<Self::Prepared>;
    /// Writes every pair of the tile.
    fn fill<T: Real>(&self, tile: Tile<'_, Self::Prepared, T>);
    /// k(x, x) for each input.
    fn diagonal(&self, x: &Self::Prepared) -> Vec<f64>;
    /// The features of each input, where they are few and k is their inner product.
    fn features(&self, _: &Self::Prepared) -> Option<Matrix> {
        None
    }
    /// The features of each input in sparse storage, where they may be many and most are 0.
    fn sparse_features<'p>(&self, _: &'p Self::Prepared) -> Option<SparseMatrix<'p>> {
        None
    }
    /// Whether its features are counts, weighted or not, of which none is below 0.
    fn has_counts(&self) -> bool {
        false
    }
    /// Those counts; `None` also where they are not kept one by one for these inputs.
    fn counts<'p>(&self, _: &'p Self::Prepared) -> Option<Counts<'p>> {
        None
    }
    /// Whether the features are the same in every batch, and not only in batches that are compared.
    fn features_stand_alone(&self) -> bool {
        true
    }
    /// The number of features for such inputs, without preparing them.
    fn rank(&self, _inputs: &Self::Inputs) -> Option<usize> {
        None
    }
    /// An upper bound on the nonzero [`Kernel::sparse_features`] of these inputs, without preparing them.
    fn stored(&self, _inputs: &Self::Inputs) -> Option<usize> {
        None
    }
    /// Operations of one of its values for two of these inputs, on average, once they are prepared; estimated without preparing them all.
    /// Preparing is left out: it takes one pass over each input, and a fit compares each with many.
    fn per_value(&self, inputs: &Self::Inputs) -> f64 {
        inputs.per_pair()
    }
    /// The measure of its frequencies and its length scales, one or one per column, where it is stationary.
    fn spectral(&self) -> Option<(Spectral, Vec<f64>)> {
        None
    }
    /// The points whose Euclidean distances rise with the distances of the inputs in feature space, where there are such.
    fn points<'p>(&self, _: &'p Self::Prepared) -> Option<&'p PreparedPoints> {
        None
    }
    /// Its values between two batches as a formula of their points, which [`Kernel::fill`] writes too: engines that have code for it need
    /// no tile of the CPU.
    fn point_formula<'p>(&self, _rows: &'p Self::Prepared, _cols: &'p Self::Prepared) -> Option<PointFormula<'p>> {
        None
    }
    /// |phi(x) - phi(z)|^2 in place of squared distances of those points.
    fn squared_distances(&self, _sqdists: &mut [f64]) {}
    /// ln k(x, x) of each input, where values are known by their logarithms.
    fn log_diagonal(&self, _: &Self::Prepared) -> Option<Vec<f64>> {
        None
    }
    /// Writes -ln(k(x, z) / sqrt(k(x, x) k(z, z))) for every pair of the tile, where [`Kernel::log_diagonal`] is known: see [`LogGram`].
    fn fill_log_decay(&self, _: Tile<'_, Self::Prepared, f64>) {}
    /// Whether it has one value for all pairs of inputs.
    fn is_constant(&self) -> bool {
        false
    }
    /// Positive semi-definiteness, for the values that its parameters have or may be searched over.
    fn mercer(&self) -> Mercer;
    /// Why it is of negative type (v'Kv >= 0 whenever sum v = 0) for all those values although it is not positive
    /// semi-definite.
    fn negative_type(&self) -> Option<&'static str> {
        None
    }
    /// Adds sum weight_kl dk_kl/dparameter over the tile to `out`, parameters in record order, one per column where
    /// a parameter has one; `tile.out` is scratch of the tile's shape.
    fn gradient(&self, _tile: Tile<'_, Self::Prepared, f64>, _weights: &[f64], _out: &mut [f64]) {}
    /// Adds sum_l weight_kl dk(x_k, z_l)/dx_k over the tile to row k of `out`, one number for each number of an input; `tile.out` is scratch
    /// of the tile's shape.
    ///
    /// # Errors
    /// A kernel without this derivative.
    fn input_gradient(&self, _tile: Tile<'_, Self::Prepared, f64>, _weights: &[f64], _out: &mut [f64]) -> Result<()> {
        Err(no_input_gradient(Self::NAME))
    }
}

/// A prepared batch.
pub trait PreparedBatch: Sized {
    /// Some of its inputs, in any order, as if they alone had been prepared with the others known; `None` where that takes as
    /// long as to prepare them.
    fn gather(&self, _rows: &[usize]) -> Option<Self> {
        None
    }
    /// Whether k(x, z) = k(z, x) among the batch: not of values that come from elsewhere.
    fn is_symmetric(&self) -> bool {
        true
    }
    /// The whole Gram matrix among the batch, where it is there already and every value is known to be finite.
    fn held(&self) -> Option<&Matrix> {
        None
    }
    /// Whether [`PreparedBatch::fold`] may have an answer.
    const FOLDS: bool = false;
    /// sum_s coef[s, o] k(x, s) over the inputs s of the batch as a function of x whose cost does not grow with their number; `None` where
    /// there is none that pays.
    fn fold(&self, _coef: &Matrix) -> Option<Box<dyn Fold<Self>>> {
        None
    }
}

/// A batch and its coefficients, folded into one function.
pub trait Fold<P>: Send + Sync {
    /// The function of some inputs of another batch, inputs x outputs.
    fn values(&self, batch: &P, rows: &[usize]) -> Matrix;
}

/// Coefficients, and the function that a batch folds into with them.
type Folded<P> = (Matrix, Option<Box<dyn Fold<P>>>);

/// Numbers of rows hold nothing else, and their kernels ask which row it is.
impl PreparedBatch for RowCount {}

/// A batch made ready for one kernel: the side of Gram matrices that stays while rows come and go.
pub(crate) struct Ready<K: Kernel> {
    kernel: K,
    learnt: Arc<K::Learnt>,
    parameters: usize,
    coordinates: Coordinates,
    count: usize,
    batch: K::Prepared,
    /// Over its points, once it was asked for.
    tree: OnceLock<Option<Tree>>,
    /// The last fold that was asked for: a model asks for the same again and again.
    folded: Mutex<Option<Arc<Folded<K::Prepared>>>>,
}

impl<K: Kernel> Ready<K> {
    fn fold(&self, coef: &Matrix) -> Arc<Folded<K::Prepared>> {
        let last = || self.folded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folded) = last().as_ref().filter(|folded| folded.0 == *coef) {
            return folded.clone();
        }
        // Not under the lock: a thread that waits for a part of this work may come here again.
        let made = Arc::new((coef.clone(), self.batch.fold(coef)));
        last().insert(made).clone()
    }

    /// Inputs, and where their numbers stand among all of a row.
    pub(crate) fn new(
        kernel: &K,
        learnt: &Arc<K::Learnt>,
        (inputs, coordinates): (&K::Inputs, Coordinates),
        control: &Control,
    ) -> Result<Self> {
        require_fit(kernel, inputs)?;
        Ok(Ready {
            kernel: kernel.clone(),
            learnt: learnt.clone(),
            parameters: crate::param::numbers(kernel).iter().map(|setting| setting.value.numbers().len()).sum(),
            coordinates,
            count: inputs.len(),
            batch: kernel.prepare(learnt, inputs, None, control)?,
            tree: OnceLock::new(),
            folded: Mutex::default(),
        })
    }
}

/// An error unless every parameter is settled and the parameters fit the inputs.
pub(crate) fn require_fit<K: Kernel>(kernel: &K, inputs: &K::Inputs) -> Result<()> {
    crate::param::require_settled(kernel, K::NAME)?;
    kernel.check(inputs)
}

/// One kernel bound to two batches.
pub(crate) struct Leaf<K: Kernel> {
    /// Their number and the batch; `None`: the columns.
    rows: Option<(usize, K::Prepared)>,
    cols: Arc<Ready<K>>,
    /// Of whom it was bound for: only whether that was cancelled, after which no number is looked at.
    watch: Control,
}

impl<K: Kernel> Leaf<K> {
    /// Binds to one batch (symmetric).
    pub(crate) fn among(cols: &Arc<Ready<K>>, control: &Control) -> Self {
        Leaf { rows: None, cols: cols.clone(), watch: control.for_cancelling() }
    }
    /// Binds new inputs to a batch.
    pub(crate) fn cross(inputs: &K::Inputs, cols: &Arc<Ready<K>>, control: &Control) -> Result<Self> {
        cols.kernel.check(inputs)?;
        let rows = (inputs.len(), cols.kernel.prepare(&cols.learnt, inputs, Some(&cols.batch), control)?);
        Ok(Leaf { rows: Some(rows), cols: cols.clone(), watch: control.for_cancelling() })
    }

    fn tile<'t, T>(&'t self, rows: TileRows<'t>, cols: Range<usize>, out: Block<'t, T>) -> Tile<'t, K::Prepared, T> {
        Tile { a: self.along_rows(), rows, b: &self.cols.batch, cols, out: out.or_watched(&self.watch) }
    }

    fn along_rows(&self) -> &K::Prepared {
        self.rows.as_ref().map_or(&self.cols.batch, |(_, batch)| batch)
    }

    fn along(&self, side: Side) -> &K::Prepared {
        if side == Side::Rows { self.along_rows() } else { &self.cols.batch }
    }
}

impl<K: Kernel> Gram for Leaf<K> {
    fn shape(&self) -> (usize, usize) {
        (self.rows.as_ref().map_or(self.cols.count, |(count, _)| *count), self.cols.count)
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
        self.cols.kernel.fill(self.tile(TileRows::Range(rows), cols, out));
    }
    fn gathered(&self, rows: &[usize]) -> Option<Box<dyn Gram + '_>> {
        let (whole, count) = (&self.cols, rows.len());
        let batch = self.symmetric().then(|| whole.batch.gather(rows))??;
        let (kernel, learnt, parameters) = (whole.kernel.clone(), whole.learnt.clone(), whole.parameters);
        let (tree, folded, coordinates) = (OnceLock::new(), Mutex::default(), whole.coordinates.clone());
        let cols = Arc::new(Ready { kernel, learnt, parameters, coordinates, count, batch, tree, folded });
        Some(Box::new(Leaf { rows: None, cols, watch: self.watch.clone() }))
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        self.cols.kernel.diagonal(self.along(side))
    }
    fn symmetric(&self) -> bool {
        self.rows.is_none() && self.cols.batch.is_symmetric()
    }
    fn structure(&self) -> Structure<'_> {
        let held = if self.rows.is_none() { self.cols.batch.held() } else { None };
        held.map_or(Structure::Features(self), |values| Structure::Held(HeldMatrix::new(values)))
    }
    fn folds(&self) -> bool {
        K::Prepared::FOLDS
    }
    fn folded(&self, rows: &[usize], coef: &Matrix, control: &Control) -> Result<Option<Matrix>> {
        control.check()?;
        if rows.is_empty() {
            return Ok(None);
        }
        Ok(self.cols.fold(coef).1.as_ref().map(|fold| fold.values(self.along_rows(), rows)))
    }
    fn fill_distances(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        let (Some(a), Some(b)) = (self.cols.kernel.points(self.along_rows()), self.cols.kernel.points(&self.cols.batch)) else {
            return distances::fill(self, rows, cols, out);
        };
        Tile { a, rows: TileRows::List(rows), b, cols, out }.sqdists();
    }
    fn squared_distances(&self, apart: &mut [f64]) {
        match self.cols.kernel.points(&self.cols.batch) {
            Some(_) => self.cols.kernel.squared_distances(apart),
            None => distances::square(self, apart),
        }
    }
    fn logarithm(&self) -> Option<&dyn LogGram> {
        self.cols.kernel.log_diagonal(&self.cols.batch).is_some().then_some(self)
    }
    fn is_constant(&self) -> bool {
        self.cols.kernel.is_constant()
    }
    fn unrelated_rows(&self) -> Vec<UnrelatedRows> {
        if K::SHARED.is_empty() || self.shape().1 == 0 {
            return Vec::new();
        }
        let rows = self.unrelated();
        if rows.is_empty() { Vec::new() } else { vec![UnrelatedRows { kernel: K::NAME, shared: K::SHARED, rows }] }
    }
    fn nearest(&self, rows: &[usize], count: usize) -> Option<Vec<Vec<(usize, f64)>>> {
        // A tree finds neighbours faster than a scan where no more than one in so many is asked for.
        const FEW: usize = 16;
        // Where many are asked for, most boxes are entered.
        if self.cols.count < LEAST_POINTS || count > self.cols.count / FEW {
            return None;
        }
        let points = self.cols.kernel.points(self.along_rows())?;
        let tree = self.cols.tree.get_or_init(|| self.cols.kernel.points(&self.cols.batch).and_then(Tree::new)).as_ref()?;
        rows.iter().map(|&i| Some(tree.nearest(points.row(i)?, count))).collect()
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        self.cols.kernel.fill(self.tile(TileRows::List(rows), cols, out));
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f32>) {
        self.cols.kernel.fill(self.tile(TileRows::List(rows), cols, out));
    }
}

impl<K: Kernel> Leaf<K> {
    /// The rows that have nothing in common with any column; features tell it sooner than values.
    fn unrelated(&self) -> Vec<usize> {
        let of = |side| self.cols.kernel.sparse_features(self.along(side)).filter(|_| self.rows.is_some());
        match (of(Side::Rows), of(Side::Cols)) {
            (Some(rows), Some(cols)) => unrelated::by_features(&rows, &cols),
            _ => unrelated::by_values(self),
        }
    }
}

impl<K: Kernel> LogGram for Leaf<K> {
    fn log_diagonal(&self, side: Side) -> Vec<f64> {
        self.cols.kernel.log_diagonal(self.along(side)).unwrap_or_default()
    }
    fn fill_log_decay(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        self.cols.kernel.fill_log_decay(self.tile(TileRows::List(rows), cols, out));
    }
}

impl<K: Kernel> FeatureSource for Leaf<K> {
    fn dense(&self, side: Side) -> Option<Cow<'_, Matrix>> {
        self.cols.kernel.features(self.along(side)).map(Cow::Owned)
    }
    fn sparse(&self, side: Side) -> Option<SparseMatrix<'_>> {
        self.cols.kernel.sparse_features(self.along(side))
    }
    fn counts(&self, side: Side) -> Option<Counts<'_>> {
        self.cols.kernel.counts(self.along(side))
    }
    fn point_formula(&self) -> Option<PointFormula<'_>> {
        self.cols.kernel.point_formula(self.along_rows(), &self.cols.batch)
    }
    fn stand_alone(&self) -> bool {
        self.cols.kernel.features_stand_alone()
    }
}

impl<K: Kernel> Bound for Leaf<K> {
    fn parameters(&self) -> usize {
        self.cols.parameters
    }
    fn gradient(&self, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        sum_tiles(weights, self.cols.parameters, control, |rows, cols, part, out| {
            super::with_scratch(part.len(), |scratch| {
                let block = Block::new(scratch, rows.len(), cols.len()).watched(control);
                self.cols.kernel.gradient(self.tile(rows, cols, block), part, out);
            });
        })
    }
    fn input_gradient(&self, weights: &Matrix, control: &Control) -> Result<Matrix> {
        self.cols.coordinates.sum_tiles(weights, control, |rows, cols, block, part, out| {
            self.cols.kernel.input_gradient(self.tile(rows, cols, block), part, out)
        })
    }
}
