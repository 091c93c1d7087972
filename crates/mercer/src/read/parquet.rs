//! Parquet files (parquet.apache.org/docs/file-format) by the crate `parquet`, column by column, without arrow. Numbers,
//! flags, strings, dates and timestamps are read; what is nested, or has no place in a table, is refused by its column.

use super::cells::Cells;
use super::facts::{Fact, Topic};
use super::table::{Raw, Table};
use super::unpack::too_large;
use super::unseen::name_of;
use crate::error::{Error, Result};
use ::parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::DataType;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;
use bytes::Bytes;
use std::cell::Cell;
use std::fs::File;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Reads the table.
pub(super) fn parse(file: &str, bytes: Vec<u8>, most: u64) -> Result<Table> {
    Reading::within(file, most, |reading| reading.table(bytes))
}

/// Names of the columns of a file.
///
/// # Errors
/// A file that is damaged.
pub(super) fn header(path: &Path) -> Result<Vec<String>> {
    let reader = opened(path)?;
    let schema = reader.metadata().file_metadata().schema_descr();
    Ok((0..schema.num_columns()).map(|place| name_of(schema.get_column_root(place).name())).collect())
}

/// Hands the rows of each row group of a file to a visitor.
///
/// # Errors
/// As [`parse`] has them; those of the visitor.
pub(super) fn each_group(path: &Path, most: u64, visit: &mut dyn FnMut(Table) -> Result<()>) -> Result<()> {
    let (file, reader) = (path.display().to_string(), opened(path)?);
    (0..reader.num_row_groups())
        .try_for_each(|group| visit(Reading::within(&file, most, |reading| reading.groups(&reader, group..group + 1))?))
}

/// A file whose parts are read when they are asked for.
fn opened(path: &Path) -> Result<SerializedFileReader<File>> {
    let file = path.display().to_string();
    let source = File::open(path).map_err(|e| Error::io(&file, e))?;
    Reading::within(&file, 0, |_| Ok(SerializedFileReader::new(source)?))
}

/// What stops the reading of a file.
enum Fault {
    /// Bytes that are not as the format has them.
    Damage(String),
    /// Content that is not for a table.
    Content(String),
    /// More than the memory allowed.
    Memory(u64),
    /// Said already.
    Said(Error),
}

impl From<ParquetError> for Fault {
    fn from(e: ParquetError) -> Self {
        Fault::Damage(e.to_string())
    }
}

impl From<Error> for Fault {
    fn from(e: Error) -> Self {
        Fault::Said(e)
    }
}

impl Fault {
    /// Adds the location where the fault occurred.
    fn at(self, place: impl FnOnce() -> String) -> Self {
        match self {
            Fault::Damage(why) => Fault::Damage(format!("{}: {why}", place())),
            Fault::Content(why) => Fault::Content(format!("{}: {why}", place())),
            other => other,
        }
    }
}

/// One file on its way, and the bytes of memory that are left to it.
struct Reading<'a> {
    file: &'a str,
    most: u64,
    left: Cell<u64>,
}

impl<'a> Reading<'a> {
    /// What is read of a file within some memory. The crate that decodes does not promise an error for every damaged file: a panic of it is
    /// one here.
    fn within<T>(file: &'a str, most: u64, read: impl FnOnce(&Self) -> std::result::Result<T, Fault>) -> Result<T> {
        let reading = Reading { file, most, left: Cell::new(most) };
        let found = catch_unwind(AssertUnwindSafe(|| read(&reading)));
        found.unwrap_or_else(|_| Err(Fault::Damage("its parts contradict each other".into()))).map_err(|fault| reading.as_error(fault))
    }

    fn as_error(&self, fault: Fault) -> Error {
        let why = match fault {
            Fault::Damage(why) => format!("this Parquet file is damaged or cut off: {why}; copy it again"),
            Fault::Content(why) => why,
            Fault::Memory(needed) => return too_large(&format!("reading {}", self.file), needed, self.most),
            Fault::Said(e) => return e,
        };
        Error::Table { file: self.file.to_owned(), why }
    }

    /// Takes so many bytes of what is left.
    fn spend(&self, bytes: u64) -> std::result::Result<(), Fault> {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.ok_or_else(|| Fault::Memory((self.most - self.left.get()).saturating_add(bytes)))?);
        Ok(())
    }

    fn table(&self, bytes: Vec<u8>) -> std::result::Result<Table, Fault> {
        let reader = SerializedFileReader::new(Bytes::from(bytes))?;
        self.groups(&reader, 0..reader.num_row_groups())
    }

    /// Some of the row groups as a table.
    fn groups(&self, reader: &dyn FileReader, groups: Range<usize>) -> std::result::Result<Table, Fault> {
        // Bytes that one cell takes at least.
        const BYTES_PER_CELL: u64 = 16;
        // How the index of a data frame is called that has no name; its level stands behind.
        const INDEX: &str = "__index_level_";
        let schema = reader.metadata().file_metadata().schema_descr();
        let counted: i64 = groups.clone().map(|group| reader.metadata().row_group(group).num_rows()).sum();
        let rows = usize::try_from(counted).map_err(|_| Fault::Damage("it counts a negative number of rows".into()))?;
        if rows == 0 {
            return Err(Fault::Content("the table has columns but no rows".into()));
        }
        self.spend((rows as u64).saturating_mul(schema.num_columns() as u64).saturating_mul(BYTES_PER_CELL))?;
        let mut columns = Vec::new();
        for (place, descriptor) in schema.columns().iter().enumerate() {
            let name = schema.get_column_root(place).name().to_owned();
            let meaning = Meaning::of(descriptor).map_err(|found| {
                let fix = "write its parts as columns of their own, or save the table without it";
                Fault::Content(format!("column '{name}' holds {found}; expected numbers, flags, strings, dates or timestamps: {fix}"))
            })?;
            columns.push((name, Growing { reading: self, meaning, raw: meaning.start() }));
        }
        for group in groups {
            let group = reader.get_row_group(group)?;
            for (place, (name, column)) in columns.iter_mut().enumerate() {
                let decoded = group.get_column_reader(place).map_err(Fault::from).and_then(|decoder| column.read(decoder, rows));
                decoded.map_err(|fault| fault.at(|| format!("column '{name}', row {}", column.raw.len() + 1)))?;
            }
        }
        if let Some((name, column)) = columns.iter().find(|(_, column)| column.raw.len() != rows) {
            return Err(Fault::Damage(format!("column '{name}' has {} rows of {rows}", column.raw.len())));
        }
        let mut table = Table::of_raw(self.file, rows, columns.into_iter().map(|(name, column)| (name, column.raw)).collect())?;
        table.aside = table.header.iter().filter(|name| name.starts_with(INDEX)).cloned().collect();
        let said = |name: &String| {
            Fact::of_column(Topic::Identifiers, name, "{is} the index of a data frame: left out").undone_by("category keeps it")
        };
        table.facts = table.aside.iter().map(said).collect();
        Ok(table)
    }
}

/// What the values of a column say.
#[derive(Clone, Copy, PartialEq)]
enum Meaning {
    Number,
    /// A whole number whose highest bit is no sign.
    Unsigned,
    /// A whole number of so many decimal places.
    Decimal(i32),
    Flag,
    Text,
    /// Days since 1970-01-01.
    Date,
    /// So many parts of a second since then.
    Instant(i128),
}

impl Meaning {
    /// The meaning of a column, or what else it holds. Older files say it by the converted type alone.
    fn of(column: &ColumnDescriptor) -> std::result::Result<Self, String> {
        use {ConvertedType as Converted, LogicalType as Logical};
        if column.max_rep_level() > 0 || column.path().parts().len() > 1 {
            return Err("lists or nested values".into());
        }
        let parts = |unit: &TimeUnit| match unit {
            TimeUnit::MILLIS => 1_000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        };
        Ok(match (column.logical_type_ref(), column.converted_type()) {
            (Some(Logical::String | Logical::Enum | Logical::Json), _) | (None, Converted::UTF8 | Converted::ENUM | Converted::JSON) => {
                Meaning::Text
            }
            (Some(Logical::Decimal(_)), _) | (None, Converted::DECIMAL) => Meaning::Decimal(column.type_scale()),
            (Some(Logical::Date), _) | (None, Converted::DATE) => Meaning::Date,
            (Some(Logical::Timestamp(kind)), _) => Meaning::Instant(parts(&kind.unit)),
            (None, Converted::TIMESTAMP_MILLIS) => Meaning::Instant(1_000),
            (None, Converted::TIMESTAMP_MICROS) => Meaning::Instant(1_000_000),
            (Some(Logical::Integer(kind)), _) if !kind.is_signed => Meaning::Unsigned,
            (None, Converted::UINT_8 | Converted::UINT_16 | Converted::UINT_32 | Converted::UINT_64) => Meaning::Unsigned,
            (Some(Logical::Integer(_) | Logical::Unknown), _) => Meaning::Number,
            (None, Converted::NONE | Converted::INT_8 | Converted::INT_16 | Converted::INT_32 | Converted::INT_64) => {
                match column.physical_type() {
                    Physical::BOOLEAN => Meaning::Flag,
                    Physical::BYTE_ARRAY => Meaning::Text,
                    Physical::FIXED_LEN_BYTE_ARRAY => return Err("bytes".into()),
                    Physical::INT96 => Meaning::Instant(1_000_000),
                    Physical::INT32 | Physical::INT64 | Physical::FLOAT | Physical::DOUBLE => Meaning::Number,
                }
            }
            (Some(other), _) => return Err(format!("values of the type {other:?}")),
            (None, other) => return Err(format!("values of the type {other}")),
        })
    }

    /// The column before its first row.
    fn start(self) -> Raw {
        match self {
            Meaning::Number | Meaning::Unsigned | Meaning::Decimal(_) => Raw::Numbers(Vec::new()),
            Meaning::Flag | Meaning::Date | Meaning::Instant(_) => Raw::Cells(Cells::new(false, false)),
            Meaning::Text => Raw::Cells(Cells::new(false, true)),
        }
    }
}

/// A column while its row groups are read.
struct Growing<'a> {
    reading: &'a Reading<'a>,
    meaning: Meaning,
    raw: Raw,
}

/// What becomes of one value.
type Pushed = std::result::Result<(), Fault>;

impl Growing<'_> {
    /// Takes in the values of one row group.
    fn read(&mut self, decoder: ColumnReader, rows: usize) -> Pushed {
        match decoder {
            ColumnReader::BoolColumnReader(d) => self.each(d, rows, |column, &flag| column.text(if flag { "true" } else { "false" })),
            ColumnReader::Int32ColumnReader(d) => self.each(d, rows, |column, &i| match column.meaning {
                Meaning::Unsigned => column.whole((i as u32).into()),
                _ => column.whole(i.into()),
            }),
            ColumnReader::Int64ColumnReader(d) => self.each(d, rows, |column, &i| match column.meaning {
                Meaning::Unsigned => column.whole((i as u64).into()),
                _ => column.whole(i.into()),
            }),
            ColumnReader::Int96ColumnReader(d) => self.each(d, rows, |column, time| column.whole(time.to_micros().into())),
            ColumnReader::FloatColumnReader(d) => self.each(d, rows, |column, &x| column.number(x.into())),
            ColumnReader::DoubleColumnReader(d) => self.each(d, rows, |column, &x| column.number(x)),
            ColumnReader::ByteArrayColumnReader(d) => self.each(d, rows, |column, bytes| column.bytes(bytes.data())),
            ColumnReader::FixedLenByteArrayColumnReader(d) => self.each(d, rows, |column, bytes| column.bytes(bytes.data())),
        }
    }

    /// Pushes value after value, and a missing cell where the definition level is 0.
    fn each<T: DataType>(&mut self, mut decoder: ColumnReaderImpl<T>, rows: usize, push: impl Fn(&mut Self, &T::T) -> Pushed) -> Pushed {
        // Rows that are decoded at a time.
        const BATCH: usize = 4096;
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        loop {
            values.clear();
            levels.clear();
            let (found, _, _) = decoder.read_records(BATCH, Some(&mut levels), None, &mut values)?;
            if found == 0 {
                return Ok(());
            }
            if self.raw.len() + found > rows {
                return Err(Fault::Damage(format!("there are more than {rows} rows")));
            }
            let mut values = values.iter();
            for row in 0..found {
                match levels.get(row) {
                    Some(0) => self.missing()?,
                    _ => push(self, values.next().ok_or_else(|| Fault::Damage("a value is lost".into()))?)?,
                }
            }
        }
    }

    fn missing(&mut self) -> Pushed {
        match self.raw {
            Raw::Numbers(_) => self.number(f64::NAN),
            _ => self.text(""),
        }
    }

    fn number(&mut self, x: f64) -> Pushed {
        match &mut self.raw {
            Raw::Numbers(numbers) => numbers.push(x),
            _ if x.is_nan() => self.text("")?,
            _ => self.text(&x.to_string())?,
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Pushed {
        self.reading.spend(text.len() as u64)?;
        match &mut self.raw {
            Raw::Cells(cells) => cells.push(text),
            // A whole number that is too large for a number: from here on cells are as they are written.
            Raw::Numbers(numbers) => {
                let mut cells = Cells::of_numbers(numbers);
                cells.push(text);
                self.raw = Raw::Cells(cells);
            }
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, i: i128) -> Pushed {
        // Whole numbers up to here are numbers without loss.
        const EXACT: i128 = 1 << f64::MANTISSA_DIGITS;
        match self.meaning {
            Meaning::Number | Meaning::Unsigned if i.abs() <= EXACT => self.number(i as f64),
            Meaning::Number | Meaning::Unsigned => self.text(&i.to_string()),
            Meaning::Decimal(places) => {
                let number = format!("{i}e{}", -i64::from(places)).parse();
                self.number(number.map_err(|_| Fault::Damage(format!("{i} with {places} decimal places")))?)
            }
            Meaning::Date => self.text(&date(i)?),
            Meaning::Instant(parts) => self.text(&instant(i, parts)?),
            Meaning::Flag | Meaning::Text => Err(Fault::Damage(format!("the number {i} in a column of text"))),
        }
    }

    fn bytes(&mut self, bytes: &[u8]) -> Pushed {
        match self.meaning {
            Meaning::Text => match std::str::from_utf8(bytes) {
                Ok(text) => self.text(text),
                Err(_) => Err(Fault::Content("bytes that are no UTF-8 text; save the column as strings, or the table without it".into())),
            },
            Meaning::Decimal(_) if bytes.len() <= 16 => {
                // Two's complement, the highest byte first.
                let sign = if bytes.first().is_some_and(|first| first >> 7 == 1) { -1 } else { 0 };
                self.whole(bytes.iter().fold(sign, |i, &byte| i << 8 | i128::from(byte)))
            }
            Meaning::Decimal(_) => Err(Fault::Content("a decimal of more than 38 digits; save the column as numbers".into())),
            _ => Err(Fault::Damage("bytes in a column of numbers".into())),
        }
    }
}

/// A date of ISO 8601 from the days since 1970-01-01; the way back of `writing::days`, by Howard Hinnant's algorithm.
fn date(days: i128) -> std::result::Result<String, Fault> {
    // Years begin in March, so that the leap day is the last of its year.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * month_from_march + 2) / 5 + 1, (month_from_march + 2) % 12 + 1);
    let year = era * 400 + year_of_era + i128::from(month <= 2);
    if !(0..=9999).contains(&year) {
        return Err(Fault::Content(format!("a date in the year {year}; years from 0 to 9999 are read")));
    }
    Ok(format!("{year:04}-{month:02}-{day:02}"))
}

/// Date and time of ISO 8601 from the time since 1970-01-01, `parts` to a second.
fn instant(time: i128, parts: i128) -> std::result::Result<String, Fault> {
    let (seconds, fraction) = (time.div_euclid(parts), time.rem_euclid(parts));
    let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let clock = format!("{:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60);
    let digits = parts.ilog10() as usize;
    let behind = if fraction == 0 { String::new() } else { format!(".{fraction:0digits$}") };
    Ok(format!("{}T{clock}{behind}", date(days)?))
}

#[cfg(test)]
mod tests {
    use super::super::writing::days;
    use super::*;

    fn said<T>(result: std::result::Result<T, Fault>) -> T {
        result.unwrap_or_else(|_| panic!("refused"))
    }

    #[test]
    fn every_date_is_read_back_as_its_day() {
        // The years 0000 to 9999.
        for day in (-719_528..=2_932_896).step_by(17).chain([-719_528, 2_932_896]) {
            assert_eq!(days(&said(date(day))), Some(day as f64), "{day}");
        }
        assert!(date(-719_529).is_err() && date(2_932_897).is_err());
    }

    #[test]
    fn instants_are_written_with_the_digits_that_they_have() {
        // Python: datetime(2024, 3, 1, 12, 30, 15, 250000, tzinfo=UTC).timestamp() is 1709296215.25.
        assert_eq!(said(instant(1_709_296_215_250, 1_000)), "2024-03-01T12:30:15.250");
        assert_eq!(said(instant(1_709_296_215, 1)), "2024-03-01T12:30:15");
        assert_eq!(said(instant(-1, 1_000_000_000)), "1969-12-31T23:59:59.999999999");
    }
}
