//! Latent functions of classes and the probabilities that they are: of two classes one function f, p = 1 / (1 + e^-f) for the second;
//! of more one for each, p_c = e^f_c / sum_k e^f_k. Classes without a row have none, and the probability 0.

use super::outputs::check;
use crate::blocks;
use crate::error::{Error, Result};
use crate::estimators::{ClassWeight, Predicted, Predictions, Task, Want};
use crate::linalg::Matrix;
use crate::solve::likelihood::{ClassLikelihood, sigmoid, softmax};
use serde::{Deserialize, Serialize};

/// How far the score of a class without rows lies below the least of the others: e^-745 is 0.
pub(crate) const NEVER: f64 = 745.0;

/// Classes with names, and those of them that have rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClassScores {
    /// Classes that have names.
    pub(crate) classes: usize,
    /// Codes of those with rows, ascending.
    #[serde(with = "blocks::usizes")]
    present: Vec<usize>,
}

impl ClassScores {
    /// So many classes, all of which have rows.
    pub(crate) fn of_all(classes: usize) -> Self {
        ClassScores { classes, present: (0..classes).collect() }
    }

    /// The classes of a task, which must be two at least, and the likelihood of its rows.
    pub(crate) fn of(task: &Task<'_>, class_weight: ClassWeight, who: &str) -> Result<(Self, ClassLikelihood)> {
        let (codes, names) = task.target.as_classes(who)?;
        check(task, who)?;
        let mut mass = vec![0.0; names.len()];
        for (i, &k) in codes.iter().enumerate() {
            *mass.get_mut(k).ok_or_else(|| Error::Data(format!("row {}: class code {k} has no name", i + 1)))? += task.weight(i);
        }
        let present: Vec<usize> = (0..names.len()).filter(|&k| mass[k] > 0.0).collect();
        if let [only] = present[..] {
            return Err(Error::Data(format!(
                "{who} needs rows of at least two classes, and every row is of class '{}'; add rows of another class, or check the target column",
                names[only]
            )));
        }
        let scores = ClassScores { classes: names.len(), present };
        let likelihood = scores.likelihood(codes, names, &|i| task.weight(i), &class_weight.factors(&mass))?;
        Ok((scores, likelihood))
    }

    /// The classes whose rows weigh so much, of which two at least must have rows.
    pub(crate) fn of_masses(masses: &[f64], who: &str) -> Result<Self> {
        let present: Vec<usize> = (0..masses.len()).filter(|&k| masses[k] > 0.0).collect();
        match present.len() {
            0 | 1 => Err(Error::Data(format!("{who} needs rows of at least two classes, and the batches have those of {}", present.len()))),
            _ => Ok(ClassScores { classes: masses.len(), present }),
        }
    }

    /// The likelihood of rows whose classes count by such factors besides their own weights.
    ///
    /// # Errors
    /// A class that has no latent function.
    pub(crate) fn likelihood(
        &self,
        codes: &[usize],
        names: &[String],
        weight: &dyn Fn(usize) -> f64,
        factors: &[f64],
    ) -> Result<ClassLikelihood> {
        let mut place = vec![None; names.len()];
        self.present.iter().enumerate().for_each(|(p, &k)| place[k] = Some(p));
        let places =
            codes.iter().map(|&k| place[k].ok_or_else(|| Error::Data(format!("there were no rows of class '{}' before", names[k]))));
        let weights = codes.iter().enumerate().map(|(i, &k)| weight(i) * factors[k]).collect();
        Ok(ClassLikelihood::new(places.collect::<Result<_>>()?, weights, self.present.len()))
    }

    /// The classes of a task that have rows of weight above 0, which must be two at least.
    pub(crate) fn present_in(task: &Task<'_>, who: &str) -> Result<Self> {
        let (codes, names) = task.target.as_classes(who)?;
        let mut has_rows = vec![false; names.len()];
        for (i, &k) in codes.iter().enumerate() {
            *has_rows.get_mut(k).ok_or_else(|| Error::Data(format!("row {}: class code {k} has no name", i + 1)))? |= task.weight(i) > 0.0;
        }
        let present: Vec<usize> = (0..names.len()).filter(|&k| has_rows[k]).collect();
        if present.len() < 2 {
            let found = present.first().map_or("there are no rows".into(), |&k| format!("every row is of class '{}'", names[k]));
            return Err(Error::Data(format!(
                "{who} needs rows of at least two classes, and {found}; add rows of another class, or check the target column"
            )));
        }
        Ok(ClassScores { classes: names.len(), present })
    }

    /// Codes of the classes that have rows, ascending.
    pub(crate) fn present(&self) -> &[usize] {
        &self.present
    }

    /// Latent functions that there are.
    pub(crate) fn outputs(&self) -> usize {
        if let [_, _] = self.present[..] { 1 } else { self.present.len() }
    }

    /// An error unless the parts fit together, which a damaged model file may bring about.
    pub(crate) fn check(&self, outputs: usize) -> Result<()> {
        if let Some(k) = self.present.iter().find(|k| **k >= self.classes) {
            return Err(Error::Shape { what: "classes of a classifier".into(), expected: k + 1, found: self.classes });
        }
        if self.present.len() < 2 || self.outputs() != outputs {
            return Err(Error::Shape { what: "latent functions of a classifier".into(), expected: self.outputs(), found: outputs });
        }
        Ok(())
    }

    /// Probabilities of all classes (M x classes) from latent values.
    pub(crate) fn probabilities(&self, f: &Matrix) -> Matrix {
        let mut out = Matrix::zeros(f.rows(), self.classes);
        for i in 0..f.rows() {
            self.spread(out.row_mut(i), &of_row(f.row(i)));
        }
        out
    }

    /// Probabilities of the classes that have rows, put in their places.
    pub(crate) fn spread(&self, out: &mut [f64], present: &[f64]) {
        self.present.iter().zip(present).for_each(|(&k, p)| out[k] = *p);
    }

    /// Decision values: f for two classes, else one for each class.
    pub(crate) fn scores(&self, f: Matrix) -> Matrix {
        if self.classes == 2 || f.cols() == self.classes {
            return f;
        }
        let mut out = Matrix::zeros(f.rows(), self.classes);
        for i in 0..f.rows() {
            let own = match f.row(i) {
                [f] => vec![-0.5 * f, 0.5 * f],
                several => several.to_vec(),
            };
            let least = own.iter().copied().fold(f64::INFINITY, f64::min);
            out.row_mut(i).fill(least - NEVER);
            self.spread(out.row_mut(i), &own);
        }
        out
    }

    /// Variances of the decision values, in the columns that [`ClassScores::scores`] has: those of a class without rows are fixed.
    pub(crate) fn variances(&self, v: Matrix) -> Matrix {
        if self.classes == 2 || v.cols() == self.classes {
            return v;
        }
        let mut out = Matrix::zeros(v.rows(), self.classes);
        for i in 0..v.rows() {
            match v.row(i) {
                [v] => self.spread(out.row_mut(i), &[0.25 * v, 0.25 * v]),
                several => self.spread(out.row_mut(i), several),
            }
        }
        out
    }

    /// Predictions from latent values and from probabilities, whose largest is the class.
    pub(crate) fn predictions(&self, f: Matrix, probabilities: Matrix, want: Want) -> Predictions {
        let codes = (0..f.rows()).map(|i| largest(probabilities.row(i))).collect();
        Predictions {
            scores: want.scores.then(|| self.scores(f)),
            probabilities: want.probabilities.then_some(probabilities),
            ..Predictions::of(Predicted::Classes(codes))
        }
    }

    /// Whether every row lies on the side of its own class.
    pub(crate) fn separates(&self, task: &Task<'_>, f: &Matrix) -> bool {
        let p = self.probabilities(f);
        task.target.as_classes("").is_ok_and(|(codes, _)| codes.iter().enumerate().all(|(i, &k)| largest(p.row(i)) == k))
    }
}

/// Probabilities from the latent values of a row: of both classes, or of each.
fn of_row(f: &[f64]) -> Vec<f64> {
    match f {
        [f] => vec![sigmoid(-f), sigmoid(*f)],
        several => {
            let mut p = several.to_vec();
            softmax(&mut p);
            p
        }
    }
}

/// The place of the largest number, the first of equal ones.
fn largest(row: &[f64]) -> usize {
    row.iter().enumerate().fold(0, |best, (k, p)| if *p > row[best] { k } else { best })
}
