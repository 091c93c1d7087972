//! The kernel of sequences where none is given, by their alphabet and lengths.

use super::letters::Alphabet;
use crate::data::Strings;
use crate::kernels::{Blended, Composed, Gapped, KernelExpr, Normalise, Spectrum, WeightedDegree};

/// The kernels that are added for these sequences, each normalised, and why: nucleic acids by gapped words, proteins by their substrings of up
/// to four residues, other strings by those of three characters; and where all have the same length, place by place too.
pub(crate) fn usual(strings: &Strings) -> (Vec<KernelExpr>, String) {
    let alphabet = Alphabet::guess(strings.iter());
    let (by_content, how) = match alphabet {
        Alphabet::Dna | Alphabet::Rna => (KernelExpr::Gapped(Gapped::short()), "by the gapped words they hold"),
        Alphabet::Protein => (KernelExpr::Blended(Blended::default()), "by the substrings they hold"),
        Alphabet::Text | Alphabet::Auto => (KernelExpr::Spectrum(Spectrum::default()), "by their runs of three characters"),
    };
    let letters = match alphabet {
        Alphabet::Dna => "sequences of DNA",
        Alphabet::Rna => "sequences of RNA",
        Alphabet::Protein => "sequences of proteins",
        Alphabet::Text | Alphabet::Auto => "strings",
    };
    let normalised = |of| KernelExpr::Normalise(Composed::of(Normalise {}, of));
    if let Some(length) = common_length(strings) {
        let by_place = KernelExpr::WeightedDegree(WeightedDegree::short());
        let why = format!("{letters}, all of {length} letters: compared place by place and {how}");
        return (vec![normalised(by_place), normalised(by_content)], why);
    }
    (vec![normalised(by_content)], format!("{letters}: compared {how}"))
}

/// Kernels of sequences that are tried in place of the usual ones: other lengths, letters that differ, gaps, both strands, places.
pub(crate) fn alternatives(strings: &Strings) -> Vec<&'static str> {
    let mut all = match Alphabet::guess(strings.iter()) {
        Alphabet::Dna | Alphabet::Rna => vec![
            "normalise(spectrum(k=5))",
            "normalise(spectrum(k=8))",
            "normalise(spectrum(k=5, reverse_complement=true))",
            "normalise(mismatch(k=5, m=1))",
            "normalise(gapped(length=10, k=6))",
        ],
        Alphabet::Protein => {
            vec!["normalise(spectrum(k=3))", "min_max(blended(k=3))", "normalise(mismatch(k=4, m=1))", "normalise(gapped(length=4, k=2))"]
        }
        Alphabet::Text | Alphabet::Auto => vec!["normalise(spectrum(k=5))", "normalise(blended(k=5))", "normalise(substrings(decay=0.8))"],
    };
    if common_length(strings).is_some() {
        all.extend(["normalise(weighted_degree(degree=10, shift=2))", "normalise(weighted_degree(degree=8, shift=25))"]);
    }
    all
}

/// The length of all strings, where it is one and there are several strings of several letters.
pub(crate) fn common_length(strings: &Strings) -> Option<usize> {
    let mut lengths = strings.iter().map(|s| s.chars().count());
    let first = lengths.next().filter(|length| *length > 1)?;
    (strings.len() > 1 && lengths.all(|length| length == first)).then_some(first)
}
