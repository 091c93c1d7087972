"""Docstrings of the generated classes, in the form of numpydoc: composed at import from the records of the library and `_texts`."""

import json

from sklearn.base import ClassifierMixin, ClusterMixin, OutlierMixin, RegressorMixin

from ._arguments import ENTRIES, RECORDS
from ._texts import ARGUMENTS, ATTRIBUTES, EXAMPLES, KEYS, NOTES

#: Characters of a line.
WIDTH = 112
#: What examples are made of: the target, the arguments of the constructor, the call and the shape of what it returns.
CLASSIFIER = ('y = np.array(["a", "a", "a", "b", "b", "b"])', "", "fit(X, y).predict(X)", "(6,)")
REGRESSOR = ("y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])", "", "fit(X, y).predict(X)", "(6,)")
CLUSTERER = (None, "2", "fit_predict(X)", "(6,)")
OUTLIERS = (None, "", "fit_predict(X)", "(6,)")
TRANSFORMER = (None, "1", "fit_transform(X)", "(6, 1)")


def docstring(cls):
    """The docstring of a generated class."""
    entry, (arguments, attributes) = ENTRIES[cls._name], KEYS[cls.__name__]
    about = f"The estimator {cls._name} of Mercer."
    if issubclass(cls, (ClassifierMixin, RegressorMixin)):
        about += f' What is "auto" or a pair is tuned by {entry["criterion"] or "cross-validation"}.'
    lines = [*_wrapped(_sentence(entry["doc"])), ""]
    if cls.__name__ in NOTES:
        lines += [*_wrapped(NOTES[cls.__name__]), ""]
    lines += _wrapped(about)
    lines += ["", "Parameters", "----------", *_parameters(cls, arguments)]
    lines += ["", "Attributes", "----------"]
    for key in attributes:
        kind, doc = ATTRIBUTES[key]
        lines += [f"{_name(key)} : {kind}", *_wrapped(_sentence(doc), 4)]
    return "\n".join([*lines, "", "Examples", "--------", *_example(cls), ""])


def _parameters(cls, keys):
    """Each argument of the constructor with its type, default and meaning."""
    texts = {_name(key): ARGUMENTS[key] for key in keys}
    records = {theirs: RECORDS[cls._name][ours] for ours, theirs in cls._parameter_names.items()}
    for name, default in _defaults(cls.__init__):
        kind, doc = texts.get(name) or _text_of_record(records[name])
        written = json.dumps(default) if isinstance(default, str) else repr(default)
        yield f"{name} : {kind}, default={written}"
        yield from _wrapped(_sentence(doc), 4)


def _defaults(function):
    """The arguments of a function whose arguments all have defaults, in their order."""
    code = function.__code__
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    by_position = dict(zip(names, function.__defaults__ or ()))
    return {**by_position, **{name: function.__kwdefaults__[name] for name in names[len(by_position) :]}}.items()


def _text_of_record(record):
    """Type and meaning of a parameter of the library."""
    kind = record["kind"]
    if kind == "choice":
        return "{" + ", ".join(f'"{word}"' for word in record["choices"]) + "}", record["doc"]
    if kind == "count_or_share":
        return 'int, float or "auto"', record["doc"]
    kind = {"flag": "bool", "integer": "int", "term": "str", "words": "list of str"}.get(kind, "float")
    return f'{kind}, "auto" or a pair (low, high) to search' if record["searched"] else kind, record["doc"]


def _example(cls):
    """Lines that run."""
    if cls.__name__ in EXAMPLES:
        return EXAMPLES[cls.__name__]
    bases = {ClassifierMixin: CLASSIFIER, RegressorMixin: REGRESSOR, ClusterMixin: CLUSTERER, OutlierMixin: OUTLIERS}
    target, given, call, shape = next((example for base, example in bases.items() if issubclass(cls, base)), TRANSFORMER)
    name = cls.__name__
    made = ["import numpy as np", f"from mercer import {name}", "X = np.arange(6.0).reshape(-1, 1)", target, f"{name}({given}).{call}.shape"]
    return [f">>> {line}" for line in made if line] + [shape]


def _name(key):
    """The name that a key of a text belongs to: without the class."""
    return key.rpartition(".")[2]


def _sentence(text):
    return f"{text[:1].upper()}{text[1:]}."


def _wrapped(text, indent=0):
    """The lines of a paragraph."""
    lines, line = [], ""
    for word in text.split():
        if line and indent + len(line) + 1 + len(word) > WIDTH:
            lines.append(" " * indent + line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, " " * indent + line]
