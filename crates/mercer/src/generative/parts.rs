//! Densities and score vectors of many rows in parts of the rows, with time and memory asked for: a row has the same numbers in each.

use super::FittedGenerative;
use crate::blocks;
use crate::control::Control;
use crate::data::Dataset;
use crate::error::Result;
use crate::linalg::Matrix;
use std::fmt::Display;

/// Rows between two looks at the clock, and numbers of their score vectors.
const PART: usize = 256;
const PART_NUMBERS: usize = 1 << 20;

impl FittedGenerative {
    /// The length of a score vector.
    ///
    /// # Errors
    /// Rows of another shape than those of the fit.
    pub(crate) fn width(&self, rows: &Dataset) -> Result<usize> {
        Ok(self.scores(&rows.select(&[]))?.cols())
    }

    /// Bytes that the distribution takes, by those of its file.
    pub(crate) fn bytes(&self) -> u64 {
        let (json, blocks) = blocks::measure(|| serde_json::to_vec(self).map_or(0, |json| json.len()));
        (json + blocks.iter().sum::<usize>()) as u64
    }

    /// ln p(x) of each row.
    ///
    /// # Errors
    /// Rows of another shape than those of the fit; bounds of `control`.
    pub(crate) fn log_densities_of(&self, rows: &Dataset, control: &Control) -> Result<Vec<f64>> {
        let mut all = Vec::with_capacity(rows.rows());
        in_parts(rows, PART, control, |part| {
            all.extend(self.log_densities_within(part, control)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// The score vector of each row.
    ///
    /// # Errors
    /// Rows of another shape than those of the fit; bounds of `control`.
    pub(crate) fn scores_of(&self, rows: &Dataset, control: &Control) -> Result<Matrix> {
        self.vectors(rows, control, |part| self.scores_within(part, control))
    }

    /// The score vector of each row times the inverse root of the information, where there is a closed form.
    ///
    /// # Errors
    /// Rows of another shape than those of the fit; bounds of `control`.
    pub(crate) fn whitened_scores_of(&self, rows: &Dataset, control: &Control) -> Result<Option<Matrix>> {
        if self.whitened_scores(&rows.select(&[]))?.is_none() {
            return Ok(None);
        }
        self.vectors(rows, control, |part| Ok(self.whitened_scores(part)?.unwrap_or_default())).map(Some)
    }

    fn vectors(&self, rows: &Dataset, control: &Control, of: impl Fn(&Dataset) -> Result<Matrix>) -> Result<Matrix> {
        let width = of(&rows.select(&[]))?.cols();
        plan_scores(&"a generative model", width, rows.rows(), control)?;
        let mut all = Vec::with_capacity(width * rows.rows());
        in_parts(rows, (PART_NUMBERS / width.max(1)).clamp(1, PART), control, |part| {
            all.extend_from_slice(of(part)?.data());
            Ok(())
        })?;
        Matrix::new(rows.rows(), width, all)
    }
}

/// Refuses score vectors that would need more memory than allowed.
///
/// # Errors
/// Bounds of `control`.
pub(crate) fn plan_scores(model: &dyn Display, width: usize, rows: usize, control: &Control) -> Result<()> {
    // Bytes of a number of a score vector while vectors are computed: one of the result, and of a part what a model makes of it.
    const PER_NUMBER: u64 = 24;
    let needed = PER_NUMBER.saturating_mul(width as u64).saturating_mul(rows as u64);
    control.plan(&format!("score vectors of {model} of {width} numbers each"), needed)
}

fn in_parts(rows: &Dataset, together: usize, control: &Control, mut each: impl FnMut(&Dataset) -> Result<()>) -> Result<()> {
    if rows.rows() <= together {
        control.check_time("a generative model")?;
        return each(rows);
    }
    for start in (0..rows.rows()).step_by(together) {
        control.check_time("a generative model")?;
        each(&rows.select(&(start..rows.rows().min(start + together)).collect::<Vec<_>>()))?;
    }
    Ok(())
}
