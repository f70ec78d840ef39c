"""Runs batches of cases under PyTorch's profiler (CUPTI)."""
import os
import sys
import tempfile
import time

import torch

from torch_library import calls, trace
from torch_library.operands import Operands

FLUSH_BYTES = 256 << 20
RATES = {"fp16": 5e14, "bf16": 5e14, "tf32": 2.5e14, "fp32": 4e13, "int8": 8e14, "e4m3": 8e14}  # a guess is enough
LONG_S = 3e-3
MOST_FLOPS = 3e13
# A trace begins with about 25 ms of work that belongs to no case, which wakes the clocks, and ends with a pause: the
# profiler drops what seems to lie outside the trace, and the clocks of host and device differ a little.
WAKE_FILLS = 300
EDGE_S = 0.01


class DeviceLost(Exception):
    """The device answers no further call of this process."""


def plan_of(case, warm, cold):
    """Long calls are made fewer times."""
    if case.flops() / RATES.get(case.dtype_in, 4e13) > LONG_S:
        return trace.Plan(1, min(warm, 3), min(cold, 1))
    return trace.Plan(2, warm, cold)


class Recorder:
    def __init__(self, warm, cold):
        self.warm, self.cold = warm, cold
        self.operands = Operands()
        self.flushed = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
        self.launched = 0
        self.activities = [torch.profiler.ProfilerActivity.CUDA]
        self.marker = self._marker_name()

    def _mark(self):
        torch.cuda._sleep(10)  # pylint: disable=protected-access
        self.launched += 1

    def _profile(self, work):
        """What `work` runs on the device."""
        with torch.profiler.profile(activities=self.activities) as profiler:
            for _ in range(WAKE_FILLS):
                self.flushed.fill_(1)
            work()
            torch.cuda.synchronize()
            time.sleep(EDGE_S)
        handle, path = tempfile.mkstemp(suffix=".json")
        os.close(handle)
        try:
            profiler.export_chrome_trace(path)
            return trace.read(path)
        finally:
            os.remove(path)

    def _marker_name(self):
        for attempt in range(4):  # the first trace of a process may come out empty
            if attempt == 2:
                self.activities.append(torch.profiler.ProfilerActivity.CPU)
            names = [kernel.name for kernel in self._profile(lambda: [self._mark() for _ in range(3)])]
            if len(names) >= 3 and names.count(names[-1]) == 3:
                return names[-1]
        raise RuntimeError(f"the profiler should see three marker kernels, it sees {sorted(set(names))}")

    def _run(self, call, plan):
        self._mark()
        for _ in range(plan.warm_up + plan.warm):
            call()
        for _ in range(plan.cold):
            self._mark()
            self.flushed.view(torch.int64).max()  # read, not written: nothing is left to write back
            self._mark()
            call()
        self._mark()

    def _attempt(self, case):
        """The plan whose markers were launched, or none, and the case, or none if it failed, which a line tells."""
        try:
            plan = plan_of(case, self.warm, self.cold)
            if case.flops() > MOST_FLOPS:
                raise calls.Unfit(f"more than {MOST_FLOPS:.0e} operations")
            call = calls.prepare(case, self.operands)
        except Exception as error:  # pylint: disable=broad-exception-caught
            _failed(case, error)
            return None, None
        last = self.launched + plan.markers()
        try:
            self._run(call, plan)
            return plan, case
        except Exception as error:  # pylint: disable=broad-exception-caught
            _failed(case, error)
            if isinstance(error, torch.cuda.OutOfMemoryError):
                torch.cuda.empty_cache()
            while self.launched < last:
                self._mark()
            return plan, None

    def batch(self, cases, in_time):
        """(case, its kernels, whether its calls agree) of those that ran, and how many were tried while `in_time`.

        None instead of the first if the trace is of no use. DeviceLost if the device is.
        """
        ran, tried = [], 0

        def work():
            nonlocal tried
            for case in cases:
                if not in_time():
                    break
                tried += 1
                ran.append(self._attempt(case))

        try:
            kernels = self._profile(work)
            plans = [plan for plan, _ in ran if plan]
            names = [case for plan, case in ran if plan]
            dealt = trace.split(kernels, self.marker, plans)
        except Exception as error:  # pylint: disable=broad-exception-caught
            print(f"library_kernels: a batch of {tried} is lost: {_line(error)}", file=sys.stderr, flush=True)
            _require_device()
            return None, tried
        return [(case, *trace.timed_kernels(sections, plan))
                for case, plan, sections in zip(names, plans, dealt) if case], tried


def _failed(case, error):
    text = f"{case.op} {case.dtype_in} {case.params} {case.backend}".rstrip()
    print(f"library_kernels: {text}: {_line(error)}", file=sys.stderr, flush=True)


def _line(error):
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]


def _require_device():
    try:
        torch.cuda.synchronize()
        torch.zeros(1, device="cuda").item()
    except Exception as error:
        raise DeviceLost(_line(error)) from error
