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
use crate::kernels::composition::{Closure, Composition, Form, Properties};
use crate::kernels::fitted::{Fixed, Scope, foreign};
use crate::kernels::shared::Shared;
use crate::param::{Domain, Param, Value};
use serde::{Deserialize, Serialize};

/// A kernel of vectors, of the values of series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lockstep {
    /// Whether vectors are the differences between times that follow each other.
    pub differences: bool,
    /// Times that are compared.
    pub times: Value,
}

impl Default for Lockstep {
    fn default() -> Self {
        Lockstep { differences: false, times: Value::Auto }
    }
}

/// Times that are compared where none are given: those of the longest series, one at least.
fn longest(series: &Series) -> f64 {
    (0..series.len()).map(|row| series.length(row)).max().unwrap_or(0).max(1) as f64
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

impl Lockstep {
    /// Each series as a vector, under the name of its column.
    fn vectors(&self, rows: Scope<'_>) -> Result<Dataset> {
        let (name, series) = column(rows)?;
        // One time alone has no difference: 0.
        let least = 1 + usize::from(self.differences);
        let (times, channels) = (self.times.settle(longest(series)).integer().max(least), series.channels());
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
        doc: "k of the values of series, time by time, or of their differences",
        because: "a Mercer kernel of numbers made of each input",
    }];
    const SOURCE: &'static str = "Wang et al., Experimental comparison of representation methods and distance measures for time series data (2013), section 3.2";
    const PARAMS: &'static [Param] = &[
        Param::fixed("differences", "whether to compare the differences between times that follow each other", Domain::Flag),
        Param::fixed("times", "times that are compared; auto: those of the longest training series", Domain::Integer(1, usize::MAX)),
    ];
    const IS: Properties = Properties { other_rows: true, keeps_features: true, keeps_constants: true, ..Properties::PLAIN };
    type Learnt = ();

    fn takes() -> Option<(ColumnKind, &'static str)> {
        Some((ColumnKind::Series, "one column of series"))
    }
    fn inner(&self, rows: Scope<'_>, weights: RowWeights<'_>) -> Result<Option<(Dataset, Vec<f64>)>> {
        let table = self.vectors(rows)?;
        let weights = (0..table.rows()).map(|i| weights.at(i)).collect();
        Ok(Some((table, weights)))
    }
    fn settle(&self, rows: Scope<'_>) -> Result<Self> {
        Ok(Lockstep { times: self.times.settle(longest(column(rows)?.1)), ..self.clone() })
    }
    fn learn(&self, _: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        Ok(())
    }
    fn fix(&self, _: &Shared<()>, parts: &[FittedKernel], rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        let [of] = parts else { return Err(foreign()) };
        let of = of.fix(Scope::of(&self.vectors(rows)?), control)?;
        Ok(Box::new(FixedVectors { column: rows.selected.unwrap_or_default().to_vec(), how: self.clone(), of }))
    }
    fn closure(&self) -> Closure {
        Closure::OfMercer
    }
}

/// Series made ready as vectors.
struct FixedVectors {
    column: Vec<String>,
    how: Lockstep,
    of: Box<dyn Fixed>,
}

impl Fixed for FixedVectors {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        self.of.among(control)
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let rows = Scope { selected: Some(&self.column), ..Scope::of(new) };
        self.of.cross(&self.how.vectors(rows)?, control)
    }
}
