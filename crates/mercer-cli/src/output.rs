//! Standard output that may be closed by the reader at any time, and notices on standard error.

use mercer::error::{Error, Result, in_words};
use mercer::report::{Row, save_figures};
use mercer::store::destination;
use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Writes text to standard output; a reader that has gone away (`| head`) is no error.
pub(crate) fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

/// Writes bytes to standard output; a reader that has gone away is no error.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Error::io("standard output", e)),
        _ => Ok(()),
    }
}

/// Refuses, before hours of work, a file that could not be written at their end, or that the work reads.
pub(crate) fn check_writable(path: &Path, read: &[&Path]) -> Result<()> {
    let refuse = |kind, why: String| Err(Error::io(path.display(), std::io::Error::new(kind, why)));
    // Devices and pipes are written to when there is something to write.
    let Some(path) = &destination(path) else { return Ok(()) };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return refuse(ErrorKind::NotFound, format!("cannot be written: there is no folder {}; make it first", folder.display()));
    }
    if path.is_dir() {
        return refuse(ErrorKind::IsADirectory, "cannot be written: it is a folder; name a file".into());
    }
    check_can_write_into(folder, path)?;
    let same = |other: &&Path| matches!((path.canonicalize(), other.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if read.iter().any(same) {
        return refuse(ErrorKind::AlreadyExists, "cannot be written: it is a file that is to be read; name another".into());
    }
    Ok(())
}

/// Refuses, before hours of work, a folder that could not be made at their end.
pub(crate) fn check_folder(folder: &Path) -> Result<()> {
    let refuse = |kind, why: &str| Err(Error::io(folder.display(), std::io::Error::new(kind, why)));
    let there = folder.ancestors().find(|f| !f.as_os_str().is_empty() && f.exists()).unwrap_or(Path::new("."));
    if !there.is_dir() {
        return refuse(ErrorKind::NotADirectory, "no folder can be made here: a file is in the way; name another");
    }
    check_can_write_into(there, folder)
}

/// Whether a file can be made in a folder, found out by making one; `wanted` is what is to be made there.
fn check_can_write_into(folder: &Path, wanted: &Path) -> Result<()> {
    let probe = folder.join(format!(".mercer-{}.part", std::process::id()));
    let refuse = |e: std::io::Error| {
        let why = match e.kind() {
            // The folder is there: such a system of files takes none.
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::NotFound => "name another place".to_owned(),
            _ => in_words(&e),
        };
        let why = format!("cannot be made: nothing can be written into {}; {why}", folder.display());
        Error::io(wanted.display(), std::io::Error::new(e.kind(), why))
    };
    match std::fs::OpenOptions::new().write(true).create_new(true).open(&probe) {
        Ok(_) => std::fs::remove_file(&probe).map_err(refuse),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(refuse(e)),
    }
}

/// Columns of a line on standard output: those of `COLUMNS`, or of the terminal.
pub(crate) fn width() -> usize {
    // Columns of a line where there is no terminal.
    const WIDTH: usize = 100;
    // Columns that a line has at least, whatever the terminal.
    const NARROWEST: usize = 40;
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    asked.or_else(terminal).filter(|columns| *columns > 0).unwrap_or(WIDTH).max(NARROWEST)
}

/// Writes every figure of some fits into a folder and says where.
pub(crate) fn write_figures(folder: &Path, rows: &[Row]) -> Result<()> {
    let count = save_figures(folder, rows)?;
    print(&format!("written: {count} figures in {}\n", folder.display()))
}

/// Says each notice once on standard error.
pub(crate) fn notices<N: PartialEq + Display>(list: &[N]) {
    for (i, notice) in list.iter().enumerate() {
        if !list[..i].contains(notice) {
            eprintln!("note: {notice}");
        }
    }
}
