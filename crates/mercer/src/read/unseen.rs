//! Characters that are not seen: letters and marks in one form (NFC), no-break spaces as spaces, and without marks that only
//! change how a text is laid out: byte order marks, spaces without width, soft hyphens, directions, controls.

use super::facts::{Fact, Topic};
use crate::data::letters::composed;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// The mark that some programs write at the start of a file.
pub(super) const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// What was changed in some cells, and the first of them: its row from 0, and the character.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Unseen {
    removed: Option<(usize, char)>,
    spaces: Option<(usize, char)>,
}

impl Unseen {
    /// What was changed here, and in cells that follow `rows` rows below.
    pub(super) fn and(self, below: Unseen, rows: usize) -> Self {
        let moved = |found: Option<(usize, char)>| found.map(|(row, c)| (row + rows, c));
        Unseen { removed: self.removed.or(moved(below.removed)), spaces: self.spaces.or(moved(below.spaces)) }
    }

    /// What is to be said of the cells of a column.
    pub(super) fn facts(self, column: &str) -> Vec<Fact> {
        let said = |found: Option<(usize, char)>, done: &str| {
            found.map(|(row, c)| {
                let says = format!("{{has}} {} (first in row {}): {done}", named(c), row + 1);
                Fact::of_column(Topic::Table, column, says)
            })
        };
        said(self.removed, "not seen, and left out").into_iter().chain(said(self.spaces, "read as plain spaces")).collect()
    }
}

/// A cell as it is compared, and records in `unseen` what was changed in that of `row`.
pub(super) fn seen<'a>(cell: &'a str, row: usize, unseen: &mut Unseen) -> Cow<'a, str> {
    if cell.is_ascii() && !cell.bytes().any(|b| b.is_ascii_control() && !b.is_ascii_whitespace()) {
        return Cow::Borrowed(cell);
    }
    let mut before = None;
    let mut chars = cell.chars().peekable();
    let mut out = String::with_capacity(cell.len());
    let mut changed = false;
    while let Some(c) = chars.next() {
        let joins = matches!(c, '\u{200C}' | '\u{200D}');
        if is_layout(c) || (joins && is_edge(before, chars.peek().copied())) {
            unseen.removed = unseen.removed.or(Some((row, c)));
            changed = true;
            continue;
        }
        let space = matches!(c, '\u{A0}' | '\u{2007}' | '\u{202F}');
        if space && cell.contains(char::is_alphabetic) && !cell.trim_matches(c).is_empty() {
            unseen.spaces = unseen.spaces.or(Some((row, c)));
        }
        changed |= space;
        out.push(if space { ' ' } else { c });
        before = Some(c);
    }
    if !changed {
        return composed(Cow::Borrowed(cell));
    }
    Cow::Owned(composed(Cow::Owned(out)).into_owned())
}

/// A name of a column as tables hold it: its letters composed (NFC), without characters that are not seen.
pub fn name_of(written: &str) -> String {
    seen(written, 0, &mut Unseen::default()).trim().to_owned()
}

/// Whether a joiner stands at the end of a word or beside a letter that none joins: some scripts and pictures need it elsewhere.
fn is_edge(before: Option<char>, behind: Option<char>) -> bool {
    [before, behind].into_iter().any(|c| c.is_none_or(|c| c.is_ascii() || c.is_whitespace()))
}

/// Whether a character tells how a text is laid out, and nothing else.
fn is_layout(c: char) -> bool {
    let control = c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{0B}' | '\u{0C}' | '\u{85}');
    control
        || matches!(c, '\u{AD}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}')
        || c == BYTE_ORDER_MARK
}

/// A character that is not seen, by its name and number.
pub(super) fn named(c: char) -> String {
    let name = match c {
        BYTE_ORDER_MARK => "a byte order mark",
        '\u{A0}' | '\u{2007}' | '\u{202F}' => "no-break spaces",
        '\u{AD}' => "soft hyphens",
        '\u{200B}' => "spaces of zero width",
        '\u{200C}' | '\u{200D}' => "joiners of zero width",
        '\u{2060}' => "word joiners of zero width",
        '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => "marks of direction",
        c if c.is_control() => "control characters",
        c if c.is_whitespace() => "spaces",
        _ => "marks",
    };
    format!("{name} (U+{:04X})", u32::from(c))
}

/// What makes two labels look alike: their letters without case and in one form (NFKC), spaces of one kind, and no marks of layout.
pub(super) fn look(label: &str) -> String {
    if label.is_ascii() {
        return label.to_ascii_lowercase().split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    }
    let kept = |c: &char| !is_layout(*c) && !matches!(*c, '\u{200C}' | '\u{200D}' | '\u{34F}' | '\u{FE00}'..='\u{FE0F}');
    let small: String = label.nfkc().filter(kept).collect::<String>().to_lowercase();
    small.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// In what two labels differ that look alike.
pub(super) fn difference(one: &str, other: &str) -> String {
    if one.to_lowercase() == other.to_lowercase() {
        return "upper and lower case".into();
    }
    let odd = |label: &str, beside: &str| label.chars().find(|c| !beside.contains(*c) && !c.is_ascii());
    match odd(one, other).or_else(|| odd(other, one)) {
        Some(c) if c.is_alphanumeric() => format!("the form of a letter, '{c}',"),
        Some(c) => format!("what is not seen, {},", named(c)),
        None => "spaces and upper and lower case".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cell: &str) -> (String, String) {
        let mut unseen = Unseen::default();
        let text = seen(cell, 2, &mut unseen).into_owned();
        (text, unseen.facts("c").iter().map(Fact::sentence).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn letters_are_composed_and_what_is_not_seen_is_left_out() {
        // UAX 15: e and U+0301 compose to U+00E9.
        assert_eq!(read("cafe\u{301}"), ("caf\u{e9}".into(), String::new()));
        for (written, words) in [
            ("\u{FEFF}red", "a byte order mark (U+FEFF)"),
            ("red\u{200B}", "U+200B"),
            ("r\u{AD}ed", "soft hyphens"),
            ("re\u{2060}d", "word joiners"),
            ("red\u{200F}", "marks of direction"),
            ("red\u{7}", "control characters (U+0007)"),
            ("red\u{200D}", "joiners"),
        ] {
            let (text, said) = read(written);
            assert!(text == "red" && said.contains(words) && said.contains("first in row 3"), "{written:?}: {text:?} {said}");
        }
        assert_eq!(read("New\u{A0}York").0, "New York");
        assert!(read("New\u{A0}York").1.contains("no-break spaces (U+00A0) (first in row 3): read as plain spaces"));
        assert_eq!(read("1\u{A0}234"), ("1 234".into(), String::new()));
        // A joiner within a picture and between letters that it joins.
        for kept in ["\u{1F468}\u{200D}\u{1F469}", "\u{645}\u{6CC}\u{200C}\u{62E}"] {
            assert_eq!(read(kept), (kept.to_owned(), String::new()));
        }
        assert_eq!(read("a\tb\nc").0, "a\tb\nc");
    }

    #[test]
    fn labels_that_look_alike_are_told_by_what_differs() {
        assert_eq!(look("New\u{2003}York "), look("new york"));
        assert_eq!(difference("Oak", "oak"), "upper and lower case");
        assert!(difference("a\u{2003}b", "a b").contains("U+2003"));
        assert!(difference("\u{2764}\u{FE0F}", "\u{2764}").contains("U+FE0F"));
        assert_eq!(difference("a  b", "a b"), "spaces and upper and lower case");
        assert_eq!((look("\u{FB01}ne"), difference("\u{FB01}ne", "fine")), ("fine".into(), "the form of a letter, '\u{FB01}',".into()));
    }
}
