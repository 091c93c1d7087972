"""One function per kernel of the catalogue, made when the package is imported.

A parameter is a number, "auto" (settled from the data), a pair (low, high) that bounds a search, or a list with one
number per column. What is wrong with a name or a value is said by the library, with the nearest name that exists.
"""

import inspect as _inspect
from inspect import Parameter, Signature

from ._native import Kernel, catalogue, functions_in, own_model, register_kernel
from .errors import DataError

__all__ = ["Kernel", "register"]


def _text(value):
    """A value as an expression writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return "true" if value else "false"
    if isinstance(value, tuple) and len(value) == 2 and not isinstance(value[0], str):
        return f"{_text(value[0])}..{_text(value[1])}"
    if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) == 1:
        return "[" + ", ".join(_listed(one) for one in value) + "]"
    if _is_own(value):
        return own_model(value)
    return str(value) if isinstance(value, int) else repr(float(value))


def _is_own(value):
    """Whether a value is a generative model as an object of Python."""
    return hasattr(value, "fit") and not isinstance(value, str)


def _listed(value):
    """The text of a list element, where a word is quoted unless it is a plain name."""
    if isinstance(value, str) and not value.isidentifier():
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return _text(value)


def _default(text):
    """The default of a parameter as Python writes it."""
    if text in ("true", "false"):
        return text == "true"
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def _section(title, lines):
    """A section of a docstring; nothing where it has no lines."""
    return ["", title, "-" * len(title), *lines] if lines else []


def _doc(entry):
    """What the catalogue says of a kernel, in the form of numpydoc."""
    given = []
    for p in entry["params"]:
        given += [f"{p['name']} : {p['domain']}, default {p['default']}", f"    {_sentence(p['doc'])}"]
    for alias in entry["aliases"]:
        given += [f"{alias} : number, optional", "    What other libraries call it: converted."]
    why = f"Positive semi-definite: {entry['because']}." if entry["because"] else "Not positive semi-definite in general."
    faults = ["ExpressionError", "    A value outside its domain."] if given else []
    lines = [f"Kernel {entry['name']}: {entry['doc']}.", "", f"Takes {entry['takes']}."]
    lines += _section("Parameters", given) + _section("Returns", ["Kernel", "    The kernel, to be combined and evaluated."])
    lines += _section("Raises", faults) + _section("Notes", [why])
    lines += _section("References", [_sentence(entry["source"])])
    name = entry["name"]
    return "\n".join(lines + _section("Examples", [f">>> from mercer.kernels import {name}", f">>> {name}()", name]))


def _sentence(text):
    return f"{text[:1].upper()}{text[1:]}."


def _function(entry):
    """The function that makes one kernel of the catalogue."""
    name = entry["name"]

    def kernel(*values, **named):
        words = [_text(value) for value in values]
        words += [f"{key}={_text(value)}" for key, value in named.items() if value is not None]
        return Kernel(f"{name}({', '.join(words)})" if words else name)

    params = entry["params"]
    given = [Parameter(p["name"], Parameter.POSITIONAL_OR_KEYWORD, default=_default(p["default"])) for p in params]
    given += [Parameter(alias, Parameter.KEYWORD_ONLY, default=None) for alias in entry["aliases"]]
    kernel.__name__ = kernel.__qualname__ = name
    kernel.__signature__ = Signature(given, return_annotation=Kernel)
    kernel.__doc__ = _doc(entry)
    kernel.__module__ = __name__
    return kernel


#: What functions are registered as, by name: the arguments of `register`, and whether they came with a pickle.
_REGISTERED = {}


def register(name=None, function=None, *, parameters=None, inputs="number", mercer=False, as_is=False, diagonal=None):
    """Make a function of two batches a kernel of expressions, searches, comparisons, models and their files.

    The function is called with two batches and the parameters as keywords, ``function(X, Z, width=2.0)``, and returns an array with a
    row for each row of X and a column for each of Z. It then stands in expressions by its name, ``"rbf + triangle(width=1..8)"``, and
    ``mercer.kernels.triangle(width=(1, 8))`` makes it. A model file holds its name: register it before the file is read. Registering a
    name again replaces the function.

    Parameters
    ----------
    name : str or callable, optional
        Its name in expressions; None: that of the function. ``@register`` and ``@register(...)`` decorate a function.
    function : callable, optional
        The function; None: `register` decorates one.
    parameters : dict, optional
        Default of each parameter: a number (``auto`` in an expression is searched around one above 0), a pair (low, high) to search
        between, True or False, or a list of words of which the first is the default. None: the keywords of the function with such
        defaults.
    inputs : str
        What a batch holds: "number" (an array with a column for each column of numbers), another type of column ("text", "category",
        "sequence", "tree", "set", "graph", "series": an array of the cells of one column; str, or arrays), or "any" (all columns, as a
        Dataset where they are not numbers).
    mercer : bool
        Whether it is positive semi-definite for every input. It is taken at its word once its values among training rows do not refute
        it; one that is not declared is refused where that is needed.
    as_is : bool
        Whether it takes numbers in their units, not standardised.
    diagonal : callable, optional
        ``diagonal(X, width=2.0)``, k(x, x) of each row; None: from small squares of values.

    Returns
    -------
    callable
        The function, unchanged.

    Raises
    ------
    DataError
        A name or a parameter that cannot be one.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> @mercer.kernels.register(mercer=True)
    ... def triangle(X, Z, width=4.0):
    ...     distance = np.abs(X[:, None, :] - Z[None, :, :])
    ...     return np.maximum(0, 1 - distance / width).prod(axis=2)
    >>> mercer.Kernel("2*triangle(width=2) + linear")([[0.0], [1.0]])
    array([[2., 1.],
           [1., 3.]])
    """
    if callable(name) and function is None:
        name, function = None, name
    words = {"parameters": parameters, "inputs": inputs, "mercer": mercer, "as_is": as_is, "diagonal": diagonal}
    if function is None:
        return lambda decorated: register(name, decorated, **words)
    if not callable(function):
        raise DataError(f"register: expected a function of two batches, found {type(function).__name__}")
    name = getattr(function, "__name__", type(function).__name__) if name is None else name
    if name in globals() and name not in _REGISTERED and name not in _LISTED:
        raise DataError(f"register: mercer.kernels has something else of the name {name!r}; give the kernel another name")
    _make(name, function, words)
    _REGISTERED[name] = {"function": function, "words": words, "unpickled": False}
    return function


def _make(name, function, words):
    """Registers a function in the library, and makes the function of this module that gives its kernel."""
    given = _keywords(function) if words["parameters"] is None else words["parameters"]
    records = [_record(name, key, default) for key, default in given.items()]
    doc = next(iter((getattr(function, "__doc__", None) or "").strip().splitlines()), "") or f"a function of the program, {name}"
    plain = {key: words[key] for key in ("inputs", "mercer", "as_is", "diagonal")}
    register_kernel(name, function, records, doc=doc[:1].lower() + doc[1:].rstrip("."), **plain)
    globals()[name] = _function(next(entry for entry in catalogue()["kernels"] if entry["name"] == name))


def _keywords(function):
    """The keywords of a function that have defaults, after the two batches."""
    try:
        parameters = list(_inspect.signature(function).parameters.values())[2:]
    except (TypeError, ValueError):
        return {}
    kinds = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    return {p.name: p.default for p in parameters if p.kind in kinds and _sort(p.default) is not None}


def _sort(default):
    """What a default says of its parameter: number, integer, flag or choice; None if it says nothing."""
    if isinstance(default, bool) or type(default).__name__ == "bool_":
        return "flag"
    if isinstance(default, list) and default and all(isinstance(word, str) for word in default):
        return "choice"
    ends = default if isinstance(default, tuple) and len(default) == 2 else (default,)
    if any(isinstance(end, bool) or not hasattr(end, "__float__") or hasattr(end, "__len__") for end in ends):
        return None
    return "integer" if all(hasattr(end, "__index__") for end in ends) else "number"


def _record(kernel, name, default):
    """A parameter as the library takes it: name, sort, default as text, words to choose from."""
    sort = _sort(default)
    if sort is None or not name.isidentifier():
        what = f"{kernel}: {name}={default!r}"
        raise DataError(f"register: {what}: expected a number, a pair (low, high), True, False or a list of words as the default")
    return (name, sort, default[0] if sort == "choice" else _text(default), default if sort == "choice" else [])


def _name_of(function):
    """The name by which a function is registered; None where it is not."""
    return next((name for name, known in _REGISTERED.items() if known["function"] is function), None)


def _registrations(names):
    """What `_restore` makes the functions of these names known by."""
    return [(name, _REGISTERED[name]["function"], _REGISTERED[name]["words"]) for name in dict.fromkeys(names) if name in _REGISTERED]


def _restore(registrations):
    """Makes functions known that came with a pickle; what the program itself has registered stays."""
    for name, function, words in registrations:
        known = _REGISTERED.get(name)
        if known is None or (known["unpickled"] and known["function"] is not function):
            _make(name, function, words)
            _REGISTERED[name] = {"function": function, "words": words, "unpickled": True}


def _own_in(kernel):
    """What `_restore` takes of the functions in a kernel that is an expression; nothing where it has none."""
    if not _REGISTERED or not (isinstance(kernel, Kernel) or isinstance(kernel, str) and any(name in kernel for name in _REGISTERED)):
        return []
    try:
        return _registrations(functions_in(Kernel(kernel)))
    except ValueError:
        # A text that is no expression is refused where it is used.
        return []


for _entry in catalogue()["kernels"]:
    globals()[_entry["name"]] = _function(_entry)
    __all__.append(_entry["name"])
#: The kernels of the catalogue.
_LISTED = frozenset(__all__) - {"Kernel", "register"}
del _entry


def __dir__():
    return list(__all__)
