//! The textbook's figures, made again: each demonstration computes its figure, draws it and holds its numbers against what they have to
//! be (Murphy 2012, chapter 14).

mod activations;
mod basis;
mod components;
mod digits;
mod functions;
mod handwriting;
mod kept;
mod losses;
mod made;
mod margins;
mod overlap;
mod penalties;
mod pyramid;
mod smoothing;
mod svm_path;
mod votes;
mod xor;

use mercer::control::Control;
use mercer::error::{Error, Result};
use mercer::store::write_atomically;
use std::path::{Path, PathBuf};

/// A number of a demonstration, and what it has to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What was computed.
    pub what: String,
    /// What came out.
    pub found: String,
    /// What it has to be.
    pub expected: String,
    /// Whether it is.
    pub holds: bool,
}

/// What a demonstration shows.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Its numbers.
    pub findings: Vec<Finding>,
    /// Its figures: names of files and their SVG.
    pub figures: Vec<(String, String)>,
}

impl Shown {
    fn number(&mut self, what: impl Into<String>, found: f64, expected: impl Into<String>, holds: bool) {
        self.finding(what, format!("{}", (found * 1e4).round() / 1e4), expected, holds);
    }

    fn finding(&mut self, what: impl Into<String>, found: impl Into<String>, expected: impl Into<String>, holds: bool) {
        self.findings.push(Finding { what: what.into(), found: found.into(), expected: expected.into(), holds });
    }

    /// Whether every number is what it has to be.
    pub fn holds(&self) -> bool {
        self.findings.iter().all(|f| f.holds)
    }

    /// Writes the figures into a folder, which is made where there is none; their paths.
    ///
    /// # Errors
    /// A folder that cannot be made, or not written to.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder.display(), e))?;
        let one = |(name, svg): &(String, String)| {
            let path = folder.join(name);
            write_atomically(&path, on_paper(svg).as_bytes()).map(|()| path)
        };
        self.figures.iter().map(one).collect()
    }
}

/// A figure with its own background: on a page it has the background of the page, as a file it is shown on any colour.
fn on_paper(svg: &str) -> String {
    let root = svg.find("<svg").and_then(|start| svg[start..].find('>').map(|end| start + end + 1)).unwrap_or(0);
    format!("{}<rect width=\"100%\" height=\"100%\" fill=\"#FDFDFC\"/>{}", &svg[..root], &svg[root..])
}

/// A demonstration.
#[derive(Clone, Copy, Debug)]
pub struct Demo {
    /// Its name.
    pub name: &'static str,
    /// The figures of the textbook; none where it is of no book.
    pub figures: &'static [&'static str],
    /// What it shows.
    pub about: &'static str,
    run: fn(&Control) -> Result<Shown>,
}

impl Demo {
    /// The demonstration of a name, or of a figure such as 14.13.
    ///
    /// # Errors
    /// A name that there is not.
    pub fn named(name: &str) -> Result<Demo> {
        let found = DEMOS.iter().find(|d| d.name == name || d.figures.contains(&name)).copied();
        found.ok_or_else(|| Error::unknown_here("demonstration", name, DEMOS.iter().map(|d| d.name), &[]))
    }

    /// Its name and its figures.
    pub fn title(&self) -> String {
        match self.figures {
            [] => self.name.to_owned(),
            figures => format!("{} (Fig {})", self.name, figures.join(", ")),
        }
    }

    /// Computes and draws it.
    ///
    /// # Errors
    /// Those of the fits; on request of `control`.
    pub fn run(&self, control: &Control) -> Result<Shown> {
        (self.run)(control)
    }
}

/// Every demonstration, in the order of the figures.
pub const DEMOS: &[Demo] = &[
    functions::LIFT,
    functions::FUNCTIONS,
    pyramid::DEMO,
    xor::DEMO,
    basis::DEMO,
    kept::CLASSES,
    kept::NUMBERS,
    components::CONTOURS,
    components::SCORES,
    components::OIL,
    digits::DEMO,
    handwriting::DEMO,
    losses::DEMO,
    margins::WIDEST,
    margins::SOFT,
    overlap::DEMO,
    votes::DEMO,
    penalties::DEMO,
    svm_path::DEMO,
    smoothing::KERNELS,
    smoothing::PARZEN,
    smoothing::REGRESSION,
    activations::DEMO,
];
