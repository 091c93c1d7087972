//! Machines of pairs of classes: the fit that `svc` and `nu_svc` share.

use super::held_out_pairs::{self, Solved};
use super::nu::{self, InUnit};
use super::pair_problems::{PER_PROBLEM, PairProblems, TOGETHER, masses};
use super::svc::{EqualVotes, FittedSvc};
use super::svm::{self, Totals};
use crate::error::{Error, Result};
use crate::estimators::probabilities::held_out::parts;
use crate::estimators::{ClassWeight, Costs, Fit, FitContext, Size, Task, WarmStart, pair_count};
use crate::gram::Gram;
use crate::param::Value;
use crate::solve::smo::{self, Options, Problem, Solution};
use std::ops::Range;

/// Bytes of a coefficient of a row while pairs are solved: of all rows, and of the support.
const PER_COEFFICIENT: u64 = 16;
/// Bytes of a pair of classes: its codes, constant and steps, and its place in a trace.
const PER_PAIR: u64 = 100;
/// Bytes of a decision value that a calibration holds: of a fold, of all rows, and what is made of them.
const HELD_OUT_SCORES: u64 = 24;
/// A share of nu that is rounding.
const ROUNDING: f64 = 1e-12;
/// Digits of numbers in messages.
const DIGITS: usize = 4;

/// What bounds the coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Penalty {
    /// C of each margin violation.
    C(f64),
    /// The share of margin errors at most, and of support vectors at least.
    Nu(f64),
}

/// What is fitted.
pub(super) struct PairMachines {
    /// The estimator.
    pub(super) name: &'static str,
    pub(super) penalty: Penalty,
    pub(super) class_weight: ClassWeight,
    pub(super) options: Options,
    pub(super) ties: EqualVotes,
}

/// Five fits without a fold, for probabilities, start near their solutions. Pairs of classes share the rows. They are solved some at a
/// time, and a row has a coefficient in those of its class; probabilities hold decision values of every pair, and all problems. `square`:
/// operations for each pair of rows and class.
pub(super) fn costs(size: Size, probabilities: bool, cache_mb: &Value, square: f64) -> Costs {
    let (variables, fits) = if probabilities { (5, 3.0) } else { (1, 1.0) };
    let others = size.outputs.saturating_sub(1).max(1);
    let (in_pairs, pairs) = (size.rows.saturating_mul(others), pair_count(size.outputs.max(2)));
    let problems = in_pairs.saturating_add(pairs.saturating_mul(PER_PROBLEM));
    let largest = if pairs > 1 { 2 * size.rows / size.outputs.max(1) } else { in_pairs };
    let held = match (probabilities, pairs) {
        (true, _) => problems.saturating_mul(variables),
        (false, 1) => in_pairs,
        (false, _) => problems.min(TOGETHER + largest),
    };
    let costs = svm::costs(size, (variables * others, held), cache_mb, square * size.outputs.max(2) as f64);
    let scores = if probabilities && pairs > 1 { HELD_OUT_SCORES * size.rows as u64 * pairs as u64 } else { 0 };
    let bytes = costs.bytes + PER_COEFFICIENT * in_pairs as u64 + PER_PAIR * pairs as u64 + scores;
    Costs { bytes, values: fits * costs.values, fit: fits * costs.fit, ..costs }
}

impl PairMachines {
    /// Machines without a fold start from those on all rows and share their kernel values. Those of nu have the penalty C that the machine
    /// on all rows is equivalent to.
    pub(super) fn fit(&self, task: &Task<'_>, context: &FitContext<'_, FittedSvc>) -> Result<Fit<FittedSvc>> {
        let (split, options) = (context.wants_scores.then_some(context.hold.split), self.options);
        let (codes, names) = task.target.as_classes(self.name)?;
        let (present, mass) = masses(self.name, task, codes, names)?;
        let class_weight = self.class_weight.factors(&mass);
        let counted: Vec<f64> = codes.iter().enumerate().map(|(i, &k)| task.weight(i) * class_weight[k]).collect();
        let c = match self.penalty {
            Penalty::C(c) => c,
            Penalty::Nu(nu) => {
                let of_class: Vec<f64> = mass.iter().zip(&class_weight).map(|(m, w)| m * w).collect();
                self.require_feasible(nu, &present, &of_class, names)?;
                1.0
            }
        };
        let bounds = counted.iter().map(|w| c * w).collect();
        let folds = split.map(|split| parts(task, split)).transpose()?.unwrap_or_default();
        // Several units of one problem share its kernel values too.
        let again = !folds.is_empty() || (matches!(self.penalty, Penalty::Nu(_)) && present.len() == 2);
        let all = PairProblems::of(task, codes, present, bounds, again)?;
        let held = all.held.as_ref().filter(|held| held.for_all);
        let gram: &dyn Gram = held.map_or(task.gram()?, |held| &held.k);
        let mut coef = all.unsolved();
        let (mut bias, mut iterations, mut totals, mut scales) = (Vec::new(), Vec::new(), Totals::default(), Vec::new());
        let (mut warm, mut held_out, mut shares) = (WarmStart::default(), None, Shares::default());
        for some in all.batches(split.is_some()) {
            let (problems, solutions) = match self.penalty {
                Penalty::C(_) => {
                    let problems = all.problems(some.clone(), context.earlier);
                    let known = |(&pair, problem)| context.warm?.known(context.earlier?.output(pair)?, problem);
                    let known: Vec<Option<&[f64]>> = all.pairs[some.clone()].iter().zip(&problems).map(known).collect();
                    let solutions = smo::solve_from(gram, &problems, &known, &options, task.control)?;
                    (problems, solutions)
                }
                Penalty::Nu(nu) => self.solve_nu(gram, nu, &all, some.clone(), names, task, &mut scales)?,
            };
            all.take(some.clone(), &problems, &solutions, &mut coef);
            bias.extend(solutions.iter().map(|s| s.offsets[0]));
            iterations.extend(solutions.iter().map(|s| s.iterations));
            solutions.iter().for_each(|s| totals.add(s));
            problems.iter().zip(&solutions).for_each(|(p, s)| shares.add(p, s));
            if let Some(split) = split {
                let (pairs, problems, solutions, folds, held) = (&all.pairs, &problems, &solutions, &folds, all.held.as_ref());
                let solved = Solved { pairs, problems, solutions, folds, held, counted: &counted, options };
                held_out = Some(held_out_pairs::held_out(task, &solved, split)?);
            }
            warm.extend(solutions, some.map(|_| 1.0), task);
        }
        let mut expansion = all.expansion(&coef, bias);
        drop(coef);
        expansion.weigh(task.gram()?, task.control)?;
        let rounded = svm::round(&mut expansion, task, options.tolerance, all.pairs.iter().map(|_| 1.0))?;
        let mut summary = svm::summary(&totals, options.tolerance, rounded);
        if let Penalty::Nu(nu) = self.penalty {
            summary.notes.splice(0..0, [shares.note(nu), equivalent(&scales)]);
        }
        let fitted = FittedSvc {
            expansion,
            classes: names.len(),
            first: all.pairs.iter().map(|p| p.0).collect(),
            second: all.pairs.iter().map(|p| p.1).collect(),
            iterations,
            ties: self.ties,
            summary,
        };
        Ok(Fit { fitted, warm, held_out })
    }

    /// An error where some pair of classes has no solution: its lighter class has less than nu / 2 of the weight of both.
    fn require_feasible(&self, nu: f64, present: &[usize], mass: &[f64], names: &[String]) -> Result<()> {
        let lightest = |a: &&usize, b: &&usize| mass[**a].total_cmp(&mass[**b]);
        let (Some(&a), Some(&b)) = (present.iter().min_by(lightest), present.iter().max_by(lightest)) else { return Ok(()) };
        let most = 2.0 * mass[a] / (mass[a] + mass[b]);
        if a == b || nu <= most * (1.0 + ROUNDING) {
            return Ok(());
        }
        let short = |x: f64| Value::Number(x).rounded(DIGITS).to_string();
        // Not rounded up.
        let most_shown = (most * 1e4).floor() / 1e4;
        Err(Error::Data(format!(
            "{}(nu={}): the specified nu is infeasible: it is above 0 and at most {most_shown}, as the rows of class '{}' weigh {} and those of class '{}' {}; \
             lower nu, or weigh classes alike by class_weight=balanced",
            self.name,
            short(nu),
            names[a],
            short(mass[a]),
            names[b],
            short(mass[b])
        )))
    }

    /// Solves some pairs: the problems of the equivalent C-SVC, and their solutions.
    #[allow(clippy::too_many_arguments, reason = "one step of the fit, named where it is made")]
    fn solve_nu(
        &self,
        gram: &dyn Gram,
        nu: f64,
        all: &PairProblems<'_>,
        some: Range<usize>,
        names: &[String],
        task: &Task<'_>,
        scales: &mut Vec<f64>,
    ) -> Result<(Vec<Problem>, Vec<Solution>)> {
        let mut problems = all.problems(some.clone(), None);
        let with_sums: Vec<Problem> = problems.iter().map(|p| with_sums(p, nu)).collect();
        let solved = nu::solve(gram, &with_sums, task.mean_square()?, &self.options, task.control)?;
        let mut solutions = Vec::with_capacity(solved.len());
        for ((problem, InUnit { solution, scale, flat, .. }), &(a, b)) in problems.iter_mut().zip(solved).zip(&all.pairs[some]) {
            if flat {
                return Err(Error::Data(format!(
                    "{}(nu={nu}): no margin is left between classes '{}' and '{}', as means of so many of their rows coincide; lower nu, or take \
                     a kernel that tells the classes apart",
                    self.name, names[a], names[b]
                )));
            }
            [&mut problem.low, &mut problem.high].into_iter().flatten().for_each(|bound| *bound *= scale);
            scales.push(scale);
            solutions.push(solution);
        }
        Ok((problems, solutions))
    }
}

/// The problem of nu of two classes: the coefficients of each class sum to nu / 2 times the bounds of both. The start has the first rows of
/// each class at their bounds.
fn with_sums(problem: &Problem, nu: f64) -> Problem {
    let group: Vec<usize> = problem.target.iter().map(|t| usize::from(*t > 0.0)).collect();
    let bound = |k: usize| if group[k] == 1 { problem.high[k] } else { problem.low[k] };
    let half = 0.5 * nu * (0..group.len()).map(|k| bound(k).abs()).sum::<f64>();
    let mut left = [half, half];
    let start = (0..group.len()).map(|k| {
        let b = bound(k).abs().min(left[group[k]]);
        left[group[k]] -= b;
        b.copysign(bound(k))
    });
    Problem { start: Some(start.collect()), group, ..problem.clone() }
}

/// The greatest share of rows beyond the margin and the least of support vectors, of all pairs of classes, by weight.
struct Shares {
    beyond: f64,
    support: f64,
}

impl Default for Shares {
    fn default() -> Self {
        Shares { beyond: 0.0, support: 1.0 }
    }
}

impl Shares {
    fn add(&mut self, problem: &Problem, solution: &Solution) {
        let bounds: Vec<f64> = problem.low.iter().zip(&problem.high).map(|(low, high)| high.max(-low)).collect();
        let share = |counts: &dyn Fn(f64, f64) -> bool| {
            let of = solution.coef.iter().zip(&bounds).filter(|(b, bound)| counts(b.abs(), **bound)).map(|(_, bound)| bound);
            of.sum::<f64>() / bounds.iter().sum::<f64>()
        };
        self.beyond = self.beyond.max(share(&|b, bound| b >= bound * (1.0 - ROUNDING)));
        self.support = self.support.min(share(&|b, _| b > 0.0));
    }

    fn note(&self, nu: f64) -> String {
        let percent = |share: f64| format!("{:.1}%", 100.0 * share);
        format!(
            "nu = {} lies between the share of margin errors, {} at most, and of support vectors, {} at least",
            percent(nu),
            percent(self.beyond),
            percent(self.support)
        )
    }
}

/// The penalty C of `svc` that gives the same machines.
fn equivalent(scales: &[f64]) -> String {
    let short = |x: f64| Value::Number(x).rounded(DIGITS).to_string();
    let (least, most) = scales.iter().fold((f64::INFINITY, 0.0f64), |(least, most), s| (least.min(*s), most.max(*s)));
    match scales {
        [one] => format!("svc with the penalty c = {} gives the same machine", short(*one)),
        _ => {
            format!("svc with penalties c from {} to {}, one for each pair of classes, gives the same machines", short(least), short(most))
        }
    }
}
