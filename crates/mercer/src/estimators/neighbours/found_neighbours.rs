//! Neighbours that were found elsewhere, such as by a search for a metric that is no kernel of the list.

use crate::error::{Error, Result};
use crate::gram::{Block, Gram, Side};
use crate::linalg::Matrix;
use std::ops::Range;

/// Distances that differ by less than this share are equal but for rounding.
const EQUAL: f64 = 1e-10;

/// For each of M inputs as many training rows, nearest first, with their distances.
#[derive(Clone, Debug)]
pub struct FoundNeighbours {
    /// Training rows that there are.
    rows: usize,
    /// Squared distances by training row, for each input.
    lists: Vec<Vec<(usize, f64)>>,
    /// How much each of them counts, where that is given; else neighbours count as an estimator says.
    shares: Option<Vec<Vec<f64>>>,
    /// Of inputs that are training rows, which are not their own neighbours, the rows.
    own: Option<Vec<usize>>,
}

impl FoundNeighbours {
    /// `places` (M x count) are training rows, `distances` how far they are, `shares` how much each counts: numbers of 0 and
    /// above; where some are infinite, those neighbours alone count. `own` says which training rows the inputs are, where they
    /// are to be answered by the others.
    ///
    /// # Errors
    /// Sizes that do not fit together, a row that there is not, a distance or a share that is no number or below 0, and an input
    /// none of whose neighbours counts.
    pub fn new(rows: usize, places: &[usize], distances: &Matrix, shares: Option<Matrix>, own: Option<Vec<usize>>) -> Result<Self> {
        Error::unless_equal("places of neighbours", distances.data().len(), places.len())?;
        if let Some(own) = &own {
            Error::unless_equal("training rows that are answered by the others", distances.rows(), own.len())?;
        }
        if let Some(k) = places.iter().chain(own.iter().flatten()).find(|k| **k >= rows) {
            return Err(Error::Data(format!("a neighbour is row {k}, counted from 0, and there are {rows} rows")));
        }
        let mut lists = Vec::with_capacity(distances.rows());
        for i in 0..distances.rows() {
            let of_row = &places[i * distances.cols()..(i + 1) * distances.cols()];
            let mut list = Vec::with_capacity(of_row.len());
            let mut last = 0.0;
            for (j, (&place, &d)) in of_row.iter().zip(distances.row(i)).enumerate() {
                if d.is_nan() || d < 0.0 {
                    return Err(Error::Data(format!("the distance of row {} to its neighbour {} is {d}", i + 1, j + 1)));
                }
                if j == 0 || (d - last).abs() > EQUAL * last {
                    last = d;
                }
                list.push((place, last * last));
            }
            lists.push(list);
        }
        let shares = shares.map(|given| Self::counted(given, distances)).transpose()?;
        Ok(FoundNeighbours { rows, lists, shares, own })
    }

    fn counted(given: Matrix, distances: &Matrix) -> Result<Vec<Vec<f64>>> {
        Error::unless_equal("weights of neighbours", distances.data().len(), given.data().len())?;
        (0..given.rows())
            .map(|i| {
                let row = given.row(i);
                if let Some(j) = row.iter().position(|w| w.is_nan() || *w < 0.0) {
                    let found = row[j].to_string().to_lowercase();
                    let said = format!("the function returned {found} for row {}, neighbour {}", i + 1, j + 1);
                    return Err(Error::Data(format!("weights: {said}; expected numbers of 0 and above")));
                }
                let endless = row.iter().any(|w| w.is_infinite());
                let row: Vec<f64> = row.iter().map(|w| if endless { f64::from(u8::from(w.is_infinite())) } else { *w }).collect();
                if row.iter().sum::<f64>() > 0.0 {
                    return Ok(row);
                }
                Err(Error::Data(format!(
                    "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if you are using \
                     a user-defined function. The first is row {}.",
                    i + 1
                )))
            })
            .collect()
    }

    /// The training row that an input is and that is not asked for it.
    pub(super) fn itself(&self, input: usize) -> Option<usize> {
        self.own.as_ref().and_then(|own| own.get(input).copied())
    }

    /// How much each neighbour of an input counts, where that is given.
    pub(super) fn shares(&self, input: usize) -> Option<&[f64]> {
        self.shares.as_ref().map(|all| all[input].as_slice())
    }
}

/// What is not among the neighbours found is not known.
impl Gram for FoundNeighbours {
    fn shape(&self) -> (usize, usize) {
        (self.lists.len(), self.rows)
    }
    fn fill(&self, rows: Range<usize>, _: Range<usize>, mut out: Block<'_, f64>) {
        (0..rows.len()).for_each(|k| out.row_mut(k).fill(f64::NAN));
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        vec![0.0; if side == Side::Rows { self.lists.len() } else { self.rows }]
    }
    fn nearest(&self, rows: &[usize], _: usize) -> Option<Vec<Vec<(usize, f64)>>> {
        Some(rows.iter().map(|&i| self.lists[i].clone()).collect())
    }
}
