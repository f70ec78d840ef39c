"""Many runs, each in a process of its own, some at once."""

from __future__ import annotations

import concurrent.futures
import itertools
import json
import operator
import os
import pickle
import queue
import reprlib
import signal
import string
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping

from . import _errors, _html
from ._network import NetworkResult
from ._request import OPERANDS, Fields, Settings, fields_of, refusal, settings_of
from ._result import Result
from ._run import result_of

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Point:
    """One run of a sweep: where it lies on each axis, and its result or the error that it ended with."""

    at: dict[str, Any]
    result: Result | NetworkResult | None = field(repr=False)
    error: _errors.Error | None


@dataclass(frozen=True)
class Sweep:
    axes: dict[str, list[Any]]
    points: tuple[Point, ...] = field(repr=False)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def frame(self) -> pandas.DataFrame:
        """A row per point in the order of the axes: its place, time, rate, what binds, fidelity, what stopped it
        ("finished", or the figures are partial), and the error where it failed. Where an axis has the name of a result,
        the column of the result has "result." before it."""
        import pandas

        return pandas.DataFrame([row_of(point) for point in self.points])

    def _repr_html_(self) -> str:
        rows = [row_of(point) for point in self.points]
        return _html.table(list(rows[0]), [list(row.values()) for row in rows])


def row_of(point: Point) -> dict[str, Any]:
    names = ("time_us", "tflops", "bound_by", "fidelity", "stopped_by")
    found = {name: getattr(point.result, name) if point.result else None for name in names}
    found["error"] = str(point.error) if point.error else None
    return {**point.at, **{f"result.{name}" if name in point.at else name: value for name, value in found.items()}}


def sweep(
    workload: Any,
    machine: Any = "a100",
    set: Settings = None,
    *,
    axes: Mapping[str, list[Any]] | None = None,
    progress: Callable[[int, int, Point], None] | None = None,
    at_once: int | None = None,
    **fields: Any,
) -> Sweep:
    """Runs every combination: each argument that is a list is an axis, also a value within `set`.

        tcsim.sweep("gemm:{n}", machine=["v100", "a100"], axes={"n": [256, 512]}, set={"dram.channels": [8, 16]})

    `axes` name the fields in braces of the workload. `progress(done, total, point)` hears of each point as it ends.
    `at_once` processes run side by side (default: the processors of this host). A point that is refused or fails keeps
    its error; the others go on. Ctrl-C ends all of them and raises KeyboardInterrupt."""
    for name in OPERANDS:
        if hasattr(fields.get(name), "__array__"):
            raise TypeError(f"{name}: a sweep takes no arrays; give a .npy file")
    workers = processors() if at_once is None else count_of("at_once", at_once)
    keys = [key for key, _ in settings_of(set)]
    for key in keys:
        if keys.count(key) > 1:
            raise refusal("set", f"'{key}' is given twice")
    lists: dict[str, list[Any]] = {name: values_of(name, values) for name, values in (axes or {}).items()}
    arguments = {"workload": workload, "machine": machine, **fields, **{f"set.{key}": value for key, value in settings_of(set)}}
    check_names(workload, lists, arguments)
    lists.update({name: list(value) for name, value in arguments.items() if isinstance(value, (list, tuple))})
    empty = [name for name, values in lists.items() if not values]
    if empty:
        raise ValueError(f"{empty[0]}: an axis needs at least one value")
    places = [dict(zip(lists, values)) for values in itertools.product(*lists.values())]
    requests = [request_at({**arguments, **place}, [name for name in axes or {}]) for place in places]
    points = run_all(places, requests, progress, workers)
    return Sweep(lists, tuple(points))


def processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0))


def count_of(name: str, value: Any) -> int:
    """`value`, a whole number from 1."""
    try:
        count = operator.index(value)
    except TypeError:
        count = 0
    if count < 1:
        raise refusal(name, f"{reprlib.repr(value)} is not a whole number from 1")
    return count


def values_of(name: str, values: Any) -> list[Any]:
    """The values of an axis; a text is one value, not its letters."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"axes: '{name}' is {values!r}, not a list of values")
    return list(values)


def check_names(workload: Any, axes: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Every axis is used, every name in braces is an axis, and none is an argument as well."""
    for name in axes:
        if name in arguments:
            raise ValueError(f"axes: '{name}' is an argument of the run already; give the axis another name")
    workloads = workload if isinstance(workload, (list, tuple)) else [workload]
    used = {name for one in workloads for _, name, _, _ in string.Formatter().parse(str(one)) if name is not None}
    for name in sorted(used.symmetric_difference(axes)):
        raise ValueError(f"axes: '{name}' is {'not in the workload' if name in axes else 'not an axis'}")


def request_at(arguments: dict[str, Any], axis_names: list[str]) -> Fields:
    place = {name: arguments.pop(name) for name in axis_names}
    workload = arguments.pop("workload")
    settings = {key.removeprefix("set."): arguments.pop(key) for key in list(arguments) if key.startswith("set.")}
    return fields_of(workload.format(**place) if axis_names else workload, arguments.pop("machine"), settings, arguments)


def run_all(places: list[dict[str, Any]], requests: list[Fields], progress: Callable[[int, int, Point], None] | None,
            at_once: int) -> list[Point]:
    threads = max(1, processors() // min(at_once, len(requests)))
    children = Children()

    def run_one(index: int) -> Point:
        request = {"jobs": [str(threads)], **requests[index]}
        return point_of(places[index], request, *answer_of(request, children))

    points: dict[int, Point] = {}
    pool = concurrent.futures.ThreadPoolExecutor(at_once)
    # Ctrl-C inside as_completed() can leave a lock taken that the threads need (it waits in Python code); not so here.
    finished: queue.SimpleQueue[concurrent.futures.Future[Point]] = queue.SimpleQueue()
    try:
        futures = {pool.submit(run_one, index): index for index in range(len(requests))}
        for future in futures:
            future.add_done_callback(finished.put)
        for _ in requests:
            future = next_of(finished)
            point = points[futures[future]] = future.result()
            if progress:
                progress(len(points), len(requests), point)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        children.end()
        pool.shutdown(wait=True)
    return [points[index] for index in range(len(requests))]


def next_of(finished: queue.SimpleQueue[Any]) -> Any:
    """Waits for the next of `finished`. A signal that arrives just before the wait, or in another thread, does not end
    the wait; so it is cut into short ones, and Python looks for signals in between."""
    while True:
        try:
            return finished.get(timeout=0.2)
        except queue.Empty:
            pass


class Children:
    """The processes of a sweep: once it ends, no thread starts another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ends = False
        self._all: list[subprocess.Popen[bytes]] = []

    def start(self, environment: dict[str, str]) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._ends:
                return None
            command = [sys.executable, "-P", "-m", "tcsim._worker"]  # -P: modules of the current folder shadow none
            self._all.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                              env=environment))
            return self._all[-1]

    def end(self) -> None:
        with self._lock:
            self._ends = True
            for child in self._all:
                if child.poll() is None:
                    child.kill()


def answer_of(request: Fields, children: Children) -> tuple[bytes, bytes, int]:
    """What a worker says of `request`, on both streams, and how it ended."""
    paths = [package_parent(), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    child = children.start(environment)
    if child is None:
        return b"", b"not started", 1
    said, complaint = child.communicate(json.dumps(request).encode())
    return said, complaint, child.returncode


def package_parent() -> str:
    """The folder from which this package was imported, symbolic links as they are."""
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def point_of(place: dict[str, Any], request: Fields, said: bytes, complaint: bytes, status: int) -> Point:
    if status != 0 or not said:
        how = f"ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        last_words = complaint.decode(errors="replace").strip()[-500:]
        return Point(place, None, _errors.InternalError(f"the process of this run {how}: {last_words}"))
    answer = pickle.loads(said)
    if isinstance(answer, _errors.Error):
        return Point(place, None, answer)
    return Point(place, result_of(answer, request), None)
