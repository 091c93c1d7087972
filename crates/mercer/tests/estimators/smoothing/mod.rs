//! Smoothing kernels, bandwidths, densities and local regression against closed forms and other libraries.

mod bandwidths;
mod curves;
mod densities;
mod kernels;
mod learners;
mod of_r;
mod shared;
mod together;
