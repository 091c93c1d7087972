//! Columns of series: real vectors in order of time, `[1, 2, 3]` of one channel and `[[1, 2], [3, 4]]` of several. Rows may differ in
//! length and have the same channels. The vectors of all rows lie one after the other.

use super::cells::{Cells, Draw, Misfit};
use super::parts::stretches;
use super::{Arity, ColumnKind, Dataset, Inputs, PER_FUNCTION, Part, Parts, Points, Sets, Values, one_column};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;

/// One series a row: a vector of one number per channel for each time. A series may be empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Series(Sets);

impl Series {
    /// Row i holds the vectors `starts[i]..starts[i + 1]`, in order of time.
    ///
    /// # Errors
    /// Offsets that do not begin with 0, fall, or do not end with the number of vectors.
    pub fn new(starts: Vec<usize>, vectors: Points) -> Result<Self> {
        Sets::new(starts, vectors).map(Series)
    }
    /// Series in order, each a vector of channels for each time.
    ///
    /// # Errors
    /// Vectors with unlike numbers of channels, and numbers that are not finite, by row and time.
    ///
    /// ```
    /// use mercer::data::Series;
    /// let series = Series::of_rows(&[vec![vec![1.0, 2.0], vec![3.0, 4.0]], vec![vec![5.0, 6.0]]])?;
    /// assert_eq!((series.length(0), series.channels()), (2, 2));
    /// # Ok::<(), mercer::error::Error>(())
    /// ```
    pub fn of_rows(rows: &[Vec<Vec<f64>>]) -> Result<Self> {
        Self::checked(rows.iter().cloned().map(Ok)).map_err(Misfit::alone)
    }
    /// Marks the empty series among these rows, ascending, as missing.
    #[must_use]
    pub fn with_missing(self, rows: Vec<usize>) -> Self {
        Series(self.0.with_missing(rows))
    }
    /// Numbers at each time; 0 where every series is empty.
    pub fn channels(&self) -> usize {
        self.0.vectors().dim()
    }
    /// Times of a row.
    pub fn length(&self, row: usize) -> usize {
        self.0.range(row).len()
    }
    /// Where the vectors of a row stand among [`Series::vectors`].
    pub fn range(&self, row: usize) -> Range<usize> {
        self.0.range(row)
    }
    /// The vectors of all rows, row after row.
    pub fn vectors(&self) -> &Points {
        self.0.vectors()
    }
    /// Times of a row on average.
    pub fn mean_length(&self) -> f64 {
        self.vectors().rows() as f64 / Cells::len(self).max(1) as f64
    }

    fn checked(rows: impl Iterator<Item = std::result::Result<Vec<Vec<f64>>, Misfit>>) -> std::result::Result<Self, Misfit> {
        let (mut starts, mut values) = (vec![0], Vec::new());
        // Channels, and the row that set them.
        let mut width: Option<(usize, usize)> = None;
        for (row, vectors) in rows.enumerate() {
            let vectors = vectors?;
            for (time, vector) in vectors.iter().enumerate() {
                let (channels, first) = *width.get_or_insert((vector.len(), row));
                let misfit = |found: String, expected: String| Misfit { row, found: format!("{found} at time {}", time + 1), expected };
                if vector.len() != channels || channels == 0 {
                    let expected = if channels == 0 { "1 at least".into() } else { format!("{channels}, as in row {}", first + 1) };
                    return Err(misfit(format!("{} channels", vector.len()), expected));
                }
                if let Some((channel, x)) = vector.iter().enumerate().find(|(_, x)| !x.is_finite()) {
                    return Err(misfit(format!("{x} in channel {}", channel + 1), FINITE.into()));
                }
                values.extend_from_slice(vector);
            }
            starts.push(starts[starts.len() - 1] + vectors.len());
        }
        let (count, channels) = (starts[starts.len() - 1], width.map_or(0, |(channels, _)| channels));
        Series::new(starts, Points::computed(count, channels, values)).map_err(|e| Misfit { row: 0, found: String::new(), expected: e.to_string() })
    }
}

/// Stretches of a series of average length that are masked, side by side, unless asked otherwise.
const STRETCHES: f64 = 10.0;

/// What each time holds, and what to do where it does not.
const FINITE: &str = "a finite number; leave the time out, or fill it";

/// The first word of a cell that is no finite number, and its time.
fn first_word(text: &str, is_of_vectors: bool) -> Option<(usize, &str)> {
    let mut opened = 0;
    text.split(',').enumerate().find_map(|(k, part)| {
        opened += part.matches('[').count();
        let word = part.trim_matches(|c: char| c.is_whitespace() || c == '[' || c == ']');
        let is_finite = word.parse::<f64>().is_ok_and(f64::is_finite);
        (!is_finite).then_some((if is_of_vectors { opened.saturating_sub(1) } else { k + 1 }, word))
    })
}

/// The vectors of one cell; none of an empty text.
fn parsed(row: usize, text: &str) -> std::result::Result<Vec<Vec<f64>>, Misfit> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let is_of_vectors = text.trim_start().strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('['));
    let is_list = text.starts_with('[') && text.ends_with(']');
    let misfit = |why: &serde_json::Error| {
        if let Some((time, word)) = first_word(text, is_of_vectors).filter(|_| is_list) {
            let word = if word.is_empty() { "nothing" } else { word };
            return Misfit { row, found: format!("{word} at time {time}"), expected: FINITE.into() };
        }
        let expected = format!("{}; at character {} it is none", Series::WRITTEN.unwrap_or_default(), why.column());
        Misfit { row, found: text.to_owned(), expected }
    };
    if is_of_vectors {
        return serde_json::from_str(text).map_err(|why| misfit(&why));
    }
    let numbers: Vec<f64> = serde_json::from_str(text).map_err(|why| misfit(&why))?;
    Ok(numbers.into_iter().map(|x| vec![x]).collect())
}

/// Sets whose vectors stand in order of time.
impl From<Sets> for Series {
    fn from(sets: Sets) -> Self {
        Series(sets)
    }
}

/// Each vector as the numbers of one channel, one a time.
impl TryFrom<&Points> for Series {
    type Error = Error;
    fn try_from(points: &Points) -> Result<Self> {
        let (rows, times) = (points.rows(), points.dim());
        let vectors = Points::dense(rows * times, 1, points.to_dense().into_owned())?;
        Series::new((0..=rows).map(|row| row * times).collect(), vectors)
    }
}

impl Cells for Series {
    /// Channels; 0 where every series is empty.
    type Schema = usize;
    const WRITTEN: Option<&'static str> = Some("a series such as [1, 2, 3], or [[1, 2], [3, 4]] of two channels");
    const EMPTY: Option<&'static str> = Some("the empty series");
    const HAS_PARTS: bool = true;

    fn len(&self) -> usize {
        Cells::len(&self.0)
    }
    fn select(&self, rows: &[usize]) -> Self {
        Series(Cells::select(&self.0, rows))
    }
    fn schema(&self) -> usize {
        self.channels()
    }
    /// Empty series have the channels of any other.
    fn aligned(&self, channels: &usize, column: &str) -> Result<Self> {
        if let Some(row) = self.0.first_held()
            && self.channels() != *channels
        {
            let expected = format!("{channels}, as in training: give the same channels in the same order");
            return Err(Misfit { row, found: format!("{} channels", self.channels()), expected }.of_column(column));
        }
        Cells::aligned(&self.0, channels, column).map(Series)
    }
    fn parse(texts: &mut dyn Iterator<Item = &str>) -> std::result::Result<Self, Misfit> {
        let mut missing = Vec::new();
        let series = |(row, text): (usize, &str)| {
            missing.extend(text.is_empty().then_some(row));
            parsed(row, text)
        };
        Ok(Self::checked(texts.enumerate().map(series))?.with_missing(missing))
    }
    /// One channel as a list of numbers.
    fn cell(&self, row: usize) -> serde_json::Value {
        match (self.channels(), self.0.cell(row)) {
            (1, serde_json::Value::Array(vectors)) => vectors.into_iter().map(|vector| vector[0].clone()).collect(),
            (_, cell) => cell,
        }
    }
    fn words(&self, row: usize, word: &mut dyn FnMut(u64)) {
        let range = self.0.range(row);
        word(range.len() as u64);
        range.flat_map(|time| self.0.words_of(time)).for_each(word);
    }
    fn describe(&self) -> String {
        let lengths: Vec<usize> = (0..Cells::len(self)).map(|i| self.length(i)).collect();
        let channels = match self.channels() {
            1 => "1 channel".to_owned(),
            many => format!("{many} channels"),
        };
        match (lengths.iter().min(), lengths.iter().max()) {
            (Some(least), Some(most)) if least == most => format!("{least} times, {channels}"),
            (Some(least), Some(most)) => format!("{least} to {most} times, {channels}"),
            _ => "nothing".into(),
        }
    }
    fn missing(&self) -> Vec<usize> {
        self.0.missing()
    }
    fn stored(&self) -> usize {
        self.0.stored()
    }
    fn vectors(&self) -> Option<&Points> {
        Some(self.0.vectors())
    }
    fn owner(&self, vector: usize) -> usize {
        self.0.owner(vector)
    }
    fn with_vectors(&self, vectors: Points) -> Option<Self> {
        self.0.with_vectors(vectors).map(Series)
    }
    /// Stretches of time, each half over the next.
    fn parts(&self, row: usize, width: Option<usize>, _kind: ColumnKind) -> Parts {
        let width = width.unwrap_or((self.mean_length() / STRETCHES).ceil() as usize);
        let part = |units: Vec<usize>| {
            let (first, last) = (units.first().map_or(0, |t| t + 1), units.last().map_or(0, |t| t + 1));
            let text = if first == last { format!("time {first}") } else { format!("times {first} to {last}") };
            Part { names: vec![text.clone()], units, text, place: String::new() }
        };
        let parts = stretches(self.length(row), width..=width, |width| width.div_ceil(2)).into_iter().map(part).collect();
        Parts { units: self.0.units(row), parts, axis: Some("time") }
    }
    /// Times that are masked lie on the straight line between the times beside them; at an end they repeat the time beside them, and a
    /// series that is masked as a whole is its mean.
    fn masked(&self, row: usize, parts: &[Part], _kind: ColumnKind) -> Option<Self> {
        let (channels, length) = (self.channels(), self.length(row));
        let own = self.vectors().select(&self.range(row).collect::<Vec<_>>()).to_dense().into_owned();
        let mut values = Vec::with_capacity(parts.len() * own.len());
        for part in parts {
            let start = values.len();
            values.extend_from_slice(&own);
            let (Some(first), Some(last)) = (part.units.first(), part.units.last()) else { continue };
            for channel in 0..channels {
                let at = |time: usize| own[time * channels + channel];
                let mean = || (0..length).map(at).sum::<f64>() / length as f64;
                let (before, after) = (first.checked_sub(1).map(at), (last + 1 < length).then(|| at(last + 1)));
                let (from, to) = (before.or(after).unwrap_or_else(mean), after.or(before).unwrap_or_else(mean));
                for time in *first..=*last {
                    let share = (time + 1 - first) as f64 / (last + 2 - first) as f64;
                    values[start + time * channels + channel] = from + share * (to - from);
                }
            }
        }
        Series::new((0..=parts.len()).map(|k| k * length).collect(), Points::computed(parts.len() * length, channels, values)).ok()
    }
    /// Random walks of two channels.
    fn invent(draw: &mut Draw) -> Option<Self> {
        let walk = |draw: &mut Draw| {
            let mut at = [0.0; 2];
            let mut vectors = Vec::new();
            for _ in 0..draw.whole(2, 7) {
                at = at.map(|x: f64| x + 0.5 * draw.number());
                vectors.push(at.to_vec());
            }
            vectors
        };
        let rows: Vec<Vec<Vec<f64>>> = (0..draw.rows).map(|_| walk(draw)).collect();
        Series::of_rows(&rows).ok()
    }
    /// The series (0), the one that waits there, (0, 0), and those of another number, near and far.
    fn star(others: usize) -> Option<Self> {
        let other = |k: i32| vec![vec![2f64.powi(if k % 2 == 0 { k / 2 } else { -(k + 1) / 2 })]];
        let rows = [vec![vec![0.0]], vec![vec![0.0]; 2]].into_iter().chain((0..24).map(other).cycle());
        Series::of_rows(&rows.take(others + 1).collect::<Vec<_>>()).ok()
    }
}

// Times of one against times of the other, a function of the channels of each pair.
one_column!(Series, Series, Series, "one column of series", "series", per_pair: |series| {
    (PER_FUNCTION + 2.0 * series.channels() as f64) * series.mean_length().powi(2)
});

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(texts: &[&str]) -> String {
        <Series as Cells>::parse(&mut texts.iter().copied()).unwrap_err().of_column("x").to_string()
    }

    #[test]
    fn series_are_read_with_one_channel_or_several_and_with_empty_ones() {
        let one = <Series as Cells>::parse(&mut ["[1, 2,3]", "", "[]", "[[5]]"].into_iter()).unwrap();
        assert_eq!((one.channels(), (0..4).map(|i| one.length(i)).collect::<Vec<_>>()), (1, vec![3, 0, 0, 1]));
        assert_eq!((one.missing(), one.cell(0).to_string(), one.cell(3).to_string()), (vec![1], "[1.0,2.0,3.0]".into(), "[5.0]".into()));
        let points = Points::dense(2, 2, vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(Series::try_from(&points).unwrap(), <Series as Cells>::parse(&mut ["[1,2]", "[3,4]"].into_iter()).unwrap());
        let two = <Series as Cells>::parse(&mut ["[[1,2],[3,4]]", " [ [5, 6e0] ]"].into_iter()).unwrap();
        assert_eq!((two.describe().as_str(), two.owner(2)), ("1 to 2 times, 2 channels", 1));
        assert_eq!(Cells::select(&two, &[1]), Series::of_rows(&[vec![vec![5.0, 6.0]]]).unwrap());
        let stored = serde_json::to_string(&two).unwrap();
        assert_eq!(serde_json::from_str::<Series>(&stored).unwrap(), two);
        assert!(serde_json::from_str::<Series>(&stored.replace("[0,2,", "[0,9,")).is_err());
    }

    #[test]
    fn unlike_channels_and_what_is_no_series_are_named_by_row_and_place() {
        let unlike = fault(&["[[1,2],[3]]"]);
        assert!(unlike.contains("row 1, column 'x': found '1 channels at time 2', expected 2, as in row 1"), "{unlike}");
        assert!(fault(&["[1, 2]", "[]", "[[3, 4]]"]).contains("row 3"));
        assert!(fault(&["[1, nan]"]).contains("found 'nan at time 2', expected a finite number"));
        assert!(fault(&["[[1, 2], [3, null]]"]).contains("found 'null at time 2', expected a finite number"));
        assert!(fault(&["[1, ]"]).contains("found 'nothing at time 2'") && fault(&["[1, [2]]"]).contains("character 4"));
        assert!(fault(&["[[]]"]).contains("1 at least") && fault(&["[1", "[1]"]).contains("row 1"));
        assert!(fault(&["7"]).contains("a series such as [1, 2, 3]"));
        let infinite = Series::of_rows(&[vec![vec![0.0]], vec![vec![1.0], vec![f64::NAN]]]).unwrap_err().to_string();
        let new = Series::of_rows(&[vec![vec![0.0, 1.0]]]).unwrap().aligned(&1, "x").unwrap_err().to_string();
        assert!(new.contains("row 1, column 'x': found '2 channels', expected 1, as in training"), "{new}");
        assert!(infinite.contains("row 2") && infinite.contains("NaN in channel 1 at time 2"), "{infinite}");
    }
}
