//! Parquet files written by pyarrow; `t_parquet.py` beside them says with which values.

use super::*;
use crate::error::Error;

const FILE: &[u8] = include_bytes!("t.parquet");
const OLD: &[u8] = include_bytes!("t_old.parquet");
const LISTS: &[u8] = include_bytes!("t_lists.parquet");

fn numbers(data: &Dataset, name: &str) -> Vec<Option<f64>> {
    match &data.column(name).unwrap().values {
        Values::Numbers(v) => v.iter().map(|x| (!x.is_nan()).then_some(*x)).collect(),
        other => panic!("{name} holds {}", other.kind()),
    }
}

fn labels<'a>(data: &'a Dataset, name: &str) -> Vec<Option<&'a str>> {
    match &data.column(name).unwrap().values {
        Values::Categories(c) => (0..c.codes.len()).map(|i| c.label(i)).collect(),
        other => panic!("{name} holds {}", other.kind()),
    }
}

#[test]
fn columns_are_what_the_same_table_as_text_would_give() {
    let mut table = Table::parse("t.parquet", FILE).unwrap();
    let data = table.dataset(&ReadOptions::default()).unwrap();
    assert_eq!(numbers(&data, "x"), [Some(0.1), None, Some(-2.5), Some(4.0)]);
    assert_eq!(numbers(&data, "single"), [Some(0.5), Some(1.5), None, Some(2.5)]);
    assert_eq!(numbers(&data, "byte"), [Some(200.0), Some(0.0), Some(1.0), None]);
    assert_eq!(numbers(&data, "huge"), [Some(u64::MAX as f64), Some(1.0), None, Some(1.0)]);
    assert_eq!(numbers(&data, "price"), [Some(1.1), Some(-0.05), None, Some(12_345.67)]);
    assert_eq!(numbers(&data, "flag"), [Some(1.0), Some(0.0), None, Some(1.0)]);
    assert_eq!(numbers(&data, "nothing"), [None; 4]);
    // Python: (date - date(1970, 1, 1)).days.
    assert_eq!(numbers(&data, "day"), [Some(19_783.0), Some(-1.0), None, Some(11_016.0)]);
    assert_eq!(numbers(&data, "time"), [Some(19_783.5), Some(0.0), Some(-0.5), None]);
    assert_eq!(numbers(&data, "fine"), [Some(19_783.5), Some(0.0), None, Some(0.0)]);
    // Strings stay labels, although they look like numbers.
    assert_eq!(labels(&data, "zip"), [Some("0123"), Some("0999"), Some("0123"), Some(MISSING)]);
    assert_eq!(labels(&data, "colour"), [Some("red"), Some("blue"), Some("red"), Some(MISSING)]);
    assert_eq!(data.column("dna").unwrap().values.kind(), ColumnKind::Sequence);
    assert!(!data.names().contains(&"__index_level_0__"));
    says(&table.notices().join("\n"), &["'__index_level_0__' is the index", "column 'zip'", "'day' holds dates", "'flag'"]);
}

#[test]
fn whole_numbers_that_no_float_holds_are_kept_as_labels() {
    let mut table = Table::parse("t.parquet", FILE).unwrap();
    let data = table.dataset(&options("id=category,day=category,byte=category")).unwrap();
    assert_eq!(labels(&data, "id")[..2], [Some("9007199254740993"), Some("1")]);
    assert_eq!(labels(&data, "day")[..2], [Some("2024-03-01"), Some("1969-12-31")]);
    assert_eq!(labels(&data, "byte"), [Some("200"), Some("0"), Some("1"), Some(MISSING)]);
}

#[test]
fn types_of_older_writers_are_known() {
    let data = Table::parse("t", OLD).unwrap().dataset(&ReadOptions::default()).unwrap();
    assert_eq!(numbers(&data, "when"), [Some(19_783.5), None]);
    assert_eq!(labels(&data, "word"), [Some("a"), Some("b")]);
}

#[test]
fn lists_are_refused_by_their_column() {
    says(&message(Table::parse("t.parquet", LISTS)), &["t.parquet", "column 'v' holds lists", "columns of their own"]);
}

#[test]
fn a_file_that_is_cut_off_or_damaged_is_refused_and_never_panics() {
    for file in [FILE, OLD, LISTS] {
        for cut in 4..file.len() {
            says(&message(Table::parse("t", &file[..cut])), &["damaged or cut off", "copy it again"]);
        }
        for at in 4..file.len() {
            for bits in [1, 0x80, 0xFF] {
                let mut damaged = file.to_vec();
                damaged[at] ^= bits;
                let _ = Table::parse("t", &damaged).and_then(|mut t| t.dataset(&ReadOptions::default()));
            }
        }
    }
}

#[test]
fn a_table_for_which_there_is_no_memory_is_refused() {
    // 4 rows of 15 columns at 16 bytes a cell are 960, their texts 228 or so.
    for most in [500, 1000] {
        assert!(matches!(format::parse("t", FILE.into(), None, &ReadOptions::default(), most), Err(Error::TooLarge { .. })), "{most}");
    }
    assert!(format::parse("t", FILE.into(), None, &ReadOptions::default(), 2000).is_ok());
}
