//! BLOSUM62: log odds of two amino acids in aligned proteins, in half bits (Henikoff & Henikoff, Amino acid substitution matrices from
//! protein blocks, 1992), as NCBI BLAST+ has it.

/// The scores of each letter with itself and those before it.
#[rustfmt::skip]
const SCORES: [&[i8]; 25] = [
    &[4], // A
    &[-1, 5], // R
    &[-2, 0, 6], // N
    &[-2, -2, 1, 6], // D
    &[0, -3, -3, -3, 9], // C
    &[-1, 1, 0, 0, -3, 5], // Q
    &[-1, 0, 0, 2, -4, 2, 5], // E
    &[0, -2, 0, -1, -3, -2, -2, 6], // G
    &[-2, 0, 1, -1, -3, 0, 0, -2, 8], // H
    &[-1, -3, -3, -3, -1, -3, -3, -4, -3, 4], // I
    &[-1, -2, -3, -4, -1, -2, -3, -4, -3, 2, 4], // L
    &[-1, 2, 0, -1, -3, 1, 1, -2, -1, -3, -2, 5], // K
    &[-1, -1, -2, -3, -1, 0, -2, -3, -2, 1, 2, -1, 5], // M
    &[-2, -3, -3, -3, -2, -3, -3, -3, -1, 0, 0, -3, 0, 6], // F
    &[-1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7], // P
    &[1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -2, 0, -1, -2, -1, 4], // S
    &[0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1, 5], // T
    &[-3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1, -4, -3, -2, 11], // W
    &[-2, -2, -2, -3, -2, -1, -2, -3, 2, -1, -1, -2, -1, 3, -3, -2, -2, 2, 7], // Y
    &[0, -3, -3, -3, -1, -2, -2, -3, -3, 3, 1, -2, 1, -1, -2, -2, 0, -3, -1, 4], // V
    &[-2, -1, 4, 4, -3, 0, 1, -1, 0, -3, -4, 0, -3, -3, -2, 0, -1, -4, -3, -3, 4], // B
    &[-1, -2, -3, -3, -1, -2, -3, -4, -3, 3, 3, -3, 2, 0, -3, -2, -1, -2, -1, 2, -3, 3], // J
    &[-1, 0, 0, 1, -3, 4, 4, -2, 0, -3, -3, 1, -1, -3, -1, 0, -1, -2, -2, -2, 0, -3, 4], // Z
    &[-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1], // X
    &[-4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, 1], // *
];

/// The score of two letters of proteins. Selenocysteine scores as cysteine and pyrrolysine as lysine, which they are made of, and a gap
/// that is written as a letter as a stop.
pub(crate) fn score(x: char, z: char) -> f64 {
    // The amino acids, and the letters that stand for several: B for N or D, J for I or L, Z for Q or E, X for any, * for a stop.
    const LETTERS: &str = "ARNDCQEGHILKMFPSTWYVBJZX*";
    let place = |letter: char| {
        let letter = match letter {
            'U' => 'C',
            'O' => 'K',
            '-' | '.' => '*',
            other => other,
        };
        LETTERS.find(letter).unwrap_or(LETTERS.len() - 1)
    };
    let (p, q) = (place(x), place(z));
    f64::from(SCORES[p.max(q)][p.min(q)])
}
