//! Sequences with descriptions, folders of texts, and ARFF.

use super::*;
use crate::control::Control;
use crate::error::Error;
use std::io::Write;

fn refused(text: &str, parts: &[&str]) {
    says(&message(Table::parse("t", text.as_bytes())), parts);
}

fn strings(data: &Dataset, name: &str) -> Vec<String> {
    match &data.column(name).unwrap().values {
        Values::Texts(s) | Values::Sequences(s) => s.iter().map(str::to_owned).collect(),
        other => panic!("{name} holds {}", other.kind()),
    }
}

const FASTA: &str = ">a1 label=1 kind=x of note\nACGT\nAC\n\n>a2 label=0\nggta*\n>a3 label=1 kind=y\nAC-T\n";

#[test]
fn fasta_gives_a_sequence_and_a_column_for_each_field() {
    let mut table = parsed_as(FASTA);
    assert_eq!(table.header(), ["name", "label", "kind", "description", "sequence"]);
    let (target, info) = table.take_target(&["label"], &ReadOptions::default()).unwrap();
    assert_eq!((target.rows(), info.classes.unwrap()), (3, vec!["0".to_owned(), "1".into()]));
    let data = table.clone().dataset(&options("kind=category")).unwrap();
    assert_eq!(data.names(), ["kind", "sequence"]);
    assert_eq!(table.dataset(&ReadOptions::default()).unwrap().names(), ["sequence"]);
    assert_eq!(data.column("sequence").unwrap().values.kind(), ColumnKind::Sequence);
    assert_eq!(strings(&data, "sequence"), ["ACGTAC", "GGTA*", "AC-T"]);
    says(
        &table.notices().join("; "),
        &[
            "1 sequence with small letters",
            "capital letters",
            "'kind' holds fields of the headers of the records: no input; --types kind=category (or number) makes it an input",
            "'description' holds the descriptions of the records: no input; --types description=text makes it an input",
        ],
    );
    let Values::Categories(kind) = &data.column("kind").unwrap().values else { panic!("not categories") };
    assert_eq!(kind.label(1), Some(MISSING));
    // Names and descriptions are inputs where they are declared.
    let named = parsed_as(FASTA).dataset(&options("name=text,description=text")).unwrap();
    assert_eq!((strings(&named, "name")[0].as_str(), strings(&named, "description")[0].as_str()), ("a1", "of note"));
    // Packed, and with the line ends of another system.
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(FASTA.replace('\n', "\r\n").as_bytes()).unwrap();
    let packed = Table::parse("t.fasta.gz", &packed.finish().unwrap()).unwrap().dataset(&ReadOptions::default()).unwrap();
    assert_eq!(strings(&packed, "sequence"), strings(&data, "sequence"));
}

fn parsed_as(text: &str) -> Table {
    Table::parse("t.fasta", text.as_bytes()).unwrap()
}

#[test]
fn faults_of_fasta_and_fastq_name_their_line() {
    refused(">a\n>b\n", &["line 1", "'a' has no sequence, nor has any other record"]);
    refused(">a\nAC5T\n", &["line 2", "'5'"]);
    refused(">a\n40 40 38\n", &["line 2", "'4'", "neither of bases nor of residues"]);
    let unlabelled = message(parsed(">a\nACGT\n>b\nAGGT\n").take_target(&["label"], &ReadOptions::default()));
    says(&unlabelled, &["column 'label': there is none, only name, sequence", ">name label=1", "mercer compare pos.fasta neg.fasta"]);
    refused(">a label=1 label=2\nACGT\n", &["line 1", "'label' stands twice"]);
    refused(">a sequence=1\nACGT\n", &["line 1", "'sequence'"]);
    refused("@r\nACGT\n+\nIII\n", &["line 4", "3 qualities for 4 letters"]);
    refused("@r\nACGT\n+\nIIII\nACGT\n", &["line 5", "'@'"]);
    refused("@r\nACGT\n+\nIIII\n@s\nAC\n", &["line 7", "'+'"]);
    let many: String = (0..200).map(|i| format!(">s f{i}=1\nA\n")).collect();
    let within = |most| Table::parse_within("t", many.as_bytes(), &ReadOptions::default(), &Control::default().with_memory(most));
    assert!(matches!(within(100_000), Err(Error::TooLarge { .. })));
    assert!(within(10_000_000).is_ok());
}

#[test]
fn an_empty_record_and_an_odd_letter_are_said_and_kept() {
    let mut table = parsed_as(">a label=1\nACGTACGTACGTACGT\n>b label=0\n>c label=1\nACGTACGT\nACG7ACGT\n");
    says(&table.notices().join("\n"), &["1 record has no letters (first 'b' in line 3): an empty sequence"]);
    table.take_target(&["label"], &ReadOptions::default()).unwrap();
    let data = table.dataset(&ReadOptions::default()).unwrap();
    assert_eq!(strings(&data, "sequence"), ["ACGTACGTACGTACGT", "", "ACGTACGTACG7ACGT"]);
    says(&table.notices().join("\n"), &["DNA, and 1 letter that names no base ('7' at letter 12 of row 3): it matches nothing"]);
}

#[test]
fn fields_of_headers_are_targets_and_inputs_where_they_are_asked_for() {
    let text = ">sp|P1|X_Y Protein 1 OS=Mus musculus OX=10090 PE=1 class=pos;len=3\nMKV\n\
                >sp|P2|Z_Y Protein 2 OS=Homo sapiens OX=9606 PE=2 class=neg;len=4\nMKVA\n";
    let mut table = parsed_as(text);
    let (target, info) = table.take_target(&["class"], &ReadOptions::default()).unwrap();
    assert_eq!((target.rows(), info.classes.unwrap()), (2, vec!["neg".to_owned(), "pos".into()]));
    let named = ReadOptions { names: vec!["len".into()], ..options("OS=category") };
    let data = table.clone().dataset(&named).unwrap();
    assert_eq!(data.names(), ["OS", "len", "sequence"]);
    assert!(matches!(&data.column("len").unwrap().values, Values::Numbers(len) if *len == [3.0, 4.0]));
    assert_eq!(table.dataset(&ReadOptions::default()).unwrap().names(), ["sequence"]);
    says(
        &table.notices().join("\n"),
        &["'OS', 'OX', 'PE', 'len' hold fields of the headers of the records: no input; --types OS=category (or number)"],
    );
}

#[test]
fn fastq_gives_the_reads_without_their_qualities() {
    let mut table = Table::parse("t.fq", b"@r1 label=a\nACGT\n+r1\nII@I\n@r2 label=b\nGG\n+\n@@\n\n").unwrap();
    assert_eq!(table.header(), ["name", "label", "sequence"]);
    says(&table.notices()[0], &["qualities", "left out"]);
    assert_eq!(strings(&table.dataset(&ReadOptions::default()).unwrap(), "sequence"), ["ACGT", "GG"]);
    // Letters and qualities over several lines, a quality that looks like a name, and a read that trimming left empty (Cock et al. 2010).
    let text = "@r1 label=a\nACG\nT\n+\n@I@\nI\n@r2 label=b\n\n+\n\n@r3 label=a\nGG\n+r3\n+I\n";
    let mut table = Table::parse("t.fq", text.as_bytes()).unwrap();
    assert_eq!(strings(&table.dataset(&options("sequence=sequence")).unwrap(), "sequence"), ["ACGT", "", "GG"]);
    says(&table.notices().join("\n"), &["1 record has no letters (first 'r2' in line 7)"]);
    let commented = parsed_as("; by hand\n>a label=1\nACGT\n; between\nGG\n");
    assert_eq!(commented.texts(&["sequence".into()]).unwrap()[0].1, ["ACGTGG"]);
    says(&commented.notices().join("\n"), &["2 lines that begin with ';' or '#' left out as comments"]);
}

/// A tar archive of such files.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, content) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, path, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

const TEXTS: [(&str, &[u8]); 5] = [
    ("reviews/README", b"how it was made"),
    ("reviews/pos/b.txt", b"a fine film\nindeed"),
    ("reviews/neg/a.txt", b"a dull film"),
    ("reviews/neg/.hidden", b"no text"),
    ("reviews/pos/a.txt", b"tr\xE8s bon film"),
];

#[test]
fn folders_of_texts_are_labelled_by_their_names_in_folders_and_in_archives() {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in TEXTS {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let plain = archive(&TEXTS);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&plain).unwrap();
    let inner = Source::File(folder.path().join("reviews"));
    let tables = [
        Table::read(&inner).unwrap(),
        Table::read(&Source::File(folder.path().to_path_buf())).unwrap(),
        Table::parse("t.tar", &plain).unwrap(),
        Table::parse("t.tgz", &packed.finish().unwrap()).unwrap(),
    ];
    for mut table in tables {
        assert_eq!(
            (table.header(), table.own_target()),
            (&["label".to_owned(), "text".into(), "file".into()][..], &["label".to_owned()][..])
        );
        let said = table.notices().join("\n");
        says(&said, &["1 file beside the folders", "README", "1 text is not UTF-8, and read as windows-1252", "pos/a.txt"]);
        let (target, _) = table.take_target(&["label"], &ReadOptions::default()).unwrap();
        assert_eq!(target.as_classes("test").unwrap(), (&[0, 1, 1][..], &["neg".to_owned(), "pos".into()][..]));
        let data = table.dataset(&ReadOptions::default()).unwrap();
        assert_eq!(data.names(), ["text"]);
        assert_eq!(strings(&data, "text"), ["a dull film", "très bon film", "a fine film\nindeed"]);
    }
}

#[test]
fn several_tables_of_a_folder_are_one_with_the_name_of_each() {
    let files: [(&str, &[u8]); 3] =
        [("two.fasta", b">c label=1 of note\nACGA\n"), ("one.fasta", b">a label=1\nACGT\n>b label=0\nTT\nTT\n"), ("notes", b"by hand")];
    let mut table = Table::parse("t.tar", &archive(&files)).unwrap();
    assert_eq!(table.header(), ["name", "label", "sequence", "description", "file"]);
    says(
        &table.notices().join("\n"),
        &["2 tables are joined, one.fasta to two.fasta; column 'file' says where a row is from", "notes left out"],
    );
    assert_eq!(table.texts(&["file".into()]).unwrap()[0].1, ["one.fasta", "one.fasta", "two.fasta"]);
    let (target, _) = table.take_target(&["label"], &ReadOptions::default()).unwrap();
    assert_eq!(target.as_classes("test").unwrap().0, [1, 0, 1]);
    let data = table.dataset(&ReadOptions::default()).unwrap();
    assert_eq!(data.names(), ["sequence"]);
    assert_eq!(strings(&data, "sequence"), ["ACGT", "TTTT", "ACGA"]);

    // Folders label the rows; the same is said once.
    let files: [(&str, &[u8]); 2] = [("t/no/b.csv", b"x;n\n3,5;1\n"), ("t/yes/a.csv", b"n;x\n2;4,5\n3;5,5\n")];
    let mut table = Table::parse("t.tar", &archive(&files)).unwrap();
    assert_eq!((table.rows(), table.own_target()), (3, &["label".to_owned()][..]));
    assert_eq!(table.notices().iter().filter(|n| n.contains("semicolons")).count(), 1);
    let (target, _) = table.take_target(&["label"], &ReadOptions::default()).unwrap();
    assert_eq!(target.as_classes("test").unwrap(), (&[0, 1, 1][..], &["no".to_owned(), "yes".into()][..]));
    let data = table.dataset(&ReadOptions::default()).unwrap();
    assert!(matches!(&data.column("x").unwrap().values, Values::Numbers(x) if *x == [3.5, 4.5, 5.5]));

    let files: [(&str, &[u8]); 2] = [("a.csv", b"x,y\n1,2\n"), ("b.csv", b"x,z\n1,2\n")];
    says(&message(Table::parse("t.tar", &archive(&files))), &["b.csv", "'y'", "the same columns"]);
}

#[test]
fn several_files_are_one_table_and_a_class_each() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name).display().to_string()
    };
    let files = [write("pos.v1.fasta", ">a\nACGT\n>b kind=x\nTT\n"), write("neg", ">a\nGGG\n")];
    let mut table = Table::read(&Source::of_words(&files)).unwrap();
    assert_eq!((table.own_target(), table.rows()), (&["file".to_owned()][..], 3));
    says(&table.notices().join("\n"), &["2 tables are joined", "column 'file' says where a row is from, the target if no other is named"]);
    let (target, _) = table.take_target(&["file"], &ReadOptions::default()).unwrap();
    assert_eq!(target.as_classes("test").unwrap(), (&[1, 1, 0][..], &["neg".to_owned(), "pos.v1".into()][..]));
    let data = table.dataset(&ReadOptions::default()).unwrap();
    assert_eq!((data.names(), strings(&data, "sequence")), (vec!["sequence"], vec!["ACGT".into(), "TT".into(), "GGG".into()]));
    // Another target may be named; files of one name are told apart by their folders.
    std::fs::create_dir(folder.path().join("t")).unwrap();
    let files = [write("a.csv", "x,y\n1,p\n2,q\n"), write("t/a.csv", "y,x\np,3\n")];
    let mut table = Table::read(&Source::of_words(&files)).unwrap();
    assert_eq!(table.texts(&["file".into()]).unwrap()[0].1, [&files[0], &files[0], &files[1]].map(String::as_str));
    table.take_target(&["y"], &ReadOptions::default()).unwrap();
    assert_eq!(table.dataset(&ReadOptions::default()).unwrap().names(), ["x"]);
    let lines = ReadOptions { lines: true, ..ReadOptions::default() };
    let files = [write("pos.txt", "a fine film\n"), write("neg.txt", "a dull film\na bad one\n")];
    let mut table = Table::read_within(&Source::of_words(&files), &lines, &Control::default()).unwrap();
    let (target, _) = table.take_target(&["label"], &lines).unwrap();
    assert_eq!(target.as_classes("test").unwrap(), (&[1, 0, 0][..], &["neg".to_owned(), "pos".into()][..]));
    assert!(Table::read(&Source::of_words(&[files[0].as_str(), "nowhere.fasta"])).is_err());
}

#[test]
fn archives_that_are_cut_off_or_too_large_or_hold_no_texts_are_refused() {
    let plain = archive(&TEXTS);
    for cut in [600, 1100, 1600] {
        assert!(Table::parse("t.tar", &plain[..cut]).is_err(), "{cut}");
    }
    let within = |most| Table::parse_within("t", &plain, &ReadOptions::default(), &Control::default().with_memory(most));
    assert!(matches!(within(20), Err(Error::TooLarge { .. })));
    says(&message(Table::parse("t.tar", &archive(&[("a/.b", b"x")]))), &["no texts", "a folder for each label"]);
    says(&message(Table::parse("t.tar", &archive(&[("a/b", b"\0\0\x01"), ("a/c", b"x")]))), &["a/b", "no text has"]);
    says(&message(Table::parse("t.tar", &archive(&[("t.csv", b"a,b\n1,2\n")]))), &["the table t.csv", "name the table"]);
    // Without folders there are no labels.
    let flat = Table::parse("t.tar", &archive(&[("b.txt", b"two"), ("./a.txt", b"one")])).unwrap();
    assert_eq!((flat.header(), flat.own_target().len()), (&["text".to_owned(), "file".into()][..], 0));
}

const ARFF: &str = "% by hand\n@RELATION plants\n\n@attribute 'leaf length' NUMERIC\n@ATTRIBUTE colour {red, 'dark blue',green}\n\
                    @attribute seen date 'yyyy-MM-dd'\n@attribute class {0,1}\n@DATA\n5.1,red,2024-03-01,0\n% between\n\
                    ?,'dark blue',2024-03-02,1\n4.5, green ,?,0\n5.5,?,2024-03-04,1\n";

#[test]
fn arff_attributes_are_columns_of_their_types() {
    let mut table = Table::parse("t.arff", ARFF.as_bytes()).unwrap();
    assert_eq!(table.header(), ["leaf length", "colour", "seen", "class"]);
    let (target, _) = table.take_target(&["class"], &ReadOptions::default()).unwrap();
    assert_eq!(target.as_classes("test").unwrap().0, [0, 1, 0, 1]);
    let data = table.dataset(&ReadOptions::default()).unwrap();
    let Values::Numbers(length) = &data.column("leaf length").unwrap().values else { panic!("not numbers") };
    assert!(length[0] == 5.1 && length[1].is_nan() && length[2..] == [4.5, 5.5]);
    let Values::Categories(colour) = &data.column("colour").unwrap().values else { panic!("not categories") };
    assert_eq!((colour.label(1), colour.label(2), colour.label(3)), (Some("dark blue"), Some("green"), Some(MISSING)));
    let Values::Numbers(seen) = &data.column("seen").unwrap().values else { panic!("not dates") };
    assert!(seen[0] == 19_783.0 && seen[2].is_nan());
}

#[test]
fn sparse_arff_leaves_zeros_and_first_labels_out() {
    let text = "@relation s\n@attribute a real\n@attribute b {no,yes}\n@attribute c real\n@data\n{0 1.5, 2 -3}\n{1 yes}\n{ }\n";
    let mut table = Table::parse("t", text.as_bytes()).unwrap();
    let data = table.dataset(&ReadOptions::default()).unwrap();
    let Values::Numbers(a) = &data.column("a").unwrap().values else { panic!("not numbers") };
    let Values::Numbers(c) = &data.column("c").unwrap().values else { panic!("not numbers") };
    let Values::Categories(b) = &data.column("b").unwrap().values else { panic!("not categories") };
    assert_eq!(
        (a.as_slice(), c.as_slice(), b.label(0), b.label(1)),
        (&[1.5, 0.0, 0.0][..], &[-3.0, 0.0, 0.0][..], Some("no"), Some("yes"))
    );
    // Weights of instances (Weka 3.5.8) are named.
    let weighted = Table::parse("t", b"@relation s\n@attribute a real\n@data\n{0 1.5}, {2}\n3, {5}\n4\n").unwrap();
    says(&weighted.notices().join("\n"), &["2 rows have weights in braces behind them, which are left out"]);
}

#[test]
fn faults_of_arff_name_their_line() {
    let head = "@relation t\n@attribute a real\n@attribute c {x,y}\n@data\n";
    refused("@relation t\n@attribute a relational\n", &["line 2", "'relational'", "numeric"]);
    refused("@relation t\nattribute a real\n", &["line 2", "@attribute NAME TYPE"]);
    refused("@relation t\n@data\n1\n", &["line 2", "no @attribute"]);
    refused("@relation t\n@attribute a real\n", &["no line @data"]);
    refused(head, &["no rows"]);
    refused(&format!("{head}1,x\n2\n"), &["line 6", "row 2 has 1 cells", "2 attributes"]);
    refused(&format!("{head}1,z\n"), &["line 5", "row 1, column 'c'", "'z'", "x, y"]);
    refused(&format!("{head}1,'x\n"), &["line 5", "never closed"]);
    refused(&format!("{head}{{7 1}}\n"), &["line 5", "'7'"]);
    says(
        &message(Table::parse("t", format!("{head}one,x\n2,y\n").as_bytes()).unwrap().dataset(&options("a=number"))),
        &["row 1, column 'a'", "'one'"],
    );
}
