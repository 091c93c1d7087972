//! The cell separator of a text table, detected from its first lines.

use super::options::Delimiter;
use crate::data::ColumnKind;
use std::borrow::Cow;

/// Lines that are looked at.
pub(super) const LOOKED_AT: usize = 50;
/// Signs that part cells, the more telling before the less: a comma may stand within numbers and sentences.
const SIGNS: [u8; 4] = [b'\t', b';', b'|', b','];

impl Delimiter {
    pub(super) const COMMA: Delimiter = Delimiter::Character(b',');

    /// The character between cells; of several spaces one is left.
    pub(super) fn sign(self) -> u8 {
        match self {
            Delimiter::Character(sign) => sign,
            Delimiter::Spaces => b' ',
        }
    }

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

/// The text below so many lines.
pub(super) fn below(text: &str, lines: usize) -> &str {
    (0..lines).fold(text, |text, _| text.split_once('\n').map_or("", |(_, rest)| rest))
}

/// How many lines stand above the header of a table, which they are narrower than, padded by signs or not, and below which every line
/// has as many signs; `None` where the table begins with the first line, where that may be a header of rows that hold a sign more, or
/// where each line below is one cell with signs of its own, as a graph.
pub(super) fn lines_above(text: &str) -> Option<usize> {
    let lines: Vec<(usize, &str)> = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).take(LOOKED_AT).collect();
    if lines.iter().skip(1).all(|(_, line)| ColumnKind::ALL.iter().any(|kind| kind.looks_like(line.trim()))) {
        return None;
    }
    let begins = |sign: u8| {
        let rows: Vec<Vec<&str>> = lines.iter().map(|(_, line)| cells_of(line, sign)).collect();
        let filled: Vec<usize> = rows.iter().map(|row| row.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1)).collect();
        let usual = |width: &usize| (filled.iter().filter(|&n| n == width).count(), *width);
        let width = filled.iter().copied().max_by_key(usual).filter(|&width| width > 1)?;
        let first = filled.iter().position(|&n| n >= width).filter(|&first| first > 0)?;
        let (above, below) = rows.split_at(first);
        let (header, below) = below.split_first()?;
        let even = !below.is_empty() && below.iter().all(|row| row.len() == header.len());
        let (padded, set_apart) = (above.iter().all(|row| row.len() == header.len()), lines[first].0 > lines[first - 1].0 + 1);
        let titles = filled[..first].iter().all(|&n| n < 2) && (first > 1 || padded || set_apart);
        (even && (titles || are_names(header, below))).then(|| lines[first].0)
    };
    SIGNS.into_iter().filter_map(begins).min()
}

/// The cells of a line, without the quotes and spaces around them.
fn cells_of(line: &str, sign: u8) -> Vec<&str> {
    let (mut cells, mut begin, mut quoted) = (Vec::new(), 0, false);
    for (at, b) in line.bytes().enumerate() {
        quoted ^= b == b'"';
        if b == sign && !quoted {
            cells.push(&line[begin..at]);
            begin = at + 1;
        }
    }
    cells.push(&line[begin..]);
    cells.into_iter().map(|cell| cell.trim().trim_matches('"').trim()).collect()
}

/// Whether no cell of a line is a number, and some column below it is of numbers.
fn are_names(header: &[&str], below: &[Vec<&str>]) -> bool {
    let is_number = |cell: &str| cell.replacen(',', ".", 1).parse::<f64>().is_ok();
    let of_numbers = |k: usize| {
        let mut cells = below.iter().filter_map(|row| row.get(k)).filter(|cell| !cell.is_empty()).peekable();
        cells.peek().is_some() && cells.all(|cell| is_number(cell))
    };
    !header.iter().any(|cell| is_number(cell)) && (0..header.len()).any(of_numbers)
}

/// Detects the cell separator: of the candidates in the first line, the one that occurs equally often in every line; otherwise
/// the most frequent; spaces where there is no candidate and they separate every line alike, with numbers or labels among the cells.
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
    let settled = (0..SIGNS.len()).find(|&k| !in_rows.is_empty() && steady(k));
    // A comma wins a draw: it is the last, and the last of the largest is taken.
    let most = (0..SIGNS.len()).max_by_key(|&k| in_header[k]);
    settled.or(most).map_or(Delimiter::COMMA, |k| Delimiter::Character(SIGNS[k]))
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

/// Whether spaces part every line into as many cells, with a number among them, or with labels that come back in three cells or more, or
/// with quotes around words; the header may lack a cell above the names of rows, as R's write.table has it.
fn parted_by_spaces(header: &str, rows: &[&str]) -> bool {
    // Fewer lines of as many words each may be texts.
    const FEWEST_ROWS: usize = 8;
    let cells = |line: &str| squeezed(line.trim()).split(' ').map(str::to_owned).collect::<Vec<_>>();
    let quoted = |line: &str| line.bytes().filter(|&b| b == b'"').count() >= 2;
    // Spaces within quotes part nothing: a sign stands for them.
    let whole = |line: &str| {
        let mut inside = false;
        let kept: String = line.chars().map(|c| (inside ^= c == '"', if inside && c == ' ' { '_' } else { c }).1).collect();
        cells(if quoted(line) { &kept } else { line })
    };
    let names = whole(header);
    let in_quotes = |cells: &[String]| cells.iter().all(|cell| cell.len() > 1 && cell.starts_with('"') && cell.ends_with('"'));
    let rows: Vec<Vec<String>> = rows.iter().map(|row| whole(row)).collect();
    let Some(first) = rows.first().map(Vec::len) else { return false };
    let numbers = |k: usize| rows.iter().all(|row| row[k].trim_matches('"').parse::<f64>().is_ok() || row[k] == "NA");
    let labels = |k: usize| {
        let different: std::collections::HashSet<&str> = rows.iter().map(|row| row[k].as_str()).collect();
        rows.len() >= FEWEST_ROWS && 2 * different.len() <= rows.len() && !different.contains(names[k].as_str())
    };
    let row_names = first == names.len() + 1 && quoted(header);
    let even = (row_names || (first == names.len() && names.len() > 1)) && rows.iter().all(|row| row.len() == first);
    let own = usize::from(row_names)..first;
    let of_words = || in_quotes(&names) && rows.iter().all(|row| in_quotes(row)) || (!row_names && first > 2 && own.clone().any(labels));
    even && (own.clone().any(numbers) || of_words())
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
        // R: write.table(data.frame(a = 1:2, b = c("p q", "r")))
        assert_eq!(sniff("\"a\" \"b\"\n\"1\" 1 \"p q\"\n\"2\" 2 \"r\"\n"), Delimiter::Spaces);
        let words =
            (0..12).fold("name city y\n".to_owned(), |text, i| text + &format!("N{i} {} {}\n", ["Rome", "Paris"][i % 2], i % 3 > 0));
        assert_eq!(sniff(&words), Delimiter::Spaces);
        assert_eq!(sniff("\"name\" \"city\"\n\"1\" \"N 1\" \"Rome\"\n\"2\" \"N\" \"Paris\"\n"), Delimiter::Spaces);
        let names = (0..12).fold("first second last\n".to_owned(), |text, i| text + &format!("A{i} B{i} C{i}\n"));
        assert_eq!(sniff(&names), Delimiter::COMMA);
        assert_eq!(sniff("full name\nAda Lovelace\nAlan Turing\n"), Delimiter::COMMA);
        assert_eq!(sniff("a note\nthree words here\n1 2\n"), Delimiter::COMMA);
        assert_eq!(squeezed("  a  b\t c \n1 \"x  y\"\n\n 2 3"), "a b c\n1 \"x  y\"\n\n2 3");
    }

    #[test]
    fn lines_above_a_table_are_counted_where_all_below_have_as_many_signs() {
        assert_eq!(lines_above("Customer export\nGenerated 2024\n\na,b\n1,2\n3,4\n"), Some(3));
        assert_eq!(lines_above("Export\na;b\n1,5;2\n3;4\n"), Some(1));
        assert_eq!(lines_above("By me, 2024\na,b,c\n1,2,3\n3,4,5\n"), Some(1));
        // A blank line sets a title apart, where no column of numbers tells a header.
        assert_eq!(lines_above("Export of today\n\nname,city,job\nAnn,Bern,x\nBob,Zug,y\n"), Some(2));
        // Excel pads what stands above a table.
        assert_eq!(lines_above("Sales;;\nAs of;2024-02-03;\n;;\nname;size;y\na;1,5;2\nb;2,5;3\n"), Some(3));
        assert_eq!(lines_above("Report Q1,,\nname,city,job\nAnn,Bern,x\nBob,Zug,y\n"), Some(1));
        // A header whose rows hold a sign more.
        for text in
            ["x,c,y\n1,5,k,a\n2,5,k,b\n", "text\nhello, world\ngood, morning\n", "a,b,\n1,2,3\n4,5,6\n", "n,c\nDoe,Jo,k\nRoe,Al,l\n"]
        {
            assert_eq!(lines_above(text), None, "{text}");
        }
        for text in ["a,b\n1,2\n3,4\n", "a,b,c\n1,2\n3,4\n", "alone\n1\n2\n", "alone\na,b\n", "g\nC O | 0-1\nC C | 0-1\n"] {
            assert_eq!(lines_above(text), None, "{text}");
        }
    }

    #[test]
    fn the_line_of_excel_names_the_sign() {
        assert_eq!(excel_line("sep=;\r\na;b\n"), Some((Delimiter::Character(b';'), "a;b\n")));
        assert_eq!(excel_line("sepal,petal\n1,2\n"), None);
    }
}
