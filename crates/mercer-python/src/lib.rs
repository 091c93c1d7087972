//! The native part of the Python package: conversion between Python and the library, nothing else. One file per class.

mod advice;
mod answers;
mod arrays;
mod batched;
mod building;
mod cells;
mod columns;
mod comparison;
mod dataset;
mod density;
mod dependence;
mod distribution;
mod errors;
mod explain;
mod frames;
mod given;
mod graphs;
mod grid;
mod intervals;
mod kernel;
mod learner;
mod lone_columns;
mod minimise;
mod model;
mod model_rows;
mod own;
mod own_columns;
mod own_kernel;
mod own_model;
mod own_objects;
mod panels;
mod partial;
mod pickle;
mod plan;
mod pre_images;
mod sets;
mod smoothing;
mod solved_elsewhere;
mod streaming;
mod svm_path;
mod tables;
mod target;
mod tested;
mod trees;
mod work;
mod workers;

use pyo3::prelude::*;

/// Everything that the package `mercer` is made of.
#[pymodule(gil_used = true)]
mod _native {
    #[pymodule_export]
    use super::advice::{Advice, advise};
    #[pymodule_export]
    use super::arrays::without_masks;
    #[pymodule_export]
    use super::cells::is_missing;
    #[pymodule_export]
    use super::columns::number_column;
    #[pymodule_export]
    use super::comparison::{Comparison, compare};
    #[pymodule_export]
    use super::dataset::{Dataset, Stored};
    #[pymodule_export]
    use super::density::Density;
    #[pymodule_export]
    use super::dependence::{canonical_correlations, independence_test, two_sample_test};
    #[pymodule_export]
    use super::distribution::Distribution;
    #[pymodule_export]
    use super::explain::explain;
    #[pymodule_export]
    use super::given::{check_labels, items, neighbours};
    #[pymodule_export]
    use super::grid::grid;
    #[pymodule_export]
    use super::kernel::Kernel;
    #[pymodule_export]
    use super::learner::Learner;
    #[pymodule_export]
    use super::lone_columns::lone_kinds;
    #[pymodule_export]
    use super::minimise::minimise;
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::own_kernel::{functions_in, register_kernel};
    #[pymodule_export]
    use super::own_model::own_model;
    #[pymodule_export]
    use super::own_objects::load;
    #[pymodule_export]
    use super::partial::Partial;
    #[pymodule_export]
    use super::plan::{Plan, plan};
    #[pymodule_export]
    use super::pre_images::pre_images;
    #[pymodule_export]
    use super::smoothing::{LocalRegression, Lowess};
    #[pymodule_export]
    use super::solved_elsewhere::solved_elsewhere;
    #[pymodule_export]
    use super::streaming::learn_on;
    #[pymodule_export]
    use super::svm_path::{SvmPath, svm_path};
    #[pymodule_export]
    use super::tables::{catalogue, example, examples, read_table};
    #[pymodule_export]
    use super::workers::work;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        mercer::control::keep_panics_quiet();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
