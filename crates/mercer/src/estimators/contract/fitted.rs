//! What a fit leaves: something that predicts, and what is asked of it.

use crate::control::Control;
use crate::data::TargetInfo;
use crate::error::{Error, Result};
use crate::estimators::{
    Answer, Clusters, Expansion, GradientQuery, PredictionGradient, Predictions, Sigmoid, Spectrum, Summary, View, ViewKind, WarmStart,
};
use crate::generative::FittedGenerative;
use crate::gram::{self, Gram, Side};
use crate::linalg::{Lower, Matrix};
use std::ops::Range;

/// Something that predicts.
pub trait Fitted: Send + Sync {
    /// Training rows (ascending) that prediction needs; `cross` has one column for each of them.
    fn support(&self) -> &[usize];
    /// Predictions for M new inputs; only what is wanted is computed, and time and cancelling are looked at per block of rows.
    fn predict(&self, query: &Query<'_>) -> Result<Predictions>;
    /// Derivatives of its predictions in the numbers of new inputs; `None` where it predicts no numbers that are smooth functions of kernel
    /// values with the support.
    ///
    /// # Errors
    /// A kernel without a derivative in its inputs; weights of features in place of support rows; bounds of the control.
    fn predict_gradient(&self, _query: &GradientQuery<'_>) -> Result<Option<PredictionGradient>> {
        Ok(None)
    }
    /// Predictions for rows that had weight 0 in the fit, from their values in its warm start, without kernel values; `None`
    /// where it does not hold them.
    fn predict_left_out(&self, _trace: &WarmStart, _rows: &[usize], _want: Want) -> Option<Predictions> {
        None
    }
    /// How the fit went.
    fn summary(&self) -> &Summary;
    /// What its predictions mean, for a fit to such a target: [`Answer::of_target`] where that itself is predicted.
    ///
    /// # Errors
    /// A target with other classes than those that the fit decides between.
    fn answer(&self, target: &TargetInfo) -> Result<Answer>;
    /// The kernel expansion that it is, where it is one.
    fn expansion(&self) -> Option<&Expansion> {
        None
    }
    /// That expansion, to be changed where features are taken from another origin.
    fn expansion_mut(&mut self) -> Option<&mut Expansion> {
        None
    }
    /// What it reads of new rows.
    fn reads(&self) -> ViewKind {
        ViewKind::Values
    }
    /// Whether it predicts from what is read of new rows alone, and no training row is asked for.
    fn reads_new_rows_alone(&self) -> bool {
        let of_features = self.expansion().map(Expansion::is_of_features);
        self.support().is_empty()
            && match self.reads() {
                ViewKind::Rows => true,
                ViewKind::Features => of_features.unwrap_or(true),
                ViewKind::Values => of_features.unwrap_or(false),
                ViewKind::Vectors => false,
            }
    }
    /// Forgets the training rows where weights of features say the same, so that none is stored.
    fn forget_rows(&mut self) {}
    /// The Cholesky factor of the covariance of the training targets, where it keeps one.
    fn factor(&self) -> Option<&Lower> {
        None
    }
    /// What makes probabilities of the decision values of pairs of classes, where it has such: one sigmoid a pair.
    fn sigmoids(&self) -> &[Sigmoid] {
        &[]
    }
    /// The variance along its components, where it has such.
    fn spectrum(&self) -> Option<&Spectrum> {
        None
    }
    /// The clusters that it found, where it finds such.
    fn clusters(&self) -> Option<&Clusters> {
        None
    }
    /// The generative models that it fitted, where it fits such: one of all rows, or one for each class that has rows.
    fn distributions(&self) -> Vec<GenerativePart<'_>> {
        Vec::new()
    }
    /// Steps of the solver, one number for each problem that was solved.
    fn steps(&self) -> Vec<usize> {
        vec![self.summary().iterations]
    }
}

/// A generative model that a fit holds.
#[derive(Clone, Copy, Debug)]
pub struct GenerativePart<'f> {
    /// The class whose rows it is of; `None`: all rows.
    pub class: Option<usize>,
    /// The prior of the class.
    pub prior: f64,
    /// The model.
    pub fitted: &'f FittedGenerative,
    /// The prepared columns that it is a distribution of.
    pub columns: &'f [String],
}

/// Numbers that are held of the outputs of a block of new inputs.
const BLOCK_NUMBERS: usize = 1 << 22;

/// What is asked of a fitted thing: predictions for M new inputs.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Query<'a> {
    /// What is read of the new inputs; kernel values are those with the support, M x support.
    pub view: View<'a>,
    /// What is wanted besides the predicted values.
    pub want: Want,
    /// Bounds and watchers.
    pub control: &'a Control,
}

impl<'a> Query<'a> {
    /// Predictions from kernel values with the support.
    pub fn new(cross: &'a dyn Gram, want: Want, control: &'a Control) -> Self {
        Query::of(View::Values(cross), want, control)
    }

    /// Predictions from a view.
    pub fn of(view: View<'a>, want: Want, control: &'a Control) -> Self {
        Query { view, want, control }
    }

    /// Kernel values of the new inputs with the support.
    ///
    /// # Errors
    /// A view of something else.
    pub fn cross(&self) -> Result<&'a dyn Gram> {
        self.view.values()
    }

    /// Kernel values among the new inputs, which a covariance between predictions needs.
    ///
    /// # Errors
    /// A view that does not hold them.
    pub(crate) fn among_new(&self) -> Result<Matrix> {
        let among = self.cross()?.among(Side::Rows).ok_or_else(|| {
            Error::Data(
                "a covariance between predictions needs the kernel among the new inputs, which this Gram matrix does not hold".into(),
            )
        })?;
        gram::dense(&*among, self.control)
    }

    /// Predictions for blocks of the new inputs, of which `of` holds so many numbers for each input meanwhile.
    pub(crate) fn in_blocks(&self, numbers: usize, of: impl Fn(&Query<'_>) -> Result<Predictions>) -> Result<Predictions> {
        let (rows, cols) = self.view.shape();
        let together = (BLOCK_NUMBERS / numbers.max(1)).max(1);
        if rows <= together || self.want.covariance {
            return of(self);
        }
        let cols: Vec<usize> = (0..cols).collect();
        let part = |rows: Range<usize>| {
            self.control.check_time("predictions")?;
            of(&Query { view: self.view.part(&rows.collect::<Vec<_>>(), &cols).view(), ..*self })
        };
        let mut all = part(0..together)?;
        for start in (together..rows).step_by(together) {
            all.append(part(start..rows.min(start + together))?);
        }
        Ok(all)
    }
}

/// What a prediction should hold besides the predicted value itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Want {
    /// Variance of each prediction, where the model has one.
    pub variance: bool,
    /// Covariance between all predictions of a batch (M x M), where the model has one.
    pub covariance: bool,
    /// Class probabilities, where the model has them.
    pub probabilities: bool,
    /// Decision values before they become classes.
    pub scores: bool,
    /// Decision values of pairs of classes as one for each class: see [`Predictions::scores_by_class`].
    pub by_class: bool,
}

impl Want {
    /// What rows held out are judged by: all that metrics look at.
    pub(crate) const JUDGED: Want = Want { variance: true, covariance: false, probabilities: true, scores: true, by_class: true };
}

/// The methods of [`Fitted`] that a fit around another one, in its field `fitted`, hands on to that one.
macro_rules! hands_on {
    () => {
        fn support(&self) -> &[usize] {
            self.fitted.support()
        }
        fn expansion(&self) -> Option<&$crate::estimators::Expansion> {
            self.fitted.expansion()
        }
        fn expansion_mut(&mut self) -> Option<&mut $crate::estimators::Expansion> {
            self.fitted.expansion_mut()
        }
        fn reads(&self) -> $crate::estimators::ViewKind {
            self.fitted.reads()
        }
        fn forget_rows(&mut self) {
            self.fitted.forget_rows();
        }
        fn factor(&self) -> Option<&$crate::linalg::Lower> {
            self.fitted.factor()
        }
    };
}
pub(crate) use hands_on;
