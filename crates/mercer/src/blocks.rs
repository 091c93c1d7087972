//! How large arrays leave a serde tree.
//!
//! A field marked `#[serde(with = "blocks::f64s")]` is written as plain JSON numbers, except while a
//! [`collect`] is under way: then its bytes go to a list of little-endian blocks and the JSON holds only
//! their number. The model file is that JSON followed by those blocks, so that loading parses a
//! small header and copies raw numbers: nothing in a file can run.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::cell::RefCell;

thread_local! {
    static OUT: RefCell<Option<Vec<Vec<u8>>>> = const { RefCell::new(None) };
    /// Blocks that nobody has taken yet; one that was taken is `None`.
    static IN: RefCell<Option<Vec<Option<Vec<u8>>>>> = const { RefCell::new(None) };
}

/// A reference to a block, or the numbers themselves where no blocks are collected.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Stored<T> {
    Block { index: usize, dtype: String },
    Inline(Vec<T>),
}

/// Runs `write` and returns what it returned together with the blocks of every marked field it serialised.
pub fn collect<R>(write: impl FnOnce() -> R) -> (R, Vec<Vec<u8>>) {
    OUT.with(|o| *o.borrow_mut() = Some(Vec::new()));
    let result = write();
    let blocks = OUT.with(|o| o.borrow_mut().take()).unwrap_or_default();
    (result, blocks)
}

/// Runs `read` while marked fields take their numbers from `blocks`, each of which can be taken once.
pub fn supply<R>(blocks: Vec<Vec<u8>>, read: impl FnOnce() -> R) -> R {
    IN.with(|i| *i.borrow_mut() = Some(blocks.into_iter().map(Some).collect()));
    let result = read();
    IN.with(|i| *i.borrow_mut() = None);
    result
}

/// Inside of [`supply`]: how many blocks no marked field has taken.
pub fn untaken() -> usize {
    IN.with(|i| i.borrow().as_ref().map_or(0, |list| list.iter().flatten().count()))
}

/// Takes a block out; in words why it cannot be had.
fn take(index: usize, dtype: &str, expected: &str) -> Result<Vec<u8>, String> {
    if dtype != expected {
        return Err(format!("block {index} holds {dtype}, expected {expected}"));
    }
    IN.with(|i| match i.borrow_mut().as_mut().and_then(|list| list.get_mut(index)) {
        Some(block) => block.take().ok_or_else(|| format!("block {index} is used twice")),
        None => Err(format!("block {index} is missing")),
    })
}

macro_rules! block_type {
    ($module:ident, $t:ty, $as:ty, $dtype:literal, $refused:expr) => {
        #[doc = concat!("Serde functions for a large `Vec<", stringify!($t), ">`, stored as ", $dtype, ".")]
        pub mod $module {
            use super::*;

            /// Writes the numbers, or their bytes as a block.
            pub fn serialize<S: Serializer>(v: &[$t], s: S) -> Result<S::Ok, S::Error> {
                let index = OUT.with(|o| {
                    o.borrow_mut().as_mut().map(|list| {
                        list.push(v.iter().flat_map(|x| (*x as $as).to_le_bytes()).collect());
                        list.len() - 1
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
                        let bytes = take(index, &dtype, $dtype).map_err(D::Error::custom)?;
                        const SIZE: usize = size_of::<$as>();
                        if bytes.len() % SIZE != 0 {
                            return Err(D::Error::custom(format!("block {index} is not whole numbers of {}", $dtype)));
                        }
                        let mut one = [0u8; SIZE];
                        let numbers = bytes.chunks_exact(SIZE).map(|c| {
                            one.copy_from_slice(c);
                            let number = <$as>::from_le_bytes(one);
                            match $refused(number) {
                                true => Err(D::Error::custom(format!("block {index} holds the number {number}"))),
                                false => Ok(number as $t),
                            }
                        });
                        numbers.collect()
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
