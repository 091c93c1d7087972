"""One function per kernel of the catalogue, made when the package is imported.

A parameter is a number, "auto" (settled from the data), a pair (low, high) that bounds a search, or a list with one
number per column. What is wrong with a name or a value is said by the library, with the nearest name that exists.
"""

from inspect import Parameter, Signature

from ._native import Kernel, catalogue, own_model

__all__ = ["Kernel"]


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
    lines = [f"{entry['name']}: {entry['doc']}.", "", f"Takes {entry['takes']}."]
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


for _entry in catalogue()["kernels"]:
    globals()[_entry["name"]] = _function(_entry)
    __all__.append(_entry["name"])
del _entry


def __dir__():
    return list(__all__)
