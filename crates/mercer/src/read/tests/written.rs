//! What keeps its digits and its words, and what is read though it is written in an unusual way; new rows are read alike.

use super::*;
use crate::control::Control;
use crate::data::Target;

fn numbers(data: &Dataset, name: &str) -> Vec<f64> {
    match &data.column(name).unwrap().values {
        Values::Numbers(v) => v.clone(),
        other => panic!("{name} holds {}", other.kind()),
    }
}

fn labels(data: &Dataset, name: &str) -> Vec<String> {
    match &data.column(name).unwrap().values {
        Values::Categories(c) => c.names.clone(),
        other => panic!("{name} holds {}", other.kind()),
    }
}

fn read(text: &str, options: &ReadOptions) -> (Dataset, String) {
    let mut table = Table::parse_within("t.csv", text.as_bytes(), options, &Control::default()).unwrap();
    let data = table.dataset(options).unwrap();
    (data, table.notices().join("\n"))
}

fn plain(text: &str) -> (Dataset, String) {
    read(text, &ReadOptions::default())
}

fn classes(text: &str, options: &ReadOptions) -> (Vec<String>, String) {
    let mut table = Table::parse_within("t.csv", text.as_bytes(), options, &Control::default()).unwrap();
    let (_, info) = table.take_target(&["y"], options).unwrap();
    (info.classes.unwrap(), table.notices().join("\n"))
}

/// Column `x` of a table, which stands in new rows as the table has it.
fn column_of(cells: &[&str], rows: usize) -> String {
    (0..rows).fold("x;other\n".to_owned(), |text, i| text + cells[i % cells.len()] + ";1\n")
}

#[test]
fn whole_numbers_above_2_to_53_keep_their_digits_as_classes_labels_groups_and_times() {
    let names: Vec<String> = (0..3).map(|k| format!("202355258571788986{k}")).collect();
    let csv: String = (0..12).map(|i| format!("{},{}\n", i, names[i % 3])).collect();
    let json: String = (0..12).map(|i| format!("{{\"x\": {}, \"y\": {}}}\n", i, names[i % 3])).collect();
    for text in [format!("x,y\n{csv}"), json] {
        assert_eq!(classes(&text, &options("y=category")).0, names);
        assert_eq!(classes(&text, &ReadOptions::default()).0, names);
        let (data, notices) = plain(&text);
        assert_eq!(labels(&data, "y"), names);
        says(&notices, &["column 'y' holds whole numbers of which a number would lose the last digits", "--types y=number"]);
        assert_eq!(parsed(&text).take_groups("y").unwrap()[..4], [0, 1, 2, 0]);
        // Exactly one apart.
        assert_eq!(parsed(&text).times("y", &ReadOptions::default()).unwrap()[..3], [0.0, 1.0, 2.0]);
    }
    // More digits than any machine has for whole numbers.
    let long: String = (0..12).map(|i| format!("{{\"y\": 1234567890123456789012345678901234567890{}, \"x\": 1}}\n", i % 3)).collect();
    assert_eq!(classes(&long, &ReadOptions::default()).0.len(), 3);
    // Hardly any comes back, and numbers would make some of them one.
    let ids: String = (0..40).map(|i| format!("20235525857178898{i:02},1\n")).collect();
    says(&plain(&format!("code,x\n{ids}")).1, &["'code' has whole numbers", "40 different values in 40 rows: ignored as an identifier"]);
}

#[test]
fn codes_are_no_numbers_and_two_of_them_are_never_one() {
    let text = "x,y\n1,12E3\n2,12000\n3,007\n4,7\n5,1.10\n6,1.1\n7,12E3\n8,+5\n9,5.0\n10,5\n";
    assert_eq!(classes(text, &options("y=category")).0, ["1.1", "1.10", "+5", "007", "7", "12000", "12E3"]);
    // Undeclared, what no program writes for a number is a code.
    let (data, notices) = plain("c,x\n12E3,1\n7000,2\n12000,3\n12E3,4\n");
    assert_eq!(labels(&data, "c"), ["7000", "12000", "12E3"]);
    says(&notices, &["column 'c' holds codes such as 12E3: read as labels", "--types c=number"]);
    assert_eq!(numbers(&read("c,x\n12E3,1\n7000,2\n", &options("c=number")).0, "c"), [12_000.0, 7000.0]);
    assert_eq!(numbers(&plain("c,x\n1e5,1\n1.2E+03,2\n").0, "c"), [100_000.0, 1200.0]);
    assert_eq!(classes("x,y\n1,001\n2,002\n3,003\n4,001\n", &ReadOptions::default()).0, ["001", "002", "003"]);
    assert_eq!(labels(&plain("c,x\n1_000,1\n0x1F,2\n1000,3\n31,4\n").0, "c").len(), 4);
    // A marker for missing cells that is a number is none of the codes that write it otherwise.
    let marked = ReadOptions { na: vec!["0".into()], ..options("c=category") };
    assert_eq!(labels(&read("c,x\n0E5,1\n000,2\n0,3\nb,1\n", &marked).0, "c"), ["000", "0E5", MISSING, "b"]);
}

#[test]
fn words_for_a_missing_cell_are_labels_where_they_are_strings_or_the_user_says_so() {
    let rows = ["None", "Apnea", "NA", "?", "nan", "null"];
    let text: String = (0..12).map(|i| format!("{i},{}\n", rows[i % 6])).collect();
    let text = format!("x,y\n{text}");
    let sorted = ["?", "Apnea", "NA", "None", "nan", "null"];
    let (names, notices) = classes(&text, &options("y=category"));
    assert_eq!(names, sorted);
    says(&notices, &["target 'y' has the label '?', which is kept as a label", "--na=?"]);
    for marker in ["", "y="] {
        let kept = ReadOptions { na: vec![marker.into()], ..ReadOptions::default() };
        assert_eq!(classes(&text, &kept).0, sorted);
        // The model keeps them for new rows.
        let (data, _) = read(&text, &kept);
        let schema = Schema::of(&data);
        let Values::Categories(new) =
            &parsed("x,y\n1,None\n2,NA\n").dataset_like(&schema, &ReadOptions::default()).unwrap().columns()[1].values.clone()
        else {
            panic!("not categories")
        };
        assert_eq!((new.label(0), new.label(1)), (Some("None"), Some("NA")));
    }
    // Among numbers they are missing whatever is declared; with a marker of one's own, that is.
    let (names, _) = classes("x,y\n1,1\n2,2\n3,1\n", &options("y=category"));
    assert_eq!(names, ["1", "2"]);
    let mut numbers = parsed("x,y\n1,1\n2,2\n3,NA\n");
    says(&message(numbers.take_target(&["y"], &options("y=category"))), &["row 3, column 'y'", "'NA'", "--na 'y=' keeps it"]);
    // Strings of formats that have null.
    let strings: String = rows.iter().chain(&rows).enumerate().map(|(i, c)| format!("{{\"x\": {i}, \"y\": \"{c}\"}}\n")).collect();
    assert_eq!(classes(&strings, &ReadOptions::default()).0, sorted);
    let column = vec![("c".to_owned(), ["NA", "DE", "", "NA"].to_vec())];
    let data = Table::of_strings("t", 4, &column).unwrap().dataset(&ReadOptions::default()).unwrap();
    assert_eq!(labels(&data, "c"), [MISSING, "DE", "NA"]);
}

#[test]
fn units_brackets_lakhs_and_some_signs_are_read_alike_in_new_rows_and_where_they_are_declared() {
    for (cells, new, value, said) in [
        (&["161.2 m2", "23 m2", "8.5 m2"][..], "40 m2", 40.0, "numbers in m2"),
        (&["5 ft", "6 ft"], "7 ft", 7.0, "numbers in ft"),
        (&["(5.00)", "10.00", "2.50"], "(7.00)", -7.0, "brackets around"),
        (&["5.00-", "10.00", "2.50"], "7.00-", -7.0, "a minus behind"),
        (&["($5.00)", "$10.00"], "($7.00)", -7.0, "amounts in $"),
        (&["1,00,000", "12,34,567.50", "999"], "3,00,000", 300_000.0, "lakhs"),
        (&["$199.68", "20.27"], "5", 5.0, "amounts in $"),
        (&["3.095", "987", "12.345"], "1.234", 1234.0, "points that part thousands"),
        (&["10:21:07", "00:00:30"], "00:01:00", 60.0, "times"),
        // Python: (date(2020, 5, 1) - date(1970, 1, 1)).days
        (&["2019-01", "2019-02", "2019-12"], "2020-05", 18_383.0, "dates"),
        (&["01/2019", "12/2019"], "05/2020", 18_383.0, "dates"),
        (&["Jan 2019", "Feb 2019"], "May 2020", 18_383.0, "dates"),
        (&["2021-01-10", "28/05/2022"], "01/05/2020", 18_383.0, "dates, day first"),
    ] {
        let text = column_of(cells, 12);
        let (data, notices) = plain(&text);
        says(&notices, &["'x'", said]);
        let schema = Schema::of(&data);
        let schema: Schema = serde_json::from_str(&serde_json::to_string(&schema).unwrap()).unwrap();
        let fresh = parsed(&format!("other;x\n1;{new}\n")).dataset_like(&schema, &ReadOptions::default()).unwrap();
        assert_eq!(numbers(&fresh, "x"), [value], "{cells:?}");
        let word = if said.starts_with("dates") { "x=date" } else { "x=number" };
        assert_eq!(numbers(&read(&text, &options(word)).0, "x"), numbers(&data, "x"), "{cells:?}");
        // As a target, too.
        let target = parsed(&text.replacen("x;other", "y;other", 1)).take_target(&["y"], &ReadOptions::default()).unwrap().0;
        let Target::Numbers(y) = target else { panic!("{cells:?} are classes") };
        assert_eq!(y.data(), numbers(&data, "x"));
    }
}

#[test]
fn a_fault_among_declared_numbers_is_named_by_the_cell_that_departs_from_the_others() {
    for (cells, found) in
        [(&["$5", "$6", "many", "$7"][..], "row 3"), (&["5 kg", "6 kg", "7 kg", "heavy"], "row 4"), (&["12 %", "n", "5 %"], "row 2")]
    {
        let text = column_of(cells, cells.len());
        let says_so = message(parsed(&text).dataset(&options("x=number")));
        says(&says_so, &[&format!("{found}, column 'x'")]);
    }
}

#[test]
fn what_is_left_out_as_an_identifier_says_why() {
    let rows = |cell: &dyn Fn(usize) -> String| (0..40).fold("x,y\n".to_owned(), |text, i| text + &cell(i) + &format!(",{}\n", i % 3));
    for (text, why) in [
        (rows(&|i| format!("+49 371 30{i:04}")), "telephone numbers, 40 different values in 40 rows: ignored"),
        (rows(&|i| format!("u{i}@ex.com")), "has 40 different values in 40 rows: ignored"),
        (rows(&|i| format!("{i}.5 {}", ["m", "ft"][i % 2])), "numbers in different units, as in rows 1 and 2, 40 different values"),
        (
            rows(&|i| ["13/01/20", "01/13/20", "02/03/20"][i % 3].to_owned() + &format!("{:02}", i)),
            "dates in two orders, day first ('13/01/2000' in row 1)",
        ),
    ] {
        let mut table = parsed(&text);
        assert_eq!(table.dataset(&ReadOptions::default()).unwrap().names(), ["y"], "{why}");
        says(&table.notices().join("\n"), &[why]);
    }
}

#[test]
fn a_pair_of_numbers_in_each_cell_is_a_vector() {
    for (cells, new) in [
        (["\"48.1, 11.5\"", "\"47.2, 10.25\""], "\"40.0, -1.5\""),
        (["(48.1 11.5)", "(47.2 10.25)"], "(40.0 -1.5)"),
        (["\"48,1; 11,5\"", "\"47,2; 10,25\""], "\"40,0; -1,5\""),
    ] {
        let rows = |cells: &[&str]| cells.iter().fold("x,other\n".to_owned(), |text, cell| text + cell + ",1\n");
        let data = dataset(&rows(&cells));
        let Values::Points(p) = &data.column("x").unwrap().values else { panic!("no vectors") };
        assert_eq!(p.to_dense(), [48.1, 11.5, 47.2, 10.25].as_slice());
        let again = parsed(&rows(&[new])).dataset_like(&Schema::of(&data), &ReadOptions::default()).unwrap();
        let Values::Points(p) = &again.column("x").unwrap().values else { panic!("no vectors") };
        assert_eq!(p.to_dense(), [40.0, -1.5].as_slice());
    }
    let lists = "x,other\n\"1, 3\",1\n\"2, 3\",1\n\"1, 3\",1\n\"1, 3\",1\n";
    assert_eq!(labels(&dataset(lists), "x"), ["1, 3", "2, 3"]);
    says(&message(parsed("x\n\"1.5, 2\"\n\"3.5\"\n").dataset(&options("x=points"))), &["row 2, column 'x'", "a vector such as"]);
}

#[test]
fn labels_that_differ_in_case_alone_are_said() {
    let (_, notices) = classes("x,y\n1,Oak\n2,oak\n3,Elm\n4,Oak\n", &ReadOptions::default());
    says(&notices, &["target 'y' has the labels 'Oak' and 'oak', which differ in upper and lower case alone"]);
    says(&plain("c,x\nOak,1\noak,2\nElm,3\nOak,4\n").1, &["column 'c' has the labels 'Oak' and 'oak'"]);
    assert!(classes("x,y\n1,Oak\n2,Elm\n3,Oak\n", &ReadOptions::default()).1.is_empty());
}

#[test]
fn lines_above_the_header_are_counted_in_the_fault_and_skipped() {
    for (text, lines) in [
        ("Customer export\nGenerated 2024-05-01 by CRM\n\nsize,y\n1,a\n2,b\n", 3),
        ("Export\nsize;y\n1,5;a\n2,5;b\n", 1),
        ("By A, B\nsize,y,z\n1,a,2\n2,b,3\n", 1),
    ] {
        let fault = message(Table::parse("t.csv", text.as_bytes()));
        says(&fault, &["above the header", &format!("--skip {lines}")]);
        let skipping = ReadOptions { skip: lines, ..ReadOptions::default() };
        let table = Table::parse_within("t.csv", text.as_bytes(), &skipping, &Control::default()).unwrap();
        assert_eq!((table.header()[..2].join(" "), table.rows()), ("size y".into(), 2));
    }
    let two = ReadOptions { skip: 2, ..ReadOptions::default() };
    let short = Table::parse_within("t.csv", b"t\nu\na,b\n1,2\n3\n", &two, &Control::default());
    says(&message(short), &["row 2 has 1 cell", "line 5"]);
    says(&message(Table::parse_within("t.csv", b"a,b\n1,2\n", &two, &Control::default())), &["nothing below the 2 lines", "--skip"]);
}

#[test]
fn names_of_rows_as_r_and_pandas_write_them_are_set_aside() {
    for text in [
        "\"a\" \"b\"\n\"p 1\" 5 \"u v\"\n\"q 2\" 6 \"w\"\n",
        ",a,b\np 1,5,u v\nq 2,6,w\n",
        "a,b\np 1,5,u v\nq 2,6,w\n",
        "a\tb\np 1\t5\tu v\nq 2\t6\tw\n",
    ] {
        let mut table = parsed(text);
        assert_eq!(table.header(), ["row", "a", "b"], "{text}");
        assert_eq!(table.texts(&["row".into()]).unwrap()[0].1, ["p 1", "q 2"]);
        let data = table.dataset(&ReadOptions::default()).unwrap();
        assert_eq!(data.names(), ["a", "b"]);
        says(&table.notices().join("\n"), &["names of rows, called 'row'", "--types row=TYPE"]);
    }
    assert_eq!(parsed("\"a\" \"b\"\n\"1\" 5 6\n\"2\" 6 7\n").header(), ["a", "b"]);
    // Days of a series, as pandas writes the index of a frame.
    assert_eq!(parsed(",y\n2020-01-01,5\n2020-01-02,6\n").times("row", &ReadOptions::default()).unwrap(), [18_262.0, 18_263.0]);
}

#[test]
fn lines_of_libsvm_may_have_several_labels_weights_and_hashed_indices() {
    let mut table = parsed("1,3 7:0.5 9:1\n3 7:1\n 9:2\n3,1 1:1 # comment\n");
    assert_eq!(table.header(), ["target", "x", "label_1", "label_3"]);
    says(&table.notices().join("\n"), &["several labels", "--target label_1"]);
    let mut one = table.clone();
    let flags = one.take_target(&["label_3"], &ReadOptions::default()).unwrap();
    assert_eq!(flags.1.classes.unwrap(), ["0", "1"]);
    assert_eq!(one.dataset(&ReadOptions::default()).unwrap().names(), ["x"]);
    let (Target::Classes { codes, .. }, info) = table.take_target(&["target"], &ReadOptions::default()).unwrap() else { panic!() };
    assert_eq!((codes, info.classes.unwrap()), (vec![1, 0, 2, 1], ["3", "1,3", "none"].map(String::from).to_vec()));
    for text in ["1:0.5 3:1\n0:2 4:1\n", "1 cost:0.5 3:1\n0 cost:2 sid:7 4:1\n"] {
        let mut table = parsed(text);
        says(&table.notices().join("\n"), &["--weights weight"]);
        assert_eq!(table.take_weights("weight").unwrap(), [0.5, 2.0]);
        assert_eq!(table.dataset(&ReadOptions::default()).unwrap().names(), ["x"]);
    }
    // 2^64 - 2 and 5 are two features; others of a new table are none of training's.
    let mut hashed = parsed("1 5:1 18446744073709551614:2\n0 5:3\n");
    let data = hashed.dataset(&ReadOptions::default()).unwrap();
    says(&hashed.notices().join("\n"), &["up to 18446744073709551614", "the 2 that there are"]);
    let schema: Schema = serde_json::from_str(&serde_json::to_string(&Schema::of(&data)).unwrap()).unwrap();
    let mut new = parsed("1 6:1 4294967301:1 18446744073709551614:7\n");
    let Values::Points(p) = &new.dataset_like(&schema, &ReadOptions::default()).unwrap().columns()[0].values.clone() else { panic!() };
    assert_eq!(p.to_dense(), [0.0, 7.0].as_slice());
    says(&new.notices().join("\n"), &["1 row has features beyond the 2 of training"]);
    says(&message(Table::parse("t", b"1 18446744073709551615:1\n")), &["line 1, item 2", "whole number below"]);
}
