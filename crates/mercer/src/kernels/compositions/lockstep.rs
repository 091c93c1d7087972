//! lockstep: k of two series as vectors, time by time: the numbers of all channels at the first time, then those at the second, and so on;
//! or of the differences between times that follow each other. Distances of such vectors are called lock-step distances (Wang et al.,
//! Experimental comparison of representation methods and distance measures for time series data, 2013, section 3.2).
//!
//! Vectors need one length: a series that ends before the longest training series stays at its last values, times after its end are not
//! compared. A series without any time stands at 0.

use crate::control::Control;
use crate::data::{Column, ColumnKind, Dataset, Inputs, Points, RowWeights, Series, Values};
use crate::error::{Error, Result};
use crate::gram::Bound;
use crate::kernels::FittedKernel;
use crate::kernels::composition::{Closure, Composition, Form, Learns, Properties};
use crate::kernels::fitted::{Fixed, Scope, foreign};
use crate::kernels::shared::Shared;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// A kernel of vectors, of the values of series.
///
/// ```text
/// k of the values of series, time by time, or of their differences
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[parameters(composed)]
#[serde(deny_unknown_fields)]
pub struct Lockstep {
    /// whether to compare the differences between times that follow each other
    pub differences: bool,
}

/// Times of the longest series.
fn longest(rows: Scope<'_>) -> Result<usize> {
    let series = column(rows)?.1;
    Ok((0..series.len()).map(|row| series.length(row)).max().unwrap_or(0))
}

/// The column of series that is selected, and its name.
fn column<'d>(rows: Scope<'d>) -> Result<(&'d str, &'d Series)> {
    if let Some([one]) = rows.selected
        && let Column { name, values: Values::Series(series) } = rows.data.column(one)?
    {
        return Ok((name, series));
    }
    Err(Error::Shape { what: "columns of lockstep".into(), expected: 1, found: rows.selected.map_or(0, <[String]>::len) })
}

/// The memory of vectors of so many times, which a damaged file may have any number of.
fn plan(rows: Scope<'_>, times: usize, control: &Control) -> Result<()> {
    let numbers = (rows.data.rows() as u64).saturating_mul(times as u64).saturating_mul(column(rows)?.1.channels() as u64);
    control.plan("series as vectors", numbers.saturating_mul(8))
}

impl Lockstep {
    /// Each series as a vector of so many times, under the name of its column.
    fn vectors(&self, rows: Scope<'_>, times: usize) -> Result<Dataset> {
        let (name, series) = column(rows)?;
        // One time alone has no difference: 0.
        let (times, channels) = (times.max(1 + usize::from(self.differences)), series.channels());
        let values = series.vectors().to_dense();
        let mut all = Vec::with_capacity(series.len() * times * channels);
        for row in 0..series.len() {
            let (range, begin) = (series.range(row), all.len());
            for time in 0..times {
                // An empty series stands at 0.
                match range.clone().last() {
                    Some(last) => {
                        let from = channels * last.min(range.start + time);
                        all.extend_from_slice(&values[from..from + channels]);
                    }
                    None => all.resize(all.len() + channels, 0.0),
                }
            }
            if self.differences {
                // The last time, which none follows, is left out.
                (begin + channels..all.len()).for_each(|k| all[k - channels] = all[k] - all[k - channels]);
                all.truncate(all.len() - channels);
            }
        }
        let dim = channels * (times - usize::from(self.differences));
        Dataset::new(vec![Column { name: name.to_owned(), values: Values::Points(Points::dense(series.len(), dim, all)?) }])
    }
}

impl Composition for Lockstep {
    const FORMS: &'static [Form] = &[Form {
        name: "lockstep",
        also: None,
        form: "lockstep(k)",
        example: "lockstep(rbf)",
        doc: Self::FORMULA,
        because: "a Mercer kernel of numbers made of each input",
    }];
    const SOURCE: &'static str =
        "Wang et al., Experimental comparison of representation methods and distance measures for time series data (2013), section 3.2";
    const IS: Properties =
        Properties { learns: Learns::Values, other_rows: true, keeps_features: true, keeps_constants: true, ..Properties::PLAIN };
    type Learnt = usize;

    fn takes() -> Option<(ColumnKind, &'static str)> {
        Some((ColumnKind::Series, "one column of series"))
    }
    fn inner(&self, rows: Scope<'_>, weights: RowWeights<'_>) -> Result<Option<(Dataset, Vec<f64>)>> {
        let table = self.vectors(rows, longest(rows)?)?;
        let weights = (0..table.rows()).map(|i| weights.at(i)).collect();
        Ok(Some((table, weights)))
    }
    /// The times of the longest training series.
    fn learn(&self, _: &[FittedKernel], rows: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<usize> {
        longest(rows)
    }
    fn fix(&self, times: &Shared<usize>, parts: &[FittedKernel], rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        let [of] = parts else { return Err(foreign()) };
        plan(rows, **times, control)?;
        let of = of.fix(Scope::of(&self.vectors(rows, **times)?), control)?;
        Ok(Box::new(FixedVectors { column: rows.selected.unwrap_or_default().to_vec(), how: self.clone(), times: **times, of }))
    }
    fn closure(&self) -> Closure {
        Closure::OfMercer
    }
}

/// Series made ready as vectors.
struct FixedVectors {
    column: Vec<String>,
    how: Lockstep,
    times: usize,
    of: Box<dyn Fixed>,
}

impl Fixed for FixedVectors {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        self.of.among(control)
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let rows = Scope { selected: Some(&self.column), ..Scope::of(new) };
        plan(rows, self.times, control)?;
        self.of.cross(&self.how.vectors(rows, self.times)?, control)
    }
}
