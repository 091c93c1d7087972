//! What a fit may use besides its task, and what it gives besides the fitted model.

use crate::error::{Error, Result};
use crate::estimators::{HeldOut, HoldOut, WarmStart};

/// What a fit may use besides its task. A method that has no use for it ignores it, and finds the same solution to its tolerance.
pub struct FitContext<'a, F> {
    /// A fit to the same task with other parameters, to start from: along a path of penalties this takes a fraction of the steps.
    pub earlier: Option<&'a F>,
    /// The warm start that `earlier` came with.
    pub warm: Option<&'a WarmStart>,
    /// How rows that the fit itself holds out are held out.
    pub hold: HoldOut<'a>,
    /// Whether scores of training rows by fits without them are wanted, from which probabilities are calibrated. A method gives them where
    /// the two are cheaper together; otherwise they come from closed forms or folds.
    pub wants_scores: bool,
    /// The first rows of the task are those that `earlier` keeps, and the others are new: it continues with these. Only for a method whose
    /// [`EstimatorFacts::learns_row_by_row`](crate::estimators::EstimatorFacts::learns_row_by_row) holds.
    pub known: Option<usize>,
}

/// A fitted model with what else its fit gives.
pub struct Fit<F> {
    /// What predicts.
    pub fitted: F,
    /// Solver values from which the next fit along a path of parameters starts.
    pub warm: WarmStart,
    /// Scores of training rows by fits without them, where they were wanted.
    pub held_out: Option<HeldOut>,
}

impl<F> Default for FitContext<'_, F> {
    fn default() -> Self {
        FitContext { earlier: None, warm: None, hold: HoldOut::default(), wants_scores: false, known: None }
    }
}

impl<F> Clone for FitContext<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for FitContext<'_, F> {}

impl<'a, F> FitContext<'a, F> {
    /// A fit that starts from an earlier one.
    pub fn from_earlier(earlier: &'a F) -> Self {
        FitContext { earlier: Some(earlier), ..FitContext::default() }
    }

    /// A fit that continues with the rows after the first `known`, which an earlier fit keeps.
    pub fn continuing(earlier: &'a F, known: usize) -> Self {
        FitContext { known: Some(known), ..FitContext::from_earlier(earlier) }
    }

    /// A fit that holds rows out in a given way.
    pub fn holding(hold: HoldOut<'a>) -> Self {
        FitContext { hold, ..FitContext::default() }
    }

    /// The context with another form of the earlier fit, or without an earlier fit where it has none.
    pub(crate) fn map<G>(&self, form: impl FnOnce(&'a F) -> Option<&'a G>) -> FitContext<'a, G> {
        let earlier = self.earlier.and_then(form);
        let FitContext { warm, hold, wants_scores, known, .. } = *self;
        FitContext { earlier, warm: warm.filter(|_| earlier.is_some()), hold, wants_scores, known }
    }
}

impl<F> From<F> for Fit<F> {
    fn from(fitted: F) -> Self {
        Fit { fitted, warm: WarmStart::default(), held_out: None }
    }
}

impl<F> Fit<F> {
    /// The fit in another form.
    pub(crate) fn map<G>(self, form: impl FnOnce(F) -> G) -> Fit<G> {
        Fit { fitted: form(self.fitted), warm: self.warm, held_out: self.held_out }
    }

    /// The fitted model and the scores that were wanted.
    pub(crate) fn with_scores(self) -> Result<(F, HeldOut)> {
        let missing = || Error::Internal { what: "a calibration".into(), why: "no row was held out".into() };
        Ok((self.fitted, self.held_out.ok_or_else(missing)?))
    }
}
