//! `cargo xtask smells`: what a reviewer would refuse, found by reading the files.

use crate::placed::Placed;
use crate::repo::{self, File};
use crate::rust_source::Source;
use crate::tolerances;
use crate::vocabulary;

const LONGEST: usize = 500;
/// What stands in the first lines of a file that is made from records: it is as long as they are.
const GENERATED: &str = "Made by `make gen`";
/// The rooms of the library, each above those that it may know: no arrow climbs, so there is no circle between rooms.
const ROOMS: &[&str] = &[
    "report",
    "calls",
    "compare",
    "store",
    "schedule",
    "interchange",
    "partial",
    "learner",
    "select",
    "trial",
    "dependence",
    "fitting",
    "validity",
    "conformal",
    "metrics",
    "estimators",
    "smoothing",
    "solve",
    "kernels",
    "prep",
    "facts",
    "read",
    "features",
    "generative",
    "gram",
    "notice",
    "data",
    "npy",
    "linalg",
    "blocks",
    "param",
    "expr",
    "control",
    "error",
];
/// What stands above every room.
const OUTSIDE: &[&str] = &["lib", "prelude", "testkit"];
/// Rooms that see the catalogue of kernels on no account, though they stand above it, and the reverse.
const STRANGERS: &[(&str, &str)] = &[("estimators", "kernels"), ("solve", "kernels"), ("estimators", "prep"), ("estimators", "read")];

/// `no smells`, or every smell with its place.
pub(crate) fn run() -> Result<String, String> {
    let files = repo::files(&[".rs", ".py", ".sh"])?;
    let test_files = test_modules(&files);
    let mut found: Vec<Placed> = files.iter().flat_map(|f| smells(f, test_files.contains(&f.path))).collect();
    found.extend(vocabulary::stale(&files).into_iter().map(|text| Placed::new("xtask/src/vocabulary.rs", 1, text)));
    found.sort();
    if found.is_empty() {
        return Ok("no smells\n".into());
    }
    Err(found.iter().map(|p| format!("{p}\n")).collect())
}

fn smells(file: &File, test_only: bool) -> Vec<Placed> {
    let mut found = Vec::new();
    let mut smell = |line: usize, text: String| found.push(Placed::new(&file.path, line, text));
    let lines = file.text.lines().count();
    if lines > LONGEST && !file.text.lines().take(5).any(|line| line.contains(GENERATED)) {
        smell(1, format!("{lines} lines; split files above {LONGEST} by idea"));
    }
    if file.path.ends_with(".py") {
        for (line, text) in python(&file.text) {
            smell(line, text);
        }
    }
    if file.path.ends_with(".rs") {
        let source = Source::new(&file.text);
        for (at, text) in rust(&file.path, &source, test_only) {
            smell(source.line(at), text);
        }
    }
    found
}

/// Files that hold tests only: in a `tests` folder, or declared with `#[cfg(test)] mod name;`.
fn test_modules(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for f in files.iter().filter(|f| f.path.ends_with(".rs")) {
        if f.path.contains("/tests/") || f.path.contains("/benches/") || f.path.contains("/examples/") {
            found.push(f.path.clone());
        }
        let source = Source::new(&f.text);
        let folder = match f.path.rsplit_once('/') {
            Some((folder, "mod.rs" | "lib.rs" | "main.rs")) => folder.to_owned(),
            _ => f.path.trim_end_matches(".rs").to_owned(),
        };
        for range in &source.test_only {
            let item = source.code.get(range.clone()).unwrap_or_default();
            if let Some((_, name)) = item.trim_end_matches(';').rsplit_once("mod ").filter(|_| item.ends_with(';')) {
                found.extend([format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")]);
            }
        }
    }
    found
}

fn python(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        found.extend(unfinished(line.split_once('#').map_or("", |(_, comment)| comment)).map(|text| (i + 1, text)));
        let skipped = line.contains("mark.skip(") || line.trim_end().ends_with("mark.skip") || line.contains("xfail");
        if skipped || line.contains("unittest.skip") {
            found.push((i + 1, "a test that is switched off".into()));
        }
    }
    found.extend(tolerances::in_python(text).into_iter().map(|line| (line, ONE_SIDED.to_owned())));
    found.extend(vocabulary::in_python(text));
    found
}

const ONE_SIDED: &str = "one-sided tolerance; compare the absolute difference";

/// A word in a comment that says that work is left.
fn unfinished(comment: &str) -> Option<String> {
    let words = ["FIXME", "XXX", "TODO", "HACK"];
    let found = comment.split(|c: char| !c.is_alphanumeric() && c != '_').find(|w| words.contains(w))?;
    Some(format!("{found}: finish it or write an issue"))
}

fn rust(path: &str, source: &Source, test_only: bool) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for comment in &source.comments {
        found.extend(unfinished(&comment.text).map(|text| (comment.at, text)));
    }
    for word in ["todo!", "unimplemented!"] {
        found.extend(words(source, word).map(|at| (at, format!("{word} in the code"))));
    }
    for (at, content) in source.attributes() {
        let attribute: String = source.code[content].split_whitespace().collect();
        if attribute == "ignore" || attribute.starts_with("ignore=") {
            found.push((at, "a test that is switched off".into()));
        }
        if (attribute.starts_with("allow(") || attribute.starts_with("expect(")) && !attribute.contains("reason=") {
            found.push((at, "a lint switched off without a reason".into()));
        }
    }
    found.extend(tolerances::in_rust(&source.code).into_iter().map(|at| (at, ONE_SIDED.to_owned())));
    found.extend(vocabulary::in_rust(path, source, test_only));
    if !test_only {
        let shipped = |at: &usize| !source.in_test(*at);
        if is_library(path) {
            for word in [".unwrap()", ".expect(", "panic!", "unreachable!"] {
                found.extend(words(source, word).filter(shipped).map(|at| (at, format!("{word} outside tests; return an Error"))));
            }
        }
        found.extend(walls(path, source).into_iter().filter(|(at, _)| shipped(at)));
    }
    found
}

/// Sources of the crates, without the conformance kit: a check that fails there is meant to stop a test.
fn is_library(path: &str) -> bool {
    path.starts_with("crates/") && path.contains("/src/") && !path.contains("/src/testkit")
}

/// Where a word stands in code, not as the end of a longer name.
fn words<'a>(source: &'a Source, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let starts_name = word.starts_with(|c: char| c.is_alphanumeric());
    let part = move |at: usize| starts_name && source.code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    source.code.match_indices(word).map(|(at, _)| at).filter(move |at| !part(*at))
}

/// Names that a room must not use.
fn walls(path: &str, source: &Source) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let Some(rest) = path.strip_prefix("crates/mercer/src/") else {
        if is_library(path) && !path.starts_with("crates/mercer-linalg/") {
            found.extend(backend(source));
        }
        return found;
    };
    let room = rest.split(['/', '.']).next().unwrap_or_default();
    for (at, name) in named_rooms(&source.code) {
        let place = |room: &str| ROOMS.iter().position(|r| *r == room);
        let climbs = matches!((place(room), place(name)), (Some(from), Some(to)) if to < from);
        if climbs || STRANGERS.contains(&(room, name)) {
            found.push((at, format!("wall: {room} must not know {name}")));
        }
    }
    let is_new = !ROOMS.contains(&room) && !OUTSIDE.contains(&room);
    if is_new {
        found.push((0, format!("room {room} has no place in the order of rooms (ROOMS in xtask/src/smells.rs)")));
    }
    if room != "linalg" {
        found.extend(backend(source));
    }
    found
}

fn backend(source: &Source) -> impl Iterator<Item = (usize, String)> {
    let whole = |at: &usize| !source.code[at + "faer".len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    words(source, "faer").filter(whole).map(|at| (at, "wall: only linalg names the linear-algebra backend".to_owned()))
}

/// The rooms named after `crate::`, also inside `crate::{...}`.
fn named_rooms(code: &str) -> Vec<(usize, &str)> {
    let name_of = |text: &'_ str| text.len() - text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').len();
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let start = at + "crate::".len();
        if !code[start..].starts_with('{') {
            found.push((at, &code[start..start + name_of(&code[start..])]));
            continue;
        }
        let (mut depth, mut expecting) = (0, false);
        for (i, c) in code[start..].char_indices() {
            match c {
                '{' => {
                    depth += 1;
                    expecting = depth == 1;
                }
                '}' => depth -= 1,
                ',' => expecting = depth == 1,
                _ if expecting && !c.is_whitespace() => {
                    let from = start + i;
                    found.push((from, &code[from..from + name_of(&code[from..])]));
                    expecting = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(path: &str, text: &str) -> Vec<(usize, String)> {
        smells(&File { path: path.into(), text: text.into() }, false).into_iter().map(|p| (p.line, p.text)).collect()
    }

    fn count(path: &str, text: &str) -> usize {
        texts(path, text).len()
    }

    #[test]
    fn panic_paths_are_found_in_shipped_code_and_allowed_in_tests() {
        let code = "fn a() { b.unwrap(); c.expect(\"d\"); panic!(); unreachable!() }\n#[cfg(test)]\nmod tests { fn e() { f.unwrap(); } }\n";
        assert_eq!(count("crates/mercer/src/data/a.rs", code), 4);
        assert_eq!(count("crates/mercer/tests/a.rs", code), 0);
        assert_eq!(count("crates/mercer/src/data/a.rs", "// x.unwrap()\nconst A: &str = \"panic!\";\nfn b() { c.unwrap_or(1); }\n"), 0);
    }

    #[test]
    fn walls_hold_for_single_and_grouped_imports() {
        assert_eq!(count("crates/mercer/src/gram/a.rs", "use crate::estimators::Task;\n"), 1);
        assert_eq!(count("crates/mercer/src/solve/a.rs", "use crate::{data::{Points, kernels}, kernels::Rbf, select};\n"), 2);
        assert_eq!(count("crates/mercer/src/estimators/a.rs", "use crate::{gram::Gram, estimators::Task};\n"), 0);
        assert_eq!(count("crates/mercer/src/kernels/mod.rs", "use crate::kernels::Rbf;\nuse faer::Mat;\n"), 1);
        assert_eq!(count("crates/mercer/src/linalg/a.rs", "use faer::Mat;\n"), 0);
        assert_eq!(count("crates/mercer-linalg/src/a.rs", "use faer::Mat;\n"), 0);
        assert_eq!(count("crates/mercer-cli/src/a.rs", "use faer::Mat;\n"), 1);
        assert_eq!(count("crates/mercer/src/expr.rs", "use crate::learner::Learner;\n"), 1);
        assert_eq!(count("crates/mercer/src/select/a.rs", "use crate::learner::Learner;\n"), 1);
        assert_eq!(count("crates/mercer/src/linalg/a.rs", "use crate::gram::Block;\n"), 1);
        assert_eq!(count("crates/mercer/src/surprise.rs", "fn a() {}\n"), 1);
    }

    #[test]
    fn unfinished_and_switched_off_work_is_found() {
        assert_eq!(count("crates/a/src/b.rs", "// FIXME: later\nfn a() { todo!() }\n#[test]\n#[ignore = \"slow\"]\nfn b() {}\n"), 3);
        assert_eq!(count("crates/a/src/b.rs", "// XXXX is a sequence\nfn my_todo() {}\n"), 0);
        assert_eq!(
            count("crates/a/tests/b.py", "@pytest.mark.skip\ndef test_a():\n    pass\n\n@pytest.mark.skipif(absent, reason='no data')\n"),
            1
        );
    }

    #[test]
    fn lints_are_switched_off_with_a_reason_only() {
        assert_eq!(count("crates/a/src/b.rs", "#[allow(dead_code)]\nfn a() {}\n"), 1);
        assert_eq!(count("crates/a/src/b.rs", "#![allow(dead_code, reason = \"read by serde\")]\n"), 0);
    }

    #[test]
    fn long_files_are_found() {
        assert_eq!(texts("crates/a/src/b.rs", &"\n".repeat(501)), [(1, "501 lines; split files above 500 by idea".into())]);
        assert_eq!(count("crates/a/src/b.rs", &"\n".repeat(500)), 0);
        assert_eq!(count("crates/a/b.py", &format!("\"\"\"Made by `make gen`.\"\"\"\n{}", "\n".repeat(600))), 0);
    }

    #[test]
    fn modules_declared_for_tests_only_are_found_beside_their_parent() {
        let parent = File { path: "crates/a/src/gram/mod.rs".into(), text: "#[cfg(test)]\nmod golden;\n".into() };
        assert!(test_modules(&[parent]).contains(&"crates/a/src/gram/golden.rs".to_owned()));
    }
}
