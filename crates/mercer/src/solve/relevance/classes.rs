//! Classes by Laplace's approximation around the mode of the weights, one alpha for all outputs of a column: a column is there for all
//! classes or for none.
//!
//! With blocks B_i of second derivatives of the loss of row i at the mode and r its slopes,
//! ```text
//! H = A (x) I + sum_i phi_i phi_i' (x) B_i,  S_m = sum_i phi_im^2 B_i - V_m H^-1 V_m',  V_m = sum_i phi_im B_i (x) phi_ia',  Q_m = sum_i phi_im r_i
//! log p = -loss - 1/2 sum_a alpha_a |w_a|^2 + outputs/2 sum_a log alpha_a - 1/2 log |H|
//! ```

mod look;
mod mode;

use super::super::likelihood::{Likelihood, Slopes};
use super::joint::{self, End};
use super::{Change, MOST_CHANGES, Relevance, TOLERANCE, TOLERANCE_OF_CLASSES, UNDETERMINED, best};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::dot;
use crate::linalg::{Cholesky, Matrix, eigh, transposed_product_within};
use look::Watched;

/// The decrement that ends Newton's method for one mode, and one that tells values of the evidence apart.
const DECREMENT: f64 = 1e-20;
const NEARLY: f64 = 1e-10;
/// Changes that are made together at most, of those that promise this share of what the best does, and the greatest cosine of two of
/// their columns.
const TOGETHER: usize = 64;
const WORTH: f64 = 0.5;
const APART: f64 = 0.01;
/// Changes of which none raised the evidence by Laplace's approximation, of one output and of several: the mode moves with each, and what
/// is left is to settle.
const PATIENCE: [usize; 2] = [40, 4];
/// Times that all alphas are settled and columns may come or go.
const SETTLINGS: [usize; 2] = [1, 20];
/// The share of the tolerance that a step of all alphas may still promise once they are settled.
const SETTLED: f64 = 1e-2;
/// The variance of functions of each column of a second beginning: differences of columns that are much alike take large weights.
const FREE: f64 = 1e4;

#[derive(Clone)]
struct State<'a> {
    phi: &'a Matrix,
    loss: &'a dyn Likelihood,
    active: Vec<usize>,
    alpha: Vec<f64>,
    /// Weights, active x outputs, and the columns that they belong to, N x active.
    weights: Matrix,
    columns: Matrix,
    slopes: Slopes,
    factor: Option<Cholesky>,
    evidence: f64,
    /// What the last look at all columns promised.
    gain: f64,
    /// The last mode that was found.
    found: Found,
    /// The decrement that ends Newton's method: of the search, and once all alphas are settled.
    decrement: f64,
}

/// A mode of the weights, their columns, alphas and the evidence.
#[derive(Clone, Default)]
struct Found {
    active: Vec<usize>,
    alpha: Vec<f64>,
    weights: Matrix,
    evidence: f64,
}

/// The relevance vector machine of some columns (N x P) for classes, from no column or from the ones of `first`, ascending. No more
/// than `most` columns stay. Where no column adds anything by itself, as of many classes, it begins again with one for each of them.
pub fn classes(phi: &Matrix, loss: &dyn Likelihood, first: &[usize], most: usize, control: &Control) -> Result<Relevance> {
    let found = search(phi, loss, (first, 1.0), most, control)?;
    if !found.columns.is_empty() || loss.outputs() == 1 || !first.is_empty() {
        return Ok(found);
    }
    let slopes = loss.at(&Matrix::zeros(phi.rows(), loss.outputs()));
    let q = transposed_product_within(phi, &slopes.residual, control)?;
    let steepest = |c: usize| (0..q.rows()).max_by(|&a, &b| q[(a, c)].total_cmp(&q[(b, c)]));
    let mut together: Vec<usize> = (0..q.cols()).filter_map(steepest).collect();
    together.sort_unstable();
    together.dedup();
    let again = search(phi, loss, (&together, FREE), most, control)?;
    Ok(if again.evidence > found.evidence { again } else { found })
}

/// The same from some columns whose functions, each alone, have this variance.
fn search(phi: &Matrix, loss: &dyn Likelihood, (first, variance): (&[usize], f64), most: usize, control: &Control) -> Result<Relevance> {
    let (n, outputs) = (phi.rows(), loss.outputs());
    let alpha_of = |column: usize| (0..n).map(|i| phi[(i, column)].powi(2)).sum::<f64>() / (variance * n as f64);
    let (active, alpha): (Vec<usize>, Vec<f64>) =
        first.iter().take(most).map(|&a| (a, alpha_of(a))).filter(|(_, alpha)| *alpha > 0.0).unzip();
    let mut state = State {
        phi,
        loss,
        weights: Matrix::zeros(active.len(), outputs),
        columns: some_of(phi, &active),
        active,
        alpha,
        slopes: loss.at(&Matrix::zeros(n, outputs)),
        factor: None,
        evidence: f64::NEG_INFINITY,
        gain: f64::INFINITY,
        found: Found::default(),
        decrement: NEARLY,
    };
    state.find_mode(control)?;
    let mut changes = 0;
    match state.climb(most, &mut changes, control).and_then(|()| state.end(most, &mut changes, control)) {
        // The last mode is the best so far.
        Err(Error::Time { .. }) if !state.found.active.is_empty() => {}
        ended => ended?,
    }
    let Found { active, alpha, weights, evidence } = state.found;
    Ok(Relevance {
        columns: active,
        weights,
        covariance: Matrix::zeros(0, 0),
        alpha,
        noise: 0.0,
        evidence,
        changes,
        gain: state.gain,
        tolerance: TOLERANCE_OF_CLASSES,
    })
}

/// Some columns of a matrix.
fn some_of(phi: &Matrix, columns: &[usize]) -> Matrix {
    Matrix::from_fn(phi.rows(), columns.len(), |i, k| phi[(i, columns[k])])
}

impl State<'_> {
    fn outputs(&self) -> usize {
        self.loss.outputs()
    }

    fn is_there(&self, column: usize) -> bool {
        self.active.binary_search(&column).is_ok()
    }

    /// 0 of one output and 1 of several, and the gain that is aimed at.
    fn aim(&self) -> (usize, f64) {
        let several = usize::from(self.outputs() > 1);
        (several, [TOLERANCE, TOLERANCE_OF_CLASSES][several])
    }

    /// Changes while they raise the evidence; they are counted.
    fn climb(&mut self, most: usize, changes: &mut usize, control: &Control) -> Result<()> {
        let (several, aim) = self.aim();
        let (mut together, mut since) = (1, 0);
        let (mut top, mut watched) = (self.evidence, None::<Watched>);
        while *changes < MOST_CHANGES && since < PATIENCE[several] && !control.out_of_time() {
            control.check()?;
            let mut wished = self.changes(watched.as_ref(), control)?;
            if watched.is_none() {
                self.gain = greatest(&wished);
            }
            let room = most.saturating_sub(self.active.len());
            wished.retain(|c| room > 0 || self.is_there(c.column));
            let left = greatest(&wished);
            if watched.as_ref().is_some_and(|some| left <= some.others.max(aim)) {
                // Another column may promise more by now.
                watched = None;
                continue;
            }
            if left <= aim {
                break;
            }
            if watched.is_none() {
                watched = Watched::of(self, &wished);
            }
            let estimated = wished[0].x > 0.0 && self.is_there(wished[0].column);
            if estimated && self.rises(wished[0].gain, control)? {
                *changes += 1;
                continue;
            }
            let some = self.apart(&wished, together, room);
            let made = if some.len() > 1 && self.tries(left, |state| state.apply(&some, control))? {
                some.len()
            } else {
                self.apply(&some[..1], control)?;
                1
            };
            together = if made < some.len() { 1 } else { (2 * together).min(TOGETHER) };
            *changes += made;
            since = if self.evidence > top + aim { 0 } else { since + 1 };
            top = top.max(self.evidence);
        }
        Ok(())
    }

    /// All alphas together, then columns that come or go, and so on. Columns that do not stay are not asked again.
    fn end(&mut self, most: usize, changes: &mut usize, control: &Control) -> Result<()> {
        let (several, aim) = self.aim();
        let mut gone = Vec::new();
        for round in 1.. {
            if control.out_of_time() {
                break;
            }
            let asked = self.active.clone();
            self.settle(SETTLED * aim, control)?;
            if round > 1 {
                gone.extend(asked.into_iter().filter(|a| !self.is_there(*a)));
            }
            let mut wished = self.changes(None, control)?;
            wished.retain(|c| !gone.contains(&c.column));
            let last = if round == 1 { f64::INFINITY } else { self.gain };
            self.gain = greatest(&wished);
            let room = most.saturating_sub(self.active.len());
            wished.retain(|c| room > 0 || self.is_there(c.column));
            let left = greatest(&wished);
            // It need not come to the aim: the mode that a change leads to may ask for the opposite one.
            if left <= aim || left <= TOLERANCE_OF_CLASSES && self.gain > 0.5 * last || round == SETTLINGS[several] {
                break;
            }
            let some = self.apart(&wished, TOGETHER, room);
            gone.extend(some.iter().filter(|c| c.x == 0.0).map(|c| c.column));
            self.apply(&some, control)?;
            *changes += some.len();
        }
        Ok(())
    }

    /// sum_a alpha_a |w_a|^2 / 2.
    fn penalty(&self, weights: &Matrix) -> f64 {
        (0..weights.rows()).map(|a| 0.5 * self.alpha[a] * dot(weights.row(a), weights.row(a))).sum()
    }

    /// H, its places by column and then by output.
    fn hessian(&self, control: &Control) -> Result<Matrix> {
        let outputs = self.outputs();
        // H, a part of its sum, its factor and the inverse.
        control.plan("the weights of relevance vectors", 32 * (self.active.len() * outputs).pow(2) as u64)?;
        let mut h = self.slopes.curvature.of_features(&self.columns, control)?;
        let alphas: Vec<f64> = self.alpha.iter().flat_map(|a| std::iter::repeat_n(*a, outputs)).collect();
        h.add_to_diagonal(&alphas);
        Ok(h)
    }

    /// H^-1, its places by column and then by output.
    fn covariance(&self, control: &Control) -> Result<Matrix> {
        self.factor.clone().map_or_else(|| Ok(Matrix::zeros(0, 0)), |factor| factor.into_inverse(control))
    }

    /// All alphas at their best together, until a step promises no more than `enough`; columns that are better left out go on the way.
    fn settle(&mut self, enough: f64, control: &Control) -> Result<()> {
        self.decrement = DECREMENT;
        let mut end = End::new();
        for _ in 0..joint::STEPS {
            control.check()?;
            if self.active.is_empty() || control.out_of_time() {
                break;
            }
            let covariance = self.covariance(control)?;
            let idle = self.idle(&covariance, control)?;
            if !idle.is_empty() {
                self.apply(&idle, control)?;
                continue;
            }
            let step = joint::step(&self.alpha, &covariance, &self.weights, None, control)?;
            self.go_by(&step.logs, control)?;
            if end.reached(&step) || step.promise <= enough {
                break;
            }
        }
        Ok(())
    }

    /// Adds to the logarithms of all alphas.
    fn go_by(&mut self, logs: &[f64], control: &Control) -> Result<()> {
        self.alpha.iter_mut().zip(logs).for_each(|(a, log)| *a *= log.exp());
        self.find_mode(control)
    }

    /// Moves all alphas together where that adds at least `gain`.
    fn rises(&mut self, gain: f64, control: &Control) -> Result<bool> {
        self.tries(gain, |state| {
            let covariance = state.covariance(control)?;
            let step = joint::step(&state.alpha, &covariance, &state.weights, None, control)?;
            state.go_by(&step.logs, control)
        })
    }

    /// What takes out the columns that are better left out: all that are hardly determined, or the one that is determined least. Of a
    /// column that is there, s = 1 / l - alpha and q = u'w / l along the eigenvectors u of its block of the covariance with the
    /// eigenvalues l.
    fn idle(&self, covariance: &Matrix, control: &Control) -> Result<Vec<Change>> {
        let out = |k: usize| Change { column: self.active[k], x: 0.0, gain: 0.0 };
        let (outputs, mut least, mut all) = (self.outputs(), None, Vec::new());
        for (k, alpha) in self.alpha.iter().enumerate() {
            let block = Matrix::from_fn(outputs, outputs, |c, d| covariance[(k * outputs + c, k * outputs + d)]);
            let determined = outputs as f64 - alpha * block.diagonal().iter().sum::<f64>();
            if determined < UNDETERMINED {
                all.push(out(k));
                continue;
            }
            let (values, vectors) = if outputs == 1 { (block.data().to_vec(), Matrix::column(vec![1.0])) } else { eigh(block, control)? };
            let s: Vec<f64> = values.iter().map(|l| (1.0 / l - alpha).max(0.0)).collect();
            let along = |e: usize| (0..outputs).map(|c| vectors[(c, e)] * self.weights[(k, c)]).sum::<f64>();
            let q: Vec<f64> = (0..outputs).map(|e| along(e) / values[e]).collect();
            if best(&s, &q) <= 0.0 && least.is_none_or(|(_, d)| determined < d) {
                least = Some((k, determined));
            }
        }
        if all.is_empty() {
            all.extend(least.map(|(k, _)| out(k)));
        }
        Ok(all)
    }

    /// The best change and others that are worth it, of columns that have little to do with one another, so many of them new at most.
    fn apart(&self, wished: &[Change], most: usize, mut room: usize) -> Vec<Change> {
        let mut some: Vec<(Change, Vec<f64>)> = Vec::new();
        for change in wished.iter().take_while(|c| c.gain >= WORTH * greatest(wished)) {
            if some.len() == most {
                break;
            }
            let new = !self.is_there(change.column);
            if new && room == 0 {
                continue;
            }
            let mut column = self.phi.col(change.column);
            let length = dot(&column, &column).sqrt();
            column.iter_mut().for_each(|v| *v /= length);
            if some.iter().all(|(_, other)| dot(other, &column).abs() < APART) {
                some.push((*change, column));
                room -= usize::from(new);
            }
        }
        some.into_iter().map(|(change, _)| change).collect()
    }

    /// Whether a step raises the evidence by this much; where it does not everything is as it was.
    fn tries(&mut self, rise: f64, step: impl FnOnce(&mut Self) -> Result<()>) -> Result<bool> {
        let before = self.clone();
        step(self)?;
        let rises = self.evidence >= before.evidence + rise;
        if !rises {
            *self = before;
        }
        Ok(rises)
    }

    fn apply(&mut self, changes: &[Change], control: &Control) -> Result<()> {
        let outputs = self.outputs();
        let mut rows: Vec<Vec<f64>> = (0..self.active.len()).map(|a| self.weights.row(a).to_vec()).collect();
        for change in changes {
            match self.active.binary_search(&change.column) {
                Ok(k) if change.x > 0.0 => self.alpha[k] = 1.0 / change.x,
                Ok(k) => {
                    self.active.remove(k);
                    self.alpha.remove(k);
                    rows.remove(k);
                }
                Err(k) => {
                    self.active.insert(k, change.column);
                    self.alpha.insert(k, 1.0 / change.x);
                    rows.insert(k, vec![0.0; outputs]);
                }
            }
        }
        self.weights = Matrix::new(rows.len(), outputs, rows.concat())?;
        self.columns = some_of(self.phi, &self.active);
        self.find_mode(control)
    }
}

/// The gain of the first of sorted changes.
fn greatest(changes: &[Change]) -> f64 {
    changes.first().map_or(0.0, |c| c.gain.max(0.0))
}
