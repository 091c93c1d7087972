//! The page `docs/gallery.md` and the figures in it: those of `mercer demo all`.

use crate::classes::sentence;
use mercer::control::Control;
use mercer::error::Result;
use mercer_demos::{DEMOS, Shown};
use std::fmt::Write;

/// Where the figures are, from the folder of the pages.
pub(crate) const FIGURES: &str = "figures/demos";

/// The page, and what its demonstrations show.
pub(crate) fn gallery() -> Result<(String, Vec<Shown>)> {
    let mut page = format!(
        "{}\n# Gallery\n\n`mercer demo NAME --out FOLDER` computes a figure anew, draws it and holds its numbers against what they have to be; `mercer demo all` does so for every one. Numbers of figures are those of Murphy, *Machine Learning: A Probabilistic Perspective*, chapter 14.\n",
        crate::pages::MADE
    );
    let mut all = Vec::new();
    for demo in DEMOS {
        let shown = demo.run(&Control::default())?;
        let _ = write!(page, "\n## {}\n\n{}\n", demo.title(), sentence(demo.about));
        for (name, _) in &shown.figures {
            let _ = write!(page, "\n![{}]({FIGURES}/{name})\n", demo.about);
        }
        all.push(shown);
    }
    Ok((page, all))
}
