//! Columns as they were read to columns that kernels can take: fitted on training rows, applied to new rows.
//!
//! In this order: rows or tables with missing cells refused where asked, gaps of series and missing numbers filled, the periods of dates added, constant columns dropped, categories turned into 0/1 columns where asked,
//! numbers brought to mean 0 and standard deviation 1, vectors likewise per dimension. Every step is data, stored in
//! the model; new rows are never looked at to settle anything.

mod calendar;
mod constant;
mod fill;
mod gaps;
mod missing;
mod moments;
mod one_hot;
mod standardise;
mod vectors;

pub use calendar::{Calendar, Cycle};
pub use constant::{Drop, Hold};
pub use fill::{Fill, Filled};
pub use gaps::{Gaps, interpolated_gaps};
pub use missing::{Complete, Kept, Missing};
pub use moments::Moments;
pub use one_hot::{Encoded, OneHot};
pub use standardise::{Scaled, Standardise};
pub use vectors::Vectors;

use crate::data::{Column, ColumnSchema, Dataset, RowWeights, Schema, Values};
use crate::error::{Error, Result};
use crate::notice::{Notice, listed};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// What is to be done to the columns before a kernel sees them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Recipe {
    /// Bring numbers to mean 0 and standard deviation 1.
    pub standardise: bool,
    /// Drop columns that hold the same value in every row.
    pub drop_constant: bool,
    /// What is done with missing cells, column by column; the last word about a column counts. Without one: the median
    /// and a flag for numbers, a label for categories, the empty text for texts and sequences, interpolation in series.
    pub missing: Vec<(String, Missing)>,
}

impl Default for Recipe {
    fn default() -> Self {
        Recipe { standardise: true, drop_constant: true, missing: Vec::new() }
    }
}

/// One step, settled from the training rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PrepStep {
    /// Missing cells are refused.
    Complete(Complete),
    /// Gaps of series are filled or left out.
    Gaps(Gaps),
    /// Missing numbers become the training median.
    Fill(Fill),
    /// Dates get columns for their periods.
    Calendar(Calendar),
    /// Columns left out.
    Drop(Drop),
    /// Categories become 0/1 columns.
    OneHot(OneHot),
    /// Columns held at the one value that the rows learnt from have.
    Hold(Hold),
    /// Numbers get mean 0 and standard deviation 1.
    Standardise(Standardise),
    /// The dimensions of a column of vectors are scaled.
    Vectors(Vectors),
}

/// A recipe with the columns that it makes of a table. Parts of the rows, such as the training rows of folds, are prepared by it
/// anew: their numbers differ, their columns do not.
#[derive(Clone, Debug)]
pub struct Layout {
    recipe: Recipe,
    /// Columns that are neither standardised nor dropped.
    as_is: Vec<String>,
    /// As settled from all rows.
    fitted: Fitted,
}

/// A recipe settled from training rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fitted {
    /// What the training columns were before any step; new tables are read like this.
    pub schema: Schema,
    /// The steps, in order.
    pub steps: Vec<PrepStep>,
}

impl Recipe {
    /// The rows to learn from: all but those that miss a cell in a column whose rows are to be dropped.
    ///
    /// # Errors
    /// A policy for a column that is not there or of another kind; a missing cell where that is an error, by row; no
    /// row left.
    pub fn rows_kept(&self, data: &Dataset) -> Result<Kept> {
        missing::keep(&self.missing, data)
    }

    /// Settles the steps from training rows, of which [`Recipe::rows_kept`] left out what is to be dropped. The categories
    /// named in `one_hot` become 0/1 columns.
    ///
    /// # Errors
    /// A column of `one_hot` that is not there or holds no categories, an infinite number, and a dataset of which no
    /// column is left.
    pub fn fit(&self, data: &Dataset, one_hot: &[String]) -> Result<(Fitted, Vec<Notice>)> {
        self.fit_keeping(data, one_hot, &[], None)
    }

    /// Settles the steps as [`Recipe::fit`] does, with columns `as_is` that are neither standardised nor dropped, and rows
    /// with weights: a row of weight 2 counts as two rows in every mean, deviation and median.
    ///
    /// # Errors
    /// As [`Recipe::fit`]; weights of another number than rows.
    pub fn fit_keeping(
        &self,
        data: &Dataset,
        one_hot: &[String],
        as_is: &[String],
        weights: Option<&[f64]>,
    ) -> Result<(Fitted, Vec<Notice>)> {
        let weights = RowWeights::from(weights);
        weights.check(data.rows())?;
        for name in one_hot {
            data.position(name)?;
        }
        refuse_infinite(data)?;
        let mut fitting = Fitting {
            columns: data.columns().to_vec(),
            steps: Vec::new(),
            notices: missing::tell(data.columns()).into_iter().map(|(_, said)| said).collect(),
        };
        let missing = missing::by_column(&self.missing, data)?;
        fitting.add(|columns, _| Ok(Complete::fit(&missing, columns)))?;
        fitting.add(|columns, notices| Ok(Gaps::fit(&missing, columns, notices)))?;
        let schema = Schema::of(data);
        fitting.add(|columns, notices| Fill::fit(columns, &schema, weights, notices))?;
        fitting.add(|columns, notices| Ok(Calendar::fit(columns, &schema, as_is, notices)))?;
        if self.drop_constant && data.rows() > 1 {
            fitting.add(|columns, notices| Drop::fit(columns, as_is, notices))?;
        }
        if fitting.columns.is_empty() && !data.columns().is_empty() {
            let names: Vec<String> = data.names().iter().map(|n| format!("'{n}'")).collect();
            return Err(Error::Data(format!(
                "no input column is left: the same value stands in every row of {}; add a column that tells rows apart",
                listed(names.iter().map(String::as_str))
            )));
        }
        fitting.add(|columns, notices| OneHot::fit(columns, one_hot, notices))?;
        self.scale(&mut fitting, data, as_is, weights)?;
        Ok((Fitted { schema, steps: fitting.steps }, fitting.notices))
    }

    /// The last steps: numbers and vectors on a common scale.
    fn scale(&self, fitting: &mut Fitting, data: &Dataset, as_is: &[String], weights: RowWeights<'_>) -> Result<()> {
        if !self.standardise {
            return Ok(());
        }
        let kept: HashSet<&str> = as_is.iter().map(String::as_str).collect();
        let measured: HashSet<&str> = data.names().into_iter().filter(|name| !kept.contains(name)).collect();
        fitting.add(|columns, _| Standardise::fit(columns, &measured, weights))?;
        fitting.add(|columns, notices| Vectors::fit(columns, &measured, weights, notices))
    }
}

impl Layout {
    /// Whether the steps take anything from the rows but their labels: then other training rows give other inputs.
    pub fn learns_from_rows(&self, data: &Dataset) -> bool {
        let measured = |c: &Column| matches!(c.values, Values::Numbers(_) | Values::Categories(_)) || c.values.vectors().is_some();
        self.recipe.standardise && data.columns().iter().any(measured)
    }

    /// The layout of rows to which a recipe was fitted, with the columns that it kept as they are.
    pub(crate) fn new(recipe: &Recipe, as_is: &[String], fitted: &Fitted) -> Self {
        Layout { recipe: recipe.clone(), as_is: as_is.to_vec(), fitted: fitted.clone() }
    }

    /// Settles the steps from some of the rows, or from others like them, counted by weight: medians, means and deviations are
    /// theirs, the columns are those of the layout. A column that is constant in these rows is held at its value.
    ///
    /// # Errors
    /// Rows without the columns of the layout; an infinite number; weights of another number than rows.
    pub fn fit(&self, data: &Dataset, weights: Option<&[f64]>) -> Result<Fitted> {
        let weights = RowWeights::from(weights);
        weights.check(data.rows())?;
        refuse_infinite(data)?;
        let aligned = self.fitted.schema.align(data)?;
        let mut schema = Schema::of(&aligned);
        schema.columns.iter_mut().zip(&self.fitted.schema.columns).for_each(|(own, of)| own.written = of.written.clone());
        let mut fitting = Fitting { columns: aligned.into_columns(), steps: Vec::new(), notices: Vec::new() };
        for step in &self.fitted.steps {
            match step {
                PrepStep::Fill(fill) => fitting.add(|columns, _| fill.anew(columns, weights).map(Some))?,
                PrepStep::Complete(_) | PrepStep::Gaps(_) | PrepStep::Calendar(_) | PrepStep::Drop(_) | PrepStep::OneHot(_) => {
                    fitting.add(|_, _| Ok(Some(step.clone())))?
                }
                PrepStep::Hold(_) | PrepStep::Standardise(_) | PrepStep::Vectors(_) => {}
            }
        }
        if self.recipe.drop_constant && data.rows() > 1 {
            fitting.add(|columns, _| Hold::fit(columns, &self.as_is))?;
        }
        self.recipe.scale(&mut fitting, data, &self.as_is, weights)?;
        Ok(Fitted { schema, steps: fitting.steps })
    }
}

/// The training columns on their way through the steps.
struct Fitting {
    columns: Vec<Column>,
    steps: Vec<PrepStep>,
    notices: Vec<Notice>,
}

impl Fitting {
    /// Settles steps from the columns as they now are, and applies them.
    fn add<S: IntoIterator<Item = PrepStep>>(&mut self, fit: impl FnOnce(&[Column], &mut Vec<Notice>) -> Result<S>) -> Result<()> {
        for step in fit(&self.columns, &mut self.notices)? {
            step.apply(&mut self.columns)?;
            self.steps.push(step);
        }
        Ok(())
    }
}

/// A number of a row of the table.
pub(crate) struct NumberScale {
    pub(crate) name: String,
    /// Its place among the prepared numbers, where a model learns from it.
    pub(crate) place: Option<usize>,
    /// What it was divided by.
    pub(crate) scale: f64,
}

impl Fitted {
    /// New rows as the training rows were made: the training columns, found by name, in training order, through
    /// every step. Columns that training did not have are left out.
    ///
    /// # Errors
    /// A column that is missing or of another kind, by name; an infinite number.
    pub fn apply(&self, data: &Dataset) -> Result<Dataset> {
        let aligned = self.schema.align(data)?;
        refuse_infinite(&aligned)?;
        let rows = aligned.rows();
        let mut columns = aligned.into_columns();
        for step in &self.steps {
            step.apply(&mut columns)?;
        }
        Dataset::with_rows(rows, columns)
    }

    /// Prepared columns of numbers and of vectors in the units of the table again. Columns that were left out do not come back.
    pub(crate) fn in_units_of_table(&self, mut columns: Vec<Column>) -> Result<Vec<Column>> {
        for step in self.steps.iter().rev() {
            match step {
                PrepStep::Standardise(step) => step.undo(&mut columns)?,
                PrepStep::Vectors(step) => step.undo(&mut columns)?,
                PrepStep::Complete(_)
                | PrepStep::Gaps(_)
                | PrepStep::Fill(_)
                | PrepStep::Calendar(_)
                | PrepStep::Drop(_)
                | PrepStep::OneHot(_)
                | PrepStep::Hold(_) => {}
            }
        }
        Ok(columns)
    }

    /// What the user should know of new rows: missing cells, and what becomes of them.
    pub fn tell(&self, data: &Dataset) -> Vec<Notice> {
        self.tell_by_column(data).into_iter().map(|(_, said)| said).collect()
    }

    /// The notices of [`Fitted::tell`], each with the name of the column it is about.
    pub fn tell_by_column(&self, data: &Dataset) -> Vec<(String, Notice)> {
        // Where a missing cell is refused, that is said by the error.
        let refused = |name: &str| {
            let complete = |step: &PrepStep| matches!(step, PrepStep::Complete(c) if c.columns.iter().any(|(n, _)| n == name));
            self.steps.iter().any(complete)
        };
        let named = |name: &str| self.schema.columns.iter().any(|c| c.name == name) && !refused(name);
        let columns: Vec<Column> = data.columns().iter().filter(|c| named(&c.name)).cloned().collect();
        let filled = self.steps.iter().filter_map(|step| match step {
            PrepStep::Fill(fill) => Some(fill.tell(&columns, &self.schema)),
            PrepStep::Gaps(gaps) => Some(gaps.tell(&columns)),
            _ => None,
        });
        filled.flatten().chain(missing::tell(&columns)).collect()
    }

    /// Whether a column is left out because it holds the same value in every training row.
    pub fn drops(&self, column: &str) -> bool {
        self.steps.iter().any(|step| matches!(step, PrepStep::Drop(d) if d.columns.iter().any(|c| c == column)))
    }

    /// The columns that a model learns from: those of training without those left out.
    pub fn used(&self) -> impl Iterator<Item = &ColumnSchema> {
        let empty = |name: &String| self.steps.iter().any(|step| matches!(step, PrepStep::Fill(fill) if fill.empty.contains(name)));
        self.schema.columns.iter().filter(move |c| !self.drops(&c.name) && !empty(&c.name))
    }

    /// One plain sentence per step, for reports.
    pub fn describe(&self) -> Vec<String> {
        self.steps.iter().map(|step| step.describe(&self.schema)).collect()
    }

    /// The numbers of a row of the table, in the order of training.
    ///
    /// # Errors
    /// Dates that stand as points on circles too, so that other prepared numbers change with them.
    pub(crate) fn number_scales(&self, data: &Dataset, prepared: &Dataset) -> Result<Vec<NumberScale>> {
        let calendar = self.steps.iter().find_map(|step| if let PrepStep::Calendar(c) = step { c.columns.first() } else { None });
        if let Some(cycle) = calendar {
            let why = "has columns for the time of the day, of the week or of the year; its derivative is not known";
            return Err(Error::Data(format!("column '{}' {why}", cycle.column)));
        }
        let places = prepared.number_places();
        let mut all = Vec::new();
        for column in self.schema.align(data)?.columns() {
            if !matches!(column.values, Values::Numbers(_) | Values::Points(_)) {
                continue;
            }
            let first = prepared.position(&column.name).ok().map(|at| places[at].start);
            let scale = self.scale_of(&column.name).map(|(_, scale)| scale);
            for (k, name) in column.numbers().into_iter().enumerate() {
                all.push(NumberScale { name, place: first.map(|first| first + k), scale: scale.as_ref().map_or(1.0, |scale| scale[k]) });
            }
        }
        Ok(all)
    }

    /// What was taken off each number of a column, and what it was divided by, if it was standardised; a column of vectors has one of both for
    /// each dimension.
    pub fn scale_of(&self, column: &str) -> Option<(Vec<f64>, Vec<f64>)> {
        self.steps.iter().find_map(|step| match step {
            PrepStep::Standardise(s) => s.columns.iter().find(|c| c.column == column).map(|c| (vec![c.mean], vec![c.sd])),
            PrepStep::Vectors(v) if v.column == column => {
                let centre = if v.centre.is_empty() { vec![0.0; v.scale.len()] } else { v.centre.clone() };
                Some((centre, v.scale.clone()))
            }
            _ => None,
        })
    }
}

impl PrepStep {
    fn apply(&self, columns: &mut Vec<Column>) -> Result<()> {
        match self {
            PrepStep::Complete(step) => step.apply(columns),
            PrepStep::Gaps(step) => step.apply(columns),
            PrepStep::Fill(step) => step.apply(columns),
            PrepStep::Calendar(step) => step.apply(columns),
            PrepStep::Drop(step) => step.apply(columns),
            PrepStep::OneHot(step) => step.apply(columns),
            PrepStep::Hold(step) => step.apply(columns),
            PrepStep::Standardise(step) => step.apply(columns),
            PrepStep::Vectors(step) => step.apply(columns),
        }
    }

    /// What the step does to columns of that schema, in one plain sentence.
    fn describe(&self, schema: &Schema) -> String {
        match self {
            PrepStep::Complete(step) => step.describe(),
            PrepStep::Gaps(step) => step.describe(),
            PrepStep::Fill(step) => step.describe(schema),
            PrepStep::Calendar(step) => step.describe(),
            PrepStep::Drop(step) => step.describe(),
            PrepStep::OneHot(step) => step.describe(),
            PrepStep::Hold(step) => step.describe(),
            PrepStep::Standardise(step) => step.describe(),
            PrepStep::Vectors(step) => step.describe(),
        }
    }
}

/// Where the named column stands.
fn place(columns: &[Column], name: &str) -> Result<usize> {
    let known = || columns.iter().map(|c| &c.name);
    columns.iter().position(|c| c.name == name).ok_or_else(|| Error::unknown("column", name, known()))
}

/// Where each of the named columns stands, in the order of the names.
fn places<'n>(columns: &[Column], names: impl Iterator<Item = &'n str>) -> Result<Vec<usize>> {
    let known: HashMap<&str, usize> = columns.iter().enumerate().map(|(at, c)| (c.name.as_str(), at)).collect();
    names.map(|name| known.get(name).copied().map_or_else(|| place(columns, name), Ok)).collect()
}

/// The numbers of the named column.
fn numbers_mut<'a>(columns: &'a mut [Column], name: &str) -> Result<&'a mut Vec<f64>> {
    let at = place(columns, name)?;
    numbers_of(&mut columns[at])
}

/// The numbers of a column.
fn numbers_of(column: &mut Column) -> Result<&mut Vec<f64>> {
    match &mut column.values {
        Values::Numbers(v) => Ok(v),
        other => Err(Error::Data(format!("column '{}' holds {}, expected numbers", column.name, other.kind().holds()))),
    }
}

/// Names for columns that prep makes.
struct Names(HashSet<String>);

impl Names {
    fn of(columns: &[Column]) -> Self {
        Names(columns.iter().map(|c| c.name.clone()).collect())
    }
    /// `name`, with underscores added until no column has it.
    fn free(&mut self, mut name: String) -> String {
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// NaN is a missing cell; infinity is a fault.
fn refuse_infinite(data: &Dataset) -> Result<()> {
    for column in data.columns() {
        if let Values::Numbers(v) = &column.values
            && let Some(row) = v.iter().position(|x| x.is_infinite())
        {
            let (name, found) = (&column.name, v[row]);
            return Err(Error::Data(format!("row {}, column '{name}': found {found}, expected a finite number", row + 1)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
