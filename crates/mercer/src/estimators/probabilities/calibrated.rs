//! A fit and the map from its scores to probabilities, which together are a fit of classes.

use super::calibration::Calibration;
use super::platt::Sigmoid;
use crate::control::Control;
use crate::data::TargetInfo;
use crate::error::{Error, Result};
use crate::estimators::{
    Answer, Fitted, FittedModel, FoundNeighbours, GenerativePart, HeldOut, Predicted, Predictions, Query, Spectrum, Summary, Task, Want,
};
use crate::linalg::argmax;
use serde::{Deserialize, Serialize};

/// A fit whose scores become probabilities; the predicted class is the one of the greatest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibrated {
    fitted: Box<FittedModel>,
    calibration: Calibration,
    summary: Summary,
}

impl Calibrated {
    /// Calibrates a fit to a task of classes.
    pub(crate) fn of(fitted: FittedModel, held_out: &HeldOut, task: &Task<'_>) -> Result<Calibrated> {
        // A fit that was ended has scores all the same, and what they say is not lost.
        let control = task.control.last_step().at_least(1.0);
        let (calibration, notes) = Calibration::fit(held_out, task, &control)?;
        let mut summary = fitted.summary().clone();
        summary.notes.extend(notes);
        if !held_out.converged {
            summary.converged = false;
            summary.notes.push(
                "fits without a fold stopped before their tolerance was met: probabilities are less certain than they could be".into(),
            );
        }
        Ok(Calibrated { fitted: Box::new(fitted), calibration, summary })
    }

    /// Calibrates a fit of pairs of classes by sigmoids that another program has fitted, one a pair.
    pub(crate) fn by_sigmoids(fitted: FittedModel, classes: usize, pairs: Vec<(usize, usize)>, sigmoids: Vec<Sigmoid>) -> Calibrated {
        let summary = fitted.summary().clone();
        Calibrated { fitted: Box::new(fitted), calibration: Calibration::of_pairs(classes, pairs, sigmoids), summary }
    }

    /// The sigmoid of each pair, where probabilities are made of these alone: there is no softmax behind them.
    pub(crate) fn sigmoids_alone(&self) -> Option<&[Sigmoid]> {
        self.calibration.sigmoids_alone()
    }

    /// The fit whose scores are calibrated.
    pub fn fitted(&self) -> &FittedModel {
        &self.fitted
    }

    /// Calibrates what the fit predicts.
    fn calibrated(&self, mut found: Predictions, query: (Want, &Control)) -> Result<Predictions> {
        let (want, control) = query;
        let probabilities = {
            let (scores, pairs) = found.for_calibration()?;
            self.calibration.check(&scores, pairs)?;
            self.calibration.probabilities(&scores, pairs, control)?
        };
        if let Predicted::Classes(codes) = &mut found.values {
            codes.iter_mut().enumerate().for_each(|(i, code)| *code = argmax(probabilities.row(i)));
        }
        if !want.scores {
            (found.scores, found.pairs) = (None, Vec::new());
        }
        found.probabilities = want.probabilities.then_some(probabilities);
        Ok(found.by_class_where_wanted(want, self.calibration.classes))
    }

    /// Predictions of nearest neighbours that were found elsewhere; `None` of another fit.
    pub(crate) fn predict_found(&self, found: &FoundNeighbours, want: Want, control: &Control) -> Option<Result<Predictions>> {
        let FittedModel::Knn(knn) = self.fitted() else { return None };
        let made = knn.predict_found(found, Want { scores: true, probabilities: true, by_class: false, ..want }, control);
        Some(made.and_then(|p| self.calibrated(p, (want, control))))
    }
}

impl Fitted for Calibrated {
    crate::estimators::contract::hands_on!();
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let want = Want { scores: true, probabilities: true, by_class: false, ..query.want };
        let outputs = self.fitted.expansion().map_or(0, |e| e.bias.len());
        let held = if query.want.scores && !query.want.by_class { 0 } else { outputs };
        query.in_blocks(held, |part| self.calibrated(self.fitted.predict(&Query { want, ..*part })?, (part.want, part.control)))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        let answer = self.fitted.answer(target)?;
        Error::unless_equal("classes of a calibration", answer.classes().map_or(0, <[String]>::len), self.calibration.classes)?;
        Ok(answer)
    }
    fn sigmoids(&self) -> &[Sigmoid] {
        &self.calibration.sigmoids
    }
    fn spectrum(&self) -> Option<&Spectrum> {
        self.fitted.spectrum()
    }
    fn distributions(&self) -> Vec<GenerativePart<'_>> {
        self.fitted.distributions()
    }
    fn steps(&self) -> Vec<usize> {
        self.fitted.steps()
    }
}
