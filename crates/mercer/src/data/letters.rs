//! Strings as letters of an alphabet: declared or guessed, with both strands of a nucleic acid and ambiguous letters by policy
//! (IUPAC-IUB, Nomenclature for incompletely specified bases, 1985).
//!
//! Nucleic acids and proteins are compared without regard to case, and T and U are one base. Other text is composed (NFC) and
//! compared as it is written.

use super::Strings;
use crate::error::{Error, Result};
use crate::param::{Choice, Domain, OfOneDomain, Param};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The letters that a kernel of strings knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Alphabet {
    /// Guessed from the training rows.
    #[default]
    Auto,
    /// A C G T.
    Dna,
    /// A C G U.
    Rna,
    /// The 20 amino acids.
    Protein,
    /// Every character is a letter.
    Text,
}

/// What is done with a letter that stands for several, such as N for any base.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Ambiguity {
    /// It matches nothing, itself included, and no substring runs across it.
    #[default]
    Split,
    /// It is left out, and its neighbours come together.
    Skip,
    /// It is a letter of its own.
    Letter,
}

/// How a kernel reads strings: three of its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) alphabet: Alphabet,
    pub(crate) ambiguity: Ambiguity,
    pub(crate) reverse_complement: bool,
}

pub(crate) const ALPHABET: Param = Param::fixed(
    "alphabet",
    "letters of the strings: dna, rna or protein, whatever their case, or text, every character as it is; auto: guessed from the training rows",
    Alphabet::DOMAIN,
);
pub(crate) const AMBIGUITY: Param = Param::fixed(
    "ambiguity",
    "letters that stand for several, such as N: split, they match nothing and no substring runs across them; skip, they are left out; letter, they match themselves; a letter that is none of the alphabet splits, or is left out by skip",
    Ambiguity::DOMAIN,
);
/// The parameter `ambiguity` of kernels that allow gaps.
pub(crate) const AMBIGUITY_IN_GAPS: Param = Param::fixed(
    "ambiguity",
    "letters that stand for several, such as N: split, they match nothing, and a gap may run across them; skip, they are left out; letter, they match themselves; a letter that is none of the alphabet is treated as by split, or is left out by skip",
    Ambiguity::DOMAIN,
);
pub(crate) const REVERSE_COMPLEMENT: Param = Param::fixed(
    "reverse_complement",
    "whether both strands of DNA or RNA count: k(x, z) + k(x, reverse complement of z), by features of both strands",
    Domain::Flag,
);

/// A letter that is not known (Unicode's replacement character): it matches nothing, whatever the alphabet and the policy.
pub(crate) const MASKED: char = char::REPLACEMENT_CHARACTER;

const BASES: &[u8] = b"ACGT";
const SEVERAL_BASES: &[u8] = b"RYSWKMBDHVN-.";
/// The complements of those, in their order.
const THEIR_COMPLEMENTS: &[u8] = b"YRSWMKVHDBN-.";
const RESIDUES: &[u8] = b"ACDEFGHIKLMNPQRSTVWY";
/// What stands in sequences of any alphabet and names no letter: gaps and stops.
const GAPS: &[u8] = b"-.*";
/// A letter that is not known, or masked as a vector is.
const MASK: u8 = b'X';
/// Of so many letters, one at most may be none of the alphabet.
const ONE_ODD_IN: usize = 10;

impl Alphabet {
    /// The letters that stand for one thing and those that stand for several; `None` of text.
    fn sets(self) -> Option<(&'static [u8], &'static [u8])> {
        // Selenocysteine and pyrrolysine, which few proteins hold, are among them.
        const SEVERAL_RESIDUES: &[u8] = b"BJZXUO*-.";
        match self {
            Alphabet::Dna | Alphabet::Rna => Some((BASES, SEVERAL_BASES)),
            Alphabet::Protein => Some((RESIDUES, SEVERAL_RESIDUES)),
            Alphabet::Text | Alphabet::Auto => None,
        }
    }
    /// Its name in expressions.
    pub(crate) fn name(self) -> &'static str {
        self.word()
    }

    /// The alphabet in which nine in ten letters are written, whatever their case; gaps and stops are no letters. Proteins are written in
    /// capital letters, most of them at least: words rarely are.
    pub(crate) fn guess<'a>(texts: impl Iterator<Item = &'a str>) -> Alphabet {
        // A guess is made where random English letters would give it less often than this.
        const CHANCE: f64 = 1e-6;
        // The share of the letters of English that are A, C, G, T or U, and that are one of the 20 amino acids (Lewand, Cryptological
        // mathematics, 2000).
        const ENGLISH_BASES: f64 = 0.249;
        const ENGLISH_RESIDUES: f64 = 0.878;
        let (mut counts, mut others) = ([0usize; 128], 0usize);
        for b in texts.flat_map(str::bytes) {
            match counts.get_mut(usize::from(b)) {
                Some(count) => *count += 1,
                // The first byte of a character that is not ASCII.
                None => others += usize::from(b >= 0xC0),
            }
        }
        let small: usize = (b'a'..=b'z').map(|b| counts[usize::from(b)]).sum();
        let capital: usize = (b'A'..=b'Z').map(|b| counts[usize::from(b)]).sum();
        (b'a'..=b'z').for_each(|b| counts[usize::from(b.to_ascii_uppercase())] += std::mem::take(&mut counts[usize::from(b)]));
        let held = |set: &[u8]| set.iter().map(|b| counts[usize::from(*b)]).sum::<usize>();
        let letters = counts.iter().sum::<usize>() + others - held(GAPS);
        let decides = |single: &[u8], unknown: &[u8], english: f64| {
            let own = held(single);
            ONE_ODD_IN * (own + held(unknown)) >= (ONE_ODD_IN - 1) * letters && (own as f64) * english.ln() < CHANCE.ln()
        };
        if decides(b"ACGTU", &[b'N', MASK], ENGLISH_BASES) {
            return if held(b"U") > held(b"T") { Alphabet::Rna } else { Alphabet::Dna };
        }
        if capital > small && decides(RESIDUES, &[MASK], ENGLISH_RESIDUES) { Alphabet::Protein } else { Alphabet::Text }
    }

    /// The letters of the strings that are none of the alphabet, if there are such; of text there are none.
    pub(crate) fn odd_letters(self, inputs: &Strings) -> Option<OddLetters> {
        let (single, several) = self.sets()?;
        let (mut odd, mut letters, mut unknown) = (OddLetters::default(), 0, 0);
        for (row, text) in inputs.iter().enumerate() {
            let before = odd.count;
            for (at, letter) in text.chars().enumerate() {
                letters += 1;
                if letter == MASKED || is_letter_of(letter, single, several) {
                    continue;
                }
                let byte = u8::try_from(letter).unwrap_or(0);
                if odd.count == 0 {
                    odd = OddLetters { row, at, letter, ..odd };
                }
                odd.count += 1;
                unknown += usize::from(byte.eq_ignore_ascii_case(&MASK) || GAPS.contains(&byte));
            }
            odd.rows += usize::from(odd.count > before);
        }
        // Fewer letters are too few to tell.
        odd.too_many = ONE_ODD_IN * (odd.count - unknown) > letters.max(ONE_ODD_IN);
        (odd.count > 0).then_some(odd)
    }
}

/// Letters that are none of an alphabet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OddLetters {
    pub(crate) count: usize,
    /// Rows that hold one.
    pub(crate) rows: usize,
    /// The first: its row and its place there, from 0.
    pub(crate) row: usize,
    pub(crate) at: usize,
    pub(crate) letter: char,
    /// Whether more than one letter in ten is neither of the alphabet nor a gap, a stop or masked.
    pub(crate) too_many: bool,
}

/// Codes of letters, in one byte where there are few.
#[derive(Clone, Debug)]
pub(crate) enum Codes {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
}

/// A code of a letter.
pub(crate) trait Code: Copy + Eq + Ord + Send + Sync + 'static {
    /// Matches nothing, itself included.
    const SPLIT: Self;
    /// A letter that the other batch lacks: it matches nothing there.
    const UNKNOWN: Self;
    /// Matches nothing whatever, [`Code::SPLIT`] and [`Code::UNKNOWN`] included.
    const NOTHING: Self;
    /// The code of this number, [`Code::UNKNOWN`] if there is none.
    fn of(number: usize) -> Self;
    /// Its number.
    fn number(self) -> usize;
    /// Whether it is a letter that the batch of the columns may hold.
    fn is_letter(self) -> bool {
        self < Self::NOTHING
    }
    /// Whether no substring runs across it.
    fn is_split(self) -> bool {
        self == Self::SPLIT
    }
}

macro_rules! code {
    ($($t:ty),*) => {
        $(impl Code for $t {
            const SPLIT: Self = <$t>::MAX;
            const UNKNOWN: Self = <$t>::MAX - 1;
            const NOTHING: Self = <$t>::MAX - 2;
            fn of(number: usize) -> Self {
                if number < Self::NOTHING as usize { number as $t } else { Self::UNKNOWN }
            }
            fn number(self) -> usize {
                usize::from(self)
            }
        })*
    };
}
code!(u8, u16);

/// A batch of strings as codes: equal codes are equal letters, within the batch and against the batch that it was encoded for.
#[derive(Clone, Debug)]
pub(crate) struct Encoded {
    codes: Codes,
    starts: Vec<usize>,
    /// The letter of each code.
    letters: Vec<char>,
    /// Codes below this are letters that the batch of the columns may hold.
    size: usize,
}

/// Runs a block with `$codes` bound to the slice of codes of an [`Encoded`] batch, of whichever width they are.
macro_rules! with_codes {
    ($encoded:expr, $codes:ident => $body:expr) => {
        match $encoded.codes() {
            $crate::data::letters::Codes::Narrow($codes) => $body,
            $crate::data::letters::Codes::Wide($codes) => $body,
        }
    };
}
pub(crate) use with_codes;

impl Reading {
    /// The alphabet, guessed where it is `auto`.
    pub(crate) fn settled(&self, inputs: &Strings) -> Alphabet {
        match (self.alphabet, self.reverse_complement) {
            (Alphabet::Auto, false) => Alphabet::guess(inputs.iter()),
            // Strands are asked for of nucleic acids alone.
            (Alphabet::Auto, true) => {
                if Alphabet::guess(inputs.iter()) == Alphabet::Rna {
                    Alphabet::Rna
                } else {
                    Alphabet::Dna
                }
            }
            (declared, _) => declared,
        }
    }

    /// The number of letters, where the alphabet says so.
    pub(crate) fn fixed_size(&self) -> Option<usize> {
        let (single, several) = self.alphabet.sets()?;
        Some(single.len() + if self.ambiguity == Ambiguity::Letter { several.len() } else { 0 })
    }

    /// An error that names the first letter outside the alphabet where there are many, or strands of what has none.
    pub(crate) fn check(&self, owner: &str, inputs: &Strings) -> Result<()> {
        let without = match self.alphabet {
            Alphabet::Text => "text has no complement; the strings must be DNA or RNA (alphabet=dna)",
            Alphabet::Protein => "a protein has no complement; leave it out, or declare alphabet=dna if these are bases",
            _ => "",
        };
        if self.reverse_complement && !without.is_empty() {
            return Err(Error::Setting { name: format!("{owner}: reverse_complement"), why: without.into() });
        }
        self.refuse(owner, self.alphabet.odd_letters(inputs).filter(|odd| odd.too_many))
    }

    /// An error that names the first letter outside the alphabet.
    pub(crate) fn check_every_letter(&self, owner: &str, inputs: &Strings) -> Result<()> {
        self.refuse(owner, self.alphabet.odd_letters(inputs))
    }

    fn refuse(&self, owner: &str, odd: Option<OddLetters>) -> Result<()> {
        let Some(OddLetters { count, row, at, letter, .. }) = odd else { return Ok(()) };
        let others = if count > 1 { format!(" nor are {} others", count - 1) } else { String::new() };
        Err(Error::Data(format!(
            "row {}: {owner} with alphabet={} found '{letter}' at letter {}, which is none of its letters{others}; correct the rows, or \
             give alphabet=text",
            row + 1,
            self.alphabet.name(),
            at + 1
        )))
    }

    /// The letters of a text that are neither among these, nor those of the alphabet, nor masked.
    pub(crate) fn foreign(&self, known: &BTreeSet<char>, text: &str) -> Vec<char> {
        match self.alphabet.sets() {
            Some((single, several)) => text.chars().filter(|c| *c != MASKED && !is_letter_of(*c, single, several)).collect(),
            None => composed(text.into()).chars().filter(|c| *c != MASKED && !known.contains(c)).collect(),
        }
    }

    /// The strings as codes; against a batch of columns, by its codes.
    pub(crate) fn encode(&self, inputs: &Strings, like: Option<&Encoded>) -> Encoded {
        let mut starts = Vec::with_capacity(inputs.len() + 1);
        starts.push(0);
        let Some((single, several)) = self.alphabet.sets() else {
            return self.encode_text(inputs, like);
        };
        let mut codes: Vec<u8> = Vec::with_capacity(inputs.iter().map(str::len).sum());
        for text in inputs.iter() {
            for c in text.chars() {
                match u8::try_from(c).ok().and_then(|b| place(b, single, several)) {
                    Some(place) if place < single.len() || self.ambiguity == Ambiguity::Letter => codes.push(place as u8),
                    _ if self.ambiguity == Ambiguity::Skip && c != MASKED => {}
                    _ => codes.push(u8::SPLIT),
                }
            }
            starts.push(codes.len());
        }
        let letters: Vec<char> = single
            .iter()
            .chain(several)
            .map(|b| char::from(if *b == b'T' && self.alphabet == Alphabet::Rna { b'U' } else { *b }))
            .collect();
        let size = self.fixed_size().unwrap_or(letters.len());
        Encoded { codes: Codes::Narrow(codes), starts, letters, size }
    }

    /// Every character is a letter; those of the columns come first.
    fn encode_text(&self, inputs: &Strings, like: Option<&Encoded>) -> Encoded {
        let mut numbers: BTreeMap<char, usize> = BTreeMap::new();
        let texts: Vec<_> = inputs.iter().map(|s| composed(s.into())).collect();
        texts.iter().flat_map(|t| t.chars()).filter(|c| *c != MASKED).for_each(|c| {
            numbers.insert(c, 0);
        });
        let mut letters: Vec<char> = like.map_or_else(Vec::new, |l| l.letters.clone());
        let known: BTreeMap<char, usize> = letters.iter().enumerate().map(|(k, c)| (*c, k)).collect();
        for (c, number) in &mut numbers {
            *number = known.get(c).copied().unwrap_or_else(|| {
                letters.push(*c);
                letters.len() - 1
            });
        }
        let narrow = like.map_or(letters.len() <= usize::from(u8::NOTHING), |l| matches!(l.codes, Codes::Narrow(_)));
        fn written<C: Code>(texts: &[Cow<'_, str>], numbers: &BTreeMap<char, usize>) -> (Vec<C>, Vec<usize>) {
            let (mut codes, mut starts) = (Vec::new(), vec![0]);
            for text in texts {
                codes.extend(text.chars().map(|c| numbers.get(&c).map_or(C::SPLIT, |number| C::of(*number))));
                starts.push(codes.len());
            }
            (codes, starts)
        }
        let (codes, starts) = if narrow {
            let (codes, starts) = written(&texts, &numbers);
            (Codes::Narrow(codes), starts)
        } else {
            let (codes, starts) = written(&texts, &numbers);
            (Codes::Wide(codes), starts)
        };
        let size = like.map_or(letters.len(), |l| l.size);
        Encoded { codes, starts, letters, size }
    }
}

/// Whether a letter stands for one thing or for several.
fn is_letter_of(letter: char, single: &[u8], several: &[u8]) -> bool {
    u8::try_from(letter).is_ok_and(|b| place(b, single, several).is_some())
}

/// The place of a letter among those that stand for one thing and then those that stand for several.
fn place(letter: u8, single: &[u8], several: &[u8]) -> Option<usize> {
    let letter = letter.to_ascii_uppercase();
    let letter = if letter == b'U' && single.len() == BASES.len() { b'T' } else { letter };
    let own = single.iter().position(|b| *b == letter);
    own.or_else(|| several.iter().position(|b| *b == letter).map(|k| single.len() + k))
}

/// The code of the complementary base.
pub(crate) fn complement<C: Code>(code: C) -> C {
    match code.number() {
        base if base < BASES.len() => C::of(BASES.len() - 1 - base),
        other if other < BASES.len() + SEVERAL_BASES.len() => {
            let complement = THEIR_COMPLEMENTS[other - BASES.len()];
            SEVERAL_BASES.iter().position(|b| *b == complement).map_or(code, |k| C::of(BASES.len() + k))
        }
        _ => code,
    }
}

/// The text with its letters and marks composed (NFC): a letter with an accent is the same in however many characters it came.
pub(crate) fn composed(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes { text } else { Cow::Owned(text.nfc().collect()) }
}

impl Encoded {
    /// The letters that its codes stand for.
    pub(crate) fn letters(&self) -> &[char] {
        &self.letters
    }
    /// No string, and letters that other strings are encoded for.
    pub(crate) fn of_letters(letters: Vec<char>) -> Encoded {
        let codes = if letters.len() <= usize::from(u8::NOTHING) { Codes::Narrow(Vec::new()) } else { Codes::Wide(Vec::new()) };
        let size = letters.len();
        Encoded { codes, starts: vec![0], letters, size }
    }
    /// Its letters alone.
    pub(crate) fn without_strings(&self) -> Encoded {
        let codes = if matches!(self.codes, Codes::Narrow(_)) { Codes::Narrow(Vec::new()) } else { Codes::Wide(Vec::new()) };
        Encoded { codes, starts: vec![0], letters: self.letters.clone(), size: self.size }
    }
    /// One of its strings.
    pub(crate) fn row(&self, i: usize) -> Encoded {
        let codes = match &self.codes {
            Codes::Narrow(codes) => Codes::Narrow(codes[self.range(i)].to_vec()),
            Codes::Wide(codes) => Codes::Wide(codes[self.range(i)].to_vec()),
        };
        Encoded { codes, starts: vec![0, self.length(i)], letters: self.letters.clone(), size: self.size }
    }
    /// How many strings.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }
    /// All codes, one string after the other.
    pub(crate) fn codes(&self) -> &Codes {
        &self.codes
    }
    /// Where the codes of a string are.
    pub(crate) fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }
    /// Letters of a string.
    pub(crate) fn length(&self, row: usize) -> usize {
        self.range(row).len()
    }
    /// The number of different letters of the batch of the columns.
    pub(crate) fn size(&self) -> usize {
        self.size
    }
    /// The letter of a code.
    pub(crate) fn letter(&self, code: usize) -> char {
        self.letters.get(code).copied().unwrap_or(MASKED)
    }
    /// Every string with its reverse complement behind it, and a code that matches nothing between them.
    pub(crate) fn with_reverse_complements(&self) -> Encoded {
        fn both<C: Code>(codes: &[C], starts: &[usize]) -> Vec<C> {
            let of = |w: &[usize]| {
                let string = &codes[w[0]..w[1]];
                string.iter().copied().chain([C::SPLIT]).chain(string.iter().rev().map(|c| complement(*c))).collect::<Vec<C>>()
            };
            starts.windows(2).flat_map(of).collect()
        }
        let codes = match &self.codes {
            Codes::Narrow(codes) => Codes::Narrow(both(codes, &self.starts)),
            Codes::Wide(codes) => Codes::Wide(both(codes, &self.starts)),
        };
        let starts = self.starts.iter().enumerate().map(|(i, start)| 2 * start + i).collect();
        Encoded { codes, starts, letters: self.letters.clone(), size: self.size }
    }
}
