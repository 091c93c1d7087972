//! JSON lines: one object a row, its keys the columns. Numbers, strings, true and false are cells, null and absent keys
//! missing ones; an array of numbers is a vector, of one width in its column, and an array of such arrays a set of
//! vectors; an object with edges is a graph, one with children, or a list that begins with a label, a tree. A column holds one sort of
//! value.

use super::cells::Cells;
use super::infer::shortened;
use super::table::{Raw, Table};
use super::unpack::too_large;
use crate::data::Points;
use crate::error::{Error, Result};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// Bytes that one more cell takes at least.
const BYTES_PER_CELL: u64 = 16;

/// One object, its keys in order.
struct Row(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Row;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object such as {\"age\": 31, \"city\": \"Bonn\"} on each line")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Row, A::Error> {
                let mut row = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    row.push(pair);
                }
                Ok(Row(row))
            }
        }
        d.deserialize_map(Keys)
    }
}

/// A column while rows are read.
#[derive(Default)]
struct Growing {
    cells: Cells,
    /// Vectors, row after row, and their width.
    vectors: Option<(Vec<f64>, usize)>,
    /// What its values are, and the first row (from 1) that has one.
    sort: Option<(&'static str, usize)>,
    /// The last row (from 1) that has this key.
    last: usize,
}

/// Reads the table.
pub(super) fn parse(file: &str, text: &str, most: u64) -> Result<Table> {
    let fault = |why: String| Error::Table { file: file.to_owned(), why };
    if text.trim_start().starts_with('[') {
        return Err(fault("this is one JSON array; write one object a line instead (jq -c '.[]' does that)".into()));
    }
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut names = Vec::new();
    let mut columns: Vec<Growing> = Vec::new();
    let mut rows = 0;
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Row>();
    let (mut line, mut counted) = (1, 0);
    loop {
        // Where the next object begins: after what was read and the white space behind it.
        let read = stream.byte_offset();
        let begin = read + text[read..].len() - text[read..].trim_start().len();
        line += text[counted..begin].bytes().filter(|&b| b == b'\n').count();
        counted = begin;
        let Some(row) = stream.next() else { break };
        let Row(row) = row.map_err(|e| fault(e.to_string()))?;
        rows += 1;
        for (name, value) in row {
            let place = *places.entry(name.clone()).or_insert_with(|| {
                names.push(name.clone());
                columns.push(Growing::default());
                columns.len() - 1
            });
            let needed = (columns.len() as u64).saturating_mul(rows as u64).saturating_mul(BYTES_PER_CELL);
            if needed > most {
                return Err(too_large(&format!("{file}, whose rows have {} different keys,", columns.len()), needed, most));
            }
            columns[place].push(rows, value.get()).map_err(|why| fault(format!("line {line} (row {rows}), column '{name}': {why}")))?;
        }
    }
    if rows == 0 {
        return Err(fault("the table is empty; expected one JSON object a line".into()));
    }
    let raw = names.into_iter().zip(columns).map(|(name, column)| {
        let raw = column.finish(rows).map_err(|why| fault(format!("column '{name}': {why}")))?;
        Ok((name, raw))
    });
    Table::of_raw(file, rows, raw.collect::<Result<_>>()?)
}

impl Growing {
    /// Adds a value as it was written: the digits of a number stay, however many there are.
    fn push(&mut self, row: usize, written: &str) -> std::result::Result<(), String> {
        let value: Value = serde_json::from_str(written).map_err(|e| e.to_string())?;
        if self.last == row {
            return Err("the key stands twice; rename one of them".into());
        }
        self.last = row;
        let sort = match &value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "numbers",
            Value::String(_) => "strings",
            // A list of strings is one only beside lists in lists.
            Value::Array(items)
                if items.first().is_some_and(Value::is_string)
                    && (items.iter().any(Value::is_array) || self.sort.is_some_and(|(sort, _)| sort == "trees")) =>
            {
                "trees"
            }
            Value::Array(_) => "arrays",
            Value::Object(members) if members.contains_key("edges") => "graphs",
            Value::Object(members) if members.contains_key("children") => "trees",
            Value::Object(_) => {
                return Err(
                    "found an object; nested objects are not read: write its parts as columns of their own, a graph with \"edges\" and a tree with \"children\""
                        .into(),
                );
            }
        };
        match self.sort {
            _ if sort == "null" => {}
            None => self.sort = Some((sort, row)),
            Some((before, first)) if before != sort => {
                return Err(format!("found {}, and row {first} holds {before}; make them one type", shortened(written)));
            }
            Some(_) => {}
        }
        self.cells.pad(row - 1);
        match value {
            Value::Bool(flag) => self.cells.push(if flag { "true" } else { "false" }),
            Value::Number(_) => self.cells.push(written),
            Value::String(text) => {
                self.cells.strings = true;
                self.cells.push(&text);
            }
            Value::Array(_) if sort == "trees" => self.cells.push(written),
            // A set of vectors is read from its text.
            Value::Array(items) if self.vectors.is_none() && items.iter().all(Value::is_array) => {
                self.cells.push(&Value::Array(items).to_string());
            }
            Value::Array(items) => self.push_vector(row, &items)?,
            Value::Object(_) => self.cells.push(written),
            Value::Null => self.cells.push(""),
        }
        Ok(())
    }

    fn push_vector(&mut self, row: usize, items: &[Value]) -> std::result::Result<(), String> {
        let (vectors, width) = self.vectors.get_or_insert_with(|| (Vec::new(), items.len()));
        if items.len() != *width || *width == 0 {
            return Err(format!("found an array of {}, expected {}", items.len(), if *width == 0 { 1 } else { *width }));
        }
        if vectors.len() != (row - 1) * *width {
            return Err(format!("found an array, and a row before row {row} has none; a vector cannot be missing"));
        }
        for (k, item) in items.iter().enumerate() {
            let number = item.as_f64().ok_or_else(|| format!("item {} is {item}, expected a number", k + 1))?;
            vectors.push(number);
        }
        self.cells.push("");
        Ok(())
    }

    fn finish(mut self, rows: usize) -> std::result::Result<Raw, String> {
        let Some((vectors, width)) = self.vectors else {
            self.cells.pad(rows);
            return Ok(Raw::Cells(self.cells));
        };
        if vectors.len() != rows * width {
            return Err("a row has no array; a vector cannot be missing".into());
        }
        Points::dense(rows, width, vectors).map(Raw::Points).map_err(|e| e.to_string())
    }
}
