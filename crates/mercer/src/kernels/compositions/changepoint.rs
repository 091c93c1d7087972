//! (1 - s(x)) k1(x, z) (1 - s(z)) + s(x) k2(x, z) s(z), s a sigmoid of a column: one kernel before a value of the column, another one
//! behind it (Saatci, Turner & Rasmussen 2010; Lloyd, Duvenaud, Grosse, Tenenbaum & Ghahramani 2014).

use crate::control::Control;
use crate::data::{Dataset, RowWeights};
use crate::error::{Error, Result};
use crate::expr::{Argument, Term};
use crate::gram::{self, Block, Bound, Gram, PairWeights, Rewrite, Rewritten, Side, UnrelatedRows, inner_product, plan_copies};
use crate::kernels::composition::{Closure, Composed, Composition, Form};
use crate::kernels::fitted::{Fixed, Scope, foreign};
use crate::kernels::shared::Shared;
use crate::kernels::{FittedKernel, KernelExpr};
use crate::linalg::Real;
use crate::param::{self, Value};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// One kernel that gives way to another along a column of numbers.
///
/// ```text
/// (1 - s(x)) k1(x, z) (1 - s(z)) + s(x) k2(x, z) s(z), s = 1 / (1 + exp(-(t - location) / width)), t the column of
/// numbers as it is: k1 before the location, k2 behind it
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[parameters(composed)]
#[serde(deny_unknown_fields)]
pub struct Changepoint {
    /// The name of the column.
    #[param(hidden)]
    pub column: String,
    /// value of the column where both kernels count alike; auto: the middle of its range
    #[param(domain = Real)]
    location: Value,
    /// distance over which one kernel gives way to the other, in units of the column; auto: a twentieth of its range
    #[param(domain = PositiveFinite, search = 10.0)]
    width: Value,
}

impl Composition for Changepoint {
    const FORMS: &'static [Form] = &[Form {
        name: "changepoint",
        also: None,
        form: "changepoint(t, k1, k2)",
        example: "changepoint(a, rbf, linear, location=0.2)",
        doc: Self::FORMULA,
        because: "a sum of f(x) k(x, z) f(z)",
    }];
    const SOURCE: &'static str = "Lloyd, Duvenaud, Grosse, Tenenbaum & Ghahramani, Automatic construction and natural-language description of nonparametric regression models (2014), appendix A";
    const DIFFERENTIABLE: &'static [&'static str] = &["location", "width"];
    type Learnt = ();

    fn read(name: &str, args: &[Argument], part: &dyn Fn(&Term) -> Result<KernelExpr>) -> Result<Composed<Self>> {
        match args {
            [
                Argument { name: None, term: column },
                Argument { name: None, term: before },
                Argument { name: None, term: behind },
                rest @ ..,
            ] if column.word().is_some() => {
                let mut how = Changepoint::along(column.word().unwrap_or_default().to_owned());
                param::fill(&mut how, name, Self::ALIASES, rest)?;
                Ok(Composed { how, of: vec![part(before)?, part(behind)?] })
            }
            _ => Err(Error::Data("changepoint takes a column of numbers and two kernels: changepoint(year, rbf, linear)".into())),
        }
    }
    fn term(&self, parts: Vec<Term>) -> Term {
        let terms = std::iter::once(Term::Word(self.column.clone())).chain(parts);
        let given = param::given(&Self::default(), self);
        let args = terms.map(|term| Argument { name: None, term }).chain(given).collect();
        Term::Call { name: "changepoint".into(), args, at: 0 }
    }
    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }
    fn settle(&self, rows: Scope<'_>) -> Result<Self> {
        let numbers = rows.numbers(&self.column)?.iter().copied();
        let (low, high) = (numbers.clone().fold(f64::INFINITY, f64::min), numbers.fold(f64::NEG_INFINITY, f64::max));
        let (middle, range) =
            if low < high { (0.5 * low + 0.5 * high, high - low) } else { (if low.is_finite() { low } else { 0.0 }, 1.0) };
        Ok(Changepoint { column: self.column.clone(), location: self.location.settle(middle), width: self.width.settle(range / 20.0) })
    }
    fn learn(&self, _: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        Ok(())
    }
    fn fix(&self, _: &Shared<()>, parts: &[FittedKernel], rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        let [before, behind] = parts else { return Err(foreign()) };
        // Lazy features do not stay lazy beside other parts.
        let rows = Scope { multiplied: false, ..rows };
        let gates = self.gates(rows.numbers(&self.column)?);
        Ok(Box::new(FixedGates { how: self.clone(), gates, of: [before.fix(rows, control)?, behind.fix(rows, control)?] }))
    }
    fn closure(&self) -> Closure {
        Closure::OfMercer
    }
    fn is_zero(&self, parts: &[KernelExpr]) -> bool {
        parts.iter().all(KernelExpr::is_zero)
    }
}

/// The factor of each row in front of one kernel, and its derivatives in location and width.
#[derive(Clone, Default)]
struct Gate {
    factors: Vec<f64>,
    slopes: [Vec<f64>; 2],
}

impl Changepoint {
    /// Along a column, location and width open.
    pub(crate) fn along(column: String) -> Self {
        Changepoint { column, ..Changepoint::default() }
    }

    /// Of the kernel before the location and of the one behind it.
    fn gates(&self, numbers: &[f64]) -> [Gate; 2] {
        let (location, width) = (self.location.number(), self.width.number());
        [-1.0, 1.0].map(|sign| {
            let mut gate = Gate::default();
            for t in numbers {
                let u = (t - location) / width;
                let factor = 1.0 / (1.0 + libm::exp(-sign * u));
                // 1 - factor, of which nothing is lost where the factor is near 1.
                let rest = 1.0 / (1.0 + libm::exp(sign * u));
                let slope = -sign * factor * rest / width;
                gate.factors.push(factor);
                gate.slopes[0].push(slope);
                gate.slopes[1].push(if slope == 0.0 { 0.0 } else { slope * u });
            }
            gate
        })
    }
}

/// Rows made ready, and the gates of both kernels.
struct FixedGates {
    how: Changepoint,
    gates: [Gate; 2],
    of: [Box<dyn Fixed>; 2],
}

impl FixedGates {
    fn joined(&self, rows: &[Gate; 2], of: [Box<dyn Bound>; 2]) -> Box<dyn Bound> {
        let parameters = of.each_ref().map(|part| part.parameters());
        let gated = of.into_iter().zip(rows.iter().zip(&self.gates)).map(|(part, (rows, cols))| -> Box<dyn Bound> {
            Box::new(Rewritten::new(part, GatedValues { rows: rows.clone(), cols: cols.clone() }))
        });
        Box::new(Gated { parameters, of: gram::Sum(gated.collect()) })
    }
}

impl Fixed for FixedGates {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        let [before, behind] = &self.of;
        Ok(self.joined(&self.gates, [before.among(control)?, behind.among(control)?]))
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let rows = self.how.gates(Scope::of(new).numbers(&self.how.column)?);
        let [before, behind] = &self.of;
        Ok(self.joined(&rows, [before.cross(new, control)?, behind.cross(new, control)?]))
    }
}

/// f(x) k(x, z) f(z), f a gate whose location and width are its own parameters.
struct GatedValues {
    rows: Gate,
    cols: Gate,
}

impl Rewrite for GatedValues {
    fn row<T: Real>(&self, i: usize, first: usize, _: bool, values: &mut [T]) {
        for (v, right) in values.iter_mut().zip(&self.cols.factors[first..]) {
            *v = *v * T::from_f64(self.rows.factors[i] * right);
        }
    }
    fn diagonal(&self, side: Side, inner: Vec<f64>) -> Vec<f64> {
        let gate = if side == Side::Rows { &self.rows } else { &self.cols };
        inner.iter().zip(&gate.factors).map(|(d, f)| d * f * f).collect()
    }
    fn multiplies(&self, side: Side, _: usize) -> Option<Vec<f64>> {
        Some(if side == Side::Rows { &self.rows } else { &self.cols }.factors.clone())
    }
    fn parameters(&self) -> usize {
        2
    }
    fn gradient(&self, inner: &dyn Bound, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        plan_copies(1, weights, control)?;
        let mut out = Vec::new();
        for slope in &self.rows.slopes {
            let f = &self.rows.factors;
            let shares = weights.map(|i, j, w| (slope[i] * f[j] + f[i] * slope[j]) * w);
            out.push(inner_product(inner, &shares, control)?);
        }
        if inner.parameters() > 0 {
            let f = &self.rows.factors;
            out.extend(inner.gradient(&weights.map(|i, j, w| f[i] * f[j] * w), control)?);
        }
        Ok(out)
    }
}

/// The sum of both kernels, whose gates have the same two parameters.
struct Gated {
    /// Of each kernel without its gate.
    parameters: [usize; 2],
    of: gram::Sum,
}

impl Gram for Gated {
    fn shape(&self) -> (usize, usize) {
        self.of.shape()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
        self.of.fill(rows, cols, out);
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        self.of.fill_rows(rows, cols, out);
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f32>) {
        self.of.fill_f32(rows, cols, out);
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        self.of.diagonal(side)
    }
    fn symmetric(&self) -> bool {
        self.of.symmetric()
    }
    fn unrelated_rows(&self) -> Vec<UnrelatedRows> {
        self.of.unrelated_rows()
    }
}

impl Bound for Gated {
    fn parameters(&self) -> usize {
        2 + self.parameters.iter().sum::<usize>()
    }
    /// Location and width once, of both gates; then the parameters of the kernels.
    fn gradient(&self, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        let both = self.of.gradient(weights, control)?;
        let Some((before, behind)) = both.split_at_checked(2 + self.parameters[0]) else { return Err(foreign()) };
        let own = before.iter().zip(behind).take(2).map(|(a, b)| a + b);
        Ok(own.chain(before.iter().skip(2).copied()).chain(behind.iter().skip(2).copied()).collect())
    }
}
