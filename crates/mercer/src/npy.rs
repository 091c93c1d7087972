//! The NPY format of numpy (versions 1 to 3): one array of numbers or texts behind a header. Objects, which numpy would
//! unpickle, are never read.

use crate::linalg::Matrix;

/// How every file begins.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// An array: its lengths, and its items with the last axis fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Lengths along the axes.
    pub shape: Vec<usize>,
    /// The items.
    pub items: Items,
}

/// What an array holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Items {
    /// Numbers of any real type, and flags as 1 and 0.
    Numbers(Vec<f64>),
    /// Strings.
    Texts(Vec<String>),
}

/// Writes a matrix as float64, row after row.
pub fn write(matrix: &Matrix) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", matrix.rows(), matrix.cols());
    // Magic, version and length take 10 bytes; spaces and a line end bring the data to a multiple of 64.
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut out = Vec::with_capacity(10 + header.len() + 8 * matrix.data().len());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&[1, 0]);
    out.extend_from_slice(&(header.len() as u16).to_le_bytes());
    out.extend_from_slice(header.as_bytes());
    matrix.data().iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
    out
}

/// What the header of a file says of its array.
#[derive(Clone, Debug)]
pub struct Header {
    /// Lengths along the axes, one to three of them.
    pub shape: Vec<usize>,
    /// Whether the first axis is fastest in the file.
    pub fortran: bool,
    /// Bytes before the items.
    pub length: usize,
    kind: String,
}

impl Header {
    /// Reads the header of a file that begins so.
    ///
    /// # Errors
    /// Bytes that are no such header, an array of other axes or of records.
    pub fn of(bytes: &[u8]) -> Result<Header, String> {
        let cut = || "it is cut off within its header; copy it again".to_owned();
        let rest = bytes.strip_prefix(MAGIC).ok_or("it does not start like an NPY file")?;
        let (&[major, _], rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
        let (length, rest) = match major {
            1 => rest.split_first_chunk::<2>().map(|(n, rest)| (usize::from(u16::from_le_bytes(*n)), rest)),
            2 | 3 => rest.split_first_chunk::<4>().map(|(n, rest)| (u32::from_le_bytes(*n) as usize, rest)),
            _ => return Err(format!("it is of version {major} of the NPY format; versions 1 to 3 are read")),
        }
        .ok_or_else(cut)?;
        let (header, data) = rest.split_at_checked(length).ok_or_else(cut)?;
        let header = std::str::from_utf8(header).map_err(|_| "its header is not text")?;
        let kind =
            field(header, "descr").and_then(quoted).ok_or("it holds records or its header has no type; save plain arrays")?.to_owned();
        let fortran = field(header, "fortran_order").is_some_and(|value| value.starts_with("True"));
        let shape = field(header, "shape").and_then(shape).ok_or("its header has no shape")?;
        if !(1..=3).contains(&shape.len()) {
            return Err(format!("it has {} axes ({shape:?}); expected one to three", shape.len()));
        }
        Ok(Header { shape, fortran, length: bytes.len() - data.len(), kind })
    }

    /// Bytes of one item.
    ///
    /// # Errors
    /// Items of a type that is not read.
    pub fn item_bytes(&self) -> Result<usize, String> {
        item_type(&self.kind).map(|(_, _, bytes)| bytes)
    }

    /// The array of this shape that some data holds, such as that of some of the rows.
    ///
    /// # Errors
    /// Data of another length; items that are not read.
    pub fn array(&self, shape: Vec<usize>, data: &[u8]) -> Result<Array, String> {
        let count = shape.iter().try_fold(1_usize, |n, &axis| n.checked_mul(axis)).ok_or("its shape is larger than any memory")?;
        let items = match items(&self.kind, data, count)? {
            Items::Numbers(v) if self.fortran => Items::Numbers(last_axis_fastest(&v, &shape)),
            Items::Texts(v) if self.fortran => Items::Texts(last_axis_fastest(&v, &shape)),
            items => items,
        };
        Ok(Array { shape, items })
    }
}

/// Reads an array of one to three axes, or says why it cannot.
///
/// # Errors
/// Those of [`Header::of`] and [`Header::array`].
pub fn parse(bytes: &[u8]) -> Result<Array, String> {
    let header = Header::of(bytes)?;
    header.array(header.shape.clone(), &bytes[header.length..])
}

/// The items of an array that is stored with the first axis fastest, with the last one fastest.
fn last_axis_fastest<T: Clone>(items: &[T], shape: &[usize]) -> Vec<T> {
    let place = |k: usize| {
        // The index along each axis, the last one first; then its place with the first one fastest.
        let (mut left, mut index) = (k, Vec::with_capacity(shape.len()));
        for axis in shape.iter().rev() {
            index.push(left % axis);
            left /= axis;
        }
        index.iter().zip(shape.iter().rev()).fold(0, |at, (i, axis)| at * axis + i)
    };
    (0..items.len()).map(|k| items[place(k)].clone()).collect()
}

/// What follows `'name':` in a header that is a dict of Python.
fn field<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = header.split_once(&format!("'{name}'"))?;
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

fn quoted(value: &str) -> Option<&str> {
    value.strip_prefix('\'')?.split_once('\'').map(|(word, _)| word)
}

fn shape(value: &str) -> Option<Vec<usize>> {
    let (axes, _) = value.strip_prefix('(')?.split_once(')')?;
    let axes = axes.trim().trim_end_matches(',');
    if axes.is_empty() {
        return Some(Vec::new());
    }
    axes.split(',').map(|axis| axis.trim().parse().ok()).collect()
}

/// The order of bytes, the code and the bytes of one item of a type such as `<f8`.
fn item_type(kind: &str) -> Result<(&str, &str, usize), String> {
    let unknown = || unknown_type(kind);
    let (order, code) = kind.split_at_checked(1).ok_or_else(unknown)?;
    let (code, size) = code.split_at_checked(1).ok_or_else(unknown)?;
    let size: usize = size.parse().map_err(|_| unknown())?;
    let bytes = if code == "U" { size.checked_mul(4) } else { Some(size) };
    let bytes = bytes.filter(|&bytes| bytes > 0 && matches!(order, "<" | ">" | "|" | "=")).ok_or_else(unknown)?;
    Ok((order, code, bytes))
}

fn unknown_type(kind: &str) -> String {
    let pickled = if kind.contains('O') { " (pickled objects, which could run code)" } else { "" };
    format!("its items are of type '{kind}'{pickled}; save numbers, flags or strings")
}

/// `count` items of a type such as `<f8`; the data holds them and nothing else.
fn items(kind: &str, data: &[u8], count: usize) -> Result<Items, String> {
    let (order, code, bytes) = item_type(kind)?;
    if count.checked_mul(bytes) != Some(data.len()) {
        return Err(format!("its header promises {count} items of {bytes} bytes, and {} bytes are there; copy it again", data.len()));
    }
    // Eight bytes with the lowest first.
    let low_first = |item: &[u8]| {
        let mut eight = [0_u8; 8];
        eight[..item.len()].copy_from_slice(item);
        if order == ">" {
            eight[..item.len()].reverse();
        }
        eight
    };
    let numbers = |read: &dyn Fn([u8; 8]) -> f64| Ok(Items::Numbers(data.chunks_exact(bytes).map(|item| read(low_first(item))).collect()));
    let exact = |read: &dyn Fn([u8; 8]) -> i128| {
        let one = |(k, item): (usize, &[u8])| {
            let whole = read(low_first(item));
            let number = whole as f64;
            if number as i128 == whole { Ok(number) } else { Err(format!("item {}: {whole} has more digits than a float64 keeps", k + 1)) }
        };
        data.chunks_exact(bytes).enumerate().map(one).collect::<Result<_, _>>().map(Items::Numbers)
    };
    match (code, bytes) {
        ("f", 8) => numbers(&f64::from_le_bytes),
        ("f", 4) => numbers(&|b| f64::from(f32::from_bits(u64::from_le_bytes(b) as u32))),
        ("f", 2) => numbers(&|b| half(u64::from_le_bytes(b) as u16)),
        ("i", 1) => exact(&|b| i128::from(b[0] as i8)),
        ("i", 2) => exact(&|b| i128::from(u64::from_le_bytes(b) as i16)),
        ("i", 4) => exact(&|b| i128::from(u64::from_le_bytes(b) as i32)),
        ("i", 8) => exact(&|b| i128::from(i64::from_le_bytes(b))),
        ("u", 1 | 2 | 4 | 8) => exact(&|b| i128::from(u64::from_le_bytes(b))),
        ("b", 1) => numbers(&|b| f64::from(u8::from(b[0] != 0))),
        ("U", _) => data.chunks_exact(bytes).enumerate().map(|(k, item)| utf32(item, order, k)).collect::<Result<_, _>>().map(Items::Texts),
        ("S", _) => data.chunks_exact(bytes).enumerate().map(utf8).collect::<Result<_, _>>().map(Items::Texts),
        _ => Err(unknown_type(kind)),
    }
}

/// IEEE 754 binary16: sign, 5 bits of exponent, 10 of fraction.
fn half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
    sign * match exponent {
        0 => fraction * (-24_f64).exp2(),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * f64::from(exponent - 25).exp2(),
    }
}

/// A string of 4-byte characters, zeros behind it.
fn utf32(item: &[u8], order: &str, k: usize) -> Result<String, String> {
    let characters = item.chunks_exact(4).map(|c| {
        let four = [c[0], c[1], c[2], c[3]];
        if order == ">" { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
    });
    let text: Option<String> = characters.map(char::from_u32).collect();
    text.map(|t| t.trim_end_matches('\0').to_owned()).ok_or_else(|| format!("item {} is not text", k + 1))
}

fn utf8((k, item): (usize, &[u8])) -> Result<String, String> {
    let text = std::str::from_utf8(item).map_err(|_| format!("item {} is not UTF-8 text", k + 1))?;
    Ok(text.trim_end_matches('\0').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of version 1 with this header and data.
    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let length = (header.len() as u16).to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), data].concat()
    }

    fn numbers(kind: &str, shape: &str, data: &[u8]) -> Result<Vec<f64>, String> {
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
        match parse(&file(&header, data))?.items {
            Items::Numbers(v) => Ok(v),
            Items::Texts(t) => Err(format!("{t:?}")),
        }
    }

    #[test]
    fn a_matrix_is_written_as_numpy_writes_it() {
        // numpy.save of numpy.array([[1.0, 2.0, 3.0]]), numpy 2.4: 128 bytes of header, then the numbers.
        let bytes = write(&Matrix::from_fn(1, 3, |_, j| 1.0 + j as f64));
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        assert_eq!(bytes.len(), 128 + 24);
        assert!(bytes[10..].starts_with(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3), }"));
        assert_eq!(bytes[127], b'\n');
        assert_eq!(parse(&bytes), Ok(Array { shape: vec![1, 3], items: Items::Numbers(vec![1.0, 2.0, 3.0]) }));
    }

    #[test]
    fn every_real_type_is_read_in_both_byte_orders() {
        assert_eq!(numbers("<f4", "(1,)", &1.5_f32.to_le_bytes()), Ok(vec![1.5]));
        assert_eq!(numbers(">f8", "(1,)", &(-2.25_f64).to_be_bytes()), Ok(vec![-2.25]));
        assert_eq!(numbers(">i2", "(2,)", &[0xFF, 0xFE, 0x01, 0x00]), Ok(vec![-2.0, 256.0]));
        assert_eq!(numbers("|u1", "(2, 1)", &[7, 255]), Ok(vec![7.0, 255.0]));
        assert_eq!(numbers("|i1", "(1,)", &[255]), Ok(vec![-1.0]));
        assert_eq!(numbers("<i4", "(1,)", &(-5_i32).to_le_bytes()), Ok(vec![-5.0]));
        assert_eq!(numbers("|b1", "(2,)", &[0, 1]), Ok(vec![0.0, 1.0]));
        // IEEE 754-2008, binary16: 0x3C00 is 1, 0xC000 is -2, 0x0001 is 2^-24, 0x7BFF is 65504.
        assert_eq!(numbers("<f2", "(4,)", &[0, 0x3C, 0, 0xC0, 1, 0, 0xFF, 0x7B]), Ok(vec![1.0, -2.0, (-24_f64).exp2(), 65_504.0]));
        assert!(numbers("<i8", "(1,)", &((1_i64 << 53) + 1).to_le_bytes()).unwrap_err().contains("digits"));
    }

    #[test]
    fn columns_stored_first_and_strings_are_read() {
        let bytes = file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", &[1, 2, 3, 4, 5, 6]);
        assert_eq!(parse(&bytes).unwrap().items, Items::Numbers(vec![1.0, 3.0, 5.0, 2.0, 4.0, 6.0]));
        let bytes = file("{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }", b"a\0\0\0\0\0\0\0b\0\0\0c\0\0\0");
        assert_eq!(parse(&bytes).unwrap().items, Items::Texts(vec!["a".into(), "bc".into()]));
        let bytes = file("{'descr': '|S2', 'fortran_order': False, 'shape': (2,), }", b"a\0bc");
        assert_eq!(parse(&bytes).unwrap().items, Items::Texts(vec!["a".into(), "bc".into()]));
    }

    #[test]
    fn headers_that_lie_and_types_that_run_code_are_refused() {
        assert!(numbers("|O", "(1,)", &[0; 8]).unwrap_err().contains("run code"));
        assert!(numbers("<c16", "(1,)", &[0; 16]).is_err() && numbers("<f", "(1,)", &[]).is_err() && numbers("", "(1,)", &[]).is_err());
        assert!(numbers("<U0", "(1000000000000,)", &[]).is_err());
        assert!(numbers("<f8", "(2,)", &[0; 8]).unwrap_err().contains("2 items"));
        assert!(numbers("<f8", "(18446744073709551615, 2)", &[]).is_err());
        assert!(numbers("<f8", "()", &[0; 8]).is_err() && numbers("<f8", "(1, 1, 1, 1)", &[0; 8]).is_err());
        assert!(parse(&file("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", &[0; 8])).is_err());
        let whole = write(&Matrix::from_fn(1, 3, |_, _| 1.0));
        assert!((0..whole.len()).all(|cut| parse(&whole[..cut]).is_err()));
    }
}
