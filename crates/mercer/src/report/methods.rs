//! What kind of method each estimator was on these rows, and which to take for what: Table 14.1 and 14.6 of Murphy (2012), measured.

use super::gather::rows_kept;
use super::verdict::achievement;
use super::words::{UNKNOWN, brief, listed, percentage, power, seconds, shown};
use super::{Comparison, Estimate, Metric, Row};
use crate::compare::{SAME, Scored, Starts};
use crate::estimators::{CriterionSort, Needs, Scores};
use crate::metrics::Better;
use crate::select::TunedBy;
use crate::store;
use serde::{Serialize, Serializer};

/// Characters of an estimator's name.
const NAME: usize = 24;

/// What kind of method a fit was by.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Method {
    /// Whether two starts end in the same place; `None` where that could not be tried.
    pub starts: Option<Starts>,
    /// What chose its parameters and those of the kernel; `None` where all were given.
    #[serde(serialize_with = "in_words")]
    pub chosen_by: Option<TunedBy>,
    /// Training rows that prediction needs, as a share of those that were learnt from.
    pub kept: f64,
    /// How several classes are handled; `None` for regression.
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
        let needs = model.estimator.needs();
        Some(Method {
            starts: scored.starts,
            chosen_by: model.about.tuning.as_ref().map(|t| t.criterion.clone()),
            kept: rows_kept(model) as f64 / model.about.rows.max(1) as f64,
            several_classes: classes.then_some(match model.estimator.gives().scores {
                Scores::Pairs => "one-vs-one",
                _ => "direct",
            }),
            needs_mercer: needs == Needs::MercerKernel,
            looks: needs != Needs::Nothing,
            model_bytes: store::to_bytes(model).map_or(0, |bytes| bytes.len()),
        })
    }

    /// `closed form`, `yes (3e-9)`, `no (0.2)`; unknown where there is one start alone.
    fn unique(&self) -> String {
        match self.starts {
            None | Some(Starts::Fixed) => UNKNOWN.into(),
            Some(Starts::ClosedForm) => "closed form".into(),
            Some(Starts::Apart(share)) => format!("{} ({})", if share <= SAME { "yes" } else { "no" }, power(share, 0)),
        }
    }

    fn chosen(&self) -> &'static str {
        match &self.chosen_by {
            None => "not tuned",
            Some(TunedBy::OfEstimator { sort: CriterionSort::LeaveOneOut, .. }) => "leave-one-out",
            Some(TunedBy::OfEstimator { sort: CriterionSort::Evidence, .. }) => "evidence",
            Some(_) => "cross-validation",
        }
    }
}

fn in_words<S: Serializer>(chosen_by: &Option<TunedBy>, serializer: S) -> Result<S::Ok, S::Error> {
    chosen_by.as_ref().map(ToString::to_string).serialize(serializer)
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
        let mut headings = vec!["  method", "unique", "tuned by", "kept"];
        if of_classes {
            headings.extend(["log loss", "Brier", "ECE", "multi-class"]);
        }
        headings.extend(["needs a valid kernel", "model"]);
        let mut out = vec![headings.into_iter().map(str::to_owned).collect::<Vec<_>>()];
        for (row, method) in known {
            let value = |m: Metric| row.metric(m).map_or(UNKNOWN.into(), |e| if m.is_share() { percentage(e.mean) } else { brief(e.mean) });
            let mut cells = vec![
                format!("{} {}", if row.best { "*" } else { " " }, shown(&row.estimator, NAME)),
                method.unique(),
                method.chosen().into(),
                if method.looks { format!("{:.0}%", 100.0 * method.kept) } else { UNKNOWN.into() },
            ];
            if of_classes {
                cells.extend([value(Metric::LogLoss), value(Metric::Brier), value(Metric::CalibrationError)]);
                cells.push(method.several_classes.unwrap_or(UNKNOWN).into());
            }
            cells.extend([if method.needs_mercer { "yes" } else { "no" }.into(), bytes(method.model_bytes)]);
            out.push(cells);
        }
        out
    }

    /// What the table of methods means.
    pub(super) const METHODS_LEGEND: &str = "unique: do two starts give the same model? (largest difference; 300 rows at most; -: the \
         method has one start, or two could not be tried); kept: training rows that predictions need; ECE: calibration error; needs a \
         valid kernel: one that is positive semi-definite; model: size of its file.";

    /// Which estimator to take for what, where there is a choice: rows on equal terms that keep nearly all that the best one gains
    /// over a guess; for speed and size only where the best one is slow or large.
    pub fn recommendation(&self) -> Vec<String> {
        // Microseconds a row from which predictions are slow: a million rows take ten seconds.
        const SLOW: f64 = 10.0;
        // Bytes from which a model is large.
        const LARGE: usize = 1_000_000;
        // Times faster or smaller that are worth another estimator.
        const WORTH: f64 = 3.0;
        let taken: Vec<(&Row, &Method)> =
            self.entries.iter().filter(|r| self.may_be_taken(r)).filter_map(|r| Some((r, r.method.as_ref()?))).collect();
        let best = self.best().filter(|b| self.judged().count() > 1 && taken.iter().any(|(r, _)| std::ptr::eq(*r, *b)));
        let Some((best, method)) = best.and_then(|b| Some((b, b.method.as_ref()?))) else { return Vec::new() };
        let name = |r: &Row| shown(&r.estimator, NAME);
        let reached =
            |r: &Row| r.metric(self.ranking()).map_or(UNKNOWN.into(), |e| achievement(self.ranking(), e, |v| self.ranking().achieved(v)));
        let instead = |r: &Row| format!("{} instead of {}", reached(r), reached(best));
        let mut out = vec![format!("best predictions: {}, {}", name(best), reached(best))];
        if !self.classes().is_empty() {
            out.extend(self.for_probabilities());
        } else {
            out.extend(self.for_intervals());
        }
        let least = |value: &dyn Fn(&Row, &Method) -> f64| {
            taken.iter().filter(|(r, m)| value(r, m).is_finite()).min_by(|a, b| value(a.0, a.1).total_cmp(&value(b.0, b.1))).copied()
        };
        let time = |r: &Row| seconds(r.predict_us_per_row * 1e-6);
        if let Some((fast, _)) = least(&|r, _| r.predict_us_per_row)
            && best.predict_us_per_row >= SLOW
            && fast.predict_us_per_row * WORTH <= best.predict_us_per_row
        {
            out.push(format!("fast predictions: {} ({} a row instead of {}), {}", name(fast), time(fast), time(best), instead(fast)));
        }
        if let Some((row, small)) = least(&|_, m| m.model_bytes as f64)
            && method.model_bytes >= LARGE
            && small.model_bytes as f64 * WORTH <= method.model_bytes as f64
        {
            let sizes = format!("{} instead of {}", bytes(small.model_bytes), bytes(method.model_bytes));
            out.push(format!("small model: {} ({sizes}), {}", name(row), instead(row)));
        }
        out
    }

    /// The lowest negative log density of the methods whose 95% intervals hold as many held-out values as they should, within two standard
    /// errors; of those whose intervals hold too few, that they do.
    fn for_intervals(&self) -> Option<String> {
        let of = |r: &Row| Some((r.metric(Metric::Nlpd).filter(|e| e.mean.is_finite())?, r.metric(Metric::Coverage)?.mean));
        let mut with: Vec<(&Row, Estimate, f64)> =
            self.judged().filter_map(|r| of(r).map(|(density, share)| (r, density, share))).collect();
        with.sort_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
        let Better::Near(level) = Metric::Coverage.better() else { return None };
        let least = level - 2.0 * (level * (1.0 - level) / self.rows.max(1) as f64).sqrt();
        let said = |(r, density, share): &(&Row, Estimate, f64)| {
            let of = format!("95% intervals hold {} of held-out values, NLPD {}", percentage(*share), plus_minus(*density));
            format!("{} ({of})", shown(&r.estimator, NAME))
        };
        let (hold, short): (Vec<_>, Vec<_>) = with.iter().partition(|(.., share)| *share >= least);
        let few: Vec<String> =
            short.iter().map(|(r, _, share)| format!("{} ({})", shown(&r.estimator, NAME), percentage(*share))).collect();
        match hold.first() {
            Some(best) if few.is_empty() => Some(format!("uncertainty: {}", said(best))),
            Some(best) => Some(format!("uncertainty: {}; too narrow: {}", said(best), listed(&few))),
            None if few.is_empty() => None,
            None => Some(format!("uncertainty: all intervals are too narrow: {}", listed(&few))),
        }
    }

    /// The lowest log loss of all methods that were compared, however many rows they get wrong, and what is not distinguishable from it.
    fn for_probabilities(&self) -> Option<String> {
        let compared = self.entries.iter().filter(|r| self.is_compared(r));
        let mut with: Vec<(&Row, Estimate)> =
            compared.filter_map(|r| Some((r, r.metric(Metric::LogLoss).filter(|e| e.mean.is_finite())?))).collect();
        with.sort_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
        let Some((row, least)) = with.first() else {
            let any = self.judged().any(|r| r.metric(Metric::LogLoss).is_some());
            return (!any).then(|| "probabilities: none of these gives any; add --probabilities".into());
        };
        let error = row.metric(Metric::CalibrationError);
        let error = error.map_or(String::new(), |e| format!(", calibration error {}", percentage(e.mean)));
        let near = with[1..].iter().filter(|(r, _)| r.log_loss_difference.is_some_and(|d| !d.is_significant()));
        let near: Vec<String> = near.map(|(r, _)| shown(&r.estimator, NAME)).collect();
        let same = if near.is_empty() { String::new() } else { format!("; not distinguishable: {}", listed(&near)) };
        Some(format!("probabilities: {} (log loss {}{error}){same}", shown(&row.estimator, NAME), plus_minus(*least)))
    }
}

fn plus_minus(e: Estimate) -> String {
    if e.se.is_finite() && e.se > 0.0 { format!("{} ± {}", brief(e.mean), brief(e.se)) } else { brief(e.mean) }
}
