//! Of many columns z_j those m by which a penalised linear model fits best,
//!
//! ```text
//! minimise  J(S) = min_u 1/2 sum_o |y_o - Z_S u_o|^2 + (lambda/2) |u_o|^2    over sets S of m columns,
//! ```
//!
//! by exchanges: the column that is missed least goes, and the one that helps most comes, until no exchange pays. Such ends are many,
//! so that there are several starts: a greedy one, which adds what helps most each time (orthogonal least squares: Chen, Cowan & Grant
//! 1991), and sets that are drawn. Columns come and go by the sweep operator (Goodnight 1979) on [Z'Z + lambda I, Z'Y; Y'Z, Y'Y], which
//! holds at any time what each column would add or take away.

use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, count_passed};
use rand::SeedableRng;
use rand::seq::index;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// Inner products of columns with one another and with the targets.
pub struct Products {
    /// Z'Z, P x P.
    pub columns: Matrix,
    /// Z'Y, P x outputs.
    pub targets: Matrix,
    /// |Y|^2.
    pub square: f64,
}

/// The best set and how every start ended.
#[derive(Clone, Debug)]
pub struct Exchanged {
    /// The columns, ascending.
    pub columns: Vec<usize>,
    /// J where no exchange paid any more, of each start; the greedy one is the first.
    pub objectives: Vec<f64>,
}

/// The best of some starts, at least one. 1 <= count <= P, lambda > 0.
///
/// # Errors
/// Memory, or a request of `control`.
pub fn exchange(products: &Products, lambda: f64, count: usize, starts: usize, seed: u64, control: &Control) -> Result<Exchanged> {
    let p = products.columns.rows();
    control.plan("columns that are exchanged", 8 * (p * (p + products.targets.cols())) as u64)?;
    let (mut best, mut objectives) = (None::<(f64, Vec<usize>)>, Vec::new());
    for start in 0..starts.max(1) {
        if start > 0 && control.out_of_time() {
            break;
        }
        let mut swept = Swept::new(products, lambda)?;
        if start == 0 {
            for _ in 0..count {
                swept.sweep(swept.most_helpful(), control)?;
            }
        } else {
            let mut draw = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(start as u64));
            for column in index::sample(&mut draw, p, count) {
                swept.sweep(column, control)?;
            }
        }
        swept.improve(control)?;
        control.tell("starts of exchanges of centroids", start + 1, starts);
        objectives.push(swept.objective);
        if best.as_ref().is_none_or(|(least, _)| swept.objective < *least) {
            best = Some((swept.objective, swept.members()));
        }
    }
    Ok(Exchanged { columns: best.map(|(_, columns)| columns).unwrap_or_default(), objectives })
}

/// The matrix with the columns of a set swept out.
struct Swept {
    /// P x (P + outputs): among columns, then with the targets. Symmetric in its first part.
    a: Matrix,
    there: Vec<bool>,
    lambda: f64,
    objective: f64,
}

impl Swept {
    fn new(products: &Products, lambda: f64) -> Result<Self> {
        let (p, outputs) = (products.columns.rows(), products.targets.cols());
        let mut all = Vec::with_capacity(p * (p + outputs));
        for j in 0..p {
            all.extend_from_slice(products.columns.row(j));
            let own = all.len() - p + j;
            all[own] += lambda;
            all.extend_from_slice(products.targets.row(j));
        }
        let a = Matrix::new(p, p + outputs, all)?;
        Ok(Swept { a, there: vec![false; p], lambda, objective: 0.5 * products.square })
    }

    fn members(&self) -> Vec<usize> {
        (0..self.there.len()).filter(|j| self.there[*j]).collect()
    }

    /// What J falls by where a column comes, or rises by where it goes.
    fn change(&self, column: usize) -> f64 {
        let (p, row) = (self.there.len(), self.a.row(column));
        0.5 * row[p..].iter().map(|v| v * v).sum::<f64>() / row[column].abs()
    }

    /// The column that is not there and would take most off J. A pivot below half of lambda is rounding.
    fn most_helpful(&self) -> usize {
        let open = (0..self.there.len()).filter(|&j| !self.there[j]);
        let helps = |j: usize| if self.a[(j, j)] >= 0.5 * self.lambda { self.change(j) } else { 0.0 };
        open.map(|j| (j, helps(j))).reduce(|best, other| if other.1 > best.1 { other } else { best }).map_or(0, |(j, _)| j)
    }

    /// Brings a column in, or takes it out.
    fn sweep(&mut self, k: usize, control: &Control) -> Result<()> {
        // Numbers of a matrix from which on its rows are shared among threads.
        const SHARED: usize = 1 << 15;
        control.check()?;
        let pivot = self.a[(k, k)];
        let change = self.change(k);
        self.objective += if self.there[k] { change } else { -change };
        let sign = if self.there[k] { -1.0 } else { 1.0 };
        self.there[k] = !self.there[k];
        let along = self.a.row(k).to_vec();
        let width = along.len();
        count_passed(2 * self.there.len() * width);
        let of_row = |(i, row): (usize, &mut [f64])| {
            if i == k {
                row.iter_mut().for_each(|v| *v *= sign / pivot);
                row[k] = -1.0 / pivot;
                return;
            }
            let share = row[k] / pivot;
            row.iter_mut().zip(&along).for_each(|(v, along)| *v -= share * along);
            row[k] = sign * share;
        };
        match width * width >= SHARED {
            true => self.a.data_mut().par_chunks_mut(width).enumerate().with_min_len(32).for_each(of_row),
            false => self.a.data_mut().chunks_mut(width).enumerate().for_each(of_row),
        }
        Ok(())
    }

    /// Exchanges until none pays.
    fn improve(&mut self, control: &Control) -> Result<()> {
        // An exchange pays where it takes more than this share off the objective: less may be rounding.
        const LEAST: f64 = 1e-9;
        // Rounds through the columns of a set, at most.
        const ROUNDS: usize = 10;
        for _ in 0..ROUNDS {
            let mut moved = false;
            let mut members = self.members();
            members.sort_by(|&a, &b| self.change(a).total_cmp(&self.change(b)).then(a.cmp(&b)));
            for leaving in members {
                let before = self.objective;
                self.sweep(leaving, control)?;
                let coming = self.most_helpful();
                let pays = self.objective - self.change(coming) < before - LEAST * before.abs();
                moved |= pays;
                self.sweep(if pays { coming } else { leaving }, control)?;
                if control.out_of_time() {
                    return Ok(());
                }
            }
            if !moved {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::dot;
    use crate::linalg::{Cholesky, transposed_product_within};

    const ROWS: usize = 30;

    fn problem(p: usize) -> (Matrix, Matrix) {
        let z = Matrix::from_fn(ROWS, p, |i, j| (0.7 * i as f64 * (j + 1) as f64).sin() + 0.3 * (i as f64 - j as f64).cos());
        let y = Matrix::from_fn(ROWS, 2, |i, o| (0.4 * i as f64 + o as f64).cos() + 0.2 * (3.1 * i as f64).sin());
        (z, y)
    }

    fn products(z: &Matrix, y: &Matrix) -> Products {
        let control = Control::default();
        Products {
            columns: transposed_product_within(z, z, &control).unwrap(),
            targets: transposed_product_within(z, y, &control).unwrap(),
            square: dot(y.data(), y.data()),
        }
    }

    /// J by the normal equations of the columns of a set.
    fn direct(products: &Products, lambda: f64, set: &[usize]) -> f64 {
        let control = Control::default();
        let m = set.len();
        let mut g = Matrix::from_fn(m, m, |a, b| products.columns[(set[a], set[b])]);
        g.add_to_diagonal(&vec![lambda; m]);
        let b = Matrix::from_fn(m, products.targets.cols(), |a, o| products.targets[(set[a], o)]);
        let u = Cholesky::new(g, &control).unwrap().solve(&b, &control).unwrap();
        0.5 * (products.square - dot(b.data(), u.data()))
    }

    #[test]
    fn sweeps_keep_the_objective_and_undo_themselves() {
        let (z, y) = problem(9);
        let products = products(&z, &y);
        let control = Control::default();
        let mut swept = Swept::new(&products, 0.2).unwrap();
        for (step, column) in [4, 1, 7, 4, 3, 1, 4].into_iter().enumerate() {
            swept.sweep(column, &control).unwrap();
            let expected = direct(&products, 0.2, &swept.members());
            assert!((swept.objective - expected).abs() < 1e-10 * expected, "step {step}: {} {expected}", swept.objective);
        }
        [7, 3, 4].into_iter().for_each(|column| swept.sweep(column, &control).unwrap());
        let first = Swept::new(&products, 0.2).unwrap();
        swept.a.data().iter().zip(first.a.data()).for_each(|(a, b)| assert!((a - b).abs() < 1e-9));
    }

    // Every set of three of nine columns is tried.
    #[test]
    fn no_exchange_from_any_end_pays_and_the_best_start_finds_the_best_set() {
        let (z, y) = problem(9);
        let products = products(&z, &y);
        let found = exchange(&products, 0.2, 3, 4, 1, &Control::default()).unwrap();
        let all = (0..9).flat_map(|a| (a + 1..9).flat_map(move |b| (b + 1..9).map(move |c| [a, b, c])));
        let least = all.map(|set| direct(&products, 0.2, &set)).fold(f64::INFINITY, f64::min);
        let reached = direct(&products, 0.2, &found.columns);
        assert_eq!(found.objectives.len(), 4);
        assert!((reached - least).abs() < 1e-9 * least, "{reached} {least}");
        assert!(found.objectives.iter().all(|v| *v >= least - 1e-9 * least));
        for leaving in 0..3 {
            for coming in (0..9).filter(|j| !found.columns.contains(j)) {
                let mut other = found.columns.clone();
                other[leaving] = coming;
                assert!(direct(&products, 0.2, &other) >= reached - 1e-9);
            }
        }
    }

    // Columns that are alike, and a penalty near rounding.
    #[test]
    fn copies_of_a_column_do_no_harm() {
        let (z, y) = problem(4);
        let z = Matrix::from_fn(ROWS, 8, |i, j| z[(i, j % 4)]);
        let found = exchange(&products(&z, &y), 1e-9, 4, 3, 1, &Control::default()).unwrap();
        let mut kinds: Vec<usize> = found.columns.iter().map(|j| j % 4).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, [0, 1, 2, 3]);
    }
}
