//! A fitted Markov chain: densities, score vectors, information, samples, products.

use super::super::counts::drawn;
use super::super::letters::{self, StoredReading};
use super::super::log_ratios;
use crate::blocks;
use crate::control::Control;
use crate::data::letters::{Code, Encoded, Reading, with_codes};
use crate::data::{Strings, Values};
use crate::error::{Error, Result};
use crate::generative::{ArrayAxis, Coordinates, FittedDistribution, FreeParameter, ParameterArray};
use crate::linalg::Matrix;
use crate::notice::Notice;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// A Markov chain with its transition probabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredMarkov")]
pub struct FittedMarkov {
    pub(super) reading: StoredReading,
    pub(super) letters: Vec<char>,
    pub(super) order: usize,
    /// Letters of a string that samples, information and products are for.
    pub(super) length: usize,
    /// ln theta(a | u) at u A + a, u being the number of the context, whose last letter counts for 1.
    #[serde(with = "blocks::f64s")]
    pub(super) log_probabilities: Vec<f64>,
    /// The probability of a letter that no training row has.
    pub(super) unseen: f64,
    /// Whether no prior moved the probabilities.
    pub(super) unsmoothed: bool,
}

/// A chain as a file holds it, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredMarkov {
    reading: StoredReading,
    letters: Vec<char>,
    order: usize,
    length: usize,
    #[serde(with = "blocks::f64s")]
    log_probabilities: Vec<f64>,
    unseen: f64,
    unsmoothed: bool,
}

impl TryFrom<StoredMarkov> for FittedMarkov {
    type Error = Error;
    fn try_from(stored: StoredMarkov) -> Result<Self> {
        let StoredMarkov { reading, letters, order, length, log_probabilities, unseen, unsmoothed } = stored;
        let size = letters.len();
        let expected = u32::try_from(order).ok().and_then(|order| size.checked_pow(order.checked_add(1)?));
        let sums_to_1 = |row: &[f64]| (row.iter().map(|x| x.exp()).sum::<f64>() - 1.0).abs() <= 1e-9;
        let sound = size > 0
            && expected == Some(log_probabilities.len())
            && length > order
            && letters::is_unseen_probability(unseen)
            && log_probabilities.iter().all(|x| x.is_finite())
            && log_probabilities.chunks(size).all(sums_to_1);
        let fitted = FittedMarkov { reading, letters, order, length, log_probabilities, unseen, unsmoothed };
        let known = fitted.reading().fixed_size().is_none_or(|fixed| fixed == size);
        if sound && known { Ok(fitted) } else { Err(Error::Data("a stored Markov chain has probabilities that none has".into())) }
    }
}

/// The letters of the context of a number.
pub(super) fn context(letters: &[char], order: usize, number: usize) -> String {
    let size = letters.len();
    (0..order).rev().map(|place| letters[number / size.pow(place as u32) % size]).collect()
}

/// Calls `visit` with u A + a for every letter a of a string that follows a full context u; a letter outside the alphabet ends a context.
pub(super) fn each_transition(encoded: &Encoded, row: usize, order: usize, mut visit: impl FnMut(usize)) {
    let size = encoded.size();
    let contexts = size.pow(order as u32);
    let (mut known, mut context) = (0, 0);
    with_codes!(encoded, codes => for code in &codes[encoded.range(row)] {
        let letter = code.number();
        if letter >= size {
            (known, context) = (0, 0);
            continue;
        }
        if known >= order {
            visit(context * size + letter);
        }
        (known, context) = (known + 1, (context * size + letter) % contexts);
    });
}

impl FittedMarkov {
    fn reading(&self) -> Reading {
        self.reading.into()
    }
    /// Strings as codes of the letters of the chain.
    pub(super) fn encode(&self, inputs: &Strings) -> Encoded {
        self.reading().encode(inputs, Some(&Encoded::of_letters(self.letters.clone())))
    }
    fn size(&self) -> usize {
        self.letters.len()
    }
    fn contexts(&self) -> usize {
        self.log_probabilities.len() / self.size()
    }

    /// Numbers made of c_u - N_u theta_u and theta_u by `write`, for each string and context u; one row a string.
    fn residuals(&self, inputs: &Strings, write: impl Fn(usize, &[f64], &[f64], &mut Vec<f64>)) -> Result<Matrix> {
        let (encoded, size) = (self.encode(inputs), self.size());
        let probabilities: Vec<f64> = self.log_probabilities.iter().map(|x| x.exp()).collect();
        let mut all = Vec::with_capacity(encoded.len() * (probabilities.len() - self.contexts()));
        let mut counts = vec![0.0; probabilities.len()];
        for row in 0..encoded.len() {
            counts.fill(0.0);
            each_transition(&encoded, row, self.order, |transition| counts[transition] += 1.0);
            for (u, (c, p)) in counts.chunks_mut(size).zip(probabilities.chunks(size)).enumerate() {
                let total: f64 = c.iter().sum();
                c.iter_mut().zip(p).for_each(|(c, p)| *c -= total * p);
                write(u, c, p, &mut all);
            }
        }
        Matrix::new(encoded.len(), probabilities.len() - self.contexts(), all)
    }

    /// E N_u over strings of the length of the chain.
    fn expected_contexts(&self) -> Vec<f64> {
        let (size, contexts) = (self.size(), self.contexts());
        let probabilities: Vec<f64> = self.log_probabilities.iter().map(|x| x.exp()).collect();
        let mut expected = vec![0.0; contexts];
        let mut now = vec![1.0 / contexts as f64; contexts];
        for left in (1..=self.length - self.order).rev() {
            let mut next = vec![0.0; contexts];
            for (transition, p) in probabilities.iter().enumerate() {
                next[transition % contexts] += now[transition / size] * p;
            }
            // At rest every later place is like this one.
            let at_rest = now.iter().zip(&next).all(|(a, b)| (a - b).abs() <= f64::EPSILON * a);
            let places = if at_rest { left as f64 } else { 1.0 };
            expected.iter_mut().zip(&now).for_each(|(sum, p)| *sum += places * p);
            if at_rest {
                break;
            }
            now = next;
        }
        expected
    }
}

impl FittedDistribution for FittedMarkov {
    type Inputs = Strings;

    fn parameters(&self) -> Vec<FreeParameter> {
        let named = |(u, logs): (usize, &[f64])| {
            let context = context(&self.letters, self.order, u);
            let after = if self.order == 0 { String::new() } else { format!("{context},") };
            let ratios: Vec<f64> = log_ratios::contrasts(logs).collect();
            ratios
                .into_iter()
                .zip(&self.letters[1..])
                .map(move |(value, letter)| FreeParameter { name: format!("log_ratio[{after}{letter}]"), value })
                .collect::<Vec<_>>()
        };
        self.log_probabilities.chunks(self.size()).enumerate().flat_map(named).collect()
    }
    fn with_parameters(&self, values: &[f64]) -> Result<Self> {
        Error::unless_equal("free parameters of a Markov chain", self.log_probabilities.len() - self.contexts(), values.len())?;
        if self.size() == 1 {
            return Ok(self.clone());
        }
        let log_probabilities: Vec<f64> = values.chunks(self.size() - 1).flat_map(log_ratios::log_probabilities).collect();
        match values.iter().find(|x| !x.is_finite()) {
            Some(value) => Err(Error::Data(format!("a log-ratio of probabilities is finite, found {value}"))),
            None => Ok(FittedMarkov { log_probabilities, unsmoothed: false, ..self.clone() }),
        }
    }
    fn log_densities(&self, inputs: &Strings) -> Result<Vec<f64>> {
        let (encoded, alike) = (self.encode(inputs), (self.size() as f64).ln());
        let unseen = letters::unseen(self.reading(), &self.letters, inputs);
        let of = |row: usize| {
            let (mut sum, mut counted) = (0.0, 0);
            each_transition(&encoded, row, self.order, |transition| {
                (sum, counted) = (sum + self.log_probabilities[transition], counted + 1);
            });
            let unseen = unseen[row].len();
            sum - (encoded.length(row) - counted - unseen) as f64 * alike + unseen as f64 * self.unseen.ln()
        };
        Ok((0..encoded.len()).map(of).collect())
    }
    fn scores(&self, inputs: &Strings) -> Result<Matrix> {
        self.residuals(inputs, |_, d, _, out| out.extend(log_ratios::contrasts(d)))
    }
    /// E N_u V'(diag(theta_u) - theta_u theta_u')V for each context u, and 0 between contexts.
    fn information(&self) -> Option<Matrix> {
        let (size, free) = (self.size(), self.size() - 1);
        let mut all = Matrix::zeros(self.contexts() * free, self.contexts() * free);
        for (u, (visits, logs)) in self.expected_contexts().into_iter().zip(self.log_probabilities.chunks(size)).enumerate() {
            let p: Vec<f64> = logs.iter().map(|x| x.exp()).collect();
            for k in 0..free {
                log_ratios::information_row(&p, k).iter().enumerate().for_each(|(l, x)| all[(u * free + k, u * free + l)] = visits * x);
            }
        }
        Some(all)
    }
    fn whitened_scores(&self, inputs: &Strings) -> Result<Option<Matrix>> {
        let scales: Vec<f64> = self.expected_contexts().into_iter().map(|visits| visits.max(f64::MIN_POSITIVE).sqrt().recip()).collect();
        self.residuals(inputs, |u, d, p, out| out.extend(log_ratios::whitened(d, p).map(|f| f * scales[u]))).map(Some)
    }
    fn arrays(&self, _: &Coordinates) -> Vec<ParameterArray> {
        let (letter, contexts) = (ArrayAxis::letters(&self.letters), (0..self.contexts()).map(|u| context(&self.letters, self.order, u)));
        let before = ArrayAxis { of: "after", labels: contexts.collect() };
        let next = self.log_probabilities.iter().map(|log| log.exp()).collect();
        let alike = vec![1.0 / self.size() as f64; self.size()];
        let mut all = vec![ParameterArray::new("transmat", "probability of the next letter", vec![before, letter.clone()], next)];
        if self.order > 0 {
            all.insert(0, ParameterArray::new("startprob", "probability of the first letters, which are given", vec![letter], alike));
        }
        all.push(letters::unseen_array(self.unseen));
        all
    }
    fn observations(&self, inputs: &Strings) -> Vec<usize> {
        letters::observed(self.reading(), &self.letters, inputs)
    }
    fn unseen(&self, inputs: &Strings) -> Option<(Vec<usize>, Notice)> {
        letters::rows_of_unseen(self.reading(), &self.letters, inputs)
    }
    /// Strings of the length of the chain.
    fn sample(&self, rows: usize, seed: u64) -> Result<Values> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (size, contexts) = (self.size(), self.contexts());
        let probabilities: Vec<f64> = self.log_probabilities.iter().map(|x| x.exp()).collect();
        let alike = vec![1.0 / size as f64; size];
        let mut one = || {
            let mut context = 0;
            let mut letter = |place: usize| {
                let row = if place < self.order { alike.as_slice() } else { &probabilities[context * size..(context + 1) * size] };
                let letter = drawn(row, random.random());
                context = (context * size + letter) % contexts;
                self.letters[letter]
            };
            (0..self.length).map(&mut letter).collect::<String>()
        };
        let strings: Vec<String> = (0..rows).map(|_| one()).collect();
        Ok(Values::Sequences(Strings::new(strings)))
    }
    fn is_maximum_likelihood(&self) -> bool {
        self.unsmoothed
    }
    fn log_product(&self, other: &Self, rho: f64) -> Result<f64> {
        self.log_product_within(other, rho, &Control::unwatched())
    }
    /// ln of the sum over all strings of the length of the chains, by a recursion over places whose state is the context.
    fn log_product_within(&self, other: &Self, rho: f64, control: &Control) -> Result<f64> {
        // Transitions that are gone through between two looks at the clock.
        const TRANSITIONS: usize = 1 << 16;
        if (&self.letters, self.order, self.length) != (&other.letters, other.order, other.length) {
            return Err(Error::Data("two Markov chains have other letters, orders or lengths, and no product".into()));
        }
        let (size, contexts) = (self.size(), self.contexts());
        let steps: Vec<f64> = self.log_probabilities.iter().zip(&other.log_probabilities).map(|(a, b)| (rho * (a + b)).exp()).collect();
        let mut log = -2.0 * rho * self.order as f64 * (size as f64).ln();
        let (mut now, mut next) = (vec![1.0; contexts], vec![0.0; contexts]);
        let look = (TRANSITIONS / steps.len().max(1)).max(1);
        for place in self.order..self.length {
            if place % look == 0 {
                control.check_time("the product of two Markov chains")?;
            }
            next.fill(0.0);
            for (transition, step) in steps.iter().enumerate() {
                next[transition % contexts] += now[transition / size] * step;
            }
            let greatest = next.iter().copied().fold(0.0, f64::max);
            if greatest <= 0.0 {
                return Ok(f64::NEG_INFINITY);
            }
            log += greatest.ln();
            next.iter_mut().for_each(|x| *x /= greatest);
            std::mem::swap(&mut now, &mut next);
        }
        Ok(log + now.iter().sum::<f64>().ln())
    }
}
