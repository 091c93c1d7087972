//! A model as one HTML page: what `mercer inspect` says of it, and the pictures of the fit.

use super::Row;
use super::distributions::{LINES, ParameterTable, parameter_tables};
use super::explain::answers_by;
use super::html::{page, pictures};
use super::model::facts;
use super::words::shown;
use crate::error::Result;
use crate::learner::Model;
use maud::{Markup, html};

/// Longest text on the page, in characters.
const TEXT: usize = 4000;

/// The page of a model; `row` is what [`Row::of_model`] says of it, `table` and `command` are words of the user.
///
/// # Errors
/// A picture whose lists do not fit each other.
pub fn model_page(model: &Model, row: &Row, table: &str, command: &str) -> Result<String> {
    let title = format!("{} on {}", model.estimator.name(), shown(table, 80));
    // Of a method without a target there is no score to begin with.
    let found = model.summary().notes.first().filter(|_| model.estimator.takes_no_target());
    let content = html! {
        @if let Some(found) = found { p.verdict { (shown(found, TEXT)) } }
        (pictures(row)?)
        (answers_by(model.estimator.name(), &row.influences))
        h2 { "The model" }
        dl { @for (what, text) in facts(model, true) { dt { (what) } dd { (shown(&text, TEXT)) } } }
        @for table in parameter_tables(model)? { (parameters(&table)) }
        @if !model.about.notices.is_empty() {
            h2 { "Notices" }
            ul { @for notice in &model.about.notices { li { (shown(&notice.to_string(), TEXT)) } } }
        }
        h2 { "To make this page again" }
        pre { code { (shown(command, TEXT)) } }
    };
    Ok(page(&title, content))
}

/// Parameters, as many lines and columns as a page shows.
fn parameters(table: &ParameterTable) -> Markup {
    let columns = table.lines.first().map_or(0, |(_, cells)| cells.len());
    html! {
        h3 { (shown(&table.title, TEXT)) }
        table {
            @if !table.header.is_empty() { thead { tr { th {} @for name in table.header.iter().take(LINES) { th { (shown(name, 80)) } } } } }
            tbody {
                @for (name, cells) in table.lines.iter().take(LINES) {
                    tr { th scope="row" { (shown(name, 80)) } @for cell in cells.iter().take(LINES) { td { (cell) } } }
                }
            }
        }
        @if table.lines.len().max(columns) > LINES { p { (table.lines.len()) " lines of " (columns) " numbers; mercer inspect --json has all." } }
    }
}
