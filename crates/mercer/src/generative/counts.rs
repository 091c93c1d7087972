//! Rows of counts: whole numbers, 0 or above, one for each column.

use crate::data::{Points, RowWeights, Storage};
use crate::error::{Error, Result};

/// The count that each of the things counted has before any row is seen: Jeffreys' prior of a multinomial, Dirichlet(1/2), by its mean.
pub(super) const PRIOR: f64 = 0.5;

/// Checked counts, row after row: the columns that are not 0 and their counts.
pub(super) struct Counts {
    pub(super) columns: usize,
    pub(super) rows: Vec<Vec<(usize, f64)>>,
}

impl Counts {
    /// An error that names the first number that is no count.
    pub(super) fn of(owner: &str, inputs: &Points) -> Result<Counts> {
        let mut rows: Vec<Vec<(usize, f64)>> = Vec::with_capacity(inputs.rows());
        match inputs.storage() {
            Storage::Dense(values) => {
                let row = |i: usize| values[i * inputs.dim()..(i + 1) * inputs.dim()].iter().copied().enumerate();
                (0..inputs.rows()).for_each(|i| rows.push(row(i).filter(|(_, x)| *x != 0.0).collect()));
            }
            Storage::Csr { starts, columns, values } => {
                let row = |at: usize| (columns[at] as usize, values[at]);
                starts.windows(2).for_each(|w| rows.push((w[0]..w[1]).map(row).filter(|(_, x)| *x != 0.0).collect()));
            }
        }
        for (i, row) in rows.iter().enumerate() {
            if let Some((column, x)) = row.iter().find(|(_, x)| *x < 0.0 || x.fract() != 0.0) {
                let what = if *x < 0.0 { "counts are 0 or above" } else { "counts are whole numbers" };
                return Err(Error::Data(format!(
                    "row {}, column {}: found {x}, and {what}; give {owner} columns of counts",
                    i + 1,
                    column + 1
                )));
            }
        }
        Ok(Counts { columns: inputs.dim(), rows })
    }

    /// The counts that a fit of so many columns is asked about.
    pub(super) fn like(owner: &str, columns: usize, inputs: &Points) -> Result<Counts> {
        Error::unless_equal(&format!("counts per row of {owner}"), columns, inputs.dim())?;
        Counts::of(owner, inputs)
    }

    /// An error unless there are two columns at least and a row of positive weight.
    pub(super) fn require_some(&self, owner: &str, weights: RowWeights<'_>) -> Result<()> {
        if self.columns < 2 {
            return Err(Error::Data(format!("{owner}: there is 1 column of counts; it takes 2 at least")));
        }
        if (0..self.rows.len()).any(|i| weights.at(i) > 0.0) {
            return Ok(());
        }
        Err(Error::Data(format!("{owner}: there is no row of positive weight to fit it to")))
    }

    /// The sum of the counts of a row.
    pub(super) fn total(&self, row: usize) -> f64 {
        self.rows[row].iter().map(|(_, x)| x).sum()
    }

    /// The mean of those sums, rounded, and 1 at least.
    pub(super) fn mean_total(owner: &str, inputs: &Points, weights: RowWeights<'_>) -> f64 {
        let Ok(counts) = Counts::of(owner, inputs) else { return 1.0 };
        let sum: f64 = (0..counts.rows.len()).map(|i| weights.at(i) * counts.total(i)).sum();
        (sum / weights.total(counts.rows.len()).max(f64::MIN_POSITIVE)).round().max(1.0)
    }

    /// ln of n! / prod x! of a row.
    pub(super) fn log_arrangements(&self, row: usize) -> f64 {
        let factorial = |x: f64| libm::lgamma(x + 1.0);
        factorial(self.total(row)) - self.rows[row].iter().map(|(_, x)| factorial(*x)).sum::<f64>()
    }
}

/// The place in which a number from 0 to the sum of the sizes falls.
pub(super) fn drawn(sizes: &[f64], uniform: f64) -> usize {
    let mut below = 0.0;
    let at = sizes.iter().take_while(|size| {
        below += **size;
        below <= uniform
    });
    at.count().min(sizes.len() - 1)
}
