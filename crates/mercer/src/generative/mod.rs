//! Generative models: distributions p(x | theta) fitted to rows, with log densities, score vectors, Fisher information and samples.
//!
//! One file each, one line each in the list below. Kernels take a model as a parameter: `fisher(gaussian(covariance=full))`.

mod any;
mod arrays;
mod counts;
mod distinct;
mod expression;
mod hidden;
mod letters;
mod log_ratios;
mod model;
mod parts;
mod registered;
mod seeding;
mod shrinkage;
mod simplex;

pub use any::{DynDistribution, DynModel};
pub use arrays::{ArrayAxis, Coordinates, ParameterArray};
pub(crate) use distinct::{compare_numbers, distinct, distinct_series};
pub use expression::GenerativeEntry;
pub use gaussian::CovarianceForm;
pub use hidden::HiddenStates;
pub use model::{FittedDistribution, FreeParameter, GenerativeModel};
pub(crate) use parts::plan_scores;
pub use registered::{RegisteredDistribution, RegisteredModel, register, register_unlisted};
pub use shrinkage::ShrunkFactor;

use crate::control::Control;
use crate::data::{Dataset, RowWeights};
use crate::error::Result;
use crate::expr::Argument;

use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};

/// Every generative model there is, in the order of the list; after them those that are registered.
pub fn catalogue() -> Vec<GenerativeEntry> {
    listed().into_iter().chain(registered::entries()).collect()
}

/// From one list: the modules, the enum of expressions, the enum of fitted models, the lookup by name and the catalogue.
macro_rules! models {
    ($($module:ident: $Model:ident,)*) => {
        $(mod $module;)*
        $(pub use $module::$Model;)*

        /// A generative model with its parameters: stored, parsed, printed, searched over and fitted.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        #[non_exhaustive]
        pub enum GenerativeExpr {
            $(#[doc = concat!("See [`", stringify!($Model), "`].")] $Model($Model),)*
            /// A model of the program's own: see [`register`].
            Registered(RegisteredModel),
        }

        $(impl From<$Model> for GenerativeExpr {
            fn from(model: $Model) -> Self {
                GenerativeExpr::$Model(model)
            }
        })*

        /// Functions that make generative models, each at its defaults.
        pub mod constructors {
            $(#[doc = concat!("The generative model [`", stringify!($module), "`](super::", stringify!($Model), ") at its defaults.")]
            pub fn $module() -> super::$Model {
                super::$Model::default()
            })*
        }

        /// A generative model fitted to rows.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        #[non_exhaustive]
        pub enum FittedGenerative {
            $(#[doc = concat!("A fitted [`", stringify!($Model), "`].")] $Model(<$Model as GenerativeModel>::Fitted),)*
            /// A fitted model of the program's own.
            Registered(RegisteredDistribution),
        }

        impl Deref for GenerativeExpr {
            type Target = dyn DynModel;
            fn deref(&self) -> &Self::Target {
                match self { $(GenerativeExpr::$Model(m) => m,)* GenerativeExpr::Registered(m) => m.any() }
            }
        }

        impl DerefMut for GenerativeExpr {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self { $(GenerativeExpr::$Model(m) => m,)* GenerativeExpr::Registered(m) => m.any_mut() }
            }
        }

        impl Deref for FittedGenerative {
            type Target = dyn DynDistribution;
            fn deref(&self) -> &Self::Target {
                match self { $(FittedGenerative::$Model(f) => f,)* FittedGenerative::Registered(f) => f.any() }
            }
        }

        impl GenerativeExpr {
            /// The model of this name with these arguments; `None` if there is none.
            fn call(name: &str, args: &[Argument]) -> Option<Result<GenerativeExpr>> {
                $(if name == $Model::NAME {
                    return Some(expression::build::<$Model>(args).map(GenerativeExpr::$Model));
                })*
                registered::call(name, args).map(|made| made.map(GenerativeExpr::Registered))
            }
            /// Fits the model to rows that hold the columns it takes and no others, counted by weight; every parameter is settled.
            ///
            /// # Errors
            /// Parameters that do not fit the rows; rows that no such model can be fitted to; bounds of `control`.
            pub fn fit(&self, rows: &Dataset, weights: RowWeights<'_>, seed: u64, control: &Control) -> Result<FittedGenerative> {
                match self {
                    $(GenerativeExpr::$Model(m) => any::fit(m, rows, weights, seed, control).map(FittedGenerative::$Model),)*
                    GenerativeExpr::Registered(m) => m.fit(rows, weights, seed, control).map(FittedGenerative::Registered),
                }
            }
            /// Fits the model to the rows of a class, with what only all rows tell: see [`GenerativeModel::fit_class`].
            ///
            /// # Errors
            /// As [`GenerativeExpr::fit`].
            pub fn fit_class(
                &self,
                rows: &Dataset,
                weights: RowWeights<'_>,
                all: (&Dataset, RowWeights<'_>),
                seed: u64,
                control: &Control,
            ) -> Result<FittedGenerative> {
                match self {
                    $(GenerativeExpr::$Model(m) => any::fit_class(m, rows, weights, all, seed, control).map(FittedGenerative::$Model),)*
                    GenerativeExpr::Registered(m) => m.fit_class(rows, weights, all, seed, control).map(FittedGenerative::Registered),
                }
            }
            /// Fits the model to few rows alone, in the shape of a fit to all training rows, such as over its letters.
            ///
            /// # Errors
            /// As [`GenerativeExpr::fit`]; a fit of another model.
            pub fn fit_like(&self, rows: &Dataset, pooled: &FittedGenerative, seed: u64, control: &Control) -> Result<FittedGenerative> {
                match (self, pooled) {
                    $((GenerativeExpr::$Model(m), FittedGenerative::$Model(f)) => any::fit_like(m, rows, f, seed, control).map(FittedGenerative::$Model),)*
                    (GenerativeExpr::Registered(m), FittedGenerative::Registered(f)) => m.fit_like(rows, f, seed, control).map(FittedGenerative::Registered),
                    _ => Err(any::unlike()),
                }
            }
        }

        impl FittedGenerative {
            /// The distribution of other free parameters, in their order.
            ///
            /// # Errors
            /// As many numbers as there are not parameters; values that no such distribution has.
            pub fn with_parameters(&self, values: &[f64]) -> Result<FittedGenerative> {
                match self {
                    $(FittedGenerative::$Model(f) => f.with_parameters(values).map(FittedGenerative::$Model),)*
                    FittedGenerative::Registered(f) => f.with_parameters(values).map(FittedGenerative::Registered),
                }
            }
            /// ln of the integral of p^rho q^rho, for another fit q of the same model: see [`FittedDistribution::log_product`].
            ///
            /// # Errors
            /// No closed form is known, for this model or for this rho; fits of unlike shape or of another model.
            pub fn log_product(&self, other: &FittedGenerative, rho: f64) -> Result<f64> {
                self.log_product_within(other, rho, &Control::unwatched())
            }
            /// [`FittedGenerative::log_product`] where it takes long.
            ///
            /// # Errors
            /// As [`FittedGenerative::log_product`]; bounds of `control`.
            pub fn log_product_within(&self, other: &FittedGenerative, rho: f64, control: &Control) -> Result<f64> {
                match (self, other) {
                    $((FittedGenerative::$Model(a), FittedGenerative::$Model(b)) => a.log_product_within(b, rho, control),)*
                    (FittedGenerative::Registered(a), FittedGenerative::Registered(b)) => a.log_product(b, rho, control),
                    _ => Err(any::unlike()),
                }
            }
        }

        /// Each model of the list by its constructor, and with one parameter after the other set to each of some values.
        #[cfg(test)]
        fn set_one_by_one() -> Vec<(&'static str, Vec<GenerativeExpr>)> {
            vec![$({
                assert_eq!($Model::default(), constructors::$module());
                let all = crate::param::set_one_by_one::<$Model>(stringify!($module));
                (stringify!($module), all.into_iter().map(GenerativeExpr::from).collect())
            },)*]
        }

        /// The models of the list.
        fn listed() -> Vec<GenerativeEntry> {
            vec![$(expression::entry::<$Model>(),)*]
        }
    };
}

models! {
    autoregressive: Autoregressive,
    gaussian: Gaussian,
    markov: Markov,
    multinomial: Multinomial,
    dirichlet_multinomial: DirichletMultinomial,
    gaussian_hmm: GaussianHmm,
    gaussian_mixture: GaussianMixture,
    hmm: Hmm,
}

#[cfg(test)]
mod tests;
