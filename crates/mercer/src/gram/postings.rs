//! Sparse points column by column, in strips of points as wide as a tile: a tile meets no numbers but those of its own columns, and
//! those of a strip stay in a second-level cache for all of its rows.

use super::dense::TILE;
use super::prepared_points::Sparse;
use std::ops::Range;

/// Points of a strip that are not 0 in each column.
#[derive(Debug)]
struct Strip {
    /// Where each column begins, and the end of the last.
    starts: Vec<u32>,
    /// The points, ascending in each column.
    points: Vec<u32>,
    values: Vec<f64>,
}

/// All strips.
#[derive(Debug)]
pub(crate) struct Postings {
    rows: usize,
    width: usize,
    strips: Vec<Strip>,
}

impl Postings {
    /// Of points of `dim` columns.
    pub(super) fn of(points: &Sparse, dim: usize) -> Postings {
        // Places of columns take no more memory than so many times the numbers stored: where there are more columns, strips are wider.
        const PLACES: usize = 4;
        let rows = points.starts.len().saturating_sub(1);
        let most = (PLACES * points.values.len() / dim.max(1)).max(1);
        let width = rows.div_ceil(most).div_ceil(TILE).max(1) * TILE;
        let strips = (0..rows.div_ceil(width)).map(|s| Strip::of(points, s * width..rows.min((s + 1) * width), dim)).collect();
        Postings { rows, width, strips }
    }

    /// For each strip that holds some of the points `cols`, its columns cut to these.
    pub(super) fn within(&self, cols: Range<usize>) -> impl Iterator<Item = Columns<'_>> {
        let strips = cols.start / self.width..cols.end.div_ceil(self.width).min(self.strips.len());
        strips.map(move |s| {
            let own = s * self.width..self.rows.min((s + 1) * self.width);
            let cut = (cols.start > own.start || cols.end < own.end).then(|| cols.clone());
            Columns { strip: &self.strips[s], cut }
        })
    }
}

impl Strip {
    fn of(points: &Sparse, rows: Range<usize>, dim: usize) -> Strip {
        let own = points.starts[rows.start]..points.starts[rows.end];
        let mut starts = vec![0; dim + 1];
        points.columns[own.clone()].iter().for_each(|&c| starts[c as usize + 1] += 1);
        (0..dim).for_each(|c| starts[c + 1] += starts[c]);
        let (mut places, mut values, mut next) = (vec![0; own.len()], vec![0.0; own.len()], starts.clone());
        for i in rows {
            for k in points.starts[i]..points.starts[i + 1] {
                let at = &mut next[points.columns[k] as usize];
                (places[*at as usize], values[*at as usize]) = (i as u32, points.values[k]);
                *at += 1;
            }
        }
        Strip { starts, points: places, values }
    }
}

/// The columns of a strip, of some of its points.
pub(super) struct Columns<'a> {
    strip: &'a Strip,
    cut: Option<Range<usize>>,
}

impl<'a> Columns<'a> {
    /// The points that are not 0 in a column, and their numbers there; none of a column that these points do not have.
    pub(super) fn column(&self, c: usize) -> (&'a [u32], &'a [f64]) {
        let Strip { starts, points, values } = self.strip;
        let Some((&from, &to)) = starts.get(c).zip(starts.get(c + 1)) else { return (&[], &[]) };
        let (points, values) = (&points[from as usize..to as usize], &values[from as usize..to as usize]);
        match &self.cut {
            None => (points, values),
            Some(cols) => {
                let from = points.partition_point(|&j| (j as usize) < cols.start);
                let to = points.partition_point(|&j| (j as usize) < cols.end);
                (&points[from..to], &values[from..to])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every stored number of a window of points is met once, in its own column, whether strips are as wide as a tile or wider.
    #[test]
    fn windows_of_points_hold_their_own_numbers_in_each_column() {
        for (dim, strips) in [(50, 3), (5000, 1)] {
            let rows: Vec<Vec<(u32, f64)>> = (0..700u32)
                .map(|i| {
                    let mut columns = vec![(i * 7) % dim, (i * 11 + 3) % dim];
                    columns.sort_unstable();
                    columns.dedup();
                    columns.into_iter().map(|c| (c, f64::from(1 + i + c))).collect()
                })
                .collect();
            let postings = Postings::of(&Sparse::from_rows(rows.clone()), dim as usize);
            assert_eq!(postings.strips.len(), strips);
            for window in [0..700, 0..TILE, TILE..2 * TILE, 2 * TILE..700, 100..500, 699..700, 5..5] {
                let mut found: Vec<(u32, u32, f64)> = Vec::new();
                for columns in postings.within(window.clone()) {
                    for c in 0..dim {
                        let (points, values) = columns.column(c as usize);
                        found.extend(points.iter().zip(values).map(|(&i, &v)| (i, c, v)));
                    }
                    assert!(columns.column(dim as usize).0.is_empty());
                }
                found.sort_by_key(|&(i, c, _)| (i, c));
                let own = window.flat_map(|i| rows[i].iter().map(move |&(c, v)| (i as u32, c, v)));
                assert_eq!(found, own.collect::<Vec<_>>());
            }
        }
    }
}
