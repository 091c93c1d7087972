//! Commands that predict no target: clusters, maps, tests of independence, demonstrations.

use super::shell::Shell;

/// Three heaps of ten rows, told apart by x and y alone, and a number that follows x.
fn heaps() -> String {
    let row = |i: usize| {
        let (heap, k) = (i / 10, (i % 10) as f64);
        let (x, y) = (10.0 * heap as f64 + 0.3 * (k - 4.5), 7.0 * (heap % 2) as f64 + 0.2 * (k * 7.0 % 10.0 - 4.5));
        format!("{x},{y},{},{}\n", x * x, ["a", "b"][i % 2])
    };
    format!("x,y,square,side\n{}", (0..30).map(row).collect::<String>())
}

#[test]
fn clusters_are_written_row_by_row_and_new_rows_find_theirs() {
    let shell = Shell::new();
    shell.write("t.csv", heaps());
    let words = ["cluster", "t.csv", "--types", "square=ignore,side=ignore", "--estimator", "k_medoids(clusters=3)"];
    let run = shell.done(&[&words[..], &["-o", "c.csv", "--model", "m.mercer", "--report", "page.html"]].concat());
    assert!(run.out.contains("sizes of the clusters: 10, 10, 10"), "{}", run.out);
    let written = std::fs::read_to_string(shell.path("c.csv")).unwrap();
    let found: Vec<&str> = written.lines().skip(1).collect();
    assert_eq!(found.len(), 30);
    assert!((0..30).all(|i| (found[i] == found[0]) == (i < 10) && (found[i] == found[29]) == (i >= 20)), "{written}");
    assert_eq!(shell.done(&["predict", "m.mercer", "t.csv"]).out.trim_end(), written.trim_end());
    let page = std::fs::read_to_string(shell.path("page.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("k_medoids"));
    let none = shell.mercer(&["cluster", "t.csv", "--estimator", "ridge", "-o", "none.csv"]);
    assert!(none.code != 0 && none.err.contains("mercer fit"), "{} {}", none.code, none.err);
    assert!(!shell.path("none.csv").exists());
}

#[test]
fn rows_unlike_the_others_are_named_with_their_scores() {
    let shell = Shell::new();
    let row = |i: usize| {
        let t = i as f64;
        format!("{},{}\n", (1.3 * t).sin(), 0.5 * (2.1 * t).cos())
    };
    shell.write("t.csv", format!("x,y\n{}", (0..60).map(row).collect::<String>()));
    let run = shell.done(&["fit", "t.csv", "--estimator", "one_class", "-o", "m.mercer", "--report", "page.html"]);
    assert!(run.out.contains("none; gives scores of novelty: score"), "{}", run.out);
    assert!(run.out.contains("of the training rows are outliers, at most nu = 10.0%; the offset is"), "{}", run.out);
    assert!(run.out.contains("converged: relative duality gap"), "{}", run.out);
    shell.write("new.csv", "x,y\n0.95,0.4\n9,-9\n");
    let found = shell.done(&["predict", "m.mercer", "new.csv"]).out;
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines[0], "novelty,score");
    assert!(lines[1].starts_with("inlier,") && lines[2].starts_with("outlier,-"), "{found}");
    let all = shell.done(&["predict", "m.mercer", "t.csv"]).out;
    assert!(all.lines().filter(|l| l.starts_with("outlier")).count() <= 6, "{all}");
    let page = std::fs::read_to_string(shell.path("page.html")).unwrap();
    assert!(page.contains("one_class") && page.contains("outliers"));
    let none = shell.mercer(&["fit", "t.csv", "--estimator", "one_class(nu=1.5)", "-o", "n.mercer"]);
    assert!(none.code != 0 && none.err.contains("above 0 and at most 1"), "{} {}", none.code, none.err);
    let wrong = shell.mercer(&["fit", "t.csv", "--target", "x", "--estimator", "one_class", "-o", "n.mercer"]);
    assert!(wrong.code != 0 && wrong.err.contains("one_class takes no target"), "{}", wrong.err);
}

#[test]
fn texts_without_words_are_no_centre_of_texts_that_share_none() {
    let shell = Shell::new();
    // Two languages of 15 texts each, which share one word and have three of their own, and two empty texts.
    let text = |i: usize| format!("{} a{i}x b{i}x c{i}x", ["der", "the"][i % 2]);
    let mut table = String::from("text\n");
    (0..30).for_each(|i| table += &format!("{}\n", if i == 9 || i == 20 { "\"\"".to_owned() } else { text(i) }));
    shell.write("t.csv", table);
    let found = shell.done(&["cluster", "t.csv", "--types", "text=text", "--clusters", "2"]).out;
    let found: Vec<&str> = found.lines().skip(1).collect();
    assert!((0..30).filter(|i| *i != 9 && *i != 20).all(|i| found[i] == found[i % 2]) && found[0] != found[1], "{found:?}");
}

#[test]
fn the_target_that_a_table_names_itself_is_left_out_untold_or_told() {
    let shell = Shell::new();
    let words = ["cluster", "example:iris", "--estimator", "k_medoids(clusters=3)"];
    let untold = shell.done(&words);
    let told = shell.done(&[&words[..], &["--types", "species=ignore"]].concat());
    assert_eq!((told.out.lines().count(), &told.out), (151, &untold.out));
    assert!(untold.err.contains("'species', the target of the table, is left out") && !told.err.contains("target"), "{}", told.err);
    let fit = shell.mercer(&["fit", "example:iris", "--types", "species=ignore", "--estimator", "svc", "-o", "m.mercer"]);
    assert!(fit.code != 0 && fit.err.contains("cannot be the target"), "{}", fit.err);
}

#[test]
fn pages_draw_components_numbers_of_clusters_and_directions_by_their_own_rules() {
    let shell = Shell::new();
    shell.done(&["map", "example:iris", "--kernel", "linear", "--report", "map.html"]);
    let page = std::fs::read_to_string(shell.path("map.html")).unwrap();
    // Of standardised columns 72.96, 22.85, 3.67 and 0.52% (scikit-learn's PCA).
    assert!(page.contains("the 2 that the model keeps hold 95.8%; the next would add 3.7%"), "{page}");
    shell.done(&["cluster", "example:iris", "--estimator", "kernel_k_means(count_by=gap)", "--kernel", "linear", "--report", "c.html"]);
    let page = std::fs::read_to_string(shell.path("c.html")).unwrap();
    assert!(page.contains(", within noise.") && !page.contains("better by more"));
    // By the linear kernel and next to no penalty Fisher's canonical correlations, 0.9848 and 0.4712 (Rao): shares of 97.0 and 22.2%.
    let fit = ["fit", "example:iris", "--estimator", "discriminant(lambda=1e-6)", "--kernel", "linear", "--report", "d.html"];
    shell.done(&[&fit[..], &["-o", "d.mercer"]].concat());
    let page = std::fs::read_to_string(shell.path("d.html")).unwrap();
    let says = "150 rows of 3 classes along the directions that tell the classes apart best";
    assert!(page.contains(says) && page.contains("; 97% and 22% of the variance there lies between classes"), "{page}");
}

#[test]
fn rows_that_fit_best_what_components_make_of_others_stand_beside_their_coordinates() {
    let shell = Shell::new();
    shell.write("t.csv", heaps());
    let fit = ["fit", "t.csv", "--types", "square=ignore,side=ignore", "--estimator", "kernel_pca(components=2)"];
    shell.done(&[&fit[..], &["--kernel", "rbf(length_scale=1)", "-o", "m.mercer"]].concat());
    // The middle of each heap, and a row beside it.
    shell.write("new.csv", "x,y\n0,1.4\n10,5.4\n20,-1\n");
    let table = |method: &str| {
        let out = shell.done(&["predict", "m.mercer", "new.csv", "--keep", "x", "--pre-images", method]).out;
        let rows: Vec<Vec<f64>> = out.lines().skip(1).map(|l| l.split(',').map(|c| c.parse().unwrap()).collect()).collect();
        (out.lines().next().unwrap().to_owned(), rows)
    };
    for method in ["fixed_point", "distances"] {
        let (head, rows) = table(method);
        assert_eq!(head, "x,x_pre_image,y_pre_image,pre_image_distance,pc1,pc2");
        for (row, (x, y)) in rows.iter().zip([(0.0, 0.0), (10.0, 7.0), (20.0, 0.0)]) {
            assert!((row[1] - x).abs() < 1.5 && (row[2] - y).abs() < 1.0 && (0.0..0.3).contains(&row[3]), "{method}: {row:?}");
        }
    }
    let (head, rows) = table("nearest");
    assert_eq!(head, "x,nearest_row,pre_image_distance,pc1,pc2");
    assert!(rows.iter().enumerate().all(|(heap, row)| (10 * heap + 1..=10 * heap + 10).contains(&(row[1] as usize))), "{rows:?}");
    let refused = |words: &[&str], says: &str| {
        let run = shell.mercer(words);
        assert!(run.code != 0 && run.err.contains(says), "{}", run.err);
    };
    refused(&["predict", "m.mercer", "new.csv", "--pre-images", "mean"], "fixed_point");
    shell.done(&[&fit[..], &["--kernel", "linear", "-o", "l.mercer"]].concat());
    refused(&["predict", "l.mercer", "new.csv", "--pre-images", "nearest"], "fit with rbf");
    shell.done(&["fit", "t.csv", "--target", "side", "--estimator", "svc(c=1)", "-o", "s.mercer"]);
    refused(&["predict", "s.mercer", "t.csv", "--pre-images", "nearest"], "pre-images are of kernel_pca");
}

#[test]
fn the_number_of_clusters_is_found_as_asked_and_the_page_shows_what_was_measured() {
    let shell = Shell::new();
    shell.write("t.csv", heaps());
    let words = ["cluster", "t.csv", "--types", "square=ignore,side=ignore", "--kernel", "linear", "-o", "c.csv", "--report", "p.html"];
    for (method, by, measured) in [
        ("medoids", "silhouette", "mean silhouette"),
        ("medoids", "gap", "gap statistic"),
        ("means", "stability", "agreement of samples"),
        ("spectral", "eigengap", "fall of the eigenvalues"),
    ] {
        let kernel = if method == "spectral" { ["--kernel", "rbf(length_scale=0.5)"] } else { ["--kernel", "linear"] };
        let words = words.map(|w| if w == "linear" { kernel[1] } else { w });
        let run = shell.done(&[&words[..], &["--method", method, "--count-by", by]].concat());
        assert!(run.out.contains("sizes of the clusters: 10, 10, 10"), "{method} {by}: {}", run.out);
        let page = std::fs::read_to_string(shell.path("p.html")).unwrap();
        assert!(page.contains("clusters = 3 (ring)") && page.contains(measured), "{method} {by}");
    }
    let none = shell.mercer(&["cluster", "t.csv", "--method", "spectral", "--count-by", "gap"]);
    assert!(none.code != 0 && none.err.contains("eigengap, stability"), "{}", none.err);
}

#[test]
fn a_map_has_a_line_for_each_row_and_a_column_for_each_component() {
    let shell = Shell::new();
    shell.write("t.csv", heaps());
    let words = ["map", "t.csv", "--types", "square=ignore,side=ignore", "--kernel", "linear"];
    let written = shell.done(&[&words[..], &["--components", "2"]].concat()).out;
    let mut lines = written.lines();
    assert_eq!(lines.next(), Some("pc1,pc2"));
    let places: Vec<Vec<f64>> = lines.map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    assert!(places.len() == 30 && places.iter().all(|p| p.len() == 2));
    // Components are about their means.
    for c in 0..2 {
        assert!(places.iter().map(|p| p[c]).sum::<f64>().abs() <= 1e-9);
    }
}

#[test]
fn dependence_is_found_where_it_is_and_not_where_it_is_not() {
    let shell = Shell::new();
    shell.write("t.csv", heaps());
    let p = |words: &[&str]| {
        let out = shell.done(&[&["test", "t.csv"], words].concat()).out;
        let line = out.lines().find(|l| l.starts_with("p-value")).unwrap_or_else(|| panic!("{out}"));
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap()
    };
    assert!(p(&["--between", "x", "--and", "square"]) <= 0.002);
    assert!(p(&["--between", "x", "--and", "side"]) > 0.05);
    assert!(p(&["--groups", "side"]) > 0.05);
    let sides = ["test", "t.csv", "--between", "x", "--and", "square"];
    let run = shell.done(&[&sides[..], &["--correlations", "2", "--permutations", "50", "-o", "pairs.csv"]].concat()).out;
    assert!(run.contains("correlations ") && run.contains("by chance"), "{run}");
    let pairs = std::fs::read_to_string(shell.path("pairs.csv")).unwrap();
    assert!(pairs.starts_with("f1,g1,f2,g2\n") && pairs.lines().count() == 31, "{pairs}");
    shell.write("new.csv", "x,square\n1,1\n12,144\n");
    let more = ["--correlations", "2", "--permutations", "50", "--new", "new.csv", "-o", "new_pairs.csv"];
    shell.done(&[&sides[..], &more].concat());
    assert_eq!(std::fs::read_to_string(shell.path("new_pairs.csv")).unwrap().lines().count(), 3);
    let unknown = shell.mercer(&["test", "t.csv", "--between", "x", "--and", "z"]);
    assert!(unknown.code != 0 && unknown.err.contains('z'), "{}", unknown.err);
    let nothing = shell.mercer(&["test", "t.csv"]);
    assert!(nothing.code != 0 && nothing.err.contains("--between"), "{}", nothing.err);
}

#[test]
fn a_demonstration_is_made_by_its_name_and_by_the_number_of_its_figure() {
    let shell = Shell::new();
    let list = shell.done(&["demo"]).out;
    assert!(list.contains("xor (Fig"), "{list}");
    let made = shell.done(&["demo", "xor", "--out", "figures"]).out;
    assert!(made.contains("ok  ") && !made.contains("NOT "), "{made}");
    let figures = std::fs::read_dir(shell.path("figures")).unwrap().count();
    assert!(figures > 0 && made.contains(".svg"), "{made}");
    let unknown = shell.mercer(&["demo", "xro"]);
    assert!(unknown.code == 2 && unknown.err.contains("xor"), "{} {}", unknown.code, unknown.err);
}
