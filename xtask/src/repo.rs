//! Where the repository is and which files belong to it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A text file of the repository.
#[derive(Debug)]
pub(crate) struct File {
    /// Path from the root of the repository, with `/`.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
}

/// The root of the repository: the folder above this crate.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// A file named from the root.
pub(crate) fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(root().join(path)).map_err(|e| format!("{path}: {e}\n"))
}

/// Files with one of the endings, in order of path: those that git tracks or would track,
/// or everything that is not hidden or built where git does not answer (an unpacked archive).
pub(crate) fn files(endings: &[&str]) -> Result<Vec<File>, String> {
    let mut paths = tracked().unwrap_or_else(walked);
    paths.retain(|p| endings.iter().any(|e| p.ends_with(e)));
    paths.sort();
    paths.dedup();
    // A path that git still tracks may be deleted in the working tree.
    paths.retain(|p| root().join(p).is_file());
    paths.into_iter().map(|path| read(&path).map(|text| File { path, text })).collect()
}

fn tracked() -> Option<Vec<String>> {
    let out =
        Command::new("git").args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root()).output().ok()?;
    let list = String::from_utf8(out.stdout).ok().filter(|_| out.status.success())?;
    Some(list.split('\0').filter(|p| !p.is_empty()).map(str::to_owned).collect())
}

fn walked() -> Vec<String> {
    let root = root();
    let (mut found, mut open) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if name.starts_with('.') || name == "target" || name == "__pycache__" {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if let Ok(short) = path.strip_prefix(&root) {
                found.push(short.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found
}
