//! min_max(k): sum_i min(x_i, z_i) / sum_i max(x_i, z_i) of the counts x and z whose inner product k is; 1 where both are empty.
//! (Ralaivola, Swamidass, Saigo & Baldi, Graph kernels for chemical informatics, Neural Networks 18, 2005: the MinMax kernel. On sets it is
//! the similarity of Jaccard and Tanimoto, on counts that of Ruzicka.)
//!
//! sum_i max(x_i, z_i) = |x|_1 + |z|_1 - sum_i min(x_i, z_i): counts that one input alone has enter by its total, and are not looked at.

use crate::control::Control;
use crate::data::{Dataset, PER_FUNCTION, RowWeights, Values};
use crate::error::{Error, Result};
use crate::expr::{Argument, Term};
use crate::gram::{Block, Bound, Counts, Gram, PairWeights, PreparedBatch, PreparedPoints, Side, Tile, TileRows, UnrelatedRows};
use crate::kernels::composition::{Closure, Composed, Composition, Form, Properties};
use crate::kernels::fitted::{Fixed, Scope, foreign};
use crate::kernels::shared::Shared;
use crate::kernels::{FittedKernel, KernelExpr};
use crate::linalg::Real;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// The minima of counts over their maxima.
///
/// ```text
/// the sum of the minima of the counts that k multiplies over the sum of their maxima; on sets the similarity of
/// Jaccard and Tanimoto
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct MinMax {}

impl Composition for MinMax {
    const FORMS: &'static [Form] = &[Form {
        name: "min_max",
        also: Some("minmax"),
        form: "min_max(k)",
        example: "min_max(on(seq, spectrum))",
        doc: Self::FORMULA,
        because: "the probability that consistent weighted sampling draws the same from both inputs",
    }];
    const SOURCE: &'static str = "Ralaivola, Swamidass, Saigo & Baldi, Graph kernels for chemical informatics (2005), MinMax kernel; Ioffe, Improved consistent sampling (2010)";
    const IS: Properties = Properties { smooth: false, as_is: true, ..Properties::PLAIN };
    type Learnt = ();

    fn read(name: &str, args: &[Argument], part: &dyn Fn(&Term) -> Result<KernelExpr>) -> Result<Composed<Self>> {
        let [Argument { name: None, term }] = args else {
            return Err(Error::Data(format!("{name} takes one kernel: {}", Self::FORMS[0].example)));
        };
        let of = part(term)?;
        require_counts(&of)?;
        Ok(Composed::of(MinMax {}, of))
    }
    fn learn(&self, parts: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        parts.iter().try_for_each(|part| require_counts(part.expr()))
    }
    fn fix(&self, _: &Shared<()>, parts: &[FittedKernel], rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        let [part] = parts else { return Err(foreign()) };
        let rows = Scope { multiplied: false, ..rows };
        let of = part.fix(rows, control)?;
        let counts = CountBatch::new(of.among(control)?.as_ref(), None, part.expr(), rows, control)?;
        let selected = rows.selected.map(<[String]>::to_vec);
        Ok(Box::new(FixedCounts { expr: part.expr().clone(), selected, of, counts: Arc::new(counts) }))
    }
    fn closure(&self) -> Closure {
        Closure::Always
    }
    /// Columns that both inputs have are met as for an inner product, and a quotient follows.
    fn per_value(&self, parts: &[f64], _: Scope<'_>) -> f64 {
        parts.iter().sum::<f64>() + PER_FUNCTION
    }
}

fn require_counts(of: &KernelExpr) -> Result<()> {
    // Kernels that count, as an error names them.
    const COUNTING: &str = "linear of numbers from 0 up, spectrum, blended, tfidf, codebook(by=linear), subtree, weisfeiler_lehman, vertex_histogram, graphlet, shortest_path(pairs=unordered), or sums of these";
    match of.has_counts() {
        true => Ok(()),
        false => Err(Error::Data(format!("min_max compares counts, and {of} has none; write min_max of a kernel that counts: {COUNTING}"))),
    }
}

/// Rows made ready.
struct FixedCounts {
    expr: KernelExpr,
    selected: Option<Vec<String>>,
    of: Box<dyn Fixed>,
    counts: Arc<CountBatch>,
}

impl Fixed for FixedCounts {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        let of = Some(self.of.among(control)?);
        Ok(Box::new(MinMaxGram { rows: None, cols: self.counts.clone(), of, watch: control.for_cancelling() }))
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let of = self.of.cross(new, control)?;
        let scope = Scope { selected: self.selected.as_deref(), ..Scope::of(new) };
        let rows = CountBatch::new(of.as_ref(), Some(&self.counts), &self.expr, scope, control)?;
        Ok(Box::new(MinMaxGram { rows: Some(rows), cols: self.counts.clone(), of: Some(of), watch: control.for_cancelling() }))
    }
}

/// Counts of a batch.
struct CountBatch {
    points: PreparedPoints,
    /// Sum of the counts of each input, of things that the batch of the columns lacks included.
    totals: Vec<f64>,
}

impl CountBatch {
    /// Those of the rows of a Gram matrix, laid out like the batch that they are compared with; `expr` is its kernel and `rows` its rows,
    /// which an error names.
    fn new(of: &dyn Bound, like: Option<&CountBatch>, expr: &KernelExpr, rows: Scope<'_>, control: &Control) -> Result<Self> {
        // Bytes of a count at most: one in ten is not 0 where all are stored.
        const PER_COUNT: u64 = 80;
        let counts = of.structure().counts(Side::Rows);
        let Counts { features, totals } = counts.ok_or_else(|| {
            let why = "substrings of several lengths over a large alphabet, or of a negative multiple";
            Error::Data(format!(
                "min_max compares counts, and {expr} does not keep them one by one for these rows ({why}); take fewer lengths, or spectrum"
            ))
        })?;
        if let Some((row, found)) = (0..features.rows()).find_map(|i| features.row(i).1.iter().find(|v| **v < 0.0).map(|v| (i, *v))) {
            return Err(negative(expr, rows, row, found));
        }
        control.plan("counts of min_max", PER_COUNT.saturating_mul(features.stored() as u64))?;
        Ok(CountBatch { points: PreparedPoints::of_sparse(&features, like.map(|l| &l.points)), totals })
    }
}

/// An error that names a number below 0, by its column where a column of numbers holds one.
fn negative(expr: &KernelExpr, rows: Scope<'_>, row: usize, found: f64) -> Error {
    let mut of_column = None;
    // What does not take columns of numbers has none to name.
    let _ = expr.leaves(None, &mut |kernel, selected| {
        for column in rows.narrowed(selected).columns(kernel)?.into_iter().map(|c| &rows.data.columns()[c]) {
            let numbers = match &column.values {
                Values::Numbers(all) => all[row..=row].to_vec(),
                Values::Points(all) => all.to_dense()[row * all.dim()..(row + 1) * all.dim()].to_vec(),
                _ => Vec::new(),
            };
            let below = numbers.iter().zip(column.numbers()).find(|(v, _)| **v < 0.0);
            of_column = of_column.take().or(below.map(|(v, name)| (format!(", column '{name}'"), *v)));
        }
        Ok(())
    });
    let (place, found) = of_column.unwrap_or((String::new(), found));
    Error::Data(format!(
        "row {}{place}: min_max compares counts, which are 0 or above, and found {found}; choose other columns with on(...)",
        row + 1
    ))
}

/// Minima over maxima, from the sum of the minima and that of all counts of both inputs.
fn share(common: f64, all: f64) -> f64 {
    let most = all - common;
    if most > 0.0 { (common / most).min(1.0) } else { 1.0 }
}

/// The kernel between two batches.
struct MinMaxGram {
    /// `None`: the columns.
    rows: Option<CountBatch>,
    cols: Arc<CountBatch>,
    /// The kernel that counts; `None` among some rows of one batch, where nothing asks for it.
    of: Option<Box<dyn Bound>>,
    watch: Control,
}

impl MinMaxGram {
    fn write<'t, T: Real>(&'t self, rows: TileRows<'t>, cols: Range<usize>, out: Block<'t, T>) {
        let (left, right) = (self.rows.as_ref().unwrap_or(&self.cols), &self.cols);
        let out = out.or_watched(&self.watch);
        let mut tile = Tile { a: &left.points, rows, b: &right.points, cols: cols.clone(), out };
        tile.sums_of_minima();
        for k in 0..tile.rows.len() {
            let (i, row) = (tile.rows.at(k), tile.out.row_mut(k));
            for (value, total) in row.iter_mut().zip(&right.totals[cols.clone()]) {
                *value = T::from_f64(share(value.to_f64(), left.totals[i] + total));
            }
            if self.rows.is_none() && cols.contains(&i) {
                row[i - cols.start] = T::from_f64(1.0);
            }
        }
    }
}

impl Gram for MinMaxGram {
    fn shape(&self) -> (usize, usize) {
        (self.rows.as_ref().unwrap_or(&self.cols).totals.len(), self.cols.totals.len())
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
    fn diagonal(&self, side: Side) -> Vec<f64> {
        let (rows, cols) = self.shape();
        vec![1.0; if side == Side::Rows { rows } else { cols }]
    }
    fn symmetric(&self) -> bool {
        self.rows.is_none()
    }
    fn gathered(&self, rows: &[usize]) -> Option<Box<dyn Gram + '_>> {
        let points = self.symmetric().then(|| self.cols.points.gather(rows))??;
        let totals = rows.iter().map(|&i| self.cols.totals[i]).collect();
        Some(Box::new(MinMaxGram { rows: None, cols: Arc::new(CountBatch { points, totals }), of: None, watch: self.watch.clone() }))
    }
    fn unrelated_rows(&self) -> Vec<UnrelatedRows> {
        self.of.as_ref().map_or_else(Vec::new, |of| of.unrelated_rows())
    }
}

impl Bound for MinMaxGram {
    fn parameters(&self) -> usize {
        self.of.as_ref().map_or(0, |of| of.parameters())
    }
    /// Minima have no derivative where counts are equal.
    fn gradient(&self, _: &PairWeights, _: &Control) -> Result<Vec<f64>> {
        Ok(vec![0.0; self.parameters()])
    }
}
