//! The comparison as one HTML page that needs nothing else: no script, no font, no request.

use super::explain::answers_by;
use super::terms::{AgainstBest, NOT_TUNED};
use super::words::{
    UNKNOWN, brief, count, counted, difference, digits, digits_of_differences, error_of, listed, percentage, score, seconds, shown,
};
use super::{Comparison, Estimate, Metric, Row, figures};
use crate::error::Result;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Longest name on the page, in characters.
const NAME: usize = 80;

impl Comparison {
    /// The page. Errors where a picture's lists do not fit each other.
    pub fn html(&self) -> Result<String> {
        let title = format!("Comparison of estimators on {}", shown(&self.table, NAME));
        let content = html! {
            p.verdict { (unbroken(&self.headline())) }
            p { (unbroken(&self.beside_the_best().join(" "))) }
            @if !self.facts.is_empty() { ul.facts { @for fact in &self.facts { li { (shown(fact, 4000)) } } } }
            p.setting { @for part in self.setting() { span { (part) } " " } }
            p.setting { "kernel " code { (shown(&self.kernel, 4000)) } }
            (self.results())
            @let standings = self.standings();
            @if !standings.is_empty() { ul { @for line in &standings { li { (shown(line, 4000)) } } } }
            (folded("What the columns mean", &self.explanation()))
            (self.recall())
            (self.each_target())
            (sentences("Which to take", &self.recommendation()))
            (self.pictures()?)
            @if let Some(row) = self.best() { (answers_by(&row.estimator, &row.influences)) }
            (folded("Every metric", &self.every_metric()))
            (folded("What kind of method each is", &self.kinds_of_methods()))
            (sentences("What was done to the columns", &self.columns))
            (sentences("Notices", &self.remarks()))
            (folded("What the searches learnt", &list(&self.details)))
            h2 { "To make this page again" }
            pre { code { (shown(&self.command, 4000)) } }
        };
        Ok(page(&title, content))
    }

    pub(super) fn results(&self) -> Markup {
        let metrics = self.with_digits(self.shown_metrics());
        let apart = digits_of_differences(self.entries.iter().filter_map(|r| r.difference));
        let (common, of_all) = self.common_kernel().unzip();
        html! {
            div.scroll tabindex="0" role="region" aria-label="Results, one row per estimator" {
                table {
                    thead { tr {
                        th scope="col" { "estimator" }
                        @for (k, (m, _)) in metrics.iter().enumerate() {
                            th scope="col" { (m.heading()) }
                            @if k == 0 { th scope="col" { "difference" } @if self.test.is_some() { th scope="col" { "test" } } }
                        }
                        @if self.rows_differ() { th scope="col" { "rows used" } }
                        th scope="col" { "rows kept" }
                        th scope="col" { "fit" }
                        th scope="col" { "predict a row" }
                    } }
                    tbody { @for row in &self.entries { (line(row, common, self, &metrics, apart)) } }
                }
            }
            @if self.test.is_some() { p { (self.test_legend().trim_start()) } }
            @if let Some(of_all) = of_all { p.setting { "Chosen " (shown(&of_all, 4000)) } }
        }
    }

    /// Metrics with the digits that their column needs.
    fn with_digits(&self, metrics: Vec<Metric>) -> Vec<(Metric, usize)> {
        metrics.into_iter().map(|m| (m, digits(self.entries.iter().filter_map(|r| r.metric(m))))).collect()
    }

    /// What kind of method each estimator is, one row each.
    fn kinds_of_methods(&self) -> Markup {
        let rows = self.methods();
        html! {
            @if let Some((headings, rows)) = rows.split_first() {
                div.scroll tabindex="0" role="region" aria-label="Kinds of methods, one row per estimator" {
                    table.close {
                        thead { tr { @for heading in headings { th scope="col" { (heading.trim()) } } } }
                        tbody { @for row in rows { tr {
                            @for (k, cell) in row.iter().enumerate() {
                                @if k == 0 { th scope="row" { (cell.trim_start_matches(['*', ' '])) } } @else { td { (cell) } }
                            }
                        } } }
                    }
                }
                p { (Self::METHODS_LEGEND) }
            }
        }
    }

    /// Every metric, one row per estimator, where the results show a part of them.
    fn every_metric(&self) -> Markup {
        let metrics = self.with_digits(self.metrics());
        let judged: Vec<&Row> = self.entries.iter().filter(|r| !r.metrics.is_empty()).collect();
        html! {
            @if metrics.len() > self.shown_metrics().len() && !judged.is_empty() {
                div.scroll tabindex="0" role="region" aria-label="Every metric, one row per estimator" {
                    table.close {
                        thead { tr { th scope="col" { "estimator" } @for (m, _) in &metrics { th scope="col" { (m.heading()) } } } }
                        tbody { @for row in judged {
                            tr.best[row.best] {
                                th scope="row" { (shown(&row.estimator, 40)) }
                                @for (k, (m, d)) in metrics.iter().enumerate() { td.rank[k == 0] { (stacked(*m, row.metric(*m), *d)) } }
                            }
                        } }
                    }
                }
            }
        }
    }

    /// The recall of each class by each estimator, where one class is far rarer than another: the rarest classes first.
    fn recall(&self) -> Markup {
        // Classes and estimators whose recall stands on the page.
        const RECALL_ROWS: usize = 30;
        const RECALL_COLUMNS: usize = 8;
        let classes = self.classes();
        let mut order: Vec<usize> = (0..classes.len()).filter(|&k| self.class_rows.get(k).is_some_and(|n| *n > 0)).collect();
        order.sort_by_key(|&k| self.class_rows[k]);
        let judged: Vec<&Row> = self.entries.iter().filter(|r| !r.recalls.is_empty()).take(RECALL_COLUMNS).collect();
        html! {
            @if self.imbalanced() && !judged.is_empty() {
                h2 { "Recall of each class" }
                p { "Share of the held-out rows of each class that is predicted correctly." }
                div.scroll tabindex="0" role="region" aria-label="Recall, one row per class" {
                    table.close {
                        thead { tr {
                            th scope="col" { "class" }
                            th scope="col" { "rows" }
                            @for row in &judged { th scope="col" { (shown(&row.estimator, 24)) } }
                        } }
                        tbody { @for &k in order.iter().take(RECALL_ROWS) {
                            tr {
                                th scope="row" { (shown(&classes[k], 40)) }
                                td { (count(self.class_rows[k])) }
                                @for row in &judged { td { (row.recalls.get(k).copied().flatten().map_or(UNKNOWN.into(), percentage)) } }
                            }
                        } }
                    }
                }
                @if order.len() > RECALL_ROWS { p { "In the JSON document: " (counted(order.len() - RECALL_ROWS, "more class")) " with more rows." } }
            }
        }
    }

    /// The error of each of several targets by each estimator.
    fn each_target(&self) -> Markup {
        let judged: Vec<&Row> = self.entries.iter().filter(|r| !r.by_target.is_empty()).collect();
        html! {
            @if !judged.is_empty() {
                h2 { "Error of each target" }
                p { "Root mean squared error of held-out rows in the unit of the target, and below it the share of its variance that is explained. Figures are of the first target." }
                div.scroll tabindex="0" role="region" aria-label="Error, one row per estimator" {
                    table.close {
                        thead { tr {
                            th scope="col" { "estimator" }
                            @for name in self.targets() { th scope="col" { (shown(name, 24)) } }
                        } }
                        tbody { @for row in &judged { tr.best[row.best] {
                            th scope="row" { (shown(&row.estimator, 40)) }
                            @for score in &row.by_target { td { (brief(score.rmse)) br; "R² " (brief(score.r2)) } }
                        } } }
                    }
                }
            }
        }
    }

    fn explanation(&self) -> Markup {
        html! {
            dl {
                @for m in self.metrics() { dt { (m.heading()) } dd { (m.meaning()) } }
                dt { "±" }
                dd { "one standard error by the held-out rows of " (self.folds) " folds; every score is of held-out rows" }
                dt { "difference" }
                dd { "to the best row on the same held-out rows, with its 95% interval in brackets (percentage points of shares); the interval allows for the choice of the best among several; where it holds 0, the rows do not tell the two apart" }
                @if self.any_not_tuned() {
                    dt { (NOT_TUNED) }
                    dd { "scored at the starting values or on fewer rows, and not compared; the model of all rows may have other settings" }
                }
                @if self.rows_differ() {
                    dt { "rows used" }
                    dd { "by the fits that were scored, and by the model where it used others" }
                }
                dt { "rows kept" }
                dd { "training rows that predictions need, or landmarks of the kernel; fewer is smaller and faster. Where features have weights, these are kept and no row" }
            }
        }
    }

    fn pictures(&self) -> Result<Markup> {
        let mut all = Vec::new();
        for row in self.entries.iter().filter(|r| r.failure.is_none() && !r.pictures.is_empty()) {
            all.push((row, pictures(row)?));
        }
        Ok(html! {
            @if !all.is_empty() {
                h2 { "Figures" }
                @for (k, (row, drawn)) in all.iter().enumerate() {
                    // The best one stands open, all others are there for who asks.
                    details open[k == 0] {
                        summary { (shown(&row.estimator, NAME)) @if row.best { span.tag { "best" } } }
                        (drawn)
                    }
                }
            }
        })
    }

    /// The notices, and those that follow from the rows.
    fn remarks(&self) -> Vec<String> {
        let unfinished: Vec<String> = self.entries.iter().filter_map(Row::unfinished).collect();
        let mut all = self.notices.clone();
        if !unfinished.is_empty() {
            all.push(format!("Did not converge: {}.", listed(&unfinished)));
        }
        all
    }
}

/// The pictures of a fit, each with its title and its sentence.
pub(super) fn pictures(row: &Row) -> Result<Markup> {
    let drawn = row.pictures.iter().map(|p| Ok((p.title(), p.svg(row)?, p.sentence(row)))).collect::<Result<Vec<_>>>()?;
    Ok(html! {
        div.pictures {
            @for (title, svg, said) in drawn {
                figure {
                    h4 { (title) }
                    (PreEscaped(svg))
                    figcaption { (unbroken(&said)) }
                }
            }
        }
    })
}

/// A page that needs nothing else.
pub(super) fn page(title: &str, content: Markup) -> String {
    const STYLE: &str = include_str!("page.css");
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) (PreEscaped(figures::style())) }
            }
            body { main { h1 { (title) } (content) } }
        }
    }
    .into_string()
}

fn line(row: &Row, common: Option<&str>, comparison: &Comparison, metrics: &[(Metric, usize)], apart: usize) -> Markup {
    let (how, rows_differ, is_tested) = (comparison.against_best(row), comparison.rows_differ(), comparison.test.is_some());
    let name = row.named(NAME);
    let settled = row.readable_beside(common);
    html! {
        tr.best[row.best].untuned[how == AgainstBest::NotTuned] {
            th scope="row" {
                (name)
                @if row.best { span.tag { "best" } }
                @if !settled.is_empty() && settled != row.estimator { code { (shown(settled, 4000)) } }
            }
            @if let Some(why) = &row.failure {
                td.reason colspan=(metrics.len() + 4 + usize::from(rows_differ) + usize::from(is_tested)) { div { (row.without_results()) ": " (shown(why, 4000)) } }
            } @else {
                @for (k, (m, d)) in metrics.iter().enumerate() {
                    td.rank[k == 0] { (stacked(*m, row.metric(*m), *d)) }
                    @if k == 0 {
                        td { @match how {
                            AgainstBest::Best => span.quiet { (UNKNOWN) },
                            AgainstBest::NotTuned => span.quiet { (NOT_TUNED) },
                            _ => (apart_from_best(*m, row, apart)),
                        } }
                        @if is_tested { td { (stacked(*m, row.test, *d)) } }
                    }
                }
                @if rows_differ { td { (row.rows_used()) } }
                td { @if row.fitted() { (row.kept()) } @else { (UNKNOWN) } }
                td {
                    (seconds(row.fit_seconds))
                    @if row.fitted() && !row.converged { br; span.quiet { "not converged" } }
                }
                td { (seconds(row.predict_us_per_row * 1e-6)) }
            }
        }
    }
}

/// A mean with its error under it, so that the columns stay narrow.
fn stacked(metric: Metric, value: Option<Estimate>, digits: usize) -> Markup {
    match value {
        Some(e) if e.mean.is_finite() => html! {
            (score(metric, e.mean, digits))
            @if let Some(error) = error_of(metric, e, digits) { br; span.se { "± " (error) } }
        },
        _ => html! { span.quiet { (UNKNOWN) } },
    }
}

/// A difference with its interval under it.
fn apart_from_best(metric: Metric, row: &Row, digits: usize) -> Markup {
    let Some(found) = row.difference else { return html! { span.quiet { (UNKNOWN) } } };
    let said = difference(metric, found, digits);
    match said.split_once(" (").filter(|_| !found.tied) {
        Some((mean, interval)) => html! { (mean) br; span.se { "(" (interval) } },
        None => html! { (said) },
    }
}

/// What is there for who asks: a heading that opens it. Nothing of nothing.
fn folded(title: &str, content: &Markup) -> Markup {
    html! { @if !content.0.is_empty() { details { summary { (title) } (content) } } }
}

fn list(all: &[String]) -> Markup {
    html! { @if !all.is_empty() { ul { @for sentence in all { li { (shown(sentence, 4000)) } } } } }
}

/// A sentence whose errors stay with their sign at the end of a line.
fn unbroken(sentence: &str) -> String {
    sentence.replace("± ", "±\u{a0}")
}

fn sentences(title: &str, all: &[String]) -> Markup {
    html! {
        @if !all.is_empty() {
            h2 { (title) }
            (list(all))
        }
    }
}
