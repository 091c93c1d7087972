//! Truncated signatures of series, eight abreast: the iterated integrals of a path up to a depth (Chen, Iterated path integrals, 1977).
//!
//! A straight piece d takes S to S (x) exp(d). Level k of the product is a sum over the levels of S by Horner's rule, from level 0 upwards,
//! t <- (S_l + t) (x) d / (k - l), so that levels share what they begin with (Kidger & Lyons, Signatory, 2021).

use super::abreast::Eight;
use super::dense::DenseSeries;
use crate::control::Control;
use crate::error::Result;
use crate::kernels::sequences::parts::octet::{LANES, Octet, by_octets};
use rayon::prelude::*;

/// Numbers of a signature up to a depth, that of level 0 included; `None` for more than a number holds.
pub(crate) fn signature_size(channels: usize, depth: usize) -> Option<usize> {
    let mut terms = 1usize;
    (0..depth).try_fold(1usize, |sum, _| {
        terms = terms.checked_mul(channels)?;
        sum.checked_add(terms)
    })
}

/// The signature of each row, level after level: rows x [`signature_size`]. Series are increments.
///
/// # Errors
/// Bounds of `control`, which is asked for time between eight rows.
pub(crate) fn signatures(increments: &DenseSeries, depth: usize, control: &Control) -> Result<Vec<f64>> {
    let (channels, rows) = (increments.channels(), increments.len());
    let size = signature_size(channels, depth).unwrap_or(1);
    let mut all = vec![0.0; rows * size];
    all.par_chunks_mut(LANES * size).enumerate().try_for_each(|(block, out)| {
        control.check_time("signatures of series")?;
        let start = block * LANES;
        let lanes = out.len() / size;
        let longest = (start..start + lanes).map(|row| increments.length(row)).max().unwrap_or(0);
        // An increment of 0 behind the end changes nothing.
        let mut pieces = vec![[0.0; LANES]; longest * channels];
        for lane in 0..lanes {
            pieces.iter_mut().zip(increments.row(start + lane)).for_each(|(piece, x)| piece[lane] = *x);
        }
        let mut levels = vec![[0.0; LANES]; size];
        levels[0] = [1.0; LANES];
        let mut held = vec![[0.0; LANES]; 2 * size + depth * channels];
        signature(&pieces, channels, depth, &mut levels, &mut held);
        for (lane, row) in out.chunks_exact_mut(size).enumerate() {
            row.iter_mut().zip(&levels).for_each(|(to, term)| *to = term[lane]);
        }
        Ok(())
    })?;
    Ok(all)
}

/// # Safety
/// The processor has the instructions of the octet.
#[inline(always)]
unsafe fn signature_body<O: Octet>(pieces: &[Eight], channels: usize, depth: usize, levels: &mut [Eight], held: &mut [Eight]) {
    let size = levels.len();
    let (divided, terms) = held.split_at_mut(depth * channels);
    let (mut terms, mut next) = terms.split_at_mut(size);
    // Where each level begins.
    let mut starts = vec![0, 1];
    let mut count = channels;
    for _ in 0..depth {
        starts.push(starts[starts.len() - 1] + count);
        count *= channels;
    }
    // SAFETY: promised by the caller.
    unsafe {
        for piece in pieces.chunks_exact(channels.max(1)) {
            for (by, divided) in divided.chunks_exact_mut(channels).enumerate() {
                let share = O::splat(1.0 / (by + 1) as f64);
                divided.iter_mut().zip(piece).for_each(|(to, x)| O::load(x).mul(share).store(to));
            }
            let piece = |by: usize| (by - 1) * channels..by * channels;
            for level in (1..=depth).rev() {
                terms[..channels].copy_from_slice(&divided[piece(level)]);
                if level == 1 {
                    add::<O>(&mut levels[1..=channels], &terms[..channels]);
                    continue;
                }
                for lower in 1..level {
                    let factor = &divided[piece(level - lower)];
                    let own = starts[lower]..starts[lower + 1];
                    let width = own.len();
                    if lower + 1 < level {
                        times::<O, false>(&levels[own], &terms[..width], factor, &mut next[..width * channels]);
                        std::mem::swap(&mut terms, &mut next);
                    } else {
                        let (below, above) = levels.split_at_mut(own.end);
                        times::<O, true>(&below[own], &terms[..width], factor, &mut above[..width * channels]);
                    }
                }
            }
        }
    }
}

by_octets! { signature, signature_body, (pieces: &[Eight], channels: usize, depth: usize, levels: &mut [Eight], held: &mut [Eight]) }

/// out <- (a + b) (x) factor, added to what is there or in its place.
///
/// # Safety
/// The processor has the instructions of the octet.
#[inline(always)]
unsafe fn times<O: Octet, const ADDED: bool>(a: &[Eight], b: &[Eight], factor: &[Eight], out: &mut [Eight]) {
    // SAFETY: promised by the caller.
    unsafe {
        for ((a, b), out) in a.iter().zip(b).zip(out.chunks_exact_mut(factor.len())) {
            let sum = O::load(a).add(O::load(b));
            for (out, x) in out.iter_mut().zip(factor) {
                let product = if ADDED { sum.fused(O::load(x), O::load(out)) } else { sum.mul(O::load(x)) };
                product.store(out);
            }
        }
    }
}

/// out <- out + a.
///
/// # Safety
/// The processor has the instructions of the octet.
#[inline(always)]
unsafe fn add<O: Octet>(out: &mut [Eight], a: &[Eight]) {
    // SAFETY: promised by the caller.
    unsafe {
        for (out, a) in out.iter_mut().zip(a) {
            O::load(out).add(O::load(a)).store(out);
        }
    }
}
