//! The model file: `MERCER01`, header length, JSON header, then raw little-endian arrays.
//!
//! ```text
//! 8 bytes  magic "MERCER01"
//! 8 bytes  length of the header, little-endian
//! 4 bytes  CRC-32 of everything that follows
//! header   JSON: {"model": ..., "blocks": [length of each array in bytes]}
//! blocks   the arrays, one after the other; together they end where the file ends
//! ```
//! Reading runs no code from the file, allocates no more than the file's own size, and checks every length.

use crate::blocks;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::learner::Model;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const MAGIC: &[u8; 8] = b"MERCER01";
const PREFIX: usize = 20;

#[derive(Serialize)]
struct HeaderOut<'a> {
    model: &'a serde_json::value::RawValue,
    blocks: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderIn<'a> {
    #[serde(borrow)]
    model: &'a serde_json::value::RawValue,
    blocks: Vec<usize>,
}

/// The bytes of a model file.
pub fn to_bytes(model: &Model) -> Result<Vec<u8>> {
    let fault = |e: serde_json::Error| Error::Numerical { what: "writing the model".into(), why: e.to_string() };
    let (json, arrays) = blocks::collect(|| serde_json::value::to_raw_value(model));
    let json = json.map_err(fault)?;
    let header = serde_json::to_vec(&HeaderOut { model: &json, blocks: arrays.iter().map(Vec::len).collect() }).map_err(fault)?;
    let mut out = Vec::with_capacity(PREFIX + header.len() + arrays.iter().map(Vec::len).sum::<usize>());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&(header.len() as u64).to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&header);
    arrays.iter().for_each(|a| out.extend_from_slice(a));
    let sum = crc32fast::hash(&out[PREFIX..]).to_le_bytes();
    out[16..PREFIX].copy_from_slice(&sum);
    // What cannot be read back is not written: a number that is not finite has no place in a model.
    let unusable =
        |why: &str| Error::Numerical { what: "writing the model".into(), why: format!("{why}; scale the columns or regularise more") };
    match from_bytes(&out, "the new model") {
        Ok(back) if back == *model => Ok(out),
        Ok(_) => Err(unusable("it holds a number that is not finite")),
        Err(e) => Err(unusable(&e.to_string())),
    }
}

/// A model from the bytes of its file; `name` is used in messages.
pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Model> {
    let fault = |why: String| Error::ModelFile { file: name.to_owned(), why };
    let (Some(magic), Some(length), Some(sum)) = (bytes.get(..8), bytes.get(8..16), bytes.get(16..PREFIX)) else {
        return Err(fault(format!("it has {} bytes, less than the smallest model file; copy it again", bytes.len())));
    };
    if magic != MAGIC {
        let why = if magic.starts_with(b"MERCER") {
            "it was written by another version of the format"
        } else {
            "it does not start like a model file"
        };
        return Err(fault(why.into()));
    }
    let length = length.try_into().map(u64::from_le_bytes).unwrap_or(u64::MAX);
    let body = &bytes[PREFIX..];
    if length > body.len() as u64 {
        return Err(fault("it is shorter than its header says: truncated; copy it again".into()));
    }
    if sum != crc32fast::hash(body).to_le_bytes() {
        return Err(fault("its checksum is wrong: damaged or truncated; copy it again".into()));
    }
    let (header, mut rest) = body.split_at(length as usize);
    let header: HeaderIn<'_> = serde_json::from_slice(header).map_err(|e| fault(format!("its header cannot be read: {e}")))?;
    let mut arrays = Vec::with_capacity(header.blocks.len().min(rest.len() + 1));
    for size in header.blocks {
        let (block, after) = rest.split_at_checked(size).ok_or_else(|| fault("its arrays are shorter than its header says".into()))?;
        arrays.push(block.to_vec());
        rest = after;
    }
    if !rest.is_empty() {
        return Err(fault("bytes are left over after its arrays".into()));
    }
    let (model, untaken) = blocks::supply(arrays, || (serde_json::from_str::<Model>(header.model.get()), blocks::untaken()));
    let model = model.map_err(|e| fault(e.to_string()))?;
    if untaken > 0 {
        return Err(fault(format!("{untaken} of its arrays are no part of the model")));
    }
    model.check(&Control::default()).map_err(|e| fault(e.to_string()))?;
    Ok(model)
}

/// Writes a model file: under a temporary name first, then renamed, so that no half file is ever seen.
pub fn save(model: &Model, path: &Path) -> Result<()> {
    let bytes = to_bytes(model)?;
    write_atomically(path, &bytes)
}

/// Reads a model file.
pub fn load(path: &Path) -> Result<Model> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path.display(), e))?;
    from_bytes(&bytes, &path.display().to_string())
}

/// Leftovers of writers that were killed are taken away by the next write once they are this old.
const STALE: Duration = Duration::from_secs(3600);

/// Writes a file so that it is either there whole or not at all: as `NAME.PROCESS-NUMBER.part`, then renamed.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let fault = |e| Error::io(path.display(), e);
    sweep(path);
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}-{}.part", std::process::id(), WRITES.fetch_add(1, Ordering::Relaxed)));
    let temporary = PathBuf::from(temporary);
    let write = || {
        let mut file = std::fs::File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    write().map_err(|e| {
        let _ = std::fs::remove_file(&temporary);
        fault(e)
    })
}

/// Removes old leftovers of writes to this path. What cannot be looked at or removed is left: it is in nobody's way.
fn sweep(path: &Path) {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (Some(name), Ok(entries)) = (path.file_name(), std::fs::read_dir(folder)) else { return };
    let start = format!("{}.", name.to_string_lossy());
    for entry in entries.flatten() {
        let found = entry.file_name();
        let number = found.to_str().and_then(|f| f.strip_prefix(&start)?.strip_suffix(".part"));
        let ours = number.is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit() || c == '-'));
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if ours && age().is_some_and(|a| a > STALE) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
