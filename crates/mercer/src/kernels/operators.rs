//! Kernel expressions as a Rust program writes them: `2.0 * rbf() + spectrum().k(3).on("seq")`.
//!
//! What is made is what the parser makes of the printed text. A value outside its domain is kept, and refused where the expression is
//! settled, with the error of the parser.

use super::{Changepoint, Composed, Composition, KernelExpr, Normalise, On, Power, Product, Scale, Sum, Weighted};
use crate::error::Result;
use crate::param::Value;
use std::ops::{Add, Mul, Neg, Sub};

/// Operators behind a kernel, for whatever is a kernel expression.
pub trait KernelOperators: Into<KernelExpr> {
    /// The kernel on one column, or on some: `k.on("seq")`, `k.on(["age", "height"])`.
    fn on(self, columns: impl ColumnNames) -> Composed<On> {
        Composed::of(On { columns: columns.into_names() }, self.into())
    }
    /// k(x, z) / sqrt(k(x, x) k(z, z)).
    fn normalised(self) -> Composed<Normalise> {
        Composed::of(Normalise {}, self.into())
    }
    /// The kernel times w(x) w(z), w the numbers of a column.
    fn weighted(self, column: impl Into<String>) -> Composed<Weighted> {
        Composed::of(Weighted { column: column.into() }, self.into())
    }
    /// The kernel before a value of a column of numbers, and another one behind it.
    fn changepoint(self, column: impl Into<String>, behind: impl Into<KernelExpr>) -> Composed<Changepoint> {
        Composed { how: Changepoint::along(column.into()), of: vec![self.into(), behind.into()] }
    }
    /// The kernel times a number, `auto()` or a range to search.
    fn scaled(self, scale: impl Into<Value>) -> KernelExpr {
        let mut factors = Factors::default();
        factors.number(scale.into());
        factors.with(self.into())
    }
    /// The kernel raised to a power from 1 to 64.
    fn pow(self, exponent: u32) -> KernelExpr {
        let kernel = self.into();
        if exponent == 1 { kernel } else { Composed::of(Power { exponent }, kernel).into() }
    }
}

impl<K: Into<KernelExpr>> KernelOperators for K {}

/// The name of a column, or several.
pub trait ColumnNames {
    /// The names.
    fn into_names(self) -> Vec<String>;
}

impl ColumnNames for &str {
    fn into_names(self) -> Vec<String> {
        vec![self.to_owned()]
    }
}

impl ColumnNames for String {
    fn into_names(self) -> Vec<String> {
        vec![self]
    }
}

impl<S: Into<String>, const N: usize> ColumnNames for [S; N] {
    fn into_names(self) -> Vec<String> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<S: Into<String>> ColumnNames for Vec<S> {
    fn into_names(self) -> Vec<String> {
        self.into_iter().map(Into::into).collect()
    }
}

/// The factors of a product, which is one, with one number in front, however it is written.
#[derive(Default)]
pub(super) struct Factors {
    numbers: Vec<Value>,
    kernels: Vec<KernelExpr>,
}

impl Factors {
    /// Multiplies by a number; numbers that are settled are one.
    pub(super) fn number(&mut self, number: Value) {
        match (self.numbers.last_mut(), &number) {
            (Some(Value::Number(a)), Value::Number(b)) if (*a * b).is_finite() => *a *= b,
            _ => self.numbers.push(number),
        }
    }

    /// Multiplies by a kernel.
    pub(super) fn kernel(&mut self, kernel: KernelExpr) {
        match kernel {
            KernelExpr::Scale(Composed { how, of }) => {
                self.number(how.scale);
                of.into_iter().for_each(|kernel| self.kernel(kernel));
            }
            KernelExpr::Product(Composed { of, .. }) => self.kernels.extend(of),
            kernel => self.kernels.push(kernel),
        }
    }

    /// A number that cannot be multiplied by that in front.
    pub(super) fn second_number(&self) -> Option<&Value> {
        self.numbers.get(1)
    }

    /// The product; `None` without a kernel.
    pub(super) fn product(mut self) -> Option<KernelExpr> {
        let kernel = match self.kernels.len() {
            0 | 1 => self.kernels.pop()?,
            _ => Composed { how: Product {}, of: self.kernels }.into(),
        };
        Some(self.numbers.into_iter().rev().fold(kernel, |kernel, scale| Composed::of(Scale { scale }, kernel).into()))
    }

    /// The product with one more kernel.
    fn with(mut self, kernel: KernelExpr) -> KernelExpr {
        self.kernel(kernel.clone());
        self.product().unwrap_or(kernel)
    }
}

impl KernelExpr {
    /// The sum of kernels. Sums inside of sums are one sum, so that what is printed reads back as the same expression.
    pub fn sum(kernels: Vec<KernelExpr>) -> KernelExpr {
        let terms = |k: KernelExpr| if let KernelExpr::Sum(sum) = k { sum.of } else { vec![k] };
        KernelExpr::Sum(Composed { how: Sum {}, of: kernels.into_iter().flat_map(terms).collect() })
    }

    /// The product of two kernels.
    pub(super) fn product(one: KernelExpr, other: KernelExpr) -> KernelExpr {
        let mut factors = Factors::default();
        factors.kernel(one);
        factors.with(other)
    }

    /// An error where what is printed is no expression: a value outside its domain, a part that the composition does not take.
    pub(super) fn require_readable(&self) -> Result<()> {
        Self::parse(&self.to_string()).map(drop)
    }
}

/// `+`, `-` and `*` between a type of kernels, with a parameter where it is generic, and whatever is a kernel expression; numbers in
/// front of it.
macro_rules! operators {
    ($Kernel:ty $(, $C:ident)?) => {
        impl<$($C: Composition,)? R: Into<KernelExpr>> Add<R> for $Kernel where Self: Into<KernelExpr> {
            type Output = KernelExpr;
            fn add(self, other: R) -> KernelExpr {
                KernelExpr::sum(vec![self.into(), other.into()])
            }
        }
        impl<$($C: Composition,)? R: Into<KernelExpr>> Sub<R> for $Kernel where Self: Into<KernelExpr> {
            type Output = KernelExpr;
            fn sub(self, other: R) -> KernelExpr {
                self + -other.into()
            }
        }
        impl<$($C: Composition,)? R: Into<KernelExpr>> Mul<R> for $Kernel where Self: Into<KernelExpr> {
            type Output = KernelExpr;
            fn mul(self, other: R) -> KernelExpr {
                KernelExpr::product(self.into(), other.into())
            }
        }
        impl$(<$C: Composition>)? Mul<$Kernel> for f64 where $Kernel: Into<KernelExpr> {
            type Output = KernelExpr;
            fn mul(self, kernel: $Kernel) -> KernelExpr {
                kernel.scaled(self)
            }
        }
        impl$(<$C: Composition>)? Mul<$Kernel> for Value where $Kernel: Into<KernelExpr> {
            type Output = KernelExpr;
            fn mul(self, kernel: $Kernel) -> KernelExpr {
                kernel.scaled(self)
            }
        }
        impl$(<$C: Composition>)? Neg for $Kernel where Self: Into<KernelExpr> {
            type Output = KernelExpr;
            fn neg(self) -> KernelExpr {
                self.scaled(-1.0)
            }
        }
    };
}

pub(super) use operators;

operators!(KernelExpr);
operators!(Composed<C>, C);
