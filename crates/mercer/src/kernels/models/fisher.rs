//! fisher: k(x, z) = g(x)' I^-1 g(z), g(x) = d ln p(x | theta) / d theta at the theta of the training rows (K37-K39; S3 14.25-14.27).
//!
//! I = -E d^2 ln p / d theta^2 by formula (analytic), sum w g g' / sum w over the training rows (empirical), or 1 (identity); by default the
//! formula where the model has one, else the rows.
//! k is the inner product of I^(-1/2) g, which are its features.

use crate::control::Control;
use crate::data::{ColumnNeeds, Dataset, PER_FUNCTION, Points, RowWeights};
use crate::error::{Error, Result};
use crate::generative::{FittedGenerative, Gaussian, GenerativeExpr, ShrunkFactor, plan_scores};
use crate::gram::{Identity, Kernel, Mercer, PreparedPoints, Tile};
use crate::kernels::fitted::foreign;
use crate::linalg::{Matrix, Real, gramian_of_columns_within};
use crate::notice::Notice;
use crate::param::Value;
use mercer_derive::{Choice, Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Inner product of score vectors of a generative model.
///
/// ```text
/// g(x)' I^-1 g(z) with the score vectors g(x) = d log p(x) / d theta of a model p fitted to the training rows
/// and its Fisher information I: inputs that would change the model alike
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Fisher {
    /// the model p, fitted to the training rows
    #[param(default = Gaussian::default().into())]
    model: GenerativeExpr,
    /// I, analytic: by the formula of the model; empirical: the mean of g g' over the training rows; identity: 1; auto: analytic where
    /// there is a formula, else empirical
    #[param(default = FisherInformation::Auto)]
    information: FisherInformation,
    /// seed of what the fit of the model draws
    #[param(default = 0.0, domain = Integer(0, usize::MAX))]
    seed: Value,
}

/// Where the Fisher information comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum FisherInformation {
    /// By the formula of the model where it has one, else from the training rows.
    Auto,
    /// By the formula of the model.
    Analytic,
    /// The mean of g g' over the training rows.
    Empirical,
    /// 1.
    Identity,
}

/// The model of the training rows, and the factor of its information where there is no closed form of I^(-1/2) g and I is not 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedScores {
    model: Option<FittedGenerative>,
    factor: Option<ShrunkFactor>,
}

impl Fisher {
    /// I^(-1/2) g of each row.
    fn whitened(&self, learnt: &FittedScores, inputs: &Dataset, control: &Control) -> Result<Matrix> {
        let model = learnt.model.as_ref().ok_or_else(foreign)?;
        if self.takes_formula()
            && let Some(features) = model.whitened_scores_of(inputs, control)?
        {
            return Ok(features);
        }
        let mut scores = model.scores_of(inputs, control)?;
        match &learnt.factor {
            Some(factor) => factor.whiten(&mut scores, control)?,
            None if self.information == FisherInformation::Identity => {}
            None => return Err(foreign()),
        }
        Ok(scores)
    }

    /// Whether the information is that of a formula where the model has one.
    fn takes_formula(&self) -> bool {
        matches!(self.information, FisherInformation::Auto | FisherInformation::Analytic)
    }

    /// The factor that [`Fisher::whitened`] divides by.
    fn factor(
        &self,
        model: &FittedGenerative,
        inputs: &Dataset,
        weights: RowWeights<'_>,
        control: &Control,
    ) -> Result<Option<ShrunkFactor>> {
        // Bytes for each entry of an information matrix: the matrix, its correlations and their factor.
        const PER_ENTRY: u64 = 24;
        let none = inputs.select(&[]);
        if self.information == FisherInformation::Identity || (self.takes_formula() && model.whitened_scores(&none)?.is_some()) {
            return Ok(None);
        }
        let width = model.width(&none)?;
        control.plan(&format!("the information of a model of {width} parameters"), PER_ENTRY.saturating_mul((width as u64).pow(2)))?;
        let known = if self.takes_formula() { model.information() } else { None };
        match (self.information, known) {
            (_, Some(known)) => ShrunkFactor::new(&known, f64::INFINITY, None, control).map(Some),
            (FisherInformation::Analytic, None) => {
                let why = format!("no formula is known for {}; take information=empirical, or auto", self.model.name());
                Err(Error::Setting { name: "information".into(), why })
            }
            (_, None) => {
                let rows = weights.total(inputs.rows());
                let scores = model.scores_of(inputs, control)?;
                let shares: Vec<f64> = (0..inputs.rows()).map(|i| weights.at(i) / rows).collect();
                let mean = gramian_of_columns_within(&scores, Some(&shares), control)?;
                ShrunkFactor::new(&mean, rows, None, control).map(Some)
            }
        }
    }
}

impl Kernel for Fisher {
    const NAME: &'static str = "fisher";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str =
        "Jaakkola & Haussler, Exploiting generative models in discriminative classifiers (1998); Murphy (2012), (14.25) to (14.27)";
    const BECAUSE: &'static str = "an inner product of I^(-1/2) g(x)";
    type Inputs = Dataset;
    type Learnt = FittedScores;
    type Prepared = PreparedPoints;

    fn column_needs(&self) -> ColumnNeeds {
        self.model.column_needs()
    }
    fn settle(&self, inputs: &Dataset, weights: RowWeights<'_>) -> Self {
        // Rows of another kind are refused where the kernel is bound.
        let model = self.model.settle(inputs, weights).unwrap_or_else(|_| self.model.clone());
        Fisher { model, ..self.clone() }
    }
    fn check(&self, inputs: &Dataset) -> Result<()> {
        self.model.check(inputs)
    }
    fn learns(&self) -> bool {
        true
    }
    fn learn(&self, inputs: &Dataset, weights: RowWeights<'_>, control: &Control) -> Result<FittedScores> {
        if let Some(width) = self.model.free_parameters(inputs) {
            plan_scores(&self.model, width, inputs.rows(), control)?;
        }
        let model = self.model.fit(inputs, weights, self.seed.integer() as u64, control)?;
        plan_scores(&self.model, model.width(inputs)?, inputs.rows(), control)?;
        let factor = self.factor(&model, inputs, weights, control)?;
        Ok(FittedScores { model: Some(model), factor })
    }
    fn notices(&self, learnt: &FittedScores) -> Vec<Notice> {
        let share = learnt.factor.as_ref().map_or(0.0, ShrunkFactor::share);
        let shrunk = (share > 0.0).then_some(Notice::ShrunkInformation { share });
        learnt.model.iter().flat_map(|model| model.notices()).chain(shrunk).collect()
    }
    fn prepare(&self, learnt: &FittedScores, inputs: &Dataset, like: Option<&PreparedPoints>, control: &Control) -> Result<PreparedPoints> {
        let features = self.whitened(learnt, inputs, control)?;
        let (rows, width) = (features.rows(), features.cols());
        if let Some(place) = features.data().iter().position(|g| !g.is_finite()) {
            let why = format!("it is not finite under {}; divide the columns by numbers", self.model);
            return Err(Error::Numerical { what: format!("the score vector of row {}", place / width + 1), why });
        }
        Ok(PreparedPoints::plain(&Points::computed(rows, width, features.into_data()), like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        tile.from_dots(Identity);
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        x.norms().to_vec()
    }
    fn features(&self, x: &PreparedPoints) -> Option<Matrix> {
        Matrix::new(x.rows(), x.dim(), x.dense()?.to_vec()).ok()
    }
    fn rank(&self, inputs: &Dataset) -> Option<usize> {
        self.model.free_parameters(inputs)
    }
    fn per_value(&self, inputs: &Dataset) -> f64 {
        PER_FUNCTION + 2.0 * self.model.free_parameters(inputs).unwrap_or(0) as f64
    }
    fn points<'p>(&self, x: &'p PreparedPoints) -> Option<&'p PreparedPoints> {
        Some(x)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}
