# The types of the native classes and functions; stubtest holds them against the extension.
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias, final, overload

from numpy.typing import ArrayLike, NDArray

# A Dataset, a dict of columns, a frame, an array, a list of str, a sparse matrix.
_Data: TypeAlias = Any
# Labels or numbers, one a row, or a 2-D array of numbers.
_Target: TypeAlias = Any
_Task: TypeAlias = Literal["classification", "regression"]
_Type: TypeAlias = Literal["number", "points", "category", "text", "sequence", "tree", "set", "graph", "series", "date", "date-dmy", "date-mdy", "days", "flag", "ordinal", "series-channels-first", "ignore"] | str
_Policy: TypeAlias = Literal["median+flag", "category", "empty", "interpolate", "forward", "skip", "drop", "error"]
_Path: TypeAlias = str | PathLike[str]

class _OwnEstimator(Protocol):
    """An estimator of one's own on kernel values; ``predict_proba`` and ``sample_weight`` are optional."""

    @property
    def fit(self) -> Callable[..., object]: ...
    @property
    def predict(self) -> Callable[[NDArray[Any]], ArrayLike]: ...

_Estimator: TypeAlias = str | _OwnEstimator
# A function that `mercer.kernels.register` has made a kernel.
_Function: TypeAlias = Callable[..., Any]
_Kernel: TypeAlias = "Kernel | str | _Function"
# What can be gone over several times: inputs and target, or these and weights.
_Batches: TypeAlias = Callable[[], Iterable[Sequence[Any]]] | Iterable[Sequence[Any]]
# What is done, how much of it, out of how much.
_Progress: TypeAlias = Callable[[str, int, int], object]

__all__ = [
    "Advice",
    "Comparison",
    "Dataset",
    "Density",
    "Distribution",
    "Kernel",
    "Learner",
    "LocalRegression",
    "Lowess",
    "Model",
    "Partial",
    "Plan",
    "Stored",
    "SvmPath",
    "__version__",
    "advise",
    "canonical_correlations",
    "catalogue",
    "compare",
    "example",
    "examples",
    "grid",
    "independence_test",
    "check_labels",
    "is_missing",
    "items",
    "learn_on",
    "load",
    "lone_kinds",
    "number_column",
    "unmasked",
    "minimise",
    "neighbours",
    "own_model",
    "plan",
    "explain",
    "functions_in",
    "pre_images",
    "read_table",
    "svm_path",
    "register_kernel",
    "solved_elsewhere",
    "two_sample_test",
    "work",
]

__version__: str

@final
class Dataset:
    def __new__(
        cls,
        data: _Data,
        types: Mapping[str, _Type] | _Type | None = None,
        *,
        gram: dict[str, Any] | None = None,
        like: Model | None = None,
    ) -> Dataset: ...
    @staticmethod
    def precomputed(
        values: ArrayLike, like: Model, *, diagonal: ArrayLike | None = None, among: ArrayLike | None = None
    ) -> Dataset: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def to_pandas(self) -> Any: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    @property
    def columns(self) -> dict[str, str]: ...
    @property
    def notices(self) -> list[str]: ...
    def _to_show(self) -> list[str]: ...
    @property
    def missing(self) -> dict[str, NDArray[Any]]: ...
    def _repr_html_(self) -> str: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: str, /) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, key: int, /) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: slice | Sequence[int] | Sequence[bool] | NDArray[Any] | tuple[Any, Any], /) -> Dataset: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Kernel:
    __array_ufunc__: None
    def __new__(cls, expression: _Kernel) -> Kernel: ...
    def __call__(
        self, x: _Data, y: _Data | None = None, *, threads: int = 0, max_memory: int | str | None = None
    ) -> NDArray[Any]: ...
    def diag(self, x: _Data, *, threads: int = 0) -> NDArray[Any]: ...
    def dataset(self, x: _Data) -> Dataset: ...
    def settle(self, x: _Data) -> Kernel: ...
    def normalise(self) -> Kernel: ...
    def exp(self) -> Kernel: ...
    def centre(self) -> Kernel: ...
    def repair(self, how: Literal["clip", "flip", "shift"]) -> Kernel: ...
    def weighted(self, column: str) -> Kernel: ...
    def check(self, x: _Data | None = None, *, seed: int = 0) -> dict[str, Any]: ...
    def on(self, *columns: str) -> Kernel: ...
    @property
    def parameters(self) -> dict[str, Any]: ...
    @property
    def by_column(self) -> bool: ...
    @property
    def mercer(self) -> Literal["always", "conditional", "never"]: ...
    @property
    def mercer_reason(self) -> str | None: ...
    def _repr_html_(self) -> str: ...
    def __add__(self, other: Kernel | _Function | float, /) -> Kernel: ...
    def __radd__(self, other: _Function | float, /) -> Kernel: ...
    def __sub__(self, other: Kernel | _Function, /) -> Kernel: ...
    def __rsub__(self, other: Kernel, /) -> Kernel: ...
    def __mul__(self, other: Kernel | _Function | float, /) -> Kernel: ...
    def __rmul__(self, other: _Function | float, /) -> Kernel: ...
    def __pow__(self, exponent: int, modulo: None = None, /) -> Kernel: ...
    def __rpow__(self, exponent: Kernel, modulo: None = None, /) -> Kernel: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Kernel: ...
    def __deepcopy__(self, _memo: Any) -> Kernel: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _restored(expression: str, functions: object) -> Kernel: ...

@final
class Learner:
    def __new__(
        cls,
        estimator: _Estimator | None = None,
        kernel: _Kernel | None = None,
        *,
        standardise: bool = True,
        missing: Mapping[str, _Policy] | None = None,
        seed: int = 0,
        allow_non_mercer: bool = False,
        metric: str | None = None,
        sample: int | None = None,
        keep_rows: bool = False,
    ) -> Learner: ...
    def fit(
        self,
        data: _Data,
        target: _Target | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        task: _Task | None = None,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        intervals: bool | Literal["class"] | Sequence[Any] | NDArray[Any] | None = None,
        max_seconds: float | None = None,
        max_memory: int | str | None = None,
        threads: int = 0,
        tell: bool = True,
        progress: _Progress | None = None,
    ) -> Model: ...
    def fit_batches(
        self,
        batches: _Batches,
        *,
        task: _Task | None = None,
        landmarks: int = 1_000,
        max_seconds: float | None = None,
        max_memory: int | str | None = None,
        threads: int = 0,
        tell: bool = True,
        progress: _Progress | None = None,
    ) -> Model: ...
    def criterion(
        self,
        data: _Data,
        target: _Target,
        sample_weight: ArrayLike | None = None,
        *,
        max_seconds: float | None = None,
        threads: int = 0,
    ) -> tuple[float, NDArray[Any]]: ...
    def descend(
        self,
        data: _Data,
        target: _Target,
        sample_weight: ArrayLike | None = None,
        *,
        ends: Sequence[tuple[float, float] | None],
        starts: Sequence[Sequence[float]],
        max_seconds: float | None = None,
        threads: int = 0,
    ) -> tuple[NDArray[Any], float, bool, Kernel]: ...
    @property
    def estimator(self) -> str | None: ...
    @property
    def parameters(self) -> dict[str, Any]: ...
    @property
    def kernel(self) -> Kernel | None: ...
    @property
    def standardise(self) -> bool: ...
    @property
    def missing(self) -> dict[str, str]: ...
    @property
    def seed(self) -> int: ...
    @property
    def allow_non_mercer(self) -> bool: ...
    @property
    def metric(self) -> str | None: ...
    @property
    def sample(self) -> int | None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Model:
    def __new__(cls, data: bytes, reported: Sequence[str] = ..., own: tuple[Sequence[type], Sequence[object], object] | None = None) -> Model: ...
    @overload
    def predict(self, data: _Data, std: Literal[False] = False, *, codes: bool = False, threads: int = 0) -> NDArray[Any]: ...
    @overload
    def predict(
        self, data: _Data, std: Literal[True, "target", "mean"], *, codes: bool = False, threads: int = 0
    ) -> tuple[NDArray[Any], NDArray[Any]]: ...
    def predict_gradient(self, data: _Data, *, threads: int = 0) -> tuple[NDArray[Any], NDArray[Any] | None]: ...
    def move_inducing(
        self, data: _Data, target: ArrayLike, sample_weight: ArrayLike | None = None, *, max_seconds: float | None = None, threads: int = 0
    ) -> Model: ...
    def predict_interval(
        self, data: _Data, level: float = 0.9, *, groups: Sequence[Any] | NDArray[Any] | None = None, threads: int = 0
    ) -> tuple[NDArray[Any], NDArray[Any]]: ...
    def predict_set(
        self, data: _Data, level: float = 0.9, *, groups: Sequence[Any] | NDArray[Any] | None = None, threads: int = 0
    ) -> NDArray[Any]: ...
    def predict_p(
        self, data: _Data, target: _Target | None = None, *, groups: Sequence[Any] | NDArray[Any] | None = None, threads: int = 0
    ) -> NDArray[Any]: ...
    def conformalize(
        self,
        data: _Data,
        target: _Target,
        sample_weight: ArrayLike | None = None,
        *,
        by: Literal["class"] | Sequence[Any] | NDArray[Any] | None = None,
        threads: int = 0,
    ) -> Model: ...
    @property
    def conformal(self) -> dict[str, Any] | None: ...
    @property
    def interval_source(self) -> Literal["scores", "variance"] | None: ...
    def predict_proba(self, data: _Data, *, threads: int = 0) -> NDArray[Any]: ...
    def decision_function(self, data: _Data, *, by_class: bool = False, threads: int = 0) -> NDArray[Any]: ...
    def variance(self, data: _Data, *, threads: int = 0) -> NDArray[Any]: ...
    def covariance(self, data: _Data, *, threads: int = 0) -> NDArray[Any]: ...
    def score(
        self, data: _Data, target: _Target, sample_weight: ArrayLike | None = None, *, metric: str | None = None, threads: int = 0
    ) -> float: ...
    def sample(self, data: _Data, count: int = 1, *, seed: int = 0, threads: int = 0) -> NDArray[Any]: ...
    def leave_one_out(
        self,
        target: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        data: _Data | None = None,
        scores: bool = False,
        threads: int = 0,
    ) -> NDArray[Any]: ...
    def factor(self) -> NDArray[Any] | None: ...
    @property
    def noise(self) -> NDArray[Any] | None: ...
    @property
    def parameters(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...
    @property
    def expansion(self) -> tuple[NDArray[Any], NDArray[Any]] | None: ...
    @property
    def sigmoids(self) -> NDArray[Any] | None: ...
    @property
    def spectrum(self) -> tuple[NDArray[Any], float] | None: ...
    @property
    def clusters(self) -> tuple[NDArray[Any], NDArray[Any]] | None: ...
    @property
    def distributions(self) -> list[Distribution]: ...
    @property
    def steps(self) -> list[int]: ...
    @property
    def kernel(self) -> Kernel: ...
    @property
    def estimator(self) -> str: ...
    @property
    def summary(self) -> dict[str, Any]: ...
    @property
    def support(self) -> NDArray[Any]: ...
    @property
    def classes(self) -> NDArray[Any] | None: ...
    @property
    def columns(self) -> dict[str, str]: ...
    @property
    def notices(self) -> list[str]: ...
    def save(self, path: _Path) -> None: ...
    @staticmethod
    def load(path: _Path) -> Model: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: bytes) -> Model: ...
    def _to_warn_of(self, every: bool) -> list[str]: ...
    def _not_yet_reported(self, notices: Sequence[str]) -> list[str]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Comparison:
    @property
    def rows(self) -> list[dict[str, Any]]: ...
    @property
    def best(self) -> dict[str, Any] | None: ...
    @property
    def kernel(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def notices(self) -> list[str]: ...
    @property
    def facts(self) -> list[str]: ...
    def _repr_html_(self) -> str: ...
    def json(self) -> str: ...
    def to_html(self) -> str: ...
    def save_html(self, path: _Path) -> None: ...
    def save_figures(self, folder: _Path) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _restored(text: str, arrays: Sequence[bytes]) -> Comparison: ...

def load(path: _Path, classes: Sequence[type] | None = None) -> Model: ...
def work(threads: int) -> None: ...
def compare(
    data: _Data,
    target: _Target,
    kernel: _Kernel | None = None,
    estimators: str | Sequence[_Estimator] | None = None,
    *,
    folds: int = 5,
    seed: int = 0,
    standardise: bool = True,
    missing: Mapping[str, _Policy] | None = None,
    allow_non_mercer: bool = False,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    task: _Task | None = None,
    metric: str | None = None,
    costs: Mapping[Any, float] | None = None,
    sample: int | None = None,
    test: tuple[_Data, _Target] | tuple[_Data, _Target, ArrayLike | None] | None = None,
    probabilities: bool = False,
    effort: float | None = ...,
    max_seconds: float | None = None,
    max_memory: int | str | None = None,
    threads: int = 0,
    workers: int | None = None,
    progress: _Progress | None = None,
) -> Comparison: ...
@final
class Partial:
    def __new__(cls, model: Model, data: _Data, target: _Target, *, rows: int | None = None) -> Partial: ...
    def add(
        self, number: int, data: _Data, target: _Target, sample_weight: ArrayLike | None = None, *, threads: int = 0
    ) -> None: ...
    def merge(self, other: Partial) -> None: ...
    def next(self) -> Partial | Model: ...
    def finish(self) -> Model: ...
    @property
    def pass_number(self) -> int: ...
    @property
    def batches(self) -> list[int]: ...
    @property
    def rows(self) -> int: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: bytes) -> Partial: ...
    def __getstate__(self) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Plan:
    @property
    def rows(self) -> int: ...
    @property
    def seconds(self) -> float | None: ...
    @property
    def fits(self) -> list[dict[str, Any]]: ...

@final
class Advice:
    @property
    def rule(self) -> str: ...
    @property
    def because(self) -> str: ...
    @property
    def kernels(self) -> list[dict[str, Any]]: ...
    @property
    def best(self) -> str | None: ...
    @property
    def holds(self) -> bool: ...
    def json(self) -> str: ...

def advise(
    data: _Data,
    target: _Target,
    kernel: _Kernel | None = None,
    *,
    seed: int = 0,
    standardise: bool = True,
    missing: Mapping[str, _Policy] | None = None,
    sample_weight: ArrayLike | None = None,
    task: _Task | None = None,
    max_seconds: float | None = None,
    max_memory: int | str | None = None,
    threads: int = 0,
    progress: _Progress | None = None,
) -> Advice: ...
def grid(
    data: _Data,
    target: _Target,
    folds: Sequence[tuple[Sequence[int], Sequence[int]]],
    strips: Sequence[tuple[Kernel | str, Sequence[str]]],
    sample_weight: ArrayLike | None = None,
    *,
    classes: Sequence[str] | None = None,
    seed: int = 0,
    scores: bool = False,
    probabilities: bool = False,
    threads: int = 0,
    progress: _Progress | None = None,
) -> list[list[list[dict[str, Any]]]]: ...
@final
class Distribution:
    def __new__(cls, model: Model, place: int) -> Distribution: ...
    @property
    def label(self) -> Any: ...
    @property
    def code(self) -> int | None: ...
    @property
    def prior(self) -> float: ...
    @property
    def parameters(self) -> dict[str, NDArray[Any]]: ...
    @property
    def axes(self) -> dict[str, list[list[str]]]: ...
    @property
    def has_states(self) -> bool: ...
    def log_density(self, data: _Data, *, threads: int = 0) -> NDArray[Any]: ...
    def decode(self, data: _Data, *, threads: int = 0) -> Any: ...
    def posteriors(self, data: _Data, *, threads: int = 0) -> Any: ...
    def sample(self, count: int = 1, *, seed: int = 0) -> Any: ...
    def __dir__(self) -> list[str]: ...
    def __reduce__(self) -> tuple[type, tuple[Model, int]]: ...

@final
class Density:
    def __new__(cls, text: str, arrays: Sequence[bytes]) -> Density: ...
    @staticmethod
    def fit(
        data: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        bandwidth: float | str | ArrayLike,
        kernel: str = "gaussian",
        shape: str = "radial",
        covariance: bool = False,
        support: Sequence[tuple[float, float]] | None = None,
        adaptive: bool = False,
        tolerance: float = 1e-12,
        threads: int = 0,
    ) -> Density: ...
    def log_density(self, data: ArrayLike, *, threads: int = 0) -> NDArray[Any]: ...
    def left_out(self, *, threads: int = 0) -> NDArray[Any]: ...
    def draw(self, count: int, seed: int) -> NDArray[Any]: ...
    def cumulative(self, x: ArrayLike) -> NDArray[Any]: ...
    def quantile(self, p: ArrayLike) -> NDArray[Any]: ...
    @property
    def widths(self) -> list[float]: ...
    @property
    def widths_of_rows(self) -> NDArray[Any]: ...
    @property
    def notes(self) -> list[str]: ...

@final
class LocalRegression:
    def __new__(cls, text: str, arrays: Sequence[bytes]) -> LocalRegression: ...
    @staticmethod
    def fit(
        data: ArrayLike,
        target: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        bandwidth: float | str | ArrayLike,
        span: float | None = None,
        kernel: str = "gaussian",
        degree: int = 1,
        rounds: int = 0,
        threads: int = 0,
    ) -> LocalRegression: ...
    def values(self, data: ArrayLike, *, threads: int = 0) -> NDArray[Any]: ...
    def predict(self, data: ArrayLike, *, threads: int = 0) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...
    @property
    def widths(self) -> list[float] | None: ...
    @property
    def left_out(self) -> NDArray[Any]: ...
    @property
    def degrees_of_freedom(self) -> float: ...
    @property
    def noise(self) -> float: ...
    @property
    def lowered(self) -> int: ...

@final
class Lowess:
    def __new__(cls, text: str, arrays: Sequence[bytes]) -> Lowess: ...
    @staticmethod
    def fit(x: ArrayLike, y: ArrayLike, *, frac: float, rounds: int, delta: float, threads: int = 0) -> Lowess: ...
    def predict(self, x: ArrayLike, *, threads: int = 0) -> NDArray[Any]: ...
    @property
    def fitted(self) -> NDArray[Any]: ...

@final
class Stored:
    def __new__(cls, text: str, arrays: Sequence[bytes], notices: Sequence[str]) -> Stored: ...

def check_labels(frame: object) -> None: ...
def is_missing(cell: object) -> bool: ...
def number_column(column: object) -> NDArray[Any] | None: ...
def unmasked(object: Any) -> Any: ...
def items(rows: int) -> Dataset: ...
def lone_kinds(rows: object, *, kernel: Kernel | None = None, model: str | None = None, kind: str | None = None) -> list[str]: ...
def neighbours(
    model: Model,
    places: ArrayLike,
    distances: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    own: ArrayLike | None = None,
    scores: bool = False,
    threads: int = 0,
) -> NDArray[Any]: ...
def minimise(
    objective: Callable[[list[float]], tuple[float, ArrayLike]], start: Sequence[float], bounds: Sequence[Sequence[float]]
) -> tuple[list[float], float, bool]: ...
def own_model(model: object) -> str: ...
def solved_elsewhere(
    program: str,
    estimator: str,
    kernel: _Kernel,
    support: _Data,
    coefficients: ArrayLike,
    bias: Sequence[float],
    support_rows: Sequence[int],
    *,
    rows: int,
    converged: bool = True,
    classes: ArrayLike | None = None,
    class_of_rows: Sequence[int] | None = None,
    outputs: int = 1,
    sigmoids: Sequence[tuple[float, float]] | None = None,
    process: tuple[ArrayLike, float, Sequence[tuple[float, float]]] | None = None,
) -> Model: ...
def functions_in(kernel: Kernel) -> list[str]: ...
def register_kernel(
    name: str,
    function: _Function,
    parameters: Sequence[tuple[str, str, str, Sequence[str]]],
    *,
    inputs: str,
    mercer: bool,
    as_is: bool,
    diagonal: _Function | None,
    doc: str,
) -> None: ...
def plan(
    data: _Data,
    target: _Target,
    kernel: _Kernel | None = None,
    estimators: str | Sequence[_Estimator] | None = None,
    *,
    folds: int = 5,
    seed: int = 0,
    standardise: bool = True,
    missing: Mapping[str, _Policy] | None = None,
    allow_non_mercer: bool = False,
    task: _Task | None = None,
    sample: int | None = None,
    effort: float | None = ...,
    max_seconds: float | None = None,
    max_memory: int | str | None = None,
    threads: int = 0,
) -> Plan: ...
@overload
def read_table(
    path: _Path | Sequence[_Path],
    target: str | Sequence[str] | None = None,
    *,
    types: Mapping[str, _Type] | None = None,
    weights: None = None,
    like: Model | None = None,
    na: str | Sequence[str] | None = None,
    header: bool = True,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    skip: int = 0,
    lines: bool = False,
    group_into: str | None = None,
    series: Mapping[str, str] | None = None,
) -> tuple[Dataset, Any]: ...
@overload
def read_table(
    path: _Path | Sequence[_Path],
    target: str | Sequence[str] | None = None,
    *,
    types: Mapping[str, _Type] | None = None,
    weights: str,
    like: Model | None = None,
    na: str | Sequence[str] | None = None,
    header: bool = True,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    skip: int = 0,
    lines: bool = False,
    group_into: str | None = None,
    series: Mapping[str, str] | None = None,
) -> tuple[Dataset, Any, NDArray[Any]]: ...
def independence_test(
    a: _Data,
    b: _Data,
    kernel_a: _Kernel | None = None,
    kernel_b: _Kernel | None = None,
    *,
    permutations: int = 999,
    seed: int = 0,
    standardise: bool = True,
    max_seconds: float | None = None,
    threads: int = 0,
) -> dict[str, Any]: ...
def canonical_correlations(
    a: _Data,
    b: _Data,
    kernel_a: _Kernel | None = None,
    kernel_b: _Kernel | None = None,
    *,
    count: int = 1,
    new_a: _Data | None = None,
    new_b: _Data | None = None,
    shrinkage: float = 0.01,
    permutations: int = 99,
    seed: int = 0,
    standardise: bool = True,
    max_seconds: float | None = None,
    threads: int = 0,
) -> dict[str, Any]: ...
@final
class SvmPath:
    @property
    def C(self) -> NDArray[Any]: ...
    @property
    def alpha(self) -> NDArray[Any]: ...
    @property
    def intercept(self) -> NDArray[Any]: ...
    @property
    def elbow(self) -> NDArray[Any]: ...
    @property
    def left(self) -> NDArray[Any]: ...
    @property
    def right(self) -> NDArray[Any]: ...
    @property
    def training_error(self) -> NDArray[Any]: ...
    @property
    def held_out_error(self) -> tuple[NDArray[Any], NDArray[Any]]: ...
    @property
    def rows(self) -> NDArray[Any]: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def kernel(self) -> str: ...
    @property
    def max_C(self) -> float: ...
    @property
    def complete(self) -> bool: ...
    @property
    def end(self) -> str: ...
    def at(self, C: float) -> tuple[NDArray[Any], float]: ...
    def decision_function(self, data: _Data, C: float | ArrayLike) -> NDArray[Any]: ...

def svm_path(
    data: _Data,
    target: _Target,
    kernel: _Kernel | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    class_weight: Literal["balanced"] | None = None,
    max_C: float | None = None,
    folds: int = 0,
    seed: int = 0,
    standardise: bool = True,
    max_seconds: float | None = None,
    max_memory: int | str | None = None,
    threads: int = 0,
) -> SvmPath: ...
def two_sample_test(
    data: _Data,
    groups: ArrayLike,
    kernel: _Kernel | None = None,
    *,
    permutations: int = 999,
    seed: int = 0,
    standardise: bool = True,
    max_seconds: float | None = None,
    threads: int = 0,
) -> dict[str, Any]: ...
def learn_on(
    model: Model, data: _Data, target: _Target, known: int, sample_weight: ArrayLike | None = None, *, threads: int = 0
) -> Model: ...
@overload
def explain(model: Model, data: _Data, row: int, *, width: int | None = None, threads: int = 0) -> dict[str, Any]: ...
@overload
def explain(model: Model, data: _Data, row: None = None, *, width: int | None = None, threads: int = 0) -> list[dict[str, Any]]: ...
def pre_images(
    model: Model, coordinates: ArrayLike, method: str = "fixed_point", *, threads: int = 0
) -> tuple[dict[str, NDArray[Any]], NDArray[Any], NDArray[Any], NDArray[Any]]: ...
def example(
    name: str, target: str | Sequence[str] | None = None, *, types: Mapping[str, _Type] | None = None
) -> tuple[Dataset, NDArray[Any]]: ...
def examples() -> dict[str, str]: ...
def catalogue() -> dict[str, Any]: ...
