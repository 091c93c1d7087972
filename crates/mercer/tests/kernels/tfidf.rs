//! Documents by their words: values worked by hand, what is learnt and kept, input that asks for trouble.

use mercer::control::{CancelFlag, Control};
use mercer::data::{Column, Dataset, Examples, Split, Strings, Target, Values};
use mercer::error::{Error, Result};
use mercer::estimators::{EstimatorExpr, Predicted, Predictions, Want};
use mercer::gram;
use mercer::kernels::{FittedKernel, KernelExpr};
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::read::{Labels, TargetInfo};
use mercer::{select, store};

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} and {b}");
}

fn documents(texts: &[&str]) -> Dataset {
    Dataset::new(vec![Column { name: "text".into(), values: Values::Texts(Strings::new(texts.iter().copied())) }]).unwrap()
}

fn learn(kernel: &str, texts: &[&str]) -> Result<FittedKernel> {
    KernelExpr::parse(kernel)?.learn(&documents(texts), None, &Control::default())
}

fn among(kernel: &str, texts: &[&str]) -> Matrix {
    let gram = learn(kernel, texts).unwrap().gram(&documents(texts), &Control::default()).unwrap();
    gram::dense(gram.as_ref(), &Control::default()).unwrap()
}

fn cross(kernel: &str, texts: &[&str], new: &[&str]) -> Matrix {
    let reference = learn(kernel, texts).unwrap().reference(&documents(texts), &Control::default()).unwrap();
    gram::dense(reference.cross(&documents(new), &Control::default()).unwrap().as_ref(), &Control::default()).unwrap()
}

/// The words that were learnt and their idf.
fn vocabulary(kernel: &str, texts: &[&str]) -> Vec<(String, f64)> {
    let json = serde_json::to_value(learn(kernel, texts).unwrap()).unwrap();
    let learnt = &json["learnt"]["tfidf"];
    let idf = learnt["idf"]["inline"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap());
    learnt["words"].as_array().unwrap().iter().map(|w| w.as_str().unwrap().to_owned()).zip(idf).collect()
}

/// Counts [2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 0] and [0, 0, 0, 3] of the words a, b, c, d.
const TOY: [&str; 4] = ["a a b", "a c", "c b c", "d d d"];

// spec: K16
#[test]
fn a_word_that_stands_once_counts_log_2_and_an_absent_one_nothing() {
    let k = among("tfidf(idf=none, normalised=false)", &["one", "two", "one one one"]);
    close(k[(0, 0)], 2f64.ln() * 2f64.ln(), 1e-15);
    assert_eq!(k[(0, 1)], 0.0);
    close(k[(0, 2)], 2f64.ln() * 4f64.ln(), 1e-15);
}

// spec: K17, E3-09
#[test]
fn the_weight_of_a_word_falls_with_the_documents_that_hold_it_to_nothing_and_below() {
    let of = |word: &str, texts: &[&str]| {
        let all = vocabulary("tfidf(idf=murphy)", texts);
        all.into_iter().find(|(w, _)| w == word).unwrap().1
    };
    close(of("a", &TOY), 0.28768207245178, 1e-14);
    assert_eq!(of("x", &["x", "x y", "x z", "z"]), 0.0);
    close(of("x", &["x", "x y", "x", "x", "x"]), -0.1823215567939546, 1e-15);
}

// spec: K18, E3-08
#[test]
fn weights_of_words_are_those_of_the_training_documents_for_every_later_one() {
    let learnt = vocabulary("tfidf(idf=murphy)", &TOY);
    assert_eq!(learnt.iter().map(|(w, _)| w.as_str()).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    // N x V numbers tf idf, by hand.
    let counts = [[2.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 2.0, 0.0], [0.0, 0.0, 0.0, 3.0]];
    let idf = [(4.0f64 / 3.0).ln(), (4.0f64 / 3.0).ln(), (4.0f64 / 3.0).ln(), 2f64.ln()];
    let u = |x: &[f64; 4]| [0, 1, 2, 3].map(|j| (1.0 + x[j]).ln() * idf[j]);
    let dot = |x: &[f64; 4], z: &[f64; 4]| u(x).iter().zip(u(z)).map(|(a, b)| a * b).sum::<f64>();
    let k = among("tfidf(idf=murphy, normalised=false)", &TOY);
    // Every later document holds d, e or both: their weights stay.
    let later = cross("tfidf(idf=murphy, normalised=false)", &TOY, &["d e e", "d", "d a"]);
    for j in 0..4 {
        for (i, x) in counts.iter().enumerate() {
            close(k[(i, j)], dot(x, &counts[j]), 1e-15);
        }
        for (i, x) in [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]].iter().enumerate() {
            close(later[(i, j)], dot(x, &counts[j]), 1e-15);
        }
    }
}

// spec: K19
#[test]
fn the_cosine_of_weighted_words_has_the_values_of_the_toy() {
    let k = among("tfidf(idf=murphy)", &TOY);
    close(k[(0, 1)], 0.59802615, 1e-8);
    close(k[(0, 2)], 0.28472944, 1e-8);
    assert_eq!(k[(0, 3)], 0.0);
    assert!((0..4).all(|i| k[(i, i)] == 1.0));
}

// spec: K23
#[test]
fn the_bag_of_words_is_the_inner_product_of_counts_of_what_stands_between_white_space() {
    let texts = ["to be, or not to be,", "be, that\tis not\nthe  question", "To Be", ""];
    let k = among("tfidf(tf=count, idf=none, normalised=false, tokens=spaces, lower_case=false)", &texts);
    for (i, x) in texts.iter().enumerate() {
        for (j, z) in texts.iter().enumerate() {
            // Pairs of equal words, each of its own.
            let pairs = x.split_whitespace().map(|w| z.split_whitespace().filter(|v| *v == w).count()).sum::<usize>();
            assert_eq!(k[(i, j)], pairs as f64, "({i}, {j})");
        }
    }
}

// scikit-learn 1.7: TfidfVectorizer(token_pattern=r"\b\w+\b", ...).fit(["The cat sat", "the dog sat down", "a CAT"]), formulas
// of its user guide, 6.2.3.4: idf = log((1 + n) / (1 + df)) + 1 where smooth, log(n / df) + 1 where not.
#[test]
fn options_mean_what_users_of_text_know_them_to_mean() {
    let texts = ["The cat sat", "the dog sat down", "a CAT"];
    let words = |kernel: &str| vocabulary(kernel, &texts).into_iter().map(|(w, _)| w).collect::<Vec<_>>();
    assert_eq!(words("tfidf"), ["a", "cat", "dog", "down", "sat", "the"]);
    assert_eq!(words("tfidf(lower_case=false)"), ["CAT", "The", "a", "cat", "dog", "down", "sat", "the"]);
    assert_eq!(words("tfidf(min_df=2)"), ["cat", "sat", "the"]);
    assert_eq!(words("tfidf(max_df=0.4)"), ["a", "dog", "down"]);
    assert_eq!(words("tfidf(min_df=0.5, max_df=2)"), ["cat", "sat", "the"]);
    assert_eq!(words("tfidf(stop_words=[THE, \"a\", sat])"), ["cat", "dog", "down"]);
    // Stop words go first, then runs are made.
    assert_eq!(words("tfidf(stop_words=[sat, a], ngrams=2)"), ["cat", "dog", "dog down", "down", "the", "the cat", "the dog"]);
    let of = |kernel: &str| vocabulary(kernel, &texts).into_iter().find(|(w, _)| w == "cat").unwrap().1;
    close(of("tfidf(idf=smooth)"), (4.0f64 / 3.0).ln() + 1.0, 1e-15);
    close(of("tfidf(idf=plain)"), 1.5f64.ln() + 1.0, 1e-15);
    assert_eq!(of("tfidf(idf=none)"), 1.0);
    let k = among("tfidf(tf=sublinear, idf=none, normalised=false)", &["x x x", "x"]);
    close(k[(0, 1)], 1.0 + 3f64.ln(), 1e-15);
}

const ABOUT: [&str; 8] = [
    "win a free prize now",
    "free entry win cash",
    "claim your free cash prize",
    "win win win now",
    "see you at lunch",
    "are you home now",
    "lunch at home then",
    "see you there then",
];

fn target() -> Target {
    Target::Classes { codes: vec![1, 1, 1, 1, 0, 0, 0, 0], names: vec!["ham".into(), "spam".into()] }
}

fn fit(kernel: &str, texts: &[&str], estimator: &str) -> Result<Model> {
    let learner = Learner { kernel: Some(KernelExpr::parse(kernel)?), ..Learner::new(EstimatorExpr::parse(estimator)?) };
    let info = TargetInfo { names: vec!["kind".into()], classes: Some(vec!["ham".into(), "spam".into()]), labels: Labels::default() };
    learner.fit(&documents(texts), &target(), &info, None, &Control::default())
}

fn predict(model: &Model, texts: &[&str]) -> Predictions {
    model.predict(&documents(texts), Want { scores: true, ..Want::default() }, &Control::default()).unwrap()
}

#[test]
fn a_stored_model_reads_new_documents_with_the_words_of_its_training() {
    let new = ["free prize", "lunch at home", "quite other words", ""];
    for kernel in ["tfidf", "tfidf(ngrams=2, min_df=2)", "centre(tfidf)", "clip(tfidf + edit)", "on(text, tfidf) + normalise(spectrum)"] {
        let model = fit(kernel, &ABOUT, "svc(c=1)").unwrap();
        let found = predict(&model, &new);
        assert_eq!((found_class(&found, 0), found_class(&found, 1)), (1, 0), "{kernel}");
        let again = store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap();
        assert_eq!(again.kernel, model.kernel);
        assert_eq!(predict(&again, &new), found, "{kernel}");
        // One at a time, as all at once: nothing is learnt from what is predicted.
        for (i, one) in new.iter().enumerate() {
            close(predict(&again, &[one]).scores.unwrap()[(0, 0)], found.scores.as_ref().unwrap()[(i, 0)], 1e-12);
        }
    }
}

fn found_class(p: &Predictions, i: usize) -> usize {
    match &p.values {
        Predicted::Classes(codes) => codes[i],
        Predicted::Numbers(_) => panic!("classes expected"),
    }
}

#[test]
fn documents_without_a_known_word_are_like_nothing_and_get_the_offset() {
    let k = cross("tfidf", &ABOUT, &["", "utterly unheard", "...", "free"]);
    assert!((0..3).all(|i| (0..8).all(|j| k[(i, j)] == 0.0)) && k[(3, 1)] > 0.0);
    let model = fit("tfidf", &ABOUT, "svc(c=1)").unwrap();
    let scores = predict(&model, &["", "utterly unheard"]).scores.unwrap();
    assert_eq!(scores[(0, 0)], scores[(1, 0)]);
    let mut texts = ABOUT;
    texts[5] = " - ";
    let model = fit("tfidf", &texts, "svc(c=1)").unwrap();
    assert!(model.about.notices.iter().any(|n| n.to_string().contains("row 6 has k(x, x) = 0")), "{:?}", model.about.notices);
}

#[test]
fn a_vocabulary_without_words_says_which_limit_emptied_it() {
    let says = |kernel: &str, texts: &[&str], parts: &[&str]| {
        let message = learn(kernel, texts).unwrap_err().to_string();
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    };
    says("tfidf(min_df=9)", &ABOUT, &["min_df=9", "none of the", "8 training documents", "lower min_df"]);
    says("tfidf(max_df=0.01)", &ABOUT, &["max_df=0.01", "raise max_df"]);
    says("tfidf", &["", " .. "], &["no training document holds a word"]);
    says("tfidf(stop_words=[x])", &["x", "X x"], &["stop_words"]);
    assert!(fit("tfidf(min_df=9)", &ABOUT, "svc(c=1)").unwrap_err().to_string().contains("lower min_df"));
    for wrong in ["tfidf(tf=ln)", "tfidf(ngrams=0)", "tfidf(min_df=0)", "tfidf(stop_words=rbf(gamma=1))", "tfidf(sublinear_tf=true)"] {
        assert!(KernelExpr::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn lists_of_words_are_printed_as_they_are_read() {
    for text in ["tfidf(stop_words=[the, \"don't\", \"a b\", \"auto\", \"inf\", \"1\"])", "tfidf(stop_words=[x])", "tfidf"] {
        assert_eq!(KernelExpr::parse(text).unwrap().to_string(), text);
    }
    let default = KernelExpr::parse("tfidf(stop_words=[], ngrams=1)").unwrap();
    assert_eq!(default.to_string(), "tfidf");
    assert_eq!(KernelExpr::parse("tfidf(stop_words=the)").unwrap().to_string(), "tfidf(stop_words=[the])");
    assert_eq!(KernelExpr::parse("tfidf(stop_words=3)").unwrap().to_string(), "tfidf(stop_words=[\"3\"])");
}

#[test]
fn rows_are_left_out_of_what_is_learnt_or_not_left_out_at_all() {
    let model = fit("tfidf", &ABOUT, "ridge(lambda=0.1)").unwrap();
    assert!(model.leave_one_out(None, &target(), None, &Control::default()).unwrap().is_none());
    assert!(model.keeps_rows_in().unwrap().to_string().contains("tfidf has learnt from all rows"));
    let (data, target) = (documents(&ABOUT), target());
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    let (k, e) = (KernelExpr::parse("tfidf").unwrap(), EstimatorExpr::parse("ridge").unwrap());
    let tuned = select::tune(&k, &e, &examples, &Control::default(), 0, false).unwrap();
    assert!(tuned.tuning.unwrap().criterion.to_string().contains("cross-validated"));
}

#[test]
fn what_another_kernel_has_learnt_is_refused() {
    let mut json = serde_json::to_value(learn("tfidf", &TOY).unwrap()).unwrap();
    json["expr"] = serde_json::to_value(KernelExpr::parse("edit(gamma=1)").unwrap()).unwrap();
    let wrong: FittedKernel = serde_json::from_value(json.clone()).unwrap();
    assert!(wrong.gram(&documents(&TOY), &Control::default()).is_err());
    json["expr"] = serde_json::to_value(KernelExpr::parse("centre(tfidf)").unwrap()).unwrap();
    let less: FittedKernel = serde_json::from_value(json).unwrap();
    assert!(less.gram(&documents(&TOY), &Control::default()).is_err());
}

#[test]
fn the_support_is_made_ready_once() {
    let (model, control) = (fit("tfidf", &ABOUT, "svc(c=1)").unwrap(), Control::default());
    let first = model.support.reference(&model.kernel, &control).unwrap();
    predict(&model, &["free"]);
    assert!(std::ptr::eq(first, model.support.reference(&model.kernel, &control).unwrap()));
}

#[test]
fn a_prediction_that_is_called_off_ends_with_that_error() {
    for kernel in ["tfidf", "centre(tfidf)", "clip(edit)"] {
        let model = fit(kernel, &ABOUT, "svc(c=1)").unwrap();
        let stopped = Control { cancel: CancelFlag::default(), ..Control::default() };
        stopped.cancel.cancel();
        let found = model.predict(&documents(&ABOUT), Want::default(), &stopped);
        assert!(matches!(found, Err(Error::Cancelled)), "{kernel}: {found:?}");
    }
}

/// Counts of words in common.
fn counted(options: &str, texts: &[&str]) -> Matrix {
    among(&format!("tfidf(tf=count, idf=none, normalised=false{options})"), texts)
}

// Words as their readers count them: a word ends at a space. The texts are names of languages and of cities.
#[test]
fn a_mark_belongs_to_its_letter_and_ends_no_word() {
    for (text, words) in [
        ("मराठी", 1),
        ("संस्कृत हिन्दी", 2),
        ("कश्मीर ज़िला", 2),
        ("বাংলা চট্টগ্রাম", 2),
        ("తెలుగు హైదరాబాద్", 2),
        ("தமிழ் நாடு", 2),
        ("עִבְרִית", 1),
        ("العَرَبِيَّة", 1),
        ("Tie\u{302}\u{301}ng Vie\u{323}\u{302}t", 2),
        ("İZMİR DİYARBAKIR", 2),
        ("o'clock", 1),
        ("snake_case 3.14", 2),
    ] {
        assert_eq!(counted("", &[text, "x"])[(0, 0)], f64::from(words), "{text}");
    }
}

#[test]
fn the_ways_to_write_an_accented_letter_are_one() {
    let (composed, decomposed) = ("\u{e5}r s\u{f8}ster \u{1e69}", "a\u{30a}r s\u{f8}ster s\u{307}\u{323}");
    assert_eq!(counted("", &[composed, decomposed])[(0, 1)], 3.0);
    assert_eq!(counted(", tokens=spaces, lower_case=false", &[composed, decomposed])[(0, 1)], 3.0);
    // Whatever was learnt from, new documents are read in the same way.
    assert_eq!(cross("tfidf(tf=count, idf=none, normalised=false)", &[composed], &[decomposed])[(0, 0)], 3.0);
    for kernel in ["spectrum(k=1)", "edit(gamma=1)"] {
        let k = among(kernel, &["\u{e9}te", "e\u{301}te"]);
        assert_eq!(k[(0, 1)], k[(0, 0)], "{kernel}");
    }
    let apostrophes = counted("", &["l'heure", "l\u{2019}heure"]);
    assert_eq!(apostrophes[(0, 1)], 1.0);
}

// UAX 29, table 3a and its notes: ideographs and hiragana stand alone, katakana stays together.
#[test]
fn scripts_without_spaces_are_cut_at_characters() {
    let k = counted("", &["北京大学", "大学", "カタカナ", "ひらがな"]);
    assert_eq!([k[(0, 0)], k[(0, 1)], k[(2, 2)], k[(3, 3)]], [4.0, 2.0, 1.0, 4.0]);
}

#[test]
fn stop_words_are_cut_as_texts_are() {
    let in_common = |stop: &str, a: &str, b: &str| counted(&format!(", stop_words=[{stop}]"), &[a, b])[(0, 1)];
    assert_eq!(in_common("\"can't\"", "they can't go", "we can\u{2019}t stay"), 0.0);
    assert_eq!(in_common("\"can\u{2019}t\"", "they can't go", "we Can't stay"), 0.0);
    // A stop word of several words is these words one after the other, and none of them alone.
    assert_eq!(in_common("\"up-to-date\"", "an up-to-date list", "his up-to-date map"), 0.0);
    assert_eq!(in_common("\"up-to-date\"", "an up list", "his up map"), 1.0);
    assert_eq!(in_common("up, \"up-to\", \"up-to-date\"", "an up to date list up", "his up to date up map"), 0.0);
    assert_eq!(in_common("\"\u{c9}t\u{e9}\"", "un e\u{301}te\u{301}", "cet \u{e9}t\u{e9}"), 0.0);
    assert_eq!(counted(", tokens=spaces, stop_words=[\"--\"]", &["a -- b", "c -- d"])[(0, 1)], 0.0);
    // The lists of NLTK, by language; the name of one among other words is a word.
    assert_eq!(in_common("english", "the cat isn't here", "the dog isn't there"), 0.0);
    assert_eq!(in_common("english", "une souris", "une maison"), 1.0);
    assert_eq!(in_common("english, french", "the une souris", "the une maison"), 0.0);
    assert_eq!(in_common("english, souris", "the english souris", "the english souris noir"), 1.0);
    assert_eq!(learn("tfidf(stop_words=german)", &["der Hund und die Katze"]).unwrap().to_string().matches("german").count(), 1);
    // What could have no effect is an error, and not silence.
    let message = learn("tfidf(stop_words=[the, \"--\"])", &TOY).unwrap_err().to_string();
    assert!(message.contains("'--'") && message.contains("stop_words") && message.contains("tokens=spaces"), "{message}");
}

#[test]
fn texts_so_many_and_long_go_by_their_words_alone_and_it_is_said() {
    let texts = |rows: usize| (0..rows).map(|i| format!("word{} ", i % 7).repeat(400)).collect::<Vec<String>>();
    for (rows, by_words) in [(100, false), (1500, true)] {
        let texts = texts(rows);
        let data = documents(&texts.iter().map(String::as_str).collect::<Vec<&str>>());
        let made = mercer::fitting::prepare(&mercer::prep::Recipe::default(), None, &data).unwrap();
        let expected = if by_words { "tfidf" } else { "tfidf + normalise(spectrum)" };
        assert_eq!(made.kernel.to_string(), expected);
        assert_eq!(
            made.notices.iter().any(|n| n.to_string().contains("'text'") && n.to_string().contains("words alone")),
            by_words,
            "{:?}",
            made.notices
        );
    }
}
