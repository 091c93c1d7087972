//! Where a table comes from: a file or folder, several files, standard input (`-`) or a built-in example (`example:iris`).

use super::examples;
use super::unpack::{read_at_most, too_large};
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

/// Where a table comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file, or a folder of texts.
    File(PathBuf),
    /// Several files with tables, which are joined; each is a class where no target is named.
    Files(Vec<PathBuf>),
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

    /// The source that the words of the command line mean: one as [`Source::new`] takes it, or paths.
    pub fn of_words<S: AsRef<str>>(words: &[S]) -> Self {
        match words {
            [one] => Source::new(one.as_ref()),
            several => Source::Files(several.iter().map(|word| word.as_ref().into()).collect()),
        }
    }

    /// The name of the file, if it is one.
    pub(super) fn name(&self) -> Option<&str> {
        let Source::File(path) = self else { return None };
        path.file_name()?.to_str()
    }

    /// The folder, if it is one.
    pub(super) fn folder(&self) -> Option<&std::path::Path> {
        match self {
            Source::File(path) if path.is_dir() => Some(path),
            _ => None,
        }
    }

    /// The target that a built-in table has.
    pub(super) fn target(&self) -> Result<Option<&'static str>> {
        match self {
            Source::Example(name) => Ok(Some(examples::example(name)?.target)),
            Source::Stdin | Source::File(_) | Source::Files(_) => Ok(None),
        }
    }

    /// All of its bytes, if they are no more than `most`.
    pub(super) fn bytes(&self, most: u64) -> Result<Cow<'static, [u8]>> {
        let whole = |read: std::io::Result<Vec<u8>>| {
            let bytes = read.map_err(|e| Error::io(self, e))?;
            if bytes.len() as u64 > most {
                return Err(too_large(&format!("reading {self}"), bytes.len() as u64, most));
            }
            Ok(Cow::Owned(bytes))
        };
        match self {
            Source::Stdin => whole(read_at_most(std::io::stdin().lock(), most)),
            Source::File(path) => {
                let file = std::fs::File::open(path).map_err(|e| Error::io(self, e))?;
                let size = file.metadata().map_or(0, |m| m.len());
                if size > most {
                    return Err(too_large(&format!("reading {self}"), size, most));
                }
                whole(read_at_most(file, most))
            }
            Source::Files(_) => Err(Error::Table { file: self.to_string(), why: "there are several files; name one".into() }),
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
        // Files that messages name.
        const NAMED: usize = 3;
        match self {
            Source::Stdin => write!(f, "standard input"),
            Source::File(path) => write!(f, "{}", path.display()),
            Source::Files(paths) => {
                let named: Vec<String> = paths.iter().take(NAMED).map(|path| path.display().to_string()).collect();
                write!(f, "{}", named.join(", "))?;
                if paths.len() > NAMED { write!(f, " and {} more", paths.len() - NAMED) } else { Ok(()) }
            }
            Source::Example(name) => write!(f, "example:{name}"),
        }
    }
}
