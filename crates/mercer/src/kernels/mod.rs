//! The catalogue of kernels: one file each, one line each in the list below, and the expressions made of them.

mod composition;
mod expression;
mod fitted;
mod functions;
mod hashed_counts;
mod leaf;
mod natural;
mod operators;
mod rank;
mod registered;
mod settle;
mod shared;
mod shorthands;
mod support;
mod text;
mod uses;
mod verdict;

pub use crate::data::letters::{Alphabet, Ambiguity};
pub use composition::{Closure, Composed, Composition, CompositionEntry, Form, Learns, Own, Properties};
pub use compositions::nystroem::LandmarkChoice;
pub use compositions::over_sets::Pairs;
pub use compositions::repaired::Repair;
pub use expression::Parameter;
#[cfg(feature = "testkit")]
pub use fitted::BINDINGS;
pub use fitted::{FittedKernel, Fixed, Reference, Scope};
pub use functions::KernelFunction;
pub use graphs::shortest_path::NodePairs;
pub use leaf::KernelEntry;
pub use models::fisher::FisherInformation;
pub use models::probability_product::Datum;
pub(crate) use natural::ColumnKernels;
pub use networks::parts::activation::Activation;
pub use operators::{ColumnNames, KernelOperators};
pub use registered::{Registered, RegisteredLearnt, register, register_function};
pub use sequences::local_alignment::{AlignmentScore, SubstitutionMatrix};
pub use sequences::parts::words::Tokens;
pub use sequences::subsequence::SubsequenceLengths;
pub use sequences::tfidf::{InverseDocumentFrequency, TermFrequency};
pub use series::signature_pde::StaticKernel;
pub use sets::codebook::{CentreAssignment, CodeComparison};
pub use shared::Shared;
pub use shorthands::{Shorthand, shorthands};
pub use support::Support;
#[cfg(feature = "report")]
pub(crate) use text::ELSEWHERE;
pub use uses::{Selection, Uses};
pub(crate) use vectors::stationary::length_scale_of;
pub use verdict::{Derivation, Validity};

use crate::control::Control;
use crate::data::RowWeights;
use crate::error::Result;
use crate::expr::{Argument, Term};
use crate::notice::Notice;
use crate::param::Value;
use composition::AnyComposition;
use leaf::AnyKernel;
use operators::operators;
use serde::{Deserialize, Serialize};
use std::ops::{Add, Mul, Neg, Sub};

/// Every kernel there is, in the order of the list; after them those that are registered.
pub fn catalogue() -> Vec<KernelEntry> {
    listed().into_iter().chain(registered::entries()).collect()
}

/// From two lists, that of the kernels by folders, each with the modules that its kernels share: the modules, the enum of expressions, what its
/// parts learn, the lookup by name and the catalogues.
macro_rules! catalogue {
    (kernels { $($folder:ident ($($part:ident)*) { $($module:ident: $Kernel:ident,)* })* } compositions { $($file:ident: $Composition:ident $(as $name:ident)*,)* }) => {
        $(mod $folder {
            $(pub(super) mod $part;)*
            $(pub(super) mod $module;)*
        })*
        $($(pub use $folder::$module::$Kernel;)*)*

        mod compositions {
            $(pub(super) mod $file;)*
        }
        $(pub use compositions::$file::$Composition;)*

        /// A kernel expression: stored, parsed, printed, searched over and bound to data.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        #[non_exhaustive]
        pub enum KernelExpr {
            $($(#[doc = concat!("See [`", stringify!($Kernel), "`].")] $Kernel($Kernel),)*)*
            $(#[doc = concat!("See [`", stringify!($Composition), "`].")] $Composition(Composed<$Composition>),)*
            /// A kernel of the program's own: see [`register`].
            Registered(Registered),
        }

        /// What one part of an expression has learnt from the training rows besides its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        #[non_exhaustive]
        pub enum Learnt {
            $($(#[doc = concat!("By [`", stringify!($Kernel), "`].")] $Kernel(Shared<<$Kernel as crate::gram::Kernel>::Learnt>),)*)*
            $(#[doc = concat!("By [`", stringify!($Composition), "`].")] $Composition(Own<<$Composition as Composition>::Learnt>),)*
            /// By a kernel of the program's own.
            Registered(RegisteredLearnt),
        }

        $($(impl From<$Kernel> for KernelExpr {
            fn from(kernel: $Kernel) -> Self {
                KernelExpr::$Kernel(kernel)
            }
        })*)*
        $(impl From<Composed<$Composition>> for KernelExpr {
            fn from(kernel: Composed<$Composition>) -> Self {
                KernelExpr::$Composition(kernel)
            }
        })*
        $($(operators!($Kernel);)*)*

        /// Functions that make kernels, each at its defaults, and compositions of a kernel.
        pub mod constructors {
            use super::{Composed, Composition, KernelExpr};

            $($(#[doc = concat!("The kernel [`", stringify!($module), "`](super::", stringify!($Kernel), ") at its defaults.")]
            pub fn $module() -> super::$Kernel {
                super::$Kernel::default()
            })*)*
            $($(#[doc = concat!("The composition [`", stringify!($name), "`](super::", stringify!($Composition), ") of a kernel.")]
            pub fn $name(kernel: impl Into<KernelExpr>) -> Composed<super::$Composition> {
                Composed::of(Composition::called(stringify!($name)), kernel.into())
            })*)*
        }

        impl KernelExpr {
            /// What it learns from the rows that it sees.
            fn taught(&self, rows: Scope<'_>, weights: RowWeights<'_>, control: &Control) -> Result<Learnt> {
                match self {
                    $($(KernelExpr::$Kernel(k) => leaf::learn(k, rows, weights, control).map(Learnt::$Kernel),)*)*
                    $(KernelExpr::$Composition(k) => composition::learn(k, rows, weights, control).map(Learnt::$Composition),)*
                    KernelExpr::Registered(k) => k.learn(rows, weights, control).map(Learnt::Registered),
                }
            }
            /// The rows that it sees, made ready.
            fn fixed(&self, learnt: &Learnt, rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
                match (self, learnt) {
                    $($((KernelExpr::$Kernel(k), Learnt::$Kernel(l)) => leaf::fix(k, l, rows, control),)*)*
                    $((KernelExpr::$Composition(k), Learnt::$Composition(l)) => composition::fix(k, l, rows, control),)*
                    (KernelExpr::Registered(k), Learnt::Registered(l)) => k.fix(l, rows, control),
                    _ => Err(fitted::foreign()),
                }
            }
            /// What the user should know of what was learnt.
            fn notices_of(&self, learnt: &Learnt) -> Vec<Notice> {
                match (self, learnt) {
                    $($((KernelExpr::$Kernel(k), Learnt::$Kernel(l)) => crate::gram::Kernel::notices(k, l),)*)*
                    $((KernelExpr::$Composition(k), Learnt::$Composition(l)) => composition::notices(k, l),)*
                    (KernelExpr::Registered(k), Learnt::Registered(l)) => k.notices(l),
                    _ => Vec::new(),
                }
            }
            fn leaf(&self) -> Option<&dyn AnyKernel> {
                match self { $($(KernelExpr::$Kernel(k) => Some(k),)*)* KernelExpr::Registered(k) => Some(k.leaf()), _ => None }
            }
            fn leaf_mut(&mut self) -> Option<&mut dyn AnyKernel> {
                match self { $($(KernelExpr::$Kernel(k) => Some(k),)*)* KernelExpr::Registered(k) => Some(k.leaf_mut()), _ => None }
            }
            fn composed(&self) -> Option<&dyn AnyComposition> {
                match self { $(KernelExpr::$Composition(k) => Some(k),)* _ => None }
            }
            fn composed_mut(&mut self) -> Option<&mut dyn AnyComposition> {
                match self { $(KernelExpr::$Composition(k) => Some(k),)* _ => None }
            }
            /// The kernel or the composition of this name with these arguments; `None` if there is none.
            fn call(name: &str, args: &[Argument], part: &dyn Fn(&Term) -> Result<KernelExpr>) -> Option<Result<KernelExpr>> {
                $($(if name == <$Kernel as crate::gram::Kernel>::NAME {
                    return Some(leaf::build::<$Kernel>(args).map(KernelExpr::$Kernel));
                })*)*
                $(if let Some(made) = composition::call::<$Composition>(name, args, part) {
                    return Some(made.map(KernelExpr::$Composition));
                })*
                registered::call(name, args).map(|made| made.map(KernelExpr::Registered))
            }
        }

        /// Kernels from which one is chosen for a column where none is given, the first that takes it: compositions that take a
        /// column and learn nothing, of one of vectors, and the kernels of the list as they are.
        fn candidates() -> Vec<KernelExpr> {
            let vectors = KernelExpr::Rbf(Rbf::default());
            let mut all = Vec::new();
            $(all.extend(composition::of_columns(&vectors).map(KernelExpr::$Composition));)*
            $($(all.push(KernelExpr::$Kernel($Kernel::default()));)*)*
            all
        }

        /// Each kernel of the list by its constructor, and with one parameter after the other set to each of some values.
        #[cfg(test)]
        fn set_one_by_one() -> Vec<(&'static str, Vec<KernelExpr>)> {
            vec![$($({
                assert_eq!($Kernel::default(), constructors::$module());
                let all = crate::param::set_one_by_one::<$Kernel>(stringify!($module));
                (stringify!($module), all.into_iter().map(KernelExpr::from).collect())
            },)*)*]
        }

        /// Each composition of the list by its constructors.
        #[cfg(test)]
        fn composed_of(kernel: &KernelExpr) -> Vec<(&'static str, KernelExpr)> {
            vec![$($((stringify!($name), constructors::$name(kernel.clone()).into()),)*)*]
        }

        /// The kernels of the list.
        fn listed() -> Vec<KernelEntry> {
            vec![$($(leaf::entry::<$Kernel>(),)*)*]
        }

        /// Every composition there is, in the order of the list.
        pub fn compositions() -> Vec<CompositionEntry> {
            let mut all = Vec::new();
            $(all.extend(composition::entries::<$Composition>());)*
            all
        }
    };
}

catalogue! {
    kernels {
        vectors (stationary bessel nonnegative) {
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
        }
        networks (parts) {
            arcsine: Arcsine,
            arc_cosine: ArcCosine,
            nngp: Nngp,
            ntk: Ntk,
        }
        categories (labels) {
            equal: Equal,
            li_racine: LiRacine,
            aitchison_aitken: AitchisonAitken,
        }
        sequences (parts) {
            spectrum: Spectrum,
            blended: Blended,
            substrings: Substrings,
            mismatch: Mismatch,
            gapped: Gapped,
            weighted_degree: WeightedDegree,
            edit: Edit,
            subsequence: Subsequence,
            local_alignment: LocalAlignment,
            tfidf: Tfidf,
        }
        sets (k_means) {
            pyramid_match: PyramidMatch,
            codebook: Codebook,
        }
        trees (parts) {
            subset_tree: SubsetTree,
            subtree: Subtree,
            partial_tree: PartialTree,
        }
        graphs (parts) {
            weisfeiler_lehman: WeisfeilerLehman,
            shortest_path: ShortestPath,
            vertex_histogram: VertexHistogram,
            graphlet: Graphlet,
            random_walk: RandomWalk,
        }
        models () {
            fisher: Fisher,
            probability_product: ProbabilityProduct,
        }
        series (parts) {
            global_alignment: GlobalAlignment,
            dtw: Dtw,
            autoregressive: Autoregressive,
            cross_correlation: CrossCorrelation,
            signature: Signature,
            signature_pde: SignaturePde,
            convolutions: Convolutions,
        }
        rows () {
            constant: Constant,
            white: White,
            precomputed: Precomputed,
            identical: Identical,
        }
    }
    compositions {
        sum: Sum,
        product: Product,
        scale: Scale,
        power: Power,
        on: On,
        normalise: Normalise as normalise,
        centre: Centre as centre,
        weighted: Weighted,
        changepoint: Changepoint,
        over_sets: OverSets as set_mean as set_sum,
        best_match: BestMatch as best_match,
        set_extremes: SetExtremes as set_extremes,
        lockstep: Lockstep as lockstep,
        min_max: MinMax as min_max,
        exp: Exp as exp,
        repaired: Repaired as clip as flip as shift,
        nystroem: Nystroem as nystroem,
        fourier: Fourier as fourier,
    }
}

#[cfg(test)]
mod constructor_tests;
