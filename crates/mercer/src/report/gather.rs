//! From the outcome of a comparison or of a fit to what is said about it.

use super::tuning::{Finding, Kind};
use super::words::{brief_estimator, brief_kernel};
use super::{Comparison, Method, Picture, Row, Task, WITH, explain, pictures, tuning};
use crate::compare::{Comparing, Outcome, Scored};
use crate::control::{Control, contain};
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::estimators::{Fitted, FittedModel, Predicted};
use crate::kernels::KernelExpr;
use crate::learner::Model;
use crate::linalg::Matrix;
use crate::metrics::{self, TargetScore};
use crate::notice::Notice;
use crate::read::TargetInfo;
use std::fmt::Display;

/// Seconds that the pictures of a report may take although the time is spent.
const PICTURES: f64 = 1.0;

/// What a comparison was asked about, besides its outcome.
pub struct Request<'a> {
    /// The command that repeats it.
    pub command: String,
    /// The table as the user named it.
    pub table: String,
    /// Its rows without the target, as read.
    pub data: &'a Dataset,
    /// The target.
    pub target: &'a Target,
    /// Names of target and classes.
    pub info: &'a TargetInfo,
    /// What was compared, and how.
    pub comparing: &'a Comparing,
    /// Weights of the rows.
    pub weights: Option<&'a [f64]>,
    /// Facts about rows and target ([`crate::facts::facts`]).
    pub facts: Vec<String>,
    /// Columns each of which alone gives the target away ([`crate::facts::Fact::leaks`]).
    pub leaks: Vec<String>,
    /// What reading the table gave notice of.
    pub read_notices: &'a [String],
}

impl Comparison {
    /// Everything that is to be said about an outcome. Its pictures are computed within `control`, and in a second where no
    /// time is left.
    pub fn of(outcome: &Outcome, request: &Request<'_>, control: &Control) -> Result<Comparison> {
        let task = match &request.info.classes {
            Some(classes) => Task::Classification { classes: classes.clone() },
            None => Task::Regression { targets: request.info.names.clone() },
        };
        let control = control.at_least(PICTURES);
        let mut notices: Vec<String> = request.read_notices.iter().cloned().chain(outcome.notices.iter().map(Notice::to_string)).collect();
        let entries = ranked(outcome)
            .into_iter()
            .map(|i| row(&outcome.rows[i], outcome.best == Some(i), request, &mut notices, &control))
            .collect::<Result<_>>()?;
        notices.extend(fit_notices(outcome));
        notices.extend(search_notices(outcome));
        let details = outcome.rows.iter().flat_map(search_details).collect();
        let class_rows = class_rows(request.target);
        Ok(Comparison {
            command: request.command.clone(),
            table: request.table.clone(),
            rows: request.data.rows(),
            task,
            kernel: outcome.kernel.to_string(),
            folds: request.comparing.folds,
            seed: request.comparing.seed,
            columns: outcome.columns.clone(),
            facts: request.facts.clone(),
            notices,
            details,
            leaks: request.leaks.clone(),
            class_rows,
            baseline: outcome.guess,
            corrected: outcome.corrected,
            test: None,
            entries,
            trials: outcome.trials.clone(),
        })
    }
}

/// The places of the results, the best first: what was scored on every fold by its score, then what was scored on some, then what
/// has no result.
pub(super) fn ranked(outcome: &Outcome) -> Vec<usize> {
    let key = |i: &usize| {
        let r = &outcome.rows[*i];
        let part = match () {
            () if outcome.best == Some(*i) => 0,
            () if r.failure.is_some() || r.metrics.is_empty() => 3,
            () if r.status.folds < r.status.of_folds => 2,
            () => 1,
        };
        (part, r.loss())
    };
    let mut order: Vec<usize> = (0..outcome.rows.len()).collect();
    order.sort_by(|a, b| key(a).0.cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
    order
}

/// Each of what is said once, under the names of those that it is about; without names where it is about all of several.
fn by_sentence<T: PartialEq + Display>(said: Vec<(&str, T)>, all: usize) -> Vec<String> {
    let mut each: Vec<(T, Vec<&str>)> = Vec::new();
    for (name, one) in said {
        match each.iter_mut().find(|(other, _)| *other == one) {
            Some((_, names)) => names.push(name),
            None => each.push((one, vec![name])),
        }
    }
    let whole = |names: &[&str]| all > 1 && names.len() == all;
    each.iter().map(|(said, names)| if whole(names) { said.to_string() } else { format!("{}: {said}", names.join(", ")) }).collect()
}

/// What the fits to all rows gave notice of and is not said of the whole.
fn fit_notices(outcome: &Outcome) -> Vec<String> {
    let models: Vec<(String, &Model)> = outcome.rows.iter().filter_map(|r| Some((r.name(), r.model.as_ref()?))).collect();
    // The comparison says of all estimators together which of them saw a sample.
    let is_new = |n: &&Notice| !matches!(n, Notice::Sampled { .. }) && !n.is_of_steps() && !outcome.notices.contains(n);
    let said = models.iter().flat_map(|(name, model)| model.about.notices.iter().filter(is_new).map(|n| (name.as_str(), n)));
    by_sentence(said.collect(), models.len())
}

/// What the searches ask for. An estimator that is no better than a guess is not worth a longer search; what several ask for
/// at the ends of their searches is one sentence.
fn search_notices(outcome: &Outcome) -> Vec<String> {
    let mut asked_for = Vec::new();
    let mut further: Vec<(&str, Finding)> = Vec::new();
    let names: Vec<String> = outcome.rows.iter().map(Scored::name).collect();
    for (scored, name) in outcome.rows.iter().zip(&names) {
        let Some(model) = &scored.model else { continue };
        let found = tuning::notices_of(model).into_iter().filter(|f| f.asks);
        for finding in found {
            match &finding.kind {
                // The comparison says so of its own searches.
                Kind::Unfinished if !scored.status.is_searched => {}
                Kind::AtAnEnd(_) | Kind::Unfinished if is_perfect(scored) => {}
                Kind::AtAnEnd(_) if !beats_guess(scored) => {}
                Kind::AtAnEnd(Some(_)) => further.push((name, finding)),
                _ => asked_for.push((name.as_str(), finding.said)),
            }
        }
    }
    let mut out = by_sentence(asked_for, outcome.rows.len());
    match further.as_slice() {
        [] => {}
        [(name, one)] => out.push(format!("{name}: {}", one.said)),
        several => {
            let mut each: Vec<(&str, Vec<&str>)> = Vec::new();
            for (name, finding) in several {
                let Kind::AtAnEnd(Some(range)) = &finding.kind else { continue };
                match each.iter_mut().find(|(other, _)| other == name) {
                    Some((_, ranges)) => ranges.push(range),
                    None => each.push((name, vec![range])),
                }
            }
            let each: Vec<String> = each.iter().map(|(name, ranges)| format!("{name}({})", ranges.join(", "))).collect();
            let said = "some best settings are at the edge of their search; to search further, write";
            out.push(format!("{said} {}", each.join("; ")));
        }
    }
    out
}

/// Whether an estimator scores as well as can be on rows that it has not seen.
fn is_perfect(scored: &Scored) -> bool {
    scored.metrics.first().is_some_and(|(metric, e)| metric.is_perfect(e.mean))
}

/// Whether an estimator is better than a guess that looks at no input, by more than noise.
fn beats_guess(scored: &Scored) -> bool {
    let Some(((metric, _), over)) = scored.metrics.first().zip(scored.over_guess) else { return true };
    over.is_significant() && (over.mean > 0.0) == metric.rises()
}

/// Rows of each class; none where numbers are predicted.
fn class_rows(target: &Target) -> Vec<usize> {
    let Target::Classes { codes, names } = target else { return Vec::new() };
    let mut counts = vec![0; names.len()];
    codes.iter().for_each(|&k| counts[k] += 1);
    counts
}

/// Everything that the search of a fit to all rows learnt, the estimator in front.
fn search_details(scored: &Scored) -> Vec<String> {
    let Some(model) = &scored.model else { return Vec::new() };
    tuning::notices_of(model).into_iter().map(|f| format!("{}: {}", scored.name(), f.in_full())).collect()
}

impl Row {
    /// What can be said of a model and of the rows that it was fitted to, without any rows held out; its pictures as in
    /// [`Comparison::of`].
    pub fn of_model(model: &Model, data: &Dataset, target: &Target, weights: Option<&[f64]>, control: &Control) -> Result<Row> {
        let mut row = Row { estimator: model.estimator.name().into(), ..Row::default() };
        row.describe(model);
        let control = control.at_least(PICTURES);
        row.pictures = pictures::of_model(model, data, target, weights, &control)?;
        row.explain(model, data, &control)?;
        Ok(row)
    }

    /// The parts of rows that the model answers by, with their figures.
    fn explain(&mut self, model: &Model, data: &Dataset, control: &Control) -> Result<()> {
        self.influences = explain::of_page(model, data, &mut self.pictures, control)?;
        self.pictures.extend(explain::places(&self.influences).into_iter().map(Picture::Places));
        Ok(())
    }

    fn describe(&mut self, model: &Model) {
        let summary = model.summary();
        let with = |kernel: String| if model.estimator.uses_kernel() { format!("{WITH}{kernel}") } else { String::new() };
        self.settled = format!("{}{}", model.estimator, with(model.kernel.to_string()));
        self.brief = format!("{}{}", brief_estimator(&model.estimator), with(brief_kernel(model.kernel.expr())));
        (self.support, self.weights) = (rows_kept(model), weights_kept(model));
        self.converged = summary.converged && self.status.unconverged == 0;
        self.certificate = summary.certificate.clone();
        self.tuning = model.about.tuning.clone();
    }
}

/// Training rows that a prediction of the model needs: those of its expansion, or the landmarks of its kernel.
pub(super) fn rows_kept(model: &Model) -> usize {
    let fitted = if let FittedModel::TransformedTarget(found) = &model.fitted { found.fitted() } else { model.fitted.uncalibrated() };
    match (fitted.support().len(), fitted) {
        (0, FittedModel::Kde(found)) => found.density.sample().rows(),
        (0, FittedModel::LocalRegression(found)) => found.curves.first().map_or(0, |curve| curve.targets().len()),
        (0, _) => landmarks(model.kernel.expr(), model.about.rows),
        (kept, _) => kept,
    }
}

/// Weights of features that a model keeps for each output, where it keeps no row.
pub(super) fn weights_kept(model: &Model) -> usize {
    let of_features = model.fitted.expansion().and_then(|expansion| expansion.weights.as_ref());
    of_features.filter(|_| model.fitted.support().is_empty()).map_or(0, Matrix::rows)
}

fn landmarks(kernel: &KernelExpr, rows: usize) -> usize {
    match kernel {
        KernelExpr::Nystroem(_) => {
            kernel.values().iter().find(|p| p.path.ends_with("rank")).map_or(0, |p| (p.value.number() as usize).min(rows))
        }
        _ => kernel.parts().iter().map(|part| landmarks(part, rows)).sum(),
    }
}

/// The recall of each class on held-out rows.
fn recalls(scored: &Scored, request: &Request<'_>) -> Vec<Option<f64>> {
    let (Some(held_out), Target::Classes { codes, names }) = (&scored.out_of_fold, request.target) else { return Vec::new() };
    let Predicted::Classes(found) = &held_out.predictions.values else { return Vec::new() };
    let truth: Vec<usize> = held_out.rows.iter().map(|&i| codes[i]).collect();
    let weights: Option<Vec<f64>> = request.weights.map(|w| held_out.rows.iter().map(|&i| w[i]).collect());
    metrics::recalls(found, &truth, names.len(), weights.as_deref())
}

/// The scores of each of several targets on held-out rows.
fn by_target(scored: &Scored, request: &Request<'_>) -> Vec<TargetScore> {
    let (Some(held_out), Target::Numbers(y)) = (&scored.out_of_fold, request.target) else { return Vec::new() };
    let Predicted::Numbers(found) = &held_out.predictions.values else { return Vec::new() };
    if y.cols() < 2 {
        return Vec::new();
    }
    let weights: Option<Vec<f64>> = request.weights.map(|w| held_out.rows.iter().map(|&i| w[i]).collect());
    metrics::of_each_target(found, &y.select_rows(&held_out.rows), weights.as_deref())
}

/// What is said of one estimator; figures that fail are left out, with a notice.
fn row(scored: &Scored, best: bool, request: &Request<'_>, notices: &mut Vec<String>, control: &Control) -> Result<Row> {
    let mut row = Row {
        estimator: scored.label(),
        metrics: scored.metrics.clone(),
        fit_seconds: scored.fit_seconds,
        predict_us_per_row: scored.predict_us_per_row,
        best,
        difference: scored.difference,
        over_guess: scored.over_guess,
        log_loss_difference: scored.log_loss_difference,
        folds: scored.folds.clone(),
        held_out: scored.out_of_fold.clone(),
        recalls: recalls(scored, request),
        by_target: by_target(scored, request),
        converged: scored.status.unconverged == 0,
        status: scored.status,
        failure: scored.failure.as_ref().map(ToString::to_string),
        unreached: matches!(scored.failure, Some(Error::Time { .. } | Error::Stopped { .. })),
        ..Row::default()
    };
    if let Some(model) = &scored.model {
        row.describe(model);
        row.method = Method::of(scored, request.info.classes.is_some());
        let figures = contain("its figures", || {
            let mut all = pictures::of_model(model, request.data, request.target, request.weights, control)?;
            all.extend(pictures::of_held_out(scored, request));
            Ok(all)
        });
        let figures = figures.and_then(|figures| {
            row.pictures = figures;
            if best { row.explain(model, request.data, control) } else { Ok(()) }
        });
        row.pictures.sort_by_key(Picture::place);
        match figures {
            Ok(()) => {}
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => {
                let (estimator, why) = (model.estimator.name().into(), error.to_string());
                notices.push(Notice::NoFigures { estimator, why }.to_string());
            }
        }
    }
    Ok(row)
}
