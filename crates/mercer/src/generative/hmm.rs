//! hmm: p(x) = sum_s pi(s_1) B(s_1, x_1) prod_t A(s_{t-1}, s_t) B(s_t, x_t), a string of letters that hidden states emit, given its
//! length (Rabiner 1989; Murphy 2012, 17.3 to 17.5).
//!
//! Fitted by Baum-Welch from several starts: each row of pi, A and B is the expected counts plus prior - 1, divided by their sum, which
//! maximises the likelihood times a Dirichlet density of parameters `prior`. The score vector is in the isometric
//! log-ratios of each row of probabilities: an orthonormal basis of the expected counts less p times their sum. A letter that stands for
//! several is summed out. One that no training row has tells nothing of the states, and has the probability of `unseen_probability`.

mod fitted;

use super::distinct::distinct_strings;
use super::hidden::{Training, Transitions, baum_welch};
use super::{GenerativeModel, letters, simplex};
use crate::control::Control;
use crate::data::letters::{ALPHABET, AMBIGUITY, Alphabet, Ambiguity, Reading};
use crate::data::{Cells, RowWeights, Strings};
use crate::error::{Error, Result};
use crate::param::{Domain, Param, Value};
use fitted::{FittedHmm, LetterEmission};
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// The hidden Markov model of strings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Hmm {
    #[param(STATES, default = 2.0)]
    states: Value,
    #[param(STARTS, default = 3.0)]
    starts: Value,
    #[param(ITERATIONS, default = 100.0)]
    iterations: Value,
    #[param(PRIOR, default = 1.1)]
    prior: Value,
    #[param(TOLERANCE, default = 1e-6)]
    tolerance: Value,
    #[param(LENGTH)]
    length: Value,
    #[param(ALPHABET)]
    alphabet: Alphabet,
    #[param(AMBIGUITY)]
    ambiguity: Ambiguity,
}

pub(super) const STATES: Param = Param::fixed("states", "hidden states", Domain::Integer(1, 1000));
pub(super) const STARTS: Param = Param::fixed("starts", "random starts, of which the best is kept", Domain::Integer(1, 1000));
pub(super) const ITERATIONS: Param =
    Param::fixed("iterations", "most iterations of expectation maximisation from a start", Domain::Integer(1, usize::MAX));
pub(super) const PRIOR: Param = Param::fixed(
    "prior",
    "1 or above: prior - 1 is added to every expected count (a Dirichlet prior), and as many observations with the mean and the variance of all rows to every normal distribution, so that nothing has probability 0 and no variance is 0; 1: maximum likelihood",
    Domain::Positive,
);
pub(super) const TOLERANCE: Param = Param::fixed(
    "tolerance",
    "rise of the log posterior density per observation below which iterations end; 0: never",
    Domain::NonNegative,
);
pub(super) const LENGTH: Param = Param::fixed(
    "length",
    "times of a sample, and of the inputs that probability products sum over; auto: the longest training row",
    Domain::Integer(1, usize::MAX),
);

/// An error unless a prior is 1 or above and finite.
pub(super) fn check_prior(model: &str, prior: &Value) -> Result<()> {
    if prior.lies_within(1.0, f64::MAX) {
        return Ok(());
    }
    let (value, domain) = (prior.to_string(), "1 or above, and finite".to_owned());
    Err(Error::OutOfDomain { owner: model.into(), name: "prior".into(), value, domain })
}

impl Hmm {
    fn reading(&self) -> Reading {
        Reading { alphabet: self.alphabet, ambiguity: self.ambiguity, reverse_complement: false }
    }

    /// The model of these strings over an alphabet; beside all strings, where they are those of a class.
    fn fitted(
        &self,
        inputs: &Strings,
        weights: RowWeights<'_>,
        (alphabet, all): (Vec<char>, (&Strings, RowWeights<'_>)),
        seed: u64,
        control: &Control,
    ) -> Result<FittedHmm> {
        let (rows, counts) = distinct_strings(inputs, weights);
        if rows.is_empty() || alphabet.is_empty() {
            let what = if rows.is_empty() { "row of positive weight" } else { "letter in any row" };
            return Err(Error::Data(format!("{}: there is no {what} to fit it to", Self::NAME)));
        }
        let coded = letters::coded(self.reading(), &alphabet, &inputs.select(&rows));
        let training = Training {
            model: Self::NAME,
            states: self.states.integer(),
            starts: self.starts.integer(),
            iterations: self.iterations.integer(),
            tolerance: self.tolerance.number(),
            prior: self.prior.number(),
            seed,
        };
        let mut frequencies = vec![0.0; alphabet.len()];
        for (row, weight) in counts.iter().enumerate() {
            coded.row(row).iter().filter(|c| **c != letters::UNKNOWN).for_each(|c| frequencies[*c as usize] += weight);
        }
        let frequencies = simplex::most_probable(&frequencies, 2.0);
        let start = |random: &mut _| LetterEmission::drawn(random, training.states, &frequencies);
        let trained = baum_welch(&training, &coded, &counts, start, control)?;
        let unseen = letters::unseen_probability(self.reading(), &alphabet, all, training.prior - 1.0);
        Ok(FittedHmm::trained(
            trained,
            (self.reading(), alphabet, unseen),
            self.length.integer(),
            &coded,
            &counts,
            training.prior == 1.0,
            control,
        ))
    }
}

impl GenerativeModel for Hmm {
    const NAME: &'static str = "hmm";
    const DOC: &'static str =
        "sum over s of pi(s_1) B(s_1, x_1) prod A(s_t-1, s_t) B(s_t, x_t): strings whose letters depend on a state that changes unseen";
    const SOURCE: &'static str = "Rabiner, A tutorial on hidden Markov models (1989); Murphy (2012), sections 17.3 to 17.5";
    const AS_IS: bool = true;
    type Inputs = Strings;
    type Fitted = FittedHmm;

    fn settle(&self, inputs: &Strings, _: RowWeights<'_>) -> Self {
        let longest = || inputs.iter().map(|s| s.chars().count()).max().unwrap_or(0).max(1) as f64;
        Hmm { length: self.length.settle_by(longest), alphabet: self.reading().settled(inputs), ..self.clone() }
    }
    fn check(&self, inputs: &Strings) -> Result<()> {
        check_prior(Self::NAME, &self.prior)?;
        self.reading().check(Self::NAME, inputs)
    }
    fn free_parameters(&self, inputs: &Strings) -> Option<usize> {
        let (states, letters) = (self.states.integer(), letters::letters_of(self.reading(), inputs).len());
        Some(Transitions::width(states) + states * letters.max(1).saturating_sub(1))
    }
    fn fit(&self, inputs: &Strings, weights: RowWeights<'_>, seed: u64, control: &Control) -> Result<FittedHmm> {
        self.fitted(inputs, weights, (letters::letters_of(self.reading(), inputs), (inputs, weights)), seed, control)
    }
    /// Over the letters of all training rows.
    fn fit_class(
        &self,
        inputs: &Strings,
        weights: RowWeights<'_>,
        all: (&Strings, RowWeights<'_>),
        seed: u64,
        control: &Control,
    ) -> Result<FittedHmm> {
        self.fitted(inputs, weights, (letters::letters_of(self.reading(), all.0), all), seed, control)
    }
    /// Over the letters of all training rows.
    fn fit_like(&self, inputs: &Strings, pooled: &FittedHmm, seed: u64, control: &Control) -> Result<FittedHmm> {
        self.fitted(inputs, RowWeights::from(None), (pooled.alphabet(), (inputs, RowWeights::from(None))), seed, control)
    }
}
