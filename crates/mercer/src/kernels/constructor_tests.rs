//! What constructors, setters and operators make is what the parser makes of the printed text.

use super::constructors::*;
use super::{AlignmentScore, Alphabet, Ambiguity, KernelExpr, KernelOperators, LandmarkChoice, catalogue, compositions};
use super::{SubstitutionMatrix, composed_of, set_one_by_one};
use crate::data::{Dataset, Points};
use crate::generative::constructors as models;
use crate::param::auto;

fn parsed(text: &str) -> KernelExpr {
    KernelExpr::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn assert_prints(kernel: impl Into<KernelExpr>, text: &str) {
    let kernel = kernel.into();
    assert_eq!(kernel.to_string(), text);
    assert_eq!(kernel, parsed(text));
}

#[test]
fn every_kernel_has_a_constructor_and_each_parameter_is_printed_as_it_is_read() {
    let made = set_one_by_one();
    let names: Vec<&str> = made.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, catalogue().iter().map(|entry| entry.name).collect::<Vec<_>>());
    for kernel in made.into_iter().flat_map(|(_, kernels)| kernels) {
        assert_eq!(kernel, parsed(&kernel.to_string()));
    }
}

#[test]
fn every_composition_has_a_constructor_or_an_operator() {
    let k = parsed("spectrum");
    let mut made = composed_of(&k);
    made.extend([("on", k.clone().on("seq").into()), ("weighted", k.clone().weighted("w").into())]);
    made.push(("changepoint", k.clone().changepoint("t", linear()).into()));
    let mut names: Vec<&str> = made.iter().map(|(name, _)| *name).collect();
    let mut listed: Vec<&str> = compositions().iter().map(|c| c.form.name).filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    listed.sort_unstable();
    assert_eq!(names, listed);
    for (name, kernel) in made {
        assert!(kernel.to_string().starts_with(&format!("{name}(")), "{kernel}");
        assert_eq!(kernel, parsed(&kernel.to_string()));
    }
}

#[test]
fn every_parameter_of_a_composition_has_a_setter() {
    let with: Vec<&str> = compositions().iter().filter(|c| !c.params.is_empty()).map(|c| c.form.name).collect();
    assert_eq!(with, ["", "changepoint", "lockstep", "nystroem", "fourier"]);
    assert_prints(rbf().scaled(0.1..10.0), "0.1..10*rbf");
    assert_prints(lockstep(rbf()).differences(true), "lockstep(rbf, differences=true)");
    assert_prints(rbf().changepoint("t", linear()).location(1984.0).width(2.0), "changepoint(t, rbf, linear, location=1984, width=2)");
    let landmarks = nystroem(rbf()).rank(20).landmarks(LandmarkChoice::Spread).seed(7);
    assert_prints(landmarks, "nystroem(rbf, rank=20, landmarks=spread, seed=7)");
    assert_prints(fourier(rbf()).count(50).orthogonal(false).seed(3), "fourier(rbf, count=50, orthogonal=false, seed=3)");
}

#[test]
fn operators_make_what_signs_do() {
    assert_prints(2.0 * rbf().length_scale(2.0) + spectrum().k(4).on("seq"), "2*rbf(length_scale=2) + on(seq, spectrum(k=4))");
    assert_prints(rbf() * linear() * cosine(), "rbf*linear*cosine");
    assert_prints((rbf() + linear()) * cosine(), "(rbf + linear)*cosine");
    assert_prints((rbf() + linear()) + (cosine() + white()), "rbf + linear + cosine + white");
    assert_prints((2.0 * rbf()) * (3.0 * linear()), "6*rbf*linear");
    assert_prints(0.5 * (4.0 * rbf()), "2*rbf");
    assert_prints(rbf() - linear() - 2.0 * cosine(), "rbf - linear - 2*cosine");
    assert_prints(-rbf(), "-1*rbf");
    assert_prints(auto() * matern().nu(1.5), "auto*matern(nu=1.5)");
    assert_prints((rbf() + linear()).pow(2), "(rbf + linear)^2");
    assert_prints(linear().pow(1), "linear");
    assert_prints(
        exp(linear()) + normalise(linear()) * centre(rbf()).normalised(),
        "exp(linear) + normalise(linear)*normalise(centre(rbf))",
    );
    assert_prints(2.0 * min_max(spectrum()).on("seq"), "2*on(seq, min_max(spectrum))");
    assert_prints(rbf().on(["a", "body mass"]), "on([a, \"body mass\"], rbf)");
    assert_prints(rbf().length_scale([1.0, 2.0]).weighted("w"), "weighted(w, rbf(length_scale=[1, 2]))");
    assert_prints(tfidf().normalised(false).stop_words(["the", "of"]), "tfidf(normalised=false, stop_words=[the, of])");
    assert_prints(fisher().model(models::hmm().states(3).alphabet(Alphabet::Dna)), "fisher(model=hmm(states=3, alphabet=dna))");
    let alignment = local_alignment().score(AlignmentScore::Best).matrix(SubstitutionMatrix::Match).matched(2).ambiguity(Ambiguity::Skip);
    assert_prints(alignment, "local_alignment(score=best, matrix=match, match=2, ambiguity=skip)");
}

#[test]
fn a_wrong_expression_is_refused_as_its_text_is() {
    let data = Dataset::from_points(Points::dense(3, 1, vec![0.0, 1.0, 2.0]).unwrap());
    let wrong: [KernelExpr; 8] = [
        rbf().length_scale(-1.0).into(),
        2.0 * rbf().length_scale(5.0..0.5),
        spectrum().k(0).on("seq").into(),
        auto() * (rbf().scaled(1.0..2.0) * linear()),
        rbf().pow(0),
        f64::INFINITY * rbf(),
        min_max(rbf()).into(),
        rbf().on(Vec::<String>::new()).into(),
    ];
    for kernel in wrong {
        let refused = kernel.settle(&data).unwrap_err().to_string();
        assert_eq!(refused, KernelExpr::parse(&kernel.to_string()).unwrap_err().to_string());
    }
    let refused = rbf().length_scale(-1.0).on("x1");
    let refused = KernelExpr::from(refused).settle(&data).unwrap_err().to_string();
    assert!(refused.contains("length_scale") && refused.contains("above 0"), "{refused}");
}
