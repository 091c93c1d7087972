//! The parameters that a search may move, as coordinates.

use super::profile::{Curve, End, TunedParameter};
use crate::data::Kind;
use crate::error::{Error, Result};
use crate::estimators::EstimatorExpr;
use crate::kernels::KernelExpr;
use crate::param::{Domain, Param, Value};
use serde::{Deserialize, Serialize};

/// The choice of estimators that is searched where a class is rare, and its words, at the coordinates 0 and 1.
const CLASS_WEIGHT: &str = "class_weight";
const WORDS: [&str; 2] = ["none", "balanced"];
/// The name of a width in the records of kernels.
const WIDTH: &str = "length_scale";
/// The name of the number in front of a kernel, and the share of its start that it may fall to in a term of a sum: the term is then below
/// the rounding of the others, as of the square root of the precision.
const SCALE: &str = "scale";
const VANISHING: f64 = 1e-8;

/// A kernel and an estimator with every parameter settled.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Setting {
    pub kernel: KernelExpr,
    pub estimator: EstimatorExpr,
}

/// One free number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Free {
    /// Path in the kernel, or name in the estimator.
    path: String,
    of_kernel: bool,
    /// Its place in the kernel's gradient.
    place: usize,
    /// Which number of a list it is.
    element: Option<usize>,
    start: f64,
    low: f64,
    high: f64,
    log: bool,
    pub integer: bool,
    width: bool,
    /// Whether it stands for the words of a choice.
    choice: bool,
}

/// Everything that is `auto` and has a search span, or is a range, but for what changes no prediction. `open` holds the words,
/// `start` the settled values, `target` what is predicted.
pub(super) fn free_parameters(open: &KernelExpr, estimator: &EstimatorExpr, start: &Setting, target: Kind) -> Vec<Free> {
    let mut out = Vec::new();
    let mut place = 0;
    // The whole kernel is a function of one distance in units of its width: `rbf.length_scale`, and not `0.rbf.length_scale`.
    let ordered = |path: &str| estimator.facts().uses_order_alone && path.split('.').count() == 2;
    for (asked, settled) in open.values().into_iter().zip(start.kernel.values()) {
        let numbers = settled.value.numbers().to_vec();
        let listed = matches!(settled.value, Value::List(_));
        for (k, x) in numbers.iter().enumerate() {
            if !listed && asked.param.name == WIDTH && ordered(&settled.path) {
                continue;
            }
            if let Some(mut f) = free(&settled.path, asked.param, &asked.value, *x) {
                if asked.param.name == SCALE && asked.value == Value::Auto && matches!(open, KernelExpr::Sum(_)) {
                    f.low = *x * VANISHING;
                }
                f.of_kernel = true;
                f.place = place + k;
                f.element = listed.then_some(k);
                f.width = asked.param.name == WIDTH;
                out.push(f);
            }
        }
        place += numbers.len();
    }
    for (asked, settled) in estimator.values().into_iter().zip(start.estimator.values()) {
        if estimator.uses(&asked.path, target) {
            out.extend(free(&asked.path, asked.param, &asked.value, settled.value.number()));
        }
    }
    out
}

fn free(path: &str, param: &Param, asked: &Value, start: f64) -> Option<Free> {
    let (low, high) = match asked {
        Value::Range(low, high) => (*low, *high),
        Value::Auto => {
            let span = param.search?;
            (start / span, start * span)
        }
        _ => return None,
    };
    let (low, high) = match param.domain {
        Domain::Integer(least, most) => (low.max(least as f64).round(), high.min(most as f64).round()),
        Domain::Fraction => (low.max(1e-6), high.min(1.0 - 1e-6)),
        Domain::UpToOne => (low, high.min(1.0)),
        _ => (low, high),
    };
    let integer = matches!(param.domain, Domain::Integer(..) | Domain::IntegerOrInfinite(_));
    let (path, log) = (path.to_owned(), low > 0.0);
    let free = Free { path, of_kernel: false, place: 0, element: None, start, low, high, log, integer, width: false, choice: false };
    (low < high && start.is_finite()).then_some(free)
}

impl Free {
    /// The numbers of a settled kernel that have ends, which are above 0, on a logarithmic scale.
    pub(super) fn within(kernel: &KernelExpr, ends: &[Option<(f64, f64)>]) -> Result<Vec<Free>> {
        let mut out = Vec::new();
        let mut place = 0;
        for settled in kernel.values() {
            let listed = matches!(settled.value, Value::List(_));
            for (k, start) in settled.value.numbers().iter().copied().enumerate() {
                if let Some(&(low, high)) = ends.get(place).and_then(Option::as_ref) {
                    if !(0.0 <= low && low <= high && start > 0.0) {
                        let why = format!("a number above 0 was expected between the ends of its search; found {start}, {low} and {high}");
                        return Err(Error::Setting { name: settled.path, why });
                    }
                    let (path, element) = (settled.path.clone(), listed.then_some(k));
                    out.push(Free {
                        path,
                        of_kernel: true,
                        place,
                        element,
                        start,
                        low,
                        high,
                        log: true,
                        integer: false,
                        width: false,
                        choice: false,
                    });
                }
                place += 1;
            }
        }
        Error::unless_equal("ends of numbers of the kernel", place, ends.len())?;
        Ok(out)
    }

    /// Whether classes count alike as a whole, for an estimator that leaves it open.
    pub(super) fn class_weight(estimator: &EstimatorExpr) -> Option<Free> {
        let is_open = estimator.arguments().iter().any(|(name, word)| *name == CLASS_WEIGHT && word == WORDS[0]);
        let param = Param::fixed(CLASS_WEIGHT, "", Domain::Integer(0, 1));
        is_open.then(|| free(CLASS_WEIGHT, &param, &Value::Range(0.0, 1.0), 0.0)).flatten().map(|f| Free { choice: true, ..f })
    }

    fn to_coordinate(&self, value: f64) -> f64 {
        if self.log { value.ln() } else { value }
    }
    /// The value at a coordinate.
    pub(super) fn to_value(&self, x: f64) -> f64 {
        let value = if self.log { x.exp() } else { x };
        let value = if self.integer { value.round() } else { value };
        value.clamp(self.low, self.high)
    }
    /// Where the search starts.
    pub(super) fn coordinate(&self) -> f64 {
        self.to_coordinate(self.start.clamp(self.low, self.high))
    }
    /// The coordinate of a value, moved inside the ends.
    pub(super) fn at_value(&self, value: f64) -> f64 {
        self.to_coordinate(value.clamp(self.low, self.high))
    }
    /// The ends of the search.
    pub(super) fn bounds(&self) -> (f64, f64) {
        (self.to_coordinate(self.low), self.to_coordinate(self.high))
    }
    /// A coordinate moved inside the ends.
    pub(super) fn clamp(&self, x: f64) -> f64 {
        let (low, high) = self.bounds();
        x.clamp(low, high)
    }
    /// Whether its coordinate is a logarithm.
    pub(super) fn is_logarithmic(&self) -> bool {
        self.log
    }
    /// Its name where it is the estimator's own.
    pub(super) fn own_name(&self) -> Option<&str> {
        (!self.of_kernel).then_some(self.path.as_str())
    }
    /// Its place among the numbers of the kernel, where it is one of them.
    pub(super) fn kernel_place(&self) -> Option<usize> {
        self.of_kernel.then_some(self.place)
    }
    /// Whether it is the width of a kernel, which several starts vary.
    pub(super) fn is_kernel_width(&self) -> bool {
        self.width
    }
    /// d criterion / d coordinate at `x`, from the derivatives by kernel parameters and by the estimator's own.
    pub(super) fn slope(&self, x: f64, by_kernel: &[f64], own: &[(&'static str, f64)]) -> f64 {
        let plain = if self.of_kernel {
            by_kernel.get(self.place).copied().unwrap_or(0.0)
        } else {
            own.iter().find(|(name, _)| *name == self.path).map_or(0.0, |(_, d)| *d)
        };
        if self.log { plain * self.to_value(x) } else { plain }
    }
    /// A coordinate moved inside the ends, at a whole number where the parameter is one.
    pub(super) fn rounded(&self, x: f64) -> f64 {
        if self.integer { self.to_coordinate(self.to_value(self.clamp(x))) } else { self.clamp(x) }
    }
    /// The coordinate of the next whole number that way, if there is one; `None` for other numbers.
    pub(super) fn neighbour(&self, x: f64, way: f64) -> Option<f64> {
        let next = self.to_value(x) + way;
        (self.integer && self.low <= next && next <= self.high).then(|| self.to_coordinate(next))
    }
    /// A step of so many natural logarithms, or its like on a scale that is not logarithmic.
    pub(super) fn step(&self, logarithms: f64) -> f64 {
        if self.log { logarithms } else { logarithms * (self.high - self.low) / 10.0 }
    }
    /// The tuning result of the parameter at `x`, in the user's units; `told` converts a loss to a score. `names` of columns serve where
    /// there is one number per column.
    pub(super) fn learnt(&self, x: f64, curve: &Curve, told: &dyn Fn(f64) -> f64, names: &[String]) -> TunedParameter {
        let value = self.to_value(x);
        let near = |end: f64| (self.to_coordinate(value) - self.to_coordinate(end)).abs() < 1e-6;
        TunedParameter {
            name: words(&self.path),
            column: self.element.map(|k| names.get(k).cloned().unwrap_or_else(|| (k + 1).to_string())),
            path: self.path.clone(),
            value,
            low: self.low,
            high: self.high,
            integer: self.integer,
            tried: curve.tried.iter().map(|(x, loss)| (self.to_value(*x), told(*loss))).filter(|(_, score)| score.is_finite()).collect(),
            at_bound: match (near(self.low), near(self.high)) {
                (true, _) => Some(End::Lower),
                (_, true) => Some(End::Upper),
                _ => None,
            },
            same: curve.same.map(|x| self.to_value(x)),
            edges: curve.edges,
        }
    }
    /// Path in the kernel or name in the estimator.
    pub(super) fn path(&self) -> &str {
        &self.path
    }
    /// Whether it stands for the words of a choice.
    pub(super) fn is_choice(&self) -> bool {
        self.choice
    }
    /// Whether it is one of several numbers of a list.
    pub(super) fn is_element(&self) -> bool {
        self.element.is_some()
    }
    #[cfg(test)]
    pub(super) fn for_test(low: f64, high: f64, integer: bool) -> Free {
        let path = String::from("c");
        Free { path, of_kernel: false, place: 0, element: None, start: 1.0, low, high, log: true, integer, width: false, choice: false }
    }
}

/// A path such as `0.1.rbf.length_scale` in words.
fn words(path: &str) -> String {
    let named: Vec<&str> = path.split('.').filter(|p| p.parse::<usize>().is_err()).collect();
    match named[..] {
        [.., kernel, parameter] => format!("{parameter} of {kernel}"),
        _ => named.join(" of "),
    }
}

impl Setting {
    /// The setting with the free numbers at the given coordinates.
    pub(super) fn with(&self, free: &[Free], x: &[f64]) -> Result<Setting> {
        let mut out = self.clone();
        let mut lists: Vec<(&str, Vec<f64>)> = Vec::new();
        for (f, x) in free.iter().zip(x) {
            let value = f.to_value(*x);
            match (f.of_kernel, f.element) {
                (true, Some(k)) => {
                    if lists.last().is_none_or(|(path, _)| *path != f.path) {
                        let now = self.kernel.values().into_iter().find(|p| p.path == f.path);
                        lists.push((&f.path, now.map(|p| p.value.numbers().to_vec()).unwrap_or_default()));
                    }
                    if let Some(slot) = lists.last_mut().and_then(|(_, list)| list.get_mut(k)) {
                        *slot = value;
                    }
                }
                (true, None) => out.kernel.set(&f.path, &Value::Number(value))?,
                (false, _) if f.choice => out.estimator.set_word(&f.path, WORDS[usize::from(value > 0.5)])?,
                (false, _) => out.estimator.set(&f.path, &Value::Number(value))?,
            }
        }
        for (path, list) in lists {
            out.kernel.set(path, &Value::List(list))?;
        }
        Ok(out)
    }
}

/// Whether no setting changes kernel values.
pub(super) fn is_fixed(free: &[Free]) -> bool {
    free.iter().all(|f| f.kernel_place().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_of_classes_is_a_word_at_each_end() {
        let estimator = EstimatorExpr::parse("svc(c=2)").unwrap();
        let weight = Free::class_weight(&estimator).unwrap();
        let start = Setting { kernel: KernelExpr::parse("rbf(length_scale=1)").unwrap(), estimator };
        let at = |x: f64| start.with(std::slice::from_ref(&weight), &[x]).unwrap().estimator.to_string();
        assert_eq!((at(0.0), at(1.0), at(0.3)), ("svc(c=2)".into(), "svc(c=2, class_weight=balanced)".into(), "svc(c=2)".into()));
        assert_eq!((weight.coordinate(), weight.bounds()), (0.0, (0.0, 1.0)));
        // What is given stays, and what weighs no class has none.
        for text in ["svc(class_weight=balanced)", "knn"] {
            assert!(Free::class_weight(&EstimatorExpr::parse(text).unwrap()).is_none());
        }
    }
}
