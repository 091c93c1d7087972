//! Parts of a Gram matrix as solvers ask for them.

use mercer::error::Result;
use mercer::gram::{Block, Gram};
use rayon::prelude::*;
use std::cell::RefCell;
use std::time::Instant;

/// Rows that one thread takes together.
const BAND: usize = 240;

thread_local! {
    static KEPT: RefCell<(Vec<f64>, Vec<f32>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// The lower triangle in f64; the sums of its rows.
pub(crate) fn lower(gram: &dyn Gram) -> Result<(f64, Vec<f64>)> {
    let n = gram.shape().0;
    KEPT.with_borrow_mut(|(kept, _)| {
        kept.resize(n * n, 0.0);
        let clock = Instant::now();
        kept.par_chunks_mut(BAND * n).enumerate().for_each(|(k, band)| {
            let rows = k * BAND..k * BAND + band.len() / n;
            let mut band = Block::new(band, rows.len(), n);
            for start in (0..rows.end).step_by(BAND) {
                let cols = start..(start + BAND).min(rows.end);
                gram.fill(rows.clone(), cols.clone(), band.part(0..rows.len(), cols));
            }
        });
        let seconds = clock.elapsed().as_secs_f64();
        Ok((seconds, kept.chunks_exact(n).enumerate().map(|(i, row)| row[..=i].iter().sum()).collect()))
    })
}

/// The whole matrix in f32; the sums of its rows.
pub(crate) fn single(gram: &dyn Gram) -> Result<(f64, Vec<f64>)> {
    let n = gram.shape().0;
    let all: Vec<usize> = (0..n).collect();
    KEPT.with_borrow_mut(|(_, kept)| {
        kept.resize(n * n, 0.0);
        let clock = Instant::now();
        Block::new(kept, n, n)
            .into_tiles(BAND, 2 * BAND)
            .into_par_iter()
            .for_each(|(rows, cols, out)| gram.fill_f32(&all[rows], cols, out));
        let seconds = clock.elapsed().as_secs_f64();
        Ok((seconds, kept.chunks_exact(n).map(|row| row.iter().map(|v| f64::from(*v)).sum()).collect()))
    })
}

/// `count` rows, evenly chosen, each as long as the matrix; their sums.
pub(crate) fn rows(gram: &dyn Gram, count: usize) -> Result<(f64, Vec<f64>)> {
    let n = gram.shape().0;
    let chosen: Vec<usize> = (0..count).map(|k| k * n / count).collect();
    let clock = Instant::now();
    let sums = chosen
        .par_chunks(20)
        .flat_map_iter(|some| {
            let mut out = vec![0.0; some.len() * n];
            gram.fill_rows(some, 0..n, Block::new(&mut out, some.len(), n));
            out.chunks_exact(n).map(|row| row.iter().sum::<f64>()).collect::<Vec<_>>()
        })
        .collect();
    Ok((clock.elapsed().as_secs_f64(), sums))
}
