//! What nu adds to the machines of pairs of classes: its range, the problems whose coefficients have given sums, and what is reported of it.

use super::model::SvcRows;
use super::nu::GOAL;
use super::pair_problems::PairProblems;
use crate::error::{Error, Result};
use crate::gram::{Dense, Gram, Subset};
use crate::param::Value;
use crate::solve::smo::{KnownValues, Options, Precision, Problem, Proof, Solution, SolverSession};
use std::ops::Range;

/// The tolerance of a sample of the rows, and of the first solution that starts from it.
const OF_SAMPLE: f64 = 0.01;
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
    /// The share g = sum |b| / (C M) rises with 1 / C, and at g = nu the machine of C is that of nu. It is piecewise linear in 1 / C (Hastie,
    /// Rosset, Tibshirani and Zhu 2004): secants find C, each solution started from the last one, scaled, first to a coarse tolerance.
    pub(super) fn solve(
        &mut self,
        gram: &dyn Gram,
        all: &PairProblems<'_>,
        some: Range<usize>,
        rows: &SvcRows<'_>,
    ) -> Result<(Vec<Problem>, Vec<Solution>)> {
        let first = rows.task.mean_square()?;
        let mut searches = Vec::with_capacity(some.len());
        for problem in all.problems(some.clone(), None) {
            let hint = self.hint_of_sample(gram, &problem, first, rows)?;
            searches.push(PenaltySearch::new(problem, self.nu, first, GOAL * rows.options.tolerance, hint));
        }
        find(&mut searches, gram, rows)?;
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
            self.scales.push(1.0 / search.inverse);
            let tolerance = rows.options.tolerance;
            let converged = search.end == Some(SearchEnd::Found) && solution.gap <= tolerance && solution.violation <= tolerance;
            solutions.push(Solution { converged, iterations: search.iterations, ..solution.clone() });
            problems.push(Problem { start: None, ..search.scaled() });
        }
        problems.iter().zip(&solutions).for_each(|(p, s)| self.shares.add(p, s));
        Ok((problems, solutions))
    }

    /// What a sample of the rows tells of the search over all of them.
    fn hint_of_sample(&self, gram: &dyn Gram, problem: &Problem, first: f64, rows: &SvcRows<'_>) -> Result<Option<PenaltyHint>> {
        // Rows of a sample, and how many times as many a problem has that takes one: kernel values of the sample are a sixteenth.
        const SAMPLE: usize = 1024;
        const LARGER: usize = 4;
        let count = problem.row.len();
        if count < LARGER * SAMPLE {
            return Ok(None);
        }
        // Rows at equal steps through one class and then the other.
        let (first_class, second): (Vec<usize>, Vec<usize>) = (0..count).partition(|&k| problem.high[k] == 0.0);
        let in_turn = [first_class, second].concat();
        let mut some: Vec<usize> = (0..SAMPLE).map(|k| in_turn[k * count / SAMPLE]).collect();
        some.sort_unstable();
        let pick = |list: &[f64]| -> Vec<f64> { some.iter().map(|&k| list[k]).collect() };
        let sample = Problem {
            row: (0..SAMPLE).collect(),
            target: pick(&problem.target),
            low: pick(&problem.low),
            high: pick(&problem.high),
            ..Problem::default()
        };
        let places: Vec<usize> = some.iter().map(|&k| problem.row[k]).collect();
        // Whatever is in the way is met again over all rows.
        let Ok(k) = Dense::of(&Subset::new(gram, &places, &places), rows.task.control) else { return Ok(None) };
        let share = mass(&sample) / mass(problem);
        let mut search = PenaltySearch::new(sample, self.nu, first, OF_SAMPLE, None);
        find(std::slice::from_mut(&mut search), &k, rows)?;
        // Over all rows the penalty of a row is as much smaller as they weigh more.
        let hint = |slope| PenaltyHint { inverse: search.inverse / share, slope: slope * share };
        Ok(search.slope.filter(|_| search.end == Some(SearchEnd::Found)).map(hint))
    }

    /// How nu lies between the shares that it bounds, and the penalty that gives the same machines.
    pub(super) fn notes(&self) -> [String; 2] {
        [self.shares.note(self.nu), equivalent(&self.scales)]
    }
}

/// Takes searches to their ends; they share kernel values.
fn find(searches: &mut [PenaltySearch], gram: &dyn Gram, rows: &SvcRows<'_>) -> Result<()> {
    // Solutions of a search; eight are usual, of which the last few take most of the steps.
    const ROUNDS: usize = 100;
    let mut session = SolverSession::new(gram)?;
    for _ in 0..ROUNDS {
        // Those that have found C wait for the others: one certificate for all.
        let proof = if searches.iter().any(|s| s.end.is_none() && s.proof == Proof::AsStepped) { Proof::AsStepped } else { Proof::Exact };
        let mut open: Vec<&mut PenaltySearch> = searches.iter_mut().filter(|s| s.end.is_none() && s.proof == proof).collect();
        if open.is_empty() {
            break;
        }
        let problems: Vec<Problem> = open.iter().map(|s| s.scaled()).collect();
        let known: Vec<Option<KnownValues<'_>>> = open.iter().map(|s| s.known()).collect();
        let tolerance = open.iter().map(|s| s.tolerance).fold(f64::INFINITY, f64::min);
        let solutions = session.solve(&problems, &known, proof, &Options { tolerance, ..rows.options }, rows.task.control)?;
        drop(known);
        open.iter_mut().zip(solutions).for_each(|(search, solution)| search.take(solution));
    }
    Ok(())
}

/// The sum of the bounds of a problem.
fn mass(problem: &Problem) -> f64 {
    problem.low.iter().zip(&problem.high).map(|(low, high)| high.max(-low)).sum()
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

/// The search of the penalty C of the machine of nu: of 1 / C, in which the share is piecewise linear and rises.
struct PenaltySearch {
    /// Of C = 1.
    problem: Problem,
    nu: f64,
    /// 1 / C of the problem that is solved, and of the first one.
    inverse: f64,
    first: f64,
    /// The tolerance of the solutions, coarse while the share is far from nu, and the last one.
    tolerance: f64,
    last_tolerance: f64,
    /// The tightest bounds at this tolerance: of the share above nu, and below.
    above: Option<SharePoint>,
    below: Option<SharePoint>,
    last: Option<SharePoint>,
    /// By how much the share rises with 1 / C, relative to nu, between the last two solutions.
    slope: Option<f64>,
    solution: Option<Solution>,
    /// K b of the next start, and how exact it is.
    values: Option<(Vec<f64>, Precision)>,
    /// Exact where the last solution has ended the search, but has no certificate in f64.
    proof: Proof,
    iterations: usize,
    end: Option<SearchEnd>,
}

/// Where the search over all rows starts: 1 / C, and by how much the share rises with it.
#[derive(Clone, Copy)]
struct PenaltyHint {
    inverse: f64,
    slope: f64,
}

/// 1 / C and the share of its machine, relative to nu, less 1.
#[derive(Clone, Copy)]
struct SharePoint {
    inverse: f64,
    excess: f64,
}

impl PenaltySearch {
    /// From 1 / C = `first`, or from the hint of a sample.
    fn new(problem: Problem, nu: f64, first: f64, last_tolerance: f64, hint: Option<PenaltyHint>) -> Self {
        // The tolerance of first solutions, which only find the order of magnitude of C.
        const COARSE: f64 = 0.1;
        let start = Some(vec![0.0; problem.target.len()]);
        PenaltySearch {
            problem: Problem { start, ..problem },
            nu,
            inverse: hint.map_or(first, |hint| hint.inverse),
            first,
            tolerance: if hint.is_some() { OF_SAMPLE } else { COARSE }.max(last_tolerance),
            last_tolerance,
            above: None,
            below: None,
            last: None,
            slope: hint.map(|hint| hint.slope),
            solution: None,
            values: None,
            proof: Proof::AsStepped,
            iterations: 0,
            end: None,
        }
    }

    fn known(&self) -> Option<KnownValues<'_>> {
        self.values.as_ref().map(|(values, precision)| KnownValues { values, precision: *precision })
    }

    /// The problem at C, its start within the bounds in spite of rounding.
    fn scaled(&self) -> Problem {
        let times = |list: &[f64]| -> Vec<f64> { list.iter().map(|b| b / self.inverse).collect() };
        let (low, high) = (times(&self.problem.low), times(&self.problem.high));
        let within = |(b, (low, high)): (&f64, (&f64, &f64))| b.clamp(*low, *high);
        let start = self.problem.start.as_ref().map(|start| start.iter().zip(low.iter().zip(&high)).map(within).collect());
        Problem { low, high, start, ..self.problem.clone() }
    }

    /// Takes the solution at C, and moves to the next C or to a tighter tolerance.
    fn take(&mut self, solution: Solution) {
        // A bracket of log C that is rounding.
        const NARROW: f64 = 1e-12;
        // 1 / C is no less than this share of the first: machines of larger C have no margin in working precision.
        const LEAST: f64 = 1e-10;
        // How near the share of the coefficients comes to nu, as a share of the tolerance.
        const SHARE: f64 = 0.1;
        // The next tolerance as a share of the last.
        const TIGHTER: f64 = 0.03;
        self.iterations += solution.iterations;
        let size: f64 = solution.coef.iter().map(|b| b.abs()).sum();
        let point = SharePoint { inverse: self.inverse, excess: size * self.inverse / (mass(&self.problem) * self.nu) - 1.0 };
        let is_last = self.tolerance <= self.last_tolerance;
        // Solutions are as exact as the tolerance of decision values.
        let is_near = point.excess.abs() <= if is_last { SHARE * self.tolerance } else { self.tolerance };
        let is_narrow = self.above.zip(self.below).is_some_and(|(a, b)| (a.inverse / b.inverse).ln().abs() <= NARROW);
        self.end = match is_last && (is_near || is_narrow) {
            true => Some(SearchEnd::Found),
            _ if !solution.converged => Some(SearchEnd::Stopped),
            _ if point.excess > 0.0 && self.inverse < LEAST * self.first => Some(SearchEnd::NoMargin),
            _ => None,
        };
        let is_unproven = self.end.is_some() && solution.precision == Precision::Stepped;
        self.proof = if is_unproven { Proof::Exact } else { Proof::AsStepped };
        if is_unproven {
            (self.end, self.problem.start) = (None, Some(solution.coef));
            self.values = Some((solution.values, solution.precision));
            return;
        }
        if self.end.is_none() {
            let next = self.next(point);
            if !is_last && (is_near || is_narrow) {
                // What coarse solutions bracket may lie outside.
                (self.above, self.below) = (None, None);
                self.tolerance = (TIGHTER * self.tolerance).max(self.last_tolerance);
            }
            let by = self.inverse / next;
            self.problem.start = Some(solution.coef.iter().map(|b| b * by).collect());
            self.values = Some((solution.values.iter().map(|f| f * by).collect(), solution.precision));
            self.inverse = next;
        }
        self.solution = Some(solution);
    }

    /// The next 1 / C: by the secant of the last two, within the bounds, or by regula falsi between them.
    fn next(&mut self, point: SharePoint) -> f64 {
        // The most of log C in a step where the root is not bracketed.
        const STRIDE: f64 = 1.4;
        let rises = |from: SharePoint| (point.excess - from.excess) / (point.inverse - from.inverse);
        self.slope = self.last.map(rises).filter(|slope| *slope > 0.0 && slope.is_finite()).or(self.slope);
        self.last = Some(point);
        let side = if point.excess > 0.0 { &mut self.above } else { &mut self.below };
        // The bound that stays counts half, so that both sides move (Illinois).
        let stays = side.replace(point).is_some();
        if stays && let Some(other) = if point.excess > 0.0 { &mut self.below } else { &mut self.above } {
            other.excess *= 0.5;
        }
        let secant = self.slope.map(|slope| point.inverse - point.excess / slope);
        match (self.above, self.below) {
            (Some(a), Some(b)) => {
                let inside = |x: &f64| *x > a.inverse.min(b.inverse) && *x < a.inverse.max(b.inverse);
                secant.filter(inside).unwrap_or((a.inverse * b.excess - b.inverse * a.excess) / (b.excess - a.excess))
            }
            // As if the sum of the coefficients stayed, and a stride at least.
            _ => {
                let stride = STRIDE.copysign(point.excess);
                let far = point.inverse * (-stride).exp();
                let free = secant.unwrap_or(if point.excess > 0.0 { far.min(point.inverse / (1.0 + point.excess)) } else { far });
                free.max(point.inverse * (-STRIDE).exp()).min(point.inverse * STRIDE.exp())
            }
        }
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
