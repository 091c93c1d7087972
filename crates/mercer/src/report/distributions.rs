//! The generative models of a fitted model as tables of their parameters, the hidden states of rows, and rows drawn from it, as CSV.

use super::predictions::fault;
use super::{KeptColumn, PredictedTable};
use crate::control::Control;
use crate::data::{Dataset, Values};
use crate::error::{Error, Result};
use crate::estimators::{Fitted, GenerativePart, Predictions, RowNotice, Want};
use crate::generative::{HiddenStates, ParameterArray};
use crate::learner::{DrawnRows, Model};
use crate::param::Value;
use serde_json::json;

/// Lines of a table of parameters at most.
pub(super) const LINES: usize = 60;

/// Parameters as a table: a title, names of the columns, and lines, each with its name.
pub(super) struct ParameterTable {
    pub(super) title: String,
    pub(super) header: Vec<String>,
    pub(super) lines: Vec<(String, Vec<String>)>,
}

/// The name of a class before what is said of its model; nothing of a model of all rows.
fn of_class(model: &Model, of: &GenerativePart<'_>) -> String {
    let names = model.answer.classes().unwrap_or_default();
    of.class.and_then(|class| names.get(class)).map_or(String::new(), |name| format!("class '{name}': "))
}

/// The names of the parameters with their shapes; `None` where there is no generative model.
pub(super) fn shapes(model: &Model) -> Option<String> {
    let all = model.fitted.distributions();
    let arrays = model.parameter_arrays(all.first()?).ok().filter(|arrays| !arrays.is_empty())?;
    let shape = |array: &ParameterArray| array.shape().iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
    let named =
        arrays.iter().map(|array| if array.axes.is_empty() { array.name.into() } else { format!("{} ({})", array.name, shape(array)) });
    let each = if all.len() > 1 { ", for each class" } else { "" };
    Some(format!("{}{each}", named.collect::<Vec<_>>().join(", ")))
}

/// Every parameter of every generative model; an array of three axes is a table for each place of the first.
pub(super) fn parameter_tables(model: &Model) -> Result<Vec<ParameterTable>> {
    let mut tables = Vec::new();
    for of in model.fitted.distributions() {
        let class = of_class(model, &of);
        for array in model.parameter_arrays(&of)? {
            tables_of(&array, &class, &mut tables);
        }
    }
    Ok(tables)
}

fn tables_of(array: &ParameterArray, class: &str, tables: &mut Vec<ParameterTable>) {
    // Significant digits of a parameter in a table.
    const DIGITS: usize = 6;
    let written = |x: &f64| Value::Number(*x).rounded(DIGITS).to_string();
    let labelled = |axis: usize| {
        let axis = &array.axes[axis];
        axis.labels.iter().map(|label| {
            if axis.of == "letter" || axis.of == "column" || axis.of == "channel" { label.clone() } else { format!("{} {label}", axis.of) }
        })
    };
    let title = |part: &str| format!("{class}{}{part}: {}", array.name, array.about);
    let [.., last] = array.shape()[..] else {
        let lines = vec![(String::new(), array.values.iter().map(written).collect())];
        return tables.push(ParameterTable { title: title(""), header: Vec::new(), lines });
    };
    let header: Vec<String> = labelled(array.axes.len() - 1).collect();
    let each: Vec<Vec<String>> = array.values.chunks(last.max(1)).map(|row| row.iter().map(written).collect()).collect();
    match array.axes.len() {
        1 => tables.push(ParameterTable { title: title(""), header, lines: each.into_iter().map(|line| (String::new(), line)).collect() }),
        2 => tables.push(ParameterTable { title: title(""), header, lines: labelled(0).zip(each).collect() }),
        _ => {
            let lines = array.axes[1].labels.len().max(1);
            for (part, lines) in labelled(0).zip(each.chunks(lines)) {
                let lines = labelled(1).zip(lines.iter().cloned()).collect();
                tables.push(ParameterTable { title: title(&format!(", {part}")), header: header.clone(), lines });
            }
        }
    }
}

/// Those tables in lines of so many characters: more columns than that stand below the first.
pub(super) fn parameters_text(model: &Model, width: usize) -> Result<String> {
    // What stands between two columns.
    const GAP: usize = 2;
    let mut out = String::new();
    for table in parameter_tables(model)? {
        out.push_str(&format!("\n{}\n", table.title));
        let label = table.lines.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
        let widest = |k: usize| {
            let cells = table.lines.iter().filter_map(|(_, line)| line.get(k)).chain(table.header.get(k));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..table.lines.first().map_or(0, |(_, line)| line.len())).map(widest).collect();
        let mut from = 0;
        while from < widths.len() {
            let (mut to, mut taken) = (from, label);
            while to < widths.len() && (to == from || taken + GAP + widths[to] <= width) {
                taken += GAP + widths[to];
                to += 1;
            }
            let mut line = |name: &str, cells: &[String]| {
                let cells = cells.iter().zip(&widths).skip(from).take(to - from).map(|(cell, width)| format!("{:GAP$}{cell:>width$}", ""));
                out.push_str(format!("{name:<label$}{}", cells.collect::<String>()).trim_end());
                out.push('\n');
            };
            if !table.header.is_empty() {
                line("", &table.header);
            }
            table.lines.iter().take(LINES).for_each(|(name, cells)| line(name, cells));
            from = to;
        }
        if table.lines.len() > LINES {
            out.push_str(&format!("and {} more lines, all of which the JSON holds\n", table.lines.len() - LINES));
        }
    }
    Ok(out)
}

/// The generative models with their parameters as JSON, the numbers of an array in lists for each axis.
pub(super) fn distributions_json(model: &Model) -> Result<serde_json::Value> {
    fn nested(values: &[f64], shape: &[usize]) -> serde_json::Value {
        match shape {
            [] => json!(values.first()),
            [_, rest @ ..] => values.chunks(rest.iter().product::<usize>().max(1)).map(|part| nested(part, rest)).collect(),
        }
    }
    let classes = model.answer.classes().unwrap_or_default();
    let of = |of: GenerativePart<'_>| {
        let array = |array: ParameterArray| json!({"name": array.name, "about": array.about, "axes": array.axes, "values": nested(&array.values, &array.shape())});
        let parameters: Vec<_> = model.parameter_arrays(&of)?.into_iter().map(array).collect();
        Ok(json!({"class": of.class.and_then(|class| classes.get(class)), "prior": of.prior, "parameters": parameters}))
    };
    model.fitted.distributions().into_iter().map(of).collect::<Result<Vec<_>>>().map(serde_json::Value::from)
}

/// The hidden states of every row of a table as CSV, one line for each time of a sequence or for each vector, a block of rows at a time: to the
/// right of the kept columns the `row`, the `time`, the predicted class where models are of classes, the `state` of the most probable path, and the
/// probability of each state, all numbered from 1.
///
/// # Errors
/// An estimator without hidden states; kept columns of another length; on request of `control`.
pub fn states_csv(model: &Model, data: &Dataset, kept: &[KeptColumn], control: &Control) -> Result<PredictedTable> {
    // Rows that are decoded and written together.
    const BLOCK: usize = 1024;
    if let Some((name, column)) = kept.iter().find(|(_, column)| column.len() != data.rows()) {
        return Err(Error::Shape { what: format!("rows of column '{name}'"), expected: data.rows(), found: column.len() });
    }
    let of_classes = model.distributions()?.len() > 1;
    let (mut writer, mut notices, mut is_begun) = (csv::Writer::from_writer(Vec::new()), Vec::new(), false);
    for start in (0..data.rows().max(1)).step_by(BLOCK) {
        let rows: Vec<usize> = (start..(start + BLOCK).min(data.rows())).collect();
        let part = data.select(&rows);
        let states = model.hidden_states(&part, control)?;
        let mut predictions: Predictions = model.predict(&part, Want::default(), control)?;
        RowNotice::append(&mut notices, std::mem::take(&mut predictions.notices), start);
        let classes = if of_classes { model.labels(&predictions) } else { None };
        for (i, HiddenStates { path, posteriors }) in states.iter().enumerate() {
            if !is_begun {
                let names = kept.iter().map(|(name, _)| name.clone()).chain(["row".into(), "time".into()]);
                let class = classes.iter().map(|_| format!("{}_predicted", model.answer.columns().join("_")));
                let states = (1..=posteriors.cols()).map(|k| format!("state_{k}"));
                writer.write_record(names.chain(class).chain(["state".into()]).chain(states)).map_err(fault)?;
                is_begun = true;
            }
            for (time, state) in path.iter().enumerate() {
                let left = kept.iter().map(|(_, column)| column[start + i].clone()).chain([start + i + 1, time + 1].map(|n| n.to_string()));
                let class = classes.iter().map(|labels| labels[i].clone());
                let probabilities = posteriors.row(time).iter().map(f64::to_string);
                writer.write_record(left.chain(class).chain([(state + 1).to_string()]).chain(probabilities)).map_err(fault)?;
            }
        }
        control.tell("states", start + rows.len(), data.rows());
    }
    let csv = String::from_utf8(writer.into_inner().map_err(fault)?).map_err(fault)?;
    Ok(PredictedTable { csv, notices: notices.iter().map(RowNotice::to_string).collect() })
}

/// Rows drawn from a model as CSV, in the columns that it is of; where models are of classes, the class stands to the left, and rows of a class
/// together.
///
/// # Errors
/// Numbers that cannot be written.
pub fn drawn_rows_csv(model: &Model, drawn: &[DrawnRows]) -> Result<String> {
    let classes = model.answer.classes().unwrap_or_default();
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (part, DrawnRows { class, rows }) in drawn.iter().enumerate() {
        if part == 0 {
            let target = class.iter().flat_map(|_| model.answer.columns());
            writer.write_record(target.chain(rows.columns().iter().map(|c| c.name.clone()))).map_err(fault)?;
        }
        for row in 0..rows.rows() {
            let class = class.iter().filter_map(|class| classes.get(*class).cloned());
            let cells = rows.columns().iter().map(|column| match &column.values {
                Values::Numbers(numbers) => numbers[row].to_string(),
                Values::Sequences(strings) => strings.get(row).to_owned(),
                other => other.cell(row).to_string(),
            });
            writer.write_record(class.chain(cells)).map_err(fault)?;
        }
    }
    String::from_utf8(writer.into_inner().map_err(fault)?).map_err(fault)
}
