//! Kernels of sets of vectors, made of a kernel of vectors: set_sum(k)(X, Z) = sum_ij k(x_i, z_j), and set_mean(k), the same over
//! |X| |Z| (Gaertner, Flach, Kowalczyk & Smola, Multi-instance kernels, 2002, section 4). Features of a set are the sum, or the
//! mean, of those of its vectors; an empty set has none, and is like nothing.

use crate::control::Control;
use crate::data::{Cells, Column, ColumnKind, Dataset, RowWeights, Sets, Values};
use crate::error::{Error, Result};
use crate::gram::{Block, Bound, Gram, Side, with_scratch};
use crate::kernels::FittedKernel;
use crate::kernels::composition::{Closure, Composition, Form, Properties};
use crate::kernels::fitted::{Fixed, Scope, foreign};
use crate::kernels::shared::Shared;
use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A kernel of vectors, over all pairs of two sets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverSets {
    /// What is made of the values of all pairs.
    pub pairs: Pairs,
}

/// What is made of the kernel values of all pairs of vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pairs {
    /// Their mean, 0 where a set is empty.
    #[default]
    Mean,
    /// Their sum.
    Sum,
}

impl Pairs {
    /// Both.
    pub const ALL: [Pairs; 2] = [Pairs::Mean, Pairs::Sum];

    /// The name in expressions.
    pub fn name(self) -> &'static str {
        OverSets { pairs: self }.form().name
    }

    fn factor(self, size: usize) -> f64 {
        match self {
            Pairs::Mean => 1.0 / size.max(1) as f64,
            Pairs::Sum => 1.0,
        }
    }
}

/// The column of sets that is selected, and its vectors as a table of their own, under the column's name.
fn vectors<'d>(rows: Scope<'d>) -> Result<(&'d Sets, Dataset)> {
    if let Some([one]) = rows.selected
        && let Column { name, values: Values::Sets(sets) } = rows.data.column(one)?
    {
        let column = Column { name: name.clone(), values: Values::Points(sets.vectors().clone()) };
        return Ok((sets, Dataset::new(vec![column])?));
    }
    Err(Error::Shape { what: "columns of a kernel of sets".into(), expected: 1, found: rows.selected.map_or(0, <[String]>::len) })
}

impl Composition for OverSets {
    const FORMS: &'static [Form] = &[
        Form {
            name: "set_mean",
            also: None,
            form: "set_mean(k)",
            example: "set_mean(rbf)",
            doc: "the mean of k over all pairs of vectors of two sets",
            because: "an inner product of sums of features",
        },
        Form {
            name: "set_sum",
            also: None,
            form: "set_sum(k)",
            example: "set_sum(rbf)",
            doc: "their sum",
            because: "an inner product of sums of features",
        },
    ];
    const SOURCE: &'static str = "Gaertner, Flach, Kowalczyk & Smola, Multi-instance kernels (2002), section 4";
    const IS: Properties = Properties { other_rows: true, ..Properties::PLAIN };
    type Learnt = ();

    fn form(&self) -> &'static Form {
        &Self::FORMS[self.pairs as usize]
    }
    fn called(name: &str) -> Self {
        OverSets { pairs: Pairs::ALL.into_iter().find(|p| p.name() == name).unwrap_or_default() }
    }
    fn takes() -> Option<(ColumnKind, &'static str)> {
        Some((ColumnKind::Set, "one column of sets of vectors"))
    }
    /// Vectors, each of which counts as often as its set.
    fn inner(&self, rows: Scope<'_>, weights: RowWeights<'_>) -> Result<Option<(Dataset, Vec<f64>)>> {
        let (sets, vectors) = vectors(rows)?;
        let weights = (0..sets.vectors().rows()).map(|i| weights.at(sets.owner(i))).collect();
        Ok(Some((vectors, weights)))
    }
    fn learn(&self, _: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        Ok(())
    }
    fn fix(&self, _: &Shared<()>, parts: &[FittedKernel], rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        let [of] = parts else { return Err(foreign()) };
        let (sets, table) = vectors(rows)?;
        let vectors = of.fix(Scope::of(&table), control)?;
        let side = SetSide::new(self.pairs, vectors.among(control)?.as_ref(), sets.starts());
        let column = rows.selected.unwrap_or_default().to_vec();
        Ok(Box::new(FixedSets { pairs: self.pairs, of: of.clone(), column, vectors, side }))
    }
    fn closure(&self) -> Closure {
        Closure::Faithful
    }
    /// Every vector of one set with every vector of the other.
    fn per_value(&self, parts: &[f64], rows: Scope<'_>) -> f64 {
        let Ok((sets, vectors)) = vectors(rows) else { return 1.0 };
        let size = vectors.rows() as f64 / (sets.starts().len() - 1).max(1) as f64;
        size * size * parts.iter().sum::<f64>()
    }
}

/// Sets made ready: their vectors are.
struct FixedSets {
    pairs: Pairs,
    of: FittedKernel,
    column: Vec<String>,
    vectors: Box<dyn Fixed>,
    side: SetSide,
}

impl Fixed for FixedSets {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        Ok(Box::new(SetGram { pairs: self.pairs, of: self.vectors.among(control)?, rows: self.side.clone(), cols: self.side.clone() }))
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let (sets, new) = vectors(Scope { selected: Some(&self.column), ..Scope::of(new) })?;
        let of = self.vectors.cross(&new, control)?;
        let rows = SetSide::new(self.pairs, self.of.gram(&new, control)?.as_ref(), sets.starts());
        Ok(Box::new(SetGram { pairs: self.pairs, of, rows, cols: self.side.clone() }))
    }
}

/// Kernel values that are filled at once, for whole rows of vectors.
const FILLED: usize = 1 << 18;

/// A kernel of vectors, over all pairs of two sets. Set I holds the vectors `starts[I]..starts[I + 1]`.
struct SetGram {
    pairs: Pairs,
    of: Box<dyn Bound>,
    rows: SetSide,
    cols: SetSide,
}

/// The sets along one side: where the vectors of each begin, and K(X, X).
#[derive(Clone)]
struct SetSide {
    starts: Vec<usize>,
    diagonal: Vec<f64>,
}

impl SetSide {
    /// `among` is the kernel among the vectors.
    fn new(pairs: Pairs, among: &dyn Bound, starts: &[usize]) -> Self {
        SetSide { starts: starts.to_vec(), diagonal: diagonal(pairs, among, starts) }
    }
}

impl SetGram {
    /// One row of the matrix: sums along each row of vectors, then over these rows.
    fn row(&self, i: usize, cols: Range<usize>, out: &mut [f64]) {
        out.fill(0.0);
        let vectors = self.cols.starts[cols.start]..self.cols.starts[cols.end];
        let width = vectors.len();
        let at_once = (FILLED / width.max(1)).max(1);
        let mut first = self.rows.starts[i];
        while first < self.rows.starts[i + 1] {
            let some = first..(first + at_once).min(self.rows.starts[i + 1]);
            with_scratch(some.len() * width, |values| {
                self.of.fill(some.clone(), vectors.clone(), Block::new(values, some.len(), width));
                for row in values.chunks_exact(width.max(1)) {
                    for (o, j) in out.iter_mut().zip(cols.clone()) {
                        *o += row[self.cols.starts[j] - vectors.start..self.cols.starts[j + 1] - vectors.start].iter().sum::<f64>();
                    }
                }
            });
            first = some.end;
        }
        for (o, j) in out.iter_mut().zip(cols) {
            *o *= self.factor(Side::Rows, i) * self.factor(Side::Cols, j);
        }
    }

    fn factor(&self, side: Side, set: usize) -> f64 {
        let starts = if side == Side::Rows { &self.rows.starts } else { &self.cols.starts };
        self.pairs.factor(starts[set + 1] - starts[set])
    }
}

/// K(X, X) of each set of a batch.
fn diagonal(pairs: Pairs, among: &dyn Bound, starts: &[usize]) -> Vec<f64> {
    let own = |w: &[usize]| {
        let (set, size) = (w[0]..w[1], w[1] - w[0]);
        with_scratch(size * size, |values| {
            among.fill(set.clone(), set, Block::new(values, size, size));
            let sum: f64 = values.chunks_exact(size.max(1)).map(|row| row.iter().sum::<f64>()).sum();
            sum * (pairs.factor(size) * pairs.factor(size))
        })
    };
    starts.windows(2).map(own).collect()
}

impl Gram for SetGram {
    fn shape(&self) -> (usize, usize) {
        (self.rows.diagonal.len(), self.cols.diagonal.len())
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
        rows.enumerate().for_each(|(k, i)| self.row(i, cols.clone(), out.row_mut(k)));
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        rows.iter().enumerate().for_each(|(k, &i)| self.row(i, cols.clone(), out.row_mut(k)));
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        if side == Side::Rows { &self.rows } else { &self.cols }.diagonal.clone()
    }
    fn symmetric(&self) -> bool {
        self.of.symmetric()
    }
}

impl Bound for SetGram {
    fn parameters(&self) -> usize {
        self.of.parameters()
    }
    /// dK_IJ = f_I f_J sum_ij dk_ij: every pair of vectors weighs as much as its sets.
    fn gradient(&self, weights: &Matrix, control: &Control) -> Result<Vec<f64>> {
        let (vectors, _) = self.of.shape();
        control.plan("weights of all pairs of vectors", 8 * (vectors as u64).saturating_mul(vectors as u64))?;
        let owner: Vec<usize> =
            self.rows.starts.windows(2).enumerate().flat_map(|(set, w)| std::iter::repeat_n(set, w[1] - w[0])).collect();
        let weight =
            |i: usize, j: usize| self.factor(Side::Rows, owner[i]) * self.factor(Side::Cols, owner[j]) * weights[(owner[i], owner[j])];
        self.of.gradient(&Matrix::from_fn(vectors, vectors, weight), control)
    }
}
