//! The catalogue of kernels: one file each, one line each in the list below, and the expressions made of them.

mod bind;
mod expression;
mod leaf;
mod stationary;

pub use bind::Selection;
pub use expression::Parameter;
pub use leaf::Entry;

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
            /// k(x, z) / sqrt(k(x, x) k(z, z)).
            Normalise(Box<KernelExpr>),
            /// A kernel on some columns only.
            On {
                /// Their names.
                columns: Vec<String>,
                /// The kernel.
                of: Box<KernelExpr>,
            },
        }

        impl KernelExpr {
            fn leaf(&self) -> Option<&dyn AnyKernel> {
                match self {
                    $(KernelExpr::$Kernel(k) => Some(k),)*
                    _ => None,
                }
            }
            fn leaf_mut(&mut self) -> Option<&mut dyn AnyKernel> {
                match self {
                    $(KernelExpr::$Kernel(k) => Some(k),)*
                    _ => None,
                }
            }
            /// The kernel of this name with these arguments; `None` if there is no such kernel.
            fn call(name: &str, args: &[crate::expr::Argument]) -> Option<crate::error::Result<KernelExpr>> {
                match name {
                    $(<$Kernel as crate::gram::Kernel>::NAME => Some(leaf::build::<$Kernel>(args).map(KernelExpr::$Kernel)),)*
                    _ => None,
                }
            }
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
    laplacian: Laplacian,
    matern: Matern,
    cosine: Cosine,
    sigmoid: Sigmoid,
    equal: Equal,
    spectrum: Spectrum,
}
