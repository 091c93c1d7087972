//! K among the variables of a block. Most of them stay from one block to the next, and so do their values: gathering them
//! from rows as long as the table is, a cache miss each, would cost more than the steps on the block.

use super::limits::rows::*;
use super::pairs::width;
use super::passes::Passes;
use crate::gram::{Block, Gram, with_scratch};
use rayon::prelude::*;

/// K among the variables of a block, each of which keeps its place for as long as it stays.
#[derive(Default)]
pub(super) struct WorkingSetGram<T> {
    /// The variable in each place.
    pub(super) block: Vec<usize>,
    /// A row for each, of [`width`] numbers.
    pub(super) values: Vec<T>,
    /// The places of new variables, ascending.
    pub(super) new: Vec<usize>,
}

impl<T: Passes> WorkingSetGram<T> {
    /// Goes on to another block: what is new takes the places of what is gone, and its rows are to be taken in.
    pub(super) fn go_on(&mut self, next: &[usize]) {
        let mut after = next.to_vec();
        after.sort_unstable();
        if self.block.len() == after.len() {
            let mut before = self.block.clone();
            before.sort_unstable();
            self.new = (0..self.block.len()).filter(|&a| after.binary_search(&self.block[a]).is_err()).collect();
            let coming = after.into_iter().filter(|k| before.binary_search(k).is_err());
            self.new.iter().zip(coming).for_each(|(&a, k)| self.block[a] = k);
        } else {
            self.block = after;
            self.values.clear();
        }
        if self.values.is_empty() {
            self.new = (0..self.block.len()).collect();
            self.values = vec![T::default(); self.block.len() * width(self.block.len())];
        }
    }

    /// Gives its memory back; the places stay.
    pub(super) fn forget(&mut self) {
        self.values = Vec::new();
    }

    /// Takes in rows of K, those of the new variables from the `first` on; `places` says where in them the block stands.
    pub(super) fn take(&mut self, first: usize, rows: &[&[T]], places: &[usize]) {
        let new = &self.new[first..][..rows.len()];
        self.values.par_chunks_mut(width(places.len())).enumerate().for_each(|(a, out)| {
            if let Ok(found) = new.binary_search(&a) {
                out.iter_mut().zip(places).for_each(|(out, &at)| *out = rows[found][at]);
            }
        });
    }

    /// Computes the rows of the new variables from the Gram matrix among the variables of the block.
    pub(super) fn compute(&mut self, gram: &dyn Gram) {
        let (wide, count) = (width(self.block.len()), self.block.len());
        let mut rows: Vec<Option<&mut [T]>> = self.values.chunks_mut(wide).map(Some).collect();
        let mut tasks: Vec<(&[usize], Vec<&mut [T]>)> =
            self.new.chunks(COMPUTED).map(|new| (new, new.iter().filter_map(|&a| rows[a].take()).collect())).collect();
        tasks.par_iter_mut().for_each(|(new, rows)| {
            with_scratch(new.len() * count, |values: &mut [T]| {
                T::fill(gram, new, 0..count, Block::new(values, new.len(), count));
                rows.iter_mut().zip(values.chunks(count)).for_each(|(row, values)| row[..count].copy_from_slice(values));
            });
        });
    }

    /// What stays with what is new, by symmetry, when every new row was taken in.
    pub(super) fn mirror(&mut self) {
        let (wide, new) = (width(self.block.len()), &self.new);
        if new.len() == self.block.len() {
            return;
        }
        let taken: Vec<Vec<T>> = new.iter().map(|&b| self.values[b * wide..][..wide].to_vec()).collect();
        self.values.par_chunks_mut(wide).enumerate().filter(|(a, _)| new.binary_search(a).is_err()).for_each(|(a, out)| {
            new.iter().zip(&taken).for_each(|(&b, row)| out[b] = row[a]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_and_what_is_gathered_are_the_values_of_the_rows() {
        let value = |i: usize, j: usize| (i.min(j) * 50 + i.max(j)) as f32;
        let all: Vec<Vec<f32>> = (0..50).map(|i| (0..50).map(|j| value(i, j)).collect()).collect();
        let blocks = [vec![1, 4, 7, 30, 49], vec![0, 4, 5, 7, 30], vec![7, 8, 9, 10, 0], vec![4, 49]];
        let mut among = WorkingSetGram::default();
        for (turn, mut block) in blocks.into_iter().enumerate() {
            if turn == 2 {
                among.forget();
            }
            among.go_on(&block);
            let places = among.block.clone();
            let rows: Vec<&[f32]> = among.new.iter().map(|&a| &all[places[a]][..]).collect();
            among.take(0, &rows[..1], &places);
            among.take(1, &rows[1..], &places);
            among.mirror();
            for (a, &i) in places.iter().enumerate() {
                for (b, &j) in places.iter().enumerate() {
                    assert_eq!(among.values[a * width(places.len()) + b], all[i][j]);
                }
            }
            let mut places = places;
            places.sort_unstable();
            block.sort_unstable();
            assert_eq!(places, block);
        }
    }
}
