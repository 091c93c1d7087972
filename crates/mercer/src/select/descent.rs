//! A descent of an estimator's smooth criterion from numbers of a kernel that are given, within ends that are given for each of
//! them: a search with a given starting point. [`Search`](super::Search) finds starts and ends itself.
//!
//! Samples of the rows go first: evidence is a sum over rows, roughly, so that on a sample it has its least value nearby, and its
//! curvature there, in proportion to the rows, is what the few steps on all rows begin with.

use super::free::{Free, Setting};
use super::tune::{Left, criterion_at};
use crate::control::Control;
use crate::data::{Examples, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::EstimatorExpr;
use crate::kernels::KernelExpr;
use crate::linalg::Matrix;
use crate::solve::{Ended, Minimiser, Minimum, Point, positive};
use crate::validity::require_symmetric;
use std::cell::RefCell;

/// A step that lowers the criterion by less, relative to its size, is the last but one: on all rows, and on a sample of them.
const DECREASE: [f64; 2] = [2e-9, 1e-5];
/// No entry of the gradient by logarithms is greater at the end.
const GRADIENT: [f64; 2] = [1e-5, 1e-3];
const STEPS: usize = 1000;
/// Each sample has so many times the rows of the one before, and the first of them so many at least.
const GROWTH: f64 = 2.7;
const LEAST_ROWS: usize = 120;
/// The differences that curvature is made of on the last sample cost no more than so many evaluations on all rows.
const DIFFERENCES: f64 = 2.0;
/// A difference of logarithms.
const APART: f64 = 1e-3;

/// Where descents ended.
#[derive(Clone, Debug)]
pub struct Descent {
    /// The kernel with the best numbers found.
    pub kernel: KernelExpr,
    /// These numbers alone, in the order of the kernel's.
    pub numbers: Vec<f64>,
    /// The criterion there.
    pub value: f64,
    /// Evaluations of the criterion and its gradient, on all rows.
    pub evaluations: usize,
    /// Whether the descent to it met a tolerance.
    pub converged: bool,
}

/// The criterion as a function of coordinates.
struct Slope<'a> {
    start: &'a Setting,
    free: &'a [Free],
    control: &'a Control,
    seed: u64,
    /// The least value on all rows so far, and where it is.
    best: RefCell<Option<(f64, Vec<f64>)>>,
}

impl Slope<'_> {
    /// On all rows.
    fn on_all<'e>(&'e self, examples: Examples<'e>, evaluations: &'e mut usize) -> impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)> + 'e {
        let mut on = self.on(examples, evaluations);
        move |x| {
            let found = on(x)?;
            let mut best = self.best.borrow_mut();
            if best.as_ref().is_none_or(|(least, _)| found.0 < *least) {
                *best = Some((found.0, x.to_vec()));
            }
            Ok(found)
        }
    }

    /// On some rows. Values on the way begin from where the last one ended.
    fn on<'e>(&'e self, examples: Examples<'e>, evaluations: &'e mut usize) -> impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)> + 'e {
        let mut left = Left::before(self.start, self.free, &examples);
        move |x| {
            *evaluations += 1;
            self.control.tell("evaluations of the criterion", *evaluations, STEPS.max(*evaluations));
            let found = criterion_at(x, self.start, self.free, &examples, self.control, self.seed, &mut left)?;
            Ok((found.value, found.slopes))
        }
    }

    fn solver(&self, sample: bool) -> Minimiser {
        let bounds = self.free.iter().map(Free::bounds).collect();
        let of = usize::from(sample);
        Minimiser { max_iterations: STEPS, tolerance: GRADIENT[of], decrease: DECREASE[of], ..Minimiser::new(bounds) }
    }

    /// The end of descents on samples of the rows, each from the end of the one before, and the curvature there in proportion to all
    /// rows; `None` where rows are few, or numbers break down.
    fn by_samples(&self, examples: &Examples<'_>, x: &[f64]) -> Result<Option<(Vec<f64>, Option<Matrix>)>> {
        let sizes = sizes(examples.rows());
        let (mut x, mut curvature, mut rows) = (x.to_vec(), None, 0);
        for &size in &sizes {
            let sample = examples.select(&some_rows_of(examples.target, size, self.seed));
            let mut evaluations = 0;
            let mut evaluate = self.on(sample.examples(), &mut evaluations);
            let solver = self.solver(true);
            let found = solver.point(&mut evaluate, &x).and_then(|at| {
                let before = curvature.take().map(|b| in_proportion(b, size, rows));
                let Ended { minimum, gradient, curvature } = solver.minimise_from(&mut evaluate, at, before, self.control)?;
                let last = size == sizes[sizes.len() - 1];
                let cost = self.free.len() as f64 * (size as f64 / examples.rows() as f64).powi(3);
                let exact = last && cost <= DIFFERENCES && !self.control.out_of_time();
                let curvature = if exact { Some(differences(&mut evaluate, &minimum.x, &gradient, &solver)?) } else { curvature };
                Ok((minimum.x, curvature))
            });
            match found {
                Ok(found) => ((x, curvature), rows) = (found, size),
                Err(Error::Numerical { .. } | Error::Data(_)) => return Ok(None),
                Err(other) => return Err(other),
            }
        }
        Ok((rows > 0).then(|| (x, curvature.map(|b| in_proportion(b, examples.rows(), rows)))))
    }

    /// The least value that a start leads to.
    fn from(&self, examples: &Examples<'_>, x: &[f64], evaluations: &mut usize) -> Result<Minimum> {
        let solver = self.solver(false);
        let mut evaluate = self.on_all(*examples, evaluations);
        let given = solver.point(&mut evaluate, x)?;
        let sampled = if solver.is_least(&given) { None } else { self.by_samples(examples, x)? };
        let (mut at, mut curvature): (Point, Option<Matrix>) = (given, None);
        if let Some((x, known)) = sampled {
            match solver.point(&mut evaluate, &x) {
                Ok(there) if there.value < at.value => (at, curvature) = (there, known),
                Ok(_) | Err(Error::Numerical { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        solver.minimise_from(&mut evaluate, at, curvature, self.control).map(|end| end.minimum)
    }
}

/// Rows of the samples, ascending.
fn sizes(rows: usize) -> Vec<usize> {
    let mut sizes: Vec<usize> = Vec::new();
    let mut size = (rows as f64 / GROWTH) as usize;
    while size >= LEAST_ROWS {
        sizes.insert(0, size);
        size = (size as f64 / GROWTH) as usize;
    }
    sizes
}

/// Curvature on so many rows from that on others.
fn in_proportion(mut curvature: Matrix, rows: usize, of: usize) -> Matrix {
    let by = rows as f64 / of as f64;
    curvature.data_mut().iter_mut().for_each(|v| *v *= by);
    curvature
}

/// The second derivatives at a place, by differences of gradients, made positive.
fn differences(
    evaluate: &mut impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
    x: &[f64],
    gradient: &[f64],
    solver: &Minimiser,
) -> Result<Matrix> {
    let n = x.len();
    let mut rows = Matrix::zeros(n, n);
    for j in 0..n {
        let mut moved = x.to_vec();
        moved[j] += if x[j] + APART <= solver.bounds[j].1 { APART } else { -APART };
        let there = solver.point(&mut *evaluate, &moved)?;
        let by = there.x[j] - x[j];
        // Ends that leave no room tell nothing of a number that stays.
        let slope = |i: usize| if by == 0.0 { f64::from(u8::from(i == j)) } else { (there.gradient[i] - gradient[i]) / by };
        rows.row_mut(j).iter_mut().enumerate().for_each(|(i, v)| *v = slope(i));
    }
    positive(&Matrix::from_fn(n, n, |i, j| 0.5 * (rows[(i, j)] + rows[(j, i)])))
}

/// Follows the criterion of a settled estimator downhill on a logarithmic scale, from the numbers of a settled kernel and from
/// every one of `others`, and keeps the best end; where time is up, the best place so far, of a value that is not known where none was.
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
    require_symmetric(kernel, estimator.name(), estimator.needs(), examples.data)?;
    let start = Setting { kernel: kernel.clone(), estimator: estimator.clone() };
    let free = Free::within(kernel, ends)?;
    let control = control.clone().with_buffer_pool();
    let slope = Slope { start: &start, free: &free, control: &control, seed, best: RefCell::default() };
    let mut starts = vec![free.iter().map(Free::coordinate).collect::<Vec<f64>>()];
    for other in others {
        Error::unless_equal("numbers of a start", free.len(), other.len())?;
        starts.push(free.iter().zip(other).map(|(f, value)| f.at_value(*value)).collect());
    }
    let mut evaluations = 0;
    let (mut best, mut fault): (Option<Minimum>, Option<Error>) = (None, None);
    for x in &starts {
        match slope.from(examples, x, &mut evaluations) {
            Ok(end) if best.as_ref().is_none_or(|b| end.value < b.value) => best = Some(end),
            Ok(_) => {}
            Err(why @ Error::Numerical { .. }) => fault = Some(why),
            Err(Error::Time { .. }) => {
                let (value, x) = slope.best.take().unwrap_or_else(|| (f64::NAN, starts[0].clone()));
                best = Some(Minimum { x, value, converged: false, ..Minimum::default() });
                break;
            }
            Err(other) => return Err(other),
        }
        if control.out_of_time() {
            break;
        }
    }
    let Some(best) = best else {
        let what = estimator.criterion_name().map_or("criterion", |own| own.name).into();
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
