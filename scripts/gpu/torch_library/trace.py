"""Kernels of a profiler's trace, dealt to the cases that launched them by the marker kernels between them.

A case is: marker, warm calls, then for each cold call marker, flush of the L2, marker, call, and a last marker.
"""
import dataclasses
import json
import statistics

ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    start_us: float
    time_us: float
    grid: tuple = ()
    block: tuple = ()
    registers: int = 0
    shared_bytes: int = 0

    def launch(self):
        return self.name, self.grid, self.block


@dataclasses.dataclass(frozen=True)
class Plan:
    """How often a case is called."""
    warm_up: int
    warm: int
    cold: int

    def markers(self):
        return 2 + 2 * self.cold


@dataclasses.dataclass(frozen=True)
class Timed:
    """One kernel of a call: its launch, and its times with a warm and with a flushed L2.

    interval_us lies between the starts of two warm calls. Where it is less than their time, launches overlap
    (programmatic dependent launch) and the time holds a wait for the call before.
    """
    kernel: Kernel
    warm_us: list
    cold_us: list
    order: int
    interval_us: float | None = None


def read(path):
    """What ran on the device, in the order of its start. `path` is a trace in Chrome's format."""
    with open(path, encoding="utf-8", errors="replace") as file:
        events = json.load(file, strict=False)["traceEvents"]
    return sorted((_kernel(event) for event in events if event.get("cat") in ON_DEVICE and event.get("ph") == "X"),
                  key=lambda kernel: kernel.start_us)


def _kernel(event):
    args = event.get("args", {})
    return Kernel(event["name"], float(event["ts"]), float(event["dur"]), tuple(args.get("grid", ())),
                  tuple(args.get("block", ())), int(args.get("registers per thread", 0)),
                  int(args.get("shared memory", 0)))


def split(kernels, marker, plans):
    """For each plan its sections between markers; a ValueError if the trace does not hold the markers of all plans."""
    sections = []
    for kernel in kernels:
        if kernel.name == marker:
            sections.append([])
        elif sections:
            sections[-1].append(kernel)
    expected = sum(plan.markers() for plan in plans)
    if len(sections) != expected:
        raise ValueError(f"the trace holds {len(sections)} markers where {expected} were launched")
    dealt, first = [], 0
    for plan in plans:
        dealt.append(sections[first:first + plan.markers() - 1])  # the last marker's section belongs to no case
        first += plan.markers()
    return dealt


def timed_kernels(sections, plan):
    """The kernels of one call with their times, and whether all calls launched the same; none if nothing ran."""
    warm, colds = sections[0], sections[2::2]
    pattern = [kernel.launch() for kernel in colds[0]] if colds else []
    tail = warm[-len(pattern) * plan.warm:] if pattern else []
    same = all([kernel.launch() for kernel in cold] == pattern for cold in colds)
    if same and [kernel.launch() for kernel in tail] == pattern * plan.warm:
        size = len(pattern)
        return [_timed(tail[i::size], [cold[i].time_us for cold in colds], i) for i in range(size)], True
    return _by_name(warm, colds), False


def _timed(warm, cold_us, order):
    intervals = [after.start_us - before.start_us for before, after in zip(warm, warm[1:])]
    return Timed(warm[0], [kernel.time_us for kernel in warm], cold_us, order,
                 statistics.median(intervals) if intervals else None)


def _by_name(warm, colds):
    """Where calls differ: the launches of one kind together, the warm-up included."""
    kinds = {}
    for kernel in warm:
        kinds.setdefault(kernel.launch(), []).append(kernel)
    cold = [kernel for call in colds for kernel in call]
    return [Timed(group[0], [k.time_us for k in group], [k.time_us for k in cold if k.launch() == launch], i)
            for i, (launch, group) in enumerate(kinds.items())]


def main_kernel(timed):
    """The one that a call spends most of its time in."""
    return max(timed, key=lambda one: statistics.median(one.warm_us))
