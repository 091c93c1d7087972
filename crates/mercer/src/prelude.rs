//! What a program is written with: `use mercer::prelude::*`.
//!
//! ```
//! use mercer::prelude::*;
//!
//! let x: Vec<f64> = (0..20).map(f64::from).collect();
//! let y = Target::numbers(&x.iter().map(|x| x.sin()).collect::<Vec<f64>>());
//! let data = Dataset::from_points(Points::dense(20, 1, x)?);
//!
//! let kernel = 2.0 * rbf().length_scale(0.5..5.0) + matern().nu(1.5) * periodic().period(6.0);
//! assert_eq!(kernel, KernelExpr::parse("2*rbf(length_scale=0.5..5) + matern(nu=1.5)*periodic(period=6)")?);
//!
//! let model = mercer::fit(Learner::new(gp().noise(auto())).kernel(rbf() + linear()), &data, &y)?;
//! let predictions = model.predict(&data, Want { variance: true, ..Want::default() }, &Control::default())?;
//! assert!(predictions.variance.is_some());
//!
//! // Kernels of strings, of one column each; a composition is a function of a kernel.
//! let strings = normalise(spectrum().k(3).on("seq")) + min_max(vertex_histogram()).on("graph");
//! assert_eq!(strings.to_string(), "normalise(on(seq, spectrum)) + on(graph, min_max(vertex_histogram))");
//!
//! // A value outside its domain is refused where the expression is used.
//! let refused = mercer::fit(Learner::new(svr()).kernel(rbf().length_scale(-1.0)), &data, &y).unwrap_err();
//! assert!(refused.to_string().contains("length_scale"), "{refused}");
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! Parameters that choose from words take enums of [`kernels`](crate::kernels), [`estimators`](crate::estimators) and
//! [`generative`](crate::generative): `svc().class_weight(ClassWeight::Balanced)`. Parameters that hold a generative model take one of
//! [`models`]: `fisher().model(models::hmm().states(3))`.

pub use crate::control::Control;
pub use crate::data::{Dataset, Points, Target, TargetInfo};
pub use crate::estimators::constructors::*;
pub use crate::estimators::{EstimatorExpr, Predictions, Want};
pub use crate::generative::constructors as models;
pub use crate::kernels::constructors::*;
pub use crate::kernels::{KernelExpr, KernelOperators};
pub use crate::learner::{Learner, Model};
pub use crate::param::auto;
