//! Counts floating-point operations, for tests of what plans say that fits take. Without the feature `testkit` nothing is counted.

#[cfg(feature = "testkit")]
mod counters {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Mutex, PoisonError};

    /// One counter for each thread that has counted anything: threads that shared one would wait for each other.
    static ALL: Mutex<Vec<Arc<AtomicU64>>> = Mutex::new(Vec::new());

    thread_local! {
        static OWN: Arc<AtomicU64> = {
            let own = Arc::new(AtomicU64::new(0));
            ALL.lock().unwrap_or_else(PoisonError::into_inner).push(own.clone());
            own
        };
    }

    pub(super) fn add(operations: u64) {
        OWN.with(|own| own.store(own.load(Ordering::Relaxed) + operations, Ordering::Relaxed));
    }

    /// The operations counted by this process so far, by all threads.
    pub fn counted() -> u64 {
        ALL.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|one| one.load(Ordering::Relaxed)).sum()
    }
}

#[cfg(feature = "testkit")]
pub use counters::counted;

/// Adds to the operations counted by this process.
#[inline(always)]
pub fn count(operations: usize) {
    #[cfg(feature = "testkit")]
    counters::add(operations as u64);
    #[cfg(not(feature = "testkit"))]
    let _ = operations;
}
