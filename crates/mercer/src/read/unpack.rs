//! Packed bytes unpacked: gzip (RFC 1952) and Zstandard (RFC 8878), detected by their first bytes, never more than the memory
//! allowed. Files of several members or frames are read whole.

use crate::error::{Error, Result};
use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::borrow::Cow;
use std::io::Read;

const GZIP: &[u8] = &[0x1F, 0x8B];
const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

/// The bytes, unpacked if they are packed; `most` is the memory that they may take.
pub(super) fn unpack<'a>(file: &str, bytes: Cow<'a, [u8]>, most: u64) -> Result<Cow<'a, [u8]>> {
    let (kind, unpacked) = if bytes.starts_with(GZIP) {
        ("gzip", gunzip(&bytes, most))
    } else if bytes.starts_with(ZSTD) {
        ("Zstandard", unzstd(&bytes, most))
    } else {
        return Ok(bytes);
    };
    let fault = |why: String| Error::Table { file: file.to_owned(), why };
    let unpacked = unpacked.map_err(|e| fault(format!("the table is packed ({kind}) and damaged or cut off: {e}; copy it again")))?;
    if unpacked.len() as u64 > most {
        return Err(too_large(&format!("unpacking {file}, which grows on,"), most.saturating_add(1), most));
    }
    if unpacked.starts_with(GZIP) || unpacked.starts_with(ZSTD) {
        return Err(fault("the table is packed twice; unpack it once yourself".into()));
    }
    Ok(Cow::Owned(unpacked))
}

/// What does not fit in the memory allowed.
pub(super) fn too_large(what: &str, needed: u64, allowed: u64) -> Error {
    Error::TooLarge { what: what.to_owned(), needed, allowed }
}

/// Up to one byte more than `most`.
pub(super) fn read_at_most(reader: impl Read, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn gunzip(bytes: &[u8], most: u64) -> std::io::Result<Vec<u8>> {
    read_at_most(MultiGzDecoder::new(bytes), most)
}

/// Frame after frame; frames that hold no data are skipped.
fn unzstd(mut bytes: &[u8], most: u64) -> std::io::Result<Vec<u8>> {
    let mut out = Vec::new();
    while !bytes.is_empty() && out.len() as u64 <= most {
        match StreamingDecoder::new(&mut bytes) {
            Ok(decoder) => out.append(&mut read_at_most(decoder, most - out.len() as u64)?),
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                bytes = bytes.get(length as usize..).ok_or(std::io::ErrorKind::UnexpectedEof)?;
            }
            Err(e) => return Err(std::io::Error::other(e.to_string())),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf 'a,b\n1,2\n3,4\n' | gzip -n9`, gzip 1.12.
    const GZIPPED: [u8; 32] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4b, 0xd4, 0x49, 0xe2, 0x32, 0xd4, 0x31, 0xe2, 0x32, 0xd6, 0x31, 0xe1,
        0x02, 0x00, 0xe5, 0xe9, 0xd6, 0xce, 0x0c, 0x00, 0x00, 0x00,
    ];
    /// `printf 'a,b\n1,2\n3,4\n' | zstd -19`, zstd 1.5.
    const ZSTANDARD: [u8; 25] = [
        0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x68, 0x61, 0x00, 0x00, 0x61, 0x2c, 0x62, 0x0a, 0x31, 0x2c, 0x32, 0x0a, 0x33, 0x2c, 0x34, 0x0a, 0xe1,
        0xb3, 0xcb, 0x2e,
    ];
    const PLAIN: &[u8] = b"a,b\n1,2\n3,4\n";

    fn unpacked(bytes: &[u8], most: u64) -> Result<Vec<u8>> {
        unpack("t", Cow::Borrowed(bytes), most).map(Cow::into_owned)
    }

    #[test]
    fn gzip_and_zstandard_are_unpacked_member_by_member() {
        for packed in [&GZIPPED[..], &ZSTANDARD] {
            assert_eq!(unpacked(packed, 1000).unwrap(), PLAIN);
            assert_eq!(unpacked(&[packed, packed].concat(), 1000).unwrap(), [PLAIN, PLAIN].concat());
        }
        assert_eq!(unpacked(PLAIN, 1).unwrap(), PLAIN);
        // A frame to be skipped: magic number 0x184D2A50, length 3.
        let skipped = [&ZSTANDARD[..], &[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3], &ZSTANDARD].concat();
        assert_eq!(unpacked(&skipped, 1000).unwrap(), [PLAIN, PLAIN].concat());
    }

    #[test]
    fn what_unpacks_to_more_than_allowed_is_refused_and_so_is_damage() {
        for packed in [&GZIPPED[..], &ZSTANDARD] {
            assert!(unpacked(packed, 11).unwrap_err().to_string().contains("memory"));
            assert!(unpacked(packed, 12).is_ok());
            for cut in 4..packed.len() {
                assert!(unpacked(&packed[..cut], 1000).unwrap_err().to_string().contains("packed"), "{cut}");
            }
        }
        let mut damaged = GZIPPED;
        damaged[24] ^= 1;
        assert!(unpacked(&damaged, 1000).is_err());
    }
}
