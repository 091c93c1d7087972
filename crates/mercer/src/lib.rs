//! Kernel methods: one kernel language, one Gram engine, every estimator.
//!
//! Inputs of any sort (numbers, categories, texts, sequences) meet models only through their Gram matrix, so that every
//! kernel works with every estimator. A [`Learner`](learner::Learner) is a recipe: preparation, kernel, estimator. Fitting it gives a
//! [`Model`](learner::Model), which predicts and can be stored.
//!
//! ```
//! use mercer::control::Control;
//! use mercer::estimators::{EstimatorExpr, Want};
//! use mercer::learner::Learner;
//! use mercer::read::{ReadOptions, Source, Table};
//!
//! let mut table = Table::read(&Source::new("example:iris"))?;
//! let (target, info) = table.take_target(&["species"], &ReadOptions::default())?;
//! let data = table.dataset(&ReadOptions::default())?;
//!
//! let learner = Learner::new(EstimatorExpr::parse("svc(c=1)")?);
//! let control = Control::default();
//! let model = learner.fit(&data, &target, &info, None, &control)?;
//! let predictions = model.predict(&data, Want::default(), &control)?;
//! assert_eq!(model.labels(&predictions).map(|l| l.len()), Some(150));
//! # Ok::<(), mercer::error::Error>(())
//! ```
//!
//! A kernel or an estimator of one's own, written in any crate, is a part of expressions, models and comparisons once it is registered:
//! [`kernels::register`], [`estimators::register`]; `examples/own_kernel.rs` is one.
//!
//! The rooms, from the ground up: [`error`], [`control`], [`param`], [`expr`], [`blocks`]; [`data`] and [`linalg`];
//! [`gram`], the one hot engine; [`kernels`], [`read`], [`facts`] and [`prep`]; [`solve`] and [`estimators`]; [`linear`], machines on written-out features; [`validity`], which proves and
//! refutes kernels; [`fitting`], the mechanics of a fit; [`dependence`], tests of independence and of two samples; [`smoothing`], densities and local averages; [`select`], which tunes; [`learner`] and [`store`]; [`compare`], which
//! puts estimators side by side; [`report`], which says it; [`demos`], the textbook's figures made again.

pub mod blocks;
pub mod compare;
pub mod control;
pub mod data;
pub mod demos;
pub mod dependence;
pub mod error;
pub mod estimators;
pub mod expr;
pub mod facts;
pub mod features;
pub mod fitting;
pub mod gram;
pub mod kernels;
pub mod learner;
pub mod linalg;
pub mod linear;
pub mod metrics;
pub mod npy;
pub mod param;
pub mod prep;
pub mod read;
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

/// The examples of a page of the documentation; they run with those of the crate.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/three-pillars.md")]
struct ThreePillars;
