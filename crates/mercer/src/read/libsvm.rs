//! LIBSVM's and SVMlight's text: `LABEL [qid:GROUP] [cost:WEIGHT] INDEX:VALUE ... [# comment]`, one row a line, zeros left out;
//! `LABEL,LABEL INDEX:VALUE ...` where rows have several labels or none, and XGBoost's `LABEL:WEIGHT INDEX:VALUE ...`. The rows
//! become one column of sparse vectors; index 0 somewhere means that features are counted from 0, otherwise from 1.

use super::ColumnType;
use super::cells::Cells;
use super::columns::by_number_then_text;
use super::facts::Fact;
use super::infer::shortened;
use super::table::{Raw, Table};
use super::unpack::too_large;
use crate::data::Points;
use crate::error::{Error, Result};

/// The column of labels.
pub(super) const LABEL: &str = "target";
/// The column of vectors whose features are counted from 1.
pub(super) const FROM_1: &str = "x";
/// The column of vectors whose features are counted from 0.
pub(super) const FROM_0: &str = "x_from_0";
const GROUP: &str = "qid";
/// What may stand between label and features: a group, a weight, and a slack of SVMlight that nothing here has.
const EXTRAS: [&str; 3] = [GROUP, "cost", "sid"];

/// Sparse vectors as they were written: row i holds `values[starts[i]..starts[i + 1]]` at `indices[..]`, which ascend.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Indexed {
    starts: Vec<usize>,
    indices: Vec<u64>,
    values: Vec<f64>,
    /// The largest index of all, also of entries that are 0.
    largest: u64,
    /// The indices that there are, in order, where the largest is too large for a place for each below it, as hashed ones are.
    listed: Vec<u64>,
}

impl Indexed {
    pub(super) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The indices that have a place each; none where an index is a place.
    pub(super) fn listed(&self) -> &[u64] {
        &self.listed
    }

    /// The vectors of these rows, in this order.
    pub(super) fn select(&self, rows: &[usize]) -> Self {
        let listed = self.listed.clone();
        let mut some = Indexed { starts: vec![0], indices: Vec::new(), values: Vec::new(), largest: self.largest, listed };
        for &i in rows {
            let entries = self.starts[i]..self.starts[i + 1];
            some.indices.extend_from_slice(&self.indices[entries.clone()]);
            some.values.extend_from_slice(&self.values[entries]);
            some.starts.push(some.indices.len());
        }
        some
    }

    /// The vectors, with as many places as needed: the feature of index `first` in place 0, or those that are listed.
    pub(super) fn points(self, first: u64) -> Result<Points> {
        let needed = (self.largest + 1).saturating_sub(first);
        let listed = self.listed.clone();
        let dim = if listed.is_empty() { needed as usize } else { listed.len() };
        self.points_like(first, dim, &listed).map(|(points, _)| points)
    }

    /// The vectors with the columns of training: `dim` of them, or those of `listed` if any. Also counts the rows that had entries
    /// outside these columns, which are left out.
    pub(super) fn points_like(self, first: u64, dim: usize, listed: &[u64]) -> Result<(Points, usize)> {
        let place = |index: u64| match listed {
            [] => index.checked_sub(first).filter(|&place| place < dim as u64),
            _ => listed.binary_search(&index).ok().map(|place| place as u64),
        };
        let (mut starts, mut columns, mut values, mut cut) = (vec![0], Vec::new(), Vec::new(), 0);
        for row in self.starts.windows(2) {
            let mut inside = 0;
            for k in row[0]..row[1] {
                if let Some(column) = place(self.indices[k]).and_then(|column| u32::try_from(column).ok()) {
                    columns.push(column);
                    values.push(self.values[k]);
                    inside += 1;
                }
            }
            cut += usize::from(inside < row[1] - row[0]);
            starts.push(values.len());
        }
        Ok((Points::csr(self.rows(), dim, starts, columns, values)?, cut))
    }

    /// The vectors of other rows below these.
    pub(super) fn append(&mut self, below: &Indexed) {
        let above = self.values.len();
        self.starts.extend(below.starts[1..].iter().map(|start| above + start));
        self.indices.extend_from_slice(&below.indices);
        self.values.extend_from_slice(&below.values);
    }
}

/// What is to be known of a file before a row of it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SparseForm {
    /// Whether rows may have several labels, or none.
    several: bool,
    /// Whether a place for each index up to the largest takes too much memory.
    hashed: bool,
}

/// What all rows of a file have together.
#[derive(Clone, Debug, Default)]
pub(super) struct Survey {
    form: SparseForm,
    from_0: bool,
    groups: bool,
    weights: bool,
    /// Whether some rows have a slack, which nothing here uses.
    slack: bool,
    largest: u64,
    listed: Vec<u64>,
    /// The labels, where rows have several.
    labels: Vec<String>,
    /// Rows that are in memory at a time.
    rows: usize,
}

impl Survey {
    /// No rows yet.
    pub(super) fn of(form: SparseForm) -> Self {
        Survey { form, ..Survey::default() }
    }

    /// Adds the rows of a part of the file, which begins below some lines; gives the form that the file has by these rows and those before.
    /// Where it is another one, the file is to be surveyed anew.
    pub(super) fn add(&mut self, file: &str, text: &str, above: usize, most: u64) -> Result<SparseForm> {
        let several = self.form.several || have_several(text);
        if several == self.form.several {
            self.take(&Lines::of(file, text, several, above)?);
        }
        Ok(SparseForm { several, hashed: self.form.hashed || self.is_hashed(most) })
    }

    fn take(&mut self, lines: &Lines<'_>) {
        let x = &lines.x;
        self.from_0 |= lines.from_0;
        self.groups |= lines.groups.len() > 0;
        self.weights |= lines.weights.len() > 0;
        self.slack |= lines.slack;
        self.largest = self.largest.max(x.largest);
        if self.form.hashed {
            self.listed.extend_from_slice(&x.indices);
            self.listed.sort_unstable();
            self.listed.dedup();
        }
        if self.form.several {
            self.labels.extend(lines.labels.iter().flatten().map(|&label| label.to_owned()));
            self.labels.sort_by(|a, b| by_number_then_text(a, b));
            self.labels.dedup();
        }
        self.rows = self.rows.max(x.rows());
    }

    /// Whether a place for each index so far takes more than `most`.
    fn is_hashed(&self, most: u64) -> bool {
        self.largest >= u64::from(u32::MAX) || self.largest.saturating_mul(Points::BYTES_PER_COLUMN) > most
    }

    /// Refuses a file without a feature, or with too many.
    pub(super) fn check(&self, file: &str, most: u64) -> Result<()> {
        let fault = |why: &str| Err(Error::Table { file: file.to_owned(), why: format!("{why}; expected rows such as '1 3:0.5 7:1'") });
        if self.rows == 0 {
            return fault("the table is empty");
        }
        if self.largest == 0 && !self.from_0 {
            return fault("no row has a feature");
        }
        match (self.listed.len() as u64).saturating_mul(Points::BYTES_PER_COLUMN) {
            needed if needed > most => Err(too_large(&format!("{file}, with {} features,", self.listed.len()), needed, most)),
            _ => Ok(()),
        }
    }
}

/// Whether the text looks like this format: its first row that is more than a label is a label and pairs of an index
/// and a number. No table begins with such a header.
pub(super) fn looks_like(text: &str) -> bool {
    // Lines inspected to detect the format.
    const LOOKED_AT: usize = 20;
    for line in text.split('\n').take(LOOKED_AT) {
        let mut items = written(line).split_ascii_whitespace();
        let Some(label) = items.next() else { continue };
        let pair = |item: &str| {
            let parts = item.split_once(':');
            parts.is_some_and(|(index, value)| (EXTRAS.contains(&index) || index.parse::<u64>().is_ok()) && value.parse::<f64>().is_ok())
        };
        let is_label = label.split([',', ':']).all(|part| part.parse::<f64>().is_ok());
        let mut pairs = items.map(pair).peekable();
        let more = pairs.peek().is_some();
        if !is_label || !pairs.all(|sound| sound) {
            return false;
        }
        if more {
            return true;
        }
    }
    false
}

/// Whether rows of a text have several labels.
fn have_several(text: &str) -> bool {
    text.split('\n').any(|line| written(line).split_ascii_whitespace().next().is_some_and(|label| label.contains(',')))
}

/// The line without its comment.
fn written(line: &str) -> &str {
    line.split_once('#').map_or(line, |(before, _)| before)
}

/// Reads the table: columns `target`, `x` (or `x_from_0`), and `qid`, `weight` and `label_K` where there are any.
pub(super) fn parse(file: &str, text: &str, most: u64) -> Result<Table> {
    let mut survey = Survey::of(SparseForm { several: have_several(text), hashed: false });
    let lines = Lines::of(file, text, survey.form.several, 0)?;
    survey.take(&lines);
    if survey.is_hashed(most) {
        survey.form.hashed = true;
        survey.take(&lines);
    }
    survey.check(file, most)?;
    lines.finish(&survey, most)
}

/// Reads some rows of a table, which has the columns that all of its rows together need.
pub(super) fn parse_part(file: &str, text: &str, survey: &Survey, most: u64) -> Result<Table> {
    Lines::of(file, text, survey.form.several, 0)?.finish(survey, most)
}

/// What was read so far.
struct Lines<'a> {
    file: &'a str,
    /// Whether rows may have several labels, or none.
    several: bool,
    labels: Vec<Vec<&'a str>>,
    groups: Cells,
    weights: Cells,
    x: Indexed,
    from_0: bool,
    /// Whether some rows have a slack, which nothing here uses.
    slack: bool,
}

impl<'a> Lines<'a> {
    /// The rows of a text below some lines.
    fn of(file: &'a str, text: &'a str, several: bool, above: usize) -> Result<Self> {
        let x = Indexed { starts: vec![0], indices: Vec::new(), values: Vec::new(), largest: 0, listed: Vec::new() };
        let (groups, weights) = (Cells::default(), Cells::default());
        let mut lines = Lines { file, several, labels: Vec::new(), groups, weights, x, from_0: false, slack: false };
        text.split('\n').enumerate().try_for_each(|(number, line)| lines.add(above + number + 1, line))?;
        Ok(lines)
    }

    fn add(&mut self, number: usize, line: &'a str) -> Result<()> {
        let at = |item: usize, found: &str, expected: &str| {
            let found = shortened(found);
            Err(Error::Table {
                file: self.file.to_owned(),
                why: format!("line {number}, item {item}: found '{found}', expected {expected}"),
            })
        };
        let mut items = written(line).split_ascii_whitespace().enumerate().map(|(k, item)| (k + 1, item)).peekable();
        let Some(&(_, first)) = items.peek() else { return Ok(()) };
        let row = self.x.rows();
        if self.several && first.contains(':') {
            self.labels.push(Vec::new());
        } else {
            items.next();
            let (label, weight) = first.split_once(':').map_or((first, None), |(label, weight)| (label, Some(weight)));
            let labels: Vec<&str> = label.split(',').collect();
            if !labels.iter().all(|label| label.parse::<f64>().is_ok_and(f64::is_finite)) {
                return at(1, first, "a label that is a finite number");
            }
            if let Some(weight) = weight {
                if !weight.parse::<f64>().is_ok_and(|w| w.is_finite() && w >= 0.0) {
                    return at(1, first, "LABEL:WEIGHT with a weight of 0 or more");
                }
                self.weights.pad(row);
                self.weights.push(weight);
            }
            self.labels.push(labels);
        }
        let mut before: Option<u64> = None;
        for (k, item) in items {
            let Some((index, value)) = item.split_once(':') else { return at(k, item, "INDEX:VALUE such as 3:0.5") };
            if EXTRAS.contains(&index) {
                let cells = if index == GROUP { &mut self.groups } else { &mut self.weights };
                let sound = if index == GROUP { value.parse::<u64>().is_ok() } else { value.parse::<f64>().is_ok_and(|w| w >= 0.0) };
                if before.is_some() || !sound || (index != EXTRAS[2] && cells.len() > row) {
                    return at(k, item, &format!("{index}:NUMBER once, right after the label"));
                }
                if index == EXTRAS[2] {
                    self.slack = true;
                } else {
                    cells.pad(row);
                    cells.push(value);
                }
                continue;
            }
            let Some(place) = index.parse::<u64>().ok().filter(|&place| place < u64::MAX) else {
                return at(k, item, "an index that is a whole number below 18446744073709551615");
            };
            let Some(value) = value.parse::<f64>().ok().filter(|value| value.is_finite()) else {
                return at(k, item, "a finite number after the colon");
            };
            if let Some(before) = before.filter(|&before| place <= before) {
                return at(k, item, &format!("an index above {before}: they ascend within a row"));
            }
            before = Some(place);
            self.from_0 |= place == 0;
            self.x.largest = self.x.largest.max(place);
            if value != 0.0 {
                self.x.indices.push(place);
                self.x.values.push(value);
            }
        }
        self.x.starts.push(self.x.values.len());
        Ok(())
    }

    fn finish(mut self, survey: &Survey, most: u64) -> Result<Table> {
        // The column of weights.
        const WEIGHT: &str = "weight";
        // The class of a row without a label, where others have several.
        const NONE: &str = "none";
        let rows = self.x.rows();
        self.x.largest = survey.largest;
        self.x.listed.clone_from(&survey.listed);
        let (file, from_0) = (self.file, survey.from_0);
        let mut facts = Vec::new();
        let mut tell = |said: String| facts.push(Fact::of_table(format!("{file}: {said}")));
        if from_0 {
            tell(format!("index 0 is there, so that features are counted from 0; they are the column '{FROM_0}'"));
        }
        if !self.x.listed.is_empty() {
            tell(format!(
                "indices go up to {}, as hashed ones do: the {} that there are are the features",
                self.x.largest,
                self.x.listed.len()
            ));
        }
        if survey.slack {
            tell("sid, by which rows of SVMlight share a slack, is left out".into());
        }
        let mut labels = Cells::default();
        self.labels.iter_mut().for_each(|set| set.sort_by(|a, b| by_number_then_text(a, b)));
        self.labels.iter().for_each(|set| labels.push(&if set.is_empty() { NONE.to_owned() } else { set.join(",") }));
        let mut columns = vec![(LABEL.to_owned(), Raw::Cells(labels))];
        let mut own_types = Vec::new();
        if self.several {
            own_types.push((LABEL.to_owned(), ColumnType::CATEGORY));
            let each = self.flags(survey, most);
            let named = each.first().map_or(String::new(), |(name, _)| {
                format!("; the columns label_K say whether a row has the label K: --target {name} learns one of them")
            });
            tell(format!("rows have several labels: '{LABEL}' holds each set of them as a class{named}"));
            columns.extend(each);
        }
        if survey.groups {
            self.groups.pad(rows);
            tell(format!("qid is a column of groups, not an input; --groups {GROUP} keeps the rows of one in one fold"));
            columns.push((GROUP.to_owned(), Raw::Cells(self.groups)));
        }
        if survey.weights {
            self.weights.pad(rows);
            tell(format!("rows have weights, which are a column and no input; --weights {WEIGHT} uses them"));
            columns.push((WEIGHT.to_owned(), Raw::Cells(self.weights)));
        }
        let aside = columns.iter().map(|(name, _)| name.clone()).collect();
        columns.insert(1, (if from_0 { FROM_0 } else { FROM_1 }.to_owned(), Raw::Indexed(self.x)));
        Ok(Table { facts, own_target: vec![LABEL.to_owned()], aside, own_types, ..Table::of_raw(file, rows, columns)? })
    }

    /// A column of 1 and 0 for each label; none where these take more than `most`.
    fn flags(&self, survey: &Survey, most: u64) -> Vec<(String, Raw)> {
        // Bytes that one more cell takes at least.
        const BYTES_PER_CELL: u64 = 16;
        if (survey.labels.len() as u64).saturating_mul(survey.rows as u64).saturating_mul(BYTES_PER_CELL) > most {
            return Vec::new();
        }
        let column = |label: &String| {
            let mut cells = Cells::default();
            self.labels.iter().for_each(|set| cells.push(if set.contains(&label.as_str()) { "1" } else { "0" }));
            (format!("label_{label}"), Raw::Cells(cells))
        };
        survey.labels.iter().map(column).collect()
    }
}
