//! The types of the functions of `mercer.kernels`, which Python makes from the catalogue when it is imported.

use crate::classes::literal;
use mercer::kernels;
use mercer::param::Domain;
use std::fmt::Write;

const HEAD: &str = "\
# Made by `make gen` from the records in the code; edit those.
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, overload

from numpy.typing import ArrayLike, NDArray

from ._native import Kernel as Kernel

# A number, \"auto\", the ends of a search, or one number per column.
_Setting: TypeAlias = float | str | tuple[float, float] | Sequence[float] | NDArray[Any]

class _OwnModel(Protocol):
    def fit(self, inputs: Any, weight: NDArray[Any], /) -> object: ...
    def log_density(self, inputs: Any, /) -> ArrayLike: ...
    def score(self, inputs: Any, /) -> ArrayLike: ...

# The expression of a generative model, or one of one's own.
_Model: TypeAlias = str | _OwnModel

def _text(value: _Setting | Sequence[str] | _OwnModel) -> str: ...

# Two batches and the parameters of the function as keywords.
_Function = TypeVar(\"_Function\", bound=Callable[..., ArrayLike])
# Default of each parameter: a number, the ends of a search, a flag, or words of which the first is the default.
_Parameters: TypeAlias = Mapping[str, float | tuple[float, float] | bool | Sequence[str]]
_Inputs: TypeAlias = Literal[\"number\", \"points\", \"category\", \"text\", \"sequence\", \"tree\", \"set\", \"graph\", \"series\", \"any\"]

@overload
def register(
    name: _Function,
    function: None = None,
    *,
    parameters: _Parameters | None = None,
    inputs: _Inputs = \"number\",
    mercer: bool = False,
    as_is: bool = False,
    diagonal: Callable[..., ArrayLike] | None = None,
) -> _Function: ...
@overload
def register(
    name: str | None = None,
    function: None = None,
    *,
    parameters: _Parameters | None = None,
    inputs: _Inputs = \"number\",
    mercer: bool = False,
    as_is: bool = False,
    diagonal: Callable[..., ArrayLike] | None = None,
) -> Callable[[_Function], _Function]: ...
@overload
def register(
    name: str | None,
    function: _Function,
    *,
    parameters: _Parameters | None = None,
    inputs: _Inputs = \"number\",
    mercer: bool = False,
    as_is: bool = False,
    diagonal: Callable[..., ArrayLike] | None = None,
) -> _Function: ...
";

/// The stub `kernels.pyi`: one function per kernel.
pub(crate) fn kernels() -> String {
    let mut out = HEAD.to_owned();
    let mut names = vec!["Kernel", "register"];
    for k in kernels::catalogue() {
        let values = k.params.iter().zip(k.defaults()).map(|(p, value)| format!("{}: {} = {}", p.name, class(p.domain), literal(&value)));
        let mut given: Vec<String> = values.collect();
        if !k.aliases.is_empty() {
            given.push("*".into());
            given.extend(k.aliases.iter().map(|(alias, ..)| format!("{alias}: _Setting | None = None")));
        }
        let _ = write!(out, "\ndef {}({}) -> Kernel: ...", k.name, given.join(", "));
        names.push(k.name);
    }
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let _ = writeln!(out, "\n\n__all__ = [{}]", names.join(", "));
    out
}

const PACKAGE: &str = "\
# Made by `make gen` from the catalogue and crates/mercer-gen/src/stubs.rs; edit those. Checkers of types take what stands in a literal __all__.
";

/// What `mercer` exports besides the estimators of scikit-learn's form: module and names.
const EXPORTS: [(&str, &[&str]); 4] = [
    (".", &["kernels", "scikit"]),
    (
        "._native",
        &[
            "Advice",
            "Comparison",
            "Dataset",
            "Distribution",
            "Kernel",
            "Learner",
            "Model",
            "Partial",
            "Plan",
            "SvmPath",
            "__version__",
            "advise",
            "canonical_correlations",
            "catalogue",
            "compare",
            "example",
            "examples",
            "explain",
            "independence_test",
            "learn_on",
            "load",
            "plan",
            "pre_images",
            "read_table",
            "svm_path",
            "two_sample_test",
        ],
    ),
    (".errors", &["DataError", "ExpressionError", "InternalError", "MercerError", "MercerWarning", "ModelFileError", "ResourceError"]),
    (".interchange", &["from_sklearn"]),
];

/// The stub of a package: its exports, imported and listed.
fn package(doc: &str, modules: &[(&str, &[&str])]) -> String {
    let mut out = format!("{PACKAGE}{doc}\n");
    let mut all: Vec<&str> = Vec::new();
    for (module, names) in modules {
        let listed: String = names.iter().map(|name| format!("    {name} as {name},\n")).collect();
        let _ = write!(out, "from {module} import (\n{listed})\n");
        all.extend(*names);
    }
    all.sort_unstable();
    let all: String = all.iter().map(|name| format!("    \"{name}\",\n")).collect();
    let _ = write!(out, "\n__all__ = [\n{all}]\n");
    out
}

/// The stub `__init__.pyi` of `mercer`.
pub(crate) fn mercer(classes: &[&str]) -> String {
    let modules: Vec<(&str, &[&str])> = EXPORTS.into_iter().chain([(".scikit._classes", classes)]).collect();
    package("", &modules)
}

/// The stub `__init__.pyi` of `mercer.scikit`.
pub(crate) fn scikit(classes: &[&str]) -> String {
    let names = "from ._names import NAMES as NAMES, SEARCHES as SEARCHES\n";
    package(names, &[("._classes", classes)])
}

/// What Python may give for a parameter of the domain.
fn class(domain: Domain) -> String {
    match domain {
        Domain::Flag => "bool".into(),
        Domain::Integer(..) => "int | str | tuple[int, int]".into(),
        Domain::Choice(words) => format!("Literal[{}]", words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")),
        Domain::Words => "str | Sequence[str]".into(),
        Domain::Term(_) => "str | _Model".into(),
        Domain::Real
        | Domain::Positive
        | Domain::PositiveFinite
        | Domain::IntegerOrInfinite(_)
        | Domain::NonNegative
        | Domain::Fraction
        | Domain::UpToOne
        | Domain::CountOrShare => "_Setting".into(),
    }
}
