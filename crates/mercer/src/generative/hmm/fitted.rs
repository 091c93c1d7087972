//! A fitted hidden Markov model of strings: densities, score vectors, samples, probability products.

use crate::control::Control;
use crate::data::letters::Reading;
use crate::data::{Strings, Values};
use crate::error::{Error, Result};
use crate::generative::hidden::{self, Emission, LANES, Lane, MOST_STRINGS, Trained, Transitions};
use crate::generative::letters::{self, LetterCodes, StoredReading, UNKNOWN};
use crate::generative::{ArrayAxis, Coordinates, FittedDistribution, FreeParameter, HiddenStates, ParameterArray, simplex};
use crate::linalg::Matrix;
use crate::notice::Notice;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A hidden Markov model of strings with its probabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredHmm")]
pub struct FittedHmm {
    chain: Transitions,
    emission: LetterEmission,
    reading: StoredReading,
    letters: String,
    /// The probability of a letter that no training row has, in every state.
    unseen: f64,
    length: usize,
    is_maximum: bool,
    notices: Vec<Notice>,
}

/// Probabilities of the letters in each state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct LetterEmission {
    /// B, row after row.
    #[serde(with = "crate::blocks::f64s")]
    probabilities: Vec<f64>,
}

/// A fit as a file holds it, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredHmm {
    chain: Transitions,
    emission: LetterEmission,
    reading: StoredReading,
    letters: String,
    unseen: f64,
    length: usize,
    is_maximum: bool,
    notices: Vec<Notice>,
}

impl TryFrom<StoredHmm> for FittedHmm {
    type Error = Error;
    fn try_from(StoredHmm { chain, emission, reading, letters, unseen, length, is_maximum, notices }: StoredHmm) -> Result<Self> {
        chain.check("hmm")?;
        let alphabet: Vec<char> = letters.chars().collect();
        Error::unless_equal("letters of a stored hmm", chain.states() * alphabet.len(), emission.probabilities.len())?;
        let sound = !alphabet.is_empty()
            && letters::is_unseen_probability(unseen)
            && alphabet.iter().collect::<BTreeSet<_>>().len() == alphabet.len()
            && emission.probabilities.chunks(alphabet.len()).all(simplex::are_probabilities);
        if !sound {
            return Err(Error::Data("a stored hmm has letters or probabilities that none has".into()));
        }
        Ok(FittedHmm { chain, emission, reading, letters, unseen, length, is_maximum, notices })
    }
}

impl LetterEmission {
    /// Frequencies of all letters, each times an exponential number.
    pub(super) fn drawn(random: &mut impl Rng, states: usize, frequencies: &[f64]) -> Self {
        let row = |random: &mut _| {
            let factors = simplex::draw(random, frequencies.len());
            let counts: Vec<f64> = factors.iter().zip(frequencies).map(|(a, b)| a * b).collect();
            simplex::most_probable(&counts, 1.0)
        };
        LetterEmission { probabilities: (0..states).flat_map(|_| row(random)).collect() }
    }
    fn letters(&self, states: usize) -> usize {
        self.probabilities.len() / states
    }
}

impl Emission for LetterEmission {
    type Sequences = LetterCodes;

    fn length(rows: &LetterCodes, row: usize) -> usize {
        rows.row(row).len()
    }
    fn width(&self, _: usize) -> usize {
        self.probabilities.len()
    }
    fn densities(&self, states: usize, rows: &LetterCodes, block: &[usize], into: &mut [Lane], _: &mut Lane) {
        let letters = self.letters(states);
        for (lane, &row) in block.iter().enumerate().take(LANES) {
            for (code, into) in rows.row(row).iter().zip(into.chunks_mut(states)) {
                if *code != UNKNOWN {
                    let column = self.probabilities[*code as usize..].iter().step_by(letters);
                    into.iter_mut().zip(column).for_each(|(to, b)| to[lane] = *b);
                }
            }
        }
    }
    fn count(&self, states: usize, rows: &LetterCodes, block: &[usize], posterior: &[Lane], into: &mut [Lane]) {
        let letters = self.letters(states);
        for (lane, &row) in block.iter().enumerate().take(LANES) {
            for (code, posterior) in rows.row(row).iter().zip(posterior.chunks(states)) {
                if *code != UNKNOWN {
                    let column = into[*code as usize..].iter_mut().step_by(letters);
                    column.zip(posterior).for_each(|(to, p)| to[lane] += p[lane]);
                }
            }
        }
    }
    fn updated(&self, states: usize, counts: &[f64], prior: f64) -> Self {
        let rows = counts.chunks(self.letters(states));
        LetterEmission { probabilities: rows.flat_map(|row| simplex::most_probable(row, prior)).collect() }
    }
    fn log_prior(&self, _: usize, prior: f64) -> f64 {
        (prior - 1.0) * simplex::log_sum(&self.probabilities)
    }
    fn push_parameters(&self, states: usize, to: &mut Vec<FreeParameter>) {
        for (i, row) in self.probabilities.chunks(self.letters(states)).enumerate() {
            to.extend(simplex::log_ratios(&format!("emission {},", i + 1), row));
        }
    }
    fn push_scores(&self, states: usize, counts: &[f64], to: &mut Vec<f64>) {
        let letters = self.letters(states);
        for (counts, p) in counts.chunks(letters).zip(self.probabilities.chunks(letters)) {
            simplex::push_scores(counts, p, to);
        }
    }
}

impl FittedHmm {
    pub(super) fn trained(
        trained: Trained<LetterEmission>,
        (reading, letters, unseen): (Reading, Vec<char>, f64),
        length: usize,
        rows: &LetterCodes,
        weights: &[f64],
        is_flat: bool,
        control: &Control,
    ) -> Self {
        let Trained { chain, emission, notices } = trained;
        let is_maximum = is_flat && hidden::is_maximum(&chain, &emission, rows, weights, control);
        FittedHmm { chain, emission, reading: reading.into(), letters: letters.into_iter().collect(), unseen, length, is_maximum, notices }
    }

    pub(super) fn alphabet(&self) -> Vec<char> {
        self.letters.chars().collect()
    }
    fn coded(&self, inputs: &Strings) -> LetterCodes {
        letters::coded(self.reading.into(), &self.alphabet(), inputs)
    }

    /// ln p of strings that are written in letters.
    fn log_densities_of(&self, rows: &LetterCodes, control: &Control) -> Result<Vec<f64>> {
        Ok(hidden::passes_over(&self.chain, &self.emission, rows, rows.len(), false, control)?.logs)
    }

    /// What pairs of states emit alike: sum_a B_i(a) C_j(a) over the letters of both models.
    fn emitted(&self, other: &Self) -> Vec<f64> {
        let (mine, theirs) = (self.alphabet(), other.alphabet());
        let shared: Vec<(usize, usize)> =
            mine.iter().enumerate().filter_map(|(k, c)| theirs.iter().position(|d| d == c).map(|l| (k, l))).collect();
        let rows = self.emission.probabilities.chunks(mine.len());
        let product = |b: &[f64], c: &[f64]| shared.iter().map(|&(k, l)| b[k] * c[l]).sum::<f64>();
        rows.flat_map(|b| other.emission.probabilities.chunks(theirs.len()).map(move |c| (b, c))).map(|(b, c)| product(b, c)).collect()
    }

    /// ln sum_x (p(x) q(x))^rho, by writing all strings out.
    fn enumerated(&self, other: &Self, rho: f64, control: &Control) -> Result<f64> {
        let shared: Vec<char> = self.letters.chars().filter(|c| other.letters.contains(*c)).collect();
        let count = (shared.len() as f64).powi(i32::try_from(self.length).unwrap_or(i32::MAX));
        if count > MOST_STRINGS {
            let why = format!(
                "a power of a sum over hidden states is no such sum: only rho=1 has a recursion, and {} letters have {count:.0e} strings of length {}, too many to write out; take rho=1, or length={}",
                shared.len(),
                self.length,
                (MOST_STRINGS.ln() / (shared.len() as f64).ln()) as usize
            );
            return Err(Error::Setting { name: "rho".into(), why });
        }
        let string = |number: usize| {
            let mut left = number;
            (0..self.length).map(|_| (shared[left % shared.len()], left /= shared.len()).0).collect::<String>()
        };
        let strings = Strings::new((0..count as usize).map(string));
        let (mine, theirs) =
            (self.log_densities_of(&self.coded(&strings), control)?, other.log_densities_of(&other.coded(&strings), control)?);
        let terms: Vec<f64> = mine.into_iter().zip(theirs).map(|(p, q)| rho * (p + q)).collect();
        let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(if largest == f64::NEG_INFINITY { largest } else { largest + terms.iter().map(|t| (t - largest).exp()).sum::<f64>().ln() })
    }
}

impl FittedDistribution for FittedHmm {
    type Inputs = Strings;

    fn parameters(&self) -> Vec<FreeParameter> {
        let mut all = Vec::new();
        self.chain.push_parameters(&mut all);
        self.emission.push_parameters(self.chain.states(), &mut all);
        all
    }
    fn with_parameters(&self, values: &[f64]) -> Result<Self> {
        let (states, letters) = (self.chain.states(), self.letters.chars().count());
        let own = Transitions::width(states);
        Error::unless_equal("free parameters of hmm", own + states * (letters - 1), values.len())?;
        if let Some(value) = values.iter().find(|v| !v.is_finite()) {
            return Err(Error::Data(format!("hmm has finite log ratios of probabilities, found {value}")));
        }
        let probabilities = match letters {
            1 => vec![1.0; states],
            _ => values[own..].chunks(letters - 1).flat_map(simplex::from_log_ratios).collect(),
        };
        let chain = Transitions::from_parameters(states, &values[..own]);
        Ok(FittedHmm { chain, emission: LetterEmission { probabilities }, is_maximum: false, notices: Vec::new(), ..self.clone() })
    }
    fn log_densities(&self, inputs: &Strings) -> Result<Vec<f64>> {
        self.log_densities_within(inputs, &Control::unwatched())
    }
    fn log_densities_within(&self, inputs: &Strings, control: &Control) -> Result<Vec<f64>> {
        let mut logs = self.log_densities_of(&self.coded(inputs), control)?;
        let unseen = letters::unseen(self.reading.into(), &self.alphabet(), inputs);
        logs.iter_mut().zip(unseen).for_each(|(log, letters)| *log += letters.len() as f64 * self.unseen.ln());
        Ok(logs)
    }
    fn scores(&self, inputs: &Strings) -> Result<Matrix> {
        self.scores_within(inputs, &Control::unwatched())
    }
    fn scores_within(&self, inputs: &Strings, control: &Control) -> Result<Matrix> {
        hidden::scores(&self.chain, &self.emission, &self.coded(inputs), inputs.len(), control)
    }
    fn information(&self) -> Option<Matrix> {
        None
    }
    fn log_product(&self, other: &Self, rho: f64) -> Result<f64> {
        self.log_product_within(other, rho, &Control::unwatched())
    }
    fn log_product_within(&self, other: &Self, rho: f64, control: &Control) -> Result<f64> {
        Error::unless_equal("length of the strings of two hidden Markov models", self.length, other.length)?;
        if rho == 1.0 {
            return hidden::log_pair_sum(&self.chain, &other.chain, &self.emitted(other), 0.0, self.length, control);
        }
        self.enumerated(other, rho, control)
    }
    fn arrays(&self, _: &Coordinates) -> Vec<ParameterArray> {
        let axes = vec![ArrayAxis::numbered("state", self.chain.states()), ArrayAxis::letters(&self.alphabet())];
        let mut all = self.chain.arrays();
        all.push(ParameterArray::new("emissionprob", "probability of each letter", axes, self.emission.probabilities.clone()));
        all.push(letters::unseen_array(self.unseen));
        all
    }
    fn observations(&self, inputs: &Strings) -> Vec<usize> {
        letters::observed(self.reading.into(), &self.alphabet(), inputs)
    }
    fn hidden_states(&self, inputs: &Strings, control: &Control) -> Result<Option<Vec<HiddenStates>>> {
        hidden::decoded(&self.chain, &self.emission, &self.coded(inputs), inputs.len(), control).map(Some)
    }
    fn unseen(&self, inputs: &Strings) -> Option<(Vec<usize>, Notice)> {
        letters::rows_of_unseen(self.reading.into(), &self.alphabet(), inputs)
    }
    fn sample(&self, rows: usize, seed: u64) -> Result<Values> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let letters = self.alphabet();
        Control::default().plan("a sample of strings", (rows as u64).saturating_mul(self.length as u64))?;
        let mut string = || {
            let mut state = None;
            let mut letter = |random: &mut _| {
                let now = self.chain.draw(random, state);
                state = Some(now);
                letters[simplex::draw_class(random, &self.emission.probabilities[now * letters.len()..(now + 1) * letters.len()])]
            };
            (0..self.length).map(|_| letter(&mut random)).collect::<String>()
        };
        Ok(Values::Sequences(Strings::new((0..rows).map(|_| string()).collect::<Vec<String>>())))
    }
    fn is_maximum_likelihood(&self) -> bool {
        self.is_maximum
    }
    fn notices(&self) -> Vec<Notice> {
        self.notices.clone()
    }
}
