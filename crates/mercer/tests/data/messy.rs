//! Tables as users have them (`messy/small` of the folder named by MERCER_SHARED, or of `shared` beside the workspace): each
//! is read as its owner meant it, or refused by one clear error.

use mercer::data::{ColumnKind, Dataset, Target, Values};
use mercer::read::{Decimal, ReadOptions, Source, Table};
use std::path::{Path, PathBuf};

fn folder() -> Option<PathBuf> {
    folder_of("small")
}

fn folder_of(name: &str) -> Option<PathBuf> {
    let shared =
        std::env::var_os("MERCER_SHARED").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let folder = shared.join("messy").join(name);
    if !folder.exists() {
        println!("skipped: {} is not there", folder.display());
        return None;
    }
    Some(folder)
}

/// What was read, and what was said.
struct Read {
    data: Dataset,
    target: Target,
    said: String,
}

fn read(file: &str, target: &str, options: &ReadOptions) -> Option<Result<Read, String>> {
    Some(read_from(folder()?.join(file), target, options))
}

fn read_from(path: PathBuf, target: &str, options: &ReadOptions) -> Result<Read, String> {
    let source = Source::File(path);
    let done = || {
        let mut table = Table::read_within(&source, options, &mercer::control::Control::default())?;
        let (target, _) = table.take_target(&[target], options)?;
        let data = table.dataset(options)?;
        Ok(Read { data, target, said: table.notices().join("\n") })
    };
    done().map_err(|e: mercer::error::Error| e.to_string())
}

fn numbers<'a>(read: &'a Read, column: &str) -> &'a [f64] {
    match &read.data.column(column).unwrap().values {
        Values::Numbers(v) => v,
        other => panic!("{column} holds {}", other.kind()),
    }
}

fn kinds(read: &Read) -> String {
    read.data.columns().iter().map(|c| format!("{} {}", c.name, c.values.kind())).collect::<Vec<_>>().join(", ")
}

#[test]
fn tables_with_small_oddities_are_read_as_their_owners_meant_them() {
    let two = &["p", "q"][..];
    // File, target, input columns, classes (none: numbers), parts of what is said; "" where nothing is.
    for (file, target, inputs, classes, said) in [
        ("allmiss.csv", "y", "a number, b number", two, &[""][..]),
        ("comment.csv", "y", "a number, b number", two, &["1 line that begins with '#' left out"]),
        ("constcat.csv", "y", "a number, country category", two, &[""]),
        ("constcat2.csv", "y", "a number, country category, seg category", two, &[""]),
        ("constnum.csv", "y", "seg category, n number", two, &[""]),
        ("consttext.csv", "y", "a number, t category", two, &[""]),
        ("dash.csv", "y", "a number, b number", two, &[""]),
        ("emptyname.csv", "y", "a number", two, &["counts the rows"]),
        ("foldconst.csv", "y", "a number, seg category", two, &[""]),
        ("ints.csv", "y", "a number, b number", &[], &["target 'y' has 15 different whole numbers", "--types y=category"]),
        ("ints9.csv", "y", "a number, b number", &[], &["target 'y' has 9 different whole numbers"]),
        ("ints11.csv", "y", "a number, b number", &[], &["target 'y' has 11 different whole numbers"]),
        ("janein.csv", "y", "a number, b number", &["ja", "nein"], &[""]),
        (
            "leak.csv",
            "approved",
            "a number, b number, c number, d number, e number, result_code category",
            &["0", "1"],
            &["two values (0 and 1)"],
        ),
        ("m999.csv", "y", "a number, b number", two, &["column 'a' holds -999 in several rows", "--na=-999"]),
        ("na_slash.csv", "y", "a number, b number", two, &[""]),
        ("quote.csv", "y", "a number, b category", two, &[""]),
        ("rare.csv", "y", "a number, b number", &["p", "q", "z"], &[""]),
        ("rating3.csv", "rating", "a number, b number, c number, d number", &[], &["target 'rating' has 3 different whole numbers"]),
        ("space.txt", "y", "a number, b number", two, &["separated by spaces"]),
        ("thou.csv", "y", "a number, b number", two, &["column 'a' holds numbers with commas between thousands"]),
        ("trail.csv", "y", "a number, b number", two, &["end in separators"]),
        ("utf16.csv", "y", "a number, b number", two, &["UTF-16"]),
        // The days of January go on to 60 there.
        ("ymd.csv", "y", "a number, b number", two, &["column 'b' looks like dates", "'20200132' in row 32 is no day"]),
    ] {
        let Some(outcome) = read(file, target, &ReadOptions::default()) else { return };
        let read = outcome.unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!(kinds(&read), inputs, "{file}");
        match &read.target {
            Target::Classes { names, .. } => assert_eq!(names, classes, "{file}"),
            _ => assert!(classes.is_empty(), "{file}"),
        }
        assert!(said.iter().all(|part| read.said.contains(part)), "{file}: {}", read.said);
        assert!(said != [""] || read.said.is_empty(), "{file}: {}", read.said);
    }
}

#[test]
fn what_cannot_be_meant_is_refused_with_its_place_and_a_way_out() {
    for (file, parts) in [
        ("dupname.csv", &["'a' stands twice", "columns 1 and 2", "rename"][..]),
        ("hdr.csv", &["a header but no rows"]),
        ("inf.csv", &["row 4, column 'a'", "'inf'", "finite"]),
        ("lt.csv", &["row 1, column 'a'", "'<0.5'", "--na='<0.5'", "--types a=category"]),
        ("missy.csv", &["column 'y'", "a value"]),
        ("mv.csv", &["column 'a'", "'unknown'", "--na=unknown"]),
        ("oneclass.csv", &["'p' in every row"]),
        ("one.csv", &["'y'"]),
        ("ragged.csv", &["row ", "(line ", "the header has 3"]),
    ] {
        let Some(outcome) = read(file, "y", &ReadOptions::default()) else { return };
        let Err(message) = outcome else { panic!("{file} is read") };
        assert!(parts.iter().all(|part| message.contains(part)) && !message.contains("Gram"), "{file}: {message}");
    }
}

#[test]
fn the_way_out_that_a_refusal_or_a_note_names_works() {
    let na = |text: &str| ReadOptions { na: vec![text.into()], ..ReadOptions::default() };
    let Some(outcome) = read("m999.csv", "y", &na("-999")) else { return };
    let read_999 = outcome.unwrap();
    let missing = numbers(&read_999, "a").iter().filter(|x| x.is_nan()).count();
    // grep -c '^-999,' counts the rows.
    assert_eq!(
        missing,
        std::fs::read_to_string(folder().unwrap().join("m999.csv")).unwrap().lines().filter(|l| l.starts_with("-999,")).count()
    );
    assert!(missing > 1);
    assert!(read("mv.csv", "y", &na("unknown")).unwrap().is_ok());
    assert!(read("lt.csv", "y", &na("<0.5")).unwrap().is_ok());
}

#[test]
fn one_business_table_reads_alike_in_german_and_in_iso_in_three_encodings() {
    let Some(iso) = read("messy_iso.csv", "Umsatz", &ReadOptions::default()) else { return };
    let iso = iso.unwrap();
    assert_eq!(
        kinds(&iso),
        "Größe (m²) number, Preis pro Stück number, Region category, seit number, aktiv category, Bemerkung category, Kündigung category"
    );
    assert!(iso.said.contains("'Kunde Nr.'") && iso.said.contains("ignored as an identifier"), "{}", iso.said);
    for (file, words) in [("messy_de.csv", "semicolons"), ("messy_latin1.csv", "windows-1252")] {
        let german = read(file, "Umsatz", &ReadOptions::default()).unwrap().unwrap();
        assert_eq!(kinds(&german), kinds(&iso), "{file}");
        assert_eq!(german.target, iso.target);
        for column in ["Größe (m²)", "Preis pro Stück", "seit"] {
            let same = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
            assert!(numbers(&german, column).iter().zip(numbers(&iso, column)).all(same), "{file}: {column}");
        }
        for column in ["Region", "Bemerkung"] {
            assert_eq!(german.data.column(column).unwrap(), iso.data.column(column).unwrap(), "{file}");
        }
        assert!(german.said.contains(words) && german.said.contains("day first"), "{file}: {}", german.said);
    }
}

#[test]
fn american_dates_money_and_percentages_are_numbers() {
    let Some(outcome) = read("us_money.csv", "y", &ReadOptions::default()) else { return };
    let read = outcome.unwrap();
    assert_eq!(kinds(&read), "date number, amount number, pct number, ship category");
    // The first row: 09/12/2016, $743.80, 99.9%. Python: (date(2016, 9, 12) - date(1970, 1, 1)).days
    assert_eq!((numbers(&read, "date")[0], numbers(&read, "amount")[0], numbers(&read, "pct")[0]), (17_056.0, 743.8, 99.9));
    for part in ["'order id'", "dates, month first", "amounts in $", "percentages", "'zip' has codes of digits, as postal codes are,"] {
        assert!(read.said.contains(part), "{part}: {}", read.said);
    }
    assert!(read.data.columns().iter().all(|c| c.values.kind() != ColumnKind::Text));
}

#[test]
fn amounts_beside_words_titles_totals_and_uncertainties_are_read_or_named_with_the_way_out() {
    let Some(folder) = folder_of("more") else { return };
    let read = |file: &str, target: &str, options: &ReadOptions| read_from(folder.join(file), target, options);
    let options = ReadOptions::default();
    let na = |text: &str| ReadOptions { na: vec![text.into()], ..ReadOptions::default() };
    for (file, target, parts) in [
        ("inc_word.csv", "y", &["column 'income': found 'unknown'", "--na=unknown"][..]),
        ("inc_word_comma.csv", "y", &["column 'income': found 'unknown'", "--na=unknown", "--decimal ."]),
        ("inc_geq.csv", "y", &["found '>=90000'"]),
        ("inc_hash.csv", "y", &["found '#DIV/0!'"]),
        ("inc_comma_plain.csv", "y", &["--decimal ."]),
        ("mixed_numbers.csv", "approved", &["column 'income': found 'unknown'", "--na=unknown"]),
        ("percent.csv", "conversion", &["column 'ctr': found '< 1%'", "percentages", "--na='< 1%'"]),
        ("excel_export.csv", "Umsatz (T€)", &["3 lines stand above the header", "line 4", "--skip 3"]),
        ("header_padded.csv", "city", &["2 lines stand above the header", "line 3", "--skip 2"]),
    ] {
        let Err(said) = read(file, target, &options) else { panic!("{file} is read") };
        assert!(parts.iter().all(|part| said.contains(part)), "{file}: {said}");
    }
    let numbers_in =
        |file: &str, target: &str, options: &ReadOptions, column: &str| numbers(&read(file, target, options).unwrap(), column).to_vec();
    for file in ["inc_k.csv", "inc_nbsp.csv", "inc_space.csv", "inc_sci.csv", "inc_neg_paren.csv", "inc_ref.csv"] {
        let income = numbers_in(file, "y", &options, "income");
        assert!(income.iter().all(|x| x.is_nan() || (10_000.0..1e6).contains(&x.abs())), "{file}");
    }
    let points = ReadOptions { decimal: Some(Decimal::Point), ..na("unknown") };
    assert_eq!(numbers_in("inc_word_comma.csv", "y", &points, "income")[0], 66_418.0);
    // The first rows: 89,467, 34k and 139079.
    assert_eq!(numbers_in("mixed_numbers.csv", "approved", &points, "income")[..3], [89_467.0, 34_000.0, 139_079.0]);
    assert_eq!(numbers_in("percent.csv", "conversion", &na("< 1%"), "ctr")[..2], [8.43, 2.03]);
    let export = read("excel_export.csv", "Umsatz (T€)", &ReadOptions { skip: 3, ..ReadOptions::default() }).unwrap();
    assert_eq!((export.data.rows(), numbers(&export, "Fläche m²")[0]), (300, 21.47));
    assert!(export.said.contains("row 301, 'Summe', holds the sums"), "{}", export.said);
    let flux = read("plusminus.csv", "flux", &options).unwrap();
    assert_eq!(flux.target.as_numbers("test").unwrap().data()[..2], [-0.25, 3.41]);
    assert!(flux.said.contains("uncertainty behind each"), "{}", flux.said);
    let survey = read("survey.csv", "overall", &options).unwrap();
    assert!(survey.said.contains("--types q1=ordinal") && survey.said.contains("--types overall=ordinal"), "{}", survey.said);
    let ordinal = ReadOptions::with_types(["q1=ordinal,overall=ordinal,size=ordinal(S<M<L<XL)"]).unwrap();
    let survey = read("survey.csv", "overall", &ordinal).unwrap();
    // The first row: agree, neutral, disagree, XL, neutral.
    assert_eq!((numbers(&survey, "size")[0], survey.target.as_numbers("test").is_ok()), (3.0, true));
}

#[test]
fn every_table_of_the_folder_is_judged_here() {
    let Some(folder) = folder() else { return };
    let here = include_str!("messy.rs");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(here.contains(&format!("\"{name}\"")), "{name} is not read by any test");
    }
}
