//! Generates the files that repeat the catalogue: the pages of docs, the Python classes in the form of scikit-learn, the type stubs,
//! the figure of README.md and the gallery.
//!
//! `mercer-gen FOLDER` writes them below the folder of the repository; `mercer-gen FOLDER --check` fails where a file differs from
//! what it would write.

mod classes;
mod figures;
mod gallery;
mod pages;
mod python;
mod spellings;
mod stubs;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    const PYTHON: &str = "crates/mercer-python/python/mercer";
    let mut words = std::env::args().skip(1);
    let folder = words.next().unwrap_or_else(|| ".".into());
    let check = words.next().as_deref() == Some("--check");
    let all = classes::classes().and_then(|classes| Ok((python::module(&classes)?, classes, figures::iris()?, gallery::gallery()?)));
    let (module, classes, iris, (gallery, demonstrations)) = match all {
        Ok(all) => all,
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::FAILURE;
        }
    };
    let mut stale = false;
    for (name, page) in [
        ("docs/kernels.md".to_owned(), pages::kernels()),
        ("docs/estimators.md".to_owned(), pages::estimators()),
        ("docs/limits.md".to_owned(), pages::limits()),
        (format!("{PYTHON}/scikit/_classes.py"), module),
        (format!("{PYTHON}/scikit/_texts.py"), python::texts(&classes)),
        (format!("{PYTHON}/scikit/_names.py"), python::names(&classes)),
        (format!("{PYTHON}/kernels.pyi"), stubs::kernels()),
        (format!("{PYTHON}/__init__.pyi"), stubs::mercer(&classes::exported(&classes))),
        (format!("{PYTHON}/scikit/__init__.pyi"), stubs::scikit(&classes::exported(&classes))),
        ("docs/figures/iris.svg".to_owned(), iris),
        ("docs/gallery.md".to_owned(), gallery),
    ] {
        let path = Path::new(&folder).join(name);
        let now = std::fs::read_to_string(&path).unwrap_or_default();
        if now == page {
            continue;
        }
        stale = true;
        if check {
            eprintln!("{} differs from what the catalogue says; run `make gen`", path.display());
        } else if let Err(e) = std::fs::write(&path, page) {
            eprintln!("{}: {e}", path.display());
            return ExitCode::FAILURE;
        }
    }
    // Numbers of demonstrations may differ in their last digits from machine to machine, and places in pictures with them.
    let pictures = Path::new(&folder).join("docs").join(gallery::FIGURES);
    for shown in demonstrations {
        if !check && let Err(e) = shown.write(&pictures) {
            eprintln!("{e}");
            return ExitCode::FAILURE;
        }
        for (name, _) in shown.figures.iter().filter(|(name, _)| !pictures.join(name).exists()) {
            stale = true;
            eprintln!("{} is not there; run `make gen`", pictures.join(name).display());
        }
    }
    if check && stale { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
