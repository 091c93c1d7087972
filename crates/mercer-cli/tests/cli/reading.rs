//! How a table is read, and what can be said about that.

use super::shell::Shell;

const EXPRESSION: i32 = 2;
const DATA: i32 = 3;
const RESOURCE: i32 = 4;

const LEARN: [&str; 4] = ["--kernel", "rbf(length_scale=1)", "--estimator", "knn(k=1)"];

fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "'{part}' is not in\n{text}");
    }
}

#[test]
fn a_table_without_header_in_its_own_separators_encoding_and_markers_is_learnt_and_predicted() {
    let shell = Shell::new();
    let row = |i: usize| format!("{}:-77:{}\n", if i % 5 == 4 { "-99".to_owned() } else { format!("{i},5") }, ["Süd", "Nord"][i % 2]);
    let text: String = (0..20).map(row).collect();
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    shell.write("t.txt", &latin);
    let how = ["--no-header", "--delimiter", ":", "--encoding", "latin-1", "--na", "-99,-77", "--types", "2=ignore"];
    let fit = shell.done(&[&["fit", "t.txt", "--target", "3", "-o", "m.mercer"][..], &LEARN, &how].concat());
    says(&fit.err, &["columns '1', '2' have cells that are declared missing", "decimal commas", "'1' has 4 missing cells"]);
    let out = shell.done(&[&["predict", "m.mercer", "t.txt"][..], &how].concat()).out;
    assert_eq!(out.lines().take(3).collect::<Vec<_>>(), ["3_predicted", "Süd", "Nord"]);
    // The model keeps the markers.
    shell.write("new.csv", "1\n-99\n0.5\n");
    says(&shell.done(&["predict", "m.mercer", "new.csv"]).err, &["'1' has cells that training declared missing", "1 missing cell"]);
    shell.done(&[&["check", "rbf(length_scale=1)", "t.txt", "--target", "3"][..], &how].concat());
    for (option, word) in [("--delimiter", "ab"), ("--encoding", "utf-9"), ("--decimal", "x")] {
        let run = shell.mercer(&["predict", "m.mercer", "new.csv", option, word]);
        assert_eq!(run.code, EXPRESSION, "{}", run.err);
        says(&run.err, &[word]);
    }
}

#[test]
fn a_date_of_a_new_table_is_read_in_the_order_of_training() {
    let shell = Shell::new();
    let rows: String = (1..=20).map(|i| format!("{i:02}/02/2020,{}\n", 10 * i)).collect();
    shell.write("t.csv", format!("day,y\n{rows}"));
    let learn = ["--kernel", "linear", "--estimator", "knn(k=1)"];
    let fit = shell.done(&[&["fit", "t.csv", "--target", "y", "--types", "y=number", "-o", "m.mercer"][..], &learn].concat());
    says(&fit.err, &["'day' holds dates, day first"]);
    // The fifth of February; in May there would be no such neighbour.
    shell.write("new.csv", "day\n05/02/2020\n");
    let run = shell.done(&["predict", "m.mercer", "new.csv"]);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("y_predicted\n50\n", ""));
    // Declared otherwise, it is the second of May, next to the last day.
    assert_eq!(shell.done(&["predict", "m.mercer", "new.csv", "--types", "day=date-mdy"]).out, "y_predicted\n200\n");
    let run = shell.mercer(&["predict", "m.mercer", "new.csv", "--types", "day=category"]);
    assert!(run.code == EXPRESSION, "{}", run.err);
    says(&run.err, &["--types", "'day' is declared category"]);
}

#[test]
fn sequences_and_folders_of_texts_are_learnt_from_as_they_are() {
    let shell = Shell::new();
    let fasta: String = (0..20).map(|i| format!(">s{i} label={}\n{}\n", i % 2, ["ACACACAC", "GTGTGTGT"][i % 2])).collect();
    shell.write("t.fasta", fasta);
    let words = ["--kernel", "normalise(spectrum(k=2))", "--estimator", "knn(k=1)"];
    shell.done(&[&["fit", "t.fasta", "--target", "label", "-o", "m.mercer"][..], &words].concat());
    shell.write("new.fa", ">n\nGTGT\n>o\nacac\nACAC\n");
    assert_eq!(shell.done(&["predict", "m.mercer", "new.fa"]).out.lines().next(), Some("label_predicted"));
    for (label, text) in [("pos", "a fine film"), ("neg", "a dull film")] {
        std::fs::create_dir_all(shell.path("reviews").join(label)).unwrap();
        (0..6).for_each(|i| shell.write(&format!("reviews/{label}/{i}.txt"), format!("{text} {i}")));
    }
    shell.done(&[&["fit", "reviews", "-o", "t.mercer"][..], &words].concat());
    let out = shell.done(&["predict", "t.mercer", "reviews"]).out;
    assert_eq!(out.lines().collect::<Vec<_>>(), [&["label_predicted"][..], &["neg"; 6], &["pos"; 6]].concat());
}

#[test]
fn what_the_target_was_taken_for_is_said_before_the_work() {
    let shell = Shell::new();
    let rows: String = (0..60).map(|i| format!("{}.5,{}\n", i * 7 % 31, i % 12)).collect();
    shell.write("t.csv", format!("x,y\n{rows}"));
    let run = shell.done(&["compare", "t.csv", "--target", "y", "--estimators", "baseline", "--kernel", "rbf(length_scale=1)"]);
    let first = run.err.lines().next().unwrap_or_default();
    says(first, &["note: target 'y' has 12 different whole numbers: read as numbers; --types y=category reads classes"]);
}

#[test]
fn a_table_that_is_too_large_is_refused_with_what_helps() {
    let shell = Shell::new();
    shell.write("t.csv", "a,y\n1,p\n2,q\n3,p\n".repeat(50));
    for words in
        [&["fit", "t.csv", "--target", "y", "-o", "m.mercer", "--max-memory", "100"][..], &["check", "rbf", "t.csv", "--max-memory", "100"]]
    {
        let run = shell.mercer(words);
        assert_eq!(run.code, RESOURCE, "{}", run.err);
        says(&run.err, &["reading t.csv", "--max-memory"]);
        assert!(!run.err.contains("Gram") && !run.err.contains("estimator"), "{}", run.err);
    }
}

#[test]
fn a_ragged_row_is_named_by_its_line_and_a_word_among_numbers_with_the_option_that_helps() {
    let shell = Shell::new();
    shell.write("ragged.csv", "# note\na,b,y\n1,2,p\n\n3,4\n");
    let run = shell.mercer(&["fit", "ragged.csv", "--target", "y", "-o", "m.mercer"]);
    assert_eq!(run.code, DATA);
    says(&run.err, &["row 2 has 2 cells", "line 5"]);
    let rows: String = (0..30).map(|i| format!("{},{}\n", if i == 7 { "n/v".into() } else { i.to_string() }, i % 2)).collect();
    shell.write("words.csv", format!("a,y\n{rows}"));
    let words = [&["fit", "words.csv", "--target", "y", "-o", "m.mercer"][..], &LEARN].concat();
    let run = shell.mercer(&words);
    assert_eq!(run.code, DATA);
    says(&run.err, &["row 8, column 'a'", "--na=n/v"]);
    shell.done(&[&words[..], &["--na=n/v"]].concat());
}

#[test]
fn titles_are_skipped_words_are_kept_and_new_rows_are_read_alike() {
    let shell = Shell::new();
    let class = ["None", "Apnea", "NA"];
    let rows: String = (0..24).map(|i| format!("{}.5 m2,2019-{:02},{}\n", i % 3, i % 12 + 1, class[i % 3])).collect();
    shell.write("t.csv", format!("Export of today\n\nsize,month,y\n{rows}"));
    let titled = shell.mercer(&["fit", "t.csv", "--target", "y", "-o", "m.mercer"]);
    assert_eq!(titled.code, DATA, "{}", titled.err);
    says(&titled.err, &["2 lines stand above the header", "--skip 2"]);
    let missing = shell.mercer(&["fit", "t.csv", "--skip", "2", "--target", "y", "-o", "m.mercer"]);
    assert_eq!(missing.code, DATA, "{}", missing.err);
    says(&missing.err, &["'None'", "--na 'y='"]);
    for how in [["--na", ""], ["--na", "y="], ["--types", "y=category"]] {
        let fit = shell.done(&[&["fit", "t.csv", "--skip", "2", "--target", "y", "-o", "m.mercer"][..], &LEARN, &how].concat());
        says(&fit.err, &["column 'size' holds numbers in m2", "column 'month' holds dates"]);
        shell.write("new.csv", "month,size\n2019-01,0.5 m2\n2019-02,1.5 m2\n2019-03,2.5 m2\n");
        assert_eq!(shell.done(&["predict", "m.mercer", "new.csv"]).out, "y_predicted\nNone\nApnea\nNA\n");
    }
    shell.write("lines.txt", class.repeat(8).iter().map(|c| format!("{c} a text of {c}\n")).collect::<String>());
    let text = ["--kernel", "spectrum(k=2)", "--estimator", "knn(k=1)"];
    shell.done(&[&["fit", "lines.txt", "--lines", "-o", "l.mercer"][..], &text].concat());
    says(&shell.done(&["predict", "l.mercer", "lines.txt", "--lines"]).out, &["label_predicted\nNone\nApnea\nNA\n"]);
    // A header that looks like a row.
    shell.write(
        "sms.txt",
        "ham\tGo until jurong point, crazy.. Available only in bugis\nspam\tFree entry, text now\nham\tOk lar\n".repeat(4),
    );
    let asked = shell.mercer(&["compare", "sms.txt"]);
    says(&asked.err, &["which column is to be predicted?", "is the first line a row?", "--lines", "--no-header"]);
}

#[test]
fn what_reading_set_aside_stands_in_the_page_of_a_fit_too() {
    let shell = Shell::new();
    let rows: String = (0..24).map(|i| format!("C-{i:04}x,{}.5,{}\n", i % 7, ["a", "b"][i % 2])).collect();
    shell.write("t.csv", format!("code,x,y\n{rows}"));
    let run = shell.done(&[&["fit", "t.csv", "--target", "y", "-o", "m.mercer", "--report", "r.html"][..], &LEARN].concat());
    let said = "column 'code' has 24 different values in 24 rows: ignored as an identifier";
    says(&run.err, &[said, "--types code=text"]);
    assert_eq!(run.err.matches(said).count(), 1, "{}", run.err);
    let page = std::fs::read_to_string(shell.path("r.html")).unwrap().replace("&#39;", "'");
    says(&page, &["ignored as an identifier"]);
}

#[test]
fn a_matrix_as_pandas_writes_it_is_taken_and_one_of_distances_is_asked_about() {
    let shell = Shell::new();
    shell.write("t.csv", "item,y\na,p\nb,p\nc,q\nd,q\n");
    shell.write("k.csv", ",a,b,c,d\na,1.0,0.8,0.1,0.2\nb,0.8,1.0,0.2,0.1\nc,0.1,0.2,1.0,0.7\nd,0.2,0.1,0.7,1.0\n");
    let precomputed = ["--kernel", "precomputed", "--estimator", "knn(k=1)"];
    let fit = shell.done(&[&["fit", "t.csv", "--target", "y", "--gram", "item=k.csv", "-o", "m.mercer"][..], &precomputed].concat());
    assert!(!fit.err.contains("distances"), "{}", fit.err);
    shell.write("d.csv", ",a,b,c,d\na,0,1,4,4.5\nb,1,0,4,4\nc,4,4,0,1\nd,4.5,4,1,0\n");
    let map = ["map", "t.csv", "--types", "y=ignore", "--gram", "item=d.csv", "-o", "map.csv"];
    says(&shell.mercer(&map).err, &["the diagonal is 0", "are these distances? --distances"]);
    let told = shell.done(&[&map[..], &["--distances"]].concat());
    assert!(!told.err.contains("are these distances"), "{}", told.err);
}
