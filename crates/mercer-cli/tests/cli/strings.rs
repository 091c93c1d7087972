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
    let run = refused(&shell, &["explain", "m.mercer", "ACGT!"]);
    assert!(run.err.contains("'!'") && run.err.contains("letter 5"), "{}", run.err);
}

#[test]
fn faults_of_sequences_are_named_by_row_and_letter() {
    let shell = Shell::new();
    shell.write("t.csv", "class,seq\na,ACGTACGTACGT\nb,ACGTXCGTACGA\na,ACGTACGTACGA\nb,TTGTACGTACGA\n");
    let fit = |kernel: &str| {
        refused(&shell, &["fit", "t.csv", "--target", "class", "--kernel", kernel, "--types", "seq=sequence", "-o", "m.mercer"]).err
    };
    let why = fit("spectrum(k=3, alphabet=dna)");
    assert!(why.contains("row 2") && why.contains("'X'") && why.contains("letter 5"), "{why}");
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
