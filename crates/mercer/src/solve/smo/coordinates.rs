//! Problems whose features are known, K = Z Z' with Z of N x D, by coordinates: the work of a pass is that of reading Z, whatever
//! the support is.
//!
//! One b_i after another is put where it is best, w = Z'b kept beside them (see `solve::linear`). That sum b = delta is seen to by
//! the method of multipliers: with the multiplier o and a penalty rho,
//!
//! ```text
//! minimise    1/2 |Z'b|^2 - z'b + tube sum |b| + o (sum b - delta) + rho/2 (sum b - delta)^2    subject to  low_i <= b_i <= high_i
//! ```
//!
//! is the problem of a linear machine whose targets are z - o, with one more feature of sqrt(rho); then o <- o + rho (sum b - delta).
//! Once few variables may still change, pairs of them are moved by the kernel values among these, and the certificate of all
//! comes from Z in f64.
//!
//! References: Hsieh et al. (2008), dual coordinate descent; Hestenes (1969) and Powell (1969), multipliers.

use super::limits::coordinates::*;
use super::passes::Passes;
use super::state::ProblemState;
use super::{MARGIN, NARROW, Options, Problem, SolverJob, certificate, decompose};
use crate::error::Result;
use crate::gram::{Features, RowCache};
use crate::solve::linear::{self, Bands, DenseRows, Descent, Loss, Picked, RowAccess, SparseRows};
use rayon::prelude::*;

/// Whether a problem is one of a linear machine.
pub(super) fn is_linear(problem: &Problem) -> bool {
    let bounds = || problem.low.iter().zip(&problem.high);
    if !is_one_sided(problem) {
        return bounds().all(|(low, high)| *low == -high);
    }
    problem.tube == 0.0 && bounds().zip(&problem.target).all(|((low, high), z)| if *z > 0.0 { *low == 0.0 } else { *high == 0.0 })
}

fn is_one_sided(problem: &Problem) -> bool {
    problem.low.iter().zip(&problem.high).all(|(low, high)| *low == 0.0 || *high == 0.0)
}

/// Takes problems over the same features to their tolerance, or leaves them nearer to it.
pub(super) fn run(job: &SolverJob<'_>, states: &mut [&mut ProblemState<'_>]) -> Result<()> {
    let (Some(features), control) = (job.features, job.control) else { return Ok(()) };
    // Each of those that go on side by side has its share of the memory.
    let options = Options { cache_bytes: job.options.cache_bytes / states.len().max(1) as u64, ..job.options };
    let job = &SolverJob { options, ..*job };
    match features {
        Features::Dense(z) => {
            let (rows, cols, single) = (z.rows(), z.cols(), 4 * z.data().len() as u64);
            let exact = |constant: f64| DenseRows::new(z.data(), rows, cols, constant);
            if options.tolerance < NARROW || single > control.allowed() / 4 {
                return states.par_iter_mut().try_for_each(|state| one(features, &exact, &exact, state, job));
            }
            let mut rounded = vec![0.0f32; z.data().len()];
            let pieces = rounded.par_chunks_mut(1 << 16).zip(z.data().par_chunks(1 << 16));
            pieces.for_each(|(out, some)| out.iter_mut().zip(some).for_each(|(o, v)| *o = *v as f32));
            let near = |constant: f64| DenseRows::new(&rounded, rows, cols, constant);
            states.par_iter_mut().try_for_each(|state| one(features, &near, &exact, state, job))
        }
        Features::Sparse(z) => {
            let (starts, columns, values) = z.parts();
            let exact = |constant: f64| SparseRows::new(starts, columns, values, z.cols(), constant);
            states.par_iter_mut().try_for_each(|state| one(features, &exact, &exact, state, job))
        }
    }
}

/// One problem: coordinates by rows that may be rounded, certificates by those that are not; both for the root of rho.
fn one<R: RowAccess, E: RowAccess>(
    features: &Features<'_>,
    rows: &(impl Fn(f64) -> R + Sync),
    exact: &(impl Fn(f64) -> E + Sync),
    state: &mut ProblemState<'_>,
    job: &SolverJob<'_>,
) -> Result<()> {
    let mean = state.diagonal.iter().sum::<f64>() / state.diagonal.len().max(1) as f64;
    let penalty = PENALTY * mean;
    if !(penalty > 0.0 && penalty.is_finite()) {
        return Ok(());
    }
    let p = state.problem;
    let cost = p.low.iter().zip(&p.high).map(|(low, high)| high.max(-low)).collect();
    let loss = Loss { one_sided: is_one_sided(p), squared: false, tube: p.tube };
    let problem = linear::Problem { target: p.target.clone(), cost, loss };
    let (rows, exact, list) = (rows(penalty.sqrt()), exact(penalty.sqrt()), &state.problem.row);
    let (rows, exact) = (Picked { of: &rows, list }, Picked { of: &exact, list });
    let squares: Vec<f64> = state.diagonal.iter().map(|k| k + penalty).collect();
    let descent = Descent::new(&rows, &squares, &problem, 0);
    let sum = state.coef.iter().sum();
    Turns { bands: Bands::new(&exact, true), exact: &exact, features, descent, sum, state, job }.take()
}

/// Coordinates and pairs in turns.
struct Turns<'r, 'd, 's, 'p, R, E> {
    exact: &'r E,
    bands: Bands,
    features: &'r Features<'r>,
    descent: Descent<'d, R>,
    /// delta.
    sum: f64,
    state: &'s mut ProblemState<'p>,
    job: &'r SolverJob<'r>,
}

impl<R: RowAccess, E: RowAccess> Turns<'_, '_, '_, '_, R, E> {
    fn take(&mut self) -> Result<()> {
        let mut aim = FIRST * self.job.options.tolerance;
        let (most, passes) = match self.features {
            Features::Dense(z) => (PAIRS.0.max(PAIRS.1 * z.cols()), PASSES.0),
            Features::Sparse(_) => (PAIRS_OF_SPARSE, PASSES.1),
        };
        if self.state.is_moved() && self.look(false)? {
            return Ok(());
        }
        let mut last = f64::INFINITY;
        for _ in 0..TURNS {
            let quality = certificate::of(self.state);
            let unsettled: Vec<usize> = self.state.unsettled(&quality).collect();
            let ended = if unsettled.len() <= most && quality.violation <= HALF * last {
                last = quality.violation;
                if self.job.options.tolerance >= NARROW {
                    self.pairs::<f32>(&unsettled)?
                } else {
                    self.pairs::<f64>(&unsettled)?
                }
                false
            } else {
                last = f64::INFINITY;
                let ended = !self.descend(aim, most / 2, passes)?;
                self.balance();
                aim = (NEXT * aim).max(LEAST * self.job.options.tolerance);
                ended
            };
            if self.look(ended)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Passes of coordinates until no slope is above `aim`, `few` rows are left or passes are too many; false where a limit is met.
    fn descend(&mut self, aim: f64, few: usize, passes: usize) -> Result<bool> {
        self.descent.take_all();
        let (constant, last) = (self.exact.constant(), self.exact.width() - 1);
        for _ in 0..passes {
            if self.state.iterations >= self.job.options.max_iterations {
                return Ok(false);
            }
            let whole = self.descent.takes_all();
            let Some(met) = self.descent.pass(self.job.control)? else { return Ok(false) };
            self.state.iterations += 1;
            let off = constant * self.descent.weights[last];
            self.descent.shift += off;
            if met.steepest() > aim {
                self.descent.leave_out(met, HELD);
                if self.descent.active() <= few {
                    return Ok(true);
                }
            } else if whole && off.abs() <= aim {
                return Ok(true);
            } else {
                self.descent.take_all();
            }
        }
        Ok(true)
    }

    /// Takes over the point of the descent, its sum brought to delta by the variables between their bounds.
    fn balance(&mut self) {
        let p = self.state.problem;
        self.state.coef = self.descent.coef();
        let coef = &mut self.state.coef;
        let over: f64 = coef.iter().sum::<f64>() - self.sum;
        // How far a variable may go the way that is asked for, without crossing 0.
        let room = |k: usize, b: f64| match (over > 0.0, b) {
            (true, b) if b > 0.0 => b - p.low[k].max(0.0),
            (true, b) => b - p.low[k],
            (false, b) if b < 0.0 => p.high[k].min(0.0) - b,
            (false, b) => p.high[k] - b,
        };
        let free = |k: usize, b: f64| b != 0.0 && b > p.low[k] && b < p.high[k];
        for among_free in [true, false] {
            let over = coef.iter().sum::<f64>() - self.sum;
            let all: f64 = coef.iter().enumerate().filter(|(k, b)| !among_free || free(*k, **b)).map(|(k, b)| room(k, *b)).sum();
            if over == 0.0 || all == 0.0 {
                continue;
            }
            let share = (over.abs() / all).min(1.0) * over.signum();
            for (k, b) in coef.iter_mut().enumerate().filter(|(k, b)| !among_free || free(*k, **b)) {
                *b = (*b - share * room(k, *b)).clamp(p.low[k], p.high[k]);
            }
            if share.abs() < 1.0 {
                break;
            }
        }
    }

    /// f = Z (Z'b), and the descent goes to b.
    fn refresh(&mut self) -> Result<()> {
        let (rows, coef, look) = (self.exact, &self.state.coef, &|| self.job.control.check());
        let (mut weights, _) = self.bands.sum(rows.width(), look, |i, sum, _: &mut [f64; 0]| {
            if coef[i] != 0.0 {
                rows.add(i, coef[i], sum);
            }
        })?;
        let last = rows.width() - 1;
        weights[last] = 0.0;
        self.bands.map(&mut self.state.values, look, |i, f| *f = rows.dot(i, &weights))?;
        self.descent.go_to(coef, weights);
        Ok(())
    }

    /// Computes f and the certificate anew; whether nothing more is to be done.
    fn look(&mut self, ended: bool) -> Result<bool> {
        self.refresh()?;
        self.state.finite()?;
        let quality = certificate::of(self.state);
        let spent = ended || self.state.iterations >= self.job.options.max_iterations;
        self.state.end_if(spent || quality.within(MARGIN * self.job.options.tolerance));
        self.descent.shift = quality.levels[0].offset();
        Ok(self.state.is_done())
    }

    /// Moves pairs of some variables to the tolerance, by the kernel values among them.
    fn pairs<T: Passes>(&mut self, variables: &[usize]) -> Result<()> {
        let rows: Vec<usize> = variables.iter().map(|&k| self.state.problem.row[k]).collect();
        let gram = self.features.select_rows(&rows).into_gram();
        let problem = self.state.problem_of(variables, (0..variables.len()).collect());
        let mut part = self.state.part_from_here(&problem, variables);
        let mut cache = RowCache::<T>::new(&gram, self.job.options.cache_bytes);
        let max_iterations = self.job.options.max_iterations.min(part.iterations + STEPS * variables.len());
        decompose::run(&mut [&mut part], &mut cache, &Options { max_iterations, ..self.job.options }, 0, self.job.control)?;
        self.state.take(&part, variables);
        Ok(())
    }
}
