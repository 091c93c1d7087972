//! A message with its place, printed as editors and reviewers expect: `path:line: text`.

use std::fmt;

/// Something said about one line of one file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Placed {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl Placed {
    pub(crate) fn new(path: &str, line: usize, text: impl Into<String>) -> Self {
        Placed { path: path.to_owned(), line, text: text.into() }
    }
}

impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.text)
    }
}
