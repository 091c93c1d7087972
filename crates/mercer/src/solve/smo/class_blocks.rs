//! Many small problems over many rows, such as the pairs of classes: K in blocks between groups of rows.
//!
//! Rows that take part in the same problems are one group: a class, where every pair of classes is a problem. The
//! rows of K of one group after the other are computed against the groups before it; a problem is solved when the last
//! of its groups has come, side by side with the others that end there. The block of two classes is computed once and
//! serves one pair; that of a class with itself is kept for all its pairs. While problems are solved, the rows of the next group
//! are computed: of the first groups few problems are ready, which alone would not keep all threads at work.

use super::limits::rows::*;
use super::passes::Passes;
use super::state::ProblemState;
use super::{SolverJob, dense};
use crate::error::Result;
use crate::gram::{self, Gram, with_scratch};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Groups of rows, and which of them each problem has.
struct Groups {
    /// The rows of each group, ascending.
    rows: Vec<Vec<usize>>,
    /// The groups of each problem, ascending.
    of: Vec<Vec<usize>>,
    /// The group of each row and its place there.
    at: Vec<(usize, usize)>,
    /// Pairs of groups whose block is asked for, the later first, each with the last group that asks.
    last: BTreeMap<(usize, usize), usize>,
}

impl Groups {
    fn of(states: &[&mut ProblemState<'_>]) -> Self {
        let end = states.iter().flat_map(|s| &s.problem.row).max().map_or(0, |r| r + 1);
        let mut parts: Vec<Vec<usize>> = vec![Vec::new(); end];
        for (p, state) in states.iter().enumerate() {
            state.problem.row.iter().for_each(|&r| parts[r].push(p));
        }
        let (mut numbers, mut rows): (BTreeMap<Vec<usize>, usize>, Vec<Vec<usize>>) = (BTreeMap::new(), Vec::new());
        for (r, list) in parts.into_iter().enumerate().filter(|(_, list)| !list.is_empty()) {
            let next = rows.len();
            let g = *numbers.entry(list).or_insert(next);
            if g == next {
                rows.push(Vec::new());
            }
            rows[g].push(r);
        }
        let mut of = vec![Vec::new(); states.len()];
        numbers.iter().for_each(|(list, &g)| list.iter().for_each(|&p| of[p].push(g)));
        of.iter_mut().for_each(|list| list.sort_unstable());
        Groups::new(rows, of)
    }

    fn new(rows: Vec<Vec<usize>>, of: Vec<Vec<usize>>) -> Self {
        let mut at = vec![(0, 0); rows.iter().flatten().max().map_or(0, |r| r + 1)];
        for (g, list) in rows.iter().enumerate() {
            list.iter().enumerate().for_each(|(k, &r)| at[r] = (g, k));
        }
        let mut last = BTreeMap::new();
        for list in &of {
            for (k, &a) in list.iter().enumerate() {
                for &b in &list[..=k] {
                    let of_pair: &mut usize = last.entry((a, b)).or_default();
                    *of_pair = (*of_pair).max(list[list.len() - 1]);
                }
            }
        }
        Groups { rows, of, at, last }
    }

    /// Whether some problem that is not solved before group `from` has both groups, the later first.
    fn together(&self, a: usize, b: usize, from: usize) -> bool {
        self.last.get(&(a, b)).is_some_and(|last| *last >= from)
    }

    /// Bytes of the blocks that are held at once, at most: those of the next group are there while problems of one are solved.
    fn bytes(&self) -> u64 {
        let size = |&(a, b): &(usize, usize)| 8 * (self.rows[a].len() * self.rows[b].len()) as u64;
        let held = |g: usize| self.last.iter().filter(|((a, _), last)| *a <= g + 1 && **last >= g).map(|(pair, _)| size(pair)).sum();
        (0..self.rows.len()).map(held).max().unwrap_or(0)
    }
}

/// Solves problems group by group; leaves them open where the cache is too small for the blocks.
pub(super) fn run(job: &SolverJob<'_>, states: &mut [&mut ProblemState<'_>]) -> Result<()> {
    let groups = Groups::of(states);
    if groups.bytes() > job.options.cache_bytes {
        return Ok(());
    }
    dense::in_time(job, states, |states| solve(job, states, &groups))
}

fn solve(job: &SolverJob<'_>, states: &mut [&mut ProblemState<'_>], groups: &Groups) -> Result<()> {
    let (gram, control) = (job.gram, job.control);
    let mut blocks: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    let gathered = gram.gathered(&groups.rows.concat());
    // Memory of blocks that are done: fresh memory would cost a page fault per 4 kB.
    let mut spare: Vec<Vec<f64>> = Vec::new();
    let beside = |g: usize| (0..=g).filter(|&h| groups.together(g, h, g)).collect::<Vec<usize>>();
    let compute = |g: usize, beside: &[usize], made: &mut [Vec<f64>]| match &gathered {
        _ if beside.is_empty() => (),
        Some(gram) => panel_of_gathered(gram.as_ref(), groups, g, beside, made),
        None => panel(gram, groups, g, beside, made),
    };
    let room = |spare: &mut Vec<Vec<f64>>, g: usize, beside: &[usize]| -> Vec<Vec<f64>> {
        beside.iter().map(|&h| memory(spare, groups.rows[g].len() * groups.rows[h].len())).collect()
    };
    let mut next = beside(0);
    let mut made = room(&mut spare, 0, &next);
    compute(0, &next, &mut made);
    for g in 0..groups.rows.len() {
        control.check_wanted("Gram matrix")?;
        blocks.extend(next.into_iter().map(|h| (g, h)).zip(made));
        next = if g + 1 < groups.rows.len() { beside(g + 1) } else { Vec::new() };
        // After the last group there is nothing to compute.
        made = room(&mut spare, g + 1, &next);
        let mut ready: Vec<_> = states.iter_mut().zip(&groups.of).filter(|(_, list)| list.last() == Some(&g)).collect();
        let solve = || {
            let each = ready.par_iter_mut().with_max_len(1);
            each.try_for_each(|(state, list)| dense::one(state, &Pieces::new(state, list, groups, &blocks), job))
        };
        rayon::join(solve, || compute(g + 1, &next, &mut made)).0?;
        let done: Vec<(usize, usize)> = blocks.keys().filter(|(a, b)| !groups.together(*a, *b, g + 1)).copied().collect();
        spare.extend(done.iter().filter_map(|pair| blocks.remove(pair)));
    }
    Ok(())
}

/// Memory for so many numbers, which are to be written: of a block that is done and has enough, or fresh in its place, whose pages
/// come as they are written.
fn memory(spare: &mut Vec<Vec<f64>>, count: usize) -> Vec<f64> {
    if let Some(k) = spare.iter().position(|block| block.capacity() >= count) {
        let mut block = spare.swap_remove(k);
        block.resize(count, 0.0);
        return block;
    }
    spare.pop();
    vec![0.0; count]
}

/// The kernel values of a group's rows with those of the groups beside it, one block for each, where the rows of a group
/// follow on each other and groups do.
fn panel_of_gathered(gram: &dyn Gram, groups: &Groups, g: usize, beside: &[usize], blocks: &mut [Vec<f64>]) {
    let starts: Vec<usize> = groups.rows.iter().scan(0, |end, rows| Some(std::mem::replace(end, *end + rows.len()))).collect();
    let width = |h: usize| groups.rows[h].len();
    let tiles = blocks.iter_mut().zip(beside).flat_map(|(block, &h)| {
        block
            .chunks_mut(TILE.0 * width(h))
            .enumerate()
            .map(move |(band, part)| (h, band * TILE.0..band * TILE.0 + part.len() / width(h), part))
    });
    tiles.collect::<Vec<_>>().into_par_iter().for_each(|(h, rows, part)| {
        let (first, height) = (starts[g] + rows.start, rows.len());
        gram.fill(first..first + height, starts[h]..starts[h] + width(h), gram::Block::new(part, height, width(h)));
    });
}

/// The kernel values of a group's rows with those of the groups beside it, one block for each.
fn panel(gram: &dyn Gram, groups: &Groups, g: usize, beside: &[usize], blocks: &mut [Vec<f64>]) {
    let (own, lists): (_, Vec<&Vec<usize>>) = (&groups.rows[g], beside.iter().map(|&h| &groups.rows[h]).collect());
    let first = lists.iter().filter_map(|l| l.first()).min().copied().unwrap_or(0);
    let end = lists.iter().filter_map(|l| l.last()).max().map_or(0, |l| l + 1);
    let mut bands: Vec<Vec<&mut [f64]>> = own.chunks(TILE.0).map(|_| Vec::new()).collect();
    for (block, list) in blocks.iter_mut().zip(&lists) {
        block.chunks_mut(TILE.0 * list.len()).zip(&mut bands).for_each(|(part, band)| band.push(part));
    }
    bands.par_iter_mut().zip(own.par_chunks(TILE.0)).for_each(|(band, rows)| {
        for start in (first..end).step_by(TILE.1) {
            let cols = start..end.min(start + TILE.1);
            with_scratch(rows.len() * cols.len(), |tile: &mut [f64]| {
                gram.fill_rows(rows, cols.clone(), gram::Block::new(tile, rows.len(), cols.len()));
                for (part, list) in band.iter_mut().zip(&lists) {
                    let (from, to) = (list.partition_point(|&r| r < cols.start), list.partition_point(|&r| r < cols.end));
                    for (out, values) in part.chunks_exact_mut(list.len()).zip(tile.chunks_exact(cols.len())) {
                        out[from..to].iter_mut().zip(&list[from..to]).for_each(|(o, &r)| *o = values[r - cols.start]);
                    }
                }
            });
        }
    });
}

/// K among the variables of a problem, from the blocks of its groups.
struct Pieces<'a> {
    /// The group of each variable, as a place in the list of the problem's groups, and its place in the group.
    of: Vec<(usize, usize)>,
    /// Variables that follow on each other in a group: the first of them, and how many.
    runs: Vec<(usize, usize)>,
    /// Blocks by two such groups.
    blocks: Vec<Vec<Piece<'a>>>,
}

/// The kernel values of the rows of one group with those of another.
#[derive(Clone, Copy)]
enum Piece<'a> {
    /// Row after row, of so many numbers each.
    Rows(&'a [f64], usize),
    /// Column after column.
    Columns(&'a [f64], usize),
}

impl<'a> Pieces<'a> {
    fn new(state: &ProblemState<'_>, list: &[usize], groups: &Groups, blocks: &'a BTreeMap<(usize, usize), Vec<f64>>) -> Self {
        let place = |&r: &usize| (list.iter().position(|&g| g == groups.at[r].0).unwrap_or(0), groups.at[r].1);
        let of: Vec<(usize, usize)> = state.problem.row.iter().map(place).collect();
        let follow = |a: &(usize, usize), b: &(usize, usize)| a.0 == b.0 && a.1 + 1 == b.1;
        let runs = of.chunk_by(follow).scan(0, |end, run| Some((std::mem::replace(end, *end + run.len()), run.len()))).collect();
        let piece = |a: usize, b: usize| match (blocks.get(&(a, b)), blocks.get(&(b, a))) {
            (Some(block), _) => Piece::Rows(block, groups.rows[b].len()),
            (None, Some(block)) => Piece::Columns(block, groups.rows[a].len()),
            (None, None) => Piece::Rows(&[], 0),
        };
        Pieces { of, runs, blocks: list.iter().map(|&a| list.iter().map(|&b| piece(a, b)).collect()).collect() }
    }
}

impl dense::Kernel for Pieces<'_> {
    fn write<T: Passes>(&self, k: usize, out: &mut [T]) {
        let (q, at) = self.of[k];
        for &(start, count) in &self.runs {
            let (other, first) = self.of[start];
            let out = &mut out[start..start + count];
            match self.blocks[q][other] {
                Piece::Rows(block, wide) => {
                    out.iter_mut().zip(&block[at * wide + first..]).for_each(|(o, v)| *o = T::from_f64(*v));
                }
                Piece::Columns(block, wide) => {
                    out.iter_mut().zip(block[first * wide + at..].iter().step_by(wide)).for_each(|(o, v)| *o = T::from_f64(*v));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::{Dense, Subset};
    use crate::linalg::Matrix;

    #[test]
    fn blocks_of_rows_laid_out_by_group_hold_the_values_of_the_rows_where_they_are() {
        let gram = Dense::square(Matrix::from_fn(150, 150, |i, k| ((i * k) as f64 * 0.7).sin())).unwrap();
        let rows = (0..3).map(|class| (0..150).filter(|i| i % 3 == class).collect()).collect();
        let groups = Groups::new(rows, vec![vec![0, 1, 2]]);
        let order = groups.rows.concat();
        let (mut some, mut others) = (vec![vec![0.0; 2500]; 3], vec![vec![1.0; 2500]; 3]);
        panel_of_gathered(&Subset::new(&gram, &order, &order), &groups, 2, &[0, 1, 2], &mut some);
        panel(&gram, &groups, 2, &[0, 1, 2], &mut others);
        assert_eq!(some, others);
    }
}
