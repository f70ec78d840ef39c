"""One run in this process."""

from __future__ import annotations

import json
import os
import threading
from typing import Any, Callable, Mapping

from . import _tcsim
from ._network import NetworkResult
from ._request import Fields, Settings, fields_of, operand_files, replaced
from ._result import Result

Listener = Callable[[_tcsim.Progress], "bool | None"]

_one_at_a_time = threading.Lock()
_here = threading.local()


def renew_lock() -> None:
    """For a forked child: a thread that holds the lock does not exist there, unless it has forked."""
    global _one_at_a_time
    if not is_running_here():
        _one_at_a_time = threading.Lock()


os.register_at_fork(after_in_child=renew_lock)


def run(
    workload: str,
    machine: str = "a100",
    set: Settings = None,
    *,
    progress: Listener | None = None,
    **fields: Any,
) -> Result | NetworkResult:
    """Simulates `workload` ("gemm:1024", "conv:...", "net:bert_base", ...) on `machine`, a preset or a file.

    `set` changes keys of the machine: {"dram.channels": 16}, or ["dram.channels=16"]. Further arguments are the
    fields of `tcsim run --request` under the same names: fidelity="sampled:2%", tile="128x128x32", batch=8,
    precision="int8", values=True, ... Operands `a` and `b` may be arrays of numpy; the result then has the product
    under `arrays["D"]`.

    `progress` hears of a `Progress` several times a second; an answer that is false, but not None, ends the run, whose
    result is then partial.
    Other threads of Python go on meanwhile; Ctrl-C raises KeyboardInterrupt. Raises UsageError, NotCovered, IoError,
    and InternalError for a defect of tcsim."""
    with operand_files(fields) as (given, names):
        request = fields_of(workload, machine, set, given)
        raw = simulate(request, progress)
        arrays = {path: f"array {name}" for path, name in names.items()}
        in_json = {json.dumps(path, ensure_ascii=False)[1:-1]: name for path, name in arrays.items()}
        texts = {key: replaced(raw[key], arrays if key == "text" else in_json) for key in ("text", "json", "stats_json")}
        return result_of({**raw, **texts}, request)


def simulate(request: Fields, progress: Listener | None) -> dict[str, Any]:
    """What the library answers; one thread after the other."""
    if is_running_here():
        raise RuntimeError("a progress function cannot start a run")
    with _one_at_a_time:
        _here.is_running = True
        try:
            return _tcsim.simulate(request, progress)
        finally:
            _here.is_running = False


def is_running_here() -> bool:
    """Whether this thread is inside a run."""
    return getattr(_here, "is_running", False)


def result_of(raw: dict[str, Any], request: Fields) -> Result | NetworkResult:
    is_network = request["workload"][0].startswith("net:")
    return NetworkResult._of(raw) if is_network else Result._of(raw)
