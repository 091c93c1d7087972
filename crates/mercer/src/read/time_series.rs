//! `.ts`, the format of the archive of time series of UEA and UCR (Bagnall et al. 2018) that sktime and aeon write: headers such as
//! `@classLabel true a b`, then `@data` and one row a line, `1,2,3:4,5,6:a`: the values of each channel, then the class or a number. With
//! time stamps a value is `(time,value)`. The columns are `series`, and `class` or `target`.

use super::ColumnType;
use super::cells::{Cell, Cells, missing_among_numbers};
use super::dates;
use super::facts::{Fact, Topic};
use super::infer::shortened;
use super::table::{Raw, Table};
use super::unpack::too_large;
use crate::data::{DateOrder, MISSING_WORDS, Series, Values};
use crate::error::{Error, Result};

/// The column of series.
pub(super) const SERIES: &str = "series";
/// The column of classes.
pub(super) const CLASS: &str = "class";
/// The words that open a header.
const HEADERS: [&str; 11] = [
    "@problemname",
    "@timestamps",
    "@missing",
    "@univariate",
    "@dimension",
    "@dimensions",
    "@equallength",
    "@serieslength",
    "@classlabel",
    "@targetlabel",
    "@data",
];

/// Whether the first line that is no comment is a header.
pub(super) fn looks_like(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let word = first.and_then(|line| line.split_whitespace().next()).unwrap_or_default();
    HEADERS.contains(&word.to_ascii_lowercase().as_str())
}

/// What stands behind the channels of a row.
#[derive(Clone, Debug, Default, PartialEq)]
enum Label {
    #[default]
    Absent,
    /// One of these classes; any where there are none.
    Class(Vec<String>),
    Number,
}

impl Label {
    /// The column of labels.
    fn column(&self) -> Option<&'static str> {
        // The column of numbers to predict.
        const TARGET: &str = "target";
        match self {
            Label::Absent => None,
            Label::Class(_) => Some(CLASS),
            Label::Number => Some(TARGET),
        }
    }
}

/// What the headers say.
#[derive(Default)]
struct Headers {
    has_times: bool,
    is_univariate: bool,
    dimensions: Option<usize>,
    /// Times of each series, where all have as many.
    length: Option<usize>,
    is_uneven: bool,
    label: Label,
}

impl Headers {
    fn channels(&self) -> Option<usize> {
        self.dimensions.or(self.is_univariate.then_some(1))
    }

    /// Reads a header; whether its word is known.
    fn read(&mut self, word: &str, rest: &str) -> std::result::Result<bool, String> {
        let flag = || match rest.split_whitespace().next().unwrap_or_default() {
            word if word.eq_ignore_ascii_case("true") => Ok(true),
            word if word.eq_ignore_ascii_case("false") => Ok(false),
            word => Err(format!("found '{}', expected true or false", shortened(word))),
        };
        let number = || match rest.parse::<usize>() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("found '{}', expected a number of 1 or more", shortened(rest))),
        };
        match word.to_ascii_lowercase().as_str() {
            "@timestamps" => self.has_times = flag()?,
            "@univariate" => self.is_univariate = flag()?,
            "@dimension" | "@dimensions" => self.dimensions = Some(number()?),
            "@equallength" => self.is_uneven = !flag()?,
            "@serieslength" => self.length = Some(number()?),
            "@classlabel" if flag()? => self.label = Label::Class(rest.split_whitespace().skip(1).map(str::to_owned).collect()),
            "@targetlabel" if flag()? => self.label = Label::Number,
            "@classlabel" | "@targetlabel" => {}
            other => return Ok(HEADERS.contains(&other)),
        }
        Ok(true)
    }
}

/// The rows so far.
struct Reading<'a> {
    file: &'a str,
    most: u64,
    headers: Headers,
    channels: Option<usize>,
    /// The times of each series end where those of the next begin.
    starts: Vec<usize>,
    values: Vec<f64>,
    labels: Cells,
    /// The first row whose channels have unlike lengths, from 0, and that whose times are not equally far apart.
    unlike_lengths: Option<usize>,
    uneven_steps: Option<usize>,
    facts: Vec<Fact>,
}

/// Reads the table.
pub(super) fn parse(file: &str, text: &str, most: u64) -> Result<Table> {
    let mut reading = Reading {
        file,
        most,
        headers: Headers::default(),
        channels: None,
        starts: vec![0],
        values: Vec::new(),
        labels: Cells::new(false, true),
        unlike_lengths: None,
        uneven_steps: None,
        facts: Vec::new(),
    };
    let mut in_data = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if in_data {
            reading.row(number + 1, line)?;
            continue;
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        in_data = word.eq_ignore_ascii_case("@data");
        reading.header(word, rest.trim()).map_err(|why| reading.fault(format!("line {}: {why}", number + 1)))?;
    }
    if !in_data || reading.rows() == 0 {
        return Err(reading.fault(if in_data { "there are no rows behind @data" } else { "there is no line @data" }));
    }
    reading.finish()
}

impl Reading<'_> {
    fn fault(&self, why: impl Into<String>) -> Error {
        Error::Table { file: self.file.to_owned(), why: why.into() }
    }

    /// The error of the row that is read.
    fn cell(&self, column: &str, found: &str, expected: impl Into<String>) -> Error {
        let (found, expected) = (shortened(found), expected.into());
        Error::Cell { file: self.file.to_owned(), row: self.rows() + 1, column: column.to_owned(), found, expected }
    }

    fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    fn header(&mut self, word: &str, rest: &str) -> std::result::Result<(), String> {
        if !word.starts_with('@') {
            return Err(format!("found '{}', expected a header such as @classLabel true a b, or @data", shortened(word)));
        }
        if !self.headers.read(word, rest).map_err(|why| format!("{word}: {why}"))? {
            self.facts.push(Fact::of_table(format!("{}: the header {word} is not known: left out", self.file)));
        }
        Ok(())
    }

    fn row(&mut self, line_number: usize, line: &str) -> Result<()> {
        let mut parts = if self.headers.has_times { parts_outside_brackets(line) } else { line.split(':').collect() };
        let labels = usize::from(self.headers.label != Label::Absent);
        let known = self.headers.channels().or(self.channels);
        let channels = known.unwrap_or(parts.len().saturating_sub(labels).max(1));
        if parts.len() != channels + labels {
            let as_in = if self.headers.channels().is_none() && self.channels.is_some() { ", as in row 1" } else { "" };
            let needed = if channels == 1 { "1 channel".into() } else { format!("{channels} channels") };
            let needed = self.headers.label.column().map_or(needed.clone(), |label| format!("{needed} and the {label}"));
            let found = if parts.len() == 1 { "1 part".into() } else { format!("{} parts", parts.len()) };
            let row = self.rows() + 1;
            return Err(self.fault(format!("row {row} (line {line_number}): found {found} between colons, expected {needed}{as_in}")));
        }
        self.channels = Some(channels);
        if labels > 0 {
            self.label(parts.pop().unwrap_or_default().trim())?;
        }
        if self.headers.has_times { self.timed(&parts) } else { self.untimed(&parts) }
    }

    fn label(&mut self, text: &str) -> Result<()> {
        let column = self.headers.label.column().unwrap_or_default();
        if MISSING_WORDS.contains(&text) {
            return Err(self.cell(column, text, "a value; leave the row out if it is missing"));
        }
        let known = match &self.headers.label {
            Label::Class(known) if !known.is_empty() => known.iter().find(|label| is_same(label, text)).ok_or_else(|| {
                let expected = format!("one of the classes of @classLabel: {}", known.join(", "));
                self.cell(column, text, expected)
            })?,
            Label::Number if !matches!(Cell::of(text), Cell::Number(_)) => return Err(self.cell(column, text, "a finite number")),
            _ => text,
        };
        self.labels.push(known);
        Ok(())
    }

    /// The value of a text; `at` names its place.
    fn value(&self, text: &str, at: impl Fn() -> String) -> Result<f64> {
        match text.trim().parse::<f64>() {
            Ok(x) if !x.is_infinite() => Ok(x),
            Err(_) if text.trim() == "?" || missing_among_numbers(text.trim()) => Ok(f64::NAN),
            _ => Err(self.cell(SERIES, &format!("{} at {}", shortened(text.trim()), at()), "a finite number, or ? where one is missing")),
        }
    }

    /// Channels of values at equal steps. A channel that is shorter than another one ends with gaps.
    fn untimed(&mut self, channels: &[&str]) -> Result<()> {
        let words: Vec<Vec<&str>> =
            channels.iter().map(|text| if text.trim().is_empty() { Vec::new() } else { text.split(',').collect() }).collect();
        let times = words.iter().map(Vec::len).max().unwrap_or(0);
        if words.iter().any(|words| words.len() < times) {
            self.unlike_lengths.get_or_insert(self.rows());
        }
        self.reserve(times)?;
        for time in 0..times {
            for (channel, words) in words.iter().enumerate() {
                let at = || format!("time {} of channel {}", time + 1, channel + 1);
                let value = words.get(time).map_or(Ok(f64::NAN), |text| self.value(text, at))?;
                self.values.push(value);
            }
        }
        self.starts.push(self.starts[self.rows()] + times);
        Ok(())
    }

    /// Channels of values with time stamps: the times of the series are those of all channels, in order.
    fn timed(&mut self, channels: &[&str]) -> Result<()> {
        // Steps between times that differ by less, relative to the first, are equal: dates are read as days, with seconds in their last digits.
        const EQUAL_STEPS: f64 = 1e-5;
        let read = channels.iter().enumerate().map(|(channel, text)| self.stamped(channel, text));
        let channels: Vec<Vec<(f64, f64)>> = read.collect::<Result<_>>()?;
        let mut times: Vec<f64> = channels.iter().flatten().map(|(time, _)| *time).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let steps: Vec<f64> = times.windows(2).map(|two| two[1] - two[0]).collect();
        if steps.iter().any(|step| (step - steps[0]).abs() > EQUAL_STEPS * steps[0]) {
            self.uneven_steps.get_or_insert(self.rows());
        }
        self.reserve(times.len())?;
        let (begin, width) = (self.values.len(), channels.len());
        self.values.resize(begin + times.len() * width, f64::NAN);
        for (channel, stamped) in channels.iter().enumerate() {
            for (time, value) in stamped {
                let place = times.partition_point(|other| other < time);
                self.values[begin + place * width + channel] = *value;
            }
        }
        self.starts.push(self.starts[self.rows()] + times.len());
        Ok(())
    }

    /// The times and values of a channel, `(0,1.5),(1,2.5)`, by time.
    fn stamped(&self, channel: usize, text: &str) -> Result<Vec<(f64, f64)>> {
        let (mut stamped, mut rest): (Vec<(f64, f64)>, &str) = (Vec::new(), text.trim());
        while !rest.is_empty() {
            let pair = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
            let at = || format!("value {} of channel {}", stamped.len() + 1, channel + 1);
            let Some((time, value, behind)) = pair.and_then(|(pair, behind)| pair.rsplit_once(',').map(|(t, v)| (t, v, behind))) else {
                return Err(self.cell(SERIES, &format!("{} at {}", shortened(rest), at()), "(TIME,VALUE)"));
            };
            let Some(moment) = moment(time.trim()) else {
                return Err(self.cell(SERIES, &format!("{} at {}", shortened(time.trim()), at()), "a time: a number or a date"));
            };
            stamped.push((moment, self.value(value, at)?));
            rest = behind.trim_start();
            rest = rest.strip_prefix(',').map_or(rest, str::trim_start);
        }
        stamped.sort_by(|a, b| a.0.total_cmp(&b.0));
        match stamped.windows(2).find(|two| two[0].0 == two[1].0) {
            Some(two) => {
                let found = format!("time {} twice in channel {}", two[0].0, channel + 1);
                Err(self.cell(SERIES, &found, "one value at each time"))
            }
            None => Ok(stamped),
        }
    }

    /// Refuses a row of so many times that the values would not fit into the memory.
    fn reserve(&self, times: usize) -> Result<()> {
        let row = (times as u64).saturating_mul(self.channels.unwrap_or(1) as u64);
        let needed = (self.values.len() as u64).saturating_add(row).saturating_mul(size_of::<f64>() as u64);
        if needed > self.most {
            return Err(too_large(&format!("{}, up to row {},", self.file, self.rows() + 1), needed, self.most));
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Table> {
        let rows = self.rows();
        let empty: Vec<usize> = (0..rows).filter(|&row| self.starts[row] == self.starts[row + 1]).collect();
        let length = |row: usize| self.starts[row + 1] - self.starts[row];
        let mut tell = |says: String| self.facts.push(Fact::of_column(Topic::Table, SERIES, says));
        if let Some(wanted) = self.headers.length.filter(|_| !self.headers.is_uneven)
            && let Some(row) = (0..rows).find(|&row| length(row) != wanted)
        {
            let found = if length(row) == 1 { "1 time".into() } else { format!("{} times", length(row)) };
            tell(format!("{{has}} {found} in row {}, and @seriesLength says {wanted}: read as it is", row + 1));
        }
        if let Some(row) = self.unlike_lengths {
            tell(format!("{{has}} channels of unlike lengths (first in row {}): the shorter ones end with gaps", row + 1));
        }
        if let Some(row) = self.uneven_steps {
            tell(format!(
                "{{has}} times that are not equally far apart (first in row {}): values are taken in order of time alone",
                row + 1
            ));
        }
        let series = Series::with_gaps(&self.starts, self.channels.unwrap_or(1), &self.values)?.with_missing(empty);
        let mut columns = vec![(SERIES.to_owned(), Raw::Ready(Values::Series(series)))];
        let (mut own_target, mut own_types) = (Vec::new(), Vec::new());
        if let Some(name) = self.headers.label.column() {
            columns.push((name.to_owned(), Raw::Cells(self.labels)));
            let is_number = self.headers.label == Label::Number;
            own_types.push((name.to_owned(), if is_number { ColumnType::NUMBER } else { ColumnType::CATEGORY }));
            own_target.push(name.to_owned());
        }
        Ok(Table { facts: self.facts, aside: own_target.clone(), own_target, own_types, ..Table::of_raw(self.file, rows, columns)? })
    }
}

/// Whether two texts are one label: the same text or the same number, `1` and `1.0`.
fn is_same(label: &str, other: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    label == other || number(label).is_some_and(|x| number(other) == Some(x))
}

/// A time: a number, or the days of a date.
fn moment(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|time| time.is_finite()).or_else(|| dates::days(text, DateOrder::YearFirst))
}

/// The parts between colons that stand in no round brackets.
fn parts_outside_brackets(line: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut is_inside) = (Vec::new(), 0, false);
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'(' => is_inside = true,
            b')' => is_inside = false,
            b':' if !is_inside => {
                parts.push(&line[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&line[begin..]);
    parts
}
