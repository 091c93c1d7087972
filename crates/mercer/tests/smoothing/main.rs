//! Smoothing kernels, bandwidths, densities and local regression against closed forms and other libraries.

mod kernels;
mod shared;
