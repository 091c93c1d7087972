//! What batches hold against the whole table.

use super::*;
use std::path::Path;

fn written(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> Source {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    Source::File(path)
}

/// The cells of a column, by batch.
fn batches(source: &Source, bytes: usize, column: &str) -> Result<Vec<Vec<String>>> {
    let Source::File(path) = source else { panic!("no file") };
    let mut found = Vec::new();
    Batches::of_file(path, &ReadOptions::default(), bytes, &Control::default())?.each(&Control::default(), |batch| {
        found.push(batch.table.texts(&[column.to_owned()])?.remove(0).1);
        Ok(())
    })?;
    Ok(found)
}

/// The cells of a column in all batches are those of the whole table.
fn same_as_whole(source: &Source, bytes: usize, column: &str, least: usize) {
    let found = batches(source, bytes, column).unwrap();
    assert!(found.len() >= least, "{} batches", found.len());
    let whole = Table::read(source).unwrap();
    assert_eq!(found.concat(), whole.texts(&[column.to_owned()]).unwrap()[0].1);
}

#[test]
fn a_quote_within_a_cell_opens_none_and_one_that_opens_a_cell_holds_rows_together() {
    let folder = tempfile::tempdir().unwrap();
    // One quote in each row: were they to open cells, every other line end would be within quotes.
    let inches: String = (0..80).map(|i| format!("{i},5\" pipe,{}\n", i % 7)).collect();
    same_as_whole(&written(folder.path(), "a.csv", format!("k,what,y\n{inches}")), 300, "what", 4);
    // Line ends within quotes, doubled quotes, one at the end of the file.
    let texts: String = (0..80).map(|i| format!("{i},\"two\nlines \"\"{i}\"\"\",{}\n", i % 7)).collect();
    same_as_whole(&written(folder.path(), "b.csv", format!("k,what,y\n{texts}")), 300, "what", 4);
    // A space before a quote, and quotes behind backslashes: both hold a line end together.
    let spaced: String = (0..80).map(|i| format!("{i}, \"two\nlines, {i}\",{}\n", i % 7)).collect();
    same_as_whole(&written(folder.path(), "c.csv", format!("k,what,y\n{spaced}")), 300, "what", 4);
    let escaped: String = (0..80).map(|i| format!("{i},\"two \\\"\nlines, {i}\",{}\n", i % 7)).collect();
    same_as_whole(&written(folder.path(), "d.csv", format!("k,what,y\n{escaped}")), 300, "what", 4);
    // JSON ends its rows at line ends whatever its quotes.
    let json: String = (0..80).map(|i| format!("{{\"what\": \"5\\\" pipe {i}\", \"y\": {i}}}\n")).collect();
    same_as_whole(&written(folder.path(), "e.jsonl", json), 300, "what", 4);
}

#[test]
fn a_quote_that_is_never_closed_is_refused_by_the_row_where_it_opens() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |n: usize| (0..n).map(|i| format!("{i},plain,{}\n", i % 7)).collect::<String>();
    let text = format!("k,what,y\n{}60,\"open,1\n{}", rows(60), rows(60));
    says(&message(batches(&written(folder.path(), "a.csv", &text), 300, "what")), &["row 61 does not end within 300 B", "quote"]);
    // In a batch that is the rest of the file, rows of the message are counted from where it begins.
    let text = format!("k,what,y\n{}7,8\n", rows(60));
    says(&message(batches(&written(folder.path(), "b.csv", &text), 500, "what")), &["below row", "of the file", "has 2 cells"]);
}

#[test]
fn packed_tables_are_read_in_batches_and_damage_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..200).map(|i| format!("{i},{}\n", i % 7)).collect();
    let text = format!("k,y\n{rows}");
    let bytes: Vec<(&str, Vec<u8>)> = vec![
        ("t.csv.bz2", {
            let mut packed = bzip2::read::BzEncoder::new(text.as_bytes(), bzip2::Compression::best());
            let mut out = Vec::new();
            std::io::Read::read_to_end(&mut packed, &mut out).unwrap();
            out
        }),
        ("t.csv.zst", ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)),
    ];
    for (name, packed) in bytes {
        same_as_whole(&written(folder.path(), name, &packed), 300, "k", 4);
        says(&message(batches(&written(folder.path(), name, &packed[..packed.len() - 9]), 300, "k")), &["damaged or cut off"]);
    }
}
