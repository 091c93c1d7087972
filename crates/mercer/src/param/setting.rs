//! Values of parameters as a Rust program writes them: `2.0`, `3`, `auto()`, `0.1..10.0`, `1..=8`, `[1.0, 2.0]`.

use super::Value;
use std::ops::{Range, RangeInclusive};

/// A parameter that is settled from the training data, and searched where its owner is tuned.
pub fn auto() -> Value {
    Value::Auto
}

/// Numbers, each of a type that every `f64` holds or that counts.
macro_rules! numbers {
    ($($Number:ty),*) => {
        $(impl From<$Number> for Value {
            fn from(x: $Number) -> Self {
                Value::Number(x as f64)
            }
        }

        /// To be searched; both ends count.
        impl From<RangeInclusive<$Number>> for Value {
            fn from(range: RangeInclusive<$Number>) -> Self {
                Value::Range(*range.start() as f64, *range.end() as f64)
            }
        })*
    };
}

numbers!(f64, i32, u32, usize);

/// To be searched. Whole numbers take `1..=8`, as both ends count.
impl From<Range<f64>> for Value {
    fn from(range: Range<f64>) -> Self {
        Value::Range(range.start, range.end)
    }
}

/// One number per column.
impl From<Vec<f64>> for Value {
    fn from(numbers: Vec<f64>) -> Self {
        Value::List(numbers)
    }
}

/// One number per column.
impl<const N: usize> From<[f64; N]> for Value {
    fn from(numbers: [f64; N]) -> Self {
        Value::List(numbers.to_vec())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::expr::{self, Argument};
    use crate::param::{Domain, Param, build, call};
    use serde::{Serialize, de::DeserializeOwned};
    use std::fmt::Debug;

    /// The name of a parameter, and its setter applied to the value that another owner has.
    pub(crate) type Setter<T> = (&'static str, fn(T, &T) -> T);

    /// The setters of a type.
    pub(crate) trait HasSetters: Sized + 'static {
        const SETTERS: &'static [Setter<Self>];
    }

    /// Values of a domain, as they are written.
    fn values(domain: Domain) -> Vec<String> {
        let written = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect();
        match domain {
            Domain::Real => written(&["-2.5", "auto", "-1..4"]),
            Domain::Positive | Domain::PositiveFinite | Domain::NonNegative => written(&["2.5", "auto", "0.1..10"]),
            Domain::Fraction | Domain::UpToOne => written(&["0.3", "0.1..0.9"]),
            Domain::Integer(low, _) | Domain::IntegerOrInfinite(low) => vec![low.to_string(), format!("{low}..{}", low + 1)],
            Domain::CountOrShare => written(&["3", "0.25"]),
            Domain::Flag => written(&["true", "false"]),
            Domain::Choice(words) => written(words),
            Domain::Words => written(&["[the, \"don't\"]"]),
            Domain::Term(list) => written(&list.names()),
        }
    }

    /// Every way to write one parameter of an owner, as the parser builds it and as the setter does, which are equal; one setter for
    /// each parameter.
    pub(crate) fn set_one_by_one<T>(owner: &str, params: &[Param]) -> Vec<T>
    where
        T: HasSetters + Clone + Default + PartialEq + Debug + Serialize + DeserializeOwned,
    {
        let mut names: Vec<&str> = T::SETTERS.iter().map(|(name, _)| *name).collect();
        let mut expected: Vec<&str> = params.iter().map(|p| p.name).collect();
        names.sort_unstable();
        expected.sort_unstable();
        assert_eq!(names, expected, "setters of {owner}");
        let mut all = vec![T::default()];
        for param in params {
            let set = T::SETTERS.iter().find(|(name, _)| *name == param.name).unwrap().1;
            for value in values(param.domain) {
                let argument = Argument { name: Some(param.name.to_owned()), term: expr::parse(&value).unwrap() };
                let parsed: T = build(owner, params, &[], &[argument]).unwrap();
                let made = set(T::default(), &parsed);
                assert_eq!(made, parsed, "{owner}({}={value}), printed {}", param.name, call(owner, &made, params));
                all.push(made);
            }
        }
        all
    }

    #[test]
    fn values_of_rust_are_those_of_text() {
        let parsed = |text: &str| serde_json::from_value::<Value>(text.into()).unwrap();
        let cases = [
            (auto(), "auto"),
            (2.5.into(), "2.5"),
            (3.into(), "3"),
            (3u32.into(), "3"),
            (3usize.into(), "3"),
            ((0.1..10.0).into(), "0.1..10"),
            ((0.1..=10.0).into(), "0.1..10"),
            ((1..=8).into(), "1..8"),
            ([1.0, 2.0].into(), "[1, 2]"),
            (vec![1.0].into(), "[1]"),
        ];
        for (value, text) in cases {
            assert_eq!(value, parsed(text));
        }
    }
}
