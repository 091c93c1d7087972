//! An NPY file in batches of rows: those that follow each other in the file are read as a stream, those of columns that do by ranges.

use super::super::unpack::Unpacker;
use super::super::{ReadOptions, Table, format, npz};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::npy::Header;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The rows of a file on their way.
pub(super) struct ArrayRows<'a> {
    file: String,
    header: &'a Header,
    options: &'a ReadOptions,
    /// Bytes of one item, and items of a row.
    item: usize,
    width: usize,
    source: RowSource,
}

/// What rows are read from.
enum RowSource {
    Stream(Unpacker<'static>),
    Columns(File),
}

impl<'a> ArrayRows<'a> {
    pub(super) fn open(path: &Path, header: &'a Header, options: &'a ReadOptions, control: &Control) -> Result<Self> {
        let file = path.display().to_string();
        let fault = |why: String| Error::Table { file: file.clone(), why: format!("array 'x': {why}") };
        let item = header.item_bytes().map_err(fault)?;
        let bytes = header.shape.iter().try_fold(item, |bytes, &axis| bytes.checked_mul(axis));
        let bytes = bytes.ok_or_else(|| fault("its shape is larger than any file".into()))?;
        let width = header.shape[1..].iter().product();
        let mut stream = Unpacker::open(path, control.max_memory)?;
        let source = if !header.fortran {
            stream.read_up_to(header.length as u64, &mut Vec::new())?;
            RowSource::Stream(stream)
        } else if stream.is_packed() {
            return Err(fault(
                "a packed file whose columns follow each other has no rows to read; unpack it, or save it with order C".into(),
            ));
        } else {
            let source = File::open(path).map_err(|e| Error::io(&file, e))?;
            let there = source.metadata().map_err(|e| Error::io(&file, e))?.len();
            if there != (header.length + bytes) as u64 {
                let promised = header.length + bytes;
                return Err(fault(format!("its header promises {promised} bytes, and {there} are there; copy it again")));
            }
            RowSource::Columns(source)
        };
        Ok(ArrayRows { file, header, options, item, width, source })
    }

    /// Rows of the file.
    fn rows(&self) -> usize {
        self.header.shape[0]
    }

    /// The next rows, of which the first is given.
    pub(super) fn table(&mut self, first: usize, most: usize) -> Result<Table> {
        let count = most.min(self.rows() - first);
        let mut data = Vec::new();
        match &mut self.source {
            RowSource::Stream(stream) => stream.read_up_to((count * self.width * self.item) as u64, &mut data)?,
            RowSource::Columns(file) => {
                for column in 0..self.width {
                    let at = self.header.length + (column * self.header.shape[0] + first) * self.item;
                    let read =
                        file.seek(SeekFrom::Start(at as u64)).and_then(|_| file.take((count * self.item) as u64).read_to_end(&mut data));
                    read.map_err(|e| Error::io(&self.file, e))?;
                }
            }
        }
        let shape = [&[count], &self.header.shape[1..]].concat();
        format::settled(npz::of_array(&self.file, self.header.array(shape, &data), self.options)?, self.options)
    }

    /// Hands the rows to a visitor, about so many bytes of numbers at a time.
    pub(super) fn each(mut self, bytes: usize, mut visit: impl FnMut(Result<Table>) -> Result<()>) -> Result<()> {
        let most = (bytes / (size_of::<f64>() * self.width.max(1))).max(1);
        for first in (0..self.rows()).step_by(most) {
            let table = self.table(first, most);
            visit(table)?;
        }
        if let RowSource::Stream(stream) = &mut self.source
            && !stream.is_at_end()?
        {
            let why = "array 'x': the file is longer than its header promises; copy it again";
            return Err(Error::Table { file: self.file, why: why.into() });
        }
        Ok(())
    }
}
