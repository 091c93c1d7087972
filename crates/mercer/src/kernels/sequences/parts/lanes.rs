//! Runs of equal letters of one string and many others at once: the strings of a block lie abreast, one lane each.

use super::letters::{Code, Codes, Encoded};
use crate::gram::{Level, dispatch, level};

/// Strings abreast: the bytes of one register of 512 bits.
pub(crate) const ABREAST: usize = 64;

dispatch! {
    /// Adds to `counts[l - 1]` of each lane how often a run of at least l equal letters ends, for l up to the number of counts, `x[p]` being
    /// compared with the letters of the block at p + lag.
    count_runs, count_runs_body, <C: Code>, (x: &[C], block: &[C], lag: isize, counts: &mut [[u32; ABREAST]]) -> (),
    operations: x.len() * ABREAST * (2 + counts.len()) / 16
}

#[inline(always)]
fn count_runs_body<C: Code, const FMA: bool>(x: &[C], block: &[C], lag: isize, counts: &mut [[u32; ABREAST]]) {
    // Steps after which counts of a byte are added up.
    const STEPS: usize = 255;
    let positions = (block.len() / ABREAST) as isize;
    let (from, to) = ((-lag).max(0), (x.len() as isize).min(positions - lag));
    let mut run = [0u8; ABREAST];
    let mut ends = vec![[0u8; ABREAST]; counts.len()];
    let longest = counts.len() as u8;
    let mut steps = 0;
    for p in from..to {
        let letters: &[C] = &block[(p + lag) as usize * ABREAST..][..ABREAST];
        let letter = if x[p as usize].is_letter() { x[p as usize] } else { C::NOTHING };
        for (r, z) in run.iter_mut().zip(letters) {
            *r = if *z == letter { (*r + 1).min(longest) } else { 0 };
        }
        for (least, end) in (1..=u8::MAX).zip(ends.iter_mut()) {
            for (e, r) in end.iter_mut().zip(&run) {
                *e += u8::from(*r >= least);
            }
        }
        steps += 1;
        if steps == STEPS || p + 1 == to {
            for (count, end) in counts.iter_mut().zip(ends.iter_mut()) {
                for (c, e) in count.iter_mut().zip(end.iter_mut()) {
                    *c += u32::from(std::mem::take(e));
                }
            }
            steps = 0;
        }
    }
}

/// The strings of a batch in blocks, the letters of a block position by position; shorter strings end in what matches nothing.
pub(crate) struct Blocks {
    letters: Codes,
    /// Where the letters of each block begin, and the end of the last.
    starts: Vec<usize>,
}

impl Blocks {
    pub(crate) fn new(strings: &Encoded) -> Self {
        fn laid<C: Code>(strings: &Encoded, codes: &[C]) -> (Vec<C>, Vec<usize>) {
            let (mut letters, mut starts) = (Vec::new(), vec![0]);
            for first in (0..strings.len()).step_by(ABREAST) {
                let rows = first..strings.len().min(first + ABREAST);
                let longest = rows.clone().map(|i| strings.length(i)).max().unwrap_or(0);
                let begin = letters.len();
                letters.resize(begin + longest * ABREAST, C::SPLIT);
                for (lane, i) in rows.enumerate() {
                    for (p, code) in codes[strings.range(i)].iter().enumerate() {
                        letters[begin + p * ABREAST + lane] = *code;
                    }
                }
                starts.push(letters.len());
            }
            (letters, starts)
        }
        match strings.codes() {
            Codes::Narrow(codes) => {
                let (letters, starts) = laid(strings, codes);
                Blocks { letters: Codes::Narrow(letters), starts }
            }
            Codes::Wide(codes) => {
                let (letters, starts) = laid(strings, codes);
                Blocks { letters: Codes::Wide(letters), starts }
            }
        }
    }

    /// [`count_runs`] of string i against a block. Codes of both have the same width, as one was encoded for the other.
    pub(crate) fn count(&self, strings: &Encoded, i: usize, block: usize, lag: isize, counts: &mut [[u32; ABREAST]]) {
        let own = self.starts[block]..self.starts[block + 1];
        match (strings.codes(), &self.letters) {
            (Codes::Narrow(x), Codes::Narrow(z)) => count_runs(&x[strings.range(i)], &z[own], lag, counts),
            (Codes::Wide(x), Codes::Wide(z)) => count_runs(&x[strings.range(i)], &z[own], lag, counts),
            _ => {}
        }
    }
}
