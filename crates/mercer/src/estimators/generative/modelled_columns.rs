//! The columns of a table that a generative model is a distribution of, and the model settled on these.

use crate::data::{Arity, ColumnKind, Dataset, RowWeights};
use crate::error::{Error, Result};
use crate::estimators::{RowNotice, Task};
use crate::generative::{FittedGenerative, GenerativeExpr, catalogue};
use crate::linalg::PASSED;
use crate::param::ParameterValue;

/// Passes over the numbers of a row that a fit takes, as a rule, and those of a log density.
pub(super) const FIT_PASSES: f64 = 200.0 * PASSED;
pub(super) const DENSITY_PASSES: f64 = 10.0 * PASSED;

/// Columns of the training rows, and the model settled on them.
pub(super) struct Modelled {
    pub(super) model: GenerativeExpr,
    pub(super) rows: Dataset,
    pub(super) columns: Vec<String>,
    /// What the user should know of the columns.
    pub(super) notes: Vec<String>,
}

impl Modelled {
    /// The columns of a task that the model takes.
    ///
    /// # Errors
    /// None of these, or several where the model takes one.
    pub(super) fn of(model: &GenerativeExpr, task: &Task<'_>, who: &str) -> Result<Modelled> {
        let table = task.view.table(who)?;
        let needs = model.column_needs();
        let (taken, other): (Vec<_>, Vec<_>) = table.columns().iter().partition(|column| (needs.takes)(column.values.kind()));
        let columns: Vec<String> = taken.iter().map(|column| column.name.clone()).collect();
        let found: Vec<String> = table.columns().iter().map(|c| format!("{} ({})", c.name, c.values.kind())).collect();
        if columns.is_empty() {
            // Labels may be declared as strings, or be read so where the model is one of strings.
            let read_as = |kind: ColumnKind| if kind == ColumnKind::Category { ColumnKind::Sequence } else { kind };
            let able =
                catalogue().into_iter().filter(|entry| table.columns().iter().any(|column| (entry.needs)(read_as(column.values.kind()))));
            let able: Vec<&str> = able.map(|entry| entry.name).collect();
            let instead = if able.is_empty() {
                format!("no model takes these: give {}", needs.words)
            } else {
                format!("models of these: {}", able.join(", "))
            };
            return Err(Error::Data(format!(
                "{who}: {} is a model of {}, and the table has none; its columns: {}; {instead}",
                model.name(),
                needs.words,
                found.join(", ")
            )));
        }
        if needs.arity == Arity::One && columns.len() > 1 {
            return Err(Error::Data(format!(
                "{who}: {} is a model of {}, and there are {}: {}; choose one by the kernel on({}, identical)",
                model.name(),
                needs.words,
                columns.len(),
                columns.join(", "),
                crate::expr::quoted(&columns[0])
            )));
        }
        let notes = other.iter().map(|c| format!("column '{}' is not used: {} is a model of {}", c.name, model.name(), needs.words));
        let notes = notes.collect();
        let rows = select(table, &columns)?;
        let model = model.settle(&rows, RowWeights::from(task.weights))?;
        // Before rows are parted by class, so that a fault names its row.
        model.check(&rows)?;
        Ok(Modelled { model, rows, columns, notes })
    }
}

/// Whether labels are read as strings: strings that repeat are taken for labels, and a model of strings means the strings.
pub(super) fn reads_labels_as_strings(model: &GenerativeExpr) -> bool {
    let takes = model.column_needs().takes;
    takes(ColumnKind::Sequence) && !takes(ColumnKind::Category)
}

/// The columns of these names.
///
/// # Errors
/// A table without one of them.
pub(super) fn select(table: &Dataset, names: &[String]) -> Result<Dataset> {
    Dataset::with_rows(table.rows(), names.iter().map(|name| table.column(name).cloned()).collect::<Result<_>>()?)
}

/// The notice about rows that hold what the fit knows nothing of.
///
/// # Errors
/// Rows of another shape than those of the fit.
pub(super) fn unseen(model: &FittedGenerative, rows: &Dataset) -> Result<Vec<RowNotice>> {
    Ok(model.unseen(rows)?.into_iter().map(|(rows, said)| RowNotice { rows, said }).collect())
}

/// The start of an open number of the model, `model.gaussian_mixture.components`: what the model takes it to be on these rows.
pub(super) fn start(model: &GenerativeExpr, path: &str, task: &Task<'_>, who: &'static str) -> Result<f64> {
    let settled = Modelled::of(model, task, who)?.model;
    let own = path.strip_prefix("model.").unwrap_or(path);
    let found = settled.nested_numbers().into_iter().find(|number| number.path == own && number.value.is_settled());
    let unsettled = || Error::Unsettled { owner: who.into(), name: path.into(), value: "auto".into() };
    found.map(|number| number.value.number()).ok_or_else(unsettled)
}
