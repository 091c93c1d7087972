//! Support vector machines, from kernel values and from features.

mod by_class;
mod held_out_pairs;
mod linear_machine;
mod linear_svc;
mod linear_svr;
mod mi_svm;
mod pair_problems;
mod svc;
mod svm;
mod svr;

pub use linear_machine::LinearSolver;
pub use linear_svc::{HingeLoss, LinearSvc};
pub use linear_svr::{LinearSvr, TubeLoss};
pub use mi_svm::{FittedMiSvm, MiSvm};
pub use svc::{EqualVotes, FittedSvc, Svc};
pub use svr::Svr;
