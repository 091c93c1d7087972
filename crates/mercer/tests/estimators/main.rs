//! Estimators and their solvers: conditions of optimality, closed forms, other libraries.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what fails here fails the test")]
#![allow(clippy::excessive_precision, reason = "reference values are quoted as their source prints them")]

mod anchored;
mod asymmetric;
mod calibration;
mod calibration_without;
mod cancelling;
mod clusters;
mod conformance;
mod descent;
mod discriminant;
mod explain;
mod far_columns;
mod far_rows;
mod foundations;
mod generative;
mod gp;
mod gp_likelihoods;
mod grid;
mod kernel_pca;
mod knn;
mod l1vm;
mod lbfgs;
mod linalg;
mod linear;
mod low_rank;
mod machines;
mod machines_over_features;
mod made;
mod maps;
mod mi_svm;
mod mode;
mod nadaraya_watson;
mod networks;
mod nu_machines;
mod pre_images;
mod problem;
mod quasi_newton;
mod rare_values;
mod representer;
mod ridge;
mod rounded_predictions;
mod rvm;
mod smo;
mod smoothing;
mod solver_roads;
mod strings;
mod svc;
mod svm_conditions;
mod svr;
mod table_14_1;
mod transformed_targets;
mod tuning;
mod units;
