//! Columns of sequences: what is worth a word of their letters, and SMILES, which look like sequences and are molecules.

use super::cells::Cells;
use super::facts::{Fact, Topic};
use super::infer::shortened;
use crate::data::letters::Alphabet;
use crate::data::names::words;
use crate::data::{Strings, is_smiles};

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

/// What a column of SMILES is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Molecules {
    /// Graphs.
    Graphs,
    /// Labels: they repeat.
    Labels,
    /// Whatever else they look like: there are too many other cells.
    Other,
}

/// What a column is read as whose cells are SMILES, nine in ten at least, and what is said of it; `None` of other columns. Half of the
/// cells have a branch, a ring, an atom in brackets or a bond that is written, unless the column is named so: letters alone may be words
/// or sequences.
pub(super) fn smiles(name: &str, cells: &Cells, repeats: bool) -> Option<(Molecules, Fact)> {
    let (mut all, mut alike, mut marked, mut odd) = (0, 0, 0, None);
    for (row, cell) in cells.iter().enumerate().filter(|(_, cell)| !cells.misses(cell)) {
        all += 1;
        if is_smiles(cell) {
            alike += 1;
            marked += usize::from(has_marks(cell));
        } else {
            odd = odd.or(Some((row, cell)));
        }
    }
    let named = words(name).iter().any(|word| word == "smiles");
    if alike == 0 || 2 * alike < all || (!named && 2 * marked < all) {
        return None;
    }
    let fact = |topic, says: &str, undo| Fact::of_column(topic, name, says).undone_by(undo);
    match odd {
        Some((row, found)) if 10 * alike < 9 * all => {
            let says = format!("{{looks}} like SMILES, but '{}' in row {} is none: not read so", shortened(found), row + 1);
            Some((Molecules::Other, fact(Topic::Labels, &says, "graph reads molecules")))
        }
        _ if repeats && !named => {
            Some((Molecules::Labels, fact(Topic::Labels, "{holds} SMILES that repeat: read as labels", "graph reads molecules")))
        }
        _ => Some((
            Molecules::Graphs,
            fact(Topic::Table, "{holds} SMILES: read as graphs of atoms and bonds", "sequence compares their characters"),
        )),
    }
}

/// Whether SMILES have more than letters: a branch, a ring, an atom in brackets, or a double or triple bond.
fn has_marks(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit() || "([=#".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smiles_are_told_from_labels_and_sequences() {
        // Of Weininger (1988): ethanol, acetic acid, cyclohexane, benzene, a salt, trans-difluoroethene, L-alanine.
        for (text, marks) in [
            ("CCO", false),
            ("CC(=O)O", true),
            ("C1CCCCC1", true),
            ("c1ccccc1", true),
            ("[Na+].[Cl-]", true),
            ("F/C=C/F", true),
            ("N[C@@H](C)C(=O)O", true),
            ("ClCCBr", false),
        ] {
            assert_eq!((is_smiles(text), has_marks(text)), (true, marks), "{text}");
        }
        for text in
            ["", "(C)", "CC(", "C)", "C1CC", "C6H12O6", "GATTACA", "MKV", "c1", "C O", "12", "[Na", "No(1)", "C#", "C++", "CO2", "0-1"]
        {
            assert!(!is_smiles(text), "{text}");
        }
    }
}
