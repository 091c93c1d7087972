//! Tables, kernel matrices and model files: what is read, what is refused.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what fails here fails the test")]
#![allow(clippy::excessive_precision, reason = "reference values are quoted as their source prints them")]

mod hostile;
mod in_memory;
mod interchange;
mod messy;
mod precomputed;
mod reading;
mod store;
mod stored;
