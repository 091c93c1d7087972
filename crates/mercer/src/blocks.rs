//! How large arrays leave a serde tree.
//!
//! A field marked `#[serde(with = "blocks::f64s")]` is written as plain JSON numbers, except while a
//! [`collect`] is under way: then its bytes go to a list of little-endian blocks and the JSON holds only
//! their number. The model file is that JSON followed by those blocks, so that loading parses a
//! small header and copies raw numbers: nothing in a file can run.

use bytemuck::cast_slice_mut;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::cell::RefCell;
use std::rc::Rc;

/// Takes bytes of the block of this number; every block comes in several pieces, the first of them empty.
type Sink = Box<dyn FnMut(usize, &[u8])>;

/// Where blocks are read from, each when its turn comes.
pub trait Source {
    /// How many there are.
    fn count(&self) -> usize;
    /// Bytes of a block; bounded by what is there.
    fn size(&self, index: usize) -> usize;
    /// Writes a whole block to `out`, which has its size.
    ///
    /// # Errors
    /// The file cannot be read any more.
    fn read(&mut self, index: usize, out: &mut [u8]) -> std::io::Result<()>;
}

impl Source for Vec<Vec<u8>> {
    fn count(&self) -> usize {
        self.len()
    }
    fn size(&self, index: usize) -> usize {
        self[index].len()
    }
    fn read(&mut self, index: usize, out: &mut [u8]) -> std::io::Result<()> {
        out.copy_from_slice(&self[index]);
        Ok(())
    }
}

struct Supply {
    source: Box<dyn Source>,
    taken: Vec<bool>,
}

thread_local! {
    /// Blocks begun so far, and where their bytes go.
    static OUT: RefCell<Option<(usize, Sink)>> = const { RefCell::new(None) };
    static IN: RefCell<Option<Supply>> = const { RefCell::new(None) };
}

/// A reference to a block, or the numbers themselves where no blocks are collected.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Stored<T> {
    Block { index: usize, dtype: String },
    Inline(Vec<T>),
}

/// Runs `write` while the bytes of every marked field that it serialises go to `sink`.
pub fn stream<R>(sink: Sink, write: impl FnOnce() -> R) -> R {
    OUT.with(|o| *o.borrow_mut() = Some((0, sink)));
    let result = write();
    OUT.with(|o| *o.borrow_mut() = None);
    result
}

/// Runs `write` and returns what it returned together with what `add` made of the blocks.
fn gathered<R, B: Default + 'static>(write: impl FnOnce() -> R, add: fn(&mut B, &[u8])) -> (R, Vec<B>) {
    let blocks: Rc<RefCell<Vec<B>>> = Rc::default();
    let own = blocks.clone();
    let sink = move |index: usize, bytes: &[u8]| {
        let mut list = own.borrow_mut();
        list.resize_with(index + 1, B::default);
        add(&mut list[index], bytes);
    };
    let result = stream(Box::new(sink), write);
    (result, blocks.take())
}

/// Runs `write` and returns what it returned together with the blocks of every marked field it serialised.
pub fn collect<R>(write: impl FnOnce() -> R) -> (R, Vec<Vec<u8>>) {
    gathered(write, |block: &mut Vec<u8>, bytes| block.extend_from_slice(bytes))
}

/// Runs `write` and returns its result together with the size in bytes of each block.
pub fn measure<R>(write: impl FnOnce() -> R) -> (R, Vec<usize>) {
    gathered(write, |size, bytes| *size += bytes.len())
}

/// Runs `read` while marked fields take their numbers from `source`, each block of which can be taken once.
pub fn supply<R>(source: impl Source + 'static, read: impl FnOnce() -> R) -> R {
    let taken = vec![false; source.count()];
    IN.with(|i| *i.borrow_mut() = Some(Supply { source: Box::new(source), taken }));
    let result = read();
    IN.with(|i| *i.borrow_mut() = None);
    result
}

/// Inside of [`supply`]: how many blocks no marked field has taken.
pub fn untaken() -> usize {
    IN.with(|i| i.borrow().as_ref().map_or(0, |s| s.taken.iter().filter(|taken| !**taken).count()))
}

/// Takes a block of numbers out, as their bytes in memory; in words why it cannot be had.
fn take<T: bytemuck::Pod>(index: usize, dtype: &str, expected: &str) -> Result<Vec<T>, String> {
    if dtype != expected {
        return Err(format!("block {index} holds {dtype}, expected {expected}"));
    }
    IN.with(|i| {
        let mut supply = i.borrow_mut();
        let Some(Supply { source, taken }) = supply.as_mut().filter(|s| index < s.taken.len()) else {
            return Err(format!("block {index} is missing"));
        };
        if std::mem::replace(&mut taken[index], true) {
            return Err(format!("block {index} is used twice"));
        }
        let size = source.size(index);
        if size % size_of::<T>() != 0 {
            return Err(format!("block {index} is not whole numbers of {expected}"));
        }
        let mut numbers: Vec<T> = vec![T::zeroed(); size / size_of::<T>()];
        source.read(index, cast_slice_mut(&mut numbers)).map_err(|e| format!("block {index}: {e}"))?;
        Ok(numbers)
    })
}

macro_rules! block_type {
    ($module:ident, $t:ty, $as:ty, $dtype:literal, $refused:expr) => {
        #[doc = concat!("Serde functions for a large `Vec<", stringify!($t), ">`, stored as ", $dtype, ".")]
        pub mod $module {
            use super::*;

            /// Writes the numbers, or their bytes as a block.
            pub fn serialize<S: Serializer>(v: &[$t], s: S) -> Result<S::Ok, S::Error> {
                // Numbers that are turned to bytes together.
                const PIECE: usize = 8192;
                let index = OUT.with(|o| {
                    o.borrow_mut().as_mut().map(|(count, sink)| {
                        let index = *count;
                        *count += 1;
                        sink(index, &[]);
                        let mut bytes = Vec::with_capacity(size_of::<$as>() * PIECE.min(v.len()));
                        for piece in v.chunks(PIECE) {
                            bytes.clear();
                            piece.iter().for_each(|x| bytes.extend_from_slice(&(*x as $as).to_le_bytes()));
                            sink(index, &bytes);
                        }
                        index
                    })
                });
                match index {
                    Some(index) => Stored::<$t>::Block { index, dtype: $dtype.into() }.serialize(s),
                    None => Stored::Inline(v.to_vec()).serialize(s),
                }
            }

            /// Reads the numbers, or takes them from their block.
            pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<$t>, D::Error> {
                match Stored::<$t>::deserialize(d)? {
                    Stored::Inline(v) => Ok(v),
                    Stored::Block { index, dtype } => {
                        // Their bytes are little-endian, whatever those of this machine are.
                        let mut numbers: Vec<$as> = take(index, &dtype, $dtype).map_err(D::Error::custom)?;
                        for number in &mut numbers {
                            *number = <$as>::from_le_bytes(number.to_ne_bytes());
                            if $refused(*number) {
                                return Err(D::Error::custom(format!("block {index} holds the number {number}")));
                            }
                        }
                        Ok(numbers.into_iter().map(|number| number as $t).collect())
                    }
                }
            }
        }
    };
}

block_type!(f64s, f64, f64, "f64", |x: f64| !x.is_finite());
// A column of numbers may hold NaN for cells that are missing until `prep` fills them.
block_type!(cells, f64, f64, "f64", |x: f64| x.is_infinite());
block_type!(u32s, u32, u32, "u32", |_| false);
block_type!(usizes, usize, u64, "u64", |x: u64| usize::try_from(x).is_err());
