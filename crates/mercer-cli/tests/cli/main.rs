//! The command line at its border: what is typed, what is printed, what is left behind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what fails here fails the test")]
#![allow(clippy::excessive_precision, reason = "reference values are quoted as their source prints them")]

mod bad_input;
mod batches;
mod commands;
mod data;
mod destinations;
mod interchange;
mod intervals;
mod kernels;
mod memory;
mod path;
mod reading;
mod shell;
mod smoothing;
mod stopping;
mod strings;
mod structures;
mod untargeted;
mod verdicts;
mod words;
mod workers;
mod written;
