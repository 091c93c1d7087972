//! The one error type of the library.
//!
//! A variant is named for what the user must fix and holds values, not sentences; the sentence is
//! made in one place, here. Not converging is no error: it is a field of a summary.

/// The result of everything in Mercer that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, as values.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An expression could not be read; `at` is the character (from 0) where reading stopped.
    #[error("{expected}\n  {text}\n  {caret:>width$}", caret = "^", width = at + 1)]
    Syntax {
        /// The whole expression.
        text: String,
        /// Character position of the fault, from 0.
        at: usize,
        /// What was expected there.
        expected: String,
    },
    /// A name that no list has.
    #[error("unknown {what} '{name}'{hint}; there {are}",
        hint = hint(name, known, *meant),
        are = match known.len() { 0 => "are none".into(), 1 => format!("is: {}", known[0]), _ => format!("are: {}", known.join(", ")) })]
    Unknown {
        /// What was looked up: `kernel`, `column`, `parameter of rbf`, ...
        what: String,
        /// The name found.
        name: String,
        /// Every name there is.
        known: Vec<String>,
        /// What other books and libraries call by the name found, as it is called here.
        meant: Option<&'static str>,
    },
    /// A parameter outside its domain.
    #[error("{owner}: {name}={value} is outside its domain: it must be {domain}")]
    OutOfDomain {
        /// The kernel, estimator or option that the parameter belongs to.
        owner: String,
        /// The parameter.
        name: String,
        /// The value found, as text.
        value: String,
        /// The domain in words.
        domain: String,
    },
    /// A parameter that is still `auto` or a range where a number is needed.
    #[error("{owner}: {name} is {value}, not yet a number; fit first or give a number")]
    Unsettled {
        /// The kernel or estimator.
        owner: String,
        /// The parameter.
        name: String,
        /// The value found, as text.
        value: String,
    },
    /// An option that is missing, or that asks for what there is not.
    #[error("{name}: {why}")]
    Setting {
        /// The option.
        name: String,
        /// What is wrong and what to change.
        why: String,
    },
    /// A kernel that is not positive semi-definite given to an estimator that needs one that is.
    #[error(
        "{estimator} needs a Mercer kernel and {kernel} is not one: {why}; use a Mercer kernel, repair this one on the training rows (clip({kernel})), use an estimator that takes any similarity ({others}), or allow it by allow_non_mercer (--allow-non-mercer)"
    )]
    NotMercer {
        /// The estimator that refuses.
        estimator: String,
        /// The kernel expression.
        kernel: String,
        /// Why it is not Mercer.
        why: String,
        /// Estimators that take it.
        others: String,
    },
    /// A similarity of which k(x, z) is not k(z, x), where that is asked for.
    #[error(
        "{who} needs a symmetric similarity, and {kernel} is not symmetric here: {why}; give the mean of K and its transpose, if that is what is meant, or use an estimator that takes any similarity ({others})"
    )]
    NotSymmetric {
        /// The estimator, or the part of the kernel, that refuses.
        who: String,
        /// The kernel expression.
        kernel: String,
        /// Two values that show it.
        why: String,
        /// Estimators that take it.
        others: String,
    },
    /// A kernel pointed at columns of a kind that it cannot take.
    #[error("{kernel} takes {needs}, but column '{column}' holds {found}; {fix}")]
    WrongKind {
        /// The kernel's name.
        kernel: String,
        /// The column's name.
        column: String,
        /// The kind the kernel takes.
        needs: String,
        /// The kind the column has.
        found: String,
        /// What to change.
        fix: String,
    },
    /// One cell of a table that cannot be taken; rows count from 1 without the header.
    #[error("{file}: row {row}, column '{column}': found '{found}', expected {expected}")]
    Cell {
        /// Where the table came from.
        file: String,
        /// Data row, from 1, the header not counted.
        row: usize,
        /// Column name.
        column: String,
        /// The text found.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// A table that cannot be taken as a whole.
    #[error("{file}: {why}")]
    Table {
        /// Where the table came from.
        file: String,
        /// What is wrong and what to change.
        why: String,
    },
    /// Rows, columns or targets that do not allow what was asked.
    #[error("{0}")]
    Data(String),
    /// Two things that should be of one size and are not.
    #[error("{what}: expected {expected}, found {found}")]
    Shape {
        /// What was measured.
        what: String,
        /// The size needed.
        expected: usize,
        /// The size found.
        found: usize,
    },
    /// The plan needs more memory than allowed.
    #[error("{what} needs {needed} of memory and may take {allowed}; raise max_memory (--max-memory), or use fewer rows{instead}",
        needed = bytes(*needed), allowed = if *allowed > 0 { bytes(*allowed) } else { "none".into() })]
    Memory {
        /// What was planned.
        what: String,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
        /// The end of the advice: what else would do; empty where nothing is known.
        instead: String,
    },
    /// A table that is larger than the memory allowed.
    #[error("{what} needs {needed} of memory and may take {allowed}; raise max_memory (--max-memory), or give fewer rows or columns",
        needed = bytes(*needed), allowed = if *allowed > 0 { bytes(*allowed) } else { "none".into() })]
    TooLarge {
        /// What was to be read.
        what: String,
        /// Bytes needed, at least.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// The time allowed was up before there was a result.
    #[error("{what}: time was up before there was a result; allow more max_seconds (--max-seconds), or use fewer rows")]
    Time {
        /// What was computed.
        what: String,
    },
    /// An early stop was requested before this part of the work had a result.
    #[error("{what}: stopped on request before there was a result")]
    Stopped {
        /// What was to be computed.
        what: String,
    },
    /// Stopped on request before there was a result.
    #[error("stopped on request; nothing was written")]
    Cancelled,
    /// A computation that has no finite answer.
    #[error("{what}: {why}")]
    Numerical {
        /// The computation.
        what: String,
        /// What happened and what to change.
        why: String,
    },
    /// A model file that is damaged, truncated or not one of ours.
    #[error("{file}: not a usable model file: {why}")]
    ModelFile {
        /// The file.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// A panic: a fault of the program.
    #[error(
        "{what}: internal error: {why}; this is a fault of Mercer and not of the data: please report it, with this message, the version, and the command or the lines of code"
    )]
    Internal {
        /// What was computed.
        what: String,
        /// The message of the panic, with its place where that is known.
        why: String,
    },
    /// The operating system refused.
    #[error("{file}: {}", in_words(source))]
    Io {
        /// The file.
        file: String,
        /// The system's own error.
        source: std::io::Error,
    },
}

/// The families of error that command line and Python distinguish (exit codes, exception classes).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// An expression, name or parameter: fix what was typed.
    Expression,
    /// A table, column, target or file: fix the data.
    Data,
    /// Memory, time or a computation: fix the size of the job.
    Resource,
    /// A model file.
    ModelFile,
    /// A fault of the program: report it.
    Internal,
}

impl Error {
    /// Whether it ends a whole search, and says nothing of the setting that it was met at.
    pub(crate) fn ends_all(&self) -> bool {
        matches!(self, Error::Cancelled | Error::Memory { .. } | Error::Time { .. } | Error::Internal { .. })
    }
    /// The family that the error belongs to.
    pub fn kind(&self) -> ErrorKind {
        use Error::*;
        match self {
            Syntax { .. }
            | Unknown { .. }
            | OutOfDomain { .. }
            | Unsettled { .. }
            | Setting { .. }
            | NotMercer { .. }
            | NotSymmetric { .. }
            | WrongKind { .. } => ErrorKind::Expression,
            Cell { .. } | Table { .. } | Data(_) | Shape { .. } | Io { .. } => ErrorKind::Data,
            Memory { .. } | TooLarge { .. } | Time { .. } | Stopped { .. } | Cancelled | Numerical { .. } => ErrorKind::Resource,
            ModelFile { .. } => ErrorKind::ModelFile,
            Internal { .. } => ErrorKind::Internal,
        }
    }

    /// An input or output error that names its file.
    pub fn io(file: impl std::fmt::Display, source: std::io::Error) -> Self {
        Error::Io { file: file.to_string(), source }
    }

    /// An error unless two sizes agree.
    pub fn unless_equal(what: &str, expected: usize, found: usize) -> Result<()> {
        if expected == found { Ok(()) } else { Err(Error::Shape { what: what.into(), expected, found }) }
    }
    /// A lookup that failed.
    pub fn unknown<S: AsRef<str>>(what: impl Into<String>, name: impl Into<String>, known: impl IntoIterator<Item = S>) -> Self {
        let known = known.into_iter().map(|s| s.as_ref().to_owned()).collect();
        Error::Unknown { what: what.into(), name: name.into(), known, meant: None }
    }
    /// A failed lookup that also knows names used by other books and libraries, each with the name used here.
    pub fn unknown_here<S: AsRef<str>>(
        what: impl Into<String>,
        name: &str,
        known: impl IntoIterator<Item = S>,
        elsewhere: &[(&str, &'static str)],
    ) -> Self {
        let plain = |word: &str| word.to_lowercase().replace(['_', '-'], "");
        let found = elsewhere.iter().find(|(other, _)| plain(other) == plain(name)).map(|(_, here)| *here);
        match Self::unknown(what, name, known) {
            Error::Unknown { what, name, known, .. } => Error::Unknown { what, name, known, meant: found },
            other => other,
        }
    }
}

/// What is meant by a name that there is not: by its meaning elsewhere, or by its spelling.
fn hint(name: &str, known: &[String], meant: Option<&'static str>) -> String {
    match (meant, nearest(name, known)) {
        (Some(here), _) => format!(" (here that is {here})"),
        (None, Some(near)) => format!(" (did you mean '{near}'?)"),
        (None, None) => String::new(),
    }
}

/// The known name nearest to a misspelt one, if it is near enough to be meant.
pub fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a String> {
    let low = name.to_lowercase();
    // One slip in four letters, or the same letters in another order.
    let near = |d: usize, k: &str| d <= low.chars().count().max(k.chars().count()).div_ceil(4) || (d <= 2 && letters(k) == letters(&low));
    known
        .iter()
        .map(|k| (edits(&low, &k.to_lowercase()), k))
        .filter(|(d, k)| near(*d, &k.to_lowercase()) && *d < low.chars().count())
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k)
}

/// The letters of a word in alphabetic order.
fn letters(word: &str) -> Vec<char> {
    let mut all: Vec<char> = word.chars().collect();
    all.sort_unstable();
    all
}

/// Levenshtein distance between two short names.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let next = (corner + usize::from(ca != *cb)).min(row[j] + 1).min(row[j + 1] + 1);
            corner = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

/// What the system says of a file, and what to do; what we say ourselves stays as it is.
pub fn in_words(error: &std::io::Error) -> String {
    use std::io::ErrorKind::*;
    if error.raw_os_error().is_none() {
        return error.to_string();
    }
    let known = match error.kind() {
        NotFound => "there is no such file or folder; check how its name is written",
        PermissionDenied => "access is denied; ask for the right to it, or name another place",
        NotADirectory => "a part of this path is a file and no folder; check how it is written",
        IsADirectory => "this is a folder; name a file",
        StorageFull | QuotaExceeded => "there is no room left; free some, or name another place",
        ReadOnlyFilesystem => "nothing can be written there; name another place",
        _ => {
            let said = error.to_string();
            return said.split(" (os error").next().unwrap_or(&said).to_lowercase();
        }
    };
    known.into()
}

/// Bytes in words: `3.7 GB`.
pub fn bytes(n: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB"];
    let mut x = n as f64;
    let mut u = 0;
    while x >= 1000.0 && u + 1 < units.len() {
        x /= 1000.0;
        u += 1;
    }
    if u == 0 { format!("{n} B") } else { format!("{x:.1} {}", units[u]) }
}
