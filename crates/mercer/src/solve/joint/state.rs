//! A point of the dual problem on its way: variables, values, sums, and the centre of the offsets.

use super::face::JointFace;
use super::row_loss::{Direction, RowLoss};
use super::{JointProblem, JointSolution, Offsets, feasible};
use crate::control::Control;
use crate::error::Result;
use crate::gram::{self, Features, Gram, RowCache};
use crate::linalg::Matrix;
use crate::linalg::simd::dot;
use crate::solve::smo::Options;

pub(super) struct JointState<'a> {
    pub(super) problem: &'a JointProblem,
    pub(super) rule: &'a dyn RowLoss,
    diagonal: Vec<f64>,
    /// a, N x C.
    pub(super) variables: Matrix,
    /// Z with K = Z Z', where it is known and worth it.
    features: Option<Features<'a>>,
    /// K B without offsets, a column for each class; Z'B where there are features.
    values: Vec<Vec<f64>>,
    /// sum_i B_ic.
    sums: Vec<f64>,
    /// b0.
    centre: Vec<f64>,
    /// rho, 0 without offsets.
    pub(super) rho: f64,
    /// The least square of a row that a step divides by.
    least: f64,
    pub(super) iterations: usize,
    /// Multiplications of steps since the last on all free variables.
    spent: f64,
    violation: f64,
    free: usize,
    bound: usize,
}

impl<'a> JointState<'a> {
    pub(super) fn new(problem: &'a JointProblem, rule: &'a dyn RowLoss, diagonal: Vec<f64>, features: Option<Features<'a>>) -> Self {
        // rho as a share of the mean of the diagonal: of 0.03, 0.1, 0.3 and 1 it takes the fewest steps on noisy classes of 36 to 300 rows.
        const RHO: f64 = 0.3;
        // rho times the sum of all costs, at least: where costs are small, the sums of coefficients move the offsets all the same.
        const LEAST_MOVE: f64 = 4.0;
        let (n, classes) = (problem.class.len(), problem.classes);
        let mean = diagonal.iter().map(|d| d.abs()).sum::<f64>() / n.max(1) as f64;
        let unit = if mean > 0.0 { mean } else { 1.0 };
        let costs: f64 = problem.cost.iter().sum();
        let rho = (RHO * unit).max(if costs > 0.0 { (LEAST_MOVE / costs).min(f64::MAX) } else { 0.0 });
        JointState {
            problem,
            rule,
            diagonal,
            variables: Matrix::zeros(n, classes),
            values: vec![vec![0.0; features.as_ref().map_or(n, Features::cols)]; classes],
            features,
            sums: vec![0.0; classes],
            centre: vec![0.0; classes],
            rho: if problem.offsets == Offsets::Free { rho } else { 0.0 },
            least: 1e-12 * unit,
            iterations: 0,
            spent: 0.0,
            violation: 0.0,
            free: 0,
            bound: 0,
        }
    }

    /// Goes to the start of the problem, where it has one.
    pub(super) fn start(&mut self, gram: &dyn Gram, control: &Control) -> Result<()> {
        let Some((coef, offsets)) = &self.problem.start else { return Ok(()) };
        for (i, &y) in self.problem.class.iter().enumerate() {
            let row = self.variables.row_mut(i);
            row.iter_mut().zip(coef.row(i)).for_each(|(a, b)| *a = -b);
            row[y] = 0.0;
            self.rule.clip(row, self.problem.cost[i]);
        }
        if self.problem.offsets == Offsets::Free {
            self.make_feasible();
            self.centre.clone_from(offsets);
        }
        self.refresh(gram, control)
    }

    fn offset(&self, class: usize) -> f64 {
        self.centre[class] + self.rho * self.sums[class]
    }

    /// Coefficients B, N x C.
    fn coefficients(&self) -> Matrix {
        let mut coef = self.variables.clone();
        for (i, &y) in self.problem.class.iter().enumerate() {
            let sum: f64 = self.variables.row(i).iter().sum();
            let row = coef.row_mut(i);
            row.iter_mut().for_each(|b| *b = if *b == 0.0 { 0.0 } else { -*b });
            row[y] = sum;
        }
        coef
    }

    /// K B of a row and a class.
    fn value(&self, i: usize, class: usize) -> f64 {
        let values = &self.values[class];
        match &self.features {
            None => values[i],
            Some(Features::Dense(z)) => dot(z.row(i), values),
            Some(Features::Sparse(z)) => {
                let (columns, numbers) = z.row(i);
                columns.iter().zip(numbers).map(|(&j, z)| z * values[j as usize]).sum()
            }
        }
    }

    /// m of a row under some offsets; that of its own class is 0.
    pub(super) fn margins(&self, i: usize, offsets: &[f64], margins: &mut [f64]) {
        let y = self.problem.class[i];
        let own = self.value(i, y) + offsets[y];
        for (c, m) in margins.iter_mut().enumerate() {
            *m = if c == y { 0.0 } else { 1.0 - (own - self.value(i, c) - offsets[c]) };
        }
    }

    pub(super) fn offsets(&self) -> Vec<f64> {
        (0..self.problem.classes).map(|c| self.offset(c)).collect()
    }

    /// The directions in which a row is free.
    pub(super) fn free_directions(&self, i: usize) -> Vec<Direction> {
        self.rule.free_directions(self.variables.row(i), self.problem.class[i], self.problem.cost[i])
    }

    fn violations(&self) -> Vec<f64> {
        let (offsets, mut margins) = (self.offsets(), vec![0.0; self.problem.classes]);
        let of = |i: usize| {
            self.margins(i, &offsets, &mut margins);
            self.rule.violation(&margins, self.problem.class[i], self.variables.row(i), self.problem.cost[i])
        };
        (0..self.problem.class.len()).map(of).collect()
    }

    /// The greatest violation that rounding may leave.
    fn rounding(&self) -> f64 {
        // Rounding of a value, as a share of the sums that it is made of.
        const ROUNDING: f64 = 4.0 * f64::EPSILON;
        let most = |of: &mut dyn Iterator<Item = f64>| of.fold(0.0f64, |m, v| m.max(v.abs()));
        let of_row = |i: usize| self.variables.row(i).iter().sum::<f64>() * self.diagonal[i];
        let largest = most(&mut (0..self.problem.class.len()).map(of_row));
        ROUNDING * largest.max(most(&mut self.offsets().into_iter()))
    }

    /// Descends until no violation and no move of the offsets exceeds the aim; whether time or steps ran out before.
    pub(super) fn descend(&mut self, cache: &mut RowCache<'_, f64>, aim: f64, options: &Options, control: &Control) -> Result<bool> {
        // Moves of the centre, at most.
        const MOVES: usize = 2000;
        // The first violation after which the centre moves, and how it falls with each move until it is the aim.
        const FIRST: f64 = 0.1;
        const FALL: f64 = 0.3;
        // Rows whose kernel values are computed violate their conditions by this share of the greatest violation or more.
        const SHARE: f64 = 0.3;
        // Rows whose kernel values are computed between two looks at all violations. Where there are features all rows are taken.
        const TOGETHER: usize = 256;
        let (mut bound, mut moves) = (aim.max(FIRST), 0);
        loop {
            control.check()?;
            control.tell("steps of the solver", self.iterations, options.max_iterations);
            if self.iterations >= options.max_iterations || control.out_of_time() || moves >= MOVES {
                return Ok(true);
            }
            let violations = self.violations();
            let worst = violations.iter().copied().fold(0.0, f64::max);
            let rounding = self.rounding();
            if worst <= bound.max(rounding) {
                let moved = self.sums.iter().fold(0.0f64, |m, s| m.max((self.rho * s).abs()));
                if bound <= aim && moved <= aim.max(rounding) {
                    return Ok(false);
                }
                self.centre = self.offsets();
                (bound, moves) = ((FALL * bound).max(aim), moves + 1);
                continue;
            }
            let face = JointFace::of(self);
            if face.is_worth(self.spent, control) && face.len() <= options.max_iterations - self.iterations {
                face.settle(self, cache, control)?;
                self.spent = 0.0;
                continue;
            }
            let share = if self.features.is_some() { 0.0 } else { SHARE };
            let least = (share * worst).max(bound.min(worst));
            let mut rows: Vec<usize> = (0..violations.len()).filter(|&i| violations[i] >= least).collect();
            rows.sort_by(|&i, &j| violations[j].total_cmp(&violations[i]).then(i.cmp(&j)));
            rows.truncate(options.max_iterations - self.iterations);
            if self.features.is_some() {
                rows.iter().for_each(|&i| self.step(i, &[]));
                continue;
            }
            rows.truncate(TOGETHER.min(cache.capacity()));
            let kernel_rows = cache.rows(&rows, &control.finishing())?;
            for (&i, values) in rows.iter().zip(kernel_rows) {
                self.step(i, values);
            }
        }
    }

    /// The best variables of a row where those of all others stay; its kernel values are read where there are no features.
    fn step(&mut self, i: usize, kernel_row: &[f64]) {
        let (y, cost, classes) = (self.problem.class[i], self.problem.cost[i], self.problem.classes);
        let square = (self.diagonal[i] + self.rho).max(self.least);
        let (mut targets, old) = (vec![0.0; classes], self.variables.row(i).to_vec());
        self.margins(i, &self.offsets(), &mut targets);
        let sum: f64 = old.iter().sum();
        targets.iter_mut().zip(&old).for_each(|(m, a)| *m = *m / square + a + sum);
        self.rule.best(&targets, y, cost, self.variables.row_mut(i));
        self.iterations += 1;
        self.spread(i, &old, kernel_row);
    }

    /// Brings values up to date with the variables of some rows, a step for each.
    pub(super) fn take(&mut self, rows: &[usize], before: &[Vec<f64>], cache: &mut RowCache<'_, f64>, control: &Control) -> Result<()> {
        self.iterations += rows.len();
        if self.features.is_some() {
            rows.iter().zip(before).for_each(|(&i, before)| self.spread(i, before, &[]));
            return Ok(());
        }
        for (rows, before) in rows.chunks(cache.capacity()).zip(before.chunks(cache.capacity())) {
            let kernel_rows = cache.rows(rows, &control.finishing())?;
            rows.iter().zip(before).zip(kernel_rows).for_each(|((&i, before), values)| self.spread(i, before, values));
        }
        Ok(())
    }

    /// Adds what the variables of a row have changed to the coefficients of its classes.
    fn spread(&mut self, i: usize, old: &[f64], kernel_row: &[f64]) {
        let (y, classes, mut own) = (self.problem.class[i], self.problem.classes, 0.0);
        for c in (0..classes).filter(|&c| c != y) {
            let change = self.variables[(i, c)] - old[c];
            own += change;
            self.add(i, c, -change, kernel_row);
        }
        self.add(i, y, own, kernel_row);
    }

    /// Adds to the coefficient of a row and a class.
    fn add(&mut self, i: usize, class: usize, change: f64, kernel_row: &[f64]) {
        if change == 0.0 {
            return;
        }
        self.sums[class] += change;
        let values = &mut self.values[class];
        self.spent += values.len() as f64;
        let mut along = |direction: &[f64]| values.iter_mut().zip(direction).for_each(|(f, k)| *f += change * k);
        match &self.features {
            None => along(kernel_row),
            Some(Features::Dense(z)) => along(z.row(i)),
            Some(Features::Sparse(z)) => {
                let (columns, numbers) = z.row(i);
                columns.iter().zip(numbers).for_each(|(&j, z)| values[j as usize] += change * z);
            }
        }
    }

    /// Notes how far the point is from its conditions, and which rows are at their bounds. Corrected sums leave no variable at a bound.
    pub(super) fn measure(&mut self) {
        self.violation = self.violations().into_iter().fold(0.0, f64::max);
        let (mut free, mut bound) = (0, 0);
        for (i, (&class, &cost)) in self.problem.class.iter().zip(&self.problem.cost).enumerate() {
            let variables = self.variables.row(i);
            if variables.iter().any(|a| *a > 0.0) {
                if self.rule.is_full(variables, class, cost) { bound += 1 } else { free += 1 }
            }
        }
        (self.free, self.bound) = (free, bound);
    }

    /// Makes the sums of all classes 0 where there are offsets, which stay.
    pub(super) fn make_feasible(&mut self) {
        if self.problem.offsets == Offsets::Free {
            self.centre = self.offsets();
            feasible::make_feasible(&mut self.variables, &self.problem.class);
            self.sums.fill(0.0);
        }
    }

    /// Computes sums and values anew.
    pub(super) fn refresh(&mut self, gram: &dyn Gram, control: &Control) -> Result<()> {
        let coef = self.coefficients();
        let values = match &self.features {
            Some(features) => features.transposed_product(&coef, control)?,
            None if coef.data().iter().all(|b| *b == 0.0) => Matrix::zeros(coef.rows(), coef.cols()),
            None => gram::apply(gram, &coef, control)?,
        };
        self.values = (0..coef.cols()).map(|c| values.col(c)).collect();
        if self.problem.offsets == Offsets::Zero {
            self.sums = (0..coef.cols()).map(|c| coef.col(c).iter().sum()).collect();
        }
        Ok(())
    }

    /// The point with its certificate.
    pub(super) fn solution(&self, tolerance: f64) -> JointSolution {
        let (n, offsets, coef) = (self.problem.class.len(), self.offsets(), self.coefficients());
        let mut margins = vec![0.0; self.problem.classes];
        let (mut losses, mut gap, mut linear, mut square) = (0.0, 0.0, 0.0, 0.0);
        for i in 0..n {
            let variables = self.variables.row(i);
            self.margins(i, &offsets, &mut margins);
            let loss = self.problem.cost[i] * self.rule.loss(&margins);
            losses += loss;
            gap += (loss - variables.iter().zip(&margins).map(|(a, m)| a * m).sum::<f64>()).max(0.0);
            linear += variables.iter().sum::<f64>();
            square += coef.row(i).iter().enumerate().filter(|(_, b)| **b != 0.0).map(|(c, b)| b * self.value(i, c)).sum::<f64>();
        }
        let (free, bound, violation) = (self.free, self.bound, self.violation);
        let (primal, dual) = (0.5 * square + losses, linear - 0.5 * square);
        let size = primal.abs().max(dual.abs());
        let gap = if size > 0.0 { gap / size } else { 0.0 };
        let converged = gap <= tolerance && violation <= tolerance;
        JointSolution { coef, offsets, free, bound, primal, dual, gap, violation, iterations: self.iterations, converged }
    }
}
