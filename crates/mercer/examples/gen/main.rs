//! Writes what is made from the catalogue: two pages, and the types of the functions of `mercer.kernels`.
//!
//! `gen FOLDER` writes them below the folder of the repository; `gen FOLDER --check` fails if they are not as they would
//! be written.

mod pages;
mod stubs;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let folder = words.next().unwrap_or_else(|| ".".into());
    let check = words.next().as_deref() == Some("--check");
    let mut stale = false;
    for (name, page) in [
        ("docs/kernels.md", pages::kernels()),
        ("docs/estimators.md", pages::estimators()),
        ("crates/mercer-python/python/mercer/kernels.pyi", stubs::kernels()),
    ] {
        let path = Path::new(&folder).join(name);
        let now = std::fs::read_to_string(&path).unwrap_or_default();
        if now == page {
            continue;
        }
        stale = true;
        if check {
            eprintln!("{} is not what the catalogue says; run `make gen`", path.display());
        } else if let Err(e) = std::fs::write(&path, page) {
            eprintln!("{}: {e}", path.display());
            return ExitCode::FAILURE;
        }
    }
    if check && stale { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
