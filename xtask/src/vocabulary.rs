//! Words that a reader cannot follow: documentation that needs what stands above it, and type names that say nothing.

use crate::repo::File;
use crate::rust_source::Source;

/// Openings of a doc comment that refer to the item above: a comment stands alone and names its item.
const OPENINGS: &[&str] = &["The same", "See above", "As above", "As it is", "What it says"];
/// Names of types that do not say what they hold.
const VAGUE: &[&str] = &["Entry", "Found", "Order", "Place", "Rows", "Standing", "State", "Step", "Values"];
/// Types with such a name that are still to be renamed, each with its file or folder. None is to be added.
const VAGUE_LEFT: &[(&str, &str)] = &[("Values", "crates/mercer/src/data/columns.rs")];

/// Doc comments and type names of a Rust file that are refused, each with its byte. Types of tests may be named anyhow.
pub(crate) fn in_rust(path: &str, source: &Source, test_only: bool) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = openings(source).into_iter().collect();
    if !test_only {
        for (at, name) in types(source).filter(|(at, _)| !source.in_test(*at)) {
            if VAGUE.contains(&name) && !VAGUE_LEFT.iter().any(|(old, place)| *old == name && path.starts_with(place)) {
                found.push((at, format!("type {name}: choose a name that is unique and says what it holds")));
            }
        }
    }
    found
}

/// Docstrings of a Python file that are refused, each with its line.
pub(crate) fn in_python(text: &str) -> Vec<(usize, String)> {
    let opening = |line: &str| refused(line.trim_start().strip_prefix("\"\"\"")?);
    text.lines().enumerate().filter_map(|(i, line)| opening(line).map(|text| (i + 1, text))).collect()
}

/// Exceptions that nothing needs any more.
pub(crate) fn stale(files: &[File]) -> Vec<String> {
    let within = |place: &str| -> Vec<Source> {
        files.iter().filter(|f| f.path.starts_with(place) && f.path.ends_with(".rs")).map(|f| Source::new(&f.text)).collect()
    };
    let mut found = Vec::new();
    for (name, place) in VAGUE_LEFT {
        if !within(place).iter().any(|s| types(s).any(|(_, n)| n == *name)) {
            found.push(format!("{place} has no type {name} any more: remove it from VAGUE_LEFT"));
        }
    }
    found
}

/// Where a doc comment begins with a reference to the item above.
fn openings(source: &Source) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut end = None;
    for comment in source.comments.iter().filter(|c| c.doc) {
        // Lines of one comment have nothing between them but blanks.
        let goes_on = end.is_some_and(|end: usize| source.code[end..comment.at].trim().is_empty());
        if !goes_on {
            found.extend(refused(&comment.text).map(|text| (comment.at, text)));
        }
        end = Some(comment.end);
    }
    found
}

fn refused(doc: &str) -> Option<String> {
    let ends_word = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric());
    let opening = OPENINGS.iter().find(|o| doc.strip_prefix(**o).is_some_and(ends_word))?;
    Some(format!("documentation that begins '{opening}': it stands alone and names its item"))
}

/// Types that are defined, with the byte of their keyword.
fn types(source: &Source) -> impl Iterator<Item = (usize, &str)> {
    let name_part = |c: char| c.is_alphanumeric() || c == '_';
    ["struct ", "enum ", "trait ", "type "].into_iter().flat_map(move |keyword| {
        source.code.match_indices(keyword).filter_map(move |(at, _)| {
            let name = source.code[at + keyword.len()..].trim_start();
            let length = name.find(|c| !name_part(c)).unwrap_or(name.len());
            (!source.code[..at].ends_with(name_part)).then(|| (at, &name[..length]))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        in_rust(path, &Source::new(text), false).len()
    }

    #[test]
    fn doc_comments_that_need_the_item_above_are_found() {
        assert_eq!(count("a.rs", "/// Rows.\nfn a() {}\n/// The same, in f32.\nfn b() {}\n"), 1);
        assert_eq!(count("a.rs", "//! As above.\n\n/// See above: all of it.\nfn b() {}\n"), 1);
        assert_eq!(count("a.rs", "struct A {\n    /// The same.\n    a: f64,\n    /// As above.\n    b: f64,\n}\n"), 2);
    }

    #[test]
    fn other_comments_and_later_lines_are_let_be() {
        assert_eq!(
            count("a.rs", "// The same loop.\nfn a() {}\n/// Rows that have\n/// The same number.\n///\n/// The same end.\nfn b() {}\n"),
            0
        );
        assert_eq!(count("a.rs", "/// The samedays.\nconst A: &str = \"/// The same\";\n"), 0);
    }

    #[test]
    fn docstrings_are_found() {
        assert_eq!(in_python("def a():\n    \"\"\"The same, as text.\"\"\"\n").len(), 1);
        assert_eq!(in_python("def a():\n    \"\"\"The text.\"\"\"\n    # The same\n").len(), 0);
    }

    #[test]
    fn vague_types_are_found_outside_tests() {
        assert_eq!(count("a.rs", "pub(crate) struct Rows<'a>(&'a str);\nenum State { A }\ntrait Order {}\ntype Place = (f64, f64);\n"), 4);
        assert_eq!(count("a.rs", "struct RowsOfBlock;\nenum Mystate { A }\nfn a(subtype: Rows) -> Step {}\n"), 0);
        assert_eq!(count("a.rs", "#[cfg(test)]\nmod tests { struct Rows; }\n// struct Entry\nconst A: &str = \"struct Found\";\n"), 0);
        assert_eq!(in_rust("a.rs", &Source::new("struct Rows;\n"), true).len(), 0);
    }

    #[test]
    fn an_exception_holds_for_its_name_and_place_only() {
        let code = "enum Values { A }\n";
        assert_eq!(count("crates/mercer/src/data/columns.rs", code), 0);
        assert_eq!(count("crates/mercer/src/data/columns_of.rs", code), 1);
        assert_eq!(count("crates/mercer/src/data/columns.rs", "struct Rows;\n"), 1);
    }

    #[test]
    fn exceptions_that_nothing_needs_are_stale() {
        let all = VAGUE_LEFT.len();
        let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
        assert_eq!(stale(&[]).len(), all);
        let text = "enum Values { A }\n";
        assert_eq!(stale(&[file("crates/mercer/src/data/columns.rs", text)]).len(), all - 1);
    }
}
