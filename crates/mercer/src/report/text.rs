//! The comparison as plain text for a terminal: a table no wider than asked, then what it means in words.

use super::terms::{AgainstBest, NOT_TUNED};
use super::words::{
    UNKNOWN, brief, count, counted, difference, digits, digits_of_differences, estimate, is_baseline, listed, percentage, power, seconds,
    shown, wrapped,
};
use super::{Comparison, Metric, Row, TargetScore};
use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

/// Characters of an estimator's name in the table.
const NAME: usize = 28;

/// `1 more column`, `3 more classes`.
fn more(n: usize, what: &str) -> String {
    counted(n, &format!("more {what}"))
}

/// A column of the table; the last ones go first where the terminal is narrow.
pub(super) struct Column {
    pub(super) heading: String,
    pub(super) cells: Vec<String>,
    pub(super) align: CellAlignment,
}

/// Numbers stand under each other; the names of the first column begin together.
fn alignment(place: usize) -> CellAlignment {
    if place == 0 { CellAlignment::Left } else { CellAlignment::Right }
}

impl Comparison {
    /// The result, the table, a line of explanation, then settings, failures and notices; lines are at most `width` characters
    /// (at least 40) and carry no colour.
    pub fn text(&self, width: usize) -> String {
        self.written(width, false)
    }

    /// The text with the kinds of methods, everything that the searches learnt, and the values that they tried.
    pub fn text_in_full(&self, width: usize) -> String {
        self.written(width, true)
    }

    fn written(&self, width: usize, full: bool) -> String {
        let width = width.max(40);
        let (table, left_out) = self.table(width);
        let mut out = wrapped(&self.verdict(), ["", ""], width);
        out.extend([String::new(), table, String::new()]);
        out.extend(wrapped(&self.legend(), ["", ""], width));
        let elsewhere = self.metrics().len() - self.shown_metrics().len();
        let mut unseen = Vec::new();
        if left_out > 0 {
            unseen.push(format!("{} in a wider terminal", more(left_out, "column")));
        }
        if elsewhere > 0 {
            unseen.push(format!("{} in --json and --report", more(elsewhere, "metric")));
        }
        if !unseen.is_empty() {
            out.extend(wrapped(&format!("{}.", unseen.join("; ")), ["", ""], width));
        }
        let section = |title: &str, lines: &[String], out: &mut Vec<String>| {
            if !lines.is_empty() {
                out.extend([String::new(), title.to_owned()]);
                out.extend(lines.iter().flat_map(|l| wrapped(l, ["  ", "    "], width)));
            }
        };
        section("Beside the best", &self.standings(), &mut out);
        section("Which to take", &self.recommendation(), &mut out);
        let fitted = self.entries.iter().filter(|r| r.fitted());
        section("Recall of each class", &self.recall_lines(), &mut out);
        section("RMSE of each target", &self.target_lines(), &mut out);
        let (common, of_all) = self.common_kernel().unzip();
        let settled: Vec<String> = of_all.into_iter().chain(fitted.map(|row| row.settled_line(common))).collect();
        let unfinished: Vec<String> = self.entries.iter().filter_map(Row::unfinished).collect();
        section("Chosen settings", &settled, &mut out);
        section("Failed", &self.failures(false), &mut out);
        section("Not reached", &self.failures(true), &mut out);
        section("Did not converge", &unfinished, &mut out);
        section("Columns", &self.columns, &mut out);
        section("Notices", &self.notices, &mut out);
        if let (true, Some((table, _))) = (full, self.methods_table(width)) {
            out.extend([String::new(), table, String::new()]);
            out.extend(wrapped(Self::METHODS_LEGEND, ["", ""], width));
        }
        if full {
            section("What the searches learnt", &self.details, &mut out);
        }
        out.push(String::new());
        out.join("\n")
    }

    /// The table and how many columns it had to leave out.
    fn table(&self, width: usize) -> (String, usize) {
        within(self.table_columns(), width)
    }

    /// The table of methods, where anything is known of them.
    fn methods_table(&self, width: usize) -> Option<(String, usize)> {
        let rows = self.methods();
        let columns: Vec<Column> = (0..rows.first()?.len())
            .map(|c| Column {
                heading: rows[0][c].clone(),
                cells: rows[1..].iter().map(|row| row[c].clone()).collect(),
                align: alignment(c),
            })
            .collect();
        Some(within(columns, width))
    }

    fn table_columns(&self) -> Vec<Column> {
        let column = |heading: &str, cell: &dyn Fn(&Row) -> String| Column {
            heading: heading.to_owned(),
            cells: self.entries.iter().map(|r| if r.failure.is_some() { UNKNOWN.to_owned() } else { cell(r) }).collect(),
            align: CellAlignment::Right,
        };
        let metric = |m: Metric| {
            let d = digits(self.entries.iter().filter_map(|r| r.metric(m)));
            column(m.heading(), &|r| r.metric(m).map_or(UNKNOWN.into(), |e| estimate(m, e, d)))
        };
        let apart = digits_of_differences(self.entries.iter().filter_map(|r| r.difference));
        let ranking = self.ranking();
        let mut columns = vec![Column {
            heading: "  estimator".into(),
            cells: self.entries.iter().map(|r| format!("{} {}", if r.best { "*" } else { " " }, r.named(NAME))).collect(),
            align: CellAlignment::Left,
        }];
        let mut scores = metric(ranking);
        for (cell, row) in scores.cells.iter_mut().zip(&self.entries).filter(|(_, r)| r.failure.is_some()) {
            *cell = row.without_results().into();
        }
        columns.push(scores);
        columns.push(column("difference", &|r| match self.against_best(r) {
            AgainstBest::Best => "best".into(),
            AgainstBest::NotTuned => NOT_TUNED.into(),
            _ => r.difference.map_or(UNKNOWN.into(), |d| difference(ranking, d, apart)),
        }));
        if self.test.is_some() {
            let d = digits(self.entries.iter().filter_map(|r| r.test));
            columns.push(column("test", &|r| r.test.map_or(UNKNOWN.into(), |e| estimate(ranking, e, d))));
        }
        if self.rows_differ() {
            columns.push(column("rows used", &Row::rows_used));
        }
        columns.push(column("rows kept", &|r| if r.fitted() { r.kept() } else { UNKNOWN.into() }));
        columns.push(column("fit", &|r| format!("{}{}", seconds(r.fit_seconds), if r.converged || !r.fitted() { "" } else { " !" })));
        columns.push(column("predict/row", &|r| seconds(r.predict_us_per_row * 1e-6)));
        columns.extend(self.shown_metrics().into_iter().skip(1).map(metric));
        columns
    }

    /// The recall of each class by each estimator, where one class is far rarer than another; the rarest classes first.
    fn recall_lines(&self) -> Vec<String> {
        // Classes whose recall stands in the terminal.
        const CLASSES: usize = 6;
        if !self.imbalanced() {
            return Vec::new();
        }
        let classes: Vec<(usize, &String)> = self.class_rows.iter().copied().zip(self.classes()).collect();
        let mut order: Vec<usize> = (0..classes.len()).filter(|&k| classes[k].0 > 0).collect();
        order.sort_by_key(|&k| classes[k].0);
        let left = order.len().saturating_sub(CLASSES);
        order.truncate(CLASSES);
        let one = |row: &Row| {
            let of = |&k: &usize| {
                let share = row.recalls.get(k).copied().flatten().map_or(UNKNOWN.into(), percentage);
                format!("{} {share}", class(classes[k].1))
            };
            (!row.recalls.is_empty())
                .then(|| format!("{}: {}", shown(&row.estimator, NAME), order.iter().map(of).collect::<Vec<_>>().join(", ")))
        };
        let rows = order.iter().map(|&k| format!("{} {}", class(classes[k].1), count(classes[k].0))).collect::<Vec<_>>().join(", ");
        let mut lines = vec![format!("rows: {rows}")];
        lines.extend(self.entries.iter().filter_map(one));
        if left > 0 {
            lines.push(format!("{} with more rows in --json and --report", more(left, "class")));
        }
        lines
    }

    /// The error of each of several targets, in its unit: of the best row, of the tuned one with the lowest where that is another, and of a
    /// guess.
    fn target_lines(&self) -> Vec<String> {
        let scored = || self.entries.iter().filter(|row| !row.by_target.is_empty());
        let each = |(k, name): (usize, &String)| {
            let tuned = scored().filter(|row| row.status.is_tuned() && !is_baseline(row));
            let lowest = tuned.min_by(|a, b| a.by_target[k].rmse.total_cmp(&b.by_target[k].rmse)).filter(|row| !row.best);
            let shown_rows = scored().filter(|row| row.best).chain(lowest).chain(scored().filter(|row| is_baseline(row)));
            let of = |row: &Row| {
                let TargetScore { rmse, r2 } = row.by_target[k];
                format!("{} {} (R² {})", shown(&row.estimator, NAME), brief(rmse), brief(r2))
            };
            format!("{}: {}", shown(name, NAME), shown_rows.map(of).collect::<Vec<_>>().join(", "))
        };
        if scored().next().is_none() { Vec::new() } else { self.targets().iter().enumerate().map(each).collect() }
    }

    /// Why there are no results, once for all estimators of which the same is to be said.
    fn failures(&self, unreached: bool) -> Vec<String> {
        let mut failures: Vec<(Vec<String>, String)> = Vec::new();
        for row in self.entries.iter().filter(|r| r.unreached == unreached) {
            let Some(why) = &row.failure else { continue };
            // The estimator stands in front in many an error.
            let bare = row.estimator.split('(').next().unwrap_or_default();
            let said = why.strip_prefix(bare).filter(|rest| rest.starts_with([':', ' '])).map_or(format!(": {why}"), str::to_owned);
            let name = shown(&row.estimator, NAME);
            match failures.iter_mut().find(|(_, other)| *other == said) {
                Some((names, _)) => names.push(name),
                None => failures.push((vec![name], said)),
            }
        }
        let each = |(names, said): (Vec<String>, String)| {
            let several = if names.len() > 1 && said.starts_with(' ') { ": each" } else { "" };
            format!("{}{several}{said}", listed(&names))
        };
        failures.into_iter().map(each).collect()
    }

    /// What the marks and the columns mean.
    fn legend(&self) -> String {
        let m = self.ranking();
        let (best, difference) = match self.best() {
            Some(_) => ("* best by ", "; difference: to the best row, with its 95% interval by the held-out rows"),
            None => ("", ""),
        };
        let mut said = format!(
            "{best}{}: {}. ±: one standard error by the held-out rows of {} folds{difference}.",
            m.heading(),
            m.meaning(),
            self.folds
        );
        said.push_str(&self.test_legend());
        if self.any_not_tuned() {
            said.push_str(&format!(
                " {NOT_TUNED}: scored at starting values or on fewer rows; the model of all rows may have other settings."
            ));
        }
        if self.rows_differ() {
            said.push_str(" rows used: by the fits that were scored, and by the model where it used others.");
        }
        if self.entries.iter().any(|r| r.fitted() && !r.converged) {
            said.push_str(" !: did not converge.");
        }
        said
    }
}

impl Row {
    /// What was settled besides a common kernel, under the name of the estimator where it does not begin with it.
    fn settled_line(&self, common: Option<&str>) -> String {
        let bare = self.estimator.split('(').next().unwrap_or_default();
        let settled = self.readable_beside(common);
        if settled.starts_with(bare) { settled.to_owned() } else { format!("{}: {settled}", shown(&self.estimator, NAME)) }
    }

    /// A sentence on a fit that did not converge.
    pub(super) fn unfinished(&self) -> Option<String> {
        (self.fitted() && !self.converged).then(|| {
            let proof = match &self.certificate {
                Some(c) if c.value <= c.tolerance && self.status.unconverged > 0 => {
                    format!(": {} of its folds; the fit to all rows met its tolerance", self.status.unconverged)
                }
                Some(c) => format!(": {} {}, tolerance {}", c.name, power(c.value, 1), power(c.tolerance, 1)),
                None => String::new(),
            };
            format!("{}{proof}", shown(&self.estimator, 60))
        })
    }
}

/// A class in a list of numbers, quoted where it looks like one of them.
fn class(name: &str) -> String {
    let name = shown(name, NAME);
    if name.parse::<f64>().is_ok() { format!("'{name}'") } else { name }
}

/// The table, and how many columns it had to leave out.
pub(super) fn within(mut columns: Vec<Column>, width: usize) -> (String, usize) {
    let all = columns.len();
    loop {
        let mut table = laid_out(&columns);
        let takes: usize = table.column_max_content_widths().iter().map(|w| usize::from(*w) + 2).sum();
        if takes <= width || columns.len() <= 2 {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(u16::try_from(width).unwrap_or(u16::MAX));
            return (table.trim_fmt(), all - columns.len());
        }
        columns.pop();
    }
}

fn laid_out(columns: &[Column]) -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─')));
    table.set_header(columns.iter().map(|c| Cell::new(&c.heading)));
    for i in 0..columns.first().map_or(0, |c| c.cells.len()) {
        table.add_row(columns.iter().map(|c| Cell::new(c.cells.get(i).map_or(UNKNOWN, String::as_str))));
    }
    for (column, Column { align, .. }) in table.column_iter_mut().zip(columns) {
        column.set_padding((0, 2)).set_cell_alignment(*align);
    }
    table
}
