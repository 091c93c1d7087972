//! Bytes to text: UTF-8, UTF-16 with or without a byte order mark, and the older encodings (WHATWG Encoding Standard, by the
//! crate `encoding_rs`). The encoding is given by the user, by a byte order mark, or detected from the bytes.

use super::facts::Fact;
use super::unpack::too_large;
use crate::error::{Error, Result};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use std::borrow::Cow;

/// Names of `--encoding` that are worth a mention; every label of the standard is known.
pub(super) const USUAL: [&str; 6] = ["utf-8", "utf-16", "latin-1", "windows-1252", "windows-1251", "shift_jis"];

/// Control characters that no text has; a tenth of a percent of them is more than a slip.
fn is_control(b: u8) -> bool {
    b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0B | 0x0C | 0x1A | 0x1B)
}

/// The encoding of that name.
///
/// # Errors
/// A name that no encoding has, with the usual ones.
pub(super) fn named(name: &str) -> Result<&'static Encoding> {
    let label = name.trim().to_ascii_lowercase();
    let label = match label.as_str() {
        "latin-1" | "latin_1" => "latin1",
        "utf16" => "utf-16",
        "utf8" | "utf-8-sig" => "utf-8",
        other => other,
    };
    Encoding::for_label(label.as_bytes()).ok_or_else(|| Error::unknown("encoding", name, USUAL))
}

/// An encoding that nobody named.
pub(super) struct Assumed {
    /// Its name, as it may be asked for.
    pub(super) name: String,
    /// What is to be said of it.
    pub(super) fact: Fact,
}

/// The text of the bytes, and what is to be said of it: nothing where it is UTF-8. `most` is the memory it may take.
pub(super) fn decode<'a>(file: &str, bytes: &'a [u8], asked: Option<&str>, most: u64) -> Result<(Cow<'a, str>, Option<Fact>)> {
    assuming(file, bytes, asked, most).map(|(text, assumed)| (text, assumed.map(|a| a.fact)))
}

/// Decodes the bytes; where an encoding was assumed, gives its name and what to report of it.
pub(super) fn assuming<'a>(file: &str, bytes: &'a [u8], asked: Option<&str>, most: u64) -> Result<(Cow<'a, str>, Option<Assumed>)> {
    let wide = |said: &str| {
        Some(Assumed { name: "utf-16".into(), fact: Fact::of_table(format!("{file}: the table is {said}, and read as that")) })
    };
    let fault = |why: String| Error::Table { file: file.to_owned(), why };
    let asked = asked.map(named).transpose()?;
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        let text = text_of(file, &bytes[length..], encoding, most)?;
        // Of UTF-8, the mark is dropped without a word.
        return Ok((text, if encoding == UTF_8 { None } else { wide("UTF-16") }));
    }
    if let Some(encoding) = asked {
        let encoding = if encoding == UTF_16LE && starts_high(bytes) { UTF_16BE } else { encoding };
        return Ok((text_of(file, bytes, encoding, most)?, None));
    }
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) if !text.bytes().any(|b| b == 0) => return Ok((Cow::Borrowed(text), None)),
        Ok(text) => text.bytes().take_while(|&b| b != 0).count(),
        Err(e) => e.valid_up_to(),
    };
    if let Some(encoding) = without_mark(bytes) {
        let text = text_of(file, bytes, encoding, most)?;
        return Ok((text, wide("UTF-16 without a byte order mark")));
    }
    let line = 1 + bytes[..valid].iter().filter(|&&b| b == b'\n').count();
    if bytes.contains(&0) || 1000 * bytes.iter().filter(|&&b| is_control(b)).count() > bytes.len() {
        return Err(fault(format!("line {line} holds bytes that no text has: this is no table of a format that is read")));
    }
    if mostly_utf8(bytes) {
        return Err(fault(format!(
            "line {line} is not UTF-8 text, while other lines are; mend that line, or say how the table is written: --encoding windows-1252"
        )));
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let name = encoding.name().to_ascii_lowercase();
    let said =
        format!("{file}: the table is not UTF-8, and read as {name}; --encoding NAME reads it as another (latin-1, windows-1252, ...)");
    Ok((text_of(file, bytes, encoding, most)?, Some(Assumed { name, fact: Fact::of_table(said) })))
}

fn text_of<'a>(file: &str, bytes: &'a [u8], encoding: &'static Encoding, most: u64) -> Result<Cow<'a, str>> {
    let fault = |why: String| Error::Table { file: file.to_owned(), why };
    let (text, malformed) = encoding.decode_without_bom_handling(bytes);
    if text.len() as u64 > most {
        return Err(too_large(&format!("reading {file}"), text.len() as u64, most));
    }
    if malformed {
        let name = encoding.name();
        if encoding == UTF_16LE || encoding == UTF_16BE {
            return Err(fault(format!("the table is damaged {name}: its characters are cut off or broken; save it as UTF-8")));
        }
        // The first line whose bytes are none of the encoding.
        let bad = bytes.split(|&b| b == b'\n').position(|line| encoding.decode_without_bom_handling(line).1);
        return Err(fault(format!("line {} is not {name} text; say how the table is written (--encoding)", bad.map_or(1, |at| at + 1))));
    }
    Ok(text)
}

/// UTF-16 without a mark: nearly every second byte is 0, as in text of Latin letters.
fn without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let looked_at = &bytes[..bytes.len().min(2000) & !1];
    let zeros = |parity: usize| looked_at.iter().skip(parity).step_by(2).filter(|&&b| b == 0).count();
    let half = looked_at.len() / 2;
    let (first, second) = (zeros(0), zeros(1));
    if half < 2 {
        None
    } else if 10 * second >= 9 * half && first == 0 {
        Some(UTF_16LE)
    } else if 10 * first >= 9 * half && second == 0 {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Whether UTF-16 begins with its high byte.
fn starts_high(bytes: &[u8]) -> bool {
    matches!(bytes, [0, second, ..] if *second != 0)
}

/// Whether there are more characters of several bytes that are sound than bytes that are not.
fn mostly_utf8(bytes: &[u8]) -> bool {
    let (mut sound, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        sound += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += chunk.invalid().len();
    }
    sound > broken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], asked: Option<&str>) -> (String, String) {
        let (text, fact) = decode("t", bytes, asked, 1000).unwrap();
        (text.into_owned(), fact.map(|f| f.sentence()).unwrap_or_default())
    }

    #[test]
    fn encodings_are_told_by_mark_by_name_and_by_their_bytes() {
        assert_eq!(text("\u{FEFF}Größe".as_bytes(), None), ("Größe".into(), String::new()));
        let little: Vec<u8> = "Größe;1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "Größe;1\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [&little, &big] {
            let (read, said) = text(bytes, None);
            assert!(read == "Größe;1\n" && said.contains("UTF-16 without"), "{read} {said}");
            assert_eq!(text(bytes, Some("utf-16")).0, "Größe;1\n");
        }
        let latin = b"Gr\xF6\xDFe;S\xFCd\nschlie\xDFlich;sch\xF6n\n";
        let (read, said) = text(latin, None);
        assert!(read == "Größe;Süd\nschließlich;schön\n" && said.contains("windows-1252"), "{read} {said}");
        assert_eq!(text(latin, Some("latin-1")), (read, String::new()));
        assert_eq!(text(b"\x93a\x94 \x80", Some("windows-1252")).0, "“a” €");
    }

    #[test]
    fn what_is_no_text_and_what_is_broken_utf8_is_refused_by_line() {
        let refused = |bytes: &[u8], asked: Option<&str>| decode("t", bytes, asked, 1000).unwrap_err().to_string();
        assert!(refused(b"a,b\n\0\x01\x02\x03,\0\0\0\n", None).contains("line 2"));
        let broken = ["Größe,Süd,schön\n".as_bytes(), b"caf\xE9,1,2\n"].concat();
        let said = refused(&broken, None);
        assert!(said.contains("line 2 is not UTF-8") && said.contains("--encoding"), "{said}");
        assert!(refused(b"a\n\xFFb\n", Some("utf-8")).contains("line 2 is not UTF-8"));
        assert!(refused(b"a", Some("latin-9000")).contains("unknown encoding 'latin-9000'"));
        assert!(decode("t", b"abcdef", Some("utf-8"), 3).is_err());
    }
}
