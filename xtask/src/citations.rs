//! `spec: F31, K24` and `spec-part: K08` in comments, and the tests that they stand in.
//!
//! A citation counts when its comment is inside a test or directly above one (attributes, decorators and
//! other comments may lie between), or inside an example of the documentation that runs: of a public item, or of a page
//! that a crate takes in by `#[doc = include_str!(..)]`. Anywhere else it proves nothing.

use crate::rust_source::Source;

/// How much of a row's check a test performs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it, alone or with the other tests that say so.
    Whole,
    /// Something of it is not checked by any test.
    Part,
}

impl Extent {
    const ALL: [(Extent, &'static str); 2] = [(Extent::Whole, "spec:"), (Extent::Part, "spec-part:")];

    /// What stands before the rows in a comment.
    pub(crate) fn marker(self) -> &'static str {
        Extent::ALL[usize::from(self == Extent::Part)].1
    }
}

/// Rows cited by one comment, and the test that they belong to; `None`: the comment belongs to no test.
#[derive(Debug, PartialEq)]
pub(crate) struct Citation {
    pub(crate) line: usize,
    pub(crate) rows: Vec<String>,
    pub(crate) extent: Extent,
    pub(crate) test: Option<String>,
}

/// The ids after `spec:` and those after `spec-part:` in a comment; nothing where it cites nothing.
fn cited(comment: &str) -> impl Iterator<Item = (Extent, Vec<String>)> {
    Extent::ALL.into_iter().filter_map(move |(extent, marker)| Some((extent, listed(comment, marker)?)))
}

/// The ids after a marker. What ends the list is the first word that is not meant as an id, so that an explanation may
/// follow. The first word is always meant as one.
fn listed(comment: &str, marker: &str) -> Option<Vec<String>> {
    let (before, list) = comment.split_once(marker)?;
    if before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '`')) {
        return None;
    }
    let words = list.split([',', ' ', ';']).map(|w| w.trim_end_matches(['.', ':', ')'])).filter(|w| !w.is_empty() && *w != "and");
    Some(words.enumerate().take_while(|(i, w)| *i == 0 || is_meant_as_id(w)).map(|(_, w)| w.to_owned()).collect())
}

/// Whether a word may be meant as an id, so that a wrong one is told and not passed over.
fn is_meant_as_id(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.contains(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Whether a word is shaped like the id of a row: letters and digits, as in `F01`, `GP04` or `E1-04`.
pub(crate) fn is_id(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = word.len() - digits.len();
    (1..=2).contains(&letters)
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.ends_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '-')
}

/// Citations in a Rust file.
pub(crate) fn in_rust(text: &str) -> Vec<Citation> {
    let source = Source::new(text);
    let mut example = Example::default();
    let mut found = Vec::new();
    for comment in &source.comments {
        let line = source.line(comment.at);
        let runs = comment.doc && example.step(line, &comment.text);
        // Prose of documentation may speak of citations; only its examples can hold one.
        let citations: Vec<_> = cited(&comment.text).filter(|_| runs || !comment.doc).collect();
        if citations.is_empty() {
            continue;
        }
        let inside = source.tests.iter().rfind(|t| t.bytes.contains(&comment.at));
        let above = || {
            source.tests.iter().find(|t| t.bytes.start >= comment.end).filter(|t| source.code[comment.end..t.bytes.start].trim().is_empty())
        };
        let test = match inside.or_else(above) {
            Some(test) => Some(test.name.clone()),
            None if runs => Some(example.name()),
            None => None,
        };
        found.extend(citations.into_iter().map(|(extent, rows)| Citation { line, rows, extent, test: test.clone() }));
    }
    found
}

/// Citations in the examples of a page of Markdown.
pub(crate) fn in_page(text: &str) -> Vec<Citation> {
    let mut example = Example::default();
    let mut found = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let runs = example.step(i + 1, line);
        let Some((_, comment)) = line.split_once("//").filter(|_| runs) else { continue };
        let test = Some(example.name());
        found.extend(cited(comment).map(|(extent, rows)| Citation { line: i + 1, rows, extent, test: test.clone() }));
    }
    found
}

/// Pages whose examples run with those of a Rust file: `#[doc = include_str!("../docs/page.md")]`, as it is written there.
pub(crate) fn pages(text: &str) -> Vec<&str> {
    let source = Source::new(text);
    let inside = source.attributes().into_iter().filter_map(|(_, content)| {
        let words: String = source.code[content.clone()].split_whitespace().collect();
        words.starts_with("doc=include_str!(").then(|| text[content].split('"').nth(1))?
    });
    inside.filter(|path| path.ends_with(".md")).collect()
}

/// Whether consecutive lines of documentation are inside an example that is compiled and run.
#[derive(Default)]
struct Example {
    last: usize,
    opened: usize,
    open: bool,
    runs: bool,
}

impl Example {
    /// Takes the next line of documentation.
    fn step(&mut self, line: usize, text: &str) -> bool {
        if line != self.last + 1 {
            self.open = false;
        }
        self.last = line;
        match text.strip_prefix("```") {
            Some(_) if self.open => self.open = false,
            Some(words) => {
                let idle = ["text", "ignore", "no_run", "compile_fail", "sh", "python", "toml", "json"];
                (self.open, self.opened) = (true, line);
                self.runs = !words.split(',').any(|w| idle.contains(&w.trim()));
            }
            None => {}
        }
        self.open && self.runs
    }

    fn name(&self) -> String {
        format!("example at line {}", self.opened)
    }
}

/// Citations in a Python file.
pub(crate) fn in_python(text: &str) -> Vec<Citation> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let Some((_, comment)) = line.split_once('#') else { continue };
        for (extent, rows) in cited(comment) {
            let test = enclosing(&lines, i).or_else(|| following(&lines, i));
            found.push(Citation { line: i + 1, rows, extent, test });
        }
    }
    found
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_code(line: &str) -> bool {
    !line.trim().is_empty() && !line.trim_start().starts_with('#')
}

fn python_test(line: &str) -> Option<String> {
    let line = line.trim_start();
    let rest = line.strip_prefix("async ").unwrap_or(line).strip_prefix("def ")?;
    let name = rest.split('(').next()?.trim();
    name.starts_with("test_").then(|| name.to_owned())
}

/// The test whose body the line is in: going up, the first line indented less that defines a test.
fn enclosing(lines: &[&str], at: usize) -> Option<String> {
    if let Some(name) = python_test(lines[at]) {
        return Some(name);
    }
    let mut limit = indent(lines[at]);
    for line in lines[..at].iter().rev().filter(|l| is_code(l)) {
        if indent(line) < limit {
            if let Some(name) = python_test(line) {
                return Some(name);
            }
            limit = indent(line);
        }
    }
    None
}

/// The test that starts after the line, with nothing but comments and decorators between.
fn following(lines: &[&str], at: usize) -> Option<String> {
    let mut depth = 0i64;
    for line in lines[at + 1..].iter().filter(|l| is_code(l)) {
        if depth == 0 && !line.trim_start().starts_with('@') {
            return python_test(line);
        }
        // A decorator may run over several lines.
        depth += line.matches(['(', '[', '{']).count() as i64 - line.matches([')', ']', '}']).count() as i64;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|s| (*s).to_owned()).collect()
    }

    fn all(comment: &str) -> Vec<(Extent, Vec<String>)> {
        cited(comment).collect()
    }

    #[test]
    fn a_comment_cites_the_ids_up_to_the_first_other_word() {
        let whole = |ids| vec![(Extent::Whole, rows(ids))];
        assert_eq!(all("spec: F17, GP01 (worked example)"), whole(&["F17", "GP01"]));
        assert_eq!(all("Murphy (14.20); spec: K10 and E1-04."), whole(&["K10", "E1-04"]));
        assert_eq!(all("spec: S14, U-08 for users"), whole(&["S14", "U-08"]));
        assert_eq!(all("spec: the page"), whole(&["the"]));
        assert_eq!(all("spec:"), whole(&[]));
        assert_eq!(all("the aspec: F01"), []);
        assert_eq!(all("see `spec: F01`"), []);
        assert_eq!(all("nothing"), []);
    }

    #[test]
    fn a_part_is_marked_and_is_never_taken_for_the_whole() {
        assert_eq!(all("spec-part: K08. Missing: the methods that take any similarity"), [(Extent::Part, rows(&["K08"]))]);
        assert_eq!(
            all("spec: F20, E1-12; spec-part: K08, S27"),
            [(Extent::Whole, rows(&["F20", "E1-12"])), (Extent::Part, rows(&["K08", "S27"]))]
        );
        assert_eq!(all("spec-part:"), [(Extent::Part, vec![])]);
        assert_eq!(all("see `spec-part: F01`"), []);
        let found = in_rust("// spec-part: F01\n#[test]\nfn a() {}\n");
        assert_eq!((found.len(), found[0].extent, found[0].test.as_deref()), (1, Extent::Part, Some("a")));
        let found = in_python("def test_a():  # spec: F02; spec-part: F01\n    pass\n");
        assert_eq!(
            found.iter().map(|c| (c.extent, c.rows.join(","))).collect::<Vec<_>>(),
            [(Extent::Whole, "F02".into()), (Extent::Part, "F01".into())]
        );
    }

    #[test]
    fn examples_of_a_page_count_where_they_run() {
        let text = "# Page\n// spec: F01\n```\nlet a = 1; // spec: F02\n# // spec-part: F03\n```\n```text\n// spec: F04\n```\n";
        let found: Vec<_> = in_page(text).into_iter().map(|c| (c.line, c.rows.join(","), c.extent, c.test.unwrap())).collect();
        let name = || "example at line 3".to_owned();
        assert_eq!(found, [(4, "F02".into(), Extent::Whole, name()), (5, "F03".into(), Extent::Part, name())]);
    }

    #[test]
    fn pages_are_those_taken_in_as_documentation() {
        let text = "#[cfg(doctest)]\n#[doc = include_str!(\"../docs/a.md\")]\nstruct A;\n\
                    const B: &str = include_str!(\"../docs/b.md\");\n// #[doc = include_str!(\"c.md\")]\n";
        assert_eq!(pages(text), ["../docs/a.md"]);
    }

    #[test]
    fn ids_have_one_or_two_letters_then_digits() {
        assert!(["F01", "GP14", "E1-04", "D21"].iter().all(|w| is_id(w)));
        assert!(!["F", "01", "f01", "RBF2x", "E1-", "K08-kernels"].iter().any(|w| is_id(w)));
    }

    #[test]
    fn rust_citations_count_inside_and_above_a_test_only() {
        let text = "// spec: F01\nfn code() {}\n\n// spec: F02\n/// Words.\n#[test]\nfn above() {\n    // spec: F03\n}\n\
                    const TEXT: &str = \"// spec: F04\";\n";
        let found: Vec<_> = in_rust(text).into_iter().map(|c| (c.line, c.rows.join(","), c.test)).collect();
        assert_eq!(found, [(1, "F01".into(), None), (4, "F02".into(), Some("above".into())), (8, "F03".into(), Some("above".into()))]);
    }

    #[test]
    fn documentation_examples_count_where_they_run() {
        let text =
            "/// Says.\n///\n/// ```\n/// # // spec: F05\n/// ```\n/// ```text\n/// spec: F06\n/// ```\n/// spec: F07\nfn code() {}\n";
        let found = in_rust(text);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].line, found[0].test.as_deref()), (4, Some("example at line 3")));
    }

    #[test]
    fn python_citations_count_inside_and_above_a_test_only() {
        let text = "# spec: F01\nX = 1\n\n# spec: F02\n@mark(\n    'a',\n)\ndef test_above():\n    for x in y:\n        # spec: F03\n        pass\n\n\
                    def helper():\n    # spec: F04\n    pass\n\ndef test_line():  # spec: F05\n    pass\n";
        let found: Vec<_> = in_python(text).into_iter().map(|c| (c.rows.join(","), c.test)).collect();
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(
            found,
            [
                ("F01".into(), None),
                ("F02".into(), named("test_above")),
                ("F03".into(), named("test_above")),
                ("F04".into(), None),
                ("F05".into(), named("test_line"))
            ]
        );
    }
}
