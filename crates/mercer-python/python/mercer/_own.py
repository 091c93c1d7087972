"""Objects of the user's own classes as text: what a model file holds of an estimator that is written in Python.

Attributes are numbers, texts, lists, dicts and arrays, written as JSON, the bytes of arrays in base64. Nothing is imported and no code
is run to read them: the class is the one that the caller gives.
"""

import base64
import hashlib
import json

import numpy as np

LONG = 60


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
            raise TypeError(f"{where} is an array of {array.dtype}; a model file holds arrays of numbers, numbers, texts, lists and dicts")
        little = array.astype(array.dtype.newbyteorder("<"))
        data = base64.b64encode(little.tobytes()).decode("ascii")
        return {"array": data, "dtype": little.dtype.str, "shape": list(np.shape(value)), "scalar": isinstance(value, np.generic)}
    if isinstance(value, (list, tuple)):
        items = [_packed(item, f"{where}[{i}]") for i, item in enumerate(value)]
        return {"tuple": items} if isinstance(value, tuple) else items
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _packed(item, f"{where}[{key!r}]") for key, item in value.items()}}
    raise TypeError(f"{where} is a {type(value).__name__}; a model file holds arrays of numbers, numbers, texts, lists and dicts")


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


def text(thing):
    """The class of an object and its parameters, as expressions show them; objects of one text are fitted alike."""
    words = ", ".join(f"{key}={value!r}" for key, value in vars(thing).items()) if hasattr(thing, "__dict__") else ""
    if len(words) > LONG or "\n" in words or " at 0x" in words:
        try:
            words = "#" + hashlib.sha256(pack(thing).encode()).hexdigest()[:12]
        except TypeError:
            words = f"#{id(thing):x}"
    return f"{type(thing).__name__}({words})".replace('"', "'")
