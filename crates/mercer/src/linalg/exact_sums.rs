//! Sums of many arrays of numbers that come out the same in any order and any grouping: numbers are rounded once, to a grid of 2^-70, and
//! their sums are whole numbers of 128 bits, of which addition loses nothing.

use crate::blocks;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Bits behind the point: numbers near 1 keep every digit of f64. In front of it 57 are left, for 1e17 of them.
const FRACTION: i32 = 70;

/// Sums, one for each place of the arrays that are added.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Words", into = "Words")]
pub(crate) struct ExactSums(Vec<i128>);

/// Whole numbers as they are stored: four words each, the lowest first.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    #[serde(with = "blocks::u32s")]
    words: Vec<u32>,
}

impl From<ExactSums> for Words {
    fn from(sums: ExactSums) -> Self {
        Words { words: sums.0.iter().flat_map(|v| [0, 32, 64, 96].map(|shift| (v >> shift) as u32)).collect() }
    }
}

impl From<Words> for ExactSums {
    fn from(stored: Words) -> Self {
        let whole = |words: &[u32]| words.iter().rev().fold(0u128, |v, word| v << 32 | u128::from(*word)) as i128;
        ExactSums(stored.words.chunks(4).map(whole).collect())
    }
}

impl ExactSums {
    /// Sums of nothing.
    pub(crate) fn zeros(places: usize) -> Self {
        ExactSums(vec![0; places])
    }

    /// Number of places.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds one array, whose numbers should be near 1.
    ///
    /// # Errors
    /// A number that is not finite or too large for the grid; then some of the array is added.
    pub(crate) fn add(&mut self, numbers: impl ExactSizeIterator<Item = f64>) -> Result<()> {
        Error::unless_equal("numbers of a sum", self.0.len(), numbers.len())?;
        self.0.iter_mut().zip(numbers).try_for_each(|(sum, number)| add_to(sum, number))
    }

    /// Adds a number, which should be near 1, to one place.
    ///
    /// # Errors
    /// A number that is not finite or too large for the grid.
    pub(crate) fn add_at(&mut self, place: usize, number: f64) -> Result<()> {
        add_to(&mut self.0[place], number)
    }

    /// Adds the sums of other arrays, all or none.
    ///
    /// # Errors
    /// Other places; sums too large for the grid.
    pub(crate) fn merge(&mut self, other: &ExactSums) -> Result<()> {
        Error::unless_equal("numbers of a sum", self.0.len(), other.0.len())?;
        let added: Option<Vec<i128>> = self.0.iter().zip(&other.0).map(|(sum, v)| sum.checked_add(*v)).collect();
        self.0 = added.ok_or_else(too_large)?;
        Ok(())
    }

    /// One sum, rounded.
    pub(crate) fn get(&self, place: usize) -> f64 {
        self.0[place] as f64 * 2f64.powi(-FRACTION)
    }
}

fn add_to(sum: &mut i128, number: f64) -> Result<()> {
    // Whole numbers from 2^127 on have no place, and a cast would stop short of it in silence.
    let scaled = (number * 2f64.powi(FRACTION)).round();
    let added = (scaled.abs() < 2f64.powi(126)).then(|| sum.checked_add(scaled as i128)).flatten();
    *sum = added.ok_or_else(too_large)?;
    Ok(())
}

fn too_large() -> Error {
    Error::Numerical {
        what: "sums over batches".into(),
        why:
            "a number is not finite, or 1e8 times as large as those of the rows that set the scale; scale the columns, or set the scale by \
              rows like these"
                .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1e-6 of one digit of f64 is lost beside 1e9 in f64; every order gives the sum of whole numbers.
    #[test]
    fn sums_are_the_same_in_any_order_and_lose_nothing() {
        let numbers = [1e9, 1e-9, -1e9, 3e-9, 0.1, -0.1];
        let sum = |order: &[usize]| {
            let mut sums = ExactSums::zeros(1);
            order.iter().for_each(|&i| sums.add([numbers[i]].into_iter()).unwrap());
            sums
        };
        let forth = sum(&[0, 1, 2, 3, 4, 5]);
        assert_eq!(forth, sum(&[5, 3, 1, 0, 2, 4]));
        assert!((forth.get(0) - 4e-9).abs() < 2f64.powi(-67));
        let mut halves = sum(&[0, 5]);
        halves.merge(&sum(&[1, 2, 3, 4])).unwrap();
        assert_eq!(halves, forth);
    }

    #[test]
    fn what_is_stored_is_the_sum_and_what_has_no_place_is_refused() {
        let mut sums = ExactSums::zeros(3);
        sums.add([-1.5, 2f64.powi(55), 1e-20].into_iter()).unwrap();
        let text = serde_json::to_string(&sums).unwrap();
        assert_eq!(serde_json::from_str::<ExactSums>(&text).unwrap(), sums);
        assert_eq!((sums.get(0), sums.get(1)), (-1.5, 2f64.powi(55)));
        for wrong in [f64::NAN, f64::INFINITY, 1e30] {
            assert!(ExactSums::zeros(1).add([wrong].into_iter()).is_err());
        }
        // A sum that grows too large from numbers that are not.
        let mut sums = ExactSums::zeros(1);
        sums.add([2f64.powi(55)].into_iter()).unwrap();
        let grown = (0..8).try_for_each(|_| sums.merge(&sums.clone()));
        assert!(grown.is_err());
        assert!(ExactSums::zeros(2).merge(&ExactSums::zeros(3)).is_err());
    }
}
