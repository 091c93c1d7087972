//! Which format bytes are in, told from their first bytes, and from the name only where CSV is promised.

use super::table::Table;
use super::unpack::unpack;
use super::{delimited, json_lines, libsvm, npz};
use crate::error::Result;
use std::borrow::Cow;

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Text cells, by commas, tabs or semicolons.
    Delimited(Option<u8>),
    JsonLines,
    Libsvm,
    Npy,
    Npz,
    Parquet,
}

/// Reads a table of any format; `name` is the name of its file, if it has one, and `most` the memory it may take.
pub(super) fn parse(file: &str, bytes: Cow<'_, [u8]>, name: Option<&str>, most: u64) -> Result<Table> {
    let bytes = unpack(file, bytes, most)?;
    match told(&bytes, name) {
        Format::Delimited(delimiter) => delimited::parse(file, &bytes, delimiter),
        Format::JsonLines => json_lines::parse(file, &bytes, most),
        Format::Libsvm => libsvm::parse(file, &bytes, most),
        Format::Npy => npz::parse_one(file, &bytes),
        Format::Npz => npz::parse(file, &bytes, most),
        #[cfg(feature = "parquet")]
        Format::Parquet => super::parquet::parse(file, bytes.into_owned(), most),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(crate::error::Error::Table {
            file: file.to_owned(),
            why: "this is a Parquet file, which this build does not read; build with the cargo feature parquet \
                  (cargo build --release --features parquet), or save the table as CSV or JSON lines"
                .into(),
        }),
    }
}

fn told(bytes: &[u8], name: Option<&str>) -> Format {
    let name = name.unwrap_or_default().to_ascii_lowercase();
    let name = name.trim_end_matches(".gz").trim_end_matches(".zst");
    let ends = |endings: &[&str]| endings.iter().any(|e| name.ends_with(e));
    let start = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    if bytes.starts_with(crate::npy::MAGIC) {
        Format::Npy
    } else if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        Format::Npz
    } else if bytes.starts_with(b"PAR1") {
        Format::Parquet
    } else if ends(&[".tsv", ".tab"]) {
        Format::Delimited(Some(b'\t'))
    } else if ends(&[".csv"]) {
        Format::Delimited(None)
    } else if start.starts_with(b"{") || (start.starts_with(b"[") && ends(&[".json", ".jsonl", ".ndjson"])) {
        Format::JsonLines
    } else if libsvm::looks_like(start) {
        Format::Libsvm
    } else {
        Format::Delimited(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_from_their_first_bytes_and_csv_from_its_name() {
        for (bytes, name, format) in [
            (&b"a,b\n1,2\n"[..], None, Format::Delimited(None)),
            (b"a,b\n1,2\n", Some("t.TSV.gz"), Format::Delimited(Some(b'\t'))),
            (b"{\"a\": 1}", None, Format::JsonLines),
            (b"\xEF\xBB\xBF\n {\"a\": 1}", None, Format::JsonLines),
            (b"{a},b\n1,2\n", Some("t.csv"), Format::Delimited(None)),
            (b"+1 1:0.5 3:1\n-1 2:1\n", None, Format::Libsvm),
            (b"# made by hand\n3.5 qid:1 1:0.5\n", Some("train.dat.zst"), Format::Libsvm),
            (b"1\n2\n", None, Format::Delimited(None)),
            (b"when\n12 10:30\n", None, Format::Delimited(None)),
            (b"PK\x03\x04", None, Format::Npz),
            (b"PAR1", None, Format::Parquet),
            (b"\x93NUMPY\x01\x00", Some("t.csv"), Format::Npy),
        ] {
            assert_eq!(told(bytes, name), format, "{}", String::from_utf8_lossy(bytes));
        }
    }
}
