//! Smoothing: kernels that weigh by nearness, and what is averaged under them.
//!
//! ```
//! use mercer::control::Control;
//! use mercer::linalg::Matrix;
//! use mercer::smoothing::{Asked, Bandwidth, Density, Rule, Sample};
//!
//! let sample = Sample::of_numbers(&[1.2, 1.9, 2.0, 2.4, 3.7], None)?;
//! let asked = Asked { bandwidth: Bandwidth::Rule(Rule::Auto), ..Asked::default() };
//! let density = Density::fit(&sample, &asked, &Control::default())?;
//! let logs = density.log_density(&Matrix::column(vec![2.0, 10.0]), &Control::default())?;
//! assert!(logs[0] > logs[1] && logs[1].is_finite());
//! # Ok::<(), mercer::error::Error>(())
//! ```

mod boundary;
mod conditional;
mod cross_validation;
mod density;
mod differences;
mod distribution;
mod frame;
mod golden;
mod index;
mod kernels;
mod left_out;
mod line;
mod local;
mod lowess;
mod moments;
mod place;
mod plane;
mod plug_in;
mod robust;
mod rules;
mod sample;
mod series;
mod together;
mod weighing;

pub use boundary::Support;
pub use conditional::ClassDensities;
pub use cross_validation::{left_out_likelihood, left_out_squares, squares_curve};
pub use density::{Asked, Bandwidth, Density};
pub use distribution::Distribution;
pub use kernels::{Shape, SmoothingKernel};
pub use local::{LocalFit, LocalOptions, Reach, Smoothed};
pub use lowess::{Lowess, LowessOptions};
pub use rules::{Chosen, Rule, regression_width};
pub use sample::{Sample, Scale, robust_scale};
