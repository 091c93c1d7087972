//! Estimators of a transformed target, `log_target(gp)`: any estimator of numbers, fitted to g(y), whose predictions are given in the unit
//! of y. Parameters, criteria, costs and facts are those of that estimator.

use super::any::DynEstimator;
use super::list::EstimatorExpr;
use crate::data::{Kind, Target};
use crate::error::{Error, Result};
use crate::estimators::targets::transformed::{FittedTransformed, Smearing, in_units};
use crate::estimators::{
    Costs, CountCurve, Criterion, CriterionName, EstimatorFacts, Fit, FitContext, Fitted, Gives, LeaveOneOut, Near, Needs, Predicted,
    Predictions, Query, Scores, Size, TargetTransform, Task, Want, When,
};
use crate::expr::{Argument, Short, Term};
use crate::linalg::Matrix;
use crate::param::{Domain, NumericSetting, Param, Value};
use serde::{Deserialize, Serialize};

/// What the lists, the help and the docs say of a transformation of the target.
#[derive(Clone, Copy, Debug)]
pub struct TargetTransformEntry {
    /// Name in expressions.
    pub name: &'static str,
    /// How it is written, of an estimator E.
    pub form: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Where the formulas stand.
    pub source: &'static str,
    /// Parameter records.
    pub params: &'static [Param],
}

/// Name of the estimator among the arguments.
const ESTIMATOR: &str = "estimator";
const SOURCE: &str = "Duan (1983), JASA 78, 605-610";
const SHIFT: Param = Param::fixed("shift", "what is added to the target before its logarithm is taken, in its unit", Domain::Real);
const POWER: Param = Param::fixed("power", "the power; below 1 for a target with a long tail above", Domain::PositiveFinite);

/// The transformations of a target that any estimator of numbers can be fitted under.
pub fn target_transforms() -> [TargetTransformEntry; 2] {
    [
        TargetTransformEntry {
            name: "log_target",
            form: "log_target(E, shift=0)",
            doc: "any estimator E of numbers, fitted to ln(y + shift): for a positive, skewed target; the prediction is the mean of y by Duan's smearing, an interval has the quantiles of y",
            source: SOURCE,
            params: &[SHIFT],
        },
        TargetTransformEntry {
            name: "power_target",
            form: "power_target(E, power=0.5)",
            doc: "any estimator E of numbers, fitted to y^power: for a skewed target of 0 and above; the prediction is the mean of y by Duan's smearing, an interval has the quantiles of y",
            source: SOURCE,
            params: &[POWER],
        },
    ]
}

impl TargetTransform {
    /// Name in expressions.
    pub fn name(self) -> &'static str {
        match self {
            TargetTransform::Log { .. } => "log_target",
            TargetTransform::Power { .. } => "power_target",
        }
    }

    /// The transformation of this name with its number, or the usual one.
    fn named(name: &str, number: Option<f64>) -> Self {
        match name {
            "log_target" => TargetTransform::Log { shift: number.unwrap_or(0.0) },
            _ => TargetTransform::Power { power: number.unwrap_or(0.5) },
        }
    }

    fn number(self) -> f64 {
        match self {
            TargetTransform::Log { shift } => shift,
            TargetTransform::Power { power } => power,
        }
    }
}

/// An estimator of numbers that is fitted to a transformed target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransformedTarget {
    /// The transformation g.
    pub transform: TargetTransform,
    /// What is fitted to g(y).
    pub estimator: Box<EstimatorExpr>,
}

/// The estimator of numbers fitted to ln(y + shift).
pub fn log_target(estimator: impl Into<EstimatorExpr>, shift: f64) -> TransformedTarget {
    TransformedTarget { transform: TargetTransform::Log { shift }, estimator: Box::new(estimator.into()) }
}

/// The estimator of numbers fitted to y^power.
pub fn power_target(estimator: impl Into<EstimatorExpr>, power: f64) -> TransformedTarget {
    TransformedTarget { transform: TargetTransform::Power { power }, estimator: Box::new(estimator.into()) }
}

impl From<TransformedTarget> for EstimatorExpr {
    fn from(estimator: TransformedTarget) -> Self {
        EstimatorExpr::TransformedTarget(estimator)
    }
}

impl TransformedTarget {
    /// What a call means; `None` of another name.
    pub(super) fn call(name: &str, args: &[Argument]) -> Option<Result<Self>> {
        let entry = target_transforms().into_iter().find(|entry| entry.name == name)?;
        Some(Self::build(&entry, args))
    }

    fn build(entry: &TargetTransformEntry, args: &[Argument]) -> Result<Self> {
        let (mut estimator, mut number) = (None, None);
        for (k, arg) in args.iter().enumerate() {
            let param = &entry.params[0];
            match arg.name.as_deref().or([ESTIMATOR, param.name].get(k).copied()) {
                Some(ESTIMATOR) if estimator.is_none() => estimator = Some(regressor(entry, &arg.term)?),
                Some(name) if name == param.name && number.is_none() => {
                    number = match Value::from_term(&arg.term, entry.name, name, param.domain)? {
                        Value::Number(x) => Some(x),
                        other => {
                            let domain = format!("one number, {}", param.domain);
                            return Err(Error::OutOfDomain {
                                owner: entry.name.into(),
                                name: name.into(),
                                value: other.to_string(),
                                domain,
                            });
                        }
                    }
                }
                _ => return Err(written(entry)),
            }
        }
        let estimator = Box::new(estimator.ok_or_else(|| written(entry))?);
        Ok(TransformedTarget { transform: TargetTransform::named(entry.name, number), estimator })
    }

    /// The transformed target; `rows`: the numbers, from 0, by which the user knows its rows.
    fn transformed(&self, target: &Target, rows: Option<&[usize]>) -> Result<Target> {
        let y = target.as_numbers(self.name())?;
        let outside = y.data().iter().position(|y| self.transform.forward(*y).is_none());
        if let Some(place) = outside {
            let (row, value) = (place / y.cols().max(1), y.data()[place]);
            return Err(self.outside(rows.map_or(row, |rows| rows[row]) + 1, value));
        }
        Ok(Target::Numbers(Matrix::from_fn(y.rows(), y.cols(), |i, o| self.transform.forward(y[(i, o)]).unwrap_or(f64::NAN))))
    }

    /// The refusal of a value that has no transformed one, with what takes it.
    fn outside(&self, row: usize, value: f64) -> Error {
        let (inner, value) = (&self.estimator, Short(value));
        let takes = match self.transform {
            TargetTransform::Log { shift } => format!("above {}", Short(0.0 - shift)),
            TargetTransform::Power { .. } => "of 0 and above".to_owned(),
        };
        let instead = if value.0 >= 0.0 { format!("power_target({inner}, power=0.5) takes 0 too, and so does ") } else { String::new() };
        let shifted = format!("log_target({inner}, shift=S) with S above {}", Short(0.0 - value.0));
        Error::Data(format!("row {row}: {} takes a target {takes}, and this one is {value}; {instead}{shifted}", self.name()))
    }

    /// An error where the target has no transformed one: see [`EstimatorExpr::require_in_domain`].
    pub(super) fn require_in_domain(&self, target: &Target, rows: &[usize]) -> Result<()> {
        self.transformed(target, Some(rows)).map(drop)
    }

    /// The task of the estimator that is fitted to the transformed target.
    fn with_task<R>(&self, task: &Task<'_>, work: impl FnOnce(&Task<'_>) -> Result<R>) -> Result<R> {
        let target = self.transformed(task.target, None)?;
        work(&Task { target: &target, ..*task })
    }

    /// Fits, with residuals of rows that are left out where there is a closed form for any row, else of the training rows.
    pub(super) fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, FittedTransformed>) -> Result<Fit<FittedTransformed>> {
        self.with_task(task, |task| {
            let fit = self.estimator.fit_with(task, &context.map(|earlier| Some(earlier.fitted())))?;
            let fitted = &fit.fitted;
            let left_out = if context.hold.frees_rows() { left_out(&self.estimator, task)? } else { None };
            let all: Vec<usize> = (0..task.rows()).collect();
            let found = match left_out {
                Some(found) => found,
                None => fitted.predict(&Query::of(task.view.part(&all, fitted.support()).view(), Want::default(), task.control))?,
            };
            let smearing = self.smearing(task, &found)?;
            Ok(fit.map(|fitted| FittedTransformed { fitted: Box::new(fitted), transform: self.transform, smearing }))
        })
    }

    /// Residuals of predictions of the training rows, for each output.
    fn smearing(&self, task: &Task<'_>, found: &Predictions) -> Result<Vec<Smearing>> {
        let (t, f) = (task.target.as_numbers(self.name())?, found.numbers().unwrap_or_default());
        Error::unless_equal("predictions of training rows", t.data().len(), f.len())?;
        let total: f64 = task.all_weights().iter().sum();
        let of_output = |o: usize| {
            let residual = |i: usize| (t[(i, o)] - f[i * t.cols() + o], task.weight(i));
            let middle = (0..t.rows()).map(|i| task.weight(i) / total * t[(i, o)]).sum();
            Smearing::of(self.transform, (0..t.rows()).map(residual).collect(), middle)
        };
        Ok((0..t.cols()).map(of_output).collect())
    }
}

/// Predictions of each training row without it, where there is a closed form and all of them are finite.
fn left_out(estimator: &EstimatorExpr, task: &Task<'_>) -> Result<Option<Predictions>> {
    if !estimator.gives().leave_one_out.is_closed_form() {
        return Ok(None);
    }
    match estimator.leave_one_out(task) {
        Ok(found) => Ok(found.filter(|p| p.numbers().is_some_and(|f| f.iter().all(|f| f.is_finite())))),
        Err(error) if error.ends_all() => Err(error),
        Err(_) => Ok(None),
    }
}

/// How such an estimator is written.
fn written(entry: &TargetTransformEntry) -> Error {
    Error::Setting { name: entry.name.into(), why: format!("it is written {}, with an estimator E of numbers such as ridge", entry.form) }
}

/// An estimator of numbers as it stands among the arguments.
fn regressor(entry: &TargetTransformEntry, term: &Term) -> Result<EstimatorExpr> {
    let made = EstimatorExpr::of_term("", term, 0)?;
    let why = match &made {
        EstimatorExpr::TransformedTarget(inner) => {
            format!("it takes an estimator, and {} is a transformation; write one of them", inner.name())
        }
        other if !other.kinds().contains(&Kind::Numbers) => format!("it takes an estimator of numbers, and {} predicts none", other.name()),
        _ => return Ok(made),
    };
    Err(Error::Setting { name: entry.name.into(), why })
}

impl DynEstimator for TransformedTarget {
    fn name(&self) -> &'static str {
        self.transform.name()
    }
    fn criterion_name(&self) -> Option<CriterionName> {
        self.estimator.criterion_name()
    }
    fn criterion_for_display(&self, value: f64) -> f64 {
        self.estimator.criterion_for_display(value)
    }
    fn facts(&self) -> EstimatorFacts {
        self.estimator.facts()
    }
    fn gives(&self) -> Gives {
        let gives = self.estimator.gives();
        let leave_one_out = if gives.leave_one_out.is_closed_form() { gives.leave_one_out } else { LeaveOneOut::None };
        Gives { scores: Scores::None, probabilities: When::Never, calibrated: When::Never, leave_one_out, ..gives }
    }
    fn needs(&self) -> Needs {
        self.estimator.needs()
    }
    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Numbers]
    }
    /// Residuals take another factor and its inverse, or predictions of all rows.
    fn costs(&self, size: Size) -> Costs {
        let costs = self.estimator.costs(size);
        let has_closed_form = self.estimator.gives().leave_one_out.is_closed_form();
        let [values, fit] = match has_closed_form {
            true => [costs.criterion_values, costs.criterion],
            false => [costs.prediction_values, costs.prediction].map(|one| one * size.rows as f64),
        };
        Costs { values: costs.values + values, fit: costs.fit + fit, ..costs }
    }
    fn uses(&self, param: &str, target: Kind) -> bool {
        self.estimator.uses(param, target)
    }
    fn term(&self) -> Term {
        let number = self.transform.number();
        let given = (TargetTransform::named(self.name(), None) != self.transform).then(|| self.terms()[1].0);
        let number = given.map(|name| Argument { name: Some(name.to_owned()), term: Term::Number(number) });
        let inner = Argument { name: None, term: self.estimator.term() };
        Term::Call { name: self.name().to_owned(), args: std::iter::once(inner).chain(number).collect(), at: 0 }
    }
    /// Its own, and those of the estimator that it holds.
    fn terms(&self) -> Vec<(&'static str, Term)> {
        let param = match self.transform {
            TargetTransform::Log { .. } => SHIFT.name,
            TargetTransform::Power { .. } => POWER.name,
        };
        let own = [(ESTIMATOR, self.estimator.term()), (param, Term::Number(self.transform.number()))];
        own.into_iter().chain(self.estimator.terms()).collect()
    }
    fn values(&self) -> Vec<NumericSetting> {
        self.estimator.values()
    }
    fn require_settled(&self) -> Result<()> {
        self.estimator.require_settled()
    }
    fn set(&mut self, path: &str, value: &Value) -> Result<()> {
        self.estimator.set(path, value)
    }
    fn set_word(&mut self, name: &str, word: &str) -> Result<()> {
        self.estimator.set_word(name, word)
    }
    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64> {
        self.with_task(task, |task| self.estimator.start(param, task))
    }
    fn amplitude(&self, target: &Target, weights: Option<&[f64]>) -> f64 {
        self.transformed(target, None).map_or(1.0, |target| self.estimator.amplitude(&target, weights))
    }
    fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        self.with_task(task, |task| self.estimator.criterion(task))
    }
    fn criterion_near(&self, task: &Task<'_>, last: Option<&Near>) -> Result<(Criterion, Option<Near>)> {
        self.with_task(task, |task| self.estimator.criterion_near(task, last))
    }
    fn criterion_along(&self, param: &str, values: &[f64], task: &Task<'_>) -> Result<Option<Vec<f64>>> {
        self.with_task(task, |task| self.estimator.criterion_along(param, values, task))
    }
    fn component_variances(&self, _task: &Task<'_>, _most: usize) -> Result<Option<(&'static str, Vec<f64>)>> {
        Ok(None)
    }
    fn counts(&self, _task: &Task<'_>, _most: usize) -> Result<Option<CountCurve>> {
        Ok(None)
    }
    /// By residuals of rows that are left out; that of a row takes no part in its own mean: g^-1(f + e) is y itself.
    fn leave_one_out(&self, task: &Task<'_>) -> Result<Option<Predictions>> {
        let made = self.with_task(task, |inner| {
            let Some(found) = left_out(&self.estimator, inner)? else { return Ok(None) };
            let smearing = self.smearing(inner, &found)?;
            in_units(self.transform, &smearing, found, Want { variance: true, ..Want::default() }).map(Some)
        })?;
        let (Some(mut found), y) = (made, task.target.as_numbers(self.name())?) else { return Ok(None) };
        if let Predicted::Numbers(means) = &mut found.values {
            let total: f64 = task.all_weights().iter().sum();
            let without = |mean: f64, i: usize, o: usize| (total * mean - task.weight(i) * y[(i, o)]) / (total - task.weight(i));
            *means = Matrix::from_fn(means.rows(), means.cols(), |i, o| without(means[(i, o)], i, o));
        }
        Ok(Some(found))
    }
}
