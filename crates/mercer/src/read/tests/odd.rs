//! A few odd cells in a column, cells that hold the separator, marks that are not seen: nothing is lost or read as something else
//! without a word.

use super::*;
use crate::control::Control;

fn read(text: &str, options: &ReadOptions) -> Result<(Dataset, String)> {
    let mut table = Table::parse_within("t.csv", text.as_bytes(), options, &Control::default())?;
    let data = table.dataset(options)?;
    let said = table.notices().join("\n");
    Ok((data, said))
}

fn plain(text: &str) -> Result<(Dataset, String)> {
    read(text, &ReadOptions::default())
}

/// A column `x` of 24 cells, those of row 8 replaced, beside another.
fn with_odd(cell: &dyn Fn(usize) -> String, odd: &str) -> String {
    column("x", (0..24).map(|i| format!("\"{}\"", if i == 7 { odd.to_owned() } else { cell(i) })))
}

#[test]
fn an_odd_cell_among_numbers_of_any_notation_is_named_and_keeps_no_column_out() {
    let day = |i: usize| format!("2017-02-{:02}", i + 1);
    for (cell, odd, expected) in [
        (&day as &dyn Fn(usize) -> String, "2017-02-29", "a date such as 2024-03-01"),
        (&day, "0000-00-00", "a date"),
        (&day, "unknown", "a date"),
        (&|i| format!("2017-02-{:02}", i % 6 + 1), "2017-02-30", "a date"),
        (&|i| format!("{:02}/01/2016", i + 1), "soon", "22/11/2022"),
        (&|i| format!("{}:{:02}:07", i + 1, 2 * i), "25h", "a time such as 10:21:07"),
        (&|i| format!("{}:{:02}.5", i + 1, 2 * i), "dnf", "a time in minutes and seconds"),
        (&|i| format!("{i} days 10:00:00"), "none", "a time such as"),
        (&|i| format!("{}.5%", 3 * i), "21.5", "one of the percentages"),
        (&|i| format!("{}.5%", 3 * i), "< 1%", "one of the percentages"),
        (&|i| format!("${},500.00", i + 1), "n.d.", "one of the amounts in $"),
        (&|i| format!("{}.5 kg", 3 * i), "heavy", "one of the numbers in kg"),
        (&|i| format!("{i}.5 ± 0.1"), "n.d.", "an uncertainty behind each"),
        (&|i| format!("0.{i}5D+04"), "n.d.", "a number"),
        (&|i| format!("{}.5", 3 * i), "21h", "a number"),
        (&|i| format!("{},500", i + 1), "unknown", "--decimal ."),
        (&|i| format!("[{i}.5, 2.5]"), "none", "an array of numbers"),
        (&|i| format!("({i}.5 2.5)"), "here", "a vector"),
    ] {
        let text = with_odd(cell, odd);
        let said = message(plain(&text));
        says(&said, &["row 8, column 'x'", &format!("found '{odd}'"), expected, "--types x=category"]);
        // Declared numbers name it too, and the way out works.
        if !expected.contains("vector") && !expected.contains("array") {
            says(&message(read(&text, &options("x=number"))), &["row 8, column 'x'", &format!("found '{odd}'")]);
            let decimal = Some(Decimal::Point);
            let (data, _) = read(&text, &ReadOptions { na: vec![odd.into()], decimal, ..ReadOptions::default() }).unwrap();
            assert_eq!(data.column("x").unwrap().values.kind(), ColumnKind::Number, "{odd}");
        }
    }
}

#[test]
fn amounts_beside_words_and_powers_of_1000_are_numbers_with_the_words_named() {
    let cells = ["34k", "89,467", "139079", "\"105,560\"", "42,056"];
    let rows: String = (0..100)
        .map(|i| format!("{},{i}\n", if i % 20 == 19 { "unknown".into() } else { format!("\"{}\"", cells[i % 5].trim_matches('"')) }))
        .collect();
    let text = format!("income,y\n{rows}");
    says(&message(plain(&text)), &["row 20, column 'income'", "'unknown'", "--na=unknown", "--decimal ."]);
    says(&message(read(&text, &options("income=number"))), &["row 20", "'unknown'", "--decimal ."]);
    let without = ReadOptions { na: vec!["unknown".into()], ..ReadOptions::default() };
    says(&message(read(&text, &without)), &["'89,467'", "--decimal . says that commas part thousands"]);
    says(&message(read(&text, &ReadOptions { na: without.na.clone(), ..options("income=number") })), &["'89,467'", "--decimal ."]);
    let (data, said) = read(&text, &ReadOptions { decimal: Some(Decimal::Point), ..without }).unwrap();
    let Values::Numbers(v) = &data.column("income").unwrap().values else { panic!("no numbers") };
    assert_eq!(v[..5], [34_000.0, 89_467.0, 139_079.0, 105_560.0, 42_056.0]);
    says(&said, &["k, M or bn for powers of 1000"]);
}

#[test]
fn values_with_an_uncertainty_are_the_values_and_that_is_said() {
    let rows: String = (0..12).map(|i| format!("{i}.25 ± 0.{i},{}\n", i % 2)).collect();
    let (data, said) = plain(&format!("flux,y\n{rows}")).unwrap();
    let Values::Numbers(v) = &data.column("flux").unwrap().values else { panic!("no numbers") };
    assert_eq!(v[3], 3.25);
    says(&said, &["column 'flux' holds numbers with an uncertainty behind each", "left out", "--weights"]);
}

#[test]
fn cells_that_hold_the_separator_are_read_whole_or_refused_and_no_header_is_given_up() {
    for (rows, first) in [
        ("x,c,y\n{i}.5,\"say \\\"yes\\\", now\",{a}\n", "x number, c category, y number"),
        ("x, c, y\n{i}.5, \"red, k\", {a}\n", "x number, c category, y number"),
        ("x,c,y\n{i}.5,'red, k',{a}\n", "x number, c category, y number"),
        ("x,c,y\n{i}.5,red\\, k,{a}\n", "x number, c category, y number"),
        ("x,c,y\n{i},0{a},k,{a}\n", "x number, c category, y number"),
        ("day,c,y\nJan {i}, 2019,k,{a}\n", "day number, c category, y number"),
    ] {
        let (header, row) = rows.split_once('\n').unwrap();
        let body: String = (1..25).map(|i| row.replace("{i}", &i.to_string()).replace("{a}", &(i % 2).to_string())).collect();
        let (data, said) = plain(&format!("{header}\n{body}")).unwrap();
        let kinds: Vec<String> = data.columns().iter().map(|c| format!("{} {}", c.name, c.values.kind())).collect();
        assert_eq!((kinds.join(", "), data.rows()), (first.to_owned(), 24), "{rows}");
        assert!(said.contains("quote") || said.contains("backslash") || said.contains("separator"), "{rows}: {said}");
    }
    // What could be two things is refused, and not by giving up the header.
    for rows in ["x,c,y\n{i},1{a},k,{a}\n", "x,c,y\n7,1{a},k,{a}\n", "text\nhello,world {i}\n", "n,c,y\n{a}.5,k,7,{a}\n"] {
        let (header, row) = rows.split_once('\n').unwrap();
        let body: String = (1..25).map(|i| row.replace("{i}", &i.to_string()).replace("{a}", &(i % 2).to_string())).collect();
        let said = message(plain(&format!("{header}\n{body}")));
        assert!(said.contains("cell") && !said.contains("--skip"), "{rows}: {said}");
    }
}

#[test]
fn a_last_line_of_totals_is_left_out_where_its_numbers_are_the_sums() {
    let rows: String = (0..12).map(|i| format!("{i},5;k{};{}\n", i % 3, i)).collect();
    let (data, said) = plain(&format!("a;c;n\n{rows}Summe;;66\n")).unwrap();
    assert_eq!((data.rows(), data.column("a").unwrap().values.kind()), (12, ColumnKind::Number));
    says(&said, &["row 13, 'Summe', holds the sums or means of the others: left out"]);
    // A word for totals among the numbers of a column that are no sums is an odd cell, with a word about it.
    let mut table = parsed(&format!("a;c;n\n{rows}Total;;67\n"));
    says(&message(table.dataset(&ReadOptions::default())), &["row 13, column 'a'", "'Total'"]);
    says(&table.notices().join("\n"), &["row 13 opens with 'Total'", "no sums"]);
}

#[test]
fn labels_in_an_order_are_numbers_where_that_is_declared_and_named_where_not() {
    let answers = ["low", "Medium", "high"];
    let rows: String = (0..12).map(|i| format!("{},{}\n", answers[i % 3], i % 2)).collect();
    let text = format!("q,y\n{rows}");
    let (data, said) = plain(&text).unwrap();
    assert_eq!(data.column("q").unwrap().values.kind(), ColumnKind::Category);
    says(&said, &["column 'q' has labels in an order (low < Medium < high)", "--types q=ordinal reads the numbers 0 to 2"]);
    let (data, said) = read(&text, &options("q=ordinal")).unwrap();
    assert_eq!(data.columns()[0].values, Values::Numbers((0..12).map(|i| f64::from(i % 3)).collect()));
    assert!(!said.contains("order"), "{said}");
    // New rows keep the order, whatever they hold.
    let schema: Schema = serde_json::from_str(&serde_json::to_string(&Schema::of(&data)).unwrap()).unwrap();
    let new = parsed("q,y\nHIGH,0\n,1\n").dataset_like(&schema, &ReadOptions::default()).unwrap();
    assert!(matches!(&new.columns()[0].values, Values::Numbers(v) if v[0] == 2.0 && v[1].is_nan()));
    says(&message(parsed("q,y\nhuge,0\n").dataset_like(&schema, &ReadOptions::default())), &["row 1, column 'q'", "low < Medium < high"]);
    // Any order may be given, also of a target.
    let own = options("q=ordinal(high<low<medium)");
    assert_eq!(read(&text, &own).unwrap().0.columns()[0].values, Values::Numbers((1..13).map(|i| f64::from(i % 3)).collect()));
    let target = parsed(&text).take_target(&["q"], &own).unwrap().0;
    assert_eq!(target.as_numbers("test").unwrap().data()[..3], [1.0, 2.0, 0.0]);
    says(&message(parsed("q,y\nred,1\nblue,2\n").dataset(&options("q=ordinal"))), &["'q' is declared ordinal", "ordinal("]);
    says(&message(ReadOptions::with_types(["q=ordinal(a<a)"])), &["two different labels"]);
}

#[test]
fn names_and_labels_are_one_however_their_letters_are_composed() {
    // UAX 15: o and U+0308 compose to U+00F6.
    let text = "gro\u{308}\u{df}e,c\n1,cafe\u{301}\n2,caf\u{e9}\n3,bar\n";
    let mut table = parsed(text);
    assert_eq!(table.header(), ["gr\u{f6}\u{df}e", "c"]);
    let asked = options("gro\u{308}\u{df}e=number");
    let (target, info) = table.take_target(&["c"], &asked).unwrap();
    assert_eq!((target.rows(), info.classes.unwrap()), (3, vec!["bar".to_owned(), "caf\u{e9}".to_owned()]));
    let data = table.dataset(&asked).unwrap();
    assert!(data.column("gro\u{308}\u{df}e").is_ok() && parsed(text).has_column("gro\u{308}\u{df}e"));
    // A model takes new tables whose letters are composed otherwise.
    let schema = Schema::of(&dataset(text));
    let new = parsed("gr\u{f6}\u{df}e,c\n1,cafe\u{301}\n").dataset_like(&schema, &ReadOptions::default()).unwrap();
    let Values::Categories(c) = &new.columns()[1].values else { panic!("no labels") };
    assert_ne!(c.codes, [UNSEEN]);
}

#[test]
fn characters_that_are_not_seen_make_no_other_label() {
    for (text, part) in [
        ("\u{FEFF}c,x\nred,1\nblue,2\n\u{FEFF}red,3\nblue,4\n", "a byte order mark stands within the table (first in line 4)"),
        ("c,x\nred,1\nblue,2\nred\u{200B},3\nblue,4\n", "column 'c' has spaces of zero width (U+200B) (first in row 3)"),
        ("c,x\nr\u{AD}ed,1\nblue,2\nred,3\nblue,4\n", "soft hyphens (U+00AD)"),
        ("c,x\nred,1\nblue,2\nred\u{2060},3\nblue\u{7},4\n", "U+2060"),
    ] {
        let (data, said) = plain(text).unwrap();
        let Values::Categories(c) = &data.columns()[0].values else { panic!("no labels: {text:?}") };
        assert_eq!(c.names, ["blue", "red"], "{text:?}");
        says(&said, &[part]);
    }
    let (data, said) = plain("c,x\nNew\u{A0}York,1\nNew York,2\nBonn,3\nBonn,4\n").unwrap();
    assert!(matches!(&data.columns()[0].values, Values::Categories(c) if c.names == ["Bonn", "New York"]));
    says(&said, &["no-break spaces (U+00A0)", "read as plain spaces"]);
    let (_, said) = plain("c,x\nNew\u{2003}York,1\nNew York,2\nBonn,3\nBonn,4\n").unwrap();
    says(&said, &["two labels here", "U+2003"]);
}

#[test]
fn lines_end_in_carriage_returns_alone_in_every_format() {
    for (text, rows) in [
        ("x,y\n1,a\n2,b\n", 2),
        ("{\"x\": 1}\n{\"x\": 2}\n", 2),
        ("1 1:0.5 3:1\n0 2:1\n", 2),
        (">a label=1\nACGT\n>b label=0\nAC\nGT\n", 2),
        ("@a label=1\nACGT\n+\nIIII\n@b label=0\nAC\n+\nII\n", 2),
        ("@relation r\n@attribute x numeric\n@data\n1\n2\n3\n", 3),
    ] {
        assert_eq!(parsed(&text.replace('\n', "\r")).rows(), rows, "{text}");
    }
    let lines = ReadOptions { lines: true, ..ReadOptions::default() };
    assert_eq!(Table::parse_within("t", b"a one\rb two\r", &lines, &Control::default()).unwrap().rows(), 2);
}

#[test]
fn ragged_arrays_are_named_and_graphs_and_trees_of_one_node_keep_their_kind() {
    let rows = |cell: &dyn Fn(usize) -> String| column("x", (0..40).map(|i| format!("\"{}\"", cell(i).replace('"', "\"\""))));
    let kind = |text: &str| dataset(text).columns().iter().find(|c| c.name == "x").map(|c| c.values.kind());
    // States by day, which come back, are series and no labels.
    let (data, said) = plain(&rows(&|i| format!("[0, 1{}]", ", 1".repeat(i % 3)))).unwrap();
    assert_eq!(data.names(), ["x", "other"]);
    says(&said, &["column 'x' holds arrays of 2 to 4 numbers: read as series", "--types x=ignore"]);
    assert_eq!(kind(&rows(&|i| format!("[{}, {}]", i % 3, i % 2))), Some(ColumnKind::Points));
    assert_eq!(kind(&rows(&|i| if i % 5 == 0 { "C|".into() } else { "C O|0-1".into() })), Some(ColumnKind::Graph));
    assert_eq!(kind(&rows(&|i| if i % 5 == 0 { "(NP)".into() } else { "(S (NP I))".into() })), Some(ColumnKind::Tree));
    let (_, said) = plain(&rows(&|i| if i % 5 == 0 { "none".into() } else { "(S (NP I))".into() })).unwrap();
    says(&said, &["column 'x' looks like trees, but 'none' in row 1 is none", "--types x=tree"]);
}

#[test]
fn blank_lines_of_a_table_of_one_column_are_rows() {
    let mut table = parsed("text\ngood film\n\nbad film\n\n\nnice\n\n");
    assert_eq!(table.rows(), 6);
    says(&table.notices().join("\n"), &["3 blank lines are rows with an empty cell each", "1 blank line at the end left out"]);
    assert_eq!(table.take_cells("text").unwrap().iter().nth(1), Some(""));
    assert_eq!(parsed("a,b\n1,2\n\n3,4\n").rows(), 2);
}

#[test]
fn a_header_that_comes_again_where_files_were_joined_is_no_row() {
    let mut table = parsed("x,y\n1,a\n2,b\nx,y\n3,a\n");
    assert_eq!((table.rows(), table.dataset(&options("y=ignore")).unwrap().columns()[0].values.kind()), (3, ColumnKind::Number));
    says(&table.notices().join("\n"), &["row 3 repeats the header, as where files are joined: left out"]);
    // Labels alone may have no header: nothing is left out.
    let table = parsed("red,a\nblue,b\nred,a\nblue,a\n");
    assert_eq!(table.rows(), 3);
    says(&table.notices().join("\n"), &["is there a header line?", "--no-header"]);
}

#[test]
fn a_first_line_of_numbers_is_a_header_where_its_columns_are_asked_for() {
    let text = "2021,2019,2020\n5,6,7\n8,9,10\n";
    says(&message(Table::parse("t", text.as_bytes())), &["only numbers", "--no-header"]);
    let asked = ReadOptions { names: vec!["2020".into()], ..ReadOptions::default() };
    let table = Table::parse_within("t", text.as_bytes(), &asked, &Control::default()).unwrap();
    assert_eq!((table.header().join(" "), table.rows()), ("2021 2019 2020".into(), 2));
    says(&table.notices().join("\n"), &["taken as a header", "--no-header"]);
}
