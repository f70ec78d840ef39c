"""What a run of a network found."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _html
from ._result import Kernel, Metric, kernels_of, metrics_of

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Step:
    """One operation of a network on the machine. `report` holds all of it."""

    layer: str
    part: str  # "forward", "dgrad", ...
    title: str
    time_us: float
    cycles: int
    flop: float | None
    tflops: float | None
    bound_by: str
    dram_bytes: float
    energy_j: float | None  # None where the machine has no energies
    reused: bool  # the result of an earlier step with the same kernels and L2
    kernels: tuple[Kernel, ...] = field(repr=False)
    report: dict[str, Any] = field(repr=False)

    @classmethod
    def _of(cls, step: dict[str, Any]) -> Step:
        one = step["result"]
        memory = one["memory"]
        return cls(
            layer=step["layer"], part=step["part"], title=step["title"], time_us=one["time_us"], cycles=one["cycles"],
            flop=one["flop"], tflops=one["tflops"], bound_by=one["bound_by"],
            dram_bytes=memory["dram_read_bytes"] + memory["dram_write_bytes"], energy_j=one["energy"]["energy_j"] if one["energy"] else None,
            reused=step["reused"], kernels=kernels_of(one), report=one,
        )


@dataclass(frozen=True)
class Layer:
    """A layer with all its steps, longest first."""

    layer: str
    time_us: float
    flop: float
    bound_by: str


@dataclass(frozen=True)
class NetworkResult:
    """`report` holds everything: what `tcsim run net:NAME -f json` prints. Of a network that several GPUs share, steps,
    layers and `tflops` are those of one."""

    network: str
    machine: str
    overrides: tuple[str, ...]  # what `set` changed of the machine, "key=value"
    gpus: int
    batch: int
    precision: str
    pass_: str
    fidelity: str
    complete: bool
    stopped_by: str
    time_us: float
    bound_by: str  # what most of the time is bound by
    tflops: float | None  # None where the run did not end, like samples_per_s
    samples_per_s: float | None
    metrics: dict[str, Metric] = field(repr=False)  # tokens_per_s, time_per_output_token_us, ...
    steps: tuple[Step, ...] = field(repr=False)
    layers: tuple[Layer, ...] = field(repr=False)
    notes: tuple[str, ...]
    text: str = field(repr=False)
    report: dict[str, Any] = field(repr=False)

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> NetworkResult:
        report = json.loads(raw["json"])
        time_us = report["time_us"]
        return cls(
            network=report["network"], machine=report["machine"], overrides=tuple(report["overrides"]), gpus=report["gpus"],
            batch=report["batch"], precision=report["precision"], pass_=report["pass"], fidelity=report["fidelity"], complete=raw["complete"], stopped_by=raw["stopped_by"],
            time_us=time_us, bound_by=report["bound_by"], tflops=report["tflops"], samples_per_s=report["batch"] * 1e6 / time_us if raw["complete"] and time_us else None,
            metrics=metrics_of(report),
            steps=tuple(Step._of(step) for step in report["steps"]),
            layers=tuple(Layer(*(one[name] for name in Layer.__dataclass_fields__)) for one in report["layers"]),
            notes=tuple(raw["notes"]), text=raw["text"], report=report,
        )

    def metric(self, name: str) -> float | None:
        """The value of the metric called `name` (`tcsim metrics`); KeyError if there is none."""
        return self.metrics[name].value

    def frame(self) -> pandas.DataFrame:
        """A row per step of one GPU, behind the machine."""
        import pandas

        names = [name for name in Step.__dataclass_fields__ if name not in ("kernels", "report")]
        facts = {"machine": self.machine, "overrides": " ".join(self.overrides), "gpus": self.gpus}
        return pandas.DataFrame([{**facts, **{name: getattr(step, name) for name in names}} for step in self.steps])

    def layer_frame(self) -> pandas.DataFrame:
        import pandas

        return pandas.DataFrame(list(self.layers))

    def kernel_frame(self) -> pandas.DataFrame:
        import pandas

        return pandas.DataFrame([{"layer": step.layer, "part": step.part, **kernel}
                                 for step in self.steps for kernel in step.report["kernels"]])

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        rows = [(one.layer, one.time_us, f"{100 * one.time_us / self.time_us:.1f} %", one.bound_by) for one in self.layers[:10]]
        state = "" if self.complete else _html.paragraph(f"partial: {self.stopped_by}")
        several, each = (f"{self.gpus} x ", " per GPU") if self.gpus > 1 else ("", "")
        rates = f", {self.samples_per_s:,.1f} samples/s, {self.tflops:.1f} {self.metrics['network_tflops'].unit}{each}" if self.complete else ""
        machine = several + _html.machine(self.machine, self.overrides)
        return (_html.heading(f"{self.network}, batch {self.batch}, {self.precision}, {self.pass_}, on {machine}") + state
                + _html.paragraph(f"{self.time_us:,.1f} us{rates}")
                + _html.table(("layer", "time us", "of time", "bound by"), rows))
