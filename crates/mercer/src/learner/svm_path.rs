//! The path of a two-class support vector machine over all penalties C, on a table: rows are prepared, the kernel is settled and learns from
//! them, weights of rows and classes bound the coefficients as in `svc`, and folds tell the error on held-out rows by C.

use crate::control::Control;
use crate::data::{Dataset, Examples, Target, folds};
use crate::error::{Error, Result};
use crate::estimators::{ClassWeight, EstimatorExpr, Svc};
use crate::fitting::{Prepared, Used, prepare_to_fit, require_similarity};
use crate::gram::{self, dot};
use crate::kernels::{FittedKernel, KernelExpr, Support};
use crate::linalg::Matrix;
use crate::notice::Notice;
use crate::prep;
use crate::solve::path::SvmPath;

/// What a path is asked for.
#[derive(Clone, Debug)]
pub struct PathSettings {
    /// How columns become inputs.
    pub prep: prep::Recipe,
    /// The kernel; `None`: made from the column types.
    pub kernel: Option<KernelExpr>,
    /// Weights of the classes.
    pub class_weight: ClassWeight,
    /// The greatest C; infinity for the whole path.
    pub most_c: f64,
    /// Folds for the error on held-out rows, as far as each class has rows for them; 0: none.
    pub folds: usize,
    /// Seed of the folds.
    pub seed: u64,
}

impl Default for PathSettings {
    fn default() -> Self {
        PathSettings {
            prep: prep::Recipe::default(),
            kernel: None,
            class_weight: ClassWeight::None,
            most_c: f64::INFINITY,
            folds: 0,
            seed: 0,
        }
    }
}

/// The path on a table, with what new rows need.
#[derive(Debug)]
pub struct TablePath {
    /// The path of the rows that take part.
    pub path: SvmPath,
    /// The rows of the table that take part, ascending.
    pub rows: Vec<usize>,
    /// The two classes with their numbers of rows; decision values above 0 are for the second.
    pub classes: [(String, usize); 2],
    /// The number of folds, 0 where there are none.
    pub folds: usize,
    /// C and the weighted share of misclassified held-out rows, by ascending C; empty without folds.
    pub held_out: Vec<(f64, f64)>,
    /// What the user should know.
    pub notices: Vec<Notice>,
    kernel: FittedKernel,
    prep: prep::Fitted,
    support: Support,
}

impl TablePath {
    /// The path of the rows of a table with a target of two classes. Under a stop or a time limit it is the part until then.
    ///
    /// # Errors
    /// A target that is not of two classes, what preparing refuses, a kernel that is not Mercer, memory, time before the first breakpoint.
    pub fn of(examples: &Examples<'_>, settings: &PathSettings, control: &Control) -> Result<Self> {
        let Used { rows, mut notices } = Used::of(&settings.prep, examples.data, examples.target, examples.weights)?;
        let used = examples.select(&rows);
        let (codes, names) = used.target.as_classes("path")?;
        let counts = counts(codes, names)?;
        let machine = EstimatorExpr::from(Svc::default());
        let prepared = prepare_to_fit(&settings.prep, settings.kernel.as_ref(), &machine, &used.data, used.weights.as_deref())?;
        notices.extend(prepared.notices.iter().cloned());
        require_similarity(&prepared.kernel, &machine, &prepared.data, false, control).map_err(not_mercer)?;
        let settled = prepared.kernel.settle_weighed(&prepared.data, used.weights.as_deref())?;
        let whole = PathRows { data: &prepared.data, codes, weights: used.weights.as_deref(), second: counts[1].0 };
        let (path, kernel) = whole.path(&settled, settings, control)?;
        let least = counts.iter().map(|(_, count)| *count).min().unwrap_or(0);
        let count = if settings.folds.min(least) < 2 { 0 } else { settings.folds.min(least) };
        let held_out = match count {
            0 => Vec::new(),
            _ => held_out(&used.examples(), (&prepared, &settled, counts[1].0), &path, (count, settings), control)?,
        };
        notices.extend(kernel.notices());
        let classes = counts.map(|(code, count)| (names[code].clone(), count));
        let support = prepared.data.as_items().into();
        let folds = if held_out.is_empty() { 0 } else { count };
        Ok(TablePath { path, rows, classes, folds, held_out, notices, kernel, prep: prepared.prep, support })
    }

    /// The kernel, settled.
    pub fn kernel(&self) -> &KernelExpr {
        self.kernel.expr()
    }

    /// f of new rows at some penalties, rows x penalties; kernel values are computed once.
    ///
    /// # Errors
    /// A C that the path does not cover, rows with other columns.
    pub fn decision_function(&self, data: &Dataset, penalties: &[f64], control: &Control) -> Result<Matrix> {
        let points = penalties.iter().map(|c| self.path.at(*c)).collect::<Result<Vec<_>>>()?;
        let cross = self.support.reference(&self.kernel, control)?.cross(&self.prep.apply(data)?, control)?;
        control.plan("kernel values of new rows", 8 * (data.rows() * self.rows.len()) as u64)?;
        let k = gram::dense(cross.as_ref(), control)?;
        Ok(Matrix::from_fn(k.rows(), points.len(), |i, c| dot(k.row(i), &points[c].coef) + points[c].intercept))
    }
}

/// The error of a kernel that is not Mercer, with what can be done here: a path turns where f of a row reaches its margin, and under an
/// indefinite matrix f moves the wrong way.
fn not_mercer(error: Error) -> Error {
    let Error::NotMercer { kernel, why, .. } = error else { return error };
    let why = format!(
        "a path needs a Mercer kernel and {kernel} is not one: {why}; use a Mercer kernel, or repair this one on the training rows: clip({kernel})"
    );
    Error::Setting { name: "kernel".into(), why }
}

/// The codes of the two classes that have rows, each with their number.
fn counts(codes: &[usize], names: &[String]) -> Result<[(usize, usize); 2]> {
    let mut counts = vec![0; names.len()];
    codes.iter().for_each(|&code| counts[code] += 1);
    let present: Vec<(usize, usize)> = counts.into_iter().enumerate().filter(|(_, count)| *count > 0).collect();
    present.try_into().map_err(|present: Vec<_>| {
        Error::Data(format!(
            "a path is of two classes, and the target has {}; leave rows of the others out, or make them one class",
            present.len()
        ))
    })
}

/// Prepared rows with their classes.
struct PathRows<'a> {
    data: &'a Dataset,
    codes: &'a [usize],
    weights: Option<&'a [f64]>,
    /// The code of the class of positive decision values.
    second: usize,
}

impl PathRows<'_> {
    fn path(&self, kernel: &KernelExpr, settings: &PathSettings, control: &Control) -> Result<(SvmPath, FittedKernel)> {
        let n = self.data.rows();
        control.plan("the kernel matrix of a path", 8 * (n * n) as u64)?;
        let kernel = kernel.learn(self.data, self.weights, control)?;
        let matrix = gram::dense(kernel.gram(self.data, control)?.as_ref(), control)?;
        let positive: Vec<bool> = self.codes.iter().map(|code| *code == self.second).collect();
        let own = |i: usize| self.weights.map_or(1.0, |w| w[i]);
        let mut mass = [0.0; 2];
        (0..n).for_each(|i| mass[usize::from(positive[i])] += own(i));
        let factors = settings.class_weight.factors(&mass);
        let weights: Vec<f64> = (0..n).map(|i| own(i) * factors[usize::from(positive[i])]).collect();
        Ok((SvmPath::new(matrix, &positive, &weights, settings.most_c, control)?, kernel))
    }
}

/// The error on held-out rows, at values of C along the path that every fold reaches; none where the time is up before all folds are.
fn held_out(
    examples: &Examples<'_>,
    (prepared, kernel, second): (&Prepared, &KernelExpr, usize),
    path: &SvmPath,
    (count, settings): (usize, &PathSettings),
    control: &Control,
) -> Result<Vec<(f64, f64)>> {
    // Values of C, from half of the first breakpoint to the last.
    const PLACES: usize = 64;
    let breaks = path.breakpoints();
    let (Some(first), Some(last)) = (breaks.first(), breaks.last()) else { return Ok(Vec::new()) };
    let (low, high) = (0.5 * first.c, last.c);
    let mut places: Vec<f64> = (0..PLACES).map(|k| low * (high / low).powf(k as f64 / (PLACES - 1) as f64)).collect();
    let (mut wrong, mut total) = (vec![0.0; PLACES], 0.0);
    for (done, fold) in folds(examples.target, examples.split, count, settings.seed)?.into_iter().enumerate() {
        control.tell("folds", done, count);
        if control.out_of_time() {
            return Ok(Vec::new());
        }
        let (train, test) = (examples.select(&fold.train), examples.select(&fold.test));
        let fitted = prepared.again(&train.data, train.weights.as_deref())?;
        let (Target::Classes { codes, .. }, Target::Classes { codes: truth, .. }) = (&train.target, &test.target) else {
            return Ok(Vec::new());
        };
        let rows = PathRows { data: &fitted.data, codes, weights: train.weights.as_deref(), second };
        let (path, kernel) = rows.path(kernel, settings, control)?;
        places.retain(|c| *c <= path.most_c());
        let cross = kernel.reference(&fitted.data, control)?.cross(&fitted.prep.apply(&test.data)?, control)?;
        let k: Matrix = gram::dense(cross.as_ref(), control)?;
        let weight = |i: usize| test.weights.as_ref().map_or(1.0, |w| w[i]);
        total += (0..truth.len()).map(weight).sum::<f64>();
        for (c, wrong) in places.iter().zip(&mut wrong) {
            let point = path.at(*c)?;
            let misses = |i: &usize| (dot(k.row(*i), &point.coef) + point.intercept > 0.0) != (truth[*i] == second);
            *wrong += (0..truth.len()).filter(misses).map(weight).sum::<f64>();
        }
    }
    Ok(places.into_iter().zip(wrong).map(|(c, wrong)| (c, wrong / total)).collect())
}
