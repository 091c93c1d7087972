//! Columns of sequences: what is worth a word of their letters, and SMILES, which look like sequences.

use super::cells::Cells;
use super::facts::{Fact, Topic};
use crate::data::Strings;
use crate::data::letters::Alphabet;
use crate::data::names::words;

/// What is worth a word of the letters of sequences: those that are none of the alphabet, and small ones beside capital ones.
pub(super) fn letters(name: &str, strings: &Strings) -> Vec<Fact> {
    let alphabet = Alphabet::guess(strings.iter());
    let (sequences, named) = match alphabet {
        Alphabet::Dna => ("DNA", "base"),
        Alphabet::Rna => ("RNA", "base"),
        Alphabet::Protein => ("proteins", "residue"),
        Alphabet::Text | Alphabet::Auto => return Vec::new(),
    };
    let in_rows = |count: usize| if count == 1 { "1 row".to_owned() } else { format!("{count} rows") };
    let mut facts = Vec::new();
    let holding = |is: fn(&u8) -> bool| strings.iter().filter(|text| text.as_bytes().iter().any(is)).count();
    let small = holding(u8::is_ascii_lowercase);
    if small > 0 && holding(u8::is_ascii_uppercase) > 0 {
        let says = format!(
            "{{holds}} {sequences} in capital and small letters (small ones in {}), which kernels take for the same {named}s; alphabet=text \
             in a kernel tells them apart",
            in_rows(small)
        );
        facts.push(Fact::of_column(Topic::Table, name, says));
    }
    if let Some(odd) = alphabet.odd_letters(strings) {
        let found = format!("'{}' at letter {} of row {}", odd.letter, odd.at + 1, odd.row + 1);
        let letters = match odd.count {
            1 => format!("1 letter that names no {named} ({found}): it matches nothing, as an unknown {named} does"),
            count => format!(
                "{count} letters in {} that name no {named} (first {found}): they match nothing, as unknown {named}s do",
                in_rows(odd.rows)
            ),
        };
        facts.push(Fact::of_column(Topic::Missing, name, format!("{{holds}} {sequences}, and {letters}")));
    }
    facts
}

/// Says of SMILES that they are not read as molecules.
pub(super) fn smiles(name: &str, cells: &Cells) -> Option<Fact> {
    let (mut all, mut alike, mut bonded) = (0, 0, 0);
    for cell in cells.iter().filter(|cell| !cells.misses(cell)) {
        all += 1;
        if let Some(bonds) = is_smiles(cell) {
            alike += 1;
            bonded += usize::from(bonds);
        }
    }
    let named = words(name).iter().any(|word| word == "smiles");
    let says = "{looks} like SMILES, which are not read as molecules: write each as a graph, such as 'C C O | 0-1 1-2' for CCO";
    (alike > 0 && 10 * alike >= 9 * all && (named || 2 * bonded >= all))
        .then(|| Fact::of_column(Topic::Labels, name, says).undone_by("sequence compares their characters"))
}

/// Whether a text is SMILES (Weininger, SMILES, a chemical language and information system, 1988), with atoms, closed brackets and pairs
/// of ring digits; if so, whether it has a branch, a ring, an atom in brackets or a bond that is written.
fn is_smiles(text: &str) -> Option<bool> {
    let (mut branches, mut rings, mut marks, mut atoms) = (0usize, [0usize; 10], 0, 0);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            'C' | 'B' if rest.starts_with("Cl") || rest.starts_with("Br") => (length, atoms) = (2, atoms + 1),
            'B' | 'C' | 'N' | 'O' | 'P' | 'S' | 'F' | 'I' | 'b' | 'c' | 'n' | 'o' | 'p' | 's' => atoms += 1,
            '[' => (length, atoms, marks) = (rest.find(']')? + 1, atoms + 1, marks + 1),
            // Whatever follows, it begins with an atom.
            _ if atoms == 0 => return None,
            '(' => (branches, marks) = (branches + 1, marks + 1),
            ')' => branches = branches.checked_sub(1)?,
            '0'..='9' => {
                rings[c as usize - '0' as usize] += 1;
                marks += 1;
            }
            '=' | '#' => marks += 1,
            '-' | '/' | '\\' | '.' | '%' | ':' | '@' => {}
            _ => return None,
        }
        rest = &rest[length..];
    }
    (atoms > 0 && branches == 0 && rings.iter().all(|ends| ends % 2 == 0)).then_some(marks > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smiles_are_told_from_labels_and_sequences() {
        // Of Weininger (1988): ethanol, acetic acid, cyclohexane, benzene, a salt, trans-difluoroethene, L-alanine.
        for (text, bonds) in [
            ("CCO", false),
            ("CC(=O)O", true),
            ("C1CCCCC1", true),
            ("c1ccccc1", true),
            ("[Na+].[Cl-]", true),
            ("F/C=C/F", true),
            ("N[C@@H](C)C(=O)O", true),
            ("ClCCBr", false),
        ] {
            assert_eq!(is_smiles(text), Some(bonds), "{text}");
        }
        for text in ["", "(C)", "CC(", "C)", "C1CC", "C6H12O6", "GATTACA", "MKV", "c1", "C O", "12", "[Na", "No(1)"] {
            assert_eq!(is_smiles(text), None, "{text}");
        }
    }
}
