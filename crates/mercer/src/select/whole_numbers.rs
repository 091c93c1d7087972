//! Ranges of whole numbers where there is no target: the estimator's own criterion is computed for each number, the least is kept.
//! `density(gaussian_mixture(components=1..8))` counts its components by BIC (Schwarz 1978, Estimating the dimension of a model).

use super::free::{Free, Setting, free_parameters};
use super::profile::{BoundStatus, Curve};
use super::tune::{TunedBy, Tuning, learnt};
use crate::control::Control;
use crate::data::{Examples, Kind};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Task};
use crate::fitting::read_rows;

/// Values of one range at most; of a longer one these lie evenly on the scale of its search.
const VALUES: usize = 40;
/// Fits of all combinations at most.
const FITS: usize = 400;

/// The setting whose criterion is least among all combinations of the whole numbers of `open` that are free, and the result of the
/// search. `None` where nothing is free.
///
/// # Errors
/// A range of real numbers, an estimator without a criterion, too many combinations; no combination that can be fitted.
pub(super) fn choose(
    open: &EstimatorExpr,
    start: &Setting,
    examples: &Examples<'_>,
    control: &Control,
    seed: u64,
) -> Result<Option<(Setting, Tuning)>> {
    let free = free_parameters(&start.kernel, open, start, Kind::Nothing);
    let Some(own) = open.criterion_name().filter(|_| !free.is_empty()) else { return Ok(None) };
    let name = own.name;
    if let Some(real) = free.iter().find(|f| !f.integer) {
        let why = format!("without a target {name} chooses among whole numbers alone; give a number");
        return Err(Error::Setting { name: real.path().into(), why });
    }
    let combinations = combinations(&free)?;
    let reading = read_rows(&start.kernel.learn(examples.data, None, control)?, open.needs().view(), examples.data, control)?;
    let task = Task { view: reading.view(), target: examples.target, weights: examples.weights, control, seed };
    let (mut tried, mut indifference, mut failures) = (Vec::new(), 0.0, Vec::new());
    for (done, x) in combinations.iter().enumerate() {
        control.tell(&format!("fits compared by {name}"), done, combinations.len());
        if control.out_of_time() && !tried.is_empty() {
            break;
        }
        match start.with(&free, x)?.estimator.criterion(&task) {
            Ok(found) => {
                indifference = found.indifference;
                tried.push((x, found.value));
            }
            Err(Error::Time { .. }) if !tried.is_empty() => break,
            Err(why) if why.ends_all() => return Err(why),
            // Such as more components than rows.
            Err(why) => failures.push(why),
        }
    }
    let best = tried.iter().filter(|(_, value)| value.is_finite()).min_by(|a, b| a.1.total_cmp(&b.1));
    let Some((best, least)) = best.map(|(x, value)| ((*x).clone(), *value)) else {
        let none = || Error::Numerical { what: name.into(), why: "it is finite for none of the settings".into() };
        return Err(failures.pop().unwrap_or_else(none));
    };
    let curves: Vec<Curve> = (0..free.len()).map(|k| along(k, &best, &tried, least + indifference)).collect();
    let setting = start.with(&free, &best)?;
    let found = learnt(&free, &best, &curves, &|value| value, &setting, examples.data)?;
    let tuning = Tuning {
        criterion: TunedBy::named(own),
        rises: false,
        value: Some(least),
        same: Some(least + indifference),
        evaluations: tried.len(),
        complete: tried.len() + failures.len() == combinations.len(),
        rows: examples.rows(),
        parameters: found,
    };
    Ok(Some((setting, tuning)))
}

/// Every combination of the values of each free number, as coordinates.
fn combinations(free: &[Free]) -> Result<Vec<Vec<f64>>> {
    let mut all = vec![Vec::new()];
    for f in free {
        let values = values(f);
        all = all.into_iter().flat_map(|x| values.iter().map(move |v| [&x[..], &[*v]].concat())).collect();
        if all.len() > FITS {
            let why = format!("the ranges have more than {FITS} combinations, each of which is a fit; narrow them");
            return Err(Error::Setting { name: f.path().into(), why });
        }
    }
    Ok(all)
}

/// The coordinates of one number, ascending.
fn values(free: &Free) -> Vec<f64> {
    let (low, high) = free.bounds();
    let mut every: Vec<f64> = std::iter::successors(Some(low), |x| free.neighbour(*x, 1.0)).take(VALUES + 1).collect();
    if every.len() > VALUES {
        every = (0..VALUES).map(|k| free.rounded(low + (high - low) * k as f64 / (VALUES - 1) as f64)).collect();
        every.dedup();
    }
    every
}

/// The criterion along one number, the others as chosen.
fn along(k: usize, best: &[f64], tried: &[(&Vec<f64>, f64)], most: f64) -> Curve {
    let beside = |x: &[f64]| x.iter().zip(best).enumerate().all(|(j, (a, b))| j == k || a == b);
    let tried: Vec<(f64, f64)> = tried.iter().filter(|(x, _)| beside(x)).map(|(x, value)| (x[k], *value)).collect();
    let at = tried.iter().position(|(x, _)| *x == best[k]).unwrap_or(0);
    let good = |p: &&(f64, f64)| p.1 <= most;
    let below = tried[..at].iter().rev().take_while(good).count();
    let above = tried[at + 1..].iter().take_while(good).count();
    let edge = |is_end: bool| if is_end { BoundStatus::End } else { BoundStatus::Worse };
    let edges = [edge(below == at), edge(at + above + 1 == tried.len())];
    Curve { same: [tried[at - below].0, tried[at + above].0], tried, edges }
}
