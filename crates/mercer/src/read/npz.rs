//! NPY arrays as tables, and NPZ archives of several: `X` gives the inputs, `y` the target, other arrays columns of their
//! names. An array of two axes becomes one column per column, or one column of series or vectors where it is declared so; one of three
//! axes (rows, times, channels) becomes a column of series, or of sets of vectors. Only what numpy writes of the zip format is read.

use super::cells::Cells;
use super::facts::{Fact, Topic};
use super::table::{Raw, Table};
use super::unpack::{read_at_most, too_large};
use super::{ColumnType, ReadOptions, wide};
use crate::data::{ColumnKind, Points, Series, Sets, Values};
use crate::error::{Error, Result};
use crate::npy::{self, Array, Items};
use flate2::read::DeflateDecoder;

/// A member's header, the directory's entries and its end begin like this.
const MEMBER: &[u8] = b"PK\x03\x04";
const ENTRY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

/// Reads one array: columns `x0`, `x1`, ..., or a column `x` of series, sets or vectors.
pub(super) fn parse_one(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Table> {
    of_array(file, npy::parse(bytes), options)
}

/// The columns of one array.
pub(super) fn of_array(file: &str, array: std::result::Result<Array, String>, options: &ReadOptions) -> Result<Table> {
    table(file, [("x".to_owned(), array)], options)
}

/// Reads an archive.
pub(super) fn parse(file: &str, bytes: &[u8], options: &ReadOptions, most: u64) -> Result<Table> {
    let fault = |why: String| Error::Table { file: file.to_owned(), why };
    let mut members = Vec::new();
    let mut left = most;
    for entry in directory(bytes)
        .map_err(|why| fault(format!("this is a damaged zip archive, or a spreadsheet: {why}; copy it again, or save the table as CSV")))?
    {
        let Some(name) = entry.name.strip_suffix(".npy") else {
            let why = "this is a zip archive or a spreadsheet, not an NPZ file of numpy; save the table as CSV";
            return Err(fault(format!("{why} (it holds '{}')", entry.name)));
        };
        if entry.size > left {
            return Err(too_large(&format!("unpacking {file}"), most.saturating_add(1), most));
        }
        left -= entry.size;
        let data = entry.unpack(bytes).map_err(|why| fault(format!("array '{name}': {why}; copy it again")))?;
        members.push((if name == "X" { "x".to_owned() } else { name.to_owned() }, data));
    }
    if members.is_empty() {
        return Err(fault("the archive holds no array".into()));
    }
    table(file, members.into_iter().map(|(name, bytes)| (name, npy::parse(&bytes))), options)
}

fn table(
    file: &str,
    members: impl IntoIterator<Item = (String, std::result::Result<Array, String>)>,
    options: &ReadOptions,
) -> Result<Table> {
    // The array of targets in an archive.
    const TARGET: &str = "y";
    let fault = |why: String| Error::Table { file: file.to_owned(), why };
    let mut facts = Vec::new();
    let mut columns = Vec::new();
    let mut own_target = Vec::new();
    let mut rows = None;
    for (name, array) in members {
        let Array { shape, items } = array.map_err(|why| fault(format!("array '{name}': {why}")))?;
        let (count, width) = (shape[0], shape.get(1).copied().unwrap_or(1));
        if shape.contains(&0) {
            return Err(fault(format!("array '{name}' is empty (its shape is {shape:?})")));
        }
        let expected = *rows.get_or_insert(count);
        if count != expected {
            return Err(Error::Shape { what: format!("{file}: rows of array '{name}'"), expected, found: count });
        }
        let declared = options.declared(&name);
        let (shape, items) = match (&shape[..], items) {
            (&[rows, channels, times], Items::Numbers(v)) if declared == Some(ColumnType::ChannelsFirst) => {
                (vec![rows, times, channels], Items::Numbers(by_time(&v, channels, times)))
            }
            (_, items) => (shape, items),
        };
        if let Some(how) = Gathered::of(&name, &shape, declared.as_ref()).map_err(&fault)? {
            let Items::Numbers(v) = items else {
                return Err(fault(format!("array '{name}' holds texts, and is to be {}; save numbers", how.kind())));
            };
            if let [_, times, channels] = shape[..]
                && declared.is_none()
            {
                let axes = "the last two axes of its array, which series-channels-first exchanges";
                let said = format!("{{is}} a series of {times} times and {channels} channels: {axes}");
                facts.push(Fact::of_column(Topic::Table, &name, said).undone_by("set reads sets of vectors"));
            }
            let column = how.column(v, &shape).map_err(|why| fault(format!("array '{name}': {why}")))?;
            if let Raw::Ready(Values::Series(series)) = &column {
                facts.extend(wide::ends(&name, series, shape[1]));
            }
            columns.push((name.clone(), column));
            continue;
        }
        for k in 0..width {
            let column = match shape.len() {
                1 if name != "x" => name.clone(),
                _ => format!("{name}{k}"),
            };
            if name == TARGET {
                own_target.push(column.clone());
            }
            columns.push((column, raw(&items, k, width)));
        }
    }
    let table = Table::of_raw(file, rows.unwrap_or(0), columns)?;
    Ok(Table { aside: own_target.clone(), own_target, facts, ..table })
}

/// The channels at each time of arrays that hold all times of a channel before those of the next.
fn by_time(values: &[f64], channels: usize, times: usize) -> Vec<f64> {
    let turned = |row: &[f64]| (0..times).flat_map(|t| (0..channels).map(move |c| c * times + t)).map(|at| row[at]).collect::<Vec<_>>();
    values.chunks_exact((channels * times).max(1)).flat_map(turned).collect()
}

/// What an array becomes whose rows are one cell each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gathered {
    Series,
    Sets,
    Points,
}

impl Gathered {
    /// What an array is declared to be; series where it has three axes and nothing is said.
    fn of(name: &str, shape: &[usize], declared: Option<&ColumnType>) -> std::result::Result<Option<Self>, String> {
        match (declared, shape.len()) {
            (Some(ColumnType::Of(ColumnKind::Series) | ColumnType::ChannelsFirst), 2 | 3) | (None | Some(ColumnType::Ignore), 3) => {
                Ok(Some(Gathered::Series))
            }
            (Some(ColumnType::Of(ColumnKind::Set)), 3) => Ok(Some(Gathered::Sets)),
            (Some(ColumnType::Of(ColumnKind::Points)), 2) => Ok(Some(Gathered::Points)),
            (Some(declared), axes)
                if axes == 3 || matches!(declared.kind(), Some(ColumnKind::Series | ColumnKind::Set | ColumnKind::Points)) =>
            {
                Err(format!(
                    "array '{name}' of shape {shape:?} is declared {}; series have the shape (rows, times) or (rows, times, channels), series-channels-first (rows, channels, times), set \
                     (rows, vectors, numbers), points (rows, numbers)",
                    declared.name()
                ))
            }
            _ => Ok(None),
        }
    }

    fn kind(self) -> ColumnKind {
        match self {
            Gathered::Series => ColumnKind::Series,
            Gathered::Sets => ColumnKind::Set,
            Gathered::Points => ColumnKind::Points,
        }
    }

    /// A column of the numbers of an array, or where one of them is none.
    fn column(self, items: Vec<f64>, shape: &[usize]) -> std::result::Result<Raw, String> {
        let (rows, second, third) = (shape[0], shape[1], shape.get(2).copied().unwrap_or(1));
        // A series may have gaps.
        let is_none = |x: &f64| x.is_infinite() || (x.is_nan() && !matches!(self, Gathered::Series));
        if let Some(at) = items.iter().position(is_none) {
            let (row, place, number) = (at / (second * third) + 1, at / third % second + 1, at % third + 1);
            let place = match self {
                Gathered::Series => format!("time {place}, channel {number}"),
                Gathered::Sets => format!("vector {place}, number {number}"),
                Gathered::Points => format!("number {place}"),
            };
            return Err(format!("row {row}, {place}: found {}, expected a finite number; fill it, or leave the row out", items[at]));
        }
        match self {
            Gathered::Series => Series::padded(second, third, &items).map(|s| Raw::Ready(Values::Series(s))),
            Gathered::Sets => {
                let starts = (0..=rows).map(|row| row * second).collect();
                let vectors = Points::dense(rows * second, third, items);
                vectors.and_then(|vectors| Sets::new(starts, vectors)).map(|s| Raw::Ready(Values::Sets(s)))
            }
            Gathered::Points => Points::dense(rows, second, items).map(Raw::Points),
        }
        .map_err(|why| why.to_string())
    }
}

/// Column k of items that lie row after row.
fn raw(items: &Items, k: usize, width: usize) -> Raw {
    match items {
        Items::Numbers(v) => Raw::Numbers(v.iter().skip(k).step_by(width).copied().collect()),
        Items::Texts(t) => {
            let mut cells = Cells::new(false, true);
            t.iter().skip(k).step_by(width).for_each(|text| cells.push(text));
            Raw::Cells(cells)
        }
    }
}

/// One file of an archive.
struct ZipMember {
    name: String,
    method: u16,
    sum: u32,
    packed: usize,
    size: u64,
    at: usize,
}

/// A number of two or four bytes, lowest first.
fn number(bytes: &[u8], at: usize, length: usize) -> std::result::Result<u64, String> {
    let end = at.checked_add(length).ok_or("an offset is too large")?;
    let part = bytes.get(at..end).ok_or("it is cut off")?;
    Ok(part.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b)))
}

/// The files that the directory at the end lists (PKWARE, APPNOTE 4.3.12 and 4.3.16).
fn directory(bytes: &[u8]) -> std::result::Result<Vec<ZipMember>, String> {
    // The end has 22 bytes and a comment of at most 65535.
    let tail = bytes.len().saturating_sub(22 + 65_535);
    let end = bytes[tail..].windows(4).rposition(|w| w == END).ok_or("it has no directory")? + tail;
    let comment = number(bytes, end + 20, 2)? as usize;
    if end + 22 + comment != bytes.len() {
        return Err("it is cut off".into());
    }
    let count = number(bytes, end + 10, 2)?;
    let mut at = number(bytes, end + 16, 4)? as usize;
    if count == 0xFFFF || at == 0xFFFF_FFFF {
        return Err("it is of the 64-bit kind, which is not read".into());
    }
    let mut entries = Vec::new();
    for _ in 0..count {
        if bytes.get(at..).is_none_or(|rest| !rest.starts_with(ENTRY)) {
            return Err("its directory is damaged".into());
        }
        let field = |offset: usize, length: usize| number(bytes, at + offset, length);
        let [name, extra, comment] = [field(28, 2)?, field(30, 2)?, field(32, 2)?].map(|n| n as usize);
        let (packed, size) = (field(20, 4)?, field(24, 4)?);
        if packed == 0xFFFF_FFFF || size == 0xFFFF_FFFF {
            return Err("it is of the 64-bit kind, which is not read".into());
        }
        if field(8, 2)? & 1 == 1 {
            return Err("it is encrypted".into());
        }
        let name_bytes = bytes.get(at + 46..at + 46 + name).ok_or("its directory is cut off")?;
        entries.push(ZipMember {
            name: String::from_utf8_lossy(name_bytes).into_owned(),
            method: field(10, 2)? as u16,
            sum: field(16, 4)? as u32,
            packed: packed as usize,
            size,
            at: field(42, 4)? as usize,
        });
        at += 46 + name + extra + comment;
    }
    Ok(entries)
}

impl ZipMember {
    /// The bytes of the file, as many as the directory says.
    fn unpack(&self, bytes: &[u8]) -> std::result::Result<Vec<u8>, String> {
        if bytes.get(self.at..).is_none_or(|rest| !rest.starts_with(MEMBER)) {
            return Err("its place in the archive is damaged".into());
        }
        let start = self.at + 30 + number(bytes, self.at + 26, 2)? as usize + number(bytes, self.at + 28, 2)? as usize;
        let packed = bytes.get(start..start + self.packed).ok_or("it is cut off")?;
        let data = match self.method {
            0 => packed.to_vec(),
            8 => read_at_most(DeflateDecoder::new(packed), self.size).map_err(|e| e.to_string())?,
            other => return Err(format!("it is packed by method {other}; save it with numpy.savez")),
        };
        if data.len() as u64 != self.size || crc32fast::hash(&data) != self.sum {
            return Err("its checksum or length is wrong".into());
        }
        Ok(data)
    }
}
