//! Files of the archives of time series: `.ts` and the tables of UCR.

use super::*;
use crate::data::{Series, Target};
use crate::error::Error;

const TS: &str = "# Made by hand.\n@problemName Made\n@timeStamps false\n@missing true\n@univariate false\n@dimensions 2\n\
                  @equalLength false\n@classLabel true up down\n\n@data\n1,2,3:4,?,6:up\n-1:0.5:down\n?,?:NaN,?:up\n:1,2:down\n";

/// The series of a table and what is said of it.
fn series(table: &mut Table) -> (Series, String) {
    let data = table.dataset(&ReadOptions::default()).unwrap();
    let Values::Series(series) = data.column("series").unwrap().values.clone() else { panic!("no series") };
    (series, table.notices().join("\n"))
}

/// The table of a file of this name.
fn named(name: &str, text: &str, options: &ReadOptions) -> Result<Table> {
    format::parse(name, text.as_bytes().into(), Some(name), options, u64::MAX)
}

#[test]
fn channels_gaps_and_classes_of_ts_files() {
    for text in [TS.to_owned(), TS.replace('\n', "\r\n"), TS.replace("@dimensions 2\n", ""), TS.to_ascii_lowercase()] {
        let mut table = parsed(&text);
        assert_eq!(
            (table.rows(), table.header(), table.own_target()),
            (4, &["series".to_owned(), "class".into()][..], &["class".to_owned()][..])
        );
        let (target, info) = table.take_target(&["class"], &ReadOptions::default()).unwrap();
        assert_eq!(info.classes.unwrap(), ["down", "up"]);
        let Target::Classes { codes, .. } = target else { panic!("no classes") };
        assert_eq!(codes, [1, 0, 1, 0]);
        let (series, said) = series(&mut table);
        let values = Values::Series(series);
        let cells: Vec<String> = (0..4).map(|row| values.cell(row).to_string()).collect();
        assert_eq!(cells, ["[[1.0,4.0],[2.0,null],[3.0,6.0]]", "[[-1.0,0.5]]", "[]", "[[null,1.0],[null,2.0]]"]);
        assert_eq!(values.missing(), [2]);
        says(&said, &["'series' has channels of unlike lengths (first in row 4): the shorter ones end with gaps"]);
    }
}

#[test]
fn times_of_ts_files_order_the_values_of_all_channels() {
    let text = "@timeStamps true\n@univariate false\n@targetLabel true\n@data\n\
                (0,1.5),(2,3.5),(1,2.5):(0,7),(2,9):0.25\n\
                (2011-01-01 00:00:00,1),(2011-01-01 01:00:00,2):(2011-01-01 03:00:00,5):-4\n";
    let mut table = parsed(text);
    assert_eq!(table.own_target(), ["target"]);
    let (target, _) = table.take_target(&["target"], &ReadOptions::default()).unwrap();
    let Target::Numbers(y) = target else { panic!("no numbers") };
    assert_eq!((y.rows(), y[(0, 0)], y[(1, 0)]), (2, 0.25, -4.0));
    let (series, said) = series(&mut table);
    let values = Values::Series(series);
    assert_eq!(values.cell(0).to_string(), "[[1.5,7.0],[2.5,null],[3.5,9.0]]");
    assert_eq!(values.cell(1).to_string(), "[[1.0,null],[2.0,null],[null,5.0]]");
    says(&said, &["'series' has times that are not equally far apart (first in row 2)"]);
}

#[test]
fn ts_files_without_a_class_have_no_target() {
    for header in ["", "@classLabel false\n", "@targetLabel false\n"] {
        let mut table = parsed(&format!("@univariate true\n@seriesLength 2\n{header}@hint x\n@data\n1,2\n3,4\n5\n"));
        assert!(table.own_target().is_empty());
        let (series, said) = series(&mut table);
        assert_eq!((series.channels(), series.length(0)), (1, 2));
        says(&said, &["the header @hint is not known: left out", "has 1 time in row 3, and @seriesLength says 2"]);
    }
}

#[test]
fn faults_of_ts_files_name_the_row() {
    let rows = |headers: &str, rows: &str| message(Table::parse("t.ts", format!("{headers}\n@data\n{rows}\n").as_bytes()));
    let two = "@dimensions 2\n@classLabel true a b";
    for (headers, data, expected) in [
        (two, "1:2:a\n1:b", "row 2 (line 5): found 2 parts between colons, expected 2 channels and the class"),
        (two, "1:2:3:a", "row 1 (line 4): found 4 parts between colons, expected 2 channels and the class"),
        (
            "@classLabel true a b",
            "1:2:a\n1,2:b",
            "row 2 (line 4): found 2 parts between colons, expected 2 channels and the class, as in row 1",
        ),
        ("@univariate true\n@classLabel true a", "1,2,3", "found 1 part between colons, expected 1 channel and the class"),
        (two, "1:2:a\n1:2:c", "row 2, column 'class': found 'c', expected one of the classes of @classLabel: a, b"),
        (two, "1:2:a\n1:2:", "row 2, column 'class': found '', expected a value"),
        (two, "1:2:?", "row 1, column 'class': found '?', expected a value"),
        (two, "1,x:2:a", "row 1, column 'series': found 'x at time 2 of channel 1', expected a finite number, or ? where one is missing"),
        (two, "1,inf:2:a", "found 'inf at time 2 of channel 1'"),
        (two, "1,,2:2:a", "found ' at time 2 of channel 1'"),
        ("@targetLabel true", "1:2\n1:x", "row 2, column 'target': found 'x', expected a finite number"),
        ("@timeStamps true\n@classLabel true a", "(0,1),(0,2):a", "row 1, column 'series': found 'time 0 twice in channel 1'"),
        ("@timeStamps true\n@classLabel true a", "(0,1),2:a", "found '2 at value 2 of channel 1', expected (TIME,VALUE)"),
        ("@timeStamps true\n@classLabel true a", "(zero,1):a", "found 'zero at value 1 of channel 1', expected a time"),
        ("@classLabel true a", "", "there are no rows behind @data"),
        ("@classLabel maybe", "1:a", "line 1: @classLabel: found 'maybe', expected true or false"),
        ("@dimensions 0", "1", "line 1: @dimensions: found '0', expected a number of 1 or more"),
        ("@univariate true\n1,2", "1", "line 2: found '1,2', expected a header such as @classLabel true a b, or @data"),
    ] {
        let found = rows(headers, data);
        assert!(found.contains(expected), "{found}");
    }
    says(&message(Table::parse("t", b"@problemName x\n")), &["there is no line @data"]);
    // A row of one long channel and many short ones would take more memory than its text.
    let text = format!("@classLabel true a\n@data\n{}{}:a\n", "1:".repeat(1000), "1,".repeat(999) + "1");
    let refused = format::parse("t", text.into_bytes().into(), None, &ReadOptions::default(), 1 << 20).unwrap_err();
    assert!(matches!(refused, Error::TooLarge { .. }), "{refused}");
}

#[test]
fn labels_of_ts_files_are_one_class_by_their_number() {
    let mut table = parsed("@univariate true\n@classLabel true 1 2\n@data\n1,2:1.0\n3,4:2\n5,6:1\n");
    let (_, info) = table.take_target(&["class"], &ReadOptions::default()).unwrap();
    assert_eq!(info.classes.unwrap(), ["1", "2"]);
}

#[test]
fn tables_of_the_ucr_archive_by_their_name_and_their_cells() {
    let text = "1\t0.5\t1.5\t2.5\r\n-1\t1\tNaN\t3\r\n1\t4\t5\tNaN\r\n";
    for name in ["Made_TRAIN.tsv", "made_test.tsv.gz"] {
        let mut table = named(name, text, &ReadOptions::default()).unwrap();
        assert_eq!(table.own_target(), ["class"]);
        let (_, info) = table.take_target(&["class"], &ReadOptions::default()).unwrap();
        assert_eq!(info.classes.unwrap(), ["-1", "1"]);
        let (series, said) = series(&mut table);
        let values = Values::Series(series);
        let cells: Vec<String> = (0..3).map(|row| values.cell(row).to_string()).collect();
        assert_eq!(cells, ["[0.5,1.5,2.5]", "[1.0,null,3.0]", "[4.0,5.0]"]);
        says(
            &said,
            &["'series' holds the 3 numbers of each line behind the first, which is the class", "--no-header reads a column for each"],
        );
    }
    // Any other name, a header, a word among the numbers, rows of unlike length and the word of the user: a table like others.
    let plain = |name: &str, text: &str| named(name, text, &ReadOptions::default()).unwrap().header().to_vec();
    assert_eq!(plain("made.tsv", "a\tb\tc\n1\t2\t3\n"), ["a", "b", "c"]);
    assert_eq!(plain("made_TRAIN.tsv", "class\t1\t2\nx\t2\t3\nx\t2\t3\n"), ["class", "1", "2"]);
    assert_eq!(plain("made_TRAIN.tsv", "a\tb\tc\n1\t2\t3\n"), ["a", "b", "c"]);
    assert!(named("made_TRAIN.tsv", "1\t2\t3\n1\t2\n", &ReadOptions::default()).is_err());
    let own = ReadOptions { no_header: true, ..ReadOptions::default() };
    assert_eq!(named("made_TRAIN.tsv", text, &own).unwrap().header(), ["1", "2", "3", "4"]);
}

#[test]
fn new_ts_files_are_read_as_training_was() {
    let mut table = parsed(TS);
    let (_, info) = table.take_target(&["class"], &ReadOptions::default()).unwrap();
    let schema = Schema::of(&table.dataset(&ReadOptions::default()).unwrap());
    let mut new = parsed("@univariate false\n@classLabel true up down left\n@data\n1,2:3,4:up\n5:6:down\n");
    assert_eq!(new.take_target_like(&info).unwrap().rows(), 2);
    assert_eq!(new.dataset_like(&schema, &ReadOptions::default()).unwrap().columns()[0].values.cell(1).to_string(), "[[5.0,6.0]]");
    let one = parsed("@classLabel true up down\n@data\n1,2:up\n").dataset_like(&schema, &ReadOptions::default());
    says(&message(one), &["row 1, column 'series'", "found '1 channels', expected 2, as in training"]);
    let other = parsed("@classLabel true up left\n@data\n1:2:left\n").take_target_like(&info);
    says(&message(other), &["row 1, column 'class'", "found 'left', expected one of the classes down, up"]);
}

#[test]
fn ts_files_that_are_named_one_after_the_other_are_one_table() {
    let joined = |texts: [&str; 2]| {
        let files: Vec<(String, String)> =
            ["a.ts", "b.ts"].iter().zip(texts).map(|(name, text)| ((*name).into(), text.to_owned())).collect();
        joined::classes("a.ts b.ts", &files, &ReadOptions::default(), u64::MAX)
    };
    let mut table = joined([TS, "@classLabel true up\n@data\n7,?:8,9:up\n"]).unwrap();
    assert_eq!((table.rows(), table.own_target()), (5, &["class".to_owned()][..]));
    let values = Values::Series(series(&mut table).0);
    assert_eq!((values.cell(1).to_string(), values.cell(4).to_string()), ("[[-1.0,0.5]]".into(), "[[7.0,8.0],[null,9.0]]".into()));
    assert_eq!(values.missing(), [2]);
    says(&message(joined([TS, "@classLabel true up\n@data\n7:up\n"])), &["b.ts", "column 'series'", "channels"]);
}
