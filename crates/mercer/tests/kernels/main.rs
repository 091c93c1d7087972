//! Kernels: values, laws, expressions, inputs of every kind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what fails here fails the test")]
#![allow(clippy::excessive_precision, reason = "reference values are quoted as their source prints them")]

mod alignments;
mod centring;
mod conformance;
mod convolutions;
mod evaluated;
mod expressions;
mod feature_maps;
mod formulas;
mod graphs;
mod hidden_chains;
mod kernel_values;
mod latent_models;
mod logarithms;
mod min_max;
mod models;
mod models_of_counts;
mod models_of_strings;
mod networks;
mod probability_products;
mod properties;
mod psd;
mod series;
mod sets;
mod strings;
mod subsequences;
mod tfidf;
mod trees;
mod validity;
