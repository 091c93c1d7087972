//! What parts the cells of a table of text, told from its first lines.

use super::options::Delimiter;
use std::borrow::Cow;

/// Lines that are looked at.
const LOOKED_AT: usize = 50;
/// Signs that part cells, the more telling before the less: a comma may stand within numbers and sentences.
const SIGNS: [u8; 4] = [b'\t', b';', b'|', b','];

impl Delimiter {
    pub(super) const COMMA: Delimiter = Delimiter::Character(b',');

    /// What parts the cells, in the plural.
    pub(super) fn words(self) -> String {
        match self {
            Delimiter::Spaces => "spaces".into(),
            Delimiter::Character(b'\t') => "tabs".into(),
            Delimiter::Character(b';') => "semicolons".into(),
            Delimiter::Character(b',') => "commas".into(),
            Delimiter::Character(b'|') => "vertical bars".into(),
            Delimiter::Character(other) => format!("'{}'", char::from(other)),
        }
    }
}

/// What Excel writes above a table to say what parts its cells: `sep=;`. Gives that and the rest.
pub(super) fn excel_line(text: &str) -> Option<(Delimiter, &str)> {
    let (line, rest) = text.split_once('\n')?;
    match line.trim_end_matches('\r').trim_matches('"').strip_prefix("sep=")?.as_bytes() {
        [sign] => Some((Delimiter::Character(*sign), rest)),
        _ => None,
    }
}

/// What parts the cells: of the signs in the first line, the one that stands equally often in every line; the most frequent
/// where that tells nothing; spaces where there is no sign and they part every line alike, with numbers among the cells.
pub(super) fn sniff(text: &str) -> Delimiter {
    let lines = first_lines(text);
    let Some((header, rows)) = lines.split_first() else { return Delimiter::COMMA };
    let counts = |line: &str| SIGNS.map(|sign| count(line, sign));
    let in_header = counts(header);
    let in_rows: Vec<[usize; 4]> = rows.iter().map(|row| counts(row)).collect();
    if in_header == [0; 4] {
        return if parted_by_spaces(header, rows) { Delimiter::Spaces } else { Delimiter::COMMA };
    }
    let steady = |k: usize| in_header[k] > 0 && in_rows.iter().all(|row| row[k] == in_header[k]);
    let told = (0..SIGNS.len()).find(|&k| !in_rows.is_empty() && steady(k));
    // A comma wins a draw: it is the last, and the last of the largest is taken.
    let most = (0..SIGNS.len()).max_by_key(|&k| in_header[k]);
    told.or(most).map_or(Delimiter::COMMA, |k| Delimiter::Character(SIGNS[k]))
}

/// The first lines that are not empty; a line end within quotes ends no line; lines of comments above the table are left out.
fn first_lines(text: &str) -> Vec<&str> {
    let (mut lines, mut begin, mut quoted) = (Vec::new(), 0, false);
    for (at, b) in text.bytes().enumerate() {
        match b {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => {
                lines.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
        if lines.len() > 2 * LOOKED_AT {
            break;
        }
    }
    // What was not looked at to its end tells nothing.
    if lines.len() <= 2 * LOOKED_AT {
        lines.push(&text[begin..]);
    }
    lines.retain(|line| !line.trim().is_empty());
    let comments = lines.iter().take_while(|line| line.starts_with('#')).count();
    // A first line that is a header behind a '#' tells as much as one without.
    let skipped = if comments < lines.len() { comments } else { 0 };
    lines.into_iter().skip(skipped).take(LOOKED_AT).collect()
}

/// How often a sign stands in a line outside of quotes.
fn count(line: &str, sign: u8) -> usize {
    let mut quoted = false;
    let mut count = 0;
    for b in line.bytes() {
        quoted ^= b == b'"';
        count += usize::from(b == sign && !quoted);
    }
    count
}

fn parted_by_spaces(header: &str, rows: &[&str]) -> bool {
    let width = header.split_whitespace().count();
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.split_whitespace().collect()).collect();
    let numbers = |k: usize| rows.iter().all(|row| row[k].parse::<f64>().is_ok());
    width > 1 && !rows.is_empty() && rows.iter().all(|row| row.len() == width) && (0..width).any(numbers)
}

/// The text with one space where there are several, or tabs, outside of quotes, and none at the ends of lines.
pub(super) fn squeezed(text: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut space) = (false, false);
    for c in text.chars() {
        match c {
            ' ' | '\t' if !quoted => space = true,
            c => {
                if space && !matches!(c, '\n' | '\r') && !out.is_empty() && !out.ends_with('\n') {
                    out.push(' ');
                }
                space = false;
                quoted ^= c == '"';
                out.push(c);
            }
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_told_from_the_first_line_and_from_those_below() {
        for (text, sign) in [
            ("a,b\n1,2\n", ','),
            ("a\tb,c\td\n1\t2\t3\n", '\t'),
            ("a;b\n1;2\n", ';'),
            ("1,5;2,5\n3,5;4,5\n", ';'),
            ("a|b\n1|2\n", '|'),
            ("a,\"b;c;d\"\n1,2\n", ','),
            ("alone\n1\n2\n", ','),
            ("text,y\n\"one; two\",3\n\"one\",4\n", ','),
            ("# a; b\nx,y\n1,2\n", ','),
            ("a,b;c\n", ','),
        ] {
            assert_eq!(sniff(text), Delimiter::Character(sign as u8), "{text}");
        }
    }

    #[test]
    fn spaces_part_cells_only_where_every_line_has_as_many_and_some_are_numbers() {
        assert_eq!(sniff("a b y\n0.3 0.1 p\n0.8  0.2 q\n"), Delimiter::Spaces);
        assert_eq!(sniff("full name\nAda Lovelace\nAlan Turing\n"), Delimiter::COMMA);
        assert_eq!(sniff("a note\nthree words here\n1 2\n"), Delimiter::COMMA);
        assert_eq!(squeezed("  a  b\t c \n1 \"x  y\"\n\n 2 3"), "a b c\n1 \"x  y\"\n\n2 3");
    }

    #[test]
    fn the_line_of_excel_names_the_sign() {
        assert_eq!(excel_line("sep=;\r\na;b\n"), Some((Delimiter::Character(b';'), "a;b\n")));
        assert_eq!(excel_line("sepal,petal\n1,2\n"), None);
    }
}
