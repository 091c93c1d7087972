//! Columns of series: real vectors in order of time, `[1, 2, 3]` of one channel and `[[1, 2], [3, 4]]` of several. Rows may differ in
//! length and have the same channels. The vectors of all rows lie one after the other. A number that is missing at a time is a gap:
//! `[1, null, 3]`.

mod gaps;
mod text;

use gaps::fill;
pub use gaps::{GapCount, GapFill};
#[cfg(feature = "read")]
pub(crate) use text::list_of_numbers;

use super::cells::{Cells, Draw, Misfit};
use super::parts::stretches;
use super::{Arity, ColumnKind, Dataset, Inputs, PER_FUNCTION, Part, Parts, Points, Sets, Values, one_column};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;
use text::{FINITE, parsed};

/// One series a row: a vector of one number per channel for each time. A series may be empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredSeries")]
pub struct Series {
    #[serde(flatten)]
    sets: Sets,
    /// The numbers that are missing, by their places among the numbers of all vectors, ascending. What stands there is interpolated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    gaps: Vec<usize>,
}

/// A series as it is stored.
#[derive(Deserialize)]
struct StoredSeries {
    #[serde(flatten)]
    sets: Sets,
    #[serde(default)]
    gaps: Vec<usize>,
}

impl TryFrom<StoredSeries> for Series {
    type Error = &'static str;
    fn try_from(StoredSeries { sets, gaps }: StoredSeries) -> std::result::Result<Self, Self::Error> {
        let fits = gaps.is_sorted() && gaps.last().is_none_or(|&last| last / sets.vectors().dim().max(1) < sets.vectors().rows());
        if fits { Ok(Series { sets, gaps }) } else { Err("series: gaps that stand nowhere") }
    }
}

impl Series {
    /// Row i holds the vectors `starts[i]..starts[i + 1]`, in order of time.
    ///
    /// # Errors
    /// Offsets that do not begin with 0, fall, or do not end with the number of vectors.
    pub fn new(starts: Vec<usize>, vectors: Points) -> Result<Self> {
        Sets::new(starts, vectors).map(Series::from)
    }
    /// Series in order, each a vector of channels for each time, NaN where a number is missing. A series without any number is missing.
    ///
    /// # Errors
    /// Vectors with unlike numbers of channels, and infinite numbers, by row and time.
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
    /// Series out of their numbers, time after time, NaN where one is missing: row i holds the times `starts[i]..starts[i + 1]`. A
    /// series without any number is missing.
    ///
    /// # Errors
    /// Offsets as in [`Series::new`], and infinite numbers.
    pub fn with_gaps(starts: &[usize], channels: usize, values: &[f64]) -> Result<Self> {
        let (mut kept, mut numbers, mut gaps, mut missing) = (vec![0], Vec::with_capacity(values.len()), Vec::new(), Vec::new());
        for (row, times) in starts.windows(2).enumerate() {
            let own = values.get(times[0] * channels..times[1] * channels).unwrap_or_default();
            if own.iter().all(|x| x.is_nan()) {
                missing.extend((!own.is_empty()).then_some(row));
            } else {
                gaps.extend(own.iter().enumerate().filter(|(_, x)| x.is_nan()).map(|(k, _)| numbers.len() + k));
                let begin = numbers.len();
                numbers.extend_from_slice(own);
                fill(&mut numbers[begin..], channels, GapFill::Interpolate);
            }
            kept.push(numbers.len() / channels.max(1));
        }
        let vectors = Points::dense(numbers.len() / channels.max(1), channels, numbers)?;
        Ok(Series { sets: Sets::new(kept, vectors)?.with_missing(missing), gaps })
    }
    /// Series that a table of `times` times holds, one a row: each ends with the last time that has a number.
    ///
    /// # Errors
    /// Infinite numbers.
    pub fn padded(times: usize, channels: usize, values: &[f64]) -> Result<Self> {
        let (mut starts, mut kept) = (vec![0], Vec::with_capacity(values.len()));
        for row in values.chunks_exact((times * channels).max(1)) {
            let end = row.iter().rposition(|x| !x.is_nan()).map_or(0, |last| last / channels + 1);
            kept.extend_from_slice(&row[..end * channels]);
            starts.push(starts[starts.len() - 1] + end);
        }
        let rows = starts.len() - 1;
        Ok(Self::with_gaps(&starts, channels, &kept)?.with_missing((0..rows).collect()))
    }
    /// These series, and behind them others of as many channels.
    ///
    /// # Errors
    /// Another number of channels.
    #[cfg(feature = "read")]
    pub(crate) fn followed_by(&self, more: &Series) -> Result<Self> {
        let (rows, channels) = (Cells::len(self), self.channels().max(more.channels()));
        if let Some(other) = [self, more].into_iter().find(|series| series.vectors().rows() > 0 && series.channels() != channels) {
            return Err(Error::Shape { what: "channels".into(), expected: channels, found: other.channels() });
        }
        let starts =
            |series: &Series, from: usize| (0..Cells::len(series)).map(move |row| from + series.range(row).end).collect::<Vec<_>>();
        let all = [vec![0], starts(self, 0), starts(more, self.vectors().rows())].concat();
        let missing = Cells::missing(self).into_iter().chain(Cells::missing(more).into_iter().map(|row| rows + row)).collect();
        Ok(Self::with_gaps(&all, channels, &[self.numbers(), more.numbers()].concat())?.with_missing(missing))
    }
    /// Marks the empty series among these rows, ascending, as missing, and keeps those that are marked.
    #[must_use]
    pub fn with_missing(self, mut rows: Vec<usize>) -> Self {
        rows.extend(self.sets.missing());
        rows.sort_unstable();
        rows.dedup();
        Series { sets: self.sets.with_missing(rows), ..self }
    }
    /// How many gaps there are, if any.
    pub fn count_gaps(&self) -> Option<GapCount> {
        let mut times: Vec<usize> = self.gaps.iter().map(|gap| gap / self.channels().max(1)).collect();
        times.dedup();
        let mut rows: Vec<usize> = times.iter().map(|&time| self.sets.owner(time)).collect();
        rows.dedup();
        rows.first().map(|&first| GapCount { times: times.len(), rows: rows.len(), first })
    }
    /// How many rows have fewer than `times` times, in words; `None` where none does, empty ones aside.
    pub fn shorter_than(&self, times: usize) -> Option<String> {
        let rows = Cells::len(self);
        let short: Vec<usize> = (0..rows).filter(|&row| (1..times).contains(&self.length(row))).collect();
        let first = short.first()? + 1;
        Some(format!("fewer than {times} times in {} of {rows} rows (the first is row {first})", short.len()))
    }
    /// The numbers of all vectors, NaN in the gaps.
    pub fn numbers(&self) -> Vec<f64> {
        let mut values = self.vectors().to_dense().into_owned();
        for &gap in &self.gaps {
            if let Some(x) = values.get_mut(gap) {
                *x = f64::NAN;
            }
        }
        values
    }
    /// These series without gaps.
    ///
    /// # Errors
    /// A channel that has no number at any time of a row, where that is to be filled.
    pub fn filled(&self, how: GapFill) -> std::result::Result<Self, Misfit> {
        if self.gaps.is_empty() {
            return Ok(self.clone());
        }
        let channels = self.channels();
        let (mut starts, mut numbers) = (vec![0], Vec::new());
        let all = self.numbers();
        for row in 0..Cells::len(self) {
            let range = self.range(row);
            let own = &all[range.start * channels..range.end * channels];
            let begin = numbers.len();
            if how == GapFill::Skip {
                own.chunks_exact(channels)
                    .filter(|vector| !vector.iter().any(|x| x.is_nan()))
                    .for_each(|vector| numbers.extend_from_slice(vector));
            } else {
                numbers.extend_from_slice(own);
                if let Some(channel) = (0..channels).find(|&c| !own.is_empty() && own.iter().skip(c).step_by(channels).all(|x| x.is_nan()))
                {
                    let expected = "one at least, to fill the gaps with; leave the row or the channel out".into();
                    return Err(Misfit { row, found: format!("no number in channel {} at any time", channel + 1), expected });
                }
                fill(&mut numbers[begin..], channels, how);
            }
            starts.push(numbers.len() / channels);
        }
        let count = numbers.len() / channels;
        let refused = |why: Error| Misfit { row: 0, found: String::new(), expected: why.to_string() };
        let emptied = (0..Cells::len(self)).filter(|&row| starts[row] == starts[row + 1] && self.length(row) > 0).collect();
        let filled = Series::new(starts, Points::computed(count, channels, numbers)).map_err(refused)?;
        Ok(filled.with_missing(self.sets.missing()).with_missing(emptied))
    }
    /// Numbers at each time; 0 where every series is empty.
    pub fn channels(&self) -> usize {
        self.sets.vectors().dim()
    }
    /// Times of a row.
    pub fn length(&self, row: usize) -> usize {
        self.sets.range(row).len()
    }
    /// Where the vectors of a row stand among [`Series::vectors`].
    pub fn range(&self, row: usize) -> Range<usize> {
        self.sets.range(row)
    }
    /// The vectors of all rows, row after row.
    pub fn vectors(&self) -> &Points {
        self.sets.vectors()
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
                if let Some((channel, x)) = vector.iter().enumerate().find(|(_, x)| x.is_infinite()) {
                    return Err(misfit(format!("{x} in channel {}", channel + 1), FINITE.into()));
                }
                values.extend_from_slice(vector);
            }
            starts.push(starts[starts.len() - 1] + vectors.len());
        }
        let channels = width.map_or(0, |(channels, _)| channels);
        Series::with_gaps(&starts, channels, &values).map_err(|e| Misfit { row: 0, found: String::new(), expected: e.to_string() })
    }

    /// The places of the gaps of a row.
    fn gaps_of(&self, row: usize) -> &[usize] {
        let (range, channels) = (self.range(row), self.channels());
        let place = |vector: usize| self.gaps.partition_point(|&gap| gap < vector * channels);
        &self.gaps[place(range.start)..place(range.end)]
    }
}

/// Sets whose vectors stand in order of time.
impl From<Sets> for Series {
    fn from(sets: Sets) -> Self {
        Series { sets, gaps: Vec::new() }
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
        Cells::len(&self.sets)
    }
    fn select(&self, rows: &[usize]) -> Self {
        let sets = Cells::select(&self.sets, rows);
        let moved = |(at, row): (usize, &usize)| {
            let (from, to) = (self.range(*row).start * self.channels(), sets.range(at).start * self.channels());
            self.gaps_of(*row).iter().map(move |gap| gap - from + to)
        };
        let gaps = rows.iter().enumerate().flat_map(moved).collect();
        Series { sets, gaps }
    }
    fn schema(&self) -> usize {
        self.channels()
    }
    /// Empty series have the channels of any other.
    fn aligned(&self, channels: &usize, column: &str) -> Result<Self> {
        if let Some(row) = self.sets.first_held()
            && self.channels() != *channels
        {
            let expected = format!("{channels}, as in training: give the same channels in the same order");
            return Err(Misfit { row, found: format!("{} channels", self.channels()), expected }.of_column(column));
        }
        Ok(Series { sets: Cells::aligned(&self.sets, channels, column)?, gaps: self.gaps.clone() })
    }
    fn parse(texts: &mut dyn Iterator<Item = &str>) -> std::result::Result<Self, Misfit> {
        let mut missing = Vec::new();
        let series = |(row, text): (usize, &str)| {
            missing.extend(text.is_empty().then_some(row));
            parsed(row, text)
        };
        Ok(Self::checked(texts.enumerate().map(series))?.with_missing(missing))
    }
    /// One channel as a list of numbers; null in the gaps.
    fn cell(&self, row: usize) -> serde_json::Value {
        let mut numbers: Vec<serde_json::Value> = self.select(&[row]).numbers().into_iter().map(serde_json::Value::from).collect();
        match self.channels() {
            0 | 1 => numbers.into(),
            channels => numbers.chunks_exact_mut(channels).map(|vector| vector.to_vec()).collect(),
        }
    }
    fn words(&self, row: usize, word: &mut dyn FnMut(u64)) {
        let range = self.range(row);
        word(range.len() as u64);
        range.flat_map(|time| self.sets.words_of(time)).for_each(word);
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
        self.sets.missing()
    }
    fn incomplete(&self) -> Vec<usize> {
        (0..Cells::len(self)).filter(|&row| !self.gaps_of(row).is_empty() || self.sets.is_missing(row)).collect()
    }
    fn stored(&self) -> usize {
        self.sets.stored()
    }
    fn vectors(&self) -> Option<&Points> {
        Some(self.sets.vectors())
    }
    fn owner(&self, vector: usize) -> usize {
        self.sets.owner(vector)
    }
    fn with_vectors(&self, vectors: Points) -> Option<Self> {
        Some(Series { sets: self.sets.with_vectors(vectors)?, gaps: self.gaps.clone() })
    }
    /// Stretches of time, each half over the next.
    fn parts(&self, row: usize, width: Option<usize>, _kind: ColumnKind) -> Parts {
        // Stretches of a series of average length that are masked, side by side, unless asked otherwise.
        const STRETCHES: f64 = 10.0;
        let width = width.unwrap_or((self.mean_length() / STRETCHES).ceil() as usize);
        let part = |units: Vec<usize>| {
            let (first, last) = (units.first().map_or(0, |t| t + 1), units.last().map_or(0, |t| t + 1));
            let text = if first == last { format!("time {first}") } else { format!("times {first} to {last}") };
            Part { names: vec![text.clone()], units, text, place: String::new() }
        };
        let parts = stretches(self.length(row), width..=width, |width| width.div_ceil(2)).into_iter().map(part).collect();
        Parts { units: self.sets.units(row), parts, axis: Some("time") }
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

    fn read(texts: &[&str]) -> Series {
        <Series as Cells>::parse(&mut texts.iter().copied()).unwrap()
    }
    fn fault(texts: &[&str]) -> String {
        <Series as Cells>::parse(&mut texts.iter().copied()).unwrap_err().of_column("x").to_string()
    }
    fn cell(series: &Series, row: usize) -> String {
        series.cell(row).to_string()
    }

    #[test]
    fn series_are_read_with_one_channel_or_several_and_with_empty_ones() {
        let one = read(&["[1, 2,3]", "", "[]", "[[5]]"]);
        assert_eq!((one.channels(), (0..4).map(|i| one.length(i)).collect::<Vec<_>>()), (1, vec![3, 0, 0, 1]));
        assert_eq!((one.missing(), cell(&one, 0), cell(&one, 3)), (vec![1], "[1.0,2.0,3.0]".into(), "[5.0]".into()));
        let points = Points::dense(2, 2, vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(Series::try_from(&points).unwrap(), read(&["[1,2]", "[3,4]"]));
        assert_eq!(read(&["[1 2]", "[3; 4]", "[1,5; 2]"]), read(&["[1,2]", "[3,4]", "[1.5,2]"]));
        let two = read(&["[[1,2],[3,4]]", " [ [5, 6e0] ]"].map(str::trim));
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
        assert!(fault(&["[1, two]"]).contains("found 'two at time 2', expected a finite number"));
        assert!(fault(&["[[1, 2], [3, inf]]"]).contains("found 'inf at time 2', expected a finite number"));
        assert!(fault(&["[1, ]"]).contains("found 'nothing at time 2'") && fault(&["[1, [2]]"]).contains("'[2] at time 2'"));
        assert!(fault(&["[[]]"]).contains("1 at least") && fault(&["[1", "[1]"]).contains("row 1"));
        assert!(fault(&["7"]).contains("a series such as [1, 2, 3]") && fault(&["[[1], 2]"]).contains("a series such as"));
        let infinite = Series::of_rows(&[vec![vec![0.0]], vec![vec![1.0], vec![f64::INFINITY]]]).unwrap_err().to_string();
        let new = Series::of_rows(&[vec![vec![0.0, 1.0]]]).unwrap().aligned(&1, "x").unwrap_err().to_string();
        assert!(new.contains("row 1, column 'x': found '2 channels', expected 1, as in training"), "{new}");
        assert!(infinite.contains("row 2") && infinite.contains("inf in channel 1 at time 2"), "{infinite}");
    }

    #[test]
    fn gaps_are_interpolated_carried_on_or_left_out() {
        let series = read(&["[null, 1, NaN, , 7, NA]", "[1, 2]", "[nan, ?]", "[3, null]"]);
        assert_eq!((series.missing(), series.incomplete(), series.length(2)), (vec![2], vec![0, 2, 3], 0));
        assert_eq!(series.count_gaps(), Some(GapCount { times: 5, rows: 2, first: 0 }));
        assert_eq!((cell(&series, 0).as_str(), cell(&series, 1).as_str()), ("[null,1.0,null,null,7.0,null]", "[1.0,2.0]"));
        let filled = |how| cell(&series.filled(how).unwrap(), 0);
        // numpy.interp([0, .., 5], [1, 4], [1, 7]), pandas ffill().bfill() and dropna() of the same numbers.
        assert_eq!(filled(GapFill::Interpolate), "[1.0,1.0,3.0,5.0,7.0,7.0]");
        assert_eq!((filled(GapFill::Forward), filled(GapFill::Skip)), ("[1.0,1.0,1.0,1.0,7.0,7.0]".into(), "[1.0,7.0]".into()));
        assert_eq!(series.filled(GapFill::Skip).unwrap().missing(), [2]);
        let some = Cells::select(&series, &[3, 0, 3]);
        assert_eq!((cell(&some, 2), some.filled(GapFill::Skip).unwrap()), ("[3.0,null]".into(), read(&["[3]", "[1,7]", "[3]"])));
        let stored = serde_json::to_string(&series).unwrap();
        assert_eq!(serde_json::from_str::<Series>(&stored).unwrap(), series);
        assert!(serde_json::from_str::<Series>(&stored.replace("\"gaps\":[0,", "\"gaps\":[99,")).is_err());
    }

    #[test]
    fn a_channel_without_a_number_is_named_and_a_time_that_lacks_one_channel_is_a_gap() {
        let two = read(&["[[1,2],[3,null],[5,6]]", "[[null,1],[null,2]]"]);
        assert_eq!(cell(&two.filled(GapFill::Skip).unwrap(), 0), "[[1.0,2.0],[5.0,6.0]]");
        assert_eq!(two.filled(GapFill::Skip).unwrap().missing(), [1]);
        let one = Cells::select(&two, &[0]).filled(GapFill::Interpolate).unwrap();
        assert_eq!(cell(&one, 0), "[[1.0,2.0],[3.0,4.0],[5.0,6.0]]");
        let why = two.filled(GapFill::Forward).unwrap_err().of_column("x").to_string();
        assert!(why.contains("row 2, column 'x': found 'no number in channel 1 at any time'"), "{why}");
    }

    #[test]
    fn series_of_a_table_end_with_their_last_number() {
        let nan = f64::NAN;
        let series = Series::padded(3, 1, &[1.0, 2.0, 3.0, 1.0, nan, nan, nan, nan, nan, nan, 5.0, nan]).unwrap();
        assert_eq!((0..4).map(|row| cell(&series, row)).collect::<Vec<_>>(), ["[1.0,2.0,3.0]", "[1.0]", "[]", "[null,5.0]"]);
        assert_eq!(series.missing(), [2]);
        let two = Series::padded(2, 2, &[1.0, 2.0, nan, 4.0, 1.0, nan, nan, nan]).unwrap();
        assert_eq!((two.length(0), two.length(1), two.incomplete()), (2, 1, vec![0, 1]));
    }
}
