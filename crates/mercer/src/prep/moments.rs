//! Scales from batches of rows that are never together in memory. Numbers are taken as some of the rows have scaled them, so that their sums
//! and squares give mean and deviation of all rows without cancellation.

use super::{Fitted, PrepStep};
use crate::data::{Dataset, RowWeights, Storage, Values};
use crate::error::{Error, Result};
use crate::linalg::ExactSums;

/// The moments of the columns that some rows have scaled.
#[derive(Clone, Debug)]
pub struct Moments {
    fitted: Fitted,
    /// For each number of a row the sums of w, w z and w z^2.
    sums: ExactSums,
    /// The largest |z| of every dimension of sparse vectors.
    largest: Vec<f64>,
}

/// What a step scales, in the order of its places.
fn scaled(step: &PrepStep) -> (usize, usize) {
    match step {
        PrepStep::Standardise(s) => (s.columns.len(), 0),
        PrepStep::Vectors(v) if v.centre.is_empty() => (0, v.scale.len()),
        PrepStep::Vectors(v) => (v.scale.len(), 0),
        _ => (0, 0),
    }
}

impl Moments {
    /// Of no rows, to be scaled anew from what these steps give; `None` where they scale nothing.
    pub fn of(fitted: &Fitted) -> Option<Moments> {
        let (measured, sparse) = fitted.steps.iter().map(scaled).fold((0, 0), |(a, b), (m, s)| (a + m, b + s));
        let sums = ExactSums::zeros(3 * measured);
        (measured + sparse > 0).then(|| Moments { fitted: fitted.clone(), sums, largest: vec![0.0; sparse] })
    }

    /// Adds rows as the table has them, each by its weight.
    ///
    /// # Errors
    /// Rows without the columns; numbers that are not finite, or 1e8 times as far from the mean as those of the rows that were scaled.
    pub fn add(&mut self, rows: &Dataset, weights: Option<&[f64]>) -> Result<()> {
        let prepared = self.fitted.apply(rows)?;
        let weights = RowWeights::from(weights);
        weights.check(rows.rows())?;
        let mut largest = self.largest.iter_mut();
        let (sums, mut place) = (&mut self.sums, 0);
        // Number by number, so that the scales have the same bits however rows fall into batches.
        let mut count = |numbers: &mut dyn Iterator<Item = (usize, f64)>| -> Result<()> {
            for (i, z) in numbers {
                let w = weights.at(i);
                [w, w * z, w * z * z].into_iter().enumerate().try_for_each(|(k, v)| sums.add_at(place + k, v))?;
            }
            place += 3;
            Ok(())
        };
        for step in &self.fitted.steps {
            match step {
                PrepStep::Standardise(s) => {
                    for name in s.columns.iter().map(|c| &c.column) {
                        let Values::Numbers(v) = &prepared.column(name)?.values else { return Err(changed(name)) };
                        count(&mut v.iter().copied().enumerate())?;
                    }
                }
                PrepStep::Vectors(step) => {
                    let values = &prepared.column(&step.column)?.values;
                    let p = values.vectors().ok_or_else(|| changed(&step.column))?;
                    match p.storage() {
                        Storage::Dense(v) => {
                            let owner = |k: usize| values.owner(k);
                            (0..p.dim()).try_for_each(|d| count(&mut (0..p.rows()).map(|k| (owner(k), v[k * p.dim() + d]))))?;
                        }
                        Storage::Csr { columns, values, .. } => {
                            let mut own: Vec<&mut f64> = largest.by_ref().take(p.dim()).collect();
                            columns.iter().zip(values).for_each(|(&d, v)| *own[d as usize] = own[d as usize].max(v.abs()));
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The steps with the scales of all rows that were added; of none those that they had.
    pub fn finish(mut self) -> Fitted {
        let (mut place, mut largest) = (0, self.largest.into_iter());
        let mut next = |mean: &mut f64, sd: &mut f64| {
            let [total, of_z, of_squares] = [0, 1, 2].map(|k| self.sums.get(place + k));
            place += 3;
            if total <= 0.0 {
                return;
            }
            let (of_z, of_squares) = (of_z / total, of_squares / total);
            let variance = of_squares - of_z * of_z;
            *mean += *sd * of_z;
            // A constant column keeps 1, as `Standardise` has it.
            *sd *= if variance > 0.0 { variance.sqrt() } else { 1.0 };
        };
        for step in &mut self.fitted.steps {
            match step {
                PrepStep::Standardise(s) => s.columns.iter_mut().for_each(|c| next(&mut c.mean, &mut c.sd)),
                PrepStep::Vectors(v) if v.centre.is_empty() => {
                    v.scale.iter_mut().zip(&mut largest).for_each(|(scale, most)| *scale *= if most > 0.0 { most } else { 1.0 });
                }
                PrepStep::Vectors(v) => v.centre.iter_mut().zip(&mut v.scale).for_each(|(mean, sd)| next(mean, sd)),
                _ => {}
            }
        }
        self.fitted
    }
}

fn changed(column: &str) -> Error {
    Error::Data(format!("column '{column}' is of another kind than the steps of the preparation have it"))
}
