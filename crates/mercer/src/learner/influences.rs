//! The parts of rows that a model answers by, over many rows: their mean effects, by name and by place.

use super::Model;
use super::explain::{Measure, ROUNDING};
use crate::control::Control;
use crate::data::{Dataset, Parts, rows_by_turns, some_rows};
use crate::error::{Error, Result};
use crate::estimators::Predicted;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::HashMap;

/// Rows that are predicted for each that is masked at most, to draw these by class.
const PREDICTED: usize = 10;
/// Parts that are listed.
const LISTED: usize = 100;
/// A name that is more special than another, as by a place, needs one part in so many rows, and so many parts at least: fewer are chance.
const ROWS_OF_SPECIAL: usize = 20;
const FEWEST_OF_SPECIAL: usize = 3;

/// How rows are masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Masking {
    /// Letters, words or times that are masked together; `None`: as in [`Model::explain`].
    pub width: Option<usize>,
    /// Rows that are masked at most: drawn at random, each predicted class by turns.
    pub rows: usize,
}

impl Default for Masking {
    fn default() -> Self {
        Masking { width: None, rows: 200 }
    }
}

/// The effect of parts of one name over some rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartEffect {
    /// The column.
    pub column: String,
    /// Its name: its content, with the place where this matters.
    pub text: String,
    /// How many such parts were masked that overlap none of the parts before it in the list.
    pub times: usize,
    /// Their mean effect.
    pub mean: f64,
}

/// The mean effect of each place of the cells of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlaceEffects {
    /// The column.
    pub column: String,
    /// The name of a place: `letter`, `time`.
    pub axis: String,
    /// The predicted class of the rows; empty where numbers are predicted.
    pub class: String,
    /// For each place, the mean effect of the parts that hold it; of numbers, the mean size of the effect.
    pub means: Vec<f64>,
}

/// Rows of one predicted class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClassRows {
    /// The class.
    pub class: String,
    /// How many there are.
    pub rows: usize,
}

/// The parts of most effect on one output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Influences {
    /// What the effects add to: a class, or the name of the target.
    pub of: String,
    /// What effects are changes of.
    pub measure: Measure,
    /// Rows whose parts were masked.
    pub rows: usize,
    /// Of which predicted class they are; none where numbers are predicted.
    pub classes: Vec<ClassRows>,
    /// The parts, those of most effect first: by mean times the square root of their number.
    pub parts: Vec<PartEffect>,
    /// The effects of places, where places of different rows compare: for each class of rows.
    pub places: Vec<PlaceEffects>,
}

/// A part of a row that was masked.
struct Masked {
    /// Its column among those whose cells have parts, the class of its row, and its cell, counted over rows and columns.
    column: usize,
    class: usize,
    cell: usize,
    units: Vec<usize>,
    /// Its names, as places in [`Tally::names`].
    names: Vec<usize>,
}

/// A name of parts.
struct Name {
    column: usize,
    text: String,
    /// Whether a part has a more general name too.
    is_special: bool,
}

/// What was masked, and what it changed.
#[derive(Default)]
struct Tally {
    masked: Vec<Masked>,
    /// The effect of each of them, for every output.
    effects: Vec<Vec<f64>>,
    names: Vec<Name>,
    known: HashMap<(usize, String), usize>,
    /// The name of a place in each column, where places compare.
    axes: Vec<Option<&'static str>>,
    /// Rows of each class.
    rows: Vec<usize>,
    cells: usize,
    /// The largest size of an output.
    largest: f64,
}

impl Model {
    /// The parts that the answers for the rows of a table come from, for each class, or for the number; of two classes, for the second.
    /// Where time is up, the rows count that were masked by then.
    ///
    /// # Errors
    /// As [`Model::explain`].
    pub fn influences(&self, data: &Dataset, masking: &Masking, control: &Control) -> Result<Vec<Influences>> {
        let parted = self.parted()?;
        let some = some_rows(data.rows(), masking.rows.saturating_mul(PREDICTED), 0);
        let data = self.prep.schema.align(&data.select(&some))?;
        let (predictions, all) = self.answers(&data, control)?;
        let codes = match &predictions.values {
            Predicted::Classes(codes) => codes.clone(),
            Predicted::Numbers(_) => vec![0; data.rows()],
        };
        let is_of_classes = matches!(predictions.values, Predicted::Classes(_));
        let classes = codes.iter().max().map_or(0, |most| most + 1);
        let mut tally =
            Tally { effects: vec![Vec::new(); all.len()], axes: vec![None; parted.len()], rows: vec![0; classes], ..Tally::default() };
        for row in rows_by_turns(&codes, masking.rows, 0) {
            let one = data.select(&[row]);
            let of_column = |&column: &usize| {
                control.check_time("masking the parts of a row")?;
                let parts = data.columns()[column].values.parts(row, masking.width);
                let without = self.without(&one, column, &parts.parts, control)?;
                Ok((parts, without))
            };
            match parted.iter().map(of_column).collect::<Result<Vec<_>>>() {
                Err(Error::Time { .. }) if tally.cells > 0 => break,
                found => tally.add(codes[row], all.iter().map(|of| of[row]).collect(), found?),
            }
        }
        let column = |k: usize| data.columns()[parted[k]].name.clone();
        let class = |code: usize| if is_of_classes { self.name_of(code) } else { String::new() };
        let looked_at: Vec<(usize, usize)> = tally.rows.iter().copied().enumerate().filter(|(_, rows)| *rows > 0).collect();
        let of_output = |output: usize| Influences {
            of: self.name_of(output),
            measure: self.measure(&predictions),
            rows: looked_at.iter().map(|(_, rows)| rows).sum(),
            classes: looked_at.iter().filter(|_| is_of_classes).map(|&(code, rows)| ClassRows { class: class(code), rows }).collect(),
            parts: tally
                .ranked(output)
                .into_iter()
                .map(|(name, times, mean)| PartEffect { column: column(name.column), text: name.text.clone(), times, mean })
                .collect(),
            places: looked_at
                .iter()
                .flat_map(|&(code, _)| (0..parted.len()).map(move |k| (code, k)))
                .filter_map(|(code, k)| {
                    let means = tally.by_place(output, k, code, is_of_classes);
                    Some(PlaceEffects { column: column(k), axis: tally.axes[k]?.into(), class: class(code), means })
                })
                .collect(),
        };
        Ok((usize::from(all.len() == 2 && is_of_classes)..all.len()).map(of_output).collect())
    }
}

impl Tally {
    /// Adds the cells of a row of a class with its outputs: the parts of each, and the outputs without them.
    fn add(&mut self, class: usize, whole: Vec<f64>, cells: Vec<(Parts, Vec<Vec<f64>>)>) {
        self.rows[class] += 1;
        self.largest = whole.iter().fold(self.largest, |most, value| most.max(value.abs()));
        for (column, (parts, without)) in cells.into_iter().enumerate() {
            self.axes[column] = self.axes[column].or(parts.axis);
            for ((effects, whole), without) in self.effects.iter_mut().zip(&whole).zip(without) {
                effects.extend(without.into_iter().map(|without| whole - without));
            }
            for part in parts.parts {
                let names = part.names.into_iter().enumerate().map(|(k, text)| self.number(column, text, k > 0)).collect();
                self.masked.push(Masked { column, class, cell: self.cells, units: part.units, names });
            }
            self.cells += 1;
        }
    }

    /// The place of a name in the list.
    fn number(&mut self, column: usize, text: String, is_special: bool) -> usize {
        *self.known.entry((column, text)).or_insert_with_key(|(_, text)| {
            self.names.push(Name { column, text: text.clone(), is_special });
            self.names.len() - 1
        })
    }

    /// The names of most effect on an output, with the number of their parts and the mean effect. An effect stands out by its mean and by
    /// the square root of the number: the most telling name comes first, and takes all parts with it that overlap one of its own.
    fn ranked(&self, output: usize) -> Vec<(&Name, usize, f64)> {
        let effects = &self.effects[output];
        let mut sums = vec![(0, 0.0); self.names.len()];
        let mut of_name: Vec<Vec<usize>> = vec![Vec::new(); self.names.len()];
        let mut of_cell: Vec<Vec<usize>> = vec![Vec::new(); self.cells];
        for (i, (masked, effect)) in self.masked.iter().zip(effects).enumerate() {
            of_cell[masked.cell].push(i);
            for &name in &masked.names {
                of_name[name].push(i);
                sums[name] = (sums[name].0 + 1, sums[name].1 + effect);
            }
        }
        let fewest_of_special = self.rows.iter().sum::<usize>().div_ceil(ROWS_OF_SPECIAL).max(FEWEST_OF_SPECIAL);
        let mut is_free = vec![true; self.masked.len()];
        let mut out = Vec::new();
        while out.len() < LISTED {
            let strength = |&name: &usize| {
                let (times, sum): (usize, f64) = sums[name];
                let fewest = if self.names[name].is_special { fewest_of_special } else { 1 };
                if times < fewest { 0.0 } else { sum.abs() / (times as f64).sqrt() }
            };
            // Of equals the last: a special name follows its general one.
            let best = (0..self.names.len()).max_by(|a, b| strength(a).total_cmp(&strength(b)));
            let Some(best) = best.filter(|name| strength(name) > ROUNDING * self.largest) else { break };
            out.push((&self.names[best], sums[best].0, sums[best].1 / sums[best].0 as f64));
            for &own in of_name[best].iter().filter(|&&own| is_free[own]).collect::<Vec<_>>() {
                let units = &self.masked[own].units;
                for &other in &of_cell[self.masked[own].cell] {
                    if is_free[other] && overlap(units, &self.masked[other].units) {
                        is_free[other] = false;
                        for &name in &self.masked[other].names {
                            sums[name] = (sums[name].0 - 1, sums[name].1 - effects[other]);
                        }
                    }
                }
            }
        }
        out
    }

    /// For each place of a column, the mean effect on an output of the parts that hold it, over the rows of a class, or the mean size of
    /// the effect.
    fn by_place(&self, output: usize, column: usize, class: usize, is_signed: bool) -> Vec<f64> {
        let mut sums: Vec<(f64, f64)> = Vec::new();
        for (masked, effect) in self.masked.iter().zip(&self.effects[output]).filter(|(m, _)| (m.column, m.class) == (column, class)) {
            for &unit in &masked.units {
                sums.resize(sums.len().max(unit + 1), (0.0, 0.0));
                sums[unit] = (sums[unit].0 + if is_signed { *effect } else { effect.abs() }, sums[unit].1 + 1.0);
            }
        }
        sums.into_iter().map(|(sum, count)| sum / count.max(1.0)).collect()
    }
}

/// Whether two ascending lists share a number.
pub(super) fn overlap(a: &[usize], b: &[usize]) -> bool {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match x.cmp(y) {
            Ordering::Less => a.next(),
            Ordering::Greater => b.next(),
            Ordering::Equal => return true,
        };
    }
    false
}
