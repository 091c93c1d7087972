//! set_extremes: k of the least and the greatest values that the vectors of a set have along each axis, k(s(X), s(Z)) with
//! s(X) = (min_i x_i1, .., min_i x_iD, max_i x_i1, .., max_i x_iD): the statistic kernel (Gaertner, Flach, Kowalczyk & Smola, Multi-instance
//! kernels, 2002, section 4.2). An empty set stands at 0, the mean where columns are standardised.

use super::over_sets::vectors;
use crate::control::Control;
use crate::data::{Cells, Column, ColumnKind, Dataset, Points, RowWeights, Sets, Values};
use crate::error::Result;
use crate::gram::Bound;
use crate::kernels::FittedKernel;
use crate::kernels::composition::{Closure, Composition, Form, Properties};
use crate::kernels::fitted::{Fixed, Scope, foreign};
use crate::kernels::shared::Shared;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// A kernel of vectors, of the extremes of sets.
///
/// ```text
/// k of the least and greatest values of the vectors of a set along each axis
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct SetExtremes {}

/// The extremes of each set, under the name of its column: `dim` least values, then as many greatest.
fn extremes(rows: Scope<'_>, dim: usize) -> Result<Dataset> {
    let (sets, table) = vectors(rows)?;
    let values = sets.vectors().to_dense();
    let mut all = vec![0.0; 2 * dim * Cells::len(sets)];
    for (row, out) in all.chunks_exact_mut(2 * dim.max(1)).enumerate().filter(|(row, _)| !sets.range(*row).is_empty()) {
        let (low, high) = out.split_at_mut(dim);
        low.fill(f64::INFINITY);
        high.fill(f64::NEG_INFINITY);
        for vector in values[sets.range(row).start * dim..sets.range(row).end * dim].chunks_exact(dim) {
            low.iter_mut().zip(vector).for_each(|(low, x)| *low = low.min(*x));
            high.iter_mut().zip(vector).for_each(|(high, x)| *high = high.max(*x));
        }
    }
    let values = Values::Points(Points::dense(Cells::len(sets), 2 * dim, all)?);
    Dataset::new(vec![Column { name: table.columns()[0].name.clone(), values }])
}

fn dim(sets: &Sets) -> usize {
    sets.vectors().dim()
}

impl Composition for SetExtremes {
    const FORMS: &'static [Form] = &[Form {
        name: "set_extremes",
        also: None,
        form: "set_extremes(k)",
        example: "set_extremes(rbf)",
        doc: Self::FORMULA,
        because: "a Mercer kernel of numbers made of each input",
    }];
    const SOURCE: &'static str = "Gaertner, Flach, Kowalczyk & Smola, Multi-instance kernels (2002), section 4.2";
    const IS: Properties = Properties { other_rows: true, keeps_features: true, keeps_constants: true, ..Properties::PLAIN };
    type Learnt = ();

    fn takes() -> Option<(ColumnKind, &'static str)> {
        Some((ColumnKind::Set, "one column of sets of vectors"))
    }
    fn inner(&self, rows: Scope<'_>, weights: RowWeights<'_>) -> Result<Option<(Dataset, Vec<f64>)>> {
        let table = extremes(rows, dim(vectors(rows)?.0))?;
        let weights = (0..table.rows()).map(|i| weights.at(i)).collect();
        Ok(Some((table, weights)))
    }
    fn learn(&self, _: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        Ok(())
    }
    fn fix(&self, _: &Shared<()>, parts: &[FittedKernel], rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        let [of] = parts else { return Err(foreign()) };
        let dim = dim(vectors(rows)?.0);
        let of = of.fix(Scope::of(&extremes(rows, dim)?), control)?;
        Ok(Box::new(FixedExtremes { column: rows.selected.unwrap_or_default().to_vec(), dim, of }))
    }
    fn closure(&self) -> Closure {
        Closure::OfMercer
    }
}

/// The extremes of sets made ready, and the numbers per vector of those.
struct FixedExtremes {
    column: Vec<String>,
    dim: usize,
    of: Box<dyn Fixed>,
}

impl Fixed for FixedExtremes {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        self.of.among(control)
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let rows = Scope { selected: Some(&self.column), ..Scope::of(new) };
        let sets = vectors(rows)?.0;
        // Sets without any vector have no length of vectors of their own.
        let own = if sets.vectors().rows() == 0 { self.dim } else { dim(sets) };
        self.of.cross(&extremes(rows, own)?, control)
    }
}
