//! SMILES (Weininger 1988; OpenSMILES 1.0) as graphs: atoms are nodes, bonds are edges. Hydrogens are nodes where they are atoms of their
//! own (`[H]`); isotopes, counts of hydrogens, stereochemistry and atom classes are left out.

use super::written::{ReadEdge, checked};
use purr::feature::{AtomKind, BondKind, Rnum};
use purr::read::{Error, read};
use purr::walk::Follower;
use std::collections::{HashMap, HashSet};

const SINGLE: &str = "-";
const AROMATIC: &str = ":";

/// Whether SMILES may begin with a character.
pub(super) fn begins(c: char) -> bool {
    c.is_alphabetic() || c == '[' || c == '*'
}

/// Whether a text is SMILES.
#[cfg(feature = "read")]
pub(crate) fn is_smiles(text: &str) -> bool {
    text.starts_with(begins) && canonical(text).is_ok()
}

/// The canonical text of the graph of a molecule.
///
/// # Errors
/// What is wrong with the text, with its place.
pub(super) fn canonical(text: &str) -> Result<String, String> {
    // Characters of the longest text that is read: that of a protein of about 1,000 residues. `purr` calls itself for each atom.
    const MOST_CHARACTERS: usize = 10_000;
    let text = text.trim();
    if text.len() > MOST_CHARACTERS {
        return Err(format!("as SMILES it has {} characters, and at most {MOST_CHARACTERS} are read", text.chars().count()));
    }
    let molecule = Molecule::of(text).map_err(|why| format!("as SMILES, {why}"))?;
    let edges = molecule.edges();
    checked(Some(molecule.atoms.into_iter().map(|atom| atom.label.into()).collect()), edges, &|k| format!("bond {}", k + 1))
}

/// An atom.
struct Atom {
    /// Element, in lower case where it is aromatic, and charge: `C`, `c`, `N+1`.
    label: String,
    is_aromatic: bool,
    /// The atom before it, to which it is bonded.
    before: Option<usize>,
}

/// A bond; without a symbol where none is written.
struct Bond {
    ends: (usize, usize),
    symbol: Option<&'static str>,
    is_closure: bool,
}

/// A molecule while its text is read.
#[derive(Default)]
struct Molecule {
    atoms: Vec<Atom>,
    bonds: Vec<Bond>,
    /// The pairs of atoms that are bonded.
    bonded: HashSet<(usize, usize)>,
    /// The atoms from the first one of the component to the current one.
    path: Vec<usize>,
    /// The atoms at which rings opened, with the symbol of the bond.
    open: HashMap<Rnum, (usize, Option<&'static str>)>,
    fault: Option<String>,
}

impl Molecule {
    fn of(text: &str) -> Result<Self, String> {
        // Characters of the longest text that is read on the stack of the caller: without optimisation, 2,000 atoms take less than 2 MB.
        const CHARACTERS_ON_STACK: usize = 1_000;
        // Bytes of the stack of longer texts, three times what they take without optimisation.
        const STACK: usize = 32 << 20;
        let mut molecule = Molecule::default();
        let done = if text.len() <= CHARACTERS_ON_STACK {
            read(text, &mut molecule, None)
        } else {
            let own = std::thread::Builder::new().stack_size(STACK);
            let read = || read(text, &mut molecule, None);
            let joined = std::thread::scope(|scope| own.spawn_scoped(scope, read).map(std::thread::ScopedJoinHandle::join));
            joined.map_err(|why| format!("there is no thread to read it: {why}"))?.map_err(|_| "it cannot be read".to_owned())?
        };
        match done {
            Ok(()) => {}
            Err(Error::EndOfLine) => return Err("it ends before it is complete".into()),
            Err(Error::Character(at)) => {
                let found = text.chars().nth(at).unwrap_or_default();
                return Err(format!("the '{found}' at character {} is not expected", at + 1));
            }
        }
        let unclosed = molecule.open.iter().min_by_key(|(_, (atom, _))| atom).map(|(ring, _)| format!("ring {ring} is not closed"));
        molecule.fault.take().or(unclosed).map_or(Ok(molecule), Err)
    }

    /// Adds an atom to the end of the path.
    fn add(&mut self, kind: AtomKind, before: Option<usize>) {
        let is_aromatic = kind.is_aromatic();
        let label = match kind {
            AtomKind::Star => "*".into(),
            AtomKind::Aliphatic(symbol) => symbol.to_string(),
            AtomKind::Aromatic(symbol) => symbol.to_string(),
            AtomKind::Bracket { symbol, charge, .. } => match charge.as_ref().map_or(0, Into::<i8>::into) {
                0 => symbol.to_string(),
                charge => format!("{symbol}{charge:+}"),
            },
        };
        self.path.push(self.atoms.len());
        self.atoms.push(Atom { label, is_aromatic, before });
    }

    /// Adds a bond, at most one between two atoms.
    fn bond(&mut self, ends: (usize, usize), symbol: Option<&'static str>, is_closure: bool) {
        let (a, b) = (ends.0.min(ends.1), ends.0.max(ends.1));
        if a == b || !self.bonded.insert((a, b)) {
            let why = if a == b {
                format!("atom {} is bonded to itself", a + 1)
            } else {
                format!("atoms {} and {} are bonded twice", a + 1, b + 1)
            };
            self.fault.get_or_insert(why);
        }
        self.bonds.push(Bond { ends: (a, b), symbol, is_closure });
    }

    /// For each atom, whether the bond to the atom before it is part of a ring.
    fn in_rings(&self) -> Vec<bool> {
        let mut in_ring = vec![false; self.atoms.len()];
        for closure in self.bonds.iter().filter(|bond| bond.is_closure) {
            let (mut a, mut b) = closure.ends;
            // An atom stands behind the one before it, so that both walks meet.
            while a != b {
                let later = if a > b { &mut a } else { &mut b };
                in_ring[*later] = true;
                match self.atoms[*later].before {
                    Some(before) => *later = before,
                    None => break,
                }
            }
        }
        in_ring
    }

    /// The bonds as edges. One that is not written is aromatic between aromatic atoms within a ring, and single elsewhere.
    fn edges(&self) -> Vec<ReadEdge<'static>> {
        let in_ring = self.in_rings();
        let edge = |(number, bond): (usize, &Bond)| {
            let (a, b) = bond.ends;
            let is_aromatic = self.atoms[a].is_aromatic && self.atoms[b].is_aromatic && (bond.is_closure || in_ring[b]);
            let implied = if is_aromatic { AROMATIC } else { SINGLE };
            ReadEdge { ends: bond.ends, label: bond.symbol.unwrap_or(implied).into(), number }
        };
        self.bonds.iter().enumerate().map(edge).collect()
    }
}

/// The symbol of a bond, without its direction.
fn symbol(kind: &BondKind) -> Option<&'static str> {
    match kind {
        BondKind::Elided => None,
        BondKind::Single | BondKind::Up | BondKind::Down => Some(SINGLE),
        BondKind::Double => Some("="),
        BondKind::Triple => Some("#"),
        BondKind::Quadruple => Some("$"),
        BondKind::Aromatic => Some(AROMATIC),
    }
}

impl Follower for Molecule {
    fn root(&mut self, root: AtomKind) {
        self.add(root, None);
    }
    fn extend(&mut self, bond_kind: BondKind, atom_kind: AtomKind) {
        let before = self.path.last().copied();
        self.add(atom_kind, before);
        if let Some(before) = before {
            self.bond((before, self.atoms.len() - 1), symbol(&bond_kind), false);
        }
    }
    fn join(&mut self, bond_kind: BondKind, rnum: Rnum) {
        let Some(&atom) = self.path.last() else { return };
        let here = symbol(&bond_kind);
        match self.open.remove(&rnum) {
            None => drop(self.open.insert(rnum, (atom, here))),
            Some((start, there)) => {
                if let (Some(there), Some(here)) = (there, here)
                    && there != here
                {
                    self.fault.get_or_insert(format!("ring {rnum} opens with the bond {there} and closes with {here}"));
                }
                self.bond((start, atom), there.or(here), true);
            }
        }
    }
    fn pop(&mut self, depth: usize) {
        self.path.truncate(self.path.len().saturating_sub(depth));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Graphs;

    fn graph(text: &str) -> String {
        canonical(text).unwrap_or_else(|why| panic!("{text}: {why}"))
    }

    #[test]
    fn molecules_are_graphs_of_atoms_and_bonds() {
        for (text, expected) in [
            ("C", "C |"),
            ("[2H]O[H]", "H O H | 0-1:- 1-2:-"),
            // Acetate, calcium chloride in three components, nitromethane.
            ("CC(=O)[O-]", "C C O O-1 | 0-1:- 1-2:= 1-3:-"),
            ("[Ca++].[Cl-].[35Cl-]", "Ca+2 Cl-1 Cl-1 |"),
            ("C[N+](=O)[O-]", "C N+1 O O-1 | 0-1:- 1-2:= 1-3:-"),
            ("C#N", "C N | 0-1:#"),
            // Stereochemistry is left out.
            ("F/C=C\\F", "F C C F | 0-1:- 1-2:= 2-3:-"),
            ("N[C@@H](C)O", "N C C O | 0-1:- 1-2:- 1-3:-"),
            ("N[Pt@SP1H](F)Cl", "N Pt F Cl | 0-1:- 1-2:- 1-3:-"),
            // Rings: benzene, phenol, cyclohexene with its bond at either end, pyrrole, spiro[2.2]pentane.
            ("c1ccccc1", "c c c c c c | 0-1:: 0-5:: 1-2:: 2-3:: 3-4:: 4-5::"),
            ("Oc1ccccc1", "O c c c c c c | 0-1:- 1-2:: 1-6:: 2-3:: 3-4:: 4-5:: 5-6::"),
            ("C=1CCCCC1", "C C C C C C | 0-1:- 0-5:= 1-2:- 2-3:- 3-4:- 4-5:-"),
            ("C1CCCCC=1", "C C C C C C | 0-1:- 0-5:= 1-2:- 2-3:- 3-4:- 4-5:-"),
            ("[nH]1cccc1", "n c c c c | 0-1:: 0-4:: 1-2:: 2-3:: 3-4::"),
            ("C1CC12CC2", "C C C C C | 0-1:- 0-2:- 1-2:- 2-3:- 2-4:- 3-4:-"),
            ("C%12CC%12", "C C C | 0-1:- 0-2:- 1-2:-"),
            ("C1CC1C1CC1", "C C C C C C | 0-1:- 0-2:- 1-2:- 2-3:- 3-4:- 3-5:- 4-5:-"),
            ("C1.C1", "C C | 0-1:-"),
        ] {
            assert_eq!(graph(text), expected, "{text}");
        }
        // Biphenyl is one molecule with or without its single bond, and a bond between rings is not aromatic.
        assert_eq!(graph("c1ccc(cc1)c2ccccc2"), graph("c1ccc(cc1)-c2ccccc2"));
        assert_eq!(graph("c1ccc(cc1)-c2ccccc2").matches("::").count(), 12);
    }

    #[test]
    fn sizes_of_known_molecules() {
        // Atoms without hydrogens, and bonds: caffeine C8H10N4O2 with two fused rings, naphthalene, cubane.
        for (text, atoms, bonds) in [
            ("CN1C=NC2=C1C(=O)N(C(=O)N2C)C", 14, 15),
            ("Cn1cnc2c1c(=O)n(C)c(=O)n2C", 14, 15),
            ("c1ccc2ccccc2c1", 10, 11),
            ("C12C3C4C1C5C4C3C25", 8, 12),
        ] {
            let graphs = Graphs::new([text]).unwrap();
            assert_eq!((graphs.graph(0).labels.len(), graphs.graph(0).edges.len()), (atoms, bonds), "{text}");
        }
        // A chain that takes a thread of its own, and branches within branches.
        let long = format!("C{}", "C".repeat(9_000));
        assert_eq!(graph(&long).matches('-').count(), 2 * 9_000);
        let deep = format!("{}C{}", "C(".repeat(3_000), ")".repeat(3_000));
        assert_eq!(graph(&deep).matches('C').count(), 3_001);
    }

    #[test]
    fn faults_are_named_by_place() {
        for (text, why) in [
            ("CCX", "the 'X' at character 3 is not expected"),
            ("CC(", "it ends before it is complete"),
            ("C)", "the ')' at character 2 is not expected"),
            ("C1CC", "ring 1 is not closed"),
            ("C=1CC#1", "ring 1 opens with the bond = and closes with #"),
            ("C11", "atom 1 is bonded to itself"),
            ("C1C1", "atoms 1 and 2 are bonded twice"),
            ("[Xx]", "the 'x' at character 3 is not expected"),
            ("CCO ethanol", "the ' ' at character 4 is not expected"),
            (&"C".repeat(10_001), "it has 10001 characters, and at most 10000 are read"),
        ] {
            let found = canonical(text).unwrap_err();
            assert!(found.contains(why), "{text}: {found}");
        }
    }
}
