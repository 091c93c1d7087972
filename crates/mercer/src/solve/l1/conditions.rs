//! When a group of coefficients is at its best, and when to stop asking.

/// Ends what gets no nearer to its aim: rounding has the last word.
pub(super) struct Patience {
    best: f64,
    without: usize,
    most: usize,
}

impl Patience {
    /// For so many steps without half of the best violation before.
    pub(super) fn new(most: usize) -> Self {
        Patience { best: f64::INFINITY, without: 0, most }
    }
    /// Whether this step was one too many.
    pub(super) fn is_lost(&mut self, violation: f64) -> bool {
        if violation < 0.5 * self.best {
            (self.best, self.without) = (violation, 0);
        } else {
            self.without += 1;
        }
        self.without > self.most
    }
}

pub(super) fn norm(v: &[f64]) -> f64 {
    if let [x] = v { x.abs() } else { v.iter().map(|x| x * x).sum::<f64>().sqrt() }
}

/// How far a group b_j is from its condition: r_j = lambda b_j / |b_j|, or |r_j| <= lambda at 0.
pub(super) fn violation(b: &[f64], r: &[f64], lambda: f64) -> f64 {
    let length = norm(b);
    if length == 0.0 {
        return (norm(r) - lambda).max(0.0);
    }
    let square: f64 = b.iter().zip(r).map(|(b, r)| (r - lambda * b / length).powi(2)).sum();
    square.sqrt()
}
