//! A sample of the rows of a table that is read batch by batch.

use super::super::{Table, joined};
use super::Batches;
use crate::control::Control;
use crate::error::{Error, Result};
use rand::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

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
        // The rows with the smallest keys; a row that was among the smallest for a while is left out in the end.
        let mut keys: Vec<(u64, usize)> = Vec::new();
        let mut found: Option<Table> = None;
        let (mut rows, mut batches) = (0, 0);
        self.each(control, |batch| {
            let mut table = batch.table;
            let own: Vec<(u64, usize)> = table.places.iter().map(|&place| (key(seed, place), place)).collect();
            rows = table.places.iter().max().map_or(rows, |last| last + 1);
            batches += 1;
            keys.extend(&own);
            if keys.len() > most {
                keys.select_nth_unstable(most);
                keys.truncate(most);
            }
            let largest = keys.iter().max().copied().unwrap_or_default();
            let kept: Vec<usize> = (0..own.len()).filter(|&i| own[i] <= largest).collect();
            if kept.len() < own.len() {
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
        let largest = keys.iter().max().copied().unwrap_or_default();
        let kept: Vec<usize> = (0..table.rows).filter(|&i| (key(seed, table.places[i]), table.places[i]) <= largest).collect();
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
