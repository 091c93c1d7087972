//! `mercer inspect`: what a model file holds, or what there is to choose from.

use crate::args::Inspect;
use crate::output::print;
use mercer::error::Result;
use mercer::{report, store};
use std::path::Path;

/// Whether a word is no file and no path, and so the name of a kernel or an estimator.
fn names_an_entry(word: &Path) -> bool {
    !word.exists() && word.components().count() == 1 && word.extension().is_none()
}

fn entry(name: &str, json: bool) -> Result<String> {
    if json { report::entry_json(name) } else { report::entry_text(name) }
}

pub(crate) fn inspect(args: &Inspect) -> Result<()> {
    let text = match (&args.model, args.json) {
        (Some(name), json) if names_an_entry(name) => entry(&name.to_string_lossy(), json)?,
        (Some(path), false) if args.verbose => report::model_text_in_full(&store::load(path)?),
        (Some(path), false) => report::model_text(&store::load(path)?),
        (Some(path), true) => report::model_json(&store::load(path)?)?,
        (None, false) => report::catalogue_text(),
        (None, true) => report::catalogue_json()?,
    };
    print(&format!("{text}\n"))
}
