"""Objects of the user's own classes as text: what a model file holds of an estimator that is written in Python.

Attributes are numbers, texts, lists, dicts and arrays, written as JSON, the bytes of arrays in base64. Nothing is imported and no code
is run to read them: the class is the one that the caller gives.
"""

import base64
import copy
import inspect
import json
import math

import numpy as np

#: Characters of a value that expressions show.
LONG = 60
HOLDS = "a model file holds arrays of numbers, numbers, texts, lists and dicts; pickle.dump(model, file) stores any object that can be pickled"


def _state(thing):
    if hasattr(type(thing), "__getstate__") and getattr(type(thing), "__getstate__") is not getattr(object, "__getstate__", None):
        return thing.__getstate__()
    return vars(thing)


def _packed(value, where):
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.ascontiguousarray(value)
        if array.dtype.kind not in "biufc":
            raise TypeError(f"{where} is an array of {array.dtype}; {HOLDS}")
        little = array.astype(array.dtype.newbyteorder("<"))
        data = base64.b64encode(little.tobytes()).decode("ascii")
        return {"array": data, "dtype": little.dtype.str, "shape": list(np.shape(value)), "scalar": isinstance(value, np.generic)}
    if isinstance(value, (list, tuple)):
        items = [_packed(item, f"{where}[{i}]") for i, item in enumerate(value)]
        return {"tuple": items} if isinstance(value, tuple) else items
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _packed(item, f"{where}[{key!r}]") for key, item in value.items()}}
    raise TypeError(f"{where} is a {type(value).__name__}; {HOLDS}")


def _unpacked(value):
    if isinstance(value, list):
        return [_unpacked(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "float" in value:
        return float.fromhex(value["float"])
    if "tuple" in value:
        return tuple(_unpacked(item) for item in value["tuple"])
    if "dict" in value:
        return {key: _unpacked(item) for key, item in value["dict"].items()}
    array = np.frombuffer(base64.b64decode(value["array"]), dtype=np.dtype(value["dtype"])).reshape(value["shape"])
    native = array.astype(array.dtype.newbyteorder("="))
    return native[()] if value["scalar"] else native


def pack(thing):
    """The state of an object as text."""
    name = type(thing).__name__
    state = _state(thing)
    if isinstance(state, dict):
        return json.dumps({"dict": {key: _packed(value, f"{name}.{key}") for key, value in state.items()}})
    return json.dumps(_packed(state, f"the state of {name}"))


def unpack(kind, text):
    """An object of a class in the state that `pack` wrote."""
    thing, state = kind.__new__(kind), _unpacked(json.loads(text))
    if hasattr(thing, "__setstate__"):
        thing.__setstate__(state)
    else:
        vars(thing).update(state)
    return thing


def _words(thing):
    """The attributes or arguments of an object by name, as they were given."""
    if hasattr(thing, "get_params"):
        return thing.get_params(deep=False)
    return vars(thing) if hasattr(thing, "__dict__") else {}


def text(thing):
    """The class of an object and its parameters, as expressions show them."""
    words = ", ".join(f"{key}={_shown(value)}" for key, value in _words(thing).items())
    return f"{type(thing).__name__}({words if len(words) <= LONG else '..'})".replace('"', "'")


def _shown(value):
    """A value in a few characters."""
    if _is_estimator(value):
        return described(value)["text"]
    if isinstance(value, (list, tuple)) and value and all(isinstance(step, tuple) and _is_estimator(step[-1]) for step in value):
        return "[" + ", ".join(_shown(step[-1]) for step in value) + "]"
    words = repr(value)
    return words if len(words) <= LONG and "\n" not in words and " at 0x" not in words else type(value).__name__


def alike(one, other):
    """Whether two objects would be fitted alike: one object, or of one class with equal attributes."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes() and one.dtype.kind != "O"
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(value, other[key]) for key, value in one.items())
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, (str, int, float, complex, bytes, np.generic)):
        return one == other or (one != one and other != other)
    if callable(one) and hasattr(one, "__qualname__"):
        return False
    return hasattr(one, "__dict__") and alike(vars(one), vars(other))


def _tags(thing):
    """What scikit-learn's tags say of an object; None where it has none."""
    return thing.__sklearn_tags__() if hasattr(type(thing), "__sklearn_tags__") and hasattr(thing, "get_params") else None


def _is_estimator(value):
    return hasattr(value, "fit") and hasattr(value, "get_params") and not isinstance(value, type)


def _arguments(thing):
    """The arguments of the constructor of an object by name: value and default, where it keeps them."""
    init = type(thing).__init__
    named = {} if init is object.__init__ else inspect.signature(init).parameters
    given = thing.get_params(deep=False) if hasattr(thing, "get_params") else vars(thing) if hasattr(thing, "__dict__") else {}
    return {name: (given[name], named[name].default) for name in named if name in given}


def _is_number(value):
    plain = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, (bool, np.bool_))
    return plain and math.isfinite(value)


def _is_range(thing, name, value, default):
    """Whether a value is a pair of ends to search between: one number is what the argument takes, by its default or by scikit-learn's
    constraints of it."""
    if not (isinstance(value, tuple) and len(value) == 2 and all(map(_is_number, value)) and value[0] < value[1]):
        return False
    rules = getattr(thing, "_parameter_constraints", {}).get(name)
    if not isinstance(rules, list):
        return _is_number(default)
    return any(type(rule).__name__ == "Interval" for rule in rules) and not any(rule in (tuple, list, "array-like") for rule in rules)


def _is_whole(value, default):
    """Whether a number, or both ends of a range, are counts: they are written as such, and so is a default that is a number."""
    ends = value if isinstance(value, tuple) else (value,)
    return all(isinstance(end, (int, np.integer)) for end in ends) and not isinstance(default, float)


def _numbers(thing, prefix=""):
    """Numbers among the arguments of an object and of those inside of it that differ from their defaults: name, text, whether whole."""
    found = []
    for name, (value, default) in sorted(_arguments(thing).items()):
        if _is_range(thing, name, value, default):
            whole = _is_whole(value, default)
            found.append((prefix + name, f"{_plain(value[0], whole)}..{_plain(value[1], whole)}", whole))
        elif not prefix and _is_number(value) and not (_is_number(default) and value == default):
            whole = _is_whole(value, default)
            found.append((name, _plain(value, whole), whole))
    for name, part in _parts(thing):
        found += [number for number in _numbers(part, f"{prefix}{name}__") if ".." in number[1]]
    return found


def _plain(number, whole):
    """A number as expressions write it."""
    return repr(int(number)) if whole else repr(float(number)).removesuffix(".0")


def _parts(thing):
    """Estimators inside of an object of scikit-learn, by the names that its ``set_params`` takes."""
    if not hasattr(thing, "get_params"):
        return []
    return [(name, part) for name, part in thing.get_params(deep=True).items() if "__" not in name and _is_estimator(part)]


def _fixed(thing):
    """Arguments that differ from their defaults and are no numbers, as words; steps of a pipeline have no name."""
    words = []
    for name, (value, default) in _arguments(thing).items():
        if _is_number(value) or _is_range(thing, name, value, default) or value is default:
            continue
        if name in ("steps", "estimators", "transformers") and isinstance(value, list):
            words += [("", _shown(step[1])) for step in value if isinstance(step, tuple) and len(step) > 1]
        elif not (type(value) is type(default) and alike(value, default)):
            words.append((name, value if isinstance(value, str) else _shown(value)))
    return words


def described(thing):
    """What an expression shows of an object, and how it is fitted.

    One of scikit-learn's kind is fitted to columns, unless its pairwise tag is set (``kernel="precomputed"``) or the first argument of
    its ``fit`` is called ``gram``: then, like any other object, to kernel values among the training rows.
    """
    tags = _tags(thing)
    first = next(iter(inspect.signature(thing.fit).parameters), "") if hasattr(thing, "fit") else ""
    columns = tags is not None and not tags.input_tags.pairwise and first != "gram"
    kinds = {"classifier": "classes", "regressor": "numbers"}.get(tags.estimator_type if tags is not None else None, "any")
    numbers, fixed = _numbers(thing), _fixed(thing)
    shown = [word if not name else f"{name}={word}" for name, word in [*fixed, *((name, value) for name, value, _ in numbers)]]
    return {
        "class": type(thing).__name__,
        "text": f"{type(thing).__name__}({', '.join(shown)})",
        "numbers": numbers,
        "fixed": fixed,
        "columns": columns,
        "kinds": kinds,
        "probabilities": hasattr(thing, "predict_proba"),
        "decisions": columns and hasattr(thing, "decision_function"),
    }


def blank(thing):
    """An estimator of scikit-learn without what it has learnt; anything else as it is."""
    if _tags(thing) is None:
        return thing
    from sklearn.base import clone

    return clone(thing)


def made(prototype, numbers, seed):
    """A copy of an object with numbers that were found, and where scikit-learn's random_state is open, with a seed."""
    thing = copy.deepcopy(prototype)
    if hasattr(thing, "set_params"):
        given = thing.get_params(deep=True)
        open_seeds = [name for name, value in given.items() if name.split("__")[-1] == "random_state" and value is None]
        thing.set_params(**{name: seed % 2**32 for name in open_seeds}, **numbers)
    else:
        for name, value in numbers.items():
            setattr(thing, name, value)
    return thing


def fitted(thing, inputs, target, weight, classes):
    """Fits an object to kernel values, or to columns, and returns it."""
    if classes and hasattr(thing, "get_params"):
        for name, value in thing.get_params(deep=True).items():
            if name.split("__")[-1] == "class_weight" and isinstance(value, dict):
                raise ValueError(f'{name} holds weights of labels, and classes come as 0, 1, ..; give "balanced", or sample_weight')
    if weight is None:
        thing.fit(inputs, target)
        return thing
    name = "sample_weight"
    if hasattr(thing, "steps"):
        name = f"{thing.steps[-1][0]}__{name}"
    elif not _takes(thing.fit, name):
        raise TypeError(f"{type(thing).__name__}.fit takes no sample_weight; leave the weights out")
    thing.fit(inputs, target, **{name: weight})
    return thing


def _takes(function, name):
    parameters = inspect.signature(function).parameters.values()
    return any(p.name == name or p.kind is p.VAR_KEYWORD for p in parameters)


def _by_class(thing, found, classes):
    """Columns of the classes that an object of scikit-learn has seen as columns of all of them; 0 for the others."""
    known = getattr(thing, "classes_", None)
    found = np.asarray(found)
    if known is None or found.ndim != 2 or found.shape[1] != len(known) or len(known) == classes:
        return found
    out = np.zeros((len(found), classes))
    out[:, np.asarray(known, dtype=int)] = found
    return out


def probabilities(thing, inputs, classes):
    """Probabilities of all classes."""
    return _by_class(thing, thing.predict_proba(inputs), classes)


def decisions(thing, inputs, classes):
    """Decision values: one number a row of two classes, above 0 the second, else one for each class; None where they are neither."""
    found, known = np.asarray(thing.decision_function(inputs), dtype=float), getattr(thing, "classes_", None)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim == 1:
        if classes == 2:
            return found[:, np.newaxis]
        if known is None or len(known) != 2:
            return None
        found = np.column_stack([-found, found])
    if known is None or found.shape[1] != len(known):
        return None
    lowest = found.min() - 1.0 if found.size else 0.0
    out = np.full((len(found), classes), lowest)
    out[:, np.asarray(known, dtype=int)] = found
    return out
