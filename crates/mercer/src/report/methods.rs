//! What kind of method each estimator was on these rows, and which to take for what: Table 14.1 and 14.6 of Murphy (2012), measured.

use super::words::{UNKNOWN, brief, counted, listed, seconds, shown};
use super::{Comparison, Estimate, Metric, Row};
use crate::compare::{SAME, Scored, Starts};
use crate::estimators::{Fitted, Needs, Scores, catalogue};
use crate::store;
use serde::Serialize;

/// Characters of an estimator's name.
const NAME: usize = 24;
/// Standard errors that two values of one metric may differ by within noise.
const ERRORS: f64 = 2.0;

/// What kind of method a fit was by.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Method {
    /// Whether two starts end in the same place; `None` where that could not be tried.
    pub starts: Option<Starts>,
    /// What chose its parameters and those of the kernel; `None` where all were given.
    pub chosen_by: Option<String>,
    /// Training rows that prediction needs, as a share of those that were learnt from.
    pub kept: f64,
    /// How several classes are told apart; `None` of numbers.
    pub several_classes: Option<&'static str>,
    /// Whether the similarity must be positive semi-definite.
    pub needs_mercer: bool,
    /// Whether it looks at an input at all.
    pub looks: bool,
    /// Bytes of the model file.
    pub model_bytes: usize,
}

impl Method {
    /// Of an estimator that was fitted to all rows.
    pub(super) fn of(scored: &Scored, classes: bool) -> Option<Method> {
        let model = scored.model.as_ref()?;
        let entry = catalogue().into_iter().find(|e| e.name == model.estimator.name())?;
        Some(Method {
            starts: scored.starts,
            chosen_by: model.about.tuning.as_ref().map(|t| t.criterion.clone()),
            kept: model.fitted.support().len() as f64 / model.about.rows.max(1) as f64,
            several_classes: classes.then_some(match entry.gives.scores {
                Scores::Pairs => "by pairs",
                _ => "natively",
            }),
            needs_mercer: entry.needs == Needs::MercerKernel,
            looks: entry.needs != Needs::Nothing,
            model_bytes: store::to_bytes(model).map_or(0, |bytes| bytes.len()),
        })
    }

    /// `closed form`, `yes (3e-9)`, `no (0.2)`.
    fn convex(&self) -> String {
        match self.starts {
            None => UNKNOWN.into(),
            Some(Starts::ClosedForm) => "closed form".into(),
            Some(Starts::Apart(share)) => format!("{} ({share:.0e})", if share <= SAME { "yes" } else { "no" }),
        }
    }

    fn chosen(&self) -> String {
        match self.chosen_by.as_deref() {
            None => "given".into(),
            Some(by) if by.contains("leave-one-out") => "leave-one-out".into(),
            Some(by) if by.contains("evidence") => "evidence".into(),
            Some(_) => "held-out rows".into(),
        }
    }
}

/// `812 B`, `12 kB`, `3.4 MB`.
fn bytes(n: usize) -> String {
    match n as f64 {
        n if n < 1e3 => format!("{n} B"),
        n if n < 1e6 => format!("{:.0} kB", n / 1e3),
        n => format!("{:.1} MB", n / 1e6),
    }
}

impl Comparison {
    /// The headings and cells of the table of methods, one row for each estimator that was fitted to all rows; empty where
    /// nothing is known of any.
    pub(super) fn methods(&self) -> Vec<Vec<String>> {
        let known: Vec<(&Row, &Method)> = self.entries.iter().filter_map(|r| Some((r, r.method.as_ref()?))).collect();
        if known.is_empty() {
            return Vec::new();
        }
        let of_classes = !self.classes().is_empty();
        let mut headings = vec!["  method", "convex", "chosen by", "kept"];
        if of_classes {
            headings.extend(["log loss", "Brier", "ECE", "classes"]);
        }
        headings.extend(["Mercer", "model"]);
        let mut out = vec![headings.into_iter().map(str::to_owned).collect::<Vec<_>>()];
        for (row, method) in known {
            let value = |m: Metric| row.metric(m).map_or(UNKNOWN.into(), |e| brief(e.mean));
            let mut cells = vec![
                format!("{} {}", if row.best { "*" } else { " " }, shown(&row.estimator, NAME)),
                method.convex(),
                method.chosen(),
                if method.looks { format!("{:.0}%", 100.0 * method.kept) } else { UNKNOWN.into() },
            ];
            if of_classes {
                cells.extend([value(Metric::LogLoss), value(Metric::Brier), value(Metric::CalibrationError)]);
                cells.push(method.several_classes.unwrap_or(UNKNOWN).into());
            }
            cells.extend([if method.needs_mercer { "needed" } else { "any" }.into(), bytes(method.model_bytes)]);
            out.push(cells);
        }
        out
    }

    /// What the table of methods means.
    pub(super) const METHODS_LEGEND: &str = "convex: whether fits from two starts end in the same predictions, on 300 rows at most, and \
         by how much they differ; kept: training rows that predictions need; ECE: calibration error; classes: how several are told apart; \
         Mercer: whether the kernel must be positive semi-definite; model: size of its file.";

    /// Which estimator to take for what, each with the numbers that say so.
    pub fn recommendation(&self) -> Vec<String> {
        let fitted: Vec<(&Row, &Method)> = self
            .entries
            .iter()
            .filter(|r| r.fitted() && r.converged)
            .filter_map(|r| Some((r, r.method.as_ref().filter(|m| m.looks)?)))
            .collect();
        let Some(best) = self.best().filter(|b| fitted.iter().any(|(r, _)| std::ptr::eq(*r, *b))) else { return Vec::new() };
        let name = |r: &Row| shown(&r.estimator, NAME);
        let ranking = self.ranking();
        let told = |r: &Row, m: Metric| r.metric(m).map_or(UNKNOWN.into(), |e| format!("{} {}", m.heading(), plus_minus(e)));
        let near = |r: &Row| std::ptr::eq(r, best) || r.difference.is_some_and(|d| d.within_noise());
        let cost = |r: &Row| match near(r) {
            true if std::ptr::eq(r, best) => "it is also the best".to_owned(),
            true => format!("within noise of the best by {}", ranking.heading()),
            false => format!("at a price: {} against {}", told(r, ranking), told(best, ranking)),
        };
        let mut out = Vec::new();
        let others: Vec<String> = fitted.iter().filter(|(r, _)| !std::ptr::eq(*r, best) && near(r)).map(|(r, _)| name(r)).collect();
        let same = match others.as_slice() {
            [] => String::new(),
            names => format!(
                "; {} within noise of it: choose among them by what follows",
                listed(names) + if names.len() == 1 { " is" } else { " are" }
            ),
        };
        out.push(format!("to predict best: {} ({}){same}", name(best), told(best, ranking)));
        if !self.classes().is_empty() {
            out.push(self.for_probabilities(&fitted));
        }
        let least = |value: &dyn Fn(&Row, &Method) -> f64| {
            fitted.iter().filter(|(r, m)| value(r, m).is_finite()).min_by(|a, b| value(a.0, a.1).total_cmp(&value(b.0, b.1))).copied()
        };
        if let Some((row, _)) = least(&|r, _| r.predict_us_per_row) {
            let time = |r: &Row| seconds(r.predict_us_per_row * 1e-6);
            let against = if std::ptr::eq(row, best) { String::new() } else { format!(", {} takes {}", name(best), time(best)) };
            out.push(format!("for fast predictions: {} ({} a row{against}), {}", name(row), time(row), cost(row)));
        }
        if let Some((row, method)) = least(&|_, m| m.kept) {
            out.push(match method.kept < 0.9 {
                true => format!(
                    "for a small model: {} keeps {} ({:.0}%), {}",
                    name(row),
                    counted(row.support, "row"),
                    100.0 * method.kept,
                    cost(row)
                ),
                false => "for a small model: none of these; every one keeps nearly all rows".into(),
            });
        }
        let loss = |r: &Row| r.metric(ranking).map_or(f64::INFINITY, |e| if ranking.rises() { -e.mean } else { e.mean });
        if let Some((row, _)) = least(&|r, m| if m.needs_mercer { f64::INFINITY } else { loss(r) }) {
            out.push(format!(
                "for similarities that are not positive semi-definite: {} ({}), {}",
                name(row),
                told(row, ranking),
                cost(row)
            ));
        }
        out
    }

    fn for_probabilities(&self, fitted: &[(&Row, &Method)]) -> String {
        let mut with: Vec<(&Row, Estimate)> = fitted.iter().filter_map(|(r, _)| Some((*r, r.metric(Metric::LogLoss)?))).collect();
        with.sort_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
        let Some((row, least)) = with.first() else {
            return "for calibrated probabilities: none of these has any as asked; add --probabilities, or write svc(probabilities=true)"
                .into();
        };
        let name = |r: &Row| shown(&r.estimator, NAME);
        let noise = |e: &Estimate| ERRORS * (e.se.powi(2) + least.se.powi(2)).sqrt();
        let near: Vec<String> = with[1..].iter().filter(|(_, e)| e.mean - least.mean <= noise(e)).map(|(r, _)| name(r)).collect();
        let error = row.metric(Metric::CalibrationError).map_or(String::new(), |e| format!(", calibration error {}", brief(e.mean)));
        let same = if near.is_empty() {
            String::new()
        } else {
            format!("; {} no worse than noise", listed(&near) + if near.len() == 1 { " is" } else { " are" })
        };
        format!("for calibrated probabilities: {} (log loss {}{error}){same}", name(row), plus_minus(*least))
    }
}

fn plus_minus(e: Estimate) -> String {
    if e.se.is_finite() { format!("{} ± {}", brief(e.mean), brief(e.se)) } else { brief(e.mean) }
}
