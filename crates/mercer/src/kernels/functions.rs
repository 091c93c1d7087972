//! Kernels that are functions of two whole batches, named when the program runs: those that are written in another language.
//!
//! Such a function may fail and takes no part in the order in which tiles are filled, so that all of its values are computed when it is
//! bound.

use super::fitted::{Fixed, Scope};
use super::leaf::{AnyKernel, Defaults, KernelEntry, Taken, Takes};
use crate::control::Control;
use crate::data::{Arity, ColumnKind, Dataset, RowWeights};
use crate::error::{Error, Result};
use crate::expr::{Argument, Term};
use crate::gram::{Bound, Dense, Gram, Mercer, PairWeights, Side, Spectral, Structure, of_held_values};
use crate::linalg::Matrix;
use crate::param::{self, Domain, NumericSetting, Param, ParameterValue, Parameters, Value};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::sync::{Arc, OnceLock};

/// A kernel that computes all values between two batches at once, and is named when the program runs. It is registered by
/// [`register_function`](super::register_function) and stored by its name and parameters.
pub trait KernelFunction: Send + Sync {
    /// What the lists say of it: its name in expressions, its parameters with their defaults.
    fn entry(&self) -> KernelEntry;
    /// Whether it takes a column of this kind.
    fn takes(&self, kind: ColumnKind) -> bool;
    /// How many columns make up one input.
    fn arity(&self) -> Arity;
    /// Whether its author declares it positive semi-definite: values among training rows are checked, and no rule proves it.
    fn is_declared_mercer(&self) -> bool;
    /// k(row, column) for every row of one table with every row of another, both of the columns that it takes, in the order of training.
    ///
    /// # Errors
    /// Whatever it raises; a matrix of another shape.
    fn values(&self, arguments: &[(&'static Param, Term)], rows: &Dataset, columns: &Dataset) -> Result<Matrix>;
    /// k(x, x) of every row.
    ///
    /// # Errors
    /// As for [`KernelFunction::values`].
    fn diagonal(&self, arguments: &[(&'static Param, Term)], rows: &Dataset) -> Result<Vec<f64>>;
}

/// A function with its parameters.
#[derive(Clone)]
pub(super) struct FunctionKernel {
    of: Arc<dyn KernelFunction>,
    entry: KernelEntry,
    /// Parameters, in the order of the records.
    parameters: Vec<FunctionParameter>,
}

/// A parameter of a function, as its record asks for.
#[derive(Clone, Serialize)]
#[serde(untagged)]
enum FunctionParameter {
    Number(Value),
    Flag(bool),
    Word(&'static str),
    Words(Vec<String>),
}

impl FunctionParameter {
    /// One for a record, before it is set.
    fn of(param: &Param) -> Self {
        match param.domain {
            Domain::Flag => FunctionParameter::Flag(false),
            Domain::Choice(_) => FunctionParameter::Word(""),
            Domain::Words => FunctionParameter::Words(Vec::new()),
            _ => FunctionParameter::Number(Value::Auto),
        }
    }
}

impl Parameters for FunctionKernel {
    fn records(&self) -> &'static [Param] {
        self.entry.params
    }
    fn parameter(&self, place: usize) -> Option<&dyn ParameterValue> {
        Some(match self.parameters.get(place)? {
            FunctionParameter::Number(value) => value,
            FunctionParameter::Flag(value) => value,
            FunctionParameter::Word(value) => value,
            FunctionParameter::Words(value) => value,
        })
    }
    fn parameter_mut(&mut self, place: usize) -> Option<&mut dyn ParameterValue> {
        Some(match self.parameters.get_mut(place)? {
            FunctionParameter::Number(value) => value,
            FunctionParameter::Flag(value) => value,
            FunctionParameter::Word(value) => value,
            FunctionParameter::Words(value) => value,
        })
    }
}

impl FunctionKernel {
    /// With every parameter at its default.
    fn plain(of: &Arc<dyn KernelFunction>) -> Result<Self> {
        let entry = of.entry();
        let mut made = FunctionKernel { of: of.clone(), entry, parameters: entry.params.iter().map(FunctionParameter::of).collect() };
        for (param, text) in entry.params.iter().zip(entry.defaults()) {
            let default = Argument { name: Some(param.name.to_owned()), term: crate::expr::parse(&text)? };
            param::fill(&mut made, entry.name, &[], &[default])?;
        }
        Ok(made)
    }

    pub(super) fn build(of: &Arc<dyn KernelFunction>, args: &[Argument]) -> Result<Self> {
        let mut made = Self::plain(of)?;
        let KernelEntry { name, aliases, .. } = made.entry;
        param::fill(&mut made, name, aliases, args)?;
        Ok(made)
    }

    /// From its parameters as they are stored: those that it has, and no others.
    pub(super) fn stored(of: &Arc<dyn KernelFunction>, parameters: Json) -> Result<Self> {
        let mut made = Self::plain(of)?;
        let name = made.entry.name;
        let names = |json: &Json| json.as_object().map(|all| all.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
        let fault = |e: serde_json::Error| Error::Data(format!("{name}: {e}"));
        let (stored, known) = (names(&parameters), names(&made.parameters().map_err(fault)?));
        if stored != known {
            return Err(Error::Data(format!(
                "the kernel {name} was stored with the parameters [{}] and is registered with [{}]",
                stored.join(", "),
                known.join(", ")
            )));
        }
        for (param, held) in made.entry.params.iter().zip(&mut made.parameters) {
            let json = &parameters[param.name];
            match held {
                FunctionParameter::Number(value) => *value = Value::deserialize(json).map_err(fault)?,
                FunctionParameter::Flag(value) => *value = bool::deserialize(json).map_err(fault)?,
                FunctionParameter::Word(value) => value.read(&Term::Word(String::deserialize(json).map_err(fault)?), name, param)?,
                FunctionParameter::Words(value) => *value = Vec::deserialize(json).map_err(fault)?,
            }
        }
        Ok(made)
    }

    /// Parameters as they are stored, by name.
    pub(super) fn parameters(&self) -> serde_json::Result<Json> {
        let each = self.entry.params.iter().zip(&self.parameters);
        each.map(|(param, held)| Ok((param.name.to_owned(), serde_json::to_value(held)?)))
            .collect::<serde_json::Result<_>>()
            .map(Json::Object)
    }
    pub(super) fn is_declared_mercer(&self) -> bool {
        self.of.is_declared_mercer()
    }

    pub(super) fn fix(&self, rows: Scope<'_>) -> Result<Box<dyn Fixed>> {
        param::require_settled(self, self.entry.name)?;
        let places = rows.columns(self)?;
        let columns: Vec<Taken> = places.iter().map(|&place| Taken::of(rows.data, place)).collect();
        Ok(Box::new(FixedFunction { kernel: self.clone(), rows: part(rows.data, &places)?, columns, squares: OnceLock::new() }))
    }

    /// Values between two batches, each looked at.
    fn between(&self, rows: &Dataset, columns: &Dataset, control: &Control) -> Result<Matrix> {
        // Copies of a matrix of values that are held while it is made: what the function returns, what it makes in between, and ours.
        const COPIES: u64 = 3;
        control.check()?;
        let (name, shape) = (self.entry.name, (rows.rows(), columns.rows()));
        if shape.0 == 0 || shape.1 == 0 {
            return Ok(Matrix::zeros(shape.0, shape.1));
        }
        let bytes = COPIES * 8 * (shape.0 as u64).saturating_mul(shape.1 as u64);
        control.plan(&format!("values of {name} between {} and {} rows", shape.0, shape.1), bytes).map_err(|error| match error {
            Error::Memory { what, needed, allowed, .. } => {
                let instead = format!(", or nystroem({name}, rank=200), which asks it for few values");
                Error::Memory { what, needed, allowed, instead }
            }
            other => other,
        })?;
        let found = self.of.values(&self.arguments(), rows, columns)?;
        if (found.rows(), found.cols()) != shape {
            return Err(Error::Data(format!(
                "{name} returned {} x {} values for {} and {} rows; expected {} x {}",
                found.rows(),
                found.cols(),
                shape.0,
                shape.1,
                shape.0,
                shape.1
            )));
        }
        match found.data().iter().position(|v| !v.is_finite()) {
            Some(at) => Err(self.not_finite(at / shape.1, at % shape.1, found.data()[at])),
            None => Ok(found),
        }
    }

    fn not_finite(&self, row: usize, column: usize, found: f64) -> Error {
        let what = format!("{}: k(row {}, row {}) = {found}", self.entry.name, row + 1, column + 1);
        Error::Numerical { what, why: "kernel values are finite numbers".into() }
    }

    fn arguments(&self) -> Vec<(&'static Param, Term)> {
        let params: &'static [Param] = self.entry.params;
        params.iter().zip(param::terms(self)).map(|(param, (_, term))| (param, term)).collect()
    }

    fn bound(&self, values: Dense) -> Box<dyn Bound> {
        let parameters = AnyKernel::values(self).iter().map(|setting| setting.value.numbers().len()).sum();
        Box::new(HeldValues { values: values.known_finite(), parameters })
    }
}

impl Takes for FunctionKernel {
    fn name(&self) -> &'static str {
        self.entry.name
    }
    fn takes(&self, kind: ColumnKind) -> bool {
        self.of.takes(kind)
    }
    fn takes_words(&self) -> &'static str {
        self.entry.takes
    }
    fn arity(&self) -> Arity {
        self.of.arity()
    }
    fn as_is(&self) -> bool {
        self.entry.as_is
    }
    fn dim(&self) -> Option<usize> {
        None
    }
    fn term(&self) -> Term {
        let defaults = self.entry.defaults().into_iter().map(|text| crate::expr::parse(&text).ok());
        let args = param::terms(self).into_iter().zip(defaults).filter(|((_, now), default)| default.as_ref() != Some(now));
        let args = args.map(|((name, term), _)| Argument { name: Some(name.to_owned()), term }).collect();
        Term::Call { name: self.entry.name.to_owned(), args, at: 0 }
    }
}

impl AnyKernel for FunctionKernel {
    fn because(&self) -> &'static str {
        self.entry.because
    }
    fn negative_type(&self) -> Option<&'static str> {
        None
    }
    fn values(&self) -> Vec<NumericSetting> {
        param::numbers(self)
    }
    fn has_gradient(&self, _: &str) -> bool {
        false
    }
    fn set(&mut self, path: &str, value: &Value) -> Result<()> {
        let owner = self.entry.name;
        param::set_at(self, owner, path, value)
    }
    fn verdict(&self) -> Mercer {
        Mercer::Conditional(match self.of.is_declared_mercer() {
            true => "its author declares it positive semi-definite, and no rule proves it".into(),
            false => "nothing is known of this function; where it is positive semi-definite, register it as such (mercer=True)".into(),
        })
    }
    fn learns(&self) -> bool {
        false
    }
    fn rank(&self, _: Scope<'_>) -> Option<usize> {
        None
    }
    fn stored(&self, _: Scope<'_>) -> Option<usize> {
        None
    }
    fn per_value(&self, _: Scope<'_>) -> Option<f64> {
        // Operations of one value: a function of another language is not free.
        const PER_VALUE: f64 = 200.0;
        Some(PER_VALUE)
    }
    fn spectral(&self) -> Option<(Spectral, Vec<f64>)> {
        None
    }
    fn computes_whole_matrices(&self) -> bool {
        true
    }
    /// `auto` is the default, and a range starts in its middle: that of its logarithms where it has such.
    fn settle_on(&mut self, _: Scope<'_>, _: RowWeights<'_>) -> Result<()> {
        let plain = Self::plain(&self.of)?;
        for (open, default) in AnyKernel::values(self).into_iter().zip(AnyKernel::values(&plain)) {
            let start = match (&open.value, &default.value) {
                (Value::Number(_) | Value::List(_), _) => continue,
                (Value::Range(low, high), _) | (Value::Auto, Value::Range(low, high)) => middle(open.param.domain, *low, *high),
                (Value::Auto, default) => default.number(),
            };
            self.set(&open.path, &Value::Number(start))?;
        }
        Ok(())
    }
}

/// The middle of a range.
fn middle(domain: Domain, low: f64, high: f64) -> f64 {
    let middle = if low > 0.0 { (low * high).sqrt() } else { 0.5 * (low + high) };
    if matches!(domain, Domain::Integer(..)) { middle.round().clamp(low, high) } else { middle }
}

/// The columns at some places.
fn part(data: &Dataset, places: &[usize]) -> Result<Dataset> {
    Dataset::with_rows(data.rows(), places.iter().map(|&place| data.columns()[place].clone()).collect())
}

/// Rows that new ones are compared with.
struct FixedFunction {
    kernel: FunctionKernel,
    rows: Dataset,
    columns: Vec<Taken>,
    /// k(x, x) of them, once new rows have come.
    squares: OnceLock<Vec<f64>>,
}

impl FixedFunction {
    /// k(x, x) of each row.
    fn squares(&self, rows: &Dataset) -> Result<Vec<f64>> {
        if rows.rows() == 0 {
            return Ok(Vec::new());
        }
        let found = self.kernel.of.diagonal(&self.kernel.arguments(), rows)?;
        Error::unless_equal(&format!("values k(x, x) of {}", self.kernel.entry.name), rows.rows(), found.len())?;
        match found.iter().position(|v| !v.is_finite()) {
            Some(i) => Err(self.kernel.not_finite(i, i, found[i])),
            None => Ok(found),
        }
    }
}

impl Fixed for FixedFunction {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        // Values that mirror each other differ by no more than this share of the largest: by rounding.
        const MIRRORED: f64 = 1e-8;
        let mut found = self.kernel.between(&self.rows, &self.rows, control)?;
        let scale = found.data().iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        for i in 0..found.rows() {
            for j in 0..i {
                let (one, other) = (found[(i, j)], found[(j, i)]);
                if (one - other).abs() > MIRRORED * scale {
                    return Err(Error::Data(format!(
                        "{}: k(row {}, row {}) = {one} and k(row {}, row {}) = {other}; a kernel is symmetric",
                        self.kernel.entry.name,
                        i + 1,
                        j + 1,
                        j + 1,
                        i + 1
                    )));
                }
                found[(j, i)] = one;
            }
        }
        Ok(self.kernel.bound(Dense::square(found)?))
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let places: Vec<usize> = self.columns.iter().map(|column| column.place(new)).collect::<Result<_>>()?;
        let new = part(new, &places)?;
        let values = self.kernel.between(&new, &self.rows, control)?;
        let known = match self.squares.get() {
            Some(known) => known.clone(),
            None => {
                let found = self.squares(&self.rows)?;
                self.squares.get_or_init(|| found).clone()
            }
        };
        Ok(self.kernel.bound(Dense::cross(values, self.squares(&new)?, known)?))
    }
}

/// Values that are there already, of a kernel whose numbers move without a derivative.
struct HeldValues {
    values: Dense,
    parameters: usize,
}

of_held_values!(HeldValues, values, {
    fn structure(&self) -> Structure<'_> {
        self.values.structure()
    }
    fn among(&self, side: Side) -> Option<Box<dyn Gram + '_>> {
        self.values.among(side)
    }
});

impl Bound for HeldValues {
    fn parameters(&self) -> usize {
        self.parameters
    }
    fn gradient(&self, _: &PairWeights, _: &Control) -> Result<Vec<f64>> {
        Ok(vec![0.0; self.parameters])
    }
}

/// The defaults of a function, as they are written in expressions.
impl KernelEntry {
    /// What the lists say of a function: its name, a sentence, the columns that it takes, its parameters and their defaults.
    pub fn of_function(
        name: &'static str,
        doc: &'static str,
        takes: &'static str,
        as_is: bool,
        params: &'static [Param],
        defaults: &'static [&'static str],
    ) -> Self {
        let defaults = Defaults::Listed(defaults);
        KernelEntry { name, doc, source: "the program that registered it", takes, because: "", as_is, params, aliases: &[], defaults }
    }
}
