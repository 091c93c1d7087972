//! Tables as people write them: markers of missing cells, money, dates, comments, no header, other encodings.

use super::*;
use crate::control::Control;
use crate::data::{Target, Writing};
use crate::read::Delimiter;

fn numbers(data: &Dataset, name: &str) -> Vec<f64> {
    match &data.column(name).unwrap().values {
        Values::Numbers(v) => v.clone(),
        other => panic!("{name} holds {}", other.kind()),
    }
}

fn table(text: &str, options: &ReadOptions) -> Table {
    Table::parse_within("t.csv", text.as_bytes(), options, &Control::default()).unwrap()
}

fn read(text: &str, options: &ReadOptions) -> (Dataset, String) {
    let mut table = table(text, options);
    let data = table.dataset(options).unwrap();
    (data, table.notices().join("\n"))
}

fn plain(text: &str) -> (Dataset, String) {
    read(text, &ReadOptions::default())
}

fn na(markers: &[&str]) -> ReadOptions {
    ReadOptions { na: markers.iter().map(|m| m.to_string()).collect(), ..ReadOptions::default() }
}

#[test]
fn the_usual_markers_are_missing_among_numbers_and_those_that_are_labels_elsewhere_stay_labels() {
    let markers = ["NA", "N/A", "n/a", "#N/A", "NaN", "NULL", "null", "None", "-", ".", "?", "\"\""];
    let rows: String = markers.iter().map(|m| format!("{m},a\n")).collect();
    let (data, _) = plain(&format!("x,c\n1,b\n2,b\n{rows}"));
    let x = numbers(&data, "x");
    assert!(x[..2] == [1.0, 2.0] && x[2..].iter().all(|v| v.is_nan()), "{x:?}");
    // A sign is a label among labels; where there are more labels than two, that is said.
    let (data, notices) = plain("x,strand\n1,+\n2,-\n3,.\n4,+\n5,-\n6,+\n");
    let Values::Categories(c) = &data.column("strand").unwrap().values else { panic!("not categories") };
    assert_eq!(c.names, ["+", "-", "."]);
    says(&notices, &["column 'strand' has the label '-'", "--na=-"]);
    let (_, notices) = plain("x,strand\n1,+\n2,-\n3,-\n4,+\n");
    assert!(notices.is_empty(), "{notices}");
    // A target may not miss what would be missing among numbers.
    let mut missing = parsed("x,y\n1,2.5\n2,-\n3,1.5\n");
    says(&message(missing.take_target(&["y"], &ReadOptions::default())), &["row 2, column 'y'", "'-'", "a value"]);
    let mut signs = parsed("x,y\n1,+\n2,-\n3,+\n");
    assert_eq!(signs.take_target(&["y"], &ReadOptions::default()).unwrap().1.classes.unwrap(), ["+", "-"]);
}

#[test]
fn declared_markers_are_missing_in_all_columns_or_in_one_and_a_model_keeps_them() {
    let text = "age,score,c\n31,-1,a\n-1,2.5,unknown\n-1.0,3,b\n";
    let (data, notices) = read(text, &na(&["age=-1", "unknown"]));
    assert!(numbers(&data, "age")[1..].iter().all(|x| x.is_nan()));
    assert_eq!(numbers(&data, "score"), [-1.0, 2.5, 3.0]);
    let Values::Categories(c) = &data.column("c").unwrap().values else { panic!("not categories") };
    assert_eq!(c.label(1), Some(MISSING));
    says(&notices, &["columns 'age', 'c' have cells that are declared missing"]);
    // The marker counts in a new table that does not declare it.
    let schema = Schema::of(&data);
    let stored: Schema = serde_json::from_str(&serde_json::to_string(&schema).unwrap()).unwrap();
    let mut new = parsed("age,score,c\n-1,-1,unknown\n");
    let again = new.dataset_like(&stored, &ReadOptions::default()).unwrap();
    assert!(numbers(&again, "age")[0].is_nan() && numbers(&again, "score") == [-1.0]);
    says(&new.notices().join("\n"), &["'age'", "training declared missing"]);
    assert_eq!(Schema::of(&again), schema);
    says(&table(text, &na(&["-777"])).notices().join("\n"), &["no cell is '-777'"]);
    // Without a text, words stay labels.
    let kept = read("c,y\nNone,1\nNA,2\n,3\n", &na(&["c="]));
    let Values::Categories(c) = &kept.0.column("c").unwrap().values else { panic!("not categories") };
    assert_eq!(c.names, [MISSING, "NA", "None"]);
    // Numbers that are in memory as numbers.
    let matrix = crate::linalg::Matrix::from_fn(3, 1, |i, _| [1.0, -999.0, 2.0][i]);
    let mut npy = Table::parse_within("t", &crate::npy::write(&matrix), &na(&["-999"]), &Control::default()).unwrap();
    assert!(numbers(&npy.dataset(&ReadOptions::default()).unwrap(), "x0")[1].is_nan());
}

#[test]
fn money_percentages_and_thousands_are_numbers_and_said() {
    let text = "price,share,n,x\n\"$1,813.13\",99.9%,\"1,234,567\",1\n$42.00,24 %,12,2\n-$7,3%,\"4,460\",3\n";
    let (data, notices) = plain(text);
    assert_eq!(numbers(&data, "price"), [1813.13, 42.0, -7.0]);
    assert_eq!(numbers(&data, "share"), [99.9, 24.0, 3.0]);
    assert_eq!(numbers(&data, "n"), [1_234_567.0, 12.0, 4460.0]);
    says(&notices, &["column 'price' holds amounts in $ with commas between thousands", "column 'share' holds percentages", "'n'"]);
    let (data, _) = plain("x;y\n1.234,5;1\n12.345,0;2\n7;3\n");
    assert_eq!(numbers(&data, "x"), [1234.5, 12_345.0, 7.0]);
    // Smaller numbers without a point, or decimal commas in other columns, tell that points part thousands.
    for text in ["a;b\n1.234;x\n950;y\n", "a;b\n1.234;1,5\n5.950;2,5\n"] {
        let (data, notices) = plain(text);
        assert_eq!(numbers(&data, "a")[0], 1234.0);
        says(&notices, &["column 'a' has points that part thousands", "--decimal ."]);
    }
    let (data, notices) = plain("a;b\n1.234;x\n5.950;y\n");
    assert_eq!(numbers(&data, "a"), [1.234, 5.95]);
    says(&notices, &["column 'a' has points that could part thousands", "--decimal ,"]);
    let (data, notices) = plain("a;b\n1.234;2.5\n950;1\n");
    assert_eq!(numbers(&data, "a"), [1.234, 950.0]);
    assert!(!notices.contains("thousands"), "{notices}");
    assert!(!plain("a;b\n1.234;1,5\n950.5;2,5\n").1.contains("thousands"));
    let commas = ReadOptions { decimal: Some(Decimal::Comma), ..ReadOptions::default() };
    assert_eq!(numbers(&read("x;y\n1.234;1\n12.345;2\n", &commas).0, "x"), [1234.0, 12_345.0]);
    let points = ReadOptions { decimal: Some(Decimal::Point), ..ReadOptions::default() };
    assert_eq!(numbers(&read("x,y\n\"1,234\",1\n\"12,345\",2\n", &points).0, "x"), [1234.0, 12_345.0]);
    // As a target.
    let mut table = parsed("x,y\n1,$5.50\n2,$6.00\n3,\"$1,000.00\"\n");
    let (Target::Numbers(y), _) = table.take_target(&["y"], &ReadOptions::default()).unwrap() else { panic!("not numbers") };
    assert_eq!(y.data(), [5.5, 6.0, 1000.0]);
}

#[test]
fn dates_are_read_in_the_order_that_the_column_tells_and_a_model_keeps_it() {
    // Python: (date(2016, 12, 31) - date(1970, 1, 1)).days is 17166, date(2016, 2, 1): 16832, date(2016, 1, 2): 16802.
    let (data, notices) = plain("when,x\n12/31/2016,1\n02/01/2016,2\n");
    assert_eq!(numbers(&data, "when"), [17_166.0, 16_832.0]);
    says(&notices, &["column 'when' holds dates, month first"]);
    let (data, notices) = plain("when,x\n31.12.2016,1\n2.1.2016 12:00,2\n");
    assert_eq!(numbers(&data, "when"), [17_166.0, 16_802.5]);
    says(&notices, &["day first"]);
    // Left open by a new table, kept from training.
    let schema = Schema::of(&data);
    assert_eq!(schema.columns[0].written.numbers, Writing::Date(crate::data::DateOrder::DayFirst));
    let mut new = parsed("when,x\n02/01/2016,1\n");
    assert_eq!(numbers(&new.dataset_like(&schema, &ReadOptions::default()).unwrap(), "when"), [16_802.0]);
    assert!(new.notices().is_empty());
    // Said where the cells leave it open; declared otherwise, read otherwise.
    let open = "when,x\n02/01/2016,1\n03/04/2016,2\n";
    let (data, notices) = plain(open);
    assert_eq!(numbers(&data, "when")[0], 16_832.0);
    says(&notices, &["'when'", "could change places", "read month first", "--types when=date-dmy"]);
    let (data, notices) = read(open, &options("when=date-dmy"));
    assert_eq!(numbers(&data, "when")[0], 16_802.0);
    assert!(notices.is_empty(), "{notices}");
    // The same order for folds in time.
    assert_eq!(parsed(open).times("when", &options("when=date-dmy")).unwrap()[0], 16_802.0);
    says(
        &message(parsed("when\n31/12/2016\n12/31/2016\n01/02/2016\n").dataset(&options("when=date"))),
        &["row 2, column 'when'", "22.11.2022"],
    );
    says(&message(parsed("when\n31/12/2016\n").dataset(&options("when=date-mdy"))), &["row 1, column 'when'", "11/22/2022"]);
}

#[test]
fn days_written_as_one_number_are_dates_unless_they_are_declared_numbers() {
    let text = "b,x\n20200101,1\n20200102,2\n20201231,3\n";
    let (data, notices) = plain(text);
    // Python: (date(2020, 1, 1) - date(1970, 1, 1)).days
    assert_eq!(numbers(&data, "b"), [18_262.0, 18_263.0, 18_627.0]);
    says(&notices, &["column 'b' holds dates written as 20221122", "--types b=number"]);
    assert_eq!(numbers(&read(text, &options("b=number")).0, "b")[0], 20_200_101.0);
    // A string is a label, although it looks like a day.
    let strings = parsed("{\"b\": \"20200101\"}\n{\"b\": \"20200102\"}\n").dataset(&ReadOptions::default()).unwrap();
    assert_eq!(strings.column("b").unwrap().values.kind(), ColumnKind::Category);
    let schema = Schema::of(&data);
    let new = parsed("b,x\n20200101,1\n").dataset_like(&schema, &ReadOptions::default()).unwrap();
    assert_eq!(numbers(&new, "b"), [18_262.0]);
}

#[test]
fn identifiers_row_counters_codes_and_fixed_markers_are_said_in_one_line_each() {
    let row =
        |i: usize| format!("{i},{},0{},{},{}\n", 900 + i * 7 % 40, 1000 + i % 9, if i % 9 == 4 { -999.0 } else { i as f64 / 4.0 }, i % 5);
    let text = format!("n,order id,zip,a,x\n{}", (0..40).map(row).collect::<String>());
    let (data, notices) = plain(&text);
    assert_eq!(data.names(), ["n", "zip", "a", "x"]);
    says(
        &notices,
        &[
            "column 'order id' has a different whole number in every row and the name of an identifier: ignored",
            "--types 'order id=number' keeps it",
        ],
    );
    says(&notices, &["column 'n' looks like an identifier", "--types n=ignore"]);
    says(&notices, &["column 'zip' holds codes of digits, as postal codes are: read as labels", "--types zip=number"]);
    says(&notices, &["column 'a' holds -999 in several rows", "--na=-999"]);
    assert_eq!(read(&text, &options("order id=number")).0.names(), ["n", "order id", "zip", "a", "x"]);
    assert_eq!(data.column("zip").unwrap().values.kind(), ColumnKind::Category);
    // Hardly any code comes back: nothing can be learnt from its label.
    let codes: String = (0..40).map(|i| format!("{},{}\n", 10_000 + i * 37, i % 5)).collect();
    let (data, notices) = plain(&format!("plz,x\n{codes}"));
    assert_eq!(data.names(), ["x"]);
    says(
        &notices,
        &[
            "column 'plz' has codes of digits, as postal codes are, 40 different values in 40 rows: ignored",
            "--types plz=category (or number) keeps it",
        ],
    );
    let twenty: String = (0..20).map(|k| format!("d{k},")).collect();
    let cells = "2020-01-01,".repeat(20);
    let (_, notices) = plain(&format!("{twenty}y\n{cells}1\n{cells}2\n"));
    assert_eq!(notices.lines().count(), 1, "{notices}");
}

#[test]
fn a_target_of_whole_numbers_that_come_back_is_said_to_be_numbers_however_many_there_are() {
    let rows: String = (0..400).map(|i| format!("{}.5,{}\n", i, i % 40)).collect();
    let mut classes = parsed(&format!("x,y\n{rows}"));
    classes.take_target(&["y"], &ReadOptions::default()).unwrap();
    let fact = classes.facts().into_iter().find(|fact| fact.topic == Topic::Target).unwrap();
    assert_eq!((fact.columns.as_slice(), fact.plain), (&["y".to_owned()][..], false));
    says(&fact.sentence(), &["target 'y' has 40 different whole numbers: read as numbers", "--types y=category reads classes"]);
    // Nothing is doubtful of labels, nor of numbers that do not come back.
    for text in ["x,y\n1,a\n2,b\n3,a\n", "x,y\n1,10\n2,20\n3,31\n"] {
        let mut clear = parsed(text);
        clear.take_target(&["y"], &ReadOptions::default()).unwrap();
        assert!(clear.notices().is_empty() && clear.facts()[0].plain, "{:?}", clear.facts());
    }
}

#[test]
fn comments_separators_at_line_ends_and_the_line_of_excel_are_no_data() {
    let mut commented = parsed("# made by me\n# twice\na,b,y\n1,2,p\n# between, too\n3,4,q\n#N/A,5,p\n");
    assert_eq!((commented.header().join(","), commented.rows()), ("a,b,y".into(), 3));
    says(&commented.notices()[0], &["3 lines", "comments"]);
    assert!(numbers(&commented.dataset(&ReadOptions::default()).unwrap(), "a")[2].is_nan());
    // The header itself may stand behind the sign.
    for text in ["#a,b\n1,2\n", "# by me\n# a,b\n1,2\n", "#name,city\nBob,Bonn\n"] {
        assert_eq!((parsed(text).header().len(), parsed(text).rows()), (2, 1), "{text}");
    }
    assert_eq!(parsed("# made by me, today\na,b\nx,y\n").header(), ["a", "b"]);
    let trailing = parsed("a,b,y,\n1,2,p,\n3,4,q,\n");
    assert_eq!(trailing.header(), ["a", "b", "y"]);
    says(&trailing.notices()[0], &["2 lines end in separators"]);
    assert_eq!(parsed("a,b\n1,2,\n3,4\n").rows(), 2);
    assert_eq!(parsed("sep=;\r\na;b\r\n1,5;2\r\n").header(), ["a", "b"]);
    says(&message(Table::parse("t", b"a,b,\n1,2,\n3,4,5\n")), &["column 3 has no name", "row 2 (line 3)", "'5'"]);
    says(&message(Table::parse("t", b"# only\n# these\n")), &["comments", "header line"]);
    says(&message(Table::parse("t", b"# c\n\na,b\n1,2\n\n# d\n3\n")), &["row 2 has 1 cell, the header has 2", "line 7"]);
    says(&message(Table::parse("t", b"sep=;\na;b\n1;2\n3\n")), &["line 4"]);
}

#[test]
fn a_table_without_a_header_has_columns_called_1_2_3() {
    let bare = ReadOptions { no_header: true, ..ReadOptions::default() };
    let mut iris = table("5.1,3.5,a\n4.9,3.0,b\n5.0,3.1,a\n", &bare);
    assert_eq!((iris.header().join(" "), iris.rows()), ("1 2 3".into(), 3));
    let (_, info) = iris.take_target(&["3"], &bare).unwrap();
    assert_eq!(info.classes.unwrap(), ["a", "b"]);
    assert_eq!(numbers(&iris.dataset(&bare).unwrap(), "1"), [5.1, 4.9, 5.0]);
    says(&message(Table::parse_within("t", b"1,2\n3\n", &bare, &Control::default())), &["row 2 has 1 cell, the first row has 2", "line 2"]);
    // What looks like LIBSVM is a table of cells where that is asked for.
    let spaced = ReadOptions { delimiter: Some(Delimiter::Spaces), ..bare };
    assert_eq!(table("1 1:0.5\n", &spaced).header(), ["1", "2"]);
}

#[test]
fn the_separator_is_told_or_declared() {
    let spaced = parsed("a  b y\n0.3 0.1 p\n0.8\t0.2 q\n");
    assert_eq!(spaced.header(), ["a", "b", "y"]);
    says(&spaced.notices()[0], &["spaces"]);
    assert_eq!(parsed("a|b\n1|2\n").header(), ["a", "b"]);
    let colons = ReadOptions { delimiter: Some(":".parse().unwrap()), ..ReadOptions::default() };
    assert_eq!(table("a:b,c\n1:2\n", &colons).header(), ["a", "b,c"]);
    assert_eq!("\\t".parse::<Delimiter>().unwrap(), Delimiter::Character(b'\t'));
    assert_eq!("semicolon".parse::<Delimiter>().unwrap(), Delimiter::Character(b';'));
    for word in ["ab", "x", "\"", "", "é"] {
        says(&message(word.parse::<Delimiter>()), &["--delimiter", "semicolon"]);
    }
    says(&message("x".parse::<Decimal>()), &["--decimal"]);
}

#[test]
fn other_encodings_are_told_and_said_or_declared() {
    let latin = b"Gr\xF6\xDFe;Region\n82,51;S\xFCd\n77,5;Nord\n80,1;S\xFCd\n";
    let mut table = Table::parse("t.csv", latin).unwrap();
    assert_eq!(table.header(), ["Größe", "Region"]);
    says(&table.notices()[0], &["not UTF-8", "windows-1252", "--encoding"]);
    let data = table.dataset(&ReadOptions::default()).unwrap();
    assert_eq!(numbers(&data, "Größe"), [82.51, 77.5, 80.1]);
    let declared = ReadOptions { encoding: Some("latin-1".into()), ..ReadOptions::default() };
    let table = Table::parse_within("t.csv", latin, &declared, &Control::default()).unwrap();
    assert!(!table.notices().join("\n").contains("UTF-8"));
    let unknown = ReadOptions { encoding: Some("utf-9".into()), ..ReadOptions::default() };
    says(&message(Table::parse_within("t.csv", b"a,b\n1,2\n", &unknown, &Control::default())), &["unknown encoding 'utf-9'"]);
    // JSON lines, too.
    let utf16: Vec<u8> = "{\"a\": 1}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(Table::parse("t", &utf16).unwrap().header(), ["a"]);
}

#[test]
fn declared_types_of_a_new_table_are_those_of_training() {
    let schema = Schema::of(&dataset("x,c\n1,a\n2,b\n3,a\n"));
    let like = |text: &str, types: &str| {
        let mut table = parsed(text);
        table.dataset_like(&schema, &options(types)).map(|data| (data, table.notices().join("\n")))
    };
    says(&message(like("x,c\n1,a\n", "x=category")), &["'x' is declared category", "number", "--types"]);
    says(&message(like("x,c\n1,a\n", "c=ignore")), &["'c' is declared ignore"]);
    assert!(like("x,c\n1,a\n", "x=number,c=category").is_ok());
    says(&like("x,c\n1,a\n", "y=category").unwrap().1, &["no column 'y'"]);
}
