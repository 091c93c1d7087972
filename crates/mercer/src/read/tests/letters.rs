//! Sequences with letters that are none of their alphabet, and what is no sequence.

use super::*;

/// Strings of random letters (Knuth's linear congruential generator).
fn random(letters: &str, rows: usize, length: usize) -> Vec<String> {
    let mut state = 7u64;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        letters.as_bytes()[(state >> 33) as usize % letters.len()] as char
    };
    (0..rows).map(|_| (0..length).map(|_| letter()).collect()).collect()
}

const RESIDUES: &str = "ACDEFGHIKLMNPQRSTVWY";

/// The kind of a column of these cells, `None` where it is ignored, and what is said of it.
fn read(name: &str, cells: &[String]) -> (Option<ColumnKind>, String) {
    let quoted: Vec<String> = cells.iter().map(|cell| format!("\"{cell}\"")).collect();
    let mut table = parsed(&column(name, quoted));
    let data = table.dataset(&ReadOptions::default()).unwrap();
    (data.column(name).ok().map(|column| column.values.kind()), table.notices().join("\n"))
}

#[test]
fn one_odd_letter_leaves_sequences_sequences_and_is_named_with_its_row() {
    for (letters, length, named, silent) in [
        ("ACGT", 200, "DNA, and 1 letter that names no base", "-.NB"),
        ("ACGU", 60, "RNA, and 1 letter that names no base", "-.NB"),
        (RESIDUES, 30, "proteins, and 1 letter that names no residue", "-.*XNB"),
    ] {
        let rows = random(letters, 80, length);
        for odd in ["-", ".", "*", "X", "N", "B", " ", "7", "?", "é", "ß"].map(|text| text.chars().next().unwrap()) {
            let mut cells = rows.clone();
            cells[2].replace_range(4..5, &odd.to_string());
            let (kind, said) = read("seq", &cells);
            assert_eq!(kind, Some(ColumnKind::Sequence), "{letters} with '{odd}'");
            let is_letter = silent.contains(odd);
            assert_eq!(said.contains(named), !is_letter, "{letters} with '{odd}': {said}");
            assert!(is_letter || said.contains(&format!("('{odd}' at letter 5 of row 3)")), "{letters} with '{odd}': {said}");
        }
        // A cell that is none, and small letters in some rows.
        let mut cells = rows.clone();
        cells[2] = "not determined (lost!)".into();
        let (kind, said) = read("seq", &cells);
        assert_eq!(kind, Some(ColumnKind::Sequence), "{said}");
        says(&said, &["in 1 row that name no", "of row 3)"]);
        let mut cells = rows.clone();
        (0..5).for_each(|row| cells[row] = cells[row].to_lowercase());
        let (kind, said) = read("seq", &cells);
        assert_eq!(kind, Some(ColumnKind::Sequence), "{said}");
        says(&said, &["in capital and small letters (small ones in 5 rows)"]);
        // Each row ends in a stop, or is one of an alignment.
        let stopped: Vec<String> = rows.iter().map(|row| format!("{row}*")).collect();
        let aligned: Vec<String> = rows.iter().map(|row| format!("{}---..---{}", &row[..12], &row[12..])).collect();
        assert_eq!((read("seq", &stopped).0, read("seq", &aligned).0), (Some(ColumnKind::Sequence), Some(ColumnKind::Sequence)));
    }
    // Strings of other letters, one cell of which is none.
    let mut cells = random("JOUZ", 40, 30);
    cells[1] = "JO1".into();
    assert_eq!(read("fold", &cells).0, Some(ColumnKind::Sequence));
}

#[test]
fn labels_identifiers_and_texts_are_no_sequences() {
    let of = |cell: fn(usize) -> String| (0..60).map(cell).collect::<Vec<_>>();
    for (cells, kind) in [
        (of(|i| ["A", "C", "G", "T"][i % 4].into()), Some(ColumnKind::Category)),
        (of(|i| ["CAT", "TAG", "GATT", "AAA"][i % 4].into()), Some(ColumnKind::Category)),
        (of(|i| format!("{}{:02}", ["AB", "CG", "TA"][i % 3], i)), None),
        (of(|i| format!("GATTACA-{i:06}")), None),
        (of(|i| format!("{}.{}@example.com", ["john", "anna", "maria"][i % 3], random("abcdefghijklmnop", 60, 9)[i])), None),
        (of(|i| format!("{} {}", ["JOHN", "ANNA", "PETER"][i % 3], random("ABDEGIKLMNORSTU", 60, 8)[i])), None),
        (of(|i| format!("https://example.com/{}", random("abcdefghijklmnop", 60, 9)[i])), None),
        (of(|i| random("0123456789ABCDEF", 60, 32)[i].clone()), None),
        (of(|i| format!("The cat {} sat on a tag, and Tac at it", random("acgt", 60, 8)[i])), Some(ColumnKind::Text)),
        (of(|i| format!("A CAT {} AND A TAG AT THE GATE OF A CITY", random("ACGT", 60, 4)[i])), Some(ColumnKind::Text)),
        // Mostly short words, one of them a long text.
        (of(|i| if i == 7 { "a long remark of many words ".repeat(40) } else { random("abcdefgh", 60, 4)[i].clone() }), None),
    ] {
        let (found, said) = read("c", &cells);
        assert_ne!(found, Some(ColumnKind::Sequence), "{}: {said}", cells[0]);
        assert!(kind.is_none() || found == kind, "{}: {said}", cells[0]);
    }
}

const SMILES: [&str; 10] =
    ["CCO", "CC(=O)O", "c1ccccc1", "[Na+].[Cl-]", "F/C=C/F", "N[C@@H](C)C(=O)O", "CCCCCCCCCCCC", "ClCCBr", "C1CC1", "O=C=O"];

#[test]
fn smiles_are_graphs() {
    let (kind, said) = read("structure", &SMILES.map(String::from));
    assert_eq!(kind, Some(ColumnKind::Graph));
    says(&said, &["'structure' holds SMILES: read as graphs of atoms and bonds", "--types structure=sequence"]);
    let graphs = dataset(&column("structure", SMILES.map(String::from)));
    let Values::Graphs(graphs) = &graphs.column("structure").unwrap().values else { panic!("no graphs") };
    assert_eq!((graphs.get(0), graphs.get(3)), ("C C O | 0-1:- 1-2:-", "Na+1 Cl-1 |"));
    // By their name, without a ring or a bond that is written.
    assert_eq!(read("smiles", &["CCO", "CCC", "CCN"].map(String::from)).0, Some(ColumnKind::Graph));
    // A missing molecule is the graph without nodes.
    let mut cells = SMILES.map(String::from);
    cells[2].clear();
    let graphs = dataset(&column("structure", cells.clone()));
    assert_eq!(graphs.column("structure").unwrap().values.missing(), [2]);
    // One in ten that is none is an error with its row, and a new table is read as training was.
    cells[2] = "CCX".into();
    let refused = message(parsed(&column("structure", cells.clone())).dataset(&ReadOptions::default()));
    says(&refused, &["row 3", "'structure'", "'CCX'", "as SMILES, the 'X' at character 3 is not expected"]);
    cells[4] = "unknown".into();
    let (kind, said) = read("structure", &cells);
    assert_ne!(kind, Some(ColumnKind::Graph));
    says(&said, &["looks like SMILES, but 'CCX' in row 3 is none"]);
    let schema = Schema::of(&dataset(&column("structure", SMILES.map(String::from))));
    let new = parsed("structure,other\nCC,1\n").dataset_like(&schema, &ReadOptions::default()).unwrap();
    let Values::Graphs(graphs) = &new.column("structure").unwrap().values else { panic!("no graphs") };
    assert_eq!(graphs.get(0), "C C | 0-1:-");
}

#[test]
fn labels_and_letters_are_no_smiles() {
    let of = |cell: fn(usize) -> String| (0..60).map(cell).collect::<Vec<_>>();
    for (cells, kind) in [
        (of(|i| ["C", "N", "OK"][i % 3].into()), ColumnKind::Category),
        (of(|i| ["C", "N", "CON"][i % 3].into()), ColumnKind::Category),
        (random("CN", 60, 12), ColumnKind::Sequence),
        (random("ACGT", 60, 30), ColumnKind::Sequence),
        // Four solvents.
        (of(|i| ["CC(=O)C", "CO", "C(Cl)(Cl)Cl", "CS(=O)C"][i % 4].into()), ColumnKind::Category),
        (of(|i| format!("{}{}", ["C", "N", "CO"][i % 3], i % 7)), ColumnKind::Category),
    ] {
        assert_eq!(read("c", &cells).0, Some(kind), "{}", cells[0]);
    }
    let (_, said) = read("solvent", &of(|i| ["CC(=O)C", "CO", "C(Cl)(Cl)Cl", "CS(=O)C"][i % 4].into()));
    says(&said, &["holds SMILES that repeat: read as labels", "--types solvent=graph reads molecules"]);
    let declared = parsed(&column("solvent", of(|i| ["CO", "CCO"][i % 2].into()))).dataset(&options("solvent=graph")).unwrap();
    assert!(matches!(declared.column("solvent").unwrap().values, Values::Graphs(_)));
}
