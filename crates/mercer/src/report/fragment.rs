//! Pieces of HTML for notebooks: a comparison, a model, a table, a kernel. Each brings its own rules of style, which speak
//! of nothing else on the page, and takes its colours from there.

use super::Comparison;
use super::model::facts;
use super::words::{count, counted, shown};
use crate::data::Dataset;
use crate::kernels::{KernelExpr, Validity};
use crate::learner::Model;
use maud::{Markup, PreEscaped, html};

/// Longest text that is shown, in characters.
const TEXT: usize = 400;

fn piece(content: Markup) -> String {
    const STYLE: &str = include_str!("fragment.css");
    html! { div.mercer { style { (PreEscaped(STYLE)) } (content) } }.into_string()
}

fn pairs<'a>(rows: impl Iterator<Item = (&'a str, String)>) -> Markup {
    html! { table { tbody { @for (what, text) in rows { tr { th scope="row" { (what) } td { (shown(&text, TEXT)) } } } } } }
}

impl Comparison {
    /// What the comparison says and its table, without pictures.
    pub fn fragment(&self) -> String {
        piece(html! {
            p.verdict { (self.verdict()) }
            @if !self.facts.is_empty() { ul { @for fact in &self.facts { li { (shown(fact, TEXT)) } } } }
            (self.results())
            @if !self.notices.is_empty() { ul { @for notice in &self.notices { li { (shown(notice, TEXT)) } } } }
        })
    }
}

/// Names and what they stand for, such as the recipe of a model.
pub fn pairs_fragment(all: &[(&str, String)]) -> String {
    piece(pairs(all.iter().map(|(what, text)| (*what, text.clone()))))
}

/// A model: what `mercer inspect` prints.
pub fn model_fragment(model: &Model) -> String {
    piece(pairs(facts(model, true).into_iter()))
}

/// A table: its columns, what they hold and how many cells are missing.
pub fn dataset_fragment(data: &Dataset) -> String {
    // Columns of a table that are listed at most.
    const COLUMNS: usize = 60;
    let more = data.columns().len().saturating_sub(COLUMNS);
    piece(html! {
        p.verdict { (counted(data.rows(), "row")) ", " (counted(data.columns().len(), "column")) }
        div.scroll { table {
            thead { tr { th scope="col" { "column" } th scope="col" { "type" } th scope="col" { "missing" } th scope="col" { "holds" } } }
            tbody { @for column in data.columns().iter().take(COLUMNS) {
                tr {
                    th scope="row" { (shown(&column.name, TEXT)) }
                    td { (column.values.kind()) }
                    td { (count(column.values.missing().len())) }
                    td { (shown(&column.values.describe(), TEXT)) }
                }
            } }
        } }
        @if more > 0 { p { "and " (counted(more, "column")) " more" } }
    })
}

/// A kernel: the expression, its parameters, and what is known about positive semi-definiteness from structure alone.
pub fn kernel_fragment(kernel: &KernelExpr) -> String {
    let known = match kernel.validity() {
        Validity::Proved(_) => "positive semi-definite for every input".to_owned(),
        Validity::Refuted(why) => format!("not positive semi-definite: {why}"),
        Validity::Open(why) => format!("structure alone does not decide whether it is positive semi-definite: {why}"),
    };
    let values: Vec<(String, String)> = kernel.values().into_iter().map(|p| (p.path, p.value.to_string())).collect();
    piece(html! {
        p.verdict { code { (shown(&kernel.to_string(), 10 * TEXT)) } }
        p { (known) }
        (pairs(values.iter().map(|(path, value)| (path.as_str(), value.clone()))))
    })
}
