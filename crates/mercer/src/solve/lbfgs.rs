//! min f(x) subject to low <= x <= high, by limited-memory BFGS on the coordinates that are free.
//!
//! A coordinate is held while it stands at a bound and the gradient pushes it outwards; the two-loop recursion
//! (Nocedal & Wright 2006, algorithm 7.4) runs on the others, and steps are projected onto the box (Bertsekas 1982,
//! Projected Newton methods for optimization problems with simple constraints). Pairs without positive curvature are left out.

use super::minimiser::{Bounds, Minimiser, Minimum, Point, ProposedStep, StepModel, dot, largest};
use crate::control::Control;
use crate::error::Result;
use std::collections::VecDeque;

/// Steps s and gradient changes y, newest last.
pub(crate) struct Pairs {
    list: VecDeque<(Vec<f64>, Vec<f64>)>,
    memory: usize,
}

impl Pairs {
    /// Some pairs, newest last.
    pub(crate) fn of(list: VecDeque<(Vec<f64>, Vec<f64>)>, memory: usize) -> Self {
        Pairs { list, memory }
    }

    /// The pairs, newest last.
    pub(crate) fn into_list(self) -> VecDeque<(Vec<f64>, Vec<f64>)> {
        self.list
    }

    /// Remembers a step if the objective curves upwards along it.
    pub(crate) fn remember(&mut self, s: Vec<f64>, y: Vec<f64>) {
        if dot(&s, &y) > 1e-10 * (dot(&s, &s) * dot(&y, &y)).sqrt() {
            if self.list.len() == self.memory {
                self.list.pop_front();
            }
            self.list.push_back((s, y));
        }
    }

    /// -H g on the free coordinates, 0 on the others.
    pub(crate) fn direction(&self, gradient: &[f64], free: &[bool]) -> Vec<f64> {
        let only = |v: &[f64]| -> Vec<f64> { v.iter().zip(free).map(|(x, f)| if *f { *x } else { 0.0 }).collect() };
        let mut q = only(gradient);
        let pairs: Vec<(Vec<f64>, Vec<f64>, f64)> = self
            .list
            .iter()
            .map(|(s, y)| (only(s), only(y)))
            .map(|(s, y)| {
                let curvature = dot(&s, &y);
                (s, y, curvature)
            })
            .filter(|(s, y, curvature)| *curvature > 1e-10 * (dot(s, s) * dot(y, y)).sqrt())
            .collect();
        let mut weights = Vec::with_capacity(pairs.len());
        for (s, y, curvature) in pairs.iter().rev() {
            let a = dot(s, &q) / curvature;
            weights.push(a);
            q.iter_mut().zip(y).for_each(|(q, y)| *q -= a * y);
        }
        if let Some((_, y, curvature)) = pairs.last() {
            let scale = curvature / dot(y, y);
            q.iter_mut().for_each(|q| *q *= scale);
        }
        for ((s, y, curvature), a) in pairs.iter().zip(weights.into_iter().rev()) {
            let b = dot(y, &q) / curvature;
            q.iter_mut().zip(s).for_each(|(q, s)| *q += (a - b) * s);
        }
        q.iter_mut().for_each(|q| *q = -*q);
        q
    }
}

impl StepModel for Pairs {
    fn propose(&mut self, at: &Point, descent: Vec<f64>, bounds: Bounds<'_>) -> Result<ProposedStep> {
        let mut direction = self.direction(&at.gradient, &at.free(bounds));
        let size = (dot(&direction, &direction) * dot(&at.gradient, &at.gradient)).sqrt();
        let downhill = dot(&direction, &at.gradient) < -1e-12 * size;
        if !downhill {
            self.list.clear();
            direction = descent;
        }
        // Without curvature the gradient says nothing of how far to go.
        let first = if self.list.is_empty() { (1.0 / largest(&direction)).min(1.0) } else { 1.0 };
        Ok(ProposedStep { foreseen: -0.5 * dot(&direction, &at.gradient), direction, first, is_reliable: false })
    }
    fn learn(&mut self, from: &Point, to: &Point, _: [f64; 2]) -> Result<()> {
        let (s, y) = to.since(from);
        self.remember(s, y);
        Ok(())
    }
    fn forget(&mut self) -> bool {
        let had = !self.list.is_empty();
        self.list.clear();
        had
    }
}

impl Minimiser {
    /// Minimises `objective`, which gives f and its gradient, from `start` moved into the box.
    ///
    /// Points where f or its gradient is not finite are stepped back from. When the time of `control` is spent the best
    /// point so far is returned, not converged. An error if f is not finite at the start, if sizes do not fit, if the
    /// objective fails, or if `control` asks to stop.
    pub fn minimise(
        &self,
        mut objective: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
        start: &[f64],
        control: &Control,
    ) -> Result<Minimum> {
        let at = self.point(&mut objective, start)?;
        let mut pairs = Pairs::of(VecDeque::new(), self.memory.max(1));
        self.descend(&mut objective, at, &mut pairs, 1, control).map(|(minimum, _)| minimum)
    }
}
