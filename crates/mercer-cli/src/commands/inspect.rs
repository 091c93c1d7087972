//! `mercer inspect`: what a model file holds, or what there is to choose from.

use crate::args::Inspect;
use crate::output::print;
use mercer::error::Result;
use mercer::{report, store};

pub(crate) fn inspect(args: &Inspect) -> Result<()> {
    let text = match (&args.model, args.json) {
        (Some(path), false) if args.verbose => report::model_text_in_full(&store::load(path)?),
        (Some(path), false) => report::model_text(&store::load(path)?),
        (Some(path), true) => report::model_json(&store::load(path)?)?,
        (None, false) => report::catalogue_text(),
        (None, true) => report::catalogue_json()?,
    };
    print(&format!("{text}\n"))
}
