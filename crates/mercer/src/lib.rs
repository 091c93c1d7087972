//! Kernel methods: one kernel language, one Gram engine, every estimator.
//!
//! Inputs of any sort (numbers, categories, texts, sequences) meet models only through their Gram matrix, so that every
//! kernel works with every estimator. A [`Learner`] is a recipe: preparation, kernel, estimator. Fitting it gives a
//! [`Model`], which predicts and can be stored.
//!
//! ```
//! use mercer::prelude::*;
//!
//! let x = Points::dense(4, 2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0])?;
//! let (data, y) = (Dataset::from_points(x), Target::classes(&["no", "yes", "yes", "no"]));
//! let model = mercer::fit(svc().c(10.0), &data, &y)?;
//! let predictions = model.predict(&data, Want::default(), &Control::default())?;
//! assert_eq!(model.labels(&predictions).unwrap(), ["no", "yes", "yes", "no"]);
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! | you want | see |
//! |---|---|
//! | one model | [`fit`], [`Learner`] with a kernel, weights, a limit of time; [`Model`] |
//! | all of them side by side | [`compare()`], [`Comparing`](compare::Comparing), [`Outcome`](compare::Outcome) |
//! | a table from a file | [`read::Table`] |
//! | kernels, operators between them, estimators, in Rust | [`prelude`] |
//! | what a user wrote | [`KernelExpr::parse`], [`EstimatorExpr::parse`] |
//! | kernel values | [`KernelExpr::bind`], [`gram`] |
//! | a file | [`store::save`], [`store::load`] |
//! | an end, progress, a limit of memory | [`Control`] |
//! | to prove or refute a kernel | [`validity`] |
//!
//! From a table, with its own names:
//!
//! ```
//! use mercer::prelude::*;
//! use mercer::read::{ReadOptions, Source, Table};
//!
//! let mut table = Table::read(&Source::new("example:iris"))?;
//! let (target, info) = table.take_target(&["species"], &ReadOptions::default())?;
//! let data = table.dataset(&ReadOptions::default())?;
//! let learner = Learner::new(svc().c(1.0)).kernel(rbf().length_scale(0.5..5.0));
//! let model = learner.fit(&data, &target, &info, None, &Control::default().with_seconds(30.0))?;
//! assert!(model.summary().converged);
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! A kernel, a generative model or an estimator of one's own, written in any crate, is a part of expressions, models and comparisons once
//! it is registered: [`kernels::register`], [`generative::register`], [`estimators::register`]; `examples/own_kernel.rs` is one.
//!
//! What is re-exported here is what a program is written with; the rooms below are how it is made.
//!
//! The rooms, from the ground up: [`error`], [`control`], [`param`], [`expr`], [`blocks`]; [`data`] and [`linalg`]; [`notice`], what users should know;
//! [`gram`], the one hot engine; [`generative`], distributions fitted to rows; [`kernels`], [`read`], [`facts`] and [`prep`]; [`solve`] and [`estimators`]; [`validity`], which proves and
//! refutes kernels; [`fitting`], the mechanics of a fit; [`conformal`], intervals and sets that cover; [`dependence`], tests of independence and of two samples; [`smoothing`], densities and local averages; [`select`], which tunes; [`learner`] and [`store`]; [`mod@compare`], which
//! puts estimators side by side; [`report`], which says it.

// What is derived names this crate as others do.
extern crate self as mercer;

pub mod blocks;
mod calls;
pub mod compare;
pub mod conformal;
pub mod control;
pub mod data;
pub mod dependence;
pub mod error;
pub mod estimators;
pub mod expr;
pub mod facts;
pub mod features;
pub mod fitting;
pub mod generative;
pub mod gram;
pub mod interchange;
pub mod kernels;
pub mod learner;
pub mod linalg;
pub mod metrics;
pub mod notice;
pub mod npy;
pub mod param;
pub mod partial;
pub mod prelude;
pub mod prep;
#[cfg(feature = "read")]
pub mod read;
#[cfg(feature = "report")]
pub mod report;
pub mod schedule;
pub mod select;
pub mod smoothing;
pub mod solve;
pub mod store;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
pub mod trial;
pub mod validity;

pub use calls::{compare, fit};
pub use control::Control;
pub use data::{Dataset, Points, Target};
pub use error::{Error, Result};
pub use estimators::{EstimatorExpr, Predictions, Want};
pub use gram::Kernel;
pub use kernels::KernelExpr;
pub use learner::{Learner, Model};

/// The examples of a page of the documentation; they run with those of the crate.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/three-pillars.md")]
struct ThreePillars;
