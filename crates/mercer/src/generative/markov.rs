//! markov: ln p(x) = sum over places t > L of ln theta(x_t | x_(t-L) .. x_(t-1)) - (letters without a full context) ln A: a Markov chain
//! of order L over A letters, given the length of the string (Murphy 2012, 17.2; Saunders, Shawe-Taylor & Vinokourov 2003).
//!
//! theta(a | u) = (c_ua + prior) / (N_u + A prior) with the weighted counts c_ua of the letter a after the context u, N_u = sum_a c_ua.
//! A letter that no training row has is given the probability of `unseen_probability` after any context, and begins a new one.
//! The score vector is in the isometric log-ratios of each context: an orthonormal basis of c_u - N_u theta_u.

mod fitted;

use super::counts::PRIOR;
use super::{GenerativeModel, letters};
use crate::control::Control;
use crate::data::letters::{ALPHABET, AMBIGUITY, Alphabet, Ambiguity, Encoded, Reading};
use crate::data::{Cells, RowWeights, Strings};
use crate::error::{Error, Result};
use crate::param::Value;
use fitted::FittedMarkov;
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// Markov chains over the letters of strings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Markov {
    /// letters that the next one depends on
    #[param(default = 1.0, domain = Integer(0, 12))]
    order: Value,
    /// count of each transition before any string is seen (1/2: Jeffreys' prior); 0: maximum likelihood, where every transition must occur
    #[param(default = PRIOR, domain = NonNegative)]
    prior: Value,
    /// letters of a string that the Fisher information, samples and products of two chains are for; auto: the mean length of the training
    /// rows
    #[param(domain = Integer(1, 1_000_000))]
    length: Value,
    #[param(ALPHABET)]
    alphabet: Alphabet,
    #[param(AMBIGUITY)]
    ambiguity: Ambiguity,
}

/// Transition probabilities of the largest chain that is fitted: 128 MiB.
const MOST_TRANSITIONS: usize = 1 << 24;

impl Markov {
    fn reading(&self) -> Reading {
        Reading { alphabet: self.alphabet, ambiguity: self.ambiguity, reverse_complement: false }
    }

    /// Transition probabilities of a chain over so many letters, where they are not too many.
    fn transitions(&self, letters: usize) -> Option<usize> {
        letters.checked_pow(self.order.integer() as u32 + 1).filter(|count| *count <= MOST_TRANSITIONS)
    }

    /// The chain of these strings over the letters of a batch; beside all strings, where they are those of a class.
    fn fitted(
        &self,
        encoded: &Encoded,
        weights: &dyn Fn(usize) -> f64,
        all: (&Strings, RowWeights<'_>),
        control: &Control,
    ) -> Result<FittedMarkov> {
        let (size, order, prior) = (encoded.size(), self.order.integer(), self.prior.number());
        if size == 0 {
            return Err(Error::Data(format!("{}: there is no letter in the rows that it is to be fitted to", Self::NAME)));
        }
        let Some(count) = self.transitions(size) else {
            let why = format!("{size} letters have more than {MOST_TRANSITIONS} transitions of this order; lower it");
            return Err(Error::Setting { name: format!("{}: order={order}", Self::NAME), why });
        };
        control.plan("transition probabilities of a Markov chain", 16 * count as u64)?;
        let mut counts = vec![prior; count];
        for row in 0..encoded.len() {
            let weight = weights(row);
            fitted::each_transition(encoded, row, order, |transition| counts[transition] += weight);
        }
        let letters: Vec<char> = (0..size).map(|code| encoded.letter(code)).collect();
        if let Some(absent) = counts.iter().position(|c| *c <= 0.0) {
            let (letter, context) = (letters[absent % size], fitted::context(&letters, order, absent / size));
            let after = if order == 0 { String::new() } else { format!(" after '{context}'") };
            let why =
                format!("the letter '{letter}' never comes{after} in the rows, and would have the probability 0; give a prior above 0");
            return Err(Error::Setting { name: format!("{}: prior=0", Self::NAME), why });
        }
        for row in counts.chunks_mut(size) {
            let total = row.iter().sum::<f64>().ln();
            row.iter_mut().for_each(|c| *c = c.ln() - total);
        }
        let unseen = letters::unseen_probability(self.reading(), &letters, all, prior);
        let (reading, length) = (self.reading().into(), self.length.integer());
        Ok(FittedMarkov { reading, letters, order, length, log_probabilities: counts, unseen, unsmoothed: prior == 0.0 })
    }
}

impl GenerativeModel for Markov {
    const NAME: &'static str = "markov";
    const DOC: &'static str =
        "product over places t of theta(x_t | the letters at t - order .. t - 1): strings by which letters follow which";
    const SOURCE: &'static str =
        "Saunders, Shawe-Taylor & Vinokourov, String kernels, Fisher kernels and finite state automata (2003); Murphy (2012), 17.2";
    type Inputs = Strings;
    type Fitted = FittedMarkov;

    fn settle(&self, inputs: &Strings, weights: RowWeights<'_>) -> Self {
        let alphabet = self.reading().settled(inputs);
        let settled = Markov { alphabet, ..self.clone() };
        let mean = || {
            let encoded = settled.reading().encode(inputs, None);
            let letters: f64 = (0..inputs.len()).map(|i| weights.at(i) * encoded.length(i) as f64).sum();
            (letters / weights.total(inputs.len()).max(f64::MIN_POSITIVE)).round().max(settled.order.number() + 1.0)
        };
        Markov { length: self.length.settle_by(mean), ..settled }
    }
    fn check(&self, inputs: &Strings) -> Result<()> {
        if self.length.integer() <= self.order.integer() {
            let name = format!("{}: length={}", Self::NAME, self.length);
            return Err(Error::Setting {
                name,
                why: format!("a string has more letters than the order, {}, or no transition", self.order),
            });
        }
        self.reading().check(Self::NAME, inputs)
    }
    fn free_parameters(&self, _: &Strings) -> Option<usize> {
        let size = self.reading().fixed_size()?;
        self.transitions(size).map(|count| count - count / size)
    }
    fn fit(&self, inputs: &Strings, weights: RowWeights<'_>, _seed: u64, control: &Control) -> Result<FittedMarkov> {
        let counted: Vec<usize> = (0..inputs.len()).filter(|&i| weights.at(i) > 0.0).collect();
        if counted.is_empty() {
            return Err(Error::Data(format!("{}: there is no row of positive weight to fit it to", Self::NAME)));
        }
        self.fitted(&self.reading().encode(&inputs.select(&counted), None), &|k| weights.at(counted[k]), (inputs, weights), control)
    }
    /// Over the letters of all training rows.
    fn fit_class(
        &self,
        inputs: &Strings,
        weights: RowWeights<'_>,
        all: (&Strings, RowWeights<'_>),
        _seed: u64,
        control: &Control,
    ) -> Result<FittedMarkov> {
        let letters = self.reading().encode(all.0, None);
        self.fitted(&self.reading().encode(inputs, Some(&letters)), &|i| weights.at(i), all, control)
    }
    /// Over the letters of all training rows: a letter that these rows lack has the probability of the prior.
    fn fit_like(&self, inputs: &Strings, pooled: &FittedMarkov, _seed: u64, control: &Control) -> Result<FittedMarkov> {
        self.fitted(&pooled.encode(inputs), &|_| 1.0, (inputs, RowWeights::default()), control)
    }
}
