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
use crate::partial::Partial;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::io::{Cursor, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
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

/// Writes a model file; its arrays go there piece by piece and are never held as a whole.
fn write_to<T: Serialize, W: Write + Seek + 'static>(model: &T, mut out: W) -> Result<W> {
    // Where the checksum stands.
    const CHECKSUM: u64 = 16;
    let fault = |e: serde_json::Error| Error::Numerical { what: "writing the model".into(), why: e.to_string() };
    let broken = |e: std::io::Error| Error::io("the model file", e);
    let (json, blocks) = blocks::measure(|| serde_json::value::to_raw_value(model));
    let json = json.map_err(fault)?;
    let header = serde_json::to_vec(&HeaderOut { model: &json, blocks }).map_err(fault)?;
    let prefix = [&MAGIC[..], &(header.len() as u64).to_le_bytes(), &[0; 4], &header].concat();
    out.write_all(&prefix).map_err(broken)?;
    let mut sum = crc32fast::Hasher::new();
    sum.update(&header);
    // The writer, the checksum so far, and the first error.
    let going = Rc::new(RefCell::new((out, sum, None)));
    let own = going.clone();
    let sink = move |_: usize, bytes: &[u8]| {
        let (out, sum, failed) = &mut *own.borrow_mut();
        if failed.is_none() {
            sum.update(bytes);
            *failed = out.write_all(bytes).err();
        }
    };
    blocks::stream(Box::new(sink), || serde_json::to_writer(std::io::sink(), model)).map_err(fault)?;
    let (mut out, sum, failed) = Rc::into_inner(going).map(RefCell::into_inner).ok_or_else(|| broken(ErrorKind::Other.into()))?;
    failed.map_or(Ok(()), |e| Err(broken(e)))?;
    let end = || {
        out.seek(SeekFrom::Start(CHECKSUM))?;
        out.write_all(&sum.finalize().to_le_bytes())?;
        out.flush()
    };
    end().map_err(broken)?;
    Ok(out)
}

/// An error unless what was written reads as the model: a number that is not finite has no place in a model.
fn require_equal<T: PartialEq>(back: Result<T>, model: &T) -> Result<()> {
    let unusable =
        |why: &str| Error::Numerical { what: "writing the model".into(), why: format!("{why}; scale the columns or regularise more") };
    match back {
        Ok(back) if back == *model => Ok(()),
        Ok(_) => Err(unusable("it holds a number that is not finite")),
        Err(e) => Err(unusable(&e.to_string())),
    }
}

/// The bytes of a model file.
pub fn to_bytes(model: &Model) -> Result<Vec<u8>> {
    let out = write_to(model, Cursor::new(Vec::new()))?.into_inner();
    require_equal(from_bytes(&out, "the new model"), model)?;
    Ok(out)
}

/// A model from the bytes of its file; `name` is used in messages.
pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Model> {
    read_from(Cursor::new(bytes.to_vec()), name, &Control::default())
}

/// The bytes of sums over batches, in the format of a model file.
///
/// # Errors
/// Numbers that are not finite.
pub fn partial_to_bytes(partial: &Partial) -> Result<Vec<u8>> {
    write_to(partial, Cursor::new(Vec::new())).map(Cursor::into_inner)
}

/// Sums over batches from their bytes.
///
/// # Errors
/// Bytes that are damaged, cut off, or of something else.
pub fn partial_from_bytes(bytes: &[u8]) -> Result<Partial> {
    // What messages call the bytes.
    const NAME: &str = "sums over batches";
    let partial: Partial = parts_from(Cursor::new(bytes.to_vec()), NAME)?;
    partial.check(&Control::default()).map_err(|e| Error::ModelFile { file: NAME.to_owned(), why: e.to_string() })?;
    Ok(partial)
}

/// Blocks that stand in a file one after the other.
struct Arrays<R> {
    file: R,
    /// First byte and number of bytes of each.
    places: Vec<(u64, usize)>,
}

impl<R: Read + Seek> blocks::Source for Arrays<R> {
    fn count(&self) -> usize {
        self.places.len()
    }
    fn size(&self, index: usize) -> usize {
        self.places[index].1
    }
    fn read(&mut self, index: usize, out: &mut [u8]) -> std::io::Result<()> {
        self.file.seek(SeekFrom::Start(self.places[index].0))?;
        self.file.read_exact(out)
    }
}

/// Whether bytes begin as a model file does, of this or another version of the format.
pub fn is_model_file(bytes: &[u8]) -> bool {
    bytes.starts_with(b"MERCER")
}

/// A model from its file, array by array; `name` is used in messages.
fn read_from<R: Read + Seek + 'static>(file: R, name: &str, control: &Control) -> Result<Model> {
    let model: Model = parts_from(file, name)?;
    model.check(control).map_err(|e| Error::ModelFile { file: name.to_owned(), why: e.to_string() })?;
    Ok(model)
}

/// What is in a file, not yet checked.
fn parts_from<T: DeserializeOwned, R: Read + Seek + 'static>(mut file: R, name: &str) -> Result<T> {
    let fault = |why: String| Error::ModelFile { file: name.to_owned(), why };
    let broken = |e: std::io::Error| Error::io(name, e);
    let size = file.seek(SeekFrom::End(0)).map_err(broken)?;
    if size < PREFIX as u64 {
        return Err(fault(format!("it has {size} bytes, less than the smallest model file; copy it again")));
    }
    let mut prefix = [0; PREFIX];
    file.rewind().and_then(|()| file.read_exact(&mut prefix)).map_err(broken)?;
    let (magic, numbers) = prefix.split_at(MAGIC.len());
    if magic != MAGIC {
        let why =
            if is_model_file(magic) { "it was written by another version of the format" } else { "it does not start like a model file" };
        return Err(fault(why.into()));
    }
    let (length, sum) = numbers.split_at(size_of::<u64>());
    let length = length.try_into().map(u64::from_le_bytes).unwrap_or(u64::MAX);
    let body = size - PREFIX as u64;
    if length > body {
        return Err(fault("it is shorter than its header says: truncated; copy it again".into()));
    }
    if sum != checksum(&mut file).map_err(broken)?.to_le_bytes() {
        return Err(fault("its checksum is wrong: damaged or truncated; copy it again".into()));
    }
    let mut header = vec![0; length as usize];
    file.seek(SeekFrom::Start(PREFIX as u64)).and_then(|_| file.read_exact(&mut header)).map_err(broken)?;
    let header: HeaderIn<'_> = serde_json::from_slice(&header).map_err(|e| fault(format!("its header cannot be read: {e}")))?;
    let mut places = Vec::with_capacity(header.blocks.len());
    let mut start = PREFIX as u64 + length;
    for block in header.blocks {
        places.push((start, block));
        start = start
            .checked_add(block as u64)
            .filter(|end| *end <= size)
            .ok_or_else(|| fault("its arrays are shorter than its header says".into()))?;
    }
    if start < size {
        return Err(fault("bytes are left over after its arrays".into()));
    }
    let read = || (serde_json::from_str::<T>(header.model.get()), blocks::untaken());
    let (model, untaken) = blocks::supply(Arrays { file, places }, read);
    // The place in the header is of no use to anybody where its text is sound.
    let why = |e: &serde_json::Error| match e.to_string().rsplit_once(" at line ") {
        Some((why, _)) if e.is_data() => why.to_owned(),
        _ => e.to_string(),
    };
    let model = model.map_err(|e| fault(why(&e)))?;
    if untaken > 0 {
        return Err(fault(format!("{untaken} of its arrays are no part of the model")));
    }
    Ok(model)
}

/// CRC-32 of the rest of a file.
fn checksum(file: &mut impl Read) -> std::io::Result<u32> {
    let mut sum = crc32fast::Hasher::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(sum.finalize()),
            Ok(length) => sum.update(&piece[..length]),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// Writes a model file: under a temporary name first, then renamed, so that no half file is ever seen.
pub fn save(model: &Model, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    replace(path, |file, temporary| {
        write_to(model, file)?.sync_all().map_err(|e| Error::io(path.display(), e))?;
        let back = std::fs::File::open(temporary).map_err(|e| Error::io(path.display(), e))?;
        require_equal(read_from(back, "the new model", &Control::default()), model)
    })
}

/// Reads a model file.
pub fn load(path: impl AsRef<Path>) -> Result<Model> {
    load_within(path, &Control::default())
}

impl Model {
    /// Writes the model file: see [`save`].
    ///
    /// # Errors
    /// A path that cannot be written; numbers that are not finite.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        save(self, path)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// A file that is damaged, cut off, or none of ours; one with a kernel, a generative model or an estimator that this program has not
    /// registered.
    pub fn load(path: impl AsRef<Path>) -> Result<Model> {
        load(path)
    }
}

/// Reads a model file within the memory limit of `control`.
pub fn load_within(path: impl AsRef<Path>, control: &Control) -> Result<Model> {
    let path = path.as_ref();
    let fault = |e| Error::io(path.display(), e);
    let file = std::fs::File::open(path).map_err(fault)?;
    control.plan(&format!("the model {}", path.display()), file.metadata().map_err(fault)?.len())?;
    read_from(file, &path.display().to_string(), control)
}

/// Writes a file so that it is either there whole or not at all: as `NAME.PROCESS-NUMBER.part`, then renamed. Links stay, and lead to the
/// new file, which has the permissions of the old one; devices, pipes and open files of a process are written to.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    replace(path, |mut file, _| file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|e| Error::io(path.display(), e)))
}

/// Writes a file piece by piece as [`write_atomically`] writes one.
///
/// # Errors
/// Those of `write`; then there is no file, or the one that there was.
pub fn write_piece_by_piece(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    replace(path, |file, _| {
        let fault = |e| Error::io(path.display(), e);
        let mut out = std::io::BufWriter::new(file);
        write(&mut out)?;
        out.into_inner().map_err(|e| fault(e.into_error()))?.sync_all().map_err(fault)
    })
}

/// The file that a path leads to, links followed; `None`: a device, a pipe or an open file of a process, which no file can replace.
pub fn destination(path: &Path) -> Option<PathBuf> {
    // Links that lead to a file, one after the other, at most.
    const MOST_LINKS: usize = 40;
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return None;
    }
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(to) = std::fs::read_link(&path) else { break };
        if path.starts_with("/proc") {
            return None;
        }
        path = path.parent().map_or_else(|| to.clone(), |folder| folder.join(&to));
    }
    Some(path)
}

/// Writes a file atomically: `write` fills a temporary file, given with its name, which is then renamed, or copied to what cannot be replaced.
fn replace(path: &Path, write: impl FnOnce(std::fs::File, &Path) -> Result<()>) -> Result<()> {
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let fault = |e| Error::io(path.display(), e);
    let destination = destination(path);
    let beside = destination.clone().unwrap_or_else(|| std::env::temp_dir().join("mercer"));
    sweep(&beside);
    let mut temporary = beside.into_os_string();
    temporary.push(format!(".{}-{}.part", std::process::id(), WRITES.fetch_add(1, Ordering::Relaxed)));
    let temporary = PathBuf::from(temporary);
    let file = std::fs::File::create(&temporary).map_err(fault);
    let written = file.and_then(|file| write(file, &temporary)).and_then(|()| match &destination {
        Some(destination) => {
            if let Ok(old) = std::fs::metadata(destination) {
                std::fs::set_permissions(&temporary, old.permissions()).map_err(fault)?;
            }
            std::fs::rename(&temporary, destination).map_err(fault)
        }
        None => {
            let through = std::fs::OpenOptions::new().append(true).open(path);
            let copied = through.and_then(|mut through| std::io::copy(&mut std::fs::File::open(&temporary)?, &mut through));
            let _ = std::fs::remove_file(&temporary);
            match copied {
                // Whoever reads a pipe may have read enough.
                Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
                copied => copied.map(|_| ()).map_err(fault),
            }
        }
    });
    written.inspect_err(|_| {
        let _ = std::fs::remove_file(&temporary);
    })
}

/// Removes old leftovers of writes to this path. What cannot be looked at or removed is left: it is in nobody's way.
fn sweep(path: &Path) {
    // Leftovers of writers that were killed are taken away by the next write once they are this old.
    const STALE: Duration = Duration::from_secs(3600);
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
