//! k-means in feature space (Dhillon, Guan & Kulis 2004): places with kernel values K and weights w in k clusters,
//!
//! ```text
//! minimise  sum_i w_i |phi_i - m_z(i)|^2,    m_k = sum_{i in k} w_i phi_i / W_k,    W_k = sum_{i in k} w_i
//! |phi_i - m_k|^2 = K_ii - 2 S_ik / W_k + q_k / W_k^2,    S_ik = sum_{j in k} w_j K_ij,    q_k = sum_{i in k} w_i S_ik
//! ```
//!
//! by Lloyd's sweeps, S = K Z one product of matrices each, then single moves (Hartigan & Wong 1979), which leave fewer
//! optima: i goes from a to b where W_b / (W_b + w_i) d_ib^2 < W_a / (W_a - w_i) d_ia^2. No step raises the objective.

use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, product_within};

/// A move pays where it takes more than this share of the whole scatter off the objective.
const LEAST: f64 = 1e-12;

/// Clusters and what they cost.
#[derive(Clone, Debug)]
pub struct KernelMeans {
    /// The cluster of each place.
    pub cluster: Vec<usize>,
    /// The objective.
    pub objective: f64,
    /// Sweeps of Lloyd and single moves.
    pub steps: usize,
    /// Whether no single move pays; false where time was up before.
    pub fixed: bool,
    /// q_k / W_k^2: the squared norm of each centre.
    pub norms: Vec<f64>,
    /// W_k.
    pub mass: Vec<f64>,
}

/// Clusters from a start, which says the cluster of each place; every cluster has a place.
pub fn kernel_means(gram: &Matrix, weights: &[f64], start: Vec<usize>, count: usize, control: &Control) -> Result<KernelMeans> {
    // Sweeps at most.
    const MOST_SWEEPS: usize = 1000;
    let mut state = KernelMeansState::new(gram, weights, start, count, control)?;
    let mut steps = 0;
    let mut fixed = false;
    while steps < MOST_SWEEPS {
        control.check()?;
        if control.out_of_time() {
            break;
        }
        steps += 1;
        if state.sweep(control)? {
            continue;
        }
        if !state.moves(&mut steps) {
            fixed = true;
            break;
        }
    }
    let objective = state.objective();
    let norms = (0..count).map(|k| state.norm(k)).collect();
    Ok(KernelMeans { cluster: state.cluster, objective, steps, fixed, norms, mass: state.mass })
}

struct KernelMeansState<'a> {
    gram: &'a Matrix,
    weights: &'a [f64],
    cluster: Vec<usize>,
    /// S, N x k.
    sums: Matrix,
    mass: Vec<f64>,
    inner: Vec<f64>,
}

impl<'a> KernelMeansState<'a> {
    fn new(gram: &'a Matrix, weights: &'a [f64], cluster: Vec<usize>, count: usize, control: &Control) -> Result<Self> {
        let sums = Matrix::zeros(0, count);
        let mut state = KernelMeansState { gram, weights, cluster, sums, mass: vec![0.0; count], inner: vec![0.0; count] };
        state.sum_up(control)?;
        Ok(state)
    }

    /// S, W and q of the clusters as they stand.
    fn sum_up(&mut self, control: &Control) -> Result<()> {
        let (n, count) = (self.weights.len(), self.mass.len());
        let mut members = Matrix::zeros(n, count);
        self.mass.fill(0.0);
        self.inner.fill(0.0);
        for (i, &k) in self.cluster.iter().enumerate() {
            members[(i, k)] = self.weights[i];
            self.mass[k] += self.weights[i];
        }
        self.sums = product_within(self.gram, &members, control)?;
        for (i, &k) in self.cluster.iter().enumerate() {
            self.inner[k] += self.weights[i] * self.sums[(i, k)];
        }
        Ok(())
    }

    fn norm(&self, k: usize) -> f64 {
        self.inner[k] / self.mass[k].powi(2)
    }

    /// |phi_i - m_k|^2.
    fn apart(&self, i: usize, k: usize) -> f64 {
        self.gram[(i, i)] - 2.0 * self.sums[(i, k)] / self.mass[k] + self.norm(k)
    }

    /// sum_i w_i K_ii - sum_k q_k / W_k.
    fn objective(&self) -> f64 {
        let whole: f64 = self.weights.iter().enumerate().map(|(i, w)| w * self.gram[(i, i)]).sum();
        whole - self.inner.iter().zip(&self.mass).map(|(q, m)| q / m).sum::<f64>()
    }

    /// Every place goes to its nearest centre, but for the last one of a cluster; whether that lowered the objective.
    fn sweep(&mut self, control: &Control) -> Result<bool> {
        let (before, earlier) = (self.objective(), self.cluster.clone());
        let mut left = vec![0usize; self.mass.len()];
        self.cluster.iter().for_each(|&k| left[k] += 1);
        for i in 0..self.weights.len() {
            let own = self.cluster[i];
            let best = (0..self.mass.len()).fold(own, |b, k| if self.apart(i, k) < self.apart(i, b) { k } else { b });
            if best != own && left[own] > 1 {
                left[own] -= 1;
                left[best] += 1;
                self.cluster[i] = best;
            }
        }
        if self.cluster == earlier {
            return Ok(false);
        }
        self.sum_up(control)?;
        if self.objective() < before - LEAST * before.abs() {
            return Ok(true);
        }
        // A kernel that is not positive semi-definite need not fall.
        self.cluster = earlier;
        self.sum_up(control)?;
        Ok(false)
    }

    /// Single moves, one round over all places; whether any was made.
    fn moves(&mut self, steps: &mut usize) -> bool {
        let least = LEAST * self.objective().abs();
        let mut moved = false;
        for i in 0..self.weights.len() {
            let (a, w) = (self.cluster[i], self.weights[i]);
            let rest = self.mass[a] - w;
            if rest <= 0.0 || !self.cluster.iter().enumerate().any(|(j, &k)| k == a && j != i) {
                continue;
            }
            let leaving = self.mass[a] / rest * self.apart(i, a);
            let joining = |k: usize| self.mass[k] / (self.mass[k] + w) * self.apart(i, k);
            let Some(b) = (0..self.mass.len()).filter(|&k| k != a).min_by(|x, y| joining(*x).total_cmp(&joining(*y))) else { continue };
            if w * (leaving - joining(b)) <= least {
                continue;
            }
            // q_k = sum of w w K over pairs of members: i takes its products with the rest, and itself.
            self.inner[a] += w * w * self.gram[(i, i)] - 2.0 * w * self.sums[(i, a)];
            self.inner[b] += w * w * self.gram[(i, i)] + 2.0 * w * self.sums[(i, b)];
            self.mass[a] -= w;
            self.mass[b] += w;
            for j in 0..self.weights.len() {
                let value = w * self.gram[(i, j)];
                self.sums[(j, a)] -= value;
                self.sums[(j, b)] += value;
            }
            self.cluster[i] = b;
            *steps += 1;
            moved = true;
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<[f64; 2]> {
        (0..60).map(|i| [((i * 37) % 61) as f64 / 9.0, ((i * 23) % 59) as f64 / 11.0]).collect()
    }

    fn linear(points: &[[f64; 2]]) -> Matrix {
        Matrix::from_fn(points.len(), points.len(), |i, j| points[i][0] * points[j][0] + points[i][1] * points[j][1])
    }

    /// Weighted means of clusters in the plane, and the objective by them.
    fn in_the_plane(points: &[[f64; 2]], weights: &[f64], cluster: &[usize], count: usize) -> (Vec<[f64; 2]>, f64) {
        let mut centres = vec![[0.0; 2]; count];
        let mut mass = vec![0.0; count];
        for ((p, w), &k) in points.iter().zip(weights).zip(cluster) {
            (0..2).for_each(|d| centres[k][d] += w * p[d]);
            mass[k] += w;
        }
        centres.iter_mut().zip(&mass).for_each(|(c, m)| (0..2).for_each(|d| c[d] /= m));
        let far = |p: &[f64; 2], k: usize| (p[0] - centres[k][0]).powi(2) + (p[1] - centres[k][1]).powi(2);
        let objective = points.iter().zip(weights).zip(cluster).map(|((p, w), &k)| w * far(p, k)).sum();
        (centres, objective)
    }

    // Lloyd's own steps in the plane, from the same start: M21.
    // spec: M21
    #[test]
    fn with_the_linear_kernel_sweeps_are_those_of_lloyd() {
        let (points, count) = (points(), 4);
        let weights: Vec<f64> = (0..60).map(|i| 1.0 + (i % 3) as f64).collect();
        let gram = linear(&points);
        let control = Control::default();
        let mut lloyd: Vec<usize> = (0..60).map(|i| i % count).collect();
        let mut state = KernelMeansState::new(&gram, &weights, lloyd.clone(), count, &control).unwrap();
        for sweep in 0.. {
            let (centres, _) = in_the_plane(&points, &weights, &lloyd, count);
            let far = |p: &[f64; 2], k: usize| (p[0] - centres[k][0]).powi(2) + (p[1] - centres[k][1]).powi(2);
            let next: Vec<usize> = points.iter().map(|p| (0..count).fold(0, |b, k| if far(p, k) < far(p, b) { k } else { b })).collect();
            let went_on = state.sweep(&control).unwrap();
            assert_eq!(state.cluster, next, "sweep {sweep}");
            assert_eq!(went_on, next != lloyd);
            if !went_on {
                assert!(sweep > 2);
                break;
            }
            lloyd = next;
        }
    }

    #[test]
    fn the_objective_never_rises_and_no_single_move_is_left_that_lowers_it() {
        let (points, count) = (points(), 5);
        let weights: Vec<f64> = (0..60).map(|i| 0.5 + (i % 4) as f64).collect();
        let gram = linear(&points);
        let start: Vec<usize> = (0..60).map(|i| i % count).collect();
        let (_, before) = in_the_plane(&points, &weights, &start, count);
        let found = kernel_means(&gram, &weights, start, count, &Control::default()).unwrap();
        let (_, after) = in_the_plane(&points, &weights, &found.cluster, count);
        assert!((found.objective - after).abs() <= 1e-9 * after);
        assert!(found.fixed && after < before);
        for i in 0..60 {
            for k in 0..count {
                let mut other = found.cluster.clone();
                other[i] = k;
                assert!(in_the_plane(&points, &weights, &other, count).1 >= after * (1.0 - 1e-9));
            }
        }
    }
}
