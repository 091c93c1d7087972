//! Classes by Laplace's approximation around the mode of the weights, one alpha for all outputs of a column: a column is there for all
//! classes or for none.
//!
//! With blocks B_i of second derivatives of the loss of row i at the mode and r its slopes,
//! ```text
//! H = A (x) I + sum_i phi_i phi_i' (x) B_i,  S_m = sum_i phi_im^2 B_i - V_m H^-1 V_m',  V_m = sum_i phi_im B_i (x) phi_ia',  Q_m = sum_i phi_im r_i
//! log p = -loss - 1/2 sum_a alpha_a |w_a|^2 + outputs/2 sum_a log alpha_a - 1/2 log |H|
//! ```
//! A constant has a flat prior: it is the last of the columns that are there, with alpha = 0, and no change of the evidence. Of a softmax
//! what all outputs have in common of it is not seen by the loss, and the determinant is that of the rest.

mod joined;
mod look;
mod mode;
mod starts;

use super::super::likelihood::{Likelihood, Slopes};
use super::{Change, MOST_CHANGES, Relevance, TOLERANCE, TOLERANCE_OF_CLASSES};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{axpy, dot};
use crate::linalg::{Cholesky, Matrix};
use look::Watched;
use starts::{equal, orthogonal};

/// The share of the square of a column that must lie outside of the others: H of columns that are more alike has no digits left.
const OUTSIDE: f64 = 1e-4;
/// The decrement that ends Newton's method once all alphas settle, and before, as a share of the gain that is aimed at: half of it is
/// what the evidence may be off.
const DECREMENT: f64 = 1e-20;
const NEARLY: f64 = 1e-4;
/// Changes that are made together at most, of those that promise this share of what the best does, and the greatest cosine of two of
/// their columns.
const TOGETHER: usize = 64;
const WORTH: f64 = 0.5;
const APART: f64 = 0.01;
/// The least alpha, as a share of the squared length of its column: less is rounding beside the curvature.
const LEAST_ALPHA: f64 = 1e-12;

#[derive(Clone)]
struct ClassSearch<'a> {
    phi: &'a Matrix,
    loss: &'a dyn Likelihood,
    active: Vec<usize>,
    alpha: Vec<f64>,
    /// Weights and the columns that they belong to, active x outputs and N x active, last those of the constant where there is one.
    weights: Matrix,
    columns: Matrix,
    /// Whether there is a constant.
    constant: bool,
    /// Squared lengths of the columns.
    squares: Vec<f64>,
    /// Roots of the weights of rows: how alike columns are is measured by rows as often as they count.
    roots: Vec<f64>,
    /// Of a softmax the loss does not see what the weights of a column have in common over all outputs, and H there is alpha alone, of
    /// the constant 0: numerically negligible beside the rest. Each column has a curvature along it, of the size of its others, which is
    /// taken out again of what is computed by H. Nothing for one output.
    common: Vec<f64>,
    /// An orthonormal basis of the columns.
    basis: Vec<Vec<f64>>,
    slopes: Slopes,
    /// The loss without a function.
    nothing: f64,
    factor: Option<Cholesky>,
    evidence: f64,
    /// What the last look at all columns promised.
    gain: f64,
    /// The last mode that was found.
    found: WeightMode,
    /// The decrement that ends Newton's method: of the search, and once all alphas are settled.
    decrement: f64,
}

/// A mode of the weights, their columns, alphas and the evidence.
#[derive(Clone, Default)]
struct WeightMode {
    active: Vec<usize>,
    alpha: Vec<f64>,
    weights: Matrix,
    evidence: f64,
}

/// Where a search begins and what it may take.
pub struct ClassPlan<'a> {
    /// Columns to begin from, ascending.
    pub first: &'a [usize],
    /// Columns that may stay.
    pub most: usize,
    /// Whether there is a constant.
    pub constant: bool,
    /// Weights of the rows.
    pub weights: &'a [f64],
    /// Starts, of which the one of the greatest evidence counts.
    pub starts: usize,
}

/// The relevance vector machine of some columns (N x P) for classes: of several starts the one that ends with the greatest evidence.
///
/// # Errors
/// On request of `control`.
pub fn classes(phi: &Matrix, loss: &dyn Likelihood, plan: &ClassPlan<'_>, control: &Control) -> Result<Relevance> {
    let nothing = begun(phi, loss, Vec::new(), plan, control)?.evidence;
    let mut top = None::<Relevance>;
    let (earlier, mut from_nothing) = (usize::from(!plan.first.is_empty()), false);
    for k in 0..earlier + 2 {
        // Further starts are for where the ones before led nowhere.
        let enough = top.as_ref().is_some_and(|top| top.evidence > nothing);
        if enough && (control.out_of_time() || k >= plan.starts) {
            break;
        }
        let begin = match k + 1 - earlier {
            0 => equal(phi, plan),
            1 => orthogonal(phi, loss, plan, control)?,
            _ => Vec::new(),
        };
        let empty = begin.is_empty();
        if empty && std::mem::replace(&mut from_nothing, true) {
            continue;
        }
        let found = match search(phi, loss, begin, plan, control) {
            Err(Error::Numerical { .. }) if !empty => continue,
            found => found?,
        };
        if top.as_ref().is_none_or(|top| found.evidence > top.evidence) {
            top = Some(found);
        }
    }
    top.ok_or_else(|| Error::Time { what: "relevance vectors".into() })
}

/// Some columns with their alphas, at their mode.
fn begun<'a>(
    phi: &'a Matrix,
    loss: &'a dyn Likelihood,
    begin: Vec<(usize, f64)>,
    plan: &ClassPlan<'_>,
    control: &Control,
) -> Result<ClassSearch<'a>> {
    let (n, outputs) = (phi.rows(), loss.outputs());
    let (active, alpha): (Vec<usize>, Vec<f64>) = begin.into_iter().take(plan.most).unzip();
    let slopes = loss.at(&Matrix::zeros(n, outputs));
    let mut state = ClassSearch {
        phi,
        loss,
        nothing: slopes.loss,
        weights: Matrix::zeros(active.len() + usize::from(plan.constant), outputs),
        columns: Matrix::zeros(n, 0),
        constant: plan.constant,
        squares: Vec::new(),
        roots: plan.weights.iter().map(|w| w.sqrt()).collect(),
        common: Vec::new(),
        basis: Vec::new(),
        active,
        alpha,
        slopes,
        factor: None,
        evidence: f64::NEG_INFINITY,
        gain: f64::INFINITY,
        found: WeightMode::default(),
        decrement: DECREMENT,
    };
    state.decrement = NEARLY * state.aim().1;
    state.gather();
    state.find_mode(control)?;
    Ok(state)
}

/// The search from some columns and their alphas.
fn search(phi: &Matrix, loss: &dyn Likelihood, begin: Vec<(usize, f64)>, plan: &ClassPlan<'_>, control: &Control) -> Result<Relevance> {
    let outputs = loss.outputs();
    let mut state = begun(phi, loss, begin, plan, control)?;
    let mut changes = 0;
    match state.climb(plan.most, &mut changes, control).and_then(|()| state.end(plan.most, &mut changes, control)) {
        // The last mode is the best so far.
        Err(Error::Time { .. } | Error::Numerical { .. }) if !state.found.active.is_empty() => {}
        ended => ended?,
    }
    let WeightMode { active, alpha, weights, evidence } = state.found;
    let kept: Vec<usize> = (0..active.len()).collect();
    Ok(Relevance {
        columns: active,
        constant: if plan.constant { weights.row(kept.len()).to_vec() } else { vec![0.0; outputs] },
        weights: weights.select_rows(&kept),
        root: Matrix::zeros(0, 0),
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

impl ClassSearch<'_> {
    fn outputs(&self) -> usize {
        self.loss.outputs()
    }

    /// The columns that are there, and their basis.
    fn gather(&mut self) {
        let m = self.active.len();
        let all = m + usize::from(self.constant);
        self.columns = Matrix::from_fn(self.phi.rows(), all, |i, k| if k < m { self.phi[(i, self.active[k])] } else { 1.0 });
        let weighed: Vec<Vec<f64>> = (0..all).map(|k| self.weighed(self.columns.col(k))).collect();
        self.squares = weighed.iter().map(|column| dot(column, column)).collect();
        self.common = if self.outputs() > 1 { self.squares.clone() } else { Vec::new() };
        self.basis.clear();
        for column in weighed.into_iter().rev() {
            let mut direction = self.outside(column);
            let length = dot(&direction, &direction).sqrt();
            if length > 0.0 {
                direction.iter_mut().for_each(|v| *v /= length);
                self.basis.push(direction);
            }
        }
    }

    /// A column with its rows as often as they count.
    fn weighed(&self, mut column: Vec<f64>) -> Vec<f64> {
        column.iter_mut().zip(&self.roots).for_each(|(v, root)| *v *= root);
        column
    }

    /// What of a weighed column lies outside of those that are there.
    fn outside(&self, mut column: Vec<f64>) -> Vec<f64> {
        for _ in 0..2 {
            self.basis.iter().for_each(|q| axpy(-dot(q, &column), q, &mut column));
        }
        column
    }

    /// Whether a column may come: those that are there do not explain it in all digits.
    fn is_apart(&self, column: usize) -> bool {
        let column = self.weighed(self.phi.col(column));
        let square = dot(&column, &column);
        let outside = self.outside(column);
        dot(&outside, &outside) > OUTSIDE * square
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
        // Changes of which none raised the evidence by Laplace's approximation, of one output and of several: the mode moves with each, and what
        // is left is to settle.
        const PATIENCE: [usize; 2] = [40, 4];
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
            } else if self.tries(f64::NEG_INFINITY, |state| state.apply(&some[..1], control))? {
                1
            } else {
                // No digit of H is left with that change.
                break;
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
        // Times that all alphas are settled and columns may come or go.
        const SETTLINGS: [usize; 2] = [1, 20];
        // The share of the tolerance that a step of all alphas may still promise once they are settled.
        const SETTLED: f64 = 1e-2;
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
            if !self.tries(f64::NEG_INFINITY, |state| state.apply(&some, control))? {
                break;
            }
            *changes += some.len();
        }
        Ok(())
    }

    /// sum_a alpha_a |w_a|^2 / 2.
    fn penalty(&self, weights: &Matrix) -> f64 {
        self.alpha.iter().enumerate().map(|(a, alpha)| 0.5 * alpha * dot(weights.row(a), weights.row(a))).sum()
    }

    /// H, its places by column and then by output.
    fn hessian(&mut self, control: &Control) -> Result<Matrix> {
        let (outputs, all) = (self.outputs(), self.columns.cols());
        // H, a part of its sum, its factor and the inverse.
        control.plan("the weights of relevance vectors", 32 * (all * outputs).pow(2) as u64)?;
        let mut h = self.slopes.curvature.of_features(&self.columns, control)?;
        for (a, common) in self.common.iter_mut().enumerate() {
            let curvature: f64 = (a * outputs..(a + 1) * outputs).map(|i| h[(i, i)]).sum();
            *common = curvature / outputs as f64 + self.alpha.get(a).unwrap_or(&0.0);
        }
        for (a, alpha) in self.alpha.iter().enumerate() {
            (a * outputs..(a + 1) * outputs).for_each(|i| h[(i, i)] += alpha);
        }
        for (a, common) in self.common.iter().enumerate() {
            let places = a * outputs..(a + 1) * outputs;
            places.clone().for_each(|c| places.clone().for_each(|d| h[(c, d)] += common / outputs as f64));
        }
        Ok(h)
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
            if new && !self.is_apart(change.column) {
                continue;
            }
            let mut column = self.weighed(self.phi.col(change.column));
            let length = dot(&column, &column).sqrt();
            column.iter_mut().for_each(|v| *v /= length);
            if some.iter().all(|(_, other)| dot(other, &column).abs() < APART) {
                some.push((*change, column));
                room -= usize::from(new);
            }
        }
        some.into_iter().map(|(change, _)| change).collect()
    }

    /// Whether a step raises the evidence by this much; where it does not, or where no digit of H is left, everything is as it was.
    fn tries(&mut self, rise: f64, step: impl FnOnce(&mut Self) -> Result<()>) -> Result<bool> {
        let before = self.clone();
        let rises = match step(self) {
            Err(Error::Numerical { .. }) => false,
            made => {
                made?;
                self.evidence >= before.evidence + rise
            }
        };
        if !rises {
            *self = before;
        }
        Ok(rises)
    }

    fn apply(&mut self, changes: &[Change], control: &Control) -> Result<()> {
        let outputs = self.outputs();
        let mut rows: Vec<Vec<f64>> = (0..self.weights.rows()).map(|a| self.weights.row(a).to_vec()).collect();
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
        self.gather();
        self.find_mode(control)
    }
}

/// The gain of the first of sorted changes.
fn greatest(changes: &[Change]) -> f64 {
    changes.first().map_or(0.0, |c| c.gain.max(0.0))
}
