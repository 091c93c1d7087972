//! An allocator that counts, so that an input that takes too much memory is seen.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Bytes that no input may take.
pub(crate) const BOUND: usize = 1 << 30;
/// Bytes that are not even tried: the thread stops where it is, and the watch writes the input down.
const HOPELESS: usize = 1 << 33;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static START: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
static STUCK: AtomicBool = AtomicBool::new(false);

/// Counts from here on.
pub(crate) fn begin() {
    let now = LIVE.load(Ordering::Relaxed);
    START.store(now, Ordering::Relaxed);
    MOST.store(now, Ordering::Relaxed);
}

/// The most bytes that were taken at once since [`begin`].
pub(crate) fn most() -> usize {
    MOST.load(Ordering::Relaxed).saturating_sub(START.load(Ordering::Relaxed))
}

/// Whether a thread asked for what cannot be had.
pub(crate) fn is_stuck() -> bool {
    STUCK.load(Ordering::Relaxed)
}

/// The allocator of the system, counted.
pub(crate) struct Counting;

fn count(size: usize) {
    if size > HOPELESS {
        STUCK.store(true, Ordering::Relaxed);
        loop {
            std::thread::park();
        }
    }
    let live = LIVE.fetch_add(size, Ordering::Relaxed) + size;
    MOST.fetch_max(live, Ordering::Relaxed);
}

/// Bytes that count: whole pages are the room of the matrix product, twice the last cache of the machine, of which it touches what it needs.
fn charged(layout: Layout, size: usize) -> usize {
    if layout.align() < 4096 { size } else { 0 }
}

// SAFETY: every call goes to the allocator of the system unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(charged(layout, layout.size()));
        // SAFETY: promised by the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(charged(layout, layout.size()));
        // SAFETY: promised by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(charged(layout, layout.size()), Ordering::Relaxed);
        // SAFETY: promised by the caller.
        unsafe { System.dealloc(memory, layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(charged(layout, size));
        LIVE.fetch_sub(charged(layout, layout.size()), Ordering::Relaxed);
        // SAFETY: promised by the caller.
        unsafe { System.realloc(memory, layout, size) }
    }
}
