"""Arguments of `run` as the fields of a request, texts under their names."""

from __future__ import annotations

import contextlib
import difflib
import os
import pathlib
import reprlib
import tempfile
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

from . import _tcsim
from ._errors import Error, UsageError

if TYPE_CHECKING:
    import numpy

Fields = dict[str, list[str]]
Settings = Mapping[str, Any] | Sequence[str] | None

OPERANDS = ("a", "b")


def refusal(word: str, reason: str) -> UsageError:
    return UsageError(f"{word}: {reason}", [("", 0, 0, word, reason)])


def text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, os.PathLike)):
        text = os.fsdecode(value) if isinstance(value, os.PathLike) else str(value)
        if not is_utf8(text):
            reason = f"{text!a} cannot be written in UTF-8"
            raise UsageError(reason, [("", 0, 0, "", reason)])
        return text
    if isinstance(value, float):
        return repr(value)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return text_of(value.item())  # a scalar of numpy
    raise TypeError(f"{reprlib.repr(value)} is not text, a number, a truth value or a path")


def argument_text(word: str, value: Any) -> str:
    try:
        return text_of(value)
    except TypeError as error:
        raise TypeError(f"{word}: {error}") from None


def is_utf8(text: str) -> bool:
    """False for halves of surrogate pairs, which stand for bytes that are no text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def field_name(word: str) -> str:
    """The field called `word`; `pass_` is `pass`, which Python keeps for itself."""
    name = "pass" if word == "pass_" else word
    known = _tcsim.request_fields()
    if name in known:
        return name
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    raise refusal(word, f"a run has no such argument{hint}")


def settings_of(given: Settings) -> list[tuple[Any, Any]]:
    """Keys of the machine and their values, from a mapping or a list of "key=value"."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return list(given.items())
    if not isinstance(given, (list, tuple)):
        raise refusal("set", f"{reprlib.repr(given)} is neither a mapping of keys to values nor a list of 'key=value'")
    for one in given:
        if not isinstance(one, str) or "=" not in one:
            raise refusal("set", f"{reprlib.repr(one)} is not 'key=value'")
    return [tuple(one.split("=", 1)) for one in given]


def setting_text(value: Any) -> str:
    """A value as a machine file has it; a list is one value."""
    if hasattr(value, "tolist"):
        value = value.tolist()  # of numpy
    return f"[{', '.join(setting_text(one) for one in value)}]" if isinstance(value, (list, tuple)) else text_of(value)


def overrides_of(settings: Settings) -> list[str]:
    try:
        return [f"{text_of(key)}={setting_text(value)}" for key, value in settings_of(settings)]
    except TypeError as error:
        raise refusal("set", str(error)) from None


def fields_of(workload: Any, machine: Any, settings: Settings, more: Mapping[str, Any]) -> Fields:
    """Arguments that are None are not given; lists give a field several times, but the words of `quantize` at once."""
    fields: Fields = {"workload": [argument_text("workload", workload)], "machine": [argument_text("machine", machine)]}
    if settings:
        fields["set"] = overrides_of(settings)
    for word, value in more.items():
        if value is None:
            continue
        name = field_name(word)
        values = value if isinstance(value, (list, tuple)) else [value]
        texts = [argument_text(word, one) for one in values]
        fields[name] = [",".join(texts)] if name == "quantize" else texts
    return fields


@contextlib.contextmanager
def operand_files(more: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """`more` with arrays a and b as .npy files for as long as the run lasts, and their arguments by their paths; an array
    asks for values."""
    for name in OPERANDS:
        if isinstance(more.get(name), (list, tuple)):
            raise refusal(name, f"{reprlib.repr(more[name])} is neither an array of numpy nor the path of a .npy file")
    arrays = {name: more[name] for name in OPERANDS if hasattr(more.get(name), "__array__")}
    if not arrays:
        yield dict(more), {}
        return
    import numpy

    with tempfile.TemporaryDirectory(prefix="tcsim-") as folder:
        files: dict[str, Any] = {}
        for name, array in arrays.items():
            files[name] = pathlib.Path(folder) / f"{name}.npy"
            numpy.save(files[name], numbers_of(name, array), allow_pickle=False)
        names = {str(path): name for name, path in files.items()}
        wanted = more.get("values")
        try:
            yield {**more, **files, "values": True if wanted is None else wanted}, names
        except Error as error:
            raise renamed(error, names) from None


def numbers_of(name: str, given: Any) -> numpy.ndarray:
    """The array `given` in types that a .npy file of an operand may have."""
    import numpy

    if isinstance(given, numpy.ma.MaskedArray):
        raise refusal(name, "a masked array has elements without a number; array.filled(0) gives them one")
    array = numpy.asarray(given)
    if array.dtype.kind not in "biuf":
        raise refusal(name, f"{array.dtype} is not a type of real numbers")
    return array.astype("uint8") if array.dtype.kind == "b" else array.astype(array.dtype.newbyteorder("<"), copy=False)


def replaced(text: str, names: Mapping[str, str]) -> str:
    for word, name in names.items():
        text = text.replace(word, name)
    return text


def renamed(error: Error, names: Mapping[str, str]) -> Error:
    """`error` with the words of `names` replaced in all its texts."""
    kind, (text, mistakes) = error.__reduce__()
    return kind(replaced(text, names), [(replaced(file, names), line, column, key, replaced(reason, names))
                                        for file, line, column, key, reason in mistakes])
