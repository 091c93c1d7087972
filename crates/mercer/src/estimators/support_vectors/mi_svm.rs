//! mi-SVM: a support vector machine of the vectors of sets whose classes are unknown (Andrews, Tsochantaridis & Hofmann, Support vector
//! machines for multiple-instance learning, 2002, section 3.1).
//!
//! A set is of the positive class where one of its vectors is, at least:
//!
//! ```text
//! minimise  over t, w, b:  1/2 |w|^2 + sum_i C_i max(0, 1 - t_i f(x_i)),     f(x) = w'phi(x) + b
//! where t_i = -1 in every other set, and some t_i = 1 in every positive one
//! ```
//!
//! Machines and classes of vectors take turns: each lowers the objective, until no class changes. A set scores as its greatest vector. Of
//! more than two classes each has a machine against the others.

use super::svm;
use crate::data::{Kind, Target, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::contract::answer::CALIBRATED;
use crate::estimators::targets::class_scores::ClassScores;
use crate::estimators::{
    Answer, ClassWeight, Costs, Estimator, Expansion, Fit, FitContext, Fitted, FittedSvc, Gives, Needs, Predictions, Query, Scores, Size,
    Summary, Svc, Task, View, ViewKind, When,
};
use crate::gram::{Dense, Gram, SetVectors, Subset};
use crate::linalg::{Matrix, argmax};
use crate::param::{Value, require_settled};
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// Turns that a fit takes, as a rule.
const TYPICAL_ROUNDS: f64 = 6.0;

/// mi-SVM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct MiSvm {
    /// penalty C on margin violations of a vector
    #[param(domain = Positive, search = 1e3)]
    pub c: Value,
    /// Of two classes the one that a set is of where one of its vectors is.
    #[param(doc = "of two classes the one that a set is of where one of its vectors is, such as [1]; []: the last")]
    pub positive: Vec<String>,
    /// none: vectors count by the weights of their sets; balanced: both classes of vectors have equal total weight
    pub class_weight: ClassWeight,
    /// greatest violation of the optimality conditions, in units of the decision value, and greatest relative duality gap
    #[param(default = 1e-3, domain = Fraction)]
    pub tolerance: Value,
    /// most machines that are fitted in turn
    // Classes of vectors settle within ten, as a rule.
    #[param(default = 50.0, domain = Integer(1, 10_000))]
    pub rounds: Value,
    /// Whether to fit probabilities of the classes too.
    #[param(doc = CALIBRATED)]
    pub probabilities: bool,
}

/// Sets, with one class that is positive.
struct Bags<'a> {
    vectors: &'a dyn Gram,
    starts: &'a [usize],
    /// Which of them are of the positive class.
    positive: Vec<bool>,
}

/// The place of the greatest value, the first of equal ones.
fn greatest(values: &[f64]) -> Option<usize> {
    (!values.is_empty()).then(|| argmax(values))
}

impl Bags<'_> {
    fn range(&self, bag: usize) -> std::ops::Range<usize> {
        self.starts[bag]..self.starts[bag + 1]
    }

    /// What holds of its set, for each vector.
    fn each<T: Copy>(&self, of: impl Fn(usize) -> T) -> Vec<T> {
        (0..self.positive.len()).flat_map(|bag| std::iter::repeat_n(of(bag), self.range(bag).len())).collect()
    }

    /// Classes of vectors by their decision values: in a positive set the sign, and 1 for the greatest where no sign is.
    fn classes(&self, values: &[f64]) -> Vec<usize> {
        let mut codes = vec![0; values.len()];
        for bag in (0..self.positive.len()).filter(|&bag| self.positive[bag]) {
            let range = self.range(bag);
            range.clone().for_each(|i| codes[i] = usize::from(values[i] > 0.0));
            if let Some(best) = greatest(&values[range.clone()]) {
                codes[range.start + best] = 1;
            }
        }
        codes
    }
}

/// The machine as a start for other classes of vectors: those that changed their class start from 0, and the greater side shrinks until
/// the coefficients sum to 0 again.
fn restarted(machine: &FittedSvc, changed: &[bool]) -> FittedSvc {
    let mut start = machine.clone();
    let Expansion { support, coef, .. } = &mut start.expansion;
    support.iter().enumerate().filter(|(_, i)| changed[**i]).for_each(|(s, _)| coef[(s, 0)] = 0.0);
    let side = |above: bool| coef.data().iter().filter(|c| (**c > 0.0) == above).map(|c| c.abs()).sum::<f64>();
    let (plus, minus) = (side(true), side(false));
    let share = |c: f64| if c > 0.0 { (minus / plus).min(1.0) } else { (plus / minus).min(1.0) };
    coef.data_mut().iter_mut().filter(|c| **c != 0.0).for_each(|c| *c *= share(*c));
    start
}

impl Estimator for MiSvm {
    const NAME: &'static str = "mi_svm";
    const DOC: &'static str =
        "multiple-instance support vector machine: a set is of a class where one of its vectors is, and which one is found";
    const TAKES: &'static [Kind] = &[Kind::Classes];
    type Fitted = FittedMiSvm;

    fn gives(&self) -> Gives {
        Gives { scores: Scores::Classes, probabilities: When::If("probabilities"), calibrated: When::If("probabilities"), ..Gives::VALUES }
    }
    fn needs(&self) -> Needs {
        Needs::Vectors
    }

    /// A machine of the vectors in each turn, for each class of more than two. The kernel of sets tells how many pairs of them there are; each is a pair of rows there.
    fn costs(&self, size: Size) -> Costs {
        let machines = if size.outputs > 2 { size.outputs as f64 } else { 1.0 };
        let pairs = (size.per_value / Size::PER_VALUE).max(1.0);
        let vectors =
            Size { rows: (size.rows as f64 * pairs.sqrt()) as usize, outputs: 2, rank: None, stored: None, per_value: 1.0, ..size };
        let machine = svm::costs(vectors, (1, vectors.rows), &Value::Number(svm::CACHE_MB), 20.0);
        Costs {
            values: size.rows as f64 * size.rows as f64,
            fit: TYPICAL_ROUNDS * machine.fit * machines,
            prediction_values: size.rows as f64,
            prediction: machine.prediction,
            ..machine
        }
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedMiSvm>) -> Result<Fit<FittedMiSvm>> {
        require_settled(self, Self::NAME)?;
        let (codes, names) = task.target.as_classes(Self::NAME)?;
        let classes = ClassScores::present_in(task, Self::NAME)?;
        let positive = self.positive_classes(classes.present(), names)?;
        let SetVectors { values: vectors, rows: starts, .. } = task.view.vectors(Self::NAME)?;
        let count = vectors.shape().0;
        let held = (8 * (count as u64).pow(2) <= task.control.allowed() / 2).then(|| Dense::of(vectors, task.control)).transpose()?;
        let gram = held.as_ref().map_or(vectors, |held| held as &dyn Gram);
        let mut machines = Vec::new();
        for &class in &positive {
            let bags = Bags { vectors: gram, starts, positive: codes.iter().map(|&k| k == class).collect() };
            machines.push(self.turns(&bags, &names[class], task)?);
        }
        let columns: Vec<Vec<(usize, f64)>> = machines.iter().map(|machine| coefficients(&machine.expansion)).collect();
        let all = svm::expansion(count, &columns, machines.iter().map(|machine| machine.expansion.bias[0]).collect());
        let summary = joined(machines);
        let (bags, support) = of_bags(&all.support, starts);
        let vectors = Expansion { support, ..all };
        Ok(FittedMiSvm { bags, vectors, positive_last: positive.last() == classes.present().last(), classes, summary }.into())
    }
}

/// The coefficients of a machine by vector.
fn coefficients(expansion: &Expansion) -> Vec<(usize, f64)> {
    expansion.support.iter().copied().zip(expansion.coef.col(0)).collect()
}

/// One summary of several machines.
fn joined(machines: Vec<Machine>) -> Summary {
    let worst = |s: &Summary| s.certificate.as_ref().map_or(0.0, |c| c.value);
    let mut joined = Summary { converged: true, violation: Some(0.0), objective: Some(0.0), ..Summary::default() };
    for Machine { summary, .. } in machines {
        joined.iterations += summary.iterations;
        joined.converged &= summary.converged;
        joined.objective = joined.objective.zip(summary.objective).map(|(a, b)| a + b);
        joined.violation = joined.violation.zip(summary.violation).map(|(a, b)| a.max(b));
        joined.notes.extend(summary.notes.clone());
        if joined.certificate.is_none() || worst(&summary) > worst(&joined) {
            joined.certificate = summary.certificate;
        }
    }
    joined
}

/// The sets of some vectors, and the places of these among all vectors of those sets.
fn of_bags(vectors: &[usize], starts: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut taken = vectors.iter().copied().peekable();
    let (mut bags, mut places, mut passed) = (Vec::new(), Vec::new(), 0);
    for bag in 0..starts.len() - 1 {
        let (range, before) = (starts[bag]..starts[bag + 1], places.len());
        while let Some(i) = taken.next_if(|i| range.contains(i)) {
            places.push(passed + i - range.start);
        }
        if places.len() > before {
            bags.push(bag);
            passed += range.len();
        }
    }
    (bags, places)
}

/// The last machine of one class.
struct Machine {
    expansion: Expansion,
    summary: Summary,
}

impl MiSvm {
    /// The codes of the classes that have a machine: the positive one of two, or all.
    fn positive_classes(&self, present: &[usize], names: &[String]) -> Result<Vec<usize>> {
        match (present, &self.positive[..]) {
            ([_, last], []) => Ok(vec![*last]),
            ([_, _], [name]) => {
                let known = present.iter().map(|&k| names[k].as_str());
                // A number may be written otherwise than the class that it names.
                let is_named = |k: usize| names[k].parse::<f64>().ok().zip(name.parse::<f64>().ok()).is_some_and(|(a, b)| a == b);
                let found = present.iter().copied().find(|&k| names[k] == *name).or_else(|| present.iter().copied().find(|&k| is_named(k)));
                found.map(|k| vec![k]).ok_or_else(|| Error::unknown("class", name, known))
            }
            (several, []) => Ok(several.to_vec()),
            (_, named) => {
                let why =
                    format!("of two classes one is positive, of more each is; found {} named of {} classes", named.len(), present.len());
                Err(Error::Setting { name: format!("{}: positive", Self::NAME), why })
            }
        }
    }

    /// Machines and classes of vectors in turn, for a class of this name.
    fn turns(&self, bags: &Bags<'_>, name: &str, task: &Task<'_>) -> Result<Machine> {
        // At first every vector of a positive set is of its class.
        let mut labels = bags.each(|bag| usize::from(bags.positive[bag]));
        let vectors = labels.iter().sum::<usize>();
        if vectors == 0 || vectors == labels.len() {
            let which = if vectors == 0 { format!("of class '{name}'") } else { format!("that is not of class '{name}'") };
            return Err(Error::Data(format!("{}: every set {which} is empty; it learns from vectors", Self::NAME)));
        }
        let weights = task.weights.map(|w| bags.each(|bag| w[bag]));
        let svc = Svc { c: self.c.clone(), tolerance: self.tolerance.clone(), class_weight: self.class_weight, ..Svc::default() };
        let (all, most): (Vec<usize>, usize) = ((0..labels.len()).collect(), self.rounds.integer());
        let (mut start, mut round): (Option<FittedSvc>, usize) = (None, 0);
        loop {
            round += 1;
            task.control.tell(&format!("machines of the vectors of '{name}'"), round - 1, most);
            let target = Target::Classes { codes: labels.clone(), names: vec!["other".into(), name.into()] };
            let context = FitContext { earlier: start.as_ref(), ..FitContext::default() };
            let of_vectors = Task { view: View::Values(bags.vectors), target: &target, weights: weights.as_deref(), ..*task };
            let machine = svc.fit_with(&of_vectors, &context)?.fitted;
            let support = Subset::new(bags.vectors, &all, &machine.expansion.support);
            let next = bags.classes(&machine.expansion.predict(&support, task.control)?.into_data());
            let settled = next == labels;
            let out_of_time = task.control.out_of_time();
            if settled || round >= most || out_of_time {
                let mut summary = machine.summary().clone();
                let found = labels.iter().sum::<usize>();
                summary.notes.insert(
                    0,
                    format!("{round} machines in turn: {found} of the {vectors} vectors in sets of '{name}' are taken to be of it"),
                );
                if !settled {
                    summary.converged = false;
                    let more = if out_of_time { "time" } else { "rounds" };
                    summary.notes.push(format!("classes of vectors still changed after {round} rounds; allow more {more}"));
                }
                return Ok(Machine { expansion: machine.expansion, summary });
            }
            let changed: Vec<bool> = next.iter().zip(&labels).map(|(a, b)| a != b).collect();
            start = Some(restarted(&machine, &changed));
            labels = next;
        }
    }
}

/// A fitted mi-SVM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedMiSvm {
    /// Sets with a vector of which the coefficient is not 0.
    #[serde(with = "crate::blocks::usizes")]
    bags: Vec<usize>,
    /// Over the vectors of these sets, one set after the other.
    pub vectors: Expansion,
    /// Whether the positive class is the second of the two.
    positive_last: bool,
    classes: ClassScores,
    summary: Summary,
}

impl Fitted for FittedMiSvm {
    fn support(&self) -> &[usize] {
        &self.bags
    }
    fn reads(&self) -> ViewKind {
        ViewKind::Vectors
    }
    /// The score of a set is the greatest decision value of its vectors, that of an empty one -1; above 0 for the class of the second name.
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        self.classes.check(self.vectors.bias.len())?;
        let SetVectors { values: vectors, rows: starts, .. } = query.view.vectors(MiSvm::NAME)?;
        if let Some(place) = self.vectors.support.last().filter(|place| **place >= vectors.shape().1) {
            return Err(Error::Shape {
                what: "vectors of the sets that a model keeps".into(),
                expected: place + 1,
                found: vectors.shape().1,
            });
        }
        let all: Vec<usize> = (0..vectors.shape().0).collect();
        let values = self.vectors.predict(&Subset::new(vectors, &all, &self.vectors.support), query.control)?;
        let sign = if self.positive_last { 1.0 } else { -1.0 };
        let latent = Matrix::from_fn(starts.len() - 1, values.cols(), |set, o| {
            let most = (starts[set]..starts[set + 1]).map(|i| values[(i, o)]).reduce(f64::max);
            sign * most.unwrap_or(-1.0)
        });
        let found = self.classes.predictions(latent.clone(), self.classes.probabilities(&latent), query.want);
        Ok(Predictions { probabilities: None, ..found })
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, Some(self.classes.classes))
    }
}
