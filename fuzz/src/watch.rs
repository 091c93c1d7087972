//! The input that runs now, watched by a thread of its own: one that takes too long, or more memory than there is, is
//! written down and ends the process.

use crate::memory;
use std::path::PathBuf;
use std::sync::{Mutex, Once};
use std::time::{Duration, Instant};

/// No input may take longer.
const LONGEST: Duration = Duration::from_secs(20);

struct Running {
    target: &'static str,
    input: Vec<u8>,
    since: Instant,
}

static NOW: Mutex<Option<Running>> = Mutex::new(None);
static WATCH: Once = Once::new();

/// An input begins.
pub(crate) fn begin(target: &'static str, input: &[u8]) {
    WATCH.call_once(|| _ = std::thread::spawn(watch));
    if let Ok(mut now) = NOW.lock() {
        *now = Some(Running { target, input: input.to_vec(), since: Instant::now() });
    }
}

/// It has ended.
pub(crate) fn end() {
    if let Ok(mut now) = NOW.lock() {
        *now = None;
    }
}

/// Writes an input down and says what it did.
pub(crate) fn keep(target: &str, input: &[u8], what: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("findings");
    let path = folder.join(format!("{target}-{:08x}", crc32fast::hash(input)));
    match std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, input)) {
        Ok(()) => format!("{target}: {what}: {}; make it a test", path.display()),
        Err(e) => format!("{target}: {what}, and the input could not be written ({e}): {:?}", String::from_utf8_lossy(input)),
    }
}

fn watch() {
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let Ok(now) = NOW.lock() else { continue };
        let Some(running) = now.as_ref() else { continue };
        let what = match () {
            () if memory::is_stuck() => "it asked for more memory than there is",
            () if running.since.elapsed() > LONGEST => "it took too long",
            () => continue,
        };
        eprintln!("{}", keep(running.target, &running.input, what));
        std::process::exit(1);
    }
}
