//! For tests: a Gram matrix of bells around points of the plane, which says what was asked of it, and the problem of two classes.

use super::Problem;
use crate::gram::{Block, Gram, Side};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// exp(-sharpness |x - z|^2).
pub(super) struct Bells {
    points: Vec<[f64; 2]>,
    sharpness: f64,
    asked: Arc<Asked>,
}

/// What was asked of a matrix and of those that were laid out from it.
#[derive(Default)]
struct Asked {
    computed: AtomicUsize,
    laid_out: Mutex<Vec<usize>>,
}

impl Bells {
    pub(super) fn new(points: Vec<[f64; 2]>, sharpness: f64) -> Self {
        Bells { points, sharpness, asked: Arc::default() }
    }

    /// Values that were computed.
    pub(super) fn computed(&self) -> usize {
        self.asked.computed.load(Ordering::Relaxed)
    }

    /// How many inputs were laid out anew, each time.
    pub(super) fn laid_out(&self) -> Vec<usize> {
        self.asked.laid_out.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The problem of two classes under one penalty.
pub(super) fn classes(row: Vec<usize>, second: impl Fn(usize) -> bool, c: f64) -> Problem {
    let bound = |sign: f64| row.iter().map(|&i| if second(i) == (sign > 0.0) { c * sign } else { 0.0 }).collect();
    let target = row.iter().map(|&i| if second(i) { 1.0 } else { -1.0 }).collect();
    Problem { target, low: bound(-1.0), high: bound(1.0), tube: 0.0, start: None, row }
}

impl Gram for Bells {
    fn shape(&self) -> (usize, usize) {
        (self.points.len(), self.points.len())
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
        self.asked.computed.fetch_add(rows.len() * cols.len(), Ordering::Relaxed);
        for (k, i) in rows.enumerate() {
            let [x, y] = self.points[i];
            let bell = |[u, v]: &[f64; 2]| (-self.sharpness * ((x - u).powi(2) + (y - v).powi(2))).exp();
            out.row_mut(k).iter_mut().zip(&self.points[cols.clone()]).for_each(|(o, z)| *o = bell(z));
        }
    }
    fn diagonal(&self, _: Side) -> Vec<f64> {
        vec![1.0; self.points.len()]
    }
    fn symmetric(&self) -> bool {
        true
    }
    fn gathered(&self, rows: &[usize]) -> Option<Box<dyn Gram + '_>> {
        self.asked.laid_out.lock().unwrap_or_else(PoisonError::into_inner).push(rows.len());
        let points = rows.iter().map(|&i| self.points[i]).collect();
        Some(Box::new(Bells { points, asked: Arc::clone(&self.asked), ..*self }))
    }
}
