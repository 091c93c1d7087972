//! `cargo xtask readme`: README.md shows the tour files, which the tests run, as they are.
//!
//! A block starts with `<!-- from PATH -->` on a line of its own; the code fence after it holds the file.

use crate::repo;
use std::fs;

const PAGE: &str = "README.md";

/// Checks the blocks, or rewrites them.
pub(crate) fn run(write: bool) -> Result<String, String> {
    let page = repo::read(PAGE)?;
    let fresh = filled(&page, repo::read)?;
    if fresh == page {
        return Ok(format!("{PAGE} shows the tour files as they are\n"));
    }
    if !write {
        return Err(format!("{PAGE} differs from the tour files; run 'cargo xtask readme --write'\n"));
    }
    fs::write(repo::root().join(PAGE), fresh).map_err(|e| format!("{PAGE}: {e}\n"))?;
    Ok(format!("{PAGE} rewritten from the tour files\n"))
}

/// The page with every marked block holding its file.
fn filled(page: &str, read: impl Fn(&str) -> Result<String, String>) -> Result<String, String> {
    let mut out = String::with_capacity(page.len());
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        out += line;
        out.push('\n');
        let Some(path) = line.strip_prefix("<!-- from ").and_then(|rest| rest.strip_suffix(" -->")) else { continue };
        let fence = lines.next().filter(|l| l.starts_with("```")).ok_or_else(|| format!("{PAGE}: no code fence after '{line}'\n"))?;
        if !lines.by_ref().any(|l| l == "```") {
            return Err(format!("{PAGE}: the code fence after '{line}' does not end\n"));
        }
        out += &format!("{fence}\n{}\n```\n", read(path)?.trim_end());
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> Result<String, String> {
        if path == "a.sh" { Ok("one\ntwo\n".into()) } else { Err(format!("{path}: absent\n")) }
    }

    #[test]
    fn a_marked_block_takes_the_text_of_its_file() {
        let page = "# T\n\n<!-- from a.sh -->\n```sh\nold\n```\nend\n";
        let fresh = "# T\n\n<!-- from a.sh -->\n```sh\none\ntwo\n```\nend\n";
        assert_eq!(filled(page, file).unwrap(), fresh);
        assert_eq!(filled(fresh, file).unwrap(), fresh);
    }

    #[test]
    fn a_block_without_fence_end_or_file_is_refused() {
        assert!(filled("<!-- from a.sh -->\n\n```sh\n", file).is_err());
        assert!(filled("<!-- from a.sh -->\n```sh\nold\n", file).is_err());
        assert!(filled("<!-- from b.sh -->\n```sh\n```\n", file).is_err());
    }
}
