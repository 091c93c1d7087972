//! Rust source split into code and comments, and the parts of it that are tests.
//!
//! Not a parser: it knows comments, string and character literals, and brackets. That is enough to say
//! whether a line stands inside a test, and it never mistakes text for code.

use std::ops::Range;

/// A comment: `at` is the byte where it starts, `text` what follows its marker.
#[derive(Debug, PartialEq)]
pub(crate) struct Comment {
    pub(crate) at: usize,
    pub(crate) end: usize,
    pub(crate) text: String,
    /// Whether it is documentation (`///`, `//!`).
    pub(crate) doc: bool,
}

/// A function with `#[test]`: its name and its bytes from the first attribute to the closing brace.
#[derive(Debug, PartialEq)]
pub(crate) struct Test {
    pub(crate) name: String,
    pub(crate) bytes: Range<usize>,
}

/// A Rust file taken apart.
#[derive(Debug)]
pub(crate) struct Source {
    /// The text with comments and the insides of literals blanked, byte for byte as long as the file.
    pub(crate) code: String,
    /// Comments in order.
    pub(crate) comments: Vec<Comment>,
    /// Test functions in order.
    pub(crate) tests: Vec<Test>,
    /// Bytes of everything compiled for tests only: test functions and `#[cfg(test)]` items.
    pub(crate) test_only: Vec<Range<usize>>,
    starts: Vec<usize>,
}

impl Source {
    /// Takes a file apart.
    pub(crate) fn new(text: &str) -> Self {
        let (code, comments) = blank(text);
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        let mut source = Source { code, comments, tests: Vec::new(), test_only: Vec::new(), starts };
        source.find_tests();
        source
    }

    /// The line of a byte, from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|&s| s <= at)
    }

    /// Whether a byte lies in code compiled for tests only.
    pub(crate) fn in_test(&self, at: usize) -> bool {
        self.test_only.iter().any(|r| r.contains(&at))
    }

    /// Attributes as (start, content range) in order: `#[..]` and `#![..]`.
    pub(crate) fn attributes(&self) -> Vec<(usize, Range<usize>)> {
        let mut found = Vec::new();
        for (at, _) in self.code.match_indices('#') {
            let rest = &self.code[at + 1..];
            let skip = usize::from(rest.starts_with('!'));
            if rest[skip..].starts_with('[') {
                let open = at + 1 + skip;
                found.push((at, open + 1..closing(&self.code, open)));
            }
        }
        found
    }

    /// Where code goes on after blanks (comments are blanks) and attributes.
    pub(crate) fn after_attributes(&self, mut at: usize) -> usize {
        loop {
            at += self.code[at..].len() - self.code[at..].trim_start().len();
            match self.code[at..].strip_prefix("#[") {
                Some(_) => at = (closing(&self.code, at + 1) + 1).min(self.code.len()),
                None => return at,
            }
        }
    }

    fn find_tests(&mut self) {
        let attributes = self.attributes();
        let mut chain_start = None;
        let mut chain_end = 0;
        for (at, content) in &attributes {
            // A chain of attributes on one item starts where the one before did not touch it.
            if chain_start.is_none() || !self.code[chain_end..*at].trim().is_empty() {
                chain_start = Some(*at);
            }
            chain_end = (content.end + 1).min(self.code.len());
            let start = chain_start.unwrap_or(*at);
            let words: String = self.code[content.clone()].split_whitespace().collect();
            let is_test = words == "test" || words.ends_with("::test");
            if is_test || words == "cfg(test)" || words.starts_with("cfg(all(test") {
                let item = self.after_attributes(chain_end);
                let end = item_end(&self.code, item);
                self.test_only.push(start..end);
                if is_test && let Some(name) = function_name(&self.code[item..end]) {
                    self.tests.push(Test { name, bytes: start..end });
                }
            }
        }
    }
}

/// The byte of the bracket that closes the one at `open`; the end of the code if none does.
pub(crate) fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (i, c) in code[open..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return open + i;
                }
            }
            _ => {}
        }
    }
    code.len()
}

/// Where an item ends: at its closing brace or at a semicolon outside brackets.
fn item_end(code: &str, item: usize) -> usize {
    let mut at = item;
    while let Some(step) = code[at..].find(['{', '(', '[', ';']) {
        let place = at + step;
        match code.as_bytes()[place] {
            b';' => return place + 1,
            b'{' => return (closing(code, place) + 1).min(code.len()),
            _ => at = (closing(code, place) + 1).min(code.len()),
        }
    }
    code.len()
}

fn function_name(item: &str) -> Option<String> {
    let (_, rest) = item.split_once("fn ")?;
    let name: String = rest.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '$').collect();
    (!name.is_empty()).then_some(name)
}

/// The code with comments and literals blanked, and the comments.
fn blank(text: &str) -> (String, Vec<Comment>) {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut comments = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let (length, inside) = if rest.starts_with("//") {
            let length = rest.find('\n').unwrap_or(rest.len());
            comments.push(comment(at, &rest[..length]));
            (length, 0..length)
        } else if rest.starts_with("/*") {
            let length = block_comment(rest);
            comments.push(comment(at, &rest[..length]));
            (length, 0..length)
        } else if let Some(literal) = string(rest, at.checked_sub(1).map(|b| bytes[b])) {
            literal
        } else if let Some(length) = character(rest) {
            (length, 1..length - 1)
        } else {
            (rest.chars().next().map_or(1, char::len_utf8), 0..0)
        };
        for b in code.iter_mut().skip(at + inside.start).take(inside.len()) {
            if *b != b'\n' {
                *b = b' ';
            }
        }
        at += length;
    }
    (String::from_utf8_lossy(&code).into_owned(), comments)
}

fn comment(at: usize, text: &str) -> Comment {
    let doc = (text.starts_with("///") && !text.starts_with("////")) || text.starts_with("//!");
    let inner = text.trim_start_matches('/').trim_start_matches(['!', '*']).trim_end_matches("*/");
    Comment { at, end: at + text.len(), text: inner.trim().to_owned(), doc }
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// The length of the string literal that starts here, plain or raw, and its inside.
fn string(rest: &str, before: Option<u8>) -> Option<(usize, Range<usize>)> {
    let prefix = rest.bytes().take_while(|b| matches!(b, b'b' | b'c' | b'r' | b'#')).count();
    let inner = rest[prefix..].strip_prefix('"')?;
    // The last letters of a name are no prefix.
    if prefix > 0 && before.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return None;
    }
    let (start, word) = (prefix + 1, &rest[..prefix]);
    let letters = word.trim_end_matches('#');
    if letters.ends_with('r') {
        let close = format!("\"{}", &word[letters.len()..]);
        let length = inner.find(&close)?;
        return Some((start + length + close.len(), start..start + length));
    }
    let mut escaped = false;
    for (i, c) in inner.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some((start + i + 1, start..start + i)),
            _ => {}
        }
    }
    None
}

/// The length of a character literal that starts here; a lifetime is none.
fn character(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('\'')?;
    let mut chars = inner.char_indices();
    let (_, first) = chars.next()?;
    if first == '\\' {
        let close = inner.get(2..)?.find('\'')?;
        return (close <= 10).then_some(close + 4);
    }
    let (end, next) = chars.next()?;
    (next == '\'').then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_comments_are_blanked_and_lifetimes_are_not() {
        let source = Source::new("let a = \"x // y\"; let q = '\"'; fn f<'a>(x: &'a str) {} // end\nlet r = r#\"a \" b\"#; let n = '\\n';");
        assert!(!source.code.contains("x // y") && !source.code.contains("end") && !source.code.contains("a \" b"));
        assert!(source.code.contains("fn f<'a>(x: &'a str) {}") && source.code.contains("let n = '  ';"));
        assert_eq!(source.comments.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["end"]);
        assert_eq!(source.line(source.comments[0].at), 1);
    }

    #[test]
    fn tests_are_found_with_their_attributes_and_bodies() {
        let text = "fn a() { x }\n#[should_panic]\n#[test]\nfn it_works() { let b = [1; 2]; { y } }\nfn c() { z }\n";
        let source = Source::new(text);
        assert_eq!(source.tests.len(), 1);
        assert_eq!(source.tests[0].name, "it_works");
        assert_eq!(&text[source.tests[0].bytes.clone()], "#[should_panic]\n#[test]\nfn it_works() { let b = [1; 2]; { y } }");
        assert!(source.in_test(text.find('y').unwrap()) && !source.in_test(text.find('z').unwrap()));
    }

    #[test]
    fn a_test_module_is_test_only_up_to_its_closing_brace() {
        let text = "#[cfg(test)]\nmod tests { fn helper() -> [f64; 2] { h } }\nfn after() { z }";
        let source = Source::new(text);
        assert!(source.in_test(text.find("h }").unwrap()) && !source.in_test(text.find('z').unwrap()));
        assert!(source.tests.is_empty());
    }

    #[test]
    fn tests_inside_proptest_blocks_are_found() {
        let source = Source::new("proptest! {\n  #![proptest_config(c())]\n  #[test]\n  fn holds(x in 0..3) { a }\n}\n");
        assert_eq!(source.tests[0].name, "holds");
    }
}
