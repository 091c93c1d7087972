//! Gaussian sums on a line: points in narrow cells, each cell a series around its middle c (Greengard & Strain 1991, the
//! Taylor form), with d = x - c and t_i = x_i - c:
//!
//! sum_i w_i e^(-(x - x_i)^2 / 2) = e^(-d^2 / 2) sum_k d^k m_k + R,  m_k = sum_i w_i e^(-t_i^2 / 2) t_i^k / k!
//!
//! Each term of R is below |d t|^p / p! e^(2 |d t|) of its own point's share: 4e-15 for |d t| <= 0.6 and p = 15, whatever the points are.

use super::index::Summed;

/// Terms of a series.
const TERMS: usize = 15;
/// Half the width of a cell.
const HALF: f64 = 0.0625;

/// Points in order, in cells.
#[derive(Clone, Debug)]
pub(super) struct Line {
    points: Vec<f64>,
    weights: Vec<f64>,
    /// The place of each row.
    places: Vec<usize>,
    total: f64,
    cells: Vec<Cell>,
}

#[derive(Clone, Debug)]
struct Cell {
    from: usize,
    to: usize,
    middle: f64,
    /// None where there are few points.
    series: Option<[f64; TERMS]>,
}

impl Line {
    pub(super) fn new(points: &[f64], weights: &[f64]) -> Line {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&a, &b| points[a].total_cmp(&points[b]).then(weights[a].total_cmp(&weights[b])));
        let mut places = vec![0; points.len()];
        order.iter().enumerate().for_each(|(place, &row)| places[row] = place);
        let points: Vec<f64> = order.iter().map(|&i| points[i]).collect();
        let weights: Vec<f64> = order.iter().map(|&i| weights[i]).collect();
        let (mut cells, mut from) = (Vec::new(), 0);
        while from < points.len() {
            let to = from + points[from..].partition_point(|x| *x <= points[from] + 2.0 * HALF);
            cells.push(Cell::new(&points, &weights, from, to));
            from = to;
        }
        Line { total: weights.iter().sum(), points, weights, places, cells }
    }

    /// See [`Index::sum`](super::index::Index::sum).
    pub(super) fn sum(&self, x: f64, left_out: Option<usize>, tolerance: f64) -> Summed {
        let own = left_out.map(|row| (self.places[row], (self.weights[self.places[row]] - 1.0).max(0.0)));
        let Some((near, weight)) = self.nearest(x, own.filter(|(_, left)| *left == 0.0).map(|(place, _)| place)) else {
            return Summed { value: 0.0, near: 0.0 };
        };
        let reach = (near + 2.0 * (self.total / (weight * tolerance)).ln().max(0.0)).sqrt();
        let first = self.cells.partition_point(|c| c.middle + HALF < x - reach);
        let value = self.cells[first..].iter().take_while(|c| c.middle - HALF <= x + reach).map(|c| self.cell(c, x, near, own)).sum();
        Summed { value, near }
    }

    fn cell(&self, cell: &Cell, x: f64, near: f64, own: Option<(usize, f64)>) -> f64 {
        // The greatest |d|: |d t| <= 0.6.
        const FARTHEST: f64 = 9.6;
        let d = x - cell.middle;
        match (&cell.series, own) {
            (Some(series), own) if d.abs() <= FARTHEST && own.is_none_or(|(place, _)| !(cell.from..cell.to).contains(&place)) => {
                libm::exp(0.5 * (near - d * d)) * series.iter().rev().fold(0.0, |sum, m| sum * d + m)
            }
            (_, own) => {
                let weight = |k: usize| own.filter(|(place, _)| *place == k).map_or(self.weights[k], |(_, left)| left);
                // A point that is absent may be nearer than the nearest, and its exponential infinite.
                let present = (cell.from..cell.to).filter(|k| weight(*k) > 0.0);
                present.map(|k| weight(k) * libm::exp(0.5 * (near - (x - self.points[k]).powi(2)))).sum()
            }
        }
    }

    /// The squared distance of the nearest point, and its weight.
    fn nearest(&self, x: f64, absent: Option<usize>) -> Option<(f64, f64)> {
        let at = self.points.partition_point(|p| *p < x);
        let here = |k: &usize| absent != Some(*k);
        let sides = [(0..at).rev().find(here), (at..self.points.len()).find(here)];
        sides.into_iter().flatten().map(|k| ((x - self.points[k]).powi(2), self.weights[k])).min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

impl Cell {
    fn new(points: &[f64], weights: &[f64], from: usize, to: usize) -> Cell {
        // Points of a cell below which they are taken one by one.
        const FEW: usize = 8;
        let middle = 0.5 * (points[from] + points[to - 1]);
        let series = (to - from > FEW).then(|| {
            let mut series = [0.0; TERMS];
            for k in from..to {
                let t = points[k] - middle;
                let mut term = weights[k] * libm::exp(-0.5 * t * t);
                for (order, m) in series.iter_mut().enumerate() {
                    *m += term;
                    term *= t / (order + 1) as f64;
                }
            }
            series
        });
        Cell { from, to, middle, series }
    }
}
