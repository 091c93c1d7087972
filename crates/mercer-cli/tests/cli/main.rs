//! The command line at its border: what is typed, what is printed, what is left behind.

mod bad_input;
mod commands;
mod shell;
