//! A folder of texts, or a tar archive of one (POSIX 1003.1, by the crate `tar`, packed or not): one row a file, with the
//! columns `label` (the folder that holds the file), `text` and `file`. Where the files are tables, see `joined`.

use super::cells::Cells;
use super::encoding;
use super::facts::{Fact, Topic};
use super::options::ReadOptions;
use super::table::{Raw, Table};
use super::unpack::{read_at_most, too_large, unpack};
use super::{ColumnType, Source, joined, lines};
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

pub(super) const LABEL: &str = "label";
pub(super) const TEXT: &str = "text";
pub(super) const FILE: &str = "file";

/// Whether the bytes are a tar archive: its magic word stands behind the first name.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

/// Reads every text of an archive.
pub(super) fn of_archive(file: &str, bytes: &[u8], options: &ReadOptions, most: u64) -> Result<Table> {
    let fault = |e: std::io::Error| Error::Table {
        file: file.to_owned(),
        why: format!("this tar archive is damaged or cut off: {e}; copy it again"),
    };
    let mut texts = Texts::new(file, options, most);
    let mut archive = tar::Archive::new(bytes);
    for entry in archive.entries().map_err(fault)? {
        let entry = entry.map_err(fault)?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let content = read_at_most(entry, texts.left).map_err(fault)?;
        texts.add(&path, content)?;
    }
    texts.finish()
}

/// Reads every text of a folder and of those below it, links to folders aside.
pub(super) fn of_folder(folder: &Path, options: &ReadOptions, most: u64) -> Result<Table> {
    // Folders below folders that are looked into.
    const DEEPEST: usize = 16;
    let name = Source::File(folder.to_path_buf()).to_string();
    let mut texts = Texts::new(&name, options, most);
    let mut folders = vec![(folder.to_path_buf(), String::new(), 0)];
    while let Some((at, below, depth)) = folders.pop() {
        let io = |e: std::io::Error| Error::io(at.display(), e);
        for entry in std::fs::read_dir(&at).map_err(io)? {
            let entry = entry.map_err(io)?;
            let path = entry.path();
            let own = entry.file_name().to_string_lossy().into_owned();
            let relative = if below.is_empty() { own } else { format!("{below}/{own}") };
            let kind = entry.file_type().map_err(io)?;
            if kind.is_dir() && depth < DEEPEST {
                folders.push((path, relative, depth + 1));
            } else if path.is_file() && !texts.passes_over(&relative) {
                let content = std::fs::File::open(&path).and_then(|file| read_at_most(file, texts.left));
                texts.add(&relative, content.map_err(|e| Error::io(path.display(), e))?)?;
            }
        }
    }
    texts.finish()
}

/// Reads several files: tables, or texts one a line, of a class each.
pub(super) fn of_files(file: &str, paths: &[PathBuf], options: &ReadOptions, most: u64) -> Result<Table> {
    let mut texts = Texts::new(file, options, most);
    for path in paths {
        let name = path.display().to_string();
        texts.take(&name, &name, Source::File(path.clone()).bytes(texts.left)?)?;
    }
    if options.lines { lines::of_files(file, &texts.rows) } else { joined::classes(file, &texts.rows, options, most) }
}

/// The folder that holds a file, if it is in one.
pub(super) fn parent(path: &str) -> Option<String> {
    path.rsplit_once('/').map(|(folder, _)| folder.rsplit('/').next().unwrap_or(folder).to_owned())
}

/// The texts so far.
struct Texts<'a> {
    file: &'a str,
    options: &'a ReadOptions,
    most: u64,
    left: u64,
    /// Path within the folder, and text.
    rows: Vec<(String, String)>,
    /// Texts that were not UTF-8, the first of them and what it was read as.
    recoded: Option<(usize, String, String)>,
}

impl<'a> Texts<'a> {
    fn new(file: &'a str, options: &'a ReadOptions, most: u64) -> Self {
        Texts { file, options, most, left: most, rows: Vec::new(), recoded: None }
    }

    /// Whether a file is none of the texts: hidden, as tools leave them.
    fn passes_over(&self, path: &str) -> bool {
        path.split('/').any(|part| (part.starts_with('.') && part != "." && part != "..") || part == "__MACOSX")
    }

    fn add(&mut self, path: &str, content: Vec<u8>) -> Result<()> {
        if self.passes_over(path) {
            return Ok(());
        }
        let path = path.trim_start_matches("./");
        self.take(&format!("{}: {path}", self.file), path, content.into())
    }

    /// Adds a file; `name` is what messages call it.
    fn take(&mut self, name: &str, path: &str, content: Cow<'_, [u8]>) -> Result<()> {
        let content = unpack(name, content, self.left)?;
        let needed = content.len() as u64;
        if needed > self.left {
            return Err(too_large(&format!("reading {}", self.file), self.most.saturating_add(1), self.most));
        }
        let (text, assumed) = encoding::assuming(name, &content, self.options.encoding.as_deref(), self.left)?;
        if let Some(assumed) = assumed {
            let (count, ..) = self.recoded.get_or_insert((0, path.to_owned(), assumed.name));
            *count += 1;
        }
        self.left -= text.len() as u64;
        self.rows.push((path.to_owned(), text.into_owned()));
        Ok(())
    }

    fn finish(mut self) -> Result<Table> {
        let mut facts = Vec::new();
        // The order of a folder is that of its disk; names do not depend on it.
        self.rows.sort();
        if self.options.lines {
            return lines::of_files(self.file, &self.rows);
        }
        if self.rows.iter().filter(|(path, _)| joined::is_table(path)).count() > 1 {
            return joined::tables(self.file, self.rows, self.options, self.most);
        }
        let depth = |path: &str| path.matches('/').count();
        // A note beside the folders of texts is none of them.
        let deepest = self.rows.iter().map(|(path, _)| depth(path)).max().unwrap_or(0);
        let least = self.rows.iter().map(|(path, _)| depth(path)).min().unwrap_or(0);
        let all = self.rows.len();
        if deepest > least {
            let first = self.rows.iter().find(|(path, _)| depth(path) == least).map(|(path, _)| path.clone()).unwrap_or_default();
            self.rows.retain(|(path, _)| depth(path) > least);
            let left = match all - self.rows.len() {
                1 => format!("1 file beside the folders of texts is left out: {first}"),
                count => format!("{count} files beside the folders of texts are left out, the first of them {first}"),
            };
            facts.push(Fact::of_table(format!("{}: {left}", self.file)));
        }
        if self.rows.is_empty() {
            let why = "there are no texts in it; expected a folder for each label with a file for each text (or a file with a table)";
            return Err(Error::Table { file: self.file.to_owned(), why: why.into() });
        }
        if let Some((count, first, name)) = &self.recoded {
            let texts = match count {
                1 => format!("1 text is not UTF-8, and read as {name}: {first}"),
                _ => format!("{count} texts are not UTF-8; the first of them, {first}, is read as {name}, and each as its bytes tell"),
            };
            facts.push(Fact::of_table(format!("{}: {texts}; --encoding NAME reads all as another", self.file)));
        }
        let (mut labels, mut texts, mut files) = (Cells::new(true, true), Cells::new(true, true), Cells::new(true, true));
        for (path, text) in &self.rows {
            labels.push(&parent(path).unwrap_or_default());
            texts.push(text);
            files.push(path);
        }
        let labelled = self.rows.iter().all(|(path, _)| path.contains('/'));
        if let Some((path, _)) = self.rows.iter().find(|(path, _)| !labelled && joined::is_table(path)) {
            let why = format!("this is a folder with the table {path} in it; name the table");
            return Err(Error::Table { file: self.file.to_owned(), why });
        }
        facts.push(Fact::of_column(Topic::Identifiers, FILE, "{holds} the path of each text: no input").undone_by("text makes it one"));
        let mut columns = Vec::new();
        if labelled {
            columns.push((LABEL.to_owned(), Raw::Cells(labels)));
        }
        columns.extend([(TEXT.to_owned(), Raw::Cells(texts)), (FILE.to_owned(), Raw::Cells(files))]);
        let own_target = if labelled { vec![LABEL.to_owned()] } else { Vec::new() };
        let aside = own_target.iter().cloned().chain([FILE.to_owned()]).collect();
        let own_types = vec![(LABEL.to_owned(), ColumnType::CATEGORY), (TEXT.to_owned(), ColumnType::TEXT)];
        Ok(Table { facts, own_target, aside, own_types, ..Table::of_raw(self.file, self.rows.len(), columns)? })
    }
}
