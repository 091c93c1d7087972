//! The regularisation path of a support vector machine in lines, as a document and as a page: breakpoints, coefficients along C, errors.

use super::html::page;
use super::text::{Column, within};
use super::words::{UNKNOWN, brief, brief_kernel, count, counted, percentage, value, wrapped};
use super::{Layer, Panel, Panels};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::learner::TablePath;
use crate::solve::path::{Breakpoint, PathEnd};
use comfy_table::CellAlignment;
use maud::{PreEscaped, html};
use serde_json::{Value as Json, json};

/// A path with what was asked of it.
#[derive(Debug)]
pub struct PathReport<'a> {
    /// The path.
    pub found: &'a TablePath,
    /// The table.
    pub table: &'a str,
    /// The penalties to report, each on the path; those of interest if there are none.
    pub penalties: &'a [f64],
}

/// A line of the table.
struct PenaltyRow {
    what: &'static str,
    c: f64,
    support: usize,
    /// The last breakpoint at or before C.
    breakpoint: Option<Breakpoint>,
    held_out: Option<f64>,
}

impl PathReport<'_> {
    /// The least error on held-out rows and the least C that has it.
    fn best(&self) -> Option<(f64, f64)> {
        self.found.held_out.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.total_cmp(&b.0)))
    }

    fn rows(&self) -> Result<Vec<PenaltyRow>> {
        let breaks = self.found.path.breakpoints();
        let row = |(what, c): (&'static str, f64)| {
            let coef = self.found.path.at(c)?.coef;
            let passed = breaks.partition_point(|b| b.c <= c * (1.0 + 1e-12));
            Ok(PenaltyRow {
                what,
                c,
                support: coef.iter().filter(|b| **b != 0.0).count(),
                breakpoint: passed.checked_sub(1).map(|k| breaks[k]),
                held_out: self.found.held_out.iter().find(|(place, _)| *place == c).map(|(_, error)| *error),
            })
        };
        if !self.penalties.is_empty() {
            return self.penalties.iter().map(|c| row(("", *c))).collect();
        }
        let least = breaks.iter().min_by(|a, b| a.error.total_cmp(&b.error).then(a.c.total_cmp(&b.c)));
        let mut asked: Vec<(&'static str, f64)> = breaks.first().map(|b| ("first breakpoint", b.c)).into_iter().collect();
        asked.extend(self.best().map(|(c, _)| ("least held-out error", c)));
        asked.extend(least.map(|b| ("least training error", b.c)));
        asked.extend(breaks.last().map(|b| ("last breakpoint", b.c)));
        asked.into_iter().map(row).collect()
    }

    /// Where the path begins and ends.
    fn verdict(&self) -> String {
        let path = &self.found.path;
        let breaks = path.breakpoints();
        let (Some(first), Some(last)) = (breaks.first(), breaks.last()) else {
            return "No breakpoint: the solution has one direction for every C.".into();
        };
        let beyond = match path.end() {
            PathEnd::Complete if path.is_separated() => "beyond it the classes are separated and the machine stays the same".to_owned(),
            PathEnd::Complete => "beyond it the coefficients are one line in C".to_owned(),
            end => format!("the path ends there: {}", end.reason()),
        };
        format!("{} from C = {} to {}; {beyond}.", counted(breaks.len(), "breakpoint"), value(first.c), value(last.c))
    }

    fn setting(&self) -> String {
        let [(first, few), (second, many)] = &self.found.classes;
        format!(
            "{} ({} '{first}', {} '{second}'), kernel {}",
            counted(self.found.rows.len(), "row"),
            count(*few),
            count(*many),
            brief_kernel(self.found.kernel())
        )
    }

    /// What is known of the numbers.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let worst = self.found.path.breakpoints().iter().map(|b| b.violation).fold(0.0, f64::max);
        if worst > 0.0 {
            notes.push(format!("the optimality conditions hold to {worst:.0e} of the margin at every breakpoint"));
        }
        if let Some((_, error)) = self.best() {
            notes.push(format!(
                "least held-out error {} in {}; it is the least of {} values of C, so that new rows may have more",
                percentage(error),
                counted(self.found.folds, "fold"),
                self.found.held_out.len()
            ));
        }
        if !self.penalties.is_empty() {
            notes.push("the training error is that of the breakpoint before".into());
        }
        notes
    }

    /// The table of penalties, the name of each first unless it was asked for.
    fn columns(&self) -> Result<Vec<Column>> {
        let rows = self.rows()?;
        let column = |heading: &str, cell: &dyn Fn(&PenaltyRow) -> String| Column {
            heading: heading.into(),
            cells: rows.iter().map(cell).collect(),
            align: CellAlignment::Right,
        };
        let share = |share: Option<f64>| share.map_or_else(|| UNKNOWN.into(), percentage);
        let mut columns = vec![
            column("C", &|r| value(r.c)),
            column("support vectors", &|r| count(r.support)),
            column("on the margin", &|r| r.breakpoint.map_or_else(|| UNKNOWN.into(), |b| count(b.elbow))),
            column("training error", &|r| share(r.breakpoint.map(|b| b.error))),
        ];
        if !self.found.held_out.is_empty() && self.penalties.is_empty() {
            columns.push(column("held-out error", &|r| share(r.held_out)));
        }
        if self.penalties.is_empty() {
            columns.insert(0, Column { align: CellAlignment::Left, ..column("", &|r| r.what.into()) });
        }
        Ok(columns)
    }

    /// For the terminal, in lines of at most `width` characters (at least 40).
    ///
    /// # Errors
    /// A penalty that the path does not cover.
    pub fn text(&self, width: usize) -> Result<String> {
        let (width, columns) = (width.max(40), self.columns()?);
        let mut lines = wrapped(&self.verdict(), ["", ""], width);
        lines.extend(wrapped(&self.setting(), ["", ""], width));
        if !columns[0].cells.is_empty() {
            lines.extend([String::new(), within(columns, width).0, String::new()]);
        }
        lines.extend(self.notes().iter().flat_map(|note| wrapped(note, ["note: ", "      "], width)));
        Ok(lines.join("\n"))
    }

    /// As a document: every breakpoint, held-out errors, and the machine at each penalty that was asked for.
    ///
    /// # Errors
    /// A penalty that the path does not cover.
    pub fn json(&self) -> Result<String> {
        let found = self.found;
        let of_breakpoint = |b: &Breakpoint| {
            json!({
                "c": b.c, "intercept": b.intercept, "elbow": b.elbow, "left": b.left, "right": b.right, "training_error": b.error,
                "violation": b.violation,
            })
        };
        let at = |c: &f64| -> Result<Json> {
            let point = found.path.at(*c)?;
            let used = point.coef.iter().zip(&found.rows).filter(|(b, _)| **b != 0.0);
            let support: Vec<Json> = used.map(|(b, row)| json!({ "row": row + 1, "coefficient": b })).collect();
            Ok(json!({ "c": c, "intercept": point.intercept, "support": support }))
        };
        let document = json!({
            "kernel": found.kernel().to_string(),
            "rows": found.rows.len(),
            "classes": found.classes.iter().map(|(name, count)| json!({ "name": name, "rows": count })).collect::<Vec<_>>(),
            "end": found.path.end().reason(),
            "separated": found.path.is_separated(),
            "breakpoints": found.path.breakpoints().iter().map(of_breakpoint).collect::<Vec<_>>(),
            "folds": found.folds,
            "held_out": found.held_out.iter().map(|(c, error)| json!({ "c": c, "error": error })).collect::<Vec<_>>(),
            "at": self.penalties.iter().map(at).collect::<Result<Vec<_>>>()?,
            "notices": found.notices.iter().map(ToString::to_string).collect::<Vec<_>>(),
        });
        serde_json::to_string_pretty(&document).map_err(|e| Error::Data(e.to_string()))
    }

    /// The page.
    ///
    /// # Errors
    /// A penalty that the path does not cover, memory, a picture that cannot be drawn.
    pub fn html(&self, command: &str, control: &Control) -> Result<String> {
        let columns = self.columns()?;
        let (words, svg) = self.figure(control)?;
        let title = format!("Path of svc on {}", self.table);
        Ok(page(
            &title,
            html! {
                p.verdict { (self.verdict()) }
                p { (self.setting()) }
                @if let Some(svg) = svg { figure { (PreEscaped(svg)) figcaption { (words) } } }
                @if !columns[0].cells.is_empty() {
                    table {
                        thead { tr { @for column in &columns { th { (column.heading) } } } }
                        tbody {
                            @for row in 0..columns[0].cells.len() {
                                tr {
                                    th { (columns[0].cells[row]) }
                                    @for column in &columns[1..] { td { (column.cells[row]) } }
                                }
                            }
                        }
                    }
                }
                @for note in self.notes() { p { (note) } }
                h2 { "To make this page again" }
                pre { code { (command) } }
            },
        ))
    }

    /// Coefficients and errors along C; no picture without breakpoints.
    fn figure(&self, control: &Control) -> Result<(String, Option<String>)> {
        // Breakpoints and rows that are drawn.
        const PLACES: usize = 200;
        const ROWS: usize = 60;
        let path = &self.found.path;
        let breaks = path.breakpoints();
        if breaks.is_empty() {
            return Ok((String::new(), None));
        }
        let some = |all: usize, most: usize| -> Vec<usize> {
            (0..all.min(most)).map(|k| if all <= most { k } else { k * (all - 1) / (most - 1) }).collect()
        };
        let (places, rows) = (some(breaks.len(), PLACES), some(path.rows(), ROWS));
        let alphas = path.alphas(control)?;
        let line = |i: usize| places.iter().map(|&k| [breaks[k].c.log10(), alphas[(k, i)]]).collect();
        let of =
            |f: &dyn Fn(&Breakpoint) -> f64| -> Vec<[f64; 2]> { places.iter().map(|&k| [breaks[k].c.log10(), f(&breaks[k])]).collect() };
        let mut errors = vec![("training".to_owned(), Layer::Line(of(&|b| b.error)))];
        if !self.found.held_out.is_empty() {
            errors.push(("held out".into(), Layer::Line(self.found.held_out.iter().map(|(c, e)| [c.log10(), *e]).collect())));
        }
        let panel = |title: &str, upwards: &str, layers| Panel {
            title: title.into(),
            axes: ["log10 C".into(), upwards.into()],
            layers,
            upwards: None,
        };
        let panels = vec![
            panel("coefficients", "alpha", vec![(String::new(), Layer::Contours(rows.iter().map(|&i| line(i)).collect()))]),
            panel(
                "rows",
                "rows",
                vec![
                    ("within the margin".into(), Layer::Line(of(&|b| b.left as f64))),
                    ("on the margin".into(), Layer::Line(of(&|b| b.elbow as f64))),
                ],
            ),
            panel("errors", "error", errors),
        ];
        let shown = if rows.len() < path.rows() { format!(" of {} rows", count(rows.len())) } else { String::new() };
        let words = format!(
            "Coefficients alpha{shown} from 0 to the weight of the row, rows within and on the margin, and errors, along C from {} to {}.",
            brief(breaks[0].c),
            brief(breaks[breaks.len() - 1].c)
        );
        Ok((words.clone(), Some(Panels { panels, across: 3 }.file("Path of a support vector machine", &words)?)))
    }
}
