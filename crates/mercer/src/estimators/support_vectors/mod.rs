//! Support vector machines, from kernel values and from features.

mod by_class;
mod held_out_pairs;
mod linear_machine;
mod linear_svc;
mod linear_svr;
mod mi_svm;
mod nu;
mod nu_svc;
mod nu_svr;
mod one_class;
mod pair_machines;
mod pair_problems;
mod svc;
mod svm;
mod svr;

pub use linear_machine::LinearSolver;
pub use linear_svc::{HingeLoss, LinearSvc};
pub use linear_svr::{LinearSvr, TubeLoss};
pub use mi_svm::{FittedMiSvm, MiSvm};
pub use nu_svc::NuSvc;
pub use nu_svr::NuSvr;
pub use one_class::{FittedOneClass, OneClass};
pub use svc::{EqualVotes, FittedSvc, Svc};
pub use svr::Svr;
