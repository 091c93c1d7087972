//! Memory and the system: large pages for large arrays, whose first touch then costs a page fault per 2 MB instead of one per
//! 4 kB, and freed memory that goes back.

/// Asks the system to back an array that has not been touched yet by large pages, where it can; elsewhere does nothing.
pub fn prefer_large_pages<T>(array: &mut [T]) {
    // Arrays below this size are left alone.
    const LEAST: usize = 4 << 20;
    let bytes = std::mem::size_of_val(array);
    if bytes < LEAST {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let start = (array.as_mut_ptr() as usize).next_multiple_of(PAGE);
        let end = (array.as_mut_ptr() as usize + bytes) / PAGE * PAGE;
        // SAFETY: whole pages inside of the array; the advice changes how they are backed, not what they hold. A refusal is
        // no fault: the pages stay small.
        unsafe {
            libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
        }
    }
}

/// Gives memory that was freed but is still held back to the system, where the allocator can; elsewhere does nothing.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: touches only memory that is not in use.
    unsafe {
        libc::malloc_trim(0);
    }
}
