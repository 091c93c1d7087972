//! A descent of an estimator's smooth criterion from numbers of a kernel that are given, within ends that are given for each of
//! them: the search of somebody who says where it starts. [`Search`](super::Search) finds starts and ends by itself.

use super::free::{Free, Setting};
use super::tune::criterion_at;
use crate::control::Control;
use crate::data::Examples;
use crate::error::{Error, Result};
use crate::estimators::EstimatorExpr;
use crate::kernels::KernelExpr;
use crate::solve::{Lbfgs, Minimum};

/// A step that lowers the criterion by less, relative to its size, is the last but one.
const DECREASE: f64 = 2e-9;
/// No entry of the gradient by logarithms is greater at the end.
const GRADIENT: f64 = 1e-5;
const STEPS: usize = 1000;

/// Where descents ended.
#[derive(Clone, Debug)]
pub struct Descent {
    /// The kernel with the best numbers found.
    pub kernel: KernelExpr,
    /// These numbers alone, in the order of the kernel's.
    pub numbers: Vec<f64>,
    /// The criterion there.
    pub value: f64,
    /// Evaluations of the criterion and its gradient.
    pub evaluations: usize,
    /// Whether the descent to it met a tolerance.
    pub converged: bool,
}

/// Follows the criterion of a settled estimator downhill on a logarithmic scale, from the numbers of a settled kernel and from
/// every one of `others`, and keeps the best end.
///
/// `ends` has an entry for every number of [`KernelExpr::values`], one for each entry of a list: its least and its greatest
/// value, both above 0, or `None` where it stays. Each of `others` has a number for each entry that moves. A place where the
/// numbers break down is as bad as can be, not an error; that they break down at every start is.
pub fn descend(
    kernel: &KernelExpr,
    estimator: &EstimatorExpr,
    ends: &[Option<(f64, f64)>],
    others: &[Vec<f64>],
    examples: &Examples<'_>,
    control: &Control,
    seed: u64,
) -> Result<Descent> {
    let start = Setting { kernel: kernel.clone(), estimator: estimator.clone() };
    let free = Free::within(kernel, ends)?;
    let control = control.clone().with_buffer_pool();
    let (mut evaluations, mut last) = (0, None);
    let mut evaluate = |x: &[f64]| -> Result<(f64, Vec<f64>)> {
        evaluations += 1;
        control.tell("evaluations of the criterion", evaluations, STEPS.max(evaluations));
        let found = criterion_at(x, &start, &free, examples, &control, seed, &mut last)?;
        Ok((found.value, found.slopes))
    };
    let solver =
        Lbfgs { max_iterations: STEPS, tolerance: GRADIENT, decrease: DECREASE, ..Lbfgs::new(free.iter().map(Free::bounds).collect()) };
    let mut starts = vec![free.iter().map(Free::coordinate).collect::<Vec<f64>>()];
    for other in others {
        Error::unless_equal("numbers of a start", free.len(), other.len())?;
        starts.push(free.iter().zip(other).map(|(f, value)| f.at_value(*value)).collect());
    }
    let (mut best, mut fault): (Option<Minimum>, Option<Error>) = (None, None);
    for x in &starts {
        match solver.minimise(&mut evaluate, x, &control) {
            Ok(end) if best.as_ref().is_none_or(|b| end.value < b.value) => best = Some(end),
            Ok(_) => {}
            Err(why @ Error::Numerical { .. }) => fault = Some(why),
            Err(other) => return Err(other),
        }
    }
    let Some(best) = best else {
        let what = estimator.criterion_name().unwrap_or("criterion").into();
        return Err(fault.unwrap_or(Error::Numerical { what, why: "it is not finite at any start".into() }));
    };
    Ok(Descent {
        kernel: start.with(&free, &best.x)?.kernel,
        numbers: free.iter().zip(&best.x).map(|(f, x)| f.to_value(*x)).collect(),
        value: best.value,
        evaluations,
        converged: best.converged,
    })
}
