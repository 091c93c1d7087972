//! Settling where there is no target to judge by: what is `auto` takes its start, a range of whole numbers is searched by the
//! estimator's own criterion (`whole_numbers`), and the number of components is found by parallel analysis (Horn 1965, A rationale and
//! test for the number of factors in factor analysis).
//!
//! A component is kept where its variance is above what chance gives: the 95th percentile over tables whose columns are shuffled
//! independently, so that the columns have nothing in common. Of a column of vectors each coordinate is shuffled.

use super::free::Setting;
use super::{Tuned, TunedBy, Tuning, whole_numbers};
use crate::control::Control;
use crate::data::{Column, Dataset, Examples, Points, Values};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, MOST_CLUSTERS, Task};
use crate::fitting::read_rows;
use crate::kernels::KernelExpr;
use crate::metrics::{Metric, without_target as no_metric};
use crate::notice::Notice;
use crate::param::Value;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Shuffled tables.
const DRAWS: usize = 19;
/// Components that are looked at.
const MOST: usize = 30;

/// Settles a kernel and an estimator on prepared rows without a target.
///
/// # Errors
/// A range that nothing could choose from; a metric; fewer than two columns where columns are to be shuffled.
pub(crate) fn without_target(
    kernel: &KernelExpr,
    estimator: &EstimatorExpr,
    examples: &Examples<'_>,
    metric: Option<Metric>,
    control: &Control,
    seed: u64,
) -> Result<Tuned> {
    if metric.is_some() {
        return Err(no_metric(metric));
    }
    let of_kernel = kernel.values().into_iter().map(|p| (p.path, p.value));
    // An estimator that judges its own settings chooses within its ranges below.
    let unjudged = estimator.criterion_name().is_none();
    let of_estimator = estimator.values().into_iter().filter(|_| unjudged).map(|own| (own.path, own.value));
    if let Some((name, value)) = of_kernel.chain(of_estimator).find(|(_, value)| matches!(value, Value::Range(..))) {
        let why = format!("the range {value} is searched by how well a target is predicted, and there is none; give a number, or auto");
        return Err(Error::Setting { name, why });
    }
    let kernel = kernel.settle_weighed(examples.data, examples.weights)?;
    let (counted, notice) = counted(&kernel, estimator, examples, control, seed)?;
    let estimator = &counted;
    let variances = |data: &Dataset| -> Result<_> {
        let reading = read_rows(&kernel.learn(data, None, control)?, estimator.needs().view(), data, control)?;
        let task = Task { view: reading.view(), target: examples.target, weights: examples.weights, control, seed };
        Ok((estimator.settle(&task)?, estimator.component_variances(&task, MOST)?))
    };
    let (mut settled, found) = variances(examples.data)?;
    let start = Setting { kernel: kernel.clone(), estimator: settled.clone() };
    if let Some((chosen, tuning)) = whole_numbers::choose(estimator, &start, examples, control, seed)? {
        return Ok(Tuned { kernel, estimator: chosen.estimator, tuning: Some(tuning), late: false, notice });
    }
    let Some((name, found)) = found else { return Ok(Tuned { kernel, estimator: settled, tuning: None, late: false, notice }) };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    // Of so few draws the greatest is their 95th percentile.
    let mut chance = vec![f64::NEG_INFINITY; found.len()];
    for draw in 0..DRAWS {
        control.tell("parallel analysis", draw, DRAWS);
        let (_, drawn) = variances(&shuffled(examples.data, &mut random)?)?;
        let drawn = drawn.map_or(Vec::new(), |(_, values)| values);
        chance.iter_mut().zip(drawn).for_each(|(most, v)| *most = most.max(v));
    }
    let count = found.iter().zip(&chance).take_while(|(v, most)| v > most).count();
    settled.set(name, &Value::Number(count.max(1) as f64))?;
    let tuning = Tuning {
        criterion: TunedBy::AboveChance { tables: DRAWS },
        rises: true,
        value: Some(count as f64),
        same: None,
        evaluations: DRAWS + 1,
        complete: true,
        rows: examples.rows(),
        parameters: Vec::new(),
    };
    Ok(Tuned { kernel, estimator: settled, tuning: Some(tuning), late: false, notice })
}

/// The estimator with its number of clusters found, where that is open, and the notice of what chose it.
fn counted(
    kernel: &KernelExpr,
    estimator: &EstimatorExpr,
    examples: &Examples<'_>,
    control: &Control,
    seed: u64,
) -> Result<(EstimatorExpr, Option<Notice>)> {
    let mut counted = estimator.clone();
    let values = estimator.values();
    let Some(open) = values.iter().find(|own| own.path == "clusters" && !own.value.is_settled()) else {
        return Ok((counted, None));
    };
    let reading = read_rows(&kernel.learn(examples.data, None, control)?, estimator.needs().view(), examples.data, control)?;
    let task = Task { view: reading.view(), target: examples.target, weights: examples.weights, control, seed };
    let Some(curve) = estimator.counts(&task, MOST_CLUSTERS)? else { return Ok((counted, None)) };
    counted.set(&open.path, &open.value.settle(curve.chosen as f64))?;
    Ok((counted, Some(curve.notice())))
}

/// The table with each column in an order of its own.
fn shuffled(data: &Dataset, random: &mut Xoshiro256PlusPlus) -> Result<Dataset> {
    let n = data.rows();
    let mut order = || {
        let mut rows: Vec<usize> = (0..n).collect();
        rows.shuffle(random);
        rows
    };
    let width = |c: &Column| if let Values::Points(p) = &c.values { p.dim() } else { 1 };
    if data.columns().iter().map(width).sum::<usize>() < 2 {
        let why = "parallel analysis shuffles columns against one another, and there is one; give a number of components, or a share of the variance below 1";
        return Err(Error::Setting { name: "components".into(), why: why.into() });
    }
    let mut columns = Vec::new();
    for column in data.columns() {
        let values = match &column.values {
            Values::Points(points) => {
                let mut numbers = vec![0.0; n * points.dim()];
                let orders: Vec<Vec<usize>> = (0..points.dim()).map(|_| order()).collect();
                let (d, from) = (points.dim(), points.to_dense());
                for (j, order) in orders.iter().enumerate() {
                    order.iter().enumerate().for_each(|(to, &row)| numbers[to * d + j] = from[row * d + j]);
                }
                Values::Points(Points::dense(n, d, numbers)?)
            }
            whole => whole.select(&order()),
        };
        columns.push(Column { name: column.name.clone(), values });
    }
    Dataset::with_rows(n, columns)
}
