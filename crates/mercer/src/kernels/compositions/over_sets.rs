//! Kernels of sets of vectors, made of a kernel of vectors: set_sum(k)(X, Z) = sum_ij k(x_i, z_j), and set_mean(k), the same over
//! |X| |Z| (Gaertner, Flach, Kowalczyk & Smola, Multi-instance kernels, 2002, section 4). Features of a set are the sum, or the
//! mean, of those of its vectors; an empty set has none, and is like nothing.

use crate::control::Control;
use crate::data::{Cells, Column, ColumnKind, Dataset, RowWeights, Sets, Values};
use crate::error::{Error, Result};
use crate::gram::{Block, Bound, Gram, Side, axpy, with_scratch};
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
}

/// The column of sets that is selected, and its vectors as a table of their own, under the column's name.
pub(super) fn vectors<'d>(rows: Scope<'d>) -> Result<(&'d Sets, Dataset)> {
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
        weighed_vectors(rows, weights).map(Some)
    }
    fn learn(&self, _: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        Ok(())
    }
    fn fix(&self, _: &Shared<()>, parts: &[FittedKernel], rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        let reduction = match self.pairs {
            Pairs::Mean => Reduction::Mean,
            Pairs::Sum => Reduction::Sum,
        };
        fix_sets(reduction, parts, rows, control)
    }
    fn closure(&self) -> Closure {
        Closure::Faithful
    }
    /// Every vector of one set with every vector of the other.
    fn per_value(&self, parts: &[f64], rows: Scope<'_>) -> f64 {
        per_value(parts, rows)
    }
}

/// Operations of a value: every vector of one set with every vector of the other.
pub(super) fn per_value(parts: &[f64], rows: Scope<'_>) -> f64 {
    let Ok((sets, vectors)) = vectors(rows) else { return 1.0 };
    let size = vectors.rows() as f64 / (sets.starts().len() - 1).max(1) as f64;
    size * size * parts.iter().sum::<f64>()
}

/// Vectors, each of which counts as often as its set.
pub(super) fn weighed_vectors(rows: Scope<'_>, weights: RowWeights<'_>) -> Result<(Dataset, Vec<f64>)> {
    let (sets, vectors) = vectors(rows)?;
    let weights = (0..sets.vectors().rows()).map(|i| weights.at(sets.owner(i))).collect();
    Ok((vectors, weights))
}

/// What a kernel of sets makes of the values of all pairs of vectors of two sets X and Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduction {
    /// Their mean.
    Mean,
    /// Their sum.
    Sum,
    /// Half the mean over X of the greatest with a vector of Z, and half the mean over Z of the greatest with a vector of X.
    Best,
}

impl Reduction {
    /// What the sum over the vectors of a set of so many is multiplied by.
    fn factor(self, size: usize) -> f64 {
        match self {
            Reduction::Mean | Reduction::Best => 1.0 / size.max(1) as f64,
            Reduction::Sum => 1.0,
        }
    }
}

/// Sets made ready for a kernel of their vectors.
pub(super) fn fix_sets(reduction: Reduction, parts: &[FittedKernel], rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
    let [of] = parts else { return Err(foreign()) };
    let (sets, table) = vectors(rows)?;
    let vectors = of.fix(Scope::of(&table), control)?;
    let side = SetSide::new(reduction, vectors.among(control)?.as_ref(), sets.starts());
    let column = rows.selected.unwrap_or_default().to_vec();
    Ok(Box::new(FixedSets { reduction, of: of.clone(), column, vectors, side }))
}

/// Sets made ready: their vectors are.
struct FixedSets {
    reduction: Reduction,
    of: FittedKernel,
    column: Vec<String>,
    vectors: Box<dyn Fixed>,
    side: SetSide,
}

impl Fixed for FixedSets {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        let of = self.vectors.among(control)?;
        Ok(Box::new(SetGram { reduction: self.reduction, of, rows: self.side.clone(), cols: self.side.clone() }))
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let (sets, new) = vectors(Scope { selected: Some(&self.column), ..Scope::of(new) })?;
        let of = self.vectors.cross(&new, control)?;
        let rows = SetSide::new(self.reduction, self.of.gram(&new, control)?.as_ref(), sets.starts());
        Ok(Box::new(SetGram { reduction: self.reduction, of, rows, cols: self.side.clone() }))
    }
}

/// Vectors of a set that are compared at once, vectors that they are compared with, and values at most where one set has more of them:
/// 1 MB of values, which stay in cache between the kernel and the sums.
const HEIGHT: usize = 64;
const WIDTH: usize = 2048;
const FILLED: usize = 1 << 17;

/// A kernel of vectors, over all pairs of two sets. Set I holds the vectors `starts[I]..starts[I + 1]`.
struct SetGram {
    reduction: Reduction,
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
    fn new(reduction: Reduction, among: &dyn Bound, starts: &[usize]) -> Self {
        SetSide { starts: starts.to_vec(), diagonal: diagonal(reduction, among, starts) }
    }
}

/// The parts of a row of values that each set has.
fn segments<'v>(row: &'v [f64], starts: &'v [usize]) -> impl Iterator<Item = &'v [f64]> {
    starts.windows(2).map(|w| &row[w[0] - starts[0]..w[1] - starts[0]])
}

/// The greatest value; 0 of none.
fn greatest(values: &[f64]) -> f64 {
    values.iter().copied().reduce(f64::max).unwrap_or(0.0)
}

impl SetGram {
    /// One row of the matrix, by groups of sets whose vectors are compared at once.
    fn row(&self, i: usize, cols: Range<usize>, out: &mut [f64]) {
        let starts = &self.cols.starts;
        let mut first = cols.start;
        while first < cols.end {
            let fits = starts[first + 1..=cols.end].partition_point(|end| end - starts[first] <= WIDTH);
            let sets = first..first + fits.max(1);
            self.part(i, sets.clone(), &mut out[sets.start - cols.start..sets.end - cols.start]);
            first = sets.end;
        }
    }

    /// Some values of a row of the matrix: sums over the vectors of set i, and then over those of each other set.
    fn part(&self, i: usize, sets: Range<usize>, out: &mut [f64]) {
        let (own, starts) = (self.rows.starts[i]..self.rows.starts[i + 1], &self.cols.starts[sets.start..=sets.end]);
        let vectors = starts[0]..starts[sets.len()];
        let (width, height) = (vectors.len(), HEIGHT.min(FILLED / vectors.len().max(1)).max(1));
        let empty = if self.reduction == Reduction::Best { f64::NEG_INFINITY } else { 0.0 };
        let (mine, theirs) = (self.reduction.factor(own.len()), |set: &[f64]| self.reduction.factor(set.len()));
        out.fill(0.0);
        with_scratch((height.min(own.len()) + 1) * width, |scratch| {
            let (reduced, values) = scratch.split_at_mut(width);
            reduced.fill(empty);
            for at in own.clone().step_by(height) {
                let some = at..(at + height).min(own.end);
                let values = &mut values[..some.len() * width];
                self.of.fill(some.clone(), vectors.clone(), Block::new(values, some.len(), width));
                for row in values.chunks_exact(width.max(1)) {
                    if self.reduction == Reduction::Best {
                        reduced.iter_mut().zip(row).for_each(|(most, value)| *most = most.max(*value));
                        out.iter_mut().zip(segments(row, starts)).for_each(|(o, set)| *o += 0.5 * mine * greatest(set));
                    } else {
                        axpy(1.0, row, reduced);
                    }
                }
            }
            for (o, set) in out.iter_mut().zip(segments(reduced, starts)) {
                match self.reduction {
                    Reduction::Best if own.is_empty() => {}
                    Reduction::Best => *o += 0.5 * theirs(set) * set.iter().sum::<f64>(),
                    _ => *o = mine * theirs(set) * set.iter().sum::<f64>(),
                }
            }
        });
    }

    fn factor(&self, side: Side, set: usize) -> f64 {
        let starts = if side == Side::Rows { &self.rows.starts } else { &self.cols.starts };
        self.reduction.factor(starts[set + 1] - starts[set])
    }
}

/// K(X, X) of each set of a batch.
fn diagonal(reduction: Reduction, among: &dyn Bound, starts: &[usize]) -> Vec<f64> {
    let own = |w: &[usize]| {
        let (set, size) = (w[0]..w[1], w[1] - w[0]);
        with_scratch(size * size, |values| {
            among.fill(set.clone(), set, Block::new(values, size, size));
            let rows = values.chunks_exact(size.max(1));
            if reduction == Reduction::Best {
                let columns = (0..size).map(|j| rows.clone().map(|row| row[j]).fold(f64::NEG_INFINITY, f64::max));
                return 0.5 * reduction.factor(size) * (rows.clone().map(greatest).sum::<f64>() + columns.sum::<f64>());
            }
            rows.map(|row| row.iter().sum::<f64>()).sum::<f64>() * (reduction.factor(size) * reduction.factor(size))
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
    /// dK_IJ = f_I f_J sum_ij dk_ij: every pair of vectors weighs as much as its sets. The best pairs have no derivative where they change.
    fn gradient(&self, weights: &Matrix, control: &Control) -> Result<Vec<f64>> {
        if self.reduction == Reduction::Best {
            return Ok(vec![0.0; self.parameters()]);
        }
        let (vectors, _) = self.of.shape();
        control.plan("weights of all pairs of vectors", 8 * (vectors as u64).saturating_mul(vectors as u64))?;
        let owner: Vec<usize> =
            self.rows.starts.windows(2).enumerate().flat_map(|(set, w)| std::iter::repeat_n(set, w[1] - w[0])).collect();
        let weight =
            |i: usize, j: usize| self.factor(Side::Rows, owner[i]) * self.factor(Side::Cols, owner[j]) * weights[(owner[i], owner[j])];
        self.of.gradient(&Matrix::from_fn(vectors, vectors, weight), control)
    }
}
