//! Names that stand for expressions of other kernels: they are read, and what they stand for is stored and printed.

use super::{Form, KernelExpr};
use crate::error::{Error, Result};
use crate::expr::{Argument, Term};
use crate::kernels::operators::KernelOperators;
use crate::param::Value;

/// What reads a kernel among the arguments.
type Part<'a> = &'a dyn Fn(&Term) -> Result<KernelExpr>;

/// What a name stands for.
pub struct Shorthand {
    /// How it is written.
    pub form: Form,
    /// Where it stands: author, work, year, equation.
    pub source: &'static str,
    read: fn(&[Argument], Part<'_>) -> Result<KernelExpr>,
}

/// All of them.
pub fn shorthands() -> &'static [Shorthand] {
    &[Shorthand {
        form: Form {
            name: "activations",
            also: None,
            form: "activations(k)",
            example: "activations(nngp(depth=1))",
            doc: "auto*k1 + auto*k2 + ..: the network kernel k (nngp, or ntk) with the activations relu, erf, tanh, sigmoid and gelu, \
                  each with a weight that the criterion of the estimator learns; of gp the evidence",
            because: "a sum of Mercer kernels",
        },
        source: "Lee, Bahri, Novak, Schoenholz, Pennington & Sohl-Dickstein, Deep neural networks as Gaussian processes (2018), (4) and (5); \
                 Rasmussen & Williams, Gaussian Processes for Machine Learning (2006), 4.2.4",
        read: activations,
    }]
}

/// Reads a call of such a name; `None` where it is none.
pub(super) fn call(name: &str, args: &[Argument], part: Part<'_>) -> Option<Result<KernelExpr>> {
    shorthands().iter().find(|s| s.form.name == name).map(|s| (s.read)(args, part))
}

/// A network kernel with each activation of GP14.
fn activations(args: &[Argument], part: Part<'_>) -> Result<KernelExpr> {
    const ACTIVATIONS: [&str; 5] = ["relu", "erf", "tanh", "sigmoid", "gelu"];
    let plain = Term::Call { name: "nngp".into(), args: Vec::new(), at: 0 };
    let network = match args {
        [] => &plain,
        [Argument { name: None, term }] => term,
        _ => &Term::Auto,
    };
    let Term::Call { name, args, at } = network else {
        return Err(Error::Data("activations takes one network kernel: activations(nngp(depth=1)), or activations(ntk)".into()));
    };
    let with = |activation: &&str| {
        let own = Argument { name: Some("activation".into()), term: Term::Word((*activation).into()) };
        let args = args.iter().cloned().chain([own]).collect();
        part(&Term::Call { name: name.clone(), args, at: *at }).map(|kernel| kernel.scaled(Value::Auto))
    };
    Ok(KernelExpr::sum(ACTIVATIONS.iter().map(with).collect::<Result<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_stand_for_their_sum_and_take_network_kernels_alone() {
        let with = |kernel: &str, activation: &str| match kernel.split_once('(') {
            Some((name, rest)) => format!("auto*{name}(activation={activation}, {rest}"),
            None => format!("auto*{kernel}(activation={activation})"),
        };
        let sum = |kernel: &str| ["relu", "erf", "tanh", "sigmoid", "gelu"].map(|a| with(kernel, a)).join(" + ");
        for (short, long) in
            [("activations", "nngp"), ("activations(ntk(depth=3))", "ntk(depth=3)"), ("activations(nngp(depth=1))", "nngp(depth=1)")]
        {
            assert_eq!(KernelExpr::parse(short).unwrap(), KernelExpr::parse(&sum(long)).unwrap());
        }
        assert_eq!(KernelExpr::parse("0.5*activations + linear").unwrap().to_string().matches("nngp").count(), 5);
        for (wrong, why) in [
            ("activations(rbf)", "rbf"),
            ("activations(nngp(activation=relu))", "activation"),
            ("activations(nngp, ntk)", "takes one network kernel"),
            ("activations(nngp + ntk)", "takes one network kernel"),
            ("activations(depth=2)", "takes one network kernel"),
        ] {
            let error = KernelExpr::parse(wrong).unwrap_err().to_string();
            assert!(error.contains(why), "{wrong}: {error}");
        }
    }
}
