use super::*;
use proptest::prelude::*;

/// Any printable text without spaces around it, that is no word for a missing cell.
fn cell() -> impl Strategy<Value = String> {
    "[ -~äß漢\\n\"]{0,12}".prop_map(|s| format!("w{}", s.trim_end()))
}

proptest! {
    #[test]
    fn numbers_labels_and_texts_come_back_as_written(
        rows in proptest::collection::vec((proptest::num::f64::NORMAL | proptest::num::f64::ZERO, cell(), proptest::option::of(-1e9_f64..1e9)), 1..30),
        delimiter in proptest::sample::select(vec![b',', b'\t', b';']),
    ) {
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        writer.write_record(["x", "t", "holes"]).unwrap();
        for (x, t, hole) in &rows {
            writer.write_record([x.to_string(), t.clone(), hole.map(|h| h.to_string()).unwrap_or_default()]).unwrap();
        }
        let bytes = writer.into_inner().unwrap();
        let mut table = Table::parse("t", &bytes).unwrap();
        let data = table.dataset(&options("x=number,t=text,holes=number")).unwrap();
        let Values::Numbers(x) = &data.columns()[0].values else { panic!("x") };
        let Values::Texts(t) = &data.columns()[1].values else { panic!("t") };
        let Values::Numbers(holes) = &data.columns()[2].values else { panic!("holes") };
        prop_assert_eq!(data.rows(), rows.len());
        for (i, ((wx, wt, hole), t)) in rows.iter().zip(t.iter()).enumerate() {
            prop_assert_eq!(x[i].to_bits(), wx.to_bits());
            prop_assert_eq!(t, wt);
            prop_assert!(hole.map_or(holes[i].is_nan(), |h| h.to_bits() == holes[i].to_bits()));
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "[a-c0-9,;\"\\n\\t .]{0,120}") {
        for bytes in [bytes.as_slice(), text.as_bytes()] {
            if let Ok(mut table) = Table::parse("t", bytes) {
                let options = ReadOptions::default();
                if let Some(name) = table.header().first().cloned() {
                    let _ = table.clone().take_target(&[name.as_str()], &options);
                    let _ = table.clone().take_weights(&name);
                }
                if let Ok(data) = table.dataset(&options) {
                    prop_assert_eq!(data.rows(), table.rows());
                    let _ = crate::prep::Recipe::default().fit(&data, &[]);
                }
            }
        }
    }
}
