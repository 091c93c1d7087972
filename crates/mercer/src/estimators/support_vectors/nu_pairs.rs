//! What nu adds to the machines of pairs of classes: its range, the problems whose coefficients have given sums, and what is reported of it.

use super::model::SvcRows;
use super::nu::GOAL;
use super::pair_problems::PairProblems;
use crate::error::{Error, Result};
use crate::gram::Gram;
use crate::param::Value;
use crate::solve::smo::{self, Options, Problem, Solution};
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
    ///
    /// The share g(C) = sum |b| / (C M) falls as C rises, and at g(C) = nu the machine of C is that of nu: C is found by regula falsi on
    /// log C, each solution started from the last one, scaled.
    pub(super) fn solve(
        &mut self,
        gram: &dyn Gram,
        all: &PairProblems<'_>,
        some: Range<usize>,
        rows: &SvcRows<'_>,
    ) -> Result<(Vec<Problem>, Vec<Solution>)> {
        // Values of C that are tried; eight are usual.
        const ROUNDS: usize = 60;
        let first = 1.0 / rows.task.mean_square()?;
        let mut searches: Vec<PenaltySearch> =
            all.problems(some.clone(), None).into_iter().map(|problem| PenaltySearch::new(problem, self.nu, first)).collect();
        for _ in 0..ROUNDS {
            let mut open: Vec<&mut PenaltySearch> = searches.iter_mut().filter(|s| s.end.is_none()).collect();
            if open.is_empty() {
                break;
            }
            let problems: Vec<Problem> = open.iter().map(|s| s.scaled()).collect();
            let known: Vec<Option<&[f64]>> = open.iter().map(|s| s.values.as_deref()).collect();
            let goal = Options { tolerance: GOAL * rows.options.tolerance, ..rows.options };
            let solutions = smo::solve_from(gram, &problems, &known, &goal, rows.task.control)?;
            drop(known);
            open.iter_mut().zip(solutions).for_each(|(search, solution)| search.take(solution, rows.options.tolerance));
        }
        let (mut problems, mut solutions) = (Vec::with_capacity(searches.len()), Vec::with_capacity(searches.len()));
        for (search, &(a, b)) in searches.into_iter().zip(&all.pairs[some]) {
            let flat = search.end == Some(SearchEnd::NoMargin);
            let Some(solution) = search.solution.as_ref().filter(|_| !flat) else {
                return Err(Error::Numerical {
                    what: format!("{}(nu={})", rows.name, self.nu),
                    why: format!(
                        "no margin is left between classes '{}' and '{}', as means of so many of their rows coincide; lower nu, or take a kernel \
                         that tells the classes apart",
                        rows.names[a], rows.names[b]
                    ),
                });
            };
            self.scales.push(search.c);
            let tolerance = rows.options.tolerance;
            let converged = search.end == Some(SearchEnd::Found) && solution.gap <= tolerance && solution.violation <= tolerance;
            solutions.push(Solution { converged, iterations: search.iterations, ..solution.clone() });
            problems.push(Problem { start: None, ..search.scaled() });
        }
        problems.iter().zip(&solutions).for_each(|(p, s)| self.shares.add(p, s));
        Ok((problems, solutions))
    }

    /// How nu lies between the shares that it bounds, and the penalty that gives the same machines.
    pub(super) fn notes(&self) -> [String; 2] {
        [self.shares.note(self.nu), equivalent(&self.scales)]
    }
}

/// How a search of C ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchEnd {
    Found,
    /// Time or steps were up.
    Stopped,
    /// The share stays above nu, however large C is.
    NoMargin,
}

/// The search of the penalty C of the machine of nu.
struct PenaltySearch {
    /// Of C = 1.
    problem: Problem,
    nu: f64,
    /// The C that is solved, and the first one.
    c: f64,
    first: f64,
    /// log C and log(g / nu) of the tightest bounds: of the share above nu, and below.
    above: Option<[f64; 2]>,
    below: Option<[f64; 2]>,
    solution: Option<Solution>,
    /// K b of the next start.
    values: Option<Vec<f64>>,
    iterations: usize,
    end: Option<SearchEnd>,
}

impl PenaltySearch {
    fn new(problem: Problem, nu: f64, first: f64) -> Self {
        let start = Some(vec![0.0; problem.target.len()]);
        let problem = Problem { start, ..problem };
        PenaltySearch { problem, nu, c: first, first, above: None, below: None, solution: None, values: None, iterations: 0, end: None }
    }

    /// The problem at C, its start within the bounds in spite of rounding.
    fn scaled(&self) -> Problem {
        let times = |list: &[f64]| -> Vec<f64> { list.iter().map(|b| self.c * b).collect() };
        let (low, high) = (times(&self.problem.low), times(&self.problem.high));
        let within = |(b, (low, high)): (&f64, (&f64, &f64))| b.clamp(*low, *high);
        let start = self.problem.start.as_ref().map(|start| start.iter().zip(low.iter().zip(&high)).map(within).collect());
        Problem { low, high, start, ..self.problem.clone() }
    }

    /// Takes the solution at C and moves to the next C.
    fn take(&mut self, solution: Solution, tolerance: f64) {
        // A bracket of log C that is rounding.
        const NARROW: f64 = 1e-12;
        // C is no more than so many times 1 / the mean of k(x, x): machines of larger ones have no margin in working precision.
        const MOST_C: f64 = 1e10;
        // The least step of log C where the root is not bracketed.
        const STRIDE: f64 = 1.4;
        // How near the share of the coefficients comes to nu, as a share of the tolerance.
        const SHARE: f64 = 0.01;
        self.iterations += solution.iterations;
        let mass: f64 = self.problem.low.iter().zip(&self.problem.high).map(|(low, high)| high.max(-low)).sum();
        let size: f64 = solution.coef.iter().map(|b| b.abs()).sum();
        let (log_c, excess) = (self.c.ln(), (size / (self.c * mass * self.nu)).ln());
        // Solutions are as exact as the tolerance of decision values.
        self.end = match excess {
            e if e.abs() <= SHARE * tolerance => Some(SearchEnd::Found),
            _ if !solution.converged => Some(SearchEnd::Stopped),
            e if e > 0.0 && self.c > MOST_C * self.first => Some(SearchEnd::NoMargin),
            _ => None,
        };
        let side = if excess > 0.0 { &mut self.above } else { &mut self.below };
        // The bound that stays counts half, so that both sides move (Illinois).
        let stays = side.is_some();
        *side = Some([log_c, excess]);
        if stays && let Some(other) = if excess > 0.0 { &mut self.below } else { &mut self.above } {
            other[1] *= 0.5;
        }
        let next = match (self.above, self.below) {
            (Some([a, of_a]), Some([b, of_b])) => (a * of_b - b * of_a) / (of_b - of_a),
            // As if the sum of the coefficients stayed, and twice as far at least.
            _ => log_c + if excess > 0.0 { excess.max(STRIDE) } else { excess.min(-STRIDE) },
        };
        let is_narrow = self.above.zip(self.below).is_some_and(|(a, b)| (a[0] - b[0]).abs() <= NARROW);
        self.end = self.end.or(is_narrow.then_some(SearchEnd::Found));
        if self.end.is_none() {
            let by = next.exp() / self.c;
            self.problem.start = Some(solution.coef.iter().map(|b| b * by).collect());
            self.values = solution.values.as_ref().map(|f| f.iter().map(|f| f * by).collect());
            self.c = next.exp();
        }
        self.solution = Some(solution);
    }
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
