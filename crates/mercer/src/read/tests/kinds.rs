use super::*;

fn kinds(text: &str) -> Vec<(String, ColumnKind)> {
    dataset(text).columns().iter().map(|c| (c.name.clone(), c.values.kind())).collect()
}

fn kind_of(cells: impl IntoIterator<Item = String>) -> Option<ColumnKind> {
    kinds(&column("x", cells)).into_iter().find(|(name, _)| name == "x").map(|(_, kind)| kind)
}

#[test]
fn numbers_words_and_missing_cells_are_told_apart() {
    let data = dataset("x,c\n1,a\nNA,b\n 3e2 ,?\n,a\nnan,a\nNone,a\nnull,b\n");
    let Values::Numbers(x) = &data.columns()[0].values else { panic!("x is not numbers") };
    assert_eq!((x[0], x[2]), (1.0, 300.0));
    assert!([1, 3, 4, 5, 6].iter().all(|&i| x[i].is_nan()));
    let Values::Categories(c) = &data.columns()[1].values else { panic!("c is not categories") };
    assert_eq!((c.label(2), c.label(3)), (Some(MISSING), Some("a")));
}

#[test]
fn byte_order_mark_line_ends_and_quotes_are_no_part_of_the_cells() {
    let data = dataset("\u{FEFF}x,t\r\n1,\"said \"\"so\"\",\r\nthen left\"\r\n\r\n2,once more with words\r\n");
    assert_eq!(data.names(), ["x", "t"]);
    let Values::Texts(t) = &data.columns()[1].values else { panic!("t is not text") };
    assert_eq!(t.iter().next(), Some("said \"so\",\r\nthen left"));
}

#[test]
fn tabs_and_semicolons_are_seen_in_the_header_and_said() {
    for (text, word) in [("a\tb,c\td\n1\t2\t3\n", "tabs"), ("a;b\n1;2\n", "semicolons")] {
        let table = parsed(text);
        assert!(table.notices()[0].contains(word), "{:?}", table.notices());
        assert!(table.header().len() >= 2);
    }
    assert!(parsed("a,\"b;c;d\"\n1,2\n").notices().is_empty());
    assert_eq!(parsed("alone\n1\n2\n").header(), ["alone"]);
}

#[test]
fn a_tsv_file_is_read_by_its_extension() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one,column.tsv");
    std::fs::write(&path, "a,b\n1\n").unwrap();
    assert_eq!(Table::read(&Source::File(path)).unwrap().header(), ["a,b"]);
}

#[test]
fn labels_that_repeat_are_categories_even_when_long() {
    assert_eq!(kind_of((0..40).map(|i| ["red", "blue"][i % 2].into())), Some(ColumnKind::Category));
    assert_eq!(kind_of((0..40).map(|i| ["Professional", "Unemployed"][i % 2].into())), Some(ColumnKind::Category));
    assert_eq!(kind_of((0..40).map(|i| ["not at all good", "very good indeed"][i % 2].into())), Some(ColumnKind::Category));
    // Labels of a short table need not repeat.
    assert_eq!(kind_of(["M", "F", "I"].map(String::from)), Some(ColumnKind::Category));
}

#[test]
fn words_among_repeating_numbers_make_labels_and_are_said() {
    let mut table = parsed(&column("x", (0..40).map(|i| if i % 4 == 3 { "none".into() } else { (i % 4).to_string() })));
    assert_eq!(table.dataset(&ReadOptions::default()).unwrap().columns()[0].values.kind(), ColumnKind::Category);
    says(&table.notices()[0], &["column 'x'", "'none' in row 4", "labels"]);
}

#[test]
fn dna_and_protein_are_sequences_and_sentences_are_texts() {
    assert_eq!(kind_of((0..40).map(|i| ["ACGTACGTACGT", "GGGGCCCCAAAA"][i % 2].into())), Some(ColumnKind::Sequence));
    assert_eq!(kind_of(["MKTAYIAKQRQISFVK", " GSHMSLFDFFKNKGSA ", "mvlspadktnvkaaw"].map(String::from)), Some(ColumnKind::Sequence));
    assert_eq!(kind_of((0..30).map(|i| format!("sentence {i} of many words"))), Some(ColumnKind::Text));
}

#[test]
fn identifiers_are_left_out_with_a_notice_that_says_how_to_keep_them() {
    let text = column("name", (0..50).map(|i| format!("ATRINS-DONOR-{i}")));
    let mut table = parsed(&text);
    assert_eq!(table.dataset(&ReadOptions::default()).unwrap().names(), ["other"]);
    says(&table.notices().join("\n"), &["column 'name'", "50 different values in 50 rows: ignored as an identifier", "--types name=text"]);
    assert_eq!(parsed(&text).dataset(&options("name=text,other=ignore")).unwrap().names(), ["name"]);
}

#[test]
fn arrays_of_numbers_of_unlike_lengths_or_with_gaps_are_series_in_tables_of_any_length() {
    for rows in [4, 80] {
        for (cell, said) in [(", 1", "holds arrays of 2 to 4 numbers"), (", NaN", "holds arrays of 2 to 4 numbers")] {
            let text = (0..rows).fold("r\ty\n".to_owned(), |text, i| text + &format!("[{i}.5{}]\t{}\n", cell.repeat(i % 3 + 1), i % 2));
            let mut table = Table::parse("t.tsv", text.as_bytes()).unwrap();
            let data = table.dataset(&ReadOptions::default()).unwrap();
            assert_eq!(data.column("r").unwrap().values.kind(), ColumnKind::Series);
            says(&table.notices().join("\n"), &["column 'r'", said, "read as series; --types r=ignore leaves it out"]);
        }
    }
    let even =
        |cell: &str| (0..12).fold("r\ty\n".to_owned(), |text, i| text + &format!("[{i}.5, {}]\t{i}.5\n", if i == 5 { cell } else { "1" }));
    let kind =
        |text: String| Table::parse("t.tsv", text.as_bytes()).unwrap().dataset(&ReadOptions::default()).unwrap().columns()[0].values.kind();
    assert_eq!((kind(even("2")), kind(even("null"))), (ColumnKind::Points, ColumnKind::Series));
    // A vector that is missing is no series.
    let mut table = Table::parse("t.tsv", even("2").replace("[3.5, 1]", "").as_bytes()).unwrap();
    assert_eq!(table.dataset(&ReadOptions::default()).unwrap().names(), ["y"]);
    says(&table.notices().join("\n"), &["column 'r'", "ignored as an identifier; --types r=series (or set, points, text) keeps it"]);
}

#[test]
fn row_numbers_written_by_a_tool_are_left_out() {
    let mut table = parsed(",x\n0,5\n1,6\n2,7\n");
    assert_eq!(table.header(), ["x"]);
    assert_eq!(table.dataset(&ReadOptions::default()).unwrap().names(), ["x"]);
    assert!(table.notices()[0].contains("counts the rows"));
    // Columns without names of their own are numbered by the same tools.
    assert_eq!(parsed("0,1\n5.5,6.5\n").header(), ["0", "1"]);
}

#[test]
fn new_tables_are_read_as_training_was() {
    let schema = Schema::of(&dataset("x,c,note\n1,a,some words here\n2,b,more words there\n"));
    let mut table = parsed("extra,note,c,x\n9,7,zz,\n9,8,b,2\n");
    let data = table.dataset_like(&schema, &ReadOptions::default()).unwrap();
    assert_eq!(Schema::of(&data), schema);
    let Values::Categories(c) = &data.column("c").unwrap().values else { panic!("c is not categories") };
    assert_eq!(c.codes, [UNSEEN, 1]);
    says(&table.notices().join("\n"), &["column 'c'", "'zz' in row 1"]);
    says(&message(parsed("c,note\na,b\n").dataset_like(&schema, &ReadOptions::default())), &["the column 'x'", "is missing"]);
    says(&message(parsed("c,note,x\na,b,1\na,b,oops\n").dataset_like(&schema, &ReadOptions::default())), &["row 2, column 'x'", "'oops'"]);
}
