//! The catalogue of kernels: one file each, one line each in the list below, and the expressions made of them.

mod bessel;
mod expression;
mod fitted;
mod leaf;
mod masses;
mod productions;
mod set;
mod settle;
mod stationary;
mod support;
mod text;
mod uses;
mod verdict;
mod words;

pub use expression::Parameter;
pub use fitted::{FittedKernel, Reference};
pub use leaf::Entry;
pub use set::SetKernel;
pub use support::Support;
pub(crate) use text::ELSEWHERE;
pub use text::{COMPOSITIONS, Composition};
pub use uses::{Selection, Uses};
pub use verdict::{Derivation, Validity};

use crate::control::Control;
use crate::data::RowWeights;
use crate::error::Result;
use leaf::AnyKernel;
use serde::{Deserialize, Serialize};

/// From one list: the modules, the enum of expressions, the lookup by name and the catalogue.
macro_rules! kernels {
    ($($module:ident: $Kernel:ident),* $(,)?) => {
        $(mod $module;)*
        $(pub use $module::$Kernel;)*

        /// A kernel expression: stored, parsed, printed, searched over and bound to data.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        pub enum KernelExpr {
            $(#[doc = concat!("See [`", stringify!($Kernel), "`].")] $Kernel($Kernel),)*
            /// k1 + k2 + ...
            Sum(Vec<KernelExpr>),
            /// k1 * k2 * ...
            Product(Vec<KernelExpr>),
            /// A number times a kernel.
            Scale {
                /// The number.
                by: crate::param::Value,
                /// The kernel.
                of: Box<KernelExpr>,
            },
            /// k^exponent.
            Power {
                /// The exponent, from 1.
                exponent: u32,
                /// The kernel.
                of: Box<KernelExpr>,
            },
            /// exp(k).
            Exp(Box<KernelExpr>),
            /// k(x, z) / sqrt(k(x, x) k(z, z)).
            Normalise(Box<KernelExpr>),
            /// The kernel of features whose mean over the training rows is subtracted.
            Centre(Box<KernelExpr>),
            /// A similarity whose negative eigenvalues among the training rows are repaired.
            Repaired {
                /// How.
                how: crate::gram::Repair,
                /// The similarity.
                of: Box<KernelExpr>,
            },
            /// f(x) k(x, z) f(z), f a column of numbers.
            Weighted {
                /// Its name.
                column: String,
                /// The kernel.
                of: Box<KernelExpr>,
            },
            /// A kernel of vectors over all pairs of two sets.
            Set(SetKernel),
            /// A kernel on some columns only.
            On {
                /// Their names.
                columns: Vec<String>,
                /// The kernel.
                of: Box<KernelExpr>,
            },
        }

        /// What one part of an expression has learnt from the training rows besides its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        pub enum Learnt {
            $(#[doc = concat!("By [`", stringify!($Kernel), "`].")] $Kernel(<$Kernel as crate::gram::Kernel>::Learnt),)*
            /// By the kernel of vectors of [`KernelExpr::Set`].
            Set(FittedKernel),
            /// By [`KernelExpr::Centre`].
            Centre(crate::gram::FeatureMean),
            /// By [`KernelExpr::Repaired`].
            Repaired(crate::gram::Eigenpairs),
        }

        impl KernelExpr {
            /// What a kernel of the list learns from some columns.
            fn learn_leaf(&self, columns: leaf::Columns<'_>, weights: RowWeights<'_>, control: &Control) -> Result<Option<Learnt>> {
                match self {
                    $(KernelExpr::$Kernel(k) => leaf::learn(k, columns, weights, control).map(|l| Some(Learnt::$Kernel(l))),)*
                    KernelExpr::Set(k) => k.learn(columns, weights, control).map(|l| Some(Learnt::Set(l))),
                    _ => Ok(None),
                }
            }
            /// A kernel of the list on some columns, made ready.
            fn fix_leaf(&self, learnt: &Learnt, columns: leaf::Columns<'_>, control: &Control) -> Result<Box<dyn leaf::Fixed>> {
                match (self, learnt) {
                    $((KernelExpr::$Kernel(k), Learnt::$Kernel(l)) => leaf::fix(k, l, columns),)*
                    (KernelExpr::Set(k), Learnt::Set(l)) => k.fix(l, columns, control),
                    _ => Err(fitted::foreign()),
                }
            }
            fn leaf(&self) -> Option<&dyn AnyKernel> {
                match self {
                    $(KernelExpr::$Kernel(k) => Some(k),)*
                    KernelExpr::Set(k) => Some(k),
                    _ => None,
                }
            }
            fn leaf_mut(&mut self) -> Option<&mut dyn AnyKernel> {
                match self {
                    $(KernelExpr::$Kernel(k) => Some(k),)*
                    KernelExpr::Set(k) => Some(k),
                    _ => None,
                }
            }
            /// The kernel of this name with these arguments; `None` if there is no such kernel.
            fn call(name: &str, args: &[crate::expr::Argument]) -> Option<Result<KernelExpr>> {
                match name {
                    $(<$Kernel as crate::gram::Kernel>::NAME => Some(leaf::build::<$Kernel>(args).map(KernelExpr::$Kernel)),)*
                    _ => None,
                }
            }
        }

        /// Kernels from which one is chosen for a column where none is given: those of the list as they are, and one of sets.
        fn candidates() -> Vec<KernelExpr> {
            let rbf = Box::new(KernelExpr::Rbf(Rbf::default()));
            vec![$(KernelExpr::$Kernel($Kernel::default()),)* KernelExpr::Set(SetKernel { pairs: crate::gram::Pairs::Mean, of: rbf })]
        }

        /// Every kernel there is, in the order of the list.
        pub fn catalogue() -> Vec<Entry> {
            vec![$(leaf::entry::<$Kernel>(),)*]
        }
    };
}

kernels! {
    linear: Linear,
    polynomial: Polynomial,
    rbf: Rbf,
    mahalanobis: Mahalanobis,
    laplacian: Laplacian,
    matern: Matern,
    rational_quadratic: RationalQuadratic,
    periodic: Periodic,
    cosine: Cosine,
    histogram_intersection: HistogramIntersection,
    chi_squared: ChiSquared,
    sigmoid: Sigmoid,
    negative_distance: NegativeDistance,
    constant: Constant,
    white: White,
    equal: Equal,
    spectrum: Spectrum,
    edit: Edit,
    tfidf: Tfidf,
    subset_tree: SubsetTree,
    subtree: Subtree,
    precomputed: Precomputed,
}
