//! Packed bytes unpacked as they are read: gzip (RFC 1952), Zstandard (RFC 8878), bzip2 and xz, detected by their first bytes, never more
//! than the memory allowed. Files of several members or frames are read whole; zeros behind them are padding.

use crate::error::{Error, Result};
use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

/// Packed bytes on their way.
type Packed<'a> = Box<dyn BufRead + 'a>;

/// One member of packed bytes, which takes no more of them than it has.
trait Member<'a>: Read {
    /// The bytes behind it.
    fn behind(self: Box<Self>) -> Packed<'a>;
}

/// A way of packing: its name, its first bytes, the ending of its files, and what reads a member within so many bytes of memory.
struct Packing {
    name: &'static str,
    magic: &'static [u8],
    ending: &'static str,
    member: for<'a> fn(Packed<'a>, u64) -> io::Result<Box<dyn Member<'a> + 'a>>,
}

const PACKINGS: [Packing; 4] = [
    Packing { name: "gzip", magic: &[0x1F, 0x8B], ending: ".gz", member: gzip_member },
    Packing { name: "Zstandard", magic: &[0x28, 0xB5, 0x2F, 0xFD], ending: ".zst", member: zstandard_frame },
    Packing { name: "bzip2", magic: b"BZh", ending: ".bz2", member: bzip2_member },
    Packing { name: "xz", magic: &[0xFD, b'7', b'z', b'X', b'Z', 0], ending: ".xz", member: xz_stream },
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
    let mut unpacker = Unpacker::of(file, Box::new(&bytes[..]), most)?;
    if unpacker.packing.is_none() {
        drop(unpacker);
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    unpacker.read_up_to(most.saturating_add(1), &mut unpacked)?;
    if unpacked.len() as u64 > most {
        return Err(too_large(&format!("unpacking {file}, which grows on,"), most.saturating_add(1), most));
    }
    Ok(Cow::Owned(unpacked))
}

/// Bytes of a file, unpacked as they are read where they are packed.
pub(super) struct Unpacker<'a> {
    file: String,
    packing: Option<&'static Packing>,
    most: u64,
    bytes: Packed<'a>,
    /// Whether some bytes were read.
    begun: bool,
}

impl<'a> Unpacker<'a> {
    /// Opens a file; `most` is the memory that unpacking may take.
    pub(super) fn open(path: &Path, most: u64) -> Result<Unpacker<'static>> {
        // Bytes that are asked of the system at a time.
        const BYTES: usize = 1 << 16;
        let file = std::fs::File::open(path).map_err(|e| Error::io(path.display(), e))?;
        Unpacker::of(&path.display().to_string(), Box::new(BufReader::with_capacity(BYTES, file)), most)
    }

    fn of(file: &str, mut bytes: Packed<'a>, most: u64) -> Result<Self> {
        let start = bytes.fill_buf().map_err(|e| Error::io(file, e))?;
        if let Some((name, _)) = REFUSED.iter().find(|(_, magic)| start.starts_with(magic)) {
            let read = PACKINGS.map(|packing| packing.name).join(", ");
            let why = format!("the table is packed by {name}, which is not read; unpack it, or pack it by one of {read}");
            return Err(Error::Table { file: file.to_owned(), why });
        }
        let packing = packing(start);
        let bytes = match packing {
            Some(packing) => Box::new(BufReader::new(Members { packing, most, stage: Stage::Between(bytes) })),
            None => bytes,
        };
        Ok(Unpacker { file: file.to_owned(), packing, most, bytes, begun: false })
    }

    /// Whether the file is packed.
    pub(super) fn is_packed(&self) -> bool {
        self.packing.is_some()
    }

    /// Adds so many of the next bytes, or all that are left.
    pub(super) fn read_up_to(&mut self, count: u64, out: &mut Vec<u8>) -> Result<()> {
        let begin = out.len();
        let read = (&mut self.bytes).take(count).read_to_end(out);
        read.map_err(|e| self.fault(&e))?;
        if !std::mem::replace(&mut self.begun, true) && self.packing.is_some() && packing(&out[begin..]).is_some() {
            let why = "the table is packed twice; unpack it once yourself";
            return Err(Error::Table { file: self.file.clone(), why: why.into() });
        }
        Ok(())
    }

    /// Whether nothing is left.
    pub(super) fn is_at_end(&mut self) -> Result<bool> {
        let left = self.bytes.fill_buf().map(<[u8]>::is_empty);
        left.map_err(|e| self.fault(&e))
    }

    fn fault(&self, why: &io::Error) -> Error {
        let Unpacker { file, most, .. } = self;
        match self.packing {
            Some(_) if why.kind() == ErrorKind::OutOfMemory => too_large(&format!("unpacking {file}"), most.saturating_add(1), *most),
            Some(Packing { name, .. }) => {
                let why = format!("the table is packed ({name}) and damaged or cut off: {why}; copy it again");
                Error::Table { file: file.clone(), why }
            }
            None => Error::io(file, io::Error::new(why.kind(), why.to_string())),
        }
    }
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

/// Members one after the other; zeros behind a member are padding.
struct Members<'a> {
    packing: &'static Packing,
    most: u64,
    stage: Stage<'a>,
}

/// Where reading has got to.
enum Stage<'a> {
    Between(Packed<'a>),
    Within(Box<dyn Member<'a> + 'a>),
    End,
}

impl Read for Members<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            match &mut self.stage {
                Stage::End => return Ok(0),
                Stage::Within(member) => match member.read(out)? {
                    0 => {}
                    count => return Ok(count),
                },
                Stage::Between(bytes) => {
                    let some = bytes.fill_buf()?;
                    let (zeros, length) = (some.iter().take_while(|&&byte| byte == 0).count(), some.len());
                    bytes.consume(zeros);
                    if length == 0 {
                        self.stage = Stage::End;
                        return Ok(0);
                    }
                    if zeros == length {
                        continue;
                    }
                }
            }
            self.stage = match std::mem::replace(&mut self.stage, Stage::End) {
                Stage::Within(member) => Stage::Between(member.behind()),
                Stage::Between(bytes) => Stage::Within((self.packing.member)(bytes, self.most)?),
                Stage::End => Stage::End,
            };
        }
    }
}

impl<'a> Member<'a> for GzDecoder<Packed<'a>> {
    fn behind(self: Box<Self>) -> Packed<'a> {
        self.into_inner()
    }
}

impl<'a> Member<'a> for BzDecoder<Packed<'a>> {
    fn behind(self: Box<Self>) -> Packed<'a> {
        self.into_inner()
    }
}

impl<'a> Member<'a> for XzReader<Packed<'a>> {
    fn behind(self: Box<Self>) -> Packed<'a> {
        self.into_inner()
    }
}

/// A frame of Zstandard; no decoder where it is one to skip.
struct ZstandardFrame<'a> {
    decoder: Option<FrameDecoder>,
    bytes: Packed<'a>,
}

impl Read for ZstandardFrame<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some(decoder) = &mut self.decoder else { return Ok(0) };
        while decoder.can_collect() == 0 && !decoder.is_finished() {
            decoder.decode_blocks(&mut self.bytes, BlockDecodingStrategy::UptoBlocks(1)).map_err(io::Error::other)?;
        }
        decoder.read(out)
    }
}

impl<'a> Member<'a> for ZstandardFrame<'a> {
    fn behind(self: Box<Self>) -> Packed<'a> {
        self.bytes
    }
}

fn gzip_member<'a>(bytes: Packed<'a>, _: u64) -> io::Result<Box<dyn Member<'a> + 'a>> {
    Ok(Box::new(GzDecoder::new(bytes)))
}

fn bzip2_member<'a>(bytes: Packed<'a>, _: u64) -> io::Result<Box<dyn Member<'a> + 'a>> {
    Ok(Box::new(BzDecoder::new(bytes)))
}

fn xz_stream<'a>(bytes: Packed<'a>, most: u64) -> io::Result<Box<dyn Member<'a> + 'a>> {
    let kilobytes = u32::try_from(most / 1024).unwrap_or(u32::MAX).max(1);
    Ok(Box::new(XzReader::new_mem_limit(bytes, false, kilobytes)))
}

fn zstandard_frame<'a>(mut bytes: Packed<'a>, _: u64) -> io::Result<Box<dyn Member<'a> + 'a>> {
    let mut decoder = FrameDecoder::new();
    match decoder.init(&mut bytes) {
        Ok(()) => Ok(Box::new(ZstandardFrame { decoder: Some(decoder), bytes })),
        Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
            let skipped = io::copy(&mut (&mut bytes).take(u64::from(length)), &mut io::sink())?;
            if skipped < u64::from(length) {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            Ok(Box::new(ZstandardFrame { decoder: None, bytes }))
        }
        Err(e) => Err(io::Error::other(e)),
    }
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
    fn a_file_is_unpacked_a_few_bytes_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        for packed in [&GZIPPED[..], &ZSTANDARD, &BZIPPED, &XZ] {
            std::fs::write(&path, [packed, packed, &[0; 6]].concat()).unwrap();
            let mut unpacker = Unpacker::open(&path, LARGE).unwrap();
            let mut found = Vec::new();
            while !unpacker.is_at_end().unwrap() {
                unpacker.read_up_to(5, &mut found).unwrap();
            }
            assert_eq!(found, [PLAIN, PLAIN].concat());
            std::fs::write(&path, &packed[..packed.len() - 7]).unwrap();
            let mut cut = Unpacker::open(&path, LARGE).unwrap();
            let why = cut.read_up_to(u64::MAX, &mut Vec::new()).unwrap_err().to_string();
            assert!(why.contains("damaged or cut off"), "{why}");
        }
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
