"""Machines and their peak rates."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Mapping

from . import _html, _tcsim
from ._request import Settings, overrides_of, text_of

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Rate:
    """The peak of a unit for a format; `tera_ops_per_s` is None where the machine lacks it."""

    unit: str  # "tensor", "cuda-core"
    dtype: str
    acc: str
    sparse: bool
    tera_ops_per_s: float | None
    measure: str  # "TFLOPS", "TOPS"
    clock_mhz: float
    formula: str


@dataclass(frozen=True)
class Bandwidth:
    level: str  # "dram", "l2", "shared"
    gb_per_s: float
    formula: str


@dataclass(frozen=True)
class Peak:
    machine: str
    clock_mhz: float
    rates: tuple[Rate, ...]
    bandwidths: tuple[Bandwidth, ...]

    def rate(self, dtype: str = "fp16", unit: str = "tensor", acc: str | None = None, sparse: bool = False) -> float | None:
        """Tera operations per second; without `acc` the first accumulator listed. Both formats of FP8, e4m3 and e5m2, have
        the rate of fp8. KeyError if the machine does not know it."""
        listed = "fp8" if dtype in ("e4m3", "e5m2") else dtype
        for one in self.rates:
            if (one.dtype, one.unit, one.sparse) == (listed, unit, sparse) and acc in (None, one.acc):
                return one.tera_ops_per_s
        raise KeyError((dtype, unit, acc, sparse))

    def frame(self) -> pandas.DataFrame:
        import pandas

        return pandas.DataFrame(list(self.rates))

    def _repr_html_(self) -> str:
        rows = [(one.unit, one.dtype, one.acc, "2:4" if one.sparse else "dense", one.tera_ops_per_s, one.formula)
                for one in self.rates]
        return (_html.heading(f"{self.machine} at {self.clock_mhz} MHz")
                + _html.table(("unit", "dtype", "acc", "kind", "tera ops/s", "formula"), rows)
                + _html.table(("level", "GB/s", "formula"), [(one.level, one.gb_per_s, one.formula) for one in self.bandwidths]))


def peak(machine: str, set: Settings = None) -> Peak:
    """Peak rates and bandwidths of `machine`, a preset or a file, with keys changed by `set`. Raises UsageError."""
    told = json.loads(_tcsim.peak_json(text_of(machine), overrides_of(set)))
    ending = "_gb_per_s"
    levels = [key.removesuffix(ending) for key in told if key.endswith(ending)]
    return Peak(
        machine=told["machine"], clock_mhz=told["clock_mhz"],
        rates=tuple(Rate(**{one.name: rate[one.name] for one in fields(Rate)}) for rate in told["rates"]),
        bandwidths=tuple(Bandwidth(level, told[level + ending], told[level + "_formula"]) for level in levels),
    )


def machines() -> list[str]:
    """The machines that come with tcsim."""
    return _tcsim.machines()
