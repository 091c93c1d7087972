"""Molecules of RDKit are graphs as their SMILES are; its count fingerprints and Tanimoto similarity are min_max."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import mercer

Chem = pytest.importorskip("rdkit.Chem", reason="rdkit is not installed: molecules are not compared with their SMILES")
ESOL = Path(os.environ.get("MERCER_SHARED", Path(__file__).resolve().parents[4] / "shared")) / "data" / "esol" / "esol.csv"
# Charges, aromatic nitrogen, fused rings, a salt of two components, isotopes and stereochemistry, hydrogens of their own.
SMILES = [
    "CCO", "C", "CC(=O)[O-]", "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "c1ccc2ccccc2c1", "[Na+].[Cl-]", "C[N+](=O)[O-]", "C#N", "F/C=C\\F",
    "N[C@@H](C)O", "[2H]O[H]", "c1ccc(cc1)c2ccccc2", "c1cc[nH]c1", "c1cc[se]c1", "C1CC12CC2", "*CC", "O=S(=O)(O)c1ccccc1",
]  # fmt: skip


def molecules(texts):
    return [Chem.MolFromSmiles(text) for text in texts]


def esol():
    if not ESOL.exists():
        pytest.skip(f"{ESOL} is not there: the molecules of ESOL are not compared")
    with ESOL.open() as lines:
        return [row["smiles"] for row in csv.DictReader(lines)]


def written(texts):
    """SMILES as RDKit writes them, with its aromaticity."""
    return [Chem.MolToSmiles(molecule) for molecule in molecules(texts)]


def drawn(molecule):
    """The graph of the atoms and bonds of a molecule."""
    bonds = {Chem.BondType.SINGLE: "-", Chem.BondType.DOUBLE: "=", Chem.BondType.TRIPLE: "#", Chem.BondType.AROMATIC: ":"}
    element = [atom.GetSymbol().lower() if atom.GetIsAromatic() else atom.GetSymbol() for atom in molecule.GetAtoms()]
    charge = [f"{atom.GetFormalCharge():+}" if atom.GetFormalCharge() else "" for atom in molecule.GetAtoms()]
    edges = [f"{bond.GetBeginAtomIdx()}-{bond.GetEndAtomIdx()}:{bonds[bond.GetBondType()]}" for bond in molecule.GetBonds()]
    return f"{' '.join(e + c for e, c in zip(element, charge, strict=True))} | {' '.join(edges)}"


@pytest.mark.parametrize("kernel", ["weisfeiler_lehman", "shortest_path", "vertex_histogram"])
def test_a_molecule_is_the_graph_of_its_smiles(kernel):
    expected = mercer.Kernel(kernel)(mercer.Dataset({"x": written(SMILES)}, types={"x": "graph"}))
    by_atoms = mercer.Dataset({"x": [drawn(one) for one in molecules(SMILES)]}, types={"x": "graph"})
    np.testing.assert_array_equal(mercer.Kernel(kernel)(by_atoms), expected)
    for given in (molecules(SMILES), np.array(molecules(SMILES)), {"x": molecules(SMILES)}, mercer.Dataset({"x": molecules(SMILES)})):
        np.testing.assert_array_equal(mercer.Kernel(kernel)(given), expected)


def test_atoms_and_bonds_have_the_labels_of_smiles():
    # Each graph by hand: atoms with charge, in lower case where aromatic; bonds by their signs.
    by_hand = {"[O-]C=C": "O-1 C C | 0-1:- 1-2:=", "c1cc[nH]c1": "c c c n c | 0-1:: 1-2:: 2-3:: 3-4:: 4-0::", "C#[N+]C": "C N+1 C | 0-1:# 1-2:-"}
    kernel = mercer.Kernel("weisfeiler_lehman")
    made = mercer.Dataset({"x": molecules(by_hand)})
    assert made.columns == {"x": "graph"} and len(made) == 3
    np.testing.assert_array_equal(kernel(made), kernel(mercer.Dataset({"x": list(by_hand.values())}, types={"x": "graph"})))
    # Hydrogens are nodes where RDKit made atoms of them.
    full = mercer.Dataset({"x": [Chem.AddHs(one) for one in molecules(["C", "O"])]})
    same = mercer.Dataset({"x": ["C H H H H | 0-1:- 0-2:- 0-3:- 0-4:-", "O H H | 0-1:- 0-2:-"]}, types={"x": "graph"})
    np.testing.assert_array_equal(kernel(full), kernel(same))


def test_molecules_of_esol_are_graphs_of_their_atoms_and_bonds_and_of_their_smiles():
    texts = esol()[:300]
    kernel = mercer.Kernel("weisfeiler_lehman")
    found = kernel(molecules(texts))
    for same in ([drawn(one) for one in molecules(texts)], written(texts)):
        np.testing.assert_array_equal(found, kernel(mercer.Dataset({"x": same}, types={"x": "graph"})))


def test_a_model_of_molecules_predicts_molecules_and_smiles():
    texts = written(SMILES)
    model = mercer.Learner("ridge(lambda=1)", "weisfeiler_lehman").fit({"mol": molecules(SMILES)}, np.arange(float(len(SMILES))))
    np.testing.assert_array_equal(model.predict({"mol": molecules(SMILES)}), model.predict({"mol": texts}))
    # A text that RDKit does not read is None, the missing graph.
    assert mercer.Dataset({"mol": [*molecules(SMILES), None]}).missing["mol"].tolist() == [len(SMILES)]
    for bad, why in ((Chem.Mol(), "no atoms"), (Chem.MolFromSmiles("[NH3]->[Cu+2]"), "as SMILES")):
        with pytest.raises(mercer.DataError, match=rf"column 'mol'.*row 2 \(index 1\)|row 2 \(index 1\).*column 'mol'.*{why}"):
            mercer.Dataset({"mol": [molecules(["CC"])[0], bad]})


def test_an_sdf_file_is_molecules_and_their_properties(tmp_path):
    with Chem.SDWriter(str(tmp_path / "m.sdf")) as file:
        for mass, molecule in enumerate(molecules(SMILES[:6])):
            molecule.SetDoubleProp("mass", mass + 0.5)
            file.write(molecule)
    read = list(Chem.SDMolSupplier(str(tmp_path / "m.sdf")))
    data = mercer.Dataset({"mol": read, "mass": [one.GetDoubleProp("mass") for one in read]})
    assert data.columns == {"mol": "graph", "mass": "number"} and data["mass"].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    kernel = mercer.Kernel("on(mol, weisfeiler_lehman)")
    np.testing.assert_array_equal(kernel(data), kernel({"mol": molecules(SMILES[:6]), "mass": range(6)}))


def test_min_max_of_count_fingerprints_is_the_tanimoto_similarity_of_rdkit():
    from rdkit import DataStructs
    from rdkit.Chem import rdFingerprintGenerator

    texts = esol()[:60]
    bits = 4096
    prints = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=bits).GetCountFingerprints(molecules(texts))
    entries = [(row, bit, count) for row, one in enumerate(prints) for bit, count in one.GetNonzeroElements().items()]
    rows, columns, counts = (np.array(part) for part in zip(*entries, strict=True))
    table = scipy.sparse.csr_matrix((counts.astype(float), (rows, columns)), shape=(len(texts), bits))
    assert counts.max() > 1
    expected = np.array([DataStructs.BulkTanimotoSimilarity(one, list(prints)) for one in prints])
    np.testing.assert_allclose(mercer.Kernel("min_max(linear)")(table), expected, rtol=0, atol=1e-12)
