//! Texts one a line: `LABEL text of the row`, with a space or tab behind the label, as the questions of TREC are; in a folder, a
//! file for each class.

use super::ColumnType;
use super::cells::Cells;
use super::infer::shortened;
use super::table::{Raw, Table};
use super::texts::{LABEL, TEXT};
use crate::error::{Error, Result};

/// Reads a label and a text from each line that is not empty.
pub(super) fn parse(file: &str, text: &str) -> Result<Table> {
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Some((label, text)) = line.trim().split_once(char::is_whitespace) else {
            let found = shortened(line.trim());
            let why = format!("line {}: found '{found}', expected a label, a space and a text", number + 1);
            return Err(Error::Table { file: file.to_owned(), why });
        };
        rows.push((label, text));
    }
    table(file, &rows)
}

/// Reads a text from each line of several files; its label is the name of its file, without an ending that all of them have.
pub(super) fn of_files(file: &str, files: &[(String, String)]) -> Result<Table> {
    let names: Vec<&str> = files.iter().map(|(path, _)| path.rsplit('/').next().unwrap_or(path)).collect();
    let ending = |name: &str| name.rsplit_once('.').map(|(_, ending)| ending.to_owned());
    let common = names.first().and_then(|name| ending(name)).filter(|first| names.iter().all(|name| ending(name).as_ref() == Some(first)));
    let label = |name: &'_ str| common.as_ref().map_or(name.len(), |ending| name.len() - ending.len() - 1);
    let lines = files.iter().zip(&names).flat_map(|((_, text), name)| {
        text.lines().filter(|line| !line.trim().is_empty()).map(move |line| (&name[..label(name)], line.trim()))
    });
    table(file, &lines.collect::<Vec<_>>())
}

fn table(file: &str, rows: &[(&str, &str)]) -> Result<Table> {
    if rows.is_empty() {
        return Err(Error::Table { file: file.to_owned(), why: "there are no lines in it; expected a label and a text on each".into() });
    }
    let (mut labels, mut texts) = (Cells::new(true, true), Cells::new(true, true));
    for (label, text) in rows {
        labels.push(label);
        texts.push(text);
    }
    let columns = vec![(LABEL.to_owned(), Raw::Cells(labels)), (TEXT.to_owned(), Raw::Cells(texts))];
    let own_types = vec![(LABEL.to_owned(), ColumnType::CATEGORY), (TEXT.to_owned(), ColumnType::TEXT)];
    let own_target = vec![LABEL.to_owned()];
    Ok(Table { aside: own_target.clone(), own_target, own_types, ..Table::of_raw(file, rows.len(), columns)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Control;
    use crate::read::{ReadOptions, Source};

    #[test]
    fn a_line_is_a_label_and_a_text_and_a_folder_has_a_file_for_each_class() {
        let options = ReadOptions { lines: true, ..ReadOptions::default() };
        let text = "DESC:manner How did serfdom develop ?\nHUM\tWho, \"then\" ?\n\n";
        let table = Table::parse_within("t", text.as_bytes(), &options, &Control::default()).unwrap();
        assert_eq!((table.rows(), table.own_target()), (2, &["label".to_owned()][..]));
        assert_eq!(table.texts(&["text".into()]).unwrap()[0].1, ["How did serfdom develop ?", "Who, \"then\" ?"]);
        let fault = Table::parse_within("t", b"a b c\nalone\n", &options, &Control::default()).unwrap_err().to_string();
        assert!(fault.contains("line 2: found 'alone', expected a label"), "{fault}");
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("film.neg", "dull\nlong , dull\n"), ("film.pos", "fine\n\n")] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let table = Table::read_within(&Source::File(folder.path().into()), &options, &Control::default()).unwrap();
        assert_eq!(table.texts(&["label".into()]).unwrap()[0].1, ["film.neg", "film.neg", "film.pos"]);
        let files = [("b/pos.txt".to_owned(), "x\n".to_owned()), ("b/neg.txt".to_owned(), "y\n".to_owned())];
        assert_eq!(of_files("t", &files).unwrap().texts(&["label".into()]).unwrap()[0].1, ["pos", "neg"]);
    }
}
