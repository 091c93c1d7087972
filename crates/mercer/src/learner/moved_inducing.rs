//! A Gaussian process whose inducing rows become inputs of their own: see `select::move_inducing`.

use super::Model;
use crate::control::{Control, contain};
use crate::data::{Examples, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Fitted, FittedModel, Task, View};
use crate::gram::Subset;
use crate::kernels::KernelExpr;
use crate::select::{MovedInducing, move_inducing};

impl Model {
    /// The model of `gp(inducing=m)` with inducing inputs that are no training rows any more but stand where the bound on the evidence is
    /// greater, and with all that was open in the kernel, the noise and the variance once more. `examples`: as they were given to the fit. The inputs are moved on 16 m of the rows at most; the fit takes all. It has no conformity scores.
    ///
    /// # Errors
    /// Another estimator, or inputs that were moved before; a kernel without a derivative in its inputs; other rows than those of the fit;
    /// bounds of `control`, of which the steps take four fifths of the time.
    pub fn move_inducing(&self, examples: &Examples<'_>, control: &Control) -> Result<Model> {
        // The share of the time for the steps; the rest is for the fit.
        const STEPS_SHARE: f64 = 0.8;
        if !matches!(&self.estimator, EstimatorExpr::Gp(gp) if gp.has_inducing_rows()) {
            let why = format!("{} has no inducing rows to move; fit gp(inducing=500)", self.estimator);
            return Err(Error::Setting { name: "inducing".into(), why });
        }
        let support = self.fitted.support();
        if support.iter().any(|i| *i >= self.about.rows) {
            return Err(Error::Data("the inducing inputs were moved already; fit once more to move them from training rows".into()));
        }
        contain(format_args!("moving inducing inputs"), || {
            Error::unless_equal("training rows given once more", examples.target.rows(), examples.rows())?;
            let used = examples.select(&self.training_rows(examples.rows())?);
            let data = self.prep.apply(&used.data)?;
            let all = Examples { data: &data, ..used.examples() };
            let asked = (KernelExpr::parse(&self.about.asked_kernel)?, EstimatorExpr::parse(&self.about.asked_estimator)?);
            let found = self.moved(&all, (&asked.0, &asked.1), &control.share(STEPS_SHARE))?;
            self.fitted_through(found, &all, control)
        })
    }

    /// The inputs, moved on a part of the rows in which they stand themselves.
    fn moved(&self, all: &Examples<'_>, open: (&KernelExpr, &EstimatorExpr), control: &Control) -> Result<MovedInducing> {
        // Training rows for each inducing input: a step costs so many times m^3 operations, and the fit takes all rows.
        const ROWS_EACH: usize = 16;
        let (chosen, seed) = (self.fitted.support(), self.about.seed);
        let mut rows = some_rows_of(all.target, ROWS_EACH * chosen.len(), seed);
        rows.extend(chosen);
        rows.sort_unstable();
        rows.dedup();
        let places: Vec<usize> = chosen.iter().filter_map(|row| rows.binary_search(row).ok()).collect();
        let part = all.select(&rows);
        move_inducing(open, (self.kernel.expr(), &self.estimator), &places, &part.examples(), control, seed)
    }

    /// The fit of all rows.
    fn fitted_through(&self, found: MovedInducing, all: &Examples<'_>, control: &Control) -> Result<Model> {
        let MovedInducing { kernel, gp, inputs } = found;
        let n = all.rows();
        let kernel = kernel.learn(all.data, all.weights, control)?;
        let rows = all.data.select(&(0..n).chain(std::iter::repeat_n(0, inputs.rows())).collect::<Vec<_>>());
        let rows = rows.with_last_numbers(&inputs.numbers())?;
        let among = kernel.gram(&rows, control)?;
        let training: Vec<usize> = (0..n).collect();
        let view = Subset::new(among.as_ref(), &training, &training);
        let task = Task { view: View::Values(&view), target: all.target, weights: all.weights, control, seed: self.about.seed };
        let fitted = FittedModel::Gp(gp.fit_behind(among.as_ref(), &task)?);
        let support = inputs.into();
        Ok(Model { kernel, estimator: gp.into(), support, fitted, conformal: None, ..self.clone() })
    }
}
