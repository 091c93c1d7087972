//! The parameters of a fitted distribution as named arrays: probabilities, means, covariances.

use serde::Serialize;
use std::iter;

/// One parameter of a fitted distribution: probabilities of the next state, means of the components.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterArray {
    /// Its name, which Python has with `_` behind it.
    pub name: &'static str,
    /// What the numbers are, in a few words.
    pub about: &'static str,
    /// What is counted along each axis; none of a single number.
    pub axes: Vec<ArrayAxis>,
    /// The numbers, the last axis fastest.
    pub values: Vec<f64>,
}

/// An axis of a [`ParameterArray`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArrayAxis {
    /// What one place along it is: a state, a letter, a column.
    pub of: &'static str,
    /// The name of each place.
    pub labels: Vec<String>,
}

/// The numbers of a row in the units of the table, `shift + scale x`, each with a name; the number itself where nothing was standardised.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinates {
    /// Names of the columns, of the dimensions of a vector, or of the channels of a series.
    pub names: Vec<String>,
    /// What is added.
    pub shift: Vec<f64>,
    /// What is multiplied by.
    pub scale: Vec<f64>,
}

impl ParameterArray {
    pub(super) fn new(name: &'static str, about: &'static str, axes: Vec<ArrayAxis>, values: Vec<f64>) -> Self {
        ParameterArray { name, about, axes, values }
    }
    /// The length along each axis.
    pub fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.labels.len()).collect()
    }
}

impl ArrayAxis {
    /// Places that are numbered from 1.
    pub(super) fn numbered(of: &'static str, count: usize) -> Self {
        ArrayAxis { of, labels: (1..=count).map(|k| k.to_string()).collect() }
    }
    pub(super) fn letters(letters: &[char]) -> Self {
        let quoted = |c: &char| if c.is_whitespace() || c.is_control() { format!("'{}'", c.escape_debug()) } else { c.to_string() };
        ArrayAxis { of: "letter", labels: letters.iter().map(quoted).collect() }
    }
}

impl Coordinates {
    /// Coordinates of these names in the units of the table.
    pub fn named(names: Vec<String>) -> Self {
        let count = names.len();
        Coordinates { names, shift: vec![0.0; count], scale: vec![1.0; count] }
    }
    pub(super) fn axis(&self, of: &'static str) -> ArrayAxis {
        ArrayAxis { of, labels: self.names.clone() }
    }
    /// Points, one after the other, in the units of the table.
    pub(crate) fn points(&self, points: &[f64]) -> Vec<f64> {
        self.each(points, |x, k| self.shift[k] + self.scale[k] * x)
    }
    /// Variances of each coordinate, one list after the other, in the squared units of the table.
    pub(super) fn variances(&self, variances: &[f64]) -> Vec<f64> {
        self.each(variances, |v, k| self.scale[k] * self.scale[k] * v)
    }
    fn each(&self, numbers: &[f64], of: impl Fn(f64, usize) -> f64) -> Vec<f64> {
        numbers.iter().zip(iter::repeat_with(|| 0..self.names.len()).flatten()).map(|(x, k)| of(*x, k)).collect()
    }
}
