//! Smoothing kernels, bandwidths, densities and local regression against closed forms and other libraries.

mod bandwidths;
mod densities;
mod kernels;
mod shared;
