//! What nu adds to the machines of pairs of classes: its range, the problems whose coefficients have given sums, and what is reported of it.

use super::model::SvcRows;
use super::nu::{self, InUnit};
use super::pair_problems::PairProblems;
use crate::error::{Error, Result};
use crate::gram::Gram;
use crate::param::Value;
use crate::solve::smo::{Problem, Solution};
use std::ops::Range;

/// A share of nu that is rounding.
const ROUNDING: f64 = 1e-12;
/// Digits of numbers in messages.
const DIGITS: usize = 4;

/// nu of machines of pairs of classes, with what their solutions say of it.
pub(super) struct NuPairs {
    nu: f64,
    /// The penalty C of each machine.
    scales: Vec<f64>,
    shares: Shares,
}

impl NuPairs {
    /// An error where some pair of classes has no solution: its lighter class has less than nu / 2 of the weight of both.
    pub(super) fn of(nu: f64, rows: &SvcRows<'_>) -> Result<NuPairs> {
        let (present, mass, names) = (&rows.present, &rows.mass, rows.names);
        let found = NuPairs { nu, scales: Vec::new(), shares: Shares::default() };
        let lightest = |a: &&usize, b: &&usize| mass[**a].total_cmp(&mass[**b]);
        let (Some(&a), Some(&b)) = (present.iter().min_by(lightest), present.iter().max_by(lightest)) else { return Ok(found) };
        let most = 2.0 * mass[a] / (mass[a] + mass[b]);
        if a == b || nu <= most * (1.0 + ROUNDING) {
            return Ok(found);
        }
        let short = |x: f64| Value::Number(x).rounded(DIGITS).to_string();
        // Not rounded up.
        let most_shown = (most * 1e4).floor() / 1e4;
        Err(Error::Data(format!(
            "{}(nu={}): the specified nu is infeasible: it is above 0 and at most {most_shown}, as the rows of class '{}' weigh {} and those of class '{}' {}; \
             lower nu, or weigh classes alike by class_weight=balanced",
            rows.name,
            short(nu),
            names[a],
            short(mass[a]),
            names[b],
            short(mass[b])
        )))
    }

    /// Solves some pairs: the problems of the equivalent C-SVC, and their solutions.
    pub(super) fn solve(
        &mut self,
        gram: &dyn Gram,
        all: &PairProblems<'_>,
        some: Range<usize>,
        rows: &SvcRows<'_>,
    ) -> Result<(Vec<Problem>, Vec<Solution>)> {
        let (nu, names, task) = (self.nu, rows.names, rows.task);
        let mut problems = all.problems(some.clone(), None);
        let with_sums: Vec<Problem> = problems.iter().map(|p| with_sums(p, nu)).collect();
        let solved = nu::solve(gram, &with_sums, task.mean_square()?, &rows.options, task.control)?;
        let mut solutions = Vec::with_capacity(solved.len());
        for ((problem, InUnit { solution, scale, flat, .. }), &(a, b)) in problems.iter_mut().zip(solved).zip(&all.pairs[some]) {
            if flat {
                return Err(Error::Data(format!(
                    "{}(nu={nu}): no margin is left between classes '{}' and '{}', as means of so many of their rows coincide; lower nu, or take \
                     a kernel that tells the classes apart",
                    rows.name, names[a], names[b]
                )));
            }
            [&mut problem.low, &mut problem.high].into_iter().flatten().for_each(|bound| *bound *= scale);
            self.scales.push(scale);
            solutions.push(solution);
        }
        problems.iter().zip(&solutions).for_each(|(p, s)| self.shares.add(p, s));
        Ok((problems, solutions))
    }

    /// How nu lies between the shares that it bounds, and the penalty that gives the same machines.
    pub(super) fn notes(&self) -> [String; 2] {
        [self.shares.note(self.nu), equivalent(&self.scales)]
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
