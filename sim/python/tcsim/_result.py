"""What a run of one workload found."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterator

from . import _html

if TYPE_CHECKING:
    import numpy
    import pandas


@dataclass(frozen=True)
class Metric:
    name: str
    value: float | None  # None: does not apply
    unit: str
    formula: str
    sentence: str


@dataclass(frozen=True)
class Counter:
    """A counter of all instances of a scope together, with the least and largest of one."""

    scope: str  # "gpu.memory.channel"
    name: str
    value: int
    unit: str
    instances: int
    least: int
    most: int
    sentence: str


@dataclass(frozen=True)
class Kernel:
    name: str
    tile: str
    time_us: float
    cycles: int
    ctas: int
    ctas_per_sm: int
    waves: float
    warp_instructions: int
    mma_instructions: int
    fidelity: str


@dataclass(frozen=True, eq=False)  # arrays have no truth value
class Result:
    """`report` and `stats` hold everything: what `tcsim run -f json` prints, and `stats.json`."""

    workload: str
    machine: str
    overrides: tuple[str, ...]  # what `set` changed of the machine, "key=value"
    title: str
    fidelity: str
    complete: bool
    stopped_by: str
    time_us: float
    tflops: float | None
    peak_fraction: float | None
    bound_by: str
    verdict: str
    metrics: dict[str, Metric] = field(repr=False)
    kernels: tuple[Kernel, ...] = field(repr=False)
    counters: tuple[Counter, ...] = field(repr=False)
    cycles_by_reason: dict[str, int] = field(repr=False)  # of all sub-cores
    arrays: dict[str, numpy.ndarray] = field(repr=False)
    notes: tuple[str, ...]
    text: str = field(repr=False)
    report: dict[str, Any] = field(repr=False)
    stats: dict[str, Any] = field(repr=False)

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> Result:
        report, stats = json.loads(raw["json"]), json.loads(raw["stats_json"])
        return cls(
            workload=report["workload"], machine=report["machine"], overrides=tuple(report["overrides"]), title=stats["title"],
            fidelity=stats["fidelity"], complete=raw["complete"], stopped_by=raw["stopped_by"], time_us=report["time_us"],
            tflops=report["tflops"], peak_fraction=report["peak_fraction"], bound_by=report["bound_by"], verdict=stats["verdict"]["sentence"],
            metrics=metrics_of(stats), kernels=kernels_of(report), counters=tuple(counters_below("", stats["counters"])),
            cycles_by_reason=report["cycles_by_reason"],
            arrays={name: array_of(dtype, npy) for name, dtype, npy in raw["tensors"]}, notes=tuple(raw["notes"]),
            text=raw["text"], report=report, stats=stats,
        )

    def metric(self, name: str) -> float | None:
        """The value of the metric called `name` (`tcsim metrics`); KeyError if there is none."""
        return self.metrics[name].value

    def frame(self) -> pandas.DataFrame:
        """A row with every metric."""
        import pandas

        facts = {"workload": self.workload, "machine": self.machine, "overrides": " ".join(self.overrides),
                 "fidelity": self.fidelity, "bound_by": self.bound_by}
        return pandas.DataFrame([{**facts, **{name: one.value for name, one in self.metrics.items()}}])

    def metric_frame(self) -> pandas.DataFrame:
        """A row per metric: value, unit, formula, sentence."""
        import pandas

        return pandas.DataFrame(list(self.metrics.values())).set_index("name")

    def kernel_frame(self) -> pandas.DataFrame:
        import pandas

        return pandas.DataFrame(self.report["kernels"])

    def counter_frame(self) -> pandas.DataFrame:
        import pandas

        return pandas.DataFrame(list(self.counters)).set_index(["scope", "name"])

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        shown = ("time_us", "tflops", "peak_fraction", "pipe_active", "issue_fraction")
        rows = [(one.name, one.value, one.unit) for one in (self.metrics[name] for name in shown) if one.value is not None]
        cycles = [(one["label"], one["percent"]) for one in self.stats["cycles_by_reason"] if one["percent"] > 0]
        state = "" if self.complete else _html.paragraph(f"partial: {self.stopped_by}")
        machine = _html.machine(self.machine, self.overrides)
        return (_html.heading(f"{self.title} on {machine} ({self.fidelity})") + state + _html.paragraph(self.verdict)
                + _html.table(("metric", "value", "unit"), rows) + _html.bars(cycles))


def metrics_of(stored: dict[str, Any]) -> dict[str, Metric]:
    return {name: Metric(name, *(one[key] for key in ("value", "unit", "formula", "sentence")))
            for name, one in stored["metrics"].items()}


def kernels_of(report: dict[str, Any]) -> tuple[Kernel, ...]:
    names = Kernel.__dataclass_fields__
    return tuple(Kernel(**{name: one[name] for name in names}) for one in report["kernels"])


def counters_below(path: str, scopes: dict[str, Any]) -> Iterator[Counter]:
    for name, scope in scopes.items():
        here = f"{path}.{name}" if path else name
        for counter, one in scope["counters"].items():
            value = one["value"]
            yield Counter(here, counter, value, one["unit"], scope["instances"], one.get("min", value),
                          one.get("max", value), one["sentence"])
        yield from counters_below(here, scope["children"])


def array_of(dtype: str, npy: bytes) -> numpy.ndarray:
    """The array in a .npy file; BF16 as float32, which holds all its values. FP8 stays patterns, uint8."""
    import numpy

    array = numpy.load(io.BytesIO(npy), allow_pickle=False)
    if dtype == "bfloat16":
        return (array.astype(numpy.uint32) << 16).view(numpy.float32)
    return array
