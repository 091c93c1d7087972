//! Graphs, series, sets, trees and models of rows as a user meets them: from tables to predictions, and faults by row and column.

use super::shell::Shell;

/// Rings with and without a chord, of 5 to 9 nodes.
fn graphs() -> String {
    let mut table = String::from("class,g\n");
    for i in 0..24 {
        let nodes = 5 + i % 5;
        let mut edges: Vec<String> = (0..nodes).map(|k| format!("{k}-{}", (k + 1) % nodes)).collect();
        if i % 2 == 0 {
            edges.push("0-2".into());
        }
        let labels = vec!["C"; nodes].join(" ");
        table += &format!("{},{labels} | {}\n", if i % 2 == 0 { "chord" } else { "ring" }, edges.join(" "));
    }
    table
}

/// Slow and fast waves of 16 times in columns of their own.
fn waves(long: bool) -> String {
    let value = |row: usize, t: usize| ((if row.is_multiple_of(2) { 0.3 } else { 0.8 }) * t as f64 + row as f64).sin();
    let class = |row: usize| if row.is_multiple_of(2) { "slow" } else { "fast" };
    let mut table = if long {
        String::from("id,class,x\n")
    } else {
        format!("class,{}\n", (0..16).map(|t| format!("t{t}")).collect::<Vec<_>>().join(","))
    };
    for row in 0..30 {
        let values: Vec<String> = (0..16).map(|t| format!("{:.4}", value(row, t))).collect();
        if long {
            values.iter().for_each(|x| table += &format!("w{row},{},{x}\n", class(row)));
        } else {
            table += &format!("{},{}\n", class(row), values.join(","));
        }
    }
    table
}

/// Predicted classes, one a line below the header.
fn right(out: &str, truth: impl Fn(usize) -> &'static str) -> usize {
    out.lines().skip(1).enumerate().filter(|(row, line)| line.split(',').next_back() == Some(truth(*row))).count()
}

#[test]
fn graphs_go_from_a_table_to_predictions_with_a_kernel_of_their_own() {
    let shell = Shell::new();
    shell.write("g.csv", graphs());
    let fit = shell.done(&["fit", "g.csv", "--target", "class", "--estimator", "svc(c=10)", "-o", "m.mercer"]);
    assert!(fit.out.contains("normalise(weisfeiler_lehman"), "{}", fit.out);
    let predicted = shell.done(&["predict", "m.mercer", "g.csv"]);
    assert!(right(&predicted.out, |row| if row % 2 == 0 { "chord" } else { "ring" }) >= 22, "{}", predicted.out);
    let all = shell.done(&["explain", "m.mercer", "g.csv"]).out;
    assert!(all.starts_with("ring: change of the decision value, 12 rows predicted as chord and 12 rows predicted as ring"), "{all}");
    // The chord is the one edge that no node with two neighbours ends: without it a ring is left.
    assert!(all.lines().any(|line| line.contains("12  C-C") && line.contains('\u{2212}')), "{all}");
    let one = shell.done(&["explain", "m.mercer", "g.csv", "--row", "1"]).out;
    // The chord of the ring 0-1-2-3-4.
    assert!(one.starts_with("chord: decision value") && one.contains("C-C at edge 0-2"), "{one}");
    shell.write("bad.csv", "class,g\na,C C | 0-1\nb,C C | 0-2\n");
    let run = shell.mercer(&["fit", "bad.csv", "--target", "class", "--types", "g=graph", "-o", "bad.mercer"]);
    assert!(run.code > 0 && run.err.contains("row 2") && run.err.contains("column 'g'") && run.err.contains("node 2"), "{}", run.err);
    assert!(!shell.files().contains(&"bad.mercer".to_owned()), "nothing is written");
}

#[test]
fn series_come_from_arrays_of_json_lines_and_grouped_columns_cannot_be_kept() {
    let shell = Shell::new();
    let value = |row: usize, t: usize| ((if row.is_multiple_of(2) { 0.3 } else { 0.8 }) * t as f64 + row as f64).sin();
    let line = |row: usize| {
        let values: Vec<String> = (0..12 + row % 4).map(|t| format!("{:.4}", value(row, t))).collect();
        format!("{{\"r\": [{}], \"class\": \"{}\"}}\n", values.join(", "), if row.is_multiple_of(2) { "slow" } else { "fast" })
    };
    shell.write("w.jsonl", (0..30).map(line).collect::<String>());
    let kernel = "normalise(global_alignment)";
    shell.done(&["fit", "w.jsonl", "--target", "class", "--types", "r=series", "--kernel", kernel, "-o", "m.mercer"]);
    let predicted = shell.done(&["predict", "m.mercer", "w.jsonl"]);
    assert!(right(&predicted.out, |row| if row.is_multiple_of(2) { "slow" } else { "fast" }) >= 26, "{}", predicted.out);
    shell.write("wide.jsonl", "{\"r\": [[1, 2], [3, 4]]}\n");
    let wide = shell.mercer(&["predict", "m.mercer", "wide.jsonl"]);
    for part in ["wide.jsonl", "row 1, column 'r'", "found '2 channels', expected 1, as in training"] {
        assert!(wide.code > 0 && wide.err.contains(part), "{}", wide.err);
    }
    shell.write("cut.jsonl", "{\"r\": [1], \"class\": \"slow\"}\n{\"r\": [2");
    let cut = shell.mercer(&["fit", "cut.jsonl", "--target", "class", "-o", "cut.mercer"]);
    assert!(cut.code > 0 && cut.err.contains("line 2 (row 2): the object is cut off"), "{}", cut.err);
    shell.write("long.csv", waves(true));
    shell.done(&["fit", "long.csv", "--target", "class", "--group-into", "id", "--types", "id=series", "-o", "long.mercer"]);
    let kept = shell.mercer(&["predict", "long.mercer", "long.csv", "--keep", "x"]);
    assert!(kept.code > 0 && kept.err.contains("keep one of these: class, id") && !kept.err.contains("did you mean"), "{}", kept.err);
}

#[test]
fn series_come_from_columns_and_from_rows_of_one_name() {
    let shell = Shell::new();
    shell.write("wide.csv", waves(false));
    shell.write("long.csv", waves(true));
    let truth = |row: usize| if row.is_multiple_of(2) { "slow" } else { "fast" };
    let common = ["--target", "class", "--estimator", "svc(c=10)"];
    let wide = [&["fit", "wide.csv", "--series", "s=t0..t15", "-o", "wide.mercer"][..], &common].concat();
    let fit = shell.done(&wide);
    assert!(fit.out.contains("global_alignment") && fit.out.contains("s (series)"), "{}", fit.out);
    assert!(right(&shell.done(&["predict", "wide.mercer", "wide.csv"]).out, truth) >= 28);
    let kernel = "normalise(cross_correlation)";
    let long =
        [&["fit", "long.csv", "--group-into", "id", "--types", "id=series", "--kernel", kernel, "-o", "long.mercer"][..], &common].concat();
    shell.done(&long);
    assert!(right(&shell.done(&["predict", "long.mercer", "long.csv"]).out, truth) >= 28);
    let run = shell.mercer(&["fit", "wide.csv", "--series", "s=t0..t99", "--target", "class", "-o", "x.mercer"]);
    assert!(run.code > 0 && run.err.contains("'t99'"), "{}", run.err);
    shell.write("bad.csv", "class,s\na,\"[1, 2]\"\nb,\"[1, one]\"\n");
    let run = shell.mercer(&["fit", "bad.csv", "--target", "class", "--types", "s=series", "-o", "x.mercer"]);
    assert!(run.code > 0 && run.err.contains("row 2") && run.err.contains("column 's'"), "{}", run.err);
}

#[test]
fn gaps_of_series_are_filled_left_out_or_refused_in_every_form_of_table() {
    let shell = Shell::new();
    // In each form the series [1, -, 5], [2, 4, 9] and [3, 6, 7].
    shell.write("long.csv", "id,time,value,y\n1,0,1,a\n1,1,,a\n1,2,5,a\n2,0,2,b\n2,1,4,b\n2,2,9,b\n3,0,3,a\n3,1,6,a\n3,2,7,a\n");
    shell.write("wide.csv", "t0,t1,t2,y\n1,,5,a\n2,4,9,b\n3,6,7,a\n");
    shell.write("cell.csv", "s,y\n\"[1, NaN, 5]\",a\n\"[2, 4, 9]\",b\n\"[3, 6, 7]\",a\n");
    shell.write("lines.jsonl", "{\"s\":[1,null,5],\"y\":\"a\"}\n{\"s\":[2,4,9],\"y\":\"b\"}\n{\"s\":[3,6,7],\"y\":\"a\"}\n");
    shell.write("two.csv", "s,y\n\"[1, 5]\",a\n\"[2, 4, 9]\",b\n\"[3, 6, 7]\",a\n");
    let forms: [(&[&str], &str); 4] = [
        (&["long.csv", "--group-into", "id", "--types", "id=series"], "id"),
        (&["wide.csv", "--series", "s=t0..t2"], "s"),
        (&["cell.csv"], "s"),
        (&["lines.jsonl"], "s"),
    ];
    let gram = |form: &[&str], more: &[&str]| {
        let words =
            [&["gram"], form, &["--target", "y", "--kernel", "global_alignment(length_scale=2)", "--no-standardise", "-o", "g.npy"], more]
                .concat();
        let run = shell.mercer(&words);
        (run.code, run.err, std::fs::read(shell.path("g.npy")).unwrap_or_default())
    };
    let skipped = gram(&["two.csv"], &[]).2;
    for (form, name) in forms {
        let (code, said, filled) = gram(form, &[]);
        assert!(
            code == 0 && said.contains(&format!("column '{name}' lacks numbers at 1 time of row 1: interpolated; --missing {name}=skip")),
            "{said}"
        );
        let policy = |word: &str| format!("{name}={word}");
        let (_, said, left) = gram(form, &["--missing", &policy("skip")]);
        assert!(said.contains("left out with their times") && left == skipped && left != filled, "{said}");
        assert!(gram(form, &["--missing", &policy("forward")]).2 != filled);
        let (code, said, _) = gram(form, &["--missing", &policy("error")]);
        assert!(code > 0 && said.contains(&format!("row 1, column '{name}': the series lacks numbers")), "{said}");
        let (_, said, _) = gram(form, &["--missing", &policy("drop")]);
        assert!(said.contains("1 row that lacks numbers is left out (the first is row 1)"), "{said}");
    }
    // A row of a long table is a time, and a channel stands for its series.
    assert_eq!(gram(forms[0].0, &["--missing", "value=drop"]).2, skipped);
    // A model fills new rows as it was taught, and a channel that lacks all numbers is named.
    let fit =
        ["fit", "wide.csv", "--series", "s=t0..t2", "--missing", "s=skip", "--target", "y", "--estimator", "svc(c=1)", "-o", "m.mercer"];
    shell.done(&fit);
    let predicted = shell.done(&["predict", "m.mercer", "wide.csv"]);
    assert!(predicted.err.contains("column 's' lacks numbers at 1 time of row 1: left out with their times"), "{}", predicted.err);
    shell.write("void.csv", "u0,u1,v0,v1,y\n1,2,,,a\n2,4,3,1,b\n");
    let void = shell.mercer(&["fit", "void.csv", "--series", "s=u0..u1+v0..v1", "--target", "y", "-o", "x.mercer"]);
    assert!(void.code > 0 && void.err.contains("row 1, column 's': found 'no number in channel 2 at any time'"), "{}", void.err);
}

#[test]
fn models_of_rows_are_sources_of_kernels() {
    let shell = Shell::new();
    let mut table = String::from("class,seq\n");
    for i in 0..30usize {
        let string: String = (0..40)
            .map(|t| if i.is_multiple_of(2) { ["AC", "GT"][(t * t + i) % 3 % 2] } else { ["AG", "CT"][(t * 3 + i) % 5 % 2] })
            .collect();
        table += &format!("{},{string}\n", if i.is_multiple_of(2) { "x" } else { "y" });
    }
    shell.write("t.csv", table);
    for kernel in [
        "fisher(markov(order=1), information=identity)",
        "probability_product(markov(order=1))",
        "fisher(hmm(states=2, starts=1), information=empirical)",
    ] {
        let words = [
            "fit",
            "t.csv",
            "--target",
            "class",
            "--types",
            "seq=sequence",
            "--estimator",
            "svc(c=10)",
            "--kernel",
            kernel,
            "-o",
            "m.mercer",
        ];
        shell.done(&words);
        let predicted = shell.done(&["predict", "m.mercer", "t.csv"]);
        assert!(right(&predicted.out, |row| if row % 2 == 0 { "x" } else { "y" }) >= 28, "{kernel}: {}", predicted.out);
    }
    shell.write("few.csv", "y,a,b\n1,1,2\n2,2,1\n3,5,6\n");
    let run = shell.mercer(&["fit", "few.csv", "--target", "y", "--kernel", "fisher(gaussian_mixture(components=9))", "-o", "x.mercer"]);
    assert!(run.code > 0 && run.err.contains("gaussian_mixture") && run.err.contains("3"), "{}", run.err);
}
