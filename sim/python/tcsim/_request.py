"""Arguments of `run` as the fields of a request, texts under their names."""

from __future__ import annotations

import contextlib
import difflib
import os
import pathlib
import tempfile
from typing import Any, Iterator, Mapping

from . import _tcsim
from ._errors import UsageError

Fields = dict[str, list[str]]

OPERANDS = ("a", "b")


def text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, os.PathLike)):
        return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    if isinstance(value, float):
        return repr(value)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return text_of(value.item())  # a scalar of numpy
    raise TypeError(f"{value!r} is no text, number, truth value or path")


def field_name(word: str) -> str:
    """The field called `word`; `pass_` is `pass`, which Python keeps for itself."""
    name = word.removesuffix("_")
    known = _tcsim.request_fields()
    if name in known:
        return name
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    reason = f"a run has no such argument{hint}"
    raise UsageError(f"{word}: {reason}", [("", 0, 0, word, reason)])


def overrides_of(settings: Mapping[str, Any] | None) -> list[str]:
    return [f"{key}={text_of(value)}" for key, value in (settings or {}).items()]


def fields_of(workload: Any, machine: Any, settings: Mapping[str, Any] | None, more: Mapping[str, Any]) -> Fields:
    """Arguments that are None are not given; lists give a field several times."""
    fields: Fields = {"workload": [text_of(workload)], "machine": [text_of(machine)]}
    if settings:
        fields["set"] = overrides_of(settings)
    for word, value in more.items():
        if value is None:
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        fields[field_name(word)] = [text_of(one) for one in values]
    return fields


@contextlib.contextmanager
def operand_files(more: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """`more` with arrays a and b as .npy files for as long as the run lasts; an array asks for values."""
    arrays = {name: more[name] for name in OPERANDS if hasattr(more.get(name), "__array__")}
    if not arrays:
        yield dict(more)
        return
    import numpy

    with tempfile.TemporaryDirectory(prefix="tcsim-") as folder:
        files: dict[str, Any] = {}
        for name, array in arrays.items():
            files[name] = pathlib.Path(folder) / f"{name}.npy"
            numpy.save(files[name], numpy.asarray(array), allow_pickle=False)
        yield {**more, "values": True, **files}
