//! Standard output that may be closed by the reader at any time, and notices on standard error.

use mercer::error::{Error, Result};
use std::io::{ErrorKind, Write};

/// Writes text to standard output; a reader that has gone away (`| head`) is no error.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Error::io("standard output", e)),
        _ => Ok(()),
    }
}

/// Says each notice once on standard error.
pub(crate) fn notices<S: AsRef<str>>(list: &[S]) {
    for (i, notice) in list.iter().enumerate() {
        if list[..i].iter().all(|earlier| earlier.as_ref() != notice.as_ref()) {
            eprintln!("note: {}", notice.as_ref());
        }
    }
}
