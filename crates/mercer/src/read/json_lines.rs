//! JSON lines: one object a row, its keys the columns. Numbers, strings, true and false are cells, null and absent keys
//! missing ones; an array of numbers is a vector, or a series of one channel where lengths differ, nulls stand for numbers or that is
//! declared, and an array of such arrays a set of vectors; an object with edges is a graph, one with children, or a list that begins with a label, a tree. A column holds one sort of
//! value.

use super::cells::Cells;
use super::infer::shortened;
use super::lists::Lists;
use super::table::{Raw, Table};
use super::unpack::too_large;
use crate::error::{Error, Result};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;

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
    /// Its arrays of numbers.
    lists: Lists,
    /// What its values are, and the first row (from 1) that has one.
    sort: Option<(&'static str, usize)>,
    /// The last row (from 1) that has this key.
    last: usize,
}

/// Reads the table.
pub(super) fn parse(file: &str, text: &str, most: u64) -> Result<Table> {
    // Bytes that one more cell takes at least.
    const BYTES_PER_CELL: u64 = 16;
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
        rows += 1;
        let Row(row) = row.map_err(|e| fault(damage(&text[begin..], (line, rows), &e)))?;
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
    let raw = names.into_iter().zip(columns).map(|(name, column)| (name, column.finish(rows)));
    Table::of_raw(file, rows, raw.collect())
}

/// What is wrong with the object that begins a text, on a line and in a row of the table.
fn damage(text: &str, (line, row): (usize, usize), why: &serde_json::Error) -> String {
    if why.is_eof() {
        return format!("line {line} (row {row}): the object is cut off: a quote, a bracket or a brace is not closed");
    }
    // Lines and characters are counted from the begin of the file.
    let own = text.lines().nth(why.line().saturating_sub(line)).unwrap_or_default();
    let at = (0..why.column().min(own.len() + 1)).rev().find(|&at| own.is_char_boundary(at)).unwrap_or(0);
    let (before, behind) = own.split_at(at);
    let word = before.len() - before.trim_end_matches(|c: char| c.is_alphabetic() || c == '-').len();
    let word = format!("{}{behind}", &before[before.len() - word..]).to_lowercase();
    let what = spoken(why);
    let hint = if ["nan", "inf", "-nan", "-inf"].iter().any(|name| word.starts_with(name)) {
        "; JSON has no such number: write null for a missing cell, or for a number that a series lacks"
    } else {
        ""
    };
    format!("line {} (row {row}), character {}: {what}{hint}", why.line(), why.column())
}

/// What is wrong, without the place that serde gives.
fn spoken(why: &serde_json::Error) -> String {
    let all = why.to_string();
    all.rsplit_once(" at line ").map_or(all.clone(), |(what, _)| what.to_owned())
}

impl Growing {
    /// Adds a value as it was written: the digits of a number stay, however many there are.
    fn push(&mut self, row: usize, written: &str) -> std::result::Result<(), String> {
        // The sort of an array that holds nothing.
        const EMPTY: &str = "empty arrays";
        let value: Value = serde_json::from_str(written).map_err(|e| format!("found {}: {}", shortened(written), spoken(&e)))?;
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
            // An empty array is one of any sort.
            Value::Array(items) if items.is_empty() => EMPTY,
            Value::Array(items) if items.iter().all(Value::is_array) => "arrays of arrays",
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
            _ if sort == "null" || sort == EMPTY => {}
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
            // Arrays of arrays are read from their text.
            Value::Array(items) => {
                if items.is_empty() || sort == "arrays" {
                    self.lists.push(row - 1, &numbers(&items)?);
                }
                self.cells.push(&if sort == "arrays" { String::new() } else { Value::Array(items).to_string() });
            }
            Value::Object(_) => self.cells.push(written),
            Value::Null => self.cells.push(""),
        }
        Ok(())
    }

    fn finish(mut self, rows: usize) -> Raw {
        if self.lists.holds_numbers() {
            self.lists.pad(rows);
            return Raw::Lists(self.lists);
        }
        self.cells.pad(rows);
        Raw::Cells(self.cells)
    }
}

/// The numbers of an array, NaN for null.
fn numbers(items: &[Value]) -> std::result::Result<Vec<f64>, String> {
    let number = |(k, item): (usize, &Value)| {
        let number = if item.is_null() { Some(f64::NAN) } else { item.as_f64() };
        number.ok_or_else(|| format!("item {} is {item}, expected a number, or null where a series lacks one", k + 1))
    };
    items.iter().enumerate().map(number).collect()
}
