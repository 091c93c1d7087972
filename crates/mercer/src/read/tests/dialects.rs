use super::*;

fn numbers(data: &Dataset, name: &str) -> Vec<f64> {
    match &data.column(name).unwrap().values {
        Values::Numbers(v) => v.clone(),
        other => panic!("{name} holds {}", other.kind()),
    }
}

fn read(text: &str, types: &str) -> (Dataset, String) {
    let mut table = parsed(text);
    let data = table.dataset(&options(types)).unwrap();
    (data, table.notices().join("\n"))
}

#[test]
fn decimal_commas_are_read_as_numbers_and_said() {
    let (data, notices) = read("x;n\n3,5;1\n-0,25;2\n;3\n7;4\n", "");
    assert_eq!(numbers(&data, "x")[..2], [3.5, -0.25]);
    assert!(numbers(&data, "x")[2].is_nan());
    assert_eq!(numbers(&data, "n"), [1.0, 2.0, 3.0, 4.0]);
    says(&notices, &["semicolons", "column 'x'", "decimal commas"]);
    assert!(!notices.contains("'n'"), "{notices}");
    // In quotes between commas, too, where they cannot part thousands.
    let (data, _) = read("x,n\n\"3,5\",1\n\"1,234\",2\n", "");
    assert_eq!(numbers(&data, "x"), [3.5, 1.234]);
    // As target and as weights.
    let mut table = parsed("x;y;w\n1;0,5;1,5\n2;1,5;0,5\n3;2,5;1\n");
    assert_eq!(table.take_weights("w").unwrap(), [1.5, 0.5, 1.0]);
    let (target, _) = table.take_target(&["y"], &ReadOptions::default()).unwrap();
    assert_eq!(target.as_numbers("test").unwrap().data(), [0.5, 1.5, 2.5]);
}

#[test]
fn dates_become_days_and_are_said_and_can_be_labels() {
    let text = "when,x\n1970-01-02,1\n1970-01-11T12:00:00Z,2\n,3\n";
    let (data, notices) = read(text, "");
    assert_eq!(numbers(&data, "when")[..2], [1.0, 10.5]);
    says(&notices, &["column 'when'", "days since 1970-01-01", "--types when=category"]);
    let (data, notices) = read(text, "when=category");
    assert_eq!(data.column("when").unwrap().values.kind(), ColumnKind::Category);
    assert!(notices.is_empty(), "{notices}");
    // Declared, every cell is held to it.
    says(&message(parsed("when\n1970-01-02\n2.5\n").dataset(&options("when=date"))), &["row 2, column 'when'", "'2.5'", "a date such as"]);
    says(&message(parsed("when\n1970-01-02\nsoon\n").dataset(&options("when=number"))), &["row 1, column 'when'"]);
}

#[test]
fn words_for_true_and_false_become_1_and_0_and_a_target_of_them_classes() {
    let text = "smokes,y\nyes,True\nno,False\nYES,False\n";
    let mut table = parsed(text);
    let (target, info) = table.take_target(&["y"], &ReadOptions::default()).unwrap();
    assert_eq!((target.rows(), info.classes.unwrap()), (3, vec!["False".to_owned(), "True".to_owned()]));
    assert_eq!(numbers(&table.dataset(&ReadOptions::default()).unwrap(), "smokes"), [1.0, 0.0, 1.0]);
    says(&table.notices().join("\n"), &["column 'smokes'", "1 and 0", "--types smokes=category"]);
    let mut table = parsed(text);
    let (target, _) = table.take_target(&["y"], &options("y=flag")).unwrap();
    assert_eq!(target.as_numbers("test").unwrap().data(), [1.0, 0.0, 0.0]);
    let data = table.dataset(&options("smokes=category")).unwrap();
    assert_eq!(data.column("smokes").unwrap().values.kind(), ColumnKind::Category);
    says(&message(parsed("a,b\nyes,1\nmaybe,2\n").dataset(&options("a=flag"))), &["row 2, column 'a'", "'maybe'", "true or false"]);
}

#[test]
fn utf16_with_a_byte_order_mark_is_decoded_and_said() {
    let text = "n\u{e4}me,x\nb\u{f6}se,1\n\u{1F600},2\n";
    let little: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let big: Vec<u8> = [0xFE, 0xFF].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect();
    for bytes in [little, big] {
        let mut table = Table::parse("t.csv", &bytes).unwrap();
        assert_eq!(table.header(), ["n\u{e4}me", "x"]);
        says(&table.notices()[0], &["UTF-16"]);
        let data = table.dataset(&options("n\u{e4}me=text")).unwrap();
        let Values::Texts(t) = &data.columns()[0].values else { panic!("not texts") };
        assert_eq!(t.iter().collect::<Vec<_>>(), ["b\u{f6}se", "\u{1F600}"]);
    }
}

#[test]
fn new_tables_are_read_in_their_own_way_of_writing_numbers() {
    let schema = Schema::of(&dataset("x,when,ok\n1.5,2024-01-01,yes\n2.5,2024-01-02,no\n"));
    let mut table = parsed("x;when;ok\n1,5;2024-01-01T12:00;no\n");
    let data = table.dataset_like(&schema, &ReadOptions::default()).unwrap();
    assert_eq!((numbers(&data, "x"), numbers(&data, "when"), numbers(&data, "ok")), (vec![1.5], vec![19_723.5], vec![0.0]));
    // What is written as in training needs no word.
    let said = table.notices();
    assert_eq!(said.len(), 2, "{said:?}");
    says(&said.join("\n"), &["semicolons", "column 'x' holds numbers with decimal commas"]);
    assert!(!said.join("\n").contains("--types"), "a model has settled the types: {said:?}");
    says(
        &message(parsed("x,when,ok\n1,2024-01-01,yes\n1,2024-01-01,2\n").dataset_like(&schema, &ReadOptions::default())),
        &["row 2, column 'ok'", "'2'", "yes or no"],
    );
}

#[test]
fn times_are_numbers_or_dates_without_gaps() {
    let table = parsed("when,n,x\n1970-01-03,5,1\n1970-01-02,4,2\n");
    assert_eq!(
        (table.times("when", &ReadOptions::default()).unwrap(), table.times("n", &ReadOptions::default()).unwrap()),
        (vec![2.0, 1.0], vec![5.0, 4.0])
    );
    says(&message(table.times("wen", &ReadOptions::default())), &["unknown column 'wen'", "did you mean 'when'"]);
    says(&message(parsed("t\n1\n2\nNA\n").times("t", &ReadOptions::default())), &["row 3, column 't'", "a value"]);
    says(&message(parsed("t,x\n1,1\nsoon,2\n").times("t", &ReadOptions::default())), &["row 1, column 't'", "a date such as"]);
}

#[test]
fn quotes_that_do_not_stand_around_cells_are_a_part_of_the_text() {
    // The first line opens a quote that the second seems to close.
    let text = "kind\tsaid\nham\t\"wait for me\nham\tyes\nspam\t\"now\" or never\nham\t\"fine\"\n";
    let table = parsed(text);
    assert_eq!(table.texts(&["said".into()]).unwrap()[0].1, ["\"wait for me", "yes", "\"now\" or never", "\"fine\""]);
    says(&table.notices().join("\n"), &["row 1", "quotes are read as a part of the text"]);
    // Cells of several lines stay what they are.
    let table = parsed("a,b\n1,\"two\nlines, \"\"quoted\"\"\"\n2,x\n");
    assert_eq!(table.texts(&["b".into()]).unwrap()[0].1, ["two\nlines, \"quoted\"", "x"]);
    assert!(table.notices().is_empty());
}
