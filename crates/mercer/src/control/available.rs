//! How much memory can be had: what the system has free, and what the limits of the process and of its control group leave.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Bytes that can be had now; 4 GB where the system does not say.
pub(super) fn available_memory() -> u64 {
    // Bytes where nothing is known.
    const UNKNOWN: u64 = 4_000_000_000;
    // How long a reading holds. Asking the system takes as long as a fit to a few hundred rows; in this time little is taken.
    const HOLDS: Duration = Duration::from_millis(20);
    static LAST: Mutex<Option<(Instant, u64)>> = Mutex::new(None);
    let read = || {
        let free = number_after("/proc/meminfo", "MemAvailable:").map(|kb| kb * 1024);
        free.unwrap_or(UNKNOWN).min(hard_limit())
    };
    // Nobody waits here: a process that was forked while the lock was held would wait for ever.
    let Ok(mut last) = LAST.try_lock() else { return read() };
    if let Some((at, bytes)) = *last
        && at.elapsed() < HOLDS
    {
        return bytes;
    }
    let bytes = read();
    *last = Some((Instant::now(), bytes));
    bytes
}

/// Bytes after which the system refuses more or ends the process; the greatest number there is where it does neither.
pub(super) fn hard_limit() -> u64 {
    [address_space_left(), group_left()].into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// Bytes that this process holds in memory now, 0 where the system does not say. Pages of files, above all the code of the
/// program, do not count: the system may drop them, and how many of them are there is its own affair.
pub(super) fn resident() -> u64 {
    number_after("/proc/self/status", "RssAnon:").map_or(0, |kb| kb * 1024)
}

/// The first number after a word that begins a line of a system file.
fn number_after(file: impl AsRef<Path>, word: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    text.lines().find_map(|l| l.strip_prefix(word))?.split_whitespace().next()?.parse().ok()
}

/// Bytes of the third-level cache.
fn last_cache() -> u64 {
    // The last cache where the system does not say how large it is.
    const CACHE: u64 = 33_000_000;
    let text = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index3/size").unwrap_or_default();
    text.trim().strip_suffix('K').and_then(|kb| kb.parse::<u64>().ok()).map_or(CACHE, |kb| kb * 1024)
}

/// What `ulimit -v` leaves; `None` without a limit.
fn address_space_left() -> Option<u64> {
    // Address space that each thread reserves beside what is planned: an arena of the allocator and a stack; and work space of
    // matrix products, twice the last cache. Little of it is ever touched, but `ulimit -v` counts it.
    const PER_THREAD: u64 = 67_200_000 + super::STACK as u64;
    // Address space that a program reserves besides: its code and first heap, an arena of the thread that waits for signals, and
    // what the allocator maps for a moment to align an arena (it asks for two and gives one back).
    const PROGRAM: u64 = 80_000_000 + 2 * 67_200_000;
    let limit = number_after("/proc/self/limits", "Max address space")?;
    // Outside of a pool its threads may not be there yet, and asking would start them.
    let threads = match rayon::current_thread_index() {
        Some(_) => rayon::current_num_threads(),
        None => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
    };
    let reserved = (PROGRAM + threads as u64 * (PER_THREAD + 2 * last_cache())).max(number_after("/proc/self/status", "VmSize:")? * 1024);
    Some(limit.saturating_sub(reserved))
}

/// What the control group leaves, as containers have one; files that the system may drop again do not count as used.
fn group_left() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().filter_map(|line| left_in(Path::new("/sys/fs/cgroup"), line)).min()
}

/// What one line of `/proc/self/cgroup`, `number:controllers:path`, leaves: files of version 2, else of version 1.
fn left_in(root: &Path, line: &str) -> Option<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
    let (root, limit, used, idle) = if controllers.is_empty() {
        (root.to_owned(), "memory.max", "memory.current", "inactive_file ")
    } else if controllers.split(',').any(|c| c == "memory") {
        (root.join("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ")
    } else {
        return None;
    };
    // Inside of a container the group's own folder is the root.
    let folder = Some(root.join(path)).filter(|f| f.join(limit).exists()).unwrap_or(root);
    let number = |file: &str| std::fs::read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok();
    let idle = number_after(folder.join("memory.stat"), idle).unwrap_or(0);
    Some(number(limit)?.saturating_sub(number(used)?.saturating_sub(idle)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_group_leaves_its_limit_less_what_is_used_and_cannot_be_dropped() {
        let root = tempfile::TempDir::new().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("box/memory.max", "1000\n");
        write("box/memory.current", "700\n");
        write("box/memory.stat", "anon 300\ninactive_file 250\n");
        assert_eq!(left_in(root.path(), "0::/box"), Some(550));
        write("box/memory.max", "max\n");
        assert_eq!(left_in(root.path(), "0::/box"), None, "no limit");
        write("memory/a/memory.limit_in_bytes", "500\n");
        write("memory/a/memory.usage_in_bytes", "600\n");
        assert_eq!(left_in(root.path(), "4:memory:/a"), Some(0));
        assert_eq!(left_in(root.path(), "3:cpuset:/a"), None);
        assert_eq!(left_in(root.path(), "nonsense"), None);
    }

    #[test]
    fn some_memory_is_available_here() {
        assert!(available_memory() > 1_000_000);
    }
}
