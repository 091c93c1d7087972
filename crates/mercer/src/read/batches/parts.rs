//! A text file in parts of whole rows.

use super::super::quoting::RowEnds;
use super::super::unpack::Unpacker;
use crate::control::Control;
use crate::error::{self, Error, Result};
use std::path::Path;

/// A text file that is read some rows at a time.
pub(super) struct TextParts<'a> {
    pub path: &'a Path,
    /// Bytes of a part, the most that one row may take.
    pub bytes: usize,
    /// Bytes above the rows, which are left out.
    pub above: usize,
    /// What stands before every part.
    pub head: &'a [u8],
    pub ends: RowEnds,
}

impl TextParts<'_> {
    /// Hands the parts to a visitor, which says how many rows there were so far. What a part leaves of the bytes that were read is the
    /// beginning of the next.
    pub(super) fn each(&self, control: &Control, mut visit: impl FnMut(&[u8]) -> Result<usize>) -> Result<()> {
        let TextParts { path, bytes, above, head, .. } = *self;
        let mut reader = Unpacker::open(path, control.max_memory)?;
        reader.read_up_to(above as u64, &mut Vec::new())?;
        let mut rows = 0;
        let mut text = head.to_vec();
        loop {
            control.check()?;
            reader.read_up_to((head.len() + bytes).saturating_sub(text.len()) as u64, &mut text)?;
            let is_last = reader.is_at_end()?;
            let end = self.end(&text, is_last).ok_or_else(|| self.too_long(rows + 1))?;
            if text[head.len()..end].iter().any(|byte| !byte.is_ascii_whitespace()) {
                rows = visit(&text[..end])?;
            }
            if is_last {
                return Ok(());
            }
            text.drain(head.len()..end);
        }
    }

    /// Where the last whole row of a part ends.
    pub(super) fn end(&self, text: &[u8], is_last: bool) -> Option<usize> {
        let head = self.head.len();
        if is_last { Some(text.len()) } else { self.ends.in_text(&text[head..]).last().map(|end| head + end) }
    }

    /// That a row does not end within a part.
    pub(super) fn too_long(&self, row: usize) -> Error {
        let limit = error::bytes(self.bytes as u64);
        let why = format!(
            "row {row} does not end within {limit}, the most that one row of a batch may take: is a quote that opens in it never closed? Close it, \
             or leave the row out"
        );
        Error::Table { file: self.path.display().to_string(), why }
    }
}
