//! A border that no panic crosses: a panic is a fault of the program, and what it stands in becomes one error, reported as such.

use crate::error::{Error, Result};
use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Mutex, Once, PoisonError};

/// The last panic with its place in the sources, since it was last asked for.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Runs `work`. A panic in it, on whichever thread of the pool, is an [`Error::Internal`] of `what`.
///
/// What `work` has changed is thrown away by the caller or stands as it was before the step that failed.
///
/// # Errors
/// Those of `work`; a panic.
pub fn contain<R>(what: impl Display, work: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(internal(what, panic.as_ref())))
}

/// The error that says a panic.
fn internal(what: impl Display, panic: &(dyn Any + Send)) -> Error {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
    Error::Internal { what: what.to_string(), why: last.unwrap_or_else(|| message(panic)) }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

/// Keeps the message and the place of a panic for the error that [`contain`] makes of it, and prints nothing, unless a backtrace is asked
/// for (`RUST_BACKTRACE`). For programs at whose borders every panic is contained.
pub fn keep_panics_quiet() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            let place = info.location().map_or(String::new(), |at| format!(" ({}:{})", at.file(), at.line()));
            *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(message(info.payload()) + &place);
            if std::env::var_os("RUST_BACKTRACE").is_some_and(|v| v != "0") {
                before(info);
            }
        }));
    });
}

/// Panics where the variable `MERCER_TESTKIT_PANIC` names this step: for tests of what the borders make of it.
#[cfg(feature = "testkit")]
#[allow(clippy::panic, reason = "tests ask for it")]
pub(crate) fn panic_where_asked(step: &str) {
    if std::env::var("MERCER_TESTKIT_PANIC").is_ok_and(|asked| asked == step) {
        std::panic::panic_any(format!("a panic of {step} that was asked for"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn a_panic_on_any_thread_is_an_error_and_the_next_work_goes_on() {
        let numbers = [1, 2, 3];
        for limit in [9, 3] {
            let found = contain("adding", || Ok((0..limit).into_par_iter().map(|i| numbers[i]).sum::<i32>()));
            match (limit, found) {
                (9, Err(error @ Error::Internal { .. })) => {
                    let said = error.to_string();
                    assert!(said.contains("adding") && said.contains("out of bounds") && said.contains("report"), "{said}");
                }
                (3, Ok(sum)) => assert_eq!(sum, 6),
                (_, other) => panic!("{other:?}"),
            }
        }
    }
}
