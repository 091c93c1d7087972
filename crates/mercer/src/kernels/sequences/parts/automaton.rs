//! The suffix automaton of a batch of strings: every substring of them has a state, and substrings that end at the same places share one
//! (Blumer et al., 1985; for several strings at once, Mohri, Moreno & Weinstein, 2009). Built in time linear in the letters.

use super::letters::Code;
use super::weights::SubstringWeights;
use crate::control::Control;
use crate::error::Result;
use crate::linalg::count_scattered;
use std::collections::HashMap;

/// Alphabets of up to so many letters have a table of transitions; larger ones a hash map. 24 letters of 4 bytes are 96 bytes a state, the
/// size of three entries of a map, and a state has 1.5 transitions on average.
const TABLE: usize = 24;
const NONE: u32 = u32::MAX;
const ROOT: u32 = 0;

/// Transitions of all states.
#[derive(Debug)]
enum Transitions {
    Table { size: usize, to: Vec<u32> },
    Map(HashMap<(u32, u32), u32>),
}

impl Transitions {
    fn get(&self, state: u32, letter: usize) -> u32 {
        count_scattered(1);
        match self {
            Transitions::Table { size, to } => {
                if letter < *size {
                    to[state as usize * size + letter]
                } else {
                    NONE
                }
            }
            Transitions::Map(map) => map.get(&(state, letter as u32)).copied().unwrap_or(NONE),
        }
    }
    fn set(&mut self, state: u32, letter: usize, target: u32) {
        count_scattered(1);
        match self {
            Transitions::Table { size, to } => to[state as usize * *size + letter] = target,
            Transitions::Map(map) => {
                map.insert((state, letter as u32), target);
            }
        }
    }
    fn add_state(&mut self) {
        if let Transitions::Table { size, to } = self {
            to.resize(to.len() + *size, NONE);
        }
    }
    fn copy(&mut self, from: u32, to_state: u32, letters: usize) {
        count_scattered(letters);
        match self {
            Transitions::Table { size, to } => {
                let (from, at) = (from as usize * *size, to_state as usize * *size);
                to.copy_within(from..from + *size, at);
            }
            Transitions::Map(map) => {
                for letter in 0..letters as u32 {
                    if let Some(&target) = map.get(&(from, letter)) {
                        map.insert((to_state, letter), target);
                    }
                }
            }
        }
    }
}

/// States with the length of their longest substring and the state of the longest suffix that ends elsewhere too.
#[derive(Debug)]
pub(crate) struct Automaton {
    letters: usize,
    transitions: Transitions,
    longest: Vec<u32>,
    links: Vec<u32>,
    /// Weight of all substrings of each state, and of all their suffixes with them.
    weights: Vec<f64>,
}

impl Automaton {
    /// Of strings over so many letters; codes that are no letter end a substring.
    ///
    /// # Errors
    /// Bounds of `control`, which is asked for time between strings.
    pub(crate) fn of<'c, C: Code>(
        strings: impl Iterator<Item = &'c [C]>,
        letters: usize,
        weights: &SubstringWeights,
        control: &Control,
    ) -> Result<Automaton> {
        let transitions =
            if letters <= TABLE { Transitions::Table { size: letters, to: vec![NONE; letters] } } else { Transitions::Map(HashMap::new()) };
        let mut automaton = Automaton { letters, transitions, longest: vec![0], links: vec![NONE], weights: Vec::new() };
        for string in strings {
            control.check_time("counts of substrings")?;
            let mut last = ROOT;
            for &code in string {
                last = if code.number() < letters { automaton.extend(last, code.number()) } else { ROOT };
            }
        }
        let shortest = |state: usize| if state == 0 { 0 } else { automaton.longest[automaton.links[state] as usize] as usize };
        automaton.weights = (0..automaton.longest.len()).map(|v| weights.between(shortest(v), automaton.longest[v] as usize)).collect();
        Ok(automaton)
    }

    /// How many states there are.
    pub(crate) fn states(&self) -> usize {
        self.longest.len()
    }

    fn add_state(&mut self, longest: u32, link: u32) -> u32 {
        self.transitions.add_state();
        self.longest.push(longest);
        self.links.push(link);
        (self.longest.len() - 1) as u32
    }

    /// The state of the substring of `last` with one more letter.
    fn extend(&mut self, last: u32, letter: usize) -> u32 {
        let next = self.transitions.get(last, letter);
        if next != NONE {
            // Known from a string before.
            return if self.longest[next as usize] == self.longest[last as usize] + 1 { next } else { self.split(last, letter, next) };
        }
        let state = self.add_state(self.longest[last as usize] + 1, NONE);
        let mut from = last;
        while from != NONE && self.transitions.get(from, letter) == NONE {
            self.transitions.set(from, letter, state);
            from = self.links[from as usize];
        }
        self.links[state as usize] = if from == NONE {
            ROOT
        } else {
            let next = self.transitions.get(from, letter);
            if self.longest[next as usize] == self.longest[from as usize] + 1 { next } else { self.split(from, letter, next) }
        };
        state
    }

    /// Gives the substrings of `next` that are no longer than those of `from` and a letter a state of their own.
    fn split(&mut self, from: u32, letter: usize, next: u32) -> u32 {
        let own = self.add_state(self.longest[from as usize] + 1, self.links[next as usize]);
        self.transitions.copy(next, own, self.letters);
        self.links[next as usize] = own;
        let mut state = from;
        while state != NONE && self.transitions.get(state, letter) == next {
            self.transitions.set(state, letter, own);
            state = self.links[state as usize];
        }
        own
    }

    /// For every place of a string, the state of the longest suffix that ends there and is a substring of the batch, and its length.
    fn matches<C: Code>(&self, string: &[C], mut each: impl FnMut(u32, usize)) {
        let (mut state, mut length) = (ROOT, 0usize);
        for &code in string {
            let letter = code.number();
            loop {
                let next = if letter < self.letters { self.transitions.get(state, letter) } else { NONE };
                if next != NONE {
                    (state, length) = (next, length + 1);
                    break;
                }
                if state == ROOT || letter >= self.letters {
                    (state, length) = (ROOT, 0);
                    break;
                }
                state = self.links[state as usize];
                length = self.longest[state as usize] as usize;
            }
            if state != ROOT {
                each(state, length);
            }
        }
    }

    /// Features of a string: for each state the sum over its substrings s of w_s times how often s occurs, over the root of their weight; and
    /// the inner product of two strings of the batch is that of their features. `seen` has a place for each state, all 0 before and after.
    pub(crate) fn features<C: Code>(
        &self,
        string: &[C],
        weights: &SubstringWeights,
        seen: &mut [f64],
        touched: &mut Vec<u32>,
    ) -> Vec<(u32, f64)> {
        // Tells a state that a string has met from one that it has not: counts are whole and below.
        const MARK: f64 = 0.5;
        // Occurrences of whole states go up to their suffixes; what is matched in part counts for its lengths alone.
        let mut partial: Vec<(u32, f64)> = Vec::new();
        touched.clear();
        let mut touch = |mut state: u32, seen: &mut [f64]| {
            let before = touched.len();
            while state != ROOT && seen[state as usize] == 0.0 {
                // Marks it; the mark is taken off below.
                seen[state as usize] = MARK;
                touched.push(state);
                state = self.links[state as usize];
            }
            touched[before..].reverse();
        };
        self.matches(string, |state, length| {
            touch(state, seen);
            let link = self.links[state as usize];
            if length == self.longest[state as usize] as usize {
                seen[state as usize] += 1.0;
            } else {
                let shortest = self.longest[link as usize] as usize;
                partial.push((state, weights.between(shortest, length)));
                if link != ROOT {
                    seen[link as usize] += 1.0;
                }
            }
        });
        // Before each state stand its suffixes: the other way round what occurs as a whole has been added up when it goes on to them.
        for &state in touched.iter().rev() {
            let count = seen[state as usize] - MARK;
            let link = self.links[state as usize];
            if link != ROOT {
                seen[link as usize] += count;
            }
            // From here on its feature.
            seen[state as usize] = count * self.weights[state as usize].sqrt();
        }
        let parts = partial.len();
        for (state, part) in partial {
            let weight = self.weights[state as usize];
            if weight > 0.0 {
                seen[state as usize] += part / weight.sqrt();
            }
        }
        let mut features = Vec::with_capacity(touched.len());
        let take = |state: u32| {
            let value = std::mem::take(&mut seen[state as usize]);
            if value > 0.0 {
                features.push((state, value));
            }
        };
        // In the order of the states: sorted, or met on a pass over all of them.
        let sorting = touched.len() * touched.len().max(1).ilog2() as usize;
        if sorting < self.states() {
            touched.sort_unstable();
            touched.iter().copied().for_each(take);
        } else {
            (0..self.states() as u32).for_each(take);
        }
        count_scattered(2 * touched.len() + parts + sorting.min(self.states()));
        features
    }
}
