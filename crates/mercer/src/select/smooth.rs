//! A round of a search by an estimator's own smooth criterion: ridge minimises the exact leave-one-out error and gp the
//! negative log evidence, both with analytic gradients by L-BFGS on a logarithmic scale.

use super::free::{Free, is_fixed};
use super::profile::{Curve, ProfileScan};
use super::search::{RoundContext, SearchResult};
use super::starts;
use super::tune::{At, Left, TunedBy, criterion_at, steps};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::{CriterionName, Task};
use crate::fitting::{self, KernelValues};
use crate::kernels::KernelExpr;
use crate::solve::Minimiser;

/// Values on the path of a parameter that is free alone.
const PATH: usize = 200;
/// Steps of L-BFGS at most.
const STEPS: usize = 60;
/// The decrease of a step at which a round ends, relative to the criterion: a round that another follows need not go far.
const DECREASE: [f64; 2] = [1e-3, 1e-5];

/// A step that gains less than this share of the noise ends a search that goes no further than the noise.
const NOISE: f64 = 0.05;

/// Shifts of all widths that a search begins with where values without derivatives are not cheap, in natural logarithms.
const SHIFTS: [f64; 5] = [0.0, -1.2, 1.2, -2.4, -3.6];

/// Evaluations of a round, as a rule.
const EVALUATIONS: f64 = 15.0;

/// Operations of a round on so many rows, roughly: `of_value` for each evaluation; one
/// decomposition serves the whole path of a parameter that is free alone.
pub(super) fn work(rows: usize, free: usize, of_value: f64) -> f64 {
    let path = 12.0 * (rows as f64).powi(3);
    if free == 1 { path.max(EVALUATIONS * of_value / 3.0) } else { EVALUATIONS * of_value }
}

/// Operations of so many evaluations on so many rows: those of a whole path cost one decomposition.
pub(super) fn spent(rows: usize, free: usize, evaluations: usize, of_value: f64) -> f64 {
    if free == 1 && evaluations >= PATH {
        return 12.0 * (rows as f64).powi(3) + (evaluations - PATH) as f64 * of_value;
    }
    evaluations as f64 * of_value
}

/// The least value met, where, and its indifference.
struct Best {
    value: f64,
    x: Vec<f64>,
    indifference: f64,
}

/// The criterion on the rows of one round.
pub(super) struct Descent<'a> {
    pub(super) place: &'a RoundContext<'a>,
    /// The name of the objective.
    name: &'a str,
    seed: u64,
    evaluations: &'a mut usize,
    best: Best,
    /// Warm start from the previous evaluation of the criterion.
    left: Left,
}

impl Descent<'_> {
    /// The parameter of the estimator that penalises or is the noise: the first that counts.
    pub(super) fn level_name(&self) -> Option<String> {
        let (estimator, kind) = (&self.place.start.estimator, self.place.examples().target.kind());
        estimator.values().into_iter().map(|own| own.path).find(|name| estimator.uses(name, kind))
    }

    /// Values without derivatives at coordinates that differ in that parameter alone; `None` where the estimator does not have them
    /// cheaper than one by one. Infinite where the numbers break down.
    pub(super) fn values(&mut self, name: &str, levels: &[Vec<f64>], control: &Control) -> Result<Option<Vec<f64>>> {
        control.check()?;
        let Some(first) = levels.first() else { return Ok(Some(Vec::new())) };
        let (RoundContext { start, free, .. }, examples) = (self.place, self.place.examples());
        let setting = start.with(free, first)?;
        let mut numbers = Vec::with_capacity(levels.len());
        for x in levels {
            let values = start.with(free, x)?.estimator.values();
            numbers.extend(values.into_iter().find(|own| own.path == name).map(|own| own.value.number()));
        }
        let among = |kernel: &KernelExpr| Ok([kernel.learn(examples.data, examples.weights, control)?.gram(examples.data, control)?]);
        let kind = setting.estimator.needs().view();
        let named = fitting::named_rows(kind, &setting.kernel, examples.data)?;
        let values = self.left.fixed.grams(0, &setting.kernel, control, among).and_then(|[bound]| {
            let view = fitting::view_of(kind, bound.as_ref(), named.as_deref());
            let task = Task { view, target: examples.target, weights: examples.weights, control, seed: self.seed };
            setting.estimator.criterion_along(name, &numbers, &task)
        });
        match values {
            Ok(None) => Ok(None),
            Ok(Some(values)) => {
                *self.evaluations += values.len();
                Ok(Some(values))
            }
            Err(Error::Numerical { .. }) => Ok(Some(vec![f64::INFINITY; levels.len()])),
            Err(other) => Err(other),
        }
    }

    fn evaluate(&mut self, x: &[f64], control: &Control) -> Result<(f64, Vec<f64>)> {
        control.check()?;
        *self.evaluations += 1;
        let what = format!("settings tried on {} rows by {}", self.place.examples().rows(), self.name);
        control.tell(&what, *self.evaluations, STEPS.max(*self.evaluations));
        let (free, examples) = (self.place.free, self.place.examples());
        let At { value, indifference, slopes } = criterion_at(x, self.place.start, free, &examples, control, self.seed, &mut self.left)?;
        if value < self.best.value {
            self.best = Best { value, x: x.to_vec(), indifference };
        }
        Ok((value, slopes))
    }
}

/// A few starts are looked at, the best is followed downhill; and whether time allowed that in full.
pub(super) fn go(
    place: &RoundContext<'_>,
    criterion: CriterionName,
    control: &Control,
    seed: u64,
    evaluations: &mut usize,
) -> Result<(SearchResult, bool)> {
    let control = control.clone().with_buffer_pool();
    let free = place.free;
    let mut left = left(place, &control)?;
    let along = path(place, &mut left, &control, seed)?;
    *evaluations += along.len();
    let x0: Vec<f64> = match along.iter().min_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((at, _)) => vec![*at],
        None => free.iter().map(Free::coordinate).collect(),
    };
    let mut descent = Descent {
        place,
        name: criterion.name,
        seed,
        evaluations,
        best: Best { value: f64::INFINITY, x: x0.clone(), indifference: 0.0 },
        left,
    };
    let ended = descend(&mut descent, &x0, criterion.name, &control);
    match ended {
        // What was judged before time was up is not lost.
        Err(Error::Time { .. }) if descent.best.value.is_finite() => {}
        other => other?,
    }
    let Best { value, x, indifference } = descent.best;
    let criterion = TunedBy::named(criterion);
    let found = SearchResult { x, loss: value, indifference, rivals: Vec::new(), criterion, rises: false, round: place.number };
    Ok((found, !control.out_of_time()))
}

fn descend(descent: &mut Descent<'_>, x0: &[f64], name: &str, control: &Control) -> Result<()> {
    let (free, starts) = (descent.place.free, descent.place.starts);
    let wide = free.iter().any(Free::is_kernel_width);
    let shifted =
        |shift: f64| -> Vec<f64> { free.iter().zip(x0).map(|(f, x)| f.clamp(if f.is_kernel_width() { x + shift } else { *x })).collect() };
    let tried: Vec<Vec<f64>> = match starts {
        [] => match starts::best_of_grid(descent, x0, control)? {
            Some(best) => vec![best],
            None => (if wide { &SHIFTS[..] } else { &SHIFTS[..1] }).iter().map(|s| shifted(*s)).collect(),
        },
        starts => starts.iter().cloned().chain([x0.to_vec()]).collect(),
    };
    for x in tried {
        descent.evaluate(&x, control)?;
        if descent.best.value.is_finite() && control.out_of_time() {
            return Ok(());
        }
    }
    if !descent.best.value.is_finite() {
        return Err(Error::Numerical {
            what: name.into(),
            why: "the criterion is not finite at any start; scale the columns or give the parameters as numbers".into(),
        });
    }
    if !starts.is_empty() && !control.out_of_time() {
        let Best { value, x, .. } = &descent.best;
        let (value, x) = (*value, x.clone());
        if let Some(x) = starts::shorter(descent, &x, value, control)? {
            descent.evaluate(&x, control)?;
        }
    }
    let from = descent.best.x.clone();
    let bounds = free.iter().map(Free::bounds).collect();
    // What is left to gain is small beside the noise where a step gains less than a part of it.
    let noise = NOISE * descent.best.indifference / descent.best.value.abs().max(1.0);
    let least = DECREASE[usize::from(descent.place.last)];
    let decrease = if descent.place.within_noise { noise.clamp(least, 1e-2) } else { least };
    let solver = Minimiser { max_iterations: STEPS, tolerance: 1e-3, decrease, ..Minimiser::new(bounds) };
    solver.minimise(|x| descent.evaluate(x, control), &from, control)?;
    // Rows that were chosen where a descent began are chosen once more where it ended: any choice gives a bound.
    if descent.place.last && descent.place.start.estimator.facts().reads_few_values && !control.out_of_time() {
        descent.left.choose_again();
        let from = descent.best.x.clone();
        solver.minimise(|x| descent.evaluate(x, control), &from, control)?;
    }
    Ok(())
}

/// Kernel values that no setting changes may be there already.
fn left(place: &RoundContext<'_>, control: &Control) -> Result<Left> {
    let (kernel, examples) = (&place.start.kernel, place.examples());
    let mut left = Left::before(place.start, place.free, &examples);
    if let Some(sharing) = place.sharing.filter(|_| is_fixed(place.free)) {
        let make = || {
            let bound = kernel.learn(examples.data, examples.weights, control)?.gram(examples.data, control)?;
            KernelValues::of(bound.as_ref(), None, control)
        };
        left.fixed.know(0, sharing.values((&place.round.rows, &[]), false, kernel, make)?.matrix(control)?);
    }
    Ok(left)
}

/// Coordinates and losses all along the only free parameter, where the estimator has them at the price of a few.
fn path(place: &RoundContext<'_>, left: &mut Left, control: &Control, seed: u64) -> Result<Vec<(f64, f64)>> {
    let [only] = place.free else { return Ok(Vec::new()) };
    let Some(name) = only.own_name() else { return Ok(Vec::new()) };
    let (low, high) = only.bounds();
    let places: Vec<f64> = (0..PATH).map(|k| low + (high - low) * k as f64 / (PATH - 1) as f64).collect();
    let values: Vec<f64> = places.iter().map(|x| only.to_value(*x)).collect();
    let examples = place.examples();
    let among = |kernel: &KernelExpr| Ok([kernel.learn(examples.data, examples.weights, control)?.gram(examples.data, control)?]);
    let [bound] = left.fixed.grams(0, &place.start.kernel, control, among)?;
    let kind = place.start.estimator.needs().view();
    let named = fitting::named_rows(kind, &place.start.kernel, examples.data)?;
    let task = Task {
        view: fitting::view_of(kind, bound.as_ref(), named.as_deref()),
        target: examples.target,
        weights: examples.weights,
        control,
        seed,
    };
    match place.start.estimator.criterion_along(name, &values, &task) {
        Ok(losses) => Ok(places.into_iter().zip(losses.unwrap_or_default()).collect()),
        // The search then goes step by step.
        Err(Error::Numerical { .. } | Error::Memory { .. }) => Ok(Vec::new()),
        Err(e) => Err(e),
    }
}

/// The curve of each free number through the best setting.
pub(super) fn curves(
    place: &RoundContext<'_>,
    found: &SearchResult,
    control: &Control,
    seed: u64,
    evaluations: &mut usize,
) -> Result<Vec<Curve>> {
    let control = control.clone().with_buffer_pool();
    let free = place.free;
    let mut left = left(place, &control)?;
    let known = path(place, &mut left, &control, seed)?;
    let name = found.criterion.to_string();
    let mut descent = Descent {
        place,
        name: &name,
        seed,
        evaluations,
        best: Best { value: found.loss, x: found.x.clone(), indifference: found.indifference },
        left,
    };
    // What the criterion leaves at the optimum, all along the curves.
    let loss = descent.evaluate(&found.x, &control)?.0;
    let mut out = Vec::new();
    for (k, f) in free.iter().enumerate() {
        let look = ProfileScan { free: f, at: f.rounded(found.x[k]), loss, indifference: found.indifference, steps: steps(free) };
        let mut along = |at: f64| {
            let mut x = found.x.clone();
            x[k] = at;
            descent.evaluate(&x, &control).map(|(value, _)| value)
        };
        out.push(look.along(known.clone(), &control, &mut along)?);
    }
    Ok(out)
}
