//! Large pages for large arrays: a first touch then costs a page fault per 2 MB instead of one per 4 kB.

/// Arrays below this size are left alone.
const LEAST: usize = 4 << 20;

/// Asks the system to back an array that has not been touched yet by large pages, where it can; elsewhere does nothing.
pub fn prefer_large_pages<T>(array: &mut [T]) {
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
