//! Packed bytes unpacked: gzip (RFC 1952), Zstandard (RFC 8878), bzip2 and xz, detected by their first bytes, never more than the
//! memory allowed. Files of several members or frames are read whole; zeros behind them are padding.

use crate::error::{Error, Result};
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::borrow::Cow;
use std::io::{ErrorKind, Read};

/// A way of packing: its name, its first bytes, the ending of its files, and what unpacks up to so many bytes and one.
struct Packing {
    name: &'static str,
    magic: &'static [u8],
    ending: &'static str,
    unpack: fn(&[u8], u64) -> std::io::Result<Vec<u8>>,
}

const PACKINGS: [Packing; 4] = [
    Packing { name: "gzip", magic: &[0x1F, 0x8B], ending: ".gz", unpack: gunzip },
    Packing { name: "Zstandard", magic: &[0x28, 0xB5, 0x2F, 0xFD], ending: ".zst", unpack: unzstd },
    Packing { name: "bzip2", magic: b"BZh", ending: ".bz2", unpack: bunzip2 },
    Packing { name: "xz", magic: &[0xFD, b'7', b'z', b'X', b'Z', 0], ending: ".xz", unpack: unxz },
];

/// First bytes of what is packed in ways that are not read.
const REFUSED: [(&str, &[u8]); 5] = [
    ("LZMA (.lzma)", &[0x5D, 0, 0]),
    ("LZ4", &[0x04, 0x22, 0x4D, 0x18]),
    ("compress (.Z)", &[0x1F, 0x9D]),
    ("7-Zip", &[b'7', b'z', 0xBC, 0xAF, 0x27, 0x1C]),
    ("RAR", b"Rar!\x1A\x07"),
];

/// How some bytes are packed.
fn packing(bytes: &[u8]) -> Option<&'static Packing> {
    // A table may begin with letters: bzip2 has a digit and the digits of pi behind them, or the end of an empty file.
    let is_block = |bytes: &[u8]| bytes.get(4..10).is_some_and(|block| block == b"1AY&SY" || block == [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]);
    PACKINGS.iter().find(|packing| bytes.starts_with(packing.magic) && (packing.name != "bzip2" || is_block(bytes)))
}

/// The name of a file without the ending that says how it is packed.
pub(super) fn without_ending(name: &str) -> &str {
    PACKINGS.iter().find_map(|packing| name.strip_suffix(packing.ending)).unwrap_or(name)
}

/// The bytes, unpacked if they are packed; `most` is the memory that they may take.
pub(super) fn unpack<'a>(file: &str, bytes: Cow<'a, [u8]>, most: u64) -> Result<Cow<'a, [u8]>> {
    let fault = |why: String| Error::Table { file: file.to_owned(), why };
    if let Some((name, _)) = REFUSED.iter().find(|(_, magic)| bytes.starts_with(magic)) {
        let read = PACKINGS.map(|packing| packing.name).join(", ");
        return Err(fault(format!("the table is packed by {name}, which is not read; unpack it, or pack it by one of {read}")));
    }
    let Some(Packing { name, unpack, .. }) = packing(&bytes) else { return Ok(bytes) };
    let unpacked = unpack(&bytes, most).map_err(|e| match e.kind() {
        ErrorKind::OutOfMemory => too_large(&format!("unpacking {file}"), most.saturating_add(1), most),
        _ => fault(format!("the table is packed ({name}) and damaged or cut off: {e}; copy it again")),
    })?;
    if unpacked.len() as u64 > most {
        return Err(too_large(&format!("unpacking {file}, which grows on,"), most.saturating_add(1), most));
    }
    if packing(&unpacked).is_some() {
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

/// Members, each unpacked by `one`, which gives what it unpacks and how many bytes are behind it; zeros behind a member are padding.
fn members(mut bytes: &[u8], most: u64, one: impl Fn(&[u8], u64) -> std::io::Result<(Vec<u8>, usize)>) -> std::io::Result<Vec<u8>> {
    let mut out = Vec::new();
    while bytes.iter().any(|&b| b != 0) && out.len() as u64 <= most {
        let (mut unpacked, left) = one(bytes, most - out.len() as u64)?;
        out.append(&mut unpacked);
        bytes = &bytes[bytes.len() - left..];
        bytes = &bytes[bytes.iter().take_while(|&&b| b == 0).count()..];
    }
    Ok(out)
}

fn gunzip(bytes: &[u8], most: u64) -> std::io::Result<Vec<u8>> {
    members(bytes, most, |bytes, most| {
        let mut decoder = flate2::bufread::GzDecoder::new(bytes);
        let unpacked = read_at_most(&mut decoder, most)?;
        Ok((unpacked, decoder.into_inner().len()))
    })
}

fn bunzip2(bytes: &[u8], most: u64) -> std::io::Result<Vec<u8>> {
    members(bytes, most, |bytes, most| {
        let mut decoder = bzip2::bufread::BzDecoder::new(bytes);
        let unpacked = read_at_most(&mut decoder, most)?;
        Ok((unpacked, decoder.into_inner().len()))
    })
}

/// Streams of xz end in letters: zeros behind them are padding, whose number should be a multiple of four and may be any here.
fn unxz(bytes: &[u8], most: u64) -> std::io::Result<Vec<u8>> {
    let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
    let kilobytes = u32::try_from(most / 1024).unwrap_or(u32::MAX).max(1);
    read_at_most(lzma_rust2::XzReader::new_mem_limit(&bytes[..end], true, kilobytes), most)
}

/// Frame after frame; frames that hold no data are skipped.
fn unzstd(bytes: &[u8], most: u64) -> std::io::Result<Vec<u8>> {
    members(bytes, most, |mut bytes, most| match StreamingDecoder::new(&mut bytes) {
        Ok(decoder) => read_at_most(decoder, most).map(|unpacked| (unpacked, bytes.len())),
        Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
            bytes.get(length as usize..).map(|rest| (Vec::new(), rest.len())).ok_or_else(|| ErrorKind::UnexpectedEof.into())
        }
        Err(e) => Err(std::io::Error::other(e.to_string())),
    })
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
    /// Python 3: `bz2.compress(b"a,b\n1,2\n3,4\n")`.
    const BZIPPED: [u8; 50] = [
        0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x03, 0x0c, 0x1f, 0x1b, 0x00, 0x00, 0x05, 0x59, 0x00, 0x00, 0x10, 0x00,
        0x04, 0x3c, 0x00, 0x30, 0x00, 0x20, 0x00, 0x22, 0x1e, 0xa1, 0x88, 0x43, 0x02, 0x27, 0x34, 0xe3, 0x80, 0x1e, 0x2e, 0xe4, 0x8a, 0x70,
        0xa1, 0x20, 0x06, 0x18, 0x3e, 0x36,
    ];
    /// Python 3: `lzma.compress(b"a,b\n1,2\n3,4\n")`.
    const XZ: [u8; 68] = [
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x16, 0x00, 0x00, 0x00, 0x74, 0x2f,
        0xe5, 0xa3, 0x01, 0x00, 0x0b, 0x61, 0x2c, 0x62, 0x0a, 0x31, 0x2c, 0x32, 0x0a, 0x33, 0x2c, 0x34, 0x0a, 0x00, 0x10, 0x55, 0xe3, 0x96,
        0x32, 0x2f, 0x91, 0x5e, 0x00, 0x01, 0x24, 0x0c, 0xa6, 0x18, 0xd8, 0xd8, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04,
        0x59, 0x5a,
    ];
    const PLAIN: &[u8] = b"a,b\n1,2\n3,4\n";

    /// Enough for the dictionary of xz, too.
    const LARGE: u64 = 100_000_000;

    fn unpacked(bytes: &[u8], most: u64) -> Result<Vec<u8>> {
        unpack("t", Cow::Borrowed(bytes), most).map(Cow::into_owned)
    }

    #[test]
    fn packed_bytes_are_unpacked_member_by_member_and_zeros_behind_them_are_padding() {
        for packed in [&GZIPPED[..], &ZSTANDARD, &BZIPPED, &XZ] {
            assert_eq!(unpacked(packed, LARGE).unwrap(), PLAIN);
            assert_eq!(unpacked(&[packed, &[0; 512]].concat(), LARGE).unwrap(), PLAIN);
            assert_eq!(unpacked(&[packed, packed].concat(), LARGE).unwrap(), [PLAIN, PLAIN].concat());
            assert_eq!(unpacked(&[packed, &[0; 4], packed].concat(), LARGE).unwrap(), [PLAIN, PLAIN].concat());
            assert!(unpacked(&[packed, b"more"].concat(), LARGE).is_err(), "what is behind is no padding");
        }
        assert_eq!(unpacked(PLAIN, 1).unwrap(), PLAIN);
        // A frame to be skipped: magic number 0x184D2A50, length 3.
        let skipped = [&ZSTANDARD[..], &[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3], &ZSTANDARD].concat();
        assert_eq!(unpacked(&skipped, LARGE).unwrap(), [PLAIN, PLAIN].concat());
    }

    #[test]
    fn what_unpacks_to_more_than_allowed_is_refused_and_so_is_damage() {
        for packed in [&GZIPPED[..], &ZSTANDARD, &BZIPPED] {
            assert!(unpacked(packed, 11).unwrap_err().to_string().contains("memory"));
            assert!(unpacked(packed, 12).is_ok());
        }
        // The dictionary that a file of xz claims counts too: 8 MiB here.
        assert!(unpacked(&XZ, 1_000_000).unwrap_err().to_string().contains("memory"));
        for packed in [&GZIPPED[..], &ZSTANDARD, &BZIPPED, &XZ] {
            for cut in 10..packed.len() {
                assert!(unpacked(&packed[..cut], LARGE).is_err_and(|e| e.to_string().contains("packed")), "{cut}");
            }
        }
        for (bytes, name) in
            [(&[0x04, 0x22, 0x4D, 0x18, 0][..], "LZ4"), (&[0x1F, 0x9D, 0x90], "compress"), (b"7z\xBC\xAF\x27\x1C", "7-Zip")]
        {
            assert!(unpacked(bytes, LARGE).unwrap_err().to_string().contains(name));
        }
        assert_eq!(unpacked(b"BZh9,b\n1,2\n", LARGE).unwrap(), b"BZh9,b\n1,2\n");
        let mut damaged = GZIPPED;
        damaged[24] ^= 1;
        assert!(unpacked(&damaged, 1000).is_err());
    }
}
