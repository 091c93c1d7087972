//! Kernels of sets of vectors, made of a kernel of vectors: set_sum(k)(X, Z) = sum_ij k(x_i, z_j), and set_mean(k), the same over
//! |X| |Z| (Gaertner, Flach, Kowalczyk & Smola, Multi-instance kernels, 2002, section 4). Features of a set are the sum, or the
//! mean, of those of its vectors; an empty set has none, and is like nothing.

use crate::control::Control;
use crate::data::{Cells, Column, ColumnKind, Dataset, RowWeights, Sets, Values};
use crate::error::{Error, Result};
use crate::gram::{
    Block, Bound, FeatureSource, Gram, LogGram, LowRank, PairWeights, SetVectors, Side, Structure, axpy, log_sum, with_scratch,
};
use crate::kernels::FittedKernel;
use crate::kernels::composition::{Closure, Composition, Form, Properties};
use crate::kernels::fitted::{Fixed, Scope, foreign};
use crate::kernels::shared::Shared;
use crate::linalg::Matrix;
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Kernels of sets that are tried in place of the natural one: ends of the sets, vectors by their cluster, means alone.
pub(crate) const ALTERNATIVES: &[&str] =
    &["set_extremes(rbf)", "set_extremes(polynomial(degree=3))", "normalise(codebook)", "normalise(set_mean(linear))"];

/// A kernel of vectors, over all pairs of two sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[parameters(none)]
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
    /// Means or sums of the features of vectors.
    fn rank(&self, parts: &[Option<usize>], _: usize) -> Option<usize> {
        parts.first().copied().flatten()
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

impl Reduction {
    /// ln K of two sets from ln k of their vectors, those of one vector of the first set after those of the other: `width` of the second.
    fn log(self, logs: &[f64], width: usize) -> f64 {
        let height = logs.len() / width.max(1);
        let greatest = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::NEG_INFINITY, f64::max);
        match self {
            Reduction::Sum => log_sum(logs.iter().copied()),
            Reduction::Mean => log_sum(logs.iter().copied()) - libm::log(logs.len() as f64),
            Reduction::Best => {
                let of_rows = logs.chunks_exact(width.max(1)).map(|row| greatest(&mut row.iter().copied()));
                let of_columns = (0..width).map(|j| greatest(&mut logs.iter().skip(j).step_by(width).copied()));
                let shares =
                    of_rows.map(|l| l - libm::log(2.0 * height as f64)).chain(of_columns.map(|l| l - libm::log(2.0 * width as f64)));
                log_sum(shares.collect::<Vec<_>>().into_iter())
            }
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
        let means = self.side.means.clone().map(|means| LowRank::among(means, ()));
        let of = self.vectors.among(control)?;
        Ok(Box::new(SetGram { reduction: self.reduction, of, rows: self.side.clone(), cols: self.side.clone(), means }))
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let (sets, new) = vectors(Scope { selected: Some(&self.column), ..Scope::of(new) })?;
        let of = self.vectors.cross(&new, control)?;
        let rows = match features_of_sets(self.reduction, of.as_ref(), sets.starts()) {
            Some(means) => SetSide::of_features(means, sets.starts()),
            None => SetSide::new(self.reduction, self.of.gram(&new, control)?.as_ref(), sets.starts()),
        };
        let means = rows.means.clone().zip(self.side.means.clone()).map(|(rows, cols)| LowRank::cross(rows, cols, ()));
        Ok(Box::new(SetGram { reduction: self.reduction, of, rows, cols: self.side.clone(), means }))
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
    /// The products of the features of sets, where there are such: each vector is then read once and not compared with every other.
    means: Option<LowRank<()>>,
}

/// The sets along one side: where the vectors of each begin, K(X, X), and where vectors have few features, those of each set.
#[derive(Clone)]
struct SetSide {
    starts: Vec<usize>,
    diagonal: Vec<f64>,
    means: Option<Arc<Matrix>>,
}

impl SetSide {
    /// `among` is the kernel among the vectors.
    fn new(reduction: Reduction, among: &dyn Bound, starts: &[usize]) -> Self {
        match features_of_sets(reduction, among, starts) {
            Some(means) => Self::of_features(means, starts),
            None => SetSide { starts: starts.to_vec(), diagonal: diagonal(reduction, among, starts), means: None },
        }
    }
    /// Of sets with these features.
    fn of_features(means: Matrix, starts: &[usize]) -> Self {
        let diagonal = (0..means.rows()).map(|set| means.row(set).iter().map(|v| v * v).sum()).collect();
        SetSide { starts: starts.to_vec(), diagonal, means: Some(Arc::new(means)) }
    }
}

/// Means or sums of the features of the vectors of each set along the rows, 0 of an empty one; `None` of the best pairs, and where vectors have no few
/// features.
fn features_of_sets(reduction: Reduction, vectors: &dyn Bound, starts: &[usize]) -> Option<Matrix> {
    let structure = vectors.structure();
    let linear = reduction != Reduction::Best && structure.features_stand_alone();
    let features = structure.dense_features(Side::Rows).filter(|_| linear)?;
    let mut means = Matrix::zeros(starts.len() - 1, features.cols());
    for (set, range) in starts.windows(2).map(|w| w[0]..w[1]).enumerate() {
        let factor = reduction.factor(range.len());
        range.for_each(|i| axpy(factor, features.row(i), means.row_mut(set)));
    }
    Some(means)
}

/// The parts of a row of values that each set has.
fn segments<'v>(row: &'v [f64], starts: &'v [usize]) -> impl Iterator<Item = &'v [f64]> {
    starts.windows(2).map(|w| &row[w[0] - starts[0]..w[1] - starts[0]])
}

/// The greatest value; 0 of none.
fn greatest(values: &[f64]) -> f64 {
    values.iter().copied().reduce(f64::max).unwrap_or(0.0)
}

/// Sets that follow each other, of no more than so many vectors together, or one alone.
fn groups(starts: &[usize], sets: Range<usize>, most: usize) -> impl Iterator<Item = Range<usize>> {
    let mut first = sets.start;
    std::iter::from_fn(move || {
        let fits = starts[first + 1..].iter().take(sets.end - first).take_while(|end| **end - starts[first] <= most).count();
        let group = first..(first + fits.max(1)).min(sets.end);
        first = group.end;
        (!group.is_empty()).then_some(group)
    })
}

impl SetGram {
    /// Some rows of the matrix, from row `at` of `out` on: sets of few vectors are compared together.
    fn rows(&self, rows: Range<usize>, cols: Range<usize>, at: usize, out: &mut Block<'_, f64>) {
        (0..rows.len()).for_each(|k| out.row_mut(at + k).fill(0.0));
        for sets in groups(&self.cols.starts, cols.clone(), WIDTH) {
            let starts = &self.cols.starts[sets.start..=sets.end];
            let width = starts[sets.len()] - starts[0];
            let height = HEIGHT.min(FILLED / width.max(1)).max(1);
            for some in groups(&self.rows.starts, rows.clone(), height) {
                let place = at + some.start - rows.start..at + some.end - rows.start;
                self.part(some, height, starts, out.part(place, sets.start - cols.start..sets.end - cols.start));
            }
        }
    }

    /// Adds some values: sums over the vectors of each set along the rows, and then over those of each set along the columns, whose vectors
    /// begin at `starts`. Several sets along the rows have no more than `height` vectors.
    fn part(&self, sets: Range<usize>, height: usize, starts: &[usize], mut out: Block<'_, f64>) {
        let vectors = starts[0]..starts[starts.len() - 1];
        let (own, width) = (self.rows.starts[sets.start]..self.rows.starts[sets.end], vectors.len());
        let best = self.reduction == Reduction::Best;
        with_scratch((height.min(own.len()) + 1) * width, |scratch| {
            let (reduced, values) = scratch.split_at_mut(width);
            for at in own.clone().step_by(height) {
                let some = at..(at + height).min(own.end);
                let values = &mut values[..some.len() * width];
                self.of.fill(some.clone(), vectors.clone(), Block::new(values, some.len(), width));
                for i in sets.clone().filter(|&i| self.rows.starts[i] < self.rows.starts[i + 1]) {
                    let (mine, factor) = (self.rows.starts[i]..self.rows.starts[i + 1], self.factor(Side::Rows, i));
                    let here = mine.start.max(some.start) - some.start..mine.end.min(some.end) - some.start;
                    if some.start <= mine.start {
                        reduced.fill(if best { f64::NEG_INFINITY } else { 0.0 });
                    }
                    for row in values[here.start * width..here.end * width].chunks_exact(width.max(1)) {
                        if best {
                            reduced.iter_mut().zip(row).for_each(|(most, value)| *most = most.max(*value));
                            let out = out.row_mut(i - sets.start).iter_mut();
                            out.zip(segments(row, starts)).for_each(|(o, set)| *o += 0.5 * factor * greatest(set));
                        } else {
                            axpy(1.0, row, reduced);
                        }
                    }
                    if mine.end <= some.end {
                        let theirs = |set: &[f64]| self.reduction.factor(set.len()) * set.iter().sum::<f64>();
                        let (own, out) = (if best { 0.5 } else { factor }, out.row_mut(i - sets.start).iter_mut());
                        out.zip(segments(reduced, starts)).for_each(|(o, set)| *o += own * theirs(set));
                    }
                }
            }
        });
    }

    fn factor(&self, side: Side, set: usize) -> f64 {
        let starts = if side == Side::Rows { &self.rows.starts } else { &self.cols.starts };
        self.reduction.factor(starts[set + 1] - starts[set])
    }
}

/// K(X, X) of each set of a batch. Among one set both means of the best pairs are one.
fn diagonal(reduction: Reduction, among: &dyn Bound, starts: &[usize]) -> Vec<f64> {
    let of_row = |row: &[f64]| if reduction == Reduction::Best { greatest(row) } else { row.iter().sum() };
    let own = |w: &[usize]| {
        let (set, size) = (w[0]..w[1], w[1] - w[0]);
        let height = HEIGHT.min(FILLED / size.max(1)).max(1);
        let sum: f64 = with_scratch(height.min(size) * size, |values| {
            let some = set.clone().step_by(height).map(|at| {
                let some = at..(at + height).min(set.end);
                let values = &mut values[..some.len() * size];
                among.fill(some.clone(), set.clone(), Block::new(values, some.len(), size));
                values.chunks_exact(size).map(of_row).sum::<f64>()
            });
            some.sum()
        });
        sum * reduction.factor(size) * if reduction == Reduction::Best { 1.0 } else { reduction.factor(size) }
    };
    starts.windows(2).map(own).collect()
}

impl Gram for SetGram {
    fn shape(&self) -> (usize, usize) {
        (self.rows.diagonal.len(), self.cols.diagonal.len())
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
        match &self.means {
            Some(means) => means.fill(rows, cols, out),
            None => self.rows(rows, cols, 0, &mut out),
        }
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        if let Some(means) = &self.means {
            return means.fill_rows(rows, cols, out);
        }
        rows.iter().enumerate().for_each(|(k, &i)| self.rows(i..i + 1, cols.clone(), k, &mut out));
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        if side == Side::Rows { &self.rows } else { &self.cols }.diagonal.clone()
    }
    fn symmetric(&self) -> bool {
        self.of.symmetric()
    }
    fn logarithm(&self) -> Option<&dyn LogGram> {
        let is_number = |side: &SetSide| side.diagonal.iter().all(|k| k.is_finite());
        (self.of.logarithm().is_some() && is_number(&self.rows) && is_number(&self.cols)).then_some(self)
    }
    fn structure(&self) -> Structure<'_> {
        Structure::Features(self)
    }
}

impl LogGram for SetGram {
    fn log_diagonal(&self, side: Side) -> Vec<f64> {
        self.diagonal(side).into_iter().map(libm::log).collect()
    }
    /// ln K of two sets at a time, from ln k of their vectors.
    fn fill_log_decay(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        // Logarithms of K(X, Z) / sqrt(K(X, X) K(Z, Z)) of this size are rounding.
        const ROUNDING: f64 = 1e-14;
        let Some(log) = self.of.logarithm() else { return };
        let [own, others] = [Side::Rows, Side::Cols].map(|side| log.log_diagonal(side));
        for (k, &i) in rows.iter().enumerate() {
            let mine: Vec<usize> = (self.rows.starts[i]..self.rows.starts[i + 1]).collect();
            for (o, j) in out.row_mut(k).iter_mut().zip(cols.clone()) {
                let theirs = self.cols.starts[j]..self.cols.starts[j + 1];
                let mut logs = vec![0.0; mine.len() * theirs.len()];
                log.fill_log_decay(&mine, theirs.clone(), Block::new(&mut logs, mine.len(), theirs.len()));
                for (d, (a, b)) in logs.iter_mut().zip(mine.iter().flat_map(|&a| theirs.clone().map(move |b| (a, b)))) {
                    *d = 0.5 * (own[a] + others[b]) - *d;
                }
                let decay = 0.5 * libm::log(self.rows.diagonal[i] * self.cols.diagonal[j]) - self.reduction.log(&logs, theirs.len());
                // Of equal sets the sum is that of the diagonal but for rounding.
                *o = if mine.is_empty() || theirs.is_empty() || decay.abs() <= ROUNDING { 0.0 } else { decay };
            }
        }
    }
}

impl FeatureSource for SetGram {
    fn dense(&self, side: Side) -> Option<Cow<'_, Matrix>> {
        self.means.as_ref()?.dense(side)
    }
}

impl Bound for SetGram {
    fn vectors(&self) -> Option<SetVectors<'_>> {
        Some(SetVectors { values: self.of.as_ref(), rows: &self.rows.starts, cols: &self.cols.starts })
    }
    fn parameters(&self) -> usize {
        self.of.parameters()
    }
    /// dK_IJ = f_I f_J sum_ij dk_ij: every pair of vectors weighs as much as its sets. The best pairs have no derivative where they change.
    fn gradient(&self, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        if self.reduction == Reduction::Best || self.parameters() == 0 {
            return Ok(vec![0.0; self.parameters()]);
        }
        let weights = weights.written_out(self, "a kernel of sets", control)?;
        let (vectors, _) = self.of.shape();
        control.plan("weights of all pairs of vectors", 8 * (vectors as u64).saturating_mul(vectors as u64))?;
        let owner: Vec<usize> =
            self.rows.starts.windows(2).enumerate().flat_map(|(set, w)| std::iter::repeat_n(set, w[1] - w[0])).collect();
        let weight =
            |i: usize, j: usize| self.factor(Side::Rows, owner[i]) * self.factor(Side::Cols, owner[j]) * weights[(owner[i], owner[j])];
        self.of.gradient(&Matrix::from_fn(vectors, vectors, weight).into(), control)
    }
}
