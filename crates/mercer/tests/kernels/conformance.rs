//! Every kernel of the list and many compositions against the conformance kit.

use mercer::control::Control;
use mercer::data::{Column, Dataset, Points, Similarities, Strings, Values};
use mercer::gram;
use mercer::kernels::{KernelExpr, catalogue, compositions};
use mercer::testkit;

/// A column of rows of the kernel matrix of some columns of a table, which know it all.
fn looked_up(data: &Dataset) -> Dataset {
    let kernel = KernelExpr::parse("on([a, b], rbf(length_scale=1)) + 0.2*on(seq, spectrum(k=1))").unwrap();
    let k = gram::dense(kernel.bind(None, data).unwrap().as_ref(), &Control::default()).unwrap();
    let names = (0..data.rows()).map(|i| format!("item {i}")).collect();
    let values = Values::Similarities(Similarities::new(names, (0..data.rows() as u32).collect(), k).unwrap());
    Dataset::new(vec![Column { name: "id".into(), values }]).unwrap()
}

/// The table with its sequences as words: runs of one letter, in lines of several.
fn worded(data: &Dataset) -> Dataset {
    let columns = data.columns().iter().cloned().map(|mut c| {
        if let Values::Sequences(s) = &c.values {
            c.values = Values::Texts(Strings::new(s.iter().map(|s| s.replace('A', " a").replace('C', "c ").replace('G', ", Gg "))));
        }
        c
    });
    Dataset::new(columns.collect()).unwrap()
}

/// The table with the absolute values of its numbers.
fn not_negative(data: &Dataset) -> Dataset {
    let columns = data.columns().iter().cloned().map(|mut c| {
        if let Values::Numbers(v) = &mut c.values {
            v.iter_mut().for_each(|x| *x = x.abs());
        }
        c
    });
    Dataset::new(columns.collect()).unwrap()
}

#[test]
fn every_composition_of_the_list_passes_the_conformance_kit() {
    for form in compositions().iter().map(|c| c.form) {
        let expr = KernelExpr::parse(form.example).unwrap();
        assert!(expr.to_string().starts_with(form.name), "{expr} is no {}", form.form);
        assert!(form.also.is_none_or(|also| KernelExpr::parse(&form.example.replace(form.name, also)).unwrap() == expr));
        for rows in [3, 40, 100] {
            let table = testkit::table(rows, 11);
            // Shifting tells a row from its copy, which a new row cannot.
            let distinct: Vec<usize> = (usize::from(expr.needs_training_rows())..rows).collect();
            if let Err(why) = testkit::check_kernel_expr(&expr, &table.select(&distinct)) {
                panic!("{expr} on {rows} rows: {why}");
            }
        }
    }
}

// spec: F18, F20
#[test]
fn every_kernel_of_the_list_passes_the_conformance_kit() {
    for rows in [3, 40, 300] {
        let (any, masses) = (testkit::table(rows, 11), not_negative(&testkit::table(rows, 11)));
        for entry in catalogue() {
            let data = match entry.name {
                "precomputed" => &looked_up(&any),
                "tfidf" => &worded(&any),
                _ if entry.as_is => &masses,
                _ => &any,
            };
            let expr = KernelExpr::parse(entry.name).unwrap();
            if let Err(why) = testkit::check_kernel_expr(&expr, data) {
                panic!("{} on {rows} rows: {why}", entry.name);
            }
        }
    }
}

#[test]
fn kernels_of_numbers_pass_the_conformance_kit_on_sparse_points() {
    let (rows, dim) = (24, 9);
    let starts = (0..=rows).map(|i| 3 * i).collect();
    let columns = (0..rows).flat_map(|i| (0..3).map(move |k| (3 * k + (i * 5 + k) % 3) as u32)).collect();
    let values = (0..3 * rows).map(|k| ((k * k) as f64).sin() + 0.1).collect();
    let data = Dataset::from_points(Points::csr(rows, dim, starts, columns, values).unwrap());
    for text in [
        "linear",
        "polynomial(degree=2)",
        "rbf",
        "rbf(ard=true)",
        "rbf(length_scale=[1, inf, 2, 1, 0.5, 1, 3, inf, 1])",
        "laplacian",
        "laplacian(ard=true)",
        "matern(nu=1.5, ard=true)",
        "cosine",
        "sigmoid",
        "arcsine",
        "arc_cosine(order=0)",
        "nngp(activation=gelu)",
        "ntk",
    ] {
        let expr = KernelExpr::parse(text).unwrap();
        if let Err(why) = testkit::check_kernel_expr(&expr, &data) {
            panic!("{text}: {why}");
        }
    }
}

#[test]
fn compositions_pass_the_conformance_kit() {
    let data = testkit::table(40, 3);
    for text in [
        "0.5*rbf(length_scale=2) + on(seq, spectrum(k=2))",
        "rbf(ard=true)*matern(nu=1.5)",
        "matern(nu=0.5, ard=true) + 3*laplacian(ard=true)",
        "normalise(spectrum(k=1) + on([a, b], polynomial(degree=2)))",
        "2*(equal + on(colour, equal))*on(a, rbf(length_scale=0.7))",
        "on(a, b, rbf(length_scale=[0.5, inf]))",
        "normalise(spectrum)",
        "cosine*linear",
        "rbf^3 + 2*linear^2",
        "exp(0.3*rbf)*exp(cosine)",
        "normalise(rbf(length_scale=2)*(1 + linear))",
        "centre(rbf(length_scale=0.8) + on(seq, spectrum(k=2)))",
        "normalise(centre(matern(nu=1.5)))",
        "weighted(a, rbf + 0.5)",
        "1 + 2*rbf + 3*rbf^2 + 0.5*rbf^3",
        "rbf + 0.1*white",
        "matern(nu=0.3)",
        "matern(nu=1.2, ard=true)",
        "matern(nu=7.5)",
        "matern(nu=inf, ard=true)",
        "rational_quadratic(alpha=0.7, ard=true)",
        "mahalanobis + on(a, b, mahalanobis(covariance=[2, 0.6, 0.6, 0.5]))",
        "set_mean(rbf)",
        "pyramid_match(levels=3, side=1, shifts=4) + codebook(centres=5, assign=soft, by=linear)",
        "normalise(set_extremes(polynomial(degree=3)))",
        "lockstep(rbf) + 0.5*lockstep(linear, differences=true)",
        "partial_tree(decay=0.7, ordered=false)*subtree(ordered=false)",
        "set_sum(rbf(ard=true)*linear)",
        "normalise(set_mean(rbf + 2*matern(nu=1.5)))",
        "set_mean(polynomial(degree=2)) + rbf*normalise(subset_tree(decay=0.7))",
        "2.5*linear + 3",
        "normalise(linear + 1)",
        "weighted(a, on([b, c], linear) + 1)",
        "on(a, linear) + 0.5*on(seq, spectrum(k=2))",
        "normalise(2*on(seq, spectrum(k=3)) + linear)",
        "nystroem(rbf(length_scale=0.5), rank=9) + linear",
        "normalise(exp(0.3*linear)^2*matern(nu=0.8))",
        "normalise(2*rbf + 0.5*laplacian*rational_quadratic + 2)",
        "0.5*exp(on(a, linear) + rbf)*equal",
        "best_match(rbf(length_scale=0.5))",
        "arc_cosine(order=0, depth=2) + arc_cosine(order=2)",
        "nngp(activation=leaky_relu, slope=0.3, depth=4) + ntk(depth=0)",
        "nngp(activation=tanh, depth=1)*ntk(activation=sigmoid, depth=1)",
        "ntk(activation=erf, depth=3) + ntk(activation=gelu) + 0.5*nngp(activation=sine)",
        "li_racine(bandwidth=0.3)*rbf + normalise(aitchison_aitken)",
        "changepoint(a, arcsine, rbf + 0.5*linear, location=-0.3, width=2)",
    ] {
        let expr = KernelExpr::parse(text).unwrap();
        if let Err(why) = testkit::check_kernel_expr(&expr, &data) {
            panic!("{text}: {why}");
        }
    }
}

#[test]
fn weighted_words_pass_the_conformance_kit() {
    let data = worded(&testkit::table(40, 3));
    for text in [
        "tfidf(tf=count, idf=none, normalised=false)",
        "tfidf(tf=sublinear, idf=plain, ngrams=2, min_df=2, max_df=0.9)",
        "tfidf(tf=binary, idf=murphy, normalised=false, tokens=spaces, lower_case=false)",
        "0.5*tfidf(stop_words=[gg, \"a\"], min_df=0.05) + rbf",
        "centre(tfidf)*rbf",
        "normalise(tfidf(normalised=false) + 0.1*rbf)",
    ] {
        let expr = KernelExpr::parse(text).unwrap();
        if let Err(why) = testkit::check_kernel_expr(&expr, &data) {
            panic!("{text}: {why}");
        }
    }
}

#[test]
fn compositions_keep_features_where_every_part_has_them_and_stand_alone_where_every_part_does() {
    let data = testkit::table(40, 3);
    // Dense, sparse, standing alone.
    for (text, expected) in [
        ("linear", [true, false, true]),
        ("on(seq, spectrum(k=2))", [false, true, false]),
        ("2.5*linear + 3", [true, true, true]),
        ("weighted(a, on([b, c], linear) + 1)", [true, true, true]),
        ("normalise(linear + 1)", [true, true, true]),
        ("on(a, linear) + 0.5*on(seq, spectrum(k=2))", [false, true, false]),
        ("normalise(2*on(seq, spectrum(k=3)) + linear)", [false, true, false]),
        ("weighted(a, on(seq, spectrum(k=2)))", [false, true, false]),
        ("linear + rbf(length_scale=1)", [false, false, true]),
        ("linear*linear", [false, false, true]),
        ("exp(linear)", [false, false, true]),
    ] {
        let bound = KernelExpr::parse(text).unwrap().bind(None, &data).unwrap();
        let some = [7, 3, 30];
        let selection = gram::Subset::new(bound.as_ref(), &some, &some);
        let joint = gram::Joint { cross: bound.as_ref(), among: bound.as_ref() };
        for of in [bound.as_ref() as &dyn gram::Gram, &selection, &joint] {
            let found = of.structure();
            for side in [gram::Side::Rows, gram::Side::Cols] {
                let kept = [found.dense_features(side).is_some(), found.sparse_features(side).is_some(), found.features_stand_alone()];
                assert_eq!(kept, expected, "{text}");
            }
        }
    }
}

/// Equal rows are left out: shifting tells a row from its copy, which a new row cannot.
#[test]
fn repaired_similarities_pass_the_conformance_kit() {
    let data = testkit::table(40, 3);
    let data = data.select(&(0..40).filter(|i| *i != 1).collect::<Vec<_>>());
    for text in ["clip(sigmoid(gamma=1, offset=-1))", "flip(sigmoid(gamma=1, offset=-1)) + rbf", "shift(negative_distance(power=1))"] {
        let expr = KernelExpr::parse(text).unwrap();
        if let Err(why) = testkit::check_kernel_expr(&expr, &data) {
            panic!("{text}: {why}");
        }
    }
}
