//! A sample of the rows of a table that is read batch by batch.

use super::super::{Table, joined};
use super::{Batch, Batches};
use crate::control::Control;
use crate::error::{Error, Result};
use rand::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

/// Rows that are drawn at random while all of them pass by, any of them as likely as the others.
#[derive(Clone, Debug)]
pub struct RowSample {
    most: usize,
    seed: u64,
    /// The smallest keys so far, with the places of their rows.
    keys: Vec<(u64, usize)>,
}

impl RowSample {
    /// A sample of at most so many rows.
    pub fn new(most: usize, seed: u64) -> Self {
        RowSample { most, seed, keys: Vec::new() }
    }

    /// Which of some rows, given by their places among all, are to be kept for now.
    pub fn draw(&mut self, places: &[usize]) -> Vec<usize> {
        self.keys.extend(places.iter().map(|&place| (key(self.seed, place), place)));
        if self.keys.len() > self.most {
            self.keys.select_nth_unstable(self.most);
            self.keys.truncate(self.most);
        }
        self.drawn(places)
    }

    /// Which of some rows are in the sample of those that passed by.
    pub fn drawn(&self, places: &[usize]) -> Vec<usize> {
        let largest = self.keys.iter().max().copied().unwrap_or_default();
        (0..places.len()).filter(|&i| (key(self.seed, places[i]), places[i]) <= largest).collect()
    }
}

/// Some rows of a table, drawn at random.
#[derive(Clone, Debug)]
pub struct SampledTable {
    /// The rows, in the order of the file.
    pub table: Table,
    /// Rows of the file.
    pub rows: usize,
    /// Batches of the file.
    pub batches: usize,
}

impl Batches {
    /// At most so many rows, any of them as likely as the others: the same for a seed whatever the size of the batches.
    ///
    /// # Errors
    /// Those of [`Batches::each`]; no rows.
    pub fn sample(&self, most: usize, seed: u64, control: &Control) -> Result<SampledTable> {
        let mut sample = RowSample::new(most, seed);
        let mut found: Option<Table> = None;
        let (mut rows, mut batches) = (0, 0);
        self.each(control, |Batch { mut table, .. }| {
            rows = table.places.iter().max().map_or(rows, |last| last + 1);
            batches += 1;
            let kept = sample.draw(&table.places);
            if kept.len() < table.rows {
                table.keep_rows(&kept);
            }
            found = Some(match found.take() {
                None => table,
                Some(above) => below_one_another(above, table, &self.path.display().to_string())?,
            });
            Ok(())
        })?;
        let Some(mut table) = found else {
            return Err(Error::Table { file: self.path.display().to_string(), why: "the table has columns but no rows".into() });
        };
        let kept = sample.drawn(&table.places);
        table.keep_rows(&kept);
        Ok(SampledTable { table, rows, batches })
    }
}

/// The rows of another batch below those of one, and their places.
fn below_one_another(above: Table, below: Table, file: &str) -> Result<Table> {
    let places = [above.places.as_slice(), &below.places].concat();
    let mut facts = above.facts.clone();
    facts.extend(below.facts.iter().filter(|fact| !above.facts.contains(fact)).cloned());
    Ok(Table { places, facts, ..joined::join(above, below, file)? })
}

/// A number that looks random, by a seed and a place: the numbers of one generator in their order.
fn key(seed: u64, place: usize) -> u64 {
    // By what the state of the generator grows from one number to the next.
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    SplitMix64::seed_from_u64(seed.wrapping_add((place as u64).wrapping_mul(STEP))).next_u64()
}
