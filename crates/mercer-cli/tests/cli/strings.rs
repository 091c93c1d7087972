//! Sequences as a user meets them: alphabets, faults by row and letter, explanations.

use super::shell::{Run, Shell};
use serde_json::Value;

fn refused(shell: &Shell, words: &[&str]) -> Run {
    let run = shell.mercer(words);
    assert!(run.code > 0 && !run.err.contains("panicked"), "mercer {}: {}", words.join(" "), run.err);
    run
}

/// 60 sequences, the second half with a motif.
fn planted(motif: &str) -> String {
    let mut state = 12345u64;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ["A", "C", "G", "T"][(state >> 33) as usize % 4]
    };
    let mut rows = String::from("class,seq\n");
    for i in 0..60 {
        let (before, after) = (10 + i % 7, 20 + i % 5);
        let mut s: String = (0..before).map(|_| letter()).collect();
        if i >= 30 {
            s += motif;
        }
        s.extend((0..after).map(|_| letter()));
        rows += &format!("{},{s}\n", if i >= 30 { "with" } else { "without" });
    }
    rows
}

#[test]
fn a_model_of_sequences_says_which_letters_it_answers_by() {
    let shell = Shell::new();
    shell.write("t.csv", planted("GATTACA"));
    let fit = shell.done(&["fit", "t.csv", "--target", "class", "--estimator", "svc(c=10)", "-o", "m.mercer", "--report", "m.html"]);
    assert!(
        fit.out.contains("gapped(length=6, k=4") && fit.err.contains("sequences of DNA: compared by the gapped words"),
        "{}{}",
        fit.out,
        fit.err
    );
    let page = std::fs::read_to_string(shell.path("m.html")).unwrap();
    for said in ["What svc answers by", "mercer explain", "rows predicted as with"] {
        assert!(page.contains(said), "the page lists parts: {said}");
    }
    let all = shell.done(&["explain", "m.mercer", "t.csv"]);
    let first: Vec<&str> = all.out.lines().skip(2).take(3).collect();
    assert!(first.iter().any(|line| line.contains("ATTAC") || line.contains("GATTA") || line.contains("TTACA")), "{}", all.out);
    let sequence = "CCGTCCGTGGATTACACCGTCCGGTCC";
    assert!(
        all.out.starts_with("without: change of the decision value") || all.out.starts_with("with: change of the decision value"),
        "{}",
        all.out
    );
    let one = shell.done(&["explain", "m.mercer", sequence, "--width", "7"]);
    assert!(one.out.starts_with("with: decision value") && one.out.contains(sequence) && one.out.contains('#'), "{}", one.out);
    let json: Value = serde_json::from_str(&shell.done(&["explain", "m.mercer", "t.csv", "--row", "40", "--json"]).out).unwrap();
    assert_eq!(json["columns"][0]["units"].as_array().unwrap().len(), json["columns"][0]["effects"].as_array().unwrap().len());
    let run = refused(&shell, &["explain", "m.mercer", "t.csv", "--row", "61"]);
    assert!(run.err.contains("60 rows") && run.err.contains("61"), "{}", run.err);
    let run = refused(&shell, &["explain", "m.mercer", "ACGTEEEE"]);
    assert!(run.err.contains("'E'") && run.err.contains("letter 5"), "{}", run.err);
}

#[test]
fn faults_of_sequences_are_named_by_row_and_letter() {
    let shell = Shell::new();
    shell.write("t.csv", "class,seq\na,ACGTACGTACGT\nb,ACGTJJJJJJGA\na,ACGTACGTACGA\nb,TTGTACGTACGA\n");
    let fit = |kernel: &str| {
        refused(&shell, &["fit", "t.csv", "--target", "class", "--kernel", kernel, "--types", "seq=sequence", "-o", "m.mercer"]).err
    };
    let why = fit("spectrum(k=3, alphabet=dna)");
    assert!(why.contains("row 2") && why.contains("'J'") && why.contains("letter 5"), "{why}");
    assert!(!shell.files().contains(&"m.mercer".to_owned()), "nothing is written");
    shell.write("t.csv", "class,seq\na,ACGTACGTACGT\nb,ACGTCGTACGA\na,ACGTACGTACGA\nb,TTGTACGTACGA\n");
    for kernel in ["gapped(length=20, k=6)", "spectrum(k=13)"] {
        let run = shell.done(&[
            "fit",
            "t.csv",
            "--target",
            "class",
            "--kernel",
            kernel,
            "--types",
            "seq=sequence",
            "--estimator",
            "knn(k=1)",
            "-o",
            "m.mercer",
        ]);
        assert!(run.err.contains("the longest string of 'seq' has 12: it finds nothing"), "{}", run.err);
    }
}

/// Letters that are no bases are named, and treated as N, in a CSV as in a FASTA file.
#[test]
fn odd_letters_of_csv_and_fasta_count_as_unknown_bases() {
    let shell = Shell::new();
    let rows: Vec<String> = planted("GATTACA").lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_owned()).collect();
    let gram = |odd: char, kernel: &[&str]| {
        let mut rows = rows.clone();
        rows[4].insert(7, odd);
        let csv: String = rows.iter().map(|row| format!("{row}\n")).collect();
        let fasta: String = rows.iter().enumerate().map(|(i, row)| format!(">s{i}\n{row}\n")).collect();
        shell.write("t.csv", format!("seq\n{csv}"));
        shell.write("t.fa", fasta);
        let k = ["t.csv", "t.fa"].map(|table| {
            let run = shell.done(&[&["gram", table, "-o", "k.npy"][..], kernel].concat());
            let said = format!("DNA, and 1 letter that names no base ('{odd}' at letter 8 of row 5)");
            assert_eq!(run.err.contains(&said), !"N-".contains(odd), "{table} with '{odd}': {}", run.err);
            std::fs::read(shell.path("k.npy")).unwrap()
        });
        assert!(k[0] == k[1], "'{odd}'");
        k[0].clone()
    };
    for kernel in [&[][..], &["--kernel", "spectrum(k=3, alphabet=dna)"]] {
        let unknown = gram('N', kernel);
        assert!(['-', '*', 'X', '7'].iter().all(|odd| gram(*odd, kernel) == unknown));
    }
}

/// Two files are two classes, whose names are those of the files.
#[test]
fn a_fasta_file_for_each_class_is_learnt_from_at_once() {
    let shell = Shell::new();
    let rows = planted("GATTACA");
    for (label, name) in [("with", "pos.fasta"), ("without", "neg.fa")] {
        let of = rows.lines().skip(1).filter_map(|line| line.split_once(',')).filter(|(l, _)| *l == label);
        shell.write(name, of.enumerate().map(|(i, (_, row))| format!(">s{i} OS=Homo sapiens OX=9606\n{row}\n")).collect::<String>());
    }
    let fit = shell.done(&["fit", "pos.fasta", "neg.fa", "--estimator", "svc(c=10)", "-o", "m.mercer"]);
    for part in ["2 tables are joined, pos.fasta to neg.fa", "'OS', 'OX' hold fields of the headers of the records: no input"] {
        assert!(fit.err.contains(part), "{}", fit.err);
    }
    let predicted = shell.done(&["predict", "m.mercer", "pos.fasta", "neg.fa"]).out;
    let lines: Vec<&str> = predicted.lines().collect();
    assert_eq!((lines[0], lines.len()), ("file_predicted", 61));
    assert!(lines[1..31].iter().filter(|line| **line == "pos").count() >= 25, "{predicted}");
    // The classes differ, and a field that is named is an input.
    assert!(shell.done(&["test", "pos.fasta", "neg.fa", "--groups", "file", "--permutations", "99"]).out.contains("pos"));
    assert!(refused(&shell, &["fit", "pos.fasta", "nowhere.fa", "-o", "m.mercer"]).err.contains("nowhere.fa"));
}

/// A FASTA file that holds a name twice loses nothing, and soft-masked letters are the same bases.
#[test]
fn fasta_with_a_name_twice_and_small_letters_is_read_whole() {
    let shell = Shell::new();
    let mut text = String::new();
    for i in 0..20 {
        let s = if i % 2 == 0 { "ACGTTGCAACGT" } else { "ggggccccttaa" };
        text += &format!(">s{} class={}\n{s}\n", i / 2, ["x", "y"][i % 2]);
    }
    shell.write("t.fasta", text);
    let fit = shell.done(&[
        "fit",
        "t.fasta",
        "--target",
        "class",
        "--kernel",
        "on(sequence, spectrum(k=2))",
        "--estimator",
        "knn(k=1)",
        "-o",
        "m.mercer",
    ]);
    assert!(fit.out.contains("20"), "{}", fit.out);
    let predicted = shell.done(&["predict", "m.mercer", "t.fasta"]);
    assert_eq!(predicted.out.lines().skip(1).filter(|l| l.contains('y')).count(), 10, "{}", predicted.out);
}

#[test]
fn a_fitted_hidden_markov_model_is_printed_decoded_and_drawn_from() {
    let shell = Shell::new();
    let rows: String = (0..30).map(|i| format!("{}{}{}\n", "xyx".repeat(1 + i % 3), "zwz".repeat(2), "yxx".repeat(1 + i % 2))).collect();
    shell.write("t.csv", format!("q\n{rows}"));
    shell.done(&["fit", "t.csv", "--estimator", "density(hmm(states=2, length=9))", "-o", "m.mercer"]);
    let brief = shell.done(&["inspect", "m.mercer"]).out;
    assert!(brief.contains("startprob (2), transmat (2 x 2), emissionprob (2 x 4), unseen"), "{brief}");
    let said = shell.done(&["inspect", "m.mercer", "--verbose"]).out;
    assert!(said.contains("transmat: probability of the next state") && said.contains("state 2"), "{said}");
    let json: Value = serde_json::from_str(&shell.done(&["inspect", "m.mercer", "--json"]).out).unwrap();
    let parameters = &json["distributions"][0]["parameters"];
    assert_eq!(parameters[2]["axes"][1]["labels"], serde_json::json!(["w", "x", "y", "z"]));
    for row in parameters[1]["values"].as_array().unwrap() {
        let sum: f64 = row.as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{parameters}");
    }
    // Letters that no training row has, and an empty cell, are reported by row.
    shell.write("new.csv", "q\nxyzz\nxQzz\n\nQQ\n");
    let run = shell.done(&["predict", "m.mercer", "new.csv"]);
    let logs: Vec<f64> = run.out.lines().skip(1).map(|line| line.parse().unwrap()).collect();
    assert!(logs.len() == 4 && logs[3] < logs[1] && logs[1] < logs[0] && logs[2] == 0.0, "{logs:?}");
    assert!(run.err.contains("2 rows (the first is row 2): letters that no training row has ('Q')"), "{}", run.err);
    assert!(run.err.contains("taken as the empty text"), "{}", run.err);
    let states = shell.done(&["predict", "m.mercer", "new.csv", "--states"]).out;
    let lines: Vec<Vec<f64>> = states.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    assert_eq!((states.lines().next(), lines.len()), (Some("row,time,state,state_1,state_2"), 4 + 4 + 2));
    assert!(lines.iter().all(|line| (line[3] + line[4] - 1.0).abs() < 1e-12), "{states}");
    assert_ne!(lines[0][2], lines[3][2], "{states}");
    let drawn = |seed: &str| shell.done(&["sample", "m.mercer", "--rows", "5", "--seed", seed]).out;
    assert!(drawn("1") == drawn("1") && drawn("1") != drawn("2"));
    assert!(drawn("1").lines().skip(1).all(|row| row.len() == 9 && row.chars().all(|c| "wxyz".contains(c))), "{}", drawn("1"));
    let none = shell.mercer(&["predict", "m.mercer", "new.csv", "--states", "--probabilities"]);
    assert!(none.code != 0 && none.err.contains("--probabilities"), "{}", none.err);
}

#[test]
fn models_of_classes_are_printed_decoded_and_drawn_from_class_by_class() {
    let shell = Shell::new();
    let row = |i: usize| format!("{},{}\n", ["one", "two"][i % 2], if i.is_multiple_of(2) { "abab" } else { "ccdcd" });
    shell.write("t.csv", format!("c,q\n{}", (0..20).map(row).collect::<String>()));
    shell.done(&["fit", "t.csv", "--target", "c", "--types", "q=sequence", "--estimator", "bayes(hmm(states=2))", "-o", "m.mercer"]);
    let said = shell.done(&["inspect", "m.mercer", "--verbose"]).out;
    assert!(said.contains("for each class") && said.contains("class 'two': emissionprob"), "{said}");
    let states = shell.done(&["predict", "m.mercer", "t.csv", "--states"]).out;
    assert_eq!(states.lines().next(), Some("row,time,c_predicted,state,state_1,state_2"));
    assert!(states.lines().any(|line| line.starts_with("2,5,two,")), "{states}");
    let drawn = shell.done(&["sample", "m.mercer", "--rows", "40"]).out;
    assert!(drawn.starts_with("c,q\none,") && drawn.lines().count() == 41 && drawn.contains("\ntwo,"), "{drawn}");
    shell.write("drawn.csv", drawn);
    let predicted = shell.done(&["predict", "m.mercer", "drawn.csv", "--keep", "c"]).out;
    let right = predicted.lines().skip(1).filter(|line| line.split_once(',').is_some_and(|(own, said)| own == said)).count();
    assert!(right > 35, "{predicted}");
    // An estimator without a generative model says so.
    shell.done(&["fit", "example:iris", "--estimator", "ridge", "-o", "r.mercer"]);
    let none = shell.mercer(&["sample", "r.mercer"]);
    assert!(none.code != 0 && none.err.contains("ridge fits no generative model"), "{}", none.err);
}
