"""Clock and power under one call repeated without a pause, by the bits of its operands."""
import time

import torch

from torch_library import calls, sensors
from torch_library.case import Case
from torch_library.operands import DTYPES

COLUMNS = ("gpu op dtype_in dtype_acc params data us_per_call tflops calls samples sm_mhz sm_mhz_min sm_mhz_max "
           "memory_mhz power_w instant_power_w energy_power_w temperature_c limits source_id").split()
DATA = ("zeros", "normal", "integers")
COPY = Case("copy", "fp32", "fp32", "rows=65536;cols=8192")  # 2 GiB read, 2 GiB written
GRAPH_S = 0.02
IN_FLIGHT = 3


class FixedData:
    """Stands for Operands: views of new tensors that hold zeros, normal numbers or whole numbers from -3 to 3."""

    def __init__(self, data):
        self.data = data

    def start(self):
        pass

    def take(self, dtype_name, *shape):
        dtype = DTYPES[dtype_name]
        if self.data == "zeros":
            return torch.zeros(shape, device="cuda").to(dtype)
        if self.data == "integers":
            return torch.randint(-3, 4, shape, device="cuda", dtype=torch.int8).to(dtype)
        numbers = torch.randn(shape, device="cuda")
        return (numbers * 32).round().clamp(-127, 127).to(dtype) if dtype == torch.int8 else numbers.to(dtype)


def _time_s(call):
    call()
    torch.cuda.synchronize()
    begin = time.monotonic()
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    return (time.monotonic() - begin) / 3


def _graph(call):
    """The call about GRAPH_S long in a row, as a function, and how many calls that is. Without graphs a plain loop."""
    count = max(1, min(2000, round(GRAPH_S / _time_s(call))))

    def loop():
        for _ in range(count):
            call()

    try:
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            call()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loop()
        return graph.replay, count
    except RuntimeError:
        torch.cuda.synchronize()
        return loop, count


def _repeat(run, seconds):
    """Replays for `seconds` with few replays in flight; the events behind each."""
    events = []
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        run()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        events.append(event)
        if len(events) > IN_FLIGHT:
            events[-1 - IN_FLIGHT].synchronize()
    torch.cuda.synchronize()
    return events


def _us_per_call(events, count):
    """Of the second half of the replays."""
    middle = len(events) // 2
    if middle >= len(events) - 1:
        return None
    return 1000 * events[middle].elapsed_time(events[-1]) / (count * (len(events) - 1 - middle))


def measure(gpu, case, data, seconds, sampler):
    """A row of COLUMNS."""
    call = calls.prepare(case, FixedData(data))
    run, count = _graph(call)
    with sampler:
        middle = time.monotonic() + seconds / 2
        events = _repeat(run, seconds)
    us = _us_per_call(events, count)
    row = {"gpu": gpu, "op": case.op, "dtype_in": case.dtype_in, "dtype_acc": case.dtype_acc, "params": case.params,
           "data": data, "calls": count * len(events), "source_id": "OWN", **sensors.summary(sampler.samples, middle)}
    if us:
        row.update(us_per_call=f"{us:.3f}", tflops=f"{case.flops() / us / 1e6:.1f}")
    return row


def idle(gpu, seconds, sampler):
    """A row of COLUMNS while nothing runs."""
    torch.cuda.synchronize()
    with sampler:
        middle = time.monotonic() + seconds / 2
        time.sleep(seconds)
    return {"gpu": gpu, "op": "idle", "source_id": "OWN", **sensors.summary(sampler.samples, middle)}


def measurements(gpu, cases, seconds):
    """What to measure, in order, each a function that gives a row: idle, the copy, each case with each kind of data."""
    sampler = sensors.Sampler()
    yield "idle", lambda: idle(gpu, seconds, sampler)
    yield "copy", lambda: measure(gpu, COPY, "normal", seconds, sampler)
    for case in cases:
        for data in DATA:
            yield f"{case.params} {data}", lambda case=case, data=data: measure(gpu, case, data, seconds, sampler)
