//! Support vector machines, from kernel values and from features. `svc` has one file of parameters and a file for each way to separate several
//! classes; `model` is the choice between them.

mod by_class;
mod class_pairs;
mod dag;
mod dichotomies;
mod fitted_svc;
mod held_out_pairs;
mod joint_machines;
mod left_out;
mod linear_machine;
mod linear_sums;
mod linear_svc;
mod linear_svr;
mod mi_svm;
mod model;
mod nu;
mod nu_pairs;
mod nu_svc;
mod nu_svr;
mod one_class;
mod one_vs_rest;
mod output_codes;
mod pair_problems;
mod svc;
mod svm;
mod svr;

pub use class_pairs::ClassPairs;
pub use fitted_svc::{FittedSvc, LargestScore, SvcDecision};
pub use linear_machine::LinearSolver;
pub use linear_svc::{HingeLoss, LinearSvc};
pub use linear_svr::{LinearSvr, TubeLoss};
pub use mi_svm::{FittedMiSvm, MiSvm};
pub use model::Multiclass;
pub use nu_svc::NuSvc;
pub use nu_svr::NuSvr;
pub use one_class::{FittedOneClass, OneClass};
pub use output_codes::{CodedClasses, Decoding, OutputCode};
pub use svc::{EqualVotes, Svc};
pub use svr::Svr;
