//! Model files made to do harm, their checksum right: an error, never a panic, a wrong answer or a large allocation.

use crate::stored;

use mercer::control::Control;
use mercer::store;
use serde_json::{Value, json};
use std::alloc::{GlobalAlloc, Layout, System};
use stored::*;

/// More than any honest reading of the small files here needs.
const MOST: usize = 64 << 20;
/// Bytes of a page.
const PAGE: usize = 4096;

/// The system's memory, of which no single piece may be larger than [`MOST`]: what asks for more is told that there is none.
struct Scarce;

// SAFETY: everything is handed on to the system; no memory at all is a permitted answer.
unsafe impl GlobalAlloc for Scarce {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Whole pages are the room of the matrix product: twice the last cache of the machine, of which it touches what it needs.
        if layout.size() > MOST && layout.align() < PAGE {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static MEMORY: Scarce = Scarce;

const ESTIMATORS: [&str; 9] = [
    "ridge(lambda=0.5)",
    "gp(noise=0.1, variance=1)",
    "svc(c=1)",
    "svr(c=1, epsilon=0.1)",
    "knn(k=3)",
    "baseline",
    "knn(k=2)",
    "logistic(lambda=0.5)",
    "l2vm(lambda=0.5)",
];

/// The model file with its header changed.
fn changed(bytes: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let (mut header, blocks) = apart(bytes);
    change(&mut header);
    together(&header.to_string(), &blocks)
}

/// Every place of a JSON tree, as pointers.
fn places(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        Value::Object(o) => o.iter().for_each(|(k, v)| places(v, &format!("{at}/{}", k.replace('~', "~0").replace('/', "~1")), out)),
        Value::Array(a) => a.iter().enumerate().for_each(|(k, v)| places(v, &format!("{at}/{k}"), out)),
        _ => {}
    }
}

/// The references to blocks in a header.
fn references(header: &Value) -> Vec<String> {
    let mut all = Vec::new();
    places(header, "", &mut all);
    all.retain(|p| p.ends_with("/block"));
    all
}

#[test]
fn any_part_of_a_header_replaced_by_anything_is_an_error_or_another_model_that_predicts() {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(7),
        json!(1e300),
        json!(u64::MAX),
        json!(u64::MAX / 8),
        json!(1u64 << 40),
        json!("1e300"),
        json!("-1"),
        json!("auto"),
        json!("0.1..10"),
        json!("[1, 2, 3]"),
        json!(""),
        json!([]),
        json!({}),
        json!([0, 0]),
        json!({"sum": {"how": {}, "of": []}}),
        json!({"exp": {"how": {}, "of": []}}),
        json!({"inline": []}),
    ];
    for text in ESTIMATORS {
        let (model, data) = small(text);
        let bytes = store::to_bytes(&model).unwrap();
        let (header, _) = apart(&bytes);
        let mut all = Vec::new();
        places(&header, "", &mut all);
        let mut taken = 0;
        for at in &all {
            for value in &values {
                let file = changed(&bytes, |h| *h.pointer_mut(at).unwrap() = value.clone());
                match store::from_bytes(&file, "m") {
                    Err(mercer::error::Error::ModelFile { .. }) => {}
                    Err(e) => panic!("{text}: {at} = {value}: {e}"),
                    // Another honest model, or one that says why it cannot predict.
                    Ok(other) => {
                        taken += 1;
                        let _ = other.predict(&data, ALL, &Control::default());
                        let _ = other.predict(&data, Default::default(), &Control::default()).map(|p| other.labels(&p));
                        let _ = mercer::estimators::Fitted::summary(&other.fitted);
                    }
                }
            }
        }
        assert!(taken < all.len() * values.len() / 2, "{text}: {taken} of {} were taken", all.len() * values.len());
    }
}

#[test]
fn lengths_of_blocks_that_lie_are_refused() {
    let bytes = store::to_bytes(&small("svc(c=1)").0).unwrap();
    let (header, _) = apart(&bytes);
    let sizes: Vec<u64> = header["blocks"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).collect();
    for k in 0..sizes.len() {
        for other in [0, sizes[k] + 1, sizes[k] + 8, sizes[k].saturating_sub(8), 1 << 40, u64::MAX, u64::MAX - 7] {
            if other == sizes[k] {
                continue;
            }
            refused(&changed(&bytes, |h| h["blocks"][k] = json!(other)));
        }
        refused(&changed(&bytes, |h| h["blocks"][k] = json!(-8)));
        refused(&changed(&bytes, |h| h["blocks"][k] = json!(8.5)));
    }
    // Two lengths that overflow together to what is there.
    let mut many = sizes.clone();
    many.extend([u64::MAX, 1]);
    refused(&changed(&bytes, |h| h["blocks"] = json!(many)));
    refused(&changed(&bytes, |h| h["blocks"] = json!(vec![0; 100_000])));
}

#[test]
fn a_block_is_read_once_by_one_owner_under_its_own_type() {
    let bytes = store::to_bytes(&small("knn(k=3)").0).unwrap();
    let (header, blocks) = apart(&bytes);
    let all = references(&header);
    assert!(all.len() >= 4);
    for at in &all {
        let count = header["blocks"].as_array().unwrap().len();
        assert!(refused(&changed(&bytes, |h| h.pointer_mut(at).unwrap()["index"] = json!(count))).contains("is missing"));
        refused(&changed(&bytes, |h| h.pointer_mut(at).unwrap()["dtype"] = json!("f32")));
        for other in all.iter().filter(|o| *o != at) {
            let index = header.pointer(other).unwrap()["index"].clone();
            let dtype = header.pointer(other).unwrap()["dtype"].clone();
            refused(&changed(&bytes, |h| *h.pointer_mut(at).unwrap() = json!({"index": index, "dtype": dtype})));
        }
    }
    // A block that nobody reads.
    let mut header = header;
    header["blocks"].as_array_mut().unwrap().push(json!(8));
    assert!(refused(&together(&header.to_string(), &[blocks, vec![0; 8]].concat())).contains("no part of the model"));
}

#[test]
fn numbers_in_blocks_that_are_not_finite_are_refused() {
    for text in ESTIMATORS {
        let bytes = store::to_bytes(&small(text).0).unwrap();
        let (header, blocks) = apart(&bytes);
        let sizes: Vec<usize> = header["blocks"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect();
        for at in references(&header) {
            let reference = header.pointer(&at).unwrap();
            if reference["dtype"] != "f64" {
                continue;
            }
            let index = reference["index"].as_u64().unwrap() as usize;
            let start: usize = sizes[..index].iter().sum();
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                for place in (start..start + sizes[index]).step_by(8) {
                    let mut other = blocks.clone();
                    other[place..place + 8].copy_from_slice(&bad.to_le_bytes());
                    refused(&together(&header.to_string(), &other));
                }
            }
        }
    }
}

#[test]
fn any_bytes_in_the_blocks_are_an_error_or_another_model_that_predicts() {
    for text in ESTIMATORS {
        let (model, data) = small(text);
        let (header, blocks) = apart(&store::to_bytes(&model).unwrap());
        let text = header.to_string();
        for start in (0..blocks.len()).step_by(4) {
            for bad in [[0u8; 4], [0xff; 4], [0xff, 0xff, 0xff, 0x7f], [1, 0, 0, 0x80], [0, 0, 0xf0, 0x3f]] {
                let mut other = blocks.clone();
                other[start..start + 4].copy_from_slice(&bad);
                if let Ok(other) = store::from_bytes(&together(&text, &other), "m") {
                    let _ = other.predict(&data, ALL, &Control::default()).map(|p| other.labels(&p));
                }
            }
        }
    }
}

#[test]
fn deep_nesting_and_unknown_fields_are_refused() {
    let bytes = store::to_bytes(&small("ridge(lambda=0.5)").0).unwrap();
    let (header, blocks) = apart(&bytes);
    let kernel = header["model"]["kernel"].to_string();
    for depth in [200, 100_000] {
        let deep = "{\"normalise\":".repeat(depth) + &kernel + &"}".repeat(depth);
        refused(&together(&header.to_string().replace(&kernel, &deep), &blocks));
        let deep = "[".repeat(depth) + &"]".repeat(depth);
        refused(&together(&header.to_string().replace(&kernel, &deep), &blocks));
        refused(&together(&deep, &blocks));
    }
    let mut all = Vec::new();
    places(&header, "", &mut all);
    let mut objects = 0;
    for at in all.iter().filter(|p| header.pointer(p).is_some_and(Value::is_object)) {
        objects += 1;
        refused(&changed(&bytes, |h| h.pointer_mut(at).unwrap()["something_new"] = json!(1)));
    }
    assert!(objects > 20);
    // The same name twice.
    refused(&together(&header.to_string().replacen("\"about\":", "\"about\":1,\"about\":", 1), &blocks));
}
