//! Cells that the user declares missing: `--na=-999`, `--na 'n/v,unknown'`, `--na age=-1` for one column. A marker without text
//! says that words such as `None` are labels, and only empty cells missing: `--na ''`, `--na label=`.

use super::cells::Cell;
use super::table::Raw;
use super::unseen::name_of;
use super::{Table, facts::Fact, facts::Topic, infer::shortened};
use crate::error::Result;

/// One marker.
#[derive(Clone, Debug, PartialEq)]
struct Marker<'a> {
    /// The only column in which it counts.
    column: Option<&'a str>,
    text: &'a str,
    /// The number that it writes: -999 is -999.0 as well.
    number: Option<f64>,
}

impl Marker<'_> {
    fn is(&self, cell: &str) -> bool {
        // A code such as 0099 or 99E2 is no other way to write a number.
        let is_code = || cell.contains(['e', 'E']) || (cell.len() > 1 && cell.starts_with('0') && !cell.starts_with("0."));
        cell == self.text || self.number.is_some_and(|number| Cell::of(cell) == Cell::Number(number) && !is_code())
    }
}

impl Table {
    /// Empties the cells that the markers name; `COLUMN=TEXT` counts in that column alone. A marker without text keeps the usual
    /// words as labels.
    pub(super) fn empty_marked(&mut self, written: &[String]) -> Result<()> {
        let mut markers = Vec::new();
        let written: Vec<String> = written.iter().map(|marker| name_of(marker)).collect();
        for marker in &written {
            let (column, text) = match marker.split_once('=') {
                Some((column, text)) if self.header.iter().any(|name| name == column.trim()) => (Some(column.trim()), text.trim()),
                _ => (None, marker.trim()),
            };
            let number = match Cell::of(text) {
                Cell::Number(x) => Some(x),
                _ => None,
            };
            markers.push(Marker { column, text, number });
        }
        let mut facts = Vec::new();
        let mut met = vec![false; markers.len()];
        for (name, raw) in &mut self.columns {
            let of_column: Vec<usize> = (0..markers.len()).filter(|&k| markers[k].column.is_none_or(|column| column == name)).collect();
            let empties = |cell: &str, met: &mut [bool]| {
                let found = of_column.iter().find(|&&k| markers[k].is(cell));
                found.into_iter().for_each(|&k| met[k] = true);
                found.is_some()
            };
            let count = match raw {
                Raw::Cells(cells) => {
                    cells.words_stay |= of_column.iter().any(|&k| markers[k].text.is_empty());
                    let seen = std::cell::RefCell::new(&mut met);
                    let (emptied, count) = cells.emptied(|cell| empties(cell, &mut seen.borrow_mut()));
                    *cells = emptied;
                    count
                }
                Raw::Numbers(v) => {
                    let marked = |x: f64| of_column.iter().copied().find(|&k| markers[k].number == Some(x));
                    let mut count = 0;
                    for x in v.iter_mut() {
                        if let Some(k) = marked(*x) {
                            (met[k], *x) = (true, f64::NAN);
                            count += 1;
                        }
                    }
                    count
                }
                Raw::Points(_) | Raw::Lists(_) | Raw::Indexed(_) | Raw::Ready(_) => 0,
            };
            if count > 0 {
                facts.push(Fact::of_column(Topic::Missing, name, "{has} cells that are declared missing (--na)"));
            }
            if !of_column.is_empty() && matches!(raw, Raw::Cells(_) | Raw::Numbers(_)) {
                let own: Vec<String> = of_column.iter().map(|&k| markers[k].text.to_owned()).collect();
                self.marked.push((name.clone(), own));
            }
        }
        for marker in markers.iter().zip(&met).filter(|(marker, met)| !**met && !marker.text.is_empty()).map(|(marker, _)| marker) {
            let place = marker.column.map(|column| format!(" of column '{column}'")).unwrap_or_default();
            facts.push(Fact::of_table(format!(
                "{}: no cell{place} is '{}', which --na declares missing",
                self.file,
                shortened(marker.text)
            )));
        }
        self.facts.extend(facts);
        Ok(())
    }

    /// Empties the cells of a column that training declared missing.
    pub(super) fn empty_as_trained(&mut self, name: &str, missing: &[String]) -> Result<()> {
        if missing.is_empty() || !self.columns.iter().any(|(n, _)| n == name) {
            return Ok(());
        }
        let already = self.marked.iter().filter(|(n, _)| n == name).flat_map(|(_, own)| own.clone()).collect::<Vec<_>>();
        let new: Vec<String> = missing.iter().filter(|text| !already.contains(text)).map(|text| format!("{name}={text}")).collect();
        let facts = std::mem::take(&mut self.facts);
        self.empty_marked(&new)?;
        let said = std::mem::replace(&mut self.facts, facts);
        // That a marker of training is not met here is nothing to tell.
        let kept = said.into_iter().filter(|fact| !fact.columns.is_empty());
        self.facts
            .extend(kept.map(|_| Fact::of_column(Topic::Missing, name, "{has} cells that training declared missing: taken as missing")));
        Ok(())
    }
}
