//! Writes the report of made-up comparisons, to look at: `cargo run --example report_page -- FOLDER`.

#[path = "../tests/report/samples.rs"]
mod samples;

use mercer::error::{Error, Result};
use std::path::PathBuf;

fn main() -> Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    for (name, comparison) in [("classes", samples::classes()), ("regression", samples::regression()), ("confusion", samples::confusion())]
    {
        let write = |file: String, text: String| {
            let path = folder.join(file);
            std::fs::write(&path, text).map_err(|e| Error::io(path.display(), e))
        };
        write(format!("{name}.html"), comparison.html()?)?;
        write(format!("{name}.json"), comparison.json()?)?;
        for row in &comparison.entries {
            for (k, picture) in row.pictures.iter().enumerate() {
                write(format!("{name}-{}-{k}.svg", row.estimator), picture.file(row)?)?;
            }
        }
        println!("{}\n", comparison.text(100));
    }
    Ok(())
}
