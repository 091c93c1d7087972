//! Where a table comes from: a file, standard input (`-`) or a built-in example (`example:iris`).

use super::examples;
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::fmt;
use std::io::Read;
use std::path::PathBuf;

/// Where a table comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// A built-in table, by name.
    Example(String),
}

impl Source {
    /// The source that a word of the command line means: `-`, `example:NAME` or a path.
    pub fn new(word: &str) -> Self {
        match word.strip_prefix("example:") {
            Some(name) => Source::Example(name.to_owned()),
            None if word == "-" => Source::Stdin,
            None => Source::File(word.into()),
        }
    }

    /// The delimiter that the name of the source promises, if it does.
    pub(super) fn delimiter(&self) -> Option<u8> {
        let Source::File(path) = self else { return None };
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        matches!(extension.as_str(), "tsv" | "tab").then_some(b'\t')
    }

    /// All of its bytes.
    pub(super) fn bytes(&self) -> Result<Cow<'static, [u8]>> {
        match self {
            Source::Stdin => {
                let mut bytes = Vec::new();
                std::io::stdin().lock().read_to_end(&mut bytes).map_err(|e| Error::io(self, e))?;
                Ok(Cow::Owned(bytes))
            }
            Source::File(path) => std::fs::read(path).map(Cow::Owned).map_err(|e| Error::io(self, e)),
            Source::Example(name) => Ok(match examples::example(name)?.csv() {
                Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                Cow::Owned(text) => Cow::Owned(text.into_bytes()),
            }),
        }
    }
}

/// The name that messages use.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Stdin => write!(f, "standard input"),
            Source::File(path) => write!(f, "{}", path.display()),
            Source::Example(name) => write!(f, "example:{name}"),
        }
    }
}
