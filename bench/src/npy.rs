//! Arrays in numpy's format 1.0.

use mercer::error::{Error, Result};
use mercer::linalg::Matrix;
use std::path::Path;

/// Reads a file of numpy's format 1.0 that holds one or two dimensions of little-endian f64 in C order.
pub(crate) fn read_npy(path: &Path) -> Result<Matrix> {
    let fault = |why: &str| Error::Data(format!("{}: {why}", path.display()));
    let bytes = std::fs::read(path).map_err(|e| Error::io(path.display(), e))?;
    let length = match bytes.get(..10) {
        Some([0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, low, high]) => usize::from(u16::from_le_bytes([*low, *high])),
        _ => return Err(fault("not a file of numpy's format 1.0")),
    };
    let header = bytes.get(10..10 + length).map(String::from_utf8_lossy).ok_or_else(|| fault("the header is cut off"))?;
    if !header.contains("'<f8'") || !header.contains("'fortran_order': False") {
        return Err(fault("expected little-endian f64 in C order"));
    }
    let shape = header.split_once("'shape': (").and_then(|(_, rest)| rest.split_once(')')).ok_or_else(|| fault("no shape"))?.0;
    let sizes: Vec<usize> = shape.split(',').filter_map(|s| s.trim().parse().ok()).collect();
    let (rows, cols) = match sizes.as_slice() {
        [rows] => (*rows, 1),
        [rows, cols] => (*rows, *cols),
        _ => return Err(fault("expected one or two dimensions")),
    };
    let numbers = bytes[10 + length..].as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
    Matrix::new(rows, cols, numbers)
}

/// Writes a matrix in the same format.
pub(crate) fn write_npy(path: &Path, values: &Matrix) -> Result<()> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", values.rows(), values.cols());
    let padded = format!("{header:<width$}\n", width = (header.len() + 11).next_multiple_of(64) - 11);
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((padded.len() as u16).to_le_bytes());
    bytes.extend(padded.bytes());
    bytes.extend(values.data().iter().flat_map(|v| v.to_le_bytes()));
    std::fs::write(path, bytes).map_err(|e| Error::io(path.display(), e))
}
