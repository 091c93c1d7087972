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

/// The columns of the sample of all rows, and of the whole table.
fn sampled_and_whole(source: &Source, bytes: usize, drop: &[&str]) -> [Dataset; 2] {
    let Source::File(path) = source else { panic!("no file") };
    let (control, options) = (Control::default(), ReadOptions::default());
    let batches = Batches::of_file(path, &options, bytes, &control).unwrap();
    let sampled = batches.sample(usize::MAX, 0, &control).unwrap();
    let whole = Table::read(source).unwrap();
    assert!(sampled.batches > 2 && batches.header() == whole.header() && batches.own_target() == whole.own_target());
    [sampled.table, whole].map(|mut table| {
        drop.iter().for_each(|name| assert!(table.take_cells(name).is_ok()));
        table.dataset(&options).unwrap()
    })
}

#[test]
fn what_late_rows_of_sparse_vectors_have_is_known_before_the_first_batch() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |n: usize| (0..n).map(|i| format!("{}.5 {}:{} {}:1\n", i % 5, 1 + i % 3, i + 1, 6 + i % 2)).collect::<String>();
    for (name, late, columns) in [
        // The largest index, index 0, a group and a weight, several labels, a hashed index.
        ("a", "1 9:4 20:1\n", &["target", "x"][..]),
        ("b", "1 0:4\n", &["target", "x_from_0"]),
        ("c", "1:2 qid:7 3:4\n", &["target", "x", "qid", "weight"]),
        ("d", "1,2 3:4\n4:1\n", &["target", "x", "label_0.5", "label_1", "label_1.5", "label_2", "label_2.5", "label_3.5", "label_4.5"]),
        ("e", "1 3:4 987654321987:1\n", &["target", "x"]),
    ] {
        let source = written(folder.path(), name, format!("{}{late}{}", rows(60), rows(30)));
        same_as_whole(&source, 300, "target", 4);
        let Source::File(path) = &source else { panic!("no file") };
        let batches = Batches::of_file(path, &ReadOptions::default(), 300, &Control::default()).unwrap();
        assert_eq!(batches.header(), columns);
        let [sampled, whole] = sampled_and_whole(&source, 300, &[]);
        assert_eq!(sampled, whole, "{name}");
    }
    let source = written(folder.path(), "f", format!("{}1 3:x\n", rows(60)));
    says(&message(batches(&source, 300, "target")), &["line 61, item 2: found '3:x'"]);
}

#[test]
fn arrays_are_read_by_rows_whatever_their_order_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = |kind: &str, order: &str, shape: &str, data: &[u8]| {
        let header = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        [crate::npy::MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
    };
    let numbers = |i: usize, k: usize| (10 * i + k) as f32;
    let by_rows: Vec<u8> = (0..60).flat_map(|i| (0..3).flat_map(move |k| numbers(i, k).to_le_bytes())).collect();
    let by_columns: Vec<u8> = (0..3).flat_map(|k| (0..60).flat_map(move |i| numbers(i, k).to_le_bytes())).collect();
    let c = file("<f4", "False", "(60, 3)", &by_rows);
    let fortran = file("<f4", "True", "(60, 3)", &by_columns);
    for (name, bytes) in [("c.npy", &c), ("f.npy", &fortran)] {
        let source = written(folder.path(), name, bytes);
        let [sampled, whole] = sampled_and_whole(&source, 200, &[]);
        assert_eq!(sampled, whole);
        same_as_whole(&source, 200, "x2", 8);
        assert!(batches(&written(folder.path(), name, &bytes[..bytes.len() - 1]), 200, "x2").is_err());
        let longer = batches(&written(folder.path(), name, [bytes, &[0][..]].concat()), 200, "x2");
        says(&message(longer), &["promises", "copy it again"]);
    }
    let packed = ruzstd::encoding::compress_to_vec(&c[..], ruzstd::encoding::CompressionLevel::Fastest);
    same_as_whole(&written(folder.path(), "c.npy.zst", packed), 200, "x1", 8);
    let packed = ruzstd::encoding::compress_to_vec(&fortran[..], ruzstd::encoding::CompressionLevel::Fastest);
    says(&message(batches(&written(folder.path(), "f.npy.zst", packed), 200, "x1")), &["unpack it, or save it with order C"]);
    // A series for each row.
    let source = written(folder.path(), "s.npy", file("<f4", "False", "(12, 5, 3)", &by_rows));
    let [sampled, whole] = sampled_and_whole(&source, 300, &[]);
    assert_eq!(sampled, whole);
    says(&message(batches(&written(folder.path(), "e.npy", file("<f4", "False", "(0, 3)", &[])), 200, "x0")), &["is empty"]);
}
