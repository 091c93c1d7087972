//! Rows of which training knows nothing: named with their predictions, by kernel.

use mercer::control::Control;
use mercer::data::Dataset;
use mercer::estimators::{EstimatorExpr, Want};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::read::{ReadOptions, Table};
use mercer::report::{PredictionColumns, predict_csv};

/// A model of the last column of a table, and what it says of the rows of another.
fn said(train: &str, new: &str, kind: &str, estimator: &str, kernel: &str) -> Vec<String> {
    let options = ReadOptions::with_types([kind]).unwrap();
    let mut table = Table::parse("train", train.as_bytes()).unwrap();
    let (target, info) = table.take_target(&["y"], &options).unwrap();
    let data = table.dataset(&options).unwrap();
    let learner = Learner { kernel: Some(KernelExpr::parse(kernel).unwrap()), ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) };
    let model: Model = learner.fit(&data, &target, &info, None, &Control::default()).unwrap();
    let new: Dataset = Table::parse("new", new.as_bytes()).unwrap().dataset_like(&model.prep.schema, &options).unwrap();
    let columns = PredictionColumns::default();
    let written = predict_csv(&model, &new, &columns, &[], &Control::default()).unwrap().notices;
    let found = model.predict(&new, Want::default(), &Control::default()).unwrap().notices;
    assert_eq!(written, found.iter().map(ToString::to_string).collect::<Vec<_>>());
    written
}

#[test]
fn rows_without_a_word_substring_or_label_of_training_are_named() {
    let texts = "t,y\ngood film,1\nbad film,0\ngood plot,1\nbad plot,0\ngood actor,1\nbad actor,0\n";
    for (estimator, kernel) in [
        ("gp(noise=0.1)", "tfidf"),
        ("ridge(lambda=1)", "tfidf"),
        ("knn(k=1)", "normalise(tfidf(normalised=false))"),
        ("svc(c=1)", "tfidf + on(t, spectrum(k=9))"),
    ] {
        let told = said(texts, "t\ngood film\nzyzzyva quokka\nbad axolotl\nokapi\n", "t=text", estimator, kernel);
        let words: Vec<&String> = told.iter().filter(|n| n.contains("no word")).collect();
        assert!(
            words.len() == 1 && words[0].starts_with("2 rows (the first is row 2): no word in common"),
            "{estimator} {kernel}: {told:?}"
        );
        assert_eq!(told.len(), if kernel.contains("spectrum") { 2 } else { 1 }, "{told:?}");
        assert!(said(texts, "t\nfilm\n", "t=text", estimator, "tfidf").is_empty());
    }
    let genes = "s,y\nACACAC,1\nACACACAC,1\nGTGTGT,0\nGTGTGTGTG,0\nACACA,1\nGTGTG,0\n";
    for kernel in
        ["spectrum(k=3)", "substrings(shortest=2)", "mismatch(k=4, m=1)", "gapped(length=4, k=3)", "blended(k=3)", "subsequence(k=3)"]
    {
        let new = if kernel.starts_with("subs") && !kernel.contains("quence") { "s\nACAC\nTT\n" } else { "s\nACACAC\nCCCCCC\nGTGTG\n" };
        let told = said(genes, new, "s=sequence", "ridge(lambda=1)", kernel);
        let expected = usize::from(!["subsequence", "mismatch", "blended"].iter().any(|shared| kernel.starts_with(shared)));
        assert_eq!(told.len(), expected, "{kernel}: {told:?}");
        assert!(told.iter().all(|n| n.starts_with("row 2: no ")), "{kernel}: {told:?}");
    }
    let graphs = "g,y\nC O | 0-1,1\nC N | 0-1,0\nC O O | 0-1 1-2,1\nC N N | 0-1 1-2,0\n";
    for kernel in ["weisfeiler_lehman", "vertex_histogram", "shortest_path", "random_walk(steps=3)"] {
        let told = said(graphs, "g\nC O | 0-1\nS Cl | 0-1\n", "g=graph", "ridge(lambda=1)", kernel);
        assert!(told.len() == 1 && told[0].starts_with("row 2: no "), "{kernel}: {told:?}");
    }
    let trees = "p,y\n(S (a) (b)),1\n(S (b) (a)),0\n(S (a) (a)),1\n(S (b) (b)),0\n";
    for kernel in ["subset_tree", "subtree", "partial_tree"] {
        let told = said(trees, "p\n(S (a) (b))\n(X (y) (z))\n", "p=tree", "ridge(lambda=1)", kernel);
        assert!(told.len() == 1 && told[0].starts_with("row 2: no "), "{kernel}: {told:?}");
    }
    let labels = "c,y\nred,1\nblue,0\nred,1\nblue,0\n";
    let told = said(labels, "c\nred\ngreen\n", "c=category", "ridge(lambda=1)", "equal");
    assert!(told.len() == 1 && told[0].starts_with("row 2: no label in common"), "{told:?}");
}
