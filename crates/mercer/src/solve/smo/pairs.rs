//! The small problem on one block, solved pair by pair on a dense matrix.
//!
//! Pair (i, j): i has the greatest v among those that may rise; j, among those that may fall, promises the greatest
//! decrease (v_i - v_j)^2 / (2 c) with c = K_ii + K_jj - 2 K_ij (Fan, Chen and Lin 2005). Where c is not positive
//! (equal inputs, rounding, an indefinite kernel) the objective falls all the way, and the step goes to the bound.

/// The block: everything about its B variables.
pub(super) struct Block {
    /// K among them, B x B, symmetric.
    pub(super) kernel: Vec<f64>,
    /// v = z - f, kept up to date.
    pub(super) v: Vec<f64>,
    /// Their values.
    pub(super) coef: Vec<f64>,
    /// Their bounds.
    pub(super) low: Vec<f64>,
    /// Their bounds.
    pub(super) high: Vec<f64>,
}

/// Curvature below this share of the diagonal counts as none (LIBSVM's tau).
const FLAT: f64 = 1e-12;

impl Block {
    /// Takes pair steps until the violation within the block is at most `goal`, or `most` steps are done. Returns the steps.
    pub(super) fn solve(&mut self, goal: f64, most: usize) -> usize {
        let n = self.v.len();
        // Added to v, these leave only the variables that may rise (or fall) in the running.
        let mut up: Vec<f64> = (0..n).map(|k| if self.coef[k] < self.high[k] { 0.0 } else { f64::NEG_INFINITY }).collect();
        let mut down: Vec<f64> = (0..n).map(|k| if self.coef[k] > self.low[k] { 0.0 } else { f64::INFINITY }).collect();
        let diagonal: Vec<f64> = (0..n).map(|k| self.kernel[k * n + k]).collect();
        let flat = FLAT * diagonal.iter().fold(f64::MIN_POSITIVE, |m, d| m.max(d.abs()));
        let mut score = vec![0.0; n];
        for step in 0..most {
            let Some((i, top)) = greatest(self.v.iter().zip(&up).map(|(v, m)| v + m)) else { return step };
            let bottom = least(&self.v, &down);
            // Also true, and the end, where nothing may rise or nothing may fall.
            if top - bottom <= goal || !(top - bottom).is_finite() {
                return step;
            }
            let row = &self.kernel[i * n..(i + 1) * n];
            let own = diagonal[i];
            for ((((s, v), m), k), d) in score.iter_mut().zip(&self.v).zip(&down).zip(row).zip(&diagonal) {
                let fall = top - (v + m);
                let fall = if fall > 0.0 { fall } else { 0.0 };
                let curve = own + d - 2.0 * k;
                let curve = if curve > flat { curve } else { flat };
                // A variable that may not fall has fall = 0, not infinity: m is +infinity there.
                *s = fall * fall / curve;
            }
            let Some((j, best)) = greatest(score.iter().copied()) else { return step };
            if best <= 0.0 || !self.step(i, j, flat) {
                return step;
            }
            for k in [i, j] {
                up[k] = if self.coef[k] < self.high[k] { 0.0 } else { f64::NEG_INFINITY };
                down[k] = if self.coef[k] > self.low[k] { 0.0 } else { f64::INFINITY };
            }
        }
        most
    }

    /// Raises i and lowers j as far as pays; false if that is nowhere.
    fn step(&mut self, i: usize, j: usize, flat: f64) -> bool {
        let n = self.v.len();
        let (row_i, row_j) = (&self.kernel[i * n..(i + 1) * n], &self.kernel[j * n..(j + 1) * n]);
        let curve = (row_i[i] + row_j[j] - 2.0 * row_i[j]).max(flat);
        let (room_i, room_j) = (self.high[i] - self.coef[i], self.coef[j] - self.low[j]);
        let step = ((self.v[i] - self.v[j]) / curve).min(room_i).min(room_j);
        let before = (self.coef[i], self.coef[j]);
        // At a bound the value is the bound to the last bit: rows outside of the expansion have exactly nothing in it.
        self.coef[i] = if step >= room_i { self.high[i] } else { (self.coef[i] + step).min(self.high[i]) };
        self.coef[j] = if step >= room_j { self.low[j] } else { (self.coef[j] - step).max(self.low[j]) };
        for ((v, a), b) in self.v.iter_mut().zip(row_i).zip(row_j) {
            *v -= step * (a - b);
        }
        before != (self.coef[i], self.coef[j])
    }
}

/// Place and value of the greatest number, the first of equals; `None` for no numbers.
fn greatest(values: impl Iterator<Item = f64> + Clone) -> Option<(usize, f64)> {
    let top = values.clone().fold(f64::NEG_INFINITY, |m, v| if v > m { v } else { m });
    let mut values = values;
    values.position(|v| v == top).map(|i| (i, top))
}

/// The least v + m.
fn least(v: &[f64], m: &[f64]) -> f64 {
    v.iter().zip(m).fold(f64::INFINITY, |least, (v, m)| if v + m < least { v + m } else { least })
}
