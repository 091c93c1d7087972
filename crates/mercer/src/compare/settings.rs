//! A grid of settings of a support vector machine, each judged on the folds of a comparison.

use super::rare::decided;
use super::{Comparing, require_different};
use crate::control::Control;
use crate::data::{Examples, Fold, TargetInfo, folds, lose_alike};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Predictions, Task, View, Want};
use crate::facts;
use crate::fitting::{Used, prepare_weighed};
use crate::kernels::constructors::rbf;
use crate::kernels::{KernelExpr, length_scale_of};
use crate::learner::{Learner, Model};
use crate::metrics::{Estimate, HeldOut, Judged, Metric, Scoring, corrected_for_choice};
use crate::notice::Notice;
use crate::param::Value;
use crate::select::{Cell, Strip, grid};

/// A grid by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridName {
    /// C = 2^-5, 2^-3, .., 2^15 and gamma = 2^-15, 2^-13, .., 2^3 of exp(-gamma |x - z|^2): the 110 settings of Hsu, Chang and Lin (2003),
    /// A practical guide to support vector classification.
    Libsvm,
}

impl GridName {
    /// Reads a name.
    ///
    /// # Errors
    /// A name that there is not.
    pub fn parse(name: &str) -> Result<GridName> {
        match name {
            "libsvm" => Ok(GridName::Libsvm),
            _ => Err(Error::unknown("grid", name, &["libsvm".to_owned()])),
        }
    }

    /// Values of C and of gamma, ascending.
    pub fn axes(self) -> [Vec<f64>; 2] {
        let powers = |from: i32, to: i32| (from..=to).step_by(2).map(|k| 2f64.powi(k)).collect();
        match self {
            GridName::Libsvm => [powers(-5, 15), powers(-15, 3)],
        }
    }
}

/// A setting and its score on the held-out rows.
#[derive(Debug)]
pub struct JudgedSetting {
    /// Penalty C.
    pub c: f64,
    /// gamma of exp(-gamma |x - z|^2).
    pub gamma: f64,
    /// The metric over all held-out rows; `None` where there is none.
    pub score: Option<Estimate>,
    /// Why there is none.
    pub failure: Option<String>,
    /// The metric in each fold.
    pub folds: Vec<f64>,
    /// Fits that did not meet their tolerance.
    pub unconverged: usize,
}

/// The settings of a grid, judged.
#[derive(Debug)]
pub struct SettingsGrid {
    /// The estimator; its C is that of a setting.
    pub estimator: EstimatorExpr,
    /// The metric that decides.
    pub metric: Metric,
    /// Values of C and of gamma, ascending.
    pub axes: [Vec<f64>; 2],
    /// One for each gamma and C, C fastest; fewer where the time was up.
    pub settings: Vec<JudgedSetting>,
    /// The best one: of equal ones that of the smaller C, then of the smaller gamma.
    pub best: usize,
    /// The metric that the best setting is expected to reach on new rows: its score, corrected for the choice among so many.
    pub corrected: Option<f64>,
    /// Folds.
    pub folds: usize,
    /// Rows that are used.
    pub rows: usize,
    /// The fit of the best setting to all rows.
    pub model: Model,
    /// Notices for the user.
    pub notices: Vec<Notice>,
}

/// Judges every setting of a grid on the same folds, and fits the best one to all rows. `comparing` names one estimator with a parameter
/// `c` left open, and no kernel: it is `rbf`. Columns are prepared once, on all rows.
///
/// A stop or a limit of time leaves the settings that are complete.
///
/// # Errors
/// Another estimator or a kernel of one's own; rows that allow no folds; no complete setting.
pub fn judge_settings(
    examples: &Examples<'_>,
    info: &TargetInfo,
    comparing: &Comparing,
    name: GridName,
    control: &Control,
) -> Result<SettingsGrid> {
    let comparing = &decided(comparing, examples.target, examples.weights)?.judged();
    let estimator = require_open_c(comparing)?;
    let used = Used::of(&comparing.prep, examples.data, examples.target, examples.weights)?;
    let together = facts::kept_together(examples.data, examples.target, examples.split, comparing.folds);
    let part = Examples { split: together.as_ref().unwrap_or(examples.split), ..*examples }.select(&used.rows);
    require_different(&part.target)?;
    let axes = name.axes();
    let kernels: Vec<KernelExpr> = axes[1].iter().map(|gamma| rbf().length_scale(length_scale_of(*gamma)).into()).collect();
    let prepared = prepare_weighed(&comparing.prep, kernels.first(), &part.data, part.weights.as_deref())?;
    let examples_of_fit = Examples { data: &prepared.data, ..part.examples() };
    let mut splits = folds(&part.target, &part.split, comparing.folds, comparing.seed)?;
    lose_alike(&mut splits, &part.target, &part.split, comparing.seed);
    let scoring = Scoring::of(&part.target, part.weights.as_deref(), comparing.metric)?;
    let held_out =
        HeldOut { folds: &splits, target: &part.target, weights: part.weights.as_deref(), split: &part.split, seed: comparing.seed };

    let strips = strips(&estimator, &kernels, &axes[0], &examples_of_fit, comparing.seed, control)?;
    let cells = cells(&strips, &examples_of_fit, &splits, control, comparing.seed)?;
    let (settings, judged): (Vec<_>, Vec<_>) = cells
        .iter()
        .zip(&axes[1])
        .flat_map(|(strip, &gamma)| axes[0].iter().enumerate().map(move |(place, &c)| (strip, gamma, place, c)))
        .map(|(strip, gamma, place, c)| judge_one(strip, place, (c, gamma), &held_out, &scoring))
        .unzip();
    let best = best_of(&settings, scoring.deciding)?;
    let field: Vec<Option<&Judged>> = judged.iter().map(Option::as_ref).collect();
    let corrected = corrected_for_choice(&field, best, scoring.deciding.rises());

    let place = axes[0].len();
    let (kernel, chosen) = (&strips[best / place].kernel, &strips[best / place].estimators[best % place]);
    let learner = Learner {
        prep: comparing.prep.clone(),
        kernel: Some(kernel.clone()),
        seed: comparing.seed,
        allow_non_mercer: comparing.allow_non_mercer,
        metric: comparing.metric,
        ..Learner::new(chosen.clone())
    };
    let model = learner.fit(examples.data, examples.target, info, examples.weights, &control.last_step())?;
    let mut notices = used.notices;
    notices.extend(prepared.notices.iter().filter(|n| !n.is_of_steps()).cloned());
    Ok(SettingsGrid {
        estimator,
        metric: scoring.deciding,
        axes,
        settings,
        best,
        corrected,
        folds: splits.len(),
        rows: used.rows.len(),
        model,
        notices,
    })
}

/// The one estimator of a grid.
fn require_open_c(comparing: &Comparing) -> Result<EstimatorExpr> {
    let refused = |name: &str, why: String| Err(Error::Setting { name: name.into(), why });
    if let Some(kernel) = &comparing.kernel {
        return refused("kernel (--kernel)", format!("is rbf with the gamma of the grid, not {kernel}; leave it out"));
    }
    let [estimator] = comparing.estimators.as_slice() else {
        return refused("estimators (--estimators)", format!("a grid is of one estimator, and these are {}", comparing.estimators.len()));
    };
    match estimator.values().into_iter().find(|setting| setting.path == "c") {
        Some(setting) if setting.value.is_settled() => {
            refused("estimators (--estimators)", format!("the grid sets c of {}; leave it out", estimator.name()))
        }
        Some(_) => Ok(estimator.clone()),
        None => refused("estimators (--estimators)", format!("{} has no parameter c; these have: svc, svr", estimator.name())),
    }
}

/// A strip for each kernel: the estimator at each C, everything else that is open at its start.
fn strips(
    estimator: &EstimatorExpr,
    kernels: &[KernelExpr],
    penalties: &[f64],
    examples: &Examples<'_>,
    seed: u64,
    control: &Control,
) -> Result<Vec<Strip>> {
    let of = |kernel: &KernelExpr| -> Result<Strip> {
        let bound = kernel.learn(examples.data, examples.weights, control)?.gram(examples.data, control)?;
        let task = Task { view: View::Values(bound.as_ref()), target: examples.target, weights: examples.weights, control, seed };
        let at = |c: &f64| {
            let mut one = estimator.clone();
            one.set("c", &Value::Number(*c))?;
            one.settle(&task)
        };
        Ok(Strip { kernel: kernel.clone(), estimators: penalties.iter().map(at).collect::<Result<_>>()? })
    };
    kernels.iter().map(of).collect()
}

/// The cells of as many strips as the time allows, the first ones.
fn cells(strips: &[Strip], examples: &Examples<'_>, splits: &[Fold], control: &Control, seed: u64) -> Result<Vec<Vec<Vec<Cell>>>> {
    let quiet = Control { progress: None, ..control.clone() };
    let mut made = Vec::with_capacity(strips.len());
    for some in strips.chunks(rayon::current_num_threads()) {
        control.tell("settings of a grid: strips of one gamma", made.len(), strips.len());
        match grid(some, examples, splits, Want::JUDGED, &quiet, seed) {
            Ok(cells) => made.extend(cells),
            Err(Error::Time { .. } | Error::Stopped { .. }) if !made.is_empty() => break,
            Err(error) => return Err(error),
        }
    }
    Ok(made)
}

/// The score of a setting from its cells, one for each fold.
fn judge_one(
    strip: &[Vec<Cell>],
    place: usize,
    (c, gamma): (f64, f64),
    held_out: &HeldOut<'_>,
    scoring: &Scoring,
) -> (JudgedSetting, Option<Judged>) {
    let cells = || strip.iter().map(|fold| &fold[place]);
    let unconverged = cells().filter(|cell| !cell.converged).count();
    let found: std::result::Result<Vec<&Predictions>, &Error> = cells().map(|cell| cell.predictions.as_ref()).collect();
    let (judged, failure) = match found.map(|found| held_out.judged(&found, scoring)) {
        Err(error) => (None, Some(error.to_string())),
        Ok(judged) => {
            let failure = judged.is_none().then(|| format!("the held-out rows do not define {}", scoring.deciding.name()));
            (judged, failure)
        }
    };
    let folds = judged.as_ref().map_or_else(Vec::new, |judged| judged.per_fold.clone());
    (JudgedSetting { c, gamma, score: judged.as_ref().map(Judged::estimate), failure, folds, unconverged }, judged)
}

/// The place of the best setting: of equal ones that of the smaller C, then of the smaller gamma.
fn best_of(settings: &[JudgedSetting], metric: Metric) -> Result<usize> {
    let loss = |s: &JudgedSetting| match s.score {
        Some(score) if !score.mean.is_nan() => score.mean * if metric.rises() { -1.0 } else { 1.0 },
        _ => f64::INFINITY,
    };
    let key = |&i: &usize| (loss(&settings[i]), settings[i].c, settings[i].gamma);
    let before = |a: &usize, b: &usize| {
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
    };
    let best = (0..settings.len()).min_by(before).filter(|&i| loss(&settings[i]).is_finite());
    let why = || settings.iter().find_map(|s| s.failure.clone()).unwrap_or_else(|| "all scores are without bound".into());
    best.ok_or_else(|| Error::Data(format!("no setting of the grid could be scored: {}", why())))
}
