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
    use crate::param::{Choice, Domain, Param, Parameters, build, call, require_settled, set, set_word, written};
    use serde::{Deserialize, Serialize};

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

    /// Every way to write one parameter of an owner, as the parser builds it.
    pub(crate) fn set_one_by_one<T: Clone + Default + Parameters>(owner: &str) -> Vec<T> {
        let plain = T::default();
        let mut all = vec![plain.clone()];
        for param in plain.records() {
            for value in values(param.domain) {
                let argument = Argument { name: Some(param.name.to_owned()), term: expr::parse(&value).unwrap() };
                all.push(build(owner, &[], &[argument]).unwrap());
            }
        }
        all
    }

    #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Choice)]
    #[serde(rename_all = "snake_case")]
    enum Surface {
        Smooth,
        #[default]
        VeryRough,
        #[serde(rename = "none")]
        Nothing,
    }

    const SHARED: Param = Param::searched("shared", "a number of several owners", Domain::Real, 5.0);

    /// One parameter of each type.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
    struct Sample {
        /// how many,
        /// a whole number
        #[param(default = 3, domain = Integer(1, 10))]
        count: Value,
        #[param(SHARED, default = 0.5)]
        other: Value,
        /// what it is like
        surface: Surface,
        /// some of the surfaces
        #[param(default = Surface::Smooth, domain = Choice(&["smooth", "none"]))]
        some: Surface,
        /// whether it is
        #[param(default = true)]
        #[serde(rename = "is")]
        being: bool,
        /// its words
        words: Vec<String>,
        /// a width
        #[param(domain = Positive, learnt)]
        width: Value,
    }

    #[test]
    fn a_parameter_is_said_once_beside_its_field() {
        let plain = Sample::default();
        let said: Vec<String> =
            plain.records().iter().map(|p| format!("{} {} {} {:?} {}", p.name, p.doc, p.domain, p.search, p.learnt)).collect();
        assert_eq!(
            said,
            [
                "count how many, a whole number a whole number from 1 to 10 None false",
                "other a number of several owners a finite number Some(5.0) false",
                "surface what it is like one of smooth, very_rough, none None false",
                "some some of the surfaces one of smooth, none None false",
                "is whether it is true or false None false",
                "words its words a list of words such as [the, of, \"don't\"] None false",
                "width a width above 0 None true",
            ]
        );
        assert_eq!(written(&plain), ["3", "0.5", "very_rough", "smooth", "true", "[]", "auto"]);
        assert_eq!(call("sample", &plain).to_string(), "sample");
    }

    #[test]
    fn setters_make_what_text_does() {
        let made =
            Sample::default().count(2..=4).other(auto()).surface(Surface::Nothing).being(false).words(["a", "b c"]).width([1.0, 2.0]);
        let term = call("sample", &made);
        assert_eq!(term.to_string(), "sample(count=2..4, other=auto, surface=none, is=false, words=[a, \"b c\"], width=[1, 2])");
        let expr::Term::Call { args, .. } = expr::parse(&term.to_string()).unwrap() else { panic!("a call") };
        assert_eq!(build::<Sample>("sample", &[], &args).unwrap(), made);
        let json = serde_json::to_string(&made).unwrap();
        assert_eq!(serde_json::from_str::<Sample>(&json).unwrap(), made);
    }

    #[test]
    fn what_is_no_value_of_a_parameter_is_refused_where_it_is_set() {
        let mut sample = Sample::default();
        for (name, value) in [("count", Value::Number(11.0)), ("count", Value::Range(4.0, 2.0)), ("is", auto()), ("no", Value::Number(1.0))]
        {
            assert!(set(&mut sample, "sample", name, &value).is_err(), "{name}={value}");
        }
        for (name, word) in [("some", "very_rough"), ("surface", "Smooth"), ("is", "yes"), ("width", "wide")] {
            assert!(set_word(&mut sample, "sample", name, word).is_err(), "{name}={word}");
        }
        assert_eq!(sample, Sample::default());
        set(&mut sample, "sample", "COUNT", &Value::Number(7.0)).unwrap();
        assert_eq!(require_settled(&sample, "sample").map_err(|e| e.to_string()), Ok(()));
        set(&mut sample, "sample", "other", &auto()).unwrap();
        assert!(require_settled(&sample, "sample").unwrap_err().to_string().contains("other"));
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
