//! Smoothing kernels, bandwidths, densities and local regression against closed forms and other libraries.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure here is a failing test")]

mod bandwidths;
mod curves;
mod densities;
mod kernels;
mod shared;
