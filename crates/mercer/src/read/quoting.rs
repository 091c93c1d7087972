//! Ways of quoting cells that RFC 4180 does not have: quotes escaped by a backslash (Spark, MySQL), spaces before a quote, single
//! quotes. A table is rewritten in standard quotes where that alone gives every row the cells of the header. Cells that hold the
//! separator without any quote are joined where they can be nothing else: dates, numbers with decimal commas.

use super::dates;
use super::options::Delimiter;
use crate::data::DateOrder;
use csv::StringRecord;
use std::ops::Range;

/// How cells are quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    quote: char,
    escapes: Escapes,
    spaces: Spaces,
}

/// What keeps the next character of a cell as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escapes {
    /// A quote before a quote.
    Doubled,
    /// A backslash, within quotes and without.
    Backslash,
}

/// What spaces before a quote are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spaces {
    /// A part of the cell, whose quotes are text then.
    Kept,
    Skipped,
}

const STANDARD: Dialect = Dialect { quote: '"', escapes: Escapes::Doubled, spaces: Spaces::Kept };
const OTHERS: [Dialect; 6] = [
    Dialect { quote: '"', escapes: Escapes::Doubled, spaces: Spaces::Skipped },
    Dialect { quote: '"', escapes: Escapes::Backslash, spaces: Spaces::Kept },
    Dialect { quote: '"', escapes: Escapes::Backslash, spaces: Spaces::Skipped },
    Dialect { quote: '\'', escapes: Escapes::Doubled, spaces: Spaces::Kept },
    Dialect { quote: '\'', escapes: Escapes::Doubled, spaces: Spaces::Skipped },
    Dialect { quote: '\'', escapes: Escapes::Backslash, spaces: Spaces::Skipped },
];

/// A text in standard quotes.
struct Rewritten {
    text: String,
    /// Whether every quote that opens a cell closes at its end.
    sound: bool,
    /// Cells in quotes.
    quoted: usize,
}

impl Dialect {
    /// What is said of a table that is written so.
    pub(super) fn words(self) -> String {
        let mut said = Vec::new();
        said.extend((self.quote == '\'').then_some("cells stand in single quotes"));
        said.extend((self.escapes == Escapes::Backslash).then_some("a backslash keeps the sign behind it"));
        said.extend((self.spaces == Spaces::Skipped).then_some("spaces before a quote are left out"));
        said.join(", ")
    }

    /// Whether a text has what this way of quoting is for.
    fn is_hinted_at(self, text: &str, sign: char) -> bool {
        let quote = self.quote;
        let spaced = || text.contains(&format!("{sign} {quote}")) || text.contains(&format!("\n {quote}"));
        let escaped = || text.contains(&format!("\\{quote}")) || text.contains(&format!("\\{sign}"));
        let opens = || text.contains(&format!("{sign}{quote}")) || text.contains(&format!("\n{quote}")) || spaced();
        (self.quote == '"' || opens()) && (self.escapes == Escapes::Doubled || escaped()) && (self.spaces == Spaces::Kept || spaced())
    }

    /// The text in standard quotes.
    fn rewritten(self, text: &str, sign: char) -> Rewritten {
        let mut out = Rewritten { text: String::with_capacity(text.len() + text.len() / 8), sound: true, quoted: 0 };
        let mut chars = text.chars().peekable();
        while chars.peek().is_some() {
            let mut cell = String::new();
            if self.spaces == Spaces::Skipped {
                let ahead = chars.clone().find(|c| *c != ' ');
                while ahead == Some(self.quote) && chars.next_if_eq(&' ').is_some() {}
            }
            let mut quoted = false;
            if chars.next_if_eq(&self.quote).is_some() {
                quoted = true;
                out.sound &= self.take_quoted(&mut chars, &mut cell);
                while self.spaces == Spaces::Skipped && chars.next_if_eq(&' ').is_some() {}
                out.sound &= chars.peek().is_none_or(|c| *c == sign || matches!(c, '\n' | '\r'));
            }
            while let Some(c) = chars.next_if(|c| *c != sign && !matches!(c, '\n' | '\r')) {
                match chars.peek().copied() {
                    Some(next)
                        if c == '\\' && self.escapes == Escapes::Backslash && (next == sign || next == self.quote || next == '\\') =>
                    {
                        cell.push(next);
                        chars.next();
                    }
                    _ => cell.push(c),
                }
            }
            out.quoted += usize::from(quoted);
            push_cell(&mut out.text, &cell, quoted, sign);
            if let Some(end) = chars.next() {
                out.text.push(end);
            }
        }
        out
    }

    /// Takes what stands in quotes, and whether these are closed.
    fn take_quoted(self, chars: &mut std::iter::Peekable<std::str::Chars<'_>>, cell: &mut String) -> bool {
        while let Some(c) = chars.next() {
            match c {
                '\\' if self.escapes == Escapes::Backslash => match chars.peek().copied() {
                    Some(next) if next == self.quote || next == '\\' => {
                        cell.push(next);
                        chars.next();
                    }
                    _ => cell.push(c),
                },
                c if c == self.quote => match chars.next_if_eq(&self.quote) {
                    Some(doubled) => cell.push(doubled),
                    None => return true,
                },
                c => cell.push(c),
            }
        }
        false
    }
}

/// Adds a cell, in quotes where it needs them.
fn push_cell(text: &mut String, cell: &str, quoted: bool, sign: char) {
    let begins = cell.starts_with('"');
    if !quoted && !begins && !cell.contains([sign, '\n', '\r']) {
        return text.push_str(cell);
    }
    text.push('"');
    text.push_str(&cell.replace('"', "\"\""));
    text.push('"');
}

/// Where the rows of a text end.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowEnds {
    /// Behind every line feed.
    Lines,
    /// Behind the line feeds that stand in no quoted cell. A quote opens one at its beginning alone.
    Cells(Dialect, Delimiter),
}

impl RowEnds {
    /// How the rows of a delimited text end, of which the last may be cut off.
    pub(super) fn of(text: &str, delimiter: Delimiter) -> Self {
        let Delimiter::Character(sign) = delimiter else { return RowEnds::Cells(STANDARD, delimiter) };
        let written_in = |dialect: Dialect| {
            let end = RowEnds::Cells(dialect, delimiter).in_text(text.as_bytes()).last();
            end.and_then(|end| standard(&text[..end], sign)).is_some_and(|(_, found)| found == dialect)
        };
        let mut hinted = OTHERS.into_iter().filter(|dialect| dialect.is_hinted_at(text, char::from(sign)));
        RowEnds::Cells(hinted.find(|&dialect| written_in(dialect)).unwrap_or(STANDARD), delimiter)
    }

    /// Where the rows of a text end that begins with a row.
    pub(super) fn in_text(self, text: &[u8]) -> impl Iterator<Item = usize> {
        /// What stands before a byte.
        #[derive(PartialEq)]
        enum Before {
            CellBegin,
            Bare,
            Quoted,
            Skipped,
        }
        let mut before = Before::CellBegin;
        // What a skipped byte is within.
        let mut quoted = false;
        text.iter().enumerate().filter_map(move |(at, &byte)| {
            let RowEnds::Cells(Dialect { quote, escapes, spaces }, delimiter) = self else { return (byte == b'\n').then_some(at + 1) };
            let is_sign = |byte: u8| byte == delimiter.sign() || (delimiter == Delimiter::Spaces && byte == b'\t');
            let is_quote = |byte: u8| char::from(byte) == quote;
            let next = text.get(at + 1).copied();
            let is_escaped = |next: u8| is_quote(next) || next == b'\\' || (!quoted && is_sign(next));
            before = match before {
                Before::Skipped if quoted => Before::Quoted,
                Before::Skipped => Before::Bare,
                Before::CellBegin | Before::Bare | Before::Quoted
                    if byte == b'\\' && escapes == Escapes::Backslash && next.is_some_and(is_escaped) =>
                {
                    Before::Skipped
                }
                Before::Quoted if !is_quote(byte) => Before::Quoted,
                Before::Quoted if next == Some(byte) => Before::Skipped,
                Before::Quoted => {
                    quoted = false;
                    Before::Bare
                }
                Before::CellBegin if is_quote(byte) => {
                    quoted = true;
                    Before::Quoted
                }
                Before::CellBegin if byte == b' ' && spaces == Spaces::Skipped => Before::CellBegin,
                _ if is_sign(byte) || matches!(byte, b'\n' | b'\r') => Before::CellBegin,
                _ => Before::Bare,
            };
            (byte == b'\n' && before == Before::CellBegin).then_some(at + 1)
        })
    }
}

/// Records of a text in standard quotes, without lines of comments.
fn records(text: &str, sign: u8) -> impl Iterator<Item = StringRecord> {
    let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(sign).from_reader(text.as_bytes());
    reader.into_records().map_while(Result::ok).filter(|record| record.get(0).is_none_or(|cell| !cell.starts_with('#')))
}

/// Cells of a record without the empty ones at its end.
fn filled(record: &StringRecord) -> usize {
    record.len() - record.iter().rev().take_while(|cell| cell.trim().is_empty()).count()
}

/// How many rows there are, where each has the cells of the header.
fn fitting_rows(text: &str, sign: u8) -> Option<usize> {
    let mut all = records(text, sign);
    let width = filled(&all.next()?);
    let mut rows = 0;
    let fits = all.all(|row| {
        rows += 1;
        row.len() == width || (row.len() > width && filled(&row) <= width)
    });
    (fits && width > 1).then_some(rows)
}

/// The text in standard quotes, and how it was written, where only another way of quoting gives every row the cells of the header, or
/// closes its quotes.
pub(super) fn standard(text: &str, sign: u8) -> Option<(String, Dialect)> {
    let letter = char::from(sign);
    let mut hinted = OTHERS.into_iter().filter(|dialect| dialect.is_hinted_at(text, letter)).peekable();
    hinted.peek()?;
    let usual = STANDARD.rewritten(text, letter);
    let usual_fits = usual.sound && fitting_rows(text, sign).is_some();
    hinted.find_map(|dialect| {
        let found = dialect.rewritten(text, letter);
        let rows = fitting_rows(&found.text, sign)?;
        // Where no cell holds a separator, rows are whole in any case: a few single quotes are apostrophes then.
        let wanted = !usual_fits || dialect == OTHERS[0] || (dialect.quote == '\'' && found.quoted >= rows);
        (wanted && found.sound && found.quoted > 0 && found.text != usual.text).then_some((found.text, dialect))
    })
}

/// Rows of which each has more cells than the header, as a cell holds the separator without a quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    /// Nothing of the kind.
    None,
    /// The cells that go on in the next one are certain.
    Joined,
    /// The first two cells may be one number with a decimal comma, or a name of the row and a number.
    Either,
}

/// The text with the cells quoted that hold the separator in every row, where it is clear which these are: a date such as
/// `Jan 1, 2019`, a number such as `1,05`, or a cell behind whose separator alone there is a space.
pub(super) fn joined(text: &str, sign: u8) -> (Excess, String) {
    let none = (Excess::None, String::new());
    let mut all = records(text, sign);
    let Some(header) = all.next().filter(|header| header.iter().all(|name| !name.trim().is_empty())) else { return none };
    let (width, Some(first)) = (header.len(), all.next()) else { return none };
    let cells = first.len();
    if cells <= width {
        return none;
    }
    let rows: Vec<StringRecord> = std::iter::once(first).chain(all).collect();
    if rows.len() < 2 || rows.iter().any(|row| row.len() != cells) {
        return none;
    }
    // A first cell in quotes is whole.
    let bare = text.lines().nth(1).is_some_and(|line| !line.starts_with('"'));
    let spans = spans(&header, &rows, usize::from(!bare), char::from(sign));
    if spans.iter().map(|span| span.len() - 1).sum::<usize>() != cells - width || spans.windows(2).any(|two| two[0].end > two[1].start) {
        let number = sign == b',' && cells == width + 1 && bare && rows.iter().all(|row| is_whole(&row[0]) && is_digits(&row[1]));
        return (if number { Excess::Either } else { Excess::None }, String::new());
    }
    let mut writer = csv::WriterBuilder::new().delimiter(sign).from_writer(Vec::new());
    let mut sound = writer.write_record(&header).is_ok();
    for row in &rows {
        let mut joined: Vec<String> = Vec::with_capacity(width);
        for (at, cell) in row.iter().enumerate() {
            match joined.last_mut().filter(|_| spans.iter().any(|span| span.start < at && span.contains(&at))) {
                Some(last) => *last = format!("{last}{}{cell}", char::from(sign)),
                None => joined.push(cell.to_owned()),
            }
        }
        sound &= writer.write_record(&joined).is_ok();
    }
    let written = writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok());
    written.filter(|_| sound).map_or(none, |text| (Excess::Joined, text))
}

fn is_digits(cell: &str) -> bool {
    !cell.is_empty() && cell.bytes().all(|b| b.is_ascii_digit())
}

fn is_whole(cell: &str) -> bool {
    is_digits(cell.trim().trim_start_matches(['-', '+']))
}

/// The cells, from `first` on, that are one in every row: dates of three or two cells, then other pairs beside them.
fn spans(header: &StringRecord, rows: &[StringRecord], first: usize, sign: char) -> Vec<Range<usize>> {
    let cells = rows[0].len();
    let is_date = |span: &Range<usize>| {
        let written = |row: &StringRecord| row.iter().skip(span.start).take(span.len()).collect::<Vec<_>>().join(&sign.to_string());
        rows.iter().all(|row| dates::days(written(row).trim(), DateOrder::YearFirst).is_some())
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    for length in [3, 2] {
        for start in first..(cells + 1).saturating_sub(length) {
            let span = start..start + length;
            let free = found.iter().all(|other| other.end <= span.start || span.end <= other.start || other.len() == 2);
            if free && (is_date(&span) || (length == 2 && is_pair(header, rows, start, sign))) {
                found.push(span);
            }
        }
    }
    found.sort_by_key(|span| span.start);
    found
}

/// Whether a cell of every row goes on in the next one.
fn is_pair(header: &StringRecord, rows: &[StringRecord], at: usize, sign: char) -> bool {
    let all = |holds: &dyn Fn(&str, &str) -> bool| rows.iter().all(|row| holds(&row[at], &row[at + 1]));
    // Whole numbers have no zeros before them.
    let decimals = sign == ','
        && all(&|a, b| is_whole(a) && is_digits(b))
        && rows.iter().any(|row| row[at + 1].len() > 1 && row[at + 1].starts_with('0'));
    let spaced = |record: &StringRecord, k: usize| record[k].starts_with(' ');
    let apart = || {
        let alone = |row: &StringRecord| (1..row.len()).all(|k| spaced(row, k) == (k == at + 1)) && !row[at].trim().is_empty();
        rows.iter().all(alone) && (1..header.len()).all(|k| !spaced(header, k))
    };
    decimals || apart()
}

/// A table of one column whose blank lines between others are rows with an empty cell, how many there are, and how many stand at its end;
/// `None` where there is none. A line end within quotes ends no line.
pub(super) fn with_blank_rows(text: &str) -> Option<(String, usize, usize)> {
    let (mut out, mut blank, mut waiting, mut begun) = (String::with_capacity(text.len()), 0, 0, false);
    let mut quoted = false;
    for line in text.split_inclusive('\n') {
        if !quoted && line.trim_end_matches(['\n', '\r']).is_empty() {
            waiting += usize::from(begun);
            continue;
        }
        (0..waiting).for_each(|_| out.push_str("\"\"\n"));
        (blank, waiting) = (blank + waiting, 0);
        begun |= quoted || !line.starts_with('#');
        quoted ^= line.bytes().filter(|&b| b == b'"').count() % 2 == 1;
        out.push_str(line);
    }
    (blank + waiting > 0).then_some((out, blank, waiting))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str, sign: u8) -> Vec<Vec<String>> {
        records(text, sign).map(|row| row.iter().map(str::to_owned).collect()).collect()
    }

    #[test]
    fn cells_in_any_usual_quotes_become_cells_in_standard_quotes() {
        // Spark's default; Python's csv.writer(escapechar="\\", doublequote=False); QUOTE_NONE with an escape.
        for (text, row) in [
            ("x,c,y\n1,\"say \\\"yes\\\", now\",a\n2,b,a\n", ["1", "say \"yes\", now", "a"]),
            ("x, c, y\n1, \"red, k0\", a\n2, \"b\", a\n", ["1", "red, k0", " a"]),
            ("x,c,y\n1,'red, k1',a\n2,b,a\n", ["1", "red, k1", "a"]),
            ("x,c,y\n1,red\\, k1,a\n2,\"b\",a\n", ["1", "red, k1", "a"]),
            ("'x','c','y'\n'1','red','a'\n'2','b','a'\n", ["1", "red", "a"]),
            ("x,c,y\n1,\"C:\\\\dir\\\"\",a\n2,b,a\n", ["1", "C:\\dir\"", "a"]),
        ] {
            let (found, _) = standard(text, b',').unwrap_or_else(|| panic!("{text}"));
            assert_eq!(cells(&found, b',')[1], row, "{text}");
        }
        // What is standard, and apostrophes.
        for text in
            ["x,c\n1,\"a, \"\"b\"\"\"\n", "x,c\n1,'tis\n2,it's\n", "x,c\n1,C:\\dir\n", "x,c\n1,\"a\\\"\n2,b\n", "a\n1\n", "x,c\n1\n"]
        {
            assert!(standard(text, b',').is_none(), "{text}");
        }
    }

    #[test]
    fn cells_that_hold_the_separator_without_quotes_are_joined_where_they_can_be_nothing_else() {
        for (text, row) in [
            ("x,c,y\n1,05,k,a\n2,50,k,b\n", ["1,05", "k", "a"]),
            ("day,c,y\nJan 1, 2019,k,a\nJan 2, 2019,k,b\n", ["Jan 1, 2019", "k", "a"]),
            ("day,c,y\nFriday, March 1, 2019,k,a\nFriday, March 8, 2019,k,b\n", ["Friday, March 1, 2019", "k", "a"]),
            ("name,c,y\nDoe, John,k,a\nRoe, Jane,k,b\n", ["Doe, John", "k", "a"]),
        ] {
            let (excess, found) = joined(text, b',');
            assert_eq!((excess, cells(&found, b',')[1].join("|")), (Excess::Joined, row.join("|")), "{text}");
        }
        assert_eq!(joined("x,c,y\n1,15,k,a\n2,50,k,b\n", b',').0, Excess::Either);
        for text in ["a,b\np 1,5,u v\nq 2,6,w\n", "a,b\n1,2\n3,4\n", "a,b,c\n1,2,3,4\n5,6,7\n", "\"a\",\"b\"\n\"1\",5,6\n\"2\",6,7\n"] {
            assert_eq!(joined(text, b',').0, Excess::None, "{text}");
        }
    }

    #[test]
    fn blank_lines_between_others_are_rows_of_one_empty_cell() {
        assert_eq!(with_blank_rows("\n# c\nt\na\n\n\nb\n\n"), Some(("# c\nt\na\n\"\"\n\"\"\nb\n".into(), 2, 1)));
        assert_eq!(with_blank_rows("t\n\"a\n\nb\"\n"), None);
        assert_eq!(with_blank_rows("t\r\na\r\n\r\nb\r\n"), Some(("t\r\na\r\n\"\"\nb\r\n".into(), 1, 0)));
    }
}
