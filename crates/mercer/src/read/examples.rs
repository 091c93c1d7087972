//! Built-in tables, `example:NAME`: Fisher's iris and four that are made from a fixed seed.
//!
//! A made table has the same bytes everywhere: its random numbers come from xoshiro256++ (Blackman and Vigna 2021)
//! by the formulas below, and its cells have a fixed number of decimals.

mod draw;
mod made;

use crate::error::{Error, Result};
use std::borrow::Cow;

/// A built-in table.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Its name after `example:`.
    pub name: &'static str,
    /// Its target column.
    pub target: &'static str,
    /// One sentence for lists.
    pub about: &'static str,
    text: Text,
}

#[derive(Clone, Copy, Debug)]
enum Text {
    Kept(&'static str),
    Made(fn() -> String),
}

impl Example {
    /// The table as CSV, header first.
    pub fn csv(&self) -> Cow<'static, str> {
        match self.text {
            Text::Kept(text) => Cow::Borrowed(text),
            Text::Made(make) => Cow::Owned(make()),
        }
    }
}

/// Every built-in table.
pub const EXAMPLES: &[Example] = &[
    Example {
        name: "iris",
        target: "species",
        about: "150 irises of 3 species by 4 lengths (Fisher 1936)",
        text: Text::Kept(include_str!("../../fixtures/iris.csv")),
    },
    Example {
        name: "sinc",
        target: "y",
        about: "200 points of y = sin(x)/x with noise of standard deviation 0.1, x in -10..10",
        text: Text::Made(made::sinc),
    },
    Example {
        name: "xor",
        target: "label",
        about: "200 points around the corners of a square, opposite corners alike: no straight line parts them",
        text: Text::Made(made::xor),
    },
    Example {
        name: "blobs",
        target: "label",
        about: "300 points of two overlapping classes, two round clouds each; the best rule errs 10.8% of the time",
        text: Text::Made(made::blobs),
    },
    Example {
        name: "mixed",
        target: "label",
        about: "320 samples: two numbers, a DNA sequence, a note; one alone gives at most 75%, all at least 90%",
        text: Text::Made(made::mixed),
    },
];

/// The built-in table of that name.
///
/// # Errors
/// An unknown name, with all there are.
pub fn example(name: &str) -> Result<&'static Example> {
    EXAMPLES.iter().find(|e| e.name == name).ok_or_else(|| Error::unknown("example", name, EXAMPLES.iter().map(|e| e.name)))
}

#[cfg(test)]
mod tests;
