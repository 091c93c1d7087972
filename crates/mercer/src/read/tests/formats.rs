use super::*;
use crate::data::{Points, Storage, Target};
use crate::error::Error;

fn points(data: &Dataset, name: &str) -> Points {
    match &data.column(name).unwrap().values {
        Values::Points(p) => p.clone(),
        other => panic!("{name} holds {}", other.kind()),
    }
}

fn refused(bytes: impl AsRef<[u8]>, parts: &[&str]) {
    says(&message(Table::parse("t", bytes.as_ref())), parts);
}

#[test]
fn libsvm_rows_are_one_column_of_sparse_vectors_and_a_target() {
    let mut table = parsed("# made by hand\n+1 1:0.5 3:-2 # first\n\n-1 2:1e1\r\n-1 3:0\n");
    assert_eq!((table.header(), table.own_target(), table.rows()), (&["target".to_owned(), "x".into()][..], &["target".to_owned()][..], 3));
    let (target, info) = table.take_target(&["target"], &ReadOptions::default()).unwrap();
    assert_eq!(target, Target::Classes { codes: vec![1, 0, 0], names: vec!["-1".into(), "+1".into()] });
    assert_eq!(info.names, ["target"]);
    let x = points(&table.dataset(&ReadOptions::default()).unwrap(), "x");
    assert!(x.is_sparse());
    assert_eq!((x.dim(), x.to_dense().into_owned()), (3, vec![0.5, 0.0, -2.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0]));
    let Storage::Csr { values, .. } = x.storage() else { panic!("not sparse") };
    assert_eq!(values.len(), 3, "zeros are not kept");
}

#[test]
fn index_0_means_that_features_are_counted_from_0_also_in_new_tables_without_it() {
    let mut table = parsed("1 0:5 2:7\n2 1:6\n");
    says(&table.notices()[0], &["index 0", "'x_from_0'"]);
    let data = table.dataset(&ReadOptions::default()).unwrap();
    assert_eq!(points(&data, "x_from_0").to_dense().into_owned(), [5.0, 0.0, 7.0, 0.0, 6.0, 0.0]);
    let schema = Schema::of(&data);
    let new = parsed("1 1:6\n").dataset_like(&schema, &ReadOptions::default()).unwrap();
    assert_eq!(points(&new, "x_from_0").to_dense().into_owned(), [0.0, 6.0, 0.0]);
    // Counted from 1 in training, from 0 in the new table: refused, not shifted.
    let schema = Schema::of(&parsed("1 1:5\n").dataset(&ReadOptions::default()).unwrap());
    says(&message(parsed("1 0:5\n").dataset_like(&schema, &ReadOptions::default())), &["the column 'x'", "is missing", "x_from_0"]);
}

#[test]
fn new_vectors_get_the_length_of_training_and_what_lies_beyond_is_ignored_and_said() {
    let schema = Schema::of(&parsed("1 1:5 3:7\n").dataset(&ReadOptions::default()).unwrap());
    let mut table = parsed("0 2:1\n0 1:2 3:4 5:6\n0 4:1\n");
    let x = points(&table.dataset_like(&schema, &ReadOptions::default()).unwrap(), "x");
    assert_eq!(x.to_dense().into_owned(), [0.0, 1.0, 0.0, 2.0, 0.0, 4.0, 0.0, 0.0, 0.0]);
    says(&table.notices()[0], &["column 'x'", "2 rows", "beyond the 3 of training"]);
}

#[test]
fn qid_is_a_column_of_groups_and_no_input() {
    let mut table = parsed("3 qid:7 1:1\n2 qid:7 1:2\n1 qid:9 1:3\n");
    assert_eq!(table.clone().dataset(&ReadOptions::default()).unwrap().names(), ["x"]);
    assert_eq!(table.take_groups("qid").unwrap(), [0, 0, 1]);
    says(&table.notices()[0], &["qid", "--groups qid"]);
}

#[test]
fn faults_of_libsvm_name_line_and_item() {
    let start = "1 1:1\n";
    refused(format!("{start}# comment\n1 1:1 2:x\n"), &["line 3, item 3", "'2:x'", "finite number"]);
    refused(format!("{start}1 1:inf\n"), &["line 2, item 2", "finite"]);
    refused(format!("{start}1 2:1 2:3\n"), &["line 2, item 3", "above 2", "ascend"]);
    refused(format!("{start}1 -2:1\n"), &["line 2, item 2", "'-2:1'", "whole number"]);
    refused(format!("{start}1 18446744073709551615:1\n"), &["line 2, item 2", "18446744073709551615"]);
    refused(format!("{start}yes 1:1\n"), &["line 2, item 1", "'yes'", "a label"]);
    refused(format!("{start}1 word\n"), &["line 2, item 2", "'word'", "INDEX:VALUE"]);
    refused(format!("{start}1 1:2 qid:3\n"), &["line 2, item 3", "right after the label"]);
    refused([start.as_bytes(), b"1 1:\xFF\n"].concat(), &["line 2, item 2", "finite number"]);
    // More features than there is memory to prepare them.
    let many: String = (1..200).map(|k| format!(" {}:1", 4_000_000 * k)).collect();
    let e = format::parse("t", format!("1{many}\n").into_bytes().into(), None, &ReadOptions::default(), 5000).unwrap_err();
    assert!(matches!(e, Error::TooLarge { .. }) && e.to_string().contains("199 features"), "{e}");
}

#[test]
fn json_lines_are_cells_of_their_own_types() {
    let text =
        "{\"n\": 1.5, \"s\": \"0123\", \"ok\": true, \"v\": [1, 2.5]}\n\n{\"s\": \"0456\", \"v\": [3, 4], \"n\": null, \"late\": 3}\n";
    let mut table = parsed(text);
    let data = table.dataset(&ReadOptions::default()).unwrap();
    assert_eq!(data.names(), ["n", "s", "ok", "v", "late"]);
    let Values::Numbers(n) = &data.columns()[0].values else { panic!("n is not numbers") };
    assert!(n[0] == 1.5 && n[1].is_nan());
    // A string is a label, although it looks like a number; this is said.
    assert_eq!(data.columns()[1].values.kind(), ColumnKind::Category);
    says(&table.notices().join("\n"), &["column 's'", "written as strings", "--types s=number", "column 'ok'"]);
    assert_eq!(points(&data, "v").to_dense().into_owned(), [1.0, 2.5, 3.0, 4.0]);
    let Values::Numbers(late) = &data.columns()[4].values else { panic!("late is not numbers") };
    assert!(late[0].is_nan() && late[1] == 3.0);
    assert_eq!(parsed(text).dataset(&options("s=number")).unwrap().columns()[1].values.kind(), ColumnKind::Number);
}

#[test]
fn arrays_of_numbers_are_series_of_one_channel_where_that_is_declared() {
    let text = "{\"r\": [1.5, 2, 3], \"y\": 1}\n{\"r\": [], \"y\": 2}\n{\"y\": 3}\n{\"r\": [4], \"y\": 4}\n";
    let data = parsed(text).dataset(&options("r=series,y=ignore")).unwrap();
    let Values::Series(series) = &data.columns()[0].values else { panic!("no series") };
    assert_eq!((series.channels(), (0..4).map(|row| series.length(row)).collect::<Vec<_>>()), (1, vec![3, 0, 0, 1]));
    assert_eq!((data.columns()[0].values.cell(0), data.columns()[0].values.missing()), (serde_json::json!([1.5, 2.0, 3.0]), vec![2]));
    // New tables are read as training was, also where all arrays are of one length.
    let new = parsed("{\"r\": [7, 8]}\n{\"r\": [9, 8]}\n").dataset_like(&Schema::of(&data), &ReadOptions::default()).unwrap();
    assert_eq!(new.columns()[0].values.cell(1), serde_json::json!([9.0, 8.0]));
    let even = parsed("{\"r\": [7, 8]}\n{\"r\": [9, 8]}\n");
    assert_eq!(even.clone().dataset(&options("r=series")).unwrap().columns()[0].values.kind(), ColumnKind::Series);
    assert_eq!(even.clone().dataset(&ReadOptions::default()).unwrap().columns()[0].values.kind(), ColumnKind::Points);
    says(&message(even.clone().dataset(&options("r=set"))), &["'r' holds arrays of numbers, expected sets of vectors", "--types r=series"]);
    let wide = parsed("{\"r\": [[1, 2], [3, 4]]}\n").dataset_like(&Schema::of(&data), &ReadOptions::default());
    says(&message(wide), &["row 1, column 'r'", "found '2 channels', expected 1, as in training"]);
    let null = parsed("{\"r\": [[1], [null]]}\n").dataset(&options("r=series")).unwrap();
    assert_eq!(null.columns()[0].values.cell(0), serde_json::json!([1.0, null]));
    // Nobody has to declare what can be nothing else.
    for (text, cell) in [("{\"r\": [1, null]}\n{\"r\": [1, 2]}\n", "[1.0,null]"), ("{\"r\": [1]}\n{\"r\": [1, 2]}\n", "[1.0]")] {
        let mut table = parsed(text);
        let data = table.dataset(&ReadOptions::default()).unwrap();
        assert_eq!((data.columns()[0].values.kind(), data.columns()[0].values.cell(0).to_string()), (ColumnKind::Series, cell.to_owned()));
        says(&table.notices()[0], &["column 'r' holds arrays of", "read as series; --types r=ignore"]);
    }
}

#[test]
fn faults_of_json_lines_name_line_and_column() {
    refused("{\"a\": 1}\n{\"a\": }\n", &["line 2"]);
    refused("{\"a\": 1}\n\n{\"a\": \"x\"}\n", &["line 3 (row 2)", "'a'", "\"x\"", "row 1 holds numbers"]);
    refused("{\"a\": 1, \"a\": 2}\n", &["line 1", "'a'", "twice"]);
    refused("{\"a\": {\"b\": 1}}\n", &["line 1", "'a'", "nested"]);
    let taken = |text: &str| message(parsed(text).dataset(&ReadOptions::default()));
    let declared = |text: &str| message(parsed(text).dataset(&options("a=points")));
    let unlike = declared("{\"a\": [1, 2]}\n{\"a\": [1]}\n");
    says(&unlike, &["row 2, column 'a'", "found 'an array of 1', expected an array of 2, as in row 1", "--types a=series", "a=ignore"]);
    says(&declared("{\"a\": [1, 2]}\n{\"a\": [1, null]}\n"), &["row 2, column 'a'", "found 'null at number 2'", "--types a=series"]);
    refused("{\"a\": [1, \"x\"]}\n", &["line 1 (row 1)", "'a'", "item 2 is \"x\"", "null where a series lacks one"]);
    refused("{\"a\": [1]}\n{\"a\": [[1]]}\n", &["line 2 (row 2)", "'a'", "row 1 holds arrays; make them one type"]);
    says(&taken("{\"a\": [1]}\n{\"a\": null}\n"), &["row 2, column 'a'", "cannot be missing"]);
    says(&taken("{\"b\": 1}\n{\"a\": [1]}\n"), &["row 1, column 'a'", "cannot be missing"]);
    refused("{\"a\": 1}\n{\"a\": 2}\n{\"a\": ", &["line 3 (row 3)", "cut off"]);
    refused("{\"a\": 1}\n{\"a\": [[1, NaN]]}\n", &["line 2 (row 2)", "JSON has no such number", "write null"]);
    refused("{\"a\": 1}\n[1]\n", &["line 2", "an object such as"]);
    refused("{\"a\": 1}\n{\"a\": 1e999}\n", &["line 2"]);
    let array = format::parse("t", b"[{\"a\": 1}]"[..].into(), Some("t.json"), &ReadOptions::default(), 1000).unwrap_err().to_string();
    says(&array, &["one object a line"]);
    // Many rows of many keys would fill any memory with missing cells.
    let keys: String = (0..100).map(|i| format!("{{\"k{i}\": 1}}\n")).collect();
    assert!(matches!(format::parse("t", keys.as_bytes().into(), None, &ReadOptions::default(), 100_000), Err(Error::TooLarge { .. })));
    assert!(format::parse("t", keys.as_bytes().into(), None, &ReadOptions::default(), 1_000_000).is_ok());
}

#[test]
fn an_npy_array_becomes_columns() {
    let matrix = crate::linalg::Matrix::from_fn(3, 2, |i, j| if (i, j) == (1, 1) { f64::NAN } else { (10 * i + j) as f64 });
    let data = Table::parse("t", &crate::npy::write(&matrix)).unwrap().dataset(&ReadOptions::default()).unwrap();
    assert_eq!(data.names(), ["x0", "x1"]);
    let (Values::Numbers(a), Values::Numbers(b)) = (&data.columns()[0].values, &data.columns()[1].values) else { panic!("not numbers") };
    assert_eq!(*a, [0.0, 10.0, 20.0]);
    assert!(b[0] == 1.0 && b[1].is_nan() && b[2] == 21.0);
    let infinite = crate::linalg::Matrix::from_fn(2, 1, |i, _| if i == 1 { f64::INFINITY } else { 0.0 });
    let mut table = Table::parse("t", &crate::npy::write(&infinite)).unwrap();
    says(&message(table.dataset(&ReadOptions::default())), &["row 2, column 'x0'", "'inf'", "finite"]);
    refused(b"\x93NUMPY\x01\x00", &["array 'x'", "cut off"]);
}

/// An NPY file of numbers with these axes, stored with the last one fastest, or with the first.
fn npy_of(shape: &str, fortran: bool, items: &[f64]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    items.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    bytes
}

#[test]
fn an_npy_array_is_series_sets_or_vectors_as_its_axes_and_its_declaration_say() {
    let read = |bytes: &[u8], types: &[&str]| {
        let options = ReadOptions::with_types(types.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>()).unwrap();
        let mut table = Table::parse_within("t.npy", bytes, &options, &Control::default())?;
        let data = table.dataset(&options)?;
        assert_eq!(data.names(), ["x"]);
        Ok::<_, Error>((data.columns()[0].values.clone(), table.into_notices()))
    };
    let items: Vec<f64> = (0..12).map(f64::from).collect();
    // Two series of three times and two channels.
    let cube = npy_of("(2, 3, 2)", false, &items);
    let rows = vec![vec![vec![0.0, 1.0], vec![2.0, 3.0], vec![4.0, 5.0]], vec![vec![6.0, 7.0], vec![8.0, 9.0], vec![10.0, 11.0]]];
    let series = Values::Series(crate::data::Series::of_rows(&rows).unwrap());
    let (values, said) = read(&cube, &[]).unwrap();
    assert_eq!(values, series);
    assert!(said.len() == 1 && said[0].contains("3 times and 2 channels") && said[0].contains("--types x=set"), "{said:?}");
    assert_eq!(read(&cube, &["x=series"]).unwrap(), (series.clone(), Vec::new()));
    assert_eq!(read(&cube, &["x=set"]).unwrap().0, Values::Sets(crate::data::Sets::of_rows(&rows).unwrap()));
    // As numpy.asfortranarray stores it: element (i, j, k) at i + 2 (j + 3 k).
    let stored: Vec<f64> = (0..12).map(|at| rows[at % 2][at / 2 % 3][at / 6]).collect();
    assert_eq!(read(&npy_of("(2, 3, 2)", true, &stored), &["x=series"]).unwrap().0, series);
    // As aeon and sktime order the axes: element (i, k, j) is that of (i, j, k) above.
    let by_channel: Vec<f64> = (0..12).map(|at| rows[at / 6][at % 3][at / 3 % 2]).collect();
    assert_eq!(read(&npy_of("(2, 2, 3)", false, &by_channel), &["x=series-channels-first"]).unwrap(), (series.clone(), Vec::new()));
    // Of two axes series of one channel, or vectors.
    let flat = npy_of("(3, 4)", false, &items);
    let one: Vec<Vec<Vec<f64>>> = items.chunks(4).map(|row| row.iter().map(|x| vec![*x]).collect()).collect();
    assert_eq!(read(&flat, &["x=series"]).unwrap().0, Values::Series(crate::data::Series::of_rows(&one).unwrap()));
    assert_eq!(read(&flat, &["x=series-channels-first"]).unwrap().0, read(&flat, &["x=series"]).unwrap().0);
    assert_eq!(read(&flat, &["x=points"]).unwrap().0, Values::Points(crate::data::Points::dense(3, 4, items.clone()).unwrap()));
    // What does not fit is refused with its place.
    let mut holed = items.clone();
    holed[9] = f64::INFINITY;
    says(&message(read(&npy_of("(2, 3, 2)", false, &holed), &[])), &["array 'x'", "row 2, time 2, channel 2", "inf", "finite"]);
    // A series may have gaps, and ends with its last number.
    (holed[9], holed[11]) = (f64::NAN, f64::NAN);
    let (values, said) = read(&npy_of("(3, 4)", false, &holed), &["x=series"]).unwrap();
    assert_eq!((values.cell(2), said.len()), (serde_json::json!([8.0, null, 10.0]), 1));
    assert!(said[0].contains("fewer than 4 times in 1 of 3 rows (the first is row 3)"), "{said:?}");
    says(&message(read(&npy_of("(3, 4)", false, &holed), &["x=points"])), &["row 3, number 2", "NaN"]);
    says(&message(read(&cube, &["x=points"])), &["(rows, numbers)", "declared points", "[2, 3, 2]"]);
    says(&message(read(&cube, &["x=number"])), &["declared number", "(rows, times, channels)"]);
    says(&message(read(&flat, &["x=set"])), &["declared set", "(rows, vectors, numbers)"]);
    says(&message(read(b"x\n\"[[1, 2], [3, 4]]\"\n", &["x=series-channels-first"])), &["'x' is declared", "--types x=series"]);
    says(&message(read(&npy_of("(1, 1, 3, 4)", false, &items), &[])), &["4 axes", "one to three"]);
    says(&message(read(&npy_of("(2, 0, 2)", false, &[]), &[])), &["empty", "[2, 0, 2]"]);
}

/// numpy.savez_compressed("t.npz", X=numpy.array([[1, 2.5], [3, 4.5]]), y=numpy.array(["a", "b"])), numpy 2.4.6.
const NPZ: &[u8] = include_bytes!("t.npz");

#[test]
fn an_npz_archive_gives_inputs_and_target() {
    let mut table = Table::parse("t.npz", NPZ).unwrap();
    assert_eq!((table.header(), table.own_target()), (&["x0".to_owned(), "x1".into(), "y".into()][..], &["y".to_owned()][..]));
    assert_eq!(table.clone().dataset(&ReadOptions::default()).unwrap().names(), ["x0", "x1"]);
    let (target, _) = table.take_target(&["y"], &ReadOptions::default()).unwrap();
    assert_eq!(target.as_classes("test").unwrap().1, ["a", "b"]);
    for cut in 4..NPZ.len() {
        assert!(Table::parse("t.npz", &NPZ[..cut]).is_err(), "{cut}");
    }
    for at in 0..NPZ.len() {
        for bits in [1, 0x80, 0xFF] {
            let mut damaged = NPZ.to_vec();
            damaged[at] ^= bits;
            let _ = Table::parse("t.npz", &damaged).and_then(|mut t| t.dataset(&ReadOptions::default()));
        }
    }
    assert!(matches!(format::parse("t", NPZ.into(), None, &ReadOptions::default(), 100), Err(Error::TooLarge { .. })));
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_parquet_file_says_how_to_build_what_reads_it() {
    refused(b"PAR1\x15\x04", &["Parquet", "--features parquet", "CSV or JSON lines"]);
}
