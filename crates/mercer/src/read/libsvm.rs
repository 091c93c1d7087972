//! LIBSVM's and SVMlight's text: `LABEL [qid:GROUP] INDEX:VALUE ... [# comment]`, one row a line, zeros left out. The rows
//! become one column of sparse vectors; index 0 somewhere means that features are counted from 0, otherwise from 1.

use super::cells::Cells;
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
/// Lines that are looked at to tell the format.
const LOOKED_AT: usize = 20;

/// Sparse vectors as they were written: row i holds `values[starts[i]..starts[i + 1]]` at `indices[..]`, which ascend.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Indexed {
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    /// The largest index of all, also of entries that are 0.
    largest: u32,
}

impl Indexed {
    pub(super) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The vectors of these rows, in this order.
    pub(super) fn select(&self, rows: &[usize]) -> Self {
        let mut some = Indexed { starts: vec![0], indices: Vec::new(), values: Vec::new(), largest: self.largest };
        for &i in rows {
            let entries = self.starts[i]..self.starts[i + 1];
            some.indices.extend_from_slice(&self.indices[entries.clone()]);
            some.values.extend_from_slice(&self.values[entries]);
            some.starts.push(some.indices.len());
        }
        some
    }

    /// The vectors, the feature of index `first` in place 0; with `dim` places where that is given, as many as needed
    /// otherwise. Gives also in how many rows entries beyond `dim` were left out.
    pub(super) fn points(self, first: u32, dim: Option<usize>) -> Result<(Points, usize)> {
        let needed = (self.largest as usize + 1).saturating_sub(first as usize);
        let dim = dim.unwrap_or(needed);
        let rows = self.rows();
        let Indexed { mut starts, mut indices, mut values, .. } = self;
        let mut cut = 0;
        if needed > dim {
            let (mut kept, mut begin) = (0, 0);
            for row in 1..starts.len() {
                let end = starts[row];
                let inside = indices[begin..end].partition_point(|&k| ((k - first) as usize) < dim);
                indices.copy_within(begin..begin + inside, kept);
                values.copy_within(begin..begin + inside, kept);
                cut += usize::from(inside < end - begin);
                kept += inside;
                begin = end;
                starts[row] = kept;
            }
            indices.truncate(kept);
            values.truncate(kept);
        }
        indices.iter_mut().for_each(|k| *k -= first);
        Ok((Points::csr(rows, dim, starts, indices, values)?, cut))
    }
}

/// Whether the text looks like this format: its first row that is more than a number is a number and pairs of an index
/// and a number. No table begins with such a header.
pub(super) fn looks_like(text: &str) -> bool {
    for line in text.split('\n').take(LOOKED_AT) {
        let mut items = written(line).split_ascii_whitespace();
        let Some(label) = items.next() else { continue };
        let pair = |item: &str| {
            let parts = item.split_once(':');
            parts.is_some_and(|(index, value)| (index == GROUP || index.parse::<u32>().is_ok()) && value.parse::<f64>().is_ok())
        };
        let mut pairs = items.map(pair).peekable();
        let more = pairs.peek().is_some();
        if label.parse::<f64>().is_err() || !pairs.all(|sound| sound) {
            return false;
        }
        if more {
            return true;
        }
    }
    false
}

/// The line without its comment.
fn written(line: &str) -> &str {
    line.split_once('#').map_or(line, |(before, _)| before)
}

/// Reads the table: columns `target`, `x` (or `x_from_0`), and `qid` where there is one.
pub(super) fn parse(file: &str, text: &str, most: u64) -> Result<Table> {
    let fault = |why: String| Error::Table { file: file.to_owned(), why };
    let (mut labels, mut groups) = (Cells::default(), Cells::default());
    let mut x = Indexed { starts: vec![0], indices: Vec::new(), values: Vec::new(), largest: 0 };
    let mut from_0 = false;
    for (number, line) in text.split('\n').enumerate() {
        let at = |item: usize, found: &str, expected: &str| {
            let found = shortened(found);
            Err(fault(format!("line {}, item {item}: found '{found}', expected {expected}", number + 1)))
        };
        let mut items = written(line).split_ascii_whitespace().enumerate().map(|(k, item)| (k + 1, item));
        let Some((_, label)) = items.next() else { continue };
        if !label.parse::<f64>().is_ok_and(f64::is_finite) {
            return at(1, label, "a label that is a finite number");
        }
        labels.push(label);
        let mut before: Option<u32> = None;
        for (k, item) in items {
            let Some((index, value)) = item.split_once(':') else { return at(k, item, "INDEX:VALUE such as 3:0.5") };
            if index == GROUP {
                if k != 2 || value.parse::<u64>().is_err() {
                    return at(k, item, "qid:NUMBER once, right after the label");
                }
                groups.pad(x.rows());
                groups.push(value);
                continue;
            }
            let Some(place) = index.parse::<u32>().ok().filter(|&place| place < u32::MAX) else {
                return at(k, item, "an index that is a whole number below 4294967295");
            };
            let Some(value) = value.parse::<f64>().ok().filter(|value| value.is_finite()) else {
                return at(k, item, "a finite number after the colon");
            };
            if let Some(before) = before.filter(|&before| place <= before) {
                return at(k, item, &format!("an index above {before}: they ascend within a row"));
            }
            before = Some(place);
            from_0 |= place == 0;
            x.largest = x.largest.max(place);
            if value != 0.0 {
                x.indices.push(place);
                x.values.push(value);
            }
        }
        x.starts.push(x.values.len());
    }
    let rows = x.rows();
    if rows == 0 {
        return Err(fault("the table is empty; expected rows such as '1 3:0.5 7:1'".into()));
    }
    if x.largest == 0 && !from_0 {
        return Err(fault("no row has a feature; expected rows such as '1 3:0.5 7:1'".into()));
    }
    let bytes = u64::from(x.largest) * Points::BYTES_PER_COLUMN;
    if bytes > most {
        return Err(too_large(&format!("{file}, with a feature of index {},", x.largest), bytes, most));
    }
    let mut facts = Vec::new();
    if from_0 {
        facts
            .push(Fact::of_table(format!("{file}: index 0 is there, so that features are counted from 0; they are the column '{FROM_0}'")));
    }
    let mut columns = vec![(LABEL.to_owned(), Raw::Cells(labels)), (if from_0 { FROM_0 } else { FROM_1 }.to_owned(), Raw::Indexed(x))];
    let mut aside = vec![LABEL.to_owned()];
    if groups.len() > 0 {
        groups.pad(rows);
        columns.push((GROUP.to_owned(), Raw::Cells(groups)));
        aside.push(GROUP.to_owned());
        facts.push(Fact::of_table(format!(
            "{file}: qid is a column of groups, not an input; --groups {GROUP} keeps the rows of one in one fold"
        )));
    }
    Ok(Table { facts, own_target: vec![LABEL.to_owned()], aside, ..Table::of_raw(file, rows, columns)? })
}
