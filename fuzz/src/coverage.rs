//! Which edges of the program inputs reach, where the compiler counts them: `-C passes=sancov-module` with
//! `-C llvm-args=-sanitizer-coverage-inline-8bit-counters` calls the function below once for each part of the program, also
//! with a stable compiler. Without those flags there are no counters, and inputs are changed blindly.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Parts of a program at most; what comes later is not counted.
const PARTS: usize = 4096;
static BEGINS: [AtomicUsize; PARTS] = [const { AtomicUsize::new(0) }; PARTS];
static LENGTHS: [AtomicUsize; PARTS] = [const { AtomicUsize::new(0) }; PARTS];
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Called before `main` with the counters of one part of the program.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_8bit_counters_init(begin: *mut u8, end: *mut u8) {
    let length = (end as usize).saturating_sub(begin as usize);
    let known = (0..COUNT.load(Ordering::Relaxed).min(PARTS)).any(|k| BEGINS[k].load(Ordering::Relaxed) == begin as usize);
    if length == 0 || known {
        return;
    }
    let place = COUNT.fetch_add(1, Ordering::Relaxed);
    if place < PARTS {
        BEGINS[place].store(begin as usize, Ordering::Relaxed);
        LENGTHS[place].store(length, Ordering::Relaxed);
    }
}

/// The edges reached so far, and how often: each bit stands for 1, 2, 3, 4-7, 8-15, 16-31, 32-127 or more times.
pub(crate) struct Coverage {
    seen: Vec<u8>,
}

impl Coverage {
    pub(crate) fn new() -> Self {
        Coverage { seen: vec![0; parts().map(|part| part.len()).sum()] }
    }

    /// Whether the last input reached something new; the counters start again.
    pub(crate) fn is_new(&mut self) -> bool {
        let mut new = false;
        let mut seen = self.seen.iter_mut();
        for part in parts() {
            for (counter, seen) in part.iter_mut().zip(&mut seen) {
                if *counter > 0 {
                    let bit = match std::mem::take(counter) {
                        n @ 1..=3 => 1 << (n - 1),
                        4..=7 => 8,
                        8..=15 => 16,
                        16..=31 => 32,
                        32..=127 => 64,
                        _ => 128,
                    };
                    new |= *seen & bit == 0;
                    *seen |= bit;
                }
            }
        }
        new
    }

    /// Edges that there are.
    pub(crate) fn edges(&self) -> usize {
        self.seen.len()
    }

    /// Edges that were reached.
    pub(crate) fn reached(&self) -> usize {
        self.seen.iter().filter(|s| **s > 0).count()
    }
}

fn parts() -> impl Iterator<Item = &'static mut [u8]> {
    (0..COUNT.load(Ordering::Relaxed).min(PARTS)).map(|k| {
        let (begin, length) = (BEGINS[k].load(Ordering::Relaxed), LENGTHS[k].load(Ordering::Relaxed));
        // SAFETY: the compiler gave these bytes for the whole run, and they are read between runs only, by one thread.
        unsafe { std::slice::from_raw_parts_mut(begin as *mut u8, length) }
    })
}
