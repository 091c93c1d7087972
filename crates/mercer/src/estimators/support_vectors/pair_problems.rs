//! The problems of all pairs of classes over the rows of a task, a batch of them at a time, and what becomes of their solutions.

use super::by_class::ByClass;
use super::fitted_svc::FittedSvc;
use super::svm;
use crate::error::{Error, Result};
use crate::estimators::{Expansion, PairLayout, Task};
use crate::linalg::Matrix;
use crate::solve::smo::{Problem, Solution};
use rayon::prelude::*;
use std::ops::Range;

/// Variables of the problems that are solved together, where there are several; a problem itself takes as much memory as so many.
pub(super) const TOGETHER: usize = 1 << 20;
pub(super) const PER_PROBLEM: usize = 10;

/// The pairs of classes of a task.
pub(super) struct PairProblems<'t> {
    codes: &'t [usize],
    /// Codes of the classes that have rows, ascending.
    present: Vec<usize>,
    /// Codes of the two classes of each problem.
    pub(super) pairs: Vec<(usize, usize)>,
    /// The greatest coefficient of each row.
    bounds: Vec<f64>,
    /// K by class, if it is held: then problems have its rows.
    pub(super) held: Option<ByClass>,
    /// Rows of K of each class, ascending.
    rows_of_class: Vec<Vec<usize>>,
}

impl<'t> PairProblems<'t> {
    /// Of the classes that are `present` among the rows; `bounds` of their coefficients. `folds`: whether machines without a fold follow.
    pub(super) fn of(task: &Task<'_>, codes: &'t [usize], present: Vec<usize>, bounds: Vec<f64>, folds: bool) -> Result<Self> {
        let pairs: Vec<(usize, usize)> =
            present.iter().enumerate().flat_map(|(k, &a)| present[k + 1..].iter().map(move |&b| (a, b))).collect();
        let held = ByClass::of(task, codes, pairs.len(), folds)?;
        let mut rows_of_class = vec![Vec::new(); present.last().map_or(0, |last| last + 1)];
        let row_of = |place: usize| held.as_ref().map_or(place, |held| held.order[place]);
        for place in 0..codes.len() {
            if let Some(rows) = rows_of_class.get_mut(codes[row_of(place)]) {
                rows.push(place);
            }
        }
        Ok(PairProblems { codes, present, pairs, bounds, held, rows_of_class })
    }

    /// The row of the task that a row of K belongs to.
    fn row_of(&self, place: usize) -> usize {
        self.held.as_ref().map_or(place, |held| held.order[place])
    }

    fn size(&self, pair: usize) -> usize {
        let (a, b) = self.pairs[pair];
        self.rows_of_class[a].len() + self.rows_of_class[b].len()
    }

    /// Pairs that are solved together; all of them where `whole`.
    pub(super) fn batches(&self, whole: bool) -> Vec<Range<usize>> {
        let (mut all, mut start, mut held) = (Vec::new(), 0, 0);
        for pair in 0..self.pairs.len() {
            held += self.size(pair) + PER_PROBLEM;
            if held >= TOGETHER && !whole {
                all.push(start..pair + 1);
                (start, held) = (pair + 1, 0);
            }
        }
        if start < self.pairs.len() {
            all.push(start..self.pairs.len());
        }
        all
    }

    /// The problems of some pairs, started from an earlier fit.
    pub(super) fn problems(&self, some: Range<usize>, earlier: Option<&FittedSvc>) -> Vec<Problem> {
        let problem = |&(a, b): &(usize, usize)| {
            let mut row = [&self.rows_of_class[a][..], &self.rows_of_class[b]].concat();
            // Two runs, which are merged.
            row.sort();
            let rows: Vec<usize> = row.iter().map(|&place| self.row_of(place)).collect();
            let second = |i: usize| self.codes[i] == b;
            let problem = Problem {
                target: rows.iter().map(|&i| if second(i) { 1.0 } else { -1.0 }).collect(),
                low: rows.iter().map(|&i| if second(i) { 0.0 } else { -self.bounds[i] }).collect(),
                high: rows.iter().map(|&i| if second(i) { self.bounds[i] } else { 0.0 }).collect(),
                row,
                tube: 0.0,
                ..Problem::default()
            };
            let start = earlier.and_then(|e| svm::start(&problem, e.coefficients((a, b), &rows)?));
            Problem { start, ..problem }
        };
        self.pairs[some].par_iter().map(problem).collect()
    }

    /// Coefficients of every row, none of them known.
    pub(super) fn unsolved(&self) -> Matrix {
        Matrix::zeros(self.codes.len(), self.present.len() - 1)
    }

    /// Takes the coefficients of the solutions of some pairs.
    pub(super) fn take(&self, some: Range<usize>, problems: &[Problem], solutions: &[Solution], coef: &mut Matrix) {
        let place = |code: usize| self.present.partition_point(|&class| class < code);
        for ((&(a, b), problem), solution) in self.pairs[some].iter().zip(problems).zip(solutions) {
            let (of_a, of_b) = (place(b) - 1, place(a));
            for (&k, &value) in problem.row.iter().zip(&solution.coef) {
                let row = self.row_of(k);
                coef[(row, if self.codes[row] == a { of_a } else { of_b })] = value;
            }
        }
    }

    /// The expansion of those coefficients; rows that are zero in every pair are left out.
    pub(super) fn expansion(&self, coef: &Matrix, bias: Vec<f64>) -> Expansion {
        let support: Vec<usize> = (0..coef.rows()).filter(|&i| coef.row(i).iter().any(|b| *b != 0.0)).collect();
        let own = coef.select_rows(&support);
        if self.pairs.len() == 1 {
            return Expansion::new(support, own, bias);
        }
        let class = support.iter().map(|&i| self.present.partition_point(|&class| class < self.codes[i])).collect();
        Expansion::of_pairs(support, own, bias, PairLayout { class, classes: self.present.len() })
    }
}

/// The classes that have rows of positive weight, and the mass of each class.
pub(super) fn masses(name: &str, task: &Task<'_>, codes: &[usize], names: &[String]) -> Result<(Vec<usize>, Vec<f64>)> {
    Error::unless_equal("rows of the target", task.rows(), codes.len())?;
    let mut mass = vec![0.0; names.len()];
    for (i, &k) in codes.iter().enumerate() {
        *mass.get_mut(k).ok_or_else(|| Error::Data(format!("row {}: class code {k} has no name", i + 1)))? += task.weight(i);
    }
    let present: Vec<usize> = (0..names.len()).filter(|&k| mass[k] > 0.0).collect();
    if present.len() < 2 {
        let found = present.first().map_or("there are no rows".into(), |&k| format!("every row is of class '{}'", names[k]));
        return Err(Error::Data(format!(
            "{name} needs rows of at least two classes, and {found}; add rows of another class, or check the target column"
        )));
    }
    Ok((present, mass))
}
