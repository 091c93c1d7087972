//! What a comparison says: tables, pages, figures of the textbook.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what fails here fails the test")]
#![allow(clippy::excessive_precision, reason = "reference values are quoted as their source prints them")]

mod advice;
mod curves;
mod figures;
mod kernel_choice;
mod noise;
mod paired;
mod preparations;
mod promises;
mod rows;
mod samples;
mod settings;
mod simulate;
mod told_once;
mod typical;
mod unknown_rows;
mod watched;
