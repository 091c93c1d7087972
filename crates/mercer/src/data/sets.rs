//! Columns of sets of vectors, all of one length: `[[1,2],[3,4]]`. The vectors of all rows lie one after the other.

use super::cells::{Cells, Draw, Misfit};
use super::parts::vector_text;
use super::{Arity, ColumnKind, Dataset, Inputs, PER_FUNCTION, Part, Parts, Points, Values, one_column};
use crate::blocks;
use crate::error::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::ops::Range;

/// One set of vectors a row; sets may be empty. A missing one is empty too.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sets {
    /// Row i holds the vectors `starts[i]..starts[i + 1]`.
    #[serde(with = "blocks::usizes")]
    starts: Vec<usize>,
    vectors: Points,
    /// The rows that have no set, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    missing: Vec<usize>,
}

/// Stored sets are checked like new ones.
impl<'de> Deserialize<'de> for Sets {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Stored {
            #[serde(with = "blocks::usizes")]
            starts: Vec<usize>,
            vectors: Points,
            #[serde(default)]
            missing: Vec<usize>,
        }
        let Stored { starts, vectors, missing } = Stored::deserialize(d)?;
        let sets = Sets::new(starts, vectors).map_err(serde::de::Error::custom)?;
        if missing.iter().any(|&row| row >= Cells::len(&sets)) {
            return Err(serde::de::Error::custom("sets of vectors: a row that is missing is none of them"));
        }
        Ok(sets.with_missing(missing))
    }
}

impl Sets {
    /// Row i holds the vectors `starts[i]..starts[i + 1]`.
    ///
    /// # Errors
    /// Offsets that do not begin with 0, fall, or do not end with the number of vectors.
    pub fn new(starts: Vec<usize>, vectors: Points) -> Result<Self> {
        let fits = starts.first() == Some(&0) && starts.last() == Some(&vectors.rows()) && starts.windows(2).all(|w| w[0] <= w[1]);
        if fits {
            Ok(Sets { starts, vectors, missing: Vec::new() })
        } else {
            Err(Error::Data("sets of vectors: offsets and vectors do not fit together".into()))
        }
    }
    /// Sets of vectors, in order.
    ///
    /// # Errors
    /// Vectors of unlike length, and numbers that are not finite, by row.
    ///
    /// ```
    /// use mercer::data::Sets;
    /// let sets = Sets::of_rows(&[vec![vec![1.0, 2.0], vec![3.0, 4.0]], vec![vec![5.0, 6.0]]])?;
    /// assert_eq!((sets.range(1), sets.vectors().dim()), (2..3, 2));
    /// # Ok::<(), mercer::error::Error>(())
    /// ```
    pub fn of_rows(rows: &[Vec<Vec<f64>>]) -> Result<Self> {
        Self::checked(rows.iter().cloned().map(Ok)).map_err(Misfit::alone)
    }
    /// Marks the empty sets among these rows, ascending, as missing.
    #[must_use]
    pub fn with_missing(self, mut rows: Vec<usize>) -> Self {
        rows.retain(|&row| self.range(row).is_empty());
        Sets { missing: rows, ..self }
    }
    /// Whether a row is missing.
    pub(super) fn is_missing(&self, row: usize) -> bool {
        self.missing.binary_search(&row).is_ok()
    }
    /// The first row that holds a vector.
    pub(super) fn first_held(&self) -> Option<usize> {
        (0..Cells::len(self)).find(|&row| !self.range(row).is_empty())
    }
    /// The vectors of a row in words.
    pub(super) fn units(&self, row: usize) -> Vec<String> {
        let vectors = self.vectors.select(&self.range(row).collect::<Vec<_>>());
        vectors.to_dense().chunks(vectors.dim().max(1)).map(|vector| vector_text(vector) + " ").collect()
    }
    /// All vectors, row after row.
    pub fn vectors(&self) -> &Points {
        &self.vectors
    }
    /// Where the vectors of a row stand.
    pub fn range(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }
    /// The words of a vector: see [`Cells::words`].
    pub(super) fn words_of(&self, vector: usize) -> Vec<u64> {
        let mut words = Vec::new();
        self.vectors.words(vector, &mut |word| words.push(word));
        words
    }
    /// `rows + 1` offsets into the vectors.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    fn checked(rows: impl Iterator<Item = std::result::Result<Vec<Vec<f64>>, Misfit>>) -> std::result::Result<Self, Misfit> {
        let (mut starts, mut values) = (vec![0], Vec::new());
        // Numbers per vector, and the row that tells.
        let mut width: Option<(usize, usize)> = None;
        for (row, vectors) in rows.enumerate() {
            let vectors = vectors?;
            for (place, vector) in vectors.iter().enumerate() {
                let (dim, first) = *width.get_or_insert((vector.len(), row));
                let misfit = |found: String, expected: String| Misfit { row, found, expected };
                if vector.len() != dim || dim == 0 {
                    let expected = if dim == 0 { "vectors of 1 number at least".into() } else { format!("{dim}, as in row {}", first + 1) };
                    return Err(misfit(format!("a vector of length {}", vector.len()), expected));
                }
                if let Some(x) = vector.iter().find(|x| !x.is_finite()) {
                    return Err(misfit(format!("{x} in vector {}", place + 1), "a finite number; leave the vector out, or fill it".into()));
                }
                values.extend_from_slice(vector);
            }
            starts.push(starts[starts.len() - 1] + vectors.len());
        }
        let count = starts[starts.len() - 1];
        Ok(Sets { starts, vectors: Points::computed(count, width.map_or(0, |(dim, _)| dim), values), missing: Vec::new() })
    }
}

/// The vectors of one cell; none of an empty text.
fn parsed(row: usize, text: &str) -> std::result::Result<Vec<Vec<f64>>, Misfit> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(text).map_err(|why| {
        let expected = format!("{}; at character {} it is none", Sets::WRITTEN.unwrap_or_default(), why.column());
        Misfit { row, found: text.to_owned(), expected }
    })
}

impl Cells for Sets {
    /// Numbers per vector; 0 where every set is empty.
    type Schema = usize;
    const WRITTEN: Option<&'static str> = Some("a set of vectors such as [[1,2],[3,4]]");
    const EMPTY: Option<&'static str> = Some("the empty set");
    const HAS_PARTS: bool = true;

    fn len(&self) -> usize {
        self.starts.len() - 1
    }
    fn select(&self, rows: &[usize]) -> Self {
        let mut starts = vec![0];
        rows.iter().for_each(|&i| starts.push(starts[starts.len() - 1] + self.range(i).len()));
        let vectors: Vec<usize> = rows.iter().flat_map(|&i| self.range(i)).collect();
        let missing = (0..rows.len()).filter(|&at| self.is_missing(rows[at])).collect();
        Sets { starts, vectors: self.vectors.select(&vectors), missing }
    }
    fn schema(&self) -> usize {
        self.vectors.dim()
    }
    /// Sets without any vector have no length of vectors of their own.
    fn aligned(&self, dim: &usize, column: &str) -> Result<Self> {
        let Some(row) = self.first_held() else {
            return Ok(Sets { vectors: Points::computed(0, *dim, Vec::new()), ..self.clone() });
        };
        if self.vectors.dim() != *dim {
            let (found, expected) = (self.vectors.dim(), format!("{dim}, as in training: give the same numbers in the same order"));
            return Err(Misfit { row, found: format!("{found} numbers per vector"), expected }.of_column(column));
        }
        Ok(self.clone())
    }
    fn looks_like(text: &str) -> bool {
        text == "[]" || (text.starts_with("[[") && parsed(0, text).is_ok())
    }
    fn parse(texts: &mut dyn Iterator<Item = &str>) -> std::result::Result<Self, Misfit> {
        let mut missing = Vec::new();
        let set = |(row, text): (usize, &str)| {
            missing.extend(text.is_empty().then_some(row));
            parsed(row, text)
        };
        Ok(Self::checked(texts.enumerate().map(set))?.with_missing(missing))
    }
    fn cell(&self, row: usize) -> serde_json::Value {
        let vectors: Vec<Vec<f64>> = self.range(row).map(|i| self.vectors.select(&[i]).to_dense().into_owned()).collect();
        serde_json::json!(vectors)
    }
    /// Vectors in the order of their words: a set has no order of its own.
    fn words(&self, row: usize, word: &mut dyn FnMut(u64)) {
        let mut vectors: Vec<Vec<u64>> = self.range(row).map(|i| self.words_of(i)).collect();
        vectors.sort_unstable();
        word(vectors.len() as u64);
        vectors.into_iter().flatten().for_each(word);
    }
    fn describe(&self) -> String {
        let sizes: Vec<usize> = (0..Cells::len(self)).map(|i| self.range(i).len()).collect();
        match (sizes.iter().min(), sizes.iter().max()) {
            (Some(least), Some(most)) => {
                format!("{least} to {most} vectors of {}", self.vectors.describe().trim_start_matches("vectors of "))
            }
            _ => "nothing".into(),
        }
    }
    fn missing(&self) -> Vec<usize> {
        self.missing.clone()
    }
    fn stored(&self) -> usize {
        self.starts.len() + self.vectors.stored()
    }
    fn vectors(&self) -> Option<&Points> {
        Some(&self.vectors)
    }
    fn owner(&self, vector: usize) -> usize {
        self.starts.partition_point(|&start| start <= vector) - 1
    }
    fn with_vectors(&self, vectors: Points) -> Option<Self> {
        Sets::new(self.starts.clone(), vectors).ok().map(|sets| sets.with_missing(self.missing.clone()))
    }
    fn parts(&self, row: usize, _width: Option<usize>, _kind: ColumnKind) -> Parts {
        let units = self.units(row);
        let part = |(k, unit): (usize, &String)| {
            let text = unit.trim_end().to_owned();
            Part { units: vec![k], place: format!("member {}", k + 1), names: vec![text.clone()], text }
        };
        Parts { parts: units.iter().enumerate().map(part).collect(), units, axis: None }
    }
    /// A set without some of its vectors.
    fn masked(&self, row: usize, parts: &[Part], _kind: ColumnKind) -> Option<Self> {
        let range = self.range(row);
        let (mut starts, mut kept) = (vec![0], Vec::new());
        for part in parts {
            kept.extend(range.clone().enumerate().filter(|(k, _)| !part.units.contains(k)).map(|(_, vector)| vector));
            starts.push(kept.len());
        }
        Some(Sets { starts, vectors: self.vectors.select(&kept), missing: Vec::new() })
    }
    fn invent(draw: &mut Draw) -> Option<Self> {
        let set = |draw: &mut Draw| (0..draw.whole(1, 5)).map(|_| vec![draw.number(), draw.number()]).collect();
        let rows: Vec<Vec<Vec<f64>>> = (0..draw.rows).map(|_| set(draw)).collect();
        Sets::of_rows(&rows).ok()
    }
}

// Vectors of one against vectors of the other, a function of the numbers of each pair.
one_column!(Sets, Set, Sets, "one column of sets of vectors", "sets", per_pair: |sets| {
    let size = sets.vectors.rows() as f64 / Cells::len(sets).max(1) as f64;
    (PER_FUNCTION + 2.0 * sets.vectors.dim() as f64) * size * size
});

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(texts: &[&str]) -> String {
        <Sets as Cells>::parse(&mut texts.iter().copied()).unwrap_err().of_column("x").to_string()
    }

    #[test]
    fn sets_are_read_with_their_empty_ones() {
        let sets = <Sets as Cells>::parse(&mut ["[[1,2],[3,4]]", "", "[]", "[[5, 6e0]]"].into_iter()).unwrap();
        assert_eq!((sets.starts(), sets.vectors().dim(), Cells::missing(&sets)), (&[0, 2, 2, 2, 3][..], 2, vec![1]));
        assert_eq!(Cells::missing(&Cells::select(&sets, &[2, 1, 1])), [1, 2]);
        assert_eq!((sets.owner(0), sets.owner(1), sets.owner(2)), (0, 0, 3));
        assert_eq!(Cells::select(&sets, &[3, 0]), Sets::of_rows(&[vec![vec![5.0, 6.0]], vec![vec![1.0, 2.0], vec![3.0, 4.0]]]).unwrap());
        let stored = serde_json::to_string(&sets).unwrap();
        assert_eq!(serde_json::from_str::<Sets>(&stored).unwrap(), sets);
        assert!(serde_json::from_str::<Sets>(&stored.replace("[0,2,", "[0,9,")).is_err());
        assert!(serde_json::from_str::<Sets>(&stored.replace("\"missing\":[1]", "\"missing\":[7]")).is_err());
    }

    #[test]
    fn vectors_of_unlike_length_and_what_is_no_set_are_named_by_row() {
        assert!(fault(&["[[1,2],[3]]"]).contains("row 1, column 'x': found 'a vector of length 1', expected 2, as in row 1"));
        assert!(fault(&["[[1,2]]", "[]", "[[3]]"]).contains("row 3"));
        assert!(fault(&["[[1,2]]", "[1,2]"]).contains("row 2") && fault(&["[[1,2]"]).contains("character 6"));
        assert!(fault(&["[[]]"]).contains("1 number at least") && fault(&["[[1e999]]"]).contains("row 1"));
        let new = Sets::of_rows(&[vec![], vec![vec![1.0; 3]]]).unwrap().aligned(&2, "x").unwrap_err().to_string();
        assert!(new.contains("row 2, column 'x': found '3 numbers per vector', expected 2, as in training"), "{new}");
        let infinite = Sets::of_rows(&[vec![vec![0.0], vec![f64::NAN]]]).unwrap_err().to_string();
        assert!(infinite.contains("row 1: found 'NaN in vector 2'"), "{infinite}");
    }
}
