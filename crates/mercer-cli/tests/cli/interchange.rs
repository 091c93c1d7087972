//! Models of other programs on the command line.

use super::shell::Shell;

/// Saved by LIBSVM 3.37.
const MODEL: &str = include_str!("../../../../fixtures/interchange/c_svc_rbf_three.model");

#[test]
fn convert_follows_from_what_the_input_is() {
    let shell = Shell::new();
    shell.write("a.model", MODEL);
    // Rows and labels of fixtures/interchange/decision_values.txt.
    shell.write("new.t", "0\n0 1:0.5 2:-0.25 3:1\n0 1:-1 2:0.75\n0 1:0.25 3:-0.5\n0 1:2 2:1.5 3:-1.25\n");
    let read = shell.done(&["convert", "a.model", "a.mercer"]);
    assert!(read.out.is_empty() && read.err.contains("taken over from LIBSVM"), "{}{}", read.out, read.err);
    let predicted = shell.done(&["predict", "a.mercer", "new.t"]).out;
    shell.done(&["convert", "a.mercer", "b.model"]);
    shell.done(&["convert", "b.model", "b.mercer"]);
    assert_eq!(shell.done(&["predict", "b.mercer", "new.t"]).out, predicted);
    shell.done(&["convert", "a.model", "c.mercer", "--columns", "p,q,r"]);
    shell.write("new.csv", "r,p,q\n0,0,0\n1,0.5,-0.25\n0,-1,0.75\n-0.5,0.25,0\n-1.25,2,1.5\n");
    assert_eq!(shell.done(&["predict", "c.mercer", "new.csv"]).out, predicted);
    assert!(shell.done(&["inspect", "a.mercer"]).out.contains("svc(ties=first)"));
}

#[test]
fn what_cannot_be_converted_leaves_nothing_behind() {
    let shell = Shell::new();
    shell.write("cut.model", &MODEL[..MODEL.len() - 40]);
    shell.write("t.csv", "a,b,y\n1,2,u\n2,1,v\n3,5,u\n4,3,v\n");
    shell.write("data.t", "1 1:0.5\n");
    shell.done(&["fit", "t.csv", "--target", "y", "--estimator", "svc(c=1)", "--kernel", "rbf(length_scale=1)", "-o", "m.mercer"]);
    let before = shell.files();
    for (words, said) in [
        (&["convert", "cut.model", "out"][..], "truncated"),
        (&["convert", "m.mercer", "out"], "--no-standardise"),
        (&["convert", "m.mercer", "out", "--probabilities"], "leave --columns, --features and --probabilities out"),
        (&["convert", "data.t", "out"], "neither a model file nor a model of LIBSVM"),
        (&["convert", "none.model", "out"], "none.model"),
        (&["convert", "m.mercer", "m.mercer"], "it is a file that is to be read"),
    ] {
        let refused = shell.mercer(words);
        assert!(refused.code != 0 && refused.err.contains(said), "{said}: {} {}", refused.code, refused.err);
        assert_eq!(shell.files(), before);
    }
}
