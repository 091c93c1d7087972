//! Points made ready for tiles: scaled, shifted to a common centre, with their squared norms.

use super::postings::Postings;
use super::{PreparedBatch, dots};
use crate::data::{Points, Storage};
use crate::linalg::simd::{dot, sum_of_minima};
use crate::linalg::{Real, SCATTERED, SparseMatrix};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Points after the work done once per input.
#[derive(Debug)]
pub struct PreparedPoints {
    rows: usize,
    dim: usize,
    body: Body,
    norms: Vec<f64>,
    centre: Vec<f64>,
    kept: Vec<usize>,
    forms: Forms,
    /// Whether these are some of other points, laid out for one purpose.
    laid_out: bool,
}

/// Alternative layouts of the points, each computed on first use.
#[derive(Debug, Default)]
struct Forms {
    /// Numbers and norms in f32.
    single: OnceLock<(Vec<f32>, Vec<f32>)>,
    /// Column by column.
    postings: OnceLock<Postings>,
    /// Packed for products with one row, in f64 and in f32.
    panels: (OnceLock<Vec<f64>>, OnceLock<Vec<f32>>),
    /// Divided by their norms.
    directions: OnceLock<Box<PreparedPoints>>,
}

#[derive(Clone, Debug)]
enum Body {
    Dense(Vec<f64>),
    Sparse(Sparse),
}

/// Compressed rows: row i holds `values[starts[i]..starts[i + 1]]` in ascending `columns`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sparse {
    pub(crate) starts: Vec<usize>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

impl Sparse {
    /// Some of the points; `None` where a place for each column takes longer than to look up the few numbers of so few of them.
    fn gather(&self, rows: &[usize], dim: usize) -> Option<Sparse> {
        let own = |i: usize| self.starts[i]..self.starts[i + 1];
        let stored: usize = rows.iter().map(|&i| own(i).len()).sum();
        if stored.saturating_mul(rows.len()) < dim {
            return None;
        }
        let mut some = Sparse { starts: vec![0], columns: Vec::with_capacity(stored), values: Vec::with_capacity(stored) };
        for &i in rows {
            some.columns.extend_from_slice(&self.columns[own(i)]);
            some.values.extend_from_slice(&self.values[own(i)]);
            some.starts.push(some.values.len());
        }
        Some(some)
    }
}

impl Sparse {
    /// From the columns and values of each row, columns ascending.
    pub(crate) fn from_rows(rows: Vec<Vec<(u32, f64)>>) -> Sparse {
        let count = rows.iter().map(Vec::len).sum();
        let mut sparse = Sparse { starts: vec![0], columns: Vec::with_capacity(count), values: Vec::with_capacity(count) };
        for row in rows {
            sparse.columns.extend(row.iter().map(|(column, _)| *column));
            sparse.values.extend(row.iter().map(|(_, value)| *value));
            sparse.starts.push(sparse.values.len());
        }
        sparse
    }
}

impl PreparedPoints {
    /// Points as they are: for kernels of inner products.
    pub fn plain(points: &Points, like: Option<&PreparedPoints>) -> Self {
        Self::build(points, &[1.0], false, like)
    }

    /// Points divided by `lengths` (one, or one per column; columns of infinite length are left out) and shifted by
    /// the mean of the batch, or by that of the batch `like` which they are to be compared with: for kernels of
    /// distances, which the shift does not change but whose rounding it does. Sparse points are not shifted.
    pub fn scaled(points: &Points, lengths: &[f64], like: Option<&PreparedPoints>) -> Self {
        Self::build(points, lengths, true, like)
    }

    /// Scales and centres a dense array of numbers computed by a kernel, row by row: see [`PreparedPoints::scaled`].
    pub(crate) fn of_dense(rows: usize, dim: usize, values: Vec<f64>, lengths: &[f64], like: Option<&PreparedPoints>) -> Self {
        Self::scaled(&Points::computed(rows, dim, values), lengths, like)
    }

    /// Points divided by their norms, for kernels of angles; a point at the origin stays there.
    pub fn unit(points: &Points, like: Option<&PreparedPoints>) -> Self {
        Self::plain(points, like).into_unit()
    }

    /// The points divided by their norms; a point at the origin stays there.
    pub(crate) fn into_unit(mut self) -> Self {
        let roots: Vec<f64> = self.norms.iter().map(|n| if *n > 0.0 { n.sqrt() } else { 1.0 }).collect();
        match &mut self.body {
            Body::Dense(v) if self.dim > 0 => {
                for (row, root) in v.chunks_exact_mut(self.dim).zip(&roots) {
                    row.iter_mut().for_each(|x| *x /= root);
                }
            }
            Body::Dense(_) => {}
            Body::Sparse(Sparse { starts, values, .. }) => {
                for (w, root) in starts.windows(2).zip(&roots) {
                    values[w[0]..w[1]].iter_mut().for_each(|x| *x /= root);
                }
            }
        }
        self.norms.iter_mut().for_each(|n| *n = if *n > 0.0 { 1.0 } else { 0.0 });
        self
    }

    /// The points divided by their norms, kept beside them from the first use on; a point at the origin stays there.
    pub(crate) fn directions(&self) -> &PreparedPoints {
        self.forms.directions.get_or_init(|| {
            let (centre, kept) = (self.centre.clone(), self.kept.clone());
            let (body, norms, laid_out) = (self.body.clone(), self.norms.clone(), self.laid_out);
            let copy = PreparedPoints { rows: self.rows, dim: self.dim, body, norms, centre, kept, forms: Forms::default(), laid_out };
            Box::new(copy.into_unit())
        })
    }

    fn build(points: &Points, lengths: &[f64], shift: bool, like: Option<&PreparedPoints>) -> Self {
        // Points that one thread makes ready at a time.
        const TOGETHER: usize = 1024;
        let length = |j: usize| if lengths.len() == 1 { lengths[0] } else { lengths.get(j).copied().unwrap_or(f64::INFINITY) };
        let sparse = like.map_or(points.is_sparse(), |l| matches!(l.body, Body::Sparse(_)));
        // Sparse points keep their columns: those of infinite length become 0.
        let kept: Vec<usize> = if sparse { Vec::new() } else { (0..points.dim()).filter(|&j| length(j) < f64::INFINITY).collect() };
        let (body, centre) = if sparse {
            (sparse_body(points, &length), Vec::new())
        } else {
            let all = points.to_dense();
            let width = points.dim();
            let centre = match like {
                Some(l) => l.centre.clone(),
                None if shift => {
                    let mut sums = vec![0.0; width];
                    all.chunks_exact(width.max(1)).for_each(|row| sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x));
                    kept.iter().map(|&j| sums[j] / points.rows().max(1) as f64).collect()
                }
                None => vec![0.0; kept.len()],
            };
            let mut out = vec![0.0; points.rows() * kept.len()];
            crate::linalg::prefer_large_pages(&mut out);
            let lengths: Vec<f64> = kept.iter().map(|&j| length(j)).collect();
            let (rows, some) = (all.par_chunks(TOGETHER * width.max(1)), out.par_chunks_mut(TOGETHER * kept.len().max(1)));
            rows.zip(some).for_each(|(rows, some)| {
                for (row, out) in rows.chunks_exact(width.max(1)).zip(some.chunks_exact_mut(kept.len().max(1))) {
                    let to = out.iter_mut().zip(centre.iter().zip(&lengths));
                    match kept.len() == width {
                        true => to.zip(row).for_each(|((z, (c, l)), x)| *z = (x - c) / l),
                        false => to.zip(&kept).for_each(|((z, (c, l)), &j)| *z = (row[j] - c) / l),
                    }
                }
            });
            (Body::Dense(out), centre)
        };
        let mut cloud = PreparedPoints {
            rows: points.rows(),
            dim: if sparse { points.dim() } else { kept.len() },
            body,
            norms: Vec::new(),
            centre,
            kept,
            forms: Forms::default(),
            laid_out: false,
        };
        let norm = |i| dot(cloud.values(i).1, cloud.values(i).1);
        cloud.norms = (0..cloud.rows).into_par_iter().with_min_len(TOGETHER).map(norm).collect();
        cloud
    }

    /// Counts with their squared norms given (they may count features that `columns` leaves out): dense where many are
    /// not 0, or as the batch `like` is.
    pub(crate) fn from_counts(dim: usize, counts: Sparse, norms: Vec<f64>, like: Option<&PreparedPoints>) -> Self {
        // From this share of numbers that are not 0 on, products of dense counts are faster than of sparse ones.
        const CROWDED: f64 = 0.1;
        // Dense counts take no more numbers than this.
        const MOST_DENSE: f64 = 6.4e7;
        let rows = norms.len();
        let full = (rows * dim) as f64;
        let crowded = full <= MOST_DENSE && counts.values.len() as f64 > CROWDED * full;
        let body = if like.map_or(crowded, |l| l.dense().is_some()) {
            let mut all = vec![0.0; rows * dim];
            for i in 0..rows {
                for k in counts.starts[i]..counts.starts[i + 1] {
                    all[i * dim + counts.columns[k] as usize] = counts.values[k];
                }
            }
            Body::Dense(all)
        } else {
            Body::Sparse(counts)
        };
        let (centre, kept) = (Vec::new(), Vec::new());
        PreparedPoints { rows, dim, body, norms, centre, kept, forms: Forms::default(), laid_out: false }
    }

    /// Features in sparse storage: see [`PreparedPoints::from_counts`].
    pub(crate) fn of_sparse(features: &SparseMatrix<'_>, like: Option<&PreparedPoints>) -> Self {
        let (starts, columns, values) = features.parts();
        let body = Sparse { starts: starts.to_vec(), columns: columns.to_vec(), values: values.to_vec() };
        Self::from_counts(features.cols(), body, features.squares(), like)
    }

    /// The numbers that are not 0.
    pub(crate) fn sparse(&self) -> SparseMatrix<'_> {
        match &self.body {
            Body::Sparse(s) => SparseMatrix::new(self.dim, (&s.starts).into(), (&s.columns).into(), (&s.values).into()),
            Body::Dense(v) => SparseMatrix::of_dense(self.rows, self.dim, v),
        }
    }

    /// How many numbers are stored.
    pub(crate) fn stored(&self) -> usize {
        match &self.body {
            Body::Sparse(s) => s.values.len(),
            Body::Dense(v) => v.len(),
        }
    }

    /// Operations of an inner product of two different points, on average: of dense ones two for each column; of sparse ones as many at a
    /// scattered place for each column where both store a number.
    pub(crate) fn per_dot(&self) -> f64 {
        match &self.body {
            Body::Dense(_) => 2.0 * self.dim as f64,
            Body::Sparse(_) => 2.0 * SCATTERED * self.shared_columns(),
        }
    }

    /// How many columns two different points share, on average: columns where both store a number.
    fn shared_columns(&self) -> f64 {
        let mut holders: HashMap<usize, f64> = HashMap::new();
        for i in 0..self.rows {
            self.each(i).for_each(|(column, _)| *holders.entry(column).or_default() += 1.0);
        }
        let pairs = (self.rows * self.rows.saturating_sub(1)).max(1) as f64;
        // Whole numbers: their sum is the same in any order.
        holders.into_values().map(|count| count * (count - 1.0)).sum::<f64>() / pairs
    }

    /// Sparse points column by column.
    pub(super) fn postings(&self) -> Option<&Postings> {
        let Body::Sparse(s) = &self.body else { return None };
        Some(self.forms.postings.get_or_init(|| Postings::of(s, self.dim)))
    }

    /// Number of points.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Numbers per point after columns of infinite length were left out.
    pub fn dim(&self) -> usize {
        self.dim
    }
    /// The original columns that were kept, in order; empty for sparse points, which keep all.
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }
    /// Squared norm of each point.
    pub fn norms(&self) -> &[f64] {
        &self.norms
    }

    /// The numbers of point i that are stored, with their columns.
    pub fn each(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (columns, values) = self.values(i);
        values.iter().enumerate().map(move |(k, &v)| (columns.map_or(k, |c| c[k] as usize), v))
    }

    /// The numbers of point i, those that are not 0 with their columns where the points are sparse.
    fn values(&self, i: usize) -> (Option<&[u32]>, &[f64]) {
        match &self.body {
            Body::Dense(v) => (None, &v[i * self.dim..(i + 1) * self.dim]),
            Body::Sparse(Sparse { starts, columns, values }) => {
                (Some(&columns[starts[i]..starts[i + 1]]), &values[starts[i]..starts[i + 1]])
            }
        }
    }

    /// The numbers of point i where the points are dense.
    pub(crate) fn row(&self, i: usize) -> Option<&[f64]> {
        self.dense().map(|v| &v[i * self.dim..(i + 1) * self.dim])
    }

    /// Row-major numbers of dense points; `None` of sparse ones.
    pub fn dense(&self) -> Option<&[f64]> {
        match &self.body {
            Body::Dense(v) => Some(v),
            Body::Sparse(_) => None,
        }
    }

    /// The numbers and norms in the precision of a tile; `None` for sparse points.
    pub(crate) fn numbers<T: Real>(&self) -> Option<(&[T], &[T])> {
        let values = self.dense()?;
        let any = std::any::TypeId::of::<T>();
        if any == std::any::TypeId::of::<f64>() {
            return Some((same(values), same(&self.norms)));
        }
        let (v, n) = self.forms.single.get_or_init(|| {
            let v: Vec<f32> = values.iter().map(|&x| x as f32).collect();
            let n = self.norms.iter().map(|&x| x as f32).collect();
            (v, n)
        });
        Some((same(v), same(n)))
    }

    /// Dense points packed for products with one row at a time: once, when there are not so many that a copy would weigh.
    pub(super) fn panels<T: Real>(&self) -> Option<&[T]> {
        // No more numbers are packed beside points that stay.
        const MOST_PACKED: usize = 1 << 22;
        let (numbers, _) = self.numbers::<T>().filter(|(numbers, _)| self.laid_out || numbers.len() <= MOST_PACKED)?;
        if std::any::TypeId::of::<T>() == std::any::TypeId::of::<f64>() {
            return Some(same(self.forms.panels.0.get_or_init(|| dots::panels(same(numbers), self.dim))));
        }
        Some(same(self.forms.panels.1.get_or_init(|| dots::panels(same(numbers), self.dim))))
    }

    /// Squared distance by differences: no cancellation, exactly 0 between equal points.
    pub fn sqdist(&self, i: usize, other: &PreparedPoints, j: usize) -> f64 {
        match (&self.body, &other.body) {
            (Body::Dense(a), Body::Dense(b)) => {
                // One after the other, as a tree adds up distances to its boxes.
                let (a, b) = (&a[i * self.dim..(i + 1) * self.dim], &b[j * self.dim..(j + 1) * self.dim]);
                a.iter().zip(b).map(|(x, z)| (x - z) * (x - z)).sum()
            }
            _ => self.merged(i, other, j).map(|(_, x, z)| (x - z) * (x - z)).sum(),
        }
    }

    /// |x + z|^2 by sums of coordinates: exactly 0 between opposite points.
    pub(crate) fn squared_sum(&self, i: usize, other: &PreparedPoints, j: usize) -> f64 {
        match (self.row(i), other.row(j)) {
            (Some(x), Some(z)) => x.iter().zip(z).map(|(x, z)| (x + z) * (x + z)).sum(),
            _ => self.merged(i, other, j).map(|(_, x, z)| (x + z) * (x + z)).sum(),
        }
    }

    /// sum_c min(x_c, z_c) of two points whose numbers are 0 or above.
    pub(crate) fn sum_of_minima(&self, i: usize, other: &PreparedPoints, j: usize) -> f64 {
        match (self.row(i), other.row(j)) {
            (Some(x), Some(z)) => sum_of_minima(x, z),
            _ => self.merged(i, other, j).map(|(_, x, z)| x.min(z)).sum(),
        }
    }

    /// Column and coordinates of two sparse points where at least one is stored.
    pub(crate) fn merged<'a>(&'a self, i: usize, other: &'a PreparedPoints, j: usize) -> impl Iterator<Item = (usize, f64, f64)> + 'a {
        let (mut a, mut b) = (self.each(i).peekable(), other.each(j).peekable());
        std::iter::from_fn(move || match (a.peek().copied(), b.peek().copied()) {
            (None, None) => None,
            (Some((ca, va)), Some((cb, vb))) if ca == cb => {
                a.next();
                b.next();
                Some((ca, va, vb))
            }
            (Some((ca, va)), other) if other.is_none_or(|(cb, _)| ca < cb) => {
                a.next();
                Some((ca, va, 0.0))
            }
            (_, Some((cb, vb))) => {
                b.next();
                Some((cb, 0.0, vb))
            }
            (Some((ca, va)), None) => {
                a.next();
                Some((ca, va, 0.0))
            }
        })
    }
}

impl PreparedBatch for PreparedPoints {
    fn gather(&self, rows: &[usize]) -> Option<Self> {
        let dim = self.dim;
        let body = match &self.body {
            Body::Dense(all) => Body::Dense(rows.iter().map(|&i| &all[i * dim..(i + 1) * dim]).collect::<Vec<&[f64]>>().concat()),
            Body::Sparse(all) => Body::Sparse(all.gather(rows, dim)?),
        };
        Some(PreparedPoints {
            rows: rows.len(),
            dim,
            body,
            norms: rows.iter().map(|&i| self.norms[i]).collect(),
            centre: self.centre.clone(),
            kept: self.kept.clone(),
            forms: Forms::default(),
            laid_out: true,
        })
    }
}

fn sparse_body(points: &Points, length: &impl Fn(usize) -> f64) -> Body {
    match points.storage() {
        Storage::Csr { starts, columns, values } => Body::Sparse(Sparse {
            starts: starts.clone(),
            columns: columns.clone(),
            values: values.iter().zip(columns).map(|(v, &c)| v / length(c as usize)).collect(),
        }),
        Storage::Dense(all) => {
            let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
            for i in 0..points.rows() {
                for (j, v) in all[i * points.dim()..(i + 1) * points.dim()].iter().enumerate().filter(|(_, v)| **v != 0.0) {
                    columns.push(j as u32);
                    values.push(v / length(j));
                }
                starts.push(values.len());
            }
            Body::Sparse(Sparse { starts, columns, values })
        }
    }
}

/// A slice seen as a slice of the same type under another name.
fn same<A: 'static, B: 'static>(slice: &[A]) -> &[B] {
    assert_eq!(std::any::TypeId::of::<A>(), std::any::TypeId::of::<B>());
    // SAFETY: the types are equal by the check above.
    unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), slice.len()) }
}
